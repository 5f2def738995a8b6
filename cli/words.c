/* The words of a command line: as the report shows them and a checkpoint stores them, and parsed
 * again. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* The number of words from here on that cannot change a result: output files, speed and messages
 * are not shown. */
static int words_left_out(const char *word) {
    static const char *const with_value[] = {"--threads", "--checkpoint",  "--shard",    "--output",
                                             "--report",  "--predictions", "--model",    "--best",
                                             "--as",      "--device",      "--model-out"};
    static const char *const alone[] = {"--quiet", "--verbose", "--json"};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (strcmp(word, alone[i]) == 0) return 1;
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++) {
        size_t length = strlen(with_value[i]);
        if (strcmp(word, with_value[i]) == 0) return 2;
        if (strncmp(word, with_value[i], length) == 0 && word[length] == '=') return 1;
    }
    return strcmp(word, "-o") == 0 ? 2 : strncmp(word, "-o", 2) == 0 ? 1 : 0;
}

/* A line break becomes two characters, since this is one line. */
void print_word(FILE *to, const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,=+:@%";
    fputc(' ', to);
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", to);
        else if (*word == '\n')
            fputs("'$'\\n''", to);
        else
            fputc(*word, to);
    }
    fputc('\'', to);
}

char *words_kept(const options *o) {
    page words;
    if (!page_open(&words)) return NULL;
    fprintf(words.to, "pare %s", o->command->name);
    print_word(words.to, o->argument[0]); /* first, wherever it stood: it is the input file */
    for (int i = 0; i < o->argc;) {
        int skip = o->argv[i] == o->argument[0] ? 1 : words_left_out(o->argv[i]);
        if (skip == 0) print_word(words.to, o->argv[i++]);
        i += skip;
    }
    if (fclose(words.to) == 0) return words.text;
    fputs("pare: not enough memory\n", stderr);
    free(words.text);
    return NULL;
}

/* The next word of `from`, written in place from `to` on; returns its end. */
static char *take_word(const char **from, char *to) {
    bool quoted = false;
    for (; **from && (quoted || **from != ' '); ++*from) {
        if (**from == '\'')
            quoted = !quoted;
        else if (!quoted && **from == '\\' && (*from)[1])
            *to++ = *++*from;
        else if (!quoted && strncmp(*from, "$'\\n'", 5) == 0)
            *to++ = '\n', *from += 4;
        else
            *to++ = **from;
    }
    while (**from == ' ') ++*from; /* before the end of the word is written there */
    *to++ = '\0';
    return to;
}

int words_split(char *text, char **argv) {
    const char *from = text;
    char *to = text;
    int argc = 0;
    while (*from) {
        argv[argc++] = to;
        to = take_word(&from, to);
    }
    return argc;
}

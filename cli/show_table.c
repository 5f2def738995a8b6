/* A TSV of the library for people: lines that begin with # are sentences, the others tables. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"
#include "screen.h"
#include "show.h"

/* The fields of a line, cut up in place. */
static int split(char *line, char *field[GRID_COLUMNS]) {
    int count = 0;
    field[count++] = line;
    for (; *line && count < GRID_COLUMNS; line++) {
        if (*line != '\t') continue;
        *line = '\0';
        field[count++] = line + 1;
    }
    return count;
}

/* A field as it is, or a number of four digits. */
static const char *cell_text(const char *field, char buffer[32]) {
    char *end;
    double x = strtod(field, &end);
    return end == field || *end || strchr(field, 'x') ? field : short_text(x, buffer);
}

/* The lines of one table, up to `end`: all have its number of fields. */
static bool show_block(const screen *s, char *text, const char *end, int columns) {
    char layout[GRID_COLUMNS + 1] = "", *field[GRID_COLUMNS], number[32];
    for (int c = 0; c < columns; c++) strcat(layout, c == 0 ? "l" : "r");
    if (columns == 2) layout[1] = 'l';
    grid g = grid_of(layout, columns > 1 ? columns - 1 : 0);
    while (text < end) {
        char *next = strchr(text, '\n');
        if (next) *next++ = '\0';
        int count = split(text, field);
        for (int c = 0; c < columns; c++)
            grid_add(&g, c < count ? cell_text(field[c], number) : "");
        text = next ? next : (char *)end;
    }
    return grid_print(s, &g);
}

static int fields_of(const char *line) {
    int count = 1;
    for (; *line && *line != '\n'; line++) count += *line == '\t';
    return count < GRID_COLUMNS ? count : GRID_COLUMNS;
}

static bool show_lines(const screen *s, char *text) {
    bool fine = true;
    while (*text && fine) {
        size_t length = strcspn(text, "\n");
        if (*text == '#') {
            char *next = text + length + (text[length] == '\n');
            text[length] = '\0';
            for (char *c = text; *c; c++)
                if (*c == '\t') *c = ' ';
            screen_text(s, text + strspn(text, "# "), 2, false);
            text = next;
            continue;
        }
        int columns = fields_of(text);
        char *end = text;
        while (*end && *end != '#' && fields_of(end) == columns) {
            end += strcspn(end, "\n");
            end += *end == '\n';
        }
        char kept = *end;
        fine = show_block(s, text, end, columns);
        *end = kept;
        text = end;
    }
    return fine;
}

bool shows_people(const options *o) {
    if (o->as) return strcmp(o->as, "text") == 0;
    return !o->json && !ranks_launched() && isatty(STDOUT_FILENO);
}

void show_next(options *o, const char *const *words) {
    page line;
    if (o->quiet || !isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO) || !page_open(&line)) return;
    for (; *words; words++) print_word(line.to, *words);
    if (fclose(line.to) != 0) return;
    free(o->next);
    o->next = line.text;
}

int show_table(options *o, const char *tsv) {
    page p;
    char *copy = strdup(tsv);
    if (!copy || !page_open(&p)) {
        free(copy);
        return EXIT_RUN;
    }
    screen s = screen_of(p.to);
    bool fine = show_lines(&s, copy);
    free(copy);
    if (fine) return page_write(&p, NULL, o);
    page_drop(&p);
    return EXIT_RUN;
}

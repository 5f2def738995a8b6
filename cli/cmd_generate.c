/* pare generate: the manual pages, the completion of shells and the page's list of formats, from the
 * table of options, the commands and the library's tables. Run by the build; users do not need it. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool has(const command *c, const option *t) { return !t->needs || (c->takes & t->needs); }

static bool is_hidden(const command *c) { return !c->summary; }

/* The settings of all methods, each name once: call(to, setting, first method with it). */
typedef void setting_call(FILE *to, const pare_setting_info *s, const char *method);

static bool seen_before(const char *name, int64_t method) {
    for (int64_t m = 0; m < method; m++) {
        pare_method_info info;
        pare_settings *of;
        pare_setting_info s;
        bool found = false;
        if (!pare_methods_info(&info, m) ||
            pare_settings_new(&of, info.name, NULL, NULL) != PARE_OK)
            continue;
        for (int64_t i = 0; !found && pare_settings_info(&s, of, i); i++)
            found = strcmp(s.name, name) == 0;
        pare_settings_free(of);
        if (found) return true;
    }
    return false;
}

static void each_setting(FILE *to, setting_call *call, bool once) {
    for (int64_t m = 0; m < pare_methods_count(); m++) {
        pare_method_info info;
        pare_settings *of;
        pare_setting_info s;
        if (!pare_methods_info(&info, m) ||
            pare_settings_new(&of, info.name, NULL, NULL) != PARE_OK)
            continue;
        for (int64_t i = 0; pare_settings_info(&s, of, i); i++)
            if (once ? !seen_before(s.name, m) : !s.common || m == 0) call(to, &s, info.name);
        pare_settings_free(of);
    }
}

/* With dashes, as options are written. */
static const char *dashed(const char *name, char out[64]) {
    snprintf(out, 64, "%s", name);
    for (char *p = out; *p; p++)
        if (*p == '_') *p = '-';
    return out;
}

/* The words of a choice, or "". */
static const char *words_of(const pare_setting_info *s) {
    if (strcmp(s->type, "choice") != 0) return "";
    const char *colon = strchr(s->allowed, ':');
    return colon ? colon + 2 : s->allowed;
}

/* --- manual --- */

/* Text of a page: characters with a meaning in troff are escaped. */
static void roff(FILE *to, const char *text) {
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", to);
        start = *text == '\n';
        if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-')
            fputs("\\-", to);
        else
            fputc(*text, to);
    }
}

static void roff_option(FILE *to, const option *t) {
    char doc[LISTED_DOC];
    fputs(".TP\n", to);
    if (t->letter) fprintf(to, "\\fB\\-%c\\fR, ", t->letter);
    fputs("\\fB\\-\\-", to);
    roff(to, t->name);
    fputs("\\fR", to);
    if (t->value) {
        fputs(" \\fI", to);
        roff(to, t->value);
        fputs("\\fR", to);
    }
    fputc('\n', to);
    roff(to, with_lists(t->doc, doc));
    fputc('\n', to);
}

static void roff_setting(FILE *to, const pare_setting_info *s, const char *method) {
    char name[64];
    fputs(".TP\n\\fB\\-\\-", to);
    roff(to, dashed(s->name, name));
    fputs("\\fR", to);
    if (!s->common) fprintf(to, " (%s)", method);
    fputc('\n', to);
    roff(to, s->doc);
    fputs(" [", to);
    roff(to, s->allowed);
    fputs("; default: ", to);
    roff(to, s->fallback[0] ? s->fallback : "none");
    fputs("]\n", to);
}

static void roff_end(FILE *to) {
    fputs(".SH EXIT STATUS\n0 fine; 1 the data or the run failed; 2 the command line was wrong; 3 "
          "not\n"
          "converged under \\-\\-strict; 130 and 143 interrupted by Ctrl\\-C or SIGTERM, with what "
          "was\n"
          "done so far saved.\n",
          to);
}

static void manual_of(FILE *to, const command *c) {
    char text[LISTED_DOC];
    fprintf(to, ".TH PARE-%s 1 \"\" \"pare %s\"\n.SH NAME\npare\\-%s \\- ", c->name, pare_version(),
            c->name);
    roff(to, c->summary);
    fprintf(to, "\n.SH SYNOPSIS\n\\fBpare %s\\fR ", c->name);
    roff(to, c->arguments);
    fputs(" [\\fIoptions\\fR]\n.SH DESCRIPTION\n.nf\n", to);
    roff(to, with_lists(c->help, text));
    fputs("\n.fi\n.SH OPTIONS\n", to);
    for (int i = 0; i < n_options; i++)
        if (has(c, &option_table[i])) roff_option(to, &option_table[i]);
    if (c->takes & TAKES_METHOD) {
        fputs(".SH SETTINGS\nOf every method, then of the methods; flags are negated by "
              "\\-\\-no\\-NAME.\n",
              to);
        each_setting(to, roff_setting, false);
    }
    roff_end(to);
    fputs(".SH SEE ALSO\npare(1)\n", to);
}

static void manual(FILE *to) {
    fprintf(to,
            ".TH PARE 1 \"\" \"pare %s\"\n.SH NAME\npare \\- the few features that matter in wide "
            "data, with a certificate for every convex solve\n.SH SYNOPSIS\n",
            pare_version());
    for (int i = 0; i < n_commands; i++) {
        if (is_hidden(&commands[i])) continue;
        fprintf(to, "\\fBpare %s\\fR ", commands[i].name);
        roff(to, commands[i].arguments);
        fputs("\n.br\n", to);
    }
    fputs(".SH COMMANDS\n", to);
    for (int i = 0; i < n_commands; i++) {
        if (is_hidden(&commands[i])) continue;
        fprintf(to, ".TP\n\\fBpare\\-%s\\fR(1)\n", commands[i].name);
        roff(to, commands[i].summary);
        fputc('\n', to);
    }
    fputs(".SH METHODS\n", to);
    pare_method_info m;
    for (int64_t i = 0; pare_methods_info(&m, i); i++) {
        fputs(".TP\n\\fB", to);
        roff(to, m.name);
        fputs("\\fR\n", to);
        roff(to, m.summary);
        fputc('\n', to);
    }
    roff_end(to);
}

/* --- completion --- */

static void shell_setting(FILE *to, const pare_setting_info *s, const char *method) {
    char name[64];
    (void)method;
    fprintf(to, " --%s", dashed(s->name, name));
}

static void bash_words(FILE *to, const pare_setting_info *s, const char *method) {
    char name[64];
    (void)method;
    if (*words_of(s))
        fprintf(to, "    --%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n",
                dashed(s->name, name), words_of(s));
}

static void print_methods(FILE *to) {
    pare_method_info m;
    for (int64_t i = 0; pare_methods_info(&m, i); i++) fprintf(to, "%s%s", i ? " " : "", m.name);
}

static void print_commands(FILE *to) {
    for (int i = 0; i < n_commands; i++)
        if (!is_hidden(&commands[i])) fprintf(to, "%s ", commands[i].name);
    fputs("help", to);
}

static void print_options_of(FILE *to, const command *c) {
    for (int i = 0; i < n_options; i++)
        if (has(c, &option_table[i])) fprintf(to, " --%s", option_table[i].name);
    if (c->takes & TAKES_METHOD) each_setting(to, shell_setting, true);
    fputs(" --help", to);
}

static void bash(FILE *to) {
    fputs("# bash completion of pare, made by pare generate bash\n_pare() {\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options\n"
          "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W \"",
          to);
    print_commands(to);
    fputs("\" -- \"$cur\")); return; fi\n  case $prev in\n    -m|--method|methods) "
          "COMPREPLY=($(compgen -W \"",
          to);
    print_methods(to);
    fputs("\" -- \"$cur\")); return ;;\n    help) COMPREPLY=($(compgen -W \"", to);
    print_commands(to);
    fputs("\" -- \"$cur\")); return ;;\n", to);
    each_setting(to, bash_words, true);
    fputs("  esac\n  if [[ $cur == -* ]]; then\n    case ${COMP_WORDS[1]} in\n", to);
    for (int i = 0; i < n_commands; i++) {
        if (is_hidden(&commands[i])) continue;
        fprintf(to, "      %s) options=\"", commands[i].name);
        print_options_of(to, &commands[i]);
        fputs("\" ;;\n", to);
    }
    fputs("    esac\n    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n    return\n  fi\n"
          "  COMPREPLY=($(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _pare pare\n",
          to);
}

static void zsh(FILE *to) {
    fputs("#compdef pare\n# zsh completion of pare, made by pare generate zsh\n"
          "local -a options\nif ((CURRENT == 2)); then compadd ",
          to);
    print_commands(to);
    fputs("; return; fi\ncase $words[CURRENT-1] in\n  -m|--method|methods) compadd ", to);
    print_methods(to);
    fputs("; return ;;\nesac\ncase $words[2] in\n", to);
    for (int i = 0; i < n_commands; i++) {
        if (is_hidden(&commands[i])) continue;
        fprintf(to, "  %s) options=(", commands[i].name);
        print_options_of(to, &commands[i]);
        fputs(") ;;\n", to);
    }
    fputs("esac\nif [[ $words[CURRENT] == -* ]]; then compadd -- $options; else _files; fi\n", to);
}

/* Within single quotes of fish. */
static void fish_text(FILE *to, const char *text) {
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', to);
        fputc(*text, to);
    }
}

static void fish_setting(FILE *to, const pare_setting_info *s, const char *method) {
    char name[64];
    bool flag = strcmp(s->type, "flag") == 0;
    (void)method;
    fprintf(to, "complete -c pare -n '__fish_seen_subcommand_from fit path' -l %s%s -d '",
            dashed(s->name, name), flag ? "" : " -x");
    fish_text(to, s->doc);
    fputc('\'', to);
    if (*words_of(s)) fprintf(to, " -a '%s'", words_of(s));
    fputc('\n', to);
}

static void fish(FILE *to) {
    fputs("# fish completion of pare, made by pare generate fish\n", to);
    for (int i = 0; i < n_commands; i++) {
        const command *c = &commands[i];
        if (is_hidden(c)) continue;
        fprintf(to, "complete -c pare -n __fish_use_subcommand -f -a %s -d '", c->name);
        fish_text(to, c->summary);
        fputs("'\n", to);
        for (int k = 0; k < n_options; k++) {
            char doc[LISTED_DOC];
            const option *t = &option_table[k];
            if (!has(c, t)) continue;
            fprintf(to, "complete -c pare -n '__fish_seen_subcommand_from %s' -l %s", c->name,
                    t->name);
            if (t->letter) fprintf(to, " -s %c", t->letter);
            if (t->value) fputs(" -r", to);
            if (strcmp(t->name, "method") == 0) {
                fputs(" -a '", to);
                print_methods(to);
                fputc('\'', to);
            }
            fputs(" -d '", to);
            fish_text(to, with_lists(t->doc, doc));
            fputs("'\n", to);
        }
    }
    each_setting(to, fish_setting, true);
}

static const char *word(bool flag) { return flag ? "true" : "false"; }

/* What the library reads and writes, as JSON, for the page. */
static void formats(FILE *to) {
    pare_format f;
    for (int64_t i = 0; pare_format_info(&f, i); i++) {
        fprintf(to, "%s{\"name\": \"%s\", \"extensions\": \"%s\", ", i ? ",\n " : "[", f.name,
                f.extensions);
        fprintf(to, "\"reads\": %s, \"holds_target\": %s, \"lines\": %s, ", word(f.reads),
                word(f.holds_target), word(f.lines));
        fprintf(to, "\"alone\": %s, \"part\": \"%s\"}", word(f.alone), f.part);
    }
    fputs("]\n", to);
}

int run_generate(options *o) {
    const char *what = o->argument[0], *of = o->n_arguments > 1 ? o->argument[1] : NULL;
    if (strcmp(what, "bash") == 0) return bash(stdout), EXIT_FINE;
    if (strcmp(what, "zsh") == 0) return zsh(stdout), EXIT_FINE;
    if (strcmp(what, "fish") == 0) return fish(stdout), EXIT_FINE;
    if (strcmp(what, "formats") == 0) return formats(stdout), EXIT_FINE;
    if (strcmp(what, "man") == 0 && !of) return manual(stdout), EXIT_FINE;
    for (int i = 0; strcmp(what, "man") == 0 && i < n_commands; i++)
        if (strcmp(commands[i].name, of) == 0 && !is_hidden(&commands[i]))
            return manual_of(stdout, &commands[i]), EXIT_FINE;
    return say_usage("pare generate makes man [COMMAND], bash, zsh, fish or formats, not \"%.64s\"",
                     of ? of : what);
}

/* pare help: a command and the options that it has. */
#include "cli.h"

static void print_options(FILE *to, int takes, int group, const char *title) {
    if (title) fprintf(to, "\n%s\n", title);
    for (int i = 0; i < n_options; i++) {
        const option *t = &option_table[i];
        if (t->needs != group || (group && !(takes & group))) continue;
        char left[64], letter[8] = "", doc[LISTED_DOC];
        if (t->letter) snprintf(letter, sizeof letter, "-%c, ", t->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, t->name, t->value ? " " : "",
                 t->value ? t->value : "");
        fprintf(to, "  %-24s %s\n", left, with_lists(t->doc, doc));
    }
}

void help_print(FILE *to, const command *c) {
    char text[LISTED_DOC];
    if (!c) {
        fprintf(to,
                "pare %s: the few features that matter in wide data, with a certificate for every "
                "convex solve (none for filters and greedy selection)\n\nUsage:\n",
                pare_version());
        for (int i = 0; i < n_commands; i++) {
            char left[64];
            if (!commands[i].summary) continue;
            snprintf(left, sizeof left, "%s %s", commands[i].name, commands[i].arguments);
            fprintf(to, "  pare %-26s %s\n", left, commands[i].summary);
        }
        fprintf(to, "\npare help COMMAND shows a command's options, pare methods METHOD a method's "
                    "settings.\n");
        return;
    }
    fprintf(to, "Usage: pare %s %s [options]\n\n%s\n", c->name, c->arguments,
            with_lists(c->help, text));
    if (c->takes & TAKES_METHOD) {
        print_options(to, c->takes, TAKES_METHOD, "Method:");
        if (c->takes & TAKES_RANKING) print_options(to, c->takes, TAKES_RANKING, NULL);
        if (!(c->takes & TAKES_PATH))
            fprintf(to, "  %-24s %s\n  %-24s %s\n", "-k K", "number of features to select",
                    "--budget B", "or what their --cost may sum to");
        fprintf(to, "  %-24s %s\n", "--SETTING VALUE",
                "any setting that pare methods METHOD lists, such as --C 10;");
        fprintf(to, "  %-24s %s\n", "", "flags as --intercept or --no-intercept");
    }
    if (c->takes & TAKES_PATH) print_options(to, c->takes, TAKES_PATH, "Path:");
    if (c->takes & TAKES_OUTPUT) print_options(to, c->takes, TAKES_OUTPUT, "Output:");
    if (c->takes & TAKES_RESULT) print_options(to, c->takes, TAKES_RESULT, NULL);
    if (c->takes & TAKES_PREDICT) print_options(to, c->takes, TAKES_PREDICT, NULL);
    if (c->takes & TAKES_VALIDATE) print_options(to, c->takes, TAKES_VALIDATE, "Validation:");
    if (c->takes & TAKES_SAMPLE_SIZE) print_options(to, c->takes, TAKES_SAMPLE_SIZE, "Samples:");
    if (c->takes & TAKES_CONVERT) print_options(to, c->takes, TAKES_CONVERT, "Output:");
    if (c->takes & TAKES_JSON) print_options(to, c->takes, TAKES_JSON, "Form:");
    if (c->takes & TAKES_INFO) print_options(to, c->takes, TAKES_INFO, NULL);
    if (c->takes & TAKES_DATA) {
        print_options(to, c->takes, TAKES_DATA,
                      "Data (\"-\" is standard input, .gz is transparent):");
        if (c->takes & TAKES_CONVERT)
            fprintf(to, "  %-24s %s\n", "--missing HOW",
                    "keep them (default), refuse them or drop their samples");
        if (c->takes & (TAKES_PREDICT | TAKES_VALIDATE))
            fprintf(to, "  %-24s %s\n", "--missing HOW",
                    "drop samples with missing values, or refuse them; default: as the model says");
    }
    if (c->takes & TAKES_OFFSET) print_options(to, c->takes, TAKES_OFFSET, NULL);
    if (c->takes & TAKES_GROUPS) print_options(to, c->takes, TAKES_GROUPS, NULL);
    if (c->takes & TAKES_FOLD_GROUPS) print_options(to, c->takes, TAKES_FOLD_GROUPS, NULL);
    if (c->takes & TAKES_FEATURES) print_options(to, c->takes, TAKES_FEATURES, "Features:");
    if (c->takes & TAKES_TERMS) print_options(to, c->takes, TAKES_TERMS, NULL);
    if (c->takes & TAKES_BATCH) print_options(to, c->takes, TAKES_BATCH, "Batches:");
    if (c->takes & TAKES_BATCH_METHOD) print_options(to, c->takes, TAKES_BATCH_METHOD, NULL);
    if (c->takes & TAKES_BATCH_UNSEEN) print_options(to, c->takes, TAKES_BATCH_UNSEEN, NULL);
    if (c->takes & TAKES_RUN) print_options(to, c->takes, TAKES_RUN, "Run:");
    static const int of_runs[] = {TAKES_SEED, TAKES_LIMIT, TAKES_TIMING, TAKES_STRICT,
                                  TAKES_DEVICE};
    for (size_t i = 0; i < sizeof of_runs / sizeof of_runs[0]; i++)
        print_options(to, c->takes, of_runs[i], NULL);
    print_options(to, c->takes, 0, "Always:");
}

/* From argv to options. The methods' settings come from the library's table, so that a new setting
 * needs no line here. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef enum kind { K_TEXT, K_FLAG, K_COUNT, K_SECONDS, K_SIZE, K_SEED, K_SHARE } kind;

typedef struct option {
    const char *name; /* without dashes */
    char letter;      /* or 0 */
    int needs;        /* the TAKES_ bit; 0: every command */
    kind kind;
    size_t offset;
    int64_t lo, hi;
    const char *value, *doc;
} option;

#define OPT(field) offsetof(options, field)
static const option table[] = {
    {"method", 'm', TAKES_METHOD, K_TEXT, OPT(method), 0, 0, "METHOD",
     "what to fit; see pare methods (auto: docs/choosing.md)"},
    {"output", 'o', TAKES_OUTPUT, K_TEXT, OPT(output), 0, 0, "FILE", "write the result here"},
    {"ranking", 0, TAKES_RANKING, K_TEXT, OPT(ranking), 0, 0, "FILE",
     "write the ranking of all features here"},
    {"lambda-path", 0, TAKES_RANKING, K_TEXT, OPT(lambda_path), 0, 0, "FILE",
     "follow the path over lambda, where the method has one, and write it here"},
    {"lambda-coef", 0, TAKES_RANKING, K_TEXT, OPT(lambda_coef), 0, 0, "FILE",
     "follow the same path and write its coefficients that are not zero here"},
    {"weights-out", 0, TAKES_METHOD, K_TEXT, OPT(weights_out), 0, 0, "FILE",
     "write the weights of the features here; kta, kta-centered, uniform, and paths of "
     "kta and l1-svm-path have them"},
    {"labels-out", 0, TAKES_CONVERT, K_TEXT, OPT(labels_out), 0, 0, "FILE",
     "write the target of .npy and .mtx output here"},
    {"json", 0, TAKES_JSON, K_FLAG, OPT(json), 0, 0, NULL, "print one JSON object instead of text"},

    {"score", 0, TAKES_PREDICT, K_FLAG, OPT(score), 0, 0, NULL,
     "print how good the predictions are instead; the target as for pare fit"},
    {"probability", 0, TAKES_PREDICT, K_FLAG, OPT(probability), 0, 0, NULL,
     "print probabilities of the classes instead of scores; the model must have been fitted with "
     "--probability, or be logistic or lda"},

    {"folds", 0, TAKES_PATH, K_COUNT, OPT(path.folds), 2, INT64_MAX, "K",
     "stratified folds, default 10"},
    {"repeats", 0, TAKES_PATH, K_COUNT, OPT(path.repeats), 1, INT64_MAX, "R",
     "of the folds, default 1"},
    {"splits", 0, TAKES_PATH, K_COUNT, OPT(path.splits), 1, INT64_MAX, "N",
     "hold-out splits instead of folds"},
    {"train", 0, TAKES_PATH, K_SHARE, OPT(path.train), 0, 0, "N|SHARE",
     "training samples of a split, or their share; default 0.8"},
    {"fold-groups", 0, TAKES_PATH, K_TEXT, OPT(read.fold_groups), 0, 0, "COL|FILE",
     "samples of equal value there are never parted; forms as for --weights"},
    {"fold-file", 0, TAKES_PATH, K_TEXT, OPT(read.fold_file), 0, 0, "COL|FILE",
     "given folds, a name for each sample; forms as for --weights"},
    {"sizes", 0, TAKES_PATH, K_TEXT, OPT(path.sizes), 0, 0, "LIST",
     "numbers of features, e.g. 1,5,20; default auto: 1,2,5,10,... to d"},
    {"metric", 0, TAKES_PATH, K_TEXT, OPT(path.metric), 0, 0, "NAME",
     "what chooses: accuracy balanced_accuracy auc f1 mcc log_loss brier; ranking: auc "
     "average_precision top_rate "
     "top_count precision_at_k; regression: mean_absolute_error mean_squared_error r2 "
     "root_mean_squared_error"},
    {"choice", 0, TAKES_PATH, K_TEXT, OPT(path.choice), 0, 0, "RULE",
     "of the size: best, 1se (default), tolerance"},
    {"tolerance", 0, TAKES_PATH, K_SHARE, OPT(path.tolerance), 0, 0, "SHARE",
     "of the best mean that --choice tolerance may lose; default 0.02"},
    {"inner", 0, TAKES_PATH, K_COUNT, OPT(path.inner), 0, INT64_MAX, "K",
     "folds inside each training part, default 3; 0: no nested estimate"},
    {"tune", 0, TAKES_PATH, K_FLAG, OPT(path.tune), 0, 0, NULL,
     "choose each method's main setting inside each training part"},
    {"grid", 0, TAKES_PATH, K_TEXT, OPT(path.grid), 0, 0, "GRID",
     "what --tune tries: \"name value ..., name value ...\", every combination"},
    {"null", 0, TAKES_PATH, K_COUNT, OPT(path.null_runs), 0, INT64_MAX, "N",
     "repeat everything N times with permuted labels: p-values"},
    {"substitutes", 0, TAKES_PATH, K_COUNT, OPT(path.substitutes), 0, INT64_MAX, "N",
     "candidates tried for each chosen feature, default 5"},
    {"checkpoint", 0, TAKES_PATH, K_TEXT, OPT(path.checkpoint), 0, 0, "FILE",
     "keep finished folds here and go on from them"},
    {"shard", 0, TAKES_PATH, K_TEXT, OPT(shard), 0, 0, "I/N",
     "do the I-th of N parts of the work only, into --checkpoint; pare merge ends it"},
    {"predictions", 0, TAKES_RESULT, K_TEXT, OPT(predictions), 0, 0, "FILE",
     "write what was predicted for every test sample here"},
    {"report", 0, TAKES_RESULT, K_TEXT, OPT(report), 0, 0, "FILE",
     "write the whole result as one HTML page"},

    {"format", 0, TAKES_DATA, K_TEXT, OPT(read.format), 0, 0, "NAME",
     "csv tsv svmlight mat npy npz mtx arff; default: by extension"},
    {"target", 0, TAKES_DATA, K_TEXT, OPT(read.target), 0, 0, "NAME",
     "target column; default: class, target, label, y, or the last"},
    {"id", 0, TAKES_DATA, K_TEXT, OPT(read.id), 0, 0, "COL", "column of sample ids"},
    {"drop", 0, TAKES_DATA, K_TEXT, OPT(read.drop), 0, 0, "COLS",
     "comma-separated columns to leave out"},
    {"labels", 0, TAKES_DATA, K_TEXT, OPT(read.labels), 0, 0, "FILE",
     "target from a file: one per line, .npy, or a table: then --target and --id name "
     "its columns"},
    {"weights", 0, TAKES_DATA, K_TEXT, OPT(read.weights), 0, 0, "COL|FILE",
     "sample weights: a column, one value a line, .npy, or TABLE:COLUMN, joined by --id"},
    {"offset", 0, TAKES_DATA, K_TEXT, OPT(read.offset), 0, 0, "COL|FILE",
     "numbers added to the samples' decision values, in the forms of --weights"},
    {"names", 0, TAKES_DATA, K_TEXT, OPT(read.names), 0, 0, "FILE",
     "feature names, one per line, for formats without names"},
    {"groups", 0, TAKES_DATA, K_TEXT, OPT(read.groups), 0, 0, "FILE",
     "feature groups: on each line a feature, a tab or comma, and its group"},
    {"features-in-rows", 0, TAKES_DATA, K_FLAG, OPT(read.features_in_rows), 0, 0, NULL,
     "csv, tsv: rows are features"},
    {"no-header", 0, TAKES_DATA, K_FLAG, OPT(read.no_header), 0, 0, NULL,
     "csv, tsv: the first line is a sample; columns are x1, x2, ..."},
    {"header", 0, TAKES_DATA, K_FLAG, OPT(read.header), 0, 0, NULL,
     "csv, tsv: the first line is names, even if they are numbers"},
    {"categorical", 0, TAKES_DATA, K_FLAG, OPT(read.categorical), 0, 0, NULL,
     "csv, tsv: columns of text become features COLUMN=VALUE, each column one group"},
    {"storage", 0, TAKES_DATA, K_TEXT, OPT(read.storage), 0, 0, "auto|dense|sparse",
     "of the numbers; auto: as the format has it, but sparse where at most 5% are not 0"},
    {"index-base", 0, TAKES_DATA, K_COUNT, OPT(read.index_base), 0, 1, "0|1",
     "svmlight: number of the first feature, default 1"},
    {"n-features", 0, TAKES_DATA, K_COUNT, OPT(read.n_features), 1, INT64_MAX, "D",
     "svmlight: number of features where the last may be empty"},

    {"threads", 0, TAKES_RUN, K_COUNT, OPT(ctx.threads), 1, 1024, "N",
     "default: all; never changes a result"},
    {"seed", 0, TAKES_RUN, K_SEED, OPT(ctx.seed), 0, INT64_MAX, "N", "of random draws, default 1"},
    {"memory", 0, TAKES_RUN, K_SIZE, OPT(ctx.memory_bytes), 1, INT64_MAX, "SIZE",
     "refuse work that needs more, e.g. 500M or 8G; default: what there is"},
    {"time-limit", 0, TAKES_RUN, K_SECONDS, OPT(ctx.time_limit_s), 0, 0, "S",
     "stop after so many seconds with the best so far"},
    {"timing", 0, TAKES_RUN, K_FLAG, OPT(ctx.timing), 0, 0, NULL,
     "put the seconds of the fit into the output"},
    {"strict", 0, TAKES_RUN, K_FLAG, OPT(strict), 0, 0, NULL,
     "fail with exit code 3 where a solve did not converge"},
    {"quiet", 0, 0, K_FLAG, OPT(quiet), 0, 0, NULL, "nothing on stderr but errors"},
    {"verbose", 0, 0, K_FLAG, OPT(verbose), 0, 0, NULL, "more on stderr"},
};
enum { N_OPTIONS = sizeof table / sizeof table[0] };

static void print_options(FILE *to, int takes, int group, const char *title) {
    if (title) fprintf(to, "\n%s\n", title);
    for (int i = 0; i < N_OPTIONS; i++) {
        const option *t = &table[i];
        if (t->needs != group || (group && !(takes & group))) continue;
        char left[64], letter[8] = "";
        if (t->letter) snprintf(letter, sizeof letter, "-%c, ", t->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, t->name, t->value ? " " : "",
                 t->value ? t->value : "");
        fprintf(to, "  %-24s %s\n", left, t->doc);
    }
}

void help_print(FILE *to, const command *c) {
    if (!c) {
        fprintf(
            to,
            "pare %s: the few features that matter in wide data, with a certificate\n\nUsage:\n",
            pare_version());
        for (int i = 0; i < n_commands; i++) {
            char left[64];
            snprintf(left, sizeof left, "%s %s", commands[i].name, commands[i].arguments);
            fprintf(to, "  pare %-26s %s\n", left, commands[i].summary);
        }
        fprintf(to, "\npare help COMMAND shows a command's options, pare methods METHOD a method's "
                    "settings.\n");
        return;
    }
    fprintf(to, "Usage: pare %s %s [options]\n\n%s\n", c->name, c->arguments, c->help);
    if (c->takes & TAKES_METHOD) {
        print_options(to, c->takes, TAKES_METHOD, "Method:");
        if (c->takes & TAKES_RANKING) print_options(to, c->takes, TAKES_RANKING, NULL);
        if (!(c->takes & TAKES_PATH))
            fprintf(to, "  %-24s %s\n", "-k K", "number of features to select");
        fprintf(to, "  %-24s %s\n", "--SETTING VALUE",
                "any setting that pare methods METHOD lists, such as --C 10;");
        fprintf(to, "  %-24s %s\n", "", "flags as --intercept or --no-intercept");
    }
    if (c->takes & TAKES_PATH) print_options(to, c->takes, TAKES_PATH, "Path:");
    if (c->takes & TAKES_OUTPUT) print_options(to, c->takes, TAKES_OUTPUT, "Output:");
    if (c->takes & TAKES_RESULT) print_options(to, c->takes, TAKES_RESULT, NULL);
    if (c->takes & TAKES_PREDICT) print_options(to, c->takes, TAKES_PREDICT, NULL);
    if (c->takes & TAKES_CONVERT) print_options(to, c->takes, TAKES_CONVERT, "Output:");
    if (c->takes & TAKES_JSON) print_options(to, c->takes, TAKES_JSON, "Form:");
    if (c->takes & TAKES_DATA) {
        print_options(to, c->takes, TAKES_DATA,
                      "Data (\"-\" is standard input, .gz is transparent):");
        if (c->takes & TAKES_CONVERT)
            fprintf(to, "  %-24s %s\n", "--missing HOW",
                    "keep them (default), refuse them or drop their samples");
    }
    if (c->takes & TAKES_RUN) print_options(to, c->takes, TAKES_RUN, "Run:");
    print_options(to, c->takes, 0, "Always:");
}

static bool parse_count(const char *text, int64_t lo, int64_t hi, int64_t *out) {
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    *out = v;
    return end != text && !*end && !errno && v >= lo && v <= hi;
}

static bool parse_size(const char *text, int64_t *out) {
    char *end;
    double v = strtod(text, &end);
    double unit = 1;
    switch (*end) {
    case 'k':
    case 'K': unit = 1e3; break;
    case 'm':
    case 'M': unit = 1e6; break;
    case 'g':
    case 'G': unit = 1e9; break;
    case 't':
    case 'T': unit = 1e12; break;
    default: break;
    }
    if (unit > 1) end++;
    if (end == text || *end || !(v > 0) || !(v * unit >= 1 && v * unit < 9e18)) return false;
    *out = (int64_t)(v * unit);
    return true;
}

static int set_option(options *o, const option *t, const char *value) {
    void *to = (char *)o + t->offset;
    int64_t count;
    char *end;
    if (t->kind == K_TEXT && !*value && strcmp(t->value, "FILE") == 0)
        return say_usage("--%s: \"\" is not allowed; expected the name of a file", t->name);
    switch (t->kind) {
    case K_FLAG:
        if (t->offset == OPT(ctx.timing))
            o->ctx.timing = 1;
        else
            *(bool *)to = true;
        return EXIT_FINE;
    case K_TEXT: *(const char **)to = value; return EXIT_FINE;
    case K_COUNT:
        if (!parse_count(value, t->lo, t->hi, &count)) break;
        if (t->offset == OPT(ctx.threads))
            o->ctx.threads = (int)count;
        else
            *(int64_t *)to = count;
        return EXIT_FINE;
    case K_SEED:
        if (!parse_count(value, t->lo, t->hi, &count)) break;
        o->ctx.seed = (uint64_t)count;
        return EXIT_FINE;
    case K_SIZE:
        if (!parse_size(value, (int64_t *)to))
            return say_usage(
                "--%s: \"%.64s\" is not a size; expected a number above 0 with K, M, G or T",
                t->name, value);
        return EXIT_FINE;
    case K_SHARE: {
        double share = strtod(value, &end);
        if (end == value || *end || !(share > 0) || !isfinite(share))
            return say_usage("--%s: \"%.64s\" is not allowed; expected a number > 0", t->name,
                             value);
        *(double *)to = share;
        return EXIT_FINE;
    }
    case K_SECONDS: {
        double seconds = strtod(value, &end);
        if (end == value || *end || !(seconds > 0) || !isfinite(seconds))
            return say_usage("--%s: \"%.64s\" is not allowed; expected a number of seconds > 0",
                             t->name, value);
        *(double *)to = seconds;
        return EXIT_FINE;
    }
    }
    if (t->hi == INT64_MAX)
        return say_usage("--%s: \"%.64s\" is not allowed; expected a whole number >= %lld", t->name,
                         value, (long long)t->lo);
    return say_usage("--%s: \"%.64s\" is not allowed; expected a whole number from %lld to %lld",
                     t->name, value, (long long)t->lo, (long long)t->hi);
}

static const option *find_option(const char *name, char letter, int takes) {
    for (int i = 0; i < N_OPTIONS; i++) {
        const option *t = &table[i];
        if (t->needs && !(takes & t->needs)) continue;
        if (letter ? t->letter == letter : strcmp(t->name, name) == 0) return t;
    }
    return NULL;
}

/* Is this a setting of one method, and a flag? */
static bool has_setting(const pare_settings *s, const char *name, bool *is_flag) {
    for (int64_t i = 0; i < pare_settings_count(s); i++) {
        pare_setting_info info;
        if (!pare_settings_info(&info, s, i)) break;
        size_t at = 0;
        while (info.name[at] &&
               (info.name[at] == name[at] || (info.name[at] == '_' && name[at] == '-')))
            at++;
        if (info.name[at] || name[at]) continue;
        *is_flag = strcmp(info.type, "flag") == 0;
        return true;
    }
    return false;
}

/* Does any of the methods have it? A path has sizes instead of a k. */
static bool find_setting(const options *o, const char *name, bool *is_flag) {
    if ((o->command->takes & TAKES_PATH) && strcmp(name, "k") == 0) return false;
    for (int64_t m = 0; m < o->n_methods; m++)
        if (has_setting(o->settings[m], name, is_flag)) return true;
    return false;
}

/* For every method that has it. */
static int set_setting(options *o, const char *name, const char *value) {
    pare_error err;
    bool is_flag;
    for (int64_t m = 0; m < o->n_methods; m++) {
        if (!has_setting(o->settings[m], name, &is_flag) ||
            pare_settings_set(o->settings[m], name, value, &err) == PARE_OK)
            continue;
        for (char *c = err.message; *c && *c != ':'; c++) /* as options are written */
            if (*c == '_') *c = '-';
        return say_usage("--%s", err.message);
    }
    return EXIT_FINE;
}

/* What a word that is no option may have been meant as: an option or a setting. */
static void option_hint(const options *o, const char *text, char hint[96]) {
    char word[64] = "";
    const char *start = text + strspn(text, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    nearest best = {.word = word};
    for (int i = 0; i < N_OPTIONS; i++)
        if (!table[i].needs || (table[i].needs & o->command->takes))
            nearest_try(&best, table[i].name);
    for (int64_t m = 0; m < o->n_methods; m++) {
        pare_setting_info info;
        for (int64_t i = 0; pare_settings_info(&info, o->settings[m], i); i++)
            nearest_try(&best, info.name);
    }
    nearest_hint(&best, "--", hint);
}

/* The remedy for an option that is not known here. */
static int unknown_option(const options *o, const char *text) {
    char hint[96];
    pare_error err;
    char word[64] = "";
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    for (int64_t m = 0; m < o->n_methods; m++) /* a name that it had once */
        if (strncmp(word, "--", 2) == 0 &&
            pare_settings_set(o->settings[m], word + 2, "", &err) != PARE_OK &&
            strstr(err.message, " now `"))
            return say_usage("%s", err.message);
    option_hint(o, text, hint);
    if (o->n_methods > 0)
        return say_usage(
            "%.64s is no option of pare %s and no setting of %.200s%s; see pare help %s "
            "and pare methods METHOD",
            text, o->command->name, o->method, hint, o->command->name);
    return say_usage("%.64s is no option of pare %s%s; see pare help %s", text, o->command->name,
                     hint, o->command->name);
}

static void method_hint(const char *name, char hint[96]) {
    nearest best = {.word = name};
    pare_method_info info;
    for (int64_t i = 0; pare_methods_info(&info, i); i++) nearest_try(&best, info.name);
    nearest_hint(&best, "", hint);
}

/* What --missing means for reading; as a setting of a method it has its own check. */
static int set_missing(options *o, const char *value, bool setting) {
    o->refuse_missing = strcmp(value, "refuse") == 0;
    o->drop_missing = strcmp(value, "drop") == 0;
    o->read.allow_missing = !o->refuse_missing;
    if (setting || o->refuse_missing || o->drop_missing || strcmp(value, "keep") == 0)
        return EXIT_FINE;
    return say_usage("--missing: \"%.64s\" is not allowed; expected one of: keep refuse drop",
                     value);
}

/* One option at argv[*i]; may use up the next word as its value. */
static int parse_one(options *o, int argc, char **argv, int *i) {
    char name[64] = "", *word = argv[*i];
    const char *value = NULL;
    bool is_long = word[1] == '-', flag = false, setting = false, negated = false;
    const option *t = NULL;
    const char *shown = word;
    if (is_long) {
        char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word - 2) : strlen(word + 2);
        if (length == 0 || length >= sizeof name) return unknown_option(o, word);
        memcpy(name, word + 2, length);
        if (equals) value = equals + 1;
        t = find_option(name, 0, o->command->takes);
    } else {
        strcpy(name, "k");
        if (word[1] != 'k') t = find_option("", word[1], o->command->takes);
        if (word[1] != 'k' && !t) return unknown_option(o, word);
        if (word[2]) value = word + 2;
    }
    bool missing = is_long && strcmp(name, "missing") == 0 &&
                   (o->command->takes & (TAKES_METHOD | TAKES_CONVERT));
    if (!t) {
        setting = find_setting(o, name, &flag);
        if (!setting && strncmp(name, "no-", 3) == 0 && find_setting(o, name + 3, &flag) && flag)
            setting = negated = true;
        if (!setting && !missing) return unknown_option(o, shown);
    } else {
        flag = t->kind == K_FLAG;
    }
    if (negated && value) return say_usage("--%s takes no value", name);
    if (flag && setting)
        return set_setting(o, negated ? name + 3 : name,
                           value     ? value
                           : negated ? "false"
                                     : "true");
    if (flag && value) return say_usage("--%s takes no value", name);
    if (!flag && !value) {
        if (*i + 1 >= argc) return say_usage("%s needs a value", shown);
        value = argv[++*i];
    }
    if (missing && value) {
        int code = set_missing(o, value, setting);
        if (code != EXIT_FINE || !setting) return code;
    }
    return setting ? set_setting(o, name, value) : set_option(o, t, value);
}

/* -m first, wherever it stands: what else is an option depends on it. */
static int find_method(options *o, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const char *w = argv[i];
        bool apart = strcmp(w, "-m") == 0 || strcmp(w, "--method") == 0;
        if (apart && i + 1 == argc) return say_usage("%s needs a value", w);
        if (apart)
            o->method = argv[i + 1];
        else if (strncmp(w, "--method=", 9) == 0)
            o->method = w + 9;
        else if (strncmp(w, "-m", 2) == 0 && (i == 0 || argv[i - 1][0] != '-'))
            o->method = w + 2; /* behind an option it is that option's value */
    }
    if (!o->method) o->method = "auto";
    bool list = o->command->takes & TAKES_PATH;
    for (const char *at = o->method;; at++) {
        char name[64] = "", hint[96];
        size_t length = list ? strcspn(at, ",") : strlen(at);
        pare_error err;
        if (o->n_methods == MAX_METHODS)
            return say_usage("-m: at most %d methods can be compared", MAX_METHODS);
        if (length >= sizeof name) return say_usage("-m: there is no method \"%.64s\"", at);
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (pare_settings_new(&o->settings[o->n_methods], name, &o->ctx, &err) != PARE_OK)
            return method_hint(name, hint),
                   say_usage("-m: %s%s; see pare methods", err.message, hint);
        o->n_methods++;
        at += length;
        if (!*at) return EXIT_FINE;
    }
}

int options_parse(options *o, const command *c, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    o->command = c;
    pare_ctx_init(&o->ctx);
    pare_read_options_init(&o->read);
    /* A mistyped feature index must not ask for more than the machine has. */
    o->ctx.memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    pare_path_options_init(&o->path);
    o->argc = argc;
    o->argv = argv;
    o->argument = calloc((size_t)argc + 2, sizeof *o->argument);
    if (!o->argument) {
        fputs("pare: not enough memory\n", stderr);
        return EXIT_RUN;
    }
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            help_print(stdout, c);
            return -1;
        }
    int code = c->takes & TAKES_METHOD ? find_method(o, argc, argv) : EXIT_FINE;
    bool only_arguments = false;
    for (int i = 0; i < argc && code == EXIT_FINE; i++) {
        const char *w = argv[i];
        if (!only_arguments && strcmp(w, "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && w[0] == '-' && w[1]) {
            code = parse_one(o, argc, argv, &i);
        } else if (o->n_arguments == c->max_arguments) {
            code = say_usage("pare %s takes %s; \"%.64s\" is one too many", c->name,
                             c->max_arguments ? c->arguments : "no arguments", w);
        } else {
            o->argument[o->n_arguments++] = w;
        }
    }
    if (code != EXIT_FINE) return code;
    if (o->n_arguments < c->min_arguments)
        return say_usage("pare %s needs %s; see pare help %s", c->name, c->arguments, c->name);
    output_hooks(o);
    return EXIT_FINE;
}

void options_free(options *o) {
    free(o->argument);
    for (int64_t m = 0; m < o->n_methods; m++) pare_settings_free(o->settings[m]);
}

/* From argv to options. The methods' settings come from the library's table, so that a new setting
 * needs no line here. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define OPT(field) offsetof(options, field)

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
    case K_DEVICE:
        if (strcmp(value, "cpu") != 0 && strcmp(value, "cuda") != 0)
            return say_usage("--%s: \"%.64s\" is not allowed; expected one of: cpu cuda", t->name,
                             value);
        o->ctx.device = strcmp(value, "cuda") == 0 ? PARE_DEVICE_CUDA : PARE_DEVICE_CPU;
        return EXIT_FINE;
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
    for (int i = 0; i < n_options; i++) {
        const option *t = &option_table[i];
        if (t->needs && !(takes & t->needs)) continue;
        if (letter ? t->letter == letter : strcmp(t->name, name) == 0) return t;
    }
    return NULL;
}

/* Whether this is a setting of one method, and a flag. */
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

/* Whether any of the methods has it. A path has sizes instead of a k. */
static bool find_setting(const options *o, const char *name, bool *is_flag) {
    bool amount = strcmp(name, "k") == 0 || strcmp(name, "budget") == 0;
    if ((o->command->takes & TAKES_PATH) && amount) return false;
    for (int64_t m = 0; m < o->n_methods; m++)
        if (has_setting(o->settings[m], name, is_flag)) return true;
    return false;
}

/* Sets it for every method that has it. */
static int set_setting(options *o, const char *name, const char *value) {
    pare_error err;
    bool is_flag;
    for (int64_t m = 0; m < o->n_methods; m++) {
        if (!has_setting(o->settings[m], name, &is_flag) ||
            pare_settings_set(o->settings[m], name, value, &err) == PARE_OK)
            continue;
        return say_usage("%s", err.message);
    }
    return EXIT_FINE;
}

/* Suggests an option or a setting for an unknown word. */
static void option_hint(const options *o, const char *text, char hint[96]) {
    char word[64] = "";
    const char *start = text + strspn(text, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(start, "="), start);
    nearest best = {.word = word};
    for (int i = 0; i < n_options; i++)
        if (!option_table[i].needs || (option_table[i].needs & o->command->takes))
            nearest_try(&best, option_table[i].name);
    for (int64_t m = 0; m < o->n_methods; m++) {
        pare_setting_info info;
        for (int64_t i = 0; pare_settings_info(&info, o->settings[m], i); i++)
            nearest_try(&best, info.name);
    }
    nearest_hint(&best, "--", hint);
}

/* The hint for an option that is unknown here. */
static int unknown_option(const options *o, const char *text) {
    char hint[96];
    pare_error err;
    char word[64] = "";
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    const char *name = strncmp(word, "--", 2) == 0 ? word + 2 : "";
    bool is_flag;
    for (int64_t m = 0; m < o->n_methods; m++) /* a previous name of a setting */
        if (!has_setting(o->settings[m], name, &is_flag) &&
            pare_settings_set(o->settings[m], name, "", &err) != PARE_OK && err.setting[0])
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

/* The effect of --missing on reading; as a setting of a method it has its own check. */
static int set_missing(options *o, const char *value, bool setting) {
    bool predicts = o->command->takes & (TAKES_PREDICT | TAKES_VALIDATE);
    if (predicts && strcmp(value, "refuse") != 0 && strcmp(value, "drop") != 0)
        return say_usage(
            "--missing: \"%.64s\" is not allowed here; expected refuse or drop: a model "
            "that was fitted with --missing mean or median fills in by itself",
            value);
    o->refuse_missing = strcmp(value, "refuse") == 0;
    o->drop_missing = strcmp(value, "drop") == 0;
    o->read.allow_missing = !o->refuse_missing;
    if (setting || o->refuse_missing || o->drop_missing || strcmp(value, "keep") == 0)
        return EXIT_FINE;
    return say_usage("--missing: \"%.64s\" is not allowed; expected one of: keep refuse drop",
                     value);
}

/* Parses one option at argv[*i]; may use the next word as its value. */
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
    bool missing =
        is_long && strcmp(name, "missing") == 0 &&
        (o->command->takes & (TAKES_METHOD | TAKES_CONVERT | TAKES_PREDICT | TAKES_VALIDATE));
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

/* Parses -m first, wherever it stands: the other options depend on it. */
static int find_method(options *o, int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const char *w = argv[i];
        bool separate = strcmp(w, "-m") == 0 || strcmp(w, "--method") == 0;
        if (separate && i + 1 == argc) return say_usage("%s needs a value", w);
        if (separate)
            o->method = argv[i + 1];
        else if (strncmp(w, "--method=", 9) == 0)
            o->method = w + 9;
        else if (strncmp(w, "-m", 2) == 0 && (i == 0 || argv[i - 1][0] != '-'))
            o->method = w + 2; /* after an option it is that option's value */
    }
    if (!o->method) o->method = "auto";
    bool list = o->command->takes & TAKES_PATH;
    for (const char *at = o->method;; at++) {
        char name[64] = "";
        size_t length = list ? strcspn(at, ",") : strlen(at);
        pare_error err;
        if (o->n_methods == MAX_METHODS)
            return say_usage("-m: at most %d methods can be compared", MAX_METHODS);
        if (length >= sizeof name) return say_usage("-m: there is no method \"%.64s\"", at);
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (pare_settings_new(&o->settings[o->n_methods], name, &o->ctx, &err) != PARE_OK)
            return say_usage("-m: %s; see pare methods", err.message);
        o->n_methods++;
        at += length;
        if (!*at) return EXIT_FINE;
    }
}

/* --as, of which --json is one. */
static int take_form(options *o) {
    static const char *const forms[] = {"text", "tsv", "json"};
    bool known = !o->as;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !known; i++)
        known = strcmp(o->as, forms[i]) == 0;
    if (!known)
        return say_usage("--as: \"%.64s\" is not allowed; expected text, tsv or json", o->as);
    if (o->json && o->as && strcmp(o->as, "json") != 0)
        return say_usage("--json and --as %s exclude each other", o->as);
    o->json |= o->as && strcmp(o->as, "json") == 0;
    return EXIT_FINE;
}

/* --leave-out, whose cohorts are folds. */
static int take_cohorts(options *o) {
    if (!o->leave_out) return EXIT_FINE;
    if (o->read.fold_file)
        return say_usage("--leave-out and --fold-file both name the folds: give one of them");
    o->read.fold_file = o->leave_out;
    o->path.leave_out = true;
    return EXIT_FINE;
}

int options_parse(options *o, const command *c, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    o->command = c;
    pare_ctx_init(&o->ctx);
    pare_read_options_init(&o->read);
    /* A mistyped feature index must not allocate more memory than the machine has. */
    o->ctx.memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    pare_path_options_init(&o->path);
    pare_sample_size_options_init(&o->sample_size);
    pare_validate_options_init(&o->validate);
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
    code = take_cohorts(o);
    return code == EXIT_FINE ? take_form(o) : code;
}

void options_free(options *o) {
    free(o->argument);
    for (int64_t m = 0; m < o->n_methods; m++) pare_settings_free(o->settings[m]);
}

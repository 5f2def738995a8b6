/* Output: errors and remarks to stderr, results written whole, progress on a terminal. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "launch.h"

/* The number of bytes here that a terminal would interpret: ASCII controls, and those of U+0080 to
 * U+009F in UTF-8. */
static int control_bytes(const char *text) {
    unsigned char a = (unsigned char)text[0], b = a ? (unsigned char)text[1] : 0;
    return a < 0x20 || a == 0x7f ? 1 : a == 0xc2 && b >= 0x80 && b < 0xa0 ? 2 : 0;
}

void print_shown(FILE *to, const char *text, bool cell) {
    static const char special[] = "\t\n\r\\", letter[] = "tnr\\";
    for (; *text; text++) {
        const char *named = cell ? strchr(special, *text) : NULL;
        int controls = control_bytes(text);
        if (named) {
            fprintf(to, "\\%c", letter[named - special]);
            continue;
        }
        for (; controls > 1; controls--) fprintf(to, "\\x%02x", (unsigned char)*text++);
        if (controls)
            fprintf(to, "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, to);
    }
}

void print_cell(FILE *to, const char *text) { print_shown(to, text, true); }

static void say_line(const char *format, va_list args) {
    char line[4096];
    vsnprintf(line, sizeof line, format, args);
    fputs("pare: ", stderr);
    print_sentence(stderr, line);
    fputc('\n', stderr);
}

int say_error(const pare_error *err) {
    fputs("pare: ", stderr);
    print_sentence(stderr, err->message);
    fputc('\n', stderr);
    int code = err->code == PARE_E_ARGUMENT    ? EXIT_USAGE
               : err->code == PARE_E_CANCELLED ? exit_interrupted()
                                               : EXIT_RUN;
    ranks_failed(err->message, code);
    return code;
}

int say_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say_line(format, args);
    va_end(args);
    return EXIT_USAGE;
}

void say(const options *o, const char *format, ...) {
    if (o->quiet) return;
    va_list args;
    va_start(args, format);
    say_line(format, args);
    va_end(args);
}

static int say_memory(void) {
    fputs("pare: not enough memory\n", stderr);
    return EXIT_RUN;
}

const char *number_text(double x, char buffer[32]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, x);
        if (strtod(buffer, NULL) == x) break;
    }
    return buffer;
}

bool page_open(page *p) {
    *p = (page){0};
    p->to = open_memstream(&p->text, &p->size);
    if (!p->to) say_memory();
    return p->to != NULL;
}

int page_write(page *p, const char *path, options *o) {
    int code = fclose(p->to) == 0 ? output_text(o, p->text, path) : say_memory();
    free(p->text);
    return code;
}

void page_drop(page *p) {
    fclose(p->to);
    free(p->text);
}

static int to_standard(options *o, const char *text) {
    if (!o->standard) {
        o->standard = malloc(sizeof *o->standard);
        if (!o->standard) return say_memory();
        if (!page_open(o->standard)) {
            free(o->standard);
            o->standard = NULL;
            return EXIT_RUN;
        }
    }
    return fputs(text, o->standard->to) < 0 ? say_memory() : EXIT_FINE;
}

int output_text(options *o, const char *text, const char *path) {
    pare_error err;
    if (!ranks_is_first()) return EXIT_FINE;
    if (!path || strcmp(path, "-") == 0) return to_standard(o, text);
    if (!o->files && pare_files_new(&o->files, &o->ctx, &err) != PARE_OK) return say_error(&err);
    return pare_files_add(o->files, path, text, &err) == PARE_OK ? EXIT_FINE : say_error(&err);
}

int output_made(options *o, pare_status made, char *text, const char *path, const pare_error *err) {
    if (made != PARE_OK) return say_error(err);
    int code = output_text(o, text, path);
    pare_text_free(text, &o->ctx);
    return code;
}

/* A reader that closes the pipe (`| head`) is no error. */
static int write_standard(const page *p) {
    errno = 0;
    size_t done = fwrite(p->text, 1, p->size, stdout);
    if (done == p->size && fflush(stdout) == 0) return EXIT_FINE;
    bool left = errno == EPIPE;
    if (!left) fprintf(stderr, "pare: standard output: cannot be written: %s\n", strerror(errno));
    (void)!freopen("/dev/null", "w", stdout); /* the buffered text has been reported as lost */
    return left ? EXIT_FINE : EXIT_RUN;
}

/* Notes are remarks: on a terminal at once, else with the result, since an error is one line. */
static void keep_remark(options *o, const char *message) {
    size_t before = o->remarks ? strlen(o->remarks) : 0, length = strlen(message);
    char *longer = realloc(o->remarks, before + length + 2);
    if (!longer) return;
    o->remarks = longer;
    snprintf(longer + before, length + 2, "%s\n", message);
}

static void say_remarks(options *o, bool worked) {
    char *line = o->remarks;
    for (char *end; worked && line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        say(o, "%s", line);
    }
    free(o->remarks);
    o->remarks = NULL;
}

int outputs_end(options *o, int code) {
    pare_error err;
    bool worked = code == EXIT_FINE || code > EXIT_SIGNAL;
    int last = EXIT_FINE;
    say_remarks(o, worked);
    if (o->files && worked && pare_files_place(o->files, &err) != PARE_OK) last = say_error(&err);
    pare_files_free(o->files);
    o->files = NULL;
    if (o->standard) {
        bool whole = fclose(o->standard->to) == 0;
        if (last == EXIT_FINE) last = whole ? write_standard(o->standard) : say_memory();
        free(o->standard->text);
        free(o->standard);
        o->standard = NULL;
    }
    if (o->next && code == EXIT_FINE && last == EXIT_FINE) fprintf(stderr, "next:%s\n", o->next);
    free(o->next);
    o->next = NULL;
    return code == EXIT_FINE ? last : code;
}

static bool same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder of a file, which may not exist yet, and its name there. */
static bool folder_of(const char *path, struct stat *folder, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    char *text = slash ? strndup(path, (size_t)(*name - path)) : strdup(".");
    bool found = text && stat(text, folder) == 0;
    free(text);
    return found;
}

/* Works for files that do not exist yet, and through links. "-" equals only itself. */
static bool same_file(const char *a, const char *b) {
    struct stat at_a, at_b;
    const char *name_a, *name_b;
    if (!a || !b) return false;
    if (strcmp(a, b) == 0) return true;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) return false;
    bool is_a = stat(a, &at_a) == 0, is_b = stat(b, &at_b) == 0;
    if (is_a || is_b) return is_a && is_b && S_ISREG(at_a.st_mode) && same_inode(&at_a, &at_b);
    return folder_of(a, &at_a, &name_a) && folder_of(b, &at_b, &name_b) &&
           same_inode(&at_a, &at_b) && strcmp(name_a, name_b) == 0;
}

int refuse_outputs(const options *o, const char *const *to, int count) {
    const char *const from[] = {o->argument[0],      o->argument[1], o->read.labels,
                                o->read.weights,     o->read.groups, o->read.fold_file,
                                o->read.fold_groups, o->read.offset, o->path.checkpoint,
                                o->read.time,        o->read.event,  o->read.strata};
    pare_error err;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if (same_file(to[i], to[j])) return say_usage("two outputs cannot go to one file");
        for (size_t j = 0; to[i] && strcmp(to[i], "-") != 0 && j < sizeof from / sizeof *from; j++)
            if (same_file(to[i], from[j]))
                return say_usage("%s is read here and cannot be written as well", to[i]);
        if (to[i] && ranks_is_first() && pare_files_check(to[i], &o->ctx, &err) != PARE_OK)
            return say_error(&err);
    }
    return EXIT_FINE;
}

static void log_line(void *user, pare_log_level level, const char *message) {
    options *o = user;
    if (level == PARE_LOG_DEBUG && !o->verbose) return;
    if (level != PARE_LOG_DEBUG && level != PARE_LOG_NOW && !o->progress_shown)
        keep_remark(o, message);
    else
        say(o, "%s", message);
}

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { LINE = 60 };

/* Redraws at most five times a second, and only on a terminal. */
static int show_progress(void *user, const char *stage, double fraction) {
    options *o = user;
    if (interrupted()) return 1;
    if (!o->progress_shown) return 0;
    double now = seconds_now();
    if (o->progress_start == 0) o->progress_start = o->progress_last = now;
    if (now - o->progress_last < 0.2) return 0;
    o->progress_last = now;
    char text[LINE + 1];
    if (fraction > 0) {
        double left = (now - o->progress_start) * (1 - fraction) / fraction;
        snprintf(text, sizeof text, "%s %.0f%%, about %.0f s left", stage, 100 * fraction, left);
    } else {
        snprintf(text, sizeof text, "%s %.0f s", stage, now - o->progress_start);
    }
    fprintf(stderr, "\r%-*s", LINE, text);
    return 0;
}

void progress_end(options *o) {
    if (o->progress_last > o->progress_start) fprintf(stderr, "\r%*s\r", LINE, "");
    o->progress_start = o->progress_last = 0;
}

void output_hooks(options *o) {
    o->ctx.user = o;
    o->ctx.log = log_line;
    o->ctx.progress = show_progress;
    o->progress_shown = !o->quiet && isatty(STDERR_FILENO);
}

/* Samples without ids are named by their rows, also after others were dropped. */
static bool keep_row_numbers(pare_data *data) {
    int64_t n = pare_data_n(data);
    char buffer[32];
    if (pare_data_id(data, 0, buffer) != buffer) return true;
    char(*text)[32] = malloc(sizeof *text * (size_t)n);
    const char **id = malloc(sizeof *id * (size_t)n);
    for (int64_t i = 0; text && id && i < n; i++) id[i] = pare_data_id(data, i, text[i]);
    bool kept = text && id && pare_data_set_ids(data, id, NULL) == PARE_OK;
    free(id);
    free(text);
    return kept;
}

int read_data(pare_data **out, options *o, int i) {
    pare_error err;
    o->read.drop_unlabelled |= o->drop_missing;
    pare_status status = pare_data_read(out, o->argument[i], &o->read, &o->ctx, &err);
    if (status != PARE_OK) *out = NULL;
    if (interrupted()) { /* an interrupted read is not an error of the file */
        progress_end(o);
        fputs("pare: interrupted\n", stderr);
        pare_data_free(*out);
        *out = NULL;
        return exit_interrupted();
    }
    if (status != PARE_OK) {
        progress_end(o);
        return say_error(&err);
    }
    if (i == 0 && o->read.n_features > 0 && pare_data_d(*out) > o->read.n_features) {
        fprintf(stderr, "pare: --n-features: %lld is less than the %lld features of %s\n",
                (long long)o->read.n_features, (long long)pare_data_d(*out), o->argument[i]);
        pare_data_free(*out);
        *out = NULL;
        return EXIT_RUN;
    }
    if (o->drop_missing) {
        int64_t dropped;
        if (!keep_row_numbers(*out)) {
            fputs("pare: not enough memory\n", stderr);
            return EXIT_RUN;
        }
        if (pare_data_drop_missing(*out, &dropped, &o->ctx, &err) != PARE_OK) {
            pare_data_free(*out);
            *out = NULL;
            return say_error(&err);
        }
        if (dropped)
            say(o, "dropped %lld sample%s with missing values; remaining: %lld", (long long)dropped,
                dropped == 1 ? "" : "s", (long long)pare_data_n(*out));
    }
    return EXIT_FINE;
}

/* Text out: errors and remarks to stderr, results written whole, progress on a terminal. */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

int say_error(const pare_error *err) {
    fprintf(stderr, "pare: %s\n", err->message);
    return err->code == PARE_E_ARGUMENT    ? EXIT_USAGE
           : err->code == PARE_E_CANCELLED ? EXIT_INTERRUPTED
                                           : EXIT_RUN;
}

int say_usage(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("pare: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

void say(const options *o, const char *format, ...) {
    if (o->quiet) return;
    va_list args;
    va_start(args, format);
    fputs("pare: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

const char *number_text(double x, char buffer[32]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, x);
        if (strtod(buffer, NULL) == x) break;
    }
    return buffer;
}

void print_cell(FILE *to, const char *text) {
    for (; *text; text++) {
        if (*text == '\t')
            fputs("\\t", to);
        else if (*text == '\n')
            fputs("\\n", to);
        else if (*text == '\r')
            fputs("\\r", to);
        else if (*text == '\\')
            fputs("\\\\", to);
        else
            fputc(*text, to);
    }
}

bool page_open(page *p) {
    *p = (page){0};
    p->to = open_memstream(&p->text, &p->size);
    if (!p->to) fputs("pare: not enough memory\n", stderr);
    return p->to != NULL;
}

int page_write(page *p, const char *path, const options *o) {
    pare_error err;
    int code = EXIT_FINE;
    if (fclose(p->to) != 0) {
        fputs("pare: not enough memory\n", stderr);
        code = EXIT_RUN;
    } else if (pare_text_save(p->text, path ? path : "-", &o->ctx, &err) != PARE_OK) {
        code = say_error(&err);
    }
    free(p->text);
    return code;
}

void page_drop(page *p) {
    fclose(p->to);
    free(p->text);
}

static bool same_inode(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Where a file is or would be: its folder, and its name there. */
static bool folder_of(const char *path, struct stat *folder, const char **name) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    char *text = slash ? strndup(path, (size_t)(*name - path)) : strdup(".");
    bool found = text && stat(text, folder) == 0;
    free(text);
    return found;
}

/* Also of files that are not there yet, and by whatever way to them. "-" is only itself. */
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
    const char *const from[] = {o->argument[0],  o->argument[1], o->read.labels,
                                o->read.weights, o->read.groups, o->path.fold_file};
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if (same_file(to[i], to[j])) return say_usage("two outputs cannot go to one file");
        for (size_t j = 0; to[i] && strcmp(to[i], "-") != 0 && j < sizeof from / sizeof *from; j++)
            if (same_file(to[i], from[j]))
                return say_usage("%s is read here and cannot be written as well", to[i]);
    }
    return EXIT_FINE;
}

void output_discard(const char *path) {
    struct stat at;
    if (strcmp(path, "-") != 0 && stat(path, &at) == 0 && S_ISREG(at.st_mode)) remove(path);
}

static void log_line(void *user, pare_log_level level, const char *message) {
    const options *o = user;
    if (level == PARE_LOG_DEBUG && !o->verbose) return;
    say(o, "%s", message);
}

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { LINE = 60 };

/* Redraws at most five times a second, and only where a person can see it. */
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

int read_data(pare_data **out, options *o, int i) {
    pare_error err;
    pare_status status = pare_data_read(out, o->argument[i], &o->read, &o->ctx, &err);
    if (status != PARE_OK) *out = NULL;
    if (interrupted()) { /* a read that it cut short fails, which is not the file's fault */
        progress_end(o);
        fputs("pare: interrupted\n", stderr);
        pare_data_free(*out);
        *out = NULL;
        return EXIT_INTERRUPTED;
    }
    if (status != PARE_OK) {
        progress_end(o);
        return say_error(&err);
    }
    if (o->drop_missing) {
        int64_t dropped;
        if (pare_data_drop_missing(*out, &dropped, &o->ctx, &err) != PARE_OK) {
            pare_data_free(*out);
            *out = NULL;
            return say_error(&err);
        }
        if (dropped)
            say(o, "dropped %lld samples with missing values, %lld remain", (long long)dropped,
                (long long)pare_data_n(*out));
    }
    return EXIT_FINE;
}

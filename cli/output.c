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

bool any_twice(const char *const *path, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (path[i] && path[k] && strcmp(path[i], path[k]) == 0) return true;
    return false;
}

void take_back(const char *const *path, int count) {
    struct stat info;
    while (count-- > 0)
        if (stat(path[count], &info) == 0 && S_ISREG(info.st_mode)) remove(path[count]);
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

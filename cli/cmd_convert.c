#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Whether the format of the path's extension, before an optional .gz, has no place for a target: such
 * formats have one extension each. */
static bool holds_no_target(const char *path) {
    pare_format f;
    size_t length = strlen(path);
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0) length -= 3;
    for (int64_t i = 0; pare_format_info(&f, i); i++) {
        size_t own = strlen(f.extensions);
        if (f.holds_target || !f.writes || length <= own || path[length - own - 1] != '.') continue;
        if (strncmp(path + length - own, f.extensions, own) == 0) return true;
    }
    return false;
}

int run_convert(options *o) {
    pare_data *data = NULL;
    pare_error err;
    char *labels = NULL;
    const char *to = o->argument[1];
    o->read.allow_missing |= !o->refuse_missing;
    int code = read_data(&data, o, 0);
    if (code != EXIT_FINE) return code;
    if (o->labels_out && !pare_data_has_target(data)) {
        code = say_usage("--labels-out: these data have no target");
    } else if (!o->labels_out && holds_no_target(to) && pare_data_has_target(data)) {
        size_t size = strlen(to) + sizeof ".labels";
        labels = malloc(size);
        if (labels)
            snprintf(labels, size, "%s.labels", to);
        else
            code = say_usage("not enough memory");
    }
    const char *target = o->labels_out ? o->labels_out : labels;
    if (strcmp(to, "-") == 0) signal(SIGPIPE, SIG_DFL); /* a reader may close the pipe early */
    if (code == EXIT_FINE && pare_data_write(data, to, NULL, target, &o->ctx, &err) != PARE_OK)
        code = say_error(&err);
    progress_end(o);
    if (code == EXIT_FINE && target) say(o, "the target went to %s", target);
    free(labels);
    pare_data_free(data);
    return code;
}

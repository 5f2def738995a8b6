#include "fit/duration_notice.h"

#include <math.h>
#include <stdio.h>

#include "base/context.h"
#include "data/dataset.h"

static const double MIN_NOTICE = 10; /* seconds from which the notice is printed */

/* At most two digits: it is an estimate. */
static void duration(char *out, size_t size, double seconds) {
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "seconds"}};
    size_t u = 0;
    while (u < 3 && seconds < 2 * units[u].seconds) u++;
    double count = seconds / units[u].seconds;
    double digit = count < 10 ? 1 : pow(10, floor(log10(count)) - (count < 100 ? 0 : 1));
    snprintf(out, size, "%.0f %s", digit * round(count / digit), units[u].name);
}

void duration_notice_log(const duration_notice *of, const pare_data *data, const target *y,
                         const pare_ctx *ctx) {
    double n = (double)of->n;
    effort_job job = {.set = of->set, .n = n, .d = (double)data->x.d, .outputs = 1, .k = of->k};
    if (!of->m->effort) return;
    job.stored = mat_stored(&data->x) * n / (double)data->x.n;
    job.outputs = (double)target_scores(y);
    effort_estimate one = of->m->effort(&job);
    double seconds = one.seconds * of->fits / ctx_threads(ctx);
    char text[64];
    if (!(seconds >= MIN_NOTICE)) return;
    duration(text, sizeof text, seconds);
    ctx_log(ctx, PARE_LOG_NOW, "%s: this will take about %s%s%s", of->m->name, text,
            one.faster ? "; " : "", one.faster ? one.faster : "");
}

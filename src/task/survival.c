/* The task survival: the outcome is the time to an event, censored where observation ended before it.
 * One score, the risk: the higher, the earlier the event is expected. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "task/labels.h"
#include "task/risk_summary.h"
#include "task/survival_metrics.h"

static const metric_info metrics[] = {
    {"c_index", true, false, false, 0, 1, PROPORTION_CLASS, "c-index"},
    {"uno_c", true, false, true, 0, 1, PROPORTION_NONE, "Uno's c-index"},
    {"integrated_brier", false, false, true, 0, INFINITY, PROPORTION_NONE,
     "integrated Brier score"}};

/* No order. */
static void guess(double *score, const target *y, const double *weight, const int32_t *rows,
                  int64_t n) {
    (void)y, (void)weight, (void)rows, (void)n;
    score[0] = 0;
}

static pare_status measure(double *out, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    PASS(metric_c_index(&out[0], p, ctx, err));
    PASS(metric_uno_c(&out[1], p, ctx, err));
    return metric_integrated_brier(&out[2], p, ctx, err);
}

/* Numbers the strata: in the order of their names, as numbers if all are. */
static pare_status read_strata(target *out, const pare_data *data, arena *mem, pare_error *err) {
    int64_t n = data->x.n;
    const strings *strata = &data->target.strata;
    target named = {0};
    bool numeric = true;
    if (strata->count == 0) return PARE_OK;
    label *v = ARENA_NEW(mem, label, n);
    if (!v) return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        v[i] = (label){0, strings_at(strata, i), i};
        numeric = number_parse_all(v[i].text, &v[i].key) && isfinite(v[i].key) && numeric;
    }
    PASS(labels_to_classes(&named, mem, v, n, numeric, err));
    out->n_strata = named.n_classes;
    out->strata = named.classes;
    out->stratum = named.cls;
    return PARE_OK;
}

static pare_status read(target *out, const pare_data *data, arena *mem, pare_error *err) {
    int64_t n = data->x.n, events = 0;
    const target_column *from = &data->target;
    if (!from->time)
        return error_set(err, PARE_E_DATA,
                         "survival needs the time of each sample and whether it had an event: give "
                         "`time` and `event`");
    out->time = ARENA_NEW(mem, double, n);
    out->event = ARENA_NEW(mem, int32_t, n);
    if (!out->time || !out->event) return error_memory(err);
    memcpy(out->time, from->time, sizeof *out->time * (size_t)n);
    for (int64_t i = 0; i < n; i++) events += out->event[i] = from->event[i];
    out->n_strata = 1;
    if (events == 0)
        return error_set(
            err, PARE_E_DATA,
            "none of the %lld samples has an event: all are censored, there is nothing "
            "to predict",
            (long long)n);
    return read_strata(out, data, mem, err);
}

static void remark_on_times(const target *y, int64_t n, const pare_ctx *ctx) {
    for (int64_t i = 0; i < n; i++)
        if (y->time[i] != y->time[0]) return;
    if (n > 1)
        ctx_log(ctx, PARE_LOG_INFO,
                "all %lld times are equal: no sample had its event before others", (long long)n);
}

static void remark(const target *y, int64_t n, const pare_ctx *ctx) {
    remark_on_times(y, n, ctx);
    for (int32_t k = 0; y->stratum && k < y->n_strata; k++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += y->stratum[i] == k;
        if (count == 1)
            ctx_log(ctx, PARE_LOG_INFO,
                    "the stratum \"%.64s\" has one sample, which is compared with no other",
                    y->strata[k]);
    }
}

const task_type task_survival = {.kind = TASK_SURVIVAL,
                                 .name = "survival",
                                 .word = "survival",
                                 .has_target = true,
                                 .by_order = true,
                                 .timed = true,
                                 .metric = metrics,
                                 .n_metrics = sizeof metrics / sizeof metrics[0],
                                 .baseline = "baseline without any order",
                                 .read = read,
                                 .guess = guess,
                                 .remark = remark,
                                 .measure = measure,
                                 .summary_size = risk_summary_size,
                                 .summarise = risk_summarise};

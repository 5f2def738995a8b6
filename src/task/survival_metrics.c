#include "task/survival_metrics.h"

#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "task/censoring.h"
#include "task/concordance.h"

/* The judged samples, and their weights. */
typedef struct judged {
    target y;
    double *weight; /* or NULL */
} judged;

static pare_status take(judged *out, arena *mem, const predictions *p, const int32_t *rows,
                        int64_t n, pare_error *err) {
    *out = (judged){0};
    PASS(target_take(&out->y, mem, p->y, rows, n, err));
    if (!p->weight) return PARE_OK;
    PASS_MEM(out->weight = ARENA_NEW(mem, double, n));
    for (int64_t i = 0; i < n; i++) out->weight[i] = p->weight[rows[i]];
    return PARE_OK;
}

static concordance_job job_of(const judged *t, const predictions *p, const double *of_event) {
    return (concordance_job){.n = p->n,
                             .time = t->y.time,
                             .risk = p->F,
                             .event = t->y.event,
                             .stratum = t->y.stratum,
                             .weight = t->weight,
                             .of_event = of_event};
}

pare_status metric_c_index(double *out, const predictions *p, const pare_ctx *ctx,
                           pare_error *err) {
    judged t;
    arena mem = arena_of(ctx);
    pare_status status = take(&t, &mem, p, p->rows, p->n, err);
    concordance_job job = job_of(&t, p, NULL);
    if (status == PARE_OK) status = concordance(out, &job, ctx, err);
    arena_free(&mem);
    return status;
}

pare_status metric_uno_c(double *out, const predictions *p, const pare_ctx *ctx, pare_error *err) {
    judged t;
    censoring g;
    double *of_event;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    *out = NAN;
    if (!p->train) return PARE_OK;
    TRY(take(&t, &mem, p, p->rows, p->n, err));
    TRY(censoring_make(&g, &mem, p->y, p->weight, p->train, p->n_train, err));
    TRY_MEM(of_event = ARENA_NEW(&mem, double, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        double left = censoring_before(&g, t.y.time[i]);
        of_event[i] = t.y.time[i] < g.last && left > 0 ? 1 / (left * left) : 0;
    }
    concordance_job job = job_of(&t, p, of_event);
    TRY(concordance(out, &job, ctx, err));
done:
    arena_free(&mem);
    return status;
}

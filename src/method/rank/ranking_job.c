#include "method/rank/ranking_job.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

pare_status ranking_split(ranking_rows *out, arena *mem, const fit_job *job, pare_error *err) {
    int64_t total = job->x->n, count = 0;
    int32_t *row = ARENA_NEW(mem, int32_t, total);
    int64_t *sample = ARENA_NEW(mem, int64_t, total);
    double *cost = ARENA_NEW(mem, double, total), sum[2] = {0, 0};
    if (!row || !sample || !cost) return error_memory(err);
    out->m = out->n = 0;
    for (int32_t cls = 1; cls >= 0; cls--)
        for (int64_t i = 0; i < total; i++) {
            double weight = job->weight ? job->weight[i] : 1;
            if (job->y->cls[i] != cls || weight == 0) continue;
            row[count] = job->x->rows ? job->x->rows[i] : (int32_t)i;
            sample[count] = i;
            cost[count++] = weight;
            sum[cls] += weight;
            if (cls == 1)
                out->m++;
            else
                out->n++;
        }
    if (out->m == 0 || out->n == 0)
        return error_set(err, PARE_E_DATA, "no sample of class \"%.64s\" has a weight above 0",
                         job->y->classes[out->m == 0 ? 1 : 0]);
    for (int64_t i = 0; i < count; i++) cost[i] /= sum[i < out->m];
    out->x = *job->x;
    out->x.rows = row;
    out->x.n = count;
    out->sample = sample;
    out->cost = cost;
    return PARE_OK;
}

pare_status ranking_penalty(push_problem *p, arena *mem, const fit_job *job, const char *word,
                            double alpha, pare_error *err) {
    p->penalty = strcmp(word, "l1") == 0      ? PUSH_L1
                 : strcmp(word, "l2") == 0    ? PUSH_L2
                 : strcmp(word, "group") == 0 ? PUSH_GROUP
                 : alpha == 1                 ? PUSH_L1
                 : alpha == 0                 ? PUSH_L2
                                              : PUSH_L1L2;
    p->mix = alpha;
    if (p->penalty != PUSH_GROUP) return PARE_OK;
    if (!job->terms.group)
        return error_set(err, PARE_E_ARGUMENT,
                         "`penalty`: group needs the group of every feature, `groups`");
    int64_t *group = ARENA_NEW(mem, int64_t, job->x->d);
    if (!group) return error_memory(err);
    for (int64_t j = 0; j < job->x->d; j++)
        group[j] = job->terms.group[job->x->cols ? job->x->cols[j] : j];
    p->group = group;
    p->n_groups = job->terms.n_groups;
    return PARE_OK;
}

pare_status ranking_result(fit_result *r, const ranking_rows *rows, const fit_job *job,
                           const double *w, const double *dual, const double *g, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    pare_status status = fit_support(r, w, d, 1, err);
    if (status != PARE_OK) return status;
    r->b = ARENA_ZERO(&r->mem, double, 1);
    r->dual = ARENA_ZERO(&r->mem, double, n);
    r->n_dual = 1;
    ranked *rest = mem_alloc(&r->mem.mem, d, sizeof *rest);
    if (!r->b || !r->dual || !rest) {
        mem_free(&r->mem.mem, rest);
        return error_memory(err);
    }
    r->n_point = r->n_support; /* a refit on fewer features keeps this as the selection problem */
    r->point = r->support;
    r->point_W = r->W;
    r->point_b = r->b;
    for (int64_t i = 0; i < rows->m + rows->n; i++) r->dual[rows->sample[i]] = dual[i];
    int64_t eliminated = d - r->n_support;
    for (int64_t k = 0; k < eliminated; k++) {
        int64_t j = r->ranking[r->n_support + k];
        rest[k] = (ranked){fabs(g[j]), j};
    }
    sort_best_first(rest, eliminated);
    for (int64_t k = 0; k < eliminated; k++) r->ranking[r->n_support + k] = rest[k].index;
    mem_free(&r->mem.mem, rest);
    return PARE_OK;
}

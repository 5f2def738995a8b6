/* Shared parts of the ranking methods: positives before negatives, costs, penalties, the result. */
#ifndef PARE_METHOD_RANK_RANKING_JOB_H
#define PARE_METHOD_RANK_RANKING_JOB_H

#include "method/method.h"
#include "solve/rank/push.h"

/* The samples of positive weight, positives (the last class) first. */
typedef struct ranking_rows {
    view x;
    int64_t m, n;
    const int64_t *sample; /* m + n: the sample of each row */
    const double *cost;    /* m + n: its share of the weight of its class */
} ranking_rows;

PARE_NODISCARD pare_status ranking_split(ranking_rows *out, arena *mem, const fit_job *job,
                                         pare_error *err);

/* Penalty and mix from the settings' words (l1l2 at its ends is l1 or l2), and the groups of the
 * view's columns. */
PARE_NODISCARD pare_status ranking_penalty(push_problem *p, arena *mem, const fit_job *job,
                                           const char *word, double alpha, pare_error *err);

/* The path over lambda, from lambda_max down to its share `least`: each point starts from the
 * previous one (problem.warm) and is solved to the tolerance. */
typedef pare_status ranking_solve(push_solution *s, const push_problem *p, const void *state,
                                  const pare_ctx *ctx, pare_error *err);
PARE_NODISCARD pare_status ranking_sweep(fit_result *r, const push_problem *problem,
                                         double lambda_max, int64_t count, double least,
                                         ranking_solve *solve, const void *state,
                                         const pare_ctx *ctx, pare_error *err);

/* The result from w (d) and one dual number per row (m + n): support, duals in sample order, and
 * behind the support the other features by |g_j|, g: d numbers. */
PARE_NODISCARD pare_status ranking_result(fit_result *r, const ranking_rows *rows,
                                          const fit_job *job, const double *w, const double *dual,
                                          const double *g, pare_error *err);

#endif

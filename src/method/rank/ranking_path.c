#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "method/rank/ranking_job.h"

pare_status ranking_sweep(fit_result *r, const push_problem *problem, double lambda_max,
                          int64_t count, double least, ranking_solve *solve, const void *state,
                          const pare_ctx *ctx, pare_error *err) {
    push_problem p = *problem;
    int64_t d = p.x->d;
    arena mem = arena_of(ctx);
    push_solution s = {.w = ARENA_ZERO(&mem, double, d),
                       .dual = ARENA_ZERO(&mem, double, p.m + p.n)};
    double *norms = ARENA_NEW(&mem, double, p.n_groups);
    pare_status status = PARE_OK;
    TRY_MEM(s.w && s.dual && norms);
    for (int64_t i = 0; i < count; i++) {
        p.lambda = fit_path_lambda(lambda_max, least, i, count);
        p.warm = i > 0;
        TRY(solve(&s, &p, state, ctx, err));
        double penalty = push_penalty_value(&p, s.w, norms);
        pare_lambda_point point = {.lambda = p.lambda,
                                   .objective = s.objective,
                                   .loss = fmax(s.objective - p.lambda * penalty, 0),
                                   .penalty = penalty,
                                   .gap = fmax(push_gap(&s), 0),
                                   .deviance = NAN};
        for (int64_t j = 0; j < d; j++) point.n_features += s.w[j] != 0;
        const double none = 0;
        TRY(fit_path_point(r, point, 1, &none, err));
        for (int64_t j = 0; j < d; j++)
            if (s.w[j] != 0) TRY(fit_path_row(r, j, &s.w[j], 0, err));
        if (s.outcome == PARE_OPTIMAL) continue;
        TRY(fit_note(r, err, "the path's point at lambda %.6g ended with %s", p.lambda,
                     pare_outcome_name(s.outcome)));
        if (s.outcome != PARE_MAX_ITER) break;
    }
done:
    arena_free(&mem);
    return status;
}

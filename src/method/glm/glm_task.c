#include "method/glm/glm_task.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { MAX_COPIED = 1 << 20 };
static const double MIN_ALPHA = 1e-3; /* where prices are a share of lambda alpha */

/* Shares of the weight, summing to 1. */
static pare_status shares(double *share, glm_task *t, pare_error *err) {
    const fit_job *job = t->job;
    int64_t classes = job->y->n_classes;
    for (int64_t i = 0; i < t->n; i++) t->total += share[i] = job->weight ? job->weight[i] : 1;
    for (int64_t c = 0; c < classes; c++) {
        double own = 0;
        for (int64_t i = 0; i < t->n; i++)
            if (job->y->cls[i] == c) own += share[i];
        if (!(own > 0))
            return error_set(err, PARE_E_DATA, "no sample of class \"%.64s\" has a weight above 0",
                             job->y->classes[c]);
    }
    for (int64_t i = 0; i < t->n; i++) share[i] /= t->total;
    return PARE_OK;
}

/* Groups and costs of the view's columns. A forced-in feature costs nothing and is a group of its
 * own. */
static pare_status open_penalty(glm_task *t, const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = t->job;
    const feature_terms *terms = &job->terms;
    int64_t *group = NULL, n_groups = terms->n_groups;
    double *cost = NULL;
    bool weighs = terms->cost || terms->n_kept > 0 || t->how->adaptive;
    if (terms->group && !(group = ARENA_NEW(&t->mem, int64_t, t->d))) return error_memory(err);
    if (weighs && !(cost = ARENA_NEW(&t->mem, double, t->d))) return error_memory(err);
    for (int64_t j = 0; j < t->d; j++) {
        int64_t base = job->x->cols ? job->x->cols[j] : j;
        bool kept = terms_keep(terms, base);
        if (group) group[j] = kept ? n_groups++ : terms->group[base];
        if (cost) cost[j] = kept ? 0 : terms_cost(terms, base);
        t->n_kept += kept;
    }
    t->n_groups = n_groups;
    if (t->how->adaptive) {
        PASS(glm_adaptive(t, group, cost, ctx, err));
    }
    PASS(penalty_open(&t->pen, &t->mem, t->d, t->c, t->how->alpha, t->how->rows, group, n_groups,
                      cost, err));
    return fit_signs(&t->pen.sign, &t->mem, job, err);
}

/* A small dense matrix with some of its samples is copied once: every pass would gather the rows of
 * each column again. At most MAX_COPIED numbers, whatever the size of X. */
static pare_status see_features(glm_task *t, const pare_ctx *ctx, pare_error *err) {
    const view *x = t->job->x;
    bool plain = !x->rows && !x->cols && !x->shift && !x->scale && !x->fill;
    t->problem.x = x;
    if (plain || mat_is_sparse(x->x) || t->d > MAX_COPIED / t->n) return PARE_OK;
    int64_t *all = ARENA_NEW(&t->mem, int64_t, t->d);
    double *value = ARENA_NEW(&t->mem, double, t->n * t->d);
    if (!all || !value) return error_memory(err);
    for (int64_t j = 0; j < t->d; j++) all[j] = j;
    PASS(mat_columns(x, all, t->d, value, ctx, err));
    t->copy = mat_dense(t->n, t->d, value);
    t->seen = view_all(&t->copy);
    t->problem.x = &t->seen;
    return PARE_OK;
}

pare_status glm_task_open(glm_task *t, const fit_job *job, const glm_choice *how, double tol,
                          const pare_ctx *ctx, pare_error *err) {
    *t = (glm_task){.job = job, .how = how, .n = job->x->n, .d = job->x->d};
    arena_init(&t->mem, ctx_allocator(ctx));
    double *share = ARENA_NEW(&t->mem, double, t->n);
    PASS_MEM(share);
    PASS(shares(share, t, err));
    t->problem =
        (glm_problem){.loss = {.n = t->n, .share = share}, .penalty = &t->pen, .tol_rel = tol};
    PASS(how->family->open(&t->problem.loss, &t->mem, job, err));
    t->problem.intercept = job->set->common.intercept && !t->problem.loss.kind->level;
    t->c = t->problem.loss.c;
    PASS(see_features(t, ctx, err));
    PASS(open_penalty(t, ctx, err));
    PASS(glm_open(&t->solver, &t->problem, ctx, err));
    bool flat = how->family->flat && how->family->flat(&t->problem.loss, t->problem.intercept);
    t->lambda_max = flat ? 0 : glm_lambda_max(t->solver);
    return glm_small_open(t, ctx, err);
}

void glm_task_close(glm_task *t) {
    glm_small_close(t->small);
    glm_close(t->solver);
    arena_free(&t->mem);
}

pare_status glm_task_give(fit_result *r, const glm_task *t, const glm_point *at,
                          const pare_ctx *ctx, pare_error *err) {
    int64_t n = t->n, d = t->d, c = t->c;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *W = ARENA_ZERO(&mem, double, d *c), *G = ARENA_NEW(&mem, double, d *c),
           *price = ARENA_ZERO(&mem, double, d);
    TRY_MEM(W && G && price);
    r->n_dual = t->how->family->by_point ? 0 : t->start ? 2 * c : c;
    TRY_MEM(r->dual = ARENA_NEW(&r->mem, double, n * r->n_dual));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, c));
    for (int64_t i = 0; i < at->n_features; i++)
        for (int64_t o = 0; o < c; o++) W[o * d + at->feature[i]] = at->B[i * c + o];
    for (int64_t e = 0; e < n * c && r->n_dual > 0; e++) r->dual[e % c * n + e / c] = at->U[e];
    if (t->start) memcpy(r->dual + n * c, t->start, sizeof(double) * (size_t)(n * c));
    for (int64_t o = 0; o < c; o++) r->b[o] = at->b[o];
    TRY(glm_price_all(&t->problem, at->U, G, ctx, err));
    for (int64_t j = 0; j < d; j++) {
        double most = at->lambda * fmax(t->how->alpha, MIN_ALPHA) * t->pen.norm[t->pen.block[j]];
        for (int64_t o = 0; o < c; o++)
            price[j] = hypot(price[j], fit_sign_price(penalty_sign(&t->pen, j), G[o * d + j]));
        price[j] = most > 0 ? price[j] / (most * (t->how->rows ? 1 : sqrt((double)c))) : 0;
    }
    TRY(fit_support_priced(r, W, price, d, c, err));
    r->n_point = r->n_support; /* a refit on fewer features keeps this as the selection problem */
    r->point = r->support;
    r->point_W = r->W;
    r->point_b = r->b;
    r->objective = at->objective;
    r->outcome = at->outcome;
    r->iterations = at->steps;
done:
    arena_free(&mem);
    return status;
}

/* NAME       l1-mkl-path
 * PAPER      F. R. Bach, R. Thibaux, M. I. Jordan. Computing regularization paths for
 *            learning multiple kernels. NIPS 2004; a comparator in lp-kta (PF-l1-MKL), with a
 *            kernel for each feature.
 * PROBLEM    minimise over f_ko in the space of K_k, b
 *                sum_i s_i loss(y_i, sum_k f_k(x_i) + b) + lambda sum_k |f_k|,   for every lambda
 *            loss: log loss of two classes (one output) or softmax (an output per class,
 *            |f_k| over all of them), 1/2 (y - f)^2 for values; s_i: weights as shares.
 *            K_k: centred, of trace 1.
 * SYMBOLS    U: n x outputs, minus the gradient of the loss; eta_k = |f_k| / lambda;
 *            f_k = eta_k K_k U.
 * ALGORITHM  1. traces, gammas and lambda_max.
 *            2. solve/kernel/l1_mkl.h down from lambda_max: to lambda, or over lambda_count values
 *               to lambda_least of it (sweep; pare path), or until k kernels are active.
 *            3. the predictor sum_k eta_k K_k U + b.
 * COST       a pass of O(20 n) a feature for each lambda, and the group lasso of the
 *            active kernels.
 * GUARANTEE  duality gap over all features at every lambda; that of the model from raw data
 *            (certify/certify_l1_mkl.c). Score: |f_k|; of the others the price over lambda, less 1.
 * STOPPING   relative gap <= tol at every lambda.
 * DEVIATIONS the paper follows the path of a smoothed problem (a log barrier) by predictor and
 *            corrector steps of its own size; here every point is solved, from the one before as
 *            its predictor, until its gap is certified (tests/ref/test_l1_mkl.c). */

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "method/kernel/kernel_predictor.h"
#include "solve/kernel/kernel_apply.h"
#include "solve/kernel/l1_mkl.h"

static const double FALL = 0.75; /* of lambda from step to step if only the last point is needed */

/* The job as a problem of l1_mkl. */
typedef struct mkl_task {
    const fit_job *job;
    arena mem;
    int64_t n, d, c;
    kernel_kind kind;
    l1_mkl_problem problem;
    l1_mkl *solver;
    double *weight; /* n */
    double total, lambda_max, null_loss;
} mkl_task;

static double null_loss(const mkl_task *t) {
    double sum = 0;
    const glm_loss *l = &t->problem.loss;
    for (int64_t o = 0; o < t->c; o++) {
        double mean = 0;
        for (int64_t i = 0; i < t->n; i++) mean += l->share[i] * l->y[i * t->c + o];
        if (t->job->y->cls) {
            sum -= mean > 0 ? mean * log(mean) : 0;
            if (t->c == 1 && mean < 1) sum -= (1 - mean) * log1p(-mean);
            continue;
        }
        for (int64_t i = 0; i < t->n; i++)
            sum += l->share[i] * (l->y[i] - mean) * (l->y[i] - mean) / 2;
    }
    return sum;
}

static pare_status task_open(mkl_task *t, const fit_job *job, const l1_mkl_path_settings *s,
                             const pare_ctx *ctx, pare_error *err) {
    const target *y = job->y;
    int64_t n = job->x->n, c = target_scores(y);
    *t = (mkl_task){.job = job, .n = n, .d = job->x->d, .c = c, .kind = kernel_named(s->kernel)};
    arena_init(&t->mem, ctx_allocator(ctx));
    double *wanted = ARENA_NEW(&t->mem, double, n *c), *share = ARENA_NEW(&t->mem, double, n);
    PASS_MEM(wanted && share);
    PASS_MEM(t->weight = fit_weights(&t->mem, job->weight, n, &t->total));
    PASS(weighted_kernels_check(job, "l1-mkl-path", err));
    for (int64_t i = 0; i < n; i++) {
        share[i] = t->weight[i] / t->total;
        for (int64_t o = 0; o < c; o++)
            wanted[i * c + o] = !y->cls ? y->value[i] : c == 1 ? y->cls[i] == 1 : y->cls[i] == o;
    }
    t->problem = (l1_mkl_problem){.x = job->x,
                                  .kind = t->kind,
                                  .gamma = s->gamma,
                                  .weight = t->weight,
                                  .loss = {.kind = !y->cls  ? &loss_squared
                                                   : c == 1 ? &loss_logistic
                                                            : &loss_softmax,
                                           .n = n,
                                           .c = c,
                                           .y = wanted,
                                           .share = share},
                                  .tol_rel = s->tol};
    t->null_loss = null_loss(t);
    PASS(l1_mkl_open(&t->solver, &t->problem, ctx, err));
    t->lambda_max = l1_mkl_lambda_max(t->solver);
    return PARE_OK;
}

static void task_close(mkl_task *t) {
    l1_mkl_close(t->solver);
    arena_free(&t->mem);
}

/* --- a point as a result --- */

/* Scores, ranking, support, predictor and dual of the point. */
static pare_status give(fit_result *r, const mkl_task *t, const l1_mkl_point *at,
                        const pare_ctx *ctx, pare_error *err) {
    const double *trace = l1_mkl_trace(t->solver), *gamma = l1_mkl_gamma(t->solver);
    int64_t d = t->d, c = t->c;
    double *weight = ARENA_ZERO(&r->mem, double, d), *eta = ARENA_ZERO(&r->mem, double, d);
    PASS_MEM(weight && eta);
    PASS_MEM(ARENA_NEWS(&r->mem, double, d, &r->score, &r->z));
    PASS_MEM(ARENA_NEWS(&r->mem, int64_t, d, &r->support, &r->cols));
    for (int64_t j = 0; j < d; j++) {
        double price = trace[j] > 0 && at->price ? at->price[j] / at->lambda : 0;
        r->score[j] = fmin(price - 1, 0);
    }
    for (int64_t i = 0; i < at->n_features; i++) {
        int64_t j = at->feature[i];
        eta[j] = at->eta[i];
        weight[j] = at->eta[i] / trace[j];
        r->score[j] = at->eta[i] * at->lambda;
    }
    PASS(fit_rank(r, d, err));
    for (int64_t i = 0; i < at->n_features; i++) {
        int64_t j = r->ranking[i];
        r->support[r->n_support++] = j;
        r->cols[r->n_cols] = t->job->x->cols ? t->job->x->cols[j] : j;
        r->z[r->n_cols++] = eta[j];
    }
    r->objective = at->objective;
    r->outcome = at->outcome;
    r->iterations = at->steps;
    weighted_kernels w = {t->kind, gamma, weight, t->problem.tol_rel, 1};
    kernel_solution s = {at->U, at->b, at->U, c};
    return weighted_kernels_give(r, t->job, &w, &s, at->row, ctx, err);
}

/* No kernel is ever active: the model has only intercepts. */
static pare_status give_nothing(fit_result *r, const mkl_task *t, double lambda,
                                const pare_ctx *ctx, pare_error *err) {
    const glm_loss *l = &t->problem.loss;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *U = ARENA_NEW(&mem, double, t->n * t->c), *b = ARENA_NEW(&mem, double, t->c),
           *row = ARENA_ZERO(&mem, double, t->n);
    TRY_MEM(U && b && row);
    for (int64_t o = 0; o < t->c; o++) {
        double mean = 0;
        for (int64_t i = 0; i < t->n; i++) mean += l->share[i] * l->y[i * t->c + o];
        for (int64_t i = 0; i < t->n; i++)
            U[o * t->n + i] = l->share[i] * (l->y[i * t->c + o] - mean);
        bool classes = t->job->y->cls != NULL;
        b[o] = !classes ? mean : t->c == 1 ? log(mean) - log1p(-mean) : log(mean);
    }
    l1_mkl_point at = {.lambda = lambda,
                       .objective = t->null_loss,
                       .U = U,
                       .b = b,
                       .row = row,
                       .outcome = PARE_OPTIMAL};
    TRY(give(r, t, &at, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* --- the fit --- */

typedef struct search {
    mkl_task task;
    fit_result *r;
    const l1_mkl_path_settings *set;
    bool sweep, given; /* given: r holds the wanted point already */
    int64_t k;         /* kernels wanted, 0: lambda decides */
    double lambda;     /* wanted, NaN: k decides */
    double last;       /* lambda of the last point */
    const pare_ctx *ctx;
} search;

/* Coefficients of the linear kernel in scaled units, or the norm of each part. */
static pare_status note_point(search *s, const l1_mkl_point *at, pare_error *err) {
    const mkl_task *t = &s->task;
    int64_t c = t->c, n = t->n, count = at->n_features;
    arena mem;
    arena_init(&mem, ctx_allocator(s->ctx));
    pare_status status = PARE_OK;
    bool linear = t->kind == KERNEL_LINEAR;
    pare_lambda_point one = {.lambda = at->lambda,
                             .objective = at->objective,
                             .loss = at->loss,
                             .penalty = at->penalty,
                             .gap = at->gap,
                             .n_features = count,
                             .deviance = NAN};
    double *b = ARENA_NEW(&mem, double, c), *W = ARENA_NEW(&mem, double, count *c);
    double *sides = ARENA_NEW(&mem, double, n *(c + 1)),
           *out = ARENA_NEW(&mem, double, count *(c + 1));
    int64_t *cols = ARENA_NEW(&mem, int64_t, count);
    TRY_MEM(b && W && sides && out && cols);
    memcpy(b, at->b, sizeof *b * (size_t)c);
    memcpy(W, at->norm, sizeof *W * (size_t)(count * c));
    if (linear) { /* x - mean times eta / trace x'u; the means move to the intercept */
        view part = *t->job->x;
        for (int64_t i = 0; i < count; i++)
            cols[i] = part.cols ? part.cols[at->feature[i]] : at->feature[i];
        part.cols = cols;
        part.d = count;
        memcpy(sides, at->U, sizeof *sides * (size_t)(n * c));
        memcpy(sides + n * c, t->problem.loss.share, sizeof *sides * (size_t)n);
        TRY(mat_tmul(&part, sides, c + 1, out, s->ctx, err));
        for (int64_t i = 0; i < count; i++)
            for (int64_t o = 0; o < c; o++) {
                W[i * c + o] =
                    at->eta[i] / l1_mkl_trace(t->solver)[at->feature[i]] * out[o * count + i];
                b[o] -= W[i * c + o] * out[c * count + i];
            }
    }
    s->r->path.plain = !linear;
    TRY(fit_path_point(s->r, one, c, b, err));
    for (int64_t i = 0; i < count; i++) TRY(fit_path_row(s->r, at->feature[i], W + i * c, 1, err));
done:
    arena_free(&mem);
    return status;
}

static pare_status see(void *user, const l1_mkl_point *at, bool *stop, pare_error *err) {
    search *s = user;
    bool interrupted = at->outcome == PARE_CANCELLED || at->outcome == PARE_TIME_LIMIT;
    bool on_path = s->sweep && fit_path_has(at->lambda, s->task.lambda_max, s->set->lambda_least,
                                            s->set->lambda_count);
    pare_status status = on_path ? note_point(s, at, err) : PARE_OK;
    bool wanted =
        s->k > 0 ? at->n_features >= s->k || at->lambda == s->last : at->lambda == s->lambda;
    if (status == PARE_OK && !s->given && (wanted || interrupted)) {
        status = give(s->r, &s->task, at, s->ctx, err);
        s->lambda = at->lambda;
        s->given = true;
    }
    *stop = interrupted || (s->given && !s->sweep);
    return status;
}

/* The lambdas to go through, falling. */
static int64_t plan(const search *s, double *out) {
    double most = s->task.lambda_max, at = most;
    int64_t count = 0;
    if (!s->sweep && s->k == 0) {
        for (; at * FALL > s->lambda; count++, at *= FALL)
            if (out) out[count] = at;
        if (out) out[count] = s->lambda;
        return count + 1;
    }
    bool placed = s->k > 0;
    for (int64_t i = 0; i < s->set->lambda_count; i++) {
        at = fit_path_lambda(most, s->set->lambda_least, i, s->set->lambda_count);
        if (!placed && s->lambda >= at) {
            if (s->lambda > at && out) out[count] = s->lambda;
            count += s->lambda > at;
            placed = true;
        }
        if (out) out[count] = at;
        count++;
    }
    if (!placed && out) out[count] = s->lambda;
    return count + !placed;
}

/* The lambda that is known before anything is solved. */
static pare_status settle(search *s, double lambda, bool refit, pare_error *err) {
    double most = s->task.lambda_max;
    s->lambda = lambda;
    if (most == 0) {
        if (isnan(lambda)) s->lambda = 1;
        return fit_note(s->r, err,
                        "the empty model is optimal for every lambda above 0: no "
                        "feature tells anything about the target");
    }
    if (!isnan(lambda) && !refit) return fit_note(s->r, err, "lambda_max is %.9g", most);
    if (!isnan(lambda) || s->k > 0) return PARE_OK;
    s->lambda = s->set->lambda_ratio * most;
    return fit_note(s->r, err, "lambda was not given: %.6g, %g of the largest that selects",
                    s->lambda, s->set->lambda_ratio);
}

pare_status l1_mkl_path_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    l1_mkl_path_settings *set = &fit_settings(r, job)->l1_mkl_path;
    search s = {.r = r, .set = set, .ctx = ctx, .sweep = set->sweep && !job->refit};
    s.k = isnan(set->lambda) && !job->refit && job->k > 0 ? job->k : 0;
    pare_status status = PARE_OK;
    TRY(task_open(&s.task, job, set, ctx, err)); /* 1 */
    TRY(settle(&s, set->lambda, job->refit, err));
    if (s.task.lambda_max == 0) {
        set->lambda = s.lambda;
        TRY(give_nothing(r, &s.task, s.lambda, ctx, err));
        goto done;
    }
    int64_t count = plan(&s, NULL);
    double *lambda = ARENA_NEW(&s.task.mem, double, count);
    TRY_MEM(lambda);
    plan(&s, lambda);
    s.last = lambda[count - 1];
    TRY(l1_mkl_run(s.task.solver, lambda, count, see, &s, err)); /* 2, 3 */
    if (!s.given) {
        status = error_set(err, PARE_E_CANCELLED, "stopped inside the path over lambda");
        goto done;
    }
    set->lambda = s.lambda;
    if (s.k > 0 && r->n_support < s.k)
        TRY(fit_note(r, err, "at lambda %.6g, the last of the path, %lld feature%s %s a part",
                     s.lambda, (long long)r->n_support, PLURAL(r->n_support),
                     r->n_support == 1 ? "has" : "have"));
done:
    task_close(&s.task);
    return status;
}

/* --- along lambda --- */

typedef struct along {
    mkl_task task;
    along_points *points;
    const view *test;
    int64_t at;
    const pare_ctx *ctx;
} along;

static pare_status score(double *F, const along *a, const fit_result *r, const l1_mkl_point *at,
                         pare_error *err) {
    const mkl_task *t = &a->task;
    pare_status status;
    if (t->kind == KERNEL_LINEAR) {
        status = mat_mul(a->test, r->support, r->n_support, r->W, t->c, F, a->ctx, err);
    } else {
        kernel_sum sum = {t->kind, l1_mkl_gamma(t->solver), 1, r->kernel->weights};
        status = kernel_apply(F, t->job->x, a->test, &sum, at->U, t->c, a->ctx, err);
    }
    for (int64_t o = 0; o < t->c && status == PARE_OK; o++)
        for (int64_t i = 0; i < a->test->n; i++) F[o * a->test->n + i] += r->b[o];
    return status;
}

static pare_status keep_point(along *a, const l1_mkl_point *at, pare_error *err) {
    along_points *points = a->points;
    int64_t s = a->at++;
    fit_result r;
    fit_result_init(&r, a->ctx);
    pare_status status = PARE_OK;
    if (at)
        TRY(give(&r, &a->task, at, a->ctx, err));
    else
        TRY(give_nothing(&r, &a->task, 1, a->ctx, err));
    points->used[s] = r.n_support;
    along_keep(points, s, r.support, r.z);
    if (points->F && (!points->want || points->want[s])) {
        l1_mkl_point none = {.U = r.dual};
        TRY(score(points->F + s * a->test->n * a->task.c, a, &r, at ? at : &none, err));
    }
done:
    fit_result_free(&r);
    return status;
}

static pare_status see_along(void *user, const l1_mkl_point *at, bool *stop, pare_error *err) {
    along *a = user;
    (void)stop;
    if (at->outcome == PARE_CANCELLED || at->outcome == PARE_TIME_LIMIT)
        return error_set(err, PARE_E_CANCELLED, "stopped inside a path");
    a->points->unconverged += at->outcome != PARE_OPTIMAL;
    return keep_point(a, at, err);
}

static pare_status run_path(along_points *points, const fit_job *job, const view *test,
                            const pare_ctx *ctx, pare_error *err) {
    along a = {.points = points, .test = test, .ctx = ctx};
    pare_status status = PARE_OK;
    TRY(task_open(&a.task, job, &points->set->l1_mkl_path, ctx, err));
    double *lambda = ARENA_NEW(&a.task.mem, double, points->count);
    TRY_MEM(lambda);
    for (int64_t i = 0; i < points->count; i++) lambda[i] = points->value[i] * a.task.lambda_max;
    if (a.task.lambda_max > 0)
        TRY(l1_mkl_run(a.task.solver, lambda, points->count, see_along, &a, err));
    else
        while (a.at < points->count) TRY(keep_point(&a, NULL, err));
done:
    task_close(&a.task);
    return status;
}

const method_along l1_mkl_along = {&along_shares, run_path, NULL};

/* A pass over the kernels of all features for each lambda. */
effort_estimate l1_mkl_path_effort(const effort_job *job) {
    bool linear = choice_is(job->set->l1_mkl_path.kernel, "linear");
    double each = (linear ? 1e-8 : 1.2e-7) * job->stored;
    return (effort_estimate){each * (double)job->set->l1_mkl_path.lambda_count,
                             linear ? "fewer points (`lambda_count`) take less"
                                    : "`kernel linear` is many times as fast"};
}

/* The steps that lasso and logistic share: the choice of lambda, the walk to it, the result. */
#include "method/glm/glm.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "method/glm/glm_task.h"

static const double FALL = 0.75;     /* of lambda from step to step if only the last point is
                                        needed */
static const double THINNEST = 1e-4; /* relative accuracy of the lambda at which a feature enters */
static const double MIN_LAMBDA_SHARE = 1e-7; /* of lambda_max: smaller lambdas are not meaningful in
                                                doubles */
static const double CLOSE = 1e-10;  /* relative gap if features are counted or chosen already */
static const double NO_LOSS = 1e-9; /* of the empty model's loss */

/* A stored point of the path: `at` with arrays of its own. */
typedef struct kept {
    bool there;
    glm_point at;
    int64_t capacity;
    int64_t *feature;
    double *B, *b, *U;
} kept;

typedef struct search {
    glm_task task;
    fit_result *r;
    bool sweep; /* keep every point for --lambda-path */
    double k;   /* number of features without the forced-in ones, or the most that their costs may
                   sum to; 0: lambda decides */
    double lambda;     /* wanted, NaN: k decides */
    kept under, over;  /* with k: the last point with k features at most, the first with more; with
                          lambda: the point itself is `under` */
    const char *ended; /* why the path ended early, or NULL */
    double end;
    bool job_refit;
    const pare_ctx *ctx;
} search;

/* The outcome of a point by the tolerance of the settings: counting features needs a smaller
 * tolerance. */
static pare_outcome reached(const search *s, const glm_point *point) {
    bool fine =
        point->outcome == PARE_MAX_ITER && point->gap <= s->task.how->tol * fabs(point->objective);
    return fine ? PARE_OPTIMAL : point->outcome;
}

/* Groups with a coefficient: a block counts by its first feature that has one. */
static double groups_in(const search *s, const glm_point *point) {
    const penalty *pen = &s->task.pen;
    double count = 0;
    for (int64_t i = 0; i < point->n_features; i++) {
        int64_t g = pen->block[point->feature[i]];
        bool seen = false;
        for (int64_t q = i; q-- > 0 && !seen;) seen = pen->block[point->feature[q]] == g;
        count += !seen && pen->cost[g] > 0;
    }
    return count;
}

/* The quantity that k limits: the number of features of a point, or their cost. */
static double taken(const search *s, const glm_point *point) {
    const fit_job *job = s->task.job;
    double sum = 0;
    if (!(job->budget > 0) && job->terms.group && choice_is(job->set->common.count, "groups"))
        return groups_in(s, point);
    if (!(job->budget > 0)) return (double)(point->n_features - s->task.n_kept);
    for (int64_t i = 0; i < point->n_features; i++) {
        int64_t j = point->feature[i], base = job->x->cols ? job->x->cols[j] : j;
        if (!terms_keep(&job->terms, base)) sum += terms_cost(&job->terms, base);
    }
    return sum;
}

static pare_status keep(kept *to, const search *s, const glm_point *point, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(s->ctx);
    int64_t c = s->task.c, nc = s->task.n * c;
    if (!to->there || point->n_features > to->capacity) {
        int64_t more = point->n_features + 16;
        bool fine = mem_resize(mem, &to->feature, more, sizeof(int64_t)) &&
                    mem_resize(mem, &to->B, more * c, sizeof(double)) &&
                    mem_resize(mem, &to->b, c, sizeof(double)) &&
                    mem_resize(mem, &to->U, nc, sizeof(double));
        if (!fine) return error_memory(err);
        to->capacity = more;
    }
    memcpy(to->feature, point->feature, sizeof(int64_t) * (size_t)point->n_features);
    memcpy(to->B, point->B, sizeof(double) * (size_t)(point->n_features * c));
    memcpy(to->b, point->b, sizeof(double) * (size_t)c);
    memcpy(to->U, point->U, sizeof(double) * (size_t)nc);
    to->there = true;
    to->at = *point;
    to->at.feature = to->feature;
    to->at.B = to->B;
    to->at.b = to->b;
    to->at.U = to->U;
    to->at.outcome = reached(s, point);
    return PARE_OK;
}

static void drop(kept *k, const pare_ctx *ctx) {
    const pare_allocator *mem = ctx_allocator(ctx);
    mem_free(mem, k->U);
    mem_free(mem, k->b);
    mem_free(mem, k->B);
    mem_free(mem, k->feature);
}

/* Whether the path has reached a lambda below which nothing is meaningful. */
static const char *ends_here(const search *s, const glm_point *point) {
    bool interrupted = point->outcome == PARE_CANCELLED || point->outcome == PARE_TIME_LIMIT;
    if (interrupted) return pare_outcome_name(point->outcome);
    if (reached(s, point) != PARE_OPTIMAL) return "rounding keeps the gap above the tolerance";
    double least = loss_least(&s->task.problem.loss);
    if (point->loss - least <= NO_LOSS * (glm_null_loss(s->task.solver) - least))
        return s->task.problem.loss.kind->met;
    return NULL;
}

static pare_status see(void *user, const glm_point *point, bool *stop, pare_error *err) {
    search *s = user;
    const glm_choice *how = s->task.how;
    bool interrupted = point->outcome == PARE_CANCELLED || point->outcome == PARE_TIME_LIMIT;
    if (s->sweep &&
        fit_path_has(point->lambda, s->task.lambda_max, how->lambda_least, how->lambda_count)) {
        pare_lambda_point one = {.lambda = point->lambda,
                                 .objective = point->objective,
                                 .loss = point->loss,
                                 .penalty = point->penalty,
                                 .gap = point->gap,
                                 .n_features = point->n_features,
                                 .deviance = 2 * s->task.total * point->loss};
        for (int64_t e = 0; e < point->n_features * s->task.c; e++) one.df += point->B[e] != 0;
        PASS(fit_path_point(s->r, one, s->task.c, point->b, err));
        for (int64_t i = 0; i < point->n_features; i++)
            PASS(fit_path_row(s->r, point->feature[i], point->B + i * s->task.c, 1, err));
    }
    if (s->k > 0) {
        if (taken(s, point) <= s->k && !s->over.there)
            PASS(keep(&s->under, s, point, err));
        else if (!s->over.there)
            PASS(keep(&s->over, s, point, err));
    } else if (point->lambda == s->lambda || (interrupted && !s->under.there)) {
        PASS(keep(&s->under, s, point, err));
    }
    s->ended = ends_here(s, point);
    s->end = point->lambda;
    bool found = s->k > 0 ? s->over.there : s->under.there;
    *stop = interrupted || (s->ended && s->sweep) || (found && !s->sweep);
    return PARE_OK;
}

/* A point of the bisection. */
static pare_status see_between(void *user, const glm_point *point, bool *stop, pare_error *err) {
    search *s = user;
    (void)stop;
    s->ended = ends_here(s, point);
    return keep(taken(s, point) <= s->k ? &s->under : &s->over, s, point, err);
}

/* The falling sequence of lambdas: the grid if it is wanted, else the way to lambda. */
static int64_t plan(const search *s, double *out) {
    const glm_choice *how = s->task.how;
    double most = s->task.lambda_max, at = most;
    int64_t count = 0;
    if (!s->sweep && s->k == 0) {
        for (; !s->task.small && at * FALL > s->lambda; count++, at *= FALL)
            if (out) out[count] = at;
        if (out) out[count] = s->lambda;
        return count + 1;
    }
    bool placed = s->k > 0;
    for (int64_t i = 0; i < how->lambda_count; i++) {
        at = fit_path_lambda(most, how->lambda_least, i, how->lambda_count);
        if (!placed && s->lambda >= at) {
            if (out && s->lambda > at) out[count] = s->lambda;
            count += s->lambda > at;
            placed = true;
            if (s->lambda == at && out) at = s->lambda;
        }
        if (out) out[count] = at;
        count++;
    }
    if (!placed && out) out[count] = s->lambda;
    return count + !placed;
}

static pare_status walk_path(search *s, pare_error *err) {
    int64_t count = plan(s, NULL);
    double *lambda = ARENA_NEW(&s->task.mem, double, count);
    if (!lambda) return error_memory(err);
    plan(s, lambda);
    return glm_task_run(&s->task, lambda, count, see, s, s->ctx, err);
}

/* Between the last point with k features and the first with more: the entry of the next one. */
static pare_status bisect(search *s, pare_error *err) {
    double high = s->under.there ? s->under.at.lambda : s->task.lambda_max;
    while (s->over.there && !s->ended && high > s->over.at.lambda * (1 + THINNEST)) {
        double middle = sqrt(high) * sqrt(s->over.at.lambda);
        PASS(glm_task_run(&s->task, &middle, 1, see_between, s, s->ctx, err));
        if (s->under.there && s->under.at.lambda == middle) high = middle;
        if (!(s->over.at.lambda <= middle) && high != middle) break;
    }
    return PARE_OK;
}

/* The lambda that is known before anything is solved; NaN: k decides. */
static pare_status settle_lambda(search *s, double lambda, pare_error *err) {
    const glm_choice *how = s->task.how;
    double most = s->task.lambda_max;
    bool automatic = isnan(lambda);
    s->lambda = lambda;
    if (most == 0) {
        s->k = 0;
        s->sweep = false;
        if (automatic) s->lambda = 1;
        if (s->task.n_kept == s->task.d) return PARE_OK; /* nothing is penalised */
        return fit_note(
            s->r, err, "the empty model is optimal for every lambda above 0: no feature %s",
            s->task.pen.sign ? "with its sign lowers the loss" : "tells anything about the target");
    }
    if (automatic && s->k == 0) {
        s->lambda = how->lambda_ratio * most;
        PASS(fit_note(s->r, err, "lambda was not given: %.6g, %g of the largest that selects",
                      s->lambda, how->lambda_ratio));
    } else if (!automatic && !s->job_refit) {
        PASS(fit_note(s->r, err, "lambda_max is %.9g", most));
    }
    if (s->lambda < MIN_LAMBDA_SHARE * most) {
        PASS(fit_note(s->r, err, "lambda %g is too small to mean anything in doubles: %g was used",
                      s->lambda, MIN_LAMBDA_SHARE * most));
        s->lambda = MIN_LAMBDA_SHARE * most;
    }
    return PARE_OK;
}

static pare_status note_end(search *s, const glm_point *at, pare_error *err) {
    if (s->ended && s->sweep)
        PASS(fit_note(s->r, err, "the path ended at lambda %.6g: %s", s->end, s->ended));
    if (s->k > 0 && !(s->task.job->budget > 0) && taken(s, at) != s->k)
        PASS(fit_note(
            s->r, err,
            "no lambda leaves exactly %lld feature%s: lambda %.6g was taken, which leaves %lld",
            (long long)s->k, PLURAL(s->k), at->lambda, (long long)taken(s, at)));
    return PARE_OK;
}

glm_choice glm_choose(const glm_family *f, const all_settings *set) {
    settings_group of = f->group;
    setting_value rows = settings_get(set, of, "penalty");
    return (glm_choice){.family = f,
                        .rows = rows.text && choice_is(rows.text, "rows"),
                        .adaptive = settings_get(set, of, "adaptive").flag,
                        .gamma = settings_get(set, of, "adaptive_gamma").real,
                        .ridge = settings_get(set, of, "adaptive_ridge").real,
                        .lambda = settings_get(set, of, "lambda").real,
                        .alpha = settings_get(set, of, "alpha").real,
                        .lambda_ratio = settings_get(set, of, "lambda_ratio").real,
                        .lambda_least = settings_get(set, of, "lambda_least").real,
                        .tol = settings_get(set, of, "tol").real,
                        .sweep = settings_get(set, of, "sweep").flag,
                        .lambda_count = settings_get(set, of, "lambda_count").integer};
}

pare_status glm_fit(fit_result *r, const fit_job *job, const glm_family *family,
                    const pare_ctx *ctx, pare_error *err) {
    all_settings *set = fit_settings(r, job);
    glm_choice how = glm_choose(family, set);
    how.ridge = glm_choose(family, job->set).ridge; /* not that of a selection on other features */
    search s = {.r = r, .ctx = ctx, .job_refit = job->refit};
    pare_status status = PARE_OK;
    s.sweep = how.sweep && !job->refit;
    if (isnan(how.lambda) && !job->refit)
        s.k = job->budget > 0 ? job->budget * (1 + BUDGET_SLACK) : (double)job->k;
    bool closer = s.k > 0 || job->refit;
    TRY(glm_task_open(&s.task, job, &how, closer ? fmin(how.tol, CLOSE) : how.tol, ctx, err));
    if (how.adaptive) settings_put(set, family->group, "adaptive_ridge", s.task.ridge);
    TRY(settle_lambda(&s, how.lambda, err));
    TRY(walk_path(&s, err));
    if (s.k > 0 && s.over.there) TRY(bisect(&s, err));
    bool exact = s.under.there &&
                 (s.k == 0 || job->budget > 0 || taken(&s, &s.under.at) == s.k || !s.over.there);
    const kept *at = exact ? &s.under : &s.over;
    if (!at->there) {
        status = error_set(err, PARE_E_CANCELLED, "stopped inside the path over lambda");
        goto done;
    }
    settings_put(set, family->group, "lambda", at->at.lambda);
    TRY(glm_task_give(r, &s.task, &at->at, ctx, err));
    TRY(note_end(&s, &at->at, err));
done:
    drop(&s.over, ctx);
    drop(&s.under, ctx);
    glm_task_close(&s.task);
    return status;
}

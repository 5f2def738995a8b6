/* NAME       dlsr-fs
 * PAPER      dlsr eq. (21), section III, Algorithm 2.
 * PROBLEM    minimise over W, t   sum_i s_i |r_i|_2 + lambda sum_j |W^j|_2, with the dragging
 *            matrix M at its optimum: r_ik = min(f_ik - 1, 0) for the own class, max(f_ik, 0) for
 *            the others, f = X W + 1 t'; s_i sample times class weight. With groups of features:
 *            sum_g |W^g|_2, one norm over all rows of a group.
 * SYMBOLS    W: d x c, rows W^j; t -> b; L: n x c multipliers, >= 0; n samples, c outputs.
 * ALGORITHM  1. The problem without features gives lambda_max: above it W = 0 is optimal.
 *            2. Working sets: solve on a few features (solve/group_hinge), price all d, add the
 *               violated, until the gap over all d features is within tol (method/dlsr_fs_path).
 *            3. exact_k: down the path from lambda_max, warm, until k features are active. sweep:
 *               the path itself, kept with the fit.
 *            algorithm irls: method/dlsr_irls.
 * COST       1 pass over X for lambda_max (2 where columns are not standardised), 1 per working set
 *            (4 to 7 of them, 1 or 2 at a neighbouring lambda; 2 or 3 where features are very many,
 *            since most sets come from the most violated features only);
 *            memory X + c n^2 + n c (n + working set) + d c. From 30 classes on, working sets up to
 *            the number of samples take 20 n c and at most 500 MB instead.
 * GUARANTEE  duality gap over all d features from raw data, W, t and L (certify/certify_dlsr_fs.c);
 *            rows of W that are zero are exactly zero.
 * STOPPING   relative gap <= tol.
 * DEVIATIONS Two classes have one output, f_2 - f_1 (method/discriminant/indicator.h). The
 *            intercept is exact, not a feature of size u = 10000. The multipliers come from the
 *            solver: residuals alone do not give them where they vanish
 *            (tests/cert/test_dlsr_cert.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/discriminant/dlsr_fs_path.h"
#include "method/discriminant/dlsr_irls.h"

#define PATH_END                                                                                   \
    10 /* times tol: share of the loss in the objective at which W has stopped changing */
#define PATH_STEP 0.9 /* between the lambdas of the search for k features */
enum { MAX_PATH = 200, MAX_BISECTIONS = 40 };

static bool stopped(const fs_path *p) {
    return p->at.outcome == PARE_CANCELLED || p->at.outcome == PARE_TIME_LIMIT;
}

/* Whether W has stopped changing with lambda. */
static bool at_end(const fs_path *p, double tol) { return p->loss <= PATH_END * tol * p->primal; }

/* Down the path until k features are active; between two lambdas by bisection of the logarithms. */
static pare_status find_k(fs_path *p, int64_t k, double tol, int64_t *found, const pare_ctx *ctx,
                          pare_error *err) {
    double above = p->lambda_max, lambda = above;
    pare_status status = PARE_OK;
    *found = 0;
    for (int step = 0; step < MAX_PATH && (step == 0 || p->counted < k); step++) {
        above = lambda;
        lambda *= PATH_STEP;
        TRY(fs_path_solve(p, lambda, tol, ctx, err));
        if (stopped(p) || (p->counted < k && at_end(p, tol))) goto done;
    }
    for (int step = 0; step < MAX_BISECTIONS && p->counted != k; step++) {
        double middle = sqrt(above * lambda);
        if (!(middle < above && middle > lambda)) break;
        TRY(fs_path_solve(p, middle, tol, ctx, err));
        if (stopped(p)) goto done;
        if (p->counted < k)
            above = middle;
        else
            lambda = middle;
    }
    if (p->counted < k) TRY(fs_path_solve(p, lambda, tol, ctx, err)); /* several entered at once */
done:
    *found = p->counted;
    return status;
}

/* The point in the units of the model: two classes have f_2 - f_1 = 2 f_2 - 1. */
static pare_status keep_point(fit_result *r, const fs_path *p, pare_lambda_point point,
                              pare_error *err) {
    int64_t c = p->of->c, first = r->path.rows;
    double scale = (c == 1 ? 2 : 1) / p->unit;
    pare_status status = fit_path_point(r, point, c, p->at.b, err);
    for (int64_t a = 0; a < p->s && status == PARE_OK; a++) {
        bool any = false;
        for (int64_t k = 0; k < c; k++) any |= p->at.W[k * p->s + a] != 0;
        if (any) status = fit_path_row(r, p->set[a], p->at.W + a, p->s, err);
    }
    if (status != PARE_OK) return status;
    double *b = r->path.b + (r->path.count - 1) * c;
    if (c == 1) b[0] = 2 * b[0] - 1;
    for (int64_t e = first; e < r->path.rows; e++)
        for (int64_t k = 0; k < c; k++) {
            double *w = &r->path.coef[e * c + k];
            *w *= scale;
            if (p->mean) b[k] -= *w * p->mean[r->path.index[e]];
        }
    return PARE_OK;
}

/* sweep: from lambda_max down in equal ratios, warm, to lambda_least or the end of the path. It has
 * a state of its own, so that the model is the same with and without it. */
static pare_status sweep(fit_result *r, const fs_path *of, const view *x, const pare_ctx *ctx,
                         pare_error *err) {
    const dlsr_fs_settings *s = &r->set.dlsr_fs;
    fs_path own = {0}, *p = &own;
    pare_status status = PARE_OK;
    TRY(fs_path_open(p, x, of->of, of->blocks, ctx, err));
    if (!(p->lambda_max > 0)) {
        TRY(fit_note(r, err, "lambda_max is 0: there is no path"));
        goto done;
    }
    for (int64_t i = 0; i < s->lambda_count; i++) {
        double lambda = fit_path_lambda(p->lambda_max, s->lambda_least, i, s->lambda_count);
        TRY(fs_path_solve(p, lambda, s->tol, ctx, err));
        if (stopped(p)) {
            TRY(fit_note(r, err, "the path was stopped at lambda %.6g", lambda));
            goto done;
        }
        double size = fmax(fabs(p->primal), fabs(p->dual));
        pare_lambda_point point = {.lambda = lambda,
                                   .objective = p->primal,
                                   .loss = p->loss,
                                   .penalty = (p->primal - p->loss) / lambda,
                                   .gap = size > 0 ? (p->primal - p->dual) / size : 0,
                                   .n_features = p->n_active,
                                   .deviance = NAN};
        TRY(keep_point(r, p, point, err));
        if (!at_end(p, s->tol)) continue;
        TRY(fit_note(r, err, "the path ends at lambda %.6g, where all residuals vanish", lambda));
        goto done;
    }
    TRY(fit_note(r, err, "the path ends at lambda %.6g, before all residuals vanish", p->lambda));
done:
    fs_path_close(p);
    return status;
}

/* The lambda in effect, into the result's settings, and the solve. */
static pare_status solve(fit_result *r, fs_path *p, const fit_job *job, const pare_ctx *ctx,
                         pare_error *err) {
    dlsr_fs_settings *s = &r->set.dlsr_fs;
    bool search = s->exact_k && job->k > 0 && job->k < job->x->d && p->lambda_max > 0;
    if (search) {
        int64_t found;
        PASS(find_k(p, job->k, s->tol, &found, ctx, err));
        s->lambda = p->lambda;
        if (found < job->k) r->most = found;
        if (found != job->k)
            PASS(fit_note(r, err,
                          "no lambda was found at which exactly %lld %s live: %lld do at "
                          "lambda %.6g",
                          (long long)job->k, p->blocks->counted ? "groups" : "features",
                          (long long)found, p->lambda));
        return PARE_OK;
    }
    if (isnan(s->lambda)) s->lambda = s->lambda_ratio * (p->lambda_max > 0 ? p->lambda_max : 1);
    return fs_path_solve(p, s->lambda, s->tol, ctx, err);
}

static pare_status note_path(fit_result *r, const fs_path *p, double tol, pare_error *err) {
    pare_status status = fit_note(
        r, err, "lambda_max is %.6g (%s), lambda %.6g", p->lambda_max,
        p->exact_max ? "exact" : "an upper bound: at W = 0 some class has no residual", p->lambda);
    if (status == PARE_OK && p->lambda >= p->lambda_max)
        status = fit_note(r, err, "lambda is not below lambda_max: no feature is selected");
    else if (status == PARE_OK && at_end(p, tol))
        status = fit_note(r, err,
                          "all residuals vanish: a smaller lambda gives the same features "
                          "and weights");
    return status;
}

pare_status dlsr_fs_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->x->n, d = job->x->d;
    dlsr_fs_settings *s = &fit_settings(r, job)->dlsr_fs;
    bool irls = strcmp(s->algorithm, "irls") == 0;
    if (strcmp(s->predict, "1nn") == 0) r->decides = BY_MAPPED_NEIGHBOUR;
    if (irls && s->sweep)
        return error_set(err, PARE_E_ARGUMENT,
                         "`sweep`: true is not allowed with algorithm irls, which has no path");
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    fs_path path = {0};
    bool opened = false;
    indicator of;
    feature_blocks blocks;

    TRY(blocks_of(&blocks, &scratch, job, err));
    TRY(indicator_make(&of, &scratch, job, err));
    TRY_MEM(r->dual = ARENA_ZERO(&r->mem, double, n *of.c));
    TRY_MEM(r->b = ARENA_NEW(&r->mem, double, of.c));
    r->n_dual = of.c;
    opened = true;
    TRY(fs_path_open(&path, job->x, &of, &blocks, ctx, err)); /* 1 */
    double *W = path.products; /* d x c, and scratch until the path is solved */
    if (irls) {
        if (isnan(s->lambda)) s->lambda = s->lambda_ratio * path.lambda_max;
        if (!(s->lambda > 0)) s->lambda = s->lambda_ratio;
        TRY(dlsr_irls(W, r->b, r->dual, &r->iterations, &of, job->x, &blocks, s->lambda, s->tol,
                      &r->outcome, ctx, err));
    } else {
        TRY(solve(r, &path, job, ctx, err)); /* 2, 3 */
        if (!job->refit) TRY(note_path(r, &path, s->tol, err));
        fs_path_result(&path, W, r->b, r->dual);
        r->outcome = path.at.outcome;
        r->iterations = path.at.steps;
    }
    if (of.c == 1) { /* f_2 - f_1 = 2 f_2 - 1 */
        for (int64_t j = 0; j < d; j++) W[j] *= 2;
        r->b[0] = 2 * r->b[0] - 1;
    }
    for (int64_t j = 0; j < d; j++) path.price[j] /= s->lambda;
    if (irls)
        TRY(fit_support(r, W, d, of.c, err));
    else
        TRY(fit_support_priced(r, W, path.price, d, of.c, err));
    r->n_point = r->n_support; /* a refit on fewer features keeps this as the selection problem */
    r->point = r->support;
    r->point_W = r->W;
    r->point_b = r->b;
    if (s->sweep && !job->refit) TRY(sweep(r, &path, job->x, ctx, err));

done:
    if (opened) fs_path_close(&path);
    arena_free(&scratch);
    return status;
}

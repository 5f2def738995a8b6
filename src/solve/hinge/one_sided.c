/* ALGORITHM  1. All samples active: one factorization, one solve for all outputs.
 *            2. Per output: active = samples with a residual. The minimiser of the quadratic on
 *               them solves (K_AA + lambda/s) beta + b = target, sum beta = 0, or, with fewer
 *               features than active samples, the normal equations in (w, b).
 *            3. Take the whole step; if whole steps do not converge, an exact line search: the
 *               objective along the step is piecewise quadratic and the zero of its derivative is
 *               found exactly (halving stalls where lambda is small). Until the gap is within
 *               tol_rel.
 *            4. Outputs that this leaves open (all samples at their kinks, near hard margins) go to
 *               solve/svm_dual: f = (g + 1) / 2 makes the loss a squared hinge with ridge lambda/s.
 * COST       |A|^3 / 3, or |A| d^2 where d is less, a step; memory one such matrix per thread. */
#include "solve/hinge/one_sided.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/factor.h"
#include "solve/svm/svm_dual.h"

#define MIN_PARALLEL_WORK 1e7 /* operations: waking threads costs more than little work does */
#define IGNORED 1e300         /* on the diagonal of a sample of weight 0 */
#define SMALL_STEP                                                                                 \
    1e-4 /* of the step: with samples at their kinks, line searches make no progress */
enum {
    WHOLE_STEPS = 25, /* taken without a search at first: nearly always enough */
    STEPS_MAX = 120,
    MAX_SMALL_STEPS = 5,
    SEARCH_MAX = 100,
    OUTPUTS_PER_POLL = 64,
    GRAM_RATIO = 4 /* samples per feature */
};

/* One output of one thread at work. */
typedef struct os_work {
    const os_problem *p;
    const double *sign, *target;
    int64_t *active;
    int64_t m;            /* active samples */
    double *M;            /* the system: order max(samples_most, d + 1) at most */
    int64_t samples_most; /* active samples up to which the system is in them */
    double *rhs;          /* two columns of that order */
    double *rows;         /* m x d gathered features, x only */
    const double *gram;   /* K, or X X' where memory allows, or NULL */
    double *root;         /* n: roots of the weights */
    double *f, *f_next;   /* n */
    double *u, *u_next;   /* n: lambda beta */
    double *w, *w_next;   /* d, x only */
    double *a, *Ka;       /* n: dual point and its image; x only: image in d */
    double b, b_next;
    double level; /* added to every entry of K: no effect, as beta sums to 0, but the system is
                     no longer near singular along the ones when lambda is small */
    double norm2, cross, norm2_next; /* |w|^2, w'w_next, |w_next|^2 */
} os_work;

static double residual(const os_work *w, int64_t i, double f) {
    double r = w->target[i] - f;
    return w->p->one_sided && !(w->sign[i] * r > 0) ? 0 : r;
}

static void find_active(os_work *w) {
    w->m = 0;
    for (int64_t i = 0; i < w->p->n; i++)
        if (w->p->weight[i] > 0 && residual(w, i, w->f[i]) != 0) w->active[w->m++] = i;
}

/* Active rows of x, m x d. */
static void gather_rows(os_work *w, bool weighted) {
    for (int64_t j = 0; j < w->p->d; j++)
        for (int64_t r = 0; r < w->m; r++) {
            int64_t i = w->active[r];
            w->rows[j * w->m + r] = (weighted ? w->root[i] : 1) * w->p->x[j * w->p->n + i];
        }
}

/* Step 2 in the samples: u_next on the active, b_next. */
static bool solve_samples(os_work *w) {
    const os_problem *p = w->p;
    int64_t m = w->m, n = p->n;
    if (w->gram) {
        for (int64_t c = 0; c < m; c++)
            for (int64_t r = c; r < m; r++)
                w->M[c * m + r] = w->gram[w->active[c] * n + w->active[r]];
    } else {
        gather_rows(w, false);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)m, (int)p->d, 1, w->rows, (int)m,
                    0, w->M, (int)m);
    }
    for (int64_t e = 0; p->intercept && e < m * m; e++) w->M[e] += w->level;
    for (int64_t r = 0; r < m; r++) {
        w->M[r * m + r] += p->lambda / p->weight[w->active[r]];
        w->rhs[r] = w->target[w->active[r]];
        w->rhs[m + r] = 1;
    }
    if (!chol_factor_solve('L', m, w->M, m, w->rhs, 2)) return false;
    double beta = 0, ones = 0;
    for (int64_t r = 0; r < m; r++) {
        beta += w->rhs[r];
        ones += w->rhs[m + r];
    }
    w->b_next = p->intercept && ones > 0 ? beta / ones : 0;
    for (int64_t i = 0; i < n; i++) w->u_next[i] = 0;
    for (int64_t r = 0; r < m; r++)
        w->u_next[w->active[r]] = p->lambda * (w->rhs[r] - w->b_next * w->rhs[m + r]);
    return true;
}

/* The normal equations of the active samples in (w, b): M, lower part, and the right-hand side. */
static void normal_equations(os_work *w) {
    const os_problem *p = w->p;
    int64_t m = w->m, d = p->d, order = d + (p->intercept ? 1 : 0);
    gather_rows(w, true);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)d, (int)m, 1, w->rows, (int)m, 0, w->M,
                (int)order);
    double total = 0, sum = 0;
    for (int64_t r = 0; r < m; r++) {
        double weight = p->weight[w->active[r]];
        total += weight;
        sum += weight * w->target[w->active[r]];
    }
    for (int64_t j = 0; j < d; j++) {
        double with_one = 0, with_target = 0;
        for (int64_t r = 0; r < m; r++) {
            double x = w->rows[j * m + r] * w->root[w->active[r]];
            with_one += x;
            with_target += x * w->target[w->active[r]];
        }
        w->M[j * order + j] += p->lambda;
        if (p->intercept) w->M[j * order + d] = with_one;
        w->rhs[j] = with_target;
    }
    if (p->intercept) {
        w->M[d * order + d] = total;
        w->rhs[d] = sum;
    }
}

/* Step 2 in the features: w_next and b_next; u_next follows from the residuals. */
static bool solve_features(os_work *w) {
    const os_problem *p = w->p;
    int64_t d = p->d, order = d + (p->intercept ? 1 : 0);
    normal_equations(w);
    if (!chol_factor_solve('L', order, w->M, order, w->rhs, 1)) return false;
    memcpy(w->w_next, w->rhs, sizeof(double) * (size_t)d);
    w->b_next = p->intercept ? w->rhs[d] : 0;
    return true;
}

/* Where the quadratic on the active samples is least, with its fitted values on all. */
static bool next_point(os_work *w) {
    const os_problem *p = w->p;
    int64_t n = p->n, d = p->d;
    bool in_samples = w->m <= w->samples_most;
    w->b_next = w->b; /* nothing active: only w shrinks */
    for (int64_t i = 0; i < n; i++) w->u_next[i] = 0;
    for (int64_t j = 0; !p->K && j < d; j++) w->w_next[j] = 0;
    if (w->m > 0 && !(in_samples ? solve_samples(w) : solve_features(w))) return false;
    for (int64_t i = 0; i < n; i++) w->f_next[i] = w->b_next;
    if (p->K) {
        cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1 / p->lambda, p->K, (int)n, w->u_next, 1, 1,
                    w->f_next, 1);
        w->cross = w->norm2_next = 0;
        for (int64_t i = 0; i < n; i++) {
            w->norm2_next += w->u_next[i] / p->lambda * (w->f_next[i] - w->b_next);
            w->cross += w->u_next[i] / p->lambda * (w->f[i] - w->b);
        }
        return true;
    }
    if (in_samples)
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)d, 1 / p->lambda, p->x, (int)n,
                    w->u_next, 1, 0, w->w_next, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)d, 1, p->x, (int)n, w->w_next, 1, 1,
                w->f_next, 1);
    for (int64_t r = 0; !in_samples && r < w->m; r++) {
        int64_t i = w->active[r];
        w->u_next[i] = p->weight[i] * (w->target[i] - w->f_next[i]);
    }
    w->norm2_next = cblas_ddot((int)d, w->w_next, 1, w->w_next, 1);
    w->cross = cblas_ddot((int)d, w->w_next, 1, w->w, 1);
    return true;
}

/* Half the objective's first and second derivative at share t of the way. */
static double slope_at(const os_work *w, double t, double *curvature) {
    const os_problem *p = w->p;
    double change2 = w->norm2_next - 2 * w->cross + w->norm2;
    double slope = p->lambda * (w->cross - w->norm2 + t * change2), curve = p->lambda * change2;
    for (int64_t i = 0; i < p->n; i++) {
        double change = w->f_next[i] - w->f[i], r = residual(w, i, w->f[i] + t * change);
        if (r == 0) continue;
        slope -= p->weight[i] * r * change;
        curve += p->weight[i] * change * change;
    }
    *curvature = curve;
    return slope;
}

/* Step 3: the zero of the derivative on (0, 1], by Newton steps within a shrinking bracket. */
static double line_search(const os_work *w) {
    double lo = 0, hi = 1, curve, t = 1, at_end = slope_at(w, 1, &curve);
    if (!(at_end > 0)) return 1;
    double slope = at_end;
    for (int step = 0; step < SEARCH_MAX && hi - lo > 1e-16; step++) {
        double next = t - slope / curve;
        if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
        if (next == t) break;
        t = next;
        slope = slope_at(w, t, &curve);
        if (slope > 0)
            hi = t;
        else
            lo = t;
        if (fabs(slope) <= 1e-15 * at_end) break;
    }
    return t;
}

static void move(os_work *w, double t) {
    const os_problem *p = w->p;
    for (int64_t i = 0; i < p->n; i++) {
        w->f[i] = t == 1 ? w->f_next[i] : w->f[i] + t * (w->f_next[i] - w->f[i]);
        w->u[i] = t == 1 ? w->u_next[i] : w->u[i] + t * (w->u_next[i] - w->u[i]);
    }
    for (int64_t j = 0; !p->K && j < p->d; j++)
        w->w[j] = t == 1 ? w->w_next[j] : w->w[j] + t * (w->w_next[j] - w->w[j]);
    double rest = 1 - t;
    w->norm2 = t == 1 ? w->norm2_next
                      : rest * rest * w->norm2 + 2 * t * rest * w->cross + t * t * w->norm2_next;
    w->b = t == 1 ? w->b_next : w->b + t * (w->b_next - w->b);
}

/* Relative gap at (w, b) and the dual point that u gives (residuals cancel where lambda is
 * tiny). */
static double relative_gap(os_work *w) {
    const os_problem *p = w->p;
    int64_t n = p->n;
    double primal = p->lambda * w->norm2, dual = 0, up = 0, down = 0, image2 = 0;
    for (int64_t i = 0; i < n; i++) {
        double r = residual(w, i, w->f[i]), a = p->weight[i] > 0 ? 2 * w->u[i] : 0;
        if (p->one_sided && !(w->sign[i] * a > 0)) a = 0;
        primal += p->weight[i] * r * r;
        w->a[i] = a;
        if (a > 0) up += a;
        if (a < 0) down -= a;
    }
    double lighter = fmin(up, down);
    for (int64_t i = 0; i < n; i++) {
        double heavy = w->a[i] > 0 ? up : down;
        if (p->intercept && heavy > 0) w->a[i] *= lighter / heavy;
        if (w->a[i] != 0) dual += w->a[i] * w->target[i] - w->a[i] * w->a[i] / (4 * p->weight[i]);
    }
    if (p->K) {
        cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1, p->K, (int)n, w->a, 1, 0, w->Ka, 1);
        image2 = cblas_ddot((int)n, w->a, 1, w->Ka, 1);
    } else {
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)p->d, 1, p->x, (int)n, w->a, 1, 0,
                    w->Ka, 1);
        image2 = cblas_ddot((int)p->d, w->Ka, 1, w->Ka, 1);
    }
    dual -= image2 / (4 * p->lambda);
    double gap = primal - dual, size = fmax(fabs(primal), fabs(dual));
    return gap <= 0 ? 0 : gap / size;
}

/* X X' once for all outputs and steps, unless it is much larger than X. */
static pare_status make_gram(double **gram, arena *mem, const os_problem *p, pare_error *err) {
    int64_t n = p->n;
    *gram = NULL;
    if (p->K || n > GRAM_RATIO * p->d) return PARE_OK;
    *gram = ARENA_NEW(mem, double, n *n);
    if (!*gram) return error_memory(err);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)p->d, 1, p->x, (int)n, 0,
                *gram, (int)n);
    return PARE_OK;
}

static int64_t set_limit(const os_problem *p) { return p->K || p->n > p->d + 1 ? p->n : p->d + 1; }

static pare_status open_work(os_work *w, arena *mem, const os_problem *p, const double *gram,
                             pare_error *err) {
    int64_t n = p->n, d = p->K ? 0 : p->d;
    w->p = p;
    w->gram = gram;
    /* m^3 / 3 against m d^2 / 2 + d^3 / 3; without a Gram, m d^2 / 2 more */
    w->samples_most = p->K ? n : gram ? d + 2 * d / 5 : d;
    int64_t order = p->K || w->samples_most > d ? w->samples_most : d + 1;
    PASS_MEM(w->active = ARENA_NEW(mem, int64_t, n));
    PASS_MEM(w->M = ARENA_NEW(mem, double, order *order));
    PASS_MEM(w->rhs = ARENA_NEW(mem, double, 2 * set_limit(p)));
    PASS_MEM(w->rows = ARENA_NEW(mem, double, n *d));
    PASS_MEM(w->root = ARENA_NEW(mem, double, n));
    for (int64_t i = 0; i < n; i++) w->root[i] = sqrt(p->weight[i]);
    for (int64_t i = 0; i < n && p->K; i++) w->level += p->K[i * n + i] / (double)n;
    for (int64_t e = 0; e < n * d; e++) w->level += p->x[e] * p->x[e] / (double)n;
    PASS_MEM(ARENA_NEWS(mem, double, n, &w->f, &w->f_next, &w->u, &w->u_next, &w->a));
    PASS_MEM(ARENA_NEWS(mem, double, d, &w->w, &w->w_next));
    PASS_MEM(w->Ka = ARENA_NEW(mem, double, n > d ? n : d));
    return PARE_OK;
}

/* Steps 2 and 3 from the point in w; false: the gap stays above tol_rel. */
static bool solve_output(os_work *w, int64_t *steps) {
    double gap = relative_gap(w);
    int small = 0;
    for (int step = 0; step < STEPS_MAX && small < MAX_SMALL_STEPS && gap > w->p->tol_rel; step++) {
        find_active(w);
        if (!next_point(w)) return false;
        double t = step < WHOLE_STEPS ? 1 : line_search(w);
        small = t < SMALL_STEP ? small + 1 : 0;
        move(w, t);
        ++*steps;
        gap = relative_gap(w);
    }
    return gap <= w->p->tol_rel;
}

static void keep(const os_work *w, os_solution *s, int64_t o) {
    memcpy(s->U + o * w->p->n, w->u, sizeof(double) * (size_t)w->p->n);
    if (!w->p->K) memcpy(s->W + o * w->p->d, w->w, sizeof(double) * (size_t)w->p->d);
    s->b[o] = w->b;
}

/* Step 1: the least squares solutions of all outputs by one factorization, order x (c + 1): per
 * output beta (K) or (w, b), and last the solution for ones (K). False: not positive definite. */
static bool start_all(os_work *w, double *start) {
    const os_problem *p = w->p;
    int64_t n = p->n, d = p->d, c = p->c, order = p->K ? n : d + (p->intercept ? 1 : 0);
    if (p->K) {
        for (int64_t e = 0; e < n * n; e++) w->M[e] = p->K[e] + (p->intercept ? w->level : 0);
        memcpy(start, p->target, sizeof(double) * (size_t)(n * c));
        for (int64_t i = 0; i < n; i++) {
            w->M[i * n + i] += p->weight[i] > 0 ? p->lambda / p->weight[i] : IGNORED;
            start[c * n + i] = 1;
        }
        return chol_factor_solve('L', n, w->M, n, start, c + 1);
    }
    w->m = n;
    w->target = p->target;
    for (int64_t i = 0; i < n; i++) w->active[i] = i;
    normal_equations(w);
    for (int64_t o = 0; o < c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += w->a[i] = p->weight[i] * p->target[o * n + i];
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)d, 1, p->x, (int)n, w->a, 1, 0,
                    start + o * order, 1);
        if (p->intercept) start[o * order + d] = sum;
    }
    return chol_factor_solve('L', order, w->M, order, start, c);
}

/* The start of one output from start_all. */
static void start_output(os_work *w, const os_problem *p, int64_t o, const double *start) {
    int64_t n = p->n, d = p->d, order = p->K ? n : d + (p->intercept ? 1 : 0);
    const double *own = start + o * order;
    w->sign = p->sign + o * n;
    w->target = p->target + o * n;
    w->b = 0;
    if (p->K) {
        const double *ones = start + p->c * n;
        double beta = 0, total = 0;
        for (int64_t i = 0; i < n; i++) {
            beta += own[i];
            total += ones[i];
        }
        if (p->intercept && total > 0) w->b = beta / total;
        for (int64_t i = 0; i < n; i++) w->u[i] = p->lambda * (own[i] - w->b * ones[i]);
        for (int64_t i = 0; i < n; i++) w->f[i] = w->b;
        cblas_dsymv(CblasColMajor, CblasLower, (int)n, 1 / p->lambda, p->K, (int)n, w->u, 1, 1,
                    w->f, 1);
        w->norm2 = 0;
        for (int64_t i = 0; i < n; i++) w->norm2 += w->u[i] / p->lambda * (w->f[i] - w->b);
        return;
    }
    memcpy(w->w, own, sizeof(double) * (size_t)d);
    if (p->intercept) w->b = own[d];
    for (int64_t i = 0; i < n; i++) w->f[i] = w->b;
    cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)d, 1, p->x, (int)n, w->w, 1, 1, w->f, 1);
    for (int64_t i = 0; i < n; i++) w->u[i] = p->weight[i] * (w->target[i] - w->f[i]);
    w->norm2 = cblas_ddot((int)d, w->w, 1, w->w, 1);
}

/* Step 4 for one output. */
static pare_status solve_by_svm(os_solution *s, os_work *w, arena *mem, int64_t o, bool *solved,
                                const pare_ctx *ctx, pare_error *err) {
    const os_problem *p = w->p;
    int64_t n = p->n, d = p->d;
    const double *K = p->K;
    double *gram = NULL, *C = ARENA_NEW(mem, double, n), *ridge = ARENA_NEW(mem, double, n);
    PASS_MEM(C && ridge);
    if (!K) {
        PASS_MEM(gram = ARENA_NEW(mem, double, n *n));
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)n, (int)n, (int)d, 1, p->x,
                    (int)n, p->x, (int)n, 0, gram, (int)n);
        K = gram;
    }
    for (int64_t i = 0; i < n; i++) {
        C[i] = p->weight[i] > 0 ? INFINITY : 0;
        ridge[i] = p->weight[i] > 0 ? p->lambda / p->weight[i] : 0;
    }
    svm_problem hinge = {.n = n,
                         .K = K,
                         .y = p->sign + o * n,
                         .C = C,
                         .ridge = ridge,
                         .intercept = true,
                         .tol_rel = p->tol_rel};
    svm_solution out = {.alpha = w->a, .f = w->f};
    PASS(svm_dual_solve(&out, &hinge, ctx, err));
    for (int64_t i = 0; i < n; i++)
        s->U[o * n + i] = 0.5 * p->lambda * out.scale * out.alpha[i] * p->sign[o * n + i];
    s->b[o] = (out.b + 1) / 2;
    if (!p->K)
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)d, 1 / p->lambda, p->x, (int)n,
                    s->U + o * n, 1, 0, s->W + o * d, 1);
    s->steps += out.iterations;
    *solved = out.outcome == PARE_OPTIMAL;
    return PARE_OK;
}

pare_status os_solve(os_solution *s, const os_problem *p, const pare_ctx *ctx, pare_error *err) {
    double size = (double)(p->K ? p->n : p->d + 1), work_size = (double)p->c * size * size * size;
    int threads = work_size < MIN_PARALLEL_WORK ? 1 : ctx_threads(ctx);
    if (threads > p->c) threads = (int)p->c;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    os_work *work = ARENA_ZERO(&mem, os_work, threads);
    TRY_MEM(work);
    int64_t order = p->K ? p->n : p->d + 1;
    TRY(ctx_check_memory(ctx, 8.0 * threads * (double)order * (double)order,
                         "the systems of the Newton steps", err));
    double *gram;
    TRY(make_gram(&gram, &mem, p, err));
    for (int t = 0; t < threads; t++) TRY(open_work(&work[t], &mem, p, p->K ? p->K : gram, err));
    double *start = ARENA_NEW(&mem, double, order *(p->c + 1));
    bool *open = ARENA_ZERO(&mem, bool, p->c); /* outputs left for step 4 */
    TRY_MEM(start && open);
    if (!start_all(&work[0], start)) {
        status = error_set(err, PARE_E_DATA,
                           "lambda %g is too small for these data: the least squares system is "
                           "singular in double precision",
                           p->lambda);
        goto done;
    }
    s->steps = 0;
    s->outcome = PARE_OPTIMAL;
    for (int64_t from = 0; from < p->c; from += OUTPUTS_PER_POLL) {
        if (ctx_stops(ctx, "solving", (double)from / (double)p->c, &s->outcome)) {
            memset(s->U + from * p->n, 0, sizeof(double) * (size_t)((p->c - from) * p->n));
            if (!p->K)
                memset(s->W + from * p->d, 0, sizeof(double) * (size_t)((p->c - from) * p->d));
            for (int64_t o = from; o < p->c; o++) s->b[o] = 0;
            break;
        }
        int64_t to = p->c - from < OUTPUTS_PER_POLL ? p->c : from + OUTPUTS_PER_POLL;
        int64_t steps = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : steps)
        for (int t = 0; t < threads; t++)
            for (int64_t o = from + (to - from) * t / threads;
                 o < from + (to - from) * (t + 1) / threads; o++) {
                start_output(&work[t], p, o, start);
                open[o] = !solve_output(&work[t], &steps);
                keep(&work[t], s, o);
            }
        s->steps += steps;
        for (int64_t o = from; o < to; o++) {
            bool solved = !open[o];
            if (open[o] && p->intercept && p->one_sided)
                TRY(solve_by_svm(s, &work[0], &mem, o, &solved, ctx, err));
            if (!solved) s->outcome = PARE_MAX_ITER;
        }
    }

done:
    arena_free(&mem);
    return status;
}

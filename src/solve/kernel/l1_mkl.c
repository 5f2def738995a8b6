#include "solve/kernel/l1_mkl.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "la/product/dot.h"
#include "solve/kernel/kernel_factor.h"

static const double AHEAD = 0.75; /* of lambda: kernels of such a price may soon be active */
static const double INNER =
    0.03;                       /* of the tolerance: what the problem on the factors is solved to */
static const double CUT = 1e-4; /* of the tolerance: a factor's share of the trace to leave out */
enum { MIN_BATCH = 16 };

struct l1_mkl {
    const l1_mkl_problem *p;
    const pare_ctx *ctx;
    int64_t n, d, c;
    align_target t;                /* a dual point, for the prices */
    double *price, *trace, *gamma; /* d */
    double *again, *same;          /* d: further results of kernel_align */
    double lambda_max;
    arena mem;

    int64_t count, capacity; /* kernels with a factor */
    int64_t *kernel;         /* capacity: their features */
    int64_t *start;          /* capacity + 1: first column of each */
    double *phi;             /* n x columns */
    int64_t phi_capacity;    /* columns */
    bool *has;               /* d */
    ranked *order;           /* d */

    glm_solver *solver; /* on the factors as they are now, or NULL */
    glm_problem inner;
    penalty pen;
    matrix block;
    view whole;
    arena solver_mem;

    double *U, *row, *eta, *norm, *square;
    int64_t *feature; /* of a point: capacity `count` */
    int64_t point_capacity;
    int64_t steps; /* of solvers that are closed */
};

/* Prices of all features at a dual point, the outputs of a sample together. */
static pare_status set_prices(l1_mkl *s, const double *U, pare_error *err) {
    memcpy(s->t.v, U, sizeof *U * (size_t)(s->n * s->c));
    pare_status status = kernel_align(s->price, s->again, s->same, s->p->x, &s->t, s->p->kind,
                                      s->p->gamma, s->ctx, err);
    for (int64_t j = 0; j < s->d; j++) s->price[j] = sqrt(s->price[j]);
    return status;
}

/* --- factors --- */

static bool reserve(l1_mkl *s, int64_t kernels, int64_t columns) {
    const pare_allocator *mem = ctx_allocator(s->ctx);
    if (kernels > s->capacity) {
        int64_t capacity = 2 * s->capacity > kernels ? 2 * s->capacity : kernels;
        if (!mem_resize(mem, &s->kernel, capacity, sizeof *s->kernel) ||
            !mem_resize(mem, &s->start, capacity + 1, sizeof *s->start))
            return false;
        if (s->capacity == 0) s->start[0] = 0;
        s->capacity = capacity;
    }
    if (columns > s->phi_capacity) {
        int64_t capacity = 2 * s->phi_capacity > columns ? 2 * s->phi_capacity : columns;
        if (!mem_resize(mem, &s->phi, capacity * s->n, sizeof *s->phi)) return false;
        s->phi_capacity = capacity;
    }
    return true;
}

/* How many columns of a factor of trace 1 leave out less than `cut` of it. */
static int64_t cut_rank(const double *phi, int64_t n, int64_t r, double cut) {
    double left = 0;
    for (; r > 1; r--) {
        left += la_dot(phi + (r - 1) * n, phi + (r - 1) * n, n);
        if (!(left <= cut)) break;
    }
    return r;
}

typedef struct factor_work {
    double *x, *phi, *left; /* n, n x n, 2 n */
} factor_work;

static pare_status add_kernel(l1_mkl *s, int64_t j, factor_work *w, pare_error *err) {
    int64_t n = s->n;
    double cut = fmin(CUT * s->p->tol_rel, 1e-10);
    PASS(mat_columns(s->p->x, &j, 1, w->x, s->ctx, err));
    int64_t r =
        kernel_factor(w->phi, w->left, w->x, s->p->weight, n, s->p->kind, s->gamma[j], s->trace[j]);
    r = cut_rank(w->phi, n, r, cut);
    int64_t first = s->count > 0 ? s->start[s->count] : 0;
    PASS(ctx_check_memory(s->ctx, 8 * (double)n * (double)(first + r), "the factors of the kernels",
                          err));
    if (!reserve(s, s->count + 1, first + r)) return error_memory(err);
    for (int64_t k = 0; k < r; k++)
        for (int64_t i = 0; i < n; i++)
            s->phi[(first + k) * n + i] = w->phi[k * n + i] / sqrt(s->p->weight[i]);
    s->kernel[s->count++] = j;
    s->start[s->count] = first + r;
    s->has[j] = true;
    return PARE_OK;
}

/* Adds the most violated kernels, priced above `least`, that have no factor yet: as many as have
 * one already, so that joining is rare. */
static pare_status add_most_violated(l1_mkl *s, double least, bool *added, pare_error *err) {
    int64_t count = 0, n = s->n, batch = s->count > MIN_BATCH ? s->count : MIN_BATCH;
    arena mem;
    arena_init(&mem, ctx_allocator(s->ctx));
    pare_status status = PARE_OK;
    factor_work w = {ARENA_NEW(&mem, double, n), ARENA_NEW(&mem, double, n *n),
                     ARENA_NEW(&mem, double, 2 * n)};
    TRY_MEM(w.x && w.phi && w.left);
    for (int64_t j = 0; j < s->d; j++)
        if (!s->has[j] && s->trace[j] > 0 && s->price[j] > least)
            s->order[count++] = (ranked){s->price[j], j};
    sort_best_first(s->order, count);
    if (count > batch) count = batch;
    for (int64_t i = 0; i < count; i++) TRY(add_kernel(s, s->order[i].index, &w, err));
    *added = count > 0;

done:
    arena_free(&mem);
    return status;
}

/* --- the problem on the factors --- */

static void close_solver(l1_mkl *s) {
    glm_close(s->solver);
    s->solver = NULL;
    arena_free(&s->solver_mem);
}

static pare_status open_solver(l1_mkl *s, pare_error *err) {
    int64_t columns = s->start[s->count];
    close_solver(s);
    arena_init(&s->solver_mem, ctx_allocator(s->ctx));
    int64_t *group = ARENA_NEW(&s->solver_mem, int64_t, columns);
    double *cost = ARENA_NEW(&s->solver_mem, double, columns);
    if (!group || !cost) return error_memory(err);
    for (int64_t k = 0; k < s->count; k++)
        for (int64_t e = s->start[k]; e < s->start[k + 1]; e++) {
            group[e] = k;
            cost[e] = 1 / sqrt((double)(s->start[k + 1] - s->start[k]));
        }
    pare_status status =
        penalty_open(&s->pen, &s->solver_mem, columns, s->c, 1, true, group, s->count, cost, err);
    if (status != PARE_OK) return status;
    s->block = mat_dense(s->n, columns, s->phi);
    s->whole = view_all(&s->block);
    s->inner = (glm_problem){.x = &s->whole,
                             .loss = s->p->loss,
                             .penalty = &s->pen,
                             .intercept = true,
                             .tol_rel = fmax(INNER * s->p->tol_rel, 1e-13)};
    return glm_open(&s->solver, &s->inner, s->ctx, err);
}

/* --- points --- */

typedef struct run {
    l1_mkl *s;
    l1_mkl_see *see;
    void *user;
    int64_t done; /* lambdas */
    bool joins;   /* kernels are to join at the next one */
    bool stopped;
} run;

/* Active kernels, their norms, and row 0 of the combined kernel. */
static bool set_alive(l1_mkl *s, const glm_point *at, l1_mkl_point *out) {
    const pare_allocator *mem = ctx_allocator(s->ctx);
    int64_t n = s->n, c = s->c;
    if (s->count > s->point_capacity) {
        if (!mem_resize(mem, &s->feature, s->count, sizeof *s->feature) ||
            !mem_resize(mem, &s->eta, s->count, sizeof *s->eta) ||
            !mem_resize(mem, &s->norm, s->count * c, sizeof *s->norm) ||
            !mem_resize(mem, &s->square, s->count * c, sizeof *s->square))
            return false;
        s->point_capacity = s->count;
    }
    memset(s->square, 0, sizeof *s->square * (size_t)(s->count * c));
    for (int64_t i = 0; i < at->n_features; i++)
        for (int64_t o = 0; o < c; o++) {
            double w = at->B[i * c + o];
            s->square[s->pen.block[at->feature[i]] * c + o] += w * w;
        }
    out->n_features = 0;
    memset(s->row, 0, sizeof *s->row * (size_t)n);
    for (int64_t j = 0; j < s->count; j++) s->order[j] = (ranked){(double)s->kernel[j], j};
    sort_least_first(s->order, s->count); /* by feature */
    for (int64_t i = 0; i < s->count; i++) {
        int64_t k = s->order[i].index, e = out->n_features;
        double all = 0;
        for (int64_t o = 0; o < c; o++) {
            all += s->square[k * c + o];
            s->norm[e * c + o] = sqrt(s->square[k * c + o]);
        }
        if (all == 0) continue;
        s->feature[e] = s->kernel[k];
        s->eta[e] = sqrt(all) / at->lambda;
        for (int64_t q = s->start[k]; q < s->start[k + 1]; q++)
            for (int64_t a = 0; a < n; a++)
                s->row[a] += s->eta[e] * s->phi[q * n] * s->phi[q * n + a];
        out->n_features++;
    }
    return true;
}

/* The gap of the whole problem: the dual point is shrunk until the most violated feature is
 * feasible. */
static double whole_gap(const l1_mkl *s, const glm_point *at) {
    double most = 0;
    for (int64_t j = 0; j < s->d; j++) most = fmax(most, s->price[j]);
    double t = fmin(1, most > 0 ? at->lambda / most : 1);
    double dual = s->p->loss.kind->dual(&s->p->loss, NULL, at->U, t), primal = at->objective;
    double size = fmax(fabs(primal), fabs(dual));
    return primal - dual <= 0 ? 0 : (primal - dual) / size;
}

static bool interrupted(pare_outcome outcome) {
    return outcome == PARE_CANCELLED || outcome == PARE_TIME_LIMIT;
}

static pare_status on_point(void *user, const glm_point *at, bool *stop, pare_error *err) {
    run *r = user;
    l1_mkl *s = r->s;
    PASS(set_prices(s, at->U, err));
    double gap = whole_gap(s, at);
    bool fine = gap <= s->p->tol_rel, left = false;
    for (int64_t j = 0; j < s->d; j++) left |= !s->has[j] && s->price[j] > at->lambda;
    if (!fine && left && !interrupted(at->outcome)) {
        r->joins = *stop = true;
        return PARE_OK;
    }
    l1_mkl_point point = {.lambda = at->lambda,
                          .objective = at->objective,
                          .loss = at->loss,
                          .penalty = at->penalty,
                          .gap = gap,
                          .U = s->U,
                          .b = at->b,
                          .price = s->price,
                          .row = s->row,
                          .steps = s->steps + at->steps,
                          .outcome = interrupted(at->outcome) ? at->outcome
                                     : fine                   ? PARE_OPTIMAL
                                                              : PARE_MAX_ITER};
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t o = 0; o < s->c; o++) s->U[o * s->n + i] = at->U[i * s->c + o];
    if (!set_alive(s, at, &point)) return error_memory(err);
    point.feature = s->feature;
    point.norm = s->norm;
    point.eta = s->eta;
    r->done++;
    pare_status status = r->see(r->user, &point, &r->stopped, err);
    r->stopped |= interrupted(at->outcome);
    *stop = r->stopped;
    return status;
}

pare_status l1_mkl_run(l1_mkl *s, const double *lambda, int64_t count, l1_mkl_see *see, void *user,
                       pare_error *err) {
    run r = {.s = s, .see = see, .user = user};
    pare_status status = PARE_OK;
    while (status == PARE_OK && r.done < count && !r.stopped) {
        bool added = false;
        if (r.joins || s->count == 0) {
            double at = lambda[r.done] < s->lambda_max ? lambda[r.done] : s->lambda_max;
            status = add_most_violated(s, AHEAD * at, &added, err);
            if (status == PARE_OK && s->count == 0) /* lambda above all prices */
                status = add_most_violated(s, -1, &added, err);
        }
        if (status == PARE_OK && (added || !s->solver)) status = open_solver(s, err);
        r.joins = false;
        if (status == PARE_OK)
            status = glm_run(s->solver, lambda + r.done, count - r.done, on_point, &r, err);
    }
    return status;
}

/* --- beginning and end --- */

/* U at f = 0 with the best intercept: shares times what is off the mean. */
static void null_point(l1_mkl *s) {
    const glm_loss *l = &s->p->loss;
    for (int64_t o = 0; o < s->c; o++) {
        double mean = 0;
        for (int64_t i = 0; i < s->n; i++) mean += l->share[i] * l->y[i * s->c + o];
        for (int64_t i = 0; i < s->n; i++)
            s->t.v[i * s->c + o] = l->share[i] * (l->y[i * s->c + o] - mean);
    }
}

static pare_status make(l1_mkl *s, pare_error *err) {
    int64_t n = s->n, d = s->d, c = s->c;
    PASS_MEM(ARENA_NEWS(&s->mem, double, n *c, &s->t.v, &s->U));
    PASS_MEM(ARENA_NEWS(&s->mem, double, n, &s->t.s, &s->row));
    PASS_MEM(ARENA_ZEROS(&s->mem, double, d, &s->price, &s->trace, &s->gamma));
    PASS_MEM(ARENA_NEWS(&s->mem, double, d, &s->again, &s->same));
    PASS_MEM(s->has = ARENA_ZERO(&s->mem, bool, d));
    PASS_MEM(s->order = ARENA_NEW(&s->mem, ranked, d));
    for (int64_t i = 0; i < n; i++) s->t.total += s->t.s[i] = s->p->weight[i];
    null_point(s);
    PASS(kernel_align(s->price, s->trace, s->gamma, s->p->x, &s->t, s->p->kind, s->p->gamma, s->ctx,
                      err));
    for (int64_t j = 0; j < d; j++) {
        s->price[j] = sqrt(s->price[j]);
        s->lambda_max = fmax(s->lambda_max, s->price[j]);
    }
    return PARE_OK;
}

pare_status l1_mkl_open(l1_mkl **out, const l1_mkl_problem *p, const pare_ctx *ctx,
                        pare_error *err) {
    *out = NULL;
    l1_mkl *s = mem_zero(ctx_allocator(ctx), 1, sizeof *s);
    if (!s) return error_memory(err);
    s->p = p;
    s->ctx = ctx;
    s->n = p->x->n;
    s->d = p->x->d;
    s->c = p->loss.c;
    s->t = (align_target){.n = s->n, .q = s->c, .factor = 1};
    arena_init(&s->mem, ctx_allocator(ctx));
    arena_init(&s->solver_mem, ctx_allocator(ctx));
    pare_status status = make(s, err);
    if (status == PARE_OK)
        *out = s;
    else
        l1_mkl_close(s);
    return status;
}

void l1_mkl_close(l1_mkl *s) {
    if (!s) return;
    const pare_allocator *mem = ctx_allocator(s->ctx);
    close_solver(s);
    mem_free(mem, s->square);
    mem_free(mem, s->norm);
    mem_free(mem, s->eta);
    mem_free(mem, s->feature);
    mem_free(mem, s->phi);
    mem_free(mem, s->start);
    mem_free(mem, s->kernel);
    arena_free(&s->mem);
    mem_free(mem, s);
}

double l1_mkl_lambda_max(const l1_mkl *s) { return s->lambda_max; }
const double *l1_mkl_gamma(const l1_mkl *s) { return s->gamma; }
const double *l1_mkl_trace(const l1_mkl *s) { return s->trace; }

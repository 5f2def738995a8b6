/* NAME       l1-arom
 * PAPER      zero-norm section 3: Problem 7 (two classes), Problem 10 and its one-against-the-rest
 *            form (several), section 3.2 (slack), section 4.5 for an exact k.
 * PROBLEM    sum_j ln z_j, z_j = sum_k |w_kj|, over the w with margins >= 1: y_ik (w_k'x_i + b_k)
 *            (ovr, labels y_ik = +1 for the class of output k) or f_i,c(i) - f_ik for k != c(i)
 *            (ww). C: plus C sum slack. zero_slack lambda0: plus lambda0 sum ln slack (p = q = 0).
 *            Groups of features: sum_g ln z_g, z_g = sum_k max_j |w_kj| over the group's, times the
 *            mean of their costs: they are rescaled, and eliminated, together.
 * SYMBOLS    w is in the original features, the paper's w * z; z: of the iterate before, at first
 *            1; s: the slacks of the iterate before, at first 1; u: duals, U: by output.
 * ALGORITHM  1. z = 1, s = 1.
 *            2. Minimise sum_kj |w_kj| / z_j + sum loss slack over the active features
 *               (solve/l1_outputs), loss_ik = inf, C or lambda0 / s_ik: the
 *               linearisation of the problem.
 *            3. z_j <- sum_k |w_kj|: what is 0 stays eliminated. s <- slack: what is 0 stays hard.
 *            4. Until the program gains nothing on the point it was made at. With k: stop when at
 *            most k features are active, back to the previous iterate, whose k largest are taken.
 * COST       the passes of the first program (5 to 15 per output) and one for the prices of the
 *            eliminated: later programs have at most n features per output. Memory O(d c) + the
 *            master program.
 * GUARANTEE  the minimum principle for the linearisation at the point found; stopped by k: the
 *            duality gap of the last program (certify/certify_l1_arom.c).
 *            sum ln z + lambda0 sum ln s (or C sum s) cannot increase from the second iterate on,
 *            for ln t <= t - 1 (tests/cert/test_l1_arom.c).
 * STOPPING   gain <= 1e-8 of the program's objective; there are finitely many vertices.
 * DEVIATIONS Hard margins on inseparable data are certified infeasible and get zero slack with
 *            lambda0 = n: a vertex has at most n nonzeros per output, so no error is bought to save
 *            features. A slack under 1e-6 is none, and a cost of slack at most 1e8 times the least
 *            cost of a feature: doubles cannot certify more. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/blocks.h"
#include "solve/lp/l1_outputs.h"

static const double STATIONARY = 1e-8;
static const double SLACK_FLOOR = 1e-6;
static const double MAX_LOSS = 1e8; /* of the smallest cost of a feature */
enum { MAX_STEPS = 100 };

/* A program and its solution. */
typedef struct iterate {
    int64_t m, survivors;
    int64_t *own;       /* m: view columns */
    double *z;          /* m: where it was linearised */
    double *loss;       /* n x c */
    double *v;          /* m: sum_k |w_k|; in a group sum_k of its largest */
    double *slack;      /* n x c */
    outputs_solution s; /* W: m x c */
} iterate;

typedef struct arom_work {
    const fit_job *job;
    l1_arom_settings *set; /* in effect */
    int64_t n, d, c;
    bool together;
    iterate *last, *next;
    int64_t *base;  /* d: columns of the matrix */
    double *cost;   /* d */
    double *price;  /* d: the features' costs, in a group the mean */
    double *size;   /* d: scratch */
    fit_job active; /* the job on the active features only, */
    view active_x;
    feature_blocks blocks;    /* and their groups, */
    arena *mem;               /* which are in this arena */
    int32_t *eliminated_at;   /* d: the step, -1 while active */
    double *eliminated_price; /* d */
    double *U, *G;            /* n x c, d x c */
} arom_work;

static double weight_of(const arom_work *a, int64_t i) {
    return a->job->weight ? a->job->weight[i % a->n] : 1;
}

static bool is_margin(const arom_work *a, int64_t e) {
    return !a->together || a->job->y->cls[e % a->n] != e / a->n;
}

static pare_status prepare(arom_work *a, iterate *pair, arena *mem, const fit_job *job,
                           pare_error *err) {
    int64_t n = job->x->n, d = job->x->d, c = job->y->n_classes == 2 ? 1 : job->y->n_classes;
    *a = (arom_work){.job = job, .n = n, .d = d, .c = c, .last = &pair[0], .next = &pair[1]};
    a->together = c > 1 && choice_is(job->set->l1_arom.multiclass, "ww");
    for (int t = 0; t < 2; t++) {
        pair[t] = (iterate){0};
        PASS_MEM(pair[t].own = ARENA_NEW(mem, int64_t, d));
        PASS_MEM(pair[t].z = ARENA_NEW(mem, double, d));
        PASS_MEM(pair[t].v = ARENA_NEW(mem, double, d));
        PASS_MEM(pair[t].loss = ARENA_NEW(mem, double, n *c));
        PASS_MEM(pair[t].slack = ARENA_NEW(mem, double, n *c));
        PASS_MEM(pair[t].s.W = ARENA_NEW(mem, double, d *c));
        PASS_MEM(pair[t].s.b = ARENA_NEW(mem, double, c));
        PASS_MEM(pair[t].s.dual = ARENA_NEW(mem, double, n *c));
        PASS_MEM(pair[t].s.f = ARENA_NEW(mem, double, n *c));
    }
    PASS_MEM(a->base = ARENA_NEW(mem, int64_t, d));
    PASS_MEM(ARENA_NEWS(mem, double, d, &a->cost, &a->size));
    PASS_MEM(a->price = fit_cost_factors(mem, job, 1));
    a->mem = mem;
    feature_blocks all;
    PASS(blocks_of(&all, mem, job, err));
    blocks_mean(&all, a->price);
    PASS_MEM(a->eliminated_at = ARENA_NEW(mem, int32_t, d));
    PASS_MEM(a->eliminated_price = ARENA_ZERO(mem, double, d));
    PASS_MEM(a->U = ARENA_NEW(mem, double, n *c));
    PASS_MEM(a->G = ARENA_NEW(mem, double, d *c));
    return PARE_OK;
}

/* Step 1, as if an iterate with all features at 1 came before. */
static void start(arom_work *a) {
    a->last->m = a->d;
    for (int64_t j = 0; j < a->d; j++) {
        a->last->own[j] = j;
        a->last->v[j] = 1;
        a->eliminated_at[j] = -1;
    }
    for (int64_t e = 0; e < a->n * a->c; e++) a->last->slack[e] = 1;
}

/* The point at which the next program is linearised. */
static void linearise(arom_work *a) {
    const l1_arom_settings *set = a->set;
    const iterate *last = a->last;
    iterate *next = a->next;
    const int64_t *cols = a->job->x->cols;
    double least = INFINITY;
    next->m = 0;
    for (int64_t i = 0; i < last->m; i++) {
        if (!(last->v[i] > 0)) continue;
        int64_t j = last->own[i];
        next->own[next->m] = j;
        next->z[next->m] = last->v[i];
        a->base[next->m] = cols ? cols[j] : j;
        a->cost[next->m] = a->price[j] / last->v[i];
        least = fmin(least, a->cost[next->m++]);
    }
    for (int64_t e = 0; e < a->n * a->c; e++) {
        double own = weight_of(a, e), s = last->slack[e];
        if (set->zero_slack > 0)
            next->loss[e] = s > 0 ? fmin(set->zero_slack * own / s, MAX_LOSS * least) : INFINITY;
        else
            next->loss[e] = set->C * own;
        if (own == 0) next->loss[e] = 0;
    }
}

/* Step 2 and the inputs of step 3. */
static pare_status solve_step(arom_work *a, const pare_ctx *ctx, pare_error *err) {
    iterate *next = a->next;
    lp_groups groups;
    a->active = *a->job;
    a->active_x = *a->job->x;
    a->active_x.cols = a->base;
    a->active_x.d = next->m;
    a->active.x = &a->active_x;
    PASS(blocks_of(&a->blocks, a->mem, &a->active, err));
    outputs_spec spec = {.x = &a->active_x,
                         .groups = blocks_lp(&groups, &a->blocks),
                         .cls = a->job->y->cls,
                         .c = a->c,
                         .together = a->together,
                         .cost = a->cost,
                         .loss = next->loss,
                         .intercept = a->job->set->common.intercept};
    pare_status status = l1_outputs_solve(&next->s, &spec, ctx, err);
    if (status != PARE_OK || next->s.infeasible) return status;
    for (int64_t i = 0; i < next->m; i++) next->v[i] = 0;
    for (int64_t k = 0; k < a->c; k++) {
        for (int64_t i = 0; i < next->m; i++) a->size[i] = fabs(next->s.W[k * next->m + i]);
        blocks_largest(&a->blocks, a->size);
        for (int64_t i = 0; i < next->m; i++) next->v[i] += a->size[i];
    }
    next->survivors = 0;
    for (int64_t i = 0; i < next->m; i++) next->survivors += next->v[i] > 0;
    for (int64_t e = 0; e < a->n * a->c; e++) {
        double s = l1_outputs_slack(&spec, next->s.f, e % a->n, e / a->n);
        next->slack[e] = isinf(next->loss[e]) || s < SLACK_FLOOR ? 0 : s;
    }
    return PARE_OK;
}

/* A group counts by its first feature. */
static bool counts(const arom_work *a, int64_t i) {
    const feature_blocks *b = &a->blocks;
    return !b->of || b->member[b->start[b->of[i]]] == i;
}

/* The quantity that k limits. */
static int64_t taken(const arom_work *a) {
    return a->blocks.counted ? blocks_active(&a->blocks, a->next->v) : a->next->survivors;
}

/* The next program's objective at the last point, where it was linearised. */
static double linearised(const arom_work *a) {
    double value = 0;
    for (int64_t i = 0; i < a->next->m; i++)
        if (counts(a, i)) value += a->price[a->next->own[i]];
    for (int64_t e = 0; e < a->n * a->c; e++)
        if (a->last->slack[e] > 0 && is_margin(a, e)) value += a->next->loss[e] * a->last->slack[e];
    return value;
}

static double surrogate(const arom_work *a, const iterate *t) {
    const l1_arom_settings *set = a->set;
    double value = (double)(a->d - t->m) * log(DBL_EPSILON);
    for (int64_t i = 0; i < t->m; i++) value += log(DBL_EPSILON + t->v[i]);
    for (int64_t e = 0; e < a->n * a->c; e++) {
        if (!is_margin(a, e) || weight_of(a, e) == 0) continue;
        if (set->zero_slack > 0)
            value += set->zero_slack * weight_of(a, e) * log(DBL_EPSILON + t->slack[e]);
        else if (set->C < INFINITY)
            value += set->C * weight_of(a, e) * t->slack[e];
    }
    return value;
}

/* Step 3: next becomes last; the prices |X_j'U|_2 / cost_j of the features eliminated. */
static pare_status accept(arom_work *a, int32_t step, const pare_ctx *ctx, pare_error *err) {
    iterate *t = a->next;
    int64_t n = a->n, c = a->c;
    a->next = a->last;
    a->last = t;
    if (t->survivors == t->m) return PARE_OK;
    for (int64_t i = 0; i < n; i++) {
        int64_t own = a->job->y->cls[i];
        double sum = 0;
        for (int64_t k = 0; k < c; k++) {
            double u = t->s.dual[k * n + i];
            bool positive = own == (c == 1 ? 1 : k);
            sum += u;
            a->U[k * n + i] = positive && !a->together ? u : -u;
        }
        if (a->together) a->U[own * n + i] = sum;
    }
    view active = *a->job->x;
    active.cols = a->base;
    active.d = t->m;
    PASS(mat_tmul(&active, a->U, c, a->G, ctx, err));
    for (int64_t e = 0; e < t->m * c; e++) a->G[e] = fabs(a->G[e]);
    for (int64_t k = 0; k < c; k++) blocks_sum(&a->blocks, a->G + k * t->m, a->size);
    for (int64_t i = 0; i < t->m; i++) {
        if (t->v[i] > 0) continue;
        double norm = 0;
        for (int64_t k = 0; k < c; k++) norm = hypot(norm, a->G[k * t->m + i]);
        a->eliminated_at[t->own[i]] = step;
        double cost = a->price[t->own[i]];
        a->eliminated_price[t->own[i]] = fmin(1, norm * t->z[i] / cost / sqrt((double)c));
    }
    return PARE_OK;
}

/* The active by weight, then the eliminated, the last first, those of one step by price: scores are
 * price - 1 for the last step that eliminated any, one less for each step before. */
static pare_status rank(fit_result *r, const arom_work *a, int32_t steps, pare_error *err) {
    const iterate *t = a->last;
    PASS_MEM(r->score = ARENA_NEW(&r->mem, double, a->d));
    for (int64_t j = 0; j < a->d; j++)
        r->score[j] = a->eliminated_price[j] - 1 - (steps - a->eliminated_at[j]);
    for (int64_t i = 0; i < t->m; i++) {
        if (!(t->v[i] > 0)) continue;
        double norm = 0;
        for (int64_t k = 0; k < a->c; k++) norm = hypot(norm, t->s.W[k * t->m + i]);
        r->score[t->own[i]] = norm;
    }
    PASS(fit_rank(r, a->d, err));
    r->support = r->ranking;
    r->n_support = t->survivors;
    return PARE_OK;
}

/* The last point with its program; own: the program at that point itself. */
static pare_status keep(fit_result *r, const arom_work *a, bool own, pare_error *err) {
    const iterate *t = a->last;
    int64_t nc = a->n * a->c, k = 0;
    bool zero_slack = a->set->zero_slack > 0;
    const iterate *program = own ? a->next : t;
    r->n_point = t->survivors;
    r->n_dual = a->c * (zero_slack ? 2 : 1);
    PASS_MEM(r->point = ARENA_NEW(&r->mem, int64_t, r->n_point));
    PASS_MEM(r->point_W = ARENA_NEW(&r->mem, double, r->n_point * a->c));
    PASS_MEM(r->point_b = ARENA_NEW(&r->mem, double, a->c));
    PASS_MEM(r->dual = ARENA_NEW(&r->mem, double, a->n * r->n_dual));
    for (int64_t i = 0; i < t->m; i++) {
        if (!(t->v[i] > 0)) continue;
        r->point[k] = t->own[i];
        for (int64_t o = 0; o < a->c; o++) r->point_W[o * r->n_point + k] = t->s.W[o * t->m + i];
        k++;
    }
    for (int64_t o = 0; o < a->c; o++) r->point_b[o] = t->s.b[o];
    for (int64_t e = 0; e < nc; e++) {
        r->dual[e] = program->s.dual[e];
        if (zero_slack) r->dual[nc + e] = isinf(program->loss[e]) ? -1 : program->loss[e];
    }
    if (own) return PARE_OK;
    r->n_cols = t->m;
    PASS_MEM(r->cols = ARENA_NEW(&r->mem, int64_t, t->m));
    PASS_MEM(r->z = ARENA_NEW(&r->mem, double, t->m));
    memcpy(r->cols, t->own, sizeof *r->cols * (size_t)t->m);
    memcpy(r->z, t->z, sizeof *r->z * (size_t)t->m);
    return PARE_OK;
}

/* Hard margins are infeasible: from now on with zero slack. */
static pare_status allow_slack(fit_result *r, const arom_work *a, pare_error *err) {
    a->set->zero_slack = 0;
    for (int64_t i = 0; i < a->n; i++) a->set->zero_slack += weight_of(a, i);
    return fit_note(r, err,
                    "hard margins are impossible on these data: zero slack was allowed, with %lld "
                    "for an error against 1 for a feature",
                    (long long)a->n);
}

static pare_status iterate_all(fit_result *r, arom_work *a, const pare_ctx *ctx, pare_error *err) {
    bool own = false;
    int32_t step = 0;
    int64_t k = a->job->k;
    r->outcome = PARE_MAX_ITER;
    for (; step < MAX_STEPS; step++) {
        linearise(a);
        PASS(solve_step(a, ctx, err));
        outputs_solution *s = &a->next->s;
        if (s->infeasible && step == 0) {
            PASS(allow_slack(r, a, err));
            linearise(a);
            PASS(solve_step(a, ctx, err));
        }
        r->iterations++;
        if (s->infeasible ||
            (step > 0 && s->outcome != PARE_OPTIMAL)) { /* the previous step is the result */
            r->outcome = s->infeasible ? PARE_GREEDY : s->outcome;
            break;
        }
        double before = linearised(a);
        if (step > 0 && before - s->bound <= STATIONARY * before) {
            own = true;
            r->outcome = PARE_STATIONARY;
            break;
        }
        bool few = k > 0 && taken(a) <= k;
        if (few && step > 0) {
            r->outcome = PARE_GREEDY;
            break;
        }
        PASS(accept(a, step, ctx, err));
        ctx_log(ctx, PARE_LOG_DEBUG, "l1-arom step %d: %lld features, surrogate %.12g", step + 1,
                (long long)a->last->survivors, surrogate(a, a->last));
        if (few || a->last->survivors == 0 || s->outcome != PARE_OPTIMAL) {
            r->outcome = s->outcome == PARE_OPTIMAL ? PARE_GREEDY : s->outcome;
            break;
        }
    }
    r->objective = a->last->s.objective;
    PASS(keep(r, a, own, err));
    return rank(r, a, step, err);
}

pare_status l1_arom_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    l1_arom_settings *set = &fit_settings(r, job)->l1_arom;
    if (set->C < INFINITY && set->zero_slack > 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "C and zero_slack are two kinds of slack: give one of them");
    arena mem = arena_of(ctx);
    arom_work a;
    iterate pair[2];
    pare_status status = PARE_OK;
    TRY(prepare(&a, pair, &mem, job, err));
    a.set = set;
    start(&a);
    TRY(iterate_all(r, &a, ctx, err));
done:
    arena_free(&mem);
    return status;
}

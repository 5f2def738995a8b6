/* NAME       best-subset
 * PAPER      parsimonious least norm, section 4.2 (32): the combinatorial search.
 * PROBLEM    minimise over all sets S of k features, and x, b0 on them
 *                sum_i w_i |a_i'x + b0 - b_i|
 *            with sample weights w_i (1 by default); b0 = 0 without an intercept. Groups of
 *            features: all sets of k groups, each with all of its features; below, a unit
 *            is a group, or a feature.
 * SYMBOLS    a node: the units that are in, out and open; its relaxation: the least error with
 *            all that are not out, a linear program without the limit k.
 * ALGORITHM  Branch and bound, depth first. 0. The first set: the largest contributions where the
 *            llna path first has k. At a node: 1. k features in, or only k not out: solve them.
 *            2. Otherwise the relaxation, unless so many columns fit any b: its dual bound ends the
 *            node if it is not below the best error; so does a solution that uses k features only.
 *            3. Branch on the open feature with the largest contribution, in before out; in keeps
 *            the relaxation.
 * COST       at most about 2 C(d, k) linear programs of n rows (solve/l1_simplex, each from the
 *            vertex before, or solve/least_error); memory O(n + d) and a program.
 * GUARANTEE  outcome optimal: no other k features have an error lower by 1e-9 of it, as the search
 *            reports; the certificate is that of the fit on them. On a time limit the certificate
 *            is the gap to the relaxation with all features, which bounds every set and is
 *            certified by the stored dual; the search's own, better bound is in the notes.
 * STOPPING   the tree is done. More than 2e7 sets are rejected unless there is a time limit.
 * DEVIATIONS the paper enumerates; the answer is the same (tests/ref/test_parsimonious.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "method/lp/least_norm.h"
#include "solve/l1/l1_simplex.h"
#include "solve/l1/least_error.h"

static const double MAX_SETS = 2e7;
static const double PROGRAMS_PER_S = 1e4; /* approximate, for the estimate only */
static const double CLOSE_ENOUGH = 1e-9;  /* relative: sets this close to the best are not
                                             searched */
static const double EXACT = 1e-11; /* of sum_i w_i |b_i|: a smaller gap of a program is rounding */

typedef enum fate { OPEN = 0, IN, OUT } fate;

typedef struct branch {
    int64_t unit;
    double bound; /* of the node that was branched */
} branch;

typedef struct search {
    const fit_job *job;
    feature_blocks blocks;
    int64_t units;              /* groups, or features */
    int64_t n, d, k, usable;    /* usable: the need of all features that are not constant */
    double *weight;             /* n */
    fate *fate;                 /* units */
    double *range;              /* d: the largest |a_ij| of each */
    double *most;               /* units: the largest range in each */
    int64_t *need;              /* units: the need of each out of k, 1 or the number of its
                                   features */
    double *share;              /* units: sum of |x_j| range_j in the current relaxation */
    bool relaxed;               /* share is that of the units that are not out now */
    branch *stack;              /* units */
    int64_t depth, n_in, n_out; /* the needs of the units that are in and out */
    int64_t *set, *base;        /* d: the features of a program, in the view and in the matrix */
    lp_weight *best;            /* n + k */
    int64_t best_count;
    double best_error, best_b;
    double *best_dual;   /* n */
    double *root_dual;   /* n: of the relaxation with all features; zeros before it is solved */
    l1_simplex *simplex; /* or NULL if the programs are too large for it */
    double *cost;        /* d: infinite for the features that are out */
    double size;         /* sum_i w_i |b_i| */
    int64_t programs;
    bool gave_up;    /* the last program did not reach its optimum */
    int64_t unknown; /* nodes that ended in such a program */
    pare_outcome outcome;
} search;

static int64_t unit_of(const search *s, int64_t j) { return s->blocks.of ? s->blocks.of[j] : j; }

static double sets_of(int64_t d, int64_t k) {
    double count = 1;
    for (int64_t i = 1; i <= k; i++) count *= (double)(d - k + i) / (double)i;
    return count;
}

/* Lists the features that are in, or all that are not out; returns their number. */
static int64_t list_features(search *s, bool only_in) {
    int64_t count = 0;
    const int64_t *cols = s->job->x->cols;
    for (int64_t j = 0; j < s->d; j++) {
        fate own = s->fate[unit_of(s, j)];
        if (s->range[j] == 0 || (only_in ? own != IN : own == OUT)) continue;
        s->base[count] = cols ? cols[j] : j;
        s->set[count++] = j;
    }
    return count;
}

/* A program's solution: bound, objective and point, features as in the view. */
typedef struct answer {
    double objective, bound, b;
    const lp_weight *weight;
    int64_t n_weight;
    const double *dual;
    pare_outcome outcome;
} answer;

/* By the small simplex over all features, those not among the first `count` of s->set excluded;
 * returns false if it failed or left a gap. */
static bool solve_small(search *s, int64_t count, answer *out) {
    l1_vertex v;
    double dual = 0;
    if (!s->simplex) return false;
    for (int64_t j = 0; j < s->d; j++) s->cost[j] = INFINITY;
    for (int64_t k = 0; k < count; k++) s->cost[s->set[k]] = 0;
    if (!l1_simplex_solve(s->simplex, &v, s->cost, s->weight)) return false;
    for (int64_t i = 0; i < s->n; i++) dual += v.u[i] * s->job->y->value[i];
    if (!(fabs(v.objective - dual) <= EXACT * s->size)) return false;
    *out = (answer){v.objective, fmin(v.objective, dual), v.b, v.weight, v.n_weight, v.u,
                    PARE_OPTIMAL};
    return true;
}

/* Updates the search by a solved program. *used: the need of units that are in or have a weight. */
static void take(search *s, const answer *a, int64_t *used) {
    *used = s->n_in;
    memset(s->share, 0, sizeof *s->share * (size_t)s->units);
    for (int64_t w = 0; w < a->n_weight; w++) {
        int64_t j = a->weight[w].feature, u = unit_of(s, j);
        if (s->fate[u] != IN && s->share[u] == 0) *used += s->need[u];
        s->share[u] += fabs(a->weight[w].value) * s->range[j];
    }
    if (*used > s->k || !(a->objective < s->best_error)) return;
    s->best_error = a->objective;
    s->best_b = a->b;
    s->best_count = a->n_weight;
    if (a->n_weight) memcpy(s->best, a->weight, sizeof *a->weight * (size_t)a->n_weight);
    if (a->dual) memcpy(s->best_dual, a->dual, sizeof *a->dual * (size_t)s->n);
}

/* The least error with the features that are in, or all that are not out: *bound, the contributions
 * in share, and a new best where no more than k features are used. *used: as `take` says. */
static pare_status solve(search *s, bool only_in, double *bound, int64_t *used, const pare_ctx *ctx,
                         pare_error *err) {
    pare_status status = PARE_OK;
    least_error found = {0};
    lp_weight *weight = NULL;
    answer a;
    view x = *s->job->x;
    x.cols = s->base;
    x.d = list_features(s, only_in);
    *used = s->d;
    s->programs++;
    if (!solve_small(s, x.d, &a)) {
        TRY(least_error_solve(&found, &x, s->job->y->value, s->weight, 0,
                              s->job->set->common.intercept, ctx, err));
        TRY_MEM(weight = mem_alloc(ctx_allocator(ctx), found.n_weight, sizeof *weight));
        for (int64_t w = 0; w < found.n_weight; w++)
            weight[w] = (lp_weight){s->set[found.weight[w].feature], found.weight[w].value};
        a = (answer){found.objective, found.bound, found.b,      weight,
                     found.n_weight,  found.dual,  found.outcome};
    }
    *bound = a.bound;
    s->gave_up = a.outcome != PARE_OPTIMAL || isnan(a.objective);
    if (a.outcome == PARE_TIME_LIMIT || a.outcome == PARE_CANCELLED) s->outcome = a.outcome;
    bool root = !only_in && s->n_out == 0;
    if (root && a.dual) memcpy(s->root_dual, a.dual, sizeof *a.dual * (size_t)s->n);
    if (!isnan(a.objective)) take(s, &a, used);
done:
    mem_free(ctx_allocator(ctx), weight);
    least_error_free(&found);
    return status;
}

/* The open unit within the capacity to branch on, or -1: the largest contribution, or of those
 * without any the first. */
static int64_t choose(const search *s) {
    int64_t best = -1;
    for (int64_t u = 0; u < s->units; u++) {
        if (s->fate[u] != OPEN || s->most[u] == 0 || s->need[u] > s->k - s->n_in) continue;
        if (best < 0 || s->share[u] > s->share[best]) best = u;
    }
    return best;
}

/* Moves from a finished node to the next one; returns false when the tree is done. */
static bool backtrack(search *s) {
    while (s->depth > 0) {
        int64_t j = s->stack[s->depth - 1].unit;
        if (s->fate[j] == IN) {
            s->fate[j] = OUT;
            s->n_in -= s->need[j];
            s->n_out += s->need[j];
            s->relaxed = false;
            return true;
        }
        s->fate[j] = OPEN;
        s->n_out -= s->need[j];
        s->depth--;
    }
    return false;
}

/* Steps 1 to 3 until the tree or the time is exhausted. *bound: a lower bound on the error of every
 * set. */
static pare_status explore(search *s, double *bound, const pare_ctx *ctx, pare_error *err) {
    double here = 0;
    for (;;) {
        double lower = 0;
        int64_t used = s->d, left = s->usable - s->n_out;
        bool few = list_features(s, false) + s->job->set->common.intercept < s->n;
        bool finished = false;
        here = s->depth > 0 ? s->stack[s->depth - 1].bound : 0;
        bool full = choose(s) < 0;
        if (full || left <= s->k) { /* 1 */
            PASS(solve(s, full && left > s->k, &lower, &used, ctx, err));
            finished = true;
        } else if (few && !s->relaxed) { /* 2 */
            PASS(solve(s, false, &lower, &used, ctx, err));
            s->relaxed = true;
            here = fmax(here, lower);
            finished = used <= s->k;
        }
        s->unknown += finished && s->gave_up;
        ctx_stops(ctx, "best subset", -1, &s->outcome);
        if (s->outcome != PARE_OPTIMAL) break;
        if (finished || here >= s->best_error * (1 - CLOSE_ENOUGH)) {
            if (!backtrack(s)) break;
            continue;
        }
        int64_t j = choose(s); /* 3 */
        s->stack[s->depth++] = (branch){j, here};
        s->fate[j] = IN;
        s->n_in += s->need[j];
    }
    *bound = s->best_error;
    if (s->outcome == PARE_OPTIMAL) return PARE_OK;
    *bound = fmin(*bound, here);
    for (int64_t t = 0; t < s->depth; t++)
        if (s->fate[s->stack[t].unit] == IN) *bound = fmin(*bound, s->stack[t].bound);
    return PARE_OK;
}

/* 0: contributions along the llna path until it has k features; the first k of them are solved. */
static pare_status first_set(search *s, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    l1_path *path = NULL;
    l1_segment at = {0};
    TRY(l1_path_open(&path, s->job->x, s->job->y->value, s->weight, s->job->set->common.intercept,
                     0, ctx, err));
    while (!at.last && at.n_weight < s->k) TRY(l1_path_next(path, &at, ctx, err));
    for (int64_t w = 0; w < at.n_weight; w++)
        s->share[unit_of(s, at.weight[w].feature)] +=
            fabs(at.weight[w].value) * s->range[at.weight[w].feature];
    for (int64_t u; (u = choose(s)) >= 0;) {
        s->fate[u] = IN;
        s->n_in += s->need[u];
    }
    double bound;
    int64_t used;
    TRY(solve(s, true, &bound, &used, ctx, err));
    memset(s->fate, 0, sizeof *s->fate * (size_t)s->units);
    s->n_in = 0;
done:
    l1_path_free(path);
    return status;
}

static pare_status prepare(search *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n, d = s->d;
    PASS(blocks_of(&s->blocks, mem, s->job, err));
    s->units = s->blocks.of ? s->blocks.count : d;
    PASS_MEM(s->most = ARENA_ZERO(mem, double, s->units));
    PASS_MEM(s->need = ARENA_ZERO(mem, int64_t, s->units));
    PASS_MEM(s->weight = fit_weights(mem, s->job->weight, s->n, NULL));
    PASS_MEM(s->fate = ARENA_ZERO(mem, fate, d));
    PASS_MEM(ARENA_NEWS(mem, double, d, &s->range, &s->cost));
    PASS_MEM(s->share = ARENA_ZERO(mem, double, d));
    PASS_MEM(s->stack = ARENA_NEW(mem, branch, d));
    PASS_MEM(ARENA_NEWS(mem, int64_t, d, &s->set, &s->base));
    PASS_MEM(s->best = ARENA_NEW(mem, lp_weight, d));
    PASS_MEM(ARENA_ZEROS(mem, double, n, &s->best_dual, &s->root_dual));
    for (int64_t i = 0; i < n; i++) s->size += s->weight[i] * fabs(s->job->y->value[i]);
    if (l1_simplex_suits(n, d))
        PASS(l1_simplex_new(&s->simplex, s->job->x, s->job->y->value, s->job->set->common.intercept,
                            ctx, err));
    PASS(least_norm_ranges(s->range, s->job, ctx, err));
    for (int64_t j = 0; j < d; j++) {
        int64_t u = unit_of(s, j);
        s->most[u] = fmax(s->most[u], s->range[j]);
        s->need[u] = s->blocks.counted ? s->most[u] > 0 : s->need[u] + (s->range[j] > 0);
    }
    for (int64_t u = 0; u < s->units; u++) s->usable += s->need[u];
    if (s->k > s->usable) s->k = s->usable;
    s->best_error = INFINITY;
    return PARE_OK;
}

static pare_status check_size(const search *s, const pare_ctx *ctx, pare_error *err) {
    double sets = sets_of(s->usable, s->k), hours = sets / PROGRAMS_PER_S / 3600;
    if (sets <= MAX_SETS || ctx_deadline(ctx) > 0) return PARE_OK;
    return error_set(
        err, PARE_E_DATA,
        "best-subset: %lld of %lld %s are %.3g sets, up to that many linear "
        "programs, of the order of %.2g hours: give `time_limit` for the best set found "
        "by then, or use llna or plna",
        (long long)s->k, (long long)s->usable, s->blocks.counted ? "groups" : "features", sets,
        hours);
}

pare_status best_subset_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                            pare_error *err) {
    search s = {.job = job, .n = job->x->n, .d = job->x->d, .k = job->k};
    if (s.k == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`k`: best-subset needs the number of features to choose (-k)");
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double bound = 0;

    TRY(prepare(&s, &scratch, ctx, err));
    TRY(check_size(&s, ctx, err));
    TRY(first_set(&s, ctx, err));
    if (s.outcome == PARE_OPTIMAL) TRY(explore(&s, &bound, ctx, err));
    TRY(least_norm_clean(s.best, &s.best_count, job, ctx, err));
    if (s.outcome == PARE_OPTIMAL && s.unknown > 0) s.outcome = PARE_MAX_ITER;
    bool ended = s.outcome == PARE_OPTIMAL || s.outcome == PARE_MAX_ITER;
    const double *dual = ended ? s.best_dual : s.root_dual;
    TRY(least_norm_keep(r, job, s.best, s.best_count, s.best_b, dual, err));
    if (s.outcome == PARE_OPTIMAL)
        TRY(fit_note(r, err,
                     "proven by branch and bound with %lld linear program%s: no set of %lld "
                     "%s%s has a lower error",
                     (long long)s.programs, PLURAL(s.programs), (long long)s.k,
                     s.blocks.counted ? "group" : "feature", PLURAL(s.k)));
    else if (ended)
        TRY(fit_note(r, err,
                     "%lld of %lld linear program%s ended short of their optimum: a set that they "
                     "stand for may have a lower error",
                     (long long)s.unknown, (long long)s.programs, PLURAL(s.programs)));
    else
        TRY(fit_note(r, err,
                     "stopped after %lld linear program%s: the best set so far has error "
                     "%.9g, no set of %lld %s%s is below %.9g",
                     (long long)s.programs, PLURAL(s.programs), s.best_error, (long long)s.k,
                     s.blocks.counted ? "group" : "feature", PLURAL(s.k), bound));
    r->objective = s.best_error;
    r->outcome = s.outcome;
    r->iterations = s.programs;

done:
    l1_simplex_free(s.simplex);
    arena_free(&scratch);
    return status;
}

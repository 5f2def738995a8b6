#include "solve/kernel/gram_nnls.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "la/product/dot.h"
#include "la/factor.h"

static const double ROUNDING = 1e-15; /* of the value: less is no gain */

typedef struct nnls {
    const double *M, *a;
    int64_t ld, count, positive;
    double *v;
    int64_t *set;    /* positive: which, in the order in which they came */
    bool *in, *shut; /* count: in the set; excluded, as it depends linearly on the set */
    double *L, *z;   /* factor and solution on the set */
    double *slope;   /* count: a - Mv */
    ranked *best;    /* count */
} nnls;

static void set_slopes(nnls *p) {
    memcpy(p->slope, p->a, sizeof(double) * (size_t)p->count);
    for (int64_t k = 0; k < p->positive; k++) {
        const double *row = p->M + p->set[k] * p->ld;
        double v = p->v[p->set[k]];
        for (int64_t j = 0; j < p->count; j++) p->slope[j] -= row[j] * v;
    }
}

/* v'Mv - 2 a'v = -(a + slope)'v. */
static double value(nnls *p) {
    double sum = 0;
    set_slopes(p);
    for (int64_t j = 0; j < p->count; j++) sum -= (p->a[j] + p->slope[j]) * p->v[j];
    return sum;
}

/* z = the unconstrained minimiser on the set. -1, or which of the set depends on those before
 * it. */
static int64_t solve_set(nnls *p) {
    int64_t m = p->positive, least = 0;
    for (int64_t k = 0; k < m; k++) {
        const double *row = p->M + p->set[k] * p->ld;
        p->z[k] = p->a[p->set[k]];
        for (int64_t l = 0; l <= k; l++) p->L[k * m + l] = row[p->set[l]];
    }
    int64_t independent = chol_columns('U', m, p->L, m);
    if (independent < m) return independent;
    double most = 0;
    for (int64_t k = 0; k < m; k++) {
        double pivot = p->L[k * m + k];
        if (pivot < p->L[least * m + least]) least = k;
        most = fmax(most, pivot);
    }
    if (!(p->L[least * m + least] > 1e-7 * most)) return least; /* a pivot of 1e-14 is rounding */
    chol_solve('U', m, p->L, m, p->z, 1);
    return -1;
}

static void take_out(nnls *p, int64_t k) {
    p->in[p->set[k]] = false;
    p->v[p->set[k]] = 0;
    p->positive--;
    for (int64_t l = k; l < p->positive; l++) p->set[l] = p->set[l + 1];
    for (int64_t l = k; l < p->positive; l++) p->z[l] = p->z[l + 1];
}

/* Moves to the minimiser on the set, excluding variables that depend on others or would become
 * negative. */
static void settle(nnls *p) {
    while (p->positive > 0) {
        int64_t dependent = solve_set(p);
        if (dependent >= 0) {
            p->shut[p->set[dependent]] = true;
            take_out(p, dependent);
            continue;
        }
        double share = 1;
        for (int64_t k = 0; k < p->positive; k++) {
            double v = p->v[p->set[k]];
            if (p->z[k] <= 0) share = fmin(share, v / (v - p->z[k]));
        }
        bool whole = share == 1;
        for (int64_t k = p->positive - 1; k >= 0; k--) {
            double *v = &p->v[p->set[k]], z = p->z[k];
            *v = whole ? z : *v + share * (z - *v);
            if (!whole && z <= 0 && *v <= 1e-15 * fabs(z)) take_out(p, k);
        }
        if (whole) break;
    }
}

/* Adds at most `most` of the steepest variables outside the set; returns how many. */
static int64_t bring_in(nnls *p, int64_t most, double tol) {
    int64_t found = 0;
    for (int64_t j = 0; j < p->count; j++)
        if (!p->in[j] && !p->shut[j] && p->slope[j] > tol)
            p->best[found++] = (ranked){p->slope[j], j};
    sort_best_first(p->best, found);
    if (most > (found + 1) / 2)
        most = (found + 1) / 2; /* each variable added lowers the slopes of the others */
    for (int64_t i = 0; i < most; i++) {
        p->in[p->best[i].index] = true;
        p->set[p->positive++] = p->best[i].index;
    }
    return most;
}

pare_status gram_nnls(double *v, const double *M, int64_t ld, const double *a, int64_t count,
                      double tol, const pare_ctx *ctx, pare_error *err) {
    nnls p = {.M = M, .a = a, .ld = ld, .count = count, .v = v};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY_MEM(p.set = ARENA_NEW(&mem, int64_t, count));
    TRY_MEM(ARENA_ZEROS(&mem, bool, count, &p.in, &p.shut));
    TRY_MEM(p.L = ARENA_NEW(&mem, double, count *count));
    TRY_MEM(p.z = ARENA_NEW(&mem, double, count + 1));
    TRY_MEM(p.slope = ARENA_NEW(&mem, double, count));
    TRY_MEM(p.best = ARENA_NEW(&mem, ranked, count));
    for (int64_t j = 0; j < count; j++)
        if (v[j] > 0) {
            p.in[j] = true;
            p.set[p.positive++] = j;
        }
    settle(&p);
    double last = value(&p), reached = last; /* the value before, and the least */
    int64_t most = count;
    for (int64_t step = 0; step < 10 * count + 100; step++) {
        if (ctx_poll(ctx, "least squares", -1) != INTERRUPT_NONE)
            break; /* the caller polls again */
        if (bring_in(&p, most, tol) == 0) break;
        settle(&p);
        double now = value(&p);
        /* One at a time always gains; many at a time may push each other out. */
        bool gains = now < last - ROUNDING * fabs(last);
        for (int64_t j = 0; gains && j < count; j++) p.shut[j] = false; /* the set has changed */
        most = gains && now < reached ? count : 1;
        reached = fmin(reached, now);
        last = now;
    }

done:
    arena_free(&mem);
    return status;
}

/* COST  n for each pair of a candidate and a chosen feature, in blocks of columns. */
#include "select/max_correlation.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

static const double ROUNDING = 1e-9; /* of a correlation, so that one of 1 is not above 1 */
enum { MIN_BLOCK = 32 };

typedef struct search {
    const correlation_units *from;
    view x;
    const double *weight;
    double limit;
    int64_t count, *chosen; /* features chosen so far, as columns of x */
    double *size;           /* of each of those: the norm of its column */
    int64_t block;          /* columns of a block */
    double *U, *Z;          /* n x block: columns of norm 1, and times the weights */
    double *norm, *R;       /* block; chosen x block */
} search;

static pare_status open_search(search *s, int64_t features, int64_t widest, arena *mem,
                               pare_error *err) {
    s->block = widest > MIN_BLOCK ? widest : MIN_BLOCK;
    PASS_MEM(s->chosen = ARENA_NEW(mem, int64_t, features));
    PASS_MEM(s->size = ARENA_NEW(mem, double, features));
    PASS_MEM(ARENA_NEWS(mem, double, s->x.n * s->block, &s->U, &s->Z));
    PASS_MEM(s->norm = ARENA_NEW(mem, double, s->block));
    PASS_MEM(s->R = ARENA_NEW(mem, double, features * s->block));
    return PARE_OK;
}

/* Reads the next block of columns, centred and of norm 1 under the weights, and its products with
 * the chosen columns. */
static pare_status read_block(search *s, const int64_t *feature, int64_t count, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t n = s->x.n;
    PASS(mat_columns(&s->x, feature, count, s->U, ctx, err));
    for (int64_t k = 0; k < count; k++) {
        double *u = s->U + k * n, *z = s->Z + k * n, total = 0, mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++) {
            double w = s->weight ? s->weight[i] : 1;
            total += w;
            mean += w * u[i];
        }
        mean /= total;
        for (int64_t i = 0; i < n; i++) {
            u[i] -= mean;
            square += (s->weight ? s->weight[i] : 1) * u[i] * u[i];
        }
        s->norm[k] = sqrt(square);
        for (int64_t i = 0; i < n; i++) {
            u[i] = s->norm[k] > 0 ? u[i] / s->norm[k] : 0;
            z[i] = (s->weight ? s->weight[i] : 1) * u[i];
        }
    }
    if (s->count == 0) return PARE_OK;
    view taken = s->x;
    taken.cols = s->chosen;
    taken.d = s->count;
    return mat_tmul(&taken, s->Z, count, s->R, ctx, err);
}

/* Returns the chosen feature that column k of the block correlates with most. before: features
 * chosen when the block was read; at: columns of the block that were chosen since. */
static passed_over closest(const search *s, int64_t k, int64_t before, const int64_t *at) {
    passed_over out = {.chosen = -1};
    int64_t n = s->x.n;
    for (int64_t c = 0; c < s->count; c++) {
        double r = 0;
        if (c < before)
            r = s->size[c] > 0 ? s->R[k * before + c] / s->size[c] : 0;
        else
            for (int64_t i = 0; i < n; i++) r += s->Z[k * n + i] * s->U[at[c - before] * n + i];
        if (out.chosen < 0 || fabs(r) > fabs(out.correlation))
            out = (passed_over){.chosen = s->chosen[c], .correlation = r};
    }
    out.correlation = fmax(-1, fmin(1, out.correlation));
    return out;
}

pare_status max_correlation_choose(bool *taken, passed_over *passed, int64_t *n_passed,
                                   const correlation_units *from, const double *need,
                                   double capacity, double limit, const view *x,
                                   const double *weight, arena *mem, const pare_ctx *ctx,
                                   pare_error *err) {
    search s = {.from = from, .x = *x, .weight = weight, .limit = limit};
    int64_t widest = 1, features = from->count ? from->end[from->count - 1] : 0;
    double least = INFINITY; /* the smallest need of any unit */
    *n_passed = 0;
    memset(taken, 0, sizeof *taken * (size_t)from->count);
    for (int64_t u = 0; u < from->count; u++) {
        int64_t width = from->end[u] - (u ? from->end[u - 1] : 0);
        if (width > widest) widest = width;
        if (u >= from->always) least = fmin(least, need[u]);
    }
    double most = capacity / least + (double)from->always; /* units that may be chosen */
    if (most * (double)widest < (double)features) features = (int64_t)most * widest + widest;
    PASS(open_search(&s, features, widest, mem, err));
    int64_t *at = ARENA_NEW(mem, int64_t, s.block); /* columns chosen from this block */
    PASS_MEM(at);
    for (int64_t u = 0, next; u < from->count && (u < from->always || capacity >= least);
         u = next) {
        int64_t first = u ? from->end[u - 1] : 0, before = s.count;
        for (next = u + 1; next < from->count && from->end[next] - first <= s.block;) next++;
        PASS(read_block(&s, from->feature + first, from->end[next - 1] - first, ctx, err));
        for (; u < next; u++) {
            int64_t begin = (u ? from->end[u - 1] : 0) - first, end = from->end[u] - first;
            passed_over worst = {.chosen = -1};
            if (u >= from->always && need[u] > capacity) continue;
            for (int64_t k = begin; k < end && u >= from->always; k++) {
                passed_over one = closest(&s, k, before, at);
                one.feature = from->feature[first + k];
                if (fabs(one.correlation) > fabs(worst.correlation)) worst = one;
            }
            taken[u] = !(fabs(worst.correlation) > limit + ROUNDING);
            if (!taken[u]) passed[(*n_passed)++] = worst;
            for (int64_t k = begin; k < end && taken[u]; k++) {
                s.chosen[s.count] = from->feature[first + k];
                s.size[s.count] = s.norm[k];
                at[s.count++ - before] = k;
            }
            if (taken[u] && u >= from->always) capacity -= need[u];
        }
        if (ctx_poll(ctx, "correlations", -1) == INTERRUPT_NONE) continue;
        return error_set(err, PARE_E_CANCELLED, "stopped among the correlations");
    }
    return PARE_OK;
}

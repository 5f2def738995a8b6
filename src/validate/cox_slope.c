/* The slope of risks that were predicted: b of the hazard H exp(b z) by the partial likelihood with
 * Breslow's ties, within strata, by Newton's steps; Wald's interval. */
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "validate/validation.h"

enum { MAX_STEPS = 100, MAX_HALVINGS = 60 };
static const double NORMAL_975 = 1.959963984540054, TOL = 1e-12;
static const double ROUNDING = 1e-14; /* of a sum: a step that lowers it by less is no worse */

/* A sample, in the order of strata and within them of falling times. */
typedef struct sample {
    int32_t stratum, event;
    double time, z, weight;
    int64_t index;
} sample;

static int latest_first(const void *pa, const void *pb) {
    const sample *a = pa, *b = pb;
    int by_stratum = order_index(a->stratum, b->stratum), by_time = order_down(a->time, b->time);
    return by_stratum ? by_stratum : by_time ? by_time : order_index(a->index, b->index);
}

static sample *list_samples(arena *mem, const target *y, int64_t n, const double *z,
                            const double *weight) {
    sample *s = ARENA_NEW(mem, sample, n);
    double mean = 0;
    for (int64_t i = 0; i < n; i++) mean += z[i] / (double)n; /* only differences count */
    for (int64_t i = 0; s && i < n; i++)
        s[i] = (sample){y->stratum ? y->stratum[i] : 0,
                        y->event[i],
                        y->time[i],
                        z[i] - mean,
                        weight ? weight[i] : 1,
                        i};
    if (s) qsort(s, (size_t)n, sizeof *s, latest_first);
    return s;
}

/* The end of the samples of one time. */
static int64_t tied_end(const sample *s, int64_t from, int64_t n) {
    int64_t end = from + 1;
    while (end < n && s[end].stratum == s[from].stratum && s[end].time == s[from].time) end++;
    return end;
}

/* Whether every event has the highest risk of those at risk, or every one the lowest: then the
 * likelihood has no maximum. */
static bool is_monotone(const sample *s, int64_t n) {
    bool highest = true, lowest = true;
    double least = INFINITY, most = -INFINITY;
    for (int64_t from = 0, end; from < n; from = end) {
        end = tied_end(s, from, n);
        if (from == 0 || s[from].stratum != s[from - 1].stratum) {
            least = INFINITY;
            most = -INFINITY;
        }
        for (int64_t e = from; e < end; e++) {
            least = fmin(least, s[e].z);
            most = fmax(most, s[e].z);
        }
        for (int64_t e = from; e < end; e++) {
            if (!s[e].event) continue;
            highest = highest && s[e].z == most;
            lowest = lowest && s[e].z == least;
        }
    }
    return highest || lowest;
}

typedef struct slope_sums {
    double value, gradient, curvature;
} slope_sums;

/* Log partial likelihood at b, and its derivatives. */
static slope_sums sums_at(const sample *s, int64_t n, double b) {
    slope_sums out = {0};
    double most = -INFINITY, s0 = 0, s1 = 0, s2 = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, b * s[i].z);
    for (int64_t from = 0, end; from < n; from = end) {
        end = tied_end(s, from, n);
        if (from == 0 || s[from].stratum != s[from - 1].stratum) s0 = s1 = s2 = 0;
        for (int64_t e = from; e < end; e++) {
            double w = s[e].weight * exp(b * s[e].z - most);
            s0 += w;
            s1 += w * s[e].z;
            s2 += w * s[e].z * s[e].z;
        }
        for (int64_t e = from; e < end; e++) {
            if (!s[e].event) continue;
            out.value += s[e].weight * (b * s[e].z - most - log(s0));
            out.gradient += s[e].weight * (s[e].z - s1 / s0);
            out.curvature += s[e].weight * (s2 / s0 - s1 / s0 * (s1 / s0));
        }
    }
    return out;
}

pare_status cox_slope(pare_estimate *out, const target *y, int64_t n, const double *z,
                      const double *weight, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    sample *s = list_samples(&mem, y, n, z, weight);
    *out = (pare_estimate){NAN, NAN, NAN};
    if (s && !is_monotone(s, n)) {
        double b = 0;
        slope_sums now = sums_at(s, n, b);
        for (int step = 0; step < MAX_STEPS; step++) {
            double by = now.gradient / now.curvature;
            if (fabs(by) * sqrt(now.curvature) <= TOL) break;
            slope_sums next = sums_at(s, n, b + by);
            double least = now.value - ROUNDING * fabs(now.value);
            for (int half = 0; half < MAX_HALVINGS && !(next.value >= least); half++)
                next = sums_at(s, n, b + (by /= 2));
            if (!(next.value >= least)) break; /* at the most but for rounding */
            b += by;
            now = next;
        }
        double half = NORMAL_975 / sqrt(now.curvature);
        *out = (pare_estimate){b, b - half, b + half};
    }
    arena_free(&mem);
    return s ? PARE_OK : error_memory(err);
}

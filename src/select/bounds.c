#include "select/bounds.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-12; /* relative: a level that is missed by rounding alone counts
                                         as met */

static const char *const names[BOUND_COUNT] = {"plain", "unimodal", "r-concave"};

const char *bound_name(bound_kind bound) { return names[bound]; }

bool bound_parse(const char *name, bound_kind *out) {
    for (int i = 0; i < BOUND_COUNT; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (bound_kind)i;
            return true;
        }
    return false;
}

const char *bound_assumes(bound_kind bound) {
    static const char *const sentence[BOUND_COUNT] = {
        "the samples are independent draws; counted as false are features that one half of the "
        "samples selects with a probability of at most q/d",
        "the samples are independent draws, and for every feature that one half of the samples "
        "selects with a probability of at most q/d (these are counted as false) the share of "
        "pairs whose two half-samples both select it has a distribution with one peak",
        "the samples are independent draws, and for every feature that one half of the samples "
        "selects with a probability of at most q/d (these are counted as false) the share of "
        "pairs whose two half-samples both select it is r-concave with r = -1/2 and the share of "
        "half-samples "
        "that select it with r = -1/4"};
    return sentence[bound];
}

/* Theorem 1. */
static double plain(double rate, double both) { return rate / both; }

/* Theorem 2, t = times/(2B): C(t, B) q^2/d, for q/d <= 1/sqrt(3). */
static double unimodal(double rate, double theta, double share, double pairs) {
    double low = fmin(0.5 + theta * theta, 0.5 + 0.5 / pairs + 0.75 * theta * theta);
    if (theta > 1 / sqrt(3) + ROUNDING || !(share > low)) return INFINITY;
    if (share < 0.5 + 1 / pairs - ROUNDING) return INFINITY;
    if (share <= 0.75 + ROUNDING) return rate / (2 * (2 * share - 1 - 0.5 / pairs));
    return rate * 4 * (1 - share + 0.5 / pairs) / (1 + 1 / pairs);
}

static double mass(double x, int s) { return s == 2 ? 1 / (x * x) : 1 / (x * x * x * x); }

/* The mean of the masses (a + i)^-s, i = 0 .. k. */
static double mean_of(double a, int64_t k, int s) {
    double all = 0, sum = 0;
    for (int64_t i = 0; i <= k; i++) {
        double m = mass(a + (double)i, s);
        all += m;
        sum += (double)i * m;
    }
    return sum / all;
}

/* Returns the a for which that mean is `mean`: it grows with a, from 0 to k/2. */
static double shift_of(double mean, int64_t k, int s) {
    double low = log(1e-9), high = log(1e9);
    for (int step = 0; step < 80; step++) {
        double middle = (low + high) / 2;
        if (mean_of(exp(middle), k, s) < mean)
            low = middle;
        else
            high = middle;
    }
    return exp((low + high) / 2);
}

/* The tail of masses c (a + i)^-s up to k with the rest on k + 1; c makes the mean right. */
static double tail_of(double log_a, int64_t at, int64_t k, double mean, int s) {
    double below = 0, all = 0, a = exp(log_a);
    for (int64_t i = 0; i <= k; i++) {
        double m = mass(a + (double)i, s);
        if (i < at) below += m;
        all += (double)(k + 1 - i) * m;
    }
    return 1 - ((double)(k + 1) - mean) * below / all;
}

/* The largest value over log a in [low, high]: the best of a grid, then of ever finer grids around
 * it. */
static double largest_tail(double low, double high, int64_t at, int64_t k, double mean, int s) {
    enum { GRID = 8, ROUNDS = 12 };
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int top = 0;
        double largest = -INFINITY, step = (high - low) / GRID;
        for (int i = 0; i <= GRID; i++) {
            double tail = tail_of(low + step * i, at, k, mean, s);
            if (tail > largest) {
                largest = tail;
                top = i;
            }
        }
        best = fmax(best, largest);
        high = fmin(high, low + step * (top + 1));
        low = fmax(low, low + step * (top - 1));
    }
    return best;
}

double r_concave_tail(double mean, int64_t at, int64_t last, int s) {
    double best = 0, high = 0;
    int64_t least = (int64_t)ceil(2 * mean);
    if (at <= least) return 1;
    for (int64_t k = at - 1 > least ? at - 1 : least; k < last; k++) {
        if (high == 0) high = shift_of(mean, k, s);
        double low = shift_of(mean, k + 1, s);
        best = fmax(best, largest_tail(log(low), log(high), at, k, mean, s));
        high = low;
    }
    return fmin(best, 1);
}

static double r_concave(double d, double theta, int64_t times, int64_t pairs) {
    double B = (double)pairs;
    double both = r_concave_tail(theta * theta * B, times - pairs, pairs, 2);
    double each = r_concave_tail(theta * 2 * B, times, 2 * pairs, 4);
    return d * fmin(both, each);
}

double bound_expected(bound_kind bound, int64_t d, int64_t q, int64_t times, int64_t pairs) {
    double B = (double)pairs, theta = (double)q / (double)d, rate = (double)q * theta;
    double both = (double)(times - pairs) / B; /* 2 proportion - 1 */
    if (times <= pairs || times > 2 * pairs) return INFINITY;
    if (bound == BOUND_PLAIN) return plain(rate, both);
    if (bound == BOUND_UNIMODAL) return unimodal(rate, theta, (double)times / (2 * B), B);
    return r_concave((double)d, theta, times, pairs);
}

/* The bounds fall as more half-samples must agree, and rise with q. */
static bool reaches(bound_kind bound, double level, int64_t d, int64_t q, int64_t times,
                    int64_t pairs) {
    return bound_expected(bound, d, q, times, pairs) <= level * (1 + ROUNDING);
}

bool bound_rule_of(bound_rule *out, bound_kind bound, double level, int64_t d, int64_t pairs) {
    double most = fmin(sqrt(0.8 * level * (double)d), (double)d / sqrt(3));
    int64_t low = 1, high = (int64_t)(most * (1 + ROUNDING));
    *out = (bound_rule){.q = 1, .times = 2 * pairs};
    if (!reaches(bound, level, d, 1, 2 * pairs, pairs)) {
        out->expected = bound_expected(bound, d, 1, 2 * pairs, pairs);
        return false;
    }
    while (low < high) { /* the largest q for which unanimous half-samples reach the level */
        int64_t middle = (low + high + 1) / 2;
        if (reaches(bound, level, d, middle, 2 * pairs, pairs))
            low = middle;
        else
            high = middle - 1;
    }
    out->q = low;
    int64_t fails = pairs, fine = 2 * pairs;
    while (fine - fails > 1) {
        int64_t middle = (fine + fails) / 2;
        if (reaches(bound, level, d, low, middle, pairs))
            fine = middle;
        else
            fails = middle;
    }
    out->times = fine;
    out->expected = bound_expected(bound, d, low, fine, pairs);
    return true;
}

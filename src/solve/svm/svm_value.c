/* The true duality gap of an SVM: the dual objective at beta, and the primal one at
 * w = scale * sum beta_i x_i with the best intercept for that w.
 *
 * For given w the primal is convex in b, with derivative -pull(b),
 *     pull(b) = sum_i y_i alpha*_i(b),   alpha*_i = clip(slack_i / r_i, 0, C_i),
 *
 * where without a ridge alpha*_i is C_i or 0. It falls with b and is linear between breakpoints:
 * y_i - h_i, where sample i's slack begins, and where its ridge saturates. Its root is found by
 * bisection over the sorted breakpoints and one linear interpolation: exact, O(n log n). Hard
 * samples confine b to an interval instead. */
#include <math.h>

#include "base/order.h"
#include "solve/svm/svm_state.h"

/* Where sample i's pull changes: linear from `from` to `to`, where from = to a jump. */
typedef struct piece {
    double from, to, C, r;
} piece;

static piece piece_of(const svm_state *s, const double *h, int64_t i) {
    double y = s->p->y[i], start = y - h[i], r = svm_ridge(s, i), C = s->hi[i] - s->lo[i];
    piece c = {start, start, C, r};
    if (r > 0 && y > 0) c.from = start - r * C;
    if (r > 0 && y < 0) c.to = start + r * C;
    return c;
}

/* pull just right of b, and its slope there. */
static double pull_at(const svm_state *s, const double *h, double b, double *slope) {
    double sum = 0;
    *slope = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!(s->hi[i] > s->lo[i]) || svm_is_hard(s, i)) continue;
        piece c = piece_of(s, h, i);
        bool up = s->p->y[i] > 0;
        if (b < c.from) {
            sum += up ? c.C : 0;
        } else if (b >= c.to) {
            sum -= up ? 0 : c.C;
        } else {
            sum += up ? (c.to - b) / c.r : -(b - c.from) / c.r;
            *slope -= 1 / c.r;
        }
    }
    return sum;
}

/* The b that minimises the primal for decision values h + b, hard samples left aside. */
static double best_intercept(const svm_state *s, const double *h, double *points) {
    int64_t m = 0;
    double slope, total = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (!(s->hi[i] > s->lo[i]) || svm_is_hard(s, i)) continue;
        piece c = piece_of(s, h, i);
        if (isfinite(c.from)) points[m++] = c.from;
        if (isfinite(c.to) && c.to != c.from) points[m++] = c.to;
        if (isfinite(c.C)) total += c.C;
    }
    if (m == 0) return 0;
    sort_up(points, m);
    /* Left of all points pull >= 0, right of all <= 0: find the first where it is <= 0. */
    int64_t low = -1, high = m - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (pull_at(s, h, points[middle], &slope) <= 0)
            high = middle;
        else
            low = middle;
    }
    if (low >= 0) {
        double pull = pull_at(s, h, points[low], &slope);
        if (slope < 0) return fmin(points[low] - pull / slope, points[high]);
    }
    /* Where a whole interval is best, its middle, so that flipping all labels flips b. */
    double after = pull_at(s, h, points[high], &slope);
    if (high + 1 < m && slope == 0 && fabs(after) <= 1e-14 * total)
        return (points[high] + points[high + 1]) / 2;
    return points[high];
}

/* The smallest scale at which some b satisfies all hard samples; 0: any, infinite: none. */
static double hard_scale(const svm_state *s, const double *h) {
    double up = INFINITY, down = -INFINITY, own = INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        if (!svm_is_hard(s, i)) continue;
        if (s->p->y[i] > 0) up = fmin(up, h[i]);
        if (s->p->y[i] < 0) down = fmax(down, h[i]);
        own = fmin(own, s->p->y[i] * h[i]);
    }
    double margin = s->p->intercept ? (up - down) / 2 : own;
    return margin > 0 ? 1 / margin : INFINITY;
}

static double confine_to_hard(const svm_state *s, const double *h, double b) {
    double least = -INFINITY, most = INFINITY;
    for (int64_t i = 0; i < s->n; i++) {
        if (!svm_is_hard(s, i)) continue;
        if (s->p->y[i] > 0) least = fmax(least, 1 - h[i]);
        if (s->p->y[i] < 0) most = fmin(most, -1 - h[i]);
    }
    if (least > most) return (least + most) / 2; /* equal, but for rounding */
    if (s->n_hard == s->n_used && isfinite(least) && isfinite(most)) return (least + most) / 2;
    return fmin(fmax(b, least), most);
}

double svm_price(const svm_state *s, bool *any_free) {
    double sum = 0, up = -INFINITY, down = INFINITY;
    int64_t free = 0;
    for (int64_t i = 0; i < s->n; i++) {
        bool grow = s->beta[i]<s->hi[i], shrink = s->beta[i]> s->lo[i];
        if (grow && shrink) {
            sum += s->e[i];
            free++;
        }
        if (grow) up = fmax(up, s->e[i]);
        if (shrink) down = fmin(down, s->e[i]);
    }
    *any_free = free > 0;
    if (!s->p->intercept) return 0;
    if (free > 0) return sum / (double)free;
    return isfinite(up) && isfinite(down) ? (up + down) / 2 : 0;
}

svm_value svm_value_at(const svm_state *s, double *scratch, bool exact) {
    double *h = scratch, *points = scratch + s->n;
    const double *y = s->p->y;
    svm_value v = {0, 0, 0, 1, 0, 0};
    for (int64_t i = 0; i < s->n; i++) {
        h[i] = y[i] - s->e[i] - svm_ridge(s, i) * s->beta[i];
        v.quadratic += s->beta[i] * h[i];
        v.sum += s->beta[i] * y[i];
        v.dual += s->beta[i] * (y[i] + s->e[i]) / 2;
    }
    if (s->n_hard > 0) {
        double scale = hard_scale(s, h);
        if (!(scale < INFINITY)) {
            v.primal = INFINITY;
            return v;
        }
        v.scale = s->n_hard == s->n_used && scale > 0 ? scale : fmax(scale, 1);
        for (int64_t i = 0; i < s->n; i++) h[i] *= v.scale;
    }
    if (s->p->intercept) {
        bool any_free;
        v.b = svm_price(s, &any_free);
        if (exact || !any_free) v.b = best_intercept(s, h, points);
        if (s->n_hard > 0) v.b = confine_to_hard(s, h, v.b);
    }
    v.primal = v.scale * v.scale * v.quadratic / 2;
    for (int64_t i = 0; i < s->n; i++) {
        double slack = 1 - y[i] * (h[i] + v.b), C = s->hi[i] - s->lo[i], r = svm_ridge(s, i);
        if (!(slack > 0) || !(C > 0) || svm_is_hard(s, i)) continue;
        double alpha = r > 0 ? fmin(slack / r, C) : C;
        v.primal += alpha * (slack - r * alpha / 2);
    }
    if (v.primal < v.dual) v.primal = v.dual; /* possible by rounding only */
    for (int64_t i = 0; i < s->n; i++) h[i] = y[i] - s->e[i] - svm_ridge(s, i) * s->beta[i];
    return v;
}

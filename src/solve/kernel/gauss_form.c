#include "solve/kernel/gauss_form.h"

#include "base/order.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* T_0(x) .. T_19(x). */
static void chebyshev(double x, double *out) {
    out[0] = 1;
    out[1] = x;
    for (int k = 2; k < GAUSS_NODES; k++) out[k] = 2 * x * out[k - 1] - out[k - 2];
}

/* Values at pairs of nodes to coefficients in both variables: C value C'. */
static void both_to_coef(const gauss_tables *t, double value[GAUSS_NODES][GAUSS_NODES],
                         double out[GAUSS_NODES][GAUSS_NODES]) {
    double half[GAUSS_NODES][GAUSS_NODES];
    for (int k = 0; k < GAUSS_NODES; k++)
        for (int j = 0; j < GAUSS_NODES; j++) {
            half[k][j] = 0;
            for (int i = 0; i < GAUSS_NODES; i++) half[k][j] += t->to_coef[k][i] * value[i][j];
        }
    for (int k = 0; k < GAUSS_NODES; k++)
        for (int l = 0; l < GAUSS_NODES; l++) {
            out[k][l] = 0;
            for (int j = 0; j < GAUSS_NODES; j++) out[k][l] += half[k][j] * t->to_coef[l][j];
        }
}

void gauss_tables_make(gauss_tables *t) {
    for (int j = 0; j < GAUSS_NODES; j++) {
        double polynomials[GAUSS_NODES];
        t->node[j] = cos(PI * (j + 0.5) / GAUSS_NODES);
        chebyshev(t->node[j], polynomials);
        for (int k = 0; k < GAUSS_NODES; k++)
            t->to_coef[k][j] = (k == 0 ? 1 : 2) * polynomials[k] / GAUSS_NODES;
    }
    double value[GAUSS_NODES][GAUSS_NODES];
    for (int o = 0; o <= GAUSS_REACH; o++) { /* in units of sigma: boxes have half-width 1 */
        for (int i = 0; i < GAUSS_NODES; i++)
            for (int j = 0; j < GAUSS_NODES; j++) {
                double apart = t->node[i] - t->node[j] + 2 * o;
                value[i][j] = exp(-0.5 * apart * apart);
            }
        both_to_coef(t, value, t->box[o]);
    }
}

bool gauss_points_make(gauss_points *p, arena *mem, int64_t capacity, int64_t q) {
    *p = (gauss_points){.capacity = capacity, .q = q};
    p->x = ARENA_NEW(mem, double, capacity);
    p->mass = ARENA_NEW(mem, double, capacity *q);
    p->moments = ARENA_NEW(mem, double, capacity *q *GAUSS_NODES);
    p->label = ARENA_NEW(mem, int64_t, capacity);
    p->place = ARENA_NEW(mem, int64_t, capacity);
    p->order = ARENA_NEW(mem, int64_t, capacity);
    return p->x && p->mass && p->moments && p->label && p->place && p->order;
}

/* Adds a point at u in [-1, 1] of its box to the moments of that box. */
static void add_point(double *moments, const double *mass, int64_t q, double u) {
    double polynomials[GAUSS_NODES];
    chebyshev(u, polynomials);
    for (int64_t c = 0; c < q; c++)
        for (int k = 0; k < GAUSS_NODES; k++)
            moments[c * GAUSS_NODES + k] += mass[c] * polynomials[k];
}

static double pair_form(const double *a, double kernel[GAUSS_NODES][GAUSS_NODES], const double *b) {
    double sum = 0;
    for (int k = 0; k < GAUSS_NODES; k++) {
        double row = 0;
        for (int l = 0; l < GAUSS_NODES; l++) row += kernel[k][l] * b[l];
        sum += a[k] * row;
    }
    return sum;
}

/* The kernel minus 1 in a box of this half width. */
static void box_kernel(double kernel[GAUSS_NODES][GAUSS_NODES], const gauss_tables *t, double gamma,
                       double half) {
    double value[GAUSS_NODES][GAUSS_NODES];
    for (int i = 0; i < GAUSS_NODES; i++)
        for (int j = 0; j < GAUSS_NODES; j++) {
            double apart = half * (t->node[i] - t->node[j]);
            value[i][j] = expm1(-gamma * apart * apart);
        }
    both_to_coef(t, value, kernel);
}

/* All points within 2 sigma: one box just as wide as they are, and the kernel minus 1 in it. */
static void one_box(double *form, gauss_points *p, const gauss_tables *t, double gamma, double low,
                    double range) {
    double kernel[GAUSS_NODES][GAUSS_NODES], half = 0.5 * range;
    box_kernel(kernel, t, gamma, half);
    memset(p->moments, 0, sizeof *p->moments * (size_t)(p->q * GAUSS_NODES));
    for (int64_t i = 0; i < p->n; i++)
        add_point(p->moments, p->mass + i * p->q, p->q,
                  half > 0 ? (p->x[i] - low - half) / half : 0);
    for (int64_t c = 0; c < p->q; c++) {
        const double *m = p->moments + c * GAUSS_NODES;
        form[c] = pair_form(m, kernel, m);
    }
}

/* More boxes than points: only those with points in them, and a new origin behind every gap that
 * the kernel does not cross, so that places stay small and exact. x becomes the place in the
 * box. */
static int64_t sparse_boxes(gauss_points *p, double width) {
    int64_t boxes = 0, base = 0;
    sort_places(p->x, p->n, p->order, p->label);
    double origin = p->x[p->order[0]], before = origin;
    for (int64_t k = 0; k < p->n; k++) {
        int64_t i = p->order[k];
        double x = p->x[i];
        if (x - before > (GAUSS_REACH + 1) * width) {
            origin = x;
            base = p->place[boxes - 1] + GAUSS_REACH + 2;
        }
        before = x;
        double units = (x - origin) / width, whole = floor(units);
        int64_t place = base + (int64_t)whole;
        if (boxes == 0 || p->place[boxes - 1] != place) p->place[boxes++] = place;
        p->label[i] = boxes - 1;
        p->x[i] = 2 * (units - whole) - 1;
    }
    return boxes;
}

static int64_t dense_boxes(gauss_points *p, double low, double width, double range) {
    int64_t boxes = (int64_t)floor(range / width) + 1;
    for (int64_t b = 0; b < boxes; b++) p->place[b] = b;
    for (int64_t i = 0; i < p->n; i++) {
        double units = (p->x[i] - low) / width, whole = floor(units);
        p->label[i] = (int64_t)whole < boxes ? (int64_t)whole : boxes - 1;
        p->x[i] = 2 * (units - (double)p->label[i]) - 1;
    }
    return boxes;
}

void gauss_forms(double *form, bool *minus_one, gauss_points *p, const gauss_tables *t,
                 double gamma) {
    double low = INFINITY, high = -INFINITY, width = 2 / sqrt(2 * gamma);
    for (int64_t i = 0; i < p->n; i++) {
        if (p->x[i] < low) low = p->x[i];
        if (p->x[i] > high) high = p->x[i];
    }
    double range = high - low;
    *minus_one = !(range > width);
    if (*minus_one) {
        one_box(form, p, t, gamma, low, range);
        return;
    }
    int64_t boxes = range / width < (double)p->n - 1 ? dense_boxes(p, low, width, range)
                                                     : sparse_boxes(p, width);
    int64_t stride = p->q * GAUSS_NODES;
    memset(p->moments, 0, sizeof *p->moments * (size_t)(boxes * stride));
    for (int64_t i = 0; i < p->n; i++)
        add_point(p->moments + p->label[i] * stride, p->mass + i * p->q, p->q, p->x[i]);
    for (int64_t c = 0; c < p->q; c++) form[c] = 0;
    for (int64_t b = 0; b < boxes; b++)
        for (int64_t a = b; a >= 0 && p->place[b] - p->place[a] <= GAUSS_REACH; a--)
            for (int64_t c = 0; c < p->q; c++) {
                double(*kernel)[GAUSS_NODES] =
                    (double(*)[GAUSS_NODES])t->box[p->place[b] - p->place[a]];
                double one = pair_form(p->moments + b * stride + c * GAUSS_NODES, kernel,
                                       p->moments + a * stride + c * GAUSS_NODES);
                form[c] += a == b ? one : 2 * one;
            }
}

/* sum_k coef_k T_k(u). */
static double series_at(const double *coef, double u) {
    double polynomials[GAUSS_NODES], sum = 0;
    chebyshev(u, polynomials);
    for (int k = 0; k < GAUSS_NODES; k++) sum += coef[k] * polynomials[k];
    return sum;
}

/* coef += kernel moments, or its transpose. */
static void add_series(double *coef, double kernel[GAUSS_NODES][GAUSS_NODES], const double *moments,
                       bool transposed) {
    for (int k = 0; k < GAUSS_NODES; k++)
        for (int l = 0; l < GAUSS_NODES; l++)
            coef[k] += (transposed ? kernel[l][k] : kernel[k][l]) * moments[l];
}

static void apply_one_box(double *out, gauss_points *p, const gauss_tables *t, double gamma,
                          double low, double range) {
    double kernel[GAUSS_NODES][GAUSS_NODES], half = 0.5 * range;
    box_kernel(kernel, t, gamma, half);
    memset(p->moments, 0, sizeof *p->moments * (size_t)(p->q * GAUSS_NODES));
    for (int64_t i = 0; i < p->n; i++) {
        p->x[i] = half > 0 ? (p->x[i] - low - half) / half : 0;
        add_point(p->moments, p->mass + i * p->q, p->q, p->x[i]);
    }
    for (int64_t c = 0; c < p->q; c++) {
        double coef[GAUSS_NODES] = {0};
        add_series(coef, kernel, p->moments + c * GAUSS_NODES, false);
        for (int64_t i = 0; i < p->n; i++) out[i * p->q + c] = series_at(coef, p->x[i]);
    }
}

void gauss_apply(double *out, double *local, gauss_points *p, const gauss_tables *t, double gamma) {
    double low = INFINITY, high = -INFINITY, width = 2 / sqrt(2 * gamma);
    for (int64_t i = 0; i < p->n; i++) {
        low = fmin(low, p->x[i]);
        high = fmax(high, p->x[i]);
    }
    if (!(high - low > width)) {
        apply_one_box(out, p, t, gamma, low, high - low);
        return;
    }
    int64_t boxes = (high - low) / width < (double)p->n - 1 ? dense_boxes(p, low, width, high - low)
                                                            : sparse_boxes(p, width);
    int64_t stride = p->q * GAUSS_NODES;
    memset(p->moments, 0, sizeof *p->moments * (size_t)(boxes * stride));
    memset(local, 0, sizeof *local * (size_t)(boxes * stride));
    for (int64_t i = 0; i < p->n; i++)
        add_point(p->moments + p->label[i] * stride, p->mass + i * p->q, p->q, p->x[i]);
    for (int64_t b = 0; b < boxes; b++)
        for (int64_t a = b; a >= 0 && p->place[b] - p->place[a] <= GAUSS_REACH; a--)
            for (int64_t c = 0; c < p->q; c++) {
                double(*kernel)[GAUSS_NODES] =
                    (double(*)[GAUSS_NODES])t->box[p->place[b] - p->place[a]];
                int64_t right = b * stride + c * GAUSS_NODES, left = a * stride + c * GAUSS_NODES;
                add_series(local + right, kernel, p->moments + left, false);
                if (a != b) add_series(local + left, kernel, p->moments + right, true);
            }
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < p->q; c++)
            out[i * p->q + c] = series_at(local + p->label[i] * stride + c * GAUSS_NODES, p->x[i]);
}

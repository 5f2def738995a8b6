#include "support/glm_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(int64_t count) {
    double *out = calloc((size_t)(count > 0 ? count : 1), sizeof *out);
    assert_non_null(out);
    return out;
}

static void draw_target(glm_case *k, rng *r, int what) {
    for (int64_t i = 0; i < k->n; i++) {
        double best = -INFINITY, f = 0;
        int64_t own = 0;
        for (int64_t o = 0; o < k->c; o++) {
            f = what & CASE_SEPARABLE ? 0 : rng_normal(r);
            for (int64_t j = o; j < k->d && j < o + 3; j++)
                f += k->x[j * k->n + i] * (j % 2 ? -2 : 2);
            if (f > best) {
                best = f;
                own = o;
            }
            if (k->c == 1) k->y[i] = k->logistic ? f > 0 : f;
        }
        for (int64_t o = 0; k->c > 1 && o < k->c; o++) k->y[i * k->c + o] = o == own;
    }
    for (int64_t i = 0; k->logistic && k->c == 1 && i < 2 && i < k->n; i++)
        k->y[i] = (double)i; /* both classes are there */
    for (int64_t i = 0; k->logistic && k->c > 1 && i < k->c && i < k->n; i++)
        for (int64_t o = 0; o < k->c; o++) k->y[i * k->c + o] = o == i;
}

static void draw_terms(glm_case *k, rng *r, int what) {
    double total = 0;
    for (int64_t i = 0; i < k->n; i++) {
        k->share[i] = what & CASE_WEIGHTS ? (i > k->c && i % 5 == 4 ? 0 : 0.2 + rng_uniform(r)) : 1;
        total += k->share[i];
    }
    for (int64_t i = 0; i < k->n; i++) k->share[i] /= total;
    for (int64_t e = 0; k->offset && e < k->n * k->c; e++) k->offset[e] = rng_normal(r) / 2;
    for (int64_t j = 0; k->cost && j < k->d; j++) k->cost[j] = 0.5 + rng_uniform(r);
    if (what & CASE_FREE) k->cost[k->d / 2] = 0;
    k->n_groups = 0;
    for (int64_t j = 0; k->group && j < k->d; j++) {
        k->group[j] = j % ((k->d + 2) / 3);
        if (k->group[j] >= k->n_groups) k->n_groups = k->group[j] + 1;
    }
}

void glm_case_draw(glm_case *k, rng *r, glm_case_shape shape) {
    int64_t n = shape.n, d = shape.d, c = shape.c;
    int what = shape.what;
    memset(k, 0, sizeof *k);
    *k = (glm_case){.n = n,
                    .d = d,
                    .c = c,
                    .alpha = what & CASE_ELASTIC ? 0.3 : 1,
                    .rows = what & CASE_ROWS,
                    .intercept = !(what & CASE_NO_INTERCEPT),
                    .logistic = shape.logistic};
    k->x = random_normal(r, n, d);
    k->y = numbers(n * c);
    k->share = numbers(n);
    if (what & CASE_OFFSET) k->offset = numbers(n * c);
    if (what & (CASE_COSTS | CASE_FREE)) k->cost = numbers(d);
    if (what & CASE_GROUPS) k->group = calloc((size_t)d, sizeof *k->group);
    if (what & CASE_DUPLICATES && d > 4) {
        memcpy(k->x + n, k->x, sizeof(double) * (size_t)n);
        for (int64_t i = 0; i < n; i++) k->x[3 * n + i] = 0;
    }
    draw_target(k, r, what);
    draw_terms(k, r, what);
    k->m = mat_dense(n, d, k->x);
    k->v = view_all(&k->m);
    arena_init(&k->mem, ctx_allocator(NULL));
    pare_error err;
    assert_int_equal(penalty_open(&k->pen, &k->mem, d, c, k->alpha, k->rows, k->group, k->n_groups,
                                  k->cost, &err),
                     PARE_OK);
    k->p = (glm_problem){.x = &k->v,
                         .loss = {.kind = !shape.logistic ? &loss_squared
                                          : c == 1        ? &loss_logistic
                                                          : &loss_softmax,
                                  .n = n,
                                  .c = c,
                                  .y = k->y,
                                  .share = k->share,
                                  .offset = k->offset},
                         .penalty = &k->pen,
                         .intercept = k->intercept,
                         .tol_rel = 1e-9};
}

void glm_case_free(glm_case *k) {
    arena_free(&k->mem);
    free(k->group);
    free(k->cost);
    free(k->offset);
    free(k->share);
    free(k->y);
    free(k->x);
}

static void fitted(const glm_case *k, const double *B, const double *b, double *f) {
    for (int64_t i = 0; i < k->n; i++)
        for (int64_t o = 0; o < k->c; o++) {
            double sum = b[o] + (k->offset ? k->offset[i * k->c + o] : 0);
            for (int64_t j = 0; j < k->d; j++) sum += k->x[j * k->n + i] * B[j * k->c + o];
            f[i * k->c + o] = sum;
        }
}

/* The loss at f; u, unless NULL: minus its gradient. */
static double loss_at(const glm_case *k, const double *f, double *u) {
    double sum = 0;
    for (int64_t i = 0; i < k->n; i++) {
        const double *fi = f + i * k->c, *y = k->y + i * k->c;
        double s = k->share[i], total = 0, top = -INFINITY;
        if (!k->logistic) {
            sum += s * (y[0] - fi[0]) * (y[0] - fi[0]) / 2;
            if (u) u[i] = s * (y[0] - fi[0]);
            continue;
        }
        if (k->c == 1) {
            double a = y[0] > 0 ? -fi[0] : fi[0];
            sum += s * (a > 0 ? a + log1p(exp(-a)) : log1p(exp(a)));
            if (u) u[i] = s * (y[0] > 0 ? 1 : -1) / (1 + exp(-a));
            continue;
        }
        for (int64_t o = 0; o < k->c; o++) top = fmax(top, fi[o]);
        for (int64_t o = 0; o < k->c; o++) total += exp(fi[o] - top);
        for (int64_t o = 0; o < k->c; o++) {
            if (y[o] > 0) sum += s * (log(total) + top - fi[o]);
            if (u) u[i * k->c + o] = s * (y[o] - exp(fi[o] - top) / total);
        }
    }
    return sum;
}

/* The unit that entry (j, o) belongs to; its cost and the cost of its norm. */
static int64_t unit_of(const glm_case *k, int64_t j, int64_t o, double *cost, double *norm) {
    int64_t g = k->group ? k->group[j] : j, size = 0;
    double sum = 0;
    for (int64_t l = 0; l < k->d; l++) {
        if ((k->group ? k->group[l] : l) != g) continue;
        size++;
        sum += k->cost ? k->cost[l] : 1;
    }
    *cost = sum / (double)size;
    *norm = *cost * sqrt((double)size);
    return k->rows ? g : g * k->c + o;
}

/* Squares of the units of v; per unit its costs. units: at most d c. */
static void unit_squares(const glm_case *k, const double *v, double *square, double *cost,
                         double *norm) {
    for (int64_t e = 0; e < k->d * k->c; e++) square[e] = cost[e] = norm[e] = 0;
    for (int64_t j = 0; j < k->d; j++)
        for (int64_t o = 0; o < k->c; o++) {
            double own, own_norm, x = v[j * k->c + o];
            int64_t u = unit_of(k, j, o, &own, &own_norm);
            square[u] += x * x;
            cost[u] = own;
            norm[u] = own_norm;
        }
}

static double penalty_at(const glm_case *k, const double *B) {
    int64_t units = k->d * k->c;
    double *square = numbers(3 * units), *cost = square + units, *norm = cost + units, sum = 0;
    unit_squares(k, B, square, cost, norm);
    for (int64_t u = 0; u < units; u++)
        sum += k->alpha * norm[u] * sqrt(square[u]) + (1 - k->alpha) / 2 * cost[u] * square[u];
    free(square);
    return sum;
}

double glm_case_objective(const glm_case *k, double lambda, const double *B, const double *b) {
    double *f = numbers(k->n * k->c);
    fitted(k, B, b, f);
    double out = loss_at(k, f, NULL) + lambda * penalty_at(k, B);
    free(f);
    return out;
}

static void gradient_at(const glm_case *k, const double *u, double *G) {
    for (int64_t j = 0; j < k->d; j++)
        for (int64_t o = 0; o < k->c; o++) {
            double sum = 0;
            for (int64_t i = 0; i < k->n; i++) sum += k->x[j * k->n + i] * u[i * k->c + o];
            G[j * k->c + o] = sum;
        }
}

static double dual_at(const glm_case *k, const double *u, double t) {
    double sum = 0;
    for (int64_t e = 0; e < k->n * k->c; e++) {
        double s = k->share[e / k->c], a = t * u[e];
        if (s == 0) continue;
        if (!k->logistic) {
            sum += a * k->y[e] - a * a / (2 * s);
        } else {
            double q = k->y[e] - a / s;
            if (q > 0) sum -= s * q * log(q);
            if (k->c == 1 && q < 1) sum -= s * (1 - q) * log(1 - q);
        }
        if (k->offset) sum -= a * k->offset[e];
    }
    return sum;
}

/* One output with an intercept: the entries of u to sum 0. */
static void even_out(const glm_case *k, double *u) {
    double up = 0, down = 0;
    if (k->c > 1 || !k->intercept) return;
    for (int64_t i = 0; i < k->n; i++) *(u[i] > 0 ? &up : &down) += fabs(u[i]);
    for (int64_t i = 0; i < k->n; i++) {
        double side = u[i] > 0 ? up : down;
        if (!k->logistic) u[i] -= k->share[i] * (up - down);
        if (k->logistic && side > 0) u[i] *= fmin(up, down) / side;
    }
}

double glm_case_gap(const glm_case *k, double lambda, const double *B, const double *b) {
    int64_t units = k->d * k->c;
    double *f = numbers(2 * k->n * k->c), *u = f + k->n * k->c, *G = numbers(4 * units);
    double *square = G + units, *cost = square + units, *norm = cost + units;
    fitted(k, B, b, f);
    double primal = loss_at(k, f, u) + lambda * penalty_at(k, B), t = 1, conjugate = 0;
    even_out(k, u);
    gradient_at(k, u, G);
    unit_squares(k, G, square, cost, norm);
    for (int64_t v = 0; v < units; v++) {
        double most = lambda * k->alpha * norm[v], size = sqrt(square[v]);
        if (norm[v] == 0 || size <= most) continue;
        if (k->alpha == 1)
            t = fmin(t, most / size);
        else
            conjugate += (size - most) * (size - most) / (2 * lambda * (1 - k->alpha) * cost[v]);
    }
    double gap = primal - dual_at(k, u, t) + conjugate;
    free(G);
    free(f);
    return gap;
}

/* B, b from z, c by one proximal gradient step of length 1 / L. */
static void proximal_step(const glm_case *k, double lambda, double L, const double *z,
                          const double *zb, double *B, double *b, double *scratch) {
    int64_t units = k->d * k->c, nc = k->n * k->c;
    double *f = scratch, *u = f + nc, *G = u + nc, *square = G + units, *cost = square + units,
           *norm = cost + units;
    fitted(k, z, zb, f);
    loss_at(k, f, u);
    gradient_at(k, u, G);
    for (int64_t e = 0; e < units; e++) B[e] = z[e] + G[e] / L;
    for (int64_t o = 0; o < k->c; o++) {
        double sum = 0;
        for (int64_t i = 0; i < k->n; i++) sum += u[i * k->c + o];
        b[o] = zb[o] + (k->intercept ? sum / L : 0);
    }
    unit_squares(k, B, square, cost, norm);
    for (int64_t j = 0; j < k->d; j++)
        for (int64_t o = 0; o < k->c; o++) {
            double own, own_norm;
            int64_t v = unit_of(k, j, o, &own, &own_norm);
            double size = sqrt(square[v]), over = size - lambda * k->alpha * own_norm / L;
            double keep = over > 0 ? over / size / (1 + lambda * (1 - k->alpha) * own / L) : 0;
            B[j * k->c + o] *= keep;
        }
}

/* The largest eigenvalue of [X 1]' diag(share) [X 1], from above. */
static double lipschitz(const glm_case *k) {
    double trace = k->intercept ? 1 : 0;
    for (int64_t j = 0; j < k->d; j++)
        for (int64_t i = 0; i < k->n; i++)
            trace += k->share[i] * k->x[j * k->n + i] * k->x[j * k->n + i];
    return trace * (!k->logistic ? 1 : k->c == 1 ? 0.25 : 0.5);
}

double glm_case_solve(const glm_case *k, double lambda, double *B, double *b) {
    enum { MOST = 60000 };
    int64_t units = k->d * k->c, c = k->c;
    double *next = numbers(units + c), *z = numbers(units + c), t = 1, L = lipschitz(k);
    double *scratch = numbers(2 * k->n * c + 4 * units);
    memset(B, 0, sizeof(double) * (size_t)units);
    memset(b, 0, sizeof(double) * (size_t)c);
    for (int it = 0; it < MOST; it++) {
        proximal_step(k, lambda, L, z, z + units, next, next + units, scratch);
        double against = 0, moved = 0, size = 1e-300, momentum = (1 + sqrt(1 + 4 * t * t)) / 2;
        for (int64_t e = 0; e < units + c; e++) {
            double old = e < units ? B[e] : b[e - units];
            against += (z[e] - next[e]) * (next[e] - old);
            moved = fmax(moved, fabs(next[e] - z[e]));
            size = fmax(size, fabs(next[e]));
        }
        if (against > 0) momentum = 1; /* restart */
        for (int64_t e = 0; e < units + c; e++) {
            double *old = e < units ? &B[e] : &b[e - units];
            z[e] = next[e] + (against > 0 ? 0 : (t - 1) / momentum) * (next[e] - *old);
            *old = next[e];
        }
        t = momentum;
        if (moved <= 1e-14 * size) break;
    }
    free(scratch);
    free(z);
    free(next);
    return glm_case_objective(k, lambda, B, b);
}

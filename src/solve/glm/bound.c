#include "solve/glm/bound.h"

#include <math.h>

static const double SLACK = 1e-9; /* by which a bound must hold: rounding */
static const double NEARLY =
    1e-8; /* of the product of their squares: points this close are treated as one */

static double product(const double *a, const double *b, const double *weight, int64_t n) {
    double s[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) s[k] += a[i + k] * b[i + k] * weight[i + k];
    for (int k = 0; i < n; i++, k++) s[k] += a[i] * b[i] * weight[i];
    return (s[0] + s[2]) + (s[1] + s[3]);
}

/* Writes points m as combinations of kept point i, without and with the last requested point. with:
 * <U_m, U0>, self: <U_m, U_m>, late: <U_m, U1>. */
static void combine(bounds *b, int64_t i, const double *with, const double *self,
                    const double *late) {
    int64_t last = b->count - 1;
    double g00 = b->size[i], g01 = with[last], g11 = self[last], det = g00 * g11 - g01 * g01;
    double *inverse = b->inverse + 3 * i;
    bool apart = det > NEARLY * g00 * g11;
    inverse[0] = apart ? g11 / det : 0;
    inverse[1] = apart ? -g01 / det : 0;
    inverse[2] = apart ? g00 / det : g11 > 0 ? 1 / g11 : 0;
    for (int64_t m = 0; m < b->count; m++) {
        double t = g00 > 0 ? with[m] / g00 : 0;
        bound_part one = {t, 0, sqrt(fmax(self[m] - t * with[m], 0))};
        b->one[i * b->count + m] = one;
        b->most[i].u = fmax(b->most[i].u, fabs(t) / b->limit[m]);
        b->most[i].distance = fmax(b->most[i].distance, one.distance / b->limit[m]);
        double u = inverse[0] * with[m] + inverse[1] * late[m];
        double v = inverse[1] * with[m] + inverse[2] * late[m];
        double rest = self[m] - u * with[m] - v * late[m];
        b->two[i * b->count + m] = (bound_part){u, v, sqrt(fmax(rest, 0))};
    }
    b->two[i * b->count + last] = (bound_part){0, 0, 0};
}

bool bounds_open(bounds *b, const double *point, int64_t kept, const double *const *U,
                 const double *limit, int64_t count, const double *weight, int64_t n,
                 const pare_allocator *mem) {
    *b = (bounds){.kept = kept, .count = count};
    arena_init(&b->mem, mem);
    b->limit = ARENA_NEW(&b->mem, double, count);
    b->one = ARENA_NEW(&b->mem, bound_part, kept * count);
    b->two = ARENA_NEW(&b->mem, bound_part, kept * count);
    b->inverse = ARENA_NEW(&b->mem, double, 3 * kept);
    b->size = ARENA_NEW(&b->mem, double, kept);
    b->most = ARENA_ZERO(&b->mem, bound_part, kept);
    double *self = ARENA_NEW(&b->mem, double, 3 * count);
    if (!b->limit || !b->one || !b->two || !b->inverse || !b->size || !b->most || !self)
        return false;
    double *late = self + count, *with = late + count;
    for (int64_t m = 0; m < count; m++) {
        b->limit[m] = limit[m] * (1 - SLACK);
        self[m] = product(U[m], U[m], weight, n);
        late[m] = product(U[m], U[count - 1], weight, n);
    }
    for (int64_t i = 0; i < kept; i++) {
        const double *U0 = point + i * n;
        b->size[i] = product(U0, U0, weight, n);
        for (int64_t m = 0; m < count; m++) with[m] = product(U[m], U0, weight, n);
        combine(b, i, with, self, late);
    }
    return true;
}

void bounds_close(bounds *b) { arena_free(&b->mem); }

static bool allowed(const bounds *b, const bound_part *part, const bound_of *x, double g0,
                    double g1, double rest) {
    for (int64_t m = b->count - 1; m >= 0; m--) { /* the last points fail first */
        double along = part[m].u * g0 + part[m].v * g1;
        double most = (x->sign ? x->sign * along : fabs(along)) + part[m].distance * rest;
        if (!(most <= b->limit[m] * x->norm)) return false;
    }
    return true;
}

bool bound_holds(const bounds *b, const bound_of *x, double g0) {
    double along = b->size[x->when] > 0 ? g0 * g0 / b->size[x->when] : 0;
    double rest = sqrt(fmax(x->norm2 - along, 0) + SLACK * x->norm2);
    const bound_part *most = &b->most[x->when];
    if (fabs(g0) * most->u + rest * most->distance <= x->norm) return true; /* at all points */
    return allowed(b, b->one + x->when * b->count, x, g0, 0, rest);
}

bool bound_holds_between(const bounds *b, const bound_of *x, double g0, double g1) {
    const double *inverse = b->inverse + 3 * x->when;
    double along = inverse[0] * g0 * g0 + 2 * inverse[1] * g0 * g1 + inverse[2] * g1 * g1;
    double rest = sqrt(fmax(x->norm2 - along, 0) + SLACK * x->norm2);
    return allowed(b, b->two + x->when * b->count, x, g0, g1, rest);
}

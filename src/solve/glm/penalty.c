#include "solve/glm/penalty.h"

#include <math.h>

#include "base/error.h"

/* Blocks in the order of their numbers, features ascending within each; an unused number is a
 * block without features. */
static void sort_members(penalty *p, const int64_t *group) {
    for (int64_t g = 0; g <= p->n_blocks; g++) p->start[g] = 0;
    for (int64_t j = 0; j < p->d; j++) {
        p->block[j] = group ? group[j] : j;
        p->start[p->block[j] + 1]++;
    }
    for (int64_t g = 0; g < p->n_blocks; g++) {
        if (p->start[g + 1] > p->largest) p->largest = p->start[g + 1];
        p->start[g + 1] += p->start[g];
    }
    for (int64_t j = p->d - 1; j >= 0; j--) p->member[--p->start[p->block[j] + 1]] = j;
    for (int64_t g = 0; g < p->n_blocks; g++) p->start[g] = p->start[g + 1];
    p->start[p->n_blocks] = p->d;
}

static void add_costs(penalty *p, const double *cost) {
    for (int64_t g = 0; g < p->n_blocks; g++) {
        int64_t size = penalty_size(p, g);
        double sum = 0;
        for (int64_t k = p->start[g]; k < p->start[g + 1]; k++)
            sum += cost ? cost[p->member[k]] : 1;
        p->cost[g] = size ? sum / (double)size : 1;
        p->norm[g] = p->cost[g] * sqrt((double)size);
        p->some_free |= p->cost[g] == 0;
    }
}

pare_status penalty_open(penalty *p, arena *mem, int64_t d, int64_t c, double alpha, bool rows,
                         const int64_t *group, int64_t n_groups, const double *cost,
                         pare_error *err) {
    *p = (penalty){.d = d, .c = c, .alpha = alpha, .rows = rows};
    p->n_blocks = group ? n_groups : d;
    p->start = ARENA_NEW(mem, int64_t, p->n_blocks + 1);
    p->member = ARENA_NEW(mem, int64_t, d);
    p->block = ARENA_NEW(mem, int64_t, d);
    p->cost = ARENA_NEW(mem, double, p->n_blocks);
    p->norm = ARENA_NEW(mem, double, p->n_blocks);
    if (!p->start || !p->member || !p->block || !p->cost || !p->norm) return error_memory(err);
    sort_members(p, group);
    add_costs(p, cost);
    return PARE_OK;
}

/* The units of a block: `count` of them, each of `length` numbers, `stride` apart. */
typedef struct units {
    int64_t count, length, stride;
} units;

static units units_of(const penalty *p, int64_t g) {
    int64_t size = penalty_size(p, g);
    if (p->rows) return (units){1, size * p->c, 1};
    return (units){p->c, size, p->c};
}

static double norm_of(const double *v, const units *u) {
    double sum = 0;
    if (u->length == 1) return fabs(v[0]);
    for (int64_t k = 0; k < u->length; k++) sum += v[k * u->stride] * v[k * u->stride];
    return sqrt(sum);
}

double penalty_value(const penalty *p, int64_t g, const double *v) {
    units u = units_of(p, g);
    double sum = 0;
    for (int64_t i = 0; i < u.count; i++) {
        double norm = norm_of(v + i, &u);
        sum += p->alpha * p->norm[g] * norm + (1 - p->alpha) / 2 * p->cost[g] * norm * norm;
    }
    return sum;
}

/* The norm of what pulls of a gradient at v = 0. */
static double pull_of(const penalty *p, int64_t g, const double *gradient, const units *u) {
    double sum = 0;
    if (!p->sign) return norm_of(gradient, u);
    for (int64_t k = 0; k < u->length; k++) {
        double own = sign_pull(p->sign[p->member[p->start[g] + k]], gradient[k * u->stride]);
        sum += own * own;
    }
    return sqrt(sum);
}

void penalty_prox(const penalty *p, int64_t g, double step, double *v) {
    units u = units_of(p, g);
    for (int64_t k = 0; p->sign && k < u.length; k++) /* the cone first, then the norm */
        if (sign_against(p->sign[p->member[p->start[g] + k]], v[k])) v[k] = 0;
    double threshold = step * p->alpha * p->norm[g],
           shrink = 1 / (1 + step * (1 - p->alpha) * p->cost[g]);
    for (int64_t i = 0; i < u.count; i++) {
        double norm = norm_of(v + i, &u);
        double keep = norm > threshold ? (norm - threshold) / norm * shrink : 0;
        for (int64_t k = 0; k < u.length; k++) v[i + k * u.stride] *= keep;
    }
}

double penalty_shrink(const penalty *p, int64_t g, double step, double x) {
    if (p->sign && sign_against(p->sign[p->member[p->start[g]]], x)) return 0;
    double over = fabs(x) - step * p->alpha * p->norm[g];
    return over > 0 ? copysign(over / (1 + step * (1 - p->alpha) * p->cost[g]), x) : 0;
}

double penalty_distance(const penalty *p, int64_t g, double lambda, const double *v,
                        const double *gradient) {
    units u = units_of(p, g);
    double a = lambda * p->alpha * p->norm[g], e = lambda * (1 - p->alpha) * p->cost[g], sum = 0;
    for (int64_t i = 0; i < u.count; i++) {
        double norm = norm_of(v + i, &u);
        if (norm == 0) {
            double over = fmax(pull_of(p, g, gradient + i, &u) - a, 0);
            sum += over * over;
            continue;
        }
        for (int64_t k = 0; k < u.length; k++) {
            double own = v[i + k * u.stride];
            double residual = gradient[i + k * u.stride] + a * own / norm + e * own;
            if (own == 0 && p->sign)
                residual = sign_pull(p->sign[p->member[p->start[g] + k]], residual);
            sum += residual * residual;
        }
    }
    return sqrt(sum);
}

double penalty_price(const penalty *p, int64_t g, const double *u) {
    if (penalty_free(p, g)) return 0;
    if (p->c == 1 && penalty_size(p, g) == 1)
        return sign_pull(penalty_sign(p, p->member[p->start[g]]), u[0]) / p->norm[g];
    units at = units_of(p, g);
    double most = 0;
    for (int64_t i = 0; i < at.count; i++) most = fmax(most, pull_of(p, g, u + i, &at));
    return most / p->norm[g];
}

double penalty_conjugate(const penalty *p, int64_t g, double lambda, const double *u) {
    if (penalty_free(p, g)) return 0;
    units at = units_of(p, g);
    double a = lambda * p->alpha * p->norm[g], e = lambda * (1 - p->alpha) * p->cost[g], sum = 0;
    for (int64_t i = 0; i < at.count; i++) {
        double over = fmax(pull_of(p, g, u + i, &at) - a, 0);
        if (over > 0) sum += over * over / (2 * e); /* alpha = 1: infinite */
    }
    return sum;
}

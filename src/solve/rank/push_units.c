#include "solve/rank/push_units.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

enum { FIRST = 200, FEW = 10 };

pare_status subset_init(subset *s, arena *mem, int64_t total, pare_error *err) {
    *s = (subset){.total = total,
                  .list = ARENA_NEW(mem, int64_t, total),
                  .in = ARENA_ZERO(mem, bool, total),
                  .found = ARENA_NEW(mem, ranked, total)};
    return s->list && s->in && s->found ? PARE_OK : error_memory(err);
}

void subset_find(subset *s, int64_t index, double key) {
    if (!s->in[index]) s->found[s->n_found++] = (ranked){key, index};
}

int64_t subset_grow(subset *s, int64_t most) {
    sort_best_first(s->found, s->n_found);
    int64_t taken = s->n_found < most ? s->n_found : most;
    for (int64_t k = 0; k < taken; k++) {
        s->list[s->count++] = s->found[k].index;
        s->in[s->found[k].index] = true;
    }
    s->n_found = 0;
    return taken;
}

void subset_clear(subset *s) {
    if (s->total) memset(s->in, 0, sizeof *s->in * (size_t)s->total);
    s->count = s->n_found = 0;
}

/* In the order of the groups' numbers; groups without a feature are no units. */
pare_status units_init(push_units *u, arena *mem, const push_problem *p, pare_error *err) {
    int64_t d = p->x->d, groups = p->penalty == PUSH_GROUP ? p->n_groups : d;
    *u = (push_units){.d = d};
    PASS_MEM(u->start = ARENA_ZERO(mem, int64_t, groups + 2));
    PASS_MEM(ARENA_NEWS(mem, int64_t, d, &u->col, &u->member));
    PASS_MEM(u->norm = ARENA_NEW(mem, double, groups));
    PASS_MEM(u->group_start = ARENA_ZERO(mem, int64_t, groups + 1));
    for (int64_t j = 0; j < d; j++) u->start[(p->penalty == PUSH_GROUP ? p->group[j] : j) + 2]++;
    for (int64_t k = 0; k < groups; k++) u->start[k + 2] += u->start[k + 1];
    for (int64_t j = 0; j < d; j++)
        u->col[u->start[(p->penalty == PUSH_GROUP ? p->group[j] : j) + 1]++] = j;
    for (int64_t k = 0; k < groups; k++)
        if (u->start[k + 1] > u->start[k]) u->start[++u->count] = u->start[k + 1];
    return PARE_OK;
}

void units_norms(push_units *u, const double *v) {
    for (int64_t k = 0; k < u->count; k++) {
        int64_t first = u->start[k], end = u->start[k + 1];
        double square = 0;
        for (int64_t i = first; i < end; i++) square += v[u->col[i]] * v[u->col[i]];
        u->norm[k] = end - first == 1 ? fabs(v[u->col[first]]) : sqrt(square);
    }
}

int64_t units_first(const push_units *u) {
    double share = (double)FIRST / (double)u->d;
    return share < 1 && u->count > FEW ? FEW + (int64_t)(share * (double)(u->count - FEW))
                                       : u->count;
}

void units_gather(push_units *u, const subset *chosen) {
    u->n_member = 0;
    for (int64_t k = 0; k < chosen->count; k++) {
        int64_t unit = chosen->list[k];
        for (int64_t i = u->start[unit]; i < u->start[unit + 1]; i++)
            u->member[u->n_member++] = u->col[i];
        u->group_start[k + 1] = u->n_member;
    }
}

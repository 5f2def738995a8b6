#include "method/svm/rfe_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct rfe_member {
    double sum;
    int64_t group, place; /* place: its position in the order */
    ranked own;
} rfe_member;

pare_status rfe_groups_init(rfe_groups *g, arena *mem, const fit_job *job, pare_error *err) {
    int64_t d = job->x->d;
    *g = (rfe_groups){.count = job->terms.n_groups};
    if (!job->terms.group) return PARE_OK;
    int64_t *of = ARENA_NEW(mem, int64_t, d);
    g->sum = ARENA_NEW(mem, double, g->count);
    g->list = ARENA_NEW(mem, rfe_member, d);
    if (!of || !g->sum || !g->list) return error_memory(err);
    for (int64_t j = 0; j < d; j++) of[j] = job->terms.group[job->x->cols ? job->x->cols[j] : j];
    g->of = of;
    return PARE_OK;
}

int64_t rfe_groups_among(const rfe_groups *g, const int64_t *features, int64_t count) {
    int64_t groups = 0;
    if (!g->of) return count;
    memset(g->sum, 0, sizeof *g->sum * (size_t)g->count);
    for (int64_t i = 0; i < count; i++) {
        groups += g->sum[g->of[features[i]]] == 0;
        g->sum[g->of[features[i]]] = 1;
    }
    return groups;
}

static int worst_first(const void *pa, const void *pb) {
    const rfe_member *a = pa, *b = pb;
    int less = order_up(a->sum, b->sum), last = order_index(b->group, a->group);
    return less ? less : last ? last : order_index(a->place, b->place);
}

void rfe_groups_order(const rfe_groups *g, ranked *order, int64_t count) {
    if (!g->of) return;
    memset(g->sum, 0, sizeof *g->sum * (size_t)g->count);
    for (int64_t i = 0; i < count; i++) g->sum[g->of[order[i].index]] += order[i].key;
    for (int64_t i = 0; i < count; i++) {
        int64_t of = g->of[order[i].index];
        g->list[i] = (rfe_member){g->sum[of], of, i, order[i]};
    }
    qsort(g->list, (size_t)count, sizeof *g->list, worst_first);
    for (int64_t i = 0; i < count; i++) order[i] = g->list[i].own;
}

int64_t rfe_groups_first(const rfe_groups *g, const ranked *order, int64_t count, int64_t groups) {
    int64_t at = 0;
    if (!g->of) return groups;
    for (; at < count; at++) {
        bool next = at == 0 || g->of[order[at].index] != g->of[order[at - 1].index];
        if (next && groups-- == 0) break;
    }
    return at;
}

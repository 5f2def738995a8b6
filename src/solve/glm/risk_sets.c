#include "solve/glm/risk_sets.h"

#include <math.h>

#include "base/error.h"
#include "base/order.h"

/* A block of list[from .. to), whose tied samples are those with an event. */
static void add_block(risk_sets *r, const ranked *list, int64_t from, int64_t to, int64_t at,
                      const int32_t *event) {
    risk_block *b = &r->block[r->n_blocks++];
    *b = (risk_block){.from = at};
    for (int64_t k = from; k < to; k++)
        if (event[list[k].index]) r->order[at++] = (int32_t)list[k].index;
    b->others = at;
    for (int64_t k = from; k < to; k++)
        if (!event[list[k].index]) r->order[at++] = (int32_t)list[k].index;
    b->to = at;
}

/* The samples of one stratum, list[0 .. count), into the order from `at` on. */
static void add_stratum(risk_sets *r, ranked *list, int64_t count, int64_t at,
                        const int32_t *event) {
    int64_t from = 0;
    sort_best_first(list, count);
    for (int64_t k = 0, end; k < count; k = end) {
        bool some = false;
        for (end = k; end < count && list[end].key == list[k].key; end++)
            some |= event[list[end].index] != 0;
        if (!some) continue;
        add_block(r, list, from, end, at + from, event);
        from = end;
    }
    if (from < count) add_block(r, list, from, count, at + from, event);
}

/* Where the tied of each block are its whole risk set and have equal fitted values. */
static double least_loss(const risk_sets *r) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < r->n; i++) total += r->weight[i];
    for (int64_t k = 0; k < r->n_blocks; k++) {
        const risk_block *b = &r->block[k];
        int64_t terms = risk_terms(r, b);
        double tied = 0;
        for (int64_t e = b->from; e < b->others; e++) tied += r->weight[r->order[e]];
        for (int64_t l = 0; l < terms; l++)
            sum += tied / (double)terms * log(tied * risk_part(r, b, l));
    }
    return sum / total;
}

pare_status risk_sets_open(risk_sets *r, arena *mem, int64_t n, const double *time,
                           const int32_t *event, const int32_t *stratum, int64_t n_strata,
                           const double *weight, bool efron, pare_error *err) {
    *r = (risk_sets){.n = n, .n_strata = stratum ? n_strata : 1, .efron = efron};
    r->order = ARENA_NEW(mem, int32_t, n);
    r->block = ARENA_NEW(mem, risk_block, n);
    r->weight = ARENA_NEW(mem, double, n);
    r->first = ARENA_NEW(mem, int64_t, r->n_strata + 1);
    int64_t *start = ARENA_ZERO(mem, int64_t, r->n_strata + 1);
    ranked *list = ARENA_NEW(mem, ranked, n);
    if (!r->order || !r->block || !r->weight || !r->first || !start || !list)
        return error_memory(err);
    for (int64_t i = 0; i < n; i++) start[stratum ? stratum[i] : 0]++;
    for (int64_t s = 0, at = 0; s < r->n_strata; s++) {
        at += start[s];
        start[s] = at; /* its end, which filling from behind makes its start */
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        list[--start[stratum ? stratum[i] : 0]] = (ranked){time[i], i};
        r->weight[i] = weight ? weight[i] : 1;
    }
    start[r->n_strata] = n;
    for (int64_t s = 0; s < r->n_strata; s++) {
        r->first[s] = r->n_blocks;
        add_stratum(r, list + start[s], start[s + 1] - start[s], start[s], event);
    }
    r->first[r->n_strata] = r->n_blocks;
    r->least = least_loss(r);
    return PARE_OK;
}

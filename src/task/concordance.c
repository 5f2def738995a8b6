/* From the last time to the first, the weights of the samples seen so far stand in a binary indexed
 * tree by the rank of their risk: an event asks it for the weight below its own risk. */
#include "task/concordance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"

typedef struct sample {
    double time;
    int32_t stratum;
    bool event;
    int64_t index;
} sample;

/* By stratum, then from the last time to the first, censored samples before events. */
static int later_first(const void *pa, const void *pb) {
    const sample *a = pa, *b = pb;
    if (a->stratum != b->stratum) return a->stratum < b->stratum ? -1 : 1;
    int by_time = order_down(a->time, b->time);
    if (by_time) return by_time;
    if (a->event != b->event) return a->event ? 1 : -1;
    return order_index(a->index, b->index);
}

typedef struct tally {
    int64_t n;
    sample *order;
    int64_t *rank; /* of each sample's risk, from 1; equal risks have one */
    double *tree;  /* n + 1: binary indexed, of the weights seen */
    double *same;  /* n + 1: the weight seen at each rank */
    double all;    /* the weight seen */
} tally;

static void tally_add(tally *t, int64_t rank, double weight) {
    t->same[rank] += weight;
    t->all += weight;
    for (int64_t k = rank; k <= t->n; k += k & -k) t->tree[k] += weight;
}

static void tally_remove_all(tally *t, int64_t from, int64_t to) {
    for (int64_t q = from; q < to; q++) {
        int64_t rank = t->rank[t->order[q].index];
        t->same[rank] = 0;
        for (int64_t k = rank; k <= t->n; k += k & -k) t->tree[k] = 0;
    }
    t->all = 0;
}

/* The weight seen at lower ranks. */
static double tally_below(const tally *t, int64_t rank) {
    double sum = 0;
    for (int64_t k = rank - 1; k > 0; k -= k & -k) sum += t->tree[k];
    return sum;
}

static void rank_risks(tally *t, const concordance_job *job, ranked *by_risk) {
    int64_t rank = 0;
    for (int64_t i = 0; i < t->n; i++) by_risk[i] = (ranked){job->risk[i], i};
    sort_least_first(by_risk, t->n);
    for (int64_t q = 0; q < t->n; q++) {
        rank += q == 0 || by_risk[q].key != by_risk[q - 1].key;
        t->rank[by_risk[q].index] = rank;
    }
}

static double weight_of(const concordance_job *job, int64_t i) {
    return job->weight ? job->weight[i] : 1;
}

static double count_pairs(tally *t, const concordance_job *job) {
    double concordant = 0, pairs = 0;
    int64_t begin = 0; /* of the stratum */
    for (int64_t q = 0; q < t->n;) {
        const sample *first = &t->order[q];
        if (first->stratum != t->order[begin].stratum) {
            tally_remove_all(t, begin, q);
            begin = q;
        }
        int64_t end = q + 1; /* of the samples that are compared with the same others */
        while (end < t->n && t->order[end].stratum == first->stratum &&
               t->order[end].time == first->time && t->order[end].event == first->event)
            end++;
        for (int64_t e = q; first->event && e < end; e++) {
            int64_t i = t->order[e].index;
            double own = weight_of(job, i) * (job->of_event ? job->of_event[i] : 1);
            concordant += own * (tally_below(t, t->rank[i]) + t->same[t->rank[i]] / 2);
            pairs += own * t->all;
        }
        for (; q < end; q++)
            tally_add(t, t->rank[t->order[q].index], weight_of(job, t->order[q].index));
    }
    return pairs > 0 ? concordant / pairs : NAN;
}

pare_status concordance(double *out, const concordance_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    int64_t n = job->n;
    tally t = {.n = n};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    ranked *by_risk;
    TRY_MEM(by_risk = ARENA_NEW(&mem, ranked, n));
    TRY_MEM(t.order = ARENA_NEW(&mem, sample, n));
    TRY_MEM(t.rank = ARENA_NEW(&mem, int64_t, n));
    TRY_MEM(ARENA_ZEROS(&mem, double, n + 1, &t.tree, &t.same));
    for (int64_t i = 0; i < n; i++)
        t.order[i] =
            (sample){job->time[i], job->stratum ? job->stratum[i] : 0, job->event[i] == 1, i};
    qsort(t.order, (size_t)n, sizeof *t.order, later_first);
    rank_risks(&t, job, by_risk);
    *out = count_pairs(&t, job);
done:
    arena_free(&mem);
    return status;
}

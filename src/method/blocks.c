#include "method/blocks.h"

#include <math.h>

#include "base/error.h"

static int64_t base_of(const fit_job *job, int64_t j) { return job->x->cols ? job->x->cols[j] : j; }

pare_status blocks_of(feature_blocks *out, arena *mem, const fit_job *job, pare_error *err) {
    const feature_terms *terms = &job->terms;
    int64_t d = job->x->d;
    *out = (feature_blocks){0};
    PASS(fit_signs(&out->sign, mem, job, err));
    if (!terms->group) return PARE_OK;
    int64_t *number = ARENA_NEW(mem, int64_t, terms->n_groups), *of = ARENA_NEW(mem, int64_t, d);
    int64_t *start = ARENA_ZERO(mem, int64_t, d + 2), *member = ARENA_NEW(mem, int64_t, d);
    if (!number || !of || !start || !member) return error_memory(err);
    for (int64_t g = 0; g < terms->n_groups; g++) number[g] = -1;
    for (int64_t j = 0; j < d; j++) {
        int64_t *own = &number[terms->group[base_of(job, j)]];
        if (*own < 0) *own = out->count++;
        of[j] = *own;
        start[*own + 2]++;
    }
    for (int64_t g = 0; g < out->count; g++) start[g + 2] += start[g + 1];
    for (int64_t j = 0; j < d; j++) member[start[of[j] + 1]++] = j; /* start moves by one place */
    out->of = of;
    out->start = start;
    out->member = member;
    out->counted = choice_is(job->set->common.count, "groups");
    return PARE_OK;
}

const lp_groups *blocks_lp(lp_groups *out, const feature_blocks *b) {
    *out = (lp_groups){b->count, b->of, b->start, b->member};
    return b->of ? out : NULL;
}

void blocks_mean(const feature_blocks *b, double *cost) {
    for (int64_t g = 0; g < b->count; g++) {
        double sum = 0, size = (double)(b->start[g + 1] - b->start[g]);
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++) sum += cost[b->member[i]];
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++) cost[b->member[i]] = sum / size;
    }
}

void blocks_pull(const feature_blocks *b, double *price, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        price[j] = fabs(fit_sign_price(b->sign ? b->sign[j] : 0, price[j]));
}

void blocks_sum(const feature_blocks *b, double *value, double *sum) {
    for (int64_t g = 0; g < b->count; g++) {
        sum[g] = 0;
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++) sum[g] += value[b->member[i]];
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++) value[b->member[i]] = sum[g];
    }
}

void blocks_largest(const feature_blocks *b, double *value) {
    for (int64_t g = 0; g < b->count; g++) {
        double largest = 0;
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++)
            largest = fmax(largest, value[b->member[i]]);
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++) value[b->member[i]] = largest;
    }
}

int64_t blocks_active(const feature_blocks *b, const double *value) {
    int64_t n_active = 0;
    for (int64_t g = 0; g < b->count; g++) {
        bool any_positive = false;
        for (int64_t i = b->start[g]; i < b->start[g + 1]; i++)
            any_positive |= value[b->member[i]] > 0;
        n_active += any_positive;
    }
    return n_active;
}

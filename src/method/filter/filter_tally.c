#include "method/filter/filter_tally.h"

#include <math.h>

#include "base/error.h"

pare_status tally_open(tally_buffer *buffer, arena *mem, const filter *f, pare_error *err) {
    buffer->sorted = ARENA_NEW(mem, keyed, 2 * f->n);
    buffer->value = ARENA_NEW(mem, double, f->n + f->c);
    buffer->weight = ARENA_NEW(mem, double, f->n + f->c);
    buffer->cls = ARENA_NEW(mem, int32_t, f->n + f->c);
    buffer->bin = ARENA_NEW(mem, int32_t, f->n + f->c);
    buffer->left = ARENA_NEW(mem, int64_t, f->c);
    buffer->left_weight = ARENA_NEW(mem, double, f->c);
    bool fine = buffer->sorted && buffer->value && buffer->weight && buffer->cls && buffer->bin &&
                buffer->left && buffer->left_weight;
    return fine ? PARE_OK : error_memory(err);
}

static void put(tally_buffer *buffer, int64_t *count, double value, int64_t cls, double weight) {
    buffer->value[*count] = value;
    buffer->cls[*count] = (int32_t)cls;
    buffer->weight[(*count)++] = weight;
}

/* The samples that are not stored: one entry for each class that has some. */
static void put_rest(tally_buffer *buffer, int64_t *count, const filter *f, const column *x) {
    for (int64_t k = 0; k < f->c; k++) {
        buffer->left[k] = f->start[k + 1] - f->start[k];
        buffer->left_weight[k] = f->class_weight[k];
    }
    for (int64_t e = 0; e < x->count; e++) {
        int32_t k = f->cls[x->index[e]];
        buffer->left[k]--;
        buffer->left_weight[k] -= f->weight[x->index[e]];
    }
    for (int64_t k = 0; k < f->c; k++)
        if (buffer->left[k] > 0) put(buffer, count, x->rest, k, fmax(0, buffer->left_weight[k]));
}

tally tally_column(tally_buffer *buffer, const filter *f, const column *x) {
    int64_t count = 0;
    for (int64_t e = 0; e < x->count; e++)
        buffer->sorted[e] = (keyed){x->value[e], x->index ? x->index[e] : (int32_t)e};
    const keyed *by_value = sort_keyed(buffer->sorted, x->count, buffer->sorted + x->count);
    bool rest = x->index && x->count < f->n;
    for (int64_t e = 0; e < x->count; e++) {
        int32_t i = by_value[e].place;
        if (rest && !(by_value[e].key < x->rest)) {
            put_rest(buffer, &count, f, x);
            rest = false;
        }
        put(buffer, &count, by_value[e].key, f->cls[i], f->weight[i]);
    }
    if (rest) put_rest(buffer, &count, f, x);
    return (tally){count, buffer->value, buffer->weight, buffer->cls, NULL, buffer->bin};
}

static bool reaches(double until, double total, bool whole, int64_t b, int64_t bins) {
    if (whole) return (double)((int64_t)(total - 1) * b / bins) < until;
    return total * ((double)b / (double)bins) <= until;
}

int64_t quantile_bins(const double *value, const double *weight, int64_t count, double total,
                      bool whole, int64_t bins, int32_t *out) {
    int64_t b = 1;
    int32_t bin = 0;
    double until = 0;
    bool fresh = true; /* a cut lies before this value */
    for (int64_t e = 0, end; e < count; e = end) {
        for (end = e; end < count && value[end] == value[e]; end++) until += weight[end];
        bool cut = false;
        for (; b < bins && reaches(until, total, whole, b, bins); b++) cut = true;
        if (end == count && cut && !fresh) bin++;
        for (int64_t i = e; i < end; i++) out[i] = bin;
        if (cut && end < count) bin++;
        fresh = cut;
    }
    return bin + 1;
}

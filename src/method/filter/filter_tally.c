#include "method/filter/filter_tally.h"

#include <math.h>

#include "base/error.h"

pare_status tally_open(tally_room *room, arena *mem, const filter *f, pare_error *err) {
    room->sorted = ARENA_NEW(mem, keyed, 2 * f->n);
    room->value = ARENA_NEW(mem, double, f->n + f->c);
    room->weight = ARENA_NEW(mem, double, f->n + f->c);
    room->cls = ARENA_NEW(mem, int32_t, f->n + f->c);
    room->bin = ARENA_NEW(mem, int32_t, f->n + f->c);
    room->left = ARENA_NEW(mem, int64_t, f->c);
    room->left_weight = ARENA_NEW(mem, double, f->c);
    bool fine = room->sorted && room->value && room->weight && room->cls && room->bin &&
                room->left && room->left_weight;
    return fine ? PARE_OK : error_memory(err);
}

static void put(tally_room *room, int64_t *count, double value, int64_t cls, double weight) {
    room->value[*count] = value;
    room->cls[*count] = (int32_t)cls;
    room->weight[(*count)++] = weight;
}

/* The samples that are not listed: one entry for each class that has some. */
static void put_rest(tally_room *room, int64_t *count, const filter *f, const column *x) {
    for (int64_t k = 0; k < f->c; k++) {
        room->left[k] = f->start[k + 1] - f->start[k];
        room->left_weight[k] = f->class_weight[k];
    }
    for (int64_t e = 0; e < x->count; e++) {
        int32_t k = f->cls[x->index[e]];
        room->left[k]--;
        room->left_weight[k] -= f->weight[x->index[e]];
    }
    for (int64_t k = 0; k < f->c; k++)
        if (room->left[k] > 0) put(room, count, x->rest, k, fmax(0, room->left_weight[k]));
}

tally tally_column(tally_room *room, const filter *f, const column *x) {
    int64_t count = 0;
    for (int64_t e = 0; e < x->count; e++)
        room->sorted[e] = (keyed){x->value[e], x->index ? x->index[e] : (int32_t)e};
    const keyed *by_value = sort_keyed(room->sorted, x->count, room->sorted + x->count);
    bool rest = x->index && x->count < f->n;
    for (int64_t e = 0; e < x->count; e++) {
        int32_t i = by_value[e].place;
        if (rest && !(by_value[e].key < x->rest)) {
            put_rest(room, &count, f, x);
            rest = false;
        }
        put(room, &count, by_value[e].key, f->cls[i], f->weight[i]);
    }
    if (rest) put_rest(room, &count, f, x);
    return (tally){count, room->value, room->weight, room->cls, NULL, room->bin};
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

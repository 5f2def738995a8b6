#include "task/censoring.h"

#include <math.h>

#include "base/error.h"
#include "base/order.h"

/* The samples at one time. */
typedef struct tied {
    double events, censored; /* weights */
    bool any;                /* censored */
} tied;

static tied take_tied(const ranked *list, int64_t from, int64_t end, const target *y,
                      const double *weight) {
    tied t = {0};
    for (int64_t e = from; e < end; e++) {
        double w = weight ? weight[list[e].index] : 1;
        bool event = y->event[list[e].index];
        *(event ? &t.events : &t.censored) += w;
        t.any |= !event;
    }
    return t;
}

pare_status censoring_make(censoring *out, arena *mem, const target *y, const double *weight,
                           const int32_t *rows, int64_t n, pare_error *err) {
    double at_risk = 0, g = 1;
    ranked *list = ARENA_NEW(mem, ranked, n);
    *out = (censoring){.first = NAN, .last = NAN};
    PASS_MEM(list);
    PASS_MEM(ARENA_NEWS(mem, double, n, &out->time, &out->left));
    for (int64_t i = 0; i < n; i++) {
        list[i] = (ranked){y->time[rows[i]], rows[i]};
        at_risk += weight ? weight[rows[i]] : 1;
        if (!y->event[rows[i]]) continue;
        out->first = fmin(out->first, y->time[rows[i]]);
        out->last = fmax(out->last, y->time[rows[i]]);
    }
    sort_least_first(list, n);
    for (int64_t from = 0, end; from < n; from = end) {
        for (end = from; end < n && list[end].key == list[from].key;) end++;
        tied t = take_tied(list, from, end, y, weight);
        at_risk -= t.events;
        if (t.any) {
            g = end == n ? 0 : g * fmax(0, 1 - t.censored / at_risk);
            out->time[out->count] = list[from].key;
            out->left[out->count++] = g;
        }
        at_risk -= t.censored;
    }
    return PARE_OK;
}

/* How many times are before t, or up to t. */
static int64_t place(const censoring *c, double t, bool up_to) {
    int64_t low = 0, high = c->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (c->time[middle] < t || (up_to && c->time[middle] == t))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double value(const censoring *c, int64_t times) {
    return times > 0 ? c->left[times - 1] : 1;
}

double censoring_at(const censoring *c, double t) { return value(c, place(c, t, true)); }
double censoring_before(const censoring *c, double t) { return value(c, place(c, t, false)); }

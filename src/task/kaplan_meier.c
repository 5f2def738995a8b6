#include "task/kaplan_meier.h"

#include <math.h>

#include "base/error.h"
#include "base/order.h"

static const double NORMAL_975 = 1.959963984540054;

static double weight_of(const survival_times *of, int64_t i) {
    return of->weight ? of->weight[i] : 1;
}

/* The samples by time; *total: of their weights. */
static ranked *by_time(arena *mem, const survival_times *of, double *total) {
    ranked *list = ARENA_NEW(mem, ranked, of->n);
    *total = 0;
    for (int64_t i = 0; list && i < of->n; i++) {
        list[i] = (ranked){of->time[i], i};
        *total += weight_of(of, i);
    }
    if (list) sort_least_first(list, of->n);
    return list;
}

/* One step of the curve. All that is left having the event makes S exactly 0. */
static void add_event(survival_curve *c, double time, double events, double at_risk) {
    static const double ROUNDING = 1e-12;
    double before = c->count ? c->survival[c->count - 1] : 1;
    double variance = c->count ? c->variance[c->count - 1] : 0;
    double after = at_risk - events > ROUNDING * at_risk ? at_risk - events : 0;
    c->time[c->count] = time;
    c->survival[c->count] = before * (after / at_risk);
    c->variance[c->count++] = variance + events / (at_risk * after);
}

pare_status survival_curve_make(survival_curve *out, arena *mem, const survival_times *of,
                                pare_error *err) {
    double at_risk;
    *out = (survival_curve){0};
    const ranked *list = by_time(mem, of, &at_risk);
    PASS_MEM(list && ARENA_NEWS(mem, double, of->n, &out->time, &out->survival, &out->variance,
                                &out->leaves, &out->left));
    out->total = at_risk;
    for (int64_t from = 0, end; from < of->n; from = end) {
        double events = 0, leaving = 0;
        for (end = from; end < of->n && list[end].key == list[from].key; end++) {
            double weight = weight_of(of, list[end].index);
            leaving += weight;
            if (of->event[list[end].index]) events += weight;
        }
        if (events > 0) add_event(out, list[from].key, events, at_risk);
        out->events += events;
        at_risk = end < of->n ? at_risk - leaving : 0;
        out->leaves[out->n_left] = list[from].key;
        out->left[out->n_left++] = at_risk;
    }
    return PARE_OK;
}

/* How many of the ascending times are before t, or up to t. */
static int64_t place(const double *time, int64_t count, double t, bool up_to) {
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (time[middle] < t || (up_to && time[middle] == t))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double survival_curve_at(const survival_curve *c, double t) {
    int64_t steps = place(c->time, c->count, t, true);
    return steps ? c->survival[steps - 1] : 1;
}

void survival_curve_interval(double *low, double *high, const survival_curve *c, double t) {
    int64_t steps = place(c->time, c->count, t, true);
    double s = steps ? c->survival[steps - 1] : 1;
    *low = *high = NAN;
    if (!(s > 0 && s < 1)) return;
    double half = NORMAL_975 * sqrt(c->variance[steps - 1]) / -log(s);
    *low = pow(s, exp(half));
    *high = pow(s, exp(-half));
}

double survival_curve_at_risk(const survival_curve *c, double t) {
    int64_t gone = place(c->leaves, c->n_left, t, false);
    return gone ? c->left[gone - 1] : c->total;
}

double survival_curve_median(const survival_curve *c) {
    static const double HALF = 0.5 + 1e-12; /* half of the samples, but for rounding */
    for (int64_t e = 0; e < c->count; e++)
        if (c->survival[e] <= HALF) return c->time[e];
    return NAN;
}

/* The numbers of one group: the samples list[from .. end). */
static pare_status fill_group(survival_group *out, arena *mem, const survival_times *of,
                              const ranked *list, int64_t from, int64_t end, double T,
                              pare_error *err) {
    double *time, *weight;
    int32_t *event = ARENA_NEW(mem, int32_t, end - from);
    survival_curve curve;
    *out = (survival_group){0};
    PASS_MEM(event && ARENA_NEWS(mem, double, end - from, &time, &weight));
    for (int64_t e = from; e < end; e++) {
        int64_t i = list[e].index, own = e - from;
        time[own] = of->time[i];
        event[own] = of->event[i];
        weight[own] = weight_of(of, i);
        out->n += weight[own];
        out->predicted += weight[own] * list[e].key;
        if (event[own] && time[own] <= T) out->events += weight[own];
    }
    out->predicted /= out->n;
    PASS(survival_curve_make(&curve, mem, &(survival_times){end - from, time, event, weight}, err));
    out->observed = survival_curve_at(&curve, T);
    survival_curve_interval(&out->low, &out->high, &curve, T);
    return PARE_OK;
}

pare_status survival_groups_at(survival_group *out, int64_t *made, int64_t groups,
                               const survival_times *of, const double *predicted, double T,
                               const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    double total = 0, sum = 0;
    pare_status status = PARE_OK;
    ranked *list = ARENA_NEW(&mem, ranked, of->n);
    *made = 0;
    TRY_MEM(list);
    for (int64_t i = 0; i < of->n; i++) {
        list[i] = (ranked){predicted[i], i};
        total += weight_of(of, i);
    }
    sort_least_first(list, of->n);
    for (int64_t g = 0, from = 0, end; g < groups; g++, from = end) {
        for (end = from; end < of->n; end++) {
            bool tied = end > from && list[end].key == list[end - 1].key;
            if (!tied && g + 1 < groups && sum >= total * (double)(g + 1) / (double)groups - 1e-9)
                break;
            sum += weight_of(of, list[end].index);
        }
        if (end > from) TRY(fill_group(&out[(*made)++], &mem, of, list, from, end, T, err));
    }
done:
    arena_free(&mem);
    return status;
}

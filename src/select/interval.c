#include "select/interval.h"

#include <math.h>
#include <stddef.h>

#include "base/order.h"

const double INTERVAL_LEVEL = 0.95;
const interval INTERVAL_NONE = {NAN, NAN, NAN, NULL};
static const double NORMAL_975 = 1.959963984540054;

static const char WILSON[] = "wilson";

interval interval_bootstrap(double low, double high) {
    return (interval){low, high, INTERVAL_LEVEL, "bootstrap"};
}

interval interval_percentile(double *value, int64_t count) {
    double last = (double)(count - 1);
    sort_up(value, count);
    return interval_bootstrap(value[(int64_t)(0.025 * last + 0.5)],
                              value[(int64_t)(0.975 * last + 0.5)]);
}

double interval_effective(double m, double n_train) { return m / (1 + m / n_train); }

interval interval_wilson(double proportion, double n) {
    if (isnan(proportion) || !(n > 0)) return INTERVAL_NONE;
    double z2 = NORMAL_975 * NORMAL_975, p = fmin(fmax(proportion, 0), 1);
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = NORMAL_975 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    /* at 0 and 1 the formula's end is that number but for rounding */
    return (interval){p == 0 ? 0 : fmax(middle - half, 0), p == 1 ? 1 : fmin(middle + half, 1),
                      INTERVAL_LEVEL, WILSON};
}

interval interval_union(interval bootstrap, interval wilson) {
    if (isnan(wilson.low)) return bootstrap;
    if (isnan(bootstrap.low)) return wilson;
    interval both =
        interval_bootstrap(fmin(bootstrap.low, wilson.low), fmax(bootstrap.high, wilson.high));
    if (wilson.low < bootstrap.low || wilson.high > bootstrap.high) both.kind = WILSON;
    return both;
}

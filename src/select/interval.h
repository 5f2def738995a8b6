/* The 95% confidence interval of one number of a path: the only one that is printed for it. */
#ifndef PARE_SELECT_INTERVAL_H
#define PARE_SELECT_INTERVAL_H

#include <stdint.h>

typedef struct interval {
    double low, high; /* NaN: not known */
    double level;     /* INTERVAL_LEVEL; NaN: not known */
    const char *kind; /* "wilson": an end is Wilson's; "bootstrap": neither is */
} interval;

extern const double INTERVAL_LEVEL;
extern const interval INTERVAL_NONE;

interval interval_bootstrap(double low, double high);
/* From the 2.5% to the 97.5% quantile of `count` > 0 resampled values, which are put in order. */
interval interval_percentile(double *value, int64_t count);

/* m tested samples count as fewer, because the training samples (n_train of them) vary too and are
 * shared by all folds: as in Nadeau and Bengio's variance, 1 + m / n_train times that of a mean. */
double interval_effective(double m, double n_train);
/* Wilson's score interval of a proportion that n samples gave; never of width 0. */
interval interval_wilson(double proportion, double n);
/* From the lesser low to the greater high end; an interval that is not known is left out. */
interval interval_union(interval bootstrap, interval wilson);

#endif

/* Random regression problems, and the least absolute error with a penalty by CLP on the full
 * program: what the column generation and the path are judged against. */
#ifndef PARE_TESTS_REGRESSION_H
#define PARE_TESTS_REGRESSION_H

#include "support/fits.h"

typedef enum regression_kind {
    REG_NORMAL,
    REG_INTEGER,   /* small integers: ties everywhere */
    REG_DUPLICATE, /* the second half of the columns repeats the first; a column of zeros */
    REG_SCALED,    /* columns from 1e-3 to 1e3 */
    REG_OFFSET,    /* the target far from 0 */
    REG_BINARY,    /* the target is 0 and 1 */
    REG_KINDS
} regression_kind;

typedef struct regression {
    int64_t n, d;
    double *x, *y, *weight; /* n x d, n, n (some 0); weight may be NULL */
    pare_data *data;        /* the same */
} regression;

regression regression_make(rng *r, int64_t n, int64_t d, regression_kind kind, bool weights);
void regression_free(regression *p);

/* min sum_i s_i |x_i'w + b - y_i| + sum_j cost_j |w_j| by CLP; an infinite cost: w_j = 0. s
 * NULL: ones. w (d) may be NULL. */
double regression_clp(const regression *p, const double *cost, const double *s, bool intercept,
                      double *w);

/* The raw coefficients of the model over all d columns into w; its intercept is returned. */
double regression_point(const regression *p, const pare_model *m, double *w);
/* sum_i weight_i |residual_i|. */
double regression_error(const regression *p, const double *w, double b);

#endif

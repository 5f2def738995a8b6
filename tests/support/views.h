/* Random views of a matrix, and every operation of la/matrix.h judged against plain loops. */
#ifndef PARE_TESTS_VIEWS_H
#define PARE_TESTS_VIEWS_H

#include "la/matrix.h"
#include "support/support.h"

/* A matrix together with its values written out, NaN where missing. */
typedef struct sample {
    matrix x;
    double *dense; /* n x d */
    bool owned;    /* x has arrays of its own; otherwise x.value is dense */
} sample;

/* A share `missing` of the entries is NaN (of the stored ones where sparse). Some columns are empty,
 * one is constant. */
sample sample_dense(rng *r, int64_t n, int64_t d, double missing);
sample sample_sparse(rng *r, int64_t n, int64_t d, double density, double missing);
void sample_free(sample *s);

/* Bits that say what a random view does; rows and cols are drawn with repeats, in any order. */
enum {
    VIEW_ROWS = 1,
    VIEW_COLS = 2,
    VIEW_SHIFT = 4,
    VIEW_SCALE = 8,
    VIEW_FILL = 16,
    VIEW_KINDS = 32
};

typedef struct drawn {
    view v;
    int32_t *rows;
    int64_t *cols;
    double *shift, *scale, *fill;
} drawn;

drawn view_draw(rng *r, const matrix *x, int what);
void view_undraw(drawn *w);

/* The view's numbers, v->n x v->d, by the definition; free with free(). */
double *view_values(const sample *s, const view *v);

/* Weights >= 0, some of them 0. */
double *random_weights(rng *r, int64_t count);

/* Runs every operation on views of the kind `what` and compares with loops. */
void check_operations(rng *r, const sample *s, int what, const pare_ctx *ctx);
/* The same for every kind. */
void check_every_view(rng *r, const sample *s);

#endif

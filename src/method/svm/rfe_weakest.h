/* The features of smallest weight |X_p'U| (several outputs: the norm of that row) among the
 * remaining ones, for a sequence of slowly changing U.
 *
 * Since |w_p| changes by at most |x_p| |dU|, an old weight less R |U - U0|, with R the largest
 * |x_p| and U0 that of its evaluation, is a lower bound. The window holds the columns of the
 * weakest features at U0, contiguously; each query weighs its first ones again, as far as the
 * bounds require, and only when the bound of the features outside the window is no longer above the
 * answer are all features weighed and the window filled again: a tenth of all weights on 60 x 4026.
 * If many are removed at once, only those are weighed that may be among them: at U = a U1 + a rest,
 * a weight is within R |U - a U1| of |a| times that at U1, where all were weighed last. While
 * features are removed by tenths U keeps its direction and about two thirds are weighed. Where X is
 * large, a copy of the features in one byte a number (la/pass/byte_copy.h) narrows that to a few in
 * a hundred: it gives X'(U - a U1) to within a hundredth of its bound. Memory: n times the window,
 * which is 4 sqrt(d) columns, and 33 bytes a feature, with several outputs 8 more for each of them,
 * and 8 if the view has columns of its own; with a copy n bytes a feature and 8 more, and 8 for
 * each output. */
#ifndef PARE_METHOD_SVM_RFE_WEAKEST_H
#define PARE_METHOD_SVM_RFE_WEAKEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/order.h"
#include "la/matrix.h"
#include "la/pass/byte_copy.h"

typedef struct weighed {
    ranked one; /* weight, view column */
    int64_t at; /* place in the window */
} weighed;

typedef struct rfe_weakest {
    view x;
    int64_t c, n_active;
    bool *is_active; /* d */
    int64_t *active; /* the first `listed`: the active, and those removed since, ascending */
    int64_t listed;
    double *old;   /* of the listed: weights at U1, where all were weighed; |x_p|^2 before; with a
                      copy scratch */
    int64_t *cols; /* d: scratch, columns of the matrix; NULL: the same as view columns */
    double *W;     /* d x c: scratch; with one output `old` serves, as weighing all sets it */
    const double *factor; /* d: factors of the weights in comparisons; or NULL */
    double R;             /* the largest |x_p| times its factor */
    ranked *scratch;      /* d */
    ranked *list;         /* part of scratch: the last result; its first `filled` are the window */
    bool unsorted;        /* the order of its last result */
    double *U1, *rest;    /* n x c; rest: scratch */
    bool known;           /* U1 is set */
    byte_copy copy;       /* of the listed, */
    bool filled_copy;     /* once it is filled */
    double *ref;          /* with a copy: listed x c, X'U1 */
    bool *left;           /* window: the feature was removed since */
    int64_t *own;         /* window: scratch, its features */
    double *window;       /* n x capacity */
    int64_t capacity, filled;
    double beyond; /* the smallest weight at U0 outside the window */
    double *U0;    /* n x c */
    weighed *best; /* capacity */
} rfe_weakest;

/* x: n x d, c outputs. factor: d, or NULL; old: d numbers of scratch; the caller keeps both. norm2:
 * |x_p|^2 of every column that is not constant, up to rounding, if the caller knows it; 0: computed
 * in one pass over X. Memory from the arena. */
PARE_NODISCARD pare_status rfe_weakest_init(rfe_weakest *w, arena *mem, const view *x, int64_t c,
                                            const double *factor, double *old, double norm2,
                                            const pare_ctx *ctx, pare_error *err);

/* Right after init: removes constant columns into out, `most` at most and the last first. Their
 * weight is 0 for every U. Returns their number. */
int64_t rfe_weakest_constant(rfe_weakest *w, int64_t most, int64_t *out);

/* Removes the `count` weakest at U into out, if there are many in the order of X. in_order:
 * rfe_weakest_sort will be called, which needs their weights. */
PARE_NODISCARD pare_status rfe_weakest_take(rfe_weakest *w, const double *U, int64_t count,
                                            bool in_order, int64_t *out, const pare_ctx *ctx,
                                            pare_error *err);

/* The features just removed, weakest first, of equals the last first. */
void rfe_weakest_sort(rfe_weakest *w, int64_t count, int64_t *out);

/* Removes the first `count` of the list. */
void rfe_weakest_leave(rfe_weakest *w, const ranked *list, int64_t count);

/* The active features in ascending order, w->n_active of them; valid until the next call of any
 * function. */
const int64_t *rfe_weakest_active(rfe_weakest *w);

/* Frees what is not in the arena. A zeroed one may be freed. */
void rfe_weakest_end(rfe_weakest *w, const pare_ctx *ctx);

/* The view of some columns; valid until the next call of any function. */
view rfe_weakest_view(rfe_weakest *w, const int64_t *own, int64_t count);

#endif

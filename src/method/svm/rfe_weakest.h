/* The features of smallest weight |X_p'U| (several outputs: the length of that row) among those that
 * are left, again and again while U moves a little.
 *
 * Since |w_p| changes by at most |x_p| |dU|, an old weight less R |U - U0|, with R the largest |x_p|
 * and U0 that of its evaluation, is a lower bound. The window holds the columns of the weakest
 * features at U0, side by side; each question weighs its first ones anew, as far as the bounds ask
 * for, and only when the bound of those beyond the window is no longer above the answer are all
 * features weighed and the window filled again: a tenth of all weights on 60 x 4026.
 * Where many leave at once, only those are weighed that may be among them: at U = a U1 + what is left, a
 * weight is within R |U - a U1| of |a| times that at U1, of the last time that all were weighed. While
 * features leave by tenths U keeps its direction and a third or so is weighed.
 * Memory: n times the window, which is 4 sqrt(d) columns, and 33 bytes a feature, with several outputs 8
 * more for each of them, and 8 where the view has columns of its own. */
#ifndef PARE_METHOD_SVM_RFE_WEAKEST_H
#define PARE_METHOD_SVM_RFE_WEAKEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/order.h"
#include "la/matrix.h"

typedef struct weighed {
    ranked one; /* weight, view column */
    int64_t at; /* place in the window */
} weighed;

typedef struct rfe_weakest {
    view x;
    int64_t c, live;
    bool *alive;     /* d */
    int64_t *active; /* the first `listed`: the active, and those that have left since, ascending */
    int64_t listed;
    double *old;   /* of the listed: weights at U1, where all were weighed; |x_p|^2 before */
    int64_t *cols; /* d: scratch, columns of the matrix; NULL: view columns are */
    double *W;     /* d x c: scratch; one output has `old` for that, which a weighing of all sets */
    const double *factor; /* d: what weights are multiplied by before they are compared; or NULL */
    double R;             /* the largest |x_p| times its factor */
    ranked *scratch;      /* d */
    ranked *list;         /* in there, what was found last; its first `filled` are the window */
    bool unsorted;        /* what was taken of it last */
    double *U1;           /* n x c */
    bool known;           /* there is such an U1 */
    bool *left;           /* window: that feature has left since */
    int64_t *own;         /* window: scratch, its features */
    double *window;       /* n x room */
    int64_t room, filled;
    double beyond; /* the least weight at U0 outside the window */
    double *U0;    /* n x c */
    weighed *best; /* room */
} rfe_weakest;

/* x: n x d, c outputs. factor: d, or NULL; old: room for d; both stay the caller's. norm2: |x_p|^2 of
 * every column that is not constant, up to rounding, if the caller knows it; 0: one pass over X is to
 * tell. Memory from the arena. */
PARE_NODISCARD pare_status rfe_weakest_init(rfe_weakest *w, arena *mem, const view *x, int64_t c,
                                            const double *factor, double *old, double norm2,
                                            const pare_ctx *ctx, pare_error *err);

/* Right after init: constant columns, `most` at most and the last first, leave into out. Their weight
 * is 0 whatever U is. Returns how many. */
int64_t rfe_weakest_constant(rfe_weakest *w, int64_t most, int64_t *out);

/* The `count` weakest at U leave: out gets them, where they are many in the order of X. */
PARE_NODISCARD pare_status rfe_weakest_take(rfe_weakest *w, const double *U, int64_t count,
                                            int64_t *out, const pare_ctx *ctx, pare_error *err);

/* Those that were just taken, weakest first, of equals the last first. */
void rfe_weakest_sort(rfe_weakest *w, int64_t count, int64_t *out);

/* The first `count` of the list leave, for reasons of the caller's. */
void rfe_weakest_leave(rfe_weakest *w, const ranked *list, int64_t count);

/* The active in ascending order, w->live of them; lives until the next call of any kind. */
const int64_t *rfe_weakest_active(rfe_weakest *w);

/* The view of some columns; lives until the next call of any kind. */
view rfe_weakest_view(rfe_weakest *w, const int64_t *own, int64_t count);

#endif

/* What all methods and settings share on one training part: its scaling and its Gram matrix. Those of
 * many parts come from one pass over X. */
#ifndef PARE_SELECT_BASE_H
#define PARE_SELECT_BASE_H

#include "select/fitting.h"
#include "select/plan.h"

typedef struct part_base {
    fitting f;    /* of no method in particular: see fitting_share */
    double *gram; /* n_train x n_train, or NULL */
} part_base;

/* Bases of `count` parts into out. m, classifier, set: those of any of the methods that will share
 * them. with_gram: whether one of them starts from the Gram. Free with bases_free, also after a
 * failure. */
PARE_NODISCARD pare_status bases_make(part_base *out, const cv_part *part, int64_t count,
                                      const pare_data *data, const target *y, const method *m,
                                      const method *classifier, const all_settings *set,
                                      bool with_gram, const pare_ctx *ctx, pare_error *err);
void bases_free(part_base *base, int64_t count);

/* How many parts can have a base at once, for their memory. */
int64_t bases_at_once(int64_t n, int64_t d, bool with_gram, const pare_ctx *ctx);

#endif

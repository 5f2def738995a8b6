/* What methods and settings that see the data alike share on one training part: its scaling, the scores of
 * filters by moments, which come from the same pass over X, and its Gram matrices. Those of many parts come
 * from one pass. */
#ifndef PARE_SELECT_SHARED_STATISTICS_H
#define PARE_SELECT_SHARED_STATISTICS_H

#include "select/fitting.h"
#include "select/path.h"

typedef struct base_kind {
    base_identity identity;
    bool gram[GRAM_KINDS]; /* those that some method starts from, numbered as in fitting */
    const method **filter; /* that have their scores from the pass of the statistics */
    int64_t n_filters;
    const method *m, *classifier; /* any of the methods, with its settings */
    const all_settings *set;
} base_kind;

/* The kinds of bases that `count` methods need for all settings of their grids. From the arena. */
PARE_NODISCARD pare_status base_kinds(base_kind **out, int64_t *n_kinds, arena *mem,
                                      const path_setup *p, const path_method *m, int64_t count,
                                      const task_type *task, pare_error *err);

/* out[i * n_kinds + k]: the base of kind k on part i, of no method in particular: see fitting_share.
 * out must be zeros; free with bases_free, also after a failure. */
PARE_NODISCARD pare_status bases_make(fitting *out, const cv_part *part, int64_t count,
                                      const base_kind *kind, int64_t n_kinds, const pare_data *data,
                                      const target *y, const pare_ctx *ctx, pare_error *err);
void bases_free(fitting *base, int64_t count);

/* Whether the scores of a method come with the statistics: a filter by moments, of numbers as they are, of classes. */
bool scores_come_along(const method *m, const base_identity *id, const pare_data *data);

/* The bytes that the bases of a part of n samples take. */
double bases_bytes(int64_t n, int64_t d, int64_t classes, const base_kind *kind, int64_t n_kinds);
/* How many parts of so many bytes can have their bases at once beside X. */
int64_t bases_at_once(double bytes, const matrix *x, const pare_ctx *ctx);

#endif

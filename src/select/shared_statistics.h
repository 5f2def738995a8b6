/* Statistics that methods and settings with the same identity share on one training fold: its
 * scaling, the scores of filters by moments, which come from the same pass over X, and its Gram
 * matrices. Those of many folds come from one pass. */
#ifndef PARE_SELECT_SHARED_STATISTICS_H
#define PARE_SELECT_SHARED_STATISTICS_H

#include "select/fitting.h"
#include "select/path.h"

typedef struct shared_kind {
    statistics_identity identity;
    bool gram[GRAM_KINDS]; /* those that some method starts from, numbered as in fitting */
    const method **filter; /* filters whose scores come from the pass of the statistics */
    int64_t n_filters;
    const method *separated;      /* the method whose separation comes from that pass; NULL: none */
    const method *m, *classifier; /* any of the methods, with its settings */
    const all_settings *set;
} shared_kind;

/* The kinds of shared statistics that `count` methods need for all settings of their grids. From
 * the arena. */
PARE_NODISCARD pare_status shared_kinds(shared_kind **out, int64_t *n_kinds, arena *mem,
                                        const path_setup *p, const path_method *m, int64_t count,
                                        const task_type *task, pare_error *err);

/* out[i * n_kinds + k]: the statistics of kind k on split i, for no method in particular: see
 * fitting_share. out must be zeros; free with shared_statistics_free, also after a failure. */
PARE_NODISCARD pare_status shared_statistics_make(fitting *out, const cv_part *part, int64_t count,
                                                  const shared_kind *kind, int64_t n_kinds,
                                                  const target *y, const pare_ctx *ctx,
                                                  pare_error *err);
void shared_statistics_free(fitting *shared, int64_t count);

/* Whether the scores of a method come from the pass of the statistics: a filter by moments, of
 * untransformed values, for classes. */
bool scores_from_statistics(const method *m, const statistics_identity *id, const pare_data *data);

/* The bytes that the shared statistics of a training fold of n samples take. */
double shared_statistics_bytes(int64_t n, int64_t classes, const shared_kind *kind,
                               int64_t n_kinds);
/* How many splits of so many bytes can have their shared statistics in memory at once beside X. */
int64_t shared_statistics_at_once(double bytes, const matrix *x, const pare_ctx *ctx);

#endif

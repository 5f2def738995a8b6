/* Working sets of the ranking solvers: subsets that grow by price, and the units that features are
 * generated in: single features, or groups. */
#ifndef PARE_SOLVE_RANK_PUSH_UNITS_H
#define PARE_SOLVE_RANK_PUSH_UNITS_H

#include "base/memory.h"
#include "base/order.h"
#include "solve/rank/push.h"

typedef struct subset {
    int64_t count, total;
    int64_t *list; /* total */
    bool *in;      /* total */
    ranked *found; /* total */
    int64_t n_found;
} subset;

PARE_NODISCARD pare_status subset_init(subset *s, arena *mem, int64_t total, pare_error *err);
/* Notes an index that is not in the subset. */
void subset_find(subset *s, int64_t index, double key);
/* Adds at most `most` of the noted indices, those of the largest keys; returns how many were
 * noted. */
int64_t subset_grow(subset *s, int64_t most);
void subset_clear(subset *s);

/* Unit k has the features col[start[k] .. start[k + 1] - 1]. */
typedef struct push_units {
    int64_t count, d, *start, *col;
    double *norm; /* count: of the last units_norms */
    /* The features of the units of a subset, unit after unit, and where each unit starts. */
    int64_t n_member, *member, *group_start;
} push_units;

PARE_NODISCARD pare_status units_init(push_units *u, arena *mem, const push_problem *p,
                                      pare_error *err);
void units_norms(push_units *u, const double *v);
/* The number of units to start with: together a few hundred features. */
int64_t units_first(const push_units *u);
void units_gather(push_units *u, const subset *chosen);

#endif

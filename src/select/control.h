/* Error control of the selection: what was asked for, and the selected features of each method of a
 * path with their selection frequencies or q-values. */
#ifndef PARE_SELECT_CONTROL_H
#define PARE_SELECT_CONTROL_H

#include "base/context.h"
#include "select/bounds.h"
#include "select/plan.h"

typedef enum control_kind { CONTROL_NONE, CONTROL_STABILITY, CONTROL_PERMUTATION } control_kind;

/* Fixed before anything runs. */
typedef struct control_request {
    control_kind kind;
    double level; /* expected number of selected features of low selection probability, or the false
                     discovery rate */
    bound_kind bound;
    int64_t pairs;
    bound_rule rule;
    cv_part *half;        /* 2 pairs of half-samples */
    int64_t permutations; /* 0: the method's default */
} control_request;

typedef struct control_feature {
    int64_t index;
    const char *name;
    double value; /* proportion of half-samples that select it, or its q-value */
} control_feature;

typedef struct control_result {
    bool done;
    int64_t n_selected, n_listed; /* the selected ones come first */
    control_feature *feature;
    int64_t permutations;
    bool pooled;  /* null scores of all features are pooled */
    double nulls; /* estimated proportion of features that are unrelated to the target */
} control_result;

struct pare_path;
struct method;

/* Runs every method of the path on all half-samples, takes its q best features of each, and fills
 * in the control of its runs. before and share: progress before this call and its share of the
 * whole. */
PARE_NODISCARD pare_status control_half_samples(struct pare_path *p, double before, double share,
                                                interruption *stopped, const pare_ctx *ctx,
                                                pare_error *err);

/* q-values of run m, whose method scores each feature by itself, from the permutation null. */
PARE_NODISCARD pare_status control_permute(struct pare_path *p, int64_t m, double before,
                                           double share, interruption *stopped, const pare_ctx *ctx,
                                           pare_error *err);
/* The number of permutations for that method. */
int64_t control_permutations(const control_request *c, const struct method *m);

/* Takes value[j] of every feature of method m and lists the best, at least as many as are selected. Memory from
 * p. */
PARE_NODISCARD pare_status control_list(control_result *out, struct pare_path *p, int64_t m,
                                        const double *value, bool higher, double threshold,
                                        const pare_ctx *ctx, pare_error *err);

#endif

/* How many of the selected features may be false: what was asked for, and what came out for each
 * method of a path. */
#ifndef PARE_SELECT_CONTROL_H
#define PARE_SELECT_CONTROL_H

#include "base/context.h"
#include "select/bounds.h"
#include "select/plan.h"

typedef enum control_kind { CONTROL_NONE, CONTROL_STABILITY, CONTROL_PERMUTATION } control_kind;

/* Settled before anything runs. */
typedef struct control_request {
    control_kind kind;
    double level; /* false selections expected at most, or their share */
    bound_kind bound;
    int64_t pairs;
    bound_rule rule;
    cv_part *half;        /* 2 pairs of them */
    int64_t permutations; /* 0: as many as the method's scores ask for */
} control_request;

typedef struct control_feature {
    int64_t index;
    const char *name;
    double value; /* share of the halves that select it, or its q-value */
} control_feature;

typedef struct control_result {
    bool done;
    int64_t n_selected, n_listed; /* the selected ones come first */
    control_feature *feature;
    int64_t permutations;
    bool pooled;  /* null scores of all features together */
    double nulls; /* estimated share of features that have nothing to do with the target */
} control_result;

struct pare_path;
struct method;

/* Runs every method of the path on all halves, its q best features of each, and fills in the control
 * of its runs. before and share: for the progress, of the whole. */
PARE_NODISCARD pare_status control_half_samples(struct pare_path *p, double before, double share,
                                                interruption *stopped, const pare_ctx *ctx,
                                                pare_error *err);

/* q-values of run m, whose method scores each feature by itself, from permuted labels. */
PARE_NODISCARD pare_status control_permute(struct pare_path *p, int64_t m, double before,
                                           double share, interruption *stopped, const pare_ctx *ctx,
                                           pare_error *err);
/* How many permutations that takes. */
int64_t control_permutations(const control_request *c, const struct method *m);

/* Takes value[j] of every feature, those that are better first, and lists those worth showing; at
 * least as many as are selected. Memory from p. */
PARE_NODISCARD pare_status control_list(control_result *out, struct pare_path *p,
                                        const double *value, bool higher, double threshold,
                                        const pare_ctx *ctx, pare_error *err);

#endif

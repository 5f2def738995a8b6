/* Feature terms: costs, forced-in features, signs and groups, set once per fit and passed to every method.
 * They do not depend on rows: folds and subsets have those of their data. */
#ifndef PARE_DATA_FEATURE_TERMS_H
#define PARE_DATA_FEATURE_TERMS_H

#include "base/memory.h"
#include "data/builder.h"

/* Relative slack of a budget, for the rounding of sums such as 0.1 + 0.2. */
#define BUDGET_SLACK 1e-12

typedef struct feature_terms {
    const double *cost; /* of every base column, above 0; NULL: 1 each */
    const bool *kept;   /* of every base column: forced in, not counted in k; NULL: none is */
    int64_t n_kept;
    const signed char
        *sign;            /* of every base column: 1 or -1: its coefficient has that sign or is 0;
                                0: either. NULL: all are 0 */
    const int64_t *group; /* of every base column: the number of its group; NULL: none were given */
    int64_t n_groups;
} feature_terms;

/* The terms of the data; memory from the arena. */
PARE_NODISCARD pare_status terms_of(feature_terms *out, arena *mem, const pare_data *data,
                                    pare_error *err);

int64_t terms_count_kept(const pare_data *data);

static inline double terms_cost(const feature_terms *t, int64_t base) {
    return t->cost ? t->cost[base] : 1;
}
static inline bool terms_keep(const feature_terms *t, int64_t base) {
    return t->kept && t->kept[base];
}

static inline int terms_sign(const feature_terms *t, int64_t base) {
    return t->sign ? t->sign[base] : 0;
}

/* *most: the largest number of features, cheapest first, whose costs sum to at most `budget`. Kept ones
 * do not count. */
PARE_NODISCARD pare_status terms_most(int64_t *most, const feature_terms *t, int64_t d,
                                      double budget, const pare_allocator *mem, pare_error *err);

/* Rejects constant kept columns, as many kept columns as samples, and groups of which only some
 * features are kept. all: every column may be kept. */
PARE_NODISCARD pare_status terms_check(const pare_data *data, bool all, const pare_ctx *ctx,
                                       pare_error *err);

/* d costs: finite and above 0. */
PARE_NODISCARD pare_status terms_check_costs(const double *cost, const pare_data *data,
                                             const char *where, pare_error *err);

/* d signs: 1, -1 or 0. */
PARE_NODISCARD pare_status terms_check_signs(const signed char *sign, const pare_data *data,
                                             const char *where, pare_error *err);

/* Takes the terms of another data set with the same features; those lists stay its own. */
void terms_share(data_builder *b, const pare_data *of);
/* Copies the terms of another data set. false: out of memory. */
bool terms_copy(data_builder *b, const pare_data *of);

#endif

/* Expansion of the data before a fit: indicators of missing values as further columns, then the
 * features that a method derives. */
#ifndef PARE_PROBLEM_EXPAND_H
#define PARE_PROBLEM_EXPAND_H

#include "model/model.h"
#include "registry.h"

typedef struct expansion {
    const pare_data *given;
    const pare_data *data; /* the data that are fitted: `given`, or the last of these */
    pare_data *marked;     /* with indicators, or NULL */
    pare_data *made;       /* with the method's derived features, or NULL */
} expansion;

/* Free with expansion_end, also after a failure; of->data must outlive it. */
PARE_NODISCARD pare_status expansion_begin(expansion *e, const method *m, const expand_job *of,
                                           const pare_ctx *ctx, pare_error *err);
void expansion_end(expansion *e);

/* The derived columns that a model uses, ascending, each once; *count 0: it uses none. */
PARE_NODISCARD pare_status model_derived(int64_t **out, int64_t *count, const pare_model *m,
                                         arena *mem, pare_error *err);
/* Turns the columns that the model names into those of the expanded data, where these are not all
 * that can be derived; a column that is not there becomes -1. m is a copy that owns none of its
 * arrays; new ones are from the arena. */
PARE_NODISCARD pare_status model_see_expansion(pare_model *m, const expansion *e, arena *mem,
                                               pare_error *err);
/* Turns a model of the expanded data into one of the given data. */
PARE_NODISCARD pare_status model_on_expansion(pare_model *m, const expansion *e, pare_error *err);
/* Whether the model's features derive from the given ones as its file says. */
bool expansion_match(const pare_model *m, const expansion *e);

#endif

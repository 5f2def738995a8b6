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

/* Free with expansion_end, also after a failure; given must outlive it. */
PARE_NODISCARD pare_status expansion_begin(expansion *e, const pare_data *given, const method *m,
                                           const all_settings *set, const pare_ctx *ctx,
                                           pare_error *err);
void expansion_end(expansion *e);

/* Turns a model of the expanded data into one of the given data. */
PARE_NODISCARD pare_status model_on_expansion(pare_model *m, const expansion *e, pare_error *err);
/* Whether the model's features derive from the given ones as its file says. */
bool expansion_match(const pare_model *m, const expansion *e);

#endif

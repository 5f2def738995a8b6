/* What data become before all else: indicators of missing values beside them, then the features that a
 * method makes of its own. */
#ifndef PARE_FIT_EXPAND_H
#define PARE_FIT_EXPAND_H

#include "model/model.h"
#include "registry.h"

typedef struct expansion {
    const pare_data *given;
    const pare_data *data; /* what is fitted: given, or the last of these */
    pare_data *marked;     /* with indicators, or NULL */
    pare_data *made;       /* what the method makes of that, or NULL */
} expansion;

/* Free with expansion_end, also after a failure; given must live as long. */
PARE_NODISCARD pare_status expansion_begin(expansion *e, const pare_data *given, const method *m,
                                           const all_settings *set, const pare_ctx *ctx,
                                           pare_error *err);
void expansion_end(expansion *e);

/* A model that was fitted to the expanded data becomes one of the given. */
PARE_NODISCARD pare_status model_on_expansion(pare_model *m, const expansion *e, pare_error *err);
/* Whether the model's features are made of the given ones as it says. */
bool expansion_match(const pare_model *m, const expansion *e);

#endif

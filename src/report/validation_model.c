/* The model that a validation recalibrated. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "validate/validation.h"

pare_status pare_validation_recalibrated(pare_model **out, const pare_validation *validation,
                                         const pare_model *model, const pare_ctx *ctx,
                                         pare_error *err) {
    char *text;
    *out = NULL;
    if (!validation->recalibration.kind)
        return error_set(err, PARE_E_ARGUMENT,
                         "the validation did not recalibrate the model: `recalibrate` is none");
    PASS(pare_model_text(&text, model, ctx, err));
    pare_status status = pare_model_parse(out, text, strlen(text), ctx, err);
    pare_text_free(text, ctx);
    if (status != PARE_OK) return status;
    (*out)->recalibration = validation->recalibration;
    model_apply_recalibration(*out);
    return PARE_OK;
}

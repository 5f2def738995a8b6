/* The "kernel" object of the model file:
 *     {"type", "gamma": [k], "combine": "product" or "sum", "weight": [k], ones for a product, "alpha": [s] or, with several outputs, [[s], ...],
 *      "x": [s][k] raw, "degree", "coef0"}; f = intercept + sum_s alpha_s k(x_s, x). */
#ifndef PARE_REPORT_KERNEL_JSON_H
#define PARE_REPORT_KERNEL_JSON_H

#include <jansson.h>

#include "data/model.h"

/* NULL for a model without a kernel. */
json_t *kernel_json(const pare_model *m);

/* Reads the object into m->kernel; n_selected and n_outputs are set already. PARE_E_FORMAT: it is not
 * such an object; the message is the caller's. */
PARE_NODISCARD pare_status kernel_load(pare_model *m, const json_t *object);

#endif

/* Private to sbmlr: a point, at first of the l1 path; its number of active coefficients; and the
 * descent from it on those. */
#ifndef PARE_METHOD_GLM_SBMLR_POINT_H
#define PARE_METHOD_GLM_SBMLR_POINT_H

#include "method/glm/glm_task.h"

typedef struct sbmlr_point {
    glm_point at; /* its arrays are the point's own, loss and lambda those of the mean loss */
    int64_t capacity;
    int64_t *feature;
    double *B, *b, *U;
    int64_t n_active; /* coefficients that are not 0 */
    double sum;       /* of their absolute values */
} sbmlr_point;

PARE_NODISCARD pare_status sbmlr_keep(sbmlr_point *to, const glm_task *t, const glm_point *point,
                                      pare_error *err);
void sbmlr_drop(sbmlr_point *p, const pare_ctx *ctx);
/* Counts the active coefficients. */
void sbmlr_count(sbmlr_point *p, int64_t c);
/* Sets coefficient (j, o) to `value`. */
PARE_NODISCARD pare_status sbmlr_enter(sbmlr_point *p, const glm_task *t, int64_t j, int64_t o,
                                       double value, pare_error *err);

/* Descends from the point to a minimum of total loss + n_active ln sum over the active
 * coefficients; a coefficient that reaches 0 on the way is eliminated, which adds 1 to its
 * eliminations (d x c, the outputs of a feature together, up to 254). *steep: the distance of the
 * slopes from 0, as a share of the price, or of `total` if none is active. U, lambda and the loss
 * of the point become those at the end. */
PARE_NODISCARD pare_status sbmlr_descend(sbmlr_point *p, const glm_task *t, double total,
                                         uint8_t *eliminations, double *steep, const pare_ctx *ctx,
                                         pare_error *err);

/* The best value of an inactive coefficient (j, o) of the sign `sign`, everything else fixed:
 * *value, or 0 if that does not lower the objective. F: n x c, the fitted values of the point. */
PARE_NODISCARD pare_status sbmlr_entry(double *value, const sbmlr_point *p, const glm_task *t,
                                       double total, const double *F, int64_t j, int64_t o,
                                       double sign, const pare_ctx *ctx, pare_error *err);
/* F at the point, n x c, the outputs of a sample together. */
PARE_NODISCARD pare_status sbmlr_fitted(double *F, const sbmlr_point *p, const glm_task *t,
                                        const pare_ctx *ctx, pare_error *err);

#endif

/* Private to sbmlr: a point, at first of the l1 path; how many coefficients live there; and the way
 * down from it on those. */
#ifndef PARE_METHOD_GLM_SBMLR_POINT_H
#define PARE_METHOD_GLM_SBMLR_POINT_H

#include "method/glm/glm_task.h"

typedef struct sbmlr_point {
    glm_point at; /* its arrays are the point's own, loss and lambda those of the mean loss */
    int64_t room;
    int64_t *feature;
    double *B, *b, *U;
    int64_t live; /* coefficients that are not 0 */
    double sum;   /* of their absolute values */
} sbmlr_point;

PARE_NODISCARD pare_status sbmlr_keep(sbmlr_point *to, const glm_task *t, const glm_point *point,
                                      pare_error *err);
void sbmlr_drop(sbmlr_point *p, const pare_ctx *ctx);
/* Counts what lives. */
void sbmlr_count(sbmlr_point *p, int64_t c);
/* Coefficient (j, o) becomes `value`. */
PARE_NODISCARD pare_status sbmlr_enter(sbmlr_point *p, const glm_task *t, int64_t j, int64_t o,
                                       double value, pare_error *err);

/* From the point down to a minimum of   total loss + live ln sum   over what lives; a coefficient that
 * comes to 0 on the way dies, which adds 1 to its deaths (d x c, the outputs of a feature together,
 * up to 254). *steep: how far the slopes are from 0, as a share of the price, or of `total` where
 * nothing lives. U, lambda and the loss of the point become those of where it ends. */
PARE_NODISCARD pare_status sbmlr_descend(sbmlr_point *p, const glm_task *t, double total,
                                         uint8_t *deaths, double *steep, const pare_ctx *ctx,
                                         pare_error *err);

/* A dead coefficient (j, o) of the sign `sign` as it would be best alive, everything else as it is:
 * *value, or 0 where that does not lower the objective. F: n x c, the fitted values of the point. */
PARE_NODISCARD pare_status sbmlr_alive(double *value, const sbmlr_point *p, const glm_task *t,
                                       double total, const double *F, int64_t j, int64_t o,
                                       double sign, const pare_ctx *ctx, pare_error *err);
/* F at the point, n x c, the outputs of a sample together. */
PARE_NODISCARD pare_status sbmlr_fitted(double *F, const sbmlr_point *p, const glm_task *t,
                                        const pare_ctx *ctx, pare_error *err);

#endif

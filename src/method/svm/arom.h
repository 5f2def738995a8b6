/* The l2-AROM iteration on any view of explicit features, for l2-arom and poly-arom. */
#ifndef PARE_METHOD_SVM_AROM_H
#define PARE_METHOD_SVM_AROM_H

#include "method/method.h"

typedef struct arom_options {
    const char *name;       /* of the method, for the log */
    const char *multiclass; /* ovr or ww */
    double first_ridge;     /* of an automatic one, where steps were made before; else 0 */
    double ridge;       /* above 0: squared slack; 0: hard margins, an automatic one if needed */
    double zero_slack;  /* above 0: lambda0, errors are minimised in the zero-norm as well */
    double tol;         /* relative gap of each SVM */
    const double *z0;   /* initial factor per view column, or NULL: ones */
    const double *cost; /* per view column, times that of the job's terms; or NULL: ones */
} arom_options;

/* Fills ranking, scores and the last selection problem of r (columns, z, dual; with zero slack the
 * duals are followed by as many columns of ridges). o->ridge becomes the ridge in effect in it. */
PARE_NODISCARD pare_status arom_run(fit_result *r, const fit_job *job, arom_options *o,
                                    const pare_ctx *ctx, pare_error *err);

#endif

/* The table of methods. A new method is its file in method/, its settings in settings.def, its
 * certificate in certify/ if it has one, and a row in registry.c. */
#ifndef PARE_REGISTRY_H
#define PARE_REGISTRY_H

#include <pare/methods.h>

#include "certify/certify.h"
#include "method/method.h"

typedef struct method {
    const char *name;
    settings_group group;
    unsigned tasks;       /* of task_kind */
    bool selects_only;    /* no predictor of its own: ends in --classifier */
    pare_status (*fit)(fit_result *, const fit_job *, const pare_ctx *, pare_error *);
    /* Certifies the method's own problem; NULL: it has none. */
    pare_status (*certify)(pare_report *, const cert_job *, const pare_ctx *, pare_error *);
    const char *summary, *problem, *citation;
} method;

const method *method_of_group(settings_group group);

#endif

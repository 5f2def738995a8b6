/* The targets of lasso (values) and logistic (classes) as their losses see them. */
#include <math.h>

#include "base/error.h"
#include "method/glm/glm.h"

static pare_status open_values(glm_loss *l, arena *mem, const fit_job *job, pare_error *err) {
    double *y = ARENA_NEW(mem, double, l->n);
    if (!y) return error_memory(err);
    for (int64_t i = 0; i < l->n; i++) y[i] = job->y->value[i];
    l->kind = &loss_squared;
    l->c = 1;
    l->y = y;
    l->offset = job->offset;
    return PARE_OK;
}

static bool flat_values(const glm_loss *l, bool intercept) {
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < l->n; i++) {
        if (l->share[i] == 0) continue;
        double y = l->y[i] - (l->offset ? l->offset[i] : 0);
        least = fmin(least, y);
        most = fmax(most, y);
    }
    return least == most && (intercept || least == 0);
}

static pare_status open_classes(glm_loss *l, arena *mem, const fit_job *job, pare_error *err) {
    int64_t c = job->y->n_classes > 2 ? job->y->n_classes : 1;
    double *y = ARENA_NEW(mem, double, l->n *c);
    if (!y) return error_memory(err);
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t o = 0; o < c; o++) y[i * c + o] = job->y->cls[i] == (c == 1 ? 1 : o);
    l->kind = c == 1 ? &loss_logistic : &loss_softmax;
    l->c = c;
    l->y = y;
    l->offset = c == 1 ? job->offset : NULL;
    return PARE_OK;
}

const glm_family glm_values = {open_values, flat_values, 1};
const glm_family glm_classes = {open_classes, NULL, 0.25};

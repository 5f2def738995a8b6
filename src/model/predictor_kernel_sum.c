/* A weighted sum of single features' kernels, applied without the n x s kernel. */
#include <string.h>

#include "method/method.h"
#include "model/kernel_machine.h"
#include "solve/kernel/kernel_align.h"
#include "solve/kernel/kernel_apply.h"

static bool made_by(const fit_result *r) { return r->kernel && r->kernel->weights; }

static bool is_in(const json_t *file) {
    const json_t *kernel = json_object_get(file, "kernel");
    const char *combine = json_string_value(json_object_get(kernel, "combine"));
    return combine && strcmp(combine, "sum") == 0;
}

static pare_status predict(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                           pare_error *err) {
    const kernel_machine *k = p->self;
    kernel_sum sum = {kernel_named(k->type), k->gamma, 1, k->weight};
    pare_status status = PARE_OK;
    memset(F, 0, sizeof *F * (size_t)(x->n * p->n_outputs));
    if (k->support.n > 0) /* an SVM without duals has only its intercept */
        status = kernel_apply(F, &k->support, x, &sum, k->alpha, p->n_outputs, ctx, err);
    for (int64_t o = 0; o < p->n_outputs && status == PARE_OK; o++)
        for (int64_t i = 0; i < x->n; i++) F[o * x->n + i] += p->intercept[o];
    return status;
}

const predictor_kind predictor_kernel_sum = {.name = "kernel",
                                             .made_by = made_by,
                                             .is_in = is_in,
                                             .predict = predict,
                                             .from_result = kernel_machine_from_result,
                                             .to_json = kernel_machine_to_json,
                                             .from_json = kernel_machine_from_json};

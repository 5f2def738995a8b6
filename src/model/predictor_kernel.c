/* One kernel on all features, rbf or poly: memory n times the number of support samples. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/method.h"
#include "model/kernel_machine.h"

enum { COLUMNS_AT_ONCE = 64 };

static bool made_by(const fit_result *r) { return r->kernel != NULL; }
static bool is_in(const json_t *file) { return json_object_get(file, "kernel") != NULL; }

/* to (n) += the terms of `count` features in one support sample's inner sums: squared distances, or
 * inner products from the origin. x: n x count, own: s x count. */
static void add_features(double *to, const kernel_machine *k, int64_t first, int64_t count,
                         const double *x, int64_t n, const double *own, bool rbf) {
    for (int64_t j = 0; j < count; j++, x += n, own += k->support.n) {
        double gamma = k->gamma[first + j], origin = k->origin ? k->origin[first + j] : 0;
        if (rbf)
            for (int64_t i = 0; i < n; i++) to[i] += gamma * (x[i] - *own) * (x[i] - *own);
        else
            for (int64_t i = 0; i < n; i++) to[i] += gamma * (x[i] - origin) * (*own - origin);
    }
}

static pare_status inner_sums(double *sums, const predictor *p, const view *x, bool rbf, arena *mem,
                              const pare_ctx *ctx, pare_error *err) {
    const kernel_machine *k = p->self;
    int64_t n = x->n, s = k->support.n, cols[COLUMNS_AT_ONCE];
    int threads = ctx_threads(ctx);
    double *a = ARENA_NEW(mem, double, n *COLUMNS_AT_ONCE),
           *b = ARENA_NEW(mem, double, s *COLUMNS_AT_ONCE);
    if (!a || !b) return error_memory(err);
    for (int64_t first = 0; first < p->k; first += COLUMNS_AT_ONCE) {
        int64_t count = p->k - first < COLUMNS_AT_ONCE ? p->k - first : COLUMNS_AT_ONCE;
        for (int64_t j = 0; j < count; j++) cols[j] = first + j;
        pare_status status = mat_columns(x, cols, count, a, ctx, err);
        if (status == PARE_OK) status = mat_columns(&k->support, cols, count, b, ctx, err);
        if (status != PARE_OK) return status;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t t = 0; t < s; t++)
            add_features(sums + t * n, k, first, count, a, n, b + t, rbf);
    }
    return PARE_OK;
}

static pare_status predict(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                           pare_error *err) {
    const kernel_machine *k = p->self;
    int64_t n = x->n, s = k->support.n;
    bool rbf = strcmp(k->type, "rbf") == 0;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)s, "the kernel between samples and model",
                         err));
    double *K = ARENA_ZERO(&mem, double, n *s);
    TRY_MEM(K);
    if (s > 0) TRY(inner_sums(K, p, x, rbf, &mem, ctx, err));
    for (int64_t e = 0; e < n * s; e++) K[e] = rbf ? exp(-K[e]) : pow(K[e] + k->coef0, k->degree);
    for (int64_t o = 0; o < p->n_outputs; o++) {
        for (int64_t i = 0; i < n; i++) F[o * n + i] = p->intercept[o];
        for (int64_t t = 0; t < s; t++)
            for (int64_t i = 0; i < n; i++) F[o * n + i] += k->alpha[o * s + t] * K[t * n + i];
    }
done:
    arena_free(&mem);
    return status;
}

const predictor_kind predictor_kernel = {.name = "kernel",
                                         .made_by = made_by,
                                         .is_in = is_in,
                                         .predict = predict,
                                         .from_result = kernel_machine_from_result,
                                         .to_json = kernel_machine_to_json,
                                         .from_json = kernel_machine_from_json};

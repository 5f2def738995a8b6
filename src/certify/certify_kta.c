/* The certificate of `kta`. Alignments are recomputed from raw columns by
 *   a = factor sum_q v_q'K v_q / tr(HKH), v the centred target, K by certify/feature_kernel.
 * Selection: the largest |lambda1 (F'(eta) - F'(eta0)) + lambda2 p eta^(p-1) - a| over the selected
 * features, eq. (5), and the largest excess, over all others, of a over the a of weight eps;
 * relative to the largest alignment. Predictor: certify/certify_kernels.c. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "certify/certify_kernels.h"

typedef struct judge {
    const kta_settings *set;
    bool kl;
    double worst, objective;
} judge;

/* The slope of the regularisers at eta > 0. */
static double slope(const judge *g, double eta) {
    const kta_settings *s = g->set;
    double divergence = g->kl ? log(eta / s->eta0) : 2 * (eta - s->eta0);
    double norm = s->lambda2 == 0 ? 0 : s->lambda2 * s->p * pow(eta, s->p - 1);
    return s->lambda1 * divergence + norm;
}

static void see(judge *g, double a, double eta) {
    const kta_settings *s = g->set;
    double off = eta - s->eta0, divergence = off * off;
    if (g->kl) divergence = eta > 0 ? eta * log(eta / s->eta0) - off : s->eta0;
    g->objective += s->lambda1 * divergence + s->lambda2 * pow(eta, s->p) - a * eta;
    double wrong = eta > 0 ? fabs(slope(g, eta) - a) : fmax(a - slope(g, s->eps), 0);
    if (eta > 0 && !(eta > s->eps)) wrong = INFINITY; /* selected with too small a weight */
    if (!(wrong <= g->worst)) g->worst = wrong;
}

static pare_status certify_weights(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                   pare_error *err) {
    const kta_settings *s = job->own;
    int64_t d = job->data->x.d;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *a = ARENA_NEW(&mem, double, d), *trace = ARENA_NEW(&mem, double, d),
           *eta = ARENA_ZERO(&mem, double, d), largest = 0;
    TRY_MEM(a && trace && eta);
    TRY(cert_alignments(a, trace, job, s->kernel, s->gamma, ctx, err));
    for (int64_t i = 0; job->cols && i < job->n_cols; i++) eta[job->cols[i]] = job->z[i];
    judge g = {.set = s, .kl = choice_is(s->divergence, "kl")};
    double heaviest = 0;
    for (int64_t j = 0; j < d; j++) heaviest = fmax(heaviest, eta[j]);
    for (int64_t j = 0; j < d; j++) {
        largest = fmax(largest, a[j]);
        if (job->partial && job->partial[j]) { /* forced in: the largest weight of the others */
            if (eta[j] != heaviest) g.worst = INFINITY;
        } else if (trace[j] > 0)
            see(&g, a[j], eta[j]);
        else if (eta[j] != 0) /* a constant feature has no weight */
            g.worst = INFINITY;
    }
    out->objective = g.objective;
    out->certificate =
        (pare_certificate){PARE_CERT_KKT, g.worst, g.worst == 0 ? 0 : g.worst / largest};

done:
    arena_free(&mem);
    return status;
}

pare_status certify_kta(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                        pare_error *err) {
    const kta_settings *s = job->own;
    if (!job->predictor) return certify_weights(out, job, ctx, err);
    return cert_weighted_kernels(out, job, s->kernel, s->gamma, s->C, ctx, err);
}

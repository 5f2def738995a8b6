/* NAME       laplacian
 * PAPER      X. He, D. Cai, P. Niyogi. Laplacian score for feature selection. NIPS 2005.
 * PROBLEM    L_j = sum_edges S_ab (f_a - f_b)^2 / sum_a D_a (f_a - m)^2, m = sum D f / sum D: how
 *            much the feature varies along the graph of nearest neighbours, against how much it
 *            varies at all. The least is best: score_j = -L_j. The target is not used.
 * SYMBOLS    S: edges of the graph (method/filter/sample_pairs.h), D: degrees.
 * ALGORITHM  1. squared distances from one Gram matrix of the scaled features, the graph.
 *            2. a walk over the columns, a sum over the edges for each.
 * COST       2 passes over X and n `neighbours` operations a feature; memory n^2.
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS none; a constant feature has the worst score there can be, -2. */
#include <math.h>

#include "base/error.h"
#include "method/filter/sample_pairs.h"

static const double WORST = -2; /* no eigenvalue of a normalised Laplacian is above 2 */

static double score(const void *user, const double *f, double sum) {
    const graph *g = user;
    int64_t n = g->edges.n;
    double mean = 0, about = 0;
    for (int64_t i = 0; i < n; i++) mean += g->degree[i] * (f[i] - f[0]);
    mean = f[0] + mean / g->total;
    for (int64_t i = 0; i < n; i++) about += g->degree[i] * (f[i] - mean) * (f[i] - mean);
    return about > 0 ? fmax(WORST, -sum / about) : WORST;
}

pare_status laplacian_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    graph g;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(graph_make(&g, &mem, job, job->set->laplacian.neighbours, ctx, err));
    TRY(pairs_run(r, job->raw, &g.edges, true, score, &g, ctx, err));
done:
    arena_free(&mem);
    return status;
}

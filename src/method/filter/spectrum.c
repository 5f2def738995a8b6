/* NAME       spectrum
 * PAPER      Z. Zhao, H. Liu. Spectral feature selection for supervised and
 *            unsupervised learning. ICML 2007.
 * PROBLEM    with f^ = D^1/2 f / |D^1/2 f| and the normalised Laplacian N = D^-1/2 (D - S) D^-1/2
 *            of the graph of nearest neighbours, eigenpairs (lambda, xi), xi_1 the trivial one:
 *            phi1 = f^'N f^;  phi2 = phi1 / (1 - (f^'xi_1)^2);
 *            phi3 = sum_{1 < i <= clusters} (2 - lambda_i) (f^'xi_i)^2.
 *            score_j = -phi1, -phi2 or phi3. The target is not used, but phi3 takes as many
 *            clusters as there are classes.
 * SYMBOLS    S: edges of the graph (method/filter/sample_pairs.h), D: degrees.
 * ALGORITHM  1. the graph, from one Gram matrix of the scaled features.
 *            2. phi3: the least eigenpairs of N.
 *            3. a walk over the columns of the raw values, a sum over the edges for each.
 * COST       2 passes over X, n `neighbours` operations a feature (phi3: n clusters), and n^3 once
 *            for phi3; memory n^2.
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS f'(D - S) f is summed over the edges, which keeps its digits. phi2 is then the
 *            Laplacian score. A constant feature has the worst score there can be. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/filter/sample_pairs.h"

static const double WORST = -2;
enum { CLUSTERS = 5 }; /* where there are no classes */

typedef struct spectrum {
    graph g;
    int phi;
    int64_t clusters;
    double *lambda, *xi; /* clusters; n x clusters, times D^1/2 */
} spectrum;

static double score(const void *user, const double *f, double sum) {
    const spectrum *s = user;
    const double *D = s->g.degree;
    int64_t n = s->g.edges.n;
    double mean = 0, about = 0, norm = 0, phi3 = 0;
    for (int64_t i = 0; i < n; i++) mean += D[i] * (f[i] - f[0]);
    mean = f[0] + mean / s->g.total;
    for (int64_t i = 0; i < n; i++) {
        about += D[i] * (f[i] - mean) * (f[i] - mean);
        norm += D[i] * f[i] * f[i];
    }
    if (!(about > 0)) return s->phi == 3 ? 0 : WORST;
    if (s->phi < 3) return fmax(WORST, -sum / (s->phi == 1 ? norm : about));
    for (int64_t k = 0; k < s->clusters; k++) { /* a centred column has no part of xi_1 */
        double part = 0;
        for (int64_t i = 0; i < n; i++) part += s->xi[k * n + i] * (f[i] - mean);
        phi3 += (2 - s->lambda[k]) * part * part;
    }
    return phi3 / norm;
}

/* The smallest eigenpairs; the vectors times D^1/2, for sums with f itself. */
static pare_status decompose(spectrum *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->g.edges.n, k = s->clusters;
    const double *D = s->g.degree;
    const pair_list *p = &s->g.edges;
    lapack_int found = 0;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double *N, *lambda, *work;
    lapack_int *support, *work_int;
    TRY(ctx_check_memory(ctx, 8 * (double)n * (double)(n + k + 26), "the Laplacian of the graph",
                         err));
    TRY_MEM(N = ARENA_ZERO(&scratch, double, n *n));
    TRY_MEM(lambda = ARENA_NEW(&scratch, double, n));
    TRY_MEM(support = ARENA_NEW(&scratch, lapack_int, 2 * n));
    TRY_MEM(work = ARENA_NEW(&scratch, double, 26 * n));
    TRY_MEM(work_int = ARENA_NEW(&scratch, lapack_int, 10 * n));
    TRY_MEM(s->xi = ARENA_NEW(mem, double, n *k));
    TRY_MEM(s->lambda = ARENA_NEW(mem, double, k));
    for (int64_t i = 0; i < n; i++) {
        N[i * n + i] = 1;
        for (int64_t e = p->start[i]; e < p->start[i + 1]; e++)
            N[i * n + p->other[e]] = -p->coef[e] / sqrt(D[i] * D[p->other[e]]);
    }
    if (LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'L', (lapack_int)n, N, (lapack_int)n, 0, 0,
                            1, (lapack_int)k, 0, &found, lambda, s->xi, (lapack_int)n, support,
                            work, (lapack_int)(26 * n), work_int, (lapack_int)(10 * n)) != 0 ||
        found != k) {
        status =
            error_set(err, PARE_E_DATA, "the graph's Laplacian has no eigenvalues to work with");
        goto done;
    }
    memcpy(s->lambda, lambda, sizeof(double) * (size_t)k);
    for (int64_t e = 0; e < n * k; e++) s->xi[e] *= sqrt(D[e % n]);
done:
    arena_free(&scratch);
    return status;
}

pare_status spectrum_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    const spectrum_settings *set = &job->set->spectrum;
    spectrum s = {.phi = choice_is(set->phi, "1") ? 1 : choice_is(set->phi, "2") ? 2 : 3};
    int64_t clusters = set->clusters > 0   ? set->clusters
                       : job->y->n_classes ? job->y->n_classes
                                           : CLUSTERS;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    s.clusters = clusters < job->x->n ? clusters : job->x->n;
    fit_settings(r, job)->spectrum.clusters = clusters;
    TRY(graph_make(&s.g, &mem, job, set->neighbours, ctx, err));
    if (s.phi == 3) TRY(decompose(&s, &mem, ctx, err));
    TRY(pairs_run(r, job->raw, &s.g.edges, true, score, &s, ctx, err));
done:
    arena_free(&mem);
    return status;
}

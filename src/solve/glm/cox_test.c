/* With R = sum of w x over a risk set without its tied samples, T = that over the tied, and of each term
 * c, S and the part a of the tied:
 *   x'H x = sum_i d_i x_i^2 - sum_terms c ((R + a T) / S)^2
 *         = sum_i d_i x_i^2 - sum_blocks (first R^2 + 2 cross R T + second T^2) */
#include "solve/glm/cox_test.h"

#include "base/error.h"

enum { LANES = COX_TEST_COLUMNS };

/* Shares of the tied of a block, dealt out to its terms. */
static double share_of_term(const glm_loss *l, const risk_block *b) {
    double sum = 0;
    for (int64_t e = b->from; e < b->others; e++) sum += l->share[l->risk->order[e]];
    return b->others > b->from ? sum / (double)risk_terms(l->risk, b) : 0;
}

/* rest and tied of every block from the weights in order. */
static void add_up(cox_test *t) {
    const risk_sets *r = t->risk;
    for (int64_t s = 0; s < r->n_strata; s++) {
        double sum = 0;
        for (int64_t k = r->first[s]; k < r->first[s + 1]; k++) {
            risk_block *b = &r->block[k];
            b->tied = 0;
            for (int64_t e = b->from; e < b->others; e++) b->tied += t->w[e];
            for (int64_t e = b->others; e < b->to; e++) sum += t->w[e];
            b->rest = sum;
            sum += b->tied;
        }
    }
}

/* What the terms weigh, from the earliest times to the latest. */
static void weigh(cox_test *t, const glm_loss *l) {
    const risk_sets *r = t->risk;
    for (int64_t s = 0; s < r->n_strata; s++) {
        double all = 0; /* sum of c / S over the terms so far */
        for (int64_t k = r->first[s + 1]; k-- > r->first[s];) {
            const risk_block *b = &r->block[k];
            double c = share_of_term(l, b), own = 0, tied = 0;
            t->first[k] = t->cross[k] = t->second[k] = 0;
            for (int64_t q = 0; q < risk_terms(r, b); q++) {
                double part = risk_part(r, b, q), S = b->rest + part * b->tied;
                own += c / S;
                tied += part * c / S;
                t->first[k] += c / S / S;
                t->cross[k] += part * c / S / S;
                t->second[k] += part * part * c / S / S;
            }
            for (int64_t e = b->from; e < b->others; e++) t->d[e] = t->w[e] * (all + tied);
            for (int64_t e = b->others; e < b->to; e++) t->d[e] = t->w[e] * (all + own);
            all += own;
        }
    }
}

pare_status cox_test_open(cox_test *t, arena *mem, const glm_loss *loss, const double *F,
                          pare_error *err) {
    const risk_sets *r = loss->risk;
    int64_t n = r->n;
    double *U, *P;
    *t = (cox_test){.risk = r, .n = n};
    PASS_MEM(t->place = ARENA_NEW(mem, int32_t, n));
    PASS_MEM(ARENA_NEWS(mem, double, n, &t->u, &t->d, &t->w, &U, &P));
    PASS_MEM(ARENA_NEWS(mem, double, r->n_blocks, &t->first, &t->cross, &t->second));
    loss->kind->point(loss, F, U, P, NULL);
    for (int64_t e = 0; e < n; e++) {
        int32_t i = r->order[e];
        t->place[i] = (int32_t)e;
        t->u[e] = U[i];
        t->w[e] = P[i];
    }
    add_up(t);
    weigh(t, loss);
    return PARE_OK;
}

void cox_test_columns(const cox_test *t, const double *x, double slope[LANES],
                      double information[LANES], double square[LANES]) {
    const risk_sets *r = t->risk;
    double u[LANES] = {0}, d[LANES] = {0}, less[LANES] = {0};
    for (int64_t s = 0; s < r->n_strata; s++) {
        double R[LANES] = {0};
        for (int64_t k = r->first[s]; k < r->first[s + 1]; k++) {
            const risk_block *b = &r->block[k];
            double T[LANES] = {0};
            for (int64_t e = b->from; e < b->to; e++) {
                const double *at = x + e * LANES;
                double *sum = e < b->others ? T : R;
                for (int l = 0; l < LANES; l++) {
                    u[l] += t->u[e] * at[l];
                    d[l] += t->d[e] * at[l] * at[l];
                    sum[l] += t->w[e] * at[l];
                }
            }
            for (int l = 0; l < LANES; l++) {
                less[l] += R[l] * (t->first[k] * R[l] + 2 * t->cross[k] * T[l]) +
                           t->second[k] * T[l] * T[l];
                R[l] += T[l];
            }
        }
    }
    for (int l = 0; l < LANES; l++) {
        slope[l] = u[l];
        square[l] = d[l];
        information[l] = d[l] - less[l];
    }
}

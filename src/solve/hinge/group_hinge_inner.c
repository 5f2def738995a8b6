/* One proximal problem of the group hinge: maximise over the multiplier A (n x c)
 *     psi(A) = min_{z, W, b} h(z) + lambda Omega(W) + <A, z - X W - 1 b'>
 *                            + |(z, W, b) - (z0, W0, b0)|^2 / (2 sigma),
 * concave and once differentiable: the minimisers are
 *     z = prox_h(z0 - sigma A),  W = prox_Omega(W0 + sigma X'A),  b = b0 + sigma A'1,
 * and the gradient is z - X W - 1 b'. Semismooth Newton steps with halving. Both proxes are block soft
 * thresholds; that of the loss touches only entries with a positive residual. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "solve/hinge/group_hinge_state.h"

#define SUFFICIENT 1e-4 /* share of the predicted gain that a step must bring */
#define ROUNDING 1e-14  /* of the value, below which gains cannot be seen */
#define RIDGE_SHARE 1e-3
#define MAX_RIDGE 1e-5
#define MIN_RIDGE 1e-10
enum { HALVINGS_MAX = 30 };

/* z = prox of sigma h at z0 - sigma A; returns h(z) + <A, z> + |z - z0|^2 / (2 sigma). */
static double prox_loss(const gh_work *w, const double *A, gh_eval *out) {
    const gh_problem *p = w->problem;
    int64_t n = p->n;
    double loss = 0, linear = 0, distance = 0;
    for (int64_t i = 0; i < n; i++) {
        double norm2 = 0;
        for (int64_t k = 0; k < p->c; k++) {
            int64_t e = k * n + i;
            double q = p->target[e] - p->sign[e] * (w->z0[e] - w->sigma_loss * A[e]);
            out->q[e] = q;
            if (q > 0) norm2 += q * q;
        }
        double norm = sqrt(norm2), threshold = w->sigma_loss * p->weight[i];
        double keep = norm > threshold ? 1 - threshold / norm : 0;
        out->norm[i] = norm;
        out->keep[i] = keep;
        loss += p->weight[i] * norm * keep;
        for (int64_t k = 0; k < p->c; k++) {
            int64_t e = k * n + i;
            double q = out->q[e], z = p->sign[e] * (p->target[e] - (q > 0 ? q * keep : q));
            out->z[e] = z;
            linear += A[e] * z;
            distance += (z - w->z0[e]) * (z - w->z0[e]);
        }
    }
    return loss + linear + distance / (2 * w->sigma_loss);
}

/* W = prox of sigma lambda Omega at W0 + sigma X'A; returns its part of the value. */
static double prox_penalty(gh_work *w, const double *A, gh_eval *out) {
    const gh_problem *p = w->problem;
    int64_t s = p->s, c = p->c;
    if (s == 0) return 0;
    double penalty = 0, linear = 0, distance = 0, threshold = w->sigma * p->lambda;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)s, (int)c, (int)p->n, 1, p->x,
                (int)p->n, A, (int)p->n, 0, w->price, (int)s);
    for (int64_t g = 0; g < gh_units(p); g++) {
        int64_t from = gh_first(p, g), to = gh_first(p, g + 1);
        double norm2 = 0;
        for (int64_t j = from; j < to; j++)
            for (int64_t k = 0; k < c; k++) {
                int64_t e = k * s + j;
                out->U[e] = w->W0[e] + w->sigma * w->price[e];
                norm2 += out->U[e] * out->U[e];
            }
        double norm = sqrt(norm2), keep = norm > threshold ? 1 - threshold / norm : 0;
        penalty += norm * keep;
        for (int64_t j = from; j < to; j++) {
            out->U_norm[j] = norm;
            out->U_keep[j] = keep;
            for (int64_t k = 0; k < c; k++) {
                int64_t e = k * s + j;
                double value = out->U[e] * keep;
                out->W[e] = value;
                linear += w->price[e] * value;
                distance += (value - w->W0[e]) * (value - w->W0[e]);
            }
        }
    }
    return p->lambda * penalty - linear + distance / (2 * w->sigma);
}

void gh_evaluate(gh_work *w, const double *A, gh_eval *out) {
    const gh_problem *p = w->problem;
    int64_t n = p->n, c = p->c;
    out->value = prox_loss(w, A, out) + prox_penalty(w, A, out);
    for (int64_t k = 0; k < c; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += A[k * n + i];
        if (!p->intercept) sum = 0;
        out->b[k] = p->intercept ? w->b0[k] + w->sigma * sum : 0;
        out->value -= sum * w->b0[k] + 0.5 * w->sigma * sum * sum;
        for (int64_t i = 0; i < n; i++) out->G[k * n + i] = out->z[k * n + i] - out->b[k];
    }
    if (p->s > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)c, (int)p->s, -1, p->x,
                    (int)n, out->W, (int)p->s, 1, out->G, (int)n);
}

int64_t gh_inner(gh_work *w, double *A, double tol, int64_t max_steps) {
    int64_t nc = w->problem->n * w->problem->c, steps = 0;
    gh_evaluate(w, A, &w->now);
    for (; steps < max_steps; steps++) {
        double size = cblas_dnrm2((int)nc, w->now.G, 1);
        if (!(size > tol) || ctx_poll(w->ctx, "solving", -1) != INTERRUPT_NONE) break;
        gh_newton_direction(w, fmax(MIN_RIDGE, fmin(MAX_RIDGE, RIDGE_SHARE * size)));
        double slope = cblas_ddot((int)nc, w->now.G, 1, w->step, 1), length = 1;
        if (!(slope > 0)) break;
        bool gained = false;
        for (int halving = 0; halving < HALVINGS_MAX && !gained; halving++, length /= 2) {
            for (int64_t e = 0; e < nc; e++) w->A_trial[e] = A[e] + length * w->step[e];
            gh_evaluate(w, w->A_trial, &w->trial);
            gained = w->trial.value >=
                     w->now.value + SUFFICIENT * length * slope - ROUNDING * fabs(w->now.value);
        }
        if (!gained) break;
        memcpy(A, w->A_trial, sizeof *A * (size_t)nc);
        gh_eval kept = w->now;
        w->now = w->trial;
        w->trial = kept;
    }
    return steps;
}

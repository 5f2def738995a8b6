/* The weights of generalised lp-KTA, one feature at a time, all in ln(eta): near p = 1 weights
 * reach 1e-100 and less.
 *
 * PROBLEM   minimise over eta >= 0   lambda1 B(eta) + lambda2 eta^p - a eta
 *           B = (eta - eta0)^2 (euclid) or eta ln(eta/eta0) - eta + eta0 (kl)
 * OPTIMUM   g(L) = A(L) + lambda2 p exp((p-1) L) - a = 0 at L = ln eta,
 *           A = 2 lambda1 (exp(L) - eta0) or lambda1 (L - ln eta0); g increases and is convex in L.
 * A feature is selected when eta > eps, that is when a > kta_threshold(p): no solve is needed to
 * count, and the threshold falls as p grows (eps < 1/e), so that the selected sets are nested. */
#ifndef PARE_SOLVE_KERNEL_KTA_WEIGHTS_H
#define PARE_SOLVE_KERNEL_KTA_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/status.h>

typedef struct kta_problem {
    double lambda1, lambda2, p, eps;
    bool kl;
    double eta0; /* >= 0; > 0 for kl */
} kta_problem;

/* ln eta of the minimiser; -infinity for eta = 0. lambda1 + lambda2 > 0; p = 1 needs lambda1 >
 * 0. */
double kta_log_weight(const kta_problem *k, double a);

/* The objective at eta. */
double kta_value(const kta_problem *k, double a, double eta);

/* The alignment above which eta > eps. */
double kta_threshold(const kta_problem *k);

/* The p at which a feature of alignment a falls to eps, between `low` and `high`: it is selected
 * for larger p only. low where it is selected throughout, INFINITY where it never is. */
double kta_juncture(const kta_problem *k, double a, double low, double high);

/* Algorithm 1 of the paper: from p_start down to k->p in steps of p_step, each weight predicted
 * from the step before (order 0: warm start, 1 or 2: as many derivatives) and corrected by Newton's
 * method; a weight under eps is dropped for good. log_eta: d values, -infinity where dropped.
 * juncture (d, or NULL): the p of the step at which it was dropped; 0: never. steps: Newton steps
 * in all. */
typedef struct kta_trace {
    int64_t active, newton_steps;
    double bound; /* Lemma 1: how far dropping may be from the optimal objective */
} kta_trace;
void kta_follow(double *log_eta, double *juncture, kta_trace *trace, const kta_problem *k,
                const double *a, int64_t d, double p_start, double p_step, int order);

/* Lemma 1 for `count` features under eps (kl: its analogue, lambda1 eps in place of eps^2). */
double kta_bound(const kta_problem *k, int64_t count);

#endif

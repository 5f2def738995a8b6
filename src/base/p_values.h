/* P-values: tail probabilities that are accurate however small they are, and false discovery rates
 * of many. */
#ifndef PARE_BASE_P_VALUES_H
#define PARE_BASE_P_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>

double student_two_sided(double t, double df);               /* P(|T| >= |t|) */
double fisher_p_value(double f, double above, double below); /* P(F >= f), degrees of freedom */
double chi2_p_value(double x, double df);                    /* P(chi2 >= x) */

/* q_j = the smallest false discovery rate at which p_j is rejected (Benjamini and Hochberg 1995):
 * min over i with p_i >= p_j of p_i d / rank(p_i), at most 1. false: out of memory. */
bool false_discovery(double *q, const double *p, int64_t d, const pare_allocator *mem);

#endif

/* Complementary pairs stability selection (R. D. Shah, R. J. Samworth. Variable selection with
 * error control: another look at stability selection. JRSS B 75:55-80, 2013; after N. Meinshausen,
 * P. Buehlmann. Stability selection. JRSS B 72:417-473, 2010): how many features of low selection
 * probability may be among those that many of 2B half-samples select. */
#ifndef PARE_SELECT_BOUNDS_H
#define PARE_SELECT_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum bound_kind { BOUND_PLAIN, BOUND_UNIMODAL, BOUND_R_CONCAVE, BOUND_COUNT } bound_kind;
const char *bound_name(bound_kind bound);
bool bound_parse(const char *name, bound_kind *out);
const char *bound_assumes(bound_kind bound); /* one sentence, without its full stop */

/* q of d features in each of 2 `pairs` half-samples: the expected number of features that one
 * half-sample selects with probability at most q/d, among those that `times` half-samples or more
 * select. Infinite where the theorem does not apply. */
double bound_expected(bound_kind bound, int64_t d, int64_t q, int64_t times, int64_t pairs);

/* The largest tail P(X >= at) of X in 0 .. last with that mean, among distributions whose masses to
 * the power -1/s are convex, s 2 or 4 (r-concave with r = -1/s); 1 where `at` is not above twice
 * the mean. Their section 3.3 and appendix A.4: the largest is c (a + i)^-s up to some k, with the
 * rest of the mass on k + 1. */
double r_concave_tail(double mean, int64_t at, int64_t last, int s);

/* The number of features that each half-sample selects, and of half-samples that must agree, from
 * level, d and pairs by themselves. q is the largest whose square is at most 0.8 level d (then the
 * plain bound holds at a proportion of 0.9, as in Meinshausen and Buehlmann) and whose q/d is at
 * most 1/sqrt(3); `times` is the smallest for which the bound is at most level. Returns false if no
 * q reaches the level; expected is then the smallest bound, that of one feature per half-sample. */
typedef struct bound_rule {
    int64_t q, times;
    double expected;
} bound_rule;
bool bound_rule_of(bound_rule *out, bound_kind bound, double level, int64_t d, int64_t pairs);

#endif

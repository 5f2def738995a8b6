/* One feature's kernel over pairs of samples, in the form in which sums over pairs are cheap:
 *
 *   k(x_a, x_b) - 1 = pull_ab + to_base_a + to_base_b,   pull_ab = 0 if a or b has the base value
 *
 * with k = exp(gamma (x_a - x_b)^2), gamma of either sign, or [x_a = x_b] (delta). The base is the
 * value that unlisted samples of a sparse column share, or one that at least a quarter of a
 * few-valued column has; without one, or where a positive gamma makes values so large that they
 * would cancel, to_base is 0 and all samples are listed. Centring removes to_base. COST of all
 * pulls: half the square of the listed samples, by table for up to MAX_GROUPS values. */
#ifndef PARE_SOLVE_KERNEL_FEATURE_PAIRS_H
#define PARE_SOLVE_KERNEL_FEATURE_PAIRS_H

#include "la/matrix.h"
#include "solve/kernel/kernel_align.h"
#include "solve/kernel/value_groups.h"

typedef struct feature_pairs {
    kernel_kind kind;
    double gamma;
    bool few, based;
    int64_t count;   /* of listed samples */
    int32_t *index;  /* n: their positions, ascending */
    double *to_base; /* n: of each; 0 without a base */
    double *value;   /* n: of each */
    int32_t *code;   /* n: few: group of each */
    double *table;   /* MAX_GROUPS^2: few: pull of two groups */
} feature_pairs;

/* For n samples; false: out of memory. */
bool feature_pairs_make(feature_pairs *f, arena *mem, int64_t n);

/* kind: rbf or delta. g: scratch, made for n samples without masses. */
void feature_pairs_set(feature_pairs *f, value_groups *g, const column *col, kernel_kind kind,
                       double gamma, int64_t n);

/* pull[o] of listed sample e with the listed samples o = 0 .. e. */
void feature_pairs_row(double *pull, const feature_pairs *f, int64_t e);

/* row: n numbers, one per sample. Twice the sum of row times pull over o < e, and once over o = e;
 * and row += w pull for o <= e. work: n scratch. */
double feature_pairs_dot(const double *row, const feature_pairs *f, int64_t e, double *work);
void feature_pairs_add(double *row, double w, const feature_pairs *f, int64_t e, double *work);

#endif

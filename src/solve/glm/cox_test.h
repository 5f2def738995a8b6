/* Score tests of single features in a Cox model, beside fitted values F: the slope x'U and the
 * information x'H x of each column x, by running sums over the risk sets, O(n). */
#ifndef PARE_SOLVE_GLM_COX_TEST_H
#define PARE_SOLVE_GLM_COX_TEST_H

#include "base/memory.h"
#include "solve/glm/loss.h"
#include "solve/glm/risk_sets.h"

enum { COX_TEST_COLUMNS = 8 }; /* tested side by side */

typedef struct cox_test {
    const risk_sets *risk;
    int64_t n;
    int32_t *place;    /* n: where a sample is in the order of the risk sets */
    double *u, *d, *w; /* n, in that order: U, the part of H that is a diagonal, weights */
    double *first, *cross,
        *second; /* n_blocks: sums of c / S^2 over the terms, times 1, the part of the
                                       tied, and its square */
} cox_test;

/* loss: loss_cox, whose F (n) is given. Memory from the arena. */
PARE_NODISCARD pare_status cox_test_open(cox_test *t, arena *mem, const glm_loss *loss,
                                         const double *F, pare_error *err);

/* x: n x COX_TEST_COLUMNS, row by row in the order of t->place. slope: x'U; information: x'H x;
 * square: sum of d x^2, which rounding of the information is relative to. */
void cox_test_columns(const cox_test *t, const double *x, double slope[COX_TEST_COLUMNS],
                      double information[COX_TEST_COLUMNS], double square[COX_TEST_COLUMNS]);

#endif

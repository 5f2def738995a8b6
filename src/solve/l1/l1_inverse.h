/* The inverse of a square basis that changes by one row, one column or both at a time.
 *
 * M is m x m, places of rows (exact samples) by places of columns (features in use). B = M^-1 is
 * kept whole: B has a row for each place of a column of M and a column for each place of a row of
 * M.
 *
 * COST      an exchange O(m^2), a product O(m^2), from the data O(m^3); memory 2 most^2.
 * GUARANTEE none by itself: rounding adds up over exchanges, so the caller measures what comes out
 *           and makes B from the data again. */
#ifndef PARE_SOLVE_L1_L1_INVERSE_H
#define PARE_SOLVE_L1_L1_INVERSE_H

#include <stdbool.h>

#include "base/memory.h"

typedef struct l1_inverse {
    int64_t m, most; /* m at most */
    double *B;       /* column stride `most` */
    double *M;       /* the factors of M' while `fresh`, else scratch */
    bool fresh;      /* B was just made */
    int *pivot;
} l1_inverse;

/* Of size 0, in the arena; false: no memory. */
bool l1_inverse_init(l1_inverse *q, arena *mem, int64_t most);

/* From the data: the caller has put M' into q->M, m numbers for each row of M. False: M is singular
 * to rounding. */
bool l1_inverse_make(l1_inverse *q, int64_t m);

/* out = B v, or B'v if transposed; m each, not the same. */
void l1_inverse_apply(const l1_inverse *q, bool transposed, const double *v, double *out);
/* The same in place, by M's factors where B was just made: with fewer digits lost. scratch: m. */
void l1_inverse_solve(const l1_inverse *q, bool transposed, double *v, double *scratch);

/* Column e of B, m. */
const double *l1_inverse_column(const l1_inverse *q, int64_t e);
/* out = row k of B, m. */
void l1_inverse_row(const l1_inverse *q, int64_t k, double *out);

/* A pivot. What enters is a column of M, or row place `e` leaves (e < 0: it does not); what goes is
 * column place `k`, or a row comes (k < 0: column place stays). edge = dz/dt as the entrant t
 * grows, t being `sign` times the new column's weight. level: how the value that reaches zero
 * depends on the targets of the rows, 1 being that of the row that comes; rate: of that value along
 * the edge. What comes takes the place of what leaves, or a new last place; where both only leave
 * the last ones take their places. */
void l1_inverse_exchange(l1_inverse *q, int64_t e, int64_t k, double sign, const double *edge,
                         const double *level, double rate);

#endif

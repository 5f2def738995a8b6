/* Quadratic forms of the Gauss kernel in one dimension, without the n^2 pairs.
 *
 * FORM      sum_ij V_iq V_jq exp(-(x_i - x_j)^2 / (2 sigma^2)) for each column q of the masses V.
 * METHOD    boxes of width 2 sigma; inside a box the kernel is a polynomial of degree 19 to 1e-14,
 *           so that a box is known by 20 Chebyshev moments of its masses. Boxes further apart than
 *           10 sigma are ignored. The kernel between two boxes depends on their distance
 *           only and is computed once for all features.
 * COST      O(20 n) per column of masses. ACCURACY about 1e-14 of the masses involved. */
#ifndef PARE_SOLVE_KERNEL_GAUSS_FORM_H
#define PARE_SOLVE_KERNEL_GAUSS_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/status.h>

#include "base/memory.h"

enum { GAUSS_NODES = 20, GAUSS_REACH = 5 /* boxes further apart are ignored */ };

/* The kernel in Chebyshev coefficients: boxes `o` apart, first index of the right box. */
typedef struct gauss_tables {
    double node[GAUSS_NODES];
    double to_coef[GAUSS_NODES][GAUSS_NODES]; /* [k][j]: coefficient k from the value at node j */
    double box[GAUSS_REACH + 1][GAUSS_NODES][GAUSS_NODES];
} gauss_tables;

void gauss_tables_make(gauss_tables *t);

/* Points with masses, and scratch for up to `capacity` points and q columns. */
typedef struct gauss_points {
    int64_t capacity, q;
    int64_t n;
    double *x;       /* capacity */
    double *mass;    /* capacity x q, [i * q + c] */
    double *moments; /* boxes (at most capacity) x q x GAUSS_NODES */
    int64_t *label;  /* capacity: the box of each point */
    int64_t *place;  /* capacity: where the box is, in box widths */
    int64_t *order;  /* capacity */
} gauss_points;

/* false: out of memory. */
bool gauss_points_make(gauss_points *p, arena *mem, int64_t capacity, int64_t q);

/* form[c] for every column of masses. Where all points lie within one box, the forms are those of
 * the kernel minus 1, to full relative accuracy however small the range is, and *minus_one is
 * true. */
void gauss_forms(double *form, bool *minus_one, gauss_points *p, const gauss_tables *t,
                 double gamma);

/* The kernel applied: out[i * q + c] = sum_j mass_jc k(x_i, x_j), up to the same number for all i.
 * Uses up p->x. local: scratch of the size of p->moments. */
void gauss_apply(double *out, double *local, gauss_points *p, const gauss_tables *t, double gamma);

#endif

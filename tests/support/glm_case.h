/* Random penalised generalised linear models, and a slow solver of them that shares nothing with
 * the library: accelerated proximal gradients with restarts, on plain arrays. */
#ifndef PARE_TESTS_GLM_CASE_H
#define PARE_TESTS_GLM_CASE_H

#include "solve/glm/glm.h"
#include "support/support.h"

enum {
    CASE_WEIGHTS = 1,
    CASE_OFFSET = 2,
    CASE_ELASTIC = 4,
    CASE_GROUPS = 8,
    CASE_ROWS = 16,
    CASE_COSTS = 32,
    CASE_FREE = 64,        /* with costs: one feature costs nothing */
    CASE_DUPLICATES = 128, /* a duplicated and a constant column */
    CASE_NO_INTERCEPT = 256,
    CASE_SEPARABLE = 512
};

typedef struct glm_case {
    int64_t n, d, c;
    double *x, *y, *share, *offset, *cost; /* column-major; y and offset n x c by sample */
    int64_t *group, n_groups;
    double alpha;
    bool rows, intercept, logistic;
    matrix m;
    view v;
    penalty pen;
    arena mem;
    glm_problem p;
} glm_case;

/* c: outputs; logistic with c > 1: classes. */
void glm_case_draw(glm_case *k, rng *r, int64_t n, int64_t d, int64_t c, bool logistic, int what);
void glm_case_free(glm_case *k);

/* By the definitions: the objective at B (d x c, outputs together) and b; and the duality gap there
 * with the dual point of the residuals, the free coordinates taken as optimal. */
double glm_case_objective(const glm_case *k, double lambda, const double *B, const double *b);
double glm_case_gap(const glm_case *k, double lambda, const double *B, const double *b);
/* The slow solver, from zeros, until its iterates stand still. Returns the objective. */
double glm_case_solve(const glm_case *k, double lambda, double *B, double *b);

#endif

/* Penalised generalised linear models along a path of lambdas.
 *
 * PROBLEM   minimise over B (d x c), b (c)   sum_i share_i loss(y_i, x_i'B + b + offset_i)
 *                                            + lambda Omega(B)        (loss.h, penalty.h)
 * ALGORITHM 1. the null fit: intercept and free features; one pass gives its prices, lambda_max.
 *           2. a working set: what is not 0, and the features of the largest prices.
 *           3. up to MAX_LAMBDAS lambdas in a row are solved on it, each from the one before:
 *              coordinate steps on the quadratic model of the loss let features in and out,
 *              Newton's steps on what is not 0 finish, by a factor or by conjugate gradients.
 *           4. one pass over X with the dual points of all those lambdas gives each a duality gap
 *              over all features. Columns whose price a bound keeps below 1 at all of them are not
 *              read: x_j'U <= t x_j'U0 + |U - t U0| |x_j less its part along U0|, for the last
 *              point U0 that x_j was priced at (in the norms that the shares give).
 *              Features priced above join the working set, lambdas whose gap is not small enough
 *              yet are solved again; step 2 for the remaining ones.
 * COST      passes are counted (glm_point.passes): about a sixth of the lambdas' number with one
 *           output, a third to all of it with several.
 * MEMORY    X + the working set's columns (as sparse as X) + O(d + MAX_LAMBDAS n c).
 * STOPPING  relative gap over all features <= tol_rel at every lambda.
 * Nothing depends on the number of threads. */
#ifndef PARE_SOLVE_GLM_GLM_H
#define PARE_SOLVE_GLM_GLM_H

#include <pare/model.h>

#include "la/matrix.h"
#include "solve/glm/loss.h"
#include "solve/glm/penalty.h"

typedef struct glm_problem {
    const view *x;
    glm_loss loss; /* its n and c are those of x and of the penalty */
    const penalty *penalty;
    bool intercept;
    double tol_rel;
} glm_problem;

/* The solution at one lambda; arrays are valid until the next point. */
typedef struct glm_point {
    double lambda, objective, loss, penalty; /* objective = loss + lambda penalty */
    double gap;                              /* over all features */
    int64_t n_features;
    const int64_t *feature; /* columns of the view with a coefficient that is not 0, ascending, and
                               the free ones */
    const double *B;        /* n_features x c: the outputs of a feature contiguous */
    const double *b;        /* c */
    const double *U;  /* n x c, the outputs of a sample contiguous: the dual point before scaling */
    double passes;    /* over X so far, from the solver's beginning */
    int64_t steps;    /* so far */
    int64_t products; /* so far, of Newton's systems that are not factored */
    pare_outcome outcome;
} glm_point;

typedef struct glm_solver glm_solver;

/* Step 1. The solver borrows the problem and all it points to. *out is NULL after a failure. */
PARE_NODISCARD pare_status glm_open(glm_solver **out, const glm_problem *p, const pare_ctx *ctx,
                                    pare_error *err);
void glm_close(glm_solver *s);

/* The lambda at which the first feature enters; with alpha < 1e-3 as for 1e-3. 0: none ever
 * does. */
double glm_lambda_max(const glm_solver *s);
double glm_null_loss(const glm_solver *s);

/* Called at each lambda in turn with its solution. *stop: skip the remaining ones. */
typedef pare_status glm_see(void *user, const glm_point *point, bool *stop, pare_error *err);

/* Solves at lambda[0 .. count), best descending, from where the solver is. Ends early if a point is
 * interrupted, which is then reported with its outcome. */
PARE_NODISCARD pare_status glm_run(glm_solver *s, const double *lambda, int64_t count, glm_see *see,
                                   void *user, pare_error *err);

/* x_j'U for all d columns and c outputs, d x c column-major, of a point's U. One pass. */
PARE_NODISCARD pare_status glm_price_all(const glm_problem *p, const double *U, double *out,
                                         const pare_ctx *ctx, pare_error *err);

#endif

/* What the parts of the SVM solver share. Signed duals beta_i = alpha_i y_i turn the dual into
 *     maximise  y'beta - 1/2 beta'(K + diag r) beta,   lo <= beta <= hi,   sum beta = 0,
 * whose gradient e = y - (K + diag r) beta is kept up to date: with an intercept a point is optimal
 * when some b has e_i <= b wherever beta_i can grow and e_i >= b wherever it can shrink; without
 * one, the same with b = 0. */
#ifndef PARE_SOLVE_SVM_SVM_STATE_H
#define PARE_SOLVE_SVM_SVM_STATE_H

#include <math.h>

#include "base/memory.h"
#include "solve/svm/svm_dual.h"

typedef struct svm_state {
    const svm_problem *p;
    int64_t n;
    double *beta, *lo, *hi; /* n */
    double *e;              /* n: y - (K + diag r) beta */
    double *diag;           /* n: K_ii + r_i */
    double *grow, *shrink; /* n: 0 where beta can grow (shrink), else -inf (inf); svm_smo.c's own */
    double *change;        /* n: scratch, (K + diag r) times a direction */
    double size;           /* mean K_ii, positive: the unit of K */
    bool homogeneous;      /* every C is 0 or infinite: multiples of a feasible beta are feasible */
    int64_t n_hard;        /* samples with infinite C and no ridge */
    int64_t n_used;        /* samples with C > 0 */
    int64_t iterations;
    int64_t fresh_at; /* iterations when e was last computed anew */
    double peak;      /* largest |beta_i diag_i| since then: what rounding is relative to */
} svm_state;

static inline double svm_ridge(const svm_state *s, int64_t i) {
    return s->p->ridge ? s->p->ridge[i] : 0;
}

static inline bool svm_is_hard(const svm_state *s, int64_t i) {
    return s->hi[i] - s->lo[i] == INFINITY && svm_ridge(s, i) == 0;
}

/* A price b for the mass that moves between samples: the mean gradient of the free ones, else the
 * middle between the most willing to grow and to shrink. 0 without an intercept. */
double svm_price(const svm_state *s, bool *any_free);

/* out = (K + diag r) v over the m indices at[] where v is not zero. */
void svm_multiply(const svm_state *s, const int64_t *at, const double *v, int64_t m, double *out);

/* svm_smo.c: up to `budget` steps on the pair (without intercept: the one sample) that promises
 * most. Stops early when no violation of optimality above `enough` is left. Returns the largest
 * violation seen last. */
double svm_smo_run(svm_state *s, int64_t budget, double enough);

/* svm_value.c: the objectives at beta and at the primal point of the header, with its b, scale. */
typedef struct svm_value {
    double primal, dual, b, scale;
    double quadratic; /* beta'K beta */
    double sum;       /* sum alpha */
} svm_value;
/* scratch: 3 n doubles; on return its first n hold K beta. exact: b is the best, else the mean
 * gradient of the free samples will do where there are any: right after a full Newton step that is
 * the best too, and any b bounds the optimum. */
svm_value svm_value_at(const svm_state *s, double *scratch, bool exact);

/* The first jitter of the Newton steps' matrix, relative to its diagonal. */
#define SVM_JITTER_FIRST 1e-13

/* svm_newton.c: the best point of the face that beta and the violated bounds span. */
typedef struct svm_newton {
    int64_t *face;  /* up to n indices */
    double *step;   /* 2 n: the two right-hand sides */
    double *target; /* 2 n */
    double *factor; /* capacity x capacity, grown as needed; the caller frees it */
    int64_t capacity;
    int64_t m, lead; /* samples in face and factor, and the factor's leading dimension */
    bool bold;       /* go to the projected point even if the dual loses by it */
    bool extend;     /* let samples at a bound join the face */
    double jitter;   /* relative to the diagonal; grows where Cholesky fails */
} svm_newton;
typedef enum svm_newton_result {
    NEWTON_FULL, /* the face's optimum was reached */
    NEWTON_PART, /* a bound was met */
    NEWTON_NONE, /* no gain */
    NEWTON_MEMORY
} svm_newton_result;
svm_newton_result svm_newton_step(svm_state *s, svm_newton *nw, const pare_allocator *mem);

#endif

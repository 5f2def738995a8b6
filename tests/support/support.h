/* What the tests share: cmocka, random data, an allocator that fails on demand. */
#ifndef PARE_TESTS_SUPPORT_H
#define PARE_TESTS_SUPPORT_H

/* clang-format off: cmocka needs these first, in this order */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdatomic.h>
#include <stdbool.h>

#include <pare/context.h>

#include "base/rng.h"
#include "la/matrix.h"

/* How a test file ends, in place of main: a function of its name, which tests/main.c calls. */
#define TEST_FILE(name)                                                                            \
    int name(void);                                                                                \
    int name(void)

/* Fails with file and line unless |a - b| <= tol max(1, |a|, |b|); NaN fails. */
void check_close_at(double a, double b, double tol, const char *file, int line);
#define check_close(a, b, tol) check_close_at((a), (b), (tol), __FILE__, __LINE__)

static inline rng rng_from(uint64_t seed) {
    rng r;
    rng_seed(&r, seed, 0);
    return r;
}

/* n x d standard normal numbers, column-major; free with free(). */
double *random_normal(rng *r, int64_t n, int64_t d);

/* A sparse matrix with about `density` of its entries set, normal values; owned arrays, free with
 * mat_free(x, NULL). */
matrix random_sparse(rng *r, int64_t n, int64_t d, double density);

/* The values of a matrix of any kind, n x d, column-major; free with free(). */
double *dense_of(const matrix *x);

/* The storage itself of a matrix of doubles in columns, and of a sparse one. */
static inline double *values_of(const matrix *x) {
    assert_string_equal(mat_kind(x), "dense");
    return x->self;
}
static inline const csc_arrays *arrays_of(const matrix *x) {
    assert_string_equal(mat_kind(x), "sparse");
    return x->self;
}

/* An allocator that lets `allow` allocations through and then fails them all, or the next one only;
 * counts live blocks, so that a leak after a failure shows, and calls from two threads at once,
 * which the library promises not to make. */
typedef struct failing {
    int64_t allow;
    bool once, lingers; /* lingers: each call waits for others to come */
    int64_t entered;    /* not atomic: the thread sanitizer sees two calls that nothing orders */
    atomic_llong calls, live, overlaps;
    atomic_int inside;
} failing;
pare_allocator failing_allocator(failing *f);

/* What is run under failing allocations: of the context, and of whatever the call itself makes with it
 * (data, settings). Where it returns PARE_OK it has seen that its result is what it is without a failure. */
typedef pare_status (*oom_call)(void *user, const pare_ctx *ctx);

/* Runs the call with 0, 1, 2, ... allocations allowed until it needs no more, first with all others
 * failing, then with the next one only: a failure that is swallowed shows where later allocations
 * succeed. Asserts that each run is PARE_OK or PARE_E_MEMORY and leaves no live block. */
void check_oom(oom_call call, void *user);
/* The same with ever larger steps after `dense` allocations, for what repeats them. */
void check_oom_thinly(oom_call call, void *user, int64_t dense);

/* The same for a caller that names what fails: false, and why. Steps are drawn by `seed`, so that calls
 * that have much in common skip different allocations. */
enum { OOM_WHY = 160 };
bool oom_holds(oom_call call, void *user, int64_t dense, uint64_t seed, char why[OOM_WHY]);

#endif

#include "support/support.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void check_close_at(double a, double b, double tol, const char *file, int line) {
    double size = fmax(1, fmax(fabs(a), fabs(b)));
    if (!(fabs(a - b) <= tol * size)) {
        print_error("%.17g and %.17g differ by %g, allowed %g\n", a, b, fabs(a - b), tol * size);
        _fail(file, line);
    }
}

double *random_normal(rng *r, int64_t n, int64_t d) {
    double *x = malloc(sizeof(double) * (size_t)(n * d + 1));
    assert_non_null(x);
    for (int64_t i = 0; i < n * d; i++) x[i] = rng_normal(r);
    return x;
}

matrix random_sparse(rng *r, int64_t n, int64_t d, double density) {
    int64_t *col_ptr = malloc(sizeof(int64_t) * (size_t)(d + 1)), count = 0;
    int32_t *row = malloc(sizeof(int32_t) * (size_t)(n * d + 1));
    double *value = malloc(sizeof(double) * (size_t)(n * d + 1));
    assert_non_null(col_ptr);
    assert_non_null(row);
    assert_non_null(value);
    col_ptr[0] = 0;
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < n; i++)
            if (rng_uniform(r) < density) {
                row[count] = (int32_t)i;
                value[count++] = rng_normal(r);
            }
        col_ptr[j + 1] = count;
    }
    matrix x;
    csc_arrays of = {col_ptr, row, value};
    assert_int_equal(mat_csc_own(&x, n, d, of, ctx_allocator(NULL), NULL), PARE_OK);
    return x;
}

double *dense_of(const matrix *x) {
    double *out = calloc((size_t)(x->n * x->d + 1), sizeof(double));
    assert_non_null(out);
    view all = view_all(x);
    walk w;
    column c;
    int64_t j;
    assert_int_equal(walk_open(&w, &all, NULL, x->d, NULL, NULL), PARE_OK);
    while (walk_next(&w, &j, &c)) column_spread(&c, x->n, out + j * x->n);
    assert_int_equal(walk_close(&w, NULL), PARE_OK);
    return out;
}

/* Whether the allocation that is asked for now is to fail. */
static bool fails_now(failing *f) {
    int64_t at = atomic_fetch_add(&f->calls, 1);
    return at == f->allow || (at > f->allow && !f->once);
}

enum { LINGERS = 20 };

static failing *enter(void *user) {
    failing *f = user;
    if (atomic_fetch_add(&f->inside, 1) > 0) atomic_fetch_add(&f->overlaps, 1);
    f->entered++;
    for (int i = 0; f->lingers && i < LINGERS; i++) sched_yield();
    return f;
}

static void *leave(failing *f, void *block) {
    atomic_fetch_sub(&f->inside, 1);
    return block;
}

static void *failing_alloc(void *user, size_t bytes) {
    failing *f = enter(user);
    if (fails_now(f)) return leave(f, NULL);
    atomic_fetch_add(&f->live, 1);
    return leave(f, malloc(bytes));
}

static void *failing_resize(void *user, void *block, size_t bytes) {
    failing *f = enter(user);
    if (fails_now(f)) return leave(f, NULL);
    if (!block) atomic_fetch_add(&f->live, 1);
    return leave(f, realloc(block, bytes));
}

static void failing_release(void *user, void *block) {
    failing *f = enter(user);
    atomic_fetch_sub(&f->live, 1);
    free(block);
    leave(f, NULL);
}

pare_allocator failing_allocator(failing *f) {
    return (pare_allocator){failing_alloc, failing_resize, failing_release, f};
}

enum { MAX_SHORT_DENSE = 8 };

void check_oom(oom_call call, void *user) { check_oom_thinly(call, user, INT64_MAX); }

void check_oom_thinly(oom_call call, void *user, int64_t dense) {
    char why[OOM_WHY];
    if (!oom_holds(call, user, dense, 1, why)) fail_msg("%s", why);
}

/* One run; *more: an allocation failed, so that there are more to be allowed. */
static bool run_holds(oom_call call, void *user, int64_t allow, bool once, bool *more,
                      char why[OOM_WHY]) {
    failing f = {.allow = allow, .once = once};
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.allocator = failing_allocator(&f);
    pare_status status = call(user, &ctx);
    *more = f.calls > f.allow;
    bool fine = status == PARE_OK || (*more && status == PARE_E_MEMORY);
    if (fine && f.live == 0 && f.overlaps == 0) return true;
    snprintf(
        why, OOM_WHY,
        "after %lld allocations %s fails: status %s, %lld blocks left, %lld calls while another "
        "thread was inside",
        (long long)allow, once ? "the next one" : "every one", pare_status_name(status),
        (long long)f.live, (long long)f.overlaps);
    return false;
}

bool oom_holds(oom_call call, void *user, int64_t dense, uint64_t seed, char why[OOM_WHY]) {
    rng r;
    rng_seed(&r, seed, 0);
    /* a sanitizer's build, where the plain one walks all of them */
    if (getenv("TESTS_SHORT") && dense > MAX_SHORT_DENSE) dense = MAX_SHORT_DENSE;
    for (int once = 0; once < 2; once++) {
        bool more = true;
        for (int64_t allow = 0; more; allow += 1 + rng_below(&r, 1 + 2 * (allow / dense)))
            if (!run_holds(call, user, allow, once, &more, why)) return false;
    }
    return true;
}

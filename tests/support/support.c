#include "support/support.h"

#include <math.h>
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

static void *failing_alloc(void *user, size_t bytes) {
    failing *f = user;
    if (f->calls++ >= f->allow) return NULL;
    f->live++;
    return malloc(bytes);
}

static void *failing_resize(void *user, void *block, size_t bytes) {
    failing *f = user;
    if (f->calls++ >= f->allow) return NULL;
    if (!block) f->live++;
    return realloc(block, bytes);
}

static void failing_release(void *user, void *block) {
    ((failing *)user)->live--;
    free(block);
}

pare_allocator failing_allocator(failing *f) {
    return (pare_allocator){failing_alloc, failing_resize, failing_release, f};
}

void check_oom(pare_status (*call)(void *user, const pare_ctx *ctx), void *user) {
    check_oom_thinly(call, user, INT64_MAX);
}

void check_oom_thinly(pare_status (*call)(void *user, const pare_ctx *ctx), void *user,
                      int64_t dense) {
    for (int64_t allow = 0;; allow += 1 + allow / dense) {
        failing f = {allow, 0, 0};
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        ctx.allocator = failing_allocator(&f);
        pare_status status = call(user, &ctx);
        assert_int_equal(f.live, 0);
        if (status == PARE_OK) break;
        assert_int_equal(status, PARE_E_MEMORY);
        assert_true(allow < 1000000);
    }
}

/* The few routines of BLAS that take the time, in 128-bit vectors; all others are the reference's own. Sums run in one
 * order over k, whatever the size, and nothing is fused. tests/unit/test_web_shims.c compares them with the system's.
 *
 * dgemm, dsyrk and ssyrk pack panels of four rows and of four columns, so that any transposition is the same loop, and
 * multiply 4 x 4 tiles that stay in registers. Single precision is how ssyrk keeps its numbers, not how it adds them up. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    TILE = 4,
    ROWS = 64,
    DEPTH = 256,
    COLUMNS = 128
}; /* a tile; blocks that fit into the caches */

typedef double pair __attribute__((vector_size(16)));

double ddot_(const int32_t *n, const double *x, const int32_t *incx, const double *y,
             const int32_t *incy);
void dgemv_(const char *trans, const int32_t *m, const int32_t *n, const double *alpha,
            const double *a, const int32_t *lda, const double *x, const int32_t *incx,
            const double *beta, double *y, const int32_t *incy, int32_t length);
void dgemm_(const char *transa, const char *transb, const int32_t *m, const int32_t *n,
            const int32_t *k, const double *alpha, const double *a, const int32_t *lda,
            const double *b, const int32_t *ldb, const double *beta, double *c, const int32_t *ldc,
            int32_t length_a, int32_t length_b);
void dsyrk_(const char *uplo, const char *trans, const int32_t *n, const int32_t *k,
            const double *alpha, const double *a, const int32_t *lda, const double *beta, double *c,
            const int32_t *ldc, int32_t length_u, int32_t length_t);
void ssyrk_(const char *uplo, const char *trans, const int32_t *n, const int32_t *k,
            const float *alpha, const float *a, const int32_t *lda, const float *beta, float *c,
            const int32_t *ldc, int32_t length_u, int32_t length_t);

static pair load(const double *x) {
    pair v;
    memcpy(&v, x, sizeof v);
    return v;
}

static char triangle(const char *letter) { return (char)(*letter & ~0x20); }
static int transposed(const char *letter) { return (*letter & ~0x20) != 'N'; }

/* ---- vectors --------------------------------------------------------------------------------- */

static double dot(ptrdiff_t n, const double *x, const double *y) {
    pair a = {0, 0}, b = {0, 0};
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a += load(x + i) * load(y + i);
        b += load(x + i + 2) * load(y + i + 2);
    }
    a += b;
    double sum = a[0] + a[1];
    for (; i < n; i++) sum += x[i] * y[i];
    return sum;
}

double ddot_(const int32_t *n, const double *x, const int32_t *incx, const double *y,
             const int32_t *incy) {
    if (*n <= 0) return 0;
    if (*incx == 1 && *incy == 1) return dot(*n, x, y);
    ptrdiff_t dx = *incx, dy = *incy, i = dx < 0 ? (1 - *n) * dx : 0,
              j = dy < 0 ? (1 - *n) * dy : 0;
    double sum = 0;
    for (int32_t l = 0; l < *n; l++, i += dx, j += dy) sum += x[i] * y[j];
    return sum;
}

/* y += alpha A x, four columns at a time. */
static void add_columns(ptrdiff_t m, ptrdiff_t n, double alpha, const double *a, ptrdiff_t lda,
                        const double *x, ptrdiff_t dx, double *y) {
    ptrdiff_t j = 0;
    for (; j + 4 <= n; j += 4, a += 4 * lda) {
        double t[4];
        for (int c = 0; c < 4; c++) t[c] = alpha * x[(j + c) * dx];
        for (ptrdiff_t i = 0; i < m; i++)
            y[i] = y[i] + t[0] * a[i] + t[1] * a[i + lda] + t[2] * a[i + 2 * lda] +
                   t[3] * a[i + 3 * lda];
    }
    for (; j < n; j++, a += lda) {
        double t = alpha * x[j * dx];
        for (ptrdiff_t i = 0; i < m; i++) y[i] += t * a[i];
    }
}

void dgemv_(const char *trans, const int32_t *m, const int32_t *n, const double *alpha,
            const double *a, const int32_t *lda, const double *x, const int32_t *incx,
            const double *beta, double *y, const int32_t *incy, int32_t length) {
    int across = transposed(trans);
    ptrdiff_t rows = *m, columns = *n, step = *lda, dx = *incx, dy = *incy;
    ptrdiff_t from = across ? rows : columns, to = across ? columns : rows;
    (void)length;
    if (rows <= 0 || columns <= 0) return;
    if (dx < 0) x -= (from - 1) * dx;
    if (dy < 0) y -= (to - 1) * dy;
    if (*beta != 1)
        for (ptrdiff_t i = 0; i < to; i++) y[i * dy] = *beta == 0 ? 0 : *beta * y[i * dy];
    if (*alpha == 0) return;
    if (!across && dy == 1) {
        add_columns(rows, columns, *alpha, a, step, x, dx, y);
        return;
    }
    for (ptrdiff_t j = 0; j < columns; j++, a += step) {
        if (across && dx == 1) {
            y[j * dy] += *alpha * dot(rows, a, x);
        } else if (across) {
            double sum = 0;
            for (ptrdiff_t i = 0; i < rows; i++) sum += a[i] * x[i * dx];
            y[j * dy] += *alpha * sum;
        } else {
            for (ptrdiff_t i = 0; i < rows; i++) y[i * dy] += *alpha * x[j * dx] * a[i];
        }
    }
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Element (i, l) is at[i * row + l * column], or that of `single` where it is not NULL. */
typedef struct operand {
    const double *at;
    ptrdiff_t row, column;
    const float *single;
} operand;

static double element(const operand *a, ptrdiff_t i, ptrdiff_t l) {
    ptrdiff_t place = i * a->row + l * a->column;
    return a->single ? a->single[place] : a->at[place];
}

/* Panels of TILE rows of [from, to), each depth x TILE, from column l on; rows that are not there are
 * zero. */
static void pack(double *out, const operand *a, const ptrdiff_t rows[2], ptrdiff_t l,
                 ptrdiff_t depth) {
    for (ptrdiff_t i = rows[0]; i < rows[1]; i += TILE)
        for (ptrdiff_t e = l; e < l + depth; e++)
            for (ptrdiff_t r = i; r < i + TILE; r++) *out++ = r < rows[1] ? element(a, r, e) : 0;
}

/* out (column-major) = the product of a panel of rows and one of columns. */
static void multiply_tile(double out[TILE * TILE], const double *a, const double *b,
                          ptrdiff_t depth) {
    pair c[TILE][2] = {{{0, 0}}};
    for (ptrdiff_t l = 0; l < depth; l++, a += TILE, b += TILE) {
        pair low = load(a), high = load(a + 2);
        for (int j = 0; j < TILE; j++) {
            pair t = {b[j], b[j]};
            c[j][0] += low * t;
            c[j][1] += high * t;
        }
    }
    memcpy(out, c, sizeof c);
}

/* Which part of C is there: all, or the triangle of one letter. */
typedef struct result {
    double *at;
    ptrdiff_t step;
    char part;
    float *single; /* instead of `at` where it is not NULL */
} result;

/* Its element (i, j) becomes beta times itself plus v; 0 times anything is 0. */
static void update(const result *c, ptrdiff_t i, ptrdiff_t j, double beta, double v) {
    ptrdiff_t place = i + j * c->step;
    if (c->single)
        c->single[place] = (float)((beta == 0 ? 0 : beta * c->single[place]) + v);
    else
        c->at[place] = (beta == 0 ? 0 : beta * c->at[place]) + v;
}

static int inside(const result *c, ptrdiff_t i, ptrdiff_t j) {
    return c->part == 'U' ? i <= j : c->part == 'L' ? i >= j : 1;
}

static void add_tile(const result *c, double alpha, const double *tile, ptrdiff_t i, ptrdiff_t j,
                     ptrdiff_t m, ptrdiff_t n) {
    for (ptrdiff_t s = 0; s < TILE && j + s < n; s++)
        for (ptrdiff_t r = 0; r < TILE && i + r < m; r++)
            if (inside(c, i + r, j + s)) update(c, i + r, j + s, 1, alpha * tile[r + s * TILE]);
}

/* C += alpha A B' for one block: rows i .. of A, rows j .. of B, both packed. */
static void add_block(const result *c, double alpha, const double *a, const double *b,
                      ptrdiff_t depth, const ptrdiff_t i[2], const ptrdiff_t j[2]) {
    double tile[TILE * TILE];
    for (ptrdiff_t s = j[0]; s < j[1]; s += TILE)
        for (ptrdiff_t r = i[0]; r < i[1]; r += TILE) {
            int some = inside(c, r, s) || inside(c, r + TILE - 1, s) || inside(c, r, s + TILE - 1);
            if (!some) continue;
            multiply_tile(tile, a + (r - i[0]) * depth, b + (s - j[0]) * depth, depth);
            add_tile(c, alpha, tile, r, s, i[1], j[1]);
        }
}

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

/* C = alpha A B' + beta C, with A m x k and B n x k. */
static void product(result c, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha, operand a,
                    operand b, double beta) {
    static double packed_a[ROWS * DEPTH], packed_b[COLUMNS * DEPTH]; /* there is one thread */
    for (ptrdiff_t j = 0; beta != 1 && j < n; j++)
        for (ptrdiff_t i = 0; i < m; i++)
            if (inside(&c, i, j)) update(&c, i, j, beta, 0);
    if (alpha == 0) return;
    for (ptrdiff_t l = 0; l < k; l += DEPTH) {
        ptrdiff_t depth = least(DEPTH, k - l);
        for (ptrdiff_t j = 0; j < n; j += COLUMNS) {
            const ptrdiff_t to_j[] = {j, least(n, j + COLUMNS)};
            pack(packed_b, &b, to_j, l, depth);
            for (ptrdiff_t i = 0; i < m; i += ROWS) {
                const ptrdiff_t to_i[] = {i, least(m, i + ROWS)};
                pack(packed_a, &a, to_i, l, depth);
                add_block(&c, alpha, packed_a, packed_b, depth, to_i, to_j);
            }
        }
    }
}

void dgemm_(const char *transa, const char *transb, const int32_t *m, const int32_t *n,
            const int32_t *k, const double *alpha, const double *a, const int32_t *lda,
            const double *b, const int32_t *ldb, const double *beta, double *c, const int32_t *ldc,
            int32_t length_a, int32_t length_b) {
    operand left = {a, 1, *lda, NULL}, right = {b, *ldb, 1, NULL};
    (void)length_a, (void)length_b;
    if (transposed(transa)) left = (operand){a, *lda, 1, NULL};
    if (transposed(transb)) right = (operand){b, 1, *ldb, NULL};
    product((result){c, *ldc, 'A', NULL}, *m, *n, *k, *alpha, left, right, *beta);
}

void dsyrk_(const char *uplo, const char *trans, const int32_t *n, const int32_t *k,
            const double *alpha, const double *a, const int32_t *lda, const double *beta, double *c,
            const int32_t *ldc, int32_t length_u, int32_t length_t) {
    operand both = {a, 1, *lda, NULL};
    (void)length_u, (void)length_t;
    if (transposed(trans)) both = (operand){a, *lda, 1, NULL};
    product((result){c, *ldc, triangle(uplo), NULL}, *n, *n, *k, *alpha, both, both, *beta);
}

void ssyrk_(const char *uplo, const char *trans, const int32_t *n, const int32_t *k,
            const float *alpha, const float *a, const int32_t *lda, const float *beta, float *c,
            const int32_t *ldc, int32_t length_u, int32_t length_t) {
    operand both = {NULL, 1, *lda, a};
    (void)length_u, (void)length_t;
    if (transposed(trans)) both = (operand){NULL, *lda, 1, a};
    product((result){NULL, *ldc, triangle(uplo), c}, *n, *n, *k, *alpha, both, both, *beta);
}

#include "solve/kernel/mkl_newton.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "la/factor.h"

enum { MIN_TILE = 64, MAX_TILE = 512 };             /* features at a time */
static const double RIDGES[] = {1e-12, 1e-9, 1e-6}; /* of the mean diagonal, one after the other */

double mkl_log_norm(const mkl_point *at) {
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < at->n_active; i++) most = fmax(most, at->x[at->active[i]]);
    if (isinf(most)) return most;
    for (int64_t i = 0; i < at->n_active; i++) sum += exp(at->p * (at->x[at->active[i]] - most));
    return most + log(sum) / at->p;
}

typedef struct newton {
    const mkl_point *at;
    kernel_columns *k;
    int64_t n, c, M, n_blocks, used, tile;
    int64_t *place; /* M: o * n + i of each free sample */
    int64_t *block; /* c: outputs that have some */
    int64_t *own;   /* n_active: features that are part of K */
    double *G, *pi; /* n_active */
    double *A;      /* M x M, lower triangle */
    double *B;      /* M x (2 + c): right sides, then the ones of each output */
    double *T, *R;  /* n c x tile, M x tile */
    double *dU;     /* n c x 2: change of u, by itself and per m */
    double *ds;     /* n_active x 2 */
} newton;

static bool make(newton *w, arena *mem) {
    int64_t M = w->M, size = w->n * w->c;
    w->block = ARENA_NEW(mem, int64_t, w->c);
    w->own = ARENA_NEW(mem, int64_t, w->at->n_active);
    w->G = ARENA_NEW(mem, double, w->at->n_active);
    w->pi = ARENA_NEW(mem, double, w->at->n_active);
    w->A = ARENA_NEW(mem, double, M *M);
    w->B = ARENA_ZERO(mem, double, M *(2 + w->c));
    w->T = ARENA_NEW(mem, double, size * w->tile);
    w->R = ARENA_NEW(mem, double, M * w->tile);
    w->dU = ARENA_ZERO(mem, double, 2 * size);
    w->ds = ARENA_ZERO(mem, double, 2 * w->at->n_active);
    return w->block && w->own && w->G && w->pi && w->A && w->B && w->T && w->R && w->dU && w->ds;
}

/* G and pi. */
static void conditions(newton *w) {
    const mkl_point *at = w->at;
    double log_norm = mkl_log_norm(at), q1 = at->p - 1;
    w->used = 0;
    for (int64_t i = 0; i < at->n_active; i++) {
        int64_t j = at->active[i];
        w->G[i] = at->separable ? q1 * at->x[j] - log(at->s[j]) + log(2 * at->lambda * at->p)
                                : q1 * at->x[j] + (2 - at->p) * log_norm - log(at->s[j]) +
                                      log(2 * at->lambda);
        w->pi[i] = at->separable ? 0 : exp(at->p * (at->x[j] - log_norm));
        if (exp(at->x[j]) > at->least) w->own[w->used++] = i;
    }
}

static void add_gram(newton *w) {
    int64_t n = w->n;
    for (int64_t a = 0; a < w->M; a++)
        for (int64_t b = 0; b <= a; b++) {
            int64_t pa = w->place[a], pb = w->place[b];
            w->A[b * w->M + a] = pa / n == pb / n ? w->at->K[(pa % n) * n + pb % n] : 0;
            if (a == b && w->at->ridge) w->A[b * w->M + a] += w->at->ridge[pa % n];
        }
}

/* The kernels' part of the system and the right sides. */
static void add_kernels(newton *w) {
    const mkl_point *at = w->at;
    int64_t size = w->n * w->c, M = w->M, cols[MAX_TILE];
    double q1 = at->p - 1;
    for (int64_t first = 0; first < w->used; first += w->tile) {
        int64_t count = w->used - first < w->tile ? w->used - first : w->tile;
        for (int64_t l = 0; l < count; l++) cols[l] = at->active[w->own[first + l]];
        kernel_columns_take(w->k, cols, count, at->U, w->T);
        for (int64_t l = 0; l < count; l++) {
            int64_t i = w->own[first + l], j = cols[l];
            double d = exp(at->x[j]), root = sqrt(2 * d / (q1 * at->s[j]));
            const double *t = w->T + l * size;
            for (int64_t a = 0; a < M; a++) {
                double own = t[w->place[a]];
                w->R[l * M + a] = root * own;
                w->B[a] += d / q1 * w->G[i] * own;
                w->B[M + a] += at->separable ? 0 : (2 - at->p) / q1 * d * own;
            }
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)M, (int)count, 1, w->R, (int)M, 1,
                    w->A, (int)M);
    }
}

/* Cholesky's factor of A, with as small a ridge as will do; R is scratch for the diagonal. */
static bool factor(newton *w, double *copy) {
    int64_t M = w->M;
    double mean = 0;
    for (int64_t a = 0; a < M; a++) mean += w->A[a * M + a] / (double)M;
    memcpy(copy, w->A, sizeof *copy * (size_t)(M * M));
    for (size_t r = 0; r < sizeof RIDGES / sizeof *RIDGES; r++) {
        if (r > 0) memcpy(w->A, copy, sizeof *copy * (size_t)(M * M));
        for (int64_t a = 0; a < M; a++) w->A[a * M + a] += RIDGES[r] * mean;
        if (chol_factor('L', M, w->A, M)) return true;
    }
    return false;
}

/* dU from the factored system: both right sides, kept at sum 0 in every output. */
static bool solve(newton *w, double *small) {
    int64_t M = w->M, c = w->n_blocks;
    double *side = small + c * c;
    for (int64_t a = 0; a < M; a++)
        for (int64_t e = 0; e < c; e++) w->B[(2 + e) * M + a] = w->place[a] / w->n == w->block[e];
    chol_solve('L', M, w->A, M, w->B, 2 + c);
    memset(small, 0, sizeof *small * (size_t)(c * c + 2 * c));
    for (int64_t a = 0; a < M; a++)
        for (int64_t e = 0; e < c; e++) {
            if (w->place[a] / w->n != w->block[e]) continue;
            for (int64_t g = 0; g < c; g++) small[g * c + e] += w->B[(2 + g) * M + a];
            side[e] += w->B[a];
            side[c + e] += w->B[M + a];
        }
    if (!chol_factor_solve('L', c, small, c, side, 2)) return false;
    for (int64_t r = 0; r < 2; r++)
        for (int64_t a = 0; a < M; a++) {
            double sum = w->B[r * M + a];
            for (int64_t e = 0; e < c; e++) sum -= side[r * c + e] * w->B[(2 + e) * M + a];
            w->dU[r * w->n * w->c + w->place[a]] = sum;
        }
    return true;
}

/* ds of every feature that is part of K; of the others, which have no weight to speak of, it is
 * left at 0: they follow s as it is. */
static void change_forms(newton *w) {
    const mkl_point *at = w->at;
    int64_t size = w->n * w->c, cols[MAX_TILE];
    for (int64_t first = 0; first < w->used; first += w->tile) {
        int64_t count = w->used - first < w->tile ? w->used - first : w->tile;
        for (int64_t l = 0; l < count; l++) cols[l] = at->active[w->own[first + l]];
        kernel_columns_take(w->k, cols, count, at->U, w->T);
        for (int64_t l = 0; l < count; l++)
            for (int r = 0; r < 2; r++)
                w->ds[r * at->n_active + w->own[first + l]] =
                    2 * la_dot(w->T + l * size, w->dU + r * size, size);
    }
}

static bool give(double *dx, const newton *w) {
    const mkl_point *at = w->at;
    const double *ds = w->ds, *per_m = w->ds + at->n_active;
    double top = 0, bottom = 1;
    for (int64_t i = 0; i < at->n_active; i++) {
        double s = at->s[at->active[i]];
        top += w->pi[i] * (ds[i] / s - w->G[i]);
        bottom -= w->pi[i] * per_m[i] / s;
    }
    double m = at->separable ? 0 : top / bottom;
    if (!(bottom > 0) || !isfinite(m)) return false;
    for (int64_t i = 0; i < at->n_active; i++) {
        int64_t j = at->active[i];
        double change = (ds[i] + m * per_m[i]) / at->s[j];
        dx[j] = (change - w->G[i] - (2 - at->p) * m) / (at->p - 1);
        if (!isfinite(dx[j])) return false;
    }
    return true;
}

pare_status mkl_newton(double *dx, bool *found, const mkl_point *at, kernel_columns *k,
                       const pare_ctx *ctx, pare_error *err) {
    newton w = {.at = at, .k = k, .n = k->x->n, .c = k->c};
    int64_t size = w.n * w.c;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    *found = false;
    w.tile = 65536 / size; /* as many as make a block worth dealing out */
    w.tile = w.tile < MIN_TILE ? MIN_TILE : w.tile > MAX_TILE ? MAX_TILE : w.tile;
    TRY_MEM(w.place = ARENA_NEW(&mem, int64_t, size));
    for (int64_t e = 0; e < size; e++)
        if (at->free[e]) w.place[w.M++] = e;
    pare_error too_large;
    if (ctx_check_memory(ctx, 16 * (double)w.M * (double)w.M, "a Newton step", &too_large) !=
        PARE_OK)
        goto done;
    TRY_MEM(make(&w, &mem));
    double *copy = ARENA_NEW(&mem, double, w.M *w.M);
    double *small = ARENA_NEW(&mem, double, w.c *(w.c + 2));
    TRY_MEM(copy && small);
    conditions(&w);
    if (w.M > 0) {
        for (int64_t a = 0; a < w.M; a++)
            if (w.n_blocks == 0 || w.block[w.n_blocks - 1] != w.place[a] / w.n)
                w.block[w.n_blocks++] = w.place[a] / w.n;
        add_gram(&w);
        add_kernels(&w);
        if (!factor(&w, copy) || !solve(&w, small)) goto done;
        change_forms(&w);
    }
    *found = give(dx, &w);

done:
    arena_free(&mem);
    return status;
}

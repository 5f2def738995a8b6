#include "solve/rank/push_system.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "la/factor.h"

enum { TILE = 1024 }; /* rows whose products are summed at once */

pare_status push_system_init(push_system *s, arena *mem, const push_rows *rows, const cones *blocks,
                             bool fixed_z, const pare_ctx *ctx, pare_error *err) {
    *s = (push_system){.rows = *rows, .blocks = blocks, .d = rows->d, .fixed_z = fixed_z};
    s->n = rows->x ? rows->x->n : 0;
    s->N = s->n + rows->n_extra;
    s->tall = s->d <= s->N;
    int64_t k = s->tall ? s->d : s->N, tile = s->N < TILE ? s->N : TILE;
    PASS(ctx_check_memory(ctx, (s->tall ? 8 : 16) * (double)k * (double)k,
                          "the interior point method's matrix", err));
    PASS_MEM(s->M = ARENA_NEW(mem, double, k *k));
    PASS_MEM(s->wide = ARENA_NEW(mem, double, s->d));
    PASS_MEM(s->by = ARENA_NEW(mem, double, s->N));
    if (s->tall) {
        PASS_MEM(s->mean = ARENA_NEW(mem, double, s->d));
        PASS_MEM(s->tile = ARENA_NEW(mem, double, tile * s->d));
        PASS_MEM(s->row = ARENA_NEW(mem, int32_t, s->n));
        for (int64_t i = 0; i < s->n; i++)
            s->row[i] = rows->x->rows ? rows->x->rows[i] : (int32_t)i;
    } else {
        PASS_MEM(s->G = ARENA_NEW(mem, double, s->N * s->N));
        PASS_MEM(ARENA_NEWS(mem, double, s->N, &s->root, &s->ones));
        PASS_MEM(s->scaled = ARENA_NEW(mem, double, s->d *(rows->n_extra ? rows->n_extra : 1)));
        PASS_MEM(s->tile = ARENA_NEW(mem, double, s->n *(rows->n_extra ? rows->n_extra : 1)));
        if (blocks) {
            PASS_MEM(s->cone_columns = ARENA_NEW(mem, double, s->N * blocks->count));
            PASS_MEM(s->list = ARENA_NEW(mem, int64_t, s->d));
            for (int64_t j = 0; j < s->d; j++) s->list[j] = j;
        }
    }
    return PARE_OK;
}

pare_status push_mul(const push_system *s, const double *w, double *f, const pare_ctx *ctx,
                     pare_error *err) {
    if (s->rows.n_extra)
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)s->rows.n_extra, (int)s->d, 1, s->rows.extra,
                    (int)s->d, w, 1, 0, f + s->n, 1);
    return s->n ? mat_mul(s->rows.x, NULL, s->d, w, 1, f, ctx, err) : PARE_OK;
}

pare_status push_tmul(const push_system *s, const double *u, double *out, const pare_ctx *ctx,
                      pare_error *err) {
    if (s->n) {
        PASS(mat_tmul(s->rows.x, u, 1, out, ctx, err));
    }
    if (s->rows.n_extra)
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)s->rows.n_extra, (int)s->d, 1, s->rows.extra,
                    (int)s->d, u + s->n, 1, s->n ? 1 : 0, out, 1);
    return PARE_OK;
}

void push_add_inverse(const cones *c, const double *z, double *M, int64_t d) {
    for (int64_t j = 0; j < d; j++) M[j * d + j] += 1 / z[j];
    for (int64_t k = 0; c && k < c->count; k++) {
        int64_t first = c->start[k], size = c->start[k + 1] - first;
        cblas_dsyr(CblasColMajor, CblasLower, (int)size,
                   -2 / (2 * c->w0[k] * c->w0[k] - 1) / (c->eta[k] * c->eta[k]), c->w1 + first, 1,
                   M + first * d + first, (int)d);
    }
}

void push_times_z(const cones *c, const double *z, int64_t d, const double *in, double *out) {
    for (int64_t j = 0; j < d; j++) out[j] = z[j] * in[j];
    for (int64_t k = 0; c && k < c->count; k++) {
        int64_t first = c->start[k];
        int size = (int)(c->start[k + 1] - first);
        double along = cblas_ddot(size, c->w1 + first, 1, out + first, 1);
        cblas_daxpy(size, 2 * along, c->w1 + first, 1, out + first, 1);
    }
}

/* M += sum over the tile's rows of omega (x - mean)(x - mean)'; tile: count x d, column-major. */
static void add_tile(push_system *s, int64_t count, const double *omega) {
    for (int64_t i = 0; i < count; i++) s->by[i] = sqrt(omega[i]);
    for (int64_t j = 0; j < s->d; j++) {
        double *values = s->tile + j * count, mean = s->mean[j];
        for (int64_t i = 0; i < count; i++) values[i] = (values[i] - mean) * s->by[i];
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)s->d, (int)count, 1, s->tile,
                (int)count, 1, s->M, (int)s->d);
}

static pare_status form_tall(push_system *s, const pare_ctx *ctx, pare_error *err) {
    PASS(push_tmul(s, s->omega, s->mean, ctx, err));
    for (int64_t j = 0; j < s->d; j++) s->mean[j] /= s->total;
    memset(s->M, 0, sizeof *s->M * (size_t)(s->d * s->d));
    for (int64_t first = 0; first < s->n; first += TILE) {
        view part = *s->rows.x;
        part.rows = s->row + first;
        part.n = s->n - first < TILE ? s->n - first : TILE;
        PASS(mat_columns(&part, NULL, s->d, s->tile, ctx, err));
        add_tile(s, part.n, s->omega + first);
    }
    for (int64_t first = 0; first < s->rows.n_extra; first += TILE) {
        int64_t left = s->rows.n_extra - first, count = left < TILE ? left : TILE;
        const double *extra = s->rows.extra + first * s->d;
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = 0; j < s->d; j++) s->tile[j * count + i] = extra[i * s->d + j];
        add_tile(s, count, s->omega + s->n + first);
    }
    push_add_inverse(s->blocks, s->z, s->M, s->d);
    return PARE_OK;
}

/* G += the part of X Z X' that diag(z) lacks: one product X_g w1_g for each cone. */
static pare_status add_blocks(push_system *s, const pare_ctx *ctx, pare_error *err) {
    const cones *c = s->blocks;
    for (int64_t k = 0; k < c->count; k++) {
        int64_t first = c->start[k], size = c->start[k + 1] - first;
        double *out = s->cone_columns + k * s->N;
        if (s->n) {
            pare_status status =
                mat_mul(s->rows.x, s->list + first, size, c->w1 + first, 1, out, ctx, err);
            if (status != PARE_OK) return status;
        }
        for (int64_t i = 0; i < s->rows.n_extra; i++)
            out[s->n + i] =
                cblas_ddot((int)size, s->rows.extra + i * s->d + first, 1, c->w1 + first, 1);
        cblas_dscal((int)s->N, sqrt(2) * c->eta[k], out, 1);
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)s->N, (int)c->count, 1,
                s->cone_columns, (int)s->N, 1, s->G, (int)s->N);
    return PARE_OK;
}

/* G = X diag(z) X' over samples and extra rows. */
static pare_status form_gram(push_system *s, const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n, N = s->N, d = s->d, more = s->rows.n_extra;
    if (s->have_gram) return PARE_OK;
    if (n && s->rows.K && s->fixed_z) {
        for (int64_t i = 0; i < n * n; i++) s->M[i] = s->rows.K[i] * s->z[0];
    } else if (n) {
        PASS(mat_gram(s->rows.x, NULL, s->z, s->M, ctx, err));
    }
    for (int64_t i = 0; i < n; i++) memcpy(s->G + i * N, s->M + i * n, sizeof(double) * (size_t)n);
    for (int64_t k = 0; k < more; k++)
        for (int64_t j = 0; j < d; j++) s->scaled[k * d + j] = s->z[j] * s->rows.extra[k * d + j];
    if (n && more) PASS(mat_mul(s->rows.x, NULL, d, s->scaled, more, s->tile, ctx, err));
    for (int64_t k = 0; k < more; k++) {
        double *values = s->G + (n + k) * N;
        for (int64_t i = 0; i < n; i++) values[i] = s->G[i * N + n + k] = s->tile[k * n + i];
    }
    if (more)
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)more, (int)more, (int)d, 1,
                    s->scaled, (int)d, s->rows.extra, (int)d, 0, s->G + n * N + n, (int)N);
    if (s->blocks) PASS(add_blocks(s, ctx, err));
    s->have_gram = s->fixed_z;
    return PARE_OK;
}

pare_status push_system_gram(push_system *s, const double *z, const pare_ctx *ctx,
                             pare_error *err) {
    s->z = z;
    PASS(form_gram(s, ctx, err));
    for (int64_t j = 0; j < s->N; j++)
        for (int64_t i = 0; i < j; i++) s->G[j * s->N + i] = s->G[i * s->N + j];
    return PARE_OK;
}

static pare_status form_wide(push_system *s, const pare_ctx *ctx, pare_error *err) {
    PASS(form_gram(s, ctx, err));
    int64_t N = s->N;
    for (int64_t i = 0; i < N; i++) s->root[i] = sqrt(s->omega[i]);
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j; i < N; i++)
            s->M[j * N + i] = s->root[i] * s->G[j * N + i] * s->root[j] + (i == j);
    return PARE_OK;
}

pare_status push_system_factor(push_system *s, const double *omega, const double *z, bool *definite,
                               const pare_ctx *ctx, pare_error *err) {
    s->omega = omega;
    s->z = z;
    s->total = 0;
    for (int64_t i = 0; i < s->N; i++) s->total += omega[i];
    PASS(s->tall ? form_tall(s, ctx, err) : form_wide(s, ctx, err));
    int k = (int)(s->tall ? s->d : s->N);
    *definite = isfinite(s->total) && chol_factor('L', k, s->M, k);
    if (*definite && !s->tall) {
        memcpy(s->ones, s->root, sizeof(double) * (size_t)s->N);
        chol_solve('L', k, s->M, k, s->ones, 1);
    }
    return PARE_OK;
}

pare_status push_system_solve(push_system *s, const double *a, double b, double *dw, double *dt,
                              double *h, double *omega_h, const pare_ctx *ctx, pare_error *err) {
    int64_t N = s->N, d = s->d;
    if (s->tall) {
        for (int64_t j = 0; j < d; j++) dw[j] = a[j] + s->mean[j] * b;
        chol_solve('L', d, s->M, d, dw, 1);
        *dt = b / s->total + la_dot(s->mean, dw, d);
    } else {
        push_times_z(s->blocks, s->z, d, a, s->wide);
        PASS(push_mul(s, s->wide, s->by, ctx, err));
        for (int64_t i = 0; i < N; i++) s->by[i] *= s->root[i];
        chol_solve('L', N, s->M, N, s->by, 1);
        *dt = (la_dot(s->root, s->by, N) + b) / la_dot(s->root, s->ones, N);
        for (int64_t i = 0; i < N; i++) omega_h[i] = s->root[i] * (s->by[i] - *dt * s->ones[i]);
        PASS(push_tmul(s, omega_h, s->wide, ctx, err));
        for (int64_t j = 0; j < d; j++) dw[j] = a[j] - s->wide[j];
        push_times_z(s->blocks, s->z, d, dw, dw);
    }
    PASS(push_mul(s, dw, h, ctx, err));
    for (int64_t i = 0; i < N; i++) h[i] -= *dt;
    for (int64_t i = 0; s->tall && i < N; i++) omega_h[i] = s->omega[i] * h[i];
    return PARE_OK;
}

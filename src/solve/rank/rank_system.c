#include "solve/rank/rank_system.h"

#include <cblas.h>
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "la/factor.h"

enum {
    TILE = 32,   /* columns whose products with X are made in one pass */
    CHEAP = 1500 /* a Cholesky factor of this size: it loses fewer digits than the other form */
};

void rank_cones_centre(cones *c, double mu) {
    for (int64_t k = 0; k < c->count; k++) {
        double square = 0, centre = mu / c->z0[k];
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) square += c->s1[j] * c->s1[j];
        c->s0[k] = (centre + sqrt(centre * centre + 4 * square)) / 2;
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++)
            c->z1[j] = c->z0[k] * c->s1[j] / c->s0[k];
    }
}

bool rank_cones_weights(const rank_system *s, cones *c, double l2, double *z) {
    for (int64_t k = 0; k < c->count; k++)
        if (!cone_scale(c, k)) return false;
    for (int64_t j = 0; c->count == 0 && j < s->d; j++) z[j] = 1 / l2;
    for (int64_t k = 0; k < c->count; k++)
        for (int64_t j = c->start[k]; j < c->start[k + 1]; j++) {
            double own = s->blocks ? 0 : c->w1[j];
            double theta = c->eta[k] * c->eta[k] * (1 + 2 * own * own);
            z[j] = theta / (1 + l2 * theta);
        }
    return true;
}

pare_status rank_system_init(rank_system *s, arena *mem, const view *x, rank_curve curve,
                             void *loss, const cones *blocks, bool fixed_z, const pare_ctx *ctx,
                             pare_error *err) {
    *s =
        (rank_system){.x = x, .curve = curve, .loss = loss, .blocks = blocks, .N = x->n, .d = x->d};
    s->tall = s->d <= s->N || s->d <= CHEAP;
    int64_t k = s->tall ? s->d : s->N;
    PASS(ctx_check_memory(ctx, 8 * (double)k * (double)k, "the Newton method's matrix", err));
    PASS_MEM(s->M = ARENA_NEW(mem, double, k *k));
    if (s->tall) {
        PASS_MEM(ARENA_NEWS(mem, double, s->N *TILE, &s->tile, &s->bent));
        PASS_MEM(s->list = ARENA_NEW(mem, int64_t, s->d));
        for (int64_t j = 0; j < s->d; j++) s->list[j] = j;
        return PARE_OK;
    }
    push_rows rows = {.x = x, .d = x->d};
    PASS(push_system_init(&s->gram, mem, &rows, blocks, fixed_z, ctx, err));
    PASS_MEM(s->pivot = ARENA_NEW(mem, int, s->N));
    PASS_MEM(ARENA_NEWS(mem, double, s->N, &s->f, &s->u));
    PASS_MEM(s->back = ARENA_NEW(mem, double, s->d));
    return PARE_OK;
}

static pare_status form_tall(rank_system *s, const pare_ctx *ctx, pare_error *err) {
    for (int64_t first = 0; first < s->d; first += TILE) {
        int64_t count = s->d - first < TILE ? s->d - first : TILE;
        PASS(mat_columns(s->x, s->list + first, count, s->tile, ctx, err));
        for (int64_t j = 0; j < count; j++)
            s->curve(s->loss, s->tile + j * s->N, s->bent + j * s->N);
        PASS(mat_tmul(s->x, s->bent, count, s->M + first * s->d, ctx, err));
    }
    push_add_inverse(s->blocks, s->z, s->M, s->d);
    return PARE_OK;
}

pare_status rank_system_factor(rank_system *s, const double *z, bool *definite, const pare_ctx *ctx,
                               pare_error *err) {
    s->z = z;
    if (s->tall) {
        PASS(form_tall(s, ctx, err));
        *definite = chol_factor('L', s->d, s->M, s->d);
        return PARE_OK;
    }
    int64_t N = s->N;
    PASS(push_system_gram(&s->gram, z, ctx, err));
    for (int64_t j = 0; j < N; j++) {
        s->curve(s->loss, s->gram.G + j * N, s->M + j * N);
        s->M[j * N + j] += 1;
    }
    *definite = lu_factor(N, N, s->M, N, s->pivot);
    return PARE_OK;
}

pare_status rank_system_solve(rank_system *s, const double *r, double *dw, const pare_ctx *ctx,
                              pare_error *err) {
    if (s->tall) {
        for (int64_t j = 0; j < s->d; j++) dw[j] = r[j];
        chol_solve('L', s->d, s->M, s->d, dw, 1);
        return PARE_OK;
    }
    push_times_z(s->blocks, s->z, s->d, r, dw);
    PASS(mat_mul(s->x, NULL, s->d, dw, 1, s->f, ctx, err));
    s->curve(s->loss, s->f, s->u);
    lu_solve(false, s->N, s->M, s->N, s->pivot, s->u, s->N, 1);
    PASS(mat_tmul(s->x, s->u, 1, s->back, ctx, err));
    push_times_z(s->blocks, s->z, s->d, s->back, s->back);
    for (int64_t j = 0; j < s->d; j++) dw[j] -= s->back[j];
    return PARE_OK;
}

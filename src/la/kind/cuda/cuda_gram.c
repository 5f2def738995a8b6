/* A diag(z) B' on the device: some columns at a time are transformed into tiles, whose products of
 * GRAM_LEAF columns are summed in order. Columns of weight 0 are left out. */
#include <string.h>

#include "base/error.h"
#include "la/kind/cuda/cuda_operations.h"
#include "la/kind/cuda/cuda_source.h"

typedef struct gram_call {
    cuda_source side[2]; /* of a and b */
    int sides;           /* 1: b is a */
    const double *z;
    const int64_t *active; /* the columns of weight above 0; NULL: all */
    int64_t count, rows[2], pairs;
    cuda_span factor, tile[2], part, sum;
} gram_call;

static int64_t padded(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

static pare_status list_active(gram_call *g, int64_t d, arena *mem, pare_error *err) {
    int64_t *active;
    g->count = d;
    if (!g->z) return PARE_OK;
    PASS_MEM(active = ARENA_NEW(mem, int64_t, d));
    g->count = 0;
    for (int64_t p = 0; p < d; p++)
        if (g->z[p] > 0) active[g->count++] = p;
    g->active = active;
    return PARE_OK;
}

static pare_status make_tile(const gram_call *g, int k, cuda_lane *lane, pare_error *err) {
    const cuda_source *s = &g->side[k];
    PASS(cuda_source_store(s, lane, err));
    cuda_tile_args args = {.x = cuda_source_columns(s, lane),
                           .by = cuda_source_rows(s, lane),
                           .shift = cuda_source_array(s, lane, CUDA_SHIFT),
                           .scale = cuda_source_array(s, lane, CUDA_SCALE),
                           .factor = cuda_at(lane, g->factor),
                           .out = cuda_at(lane, g->tile[k]),
                           .rows = g->rows[k],
                           .columns = padded(s->now, GRAM_LEAF)};
    return cuda_run(lane, CUDA_tile, args.rows * args.columns, &args, err);
}

static pare_status gram_columns(gram_call *g, cuda_lane *lane, const cuda_plan *plan, int64_t from,
                                int64_t count, int threads, pare_error *err) {
    double *factor = cuda_host(lane, g->factor);
    for (int64_t p = 0; g->z && p < count; p++) factor[p] = sqrt(g->z[g->active[from + p]]);
    for (int k = 0; k < g->sides; k++)
        PASS(cuda_source_write(&g->side[k], lane, from, count, threads, err));
    PASS(cuda_upload(lane, plan->inputs, err));
    for (int k = 0; k < g->sides; k++) PASS(make_tile(g, k, lane, err));
    int64_t parts = padded(count, GRAM_LEAF) / GRAM_LEAF, last = g->sides - 1;
    cuda_gram_args args = {.a = cuda_at(lane, g->tile[0]),
                           .b = cuda_at(lane, g->tile[last]),
                           .out = cuda_at(lane, g->part),
                           .rows_a = g->rows[0],
                           .rows_b = g->rows[last],
                           .pairs = g->pairs,
                           .warps = g->pairs * parts,
                           .symmetric = g->sides == 1};
    PASS(cuda_run(lane, CUDA_gram, args.warps * WARP, &args, err));
    int64_t size = g->pairs * TILE_ROWS * TILE_ROWS;
    cuda_sum_args add = {args.out, cuda_at(lane, g->sum), size, parts, from == 0};
    PASS(cuda_run(lane, CUDA_add, size, &add, err));
    return cuda_wait(lane, err);
}

/* K (n_a x n_b, column-major) from its blocks. */
static void take_blocks(const gram_call *g, const cuda_lane *lane, double *K) {
    const double *block = cuda_host(lane, g->sum);
    int64_t na = g->side[0].v->n, nb = g->side[g->sides - 1].v->n;
    for (int64_t row = 0; row < na; row += TILE_ROWS)
        for (int64_t col = 0; col < nb && (g->sides == 2 || col <= row); col += TILE_ROWS) {
            for (int64_t i = row; i < na && i < row + TILE_ROWS; i++)
                for (int64_t j = col; j < nb && j < col + TILE_ROWS; j++)
                    K[j * na + i] = block[(i - row) * TILE_ROWS + j - col];
            block += TILE_ROWS * TILE_ROWS;
        }
    for (int64_t j = 1; g->sides == 1 && j < na; j++)
        for (int64_t i = 0; i < j; i++) K[j * na + i] = K[i * na + j];
}

static pare_status run(gram_call *g, double *K, int threads, pare_error *err) {
    int64_t across = g->rows[g->sides - 1] / TILE_ROWS, down = g->rows[0] / TILE_ROWS;
    g->pairs = g->sides == 1 ? down * (down + 1) / 2 : down * across;
    int64_t size = g->pairs * TILE_ROWS * TILE_ROWS, rows = g->rows[0];
    if (g->sides == 2) rows += g->rows[1];
    size_t each = sizeof(double) * (size_t)(rows + size / GRAM_LEAF + 1);
    int64_t chunk = cuda_source_chunk(&g->side[0], each, GRAM_LEAF);
    cuda_plan plan = {0};
    cuda_lane *lane;
    pare_status status = PARE_OK;
    g->factor = cuda_plan_input(&plan, g->z ? chunk : 0, sizeof(double));
    for (int k = 0; k < g->sides; k++) {
        cuda_source_plan(&g->side[k], &plan, chunk);
        g->tile[k] = cuda_plan_scratch(&plan, g->rows[k] * chunk, sizeof(double));
    }
    g->part = cuda_plan_scratch(&plan, size * (chunk / GRAM_LEAF), sizeof(double));
    g->sum = cuda_plan_output(&plan, size, sizeof(double));
    TRY(cuda_take(&lane, g->side[0].d, &plan, "a Gram matrix", err));
    for (int64_t from = 0; from < g->count; from += chunk)
        TRY(gram_columns(g, lane, &plan, from, min64(chunk, g->count - from), threads, err));
    TRY(cuda_download(lane, g->sum, err));
    TRY(cuda_wait(lane, err));
    take_blocks(g, lane, K);
done:
    cuda_give(lane);
    return status;
}

pare_status cuda_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                      pare_error *err) {
    const view *of[2] = {a, b};
    arena mem = arena_of(ctx);
    gram_call g = {.sides = b ? 2 : 1, .z = z};
    pare_status status = list_active(&g, a->d, &mem, err);
    if (status != PARE_OK) goto done;
    if (g.count == 0) {
        memset(K, 0, sizeof *K * (size_t)(a->n * (b ? b->n : a->n)));
        goto done;
    }
    for (int k = 0; k < g.sides && of[k]; k++) {
        cuda_source_open(&g.side[k], ctx_device(ctx), of[k], g.active, g.count, CUDA_SCALED);
        g.rows[k] = padded(of[k]->n, TILE_ROWS);
    }
    status = run(&g, K, ctx_threads(ctx), err);
done:
    arena_free(&mem);
    return status;
}

pare_status cuda_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                           const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < count; i++)
        PASS(cuda_gram(&v[i], NULL, z ? z[i] : NULL, K[i], ctx, err));
    return PARE_OK;
}

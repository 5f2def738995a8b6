/* Rows of another matrix, in any order and with repeats, without a copy: every operation composes
 * the view's rows with these and calls that of the other matrix. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/storage.h"

typedef struct row_list {
    matrix of;
    bool own; /* `of` is freed with this one */
    int32_t rows[];
} row_list;

/* *out = the view of the other matrix behind v. Memory from scratch. */
static pare_status compose(view *out, const view *v, arena *scratch, pare_error *err) {
    const row_list *l = v->x->self;
    int32_t *rows = ARENA_NEW(scratch, int32_t, v->n);
    if (!rows) return error_memory(err);
    for (int64_t i = 0; i < v->n; i++) rows[i] = l->rows[v->rows ? v->rows[i] : i];
    *out = *v;
    out->x = &l->of;
    out->rows = rows;
    return PARE_OK;
}

static pare_status rows_gram_many(int64_t count, const view *v, const double *const *z,
                                  double *const *K, const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    view *of = ARENA_NEW(&scratch, view, count);
    TRY_MEM(of);
    for (int64_t i = 0; i < count; i++) TRY(compose(&of[i], &v[i], &scratch, err));
    TRY(mat_gram_many(count, of, z, K, ctx, err));
done:
    arena_free(&scratch);
    return status;
}

static pare_status rows_gram(const view *a, const view *b, const double *z, double *K,
                             const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    view left, right;
    TRY(compose(&left, a, &scratch, err));
    if (b) TRY(compose(&right, b, &scratch, err));
    TRY(mat_gram(&left, b ? &right : NULL, z, K, ctx, err));
done:
    arena_free(&scratch);
    return status;
}

/* status = the call with `of` for v. */
#define THROUGH(v, call)                                                                           \
    arena scratch;                                                                                 \
    arena_init(&scratch, ctx_allocator(ctx));                                                      \
    view of;                                                                                       \
    pare_status status = compose(&of, v, &scratch, err);                                           \
    if (status == PARE_OK) status = (call);                                                        \
    arena_free(&scratch);                                                                          \
    return status

static pare_status rows_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                             const pare_ctx *ctx, pare_error *err) {
    THROUGH(v, (squared ? mat_tmul2 : mat_tmul)(&of, U, c, out, ctx, err));
}

static pare_status rows_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                            double *F, const pare_ctx *ctx, pare_error *err) {
    THROUGH(v, mat_mul(&of, S, s, W, c, F, ctx, err));
}

static pare_status rows_stats(const view *v, const double *weight, col_stats *out,
                              const pare_ctx *ctx, pare_error *err) {
    THROUGH(v, mat_stats(&of, weight, out, ctx, err));
}

static pare_status rows_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    THROUGH(v, mat_compact(out, &of, ctx, err));
}

/* Some rows at a time, so that the composed rows fit on the stack. */
static pare_status rows_load(const matrix *x, const int64_t *base, int64_t count,
                             const int32_t *rows, int64_t n, double *out, pare_error *err) {
    enum { MAX_BLOCK = 512 };
    const row_list *l = x->self;
    int32_t of[MAX_BLOCK];
    for (int64_t from = 0; from < n; from += MAX_BLOCK) {
        int64_t m = min64(MAX_BLOCK, n - from);
        for (int64_t i = 0; i < m; i++) of[i] = l->rows[rows ? rows[from + i] : from + i];
        for (int64_t k = 0; k < count; k++) {
            pare_status status =
                l->of.ops->load(&l->of, &base[k], 1, of, m, out + k * n + from, err);
            if (status != PARE_OK) return status;
        }
    }
    return PARE_OK;
}

/* Turns the walk into one along the other matrix. */
static pare_status rows_walk_open(walk *w, pare_error *err) {
    view *of = ARENA_NEW(&w->mem, view, 1);
    if (!of) return error_memory(err);
    pare_status status = compose(of, w->v, &w->mem, err);
    w->v = of;
    return status == PARE_OK ? walk_begin(w, err) : status;
}

static const matrix *rows_of(const matrix *x) { return &((const row_list *)x->self)->of; }

static bool rows_chain(const matrix *x, entry_chain *by) {
    if (by->rows) return false;
    by->rows = ((const row_list *)x->self)->rows;
    return true;
}

static double rows_stored(const matrix *x) {
    const matrix *of = rows_of(x);
    return mat_stored(of) * (double)x->n / (double)of->n;
}

static void rows_free(matrix *x, const pare_allocator *mem) {
    row_list *l = x->self;
    if (l->own) mat_free(&l->of, mem);
    mem_free(mem, l);
}

static const mat_ops rows_ops = {
    .kind = "rows",
    .of = rows_of,
    .over = rows_of,
    .chain = rows_chain,
    .stored = rows_stored,
    .free = rows_free,
    .load = rows_load,
    .gram = rows_gram,
    .gram_many = rows_gram_many,
    .tmul = rows_tmul,
    .mul = rows_mul,
    .stats = rows_stats,
    .compact = rows_compact,
    .walk_open = rows_walk_open,
};

pare_status mat_rows(matrix *out, const matrix *of, bool own, const int32_t *rows, int64_t n,
                     const pare_allocator *mem, pare_error *err) {
    bool flat = of->ops == &rows_ops && !own; /* rows of rows are rows */
    const row_list *before = flat ? of->self : NULL;
    row_list *l = mem_alloc(mem, (int64_t)sizeof *l + n * (int64_t)sizeof *rows, 1);
    *out = (matrix){0};
    if (!l) return error_memory(err);
    l->of = flat ? before->of : *of;
    l->own = own;
    for (int64_t i = 0; i < n; i++) l->rows[i] = flat ? before->rows[rows[i]] : rows[i];
    matrix made = {&rows_ops, n, of->d, of->missing, l};
    pare_status status = of->missing ? mat_look_for_missing(&made, mem, err) : PARE_OK;
    l->of.missing = made.missing; /* in these rows, the only ones that it shows */
    if (status == PARE_OK)
        *out = made;
    else
        mem_free(mem, l);
    return status;
}

#include "support/passes.h"

#include "la/storage.h"

static view seen(const view *v) {
    view out = *v;
    out.x = &((const passes *)v->x->self)->of;
    return out;
}

/* Folds are fitted at the same time. */
#define COUNT(v, what)                                                                             \
    do {                                                                                           \
        passes *p = (v)->x->self;                                                                  \
        _Pragma("omp atomic") p->what++;                                                           \
    } while (0)

static pare_status count_gram(const view *a, const view *b, const double *z, double *K,
                              const pare_ctx *ctx, pare_error *err) {
    view left = seen(a), right = b ? seen(b) : left;
    COUNT(a, gram);
    return mat_gram(&left, b ? &right : NULL, z, K, ctx, err);
}

static pare_status count_gram_many(int64_t count, const view *v, const double *const *z,
                                   double *const *K, const pare_ctx *ctx, pare_error *err) {
    view *of = mem_alloc(ctx_allocator(ctx), count, sizeof *of);
    if (!of) return PARE_E_MEMORY;
    for (int64_t i = 0; i < count; i++) of[i] = seen(&v[i]);
    COUNT(v, gram_many);
    pare_status status = mat_gram_many(count, of, z, K, ctx, err);
    mem_free(ctx_allocator(ctx), of);
    return status;
}

static pare_status count_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                              const pare_ctx *ctx, pare_error *err) {
    view of = seen(v);
    COUNT(v, tmul);
    return (squared ? mat_tmul2 : mat_tmul)(&of, U, c, out, ctx, err);
}

static pare_status count_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                             double *F, const pare_ctx *ctx, pare_error *err) {
    view of = seen(v);
    COUNT(v, mul);
    return mat_mul(&of, S, s, W, c, F, ctx, err);
}

static pare_status count_stats(const view *v, const double *weight, col_stats *out,
                               const pare_ctx *ctx, pare_error *err) {
    view of = seen(v);
    COUNT(v, stats);
    return mat_stats(&of, weight, out, ctx, err);
}

static pare_status count_compact(matrix *out, const view *v, const pare_ctx *ctx, pare_error *err) {
    view of = seen(v);
    COUNT(v, compact);
    return mat_compact(out, &of, ctx, err);
}

static pare_status count_walk(walk *w, pare_error *err) {
    view *of = ARENA_NEW(&w->mem, view, 1);
    if (!of) return PARE_E_MEMORY;
    COUNT(w->v, walks);
    *of = seen(w->v);
    w->v = of;
    return walk_begin(w, err);
}

static const matrix *shown(const matrix *x) { return &((const passes *)x->self)->of; }
static double stored(const matrix *x) { return mat_stored(shown(x)); }

static void count_free(matrix *x, const pare_allocator *mem) {
    mat_free(&((passes *)x->self)->of, mem);
}

static const mat_ops count_ops = {
    .kind = "counting",
    .of = shown,
    .stored = stored,
    .free = count_free,
    .gram = count_gram,
    .gram_many = count_gram_many,
    .tmul = count_tmul,
    .mul = count_mul,
    .stats = count_stats,
    .compact = count_compact,
    .walk_open = count_walk,
};

void passes_count(passes *p, pare_data *data) {
    *p = (passes){.of = data->x};
    data->x.ops = &count_ops;
    data->x.self = p;
}

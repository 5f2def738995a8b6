/* Two matrices with the same rows next to each other: columns j < d_left are those of the left one,
 * the others those of the right one. Every operation runs on each matrix with its own columns;
 * nothing is copied. */
#include <string.h>

#include "base/error.h"
#include "la/storage.h"

typedef struct pair {
    matrix left, right; /* right is freed with this one */
} pair;

/* The columns of a view that are in one of the two matrices. */
typedef struct half {
    view v;
    int64_t count, *at; /* the places of its columns in the whole view */
} half;

static const pair *pair_of(const matrix *x) { return x->self; }

/* out[0] and out[1] = the views of left and right behind v; S: columns of v, NULL: all s of
 * them. */
static pare_status split(half out[2], const view *v, const int64_t *S, int64_t s, arena *mem,
                         pare_error *err) {
    const pair *of = pair_of(v->x);
    int64_t d = of->left.d, *cols[2];
    for (int h = 0; h < 2; h++) {
        int64_t from = h == 0 ? 0 : d;
        out[h] = (half){.v = *v};
        out[h].v.x = h == 0 ? &of->left : &of->right;
        out[h].v.shift = v->shift ? v->shift + from : NULL;
        out[h].v.scale = v->scale ? v->scale + from : NULL;
        out[h].v.fill = v->fill ? v->fill + from : NULL;
        cols[h] = ARENA_NEW(mem, int64_t, s);
        out[h].at = ARENA_NEW(mem, int64_t, s);
        if (!cols[h] || !out[h].at) return error_memory(err);
        out[h].v.cols = cols[h];
    }
    for (int64_t p = 0; p < s; p++) {
        int64_t base = view_base(v, S ? S[p] : p);
        int h = base >= d;
        cols[h][out[h].count] = base - (h ? d : 0);
        out[h].at[out[h].count++] = p;
    }
    for (int h = 0; h < 2; h++) out[h].v.d = out[h].count;
    return PARE_OK;
}

/* The weights of the half's columns; NULL: ones, or no memory. */
static double *part_of(const half *h, const double *z, arena *mem) {
    double *out = z ? ARENA_NEW(mem, double, h->count) : NULL;
    for (int64_t i = 0; out && i < h->count; i++) out[i] = z[h->at[i]];
    return out;
}

/* K += the half's Gram; K is 0 before the first one. more: scratch of its size. */
static pare_status add_gram(double *K, double *more, const half *a, const half *b, const double *z,
                            arena *mem, const pare_ctx *ctx, pare_error *err) {
    if (a->count == 0) return PARE_OK;
    double *own = part_of(a, z, mem);
    if (z && !own) return error_memory(err);
    pare_status status = mat_gram(&a->v, b ? &b->v : NULL, own, more, ctx, err);
    int64_t size = a->v.n * (b ? b->v.n : a->v.n);
    for (int64_t e = 0; e < size && status == PARE_OK; e++) K[e] += more[e];
    return status;
}

static pare_status hstack_gram(const view *a, const view *b, const double *z, double *K,
                               const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    half of_a[2], of_b[2];
    int64_t size = a->n * (b ? b->n : a->n);
    double *more = ARENA_NEW(&mem, double, size);
    TRY_MEM(more);
    TRY(split(of_a, a, NULL, a->d, &mem, err));
    if (b) TRY(split(of_b, b, NULL, b->d, &mem, err));
    memset(K, 0, sizeof *K * (size_t)size);
    for (int h = 0; h < 2; h++)
        TRY(add_gram(K, more, &of_a[h], b ? &of_b[h] : NULL, z, &mem, ctx, err));
done:
    arena_free(&mem);
    return status;
}

/* The left Grams in one pass, as they may be large; the right ones one after the other. */
static pare_status hstack_gram_many(int64_t count, const view *v, const double *const *z,
                                    double *const *K, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t most = 0;
    half(*of)[2] = arena_alloc(&mem, count, sizeof *of);
    view *left = ARENA_NEW(&mem, view, count);
    const double **own = ARENA_NEW(&mem, const double *, count);
    TRY_MEM(of && left && own);
    for (int64_t i = 0; i < count; i++) {
        TRY(split(of[i], &v[i], NULL, v[i].d, &mem, err));
        left[i] = of[i][0].v;
        left[i].cols = of[0][0].v.cols; /* the same for all */
        own[i] = part_of(&of[i][0], z ? z[i] : NULL, &mem);
        if (z && z[i]) TRY_MEM(own[i]);
        most = max64(most, v[i].n);
    }
    double *more = ARENA_NEW(&mem, double, most *most);
    TRY_MEM(more);
    if (of[0][0].count > 0) TRY(mat_gram_many(count, left, own, K, ctx, err));
    for (int64_t i = 0; i < count; i++) {
        if (of[0][0].count == 0) memset(K[i], 0, sizeof **K * (size_t)(v[i].n * v[i].n));
        TRY(add_gram(K[i], more, &of[i][1], NULL, z ? z[i] : NULL, &mem, ctx, err));
    }
done:
    arena_free(&mem);
    return status;
}

static pare_status hstack_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                               const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    half of[2];
    double *own;
    TRY(split(of, v, NULL, v->d, &mem, err));
    for (int h = 0; h < 2; h++) {
        int64_t count = of[h].count;
        if (count == 0) continue;
        TRY_MEM(own = ARENA_NEW(&mem, double, count *c));
        TRY((squared ? mat_tmul2 : mat_tmul)(&of[h].v, U, c, own, ctx, err));
        for (int64_t k = 0; k < c; k++)
            for (int64_t i = 0; i < count; i++) out[k * v->d + of[h].at[i]] = own[k * count + i];
    }
done:
    arena_free(&mem);
    return status;
}

static pare_status hstack_mul(const view *v, const int64_t *S, int64_t s, const double *W,
                              int64_t c, double *F, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    half of[2];
    double *own, *part = ARENA_NEW(&mem, double, v->n *c);
    TRY_MEM(part);
    TRY(split(of, v, S, s, &mem, err));
    memset(F, 0, sizeof *F * (size_t)(v->n * c));
    for (int h = 0; h < 2; h++) {
        int64_t count = of[h].count;
        if (count == 0) continue;
        TRY_MEM(own = ARENA_NEW(&mem, double, count *c));
        for (int64_t k = 0; k < c; k++)
            for (int64_t i = 0; i < count; i++) own[k * count + i] = W[k * s + of[h].at[i]];
        TRY(mat_mul(&of[h].v, NULL, count, own, c, part, ctx, err));
        for (int64_t e = 0; e < v->n * c; e++) F[e] += part[e];
    }
done:
    arena_free(&mem);
    return status;
}

static pare_status hstack_stats(const view *v, const double *weight, col_stats *out,
                                const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    half of[2];
    col_stats *own;
    TRY(split(of, v, NULL, v->d, &mem, err));
    for (int h = 0; h < 2; h++) {
        TRY_MEM(own = ARENA_NEW(&mem, col_stats, of[h].count));
        if (of[h].count > 0) TRY(mat_stats(&of[h].v, weight, own, ctx, err));
        for (int64_t i = 0; i < of[h].count; i++) out[of[h].at[i]] = own[i];
    }
done:
    arena_free(&mem);
    return status;
}

/* A walk along each matrix, on the requested columns. */
typedef struct pair_walk {
    view v[2];
    walk in[2];
} pair_walk;

static pare_status hstack_walk_open(walk *w, pare_error *err) {
    const pair *of = pair_of(w->v->x);
    int64_t d = of->left.d;
    pair_walk *s = w->self = ARENA_ZERO(&w->mem, pair_walk, 1);
    if (!s) return error_memory(err);
    for (int h = 0; h < 2; h++) {
        const matrix *x = h == 0 ? &of->left : &of->right;
        int64_t from = h == 0 ? 0 : d;
        s->v[h] = *w->v;
        s->v[h].x = x;
        s->v[h].cols = NULL;
        s->v[h].d = x->d;
        s->v[h].shift = w->v->shift ? w->v->shift + from : NULL;
        s->v[h].scale = w->v->scale ? w->v->scale + from : NULL;
        s->v[h].fill = w->v->fill ? w->v->fill + from : NULL;
        s->in[h] = (walk){.v = &s->v[h], .stop = x->d, .mem = w->mem};
        pare_status status = walk_begin(&s->in[h], err);
        w->mem = s->in[h].mem; /* its memory is freed with the walk */
        if (status != PARE_OK) return status;
    }
    return PARE_OK;
}

static pare_status hstack_column(walk *w, int64_t j, column *out, pare_error *err) {
    pair_walk *s = w->self;
    int64_t base = view_base(w->v, j), d = pair_of(w->v->x)->left.d;
    walk *in = &s->in[base >= d];
    if (walk_at(in, base >= d ? base - d : base, out)) return PARE_OK;
    if (err) *err = in->error;
    return in->status;
}

static pare_status hstack_load(const matrix *x, const int64_t *base, int64_t count,
                               const int32_t *rows, int64_t n, double *out, pare_error *err) {
    const pair *of = pair_of(x);
    pare_status status = PARE_OK;
    for (int64_t k = 0; k < count && status == PARE_OK; k++) {
        bool right = base[k] >= of->left.d;
        const matrix *from = right ? &of->right : &of->left;
        int64_t j = right ? base[k] - of->left.d : base[k];
        status = from->ops->load(from, &j, 1, rows, n, out + k * n, err);
    }
    return status;
}

static const matrix *hstack_of(const matrix *x) { return &pair_of(x)->left; }
static double hstack_stored(const matrix *x) {
    return mat_stored(&pair_of(x)->left) + mat_stored(&pair_of(x)->right);
}

static void hstack_free(matrix *x, const pare_allocator *mem) {
    pair *of = x->self;
    mat_free(&of->right, mem);
    mem_free(mem, of);
}

#define HSTACK                                                                                     \
    .kind = "beside", .of = hstack_of, .stored = hstack_stored, .free = hstack_free,               \
    .load = hstack_load, .gram = hstack_gram, .gram_many = hstack_gram_many, .tmul = hstack_tmul,  \
    .mul = hstack_mul, .stats = hstack_stats, .walk_open = hstack_walk_open,                       \
    .column = hstack_column
static const mat_ops sparse_ops = {HSTACK, .compact = mat_compact_sparse};
static const mat_ops dense_ops = {HSTACK};

pare_status mat_hstack(matrix *out, const matrix *left, matrix *right, const pare_allocator *mem,
                       pare_error *err) {
    pair *of = mem_alloc(mem, 1, sizeof *of);
    if (!of) {
        mat_free(right, mem);
        return error_memory(err);
    }
    *of = (pair){*left, *right};
    *right = (matrix){0};
    const mat_ops *ops = mat_is_sparse(left) ? &sparse_ops : &dense_ops;
    *out = (matrix){ops, left->n, left->d + of->right.d, left->missing || of->right.missing, of};
    return PARE_OK;
}

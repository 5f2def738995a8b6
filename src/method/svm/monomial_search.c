#include "method/svm/monomial_search.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"

enum {
    CHUNKS = 16, /* of first factors, in turn: what is summed in one does not depend on threads */
    BLOCK = 256  /* children whose columns a worker has at once */
};
static const int64_t MAX_NODES = 1000000000; /* ten minutes of one processor for 200 samples */

/* A node with children and their statistics, d each. */
typedef struct level {
    double *phi;    /* n: the node's values */
    double *side;   /* n x (steps + 1): duals and weights times phi */
    double *dot;    /* d x (steps + 1): the children's sums of these */
    double *far;    /* d x steps: of their sizes times M^r, where children have children */
    double *square; /* d: |phi_T|^2 */
    double *reach;  /* d: its bound below */
} level;

/* What is found below the first factors of a chunk. */
typedef struct chunk {
    found_monomial *found;
    int64_t count, capacity;
    double total;
    double *K; /* n x n, or NULL */
} chunk;

typedef struct worker {
    struct tree *t;
    arena mem;
    level level[MONOMIAL_DEGREE_MAX + 1];
    double *power;      /* n */
    double *block, *KK; /* n x BLOCK, n x n: for a Gram */
    int64_t of[MONOMIAL_DEGREE_MAX];
    chunk *own;
    bool failed;
} worker;

typedef struct tree {
    const monomial_search *s;
    int64_t depth;                 /* of the search */
    double least;                  /* part */
    double *squared, *size, *most; /* n x d: x^2, |x|, and M_i of the factors from j on */
    double weight;                 /* of all samples */
    double orders;                 /* degree! */
    bool keeps, grams;             /* else parts are only summed */
    const pare_ctx *ctx;
    atomic_llong nodes, kept;
    atomic_bool full, stop;
    interruption why;
} tree;

/* Doubles the room of a chunk; the caller's allocator takes one thread at a time. A critical section
 * with a name would export a symbol. */
static bool grow(chunk *own, const pare_ctx *ctx) {
    int64_t capacity = 2 * own->capacity + 64;
    bool fine;
#pragma omp critical
    fine = mem_resize(ctx_allocator(ctx), &own->found, capacity, sizeof *own->found);
    if (fine) own->capacity = capacity;
    return fine;
}

static bool keep(worker *w, int p, double z, double part) {
    chunk *own = w->own;
    if (own->count == own->capacity && !grow(own, w->t->ctx)) return false;
    own->found[own->count++] = (found_monomial){monomial_number(w->t->s->d, w->of, p), z, part};
    return true;
}

/* z of m orders by the sums g of its steps, stride apart. */
static double factor_of(const tree *t, double m, const double *g, int64_t stride) {
    double z = m;
    for (int64_t k = 0; k < t->s->steps; k++) z = z * z / m * fabs(g[k * stride]);
    return z;
}

/* Sums over the samples of the node's values times those of each factor from `first` on. */
static void sum_children(worker *w, level *l, int64_t first, int64_t left) {
    const tree *t = w->t;
    const monomial_search *s = t->s;
    int64_t n = s->n, wide = s->d - first, steps = s->steps;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < steps; k++) l->side[k * n + i] = s->duals[k * n + i] * l->phi[i];
        l->side[steps * n + i] = s->weight[i] * l->phi[i];
        w->power[i] = l->phi[i] * l->phi[i];
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)wide, (int)steps + 1, (int)n, 1,
                s->x + first * n, (int)n, l->side, (int)n, 0, l->dot, (int)s->d);
    cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)wide, 1, t->squared + first * n, (int)n,
                w->power, 1, 0, l->square, 1);
    if (left == 0) return;
    for (int64_t i = 0; i < n; i++) {
        double most = pow(t->most[first * n + i], (double)left);
        for (int64_t k = 0; k < steps; k++) l->side[k * n + i] = fabs(l->side[k * n + i]) * most;
        w->power[i] *= most * most;
    }
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)wide, (int)steps, (int)n, 1,
                t->size + first * n, (int)n, l->side, (int)n, 0, l->far, (int)s->d);
    cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)wide, 1, t->squared + first * n, (int)n,
                w->power, 1, 0, l->reach, 1);
}

static void poll(tree *t) {
    if (omp_get_thread_num() != 0) return;
    t->why = ctx_poll(t->ctx, "monomials", -1);
    if (t->why != INTERRUPT_NONE) atomic_store(&t->stop, true);
}

/* The part of child j of a node of p factors, and its z. */
static double part_of(worker *w, const level *l, int p, int64_t first, int64_t j, double *z) {
    const tree *t = w->t;
    int64_t at = j - first, d = t->s->d;
    w->of[p] = j;
    double m = monomial_multiplicity(w->of, p + 1), mean = l->dot[t->s->steps * d + at];
    *z = factor_of(t, m, l->dot + at, d);
    return *z * *z / m * fmax(l->square[at] - mean * mean / t->weight, 0);
}

/* sum_j z_j^2 / m_j (phi.x_j) (phi.x_j)' = phi phi' . X diag(z^2 / m) X' over the children. */
static void add_gram(worker *w, const level *l, int p, int64_t first) {
    const monomial_search *s = w->t->s;
    int64_t n = s->n, count = 0;
    bool any = false;
    for (int64_t j = first; j < s->d; j++) {
        double z, part = part_of(w, l, p, first, j, &z);
        if (part >= w->t->least) {
            double root = z / sqrt(monomial_multiplicity(w->of, p + 1));
            for (int64_t i = 0; i < n; i++) w->block[count * n + i] = root * s->x[j * n + i];
            count++;
        }
        if (count == 0 || (count < BLOCK && j + 1 < s->d)) continue;
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)count, 1, w->block,
                    (int)n, any ? 1 : 0, w->KK, (int)n);
        any = true;
        count = 0;
    }
    if (!any) return;
    for (int64_t b = 0; b < n; b++)
        for (int64_t a = b; a < n; a++)
            w->own->K[b * n + a] += w->KK[b * n + a] * l->phi[a] * l->phi[b];
}

/* The children of a node of p factors, whose values are in level p. */
static void descend(worker *w, int p) {
    tree *t = w->t;
    const monomial_search *s = t->s;
    level *l = &w->level[p];
    int64_t n = s->n, first = p > 0 ? w->of[p - 1] : 0, left = t->depth - p - 1;
    if (atomic_fetch_add(&t->nodes, s->d - first) > MAX_NODES) atomic_store(&t->stop, true);
    if (p < t->depth - 1 || p == 1) poll(t);
    if (atomic_load(&t->stop)) return;
    sum_children(w, l, first, left);
    if (t->grams) add_gram(w, l, p, first);
    for (int64_t j = first; j < s->d && !w->failed; j++) {
        double z, part = part_of(w, l, p, first, j, &z);
        w->own->total += part;
        if (t->keeps && part >= t->least && !atomic_load(&t->full)) {
            w->failed |= !keep(w, p + 1, z, part);
            if ((double)atomic_fetch_add(&t->kept, 1) * sizeof(found_monomial) > s->limit)
                atomic_store(&t->full, true);
        }
        if (left == 0) continue;
        double far = factor_of(t, t->orders, l->far + (j - first), s->d);
        if (far * far / t->orders * l->reach[j - first] < t->least) continue;
        for (int64_t i = 0; i < n; i++) w->level[p + 1].phi[i] = l->phi[i] * s->x[j * n + i];
        descend(w, p + 1);
    }
}

/* --- the search --- */

static pare_status make_worker(worker *w, tree *t, pare_error *err) {
    const monomial_search *s = t->s;
    int64_t n = s->n, d = s->d;
    *w = (worker){.t = t};
    arena_init(&w->mem, ctx_allocator(t->ctx));
    PASS_MEM(w->power = ARENA_NEW(&w->mem, double, n));
    if (t->grams) PASS_MEM(w->block = ARENA_NEW(&w->mem, double, n *(d < BLOCK ? d : BLOCK)));
    if (t->grams) PASS_MEM(w->KK = ARENA_NEW(&w->mem, double, n *n));
    for (int64_t p = 0; p < t->depth; p++) {
        level *l = &w->level[p];
        PASS_MEM(l->phi = ARENA_NEW(&w->mem, double, n));
        PASS_MEM(l->side = ARENA_NEW(&w->mem, double, n *(s->steps + 1)));
        PASS_MEM(l->dot = ARENA_NEW(&w->mem, double, d *(s->steps + 1)));
        PASS_MEM(l->far = ARENA_NEW(&w->mem, double, d * s->steps));
        PASS_MEM(ARENA_NEWS(&w->mem, double, d, &l->square, &l->reach));
    }
    return PARE_OK;
}

/* The subtrees of the first factors of a chunk; the last chunk is the factors themselves. */
static void search_chunk(worker *w, chunk *own, int64_t which) {
    tree *t = w->t;
    const monomial_search *s = t->s;
    w->own = own;
    own->count = 0;
    own->total = 0;
    if (own->K) memset(own->K, 0, sizeof *own->K * (size_t)(s->n * s->n));
    for (int64_t root = which; which < CHUNKS && root < s->d && t->depth > 1; root += CHUNKS) {
        w->of[0] = root;
        memcpy(w->level[1].phi, s->x + root * s->n, sizeof(double) * (size_t)s->n);
        descend(w, 1);
    }
}

static void search_factors(worker *w, chunk *own) {
    tree *t = w->t;
    int64_t depth = t->depth;
    search_chunk(w, own, CHUNKS);
    t->depth = 1;
    for (int64_t i = 0; i < t->s->n; i++) w->level[0].phi[i] = 1;
    descend(w, 0);
    t->depth = depth;
}

static pare_status say_stop(const tree *t, pare_error *err) {
    if (t->why == INTERRUPT_TIME)
        return error_set(err, PARE_E_DATA, "the time limit came while monomials were searched");
    if (t->why != INTERRUPT_NONE)
        return error_set(err, PARE_E_CANCELLED, "stopped while monomials were searched");
    return error_set(err, PARE_E_MEMORY,
                     "`degree`: more than %lld products of features would be computed; use a "
                     "smaller `degree` or fewer features",
                     (long long)MAX_NODES);
}

/* CHUNKS + 1 chunks. */
static pare_status search(chunk *all, tree *t, pare_error *err) {
    int threads = ctx_threads(t->ctx), made = 0;
    bool failed = false;
    pare_status status = PARE_OK;
    worker *w = mem_zero(ctx_allocator(t->ctx), threads, sizeof *w);
    TRY_MEM(w);
    for (; made < threads; made++) TRY(make_worker(&w[made], t, err));
    atomic_store(&t->nodes, 0);
    atomic_store(&t->kept, 0);
    atomic_store(&t->full, false);
    search_factors(&w[0], &all[CHUNKS]);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t which = 0; which < CHUNKS; which++)
        search_chunk(&w[omp_get_thread_num()], &all[which], which);
    for (int k = 0; k < threads; k++) failed |= w[k].failed;
    if (failed)
        status = error_memory(err);
    else if (atomic_load(&t->stop))
        status = say_stop(t, err);
done:
    for (int k = 0; w && k < threads; k++)
        if (w[k].t) arena_free(&w[k].mem);
    mem_free(ctx_allocator(t->ctx), w);
    return status;
}

static int by_number(const void *pa, const void *pb) {
    const found_monomial *a = pa, *b = pb;
    return order_index(a->number, b->number);
}

/* x^2, |x| and the largest of 1 and |x| from each factor on. */
static pare_status open_tree(tree *t, const monomial_search *s, arena *mem, const pare_ctx *ctx,
                             pare_error *err) {
    int64_t n = s->n, size = n * s->d;
    *t = (tree){.s = s, .ctx = ctx, .depth = s->degree, .orders = 1};
    t->squared = ARENA_NEW(mem, double, size);
    t->size = ARENA_NEW(mem, double, size);
    t->most = ARENA_NEW(mem, double, size);
    if (!t->squared || !t->size || !t->most) return error_memory(err);
    for (int64_t e = 0; e < size; e++) {
        t->squared[e] = s->x[e] * s->x[e];
        t->size[e] = fabs(s->x[e]);
    }
    for (int64_t j = s->d - 1; j >= 0; j--)
        for (int64_t i = 0; i < n; i++)
            t->most[j * n + i] =
                fmax(j + 1 < s->d ? t->most[(j + 1) * n + i] : 1, t->size[j * n + i]);
    for (int64_t i = 0; i < n; i++) t->weight += s->weight[i];
    for (int64_t k = 2; k <= s->degree; k++) t->orders *= (double)k;
    return PARE_OK;
}

static double total_of(const chunk *all) {
    double sum = 0;
    for (int k = 0; k <= CHUNKS; k++) sum += all[k].total;
    return sum;
}

/* Those of the least share of the total, by number. */
static pare_status gather(found_monomial **found, int64_t *count, const chunk *all, double least,
                          const pare_ctx *ctx, pare_error *err) {
    int64_t capacity = 0, kept = 0;
    for (int k = 0; k <= CHUNKS; k++) capacity += all[k].count;
    found_monomial *list = *found = mem_alloc(ctx_allocator(ctx), capacity, sizeof *list);
    if (!list) return error_memory(err);
    for (int k = 0; k <= CHUNKS; k++)
        for (int64_t i = 0; i < all[k].count; i++)
            if (all[k].found[i].part >= least) list[kept++] = all[k].found[i];
    qsort(list, (size_t)kept, sizeof *list, by_number);
    *count = kept;
    return PARE_OK;
}

pare_status monomial_search_run(found_monomial **found, int64_t *count, double *total, bool *full,
                                const monomial_search *s, const pare_ctx *ctx, pare_error *err) {
    chunk all[CHUNKS + 1] = {{0}};
    tree t;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    *found = NULL;
    *count = 0;
    TRY(open_tree(&t, s, &mem, ctx, err));
    t.depth = s->degree < 2 ? s->degree : 2; /* what these alone sum up to */
    TRY(search(all, &t, err));
    t.least = fmax(s->least * total_of(all), 1e-300);
    t.depth = s->degree;
    t.keeps = true;
    TRY(search(all, &t, err));
    *total = total_of(all);
    *full = atomic_load(&t.full);
    if (!*full) TRY(gather(found, count, all, s->least * *total, ctx, err));
done:
    for (int k = 0; k <= CHUNKS; k++) mem_free(ctx_allocator(ctx), all[k].found);
    arena_free(&mem);
    return status;
}

pare_status monomial_search_gram(double *K, double total, const monomial_search *s,
                                 const pare_ctx *ctx, pare_error *err) {
    int64_t n = s->n;
    double chunks = CHUNKS + 1 + ctx_threads(ctx);
    chunk all[CHUNKS + 1] = {{0}};
    tree t;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * chunks * (double)n * (double)n,
                         "the Gram matrices of the monomials", err));
    TRY(open_tree(&t, s, &mem, ctx, err));
    for (int k = 0; k <= CHUNKS; k++) TRY_MEM(all[k].K = ARENA_NEW(&mem, double, n *n));
    t.least = fmax(s->least * total, 1e-300);
    t.grams = true;
    TRY(search(all, &t, err));
    for (int64_t b = 0; b < n; b++)
        for (int64_t a = b; a < n; a++) {
            double sum = 0;
            for (int k = 0; k <= CHUNKS; k++) sum += all[k].K[b * n + a];
            K[a * n + b] = K[b * n + a] = sum;
        }
done:
    arena_free(&mem);
    return status;
}

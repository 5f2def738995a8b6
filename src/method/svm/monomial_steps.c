#include "method/svm/monomial_steps.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/context.h"
#include "base/error.h"
#include "method/svm/gram_svm.h"
#include "method/svm/monomial_search.h"
#include "solve/kernel/kernel_sum.h"
#include "task/class_weight.h"

static const double MIN_SHARE = 1e-10;   /* as in arom.c */
static const double INNER_TOL = 1e-4;    /* likewise */
static const double MAX_PRODUCTS = 5e12; /* of the second Gram: a quarter of an hour */
static const double FOR_COLUMNS = 0.5;   /* of the memory limit */
static const double FOR_LIST = 0.25;
enum { TILE = 256, MAX_STEPS = 100, MAX_DUALS = 8 };

typedef struct stepper {
    const pare_data *data;
    const poly_arom_settings *set;
    fit_job job;
    fit_result notes; /* of the SVMs: the fit that follows writes its own */
    gram_svm svm;
    int64_t n, d;
    double *x, *weight; /* n x d, n */
    double *K;          /* n x n */
    double *duals;      /* n x MAX_DUALS: of the steps until there is a list */
    int64_t steps;
    double *tile, *scaled; /* n x TILE */
    found_monomial *found;
    int64_t count;
    double total;
    arena mem;
    const pare_ctx *ctx;
} stepper;

static pare_status open_steps(stepper *s, const target *y, const all_settings *set, view *x,
                              pare_error *err) {
    const pare_data *data = s->data;
    int64_t n = s->n, d = s->d;
    double total;
    const double *weight;
    PASS(class_weight_apply(&weight, &s->mem, y, data->weight, n, set->common.class_weight, err));
    PASS_MEM(s->weight = fit_weights(&s->mem, weight, n, &total));
    PASS_MEM(s->x = ARENA_NEW(&s->mem, double, n *d));
    PASS_MEM(s->K = ARENA_NEW(&s->mem, double, n *n));
    PASS_MEM(s->duals = ARENA_NEW(&s->mem, double, n *MAX_DUALS));
    PASS_MEM(ARENA_NEWS(&s->mem, double, n *TILE, &s->tile, &s->scaled));
    PASS(monomials_factors(s->x, &data->x, s->ctx, err));
    *x = view_all(&data->x);
    s->job = (fit_job){.x = x, .y = y, .weight = weight, .set = set};
    PASS(gram_svm_init(&s->svm, &s->mem, &s->job, s->set->multiclass, err));
    s->svm.ridge = s->set->ridge;
    s->svm.tol_rel = fmax(INNER_TOL * s->set->tol, 1e-12);
    return PARE_OK;
}

/* The SVM on K, which is centred here; an automatic ridge keeps its weight, as in arom.c. */
static pare_status solve(stepper *s, double *dual, const char *what, pare_error *err) {
    pare_outcome stop;
    PASS(kernel_sum_centre(s->K, s->weight, s->n, s->ctx, err));
    if (s->set->ridge == 0 && s->svm.ridge > 0)
        s->svm.ridge = fmax(s->svm.ridge, gram_auto_ridge(&s->svm, s->K));
    PASS(gram_svm_solve_anyhow(&s->svm, &s->notes, s->K, s->ctx, err));
    if (ctx_stops(s->ctx, "poly-arom", -1, &stop) || s->svm.outcome > PARE_MAX_ITER)
        return error_set(err, PARE_E_CANCELLED, "stopped before the monomials were chosen");
    ctx_log(s->ctx, PARE_LOG_DEBUG, "poly-arom %s: objective %.9g", what, s->svm.objective);
    memcpy(dual, s->svm.U, sizeof *dual * (size_t)s->n);
    return PARE_OK;
}

/* --- Grams without monomials --- */

static double powers(double product, int64_t degree) {
    double sum = 0;
    for (int64_t t = 0; t < degree; t++) sum = (sum + 1) * product;
    return sum;
}

static void first_gram(stepper *s) {
    int64_t n = s->n;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)s->d, 1, s->x, (int)n, 0,
                s->K, (int)n);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++)
            s->K[b * n + a] = s->K[a * n + b] = powers(s->K[b * n + a], s->set->degree);
}

/* Columns a, a+1, ... of `wide` pairs (by number) of the rows `row` of x, times each other. */
static void pair_products(double *out, const stepper *s, const int64_t *row, int64_t pair,
                          int64_t wide) {
    int64_t a = (int64_t)((sqrt(8.0 * (double)pair + 1) - 1) / 2);
    while ((a + 1) * (a + 2) / 2 <= pair) a++;
    while (a * (a + 1) / 2 > pair) a--;
    int64_t b = pair - a * (a + 1) / 2;
    for (int64_t e = 0; e < wide; e++) {
        for (int64_t j = 0; j < s->d; j++)
            out[e * s->d + j] = s->x[j * s->n + row[a]] * s->x[j * s->n + row[b]];
        if (++b > a) {
            a++;
            b = 0;
        }
    }
}

typedef struct pair_block {
    double *left, *right, *product; /* d x TILE twice, TILE x TILE */
    double *weight;                 /* TILE */
} pair_block;

/* sums (wide) += over all pairs of support vectors. */
static void add_pairs(double *sums, const stepper *s, pair_block *w, const int64_t *vector,
                      int64_t n_vectors, int64_t wide) {
    int64_t pairs = n_vectors * (n_vectors + 1) / 2, degree = s->set->degree, d = s->d;
    int64_t a = 0, b = 0;
    for (int64_t first = 0; first < pairs; first += TILE) {
        int64_t count = pairs - first < TILE ? pairs - first : TILE;
        pair_products(w->left, s, vector, first, count);
        for (int64_t e = 0; e < count; e++) {
            w->weight[e] = s->duals[vector[a]] * s->duals[vector[b]] * (a == b ? 1 : 2);
            if (++b > a) {
                a++;
                b = 0;
            }
        }
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)count, (int)wide, (int)d, 1,
                    w->left, (int)d, w->right, (int)d, 0, w->product, TILE);
        for (int64_t q = 0; q < wide; q++) {
            double sum = 0, *product = w->product + q * TILE;
            for (int64_t e = 0; e < count; e++) sum += w->weight[e] * powers(product[e], degree);
            sums[q] += sum;
        }
    }
}

static int64_t support_vectors(const stepper *s, int64_t *vector) {
    int64_t count = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (s->duals[i] != 0) vector[count++] = i;
    return count;
}

/* Blocks of pairs of samples are dealt out; a sum does not depend on its thread. */
static pare_status second_gram(stepper *s, const int64_t *vector, int64_t n_vectors,
                               pare_error *err) {
    int64_t n = s->n, pairs = n * (n + 1) / 2, blocks = (pairs + TILE - 1) / TILE;
    int threads = ctx_threads(s->ctx);
    arena mem;
    arena_init(&mem, ctx_allocator(s->ctx));
    pare_status status = PARE_OK;
    int64_t *all = ARENA_NEW(&mem, int64_t, n);
    double *sums = ARENA_ZERO(&mem, double, blocks *TILE);
    pair_block *work = ARENA_ZERO(&mem, pair_block, threads);
    TRY_MEM(all && sums && work);
    for (int t = 0; t < threads; t++) {
        TRY_MEM(work[t].left = ARENA_NEW(&mem, double, s->d *TILE));
        TRY_MEM(work[t].right = ARENA_NEW(&mem, double, s->d *TILE));
        TRY_MEM(work[t].product = ARENA_NEW(&mem, double, TILE *TILE));
        TRY_MEM(work[t].weight = ARENA_NEW(&mem, double, TILE));
    }
    for (int64_t i = 0; i < n; i++) all[i] = i;
    for (int64_t round = 0; round < blocks; round += threads) {
        int64_t last = round + threads < blocks ? round + threads : blocks;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
        for (int64_t k = round; k < last; k++) {
            int64_t wide = pairs - k * TILE < TILE ? pairs - k * TILE : TILE;
            pair_products(work[k - round].right, s, all, k * TILE, wide);
            add_pairs(sums + k * TILE, s, &work[k - round], vector, n_vectors, wide);
        }
        if (ctx_poll(s->ctx, "monomials", (double)last / (double)blocks) != INTERRUPT_NONE) break;
    }
    for (int64_t a = 0, at = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++, at++) s->K[a * n + b] = s->K[b * n + a] = sums[at];
done:
    arena_free(&mem);
    return status;
}

/* --- steps with columns, a tile at a time --- */

static int64_t make_tile(stepper *s, int64_t first) {
    int64_t count = s->count - first < TILE ? s->count - first : TILE, of[MONOMIAL_DEGREE_MAX];
    for (int64_t e = 0; e < count; e++) {
        int p = monomial_factors(s->d, s->found[first + e].number, of);
        monomial_values(s->tile + e * s->n, s->x, s->n, of, p);
    }
    return count;
}

static double orders_of(const stepper *s, int64_t number) {
    int64_t of[MONOMIAL_DEGREE_MAX];
    int p = monomial_factors(s->d, number, of);
    return monomial_multiplicity(of, p);
}

/* One step of AROM on the list: z <- z^2 / m |g|. */
static pare_status streamed_step(stepper *s, double *dual, pare_error *err) {
    int64_t n = s->n, kept = 0;
    double all = 0;
    memset(s->K, 0, sizeof *s->K * (size_t)(n * n));
    for (int64_t first = 0; first < s->count; first += TILE) {
        int64_t count = make_tile(s, first);
        for (int64_t e = 0; e < count; e++) {
            const found_monomial *one = &s->found[first + e];
            double root = one->z / sqrt(orders_of(s, one->number));
            for (int64_t i = 0; i < n; i++) s->scaled[e * n + i] = root * s->tile[e * n + i];
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)n, (int)count, 1, s->scaled,
                    (int)n, 1, s->K, (int)n);
    }
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < a; b++) s->K[a * n + b] = s->K[b * n + a];
    PASS(solve(s, dual, "streamed step", err));
    for (int64_t i = 0; i < n; i++) all += s->weight[i];
    s->total = 0;
    for (int64_t first = 0; first < s->count; first += TILE) {
        int64_t count = make_tile(s, first);
        for (int64_t e = 0; e < count; e++) {
            found_monomial *one = &s->found[first + e];
            double g = 0, mean = 0, square = 0, m = orders_of(s, one->number);
            for (int64_t i = 0; i < n; i++) {
                double value = s->tile[e * n + i];
                g += dual[i] * value;
                mean += s->weight[i] * value / all;
                square += value * value;
            }
            one->z = one->z * one->z / m * fabs(g);
            one->part = one->z * one->z / m * fmax(square - mean * mean * all, 0);
            s->total += one->part;
        }
    }
    for (int64_t e = 0; e < s->count; e++)
        if (s->found[e].part >= MIN_SHARE * s->total) s->found[kept++] = s->found[e];
    s->count = kept;
    return PARE_OK;
}

/* --- all --- */

static double memory_limit(const pare_ctx *ctx) {
    return ctx && ctx->memory_bytes > 0 ? (double)ctx->memory_bytes : INFINITY;
}

/* The next dual, of the SVM on K. */
static pare_status take_step(stepper *s, const char *what, pare_error *err) {
    return solve(s, s->duals + s->n * s->steps++, what, err);
}

/* Until the list has a place: further steps with the Gram from the tree. */
static pare_status find(stepper *s, pare_error *err) {
    bool full = true;
    while (full) {
        double total;
        monomial_search how = {.n = s->n,
                               .d = s->d,
                               .degree = s->set->degree,
                               .x = s->x,
                               .weight = s->weight,
                               .steps = s->steps,
                               .duals = s->duals,
                               .least = MIN_SHARE,
                               .limit = FOR_LIST * memory_limit(s->ctx)};
        PASS(monomial_search_run(&s->found, &s->count, &total, &full, &how, s->ctx, err));
        if (!full) break;
        if (s->steps == MAX_DUALS)
            return error_set(err, PARE_E_MEMORY,
                             "`degree`: more than %.3g monomials have a part in the solution, "
                             "which is over the memory limit; use a smaller `degree` or fewer "
                             "features",
                             how.limit / (double)sizeof *s->found);
        PASS(monomial_search_gram(s->K, total, &how, s->ctx, err));
        PASS(take_step(s, "step in the tree", err));
    }
    return PARE_OK;
}

static pare_status give(monomial_list **out, const stepper *s, pare_error *err) {
    monomial_list *list = *out = monomial_list_new(s->d, s->count, true, ctx_allocator(s->ctx));
    if (!list) return error_memory(err);
    for (int64_t e = 0; e < s->count; e++) {
        list->number[e] = s->found[e].number;
        list->z[e] = s->found[e].z;
    }
    list->ridge = s->svm.ridge;
    return PARE_OK;
}

pare_status monomial_steps(monomial_list **out, const pare_data *data, const target *y,
                           const all_settings *set, const pare_ctx *ctx, pare_error *err) {
    stepper s = {.data = data, .set = &set->poly_arom, .n = data->x.n, .d = data->x.d, .ctx = ctx};
    double n = (double)s.n, memory = memory_limit(ctx);
    view x;
    *out = NULL;
    arena_init(&s.mem, ctx_allocator(ctx));
    fit_result_init(&s.notes, ctx);
    pare_status status = PARE_OK;
    TRY(ctx_check_memory(ctx, 8 * n * (4 * (double)s.d + 3 * n),
                         "the Gram matrices of the monomials", err));
    TRY(open_steps(&s, y, set, &x, err));
    first_gram(&s); /* 1 */
    TRY(take_step(&s, "step 1", err));
    int64_t *vector = ARENA_NEW(&s.mem, int64_t, s.n);
    TRY_MEM(vector);
    int64_t count = support_vectors(&s, vector);
    double pairs = (double)count * (double)(count + 1) / 2 * n * (n + 1) / 2;
    bool twice = pairs * (double)(s.d + 4 * s.set->degree) <= MAX_PRODUCTS;
    if (twice) { /* 2 */
        TRY(second_gram(&s, vector, count, err));
        TRY(take_step(&s, "step 2", err));
    }
    TRY(find(&s, err)); /* 3 */
    ctx_log(ctx, PARE_LOG_DEBUG, "poly-arom: %lld monomials have a part", (long long)s.count);
    for (int step = 0; step < MAX_STEPS && 8 * n * (double)s.count > FOR_COLUMNS * memory; step++) {
        TRY(streamed_step(&s, s.duals, err)); /* 4 */
        ctx_log(ctx, PARE_LOG_DEBUG, "poly-arom: %lld monomials are left", (long long)s.count);
    }
    TRY(give(out, &s, err));
done:
    mem_free(ctx_allocator(ctx), s.found);
    fit_result_free(&s.notes);
    arena_free(&s.mem);
    return status;
}

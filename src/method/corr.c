/* NAME       corr
 * PAPER      zero-norm section 4.2: correlation scores as a baseline filter.
 * PROBLEM    score_j = (mu+ - mu-)^2 / (s+^2 + s-^2), population variances, weighted; several
 *            classes: the mean over pairs of classes. Zero variance in both classes of a pair and
 *            different means: the feature comes first (its score is the largest double).
 * SYMBOLS    W_k, m_k, v_k: weight, mean and variance of class k in one feature.
 * ALGORITHM  each column on its own, its samples class by class, two passes within the column (means, then
 *            squares about them), only over the entries that are stored. The score does not change with
 *            the scale of a feature: those of dense data are taken as they are stored.
 * COST       1 pass over X; memory O(d + n).
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS the paper has two classes only; the mean over pairs is ours (tests/ref/test_corr.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "method/method.h"

typedef struct class_moments {
    double total; /* weight of the class, the same for every column */
    double listed, mean, var, min, max;
} class_moments;

static double pair_score(const class_moments *a, const class_moments *b) {
    bool exact = a->min == a->max && b->min == b->max; /* variances are then 0 but for rounding */
    if (exact) return a->min == b->min ? 0 : DBL_MAX;
    double ratio = (a->mean - b->mean) / sqrt(a->var + b->var);
    if (isnan(ratio)) return 0; /* numbers so small that nothing is left of them */
    return ratio * ratio < DBL_MAX ? ratio * ratio : DBL_MAX;
}

static void see(class_moments *m, double x) {
    m->min = fmin(m->min, x);
    m->max = fmax(m->max, x);
}

/* The samples class by class; those of sparse data as they are. */
typedef struct by_class {
    view x;
    int64_t c, *start;   /* c + 1: where the classes begin */
    int32_t *cls;        /* n */
    const double *scale; /* of the features; 0: constant, if not to the last bit */
    const double *weight;
} by_class;

static void take_moments(class_moments *m, const col_stats *s) {
    m->mean = s->mean;
    m->var = s->var;
    m->min = s->min;
    m->max = s->max;
}

static void dense_moments(const column *col, const by_class *by, class_moments *m) {
    for (int64_t k = 0; k < by->c; k++) {
        int64_t from = by->start[k], n = by->start[k + 1] - from;
        col_stats s = values_stats(col->value + from, by->weight ? by->weight + from : NULL, n);
        take_moments(&m[k], &s);
    }
}

static void sparse_moments(const column *col, const by_class *by, class_moments *m) {
    const int32_t *cls = by->cls;
    const double *weight = by->weight;
    int64_t c = by->c;
    for (int64_t k = 0; k < c; k++) {
        m[k].listed = m[k].mean = m[k].var = 0;
        m[k].min = INFINITY;
        m[k].max = -INFINITY;
    }
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index[e];
        double w = weight ? weight[i] : 1;
        if (w == 0) continue;
        class_moments *own = &m[cls[i]];
        own->listed += w;
        own->mean += w * col->value[e];
        see(own, col->value[e]);
    }
    for (int64_t k = 0; k < c; k++) {
        double others = m[k].total - m[k].listed;
        if (others > 0) see(&m[k], col->rest);
        m[k].mean = (m[k].mean + others * col->rest) / m[k].total;
        m[k].var = others * (col->rest - m[k].mean) * (col->rest - m[k].mean);
    }
    for (int64_t e = 0; e < col->count; e++) {
        int64_t i = col->index[e];
        double w = weight ? weight[i] : 1, off = col->value[e] - m[cls[i]].mean;
        m[cls[i]].var += w * off * off;
    }
    for (int64_t k = 0; k < c; k++) m[k].var /= m[k].total;
}

/* Of base column `base`. */
static double mean_score(const class_moments *m, const by_class *by, int64_t base) {
    int64_t c = by->c;
    double sum = 0;
    if (by->scale && by->scale[base] == 0) return 0;
    for (int64_t a = 0; a < c; a++)
        for (int64_t b = a + 1; b < c; b++) {
            double score = pair_score(&m[a], &m[b]);
            if (score == DBL_MAX) return DBL_MAX;
            sum += score;
        }
    return sum / (0.5 * (double)c * (double)(c - 1));
}

static double column_score(const column *col, const by_class *by, int64_t j, class_moments *m) {
    (col->index ? sparse_moments : dense_moments)(col, by, m);
    return mean_score(m, by, by->x.cols ? by->x.cols[j] : j);
}

static pare_status by_class_make(by_class *by, arena *mem, const fit_job *job, pare_error *err) {
    int64_t n = job->x->n, c = job->y->n_classes;
    *by = (by_class){.x = *job->x, .c = c};
    int32_t *rows = ARENA_NEW(mem, int32_t, n);
    int64_t *at = ARENA_NEW(mem, int64_t, c);
    double *weight = job->weight ? ARENA_NEW(mem, double, n) : NULL;
    by->start = ARENA_ZERO(mem, int64_t, c + 1);
    by->cls = ARENA_NEW(mem, int32_t, n);
    if (!rows || !at || !by->start || !by->cls || (job->weight && !weight))
        return error_memory(err);
    bool sparse = mat_is_sparse(job->x->x); /* its walks are along rows in their own order */
    for (int64_t i = 0; i < n; i++) by->start[job->y->cls[i] + 1]++;
    for (int64_t k = 0; k < c; k++) by->start[k + 1] += at[k] = by->start[k];
    for (int64_t i = 0; i < n; i++) {
        int64_t to = sparse ? i : at[job->y->cls[i]]++;
        rows[to] = job->x->rows ? job->x->rows[i] : (int32_t)i;
        by->cls[to] = job->y->cls[i];
        if (weight) weight[to] = job->weight[i];
    }
    if (!sparse) {
        by->x.rows = rows;
        by->x.shift = by->x.scale = NULL;
    }
    by->scale = job->x->scale;
    by->weight = weight;
    return PARE_OK;
}

/* All scores from statistics of a few thousand columns at a time. */
static pare_status score_stored(double *score, const by_class *by, class_moments *m, arena *mem,
                                const pare_ctx *ctx, pare_error *err) {
    enum { CHUNK = 4096 };
    const view *x = &by->x;
    int64_t c = by->c, wide = x->d < CHUNK ? x->d : CHUNK;
    pare_status status = PARE_OK;
    view *of = ARENA_NEW(mem, view, c);
    col_stats **s = ARENA_NEW(mem, col_stats *, c);
    const double **weight = ARENA_NEW(mem, const double *, c);
    int64_t *cols = ARENA_NEW(mem, int64_t, wide);
    TRY_MEM(of && s && weight && cols);
    for (int64_t k = 0; k < c; k++) TRY_MEM(s[k] = ARENA_NEW(mem, col_stats, wide));
    for (int64_t first = 0; first < x->d; first += wide) {
        int64_t count = x->d - first < wide ? x->d - first : wide;
        for (int64_t j = 0; j < count; j++) cols[j] = x->cols ? x->cols[first + j] : first + j;
        for (int64_t k = 0; k < c; k++) {
            int64_t from = by->start[k];
            of[k] = (view){.x = x->x,
                           .rows = x->rows + from,
                           .n = by->start[k + 1] - from,
                           .cols = cols,
                           .d = count};
            weight[k] = by->weight ? by->weight + from : NULL;
        }
        TRY(mat_stats_many(c, of, weight, s, ctx, err));
        for (int64_t j = 0; j < count; j++) {
            for (int64_t k = 0; k < c; k++) take_moments(&m[k], &s[k][j]);
            score[first + j] = mean_score(m, by, cols[j]);
        }
    }
done:
    return status;
}

pare_status corr_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t d = job->x->d, n = job->x->n, c = job->y->n_classes;
    by_class by;
    int threads = ctx_threads(ctx), open = 0;
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;

    walk *walks = ARENA_NEW(&scratch, walk, threads);
    class_moments *moments = ARENA_ZERO(&scratch, class_moments, threads * c);
    TRY_MEM(walks);
    TRY_MEM(moments);
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    TRY(by_class_make(&by, &scratch, job, err));
    const matrix *of = job->x->x;
    if (!mat_is_sparse(of) && !mat_at_once(of) && !of->missing) {
        TRY(score_stored(r->score, &by, moments, &scratch, ctx, err));
        TRY(fit_rank_first(r, d, err));
        r->outcome = PARE_OPTIMAL;
        goto done;
    }
    TRY(walks_open(walks, threads, &by.x, NULL, d, ctx, err));
    open = threads;
    for (int64_t i = 0; i < n; i++)
        for (int t = 0; t < threads; t++)
            moments[t * c + job->y->cls[i]].total += job->weight ? job->weight[i] : 1;
    span own = mat_share(job->x, 1, ctx);
    int64_t mine = own.to - own.from;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++) /* a column's score does not depend on which thread has it */
        for (int64_t j = own.from + mine * t / threads, end = own.from + mine * (t + 1) / threads;
             j < end; j++) {
            column col;
            if (!walk_at(&walks[t], j, &col)) break;
            r->score[j] = column_score(&col, &by, j, &moments[t * c]);
        }
    open = 0;
    TRY(walks_end(walks, threads, PARE_OK, err));
    TRY(mat_join(job->x, 1, r->score, sizeof *r->score, ctx, err));
    TRY(fit_rank(r, d, err));
    r->outcome = PARE_OPTIMAL;

done:
    status = walks_end(walks, open, status, err);
    arena_free(&scratch);
    return status;
}

/* NAME       kta-centered
 * PAPER      C. Cortes, M. Mohri, A. Rostamizadeh. Algorithms for learning kernels based
 *            on centered alignment. JMLR 13:795-828, 2012, alignment maximisation
 *            ("alignf", proposition 9).
 * PROBLEM    maximise over eta >= 0, |eta|_2 = 1   <K, T> / (|K| |T|),   K = sum_j eta_j K_j
 *            K_j: the centred kernel of feature j of trace 1; T: the centred kernel of the target,
 *            as in kta. Predictor: SVM (classes) or kernel ridge (regression) on K.
 * SYMBOLS    a_j = <K_j, T>: alignments; M_jl = <K_j, K_l>; v: the minimiser of v'Mv - 2 a'v over
 *            v >= 0, and eta = v / |v|; B = sum_l v_l K_l, n x n; worked: features with a row of M.
 * ALGORITHM  1. alignments (solve/kernel/kernel_align.h).
 *            2. v on the worked features: active set on their M (solve/kernel/gram_nnls.h).
 *            3. the slope a_j - <K_j, B> of every feature, one pass (solve/kernel/pair_form.h).
 *            4. the steepest become worked: thin factors of their kernels give their rows of M
 *               (solve/kernel/kernel_products.h), as many rows at a time as cost what a pass over
 *               all slopes does. Go to 2 until no slope is left.
 *            M of all d features is formed only where d is small.
 * COST       a few rounds, each a pass over X with n^2 / 2 kernel values for a continuous feature,
 *            the square of the samples off the commonest value for others. Memory n^2, another for
 *            each thread, n r for each of w worked features (r about 20 if continuous), w^2 for M.
 * GUARANTEE  the slopes of all d features from raw data (certify/certify_kta_centered.c), relative
 *            to the largest alignment; predictor: duality gap. Score: the weight, or for those
 *            without one the slope over the largest alignment, which is 0 at most.
 * STOPPING   no slope above 1e-9 of the largest alignment.
 * DEVIATIONS kernels are of trace 1 before they are combined, as lp-kta has it; -k keeps the
 *            features of most weight, with the weights that they have
 *            (tests/cert/test_kta_comparators.c). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "method/kernel/kernel_predictor.h"
#include "solve/kernel/gram_nnls.h"
#include "solve/kernel/kernel_products.h"
#include "solve/kernel/kernel_sum.h"
#include "solve/kernel/pair_form.h"

static const double SLOPE_LEFT = 1e-9; /* of the largest alignment */
static const double SLOPE_SEEN = 1e-6; /* likewise: more than rounding */
static const double PER_VALUE = 30;    /* flops of a matrix product in the time of a kernel value */
enum { FIRST_BATCH = 64, MIN_BATCH = 16, MAX_ROUNDS = 1000 };

typedef struct alignf {
    const fit_job *job;
    kta_centered_settings *set; /* in effect */
    kernel_kind kind;
    align_target t;
    double *a, *trace, *gamma, *slope; /* d */
    double largest;
    int64_t *active, n_active; /* features that are not constant */
    double *minus_gamma;       /* n_active: for pair forms */
    double *B;                 /* n x n */
    ranked *order;             /* n_active */
    bool *worked;              /* d */
    int64_t n_work, *work;     /* n_active at most */
    kernel_products products;
    double *v, *a_work; /* of the worked */
} alignf;

static pare_status prepare(alignf *s, arena *mem, const pare_ctx *ctx, pare_error *err) {
    const fit_job *job = s->job;
    const kta_centered_settings *set = s->set;
    int64_t n = job->x->n, d = job->x->d;
    PASS(ctx_check_memory(ctx, 8 * (double)(1 + ctx_threads(ctx)) * (double)n * (double)n,
                          "the kernel matrices of the samples", err));
    PASS(align_target_make(&s->t, mem, job->y->cls, job->y->n_classes, job->y->value, job->weight,
                           n, err));
    PASS_MEM(ARENA_NEWS(mem, double, d, &s->a, &s->trace, &s->gamma, &s->minus_gamma, &s->v,
                        &s->a_work));
    PASS_MEM(s->slope = ARENA_ZERO(mem, double, d));
    PASS_MEM(ARENA_NEWS(mem, int64_t, d, &s->active, &s->work));
    PASS_MEM(s->order = ARENA_NEW(mem, ranked, d));
    PASS_MEM(s->worked = ARENA_ZERO(mem, bool, d));
    PASS_MEM(s->B = ARENA_NEW(mem, double, n *n));
    PASS(kernel_align(s->a, s->trace, s->gamma, job->x, &s->t, s->kind, set->gamma, ctx,
                      err)); /* 1 */
    for (int64_t j = 0; j < d; j++) {
        s->largest = fmax(s->largest, s->a[j]);
        if (!(s->trace[j] > 0)) continue;
        s->minus_gamma[s->n_active] = -s->gamma[j];
        s->active[s->n_active++] = j;
    }
    return PARE_OK;
}

/* 3: B and the slopes. */
static pare_status price(alignf *s, const pare_ctx *ctx, pare_error *err) {
    const view *x = s->job->x;
    int64_t n = x->n, used = 0;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t *cols = ARENA_NEW(&mem, int64_t, s->n_work);
    double *weight = ARENA_NEW(&mem, double, s->n_work),
           *gamma = ARENA_NEW(&mem, double, s->n_work),
           *form = ARENA_NEW(&mem, double, s->n_active);
    TRY_MEM(cols && weight);
    TRY_MEM(gamma && form);
    for (int64_t k = 0; k < s->n_work; k++) {
        int64_t j = s->work[k];
        if (!(s->v[k] > 0)) continue;
        cols[used] = x->cols ? x->cols[j] : j;
        gamma[used] = s->gamma[j];
        weight[used++] = s->v[k] / s->trace[j];
    }
    view part = *x;
    part.cols = cols;
    part.d = used;
    kernel_sum sum = {s->kind, gamma, 1, weight};
    TRY(kernel_sum_gram(&s->B, &part, &sum, ctx, err));
    TRY(kernel_sum_centre(s->B, s->t.s, n, ctx, err));
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++) s->B[i * n + k] *= s->t.s[i] * s->t.s[k];
    TRY(pair_forms(form, x, s->active, s->n_active, s->kind, s->minus_gamma, s->B, ctx, err));
    for (int64_t i = 0; i < s->n_active; i++) {
        int64_t j = s->active[i];
        s->slope[j] = s->a[j] - form[i] / s->trace[j];
    }
done:
    arena_free(&mem);
    return status;
}

/* The number of features that become worked at once: b (w + b / 2) products of 2 n r^2 flops each
 * cost what a pass over all features does, d n^2 / 2 kernel values that cost PER_VALUE flops each.
 * Sparse features cost less than that, hence at most twice as many as there are. */
static int64_t batch_size(const alignf *s) {
    int64_t w = s->n_work, n = s->job->x->n;
    if (w == 0) return FIRST_BATCH;
    double r = (double)s->products.start[w] / (double)w;
    double pairs = (double)s->n_active * (double)n * PER_VALUE / (4 * fmax(r * r, 1));
    double b = sqrt((double)w * (double)w + 2 * pairs) - (double)w;
    return (int64_t)fmax(MIN_BATCH, fmin(b, 2 * (double)w));
}

/* 4: adds the steepest features that are not worked yet; returns how many. */
static pare_status add_steepest(alignf *s, int64_t *added, const pare_ctx *ctx, pare_error *err) {
    int64_t count = 0, batch = batch_size(s), *first = s->work + s->n_work;
    for (int64_t i = 0; i < s->n_active; i++) {
        int64_t j = s->active[i];
        if (!s->worked[j] && s->slope[j] > SLOPE_LEFT * s->largest)
            s->order[count++] = (ranked){s->slope[j], j};
    }
    sort_best_first(s->order, count);
    *added = count < batch ? count : batch;
    for (int64_t i = 0; i < *added; i++) {
        int64_t j = first[i] = s->order[i].index;
        s->worked[j] = true;
        s->v[s->n_work + i] = 0;
        s->a_work[s->n_work + i] = s->a[j];
    }
    s->n_work += *added;
    if (*added == 0) return PARE_OK;
    return kernel_products_add(&s->products, first, *added, s->t.s, s->gamma, s->trace, ctx, err);
}

/* Whether the worked features are optimal, too; those that depend linearly on others are
 * skipped. */
static bool is_settled(const alignf *s) {
    for (int64_t k = 0; k < s->n_work; k++) {
        double slope = s->slope[s->work[k]];
        if (!((s->v[k] > 0 ? fabs(slope) : slope) <= SLOPE_SEEN * s->largest)) return false;
    }
    return true;
}

static pare_status solve(alignf *s, fit_result *r, const pare_ctx *ctx, pare_error *err) {
    r->outcome = PARE_OPTIMAL;
    memcpy(s->slope, s->a, sizeof *s->a * (size_t)s->job->x->d); /* of v = 0 */
    for (int64_t round = 0;; round++) {
        int64_t added;
        PASS(add_steepest(s, &added, ctx, err));
        if (added == 0) break;
        PASS(gram_nnls(s->v, s->products.M, s->products.capacity, s->a_work, s->n_work,
                       1e-3 * SLOPE_LEFT * s->largest, ctx, err)); /* 2 */
        PASS(price(s, ctx, err));
        r->iterations = round + 1;
        if (!ctx_stops(ctx, "kta-centered", -1, &r->outcome) && round == MAX_ROUNDS)
            r->outcome = PARE_MAX_ITER;
        if (r->outcome != PARE_OPTIMAL) break;
    }
    if (r->outcome == PARE_OPTIMAL && !is_settled(s)) r->outcome = PARE_MAX_ITER;
    return PARE_OK;
}

/* Weights of length 1 as the selection's result. */
static pare_status give_selection(fit_result *r, const alignf *s, pare_error *err) {
    const fit_job *job = s->job;
    int64_t d = job->x->d;
    double length = 0;
    r->score = ARENA_NEW(&r->mem, double, d);
    r->support = r->cols = ARENA_NEW(&r->mem, int64_t, d);
    r->z = ARENA_NEW(&r->mem, double, d);
    if (!r->score || !r->cols || !r->z) return error_memory(err);
    for (int64_t k = 0; k < s->n_work; k++) length = hypot(length, s->v[k]);
    for (int64_t j = 0; j < d; j++)
        r->score[j] = s->trace[j] > 0 && s->largest > 0 ? fmin(s->slope[j] / s->largest, 0) : -1;
    for (int64_t k = 0; k < s->n_work; k++)
        if (s->v[k] > 0) r->score[s->work[k]] = s->v[k] / length;
    PASS(fit_rank(r, d, err));
    for (int64_t i = 0; i < d && r->score[r->ranking[i]] > 0; i++) {
        int64_t j = r->ranking[i];
        r->cols[r->n_cols] = job->x->cols ? job->x->cols[j] : j;
        r->z[r->n_cols++] = r->score[j];
    }
    r->n_support = r->n_cols;
    r->n_outputs = target_scores(job->y);
    r->objective = NAN; /* certify computes it */
    if (r->n_support > 0) return PARE_OK;
    return fit_note(r, err, "no feature's kernel is aligned with the target: none is selected");
}

/* The predictor on the chosen features with their weights in the selection. */
static pare_status fit_predictor(fit_result *r, const alignf *s, arena *mem, const pare_ctx *ctx,
                                 pare_error *err) {
    const fit_job *job = s->job;
    kta_centered_settings *set = s->set;
    double *weight = ARENA_ZERO(mem, double, job->x->d);
    if (!weight) return error_memory(err);
    for (int64_t j = 0; j < job->x->d; j++) {
        int64_t base = job->x->cols ? job->x->cols[j] : j;
        if (s->trace[j] > 0 && job->given) weight[j] = job->given[base] / s->trace[j];
    }
    weighted_kernels w = {s->kind, s->gamma, weight, set->tol, set->C_ratio};
    return weighted_kernels_fit(r, job, &w, &set->C, ctx, err);
}

pare_status kta_centered_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                             pare_error *err) {
    arena mem = arena_of(ctx);
    alignf s = {.job = job, .set = &fit_settings(r, job)->kta_centered};
    s.kind = kernel_named(s.set->kernel);
    pare_status status = PARE_OK;
    kernel_products_begin(&s.products, job->x, s.kind, ctx);
    TRY(weighted_kernels_check(job, "kta-centered", err));
    TRY(prepare(&s, &mem, ctx, err));
    if (job->refit) {
        TRY(fit_predictor(r, &s, &mem, ctx, err));
        goto done;
    }
    TRY(solve(&s, r, ctx, err));
    TRY(give_selection(r, &s, err));

done:
    kernel_products_free(&s.products);
    arena_free(&mem);
    return status;
}

/* A few rounds over all features, each a kernel of the samples. */
effort_estimate kta_centered_effort(const effort_job *job) {
    bool linear = choice_is(job->set->kta_centered.kernel, "linear");
    return (effort_estimate){(linear ? 1e-8 : 2.5e-6) * job->stored,
                             linear ? NULL : "`kernel linear` takes seconds"};
}

/* NAME       cox-score
 * PAPER      D. R. Cox. Regression models and life-tables. JRSS B 34:187-220, 1972; without ties and
 *            covariates the log-rank test: N. Mantel. Cancer Chemotherapy Reports 50:163-170, 1966.
 * PROBLEM    score_j = U_j^2 / (I_jj - I_jK I_KK^-1 I_Kj): slope and information of feature j at
 *            (b_K, 0) of the Cox model with the forced-in features K; p: P(chi2 >= score), one degree of freedom.
 *            What R's coxph calls the score test.
 * ALGORITHM  1. the Cox model of the forced-in features by themselves, unpenalised.
 *            2. columns eight at a time, by running sums over the risk sets (solve/glm/cox_test.h).
 * COST       1 pass over X; memory O(d + n (K + threads)).
 * GUARANTEE  none to certify: the score is a formula.
 * DEVIATIONS a feature that is constant within every risk set, or follows from K, has score 0 and p 1;
 *            so have the forced-in ones, whose slopes vanish. */
#include "method/glm/cox_score.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/p_values.h"
#include "la/product/dot.h"
#include "solve/glm/cox_test.h"

enum { LANES = COX_TEST_COLUMNS };
static const double NOTHING = 1e-9; /* of sum d x^2: information that is rounding */

typedef struct testing {
    const fit_job *job;
    const cox_beside *beside;
    int64_t n, m; /* m: columns beside */
    cox_test test;
    double total; /* sum of weights */
    double *HX;   /* n x m: H times the columns beside */
    double *A;    /* m x m: their information with the ridge, factored */
    double *score, *p;
} testing;

typedef struct lanes { /* of a thread */
    walk w;
    double *x;      /* n x LANES, in the order of the risk sets */
    double *column; /* n */
    double *across; /* m x LANES: (HX)'x */
} lanes;

static pare_status open_loss(glm_loss *l, arena *mem, const fit_job *job, const char *ties,
                             double *total, pare_error *err) {
    const target *y = job->y;
    int64_t n = job->x->n;
    double *share = fit_weights(mem, job->weight, n, total);
    risk_sets *risk = ARENA_NEW(mem, risk_sets, 1);
    if (!share || !risk) return error_memory(err);
    for (int64_t i = 0; i < n; i++) share[i] /= *total;
    *l = (glm_loss){.kind = &loss_cox, .n = n, .c = 1, .share = share, .offset = job->offset};
    l->risk = risk;
    return risk_sets_open(risk, mem, n, y->time, y->event, y->stratum, y->n_strata, job->weight,
                          choice_is(ties, "efron"), err);
}

/* HX and A of the columns beside. */
static pare_status open_beside(testing *t, arena *mem, const glm_loss *l, const pare_ctx *ctx,
                               pare_error *err) {
    int64_t n = t->n, m = t->m;
    double *X = ARENA_NEW(mem, double, n *m), *U, *P;
    t->HX = ARENA_NEW(mem, double, n *m);
    t->A = ARENA_NEW(mem, double, m *m);
    if (!X || !t->HX || !t->A || !ARENA_NEWS(mem, double, n, &U, &P)) return error_memory(err);
    if (m == 0) return PARE_OK;
    PASS(mat_columns(t->job->x, t->beside->cols, m, X, ctx, err));
    memcpy(t->HX, X, sizeof *X * (size_t)(n * m));
    l->kind->point(l, t->beside->F, U, P, NULL);
    double most = 0;
    for (int64_t a = 0; a < m; a++) l->kind->curve(l, P, t->HX + a * n);
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b < m; b++) t->A[a * m + b] = la_dot(X + a * n, t->HX + b * n, n);
    for (int64_t a = 0; a < m; a++) most = fmax(most, t->A[a * m + a]);
    for (int64_t a = 0; a < m; a++) t->A[a * m + a] += t->beside->ridge[a] + 1e-13 * most;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, t->A, (lapack_int)m) != 0)
        return error_set(err, PARE_E_DATA,
                         "the features that others are tested beside depend on each other");
    return PARE_OK;
}

static void fill_lane(const testing *t, lanes *b, int64_t lane, const column *c) {
    double shift = c->index ? c->rest : 0; /* equal shifts change nothing */
    const int32_t *place = t->test.place;
    for (int64_t i = 0; c->index && i < t->n; i++) b->column[i] = 0;
    for (int64_t e = 0; c->index && e < c->count; e++) b->column[c->index[e]] = c->value[e] - shift;
    const double *x = c->index ? b->column : c->value;
    for (int64_t i = 0; i < t->n; i++) b->x[place[i] * LANES + lane] = x[i];
    for (int64_t a = 0; a < t->m; a++)
        b->across[a * LANES + lane] = la_dot(x, t->HX + a * t->n, t->n);
}

/* What the columns beside explain of the information: v'A^-1 v. */
static double explained(const testing *t, const lanes *b, int64_t lane) {
    double sum = 0, v[64], *z = t->m <= 64 ? v : b->column;
    for (int64_t a = 0; a < t->m; a++) { /* z = L^-1 v */
        double own = b->across[a * LANES + lane];
        for (int64_t q = 0; q < a; q++) own -= t->A[q * t->m + a] * z[q];
        z[a] = own / t->A[a * t->m + a];
        sum += z[a] * z[a];
    }
    return sum;
}

static void test_lanes(const testing *t, lanes *b, int64_t first, int64_t count) {
    double slope[LANES], information[LANES], square[LANES];
    cox_test_columns(&t->test, b->x, slope, information, square);
    for (int64_t l = 0; l < count; l++) {
        double own = information[l] - explained(t, b, l);
        bool some = own > NOTHING * square[l];
        double chi2 = some ? t->total * slope[l] * slope[l] / own : 0;
        t->score[first + l] = chi2;
        if (t->p) t->p[first + l] = chi2 > 0 ? chi2_p_value(chi2, 1) : 1;
    }
}

/* Columns from .. to - 1, LANES at a time. */
static void test_columns(const testing *t, lanes *b, int64_t from, int64_t to) {
    for (int64_t first = from; first < to; first += LANES) {
        int64_t count = to - first < LANES ? to - first : LANES;
        for (int64_t l = 0; l < count; l++) {
            column c;
            if (!walk_at(&b->w, first + l, &c)) return;
            fill_lane(t, b, l, &c);
        }
        test_lanes(t, b, first, count);
    }
}

static pare_status walk_all(const testing *t, arena *mem, const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx);
    const view *x = t->job->x;
    int64_t scratch = t->n > t->m ? t->n : t->m;
    lanes *b = ARENA_ZERO(mem, lanes, threads);
    PASS_MEM(b);
    for (int i = 0; i < threads; i++) {
        PASS_MEM(b[i].x = ARENA_ZERO(mem, double, t->n *LANES));
        PASS_MEM(b[i].column = ARENA_NEW(mem, double, scratch));
        PASS_MEM(b[i].across = ARENA_ZERO(mem, double, t->m *LANES));
    }
    pare_status status = PARE_OK;
    for (int i = 0; i < threads; i++) TRY(walk_open(&b[i].w, x, NULL, x->d, ctx, err));
    span own = mat_share(x, 1, ctx);
    int64_t mine = own.to - own.from;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int i = 0; i < threads; i++)
        test_columns(t, &b[i], own.from + mine * i / threads, own.from + mine * (i + 1) / threads);
done:
    for (int i = 0; i < threads; i++) status = walk_end(&b[i].w, status, err);
    if (status == PARE_OK) status = mat_join(x, 1, t->score, sizeof *t->score, ctx, err);
    if (status == PARE_OK && t->p) status = mat_join(x, 1, t->p, sizeof *t->p, ctx, err);
    return status;
}

pare_status cox_score_all(double *score, double *p, const fit_job *job, const char *ties,
                          const cox_beside *s, const pare_ctx *ctx, pare_error *err) {
    testing t = {.job = job, .beside = s, .n = job->x->n, .m = s->count, .score = score, .p = p};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    glm_loss loss;
    TRY(open_loss(&loss, &mem, job, ties, &t.total, err));
    TRY(cox_test_open(&t.test, &mem, &loss, s->F, err));
    TRY(open_beside(&t, &mem, &loss, ctx, err));
    TRY(walk_all(&t, &mem, ctx, err));
    for (int64_t a = 0; a < s->count; a++) {
        score[s->cols[a]] = 0;
        if (p) p[s->cols[a]] = 1;
    }
done:
    arena_free(&mem);
    return status;
}

pare_status cox_score_fit_beside(double *F, const fit_job *job, const char *ties, double lambda,
                                 const int64_t *cols, int64_t count, const pare_ctx *ctx,
                                 pare_error *err) {
    all_settings set = *job->set;
    fit_job own = *job;
    view x = *job->x;
    arena mem = arena_of(ctx);
    fit_result r;
    pare_status status = PARE_OK;
    memset(F, 0, sizeof *F * (size_t)x.n);
    if (count == 0) return PARE_OK;
    fit_result_init(&r, ctx);
    int64_t *base = ARENA_NEW(&mem, int64_t, count);
    TRY_MEM(base);
    for (int64_t a = 0; a < count; a++) base[a] = x.cols ? x.cols[cols[a]] : cols[a];
    x.cols = base;
    x.d = count;
    set.cox.alpha = 0;
    set.cox.lambda = lambda;
    set.cox.sweep = false;
    strcpy(set.cox.ties, ties);
    own.x = &x;
    own.set = &set;
    own.selected = NULL;
    own.refit = true;
    own.terms = (feature_terms){.kept = job->terms.kept, .n_kept = job->terms.n_kept};
    TRY(cox_fit(&r, &own, ctx, err));
    TRY(mat_mul(&x, r.support, r.n_support, r.W, 1, F, ctx, err));
done:
    fit_result_free(&r);
    arena_free(&mem);
    return status;
}

int64_t cox_score_kept(int64_t *cols, const fit_job *job) {
    int64_t count = 0;
    for (int64_t j = 0; j < job->x->d; j++)
        if (terms_keep(&job->terms, job->x->cols ? job->x->cols[j] : j)) cols[count++] = j;
    return count;
}

pare_status cox_score_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    int64_t d = job->x->d;
    const char *ties = job->set->cox_score.ties;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t *kept = ARENA_NEW(&mem, int64_t, d);
    double *F = ARENA_NEW(&mem, double, job->x->n);
    TRY_MEM(kept && F);
    TRY_MEM(r->score = ARENA_NEW(&r->mem, double, d));
    TRY_MEM(r->p = ARENA_NEW(&r->mem, double, d));
    cox_beside beside = {.count = cox_score_kept(kept, job), .cols = kept, .F = F};
    TRY_MEM(beside.ridge = ARENA_ZERO(&mem, double, beside.count));
    TRY(cox_score_fit_beside(F, job, ties, 1, kept, beside.count, ctx, err));
    TRY(cox_score_all(r->score, r->p, job, ties, &beside, ctx, err));
    r->outcome = PARE_COMPUTED;
    status = fit_rank(r, d, err);
done:
    arena_free(&mem);
    return status;
}

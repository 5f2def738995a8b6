/* The certificate of Weston and Watkins' SVM (all classes in one problem):
 *   primal   1/2 sum_k |w_k|^2 + sum_i sum_{m != y_i} loss(max(0, 1 - (f_i,y_i - f_i,m)))
 *   dual     sum alpha - 1/2 sum_k |sum_i B_ik x_i|^2 - 1/2 sum ridge alpha^2,
 *            B_ik = sum_m alpha_im for k = y_i, else -alpha_ik
 * at an alpha made feasible here: cut to [0, C], and with an intercept balanced, so that for each k
 * sum_i B_ik = 0, by scaling what flows out of each class against what flows in. Without given
 * coefficients the point is w_k = sum_i B_ik x_i with the intercepts that suit it.
 * Cost: one pass over the problem's columns. */
#include <math.h>

#include "base/error.h"
#include "certify/certify.h"

static const double HARD_TOLERANCE = 1e-6; /* a hard-margin model has margins >= 1 - this */

typedef struct ww_judge {
    const cert_job *job;
    const cert_svm_problem *svm;
    int64_t n, c;
    const int32_t *cls;
    double *alpha, *B, *f; /* n x c */
    double *b;             /* c */
    double norm2, dual_norm2;
} ww_judge;

static double weight_of(const ww_judge *s, int64_t i) {
    return s->job->weight ? s->job->weight[i] : 1;
}

static double ridge_of(const ww_judge *s, int64_t i, int64_t m) {
    double r = s->svm->ridges ? s->svm->ridges[m * s->n + i] : s->svm->ridge;
    return weight_of(s, i) > 0 ? r / weight_of(s, i) : 0;
}

static double upper(const ww_judge *s, int64_t i, int64_t m) {
    if (weight_of(s, i) == 0 || m == s->cls[i]) return 0;
    double C = s->svm->costs ? s->svm->costs[m * s->n + i] : s->svm->C;
    return ridge_of(s, i, m) > 0 ? INFINITY : C * weight_of(s, i);
}

static bool is_hard(const ww_judge *s) {
    return !s->svm->ridges && !s->svm->costs && s->svm->ridge == 0 && isinf(s->svm->C);
}

/* One class after the other: its outflow and inflow are scaled to meet; repeated until all do. */
static void balance(ww_judge *s) {
    int64_t n = s->n, c = s->c;
    for (int round = 0; round < 300; round++) {
        double worst = 0;
        for (int64_t k = 0; k < c; k++) {
            double out = 0, in = 0;
            for (int64_t i = 0; i < n; i++)
                for (int64_t m = 0; m < c; m++) {
                    if (s->cls[i] == k) out += s->alpha[m * n + i];
                    if (m == k) in += s->alpha[m * n + i];
                }
            double up = out > 0 && in > 0 ? sqrt(in / out) : 0, down = up > 0 ? 1 / up : 0;
            if (out != in) worst = fmax(worst, fabs(out - in) / fmax(out, in));
            for (int64_t i = 0; i < n; i++)
                for (int64_t m = 0; m < c; m++) {
                    if (s->cls[i] == k) s->alpha[m * n + i] *= up;
                    if (m == k) s->alpha[m * n + i] *= down;
                }
        }
        if (worst < 1e-15) break;
    }
}

static void make_feasible(ww_judge *s) {
    int64_t n = s->n, c = s->c;
    for (int64_t i = 0; i < n; i++)
        for (int64_t m = 0; m < c; m++)
            s->alpha[m * n + i] = fmin(fmax(s->job->dual[m * n + i], 0), upper(s, i, m));
    if (s->job->with_intercept) balance(s);
    double most = 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t m = 0; m < c; m++)
            if (s->alpha[m * n + i] > 0) most = fmin(most, upper(s, i, m) / s->alpha[m * n + i]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t m = 0; m < c; m++) {
            double a = s->alpha[m * n + i] *= most;
            s->B[m * n + i] -= a;
            s->B[s->cls[i] * n + i] += a;
        }
}

static void add_column(ww_judge *s, const cert_column *col, int64_t position) {
    const cert_job *job = s->job;
    for (int64_t k = 0; k < s->c; k++) {
        double dual = 0, coef = 0;
        for (int64_t i = 0; i < s->n; i++) dual += s->B[k * s->n + i] * (col->x[i] - col->shift);
        dual *= col->scale;
        s->dual_norm2 += dual * dual;
        if (!job->coef)
            coef = dual * col->scale;
        else if (position >= 0)
            coef = job->coef[k * job->n_coef + position];
        if (coef == 0) continue;
        s->norm2 += (coef / col->scale) * (coef / col->scale);
        double shift = job->coef ? 0 : col->shift;
        for (int64_t i = 0; i < s->n; i++) s->f[k * s->n + i] += coef * (col->x[i] - shift);
    }
}

/* The same for all columns at once if the SVM has a kernel. */
static pare_status add_kernel(ww_judge *s, cert_reader *reader, pare_error *err) {
    int64_t n = s->n;
    double *K = ARENA_NEW(&reader->mem, double, n *n),
           *norm2 = ARENA_NEW(&reader->mem, double, s->c);
    if (!K || !norm2) return error_memory(err);
    PASS(cert_kernel_gram(K, s->job, s->svm, reader, err));
    for (int64_t k = 0; k < s->c; k++)
        for (int64_t i = 0; i < n; i++) {
            double f = 0;
            for (int64_t j = 0; j < n; j++) f += K[i * n + j] * s->B[k * n + j];
            s->dual_norm2 += s->B[k * n + i] * f;
            if (!s->job->kernel) s->f[k * n + i] = f;
        }
    s->norm2 = s->dual_norm2;
    if (!s->job->kernel) return PARE_OK;
    pare_status status = cert_kernel_point(s->job, reader, s->f, norm2, err);
    s->norm2 = 0;
    for (int64_t k = 0; k < s->c; k++) s->norm2 += norm2[k];
    return status;
}

static double primal_value(const ww_judge *s) {
    double loss = 0, least = INFINITY;
    bool hard = is_hard(s);
    for (int64_t i = 0; i < s->n; i++) {
        if (weight_of(s, i) == 0) continue;
        int32_t y = s->cls[i];
        for (int64_t m = 0; m < s->c; m++) {
            if (m == y) continue;
            double margin = s->f[y * s->n + i] + s->b[y] - s->f[m * s->n + i] - s->b[m];
            double slack = fmax(0, 1 - margin), ridge = ridge_of(s, i, m);
            least = fmin(least, margin);
            if (ridge > 0)
                loss += slack * slack / (2 * ridge);
            else if (!hard)
                loss += upper(s, i, m) * slack;
        }
    }
    if (!hard) return 0.5 * s->norm2 + loss;
    if (!(least >= 1 - HARD_TOLERANCE)) return INFINITY;
    double stretch = fmin(least, 1);
    return 0.5 * s->norm2 / (stretch * stretch);
}

static double least_margin(const ww_judge *s, int64_t k, int64_t m) {
    double least = INFINITY;
    for (int64_t i = 0; i < s->n; i++)
        if (s->cls[i] == k && weight_of(s, i) > 0)
            least = fmin(least, s->f[k * s->n + i] - s->f[m * s->n + i]);
    return least;
}

/* Hard margins: the b that makes the least margin t largest. b_m - b_k <= D_km - t for all pairs,
 * D_km = min over class k of f_k - f_m, is solvable iff its graph has no negative cycle: bisection
 * over t, b by shortest paths. Returns t. */
static double widest_margin(ww_judge *s, double *D, double *b, double reach) {
    int64_t c = s->c;
    double low = -reach, high = reach, best = -reach;
    for (int64_t k = 0; k < c; k++)
        for (int64_t m = 0; m < c; m++) D[m * c + k] = k == m ? INFINITY : least_margin(s, k, m);
    for (int step = 0; step < 200; step++) {
        double t = 0.5 * (low + high);
        bool moved = true;
        for (int64_t k = 0; k < c; k++) b[k] = 0;
        for (int64_t round = 0; round <= c && moved; round++) {
            moved = false;
            for (int64_t k = 0; k < c; k++)
                for (int64_t m = 0; m < c; m++)
                    if (b[k] + D[m * c + k] - t < b[m]) {
                        b[m] = b[k] + D[m * c + k] - t;
                        moved = true;
                    }
        }
        if (moved) {
            high = t;
            continue;
        }
        low = best = t;
        for (int64_t k = 0; k < c; k++) s->b[k] = b[k];
    }
    return best;
}

/* The best intercepts for the dual's own point. With hard margins f is stretched to margin 1; with
 * ridges the primal is smooth and convex in b, and one b_k after the other is searched. */
static void best_intercepts(ww_judge *s, double *D, double *trial) {
    int64_t c = s->c;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < s->n * c; i++) {
        low = fmin(low, s->f[i]);
        high = fmax(high, s->f[i]);
    }
    double reach = 2 * (high - low + 1);
    bool intercept = s->job->with_intercept;
    if (is_hard(s)) {
        double margin = INFINITY;
        for (int64_t k = 0; k < c; k++)
            for (int64_t m = 0; m < c; m++)
                if (k != m) margin = fmin(margin, least_margin(s, k, m));
        if (intercept) margin = widest_margin(s, D, trial, reach);
        if (!(margin > 0)) return;
        for (int64_t i = 0; i < s->n * c; i++) s->f[i] /= margin;
        for (int64_t k = 0; k < c; k++) s->b[k] /= margin;
        s->norm2 /= margin * margin;
        return;
    }
    for (int round = 0; intercept && round < 60; round++) {
        double before = primal_value(s);
        for (int64_t k = 0; k < c; k++) {
            double a = s->b[k] - reach, z = s->b[k] + reach;
            for (int step = 0; step < 80; step++) {
                double one = a + (z - a) / 3, two = z - (z - a) / 3;
                s->b[k] = one;
                double at_one = primal_value(s);
                s->b[k] = two;
                if (at_one <= primal_value(s))
                    z = two;
                else
                    a = one;
            }
            s->b[k] = 0.5 * (a + z);
        }
        if (!(primal_value(s) < before - 1e-13 * fabs(before))) break;
    }
}

pare_status certify_ww(pare_report *out, const cert_job *job, const cert_svm_problem *svm,
                       const pare_ctx *ctx, pare_error *err) {
    int64_t n = job->data->x.n, c = job->n_outputs;
    ww_judge s = {.job = job, .svm = svm, .n = n, .c = c, .cls = job->y->cls};
    cert_reader reader;
    cert_columns at;
    PASS(cert_begin(&at, &reader, job, 0, ctx, err));
    pare_status status = PARE_OK;
    TRY_MEM(s.alpha = ARENA_NEW(&reader.mem, double, n *c));
    TRY_MEM(ARENA_ZEROS(&reader.mem, double, n *c, &s.B, &s.f));
    TRY_MEM(s.b = ARENA_ZERO(&reader.mem, double, c));
    double *D = ARENA_NEW(&reader.mem, double, c *c), *trial = ARENA_NEW(&reader.mem, double, c);
    TRY_MEM(D && trial);
    make_feasible(&s);
    bool linear = choice_is(svm->kernel, "linear");
    if (!linear) TRY(add_kernel(&s, &reader, err));
    while (linear && cert_next(&at)) {
        if (job->z) at.col.scale *= job->z[at.i];
        add_column(&s, &at.col, at.position);
    }
    for (int64_t k = 0; job->intercept && k < c; k++) s.b[k] = job->intercept[k];
    if (!job->intercept) best_intercepts(&s, D, trial);

    double primal = primal_value(&s), dual = -0.5 * s.dual_norm2;
    for (int64_t i = 0; i < n; i++)
        for (int64_t m = 0; m < c; m++) {
            double a = s.alpha[m * n + i];
            dual += a - 0.5 * ridge_of(&s, i, m) * a * a;
        }
    out->objective = primal;
    out->certificate = cert_gap(primal, dual);

done:
    return cert_close(&reader, status, err);
}

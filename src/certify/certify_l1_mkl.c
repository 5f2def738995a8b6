/* The certificate of `l1-mkl-path`, from raw columns and plain loops.
 *
 * PRIMAL  sum_i s_i loss(y_i, f(x_i)) + lambda sum_k |f_k|, s_i shares of the weight, |f_k| in the
 * space
 *         of feature k's centred kernel of trace 1; several outputs: |f_k| = sqrt(sum_o |f_ko|^2).
 * DUAL    -L*(-t U): U, the stored dual, made a dual point of the loss with columns of sum 0, and t
 * such
 *         that sqrt(sum_o U_o'K_k U_o) <= lambda for every feature of the problem.
 * A selection is certified by the function that its weights and U give, with the best intercept. */
#include <math.h>

#include "base/error.h"
#include "certify/mkl_parts.h"

enum { TURNS = 2000 };
static const double BALANCED = 1e-13; /* sums of shares: to rounding */

typedef struct l1_judge {
    mkl_parts g;
    bool classes;
    double lambda;
    double *share, *y; /* n, n x c */
    double *b, *step;  /* c */
} l1_judge;

static void set_target(l1_judge *k) {
    const target *y = k->g.job->y;
    int64_t n = k->g.n;
    for (int64_t i = 0; i < n; i++) k->share[i] = parts_weight(&k->g, i) / k->g.total;
    for (int64_t o = 0; o < k->g.c; o++)
        for (int64_t i = 0; i < n; i++)
            k->y[o * n + i] = !k->classes   ? y->value[i]
                              : k->g.c == 1 ? y->cls[i] == 1
                                            : y->cls[i] == o;
}

/* --- a dual point of the loss --- */

static void balance_values(l1_judge *k) {
    double sum = 0;
    for (int64_t i = 0; i < k->g.n; i++) sum += k->g.u[i] = k->g.job->dual[i];
    for (int64_t i = 0; i < k->g.n; i++) k->g.u[i] -= k->share[i] * sum;
}

/* Two classes: U of one sign in each, the heavier shrunk to the lighter. */
static void balance_pair(l1_judge *k) {
    double sum[2] = {0, 0};
    for (int64_t i = 0; i < k->g.n; i++) {
        double up = k->y[i] > 0 ? 1 : -1;
        k->g.u[i] = up * fmin(fmax(up * k->g.job->dual[i], 0), k->share[i]);
        sum[k->y[i] > 0] += fabs(k->g.u[i]);
    }
    double less = fmin(sum[0], sum[1]);
    for (int64_t i = 0; i < k->g.n; i++) {
        double own = sum[k->y[i] > 0];
        k->g.u[i] *= own > 0 ? less / own : 0;
    }
}

/* Several classes: the probabilities y - U / s, scaled by sample and by class in turn. */
static bool balance_classes(l1_judge *k) {
    int64_t n = k->g.n, c = k->g.c;
    double *q = k->g.u, worst = INFINITY;
    for (int64_t e = 0; e < n * c; e++)
        q[e] = fmax(k->y[e] - k->g.job->dual[e] / k->share[e % n], 0);
    for (int turn = 0; turn < TURNS && !(worst <= BALANCED); turn++) {
        for (int64_t o = 0; turn > 0 && o < c; o++) {
            double have = 0, want = 0;
            for (int64_t i = 0; i < n; i++) {
                have += k->share[i] * q[o * n + i];
                want += k->share[i] * k->y[o * n + i];
            }
            for (int64_t i = 0; i < n && have > 0; i++) q[o * n + i] *= want / have;
        }
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t o = 0; o < c; o++) sum += q[o * n + i];
            for (int64_t o = 0; o < c; o++)
                q[o * n + i] = sum > 0 ? q[o * n + i] / sum : k->y[o * n + i];
        }
        worst = 0;
        for (int64_t o = 0; o < c; o++) {
            double off = 0;
            for (int64_t i = 0; i < n; i++) off += k->share[i] * (q[o * n + i] - k->y[o * n + i]);
            worst = fmax(worst, fabs(off));
        }
    }
    for (int64_t e = 0; e < n * c; e++) q[e] = k->share[e % n] * (k->y[e] - q[e]);
    return worst <= BALANCED;
}

static double entropy(double q) { return q > 0 ? -q * log(q) : 0; }
static double rest_entropy(double q) { return q < 1 ? -(1 - q) * log1p(-q) : 0; }

/* -L*(-t U). */
static double dual_value(const l1_judge *k, double t) {
    double sum = 0;
    for (int64_t e = 0; e < k->g.n * k->g.c; e++) {
        double s = k->share[e % k->g.n], u = t * k->g.u[e], moved = fabs(u) / s;
        if (!k->classes)
            sum += u * k->y[e] - u * u / (2 * s);
        else if (k->g.c == 1)
            sum += s * (entropy(moved) + rest_entropy(moved));
        else
            sum += s * (k->y[e] > 0 ? rest_entropy(moved) : entropy(moved));
    }
    return sum;
}

/* --- the loss --- */

/* ln sum_o exp(f_o) of sample i, two classes: of 0 and f. */
static double log_sum(const l1_judge *k, int64_t i) {
    int64_t n = k->g.n, c = k->g.c;
    double top = c == 1 ? 0 : -INFINITY, sum;
    for (int64_t o = 0; o < c; o++) top = fmax(top, k->g.f[o * n + i] + k->b[o]);
    sum = c == 1 ? exp(-top) : 0;
    for (int64_t o = 0; o < c; o++) sum += exp(k->g.f[o * n + i] + k->b[o] - top);
    return top + log(sum);
}

static double loss(const l1_judge *k) {
    int64_t n = k->g.n, c = k->g.c;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double one = k->classes ? log_sum(k, i) : 0;
        for (int64_t o = 0; o < c; o++) {
            double f = k->g.f[o * n + i] + k->b[o], y = k->y[o * n + i];
            one += k->classes ? -y * f : (y - f) * (y - f) / 2;
        }
        sum += k->share[i] * one;
    }
    return sum;
}

/* The deficit of output o's share: falls with b_o. */
static double missed(const l1_judge *k, int64_t o) {
    int64_t n = k->g.n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double f = k->g.f[o * n + i] + k->b[o], y = k->y[o * n + i];
        sum += k->share[i] * (y - (k->classes ? exp(f - log_sum(k, i)) : f));
    }
    return sum;
}

/* One output: the deficit falls with b. */
static void best_intercept(l1_judge *k) {
    double low = -1, high = 1;
    for (k->b[0] = low; missed(k, 0) < 0 && low > -1e9; k->b[0] = low) low *= 2;
    for (k->b[0] = high; missed(k, 0) > 0 && high < 1e9; k->b[0] = high) high *= 2;
    for (int look = 0; look < 200; look++) {
        k->b[0] = 0.5 * (low + high);
        *(missed(k, 0) > 0 ? &low : &high) = k->b[0];
    }
}

/* Several: iterative scaling, which never raises the loss. step: c numbers. */
static void best_intercepts(l1_judge *k, double *step) {
    double moved = INFINITY;
    for (int turn = 0; turn < TURNS && moved > 1e-13; turn++) {
        moved = 0;
        for (int64_t o = 0; o < k->g.c; o++) {
            double want = 0;
            for (int64_t i = 0; i < k->g.n; i++) want += k->share[i] * k->y[o * k->g.n + i];
            double have = want - missed(k, o);
            step[o] = want > 0 && have > 0 ? log(want / have) : 0;
            moved = fmax(moved, fabs(step[o]));
        }
        for (int64_t o = 0; o < k->g.c; o++) k->b[o] += step[o];
    }
}

static void judge(pare_report *out, l1_judge *k, bool even) {
    const cert_job *job = k->g.job;
    double penalty = 0, most = 0;
    for (int64_t j = 0; j < job->data->x.d; j++) {
        penalty += sqrt(k->g.norm2[j]);
        most = fmax(most, k->g.s[j]);
    }
    if (k->g.selecting && k->g.c == 1)
        best_intercept(k);
    else if (k->g.selecting)
        best_intercepts(k, k->step);
    else
        for (int64_t o = 0; o < k->g.c; o++) k->b[o] = job->intercept[o];
    double t = most > 0 ? fmin(1, k->lambda / sqrt(most)) : 1;
    out->objective = loss(k) + k->lambda * penalty;
    out->certificate = cert_gap(out->objective, even ? dual_value(k, t) : -INFINITY);
}

pare_status certify_l1_mkl_path(pare_report *out, const cert_job *job, const pare_ctx *ctx,
                                pare_error *err) {
    const l1_mkl_path_settings *set = job->own;
    l1_judge k = {.lambda = set->lambda, .classes = job->y->cls != NULL};
    cert_reader reader;
    bool even = true;
    pare_status status = cert_open(&reader, job, ctx, err);
    if (status != PARE_OK) return status;
    TRY(parts_make(&k.g, job, set->kernel, set->gamma, &reader, err));
    TRY_MEM(k.share = ARENA_NEW(&reader.mem, double, k.g.n));
    TRY_MEM(k.y = ARENA_NEW(&reader.mem, double, k.g.n *k.g.c));
    TRY_MEM(k.b = ARENA_ZERO(&reader.mem, double, k.g.c));
    TRY_MEM(k.step = ARENA_NEW(&reader.mem, double, k.g.c));
    set_target(&k);
    if (!k.classes)
        balance_values(&k);
    else if (k.g.c == 1)
        balance_pair(&k);
    else
        even = balance_classes(&k);
    TRY(parts_read(&k.g, &reader, err));
    judge(out, &k, even);

done:
    return cert_close(&reader, status, err);
}

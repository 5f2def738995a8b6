#include "task/metrics.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"

static ranking_metrics rank_sorted(const ranked *v, int64_t n, int64_t k, double total) {
    double negatives = (double)n - total, above = 0, below = 0, half_pairs = 0, gained = 0,
           prefix = 0;
    ranking_metrics out = {.auc = NAN, .average_precision = NAN, .top_rate = NAN};
    if (k <= 0) k = (int64_t)total;
    for (int64_t i = 0; i < k; i++) prefix += (double)v[i].index;
    out.precision_at_k = k > 0 ? prefix / (double)k : NAN;
    for (int64_t i = 0; i < n;) { /* one run of equal scores at a time */
        double run[2] = {0, 0};
        int64_t first = i;
        for (; i < n && order_down(v[i].key, v[first].key) == 0; i++) run[v[i].index]++;
        if (below == 0 && run[0] == 0) out.top_count += run[1];
        half_pairs += run[0] * (2 * above + run[1]);
        above += run[1];
        below += run[0];
        gained += run[1] * above / (above + below);
    }
    if (total > 0) {
        out.top_rate = out.top_count / total;
        out.average_precision = gained / total;
    }
    if (total > 0 && negatives > 0) out.auc = half_pairs / (2 * total * negatives);
    return out;
}

pare_status metrics_ranking(ranking_metrics *out, int64_t n, const bool *positive,
                            const double *score, int64_t k, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    ranked *v = mem_alloc(mem, n, sizeof *v);
    if (!v) return error_memory(err);
    double total = 0;
    for (int64_t i = 0; i < n; i++) {
        v[i] = (ranked){score[i], positive[i]};
        total += positive[i];
    }
    sort_best_first(v, n); /* negatives lead among equal scores: a prefix never flatters the
                              model */
    *out = rank_sorted(v, n, k, total);
    mem_free(mem, v);
    return PARE_OK;
}

double metrics_accuracy(int64_t n, const int32_t *truth, const int32_t *predicted) {
    double right = 0;
    for (int64_t i = 0; i < n; i++) right += truth[i] == predicted[i];
    return n > 0 ? right / (double)n : NAN;
}

pare_status metrics_balanced_accuracy(double *out, int64_t n, int64_t n_classes,
                                      const int32_t *truth, const int32_t *predicted,
                                      const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    double *count = mem_zero(mem, 2 * n_classes, sizeof *count);
    if (!count) return error_memory(err);
    double *right = count + n_classes, sum = 0, classes = 0;
    for (int64_t i = 0; i < n; i++) {
        count[truth[i]]++;
        right[truth[i]] += truth[i] == predicted[i];
    }
    for (int64_t c = 0; c < n_classes; c++) {
        if (count[c] == 0) continue;
        sum += right[c] / count[c];
        classes++;
    }
    *out = classes > 0 ? sum / classes : NAN;
    mem_free(mem, count);
    return PARE_OK;
}

pare_status metrics_agreement(double *f1, double *mcc, int64_t n, int64_t n_classes,
                              const int32_t *truth, const int32_t *predicted, const pare_ctx *ctx,
                              pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    double *count = mem_zero(mem, 3 * n_classes, sizeof *count);
    if (!count) return error_memory(err);
    double *predicted_count = count + n_classes, *right = predicted_count + n_classes;
    double sum = 0, classes = 0, hits = 0, both = 0, spread_t = 0, spread_p = 0, all = (double)n;
    for (int64_t i = 0; i < n; i++) {
        count[truth[i]]++;
        predicted_count[predicted[i]]++;
        right[truth[i]] += truth[i] == predicted[i];
    }
    for (int64_t c = 0; c < n_classes; c++) {
        hits += right[c];
        both += count[c] * predicted_count[c];
        spread_t += count[c] * (all - count[c]);
        spread_p += predicted_count[c] * (all - predicted_count[c]);
        if (count[c] + predicted_count[c] == 0 || (n_classes == 2 && c == 0)) continue;
        sum += 2 * right[c] / (count[c] + predicted_count[c]);
        classes++;
    }
    *f1 = spread_t > 0 ? sum / fmax(classes, 1) : NAN;
    *mcc = !(spread_t > 0)   ? NAN
           : !(spread_p > 0) ? 0
                             : (hits * all - both) / sqrt(spread_t * spread_p);
    mem_free(mem, count);
    return PARE_OK;
}

void metrics_probability(double *log_loss, double *brier, int64_t n, int64_t n_classes,
                         const int32_t *truth, const double *P) {
    double loss = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        loss -= log(fmax(P[truth[i] * n + i], DBL_EPSILON));
        for (int64_t c = n_classes == 2; c < n_classes; c++) {
            double off = P[c * n + i] - (truth[i] == c);
            squares += off * off;
        }
    }
    *log_loss = n > 0 ? loss / (double)n : NAN;
    *brier = n > 0 ? squares / (double)n : NAN;
}

regression_metrics metrics_regression(int64_t n, const double *truth, const double *predicted) {
    double absolute = 0, squared = 0, mean = 0, spread = 0;
    for (int64_t i = 0; i < n; i++) mean += truth[i] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        double off = predicted[i] - truth[i];
        absolute += fabs(off);
        squared += off * off;
        spread += (truth[i] - mean) * (truth[i] - mean);
    }
    if (n == 0) return (regression_metrics){NAN, NAN, NAN};
    return (regression_metrics){absolute / (double)n, sqrt(squared / (double)n),
                                spread > 0 ? 1 - squared / spread : NAN};
}

/* Raw columns, imputed and scaled from the definitions. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "base/ranks.h"
#include "certify/certify.h"

/* Numbers that are read ahead, columns of a thread among them, and numbers of X from which on threads
 * pay. */
enum { MAX_AHEAD = 1 << 20, AHEAD_EACH = 64 };
static const double MIN_SHARED_ENTRIES = 1e6;

/* Scales rows to sum 1, to norm 1, or counts times ln((1 + n) / (1 + df)) + 1 and then to norm 1:
 * the factors of each column and each row. One pass over the raw columns. */
static pare_status scale_rows(cert_reader *r, pare_error *err) {
    const cert_job *job = r->job;
    int64_t n = job->data->x.n, d = job->data->x.d;
    bool tfidf = strcmp(job->row_scale, "tfidf") == 0, sum = strcmp(job->row_scale, "l1") == 0;
    double total = 0;
    r->row = ARENA_ZERO(&r->mem, double, n);
    r->idf = ARENA_NEW(&r->mem, double, d);
    if (!r->row || !r->idf) return error_memory(err);
    for (int64_t i = 0; i < n; i++) total += job->weight ? job->weight[i] : 1;
    for (int64_t j = 0; j < d; j++) {
        column c;
        double df = 0;
        if (!walk_at(&r->raw, j, &c)) return PARE_OK; /* cert_close returns the error */
        for (int64_t e = 0; e < c.count; e++)
            if (c.value[e] != 0) df += job->weight ? job->weight[c.index ? c.index[e] : e] : 1;
        r->idf[j] = tfidf ? log((1 + total) / (1 + df)) + 1 : 1;
        for (int64_t e = 0; e < c.count; e++) {
            double v = fabs(c.value[e] * r->idf[j]);
            r->row[c.index ? c.index[e] : e] += sum ? v : v * v;
        }
    }
    for (int64_t i = 0; i < n; i++)
        if (r->row[i] > 0) r->row[i] = 1 / (sum ? r->row[i] : sqrt(r->row[i]));
    return PARE_OK;
}

pare_status cert_open(cert_reader *r, const cert_job *job, const pare_ctx *ctx, pare_error *err) {
    memset(r, 0, sizeof *r);
    arena_init(&r->mem, ctx_allocator(ctx));
    r->job = job;
    r->sorted = ARENA_NEW(&r->mem, ranked, job->data->x.n);
    view *whole = ARENA_NEW(&r->mem, view, 1);
    if (!r->sorted || !whole) {
        arena_free(&r->mem);
        return error_memory(err);
    }
    *whole = view_all(&job->data->x);
    pare_status status = walk_open(&r->raw, whole, NULL, whole->d, ctx, err);
    if (status == PARE_OK && job->row_scale && strcmp(job->row_scale, "none") != 0) {
        status = scale_rows(r, err);
        if (status != PARE_OK) return cert_close(r, status, err);
    }
    if (status == PARE_OK && job->data->batch.count) {
        status = cert_batch_open(r, err);
        if (status != PARE_OK) return cert_close(r, status, err);
    }
    if (status == PARE_OK && job->partial) {
        status = cert_partial_open(r, err);
        if (status != PARE_OK) return cert_close(r, status, err);
    }
    if (status != PARE_OK) arena_free(&r->mem);
    return status;
}

pare_status cert_close(cert_reader *r, pare_status status, pare_error *err) {
    for (int t = 0; t < r->n_helpers; t++) status = walk_end(&r->helper[t].raw, status, err);
    status = walk_end(&r->raw, status, err);
    arena_free(&r->mem);
    return status;
}

int64_t *cert_positions(cert_reader *r) {
    const cert_job *job = r->job;
    int64_t d = job->data->x.d, *at = ARENA_NEW(&r->mem, int64_t, d);
    for (int64_t j = 0; at && j < d; j++) at[j] = -1;
    for (int64_t i = 0; at && i < job->n_coef; i++) at[job->index[i]] = i;
    return at;
}

/* Walks for threads; none where one reads as fast, other ranks have columns, or the reader keeps how
 * the last column was adjusted for batches. */
static pare_status open_helpers(cert_reader *r, pare_error *err) {
    const pare_ctx *ctx = r->raw.ctx;
    const view *whole = r->raw.v;
    int threads =
        ctx_ranks(ctx) || r->batch || (double)whole->n * (double)whole->d < MIN_SHARED_ENTRIES
            ? 1
            : ctx_threads(ctx);
    if (r->helper || threads < 2) return PARE_OK;
    PASS_MEM(r->helper = ARENA_ZERO(&r->mem, cert_walk, threads));
    for (; r->n_helpers < threads; r->n_helpers++) {
        cert_walk *h = &r->helper[r->n_helpers];
        PASS_MEM(h->sorted = ARENA_NEW(&r->mem, ranked, whole->n));
        PASS(walk_open(&h->raw, whole, NULL, whole->d, ctx, err));
    }
    return PARE_OK;
}

pare_status cert_columns_open(cert_columns *at, cert_reader *r, pare_error *err) {
    int64_t n = r->job->data->x.n;
    PASS(open_helpers(r, err));
    *at = (cert_columns){.reader = r, .i = -1, .block = 1};
    while (2 * at->block * n <= MAX_AHEAD && at->block < AHEAD_EACH * r->n_helpers) at->block *= 2;
    PASS_MEM(at->position_of = cert_positions(r));
    PASS_MEM(at->ahead = ARENA_NEW(&r->mem, cert_column, at->block));
    for (int64_t k = 0; k < at->block; k++)
        PASS_MEM(at->ahead[k].x = ARENA_NEW(&r->mem, double, n));
    at->col = at->ahead[0];
    return PARE_OK;
}

pare_status cert_begin(cert_columns *at, cert_reader *r, const cert_job *job, int64_t n_dual,
                       const pare_ctx *ctx, pare_error *err) {
    if (job->n_dual < n_dual)
        return error_set(err, PARE_E_FORMAT, "the model has %lld columns of \"dual\", not %lld",
                         (long long)job->n_dual, (long long)n_dual);
    PASS(cert_open(r, job, ctx, err));
    pare_status status = cert_columns_open(at, r, err);
    return status == PARE_OK ? PARE_OK : cert_close(r, status, err);
}

static int64_t feature_at(const cert_columns *at, int64_t i) {
    const cert_job *job = at->reader->job;
    return job->cols ? job->cols[i] : i;
}

/* Columns from .. to - 1 of the block by one thread, which has a reader of its own. */
static void read_share(cert_columns *at, cert_walk *h, int64_t from, int64_t to) {
    cert_reader own = *at->reader;
    own.raw = h->raw;
    own.sorted = h->sorted;
    for (int64_t k = from; k < to; k++)
        cert_column_read(&own, feature_at(at, at->i + k), &at->ahead[k]);
    h->raw = own.raw;
}

/* Reads the columns from place i on, as many as a block has. */
static void read_ahead(cert_columns *at) {
    cert_reader *r = at->reader;
    int64_t left = r->job->n_cols - at->i, count = left < at->block ? left : at->block;
    int threads = r->n_helpers;
    at->ready = at->i + count;
    if (at->block == 1) {
        cert_column_read(r, feature_at(at, at->i), at->ahead);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int t = 0; t < threads; t++)
        read_share(at, &r->helper[t], count * t / threads, count * (t + 1) / threads);
}

bool cert_next(cert_columns *at) {
    if (++at->i >= at->reader->job->n_cols) return false;
    if (at->i >= at->ready) read_ahead(at);
    at->col = at->ahead[at->i % at->block];
    at->j = feature_at(at, at->i);
    at->position = at->position_of[at->j];
    return true;
}

/* The median. With integer weights: the mean of the middle two of the values, each repeated that
 * often; else the first at which half of the weight is reached. */
static double weighted_median(const ranked *v, int64_t count, const double *weight, double total) {
    double first = floor((total + 1) / 2), second = floor(total / 2) + 1, reached = 0;
    double low = NAN, high = NAN;
    for (int64_t i = 0; weight && i < count; i++)
        if (weight[v[i].index] != floor(weight[v[i].index])) first = second = total / 2;
    for (int64_t i = 0; i < count && isnan(high); i++) {
        reached += weight ? weight[v[i].index] : 1;
        if (isnan(low) && reached >= first) low = v[i].key;
        if (reached >= second) high = v[i].key;
    }
    return (low + high) / 2;
}

/* The fill of the missing values of the column in x: its mean or median over the other values. */
static double fill_value(cert_reader *r, const double *x, int64_t n) {
    const double *weight = r->job->weight;
    double sum = 0, total = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[i] : 1;
        if (isnan(x[i])) continue;
        sum += w * x[i];
        total += w;
        r->sorted[count++] = (ranked){x[i], i};
    }
    if (count == 0) return 0;
    bool same = true; /* the mean of equal numbers is that number, not one rounding away from it */
    for (int64_t i = 1; i < count; i++) same &= r->sorted[i].key == r->sorted[0].key;
    if (same) return r->sorted[0].key;
    if (strcmp(r->job->missing, "median") != 0) return sum / total;
    sort_least_first(r->sorted, count);
    return weighted_median(r->sorted, count, weight, total);
}

/* The quantile p of the sorted values: with integer weights as if every value were repeated that
 * often, between two of them by interpolation; else where that share of the weight is reached. */
static double quantile(const ranked *v, int64_t n, const double *weight, double p) {
    double total = 0, reached = 0, low = v[n - 1].key, high = low;
    bool whole = true, below = false;
    for (int64_t i = 0; i < n; i++) {
        double w = weight ? weight[v[i].index] : 1;
        total += w;
        whole = whole && fmod(w, 1) == 0;
    }
    double place = whole ? p * (total - 1) + 1 : p * total; /* counted from 1 */
    for (int64_t i = 0; i < n; i++) {
        reached += weight ? weight[v[i].index] : 1;
        if (!below && reached >= (whole ? floor(place) : place)) {
            low = v[i].key;
            below = true;
        }
        if (reached >= floor(place) + 1) {
            high = v[i].key;
            break;
        }
    }
    return whole ? low + (high - low) * (place - floor(place)) : low;
}

/* Transforms the filled column to asinh((x - median) / spread), unless it has two values at
 * most. */
static void make_robust(cert_reader *r, cert_column *out, int64_t n) {
    const double *weight = r->job->weight;
    for (int64_t i = 0; i < n; i++) r->sorted[i] = (ranked){out->x[i], i};
    sort_least_first(r->sorted, n);
    int64_t values = 1;
    double total = 0, mean = 0, var = 0;
    for (int64_t i = 1; i < n; i++) values += r->sorted[i].key != r->sorted[i - 1].key;
    if (values <= 2) return;
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    for (int64_t i = 0; i < n; i++) mean += (weight ? weight[i] : 1) / total * out->x[i];
    for (int64_t i = 0; i < n; i++)
        var += (weight ? weight[i] : 1) / total * (out->x[i] - mean) * (out->x[i] - mean);
    out->median = quantile(r->sorted, n, weight, 0.5);
    double range = quantile(r->sorted, n, weight, 0.75) - quantile(r->sorted, n, weight, 0.25);
    out->spread = range > 0 ? range / 1.35 : sqrt(var);
    for (int64_t i = 0; i < n; i++) out->x[i] = asinh((out->x[i] - out->median) / out->spread);
}

/* Whether values differ by more than the rounding of one number, which scaled rows have. */
static bool is_varied(const double *x, int64_t n) {
    double min = INFINITY, max = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < min) min = x[i];
        if (x[i] > max) max = x[i];
    }
    return max - min > 4 * DBL_EPSILON * fmax(fabs(min), fabs(max));
}

void cert_column_fill(cert_reader *r, int64_t j, cert_column *out) {
    int64_t n = r->job->data->x.n;
    column c;
    walk_at(&r->raw, j, &c);
    column_spread(&c, n, out->x);
    for (int64_t i = 0; r->row && i < n; i++) out->x[i] *= r->idf[j] * r->row[i];
    bool missing = false;
    for (int64_t e = 0; e < c.count; e++) missing |= isnan(c.value[e]);
    out->fill = missing || r->fills ? fill_value(r, out->x, n) : 0;
    for (int64_t i = 0; i < n; i++)
        if (isnan(out->x[i])) out->x[i] = out->fill;
}

void cert_column_read(cert_reader *r, int64_t j, cert_column *out) {
    int64_t n = r->job->data->x.n;
    const double *weight = r->job->weight;
    const char *kind = r->job->scale;
    cert_column_fill(r, j, out);
    if (r->batch) cert_batch_take(r, j, out->x);
    bool robust = strcmp(kind, "robust") == 0, varies = is_varied(out->x, n);
    out->median = out->spread = 0;
    if (robust) make_robust(r, out, n);
    double total = 0, mean = 0, var = 0, square = 0, min = INFINITY, max = -INFINITY;
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    for (int64_t i = 0; i < n; i++) { /* shares first: a sum of squares may be too large */
        double share = (weight ? weight[i] : 1) / total;
        mean += share * out->x[i];
        square += share * out->x[i] * out->x[i];
        if (out->x[i] < min) min = out->x[i];
        if (out->x[i] > max) max = out->x[i];
    }
    for (int64_t i = 0; i < n; i++)
        var += (weight ? weight[i] : 1) / total * (out->x[i] - mean) * (out->x[i] - mean);
    out->mean = varies ? mean : min;
    out->shift = 0;
    out->scale = 1;
    if (robust || strcmp(kind, "standard") == 0) {
        out->shift = mean;
        out->scale = 1 / sqrt(var);
    } else if (strcmp(kind, "unit") == 0) {
        out->scale = 1 / sqrt(square);
    } else if (strcmp(kind, "minmax") == 0) {
        out->shift = min;
        out->scale = 1 / (max - min);
    }
    /* A regression without intercept on unscaled data uses constant columns too, if not zero. */
    bool level =
        r->job->y->task->real && !r->job->with_intercept && strcmp(kind, "none") == 0 && min != 0;
    if ((!varies && !level) || !isfinite(out->scale)) out->scale = 0;
    if (r->job->divides) out->scale /= r->job->divides[j];
    if (r->basis) cert_partial_take(r, j, out);
}

pare_certificate cert_gap(double primal, double dual) {
    double gap = primal - dual, size = fmax(fabs(primal), fabs(dual));
    double relative = gap == 0 ? 0 : isfinite(gap) && isfinite(size) ? gap / size : INFINITY;
    return (pare_certificate){PARE_CERT_DUALITY_GAP, gap, relative};
}

/* Steps that all methods' results share: ranking, support, notes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "method/method.h"

void fit_result_init(fit_result *r, const pare_ctx *ctx) {
    memset(r, 0, sizeof *r);
    arena_init(&r->mem, ctx_allocator(ctx));
    r->objective = NAN;
}

void fit_result_free(fit_result *r) {
    strings_free(&r->notes, &r->mem.mem);
    void *const of_path[] = {r->path.point, r->path.b, r->path.start, r->path.index, r->path.coef};
    for (int i = 0; i < 5; i++) mem_free(&r->mem.mem, of_path[i]);
    arena_free(&r->mem);
}

all_settings *fit_settings(fit_result *r, const fit_job *job) {
    r->set = job->selected ? *job->selected : *job->set;
    return &r->set;
}

pare_status fit_note(fit_result *r, pare_error *err, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return strings_add(&r->notes, &r->mem.mem, text, (int64_t)strlen(text)) ? PARE_OK
                                                                            : error_memory(err);
}

static bool grow(const fit_result *r, void *block, int64_t capacity, int64_t width, size_t size) {
    return mem_resize(&r->mem.mem, block, capacity * width, size);
}

pare_status fit_path_point(fit_result *r, pare_lambda_point point, int64_t c, const double *b,
                           pare_error *err) {
    fit_path *p = &r->path;
    p->outputs = c;
    if (p->count == p->point_capacity) {
        int64_t capacity = 2 * p->point_capacity + 64;
        if (!grow(r, &p->point, capacity, 1, sizeof *p->point) ||
            !grow(r, &p->b, capacity, c, sizeof *p->b) ||
            !grow(r, &p->start, capacity, 1, sizeof *p->start))
            return error_memory(err);
        p->point_capacity = capacity;
    }
    p->point[p->count] = point;
    p->start[p->count] = p->rows;
    memcpy(p->b + p->count++ * c, b, sizeof *b * (size_t)c);
    return PARE_OK;
}

pare_status fit_path_row(fit_result *r, int64_t j, const double *w, int64_t stride,
                         pare_error *err) {
    fit_path *p = &r->path;
    if (p->rows == p->row_capacity) {
        int64_t capacity = 2 * p->row_capacity + 256;
        if (!grow(r, &p->index, capacity, 1, sizeof *p->index) ||
            !grow(r, &p->coef, capacity, p->outputs, sizeof *p->coef))
            return error_memory(err);
        p->row_capacity = capacity;
    }
    p->index[p->rows] = j;
    for (int64_t o = 0; o < p->outputs; o++)
        p->coef[p->rows * p->outputs + o] = w ? w[o * stride] : 0;
    p->rows++;
    return PARE_OK;
}

double fit_path_lambda(double lambda_max, double least, int64_t i, int64_t count) {
    return count < 2 ? lambda_max : lambda_max * pow(least, (double)i / (double)(count - 1));
}

bool fit_path_has(double lambda, double lambda_max, double least, int64_t count) {
    if (count < 2) return lambda == lambda_max;
    double at = round(log(lambda / lambda_max) / log(least) * (double)(count - 1));
    bool inside = at >= 0 && at < (double)count;
    return inside && lambda == fit_path_lambda(lambda_max, least, (int64_t)at, count);
}

double fit_per_cost(const fit_job *job, int64_t j, double score) {
    double cost = terms_cost(&job->terms, job->x->cols ? job->x->cols[j] : j);
    return score < 0 ? score * cost : score / cost;
}

double *fit_cost_factors(arena *mem, const fit_job *job, double power) {
    double *out = ARENA_NEW(mem, double, job->x->d);
    for (int64_t j = 0; out && j < job->x->d; j++)
        out[j] = pow(terms_cost(&job->terms, job->x->cols ? job->x->cols[j] : j), power);
    return out;
}

pare_status fit_signs(const signed char **out, arena *mem, const fit_job *job, pare_error *err) {
    const view *x = job->x;
    *out = NULL;
    if (!job->terms.sign) return PARE_OK;
    signed char *sign = ARENA_NEW(mem, signed char, x->d);
    if (!sign) return error_memory(err);
    for (int64_t j = 0; j < x->d; j++) sign[j] = job->terms.sign[x->cols ? x->cols[j] : j];
    *out = sign;
    return PARE_OK;
}

double *fit_weights(arena *mem, const double *weight, int64_t n, double *total) {
    double *out = ARENA_NEW(mem, double, n), sum = 0;
    for (int64_t i = 0; out && i < n; i++) sum += out[i] = weight ? weight[i] : 1;
    if (total) *total = sum;
    return out;
}

view fit_centred(const fit_job *job) {
    view x = *job->x;
    if (job->mean) x.shift = job->mean;
    return x;
}

double fit_moved(const fit_job *job, int64_t j) {
    const view *x = job->x;
    int64_t base = x->cols ? x->cols[j] : j;
    if (!job->mean) return 0;
    return (job->mean[base] - (x->shift ? x->shift[base] : 0)) * (x->scale ? x->scale[base] : 1);
}

pare_status fit_gram(const fit_job *job, bool centred, double *K, const pare_ctx *ctx,
                     pare_error *err) {
    view x = centred ? fit_centred(job) : *job->x;
    x.single_precision = job->of_gram == GRAM_SINGLE;
    bool same = (job->of_gram == GRAM_CENTRED) == (centred && job->mean);
    if (!job->gram || !same) return mat_gram(&x, NULL, NULL, K, ctx, err);
    memcpy(K, job->gram, sizeof *K * (size_t)(job->x->n * job->x->n));
    return PARE_OK;
}

pare_status fit_rank(fit_result *r, int64_t d, pare_error *err) {
    ranked *v = mem_alloc(&r->mem.mem, d, sizeof *v);
    r->ranking = ARENA_NEW(&r->mem, int64_t, d);
    if (!v || !r->ranking) {
        mem_free(&r->mem.mem, v);
        return error_memory(err);
    }
    for (int64_t j = 0; j < d; j++) v[j] = (ranked){r->score[j], j};
    sort_best_first(v, d);
    for (int64_t j = 0; j < d; j++) r->ranking[j] = v[j].index;
    mem_free(&r->mem.mem, v);
    return PARE_OK;
}

pare_status fit_rank_first(fit_result *r, int64_t d, pare_error *err) {
    int64_t most = r->first > r->n_support ? r->first : r->n_support, at = 0;
    if (r->first < 1 || most < 1 || most > d / 8) return fit_rank(r, d, err);
    ranked *best = mem_alloc(&r->mem.mem, most, sizeof *best);
    r->ranking = ARENA_NEW(&r->mem, int64_t, d);
    if (!best || !r->ranking) {
        mem_free(&r->mem.mem, best);
        return error_memory(err);
    }
    for (int64_t j = 0; j < d; j++) keep_best(best, &at, most, (ranked){r->score[j], j});
    sort_best_first(best, most);
    for (int64_t i = 0; i < most; i++) r->ranking[i] = best[i].index;
    ranked last = best[most - 1];
    mem_free(&r->mem.mem, best);
    for (int64_t j = 0; j < d; j++)
        if (order_best((ranked){r->score[j], j}, last) > 0) r->ranking[at++] = j;
    return PARE_OK;
}

bool fit_take_scores(fit_result *r, fit_scores *from, int64_t d) {
    if (!from || !from->score) return false;
    memcpy(r->score, from->score, sizeof *r->score * (size_t)d);
    mem_free(&r->mem.mem, from->score);
    from->score = NULL;
    return true;
}

void fit_score_eliminated(fit_result *r, const double *price, int64_t d) {
    for (int64_t j = 0; j < d; j++)
        if (r->score[j] == 0) r->score[j] = fmin(price[j], 1) - 1;
}

pare_status fit_support(fit_result *r, const double *W, int64_t d, int64_t c, pare_error *err) {
    return fit_support_priced(r, W, NULL, d, c, err);
}

pare_status fit_support_priced(fit_result *r, const double *W, const double *price, int64_t d,
                               int64_t c, pare_error *err) {
    r->score = ARENA_NEW(&r->mem, double, d);
    if (!r->score) return error_memory(err);
    r->n_support = 0;
    for (int64_t j = 0; j < d; j++) {
        double norm = 0; /* hypot: weights of raw intensities may be as small as 1e-200 */
        for (int64_t o = 0; o < c; o++) norm = hypot(norm, W[o * d + j]);
        r->score[j] = norm;
        r->n_support += norm > 0;
    }
    if (price) fit_score_eliminated(r, price, d);
    PASS(fit_rank_first(r, d, err));
    r->support = r->ranking; /* a column of score 0 ranks behind all of the support */
    r->n_outputs = c;
    r->W = ARENA_NEW(&r->mem, double, r->n_support *c);
    if (!r->W) return error_memory(err);
    for (int64_t o = 0; o < c; o++)
        for (int64_t i = 0; i < r->n_support; i++)
            r->W[o * r->n_support + i] = W[o * d + r->support[i]];
    return PARE_OK;
}

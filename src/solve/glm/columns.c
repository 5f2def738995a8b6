#include "solve/glm/columns.h"

#include <cblas.h>
#include <string.h>

#include "base/error.h"

void columns_open(columns *w, const view *x, const double *share, bool intercept,
                  const pare_ctx *ctx) {
    bool sparse = mat_is_sparse(x->x) && (intercept || !x->shift);
    *w = (columns){
        .x = x, .share = share, .ctx = ctx, .intercept = intercept, .sparse = sparse, .n = x->n};
}

void columns_close(columns *w) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    mem_free(mem, w->value);
    mem_free(mem, w->row);
    mem_free(mem, w->start);
    mem_free(mem, w->dense);
    mem_free(mem, w->rest);
}

static bool grow(columns *w, int64_t count) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    if (count <= w->capacity) return true;
    int64_t more = count + count / 4 + 16;
    size_t dense;
    if (!size_mul(w->n, more, &dense)) return false;
    if (!mem_resize(mem, &w->rest, more, sizeof(double))) return false;
    if (!w->sparse && !mem_resize(mem, &w->dense, (int64_t)dense, sizeof(double))) return false;
    if (w->sparse && !mem_resize(mem, &w->start, more + 1, sizeof(int64_t))) return false;
    if (w->sparse && w->count == 0) w->start[0] = 0;
    w->capacity = more;
    return true;
}

static void add_dense(columns *w, int64_t k) {
    double *x = w->dense + k * w->n, mean = 0;
    for (int64_t i = 0; w->intercept && i < w->n; i++) mean += w->share[i] * x[i];
    for (int64_t i = 0; i < w->n; i++) x[i] -= mean;
    w->rest[k] = mean;
}

static bool add_sparse(columns *w, int64_t k, const column *c) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    int64_t at = w->start[k];
    if (at + c->count > w->entry_capacity) {
        int64_t more = 2 * w->entry_capacity + c->count + 1024;
        if (!mem_resize(mem, &w->row, more, sizeof(int32_t))) return false;
        if (!mem_resize(mem, &w->value, more, sizeof(double))) return false;
        w->entry_capacity = more;
    }
    for (int64_t e = 0; e < c->count; e++) {
        w->row[at + e] = c->index ? c->index[e] : (int32_t)e;
        w->value[at + e] = c->value[e] - c->rest;
    }
    w->rest[k] = c->rest;
    w->start[k + 1] = at + c->count;
    return true;
}

pare_status columns_add(columns *w, const int64_t *S, int64_t more, pare_error *err) {
    int64_t from = w->count;
    if (more == 0) return PARE_OK;
    if (!grow(w, from + more)) return error_memory(err);
    if (!w->sparse) {
        pare_status status = mat_columns(w->x, S, more, w->dense + from * w->n, w->ctx, err);
        if (status != PARE_OK) return status;
        for (int64_t k = 0; k < more; k++) add_dense(w, from + k);
        w->count += more;
        return PARE_OK;
    }
    walk along;
    column c;
    int64_t k;
    pare_status status = walk_open(&along, w->x, S, more, w->ctx, err);
    if (status != PARE_OK) return status;
    while (status == PARE_OK && walk_next(&along, &k, &c))
        if (!add_sparse(w, from + k, &c)) status = error_memory(err);
    status = walk_end(&along, status, err);
    if (status == PARE_OK) w->count += more;
    return status;
}

static void move_sparse(columns *w, int64_t to, int64_t from) {
    int64_t size = w->start[from + 1] - w->start[from];
    memmove(w->row + w->start[to], w->row + w->start[from], sizeof *w->row * (size_t)size);
    memmove(w->value + w->start[to], w->value + w->start[from], sizeof *w->value * (size_t)size);
    w->start[to + 1] = w->start[to] + size;
}

void columns_keep(columns *w, const int64_t *keep, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        if (keep[k] == k) continue;
        w->rest[k] = w->rest[keep[k]];
        if (w->sparse)
            move_sparse(w, k, keep[k]);
        else
            memcpy(w->dense + k * w->n, w->dense + keep[k] * w->n, sizeof(double) * (size_t)w->n);
    }
    w->count = count;
}

int64_t columns_entries(const columns *w, int64_t k) {
    return w->sparse ? w->start[k + 1] - w->start[k] : w->n;
}

/* For one output, BLAS's matrix product would first copy all columns. */
void dense_sum(int64_t n, int64_t count, const double *x, int64_t c, const double *in, double *T) {
    if (c == 1)
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)count, 1, x, (int)n, in, 1, 0, T, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)n, (int)c, (int)count, 1, x,
                    (int)n, in, (int)c, 0, T, (int)c);
}

void dense_dots(int64_t n, int64_t count, const double *x, int64_t c, double by, const double *T,
                double *out) {
    if (c == 1)
        cblas_dgemv(CblasColMajor, CblasTrans, (int)n, (int)count, by, x, (int)n, T, 1, 0, out, 1);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, (int)c, (int)n, by, x,
                    (int)n, T, (int)c, 0, out, (int)c);
}

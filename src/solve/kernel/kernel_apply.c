#include "solve/kernel/kernel_apply.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "la/product/dot.h"
#include "solve/kernel/gauss_row.h"
#include "solve/kernel/value_groups.h"

enum { TILE = 32 }; /* features read at a time */

/* A feature as points with masses, and the values at which the sum is evaluated. */
typedef struct massed {
    double weight, gamma;
    int64_t points;
    double *value;     /* n + 1 */
    double *mass;      /* (n + 1) x c */
    double *other;     /* m */
    double common;     /* a value that many of the other samples may have, or NaN */
    double *at_common; /* c: the sum there */
} massed;

typedef struct apply_work {
    walk fit, others;
    value_groups groups;
    double *k;   /* n + 1 */
    double *sum; /* c */
} apply_work;

typedef struct apply_job {
    kernel_kind kind;
    const double *U;
    double *U_sum; /* c */
    int64_t n, m, c, stride;
    massed *tile;
    int64_t features; /* in the tile */
} apply_job;

static bool job_make(apply_job *job, arena *mem) {
    job->U_sum = ARENA_ZERO(mem, double, job->c);
    job->tile = ARENA_NEW(mem, massed, TILE);
    if (!job->U_sum || !job->tile) return false;
    for (int64_t o = 0; o < job->c; o++)
        for (int64_t i = 0; i < job->n; i++) job->U_sum[o] += job->U[o * job->n + i];
    for (int64_t j = 0; j < TILE; j++) {
        massed *f = &job->tile[j];
        f->value = ARENA_NEW(mem, double, job->stride);
        f->mass = ARENA_NEW(mem, double, job->stride * job->c);
        f->other = ARENA_NEW(mem, double, job->m);
        f->at_common = ARENA_NEW(mem, double, job->c);
        if (!f->value || !f->mass || !f->other || !f->at_common) return false;
    }
    return true;
}

/* sum_p mass_p (k(value_p, at) - 1) of every output. */
static void apply_at(double *sum, const apply_job *job, const massed *f, double at, double *k) {
    kernel_row(k, f->value, f->points, at, job->kind, -f->gamma);
    for (int64_t o = 0; o < job->c; o++)
        sum[o] = f->weight * la_dot(k, f->mass + o * job->stride, f->points);
}

static int64_t commonest(const value_groups *g, const column *col) {
    int64_t size[MAX_GROUPS] = {0}, largest = 0;
    for (int64_t e = 0; e < col->count; e++) size[g->code[e]]++;
    for (int64_t a = 1; a < g->count; a++)
        if (size[a] > size[largest]) largest = a;
    return largest;
}

/* A point for every distinct value if they are few, for every listed sample and the unlisted ones
 * together otherwise. */
static void set_points(massed *f, const apply_job *job, value_groups *g, const column *col) {
    bool few = value_groups_find(g, col, NULL, NULL, job->n, 0, false);
    int64_t rest = few ? g->rest : col->count;
    bool has_rest = few ? rest >= 0 : col->index && col->count < job->n;
    f->points = few ? g->count : col->count + has_rest;
    memcpy(f->value, few ? g->value : col->value,
           sizeof(double) * (size_t)(few ? g->count : col->count));
    if (has_rest) f->value[rest] = col->rest;
    for (int64_t o = 0; o < job->c; o++) {
        const double *U = job->U + o * job->n;
        double *mass = f->mass + o * job->stride, listed = 0;
        memset(mass, 0, sizeof *mass * (size_t)f->points);
        for (int64_t e = 0; e < col->count; e++) {
            double u = U[col->index ? col->index[e] : e];
            mass[few ? g->code[e] : e] += u;
            listed += u;
        }
        if (has_rest) mass[rest] += job->U_sum[o] - listed;
    }
    f->common = has_rest ? col->rest : few ? g->value[commonest(g, col)] : NAN;
}

static void set_others(massed *f, int64_t m, const column *col) {
    for (int64_t t = 0; t < m; t++) f->other[t] = col->rest;
    for (int64_t e = 0; e < col->count; e++)
        f->other[col->index ? col->index[e] : e] = col->value[e];
}

static void read_feature(apply_job *job, apply_work *w, massed *f, int64_t j,
                         const kernel_sum *sum) {
    column col;
    f->weight = sum->weight[j];
    f->gamma = sum->gamma[j];
    walk_at(&w->fit, j, &col);
    set_points(f, job, &w->groups, &col);
    if (!isnan(f->common)) apply_at(f->at_common, job, f, f->common, w->k);
    walk_at(&w->others, j, &col);
    set_others(f, job->m, &col);
}

/* The features of the tile in sample t. */
static void add_sample(double *F, const apply_job *job, apply_work *w, int64_t t) {
    for (int64_t j = 0; j < job->features; j++) {
        const massed *f = &job->tile[j];
        bool common = f->other[t] == f->common;
        if (!common) apply_at(w->sum, job, f, f->other[t], w->k);
        for (int64_t o = 0; o < job->c; o++)
            F[o * job->m + t] += common ? f->at_common[o] : w->sum[o];
    }
}

/* The kernels' ones: sum_j w_j sum_i U_io. */
static void begin(double *F, const apply_job *job, const kernel_sum *sum, int64_t d) {
    double weight = 0;
    for (int64_t j = 0; j < d; j++) weight += sum->weight[j];
    for (int64_t o = 0; o < job->c; o++)
        for (int64_t t = 0; t < job->m; t++) F[o * job->m + t] = weight * job->U_sum[o];
}

pare_status kernel_apply(double *F, const view *x, const view *others, const kernel_sum *sum,
                         const double *U, int64_t c, const pare_ctx *ctx, pare_error *err) {
    int threads = ctx_threads(ctx);
    apply_job job = {
        .kind = sum->kind, .U = U, .n = x->n, .m = others->n, .c = c, .stride = x->n + 1};
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    apply_work *work = ARENA_ZERO(&mem, apply_work, threads);
    TRY_MEM(work);
    TRY_MEM(job_make(&job, &mem));
    for (int t = 0; t < threads; t++) {
        apply_work *w = &work[t];
        TRY_MEM(w->k = ARENA_NEW(&mem, double, job.stride));
        TRY_MEM(w->sum = ARENA_NEW(&mem, double, c));
        TRY_MEM(value_groups_make(&w->groups, &mem, x->n, 0));
        TRY(walk_open(&w->fit, x, NULL, x->d, ctx, err));
        TRY(walk_open(&w->others, others, NULL, x->d, ctx, err));
    }
    begin(F, &job, sum, x->d);
    for (int64_t j = 0; j < x->d;) {
        int64_t member[TILE];
        if (ctx_poll(ctx, "kernels", -1) != INTERRUPT_NONE) {
            status = error_set(err, PARE_E_CANCELLED, "stopped while samples were predicted");
            goto done;
        }
        for (job.features = 0; j < x->d && job.features < TILE; j++)
            if (sum->weight[j] != 0) member[job.features++] = j;
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int t = 0; t < threads; t++)
            for (int64_t f = job.features * t / threads; f < job.features * (t + 1) / threads; f++)
                read_feature(&job, &work[t], &job.tile[f], member[f], sum);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int t = 0; t < threads; t++)
            for (int64_t s = job.m * t / threads; s < job.m * (t + 1) / threads; s++)
                add_sample(F, &job, &work[t], s);
    }

done:
    for (int t = 0; work && t < threads; t++) {
        status = walk_end(&work[t].others, status, err);
        status = walk_end(&work[t].fit, status, err);
    }
    arena_free(&mem);
    return status;
}

/* How the nested CV estimate grows with the number of samples: the path on stratified subsamples of the
 * data, and an inverse power law through their scores.
 *
 * PROBLEM    score(n) = a - b n^-c, c in (0, 1], least squares over the scores of all subsamples;
 *            b >= 0 for metrics of which more is better, b <= 0 for the others; a is a value of the metric
 * ALGORITHM  for c on a grid a and b are linear; the best c is refined by golden section
 * GUARANTEE  none beyond the data: a larger n is an extrapolation */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "base/rng.h"
#include "data/sample/folds.h"
#include "path/sample_size.h"
#include "problem/problem.h"
#include "select/plan.h"

enum { PURPOSE_DRAW = 0x64726177, PURPOSE_REFIT = 0x72656674, GRID = 50, REFINEMENTS = 40 };
enum { MIN_OF_CLASS = 6, MIN_SAMPLES = 12, MIN_POINTS = 3, RESAMPLES = 500 };
static const double LEAST_SHARE = 0.2, MAX_N = 1e9;

/* --- the curve --- */

typedef struct bounds {
    bool higher;
    double least, most;
} bounds;

/* Sum of squared residuals. */
static double squares(const learning_curve *f, const double *n, const double *score,
                      int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += pow(score[i] - learning_curve_at(f, n[i]), 2);
    return sum;
}

/* a and b for this c, within the bounds; returns the sum of squares. */
static double fit_linear(learning_curve *f, double c, const double *n, const double *score,
                         int64_t count, const bounds *in) {
    double mean_u = 0, mean = 0, uu = 0, uy = 0;
    for (int64_t i = 0; i < count; i++) {
        mean_u += pow(n[i], -c) / (double)count;
        mean += score[i] / (double)count;
    }
    for (int64_t i = 0; i < count; i++) {
        double u = pow(n[i], -c) - mean_u;
        uu += u * u;
        uy += u * (score[i] - mean);
    }
    *f = (learning_curve){mean, uu > 0 ? -uy / uu : 0, c};
    if (in->higher ? f->b < 0 : f->b > 0) f->b = 0;
    f->a = mean + f->b * mean_u;
    double edge = fmin(fmax(f->a, in->least), in->most);
    if (edge != f->a) { /* through the edge: b by least squares alone */
        double square = 0, product = 0;
        for (int64_t i = 0; i < count; i++) {
            double u = pow(n[i], -c);
            square += u * u;
            product += u * (edge - score[i]);
        }
        *f = (learning_curve){edge, product / square, c};
    }
    return squares(f, n, score, count);
}

static learning_curve fit_curve(const double *n, const double *score, int64_t count,
                                const bounds *in) {
    learning_curve best, one;
    double least = INFINITY, c = 1, step = 1.0 / GRID;
    for (int g = 1; g <= GRID; g++) {
        double own = fit_linear(&one, g * step, n, score, count, in);
        if (own < least) least = own, c = g * step;
    }
    double low = fmax(c - step, step / 10), high = fmin(c + step, 1), golden = (sqrt(5) - 1) / 2;
    for (int t = 0; t < REFINEMENTS; t++) {
        double left = high - golden * (high - low), right = low + golden * (high - low);
        if (fit_linear(&one, left, n, score, count, in) <=
            fit_linear(&one, right, n, score, count, in))
            high = right;
        else
            low = left;
    }
    fit_linear(&best, (low + high) / 2, n, score, count, in);
    return best;
}

double learning_curve_at(const learning_curve *f, double n) { return f->a - f->b * pow(n, -f->c); }

double learning_curve_reaches(const learning_curve *f, double score, bool higher) {
    double room = higher ? f->a - score : score - f->a, b = fabs(f->b);
    if (!(room > 0)) return NAN;
    double n = ceil(pow(b / room, 1 / f->c));
    return n <= MAX_N ? fmax(n, 1) : NAN;
}

/* --- the subsamples --- */

typedef struct drawing {
    const problem *of;
    const pare_data *data; /* as given */
    const int32_t *group;  /* of the samples of positive weight, or NULL */
    int64_t n, n_groups;
    int32_t *rows; /* n: of the data as given */
} drawing;

static int32_t row_of(const drawing *d, int64_t i) {
    return d->of->samples.rows ? d->of->samples.rows[i] : (int32_t)i;
}

/* About n whole groups' samples, or n samples stratified by outcome; returns how many. */
static pare_status draw(drawing *d, int64_t *n, uint64_t seed, const pare_ctx *ctx,
                        pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t kinds, wanted = *n, count = 0;
    bool *taken = ARENA_ZERO(&mem, bool, d->n);
    int64_t *order = ARENA_NEW(&mem, int64_t, d->n_groups);
    rng r;
    TRY_MEM(taken && order);
    if (wanted >= d->n) {
        for (int64_t i = 0; i < d->n; i++) taken[i] = true;
    } else if (d->group) {
        rng_seed(&r, seed, PURPOSE_DRAW);
        for (int64_t g = 0; g < d->n_groups; g++) order[g] = g;
        rng_shuffle(&r, order, d->n_groups);
        for (int64_t g = 0; g < d->n_groups && count < wanted; g++)
            for (int64_t i = 0; i < d->n; i++)
                if (d->group[i] == order[g]) taken[i] = true, count++;
    } else {
        TRY(folds_split(taken, d->n, wanted, target_kinds(&d->of->y, &kinds), seed, ctx, err));
    }
    *n = 0;
    for (int64_t i = 0; i < d->n; i++)
        if (taken[i]) d->rows[(*n)++] = row_of(d, i);
done:
    arena_free(&mem);
    return status;
}

/* The nested CV estimate of the path on one subsample. */
static pare_status score_of(double *score, drawing *d, int64_t *n, const sample_size_job *job,
                            uint64_t seed, const pare_ctx *ctx, pare_error *err) {
    pare_data *part = NULL;
    pare_path *path = NULL;
    pare_ctx own = *ctx;
    pare_path_options o = *job->options;
    pare_status status = PARE_OK;
    own.seed = seed;
    if (!job->speaks) own.log = NULL;
    o.null_runs = o.substitutes = 0;
    TRY(draw(d, n, seed, ctx, err));
    TRY(pare_data_subset(&part, d->data, d->rows, *n, ctx, err));
    TRY(pare_path_run(&path, part, &job->settings, 1, &o, &own, err));
    *score = pare_path_number(path, "runs", "chosen.nested.mean", 0, 0);
    if (!pare_path_complete(path))
        status = error_set(err, PARE_E_CANCELLED, "stopped before the last subsample");
    else if (isnan(*score))
        status =
            error_set(err, PARE_E_DATA,
                      "a subsample of %lld samples has no nested estimate: ask for `inner` 2 or "
                      "more, and for fewer `points`",
                      (long long)*n);
done:
    pare_path_free(path);
    pare_data_free(part);
    return status;
}

static int64_t smallest_kind(const target *y, int64_t n) {
    int64_t kinds, least = n;
    const int32_t *kind = target_kinds(y, &kinds);
    for (int32_t c = 0; kind && c < kinds; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += kind[i] == c;
        if (target_needs(y, c) && count < least) least = count;
    }
    return least;
}

/* Sizes from a fifth of the samples, or what six of the smallest class need, to all of them, each larger by
 * the same factor. */
static pare_status set_sizes(sample_size *out, const drawing *d, pare_error *err) {
    double n = (double)d->n, smallest = (double)smallest_kind(&d->of->y, d->n);
    double least = fmax(fmax(LEAST_SHARE * n, MIN_SAMPLES), MIN_OF_CLASS * n / smallest);
    if (!(least < 0.8 * n))
        return error_set(
            err, PARE_E_DATA,
            "%lld samples, %lld of the smallest class, are too few for a learning curve: "
            "its subsamples need %d, and %d of each class",
            (long long)d->n, (long long)smallest, MIN_SAMPLES, MIN_OF_CLASS);
    for (int64_t i = 0; i < out->n_points; i++) {
        double share = (double)i / (double)(out->n_points - 1);
        out->n[i] = floor(least * pow(n / least, share) + 0.5);
    }
    return PARE_OK;
}

static pare_status run_draws(sample_size *out, drawing *d, const sample_size_job *job,
                             const pare_ctx *ctx, pare_error *err) {
    for (int64_t i = 0; i < out->n_points; i++) {
        double sum = 0;
        for (int64_t q = 0; q < out->n_draws; q++) {
            int64_t at = i * out->n_draws + q, n = (int64_t)out->n[i];
            uint64_t seed = plan_seed(ctx->seed, PURPOSE_DRAW + (uint64_t)at);
            sample_size_job one = *job; /* what all samples give rise to is said once */
            one.speaks = i == out->n_points - 1 && q == 0;
            PASS(score_of(&out->score[at], d, &n, &one, seed, ctx, err));
            out->size[at] = (double)n;
            sum += (double)n;
        }
        out->n[i] = floor(sum / (double)out->n_draws + 0.5); /* whole groups are not exact */
    }
    return PARE_OK;
}

/* --- what is said of them --- */

static void quantiles(double *low, double *high, double *v, int64_t count) {
    sort_up(v, count);
    *low = v[(int64_t)(0.025 * (double)(count - 1) + 0.5)];
    *high = v[(int64_t)(0.975 * (double)(count - 1) + 0.5)];
}

/* The curve, and what it is on draws of the draws of each point. */
static pare_status fit_all(sample_size *out, const bounds *in, double wanted, uint64_t seed,
                           arena *mem, pare_error *err) {
    int64_t count = out->n_points * out->n_draws;
    double *n, *score, *a, *at;
    rng r;
    PASS_MEM(ARENA_NEWS(mem, double, count, &n, &score));
    PASS_MEM(ARENA_NEWS(mem, double, RESAMPLES, &a, &at));
    out->curve = fit_curve(out->size, out->score, count, in);
    out->reached = learning_curve_reaches(&out->curve, wanted, in->higher);
    rng_seed(&r, plan_seed(seed, PURPOSE_REFIT), 0);
    for (int64_t e = 0; e < RESAMPLES; e++) {
        for (int64_t i = 0; i < count; i++) {
            int64_t from = i / out->n_draws * out->n_draws + rng_below(&r, out->n_draws);
            n[i] = out->size[from];
            score[i] = out->score[from];
        }
        learning_curve one = fit_curve(n, score, count, in);
        double reaches = learning_curve_reaches(&one, wanted, in->higher);
        a[e] = one.a;
        at[e] = isnan(reaches) ? INFINITY : reaches;
    }
    quantiles(&out->a_low, &out->a_high, a, RESAMPLES);
    if (!isnan(wanted)) quantiles(&out->reached_low, &out->reached_high, at, RESAMPLES);
    return PARE_OK;
}

static void describe_points(sample_size *out, double *scratch) {
    for (int64_t i = 0; i < out->n_points; i++) {
        double sum = 0;
        for (int64_t q = 0; q < out->n_draws; q++)
            sum += scratch[q] = out->score[i * out->n_draws + q];
        out->mean[i] = sum / (double)out->n_draws;
        quantiles(&out->low[i], &out->high[i], scratch, out->n_draws);
    }
}

static pare_status open_drawing(drawing *d, const problem *of, const pare_data *data, arena *mem,
                                const pare_ctx *ctx, pare_error *err) {
    *d = (drawing){.of = of, .data = data, .n = of->data->x.n};
    d->n_groups = d->n;
    PASS_MEM(d->rows = ARENA_NEW(mem, int32_t, d->n));
    if (!of->data->fold_group.count) return PARE_OK;
    int32_t *group = ARENA_NEW(mem, int32_t, d->n);
    PASS_MEM(group);
    d->group = group;
    return plan_number(group, &d->n_groups, &of->data->fold_group, ctx, err);
}

static pare_status alloc(sample_size *out, pare_error *err) {
    arena *mem = &out->mem;
    int64_t count = out->n_points * out->n_draws;
    PASS_MEM(ARENA_NEWS(mem, double, out->n_points, &out->n, &out->mean, &out->low, &out->high));
    PASS_MEM(ARENA_NEWS(mem, double, count, &out->size, &out->score));
    return PARE_OK;
}

static pare_status check(const sample_size_job *job, pare_error *err) {
    const pare_path_options *o = job->options;
    bool given = o->leave_out || o->fold_file || o->fold_of || o->n_parts > 0;
    if (o->null_runs > 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`null`: a learning curve has no permutation test; pare path has");
    if (given || o->checkpoint || o->n_shards > 0 || o->error_control)
        return error_set(
            err, PARE_E_ARGUMENT,
            "a learning curve draws its own samples: given folds, cohorts, checkpoints "
            "and error control have no place in it");
    if (o->inner < 2)
        return error_set(err, PARE_E_ARGUMENT,
                         "a learning curve is of the nested estimate: `inner` must be at least 2");
    if (job->points < MIN_POINTS)
        return error_set(err, PARE_E_ARGUMENT, "`points`: %lld is not allowed; at least %d",
                         (long long)job->points, MIN_POINTS);
    if (job->draws < 2)
        return error_set(err, PARE_E_ARGUMENT, "`draws`: %lld is not allowed; at least 2",
                         (long long)job->draws);
    return PARE_OK;
}

static pare_status run(sample_size *out, const pare_data *data, const sample_size_job *job,
                       const pare_ctx *ctx, pare_error *err) {
    arena scratch = arena_of(ctx);
    problem of = {0};
    drawing d;
    pare_status status = PARE_OK;
    TRY(check(job, err));
    TRY(problem_open(&of, &scratch, data, &job->settings, 1, true, ctx, err));
    const task_type *task = of.y.task;
    int64_t metric = job->options->metric ? metric_find(task, job->options->metric) : 0;
    out->metric = &task->metric[metric < 0 ? 0 : metric]; /* the path rejects an unknown one */
    bounds in = {out->metric->higher, out->metric->least, out->metric->most};
    TRY(open_drawing(&d, &of, data, &scratch, ctx, err));
    TRY(alloc(out, err));
    TRY(set_sizes(out, &d, err));
    TRY(run_draws(out, &d, job, ctx, err));
    double *one = ARENA_NEW(&scratch, double, job->draws);
    TRY_MEM(one);
    describe_points(out, one);
    TRY(fit_all(out, &in, job->target, ctx->seed, &scratch, err));
done:
    problem_close(&of);
    arena_free(&scratch);
    return status;
}

void pare_sample_size_options_init_sized(pare_sample_size_options *o, size_t struct_size) {
    const pare_sample_size_options defaults = {
        .struct_size = sizeof defaults, .points = 6, .draws = 20, .target_score = NAN};
    options_give(o, struct_size, &defaults, sizeof defaults);
}

pare_status pare_sample_size_run(pare_sample_size **out, const pare_data *data,
                                 const pare_settings *settings, const pare_path_options *options,
                                 const pare_sample_size_options *how, const pare_ctx *ctx,
                                 pare_error *err) {
    call c;
    pare_path_options path;
    pare_sample_size_options own;
    sample_size *s = NULL;
    *out = NULL;
    pare_path_options_init(&path);
    pare_sample_size_options_init(&own);
    pare_status status = call_begin(&c, ctx, err);
    TRY(status);
    TRY(options_take(&path, options, sizeof path, "pare_path_options_init", err));
    TRY(options_take(&own, how, sizeof own, "pare_sample_size_options_init", err));
    TRY_MEM(s = mem_zero(ctx_allocator(&c.ctx), 1, sizeof *s));
    arena_init(&s->mem, ctx_allocator(&c.ctx));
    s->n_points = own.points;
    s->n_draws = own.draws;
    s->target = own.target_score;
    s->reached_low = s->reached_high = NAN;
    sample_size_job job = {settings, &path, own.points, own.draws, own.target_score, false};
    TRY(run(s, data, &job, &c.ctx, err));
    *out = s;
    s = NULL;
done:
    pare_sample_size_free(s);
    call_end(&c);
    return status;
}

void pare_sample_size_free(pare_sample_size *s) {
    if (!s) return;
    pare_allocator mem = s->mem.mem;
    arena_free(&s->mem);
    mem_free(&mem, s);
}

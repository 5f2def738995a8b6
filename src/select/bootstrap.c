#include "select/bootstrap.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "model/predictor.h"
#include "task/metrics.h"

enum { PURPOSE_BOOTSTRAP = 0x626f6f74, DRAWS = 1000, DRAWS_WHOLE = 400, ALL_SPLITS = -1 };

/* One metric of one run at one number of features in each split. */
typedef struct boot {
    const pare_path *p;
    int64_t m;
    const fold_result *alone; /* of each split: instead of the run's own; NULL: those */
    const struct boot *less;  /* what is subtracted in every resample; NULL: nothing */
    int64_t only;             /* the split that the metric is of; ALL_SPLITS: the mean over them */
    int64_t *size;            /* of each split, -1: none */
    double **loss; /* of each split, n_test: the values whose mean the metric is; NULL: it is not a
                      mean */
    double *value; /* of the resamples */
    int32_t *rows; /* scratch, with repeats */
    double *F;     /* the same */
} boot;

/* Whether split j counts for a metric of split `only`. */
static bool counts(int64_t only, int64_t j) { return only == ALL_SPLITS || only == j; }

static const fold_result *result_of(const pare_path *p, int64_t j, int64_t m) {
    return &p->round.result[j * p->setup.n_methods + m];
}

static const fold_result *scored(const boot *b, int64_t j) {
    return b->alone ? &b->alone[j] : result_of(b->p, j, b->m);
}

static const char *metric_name(const pare_path *p) {
    return p->y.task->metric[p->setup.metric].name;
}

/* The contribution of one sample to a metric that is a mean over samples; NaN: the metric is no
 * mean, or has no value here. */
static double loss_of(const pare_path *p, const fold_result *r, const cv_part *part, int64_t s,
                      int64_t i) {
    const char *name = metric_name(p);
    int64_t n = part->n_test, c = p->y.n_classes;
    const double *F = r->F + s * n * p->setup.outputs + i;
    const double *P = r->P ? r->P + s * n * c + i : NULL;
    int32_t row = part->test[i];
    if (strcmp(name, "accuracy") == 0)
        return scores_decide(F, p->setup.outputs, n) == p->y.cls[row];
    if (strcmp(name, "mean_absolute_error") == 0) return fabs(*F - p->y.value[row]);
    if (strcmp(name, "mean_squared_error") == 0) return pow(*F - p->y.value[row], 2);
    if (r->loss) return r->loss[s * n + i];
    if (!P || !p->y.task->metric[p->setup.metric].probable) return NAN;
    double one[2], own[2];
    int32_t truth = p->y.cls[row];
    if (c == 2) { /* the functions of metrics take samples column by column */
        own[0] = P[0];
        own[1] = P[n];
        metrics_probability(&one[0], &one[1], 1, 2, &truth, own);
        return one[strcmp(name, "brier") == 0];
    }
    double brier = 0;
    for (int64_t k = 0; k < c; k++) brier += pow(P[k * n] - (truth == k), 2);
    if (strcmp(name, "brier") == 0) return brier;
    return -log(fmax(P[truth * n], 2.2e-16));
}

static bool is_mean(const pare_path *p) {
    static const char *const means[] = {
        "accuracy", "mean_absolute_error", "mean_squared_error", "log_loss",
        "brier",    "integrated_brier"};
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        if (strcmp(metric_name(p), means[i]) == 0) return true;
    return false;
}

/* How often each sample is drawn. */
static void draw(int32_t *times, int32_t *of_group, const int32_t *group, int64_t n, int64_t groups,
                 rng *r) {
    memset(of_group, 0, sizeof *of_group * (size_t)groups);
    for (int64_t g = 0; g < groups; g++) of_group[rng_below(r, groups)]++;
    for (int64_t i = 0; i < n; i++) times[i] = of_group[group ? group[i] : i];
}

/* The mean of the loss over the drawn test samples of a split; NaN: none was drawn. */
static double mean_loss(const double *loss, const cv_part *part, const int32_t *times) {
    double sum = 0, count = 0;
    for (int64_t i = 0; i < part->n_test; i++) {
        sum += times[part->test[i]] * loss[i];
        count += times[part->test[i]];
    }
    return count > 0 ? sum / count : NAN;
}

/* Any metric, computed on the drawn test samples. */
static pare_status whole_metric(double *out, const boot *b, int64_t j, const int32_t *times,
                                const pare_ctx *ctx, pare_error *err) {
    const pare_path *p = b->p;
    const cv_part *part = &p->plan.part[j];
    int64_t outputs = p->setup.outputs, n = part->n_test, drawn = 0, at = 0;
    const double *F = scored(b, j)->F + b->size[j] * n * outputs;
    double all[MAX_METRICS];
    *out = NAN;
    for (int64_t i = 0; i < n; i++) drawn += times[part->test[i]];
    if (drawn == 0) return PARE_OK;
    for (int64_t i = 0; i < n; i++)
        for (int32_t e = 0; e < times[part->test[i]]; e++, at++) {
            b->rows[at] = part->test[i];
            for (int64_t o = 0; o < outputs; o++) b->F[o * drawn + at] = F[o * n + i];
        }
    predictions of = measure_of(&p->y, p->setup.data->weight, part, b->F, outputs);
    of.rows = b->rows;
    of.n = drawn;
    pare_status status = measure_all(all, &of, NULL, ctx, err);
    if (status == PARE_OK) *out = all[p->setup.metric];
    return status;
}

/* One resample: the mean over the splits. */
static pare_status one_value(double *out, const boot *b, const int32_t *times, const pare_ctx *ctx,
                             pare_error *err) {
    double sum = 0, count = 0, value;
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < b->p->plan.count; j++) {
        if (b->size[j] < 0) continue;
        if (b->loss)
            value = mean_loss(b->loss[j], &b->p->plan.part[j], times);
        else
            TRY(whole_metric(&value, b, j, times, ctx, err));
        if (isnan(value)) continue;
        sum += value;
        count++;
    }
    *out = count > 0 ? sum / count : NAN;
done:
    return status;
}

/* Resampling test samples ignores the variance that comes from the training samples. With it the
 * variance is that of Nadeau and Bengio (2003), 1/J + n_test/n_train against 1/J of J splits: for m
 * samples that are tested once, 1 + m/n_train times as much. */
static double widening(const pare_path *p, int64_t only, int32_t *tested) {
    double m = 0, train = 0, parts = only == ALL_SPLITS ? (double)p->plan.count : 1;
    memset(tested, 0, sizeof *tested * (size_t)p->n);
    for (int64_t j = 0; j < p->plan.count; j++) {
        if (!counts(only, j)) continue;
        const cv_part *part = &p->plan.part[j];
        train += (double)part->n_train / parts;
        for (int64_t i = 0; i < part->n_test; i++) tested[part->test[i]] = 1;
    }
    for (int64_t i = 0; i < p->n; i++) m += tested[i];
    return sqrt(1 + m / train);
}

/* The interval, widened by the factor about the mean, of values that the metric can have. */
static interval widened(interval r, double mean, double factor, const metric_info *of) {
    if (isnan(r.low)) return r;
    return interval_bootstrap(fmax(of->least, mean - factor * (mean - r.low)),
                              fmin(of->most, mean + factor * (r.high - mean)));
}

/* Counts samples, or fold groups: each once. */
typedef struct unit_counter {
    const target *y;
    const int32_t *group; /* of each sample, or NULL */
    int32_t *seen;        /* of each sample, or of each group as far as there are any: the last
                             count it was in */
    int32_t count;
} unit_counter;

/* The units among the rows, of kind c (-1: any), that this count has not met yet. */
static double count_new(unit_counter *u, const int32_t *rows, int64_t n, int32_t c) {
    double found = 0;
    int64_t kinds;
    const int32_t *kind = target_kinds(u->y, &kinds);
    for (int64_t i = 0; i < n; i++) {
        if (c >= 0 && kind[rows[i]] != c) continue;
        int32_t *seen = &u->seen[u->group ? u->group[rows[i]] : rows[i]];
        found += *seen != u->count;
        *seen = u->count;
    }
    return found;
}

/* The effective number of samples behind a proportion; see interval_effective. */
static double effective_samples(const pare_path *p, int64_t m, int64_t only, int32_t *scratch) {
    unit_counter u = {&p->y, p->setup.request.group, scratch, 0};
    bool by_class = p->y.task->metric[p->setup.metric].proportion == PROPORTION_CLASS;
    double fewest = INFINITY, trained = 0;
    int64_t kinds;
    target_kinds(&p->y, &kinds);
    memset(scratch, 0, sizeof *scratch * (size_t)p->n);
    for (int32_t c = by_class ? 0 : -1; c < (by_class ? kinds : 0); c++) {
        double tested = 0, train = 0, parts = 0;
        if (c >= 0 && !target_needs(&p->y, c)) continue;
        u.count++;
        for (int64_t j = 0; j < p->plan.count; j++)
            if (counts(only, j) && result_of(p, j, m)->done)
                tested += count_new(&u, p->plan.part[j].test, p->plan.part[j].n_test, c);
        for (int64_t j = 0; j < p->plan.count; j++) {
            if (!counts(only, j) || !result_of(p, j, m)->done) continue;
            u.count++;
            train += count_new(&u, p->plan.part[j].train, p->plan.part[j].n_train, c);
            parts++;
        }
        if (!(tested < fewest)) continue;
        fewest = tested;
        trained = train / parts;
    }
    return interval_effective(fewest, trained);
}

/* 2.5% and 97.5% quantiles of the resamples; all sizes and methods see the same resamples. */
static pare_status resample(interval *out, boot *b, int64_t draws, int32_t *times,
                            int32_t *of_group, int64_t groups, const pare_ctx *ctx,
                            pare_error *err) {
    rng r;
    int64_t defined = 0;
    const int32_t *group = b->p->setup.request.group;
    rng_seed(&r, plan_seed(b->p->setup.seed, PURPOSE_BOOTSTRAP), 0);
    *out = INTERVAL_NONE;
    for (int64_t i = 0; i < draws; i++) {
        double value, other = 0;
        draw(times, of_group, group, b->p->n, groups, &r);
        PASS(one_value(&value, b, times, ctx, err));
        if (b->less) PASS(one_value(&other, b->less, times, ctx, err));
        value -= other;
        if (!isnan(value)) b->value[defined++] = value;
    }
    if (defined < draws / 2) return PARE_OK;
    *out = interval_percentile(b->value, defined);
    return PARE_OK;
}

static void take_losses(boot *b) {
    const pare_path *p = b->p;
    for (int64_t j = 0; j < p->plan.count; j++)
        for (int64_t i = 0; b->size[j] >= 0 && i < p->plan.part[j].n_test; i++)
            b->loss[j][i] = loss_of(p, scored(b, j), &p->plan.part[j], b->size[j], i);
}

/* The size of each split: s, or for s < 0 the one that its training samples chose. Returns false if
 * no split has one. */
static bool take_sizes(boot *b, int64_t s) {
    const pare_path *p = b->p;
    bool any = false;
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *r = result_of(p, j, b->m);
        int64_t at = !r->done || !r->F ? -1 : s >= 0 ? s : fold_nested_size(&p->setup, r);
        if (!counts(b->only, j)) at = -1;
        if (at >= 0 && isnan(r->F[at * p->plan.part[j].n_test * p->setup.outputs])) at = -1;
        b->size[j] = at;
        any |= at >= 0;
    }
    return any;
}

/* drawn: the largest number of samples in one resample. */
static pare_status boot_begin(boot *b, pare_path *p, int64_t drawn, arena *mem, pare_error *err) {
    int64_t parts = p->plan.count;
    pare_status status = PARE_OK;
    *b = (boot){.p = p, .only = ALL_SPLITS};
    TRY_MEM(b->size = ARENA_NEW(mem, int64_t, parts));
    TRY_MEM(b->value = ARENA_NEW(mem, double, DRAWS));
    if (!is_mean(p)) {
        TRY_MEM(b->rows = ARENA_NEW(mem, int32_t, drawn));
        TRY_MEM(b->F = ARENA_NEW(mem, double, drawn * p->setup.outputs));
        goto done;
    }
    TRY_MEM(b->loss = ARENA_NEW(mem, double *, parts));
    for (int64_t j = 0; j < parts; j++)
        TRY_MEM(b->loss[j] = ARENA_NEW(mem, double, p->plan.part[j].n_test));
done:
    return status;
}

/* The number of groups, and of samples in the largest. */
static pare_status count_groups(int64_t *groups, int64_t *largest, const int32_t *group, int64_t n,
                                arena *mem, pare_error *err) {
    *groups = n;
    *largest = 1;
    if (!group) return PARE_OK;
    int64_t *size = ARENA_ZERO(mem, int64_t, n);
    if (!size) return error_memory(err);
    *groups = 0;
    for (int64_t i = 0; i < n; i++) {
        if (group[i] >= *groups) *groups = group[i] + 1;
        if (++size[group[i]] > *largest) *largest = size[group[i]];
    }
    return PARE_OK;
}

/* What the intervals of a method share. */
typedef struct interval_scratch {
    int32_t *times, *of_group;
    int64_t groups;
    double factor, effective;
} interval_scratch;

/* The interval of the mean at size s, or of the nested one for s < 0. */
static pare_status interval_at(interval *out, boot *b, int64_t s, double mean,
                               const interval_scratch *of, const pare_ctx *ctx, pare_error *err) {
    const pare_path *p = b->p;
    const metric_info *metric = &p->y.task->metric[p->setup.metric];
    *out = INTERVAL_NONE;
    if (isnan(mean)) return PARE_OK;
    if (p->setup.keeps_scores && take_sizes(b, s)) {
        if (b->loss) take_losses(b);
        pare_status status = resample(out, b, b->loss ? DRAWS : DRAWS_WHOLE, of->times,
                                      of->of_group, of->groups, ctx, err);
        if (status != PARE_OK) return status;
        *out = widened(*out, mean, of->factor, metric);
    }
    if (metric->proportion != PROPORTION_NONE)
        *out = interval_union(*out, interval_wilson(mean, of->effective));
    else if (!(out->low < out->high)) /* all resamples alike: no proof that all samples are */
        *out = INTERVAL_NONE;
    return PARE_OK;
}

/* Those of the cohorts that were left out, each by itself. */
static pare_status cohort_intervals(pare_path *p, boot *b, interval_scratch of, const pare_ctx *ctx,
                                    pare_error *err) {
    for (b->only = 0; b->only < p->n_cohorts; b->only++) {
        path_cohort *c = &p->run[b->m].cohort[b->only];
        of.factor = widening(p, b->only, of.times);
        of.effective = effective_samples(p, b->m, b->only, of.times);
        PASS(interval_at(&c->interval, b, -1, c->value, &of, ctx, err));
    }
    b->only = ALL_SPLITS;
    return PARE_OK;
}

pare_status bootstrap_intervals(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    int64_t largest;
    interval_scratch of = {0};
    boot b;
    arena mem;
    arena_init(&mem, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    TRY(count_groups(&of.groups, &largest, p->setup.request.group, p->n, &mem, err));
    of.times = ARENA_NEW(&mem, int32_t, p->n);
    of.of_group = ARENA_NEW(&mem, int32_t, of.groups);
    TRY_MEM(of.times && of.of_group);
    TRY(boot_begin(&b, p, of.groups * largest, &mem, err));
    of.factor = widening(p, ALL_SPLITS, of.times);
    for (b.m = 0; b.m < p->setup.n_methods; b.m++) {
        path_run *run = &p->run[b.m];
        of.effective = effective_samples(p, b.m, ALL_SPLITS, of.times);
        TRY(interval_at(&run->nested_interval, &b, -1, run->nested_mean, &of, ctx, err));
        for (int64_t s = 0; s < p->setup.n_sizes; s++) {
            run->point[s].interval = INTERVAL_NONE;
            if (b.loss || s == run->chosen)
                TRY(interval_at(&run->point[s].interval, &b, s, run->point[s].mean, &of, ctx, err));
        }
        TRY(cohort_intervals(p, &b, of, ctx, err));
    }
done:
    arena_free(&mem);
    return status;
}

/* The splits where both have scores; false: none. */
static bool take_pairs(boot *b, boot *alone) {
    bool any = false;
    take_sizes(b, -1);
    for (int64_t j = 0; j < b->p->plan.count; j++) {
        const fold_result *own = &alone->alone[j];
        bool both = own->done && b->size[j] >= 0 && !isnan(own->score[b->p->setup.metric]);
        if (!both) b->size[j] = -1;
        alone->size[j] = both ? 0 : -1;
        any |= both;
    }
    return any;
}

pare_status bootstrap_added(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    int64_t largest;
    interval_scratch of = {0};
    interval range;
    boot b, alone;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    if (!p->setup.keeps_scores) goto done;
    TRY(count_groups(&of.groups, &largest, p->setup.request.group, p->n, &mem, err));
    of.times = ARENA_NEW(&mem, int32_t, p->n);
    of.of_group = ARENA_NEW(&mem, int32_t, of.groups);
    TRY_MEM(of.times && of.of_group);
    TRY(boot_begin(&b, p, of.groups * largest, &mem, err));
    TRY(boot_begin(&alone, p, of.groups * largest, &mem, err));
    of.factor = widening(p, ALL_SPLITS, of.times);
    for (b.m = 0; b.m < p->setup.n_methods; b.m++) {
        path_run *run = &p->run[b.m];
        alone.alone = run->alone;
        b.less = &alone;
        if (!run->alone || !take_pairs(&b, &alone)) continue;
        if (b.loss) take_losses(&b);
        if (b.loss) take_losses(&alone);
        TRY(resample(&range, &b, b.loss ? DRAWS : DRAWS_WHOLE, of.times, of.of_group, of.groups,
                     ctx, err));
        if (!(range.low < range.high)) continue;
        run->added_low = run->added - of.factor * (run->added - range.low);
        run->added_high = run->added + of.factor * (range.high - run->added);
    }
done:
    arena_free(&mem);
    return status;
}

#include "path/path_setup.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/order.h"
#include "method/pipeline.h"
#include "registry.h"
#include "select/fitting.h"
#include "select/shared_statistics.h"

enum { DEFAULT_FOLDS = 10, MIN_DEFAULT_FOLDS = 3 };

void pare_path_options_init_sized(pare_path_options *o, size_t struct_size) {
    const pare_path_options defaults = {.struct_size = sizeof defaults,
                                        .repeats = 1,
                                        .train = 0.8,
                                        .sizes = "auto",
                                        .choice = "1se",
                                        .tolerance = 0.02,
                                        .inner = 3,
                                        .substitutes = 5,
                                        .error_bound = "unimodal",
                                        .error_pairs = 50};
    options_give(o, struct_size, &defaults, sizeof defaults);
}

pare_status path_note(pare_path *p, pare_error *err, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return strings_add(&p->notes, &p->mem.mem, text, (int64_t)strlen(text)) ? PARE_OK
                                                                            : error_memory(err);
}

static pare_status out_of_range(pare_error *err, const char *name, int64_t value, int64_t lo) {
    return error_set(err, PARE_E_ARGUMENT, "%s: %" PRId64 " is not allowed; at least %" PRId64,
                     name, value, lo);
}

static pare_status check_ranges(const pare_path_options *o, pare_error *err) {
    if (o->folds != 0 && o->folds < 2) return out_of_range(err, "folds", o->folds, 2);
    if (o->repeats < 1) return out_of_range(err, "repeats", o->repeats, 1);
    if (o->splits < 0) return out_of_range(err, "splits", o->splits, 0);
    if (o->n_parts < 0) return out_of_range(err, "n_parts", o->n_parts, 0);
    if (o->null_runs < 0) return out_of_range(err, "null", o->null_runs, 0);
    if (o->substitutes < 0) return out_of_range(err, "substitutes", o->substitutes, 0);
    if (o->n_shards < 0) return out_of_range(err, "shards", o->n_shards, 0);
    if (o->n_shards > 0 && (o->shard < 1 || o->shard > o->n_shards))
        return error_set(err, PARE_E_ARGUMENT,
                         "`shard`: %" PRId64 "/%" PRId64 " is not allowed; from 1/%" PRId64
                         " to %" PRId64 "/%" PRId64,
                         o->shard, o->n_shards, o->n_shards, o->n_shards, o->n_shards);
    if (o->n_shards > 0 && (!o->checkpoint || o->n_merge > 0))
        return error_set(err, PARE_E_ARGUMENT,
                         "`shard` needs `checkpoint`: a file for what the shard finishes");
    if (o->inner < 0 || o->inner == 1)
        return error_set(err, PARE_E_ARGUMENT,
                         "`inner`: %" PRId64 " is not allowed; 0 or at least 2", o->inner);
    if (!(o->tolerance >= 0 && o->tolerance < 1))
        return error_set(err, PARE_E_ARGUMENT,
                         "`tolerance`: %g is not allowed; a number >= 0 and < 1", o->tolerance);
    if (!(o->train > 0 && isfinite(o->train)))
        return error_set(err, PARE_E_ARGUMENT,
                         "`train`: %g is not allowed; a share below 1 or a number of samples",
                         o->train);
    if (o->tune && o->inner == 0)
        return error_set(err, PARE_E_ARGUMENT, "tune needs inner folds: inner must be at least 2");
    if (o->grid && !o->tune)
        return error_set(err, PARE_E_ARGUMENT, "grid needs tune, which tries its values");
    return PARE_OK;
}

/* Folds and groups may be given by the data as well. */
static pare_status check_given(const pare_data *data, const pare_path_options *o, pare_error *err) {
    bool grouped = o->grouped || data->fold_group.count, file = o->fold_file || data->fold.count;
    if (o->leave_out && !data->fold.count)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`leave_out` needs the cohort of each sample: a column or a file of names");
    if (o->leave_out && o->folds > 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`leave_out` makes a fold of each cohort: leave `folds` out");
    if (grouped && o->splits > 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "groups cannot be kept together by splits; ask for folds");
    if ((o->fold_file != NULL) + (o->fold_of != NULL) + (data->fold.count > 0) > 1)
        return error_set(err, PARE_E_ARGUMENT,
                         "the folds are given twice, as a file, an array or with the data");
    if (o->n_parts > 0 && (file || o->fold_of || o->splits > 0 || o->repeats > 1))
        return error_set(
            err, PARE_E_ARGUMENT,
            "the parts are given: they cannot be combined with folds, splits or repeats");
    if ((file || o->fold_of) && (o->splits > 0 || o->repeats > 1 || grouped))
        return error_set(err, PARE_E_ARGUMENT,
                         "%s gives the folds: it cannot be combined with splits, repeats "
                         "or fold groups",
                         o->leave_out ? "`leave_out`"
                         : file       ? "a fold file"
                                      : "fold_of");
    return PARE_OK;
}

static pare_status set_metric(pare_path *p, const pare_path_options *o, pare_error *err) {
    path_setup *s = &p->setup;
    s->n_metrics = p->y.task->n_metrics;
    s->metric = o->metric ? metric_find(p->y.task, o->metric) : 0;
    if (s->metric < 0) {
        char list[256] = "";
        for (int64_t i = 0; i < s->n_metrics; i++) {
            strcat(list, i ? " " : "");
            strcat(list, p->y.task->metric[i].name);
        }
        return error_set(err, PARE_E_ARGUMENT,
                         "`metric`: \"%.64s\" is not one of a %s path; expected one of: %s",
                         o->metric, p->y.task->name, list);
    }
    s->higher = p->y.task->metric[s->metric].higher;
    s->tolerance = o->tolerance;
    if (!choice_parse(o->choice, &s->rule))
        return error_set(err, PARE_E_ARGUMENT,
                         "`choice`: \"%.64s\" is not allowed; expected one of: best 1se tolerance",
                         o->choice);
    return PARE_OK;
}

/* Probabilities are a predictor's own, or calibrated on the inner folds; a metric of them needs
 * some. */
static pare_status set_probable(pare_path *p, const pare_path_options *o, pare_error *err) {
    for (int64_t i = 0; i < p->setup.n_methods; i++) {
        path_method *m = &p->setup.method[i];
        bool own = fitting_probability(m->m, m->classifier, &m->grid[0]) == PROBABILITY_OWN;
        m->probable = p->y.task->classes && (own || p->setup.inner.folds > 0);
        if (m->probable || !p->y.task->metric[p->setup.metric].probable) continue;
        return error_set(err, PARE_E_ARGUMENT,
                         "`metric`: %s is of probabilities, which %s has by calibration on inner "
                         "folds alone%s",
                         p->y.task->metric[p->setup.metric].name, m->name,
                         o->inner == 0 ? ": ask for `inner` 2 or more"
                                       : ", and the samples allow none: ask for fewer `folds`");
    }
    return PARE_OK;
}

static pare_status set_method(pare_path *p, path_method *m, const problem_method *from,
                              const pare_path_options *o, const pare_ctx *ctx, pare_error *err) {
    all_settings given = from->set;
    *m = (path_method){.name = from->named->name,
                       .m = from->m,
                       .classifier = from->classifier,
                       .data = from->data,
                       .d = from->data->x.d,
                       .n_kept = terms_count_kept(from->data),
                       .limits_correlation = given.common.max_correlation < 1};
    if (from->named == &pipeline) pipeline_say(p->y.task, &given, -1, ctx);
    for (const path_method *e = p->setup.method; e < m; e++)
        if (strcmp(e->name, m->name) == 0)
            return error_set(err, PARE_E_ARGUMENT, "method %s is named twice", m->name);
    given.common.budget = NAN;
    if (!path_goes_along(p, o)) given.common.k = m->d; /* sizes are requested */
    PASS(path_grid(p, m, &given, o, err));
    return units_total(&m->units, m->data, &m->grid[0], ctx, err);
}

/* What every method has to choose from. */
static void add_units(unit_totals *all, const unit_totals *own) {
    if (own->count < all->count) all->count = own->count;
    if (own->largest > all->largest) all->largest = own->largest;
    if (own->cheapest < all->cheapest) all->cheapest = own->cheapest;
}

static pare_status set_methods(pare_path *p, const problem *of, const pare_path_options *o,
                               const pare_ctx *ctx, pare_error *err) {
    path_setup *s = &p->setup;
    bool same = true;
    s->method = ARENA_ZERO(&p->mem, path_method, s->n_methods);
    if (!s->method) return error_memory(err);
    for (int64_t i = 1; i < s->n_methods; i++) same &= of->method[i].data == of->method[0].data;
    s->data = same ? of->method[0].data : of->data;
    p->d = s->data->x.d;
    s->n_kept = terms_count_kept(s->data);
    for (int64_t i = 0; i < s->n_methods; i++) {
        PASS(set_method(p, &s->method[i], &of->method[i], o, ctx, err));
        if (i == 0) s->units = s->method[0].units;
        add_units(&s->units, &s->method[i].units);
    }
    return PARE_OK;
}

/* Numbers the caller's own fold numbers, below n. */
static pare_status check_folds(int32_t *all, const int32_t *given, int64_t n, int64_t *count,
                               pare_error *err) {
    *count = n;
    for (int64_t i = 0; i < n; i++) {
        if (given[i] < 0 || given[i] >= n)
            return error_at(err, PARE_E_ARGUMENT, i + 1, 0, -1,
                            "the fold of sample %" PRId64 " is %" PRId32
                            ", allowed are 0 to %" PRId64,
                            i + 1, given[i], n - 1);
        all[i] = given[i];
    }
    return PARE_OK;
}

/* The fold of every sample of nonzero weight, from the folds of all rows. */
static pare_status read_folds(int32_t *fold, const weighted_samples *here, int64_t *count,
                              const pare_path_options *o, arena *mem, const pare_ctx *ctx,
                              pare_error *err) {
    int32_t *all = ARENA_NEW(mem, int32_t, here->n);
    if (!all) return error_memory(err);
    PASS(o->fold_of ? check_folds(all, o->fold_of, here->n, count, err)
                    : plan_read(all, here->n, count, o->fold_file, ctx, err));
    int32_t *number =
        ARENA_ZERO(mem, int32_t, *count); /* from 1; a fold without samples is skipped */
    if (!number) return error_memory(err);
    *count = 0;
    for (int64_t i = 0; i < here->data->x.n; i++) {
        int32_t *own = &number[all[here->rows ? here->rows[i] : i]];
        if (*own == 0) *own = (int32_t)(*count += 1);
        fold[i] = *own - 1;
    }
    if (*count < 2)
        return error_set(err, PARE_E_DATA, "there is one fold only, two or more are needed");
    return PARE_OK;
}

/* The roles of the samples of nonzero weight, from those of all rows. */
static pare_status take_parts(cv_request *q, const weighted_samples *here,
                              const pare_path_options *o, arena *mem, pare_error *err) {
    int64_t n = here->data->x.n;
    int8_t *role = ARENA_NEW(mem, int8_t, o->n_parts * n);
    if (!role) return error_memory(err);
    for (int64_t s = 0; s < o->n_parts; s++)
        for (int64_t i = 0; i < n; i++) {
            int64_t row = here->rows ? here->rows[i] : i;
            int8_t of = o->part_of[s * here->n + row];
            if (of < PART_OUT || of > PART_TEST)
                return error_at(err, PARE_E_ARGUMENT, row + 1, s + 1, -1,
                                "sample %" PRId64 " has the number %d in part %" PRId64
                                ", allowed are 0 (left out), 1 (trains) and 2 (tests)",
                                row + 1, of, s + 1);
            role[s * n + i] = of;
        }
    q->role = role;
    q->n_parts = o->n_parts;
    return PARE_OK;
}

static pare_status set_request(pare_path *p, const weighted_samples *here,
                               const pare_path_options *o, const pare_ctx *ctx, pare_error *err) {
    cv_request *q = &p->setup.request;
    const pare_data *data = here->data;
    int64_t n = p->n, groups;
    pare_status status = check_given(data, o, err);
    if (status != PARE_OK) return status;
    *q = (cv_request){.folds = o->folds > 0 ? o->folds : DEFAULT_FOLDS,
                      .repeats = o->repeats,
                      .splits = o->splits};
    q->n_train = (int64_t)(o->train < 1 ? o->train * (double)n + 0.5 : o->train);
    p->grouped = o->grouped || data->fold_group.count;
    p->given = o->fold_file || o->fold_of || data->fold.count;
    if (o->n_parts > 0) {
        if (!o->part_of) return error_set(err, PARE_E_ARGUMENT, "part_of is a null pointer");
        status = take_parts(q, here, o, &p->mem, err);
        if (status != PARE_OK) return status;
    }
    if (!p->grouped && !p->given) return PARE_OK;
    int32_t *number = ARENA_NEW(&p->mem, int32_t, n);
    if (!number) return error_memory(err);
    if (data->fold.count) {
        q->given = number;
        status = plan_number(number, &q->n_given, &data->fold, ctx, err);
        if (status == PARE_OK && o->leave_out) return path_set_cohorts(p, &data->fold, err);
        if (status == PARE_OK && q->n_given < 2)
            return error_set(err, PARE_E_DATA, "there is one fold only, two or more are needed");
        return status;
    }
    if (p->given) {
        q->given = number;
        return read_folds(number, here, &q->n_given, o, &p->mem, ctx, err);
    }
    const strings *group = data->fold_group.count ? &data->fold_group : &data->ids;
    if (group->count != n)
        return error_set(err, PARE_E_DATA, "the data have no ids to group the samples by");
    q->group = number;
    return plan_number(number, &groups, group, ctx, err);
}

static int64_t smallest_class(const target *y, int64_t n) {
    int64_t kinds, least = n;
    const int32_t *kind = target_kinds(y, &kinds);
    for (int32_t c = 0; kind && c < kinds; c++) {
        if (!target_needs(y, c)) continue;
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += kind[i] == c;
        if (count < least) least = count;
    }
    return least;
}

/* Says that there are fewer folds than usual, on stderr and in the report. */
static pare_status tell_folds(pare_path *p, int64_t smallest, const pare_ctx *ctx,
                              pare_error *err) {
    char why[80] = "the fold groups allow no more";
    if (smallest == p->n)
        snprintf(why, sizeof why, "there are %" PRId64 " samples", smallest);
    else if (smallest < DEFAULT_FOLDS)
        snprintf(why, sizeof why, "the smallest class has %" PRId64 " samples", smallest);
    ctx_log(ctx, PARE_LOG_INFO, "%" PRId64 " folds instead of the default %d: %s",
            p->setup.request.folds, DEFAULT_FOLDS, why);
    return path_note(p, err, "%" PRId64 " folds instead of the default %d: %s",
                     p->setup.request.folds, DEFAULT_FOLDS, why);
}

/* The splits; where the number of folds was left to the default, at most as many as the samples
 * allow. */
static pare_status set_plan(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                            pare_error *err) {
    cv_request *q = &p->setup.request;
    bool free = o->folds == 0 && !q->role && !q->given && q->splits == 0;
    int64_t smallest = smallest_class(&p->y, p->n);
    if (free && smallest < q->folds)
        q->folds = smallest > MIN_DEFAULT_FOLDS ? smallest : MIN_DEFAULT_FOLDS;
    pare_status status;
    while ((status = plan_make(&p->plan, &p->mem, q, &p->y, NULL, p->n, p->setup.seed, ctx, err)) ==
               PARE_E_DATA &&
           free && q->folds > MIN_DEFAULT_FOLDS)
        q->folds--;
    return status == PARE_OK && q->folds < DEFAULT_FOLDS && free ? tell_folds(p, smallest, ctx, err)
                                                                 : status;
}

/* What keeps samples in one inner fold: their given fold, unless a training fold is only one of those;
 * or their group. */
static const int32_t *kept_together(const cv_request *q) {
    return !q->given ? q->group : q->n_given > 2 ? q->given : NULL;
}

/* *fine: every training fold can be divided as setup.inner says; else why holds the reason. */
static pare_status try_inner(bool *fine, const pare_path *p, const pare_ctx *ctx, pare_error *why) {
    *fine = true;
    for (int64_t j = 0; j < p->plan.count && *fine; j++) {
        cv_plan plan;
        arena scratch = arena_of(ctx);
        pare_status status =
            plan_make(&plan, &scratch, &p->setup.inner, &p->y, p->plan.part[j].train,
                      p->plan.part[j].n_train, p->setup.seed, ctx, why);
        arena_free(&scratch);
        if (status == PARE_E_MEMORY) return status;
        *fine = status == PARE_OK;
    }
    return PARE_OK;
}

/* As many inner folds as every training fold allows, at most the requested number, or with three
 * cohorts or more in every training fold a fold of each; 0: none. */
static pare_status set_inner(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                             pare_error *err) {
    cv_request *q = &p->setup.inner;
    const int32_t *together = p->n_cohorts > 0 ? NULL : kept_together(&p->setup.request);
    pare_error why = {0};
    bool fine = false;
    if (path_inner_cohorts(p, o)) {
        PASS(try_inner(&fine, p, ctx, &why));
        if (fine) return PARE_OK;
        PASS(path_note(p, err, "the inner folds are stratified: %.400s", why.message));
    }
    for (int64_t inner = o->inner; inner >= 2; inner--) {
        *q = (cv_request){.folds = inner, .repeats = 1, .group = together};
        PASS(try_inner(&fine, p, ctx, &why));
        if (!fine) continue;
        if (inner == o->inner) return PARE_OK;
        return path_note(p, err, "the training parts allow %" PRId64 " inner folds only", inner);
    }
    *q = (cv_request){0};
    if (o->tune)
        return error_set(err, PARE_E_DATA, "tuning needs two inner folds, but %.400s", why.message);
    if (o->inner == 0) return PARE_OK;
    return path_note(p, err, "there is no nested estimate: %.400s", why.message);
}

pare_status path_check_options(const pare_path_options *o, int64_t n_methods, pare_error *err) {
    PASS(check_ranges(o, err));
    if (n_methods < 1) return error_set(err, PARE_E_ARGUMENT, "a path needs at least one method");
    if (!o->grid || n_methods == 1) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`grid`: one method's settings, but %" PRId64 " are named", n_methods);
}

/* The method whose model is requested. */
static pare_status set_wanted(pare_path *p, const problem *of, const pare_path_options *o,
                              pare_error *err) {
    p->wanted = -1;
    if (!o->best) return PARE_OK;
    if (!o->model)
        return error_set(err, PARE_E_ARGUMENT,
                         "`best` names the method of the `model`, which was not requested");
    for (int64_t m = 0; m < of->n_methods && p->wanted < 0; m++)
        if (strcmp(of->method[m].named->name, o->best) == 0) p->wanted = m;
    return p->wanted >= 0 ? PARE_OK
                          : error_set(err, PARE_E_ARGUMENT,
                                      "`best %.64s` is none of the path's methods", o->best);
}

pare_status path_set_up(pare_path *p, const problem *of, const pare_path_options *o,
                        const pare_ctx *ctx, pare_error *err) {
    p->source = of->data;
    p->keeps_model = o->model;
    PASS(set_wanted(p, of, o, err));
    p->y = of->y;
    p->n = of->data->x.n;
    p->rows = of->samples.n;
    p->setup.n_methods = of->n_methods;
    p->setup.seed = ctx->seed;
    p->n_null = o->null_runs;
    p->tuned = o->tune;
    PASS(set_metric(p, o, err));
    PASS(path_set_times(p, o, ctx, err));
    PASS(set_methods(p, of, o, ctx, err));
    PASS(path_sizes(p, o, ctx, err));
    PASS(shared_kinds(&p->setup.kind, &p->setup.n_kinds, &p->mem, &p->setup, p->setup.method,
                      of->n_methods, p->y.task, err));
    PASS(set_request(p, &of->samples, o, ctx, err));
    PASS(set_plan(p, o, ctx, err));
    PASS(path_check_batches(p, ctx, err));
    PASS(set_inner(p, o, ctx, err));
    PASS(set_probable(p, o, err));
    return path_set_control(p, o, ctx, err);
}

#include "problem/problem.h"

#include <string.h>

#include "base/error.h"
#include "data/feature/batch_adjust.h"
#include "data/feature/row_scale.h"
#include "data/feature/scaling.h"
#include "data/feature/terms.h"
#include "task/class_weight.h"

/* --- what belongs to the whole problem --- */

static pare_status differ(const char *setting, const char *a, const method *of_a, const char *b,
                          const method *of_b, pare_error *err) {
    return error_set(
        err, PARE_E_ARGUMENT,
        "`%s`: %s has \"%.64s\" and %s \"%.64s\": it belongs to the whole path and must "
        "be the same for all methods",
        setting, of_a->name, a, of_b->name, b);
}

static pare_status check_agreement(const problem_method *m, int64_t count, pare_error *err) {
    for (int64_t i = 1; i < count; i++) {
        const common_settings *a = &m[0].set.common, *b = &m[i].set.common;
        if (strcmp(a->task, b->task) != 0)
            return differ("task", a->task, m[0].named, b->task, m[i].named, err);
        if (strcmp(a->positive, b->positive) != 0)
            return differ("positive", a->positive, m[0].named, b->positive, m[i].named, err);
        if (strcmp(a->class_weight, b->class_weight) != 0)
            return differ("class_weight", a->class_weight, m[0].named, b->class_weight, m[i].named,
                          err);
    }
    return PARE_OK;
}

/* The tasks that all methods can do; a path needs a target. */
static pare_status common_tasks(unsigned *tasks, const problem_method *m, int64_t count, bool path,
                                pare_error *err) {
    *tasks = path ? tasks_all() : ~0u;
    for (int64_t i = 0; i < count; i++) {
        unsigned before = *tasks;
        *tasks &= m[i].named->tasks;
        if (*tasks) continue;
        return error_set(err, PARE_E_ARGUMENT,
                         "method %s shares no task with %s: they cannot be compared on one target",
                         m[i].named->name, before && i > 0 ? m[i - 1].named->name : "the others");
    }
    return PARE_OK;
}

/* --- what belongs to each method --- */

static pare_status check_probability(const all_settings *set, const task_type *task,
                                     pare_error *err) {
    if (!set->common.probability || task->classes) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`probability` is not allowed for %s, which has no classes to be probable",
                     task->name);
}

static pare_status check_positive(const common_settings *set, const task_type *task,
                                  pare_error *err) {
    if (!set->positive[0] || task->least_classes > 0) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`positive` is the label of a class, and %s has none: for coefficients of one "
                     "sign give `sign`",
                     task->name);
}

static pare_status check_settings(const problem *p, const problem_method *m, const pare_ctx *ctx,
                                  pare_error *err) {
    PASS(check_probability(&m->set, p->y.task, err));
    PASS(check_positive(&m->set.common, p->y.task, err));
    PASS(method_check_offset(m->m, p->data, p->y.task, err));
    PASS(method_check_signs(m->m, p->data, p->y.task, err));
    PASS(method_check_refit(m->m, &m->set, err));
    PASS(method_check_several(&m->set, p->y.task, err));
    if (p->y.task->has_target)
        PASS(class_weight_check(&p->y, m->set.common.class_weight, ctx, err));
    return PARE_OK;
}

/* Methods with the same expansion share it. */
static pare_status expand(problem *p, int64_t i, bool whole, const pare_ctx *ctx, pare_error *err) {
    problem_method *m = &p->method[i];
    for (int64_t e = 0; e < i; e++) {
        const problem_method *other = &p->method[e];
        bool marks = choice_is(m->set.common.missing, "indicator"),
             same = choice_is(other->set.common.missing, "indicator") == marks;
        if (!same || m->m->expand || other->m->expand) continue;
        m->wide = other->wide;
        m->data = other->data;
        return PARE_OK;
    }
    expansion *own = &p->wide[p->n_wide++];
    expand_job of = {.data = p->data, .set = &m->set, .y = &p->y, .whole = whole};
    pare_status status = expansion_begin(own, m->m, &of, ctx, err);
    m->wide = own;
    m->data = own->data;
    return status;
}

static pare_status check_features(const problem *p, const problem_method *m, bool sizes,
                                  const pare_ctx *ctx, pare_error *err) {
    all_settings set = m->set;
    if (sizes) {
        set.common.k = -1;
        set.common.budget = NAN;
    }
    if (m->m->expand && p->data->batch.count)
        return error_set(err, PARE_E_ARGUMENT, "`batch` is not possible with method %s",
                         m->named->name);
    PASS(batch_check(p->data, m->set.common.missing, ctx, err));
    pare_status status = terms_check(m->data, m->m->keeps_all && !sizes, ctx, err);
    if (status == PARE_OK) status = method_check_terms(m->m, m->data, &set, ctx, err);
    if (status != PARE_OK || !p->data->x.missing || scaling_imputes(m->set.common.missing))
        return status;
    bool several = p->n_methods > 1;
    return error_set(err, PARE_E_DATA,
                     "the data have missing values: choose `missing` mean, median, indicator "
                     "or drop%s%s",
                     several ? " for " : "", several ? m->named->name : "");
}

/* The method at k features; where sizes are asked for one that is not the same at all of them stays
 * the pipeline. */
static const method *method_of(const method *named, const task_type *task, int64_t k, bool sizes) {
    const method *few = method_resolve(named, task, sizes ? 0 : k);
    return sizes && few != method_resolve(named, task, INT64_MAX) ? named : few;
}

pare_status problem_open(problem *out, arena *mem, const pare_data *given,
                         const pare_settings *const *settings, int64_t count, bool sizes,
                         const pare_ctx *ctx, pare_error *err) {
    unsigned tasks;
    *out = (problem){.given = given, .n_methods = count};
    PASS_MEM(out->method = ARENA_ZERO(mem, problem_method, count));
    PASS_MEM(out->wide = ARENA_ZERO(mem, expansion, count));
    for (int64_t i = 0; i < count; i++) {
        out->method[i].named = method_of_group(settings[i]->group);
        out->method[i].set = settings[i]->v;
        PASS(row_scale_check(&given->x, settings[i]->v.common.row_scale, err));
    }
    PASS(check_agreement(out->method, count, err));
    PASS(common_tasks(&tasks, out->method, count, sizes, err));
    PASS(weighted_samples_begin(&out->samples, given, ctx, err));
    out->data = out->samples.data;
    const common_settings *common = &out->method[0].set.common;
    PASS(target_resolve(&out->y, mem, out->data, tasks, common->task, common->positive, err));
    if (out->y.task->remark) out->y.task->remark(&out->y, out->data->x.n, ctx);
    for (int64_t i = 0; i < count; i++) {
        problem_method *m = &out->method[i];
        m->m = method_of(m->named, out->y.task, m->set.common.k, sizes);
        settings_resolve(&m->set, m->named, out->data, out->y.task);
        method_settle_refit(m->m, out->data, out->y.task, &m->set);
        m->classifier = method_final(m->m, &m->set, out->y.task);
        PASS(check_settings(out, m, ctx, err));
        PASS(expand(out, i, !sizes, ctx, err));
        PASS(check_features(out, m, sizes, ctx, err));
    }
    return PARE_OK;
}

void problem_close(problem *p) {
    for (int64_t i = 0; i < p->n_wide; i++) expansion_end(&p->wide[i]);
    weighted_samples_end(&p->samples);
}

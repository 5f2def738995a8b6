#include "select/fitting.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "data/groups.h"

static void resolve_scale(fitting *f) {
    char *scale = f->set.common.scale;
    if (strcmp(scale, "auto") != 0) return;
    bool sparse = mat_is_sparse(&f->data->x);
    strcpy(scale, f->y.task == TASK_REGRESSION ? "none" : sparse ? "unit" : "standard");
}

/* In a regression without intercept on the data as they are, a constant column is a column like any
 * other, unless it is zero: it carries the level. */
static void keep_constants(fitting *f) {
    bool level = f->y.task == TASK_REGRESSION && !f->set.common.intercept &&
                 strcmp(f->set.common.scale, "none") == 0;
    for (int64_t j = 0; level && f->sc.scale && j < f->x.d; j++) {
        if (f->sc.scale[j] != 0 || f->sc.mean[j] == 0) continue;
        f->sc.scale[j] = 1;
        f->sc.n_constant--;
    }
}

/* With an intercept that takes up any shift, raw columns are centred all the same: it changes the
 * digits that are left, not the problem. Sparse data gain nothing by it. */
static bool centres(const fitting *f) {
    return f->m->shift_free && f->set.common.intercept && !f->sc.shift &&
           !mat_is_sparse(&f->data->x);
}

/* A class whose samples all weigh nothing is no class. */
static pare_status check_weights(const fitting *f, pare_error *err) {
    for (int64_t c = 0; f->weight && f->y.cls && c < f->y.n_classes; c++) {
        bool there = false, heavy = false;
        for (int64_t i = 0; i < f->x.n; i++) {
            there |= f->y.cls[i] == c;
            heavy |= f->y.cls[i] == c && f->weight[i] > 0;
        }
        if (there && !heavy)
            return error_set(err, PARE_E_DATA, "all samples of class \"%.64s\" have weight 0",
                             f->y.classes[c]);
    }
    return PARE_OK;
}

/* Target and weights of the rows; those of all samples serve as they are. */
static pare_status take_rows(fitting *f, const target *y, pare_error *err) {
    const int32_t *rows = f->x.rows;
    int64_t n = f->x.n;
    f->y = *y;
    f->weight = f->data->weight;
    if (!rows) return PARE_OK;
    int32_t *cls = y->cls ? ARENA_NEW(&f->mem, int32_t, n) : NULL;
    double *value = y->value ? ARENA_NEW(&f->mem, double, n) : NULL;
    double *weight = f->weight ? ARENA_NEW(&f->mem, double, n) : NULL;
    if ((y->cls && !cls) || (y->value && !value) || (f->weight && !weight))
        return error_memory(err);
    for (int64_t i = 0; i < n; i++) {
        if (y->cls) cls[i] = y->cls[rows[i]];
        if (y->value) value[i] = y->value[rows[i]];
        if (f->weight) weight[i] = f->weight[rows[i]];
    }
    f->y.cls = cls;
    f->y.value = value;
    f->weight = weight;
    return PARE_OK;
}

pare_status fitting_begin(fitting *f, const pare_data *data, const target *y, const int32_t *rows,
                          int64_t n_rows, const method *m, const method *classifier,
                          const all_settings *set, const pare_ctx *ctx, pare_error *err) {
    *f = (fitting){.data = data, .m = m, .classifier = classifier, .set = *set};
    arena_init(&f->mem, ctx_allocator(ctx));
    const char *missing = set->common.missing;
    if (data->x.missing && strcmp(missing, "mean") != 0 && strcmp(missing, "median") != 0)
        return error_set(err, PARE_E_DATA,
                         "the data have missing values: choose --missing mean, median or drop");
    f->x = view_all(&data->x);
    if (rows) {
        f->x.rows = rows;
        f->x.n = n_rows;
    }
    pare_status status = take_rows(f, y, err);
    if (status != PARE_OK) return status;
    status = check_weights(f, err);
    if (status != PARE_OK) return status;
    status = groups_number(&f->group, &f->n_groups, &f->mem, data, err);
    if (status != PARE_OK) return status;
    resolve_scale(f);
    status = scaling_fit(&f->sc, &f->mem, &f->x, f->weight, f->set.common.scale, missing, ctx, err);
    if (status == PARE_OK) keep_constants(f);
    f->x.shift = centres(f) ? f->sc.mean : f->sc.shift;
    f->x.scale = f->sc.scale;
    f->x.fill = data->x.missing ? f->sc.fill : NULL;
    return status;
}

void fitting_end(fitting *f) { arena_free(&f->mem); }

void fitting_share(fitting *f, const fitting *base, const method *m, const method *classifier,
                   const all_settings *set, const pare_ctx *ctx) {
    *f = *base;
    f->m = m;
    f->classifier = classifier;
    f->set = *set;
    strcpy(f->set.common.scale, base->set.common.scale);
    arena_init(&f->mem, ctx_allocator(ctx)); /* not the base's: this may be another thread */
}

pare_status fitting_run(fitting *f, fit_result *out, const pare_ctx *ctx, pare_error *err) {
    int64_t k = f->set.common.k;
    fit_job job = {.x = &f->x, .y = &f->y, .weight = f->weight, .set = &f->set, .k = k > 0 ? k : 0};
    job.gram = f->gram;
    job.group = f->group;
    job.n_groups = f->n_groups;
    return f->m->fit(out, &job, ctx, err);
}

int64_t *fitting_pick(fitting *f, const fit_result *r, int64_t *count) {
    int64_t usable = f->x.d - f->sc.n_constant, taken = 0;
    if (*count > usable) *count = usable;
    int64_t *chosen = ARENA_NEW(&f->mem, int64_t, *count);
    for (int64_t i = 0; chosen && taken < *count && i < f->x.d; i++) {
        int64_t j = r->ranking[i];
        if (!f->sc.scale || f->sc.scale[j] != 0) chosen[taken++] = j;
    }
    return chosen;
}

bool ends_in_classifier(const method *m, const all_settings *set) {
    return m->selects_only || (m->group == GROUP_dlsr_fs && strcmp(set->dlsr_fs.refit, "svm") == 0);
}

void classifier_settings(all_settings *out, const all_settings *set) {
    *out = *set;
    out->svm.C = set->common.classifier_C;
    out->svm.ridge = set->common.classifier_ridge;
    out->dlsr.lambda = set->common.classifier_ridge > 0 ? set->common.classifier_ridge : NAN;
    strcpy(out->svm.slack, "hinge");
    bool ww = choice_is(set->l2_arom.multiclass, "ww") ||
              choice_is(set->l1_arom.multiclass, "ww") ||
              choice_is(set->poly_arom.multiclass, "ww");
    strcpy(out->svm.multiclass, ww ? "ww" : "ovr");       /* as the selector's, whichever it is */
    bool rfe = !choice_is(set->svm_rfe.kernel, "linear"); /* the kernel too is the selector's */
    strcpy(out->svm.kernel, rfe ? set->svm_rfe.kernel : set->r2w2.kernel);
    out->svm.gamma = rfe ? set->svm_rfe.gamma : set->r2w2.gamma;
    out->svm.degree = rfe ? set->svm_rfe.degree : set->r2w2.degree;
    out->svm.coef0 = rfe ? set->svm_rfe.coef0 : set->r2w2.coef0;
    strcpy(out->inf_push.penalty, "l2"); /* the end of push-rfe */
    out->inf_push.lambda = set->push_rfe.lambda;
    out->inf_push.lambda_ratio = set->push_rfe.lambda_ratio;
    out->inf_push.tol = set->push_rfe.tol;
}

pare_status fitting_refit(fitting *f, fit_result *out, const int64_t *chosen, int64_t count,
                          const double *gram, const pare_ctx *ctx, pare_error *err) {
    view small = f->x;
    small.cols = chosen;
    small.d = count;
    all_settings set = f->set;
    fit_job job = {
        .x = &small, .y = &f->y, .weight = f->weight, .set = &set, .k = count, .refit = true};
    job.gram = gram;
    job.group = f->group;
    job.n_groups = f->n_groups;
    if (!ends_in_classifier(f->m, &f->set)) {
        pare_status status = f->m->fit(out, &job, ctx, err);
        f->set = set;
        return status;
    }
    classifier_settings(&set, &f->set);
    job.auto_ridge = true;
    pare_status status = f->classifier->fit(out, &job, ctx, err);
    bool dlsr = f->classifier->group == GROUP_dlsr; /* its lambda is a ridge */
    f->set.common.classifier_ridge = dlsr ? set.dlsr.lambda : set.svm.ridge;
    return status;
}

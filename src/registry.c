#include "registry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/dataset.h"

#include "method/pipeline.h"
#include "select/units.h"

#define ZERO_NORM                                                                                  \
    "J. Weston, A. Elisseeff, B. Schoelkopf, M. Tipping. Use of the zero-norm with linear models " \
    "and kernel methods. JMLR 3:1439-1461, 2003"
#define SUPPORT_VECTORS                                                                            \
    "C. Cortes, V. Vapnik. Support-vector networks. Machine Learning 20:273-297, 1995"
#define WESTON_WATKINS                                                                             \
    "J. Weston, C. Watkins. Support vector machines for multi-class pattern recognition. ESANN "   \
    "1999"
#define CONCAVE                                                                                    \
    "P. S. Bradley, O. L. Mangasarian. Feature selection via concave minimization and support "    \
    "vector machines. ICML 1998"
#define REGULARIZED_LDA "J. H. Friedman. Regularized discriminant analysis. JASA 84:165-175, 1989"
#define SHRUNKEN_LDA                                                                               \
    "Y. Guo, T. Hastie, R. Tibshirani. Regularized linear discriminant analysis and its "          \
    "application in microarrays. Biostatistics 8:86-100, 2007"
#define PARSIMONIOUS                                                                               \
    "P. S. Bradley, O. L. Mangasarian, J. B. Rosen. Parsimonious least norm approximation. "       \
    "Computational Optimization and Applications 11:5-21, 1998"

#define INFINITE_PUSH "A. Rakotomamonjy. Sparse support vector infinite push. ICML 2012"

#define DLSR                                                                                       \
    "S. Xiang, F. Nie, G. Meng, C. Pan, C. Zhang. Discriminative least squares regression for "    \
    "multiclass classification and feature selection. IEEE TNNLS 23:1738-1754, 2012"
#define RELAXED_LASSO                                                                              \
    "N. Meinshausen. Relaxed lasso. Computational Statistics & Data Analysis 52:374-393, 2007"
#define RIDGE_LOGISTIC                                                                             \
    "S. le Cessie, J. C. van Houwelingen. Ridge estimators in logistic regression. Applied "       \
    "Statistics 41:191-201, 1992"
#define COX "D. R. Cox. Regression models and life-tables. JRSS B 34:187-220, 1972"
#define RIDGE_COX                                                                                  \
    "P. J. M. Verweij, H. C. van Houwelingen. Penalized likelihood in Cox regression. Statistics " \
    "in Medicine 13:2427-2436, 1994"
#define LP_KTA                                                                                     \
    "P. Jawanpuria, M. Varma, J. S. Nath. On p-norm path following in multiple kernel learning "   \
    "for non-linear feature selection. ICML 2014"

/* The refits of lasso and logistic with `refit` relaxed. */
static const method relaxed_lasso = {.name = "relaxed lasso",
                                     .group = GROUP_common,
                                     .tasks = TASK_REGRESSION,
                                     .no_dual = true,
                                     .exact = true,
                                     .offsets = true,
                                     .signs = true,
                                     .fit = relaxed_lasso_fit,
                                     .done = PARE_COMPUTED,
                                     .certify = certify_relaxed_lasso,
                                     .citation = RELAXED_LASSO,
                                     .tune = ""};
static const method relaxed_logistic = {.name = "relaxed logistic",
                                        .group = GROUP_common,
                                        .tasks = TASK_BINARY | TASK_MULTICLASS,
                                        .has_certificate = true,
                                        .offsets = true,
                                        .signs = true,
                                        .log_odds = true,
                                        .fit = relaxed_logistic_fit,
                                        .certify = certify_relaxed_logistic,
                                        .citation = RELAXED_LASSO "; with a ridge: " RIDGE_LOGISTIC,
                                        .tune = ""};
static const method relaxed_cox = {.name = "relaxed cox",
                                   .group = GROUP_cox,
                                   .tasks = TASK_SURVIVAL,
                                   .no_dual = true,
                                   .has_certificate = true,
                                   .offsets = true,
                                   .keeps = true,
                                   .signs = true,
                                   .fit = relaxed_cox_fit,
                                   .certify = certify_relaxed_cox,
                                   .citation = RELAXED_LASSO "; of the partial likelihood, with a "
                                                             "ridge: " RIDGE_COX,
                                   .tune = ""};

static const method methods[] = {
#include "methods.def"
};
/* Final classifiers that are not methods themselves and have only common settings. */
static const method classifiers[] = {{.name = "lda",
                                      .group = GROUP_common,
                                      .tasks = TASK_BINARY | TASK_MULTICLASS,
                                      .no_dual = true,
                                      .fit = shrunken_lda_fit,
                                      .done = PARE_COMPUTED,
                                      .citation = SHRUNKEN_LDA,
                                      .log_odds = true,
                                      .certify = certify_shrunken_lda,
                                      .tune = ""},
                                     {.name = "logistic",
                                      .group = GROUP_common,
                                      .tasks = TASK_BINARY | TASK_MULTICLASS,
                                      .fit = ridge_logistic_fit,
                                      .citation = RIDGE_LOGISTIC,
                                      .log_odds = true,
                                      .certify = certify_ridge_logistic,
                                      .tune = ""}};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

const method *method_of_group(settings_group group) {
    for (int i = 0; i < N_METHODS; i++)
        if (methods[i].group == group) return &methods[i];
    return group == pipeline.group ? &pipeline : NULL;
}

const method *method_named(const char *name) {
    for (int i = 0; i < N_METHODS; i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

const method *method_resolve(const method *m, const task_type *task, int64_t k) {
    return m == &pipeline ? method_named(pipeline_method(task, k)) : m;
}

void settings_resolve(all_settings *set, const method *m, const pare_data *data,
                      const task_type *task) {
    if (m == &pipeline) pipeline_settings(set, task, mat_is_sparse(&data->x));
}

static bool takes_offsets(const method *m) { return m->offsets; }
static bool takes_signs(const method *m) { return m->signs; }
static bool scores_univariate(const method *m) { return m->univariate; }
static bool has_relaxed(const method *m) { return m->relaxed != NULL; }

enum { NAMES_SIZE = 256 };

/* The methods with that flag. */
static const char *names_of(char names[NAMES_SIZE], bool (*is_so)(const method *m)) {
    size_t at = 0;
    names[0] = '\0';
    for (int i = 0; i < N_METHODS; i++)
        if (is_so(&methods[i]) && at < NAMES_SIZE)
            at += (size_t)snprintf(names + at, NAMES_SIZE - at, "%s%s", at ? ", " : "",
                                   methods[i].name);
    return names;
}

pare_status method_check_offset(const method *m, const pare_data *data, const task_type *task,
                                pare_error *err) {
    char others[NAMES_SIZE];
    if (!data->offset) return PARE_OK;
    if (m->offsets && task->several)
        return error_set(err, PARE_E_ARGUMENT,
                         "`offset` is one number a sample, which several classes would share: it "
                         "is for two classes and for regression");
    if (m->offsets) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`offset`: %s does not fit beside one; allowed with %s",
                     m->name, names_of(others, takes_offsets));
}

pare_status method_check_signs(const method *m, const pare_data *data, const task_type *task,
                               pare_error *err) {
    char others[NAMES_SIZE];
    if (!data->sign) return PARE_OK;
    if (!m->signs)
        return error_set(err, PARE_E_ARGUMENT,
                         "`sign`: %s cannot limit coefficients to a sign; allowed with %s", m->name,
                         names_of(others, takes_signs));
    if (!task->several) return PARE_OK;
    return error_set(
        err, PARE_E_ARGUMENT,
        "`sign` is for two classes at most: with several a feature has a coefficient in "
        "each");
}

void method_settle_refit(const method *m, const pare_data *data, const task_type *task,
                         all_settings *set) {
    bool obeys = m->relaxed && m->relaxed->signs;
    bool asked = !choice_is(set->common.refit, "auto");
    if (data->sign && m->shrunken && !asked && !obeys && task->classes)
        strcpy(set->common.refit, "none");
}

pare_status method_check_univariate(const method *m, pare_error *err) {
    char others[NAMES_SIZE];
    if (m->univariate) return PARE_OK;
    if (tasks_lack_target(m->tasks))
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_control`: %s does not look at the target, so that permuted labels "
                         "say nothing of it; fdr is for %s",
                         m->name, names_of(others, scores_univariate));
    return error_set(err, PARE_E_ARGUMENT,
                     "`error_control`: fdr permutes the labels, and permuting labels tests the "
                     "global null, that no feature matters at all: it says nothing of single "
                     "features of %s, which judges them together; ask for pfer, or for fdr with %s",
                     m->name, names_of(others, scores_univariate));
}

pare_status method_check_several(const all_settings *set, const task_type *task, pare_error *err) {
    const char *form = set->common.classifier_multiclass, *final = set->common.classifier;
    if (choice_is(form, "auto")) return PARE_OK;
    if (!task->classes)
        return error_set(err, PARE_E_ARGUMENT,
                         "`classifier_multiclass`: %s is how the final svm treats classes, the "
                         "task is %s",
                         form, task->name);
    if (choice_is(final, "svm")) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`classifier_multiclass`: %s is a form of `classifier` svm, the classifier is "
                     "%s",
                     form, final);
}

pare_status method_check_refit(const method *m, const all_settings *set, pare_error *err) {
    char others[NAMES_SIZE];
    if (!choice_is(set->common.refit, "relaxed") || m->relaxed) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`refit`: relaxed is for %s, the method is %s",
                     names_of(others, has_relaxed), m->name);
}

/* Whether all features are in one group. */
static bool is_one_group(const pare_data *data) {
    const strings *group = &data->groups;
    for (int64_t j = 1; j < group->count; j++)
        if (strcmp(strings_at(group, j), strings_at(group, 0)) != 0) return false;
    return group->count > 0;
}

pare_status method_check_terms(const method *m, const pare_data *data, const all_settings *set,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t d = data->x.d, kept = 0, k = set->common.k;
    double budget = set->common.budget;
    unit_totals units;
    pare_status status = units_total(&units, data, set, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t j = 0; j < d; j++) kept += data->kept && data->kept[j];
    if (kept > 0 && m->cannot_keep)
        return error_set(err, PARE_E_ARGUMENT, "`keep`: %s cannot keep features: %s", m->name,
                         m->cannot_keep);
    bool groups = units.count < d - kept;
    if (data->groups.count > 0 && m->cannot_group)
        return error_set(err, PARE_E_ARGUMENT, "`groups`: %s takes none: %s", m->name,
                         m->cannot_group);
    if (set->common.max_correlation < 1 && m->ranks_none)
        return error_set(err, PARE_E_ARGUMENT,
                         "`max_correlation`: %s does not rank features, so that none is weaker "
                         "than another",
                         m->name);
    if (d > 1 && kept == 0 && is_one_group(data))
        return error_set(err, PARE_E_ARGUMENT,
                         "`groups`: all features are one group: there is nothing to select");
    if (groups && k > units.count)
        return error_set(err, PARE_E_ARGUMENT, "`k`: %lld groups cannot be selected from %lld",
                         (long long)k, (long long)units.count);
    if (k > 0 && budget > 0)
        return error_set(err, PARE_E_ARGUMENT, "`budget` stands instead of `k`: give one of them");
    if (k > d - kept && kept == 0)
        return error_set(err, PARE_E_ARGUMENT, "`k`: %lld features cannot be selected from %lld",
                         (long long)k, (long long)d);
    if (k > d - kept)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`k`: %lld features cannot be selected from %lld, of which %lld are kept and "
            "do not count",
            (long long)k, (long long)d, (long long)kept);
    if (budget > 0 && budget < units.cheapest)
        return error_set(err, PARE_E_ARGUMENT,
                         "`budget`: %g is below the cost of the cheapest %s, %g", budget,
                         data->groups.count > 0 ? "group" : "feature", units.cheapest);
    return PARE_OK;
}

static const method *final_classifier(const char *name) {
    for (size_t i = 0; i < sizeof classifiers / sizeof classifiers[0]; i++)
        if (choice_is(name, classifiers[i].name)) return &classifiers[i];
    return method_named(name);
}

bool pare_classifier_info(pare_classifier *out, int64_t i) {
    char name[CHOICE_SIZE];
    if (!settings_choice("classifier", i, name)) return false;
    const method *m = final_classifier(name);
    *out = (pare_classifier){m->name, m->citation, m->log_odds};
    return true;
}

const method *method_final(const method *m, const all_settings *set, const task_type *task) {
    bool relaxes = m->relaxes && choice_is(set->common.refit, "auto");
    if (m->relaxed && (m->selects_only || relaxes || choice_is(set->common.refit, "relaxed")))
        return m->relaxed;
    if (m->final_regress && task->real) return method_named(m->final_regress);
    if (m->final) return method_named(m->final);
    return final_classifier(set->common.classifier);
}

int64_t pare_methods_count(void) { return N_METHODS; }

static pare_method_info info_of(const method *m) {
    return (pare_method_info){m->name,    m->summary,    task_list(m->tasks),
                              m->problem, m->citation,   m->two_stage,
                              m->counts,  m->likelihood, m->offsets};
}

bool pare_methods_info(pare_method_info *out, int64_t i) {
    if (i < 0 || i >= N_METHODS) return false;
    *out = info_of(&methods[i]);
    return true;
}

void pare_methods_default(pare_method_info *out) { *out = info_of(&pipeline); }

static const char *keep_word(const method *m) {
    return m->cannot_keep ? "no" : m->keeps ? "own" : "partial";
}

static const char *cost_word(const method *m) {
    if (m->ranks_none) return "no";
    if (m->cost == COST_SCORES) return "score";
    return m->stepwise ? "choice" : "penalty";
}

/* Whether its setting `penalty` may be that of groups. */
static bool has_group_penalty(const method *m) {
    pare_settings of = {.group = m->group};
    pare_setting_info info;
    for (int64_t i = 0; pare_settings_info(&info, &of, i); i++)
        if (strcmp(info.name, "penalty") == 0 && strstr(info.allowed, " group")) return true;
    return false;
}

static const char *groups_word(const method *m) {
    if (m->ranks_none || m->cannot_group) return "no";
    if (m->groups_own) return m->stepwise ? "elimination" : "problem";
    if (has_group_penalty(m)) return "setting";
    return m->groups == GROUPS_MEAN ? "mean" : m->groups == GROUPS_BEST ? "best" : "norm";
}

bool pare_methods_support(pare_method_support *out, int64_t i) {
    if (i < 0 || i >= N_METHODS) return false;
    const method *m = &methods[i];
    bool classes = tasks_have_classes(m->tasks);
    *out = (pare_method_support){
        .keep = keep_word(m),
        .cost = cost_word(m),
        .budget = !m->ranks_none,
        .groups = groups_word(m),
        .class_weight = classes,
        .sign = m->signs,
        .probability = m->likelihood ? "own"
                       : classes     ? "calibrated"
                                     : "no",
    };
    return true;
}

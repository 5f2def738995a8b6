#include "registry.h"

#include <string.h>

#define ZERO_NORM                                                                                  \
    "J. Weston, A. Elisseeff, B. Schoelkopf, M. Tipping. Use of the zero-norm with linear models " \
    "and kernel methods. JMLR 3:1439-1461, 2003"

#define DLSR                                                                                       \
    "S. Xiang, F. Nie, G. Meng, C. Pan, C. Zhang. Discriminative least squares regression for "    \
    "multiclass classification and feature selection. IEEE TNNLS 23:1738-1754, 2012"

static const method methods[] = {
    {.name = "svm",
     .group = GROUP_svm,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = svm_fit,
     .certify = certify_svm,
     .summary = "linear support vector machine, features ranked by weight",
     .problem = "1/2 |w|^2 + C sum_i max(0, 1 - y_i (w'x_i + b))",
     .citation = ZERO_NORM},
    {.name = "corr",
     .group = GROUP_corr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .fit = corr_fit,
     .summary = "correlation score of each feature on its own, then a classifier on the best",
     .problem = "(mean+ - mean-)^2 / (variance+ + variance-), several classes: mean over pairs",
     .citation = ZERO_NORM},
    {.name = "dlsr-fs",
     .group = GROUP_dlsr_fs,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = dlsr_fs_fit,
     .certify = certify_dlsr_fs,
     .keeps_point = true,
     .summary = "row-sparse discriminative least squares: features for all classes at once",
     .problem = "sum_i |one-sided residuals of sample i|_2 + lambda sum_j |W^j|_2",
     .citation = DLSR},
    {.name = "dlsr",
     .group = GROUP_dlsr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = dlsr_fit,
     .certify = certify_dlsr,
     .summary = "discriminative least squares: one-sided squared residuals of class indicators",
     .problem = "sum of squared one-sided residuals + lambda |W|_F^2",
     .citation = DLSR},
    {.name = "lsr",
     .group = GROUP_lsr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = lsr_fit,
     .certify = certify_lsr,
     .summary = "regularised least squares on class indicators",
     .problem = "|X W + 1 t' - Y|_F^2 + lambda |W|_F^2",
     .citation = DLSR},
    {.name = "lda",
     .group = GROUP_lda,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = lda_fit,
     .summary = "regularised linear discriminant analysis",
     .problem =
         "x'S m_k - m_k'S m_k / 2 + ln p_k with S = (covariance within classes + gamma I)^-1",
     .citation = DLSR},
    {.name = "1nn",
     .group = GROUP_one_nn,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = one_nn_fit,
     .summary = "the class of the nearest training sample, all features: the baseline",
     .problem = "argmin_i |x - x_i|_2 on the scaled features",
     .citation = DLSR},
};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

const method *method_of_group(settings_group group) {
    for (int i = 0; i < N_METHODS; i++)
        if (methods[i].group == group) return &methods[i];
    return NULL;
}

const method *method_named(const char *name) {
    for (int i = 0; i < N_METHODS; i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

int64_t pare_methods_count(void) { return N_METHODS; }

pare_method_info pare_methods_info(int64_t i) {
    static const char *const task_sets[16] = {
        [TASK_BINARY] = "binary",
        [TASK_MULTICLASS] = "multiclass",
        [TASK_BINARY | TASK_MULTICLASS] = "binary, multiclass",
        [TASK_RANKING] = "ranking",
        [TASK_REGRESSION] = "regression",
        [TASK_BINARY | TASK_RANKING] = "binary, ranking",
        [TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION] = "binary, multiclass, regression",
    };
    const method *m = &methods[i];
    return (pare_method_info){m->name, m->summary, task_sets[m->tasks], m->problem, m->citation};
}

#include "registry.h"

#include <string.h>

#define ZERO_NORM                                                                                  \
    "J. Weston, A. Elisseeff, B. Schoelkopf, M. Tipping. Use of the zero-norm with linear models " \
    "and kernel methods. JMLR 3:1439-1461, 2003"
#define PARSIMONIOUS                                                                               \
    "P. S. Bradley, O. L. Mangasarian, J. B. Rosen. Parsimonious least norm approximation. "       \
    "Computational Optimization and Applications 11:5-21, 1998"

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
    {.name = "llna",
     .group = GROUP_llna,
     .tasks = TASK_REGRESSION,
     .fit = llna_fit,
     .certify = certify_llna,
     .summary = "least 1-norm error with a 1-norm penalty, and its whole lambda path",
     .problem = "(1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda |x|_1",
     .citation = PARSIMONIOUS},
    {.name = "plna",
     .group = GROUP_plna,
     .tasks = TASK_REGRESSION,
     .fit = plna_fit,
     .certify = certify_plna,
     .summary = "least 1-norm error with few coefficients, by successive linearisation",
     .problem = "(1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda sum_j (1 - exp(-alpha |x_j|))",
     .citation = PARSIMONIOUS},
    {.name = "lstsq",
     .group = GROUP_lstsq,
     .tasks = TASK_REGRESSION,
     .fit = lstsq_fit,
     .certify = certify_lstsq,
     .summary = "minimum-norm least squares by truncated singular values",
     .problem = "sum_i w_i (a_i'x + b0 - b_i)^2, then |x|_2",
     .citation = PARSIMONIOUS},
    {.name = "best-subset",
     .group = GROUP_best_subset,
     .tasks = TASK_REGRESSION,
     .fit = best_subset_fit,
     .certify = certify_best_subset,
     .summary = "the k features of least 1-norm error, by branch and bound",
     .problem = "sum_i w_i |a_i'x + b0 - b_i| with k nonzero x_j",
     .citation = PARSIMONIOUS},
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

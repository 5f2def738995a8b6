/* The table of methods. A new method is its file in method/, its settings in settings.def, its
 * certificate in certify/ if it has one, and a row in methods.def. */
#ifndef PARE_REGISTRY_H
#define PARE_REGISTRY_H

#include <pare/methods.h>

#include "method/method.h"

const method *method_of_group(settings_group group);
const method *method_named(const char *name); /* NULL: there is none */
/* The method that auto resolves to on these data for k features (below 1: not given); sets the
 * automatic settings that it fixes: the scaling. Returns any other method itself. */
const method *method_resolve(const method *m, const task_type *task, int64_t k);
void settings_resolve(all_settings *set, const method *m, const pare_data *data,
                      const task_type *task);

/* Returns an error for offsets that the method does not support, or that several classes would
 * share. */
PARE_NODISCARD pare_status method_check_offset(const method *m, const pare_data *data,
                                               const task_type *task, pare_error *err);

/* Returns an error for signs of features that the method cannot obey, or that several classes would
 * share. */
PARE_NODISCARD pare_status method_check_signs(const method *m, const pare_data *data,
                                              const task_type *task, pare_error *err);
/* Where features have signs and the final classifier cannot obey them, the method's own predictor
 * stays: `refit` auto becomes none. */
void method_settle_refit(const method *m, const pare_data *data, const task_type *task,
                         all_settings *set);

/* Returns an error for a method without per-feature scores, for which permutations give no
 * q-values. */
PARE_NODISCARD pare_status method_check_univariate(const method *m, pare_error *err);

/* Returns an error for a multiclass form of the final svm without classes, or without svm. */
PARE_NODISCARD pare_status method_check_several(const all_settings *set, const task_type *task,
                                                pare_error *err);
/* Returns an error for `refit` relaxed with a method that does not support it. */
PARE_NODISCARD pare_status method_check_refit(const method *m, const all_settings *set,
                                              pare_error *err);

/* Returns an error for selections that are not possible: a k beyond the features, k and a budget at
 * once, a budget below every cost, forced-in features for a method that does not support them. */
PARE_NODISCARD pare_status method_check_terms(const method *m, const pare_data *data,
                                              const all_settings *set, const pare_ctx *ctx,
                                              pare_error *err);

/* The final classifier of a pure selector: its own choice, or --classifier. */
const method *method_final(const method *m, const all_settings *set, const task_type *task);

#endif

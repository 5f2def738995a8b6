/* The table of methods. A new method is its file in method/, its settings in settings.def, its
 * certificate in certify/ if it has one, and a row in methods.def. */
#ifndef PARE_REGISTRY_H
#define PARE_REGISTRY_H

#include <pare/methods.h>

#include "method/method.h"

const method *method_of_group(settings_group group);
const method *method_named(const char *name); /* NULL: there is none */
/* What the method auto is on these data for k features (below 1: not said), and the settings that it
 * fixes where they are automatic: the scaling. Another method is itself. */
const method *method_meant(const method *m, task_kind task, int64_t k);
void settings_meant(all_settings *set, const method *m, const pare_data *data, task_kind task);

/* Refuses offsets that the method does not fit beside, or that several classes would share. */
PARE_NODISCARD pare_status method_check_offset(const method *m, const pare_data *data,
                                               task_kind task, pare_error *err);

/* Refuses a method for which permuted labels say nothing of single features. */
PARE_NODISCARD pare_status method_check_alone(const method *m, pare_error *err);

/* Refuses a form of several classes for the final svm where there are no classes, or no svm. */
PARE_NODISCARD pare_status method_check_several(const all_settings *set, task_kind task,
                                                pare_error *err);
/* Refuses `refit` relaxed of a method that has no such. */
PARE_NODISCARD pare_status method_check_refit(const method *m, const all_settings *set,
                                              pare_error *err);

/* Refuses what cannot be selected: a k beyond the features, k and a budget at once, a budget below every
 * cost, features to keep for a method that cannot. */
PARE_NODISCARD pare_status method_check_terms(const method *m, const pare_data *data,
                                              const all_settings *set, const pare_ctx *ctx,
                                              pare_error *err);

/* What a pure selector ends in: its own choice, or --classifier. */
const method *method_final(const method *m, const all_settings *set, task_kind task);

#endif

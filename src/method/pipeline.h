/* The default pipeline, `auto`: which method, scaling and final classifier, at k features? Nobody else
 * knows. (The final classifier is a default of its settings, in settings.def.) */
#ifndef PARE_METHOD_PIPELINE_H
#define PARE_METHOD_PIPELINE_H

#include "method/method.h"

/* The row of `auto`: a method by itself only where numbers of features on both sides of its turn are
 * asked for. */
extern const method pipeline;

/* The name of the method that it is for k features (below 1: not given). */
const char *pipeline_method(const task_type *task, int64_t k);
/* Replaces automatic settings that it decides. */
void pipeline_settings(all_settings *set, const task_type *task, bool sparse);
/* Logs what it is for one number of features, or (k negative) for all, and which part took which of
 * the settings given. */
void pipeline_say(const task_type *task, const all_settings *set, int64_t k, const pare_ctx *ctx);

#endif

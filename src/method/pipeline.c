/* NAME       auto
 * PROBLEM    of classes the methods that did best on many wide data sets (docs/choosing.md):
 *            lda-forward for few features, svm-rfe for many, after robust scaling. A fit is one of
 *            the two; a path has sizes on both sides, and runs each side by itself (turns_at).
 *            Regression: lasso; ranking: inf-push; survival: cox. */
#include "method/pipeline.h"

#include <stdio.h>
#include <string.h>

#define MAX_FORWARD 50 /* features */
#define FORWARD "lda-forward"
#define BACKWARD "svm-rfe"
#define REGRESSION "lasso"
#define RANKING "inf-push"
#define SURVIVAL "cox"
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

static pare_status fit(fit_result *r, const fit_job *job, const pare_ctx *ctx, pare_error *err) {
    return (job->k > MAX_FORWARD ? svm_rfe_fit : lda_forward_fit)(r, job, ctx, err);
}

const method pipeline = {
    .name = "auto",
    .group = GROUP_automatic,
    .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_RANKING | TASK_REGRESSION | TASK_SURVIVAL,
    .selects_only = true,
    .single_gram = true,
    .by_separation = true,
    .nested = true,
    .turns_at = MAX_FORWARD,
    .cost = COST_WEIGHS,
    .groups = GROUPS_BEST,
    .fit = fit,
    .summary = "the default pipeline: the method that the task and k ask for",
    .problem = "classes: " FORWARD
               " up to " TEXT(MAX_FORWARD) " features, " BACKWARD
                                           " beyond, after robust scaling of dense data and before "
                                           "the classifier lda; regression: " REGRESSION
                                           "; ranking: " RANKING "; survival: " SURVIVAL,
    .citation = "those of the methods: pare methods " FORWARD ", " BACKWARD ", " REGRESSION
                ", " RANKING ", " SURVIVAL,
    .tune = ""};

const char *pipeline_method(const task_type *task, int64_t k) {
    if (task->real) return REGRESSION;
    if (task->timed) return SURVIVAL;
    if (task->by_order) return RANKING;
    return k > MAX_FORWARD ? BACKWARD : FORWARD;
}

void pipeline_settings(all_settings *set, const task_type *task, bool sparse) {
    bool open = choice_is(set->common.scale, "auto") && choice_is(set->common.row_scale, "none");
    if (task->classes && open && !sparse) strcpy(set->common.scale, "robust");
}

const char *pipeline_text(char out[PIPELINE_TEXT], const task_type *task, const all_settings *set,
                          int64_t k) {
    int at = k < 0 && task->classes
                 ? snprintf(out, PIPELINE_TEXT, "method auto: %s up to %d features, %s beyond",
                            FORWARD, MAX_FORWARD, BACKWARD)
                 : snprintf(out, PIPELINE_TEXT, "method auto: %s", pipeline_method(task, k));
    if (task->classes)
        snprintf(out + at, (size_t)(PIPELINE_TEXT - at), ", scale %s, classifier %s",
                 set->common.scale, set->common.classifier);
    return out;
}

/* NAME       auto
 * PROBLEM    of classes the methods that did best on many wide data sets (docs/choosing.md):
 *            lda-forward for few features, svm-rfe for many, after robust scaling. A fit is one of
 *            the two; a path has sizes on both sides, and runs each side by itself (turns_at).
 *            Regression: lasso; ranking: inf-push; survival: cox. */
#include "method/pipeline.h"

#include <stdio.h>
#include <string.h>

#include "base/context.h"

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

static const struct {
    settings_group group;
    const char *name;
} parts[] = {{GROUP_lda_forward, FORWARD},
             {GROUP_svm_rfe, BACKWARD},
             {GROUP_lasso, REGRESSION},
             {GROUP_inf_push, RANKING},
             {GROUP_cox, SURVIVAL}};
enum { N_PARTS = sizeof parts / sizeof *parts };

/* The part that takes this setting: one of those in `used`, else *taken is false. */
static const char *taker_of(const char *name, const all_settings *set, const char *used,
                            bool *taken) {
    const char *other = NULL;
    setting_value unused;
    for (size_t k = 0; k < N_PARTS; k++) {
        if (!settings_named(&unused, set, parts[k].group, name)) continue;
        *taken = strstr(used, parts[k].name) != NULL;
        if (*taken) return parts[k].name;
        if (!other) other = parts[k].name;
    }
    return other;
}

/* Which part took each setting that was given, once; a warning where that part is not used. */
static void say_given(const all_settings *set, const char *used, const pare_ctx *ctx) {
    for (size_t k = 0; k < N_PARTS; k++) {
        const char *name;
        for (int64_t i = 0; (name = settings_changed(set, parts[k].group, i)); i++) {
            bool taken = false;
            const char *by = taker_of(name, set, used, &taken);
            if (strcmp(by, parts[k].name) != 0) continue; /* said there */
            ctx_log(ctx, taken ? PARE_LOG_INFO : PARE_LOG_WARNING,
                    taken ? "method auto: `%s` goes to %s"
                          : "method auto: `%s` belongs to %s, which is not used here: it changes "
                            "nothing",
                    name, by);
        }
    }
}

void pipeline_say(const task_type *task, const all_settings *set, int64_t k, const pare_ctx *ctx) {
    enum { LINE_SIZE = 256 };
    char out[LINE_SIZE];
    int at = k < 0 && task->classes
                 ? snprintf(out, LINE_SIZE, "method auto: %s up to %d features, %s beyond", FORWARD,
                            MAX_FORWARD, BACKWARD)
                 : snprintf(out, LINE_SIZE, "method auto: %s", pipeline_method(task, k));
    char used[LINE_SIZE];
    strcpy(used, out);
    if (task->classes)
        snprintf(out + at, (size_t)(LINE_SIZE - at), ", scale %s, classifier %s", set->common.scale,
                 set->common.classifier);
    ctx_log(ctx, PARE_LOG_INFO, "%s", out);
    say_given(set, used, ctx);
}

/* The path as numbers for programs; report/path_fields.c has what is one number. */
#include <math.h>

#include "task/task.h"
#include "select/path.h"

static bool has_run(const pare_path *p, int64_t m) { return m >= 0 && m < p->setup.n_methods; }

int64_t pare_path_n_parts(const pare_path *p) { return p->plan.count; }
int64_t pare_path_n_metrics(const pare_path *p) { return p->setup.n_metrics; }
int64_t pare_path_metric(const pare_path *p) { return p->setup.metric; }

const char *pare_path_metric_name(const pare_path *p, int64_t i) {
    return i >= 0 && i < p->setup.n_metrics ? p->y.task->metric[i].name : NULL;
}

bool pare_metric_info(pare_metric *out, const char *task, int64_t i) {
    const task_type *t = task_named(task);
    if (!t || i < 0 || i >= t->n_metrics) return false;
    const metric_info *m = &t->metric[i];
    *out = (pare_metric){
        .name = m->name,
        .words = m->words,
        .higher_is_better = m->higher,
        .least = m->least,
        .most = m->most,
        .proportion = m->proportion != PROPORTION_NONE,
    };
    return true;
}

static const fold_result *result_of(const pare_path *p, int64_t m, int64_t part) {
    return &p->round.result[part * p->setup.n_methods + m];
}

bool pare_path_scores(double *score, const pare_path *p, int64_t m, int64_t metric) {
    if (!has_run(p, m) || !pare_path_metric_name(p, metric)) return false;
    for (int64_t s = 0; s < p->setup.n_sizes; s++)
        for (int64_t j = 0; j < p->plan.count; j++) {
            const fold_result *r = result_of(p, m, j);
            score[s * p->plan.count + j] =
                r->done ? r->score[s * p->setup.n_metrics + metric] : NAN;
        }
    return true;
}

bool pare_path_nested(double *score, int64_t *n_features, const pare_path *p, int64_t m,
                      int64_t metric) {
    if (!has_run(p, m) || !pare_path_metric_name(p, metric)) return false;
    for (int64_t j = 0; j < p->plan.count; j++) {
        const fold_result *r = result_of(p, m, j);
        int64_t at = r->done ? fold_nested_size(&p->setup, r) : -1;
        score[j] = at < 0 ? NAN : fold_nested(&p->setup, r)[metric];
        if (n_features) n_features[j] = at < 0 ? 0 : p->setup.sizes[at];
    }
    return true;
}

/* The path as numbers for programs; the reports have the same as text. */
#include <math.h>

#include "task/task.h"
#include "select/path.h"

static bool has_run(const pare_path *p, int64_t m) { return m >= 0 && m < p->setup.n_methods; }

int64_t pare_path_n_runs(const pare_path *p) { return p->setup.n_methods; }
int64_t pare_path_n_parts(const pare_path *p) { return p->plan.count; }
int64_t pare_path_n_points(const pare_path *p) { return p->setup.n_sizes; }
int64_t pare_path_n_metrics(const pare_path *p) { return p->setup.n_metrics; }
int64_t pare_path_metric(const pare_path *p) { return p->setup.metric; }

const char *pare_path_metric_name(const pare_path *p, int64_t i) {
    return i >= 0 && i < p->setup.n_metrics ? p->y.task->metric[i].name : NULL;
}

bool pare_path_info(pare_path_run_info *out, const pare_path *p, int64_t m) {
    if (!has_run(p, m)) return false;
    const path_run *run = &p->run[m];
    estimate nested = run->nested[p->setup.metric];
    *out = (pare_path_run_info){
        .method = run->method->name,
        .parts_done = run->n_done,
        .chosen = run->chosen,
        .n_features = run->chosen >= 0 ? p->setup.sizes[run->chosen] : 0,
        .nested_mean = nested.mean,
        .nested_se = nested.se,
        .null_p = run->null.p,
        .null_mean = run->null.mean,
        .unconverged = run->unconverged,
    };
    return true;
}

bool pare_path_at(pare_path_point *out, const pare_path *p, int64_t m, int64_t s) {
    if (!has_run(p, m) || s < 0 || s >= p->setup.n_sizes) return false;
    const path_point *at = &p->run[m].point[s];
    estimate e = at->metric[p->setup.metric];
    *out = (pare_path_point){
        .n_features = p->setup.sizes[s],
        .value = p->setup.along ? p->setup.along[s] : NAN,
        .used_mean = at->used_mean,
        .mean = e.mean,
        .se = e.se,
        .null_p = at->null.p,
        .null_mean = at->null.mean,
        .stability = at->stable.index,
        .stability_low = at->stable.low,
        .stability_high = at->stable.high,
    };
    return true;
}

bool pare_path_interval_at(pare_path_interval *out, const pare_path *p, int64_t m, int64_t s) {
    if (!has_run(p, m) || s < -1 || s >= p->setup.n_sizes) return false;
    const interval *at = s < 0 ? &p->run[m].nested_interval : &p->run[m].point[s].interval;
    *out = (pare_path_interval){INTERVAL_LEVEL, at->low, at->high, interval_kind(at)};
    return !isnan(at->low);
}

bool pare_path_null_at(pare_path_null *out, const pare_path *p, int64_t m, int64_t s) {
    if (!has_run(p, m) || s < -1 || s >= p->setup.n_sizes) return false;
    const path_null *at = s < 0 ? &p->run[m].null : &p->run[m].point[s].null;
    *out = (pare_path_null){at->p, at->least, at->mean, at->low, at->high, at->p_methods};
    return !isnan(at->p);
}

int64_t pare_path_best(const pare_path *p) { return p->best; }

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

int64_t pare_path_frequency(int64_t *index, double *share, const pare_path *p, int64_t m,
                            int64_t s) {
    if (!has_run(p, m) || s < 0 || s >= p->setup.n_sizes) return 0;
    const path_run *run = &p->run[m];
    for (int64_t i = 0; i < run->n_frequency; i++) {
        if (index) index[i] = run->frequency[i].index;
        if (share) share[i] = run->frequency[i].share[s];
    }
    return run->n_frequency;
}

int64_t pare_path_features(int64_t *index, double *score, const pare_path *p, int64_t m) {
    if (!has_run(p, m)) return 0;
    const path_run *run = &p->run[m];
    for (int64_t i = 0; i < run->n_feature; i++) {
        if (index) index[i] = run->feature[i].index;
        if (score) score[i] = run->feature[i].score;
    }
    return run->n_feature;
}

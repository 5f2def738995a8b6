/* Error control of a path: parses `error_control` and checks that the level can be reached. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "path/path_setup.h"
#include "registry.h"
#include "select/control.h"
#include "select/half_samples.h"

enum { PURPOSE_CONTROL = 0x65727272, MIN_PAIRS = 2, MAX_PAIRS = 1000, MIN_GROUPS = 12 };

/* "pfer=V" or "fdr=Q". */
static pare_status read_level(control_request *c, const char *text, pare_error *err) {
    static const char *const word[] = {"pfer=", "fdr="};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(word[i]);
        if (strncmp(text, word[i], length) != 0) continue;
        c->kind = i == 0 ? CONTROL_STABILITY : CONTROL_PERMUTATION;
        if (number_parse_all(text + length, &c->level) && c->level > 0 && isfinite(c->level))
            return PARE_OK;
    }
    return error_set(err, PARE_E_ARGUMENT,
                     "`error_control`: \"%.64s\" is not allowed; expected pfer=V with a number of "
                     "features V > 0, or fdr=Q with a share Q > 0",
                     text);
}

/* Methods need a ranking for the half-samples, and settings that do not depend on other samples. */
static pare_status check_methods(const pare_path *p, pare_error *err) {
    if (p->tuned)
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_control` cannot be combined with `tune`: settings that other "
                         "samples chose would tie the half-samples together");
    for (int64_t i = 0; i < p->setup.n_methods; i++)
        if (p->setup.method[i].m->ranks_none)
            return error_set(err, PARE_E_ARGUMENT,
                             "`error_control`: %s does not rank features, so there is no "
                             "selection to control",
                             p->setup.method[i].name);
    return PARE_OK;
}

/* Rounds up to three digits, so that the level that a message names can be reached. */
static double round_up(double x) {
    double unit = pow(10, floor(log10(x)) - 2);
    return ceil(x / unit) * unit;
}

static pare_status unreachable(const pare_path *p, int64_t units, pare_error *err) {
    const control_request *c = &p->control;
    const char *what = units < p->d ? "groups" : "features";
    if (!(c->rule.expected < (double)units))
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_control`: pfer=%g cannot be reached by the %s bound with %" PRId64
                         " %s and %" PRId64 " pairs of half-samples, nor can any other level",
                         c->level, bound_name(c->bound), units, what, c->pairs);
    return error_set(err, PARE_E_ARGUMENT,
                     "`error_control`: pfer=%g cannot be reached by the %s bound with %" PRId64
                     " %s and %" PRId64 " pairs of half-samples: the least that can is pfer=%.3g",
                     c->level, bound_name(c->bound), units, what, c->pairs,
                     round_up(c->rule.expected));
}

/* The number of units of selection: features, or groups of them. */
static int64_t units_of(const pare_path *p) {
    const pare_data *data = p->setup.data;
    const all_settings *set = p->setup.method[0].grid;
    bool groups = data->groups.count > 0 && choice_is(set->common.count, "groups");
    return groups ? p->setup.units.count : p->d;
}

/* Few groups have few distinct half-samples. */
static pare_status note_groups(pare_path *p, const int32_t *group, pare_error *err) {
    int64_t groups = 0;
    for (int64_t i = 0; group && i < p->n; i++)
        if (group[i] >= groups) groups = group[i] + 1;
    if (!group || groups >= MIN_GROUPS) return PARE_OK;
    return path_note(
        p, err,
        "the samples are in %" PRId64 " groups, each kept in one half-sample: there are few "
        "different half-samples for the error control, and what it assumes of them may "
        "not hold",
        groups);
}

static pare_status set_stability(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                                 pare_error *err) {
    control_request *c = &p->control;
    const cv_request *q = &p->setup.request;
    const int32_t *group = p->given ? q->given : q->group;
    if (!o->error_bound || !bound_parse(o->error_bound, &c->bound))
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_bound`: \"%.64s\" is not allowed; expected one of: plain unimodal "
                         "r-concave",
                         o->error_bound ? o->error_bound : "");
    c->pairs = o->error_pairs;
    if (c->pairs < MIN_PAIRS || c->pairs > MAX_PAIRS)
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_pairs`: %" PRId64 " is not allowed; from %d to %d", c->pairs,
                         MIN_PAIRS, MAX_PAIRS);
    int64_t units = units_of(p);
    if (c->level >= (double)units)
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_control`: pfer=%g is not allowed; the data have %" PRId64
                         " %s, a smaller number of false ones is expected",
                         c->level, units, units < p->d ? "groups" : "features");
    if (!bound_rule_of(&c->rule, c->bound, c->level, units, c->pairs))
        return unreachable(p, units, err);
    PASS(note_groups(p, group, err));
    return half_samples_draw(&c->half, &p->mem, &p->y, group, p->n, c->pairs,
                             plan_seed(p->setup.seed, PURPOSE_CONTROL), ctx, err);
}

/* n! / (n_1! n_2! ...): the number of distinct permutations of the labels; infinite for values. */
static double orders_of(const target *y, int64_t n) {
    double log_orders = lgamma((double)n + 1);
    if (!y->cls) return INFINITY;
    for (int32_t c = 0; c < y->n_classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++) count += y->cls[i] == c;
        log_orders -= lgamma((double)count + 1);
    }
    return round(exp(log_orders));
}

static pare_status set_permutation(pare_path *p, const pare_path_options *o, pare_error *err) {
    control_request *c = &p->control;
    double orders = orders_of(&p->y, p->n);
    if (c->level >= 1)
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_control`: fdr=%g is not allowed; a share below 1 is expected",
                         c->level);
    if (o->error_permutations < 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`error_permutations`: %" PRId64 " is not allowed; at least 0",
                         o->error_permutations);
    c->permutations = o->error_permutations;
    if (c->level * orders < 1)
        return error_set(err, PARE_E_DATA,
                         "`error_control`: fdr=%g cannot be reached, for the labels of %" PRId64
                         " samples have %.0f different orders only: the least that can is fdr=%.3g",
                         c->level, p->n, orders, round_up(1 / orders));
    for (int64_t i = 0; i < p->setup.n_methods; i++) {
        const method *m = p->setup.method[i].m;
        PASS(method_check_univariate(m, err));
        double null_scores = (double)control_permutations(c, m);
        if (m->standardised) null_scores *= (double)p->d;
        if (c->level * (null_scores + 1) < 1)
            return error_set(err, PARE_E_ARGUMENT,
                             "`error_control`: fdr=%g cannot be reached by %s with %" PRId64
                             " permutations: the least that can is fdr=%.3g, or ask for more with "
                             "`error_permutations`",
                             c->level, m->name, control_permutations(c, m),
                             round_up(1 / (null_scores + 1)));
    }
    return PARE_OK;
}

pare_status path_set_control(pare_path *p, const pare_path_options *o, const pare_ctx *ctx,
                             pare_error *err) {
    if (!o->error_control) return PARE_OK;
    PASS(read_level(&p->control, o->error_control, err));
    PASS(check_methods(p, err));
    if (p->control.kind == CONTROL_STABILITY)
        PASS(set_stability(p, o, ctx, err));
    else
        PASS(set_permutation(p, o, err));
    return PARE_OK;
}

static double runs_of(const pare_path *p, int64_t m) {
    const control_request *c = &p->control;
    return c->kind == CONTROL_NONE        ? 0
           : c->kind == CONTROL_STABILITY ? 2 * (double)c->pairs
                                          : (double)control_permutations(c, p->setup.method[m].m);
}

double path_control_cost(const pare_path *p) {
    double runs = 0;
    for (int64_t m = 0; m < p->setup.n_methods; m++) runs += runs_of(p, m);
    return runs;
}

pare_status path_run_control(pare_path *p, double before, interruption *stopped,
                             const pare_ctx *ctx, pare_error *err) {
    double left = 1 - before, all = path_control_cost(p);
    pare_status status = PARE_OK;
    if (p->control.kind == CONTROL_STABILITY)
        status = control_half_samples(p, before, left, stopped, ctx, err);
    for (int64_t m = 0; p->control.kind == CONTROL_PERMUTATION && m < p->setup.n_methods; m++) {
        double share = left * runs_of(p, m) / all;
        status = control_permute(p, m, before, share, stopped, ctx, err);
        before += share;
        if (status != PARE_OK || *stopped != INTERRUPT_NONE) break;
    }
    if (status != PARE_E_CANCELLED) return status;
    *stopped = INTERRUPT_CANCEL; /* the path itself is complete */
    return PARE_OK;
}

/* What a person would quote of a run, a sentence at a time, the same through every door. Two things
 * are kept apart: the estimate is of the whole procedure, which chose a number of features anew in
 * every outer fold; the model on all samples has one number, and a CV score on which it was chosen. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "report/headline.h"
#include "report/path_text.h"

/* Outer folds scatter if they chose numbers more than one step of the default 1, 2, 5, 10, ...
 * apart. */
static const double MAX_STEP = 3;
static const double LEVEL = 0.05, STRICT_LEVEL = 0.01;
enum { FOR_LEVEL = 19, FOR_STRICT_LEVEL = 99, SUGGESTED = 199 }; /* permutations: 1/p - 1 */

/* Two decimals below 10, one below 100, else none, ties away from zero; tiny and huge numbers with
 * three digits. The page's two() is the same. */
short_number short_number_of(double x) {
    short_number out;
    double size = fabs(x), up = x * (1 + 2 * DBL_EPSILON);
    if ((size > 0 && size < 0.01) || size >= 1e6)
        snprintf(out.text, sizeof out.text, "%.3g", x);
    else
        snprintf(out.text, sizeof out.text, "%.*f", size < 10 ? 2 : size < 100 ? 1 : 0, up);
    return out;
}

static const metric_info *metric_of(const pare_path *p) {
    return &p->y.task->metric[p->setup.metric];
}

static bool chooses_size(const pare_path *p) { return p->setup.n_sizes > 1; }
static bool has_nested(const pare_path *p, const path_run *run) {
    return !isnan(run->nested[p->setup.metric].mean);
}

/* What the samples are divided into. */
static const char *part_word(const pare_path *p) {
    return p->setup.request.role || p->setup.request.splits > 0 ? "split" : "fold";
}

void interval_words(char out[INTERVAL_WORDS], const interval *range) {
    out[0] = '\0';
    if (!isnan(range->low))
        snprintf(out, INTERVAL_WORDS, " (%s %.0f%% CI %s to %s)",
                 strcmp(range->kind, "wilson") == 0 ? "Wilson" : range->kind, 100 * range->level,
                 short_number_of(range->low).text, short_number_of(range->high).text);
}

static bool estimate_sentence(char *out, const pare_path *p, const path_run *run) {
    char range[INTERVAL_WORDS], baseline[96] = "";
    double guess = p->baseline[p->setup.metric];
    const path_point *point = &run->point[run->chosen];
    bool nested = chooses_size(p) && has_nested(p, run);
    interval_words(range, nested ? &run->nested_interval : &point->interval);
    if (!isnan(guess))
        snprintf(baseline, sizeof baseline, "; %s %s", p->y.task->baseline,
                 short_number_of(guess).text);
    snprintf(out, HEADLINE_SIZE, "%s: %s %s%s%s",
             nested ? "Nested CV estimate of the whole procedure"
             : chooses_size(p)
                 ? "CV estimate at the chosen k, optimistic because k was chosen on it"
                 : "CV estimate at the given k",
             metric_of(p)->words,
             short_number_of(nested ? run->nested[p->setup.metric].mean
                                    : point->metric[p->setup.metric].mean)
                 .text,
             range, baseline);
    return true;
}

static bool stopped_sentence(char *out, const pare_path *p, const path_run *run) {
    snprintf(out, HEADLINE_SIZE, "Stopped early: %lld of %lld %ss are behind these numbers",
             (long long)run->n_done, (long long)p->plan.count, part_word(p));
    return run->n_done < p->plan.count;
}

/* What the outer folds chose, before and after its number: the points of a path along a parameter
 * are told by the features that all samples select there. */
static bool outer_sentence(char *out, const pare_path *p, const path_run *run) {
    const path_sizes_chosen *outer = &run->outer;
    const path_setup *s = &p->setup;
    bool one = outer->low == outer->high;
    const char *before = s->budget ? (one ? "a budget of " : "budgets of ")
                         : s->along
                             ? (one ? "a point of the path with " : "points of the path with ")
                             : "";
    const char *after = s->budget ? "" : one && outer->low == 1 ? " feature" : " features";
    const char *where = s->along ? " on all samples" : "";
    if (!chooses_size(p) || outer->count == 0) return false;
    if (one)
        snprintf(out, HEADLINE_SIZE, "Every outer %s chose %s%.6g%s%s", part_word(p), before,
                 outer->low, after, where);
    else
        snprintf(out, HEADLINE_SIZE, "The outer %ss chose %s%.6g to %.6g%s%s (median %.6g)%s",
                 part_word(p), before, outer->low, outer->high, after, where, outer->median,
                 outer->high > MAX_STEP * outer->low
                     ? ": the data do not settle the number, and the estimate is that of "
                       "choosing it anew, not that of any one number"
                     : "");
    return true;
}

static bool model_sentence(char *out, const pare_path *p, const path_run *run) {
    double size = path_size(&p->setup, run->chosen);
    const estimate *cv = &run->point[run->chosen].metric[p->setup.metric];
    char model[128], folds[64] = "";
    if (p->setup.budget)
        snprintf(model, sizeof model, "The final model has a budget of %.6g", size);
    else
        snprintf(model, sizeof model, "The final model has k = %.6g of %lld features", size,
                 (long long)(run->method->d - run->method->n_kept));
    if (run->method->n_kept > 0)
        snprintf(model + strlen(model), sizeof model - strlen(model), " and the %lld forced in",
                 (long long)run->method->n_kept);
    if (run->outer.as_chosen > 0)
        snprintf(folds, sizeof folds, ", as %lld of %lld outer %ss chose",
                 (long long)run->outer.as_chosen, (long long)run->outer.count, part_word(p));
    else if (run->outer.count > 0)
        snprintf(folds, sizeof folds, ", which no outer %s chose", part_word(p));
    if (!chooses_size(p))
        snprintf(out, HEADLINE_SIZE, "%s", model);
    else if (has_nested(p, run))
        snprintf(out, HEADLINE_SIZE,
                 "%s%s; its CV %s of %s is optimistic on average, because k was chosen on it",
                 model, folds, metric_of(p)->words, short_number_of(cv->mean).text);
    else
        snprintf(out, HEADLINE_SIZE,
                 "%s; there is no nested CV estimate, which inner folds would give", model);
    return true;
}

static bool permutation_sentence(char *out, const pare_path *p, const path_run *run) {
    const path_null *null = &run->null;
    char least[64] = ",", need[128] = "";
    if (isnan(null->p)) return false;
    if (null->p > null->least) snprintf(least, sizeof least, ", where %.2g is", null->least);
    if (null->least > LEVEL)
        snprintf(need, sizeof need,
                 " (p = %g needs at least %d and p = %g at least %d; %d are suggested)", LEVEL,
                 FOR_LEVEL, STRICT_LEVEL, FOR_STRICT_LEVEL, SUGGESTED);
    else if (null->least > STRICT_LEVEL)
        snprintf(need, sizeof need, " (p = %g needs at least %d; %d are suggested)", STRICT_LEVEL,
                 FOR_STRICT_LEVEL, SUGGESTED);
    snprintf(out, HEADLINE_SIZE,
             "Permutation test of the CV %s%s, %s, with everything repeated (permutation mean %s): "
             "p = %.2g%s the least possible with %lld permutation%s%s",
             metric_of(p)->words, chooses_size(p) ? " at the chosen k" : "",
             short_number_of(run->point[run->chosen].metric[p->setup.metric].mean).text,
             short_number_of(null->mean).text, null->p, least, (long long)null->count,
             null->count == 1 ? "" : "s", need);
    return true;
}

/* What the p-value is of, where it might be taken for something else. */
static bool methods_sentence(char *out, const pare_path *p, const path_run *run) {
    if (isnan(run->null.p) || p->setup.n_methods < 2) return false;
    snprintf(out, HEADLINE_SIZE,
             "That p is of this method alone; for the best CV %s among the %lld methods, by the "
             "same permutations, p = %.2g",
             metric_of(p)->words, (long long)p->setup.n_methods, run->null.p_methods);
    return true;
}

/* The first question of who reads the score: is it more than the covariates say? */
static bool added_sentence(char *out, const pare_path *p, const path_run *run) {
    char range[INTERVAL_WORDS] = "";
    if (isnan(run->kept_score) || isnan(run->added)) return false;
    if (!isnan(run->added_low))
        snprintf(range, sizeof range, " (bootstrap %.0f%% CI %s to %s)", 100 * INTERVAL_LEVEL,
                 short_number_of(run->added_low).text, short_number_of(run->added_high).text);
    snprintf(
        out, HEADLINE_SIZE,
        "The %lld forced-in covariate%s alone, in the same %ss: %s %s; what the features add to "
        "%s%s: %s%s",
        (long long)run->method->n_kept, run->method->n_kept == 1 ? "" : "s", part_word(p),
        metric_of(p)->words, short_number_of(run->kept_score).text,
        run->method->n_kept == 1 ? "it" : "them", p->setup.higher ? "" : " (below 0 is better)",
        short_number_of(run->added).text, range);
    return true;
}

static bool kept_sentence(char *out, const pare_path *p, const path_run *run) {
    (void)p;
    snprintf(out, HEADLINE_SIZE,
             "The p-value is of the forced-in covariates and the features together");
    return !isnan(run->null.p) && run->method->n_kept > 0;
}

bool headline_sentence(char out[HEADLINE_SIZE], const pare_path *p, int64_t m, int64_t i) {
    typedef bool sentence(char *out, const pare_path *p, const path_run *run);
    static sentence *const all[HEADLINE_SENTENCES] = {
        estimate_sentence, outer_sentence,       model_sentence,   added_sentence,
        stopped_sentence,  permutation_sentence, methods_sentence, kept_sentence};
    return p->run[m].chosen >= 0 && all[i](out, p, &p->run[m]);
}

pare_status pare_path_headline(char **out, const pare_path *p, int64_t m, const pare_ctx *ctx,
                               pare_error *err) {
    text_buffer text;
    char sentence[HEADLINE_SIZE];
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    if (m < 0 || m >= p->setup.n_methods)
        return error_set(err, PARE_E_ARGUMENT, "the path has no run %lld", (long long)m);
    text_init(&text, ctx);
    for (int64_t i = 0; i < HEADLINE_SENTENCES; i++)
        if (headline_sentence(sentence, p, m, i)) text_print(&text, "%s.\n", sentence);
    return text_finish(&text, out, err);
}

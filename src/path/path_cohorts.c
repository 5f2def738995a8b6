/* What the splits are made of: cohorts that are left out in turn, each the test fold of a split, and
 * batches that every training fold must be able to adjust. */
#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/sample/batches.h"
#include "path/path_setup.h"

enum { MIN_INNER_COHORTS = 3, FEW_SAMPLES = 10 };

static pare_status name_cohorts(pare_path *p, const strings *of, pare_error *err) {
    const cv_request *q = &p->setup.request;
    p->n_cohorts = q->n_given;
    PASS_MEM(p->cohort_name = ARENA_ZERO(&p->mem, const char *, q->n_given));
    for (int64_t i = 0; i < p->n; i++) {
        const char **name = &p->cohort_name[q->given[i]];
        if (!*name) PASS_MEM(*name = arena_text(&p->mem, strings_at(of, i)));
    }
    return PARE_OK;
}

/* Samples of the kind in cohort j; kind NULL: all samples there. */
static int64_t count_there(const pare_path *p, const int32_t *kind, int32_t c, int64_t j) {
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++)
        count += p->setup.request.given[i] == j && (!kind || kind[i] == c);
    return count;
}

/* Every class must be there without the cohort; what the cohort itself lacks is noted. */
static pare_status check_kinds(pare_path *p, int64_t j, pare_error *err) {
    char called[KIND_NAME_SIZE];
    int64_t kinds;
    const int32_t *kind = target_kinds(&p->y, &kinds);
    for (int32_t c = 0; kind && c < kinds; c++) {
        if (!target_needs(&p->y, c)) continue;
        int64_t here = count_there(p, kind, c, j), all = 0;
        for (int64_t i = 0; i < p->n; i++) all += kind[i] == c;
        target_kind_name(called, &p->y, c);
        if (here == all)
            return error_set(
                err, PARE_E_DATA,
                "`leave_out`: all samples of %s are in cohort \"%.64s\", so without it "
                "there are none to train on; ask for folds instead",
                called, p->cohort_name[j]);
        if (here == 0)
            PASS(
                path_note(p, err,
                          "cohort \"%.64s\" has no sample of %s: metrics that compare outcomes are "
                          "not defined there",
                          p->cohort_name[j], called));
    }
    return PARE_OK;
}

static pare_status check_cohort(pare_path *p, int64_t j, pare_error *err) {
    int64_t n = count_there(p, NULL, 0, j);
    if (n < 2)
        return error_set(
            err, PARE_E_DATA,
            "`leave_out`: cohort \"%.64s\" has 1 sample, too few for a score of its own; "
            "give it the name of another cohort, or the weight 0",
            p->cohort_name[j]);
    if (n < FEW_SAMPLES)
        PASS(path_note(p, err,
                       "cohort \"%.64s\" has only %" PRId64 " samples: its score says little",
                       p->cohort_name[j], n));
    return check_kinds(p, j, err);
}

pare_status path_set_cohorts(pare_path *p, const strings *of, pare_error *err) {
    PASS(name_cohorts(p, of, err));
    if (p->n_cohorts < 2)
        return error_set(err, PARE_E_DATA,
                         "`leave_out`: all samples are of cohort \"%.64s\"; two or more are needed",
                         p->cohort_name[0]);
    for (int64_t j = 0; j < p->n_cohorts; j++) PASS(check_cohort(p, j, err));
    return PARE_OK;
}

bool path_inner_cohorts(pare_path *p, const pare_path_options *o) {
    const cv_request *q = &p->setup.request;
    if (o->inner < 2 || p->n_cohorts - 1 < MIN_INNER_COHORTS) return false;
    p->setup.inner = (cv_request){
        .folds = q->n_given - 1, .repeats = 1, .given = q->given, .n_given = q->n_given};
    return true;
}

/* Training samples of each batch in a split. */
static pare_status check_split(const pare_path *p, const batch_list *all, const cv_part *part,
                               int64_t *count, pare_error *err) {
    memset(count, 0, sizeof *count * (size_t)all->count);
    for (int64_t i = 0; i < part->n_train; i++) count[all->of[part->train[i]]]++;
    for (int64_t b = 0; b < all->count; b++) {
        if (count[b] == 1) return batch_refuse_single(all->name[b], err);
        if (count[b] > 0 || p->source->unseen == UNSEEN_POOLED) continue;
        if (p->source->unseen == UNSEEN_REFUSE) return batch_refuse_unseen(all->name[b], err);
        PASS(batch_check_adapt(all->name[b], all->size[b], err));
    }
    return PARE_OK;
}

pare_status path_check_batches(pare_path *p, const pare_ctx *ctx, pare_error *err) {
    arena mem = arena_of(ctx);
    batch_list all;
    pare_status status = PARE_OK;
    if (!p->source->batch.count) return PARE_OK;
    TRY(batches_of(&all, &mem, p->source, err));
    p->n_batches = all.count;
    p->batch_by = p->source->batch_by;
    p->unseen = p->source->unseen;
    int64_t *count = ARENA_NEW(&mem, int64_t, all.count);
    TRY_MEM(count);
    for (int64_t j = 0; j < p->plan.count; j++)
        TRY(check_split(p, &all, &p->plan.part[j], count, err));
done:
    arena_free(&mem);
    return status;
}

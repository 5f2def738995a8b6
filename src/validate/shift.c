/* How far a cohort's features are from those of the training samples, whose range, mean and deviation
 * the model keeps. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "validate/validation.h"

static const double OTHER_UNITS = 30; /* times larger, or smaller: log2 against raw intensities */

/* Size of the values: of their mean and how they vary. */
static double size_of(double mean, double deviation) { return fabs(mean) + deviation; }

static pare_status warn_of_units(pare_validation *v, const cohort_samples *s, int64_t i,
                                 const col_stats *found, pare_error *err) {
    const pare_model *m = s->model;
    double here = size_of(found->mean, sqrt(found->var)),
           there = size_of(m->mean[i], m->deviation[i]), times = here / there;
    if (!(here > 0 && there > 0) || (times < OTHER_UNITS && times > 1 / OTHER_UNITS))
        return PARE_OK;
    return validation_note(
        v, err,
        "\"%.64s\" is about %.2g times %s in \"%.64s\" than in the training samples (mean %.4g, "
        "there %.4g): are its units or its transformation (log2) the same?",
        m->name[i], times > 1 ? times : 1 / times, times > 1 ? "larger" : "smaller", s->of->name,
        found->mean, m->mean[i]);
}

/* The column of the data that holds selected feature i; -1: there is none. */
static int64_t column_of(const cohort_samples *s, const strings_index *names, int64_t i) {
    const pare_model *m = s->model;
    for (int64_t q = 0; q < s->of->n_absent; q++)
        if (strcmp(s->of->absent[q].name, m->name[i]) == 0) return -1;
    if (m->p.n_inputs || m->marked) return -1; /* made of other columns */
    if (names->list->count > 0)
        return strings_index_find(names, m->name[i], (int64_t)strlen(m->name[i]));
    return m->index[i] < s->of->known.x.d ? m->index[i] : -1;
}

static double share_outside(const double *x, int64_t n, double least, double most) {
    double outside = 0, there = 0;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        there++;
        outside += x[i] < least || x[i] > most;
    }
    return there > 0 ? outside / there : NAN;
}

/* Reads the columns one by one; x: n. */
static pare_status fill_rows(pare_validation *v, pare_shift *shift, const cohort_samples *s,
                             const strings_index *names, double *x, const pare_ctx *ctx,
                             pare_error *err) {
    const pare_model *m = s->model;
    view all = view_all(&s->of->known.x);
    all.rows = s->rows;
    all.n = s->n;
    for (int64_t i = 0; i < m->n_selected; i++) {
        int64_t j = column_of(s, names, i);
        shift[i] = (pare_shift){m->name[i], NAN, NAN};
        if (j < 0) continue;
        walk w;
        column c;
        PASS(walk_open(&w, &all, &j, 1, ctx, err));
        int64_t p;
        if (walk_next(&w, &p, &c)) column_spread(&c, s->n, x);
        PASS(walk_close(&w, err));
        col_stats found = values_stats(x, NULL, s->n);
        if (found.missing == s->n) continue;
        if (m->deviation[i] > 0) shift[i].difference = (found.mean - m->mean[i]) / m->deviation[i];
        shift[i].outside = share_outside(x, s->n, m->least[i], m->most[i]);
        PASS(warn_of_units(v, s, i, &found, err));
    }
    return PARE_OK;
}

pare_status shift_fill(pare_validation *v, pare_cohort *cohort, const cohort_samples *s,
                       const pare_ctx *ctx, pare_error *err) {
    const pare_model *m = s->model;
    strings_index names = {.list = &s->of->known.names};
    int64_t duplicate;
    if (!m->mean || m->n_selected == 0) return PARE_OK;
    double *x = mem_alloc(&v->mem.mem, s->n, sizeof *x);
    pare_shift *shift = ARENA_NEW(&v->mem, pare_shift, m->n_selected);
    pare_status status = PARE_OK;
    TRY_MEM(x && shift);
    if (s->of->known.names.count > 0)
        TRY_MEM(strings_index_make(&names, &s->of->known.names, &v->mem.mem, &duplicate));
    TRY(fill_rows(v, shift, s, &names, x, ctx, err));
    cohort->n_shifts = m->n_selected;
    cohort->shift = shift;
done:
    if (names.slot) strings_index_free(&names, &v->mem.mem);
    mem_free(&v->mem.mem, x);
    return status;
}

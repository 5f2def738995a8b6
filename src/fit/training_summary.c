/* What a model keeps of its training samples for other samples to be compared with: range, mean and
 * deviation of each selected feature, and the columns that can stand in for it.
 *
 * COST: the selected columns once; for alternatives a pass over X for their means and deviations, and
 * one for every 4 features. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "data/feature/scaling.h"
#include "fit/fit.h"
#include "problem/expand.h"

enum {
    FEATURES_PER_PASS = 4, /* each summed by itself: see la/pass/tmul.h */
    MANY = 4096            /* columns */
};
static const double AGREEMENT = 1e-9; /* of sums in another order */
static const double ROUNDING = 1e-13; /* of a deviation, in units of the largest value */

typedef struct summary {
    double *least, *most, *mean, *deviation;
} summary;

/* Of one column; missing values do not count. */
static void summarise_column(summary *out, int64_t i, const double *x, const double *weight,
                             int64_t n) {
    double total = 0, sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    for (int64_t r = 0; r < n; r++) {
        if (isnan(x[r]) || (weight && weight[r] == 0)) continue;
        total += weight ? weight[r] : 1;
        sum += (weight ? weight[r] : 1) * x[r];
        least = fmin(least, x[r]);
        most = fmax(most, x[r]);
    }
    double mean = total > 0 ? sum / total : 0;
    for (int64_t r = 0; r < n; r++)
        if (!isnan(x[r])) squares += (weight ? weight[r] : 1) * (x[r] - mean) * (x[r] - mean);
    out->least[i] = total > 0 ? least : 0;
    out->most[i] = total > 0 ? most : 0;
    out->mean[i] = mean;
    out->deviation[i] = total > 0 ? sqrt(squares / total) : 0;
}

/* Column by column, so that the bytes do not depend on who holds it and how it is stored. */
static pare_status summarise_columns(summary *out, arena *scratch, const view *x,
                                     const double *weight, const pare_ctx *ctx, pare_error *err) {
    double *own = ARENA_NEW(scratch, double, x->n);
    column c;
    walk w;
    int64_t j;
    PASS_MEM(own);
    PASS(walk_open(&w, x, NULL, x->d, ctx, err));
    while (walk_next(&w, &j, &c)) {
        column_spread(&c, x->n, own);
        summarise_column(out, j, own, weight, x->n);
    }
    return walk_close(&w, err);
}

/* Many sparse columns are not made dense. */
static pare_status summarise_sparse(summary *out, arena *scratch, const view *x,
                                    const double *weight, const pare_ctx *ctx, pare_error *err) {
    col_stats *s = ARENA_NEW(scratch, col_stats, x->d);
    PASS_MEM(s);
    PASS(mat_stats(x, weight, s, ctx, err));
    for (int64_t i = 0; i < x->d; i++) {
        out->least[i] = s[i].min;
        out->most[i] = s[i].max;
        out->mean[i] = s[i].mean;
        out->deviation[i] = sqrt(s[i].var);
    }
    return PARE_OK;
}

static pare_status summarise(summary *out, arena *mem, const pare_model *m, const pare_data *used,
                             const pare_ctx *ctx, pare_error *err) {
    int64_t k = m->n_selected;
    view x = view_all(&used->x);
    arena scratch = arena_of(ctx);
    x.cols = m->index;
    x.d = k;
    PASS_MEM(ARENA_NEWS(mem, double, k, &out->least, &out->most, &out->mean, &out->deviation));
    pare_status status = (k > MANY && mat_is_sparse(&used->x)
                              ? summarise_sparse
                              : summarise_columns)(out, &scratch, &x, used->weight, ctx, err);
    arena_free(&scratch);
    return status;
}

pare_status model_summarise(pare_model *model, const pare_data *used, const pare_ctx *ctx,
                            pare_error *err) {
    summary s;
    PASS(summarise(&s, &model->mem, model, used, ctx, err));
    model->least = s.least;
    model->most = s.most;
    model->mean = s.mean;
    model->deviation = s.deviation;
    return PARE_OK;
}

/* A search for the alternatives of one selected feature. */
typedef struct search {
    int64_t of; /* position among the selected */
    int64_t count;
    ranked *best; /* by |r| */
} search;

/* r: the correlations of all columns with the feature; taken: the selected columns. */
static void look(search *s, const double *r, const bool *taken, int64_t d, int64_t most) {
    for (int64_t j = 0; j < d; j++)
        if (!taken[j] && r[j] != 0) keep_best(s->best, &s->count, most, (ranked){fabs(r[j]), j});
    sort_best_first(s->best, s->count);
}

static pare_status take_best(pare_model *m, arena *mem, const search *s, const double *r,
                             const scaling *sc, const pare_data *data, pare_error *err) {
    for (int64_t q = 0; q < s->count; q++) {
        int64_t j = s->best[q].index, own = m->index[s->of];
        double slope = r[j] * sc->scale[j] / sc->scale[own]; /* deviations are 1 / scale */
        char made_up[32];
        const char *name = arena_text(mem, pare_data_name(data, j, made_up));
        PASS_MEM(name);
        m->alternative[m->n_alternatives++] =
            (model_alternative){s->of, j, name, r[j], slope, sc->shift[own] - slope * sc->shift[j]};
    }
    return PARE_OK;
}

/* The columns of `list` (those that are no further one are the last again), times their weights. */
static pare_status load(double *U, const view *all, const int64_t *list, int64_t count,
                        int64_t from, const double *weight, const pare_ctx *ctx, pare_error *err) {
    int64_t together[FEATURES_PER_PASS];
    for (int64_t o = 0; o < FEATURES_PER_PASS; o++)
        together[o] = list[from + o < count ? from + o : count - 1];
    PASS(mat_columns(all, together, FEATURES_PER_PASS, U, ctx, err));
    for (int64_t o = 0; weight && o < FEATURES_PER_PASS; o++)
        for (int64_t i = 0; i < all->n; i++) U[o * all->n + i] *= weight[i];
    return PARE_OK;
}

static double total_weight(const pare_data *data) {
    double sum = 0;
    for (int64_t i = 0; i < data->x.n; i++) sum += data->weight ? data->weight[i] : 1;
    return sum;
}

/* The selected features that are columns of the data: their positions and columns. */
static int64_t list_columns(int64_t *position, int64_t *place, bool *taken, const pare_model *m,
                            int64_t d) {
    int64_t count = 0;
    for (int64_t i = 0; i < m->n_selected; i++) {
        if (m->index[i] >= d) continue; /* an indicator of missing values */
        taken[m->index[i]] = true;
        position[count] = i;
        place[count++] = m->index[i];
    }
    return count;
}

static pare_status find(pare_model *m, arena *mem, arena *scratch, const pare_data *data,
                        const pare_ctx *ctx, pare_error *err) {
    int64_t n = data->x.n, d = data->x.d, k = m->n_selected, most = m->set.common.alternatives;
    double total = total_weight(data);
    int64_t *position, *place;
    view all = view_all(&data->x);
    scaling sc;
    if (most > d) most = d;
    PASS_MEM(m->alternative = ARENA_NEW(mem, model_alternative, k * most));
    PASS_MEM(ARENA_NEWS(scratch, int64_t, k, &position, &place));
    bool *taken = ARENA_ZERO(scratch, bool, d);
    ranked *best = ARENA_NEW(scratch, ranked, most);
    double *U = ARENA_NEW(scratch, double, n *FEATURES_PER_PASS);
    double *R = ARENA_NEW(scratch, double, d *FEATURES_PER_PASS);
    PASS_MEM(taken && best && U && R);
    int64_t count = list_columns(position, place, taken, m, d);
    if (count == 0) return PARE_OK;
    PASS(
        scaling_fit(&sc, scratch, &all, data->weight, "standard", m->set.common.missing, ctx, err));
    all.shift = sc.shift;
    all.scale = sc.scale;
    all.fill = sc.fill;
    for (int64_t i = 0; i < count; i++) {
        int64_t o = i % FEATURES_PER_PASS;
        if (o == 0) {
            PASS(load(U, &all, place, count, i, data->weight, ctx, err));
            PASS(mat_tmul(&all, U, FEATURES_PER_PASS, R, ctx, err));
        }
        search s = {position[i], 0, best};
        for (int64_t j = 0; j < d; j++) R[o * d + j] = fmax(-1, fmin(1, R[o * d + j] / total));
        if (sc.scale[place[i]] > 0) look(&s, R + o * d, taken, d, most);
        PASS(take_best(m, mem, &s, R + o * d, &sc, data, err));
    }
    return PARE_OK;
}

pare_status model_find_alternatives(pare_model *model, const expansion *wide, const pare_ctx *ctx,
                                    pare_error *err) {
    if (model->set.common.alternatives <= 0) return PARE_OK;
    if (wide->made)
        return error_set(
            err, PARE_E_ARGUMENT,
            "`alternatives`: the features of %s are made of several columns, for which "
            "no other can stand in",
            model->method);
    arena scratch = arena_of(ctx);
    pare_status status = find(model, &model->mem, &scratch, wide->given, ctx, err);
    arena_free(&scratch);
    return status;
}

static bool near(double own, double found, double unit) {
    return fabs(own - found) <= AGREEMENT * fmax(unit, fabs(found));
}

static pare_status differs(pare_error *err, const char *what) {
    return error_set(err, PARE_E_DATA, "the model's %s are not those of the data", what);
}

static pare_status verify_summary(const pare_model *m, arena *mem, const pare_data *used,
                                  const pare_ctx *ctx, pare_error *err) {
    summary s;
    if (!m->mean) return PARE_OK;
    PASS(summarise(&s, mem, m, used, ctx, err));
    for (int64_t i = 0; i < m->n_selected; i++) {
        double unit = fmax(fabs(s.least[i]), fabs(s.most[i]));
        if (m->least[i] != s.least[i] || m->most[i] != s.most[i] ||
            !near(m->mean[i], s.mean[i], unit) ||
            fabs(m->deviation[i] - s.deviation[i]) > AGREEMENT * s.deviation[i] + ROUNDING * unit)
            return differs(err, "range, mean and deviation");
    }
    return PARE_OK;
}

static bool same_alternative(const model_alternative *a, const model_alternative *b, double unit) {
    return a->of == b->of && a->index == b->index && strcmp(a->name, b->name) == 0 &&
           near(a->r, b->r, 1) && near(a->slope, b->slope, fabs(b->slope)) &&
           near(a->intercept, b->intercept, unit);
}

static pare_status verify_alternatives(const pare_model *m, arena *mem, const expansion *wide,
                                       const pare_ctx *ctx, pare_error *err) {
    pare_model found = *m;
    found.n_alternatives = 0;
    if (m->set.common.alternatives <= 0 || wide->made) return PARE_OK;
    PASS(find(&found, mem, mem, wide->given, ctx, err));
    if (found.n_alternatives != m->n_alternatives) return differs(err, "alternatives");
    for (int64_t q = 0; q < m->n_alternatives; q++) {
        const model_alternative *own = &m->alternative[q];
        double unit = m->mean ? fmax(fabs(m->least[own->of]), fabs(m->most[own->of])) : 1;
        if (!same_alternative(own, &found.alternative[q], unit))
            return differs(err, "alternatives");
    }
    return PARE_OK;
}

pare_status model_verify_summary(const pare_model *m, const expansion *wide, const pare_ctx *ctx,
                                 pare_error *err) {
    arena mem = arena_of(ctx);
    pare_status status = verify_summary(m, &mem, wide->data, ctx, err);
    if (status == PARE_OK) status = verify_alternatives(m, &mem, wide, ctx, err);
    arena_free(&mem);
    return status;
}

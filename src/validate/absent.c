/* Selected features that a data set lacks: an error, the mean of the training samples in their place,
 * or the first of the model's alternatives that is there, by its regression line. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "validate/validation.h"

/* The column of a feature in the data; -1: it is not there. */
static int64_t find_column(const pare_data *data, const strings_index *names, const char *name,
                           int64_t index) {
    if (data->names.count == 0) return index < data->x.d ? index : -1;
    return strings_index_find(names, name, (int64_t)strlen(name));
}

/* The position among the selected of a column that the model needs; -1: it is an input of one. */
static int64_t selected_position(const pare_model *m, int64_t index) {
    for (int64_t i = 0; i < m->n_selected; i++)
        if (m->index[i] == index) return i;
    return -1;
}

static const model_alternative *find_alternative(const pare_model *m, int64_t of,
                                                 const pare_data *data, const strings_index *names,
                                                 int64_t *at) {
    for (int64_t q = 0; q < m->n_alternatives; q++) {
        const model_alternative *a = &m->alternative[q];
        *at = a->of == of ? find_column(data, names, a->name, a->index) : -1;
        if (*at >= 0) return a;
    }
    return NULL;
}

static pare_status load_column(double *out, const pare_data *data, int64_t j, const pare_ctx *ctx,
                               pare_error *err) {
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t p;
    PASS(walk_open(&w, &all, &j, 1, ctx, err));
    if (walk_next(&w, &p, &c)) column_spread(&c, data->x.n, out);
    return walk_close(&w, err);
}

/* What the columns of the model are in the data, or what stands in for them. */
typedef struct filling {
    pare_validation *v;
    validated_data *of;
    const pare_model *m;
    const char *how;
    const strings_index *names;
} filling;

static pare_status refuse(const filling *f, const char *name, pare_error *err) {
    const pare_model *m = f->m;
    if (strcmp(f->how, "alternative") == 0 && m->set.common.alternatives <= 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`absent` alternative: the model keeps none; fit it again with "
                         "`alternatives`");
    if (strcmp(f->how, "alternative") == 0)
        return error_set(err, PARE_E_DATA,
                         "\"%.64s\" lacks \"%.64s\" and all of its alternatives in the model: use "
                         "`absent` mean, or fit it again with more `alternatives`",
                         f->of->name, name);
    return error_set(
        err, PARE_E_DATA,
        "the model needs the column \"%.64s\", which \"%.64s\" does not have; `absent` "
        "mean or alternative puts something in its place",
        name, f->of->name);
}

/* Values (n) in the place of selected feature i, which is not there. */
static pare_status stand_in(const filling *f, double *x, int64_t i, const pare_ctx *ctx,
                            pare_error *err) {
    const pare_model *m = f->m;
    const pare_data *data = f->of->given;
    pare_absent *absent = &f->of->absent[f->of->n_absent++];
    *absent = (pare_absent){m->name[i], NULL};
    if (strcmp(f->how, "mean") == 0) {
        for (int64_t r = 0; r < data->x.n; r++) x[r] = m->mean[i];
        return validation_note(f->v, err,
                               "\"%.64s\" lacks \"%.64s\": the mean of the training samples, %.4g, "
                               "stands in for it",
                               f->of->name, m->name[i], m->mean[i]);
    }
    int64_t at;
    const model_alternative *a = find_alternative(m, i, data, f->names, &at);
    if (!a) return refuse(f, m->name[i], err);
    PASS(load_column(x, data, at, ctx, err));
    for (int64_t r = 0; r < data->x.n; r++) x[r] = a->slope * x[r] + a->intercept;
    absent->by = a->name;
    return validation_note(f->v, err,
                           "\"%.64s\" lacks \"%.64s\": %.4g + %.4g \"%.64s\" stands in for it "
                           "(correlation %.2f in the training samples)",
                           f->of->name, m->name[i], a->intercept, a->slope, a->name, a->r);
}

static pare_status check_may_stand_in(const filling *f, const char *name, pare_error *err) {
    const pare_model *m = f->m;
    if (strcmp(f->how, "refuse") == 0) return refuse(f, name, err);
    if (m->row_name || m->p.n_inputs || m->marked)
        return error_set(err, PARE_E_ARGUMENT,
                         "`absent` %s: \"%.64s\" lacks \"%.64s\", and nothing can stand in for it "
                         "in a model that %s",
                         f->how, f->of->name, name,
                         m->row_name ? "scales whole rows" : "derives its features from columns");
    if (!m->mean)
        return error_set(err, PARE_E_ARGUMENT,
                         "`absent` %s: the model file does not have the means of its training "
                         "samples; fit it again",
                         f->how);
    return PARE_OK;
}

/* The columns that the model needs, n x k, with the names it knows them by. */
static pare_status make_block(const filling *f, const pare_ctx *ctx, pare_error *err) {
    const pare_model *m = f->m;
    const pare_data *data = f->of->given;
    int64_t n = data->x.n, k = m->info.n_needed;
    double *block = ARENA_NEW(&f->v->mem, double, n *k);
    f->of->absent = ARENA_NEW(&f->v->mem, pare_absent, k);
    PASS_MEM(block && f->of->absent);
    f->of->known.names = (strings){0};
    for (int64_t i = 0; i < k; i++) {
        int64_t j = find_column(data, f->names, m->info.needed_name[i], m->info.needed_index[i]);
        if (j >= 0)
            PASS(load_column(block + i * n, data, j, ctx, err));
        else
            PASS(stand_in(f, block + i * n, selected_position(m, m->info.needed_index[i]), ctx,
                          err));
        PASS_MEM(strings_add(&f->of->names, &f->v->mem.mem, m->info.needed_name[i],
                             (int64_t)strlen(m->info.needed_name[i])));
    }
    f->of->known.names = f->of->names;
    f->of->known.x = mat_dense(n, k, block);
    return PARE_OK;
}

pare_status absent_fill(pare_validation *v, validated_data *of, const pare_model *m,
                        const char *how, const pare_ctx *ctx, pare_error *err) {
    const pare_data *data = of->given;
    strings_index names = {.list = &data->names};
    filling f = {v, of, m, how, &names};
    int64_t duplicate;
    pare_status status = PARE_OK;
    of->known = *data;
    if (data->names.count > 0)
        TRY_MEM(strings_index_make(&names, &data->names, &v->mem.mem, &duplicate));
    for (int64_t i = 0; i < m->info.n_needed; i++) {
        const char *name = m->info.needed_name[i];
        if (find_column(data, &names, name, m->info.needed_index[i]) >= 0) continue;
        TRY(check_may_stand_in(&f, name, err));
        status = make_block(&f, ctx, err);
        break;
    }
done:
    if (names.slot) strings_index_free(&names, &v->mem.mem);
    return status;
}

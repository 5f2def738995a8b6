#include "model/predictor_monomials.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "data/feature/monomials.h"
#include "model/marked.h"

typedef struct terms {
    int64_t *start; /* k + 1: the terms of monomial i are start[i] .. start[i+1]-1 */
    int64_t *input; /* position among the inputs */
    int64_t *power;
    const double *median, *spread; /* k, or NULL: the monomials are transformed */
    const double *impute; /* k, or NULL: a monomial with a missing factor is imputed as a whole */
} terms;

static bool is_in(const json_t *file) { return json_object_get(file, "features") != NULL; }

static void multiply(double *out, const terms *t, int64_t i, const double *x, int64_t n) {
    for (int64_t r = 0; r < n; r++) out[r] = 1;
    for (int64_t e = t->start[i]; e < t->start[i + 1]; e++)
        for (int64_t p = 0; p < t->power[e]; p++)
            for (int64_t r = 0; r < n; r++) out[r] *= x[t->input[e] * n + r];
}

/* Memory n times the number of inputs and monomials. */
static pare_status predict(double *F, const predictor *p, const view *x, const pare_ctx *ctx,
                           pare_error *err) {
    const terms *t = p->self;
    int64_t n = x->n;
    arena mem = arena_of(ctx);
    pare_status status = PARE_OK;
    double *input = ARENA_NEW(&mem, double, n * p->n_inputs),
           *product = ARENA_NEW(&mem, double, n * p->k);
    view made;
    TRY_MEM(input && product);
    TRY(mat_columns(x, NULL, p->n_inputs, input, ctx, err));
    for (int64_t i = 0; i < p->k; i++) multiply(product + i * n, t, i, input, n);
    TRY_MEM(predictor_block(&made, &mem, n, p->k, product));
    double *fill = t->impute ? ARENA_NEW(&mem, double, p->k) : NULL;
    TRY_MEM(fill || !t->impute);
    if (t->spread) TRY_MEM(predictor_transformed(&made, &mem, t->median, t->spread));
    for (int64_t i = 0; fill && i < p->k; i++)
        fill[i] = t->spread ? asinh_value(t->impute[i], t->median[i], t->spread[i]) : t->impute[i];
    made.fill = fill;
    status = predictor_linear.predict(F, p, &made, ctx, err);
done:
    arena_free(&mem);
    return status;
}

/* Sets used[j] for the features of the selected monomials; returns the number of terms. */
static int64_t mark(const pare_model *m, int64_t d, bool *used) {
    int64_t count = 0, of[MONOMIAL_DEGREE_MAX];
    for (int64_t i = 0; i < m->n_selected; i++) {
        int p = monomial_factors(d, m->index[i], of);
        for (int k = 0; k < p; k++) {
            used[of[k]] = true;
            count += k == 0 || of[k] != of[k - 1];
        }
    }
    return count;
}

static pare_status name_inputs(pare_model *m, const pare_data *data, const bool *used,
                               int64_t *place, pare_error *err) {
    predictor *p = &m->p;
    int64_t d = data->x.d;
    for (int64_t j = 0; j < d; j++) p->n_inputs += used[j];
    p->input_index = ARENA_NEW(&m->mem, int64_t, p->n_inputs);
    p->input_name = ARENA_NEW(&m->mem, const char *, p->n_inputs);
    if (!p->input_index || !p->input_name) return error_memory(err);
    for (int64_t j = 0, at = 0; j < d; j++) {
        char made_up[32];
        if (!used[j]) continue;
        place[j] = at;
        p->input_index[at] = j;
        p->input_name[at] = arena_text(&m->mem, pare_data_name(data, j, made_up));
        if (!p->input_name[at++]) return error_memory(err);
    }
    return PARE_OK;
}

/* Allocates `count` terms; returns NULL when out of memory. */
static terms *terms_new(pare_model *m, int64_t count) {
    terms *t = ARENA_ZERO(&m->mem, terms, 1);
    if (!t) return NULL;
    t->start = ARENA_NEW(&m->mem, int64_t, m->n_selected + 1);
    t->input = ARENA_NEW(&m->mem, int64_t, count);
    t->power = ARENA_NEW(&m->mem, int64_t, count);
    t->impute = m->impute;
    t->median = m->median;
    t->spread = m->spread;
    return t->start && t->input && t->power ? t : NULL;
}

static void fill_terms(terms *t, const pare_model *m, int64_t d, const int64_t *place) {
    int64_t at = 0, of[MONOMIAL_DEGREE_MAX];
    for (int64_t i = 0; i < m->n_selected; i++) {
        int p = monomial_factors(d, m->index[i], of);
        t->start[i] = at;
        for (int k = 0; k < p; k++) {
            if (k > 0 && of[k] == of[k - 1]) {
                t->power[at - 1]++;
                continue;
            }
            t->input[at] = place[of[k]];
            t->power[at++] = 1;
        }
    }
    t->start[m->n_selected] = at;
}

/* --- monomials and columns, where not all monomials are columns --- */

static int64_t number_at(const pare_data *monomials, int64_t at) {
    return monomials->monomials ? monomials->monomials->number[at] : at;
}

/* -1: it is not there. */
static int64_t column_of(const monomial_list *list, int64_t number) {
    int64_t low = 0, high = list->count - 1;
    while (low <= high) {
        int64_t mid = (low + high) / 2;
        if (list->number[mid] == number) return mid;
        if (list->number[mid] < number)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return -1;
}

pare_status monomials_used(int64_t **out, int64_t *count, const pare_model *m, arena *mem,
                           pare_error *err) {
    int64_t all = m->n_selected + m->n_selection_cols + m->n_selection_coef, kept = 0, at = 0;
    *out = NULL;
    *count = 0;
    if (m->p.kind != &predictor_monomials) return PARE_OK;
    int64_t *list = *out = ARENA_NEW(mem, int64_t, all);
    if (!list) return error_memory(err);
    for (int64_t i = 0; i < m->n_selected; i++) list[at++] = m->index[i];
    for (int64_t i = 0; m->selection_cols && i < m->n_selection_cols; i++)
        list[at++] = m->selection_cols[i];
    for (int64_t i = 0; m->selection_index && i < m->n_selection_coef; i++)
        list[at++] = m->selection_index[i];
    sort_index(list, at);
    for (int64_t i = 0; i < at; i++)
        if (i == 0 || list[i] != list[kept - 1]) list[kept++] = list[i];
    *count = kept;
    return PARE_OK;
}

static pare_status see(int64_t **columns, int64_t count, const monomial_list *list, arena *mem,
                       pare_error *err) {
    int64_t *own = ARENA_NEW(mem, int64_t, count);
    if (!own) return error_memory(err);
    for (int64_t i = 0; i < count; i++) own[i] = column_of(list, (*columns)[i]);
    *columns = own;
    return PARE_OK;
}

pare_status monomials_see(pare_model *m, const pare_data *monomials, arena *mem, pare_error *err) {
    const monomial_list *list = monomials->monomials;
    if (!list) return PARE_OK;
    PASS(see(&m->index, m->n_selected, list, mem, err));
    if (m->selection_cols) PASS(see(&m->selection_cols, m->n_selection_cols, list, mem, err));
    if (m->selection_index) PASS(see(&m->selection_index, m->n_selection_coef, list, mem, err));
    return PARE_OK;
}

/* The reverse, in place. */
static void number_all(pare_model *m, const pare_data *monomials) {
    for (int64_t i = 0; i < m->n_selected; i++) m->index[i] = number_at(monomials, m->index[i]);
    for (int64_t i = 0; i < m->n_ranked; i++) m->ranking[i] = number_at(monomials, m->ranking[i]);
    for (int64_t i = 0; m->selection_cols && i < m->n_selection_cols; i++)
        m->selection_cols[i] = number_at(monomials, m->selection_cols[i]);
    for (int64_t i = 0; m->selection_index && i < m->n_selection_coef; i++)
        m->selection_index[i] = number_at(monomials, m->selection_index[i]);
}

pare_status model_on_monomials(pare_model *m, const pare_data *data, const pare_data *monomials,
                               pare_error *err) {
    int64_t d = data->x.d;
    arena scratch;
    arena_init(&scratch, &m->mem.mem);
    pare_status status = PARE_OK;
    TRY_MEM(m->ranking_name = ARENA_NEW(&m->mem, const char *, m->n_ranked));
    for (int64_t i = 0; i < m->n_ranked; i++)
        TRY_MEM(m->ranking_name[i] =
                    arena_text(&m->mem, strings_at(&monomials->names, m->ranking[i])));
    number_all(m, monomials);
    bool *used = ARENA_ZERO(&scratch, bool, d);
    int64_t *place = ARENA_NEW(&scratch, int64_t, d);
    TRY_MEM(used && place);
    terms *t = terms_new(m, mark(m, d, used));
    TRY_MEM(t);
    TRY(name_inputs(m, data, used, place, err));
    fill_terms(t, m, d, place);
    m->p.kind = &predictor_monomials;
    m->p.self = t;
    m->n_features = d;
done:
    arena_free(&scratch);
    return status;
}

bool monomials_match(const pare_model *m, const pare_data *data, const pare_data *monomials) {
    const predictor *p = &m->p;
    const terms *t = p->self;
    int64_t of[MONOMIAL_DEGREE_MAX];
    char made_up[32];
    if (p->kind != &predictor_monomials) return false;
    for (int64_t i = 0; i < p->n_inputs; i++)
        if (strcmp(p->input_name[i], pare_data_name(data, p->input_index[i], made_up)) != 0)
            return false;
    for (int64_t i = 0; i < p->k; i++) {
        int degree = monomial_factors(data->x.d, number_at(monomials, m->index[i]), of), at = 0;
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++)
            for (int64_t q = 0; q < t->power[e]; q++)
                if (at == degree || of[at++] != p->input_index[t->input[e]]) return false;
        if (at != degree) return false;
    }
    return true;
}

static void to_json(json_t *file, const pare_model *m) {
    const predictor *p = &m->p;
    const terms *t = p->self;
    json_t *features = json_array(), *selected = json_object_get(file, "selected");
    for (int64_t i = 0; i < p->n_inputs; i++)
        json_array_append_new(features,
                              json_pack("{s:I, s:s}", "index", (json_int_t)p->input_index[i],
                                        "name", p->input_name[i]));
    json_object_set_new(file, "features", features);
    for (int64_t i = 0; i < p->k; i++) {
        json_t *list = json_array();
        for (int64_t e = t->start[i]; e < t->start[i + 1]; e++)
            json_array_append_new(list, json_pack("[I, I]", (json_int_t)p->input_index[t->input[e]],
                                                  (json_int_t)t->power[e]));
        json_object_set_new(json_array_get(selected, (size_t)i), "terms", list);
    }
}

static pare_status load_inputs(pare_model *m, const json_t *features) {
    predictor *p = &m->p;
    p->n_inputs = (int64_t)json_array_size(features);
    p->input_index = ARENA_NEW(&m->mem, int64_t, p->n_inputs);
    p->input_name = ARENA_NEW(&m->mem, const char *, p->n_inputs);
    if (!p->input_index || !p->input_name) return PARE_E_MEMORY;
    for (int64_t i = 0; i < p->n_inputs; i++) {
        const json_t *feature = json_array_get(features, (size_t)i),
                     *index = json_object_get(feature, "index");
        const char *name = json_string_value(json_object_get(feature, "name"));
        int64_t j = p->input_index[i] = json_integer_value(index);
        bool ascends = i == 0 || j > p->input_index[i - 1];
        if (!json_is_integer(index) || j < 0 || j >= model_columns(m) || !ascends || !name)
            return PARE_E_FORMAT;
        p->input_name[i] = arena_text(&m->mem, name);
        if (!p->input_name[i]) return PARE_E_MEMORY;
    }
    return PARE_OK;
}

static bool load_term(const json_t *term, const predictor *p, terms *t, int64_t at) {
    const json_t *index = json_array_get(term, 0), *power = json_array_get(term, 1);
    if (json_array_size(term) != 2 || !json_is_integer(index) || !json_is_integer(power))
        return false;
    t->power[at] = json_integer_value(power);
    t->input[at] = 0;
    while (t->input[at] < p->n_inputs && p->input_index[t->input[at]] != json_integer_value(index))
        t->input[at]++;
    return t->input[at] < p->n_inputs && t->power[at] >= 1 && t->power[at] <= MONOMIAL_DEGREE_MAX;
}

static const json_t *terms_of(const json_t *file, int64_t i) {
    return json_object_get(json_array_get(json_object_get(file, "selected"), (size_t)i), "terms");
}

static pare_status from_json(pare_model *m, const json_t *file, const char **expected) {
    const json_t *features = json_object_get(file, "features");
    *expected = "an array of columns, which the terms of the selected name";
    if (!json_is_array(features) || !m->p.coef) return PARE_E_FORMAT;
    PASS(load_inputs(m, features));
    int64_t count = 0, at = 0;
    for (int64_t i = 0; i < m->n_selected; i++)
        count += (int64_t)json_array_size(terms_of(file, i));
    terms *t = m->p.self = terms_new(m, count);
    if (!t) return PARE_E_MEMORY;
    for (int64_t i = 0; i < m->n_selected; i++) {
        const json_t *list = terms_of(file, i);
        t->start[i] = at;
        if (json_array_size(list) == 0) return PARE_E_FORMAT;
        for (size_t e = 0; e < json_array_size(list); e++)
            if (!load_term(json_array_get(list, e), &m->p, t, at++)) return PARE_E_FORMAT;
    }
    t->start[m->n_selected] = at;
    return PARE_OK;
}

const predictor_kind predictor_monomials = {.name = "features",
                                            .is_in = is_in,
                                            .predict = predict,
                                            .to_json = to_json,
                                            .from_json = from_json};

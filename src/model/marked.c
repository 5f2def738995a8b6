#include "model/marked.h"

#include <string.h>

#include "base/error.h"
#include "data/feature/indicators.h"

enum { SUFFIX = sizeof INDICATOR_SUFFIX - 1 };

static int64_t inputs_of(const pare_model *m) {
    return m->p.n_inputs ? m->p.n_inputs : m->n_selected;
}
static int64_t input_index(const pare_model *m, int64_t i) {
    return m->p.n_inputs ? m->p.input_index[i] : m->index[i];
}
static const char *input_name(const pare_model *m, int64_t i) {
    return m->p.n_inputs ? m->p.input_name[i] : m->name[i];
}

int64_t model_columns(const pare_model *m) {
    bool marked = choice_is(m->set.common.missing, "indicator");
    return marked ? 2 * m->n_features : m->n_features;
}

static struct marked_inputs *marked_new(pare_model *m) {
    int64_t k = inputs_of(m);
    struct marked_inputs *in = ARENA_ZERO(&m->mem, struct marked_inputs, 1);
    if (!in) return NULL;
    in->n_inputs = k;
    in->raw_index = ARENA_NEW(&m->mem, int64_t, k);
    in->raw_name = ARENA_NEW(&m->mem, const char *, k);
    in->place = ARENA_NEW(&m->mem, int64_t, k);
    in->marks = ARENA_NEW(&m->mem, bool, k);
    return in->raw_index && in->raw_name && in->place && in->marks ? in : NULL;
}

/* Input i is column j, or its indicator. seen: the position of each column from 1 on, 0: not
 * yet. */
static bool take_input(struct marked_inputs *in, pare_model *m, int64_t i, int64_t j, bool marks,
                       int64_t *seen) {
    in->marks[i] = marks;
    if (seen[j] == 0) {
        char *own = arena_text(&m->mem, input_name(m, i));
        if (!own) return false;
        if (marks) own[strlen(own) - SUFFIX] = '\0';
        in->raw_index[in->n_raw] = j;
        in->raw_name[in->n_raw] = own;
        seen[j] = ++in->n_raw;
    }
    in->place[i] = seen[j] - 1;
    return true;
}

/* The column of an indicator: indicators are in the order of their columns. */
static int64_t column_of(const pare_data *data, const char *name, const strings_index *names) {
    int64_t length = (int64_t)strlen(name) - SUFFIX, number = 0;
    if (data->names.count) return strings_index_find(names, name, length);
    for (int64_t i = 1; i < length; i++) number = 10 * number + (name[i] - '0'); /* x1, x2, ... */
    return number - 1;
}

pare_status model_on_indicators(pare_model *m, const pare_data *data, const pare_data *marked,
                                pare_error *err) {
    strings_index names = {0};
    int64_t d = data->x.d, twice;
    pare_status status = PARE_OK;
    struct marked_inputs *in = marked_new(m);
    int64_t *seen = mem_zero(&m->mem.mem, d, sizeof *seen);
    TRY_MEM(in && seen);
    TRY_MEM(!data->names.count || strings_index_make(&names, &data->names, &data->mem, &twice));
    for (int64_t i = 0; i < in->n_inputs; i++) {
        int64_t j = input_index(m, i);
        bool marks = j >= d;
        if (marks) j = column_of(data, input_name(m, i), &names);
        TRY_MEM(take_input(in, m, i, j, marks, seen));
    }
    if (!m->ranking_name) {
        TRY_MEM(m->ranking_name = ARENA_NEW(&m->mem, const char *, m->n_ranked));
        for (int64_t i = 0; i < m->n_ranked; i++)
            TRY_MEM(m->ranking_name[i] =
                        arena_text(&m->mem, strings_at(&marked->names, m->ranking[i])));
    }
    m->n_features = d;
    m->marked = in;
done:
    if (names.slot) strings_index_free(&names, &data->mem);
    mem_free(&m->mem.mem, seen);
    return status;
}

static json_t *inputs_in(const json_t *file, const pare_model *m) {
    return json_object_get(file, m->p.n_inputs ? "features" : "selected");
}

void marked_to_json(json_t *file, const pare_model *m) {
    const struct marked_inputs *in = m->marked;
    json_t *list = inputs_in(file, m);
    for (int64_t i = 0; in && i < in->n_inputs; i++)
        if (in->marks[i])
            json_object_set_new(json_array_get(list, (size_t)i), "missing_of",
                                json_integer(in->raw_index[in->place[i]]));
}

pare_status marked_from_json(pare_model *m, const json_t *file) {
    json_t *list = inputs_in(file, m);
    if (!choice_is(m->set.common.missing, "indicator") || m->row_name) return PARE_OK;
    struct marked_inputs *in = marked_new(m);
    int64_t *seen = mem_zero(&m->mem.mem, m->n_features, sizeof *seen);
    pare_status status = in && seen ? PARE_OK : PARE_E_MEMORY;
    for (int64_t i = 0; status == PARE_OK && i < in->n_inputs; i++) {
        json_t *of = json_object_get(json_array_get(list, (size_t)i), "missing_of");
        int64_t j = of ? json_integer_value(of) : input_index(m, i);
        const char *name = input_name(m, i), *dash = strrchr(name, '=');
        bool named = dash && strcmp(dash, INDICATOR_SUFFIX) == 0;
        if (j < 0 || j >= m->n_features ||
            (of && !(json_is_integer(of) && named && input_index(m, i) >= m->n_features)))
            status = PARE_E_FORMAT;
        else if (!take_input(in, m, i, j, of != NULL, seen))
            status = PARE_E_MEMORY;
    }
    mem_free(&m->mem.mem, seen);
    m->marked = in;
    return status;
}

bool marked_match(const pare_model *m, const pare_data *data) {
    char made_up[32];
    for (int64_t i = 0; m->marked && i < m->marked->n_raw; i++)
        if (strcmp(m->marked->raw_name[i],
                   pare_data_name(data, m->marked->raw_index[i], made_up)) != 0)
            return false;
    return true;
}

pare_status marked_apply(matrix *out, int64_t **inputs, arena *mem, const pare_model *m,
                         const matrix *x, const int64_t *cols, const pare_ctx *ctx,
                         pare_error *err) {
    const struct marked_inputs *in = m->marked;
    int64_t count = 0, *of = ARENA_NEW(mem, int64_t, in->n_inputs);
    *inputs = ARENA_NEW(mem, int64_t, in->n_inputs);
    if (!of || !*inputs) return error_memory(err);
    for (int64_t i = 0; i < in->n_inputs; i++) {
        int64_t j = cols[in->place[i]];
        if (in->marks[i]) of[count] = j;
        (*inputs)[i] = in->marks[i] ? x->d + count++ : j;
    }
    return indicators_hstack(out, x, of, count, ctx, err);
}

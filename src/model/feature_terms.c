#include "model/feature_terms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/feature/choose.h"
#include "data/feature/groups.h"
#include "data/replace.h"

enum { NUMBER_SIZE = 21 };
enum {
    MAX_FEATURES = 10000000
}; /* with stored costs: a bound, so that a number in a file cannot exhaust memory */

/* Names from a list, or the data's own. */
static bool copy_names(pare_model *m, const strings *list, const pare_data *data, int64_t count) {
    char made_up[32];
    m->left = ARENA_NEW(&m->mem, const char *, count);
    m->n_left = m->left ? count : 0;
    for (int64_t j = 0; m->left && j < count; j++) {
        const char *name = list ? strings_at(list, j) : pare_data_name(data, j, made_up);
        m->left[j] = arena_text(&m->mem, name);
        if (!m->left[j]) return false;
    }
    return m->left != NULL;
}

pare_status model_keep_terms(pare_model *m, const pare_data *data, pare_error *err) {
    int64_t d = data->x.d, gone = data->dropped.count;
    const int64_t *group;
    PASS(groups_number(&group, &m->n_groups, &m->mem, data, err));
    m->group_of = group;
    m->numbered = data->numbered;
    m->cost = data->cost ? ARENA_NEW(&m->mem, double, d) : NULL;
    if (data->cost && !m->cost) return error_memory(err);
    if (data->cost) memcpy(m->cost, data->cost, sizeof *m->cost * (size_t)d);
    m->sign = data->sign ? ARENA_NEW(&m->mem, signed char, d) : NULL;
    if (data->sign && !m->sign) return error_memory(err);
    if (data->sign) memcpy(m->sign, data->sign, (size_t)d);
    m->left_only = gone > d; /* the shorter list */
    if (gone == 0) return PARE_OK;
    bool fine =
        m->left_only ? copy_names(m, NULL, data, d) : copy_names(m, &data->dropped, data, gone);
    return fine ? PARE_OK : error_memory(err);
}

json_t *model_groups_json(const pare_model *m) {
    if (!m->group_of) return NULL;
    json_t *array = json_array();
    for (int64_t j = 0; j < m->n_features; j++)
        json_array_append_new(array, json_integer(m->group_of[j]));
    return array;
}

static const char *sign_text(signed char sign) { return sign > 0 ? "+" : "-"; }

json_t *model_signs_json(const pare_model *m) {
    bool all = true;
    if (!m->sign) return NULL;
    for (int64_t j = 0; j < m->n_features; j++) all = all && m->sign[j] && m->sign[j] == m->sign[0];
    if (all) return json_string(sign_text(m->sign[0]));
    json_t *array = json_array();
    for (int64_t j = 0; j < m->n_features; j++)
        if (m->sign[j])
            json_array_append_new(array, json_pack("[I, s]", (json_int_t)j, sign_text(m->sign[j])));
    return array;
}

json_t *model_left_json(const pare_model *m, const char **key) {
    *key = m->left_only ? "only" : "excluded";
    if (!m->left) return NULL;
    json_t *array = json_array();
    for (int64_t j = 0; j < m->n_left; j++) json_array_append_new(array, json_string(m->left[j]));
    return array;
}

/* The number of selected features that are forced in: the first ones. */
static bool read_kept(pare_model *m, const json_t *selected) {
    const json_t *feature;
    size_t i;
    bool kept = true;
    json_array_foreach(selected, i, feature) {
        const json_t *own = json_object_get(feature, "kept");
        if (own && !json_is_boolean(own)) return false;
        if (json_is_true(own) && !kept) return false;
        kept = json_is_true(own);
        m->n_kept += kept;
    }
    return true;
}

static bool read_costs(pare_model *m, const json_t *costs, const char **wrong) {
    const json_t *pair;
    size_t i;
    if (!json_is_array(costs) || m->n_features > MAX_FEATURES) return false;
    m->cost = ARENA_NEW(&m->mem, double, m->n_features);
    if (!m->cost) *wrong = NULL;
    for (int64_t j = 0; m->cost && j < m->n_features; j++) m->cost[j] = 1;
    json_array_foreach(costs, i, pair) {
        const json_t *index = json_array_get(pair, 0), *cost = json_array_get(pair, 1);
        int64_t j = json_integer_value(index);
        double value = json_number_value(cost);
        bool fine = m->cost && json_is_integer(index) && j >= 0 && j < m->n_features &&
                    json_array_size(pair) == 2 && value > 0 && value < INFINITY;
        if (!fine) return false;
        m->cost[j] = value;
    }
    return m->cost != NULL;
}

/* Returns 0 if it is none. */
static signed char read_sign(const json_t *value) {
    const char *text = json_string_value(value);
    if (!text || strlen(text) != 1) return 0;
    return *text == '+' ? 1 : *text == '-' ? -1 : 0;
}

static bool read_signs(pare_model *m, const json_t *signs, const char **wrong) {
    const json_t *pair;
    size_t i;
    signed char all = read_sign(signs);
    if ((!json_is_array(signs) && !all) || m->n_features > MAX_FEATURES) return false;
    m->sign = ARENA_NEW(&m->mem, signed char, m->n_features);
    if (!m->sign) *wrong = NULL;
    for (int64_t j = 0; m->sign && j < m->n_features; j++) m->sign[j] = all;
    json_array_foreach(signs, i, pair) {
        const json_t *index = json_array_get(pair, 0);
        int64_t j = json_integer_value(index);
        signed char sign = read_sign(json_array_get(pair, 1));
        bool fine = m->sign && json_is_integer(index) && j >= 0 && j < m->n_features &&
                    json_array_size(pair) == 2 && sign;
        if (!fine) return false;
        m->sign[j] = sign;
    }
    return m->sign != NULL;
}

static bool read_groups(pare_model *m, const json_t *array, const char **wrong) {
    if ((int64_t)json_array_size(array) != m->n_features) return false;
    int64_t *group = ARENA_NEW(&m->mem, int64_t, m->n_features);
    if (!group) *wrong = NULL;
    for (int64_t j = 0; group && j < m->n_features; j++) {
        const json_t *value = json_array_get(array, (size_t)j);
        int64_t g = json_integer_value(value);
        if (!json_is_integer(value) || g < 0 || g > m->n_groups) return false;
        group[j] = g;
        if (g == m->n_groups) m->n_groups++;
    }
    m->group_of = group;
    return group != NULL;
}

static bool read_left(pare_model *m, const json_t *array, bool only, const char **wrong) {
    int64_t count = (int64_t)json_array_size(array);
    if (count == 0 || (only && count != m->n_features)) return false;
    m->left = ARENA_NEW(&m->mem, const char *, count);
    if (!m->left) *wrong = NULL;
    m->left_only = only;
    for (int64_t j = 0; m->left && j < count; j++) {
        const char *name = json_string_value(json_array_get(array, (size_t)j));
        if (!name) return false;
        m->left[j] = arena_text(&m->mem, name);
        if (!m->left[j]) *wrong = NULL;
        if (!m->left[j]) return false;
    }
    m->n_left = count;
    return m->left != NULL;
}

bool model_terms_read(pare_model *m, const json_t *root, const char **wrong, const char **should) {
    const json_t *costs = json_object_get(root, "costs"), *groups = json_object_get(root, "groups"),
                 *only = json_object_get(root, "only"),
                 *excluded = json_object_get(root, "excluded");
    m->numbered = json_is_true(json_object_get(root, "numbered"));
    *wrong = "costs";
    *should = "pairs of a feature's index and its cost above 0, and \"kept\" of the first selected "
              "features true";
    if (!read_kept(m, json_object_get(root, "selected"))) return false;
    if (costs && !read_costs(m, costs, wrong)) return false;
    *wrong = "signs";
    *should = "\"+\" or \"-\" for all features, or pairs of a feature's index and its sign";
    const json_t *signs = json_object_get(root, "signs");
    if (signs && !read_signs(m, signs, wrong)) return false;
    *wrong = "groups";
    *should = "the number of each feature's group, from 0 in order of appearance";
    if (groups && !read_groups(m, groups, wrong)) return false;
    *wrong = only ? "only" : "excluded";
    *should = "names of features, in one of \"excluded\" and \"only\"";
    if (only && excluded) return false;
    return !(only || excluded) || read_left(m, only ? only : excluded, only != NULL, wrong);
}

pare_status model_groups(strings *groups, const pare_model *m, arena *mem, pare_error *err) {
    int64_t d = m->n_features;
    *groups = (strings){.count = d};
    groups->text = ARENA_NEW(mem, char, m->n_groups *NUMBER_SIZE);
    groups->start = ARENA_NEW(mem, int64_t, d);
    if (!groups->text || !groups->start) return error_memory(err);
    for (int64_t g = 0; g < m->n_groups; g++)
        snprintf(groups->text + g * NUMBER_SIZE, NUMBER_SIZE, "%" PRId64, g);
    for (int64_t j = 0; j < d; j++) groups->start[j] = m->group_of[j] * NUMBER_SIZE;
    return PARE_OK;
}

/* Whether each feature of the data was used in the fit. */
static pare_status mark_stays(bool *stays, const pare_model *m, const pare_data *data,
                              pare_error *err) {
    strings names = {0};
    strings_index index = {0};
    int64_t duplicate;
    pare_status status = PARE_OK;
    TRY_MEM(feature_names(&names, data));
    TRY_MEM(strings_index_make(&index, &names, &data->mem, &duplicate));
    for (int64_t j = 0; j < data->x.d; j++) stays[j] = !m->left_only;
    for (int64_t i = 0; i < m->n_left; i++) {
        int64_t j = strings_index_find(&index, m->left[i], (int64_t)strlen(m->left[i]));
        if (j >= 0) stays[j] = m->left_only;
    }
done:
    strings_index_free(&index, &data->mem);
    strings_free(&names, &data->mem);
    return status;
}

pare_status pare_model_leave(const pare_model *m, pare_data *data, const pare_ctx *ctx,
                             pare_error *err) {
    call c;
    bool *stays = NULL;
    int64_t count = 0;
    pare_status status = call_begin(&c, ctx, err);
    if (status != PARE_OK || !m->left || data->x.d == m->n_features) goto done;
    TRY_MEM(stays = mem_alloc(&data->mem, data->x.d, sizeof *stays));
    TRY(mark_stays(stays, m, data, err));
    for (int64_t j = 0; j < data->x.d; j++) count += stays[j];
    if (count != m->n_features)
        status = error_set(err, PARE_E_DATA,
                           "without the features that the model was not fitted to, the data have "
                           "%" PRId64 ", the model %" PRId64,
                           count, m->n_features);
    else
        status = data_reduce(data, stays, &c.ctx, err);
done:
    mem_free(&data->mem, stays);
    call_end(&c);
    return status;
}

#define _POSIX_C_SOURCE 200809L
#include "data/feature/choose.h"

#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/checksum.h"
#include "data/feature/drop_columns.h"
#include "data/format/lines.h"

bool feature_names(strings *out, const pare_data *data) {
    for (int64_t j = 0; j < data->x.d; j++) {
        char buffer[32];
        const char *name = pare_data_name(data, j, buffer);
        if (!strings_add(out, &data->mem, name, (int64_t)strlen(name))) return false;
    }
    return true;
}

/* "; did you mean ...?", or nothing. */
static const char *hint(char out[SUGGEST_SIZE], const char *word, const strings *names) {
    suggestion best = {.word = word};
    for (int64_t j = 0; j < names->count; j++) suggest_try(&best, strings_at(names, j));
    return suggest_hint(&best, "\"", out);
}

/* --- lists --- */

/* The names that the entries of a list are matched with. */
typedef struct chooser {
    bool *is;
    const pare_data *data;
    const char *option, *where;
    strings names;
    strings_index index;
} chooser;

static pare_status match_pattern(const chooser *c, const char *pattern, pare_error *err) {
    regex_t compiled;
    char why[128];
    bool any = false;
    int failed = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB);
    if (failed == REG_ESPACE) return error_memory(err);
    if (failed) {
        regerror(failed, &compiled, why, sizeof why);
        return error_set(err, PARE_E_ARGUMENT, "`%s`: \"%.100s\" is no pattern: %s", c->option,
                         pattern, why);
    }
    for (int64_t j = 0; j < c->names.count; j++) {
        bool matches = regexec(&compiled, strings_at(&c->names, j), 0, NULL, 0) == 0;
        c->is[j] |= matches;
        any |= matches;
    }
    regfree(&compiled);
    if (any) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`%s`: no feature of %.400s matches \"%.100s\"",
                     c->option, c->where, pattern);
}

/* Matches a feature, or all features of a coded column. */
static pare_status match_name(const chooser *c, const char *name, pare_error *err) {
    char near[SUGGEST_SIZE];
    int64_t j = strings_index_find(&c->index, name, (int64_t)strlen(name));
    size_t length = strlen(name);
    bool any = j >= 0;
    if (any) c->is[j] = true;
    for (int64_t g = 0; j < 0 && g < c->data->groups.count; g++) {
        const char *of = strings_at(&c->names, g);
        bool coded = strncmp(of, name, length) == 0 && of[length] == '=';
        if (!coded || strcmp(strings_at(&c->data->groups, g), name) != 0) continue;
        c->is[g] = any = true;
    }
    if (any) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`%s`: %.400s has no feature \"%.100s\"%s", c->option,
                     c->where, name, hint(near, name, &c->names));
}

static pare_status match_entry(const chooser *c, char *text, pare_error *err) {
    int64_t length = (int64_t)strlen(text);
    cell_trim(&text, &length);
    text[length] = '\0';
    if (length == 0)
        return error_set(err, PARE_E_ARGUMENT, "`%s`: a name is empty; expected names of features",
                         c->option);
    if (strncmp(text, "re:", 3) == 0) return match_pattern(c, text + 3, err);
    return match_name(c, text, err);
}

static pare_status match_words(const chooser *c, const char *list, pare_error *err) {
    size_t size = strlen(list) + 1;
    char *text = mem_alloc(&c->data->mem, (int64_t)size, 1);
    if (!text) return error_memory(err);
    memcpy(text, list, size);
    pare_status status = PARE_OK;
    for (char *at = text; at && status == PARE_OK;) {
        char *start = at + strspn(at, " ");
        char *comma = strncmp(start, "re:", 3) == 0 ? NULL : strchr(at, ',');
        if (comma) *comma = '\0';
        status = match_entry(c, at, err);
        at = comma ? comma + 1 : NULL;
    }
    mem_free(&c->data->mem, text);
    return status;
}

static pare_status match_file(const chooser *c, const char *path, const pare_ctx *ctx,
                              pare_error *err) {
    stream s = {0};
    lines l;
    bool more, any = false;
    pare_status status = PARE_OK;
    TRY(stream_open(&s, path, ctx, err));
    TRY(lines_begin(&l, &s, err));
    for (;;) {
        TRY(lines_next(&l, &more, err));
        if (!more) break;
        if (l.length == 0) continue;
        any = true;
        TRY(match_entry(c, l.text, err));
    }
    if (!any)
        status = error_set(err, PARE_E_DATA, "`%s`: %.400s names no feature", c->option, path);
done:
    if (s.mem) stream_close(&s);
    return status;
}

static bool is_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

pare_status features_named(bool *is, const pare_data *data, const char *list, const char *option,
                           const char *where, const pare_ctx *ctx, pare_error *err) {
    chooser c = {.is = is, .data = data, .option = option, .where = where};
    int64_t duplicate, whole;
    pare_status status = PARE_OK;
    TRY_MEM(feature_names(&c.names, data));
    TRY_MEM(strings_index_make(&c.index, &c.names, &data->mem, &duplicate));
    whole = strings_index_find(&c.index, list, (int64_t)strlen(list));
    if (whole >= 0) /* a name may have commas, and a file its name */
        is[whole] = true;
    else if (strncmp(list, "re:", 3) != 0 && is_file(list))
        TRY(match_file(&c, list, ctx, err));
    else
        TRY(match_words(&c, list, err));
done:
    strings_index_free(&c.index, &data->mem);
    strings_free(&c.names, &data->mem);
    return status;
}

/* --- costs and signs --- */

/* A value of each feature, from the lines of a file. take: sets that of feature j; false: the text is
 * none. */
typedef struct line_values {
    const char *option, *its, *expected; /* "its cost", "a cost, a number above 0" */
    bool (*take)(void *to, int64_t j, const char *text);
    void *to;
} line_values;

/* Splits "name<tab>value" or "name,value" in place; the value follows the last comma. */
static bool split_line(const lines *l, char **name, char **value) {
    char *cut = strchr(l->text, '\t');
    if (!cut) cut = strrchr(l->text, ',');
    if (!cut) cut = strrchr(l->text, ' ');
    if (!cut || cut == l->text) return false;
    int64_t name_length = cut - l->text, value_length = l->text + l->length - cut - 1;
    *name = l->text;
    *value = cut + 1;
    cell_trim(name, &name_length);
    cell_trim(value, &value_length);
    (*name)[name_length] = (*value)[value_length] = '\0';
    return name_length > 0 && value_length > 0;
}

static pare_status read_values(const chooser *c, const line_values *v, stream *s, pare_error *err) {
    lines l;
    bool more;
    char *name, *value, shown[CELL_SHOWN], near[SUGGEST_SIZE];
    PASS(lines_begin(&l, s, err));
    for (bool first = true;; first = false) {
        PASS(lines_next(&l, &more, err));
        if (!more) break;
        if (l.length == 0) continue;
        if (!split_line(&l, &name, &value))
            return place_error(err, &l.at,
                               "expected a feature name, one tab or comma and %s, found %s", v->its,
                               cell_shown(l.text, l.length, shown));
        int64_t length = (int64_t)strlen(value);
        int64_t j = strings_index_find(&c->index, name, (int64_t)strlen(name));
        if (first && j < 0 && cell_is_text(value, length) && !strchr("+-", *value))
            continue; /* a header */
        if (j < 0)
            return place_error(err, &l.at, "%.300s has no feature %s%s", c->where,
                               cell_shown(name, (int64_t)strlen(name), shown),
                               hint(near, name, &c->names));
        if (!v->take(v->to, j, value))
            return place_error(err, &l.at, "expected %s, found %s", v->expected,
                               cell_shown(value, length, shown));
        if (c->is[j])
            return place_error(err, &l.at, "feature %s has a %s already",
                               cell_shown(name, (int64_t)strlen(name), shown), v->option);
        c->is[j] = true;
    }
    return PARE_OK;
}

/* From the file. */
static pare_status give_values(const pare_data *data, const line_values *v, const char *path,
                               const char *where, const pare_ctx *ctx, pare_error *err) {
    chooser c = {.data = data, .option = v->option, .where = where};
    const pare_allocator *mem = &data->mem;
    stream s = {0};
    int64_t duplicate;
    pare_status status = PARE_OK;
    TRY_MEM(c.is = mem_zero(mem, data->x.d, sizeof *c.is));
    TRY_MEM(feature_names(&c.names, data));
    TRY_MEM(strings_index_make(&c.index, &c.names, mem, &duplicate));
    TRY(stream_open(&s, path, ctx, err));
    TRY(read_values(&c, v, &s, err));
done:
    if (s.mem) stream_close(&s);
    strings_index_free(&c.index, mem);
    strings_free(&c.names, mem);
    mem_free(mem, c.is);
    return status;
}

static bool take_cost(void *to, int64_t j, const char *text) {
    double value;
    if (!number_parse_all(text, &value) || !(value > 0 && value < INFINITY)) return false;
    ((double *)to)[j] = value;
    return true;
}

pare_status features_cost(data_builder *b, const char *path, const char *where, const pare_ctx *ctx,
                          pare_error *err) {
    pare_data *data = b->data;
    pare_status status = PARE_OK;
    double *cost = mem_alloc(&data->mem, data->x.d, sizeof *cost);
    TRY_MEM(cost);
    for (int64_t j = 0; j < data->x.d; j++) cost[j] = 1;
    line_values v = {"cost", "its cost", "a cost, a number above 0", take_cost, cost};
    TRY(give_values(data, &v, path, where, ctx, err));
    mem_free(&data->mem, data->cost);
    data->cost = cost;
    cost = NULL;
done:
    mem_free(&data->mem, cost);
    return status;
}

static bool is_sign(const char *text) { return strcmp(text, "+") == 0 || strcmp(text, "-") == 0; }

static bool take_sign(void *to, int64_t j, const char *text) {
    if (!is_sign(text)) return false;
    ((signed char *)to)[j] = *text == '+' ? 1 : -1;
    return true;
}

pare_status features_sign(data_builder *b, const char *sign, const char *where, const pare_ctx *ctx,
                          pare_error *err) {
    pare_data *data = b->data;
    pare_status status = PARE_OK;
    signed char *own = mem_zero(&data->mem, data->x.d, sizeof *own);
    TRY_MEM(own);
    line_values v = {"sign", "its sign", "a sign, + or -", take_sign, own};
    for (int64_t j = 0; is_sign(sign) && j < data->x.d; j++) take_sign(own, j, sign);
    if (!is_sign(sign) && !is_file(sign)) {
        status = error_set(err, PARE_E_ARGUMENT,
                           "`sign`: \"%.300s\" is neither + nor - nor a file: give + or - for all "
                           "features, or a file with a feature and its sign a line",
                           sign);
        goto done;
    }
    if (!is_sign(sign)) TRY(give_values(data, &v, sign, where, ctx, err));
    mem_free(&data->mem, data->sign);
    data->sign = own;
    own = NULL;
done:
    mem_free(&data->mem, own);
    return status;
}

/* --- all of it --- */

/* Decides which features stay. *all: every one. */
static pare_status decide(bool *stays, bool *all, const pare_data *data, const feature_choice *by,
                          const char *where, const pare_ctx *ctx, pare_error *err) {
    int64_t d = data->x.d, left = 0;
    char made_up[32];
    pare_status status = PARE_OK;
    bool *gone = mem_zero(&data->mem, d, sizeof *gone);
    TRY_MEM(gone);
    for (int64_t j = 0; j < d; j++) stays[j] = !by->only || (by->keep && data->kept[j]);
    if (by->only) TRY(features_named(stays, data, by->only, "only", where, ctx, err));
    if (by->exclude) TRY(features_named(gone, data, by->exclude, "exclude", where, ctx, err));
    for (int64_t j = 0; j < d; j++) {
        if (gone[j] && data->kept && data->kept[j]) {
            status = error_set(err, PARE_E_ARGUMENT,
                               "`exclude`: feature \"%.100s\" is kept: it cannot be left out",
                               pare_data_name(data, j, made_up));
            goto done;
        }
        stays[j] = stays[j] && !gone[j];
        left += stays[j];
    }
    *all = left == d;
    if (left == 0)
        status = error_set(err, PARE_E_ARGUMENT, "`%s` leaves none of the features of %.400s",
                           by->exclude ? "exclude" : "only", where);
done:
    mem_free(&data->mem, gone);
    return status;
}

pare_status features_choose(data_builder *b, const feature_choice *by, const char *where,
                            const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    const pare_allocator *mem = &data->mem;
    bool *kept = NULL, *stays = NULL, all = true;
    pare_status status = PARE_OK;
    if (by->keep) {
        TRY_MEM(kept = mem_zero(mem, data->x.d, sizeof *kept));
        TRY(features_named(kept, data, by->keep, "keep", where, ctx, err));
        mem_free(mem, data->kept);
        data->kept = kept;
        kept = NULL;
    }
    if (by->cost) TRY(features_cost(b, by->cost, where, ctx, err));
    if (by->sign) TRY(features_sign(b, by->sign, where, ctx, err));
    if (by->only || by->exclude) {
        TRY_MEM(stays = mem_alloc(mem, data->x.d, sizeof *stays));
        TRY(decide(stays, &all, data, by, where, ctx, err));
        if (!all) TRY(data_drop_columns(b, stays, where, ctx, err));
    }
done:
    mem_free(mem, kept);
    mem_free(mem, stays);
    return status;
}

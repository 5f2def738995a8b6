/* What a data set is asked for, the checks of its lists, and its end. */
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/feature/monomials.h"

void pare_data_free(pare_data *data) {
    if (!data) return;
    pare_allocator mem = data->mem;
    mat_free(&data->x, &mem);
    mem_free(&mem, data->weight);
    mem_free(&mem, data->offset);
    if (!data->shares_names) strings_free(&data->names, &mem);
    target_column_free(&data->target, &mem);
    strings_free(&data->target_name, &mem);
    strings_free(&data->ids, &mem);
    strings_free(&data->id_name, &mem);
    strings_free(&data->fold_group, &mem);
    strings_free(&data->fold, &mem);
    strings_free(&data->batch, &mem);
    strings_free(&data->batch_column, &mem);
    strings_free(&data->dropped, &mem);
    strings_free(&data->repeated, &mem);
    if (!data->shares_groups) strings_free(&data->groups, &mem);
    if (!data->shares_terms) mem_free(&mem, data->cost);
    if (!data->shares_terms) mem_free(&mem, data->kept);
    if (!data->shares_terms) mem_free(&mem, data->sign);
    mem_free(&mem, data->text);
    monomial_list_free(data->monomials, &mem);
    mem_free(&mem, data->checksum);
    mem_free(&mem, data);
}

int64_t pare_data_n(const pare_data *data) { return data->x.n; }
int64_t pare_data_d(const pare_data *data) { return data->x.d; }
bool pare_data_is_sparse(const pare_data *data) { return mat_is_sparse(&data->x); }
bool pare_data_has_target(const pare_data *data) { return target_column_count(&data->target) > 0; }

const char *pare_data_name(const pare_data *data, int64_t j, char buffer[32]) {
    if (data->names.count) return strings_at(&data->names, j);
    snprintf(buffer, 32, "x%" PRId64, j + 1);
    return buffer;
}

const char *pare_data_id(const pare_data *data, int64_t i, char buffer[32]) {
    if (data->ids.count) return strings_at(&data->ids, i);
    snprintf(buffer, 32, "%lld", (long long)i + 1);
    return buffer;
}

const char *pare_data_target(const pare_data *data, int64_t i, char buffer[32]) {
    return target_column_count(&data->target) ? target_column_text(&data->target, i, buffer) : NULL;
}

/* --- checks --- */

pare_status data_check_shape(const pare_data *data, int64_t n, int64_t d, const char *where,
                             pare_error *err) {
    if (n <= 0) return error_set(err, PARE_E_DATA, "%s has no samples", where);
    if (d < 0 || (d == 0 && !(data && data->may_lack_features)))
        return error_set(err, PARE_E_DATA, "%s has no features", where);
    if (n > INT32_MAX)
        return error_set(err, PARE_E_DATA, "%s has %" PRId64 " samples, at most %d are allowed",
                         where, n, INT32_MAX);
    return PARE_OK;
}

pare_status data_check_list(const strings *list, int64_t expected, const char *what,
                            const char *whose, const char *recode, const char *where,
                            pare_error *err) {
    int64_t odd = strings_find_not_utf8(list);
    if (odd >= 0)
        return error_set(err, PARE_E_FORMAT, "%s: number %" PRId64 " of the %s is not UTF-8 text%s",
                         where, odd + 1, what, recode ? recode : ", which texts must be");
    if (list->count == 0 || list->count == expected) return PARE_OK;
    return error_set(err, PARE_E_DATA, "%s: the number of %s is %" PRId64 ", that of %s %" PRId64,
                     where, what, list->count, whose, expected);
}

pare_status data_check_names(const strings *names, const pare_allocator *mem, bool in_file,
                             const char *where, pare_error *err) {
    if (names->count == 0) return PARE_OK;
    strings_index index;
    int64_t second;
    if (!strings_index_make(&index, names, mem, &second)) return error_memory(err);
    pare_status status = PARE_OK;
    if (second >= 0) {
        const char *name = strings_at(names, second);
        int64_t first = strings_index_find(&index, name, (int64_t)strlen(name));
        status = error_at(err, PARE_E_DATA, 0, second + 1, -1,
                          "%s: features %" PRId64 " and %" PRId64
                          " have the same name \"%.200s\", names must differ%s",
                          where, first + 1, second + 1, name,
                          in_file ? ": `duplicate_names number` numbers them" : "");
    }
    strings_index_free(&index, mem);
    return status;
}

pare_status data_check_times(const double *time, int64_t n, const char *where, pare_error *err) {
    for (int64_t i = 0; i < n; i++)
        if (!(time[i] >= 0 && time[i] < INFINITY))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "%s: the time of sample %" PRId64
                            " is %g, it must be a finite number, at least 0",
                            where, i + 1, time[i]);
    return PARE_OK;
}

pare_status data_check_weights(const double *weight, int64_t n, const char *where,
                               pare_error *err) {
    if (!weight) return PARE_OK;
    bool positive = false;
    for (int64_t i = 0; i < n; i++) {
        if (!(weight[i] >= 0 && weight[i] < INFINITY))
            return error_at(err, PARE_E_DATA, i + 1, 0, -1,
                            "%s: the weight of sample %" PRId64
                            " is %g, it must be a finite number, at least 0",
                            where, i + 1, weight[i]);
        positive = positive || weight[i] > 0;
    }
    if (!positive) return error_set(err, PARE_E_DATA, "%s: all sample weights are 0", where);
    return PARE_OK;
}

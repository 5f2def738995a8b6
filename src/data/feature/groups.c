#include "data/feature/groups.h"

#include <string.h>

#include "base/error.h"

pare_status groups_number(const int64_t **group, int64_t *n_groups, arena *mem,
                          const pare_data *data, pare_error *err) {
    *group = NULL;
    *n_groups = 0;
    int64_t d = data->groups.count, duplicate;
    if (d == 0) return PARE_OK;
    strings_index index;
    if (!strings_index_make(&index, &data->groups, &mem->mem, &duplicate)) return error_memory(err);
    int64_t *number = ARENA_NEW(mem, int64_t, d);
    for (int64_t j = 0; number && j < d; j++) {
        const char *name = strings_at(&data->groups, j);
        int64_t first = strings_index_find(&index, name, (int64_t)strlen(name));
        number[j] = first < j ? number[first] : (*n_groups)++;
    }
    strings_index_free(&index, &mem->mem);
    *group = number;
    return number ? PARE_OK : error_memory(err);
}

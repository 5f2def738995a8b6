/* Sparse columns from outside: the check that they are valid CSC, and the caller's arrays used in
 * place. */
#include <inttypes.h>

#include "base/error.h"
#include "la/kind/csc.h"

static pare_status check_pointers(const int64_t *col_ptr, int64_t d, const char *where,
                                  pare_error *err) {
    if (col_ptr[0] != 0)
        return error_set(err, PARE_E_DATA,
                         "%s: the column pointers start with %" PRId64 " instead of 0", where,
                         col_ptr[0]);
    for (int64_t j = 0; j < d; j++)
        if (col_ptr[j + 1] < col_ptr[j])
            return error_at(err, PARE_E_DATA, 0, j + 1, -1,
                            "%s: the pointers of column %" PRId64 " run from %" PRId64
                            " down to %" PRId64,
                            where, j + 1, col_ptr[j], col_ptr[j + 1]);
    return PARE_OK;
}

static pare_status check_rows(const int32_t *rows, int64_t count, int64_t n, int64_t j,
                              const char *where, pare_error *err) {
    int64_t before = -1;
    for (int64_t e = 0; e < count; before = rows[e++]) {
        if (rows[e] < 0 || rows[e] >= n)
            return error_at(err, PARE_E_DATA, 0, j + 1, -1,
                            "%s: column %" PRId64 " has an entry in row %" PRId32
                            ", rows are 0 to %" PRId64,
                            where, j + 1, rows[e], n - 1);
        if (rows[e] <= before)
            return error_at(err, PARE_E_DATA, rows[e] + 1, j + 1, -1,
                            "%s: column %" PRId64 " has row %" PRId32 " after row %" PRId64
                            ", rows must ascend",
                            where, j + 1, rows[e], before);
    }
    return PARE_OK;
}

pare_status mat_csc_check(int64_t n, int64_t d, const csc_arrays *of, const char *where,
                          pare_error *err) {
    pare_status status = check_pointers(of->col_ptr, d, where, err);
    for (int64_t j = 0; of->row && j < d && status == PARE_OK; j++)
        status = check_rows(of->row + of->col_ptr[j], of->col_ptr[j + 1] - of->col_ptr[j], n, j,
                            where, err);
    return status;
}

/* *out = the pointers with 64 bits; *own is to be freed. */
static pare_status widen(const int64_t **out, void **own, const csc_foreign *from, int64_t d,
                         const pare_allocator *mem, pare_error *err) {
    const int32_t *narrow = from->col_ptr;
    *out = from->col_ptr;
    if (from->ptr_is_64) return PARE_OK;
    int64_t *wide = *own = mem_alloc(mem, d + 1, sizeof *wide);
    if (!wide) return error_memory(err);
    for (int64_t j = 0; j <= d; j++) wide[j] = narrow[j];
    *out = wide;
    return PARE_OK;
}

/* *out = the rows with 32 bits. */
static pare_status narrow(const int32_t **out, void **own, const csc_foreign *from, int64_t entries,
                          int64_t n, const char *where, const pare_allocator *mem,
                          pare_error *err) {
    const int64_t *wide = from->row;
    *out = from->row;
    if (!from->row_is_64) return PARE_OK;
    int32_t *rows = *own = mem_alloc(mem, entries, sizeof *rows);
    if (!rows) return error_memory(err);
    for (int64_t e = 0; e < entries; e++) {
        if (wide[e] < 0 || wide[e] >= n)
            return error_set(err, PARE_E_DATA,
                             "%s: an entry is in row %" PRId64 ", rows are 0 to %" PRId64, where,
                             wide[e], n - 1);
        rows[e] = (int32_t)wide[e];
    }
    *out = rows;
    return PARE_OK;
}

pare_status mat_csc_borrow(matrix *out, int64_t n, int64_t d, const csc_foreign *from,
                           mat_release release, const char *where, const pare_allocator *mem,
                           pare_error *err) {
    csc_owned made = {.of.value = from->value, .release = release};
    pare_status status = PARE_OK;
    *out = (matrix){0};
    TRY(widen(&made.of.col_ptr, &made.own[0], from, d, mem, err));
    TRY(mat_csc_check(n, d, &made.of, where, err)); /* before its last pointer is trusted */
    if (made.of.col_ptr[d] && (!from->row || !from->value)) {
        status =
            error_set(err, PARE_E_ARGUMENT,
                      "%s: rows or values are a null pointer, and there are %" PRId64 " entries",
                      where, made.of.col_ptr[d]);
        goto done;
    }
    TRY(narrow(&made.of.row, &made.own[1], from, made.of.col_ptr[d], n, where, mem, err));
    TRY(mat_csc_check(n, d, &made.of, where, err));
    TRY(csc_keep(out, n, d, &made, mem, err));
done:
    for (int k = 0; status != PARE_OK && k < 2; k++) mem_free(mem, made.own[k]);
    return status;
}

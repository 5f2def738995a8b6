/* Whether arrays that came from outside are a CSC matrix. */
#include <inttypes.h>

#include "base/error.h"
#include "la/matrix.h"

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

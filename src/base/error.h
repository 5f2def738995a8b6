/* Writing a pare_error. Each function returns the code, so that a failing call is one statement:
 *     return error_set(err, PARE_E_DATA, "the data have one class only: \"%s\"", label); */
#ifndef PARE_BASE_ERROR_H
#define PARE_BASE_ERROR_H

#include <pare/status.h>

__attribute__((format(printf, 3, 4))) pare_status error_set(pare_error *err, pare_status code,
                                                            const char *format, ...);

/* As error_set, with a position in the input; row and column are 1-based, 0 for none. */
__attribute__((format(printf, 6, 7))) pare_status error_at(pare_error *err, pare_status code,
                                                           int64_t row, int64_t column,
                                                           int64_t byte, const char *format, ...);

pare_status error_memory(pare_error *err);

/* For functions with one exit: TRY(call(...)) leaves for `done` with `status` set. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != PARE_OK) goto done;                                                          \
    } while (0)

/* The same for an allocation: TRY_MEM(p = mem_alloc(...)). */
#define TRY_MEM(pointer)                                                                           \
    do {                                                                                           \
        if (!(pointer)) {                                                                          \
            status = error_memory(err);                                                            \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif

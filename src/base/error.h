/* Writing a pare_error. Each function returns the code, so that a failing call is one statement:
 *     return error_set(err, PARE_E_DATA, "the data have one class only: \"%s\"", label); */
#ifndef PARE_BASE_ERROR_H
#define PARE_BASE_ERROR_H

#include <pare/status.h>

/* Macros, so that compilers and analysers see that the result is the code itself. */
#define error_set(err, code, ...) (error_write((err), (code), 0, 0, -1, __VA_ARGS__), (code))

/* As error_set, with a position in the input; row and column are 1-based, 0 for none. */
#define error_at(err, code, row, column, byte, ...)                                                \
    (error_write((err), (code), (row), (column), (byte), __VA_ARGS__), (code))

#define error_memory(err) error_set((err), PARE_E_MEMORY, "not enough memory")

__attribute__((format(printf, 6, 7))) void error_write(pare_error *err, pare_status code,
                                                       int64_t row, int64_t column, int64_t byte,
                                                       const char *format, ...);

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

/* The same for functions that have nothing to free: a failure is returned at once. */
#define PASS(call)                                                                                 \
    do {                                                                                           \
        pare_status answered = (call);                                                             \
        if (answered != PARE_OK) return answered;                                                  \
    } while (0)

#define PASS_MEM(pointer)                                                                          \
    do {                                                                                           \
        if (!(pointer)) return error_memory(err);                                                  \
    } while (0)

#endif

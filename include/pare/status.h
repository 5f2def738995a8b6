/* Status and error: how every call reports whether it worked, and if not, why. */
#ifndef PARE_STATUS_H
#define PARE_STATUS_H

#include <stdint.h>

#include <pare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether a call worked. For the outcome of a solve see pare_outcome in model.h. */
typedef enum pare_status {
    PARE_OK = 0,
    PARE_E_ARGUMENT,   /* an option or argument outside its range */
    PARE_E_IO,         /* a file that cannot be opened, read or written */
    PARE_E_FORMAT,     /* a file that does not follow its format */
    PARE_E_DATA,       /* well-formed data for which the request is not possible */
    PARE_E_INFEASIBLE, /* no solution exists: hard margins on inseparable data */
    PARE_E_MEMORY,     /* out of memory, or over the memory limit of the context */
    PARE_E_CANCELLED,  /* stopped by the progress callback before anything was usable */
    PARE_E_INTERNAL    /* a fault of this library: please report it */
} pare_status;

/* Owned by the caller. Valid after a call that did not return PARE_OK. */
typedef struct pare_error {
    pare_status code;
    int64_t row;        /* 1-based line or row in the input, 0 if none applies */
    int64_t column;     /* 1-based field or column in the input, 0 if none applies */
    int64_t byte;       /* offset in the (decompressed) input, -1 if none applies */
    char message[1024]; /* one sentence: names the file, line and column, or the setting, its value
                           and what is allowed */
} pare_error;

/* A short fixed name such as "format" for a status; never NULL. */
PARE_API const char *pare_status_name(pare_status status);

#ifdef __cplusplus
}
#endif
#endif

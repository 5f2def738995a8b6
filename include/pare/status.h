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
    PARE_E_INTERNAL,   /* a fault of this library: please report it */
    PARE_E_DEVICE      /* no driver or no device where the context asks for one, or it failed */
} pare_status;

/* Owned by the caller. Valid after a call that did not return PARE_OK. */
typedef struct pare_error {
    pare_status code;
    int64_t row;        /* 1-based line or row in the input, 0 if none applies */
    int64_t column;     /* 1-based field or column in the input, 0 if none applies */
    int64_t byte;       /* offset in the (decompressed) input, -1 if none applies */
    char message[1024]; /* one sentence: names the file, line and column, or the setting, its value
                           and what is allowed; settings are marked, see pare_sentence */
    char setting[32];   /* the setting or option at fault, the first that the message names; "" if
                           none */
} pare_error;

/* How a caller writes the settings and options of a sentence. */
typedef struct pare_names {
    const char *before, *after; /* put around a name and its value */
    const char *equals;         /* put between a name and its value; NULL: a blank */
    char dash;                  /* instead of the underscores of a name; 0: they stay */
    /* Pairs of a name, or a name, a blank and a value, and what is written instead; NULL behind the
       last. May be NULL. */
    const char *const *renamed;
} pare_names;

/* A message of the library (of an error, a log or a model's note) as the caller writes it. In the
 * message settings and options, and values to give them, stand between backquotes: `missing`,
 * `missing drop`. Writes at most `size` bytes with the final NUL, and returns the length of the
 * whole. */
PARE_API int64_t pare_sentence(char *out, int64_t size, const char *message,
                               const pare_names *names);

/* A short fixed name such as "format" for a status; never NULL. */
PARE_API const char *pare_status_name(pare_status status);

#ifdef __cplusplus
}
#endif
#endif

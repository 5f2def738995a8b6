/* The caller's own codes of missing values. */
#ifndef PARE_DATA_TABLE_MISSING_CODES_H
#define PARE_DATA_TABLE_MISSING_CODES_H

#include <pare/status.h>

#include "data/strings.h"

typedef struct missing_codes {
    strings text;
    double *value; /* of each; NaN: it is no number */
    bool numbers;  /* some are */
} missing_codes;

/* From a comma-separated list; NULL: none. On failure missing_codes_free may still be called. */
PARE_NODISCARD pare_status missing_codes_begin(missing_codes *out, const char *list,
                                               const pare_allocator *mem, pare_error *err);
void missing_codes_free(missing_codes *c, const pare_allocator *mem);

/* Numbers that are codes become NaN. */
void missing_codes_apply(const missing_codes *c, double *value, int64_t n);
/* An error if 0 is a code: the zeros that sparse data leaves out would stay numbers. */
PARE_NODISCARD pare_status missing_codes_check_sparse(const missing_codes *c, const char *where,
                                                      pare_error *err);
/* A trimmed text is compared with all codes, as text and, if it is a number, by value. */
bool missing_codes_has(const missing_codes *c, const char *text, int64_t length);

#endif

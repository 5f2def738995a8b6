/* The values of a vector of R's, as numbers or as texts. */
#ifndef PARE_DATA_FORMAT_RDATA_VALUES_H
#define PARE_DATA_FORMAT_RDATA_VALUES_H

#include "data/format/cell.h"
#include "data/format/rdata_tree.h"

typedef enum rvector {
    RVECTOR_NUMBERS, /* booleans too */
    RVECTOR_TEXTS,
    RVECTOR_FACTOR,
    RVECTOR_DATES,
    RVECTOR_NONE /* no vector of values */
} rvector;

rvector rdata_vector(const rdata *r, const robject *of);
/* What the object is, in words: "matrix of 3051 x 38", "class ExpressionSet". */
enum { RDATA_WHAT = 120 };
const char *rdata_what(const rdata *r, const robject *of, char out[RDATA_WHAT]);

/* Values first .. first + count - 1 of a vector of numbers, NaN where one is missing. In the order of
 * the file it is read once; going back reads it again. */
PARE_NODISCARD pare_status rdata_numbers(rdata *r, const robject *of, int64_t first, int64_t count,
                                         double *out, pare_error *err);

/* Hands every value of a vector on as text: NA where it is missing, TRUE and FALSE, the levels of a
 * factor, the shortest form of a number, dates as 2024-03-01. text[length] is NUL; it may be changed. */
typedef pare_status (*rdata_take)(void *user, int64_t i, char *text, int64_t length,
                                  pare_error *err);
PARE_NODISCARD pare_status rdata_texts(rdata *r, const robject *of, rdata_take take, void *user,
                                       pare_error *err);

#endif

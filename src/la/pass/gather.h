/* Gathers rows of a column in single precision, for single-precision Grams. */
#ifndef PARE_LA_PASS_GATHER_H
#define PARE_LA_PASS_GATHER_H

#include <stdint.h>

enum { GATHER_GROUP = 8, GATHER_GROUPS = 128 };

/* Which rows of every GATHER_GROUP consecutive ones are gathered. */
typedef struct gather_list {
    const int32_t *rows; /* NULL: all */
    int64_t n, groups;   /* groups: those gathered by vector instructions */
    int64_t done;        /* rows[done ..] are gathered one by one */
    struct {
        int32_t from[GATHER_GROUP]; /* the requested rows, then padding */
        int64_t count;
    } group[GATHER_GROUPS];
} gather_list;

/* n rows (NULL: all) of columns of `height` entries. Ascending rows are gathered by groups. */
void gather_plan(gather_list *p, const int32_t *rows, int64_t n, int64_t height);

/* out[i] = (x[rows[i]] - shift) * scale, in doubles and then rounded. */
void gather_single(const gather_list *p, const double *x, double shift, double scale, float *out);

#endif

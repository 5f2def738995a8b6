/* What came of each sample, as it came: texts, codes of labels that have an order, numbers, or times
 * to an event. */
#ifndef PARE_DATA_SAMPLE_TARGET_COLUMN_H
#define PARE_DATA_SAMPLE_TARGET_COLUMN_H

#include "data/strings.h"

typedef struct target_column {
    strings text;   /* as a file has them; or */
    int32_t *code;  /* the position of each label in */
    strings levels; /* all labels in their order; or */
    double *real;   /* or */
    double *time;   /* >= 0: to an event, or to the end of observation without one */
    bool *event;    /* whether it is to an event; else the sample is censored */
    int64_t n;      /* codes, numbers or times */
    strings strata; /* beside times: the name of each sample's stratum; or empty */
} target_column;

/* Samples that it has, 0: there is no such column. */
static inline int64_t target_column_count(const target_column *o) { return o->text.count + o->n; }

void target_column_free(target_column *o, const pare_allocator *mem);
/* All but the strata. */
void target_column_drop(target_column *o, const pare_allocator *mem);

/* Makes *out of n codes, numbers or times, which the caller has checked. false: out of memory. */
bool target_column_of_codes(target_column *out, const int32_t *code, int64_t n,
                            const strings *levels, const pare_allocator *mem);
bool target_column_of_reals(target_column *out, const double *real, int64_t n,
                            const pare_allocator *mem);

bool target_column_of_times(target_column *out, const double *time, const bool *event, int64_t n,
                            const pare_allocator *mem);

/* The samples `rows` (NULL: the first n) of another column. false: out of memory. */
bool target_column_take(target_column *out, const target_column *from, const int32_t *rows,
                        int64_t n, const pare_allocator *mem);

/* Every sample's text at the end of a list. false: out of memory. */
bool target_column_list(strings *out, const target_column *o, const pare_allocator *mem);

/* The samples rows[0 .. n-1], ascending, stay. */
void target_column_keep(target_column *o, const int32_t *rows, int64_t n);

/* Of sample i: its text; of a number its shortest, in the buffer (which may be NULL for others), of
 * a time followed by + if the sample is censored. */
const char *target_column_text(const target_column *o, int64_t i, char buffer[32]);
/* Whether it is a finite number, and that. */
bool target_column_number(const target_column *o, int64_t i, double *out);

#endif

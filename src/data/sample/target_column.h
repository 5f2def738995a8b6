/* A column that says what came of each sample, as it came: texts, codes of labels that have an order,
 * or numbers. */
#ifndef PARE_DATA_SAMPLE_TARGET_COLUMN_H
#define PARE_DATA_SAMPLE_TARGET_COLUMN_H

#include "data/strings.h"

typedef struct target_column {
    strings text;   /* as a file has them; or */
    int32_t *code;  /* the position of each label in */
    strings levels; /* all labels in their order; or */
    double *real;
    int64_t n; /* codes or numbers */
} target_column;

/* Samples that it has, 0: there is no such column. */
static inline int64_t target_column_count(const target_column *o) { return o->text.count + o->n; }

void target_column_free(target_column *o, const pare_allocator *mem);

/* Makes *out of n codes or n numbers, which the caller has checked. false: out of memory. */
bool target_column_of_codes(target_column *out, const int32_t *code, int64_t n,
                            const strings *levels, const pare_allocator *mem);
bool target_column_of_reals(target_column *out, const double *real, int64_t n,
                            const pare_allocator *mem);

/* The samples `rows` (NULL: the first n) of another column. false: out of memory. */
bool target_column_take(target_column *out, const target_column *from, const int32_t *rows,
                        int64_t n, const pare_allocator *mem);

/* Every sample's text at the end of a list. false: out of memory. */
bool target_column_list(strings *out, const target_column *o, const pare_allocator *mem);

/* The samples rows[0 .. n-1], ascending, stay. */
void target_column_keep(target_column *o, const int32_t *rows, int64_t n);

/* Of sample i: its text; of a number its shortest, in the buffer (which may be NULL for others). */
const char *target_column_text(const target_column *o, int64_t i, char buffer[32]);
/* Whether it is a finite number, and that. */
bool target_column_number(const target_column *o, int64_t i, double *out);

#endif

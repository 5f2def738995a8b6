/* Reads a text as if it were a file, plain (two passes) and compressed (one pass), and insists that
 * both give the same data or the same error. */
#ifndef PARE_TESTS_TEXT_FILES_H
#define PARE_TESTS_TEXT_FILES_H

#include "data/dataset.h"

void write_text(const char *path, const char *text);
void write_bytes(const char *path, const void *bytes, size_t size, bool gzip);

/* The file `path` is written, read and removed. Fails the test unless it reads. */
pare_data *read_bytes(const char *path, const void *bytes, size_t size, const pare_read_options *o);
pare_data *read_text(const char *path, const char *text, const pare_read_options *o);

/* Reading fails with exactly this sentence, at this line and column (0: none). */
void check_refused_at(const char *path, const void *bytes, size_t size, const pare_read_options *o,
                      const char *message, int64_t row, int64_t col, const char *file, int line);
#define check_refused(path, text, o, message, row, column)                                         \
    check_refused_at((path), (text), strlen(text), (o), (message), (row), (column), __FILE__,      \
                     __LINE__)

pare_read_options read_options(void); /* the defaults */

/* The list joined by |, and of a data set, which is freed, names, target and ids and the values row by
 * row. */
void check_list(const strings *list, const char *joined);
void check_data(pare_data *data, const char *names, const char *target, const char *ids,
                const double *rows);

/* n x d, and the values of the rows, NaN where one is missing. */
void check_rows(const pare_data *data, int64_t n, int64_t d, const double *rows);

/* To the bit: shape, kind, numbers, names, target, ids, weights. */
void check_same_data(const pare_data *a, const pare_data *b);
/* Value (i, j), 0 where a sparse matrix has no entry. */
double value_at(const pare_data *data, int64_t i, int64_t j);

#endif

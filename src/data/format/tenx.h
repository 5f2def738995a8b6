/* A folder written by 10x Genomics' programs: matrix.mtx (features x cells), features.tsv (or
 * genes.tsv) and barcodes.tsv, each optionally .gz. */
#ifndef PARE_DATA_FORMAT_TENX_H
#define PARE_DATA_FORMAT_TENX_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if path is a folder. */
bool tenx_is_folder(const char *path);
/* The matrix file in it; false: there is none. */
bool tenx_matrix(char *out, size_t capacity, const char *folder);

#endif

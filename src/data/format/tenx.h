/* A folder as 10x Genomics' programs write it: matrix.mtx (features x cells), features.tsv (or genes.tsv)
 * and barcodes.tsv, each maybe .gz. */
#ifndef PARE_DATA_FORMAT_TENX_H
#define PARE_DATA_FORMAT_TENX_H

#include <stdbool.h>
#include <stddef.h>

/* Whether path is a folder. */
bool tenx_is_folder(const char *path);
/* The matrix file in it; false: there is none. */
bool tenx_matrix(char *out, size_t room, const char *folder);

#endif

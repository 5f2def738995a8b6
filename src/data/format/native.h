/* The native format, .pare: a data set as it is used, X in columns that are read in place.
 * Little-endian.
 *
 *     header       256 bytes: struct native_header, then zeros
 *     lists        in the order of native_list: texts with a NUL each, or doubles; then the name of
 *                  the target's column, with a NUL; of survival the strata, texts with a NUL each,
 *                  times as doubles, and a byte 0 or 1 for each event
 *     SHA-256      of everything up to here
 *     zeros        up to a multiple of 4096
 *     X            column by column of `item`; or, sparse, d + 1 pointers of 64 bits, rows of
 *                  32 bits (zeros up to a multiple of 8), doubles
 *     SHA-256      of X's values (data/checksum.h), whatever the items are
 *
 * So a file can be written in one go, and opening it reads the lists only. */
#ifndef PARE_DATA_FORMAT_NATIVE_H
#define PARE_DATA_FORMAT_NATIVE_H

#include <stdint.h>

#include "data/dataset.h"

/* Version 2 adds items over a power of ten, version 3 the name of the target's column, version 4
 * times, events and strata; files without them are written as the version before. */
enum { NATIVE_VERSION = 4, NATIVE_HEADER = 256, NATIVE_PAGE = 4096, NATIVE_DIGEST = 32 };
#define NATIVE_MAGIC "PAREDATA"

typedef enum native_list {
    NATIVE_NAMES,
    NATIVE_GROUPS,
    NATIVE_TARGET,
    NATIVE_IDS,
    NATIVE_FOLD_GROUPS,
    NATIVE_FOLDS,
    NATIVE_WEIGHTS,
    NATIVE_OFFSETS,
    N_NATIVE_LISTS
} native_list;

typedef struct native_header {
    char magic[8];
    uint32_t version;
    uint32_t item; /* mat_item, or NATIVE_SPARSE */
    int64_t n, d;
    int64_t entries; /* sparse: those that are stored; else 0 */
    int64_t missing; /* 1: some value is missing */
    int64_t list_bytes[N_NATIVE_LISTS];
    int64_t
        over; /* items of at most two bytes: 10^1 .. 10^NATIVE_DIGITS, by which they are divided; 0:
                     they are not */
    int64_t name_bytes;               /* of the target's name; 0: it is called class, or has none */
    int64_t strata_bytes, time_bytes; /* of strata, and of times and events together, 9 n; or 0 */
} native_header;

enum { NATIVE_SPARSE = 100, NATIVE_DIGITS = 4 };

/* The list in the data set: texts, or else doubles. */
strings *native_texts(pare_data *data, native_list which);
double **native_numbers(pare_data *data, native_list which);
/* Bytes of X; -1: impossible size. */
int64_t native_matrix_bytes(const native_header *h);

#endif

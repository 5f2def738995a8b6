/* The header of NumPy's .npy, and its items.
 *
 * Format: the magic "\x93NUMPY", a version (1.0, 2.0 or 3.0), the length of the header, the header
 * (a Python dictionary with descr, fortran_order and shape), then the items. */
#ifndef PARE_DATA_FORMAT_NPY_HEADER_H
#define PARE_DATA_FORMAT_NPY_HEADER_H

#include "data/format/stream.h"

enum { NPY_MAX_WIDTH = 4096 }; /* letters of a string */

typedef struct npy_header {
    char kind; /* f, i, u or b; of lists also U and S */
    int size;  /* bytes per item */
    bool swap; /* the other byte order */
    bool fortran;
    int dims;
    int64_t n, d;
} npy_header;

/* list: one dimension, or one column; else two. */
PARE_NODISCARD pare_status npy_read_header(npy_header *h, stream *s, bool list, pare_error *err);
/* The same for any dimensions and type: kind 0 if the type is none of those above. */
PARE_NODISCARD pare_status npy_peek_header(npy_header *h, stream *s, pare_error *err);
/* Makes `bytes` bytes available at s->buffer + s->at. */
PARE_NODISCARD pare_status npy_need(stream *s, size_t bytes, const char *what, pare_error *err);

bool npy_host_is_little(void);
uint16_t npy_swap16(uint16_t v);
uint32_t npy_swap32(uint32_t v);
uint64_t npy_swap64(uint64_t v);

#endif

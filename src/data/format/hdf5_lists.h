/* Lists and attributes in an HDF5 file, as text. */
#ifndef PARE_DATA_FORMAT_HDF5_LISTS_H
#define PARE_DATA_FORMAT_HDF5_LISTS_H

#include <hdf5.h>

#include "data/dataset.h"

/* Where an object is read, and its name for messages. */
typedef struct h5_place {
    hid_t file;
    const char *name; /* of the file */
    const pare_allocator *mem;
    const pare_ctx *ctx; /* its limit of memory holds for lists too */
} h5_place;

bool h5_has(const h5_place *p, const char *path);
bool h5_is_group(const h5_place *p, const char *path);
/* A text attribute of an object into out; false: there is none. */
bool h5_attribute(const h5_place *p, const char *path, const char *attribute, char *out,
                  size_t capacity);
/* The number of items of a one-dimensional dataset; -1: there is none. */
int64_t h5_length(const h5_place *p, const char *path);

/* A list of texts, numbers or booleans, or of codes with their categories (AnnData's two ways): one
 * text each, empty where a value is missing. */
PARE_NODISCARD pare_status h5_texts(strings *out, const h5_place *p, const char *path,
                                    pare_error *err);
/* count numbers from the first-th on, converted to the type in memory. */
PARE_NODISCARD pare_status h5_numbers(void *out, hid_t type, const h5_place *p, const char *path,
                                      int64_t first, int64_t count, pare_error *err);
PARE_NODISCARD pare_status h5_damaged(const h5_place *p, const char *path, pare_error *err);

#endif

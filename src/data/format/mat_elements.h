/* Checks the sizes that a .mat file of version 5 or 7 claims against the bytes that it has: matio
 * allocates what a file claims before it reads it. */
#ifndef PARE_DATA_FORMAT_MAT_ELEMENTS_H
#define PARE_DATA_FORMAT_MAT_ELEMENTS_H

#include <pare/status.h>

/* PARE_OK also for version 7.3, which HDF5 checks itself. `name` is for messages. */
PARE_NODISCARD pare_status mat_check_elements(int file, const char *name, pare_error *err);

#endif

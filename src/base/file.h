/* Reading bytes at an offset of an open file, from many threads at once. */
#ifndef PARE_BASE_FILE_H
#define PARE_BASE_FILE_H

#include <stdint.h>

/* Reads `count` bytes from byte `at` on; returns how many it read: fewer only at the end of the
 * file; -1: see errno. */
int64_t file_read_at(int file, void *to, int64_t count, int64_t at);

#endif

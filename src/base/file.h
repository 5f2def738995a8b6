/* Bytes at a place of an open file, which many threads may read at once. */
#ifndef PARE_BASE_FILE_H
#define PARE_BASE_FILE_H

#include <stdint.h>

/* How many of `count` bytes from byte `at` on there were: fewer only at the file's end; -1: errno says why. */
int64_t file_read_at(int file, void *to, int64_t count, int64_t at);

#endif

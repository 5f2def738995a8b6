#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <unistd.h>

int64_t file_read_at(int file, void *to, int64_t count, int64_t at) {
    int64_t got = 0;
    while (got < count) {
        ssize_t now = pread(file, (char *)to + got, (size_t)(count - got), (off_t)(at + got));
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return -1;
        if (now == 0) break;
        got += now;
    }
    return got;
}

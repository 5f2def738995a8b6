/* Fails one call, for LD_PRELOAD: FAULT=NAME:N makes the N-th call of NAME (write, fwrite, fflush,
 * fsync, rename, mmap) fail, and FAULT=read:N gives the N-th read or fread one byte only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int calls;

static int is_due(const char *name) {
    const char *fault = getenv("FAULT"), *colon = fault ? strchr(fault, ':') : NULL;
    size_t length = colon ? (size_t)(colon - fault) : 0;
    if (!colon || strlen(name) != length || strncmp(name, fault, length) != 0) return 0;
    return ++calls == atoi(colon + 1);
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *buffer, size_t size) {
    if (is_due("write")) return errno = ENOSPC, -1;
    return REAL(ssize_t, write, int, const void *, size_t)(fd, buffer, size);
}

size_t fwrite(const void *buffer, size_t size, size_t count, FILE *f) {
    if (fileno(f) >= 0 && is_due("fwrite")) return errno = ENOSPC, 0; /* not into memory */
    return REAL(size_t, fwrite, const void *, size_t, size_t, FILE *)(buffer, size, count, f);
}

int fflush(FILE *f) {
    if (f && fileno(f) >= 0 && is_due("fflush")) return errno = ENOSPC, EOF;
    return REAL(int, fflush, FILE *)(f);
}

int fsync(int fd) {
    if (is_due("fsync")) return errno = EIO, -1;
    return REAL(int, fsync, int)(fd);
}

int rename(const char *from, const char *to) {
    if (is_due("rename")) return errno = EIO, -1;
    return REAL(int, rename, const char *, const char *)(from, to);
}

void *mmap(void *at, size_t size, int protect, int flags, int fd, off_t offset) {
    if (is_due("mmap")) return errno = ENOMEM, MAP_FAILED;
    return REAL(void *, mmap, void *, size_t, int, int, int, off_t)(at, size, protect, flags, fd,
                                                                    offset);
}

ssize_t read(int fd, void *buffer, size_t size) {
    return REAL(ssize_t, read, int, void *, size_t)(fd, buffer, is_due("read") && size ? 1 : size);
}

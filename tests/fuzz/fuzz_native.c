/* Any bytes as a .pare file whose checksum is right: a header, lists and X, laid out as the format has
 * it. What is read must be walked to its end and be of the sizes that it claims, or be refused with a
 * sentence. */
#define _GNU_SOURCE
#include <pare/pare.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sha256.h"
#include "data/format/native.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24, MAX_X = 1 << 16 };

static void require(bool held) {
    if (!held) abort();
}

static void put(int file, const void *bytes, size_t size) {
    require(size == 0 || write(file, bytes, size) == (ssize_t)size);
}

static int64_t lists_of(const native_header *h, size_t most) {
    int64_t sum = 0;
    for (int k = 0; k < N_NATIVE_LISTS; k++) {
        if (h->list_bytes[k] < 0 || h->list_bytes[k] > (int64_t)most) return (int64_t)most;
        sum += h->list_bytes[k];
    }
    return sum < (int64_t)most ? sum : (int64_t)most;
}

static int lay_out(const uint8_t *bytes, size_t size) {
    static const char zeros[NATIVE_PAGE];
    native_header h;
    sha256 hash;
    unsigned char digest[NATIVE_DIGEST];
    int file = memfd_create("fuzz", 0);
    require(file >= 0);
    memcpy(&h, bytes, sizeof h);
    memcpy(h.magic, NATIVE_MAGIC, sizeof h.magic);
    bytes += sizeof h;
    size -= sizeof h;
    size_t lists = (size_t)lists_of(&h, size), room = NATIVE_HEADER - sizeof h;
    sha256_init(&hash);
    sha256_update(&hash, &h, sizeof h);
    sha256_update(&hash, zeros, room);
    sha256_update(&hash, bytes, lists);
    sha256_final(&hash, digest);
    put(file, &h, sizeof h);
    put(file, zeros, room);
    put(file, bytes, lists);
    put(file, digest, sizeof digest);
    put(file, zeros, NATIVE_PAGE - (NATIVE_HEADER + lists + NATIVE_DIGEST) % NATIVE_PAGE);
    bool sane = (h.item <= MAT_G2 || h.item == NATIVE_SPARSE) && h.n > 0 && h.n <= INT32_MAX &&
                h.d >= 0 && h.entries >= 0;
    int64_t x = sane ? native_matrix_bytes(&h) : -1, given = (int64_t)(size - lists);
    put(file, bytes + lists, (size_t)(x >= 0 && x < given ? x : given));
    for (; x < MAX_X && given < x; given++) put(file, zeros, 1);
    put(file, digest, sizeof digest);
    return file;
}

static void walk_through(const pare_data *data) {
    view all = view_all(&data->x);
    walk w;
    column c;
    pare_error err;
    int64_t j, count = 0;
    require(walk_open(&w, &all, NULL, all.d, NULL, &err) == PARE_OK);
    while (walk_next(&w, &j, &c)) {
        require(c.count >= 0 && c.count <= all.n);
        for (int64_t e = 0; c.index && e < c.count; e++)
            require(c.index[e] >= 0 && c.index[e] < all.n);
        count++;
    }
    require(walk_close(&w, &err) != PARE_OK || count == all.d);
    require(data->names.count == 0 || data->names.count == all.d);
    require(target_column_count(&data->target) == 0 || target_column_count(&data->target) == all.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char path[64];
    pare_read_options o;
    pare_ctx ctx;
    pare_error err = {0};
    pare_data *data;
    if (size < sizeof(native_header)) return 0;
    int file = lay_out(bytes, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    pare_read_options_init(&o);
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    o.format = "pare";
    o.allow_missing = true;
    pare_status status = pare_data_read(&data, path, &o, &ctx, &err);
    require((status == PARE_OK) == (data != NULL));
    require(status == PARE_OK || strlen(err.message) > 0);
    if (data) walk_through(data);
    pare_data_free(data);
    close(file);
    return 0;
}

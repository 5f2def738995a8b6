#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

bool size_mul(int64_t a, int64_t b, size_t *out) {
    if (a < 0 || b < 0) return false; /* below, size_t may be the shorter type */
    return !__builtin_mul_overflow(a, b, out) && *out <= PTRDIFF_MAX;
}

bool size_add(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out) && *out <= PTRDIFF_MAX;
}

static const pare_allocator no_hooks;

const pare_allocator *ctx_allocator(const pare_ctx *ctx) {
    return ctx ? &ctx->allocator : &no_hooks;
}

#ifdef MADV_HUGEPAGE
enum { MIN_LARGE = 64 << 20 }; /* bytes: a table, or arrays over a million features */

/* Columns are read in any order: with pages of 4 KB nearly every column would miss the TLB. */
static void *in_large_pages(void *block, size_t bytes) {
    if (!block || bytes < MIN_LARGE) return block;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)block;
    uintptr_t first = (start + page - 1) & ~(page - 1);
    madvise((char *)block + (first - start), bytes - (first - start), MADV_HUGEPAGE);
    return block;
}
#else
static void *in_large_pages(void *block, size_t bytes) {
    (void)bytes;
    return block;
}
#endif

void *mem_alloc(const pare_allocator *mem, int64_t count, size_t size) {
    size_t bytes;
    if (!size_mul(count, (int64_t)size, &bytes)) return NULL;
    if (bytes == 0) bytes = 1;
    return mem->alloc ? mem->alloc(mem->user, bytes) : in_large_pages(malloc(bytes), bytes);
}

void *mem_zero(const pare_allocator *mem, int64_t count, size_t size) {
    size_t bytes;
    if (!size_mul(count, (int64_t)size, &bytes)) return NULL;
    if (!mem->alloc) return calloc(bytes ? bytes : 1, 1);
    void *block = mem_alloc(mem, count, size);
    if (block) memset(block, 0, bytes);
    return block;
}

bool mem_resize(const pare_allocator *mem, void *block_ptr, int64_t count, size_t size) {
    size_t bytes;
    void *block;
    if (!size_mul(count, (int64_t)size, &bytes)) return false;
    if (bytes == 0) bytes = 1;
    memcpy(&block, block_ptr, sizeof block);
    block = mem->resize ? mem->resize(mem->user, block, bytes) : realloc(block, bytes);
    if (!block) return false;
    memcpy(block_ptr, &block, sizeof block);
    return true;
}

void mem_free(const pare_allocator *mem, void *block) {
    if (!block) return;
    if (mem->release)
        mem->release(mem->user, block);
    else
        free(block);
}

/* Each block starts with a link to the one before; blocks are padded to cache lines so that
 * blocks of different threads do not share one. */
enum { ARENA_ALIGN = 64 };
typedef struct arena_link {
    void *before;
} arena_link;

void arena_init(arena *a, const pare_allocator *mem) {
    a->mem = *mem;
    a->last = NULL;
}

arena arena_of(const pare_ctx *ctx) { return (arena){.mem = *ctx_allocator(ctx)}; }

void *arena_alloc(arena *a, int64_t count, size_t size) {
    size_t bytes, total;
    if (!size_mul(count, (int64_t)size, &bytes) || !size_add(bytes, 2 * ARENA_ALIGN, &total))
        return NULL;
    char *block = mem_alloc(&a->mem, (int64_t)total, 1);
    if (!block) return NULL;
    arena_link link = {a->last};
    memcpy(block, &link, sizeof link);
    a->last = block;
    uintptr_t start =
        ((uintptr_t)block + sizeof link + ARENA_ALIGN - 1) & ~(uintptr_t)(ARENA_ALIGN - 1);
    return block + (start - (uintptr_t)block);
}

void *arena_zero(arena *a, int64_t count, size_t size) {
    void *block = arena_alloc(a, count, size);
    if (block) memset(block, 0, (size_t)count * size);
    return block;
}

/* places: of pointers to pointers of any type. */
bool arena_each(arena *a, int64_t count, size_t size, bool zero, void *places, size_t n_places) {
    for (size_t k = 0; k < n_places; k++) {
        void *place, *block = zero ? arena_zero(a, count, size) : arena_alloc(a, count, size);
        if (!block) return false;
        memcpy(&place, (char *)places + k * sizeof place, sizeof place);
        memcpy(place, &block, sizeof block);
    }
    return true;
}

char *arena_text(arena *a, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = arena_alloc(a, (int64_t)bytes, 1);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

void arena_free(arena *a) {
    while (a->last) {
        arena_link link;
        void *block = a->last;
        memcpy(&link, block, sizeof link);
        a->last = link.before;
        mem_free(&a->mem, block);
    }
}

/* Memory through the context's allocator, with checked sizes, and arenas for scratch. */
#ifndef PARE_BASE_MEMORY_H
#define PARE_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pare/context.h>

/* a * b and a + b in size_t; false on overflow or a negative operand. */
bool size_mul(int64_t a, int64_t b, size_t *out);
bool size_add(size_t a, size_t b, size_t *out);

/* count * size bytes, uninitialised or zeroed; NULL when out of memory or on overflow. A count of 0
 * gives a block that may be freed. The context may be NULL. */
void *mem_alloc(const pare_allocator *mem, int64_t count, size_t size);
void *mem_zero(const pare_allocator *mem, int64_t count, size_t size);
/* Resizes *block (a T**, passed as void*) to count elements; false: it is unchanged. */
bool mem_resize(const pare_allocator *mem, void *block_ptr, int64_t count, size_t size);
void mem_free(const pare_allocator *mem, void *block);

/* NULL context -> the default allocator; never NULL. */
const pare_allocator *ctx_allocator(const pare_ctx *ctx);

/* An arena allocates blocks and frees them all at once, in reverse. Zero-initialised by arena_init.
 * arena_alloc returns NULL on failure; earlier blocks stay valid. 64-byte aligned. */
typedef struct arena {
    pare_allocator mem;
    void *last;
} arena;

void arena_init(arena *a, const pare_allocator *mem);
arena arena_of(const pare_ctx *ctx); /* of the context's allocator */
void *arena_alloc(arena *a, int64_t count, size_t size);
void *arena_zero(arena *a, int64_t count, size_t size);
char *arena_text(arena *a, const char *text);
void arena_free(arena *a);

/* Typed: double *w = ARENA_NEW(&a, double, n); */
#define ARENA_NEW(a, type, count) ((type *)arena_alloc((a), (count), sizeof(type)))
#define ARENA_ZERO(a, type, count) ((type *)arena_zero((a), (count), sizeof(type)))

/* Several arrays of one length: ARENA_NEWS(&a, double, n, &x, &y). false: out of memory. */
#define ARENA_NEWS(a, type, count, ...) ARENA_EACH(a, type, count, false, __VA_ARGS__)
#define ARENA_ZEROS(a, type, count, ...) ARENA_EACH(a, type, count, true, __VA_ARGS__)
#define ARENA_EACH(a, type, count, zero, ...)                                                      \
    arena_each((a), (count), sizeof(type), (zero), (type * *[]){__VA_ARGS__},                      \
               sizeof((type **[]){__VA_ARGS__}) / sizeof(type **))
bool arena_each(arena *a, int64_t count, size_t size, bool zero, void *places, size_t n_places);

#endif

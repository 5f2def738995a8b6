/* Output files of a run, staged and put into place together. */
#include <pare/files.h>

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/format/stream.h"

struct pare_files {
    pare_allocator mem;
    int64_t count, capacity;
    sink *at; /* finished: whole, but not in place */
};

pare_status pare_files_new(pare_files **out, const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    *out = mem_zero(ctx_allocator(ctx), 1, sizeof **out);
    if (!*out) return error_memory(err);
    (*out)->mem = *ctx_allocator(ctx);
    return PARE_OK;
}

static pare_status write_aside(sink *s, const char *path, const char *text, const pare_ctx *ctx,
                               pare_error *err) {
    PASS(sink_open(s, path, ctx, err));
    pare_status status = sink_write(s, text, strlen(text), err);
    if (status == PARE_OK) status = sink_finish(s, err);
    if (status != PARE_OK) sink_abandon(s);
    return status;
}

pare_status pare_files_add(pare_files *files, const char *path, const char *text, pare_error *err) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.allocator = files->mem;
    if (files->count == files->capacity) {
        if (!mem_resize(&files->mem, &files->at, files->capacity + 8, sizeof *files->at))
            return error_memory(err);
        files->capacity += 8;
    }
    pare_status status = write_aside(&files->at[files->count], path, text, &ctx, err);
    files->at[files->count].mem = &files->mem; /* the context ends before the files */
    if (status == PARE_OK) files->count++;
    return status;
}

pare_status pare_files_place(pare_files *files, pare_error *err) {
    for (int64_t i = 0; i < files->count; i++) {
        PASS(sink_place(&files->at[i], err));
    }
    return PARE_OK;
}

void pare_files_free(pare_files *files) {
    if (!files) return;
    pare_allocator mem = files->mem;
    for (int64_t i = 0; i < files->count; i++) sink_abandon(&files->at[i]);
    mem_free(&mem, files->at);
    mem_free(&mem, files);
}

pare_status pare_files_check(const char *path, const pare_ctx *ctx, pare_error *err) {
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    return sink_check(path, ctx, err);
}

pare_status pare_text_save(const char *text, const char *path, const pare_ctx *ctx,
                           pare_error *err) {
    sink s;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    PASS(write_aside(&s, path, text, ctx, err));
    pare_status status = sink_place(&s, err);
    sink_abandon(&s);
    return status;
}

void pare_text_free(char *text, const pare_ctx *ctx) { mem_free(ctx_allocator(ctx), text); }

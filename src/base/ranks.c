#include "base/ranks.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

void pare_ranks_init_sized(pare_ranks *ranks, size_t struct_size) {
    const pare_ranks single = {.struct_size = sizeof single, .count = 1, .lanes = 1};
    options_give(ranks, struct_size, &single, sizeof single);
}

const pare_ranks *ctx_ranks(const pare_ctx *ctx) {
    enum { KNOWN = offsetof(pare_ctx, ranks) + sizeof ctx->ranks };
    const pare_ranks *r = ctx && ctx->struct_size >= KNOWN ? ctx->ranks : NULL;
    return r && r->count > 1 && omp_get_active_level() <= (r->lane > 0) ? r : NULL;
}

static pare_status lost(pare_error *err) {
    return error_set(err, PARE_E_IO, "another rank cannot be reached");
}

pare_status ranks_gather(const pare_ranks *r, void *block, const int64_t *start, pare_error *err) {
    return r->gather(r->user, r->lane, block, start) == 0 ? PARE_OK : lost(err);
}

pare_status ranks_exchange(const pare_ranks *r, const void *to, const int64_t *to_start, void *from,
                           const int64_t *from_start, pare_error *err) {
    return r->exchange(r->user, r->lane, to, to_start, from, from_start) == 0 ? PARE_OK : lost(err);
}

pare_status ranks_tell(const pare_ranks *r, int32_t who, void *block, int64_t bytes,
                       pare_error *err) {
    const pare_allocator *mem = ctx_allocator(NULL);
    int64_t *start = mem_zero(mem, r->count + 1, sizeof *start);
    if (!start) return error_memory(err);
    for (int32_t k = who + 1; k <= r->count; k++) start[k] = bytes;
    pare_status status = ranks_gather(r, block, start, err);
    mem_free(mem, start);
    return status;
}

pare_status ranks_agree(const pare_ranks *r, pare_status status, pare_error *err) {
    typedef struct vote {
        pare_status status;
        pare_error error;
    } vote;
    const pare_allocator *mem = ctx_allocator(NULL);
    vote *votes = mem_zero(mem, r->count, sizeof *votes);
    int64_t *start = mem_alloc(mem, r->count + 1, sizeof *start);
    pare_status result = votes && start ? PARE_OK : error_memory(err);
    if (result == PARE_OK) {
        votes[r->index].status = status;
        if (status != PARE_OK && err) votes[r->index].error = *err;
        for (int32_t k = 0; k <= r->count; k++) start[k] = k * (int64_t)sizeof *votes;
        result = ranks_gather(r, votes, start, err);
    }
    for (int32_t k = 0; result == PARE_OK && k < r->count; k++) {
        result = votes[k].status;
        if (result == PARE_OK || !err) continue;
        *err = votes[k].error;
        if (k > 0 && strncmp(err->message, "rank", 4) != 0)
            snprintf(err->message, sizeof err->message, "rank %d: %.900s", (int)k,
                     votes[k].error.message);
    }
    mem_free(mem, votes);
    mem_free(mem, start);
    return result;
}

/* Communication with the other ranks (pare/ranks.h). */
#ifndef PARE_BASE_RANKS_H
#define PARE_BASE_RANKS_H

#include <pare/context.h>
#include <pare/ranks.h>
#include <pare/status.h>

/* The ranks of ctx, if this thread may communicate: not while other threads run with the same
 * context. NULL: none, work as a single process. */
const pare_ranks *ctx_ranks(const pare_ctx *ctx);

/* The functions of pare_ranks, with an error message if they fail. */
PARE_NODISCARD pare_status ranks_gather(const pare_ranks *r, void *block, const int64_t *start,
                                        pare_error *err);
PARE_NODISCARD pare_status ranks_exchange(const pare_ranks *r, const void *to,
                                          const int64_t *to_start, void *from,
                                          const int64_t *from_start, pare_error *err);
/* Copies the block of rank `who` to all ranks. */
PARE_NODISCARD pare_status ranks_tell(const pare_ranks *r, int32_t who, void *block, int64_t bytes,
                                      pare_error *err);
/* Returns PARE_OK if the status is that on all ranks; else the status and message of the first rank
 * that failed. */
PARE_NODISCARD pare_status ranks_agree(const pare_ranks *r, pare_status status, pare_error *err);

#endif

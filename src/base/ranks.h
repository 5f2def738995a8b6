/* What the library asks of the other ranks (pare/ranks.h). */
#ifndef PARE_BASE_RANKS_H
#define PARE_BASE_RANKS_H

#include <pare/context.h>
#include <pare/ranks.h>
#include <pare/status.h>

/* The ranks that ctx works with, where it may talk to them: not on a thread beside which others run
 * with the same context. NULL: none, work as if alone. */
const pare_ranks *ctx_ranks(const pare_ctx *ctx);

/* As the functions of pare_ranks, with a sentence where they fail. */
PARE_NODISCARD pare_status ranks_gather(const pare_ranks *r, void *block, const int64_t *start,
                                        pare_error *err);
PARE_NODISCARD pare_status ranks_exchange(const pare_ranks *r, const void *to,
                                          const int64_t *to_start, void *from,
                                          const int64_t *from_start, pare_error *err);
/* block on all ranks becomes that of one. */
PARE_NODISCARD pare_status ranks_tell(const pare_ranks *r, int32_t who, void *block, int64_t bytes,
                                      pare_error *err);
/* Fine where it is on all ranks; else the status and the sentence of the first where it is not. */
PARE_NODISCARD pare_status ranks_agree(const pare_ranks *r, pare_status status, pare_error *err);

#endif

/* Pass scheduler: fits that run at the same time share passes over X.
 *
 * More fits are under way than there are threads, but only as many run at a time as there are slots:
 * a fit holds a slot while it computes. A fit that needs X'U files a request and yields its slot to
 * another fit. When a slot is free and no fit waits for it, the threads of the waiting fits serve
 * all requests so far, a batch, in one pass over X; then each of these fits waits for a slot to go
 * on. The bits of a product do not depend on the other requests of its batch (la/pass/tmul.h).
 * docs/passes.md has a picture. */
#ifndef PARE_LA_PASS_SCHEDULER_H
#define PARE_LA_PASS_SCHEDULER_H

#include "la/pass/tmul.h"

typedef struct pass_scheduler pass_scheduler;

/* A scheduler for products with x of fits that run in so many slots. *out is NULL where sharing
 * does not pay: X is small, there is one slot, or its kind computes X'U in its own way. */
PARE_NODISCARD pare_status scheduler_open(pass_scheduler **out, const matrix *x, int slots,
                                          const pare_ctx *ctx, pare_error *err);
void scheduler_close(pass_scheduler *s, const pare_allocator *mem);

/* Takes a slot before a fit, and yields it after. The calling thread, which must keep asking the
 * caller whether to stop, never waits for a slot. s NULL: nothing to do. */
void scheduler_enter(pass_scheduler *s, bool calling_thread);
void scheduler_leave(pass_scheduler *s);

/* Whether the scheduler that ctx belongs to serves this request; and the product itself. */
bool scheduler_takes(const tmul_request *a, const pare_ctx *ctx);
PARE_NODISCARD pare_status scheduler_tmul(const tmul_request *a, const pare_ctx *ctx,
                                          pare_error *err);

#endif

/* Where fits that run beside each other meet: those that ask for a product with X at about the same time get
 * it from one pass over X.
 *
 * More fits are under way than there are threads, but no more run at a time: each has a seat while it works.
 * Who asks for X'U gives its seat to a fit that can go on; when there is none, those who wait make all the
 * products that are asked for, together, and go on. What a product is does not depend on its company
 * (la/pass/tmul.h). */
#ifndef PARE_LA_PASS_SCHEDULER_H
#define PARE_LA_PASS_SCHEDULER_H

#include "la/pass/tmul.h"

typedef struct meeting meeting;

/* For products with x by fits on so many threads. NULL in *out: with this matrix it is not worth it. */
PARE_NODISCARD pare_status scheduler_open(meeting **out, const matrix *x, int seats,
                                          const pare_allocator *mem, pare_error *err);
void scheduler_close(meeting *m, const pare_allocator *mem);

/* Around a fit. The thread that answers the caller never waits for a seat. m NULL: nothing to do. */
void scheduler_enter(meeting *m, bool answers);
void scheduler_leave(meeting *m);

/* Whether the product is one for the meeting that ctx belongs to, and the product itself. */
bool scheduler_takes(const tmul_request *a, const pare_ctx *ctx);
PARE_NODISCARD pare_status scheduler_tmul(const tmul_request *a, const pare_ctx *ctx,
                                          pare_error *err);

#endif

/* The device of a call (pare_ctx.device): from device_begin to device_end the operations of matrix.h
 * on this X, and on matrices that show it transformed, run there. */
#ifndef PARE_LA_DEVICE_H
#define PARE_LA_DEVICE_H

#include "base/context.h"
#include "la/matrix.h"

/* Opens the device that the call's context asks for and copies x to it; says in the log where data
 * of this kind stay on the processor. Nothing to do where a call within another has one. */
PARE_NODISCARD pare_status device_begin(call *c, const matrix *x, pare_error *err);
/* Also after a failure. */
void device_end(call *c);

#endif

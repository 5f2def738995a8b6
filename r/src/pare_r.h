/* What the files of the R package share: errors as R conditions, objects behind external pointers. All
 * names begin with rpare_, for where the library is linked statically its own are visible too. */
#ifndef PARE_R_H
#define PARE_R_H

#include <pare/pare.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* A call's surroundings. `interrupted`: the person pressed Ctrl-C; `warned`: what the library warned
 * of, a line each. */
typedef struct surroundings {
    pare_ctx ctx;
    pare_error err;
    int interrupted;
    char warned[4096];
} surroundings;

/* ctx: list(threads, seed, time_limit, memory, device) */
void rpare_enter(surroundings *s, SEXP ctx);
/* An R error with the library's sentence, unless the status is fine; R warnings of what it said. What
 * the call made must belong to R by then: both may leave by longjmp. */
void rpare_leave(const surroundings *s, pare_status status);
/* The same for calls without surroundings. */
void rpare_check(pare_status status, const pare_error *err);

/* An object of the library that R frees. Made empty, before the object, as making it may fail; then
 * rpare_hold puts the object in. */
SEXP rpare_holder(R_CFinalizer_t finalizer);
SEXP rpare_hold(SEXP holder, void *object);
/* Of a model. */
void rpare_model_finalizer(SEXP pointer);

pare_data *rpare_data_of(SEXP pointer);
/* Settings of a method in a holder. */
SEXP rpare_settings_from(SEXP method, SEXP names, SEXP values, surroundings *s);
SEXP rpare_string_or_null(const char *text);
SEXP rpare_named_list(const char *const *names, int count);

#include "routines.h"

#endif

#include "pare_r.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef calls[] = {RPARE_ROUTINES};

attribute_visible void R_init_pare(DllInfo *info);
void R_init_pare(DllInfo *info) {
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
}

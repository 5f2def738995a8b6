#include "pare_r.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define CALL(name, count)                                                                          \
    { #name, (DL_FUNC)&name, count }

static const R_CallMethodDef calls[] = {
    CALL(data_dense, 2),     CALL(data_sparse, 4),   CALL(data_set, 8),     CALL(methods_table, 0),
    CALL(settings_table, 1), CALL(fit, 5),           CALL(model_info, 1),   CALL(model_ranking, 1),
    CALL(model_path, 1),     CALL(model_predict, 4), CALL(model_verify, 3), CALL(model_text, 1),
    CALL(model_parse, 1),    CALL(model_save, 2),    CALL(model_load, 1),   CALL(path_run, 7),
    CALL(path_info, 1),      CALL(path_text, 4),     {NULL, NULL, 0}};

attribute_visible void R_init_pare(DllInfo *info);
void R_init_pare(DllInfo *info) {
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
}

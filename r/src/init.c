#include "pare_r.h"

#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

static const R_CallMethodDef calls[] = {{"data_dense", (DL_FUNC)&rpare_data_dense, 2},
                                        {"data_sparse", (DL_FUNC)&rpare_data_sparse, 4},
                                        {"data_leave", (DL_FUNC)&rpare_data_leave, 2},
                                        {"data_set", (DL_FUNC)&rpare_data_set, 2},
                                        {"methods_table", (DL_FUNC)&rpare_methods_table, 0},
                                        {"settings_table", (DL_FUNC)&rpare_settings_table, 1},
                                        {"fit", (DL_FUNC)&rpare_fit, 5},
                                        {"model_info", (DL_FUNC)&rpare_model_info, 1},
                                        {"model_ranking", (DL_FUNC)&rpare_model_ranking, 1},
                                        {"model_path", (DL_FUNC)&rpare_model_path, 1},
                                        {"model_predict", (DL_FUNC)&rpare_model_predict, 4},
                                        {"model_verify", (DL_FUNC)&rpare_model_verify, 3},
                                        {"model_text", (DL_FUNC)&rpare_model_text, 1},
                                        {"model_parse", (DL_FUNC)&rpare_model_parse, 1},
                                        {"model_save", (DL_FUNC)&rpare_model_save, 2},
                                        {"model_load", (DL_FUNC)&rpare_model_load, 1},
                                        {"path_run", (DL_FUNC)&rpare_path_run, 7},
                                        {"path_info", (DL_FUNC)&rpare_path_info, 1},
                                        {"path_text", (DL_FUNC)&rpare_path_text, 4},
                                        {NULL, NULL, 0}};

attribute_visible void R_init_pare(DllInfo *info);
void R_init_pare(DllInfo *info) {
    R_registerRoutines(info, NULL, calls, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
}

/* The routines that R may call. Made by tools/bindings.py from their definitions in this folder. */
#ifndef PARE_ROUTINES_H
#define PARE_ROUTINES_H
/* clang-format off */

SEXP rpare_data_dense(SEXP x, SEXP dim);
SEXP rpare_data_sparse(SEXP p, SEXP i, SEXP x, SEXP dim);
SEXP rpare_data_leave(SEXP data, SEXP excluded);
SEXP rpare_data_set(SEXP data, SEXP parts);
SEXP rpare_nearest(SEXP word, SEXP names);
SEXP rpare_methods_table(void);
SEXP rpare_settings_table(SEXP method);
SEXP rpare_fit(SEXP data, SEXP method, SEXP names, SEXP values, SEXP ctx);
SEXP rpare_model_info(SEXP model);
SEXP rpare_model_ranking(SEXP model);
SEXP rpare_model_path(SEXP model);
SEXP rpare_model_predict(SEXP model, SEXP data, SEXP probability, SEXP ctx);
SEXP rpare_model_survival(SEXP model, SEXP data, SEXP times, SEXP ctx);
SEXP rpare_model_verify(SEXP model, SEXP data, SEXP ctx);
SEXP rpare_model_text(SEXP model);
SEXP rpare_model_parse(SEXP text);
SEXP rpare_model_load(SEXP path);
SEXP rpare_model_save(SEXP model, SEXP path);
SEXP rpare_path_run(SEXP data, SEXP methods, SEXP names, SEXP values, SEXP options, SEXP folds,
                    SEXP ctx);
SEXP rpare_path_info(SEXP pointer);
SEXP rpare_path_model(SEXP pointer);
SEXP rpare_path_text(SEXP pointer, SEXP which, SEXP data, SEXP command);

#define RPARE_ROUTINES \
    {"data_dense", (DL_FUNC)&rpare_data_dense, 2}, \
    {"data_sparse", (DL_FUNC)&rpare_data_sparse, 4}, \
    {"data_leave", (DL_FUNC)&rpare_data_leave, 2}, \
    {"data_set", (DL_FUNC)&rpare_data_set, 2}, \
    {"nearest", (DL_FUNC)&rpare_nearest, 2}, \
    {"methods_table", (DL_FUNC)&rpare_methods_table, 0}, \
    {"settings_table", (DL_FUNC)&rpare_settings_table, 1}, \
    {"fit", (DL_FUNC)&rpare_fit, 5}, \
    {"model_info", (DL_FUNC)&rpare_model_info, 1}, \
    {"model_ranking", (DL_FUNC)&rpare_model_ranking, 1}, \
    {"model_path", (DL_FUNC)&rpare_model_path, 1}, \
    {"model_predict", (DL_FUNC)&rpare_model_predict, 4}, \
    {"model_survival", (DL_FUNC)&rpare_model_survival, 4}, \
    {"model_verify", (DL_FUNC)&rpare_model_verify, 3}, \
    {"model_text", (DL_FUNC)&rpare_model_text, 1}, \
    {"model_parse", (DL_FUNC)&rpare_model_parse, 1}, \
    {"model_load", (DL_FUNC)&rpare_model_load, 1}, \
    {"model_save", (DL_FUNC)&rpare_model_save, 2}, \
    {"path_run", (DL_FUNC)&rpare_path_run, 7}, \
    {"path_info", (DL_FUNC)&rpare_path_info, 1}, \
    {"path_model", (DL_FUNC)&rpare_path_model, 1}, \
    {"path_text", (DL_FUNC)&rpare_path_text, 4}, \
    {NULL, NULL, 0}

#endif

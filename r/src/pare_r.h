/* What the files of the R package share: errors as R conditions, objects behind external pointers. */
#ifndef PARE_R_H
#define PARE_R_H

#include <pare/pare.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* A call's surroundings. `interrupted`: the person pressed Ctrl-C. */
typedef struct surroundings {
    pare_ctx ctx;
    pare_error err;
    int interrupted;
} surroundings;

/* ctx: list(threads, seed, time_limit, memory, progress) */
void enter(surroundings *s, SEXP ctx);
/* An R error with the library's sentence, unless the status is fine. */
void leave(const surroundings *s, pare_status status);

pare_data *data_of(SEXP pointer);
pare_settings *settings_from(SEXP method, SEXP names, SEXP values, surroundings *s,
                             pare_status *status);
SEXP string_or_null(const char *text);
SEXP named_list(const char *const *names, int count);

SEXP data_dense(SEXP x, SEXP dim);
SEXP data_sparse(SEXP p, SEXP i, SEXP x, SEXP dim);
SEXP data_set(SEXP data, SEXP names, SEXP labels, SEXP values, SEXP weights, SEXP offset,
              SEXP groups, SEXP fold_groups);
SEXP methods_table(void);
SEXP settings_table(SEXP method);

SEXP fit(SEXP data, SEXP method, SEXP names, SEXP values, SEXP ctx);
SEXP model_info(SEXP model);
SEXP model_ranking(SEXP model);
SEXP model_path(SEXP model);
SEXP model_predict(SEXP model, SEXP data, SEXP probability, SEXP ctx);
SEXP model_verify(SEXP model, SEXP data, SEXP ctx);
SEXP model_text(SEXP model);
SEXP model_parse(SEXP text);
SEXP model_save(SEXP model, SEXP path);
SEXP model_load(SEXP path);

SEXP path_run(SEXP data, SEXP methods, SEXP names, SEXP values, SEXP options, SEXP folds, SEXP ctx);
SEXP path_info(SEXP path);
SEXP path_text(SEXP path, SEXP which, SEXP data, SEXP command);

#endif

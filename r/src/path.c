#include "pare_r.h"

#include <string.h>

static void path_finalizer(SEXP pointer) {
    pare_path_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static pare_path *path_of(SEXP pointer) {
    pare_path *path = R_ExternalPtrAddr(pointer);
    if (!path) Rf_error("the path is gone; read its report or data frame before it is saved");
    return path;
}

static double number_of(SEXP options, const char *name) {
    SEXP names = Rf_getAttrib(options, R_NamesSymbol);
    for (R_xlen_t k = 0; k < Rf_xlength(options); k++)
        if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0) return Rf_asReal(VECTOR_ELT(options, k));
    Rf_error("the path has no option called %s", name);
}

/* otherwise: where it is NULL. */
static const char *text_of(SEXP options, const char *name, const char *otherwise) {
    SEXP names = Rf_getAttrib(options, R_NamesSymbol);
    for (R_xlen_t k = 0; k < Rf_xlength(options); k++)
        if (strcmp(CHAR(STRING_ELT(names, k)), name) == 0 && !Rf_isNull(VECTOR_ELT(options, k)))
            return Rf_translateCharUTF8(Rf_asChar(VECTOR_ELT(options, k)));
    return otherwise;
}

/* from: a named list of numbers, and of texts, which may be NULL. */
static void read_options(pare_path_options *o, SEXP from) {
    pare_path_options_init(o);
    o->folds = (int64_t)number_of(from, "nfolds");
    o->repeats = (int64_t)number_of(from, "repeats");
    o->splits = (int64_t)number_of(from, "splits");
    o->train = number_of(from, "train");
    o->sizes = text_of(from, "sizes", o->sizes);
    o->budgets = text_of(from, "budgets", o->budgets);
    o->metric = text_of(from, "metric", o->metric);
    o->choice = text_of(from, "choice", o->choice);
    o->tolerance = number_of(from, "tolerance");
    o->inner = (int64_t)number_of(from, "inner");
    o->tune = number_of(from, "tune") != 0;
    o->null_runs = (int64_t)number_of(from, "null_runs");
    o->grid = text_of(from, "grid", o->grid);
    o->checkpoint = text_of(from, "checkpoint", o->checkpoint);
    o->error_control = text_of(from, "error_control", o->error_control);
    o->error_bound = text_of(from, "error_bound", o->error_bound);
    o->error_pairs = (int64_t)number_of(from, "error_pairs");
    o->error_permutations = (int64_t)number_of(from, "error_permutations");
    o->predictions = true;
}

/* names and values: settings of each method, in two lists. */
SEXP rpare_path_run(SEXP data, SEXP methods, SEXP names, SEXP values, SEXP options, SEXP folds,
                    SEXP ctx) {
    surroundings s;
    pare_path_options o;
    pare_path *path = NULL;
    const pare_data *d = rpare_data_of(data);
    R_xlen_t count = Rf_xlength(methods);
    const pare_settings **settings =
        (const pare_settings **)R_alloc((size_t)count + 1, sizeof *settings);
    SEXP holder = PROTECT(rpare_holder(path_finalizer)),
         held = PROTECT(Rf_allocVector(VECSXP, count));
    rpare_enter(&s, ctx);
    read_options(&o, options);
    if (!Rf_isNull(folds)) o.fold_of = INTEGER(folds);
    for (R_xlen_t k = 0; k < count; k++) {
        SET_VECTOR_ELT(held, k,
                       rpare_settings_from(STRING_ELT(methods, k), VECTOR_ELT(names, k),
                                           VECTOR_ELT(values, k), &s));
        settings[k] = R_ExternalPtrAddr(VECTOR_ELT(held, k));
    }
    pare_status status = pare_path_run(&path, d, settings, count, &o, &s.ctx, &s.err);
    rpare_hold(holder, path);
    rpare_leave(&s, status);
    UNPROTECT(2);
    return holder;
}

/* With the ends NaN where there is none. */
static pare_path_interval interval_at(const pare_path *path, int64_t run, int64_t point) {
    pare_path_interval ci;
    if (!pare_path_interval_at(&ci, path, run, point)) ci.low = ci.high = R_NaN;
    return ci;
}

/* One row for each run and point. */
static SEXP points_table(const pare_path *path) {
    static const char *const names[] = {"method", "n_features", "mean",   "se",    "low",
                                        "high",   "stability",  "null_p", "chosen"};
    enum { NUMBERS = 7 };
    R_xlen_t runs = (R_xlen_t)pare_path_n_runs(path), points = (R_xlen_t)pare_path_n_points(path),
             row = 0;
    SEXP list = PROTECT(rpare_named_list(names, NUMBERS + 2));
    SET_VECTOR_ELT(list, 0, Rf_allocVector(STRSXP, runs * points));
    for (int c = 0; c < NUMBERS; c++)
        SET_VECTOR_ELT(list, c + 1, Rf_allocVector(REALSXP, runs * points));
    SET_VECTOR_ELT(list, NUMBERS + 1, Rf_allocVector(LGLSXP, runs * points));
    for (R_xlen_t r = 0; r < runs; r++) {
        pare_path_run_info run = {0};
        pare_path_info(&run, path, r);
        for (R_xlen_t k = 0; k < points; k++, row++) {
            pare_path_point p = {0};
            pare_path_at(&p, path, r, k);
            const pare_path_interval ci = interval_at(path, r, k);
            const double of[NUMBERS] = {(double)p.n_features, p.mean,  p.se, ci.low, ci.high,
                                        p.stability,          p.null_p};
            SET_STRING_ELT(VECTOR_ELT(list, 0), row, Rf_mkChar(run.method));
            for (int c = 0; c < NUMBERS; c++) REAL(VECTOR_ELT(list, c + 1))[row] = of[c];
            LOGICAL(VECTOR_ELT(list, NUMBERS + 1))[row] = run.chosen == k;
        }
    }
    UNPROTECT(1);
    return list;
}

static SEXP runs_table(const pare_path *path) {
    static const char *const names[] = {"method",     "nested_mean", "nested_se",
                                        "nested_low", "nested_high", "n_features",
                                        "null_p",     "null_least",  "null_p_methods"};
    enum { NUMBERS = 8 };
    R_xlen_t runs = (R_xlen_t)pare_path_n_runs(path);
    SEXP list = PROTECT(rpare_named_list(names, NUMBERS + 1));
    SET_VECTOR_ELT(list, 0, Rf_allocVector(STRSXP, runs));
    for (int c = 0; c < NUMBERS; c++) SET_VECTOR_ELT(list, c + 1, Rf_allocVector(REALSXP, runs));
    for (R_xlen_t r = 0; r < runs; r++) {
        pare_path_run_info run = {0};
        pare_path_null null;
        pare_path_info(&run, path, r);
        if (!pare_path_null_at(&null, path, r, -1)) null.least = null.p_methods = R_NaN;
        const pare_path_interval ci = interval_at(path, r, -1);
        const double of[NUMBERS] = {run.nested_mean, run.nested_se,          ci.low,
                                    ci.high,         (double)run.n_features, run.null_p,
                                    null.least,      null.p_methods};
        SET_STRING_ELT(VECTOR_ELT(list, 0), r, Rf_mkChar(run.method));
        for (int c = 0; c < NUMBERS; c++) REAL(VECTOR_ELT(list, c + 1))[r] = of[c];
    }
    UNPROTECT(1);
    return list;
}

/* What to quote of each run. */
static SEXP headlines_of(const pare_path *path) {
    R_xlen_t runs = (R_xlen_t)pare_path_n_runs(path);
    SEXP list = PROTECT(Rf_allocVector(STRSXP, runs));
    for (R_xlen_t r = 0; r < runs; r++) {
        char *text = NULL;
        pare_error err;
        rpare_check(pare_path_headline(&text, path, r, NULL, &err), &err);
        SET_STRING_ELT(list, r, Rf_mkCharCE(text, CE_UTF8));
        pare_text_free(text, NULL);
    }
    UNPROTECT(1);
    return list;
}

/* The columns of the fit on all samples at the chosen size, best first, of each run. */
static SEXP features_of(const pare_path *path) {
    R_xlen_t runs = (R_xlen_t)pare_path_n_runs(path);
    SEXP list = PROTECT(Rf_allocVector(VECSXP, runs));
    for (R_xlen_t r = 0; r < runs; r++) {
        int64_t count = pare_path_features(NULL, NULL, path, r);
        int64_t *index = (int64_t *)R_alloc((size_t)count + 1, sizeof *index);
        pare_path_features(index, NULL, path, r);
        SET_VECTOR_ELT(list, r, Rf_allocVector(REALSXP, (R_xlen_t)count));
        for (int64_t i = 0; i < count; i++) REAL(VECTOR_ELT(list, r))[i] = (double)index[i] + 1;
    }
    UNPROTECT(1);
    return list;
}

SEXP rpare_path_info(SEXP pointer) {
    static const char *const names[] = {"points", "runs",     "features", "metric",
                                        "parts",  "complete", "headline", "best"};
    const pare_path *path = path_of(pointer);
    SEXP list = PROTECT(rpare_named_list(names, 8));
    SET_VECTOR_ELT(list, 0, points_table(path));
    SET_VECTOR_ELT(list, 1, runs_table(path));
    SET_VECTOR_ELT(list, 2, features_of(path));
    SET_VECTOR_ELT(list, 3,
                   rpare_string_or_null(pare_path_metric_name(path, pare_path_metric(path))));
    SET_VECTOR_ELT(list, 4, Rf_ScalarReal((double)pare_path_n_parts(path)));
    SET_VECTOR_ELT(list, 5, Rf_ScalarLogical(pare_path_complete(path)));
    SET_VECTOR_ELT(list, 6, headlines_of(path));
    int64_t best = pare_path_best(path);
    SET_VECTOR_ELT(list, 7, Rf_ScalarReal(best < 0 ? NA_REAL : (double)best + 1));
    UNPROTECT(1);
    return list;
}

/* which: 0 JSON, 1 table, 2 page, 3 predictions */
SEXP rpare_path_text(SEXP pointer, SEXP which, SEXP data, SEXP command) {
    const pare_path *path = path_of(pointer);
    char *text = NULL;
    pare_error err;
    pare_status status = PARE_OK;
    switch (Rf_asInteger(which)) {
    case 0: status = pare_path_json(&text, path, NULL, &err); break;
    case 1: status = pare_path_tsv(&text, path, NULL, &err); break;
    case 2: status = pare_path_html(&text, path, CHAR(Rf_asChar(command)), NULL, &err); break;
    default: status = pare_path_predictions(&text, path, rpare_data_of(data), NULL, &err); break;
    }
    rpare_check(status, &err);
    SEXP out = PROTECT(rpare_string_or_null(text));
    pare_text_free(text, NULL);
    UNPROTECT(1);
    return out;
}

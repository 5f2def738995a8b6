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
    o->at = number_of(from, "at");
    o->best = text_of(from, "best", NULL);
    o->leave_out = number_of(from, "leave_out") != 0;
    o->predictions = o->model = true;
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

/* Whether some row of some run has the column. */
static bool is_defined(const pare_path *path, const pare_column *c) {
    for (int64_t run = 0; run < pare_path_rows(path, "runs", 0); run++)
        for (int64_t row = 0; row < pare_path_rows(path, c->table, run); row++)
            if (pare_path_text(path, c->table, c->field, run, row) ||
                !ISNAN(pare_path_number(path, c->table, c->field, run, row)))
                return true;
    return false;
}

/* The columns that a table shows in R, optional ones where they are defined; returns their number. columns:
 * NULL, or where they go. */
static int columns_of(pare_column *columns, const pare_path *path, const char *table) {
    pare_column c;
    int count = 0;
    for (int64_t i = 0; pare_path_column(&c, i); i++) {
        if (strcmp(c.table, table) != 0 || !(c.shown & PARE_SHOWN_R)) continue;
        if (c.shown & PARE_SHOWN_OPTIONAL && !is_defined(path, &c)) continue;
        if (columns) columns[count] = c;
        count++;
    }
    return count;
}

static void set_value(SEXP column, R_xlen_t at, const pare_column *c, const pare_path *path,
                      int64_t run, int64_t row) {
    double x = pare_path_number(path, c->table, c->field, run, row);
    const char *text = pare_path_text(path, c->table, c->field, run, row);
    if (TYPEOF(column) == STRSXP)
        SET_STRING_ELT(column, at, text ? Rf_mkCharCE(text, CE_UTF8) : NA_STRING);
    else if (TYPEOF(column) == LGLSXP)
        LOGICAL(column)[at] = x != 0;
    else
        REAL(column)[at] = x;
}

static SEXPTYPE type_of(const pare_column *c) {
    return c->type == PARE_COLUMN_TEXT ? STRSXP : c->type == PARE_COLUMN_FLAG ? LGLSXP : REALSXP;
}

/* One row for each row of the table in the runs from `first` to before `last`; with the name of the method
 * first where the table is one of each run. */
static SEXP table_of(const pare_path *path, const char *table, int64_t first, int64_t last,
                     bool method) {
    int count = columns_of(NULL, path, table);
    pare_column *columns = (pare_column *)R_alloc((size_t)count + 1, sizeof *columns);
    R_xlen_t rows = 0, at = 0;
    columns_of(columns + method, path, table);
    if (method)
        columns[0] = (pare_column){
            .table = "runs", .field = "method", .name = "method", .type = PARE_COLUMN_TEXT};
    count += method;
    for (int64_t run = first; run < last; run++) rows += (R_xlen_t)pare_path_rows(path, table, run);
    SEXP list = PROTECT(Rf_allocVector(VECSXP, count)),
         names = PROTECT(Rf_allocVector(STRSXP, count));
    for (int c = 0; c < count; c++) {
        SET_VECTOR_ELT(list, c, Rf_allocVector(type_of(&columns[c]), rows));
        SET_STRING_ELT(names, c, Rf_mkChar(columns[c].name));
    }
    for (int64_t run = first; run < last; run++)
        for (int64_t row = 0; row < pare_path_rows(path, table, run); row++, at++)
            for (int c = 0; c < count; c++)
                set_value(VECTOR_ELT(list, c), at, &columns[c], path, run,
                          method && c == 0 ? run : row);
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
    return list;
}

/* What to quote of each run. */
static SEXP headlines_of(const pare_path *path) {
    R_xlen_t runs = (R_xlen_t)pare_path_rows(path, "runs", 0);
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

SEXP rpare_path_info(SEXP pointer) {
    static const char *const names[] = {"path",     "runs",    "points",      "features",
                                        "headline", "cohorts", "risk_groups", "calibration_at"};
    const pare_path *path = path_of(pointer);
    int64_t runs = pare_path_rows(path, "runs", 0);
    SEXP list = PROTECT(rpare_named_list(names, 8));
    SET_VECTOR_ELT(list, 0, table_of(path, "path", 0, 1, false));
    SET_VECTOR_ELT(list, 1, table_of(path, "runs", 0, 1, false));
    SET_VECTOR_ELT(list, 2, table_of(path, "points", 0, runs, true));
    SET_VECTOR_ELT(list, 3, Rf_allocVector(VECSXP, (R_xlen_t)runs));
    for (int64_t r = 0; r < runs; r++)
        SET_VECTOR_ELT(VECTOR_ELT(list, 3), (R_xlen_t)r,
                       table_of(path, "features", r, r + 1, false));
    SET_VECTOR_ELT(list, 4, headlines_of(path));
    for (int k = 5; k < 8; k++) SET_VECTOR_ELT(list, k, table_of(path, names[k], 0, runs, true));
    UNPROTECT(1);
    return list;
}

/* The model at the chosen number of features, moved out of the path; NULL: the path was stopped. */
SEXP rpare_path_model(SEXP pointer) {
    SEXP holder = PROTECT(rpare_holder(rpare_model_finalizer));
    pare_model *model = pare_path_model(path_of(pointer));
    if (model) rpare_hold(holder, model);
    UNPROTECT(1);
    return model ? holder : R_NilValue;
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

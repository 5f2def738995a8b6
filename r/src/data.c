/* Data sets over R's own vectors, which are borrowed: preserved while the data set lives. */
#include "pare_r.h"

#include <string.h>

static void let_go(void *user) { R_ReleaseObject((SEXP)user); }

static void data_finalizer(SEXP pointer) {
    pare_data_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static SEXP data_pointer(pare_data *data) {
    SEXP pointer = PROTECT(R_MakeExternalPtr(data, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(pointer, data_finalizer, TRUE);
    UNPROTECT(1);
    return pointer;
}

pare_data *rpare_data_of(SEXP pointer) {
    pare_data *data = R_ExternalPtrAddr(pointer);
    if (!data) Rf_error("the data are gone");
    return data;
}

static void fail(const pare_error *err, pare_status status) {
    if (status != PARE_OK) Rf_error("%s", err->message);
}

/* x: doubles, columns one after the other. */
SEXP rpare_data_dense(SEXP x, SEXP dim) {
    pare_data *data;
    pare_error err;
    int n = INTEGER(dim)[0], d = INTEGER(dim)[1];
    R_PreserveObject(x);
    fail(&err, pare_data_borrow_dense(&data, n, d, REAL(x), 1, n, let_go, x, NULL, &err));
    return data_pointer(data);
}

/* The slots of a dgCMatrix. */
SEXP rpare_data_sparse(SEXP p, SEXP i, SEXP x, SEXP dim) {
    pare_data *data;
    pare_error err;
    SEXP all = PROTECT(Rf_allocVector(VECSXP, 3));
    SET_VECTOR_ELT(all, 0, p);
    SET_VECTOR_ELT(all, 1, i);
    SET_VECTOR_ELT(all, 2, x);
    R_PreserveObject(all);
    UNPROTECT(1);
    fail(&err, pare_data_borrow_sparse(&data, INTEGER(dim)[0], INTEGER(dim)[1], INTEGER(p), 32,
                                       INTEGER(i), 32, REAL(x), let_go, all, NULL, &err));
    return data_pointer(data);
}

/* Character vectors as the library takes them; R frees the array. */
static const char *const *texts(SEXP from) {
    if (Rf_isNull(from)) return NULL;
    R_xlen_t count = Rf_xlength(from);
    const char **out = (const char **)R_alloc((size_t)count + 1, sizeof *out);
    for (R_xlen_t k = 0; k < count; k++) out[k] = Rf_translateCharUTF8(STRING_ELT(from, k));
    return out;
}

SEXP rpare_data_set(SEXP data, SEXP names, SEXP labels, SEXP values, SEXP weights, SEXP offset,
                    SEXP groups, SEXP fold_groups) {
    pare_data *d = rpare_data_of(data);
    pare_error err;
    if (!Rf_isNull(names)) fail(&err, pare_data_set_names(d, texts(names), &err));
    if (!Rf_isNull(labels)) fail(&err, pare_data_set_labels(d, texts(labels), &err));
    if (!Rf_isNull(values)) fail(&err, pare_data_set_values(d, REAL(values), &err));
    if (!Rf_isNull(weights)) fail(&err, pare_data_set_weights(d, REAL(weights), &err));
    if (!Rf_isNull(offset)) fail(&err, pare_data_set_offset(d, REAL(offset), &err));
    if (!Rf_isNull(groups)) fail(&err, pare_data_set_groups(d, texts(groups), &err));
    if (!Rf_isNull(fold_groups)) fail(&err, pare_data_set_fold_groups(d, texts(fold_groups), &err));
    return data;
}

/* Data sets over R's own vectors, which are borrowed: preserved while the data set lives. */
#include "pare_r.h"

#include <string.h>

static void let_go(void *user) { R_ReleaseObject((SEXP)user); }

static void data_finalizer(SEXP pointer) {
    pare_data_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

pare_data *rpare_data_of(SEXP pointer) {
    pare_data *data = R_ExternalPtrAddr(pointer);
    if (!data) Rf_error("the data are gone");
    return data;
}

/* x: doubles, columns one after the other. */
SEXP rpare_data_dense(SEXP x, SEXP dim) {
    pare_data *data;
    pare_error err;
    int n = INTEGER(dim)[0], d = INTEGER(dim)[1];
    SEXP holder = PROTECT(rpare_holder(data_finalizer));
    R_PreserveObject(x);
    rpare_check(pare_data_borrow_dense(&data, n, d, REAL(x), 1, n, let_go, x, NULL, &err), &err);
    UNPROTECT(1);
    return rpare_hold(holder, data);
}

/* The slots of a dgCMatrix. */
SEXP rpare_data_sparse(SEXP p, SEXP i, SEXP x, SEXP dim) {
    pare_data *data;
    pare_error err;
    SEXP holder = PROTECT(rpare_holder(data_finalizer)), all = PROTECT(Rf_allocVector(VECSXP, 3));
    SET_VECTOR_ELT(all, 0, p);
    SET_VECTOR_ELT(all, 1, i);
    SET_VECTOR_ELT(all, 2, x);
    R_PreserveObject(all);
    rpare_check(pare_data_borrow_sparse(&data, INTEGER(dim)[0], INTEGER(dim)[1], INTEGER(p), 32,
                                        INTEGER(i), 32, REAL(x), let_go, all, NULL, &err),
                &err);
    UNPROTECT(2);
    return rpare_hold(holder, data);
}

/* Character vectors as the library takes them; R frees the array. */
static const char *const *texts(SEXP from) {
    R_xlen_t count = Rf_xlength(from);
    const char **out = (const char **)R_alloc((size_t)count + 1, sizeof *out);
    for (R_xlen_t k = 0; k < count; k++) out[k] = Rf_translateCharUTF8(STRING_ELT(from, k));
    return out;
}

/* excluded: made-up names, x1 .. xd, with commas between them. */
SEXP rpare_data_leave(SEXP data, SEXP excluded) {
    pare_error err;
    const char *list = CHAR(Rf_asChar(excluded));
    rpare_check(pare_data_choose(rpare_data_of(data), NULL, list, NULL, &err), &err);
    return data;
}

static const bool *truths(SEXP from) {
    R_xlen_t count = Rf_xlength(from);
    bool *out = (bool *)R_alloc((size_t)count + 1, sizeof *out);
    for (R_xlen_t k = 0; k < count; k++) out[k] = LOGICAL(from)[k] == TRUE;
    return out;
}

/* -1, 0 and 1. */
static const signed char *signs(SEXP from) {
    R_xlen_t count = Rf_xlength(from);
    signed char *out = (signed char *)R_alloc((size_t)count + 1, sizeof *out);
    for (R_xlen_t k = 0; k < count; k++) out[k] = (signed char)INTEGER(from)[k];
    return out;
}

/* A factor: its levels are the classes in their order. */
static pare_status set_codes(pare_data *d, SEXP factor, pare_error *err) {
    SEXP levels = Rf_getAttrib(factor, R_LevelsSymbol);
    R_xlen_t n = Rf_xlength(factor);
    int32_t *codes = (int32_t *)R_alloc((size_t)n + 1, sizeof *codes);
    for (R_xlen_t i = 0; i < n; i++) codes[i] = INTEGER(factor)[i] - 1;
    return pare_data_set_codes(d, codes, texts(levels), Rf_xlength(levels), err);
}

/* A matrix of times and of 1 for an event. */
static pare_status set_surv(pare_data *d, SEXP surv, pare_error *err) {
    R_xlen_t n = Rf_xlength(surv) / 2;
    bool *event = (bool *)R_alloc((size_t)n + 1, sizeof *event);
    for (R_xlen_t i = 0; i < n; i++) event[i] = REAL(surv)[n + i] == 1;
    return pare_data_set_time_event(d, REAL(surv), event, err);
}

/* What the data have besides x. Numbers are doubles, names, groups and strata characters, kept truth
 * values, signs integers, codes a factor, surv a matrix. */
typedef pare_status (*set_texts)(pare_data *, const char *const *, pare_error *);
typedef pare_status (*set_numbers)(pare_data *, const double *, pare_error *);
static const struct {
    const char *name;
    set_texts texts;
    set_numbers numbers;
} parts_of_data[] = {{"names", pare_data_set_names, NULL},
                     {"labels", pare_data_set_labels, NULL},
                     {"groups", pare_data_set_groups, NULL},
                     {"folds", pare_data_set_folds, NULL},
                     {"fold_groups", pare_data_set_fold_groups, NULL},
                     {"strata", pare_data_set_strata, NULL},
                     {"ids", pare_data_set_ids, NULL},
                     {"values", NULL, pare_data_set_values},
                     {"weights", NULL, pare_data_set_weights},
                     {"offset", NULL, pare_data_set_offset},
                     {"cost", NULL, pare_data_set_costs}};

static void set_part(pare_data *d, const char *name, SEXP part) {
    pare_error err;
    if (strcmp(name, "kept") == 0) {
        rpare_check(pare_data_set_kept(d, truths(part), &err), &err);
        return;
    }
    if (strcmp(name, "sign") == 0) {
        rpare_check(pare_data_set_signs(d, signs(part), &err), &err);
        return;
    }
    if (strcmp(name, "surv") == 0) {
        rpare_check(set_surv(d, part, &err), &err);
        return;
    }
    if (strcmp(name, "codes") == 0) {
        rpare_check(set_codes(d, part, &err), &err);
        return;
    }
    for (size_t k = 0; k < sizeof parts_of_data / sizeof *parts_of_data; k++)
        if (strcmp(name, parts_of_data[k].name) == 0) {
            rpare_check(parts_of_data[k].texts ? parts_of_data[k].texts(d, texts(part), &err)
                                               : parts_of_data[k].numbers(d, REAL(part), &err),
                        &err);
            return;
        }
    Rf_error("data have no part called %s", name);
}

/* parts: a named list; an entry that is NULL is not there. */
SEXP rpare_data_set(SEXP data, SEXP parts) {
    pare_data *d = rpare_data_of(data);
    SEXP names = Rf_getAttrib(parts, R_NamesSymbol);
    for (R_xlen_t k = 0; k < Rf_xlength(parts); k++)
        if (!Rf_isNull(VECTOR_ELT(parts, k)))
            set_part(d, CHAR(STRING_ELT(names, k)), VECTOR_ELT(parts, k));
    return data;
}

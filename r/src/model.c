#include "pare_r.h"

#include <R_ext/Utils.h>
#include <stdio.h>
#include <string.h>

/* ---- the surroundings of a call ---- */

static void look(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

/* R's check leaves by longjmp, which may not cross the library: it is caught here. */
static int may_go_on(void *user, const char *stage, double fraction) {
    surroundings *s = user;
    (void)stage;
    (void)fraction;
    if (!s->interrupted && !R_ToplevelExec(look, NULL)) s->interrupted = 1;
    return s->interrupted;
}

/* What the library calls an option, and R an argument of another name. */
static const char *const renamed[] = {"folds", "nfolds",    "fold_file", "foldid",
                                      "null",  "null_runs", NULL};

enum { SAID = 2048 };

static const char *sentence_of(const char *message, char said[SAID]) {
    static const pare_names names = {
        .before = "`", .after = "`", .equals = " = ", .renamed = renamed};
    pare_sentence(said, SAID, message, &names);
    return said;
}

/* A warning may become an error and leave by longjmp: kept for rpare_leave. What is to be read before
 * the work starts is printed. */
static void say(void *user, pare_log_level level, const char *message) {
    surroundings *s = user;
    size_t used = strlen(s->warned);
    char text[SAID];
    message = sentence_of(message, text);
    if (level == PARE_LOG_NOW) REprintf("pare: %s\n", message);
    if (strncmp(message, "warning: ", 9) == 0) message += 9;
    if (level == PARE_LOG_WARNING && used + strlen(message) + 2 < sizeof s->warned)
        snprintf(s->warned + used, sizeof s->warned - used, "%s\n", message);
}

void rpare_enter(surroundings *s, SEXP ctx) {
    memset(s, 0, sizeof *s);
    pare_ctx_init(&s->ctx);
    s->ctx.threads = Rf_asInteger(VECTOR_ELT(ctx, 0));
    s->ctx.seed = (uint64_t)Rf_asReal(VECTOR_ELT(ctx, 1));
    s->ctx.time_limit_s = Rf_asReal(VECTOR_ELT(ctx, 2));
    s->ctx.memory_bytes = (int64_t)Rf_asReal(VECTOR_ELT(ctx, 3));
    s->ctx.device = Rf_asInteger(VECTOR_ELT(ctx, 4));
    s->ctx.progress = may_go_on;
    s->ctx.log = say;
    s->ctx.user = s;
}

/* An R error with the sentence, that knows the argument at fault: raise() in data.R. */
static void fail(const char *message, const char *setting) {
    for (const char *const *at = renamed; *at; at += 2)
        if (strcmp(setting, *at) == 0) setting = at[1];
    char text[SAID];
    SEXP said = PROTECT(rpare_string_or_null(sentence_of(message, text))),
         name = PROTECT(Rf_mkString(setting)), package = PROTECT(Rf_mkString("pare")),
         space = PROTECT(R_FindNamespace(package)),
         call = PROTECT(Rf_lang3(Rf_install("raise"), said, name));
    Rf_eval(call, space);
    UNPROTECT(5);
}

void rpare_check(pare_status status, const pare_error *err) {
    if (status != PARE_OK) fail(err->message, err->setting);
}

void rpare_leave(const surroundings *s, pare_status status) {
    if (status == PARE_E_CANCELLED) fail("interrupted", "");
    rpare_check(status, &s->err);
    for (const char *at = s->warned; *at; at += strcspn(at, "\n") + 1)
        Rf_warningcall(R_NilValue, "%.*s", (int)strcspn(at, "\n"), at);
}

SEXP rpare_holder(R_CFinalizer_t finalizer) {
    SEXP holder = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(holder, finalizer, TRUE);
    UNPROTECT(1);
    return holder;
}

SEXP rpare_hold(SEXP holder, void *object) {
    R_SetExternalPtrAddr(holder, object);
    return holder;
}

SEXP rpare_string_or_null(const char *text) {
    return text ? Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)) : R_NilValue;
}

SEXP rpare_named_list(const char *const *names, int count) {
    SEXP list = PROTECT(Rf_allocVector(VECSXP, count)),
         called = PROTECT(Rf_allocVector(STRSXP, count));
    for (int k = 0; k < count; k++) SET_STRING_ELT(called, k, Rf_mkChar(names[k]));
    Rf_setAttrib(list, R_NamesSymbol, called);
    UNPROTECT(2);
    return list;
}

/* ---- methods and settings ---- */

/* The place of the name that was meant by a word which is none of them, or 0. */
SEXP rpare_nearest(SEXP word, SEXP names) {
    R_xlen_t count = Rf_xlength(names);
    const char **known = (const char **)R_alloc((size_t)count + 1, sizeof *known);
    for (R_xlen_t k = 0; k < count; k++) known[k] = Rf_translateCharUTF8(STRING_ELT(names, k));
    return Rf_ScalarInteger(
        (int)pare_nearest(Rf_translateCharUTF8(Rf_asChar(word)), known, (int64_t)count) + 1);
}

SEXP rpare_methods_table(void) {
    static const char *const columns[] = {"name", "tasks", "summary"};
    int count = (int)pare_methods_count();
    SEXP list = PROTECT(rpare_named_list(columns, 3));
    for (int c = 0; c < 3; c++) SET_VECTOR_ELT(list, c, Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; i++) {
        pare_method_info m;
        if (!pare_methods_info(&m, i)) break;
        SET_STRING_ELT(VECTOR_ELT(list, 0), i, Rf_mkChar(m.name));
        SET_STRING_ELT(VECTOR_ELT(list, 1), i, Rf_mkChar(m.tasks));
        SET_STRING_ELT(VECTOR_ELT(list, 2), i, Rf_mkCharCE(m.summary, CE_UTF8));
    }
    UNPROTECT(1);
    return list;
}

static void settings_finalizer(SEXP pointer) {
    pare_settings_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

SEXP rpare_settings_table(SEXP method) {
    static const char *const columns[] = {"name", "default", "allowed", "doc"};
    pare_settings *settings;
    pare_error err;
    SEXP holder = PROTECT(rpare_holder(settings_finalizer));
    rpare_check(pare_settings_new(&settings, CHAR(Rf_asChar(method)), NULL, &err), &err);
    rpare_hold(holder, settings);
    int count = (int)pare_settings_count(settings);
    SEXP list = PROTECT(rpare_named_list(columns, 4));
    for (int c = 0; c < 4; c++) SET_VECTOR_ELT(list, c, Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; i++) {
        pare_setting_info m;
        if (!pare_settings_info(&m, settings, i)) break;
        SET_STRING_ELT(VECTOR_ELT(list, 0), i, Rf_mkChar(m.name));
        SET_STRING_ELT(VECTOR_ELT(list, 1), i, Rf_mkChar(m.fallback));
        SET_STRING_ELT(VECTOR_ELT(list, 2), i, Rf_mkChar(m.allowed));
        SET_STRING_ELT(VECTOR_ELT(list, 3), i, Rf_mkCharCE(m.doc, CE_UTF8));
    }
    UNPROTECT(2);
    return list;
}

SEXP rpare_settings_from(SEXP method, SEXP names, SEXP values, surroundings *s) {
    pare_settings *settings = NULL;
    SEXP holder = PROTECT(rpare_holder(settings_finalizer));
    rpare_check(pare_settings_new(&settings, CHAR(method), &s->ctx, &s->err), &s->err);
    rpare_hold(holder, settings);
    for (R_xlen_t k = 0; k < Rf_xlength(names); k++) {
        const char *value = Rf_translateCharUTF8(STRING_ELT(values, k));
        rpare_check(pare_settings_set(settings, CHAR(STRING_ELT(names, k)), value, &s->err),
                    &s->err);
    }
    UNPROTECT(1);
    return holder;
}

/* ---- models ---- */

void rpare_model_finalizer(SEXP pointer) {
    pare_model_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

static const pare_model *model_of(SEXP pointer) {
    const pare_model *model = R_ExternalPtrAddr(pointer);
    if (!model) Rf_error("the model is gone");
    return model;
}

SEXP rpare_fit(SEXP data, SEXP method, SEXP names, SEXP values, SEXP ctx) {
    surroundings s;
    pare_model *model = NULL;
    const pare_data *d = rpare_data_of(data);
    rpare_enter(&s, ctx);
    SEXP settings = PROTECT(rpare_settings_from(Rf_asChar(method), names, values, &s)),
         holder = PROTECT(rpare_holder(rpare_model_finalizer));
    pare_status status = pare_fit(&model, d, R_ExternalPtrAddr(settings), &s.ctx, &s.err);
    rpare_hold(holder, model);
    rpare_leave(&s, s.interrupted ? PARE_E_CANCELLED : status);
    UNPROTECT(2);
    return holder;
}

static SEXP report_list(const pare_report *r) {
    static const char *const names[] = {"objective", "outcome", "kind",    "value",
                                        "relative",  "text",    "finished"};
    SEXP list = PROTECT(rpare_named_list(names, 7));
    SET_VECTOR_ELT(list, 0, Rf_ScalarReal(r->objective));
    SET_VECTOR_ELT(list, 1, Rf_mkString(pare_outcome_name(r->outcome)));
    SET_VECTOR_ELT(list, 2, Rf_mkString(pare_cert_name(r->certificate.kind)));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal(r->certificate.value));
    SET_VECTOR_ELT(list, 4, Rf_ScalarReal(r->certificate.relative));
    SET_VECTOR_ELT(list, 5, Rf_mkString(pare_outcome_text(r->outcome)));
    SET_VECTOR_ELT(list, 6, Rf_ScalarLogical(pare_outcome_finished(r->outcome)));
    UNPROTECT(1);
    return list;
}

static SEXP texts(const char *const *text, int64_t count) {
    SEXP out = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (R_xlen_t i = 0; i < Rf_xlength(out); i++)
        SET_STRING_ELT(out, i, Rf_mkCharCE(text[i], CE_UTF8));
    UNPROTECT(1);
    return out;
}

static SEXP reals(const double *value, int64_t count) {
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
    if (count) memcpy(REAL(out), value, sizeof *value * (size_t)count);
    return out;
}

/* Integers as reals, `more` added: 1 for positions, which R counts from 1. */
static SEXP integers(const int64_t *value, int64_t count, int more) {
    SEXP out = Rf_allocVector(REALSXP, (R_xlen_t)count);
    for (R_xlen_t i = 0; i < Rf_xlength(out); i++) REAL(out)[i] = (double)(value[i] + more);
    return out;
}

/* NULL: the method has no such setting. */
static SEXP model_setting(const pare_model *m, const char *name) {
    char text[64];
    pare_status status = pare_model_setting(m, name, text, sizeof text, NULL);
    return status == PARE_OK ? rpare_string_or_null(text) : R_NilValue;
}

static SEXP needed_columns(const pare_model_info *of) {
    static const char *const names[] = {"index", "name"};
    SEXP list = PROTECT(rpare_named_list(names, 2));
    SET_VECTOR_ELT(list, 0, integers(of->needed_index, of->n_needed, 1));
    SET_VECTOR_ELT(list, 1, texts(of->needed_name, of->n_needed));
    UNPROTECT(1);
    return list;
}

SEXP rpare_model_info(SEXP model) {
    static const char *const names[] = {
        "method", "task",        "n",      "d",          "classes",   "index",
        "name",   "score",       "coef",   "intercept",  "predictor", "selection",
        "notes",  "probability", "needed", "iterations", "kept",      "lambda"};
    const pare_model *m = model_of(model);
    const pare_model_info *of = pare_model_get(m);
    int k = (int)of->n_selected, outputs = (int)of->n_outputs;
    SEXP list = PROTECT(rpare_named_list(names, 18));
    SET_VECTOR_ELT(list, 0, Rf_mkString(of->method));
    SET_VECTOR_ELT(list, 1, Rf_mkString(of->task));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)of->n_samples));
    SET_VECTOR_ELT(list, 3, Rf_ScalarReal((double)of->n_features));
    SET_VECTOR_ELT(list, 4, texts(of->classes, of->n_classes));
    SET_VECTOR_ELT(list, 5, integers(of->index, k, 1));
    SET_VECTOR_ELT(list, 6, texts(of->name, k));
    SET_VECTOR_ELT(list, 7, reals(of->score, k));
    if (of->coef) {
        SET_VECTOR_ELT(list, 8, Rf_allocMatrix(REALSXP, k, outputs));
        size_t bytes = sizeof(double) * (size_t)k * (size_t)outputs;
        if (bytes) memcpy(REAL(VECTOR_ELT(list, 8)), of->coef, bytes);
        SET_VECTOR_ELT(list, 9, reals(of->intercept, outputs));
    }
    SET_VECTOR_ELT(list, 10, report_list(&of->predictor));
    if (of->has_selection) SET_VECTOR_ELT(list, 11, report_list(&of->selection));
    SET_VECTOR_ELT(list, 12, texts(of->notes, of->n_notes));
    SET_VECTOR_ELT(list, 13, Rf_ScalarLogical(of->has_probability));
    SET_VECTOR_ELT(list, 14, needed_columns(of));
    SET_VECTOR_ELT(list, 15, Rf_ScalarReal((double)of->iterations));
    SET_VECTOR_ELT(list, 16, Rf_ScalarReal((double)of->n_kept));
    SET_VECTOR_ELT(list, 17, model_setting(m, "lambda"));
    UNPROTECT(1);
    return list;
}

SEXP rpare_model_ranking(SEXP model) {
    static const char *const names[] = {"index", "score"};
    const pare_model_info *of = pare_model_get(model_of(model));
    if (!of->ranking) return R_NilValue;
    SEXP list = PROTECT(rpare_named_list(names, 2));
    SET_VECTOR_ELT(list, 0, integers(of->ranking, of->n_ranked, 1));
    SET_VECTOR_ELT(list, 1, reals(of->ranking_score, of->n_ranked));
    UNPROTECT(1);
    return list;
}

/* The path over lambda: its points, and the coefficients as triples of point, feature and output. */
SEXP rpare_model_path(SEXP model) {
    static const char *const names[] = {"lambda",    "n_features", "objective", "gap",
                                        "start",     "index",      "coef",      "intercept",
                                        "n_outputs", "deviance"};
    pare_lambda_path p = pare_model_get(model_of(model))->lambda_path;
    if (p.count == 0) return R_NilValue;
    int64_t rows = p.start[p.count];
    SEXP list = PROTECT(rpare_named_list(names, 10));
    static const int columns[] = {0, 1, 2, 3, 9};
    for (int c = 0; c < 5; c++)
        SET_VECTOR_ELT(list, columns[c], Rf_allocVector(REALSXP, (R_xlen_t)p.count));
    for (R_xlen_t i = 0; i < (R_xlen_t)p.count; i++) {
        const double of[] = {p.point[i].lambda, (double)p.point[i].n_features, p.point[i].objective,
                             p.point[i].gap, p.point[i].deviance};
        for (int c = 0; c < 5; c++) REAL(VECTOR_ELT(list, columns[c]))[i] = of[c];
    }
    SET_VECTOR_ELT(list, 4, integers(p.start, p.count + 1, 0));
    SET_VECTOR_ELT(list, 5, integers(p.index, rows, 1));
    SET_VECTOR_ELT(list, 6, reals(p.coef, rows * p.n_outputs));
    SET_VECTOR_ELT(list, 7, reals(p.intercept, p.count * p.n_outputs));
    SET_VECTOR_ELT(list, 8, Rf_ScalarReal((double)p.n_outputs));
    UNPROTECT(1);
    return list;
}

/* Scores (n x n_scores), or probabilities (n x classes); and for classes the decided one, from 1. */
SEXP rpare_model_predict(SEXP model, SEXP data, SEXP probability, SEXP ctx) {
    static const char *const names[] = {"score", "class"};
    const pare_model *m = model_of(model);
    const pare_data *d = rpare_data_of(data);
    int asked = Rf_asLogical(probability);
    int n = (int)pare_data_n(d), scores = (int)pare_model_get(m)->n_scores,
        classes = (int)pare_model_get(m)->n_classes;
    SEXP list = PROTECT(rpare_named_list(names, 2));
    SET_VECTOR_ELT(list, 0, Rf_allocMatrix(REALSXP, n, asked ? classes : scores));
    double *out = REAL(VECTOR_ELT(list, 0));
    surroundings s;
    rpare_enter(&s, ctx);
    pare_status status = asked ? pare_predict_probability(out, m, d, &s.ctx, &s.err)
                               : pare_predict(out, m, d, &s.ctx, &s.err);
    rpare_leave(&s, s.interrupted ? PARE_E_CANCELLED : status);
    if (!asked && classes > 0) {
        SET_VECTOR_ELT(list, 1, Rf_allocVector(INTSXP, n));
        for (int i = 0; i < n; i++)
            INTEGER(VECTOR_ELT(list, 1))[i] = (int)pare_model_decide(m, out + i, n) + 1;
    }
    UNPROTECT(1);
    return list;
}

/* S(t) of each sample (rows) at the times. */
SEXP rpare_model_survival(SEXP model, SEXP data, SEXP times, SEXP ctx) {
    const pare_data *d = rpare_data_of(data);
    int n = (int)pare_data_n(d), count = (int)Rf_xlength(times);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, n, count));
    surroundings s;
    rpare_enter(&s, ctx);
    pare_status status = pare_predict_survival(REAL(out), NULL, model_of(model), d, REAL(times),
                                               count, &s.ctx, &s.err);
    rpare_leave(&s, s.interrupted ? PARE_E_CANCELLED : status);
    UNPROTECT(1);
    return out;
}

SEXP rpare_model_verify(SEXP model, SEXP data, SEXP ctx) {
    static const char *const names[] = {"holds", "finished", "sentence", "predictor", "selection"};
    surroundings s;
    pare_verdict v;
    rpare_enter(&s, ctx);
    pare_status status = pare_verify(&v, model_of(model), rpare_data_of(data), &s.ctx, &s.err);
    rpare_leave(&s, s.interrupted ? PARE_E_CANCELLED : status);
    SEXP list = PROTECT(rpare_named_list(names, 5));
    SET_VECTOR_ELT(list, 0, Rf_ScalarLogical(v.holds));
    SET_VECTOR_ELT(list, 1, Rf_ScalarLogical(v.finished));
    SET_VECTOR_ELT(list, 2, rpare_string_or_null(v.sentence));
    SET_VECTOR_ELT(list, 3, report_list(&v.predictor));
    if (v.has_selection) SET_VECTOR_ELT(list, 4, report_list(&v.selection));
    UNPROTECT(1);
    return list;
}

SEXP rpare_model_text(SEXP model) {
    char *text;
    pare_error err;
    rpare_check(pare_model_text(&text, model_of(model), NULL, &err), &err);
    SEXP out = PROTECT(rpare_string_or_null(text));
    pare_text_free(text, NULL);
    UNPROTECT(1);
    return out;
}

SEXP rpare_model_parse(SEXP text) {
    pare_model *model;
    pare_error err;
    const char *from = Rf_translateCharUTF8(Rf_asChar(text));
    SEXP holder = PROTECT(rpare_holder(rpare_model_finalizer));
    rpare_check(pare_model_parse(&model, from, strlen(from), NULL, &err), &err);
    UNPROTECT(1);
    return rpare_hold(holder, model);
}

SEXP rpare_model_load(SEXP path) {
    pare_model *model;
    pare_error err;
    const char *file = R_ExpandFileName(CHAR(Rf_asChar(path)));
    SEXP holder = PROTECT(rpare_holder(rpare_model_finalizer));
    rpare_check(pare_model_load(&model, file, NULL, &err), &err);
    UNPROTECT(1);
    return rpare_hold(holder, model);
}

SEXP rpare_model_save(SEXP model, SEXP path) {
    pare_error err;
    const char *file = R_ExpandFileName(CHAR(Rf_asChar(path)));
    rpare_check(pare_model_save(model_of(model), file, NULL, &err), &err);
    return R_NilValue;
}

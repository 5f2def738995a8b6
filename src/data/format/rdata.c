/* Reads R's .rds, .RData and .rda: finds the object that is the data, and what form it has. */
#include "data/format/rdata.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* --- the object --- */

static const char *name_of(const rdata *r, const robject *pair) {
    return pair->tag && pair->tag->type == ROBJECT_SYMBOL ? rdata_text(r, pair->tag, 0) : "";
}

/* "golub (matrix of 3051 x 38), golub.cl (numbers, 38)" */
static void list_objects(const rdata *r, char *out, size_t size) {
    char what[RDATA_WHAT], shown[CELL_SHOWN];
    size_t used = 0;
    *out = '\0';
    for (const robject *p = r->root;
         p && p->type == ROBJECT_PAIRS && used + CELL_SHOWN + RDATA_WHAT + 8 < size; p = p->next)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s (%s)", used ? ", " : "",
                             cell_shown_bare(name_of(r, p), shown), rdata_what(r, p->value, what));
}

pare_status rdata_find(const rdata *r, const char *name, const robject **out, pare_error *err) {
    char all[700];
    if (!r->named && name)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: `object` names one of several, but saveRDS writes one without a name",
                         r->name);
    *out = r->named ? r->root->value : r->root;
    if (!r->named || (!name && !r->root->next)) return PARE_OK;
    for (const robject *p = r->root; name && p && p->type == ROBJECT_PAIRS; p = p->next)
        if (strcmp(name_of(r, p), name) == 0) {
            *out = p->value;
            return PARE_OK;
        }
    list_objects(r, all, sizeof all);
    if (name)
        return error_set(err, PARE_E_DATA, "%s has no object \"%.60s\"; `object` is one of %s",
                         r->name, name, all);
    return error_set(err, PARE_E_ARGUMENT, "%s holds several objects: name one by `object`: %s",
                     r->name, all);
}

/* --- what is not read --- */

/* How to get the data out of objects of other packages. */
static const char *advice(const rdata *r, const robject *of) {
    static const struct {
        const char *class, *what;
    } known[] = {
        {"ExpressionSet", "save its matrix, exprs(x), and its samples, pData(x)"},
        {"SummarizedExperiment", "save its matrix, assay(x), and its samples, "
                                 "as.data.frame(colData(x))"},
        {"RangedSummarizedExperiment", "save its matrix, assay(x), and its samples, "
                                       "as.data.frame(colData(x))"},
        {"SingleCellExperiment", "save its matrix, assay(x), and its cells, "
                                 "as.data.frame(colData(x))"},
        {"DESeqDataSet", "save its matrix, assay(vst(x)), and its samples, "
                         "as.data.frame(colData(x))"},
        {"Seurat", "save its matrix, GetAssayData(x), and its cells, x[[]]"},
        {"SnpMatrix", "save as(x, \"numeric\")"},
        {"DGEList", "save its matrix, cpm(x, log = TRUE), and x$samples"},
        {"dist", "save as.matrix(x)"},
        {"table", "save unclass(x)"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (rdata_is(r, of, known[k].class)) return known[k].what;
    const robject *class = rdata_attribute(r, of, "class");
    const robject *package = class ? rdata_attribute(r, class, "package") : NULL;
    if (package && package->type == ROBJECT_TEXT && !package->numbers && package->length &&
        strcmp(rdata_text(r, package, 0), "Matrix") == 0)
        return "save as(as(as(x, \"dMatrix\"), \"generalMatrix\"), \"CsparseMatrix\")";
    if (rdata_vector(r, of) != RVECTOR_NONE) return "`labels` takes a vector; save a matrix";
    if (of->type == ROBJECT_TEXT) return "make numbers of its texts, and save that matrix";
    return of->type == ROBJECT_LIST ? "save the matrix or data frame that is in it, by itself"
                                    : "save as.matrix(x) or as.data.frame(x)";
}

static pare_status refuse(const rdata *r, const robject *of, pare_error *err) {
    char what[RDATA_WHAT];
    return error_set(
        err, PARE_E_DATA,
        "%s: the object is no matrix of numbers, data frame or dgCMatrix (%s): %s with "
        "saveRDS",
        r->name, rdata_what(r, of, what), advice(r, of));
}

/* --- a table --- */

static bool is_texts(const robject *o, int64_t length) {
    return o && o->type == ROBJECT_TEXT && o->length == length;
}

static pare_status damaged(const rdata *r, const char *what, pare_error *err) {
    return error_set(err, PARE_E_FORMAT, "%s: R's file is damaged: %s", r->name, what);
}

static bool is_count(double value) {
    return value >= 0 && value <= INT32_MAX && value == trunc(value);
}

static pare_status matrix_table(rtable *out, const rdata *r, const robject *of, pare_error *err) {
    const robject *dim = rdata_attribute(r, of, "dim"), *names = rdata_attribute(r, of, "dimnames");
    if (!dim->kept || dim->type == ROBJECT_TEXT || dim->length != 2 || !is_count(dim->kept[0]) ||
        !is_count(dim->kept[1]) || dim->kept[0] * dim->kept[1] != (double)of->length)
        return damaged(r, "a matrix has not as many numbers as its dimensions say", err);
    *out = (rtable){(int64_t)dim->kept[0], (int64_t)dim->kept[1], of, NULL, NULL, NULL};
    if (!names || names->type != ROBJECT_LIST || names->length != 2) return PARE_OK;
    if (is_texts(names->child[0], out->rows)) out->row_names = names->child[0];
    if (is_texts(names->child[1], out->columns)) out->column_names = names->child[1];
    return PARE_OK;
}

static bool is_automatic(const robject *names) { /* 1, 2, ..., as R counts rows without names */
    return (names->kept && names->length == 2 && names->kept[0] == INT32_MIN) ||
           (names->sequence && names->start == 1 && names->step == 1);
}

static pare_status frame_table(rtable *out, const rdata *r, const robject *of, pare_error *err) {
    const robject *rows = rdata_attribute(r, of, "row.names");
    *out = (rtable){0, of->length, NULL, of->child, NULL, rdata_attribute(r, of, "names")};
    if (!is_texts(out->column_names, of->length))
        return damaged(r, "a data frame without names", err);
    if (rows && rows->type == ROBJECT_INTEGER && is_automatic(rows)) {
        out->rows = rows->sequence ? rows->length : (int64_t)fabs(rows->kept[1]);
    } else if (rows && (rows->type == ROBJECT_TEXT || rows->type == ROBJECT_INTEGER)) {
        out->rows = rows->length;
        out->row_names = rows;
    } else {
        return damaged(r, "a data frame without rows", err);
    }
    for (int64_t j = 0; j < of->length; j++)
        if (of->child[j]->length != out->rows && rdata_vector(r, of->child[j]) != RVECTOR_NONE)
            return damaged(r, "a column is shorter or longer than the others", err);
    return PARE_OK;
}

pare_status rdata_table(rtable *out, const rdata *r, const robject *of, pare_error *err) {
    bool numbers =
        of->type == ROBJECT_REAL || of->type == ROBJECT_INTEGER || of->type == ROBJECT_LOGICAL;
    const robject *dim = rdata_attribute(r, of, "dim");
    if (of->type == ROBJECT_LIST && rdata_is(r, of, "data.frame"))
        return frame_table(out, r, of, err);
    if (numbers && dim && dim->length == 2 && !rdata_is(r, of, "integer64") &&
        !rdata_attribute(r, of, "levels"))
        return matrix_table(out, r, of, err);
    return refuse(r, of, err);
}

pare_status rdata_column(rdata *r, const rtable *t, int64_t j, double *out, pare_error *err) {
    return t->whole ? rdata_numbers(r, t->whole, j * t->rows, t->rows, out, err)
                    : rdata_numbers(r, t->column[j], 0, t->rows, out, err);
}

/* --- the reader --- */

static pare_status read_object(data_builder *b, rdata *r, const pare_read_options *o,
                               const pare_ctx *ctx, pare_error *err) {
    const robject *of;
    rtable t;
    PASS(rdata_find(r, o->object, &of, err));
    if (of->type == ROBJECT_S4 && rdata_is(r, of, "dgCMatrix"))
        return rdata_read_sparse(b, r, of, o, ctx, err);
    PASS(rdata_table(&t, r, of, err));
    return (o->features_in_rows ? rdata_read_rows : rdata_read_columns)(b, r, &t, o, ctx, err);
}

pare_status read_rdata(data_builder *b, stream *s, const pare_read_options *o, const pare_ctx *ctx,
                       pare_error *err) {
    rdata r = {0};
    pare_status status = rdata_open(&r, s, ctx, err);
    if (status == PARE_OK) status = read_object(b, &r, o, ctx, err);
    rdata_close(&r);
    return status;
}

/* Reading and writing data by format: chooses the reader, checks the options that it supports, and
 * reads annotations from further files. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/format/cell.h"
#include "data/feature/choose.h"
#include "data/feature/suspects.h"
#include "data/builder.h"
#include "data/sample/divide.h"
#include "data/sample/read_events.h"
#include "data/sample/read_labels.h"
#include "data/storage.h"
#include "data/table/annotation_files.h"
#include "data/table/annotations.h"
#include "data/table/duplicate_names.h"
#include "data/format/stream.h"
#include "data/format/tenx.h"

typedef pare_status (*data_writer)(const pare_data *, sink *, const pare_ctx *, pare_error *);

/* What a format can do, and so which options it supports. */
enum {
    NAMED = 1,         /* columns have names: target, id, drop */
    CELLS = 2,         /* a table of cells: missing codes, repeated names */
    TABLE = 4,         /* any table may be in it: features in rows, columns of text */
    HEADER = 8,        /* names are in the first line, if they are there, maybe below others */
    LINES = 16,        /* text in any encoding */
    SHEETS = 32,       /* several tables */
    OBJECTS = 64,      /* several objects */
    MATRIX_ONLY = 128, /* holds X only: labels go to a file of their own */
    BESIDE = 256       /* several files */
};

typedef struct format {
    const char *name;
    const char *extensions; /* "" for a folder */
    data_reader read;       /* NULL: not in this build */
    data_writer write;      /* NULL: cannot be written */
    int can;
    const char *through; /* the library that it needs at build time; NULL: none */
} format;

static const format formats[] = {
    {"csv", "csv txt", read_csv, write_csv, NAMED | CELLS | TABLE | HEADER | LINES, NULL},
    {"tsv", "tsv", read_tsv, write_tsv, NAMED | CELLS | TABLE | HEADER | LINES, NULL},
#ifdef PARE_HAS_EXPAT
    {"xlsx", "xlsx xlsm xls", read_xlsx, NULL, NAMED | CELLS | TABLE | HEADER | SHEETS, "expat"},
#else
    {"xlsx", "xlsx xlsm xls", NULL, NULL, NAMED | CELLS | TABLE | HEADER | SHEETS, "expat"},
#endif
    {"rds", "rds", read_rdata, NULL, NAMED | CELLS | TABLE | OBJECTS, NULL},
    {"rdata", "RData rda", read_rdata, NULL, NAMED | CELLS | TABLE | OBJECTS, NULL},
    {"svmlight", "svm svmlight libsvm", read_svmlight, write_svmlight, 0, NULL},
#ifdef PARE_HAS_MATIO
    {"mat", "mat", read_mat, NULL, 0, "matio"},
#else
    {"mat", "mat", NULL, NULL, 0, "matio"},
#endif
    {"npy", "npy", read_npy, write_npy, MATRIX_ONLY, NULL},
    {"npz", "npz", read_npz, NULL, 0, NULL},
    {"mtx", "mtx", read_mtx, write_mtx, MATRIX_ONLY, NULL},
    {"10x", "", read_10x, NULL, BESIDE, NULL}, /* a folder */
#ifdef PARE_HAS_HDF5
    {"h5ad", "h5ad", read_hdf5, NULL, NAMED, "HDF5"},
    {"h5", "h5", read_hdf5, NULL, 0, "HDF5"}, /* of 10x */
#else
    {"h5ad", "h5ad", NULL, NULL, NAMED, "HDF5"},
    {"h5", "h5", NULL, NULL, 0, "HDF5"},
#endif
    {"pare", "pare", read_native, write_native, 0, NULL},
    {"bed", "bed", read_bed, NULL, BESIDE, NULL},
    {"arff", "arff", read_arff, NULL, NAMED | CELLS | LINES, NULL},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const format *by_name(const char *name) {
    for (int i = 0; i < N_FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0) return &formats[i];
    return NULL;
}

/* Whether the first `length` bytes of the path end in that extension of `own` bytes, in any letter
 * case. */
static bool ends_in(const char *path, size_t length, const char *extension, size_t own) {
    size_t same = 0;
    if (length <= own || path[length - own - 1] != '.') return false;
    const char *end = path + length - own;
    while (same < own &&
           tolower((unsigned char)end[same]) == tolower((unsigned char)extension[same]))
        same++;
    return same == own;
}

/* Whether the path ends in one of these extensions, before an optional .gz. */
static bool ends_in_one(const char *path, const char *extensions) {
    size_t length = strlen(path);
    if (ends_in(path, length, "gz", 2)) length -= 3;
    for (size_t own; (own = strcspn(extensions, " ")) > 0;
         extensions += own + (extensions[own] == ' '))
        if (ends_in(path, length, extensions, own)) return true;
    return false;
}

static const format *by_extension(const char *path) {
    for (int i = 0; i < N_FORMATS; i++)
        if (ends_in_one(path, formats[i].extensions)) return &formats[i];
    return NULL;
}

bool pare_format_info(pare_format *out, int64_t i) {
    if (i < 0 || i >= N_FORMATS) return false;
    const format *f = &formats[i];
    *out = (pare_format){.name = f->name,
                         .extensions = f->extensions,
                         .reads = f->read != NULL,
                         .writes = f->write != NULL,
                         .holds_target = !(f->can & MATRIX_ONLY),
                         .lines = (f->can & HEADER) && (f->can & LINES),
                         .alone = !(f->can & BESIDE),
                         .part = f->can & SHEETS    ? "sheet"
                                 : f->can & OBJECTS ? "object"
                                                    : ""};
    return true;
}

enum { FORMAT_LIST = 256 };

/* The names of those that can be read, be written, or do all of `can`. */
typedef enum list_of { ALL_FORMATS, WRITTEN, ABLE } list_of;

static bool is_listed(const format *f, list_of which, int can) {
    return which == ALL_FORMATS || (which == WRITTEN ? f->write != NULL : (f->can & can) == can);
}

/* `last` stands before the last name. */
static const char *format_list(char out[FORMAT_LIST], list_of which, int can, const char *last) {
    int left = 0;
    for (int i = 0; i < N_FORMATS; i++) left += is_listed(&formats[i], which, can);
    out[0] = '\0';
    for (int i = 0; i < N_FORMATS; i++) {
        const format *f = &formats[i];
        size_t used = strlen(out);
        if (!is_listed(f, which, can)) continue;
        left--;
        snprintf(out + used, FORMAT_LIST - used, "%s%s%s", f->name,
                 f->extensions[0] ? "" : " (a folder)",
                 left > 1    ? ", "
                 : left == 1 ? last
                             : "");
    }
    return out;
}

/* Of tables that other programs keep in their own formats. */
static bool is_foreign(const char *path) {
    return ends_in_one(path,
                       "ods fods xlsb numbers sav por dta sas7bdat xpt parquet feather json zip");
}

static pare_status find_format(const format **out, const char *path, const char *name,
                               pare_error *err) {
    char all[FORMAT_LIST];
    bool standard = strcmp(path, "-") == 0;
    if (!name && !standard && tenx_is_folder(path)) name = "10x";
    *out = name ? by_name(name) : standard ? NULL : by_extension(path);
    if (*out) return PARE_OK;
    format_list(all, ALL_FORMATS, 0, ", ");
    if (name)
        return error_set(err, PARE_E_ARGUMENT, "format \"%.40s\" is not one of %s", name, all);
    if (standard)
        return error_set(err, PARE_E_ARGUMENT,
                         "there is no extension to tell the format: give `format`, one of %s", all);
    if (is_foreign(path))
        return error_set(err, PARE_E_ARGUMENT,
                         "%.600s: this format is not read: save the table as .csv or .xlsx", path);
    return error_set(err, PARE_E_ARGUMENT,
                     "%.600s: the extension does not tell the format: give `format`, one of %s",
                     path, all);
}

void pare_read_options_init_sized(pare_read_options *options, size_t struct_size) {
    const pare_read_options defaults = {.struct_size = sizeof defaults, .index_base = 1};
    options_give(options, struct_size, &defaults, sizeof defaults);
}

static pare_status check_word(const char *word, const char *option, const char *const *allowed,
                              pare_error *err) {
    char all[128] = "";
    for (int i = 0; word && allowed[i]; i++) {
        if (strcmp(word, allowed[i]) == 0) return PARE_OK;
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", allowed[i]);
    }
    if (!word) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT, "`%s`: \"%.40s\" is not allowed; expected one of: %s",
                     option, word, all);
}

static pare_status check_values(const pare_read_options *o, pare_error *err) {
    static const char *const names[] = {"refuse", "number", NULL};
    static const char *const encodings[] = {"utf-8", "latin1", "cp1252", "utf-16", NULL};
    if (o->index_base != 0 && o->index_base != 1)
        return error_set(err, PARE_E_ARGUMENT, "index base %" PRId64 " is neither 0 nor 1",
                         o->index_base);
    if (o->n_features < 0 || o->n_features > INT32_MAX)
        return error_set(err, PARE_E_ARGUMENT,
                         "the number of features is %" PRId64 ", allowed are 0 to %d",
                         o->n_features, INT32_MAX);
    if (o->skip < 0)
        return error_set(err, PARE_E_ARGUMENT, "`skip` is %" PRId64 ", it must be at least 0",
                         o->skip);
    pare_status status = storage_check(o->storage, err);
    if (status == PARE_OK) status = check_word(o->duplicate_names, "duplicate_names", names, err);
    if (status == PARE_OK) status = check_word(o->encoding, "encoding", encodings, err);
    return status;
}

/* Whether files beside the data may be text. */
static bool has_texts(const pare_read_options *o) {
    bool texts = o->labels || o->names || o->groups;
    for (int k = 0; k < N_ANNOTATIONS; k++)
        texts = texts || annotation_option(o, (annotation_kind)k);
    return texts;
}

/* Each option must suit the format. */
static pare_status check_options(const format *f, const pare_read_options *o, pare_error *err) {
    const struct {
        const char *option;
        bool given;
        int needs;
    } asked[] = {
        {"features_in_rows", o->features_in_rows, TABLE},
        {"no_header", o->no_header, HEADER},
        {"header", o->header, HEADER},
        {"categorical", o->categorical, TABLE},
        {"na", o->na != NULL, CELLS},
        {"skip", o->skip != 0, HEADER},
        {"encoding", o->encoding && !has_texts(o), LINES},
        {"sheet", o->sheet != NULL, SHEETS},
        {"object", o->object != NULL, OBJECTS},
    };
    char able[FORMAT_LIST];
    pare_status status = check_values(o, err);
    if (status == PARE_OK) status = events_check(o, err);
    if (status != PARE_OK) return status;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (!asked[i].given || (f->can & asked[i].needs)) continue;
        format_list(able, ABLE, asked[i].needs, " and ");
        return error_set(err, PARE_E_ARGUMENT, "`%s` is for %s, the format is %s", asked[i].option,
                         *able ? able : "formats that this build cannot read", f->name);
    }
    if (o->categorical && o->features_in_rows)
        return error_set(err, PARE_E_ARGUMENT, "`categorical` does not go with features in rows");
    if (o->no_header && (o->header || o->features_in_rows))
        return error_set(err, PARE_E_ARGUMENT, "`no_header` does not go with %s",
                         o->header ? "`header`" : "features in rows");
    bool join = annotations_join(o); /* then the names may be those of the table */
    const char *what = o->target && !o->labels ? "target"
                       : roles_id(o) && !join  ? "id"
                       : o->drop               ? "drop"
                                               : NULL;
    if (what && !(f->can & NAMED))
        return error_set(err, PARE_E_ARGUMENT, "%s names a column, but %s columns have no names",
                         what, f->name);
    return PARE_OK;
}

static const char *recode_advice(const format *f, const pare_read_options *o) {
    if ((f->can & LINES) || has_texts(o))
        return "; most likely `encoding` cp1252 or latin1 reads it, else convert the file with "
               "iconv";
    return f->can & OBJECTS ? ": in R, save it after x <- iconv(x, \"latin1\", \"UTF-8\")" : NULL;
}

/* Reads per-sample annotations that are not columns of the data. Fold groups may be the ids. */
static pare_status read_annotations(data_builder *b, const pare_read_options *o, const char *where,
                                    const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    pare_status status = PARE_OK;
    bool by_id = o->fold_groups && roles_id(o) && strcmp(o->fold_groups, o->id) == 0;
    if (by_id && data->ids.count) b->annotated |= 1u << ANNOTATION_FOLD_GROUP;
    for (int64_t i = 0; by_id && i < data->ids.count; i++) {
        const char *id = strings_at(&data->ids, i);
        TRY_MEM(strings_add(&data->fold_group, &data->mem, id, (int64_t)strlen(id)));
    }
    for (int k = 0; k < N_ANNOTATIONS; k++)
        if (annotation_option(o, (annotation_kind)k) && !annotation_there(b, (annotation_kind)k))
            TRY(annotation_read(b, (annotation_kind)k, o, where, ctx, err));
    TRY(annotation_batches(b, o, err));
done:
    return status;
}

/* What to read: a file, or bytes that the caller has. */
typedef struct origin {
    const char *path; /* only a name for messages, if there are bytes */
    const void *bytes;
    size_t size;
} origin;

/* inside: buffer for the name of the file in a folder, which must outlive the stream. */
static pare_status open_origin(stream *s, const origin *from, const format *f,
                               char inside[PATH_MAX], const pare_ctx *ctx, pare_error *err) {
    enum { PIECE = 1 << 18 };
    if (!from->bytes && f->read == read_10x) {
        if (!tenx_matrix(inside, PATH_MAX, from->path))
            return error_set(err, PARE_E_IO,
                             "%.600s is no folder with a matrix.mtx or matrix.mtx.gz", from->path);
        return stream_open(s, inside, ctx, err);
    }
    if (!from->bytes) return stream_open(s, from->path, ctx, err);
    size_t piece = from->size < PIECE ? from->size + 1 : PIECE;
    return stream_open_memory(s, from->path, from->bytes, from->size, piece, ctx, err);
}

/* On failure too, the builder is the caller's to end. */
static pare_status read_within(data_builder *b, const origin *from, const pare_read_options *o,
                               const pare_ctx *ctx, pare_error *err) {
    const format *f;
    stream s = {0};
    char inside[PATH_MAX];
    pare_read_options own = *o;
    const feature_choice choice = {o->keep, o->cost, o->sign, o->only_features, o->exclude};
    pare_status status = PARE_OK;
    TRY(find_format(&f, from->bytes ? "-" : from->path, o->format, err));
    if (!f->read)
        return error_set(err, PARE_E_ARGUMENT,
                         "%.600s: this build of pare cannot read %s: it was built without %s",
                         from->path, f->name, f->through);
    TRY(check_options(f, o, err));
    own.describe = o->describe && !o->categorical;
    own.categorical = o->categorical || (own.describe && !o->features_in_rows);
    o = &own;
    TRY(open_origin(&s, from, f, inside, ctx, err));
    TRY(data_begin(b, ctx, err));
    pare_data *data = b->data;
    b->ranks = ctx_ranks(ctx);
    data->may_lack_features = o->only && o->n_only == 0;
    b->drop_unlabelled = o->drop_unlabelled;
    b->model = o->only != NULL;
    b->event_option = o->event;
    b->in_file = true;
    b->recode = recode_advice(f, o);
    TRY(missing_codes_begin(&b->na, o->na, &data->mem, err));
    TRY(f->read(b, &s, o, ctx, err));
    if (o->no_target && !o->target && !o->labels) target_column_drop(&data->target, &data->mem);
    if (o->labels) TRY(annotation_labels(b, o, s.name, ctx, err));
    TRY(read_annotations(b, o, s.name, ctx, err));
    if (o->names) TRY(annotation_names(b, o, s.name, ctx, err));
    if (o->groups) strings_free(&data->groups, &data->mem); /* a file of groups replaces them */
    if (o->groups) TRY(annotation_groups(b, o, s.name, ctx, err));
    TRY(events_settle(b, o, s.name, ctx, err));
    TRY(labels_settle(b, o->merge_case, s.name, ctx, err));
    if (names_numbered(o, &data->names))
        TRY_MEM(names_number_all(&data->names, names_changed(o, data), &data->mem));
    TRY(features_choose(b, &choice, s.name, ctx, err));
    b->finite = b->finite || own.describe; /* what is infinite is described */
    TRY(data_complete(b, s.name, err));
    TRY(data_store(b, o->storage, ctx, err));
    if (target_column_count(&data->target)) TRY(data_drop_unlabelled(b, s.name, ctx, err));
    if ((f->can & CELLS) && !o->only) TRY(suspects_warn(data, s.name, ctx, err));
done:
    if (s.mem) stream_close(&s);
    return status;
}

/* Rank 0 reads first, so that the other ranks do not try a file that cannot be read. If X stays in
 * its file, each rank then opens it. */
static pare_status read_together(data_builder *b, const origin *from, const pare_read_options *o,
                                 const pare_ranks *r, const pare_ctx *ctx, pare_error *err) {
    bool in_file = false;
    pare_status status = PARE_OK;
    if (r->index == 0) status = read_within(b, from, o, ctx, err);
    TRY(ranks_agree(r, status, err));
    if (r->index == 0) in_file = !mat_in_memory(&b->data->x);
    TRY(ranks_tell(r, 0, &in_file, sizeof in_file, err));
    if (in_file && r->index > 0) status = read_within(b, from, o, ctx, err);
    TRY(ranks_agree(r, status, err));
    TRY((in_file ? data_divide_file : data_divide_read)(b, from->path, r, ctx, err));
done:
    return status;
}

static pare_status read_origin(pare_data **out, const origin *from,
                               const pare_read_options *options, const pare_ctx *ctx,
                               pare_error *err) {
    call c;
    data_builder b = {0};
    pare_read_options own;
    *out = NULL;
    pare_read_options_init(&own);
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK)
        status = options_take(&own, options, sizeof own, "pare_read_options_init", err);
    const pare_ranks *ranks = status == PARE_OK ? ctx_ranks(&c.ctx) : NULL;
    if (ranks) own.describe = false; /* what a column holds is not told to the others */
    if (ranks)
        status = read_together(&b, from, &own, ranks, &c.ctx, err);
    else if (status == PARE_OK)
        status = read_within(&b, from, &own, &c.ctx, err);
    if (status == PARE_OK) {
        b.data->merge_case = own.merge_case;
        *out = data_hand_out(&b);
    }
    data_abandon(&b);
    call_end(&c);
    return status;
}

pare_status pare_data_read(pare_data **out, const char *path, const pare_read_options *options,
                           const pare_ctx *ctx, pare_error *err) {
    return read_origin(out, &(origin){.path = path}, options, ctx, err);
}

pare_status pare_data_read_memory(pare_data **out, const void *bytes, size_t size,
                                  const pare_read_options *options, const pare_ctx *ctx,
                                  pare_error *err) {
    *out = NULL;
    if (!bytes) return error_set(err, PARE_E_ARGUMENT, "bytes is a null pointer");
    return read_origin(out, &(origin){"memory", bytes, size}, options, ctx, err);
}

static pare_status write_labels(const pare_data *data, sink *s, pare_error *err) {
    char digits[32];
    pare_status status = PARE_OK;
    for (int64_t i = 0; i < target_column_count(&data->target) && status == PARE_OK; i++) {
        const char *text = target_column_text(&data->target, i, digits);
        if (strpbrk(text, "\r\n"))
            return error_set(err, PARE_E_DATA,
                             "the label of sample %" PRId64 " has a line break, which a file with "
                             "one label per line cannot hold",
                             i + 1);
        status = sink_write(s, text, strlen(text), err);
        if (status == PARE_OK) status = sink_write(s, "\n", 1, err);
    }
    return status;
}

pare_status pare_data_write(const pare_data *data, const char *path, const char *format_name,
                            const char *labels, const pare_ctx *ctx, pare_error *err) {
    const format *f;
    char can[FORMAT_LIST];
    sink s = {0}, labels_sink = {0};
    pare_status status = ctx_check(ctx, err);
    if (status != PARE_OK) return status;
    TRY(find_format(&f, path, format_name, err));
    if (!f->write)
        return error_set(err, PARE_E_ARGUMENT, "%s cannot be written, only %s can", f->name,
                         format_list(can, WRITTEN, 0, " and "));
    if (labels && !(f->can & MATRIX_ONLY))
        return error_set(err, PARE_E_ARGUMENT,
                         "a file of labels goes with npy and mtx only, %s holds the target itself",
                         f->name);
    if (labels && data->target.time)
        return error_set(err, PARE_E_DATA,
                         "%s: a file of labels has no place for times and events: write .csv or "
                         ".pare",
                         labels);
    if (labels && !pare_data_has_target(data))
        return error_set(err, PARE_E_DATA, "the data have no target to write to %s", labels);
    TRY(sink_open(&s, path, ctx, err));
    if (labels) TRY(sink_open(&labels_sink, labels, ctx, err));
    TRY(f->write(data, &s, ctx, err));
    TRY(sink_finish(&s, err));
    if (labels) {
        TRY(write_labels(data, &labels_sink, err));
        TRY(sink_commit(&labels_sink, err));
    }
    TRY(sink_place(&s, err));
done:
    if (s.mem) sink_abandon(&s);
    if (labels_sink.mem) sink_abandon(&labels_sink);
    return status;
}

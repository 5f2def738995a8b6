/* Reads a .csv or .tsv whose rows are features: a header of a corner cell and the sample ids, then
 * a name and n values a row. Each row is one column of the matrix and goes straight to its place.
 *
 * The target is a row with the name of a target, never just the last row. A later row may have a
 * more usual name (a row "class" after one "label"), so a candidate is held back as text until that
 * is known. A held row that is not the target becomes the next feature. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/format/csv.h"
#include "data/format/odd_number.h"
#include "data/table/annotations.h"
#include "data/table/categorical.h"
#include "data/table/duplicate_names.h"
#include "data/table/roles.h"

typedef struct held { /* a row as text */
    bool there, skip; /* skip: dropped if it is not the target */
    strings name, cells;
    int64_t *byte; /* n: where each cell was */
    place last;    /* of the last one */
} held;

enum { NO_USUAL_NAME = 4 };

typedef struct reader {
    data_builder *b;
    const pare_read_options *o;
    const pare_ctx *ctx;
    fields f;
    roles wanted;
    int64_t n, d, d_capacity, kind_capacity;
    int64_t unnamed; /* columns behind the samples, which have no ids and must be empty */
    bool numbered;   /* names that repeat get numbers */
    name_numbers numbers;
    held target;
    int best; /* rank of the target's name among the usual ones; NO_USUAL_NAME: none so far */
} reader;

static void held_free(held *h, const pare_allocator *mem) {
    strings_free(&h->name, mem);
    strings_free(&h->cells, mem);
    mem_free(mem, h->byte);
    memset(h, 0, sizeof *h);
}

static pare_status read_ids(reader *r, const csv_form *form, pare_error *err) {
    bool more;
    field cell = {0};
    pare_status status = PARE_OK;
    TRY(fields_row(&r->f, &more, err));
    if (!more) return error_at(err, PARE_E_FORMAT, 1, 0, 0, "%s is empty", r->f.at.file);
    if (!form->short_header || form->open_rows)
        TRY(fields_next(&r->f, &cell, err)); /* the corner */
    while (!cell.last) {
        TRY(fields_next(&r->f, &cell, err));
        TRY(fields_check(&r->f, &cell, true, err));
        for (; cell.length > 0 && r->unnamed > 0; r->unnamed--, r->n++) /* not the last ones */
            TRY_MEM(strings_add(&r->b->data->ids, &r->b->data->mem, "", 0));
        r->unnamed += cell.length == 0;
        r->n += cell.length > 0;
        if (cell.length > 0)
            TRY_MEM(strings_add(&r->b->data->ids, &r->b->data->mem, cell.text, cell.length));
    }
    if (r->n == 0) return error_set(err, PARE_E_DATA, "%s has no samples", r->f.at.file);
    r->unnamed += form->open_rows;
done:
    return status;
}

/* Columns without ids must be empty. */
static pare_status skip_unnamed(reader *r, field *cell, pare_error *err) {
    char shown[CELL_SHOWN];
    for (int64_t k = 0; k < r->unnamed && !cell->last; k++) {
        pare_status status = fields_next(&r->f, cell, err);
        if (status != PARE_OK) return status;
        if (cell->length > 0)
            return place_error(err, &r->f.at,
                               "found %s in a column without a sample id: name it, or empty it",
                               cell_shown(cell->text, cell->length, shown));
    }
    return cell->last ? PARE_OK : fields_ragged(&r->f, cell, r->n + 1 + r->unnamed, err);
}

/* The next of the n cells of a row of that role and name. */
static pare_status next_cell(reader *r, int64_t i, role which, const char *name, field *cell,
                             pare_error *err) {
    pare_status status = fields_next(&r->f, cell, err);
    bool behind = i == r->n - 1 && r->unnamed > 0;
    if (status == PARE_OK && !behind && cell->last != (i == r->n - 1))
        return fields_ragged(&r->f, cell, r->n + 1, err);
    if (status != PARE_OK) return status;
    r->f.at.name = name;
    bool strict = which != ROLE_SKIP && !r->o->describe;
    if (strict) status = fields_check(&r->f, cell, which == ROLE_ID, err);
    if (status != PARE_OK) return status;
    if (which == ROLE_FEATURE) fields_boolean(cell);
    cell_trim(&cell->text, &cell->length); /* quoted blanks were kept */
    cell->text[cell->length] = '\0';
    if (which == ROLE_ID || which == ROLE_SKIP) return PARE_OK;
    status = fields_decimal(&r->f, cell, err);
    return strict ? status : PARE_OK;
}

/* Adds a column of this name to the matrix. */
static pare_status add_column(reader *r, const char *name, double **out, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    int64_t limit = r->ctx ? r->ctx->memory_bytes : 0;
    if (limit > 0 && r->d + 1 > limit / 8 / r->n)
        return error_set(err, PARE_E_MEMORY,
                         "%s needs more memory than the limit of %" PRId64 " bytes", r->f.at.file,
                         limit);
    if (r->d == r->d_capacity || !b->fill.value) {
        int64_t capacity = r->d < r->d_capacity ? r->d_capacity : r->d + r->d / 2 + 16;
        if (!mem_resize(&data->mem, &b->fill.value, capacity, (size_t)r->n * sizeof(double)))
            return error_memory(err);
        r->d_capacity = capacity;
    }
    if (!strings_add(&data->names, &data->mem, name, (int64_t)strlen(name)))
        return error_memory(err);
    if (r->o->describe && r->d == r->kind_capacity) {
        r->kind_capacity = r->d_capacity;
        if (!mem_resize(&data->mem, &data->text, r->kind_capacity, 1)) return error_memory(err);
    }
    *out = b->fill.value + r->d++ * r->n;
    return PARE_OK;
}

/* Rejects text in a row of numbers; the cells behind it tell what the row holds. */
static pare_status refuse_text(reader *r, int64_t i, field cell, pare_error *err) {
    char text[CELL_SHOWN];
    place at = r->f.at;
    int64_t numbers = i, texts = 0, length = cell.length;
    pare_error unused;
    if (length > CELL_SHOWN - 1) length = CELL_SHOWN - 1;
    memcpy(text, cell.text, (size_t)length);
    text[length] = '\0';
    while (!cell.last && fields_next(&r->f, &cell, &unused) == PARE_OK) {
        if (r->f.delimiter == ';') odd_number_take_comma(cell.text);
        if (cell_is_text(cell.text, cell.length))
            texts++;
        else
            numbers += !cell_is_missing(cell.text, cell.length);
    }
    return cell_refuse_text(text, length, numbers > texts, &at, err);
}

static pare_status take_number(reader *r, const char *text, int64_t length, const place *at,
                               double *out, pare_error *err) {
    if (missing_codes_has(&r->b->na, text, length))
        return cell_missing(out, text, length, r->o->allow_missing, at, err);
    return cell_feature(out, text, length, r->o->allow_missing, at, err);
}

/* The next row as a feature that is described: cell(user, i) reads the i-th. */
typedef pare_status described_cell(reader *r, int64_t i, const char **text, int64_t *length,
                                   place *at, void *user, pare_error *err);

static pare_status describe_row(reader *r, const char *name, described_cell *next, void *user,
                                pare_error *err) {
    data_builder *b = r->b;
    categorical own = {0};
    double *number;
    column_text kind;
    pare_status status = PARE_OK;
    TRY(add_column(r, name, &number, err));
    TRY(categorical_begin(&own, r->o, 1, &b->data->mem, err));
    for (int64_t i = 0; i < r->n; i++) {
        const char *text;
        int64_t length;
        place at;
        TRY(next(r, i, &text, &length, &at, user, err));
        if (missing_codes_has(&b->na, text, length))
            number[i] = NAN;
        else
            TRY(categorical_described(&own, 0, text, length, &at, &number[i], err));
    }
    TRY(categorical_describe(&kind, &own, 0, number, r->n, strings_at(&b->data->names, r->d - 1),
                             r->f.at.file, r->ctx, err));
    b->data->text[r->d - 1] = (unsigned char)kind;
done:
    categorical_free(&own);
    return status;
}

static pare_status cell_of_file(reader *r, int64_t i, const char **text, int64_t *length, place *at,
                                void *user, pare_error *err) {
    field *cell = user;
    PASS(next_cell(r, i, ROLE_FEATURE, strings_at(&r->b->data->names, r->d - 1), cell, err));
    *text = cell->text;
    *length = cell->length;
    *at = r->f.at;
    return PARE_OK;
}

static pare_status read_described(reader *r, const char *name, pare_error *err) {
    field cell = {0};
    PASS(describe_row(r, name, cell_of_file, &cell, err));
    return skip_unnamed(r, &cell, err);
}

static pare_status read_numbers(reader *r, const char *name, pare_error *err) {
    field cell = {0};
    double *number;
    pare_status status = PARE_OK;
    if (r->o->describe) return read_described(r, name, err);
    TRY(add_column(r, name, &number, err));
    name = strings_at(&r->b->data->names, r->d - 1);
    for (int64_t i = 0; i < r->n;) {
        int64_t plain = 0;
        if (!r->b->na.numbers) plain = fields_numbers(&r->f, &number[i], r->n - i, &cell.last);
        i += plain;
        if (plain) {
            bool behind = i == r->n && r->unnamed > 0;
            if (!behind && cell.last != (i == r->n))
                return fields_ragged(&r->f, &cell, r->n + 1, err);
            continue;
        }
        TRY(next_cell(r, i, ROLE_FEATURE, name, &cell, err));
        if (cell_is_text(cell.text, cell.length) &&
            !cell_is_missing_number(cell.text, cell.length) &&
            !missing_codes_has(&r->b->na, cell.text, cell.length))
            return refuse_text(r, i, cell, err);
        TRY(take_number(r, cell.text, cell.length, &r->f.at, &number[i], err));
        i++;
    }
    TRY(skip_unnamed(r, &cell, err));
done:
    return status;
}

static pare_status read_held(reader *r, held *h, const char *text, bool skip, pare_error *err) {
    const pare_allocator *mem = &r->b->data->mem;
    field cell;
    pare_status status = PARE_OK;
    held_free(h, mem);
    h->there = true;
    h->skip = skip;
    TRY_MEM(strings_add(&h->name, mem, text, (int64_t)strlen(text)));
    TRY_MEM(h->byte = mem_alloc(mem, r->n, sizeof *h->byte));
    for (int64_t i = 0; i < r->n; i++) {
        TRY(next_cell(r, i, skip ? ROLE_SKIP : ROLE_TARGET, text, &cell, err));
        h->byte[i] = r->f.at.byte;
        TRY_MEM(strings_add(&h->cells, mem, cell.text, cell.length));
    }
    h->last = r->f.at;
    TRY(skip_unnamed(r, &cell, err));
done:
    return status;
}

static place held_place(const reader *r, const held *h, int64_t i) {
    place at = h->last;
    at.column -= r->n - 1 - i;
    at.byte = h->byte[i];
    at.name = strings_at(&h->name, 0);
    return at;
}

static pare_status cell_of_held(reader *r, int64_t i, const char **text, int64_t *length, place *at,
                                void *user, pare_error *err) {
    const held *h = user;
    (void)err;
    *text = strings_at(&h->cells, i);
    *length = (int64_t)strlen(*text);
    *at = held_place(r, h, i);
    return PARE_OK;
}

/* Turns a held row into a feature. */
static pare_status release_as_feature(reader *r, held *h, pare_error *err) {
    double *number = NULL;
    pare_status status = PARE_OK;
    if (!h->there) return PARE_OK;
    if (r->o->describe && !h->skip) {
        TRY(describe_row(r, strings_at(&h->name, 0), cell_of_held, h, err));
        held_free(h, &r->b->data->mem);
        return PARE_OK;
    }
    if (!h->skip) TRY(add_column(r, strings_at(&h->name, 0), &number, err));
    for (int64_t i = 0; i < r->n && !h->skip; i++) {
        const char *text = strings_at(&h->cells, i);
        place at = held_place(r, h, i);
        TRY(take_number(r, text, (int64_t)strlen(text), &at, &number[i], err));
    }
    held_free(h, &r->b->data->mem);
done:
    return status;
}

static pare_status release_as_target(reader *r, held *h, pare_error *err) {
    pare_status status = PARE_OK;
    if (h->there && r->wanted.default_target)
        roles_say_target(&r->wanted, strings_at(&h->name, 0), r->f.at.file, "row");
    if (h->there) {
        const char *name = strings_at(&h->name, 0);
        TRY_MEM(
            strings_add(&r->b->data->target_name, &r->b->data->mem, name, (int64_t)strlen(name)));
    }
    for (int64_t i = 0; h->there && i < r->n; i++) {
        const char *text = strings_at(&h->cells, i);
        place at = held_place(r, h, i);
        TRY(csv_add_target(r->b, text, (int64_t)strlen(text), &at, err));
    }
done:
    return status;
}

static pare_status read_other(reader *r, role which, const char *name, pare_error *err) {
    data_builder *b = r->b;
    pare_data *data = b->data;
    field cell;
    pare_status status = PARE_OK;
    if (which == ROLE_ID)
        strings_free(&data->ids, &data->mem); /* they replace those of the header */
    for (int64_t i = 0; i < r->n; i++) {
        TRY(next_cell(r, i, which, name, &cell, err));
        if (which == ROLE_ID) TRY_MEM(strings_add(&data->ids, &data->mem, cell.text, cell.length));
        if (which >= ROLE_ANNOTATION)
            TRY(annotation_put(b, roles_annotation((int)which), i, cell.text, cell.length, &r->f.at,
                               err));
    }
    TRY(skip_unnamed(r, &cell, err));
done:
    return status;
}

/* `name`: a list with the name of the row only. */
static pare_status read_row(reader *r, const strings *name, pare_error *err) {
    const char *text = strings_at(name, 0);
    char shown[CELL_SHOWN];
    int times;
    pare_status status = PARE_OK;
    bool dropped = roles_drop(&r->wanted, text);
    if (r->numbered && !dropped) TRY_MEM(names_number(&r->numbers, text, &text));
    if (r->o->describe && strcmp(text, strings_at(name, 0)) != 0)
        TRY_MEM(strings_add(&r->b->data->repeated, &r->b->data->mem, text, (int64_t)strlen(text)));
    role which = roles_of(&r->wanted, text, &times);
    bool skip = which == ROLE_SKIP;
    if (times > 1 && !skip)
        return place_error(err, &r->f.at,
                           "another row is named %s too: `duplicate_names number` keeps both, "
                           "`drop` leaves both out",
                           cell_shown(text, (int64_t)strlen(text), shown));
    if (which == ROLE_TARGET) return read_held(r, &r->target, text, false, err);
    bool eligible = r->wanted.default_target && (!times || which == ROLE_FEATURE);
    int usual = eligible ? roles_usual_target(text) : -1;
    if (usual >= 0 && usual < r->best) {
        TRY(release_as_feature(r, &r->target, err));
        r->best = usual;
        return read_held(r, &r->target, text, skip, err);
    }
    if (!times && which == ROLE_FEATURE)
        TRY(roles_refuse_leak(&r->wanted, text, r->f.at.file, "row", err));
    if (which != ROLE_FEATURE) return read_other(r, which, text, err);
    TRY(read_numbers(r, text, err));
done:
    return status;
}

static pare_status read_rows(reader *r, pare_error *err) {
    const pare_allocator *mem = &r->b->data->mem;
    strings name = {0};
    field cell;
    bool more;
    pare_status status = PARE_OK;
    for (;;) {
        TRY(fields_row(&r->f, &more, err));
        if (!more) break;
        TRY(fields_next(&r->f, &cell, err));
        if (cell.length == 0) {
            status = place_error(err, &r->f.at, "the name of the row is empty");
            goto done;
        }
        if (cell.last) {
            status = fields_ragged(&r->f, &cell, r->n + 1, err);
            goto done;
        }
        strings_free(&name, mem);
        TRY_MEM(strings_add(&name, mem, cell.text, cell.length));
        TRY(read_row(r, &name, err));
    }
done:
    strings_free(&name, mem);
    return status;
}

pare_status csv_read_transposed(data_builder *b, const csv_table *from, const pare_read_options *o,
                                const pare_ctx *ctx, pare_error *err) {
    pare_data *data = b->data;
    reader r = {.b = b, .o = o, .ctx = ctx, .f = from->f, .best = NO_USUAL_NAME};
    r.f.at.model = o->only != NULL;
    r.numbers.mem = &data->mem;
    r.numbered = names_numbered(o, NULL);
    pare_status status = PARE_OK;
    if (from->rows > 0) r.d_capacity = from->rows; /* too many: the header, and usually a target */
    TRY(roles_begin(&r.wanted, o, ctx, err));
    TRY(read_ids(&r, &from->form, err));
    TRY(read_rows(&r, err));
    TRY(release_as_target(&r, &r.target, err));
    TRY(roles_check_seen(&r.wanted, r.f.at.file, "row", err));
    fields_say_empty(&r.f, r.unnamed, ctx);
    data->x.n = r.n;
    data->x.d = r.d;
    if (r.d > 0) TRY_MEM(mem_resize(&data->mem, &b->fill.value, r.d, (size_t)r.n * sizeof(double)));
done:
    held_free(&r.target, &data->mem);
    names_numbers_free(&r.numbers);
    roles_free(&r.wanted);
    return status;
}

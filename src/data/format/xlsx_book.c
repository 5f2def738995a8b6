/* Parts of ECMA-376 that are read: the relationships of the package and of the workbook, which lead
 * from one part to the next, workbook.xml, sharedStrings.xml, and of styles.xml which formats show
 * dates. */
#include "data/format/xlsx_book.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/builder.h"
#include "data/format/cell.h"
#include "data/format/xml.h"

enum { PART = 300, LABEL = 640 };

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static bool is_true(const char *value) { return value && (is(value, "1") || is(value, "true")); }

/* Reads member i of the archive; where it is not there (-1), nothing. */
static pare_status read_part(xlsx_book *b, int64_t i, const xml_handlers *to, void *user,
                             pare_error *err) {
    stream s;
    char label[LABEL];
    if (i < 0) return PARE_OK;
    snprintf(label, sizeof label, "%.300s: %.300s", b->z.s->name, b->z.member[i].name);
    PASS(zip_member_open(&s, &b->z, i, label, b->ctx, err));
    pare_status status = xml_read(&s, to, user, err);
    zip_member_close(&s);
    return status;
}

static pare_status ignore(void *user, const char *name, pare_error *err) {
    (void)user;
    (void)name;
    (void)err;
    return PARE_OK;
}

/* --- relationships --- */

typedef struct target { /* that is looked for, by its id or by the end of its type */
    const char *id, *type;
    char part[PART]; /* "": not found */
} target;

/* An absolute path within the package, or relative to the folder that `from` is in. */
static void resolve(char part[PART], const char *from, const char *to) {
    const char *slash = strrchr(from, '/');
    if (*to == '/' || !slash) {
        snprintf(part, PART, "%s", *to == '/' ? to + 1 : to);
        return;
    }
    int folder = (int)(slash - from);
    while (strncmp(to, "../", 3) == 0 && folder > 0) {
        to += 3;
        while (folder > 0 && from[--folder] != '/') continue;
    }
    snprintf(part, PART, "%.*s%s%s", folder, from, folder ? "/" : "", to);
}

typedef struct relations {
    target *wanted;
    int count;
    const char *from; /* the part whose relationships they are */
} relations;

static pare_status take_relation(void *user, const char *name, const char *const *attributes,
                                 pare_error *err) {
    relations *r = user;
    const char *id = xml_attribute(attributes, "Id"), *type = xml_attribute(attributes, "Type"),
               *to = xml_attribute(attributes, "Target");
    (void)err;
    if (!is(name, "Relationship") || !id || !type || !to) return PARE_OK;
    for (int k = 0; k < r->count; k++) {
        target *t = &r->wanted[k];
        if (!*t->part && (t->id ? is(id, t->id) : ends_with(type, t->type)))
            resolve(t->part, r->from, to);
    }
    return PARE_OK;
}

/* from: "" or a part. */
static pare_status relate(xlsx_book *b, const char *from, target *wanted, int count,
                          pare_error *err) {
    static const xml_handlers to = {take_relation, ignore, NULL};
    char part[PART + 16];
    const char *slash = strrchr(from, '/'), *base = slash ? slash + 1 : from;
    snprintf(part, sizeof part, "%.*s_rels/%s.rels", (int)(base - from), from, base);
    relations r = {wanted, count, from};
    return read_part(b, zip_find(&b->z, part), &to, &r, err);
}

/* --- workbook.xml --- */

static pare_status take_sheet(void *user, const char *name, const char *const *attributes,
                              pare_error *err) {
    xlsx_book *b = user;
    if (is(name, "workbookPr")) b->from_1904 = is_true(xml_attribute(attributes, "date1904"));
    if (!is(name, "sheet")) return PARE_OK;
    const char *called = xml_attribute(attributes, "name"), *id = xml_attribute(attributes, "id");
    if (!called || !id)
        return error_set(err, PARE_E_FORMAT, "%s: the workbook is damaged: a sheet has no name",
                         b->z.s->name);
    return strings_add(&b->sheets, b->mem, called, (int64_t)strlen(called)) &&
                   strings_add(&b->sheet_ids, b->mem, id, (int64_t)strlen(id))
               ? PARE_OK
               : error_memory(err);
}

/* --- sharedStrings.xml --- */

typedef struct sharing {
    xlsx_book *b;
    bool in_string, in_text;
    int phonetic; /* depth of what tells how to pronounce the text */
    char *text;
    int64_t length, capacity;
} sharing;

static pare_status shared_start(void *user, const char *name, const char *const *attributes,
                                pare_error *err) {
    sharing *r = user;
    (void)attributes;
    (void)err;
    if (is(name, "si")) {
        r->in_string = true;
        r->length = 0;
    }
    r->phonetic += is(name, "rPh");
    r->in_text = r->in_string && !r->phonetic && is(name, "t");
    return PARE_OK;
}

static pare_status shared_text(void *user, const char *text, int64_t length, pare_error *err) {
    sharing *r = user;
    if (!r->in_text) return PARE_OK;
    pare_status status =
        data_check_memory((double)(r->length + length), r->b->z.s->name, r->b->ctx, err);
    if (status != PARE_OK) return status;
    if (r->length + length > r->capacity) {
        int64_t capacity = 2 * (r->length + length);
        if (!mem_resize(r->b->mem, &r->text, capacity, 1)) return error_memory(err);
        r->capacity = capacity;
    }
    memcpy(r->text + r->length, text, (size_t)length);
    r->length += length;
    return PARE_OK;
}

static pare_status shared_end(void *user, const char *name, pare_error *err) {
    sharing *r = user;
    xlsx_book *b = r->b;
    if (is(name, "t")) r->in_text = false;
    if (is(name, "rPh") && r->phonetic) r->phonetic--;
    if (!is(name, "si")) return PARE_OK;
    r->in_string = false;
    double bytes = (double)(b->shared.text_size + r->length) + 16.0 * (double)b->shared.count;
    PASS(data_check_memory(bytes, b->z.s->name, b->ctx, err));
    return strings_add(&b->shared, b->mem, r->length ? r->text : "", r->length) ? PARE_OK
                                                                                : error_memory(err);
}

static pare_status read_shared(xlsx_book *b, const char *part, pare_error *err) {
    static const xml_handlers to = {shared_start, shared_end, shared_text};
    sharing r = {.b = b};
    pare_status status = read_part(b, zip_find(&b->z, part), &to, &r, err);
    mem_free(b->mem, r.text);
    return status;
}

/* --- styles.xml --- */

/* Returns true if a format's code shows days, months, years or hours. */
static bool shows_date(const char *code) {
    for (const char *p = code; *p; p++) {
        if (*p == '"') {
            p = strchr(p + 1, '"');
            if (!p) return false;
        } else if (*p == '\\' || *p == '_' || *p == '*') {
            if (!*++p) return false;
        } else if (*p == '[') { /* a colour, a condition, a language; or elapsed hours */
            if (strchr("hHmMsS", p[1]) && p[1] && (p[2] == ']' || p[2] == p[1])) return true;
            p = strchr(p, ']');
            if (!p) return false;
        } else if (strchr("yYmMdDhHsS", *p)) {
            return true;
        }
    }
    return false;
}

static bool known_date(int64_t id) { /* of the formats that all workbooks have */
    return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) ||
           (id >= 50 && id <= 58);
}

typedef struct styling {
    xlsx_book *b;
    bool in_cells;
} styling;

static bool is_date_format(const xlsx_book *b, const char *id) {
    int64_t number;
    for (int64_t i = 0; i < b->date_formats.count; i++)
        if (is(strings_at(&b->date_formats, i), id)) return true;
    return integer_parse_all(id, &number) && known_date(number);
}

static pare_status take_style(void *user, const char *name, const char *const *attributes,
                              pare_error *err) {
    styling *r = user;
    xlsx_book *b = r->b;
    const char *id = xml_attribute(attributes, "numFmtId");
    if (is(name, "cellXfs")) r->in_cells = true;
    if (is(name, "numFmt")) {
        const char *code = xml_attribute(attributes, "formatCode");
        if (id && code && shows_date(code) &&
            !strings_add(&b->date_formats, b->mem, id, (int64_t)strlen(id)))
            return error_memory(err);
    }
    if (!r->in_cells || !is(name, "xf")) return PARE_OK;
    if (b->styles == b->style_capacity) {
        int64_t capacity = 2 * b->style_capacity + 64;
        PASS(data_check_memory((double)capacity, b->z.s->name, b->ctx, err));
        if (!mem_resize(b->mem, &b->date, capacity, sizeof *b->date)) return error_memory(err);
        b->style_capacity = capacity;
    }
    b->date[b->styles++] = id && is_date_format(b, id);
    return PARE_OK;
}

static pare_status end_style(void *user, const char *name, pare_error *err) {
    styling *r = user;
    (void)err;
    if (is(name, "cellXfs")) r->in_cells = false;
    return PARE_OK;
}

static pare_status read_styles(xlsx_book *b, const char *part, pare_error *err) {
    static const xml_handlers to = {take_style, end_style, NULL};
    styling r = {.b = b};
    return read_part(b, zip_find(&b->z, part), &to, &r, err);
}

/* --- the workbook --- */

/* What is no archive at all: files of older programs with the same names. */
static pare_status refuse_others(stream *s, pare_error *err) {
    static const char old[] = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"; /* a compound file */
    pare_status status = PARE_OK;
    while (s->can_rewind && s->end - s->at < 8 && !s->eof && status == PARE_OK)
        status = stream_fill(s, err);
    if (status != PARE_OK || !s->can_rewind) return status;
    size_t size = s->end - s->at;
    if (size >= 8 && memcmp(s->buffer + s->at, old, 8) == 0)
        return error_set(err, PARE_E_FORMAT,
                         "%s is a workbook of the old format (.xls) or has a password: save it as "
                         ".xlsx without one, or as CSV",
                         s->name);
    if (size < 4 || memcmp(s->buffer + s->at, "PK", 2) != 0)
        return error_set(err, PARE_E_FORMAT,
                         "%s is no .xlsx workbook; if it is text, rename it to .csv, else save it "
                         "as .xlsx",
                         s->name);
    return stream_rewind(s, err);
}

static pare_status no_workbook(const xlsx_book *b, pare_error *err) {
    return error_set(err, PARE_E_FORMAT,
                     "%s has no .xlsx workbook inside; save it as .xlsx or CSV in the program that "
                     "wrote it",
                     b->z.s->name);
}

static pare_status find_workbook(xlsx_book *b, char part[PART], pare_error *err) {
    target book = {.type = "/officeDocument"};
    PASS(relate(b, "", &book, 1, err));
    memcpy(part, book.part, PART);
    return zip_find(&b->z, part) < 0 || !ends_with(part, ".xml") ? no_workbook(b, err) : PARE_OK;
}

pare_status xlsx_book_open(xlsx_book *b, stream *s, const pare_ctx *ctx, pare_error *err) {
    static const xml_handlers book = {take_sheet, ignore, NULL};
    char part[PART];
    target parts[2] = {{.type = "/sharedStrings"}, {.type = "/styles"}};
    *b = (xlsx_book){.mem = ctx_allocator(ctx), .ctx = ctx};
    PASS(refuse_others(s, err));
    PASS(zip_open(&b->z, s, ctx, err));
    PASS(find_workbook(b, part, err));
    PASS(read_part(b, zip_find(&b->z, part), &book, b, err));
    if (b->sheets.count == 0) return error_set(err, PARE_E_DATA, "%s has no sheets", s->name);
    PASS(relate(b, part, parts, 2, err));
    PASS(read_shared(b, parts[0].part, err));
    return read_styles(b, parts[1].part, err);
}

void xlsx_book_close(xlsx_book *b) {
    if (!b->mem) return;
    strings_free(&b->sheets, b->mem);
    strings_free(&b->sheet_ids, b->mem);
    strings_free(&b->shared, b->mem);
    strings_free(&b->date_formats, b->mem);
    mem_free(b->mem, b->date);
    zip_close(&b->z);
}

pare_status xlsx_book_find(const xlsx_book *b, const char *sheet, int64_t *out, pare_error *err) {
    char all[200] = "", shown[CELL_SHOWN];
    int64_t number;
    *out = 0;
    if (!sheet) {
        if (b->sheets.count > 1) {
            const char *first = strings_at(&b->sheets, 0);
            ctx_log(b->ctx, PARE_LOG_INFO,
                    "%s: the sheet is %s, the first of %" PRId64 "; `sheet` chooses another",
                    b->z.s->name, cell_shown(first, (int64_t)strlen(first), shown),
                    b->sheets.count);
        }
        return PARE_OK;
    }
    for (*out = 0; *out < b->sheets.count; ++*out)
        if (is(strings_at(&b->sheets, *out), sheet)) return PARE_OK;
    if (integer_parse_all(sheet, &number) && number >= 1 && number <= b->sheets.count) {
        *out = number - 1;
        return PARE_OK;
    }
    for (int64_t i = 0; i < b->sheets.count && strlen(all) + CELL_SHOWN + 2 < sizeof all; i++) {
        const char *name = strings_at(&b->sheets, i);
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "",
                 cell_shown(name, (int64_t)strlen(name), shown));
    }
    return error_set(err, PARE_E_DATA,
                     "%s has no sheet %s; `sheet` is one of its %" PRId64 " names (%s) or a number "
                     "from 1",
                     b->z.s->name, cell_shown(sheet, (int64_t)strlen(sheet), shown),
                     b->sheets.count, all);
}

pare_status xlsx_book_member(xlsx_book *b, int64_t sheet, int64_t *out, pare_error *err) {
    char part[PART], shown[CELL_SHOWN];
    const char *name = strings_at(&b->sheets, sheet);
    target wanted = {.id = strings_at(&b->sheet_ids, sheet)};
    pare_status status = find_workbook(b, part, err);
    if (status == PARE_OK) status = relate(b, part, &wanted, 1, err);
    if (status != PARE_OK) return status;
    *out = zip_find(&b->z, wanted.part);
    if (*out >= 0) return PARE_OK;
    return error_set(err, PARE_E_FORMAT, "%s: the workbook is damaged: sheet %s is not in it",
                     b->z.s->name, cell_shown(name, (int64_t)strlen(name), shown));
}

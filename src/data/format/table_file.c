#include "data/format/table_file.h"

#include <string.h>

#include "base/error.h"
#ifdef PARE_HAS_EXPAT
#include "data/format/xlsx.h"
#endif

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static pare_status open_workbook(table_file *f, const pare_ctx *ctx, pare_error *err) {
#ifdef PARE_HAS_EXPAT
    return xlsx_open(&f->book, &f->t, &f->s, NULL, 0, true, ctx, err);
#else
    (void)ctx;
    return error_set(err, PARE_E_ARGUMENT,
                     "%.600s: this build of pare cannot read xlsx: it was built without expat",
                     f->s.name);
#endif
}

pare_status table_file_open(table_file *f, const char *path, const char *encoding,
                            const pare_ctx *ctx, pare_error *err) {
    char tab = ends_with(path, ".tsv") || ends_with(path, ".tsv.gz") ? '\t' : 0;
    memset(f, 0, sizeof *f);
    PASS(stream_open(&f->s, path, ctx, err));
    if (ends_with(path, ".xlsx") || ends_with(path, ".xlsm")) return open_workbook(f, ctx, err);
    f->t.rows = -1;
    PASS(stream_text(&f->s, encoding, err));
    PASS(csv_form_find(&f->t.form, &f->s, tab, 0, false, ctx, err));
    return csv_form_begin(&f->t.f, &f->t.form, &f->s, err);
}

void table_file_close(table_file *f) {
#ifdef PARE_HAS_EXPAT
    xlsx_close(f->book);
#endif
    if (f->s.mem) stream_close(&f->s);
}

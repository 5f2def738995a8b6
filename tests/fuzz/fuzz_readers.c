/* Any bytes into any reader. The first byte picks the format, the second the options and how the
 * input is split; what is read must pass data_finish's checks or be refused with a sentence.
 * Text that was accepted is read again in one pass, at another split, and must give the same. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/builder.h"
#include "data/format/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24 };

static void require(bool held) {
    if (!held) abort();
}

static pare_status read_once(pare_data **out, data_reader read, const void *bytes, size_t size,
                             size_t piece, bool twice, const pare_read_options *o) {
    pare_error err = {0};
    pare_ctx ctx;
    stream s;
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    pare_status status = stream_open_memory(&s, "fuzz", bytes, size, piece, &ctx, &err);
    require(status == PARE_OK);
    s.can_rewind = twice;
    data_builder b;
    *out = NULL;
    require(data_begin(&b, &ctx, &err) == PARE_OK);
    status = read(&b, &s, o, &ctx, &err);
    if (status == PARE_OK) status = data_finish(out, &b, s.name, &err);
    data_abandon(&b);
    stream_close(&s);
    if (status != PARE_OK)
        require(strlen(err.message) > 0 && strlen(err.message) < sizeof err.message);
    return status;
}

static void require_same(const pare_data *a, const pare_data *b) {
    require(a->x.n == b->x.n && a->x.d == b->x.d && a->x.ops == b->x.ops);
    view all = view_all(&a->x), other = view_all(&b->x);
    walk w, v;
    column c, e;
    int64_t j, k;
    require(walk_open(&w, &all, NULL, all.d, NULL, NULL) == PARE_OK);
    require(walk_open(&v, &other, NULL, all.d, NULL, NULL) == PARE_OK);
    while (walk_next(&w, &j, &c) && walk_next(&v, &k, &e))
        require(c.count == e.count &&
                memcmp(c.value, e.value, (size_t)c.count * sizeof *c.value) == 0);
    require(walk_close(&w, NULL) == PARE_OK && walk_close(&v, NULL) == PARE_OK);
    require(a->names.text_size == b->names.text_size &&
            a->target.text.text_size == b->target.text.text_size);
    require(a->target.text.text_size == 0 || memcmp(a->target.text.text, b->target.text.text,
                                                    (size_t)a->target.text.text_size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const data_reader readers[] = {read_csv,  read_tsv, read_svmlight,
                                          read_arff, read_npy, read_mtx};
    static const char *const only[] = {"a", "b"};
    if (size < 2) return 0;
    data_reader read = bytes[0] > 251 ? read_npz : readers[bytes[0] % 6];
    uint8_t choice = bytes[1];
    bool text = bytes[0] % 6 < 4 && read != read_npz;
    pare_read_options o;
    pare_read_options_init(&o);
    o.allow_missing = choice & 1;
    o.features_in_rows = choice & 2;
    o.no_target = choice & 4;
    o.index_base = choice & 8 ? 0 : 1;
    o.id = choice & 16 ? "id" : NULL;
    o.weights = choice & 16 ? "w" : NULL;
    o.only = choice & 32 ? only : NULL;
    if (choice % 5 == 1) o.na = "-,7,n.d.";
    if (choice % 7 == 1) o.duplicate_names = "number";
    o.skip = choice % 11 == 1 ? 2 : 0;
    o.encoding = choice % 13 == 1 ? "cp1252" : choice % 13 == 2 ? "utf-16" : NULL;
    o.categorical = choice % 3 == 1 && !o.features_in_rows;
    o.n_only = 2;
    size_t piece = choice & 64 ? 1 + choice % 7 : 4096;
    pare_data *first, *second;
    if (read_once(&first, read, bytes + 2, size - 2, piece, true, &o) != PARE_OK) return 0;
    if (text) {
        /* .npy and .mtx go by another path only in the stream; text has a second way to read */
        require(read_once(&second, read, bytes + 2, size - 2, piece == 4096 ? 3 : 4096, false,
                          &o) == PARE_OK);
        require_same(first, second);
        pare_data_free(second);
    }
    pare_data_free(first);
    return 0;
}

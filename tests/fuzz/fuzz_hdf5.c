/* .h5ad and .h5 whose objects are not as they should be, in files that HDF5 itself has written: the
 * bytes say which object is missing, a group instead of a dataset, of another type, rank or size, or
 * holds other numbers or texts. What is read must pass a description or be refused with a sentence.
 * Damaged bytes are not tried: HDF5 1.10 itself crashes and hangs on them. */
#define _GNU_SOURCE
#include <hdf5.h>
#include <pare/pare.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { MEMORY_LIMIT = 1 << 24, MAX_ITEMS = 64, MAX_TEXT = 8 };

static void require(bool held) {
    if (!held) abort();
}

/* The bytes as a row of choices; 0 once they are used up: nothing is damaged then. */
typedef struct choices {
    const uint8_t *at, *end;
} choices;

static uint8_t next(choices *c) { return c->at < c->end ? *c->at++ : 0; }

typedef enum damage {
    NO_DAMAGE = 0,
    MISSING = 1,
    GROUP,       /* in the place of a dataset */
    OTHER_TYPE,  /* texts for numbers, numbers for texts */
    OTHER_SIZE,  /* one more, one less, none */
    OTHER_RANK,  /* 0, 2 or 3 dimensions */
    HUGE,        /* a declared size without values */
    OTHER_VALUES /* negative, large, not a number, fractions; texts that repeat or have odd bytes */
} damage;

/* What a dataset is to hold. */
typedef struct dataset {
    hid_t type; /* H5T_NATIVE_*, or H5T_C_S1: texts */
    int rank;
    hsize_t size[3];
    double number[MAX_ITEMS];
    char text[MAX_ITEMS][MAX_TEXT];
} dataset;

static hsize_t items(const dataset *s) {
    hsize_t count = 1;
    for (int k = 0; k < s->rank; k++) count *= s->size[k];
    return count;
}

static void other_size(dataset *s, choices *c) {
    hsize_t *size = &s->size[s->rank > 1 ? next(c) % s->rank : 0];
    switch (next(c) % 3) {
    case 0: ++*size; break;
    case 1: *size -= *size > 0; break;
    default: *size = 0;
    }
}

static void other_rank(dataset *s, choices *c) {
    s->rank = next(c) % 4;
    for (int k = 1; k < 3; k++)
        if (!s->size[k]) s->size[k] = 1;
}

static void other_value(dataset *s, choices *c) {
    static const double odd[] = {-1, 1e300, -1e18, 0.5, 2147483648., 3, 7, 0};
    static const char *const texts[] = {"",     "c0",  "/",       "\xff\xfe",
                                        "a\nb", "NaN", "\x1b[2J", "long_id"};
    int at = next(c) % MAX_ITEMS, which = next(c) % 8;
    s->number[at % 8] = odd[which];
    snprintf(s->text[at % 8], MAX_TEXT, "%s", texts[which]);
}

static const hid_t *types(void) {
    static hid_t of[6];
    of[0] = H5T_C_S1;
    of[1] = H5T_NATIVE_DOUBLE;
    of[2] = H5T_NATIVE_FLOAT;
    of[3] = H5T_NATIVE_INT8;
    of[4] = H5T_NATIVE_UINT64;
    of[5] = H5T_STD_REF_OBJ;
    return of;
}

static damage apply(dataset *s, choices *c) {
    damage how = (damage)(next(c) % 16); /* mostly none */
    switch (how) {
    case OTHER_TYPE: s->type = types()[next(c) % 6]; break;
    case OTHER_SIZE: other_size(s, c); break;
    case OTHER_RANK: other_rank(s, c); break;
    case OTHER_VALUES: other_value(s, c); break;
    case HUGE: s->size[0] = (hsize_t)1 << (16 + next(c) % 46); break;
    default: break;
    }
    if (items(s) > MAX_ITEMS && how != HUGE) s->size[0] = 1;
    return how;
}

/* Texts of variable length, or of a fixed one in `fixed`. */
static void write_texts(hid_t to, hid_t type, const dataset *s, bool fixed) {
    const char *text[MAX_ITEMS];
    for (int i = 0; i < MAX_ITEMS; i++) text[i] = s->text[i];
    H5Dwrite(to, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, fixed ? (const void *)s->text : text);
}

static void put(hid_t file, const char *path, dataset s, choices *c) {
    damage how = apply(&s, c);
    if (how == MISSING) return;
    if (how == GROUP) {
        hid_t group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (group >= 0) H5Gclose(group);
        return;
    }
    bool texts = s.type == H5T_C_S1, fixed = next(c) & 1;
    hid_t type = H5Tcopy(s.type), how_stored = H5Pcreate(H5P_DATASET_CREATE);
    if (texts) H5Tset_size(type, fixed ? MAX_TEXT : H5T_VARIABLE);
    hid_t space = s.rank ? H5Screate_simple(s.rank, s.size, NULL) : H5Screate(H5S_SCALAR);
    const hsize_t chunk[3] = {16, 16, 16};
    if (how == HUGE && s.rank > 0) H5Pset_chunk(how_stored, s.rank, chunk);
    hid_t to = H5Dcreate2(file, path, type, space, H5P_DEFAULT, how_stored, H5P_DEFAULT);
    if (to >= 0 && how != HUGE && texts) write_texts(to, type, &s, fixed);
    if (to >= 0 && how != HUGE && !texts && s.type != H5T_STD_REF_OBJ)
        H5Dwrite(to, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, s.number);
    if (to >= 0) H5Dclose(to);
    if (space >= 0) H5Sclose(space);
    H5Pclose(how_stored);
    H5Tclose(type);
}

static dataset texts(hsize_t n, char letter) {
    dataset s = {.type = H5T_C_S1, .rank = 1, .size = {n, 1, 1}};
    for (int i = 0; i < MAX_ITEMS; i++) {
        snprintf(s.text[i], MAX_TEXT, "%c%d", letter, i);
        s.number[i] = i;
    }
    return s;
}

static dataset numbers(hid_t type, hsize_t n) {
    dataset s = texts(n, 'v');
    s.type = type;
    return s;
}

/* A group, unless it is missing; with a text as its attribute, of which the name may be another. */
static void group(hid_t file, const char *path, const char *attribute, const char *value,
                  choices *c) {
    static const char *const others[] = {"csr", "csc_matrix", "dataframe", "", "../X", "_index"};
    uint8_t how = next(c) % 16;
    if (how == 1) return;
    hid_t made = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (made < 0) return;
    if (how == 2) value = others[next(c) % 6];
    hsize_t two = 2;
    hid_t type = H5Tcopy(how == 3 ? H5T_NATIVE_INT : H5T_C_S1);
    if (how != 3) H5Tset_size(type, how == 4 ? H5T_VARIABLE : 16);
    hid_t space = how == 5 ? H5Screate_simple(1, &two, NULL) : H5Screate(H5S_SCALAR);
    hid_t a =
        H5Acreate2(made, how == 6 ? "else" : attribute, type, space, H5P_DEFAULT, H5P_DEFAULT);
    char room[32] = "";
    snprintf(room, sizeof room, "%s", value);
    const char *at = room;
    if (a >= 0) {
        H5Awrite(a, type, how == 4 ? (const void *)&at : room);
        H5Aclose(a);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Gclose(made);
}

/* A sparse matrix of one number a row or column. */
static void sparse(hid_t file, const char *in, hsize_t count, hsize_t width, choices *c) {
    char path[64];
    dataset s = numbers(next(c) & 1 ? H5T_NATIVE_INT32 : H5T_NATIVE_FLOAT, count);
    snprintf(path, sizeof path, "%s/data", in);
    put(file, path, s, c);
    s = numbers(H5T_NATIVE_INT32, count);
    for (int i = 0; i < MAX_ITEMS; i++) s.number[i] = (double)((hsize_t)i % width);
    snprintf(path, sizeof path, "%s/indices", in);
    put(file, path, s, c);
    snprintf(path, sizeof path, "%s/indptr", in);
    put(file, path, numbers(next(c) & 1 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32, count + 1), c);
}

static void anndata(hid_t file, choices *c, hsize_t n, hsize_t d) {
    uint8_t kind = next(c) % 3;
    group(file, "/obs", "_index", "cell", c);
    group(file, "/var", "_index", "_index", c);
    put(file, "/obs/cell", texts(n, 'c'), c);
    put(file, "/var/_index", texts(d, 'g'), c);
    if (kind == 0) {
        dataset x = numbers(next(c) & 1 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT, n);
        x.rank = 2;
        x.size[1] = d;
        put(file, "/X", x, c);
    } else {
        group(file, "/X", "encoding-type", kind == 1 ? "csr_matrix" : "csc_matrix", c);
        sparse(file, "/X", kind == 1 ? n : d, kind == 1 ? d : n, c);
    }
    bool coded = next(c) & 1;
    if (coded) group(file, "/obs/class", "encoding-type", "categorical", c);
    if (coded) {
        dataset codes = numbers(H5T_NATIVE_INT8, n);
        for (int i = 0; i < MAX_ITEMS; i++) codes.number[i] = i % 2;
        put(file, "/obs/class/codes", codes, c);
        put(file, "/obs/class/categories", texts(2, 't'), c);
    } else {
        put(file, "/obs/class", texts(n, 't'), c);
    }
    put(file, "/obs/w", numbers(H5T_NATIVE_DOUBLE, n), c);
}

static void tenx(hid_t file, choices *c, hsize_t n, hsize_t d) {
    bool old = next(c) & 1;
    const char *in = old ? "/GRCh38" : "/matrix";
    char path[64];
    group(file, in, "chemistry", "v3", c);
    if (!old) group(file, "/matrix/features", "x", "", c);
    snprintf(path, sizeof path, "%s/barcodes", in);
    put(file, path, texts(n, 'c'), c);
    put(file, old ? "/GRCh38/genes" : "/matrix/features/id", texts(d, 'g'), c);
    sparse(file, in, n, d, c);
}

/* sound: nothing is damaged. */
static void read_back(const char *path, const char *format, uint8_t choice, bool sound) {
    pare_read_options o;
    pare_ctx ctx;
    pare_error err = {0};
    pare_data *data;
    char *text;
    pare_read_options_init(&o);
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.memory_bytes = MEMORY_LIMIT;
    o.format = format;
    o.allow_missing = choice & 1;
    o.weights = choice & 2 ? "w" : NULL;
    o.describe = choice & 4;
    o.no_target = choice & 8;
    pare_status status = pare_data_read(&data, path, &o, &ctx, &err);
    require((status == PARE_OK) == (data != NULL));
    require(data || !sound || choice > 1);
    require(status == PARE_OK || (strlen(err.message) > 0 && !strchr(err.message, '\n')));
    if (data && pare_data_describe_columns(&text, data, true, &ctx, &err) == PARE_OK)
        pare_text_free(text, &ctx);
    pare_data_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    choices c = {bytes, bytes + size};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    uint8_t choice = next(&c), kind = next(&c);
    hsize_t n = 1 + kind % 6, d = 1 + kind / 6 % 6;
    char path[] = "/dev/shm/pare-fuzz-XXXXXX"; /* HDF5 takes no path under /proc */
    int at = mkstemp(path);
    require(at >= 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    require(file >= 0);
    bool single = kind & 128;
    (single ? anndata : tenx)(file, &c, n, d);
    require(H5Fclose(file) >= 0);
    read_back(path, single ? "h5ad" : "h5", choice, size <= 3);
    close(at);
    unlink(path);
    return 0;
}

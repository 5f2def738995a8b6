/* R's serialisation written byte by byte, for files that R itself would not write. */
#ifndef PARE_TESTS_RDATA_BYTES_H
#define PARE_TESTS_RDATA_BYTES_H

#include <stdint.h>
#include <string.h>

typedef struct rdata_bytes {
    unsigned char at[4096];
    size_t size;
} rdata_bytes;

static inline void r_int(rdata_bytes *b, int64_t value) {
    for (int k = 3; k >= 0; k--) b->at[b->size++] = (unsigned char)((uint64_t)value >> 8 * k);
}

static inline void r_real(rdata_bytes *b, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    r_int(b, (int64_t)(bits >> 32));
    r_int(b, (int64_t)(bits & UINT32_MAX));
}

/* Types of items, and what may be added to them. */
enum {
    R_SYMBOL = 1,
    R_PAIR = 2 | 1 << 10,
    R_CHARS = 9 | 1 << 18,
    R_LOGICAL = 10,
    R_INTEGER = 13,
    R_REAL = 14,
    R_TEXTS = 16,
    R_LIST = 19,
    R_S4 = 25 | 1 << 8,
    R_ALTERNATIVE = 238,
    R_NIL = 254,
    R_WITH = 1 << 9 /* attributes */
};

static inline void r_begin(rdata_bytes *b) {
    b->size = 0;
    memcpy(b->at, "X\n", 2);
    b->size = 2;
    r_int(b, 2);
    r_int(b, 0x040202);
    r_int(b, 0x020300);
}

static inline void r_chars(rdata_bytes *b, const char *text) {
    r_int(b, R_CHARS);
    r_int(b, (int64_t)strlen(text));
    memcpy(b->at + b->size, text, strlen(text));
    b->size += strlen(text);
}

/* Texts joined by |. */
static inline void r_texts(rdata_bytes *b, const char *joined) {
    int count = 1;
    for (const char *p = joined; *p; p++) count += *p == '|';
    r_int(b, R_TEXTS);
    r_int(b, count);
    for (const char *p = joined; count > 0; count--) {
        char text[64] = "";
        size_t length = strcspn(p, "|");
        memcpy(text, p, length);
        r_chars(b, text);
        p += length + 1;
    }
}

static inline void r_integers(rdata_bytes *b, int flags, int count, const int *value) {
    r_int(b, flags);
    r_int(b, count);
    for (int i = 0; i < count; i++) r_int(b, value[i]);
}

static inline void r_reals(rdata_bytes *b, int flags, int count, const double *value) {
    r_int(b, flags);
    r_int(b, count);
    for (int i = 0; i < count; i++) r_real(b, value[i]);
}

/* The name of the next attribute or slot; its value follows. R_NIL ends them. */
static inline void r_name(rdata_bytes *b, const char *name) {
    r_int(b, R_PAIR);
    r_int(b, R_SYMBOL);
    r_chars(b, name);
}

/* A data frame of three rows: x = 1.5, NA, -2; f a factor of "u", "v"; s a sequence 7, 8, 9; y texts. */
static inline void r_frame(rdata_bytes *b) {
    r_begin(b);
    r_int(b, R_LIST | R_WITH | 1 << 8);
    r_int(b, 4);
    r_int(b, R_REAL);
    r_int(b, 3);
    r_real(b, 1.5);
    r_int(b, 0x7ff00000); /* R's own bits of a missing number */
    r_int(b, 1954);
    r_real(b, -2);
    r_integers(b, R_INTEGER | R_WITH, 3, (int[]){2, 1, 2});
    r_name(b, "levels");
    r_texts(b, "u|v");
    r_name(b, "class");
    r_texts(b, "factor");
    r_int(b, R_NIL);
    r_int(b, R_ALTERNATIVE);
    r_int(b, 2); /* a pairlist without tags: its form, package and type */
    r_int(b, R_SYMBOL);
    r_chars(b, "compact_intseq");
    r_int(b, R_NIL);
    r_reals(b, R_REAL, 3, (double[]){3, 7, 1});
    r_int(b, R_NIL);
    r_texts(b, "p|q|p");
    r_name(b, "names");
    r_texts(b, "x|f|s|y");
    r_name(b, "class");
    r_texts(b, "data.frame");
    r_name(b, "row.names");
    r_texts(b, "a|b|c");
    r_int(b, R_NIL);
}

/* A dgCMatrix of 2 x 3 with the entries (0, 0) = 1, (1, 2) = 5. */
static inline void r_sparse(rdata_bytes *b) {
    r_begin(b);
    r_int(b, R_S4 | R_WITH);
    r_name(b, "i");
    r_integers(b, R_INTEGER, 2, (int[]){0, 1});
    r_name(b, "p");
    r_integers(b, R_INTEGER, 4, (int[]){0, 1, 1, 2});
    r_name(b, "Dim");
    r_integers(b, R_INTEGER, 2, (int[]){2, 3});
    r_name(b, "Dimnames");
    r_int(b, R_LIST);
    r_int(b, 2);
    r_texts(b, "s|t");
    r_texts(b, "a|b|c");
    r_name(b, "x");
    r_reals(b, R_REAL, 2, (double[]){1, 5});
    r_name(b, "class");
    r_texts(b, "dgCMatrix");
    r_int(b, R_NIL);
}

/* A matrix of 2 x 3 with the numbers 1 to 6, without names. */
static inline void r_matrix(rdata_bytes *b) {
    r_begin(b);
    r_reals(b, R_REAL | R_WITH, 6, (double[]){1, 2, 3, 4, 5, 6});
    r_name(b, "dim");
    r_integers(b, R_INTEGER, 2, (int[]){2, 3});
    r_int(b, R_NIL);
}

#endif

#include "data/format/text_encoding.h"

#include <stdint.h>
#include <string.h>

/* 0x80 .. 0x9f of Windows code page 1252; bytes without a character there stay control characters. */
static const uint16_t cp1252[32] = {0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
                                    0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

size_t text_input(size_t room) { return room < TEXT_ROOM ? 0 : (room - 12) / 3; }

static size_t put(char *out, uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

static uint32_t unit(const text_decoder *d, size_t at) {
    bool big = d->from == TEXT_UTF16_BE;
    return (uint32_t)d->held[at + !big] << 8 | d->held[at + big];
}

/* Writes the character that the held bytes make, if they do, and drops them. A high surrogate
 * without its other half is written alone. */
static size_t take_held(text_decoder *d, char *out) {
    if (d->n_held < 2) return 0;
    uint32_t first = unit(d, 0);
    bool high = first >= 0xd800 && first < 0xdc00;
    if (high && d->n_held < 4) return 0;
    uint32_t second = high ? unit(d, 2) : 0;
    if (high && second >= 0xdc00 && second < 0xe000) {
        d->n_held = 0;
        return put(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    }
    size_t used = put(out, first);
    d->n_held -= 2;
    memmove(d->held, d->held + 2, d->n_held);
    return used + take_held(d, out + used);
}

static size_t take_byte(text_decoder *d, char *out, unsigned char byte) {
    switch (d->from) {
    case TEXT_LATIN1: return put(out, byte);
    case TEXT_CP1252: return put(out, byte >= 0x80 && byte < 0xa0 ? cp1252[byte - 0x80] : byte);
    case TEXT_UTF16_LE:
    case TEXT_UTF16_BE: d->held[d->n_held++] = byte; return take_held(d, out);
    case TEXT_UTF8:
    default: *out = (char)byte; return 1;
    }
}

size_t text_decode(text_decoder *d, char *out, const char *in, size_t size, bool end) {
    size_t used = 0;
    for (size_t i = 0; i < size; i++) used += take_byte(d, out + used, (unsigned char)in[i]);
    d->cut = end && d->n_held > 0;
    if (end) d->n_held = 0;
    if (d->cr) text_end_lines(out, used);
    return used;
}

void text_end_lines(char *text, size_t size) {
    for (char *p = text; (p = memchr(p, '\r', size - (size_t)(p - text)));) *p = '\n';
}

bool text_may_be_wide(const char *first, size_t count) {
    if (count > TEXT_WIDE_LOOK) count = TEXT_WIDE_LOOK;
    return count == 0 || memchr(first, '\0', count);
}

const char *text_other_kind(const char *first, size_t count) {
    static const struct {
        char start[5];
        const char *what;
    } kinds[] = {{"PK\3\4", "a workbook or a .zip archive: rename it to .xlsx, or unpack it"},
                 {"\xd0\xcf\x11\xe0", "an old Excel workbook: save it as .xlsx"},
                 {"\x89HDF", "an HDF5 file: rename it to .h5ad or .h5"},
                 {"\xfd"
                  "7zX",
                  "compressed by xz: unpack it, or compress it by gzip"},
                 {"BZh9", "compressed by bzip2: unpack it, or compress it by gzip"},
                 {"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it, or compress it by gzip"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (count >= 4 && memcmp(first, kinds[k].start, 4) == 0) return kinds[k].what;
    return NULL;
}

/* A .zip archive of texts, stored as they are: what a workbook is, made byte by byte. Header only, since
 * fuzz targets link no test support. */
#ifndef PARE_TESTS_STORED_ZIP_H
#define PARE_TESTS_STORED_ZIP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct zip_text {
    const char *name;
    const void *bytes;
    size_t size;
} zip_text;

static inline unsigned char *zip_put(unsigned char *p, uint32_t value, int bytes) {
    for (int k = 0; k < bytes; k++) *p++ = (unsigned char)(value >> 8 * k);
    return p;
}

/* What a member's own header and its entry in the directory have in common. */
static inline unsigned char *zip_facts(unsigned char *p, const zip_text *m) {
    p = zip_put(p, 20, 2);
    p = zip_put(p, 0, 4);
    p = zip_put(p, 0, 4);
    p = zip_put(p, (uint32_t)crc32(0, m->bytes, (uInt)m->size), 4);
    p = zip_put(p, (uint32_t)m->size, 4);
    p = zip_put(p, (uint32_t)m->size, 4);
    p = zip_put(p, (uint32_t)strlen(m->name), 2);
    return zip_put(p, 0, 2);
}

/* The archive, to be freed; its size in *size. */
static inline unsigned char *stored_zip(const zip_text *member, int count, size_t *size) {
    size_t most = 22, at[16];
    for (int i = 0; i < count; i++) most += 76 + 2 * strlen(member[i].name) + member[i].size;
    unsigned char *all = malloc(most), *p = all;
    if (!all || count > 16) abort();
    for (int i = 0; i < count; i++) {
        at[i] = (size_t)(p - all);
        memcpy(p, "PK\3\4", 4);
        p = zip_facts(p + 4, &member[i]);
        memcpy(p, member[i].name, strlen(member[i].name));
        p += strlen(member[i].name);
        if (member[i].size) memcpy(p, member[i].bytes, member[i].size);
        p += member[i].size;
    }
    size_t directory = (size_t)(p - all);
    for (int i = 0; i < count; i++) {
        memcpy(p, "PK\1\2", 4);
        p = zip_facts(zip_put(p + 4, 20, 2), &member[i]);
        p = zip_put(p, 0, 4);
        p = zip_put(p, 0, 4);
        p = zip_put(p, 0, 2);
        p = zip_put(p, (uint32_t)at[i], 4);
        memcpy(p, member[i].name, strlen(member[i].name));
        p += strlen(member[i].name);
    }
    size_t length = (size_t)(p - all) - directory;
    memcpy(p, "PK\5\6", 4);
    p = zip_put(p + 4, 0, 4);
    p = zip_put(p, (uint32_t)count, 2);
    p = zip_put(p, (uint32_t)count, 2);
    p = zip_put(p, (uint32_t)length, 4);
    p = zip_put(p, (uint32_t)directory, 4);
    p = zip_put(p, 0, 2);
    *size = (size_t)(p - all);
    return all;
}

/* A workbook of one sheet; shared, styles: the content of their parts, NULL: none. */
static inline unsigned char *stored_workbook(zip_text sheet, const zip_text *shared,
                                             const zip_text *styles, size_t *size) {
#define RELATION "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    static const char package[] = "<Relationships><Relationship Id='a' Type='" RELATION
                                  "/officeDocument' Target='xl/workbook.xml'/></Relationships>";
    static const char book[] = "<workbook xmlns:r='" RELATION
                               "'><sheets><sheet name='One' r:id='r1'/></sheets></workbook>";
    static const char parts[] =
        "<Relationships><Relationship Id='r1' Type='" RELATION
        "/worksheet' Target='worksheets/sheet1.xml'/><Relationship Id='r2' Type='" RELATION
        "/sharedStrings' Target='/xl/sharedStrings.xml'/><Relationship Id='r3' Type='" RELATION
        "/styles' Target='../xl/styles.xml'/></Relationships>";
    zip_text all[6] = {{"_rels/.rels", package, sizeof package - 1},
                       {"xl/workbook.xml", book, sizeof book - 1},
                       {"xl/_rels/workbook.xml.rels", parts, sizeof parts - 1},
                       {"xl/worksheets/sheet1.xml", sheet.bytes, sheet.size}};
    int count = 4;
    if (shared) all[count++] = (zip_text){"xl/sharedStrings.xml", shared->bytes, shared->size};
    if (styles) all[count++] = (zip_text){"xl/styles.xml", styles->bytes, styles->size};
    return stored_zip(all, count, size);
}

#endif

/* Workbooks byte by byte: every type of cell, where cells and rows may stand, what is refused and at
 * which cell, and files that claim more than they hold. What other programs write is in
 * tests/cli/test_xlsx.sh. */
#include "support/stored_zip.h"
#include "support/support.h"
#include "support/text_files.h"

#include <math.h>
#include <pare/pare.h>
#include <stdio.h>

#define XML "<?xml version='1.0' encoding='UTF-8'?>"
#define SHARED(...) XML "<sst xmlns='urn:main'>" __VA_ARGS__ "</sst>"
#define SHEET(...)                                                                                 \
    XML "<worksheet xmlns='urn:main'><sheetData>" __VA_ARGS__ "</sheetData></worksheet>"
#define NAMES                                                                                      \
    "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='B1' t='s'><v>1</v></c><c r='C1' "                \
    "t='s'><v>2</v></c></row>"
#define TEXT(text) "<c t='inlineStr'><is><t>" text "</t></is></c>"
#define NUMBER(text) "<c><v>" text "</v></c>"
#define ROW(...) "<row>" __VA_ARGS__ "</row>"
#define SIMPLE                                                                                     \
    ROW(TEXT("a") TEXT("b") TEXT("y"))                                                             \
    ROW(NUMBER("1") NUMBER("2.5E-3") TEXT("p")) ROW(NUMBER("-3") NUMBER("4") TEXT("q"))

static const char names[] = SHARED(
    "<si><t>a</t></si><si><r><t>b</t></r><r><t xml:space='preserve'>e ta</t></r>"
    "<rPh sb='0' eb='1'><t>how to say it</t></rPh></si><si><t>class &amp; more</t></si><si><t> "
    "</t></si>");
/* style 1 is a date by its number, 2 by its code, 3 elapsed hours, 4 a number with a unit */
static const char formats[] =
    XML "<styleSheet xmlns='urn:main'><numFmts><numFmt numFmtId='164' formatCode='yyyy\\-mm'/>"
        "<numFmt numFmtId='165' formatCode='[h]:00'/>"
        "<numFmt numFmtId='166' formatCode='0.0&quot; days&quot;;[Red]-0.0\\s'/></numFmts>"
        "<cellStyleXfs><xf numFmtId='14'/></cellStyleXfs><cellXfs><xf numFmtId='0'/>"
        "<xf numFmtId='14'/><xf numFmtId='164'/><xf numFmtId='165'/><xf numFmtId='166'/></cellXfs>"
        "</styleSheet>";

static const pare_ctx *limit; /* of the reads below, or NULL */

static pare_status read_sheet(pare_data **out, const char *sheet, const pare_read_options *o,
                              pare_error *err) {
    size_t size;
    zip_text shared = {NULL, names, sizeof names - 1}, styles = {NULL, formats, sizeof formats - 1};
    unsigned char *bytes =
        stored_workbook((zip_text){NULL, sheet, strlen(sheet)}, &shared, &styles, &size);
    pare_read_options own = *o;
    own.format = "xlsx";
    pare_status status = pare_data_read_memory(out, bytes, size, &own, limit, err);
    free(bytes);
    return status;
}

static pare_data *read_well(const char *sheet, const pare_read_options *o) {
    pare_data *data;
    pare_error err;
    if (read_sheet(&data, sheet, o, &err) != PARE_OK) fail_msg("%s", err.message);
    return data;
}

static void refused(const char *sheet, const pare_read_options *o, const char *message) {
    pare_data *data;
    pare_error err;
    assert_int_not_equal(read_sheet(&data, sheet, o, &err), PARE_OK);
    assert_null(data);
    assert_string_equal(err.message, message);
}

static void test_types(void **state) {
    (void)state;
    pare_read_options o = read_options();
    o.allow_missing = true;
    check_data(read_well(SHEET(SIMPLE), &o), "a|b", "p|q", "", (double[]){1, 2.5e-3, -3, 4});
    check_data(
        read_well(SHEET(NAMES
                        "<row r='2'><c r='A2' t='b'><v>1</v></c><c r='B2' t='e'><v>#DIV/0!</v></c>"
                        "<c r='C2' t='str'><f>A1&amp;B1</f><v>p</v></c></row>"
                        "<row r='3'><c r='A3' t='b'><v>0</v></c><c r='B3'><f>1+1</f><v>2</v></c>"
                        "<c r='C3' t='b'><v>1</v></c></row>"
                        "<row r='4'><c r='A4' s='4'><v>7</v></c><c r='C4'><v>12</v></c></row>"),
                  &o),
        "a|be ta", "p|TRUE|12", "", (double[]){1, NAN, 0, 2, 7, NAN});
}

static void test_places(void **state) {
    (void)state;
    pare_read_options o = read_options();
    /* the table begins at B3; cells that are only formatted, or hold blanks, are around it */
    const char *sheet = SHEET(
        "<row r='1'><c r='A1' s='1'/></row>"
        "<row r='3'><c r='B3' t='s'><v>0</v></c><c r='C3' t='s'><v>2</v></c><c r='E3' "
        "t='s'><v>3</v></c></row>"
        "<row r='4'><c r='B4'><v>1</v></c><c r='C4' t='s'><v>0</v></c></row>"
        "<row r='5' hidden='1'><c r='A5'/><c r='B5'><v>2</v></c><c r='C5' t='s'><v>2</v></c></row>"
        "<row r='9'><c r='ZZ9' s='2'/></row>");
    check_data(read_well(sheet, &o), "a", "a|class & more", "", (double[]){1, 2});
    /* cells may be left out, within a row and at its end; the corner may be empty */
    o.allow_missing = true;
    check_data(read_well(SHEET("<row r='1'><c r='B1' t='s'><v>0</v></c><c r='C1' "
                               "t='s'><v>1</v></c><c r='D1' t='s'><v>2</v></c></row>"
                               "<row r='2'><c r='A2'><v>12</v></c><c r='C2'><v>5</v></c><c r='D2' "
                               "t='s'><v>0</v></c></row>"
                               "<row r='3'><c r='A3' s='1'><v>45352.5</v></c><c "
                               "r='B3'><v>6</v></c><c r='D3' t='s'><v>1</v></c></row>"),
                         &o),
               "a|be ta", "a|be ta", "12|2024-03-01 12:00:00", (double[]){NAN, 5, 6, NAN});
    /* features in rows, a boolean among them */
    o.features_in_rows = true;
    o.labels = NULL;
    check_data(read_well(SHEET(ROW("<c/>" TEXT("s1") "<c s='1'><v>1</v></c>") ROW(TEXT("g1") NUMBER(
                             "1") NUMBER("2")) ROW(TEXT("g2") "<c t='b'><v>1</v></c>" NUMBER("4"))
                                   ROW(TEXT("class") TEXT("p") TEXT("q"))),
                         &o),
               "g1|g2", "p|q", "s1|1900-01-01", (double[]){1, 1, 2, 4});
    o = read_options();
    o.skip = 2;
    check_data(read_well(SHEET(ROW(TEXT("Results of May")) ROW("<c/>") SIMPLE), &o), "a|b", "p|q",
               "", (double[]){1, 2.5e-3, -3, 4});
    o.skip = 0;
    o.no_header = o.no_target = true;
    check_data(read_well(SHEET(ROW(NUMBER("1") NUMBER("2")) ROW(NUMBER("3") NUMBER("4"))), &o),
               "x1|x2", "", "", (double[]){1, 2, 3, 4});
}

static void test_refused(void **state) {
    (void)state;
    pare_read_options o = read_options();
    refused(
        SHEET(ROW(TEXT("a") TEXT("b") TEXT("y"))
                  ROW(NUMBER("1") "<c s='2'><v>45352</v></c>" TEXT("p"))),
        &o,
        "memory, cell B2 (b): \"2024-03-01\" is a date or time, which may be an `id`, else `drop` "
        "leaves its column out; or store a number instead, such as days");
    refused(SHEET(ROW(TEXT("a") TEXT("y")) ROW("<c><f>1+1</f></c>" TEXT("p"))), &o,
            "memory, cell A2 (a): a formula without its value: open the file in a spreadsheet "
            "program and save it there");
    refused(SHEET(ROW(TEXT("a") TEXT("y")) ROW(NUMBER("1")) ROW(NUMBER("1") TEXT("p"))), &o,
            "memory, cell B2 (y): the target is missing (\"\"); choose `missing drop`");
    refused(SHEET(ROW(TEXT("a") TEXT("y")) ROW("<c/>") ROW(NUMBER("1") TEXT("p"))), &o,
            "memory, row 2: an empty row before the end");
    refused(SHEET(ROW(TEXT("a") TEXT("a") TEXT("y")) ROW(NUMBER("1") NUMBER("1") TEXT("p"))), &o,
            "memory, cell B1: the name \"a\" is that of column 1 too: `duplicate_names number` "
            "keeps both, "
            "`drop` leaves both out");
    refused(SHEET(ROW(TEXT("May")) ROW("<c/>") SIMPLE), &o,
            "memory: row 1 has 1 of 3 names, row 3 has 3; `skip 2` leaves out the rows above it");
    refused(SHEET(""), &o, "memory: xl/worksheets/sheet1.xml: the sheet is empty");
    o.skip = 3;
    refused(
        SHEET(SIMPLE), &o,
        "memory: xl/worksheets/sheet1.xml: the sheet is empty below the rows that `skip` leaves "
        "out");
    o.skip = 0;
    o.sheet = "Two";
    refused(
        SHEET(SIMPLE), &o,
        "memory has no sheet \"Two\"; `sheet` is one of its 1 names (\"One\") or a number from 1");
    o.sheet = "2";
    refused(
        SHEET(SIMPLE), &o,
        "memory has no sheet \"2\"; `sheet` is one of its 1 names (\"One\") or a number from 1");
    o.sheet = "1";
    pare_data_free(read_well(SHEET(SIMPLE), &o));
    o.encoding = "latin1";
    refused(SHEET(SIMPLE), &o, "`encoding` is for csv, tsv and arff, the format is xlsx");
}

#define PART "memory: xl/worksheets/sheet1.xml"
static void test_damaged(void **state) {
    (void)state;
    pare_read_options o = read_options();
    refused(SHEET("<row r='2'><c r='B2'/><c r='A2'/></row>"), &o,
            PART ", cell B2: the sheet is "
                 "damaged: its cells are not "
                 "in order");
    refused(SHEET("<row r='2'/><row r='2'/>"), &o,
            PART ", row 2: the sheet is damaged: its rows are not in order");
    refused(SHEET("<row r='1048577'/>"), &o, PART ": the sheet is damaged: it has too many rows");
    refused(SHEET("<row><c r='XFE1'/></row>"), &o,
            PART ", row 1: the sheet is damaged: its cells are not in order");
    refused(SHEET("<c/>"), &o, PART ": the sheet is damaged: a cell is out of its place");
    refused(SHEET(ROW("<c t='s'><v>9</v></c>")), &o,
            PART ", cell A1: the sheet is damaged: a text is not among those that its cells share");
    refused(SHEET(ROW("<c><v>many</v></c>")), &o,
            PART ", cell A1: the sheet is damaged: a value is no number");
    refused(XML "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbbb'>]>" SHEET(SIMPLE), &o,
            PART ": the XML is damaged in line 1: it has a document type");
    refused(XML "<worksheet><sheetData>", &o,
            PART ": the XML is damaged in line 1: no element found");
    char deep[1024] = "";
    for (int i = 0; i < 70; i++) strcat(deep, "<a>");
    refused(deep, &o, PART ": the XML is damaged in line 1: its elements are nested too deeply");
    char *longest = malloc(3 << 20);
    assert_non_null(longest);
    memset(longest, 'a', 3 << 20);
    longest[0] = '<';
    longest[(3 << 20) - 1] = '\0';
    refused(longest, &o, PART ": the XML is damaged in line 1: a tag is too long");
    free(longest);
}

/* A sheet of two cells far apart claims a table that is a million times as large. */
static void test_bounded(void **state) {
    (void)state;
    pare_read_options o = read_options();
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = 1 << 22;
    limit = &ctx;
    char *sheet = malloc(1 << 20), *p = sheet;
    assert_non_null(sheet);
    p += sprintf(p, XML "<worksheet><sheetData><row>");
    for (int j = 0; j < 1000; j++) p += sprintf(p, "<c t='inlineStr'><is><t>x%d</t></is></c>", j);
    p += sprintf(p, "</row>");
    for (int i = 0; i < 1000; i++) p += sprintf(p, "<row><c><v>1</v></c></row>");
    sprintf(p, "</sheetData></worksheet>");
    o.no_target = o.allow_missing = true;
    refused(sheet, &o, "memory needs 8000000 bytes of memory, the limit is 4194304");
    ctx.memory_bytes = 1 << 24;
    pare_data_free(read_well(sheet, &o));
    /* one text of a cell that is larger than the limit */
    ctx.memory_bytes = 1 << 18;
    memset(sheet, 'a', (1 << 20) - 1);
    static const char before[] = "<worksheet><sheetData><row><c t='inlineStr'><is><t>";
    memcpy(sheet, before, sizeof before - 1);
    sheet[(1 << 20) - 1] = '\0';
    pare_data *data;
    pare_error err;
    assert_int_equal(read_sheet(&data, sheet, &o, &err), PARE_E_MEMORY);
    free(sheet);
    limit = NULL;
}

/* Every end of a workbook's bytes, and every byte of its directory changed, is read or refused. */
static void test_cut(void **state) {
    (void)state;
    pare_read_options o = read_options();
    static const char sheet[] = SHEET(SIMPLE);
    size_t size;
    zip_text shared = {NULL, names, sizeof names - 1}, styles = {NULL, formats, sizeof formats - 1};
    unsigned char *bytes =
        stored_workbook((zip_text){NULL, sheet, sizeof sheet - 1}, &shared, &styles, &size);
    int well = 0;
    o.format = "xlsx";
    for (size_t k = 0; k < 2 * size; k++) {
        pare_data *data;
        pare_error err = {0};
        size_t there = k < size ? k : size;
        if (k >= size) bytes[k - size] ^= 0x40;
        pare_status status = pare_data_read_memory(&data, bytes, there, &o, NULL, &err);
        if (k >= size) bytes[k - size] ^= 0x40;
        assert_true(k >= size || status != PARE_OK);
        assert_true(status == PARE_OK || *err.message);
        well += status == PARE_OK;
        pare_data_free(data);
    }
    assert_true(well < (int)size / 4); /* few bytes mean nothing: versions, times */
    free(bytes);
}

TEST_FILE(test_xlsx) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),   cmocka_unit_test(test_places),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_bounded), cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Text as other programs write it: each file is read as expected, or rejected in one sentence that
 * names what helps. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <uchar.h>

#include "support/support.h"
#include "support/text_files.h"

#define NOT_HERE NAN
#define BYTES(text) (text), sizeof(text) - 1
#define WIDE(text) (text), sizeof(text) - sizeof(char16_t)

typedef struct foreign {
    const char *from; /* the program */
    const void *bytes;
    size_t size;
    const char *names, *target, *ids; /* as in check_data; or */
    double rows[9];
    const char *refused; /* the sentence, */
    int64_t line, column;
    pare_read_options o; /* what differs from the defaults */
    const char *path;    /* default t.csv */
} foreign;

static pare_read_options options_of(const foreign *f) {
    pare_read_options o = read_options();
    o.na = f->o.na;
    o.skip = f->o.skip;
    o.encoding = f->o.encoding;
    o.drop = f->o.drop;
    o.id = f->o.id;
    o.target = f->o.target;
    o.duplicate_names = f->o.duplicate_names;
    o.allow_missing = f->o.allow_missing;
    o.no_target = f->o.no_target;
    o.merge_case = f->o.merge_case;
    o.drop_unlabelled = f->o.drop_unlabelled;
    o.categorical = f->o.categorical;
    o.features_in_rows = f->o.features_in_rows;
    o.no_header = f->o.no_header;
    return o;
}

static void check_all(const foreign *file, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const foreign *f = &file[k];
        pare_read_options o = options_of(f);
        const char *path = f->path ? f->path : "t.csv";
        printf("%s\n", f->from);
        if (f->refused)
            check_refused_at(path, f->bytes, f->size, &o, f->refused, f->line, f->column, __FILE__,
                             __LINE__);
        else
            check_data(read_bytes(path, f->bytes, f->size, &o), f->names, f->target, f->ids,
                       f->rows);
    }
}
#define CHECK_ALL(files) check_all((files), sizeof(files) / sizeof *(files))

static const char hint[] = "t.csv, line 2, column 2 (stage): expected a number, found \"II\"; "
                           "`target` names what is to be "
                           "predicted, `categorical` codes columns of text, `drop` leaves them out";

static void test_missing_codes(void **state) {
    (void)state;
    static const foreign files[] = {
        {"Excel's errors", BYTES("a,b,y\n#N/A,2,p\n3,#DIV/0!,q\n"), "a|b", "p|q", "",
         .rows = {NOT_HERE, 2, 3, NOT_HERE}, .o.allow_missing = true},
        {"German Excel's", BYTES("a;b;y\n#NV;2,5;p\n3;#WERT;q\n"),
         .refused = "t.csv, line 3, column 2 (b): expected a number, as in the rest of the column, "
                    "found \"#WERT\": `na` \"#WERT\" takes it for missing",
         .line = 3, .column = 2, .o.allow_missing = true},
        {"SAS and SPSS, a dot", BYTES("a,b,y\n.,2,p\n3,.,q\n"), "a|b", "p|q", "",
         .rows = {NOT_HERE, 2, 3, NOT_HERE}, .o.allow_missing = true},
        {"SQL and Python", BYTES("a,b,y\nNULL,2,p\n3,None,q\n"), "a|b", "p|q", "",
         .rows = {NOT_HERE, 2, 3, NOT_HERE}, .o.allow_missing = true},
        {"a dash, not allowed", BYTES("a,b,y\n-,2,p\n3,4,q\n"),
         .refused = "t.csv, line 2, column 1 (a): the value is missing (\"-\"); choose "
                    "`missing` mean, median, indicator or drop",
         .line = 2, .column = 1},
        {"a laboratory's own code", BYTES("a,b,y\n1,2,p\n3,n.d.,q\n"),
         .refused = "t.csv, line 3, column 2 (b): expected a number, as in the rest of the column, "
                    "found \"n.d.\": `na` \"n.d.\" takes it for missing",
         .line = 3, .column = 2},
        {"the same in the first row", BYTES("a,b,y\n1,n.d.,p\n3,4,q\n5,6,q\n"),
         .refused = "t.csv, line 2, column 2 (b): expected a number, as in the rest of the column, "
                    "found \"n.d.\": `na` \"n.d.\" takes it for missing",
         .line = 2, .column = 2},
        {"the same, named", BYTES("a,b,y\n1,2,p\n3,n.d.,q\n"), "a|b", "p|q", "",
         .rows = {1, 2, 3, NOT_HERE}, .o = {.na = "k.A., n.d.", .allow_missing = true}},
        {"SPSS, numbers as codes", BYTES("a,b,y\n-999,2,p\n3,-999.0,q\n"), "a|b", "p|q", "",
         .rows = {NOT_HERE, 2, 3, NOT_HERE}, .o = {.na = "-9,-999", .allow_missing = true}},
        {"a code that is not allowed", BYTES("a,b,y\n1,2,p\n3,-999,q\n"),
         .refused = "t.csv, line 3, column 2 (b): the value is missing (\"-999\"); choose "
                    "`missing` mean, median, indicator or drop",
         .line = 3, .column = 2, .o.na = "-999"},
        {"classes + and -", BYTES("a,b,y\n1,2,+\n3,4,-\n"), "a|b", "+|-", "", .rows = {1, 2, 3, 4}},
        {"classes None and mild", BYTES("a,b,y\n1,2,None\n3,4,mild\n"), "a|b", "None|mild", "",
         .rows = {1, 2, 3, 4}},
        {"levels - and x", BYTES("a,b,y\n1,-,p\n3,x,q\n"), "a|b=-|b=x", "p|q", "",
         .rows = {1, 1, 0, 3, 0, 1}, .o.categorical = true},
        {"no level beside numbers", BYTES("a,b,y\n1,-,p\n3,4,q\n"), "a|b", "p|q", "",
         .rows = {1, NOT_HERE, 3, 4}, .o = {.categorical = true, .allow_missing = true}},
        {"a text among different numbers", BYTES("a,b,y\n1,5,p\n2,6,q\nn.d.,5,p\n"),
         .refused =
             "t.csv: column \"a\" has other numbers for all samples, but also \"n.d.\": `na` "
             "\"n.d.\" takes it for missing, or `drop` leaves the column out",
         .o.categorical = true},
        {"the same, not allowed", BYTES("a,b,y\n1,-,p\n3,4,q\n"),
         .refused = "t.csv, line 2, column 2 (b): the value is missing (\"-\"); choose "
                    "`missing` mean, median, indicator or drop",
         .line = 2, .column = 2, .o.categorical = true},
        {"a column of text", BYTES("a,stage,y\n1,II,p\n3,III,q\n"), .refused = hint, .line = 2,
         .column = 2},
        {"features in rows", BYTES("g,s,t\na,1,-999\nb,n.d.,4\n"), "a|b", "", "s|t",
         .rows = {1, NOT_HERE, NOT_HERE, 4},
         .o = {.features_in_rows = true, .na = "n.d.,-999", .allow_missing = true}},
        {"Weka", BYTES("@attribute a real\n@attribute b real\n@data\n-999,2\nnull,4\n"), "a", "2|4",
         "", .rows = {NOT_HERE, NOT_HERE}, .o = {.na = "-999", .allow_missing = true},
         .path = "t.arff"},
    };
    CHECK_ALL(files);
}

static void test_targets(void **state) {
    (void)state;
    static const foreign files[] = {
        {"a class that is missing", BYTES("a,b,y\n1,2,p\n3,4,N/A\n"),
         .refused = "t.csv, line 3, column 3 (y): the target is missing (\"N/A\"); choose "
                    "`missing drop`",
         .line = 3, .column = 3},
        {"dropped, samples keep their rows", BYTES("a,b,y\n1,2,p\n3,4,N/A\n5,6,q\n"), "a|b", "p|q",
         "1|3", .rows = {1, 2, 5, 6}, .o.drop_unlabelled = true},
        {"dropped with their ids", BYTES("id,a,b,y\ni,1,2,\nj,3,4,p\nk,5,6,q\n"), "a|b", "p|q",
         "j|k", .rows = {3, 4, 5, 6}, .o.drop_unlabelled = true},
        {"all are missing", BYTES("a,b,y\n1,2,\n3,4,NA\n"),
         .refused = "t.csv: the target of every sample is missing", .o.drop_unlabelled = true},
        {"a number that is missing", BYTES("a,b,y\n1,2,0.5\n3,4,.\n"),
         .refused = "t.csv, line 3, column 3: the target is missing (\".\"); choose "
                    "`missing drop`",
         .line = 3, .column = 3},
        {"the same, dropped", BYTES("a,b,y\n1,2,0.5\n3,4,.\n"), "a|b", "0.5", "1", .rows = {1, 2},
         .o.drop_unlabelled = true},
        {"a dot beside classes is one", BYTES("a,b,y\n1,2,0\n3,4,.\n"), "a|b", "0|.", "",
         .rows = {1, 2, 3, 4}},
        {"an own code", BYTES("a,b,y\n1,2,p\n3,4,-9\n"), "a|b", "p", "1", .rows = {1, 2},
         .o = {.na = "-9", .drop_unlabelled = true}},
        {"blanks around labels", BYTES("a,b,y\n1,2,\" ja \"\n3,4, nein\n"), "a|b", "ja|nein", "",
         .rows = {1, 2, 3, 4}},
        {"letter case", BYTES("a,b,y\n1,2,Ja\n3,4,JA\n"), "a|b", "Ja|JA", "", .rows = {1, 2, 3, 4}},
        {"letter case merged", BYTES("a,b,y\n1,2,Fr\xc3\xbchst\n3,4,FR\xc3\x9chST\n"), "a|b",
         "Fr\xc3\xbchst|Fr\xc3\xbchst", "", .rows = {1, 2, 3, 4}, .o.merge_case = true},
    };
    CHECK_ALL(files);
}

static void test_layouts(void **state) {
    (void)state;
    static const foreign files[] = {
        {"Excel, sep=;", BYTES("sep=;\r\na;b;y\r\n1,5;2;p\r\n3;4;q\r\n"), "a|b", "p|q", "",
         .rows = {1.5, 2, 3, 4}},
        {"Excel, sep= in quotes and tabs", BYTES("\"sep=\t\"\na\tb\ty\n1\t2\tp\n3\t4\tq\n"), "a|b",
         "p|q", "", .rows = {1, 2, 3, 4}},
        {"Excel, UTF-8 with a mark",
         BYTES("\xef\xbb\xbf"
               "a;b;y\r\n1;2;p\r\n3;4;q\r\n"),
         "a|b", "p|q", "", .rows = {1, 2, 3, 4}},
        {"Excel, Unicode text",
         WIDE(u"\ufeffa\tGr\u00f6\u00dfe\ty\r\n1\t2\tp\r\n3\t4\t\U0001f600\r\n"),
         "a|Gr\xc3\xb6\xc3\x9f"
         "e",
         "p|\xf0\x9f\x98\x80", "", .rows = {1, 2, 3, 4}, .path = "t.txt"},
        {"the same without a mark", WIDE(u"a\tb\ty\r\n1\t2\tp\r\n3\t4\tq\r\n"), "a|b", "p|q", "",
         .rows = {1, 2, 3, 4}, .path = "t.txt", .o.encoding = "utf-16"},
        {"UTF-16, big end first", BYTES("\376\377\0a\0,\0y\0\n\0001\0,\0p\0\n\0002\0,\0q"), "a",
         "p|q", "", .rows = {1, 2}},
        {"UTF-16, cut within a character",
         BYTES("\xff\xfe"
               "a\0,\0y\0\n\0001\0,\0p\0\n\0002\0,\0q"),
         .refused =
             "t.csv: the UTF-16 text is cut short: it ends within a character; get the file again"},
        {"UTF-32", BYTES("\xff\xfe\0\0a\0\0\0,\0\0\0y\0\0\0\n\0\0\0"),
         .refused = "t.csv is UTF-32 text: convert it to UTF-8, for instance with iconv -f utf-32 "
                    "-t utf-8"},
        {"UTF-32 without a mark", BYTES("\0\0\0a\0\0\0,\0\0\0y\0\0\0\n"),
         .refused = "t.csv is UTF-32 text: convert it to UTF-8, for instance with iconv -f utf-32 "
                    "-t utf-8"},
        {"Excel on Windows, ANSI",
         BYTES("a;Gr\xf6\xdf"
               "e \x80;y\r\n1;2;p\r\n3;4;q\r\n"),
         "a|Gr\xc3\xb6\xc3\x9f"
         "e \xe2\x82\xac",
         "p|q", "", .rows = {1, 2, 3, 4}, .o.encoding = "cp1252"},
        {"Latin-1", BYTES("a,\xe9tat,y\n1,2,p\n3,4,q\n"), "a|\xc3\xa9tat", "p|q", "",
         .rows = {1, 2, 3, 4}, .o.encoding = "latin1"},
        {"Excel on a Macintosh", BYTES("a,b,y\r1,2,p\r3,4,q\r"), "a|b", "p|q", "",
         .rows = {1, 2, 3, 4}},
        {"R, write.csv2", BYTES("\"\";\"a\";\"b\";\"y\"\n\"1\";1,5;2;\"p\"\n\"2\";3;NA;\"q\"\n"),
         "a|b", "p|q", "1|2", .rows = {1.5, 2, 3, NOT_HERE}, .o.allow_missing = true},
        {"R, write.table", BYTES("\"a\"\t\"b\"\t\"y\"\n\"r1\"\t1\t2\t\"p\"\n\"r2\"\t3\t4\t\"q\"\n"),
         "a|b", "p|q", "r1|r2", .rows = {1, 2, 3, 4}, .path = "t.txt"},
        {"R, write.table as it is",
         BYTES("\"a\" \"b c\" \"y\"\n\"1\" 1 2 \"p q\"\n\"2\" 3 4 \"q\"\n"), "a|b c", "p q|q",
         "1|2", .rows = {1, 2, 3, 4}, .path = "t.txt"},
        {"spaces inside names separate nothing", BYTES("a b,c d,y\n1,2,p q\n3,4,r\n"), "a b|c d",
         "p q|r", "", .rows = {1, 2, 3, 4}},
        {"pandas, to_csv with its index", BYTES(",a,b,y\n0,1.0,2,p\n1,,4,q\n"), "a|b", "p|q", "0|1",
         .rows = {1, 2, NOT_HERE, 4}, .o.allow_missing = true},
        {"LibreOffice, text in quotes",
         BYTES("\"a \"\"x\"\"\",\"b, c\",\"y\"\n1,2,\"p\nq\"\n3,4,\"r\"\n"), "a \"x\"|b, c",
         "p\nq|r", "", .rows = {1, 2, 3, 4}},
        {"SPSS, save translate", BYTES("ID;alter;gew;gruppe\r\n1;30;70,5;1\r\n2;40;80;2\r\n"),
         "alter|gew", "1|2", "1|2", .rows = {30, 70.5, 40, 80}},
        {"Excel, empty columns and rows", BYTES("a,b,y,,\n1,2,p,,\n3,4,q,,\n,,,,\n,,,,\n"), "a|b",
         "p|q", "", .rows = {1, 2, 3, 4}},
        {"a value beside the table", BYTES("a,b,y,\n1,2,p,\n3,4,q,7\n"),
         .refused = "t.csv, line 3, column 4: found \"7\" in a column without a name: name the "
                    "column, or empty it",
         .line = 3, .column = 4},
        {"empty columns, features in rows", BYTES("g,s,t,\na,1,3,\nb,2,4,\n,,,\n"), "a|b", "",
         "s|t", .rows = {1, 2, 3, 4}, .o.features_in_rows = true},
        {"an empty row inside is a sample", BYTES("a,b,c\n1,2,3\n,,\n4,5,6\n"), "a|b|c", "", "",
         .rows = {1, 2, 3, NOT_HERE, NOT_HERE, NOT_HERE, 4, 5},
         .refused = "t.csv, line 3, column 1 (a): the value is missing (\"\"); choose "
                    "`missing` mean, median, indicator or drop",
         .line = 3, .column = 1, .o.no_target = true},
        {"a title", BYTES("Study of 2020\n\na,b,y\n1,2,p\n3,4,q\n"),
         .refused = "t.csv, line 1: a title stands above the names of the columns: `skip 2` reads "
                    "the table from line 3 on",
         .line = 1},
        {"a title in Excel's columns", BYTES("Study;;\n;;\na;b;y\n1;2;p\n3;4;q\n"),
         .refused = "t.csv, line 1: a title stands above the names of the columns: `skip 2` reads "
                    "the table from line 3 on",
         .line = 1},
        {"a first sample with gaps is no title", BYTES(",,p\n3,4,q\n5,6,q\n"), "x1|x2", "p|q|q", "",
         .rows = {NOT_HERE, NOT_HERE, 3, 4, 5, 6}, .o = {.no_header = true, .allow_missing = true}},
        {"a title, skipped", BYTES("Study of 2020\r\n\r\na,b,y\r\n1,2,p\r\n3,4,q\r\n"), "a|b",
         "p|q", "", .rows = {1, 2, 3, 4}, .o.skip = 2},
        {"lines are the file's", BYTES("Study of 2020\n\na,b,y\n1,2,p\n3,x,q\n"),
         .refused = "t.csv, line 5, column 2 (b): expected a number, as in the rest of the column, "
                    "found \"x\": `na` \"x\" takes it for missing",
         .line = 5, .column = 2, .o.skip = 2},
        {"too few lines", BYTES("a,b\n1,2\n"), .refused = "`skip 9`: t.csv has only 2 lines",
         .o.skip = 9},
    };
    CHECK_ALL(files);
}

static void test_numbers(void **state) {
    (void)state;
    static const foreign files[] = {
        {"English thousands", BYTES("a,b,y\n1,\"1,234\",p\n"),
         .refused =
             "t.csv, line 2, column 2 (b): expected a number, found \"1,234\": write numbers "
             "without thousands separators and with a decimal point",
         .line = 2, .column = 2},
        {"German thousands", BYTES("a;b;y\n1;1.234,5;p\n3;4;q\n"),
         .refused = "t.csv, line 2, column 2 (b): expected a number, found \"1.234,5\": write "
                    "numbers without thousands separators",
         .line = 2, .column = 2},
        {"Swiss thousands", BYTES("a\tb\ty\n1\t1'234.5\tp\n3\t4\tq\n"),
         .refused = "t.tsv, line 2, column 2 (b): expected a number, found \"1'234.5\": write "
                    "numbers without thousands separators",
         .line = 2, .column = 2, .path = "t.tsv"},
        {"German thousands that look like decimals", BYTES("a;b;y\n1;1.234;p\n3;4,5;q\n"),
         .refused = "t.csv, line 3, column 2 (b): \"4,5\" beside a number with a point in line 2: "
                    "write all numbers without thousands separators and with one decimal mark",
         .line = 3, .column = 2},
        {"the same the other way", BYTES("a;b;y\n1;4,5;p\n3;1.234;q\n"),
         .refused =
             "t.csv, line 3, column 2 (b): \"1.234\" beside a number with a comma in line 2: "
             "write all numbers without thousands separators and with one decimal mark",
         .line = 3, .column = 2},
        {"decimal commas between tabs", BYTES("a\tb\ty\n1\t2,5\tp\n3\t4,5\tq\n"),
         .refused = "t.tsv, line 2, column 2 (b): expected a number, found \"2,5\": write numbers "
                    "with a decimal point, or separate fields by semicolons",
         .line = 2, .column = 2, .path = "t.tsv"},
    };
    CHECK_ALL(files);
}

static void test_names(void **state) {
    (void)state;
    static const foreign files[] = {
        {"names that repeat", BYTES("a,b,a,y\n1,2,3,p\n"),
         .refused = "t.csv, line 1, column 3: the name \"a\" is that of column 1 too: "
                    "`duplicate_names number` keeps both, `drop` leaves both out",
         .line = 1, .column = 3},
        {"numbered", BYTES("a,a,a#2,y\n1,2,3,p\n"), "a|a#2|a#2#2", "p", "", .rows = {1, 2, 3},
         .o.duplicate_names = "number"},
        {"dropped, all of them", BYTES("a,b,a,y\n1,2,3,p\n"), "b", "p", "", .rows = {2},
         .o.drop = "a"},
        {"rows that repeat", BYTES("g,s\na,1\nb,2\na,3\n"), "a|b|a#2", "", "s", .rows = {1, 2, 3},
         .o = {.features_in_rows = true, .duplicate_names = "number"}},
        {"rows dropped", BYTES("g,s\na,1\nb,2\na,3\n"), "b", "", "s", .rows = {2},
         .o = {.features_in_rows = true, .drop = "a"}},
        {"Weka's attributes",
         BYTES("@attribute a real\n@attribute a real\n@attribute y {p}\n@data\n1,2,p\n"), "a|a#2",
         "p", "", .rows = {1, 2}, .o.duplicate_names = "number", .path = "t.arff"},
        {"names that a spreadsheet would run", BYTES("=1+1,\"<b>\tx\",y\n1,2,p\n"), "=1+1|<b>\tx",
         "p", "", .rows = {1, 2}},
    };
    CHECK_ALL(files);
}

/* A first column with a usual name, whose values all differ and are text or integers. */
static void test_id_rule(void **state) {
    (void)state;
    static const foreign files[] = {
        {"integers", BYTES("id,a,y\n1,5,p\n2,6,q\n"), "a", "p|q", "1|2", .rows = {5, 6}},
        {"text", BYTES("Patient,a,y\nP01,5,p\nP02,6,q\n"), "a", "p|q", "P01|P02", .rows = {5, 6}},
        {"numbers with decimals", BYTES("name,a,y\n1.5,5,p\n2,6,q\n"), "name|a", "p|q", "",
         .rows = {1.5, 5, 2, 6}},
        {"values that repeat", BYTES("sample,a,y\n1,5,p\n1,6,q\n"), "sample|a", "p|q", "",
         .rows = {1, 5, 1, 6}},
        {"text that repeats", BYTES("sample,a,y\ns,5,p\ns,6,q\n"),
         .refused =
             "t.csv, line 3, column 1 (sample): \"s\" stands in lines 2 and 3, so that the column "
             "is not taken for the sample ids: `id` \"sample\" takes it for them, `drop` "
             "\"sample\" leaves it out",
         .line = 3, .column = 1},
        {"the second of two that repeat", BYTES("id,a,y\nu,5,p\n\"v\nw\",6,q\nx,5,p\nx,5,p\n"),
         .refused =
             "t.csv, line 6, column 1 (id): \"x\" stands in lines 5 and 6, so that the column is "
             "not taken for the sample ids: `id` \"id\" takes it for them, `drop` \"id\" leaves it "
             "out",
         .line = 6, .column = 1},
        {"without a name", BYTES(",a,y\ns,5,p\nt,6,q\n"), "a", "p|q", "s|t", .rows = {5, 6}},
        {"without a name, values that repeat", BYTES(",a,y\n0,5,p\n0,6,q\n"), "a", "p|q", "",
         .rows = {5, 6}},
        {"without a name, asked for", BYTES(",a,y\n0,5,p\n0,6,q\n"), "a", "p|q", "", .rows = {5, 6},
         .o.id = "none"},
        {"the same, coded", BYTES("sample,a,y\ns,5,p\ns,6,q\nt,7,q\n"), "sample=s|sample=t|a",
         "p|q|q", "", .rows = {1, 0, 5, 1, 0, 6, 0, 1, 7}, .o.categorical = true},
        {"turned off", BYTES("id,a,y\n1,5,p\n2,6,q\n"), "id|a", "p|q", "", .rows = {1, 5, 2, 6},
         .o.id = "none"},
        {"not the first column", BYTES("a,id,y\n5,1,p\n6,2,q\n"), "a|id", "p|q", "",
         .rows = {5, 1, 6, 2}},
        {"it is the target", BYTES("name,a\nx,5\ny,6\n"), "a", "x|y", "", .rows = {5, 6},
         .o.target = "name"},
        {"Weka",
         BYTES("@attribute id real\n@attribute a real\n@attribute y {p}\n@data\n7,1,p\n8,2,p\n"),
         "a", "p|p", "7|8", .rows = {1, 2}, .path = "t.arff"},
        {"Weka, sparse",
         BYTES("@attribute id real\n@attribute a real\n@attribute y {p}\n@data\n"
               "{1 3}\n{0 8,1 2}\n"),
         "a", "p|p", "0|8", .rows = {3, 2}, .path = "t.arff"},
        {"Weka, a string",
         BYTES("@attribute name string\n@attribute a real\n@attribute y {p}\n"
               "@data\nu,1,p\nv,2,p\n"),
         "a", "p|p", "u|v", .rows = {1, 2}, .path = "t.arff"},
    };
    CHECK_ALL(files);
}

/* A model asks for NAME#2 of a file in which the name repeats. */
static void test_requested_names(void **state) {
    (void)state;
    pare_read_options o = read_options();
    static const char *const wanted[] = {"a#2"};
    o.only = wanted;
    o.n_only = 1;
    o.no_target = true;
    check_data(read_text("t.csv", "a,b,a\n1,2,3\n", &o), "a#2", "", "", (double[]){3});
    check_data(read_text("t.csv", "id,b,a#2\nu,2,3\nv,5,6\n", &o), "a#2", "", "u|v",
               (double[]){3, 6});
    o.features_in_rows = true;
    check_data(read_text("t.csv", "g,s\na,1\na,3\n", &o), "a#2", "", "s", (double[]){3});
}

typedef struct remarks {
    char text[1024];
} remarks;

static void remember(void *user, pare_log_level level, const char *message) {
    remarks *r = user;
    if (level != PARE_LOG_WARNING) return;
    size_t used = strlen(r->text);
    snprintf(r->text + used, sizeof r->text - used, "%s\n", message);
}

static void check_warning(const char *text, const pare_read_options *o, const char *warning) {
    remarks r = {""};
    pare_ctx ctx;
    pare_data *data;
    pare_error err;
    pare_ctx_init(&ctx);
    ctx.user = &r;
    ctx.log = remember;
    write_text("t.csv", text);
    if (pare_data_read(&data, "t.csv", o, &ctx, &err) != PARE_OK) fail_msg("%s", err.message);
    assert_string_equal(r.text, warning);
    pare_data_free(data);
    remove("t.csv");
}

static void test_warnings(void **state) {
    (void)state;
    pare_read_options o = read_options();
    check_warning(
        "a,y\n1,Ja\n2,JA\n3,Ja\n4,nein\n", &o,
        "t.csv: the labels \"Ja\" (2 samples) and \"JA\" (1) differ in letter case only "
        "and are two classes: `merge_case` makes them one, `labels` reads corrected ones\n");
    check_warning("a,y\n1,1e5\n2,1E5\n", &o, "");
    check_warning(
        "a,y\n1,0\n2,1\n3,.\n", &o,
        "t.csv: the label \".\" stands beside numbers and is a class: `na` \".\" takes it "
        "for missing\n");
    check_warning("a,y\n1,\"0,5\"\n2,\"1,5\"\n", &o,
                  "t.csv: the label \"0,5\" is a class and no number: write numbers with a decimal "
                  "point\n");
    check_warning("a,y\n1,0.5\n2,n.d.\n3,0.7\n", &o,
                  "t.csv: the label \"n.d.\" stands beside numbers and is a class: `na` \"n.d.\" "
                  "takes it for missing\n");
    check_warning("a,y\n1,1\n2,control\n3,2\n", &o, "");
    o.categorical = true;
    check_warning("a,b,y\n1,u,p\n2,v,q\nn.d.,u,p\n1,v,q\n", &o,
                  "t.csv: column \"a\" is coded as text, since \"n.d.\" stands among its numbers: "
                  "`na` \"n.d.\" takes it for missing\n");
    check_warning("a,b,y\n1,\"1,5\",p\n2,\"2,5\",q\n3,\"1,5\",p\n", &o,
                  "t.csv: column \"b\" is coded as text, since its values are such as \"1,5\": "
                  "write numbers with a decimal point\n");
    check_warning("a,b,y\n1,<5,p\n2,>9,q\n3,<5,p\n", &o, "");
    o.categorical = false;
    o.merge_case = true;
    check_warning("a,y\n1,Ja\n2,JA\n3,nein\n", &o, "");
    o = read_options();
    check_warning("a,b,c,y\n1,7,5,p\n-999,8,-999,q\n2,-999,6,p\n", &o,
                  "t.csv: 3 columns (\"a\", \"b\", \"c\") have the value -999 far from all others, "
                  "as codes of missing values are: `na` -999 takes it for missing\n");
    o.na = "-999";
    o.allow_missing = true;
    check_warning("a,b,c,y\n1,7,5,p\n-999,8,-999,q\n2,-999,6,p\n", &o, "");
    o = read_options(); /* one column, or not as far as three ranges */
    check_warning("a,b,y\n1,7,p\n-999,8,q\n2,9,p\n", &o, "");
    check_warning("a,b,y\n1,1,p\n9,9,q\n3,3,p\n", &o, "");
    check_warning("a,b,y\n1,1,p\n9,9,q\n2,2,p\n", &o,
                  "t.csv: 2 columns (\"a\", \"b\") have the value 9 far from all others, as codes "
                  "of missing values are: `na` 9 takes it for missing\n");
}

static void test_exports(void **state) {
    (void)state;
    static const foreign files[] = {
        {"a limit with a decimal comma", BYTES("a;b;y\n1,5;2;p\n<0,5;5;q\n2;3;p\n"),
         .refused =
             "t.csv, line 3, column 1 (a): expected a number, found \"<0,5\": write a number "
             "in place of the limit, such as the limit itself, or `na` \"<0\\,5\" takes it "
             "for missing",
         .line = 3, .column = 1, .o.allow_missing = true},
        {"as it says", BYTES("a;b;y\n1,5;2;p\n<0,5;5;q\n"), "a|b", "p|q", "",
         .rows = {1.5, 2, NOT_HERE, 5}, .o.na = "<0\\,5", .o.allow_missing = true},
        {"a name with a comma", BYTES("\"2,4-D\",b,y\n1,2,p\n3,4,q\n"), "b", "p|q", "",
         .rows = {2, 4}, .o.drop = "2\\,4-D"},
        {"a separator behind every sample", BYTES("class,a,b\np,1,2,\nq,3,4,\np,5,6,\n"), "a|b",
         "p|q|p", "", .rows = {1, 2, 3, 4, 5, 6}, .o.allow_missing = true},
        {"row names, and a gap at the end", BYTES("class,a,b\ns,p,1,\nt,q,3,4\n"), "a|b", "p|q",
         "s|t", .rows = {1, NOT_HERE, 3, 4}, .o.allow_missing = true},
        {"turned round", BYTES("g,s,t\na,1,2,\nb,3,4,\ny,p,q,\n"), "a|b", "p|q", "s|t",
         .rows = {1, 3, 2, 4}, .o.features_in_rows = true, .o.target = "y"},
        {"comments", BYTES("# exported\n# twice\na,b,y\n1,2,p\n3,4,q\n"),
         .refused = "t.csv, line 1: a title stands above the names of the columns: `skip 2` reads "
                    "the table from line 3 on",
         .line = 1},
        {"no-break spaces",
         BYTES("a,b,y\n1\xc2\xa0,2,p\n3,\xe2\x80\xaf"
               "4,p\xc2\xa0\n"),
         "a|b", "p|p", "", .rows = {1, 2, 3, 4}},
        {"a minus of a text processor",
         BYTES("a,b,y\n\xe2\x88\x92"
               "1,2,p\n3,4,q\n5,6,q\n"),
         .refused = "t.csv, line 2, column 1 (a): expected a number, found \"\xe2\x88\x92"
                    "1\": "
                    "write the minus sign as -",
         .line = 2, .column = 1},
        {"infinities", BYTES("a,b,y\nInf,2,p\n3,-inf,q\n"), "a|b", "p|q", "",
         .rows = {NOT_HERE, 2, 3, NOT_HERE}, .o.na = "inf,-Inf", .o.allow_missing = true},
        {"big-endian without a mark",
         BYTES("\0a\0,\0y\0\n\0"
               "1\0,\0p\0\n"),
         .refused = "t.csv is big-endian UTF-16 text: convert it to UTF-8, for instance with iconv "
                    "-f utf-16be -t utf-8",
         .o.encoding = "utf-16"},
        {"no UTF-16", BYTES("a,b,y\n1,2,p\n3,4,q\n"),
         .refused = "t.csv is no UTF-16 text: leave `encoding` out, or give another",
         .o.encoding = "utf-16"}};
    CHECK_ALL(files);
}

TEST_FILE(test_foreign_text) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing_codes),   cmocka_unit_test(test_targets),
        cmocka_unit_test(test_layouts),         cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),           cmocka_unit_test(test_id_rule),
        cmocka_unit_test(test_requested_names), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_exports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

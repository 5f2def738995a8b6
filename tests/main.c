/* The test files of one folder as one program: `tests_unit test_csv` runs tests/unit/test_csv.c. The
 * build writes their names into tests.def. */
#include <stdio.h>
#include <string.h>

#define FILE_NAMED(name) int name(void);
#include "tests.def"
#undef FILE_NAMED

static const struct {
    const char *name;
    int (*run)(void);
} files[] = {
#define FILE_NAMED(name) {#name, name},
#include "tests.def"
#undef FILE_NAMED
};

int main(int argc, char **argv) {
    size_t count = sizeof files / sizeof files[0];
    for (size_t i = 0; argc == 2 && i < count; i++)
        if (strcmp(files[i].name, argv[1]) == 0) return files[i].run();
    fprintf(stderr, "usage: %s FILE, where FILE is one of\n", argv[0]);
    for (size_t i = 0; i < count; i++) fprintf(stderr, "  %s\n", files[i].name);
    return 2;
}

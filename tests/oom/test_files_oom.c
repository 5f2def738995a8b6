/* Files that are put into place together, under failing allocations: all or none. */
#include <stdio.h>
#include <string.h>

#include <pare/files.h>

#include "support/support.h"
#include "support/text_files.h"

static pare_status write_two(void *user, const pare_ctx *ctx) {
    pare_files *files;
    pare_error err;
    (void)user;
    pare_status status = pare_files_new(&files, ctx, &err);
    if (status != PARE_OK) return status;
    status = pare_files_add(files, "first.txt", "new\n", &err);
    if (status == PARE_OK) status = pare_files_add(files, "second.txt.gz", "new\n", &err);
    if (status == PARE_OK) status = pare_files_place(files, &err);
    pare_files_free(files);
    return status;
}

static bool holds(const char *path, const char *text) {
    char bytes[64] = "";
    FILE *from = fopen(path, "rb");
    if (!from) return false;
    size_t count = fread(bytes, 1, sizeof bytes - 1, from);
    fclose(from);
    return count == strlen(text) && strcmp(bytes, text) == 0;
}

static void allocations(void **state) {
    (void)state;
    write_text("first.txt", "old\n");
    check_oom(write_two, NULL);
    assert_true(holds("first.txt", "new\n"));
    assert_int_equal(remove("second.txt.gz"), 0);
    assert_int_equal(remove("first.txt"), 0);
}

/* No file changes before all are complete, and no temporary file remains. */
static void a_failure_touches_nothing(void **state) {
    (void)state;
    pare_files *files;
    pare_error err;
    write_text("first.txt", "old\n");
    assert_int_equal(pare_files_new(&files, NULL, &err), PARE_OK);
    assert_int_equal(pare_files_add(files, "first.txt", "new\n", &err), PARE_OK);
    assert_true(holds("first.txt", "old\n"));
    assert_int_equal(pare_files_add(files, "nofolder/second.txt", "new\n", &err), PARE_E_IO);
    assert_non_null(strstr(err.message, "nofolder/second.txt"));
    pare_files_free(files);
    assert_true(holds("first.txt", "old\n"));
    assert_null(fopen("first.txt.tmp0", "rb"));
    assert_int_equal(pare_files_check("nofolder/x", NULL, &err), PARE_E_IO);
    assert_int_equal(pare_files_check("x", NULL, &err), PARE_OK);
    assert_int_equal(remove("first.txt"), 0);
}

TEST_FILE(test_files_oom) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations),
        cmocka_unit_test(a_failure_touches_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

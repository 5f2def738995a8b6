/* Ranks, of every method: features distributed over 2, 3 or 4 ranks give the model of one process
 * to the byte, on every rank. Ranks are threads here; tests/mpi has processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/ranks.h"
#include "support/ranks_case.h"

enum { MOST = 4 };

typedef struct trial {
    const conform_case *c;
    char *csv;
    char *text[MOST];
    char failed[MOST][300];
} trial;

static void on_rank(const pare_ranks *ranks, void *user) {
    trial *t = user;
    pare_ctx ctx = ranks_context(ranks);
    pare_error err;
    if (ranks_case_fit(&t->text[ranks->index], t->c, t->csv, &ctx, &err) != PARE_OK)
        snprintf(t->failed[ranks->index], sizeof t->failed[0], "%.290s", err.message);
}

static void compare(const conform_case *c, void *user) {
    int count = 2 + ++*(int *)user % (MOST - 1);
    trial k = {.c = c, .csv = ranks_case_csv(c)};
    char *one = NULL;
    pare_error err;
    pare_status status = ranks_case_fit(&one, c, k.csv, NULL, &err);
    ranks_run(count, 3, on_rank, &k);
    for (int i = 0; i < count; i++) {
        if (status != PARE_OK && strcmp(k.failed[i], err.message) != 0)
            conform_fail(c, "rank %d of %d says %s, one process %s", i, count, k.failed[i],
                         err.message);
        else if (status == PARE_OK && !k.text[i])
            conform_fail(c, "rank %d of %d: %s", i, count, k.failed[i]);
        else if (status == PARE_OK && strcmp(k.text[i], one) != 0)
            conform_fail(c, "rank %d of %d has another model than one process", i, count);
        if (k.text[i]) pare_text_free(k.text[i], NULL);
    }
    if (one) pare_text_free(one, NULL);
    free(k.csv);
}

static void ranks_do_not_change_a_byte(void **state) {
    (void)state;
    int count = 0;
    conform_walk(compare, &count);
}

TEST_FILE(test_conform_ranks) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_do_not_change_a_byte)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The registry under mpirun: of every third method and task (argument: the first, 0 to 2) the model of all
 * ranks together, on every rank, is the one that this process makes alone. What settings change is asked
 * of ranks that are threads (tests/conform/test_conform_ranks.c). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "support/ranks_case.h"
#include "talk.h"

typedef struct walk_state {
    int number, first;
    pare_ctx ctx;
} walk_state;

static void compare(const conform_case *c, void *user) {
    walk_state *w = user;
    if (c->name || w->number++ % 3 != w->first) return;
    char *csv = ranks_case_csv(c), *one = NULL, *all = NULL;
    pare_error alone = {0}, together = {0};
    pare_status status = ranks_case_fit(&one, c, csv, NULL, &alone);
    pare_status shared = ranks_case_fit(&all, c, csv, &w->ctx, &together);
    if (status != shared ||
        (one && all ? strcmp(one, all) : strcmp(alone.message, together.message)))
        conform_fail(c, "rank %d of %d has not what one process has: %s", w->ctx.ranks->index,
                     w->ctx.ranks->count, together.message);
    if (one) pare_text_free(one, NULL);
    if (all) pare_text_free(all, NULL);
    free(csv);
}

static void mpi_does_not_change_a_byte(void **state) { conform_walk(compare, *state); }

int main(int argc, char **argv) {
    int provided;
    pare_ranks ranks;
    walk_state w = {.first = argc > 1 ? atoi(argv[1]) : 0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE || !talk_begin(&ranks, 2)) MPI_Abort(MPI_COMM_WORLD, 1);
    pare_ctx_init(&w.ctx);
    w.ctx.threads = 1;
    w.ctx.ranks = &ranks;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(mpi_does_not_change_a_byte, &w)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    talk_end();
    MPI_Finalize();
    return failed;
}

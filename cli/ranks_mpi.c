/* Ranks of the command line through MPI: beginning, end, and errors. */
#define _DEFAULT_SOURCE
#include "launch.h"

#include <mpi.h>
#include <omp.h>
#include <time.h>
#include <unistd.h>

#include "talk.h"

enum { WAIT_S = 3 }; /* for other ranks to fail as well */

static struct {
    bool joined;
    int index, count;
    FILE *voice; /* the original stderr: for an error of this rank only */
    MPI_Comm failures;
    pare_ranks ranks;
} world = {.count = 1};

bool ranks_is_first(void) { return world.index == 0; }
int ranks_count(void) { return world.count; }

int ranks_join(void) {
    int provided;
    if (!ranks_started()) return EXIT_FINE;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
        return say_usage("MPI cannot be started");
    world.joined = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &world.index);
    MPI_Comm_size(MPI_COMM_WORLD, &world.count);
    MPI_Comm_dup(MPI_COMM_WORLD, &world.failures);
    if (world.index > 0) {
        int voice = dup(STDERR_FILENO);
        world.voice = voice >= 0 ? fdopen(voice, "w") : NULL;
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            MPI_Abort(MPI_COMM_WORLD, EXIT_RUN);
    }
    if (provided < MPI_THREAD_MULTIPLE)
        return say_usage("this MPI does not let several threads talk (MPI_THREAD_MULTIPLE)");
    return EXIT_FINE;
}

int ranks_begin(options *o) {
    if (world.count < 2) return EXIT_FINE;
    bool works = o->command->takes & TAKES_METHOD || o->command->run == run_merge ||
                 o->command->run == run_check;
    if (!works && (o->command->takes & TAKES_RUN))
        return say_usage("pare %s runs as one process: start it without mpirun", o->command->name);
    if (!works) return EXIT_FINE;
    if (o->ctx.time_limit_s > 0)
        return say_usage("--time-limit does not go with several ranks, whose clocks differ: stop "
                         "them, and a --checkpoint goes on from there");
    int64_t own[2] = {o->ctx.threads > 0 ? o->ctx.threads : omp_get_max_threads(),
                      o->ctx.memory_bytes};
    int64_t least[2];
    MPI_Allreduce(own, least, 2, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    o->ctx.threads = (int32_t)least[0];
    o->ctx.memory_bytes = least[1];
    /* a lane for each thread, and one for joint work */
    if (!talk_begin(&world.ranks, (int)least[0] + 1)) MPI_Abort(MPI_COMM_WORLD, EXIT_RUN);
    o->ctx.ranks = &world.ranks;
    return EXIT_FINE;
}

/* Whether all ranks arrived here within some seconds. */
static bool all_come(MPI_Comm comm, double seconds) {
    MPI_Request all;
    int there = 0;
    MPI_Ibarrier(comm, &all);
    for (double end = seconds_now() + seconds; !there && seconds_now() < end;) {
        MPI_Test(&all, &there, MPI_STATUS_IGNORE);
        if (!there) nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return there;
}

void ranks_failed(const char *sentence, int code) {
    if (world.count < 2 || all_come(world.failures, WAIT_S + 0.1 * world.index)) return;
    if (world.voice) {
        fprintf(world.voice, "pare: rank %d: ", world.index);
        print_sentence(world.voice, sentence);
        fputc('\n', world.voice);
        fflush(world.voice);
    }
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, code);
}

void ranks_leave(int code, bool verbose, double megabytes) {
    if (!world.joined) return;
    if (!all_come(MPI_COMM_WORLD, code == EXIT_FINE ? 1e9 : WAIT_S))
        MPI_Abort(MPI_COMM_WORLD, code);
    talk_end();
    double own[2] = {world.index ? megabytes : 0, 1e-6 * talk_moved()};
    double most[2] = {0, 0};
    MPI_Reduce(own, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (verbose && world.count > 1)
        fprintf(
            stderr,
            "pare: %d ranks: the first took %.4g MB, others at most %.4g MB; one sent and asked "
            "for %.4g MB at most\n",
            world.count, megabytes, most[0], most[1]);
    MPI_Finalize();
}

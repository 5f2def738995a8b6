/* Times operations on a matrix that is spread over ranks: bench_mpi N D THREADS REPEATS, alone or under
 * mpirun. Prints `key value` lines on rank 0: seconds, processor seconds of the rank that took most, and
 * megabytes that a rank sent. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/context.h"
#include "base/rng.h"
#include "la/matrix.h"
#include "talk.h"

enum { MANY = 20 };

typedef struct bench {
    view v;
    double *K, *U, *out;
    pare_ctx ctx;
    int index, repeats;
} bench;

typedef pare_status (*operation)(const bench *b);

static pare_status gram(const bench *b) { return mat_gram(&b->v, NULL, NULL, b->K, &b->ctx, NULL); }
static pare_status tmul(const bench *b) { return mat_tmul(&b->v, b->U, 1, b->out, &b->ctx, NULL); }
static pare_status tmul_many(const bench *b) {
    return mat_tmul(&b->v, b->U, MANY, b->out, &b->ctx, NULL);
}
static pare_status stats(const bench *b) {
    return mat_stats(&b->v, NULL, (col_stats *)(void *)b->out, &b->ctx, NULL);
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(const bench *b, const char *name, operation run) {
    double least = 0, moved = 0, least_cpu = 0;
    for (int k = 0; k < b->repeats; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime(), before = talk_moved(), cpu = processor_seconds();
        if (run(b) != PARE_OK) MPI_Abort(MPI_COMM_WORLD, 1);
        cpu = processor_seconds() - cpu;
        MPI_Barrier(MPI_COMM_WORLD);
        double now = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &cpu, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (k == 0 || now < least) least = now;
        if (k == 0 || cpu < least_cpu) least_cpu = cpu;
        moved = talk_moved() - before;
    }
    if (b->index == 0)
        printf("%s %.6g\n%s_cpu %.6g\n%s_moved %.6g\n", name, least, name, least_cpu, name,
               1e-6 * moved);
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc != 5 || provided < MPI_THREAD_MULTIPLE) return 2;
    int64_t n = atoll(argv[1]), d = atoll(argv[2]), from, to;
    bench b = {.repeats = atoi(argv[4])};
    pare_ranks ranks;
    matrix own, x;
    rng r;
    pare_ctx_init(&b.ctx);
    b.ctx.threads = atoi(argv[3]);
    if (!talk_begin(&ranks, b.ctx.threads + 1)) return 1;
    b.index = ranks.index;
    mat_distributed_range(d, ranks.count, ranks.index, &from, &to);
    double *value = malloc(sizeof *value * (size_t)(n * (to - from)));
    double *shift = malloc(sizeof *shift * (size_t)d);
    b.K = malloc(sizeof *b.K * (size_t)(n * n));
    b.U = malloc(sizeof *b.U * (size_t)(n * MANY));
    b.out = malloc(sizeof *b.out * (size_t)(d * MANY));
    if (!value || !shift || !b.K || !b.U || !b.out) return 1;
    rng_seed(&r, 1, (uint64_t)ranks.index);
    for (int64_t i = 0; i < n * (to - from); i++) value[i] = rng_uniform(&r);
    for (int64_t j = 0; j < d; j++) shift[j] = 0.5;
    for (int64_t i = 0; i < n * MANY; i++) b.U[i] = rng_uniform(&r);
    own = mat_dense_own(n, to - from, value);
    x = own;
    if (ranks.count > 1) {
        b.ctx.ranks = &ranks;
        if (mat_distributed(&x, d, &own, from, false, &ranks, ctx_allocator(NULL), NULL) != PARE_OK)
            return 1;
    }
    b.v = view_all(&x);
    b.v.shift = b.v.scale = shift;
    measure(&b, "gram", gram);
    measure(&b, "tmul_1", tmul);
    measure(&b, "tmul_20", tmul_many);
    measure(&b, "stats", stats);
    mat_free(&x, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    talk_end();
    free(shift);
    free(b.K);
    free(b.U);
    free(b.out);
    MPI_Finalize();
    return 0;
}

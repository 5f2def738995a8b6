#define _POSIX_C_SOURCE 200809L
#include "base/process.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <pare/version.h>

/* Weak: absent from any BLAS but OpenBLAS. */
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) char *openblas_get_corename(void);

const char *pare_blas_kernel(void) {
    return openblas_get_corename ? openblas_get_corename() : "unknown";
}

/* The only state of the library. `lock` holds the process that has it, so that a lock that some
 * other thread had at the moment of a fork is known to be nobody's in the child. */
static struct {
    atomic_int lock;
    int owner;       /* the process that `depth` counts the calls of */
    int depth;       /* calls that run */
    int found;       /* BLAS threads before the first of them */
    atomic_int team; /* the process that had a team of several threads; 0: none had */
} process;

static void lock(int me) {
    for (int free_now = 0; !atomic_compare_exchange_weak(&process.lock, &free_now, me);) {
        if (free_now == me) sched_yield();
        if (free_now == me) free_now = 0; /* else a parent's: taken from it by the next exchange */
    }
}

static void unlock(void) { atomic_store(&process.lock, 0); }

/* OpenBLAS built on OpenMP passes the number on to the calling thread's parallel regions. */
static void set_blas(int threads) {
    int teams = omp_get_max_threads();
    openblas_set_num_threads(threads);
    omp_set_num_threads(teams);
}

void blas_hold(void) {
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    int me = (int)getpid();
    lock(me);
    if (process.owner != me) { /* the parent's calls do not run here, and end nothing */
        if (process.depth > 0) set_blas(process.found);
        process.owner = me;
        process.depth = 0;
    }
    if (process.depth++ == 0) {
        process.found = openblas_get_num_threads();
        if (process.found != 1) set_blas(1);
    }
    unlock();
}

void blas_let_go(void) {
    if (!openblas_get_num_threads || !openblas_set_num_threads) return;
    int me = (int)getpid();
    lock(me);
    if (process.owner == me && --process.depth == 0 && process.found != 1) set_blas(process.found);
    unlock();
}

int team_size(int wanted) {
    if (wanted <= 1) return 1;
    int me = (int)getpid(), none = 0;
    if (atomic_compare_exchange_strong(&process.team, &none, me)) return wanted;
    return none == me ? wanted : 1;
}

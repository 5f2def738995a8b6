/* Process-wide state of other libraries: OpenBLAS's number of threads, and OpenMP's pool, which
 * does not survive fork(). */
#ifndef PARE_BASE_PROCESS_H
#define PARE_BASE_PROCESS_H

/* Between the two OpenBLAS runs on one thread; the last thread to leave restores the number that
 * the first found. No effect with another BLAS. */
void blas_hold(void);
void blas_let_go(void);

/* `wanted`, or 1 in a forked child of a process that has used several threads. */
int team_size(int wanted);

#endif

/* The two things that belong to the process and not to a call, because another library made them so:
 * OpenBLAS's number of threads, and OpenMP's pool, which does not survive fork(). */
#ifndef PARE_BASE_PROCESS_H
#define PARE_BASE_PROCESS_H

/* Between the two OpenBLAS runs on one thread; the last to leave restores what the first found.
 * Nothing happens with another BLAS. */
void blas_hold(void);
void blas_let_go(void);

/* `wanted`, or 1 in a child of a process that has had a team of more. */
int team_size(int wanted);

#endif

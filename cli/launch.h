/* Several processes started together (mpirun, srun): one rank each, which communicate through MPI
 * if pare was built with it. Only rank 0 prints and writes files. */
#ifndef PARE_CLI_RANKS_H
#define PARE_CLI_RANKS_H

#include "cli.h"

/* To be called first: detects other ranks, and silences all but rank 0. Returns EXIT_FINE, or the
 * exit code after printing why ranks are not possible. */
int ranks_join(void);
/* Whether a launcher started this process, even as the only rank: it may give ranks a terminal of its own
 * as stdout. */
bool ranks_launched(void);
/* Whether several ranks were started. */
bool ranks_started(void);
/* After the options: checks that the ranks have them in common, and sets o->ctx.ranks. */
int ranks_begin(options *o);
/* To be called last, with the exit code. verbose: prints the maximum memory of a rank and the bytes
 * exchanged; megabytes: of this rank. */
void ranks_leave(int code, bool verbose, double megabytes);

/* Whether this process is rank 0, or the only one. */
bool ranks_is_first(void);
int ranks_count(void);
/* Reports an error of this rank. If all ranks have it, rank 0 has printed it; if only some have,
 * the message is printed here and all ranks end, with the exit code. */
void ranks_failed(const char *sentence, int code);

#endif

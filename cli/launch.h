/* Several processes started together (mpirun, srun): one rank each, which talk through MPI where pare was
 * built with it. Only rank 0 is heard and writes files. */
#ifndef PARE_CLI_RANKS_H
#define PARE_CLI_RANKS_H

#include "cli.h"

/* First of all: finds out whether there are other ranks, and silences all but rank 0. Returns EXIT_FINE,
 * or the exit code after having said why there cannot be any. */
int ranks_join(void);
/* Whether several ranks were started. */
bool ranks_started(void);
/* After the options: what the ranks must have in common, and o->ctx.ranks. */
int ranks_begin(options *o);
/* Last of all, with the exit code. verbose: says how much memory a rank took at most and how much went
 * between them; megabytes: of this one. */
void ranks_leave(int code, bool verbose, double megabytes);

/* This process is rank 0, or alone. */
bool ranks_speaks(void);
int ranks_count(void);
/* An error that this rank has. Where all have one it is known to all and rank 0 has said it; where only
 * some have, the sentence is printed here and all ranks end, with the exit code. */
void ranks_failed(const char *sentence, int code);

#endif

/* How ranks talk through MPI, which has been started with MPI_THREAD_MULTIPLE. */
#ifndef PARE_CLI_TALK_H
#define PARE_CLI_TALK_H

#include <stdbool.h>

#include <pare/ranks.h>

/* All ranks at once. false: out of memory or threads. */
bool talk_begin(pare_ranks *out, int lanes);
/* After all ranks have asked their last question. */
void talk_end(void);
/* Bytes that this rank has sent or asked for. */
double talk_moved(void);

#endif

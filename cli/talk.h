/* Communication of ranks through MPI, which has been started with MPI_THREAD_MULTIPLE. */
#ifndef PARE_CLI_TALK_H
#define PARE_CLI_TALK_H

#include <stdbool.h>

#include <pare/ranks.h>

/* Called by all ranks at once. Returns false when out of memory or threads. */
bool talk_begin(pare_ranks *out, int lanes);
/* Called after all ranks have sent their last request. */
void talk_end(void);
/* Bytes that this rank has sent or requested. */
double talk_moved(void);

#endif

/* Ranks that are threads of the test program: what pare/ranks.h asks for without MPI, so that sanitizers
 * see it and a walk over the registry takes no process. */
#ifndef PARE_TESTS_RANKS_H
#define PARE_TESTS_RANKS_H

#include <pare/context.h>
#include <pare/ranks.h>

/* What each rank does. Its own context has ctx->ranks; no assertion in it: leave what was found in user. */
typedef void (*rank_work)(const pare_ranks *ranks, void *user);

/* Of one rank, with two threads. */
pare_ctx ranks_context(const pare_ranks *ranks);

/* Runs work on `count` ranks at once, with so many lanes, and waits for all. */
void ranks_run(int count, int lanes, rank_work work, void *user);

#endif

/* Ranking: the infinite push (push.h) with its proximal operator (push_prox.h), and the mean over
 * all pairs (rank_svm.h). */
#ifndef PARE_SOLVE_RANK_H
#define PARE_SOLVE_RANK_H

#include "solve/rank/push.h"
#include "solve/rank/push_prox.h"
#include "solve/rank/pair_losses.h"

#endif

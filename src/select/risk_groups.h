/* Held-out samples in groups of predicted risk: their Kaplan-Meier curves, how far the groups are
 * apart, and predicted probabilities against what was observed. The groups are cut where the training
 * fold's risks are, so no test sample has a part in them. */
#ifndef PARE_SELECT_RISK_GROUPS_H
#define PARE_SELECT_RISK_GROUPS_H

#include "select/path.h"

/* The groups of each run, at the size that each training fold chose (without inner folds at the chosen
 * one), and its calibration at the path's time; nothing where the task has no such groups. */
PARE_NODISCARD pare_status risk_groups_fill(pare_path *p, const pare_ctx *ctx, pare_error *err);

/* apart: RISK_DIVISIONS numbers for each method, the log-rank statistics of its groups at the size that
 * the round's own means choose; within splits and strata, over the times a sample was tested. */
PARE_NODISCARD pare_status risk_groups_apart(double *apart, const path_round *r,
                                             const pare_ctx *ctx, pare_error *err);
/* The p-values of the runs' statistics among those of n_null_done permutations. */
void risk_groups_test(pare_path *p, const double *apart);

#endif

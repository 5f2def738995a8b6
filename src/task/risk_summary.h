/* What a split keeps of a predictor of risks besides its metrics: where the training samples' risks
 * cut into groups, how well these groups of the test samples are apart, and what turns a risk into a
 * probability. Plain numbers, so that a checkpoint stores them as they are. */
#ifndef PARE_TASK_RISK_SUMMARY_H
#define PARE_TASK_RISK_SUMMARY_H

#include "task/log_rank.h"
#include "task/task.h"

/* Two ways to divide samples: by the median of the training samples' risks, and by their tertiles. */
enum { RISK_DIVISIONS = 2, RISK_CUTS = 3 };

/* The numbers of a split at one size; NaN: the size was not run. */
typedef struct risk_summary {
    double cut[RISK_CUTS];            /* median, first and second tertile */
    log_rank between[RISK_DIVISIONS]; /* the groups of the test samples, within strata */
    /* then the baseline hazard up to T of each stratum */
} risk_summary;

const char *risk_division_name(int division);
int risk_division_groups(int division);
/* "low", "high"; "low", "middle", "high". */
const char *risk_group_name(int division, int group);
/* The group of a sample: the higher, the higher its risk. */
int32_t risk_group_of(const double *cut, int division, double risk);

/* The two functions of task_type. */
int64_t risk_summary_size(const target *y);
PARE_NODISCARD pare_status risk_summarise(double *out, double *loss, const predictions *p,
                                          const pare_ctx *ctx, pare_error *err);
/* What risk_summarise wrote; NULL: nothing. hazard (or NULL): where those of the strata are. */
const risk_summary *risk_summary_read(risk_summary *out, const double **hazard, const double *from);

#endif

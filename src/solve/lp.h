/* Linear programs whose wide part is the feature matrix, by column and row generation over CLP
 * (lp.h), and what is made of them: margins and absolute errors with an l1 penalty (l1_program.h),
 * several outputs (l1_outputs.h), the lambda at which nothing is selected (l1_lambda_max.h). */
#ifndef PARE_SOLVE_LP_H
#define PARE_SOLVE_LP_H

#include "solve/lp/l1_lambda_max.h"
#include "solve/lp/l1_outputs.h"
#include "solve/lp/l1_program.h"
#include "solve/lp/lp.h"

#endif

/* Absolute errors and margins with an l1 penalty without a general solver: the exact path over
 * lambda, vertex by vertex (l1_path.h), small programs again and again with other costs
 * (l1_simplex.h), the least error with a tiny penalty or none (least_error.h). */
#ifndef PARE_SOLVE_L1_H
#define PARE_SOLVE_L1_H

#include "solve/l1/l1_path.h"
#include "solve/l1/l1_simplex.h"
#include "solve/l1/least_error.h"

#endif

/* What the interior point methods of the other rooms share: second-order cones under Nesterov and
 * Todd's scaling (cones.h), and the rules of a step (steps.h). */
#ifndef PARE_SOLVE_INTERIOR_H
#define PARE_SOLVE_INTERIOR_H

#include "solve/interior/cones.h"
#include "solve/interior/steps.h"

#endif

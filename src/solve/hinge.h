/* One-sided residuals of several outputs: squared with a ridge (one_sided.h), row norms with a
 * row-sparse penalty (group_hinge.h). */
#ifndef PARE_SOLVE_HINGE_H
#define PARE_SOLVE_HINGE_H

#include "solve/hinge/group_hinge.h"
#include "solve/hinge/one_sided.h"

#endif

/* Generalised linear models under sparse penalties: the whole path over lambda (glm.h), and the
 * penalty as one object that others may use (penalty.h), and ridges over the samples (ridge.h). */
#ifndef PARE_SOLVE_GLM_H
#define PARE_SOLVE_GLM_H

#include "solve/glm/glm.h"
#include "solve/glm/penalty.h"
#include "solve/glm/ridge.h"

#endif

/* Support vector machines on a given Gram matrix: two classes (svm_dual.h), the same while the Gram
 * loses feature after feature (svm_track.h), all classes at once (ww_dual.h), and the smallest ball
 * around the samples (ball_dual.h). */
#ifndef PARE_SOLVE_SVM_H
#define PARE_SOLVE_SVM_H

#include "solve/svm/ball_dual.h"
#include "solve/svm/svm_dual.h"
#include "solve/svm/svm_track.h"
#include "solve/svm/ww_dual.h"

#endif

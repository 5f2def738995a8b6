/* The path of l1-svm-path over shares of lambda_max, for `pare path`. */
#ifndef PARE_METHOD_LP_L1_SVM_PATH_H
#define PARE_METHOD_LP_L1_SVM_PATH_H

#include "method/method.h"

extern const method_along l1_svm_along;

#endif

/* The path of l1-mkl-path over shares of lambda_max, for `pare path`. */
#ifndef PARE_METHOD_KERNEL_L1_MKL_PATH_H
#define PARE_METHOD_KERNEL_L1_MKL_PATH_H

#include "method/method.h"

extern const method_along l1_mkl_along;

#endif

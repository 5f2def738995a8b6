/* The path of lp-mkl along p, for `pare path`. */
#ifndef PARE_METHOD_KERNEL_LP_MKL_H
#define PARE_METHOD_KERNEL_LP_MKL_H

#include "method/method.h"

extern const method_along lp_mkl_along;
extern const method_walk lp_mkl_steps;

#endif

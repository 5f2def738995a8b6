/* The path of smo-mkl along p, for `pare path`. */
#ifndef PARE_METHOD_KERNEL_SMO_MKL_H
#define PARE_METHOD_KERNEL_SMO_MKL_H

#include "method/method.h"

extern const method_along smo_mkl_along;

#endif

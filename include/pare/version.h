/* The version of the headers, and of the library at run time. */
#ifndef PARE_VERSION_H
#define PARE_VERSION_H

#include <pare/export.h>

#define PARE_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

PARE_API const char *pare_version(void);
/* The kernel of the linear algebra, "Haswell", ...: OpenBLAS chooses it by the processor, or by the
 * environment variable OPENBLAS_CORETYPE. Results are the same to the byte under the same kernel. */
PARE_API const char *pare_blas_kernel(void);

#ifdef __cplusplus
}
#endif
#endif

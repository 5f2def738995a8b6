/* The version of the headers, and of the library at run time. */
#ifndef PARE_VERSION_H
#define PARE_VERSION_H

#include <pare/export.h>

#define PARE_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

PARE_API const char *pare_version(void);

#ifdef __cplusplus
}
#endif
#endif

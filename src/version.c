#include <pare/version.h>

const char *pare_version(void) { return PARE_VERSION; }

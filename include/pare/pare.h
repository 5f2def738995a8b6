/* pare: sparse learning and feature selection for wide data. Include this one. */
#ifndef PARE_PARE_H
#define PARE_PARE_H

#include <pare/context.h>
#include <pare/data.h>
#include <pare/export.h>
#include <pare/files.h>
#include <pare/methods.h>
#include <pare/model.h>
#include <pare/path.h>
#include <pare/settings.h>
#include <pare/status.h>
#include <pare/version.h>

#endif

/* pare: sparse learning and feature selection for wide data. Include this one.
 *
 *     pare_data       samples, features, target: read, copied or borrowed          data.h
 *     pare_settings   a method and its settings, by name                           settings.h,
 *     methods.h
 *     pare_model      pare_fit(data, settings): selected features and a predictor  model.h
 *     pare_path       pare_path_run(data, settings...): accuracy against size      path.h
 *     pare_ctx        allocator, threads, seed, limits, log, progress              context.h
 *     pare_ranks      processes that share one computation                 ranks.h
 *     pare_error      the reason why a call failed                               status.h
 *
 * Rules that hold everywhere. Arguments: outputs, data, settings, options, context, error. A
 * function that can fail returns a pare_status, and on failure sets its output to NULL and *err to
 * the reason; ctx and err may be NULL. Objects are freed by the function of their type, which
 * accepts NULL; strings and arrays returned from an object live as long as the object, unless
 * documented otherwise. Strings are UTF-8 and end with a NUL. Columns and samples count from 0.
 *
 * Threads: different objects may be used at once, and one object by many threads as long as none of
 * them changes it (pare_data_set_*, pare_data_drop_missing, pare_settings_set, *_free).
 *
 * Structs that the caller fills begin with struct_size and may grow at their end. Structs that the
 * library fills never grow: new fields get functions of their own. Before 1.0 a minor version may
 * break both, and changes the shared library's soname. */
#ifndef PARE_PARE_H
#define PARE_PARE_H

#include <pare/context.h>
#include <pare/data.h>
#include <pare/export.h>
#include <pare/files.h>
#include <pare/methods.h>
#include <pare/model.h>
#include <pare/path.h>
#include <pare/ranks.h>
#include <pare/settings.h>
#include <pare/status.h>
#include <pare/validate.h>
#include <pare/version.h>

#endif

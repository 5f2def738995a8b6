/* The settings of one method: typed values with names, checked when they are set. Names, types,
 * defaults and ranges come from one table that the command line's help and the documents share. */
#ifndef PARE_SETTINGS_H
#define PARE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/context.h>
#include <pare/export.h>
#include <pare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pare_settings pare_settings;

/* Defaults of `method` ("svm", "corr", ...). */
PARE_API PARE_NODISCARD pare_status pare_settings_new(pare_settings **out, const char *method,
                                                      const pare_ctx *ctx, pare_error *err);
PARE_API void pare_settings_free(pare_settings *settings);

/* Sets one by name ('-' and '_' are the same) from text: "10", "inf", "true", "standard".
 * The error names the setting, the value and the allowed values. */
PARE_API PARE_NODISCARD pare_status pare_settings_set(pare_settings *settings, const char *name,
                                                      const char *value, pare_error *err);

/* The value in effect as text into buffer, at most `size` bytes. */
PARE_API PARE_NODISCARD pare_status pare_settings_get(const pare_settings *settings,
                                                      const char *name, char *buffer, int64_t size,
                                                      pare_error *err);

/* One row of the table, for help and bindings. */
typedef struct pare_setting_info {
    const char *name;  /* with underscores */
    const char *type;  /* real, integer, flag, choice, text */
    char fallback[32]; /* the default, as text */
    char allowed[160]; /* range or choices, as text */
    const char *doc;   /* one sentence */
    bool common;       /* every method has it */
} pare_setting_info;

PARE_API int64_t pare_settings_count(const pare_settings *settings);
/* The i-th setting that applies to the method, its own first, 0 <= i < count; returns false for
 * another i. */
PARE_API bool pare_settings_info(pare_setting_info *out, const pare_settings *settings, int64_t i);

/* For "did you mean": which of the names is nearest to a word that is none of them, by letters
 * dropped, added, changed or swapped, ignoring case, with '-', '_' and '.' equal; a name that begins
 * with the word is near as well. -1: none is near enough; the first of equals. */
PARE_API int64_t pare_nearest(const char *word, const char *const *names, int64_t count);

#ifdef __cplusplus
}
#endif
#endif

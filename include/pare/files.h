/* Text files that are put into place together or not at all. */
#ifndef PARE_FILES_H
#define PARE_FILES_H

#include <pare/context.h>
#include <pare/export.h>
#include <pare/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The files of one run: each is written completely to a temporary file beside its place,
 * and all are renamed at the end. Until then, and after any failure, existing files are unchanged.
 * A link stays a link and a file keeps its mode. Names that end in .gz are compressed. */
typedef struct pare_files pare_files;

PARE_API PARE_NODISCARD pare_status pare_files_new(pare_files **out, const pare_ctx *ctx,
                                                   pare_error *err);
/* Writes text to a temporary file. */
PARE_API PARE_NODISCARD pare_status pare_files_add(pare_files *files, const char *path,
                                                   const char *text, pare_error *err);
/* Renames all into place. */
PARE_API PARE_NODISCARD pare_status pare_files_place(pare_files *files, pare_error *err);
/* Removes the files that were not put into place. files may be NULL. */
PARE_API void pare_files_free(pare_files *files);

/* Checks before long work whether path can be written, with an error if not; writes nothing. */
PARE_API PARE_NODISCARD pare_status pare_files_check(const char *path, const pare_ctx *ctx,
                                                     pare_error *err);
/* One file by itself: a temporary file, then renamed; "-" is standard output. */
PARE_API PARE_NODISCARD pare_status pare_text_save(const char *text, const char *path,
                                                   const pare_ctx *ctx, pare_error *err);
/* Frees a text that the library returned for the same context. */
PARE_API void pare_text_free(char *text, const pare_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif

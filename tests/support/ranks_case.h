/* A case of the registry as ranks run it: its sheet read as CSV, so that X is divided, fitted, as text. */
#ifndef PARE_TESTS_RANKS_CASE_H
#define PARE_TESTS_RANKS_CASE_H

#include "support/conform.h"

/* The case's sheet; free it with free(). */
char *ranks_case_csv(const conform_case *c);
/* Free *text with pare_text_free. */
pare_status ranks_case_fit(char **text, const conform_case *c, const char *csv, const pare_ctx *ctx,
                           pare_error *err);

#endif

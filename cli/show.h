/* The results of the commands as people read them at a terminal. */
#ifndef PARE_CLI_SHOW_H
#define PARE_CLI_SHOW_H

#include "cli.h"

/* Whether results are printed for people: --as text, or a terminal where nothing was requested. */
bool shows_people(const options *o);

int show_model(options *o, const pare_model *m);
/* path: what pare_model_path_text says, or NULL. */
int show_check(options *o, const pare_verdict *v, const char *path);
int show_validation(options *o, const pare_validation *validation, const pare_model *m);
int show_path(options *o, const pare_path *p);
/* A table of the library's own, such as that of predict --score: its lines as a table each or as
 * sentences. */
int show_table(options *o, const char *tsv);

/* Keeps a command to run next, which outputs_end prints to stderr where both streams are terminals.
 * The words are quoted for a shell; NULL ends them. */
void show_next(options *o, const char *const *words);

#endif

/* The target as a file has it, once all of it is there: what is missing among numbers, and labels
 * that differ in letter case only. */
#ifndef PARE_DATA_SAMPLE_READ_LABELS_H
#define PARE_DATA_SAMPLE_READ_LABELS_H

#include "data/builder.h"

/* Texts such as . and - are missing if all others are numbers that are no classes: they become empty
 * where b->drop_unlabelled, else the first is rejected; beside classes they are labels, with a warning. merge: labels that differ in letter case only become
 * the one that is seen first; otherwise they are named in a warning. */
PARE_NODISCARD pare_status labels_settle(data_builder *b, bool merge, const char *where,
                                         const pare_ctx *ctx, pare_error *err);

/* A letter of UTF-8 in lower case: Latin, Greek and Cyrillic; other bytes stay. Reads *p and goes on to
 * the next; writes up to 4 bytes, and returns their number. */
int letter_lower(const char **p, char out[4]);

#endif

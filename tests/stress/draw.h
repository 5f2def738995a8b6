/* Random tables and random settings for the campaign, drawn from a number. */
#ifndef PARE_TESTS_TORTURE_DRAW_H
#define PARE_TESTS_TORTURE_DRAW_H

#include <pare/pare.h>
#include <stdio.h>

#include "base/rng.h"

typedef struct drawn {
    pare_method_info method;
    const char *task;
    int64_t n, d;
    double *x;      /* n x d, column-major */
    double *weight; /* n, or NULL */
    bool missing;
    pare_data *data;
    pare_settings *settings;
    char said[4096]; /* the settings, as the command line would have them */
} drawn;

/* false: the library refused the data or a setting; with what words is in err. */
bool draw(drawn *out, rng *r, pare_error *err);
void drawn_free(drawn *t);

#endif

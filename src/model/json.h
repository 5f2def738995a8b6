/* Numbers of the model file. */
#ifndef PARE_MODEL_JSON_H
#define PARE_MODEL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

json_t *number_json(double x); /* null unless finite */
/* `count` numbers, `stride` apart. */
json_t *numbers_json(const double *v, int64_t count, int64_t stride);
/* Returns false unless it is an array of `count` numbers. */
bool numbers_read(const json_t *array, int64_t count, double *out, int64_t stride);

#endif

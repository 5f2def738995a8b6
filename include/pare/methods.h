/* The methods of this library. */
#ifndef PARE_METHODS_H
#define PARE_METHODS_H

#include <stdbool.h>
#include <stdint.h>

#include <pare/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pare_method_info {
    const char *name;
    const char *summary; /* one line */
    const char *tasks;   /* comma-separated: binary, multiclass, ranking, regression */
    const char *problem; /* the objective as solved, with signs and scale */
    const char *citation;
    bool weighs;      /* its features have weights: pare_model_weights */
    bool counts;      /* requires non-negative values */
    bool probability; /* its models have class probabilities without calibration */
    bool offset;      /* supports offsets: pare_data_set_offset */
} pare_method_info;

PARE_API int64_t pare_methods_count(void);
/* The i-th, 0 <= i < count; returns false for another i. The strings are static. */
PARE_API bool pare_methods_info(pare_method_info *out, int64_t i);

#ifdef __cplusplus
}
#endif
#endif

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
    bool probability; /* its models without k have class probabilities without calibration */
    bool offset;      /* supports offsets: pare_data_set_offset */
} pare_method_info;

PARE_API int64_t pare_methods_count(void);
/* The i-th, 0 <= i < count; returns false for another i. The strings are static. */
PARE_API bool pare_methods_info(pare_method_info *out, int64_t i);

/* Of `auto`, the default pipeline, which stands for methods of the list: problem says which and when. */
PARE_API void pare_methods_default(pare_method_info *out);

/* A final classifier: a value of the setting `classifier` of methods that only select. */
typedef struct pare_classifier {
    const char *name, *citation;
    bool
        log_odds; /* its scores are log odds, which `probability` calibrates by a temperature; else by
                      a sigmoid */
} pare_classifier;
/* The i-th one; returns false if there are no more. The strings are static. */
PARE_API bool pare_classifier_info(pare_classifier *out, int64_t i);

/* What a study may ask of a method, in the words of docs/methods.md, which live as long as the library.
 * keep         own: kept features are in its problem; partial: it chooses from what they leave of the
 *              others; no
 * cost         penalty: costs weigh the terms of its penalty; choice: they are in what is taken or
 *              eliminated next; score: they divide the scores; no
 * groups       problem: its problem has them; setting: the same with the setting `penalty` at group,
 *              else norm; elimination: groups leave; mean, norm, best: what ranks them of their
 *              features' scores; no
 * probability  own: without k those of its likelihood; calibrated: with the setting
 *              `probability`; no */
typedef struct pare_method_support {
    const char *keep, *cost, *groups, *probability;
    bool budget;       /* features can be chosen for a budget */
    bool class_weight; /* there are classes to weigh */
    bool sign;         /* coefficients can be limited to a sign: pare_data_set_signs */
} pare_method_support;

/* Of the i-th method, as pare_methods_info. */
PARE_API bool pare_methods_support(pare_method_support *out, int64_t i);

#ifdef __cplusplus
}
#endif
#endif

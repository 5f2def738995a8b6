/* From the scores of the splits of a cross-validation to an estimate with a standard error that
 * allows for overlapping training folds, and from the curve over sizes to a chosen size. */
#ifndef PARE_SELECT_SUMMARY_H
#define PARE_SELECT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct estimate {
    double mean, se;
} estimate;

/* Of `count` scores, `stride` apart; NaN ones (undefined on their split) are left out. The standard
 * error is sd sqrt(1/J + ratio) with ratio = n_test / n_train (Nadeau and Bengio 2003): training
 * folds overlap, so that plain sd/sqrt(J) would shrink with every repeat. NaN where there are fewer
 * than two scores, or none. */
estimate summary_of(const double *score, int64_t count, int64_t stride, double ratio);

typedef enum choice_rule { CHOICE_BEST, CHOICE_ONE_SE, CHOICE_TOLERANCE, CHOICE_COUNT } choice_rule;
const char *choice_name(choice_rule rule);
bool choice_parse(const char *name, choice_rule *out);

/* Whether mean a is better than b by more than rounding: the same scores in another order tie. */
bool mean_better(double a, double b, bool higher);

/* The position of the chosen size: of the best mean (the smallest of equals), or the smallest size
 * whose mean is within one standard error of the best, or within `tolerance` times |best mean|.
 * -1 where no mean is defined. */
int64_t choice_make(const estimate *point, int64_t n_sizes, bool higher, choice_rule rule,
                    double tolerance);

#endif

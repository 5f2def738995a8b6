#include "select/summary.h"

#include <math.h>
#include <string.h>

estimate summary_of(const double *score, int64_t count, int64_t stride, double ratio) {
    double sum = 0, squares = 0, defined = 0;
    for (int64_t j = 0; j < count; j++) {
        if (isnan(score[j * stride])) continue;
        sum += score[j * stride];
        defined++;
    }
    if (defined == 0) return (estimate){NAN, NAN};
    double mean = sum / defined;
    for (int64_t j = 0; j < count; j++) {
        double off = score[j * stride] - mean;
        if (!isnan(off)) squares += off * off;
    }
    if (defined < 2) return (estimate){mean, NAN};
    return (estimate){mean, sqrt(squares / (defined - 1) * (1 / defined + ratio))};
}

static const char *const rule_names[] = {"best", "1se", "tolerance"};

const char *choice_name(choice_rule rule) { return rule_names[rule]; }

bool choice_parse(const char *name, choice_rule *out) {
    for (int i = 0; i < CHOICE_COUNT; i++)
        if (strcmp(name, rule_names[i]) == 0) {
            *out = (choice_rule)i;
            return true;
        }
    return false;
}

bool mean_better(double a, double b, bool higher) {
    static const double TIE = 1e-12; /* sums of the same scores in another order of folds */
    return (higher ? a - b : b - a) > TIE * fmax(1, fabs(b));
}

int64_t choice_make(const estimate *point, int64_t n_sizes, bool higher, choice_rule rule,
                    double tolerance) {
    int64_t best = -1;
    double sign = higher ? 1 : -1;
    for (int64_t s = 0; s < n_sizes; s++) {
        if (isnan(point[s].mean)) continue;
        if (best < 0 || mean_better(point[s].mean, point[best].mean, higher)) best = s;
    }
    if (best < 0 || rule == CHOICE_BEST) return best;
    double slack = rule == CHOICE_ONE_SE ? point[best].se : tolerance * fabs(point[best].mean);
    double bound = point[best].mean - sign * slack;
    for (int64_t s = 0; s < best; s++) { /* an undefined slack chooses the best itself */
        bool compares = !isnan(bound) && !isnan(point[s].mean);
        if (compares && !mean_better(bound, point[s].mean, higher)) return s;
    }
    return best;
}

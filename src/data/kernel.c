#include "data/kernel.h"

#include <math.h>
#include <string.h>

double kernel_value(const kernel_model *k, double sum) {
    if (k->weight) return sum;
    return strcmp(k->type, "rbf") == 0 ? exp(-sum) : pow(sum + k->coef0, k->degree);
}

void kernel_add(const kernel_model *k, int64_t j, double shift, const double *x, int64_t n,
                double *sums) {
    bool rbf = strcmp(k->type, "rbf") == 0;
    for (int64_t s = 0; s < k->n_support; s++) {
        double own = k->x[j * k->n_support + s], *to = sums + s * n;
        if (k->weight && k->weight[j] == 0) continue;
        if (k->weight && rbf)
            for (int64_t i = 0; i < n; i++)
                to[i] += k->weight[j] * exp(-k->gamma[j] * (x[i] - own) * (x[i] - own));
        else if (k->weight)
            for (int64_t i = 0; i < n; i++) to[i] += x[i] == own ? k->weight[j] : 0;
        else if (rbf)
            for (int64_t i = 0; i < n; i++) to[i] += k->gamma[j] * (x[i] - own) * (x[i] - own);
        else
            for (int64_t i = 0; i < n; i++) to[i] += k->gamma[j] * (x[i] - shift) * (own - shift);
    }
}

void kernel_finish(const kernel_model *k, double *sums, int64_t count) {
    for (int64_t i = 0; i < count; i++) sums[i] = kernel_value(k, sums[i]);
}

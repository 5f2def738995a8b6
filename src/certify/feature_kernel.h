/* The kernel of one raw feature for certificates: by distinct values with plain double loops or,
 * for many values, by its cosine series. Shares no code with the solvers. */
#ifndef PARE_CERTIFY_FEATURE_KERNEL_H
#define PARE_CERTIFY_FEATURE_KERNEL_H

#include "certify/certify.h"

typedef enum cert_kind { CERT_RBF, CERT_LINEAR, CERT_DELTA } cert_kind;

typedef struct cert_feature {
    cert_kind kind;
    double gamma, mean;  /* rbf; linear: values count from the mean */
    int64_t capacity, q; /* the most values, columns of masses */
    int64_t u;           /* distinct values */
    double *value;       /* capacity: ascending or in order of appearance */
    int64_t *code;       /* capacity: of each value given */
    double *mass;        /* capacity x q, by distinct value: [g * q + c] */
    double *applied;     /* capacity x q: (K - shift) mass */
    double shift;        /* 1 if the kernel minus 1 was applied, which keeps small gammas exact */
    double *wave;        /* 4 capacity */
    double *tone;        /* 2 q */
    bool forms_only;     /* `applied` is not needed */
} cert_feature;

/* Returns false when out of memory. */
bool cert_feature_make(cert_feature *f, arena *mem, int64_t capacity, int64_t q);

/* Sets the distinct values and codes of `count` values, and clears the masses. */
void cert_feature_values(cert_feature *f, const double *x, int64_t count);

/* applied = (K - shift) mass, and the forms mass'(K - shift) mass, one per column. */
void cert_feature_apply(cert_feature *f, double *form);

/* Mean and sum of squares about it of n values with weights (NULL: ones). */
void cert_spread(const double *x, const double *weight, int64_t n, double *mean, double *squares);

#endif

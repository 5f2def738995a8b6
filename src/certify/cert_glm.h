/* Private to certify/: the certificate of a penalised generalised linear model, and its losses.
 *
 * n x c blocks stand output by output: f[o * n + i]. */
#ifndef PARE_CERTIFY_CERT_GLM_H
#define PARE_CERTIFY_CERT_GLM_H

#include "certify/certify.h"

typedef struct glm_cert glm_cert;

/* A loss as its certificate needs it, a file each (cert_loss_NAME.c); nothing is shared with the
 * solver's (solve/glm/loss.h). */
typedef struct cert_loss {
    void (*targets)(glm_cert *k); /* fills in y */
    /* U from the stored dual, as a dual point: cut to feasible signs and sizes, and balanced where
     * there is an intercept. Returns false if that fails. */
    bool (*balance)(glm_cert *k);
    double (*value)(const glm_cert *k);          /* at f */
    double (*dual)(const glm_cert *k, double t); /* -L*(-t U) without the offset's part */
    /* The decision value in output o that corresponds to U of sample i. */
    double (*decision_of_dual)(const glm_cert *k, int64_t o, int64_t i);
    double (*nothing)(const glm_cert *k); /* a loss that is none, to rounding */
    /* Instead of balance, where no dual is stored: U from the decision values f of the point itself. Sets
     * *fine to false if there is none. NULL: U is stored. */
    pare_status (*from_point)(glm_cert *k, bool *fine, cert_reader *reader, pare_error *err);
} cert_loss;

extern const cert_loss cert_squared, cert_logistic, cert_softmax, cert_cox;

struct glm_cert {
    const cert_job *job;
    const cert_loss *loss;
    bool rows;
    double lambda, alpha;
    bool adaptive;
    double gamma, ridge;
    bool wrong;   /* a coefficient has a sign that it must not have */
    bool by_dual; /* the point is X'U / lambda, of a ridge, with the intercepts that belong to U */
    int64_t n, c;
    double *s, *y, *U, *f; /* n; n x c */
    int64_t *block;        /* d: the features that are one unit, or one for each output */
    int64_t n_units;
    double *w2, *g2, *size;   /* per unit: squares, and number of features */
    double *cost;             /* per block, or NULL: ones */
    bool efron;               /* of cert_cox: how ties are seen */
    struct cert_terms *terms; /* the same */
};

/* f from the point's coefficients, the intercepts and the offset. */
PARE_NODISCARD pare_status cert_glm_values(double *f, const cert_job *job, int64_t outputs,
                                           cert_reader *reader, pare_error *err);

#endif

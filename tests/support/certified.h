/* Fits of random problems that their certificates must accept from raw data, and models with a number
 * changed, which the certificates must detect: one that accepts everything passes the first and fails
 * the second. */
#ifndef PARE_TESTS_CERTIFIED_H
#define PARE_TESTS_CERTIFIED_H

#include "support/fits.h"

/* --- problems --- */

/* Wide, tall, without a signal, sparse, weighted, with missing values, of several classes; with a
 * constant column and one that repeats another; of one feature, with one sample a class. */
enum { N_PROBLEMS = 11 };
extern const problem_shape certified_problems[N_PROBLEMS];
/* The same for methods on the kernels of single features. */
enum { N_KERNEL_PROBLEMS = 8 };
extern const problem_shape kernel_problems[N_KERNEL_PROBLEMS];

/* --- fits --- */

/* A fit, and how small its relative certificates must be. */
typedef struct certified_way {
    const char *method;
    const char *const *pairs;
    double predictor;
    double selection; /* of the selecting problem, which must be there; 0: it need not be, and where
                         it has a certificate that is held to the predictor's */
} certified_way;

/* What ways are tried on, and what else must hold. */
typedef struct certified_run {
    uint64_t seed;
    const problem_shape *shapes; /* NULL: certified_problems */
    int n_shapes;
    bool descends; /* to a stationary point of a problem that is not convex: the gap is that of its
                      last convex part, and the outcome need not be optimal */
    void (*also)(const pare_model *); /* or NULL */
} certified_run;

/* Every way on a fresh problem of every shape whose classes its method can tell apart and that has as
 * many features as the way asks for; missing values are filled in. Fails the test unless
 * - both reports, of the fit and of a check afterwards, are solved, as optimal where a duality gap is
 *   the proof, with certificates from 0, but for rounding, to what the way allows;
 * - the ranking holds every column once, by falling scores, and the selected ones in their order;
 * - no constant column is selected. */
void check_all_certified(certified_run run, const certified_way *ways, int count);
/* The same for one method with each of these settings. */
void check_settings_certified(certified_run run, const char *method,
                              const char *const *const *settings, int count, double most);

/* Its parts, for fits of other kinds. The title is for the message. */
void check_certified(const pare_report *r, double most, const char *title);
void check_ranking(const pare_model *m, const char *title);

/* --- changed models --- */

typedef enum cert_part { CERT_PREDICTOR, CERT_SELECTION } cert_part;

/* What the certificate says from raw data of the model as it is now. */
pare_report certify_now(const pare_model *m, const pare_data *data, cert_part part);

/* A model that is changed and put back; the relative certificate of `part` is at most `certified` with
 * the model as it is, and above `broken` with any change. */
typedef struct cert_probe {
    const pare_model *m;
    const pare_data *data;
    cert_part part;
    double certified, broken;
} cert_probe;

/* Fails the test unless it is so with *number changed, or with all n numbers of v times `factor`. */
void check_breaks_at(const cert_probe *p, double *number, double changed, const char *file,
                     int line);
void check_scaling_breaks_at(const cert_probe *p, double *v, int64_t n, double factor,
                             const char *file, int line);
#define check_breaks(p, number, changed)                                                           \
    check_breaks_at((p), (number), (changed), __FILE__, __LINE__)
#define check_scaling_breaks(p, v, n, factor)                                                      \
    check_scaling_breaks_at((p), (v), (n), (factor), __FILE__, __LINE__)
/* Fails the test unless it is so now, after a change that the test undoes itself. */
void check_broken_at(const cert_probe *p, const char *file, int line);
#define check_broken(p) check_broken_at((p), __FILE__, __LINE__)

#endif

/* A learning curve: the nested CV estimate on subsamples of the data, and an inverse power law. */
#ifndef PARE_PATH_SAMPLE_SIZE_H
#define PARE_PATH_SAMPLE_SIZE_H

#include "base/memory.h"
#include "select/path.h"

/* score(n) = a - b n^-c. */
typedef struct learning_curve {
    double a, b, c;
} learning_curve;
double learning_curve_at(const learning_curve *curve, double n);
/* The least whole n at which the curve is as good as the score; NaN: none up to 1e9. */
double learning_curve_reaches(const learning_curve *curve, double score, bool higher);

typedef struct sample_size_job {
    const pare_settings *settings;
    const pare_path_options *options;
    int64_t points, draws;
    double target; /* NaN: none */
    bool speaks;   /* logs what the path logs */
} sample_size_job;

typedef struct pare_sample_size {
    arena mem; /* all arrays below, and the struct itself is from mem.mem */
    const metric_info *metric;
    int64_t n_points, n_draws;
    double *n, *mean, *low, *high; /* n_points: samples, and mean and 95% of the draws' scores */
    double *size, *score;          /* n_points x n_draws, a point's draws together */
    learning_curve curve;
    double a_low, a_high; /* 95% of a over bootstrap draws */
    double target;        /* NaN: none; then */
    double reached, reached_low,
        reached_high; /* the n that it needs: NaN or infinite: none reaches it */
} sample_size;

#endif

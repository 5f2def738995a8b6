/* bench_kta_path FILE D LAMBDA1 LAMBDA2 EPS STEPS: the weights of lp-KTA for D alignments (raw doubles)
 * at STEPS + 1 values of p from 2 down to 1, on one thread. Prints the best seconds of five
 *   direct     every weight at every p by itself, as `pare path -m kta` does
 *   warm       every weight from the p before, none left out
 *   predicted  the same with the first derivative
 *   approx     the paper's Algorithm 1: predicted, and a weight below eps is left out for good
 * their Newton steps, and how far the last one is from the exact path at the worst p: the objective
 * relative to the exact one, and the weights relative to the length of the exact ones. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "solve/kernel/kta_weights.h"

enum { REPEATS = 5 };
static const double NEVER = 1e-300; /* eps that leaves nothing out */

typedef struct path {
    kta_problem k;
    const double *a;
    int64_t d, steps;
    double *log_eta;
} path;

static double p_at(const path *t, int64_t s) {
    return s == t->steps ? 1 : 2 - (double)s / (double)t->steps;
}

static double seconds_direct(path *t) {
    double best = INFINITY;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = clock_now();
        for (int64_t s = 0; s <= t->steps; s++) {
            t->k.p = p_at(t, s);
            for (int64_t i = 0; i < t->d; i++) t->log_eta[i] = kta_log_weight(&t->k, t->a[i]);
        }
        best = fmin(best, clock_now() - begin);
    }
    return best;
}

static double seconds_followed(path *t, double eps, int order, kta_trace *trace) {
    double best = INFINITY;
    kta_problem k = t->k;
    k.p = 1;
    k.eps = eps;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = clock_now();
        kta_follow(t->log_eta, NULL, trace, &k, t->a, t->d, 2, 1 / (double)t->steps, order);
        best = fmin(best, clock_now() - begin);
    }
    return best;
}

/* The largest over the path, which is followed anew to each p. */
static void deviations(path *t, double *objective, double *weights) {
    *objective = *weights = 0;
    for (int64_t s = 0; s <= t->steps; s++) {
        kta_trace trace;
        double off = 0, length = 0, value = 0, exact = 0;
        t->k.p = p_at(t, s);
        kta_follow(t->log_eta, NULL, &trace, &t->k, t->a, t->d, 2, 1 / (double)t->steps, 1);
        for (int64_t i = 0; i < t->d; i++) {
            double own = exp(kta_log_weight(&t->k, t->a[i])), found = exp(t->log_eta[i]);
            off += (own - found) * (own - found);
            length += own * own;
            value += kta_value(&t->k, t->a[i], found);
            exact += kta_value(&t->k, t->a[i], own);
        }
        *objective = fmax(*objective, (value - exact) / fabs(exact));
        *weights = fmax(*weights, sqrt(off / length));
    }
}

int main(int argc, char **argv) {
    if (argc != 7) return 2;
    path t = {.d = strtoll(argv[2], NULL, 10), .steps = strtoll(argv[6], NULL, 10)};
    t.k = (kta_problem){.lambda1 = strtod(argv[3], NULL),
                        .lambda2 = strtod(argv[4], NULL),
                        .eps = strtod(argv[5], NULL)};
    double *a = malloc(sizeof *a * (size_t)t.d);
    t.a = a;
    t.log_eta = malloc(sizeof *t.log_eta * (size_t)t.d);
    FILE *file = fopen(argv[1], "rb");
    if (!a || !t.log_eta || !file || t.steps < 1) return 1;
    if (fread(a, sizeof *a, (size_t)t.d, file) != (size_t)t.d) return 1;
    fclose(file);
    kta_trace warm, predicted, approx;
    printf("direct %.9g\n", seconds_direct(&t));
    printf("warm %.9g\n", seconds_followed(&t, NEVER, 0, &warm));
    printf("predicted %.9g\n", seconds_followed(&t, NEVER, 1, &predicted));
    printf("approx %.9g\n", seconds_followed(&t, t.k.eps, 1, &approx));
    printf("warm_steps %" PRId64 "\npredicted_steps %" PRId64 "\napprox_steps %" PRId64 "\n",
           warm.newton_steps, predicted.newton_steps, approx.newton_steps);
    double objective, weights;
    deviations(&t, &objective, &weights);
    printf("active %" PRId64 "\nobjective %.9g\nweights %.9g\nbound %.9g\n", approx.active,
           objective, weights, approx.bound);
    free(t.log_eta);
    free(a);
    return 0;
}

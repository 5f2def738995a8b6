/* Figure 1: sparse and dense target polynomials of degree 2 over 10 inputs, labels = their sign.
 *     figure1 TRIALS SEED
 * Inputs N(0, 1), 20 to 100 training points, 500 test points, no noise. Random targets: a share of the
 * 65 monomials has coefficients N(0, 1), the others none. Prints `target points method trial error`. */
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

enum { D = 10, MONOMIALS = D + D * (D + 1) / 2, TEST = 500 };

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The kernel (u'v + 1/2)^2 is the paper's u'v + (u'v)^2 but for a constant, which the intercept takes. */
static const struct {
    const char *name, *method;
    const char *const *pairs;
} methods[] = {
    {"poly-svm", "svm",
     PAIRS("C", "inf", "kernel", "poly", "degree", "2", "gamma", "1", "coef0", "0.5")},
    {"poly-arom", "poly-arom", PAIRS("degree", "2", "classifier_C", "inf")},
    {"linear-svm", "svm", PAIRS("C", "1000")},
};

static const struct {
    const char *name;
    int terms; /* of a random target; 0: given */
} targets[] = {{"x1*x2+x3", 0},   {"x1", 0},          {"95% sparse", 3},
               {"90% sparse", 6}, {"80% sparse", 13}, {"0% sparse", MONOMIALS}};

static const int64_t sizes[] = {20, 50, 75, 100};

static double monomial(const double *x, int j) {
    if (j < D) return x[j];
    j -= D;
    for (int a = 0; a < D; a++) {
        if (j < D - a) return x[a] * x[a + j];
        j -= D - a;
    }
    return 0;
}

/* Coefficients of a target. */
static void choose(double *coef, int t, source *random) {
    for (int j = 0; j < MONOMIALS; j++) coef[j] = 0;
    if (t == 0) coef[D + 1] = coef[2] = 1; /* x1 x2 + x3 */
    if (t == 1) coef[0] = 1;
    for (int chosen = 0; chosen < targets[t].terms;) {
        int j = (int)(uniform(random) * MONOMIALS);
        if (coef[j] != 0) continue;
        coef[j] = normal(random);
        chosen++;
    }
}

static void draw(sample *s, const double *coef, source *random) {
    for (int64_t i = 0; i < s->n; i++) {
        double x[D], f = 0;
        for (int j = 0; j < D; j++) s->x[j * s->n + i] = x[j] = normal(random);
        for (int j = 0; j < MONOMIALS; j++) f += coef[j] * monomial(x, j);
        s->cls[i] = f > 0;
    }
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    source random = {strtoull(argv[2], NULL, 10)};
    fit_scale("none");
    printf("target\tpoints\tmethod\ttrial\terror\n");
    for (int t = 0; t < 6; t++)
        for (int n = 0; n < 4; n++)
            for (int trial = 0; trial < atoi(argv[1]); trial++) {
                double coef[MONOMIALS];
                sample train = sample_new(sizes[n], D), test = sample_new(TEST, D);
                do {
                    choose(coef, t, &random);
                    draw(&train, coef, &random);
                } while (!sample_has_two_classes(&train));
                draw(&test, coef, &random);
                for (int m = 0; m < (t == 1 ? 3 : 2); m++) {
                    pare_model *model = fit(&train, methods[m].method, methods[m].pairs, 0);
                    printf("%s\t%lld\t%s\t%d\t%.6g\n", targets[t].name, (long long)sizes[n],
                           methods[m].name, trial, error_of(model, &test));
                    pare_model_free(model);
                }
                sample_free(&test);
                sample_free(&train);
            }
    return 0;
}

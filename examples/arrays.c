/* Fit and predict from arrays.
 *
 * The matrix is the program's own, row by row; pare reads it where it is. Build:
 *     cc arrays.c $(pkg-config --cflags --libs pare) */
#include <stdio.h>
#include <stdlib.h>

#include <pare/pare.h>

enum { SAMPLES = 60, FEATURES = 200 };

/* Noise but for two features, which decide the class. */
static void make(double *x, int32_t *code) {
    uint32_t state = 1;
    for (int i = 0; i < SAMPLES; i++) {
        code[i] = i % 2;
        for (int j = 0; j < FEATURES; j++) {
            state = 1664525u * state + 1013904223u;
            x[i * FEATURES + j] = (double)(state >> 8) / (1 << 24) - 0.5;
        }
        x[i * FEATURES + 17] += code[i];
        x[i * FEATURES + 42] -= code[i];
    }
}

static void let_go(void *x) { free(x); }

static int fail(const pare_error *err) {
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

int main(void) {
    static const char *const classes[] = {"healthy", "ill"};
    double *x = malloc(sizeof *x * SAMPLES * FEATURES), score[SAMPLES];
    int32_t code[SAMPLES];
    pare_data *data = NULL;
    pare_settings *settings = NULL;
    pare_model *model = NULL;
    pare_error err;
    int code_out = 1, right = 0;
    if (!x) return 1;
    make(x, code);

    /* From here on the data set owns x: it calls let_go, whatever happens. */
    if (pare_data_borrow_dense(&data, SAMPLES, FEATURES, x, FEATURES, 1, let_go, x, NULL, &err) ||
        pare_data_set_codes(data, code, classes, 2, &err) ||
        pare_settings_new(&settings, "l2-arom", NULL, &err) ||
        pare_settings_set(settings, "k", "2", &err) ||
        pare_fit(&model, data, settings, NULL, &err) ||
        pare_predict(score, model, data, NULL, &err)) {
        code_out = fail(&err);
        goto done;
    }

    const pare_model_info *of = pare_model_get(model);
    for (int64_t i = 0; i < of->n_selected; i++)
        printf("%s\tcolumn %lld\tcoefficient %.3f\n", of->name[i], (long long)of->index[i],
               of->coef[i]);
    for (int i = 0; i < SAMPLES; i++)
        right += pare_model_decide(model, &score[i], SAMPLES) == code[i];
    printf("intercept %.3f, %d of %d right, %s to a relative gap of %.0e\n", of->intercept[0],
           right, SAMPLES, pare_outcome_name(of->predictor.outcome),
           of->predictor.certificate.relative);
    code_out = 0;

done:
    pare_model_free(model);
    pare_settings_free(settings);
    pare_data_free(data);
    return code_out;
}

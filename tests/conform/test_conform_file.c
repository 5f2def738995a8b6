/* The model file, of every method: a loaded model predicts the same bytes, has the same certificate
 * and is written as the same file; a changed file is rejected or loses its certificate. */
#include "support/conform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const file = "conform.json";
static const sheet_shape shape = {16, 6, 1, 2};

static pare_model *load(const conform_case *c) {
    pare_model *m = NULL;
    pare_error err;
    if (pare_model_load(&m, file, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    return m;
}

static pare_status judge(pare_report *out, const pare_model *m, const pare_data *data) {
    pare_error err;
    return pare_check(out, NULL, m, data, NULL, &err);
}

static void same_model(const conform_case *c, const pare_model *m, const pare_model *back,
                       const pare_data *data) {
    size_t size = sizeof(double) * (size_t)(pare_data_n(data) * pare_model_get(m)->n_scores);
    double *f = conform_predict(c, m, data), *g = conform_predict(c, back, data);
    pare_report before, after;
    if (memcmp(f, g, size) != 0) conform_fail(c, "a loaded model predicts otherwise");
    if (judge(&before, m, data) != PARE_OK || judge(&after, back, data) != PARE_OK)
        conform_fail(c, "a model was not certified");
    if (memcmp(&before.certificate.value, &after.certificate.value, sizeof(double)) != 0)
        conform_fail(c, "certificates %g and %g", before.certificate.value,
                     after.certificate.value);
    free(f);
    free(g);
}

/* Notes are for the user of the fit and not read back. */
static void cut_notes(char *text) {
    char *notes = strstr(text, "\"notes\"");
    if (notes) *notes = '\0';
}

static void round_trip(const conform_case *c, void *user) {
    rng r;
    pare_error err;
    (void)user;
    rng_seed(&r, 61, 0);
    sheet t = sheet_for(&r, c, shape);
    pare_data *data = sheet_data(&t, false);
    pare_model *m = conform_fit(c, data, false, 1);
    if (pare_model_save(m, file, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
    pare_model *back = load(c);
    same_model(c, m, back, data);
    char *one = conform_text(c, m), *two = conform_text(c, back);
    cut_notes(one);
    cut_notes(two);
    if (strcmp(one, two) != 0) conform_fail(c, "the file of a loaded model is another");
    pare_text_free(two, NULL);
    pare_text_free(one, NULL);
    pare_model_free(back);
    pare_model_free(m);
    pare_data_free(data);
    sheet_free(&t);
}

/* The file with the first nonzero number after `key` changed; returns false if there is none. */
static bool tamper(char *text, const char *key) {
    char *at = strstr(text, key);
    if (!at) return false;
    at += strlen(key);
    at += strspn(at, " :[\n");
    while (*at && *at != ']' && strtod(at, NULL) == 0) {
        at += strcspn(at, ",]");
        at += strspn(at, ", \n");
    }
    for (; (*at >= '0' && *at <= '9') || *at == '-' || *at == '.'; at++)
        if (*at >= '1' && *at <= '9') {
            *at = *at > '5' ? '1' : '9';
            return true;
        }
    return false;
}

static void tamper_with(const conform_case *c, void *user) {
    rng r;
    pare_error err;
    (void)user;
    rng_seed(&r, 62, 0);
    sheet t = sheet_for(&r, c, shape);
    pare_data *data = sheet_data(&t, false);
    pare_model *m = conform_fit(c, data, true, 1), *back = NULL;
    pare_report before = pare_model_get(m)->predictor, after;
    char *text = conform_text(c, m);
    bool linear = (pare_model_get(m)->coef != NULL),
         has_certificate = before.certificate.kind != PARE_CERT_NONE;
    bool changed = has_certificate && tamper(text, linear ? "\"coef\"" : "\"alpha\"");
    if (changed && pare_text_save(text, file, NULL, &err) != PARE_OK)
        conform_fail(c, "%s", err.message);
    if (changed && pare_model_load(&back, file, NULL, &err) == PARE_OK &&
        judge(&after, back, data) == PARE_OK &&
        !(after.certificate.relative > 1e-6 + 2 * before.certificate.relative))
        conform_fail(c, "another coefficient has the certificate %g after %g",
                     after.certificate.relative, before.certificate.relative);
    pare_model_free(back);
    pare_text_free(text, NULL);
    pare_model_free(m);
    pare_data_free(data);
    sheet_free(&t);
}

static void a_file_gives_the_model_back(void **state) {
    (void)state;
    conform_walk(round_trip, NULL);
    remove(file);
}

static void a_changed_coefficient_shows(void **state) {
    (void)state;
    conform_walk(tamper_with, NULL);
    remove(file);
}

TEST_FILE(test_conform_file) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_the_model_back),
        cmocka_unit_test(a_changed_coefficient_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Consistency of a model's report, of every method: its outcome agrees with its certificate, its
 * file can be read again, and its ranking is the order in which features are chosen. */
#include "support/conform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"

enum { N = 16, D = 6 };

/* Ill-conditioned data. */
typedef struct harsh {
    double density, signal;
    double offset;     /* added to every number that is not 0 */
    double from, to;   /* the scale of the first and of the last feature */
    const char *scale; /* of the fit */
    bool constant;     /* the second and the last feature */
    double seconds;    /* time limit of a fit; the stopped result must be a valid model */
} harsh;

static pare_data *harsh_data(const conform_case *c, const harsh *h) {
    rng r = rng_from(77);
    sheet t = sheet_for(&r, c, (sheet_shape){N, D, h->density, h->signal});
    for (int64_t j = 0; j < D; j++) {
        double scale = h->from * pow(h->to / h->from, (double)j / (D - 1));
        for (int64_t i = 0; i < N; i++) {
            double *x = &t.x[j * N + i];
            if (*x != 0) *x = (*x + h->offset) * scale;
            if (h->constant && (j == 1 || j == D - 1)) *x = 3.7;
        }
    }
    pare_data *data = sheet_data(&t, h->density < 1);
    sheet_free(&t);
    return data;
}

/* NULL: the case is rejected on these data, with an error message. */
static pare_model *harsh_fit(const conform_case *c, const pare_data *data, const harsh *h) {
    pare_settings *set = conform_settings(c, false, NULL);
    pare_model *m = NULL;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.time_limit_s = h->seconds;
    assert_non_null(set);
    if (h->scale) assert_int_equal(pare_settings_set(set, "scale", h->scale, &err), PARE_OK);
    pare_status status = pare_fit(&m, data, set, &ctx, &err);
    if (status != PARE_OK && err.message[0] == '\0') conform_fail(c, "refused without a word");
    pare_settings_free(set);
    return m;
}

static double tolerance(const method *m, const all_settings *set) {
    setting_value v;
    return !m->exact && settings_named(&v, set, m->group, "tol") ? v.real : 1e-5;
}

static void check_word(const conform_case *c, const char *what, const pare_report *r,
                       const method *m, const all_settings *set) {
    const pare_certificate *k = &r->certificate;
    double tol = tolerance(m, set);
    if (r->outcome == PARE_STATIONARY || k->kind == PARE_CERT_GLOBAL_GAP) tol = fmax(tol, 1e-6);
    bool within = k->kind == PARE_CERT_NONE || k->value == 0 || k->relative <= tol;
    bool done = pare_outcome_finished(r->outcome);
    bool proof = m->has_certificate && k->kind == PARE_CERT_DUALITY_GAP;
    if (done && !within)
        conform_fail(c, "%s: %s at %.3g", what, pare_outcome_name(r->outcome), k->relative);
    if (!done && within && proof)
        conform_fail(c, "%s: %s at %.3g", what, pare_outcome_name(r->outcome), k->relative);
}

static void compare_words(const conform_case *c, void *user) {
    pare_data *data = harsh_data(c, user);
    pare_model *m = harsh_fit(c, data, user);
    if (m) {
        all_settings set;
        const method *final = model_final(&set, m);
        check_word(c, "predictor", &m->predictor, final, &set);
        if (m->has_selection)
            check_word(c, "selection", &m->selection, method_of_group(m->group), &m->selecting);
    }
    pare_model_free(m);
    pare_data_free(data);
}

/* What was not solved, or is not known to be, never reads as if it were. */
static void check_claim(const conform_case *c, const char *what, const pare_report *r,
                        const method *m, bool formula, bool rescaled) {
    pare_cert_kind kind = r->certificate.kind;
    pare_outcome o = r->outcome;
    bool claims = o == PARE_OPTIMAL || o == PARE_STATIONARY;
    const char *word = pare_outcome_name(o);
    if (!pare_outcome_finished(o)) return;
    if (claims && kind == PARE_CERT_NONE) conform_fail(c, "%s: %s without certificate", what, word);
    if (o == PARE_OPTIMAL && kind == PARE_CERT_MINIMUM_PRINCIPLE)
        conform_fail(c, "%s: %s by the slope at one point", what, word);
    bool step = kind == PARE_CERT_DUALITY_GAP && rescaled; /* of a descent */
    bool whole = (kind == PARE_CERT_DUALITY_GAP || kind == PARE_CERT_GLOBAL_GAP) && !step;
    if (o == PARE_OPTIMAL && !m->has_certificate && !whole)
        conform_fail(c, "%s: %s by the certificate of a part", what, word);
    if (m->stepwise != (o == PARE_GREEDY) && (m->stepwise || m->has_certificate))
        conform_fail(c, "%s: %s", what, word);
    if (formula && o != PARE_COMPUTED) conform_fail(c, "%s: %s of a formula", what, word);
}

/* A filter ranks features by a formula. */
static bool is_filter(const method *m) { return m->selects_only && !m->certify && !m->stepwise; }

static void compare_claims(const conform_case *c, void *user) {
    pare_data *data = harsh_data(c, user);
    pare_model *m = harsh_fit(c, data, user);
    if (m) {
        const method *own = method_of_group(m->group), *final = model_final(NULL, m);
        bool formula = !final->certify;
        check_claim(c, "predictor", &m->predictor, final, formula, false);
        if (m->has_selection)
            check_claim(c, "selection", &m->selection, own, !own->two_stage && is_filter(own),
                        m->selection_z != NULL);
        if (!model_outcomes_hold(m)) conform_fail(c, "other outcomes when looked at again");
    }
    pare_model_free(m);
    pare_data_free(data);
}

/* Where a file claims more than its fit did, the check says no. */
static void compare_forged(const conform_case *c, void *user) {
    pare_data *data = harsh_data(c, user);
    pare_model *m = harsh_fit(c, data, user);
    pare_report *of[] = {m ? &m->predictor : NULL, m && m->has_selection ? &m->selection : NULL};
    for (int i = 0; m && i < 2; i++) {
        pare_verdict v;
        pare_error err;
        if (!of[i] || of[i]->outcome == PARE_OPTIMAL) continue;
        pare_outcome before = of[i]->outcome;
        of[i]->outcome = PARE_OPTIMAL;
        if (pare_verify(&v, m, data, NULL, &err) != PARE_OK) conform_fail(c, "%s", err.message);
        if (v.holds) conform_fail(c, "%s passes for optimal", pare_outcome_name(before));
        of[i]->outcome = before;
    }
    pare_model_free(m);
    pare_data_free(data);
}

/* The text of every fit is a valid model file. */
static void read_back(const conform_case *c, void *user) {
    pare_data *data = harsh_data(c, user);
    pare_model *m = harsh_fit(c, data, user), *again = NULL;
    pare_error err;
    char *text = NULL;
    if (m && pare_model_text(&text, m, NULL, &err) != PARE_OK && err.code != PARE_E_DATA)
        conform_fail(c, "%s", err.message);
    if (text) {
        if (pare_model_parse(&again, text, strlen(text), NULL, &err) != PARE_OK)
            conform_fail(c, "written, but not read: %s", err.message);
    }
    pare_model_free(again);
    pare_text_free(text, NULL);
    pare_model_free(m);
    pare_data_free(data);
}

/* The chosen are the first of the ranking, and constant columns its last. */
static void compare_ranking(const conform_case *c, void *user) {
    pare_data *data = harsh_data(c, user);
    pare_model *m = harsh_fit(c, data, user);
    bool own_columns = m && pare_model_get(m)->n_ranked == D;
    for (int64_t i = 0; own_columns && i < pare_model_get(m)->n_selected; i++)
        if (pare_model_get(m)->ranking[i] != pare_model_get(m)->index[i])
            conform_fail(c, "number %d of the ranking is %d, of the chosen %d", (int)i,
                         (int)pare_model_get(m)->ranking[i], (int)pare_model_get(m)->index[i]);
    for (int64_t i = 0; own_columns && i < D; i++) {
        int64_t j = pare_model_get(m)->ranking[i];
        if ((j == 1 || j == D - 1) && i < D - 2) conform_fail(c, "a constant is number %d", (int)i);
    }
    pare_model_free(m);
    pare_data_free(data);
}

typedef struct stopper {
    int64_t polls, at; /* number of polls; stops at this one */
} stopper;

static int stop_once(void *user, const char *stage, double fraction) {
    stopper *s = user;
    (void)stage;
    (void)fraction;
    return s->polls++ == s->at;
}

/* A fit that was stopped anywhere, also in an inner search or in a fold of the calibration, reports
 * it. */
static void compare_stop(const conform_case *c, void *user) {
    const harsh calm = {.density = 1, .signal = 1, .from = 1, .to = 1};
    stopper stop = {.at = *(const int64_t *)user};
    pare_data *data = harsh_data(c, &calm);
    pare_settings *set = conform_settings(c, false, NULL);
    pare_model *m = NULL;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = 1;
    ctx.progress = stop_once;
    ctx.user = &stop;
    assert_non_null(set);
    if (strcmp(c->task, "binary") == 0 || strcmp(c->task, "multiclass") == 0)
        assert_int_equal(pare_settings_set(set, "probability", "true", &err), PARE_OK);
    if (pare_fit(&m, data, set, &ctx, &err) == PARE_OK) {
        bool says = m->predictor.outcome == PARE_CANCELLED ||
                    (m->has_selection && m->selection.outcome == PARE_CANCELLED);
        if (says != (stop.polls > stop.at))
            conform_fail(c, "%s, stopped at poll %d of %d", pare_outcome_name(m->predictor.outcome),
                         (int)stop.at, (int)stop.polls);
    }
    pare_model_free(m);
    pare_settings_free(set);
    pare_data_free(data);
}

static void what_was_stopped_says_so(void **state) {
    (void)state;
    for (int64_t at = 1; at < 20; at *= 12) conform_walk(compare_stop, &at);
}

static void outcomes_follow_from_certificates(void **state) {
    (void)state;
    const harsh of[] = {{.density = 1, .from = 1, .to = 1},
                        {.density = 1, .from = 1e-3, .to = 1e4, .scale = "none"},
                        {.density = 0.5, .signal = 1, .offset = 1e8, .from = 1, .to = 1}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        conform_walk(compare_words, (void *)&of[i]);
}

static void claims_are_within_what_is_certified(void **state) {
    (void)state;
    const harsh calm = {.density = 1, .signal = 1, .from = 1, .to = 1};
    conform_walk(compare_claims, (void *)&calm);
}

static void no_file_claims_more(void **state) {
    (void)state;
    const harsh calm = {.density = 1, .signal = 1, .from = 1, .to = 1};
    conform_walk(compare_forged, (void *)&calm);
}

static void what_is_written_can_be_read(void **state) {
    (void)state;
    const harsh of[] = {
        {.density = 1, .signal = 1, .from = 1e-150, .to = 1e150, .scale = "none", .seconds = 0.1},
        {.density = 1,
         .signal = 1,
         .from = 1e-150,
         .to = 1e150,
         .scale = "minmax",
         .seconds = 0.1}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) conform_walk(read_back, (void *)&of[i]);
}

static void constant_features_are_ranked_last(void **state) {
    (void)state;
    harsh of = {.density = 1, .signal = 1, .from = 1, .to = 1, .constant = true};
    conform_walk(compare_ranking, &of);
    of.scale = "none";
    conform_walk(compare_ranking, &of);
}

TEST_FILE(test_conform_words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(outcomes_follow_from_certificates),
                                       cmocka_unit_test(what_was_stopped_says_so),
                                       cmocka_unit_test(claims_are_within_what_is_certified),
                                       cmocka_unit_test(no_file_claims_more),
                                       cmocka_unit_test(what_is_written_can_be_read),
                                       cmocka_unit_test(constant_features_are_ranked_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

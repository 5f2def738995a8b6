/* poly-arom against the paper's update on literal ordered products: d + d^2 + ... columns, each
 * with a factor of its own. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "data/feature/monomials.h"
#include "method/svm/monomial_search.h"
#include "solve/svm/svm_dual.h"

enum { N = 22, D = 5, MOST = D + D * D + D * D * D, MAX_STEPS = 1000 };

typedef struct ordered {
    double x[N * D], phi[N * MOST], y[N], z[MOST];
    double weight[MOST];  /* of a monomial: the sum over its orders */
    int64_t merged[MOST]; /* the monomial that a product is an order of */
    int64_t count;
} ordered;

static pare_data *draw(ordered *t, rng *r) {
    const char *label[N];
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++) t->x[j * N + i] = 0.3 * (double)(j % 3) + rng_normal(r);
        t->y[i] = i % 3 ? 1 : -1;
        label[i] = i % 3 ? "1" : "0";
    }
    return data_labelled(N, D, t->x, label);
}

/* The number of the monomial with these factors, in any order. */
static int64_t number_of(const int64_t *of, int p, int64_t degree) {
    int64_t sorted[3], other[MONOMIAL_DEGREE_MAX];
    for (int k = 0; k < p; k++) {
        int at = k;
        for (; at > 0 && sorted[at - 1] > of[k]; at--) sorted[at] = sorted[at - 1];
        sorted[at] = of[k];
    }
    for (int64_t m = 0; m < monomials_count(D, degree); m++)
        if (monomial_factors(D, m, other) == p && memcmp(other, sorted, (size_t)p * 8) == 0)
            return m;
    fail_msg("no such monomial");
    return -1;
}

/* Every product of up to `degree` features in every order. */
static void spell_out(ordered *t, int64_t degree) {
    t->count = 0;
    for (int p = 1; p <= degree; p++) {
        int64_t products = 1;
        for (int k = 0; k < p; k++) products *= D;
        for (int64_t code = 0; code < products; code++) {
            int64_t of[3], left = code;
            for (int k = 0; k < p; k++, left /= D) of[k] = left % D;
            for (int64_t i = 0; i < N; i++) {
                double value = 1;
                for (int k = 0; k < p; k++) value *= t->x[of[k] * N + i];
                t->phi[t->count * N + i] = value;
            }
            t->merged[t->count++] = number_of(of, p, degree);
        }
    }
}

/* z <- z |w| for every product, w the weights of the hard SVM on the products times z. */
static void step(ordered *t) {
    double K[N * N] = {0}, C[N], alpha[N], f[N];
    for (int64_t j = 0; j < t->count; j++) {
        const double *x = t->phi + j * N;
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; k < N; k++) K[i * N + k] += t->z[j] * t->z[j] * x[i] * x[k];
    }
    for (int64_t i = 0; i < N; i++) C[i] = INFINITY;
    svm_problem p = {.n = N, .K = K, .y = t->y, .C = C, .intercept = true, .tol_rel = 1e-13};
    svm_solution s = {.alpha = alpha, .f = f};
    pare_error err;
    assert_int_equal(svm_dual_solve(&s, &p, NULL, &err), PARE_OK);
    assert_false(s.inseparable);
    for (int64_t j = 0; j < t->count; j++) {
        double w = 0;
        for (int64_t i = 0; i < N; i++)
            w += t->z[j] * s.scale * alpha[i] * t->y[i] * t->phi[j * N + i];
        t->z[j] = fabs(t->z[j] * w);
    }
}

/* Until no merged weight moves by more than the method's own share of the largest: from a saddle
 * point rounding would lead on. */
static void run(ordered *t) {
    double norm[MOST], before[MOST] = {0};
    for (int64_t j = 0; j < t->count; j++) {
        double sum = 0, square = 0;
        for (int64_t i = 0; i < N; i++) {
            sum += t->phi[j * N + i];
            square += t->phi[j * N + i] * t->phi[j * N + i];
        }
        norm[t->merged[j]] = sqrt(square - sum * sum / N);
        t->z[j] = 1;
        before[t->merged[j]] += 1;
    }
    for (int s = 0; s < MAX_STEPS; s++) {
        double moved = 0, largest = 0;
        step(t);
        memset(t->weight, 0, sizeof t->weight);
        for (int64_t j = 0; j < t->count; j++) t->weight[t->merged[j]] += t->z[j];
        for (int64_t m = 0; m <= t->merged[t->count - 1]; m++) {
            moved = fmax(moved, norm[m] * fabs(t->weight[m] - before[m]));
            largest = fmax(largest, norm[m] * t->weight[m]);
            before[m] = t->weight[m];
        }
        if (moved <= 1e-5 * largest) return;
    }
    fail_msg("it does not settle");
}

static void merged_monomials_are_the_ordered_products(void **state) {
    (void)state;
    rng r = rng_from(311);
    ordered *t = malloc(sizeof *t);
    for (int trial = 0; trial < 16; trial++) {
        int64_t degree = 2 + trial % 2;
        pare_data *data = draw(t, &r);
        pare_model *m =
            fit_or_fail(data, "poly-arom",
                        PAIRS("degree", degree == 2 ? "2" : "3", "scale", "none", "tol", "1e-8"));
        spell_out(t, degree);
        run(t);
        double largest = 0;
        int64_t support = 0, count = monomials_count(D, degree);
        for (int64_t j = 0; j < count; j++) largest = fmax(largest, t->weight[j]);
        for (int64_t j = 0; j < count; j++) support += t->weight[j] > 1e-6 * largest;
        assert_int_equal(pare_model_get(m)->n_selected, support);
        for (int64_t i = 0; i < support; i++)
            check_close(pare_model_get(m)->score[i], t->weight[pare_model_get(m)->index[i]], 1e-3);
        pare_model_free(m);
        pare_data_free(data);
    }
    free(t);
}

/* --- more monomials than memory --- */

static void numbers_and_factors_agree(void **state) {
    (void)state;
    for (int64_t d = 1; d <= 7; d++)
        for (int64_t m = 0; m < monomials_count(d, 5); m++) {
            int64_t of[MONOMIAL_DEGREE_MAX];
            int p = monomial_factors(d, m, of);
            assert_int_equal(monomial_number(d, of, p), m);
        }
}

enum { WIDE = 9, MAX_FOUND = 3000 };

/* z and part of a monomial after the steps of the search, by their definition. */
static double part_of(const monomial_search *s, int64_t number, double *z) {
    int64_t of[MONOMIAL_DEGREE_MAX];
    int p = monomial_factors(s->d, number, of);
    double m = monomial_multiplicity(of, p), g1 = 0, g2 = 0, mean = 0, square = 0, total = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double value = 1;
        for (int k = 0; k < p; k++) value *= s->x[of[k] * s->n + i];
        g1 += s->duals[i] * value;
        if (s->steps > 1) g2 += s->duals[s->n + i] * value;
        mean += s->weight[i] * value;
        square += value * value;
        total += s->weight[i];
    }
    *z = s->steps > 1 ? m * g1 * g1 * fabs(g2) : m * fabs(g1);
    return *z * *z / m * (square - mean * mean / total);
}

/* K += z^2 / m phi phi'. */
static void add_outer(double *K, const monomial_search *s, const found_monomial *one) {
    int64_t of[MONOMIAL_DEGREE_MAX];
    int p = monomial_factors(s->d, one->number, of);
    double phi[N], m = monomial_multiplicity(of, p);
    for (int64_t i = 0; i < N; i++) {
        phi[i] = 1;
        for (int k = 0; k < p; k++) phi[i] *= s->x[of[k] * N + i];
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < N; k++) K[i * N + k] += one->z * one->z / m * phi[i] * phi[k];
}

/* The search against every monomial, with features within [-1, 1] and far outside, and with 1 to 3
 * threads; the Gram of those it finds; a limit that they exceed. */
static void the_search_finds_every_monomial_with_a_part(void **state) {
    (void)state;
    rng r = rng_from(312);
    static const double sizes[] = {0.3, 1, 40};
    int seen = 0, left_out = 0;
    for (int trial = 0; trial < 24; trial++) {
        int64_t degree = 1 + trial % 5, all = monomials_count(WIDE, degree);
        double *x = random_normal(&r, N, WIDE), weight[N], duals[2 * N], part[MAX_FOUND],
               z[MAX_FOUND];
        for (int64_t i = 0; i < N; i++) {
            weight[i] = 1 + (double)rng_below(&r, 2);
            duals[i] = rng_normal(&r) * (i % 2 ? 1 : 0);
            duals[N + i] = rng_normal(&r);
            for (int64_t j = 0; j < WIDE; j++) x[j * N + i] *= sizes[trial % 3] / (double)(1 + j);
        }
        double sum_u = 0, sum_second = 0, sum = 0;
        for (int64_t i = 0; i < N; i++) {
            sum_u += duals[i];
            sum_second += duals[N + i];
        }
        for (int64_t i = 0; i < N; i++) {
            duals[i] -= sum_u / N;
            duals[N + i] -= sum_second / N;
        }
        monomial_search s = {.n = N,
                             .d = WIDE,
                             .degree = degree,
                             .x = x,
                             .weight = weight,
                             .steps = trial % 4 ? 2 : 1,
                             .duals = duals,
                             .least = 1e-9,
                             .limit = INFINITY};
        assert_true(all <= MAX_FOUND);
        for (int64_t m = 0; m < all; m++) sum += part[m] = part_of(&s, m, &z[m]);
        int64_t expected = 0, count, again;
        for (int64_t m = 0; m < all; m++) expected += part[m] >= 1e-9 * sum;
        found_monomial *found, *other;
        double total;
        bool full;
        pare_error err;
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        ctx.threads = 1 + trial % 3;
        assert_int_equal(monomial_search_run(&found, &count, &total, &full, &s, &ctx, &err),
                         PARE_OK);
        assert_false(full);
        assert_int_equal(count, expected);
        for (int64_t f = 0; f < count; f++) {
            assert_true(f == 0 || found[f].number > found[f - 1].number);
            check_close(found[f].z / z[found[f].number], 1, 1e-8);
            assert_true(part[found[f].number] >= 1e-9 * sum * (1 - 1e-6));
        }
        assert_true(total <= sum * (1 + 1e-9));
        seen += (int)count;
        left_out += (int)(all - count);
        double K[N * N], plain[N * N] = {0}, most = 0;
        assert_int_equal(monomial_search_gram(K, sum, &s, &ctx, &err), PARE_OK);
        for (int64_t f = 0; f < count; f++) add_outer(plain, &s, &found[f]);
        for (int64_t e = 0; e < N * N; e++) most = fmax(most, fabs(plain[e]));
        for (int64_t e = 0; e < N * N; e++) assert_true(fabs(K[e] - plain[e]) <= 1e-10 * most);
        s.limit = (double)(sizeof *found * (size_t)count) / 4;
        assert_int_equal(monomial_search_run(&other, &again, &total, &full, &s, &ctx, &err),
                         PARE_OK);
        assert_true(count < 8 || (full && !other && again == 0));
        mem_free(ctx_allocator(&ctx), other);
        mem_free(ctx_allocator(&ctx), found);
        free(x);
    }
    if (!(seen > 500 && left_out > 500)) fail_msg("%d found, %d left out", seen, left_out);
}

typedef struct tally {
    int64_t bytes;
} tally;

static void *tally_alloc(void *user, size_t bytes) {
    ((tally *)user)->bytes += (int64_t)bytes;
    return malloc(bytes);
}

static void *tally_resize(void *user, void *block, size_t bytes) {
    ((tally *)user)->bytes += (int64_t)bytes;
    return realloc(block, bytes);
}

static void tally_release(void *user, void *block) {
    (void)user;
    free(block);
}

/* More children than a block holds: the same Gram, and no thread has a copy of the features. */
static void grams_of_wide_data_take_no_copy_per_thread(void **state) {
    (void)state;
    enum { FEATURES = 3000, THREADS = 4 };
    rng r = rng_from(316);
    double *x = random_normal(&r, N, FEATURES), weight[N], duals[N], K[N * N];
    int64_t taken[2];
    for (int64_t i = 0; i < N; i++) {
        weight[i] = 1;
        duals[i] = rng_normal(&r);
    }
    monomial_search s = {.n = N,
                         .d = FEATURES,
                         .degree = 1,
                         .x = x,
                         .weight = weight,
                         .steps = 1,
                         .duals = duals,
                         .limit = INFINITY};
    for (int many = 0; many < 2; many++) {
        tally t = {0};
        pare_error err;
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        ctx.allocator = (pare_allocator){tally_alloc, tally_resize, tally_release, &t};
        ctx.threads = many ? THREADS : 1;
        double plain[N * N] = {0}, most = 0;
        assert_int_equal(monomial_search_gram(K, 1, &s, &ctx, &err), PARE_OK);
        for (int64_t j = 0; j < FEATURES; j++) {
            found_monomial one = {.number = j};
            (void)part_of(&s, j, &one.z);
            add_outer(plain, &s, &one);
        }
        for (int64_t e = 0; e < N * N; e++) most = fmax(most, fabs(plain[e]));
        for (int64_t e = 0; e < N * N; e++) assert_true(fabs(K[e] - plain[e]) <= 1e-10 * most);
        taken[many] = t.bytes;
    }
    int64_t each = (taken[1] - taken[0]) / (THREADS - 1), copy = 8 * N * (int64_t)FEATURES;
    if (each >= copy / 2)
        fail_msg("each thread takes %lld bytes, the features %lld", (long long)each,
                 (long long)copy);
    free(x);
}

static pare_model *fit_within(const pare_data *data, const char *const *pairs, int64_t memory) {
    pare_settings *set = settings_make("poly-arom", pairs);
    pare_model *m;
    pare_error err;
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.memory_bytes = memory;
    ctx.threads = 1;
    if (pare_fit(&m, data, set, &ctx, &err) != PARE_OK) fail_msg("%s", err.message);
    pare_settings_free(set);
    return m;
}

/* The same model as from all columns, also where further steps make their columns a tile at a time
 * or where the tree's are summed up;
 * certified from raw data, with the memory of the fit and with more. */
static void steps_without_columns_are_those_on_columns(void **state) {
    (void)state;
    enum { SAMPLES = 20, FEATURES = 12 };
    rng r = rng_from(313);
    for (int trial = 0; trial < 12; trial++) {
        const char *degree = trial % 2 ? "4" : "3", *label[SAMPLES],
                   *ridge = trial % 3 ? "0" : "0.5";
        int64_t all = monomials_count(FEATURES, trial % 2 ? 4 : 3);
        double *x = random_normal(&r, SAMPLES, FEATURES), weight[SAMPLES];
        for (int64_t i = 0; i < SAMPLES; i++) {
            for (int64_t j = 0; j < FEATURES; j++) x[j * SAMPLES + i] *= 0.5;
            double signal = x[i] * x[SAMPLES + i] + x[2 * SAMPLES + i] +
                            (trial % 3 == 2 ? 0.2 * rng_normal(&r) : 0);
            label[i] = signal > 0 ? "1" : "0";
            weight[i] = 1 + (double)rng_below(&r, 2);
        }
        pare_data *data = data_labelled(SAMPLES, FEATURES, x, label);
        pare_error err;
        if (trial % 2) assert_int_equal(pare_data_set_weights(data, weight, &err), PARE_OK);
        const char *const *pairs =
            PAIRS("degree", degree, "scale", "none", "ridge", ridge, "tol", "1e-8");
        pare_model *whole = fit_within(data, pairs, 0);
        int64_t few = trial < 6 && trial % 2 ? 4 * SAMPLES * all : 64000;
        pare_model *part = fit_within(data, pairs, few);
        assert_true(has_note(part, "made without columns"));
        assert_false(has_note(whole, "made without columns"));
        assert_int_equal(pare_model_get(part)->n_selected, pare_model_get(whole)->n_selected);
        for (int64_t i = 0; i < pare_model_get(whole)->n_selected; i++) {
            assert_int_equal(pare_model_get(part)->index[i], pare_model_get(whole)->index[i]);
            assert_string_equal(pare_model_get(part)->name[i], pare_model_get(whole)->name[i]);
            check_close(pare_model_get(part)->score[i], pare_model_get(whole)->score[i], 1e-3);
        }
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        for (int look = 0; look < 2; look++) {
            pare_report predictor, selection;
            ctx.memory_bytes = look ? 0 : few;
            if (pare_check(&predictor, &selection, part, data, &ctx, &err) != PARE_OK)
                fail_msg("%s", err.message);
            assert_true(selection.certificate.relative <= 1e-7);
            assert_true(predictor.certificate.relative <= 1e-5);
        }
        pare_model_free(part);
        pare_model_free(whole);
        pare_data_free(data);
        free(x);
    }
}

static pare_status fit_in_little(void *user, const pare_ctx *given) {
    pare_settings *set = settings_make("poly-arom", PAIRS("degree", "4", "scale", "none"));
    pare_model *m = NULL;
    pare_error err;
    pare_ctx ctx = *given;
    ctx.memory_bytes = 64000;
    ctx.threads = 2;
    pare_status status = pare_fit(&m, user, set, &ctx, &err);
    pare_model_free(m);
    pare_settings_free(set);
    return status;
}

static void no_memory_is_an_error_in_every_step(void **state) {
    (void)state;
    rng r = rng_from(315);
    double *x = random_normal(&r, 20, 12);
    const char *label[20];
    for (int i = 0; i < 20; i++) label[i] = x[i] * x[20 + i] > 0 ? "1" : "0";
    pare_data *data = data_labelled(20, 12, x, label);
    check_oom_thinly(fit_in_little, data, 300);
    pare_data_free(data);
    free(x);
}

/* What cannot do without columns says what can. */
static void sizes_are_refused_with_what_helps(void **state) {
    (void)state;
    rng r = rng_from(314);
    double *x = random_normal(&r, 12, 6);
    const char *label[12], *three[12];
    for (int i = 0; i < 12; i++) {
        label[i] = i % 2 ? "1" : "0";
        three[i] = i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
    }
    pare_data *two = data_labelled(12, 6, x, label), *several = data_labelled(12, 6, x, three);
    const struct {
        const pare_data *data;
        const char *const *pairs, *help;
    } cases[] = {
        {two, PAIRS("degree", "5"), "`scale none`"},
        {several, PAIRS("degree", "5", "scale", "none"), "two classes"},
        {two, PAIRS("degree", "5", "scale", "none", "zero_slack", "1"), "`zero_slack 0`"},
        {two, PAIRS("degree", "5", "scale", "none", "intercept", "false"), "`intercept true`"},
        {two, PAIRS("degree", "5", "scale", "none", "probability", "true"), "`probability false`"},
    };
    for (size_t e = 0; e < sizeof cases / sizeof *cases; e++) {
        pare_settings *set = settings_make("poly-arom", cases[e].pairs);
        pare_model *m;
        pare_error err;
        pare_ctx ctx;
        pare_ctx_init(&ctx);
        ctx.memory_bytes = 20000;
        assert_int_equal(pare_fit(&m, cases[e].data, set, &ctx, &err), PARE_E_MEMORY);
        if (!strstr(err.message, cases[e].help)) fail_msg("%s", err.message);
        const pare_settings *one = set;
        pare_path *path;
        assert_int_equal(pare_path_run(&path, cases[e].data, &one, 1, NULL, &ctx, &err),
                         PARE_E_MEMORY);
        assert_non_null(strstr(err.message, "a path or a subsample"));
        pare_settings_free(set);
    }
    pare_data_free(two);
    pare_data_free(several);
    free(x);
}

TEST_FILE(test_poly_arom) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_monomials_are_the_ordered_products),
        cmocka_unit_test(numbers_and_factors_agree),
        cmocka_unit_test(the_search_finds_every_monomial_with_a_part),
        cmocka_unit_test(grams_of_wide_data_take_no_copy_per_thread),
        cmocka_unit_test(steps_without_columns_are_those_on_columns),
        cmocka_unit_test(no_memory_is_an_error_in_every_step),
        cmocka_unit_test(sizes_are_refused_with_what_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The path against slow recomputation: every curve point from pare_fit and pare_predict on data that
 * hold the training samples alone; the summaries, tests and indices from their definitions. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/dataset.h"
#include "model/model.h"
#include "base/p_values.h"
#include "select/compare.h"
#include "select/path.h"

/* Some rows of dense data, as data of their own. */
static pare_data *rows_of(const pare_data *data, const int32_t *rows, int64_t n) {
    int64_t d = data->x.d;
    double *x = malloc(sizeof *x * (size_t)(n * d));
    const char **labels = malloc(sizeof *labels * (size_t)n);
    pare_data *out;
    assert_true(x && labels);
    for (int64_t i = 0; i < n; i++) {
        labels[i] = strings_at(&data->target.text, rows[i]);
        for (int64_t j = 0; j < d; j++) x[j * n + i] = values_of(&data->x)[j * data->x.n + rows[i]];
    }
    out = data_labelled(n, d, x, labels);
    free(labels);
    free(x);
    return out;
}

/* Accuracy and AUC by counting, from a model that saw the training samples only. */
static void recompute(double *accuracy, double *auc, const pare_data *data, const cv_part *part,
                      const char *name, const char *const *settings) {
    pare_data *train = rows_of(data, part->train, part->n_train);
    pare_data *test = rows_of(data, part->test, part->n_test);
    pare_model *m = fit_or_fail(train, name, settings);
    double score[64], right = 0, pairs = 0, ordered = 0;
    pare_error err;
    const char *positive = pare_model_get(m)->classes[1];
    assert_int_equal(pare_predict(score, m, test, NULL, &err), PARE_OK);
    for (int64_t i = 0; i < part->n_test; i++) {
        bool is = strcmp(pare_data_target(test, i, (char[32]){0}), positive) == 0;
        right += (score[i] > 0) == is;
        for (int64_t o = 0; o < part->n_test; o++) {
            if (!is || strcmp(pare_data_target(test, o, (char[32]){0}), positive) == 0) continue;
            pairs++;
            ordered += score[i] > score[o] ? 1 : score[i] == score[o] ? 0.5 : 0;
        }
    }
    *accuracy = right / (double)part->n_test;
    *auc = pairs > 0 ? ordered / pairs : NAN;
    pare_model_free(m);
    pare_data_free(test);
    pare_data_free(train);
}

/* The method on data of each part's own, at each size. */
static void check_points(const pare_data *data, const char *name, const char *setting,
                         const char *value) {
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 4;
    o.inner = 0;
    o.sizes = "1,3,10,25";
    pare_path *p =
        paths_or_fail(data, PAIRS(name), PAIRS("missing", "mean", setting, value), &o, 2);
    const char *const k[] = {"1", "3", "10", "25"};
    for (int64_t s = 0; s < 4; s++) {
        double sum = 0;
        for (int64_t j = 0; j < p->plan.count; j++) {
            double accuracy, auc;
            const double *score = p->round.result[j].score + s * p->setup.n_metrics;
            recompute(&accuracy, &auc, data, &p->plan.part[j], name,
                      PAIRS("missing", "mean", setting, value, "k", k[s]));
            check_close(score[0], accuracy, 1e-12);
            if (strcmp(value, "1nn") != 0) /* its scores tie but for rounding */
                check_close(score[2], auc, 1e-12);
            sum += accuracy;
        }
        check_close(p->run[0].point[s].metric[0].mean, sum / (double)p->plan.count, 1e-12);
    }
    pare_path_free(p);
}

static void points_are_those_of_separate_fits(void **state) {
    (void)state;
    rng r = rng_from(81);
    problem_shape shape = {.n = 40,
                           .d = 25,
                           .classes = 2,
                           .signal = 0.8,
                           .density = 1,
                           .missing = 0.03,
                           .constant = true};
    pare_data *data = problem_make(&r, &shape);
    check_points(data, "svm", "tol", "1e-9");
    check_points(data, "svm", "kernel", "rbf");
    check_points(data, "svm", "kernel", "poly");
    check_points(data, "corr", "classifier_C", "0.5");
    check_points(data, "corr", "classifier", "dlsr");
    check_points(data, "corr", "classifier", "1nn");
    check_points(data, "l1-svm", "lambda_ratio", "0.2");
    check_points(data, "kta", "p", "1.5");
    check_points(data, "r2w2", "tol", "0.01");
    pare_data_free(data);
    shape.signal = 0; /* often w = 0 is best: a warm start must not leave other weights */
    shape.missing = 0;
    data = problem_make(&r, &shape);
    check_points(data, "svm", "tol", "1e-6");
    check_points(data, "corr", "classifier_C", "0.01");
    pare_data_free(data);
}

/* Other test labels, the same training labels: the fold's selection and scores' inputs must not
 * move. Here: the picks of each fold stay when every test label of that fold is flipped. */
static void selection_does_not_see_test_labels(void **state) {
    (void)state;
    rng r = rng_from(82);
    enum { N = 40, D = 200 };
    double *x = random_normal(&r, N, D);
    const char *labels[N], *flipped[N];
    for (int64_t i = 0; i < N; i++) flipped[i] = labels[i] = i % 2 ? "a" : "b";
    FILE *file = fopen("path_folds.txt", "w");
    assert_non_null(file);
    for (int64_t i = 0; i < N; i++) fprintf(file, "%d\n", i < 10 ? 0 : 1 + (int)(i % 3));
    fclose(file);
    for (int64_t i = 0; i < 10; i++) flipped[i] = i % 2 ? "b" : "a";
    pare_data *one, *two;
    one = data_labelled(N, D, x, labels);
    two = data_labelled(N, D, x, flipped);
    pare_path_options o;
    pare_path_options_init(&o);
    o.fold_file = "path_folds.txt";
    o.sizes = "5,50";
    o.tune = true;
    pare_path *a = paths_or_fail(one, PAIRS("svm", "corr"), PAIRS("missing", "mean"), &o, 1);
    pare_path *b = paths_or_fail(two, PAIRS("svm", "corr"), PAIRS("missing", "mean"), &o, 1);
    for (int64_t m = 0; m < 2; m++) /* the first named fold is the first part */
        for (int64_t s = 0; s < 2; s++) {
            const fold_result *ra = &a->round.result[m], *rb = &b->round.result[m];
            assert_memory_equal(fold_picks(&a->setup, ra, s), fold_picks(&b->setup, rb, s),
                                sizeof(int64_t) * (size_t)fold_used(ra, s));
            assert_int_equal(fold_tuned(&a->setup, ra, s), fold_tuned(&b->setup, rb, s));
            assert_int_equal(fold_nested_size(&a->setup, ra), fold_nested_size(&b->setup, rb));
            check_close(ra->score[s * a->setup.n_metrics], 1 - rb->score[s * a->setup.n_metrics],
                        1e-12); /* accuracy on flipped labels */
        }
    pare_path_free(a);
    pare_path_free(b);
    pare_data_free(one);
    pare_data_free(two);
    free(x);
    remove("path_folds.txt");
}

/* Noise: chance if the selection is inside the folds; far above it after a selection on all. */
static void selection_outside_the_folds_would_lie(void **state) {
    (void)state;
    rng r = rng_from(86);
    enum { N = 80, D = 1500, K = 20 };
    double *x = random_normal(&r, N, D), *few = malloc(sizeof *few * N * K);
    const char *labels[N];
    for (int64_t i = 0; i < N; i++) labels[i] = i % 2 ? "a" : "b";
    pare_data *all, *leaky;
    assert_non_null(few);
    all = data_labelled(N, D, x, labels);
    pare_model *m = fit_or_fail(all, "corr", PAIRS("k", "20"));
    for (int64_t j = 0; j < K; j++) memcpy(few + j * N, x + m->index[j] * N, sizeof(double) * N);
    leaky = data_labelled(N, K, few, labels);
    pare_path_options o;
    pare_path_options_init(&o);
    o.sizes = "20";
    o.metric = "auc";
    pare_path *honest = paths_or_fail(all, PAIRS("corr"), PAIRS("missing", "mean"), &o, 2);
    pare_path *lying = paths_or_fail(leaky, PAIRS("corr"), PAIRS("missing", "mean"), &o, 2);
    assert_true(lying->run[0].point[0].metric[2].mean > 0.9);
    assert_true(fabs(honest->run[0].point[0].metric[2].mean - 0.5) < 0.2);
    pare_path_free(lying);
    pare_path_free(honest);
    pare_model_free(m);
    pare_data_free(leaky);
    pare_data_free(all);
    free(few);
    free(x);
}

/* The grid of a selector is its own times its final classifier's, and what one selection gives to
 * all settings of the classifier is what each of them gives alone. */
static void a_shared_selection_changes_nothing(void **state) {
    (void)state;
    rng r = rng_from(87);
    problem_shape shape = {.n = 45, .d = 20, .classes = 3, .signal = 0.7, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_path_options o;
    pare_path_options_init(&o);
    o.folds = 3;
    o.tune = true;
    o.sizes = "2,8,20";
    pare_path *p = paths_or_fail(data, PAIRS("svm-rfe"), PAIRS("missing", "mean"), &o, 1);
    const path_method *m = &p->setup.method[0];
    assert_int_equal(m->n_grid, 15);
    assert_int_equal(m->n_final, 5);
    assert_string_equal(m->tuned, "C classifier_C");
    o.tune = false;
    o.inner = 0;
    for (int64_t j = 0; j < p->plan.count; j++)
        for (int64_t s = 0; s < 3; s++) {
            const fold_result *tuned = &p->round.result[j];
            const all_settings *set = &m->grid[fold_tuned(&p->setup, tuned, s)];
            char C[32], final_C[32];
            snprintf(C, sizeof C, "%g", set->svm_rfe.C);
            snprintf(final_C, sizeof final_C, "%g", set->common.classifier_C);
            pare_path *alone =
                paths_or_fail(data, PAIRS("svm-rfe"),
                              PAIRS("missing", "mean", "C", C, "classifier_C", final_C), &o, 1);
            for (int64_t q = 0; q < p->setup.n_metrics; q++)
                if (!p->y.task->metric[q].probable) /* calibrated on inner folds alone */
                    check_close(tuned->score[s * p->setup.n_metrics + q],
                                alone->round.result[j].score[s * p->setup.n_metrics + q], 1e-12);
            pare_path_free(alone);
        }
    pare_path_free(p);
    pare_data_free(data);
}

static void summaries_follow_their_formulas(void **state) {
    (void)state;
    double v[] = {0.5, 0.75, NAN, 1, 0.25};
    estimate e = summary_of(v, 5, 1, 0.25);
    check_close(e.mean, 0.625, 1e-15);
    check_close(e.se, sqrt((0.015625 + 0.015625 + 0.140625 + 0.140625) / 3 * (0.25 + 0.25)), 1e-15);
    assert_true(isnan(summary_of(v + 2, 1, 1, 0).mean));
    assert_true(isnan(summary_of(v, 1, 1, 0).se));

    estimate curve[] = {{0.6, 0.1}, {0.75, 0.1}, {0.8, 0.06}, {0.79, 0.01}, {NAN, NAN}};
    assert_int_equal(choice_make(curve, 5, true, CHOICE_BEST, 0), 2);
    assert_int_equal(choice_make(curve, 5, true, CHOICE_ONE_SE, 0), 1);
    assert_int_equal(choice_make(curve, 5, true, CHOICE_TOLERANCE, 0.01), 2);
    assert_int_equal(choice_make(curve, 5, true, CHOICE_TOLERANCE, 0.3), 0);
    assert_int_equal(choice_make(curve, 5, false, CHOICE_BEST, 0), 0);
    assert_int_equal(choice_make(curve + 4, 1, true, CHOICE_ONE_SE, 0), -1);
    /* a mean that is at the bound but for rounding is within it */
    estimate tie[] = {{0.7, NAN}, {0.8, 0.1}, {NAN, NAN}}, lower[] = {{0.3, NAN}, {0.2, 0.1}};
    assert_true(tie[0].mean < tie[1].mean - tie[1].se &&
                lower[0].mean < lower[1].mean + 0.1 + 1e-9);
    assert_int_equal(choice_make(tie, 3, true, CHOICE_ONE_SE, 0), 0);
    assert_int_equal(choice_make(lower, 2, false, CHOICE_ONE_SE, 0), 0);
    tie[1].se = NAN;
    assert_int_equal(choice_make(tie, 3, true, CHOICE_ONE_SE, 0), 1);
}

/* Two-sided exact Wilcoxon p by going through all 2^n sign patterns. */
static double wilcoxon_by_enumeration(const double *diff, int n) {
    double rank[16], plus = 0, total = 0;
    int used = 0;
    double size[16];
    for (int i = 0; i < n; i++)
        if (diff[i] != 0) size[used++] = fabs(diff[i]);
    for (int i = 0; i < used; i++) {
        rank[i] = 0.5;
        for (int o = 0; o < used; o++)
            rank[i] += size[o] < size[i] ? 1 : size[o] == size[i] ? 0.5 : 0;
        total += rank[i];
    }
    for (int i = 0, q = 0; i < n; i++) {
        if (diff[i] == 0) continue;
        if (diff[i] > 0) plus += rank[q];
        q++;
    }
    double w = fmin(plus, total - plus), extreme = 0;
    for (int signs = 0; signs < 1 << used; signs++) {
        double sum = 0;
        for (int i = 0; i < used; i++) sum += signs >> i & 1 ? rank[i] : 0;
        extreme += sum <= w + 1e-9;
    }
    return fmin(1, 2 * extreme / (double)(1 << used));
}

static void tests_are_exact(void **state) {
    (void)state;
    rng r = rng_from(83);
    for (int trial = 0; trial < 60; trial++) {
        int n = 2 + (int)rng_below(&r, 10);
        double a[16], b[16], diff[16];
        for (int i = 0; i < n; i++) { /* few distinct values: ties and zeros */
            a[i] = (double)rng_below(&r, 5);
            b[i] = (double)rng_below(&r, 5);
            diff[i] = a[i] - b[i];
        }
        paired_test t;
        pare_error err;
        assert_int_equal(compare_paired(&t, a, b, n, 0.1, NULL, &err), PARE_OK);
        check_close(t.p_w, wilcoxon_by_enumeration(diff, n), 1e-12);
    }
    /* 0.9 - 0.8 and 0.8 - 0.7 are other doubles and the same difference: they cancel and share a rank. */
    double better[] = {0.9, 0.7, 0.3}, worse[] = {0.8, 0.8, 0.1}, tied[] = {1, -1, 2};
    paired_test even;
    pare_error none;
    assert_int_equal(compare_paired(&even, better, worse, 2, 0.1, NULL, &none), PARE_OK);
    assert_true(even.difference == 0);
    assert_int_equal(compare_paired(&even, better, worse, 3, 0.1, NULL, &none), PARE_OK);
    check_close(even.p_w, wilcoxon_by_enumeration(tied, 3), 1e-12);
    assert_true(even.w == 1.5);
    /* Student's t has closed forms for one and two degrees of freedom. */
    for (double t = 0; t < 50; t += 0.37) {
        check_close(student_two_sided(t, 1), 1 - 2 / 3.14159265358979323846 * atan(t), 1e-12);
        check_close(student_two_sided(t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
    }
    check_close(student_two_sided(2.262157162740992, 9), 0.05, 1e-9); /* any table */
    double score[] = {3, 1, 2, 2, 2, NAN, 1, 3, 2};
    double rank[3];
    int64_t parts;
    compare_ranks(rank, &parts, score, 3, 3, 1);
    assert_int_equal(parts, 2); /* columns (3,2,1), (1,2,3); the third has a NaN */
    for (int m = 0; m < 3; m++) check_close(rank[m], 2, 1e-15);
}

/* The index is the mean pairwise agreement corrected for chance when all sets have one size:
 * mean over pairs of (|A and B| - k^2/d) / (k - k^2/d). */
static void stability_is_pairwise_agreement(void **state) {
    (void)state;
    rng r = rng_from(84);
    enum { M = 8, D = 30 };
    for (int trial = 0; trial < 20; trial++) {
        int64_t k = 1 + rng_below(&r, D - 1), set[M][D], counts[M];
        const int64_t *pick[M];
        for (int i = 0; i < M; i++) {
            for (int64_t j = 0; j < D; j++) set[i][j] = j;
            if (trial % 2)
                rng_shuffle(&r, set[i] + k / 2, D - k / 2);
            else
                rng_shuffle(&r, set[i], D);
            pick[i] = set[i];
            counts[i] = k;
        }
        double agreement = 0, dk = (double)k, chance = dk * dk / D;
        for (int a = 0; a < M; a++)
            for (int b = 0; b < a; b++) {
                double both = 0;
                for (int64_t i = 0; i < k; i++)
                    for (int64_t o = 0; o < k; o++) both += set[a][i] == set[b][o];
                agreement += (both - chance) / (dk - chance) / (M * (M - 1) / 2);
            }
        stability s;
        pare_error err;
        assert_int_equal(stability_of(&s, NULL, pick, counts, M, D, NULL, &err), PARE_OK);
        check_close(s.index, agreement, 1e-12);
        assert_true(s.low <= s.index && s.high >= s.index);
    }
    int64_t same[] = {2, 5};
    const int64_t *pick[] = {same, same, same};
    int64_t counts[] = {2, 2, 2};
    stability s;
    pare_error err;
    assert_int_equal(stability_of(&s, NULL, pick, counts, 3, D, NULL, &err), PARE_OK);
    check_close(s.index, 1, 1e-15);
    check_close(s.low, 1, 1e-12);
}

/* The 95% interval holds the index of a known law about 95 times in 100. */
static void stability_intervals_cover(void **state) {
    (void)state;
    rng r = rng_from(85);
    enum { M = 60, D = 40, TRIALS = 300 };
    double p[D], mean = 0, variance = 0;
    for (int j = 0; j < D; j++) {
        p[j] = j < 8 ? 0.8 : 0.1;
        mean += p[j] / D;
        variance += p[j] * (1 - p[j]) / D;
    }
    double truth = 1 - variance / (mean * (1 - mean));
    int covered = 0;
    for (int t = 0; t < TRIALS; t++) {
        static int64_t set[M][D];
        int64_t counts[M] = {0};
        const int64_t *pick[M];
        for (int i = 0; i < M; i++) {
            for (int64_t j = 0; j < D; j++)
                if (rng_uniform(&r) < p[j]) set[i][counts[i]++] = j;
            pick[i] = set[i];
        }
        stability s;
        pare_error err;
        assert_int_equal(stability_of(&s, NULL, pick, counts, M, D, NULL, &err), PARE_OK);
        covered += s.low <= truth && truth <= s.high;
    }
    assert_in_range(covered, TRIALS * 90 / 100, TRIALS * 99 / 100);
}

TEST_FILE(test_path) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_separate_fits),
        cmocka_unit_test(selection_does_not_see_test_labels),
        cmocka_unit_test(selection_outside_the_folds_would_lie),
        cmocka_unit_test(a_shared_selection_changes_nothing),
        cmocka_unit_test(summaries_follow_their_formulas),
        cmocka_unit_test(tests_are_exact),
        cmocka_unit_test(stability_is_pairwise_agreement),
        cmocka_unit_test(stability_intervals_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

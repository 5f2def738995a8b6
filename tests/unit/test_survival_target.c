/* Times to an event: as a target of a data set, through its subsets and orders, and the c-index. */
#include "support/fits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "task/concordance.h"
#include "task/task.h"

enum { N = 40 };

typedef struct sample_set {
    double time[N], risk[N], weight[N], of_event[N];
    bool event[N];
    int32_t flag[N], stratum[N];
    const char *strata[N];
} sample_set;

/* Times and risks on a coarse grid, so that many are equal. */
static void draw(sample_set *s, rng *r) {
    static const char *const names[] = {"10", "9", "site"};
    for (int i = 0; i < N; i++) {
        s->time[i] = (double)rng_below(r, 12);
        s->risk[i] = (double)rng_below(r, 9) / 4 - 1;
        s->weight[i] = (double)rng_below(r, 4) / 2;
        s->of_event[i] = 0.5 + rng_uniform(r);
        s->flag[i] = rng_uniform(r) < 0.6;
        s->event[i] = s->flag[i] == 1;
        s->stratum[i] = (int32_t)rng_below(r, 3);
        s->strata[i] = names[s->stratum[i]];
    }
    s->flag[0] = 1;
    s->event[0] = true;
}

/* By the definition, pair by pair. */
static double by_pairs(const concordance_job *job) {
    double concordant = 0, pairs = 0;
    for (int64_t i = 0; i < job->n; i++)
        for (int64_t j = 0; j < job->n; j++) {
            bool later = job->time[i] < job->time[j] ||
                         (job->time[i] == job->time[j] && job->event[j] == 0 && i != j);
            if (job->event[i] == 0 || !later) continue;
            if (job->stratum && job->stratum[i] != job->stratum[j]) continue;
            double w = job->weight ? job->weight[i] * job->weight[j] : 1;
            if (job->of_event) w *= job->of_event[i];
            pairs += w;
            if (job->risk[i] > job->risk[j]) concordant += w;
            if (job->risk[i] == job->risk[j]) concordant += w / 2;
        }
    return concordant / pairs;
}

static void concordance_counts_pairs(void **state) {
    (void)state;
    rng r = rng_from(1);
    sample_set s;
    for (int t = 0; t < 200; t++) {
        draw(&s, &r);
        concordance_job job = {.n = 1 + rng_below(&r, N),
                               .time = s.time,
                               .risk = s.risk,
                               .event = s.flag,
                               .stratum = t & 1 ? s.stratum : NULL,
                               .weight = t & 2 ? s.weight : NULL,
                               .of_event = t & 4 ? s.of_event : NULL};
        double fast, slow = by_pairs(&job);
        assert_int_equal(concordance(&fast, &job, NULL, NULL), PARE_OK);
        if (isnan(slow) ? !isnan(fast) : fabs(fast - slow) > 1e-14)
            fail_msg("problem %d: %.17g, pair by pair %.17g", t, fast, slow);
    }
}

/* 200,000 samples: pair by pair would take minutes. */
static void concordance_is_fast(void **state) {
    enum { MANY = 200000 };
    (void)state;
    rng r = rng_from(2);
    double *time = random_normal(&r, MANY, 1), *risk = random_normal(&r, MANY, 1), c;
    int32_t *event = calloc(MANY, sizeof *event);
    assert_non_null(event);
    for (int i = 0; i < MANY; i++) {
        risk[i] = -time[i];
        event[i] = i % 3 != 0;
    }
    concordance_job job = {.n = MANY, .time = time, .risk = risk, .event = event};
    assert_int_equal(concordance(&c, &job, NULL, NULL), PARE_OK);
    assert_true(c == 1);
    job.risk = time;
    assert_int_equal(concordance(&c, &job, NULL, NULL), PARE_OK);
    assert_true(c == 0);
    free(event);
    free(risk);
    free(time);
}

static pare_data *survival_data(const sample_set *s, int64_t n, bool strata) {
    double x[N];
    pare_data *data;
    pare_error err;
    for (int i = 0; i < N; i++) x[i] = i;
    assert_int_equal(pare_data_dense(&data, n, 1, x, NULL, NULL, NULL, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_time_event(data, s->time, s->event, &err), PARE_OK);
    if (strata) assert_int_equal(pare_data_set_strata(data, s->strata, &err), PARE_OK);
    return data;
}

static pare_status resolve(target *y, arena *mem, const pare_data *data, unsigned tasks,
                           const char *word, pare_error *err) {
    arena_init(mem, ctx_allocator(NULL));
    return target_resolve(y, mem, data, tasks, word, "", err);
}

static void times_are_of_one_task(void **state) {
    static const struct {
        const char *word;
        unsigned tasks;
        pare_status status;
        const char *message;
    } table[] = {
        {"auto", TASK_SURVIVAL, PARE_OK, NULL},
        {"auto", TASK_REGRESSION | TASK_SURVIVAL, PARE_OK, NULL},
        {"survival", TASK_REGRESSION | TASK_SURVIVAL, PARE_OK, NULL},
        {"regress", TASK_REGRESSION | TASK_SURVIVAL, PARE_E_ARGUMENT, "which are for survival"},
        {"auto", TASK_REGRESSION, PARE_E_ARGUMENT, "choose a method for survival"},
        {"survival", TASK_REGRESSION, PARE_E_ARGUMENT, "allowed: regress"},
    };
    (void)state;
    rng r = rng_from(3);
    sample_set s;
    draw(&s, &r);
    pare_data *data = survival_data(&s, N, true);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        target y;
        arena mem;
        pare_error err;
        assert_int_equal(resolve(&y, &mem, data, table[i].tasks, table[i].word, &err),
                         table[i].status);
        if (table[i].message) assert_non_null(strstr(err.message, table[i].message));
        if (!table[i].message) assert_ptr_equal(y.task, &task_survival);
        arena_free(&mem);
    }
    pare_data_free(data);
}

static void strata_are_in_the_order_of_their_names(void **state) {
    (void)state;
    rng r = rng_from(4);
    sample_set s;
    target y;
    arena mem;
    pare_error err;
    char buffer[32], expected[32];
    draw(&s, &r);
    pare_data *data = survival_data(&s, N, true);
    assert_int_equal(resolve(&y, &mem, data, TASK_SURVIVAL, "survival", &err), PARE_OK);
    assert_int_equal(y.n_strata, 3);
    assert_string_equal(y.strata[0], "10"); /* one is no number: as texts */
    for (int i = 0; i < N; i++) {
        assert_string_equal(y.strata[y.stratum[i]], s.strata[i]);
        assert_true(y.time[i] == s.time[i] && y.event[i] == s.flag[i]);
        snprintf(expected, sizeof expected, "%.0f%s", s.time[i], s.event[i] ? "" : "+");
        assert_string_equal(target_text(&y, i, buffer), expected);
        assert_string_equal(pare_data_target(data, i, buffer), expected);
    }
    arena_free(&mem);
    for (int i = 0; i < N; i++)
        if (s.stratum[i] == 2) s.strata[i] = "9.0";
    assert_int_equal(pare_data_set_strata(data, s.strata, &err), PARE_OK);
    assert_int_equal(resolve(&y, &mem, data, TASK_SURVIVAL, "survival", &err), PARE_OK);
    assert_int_equal(y.n_strata, 2); /* 9 and 9.0 are one number, less than 10 */
    assert_true(y.strata[0][0] == '9' && strcmp(y.strata[1], "10") == 0);
    arena_free(&mem);
    pare_data_free(data);
}

/* Rows of the data, and the samples of a fold, have their own times, events and strata. */
static void rows_take_their_times_along(void **state) {
    (void)state;
    rng r = rng_from(5);
    sample_set s;
    target y, taken;
    arena mem;
    pare_error err;
    pare_data *rows;
    const int32_t from[] = {5, 0, 5, 39, 7};
    draw(&s, &r);
    s.event[5] = true;
    pare_data *data = survival_data(&s, N, true);
    assert_int_equal(pare_data_subset(&rows, data, from, 5, NULL, &err), PARE_OK);
    assert_int_equal(resolve(&y, &mem, rows, TASK_SURVIVAL, "auto", &err), PARE_OK);
    for (int i = 0; i < 5; i++) {
        assert_true(y.time[i] == s.time[from[i]] && (y.event[i] == 1) == s.event[from[i]]);
        assert_string_equal(y.strata[y.stratum[i]], s.strata[from[i]]);
    }
    const int32_t again[] = {4, 1};
    assert_int_equal(target_take(&taken, &mem, &y, again, 2, &err), PARE_OK);
    for (int i = 0; i < 2; i++)
        assert_true(taken.time[i] == y.time[again[i]] && taken.event[i] == y.event[again[i]] &&
                    taken.stratum[i] == y.stratum[again[i]]);
    arena_free(&mem);
    pare_data_free(rows);
    pare_data_free(data);
}

/* How often each (time, event, stratum) occurs must stay, and strata must not move. */
static void same_pairs(const target *a, const target *b) {
    for (int i = 0; i < N; i++) {
        int of_a = 0, of_b = 0;
        assert_int_equal(a->stratum[i], b->stratum[i]);
        for (int h = 0; h < N; h++) {
            of_a += a->time[h] == a->time[i] && a->event[h] == a->event[i] &&
                    a->stratum[h] == a->stratum[i];
            of_b += b->time[h] == a->time[i] && b->event[h] == a->event[i] &&
                    b->stratum[h] == a->stratum[i];
        }
        assert_int_equal(of_a, of_b);
    }
}

static void permutations_stay_within_strata(void **state) {
    (void)state;
    rng r = rng_from(6);
    sample_set s;
    target y, mixed;
    arena mem;
    pare_error err;
    int32_t own[N], pairs[N];
    draw(&s, &r);
    for (int i = 0; i < N; i++) {
        own[i] = i;
        pairs[i] = i / 2;
    }
    pare_data *data = survival_data(&s, N, true);
    assert_int_equal(resolve(&y, &mem, data, TASK_SURVIVAL, "auto", &err), PARE_OK);
    const int32_t *const groups[] = {NULL, own, pairs};
    for (int g = 0; g < 3; g++) {
        bool moved = false;
        for (uint64_t seed = 1; seed < 20; seed++) {
            assert_int_equal(target_permute(&mixed, &mem, &y, N, groups[g], seed, &err), PARE_OK);
            same_pairs(&y, &mixed);
            for (int i = 0; i < N; i++) moved |= mixed.time[i] != y.time[i];
        }
        assert_true(moved);
    }
    arena_free(&mem);
    pare_data_free(data);
}

/* Folds deal out events evenly; a fold without any is an error, one without censored samples none. */
static void folds_balance_events(void **state) {
    (void)state;
    rng r = rng_from(7);
    sample_set s;
    target y;
    arena mem;
    pare_error err;
    char name[KIND_NAME_SIZE];
    int64_t kinds;
    draw(&s, &r);
    pare_data *data = survival_data(&s, N, false);
    assert_int_equal(resolve(&y, &mem, data, TASK_SURVIVAL, "auto", &err), PARE_OK);
    assert_ptr_equal(target_kinds(&y, &kinds), y.event);
    assert_int_equal(kinds, 2);
    assert_true(target_needs(&y, 1) && !target_needs(&y, 0));
    assert_string_equal(target_kind_name(name, &y, 1), "outcome \"event\"");
    assert_int_equal(y.n_strata, 1);
    assert_null(y.stratum);
    arena_free(&mem);
    pare_data_free(data);
}

static void bad_targets_are_errors(void **state) {
    (void)state;
    rng r = rng_from(8);
    sample_set s;
    pare_error err;
    target y;
    arena mem;
    draw(&s, &r);
    pare_data *data = survival_data(&s, N, false);
    const double wrong[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        double old = s.time[2];
        s.time[2] = wrong[i];
        assert_int_equal(pare_data_set_time_event(data, s.time, s.event, &err), PARE_E_DATA);
        assert_non_null(strstr(err.message, "the time of sample 3 is "));
        s.time[2] = old;
    }
    assert_int_equal(pare_data_set_time_event(data, s.time, NULL, &err), PARE_E_ARGUMENT);
    assert_true(pare_data_has_target(data)); /* as before */
    memset(s.event, 0, sizeof s.event);
    assert_int_equal(pare_data_set_time_event(data, s.time, s.event, &err), PARE_OK);
    assert_int_equal(resolve(&y, &mem, data, TASK_SURVIVAL, "auto", &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "none of the 40 samples has an event"));
    arena_free(&mem);
    assert_int_equal(pare_data_set_time_event(data, NULL, NULL, &err), PARE_OK);
    assert_false(pare_data_has_target(data));
    assert_int_equal(resolve(&y, &mem, data, TASK_SURVIVAL, "survival", &err), PARE_E_DATA);
    assert_non_null(strstr(err.message, "give `time` and `event`"));
    arena_free(&mem);
    pare_data_free(data);
}

/* Times, events and strata are part of the sum by which a model knows its data. */
static void checksum_sees_the_target(void **state) {
    (void)state;
    rng r = rng_from(9);
    sample_set s;
    char sum[4][65];
    pare_error err;
    draw(&s, &r);
    pare_data *data = survival_data(&s, N, false);
    assert_int_equal(pare_data_checksum(sum[0], data, NULL, &err), PARE_OK);
    s.event[1] = !s.event[1];
    assert_int_equal(pare_data_set_time_event(data, s.time, s.event, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(sum[1], data, NULL, &err), PARE_OK);
    assert_int_equal(pare_data_set_strata(data, s.strata, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(sum[2], data, NULL, &err), PARE_OK);
    s.time[4] += 1;
    assert_int_equal(pare_data_set_time_event(data, s.time, s.event, &err), PARE_OK);
    assert_int_equal(pare_data_checksum(sum[3], data, NULL, &err), PARE_OK);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(sum[i], sum[j]);
    pare_data_free(data);
}

TEST_FILE(test_survival_target) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(concordance_counts_pairs),
                                       cmocka_unit_test(concordance_is_fast),
                                       cmocka_unit_test(times_are_of_one_task),
                                       cmocka_unit_test(strata_are_in_the_order_of_their_names),
                                       cmocka_unit_test(rows_take_their_times_along),
                                       cmocka_unit_test(permutations_stay_within_strata),
                                       cmocka_unit_test(folds_balance_events),
                                       cmocka_unit_test(bad_targets_are_errors),
                                       cmocka_unit_test(checksum_sees_the_target)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

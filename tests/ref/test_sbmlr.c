/* sbmlr against plain loops: its objective, its slopes, no single coefficient that improves it, and the
 * paper's own way down, coordinate by coordinate from 0. */
#include "support/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { MAX_N = 80, MAX_D = 40, MAX_C = 4 };

/* A problem on features as they are, and a point of it. */
typedef struct point {
    int64_t n, d, c, classes;
    const double *x, *weight;
    int64_t cls[MAX_N];
    double B[MAX_D][MAX_C], b[MAX_C];
    double u[MAX_N][MAX_C]; /* of the last value: weight (indicator - probability) */
} point;

static int64_t live(const point *p, double *sum) {
    int64_t count = 0;
    *sum = 0;
    for (int64_t j = 0; j < p->d; j++)
        for (int64_t o = 0; o < p->c; o++) {
            count += p->B[j][o] != 0;
            *sum += fabs(p->B[j][o]);
        }
    return count;
}

static double value(point *p) {
    double out = 0, sum;
    int64_t count = live(p, &sum);
    for (int64_t i = 0; i < p->n; i++) {
        double e[MAX_C] = {0}, total = 0, w = p->weight ? p->weight[i] : 1;
        for (int64_t o = 0; o < p->c; o++) {
            int64_t at = p->c == 1 ? 1 : o;
            e[at] = p->b[o];
            for (int64_t j = 0; j < p->d; j++) e[at] += p->B[j][o] * p->x[j * p->n + i];
        }
        for (int64_t k = 0; k < p->classes; k++) total += exp(e[k]);
        out += w * (log(total) - e[p->cls[i]]);
        for (int64_t o = 0; o < p->c; o++) {
            int64_t at = p->c == 1 ? 1 : o;
            p->u[i][o] = w * ((p->cls[i] == at) - exp(e[at]) / total);
        }
    }
    return out + (count ? (double)count * log(sum) : 0);
}

/* Minus the slope of the loss; j = d: of an intercept. */
static double pull(const point *p, int64_t j, int64_t o) {
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) sum += p->u[i][o] * (j < p->d ? p->x[j * p->n + i] : 1);
    return sum;
}

static void read_point(point *p, const pare_model *m, const pare_data *data, const double *x) {
    memset(p, 0, sizeof *p);
    *p = (point){.n = data->x.n, .d = data->x.d, .c = m->p.n_outputs, .classes = m->n_classes};
    p->x = x;
    p->weight = data->weight;
    for (int64_t i = 0; i < p->n; i++) p->cls[i] = atoi(strings_at(&data->target.text, i) + 1);
    for (int64_t o = 0; o < p->c; o++) {
        p->b[o] = m->p.intercept[o];
        for (int64_t k = 0; k < m->n_selected; k++)
            p->B[m->index[k]][o] = m->p.coef[o * m->n_selected + k];
    }
}

/* Live slopes are the price; a dead coefficient beyond its own price does not pay. */
static void check_point(point *p, const pare_model *m) {
    double sum, here = value(p);
    int64_t count = live(p, &sum);
    check_close(here, m->predictor.objective, 1e-10);
    if (count == 0) return;
    point q = *p;
    for (int64_t j = 0; j <= p->d; j++)
        for (int64_t o = 0; o < p->c; o++) {
            double g = pull(p, j, o), price = (double)count / sum;
            if (j == p->d) {
                assert_true(fabs(g) < 1e-7 * price);
            } else if (p->B[j][o] != 0) {
                assert_true(fabs(g - copysign(price, p->B[j][o])) < 1e-7 * price);
                for (int way = -1; way <= 1; way += 2) {
                    q.B[j][o] = p->B[j][o] * (1 + way * 1e-3);
                    assert_true(value(&q) >= here - 1e-9);
                }
                q.B[j][o] = p->B[j][o];
            } else if (fabs(g) > (double)(count + 1) / sum) {
                for (double step = 1e-3; step < 20; step *= 1.1) {
                    q.B[j][o] = copysign(step, g);
                    if (!(value(&q) >= here - 1e-9)) fail_msg("feature %d pays", (int)j);
                }
                q.B[j][o] = 0;
            }
        }
}

/* Newton along one coordinate at the price, not beyond 0. */
static void step_along(point *p, int64_t j, int64_t o, double price) {
    double bend = 1e-12, *at = j < p->d ? &p->B[j][o] : &p->b[o], old = *at;
    double g = pull(p, j, o), sign = old != 0 ? copysign(1, old) : copysign(1, g);
    for (int64_t i = 0; i < p->n; i++) {
        double w = p->weight ? p->weight[i] : 1, x = j < p->d ? p->x[j * p->n + i] : 1;
        int64_t own = p->cls[i] == (p->c == 1 ? 1 : o);
        double prob = (double)own - p->u[i][o] / w;
        bend += w * prob * (1 - prob) * x * x;
    }
    if (j == p->d) sign = 0;
    *at = old + (g - price * sign) / bend;
    if (j < p->d && *at * sign < 0) *at = 0;
}

/* The paper's descent from 0. false: it has not come to rest. */
static bool descend(point *p) {
    memset(p->B, 0, sizeof p->B);
    memset(p->b, 0, sizeof p->b);
    for (int step = 0; step < 3000; step++) {
        double sum, worst = 0;
        int64_t count = live(p, &sum), at_j = 0, at_o = 0;
        double price = count ? (double)count / sum : 0;
        value(p);
        for (int64_t j = 0; j <= p->d; j++)
            for (int64_t o = 0; o < p->c; o++) {
                double g = pull(p, j, o), off = fabs(g);
                if (j < p->d)
                    off = p->B[j][o] != 0 ? fabs(g - copysign(price, p->B[j][o])) : off - price;
                if (off <= worst) continue;
                worst = off;
                at_j = j;
                at_o = o;
            }
        if (count > 0 && worst < 1e-9) return true;
        step_along(p, at_j, at_o, price);
    }
    return false;
}

static void no_coefficient_improves_it(void **state) {
    (void)state;
    rng r = rng_from(91);
    int rested = 0, empty = 0;
    for (int t = 0; t < 40; t++) {
        problem_shape shape = {.n = 40 + t % 3 * 20, .d = t % 2 ? 6 : 40, .density = 1};
        shape.classes = 2 + t % 3;
        shape.signal = t % 5 == 4 ? 0.2 : 1.5;
        shape.weights = t % 4 == 3;
        pare_data *data = problem_make(&r, &shape);
        pare_model *m = fit_or_fail(data, "sbmlr", PAIRS("scale", "none"));
        double *x = dense_of(&data->x), sum;
        point p;
        assert_int_equal(m->predictor.outcome, PARE_STATIONARY);
        assert_int_equal(m->predictor.certificate.kind, PARE_CERT_KKT);
        read_point(&p, m, data, x);
        check_point(&p, m);
        empty += m->n_selected == 0;
        if (m->n_selected > 0 && p.d < 10 && descend(&p) && live(&p, &sum) && sum > 1) {
            rested++; /* a point of rest is one of those that the least is taken of */
            if (!(m->predictor.objective <= value(&p) + 1e-6))
                fail_msg("%.9g, the descent from 0 ends at %.9g", m->predictor.objective,
                         value(&p));
        }
        free(x);
        pare_model_free(m);
        pare_data_free(data);
    }
    assert_true(rested >= 3);
    assert_true(empty >= 1);
}

/* Noise: all die, and the intercept is that of the classes alone. */
static void all_die_in_noise(void **state) {
    (void)state;
    rng r = rng_from(92);
    problem_shape shape = {.n = 30, .d = 3, .classes = 2, .density = 1};
    pare_data *data = problem_make(&r, &shape);
    pare_model *m = fit_or_fail(data, "sbmlr", (const char *const[]){NULL});
    double ones = 0;
    for (int64_t i = 0; i < 30; i++) ones += atoi(strings_at(&data->target.text, i) + 1);
    assert_int_equal(m->n_selected, 0);
    check_close(m->p.intercept[0], log(ones / (30 - ones)), 1e-9);
    check_close(m->predictor.objective, -ones * log(ones / 30) - (30 - ones) * log(1 - ones / 30),
                1e-10);
    assert_true(m->predictor.certificate.relative < 1e-9);
    pare_model_free(m);
    pare_data_free(data);
}

TEST_FILE(test_sbmlr) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_coefficient_improves_it),
                                       cmocka_unit_test(all_die_in_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "support/svm_case.h"

#include <math.h>
#include <stdlib.h>

svm_case svm_case_alloc(int64_t n, int64_t d) {
    svm_case c = {n, d, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    c.x = calloc((size_t)(n * d + 1), sizeof(double));
    c.K = calloc((size_t)(n * n + 1), sizeof(double));
    double **vectors[] = {&c.y, &c.C, &c.ridge, &c.alpha, &c.f};
    assert_true(c.x && c.K);
    for (int k = 0; k < 5; k++) {
        *vectors[k] = calloc((size_t)(n + 1), sizeof(double));
        assert_non_null(*vectors[k]);
    }
    for (int64_t i = 0; i < n; i++) c.C[i] = 1;
    return c;
}

void svm_case_gram(svm_case *c) {
    for (int64_t i = 0; i < c->n; i++)
        for (int64_t j = 0; j < c->n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < c->d; k++) sum += c->x[i * c->d + k] * c->x[j * c->d + k];
            c->K[i * c->n + j] = sum;
        }
}

svm_case svm_case_new(rng *r, int64_t n, int64_t d, svm_kind kind, double scale, double noise,
                      bool duplicates) {
    svm_case c = svm_case_alloc(n, d);
    double unit = scale * scale * (double)d; /* about K_ii: C and ridge are meant relative to it */
    for (int64_t i = 0; i < n; i++) {
        double side = 0.3 * rng_normal(r);
        for (int64_t k = 0; k < d; k++) {
            double z = rng_normal(r);
            if (duplicates && i % 3 == 2) z = c.x[(i - 1) * d + k] / scale;
            c.x[i * d + k] = scale * z;
            side += k < 3 ? z : 0;
        }
        c.y[i] = (side > 0) != (rng_uniform(r) < noise) ? 1 : -1;
        svm_kind own = kind == SVM_MIXED ? (svm_kind)rng_below(r, 3) : kind;
        c.C[i] = own == SVM_SOFT ? exp(2 * rng_normal(r)) / unit : INFINITY;
        c.ridge[i] = own == SVM_RIDGE ? exp(3 * rng_normal(r) - 3) * unit : 0;
        if (kind == SVM_MIXED && rng_uniform(r) < 0.15) c.C[i] = 0;
        if (kind == SVM_MIXED && rng_uniform(r) < 0.15) { /* quadratic, then linear */
            c.C[i] = 1 / unit;
            c.ridge[i] = 0.3 * unit;
        }
    }
    svm_case_gram(&c);
    return c;
}

void svm_case_free(svm_case *c) {
    free(c->x);
    free(c->K);
    free(c->y);
    free(c->C);
    free(c->ridge);
    free(c->alpha);
    free(c->f);
}

svm_problem svm_case_problem(const svm_case *c, bool intercept, double tol) {
    return (svm_problem){c->n, c->K, c->y, c->C, c->ridge, intercept, tol, 0, false};
}

svm_solution svm_case_solve(svm_case *c, const svm_problem *p) {
    svm_solution s = {.alpha = c->alpha, .f = c->f};
    pare_error err;
    pare_status status = svm_dual_solve(&s, p, NULL, &err);
    if (status != PARE_OK) fail_msg("%s", err.message);
    return s;
}

svm_judgement svm_case_judge(const svm_case *c, const svm_problem *p, const svm_solution *s) {
    svm_judgement j = {0, 0, 0, 0};
    double balance = 0, mass = 0, reach = 0, *w = calloc((size_t)(c->d + 1), sizeof(double));
    assert_non_null(w);
    for (int64_t i = 0; i < c->n; i++) {
        double a = s->alpha[i];
        if (!(a >= 0 && a <= c->C[i])) j.infeasible = INFINITY;
        balance += a * c->y[i];
        mass += a;
        j.dual += a - c->ridge[i] * a * a / 2;
        double norm = 0;
        for (int64_t k = 0; k < c->d; k++) {
            w[k] += a * c->y[i] * c->x[i * c->d + k];
            norm += c->x[i * c->d + k] * c->x[i * c->d + k];
        }
        reach += s->scale * a * sqrt(norm);
    }
    if (p->intercept && mass > 0) j.infeasible = fmax(j.infeasible, fabs(balance) / mass);
    for (int64_t k = 0; k < c->d; k++) {
        j.dual -= w[k] * w[k] / 2;
        w[k] *= s->scale;
        j.primal += w[k] * w[k] / 2;
    }
    for (int64_t i = 0; i < c->n; i++) {
        double f = s->b, norm = 0;
        for (int64_t k = 0; k < c->d; k++) {
            f += w[k] * c->x[i * c->d + k];
            norm += c->x[i * c->d + k] * c->x[i * c->d + k];
        }
        j.wrong_f = fmax(j.wrong_f, fabs(f - s->f[i]) / (1 + reach * sqrt(norm)));
        double slack = fmax(0, 1 - c->y[i] * f), C = c->C[i], r = c->ridge[i];
        if (C == INFINITY && r == 0)
            j.infeasible = fmax(j.infeasible, slack);
        else if (r == 0 || slack > r * C)
            j.primal += C * slack - r * C * C / 2;
        else
            j.primal += slack * slack / (2 * r);
    }
    free(w);
    return j;
}

static void check_proof(const svm_case *c, const svm_problem *p, const svm_solution *s,
                        const char *file, int line) {
    double sum = 0, balance = 0, norm = 0, largest = 0;
    bool nonnegative = true, hard = true;
    for (int64_t k = 0; k < c->d; k++) {
        double w = 0;
        for (int64_t i = 0; i < c->n; i++) w += s->alpha[i] * c->y[i] * c->x[i * c->d + k];
        norm += w * w;
    }
    for (int64_t i = 0; i < c->n; i++) {
        double square = 0;
        for (int64_t k = 0; k < c->d; k++) square += c->x[i * c->d + k] * c->x[i * c->d + k];
        largest = fmax(largest, sqrt(square));
        sum += s->alpha[i];
        balance += s->alpha[i] * c->y[i];
        nonnegative = nonnegative && s->alpha[i] >= 0;
        if (s->alpha[i] > 0) hard = hard && c->C[i] == INFINITY && c->ridge[i] == 0;
    }
    if (!nonnegative || !hard || !(fabs(sum - 2) <= 1e-9) || !(sqrt(norm) <= 1.01e-6 * largest) ||
        (p->intercept && !(fabs(balance) <= 1e-12))) {
        print_error("not a proof: sum %g balance %g norm %g of %g, hard %d\n", sum, balance,
                    sqrt(norm), largest, hard);
        _fail(file, line);
    }
}

void svm_case_check_at(const svm_case *c, const svm_problem *p, const svm_solution *s, double slack,
                       const char *file, int line) {
    if (s->inseparable) {
        check_proof(c, p, s, file, line);
        return;
    }
    svm_judgement j = svm_case_judge(c, p, s);
    double size = fmax(fabs(j.primal), fabs(j.dual)), tol = p->tol_rel * slack;
    if (s->outcome != PARE_OPTIMAL || !(j.infeasible <= 1e-9 + 10 * tol) || !(j.wrong_f <= 1e-12) ||
        !(j.primal - j.dual <= tol * size) || !(j.primal - j.dual >= -(1e-9 + tol) * size) ||
        !(fabs(j.primal - s->primal) <= tol * size) || !(fabs(j.dual - s->dual) <= tol * size) ||
        !(s->primal >= s->dual)) {
        print_error("n %d d %d intercept %d outcome %d: primal %.12g (said %.12g) dual %.12g (said "
                    "%.12g), infeasible %g, f wrong by %g, %d iterations\n",
                    (int)c->n, (int)c->d, p->intercept, (int)s->outcome, j.primal, s->primal,
                    j.dual, s->dual, j.infeasible, j.wrong_f, (int)s->iterations);
        _fail(file, line);
    }
}

#include "support/regression.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <coin/Clp_C_Interface.h>

#include "base/memory.h"
#include "data/dataset.h"

regression regression_make(rng *r, int64_t n, int64_t d, regression_kind kind, bool weights) {
    regression p = {.n = n, .d = d, .x = random_normal(r, n, d), .y = random_normal(r, n, 1)};
    double *x = p.x;
    for (int64_t j = 0; j < d; j++)
        for (int64_t i = 0; i < n; i++) {
            double *v = &x[j * n + i];
            if (kind == REG_INTEGER) *v = round(2 * *v);
            if (kind == REG_DUPLICATE && j >= (d + 1) / 2) *v = x[(j - (d + 1) / 2) * n + i];
            if (kind == REG_DUPLICATE && j == 1) *v = 0;
            if (kind == REG_SCALED) *v *= pow(10, (double)(j % 7) - 3);
        }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d && j < 3; j++) p.y[i] += x[j * n + i];
        if (kind == REG_INTEGER) p.y[i] = round(p.y[i]);
        if (kind == REG_INTEGER && i == 1 && p.y[1] == p.y[0]) p.y[1]++; /* not constant */
        if (kind == REG_OFFSET) p.y[i] += 1000;
        if (kind == REG_BINARY) p.y[i] = (double)(i % 2);
    }
    char(*text)[32] = malloc(sizeof *text * (size_t)n);
    const char **labels = malloc(sizeof *labels * (size_t)n);
    assert_true(text && labels);
    for (int64_t i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "%.17g", p.y[i]);
        labels[i] = text[i];
    }
    p.data = data_labelled(n, d, x, labels);
    free(labels);
    free(text);
    if (!weights) return p;
    p.weight = malloc(sizeof(double) * (size_t)n);
    p.data->weight = mem_alloc(&p.data->mem, n, sizeof(double));
    assert_true(p.weight && p.data->weight);
    for (int64_t i = 0; i < n; i++) p.weight[i] = i % 5 == 3 ? 0 : 0.25 + rng_uniform(r);
    memcpy(p.data->weight, p.weight, sizeof(double) * (size_t)n);
    return p;
}

void regression_free(regression *p) {
    free(p->x);
    free(p->y);
    free(p->weight);
    pare_data_free(p->data);
}

double regression_clp(const regression *p, const double *cost, const double *s, bool intercept,
                      double *w) {
    int64_t n = p->n, d = p->d, columns = 2 * d + 2 * n + 1, e = 0;
    Clp_Simplex *clp = Clp_newModel();
    CoinBigIndex *start = malloc(sizeof *start * (size_t)(columns + 1));
    int *row = malloc(sizeof *row * (size_t)(2 * n * d + 3 * n));
    double *element = malloc(sizeof *element * (size_t)(2 * n * d + 3 * n));
    double *lower = calloc((size_t)columns, sizeof *lower),
           *upper = malloc(sizeof *upper * (size_t)columns);
    double *objective = calloc((size_t)columns, sizeof *objective);
    assert_true(start && row && element && lower && upper && objective);
    for (int64_t k = 0; k < columns; k++) {
        start[k] = (CoinBigIndex)e;
        upper[k] = INFINITY;
        if (k < 2 * d) {
            objective[k] = cost[k % d] < INFINITY ? cost[k % d] : 0;
            if (!(cost[k % d] < INFINITY)) upper[k] = 0;
            for (int64_t i = 0; i < n; i++) {
                row[e] = (int)i;
                element[e++] = (k < d ? 1 : -1) * p->x[(k % d) * n + i];
            }
        } else if (k < columns - 1) {
            int64_t i = (k - 2 * d) % n;
            objective[k] = s ? s[i] : 1;
            row[e] = (int)i;
            element[e++] = k < 2 * d + n ? 1 : -1;
        } else {
            lower[k] = intercept ? -INFINITY : 0;
            upper[k] = intercept ? INFINITY : 0;
            for (int64_t i = 0; i < n; i++) {
                row[e] = (int)i;
                element[e++] = 1;
            }
        }
    }
    start[columns] = (CoinBigIndex)e;
    Clp_setLogLevel(clp, 0);
    Clp_setPrimalTolerance(clp, 1e-9);
    Clp_setDualTolerance(clp, 1e-9);
    Clp_loadProblem(clp, (int)columns, (int)n, start, row, element, lower, upper, objective, p->y,
                    p->y);
    Clp_primal(clp, 0);
    double value = Clp_status(clp) == 0 ? Clp_objectiveValue(clp) : NAN;
    const double *z = Clp_primalColumnSolution(clp);
    for (int64_t j = 0; w && j < d; j++) w[j] = z[j] - z[d + j];
    Clp_deleteModel(clp);
    free(start);
    free(row);
    free(element);
    free(lower);
    free(upper);
    free(objective);
    return value;
}

double regression_point(const regression *p, const pare_model *m, double *w) {
    memset(w, 0, sizeof *w * (size_t)p->d);
    for (int64_t i = 0; i < pare_model_get(m)->n_selected; i++)
        w[pare_model_get(m)->index[i]] = pare_model_get(m)->coef[i];
    return pare_model_get(m)->intercept[0];
}

double regression_error(const regression *p, const double *w, double b) {
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double f = b;
        for (int64_t j = 0; j < p->d; j++) f += w[j] * p->x[j * p->n + i];
        sum += (p->weight ? p->weight[i] : 1) * fabs(f - p->y[i]);
    }
    return sum;
}

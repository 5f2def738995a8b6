/* The master of lp.h in CLP's form: built for each solve, scaled, from the kept basis.
 *
 * SCALING   CLP's tolerances are absolute, and its own scaling uses the matrix only, which
 *           leaves costs of 1e-6 next to costs of 1. Here all costs become 1 in phase two:
 *               feature j    value 1 / (K c_j), so its reduced cost is 1 - |X_j'u| / c_j
 *               slack k      value 1 / (K q_k) and its row times K q_k, so its dual lies in [0, 1]
 *           with K = 1 / max q, or for programs without slacks the typical
 *           c_j / max_i |X_ij| over the columns of the master, inverted. Right-hand sides are
 *           divided by the largest of them, and again if the optimum turns out tiny, for CLP takes
 *           values under 1e-13 for zeros.
 *           In phase one features are scaled to a largest entry of 1 and artificials cost 1.
 * ORDER     core columns, artificial columns by row, generated columns. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "solve/lp/lp_master.h"

static const double tolerance = 1e-9, sharp_tolerance = 1e-12;
enum { CLP_OPTIMAL = 0, CLP_NO_SCALING = 0 };
enum { GROUP_CHUNK = 64 }; /* columns of a group */

/* Entries of generated columns while they are passed to CLP. */
typedef struct batch {
    double *values, *element, *objective, *lower, *upper;
    CoinBigIndex *start;
    int *row;
} batch;

static double largest_entry(const lp_master *m, int64_t j, const double *values) {
    double largest = 0;
    for (int64_t r = 0; r < m->n_rows; r++)
        if (m->sample[r] >= 0)
            largest = fmax(largest, fabs(lp_factor(m, r, j) * values[m->sample[r]]));
    return largest;
}

/* Our value of a feature per unit of CLP's, primal_scale aside. */
static double feature_scale(const lp_master *m, int64_t j, const double *values) {
    double largest = largest_entry(m, j, values), cost = lp_cost(m, j);
    if (!m->phase_one && cost < INFINITY) return 1 / (m->objective_scale * cost);
    return largest > 0 ? 1 / largest : 1;
}

static double core_scale(const lp_master *m, int64_t k) {
    bool slack = m->core_absorbs[k] && m->core_cost[k] > 0 && !m->phase_one;
    return slack ? 1 / (m->objective_scale * m->core_cost[k]) : 1;
}

static void choose_scales(lp_master *m, const double *values) {
    double largest_cost = 0, largest_side = 0, logs = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < m->n_core; k++) largest_cost = fmax(largest_cost, m->core_cost[k]);
    for (int64_t k = 0; k < m->n_columns; k++) {
        int64_t j = m->column[k].feature;
        double c = lp_cost(m, j), x = largest_entry(m, j, values + k * m->x.n);
        if (!(c < INFINITY && x > 0)) continue;
        logs += log(x / c);
        count++;
    }
    m->objective_scale = m->phase_one       ? 1
                         : largest_cost > 0 ? 1 / largest_cost
                         : count            ? exp(logs / (double)count)
                                            : 1;
    for (int64_t r = 0; r < m->n_rows; r++) {
        if (fabs(m->lo[r]) < INFINITY) largest_side = fmax(largest_side, fabs(m->lo[r]));
        if (fabs(m->hi[r]) < INFINITY) largest_side = fmax(largest_side, fabs(m->hi[r]));
        bool slack = !m->phase_one && m->absorber[r] >= 0 && m->core_cost[m->absorber[r]] > 0;
        m->row_scale[r] = slack ? m->objective_scale * m->core_cost[m->absorber[r]] : 1;
    }
    m->primal_scale = largest_side > 0 ? largest_side : 1;
    m->rounding = 1e-15 * (double)m->n_rows * m->primal_scale / m->objective_scale;
    if (!m->phase_one) m->primal_scale *= m->value_scale;
}

static pare_status batch_new(batch *b, const lp_master *m, int64_t count, arena *scratch,
                             pare_error *err) {
    PASS_MEM(b->values = ARENA_NEW(scratch, double, m->x.n *count));
    PASS_MEM(b->element = ARENA_NEW(scratch, double, m->n_rows *count));
    PASS_MEM(b->row = ARENA_NEW(scratch, int, m->n_rows *count));
    PASS_MEM(b->start = ARENA_NEW(scratch, CoinBigIndex, count + 1));
    PASS_MEM(b->lower = ARENA_ZERO(scratch, double, count));
    PASS_MEM(ARENA_NEWS(scratch, double, count, &b->upper, &b->objective));
    return PARE_OK;
}

/* Passes column[first ..] with their values in b to CLP. */
static void add_columns(lp_master *m, batch *b, int64_t first) {
    int64_t count = m->n_columns - first, e = 0;
    for (int64_t k = 0; k < count; k++) {
        const lp_column *c = &m->column[first + k];
        const double *values = b->values + k * m->x.n;
        bool barred = !(lp_cost(m, c->feature) < INFINITY);
        double scale = c->sign * feature_scale(m, c->feature, values);
        b->start[k] = (CoinBigIndex)e;
        b->upper[k] = barred ? 0 : INFINITY;
        b->objective[k] = barred || m->phase_one ? 0 : 1;
        for (int64_t r = 0; r < m->n_rows; r++) {
            if (m->sample[r] < 0) continue;
            double value =
                scale * m->row_scale[r] * lp_factor(m, r, c->feature) * values[m->sample[r]];
            if (value == 0) continue;
            b->row[e] = (int)r;
            b->element[e++] = value;
        }
    }
    b->start[count] = (CoinBigIndex)e;
    Clp_addColumns(m->clp, (int)count, b->lower, b->upper, b->objective, b->start, b->row,
                   b->element);
}

/* Core and artificial columns with all rows; the arrays of CLP's loadProblem. */
static pare_status load_core(lp_master *m, arena *scratch, pare_error *err) {
    int64_t most = m->n_core + m->n_rows, entries = m->n_entries + m->n_rows, e = 0, c;
    CoinBigIndex *start, *next;
    int *row;
    double *element, *lower, *upper, *objective, *lo, *hi;
    PASS_MEM(start = ARENA_ZERO(scratch, CoinBigIndex, most + 2));
    PASS_MEM(row = ARENA_NEW(scratch, int, entries));
    PASS_MEM(element = ARENA_NEW(scratch, double, entries));
    PASS_MEM(lower = ARENA_ZERO(scratch, double, most));
    PASS_MEM(ARENA_NEWS(scratch, double, most, &upper, &objective));
    PASS_MEM(ARENA_NEWS(scratch, double, m->n_rows, &lo, &hi));
    /* start[k + 1] counts, then is where column k goes on, then where it ends */
    next = start + 1;
    for (int64_t i = 0; i < m->n_entries; i++) next[m->entry[i].core + 1]++;
    for (int64_t k = 0; k < m->n_core; k++) next[k + 1] += next[k];
    for (int64_t i = 0; i < m->n_entries; i++) {
        int32_t k = m->entry[i].core, r = m->entry[i].row;
        e = next[k]++;
        row[e] = r;
        element[e] = m->entry[i].value * m->row_scale[r] * core_scale(m, k);
    }
    for (int64_t k = 0; k < m->n_core; k++) {
        lower[k] = m->core_free[k] ? -INFINITY : 0;
        upper[k] = INFINITY;
        objective[k] = m->phase_one ? 0 : m->core_cost[k] * m->objective_scale * core_scale(m, k);
    }
    e = m->n_entries;
    c = m->n_core;
    for (int64_t r = 0; r < m->n_rows; r++) {
        lo[r] = m->lo[r] * m->row_scale[r] / m->primal_scale;
        hi[r] = m->hi[r] * m->row_scale[r] / m->primal_scale;
        if (m->absorber[r] != LP_ARTIFICIAL) continue;
        upper[c] = m->phase_one ? INFINITY : 0;
        objective[c] = m->phase_one ? 1 : 0;
        row[e] = (int)r;
        element[e++] = m->lo[r] > 0 ? 1 : -1;
        start[++c] = (CoinBigIndex)e;
    }
    m->first_generated = c;
    Clp_loadProblem(m->clp, (int)c, (int)m->n_rows, start, row, element, lower, upper, objective,
                    lo, hi);
    return PARE_OK;
}

static pare_status load_basis(lp_master *m, arena *scratch, pare_error *err) {
    int64_t c = m->n_core, columns = m->first_generated + m->n_columns;
    unsigned char *basis = ARENA_NEW(scratch, unsigned char, columns + m->n_rows);
    if (!basis) return error_memory(err);
    for (int64_t k = 0; k < m->n_core; k++) basis[k] = m->core_status[k];
    for (int64_t r = 0; r < m->n_rows; r++) {
        if (m->absorber[r] == LP_ARTIFICIAL) basis[c++] = m->artificial_status[r];
        basis[columns + r] = m->row_status[r];
    }
    for (int64_t k = 0; k < m->n_columns; k++) basis[c++] = m->column[k].status;
    Clp_copyinStatus(m->clp, basis);
    return PARE_OK;
}

/* The columns of the heap where they are corners of groups: their signs. */
static pare_status keep_signs(lp_master *m, int64_t found, pare_error *err) {
    const lp_groups *g = &m->groups;
    int64_t more = m->n_signs;
    if (!g->of) return PARE_OK;
    for (int64_t k = 0; k < found; k++) {
        int64_t unit = m->heap[k].index % m->stride;
        more += g->start[unit + 1] - g->start[unit];
    }
    if (more > m->sign_capacity) {
        if (!mem_resize(&m->mem, &m->sign, 2 * more, sizeof *m->sign)) return error_memory(err);
        m->sign_capacity = 2 * more;
    }
    for (int64_t k = 0; k < found; k++) {
        int64_t j = m->heap[k].index, unit = j % m->stride, block = j / m->stride * m->x.d;
        m->in_master[j] |= LP_PLUS;
        m->column[m->n_columns + k] = (lp_column){j, 1, m->n_signs, LP_LOWER};
        for (int64_t i = g->start[unit]; i < g->start[unit + 1]; i++)
            m->sign[m->n_signs++] = lp_sign(m, block + g->member[i]);
    }
    return PARE_OK;
}

/* out (n) = the sum of a group's columns with their signs; chunk: n x GROUP_CHUNK. */
static pare_status load_corner(const lp_master *m, const lp_column *c, double *out, double *chunk,
                               const pare_ctx *ctx, pare_error *err) {
    int64_t n = m->x.n, unit = c->feature % m->stride;
    int64_t first = m->groups.start[unit], size = m->groups.start[unit + 1] - first;
    const signed char *sign = m->sign + c->signs;
    for (int64_t i = 0; i < n; i++) out[i] = 0;
    for (int64_t from = 0; from < size; from += GROUP_CHUNK) {
        int64_t count = size - from < GROUP_CHUNK ? size - from : GROUP_CHUNK;
        pare_status status =
            mat_columns(&m->x, m->groups.member + first + from, count, chunk, ctx, err);
        if (status != PARE_OK) return status;
        for (int64_t k = 0; k < count; k++)
            for (int64_t i = 0; i < n; i++) out[i] += sign[from + k] * chunk[k * n + i];
    }
    return PARE_OK;
}

/* The values of column[first ..], n each. */
static pare_status load_columns(const lp_master *m, int64_t first, double *values, arena *scratch,
                                const pare_ctx *ctx, pare_error *err) {
    int64_t count = m->n_columns - first, *feature;
    double *chunk;
    if (count == 0) return PARE_OK;
    if (m->groups.of) {
        PASS_MEM(chunk = ARENA_NEW(scratch, double, m->x.n *GROUP_CHUNK));
        for (int64_t k = 0; k < count; k++)
            PASS(load_corner(m, &m->column[first + k], values + k * m->x.n, chunk, ctx, err));
        return PARE_OK;
    }
    PASS_MEM(feature = ARENA_NEW(scratch, int64_t, count));
    for (int64_t k = 0; k < count; k++) feature[k] = m->column[first + k].feature % m->stride;
    return mat_columns(&m->x, feature, count, values, ctx, err);
}

pare_status lp_clp_open(lp_master *m, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, &m->mem);
    batch b;
    TRY(batch_new(&b, m, m->n_columns, &scratch, err));
    TRY(load_columns(m, 0, b.values, &scratch, ctx, err));
    choose_scales(m, b.values);
    m->clp = Clp_newModel();
    Clp_setLogLevel(m->clp, 0);
    Clp_scaling(m->clp, CLP_NO_SCALING);
    Clp_setPrimalTolerance(m->clp, tolerance);
    Clp_setDualTolerance(m->clp, tolerance);
    TRY(load_core(m, &scratch, err));
    if (m->n_columns) add_columns(m, &b, 0);
    TRY(load_basis(m, &scratch, err));
done:
    if (status != PARE_OK && m->clp) {
        Clp_deleteModel(m->clp);
        m->clp = NULL;
    }
    arena_free(&scratch);
    return status;
}

void lp_clp_close(lp_master *m) {
    int c = (int)m->n_core;
    for (int k = 0; k < (int)m->n_core; k++)
        m->core_status[k] = (unsigned char)Clp_getColumnStatus(m->clp, k);
    for (int r = 0; r < (int)m->n_rows; r++) {
        if (m->absorber[r] == LP_ARTIFICIAL)
            m->artificial_status[r] = (unsigned char)Clp_getColumnStatus(m->clp, c++);
        m->row_status[r] = (unsigned char)Clp_getRowStatus(m->clp, r);
    }
    for (int64_t k = 0; k < m->n_columns; k++)
        m->column[k].status = (unsigned char)Clp_getColumnStatus(m->clp, c++);
    Clp_deleteModel(m->clp);
    m->clp = NULL;
}

pare_status lp_clp_add(lp_master *m, int64_t found, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, &m->mem);
    batch b;
    int64_t needed = m->n_columns + found, capacity = needed + needed / 2;
    TRY(batch_new(&b, m, found, &scratch, err));
    if (needed > m->column_capacity) {
        TRY_MEM(mem_resize(&m->mem, &m->column, capacity, sizeof *m->column));
        if (!m->groups.of) TRY_MEM(mem_resize(&m->mem, &m->weight, capacity, sizeof *m->weight));
        m->column_capacity = capacity;
    }
    TRY(keep_signs(m, found, err));
    for (int64_t k = 0; k < found && !m->groups.of; k++) {
        int64_t j = m->heap[k].index;
        bool plus = m->price[j] > 0;
        m->in_master[j] |= plus ? LP_PLUS : LP_MINUS;
        m->column[m->n_columns + k] = (lp_column){j, plus ? 1 : -1, 0, LP_LOWER};
    }
    m->n_columns = needed;
    TRY(load_columns(m, needed - found, b.values, &scratch, ctx, err));
    add_columns(m, &b, needed - found);
done:
    arena_free(&scratch);
    return status;
}

/* Where one of the two simplex methods gives up, the other goes on from its basis. */
bool lp_clp_run(lp_master *m, lp_result *result, const pare_ctx *ctx) {
    enum { ATTEMPTS = 3 };
    double deadline = ctx_deadline(ctx);
    bool limited = deadline > 0, dual = m->rows_added;
    m->rows_added = false;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++, dual = !dual) {
        Clp_setMaximumSeconds(m->clp, limited ? fmax(0, deadline - clock_now()) : -1);
        Clp_setNumberIterations(m->clp, 0);
        if (dual)
            Clp_dual(m->clp, 0);
        else
            Clp_primal(m->clp, 0);
        result->pivots += Clp_numberIterations(m->clp);
        if (Clp_status(m->clp) == CLP_OPTIMAL) return true;
        if (limited && clock_now() >= deadline) break;
    }
    result->outcome = limited && clock_now() >= deadline ? PARE_TIME_LIMIT : PARE_MAX_ITER;
    return false;
}

void lp_clp_sharpen(lp_master *m) {
    Clp_setPrimalTolerance(m->clp, sharp_tolerance);
    Clp_setDualTolerance(m->clp, sharp_tolerance);
}

double lp_clp_infeasibility(const lp_master *m) {
    const double *z = Clp_primalColumnSolution(m->clp);
    double sum = 0;
    for (int64_t k = m->n_core; k < m->first_generated; k++) sum += z[k];
    return sum;
}

void lp_clp_duals(lp_master *m) {
    const double *dual = Clp_dualRowSolution(m->clp);
    for (int64_t r = 0; r < m->n_rows; r++)
        m->pi[r] = dual[r] * m->row_scale[r] / m->objective_scale;
}

/* A corner of a group adds to the weights of its features. */
static void add_corner(lp_master *m, const lp_column *c, double value) {
    int64_t unit = c->feature % m->stride, first = m->groups.start[unit];
    double *w = m->dense + c->feature / m->stride * m->x.d;
    for (int64_t i = first; i < m->groups.start[unit + 1]; i++)
        w[m->groups.member[i]] += m->sign[c->signs + i - first] * value;
}

void lp_clp_primal(lp_master *m, lp_result *result) {
    const double *z = Clp_primalColumnSolution(m->clp);
    int64_t numbers = m->groups.of ? m->x.d * m->blocks : 0;
    result->objective = 0;
    for (int64_t k = 0; k < m->n_core; k++) {
        m->core_value[k] = z[k] * core_scale(m, k) * m->primal_scale;
        result->objective += m->core_cost[k] * m->core_value[k];
    }
    result->n_weight = 0;
    for (int64_t j = 0; j < numbers; j++) m->dense[j] = 0;
    for (int64_t k = 0; k < m->n_columns; k++) {
        const lp_column *c = &m->column[k];
        double value = z[m->first_generated + k];
        double cost = lp_cost(m, c->feature);
        if (!(value > 0) || !(cost < INFINITY)) continue;
        value *= m->primal_scale / (m->objective_scale * cost);
        result->objective += cost * value;
        if (m->groups.of)
            add_corner(m, c, value);
        else
            m->weight[result->n_weight++] = (lp_weight){c->feature, c->sign * value};
    }
    for (int64_t j = 0; j < numbers; j++)
        if (m->dense[j] != 0) m->weight[result->n_weight++] = (lp_weight){j, m->dense[j]};
    if (result->n_weight > 0) lp_weights_sort(m->weight, result->n_weight);
    result->core = m->core_value;
    result->weight = m->weight;
}

bool lp_clp_rescale(lp_master *m, double objective) {
    static const double low = 1e-2, high = 1e6, least = 1e-7;
    double seen = objective * m->objective_scale / m->primal_scale, old = m->value_scale;
    if (seen >= low && seen <= high) return false;
    m->value_scale = fmin(1, fmax(least, old * seen));
    return m->value_scale < old / 2 || m->value_scale > 2 * old;
}

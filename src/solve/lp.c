/* The master program in CLP, priced against the whole view after each of its solves; see lp.h.
 *
 * ALGORITHM
 *   1. Rows that x = 0, w = 0 violates and that no slack of their own repairs get an artificial
 *      column. Phase one minimises the sum of the artificials, all other costs being 0; if it ends
 *      above 0 and no feature improves it, its duals prove the rows infeasible.
 *   2. Phase two fixes the artificials at 0 and minimises the true costs.
 *   Both phases: primal simplex from the kept basis; price all features with the row duals (one
 *   pass over X); add the most violated by |X_j'u| / c_j, ties by the lowest index; repeat.
 *   Added rows leave the basis dual feasible, so the next solve begins with the dual simplex.
 * STOPPING  the gap between the master's objective and the best scaled dual, or no column to add.
 * CLP runs on costs divided by their largest core cost, so that its absolute tolerances mean the
 * same for mean and for summed losses. */
#include "solve/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <coin/Clp_C_Interface.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"

enum { FIRST_BATCH = 32, LARGEST_BATCH = 256 };
enum {
    STATUS_FREE = 0,
    STATUS_BASIC = 1,
    STATUS_UPPER = 2,
    STATUS_LOWER = 3
}; /* as CLP numbers them */
enum { CLP_OPTIMAL = 0 };
enum { SIGN_PLUS = 1, SIGN_MINUS = 2 };

static const double clp_tolerance = 1e-9;
static const double default_tol_rel = 1e-9;
static const double ray_tolerance = 1e-9; /* of the data's scale: |X_j'u| that counts as zero */

typedef struct generated {
    int64_t feature; /* -1: an artificial column of phase one */
    double sign;
} generated;

typedef struct candidate {
    double ratio; /* |X_j'u| / c_j */
    int64_t feature;
} candidate;

struct lp_master {
    pare_allocator mem;
    Clp_Simplex *clp;
    view x;
    double *cost, *core_cost;
    void (*repair)(void *user, double *pi, bool ray);
    void *user;
    double tol_rel;
    int64_t n_core, n_rows, n_columns; /* n_columns: generated and artificial */
    int64_t row_capacity, column_capacity;
    double *lo, *hi, *factor; /* rows */
    int32_t *sample;
    double *pi, *best; /* rows: the current duals, and those of the best bound */
    generated *column;
    lp_weight *weight;              /* as many as columns */
    int64_t *core_entries;          /* how many rows a core variable appears in */
    bool *core_free, *core_absorbs; /* absorbs: makes its one row feasible by itself */
    unsigned char *present;         /* d: SIGN_ bits of the columns in the master */
    double *u, *price;              /* n and d: duals by sample, X'u */
    candidate *heap;                /* LARGEST_BATCH */
    bool phase_one;                 /* artificials exist and are not known to be removable */
    bool rows_added;
};

/* ---- building ---- */

static bool grow_rows(lp_master *m, int64_t capacity) {
    if (capacity <= m->row_capacity) return true;
    bool fine = mem_resize(&m->mem, &m->lo, capacity, sizeof *m->lo) &&
                mem_resize(&m->mem, &m->hi, capacity, sizeof *m->hi) &&
                mem_resize(&m->mem, &m->factor, capacity, sizeof *m->factor) &&
                mem_resize(&m->mem, &m->sample, capacity, sizeof *m->sample) &&
                mem_resize(&m->mem, &m->pi, capacity, sizeof *m->pi) &&
                mem_resize(&m->mem, &m->best, capacity, sizeof *m->best);
    if (fine) m->row_capacity = capacity;
    return fine;
}

static bool grow_columns(lp_master *m, int64_t needed) {
    if (needed <= m->column_capacity) return true;
    int64_t capacity = needed + needed / 2;
    bool fine = mem_resize(&m->mem, &m->column, capacity, sizeof *m->column) &&
                mem_resize(&m->mem, &m->weight, capacity, sizeof *m->weight);
    if (fine) m->column_capacity = capacity;
    return fine;
}

/* The core columns without rows, and a basis status for them, which CLP then extends. */
static pare_status load_core(lp_master *m, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, &m->mem);
    CoinBigIndex *start;
    double *lower;
    unsigned char *basis;
    TRY_MEM(start = ARENA_ZERO(&scratch, CoinBigIndex, m->n_core + 1));
    TRY_MEM(lower = ARENA_NEW(&scratch, double, m->n_core));
    TRY_MEM(basis = ARENA_NEW(&scratch, unsigned char, m->n_core));
    for (int64_t k = 0; k < m->n_core; k++) {
        lower[k] = m->core_free[k] ? -INFINITY : 0;
        basis[k] = m->core_free[k] ? STATUS_FREE : STATUS_LOWER;
    }
    int row = 0;
    double value = 0;
    Clp_loadProblem(m->clp, (int)m->n_core, 0, start, &row, &value, lower, NULL, NULL, NULL, NULL);
    Clp_copyinStatus(m->clp, basis);
done:
    arena_free(&scratch);
    return status;
}

pare_status lp_create(lp_master **out, const lp_spec *spec, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t n = spec->x->n, d = spec->x->d, n_core = spec->n_core;
    *out = NULL;
    lp_master *m = mem_zero(mem, 1, sizeof *m);
    TRY_MEM(m);
    m->mem = *mem;
    m->x = *spec->x;
    m->repair = spec->repair;
    m->user = spec->user;
    m->tol_rel = spec->tol_rel > 0 ? spec->tol_rel : default_tol_rel;
    m->n_core = n_core;
    TRY_MEM(m->cost = mem_alloc(mem, d, sizeof *m->cost));
    TRY_MEM(m->core_cost = mem_alloc(mem, n_core, sizeof *m->core_cost));
    TRY_MEM(m->core_entries = mem_zero(mem, n_core, sizeof *m->core_entries));
    TRY_MEM(m->core_free = mem_alloc(mem, n_core, sizeof *m->core_free));
    TRY_MEM(m->core_absorbs = mem_zero(mem, n_core, sizeof *m->core_absorbs));
    TRY_MEM(m->present = mem_zero(mem, d, sizeof *m->present));
    TRY_MEM(m->u = mem_alloc(mem, n, sizeof *m->u));
    TRY_MEM(m->price = mem_alloc(mem, d, sizeof *m->price));
    TRY_MEM(m->heap = mem_alloc(mem, LARGEST_BATCH, sizeof *m->heap));
    lp_set_costs(m, spec->cost, spec->core_cost);
    if (n_core) memcpy(m->core_free, spec->core_free, (size_t)n_core * sizeof *m->core_free);

    m->clp = Clp_newModel();
    Clp_setLogLevel(m->clp, 0);
    Clp_setPrimalTolerance(m->clp, clp_tolerance);
    Clp_setDualTolerance(m->clp, clp_tolerance);
    TRY(load_core(m, err));
    TRY(lp_add_rows(m, &spec->rows, ctx, err));
    *out = m;
    m = NULL;
done:
    lp_free(m);
    return status;
}

void lp_free(lp_master *m) {
    if (!m) return;
    if (m->clp) Clp_deleteModel(m->clp);
    pare_allocator mem = m->mem;
    void *blocks[] = {
        m->cost,         m->core_cost,    m->lo,     m->hi,     m->factor,  m->sample,
        m->pi,           m->best,         m->column, m->weight, m->present, m->core_free,
        m->core_entries, m->core_absorbs, m->u,      m->price,  m->heap,    m};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(&mem, blocks[i]);
}

void lp_set_costs(lp_master *m, const double *cost, const double *core_cost) {
    if (cost && m->x.d) memcpy(m->cost, cost, (size_t)m->x.d * sizeof *cost);
    if (core_cost && m->n_core)
        memcpy(m->core_cost, core_cost, (size_t)m->n_core * sizeof *core_cost);
    /* Without a column that is now barred the rows may need their artificials again. */
    bool barred = false, artificial = false;
    for (int64_t k = 0; k < m->n_columns; k++) {
        int64_t j = m->column[k].feature;
        if (j < 0)
            artificial = true;
        else if (!(m->cost[j] < INFINITY))
            barred = true;
    }
    if (barred && artificial) m->phase_one = true;
}

/* The core variable that alone lifts row r of `rows` to its bounds, or -1. */
static int32_t absorbing_core(const lp_master *m, const lp_rows *rows, int64_t r) {
    double needed = rows->lo[r] > 0 ? 1 : -1;
    for (int64_t e = rows->core_ptr[r]; e < rows->core_ptr[r + 1]; e++) {
        int32_t k = rows->core_index[e];
        if (!m->core_free[k] && m->core_entries[k] == 1 && rows->core_value[e] * needed > 0)
            return k;
    }
    return -1;
}

/* Makes the start basis feasible: each row that zero violates has its absorbing core variable, or
 * an artificial column made for it, in the basis instead of its own activity. */
static void make_basic(lp_master *m, const lp_rows *rows, int64_t first_row) {
    for (int64_t r = 0; r < rows->count; r++) {
        if (rows->lo[r] <= 0 && rows->hi[r] >= 0) continue;
        int row = (int)(first_row + r), basic = absorbing_core(m, rows, r);
        bool below = rows->lo[r] > 0;
        if (basic >= 0) {
            m->core_absorbs[basic] = true;
        } else {
            double zero = 0, one = 1, sign = below ? 1 : -1;
            double infinity = INFINITY;
            CoinBigIndex start[2] = {0, 1};
            Clp_addColumns(m->clp, 1, &zero, &infinity, &one, start, &row, &sign);
            basic = (int)(m->n_core + m->n_columns);
            m->column[m->n_columns++] = (generated){-1, 0};
            m->phase_one = true;
        }
        Clp_setColumnStatus(m->clp, basic, STATUS_BASIC);
        Clp_setRowStatus(m->clp, row, below ? STATUS_LOWER : STATUS_UPPER);
    }
}

pare_status lp_add_rows(lp_master *m, const lp_rows *rows, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, &m->mem);
    int64_t count = rows->count, core_count = rows->core_ptr[count], first = m->n_rows;
    int64_t n_columns = m->n_columns;
    int64_t *feature, entry = 0;
    int *index;
    CoinBigIndex *start;
    double *element, *values;
    for (int64_t e = 0; e < core_count; e++)
        if (m->core_absorbs[rows->core_index[e]])
            return error_set(err, PARE_E_INTERNAL,
                             "a slack of one row of a linear program appears in a later row");
    TRY_MEM(feature = ARENA_NEW(&scratch, int64_t, n_columns));
    TRY_MEM(values = ARENA_NEW(&scratch, double, m->x.n *n_columns));
    TRY_MEM(start = ARENA_NEW(&scratch, CoinBigIndex, count + 1));
    TRY_MEM(index = ARENA_NEW(&scratch, int, core_count + count * n_columns));
    TRY_MEM(element = ARENA_NEW(&scratch, double, core_count + count * n_columns));
    TRY_MEM(grow_rows(m, first + count));
    TRY_MEM(grow_columns(m, n_columns + count));
    for (int64_t k = 0; k < n_columns; k++)
        feature[k] = m->column[k].feature < 0 ? 0 : m->column[k].feature;
    if (n_columns) TRY(mat_columns(&m->x, feature, n_columns, values, ctx, err));

    for (int64_t r = 0; r < count; r++) {
        int32_t sample = rows->sample ? rows->sample[r] : (int32_t)r;
        double factor = rows->factor ? rows->factor[r] : 1;
        m->lo[first + r] = rows->lo[r];
        m->hi[first + r] = rows->hi[r];
        m->sample[first + r] = sample;
        m->factor[first + r] = factor;
        m->pi[first + r] = m->best[first + r] = 0;
        start[r] = (CoinBigIndex)entry;
        for (int64_t e = rows->core_ptr[r]; e < rows->core_ptr[r + 1]; e++) {
            m->core_entries[rows->core_index[e]]++;
            index[entry] = rows->core_index[e];
            element[entry++] = rows->core_value[e];
        }
        for (int64_t k = 0; k < n_columns && sample >= 0; k++) {
            double value = m->column[k].sign * factor * values[k * m->x.n + sample];
            if (value == 0) continue;
            index[entry] = (int)(m->n_core + k);
            element[entry++] = value;
        }
    }
    start[count] = (CoinBigIndex)entry;
    Clp_addRows(m->clp, (int)count, rows->lo, rows->hi, start, index, element);
    m->n_rows += count;
    make_basic(m, rows, first);
    /* Zero with artificials satisfies all rows; the present point need not satisfy the new ones. */
    for (int64_t k = 0; k < m->n_columns; k++)
        if (m->column[k].feature < 0) m->phase_one = true;
    m->rows_added = true;
done:
    arena_free(&scratch);
    return status;
}

/* ---- pricing ---- */

static bool better(candidate a, candidate b) {
    return a.ratio > b.ratio || (a.ratio == b.ratio && a.feature < b.feature);
}

static int compare_candidates(const void *a, const void *b) {
    return better(*(const candidate *)a, *(const candidate *)b) ? -1 : 1;
}

/* Keeps the `size` best of all candidates seen in a heap with the worst on top. */
static void offer(candidate *heap, int64_t *count, int64_t size, candidate c) {
    int64_t i;
    if (*count < size) {
        for (i = (*count)++; i > 0 && better(heap[(i - 1) / 2], c); i = (i - 1) / 2)
            heap[i] = heap[(i - 1) / 2];
    } else {
        if (!better(c, heap[0])) return;
        for (i = 0;;) {
            int64_t child = 2 * i + 1;
            if (child >= size) break;
            if (child + 1 < size && better(heap[child], heap[child + 1])) child++;
            if (!better(c, heap[child])) break;
            heap[i] = heap[child];
            i = child;
        }
    }
    heap[i] = c;
}

/* What one pass over X says about the duals. */
typedef struct pricing {
    double dual;     /* the dual objective of pi before scaling */
    double ratio;    /* max_j |X_j'u| / c_j */
    double residual; /* max_j |X_j'u| over the finite costs */
    int64_t found;   /* candidates in the heap, best first */
} pricing;

/* pi -> u -> X'u -> the `batch` most violated columns that the master lacks. A column is a
 * candidate when its ratio exceeds `threshold`. */
static pare_status price_all(lp_master *m, pricing *p, double threshold, int64_t batch, bool ray,
                             const pare_ctx *ctx, pare_error *err) {
    for (int64_t r = 0; r < m->n_rows; r++) {
        if (m->lo[r] == -INFINITY && !(m->pi[r] < 0)) m->pi[r] = 0;
        if (m->hi[r] == INFINITY && !(m->pi[r] > 0)) m->pi[r] = 0;
    }
    if (m->repair) m->repair(m->user, m->pi, ray);
    *p = (pricing){0, 0, 0, 0};
    for (int64_t i = 0; i < m->x.n; i++) m->u[i] = 0;
    for (int64_t r = 0; r < m->n_rows; r++) {
        double pi = m->pi[r];
        if (pi != 0) p->dual += pi * (pi > 0 ? m->lo[r] : m->hi[r]);
        if (m->sample[r] >= 0) m->u[m->sample[r]] += m->factor[r] * pi;
    }
    pare_status status = mat_tmul(&m->x, m->u, 1, m->price, ctx, err);
    if (status != PARE_OK) return status;
    for (int64_t j = 0; j < m->x.d; j++) {
        if (!(m->cost[j] < INFINITY)) continue;
        double size = fabs(m->price[j]), ratio = size / m->cost[j];
        if (size > p->residual) p->residual = size;
        if (ratio > p->ratio) p->ratio = ratio;
        unsigned char sign = m->price[j] > 0 ? SIGN_PLUS : SIGN_MINUS;
        if (ratio > threshold && !(m->present[j] & sign))
            offer(m->heap, &p->found, batch, (candidate){ratio, j});
    }
    qsort(m->heap, (size_t)p->found, sizeof *m->heap, compare_candidates);
    return PARE_OK;
}

/* Puts the candidates of the heap into the master, nonbasic at 0. */
static pare_status add_candidates(lp_master *m, int64_t found, double objective_scale,
                                  const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    arena scratch;
    arena_init(&scratch, &m->mem);
    int64_t *feature, entry = 0;
    double *values, *element, *zero, *infinity, *objective;
    CoinBigIndex *start;
    int *row;
    TRY_MEM(feature = ARENA_NEW(&scratch, int64_t, found));
    TRY_MEM(values = ARENA_NEW(&scratch, double, m->x.n *found));
    TRY_MEM(element = ARENA_NEW(&scratch, double, m->n_rows *found));
    TRY_MEM(row = ARENA_NEW(&scratch, int, m->n_rows *found));
    TRY_MEM(start = ARENA_NEW(&scratch, CoinBigIndex, found + 1));
    TRY_MEM(zero = ARENA_ZERO(&scratch, double, found));
    TRY_MEM(infinity = ARENA_NEW(&scratch, double, found));
    TRY_MEM(objective = ARENA_NEW(&scratch, double, found));
    TRY_MEM(grow_columns(m, m->n_columns + found));
    for (int64_t k = 0; k < found; k++) feature[k] = m->heap[k].feature;
    TRY(mat_columns(&m->x, feature, found, values, ctx, err));
    for (int64_t k = 0; k < found; k++) {
        int64_t j = feature[k];
        double sign = m->price[j] > 0 ? 1 : -1;
        start[k] = (CoinBigIndex)entry;
        infinity[k] = INFINITY;
        objective[k] = m->cost[j] * objective_scale;
        for (int64_t r = 0; r < m->n_rows; r++) {
            if (m->sample[r] < 0) continue;
            double value = sign * m->factor[r] * values[k * m->x.n + m->sample[r]];
            if (value == 0) continue;
            row[entry] = (int)r;
            element[entry++] = value;
        }
        m->present[j] |= sign > 0 ? SIGN_PLUS : SIGN_MINUS;
        m->column[m->n_columns + k] = (generated){j, sign};
    }
    start[found] = (CoinBigIndex)entry;
    Clp_addColumns(m->clp, (int)found, zero, infinity, objective, start, row, element);
    m->n_columns += found;
done:
    arena_free(&scratch);
    return status;
}

/* ---- solving ---- */

/* Sets CLP's objective for a phase; returns the factor between our costs and CLP's (0 in phase one,
 * where only artificials cost). */
static double set_objective(lp_master *m) {
    double largest = 0, *objective = Clp_objective(m->clp);
    for (int64_t k = 0; k < m->n_core; k++) largest = fmax(largest, m->core_cost[k]);
    for (int64_t k = 0; k < m->n_columns && largest == 0; k++) {
        int64_t j = m->column[k].feature;
        if (j >= 0 && m->cost[j] < INFINITY) largest = m->cost[j];
    }
    double scale = m->phase_one ? 0 : largest > 0 ? 1 / largest : 1;
    for (int64_t k = 0; k < m->n_core; k++) objective[k] = scale * m->core_cost[k];
    for (int64_t k = 0; k < m->n_columns; k++) {
        int64_t j = m->column[k].feature, c = m->n_core + k;
        bool barred = j < 0 ? !m->phase_one : !(m->cost[j] < INFINITY);
        objective[c] = j < 0 ? 1 : barred ? 0 : scale * m->cost[j];
        Clp_columnUpper(m->clp)[c] = barred ? 0 : INFINITY;
    }
    return scale;
}

/* Runs the simplex method on the master; false: stopped without an optimum. Where one of the two
 * methods gives up, the other goes on from its basis. */
static bool run_simplex(lp_master *m, lp_result *result, const pare_ctx *ctx) {
    enum { ATTEMPTS = 3 };
    bool limited = ctx && ctx->deadline_s > 0, dual = m->rows_added;
    m->rows_added = false;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++, dual = !dual) {
        double left = limited ? fmax(0, ctx->deadline_s - clock_now()) : -1;
        Clp_setMaximumSeconds(m->clp, left);
        Clp_setNumberIterations(m->clp, 0);
        if (dual)
            Clp_dual(m->clp, 0);
        else
            Clp_primal(m->clp, 0);
        result->pivots += Clp_numberIterations(m->clp);
        if (Clp_status(m->clp) == CLP_OPTIMAL) return true;
        if (limited && clock_now() >= ctx->deadline_s) break;
    }
    result->outcome = limited && clock_now() >= ctx->deadline_s ? PARE_TIME_LIMIT : PARE_MAX_ITER;
    return false;
}

static void take_duals(lp_master *m, double scale) {
    const double *pi = Clp_dualRowSolution(m->clp);
    for (int64_t r = 0; r < m->n_rows; r++) m->pi[r] = scale > 0 ? pi[r] / scale : pi[r];
}

static int compare_weights(const void *a, const void *b) {
    int64_t i = ((const lp_weight *)a)->feature, j = ((const lp_weight *)b)->feature;
    return (i > j) - (i < j);
}

/* The master's point and its objective in our costs. */
static void take_primal(lp_master *m, lp_result *result) {
    const double *x = Clp_primalColumnSolution(m->clp);
    double objective = 0;
    for (int64_t k = 0; k < m->n_core; k++) objective += m->core_cost[k] * x[k];
    result->core = x;
    result->weight = m->weight;
    result->n_weight = 0;
    result->generated = m->n_columns;
    for (int64_t k = 0; k < m->n_columns; k++) {
        int64_t j = m->column[k].feature;
        double value = x[m->n_core + k];
        if (j < 0 || !(value > 0)) continue;
        objective += m->cost[j] * value;
        m->weight[result->n_weight++] = (lp_weight){j, m->column[k].sign * value};
    }
    qsort(m->weight, (size_t)result->n_weight, sizeof *m->weight, compare_weights);
    result->objective = objective;
}

/* The size of max_j |X_j'u| / c_j for duals of size one that know nothing of the data: what phase
 * one measures zero by. */
static pare_status ray_scale(lp_master *m, double *scale, const pare_ctx *ctx, pare_error *err) {
    rng random;
    rng_seed(&random, 1, 0);
    for (int64_t i = 0; i < m->x.n; i++) m->u[i] = rng_next(&random) >> 63 ? 1 : -1;
    pare_status status = mat_tmul(&m->x, m->u, 1, m->price, ctx, err);
    *scale = 0;
    for (int64_t j = 0; j < m->x.d && status == PARE_OK; j++)
        if (m->cost[j] < INFINITY) *scale = fmax(*scale, fabs(m->price[j]) / m->cost[j]);
    return status;
}

static bool interrupted(lp_result *result, const pare_ctx *ctx) {
    interruption stop = ctx_poll(ctx, "linear program", -1);
    if (stop == INTERRUPT_CANCEL) result->outcome = PARE_CANCELLED;
    if (stop == INTERRUPT_TIME) result->outcome = PARE_TIME_LIMIT;
    return stop != INTERRUPT_NONE;
}

/* Drives the artificials to 0. Leaves m->phase_one set if it could not. */
static pare_status find_feasible(lp_master *m, lp_result *result, const pare_ctx *ctx,
                                 pare_error *err) {
    pare_status status = PARE_OK;
    double scale = -1;
    set_objective(m);
    for (int64_t batch = FIRST_BATCH; status == PARE_OK; batch = LARGEST_BATCH) {
        if (interrupted(result, ctx)) return PARE_OK;
        if (!run_simplex(m, result, ctx)) return PARE_OK;
        double left = 0;
        const double *x = Clp_primalColumnSolution(m->clp);
        for (int64_t k = 0; k < m->n_columns; k++)
            if (m->column[k].feature < 0) left += x[m->n_core + k];
        if (left <= clp_tolerance * (double)m->n_rows) {
            m->phase_one = false;
            return PARE_OK;
        }
        if (scale < 0) {
            status = ray_scale(m, &scale, ctx, err);
            result->passes++;
            if (status != PARE_OK) break;
        }
        pricing p;
        take_duals(m, 0);
        status = price_all(m, &p, ray_tolerance * scale, batch, true, ctx, err);
        result->passes++;
        if (status != PARE_OK) break;
        if (p.found == 0) {
            for (int64_t r = 0; r < m->n_rows; r++) m->best[r] = m->pi[r] / p.dual;
            result->infeasible = true;
            result->residual = p.residual / p.dual;
            return PARE_OK;
        }
        status = add_candidates(m, p.found, 0, ctx, err);
    }
    return status;
}

/* Minimises the true costs from a feasible basis. */
static pare_status optimise(lp_master *m, lp_result *result, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    double scale = set_objective(m);
    int64_t batch = FIRST_BATCH;
    while (status == PARE_OK) {
        if (!run_simplex(m, result, ctx)) break;
        take_primal(m, result);
        take_duals(m, scale);
        pricing p;
        status = price_all(m, &p, 1 + m->tol_rel / 2, batch, false, ctx, err);
        if (status != PARE_OK) break;
        result->passes++;
        double theta = p.ratio > 1 ? 1 / p.ratio : 1;
        if (theta * p.dual > result->bound) {
            result->bound = theta * p.dual;
            for (int64_t r = 0; r < m->n_rows; r++) m->best[r] = theta * m->pi[r];
        }
        if (result->objective - result->bound <= m->tol_rel * result->objective) break;
        if (p.found == 0 || interrupted(result, ctx)) break;
        status = add_candidates(m, p.found, scale, ctx, err);
        batch = batch < LARGEST_BATCH ? 2 * batch : LARGEST_BATCH;
    }
    return status;
}

pare_status lp_solve(lp_master *m, lp_result *result, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    *result = (lp_result){.outcome = PARE_OPTIMAL, .objective = NAN, .pi = m->best};
    for (int64_t r = 0; r < m->n_rows; r++) m->best[r] = 0;
    if (m->phase_one) status = find_feasible(m, result, ctx, err);
    if (status == PARE_OK && !m->phase_one) status = optimise(m, result, ctx, err);
    return status;
}

/* Column generation around the master program; see lp.h.
 *
 * ALGORITHM
 *   1. Rows that x = 0, w = 0 violates and that no slack of their own repairs get an artificial
 *      column. Phase one minimises the sum of the artificials, all other costs being 0; if it ends
 *      above 0 and no feature improves it, its duals prove the rows infeasible.
 *   2. Phase two fixes the artificials at 0 and minimises the true costs.
 *   Both phases: primal simplex from the kept basis; price all features with the row duals (one
 *   pass over X); add the most violated by |X_j'u| / c_j, ties by the lowest index; repeat. Where
 *   there are very many features, a working set of the most violated of a pass is priced by itself
 *   until none of it is violated, as passes dominate the cost.
 *   Added rows leave the basis dual feasible, so the next solve begins with the dual simplex.
 * STOPPING  the gap between the master's objective and the best scaled dual. If no column is left
 *           to add, the simplex method goes on once with its tightest tolerances; what is then left
 *           of the gap is rounding: with a cost of 1e-10 and losses of 1, an error of one ulp in
 *           X_j'u is 1e-6 of c_j, and so much of the scaled dual. Above that: max_iter. */
#include "solve/lp/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "solve/lp/lp_master.h"

static const double default_tol_rel = 1e-9;
static const double rounding_gap = 1e-6;          /* relative; see STOPPING */
static const double ray_tolerance = 1e-9;         /* of lp_ray_scale: |X_j'u| that counts as zero */
static const double feasibility_tolerance = 1e-9; /* of the largest side, per row */

static int by_feature(const void *a, const void *b) {
    return order_index(((const lp_weight *)a)->feature, ((const lp_weight *)b)->feature);
}

void lp_weights_sort(lp_weight *weight, int64_t count) {
    if (count > 1) qsort(weight, (size_t)count, sizeof *weight, by_feature);
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
    m->blocks = spec->blocks > 0 ? spec->blocks : 1;
    if (spec->groups) m->groups = *spec->groups;
    m->allowed = spec->sign;
    m->units = m->groups.of ? m->groups.count : d;
    m->stride = m->units > 0 ? m->units : 1;
    m->tol_rel = spec->tol_rel > 0 ? spec->tol_rel : default_tol_rel;
    m->n_core = n_core;
    m->value_scale = 1;
    TRY_MEM(m->core_cost = mem_alloc(mem, n_core, sizeof *m->core_cost));
    TRY_MEM(m->core_value = mem_zero(mem, n_core, sizeof *m->core_value));
    TRY_MEM(m->core_count = mem_zero(mem, n_core, sizeof *m->core_count));
    TRY_MEM(m->core_free = mem_alloc(mem, n_core, sizeof *m->core_free));
    TRY_MEM(m->core_absorbs = mem_zero(mem, n_core, sizeof *m->core_absorbs));
    TRY_MEM(m->core_status = mem_alloc(mem, n_core, sizeof *m->core_status));
    TRY_MEM(m->in_master = mem_zero(mem, m->units * m->blocks, sizeof *m->in_master));
    if (m->groups.of) {
        TRY_MEM(m->dense = mem_alloc(mem, d * m->blocks, sizeof *m->dense));
        TRY_MEM(m->weight = mem_alloc(mem, d * m->blocks, sizeof *m->weight));
    }
    TRY_MEM(m->u = mem_alloc(mem, n * m->blocks, sizeof *m->u));
    TRY_MEM(m->price = mem_alloc(mem, d * m->blocks, sizeof *m->price));
    TRY_MEM(m->heap = mem_alloc(mem, LP_BATCH, sizeof *m->heap));
    int64_t working = m->groups.of ? 0 : working_set_size(d);
    if (working > 0) {
        TRY_MEM(m->working = mem_alloc(mem, working, sizeof *m->working));
        TRY_MEM(m->working_col = mem_alloc(mem, working, sizeof *m->working_col));
        TRY_MEM(m->working_price = mem_alloc(mem, working * m->blocks, sizeof *m->working_price));
    }
    lp_set_costs(m, spec->cost, spec->core_cost);
    for (int64_t k = 0; k < n_core; k++) {
        m->core_free[k] = spec->core_free[k];
        m->core_status[k] = m->core_free[k] ? LP_FREE : LP_LOWER;
    }
    TRY(lp_add_rows(m, &spec->rows, ctx, err));
    m->rows_added = false; /* the first basis is feasible as it is */
    *out = m;
    m = NULL;
done:
    lp_free(m);
    return status;
}

void lp_free(lp_master *m) {
    if (!m) return;
    pare_allocator mem = m->mem;
    void *blocks[] = {m->lo,
                      m->hi,
                      m->factor,
                      m->sample,
                      m->absorber,
                      m->row_status,
                      m->artificial_status,
                      m->pi,
                      m->best,
                      m->row_scale,
                      m->core_cost,
                      m->core_value,
                      m->core_count,
                      m->core_free,
                      m->core_absorbs,
                      m->core_status,
                      m->entry,
                      m->column,
                      m->weight,
                      m->in_master,
                      m->sign,
                      m->dense,
                      m->u,
                      m->price,
                      m->heap,
                      m->working,
                      m->working_col,
                      m->working_price,
                      m};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(&mem, blocks[i]);
}

void lp_set_costs(lp_master *m, const double *cost, const double *core_cost) {
    if (cost) m->cost = cost;
    if (core_cost && m->n_core)
        memcpy(m->core_cost, core_cost, (size_t)m->n_core * sizeof *core_cost);
    /* Without a column that is now barred the rows may need their artificials again. */
    bool barred = false;
    for (int64_t k = 0; k < m->n_columns; k++)
        if (!(lp_cost(m, m->column[k].feature) < INFINITY)) barred = true;
    for (int64_t r = 0; r < m->n_rows; r++)
        if (barred && m->absorber[r] == LP_ARTIFICIAL) m->phase_one = true;
}

static bool grow(lp_master *m, int64_t rows, int64_t entries) {
    const pare_allocator *mem = &m->mem;
    if (rows > m->row_capacity) {
        bool fine = mem_resize(mem, &m->lo, rows, sizeof *m->lo) &&
                    mem_resize(mem, &m->hi, rows, sizeof *m->hi) &&
                    mem_resize(mem, &m->factor, rows * m->blocks, sizeof *m->factor) &&
                    mem_resize(mem, &m->sample, rows, sizeof *m->sample) &&
                    mem_resize(mem, &m->absorber, rows, sizeof *m->absorber) &&
                    mem_resize(mem, &m->row_status, rows, sizeof *m->row_status) &&
                    mem_resize(mem, &m->artificial_status, rows, sizeof *m->artificial_status) &&
                    mem_resize(mem, &m->pi, rows, sizeof *m->pi) &&
                    mem_resize(mem, &m->best, rows, sizeof *m->best) &&
                    mem_resize(mem, &m->row_scale, rows, sizeof *m->row_scale);
        if (!fine) return false;
        m->row_capacity = rows;
    }
    if (entries > m->entry_capacity) {
        if (!mem_resize(mem, &m->entry, entries, sizeof *m->entry)) return false;
        m->entry_capacity = entries;
    }
    return true;
}

/* The core variable that by itself lifts row r of `rows` to its bounds, LP_ARTIFICIAL if there is
 * none, LP_NOTHING if zero satisfies the row. */
static int32_t find_absorber(const lp_master *m, const lp_rows *rows, int64_t r) {
    if (rows->lo[r] <= 0 && rows->hi[r] >= 0) return LP_NOTHING;
    double needed = rows->lo[r] > 0 ? 1 : -1;
    for (int64_t e = rows->core_ptr[r]; e < rows->core_ptr[r + 1]; e++) {
        int32_t k = rows->core_index[e];
        if (!m->core_free[k] && m->core_count[k] == 1 && rows->core_value[e] * needed > 0) return k;
    }
    return LP_ARTIFICIAL;
}

pare_status lp_add_rows(lp_master *m, const lp_rows *rows, const pare_ctx *ctx, pare_error *err) {
    (void)ctx;
    int64_t count = rows->count, first = m->n_rows;
    for (int64_t e = 0; e < rows->core_ptr[count]; e++)
        if (m->core_absorbs[rows->core_index[e]])
            return error_set(err, PARE_E_INTERNAL,
                             "a slack of one row of a linear program appears in a later row");
    if (!grow(m, first + count, m->n_entries + rows->core_ptr[count])) return error_memory(err);
    for (int64_t r = 0; r < count; r++)
        for (int64_t e = rows->core_ptr[r]; e < rows->core_ptr[r + 1]; e++) {
            m->core_count[rows->core_index[e]]++;
            m->entry[m->n_entries++] =
                (lp_entry){(int32_t)(first + r), rows->core_index[e], rows->core_value[e]};
        }
    for (int64_t r = 0; r < count; r++) {
        int64_t to = first + r;
        m->lo[to] = rows->lo[r];
        m->hi[to] = rows->hi[r];
        for (int64_t k = 0; k < m->blocks; k++)
            m->factor[to * m->blocks + k] = rows->factor ? rows->factor[r * m->blocks + k] : 1;
        m->sample[to] = rows->sample ? rows->sample[r] : (int32_t)r;
        m->absorber[to] = find_absorber(m, rows, r);
        m->row_status[to] = m->absorber[to] == LP_NOTHING ? LP_BASIC
                            : rows->lo[r] > 0             ? LP_LOWER
                                                          : LP_UPPER;
        m->artificial_status[to] = LP_BASIC;
        m->pi[to] = m->best[to] = 0;
        if (m->absorber[to] < 0) continue;
        m->core_absorbs[m->absorber[to]] = true;
        m->core_status[m->absorber[to]] = LP_BASIC;
    }
    m->n_rows += count;
    m->rows_added = true;
    /* Zero with artificials satisfies all rows; the current point need not satisfy the new ones. */
    for (int64_t r = 0; r < m->n_rows; r++)
        if (m->absorber[r] == LP_ARTIFICIAL) m->phase_one = true;
    return PARE_OK;
}

static bool interrupted(lp_result *result, const pare_ctx *ctx) {
    return ctx_stops(ctx, "linear program", -1, &result->outcome);
}

/* Drives the artificials to 0; *feasible: they are. */
static pare_status find_feasible(lp_master *m, bool *feasible, lp_result *result,
                                 const pare_ctx *ctx, pare_error *err) {
    double scale = -1;
    *feasible = false;
    while (!interrupted(result, ctx) && lp_clp_run(m, result, ctx)) {
        *feasible = lp_clp_infeasibility(m) <= feasibility_tolerance * (double)m->n_rows;
        if (*feasible) break;
        if (scale < 0) {
            PASS(lp_ray_scale(m, &scale, ctx, err));
            result->passes++;
        }
        lp_pricing p;
        lp_clp_duals(m);
        PASS(lp_price(m, &p, ray_tolerance * scale, true, ctx, err));
        result->passes++;
        if (p.found == 0) {
            for (int64_t r = 0; r < m->n_rows; r++) m->best[r] = m->pi[r] / p.dual;
            result->infeasible = true;
            result->residual = p.residual / p.dual;
            break;
        }
        PASS(lp_clp_add(m, p.found, ctx, err));
    }
    return PARE_OK;
}

/* Minimises the true costs from a feasible basis. */
static pare_status optimise(lp_master *m, lp_result *result, const pare_ctx *ctx, pare_error *err) {
    bool sharp = false;
    double shrink = 1; /* of the duals whose prices are at hand to those of the best bound */
    while (lp_clp_run(m, result, ctx)) {
        lp_pricing p;
        lp_clp_primal(m, result);
        lp_clp_duals(m);
        result->price = NULL;
        if (m->n_working > 0) {
            PASS(lp_price_working(m, &p, 1 + m->tol_rel / 2, ctx, err));
            if (interrupted(result, ctx)) break;
            if (p.found > 0) {
                PASS(lp_clp_add(m, p.found, ctx, err));
                continue;
            }
        }
        PASS(lp_price(m, &p, 1 + m->tol_rel / 2, false, ctx, err));
        result->passes++;
        double theta = p.ratio > 1 ? 1 / p.ratio : 1;
        if (theta * p.dual > result->bound) {
            result->bound = theta * p.dual;
            for (int64_t r = 0; r < m->n_rows; r++) m->best[r] = theta * m->pi[r];
            result->price = m->price;
            shrink = theta;
        }
        if (result->objective - result->bound <= m->tol_rel * result->objective + m->rounding)
            break;
        if (interrupted(result, ctx)) break;
        if (p.found > 0) {
            PASS(lp_clp_add(m, p.found, ctx, err));
        } else if (!sharp) {
            lp_clp_sharpen(m);
            sharp = true;
        } else {
            double gap = result->objective - result->bound;
            if (!(gap <= rounding_gap * result->objective)) result->outcome = PARE_MAX_ITER;
            break;
        }
    }
    for (int64_t j = 0; result->price && j < m->x.d * m->blocks; j++) m->price[j] *= shrink;
    return PARE_OK;
}

pare_status lp_solve(lp_master *m, lp_result *result, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    *result = (lp_result){.outcome = PARE_OPTIMAL, .objective = NAN, .pi = m->best};
    for (int64_t r = 0; r < m->n_rows; r++) m->best[r] = 0;
    if (m->phase_one) {
        bool feasible;
        TRY(lp_clp_open(m, ctx, err));
        status = find_feasible(m, &feasible, result, ctx, err);
        lp_clp_close(m);
        if (status == PARE_OK) m->phase_one = !feasible;
    }
    for (bool again = true; again && status == PARE_OK && !m->phase_one;) {
        TRY(lp_clp_open(m, ctx, err));
        status = optimise(m, result, ctx, err);
        again = result->outcome == PARE_OPTIMAL && lp_clp_rescale(m, result->objective);
        lp_clp_close(m);
    }
    result->generated = m->n_columns;
    if (result->weight)
        result->weight = m->weight; /* a column that came after it may have moved it */
done:
    return status;
}

/* Shared by the files of lp.h: the program in its own units, the basis, and the scaled copy that
 * CLP works on during a solve. */
#ifndef PARE_SOLVE_LP_LP_MASTER_H
#define PARE_SOLVE_LP_LP_MASTER_H

#include <coin/Clp_C_Interface.h>
#include <math.h>

#include "base/order.h"
#include "solve/lp/lp.h"
#include "solve/working_set.h"

/* Basis status as CLP numbers it. */
enum { LP_FREE = 0, LP_BASIC = 1, LP_UPPER = 2, LP_LOWER = 3 };
/* lp_master.absorber: what makes a row feasible at x = 0, w = 0 */
enum { LP_NOTHING = -2, LP_ARTIFICIAL = -1 };
enum { LP_BATCH = 100 }; /* columns added a round: from 60 to 150 the total times differ little */

typedef struct lp_column {
    int64_t feature; /* or group */
    double sign;     /* 1 for a group, */
    int64_t signs;   /* whose own signs begin here */
    unsigned char status;
} lp_column;

typedef struct lp_entry {
    int32_t row, core;
    double value;
} lp_entry;

struct lp_master {
    pare_allocator mem;
    view x;
    void (*repair)(void *user, double *pi, bool ray);
    void *user;
    double tol_rel;
    int64_t blocks, stride;     /* stride: from block to block, units; 1 where there are none */
    int64_t units;              /* features, or groups of them */
    lp_groups groups;           /* of NULL: none */
    const signed char *allowed; /* d: the signs of features; NULL: none has one */
    bool phase_one;             /* artificials exist and are not known to be removable */
    bool rows_added;            /* since the last simplex run: the basis is dual feasible only */

    int64_t n_rows, row_capacity;
    double *lo, *hi;
    double *factor;             /* n_rows x blocks, row after row */
    int32_t *sample, *absorber; /* absorber: a core variable of this row only, or LP_... */
    unsigned char *row_status, *artificial_status;
    double *pi, *best; /* the current duals, and those of the best bound */
    double *row_scale;

    int64_t n_core;
    double *core_cost, *core_value;
    int64_t *core_count; /* how many rows a core variable appears in */
    bool *core_free, *core_absorbs;
    unsigned char *core_status;
    lp_entry *entry; /* in row order */
    int64_t n_entries, entry_capacity;

    int64_t n_columns, column_capacity;
    lp_column *column;
    lp_weight *weight;
    const double *cost; /* d */
    unsigned char
        *in_master;    /* units x blocks: LP_PLUS, LP_MINUS if that column is in the master */
    signed char *sign; /* of the groups' columns */
    int64_t n_signs, sign_capacity;
    double *dense;     /* groups: d x blocks, the weights */
    double *u, *price; /* n and d x blocks: duals by sample, X'u */
    ranked *heap;      /* LP_BATCH */
    /* The most violated features of the last pass; NULL: few features, or groups. */
    ranked *working; /* working_set_size */
    int64_t n_working;
    int64_t *working_col;  /* working_set_size */
    double *working_price; /* working_set_size x blocks */

    Clp_Simplex *clp;       /* during a solve only */
    double objective_scale; /* CLP's costs over ours */
    double primal_scale;    /* our values over CLP's */
    double value_scale;     /* part of it that scales the optimum to about 1; kept between solves */
    double rounding;        /* a gap this small counts as 0 */
    int64_t first_generated; /* CLP's number of column[0] */
};

enum { LP_PLUS = 1, LP_MINUS = 2 };

/* The cost of a feature or group, and its factor in row r. */
static inline double lp_cost(const lp_master *m, int64_t feature) {
    int64_t unit = feature % m->stride;
    return m->cost[m->groups.of ? m->groups.member[m->groups.start[unit]] : unit];
}
/* What of price p, of feature number j, its weight may follow. */
static inline double lp_pull(const lp_master *m, int64_t j, double p) {
    return lp_price_with(m->allowed ? m->allowed[j % m->x.d] : 0, p);
}
/* Its price by m->price: |X_j'u|, or the sum over the group. */
static inline double lp_price_of(const lp_master *m, int64_t feature) {
    if (!m->groups.of) return lp_pull(m, feature, m->price[feature]);
    const double *price = m->price + feature / m->stride * m->x.d;
    int64_t unit = feature % m->stride;
    double sum = 0;
    for (int64_t i = m->groups.start[unit]; i < m->groups.start[unit + 1]; i++)
        sum += lp_pull(m, m->groups.member[i], price[m->groups.member[i]]);
    return sum;
}
/* The sign that feature number j of a group has at m->price; 0: one that it must not have. */
static inline signed char lp_sign(const lp_master *m, int64_t j) {
    if (m->allowed && m->allowed[j % m->x.d] * m->price[j] < 0) return 0;
    return (signed char)(m->price[j] < 0 ? -1 : 1);
}
static inline double lp_factor(const lp_master *m, int64_t r, int64_t feature) {
    return m->factor[r * m->blocks + feature / m->stride];
}

/* lp_price.c: pi -> u -> X'u, one pass over X, and the most violated columns the master lacks. */
typedef struct lp_pricing {
    double dual;     /* the dual objective of pi before scaling */
    double ratio;    /* max_j |X_j'u| / c_j */
    double residual; /* max_j |X_j'u| over the finite costs */
    int64_t found;   /* candidates in m->heap, best first, their ratio above the threshold */
} lp_pricing;

PARE_NODISCARD pare_status lp_price(lp_master *m, lp_pricing *p, double threshold, bool ray,
                                    const pare_ctx *ctx, pare_error *err);

/* The same on m->working only, without a pass over X; sets only p->found. */
PARE_NODISCARD pare_status lp_price_working(lp_master *m, lp_pricing *p, double threshold,
                                            const pare_ctx *ctx, pare_error *err);

/* The size of max_j |X_j'u| / c_j for duals of size one that know nothing of the data: what phase
 * one measures zero by. One pass. */
PARE_NODISCARD pare_status lp_ray_scale(lp_master *m, double *scale, const pare_ctx *ctx,
                                        pare_error *err);

/* lp_clp.c: the scaled program of the current phase with the kept basis; open, then close. */
PARE_NODISCARD pare_status lp_clp_open(lp_master *m, const pare_ctx *ctx, pare_error *err);
void lp_clp_close(lp_master *m);
/* Puts m->heap[0 .. found) into the master, nonbasic at 0; signs from m->price. */
PARE_NODISCARD pare_status lp_clp_add(lp_master *m, int64_t found, const pare_ctx *ctx,
                                      pare_error *err);
/* Runs the simplex method; false: stopped without an optimum, with the outcome set. */
bool lp_clp_run(lp_master *m, lp_result *result, const pare_ctx *ctx);
void lp_clp_sharpen(lp_master *m); /* the tightest tolerances from here to the close */
/* What the simplex method found, in our units. */
double lp_clp_infeasibility(const lp_master *m); /* the sum of the artificials */
void lp_clp_duals(lp_master *m);                 /* into m->pi */
void lp_clp_primal(lp_master *m, lp_result *result);
/* Adapts value_scale to the objective found; true: it changed enough to open and run again. */
bool lp_clp_rescale(lp_master *m, double objective);

#endif

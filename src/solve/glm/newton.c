/* Newton's method over some coordinates of the working set and the intercepts: those that are not
 * 0, where the penalty is smooth, or the free ones only. */
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

#include "base/error.h"
#include "solve/glm/work.h"

enum { CHUNK = 512, HALVINGS = 30, CUTS = 3, FREE_STEPS = 60, RIDGES = 8, MAX_ACTIVE = 4000 };
static const double MAX_ROUNDS = 300;  /* rounds of coordinate steps that a system may cost */
static const double MAX_SHARED = 20;   /* the same where conjugate gradients need few products */
static const double RIDGE = 1e-13;     /* of the mean diagonal */
static const double FREE_DONE = 1e-15; /* of the shares: the gradient of the free coordinates */
static const double SLACK = 4e-16;     /* of the objective: what rounding may add to it */
static const double SURE = 0.03; /* of the root of the tolerance: the next decrease is the square */
static const double LITTLE = 0.1; /* of the tolerance: a decrease not worth another step */

typedef enum which { ACTIVE, FREE } which;

static bool unit_active(const glm_work *w, int64_t b, int64_t k, int64_t o) {
    int64_t c = w->loss->c;
    if (penalty_free(w->pen, w->block[b])) return true;
    if (w->pen->rows) return block_active(w, b);
    if (w->first[b + 1] - w->first[b] == 1) return w->B[k * c + o] != 0;
    for (int64_t l = w->first[b]; l < w->first[b + 1]; l++)
        if (w->B[l * c + o] != 0) return true;
    return false;
}

/* Whether a coefficient of 0 with a sign stays there: in an active group, or free, by the gradient. */
static bool stays_zero(const glm_work *w, int64_t k, which what) {
    int sign = penalty_sign(w->pen, w->feature[k]);
    if (sign == 0 || w->B[k] != 0) return false;
    held x = columns_at(&w->cols, k);
    return what == ACTIVE || sign_pull(sign, -held_dot(&x, w->U)) == 0;
}

/* Lists the coordinates by output, those of an output contiguous and its intercept last. */
static void choose(glm_work *w, which what) {
    int64_t c = w->loss->c, count = w->cols.count;
    w->n_coord = 0;
    for (int64_t e = 0; e < (count + 1) * c; e++) w->place[e] = -1;
    for (int64_t o = 0; o < c; o++) {
        for (int64_t b = 0; b < w->n_blocks; b++) {
            bool own = penalty_free(w->pen, w->block[b]);
            if (what == FREE && !own) continue;
            for (int64_t k = w->first[b]; k < w->first[b + 1]; k++) {
                if (!unit_active(w, b, k, o) || stays_zero(w, k, what)) continue;
                w->place[k * c + o] = w->n_coord;
                w->coord[w->n_coord++] = k * c + o;
            }
        }
        if (!w->intercept) continue;
        w->place[count * c + o] = w->n_coord;
        w->coord[w->n_coord++] = count * c + o;
    }
}

bool newton_worth(const glm_work *w) {
    int64_t c = w->loss->c, n = w->loss->n;
    double active = 0, entries = 0;
    for (int64_t k = 0; k < w->cols.count; k++)
        for (int64_t o = 0; o < c; o++) {
            if (w->B[k * c + o] == 0) continue;
            active++;
            entries += (double)columns_entries(&w->cols, k);
        }
    double cost = active * active * ((double)n + active / 3);
    double rounds = w->shared.suits ? MAX_SHARED : MAX_ROUNDS;
    return active <= MAX_ACTIVE && cost <= rounds * (4 * entries * (c > 1 ? 2 : 1) + (double)n);
}

/* Whether a system that is factored needs the columns next to each other. */
static bool gathers(const glm_work *w) { return w->loss->c > 1 || w->curved; }

static bool reserve(glm_work *w, bool system) {
    const pare_allocator *mem = ctx_allocator(w->ctx);
    int64_t m = w->n_coord, more = m + m / 4 + 8;
    if (m > w->direction_capacity) {
        if (!mem_resize(mem, &w->direction, NEWTON_VECTORS * more, sizeof(double))) return false;
        w->direction_capacity = more;
    }
    if (!system || m <= w->system_capacity) return true;
    bool fine = mem_resize(mem, &w->system, more * more, sizeof(double)) &&
                mem_resize(mem, &w->rows, CHUNK * more, sizeof(double));
    if (fine) w->system_capacity = more;
    return fine;
}

/* The roots of the samples' weights, output by output, into trial_F: sqrt(share p_o), or where they
 * are to be squared sqrt(share) p_o. */
static void fill_roots(glm_work *w, bool squared) {
    int64_t n = w->loss->n, c = w->loss->c;
    if (c == 1) {
        w->loss->kind->diagonal(w->loss, w->P, w->trial_F);
        for (int64_t i = 0; i < n; i++) w->trial_F[i] = sqrt(w->trial_F[i]);
        return;
    }
    for (int64_t e = 0; e < n * c; e++) {
        double s = w->loss->share[e / c], p = w->P[e];
        w->trial_F[e % c * n + e / c] = squared ? sqrt(s) * p : sqrt(s * p);
    }
}

/* Rows [from, to) of the coordinates, each times its root. */
static void fill_rows(glm_work *w, int64_t from, int64_t to) {
    int64_t n = w->loss->n, c = w->loss->c, intercept = w->cols.count * c;
    for (int64_t m = 0; m < w->n_coord; m++) {
        int64_t e = w->coord[m], at = 0;
        double *row = w->rows + m * CHUNK, *root = w->trial_F + e % c * n;
        if (e >= intercept) {
            memcpy(row, root + from, sizeof(double) * (size_t)(to - from));
            continue;
        }
        held x = columns_at(&w->cols, e / c);
        if (!x.row) {
            for (int64_t i = from; i < to; i++) row[i - from] = root[i] * x.value[i];
            continue;
        }
        memset(row, 0, sizeof(double) * (size_t)(to - from));
        for (int64_t hi = x.count; at < hi;) { /* the first entry of these rows */
            int64_t mid = at + (hi - at) / 2;
            if (x.row[mid] < from)
                at = mid + 1;
            else
                hi = mid;
        }
        for (; at < x.count && x.row[at] < to; at++)
            row[x.row[at] - from] = root[x.row[at]] * x.value[at];
    }
}

/* X'H X of one output whose curvature H is no diagonal; the coordinates are the columns in their
 * order. */
static void add_curved(glm_work *w) {
    int64_t n = w->loss->n, m = w->n_coord;
    for (int64_t from = 0, to; from < m; from = to) {
        to = from + CURVED < m ? from + CURVED : m;
        for (int64_t k = from; k < to; k++) {
            held x = columns_at(&w->cols, w->coord[k]);
            double *T = w->curved + (k - from) * n;
            memset(T, 0, sizeof(double) * (size_t)n);
            held_add(&x, 1, T, 1, 0);
            w->loss->kind->curve(w->loss, w->P, T);
            for (int64_t l = k; w->cols.sparse && l < m; l++) {
                held other = columns_at(&w->cols, w->coord[l]);
                w->system[k * m + l] = held_dot(&other, T);
            }
        }
        if (w->cols.sparse) continue;
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)(m - from), (int)(to - from),
                    (int)n, 1, w->active.x + from * n, (int)n, w->curved, (int)n, 0,
                    w->system + from * m + from, (int)m);
    }
}

static void add_loss(glm_work *w) {
    int64_t n = w->loss->n, c = w->loss->c, m = w->n_coord;
    if (w->curved) {
        add_curved(w);
        return;
    }
    fill_roots(w, false);
    for (int64_t from = 0; from < n; from += CHUNK) {
        int64_t to = from + CHUNK < n ? from + CHUNK : n;
        fill_rows(w, from, to);
        for (int64_t start = 0, end; start < m; start = end) { /* the coordinates of one output */
            for (end = start; end < m && w->coord[end] % c == w->coord[start] % c;) end++;
            cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)(end - start), (int)(to - from),
                        1, w->rows + start * CHUNK, CHUNK, 1, w->system + start * m + start,
                        (int)m);
        }
    }
    if (c == 1) return;
    fill_roots(w, true);
    for (int64_t from = 0; from < n; from += CHUNK) {
        int64_t to = from + CHUNK < n ? from + CHUNK : n;
        fill_rows(w, from, to);
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)m, (int)(to - from), -1, w->rows,
                    CHUNK, 1, w->system, (int)m);
    }
}

/* Gradient and Hessian of lambda Omega on one unit: coordinates first, first + stride, ... */
static void add_unit(glm_work *w, int64_t g, int64_t first, int64_t length, int64_t stride) {
    double a = w->lambda * w->pen->alpha * w->pen->norm[g],
           e = w->lambda * (1 - w->pen->alpha) * w->pen->cost[g], norm = 0;
    int64_t m = w->n_coord;
    for (int64_t k = 0; k < length; k++) norm = hypot(norm, w->B[first + k * stride]);
    if (norm == 0 || penalty_free(w->pen, g)) return;
    for (int64_t k = 0; k < length; k++) {
        int64_t row = w->place[first + k * stride];
        if (row < 0) continue; /* 0, and its sign keeps it there */
        double v = w->B[first + k * stride] / norm;
        w->direction[row] -= a * v + e * v * norm;
        w->system[row * m + row] += e;
        for (int64_t l = 0; l < length && length > 1; l++) {
            int64_t col = w->place[first + l * stride];
            if (row < col || col < 0) continue;
            w->system[col * m + row] +=
                a / norm * ((row == col) - v * w->B[first + l * stride] / norm);
        }
    }
}

static void add_penalty(glm_work *w) {
    int64_t c = w->loss->c;
    for (int64_t b = 0; b < w->n_blocks; b++) {
        int64_t size = w->first[b + 1] - w->first[b], first = w->first[b] * c;
        if (w->pen->rows)
            add_unit(w, w->block[b], first, size * c, 1);
        else
            for (int64_t o = 0; o < c; o++) add_unit(w, w->block[b], first + o, size, c);
    }
}

/* Equal shifts of all outputs of an intercept or a free feature change nothing: adds a ridge along
 * them. */
static void add_shifts(glm_work *w, double size) {
    int64_t c = w->loss->c, m = w->n_coord;
    for (int64_t k = 0; c > 1 && k <= w->cols.count; k++) {
        bool whole = true;
        for (int64_t o = 0; o < c; o++) whole &= w->place[k * c + o] >= 0;
        if (!whole) continue;
        for (int64_t o = 0; o < c; o++)
            for (int64_t l = 0; l <= o; l++)
                w->system[w->place[k * c + l] * m + w->place[k * c + o]] += size / (double)c;
    }
}

/* The negative gradient, by columns from U. The largest number of it. */
static double negative_gradient(glm_work *w) {
    int64_t n = w->loss->n, c = w->loss->c, intercept = w->cols.count * c;
    double largest = 0;
    bool collected = c > 1 && w->active.count > 0;
    if (collected) active_dots(w, w->U, w->direction);
    for (int64_t m = 0; m < w->n_coord; m++) {
        int64_t e = w->coord[m], o = e % c;
        double sum = 0;
        if (e < intercept && collected) {
            sum = w->direction[m];
        } else if (e < intercept) {
            held x = columns_at(&w->cols, e / c);
            if (c == 1) sum = held_dot(&x, w->U);
            for (int64_t i = 0; c > 1 && i < x.count; i++)
                sum += x.value[i] * w->U[(x.row ? x.row[i] : i) * c + o];
        } else {
            for (int64_t i = 0; i < n; i++) sum += w->U[i * c + o];
        }
        w->direction[m] = sum;
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}

/* The direction of Newton's step, and its slope (below 0); false: the system cannot be solved. */
static bool solve_directly(glm_work *w, double *slope) {
    int64_t m = w->n_coord;
    double trace = 0, *g = w->direction + m, *diagonal = w->rows;
    memset(w->system, 0, sizeof(double) * (size_t)(m * m));
    add_loss(w);
    add_penalty(w);
    memcpy(g, w->direction, sizeof(double) * (size_t)m);
    for (int64_t i = 0; i < m; i++) trace += w->system[i * m + i];
    if (!(trace > 0) || !isfinite(trace)) return false;
    double mean = trace / (double)m, ridge = RIDGE * mean;
    add_shifts(w, mean);
    for (int64_t i = 0; i < m; i++) diagonal[i] = w->system[i * m + i];
    for (int64_t j = 0; j < m; j++) /* the upper triangle keeps the system for another try */
        for (int64_t i = j + 1; i < m; i++) w->system[i * m + j] = w->system[j * m + i];
    for (int try = 0; try < RIDGES; try++, ridge *= 100) {
        for (int64_t j = 0; j < m; j++) {
            w->system[j * m + j] = diagonal[j] + ridge;
            for (int64_t i = j + 1; try > 0 && i < m; i++)
                w->system[j * m + i] = w->system[i * m + j];
        }
        if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, w->system, (lapack_int)m))
            continue;
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', (lapack_int)m, 1, w->system, (lapack_int)m,
                            w->direction, (lapack_int)m);
        *slope = -cblas_ddot((int)m, g, 1, w->direction, 1);
        return isfinite(*slope) && *slope <= 0;
    }
    return false;
}

/* A unit of an active block: coefficients first, first + stride, ... (penalty.h). */
typedef struct unit {
    int64_t first, length, stride;
} unit;

static int64_t units_in(const glm_work *w) { return w->pen->rows ? 1 : w->loss->c; }

static unit unit_at(const glm_work *w, int64_t b, int64_t u) {
    int64_t c = w->loss->c, size = w->first[b + 1] - w->first[b], first = w->first[b] * c;
    return w->pen->rows ? (unit){first, size * c, 1} : (unit){first + u, size, c};
}

/* Coefficients with a sign stop at 0. */
static void keep_signs(glm_work *w) {
    for (int64_t k = 0; w->pen->sign && k < w->cols.count; k++)
        if (w->place[k] >= 0 && sign_against(w->pen->sign[w->feature[k]], w->trial_B[k]))
            w->trial_B[k] = 0;
}

/* B + t direction; units stop at 0 instead of passing it. */
static void place_trial(glm_work *w, double t) {
    int64_t c = w->loss->c, intercept = w->cols.count * c;
    for (int64_t m = 0; m < w->n_coord; m++) {
        int64_t e = w->coord[m];
        if (e >= intercept)
            w->trial_b[e - intercept] = w->b[e - intercept] + t * w->direction[m];
        else
            w->trial_B[e] = w->B[e] + t * w->direction[m];
    }
    for (int64_t b = 0; b < w->n_blocks; b++)
        for (int64_t u = 0; u < units_in(w) && !penalty_free(w->pen, w->block[b]); u++) {
            unit at = unit_at(w, b, u);
            double along = 0;
            for (int64_t k = 0, e = at.first; k < at.length; k++, e += at.stride)
                along += w->B[e] * w->trial_B[e];
            for (int64_t k = 0, e = at.first; k < at.length && along < 0; k++, e += at.stride)
                w->trial_B[e] = 0;
        }
    keep_signs(w);
}

static void trial_fit(glm_work *w) {
    int64_t n = w->loss->n, c = w->loss->c, intercept = w->cols.count * c;
    bool collected = c > 1 && w->active.count > 0;
    double *moved = w->direction + w->n_coord; /* scratch: the step is at its end */
    if (collected) {
        for (int64_t m = 0; m < w->n_coord; m++) {
            int64_t e = w->coord[m];
            moved[m] = e < intercept ? w->trial_B[e] - w->B[e] : 0;
        }
        active_sum(w, moved, w->trial_F);
        for (int64_t e = 0; e < n * c; e++) w->trial_F[e] += w->F[e];
    } else {
        memcpy(w->trial_F, w->F, sizeof(double) * (size_t)(n * c));
    }
    for (int64_t m = 0; m < w->n_coord; m++) {
        int64_t e = w->coord[m], o = e % c;
        if (e < intercept && collected) continue;
        if (e < intercept) {
            held x = columns_at(&w->cols, e / c);
            held_add(&x, w->trial_B[e] - w->B[e], w->trial_F, c, o);
            continue;
        }
        double step = w->trial_b[o] - w->b[o];
        for (int64_t i = 0; i < n; i++) w->trial_F[i * c + o] += step;
    }
}

/* The step at which the first unit reaches 0, at most 1. */
static double first_crossing(const glm_work *w) {
    double t = 1;
    for (int64_t b = 0; b < w->n_blocks; b++)
        for (int64_t u = 0; u < units_in(w); u++) {
            unit at = unit_at(w, b, u);
            double square = 0, along = 0;
            for (int64_t k = 0, e = at.first; k < at.length; k++, e += at.stride) {
                square += w->B[e] * w->B[e];
                if (w->place[e] >= 0) along += w->B[e] * w->direction[w->place[e]];
            }
            double reach = -square / along;
            if (reach > 0 && reach < t) t = reach;
        }
    for (int64_t k = 0; w->pen->sign && k < w->cols.count; k++) { /* and within groups */
        if (w->place[k] < 0 || !penalty_sign(w->pen, w->feature[k])) continue;
        double reach = -w->B[k] / w->direction[w->place[k]];
        if (reach > 0 && reach < t) t = reach;
    }
    return t;
}

/* One step; *done: another would gain little, by the decrease that this one promised, or none that
 * lowers the objective was found. */
static pare_status step(glm_work *w, which what, bool *done, pare_error *err) {
    int64_t c = w->loss->c;
    double slope, t = 1, crossing = 1, before = w->primal;
    *done = true;
    if (what == ACTIVE && !newton_worth(w)) {
        pare_status status = newton_conjugate(w, &slope, err);
        if (status != PARE_OK || !(isfinite(slope) && slope < 0)) return status;
    } else if (!solve_directly(w, &slope)) {
        return PARE_OK;
    }
    memcpy(w->trial_B, w->B, sizeof(double) * (size_t)(w->cols.count * c));
    memcpy(w->trial_b, w->b, sizeof(double) * (size_t)c);
    for (int halving = 0; halving < HALVINGS; halving++) {
        place_trial(w, t);
        trial_fit(w);
        double now = work_try(w);
        if (now <= before + 1e-4 * t * slope + SLACK * fabs(before)) {
            work_accept(w);
            *done = t == 1 && -slope / 2 <= SURE * sqrt(w->tol) * fabs(before);
            return PARE_OK;
        }
        if (halving == 0 && what == ACTIVE) crossing = first_crossing(w);
        bool cuts = t > crossing; /* some coordinate stops at 0 */
        t = cuts && (halving >= CUTS || t / 2 < crossing) ? crossing : t / 2;
    }
    return PARE_OK;
}

pare_status newton_active(glm_work *w, int64_t most, pare_error *err) {
    for (int64_t i = 0; i < most; i++) {
        choose(w, ACTIVE);
        w->shared.suits = precondition_shares(w);
        if (w->n_coord == 0) return PARE_OK;
        if (!reserve(w, newton_worth(w)) || (gathers(w) && !active_gather(w)))
            return error_memory(err);
        negative_gradient(w);
        double before = w->primal;
        bool done;
        PASS(step(w, ACTIVE, &done, err));
        if (done || before - w->primal <= LITTLE * w->tol * fabs(before)) return PARE_OK;
    }
    return PARE_OK;
}

pare_status newton_free(glm_work *w, pare_error *err) {
    double least = INFINITY, tol = w->tol;
    int64_t count = -1;
    pare_status status = PARE_OK;
    bool still = false;
    w->tol = 0;
    for (int i = 0; i < FREE_STEPS && !still; i++) {
        if (i == 0 || w->pen->sign) { /* coefficients with a sign come and go */
            choose(w, FREE);
            if (w->n_coord == 0) break;
            w->active.count = 0;
            TRY_MEM(reserve(w, true) && (!gathers(w) || active_gather(w)));
        }
        double size = negative_gradient(w);
        bool grew = i > 2 && size >= least && w->n_coord == count;
        if (size <= FREE_DONE || grew) break;
        least = fmin(least, size);
        count = w->n_coord;
        TRY(step(w, FREE, &still, err));
    }
done:
    w->tol = tol;
    return status;
}

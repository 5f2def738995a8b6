#include "method/discriminant/dlsr_fs_path.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "solve/working_set.h"

#define MAX_TOL 1e-10 /* of the problem without features */
#define SUB_SHARE 0.1 /* accuracy of a working set relative to the gap over all features */
#define SUB_LOOSEST 0.1
#define SUB_TIGHTEST 0.8 /* of the requested tolerance */
#define SETTLED 0.03     /* of the working set: fewer new features hardly change the solution */
#define NEAR 0.8         /* of the last lambda */
#define CLOSE 0.9        /* of lambda: features with larger prices are in the first working set */
#define MAX_LOSS_SHARE 1e-2 /* share of the loss in the objective */
#define SIGMA_BACK 4        /* a changed working set divides the proximal parameter by it */
#define ROUNDING 1e-13 /* of the largest possible price: a lambda_max below that counts as zero */
#define SEEN_ZERO 1e-6 /* a residual below this at W = 0 counts as none */
enum { MAX_ROUNDS = 60, FEW_STEPS = 6, MANY_STEPS = 12, MIN_ADDED = 128, UNIT_FEATURES = 20 };

/* Converts a price of the inner problem to units of lambda. */
static double price_unit(const fs_path *p) {
    return p->weight_unit / (p->of->c == 1 ? sqrt(2) : 1);
}

static gh_problem inner_problem(const fs_path *p, double lambda) {
    return (gh_problem){.n = p->of->n,
                        .c = p->of->c,
                        .sign = p->of->sign,
                        .target = p->of->target,
                        .weight = p->weight,
                        .intercept = p->of->intercept,
                        .lambda = lambda / price_unit(p) / p->unit,
                        .s = p->s,
                        .x = p->x_set,
                        .n_blocks = p->n_blocks,
                        .start = p->start};
}

/* The largest of the current prices. */
static void find_near(fs_path *p) {
    p->n_near = 0;
    for (int64_t j = 0; p->near && j < p->x.d; j++)
        keep_best(p->near, &p->n_near, working_set_size(p->x.d), (ranked){p->price[j], j});
    const int64_t *cols = p->x.cols;
    working_set_sort(p->near, p->n_near, p->near_base);
    for (int64_t i = 0; i < p->n_near; i++)
        p->near_base[i] = cols ? cols[p->near[i].index] : p->near[i].index;
}

/* Sets p->price from the multipliers, and the largest: of all features, one pass over X, or of the
 * most violated features of the last pass. */
static pare_status set_prices(fs_path *p, bool all, double *largest_price, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t c = p->of->c, d = all ? p->x.d : p->n_near;
    view x = p->x;
    if (!all) {
        x.cols = p->near_base;
        x.d = d;
    }
    PASS(mat_tmul(&x, p->at.A, c, p->products, ctx, err));
    double unit = price_unit(p);
    *largest_price = 0;
    for (int64_t i = 0; i < d; i++) {
        double *price = &p->price[all ? i : p->near[i].index];
        *price = 0;
        for (int64_t k = 0; k < c; k++) *price += p->products[k * d + i] * p->products[k * d + i];
    }
    if (all) blocks_sum(p->blocks, p->price, p->products);
    for (int64_t i = 0; i < d; i++) {
        double *price = &p->price[all ? i : p->near[i].index];
        *price = unit * sqrt(*price);
        if (*price > *largest_price) *largest_price = *price;
    }
    if (all) find_near(p);
    return PARE_OK;
}

/* The unit: root mean square norm of the features of largest norm. */
static pare_status set_unit(fs_path *p, const pare_ctx *ctx, pare_error *err) {
    int64_t n = p->of->n, d = p->x.d, taken = 0, first[UNIT_FEATURES];
    double value[UNIT_FEATURES], sum = 0;
    for (int64_t j = 0; j < d; j++) {
        int64_t at = taken;
        if (p->price[j] == 0 || (taken == UNIT_FEATURES && p->price[j] <= value[taken - 1]))
            continue;
        if (taken == UNIT_FEATURES) at--;
        for (; at > 0 && value[at - 1] < p->price[j]; at--) {
            value[at] = value[at - 1];
            first[at] = first[at - 1];
        }
        value[at] = p->price[j];
        first[at] = j;
        taken += taken < UNIT_FEATURES;
    }
    p->unit = 1;
    if (taken == 0) return PARE_OK;
    double *x = mem_alloc(&p->mem.mem, n * taken, sizeof *x);
    if (!x) return error_memory(err);
    pare_status status = mat_columns(&p->x, first, taken, x, ctx, err);
    for (int64_t e = 0; status == PARE_OK && e < n * taken; e++) sum += x[e] * x[e];
    mem_free(&p->mem.mem, x);
    if (sum > 0 && isfinite(sum)) p->unit = sqrt(sum / (double)taken);
    return status;
}

/* lambda_max is exact if every sample has a residual at W = 0: the multipliers are then unique. */
static bool all_have_residuals(const fs_path *p) {
    const indicator *of = p->of;
    for (int64_t i = 0; i < of->n; i++) {
        double norm2 = 0;
        for (int64_t k = 0; k < of->c; k++) {
            int64_t e = k * of->n + i;
            double r = fmax(0, of->target[e] - of->sign[e] * p->at.f[e]);
            norm2 += r * r;
        }
        if (!(norm2 > SEEN_ZERO * SEEN_ZERO)) return false;
    }
    return true;
}

static int64_t class_of(const indicator *of, int64_t i) {
    int64_t k = 0;
    while (k < of->c && of->sign[k * of->n + i] < 0) k++;
    return k;
}

/* At W = 0 the samples of a class are alike: where their multipliers are not unique, each gets its
 * share by weight, so that lambda_max does not depend on which of them the solver found. */
static pare_status share_multipliers(fs_path *p, pare_error *err) {
    const indicator *of = p->of;
    int64_t n = of->n, c = of->c, classes = c + 1;
    double *mass = ARENA_ZERO(&p->mem, double, classes), *sum = ARENA_NEW(&p->mem, double, classes);
    if (!mass || !sum) return error_memory(err);
    for (int64_t i = 0; i < n; i++) mass[class_of(of, i)] += p->weight[i];
    for (int64_t k = 0; k < c; k++) {
        double *A = p->at.A + k * n;
        memset(sum, 0, sizeof *sum * (size_t)classes);
        for (int64_t i = 0; i < n; i++) sum[class_of(of, i)] += A[i];
        for (int64_t i = 0; i < n; i++)
            A[i] = sum[class_of(of, i)] / mass[class_of(of, i)] * p->weight[i];
    }
    return PARE_OK;
}

pare_status fs_path_open(fs_path *p, const view *x, const indicator *of,
                         const feature_blocks *blocks, const pare_ctx *ctx, pare_error *err) {
    int64_t n = of->n, c = of->c, d = x->d;
    *p = (fs_path){.of = of, .blocks = blocks, .x = *x, .unit = 1};
    arena_init(&p->mem, ctx_allocator(ctx));
    if (of->intercept && !of->centred)
        PASS(indicator_centre(&p->x, &p->mean, &p->mem, x, of->weight, ctx, err));
    PASS_MEM(p->weight = ARENA_NEW(&p->mem, double, n));
    PASS_MEM(p->at.b = ARENA_ZERO(&p->mem, double, c));
    PASS_MEM(ARENA_ZEROS(&p->mem, double, n *c, &p->at.f, &p->at.A));
    PASS_MEM(p->price = ARENA_NEW(&p->mem, double, d));
    PASS_MEM(p->products = ARENA_NEW(&p->mem, double, d *c));
    PASS_MEM(p->place = ARENA_NEW(&p->mem, int32_t, d));
    for (int64_t j = 0; j < d; j++) p->place[j] = -1;
    if (working_set_size(d) > 0 && !blocks->of) {
        PASS_MEM(p->near = ARENA_NEW(&p->mem, ranked, working_set_size(d)));
        PASS_MEM(p->near_base = ARENA_NEW(&p->mem, int64_t, working_set_size(d)));
    }
    double mean = of->total / (double)n;
    for (int64_t i = 0; i < n; i++) p->weight[i] = of->weight[i] / mean;
    p->weight_unit = mean * (c == 1 ? sqrt(2) : 1);

    gh_problem none = inner_problem(p, 0);
    PASS(gh_solve(&p->at, &none, MAX_TOL, ctx, err));
    p->exact_max = all_have_residuals(p);
    if (!p->exact_max) PASS(share_multipliers(p, err));
    PASS(set_prices(p, true, &p->lambda_max, ctx, err));
    PASS(set_unit(p, ctx, err));
    if (p->lambda_max <= ROUNDING * price_unit(p) * p->unit * sqrt((double)n)) p->lambda_max = 0;
    p->lambda = p->lambda_max;
    p->at.sigma = 0;
    p->primal = p->loss = p->weight_unit * p->at.primal;
    p->dual = p->weight_unit * p->at.dual;
    return PARE_OK;
}

void fs_path_close(fs_path *p) {
    mem_free(&p->mem.mem, p->set);
    mem_free(&p->mem.mem, p->start);
    mem_free(&p->mem.mem, p->x_set);
    mem_free(&p->mem.mem, p->at.W);
    arena_free(&p->mem);
}

/* Counts the working set in units: blocks, or features. */
static int64_t units_of(const fs_path *p) { return p->start ? p->n_blocks : p->s; }
static int64_t first_of(const fs_path *p, int64_t unit) { return p->start ? p->start[unit] : unit; }

static bool row_is_active(const fs_path *p, int64_t place) {
    for (int64_t k = 0; k < p->of->c; k++)
        if (p->at.W[k * p->s + place] != 0) return true;
    return false;
}

static bool unit_is_active(const fs_path *p, int64_t unit) {
    for (int64_t a = first_of(p, unit); a < first_of(p, unit + 1); a++)
        if (row_is_active(p, a)) return true;
    return false;
}

/* Counts the features of `count` units outside the set: blocks, or features. */
static int64_t features_in(const fs_path *p, const ranked *unit, int64_t count) {
    const feature_blocks *b = p->blocks;
    int64_t sum = 0;
    if (!b->of) return count;
    for (int64_t i = 0; i < count; i++)
        sum += b->start[unit[i].index + 1] - b->start[unit[i].index];
    return sum;
}

/* Where the blocks of a set begin; the features of a block are adjacent in it. */
static int64_t mark_blocks(const feature_blocks *b, const int64_t *set, int64_t s, int64_t *start) {
    int64_t count = 0;
    for (int64_t a = 0; a < s; a++)
        if (a == 0 || b->of[set[a]] != b->of[set[a - 1]]) start[count++] = a;
    start[count] = s;
    return count;
}

/* Replaces the working set by its units (only the active ones, if `drop`) and `extra`. */
static pare_status change_set(fs_path *p, bool drop, const ranked *extra, int64_t n_extra,
                              const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = &p->mem.mem;
    const feature_blocks *b = p->blocks;
    int64_t n = p->of->n, c = p->of->c, kept = 0, adding = features_in(p, extra, n_extra);
    for (int64_t q = 0; q < units_of(p); q++)
        if (!drop || unit_is_active(p, q)) kept += first_of(p, q + 1) - first_of(p, q);
    int64_t s = kept + adding;
    pare_status status = PARE_OK;
    int64_t *set = mem_alloc(mem, s, sizeof *set), *start = NULL;
    double *x = mem_alloc(mem, n * s, sizeof *x), *W = mem_zero(mem, s * c, sizeof *W);
    TRY_MEM(set && x && W);
    if (b->of) TRY_MEM(start = mem_alloc(mem, s + 1, sizeof *start));
    for (int64_t q = 0, to = 0; q < units_of(p); q++) {
        if (drop && !unit_is_active(p, q)) continue;
        for (int64_t a = first_of(p, q); a < first_of(p, q + 1); a++, to++) {
            set[to] = p->set[a];
            memcpy(x + to * n, p->x_set + a * n, sizeof *x * (size_t)n);
            for (int64_t k = 0; k < c; k++) W[k * s + to] = p->at.W[k * p->s + a];
        }
    }
    for (int64_t a = 0, to = kept; a < n_extra; a++) {
        int64_t u = extra[a].index;
        if (!b->of) set[to++] = u;
        for (int64_t i = b->of ? b->start[u] : 0; b->of && i < b->start[u + 1]; i++)
            set[to++] = b->member[i];
    }
    if (adding > 0) TRY(mat_columns(&p->x, set + kept, adding, x + kept * n, ctx, err));
    for (int64_t e = kept * n; e < s * n; e++) x[e] /= p->unit;

    for (int64_t a = 0; a < p->s; a++) p->place[p->set[a]] = -1;
    for (int64_t a = 0; a < s; a++) p->place[set[a]] = (int32_t)a;
    mem_free(mem, p->set);
    mem_free(mem, p->start);
    mem_free(mem, p->x_set);
    mem_free(mem, p->at.W);
    p->s = s;
    p->n_blocks = start ? mark_blocks(b, set, s, start) : 0;
    p->start = start;
    p->set = set;
    p->x_set = x;
    p->at.W = W;
    return PARE_OK;

done:
    mem_free(mem, start);
    mem_free(mem, W);
    mem_free(mem, x);
    mem_free(mem, set);
    return status;
}

/* Adds the most violated features, or blocks, outside the set with a price above `above`: at most
 * `most` features, unless one block has more. */
static pare_status add_most_violated(fs_path *p, double above, int64_t most, int64_t *added,
                                     const pare_ctx *ctx, pare_error *err) {
    const feature_blocks *b = p->blocks;
    int64_t count = 0, units = b->of ? b->count : p->near ? p->n_near : p->x.d;
    ranked *list = mem_alloc(&p->mem.mem, most, sizeof *list);
    if (!list) return error_memory(err);
    for (int64_t i = 0; i < units; i++) {
        int64_t u = p->near ? p->near[i].index : i, j = b->of ? b->member[b->start[u]] : u;
        if (p->place[j] >= 0 || !(p->price[j] > fmax(above, 0))) continue;
        keep_best(list, &count, most, (ranked){p->price[j], u});
    }
    sort_best_first(list, count);
    while (b->of && count > 1 && features_in(p, list, count) > most) count--;
    *added = features_in(p, list, count);
    pare_status status = count > 0 ? change_set(p, false, list, count, ctx, err) : PARE_OK;
    mem_free(&p->mem.mem, list);
    return status;
}

static void note_values(fs_path *p, double largest_price) {
    double scale = largest_price > p->lambda ? p->lambda / largest_price : 1;
    gh_problem whole = inner_problem(p, p->lambda);
    double value = gh_make_feasible(&whole, p->at.A);
    p->primal = p->weight_unit * p->at.primal;
    p->dual = p->weight_unit * value * scale;
    p->loss = p->weight_unit * gh_loss(&whole, p->at.f);
    p->n_active = p->counted = 0;
    for (int64_t a = 0; a < p->s; a++) p->n_active += row_is_active(p, a);
    for (int64_t q = 0; p->blocks->counted && q < units_of(p); q++)
        p->counted += unit_is_active(p, q);
    if (!p->blocks->counted) p->counted = p->n_active;
}

/* If no residuals are left, the multipliers shrink with lambda and nothing else changes. */
static void follow_lambda(fs_path *p, double lambda) {
    if (!(p->loss <= MAX_LOSS_SHARE * p->primal) || !(lambda < p->lambda)) return;
    double shrink = lambda / p->lambda;
    for (int64_t e = 0; e < p->of->n * p->of->c; e++) p->at.A[e] *= shrink;
    for (int64_t j = 0; j < p->x.d; j++) p->price[j] *= shrink;
    p->lambda = lambda;
}

/* A proximal parameter for few Newton steps at the start of the next lambda, but not too short
 * ones. */
static void tune_sigma(fs_path *p) {
    if (p->sigma == 0)
        p->sigma = fmax(1, p->at.sigma / 16);
    else if (p->at.first_steps > MANY_STEPS)
        p->sigma = fmax(1, p->sigma / 1.5);
    else if (p->at.first_steps < FEW_STEPS)
        p->sigma *= 1.5;
}

/* The gap, over all features or the most violated ones only. */
static pare_status measure(fs_path *p, bool all, double *gap, const pare_ctx *ctx,
                           pare_error *err) {
    double largest_price;
    PASS(set_prices(p, all, &largest_price, ctx, err));
    note_values(p, largest_price);
    double size = fmax(fabs(p->primal), fabs(p->dual));
    *gap = p->primal <= p->dual ? 0 : (p->primal - p->dual) / size;
    ctx_log(ctx, PARE_LOG_DEBUG,
            "dlsr-fs: lambda %.6g, %lld features at hand, %lld live, gap %.3g%s", p->lambda,
            (long long)p->s, (long long)p->n_active, *gap, all ? "" : " among the most violated");
    return PARE_OK;
}

pare_status fs_path_solve(fs_path *p, double lambda, double tol, const pare_ctx *ctx,
                          pare_error *err) {
    int64_t added;
    bool near = lambda > NEAR * p->lambda; /* the set is then nearly right from the start */
    double tightest = SUB_TIGHTEST * tol, sub_tol = near ? tightest : SUB_LOOSEST, gap = 1;
    follow_lambda(p, lambda);
    double strong = 2 * lambda - p->lambda; /* prices rarely move faster than lambda */
    p->lambda = lambda;
    PASS(change_set(p, true, NULL, 0, ctx, err));
    PASS(add_most_violated(p, fmin(strong, CLOSE * lambda), MIN_ADDED + p->s, &added, ctx, err));
    if (p->s == p->x.d) sub_tol = tightest; /* no feature can be added */
    for (int round = 0; round < MAX_ROUNDS; round++) {
        gh_problem sub = inner_problem(p, lambda);
        p->at.sigma = round == 0 ? p->sigma : fmax(1, p->at.sigma / SIGMA_BACK);
        PASS(gh_solve(&p->at, &sub, sub_tol, ctx, err));
        if (round == 0) tune_sigma(p);
        p->rounds++;
        bool stopped = p->at.outcome == PARE_CANCELLED || p->at.outcome == PARE_TIME_LIMIT;
        bool last = round == MAX_ROUNDS - 1, solved = sub_tol <= tightest, over;
        added = 0;
        for (bool all = !p->near || last || stopped;; all = true) {
            PASS(measure(p, all, &gap, ctx, err));
            over = gap <= tol || stopped;
            if (!over)
                PASS(add_most_violated(p, lambda, MIN_ADDED > p->s ? MIN_ADDED : p->s, &added, ctx,
                                       err));
            if (all || added > 0 || !(over || solved)) break;
        }
        if (over) break;
        if ((added == 0 && solved) || last) {
            p->at.outcome = PARE_MAX_ITER; /* solved as far as rounding allows */
            break;
        }
        bool settled = (double)added <= SETTLED * (double)p->s;
        sub_tol = fmax(tightest, settled ? tightest : fmin(sub_tol, SUB_SHARE * gap));
    }
    if (gap <= tol) p->at.outcome = PARE_OPTIMAL;
    return PARE_OK;
}

void fs_path_result(const fs_path *p, double *W, double *b, double *L) {
    int64_t n = p->of->n, c = p->of->c, d = p->x.d;
    double unit = p->weight_unit / (c == 1 ? 2 : 1);
    memset(W, 0, sizeof *W * (size_t)(d * c));
    for (int64_t k = 0; k < c; k++) {
        b[k] = p->at.b[k];
        for (int64_t a = 0; a < p->s; a++) {
            double w = p->at.W[k * p->s + a] / p->unit;
            W[k * d + p->set[a]] = w;
            if (p->mean) b[k] -= w * p->mean[p->set[a]];
        }
    }
    for (int64_t e = 0; e < n * c; e++) L[e] = unit * fabs(p->at.A[e]);
}

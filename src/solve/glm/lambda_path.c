/* The path over lambda: glm.h, steps 1, 2 and 4. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/order.h"
#include "solve/glm/price.h"
#include "solve/glm/work.h"

enum {
    MAX_LAMBDAS = 10, /* lambdas that one pass serves */
    MIN_JOIN = 100,   /* blocks that may join: this many and JOIN_PER_ACTIVE for each active one */
    JOIN_PER_ACTIVE = 4,
    MIN_ALLOWED = 256, /* blocks held, or a share of all if that is more: never a second X */
    SHARE = 8,
    MAX_ATTEMPTS = 60, /* to solve a stretch of lambdas */
    CROWD = 3          /* times the blocks that may join: as many may want to, see stretch_length */
};
static const double MIN_ALPHA = 1e-3; /* for lambda_max */
static const double INNER = 0.3;      /* the working set is solved to this share of the tolerance */
static const double TIGHTER = 0.1;    /* and to this share of that where the first was not enough */
static const double MIN_TOL = 1e-15;
static const double MAX_EXTRAPOLATION =
    4; /* steps of the path that are predicted from the last one */

typedef struct snapshot {
    double lambda, primal, loss, penalty, gap;
    double *B, *b, *F, *U; /* as in glm_work; F, U: n x c */
    int64_t count, capacity;
    pare_outcome outcome;
    bool certified;
} snapshot;

struct glm_solver {
    const glm_problem *p;
    const pare_ctx *ctx;
    glm_work w;
    prices prices;
    double lambda_max, null_loss, price_lambda;
    double *null_b;             /* c: of the null fit */
    double at_loss, at_penalty; /* of the solver's current point */
    bool *here;                 /* n_blocks: in the working set */
    ranked *heap;
    int64_t *join; /* the blocks of the heap */
    int64_t heap_capacity;
    snapshot shot[MAX_LAMBDAS];
    /* The point that is reported. */
    int64_t *feature;
    double *B, *b;
    int64_t seen_capacity;
};

double glm_lambda_max(const glm_solver *s) { return s->lambda_max; }
double glm_null_loss(const glm_solver *s) { return s->null_loss; }

void glm_close(glm_solver *s) {
    if (!s) return;
    const pare_allocator *mem = ctx_allocator(s->ctx);
    for (int m = 0; m < MAX_LAMBDAS; m++) {
        mem_free(mem, s->shot[m].U);
        mem_free(mem, s->shot[m].F);
        mem_free(mem, s->shot[m].b);
        mem_free(mem, s->shot[m].B);
    }
    mem_free(mem, s->null_b);
    mem_free(mem, s->b);
    mem_free(mem, s->B);
    mem_free(mem, s->feature);
    mem_free(mem, s->join);
    mem_free(mem, s->heap);
    mem_free(mem, s->here);
    prices_close(&s->prices);
    work_close(&s->w);
    mem_free(mem, s);
}

/* Step 1: fits the free coordinates only, and prices all features there. */
static pare_status null_fit(glm_solver *s, pare_error *err) {
    const penalty *pen = s->p->penalty;
    price_point null = {.U = s->w.U};
    for (int64_t g = 0; pen->some_free && g < pen->n_blocks; g++) {
        if (!penalty_free(pen, g) || penalty_size(pen, g) == 0) continue;
        s->here[g] = true;
        PASS(work_add(&s->w, &g, 1, err));
    }
    work_fit(&s->w);
    work_evaluate(&s->w);
    if (pen->sign && pen->some_free) {
        pare_outcome outcome; /* of a problem without a penalty, but with constraints */
        PASS(work_solve(&s->w, MIN_TOL, &outcome, err));
    }
    PASS(newton_free(&s->w, err));
    PASS(prices_pass(&s->prices, &null, 1, true, err));
    s->null_loss = s->at_loss = s->w.loss_now;
    memcpy(s->null_b, s->w.b, sizeof(double) * (size_t)s->p->loss.c);
    s->lambda_max = null.price / fmax(pen->alpha, MIN_ALPHA);
    s->price_lambda = s->lambda_max;
    return PARE_OK;
}

pare_status glm_open(glm_solver **out, const glm_problem *p, const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    int64_t n = p->loss.n, c = p->loss.c;
    pare_status status = PARE_OK;
    *out = NULL;
    glm_solver *s = mem_zero(mem, 1, sizeof *s);
    if (!s) return error_memory(err);
    s->p = p;
    s->w.ctx = s->prices.ctx = s->w.cols.ctx = s->ctx = ctx;
    TRY_MEM(s->here = mem_zero(mem, p->penalty->n_blocks, sizeof(bool)));
    TRY_MEM(s->b = mem_zero(mem, c, sizeof(double)));
    TRY_MEM(s->null_b = mem_zero(mem, c, sizeof(double)));
    for (int m = 0; m < MAX_LAMBDAS; m++) {
        TRY_MEM(s->shot[m].b = mem_zero(mem, c, sizeof(double)));
        TRY_MEM(s->shot[m].F = mem_zero(mem, n * c, sizeof(double)));
        TRY_MEM(s->shot[m].U = mem_zero(mem, n * c, sizeof(double)));
    }
    TRY(work_open(&s->w, p->x, &p->loss, p->penalty, p->intercept, ctx, err));
    TRY(prices_open(&s->prices, p, ctx, err));
    TRY(null_fit(s, err));
    *out = s;
    s = NULL;
done:
    glm_close(s);
    return status;
}

static int64_t active_blocks(const glm_solver *s) {
    int64_t active = 0;
    for (int64_t b = 0; b < s->w.n_blocks; b++) active += block_active(&s->w, b);
    return active;
}

/* The number of blocks that may join: more if many are active, never most of X. */
static int64_t allowance(const glm_solver *s) {
    int64_t blocks = s->p->penalty->n_blocks, most = blocks / SHARE;
    int64_t want = MIN_JOIN + JOIN_PER_ACTIVE * active_blocks(s);
    if (most < MIN_ALLOWED) most = MIN_ALLOWED;
    if (want > most) want = most;
    return want < 1 ? 1 : want;
}

/* Adds the blocks of the largest prices above `least`; above: only those above at some point of the
 * last pass. */
static pare_status join(glm_solver *s, double least, bool above, int64_t most, int64_t *joined,
                        pare_error *err) {
    int64_t blocks = s->p->penalty->n_blocks, size = 0;
    if (most > s->heap_capacity) {
        const pare_allocator *mem = ctx_allocator(s->ctx);
        if (!mem_resize(mem, &s->heap, most, sizeof *s->heap) ||
            !mem_resize(mem, &s->join, most, sizeof *s->join))
            return error_memory(err);
        s->heap_capacity = most;
    }
    for (int64_t g = 0; g < blocks; g++) {
        double price = prices_last(&s->prices, g);
        bool wanted = above ? s->prices.above[g] : price > least;
        if (wanted && !s->here[g]) keep_best(s->heap, &size, most, (ranked){price, g});
    }
    for (int64_t i = 0; i < size; i++) s->here[s->join[i] = s->heap[i].index] = true;
    sort_index(s->join, size);
    *joined = size;
    return work_add(&s->w, s->join, size, err);
}

/* Step 2. */
static pare_status refill(glm_solver *s, double last, pare_error *err) {
    int64_t joined;
    double alpha = s->p->penalty->alpha;
    work_drop_inactive(&s->w);
    s->w.fresh = false; /* from time to time everything is recomputed */
    memset(s->here, 0, sizeof(bool) * (size_t)s->p->penalty->n_blocks);
    for (int64_t b = 0; b < s->w.n_blocks; b++) s->here[s->w.block[b]] = true;
    double least = (2 * last - s->price_lambda) * alpha; /* the strong rule */
    return join(s, fmax(least, 0), false, allowance(s), &joined, err);
}

/* With an even number of outputs the 1-norm does not change when a feature's coefficients are
 * shifted between the two middle ones: takes the least squares shift, the limit of a vanishing
 * ridge. */
static void settle_row(double *v, int64_t c) {
    double low = -INFINITY, high = INFINITY, mean = 0;
    for (int64_t o = 0; o < c; o++) {
        int64_t under = 0, upto = 0;
        for (int64_t l = 0; l < c; l++) {
            under += v[l] < v[o];
            upto += v[l] <= v[o];
        }
        mean += v[o] / (double)c;
        if (under <= c / 2 - 1 && upto >= c / 2) low = v[o];
        if (under <= c / 2 && upto >= c / 2 + 1) high = v[o];
    }
    double shift = fmin(fmax(mean, low), high);
    for (int64_t o = 0; o < c; o++) v[o] -= shift;
}

static void settle_rows(const glm_solver *s, snapshot *shot) {
    const penalty *pen = s->p->penalty;
    int64_t c = pen->c;
    if (pen->alpha < 1 || pen->rows || c % 2 != 0) return;
    for (int64_t b = 0; b < s->w.n_blocks; b++)
        if (s->w.first[b + 1] - s->w.first[b] == 1 && block_active(&s->w, b))
            settle_row(shot->B + s->w.first[b] * c, c);
}

static bool save(glm_solver *s, snapshot *shot, pare_outcome outcome) {
    const glm_work *w = &s->w;
    int64_t c = s->p->loss.c, numbers = w->cols.count * c;
    if (!shot->B || numbers > shot->capacity) {
        int64_t more = numbers + numbers / 4 + 64;
        if (!mem_resize(ctx_allocator(s->ctx), &shot->B, more, sizeof(double))) return false;
        shot->capacity = more;
    }
    memcpy(shot->B, w->B, sizeof(double) * (size_t)numbers);
    settle_rows(s, shot);
    memcpy(shot->b, w->b, sizeof(double) * (size_t)c);
    memcpy(shot->F, w->F, sizeof(double) * (size_t)(s->p->loss.n * c));
    memcpy(shot->U, w->D, sizeof(double) * (size_t)(s->p->loss.n * c));
    shot->count = w->cols.count;
    shot->loss = w->loss_now;
    shot->penalty = w->penalty_now;
    shot->primal = w->primal;
    shot->outcome = outcome;
    return true;
}

static void restore(glm_solver *s, const snapshot *shot) {
    int64_t c = s->p->loss.c;
    memcpy(s->w.B, shot->B, sizeof(double) * (size_t)(shot->count * c));
    for (int64_t e = shot->count * c; e < s->w.cols.count * c; e++) s->w.B[e] = 0;
    memcpy(s->w.b, shot->b, sizeof(double) * (size_t)c);
    s->w.fresh = false;
}

/* Extrapolates the last two solutions in ln lambda, if the result is better than the last one: with
 * a loss that is not quadratic steps from lambda to lambda are about equal. */
static void predict(glm_solver *s, int64_t m) {
    glm_work *w = &s->w;
    const snapshot *last = &s->shot[m - 1], *older = &s->shot[m - 2];
    int64_t c = s->p->loss.c;
    double lambda = s->shot[m].lambda, apart = log(last->lambda / older->lambda);
    double on = apart != 0 ? log(lambda / last->lambda) / apart : 0;
    if (s->p->loss.kind->quadratic || !(on > 0 && on < MAX_EXTRAPOLATION)) return;
    if (last->count != older->count || last->count != w->cols.count) return;
    for (int64_t e = 0; e < last->count * c; e++) {
        double next = last->B[e] + on * (last->B[e] - older->B[e]);
        w->B[e] = older->B[e] != 0 && next * last->B[e] > 0 ? next : last->B[e];
    }
    for (int64_t o = 0; o < c; o++) w->b[o] = last->b[o] + on * (last->b[o] - older->b[o]);
    work_fit(w);
    work_evaluate(w);
    w->fresh = true;
    double there = w->loss_now + lambda * w->penalty_now;
    if (!(there < last->loss + lambda * last->penalty)) restore(s, last);
}

/* Step 3: solves the lambdas of the stretch whose gap is not small enough; *end: where it was
 * interrupted, or its end. */
static pare_status solve_stretch(glm_solver *s, int64_t *end, bool again, double tol,
                                 pare_error *err) {
    for (int64_t m = 0; m < *end; m++) {
        pare_outcome outcome;
        snapshot *shot = &s->shot[m];
        if (shot->certified) continue;
        if (again)
            restore(s, shot);
        else if (m > 1)
            predict(s, m);
        s->w.lambda = shot->lambda;
        PASS(work_solve(&s->w, tol, &outcome, err));
        PASS_MEM(save(s, shot, outcome));
        if (outcome == PARE_CANCELLED || outcome == PARE_TIME_LIMIT) *end = m + 1;
    }
    return PARE_OK;
}

/* Step 4: gaps over all features; *left: how many are too large. */
static pare_status certify(glm_solver *s, int64_t count, int64_t *left, pare_error *err) {
    price_point point[MAX_LAMBDAS];
    int64_t which[MAX_LAMBDAS], priced = 0;
    for (int64_t m = 0; m < count; m++) {
        if (s->shot[m].certified) continue;
        point[priced] = (price_point){.U = s->shot[m].U, .lambda = s->shot[m].lambda};
        which[priced++] = m;
    }
    *left = 0;
    if (priced == 0) return PARE_OK;
    PASS(prices_pass(&s->prices, point, priced, false, err));
    s->price_lambda = point[priced - 1].lambda;
    for (int64_t a = 0; a < priced; a++) {
        snapshot *shot = &s->shot[which[a]];
        double dual =
            work_dual(&s->w, shot->F, shot->U, shot->lambda, point[a].price, point[a].conjugate);
        shot->gap = shot->primal - dual;
        shot->certified = shot->gap <= s->p->tol_rel * fmax(fabs(shot->primal), fabs(dual));
        if (shot->certified) shot->outcome = PARE_OPTIMAL;
        *left += !shot->certified;
    }
    return PARE_OK;
}

/* Steps 2 to 4 for the lambdas of a stretch. */
static pare_status stretch(glm_solver *s, int64_t *count, pare_error *err) {
    double tol = INNER * s->p->tol_rel;
    PASS(refill(s, s->shot[*count - 1].lambda, err));
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        int64_t left, joined;
        PASS(solve_stretch(s, count, attempt > 0, tol, err));
        PASS(certify(s, *count, &left, err));
        pare_outcome last = s->shot[*count - 1].outcome;
        if (left == 0 || last == PARE_CANCELLED || last == PARE_TIME_LIMIT) break;
        PASS(join(s, 0, true, allowance(s), &joined, err));
        if (joined > 0) continue;
        if (tol * TIGHTER < MIN_TOL) break;
        tol *= TIGHTER;
    }
    return PARE_OK;
}

static bool reserve_point(glm_solver *s) {
    const pare_allocator *mem = ctx_allocator(s->ctx);
    int64_t count = s->w.cols.count;
    if (count <= s->seen_capacity && s->B) return true;
    bool fine = mem_resize(mem, &s->feature, count + 16, sizeof(int64_t)) &&
                mem_resize(mem, &s->B, (count + 16) * s->p->loss.c, sizeof(double));
    if (fine) s->seen_capacity = count + 16;
    return fine;
}

/* Equal shifts of all intercepts change nothing: fitted values are 0 in the mean over samples and
 * outputs, whatever the columns are shifted by. */
static double common_shift(const glm_solver *s, const snapshot *shot) {
    const glm_work *w = &s->w;
    int64_t c = s->p->loss.c;
    double sum = 0;
    if (c == 1 || !s->p->intercept) return 0;
    for (int64_t o = 0; o < c; o++) sum += shot->b[o];
    for (int64_t k = 0; k < shot->count; k++) {
        double row = 0;
        for (int64_t o = 0; o < c; o++) row += shot->B[k * c + o];
        held x = columns_at(&w->cols, k);
        if (row != 0) sum += row * held_dot(&x, s->p->loss.share);
    }
    return sum / (double)c;
}

/* The snapshot in the caller's form: features ascending, intercepts of the uncentred columns. */
static void report_point(glm_solver *s, const snapshot *shot, glm_point *out) {
    const glm_work *w = &s->w;
    int64_t c = s->p->loss.c, count = 0;
    double common = common_shift(s, shot);
    bool level = s->p->loss.kind->level;
    for (int64_t o = 0; o < c; o++) s->b[o] = shot->b[o] - common;
    for (int64_t b = 0; b < w->n_blocks; b++)
        for (int64_t k = w->first[b]; k < w->first[b + 1] && k < shot->count; k++) {
            bool active = penalty_free(w->pen, w->block[b]);
            for (int64_t o = 0; o < c; o++) active |= shot->B[k * c + o] != 0;
            if (!active) continue;
            for (int64_t o = 0; o < c && !level; o++)
                s->b[o] -= w->cols.rest[k] * shot->B[k * c + o];
            int64_t at = count++; /* by insertion: few are out of order */
            for (; at > 0 && s->feature[at - 1] > w->feature[k]; at--) {
                s->feature[at] = s->feature[at - 1];
                memcpy(s->B + at * c, s->B + (at - 1) * c, sizeof(double) * (size_t)c);
            }
            s->feature[at] = w->feature[k];
            memcpy(s->B + at * c, shot->B + k * c, sizeof(double) * (size_t)c);
        }
    *out = (glm_point){.lambda = shot->lambda,
                       .objective = shot->primal,
                       .loss = shot->loss,
                       .penalty = shot->penalty,
                       .gap = fmax(shot->gap, 0),
                       .n_features = count,
                       .feature = s->feature,
                       .B = s->B,
                       .b = s->b,
                       .U = shot->U,
                       .passes = s->prices.passes,
                       .steps = w->steps,
                       .products = w->products,
                       .outcome = shot->outcome};
}

/* Restarts from the null fit where that is nearer to lambda than the current point. */
static void start_anew(glm_solver *s, double lambda) {
    int64_t c = s->p->loss.c;
    if (s->p->penalty->some_free || !(s->null_loss < s->at_loss + lambda * s->at_penalty)) return;
    memset(s->w.B, 0, sizeof(double) * (size_t)(s->w.cols.count * c));
    memcpy(s->w.b, s->null_b, sizeof(double) * (size_t)c);
    s->w.fresh = false;
}

/* The number of lambdas to solve in a row. With several outputs, where solving costs more than a pass,
 * it ends where the strong rule wants several times the blocks that may join: lambdas below would
 * be solved on a working set that lacks most of theirs, and again on the next. */
static int64_t stretch_length(const glm_solver *s, const double *lambda, int64_t most) {
    int64_t length = 1;
    if (s->p->loss.c == 1) return most;
    for (; length < most; length++) {
        double least = (2 * lambda[length] - s->price_lambda) * s->p->penalty->alpha;
        int64_t wanted = 0;
        for (int64_t g = 0; g < s->p->penalty->n_blocks; g++)
            wanted += prices_last(&s->prices, g) > least;
        if (wanted > CROWD * allowance(s)) break;
    }
    return length;
}

pare_status glm_run(glm_solver *s, const double *lambda, int64_t count, glm_see *see, void *user,
                    pare_error *err) {
    bool stop = false;
    for (int64_t at = 0; at < count && !stop;) {
        int64_t length = count - at < MAX_LAMBDAS ? count - at : MAX_LAMBDAS, whole;
        length = whole = stretch_length(s, lambda + at, length);
        for (int64_t m = 0; m < length; m++) {
            s->shot[m].lambda = lambda[at + m];
            s->shot[m].certified = false;
            s->shot[m].gap = INFINITY;
        }
        start_anew(s, lambda[at]);
        PASS(stretch(s, &length, err));
        PASS_MEM(reserve_point(s));
        int64_t seen = 0;
        while (seen < length && !stop) {
            glm_point point;
            report_point(s, &s->shot[seen++], &point);
            PASS(see(user, &point, &stop, err));
        }
        restore(s, &s->shot[seen - 1]);
        s->at_loss = s->shot[seen - 1].loss;
        s->at_penalty = s->shot[seen - 1].penalty;
        at += length;
        stop |= length < whole;
    }
    return PARE_OK;
}

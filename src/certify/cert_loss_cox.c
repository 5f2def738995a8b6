/* The partial likelihood of Cox: -(1/n) sum over its terms. A term is an event i with its risk set,
 *     c ln(sum_j a_j exp(f_j)) - c f_i,   p_j = a_j exp(f_j) / sum
 *   breslow   c = the event's share, a_j = weight_j of all with a time not before its own
 *   efron     l-th (from 0) of m tied events: c their mean share, a_j = weight_j (1 - l/m) on the tied
 * U = -gradient = sum over terms c (e - p), e the unit vector of the event; efron: the shares of the
 * tied are dealt out to their m terms in row order. t U is a dual point through q = t p + (1 - t) e:
 *     -L*(-t U) = -sum over terms c sum_j q_j ln(q_j / a_j)
 * No dual is stored, since q does not follow from U. p is taken at f + X_K d, where d are Newton's
 * steps on the forced-in columns, which make X_K'U = 0 to rounding; of those with a sign and a
 * coefficient of 0 only what it could follow must be 0, and they stay out. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "certify/cert_glm.h"

enum { MAX_STEPS = 60, MAX_HALVINGS = 40 };
static const double MIN_SUM = 1e-290;  /* of the largest exp(f): less is no number to divide by */
static const double DONE = 1e-15;      /* of X_K'U, on scaled columns: another step gains nothing */
static const double ENOUGH = 1e-8;     /* of the same: what is left counts as a gain */
static const double DEPENDENT = 1e-11; /* of a diagonal entry: a column that follows from others */

/* A term; its event is sample `event`. */
typedef struct term {
    int64_t event;
    double c, part;   /* part: of the tied */
    double sum, mean; /* sum of a exp(f - top), and mean of f - top under p */
} term;

/* The samples of one time in one stratum: order[from .. to), those with an event first. */
typedef struct block {
    int64_t from, events, to; /* events: the end of those with one */
    int64_t first_term;
    bool begins; /* a stratum */
    double top;  /* the largest f of its stratum */
} block;

typedef struct cert_terms {
    int64_t n, n_blocks, n_terms;
    int64_t *order;
    block *block; /* stratum by stratum, the latest times first */
    term *term;
    double *f, *w; /* n: where p is, exp(f - top) times the weight */
    int64_t n_free;
    double *x; /* n x n_free: forced-in columns, scaled */
} cert_terms;

static double weight_of(const glm_cert *k, int64_t i) {
    return k->job->weight ? k->job->weight[i] : 1;
}

/* Samples of no stratum are of stratum 0. */
static int64_t stratum_of(const target *y, int64_t i) { return y->stratum ? y->stratum[i] : 0; }

/* The order of the blocks: by stratum, then by time from the latest, then events first, then rows. */
static void put_in_order(cert_terms *t, const target *y, ranked *by_time, int64_t *start) {
    for (int64_t i = 0; i < t->n; i++) {
        by_time[i] = (ranked){y->time[i], i};
        start[stratum_of(y, i) + 1]++;
    }
    sort_best_first(by_time, t->n);
    for (int64_t s = 1; s < y->n_strata; s++) start[s] += start[s - 1];
    for (int64_t from = 0, to; from < t->n; from = to) {
        for (to = from; to < t->n && by_time[to].key == by_time[from].key;) to++;
        for (int event = 1; event >= 0; event--)
            for (int64_t e = from; e < to; e++) {
                int64_t i = by_time[e].index;
                if ((y->event[i] != 0) == (event == 1)) t->order[start[stratum_of(y, i)]++] = i;
            }
    }
}

static void find_blocks(cert_terms *t, const target *y) {
    for (int64_t from = 0, to, last = -1; from < t->n; from = to) {
        int64_t i = t->order[from], own = stratum_of(y, i);
        block *b = &t->block[t->n_blocks++];
        *b = (block){.from = from, .first_term = t->n_terms, .begins = own != last};
        for (to = from;
             to < t->n && y->time[t->order[to]] == y->time[i] && stratum_of(y, t->order[to]) == own;
             to++)
            if (y->event[t->order[to]]) t->n_terms++;
        b->to = to;
        b->events = from + (t->n_terms - b->first_term);
        last = own;
    }
}

static void find_terms(glm_cert *k) {
    cert_terms *t = k->terms;
    for (int64_t q = 0; q < t->n_blocks; q++) {
        const block *b = &t->block[q];
        int64_t m = b->events - b->from;
        double shares = 0;
        for (int64_t e = b->from; e < b->events; e++) shares += k->s[t->order[e]];
        for (int64_t l = 0; l < m; l++) {
            int64_t i = t->order[b->from + l];
            t->term[b->first_term + l] = (term){.event = i,
                                                .c = k->efron ? shares / (double)m : k->s[i],
                                                .part = k->efron ? 1 - (double)l / (double)m : 1};
        }
    }
}

static pare_status open_terms(glm_cert *k, arena *mem, pare_error *err) {
    const target *y = k->job->y;
    int64_t n = k->n;
    cert_terms *t = k->terms = ARENA_ZERO(mem, cert_terms, 1);
    PASS_MEM(t);
    ranked *by_time = ARENA_NEW(mem, ranked, n);
    int64_t *start = ARENA_ZERO(mem, int64_t, y->n_strata + 1);
    t->n = n;
    t->order = ARENA_NEW(mem, int64_t, n);
    t->block = ARENA_NEW(mem, block, n);
    t->term = ARENA_NEW(mem, term, n);
    t->f = ARENA_NEW(mem, double, n);
    t->w = ARENA_NEW(mem, double, n);
    if (!by_time || !start || !t->order || !t->block || !t->term || !t->f || !t->w)
        return error_memory(err);
    put_in_order(t, y, by_time, start);
    find_blocks(t, y);
    find_terms(k);
    return PARE_OK;
}

/* The largest f of each stratum, at all of its blocks. */
static void find_tops(cert_terms *t, const double *f) {
    for (int64_t from = 0, to; from < t->n_blocks; from = to) {
        double top = -INFINITY;
        for (to = from; to < t->n_blocks && (to == from || !t->block[to].begins); to++)
            for (int64_t e = t->block[to].from; e < t->block[to].to; e++)
                top = fmax(top, f[t->order[e]]);
        for (int64_t q = from; q < to; q++) t->block[q].top = top;
    }
}

/* Sums and means of all terms at f. Returns the loss. */
static double evaluate(const glm_cert *k, const double *f) {
    cert_terms *t = k->terms;
    double all = 0, all_f = 0, loss = 0;
    find_tops(t, f);
    for (int64_t q = 0; q < t->n_blocks; q++) {
        const block *b = &t->block[q];
        double tied = 0, tied_f = 0;
        if (b->begins) all = all_f = 0;
        for (int64_t e = b->from; e < b->to; e++) {
            int64_t i = t->order[e];
            double w = t->w[i] = weight_of(k, i) * exp(f[i] - b->top);
            *(e < b->events ? &tied : &all) += w;
            *(e < b->events ? &tied_f : &all_f) += w * (f[i] - b->top);
        }
        for (int64_t l = 0; l < b->events - b->from; l++) {
            term *o = &t->term[b->first_term + l];
            o->sum = all + o->part * tied;
            o->mean = (all_f + o->part * tied_f) / o->sum;
            loss += o->sum > MIN_SUM ? o->c * log(o->sum) - k->s[o->event] * (f[o->event] - b->top)
                                     : INFINITY;
        }
        all += tied;
        all_f += tied_f;
    }
    return loss;
}

/* -gradient of the loss, from the earliest time to the latest. */
static void fill_U(const glm_cert *k, double *U) {
    const cert_terms *t = k->terms;
    double pull = 0; /* of the terms so far: sum of c / sum */
    for (int64_t q = t->n_blocks; q-- > 0;) {
        const block *b = &t->block[q];
        double later = pull, tied = pull;
        for (int64_t l = 0; l < b->events - b->from; l++) {
            const term *o = &t->term[b->first_term + l];
            later += o->c / o->sum;
            tied += o->part * o->c / o->sum;
        }
        for (int64_t e = b->from; e < b->to; e++) {
            int64_t i = t->order[e];
            U[i] = e < b->events ? k->s[i] - t->w[i] * tied : -t->w[i] * later;
        }
        pull = b->begins ? 0 : later;
    }
}

/* v becomes H v, H the second derivatives of the loss. */
static void curve(const glm_cert *k, double *v, double *mean) {
    const cert_terms *t = k->terms;
    double all = 0, pull = 0, along = 0;
    for (int64_t q = 0; q < t->n_blocks; q++) {
        const block *b = &t->block[q];
        double tied = 0;
        if (b->begins) all = 0;
        for (int64_t e = b->from; e < b->to; e++)
            *(e < b->events ? &tied : &all) += t->w[t->order[e]] * v[t->order[e]];
        for (int64_t l = 0; l < b->events - b->from; l++) {
            const term *o = &t->term[b->first_term + l];
            mean[b->first_term + l] = (all + o->part * tied) / o->sum;
        }
        all += tied;
    }
    for (int64_t q = t->n_blocks; q-- > 0;) {
        const block *b = &t->block[q];
        double later = pull, tied = pull, later_along = along, tied_along = along;
        for (int64_t l = 0; l < b->events - b->from; l++) {
            const term *o = &t->term[b->first_term + l];
            double c = o->c / o->sum, m = mean[b->first_term + l];
            later += c;
            tied += o->part * c;
            later_along += c * m;
            tied_along += o->part * c * m;
        }
        for (int64_t e = b->from; e < b->to; e++) {
            int64_t i = t->order[e];
            bool own = e < b->events;
            v[i] = t->w[i] * ((own ? tied : later) * v[i] - (own ? tied_along : later_along));
        }
        pull = b->begins ? 0 : later;
        along = b->begins ? 0 : later_along;
    }
}

/* Solves A d = g (m x m, symmetric) by a factor L D L'; directions without curvature stay at 0. */
static void solve(double *A, double *d, int64_t m) {
    double largest = 0;
    for (int64_t i = 0; i < m; i++) largest = fmax(largest, A[i * m + i]);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = j; i < m; i++)
            for (int64_t q = 0; q < j; q++)
                A[j * m + i] -= A[q * m + i] * A[q * m + j] * A[q * m + q];
        bool flat = !(A[j * m + j] > DEPENDENT * largest);
        for (int64_t i = j + 1; i < m; i++) A[j * m + i] = flat ? 0 : A[j * m + i] / A[j * m + j];
        if (flat) A[j * m + j] = 0;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t q = 0; q < i; q++) d[i] -= A[q * m + i] * d[q];
    for (int64_t i = 0; i < m; i++) d[i] = A[i * m + i] > 0 ? d[i] / A[i * m + i] : 0;
    for (int64_t i = m; i-- > 0;)
        for (int64_t q = i + 1; q < m; q++) d[i] -= A[i * m + q] * d[q];
}

static double dot(const double *a, const double *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Whether the coefficient of forced-in column j may be moved to both sides. */
static bool is_free(const cert_job *job, int64_t j, const int64_t *position) {
    if (!job->kept[j]) return false;
    bool zero = position[j] < 0 || job->coef[position[j]] == 0;
    return !(job->sign && job->sign[j] && zero);
}

/* Reads the forced-in columns. */
static pare_status read_free(glm_cert *k, cert_reader *reader, pare_error *err) {
    const cert_job *job = k->job;
    cert_terms *t = k->terms;
    cert_column x = {.x = ARENA_NEW(&reader->mem, double, k->n)};
    int64_t count = 0, *position = cert_positions(reader);
    PASS_MEM(x.x && position);
    for (int64_t i = 0; job->kept && i < job->n_cols; i++)
        count += is_free(job, job->cols ? job->cols[i] : i, position);
    PASS_MEM(t->x = ARENA_NEW(&reader->mem, double, k->n *count));
    for (int64_t i = 0; count > 0 && i < job->n_cols; i++) {
        int64_t j = job->cols ? job->cols[i] : i;
        if (!is_free(job, j, position)) continue;
        double *to = t->x + t->n_free++ * k->n;
        cert_column_read(reader, j, &x);
        for (int64_t r = 0; r < k->n; r++) to[r] = (x.x[r] - x.shift) * x.scale;
    }
    return PARE_OK;
}

/* Scratch of Newton's steps. */
typedef struct steps {
    double *A, *d, *v, *trial, *mean;
} steps;

/* One step from t->f, where U is. Returns false if none lowers the loss. */
static bool step(glm_cert *k, const steps *s, double *loss) {
    cert_terms *t = k->terms;
    int64_t n = k->n, m = t->n_free;
    for (int64_t a = 0; a < m; a++) {
        memcpy(s->v, t->x + a * n, sizeof *s->v * (size_t)n);
        curve(k, s->v, s->mean);
        for (int64_t b = a; b < m; b++) s->A[a * m + b] = dot(s->v, t->x + b * n, n);
    }
    solve(s->A, s->d, m);
    for (int64_t i = 0; i < n; i++) s->v[i] = 0;
    for (int64_t a = 0; a < m; a++)
        for (int64_t i = 0; i < n; i++) s->v[i] += s->d[a] * t->x[a * n + i];
    for (int halving = 0; halving < MAX_HALVINGS; halving++) {
        for (int64_t i = 0; i < n; i++) s->trial[i] = t->f[i] + ldexp(s->v[i], -halving);
        double now = evaluate(k, s->trial);
        if (!(now <= *loss + k->loss->nothing(k))) continue;
        *loss = now;
        memcpy(t->f, s->trial, sizeof *t->f * (size_t)n);
        return true;
    }
    return false;
}

/* Moves t->f along the forced-in columns until X_K'U is 0 to rounding. */
static pare_status settle(glm_cert *k, bool *fine, cert_reader *reader, pare_error *err) {
    cert_terms *t = k->terms;
    int64_t n = k->n, m = t->n_free;
    steps s;
    double loss = evaluate(k, t->f), before = INFINITY, size = 0;
    PASS_MEM(s.A = ARENA_NEW(&reader->mem, double, m *m));
    PASS_MEM(s.d = ARENA_NEW(&reader->mem, double, m));
    PASS_MEM(ARENA_NEWS(&reader->mem, double, n, &s.v, &s.trial, &s.mean));
    for (int i = 0; i < MAX_STEPS; i++) {
        size = 0;
        fill_U(k, k->U);
        for (int64_t a = 0; a < m; a++)
            size = fmax(size, fabs(s.d[a] = dot(k->U, t->x + a * n, n)));
        bool stalled = size <= ENOUGH && size >= before;
        if (size <= DONE || stalled || !step(k, &s, &loss)) break;
        before = size;
    }
    evaluate(k, t->f);
    fill_U(k, k->U);
    *fine = size <= ENOUGH;
    return PARE_OK;
}

static pare_status from_point(glm_cert *k, bool *fine, cert_reader *reader, pare_error *err) {
    PASS(open_terms(k, &reader->mem, err));
    PASS(cert_glm_values(k->terms->f, k->job, 1, reader, err));
    PASS(read_free(k, reader, err));
    return settle(k, fine, reader, err);
}

static double log_ratio(double q, double a) { return q > 0 ? q * log(q / a) : 0; }

/* What e in place of 0 adds to q ln(q / a) of sample i. */
static double extra(const glm_cert *k, const term *o, int64_t i, double e, double t) {
    double p = o->part * k->terms->w[i] / o->sum, a = o->part * weight_of(k, i);
    return log_ratio(t * p + (1 - t) * e, a) - log_ratio(t * p, a);
}

/* The sum of `extra` over the tied of a block in all of its terms: their shares, laid end to end, are
 * cut into pieces of length c. */
static double extras(const glm_cert *k, const block *b, double t) {
    const cert_terms *all = k->terms;
    double sum = 0, taken = 0; /* taken: of sample e */
    int64_t m = b->events - b->from, e = b->from;
    for (int64_t l = 0; l < m; l++) {
        const term *o = &all->term[b->first_term + l];
        if (!k->efron) {
            sum += o->c * extra(k, o, o->event, 1, t);
            continue;
        }
        for (double need = o->c; e < b->events;) {
            double there = k->s[all->order[e]] - taken;
            bool ends = l == m - 1 || there <= need; /* the sample, in this term */
            double piece = ends ? there : need;
            if (piece > 0) sum += o->c * extra(k, o, all->order[e], piece / o->c, t);
            need -= piece;
            taken = ends ? 0 : taken + piece;
            e += ends;
            if (!ends || (l < m - 1 && !(need > 0))) break;
        }
    }
    return sum;
}

static double dual(const glm_cert *k, double t) {
    const cert_terms *all = k->terms;
    double sum = 0;
    for (int64_t q = 0; q < all->n_blocks; q++) {
        const block *b = &all->block[q];
        for (int64_t l = 0; t > 0 && l < b->events - b->from; l++) {
            const term *o = &all->term[b->first_term + l];
            sum += o->c * t * (log(t) + o->mean - log(o->sum));
        }
        sum += extras(k, b, t);
    }
    return -sum;
}

static double value(const glm_cert *k) {
    double loss = evaluate(k, k->f);
    evaluate(k, k->terms->f); /* the terms stay those of U */
    return loss;
}

/* Rounding of the sums: of terms of size |f| and ln n. */
static double nothing(const glm_cert *k) {
    double size = 0;
    for (int64_t i = 0; i < k->n; i++) size += k->s[i] * fabs(k->terms->f[i]);
    return 4e-16 * (size + log((double)k->n + 1));
}

const cert_loss cert_cox = {
    .value = value, .dual = dual, .nothing = nothing, .from_point = from_point};

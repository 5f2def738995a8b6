/* -(1/n) log partial likelihood. P: w_i = v_i exp(f_i - the largest f of its stratum).
 *
 * Of term t of a block: c_t, and the probabilities p_tj = part_tj w_j / S_t over its risk set, part
 * below 1 on the tied with efron; S_t = sum of part w.
 *   L = sum_t c_t ln S_t - sum share_i f_i over the events
 *   U_j = share_j [event] - sum_t c_t p_tj
 *   H = diag(sum_t c_t p_t) - sum_t c_t p_t p_t'
 * Running sums from the latest to the earliest time give S_t and p_t'T; sums the other way the sums
 * over the terms whose risk sets have j. */
#include <math.h>

#include "solve/glm/loss.h"
#include "solve/glm/risk_sets.h"

double loss_least(const glm_loss *l) { return l->risk ? l->risk->least : 0; }

/* Of the largest exp(f) of a stratum: with less, the risks are so far apart that 1 / S^2 might not be a
 * number. No step goes there. */
static const double MIN_SUM = 1e-140;

/* Of the terms of a block: sum c / S, for the others and for the tied. */
typedef struct pull {
    double others, tied;
} pull;

static double mean_share(const glm_loss *l, const risk_block *b) {
    double sum = 0;
    for (int64_t e = b->from; e < b->others; e++) sum += l->share[l->risk->order[e]];
    return b->others > b->from ? sum / (double)risk_terms(l->risk, b) : 0;
}

/* rest and tied of all blocks of a stratum. */
static void add_up(const risk_sets *r, int64_t s, const double *P) {
    double sum = 0;
    for (int64_t k = r->first[s]; k < r->first[s + 1]; k++) {
        risk_block *b = &r->block[k];
        b->tied = 0;
        for (int64_t e = b->from; e < b->others; e++) b->tied += P[r->order[e]];
        for (int64_t e = b->others; e < b->to; e++) sum += P[r->order[e]];
        b->rest = sum;
        sum += b->tied;
    }
}

static double largest(const glm_loss *l, int64_t s, const double *F) {
    const risk_sets *r = l->risk;
    double top = -INFINITY;
    if (r->first[s] == r->first[s + 1]) return 0;
    int64_t end = r->block[r->first[s + 1] - 1].to;
    for (int64_t e = r->block[r->first[s]].from; e < end; e++)
        top = fmax(top, loss_argument(l, F, r->order[e]));
    return top;
}

static double cox_point(const glm_loss *l, const double *F, double *U, double *P,
                        double class_part[2]) {
    const risk_sets *r = l->risk;
    double loss = 0;
    (void)class_part;
    for (int64_t s = 0; s < r->n_strata; s++) {
        double top = largest(l, s, F);
        pull all = {0, 0};
        int64_t from = r->first[s], to = r->first[s + 1];
        if (from == to) continue;
        for (int64_t e = r->block[from].from; e < r->block[to - 1].to; e++) {
            int64_t i = r->order[e];
            P[i] = r->weight[i] * exp(loss_argument(l, F, i) - top);
        }
        add_up(r, s, P);
        for (int64_t k = to; k-- > from;) {
            const risk_block *b = &r->block[k];
            double c = mean_share(l, b);
            pull own = {0, 0};
            for (int64_t t = 0; t < risk_terms(r, b); t++) {
                double part = risk_part(r, b, t), S = b->rest + part * b->tied;
                loss += S > MIN_SUM ? c * log(S) : INFINITY;
                own.others += c / S;
                own.tied += part * c / S;
            }
            for (int64_t e = b->from; e < b->others; e++) {
                int64_t i = r->order[e];
                loss -= l->share[i] * (loss_argument(l, F, i) - top);
                U[i] = l->share[i] - P[i] * (all.others + own.tied);
            }
            all.others += own.others;
            for (int64_t e = b->others; e < b->to; e++)
                U[r->order[e]] = -P[r->order[e]] * all.others;
        }
    }
    return loss;
}

/* Of -L*(-t U): U belongs to probabilities p_t and unit vectors e_t, t U to q = t p + (1 - t) e:
 *     -sum_t c_t sum_j q_tj ln(q_tj / a_tj), a_tj = part_tj v_j,
 * where ln(t p_tj / a_tj) = ln t + f_j - ln S_t wherever e_tj is 0. e_t: the event of the term;
 * with efron the shares of the tied are dealt out to the m terms in row order. */
typedef struct dealt {
    const glm_loss *l;
    const risk_block *b;
    const double *F;
    double t, top, S, part, c;
} dealt;

static double log_ratio(double q, double a) { return q > 0 ? q * log(q / a) : 0; }

/* What a sample of the risk set that has e > 0 adds to sum_j q_j ln(q_j / a_j), less what it would
 * add with e = 0. */
static double extra(const dealt *d, int64_t i, double e) {
    double f = loss_argument(d->l, d->F, i) - d->top, a = d->part * d->l->risk->weight[i];
    double p = a * exp(f) / d->S;
    return log_ratio(d->t * p + (1 - d->t) * e, a) - log_ratio(d->t * p, a);
}

/* The terms of breslow: one for each event, and all with the same probabilities. */
static double extras_breslow(const dealt *d) {
    double sum = 0;
    for (int64_t e = d->b->from; e < d->b->others; e++) {
        int64_t i = d->l->risk->order[e];
        sum += d->l->share[i] * extra(d, i, 1);
    }
    return sum;
}

/* Term `term` of efron takes c of the shares: from sample *at, of which *left is still there. */
static double extras_efron(const dealt *d, int64_t term, int64_t *at, double *left) {
    double need = d->c, sum = 0;
    bool last = term == d->b->others - d->b->from - 1;
    while (*at < d->b->others) {
        int64_t i = d->l->risk->order[*at];
        double take = last ? *left : fmin(need, *left);
        if (take > 0) sum += d->c * extra(d, i, take / d->c);
        need -= take;
        *left -= take;
        if (!last && *left > 0) break;
        if (++*at < d->b->others) *left = d->l->share[d->l->risk->order[*at]];
        if (!last && !(need > 0)) break;
    }
    return sum;
}

static double cox_dual(const glm_loss *l, const double *F, const double *U, double t) {
    const risk_sets *r = l->risk;
    double sum = 0, ln_t = t > 0 ? log(t) : 0;
    for (int64_t s = 0; s < r->n_strata; s++) {
        dealt d = {.l = l, .F = F, .t = t, .top = largest(l, s, F)};
        double all = 0, all_f = 0; /* sums of w and of w f over the risk set */
        for (int64_t k = r->first[s]; k < r->first[s + 1]; k++) {
            const risk_block *b = d.b = &r->block[k];
            double own = 0, own_f = 0;
            for (int64_t e = b->from; e < b->to; e++) {
                int64_t i = r->order[e];
                double f = loss_argument(l, F, i) - d.top, w = r->weight[i] * exp(f);
                *(e < b->others ? &own : &all) += w;
                *(e < b->others ? &own_f : &all_f) += w * f;
            }
            d.c = mean_share(l, b);
            int64_t at = b->from;
            double left = b->from < b->others ? l->share[r->order[at]] : 0;
            for (int64_t term = 0; term < risk_terms(r, b); term++) {
                d.part = risk_part(r, b, term);
                d.S = all + d.part * own;
                double mean = (all_f + d.part * own_f) / d.S;
                if (t > 0) sum += d.c * t * (ln_t + mean - log(d.S));
                sum += r->efron ? extras_efron(&d, term, &at, &left) : extras_breslow(&d);
            }
            all += own;
            all_f += own_f;
        }
    }
    return -sum + loss_dual_offset(l, U, t);
}

static void cox_diagonal(const glm_loss *l, const double *P, double *h) {
    const risk_sets *r = l->risk;
    for (int64_t s = 0; s < r->n_strata; s++) {
        double first = 0, second = 0; /* sums of c / S and of c / S^2 over the terms */
        add_up(r, s, P);
        for (int64_t k = r->first[s + 1]; k-- > r->first[s];) {
            const risk_block *b = &r->block[k];
            double c = mean_share(l, b), tied_first = first, tied_second = second;
            for (int64_t t = 0; t < risk_terms(r, b); t++) {
                double part = risk_part(r, b, t), S = b->rest + part * b->tied;
                first += c / S;
                second += c / S / S;
                tied_first += part * c / S;
                tied_second += part * part * c / S / S;
            }
            for (int64_t e = b->from; e < b->to; e++) {
                double w = P[r->order[e]];
                bool tied = e < b->others;
                h[r->order[e]] = fmax(
                    w * (tied ? tied_first : first) - w * w * (tied ? tied_second : second), 0);
            }
        }
    }
}

static void cox_curve(const glm_loss *l, const double *P, double *T) {
    const risk_sets *r = l->risk;
    for (int64_t s = 0; s < r->n_strata; s++) {
        double sum = 0;
        add_up(r, s, P);
        for (int64_t k = r->first[s]; k < r->first[s + 1]; k++) {
            risk_block *b = &r->block[k];
            b->tied_sum = 0;
            for (int64_t e = b->from; e < b->others; e++)
                b->tied_sum += P[r->order[e]] * T[r->order[e]];
            for (int64_t e = b->others; e < b->to; e++) sum += P[r->order[e]] * T[r->order[e]];
            b->rest_sum = sum;
            sum += b->tied_sum;
        }
        double first = 0, along = 0; /* sums of c / S and of c / S p'T over the terms */
        for (int64_t k = r->first[s + 1]; k-- > r->first[s];) {
            const risk_block *b = &r->block[k];
            double c = mean_share(l, b), tied_first = first, tied_along = along;
            for (int64_t t = 0; t < risk_terms(r, b); t++) {
                double part = risk_part(r, b, t), S = b->rest + part * b->tied;
                double own = c / S, mean = (b->rest_sum + part * b->tied_sum) / S;
                first += own;
                along += own * mean;
                tied_first += part * own;
                tied_along += part * own * mean;
            }
            for (int64_t e = b->from; e < b->to; e++) {
                int64_t i = r->order[e];
                bool tied = e < b->others;
                T[i] = P[i] * ((tied ? tied_first : first) * T[i] - (tied ? tied_along : along));
            }
        }
    }
}

/* Its columns sum to 0 as they are. */
static double cox_balance(const glm_loss *l, bool sums, const double *F, const double *U,
                          const double class_part[2], double *D) {
    (void)sums;
    (void)F;
    (void)class_part;
    for (int64_t i = 0; i < l->n; i++) D[i] = U[i];
    return -INFINITY;
}

const loss_kind loss_cox = {
    .met = "the events come in the order of the risks, and the loss can hardly fall any more",
    .level = true,
    .point = cox_point,
    .dual = cox_dual,
    .diagonal = cox_diagonal,
    .curve = cox_curve,
    .balance = cox_balance};

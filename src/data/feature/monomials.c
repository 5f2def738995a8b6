#include "data/feature/monomials.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/builder.h"

static const double EXACT = 9007199254740992; /* 2^53 */

/* C(n, k) in floating point: exact below 2^53. */
static double choose(int64_t n, int64_t k) {
    double c = 1;
    for (int64_t i = 1; i <= k; i++) c = c * (double)(n - k + i) / (double)i;
    return c;
}

int64_t monomials_count(int64_t d, int64_t degree) {
    double count = choose(d + degree, degree) - 1;
    return count < EXACT ? (int64_t)count : -1;
}

int monomial_factors(int64_t d, int64_t index, int64_t of[MONOMIAL_DEGREE_MAX]) {
    int p = 1;
    int64_t left = index, at = 0;
    for (int64_t size = d; left >= size; size = (int64_t)choose(d + p - 1, p)) {
        left -= size;
        p++;
    }
    for (int k = 0; k < p; k++) { /* monomials with factor `at` here: C(d - at + rest - 1, rest) */
        int rest = p - k - 1;
        int64_t size = (int64_t)choose(d + rest - 1 - at, rest);
        while (left >= size) {
            left -= size;
            at++;
            size = (int64_t)choose(d + rest - 1 - at, rest);
        }
        of[k] = at;
    }
    return p;
}

/* Of degree p, those before it share the factors up to k - 1 and have a smaller one there:
 * C(d - v + rest - 1, rest) for each v, which sums to a difference of two of one more. */
int64_t monomial_number(int64_t d, const int64_t *of, int p) {
    int64_t number = p > 1 ? monomials_count(d, p - 1) : 0;
    for (int k = 0; k < p; k++) {
        int64_t rest = p - k - 1, from = k > 0 ? of[k - 1] : 0;
        number += (int64_t)(choose(d - from + rest, rest + 1) - choose(d - of[k] + rest, rest + 1));
    }
    return number;
}

double monomial_multiplicity(const int64_t *of, int p) {
    double orders = 1;
    for (int k = 0, run = 1; k < p; k++) {
        run = k > 0 && of[k] == of[k - 1] ? run + 1 : 1;
        orders = orders * (k + 1) / run;
    }
    return orders;
}

/* The next one of the same degree in `of`, or the first of the next degree. */
static int next(int64_t *of, int p, int64_t d) {
    int k = p - 1;
    while (k >= 0 && of[k] == d - 1) k--;
    int64_t value = k < 0 ? 0 : of[k] + 1;
    if (k < 0) p++;
    for (int l = k < 0 ? 0 : k; l < p; l++) of[l] = value;
    return p;
}

static pare_status add_name(data_builder *b, const pare_data *data, const int64_t *of, int p,
                            pare_error *err) {
    char text[1024], made_up[32];
    size_t at = 0;
    for (int k = 0; k < p;) {
        int power = 1;
        while (k + power < p && of[k + power] == of[k]) power++;
        const char *name = pare_data_name(data, of[k], made_up);
        int wrote =
            power > 1 ? snprintf(text + at, sizeof text - at, "%s%s^%d", k ? "*" : "", name, power)
                      : snprintf(text + at, sizeof text - at, "%s%s", k ? "*" : "", name);
        if (wrote < 0 || (size_t)wrote >= sizeof text - at)
            return error_set(err, PARE_E_DATA,
                             "the name of a monomial of \"%.64s...\" is longer than %zu bytes",
                             name, sizeof text);
        at += (size_t)wrote;
        k += power;
    }
    return strings_add(&b->data->names, &b->data->mem, text, (int64_t)at) ? PARE_OK
                                                                          : error_memory(err);
}

static pare_status copy_list(strings *to, const strings *from, const pare_allocator *mem,
                             pare_error *err) {
    for (int64_t i = 0; i < from->count; i++) {
        const char *text = strings_at(from, i);
        if (!strings_add(to, mem, text, (int64_t)strlen(text))) return error_memory(err);
    }
    return PARE_OK;
}

static pare_status copy_samples(data_builder *b, const pare_data *data, pare_error *err) {
    pare_data *out = b->data;
    PASS_MEM(target_column_take(&out->target, &data->target, NULL, data->x.n, &out->mem));
    PASS(copy_list(&out->ids, &data->ids, &out->mem, err));
    if (data->weight) {
        PASS_MEM(out->weight = mem_alloc(&out->mem, data->x.n, sizeof(double)));
        memcpy(out->weight, data->weight, sizeof(double) * (size_t)data->x.n);
    }
    return PARE_OK;
}

pare_status monomials_factors(double *out, const matrix *x, const pare_ctx *ctx, pare_error *err) {
    view all = view_all(x);
    walk w;
    column c;
    int64_t j;
    PASS(walk_open(&w, &all, NULL, x->d, ctx, err));
    while (walk_next(&w, &j, &c)) column_spread(&c, x->n, out + j * x->n);
    return walk_close(&w, err);
}

/* A monomial costs as much as its most expensive feature; only the monomial of degree 1 of a kept
 * feature is kept. */
static pare_status copy_terms(data_builder *b, const pare_data *data, int64_t count,
                              pare_error *err) {
    pare_data *out = b->data;
    int64_t d = data->x.d, of[MONOMIAL_DEGREE_MAX + 1] = {0};
    int p = 1;
    if (data->cost && !(out->cost = mem_zero(&out->mem, count, sizeof *out->cost)))
        return error_memory(err);
    if (data->kept && !(out->kept = mem_zero(&out->mem, count, sizeof *out->kept)))
        return error_memory(err);
    for (int64_t m = 0; (data->cost || data->kept) && m < count; m++, p = next(of, p, d)) {
        if (data->kept && m < d) out->kept[m] = data->kept[m];
        for (int k = 0; data->cost && k < p; k++)
            if (data->cost[of[k]] > out->cost[m]) out->cost[m] = data->cost[of[k]];
    }
    return PARE_OK;
}

enum { POLL_EVERY = 256 }; /* monomials: less than a thousandth of a second */

pare_status monomials_make(pare_data **out, const pare_data *data, int64_t degree,
                           const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    int64_t n = data->x.n, d = data->x.d, count = monomials_count(d, degree);
    char what[96];
    snprintf(what, sizeof what, "the monomials of degree 1 to %" PRId64 " of %" PRId64 " features",
             degree, d);
    double bytes = 8 * (double)n * (choose(d + degree, degree) - 1);
    if (count < 0 || bytes >= EXACT)
        return error_set(err, PARE_E_MEMORY, "%s would take %.3g GB", what, bytes * 1e-9);
    pare_status status = ctx_check_memory(ctx, bytes, what, err);
    if (status != PARE_OK) return status;
    data_builder b;
    TRY(data_begin(&b, ctx, err));
    status = data_alloc_dense(&b, n, count, what, ctx, err);
    if (status == PARE_E_MEMORY)
        status = error_set(err, PARE_E_MEMORY, "%s would take %.3g GB, more than there is", what,
                           bytes * 1e-9);
    if (status != PARE_OK) goto done;
    TRY(monomials_factors(b.fill.value, &data->x, ctx, err));
    double *value = b.fill.value;
    int64_t of[MONOMIAL_DEGREE_MAX + 1] = {0};
    int p = 1;
    for (int64_t m = 0; m < count; m++, p = next(of, p, d)) {
        double *to = value + m * n;
        for (int k = 0; k < p && p > 1; k++)
            for (int64_t i = 0; i < n; i++)
                to[i] = k == 0 ? value[of[k] * n + i] : to[i] * value[of[k] * n + i];
        TRY(add_name(&b, data, of, p, err));
        if (m % POLL_EVERY != 0) continue;
        interruption stop = ctx_poll(ctx, "monomials", (double)m / (double)count);
        if (stop == INTERRUPT_NONE) continue;
        status = error_set(err, stop == INTERRUPT_TIME ? PARE_E_DATA : PARE_E_CANCELLED,
                           "%s while %s were made, before any fit",
                           stop == INTERRUPT_TIME ? "the time limit came" : "stopped", what);
        goto done;
    }
    TRY(copy_samples(&b, data, err));
    TRY(copy_terms(&b, data, count, err));
    TRY(data_finish(out, &b, what, err));

done:
    data_abandon(&b);
    return status;
}

/* --- some of them --- */

monomial_list *monomial_list_new(int64_t d, int64_t count, bool z, const pare_allocator *mem) {
    monomial_list *list = mem_zero(mem, 1, sizeof *list);
    if (!list) return NULL;
    list->d = d;
    list->count = count;
    list->number = mem_alloc(mem, count, sizeof *list->number);
    if (z) list->z = mem_alloc(mem, count, sizeof *list->z);
    if (list->number && (list->z || !z)) return list;
    monomial_list_free(list, mem);
    return NULL;
}

void monomial_list_free(monomial_list *list, const pare_allocator *mem) {
    if (!list) return;
    mem_free(mem, list->number);
    mem_free(mem, list->z);
    mem_free(mem, list);
}

void monomial_values(double *to, const double *x, int64_t n, const int64_t *of, int p) {
    memcpy(to, x + of[0] * n, sizeof *to * (size_t)n);
    for (int k = 1; k < p; k++)
        for (int64_t i = 0; i < n; i++) to[i] *= x[of[k] * n + i];
}

bool monomials_exceed(char what[160], const pare_data *data, int64_t degree, const pare_ctx *ctx) {
    int64_t n = data->x.n, d = data->x.d;
    double bytes = 8 * (double)n * (choose(d + degree, degree) - 1);
    pare_error unused;
    snprintf(what, 160,
             "the monomials of degree 1 to %" PRId64 " of %" PRId64 " features would take %.3g GB",
             degree, d, bytes * 1e-9);
    return bytes >= EXACT || ctx_check_memory(ctx, bytes, "", &unused) != PARE_OK;
}

pare_status monomials_pick(pare_data **out, const pare_data *data, monomial_list *list,
                           const pare_ctx *ctx, pare_error *err) {
    static const char what[] = "the chosen monomials";
    *out = NULL;
    int64_t n = data->x.n, d = data->x.d, of[MONOMIAL_DEGREE_MAX];
    double *x = NULL;
    data_builder b = {0};
    pare_status status = data_begin(&b, ctx, err);
    if (status != PARE_OK) {
        monomial_list_free(list, ctx_allocator(ctx));
        goto done;
    }
    b.data->monomials = list;
    TRY(data_alloc_dense(&b, n, list->count, what, ctx, err));
    TRY_MEM(x = mem_alloc(ctx_allocator(ctx), n * d, sizeof *x));
    TRY(monomials_factors(x, &data->x, ctx, err));
    for (int64_t m = 0; m < list->count; m++) {
        int p = monomial_factors(d, list->number[m], of);
        monomial_values(b.fill.value + m * n, x, n, of, p);
        TRY(add_name(&b, data, of, p, err));
    }
    TRY(copy_samples(&b, data, err));
    TRY(data_finish(out, &b, what, err));
done:
    mem_free(ctx_allocator(ctx), x);
    data_abandon(&b);
    return status;
}

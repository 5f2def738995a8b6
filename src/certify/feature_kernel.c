#include "certify/feature_kernel.h"

#include "base/order.h"

#include <math.h>
#include <string.h>

/* The most distinct values that are found by a scan; that are summed pair by pair however long the
 * series is; and values that are not sorted for equal ones, if the kernel allows duplicates. */
enum { MAX_SCANNED = 16, MAX_PAIRWISE = 32, MAX_UNSORTED = 512 };
static const double PI = 3.14159265358979323846;
static const double TAIL = 40; /* exp(-40) vanishes in a double near 1 */

bool cert_feature_make(cert_feature *f, arena *mem, int64_t capacity, int64_t q) {
    f->capacity = capacity;
    f->q = q;
    f->value = ARENA_NEW(mem, double, capacity);
    f->code = ARENA_NEW(mem, int64_t, capacity);
    f->mass = ARENA_NEW(mem, double, capacity *q);
    f->applied = ARENA_NEW(mem, double, capacity *q);
    f->wave = ARENA_NEW(mem, double, 4 * capacity);
    f->tone = ARENA_NEW(mem, double, 2 * q);
    return f->value && f->code && f->mass && f->applied && f->wave && f->tone;
}

static bool few_values(cert_feature *f, const double *x, int64_t count) {
    f->u = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t g = 0;
        while (g < f->u && f->value[g] != x[i]) g++;
        if (g == MAX_SCANNED) return false;
        if (g == f->u) f->value[f->u++] = x[i];
        f->code[i] = g;
    }
    return true;
}

void cert_feature_values(cert_feature *f, const double *x, int64_t count) {
    bool few = few_values(f, x, count);
    if (!few && f->kind == CERT_RBF && count <= MAX_UNSORTED) {
        f->u = count;
        for (int64_t i = 0; i < count; i++) {
            f->value[i] = x[i];
            f->code[i] = i;
        }
    } else if (!few) {
        memcpy(f->value, x, sizeof *x * (size_t)count);
        sort_up(f->value, count);
        f->u = 1;
        for (int64_t i = 1; i < count; i++)
            if (f->value[i] != f->value[f->u - 1]) f->value[f->u++] = f->value[i];
        for (int64_t i = 0; i < count; i++) {
            int64_t low = 0, high = f->u - 1;
            while (low < high) {
                int64_t mid = (low + high) / 2;
                if (f->value[mid] < x[i])
                    low = mid + 1;
                else
                    high = mid;
            }
            f->code[i] = low;
        }
    }
    memset(f->mass, 0, sizeof *f->mass * (size_t)(f->u * f->q));
}

static void plain_pairs(cert_feature *f) {
    int64_t q = f->q;
    f->shift = 1;
    for (int64_t a = 0; a < f->u; a++)
        for (int64_t b = 0; b < a; b++) {
            double distance = f->value[a] - f->value[b], k = expm1(-f->gamma * distance * distance);
            for (int64_t c = 0; c < q; c++) {
                f->applied[a * q + c] += k * f->mass[b * q + c];
                f->applied[b * q + c] += k * f->mass[a * q + c];
            }
        }
}

/* One more frequency: cos and sin of k w (x - low) from those of (k - 1) w. */
static void next_wave(double *cosine, double *sine, const double *cos1, const double *sin1,
                      int64_t u) {
    for (int64_t g = 0; g < u; g++) {
        double next = cosine[g] * cos1[g] - sine[g] * sin1[g];
        sine[g] = sine[g] * cos1[g] + cosine[g] * sin1[g];
        cosine[g] = next;
    }
}

/* On values within a range R the kernel is, to rounding, the sum of c_k cos(k w (x - y)), with a
 * period 2 pi / w = R + the kernel's reach and c_k from its Fourier transform, all above 0: so
 * forms are sums of squares. */
static void cosine_series(cert_feature *f, double low, double period, int64_t terms, double *form) {
    int64_t u = f->u, q = f->q;
    double w = 2 * PI / period, *cosine = f->wave, *sine = cosine + u, *cos1 = sine + u,
           *sin1 = cos1 + u, *even = f->tone, *odd = even + q;
    for (int64_t g = 0; g < u; g++) {
        cos1[g] = cos(w * (f->value[g] - low));
        sin1[g] = sin(w * (f->value[g] - low));
        cosine[g] = 1;
        sine[g] = 0;
    }
    f->shift = 0;
    for (int64_t c = 0; c < q; c++) form[c] = 0;
    for (int64_t k = 0; k < terms; k++) {
        double frequency = (double)k * w, coef = (k == 0 ? 1 : 2) / period * sqrt(PI / f->gamma) *
                                                 exp(-frequency * frequency / (4 * f->gamma));
        for (int64_t c = 0; c < q; c++) even[c] = odd[c] = 0;
        for (int64_t g = 0; g < u; g++)
            for (int64_t c = 0; c < q; c++) {
                even[c] += f->mass[g * q + c] * cosine[g];
                odd[c] += f->mass[g * q + c] * sine[g];
            }
        for (int64_t c = 0; c < q; c++) form[c] += coef * (even[c] * even[c] + odd[c] * odd[c]);
        for (int64_t g = 0; !f->forms_only && g < u; g++)
            for (int64_t c = 0; c < q; c++)
                f->applied[g * q + c] += coef * (even[c] * cosine[g] + odd[c] * sine[g]);
        next_wave(cosine, sine, cos1, sin1, u);
    }
}

/* returns true if the forms are computed already */
static bool rbf_apply(cert_feature *f, double *form) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t g = 0; g < f->u; g++) {
        low = fmin(low, f->value[g]);
        high = fmax(high, f->value[g]);
    }
    double period = high - low + sqrt(TAIL / f->gamma);
    double terms = ceil(sqrt(4 * TAIL * f->gamma) * period / (2 * PI)) + 1;
    bool plain = f->u <= MAX_PAIRWISE || !(terms < (double)f->u / 4) ||
                 f->gamma * (high - low) * (high - low) < 0.1;
    if (plain)
        plain_pairs(f);
    else
        cosine_series(f, low, period, (int64_t)terms, form);
    return !plain;
}

void cert_feature_apply(cert_feature *f, double *form) {
    int64_t q = f->q;
    memset(f->applied, 0, sizeof *f->applied * (size_t)(f->u * q));
    f->shift = 0;
    if (f->kind == CERT_RBF) {
        if (rbf_apply(f, form)) return;
    } else if (f->kind == CERT_DELTA) {
        memcpy(f->applied, f->mass, sizeof *f->mass * (size_t)(f->u * q));
    } else {
        for (int64_t c = 0; c < q; c++) {
            double sum = 0;
            for (int64_t g = 0; g < f->u; g++) sum += f->mass[g * q + c] * (f->value[g] - f->mean);
            for (int64_t g = 0; g < f->u; g++)
                f->applied[g * q + c] = sum * (f->value[g] - f->mean);
        }
    }
    for (int64_t c = 0; c < q; c++) {
        form[c] = 0;
        for (int64_t g = 0; g < f->u; g++) form[c] += f->mass[g * q + c] * f->applied[g * q + c];
    }
}

void cert_spread(const double *x, const double *weight, int64_t n, double *mean, double *squares) {
    double total = 0;
    *mean = *squares = 0;
    for (int64_t i = 0; i < n; i++) total += weight ? weight[i] : 1;
    for (int64_t i = 0; i < n; i++) *mean += (weight ? weight[i] : 1) / total * x[i];
    for (int64_t i = 0; i < n; i++)
        *squares += (weight ? weight[i] : 1) * (x[i] - *mean) * (x[i] - *mean);
}

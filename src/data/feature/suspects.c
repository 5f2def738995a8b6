#include "data/feature/suspects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"

/* The farthest first: a nearer code is compared without it. */
static const double codes[N_SUSPECTS] = {-9999, 9999, -999, 999, -99, 99, -9, 9};

double suspect_code(int k) { return codes[k]; }

static unsigned codes_in(const double *value, int64_t n) {
    unsigned found = 0;
    for (int64_t i = 0; i < n; i++) {
        double size = fabs(value[i]);
        if (size != 9 && size != 99 && size != 999 && size != 9999) continue;
        for (int k = 0; k < N_SUSPECTS; k++) found |= (unsigned)(value[i] == codes[k]) << k;
    }
    return found;
}

/* Whether code k is that far from all values but itself and the suspects before it. */
static bool is_far(const double *value, int64_t n, int k, unsigned before) {
    double least = INFINITY, largest = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        bool other = !isnan(value[i]) && value[i] != codes[k];
        for (int q = 0; other && before && q < k; q++)
            other = !((before >> q & 1) && value[i] == codes[q]);
        if (!other) continue;
        least = fmin(least, value[i]);
        largest = fmax(largest, value[i]);
    }
    double away = codes[k] > largest ? codes[k] - largest : least - codes[k];
    return least < largest && away > 3 * (largest - least);
}

unsigned suspects_in(const double *value, int64_t n) {
    unsigned there = codes_in(value, n), found = 0;
    for (int k = 0; there && k < N_SUSPECTS; k++)
        if ((there >> k & 1) && is_far(value, n, k, found)) found |= 1u << k;
    return found;
}

enum { MAX_NAMED = 3 };

typedef struct suspect {
    int64_t columns, first[MAX_NAMED];
} suspect;

static void warn(const suspect *s, double code, const pare_data *data, const char *where,
                 const pare_ctx *ctx) {
    char names[256] = "", made_up[32];
    for (int64_t q = 0; q < s->columns && q < MAX_NAMED; q++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s\"%.60s\"", q ? ", " : "",
                 pare_data_name(data, s->first[q], made_up));
    }
    ctx_log(ctx, PARE_LOG_WARNING,
            "%s: %" PRId64 " columns (%s%s) have the value %g far from all others, as codes of "
            "missing values are: `na` %g takes it for missing",
            where, s->columns, names, s->columns > MAX_NAMED ? ", ..." : "", code, code);
}

pare_status suspects_warn(const pare_data *data, const char *where, const pare_ctx *ctx,
                          pare_error *err) {
    suspect found[N_SUSPECTS] = {0};
    view all = view_all(&data->x);
    walk w;
    column c;
    int64_t j;
    if (mat_is_sparse(&data->x) || !mat_in_memory(&data->x)) return PARE_OK;
    pare_status status = walk_open(&w, &all, NULL, all.d, ctx, err);
    while (status == PARE_OK && walk_next(&w, &j, &c)) {
        unsigned bits = c.index ? 0 : suspects_in(c.value, c.count);
        for (int k = 0; bits && k < N_SUSPECTS; k++) {
            if (!(bits >> k & 1)) continue;
            if (found[k].columns < MAX_NAMED) found[k].first[found[k].columns] = j;
            found[k].columns++;
        }
    }
    status = walk_end(&w, status, err);
    for (int k = 0; status == PARE_OK && k < N_SUSPECTS; k++)
        if (found[k].columns >= MIN_SUSPECT_COLUMNS) warn(&found[k], codes[k], data, where, ctx);
    return status;
}

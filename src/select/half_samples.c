#include "select/half_samples.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/number.h"
#include "data/sample/folds.h"

enum { PURPOSE_HALF_SAMPLES = 0x68616c66, MIN_CLASS_SIZE = 2, NEITHER = -1 };

static int64_t class_of(const target *y, int64_t i) { return y->cls ? y->cls[i] : 0; }
static int64_t classes_of(const target *y) { return y->cls ? y->n_classes : 1; }

static pare_status too_small(const target *y, int64_t c, int64_t count, pare_error *err) {
    if (!y->cls)
        return error_set(err, PARE_E_DATA,
                         "`error_control` halves the samples, and %" PRId64
                         " are too few: at least %d are needed",
                         count, 2 * MIN_CLASS_SIZE);
    return error_set(err, PARE_E_DATA,
                     "`error_control` halves the samples, and class \"%.64s\" with its %" PRId64
                     " is too small: every class needs at least %d",
                     y->classes[c], count, 2 * MIN_CLASS_SIZE);
}

/* Class by class in random order, one to each half-sample in turn; the last of an odd number to
 * none. */
static void deal(int32_t *half, int64_t *order, int64_t *seen, const int64_t *count,
                 const target *y, int64_t n, uint64_t seed) {
    rng r;
    rng_seed(&r, seed, PURPOSE_HALF_SAMPLES);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    rng_shuffle(&r, order, n);
    for (int64_t c = 0; c < classes_of(y); c++) seen[c] = 0;
    for (int64_t q = 0; q < n; q++) {
        int64_t c = class_of(y, order[q]), at = seen[c]++;
        half[order[q]] = at < count[c] / 2 * 2 ? (int32_t)(at % 2) : NEITHER;
    }
}

static pare_status add_half(cv_part *out, arena *mem, const int32_t *half, int32_t own,
                            const target *y, int64_t n, int64_t *seen, pare_error *err) {
    int64_t size = 0;
    for (int64_t c = 0; c < classes_of(y); c++) seen[c] = 0;
    for (int64_t i = 0; i < n; i++) size += half[i] == own;
    int32_t *rows = ARENA_NEW(mem, int32_t, size);
    if (!rows) return error_memory(err);
    *out = (cv_part){.train = rows, .test = rows, .n_train = size};
    size = 0;
    for (int32_t i = 0; i < n; i++) {
        if (half[i] != own) continue;
        rows[size++] = i;
        seen[class_of(y, i)]++;
    }
    for (int64_t c = 0; c < classes_of(y); c++) /* only groups can cause this */
        if (seen[c] < MIN_CLASS_SIZE)
            return error_set(err, PARE_E_DATA,
                             "`error_control` halves the samples, but the groups, each kept in one "
                             "half-sample, leave a half-sample with %" PRId64
                             " sample%s of class \"%.64s\"",
                             seen[c], PLURAL(seen[c]), y->cls ? y->classes[c] : "");
    return PARE_OK;
}

pare_status half_samples_draw(cv_part **out, arena *mem, const target *y, const int32_t *group,
                              int64_t n, int64_t pairs, uint64_t seed, const pare_ctx *ctx,
                              pare_error *err) {
    int64_t classes = classes_of(y);
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t *count = ARENA_ZERO(&scratch, int64_t, classes),
            *seen = ARENA_NEW(&scratch, int64_t, classes);
    int64_t *order = ARENA_NEW(&scratch, int64_t, n);
    int32_t *half = ARENA_NEW(&scratch, int32_t, n);
    TRY_MEM(count && seen && order && half);
    TRY_MEM(*out = ARENA_NEW(mem, cv_part, 2 * pairs));
    for (int64_t i = 0; i < n; i++) count[class_of(y, i)]++;
    for (int64_t c = 0; c < classes; c++)
        if (count[c] < 2 * MIN_CLASS_SIZE) TRY(too_small(y, c, count[c], err));
    for (int64_t b = 0; b < pairs; b++) {
        uint64_t own = plan_seed(seed, PURPOSE_HALF_SAMPLES + (uint64_t)b);
        if (group)
            TRY(folds_make(half, n, 2, y->cls, group, own, ctx, err));
        else
            deal(half, order, seen, count, y, n, own);
        for (int32_t side = 0; side < 2; side++)
            TRY(add_half(&(*out)[2 * b + side], mem, half, side, y, n, seen, err));
    }
done:
    arena_free(&scratch);
    return status;
}

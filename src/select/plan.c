#include "select/plan.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/number.h"
#include "data/sample/folds.h"
#include "data/format/lines.h"

uint64_t plan_seed(uint64_t seed, uint64_t purpose) {
    rng r;
    rng_seed(&r, seed, purpose);
    return rng_next(&r);
}

/* The samples of a plan by position, with their classes and groups. */
typedef struct pool {
    int64_t n;
    const int32_t *rows; /* NULL: all */
    int32_t *kind, *group;
    int64_t n_kinds;
    int32_t *fold; /* scratch */
    bool *train;   /* scratch */
} pool;

static int32_t row_of(const pool *p, int64_t i) { return p->rows ? p->rows[i] : (int32_t)i; }

/* Groups numbered 0, 1, ... within the pool, as folds_make wants them. */
static pare_status take_groups(pool *p, arena *mem, const int32_t *group, pare_error *err) {
    int32_t largest = 0, next = 0;
    for (int64_t i = 0; i < p->n; i++)
        if (group[row_of(p, i)] > largest) largest = group[row_of(p, i)];
    int32_t *number = ARENA_NEW(mem, int32_t, (int64_t)largest + 1);
    p->group = ARENA_NEW(mem, int32_t, p->n);
    if (!number || !p->group) return error_memory(err);
    for (int64_t g = 0; g <= largest; g++) number[g] = -1;
    for (int64_t i = 0; i < p->n; i++) {
        int32_t g = group[row_of(p, i)];
        if (number[g] < 0) number[g] = next++;
        p->group[i] = number[g];
    }
    return PARE_OK;
}

static pare_status pool_open(pool *p, arena *mem, const cv_request *q, const target *y,
                             const int32_t *rows, int64_t n, pare_error *err) {
    *p = (pool){.n = n, .rows = rows};
    p->fold = ARENA_NEW(mem, int32_t, n);
    p->train = ARENA_NEW(mem, bool, n);
    if (!p->fold || !p->train) return error_memory(err);
    const int32_t *kind = target_kinds(y, &p->n_kinds);
    if (kind) {
        p->kind = ARENA_NEW(mem, int32_t, n);
        if (!p->kind) return error_memory(err);
        for (int64_t i = 0; i < n; i++) p->kind[i] = kind[row_of(p, i)];
    }
    return q->group && !q->given ? take_groups(p, mem, q->group, err) : PARE_OK;
}

/* folds_make knows strata by number only. */
static pare_status check_counts(const pool *p, int64_t folds, const target *y, pare_error *err) {
    char name[KIND_NAME_SIZE];
    for (int32_t c = 0; p->kind && c < p->n_kinds; c++) {
        if (!target_needs(y, c)) continue;
        int64_t count = 0;
        for (int64_t i = 0; i < p->n; i++) count += p->kind[i] == c;
        if (count < folds)
            return error_set(err, PARE_E_DATA,
                             "%s has %" PRId64 " sample%s, too few for %" PRId64
                             " folds: ask for fewer with `folds`",
                             target_kind_name(name, y, c), count, PLURAL(count), folds);
    }
    return PARE_OK;
}

/* Appends the split whose training samples are marked. */
static pare_status add_part(cv_plan *out, arena *mem, const pool *p, const target *y,
                            pare_error *err) {
    cv_part *part = &out->part[out->count];
    int32_t *rows = ARENA_NEW(mem, int32_t, p->n);
    if (!rows) return error_memory(err);
    int64_t n_train = 0, at_test;
    for (int64_t i = 0; i < p->n; i++) n_train += p->train[i];
    at_test = n_train;
    *part = (cv_part){.train = rows, .test = rows + n_train, .n_train = n_train};
    part->n_test = p->n - n_train;
    int64_t at_train = 0;
    for (int64_t i = 0; i < p->n; i++) rows[p->train[i] ? at_train++ : at_test++] = row_of(p, i);
    int64_t n_kinds;
    char name[KIND_NAME_SIZE];
    const int32_t *kind = target_kinds(y, &n_kinds);
    for (int32_t c = 0; kind && c < n_kinds; c++) {
        if (!target_needs(y, c)) continue;
        int64_t count = 0;
        for (int64_t i = 0; i < n_train; i++) count += kind[rows[i]] == c;
        if (count == 0)
            return error_set(err, PARE_E_DATA,
                             "part %" PRId64
                             " of the cross-validation has no sample of %s to train on",
                             out->count + 1, target_kind_name(name, y, c));
    }
    if (n_train == 0 || part->n_test == 0)
        return error_set(err, PARE_E_DATA,
                         "part %" PRId64 " of the cross-validation has no samples to %s on",
                         out->count + 1, n_train == 0 ? "train" : "test");
    out->count++;
    out->ratio += (double)part->n_test / (double)n_train;
    return PARE_OK;
}

static pare_status add_folds(cv_plan *out, arena *mem, pool *p, int64_t folds, const target *y,
                             pare_error *err) {
    for (int32_t f = 0; f < folds; f++) {
        int64_t n_train = 0;
        for (int64_t i = 0; i < p->n; i++) n_train += p->train[i] = p->fold[i] != f;
        if (n_train < p->n) PASS(add_part(out, mem, p, y, err));
    }
    return PARE_OK;
}

/* A split with the given roles; samples that are left out are in no pool. */
static pare_status add_given(cv_plan *out, arena *mem, const pool *all, const int8_t *role,
                             const target *y, arena *scratch, pare_error *err) {
    pool p = *all;
    int32_t *rows = ARENA_NEW(scratch, int32_t, all->n);
    if (!rows) return error_memory(err);
    p.rows = rows;
    p.n = 0;
    for (int32_t i = 0; i < all->n; i++) {
        if (role[i] == PART_OUT) continue;
        p.train[p.n] = role[i] == PART_TRAIN;
        rows[p.n++] = i;
    }
    return add_part(out, mem, &p, y, err);
}

pare_status plan_make(cv_plan *out, arena *mem, const cv_request *q, const target *y,
                      const int32_t *rows, int64_t n, uint64_t seed, const pare_ctx *ctx,
                      pare_error *err) {
    *out = (cv_plan){0};
    pool p;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    int64_t capacity = q->role         ? q->n_parts
                       : q->given      ? q->n_given
                       : q->splits > 0 ? q->splits
                                       : q->folds * q->repeats;

    TRY(pool_open(&p, &scratch, q, y, rows, n, err));
    TRY_MEM(out->part = ARENA_NEW(mem, cv_part, capacity));
    if (q->role) {
        for (int64_t s = 0; s < q->n_parts; s++)
            TRY(add_given(out, mem, &p, q->role + s * n, y, &scratch, err));
    } else if (q->given) {
        for (int64_t i = 0; i < n; i++) p.fold[i] = q->given[row_of(&p, i)];
        TRY(add_folds(out, mem, &p, q->n_given, y, err));
    } else if (q->splits > 0) {
        for (int64_t s = 0; s < q->splits; s++) {
            TRY(folds_split(p.train, n, q->n_train, p.kind, plan_seed(seed, (uint64_t)s), ctx,
                            err));
            TRY(add_part(out, mem, &p, y, err));
        }
    } else {
        TRY(check_counts(&p, q->folds, y, err));
        for (int64_t r = 0; r < q->repeats; r++) {
            TRY(folds_make(p.fold, n, q->folds, p.kind, p.group, plan_seed(seed, (uint64_t)r), ctx,
                           err));
            TRY(add_folds(out, mem, &p, q->folds, y, err));
        }
    }
    out->ratio /= (double)out->count;

done:
    arena_free(&scratch);
    return status;
}

pare_status plan_number(int32_t *number, int64_t *count, const strings *names, const pare_ctx *ctx,
                        pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    strings_index index;
    int64_t duplicate;
    *count = 0;
    if (!strings_index_make(&index, names, mem, &duplicate)) return error_memory(err);
    for (int64_t i = 0; i < names->count; i++) {
        const char *name = strings_at(names, i);
        int64_t first = strings_index_find(&index, name, (int64_t)strlen(name));
        number[i] = first == i ? (int32_t)(*count)++ : number[first];
    }
    strings_index_free(&index, mem);
    return PARE_OK;
}

pare_status plan_read(int32_t *fold, int64_t n, int64_t *count, const char *path,
                      const pare_ctx *ctx, pare_error *err) {
    const pare_allocator *mem = ctx_allocator(ctx);
    stream s = {0};
    lines l;
    strings names = {0};
    bool more, blank = false;
    pare_status status;
    TRY(stream_open(&s, path, ctx, err));
    TRY(lines_begin(&l, &s, err));
    for (;;) {
        TRY(lines_next(&l, &more, err));
        if (!more) break;
        if (l.length > 0 && (blank || names.count == n)) {
            status = place_error(err, &l.at, "%s",
                                 blank ? "a line behind an empty one"
                                       : "more folds than the data have samples");
            goto done;
        }
        blank |= l.length == 0;
        if (!blank) TRY_MEM(strings_add(&names, mem, l.text, l.length));
    }
    if (names.count != n) {
        status = error_set(err, PARE_E_DATA,
                           "%.256s has a fold for %" PRId64 " samples, but the data have %" PRId64,
                           path, names.count, n);
        goto done;
    }
    TRY(plan_number(fold, count, &names, ctx, err));
    if (*count < 2)
        status =
            error_set(err, PARE_E_DATA, "%.256s names one fold only, two or more are needed", path);
done:
    strings_free(&names, mem);
    if (s.mem) stream_close(&s);
    return status;
}

/* X'u and statistics of genotypes straight from their two bits a sample, without a number for each.
 *
 * CODES  two bits, the first sample lowest: 0 is 2 copies of allele 1, 1 missing, 2 is 1 copy,
 *        3 none.
 * X'u    a column is scale (sum_i g_i u_i + fill sum_missing u_i - shift sum u_i), g the copies,
 *        0 where missing. Two samples make one of 16 nibbles, whose part of either sum is looked
 *        up: tables of 8 n numbers that stay in the first caches. Samples outside the view get
 *        u = 0.
 * STATS  how often each code occurs, by counting bits; sums of such few values follow exactly.
 *
 * Both agree with products of doubles to rounding, not in bits. Squares, weights and repeated
 * samples have no such form: these go through doubles as in any other kind (tile.h). */
#include "la/kind/packed.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "la/product/tile.h"

enum { RUN = 64 }; /* columns that are read together */
enum {
    NIBBLES = 16,
    MAX_ANNOTATIONS = 8,   /* right-hand sides, while their tables fit into a cache */
    MIN_TABLE_COLUMNS = 16 /* columns from which on tables pay */
};
static const uint64_t LOW = 0x5555555555555555; /* the lower bit of every code */

/* ---- X'u ---- */

/* What a nibble adds to a sum: two tables after each other for each right-hand side. */
typedef struct tables {
    int64_t bytes;   /* of a column */
    double *copies;  /* [byte][half][nibble] of sum g u */
    double *missing; /* of the sum of u over missing samples */
    double total;    /* sum u */
} tables;

static double copies_of(int code) { return code == 0 ? 2 : code == 2 ? 1 : 0; }

/* u: of every sample of the matrix, 0 beyond the last up to a whole byte. */
static void tables_fill(tables *t, const double *u) {
    t->total = 0;
    for (int64_t i = 0; i < 4 * t->bytes; i++) t->total += u[i];
    for (int64_t h = 0; h < 2 * t->bytes; h++)
        for (int v = 0; v < NIBBLES; v++) {
            int a = v & 3, b = v >> 2;
            t->copies[h * NIBBLES + v] = copies_of(a) * u[2 * h] + copies_of(b) * u[2 * h + 1];
            t->missing[h * NIBBLES + v] = (a == 1 ? u[2 * h] : 0) + (b == 1 ? u[2 * h + 1] : 0);
        }
}

static double look_up(const double *table, const unsigned char *x, int64_t bytes) {
    double s[4] = {0};
    int64_t b = 0;
    for (; b + 2 <= bytes; b += 2, table += 4 * NIBBLES) {
        s[0] += table[x[b] & 15];
        s[1] += table[NIBBLES + (x[b] >> 4)];
        s[2] += table[2 * NIBBLES + (x[b + 1] & 15)];
        s[3] += table[3 * NIBBLES + (x[b + 1] >> 4)];
    }
    if (b < bytes) {
        s[0] += table[x[b] & 15];
        s[1] += table[NIBBLES + (x[b] >> 4)];
    }
    return (s[0] + s[2]) + (s[1] + s[3]);
}

static uint64_t word_at(const unsigned char *x, int64_t bytes, int64_t at) {
    uint64_t word = 0;
    int64_t count = min64(8, bytes - at);
    if (count == 8) /* one load where machine and file have the same byte order */
        for (int b = 0; b < 8; b++) word |= (uint64_t)x[at + b] << (8 * b);
    else
        for (int64_t b = 0; b < count; b++) word |= (uint64_t)x[at + b] << (8 * b);
    return word;
}

static bool has_missing(const unsigned char *x, int64_t bytes) {
    uint64_t any = 0;
    for (int64_t at = 0; at < bytes; at += 8) {
        uint64_t word = word_at(x, bytes, at);
        any |= word & ~(word >> 1) & LOW;
    }
    return any != 0;
}

static double column_product(const unsigned char *x, const tables *t, bool gaps, transform how) {
    double sum = look_up(t->copies, x, t->bytes) - how.shift * t->total;
    if (gaps) sum += how.fill * look_up(t->missing, x, t->bytes);
    return how.scale * sum;
}

/* ---- both ---- */

/* Reads view columns first .. last - 1 into the buffer, neighbours in the file together; zeros
 * where that fails. */
static void read_run(const view *v, int64_t first, int64_t last, int64_t pitch, unsigned char *to,
                     failure *failed) {
    for (int64_t j = first, run; j < last; j += run) {
        pare_error error;
        for (run = 1; j + run < last && view_base(v, j + run) == view_base(v, j) + run;) run++;
        pare_status status =
            packed_read(v->x, view_base(v, j), run, to + (j - first) * pitch, &error);
        if (status == PARE_OK) continue;
        failure_note(failed, status, &error);
        memset(to, 0, (size_t)((last - first) * pitch));
        return;
    }
}

/* The tables of all right-hand sides. */
static pare_status tables_make(tables *t, const view *v, const double *U, int64_t c, arena *mem,
                               pare_error *err) {
    int64_t bytes = (v->x->n + 3) / 4;
    double *wide = ARENA_NEW(mem, double, 4 * bytes);
    if (!wide) return error_memory(err);
    for (int64_t k = 0; k < c; k++) {
        t[k] = (tables){.bytes = bytes};
        t[k].copies = ARENA_NEW(mem, double, 2 * bytes * NIBBLES);
        t[k].missing = ARENA_NEW(mem, double, 2 * bytes * NIBBLES);
        if (!t[k].copies || !t[k].missing) return error_memory(err);
        memset(wide, 0, (size_t)(4 * bytes) * sizeof *wide);
        for (int64_t i = 0; i < v->n; i++) wide[v->rows ? v->rows[i] : i] += U[k * v->n + i];
        tables_fill(&t[k], wide);
    }
    return PARE_OK;
}

pare_status genotype_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                          const pare_ctx *ctx, pare_error *err) {
    if (squared || c > MAX_ANNOTATIONS || v->d < MIN_TABLE_COLUMNS)
        return tile_tmul(v, U, c, squared, out, ctx, err);
    pare_status status = PARE_OK;
    failure failed = {0};
    arena scratch = arena_of(ctx);
    int64_t pitch = mat_item_pitch(MAT_G2, v->x->n), runs = (v->d + RUN - 1) / RUN;
    int threads = work_threads(ctx, (double)pitch * (double)v->d * (double)c);
    bool fills = v->x->missing && v->fill;
    tables *t = ARENA_NEW(&scratch, tables, c);
    unsigned char *buffer = ARENA_NEW(&scratch, unsigned char, threads *RUN *pitch);
    TRY_MEM(t && buffer);
    TRY(tables_make(t, v, U, c, &scratch, err));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
    for (int64_t run = 0; run < runs; run++) {
        int64_t first = run * RUN, last = min64(v->d, first + RUN);
        unsigned char *own = buffer + omp_get_thread_num() * RUN * pitch;
        read_run(v, first, last, pitch, own, &failed);
        for (int64_t j = first; j < last; j++) {
            const unsigned char *x = own + (j - first) * pitch;
            bool gaps = fills && has_missing(x, pitch);
            for (int64_t k = 0; k < c; k++)
                out[j + k * v->d] =
                    column_product(x, &t[k], gaps, view_transform(v, view_base(v, j)));
        }
    }
    status = failure_end(&failed, err);
done:
    arena_free(&scratch);
    return status;
}

/* ---- statistics ---- */

/* Sets the lower bit of the code of every sample of the view; false: some sample occurs more than
 * once. */
static bool mask_fill(uint64_t *mask, const view *v) {
    for (int64_t i = 0; i < v->n; i++) {
        int64_t r = v->rows ? v->rows[i] : i;
        uint64_t bit = (uint64_t)1 << (2 * (r % 32));
        if (mask[r / 32] & bit) return false;
        mask[r / 32] |= bit;
    }
    return true;
}

static col_stats counted(int64_t n, int64_t ones, int64_t twos, int64_t missing) {
    int64_t called = n - missing, none = called - ones - twos;
    if (called == 0) return (col_stats){.missing = missing};
    double total = (double)called, mean = (double)(ones + 2 * twos) / total;
    double squares = (double)none * (mean * mean) + (double)ones * ((1 - mean) * (1 - mean)) +
                     (double)twos * ((2 - mean) * (2 - mean));
    col_stats s = {.mean = mean, .missing = missing, .nonzeros = ones + twos};
    s.min = none > 0 ? 0 : ones > 0 ? 1 : 2;
    s.max = twos > 0 ? 2 : ones > 0 ? 1 : 0;
    s.var = s.min == s.max ? 0 : squares / total;
    return s;
}

static col_stats column_counts(const unsigned char *x, int64_t pitch, const uint64_t *mask,
                               int64_t n) {
    int64_t ones = 0, twos = 0, missing = 0;
    for (int64_t at = 0; at < pitch; at += 8) {
        uint64_t word = word_at(x, pitch, at), low = word & mask[at / 8],
                 high = word >> 1 & mask[at / 8];
        ones += __builtin_popcountll(high & ~low);
        missing += __builtin_popcountll(low & ~high);
        twos += __builtin_popcountll(mask[at / 8] & ~(low | high));
    }
    return counted(n, ones, twos, missing);
}

/* Statistics of the views with unweighted samples without repeats; *left views remain. */
static pare_status stats_counted(int64_t count, const view *v, const double *const *weight,
                                 col_stats *const *out, bool *stays, int64_t *left, arena *mem,
                                 const pare_ctx *ctx, pare_error *err) {
    failure failed = {0};
    int64_t words = (v->x->n + 31) / 32, pitch = mat_item_pitch(MAT_G2, v->x->n);
    int64_t runs = (v->d + RUN - 1) / RUN;
    int threads = work_threads(ctx, (double)pitch * (double)v->d * (double)count);
    uint64_t *mask = ARENA_ZERO(mem, uint64_t, count * words);
    unsigned char *buffer = ARENA_NEW(mem, unsigned char, threads *RUN *pitch);
    PASS_MEM(mask && buffer);
    for (int64_t q = 0; q < count; q++) {
        stays[q] = (weight && weight[q]) || !mask_fill(mask + q * words, &v[q]);
        *left += stays[q];
    }
    if (*left == count) return PARE_OK;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4)
    for (int64_t run = 0; run < runs; run++) {
        int64_t first = run * RUN, last = min64(v->d, first + RUN);
        unsigned char *own = buffer + omp_get_thread_num() * RUN * pitch;
        read_run(v, first, last, pitch, own, &failed);
        for (int64_t q = 0; q < count; q++)
            for (int64_t j = first; !stays[q] && j < last; j++)
                out[q][j] =
                    column_counts(own + (j - first) * pitch, pitch, mask + q * words, v[q].n);
    }
    return failure_end(&failed, err);
}

pare_status genotype_stats_many(int64_t count, const view *v, const double *const *weight,
                                col_stats *const *out, const pare_ctx *ctx, pare_error *err) {
    pare_status status = PARE_OK;
    int64_t left = 0, at = 0;
    arena scratch = arena_of(ctx);
    bool *stays = ARENA_NEW(&scratch, bool, count);
    TRY_MEM(stays);
    TRY(stats_counted(count, v, weight, out, stays, &left, &scratch, ctx, err));
    if (left == 0) goto done;
    view *rest = ARENA_NEW(&scratch, view, left);
    const double **own = ARENA_NEW(&scratch, const double *, left);
    col_stats **to = ARENA_NEW(&scratch, col_stats *, left);
    TRY_MEM(rest && own && to);
    for (int64_t q = 0; q < count; q++) {
        if (!stays[q]) continue;
        rest[at] = v[q];
        own[at] = weight ? weight[q] : NULL;
        to[at++] = out[q];
    }
    TRY(tile_stats_many(left, rest, own, to, ctx, err));
done:
    arena_free(&scratch);
    return status;
}

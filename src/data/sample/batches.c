#include "data/sample/batches.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/p_values.h"

static const char *const methods[] = {"center", "combat"};
static const char *const unseen[] = {"refuse", "pooled", "adapt"};

const char *batch_method_name(batch_method method) { return methods[method]; }

const char *batch_unseen_name(batch_unseen how) { return unseen[how]; }

pare_status batch_method_parse(batch_method *out, const char *word, pare_error *err) {
    *out = BATCH_CENTER;
    for (int i = 0; word && i < 2; i++)
        if (strcmp(word, methods[i]) == 0) {
            *out = (batch_method)i;
            return PARE_OK;
        }
    if (!word) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`batch_method`: \"%.64s\" is not allowed; expected center or combat", word);
}

pare_status batch_unseen_parse(batch_unseen *out, const char *word, pare_error *err) {
    *out = UNSEEN_REFUSE;
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, unseen[i]) == 0) {
            *out = (batch_unseen)i;
            return PARE_OK;
        }
    if (!word) return PARE_OK;
    return error_set(err, PARE_E_ARGUMENT,
                     "`batch_unseen`: \"%.64s\" is not allowed; expected refuse, pooled or adapt",
                     word);
}

pare_status batches_of(batch_list *out, arena *mem, const pare_data *data, pare_error *err) {
    int64_t n = data->batch.count, duplicate;
    strings_index index;
    *out = (batch_list){.of = ARENA_NEW(mem, int32_t, n)};
    PASS_MEM(out->name = ARENA_NEW(mem, const char *, n));
    PASS_MEM(out->size = ARENA_ZERO(mem, int64_t, n));
    PASS_MEM(out->of && strings_index_make(&index, &data->batch, &mem->mem, &duplicate));
    for (int64_t i = 0; i < n; i++) {
        const char *name = strings_at(&data->batch, i);
        int64_t first = strings_index_find(&index, name, (int64_t)strlen(name));
        if (first == i) out->name[out->count] = name;
        out->of[i] = first == i ? (int32_t)out->count++ : out->of[first];
        out->size[out->of[i]]++;
    }
    strings_index_free(&index, &mem->mem);
    return PARE_OK;
}

int64_t batches_count(const pare_data *data) {
    strings_index index;
    int64_t duplicate, count = 0;
    if (!strings_index_make(&index, &data->batch, &data->mem, &duplicate)) return data->x.n;
    for (int64_t i = 0; i < data->batch.count; i++) {
        const char *name = strings_at(&data->batch, i);
        count += strings_index_find(&index, name, (int64_t)strlen(name)) == i;
    }
    strings_index_free(&index, &data->mem);
    return count;
}

bool batches_take(pare_data *out, const pare_data *from, const int32_t *rows, int64_t n) {
    const pare_allocator *mem = &out->mem;
    out->batch_by = from->batch_by;
    out->unseen = from->unseen;
    return strings_take(&out->batch, &from->batch, rows, n, mem) &&
           strings_take(&out->batch_column, &from->batch_column, NULL, from->batch_column.count,
                        mem);
}

/* chi^2 of the table of counts, count_a x count_b, with its margins. */
static double chi2_of(const double *table, const double *rows, const double *columns,
                      int64_t count_a, int64_t count_b, double n) {
    double chi2 = 0;
    for (int64_t i = 0; i < count_a; i++)
        for (int64_t j = 0; j < count_b; j++) {
            double expected = rows[i] * columns[j] / n;
            if (expected > 0) chi2 += pow(table[i * count_b + j] - expected, 2) / expected;
        }
    return chi2;
}

pare_status batches_cramer(double *v, double *p, const int32_t *a, int64_t count_a,
                           const int32_t *b, int64_t count_b, int64_t n, const pare_ctx *ctx,
                           pare_error *err) {
    arena mem = arena_of(ctx);
    double *table = ARENA_ZERO(&mem, double, count_a *count_b);
    double *rows = ARENA_ZERO(&mem, double, count_a), *columns = ARENA_ZERO(&mem, double, count_b);
    double there_a = 0, there_b = 0;
    pare_status status = PARE_OK;
    *v = *p = NAN;
    TRY_MEM(table && rows && columns);
    for (int64_t i = 0; i < n; i++) {
        table[a[i] * count_b + b[i]]++;
        rows[a[i]]++;
        columns[b[i]]++;
    }
    for (int64_t i = 0; i < count_a; i++) there_a += rows[i] > 0;
    for (int64_t j = 0; j < count_b; j++) there_b += columns[j] > 0;
    double least = fmin(there_a, there_b) - 1;
    if (least > 0) {
        double chi2 = chi2_of(table, rows, columns, count_a, count_b, (double)n);
        *v = sqrt(chi2 / ((double)n * least));
        *p = chi2_p_value(chi2, (there_a - 1) * (there_b - 1));
    }
done:
    arena_free(&mem);
    return status;
}

pare_status batch_refuse_unseen(const char *name, pare_error *err) {
    return error_set(err, PARE_E_DATA,
                     "batch \"%.64s\" has no training samples: choose `batch_unseen` pooled (its "
                     "samples stay as they are) or adapt (it is estimated from its own samples)",
                     name);
}

pare_status batch_refuse_single(const char *name, pare_error *err) {
    return error_set(err, PARE_E_DATA,
                     "batch \"%.64s\" has one training sample, which cannot be adjusted: give it "
                     "the name of another batch, or ask for fewer `folds`",
                     name);
}

pare_status batch_check_adapt(const char *name, int64_t count, pare_error *err) {
    if (count >= MIN_ADAPT) return PARE_OK;
    return error_set(err, PARE_E_DATA,
                     "batch \"%.64s\" has %" PRId64 " sample%s, too few to be estimated by "
                     "`batch_unseen adapt`: at least %d, or choose pooled",
                     name, count, PLURAL(count), MIN_ADAPT);
}

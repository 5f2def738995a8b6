/* What a report shows of the chosen features: their values, and their weights per standard
 * deviation. */
#include <math.h>

#include "base/error.h"
#include "path/path_setup.h"

static double deviation(const double *x, int64_t n) {
    double mean = 0, square = 0, count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) mean += x[i], count++;
    mean /= fmax(count, 1);
    for (int64_t i = 0; i < n; i++)
        if (!isnan(x[i])) square += (x[i] - mean) * (x[i] - mean);
    return sqrt(square / fmax(count, 1));
}

pare_status path_keep_values(pare_path *p, path_run *run, bool transformed, const pare_ctx *ctx,
                             pare_error *err) {
    const pare_data *data = run->method->data;
    arena scratch = arena_of(ctx);
    pare_status status = PARE_OK;
    double *missing = ARENA_NEW(&scratch, double, data->x.d); /* missing values stay NaN */
    TRY_MEM(missing);
    for (int64_t j = 0; j < data->x.d; j++) missing[j] = NAN;
    for (int64_t i = 0; i < run->n_feature; i++) {
        path_feature *f = &run->feature[i];
        bool listed = i < MAX_LISTED_VALUES && p->n <= MAX_VALUES_SAMPLES;
        view x = view_all(&data->x);
        double *value = ARENA_NEW(listed ? &p->mem : &scratch, double, p->n);
        double *weight = ARENA_NEW(&p->mem, double, run->n_outputs);
        TRY_MEM(value && weight);
        x.cols = &f->index;
        x.d = 1;
        if (data->x.missing) x.fill = missing;
        TRY(mat_columns(&x, NULL, 1, value, ctx, err));
        for (int64_t o = 0; o < run->n_outputs; o++)
            weight[o] = transformed ? f->weight[o] : f->coef[o] * deviation(value, p->n);
        f->weight = weight;
        if (listed) f->value = value;
    }
done:
    arena_free(&scratch);
    return status;
}

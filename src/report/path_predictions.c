/* Out-of-fold predictions: the prediction of each method for every test sample of every split, at
 * every size. */
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/number.h"
#include "model/predictor.h"
#include "report/path_text.h"

static void add_number(text_buffer *t, double x) {
    char digits[32];
    number_format(x, digits);
    text_print(t, "\t%s", digits);
}

static void add_header(text_buffer *t, const pare_path *p, int64_t outputs) {
    text_add(t, "method\tn_features\tpart\tsample\t");
    if (p->y.task->timed) {
        text_add(t, "time\tevent\trisk\n");
        return;
    }
    text_add(t, "truth\tprediction");
    for (int64_t o = 0; o < outputs && !p->y.task->real; o++) {
        text_add(t, outputs > 1 ? "\tscore " : "\tscore");
        if (outputs > 1) text_add_cell(t, p->y.classes[o]);
    }
    text_add(t, "\n");
}

/* A ranking has no prediction but its score. */
static void add_prediction(text_buffer *t, const pare_path *p, int64_t row, const double *F,
                           int64_t outputs, int64_t stride) {
    if (p->y.task->timed) {
        add_number(t, p->y.time[row]);
        text_print(t, "\t%d", (int)p->y.event[row]);
        add_number(t, F[0]);
        return;
    }
    text_add(t, "\t");
    char digits[32];
    text_add_cell(t, target_text(&p->y, row, digits));
    if (!p->y.task->classes) {
        add_number(t, F[0]);
    } else {
        text_add(t, "\t");
        text_add_cell(t, p->y.classes[scores_decide(F, outputs, stride)]);
    }
    for (int64_t o = 0; o < outputs && !p->y.task->real; o++) add_number(t, F[o * stride]);
}

/* The sample's id, unless that is its group's. */
static void add_sample(text_buffer *t, const pare_path *p, const pare_data *data, int64_t row) {
    char made_up[32];
    int64_t given = p->given_row ? p->given_row[row] : row;
    if (p->grouped || data->ids.count == 0)
        text_print(t, "%lld", (long long)given + 1);
    else
        text_add_cell(t, pare_data_id(data, given, made_up));
}

static void add_part(text_buffer *t, const pare_path *p, const pare_data *data, int64_t m,
                     int64_t s, int64_t j, int64_t outputs) {
    const cv_part *part = &p->plan.part[j];
    const fold_result *r = &p->round.result[j * p->setup.n_methods + m];
    for (int64_t i = 0; r->done && i < part->n_test; i++) {
        const double *F = r->F + s * part->n_test * outputs + i;
        if (isnan(*F)) return; /* a size that the method does not support */
        text_print(t, "%s\t%lld\t%lld\t", p->run[m].method->name, (long long)p->setup.sizes[s],
                   (long long)j + 1);
        add_sample(t, p, data, part->test[i]);
        add_prediction(t, p, part->test[i], F, outputs, part->n_test);
        text_add(t, "\n");
    }
}

pare_status pare_path_predictions(char **out, const pare_path *path, const pare_data *data,
                                  const pare_ctx *ctx, pare_error *err) {
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    if (!path->setup.keeps_scores)
        return error_set(err, PARE_E_ARGUMENT, "the path was run without `predictions`");
    if (data->x.n != path->rows)
        return error_set(err, PARE_E_ARGUMENT, "these are not the data of the path");
    int64_t outputs = target_scores(&path->y);
    text_buffer t;
    text_init(&t, ctx);
    add_header(&t, path, outputs);
    for (int64_t m = 0; m < path->setup.n_methods; m++)
        for (int64_t s = 0; s < path->setup.n_sizes; s++)
            for (int64_t j = 0; j < path->plan.count; j++)
                add_part(&t, path, data, m, s, j, outputs);
    return text_finish(&t, out, err);
}

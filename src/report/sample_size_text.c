/* A learning curve as a table or as one JSON object. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include <pare/path.h>

#include "base/context.h"
#include "base/number.h"
#include "model/json.h"
#include "path/sample_size.h"
#include "report/json_text.h"
#include "report/text.h"

static void add_number(text_buffer *t, double x) {
    char digits[32];
    number_format(x, digits);
    text_add(t, digits);
}

/* "# n for 0.9: 240\t95% CI 130 to none" */
static void add_target(text_buffer *t, const sample_size *s) {
    if (isnan(s->target)) return;
    bool never = isnan(s->reached);
    text_print(t, never ? "# no n reaches %g" : "# n for %g: %.0f", s->target, s->reached);
    text_print(t, "\t95%% CI ");
    if (isfinite(s->reached_low))
        text_print(t, "%.0f to ", s->reached_low);
    else
        text_add(t, "none to ");
    if (isfinite(s->reached_high))
        text_print(t, "%.0f\n", s->reached_high);
    else
        text_add(t, "none\n");
}

static void add_table(text_buffer *t, const sample_size *s) {
    text_print(t, "# metric\t%s\n", s->metric->name);
    text_print(t, "# score(n) = %.6g - %.6g n^-%.4g\tscore of any n: 95%% CI %.4g to %.4g\n",
               s->curve.a, s->curve.b, s->curve.c, s->a_low, s->a_high);
    add_target(t, s);
    text_add(t,
             "# assumes\tfurther samples come about as these did; the score at n is the nested CV "
             "estimate with n samples, of which each outer fold trains on fewer\n");
    text_print(
        t,
        "# assumes\tbeyond %.0f samples the power law is an extrapolation, and a guess beyond "
        "three times as many\n",
        s->n[s->n_points - 1]);
    text_add(t, "n\tmean\tlow\thigh\n");
    for (int64_t i = 0; i < s->n_points; i++) {
        const double row[] = {s->n[i], s->mean[i], s->low[i], s->high[i]};
        for (int c = 0; c < 4; c++) {
            if (c) text_add(t, "\t");
            add_number(t, row[c]);
        }
        text_add(t, "\n");
    }
}

static json_t *points_json(const sample_size *s) {
    json_t *array = json_array();
    for (int64_t i = 0; i < s->n_points; i++)
        json_array_append_new(
            array, json_pack("{s:I, s:o, s:o, s:o, s:o}", "n", (json_int_t)s->n[i], "mean",
                             number_json(s->mean[i]), "low", number_json(s->low[i]), "high",
                             number_json(s->high[i]), "scores",
                             numbers_json(s->score + i * s->n_draws, s->n_draws, 1)));
    return array;
}

static void add_json(text_buffer *t, const sample_size *s) {
    json_t *goal = json_null();
    if (!isnan(s->target))
        goal = json_pack("{s:f, s:o, s:o, s:o}", "score", s->target, "n", number_json(s->reached),
                         "low", number_json(s->reached_low), "high", number_json(s->reached_high));
    json_t *all =
        json_pack("{s:s, s:s, s:b, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:o}", "kind", "samplesize",
                  "metric", s->metric->name, "higher_is_better", (int)s->metric->higher, "points",
                  points_json(s), "curve", "a", number_json(s->curve.a), "b",
                  number_json(s->curve.b), "c", number_json(s->curve.c), "low",
                  number_json(s->a_low), "high", number_json(s->a_high), "target", goal);
    char *text = all ? json_dumps(all, JSON_REAL_PRECISION(17)) : NULL;
    t->failed |= !text;
    if (text) text_add(t, text);
    text_add(t, "\n");
    free(text);
    json_decref(all);
}

pare_status pare_sample_size_text(char **out, const pare_sample_size *s, bool json,
                                  const pare_ctx *ctx, pare_error *err) {
    text_buffer text;
    *out = NULL;
    if (ctx_check(ctx, err) != PARE_OK) return PARE_E_ARGUMENT;
    text_init(&text, ctx);
    (json ? add_json : add_table)(&text, s);
    return text_finish(&text, out, err);
}

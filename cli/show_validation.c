/* A validation: how good the model is on each cohort, how well calibrated, and what differs. */
#include <math.h>
#include <string.h>

#include "screen.h"
#include "show.h"

enum { MAX_SHIFTS = 10 };
static const double NOTED_SHIFT = 0.5, NOTED_OUTSIDE = 0.05;

/* "0.81 (0.72 to 0.88)" */
static const char *estimate_text(pare_estimate e, char out[112]) {
    char low[32], high[32], value[32];
    if (isnan(e.value)) return "";
    snprintf(value, sizeof value, "%.3g", e.value);
    snprintf(low, sizeof low, "%.3g", e.low);
    snprintf(high, sizeof high, "%.3g", e.high);
    if (isnan(e.low))
        snprintf(out, 112, "%s", value);
    else
        snprintf(out, 112, "%s (%s to %s)", value, low, high);
    return out;
}

static void add_estimate(grid *g, pare_estimate e) {
    char text[112];
    grid_add(g, estimate_text(e, text));
}

/* A column for each number; a row for each cohort. */
static bool show_metrics(const screen *s, const pare_validation_info *v) {
    grid g = grid_of("llr", 0);
    grid_add(&g, "cohort");
    grid_add(&g, "metric");
    grid_add(&g, "value (95% CI)");
    for (int64_t c = 0; c < v->n_cohorts; c++)
        for (int64_t k = 0; k < v->n_metrics; k++) {
            if (isnan(v->cohort[c].metric[k].value)) continue;
            grid_add(&g, v->cohort[c].name);
            grid_add(&g, v->metric[k]);
            add_estimate(&g, v->cohort[c].metric[k]);
        }
    for (int64_t k = 0; v->pooled && k < v->n_metrics; k++) {
        if (isnan(v->pooled[k].mean.value)) continue;
        grid_add(&g, "pooled");
        grid_add(&g, v->metric[k]);
        add_estimate(&g, v->pooled[k].mean);
    }
    return grid_print(s, &g);
}

static bool show_differences(const screen *s, const pare_validation_info *v) {
    if (!v->cohort[0].difference) return true;
    fputc('\n', s->to);
    screen_print(s, "Difference from the other model on the same samples:");
    grid g = grid_of("llr", 0);
    grid_add(&g, "cohort");
    grid_add(&g, "metric");
    grid_add(&g, "difference (95% CI)");
    for (int64_t c = 0; c < v->n_cohorts; c++)
        for (int64_t k = 0; k < v->n_metrics; k++) {
            if (isnan(v->cohort[c].difference[k].value)) continue;
            grid_add(&g, v->cohort[c].name);
            grid_add(&g, v->metric[k]);
            add_estimate(&g, v->cohort[c].difference[k]);
        }
    return grid_print(s, &g);
}

static void add_calibration(grid *g, const pare_validation_info *v, const pare_cohort *c,
                            int64_t k) {
    const struct {
        const char *name;
        pare_estimate e;
    } rows[] = {{"intercept", c->calibration[k].intercept},
                {"slope", c->calibration[k].slope},
                {"observed / expected", c->calibration[k].observed_expected}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (isnan(rows[i].e.value)) continue;
        grid_add(g, c->name);
        if (v->n_classes > 2) grid_add(g, v->classes[k]);
        grid_add(g, rows[i].name);
        add_estimate(g, rows[i].e);
    }
}

static bool show_calibration(const screen *s, const pare_validation_info *v) {
    int64_t any = 0;
    grid g = grid_of(v->n_classes > 2 ? "lllr" : "llr", 0);
    grid_add(&g, "cohort");
    if (v->n_classes > 2) grid_add(&g, "class");
    grid_add(&g, "calibration");
    grid_add(&g, "value (95% CI)");
    for (int64_t c = 0; c < v->n_cohorts; c++) {
        any += v->cohort[c].n_calibrations;
        for (int64_t k = 0; k < v->cohort[c].n_calibrations; k++)
            add_calibration(&g, v, &v->cohort[c], k);
    }
    if (any == 0) {
        grid_free(&g);
        return true;
    }
    fputc('\n', s->to);
    screen_print(s, "Calibration; perfect is intercept 0, slope 1, observed / expected 1:");
    return grid_print(s, &g);
}

/* The features that differ most from the training samples. */
static bool show_shifts(const screen *s, const pare_validation_info *v) {
    int64_t shown = 0, noted = 0;
    grid g = grid_of("llrr", 1);
    grid_add(&g, "cohort");
    grid_add(&g, "feature");
    grid_add(&g, "shift in SD");
    grid_add(&g, "outside range");
    for (int64_t c = 0; c < v->n_cohorts; c++)
        for (int64_t i = 0; i < v->cohort[c].n_shifts; i++) {
            const pare_shift *own = &v->cohort[c].shift[i];
            char percent[32];
            if (!(fabs(own->difference) > NOTED_SHIFT || own->outside > NOTED_OUTSIDE)) continue;
            noted++;
            if (shown == MAX_SHIFTS) continue;
            shown++;
            snprintf(percent, sizeof percent, "%.0f%%", 100 * own->outside);
            grid_add(&g, v->cohort[c].name);
            grid_add(&g, own->name);
            grid_number(&g, own->difference);
            grid_add(&g, percent);
        }
    if (noted == 0) {
        grid_free(&g);
        return true;
    }
    fputc('\n', s->to);
    screen_print(s, "Features that differ from the training samples:");
    bool fine = grid_print(s, &g);
    if (noted > shown)
        screen_print(s, "  ... and %lld more, in the JSON", (long long)(noted - shown));
    return fine;
}

static void show_sizes(const screen *s, const pare_validation_info *v) {
    for (int64_t c = 0; c < v->n_cohorts; c++) {
        const pare_cohort *own = &v->cohort[c];
        char events[64] = "";
        if (v->n_classes == 2)
            snprintf(events, sizeof events, ", %lld of class \"%.24s\"", (long long)own->n_events,
                     v->classes[1]);
        else if (own->n_events > 0)
            snprintf(events, sizeof events, ", %lld event%s", (long long)own->n_events,
                     own->n_events == 1 ? "" : "s");
        screen_print(s, "%s: %lld sample%s%s.", own->name, (long long)own->n,
                     own->n == 1 ? "" : "s", events);
    }
}

int show_validation(options *o, const pare_validation *validation, const pare_model *m) {
    const pare_validation_info *v = pare_validation_get(validation);
    char *path = NULL;
    page p;
    pare_error err;
    if (pare_model_path_text(&path, m, false, &o->ctx, &err) != PARE_OK) return say_error(&err);
    if (!page_open(&p)) {
        pare_text_free(path, &o->ctx);
        return EXIT_RUN;
    }
    screen s = screen_of(p.to);
    show_sizes(&s, v);
    fputc('\n', s.to);
    bool fine = show_metrics(&s, v);
    if (path && *path)
        screen_print(&s, "The path that chose this model estimated %s by nested CV.", path);
    fine = fine && show_differences(&s, v) && show_calibration(&s, v) && show_shifts(&s, v);
    pare_text_free(path, &o->ctx);
    if (fine) return page_write(&p, NULL, o);
    page_drop(&p);
    return EXIT_RUN;
}

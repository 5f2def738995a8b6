/* A path: the answer, the curve of the best method with its intervals, and the features of its final
 * model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "show.h"

enum { MAX_FEATURES = 10, MAX_POINTS = 25, MIN_PLOT = 10, COHORT_PLOT = 24, MAX_PLOT = 48 };

typedef struct range {
    double low, high;
} range;

static double run_number(const pare_path *p, const char *field, int64_t run) {
    return pare_path_number(p, "runs", field, 0, run);
}

/* The run to look at: the one that was named, else the best, or the first. */
static int64_t shown_run(const pare_path *p, const char *named) {
    const char *best = named ? named : pare_path_text(p, "path", "best", 0, 0);
    for (int64_t m = 0; best && m < pare_path_rows(p, "runs", 0); m++)
        if (strcmp(pare_path_text(p, "runs", "method", 0, m), best) == 0) return m;
    return 0;
}

/* "0.72 to 0.93", or nothing. */
static const char *range_text(range r, char out[72]) {
    char low[32], high[32];
    out[0] = '\0';
    if (isnan(r.low)) return out;
    snprintf(low, sizeof low, "%.3g", r.low);
    snprintf(high, sizeof high, "%.3g", r.high);
    snprintf(out, 72, "%s to %s", low, high);
    return out;
}

static range point_range(const pare_path *p, int64_t run, int64_t i) {
    return (range){pare_path_number(p, "points", "interval.low", run, i),
                   pare_path_number(p, "points", "interval.high", run, i)};
}

static double point_mean(const pare_path *p, int64_t run, int64_t i) {
    return pare_path_number(p, "points", "mean", run, i);
}

static double cohort_value(const pare_path *p, int64_t run, int64_t i) {
    return pare_path_number(p, "cohorts", "value", run, i);
}

static range cohort_range(const pare_path *p, int64_t run, int64_t i) {
    return (range){pare_path_number(p, "cohorts", "low", run, i),
                   pare_path_number(p, "cohorts", "high", run, i)};
}

static range wider(range all, range r, double mean) {
    return (range){fmin(all.low, fmin(mean, r.low)), fmax(all.high, fmax(mean, r.high))};
}

/* The least and the largest number of the curve. */
static range span_of(const pare_path *p, int64_t run, int64_t points) {
    range all = {INFINITY, -INFINITY};
    for (int64_t i = 0; i < points; i++)
        all = wider(all, point_range(p, run, i), point_mean(p, run, i));
    return all;
}

/* "   |-----o--|   " on `wide` columns that stand for `all`. */
static void plot_row(char *out, int wide, range all, range r, double mean) {
    double scale = all.high > all.low ? (wide - 1) / (all.high - all.low) : 0;
    memset(out, ' ', (size_t)wide);
    out[wide] = '\0';
    if (!isnan(r.low)) {
        int from = (int)((r.low - all.low) * scale + 0.5);
        int to = (int)((r.high - all.low) * scale + 0.5);
        for (int c = from; c <= to; c++) out[c] = '-';
    }
    if (!isnan(mean)) out[(int)((mean - all.low) * scale + 0.5)] = 'o';
    for (int end = wide; end > 0 && out[end - 1] == ' ';) out[--end] = '\0';
}

static void axis_row(char *out, int wide, range all) {
    char low[32], high[32];
    snprintf(low, sizeof low, "%.3g", all.low);
    snprintf(high, sizeof high, "%.3g", all.high);
    int gap = wide - (int)strlen(low) - (int)strlen(high);
    snprintf(out, (size_t)wide + 1, "%s%*s%s", low, gap > 0 ? gap : 1, "", high);
}

static void curve_cells(grid *g, const pare_path *p, int64_t run, int64_t i, bool chosen) {
    char interval[72];
    double value = pare_path_number(p, "points", "value", run, i);
    double budget = pare_path_number(p, "points", "budget", run, i);
    grid_add(g, chosen ? "*" : "");
    grid_number(g, !isnan(value)    ? value
                   : !isnan(budget) ? budget
                                    : pare_path_number(p, "points", "n_features", run, i));
    char mean[32] = "";
    if (!isnan(point_mean(p, run, i))) snprintf(mean, sizeof mean, "%.3g", point_mean(p, run, i));
    grid_add(g, mean);
    grid_add(g, range_text(point_range(p, run, i), interval));
}

static const char *first_heading(const pare_path *p, int64_t run) {
    if (!isnan(pare_path_number(p, "points", "value", run, 0))) return pare_path_parameter(p);
    return isnan(pare_path_number(p, "points", "budget", run, 0)) ? "features" : "budget";
}

/* Of a long path every so many points are shown, and the chosen one. */
static bool is_shown(int64_t i, int64_t points, double chosen) {
    int64_t every = (points + MAX_POINTS - 1) / MAX_POINTS;
    return every < 2 || i % every == 0 || i == points - 1 || (double)i == chosen;
}

static bool show_curve(const screen *s, const pare_path *p, int64_t run) {
    int64_t points = pare_path_rows(p, "points", run);
    double at = run_number(p, "chosen.point", run);
    range all = span_of(p, run, points);
    char row[MAX_PLOT + 80];
    grid widths = grid_of("lrrl", -1), g = grid_of("lrrll", -1);
    const char *heading[] = {"", first_heading(p, run),
                             pare_path_metric_name(p, pare_path_metric(p)), "95% CI"};
    for (int c = 0; c < 4; c++) grid_add(&widths, heading[c]);
    for (int64_t i = 0; i < points; i++)
        if (is_shown(i, points, at)) curve_cells(&widths, p, run, i, false);
    int wide = s->width - grid_width(&widths) - 3;
    grid_free(&widths);
    if (wide > MAX_PLOT) wide = MAX_PLOT;
    bool plots = wide >= MIN_PLOT && all.high > all.low;
    for (int c = 0; c < 4; c++) grid_add(&g, heading[c]);
    if (plots) axis_row(row, wide, all);
    grid_add(&g, plots ? row : "");
    for (int64_t i = 0; i < points; i++) {
        if (!is_shown(i, points, at)) continue;
        curve_cells(&g, p, run, i, (double)i == at);
        if (plots) plot_row(row, wide, all, point_range(p, run, i), point_mean(p, run, i));
        grid_add(&g, plots ? row : "");
    }
    return grid_print(s, &g);
}

/* One line a method, where there are several. */
static bool show_methods(const screen *s, const pare_path *p, int64_t runs) {
    char interval[72], mean[32];
    grid g = grid_of("lrlr", 0);
    grid_add(&g, "method");
    grid_add(&g, "nested CV");
    grid_add(&g, "95% CI");
    grid_add(&g, "features");
    for (int64_t m = 0; m < runs; m++) {
        range r = {run_number(p, "chosen.nested.interval.low", m),
                   run_number(p, "chosen.nested.interval.high", m)};
        double nested = run_number(p, "chosen.nested.mean", m);
        snprintf(mean, sizeof mean, "%.3g", nested);
        grid_add(&g, pare_path_text(p, "runs", "method", 0, m));
        grid_add(&g, isnan(nested) ? "" : mean);
        grid_add(&g, range_text(r, interval));
        grid_number(&g, run_number(p, "chosen.n_features", m));
    }
    return grid_print(s, &g);
}

static bool show_features(const screen *s, const pare_path *p, int64_t run) {
    int64_t count = pare_path_rows(p, "features", run);
    char percent[32];
    if (count == 0) return true;
    screen_print(s, "Its features, and how many of the outer folds selected them at that number:");
    grid g = grid_of("lr", 0);
    grid_add(&g, "feature");
    grid_add(&g, "selected in");
    for (int64_t i = 0; i < count && i < MAX_FEATURES; i++) {
        const char *name = pare_path_text(p, "features", "name", run, i);
        double share = pare_path_number(p, "features", "share", run, i);
        grid_add(&g, name ? name : "");
        snprintf(percent, sizeof percent, "%.0f%%", 100 * share);
        grid_add(&g, isnan(share) ? "" : percent);
    }
    bool fine = grid_print(s, &g);
    if (count > MAX_FEATURES)
        screen_print(s, "  ... and %lld more", (long long)(count - MAX_FEATURES));
    return fine;
}

/* A row for each cohort that was left out: its score as a forest plot. */
static bool show_cohorts(const screen *s, const pare_path *p, int64_t run) {
    int64_t count = pare_path_rows(p, "cohorts", run);
    range all = {INFINITY, -INFINITY};
    char row[MAX_PLOT + 80], text[72];
    const char *heading[] = {"cohort", "samples", "features",
                             pare_path_metric_name(p, pare_path_metric(p)), "95% CI"};
    if (count == 0) return true;
    screen_print(s, "Each cohort, predicted from the others alone:");
    grid g = grid_of("lrrrll", 0);
    for (int c = 0; c < 5; c++) grid_add(&g, heading[c]);
    for (int64_t i = 0; i < count; i++)
        all = wider(all, cohort_range(p, run, i), cohort_value(p, run, i));
    int wide = COHORT_PLOT;
    axis_row(row, wide, all);
    grid_add(&g, all.high > all.low ? row : "");
    for (int64_t i = 0; i < count; i++) {
        range r = cohort_range(p, run, i);
        grid_add(&g, pare_path_text(p, "cohorts", "name", run, i));
        grid_number(&g, pare_path_number(p, "cohorts", "n", run, i));
        grid_number(&g, pare_path_number(p, "cohorts", "n_features", run, i));
        snprintf(text, sizeof text, "%.3g", cohort_value(p, run, i));
        grid_add(&g, isnan(cohort_value(p, run, i)) ? "" : text);
        grid_add(&g, range_text(r, text));
        plot_row(row, wide, all, r, cohort_value(p, run, i));
        grid_add(&g, all.high > all.low ? row : "");
    }
    bool fine = grid_print(s, &g);
    fputc('\n', s->to);
    return fine;
}

int show_path(options *o, const pare_path *p) {
    int64_t runs = pare_path_rows(p, "runs", 0), run = shown_run(p, o->path.best);
    char *headline;
    page out;
    pare_error err;
    if (pare_path_headline(&headline, p, run, &o->ctx, &err) != PARE_OK) return say_error(&err);
    if (!page_open(&out)) return EXIT_RUN;
    screen s = screen_of(out.to);
    if (runs > 1)
        screen_print(&s,
                     o->path.best ? "Of %lld methods this is %s, which --best names:"
                                  : "The best of %lld methods by its estimate is %s:",
                     (long long)runs, pare_path_text(p, "runs", "method", 0, run));
    screen_lines(&s, headline, 2, false);
    fputc('\n', s.to);
    bool fine = runs < 2 || show_methods(&s, p, runs);
    if (runs > 1) fputc('\n', s.to);
    fine &= show_curve(&s, p, run);
    screen_text(&s, "  * the final model's number", 4, false);
    fputc('\n', s.to);
    fine &= show_cohorts(&s, p, run);
    fine &= show_features(&s, p, run);
    pare_text_free(headline, &o->ctx);
    if (fine) return page_write(&out, NULL, o);
    page_drop(&out);
    return EXIT_RUN;
}

/* A fitted model: what was selected, by which weights, and how far the solve can be trusted. */
#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "show.h"
#include "tasks.h"

enum { MAX_ROWS = 25, MAX_WEIGHTS = 4 };

static void show_answer(const screen *s, const pare_model_info *m) {
    char text[512], kept[64] = "";
    if (m->n_kept) snprintf(kept, sizeof kept, ", %lld of them forced in", (long long)m->n_kept);
    snprintf(text, sizeof text, "%s selected %lld of %lld features%s, from %lld samples.",
             m->method, (long long)m->n_selected, (long long)m->n_features, kept,
             (long long)m->n_samples);
    screen_text(s, text, 0, true);
    if (m->n_classes == 2)
        screen_print(s, "The positive class is \"%s\", the other one \"%s\".", m->classes[1],
                     m->classes[0]);
}

/* Weights that say something in a table: of the only output, or of few classes. */
static int64_t shown_weights(const pare_model_info *m) {
    return m->coef && !m->pairs && m->n_outputs <= MAX_WEIGHTS ? m->n_outputs : 0;
}

static int show_features(const screen *s, const pare_model_info *m, bool classes) {
    int64_t weights = shown_weights(m), rows = m->n_selected < MAX_ROWS ? m->n_selected : MAX_ROWS;
    bool two = classes && m->n_classes == 2 && weights == 1;
    char layout[GRID_COLUMNS + 1] = "rlr", rank[24];
    for (int64_t o = 0; o < weights; o++) strcat(layout, "r");
    if (two) strcat(layout, "l");
    grid g = grid_of(layout, 1);
    grid_add(&g, "rank");
    grid_add(&g, "feature");
    grid_add(&g, "score");
    for (int64_t o = 0; o < weights; o++) grid_add(&g, weights == 1 ? "weight" : m->classes[o]);
    if (two) grid_add(&g, "higher in");
    for (int64_t i = 0; i < rows; i++) {
        snprintf(rank, sizeof rank, "%lld", (long long)i + 1);
        grid_add(&g, rank);
        grid_add(&g, m->name[i]);
        grid_number(&g, m->score[i]);
        for (int64_t o = 0; o < weights; o++) grid_number(&g, m->coef[o * m->n_selected + i]);
        if (two) {
            double w = m->coef[i];
            grid_add(&g, w > 0 ? m->classes[1] : w < 0 ? m->classes[0] : "");
        }
    }
    fputc('\n', s->to);
    if (!grid_print(s, &g)) return EXIT_RUN;
    if (rows < m->n_selected)
        screen_print(s, "  ... and %lld more; --as tsv prints all of them",
                     (long long)(m->n_selected - rows));
    fputc('\n', s->to);
    return EXIT_FINE;
}

/* "; certified to a relative gap of 1e-9", or nothing: what a search without a guarantee has is the
 * certificate of its last solve only. */
static void certificate_words(char out[128], const pare_report *r) {
    const pare_certificate *c = &r->certificate;
    out[0] = '\0';
    if (r->outcome == PARE_GREEDY || r->outcome == PARE_COMPUTED) return;
    if (c->kind == PARE_CERT_DUALITY_GAP || c->kind == PARE_CERT_GLOBAL_GAP)
        snprintf(out, 128, "; certified to a relative gap of %.2g", c->relative);
    else if (c->kind != PARE_CERT_NONE)
        snprintf(out, 128, "; optimality conditions violated by at most %.2g, relative",
                 c->relative);
}

static void show_solve(const screen *s, const char *what, const pare_report *r) {
    char certificate[128];
    certificate_words(certificate, r);
    screen_print(s, "%s: %s%s", what, pare_outcome_text(r->outcome), certificate);
}

int show_check(options *o, const pare_verdict *v, const char *path) {
    page p;
    if (!page_open(&p)) return EXIT_RUN;
    screen s = screen_of(p.to);
    screen_text(&s, v->sentence, 0, true);
    if (v->has_selection) show_solve(&s, "Selection", &v->selection);
    show_solve(&s, v->has_selection ? "Predictor" : "Solve", &v->predictor);
    if (path && path[0]) screen_print(&s, "Nested CV estimate of the path: %s", path);
    return page_write(&p, NULL, o);
}

int show_model(options *o, const pare_model *model) {
    const pare_model_info *m = pare_model_get(model);
    page p;
    if (!page_open(&p)) return EXIT_RUN;
    screen s = screen_of(p.to);
    show_answer(&s, m);
    int code = show_features(&s, m, task_predicts_class(model));
    if (m->has_selection) show_solve(&s, "Selection", &m->selection);
    show_solve(&s, m->has_selection ? "Predictor" : "Solve", &m->predictor);
    for (int64_t i = 0; i < m->n_notes; i++) {
        page note;
        if (!page_open(&note)) break;
        fputs("Note: ", note.to);
        print_sentence(note.to, m->notes[i]);
        fclose(note.to);
        screen_text(&s, note.text, 2, false);
        free(note.text);
    }
    if (code == EXIT_FINE) return page_write(&p, NULL, o);
    page_drop(&p);
    return code;
}

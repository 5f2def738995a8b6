/* Conformance: what every method must do, asked of every method that the registry has. A walk goes
 * over the methods, their tasks and the choices that their settings offer, so that a new method is
 * tested without a line. The problems are sheets of plain numbers that a test may change: rows and
 * columns in another order, left out, repeated, stored another way. */
#ifndef PARE_TESTS_CONFORM_H
#define PARE_TESTS_CONFORM_H

#include "support/fits.h"

enum { SHEET_LABEL = 32 };

/* A problem: dense numbers, a target as text (a time of survival ends in + if it is censored), weights
 * or NULL. Half of the entries are 0, so that
 * the same numbers make a sparse matrix. */
typedef struct sheet {
    int64_t n, d;
    double *x; /* n x d */
    char (*label)[SHEET_LABEL];
    bool timed;     /* the target is times */
    double *weight; /* n, or NULL */
    bool grouped;   /* features are of two groups, by turns: for cases that are about groups */
} sheet;

typedef struct sheet_shape {
    int64_t n, d;
    double density; /* 1: no zeros */
    double signal;  /* how far the class moves the first three features; 0: pure noise */
} sheet_shape;

struct conform_case;
/* What the case's method takes: of methods of counts no number is negative. */
sheet sheet_for(rng *r, const struct conform_case *c, sheet_shape shape);
/* task: a word of pare_method_info.tasks. */
sheet sheet_random(rng *r, const char *task, sheet_shape shape);
/* Rows and columns by number, in any order, repeated or left out; NULL: all. Weights go along. */
sheet sheet_pick(const sheet *t, const int64_t *rows, int64_t n, const int64_t *cols, int64_t d);
void sheet_free(sheet *t);
pare_data *sheet_data(const sheet *t, bool sparse);
/* Sets the times and events of a timed sheet, whose data were made without labels. */
PARE_NODISCARD pare_status sheet_set_times(pare_data *data, const sheet *t, pare_error *err);
/* The same with the context's allocator, which may refuse. */
PARE_NODISCARD pare_status sheet_data_in(pare_data **out, const sheet *t, bool sparse,
                                         const pare_ctx *ctx, pare_error *err);

/* One method on one task with one of its settings off its default. */
typedef struct conform_case {
    const char *method, *task;
    const char *name, *value; /* the setting, or NULL: all as they are */
    bool chooses;             /* k features are asked for; false: the method's own number */
    const char *scale;        /* of the features; NULL: automatic */
    char title[128];          /* for messages */
} conform_case;

enum { CONFORM_K = 3 };

/* Calls `run` for every case, with TESTS_SHORT in the environment only for those whose settings are at
 * their defaults; fails the test at the end if one failed. */
void conform_walk(void (*run)(const conform_case *, void *user), void *user);

/* The settings of a case; exact: where the method has a tolerance it becomes a small one, so that two
 * ways to the same problem can be compared. Free with pare_settings_free. */
pare_settings *conform_settings(const conform_case *c, bool exact, const pare_ctx *ctx);
/* Fits, or fails the test with the case's title. */
pare_model *conform_fit(const conform_case *c, const pare_data *data, bool exact, int threads);
/* The same, or NULL where the case is refused on these data (hard margins in noise, unequal weights). */
pare_model *conform_fit_if(const conform_case *c, const pare_data *data, bool exact, int threads);
/* The same in a context of the caller's. */
pare_model *conform_fit_in(const conform_case *c, const pare_data *data, bool exact,
                           const pare_ctx *ctx);
/* The model file as text; free with pare_text_free. */
char *conform_text(const conform_case *c, const pare_model *m);
/* The decision values of a model, n x outputs; free with free(). */
double *conform_predict(const conform_case *c, const pare_model *m, const pare_data *data);
/* Says why the case fails, with its title, and goes on with the next one. */
__attribute__((format(printf, 2, 3))) void conform_fail(const conform_case *c, const char *format,
                                                        ...);

/* Two fits of one problem: the same features in the same order (cols[j]: what column j of b is in a;
 * NULL: the same), scores, objectives and decision values on `on_a` and `on_b`, the same samples. */
void conform_same(const conform_case *c, const pare_model *a, const pare_data *on_a,
                  const pare_model *b, const pare_data *on_b, const int64_t *cols);

#endif

/* Whole fits and paths as tests make them, through the public interface: what fails ends the test with
 * the library's sentence. */
#ifndef PARE_TESTS_FITS_H
#define PARE_TESTS_FITS_H

#include "support/problem.h"

/* Settings: "name", "value" pairs, ended by NULL. */
#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

pare_settings *settings_make(const char *method, const char *const *pairs);
bool has_setting(const char *method, const char *name);
/* The i-th method of the registry. */
pare_method_info method_at(int64_t i);

pare_model *fit_or_fail(const pare_data *data, const char *method, const char *const *pairs);
/* The same with the means in place of missing values. */
pare_model *fit_filled(const pare_data *data, const char *method, const char *const *pairs);
/* The model file of a fit on so many threads; free with pare_text_free. */
char *fit_text(const pare_data *data, const char *method, const char *const *pairs, int threads);
/* Fails the test unless that file is the same, to the byte, on 1, 2, 3, 4, 8, ... `most` threads. */
void check_threads(const pare_data *data, const char *method, const char *const *pairs, int most);
/* Fails the test unless the fit ends with this status and a sentence that contains `part`. */
void check_no_fit(const pare_data *data, const char *method, const char *const *pairs,
                  pare_status status, const char *part);

/* What the solve of the predictor reached. */
pare_report report_of(const pare_model *model);
/* Whether the predictor is a refit, and what the selection problem's solve then reached. */
bool selection_of(pare_report *out, const pare_model *model);
/* Whether a note of the model contains `part`. */
bool has_note(const pare_model *model, const char *part);
/* Fails the test unless every sample of the two classes of problem_make has a margin of 1. */
void check_margins(const pare_model *model, const pare_data *data);

/* A fit for check_oom: fit_call_run is the call, a fit_call its user. */
typedef struct fit_call {
    const pare_data *data;
    const char *method;
    const char *const *pairs;
} fit_call;
pare_status fit_call_run(void *call, const pare_ctx *ctx);

/* A path of several methods, ended by NULL, all with these settings. */
pare_path *paths_or_fail(const pare_data *data, const char *const *methods,
                         const char *const *pairs, const pare_path_options *options, int threads);
/* A path of one method, on all threads; its JSON, to be freed with pare_text_free. */
pare_path *path_or_fail(const pare_data *data, const char *method, const char *const *pairs,
                        const pare_path_options *options);
char *path_json_or_fail(const pare_data *data, const char *method, const char *const *pairs,
                        const pare_path_options *options);

#endif

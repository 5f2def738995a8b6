/* Times to an event: a Cox model on one feature of two, and what it says of new samples.
 *
 * A time is that of the event, or of the end of observation without one (censored). Build:
 *     cc survival.c $(pkg-config --cflags --libs pare) */
#include <stdio.h>

#include <pare/pare.h>

enum { N = 8, NEW = 2, TIMES = 2 };

/* Prints the risk, S(2) and S(5), and the median time of each new sample. */
static pare_status predict(const pare_model *model, pare_error *err) {
    static const double x[] = {0.2, 1.8, 0.5, 0.5}, times[TIMES] = {2, 5};
    double risk[NEW], survival[TIMES * NEW], median[NEW];
    pare_data *data = NULL;
    pare_status status = pare_data_dense(&data, NEW, 2, x, NULL, NULL, NULL, NULL, err);
    if (status == PARE_OK) status = pare_predict(risk, model, data, NULL, err);
    if (status == PARE_OK)
        status = pare_predict_survival(survival, median, model, data, times, TIMES, NULL, err);
    for (int i = 0; status == PARE_OK && i < NEW; i++)
        printf("risk %.2f, S(2) %.2f, S(5) %.2f, median %g\n", risk[i], survival[i],
               survival[NEW + i], median[i]);
    pare_data_free(data);
    return status;
}

int main(void) {
    static const double x[] = {0.1, 1.9, 0.4, 1.2, 0.8, 1.6, 0.3, 1.1,  /* N x 2, */
                               0.6, 0.3, 0.9, 0.2, 0.7, 0.4, 0.1, 0.8}; /* column by column */
    static const double time[N] = {9, 1, 7, 3, 6, 4, 8, 2};
    static const bool event[N] = {false, true, true, true, false, true, true, true};
    pare_data *data = NULL;
    pare_settings *settings = NULL;
    pare_model *model = NULL;
    pare_error err;
    pare_status status = pare_data_dense(&data, N, 2, x, NULL, NULL, NULL, NULL, &err);
    if (status == PARE_OK) status = pare_data_set_time_event(data, time, event, &err);
    if (status == PARE_OK) status = pare_settings_new(&settings, "cox", NULL, &err);
    if (status == PARE_OK) status = pare_settings_set(settings, "k", "1", &err);
    if (status == PARE_OK) status = pare_fit(&model, data, settings, NULL, &err);
    if (status == PARE_OK) status = predict(model, &err);
    if (status != PARE_OK) fprintf(stderr, "%s\n", err.message);
    pare_model_free(model);
    pare_settings_free(settings);
    pare_data_free(data);
    return status != PARE_OK;
}

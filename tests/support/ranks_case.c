#define _POSIX_C_SOURCE 200809L
#include "support/ranks_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ranks_case_csv(const conform_case *c) {
    rng r;
    char *text = NULL;
    size_t size;
    rng_seed(&r, 37, 0);
    sheet t = sheet_for(&r, c, (sheet_shape){30, 22, 1, 2});
    FILE *to = open_memstream(&text, &size);
    for (int64_t j = 0; j < t.d; j++) fprintf(to, "f%lld,", (long long)j);
    fputs("class\n", to);
    for (int64_t i = 0; i < t.n; i++) {
        for (int64_t j = 0; j < t.d; j++) fprintf(to, "%.17g,", t.x[i + j * t.n]);
        fprintf(to, "%s\n", t.label[i]);
    }
    fclose(to);
    sheet_free(&t);
    return text;
}

pare_status ranks_case_fit(char **text, const conform_case *c, const char *csv, const pare_ctx *ctx,
                           pare_error *err) {
    pare_read_options o;
    pare_data *data = NULL;
    pare_model *m = NULL;
    pare_read_options_init(&o);
    o.format = "csv";
    o.storage = "dense";
    pare_settings *s = conform_settings(c, false, NULL);
    pare_status status = pare_data_read_memory(&data, csv, strlen(csv), &o, ctx, err);
    if (status == PARE_OK) status = pare_fit(&m, data, s, ctx, err);
    if (status == PARE_OK) status = pare_model_text(text, m, NULL, err);
    pare_settings_free(s);
    pare_model_free(m);
    pare_data_free(data);
    return status;
}

/* Any bytes as a model file. One that is accepted must predict, and write a file that reads back as
 * the same file. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/checksum.h"
#include "report/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool held) {
    if (!held) abort();
}

static pare_model *load(const void *bytes, size_t size) {
    pare_error err = {0};
    stream s;
    pare_model *m;
    require(stream_open_memory(&s, "fuzz", bytes, size, 64, NULL, &err) == PARE_OK);
    pare_status status = model_load_stream(&m, &s, NULL, &err);
    stream_close(&s);
    require((status == PARE_OK) == (m != NULL));
    require(status == PARE_OK || strlen(err.message) > 0);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { N = 2, D = 8 };
    static const double x[N * D] = {1, -2, 0.5, 0, 3, 3, -1, 7};
    pare_model *m = load(bytes, size);
    if (!m) return 0;
    pare_error err;
    pare_data *data = NULL;
    double *scores = malloc(sizeof *scores * N * (size_t)pare_model_get(m)->n_scores);
    require(scores && pare_data_dense(&data, N, D, x, NULL, NULL, NULL, NULL, &err) == PARE_OK);
    pare_status status = pare_predict(scores, m, data, NULL, &err);
    require(status == PARE_OK || strlen(err.message) > 0);

    /* As if these were its data: sizes, duals and columns of the file are not to be trusted. */
    static const char *const labels[N] = {"x", "y"};
    pare_data *own = NULL;
    pare_report final, selection;
    require(pare_data_dense(&own, N, D, x, NULL, labels, NULL, NULL, &err) == PARE_OK);
    require(data_checksum(own, NULL, m->sha256, &err) == PARE_OK);
    status = pare_check(&final, &selection, m, own, NULL, &err);
    require(status == PARE_OK || strlen(err.message) > 0);
    pare_data_free(own);

    char *text, *again;
    require(pare_model_text(&text, m, NULL, &err) == PARE_OK);
    pare_model *reread = load(text, strlen(text));
    require(reread != NULL);
    require(pare_model_text(&again, reread, NULL, &err) == PARE_OK);
    require(strcmp(text, again) == 0);
    pare_text_free(again, NULL);
    pare_text_free(text, NULL);
    pare_model_free(reread);
    pare_data_free(data);
    free(scores);
    pare_model_free(m);
    return 0;
}

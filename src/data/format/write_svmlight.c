/* Writes svmlight: "label index:value ...", indices from 1, zeros of dense data left out. Names,
 * ids and weights have no place in the format. A label of 0 stands for no target. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "data/format/cell.h"
#include "data/dataset.h"
#include "data/format/row_batch.h"
#include "data/format/stream.h"

static pare_status put_label(const pare_data *data, sink *s, int64_t i, pare_error *err) {
    char shown[CELL_SHOWN], digits[32];
    const char *label = pare_data_target(data, i, digits);
    if (!label) label = "0";
    if (!*label || strpbrk(label, " \t\r\n#:"))
        return error_set(
            err, PARE_E_DATA,
            "%s: sample %" PRId64 " has the label %s, svmlight allows no blank, # or :", s->name,
            i + 1, cell_shown(label, (int64_t)strlen(label), shown));
    return sink_write(s, label, strlen(label), err);
}

static pare_status put_entry(sink *s, int64_t j, double value, pare_error *err) {
    char text[64];
    int length = snprintf(text, 32, " %" PRId64 ":", j + 1);
    length += number_format(value, text + length);
    return sink_write(s, text, (size_t)length, err);
}

pare_status write_svmlight(const pare_data *data, sink *s, const pare_ctx *ctx, pare_error *err) {
    row_batch b;
    bool all = mat_is_sparse(&data->x);
    pare_status status = PARE_OK;
    if (data->target.time)
        return error_set(err, PARE_E_DATA,
                         "%s: svmlight has no place for times and events: write .csv or .pare",
                         s->name);
    TRY(row_batch_open(&b, &data->x, ctx, err));
    while (b.last < data->x.n) {
        TRY(row_batch_next(&b, err));
        for (int64_t i = b.first, at, end; i < b.last; i++) {
            TRY(put_label(data, s, i, err));
            for (row_batch_row(&b, i, &at, &end); at < end; at++)
                if (all || b.value[at] != 0) TRY(put_entry(s, b.column[at], b.value[at], err));
            TRY(sink_write(s, "\n", 1, err));
        }
    }
done:
    row_batch_close(&b);
    return status;
}

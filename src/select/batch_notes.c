#include "select/batch_notes.h"

#include "base/context.h"
#include "base/error.h"
#include "data/sample/batches.h"
#include "select/leaks.h"

static const double MIN_V = 0.3, MAX_P = 0.01;

pare_status batch_notes_find(strings *notes, const pare_allocator *mem, const pare_data *data,
                             const target *y, const pare_ctx *ctx, pare_error *err) {
    int64_t kinds;
    const int32_t *kind = target_kinds(y, &kinds);
    arena scratch = arena_of(ctx);
    batch_list all;
    double v, p;
    pare_status status = PARE_OK;
    if (!data->batch.count || !kind) return PARE_OK;
    TRY(batches_of(&all, &scratch, data, err));
    TRY(batches_cramer(&v, &p, all.of, all.count, kind, kinds, data->x.n, ctx, err));
    if (v >= MIN_V && p < MAX_P)
        status = leaks_tell(notes, mem, ctx, err,
                            "batch and %s go together (Cramer's V %.2f): adjusting for batches may "
                            "take out what tells them apart; `leave_out` with the batches shows "
                            "whether the features hold in a batch that was not there",
                            y->cls ? "class" : "event", v);
done:
    arena_free(&scratch);
    return status;
}

#include "select/base.h"

#include <string.h>

#include "base/error.h"

static const double ROOM_BYTES = 256e6; /* for all bases that are alive at once */

int64_t bases_at_once(int64_t n, int64_t d, bool with_gram, const pare_ctx *ctx) {
    double room = ROOM_BYTES, each = 24 * (double)d + (with_gram ? 8 * (double)n * (double)n : 0);
    if (ctx && ctx->memory_bytes > 0 && (double)ctx->memory_bytes / 4 < room)
        room = (double)ctx->memory_bytes / 4;
    return each < room ? (int64_t)(room / each) : 1;
}

pare_status bases_make(part_base *out, const cv_part *part, int64_t count, const pare_data *data,
                       const target *y, const method *m, const method *classifier,
                       const all_settings *set, bool with_gram, const pare_ctx *ctx,
                       pare_error *err) {
    arena scratch;
    arena_init(&scratch, ctx_allocator(ctx));
    pare_status status = PARE_OK;
    memset(out, 0, sizeof *out * (size_t)count);
    view *v = ARENA_NEW(&scratch, view, count);
    double **K = ARENA_NEW(&scratch, double *, count);
    TRY_MEM(v);
    TRY_MEM(K);
    for (int64_t i = 0; i < count; i++) {
        TRY(fitting_begin(&out[i].f, data, y, part[i].train, part[i].n_train, m, classifier, set,
                          ctx, err));
        v[i] = out[i].f.x;
        if (!with_gram) continue;
        TRY_MEM(K[i] = ARENA_NEW(&out[i].f.mem, double, part[i].n_train *part[i].n_train));
        out[i].gram = K[i];
    }
    if (with_gram) TRY(mat_gram_many(count, v, NULL, K, ctx, err));
    for (int64_t i = 0; i < count; i++) out[i].f.gram = out[i].gram;
done:
    arena_free(&scratch);
    return status;
}

void bases_free(part_base *base, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (base[i].f.data) fitting_end(&base[i].f);
}

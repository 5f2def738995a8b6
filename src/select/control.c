#include "select/control.h"

#include "base/error.h"
#include "base/order.h"
#include "select/path.h"

enum { MIN_LISTED = 60 }; /* features shown, or all that are selected */

static pare_status keep(control_feature *out, pare_path *p, const pare_data *data, int64_t index,
                        double value, pare_error *err) {
    char made_up[32];
    *out = (control_feature){.index = index, .value = value};
    out->name = arena_text(&p->mem, pare_data_name(data, index, made_up));
    return out->name ? PARE_OK : error_memory(err);
}

pare_status control_list(control_result *out, pare_path *p, int64_t m, const double *value,
                         bool higher, double threshold, const pare_ctx *ctx, pare_error *err) {
    int64_t d = p->setup.method[m].d, selected = 0, most, count = 0;
    double nothing = higher ? 0 : 1; /* a proportion or q-value that is not listed */
    pare_status status = PARE_OK;
    for (int64_t j = 0; j < d; j++)
        selected += higher ? value[j] >= threshold : value[j] <= threshold;
    most = selected > MIN_LISTED ? selected : MIN_LISTED;
    ranked *best = mem_alloc(ctx_allocator(ctx), most, sizeof *best);
    TRY_MEM(best);
    for (int64_t j = 0; j < d; j++)
        keep_best(best, &count, most, (ranked){higher ? value[j] : -value[j], j});
    sort_best_first(best, count);
    TRY_MEM(out->feature = ARENA_NEW(&p->mem, control_feature, count));
    out->n_selected = selected;
    for (int64_t i = 0; i < count; i++) {
        double own = value[best[i].index];
        if (i >= selected && own == nothing) break;
        TRY(keep(&out->feature[out->n_listed++], p, p->setup.method[m].data, best[i].index, own,
                 err));
    }
    out->done = true;
done:
    mem_free(ctx_allocator(ctx), best);
    return status;
}

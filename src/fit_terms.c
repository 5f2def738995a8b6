/* Which columns of the data, in which powers, the selected monomials are made of. */
#include "fit_terms.h"

#include <string.h>

#include "base/error.h"
#include "data/monomials.h"
#include "data/terms.h"

/* Sets used[j] for the features of the selected monomials; returns how many terms there are. */
static int64_t mark(const pare_model *m, int64_t d, bool *used) {
    int64_t terms = 0, of[MONOMIAL_DEGREE_MAX];
    for (int64_t i = 0; i < m->n_selected; i++) {
        int p = monomial_factors(d, m->index[i], of);
        for (int k = 0; k < p; k++) {
            used[of[k]] = true;
            terms += k == 0 || of[k] != of[k - 1];
        }
    }
    return terms;
}

static pare_status name_bases(model_terms *t, arena *mem, const pare_data *data, const bool *used,
                              int64_t *place, pare_error *err) {
    int64_t d = data->x.d;
    for (int64_t j = 0; j < d; j++) t->n_base += used[j];
    t->base_index = ARENA_NEW(mem, int64_t, t->n_base);
    t->base_name = ARENA_NEW(mem, const char *, t->n_base);
    if (!t->base_index || !t->base_name) return error_memory(err);
    for (int64_t j = 0, at = 0; j < d; j++) {
        char made_up[32];
        if (!used[j]) continue;
        place[j] = at;
        t->base_index[at] = j;
        t->base_name[at] = arena_text(mem, pare_data_name(data, j, made_up));
        if (!t->base_name[at++]) return error_memory(err);
    }
    return PARE_OK;
}

pare_status fill_terms(pare_model *model, const pare_data *data, const pare_data *monomials,
                       pare_error *err) {
    int64_t d = data->x.d, of[MONOMIAL_DEGREE_MAX];
    arena *mem = &model->mem, scratch;
    arena_init(&scratch, &mem->mem);
    pare_status status = PARE_OK;
    bool *used = ARENA_ZERO(&scratch, bool, d);
    int64_t *place = ARENA_NEW(&scratch, int64_t, d);
    model_terms *t = ARENA_ZERO(mem, model_terms, 1);
    TRY_MEM(used);
    TRY_MEM(place);
    TRY_MEM(t);
    int64_t count = mark(model, d, used), at = 0;
    TRY(name_bases(t, mem, data, used, place, err));
    TRY_MEM(t->start = ARENA_NEW(mem, int64_t, model->n_selected + 1));
    TRY_MEM(t->base = ARENA_NEW(mem, int64_t, count));
    TRY_MEM(t->power = ARENA_NEW(mem, int64_t, count));
    for (int64_t i = 0; i < model->n_selected; i++) {
        int p = monomial_factors(d, model->index[i], of);
        t->start[i] = at;
        for (int k = 0; k < p; k++) {
            if (k > 0 && of[k] == of[k - 1]) {
                t->power[at - 1]++;
                continue;
            }
            t->base[at] = place[of[k]];
            t->power[at++] = 1;
        }
    }
    t->start[model->n_selected] = at;
    TRY_MEM(model->ranking_name = ARENA_NEW(mem, const char *, model->n_ranked));
    for (int64_t i = 0; i < model->n_ranked; i++)
        TRY_MEM(model->ranking_name[i] =
                    arena_text(mem, strings_at(&monomials->names, model->ranking[i])));
    model->terms = t;
    model->n_features = d;
done:
    arena_free(&scratch);
    return status;
}

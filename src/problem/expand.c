#include "problem/expand.h"

#include "base/error.h"
#include "data/feature/indicators.h"
#include "model/marked.h"
#include "model/predictor_monomials.h"

pare_status expansion_begin(expansion *e, const method *m, const expand_job *of,
                            const pare_ctx *ctx, pare_error *err) {
    const pare_data *given = of->data;
    expand_job own = *of;
    *e = (expansion){.given = given, .data = given};
    pare_status status = PARE_OK;
    if (given->groups.count > 0 && m->expand)
        return error_set(err, PARE_E_ARGUMENT, "`groups`: %s takes none: %s", m->name,
                         m->cannot_group);
    if (choice_is(of->set->common.missing, "indicator"))
        status = indicators_make(&e->marked, given, ctx, err);
    if (e->marked) e->data = e->marked;
    own.data = e->data;
    if (status == PARE_OK && m->expand) status = m->expand(&e->made, &own, ctx, err);
    if (e->made) e->data = e->made;
    return status;
}

void expansion_end(expansion *e) {
    pare_data_free(e->made);
    pare_data_free(e->marked);
    *e = (expansion){0};
}

static const pare_data *before_made(const expansion *e) { return e->marked ? e->marked : e->given; }

pare_status model_derived(int64_t **out, int64_t *count, const pare_model *m, arena *mem,
                          pare_error *err) {
    return monomials_used(out, count, m, mem, err);
}

pare_status model_see_expansion(pare_model *m, const expansion *e, arena *mem, pare_error *err) {
    return e->made ? monomials_see(m, e->made, mem, err) : PARE_OK;
}

pare_status model_on_expansion(pare_model *m, const expansion *e, pare_error *err) {
    pare_status status = PARE_OK;
    if (e->made) status = model_on_monomials(m, before_made(e), e->made, err);
    if (e->marked && status == PARE_OK) status = model_on_indicators(m, e->given, e->marked, err);
    return status;
}

bool expansion_match(const pare_model *m, const expansion *e) {
    return (!e->made || monomials_match(m, before_made(e), e->made)) && marked_match(m, e->given);
}

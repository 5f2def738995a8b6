/* Reading data for models: the columns that they need, and no others. */
#include <stdlib.h>

#include "cli.h"

static int64_t add(const char **names, int64_t at, int64_t *last, const char *const *name,
                   const int64_t *index, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        names[at++] = name[i];
        if (index[i] > *last) *last = index[i];
    }
    return at;
}

int read_needed(pare_data **out, options *o, int i, const pare_model *const *models, int count,
                const char ***names) {
    int64_t most = 1, used = 0, last = 0;
    bool imputes = true;
    for (int k = 0; k < count; k++) {
        const pare_model_info *m = pare_model_get(models[k]);
        most += m->n_needed + m->n_alternatives;
        imputes = imputes && m->imputes;
    }
    *names = malloc(sizeof **names * (size_t)most);
    if (!*names) {
        fputs("pare: not enough memory\n", stderr);
        return EXIT_RUN;
    }
    for (int k = 0; k < count; k++) {
        const pare_model_info *m = pare_model_get(models[k]);
        used = add(*names, used, &last, m->needed_name, m->needed_index, m->n_needed);
        if (o->read.only_present)
            used = add(*names, used, &last, m->alternative_name, m->alternative_index,
                       m->n_alternatives);
    }
    if (o->read.n_features < last + 1)
        o->read.n_features = last + 1; /* svmlight: empty last columns */
    o->read.only = *names;
    o->read.n_only = used;
    o->read.allow_missing = o->drop_missing || (imputes && !o->refuse_missing);
    return read_data(out, o, i);
}

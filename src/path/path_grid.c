/* The settings that --tune chooses from: the method's own grid (methods.def), times that of its
 * final classifier. A setting that was given, or that another given setting makes irrelevant, is
 * not tuned. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "path/path_setup.h"
#include "select/fitting.h"

enum { MAX_AXES = 8, NAME_SIZE = 64, MAX_SETTINGS = 10000 };

typedef struct axis {
    settings_group group;
    const char *name;
    int64_t count;
    const char **value;
} axis;

typedef struct axes {
    int64_t count, own; /* the final classifier's come last */
    axis at[MAX_AXES];
} axes;

static bool is_default(const all_settings *set, settings_group group, const char *name) {
    all_settings plain;
    setting_value a, b;
    settings_defaults(&plain);
    return settings_named(&a, set, group, name) && settings_named(&b, &plain, group, name) &&
           setting_same(&a, &b);
}

/* X_ratio is in use while X is automatic, C while there is no ridge. */
static bool in_use(const all_settings *set, settings_group group, const char *name) {
    char other[NAME_SIZE];
    setting_value v;
    size_t length = strlen(name);
    if (length > 6 && length < NAME_SIZE && strcmp(name + length - 6, "_ratio") == 0) {
        memcpy(other, name, length - 6);
        other[length - 6] = '\0';
        return !settings_named(&v, set, group, other) || v.is_auto;
    }
    if (strcmp(name, "C") == 0) return !settings_named(&v, set, group, "ridge") || !(v.real > 0);
    return true;
}

static const char *grid_text(const method *m) {
    all_settings plain;
    setting_value v;
    settings_defaults(&plain);
    if (m->tune || !settings_named(&v, &plain, m->group, "lambda_ratio")) return m->tune;
    return "lambda_ratio 0.01 0.03 0.1 0.3 0.6";
}

/* Cuts the next word off *text, after blanks. */
static char *next_word(char **text, char end) {
    char *word = *text + strspn(*text, " ");
    char *behind = strchr(word, end);
    *text = behind ? behind + 1 : word + strlen(word);
    if (behind) *behind = '\0';
    return word;
}

/* "NAME VALUE...", cut into its words. */
static pare_status read_axis(axis *x, char *text, arena *mem, pare_error *err) {
    int64_t capacity = 1;
    for (const char *c = text; *c; c++) capacity += *c == ' ';
    char *name = next_word(&text, ' ');
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
    x->name = name;
    x->value = ARENA_NEW(mem, const char *, capacity);
    if (!x->value) return error_memory(err);
    while (*text) {
        const char *value = next_word(&text, ' ');
        if (*value) x->value[x->count++] = value;
    }
    if (x->count == 0)
        return error_set(err, PARE_E_ARGUMENT,
                         "`grid`: setting \"%.64s\" has no values; expected \"name value ..., name "
                         "value ...\"",
                         x->name);
    return PARE_OK;
}

/* A name from the user: at most once, and none that defines the problem. */
static pare_status check_name(const axes *a, const char *name, pare_error *err) {
    static const char *const fixed[] = {"k", "budget", "task", "positive", "missing"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i]) == 0)
            return error_set(err, PARE_E_ARGUMENT, "`grid`: %s cannot be tuned", name);
    for (int64_t i = 0; i < a->count; i++)
        if (strcmp(name, a->at[i].name) == 0)
            return error_set(err, PARE_E_ARGUMENT, "`grid`: setting \"%.64s\" is named twice",
                             name);
    return PARE_OK;
}

/* Whether the axis is to be tuned; an axis of the final classifier becomes a common setting where
 * one exists. */
static bool is_open(axis *x, bool final, const all_settings *set) {
    char common[NAME_SIZE];
    setting_value v;
    bool used = final ? !(set->common.classifier_ridge > 0) : in_use(set, x->group, x->name);
    snprintf(common, sizeof common, "classifier_%s", x->name);
    if (final && settings_named(&v, set, GROUP_common, common)) {
        x->group = GROUP_common;
        x->name = v.name;
    }
    return used && is_default(set, x->group, x->name);
}

/* Adds the axes of "NAME VALUE..., NAME VALUE..." of the method itself or of its final classifier.
 * asked: the user wrote the text, so that every axis of it is tuned. */
static pare_status add_axes(axes *a, pare_path *p, const method *m, const method *of,
                            const char *grid, bool asked, const all_settings *set,
                            pare_error *err) {
    char *text = grid ? arena_text(&p->mem, grid) : NULL;
    pare_status status = PARE_OK;
    if (!grid) return PARE_OK;
    TRY_MEM(text);
    while (*text || (asked && a->count == 0)) {
        if (a->count == MAX_AXES) {
            status =
                error_set(err, PARE_E_ARGUMENT, "`grid`: more than %d settings at once", MAX_AXES);
            goto done;
        }
        axis *x = &a->at[a->count];
        *x = (axis){.group = of->group};
        TRY(read_axis(x, next_word(&text, ','), &p->mem, err));
        if (asked) TRY(check_name(a, x->name, err));
        if (asked || is_open(x, of != m, set))
            a->count++;
        else
            TRY(path_note(p, err, "%s: %s is not tuned, for what was given settles it", m->name,
                          x->name));
    }
done:
    return status;
}

static pare_status name_axes(pare_path *p, path_method *m, const axes *a, pare_error *err) {
    char names[MAX_AXES * NAME_SIZE] = "";
    for (int64_t i = 0; i < a->count; i++) {
        if (i > 0) strcat(names, " ");
        bool other = a->at[i].group != m->m->group && a->at[i].group != GROUP_common;
        if (other) strcat(names, "classifier_");
        strncat(names, a->at[i].name, NAME_SIZE - 16);
    }
    m->tuned = arena_text(&p->mem, names);
    return m->tuned ? PARE_OK : error_memory(err);
}

pare_status path_grid(pare_path *p, path_method *m, const all_settings *given,
                      const pare_path_options *o, pare_error *err) {
    axes a = {0};
    m->n_grid = m->n_final = 1;
    if (o->tune) {
        bool final = ends_in_classifier(m->m, given) && !m->m->final && !o->grid;
        PASS(add_axes(&a, p, m->m, m->m, o->grid ? o->grid : grid_text(m->m), o->grid != NULL,
                      given, err));
        a.own = a.count;
        if (final)
            PASS(add_axes(&a, p, m->m, m->classifier, grid_text(m->classifier), false, given, err));
        if (a.count == 0) PASS(path_note(p, err, "%s has no setting that is tuned", m->name));
        if (a.count > 0) PASS(name_axes(p, m, &a, err));
    }
    for (int64_t i = 0; i < a.count; i++) {
        m->n_grid *= a.at[i].count;
        if (i >= a.own) m->n_final *= a.at[i].count;
        if (m->n_grid > MAX_SETTINGS)
            return error_set(err, PARE_E_ARGUMENT, "`grid`: more than %d settings", MAX_SETTINGS);
    }
    PASS_MEM(m->grid = ARENA_NEW(&p->mem, all_settings, m->n_grid));
    for (int64_t g = 0; g < m->n_grid; g++) {
        int64_t block = m->n_grid, at = g; /* the last axis varies fastest */
        m->grid[g] = *given;
        strcpy(m->grid[g].common.task, p->y.task->word);
        for (int64_t i = 0; i < a.count; i++) {
            const axis *x = &a.at[i];
            pare_settings one = {.group = x->group, .v = m->grid[g]};
            block /= x->count;
            pare_error why;
            if (pare_settings_set(&one, x->name, x->value[at / block], &why) != PARE_OK)
                PASS(error_set(err, why.code, "`grid`: %s", why.message));
            at %= block;
            m->grid[g] = one.v;
        }
    }
    return PARE_OK;
}

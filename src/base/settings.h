/* The settings structs, made from settings.def: one struct per method, all of them in all_settings.
 * A method reads its own through job->set->svm.C; what an automatic value became is in its
 * result. */
#ifndef PARE_BASE_SETTINGS_H
#define PARE_BASE_SETTINGS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <pare/settings.h>

enum { CHOICE_SIZE = 24, TEXT_SIZE = 256 };

#define GROUP(id, title) typedef struct id##_settings {
#define END(id)                                                                                    \
    char end;                                                                                      \
    }                                                                                              \
    id##_settings;
#define REAL(group, name, fallback, lo, hi, flags, doc) double name;
#define INTEGER(group, name, fallback, lo, hi, flags, doc) int64_t name;
#define FLAG(group, name, fallback, doc) bool name;
#define CHOICE(group, name, fallback, choices, doc) char name[CHOICE_SIZE]; /* one of the words */
#define TEXT(group, name, fallback, doc) char name[TEXT_SIZE];
#include "settings.def"
#undef GROUP
#undef END
#undef REAL
#undef INTEGER
#undef FLAG
#undef CHOICE
#undef TEXT

#define REAL(group, name, fallback, lo, hi, flags, doc)
#define INTEGER(group, name, fallback, lo, hi, flags, doc)
#define FLAG(group, name, fallback, doc)
#define CHOICE(group, name, fallback, choices, doc)
#define TEXT(group, name, fallback, doc)
#define END(id)
typedef struct all_settings {
#define GROUP(id, title) id##_settings id;
#include "settings.def"
#undef GROUP
} all_settings;

typedef enum settings_group {
#define GROUP(id, title) GROUP_##id,
#include "settings.def"
#undef GROUP
    GROUP_COUNT
} settings_group;
#undef REAL
#undef INTEGER
#undef FLAG
#undef CHOICE
#undef TEXT
#undef END

typedef enum setting_type {
    SETTING_REAL,
    SETTING_INTEGER,
    SETTING_FLAG,
    SETTING_CHOICE,
    SETTING_TEXT
} setting_type;

struct pare_settings {
    pare_allocator mem;
    settings_group group;
    all_settings v;
};

/* All defaults, for methods that run other methods. */
void settings_defaults(all_settings *v);

/* One setting in effect, for the model file. */
typedef struct setting_value {
    const char *name;
    setting_type type;
    bool is_auto; /* an automatic value that is not resolved */
    double real;  /* may be infinite */
    int64_t integer;
    bool flag;
    const char *text; /* choice or text */
} setting_value;

/* As pare_settings_set, of a model file: also what a fit wrote there. */
PARE_NODISCARD pare_status settings_read(pare_settings *settings, const char *name,
                                         const char *value, pare_error *err);

/* The i-th word of a choice that all methods have; returns false if there are no more. */
bool settings_choice(const char *name, int64_t i, char word[CHOICE_SIZE]);

/* Whether `whole` stands for methods of which `part` is one, whose settings it takes. */
bool settings_is_part(settings_group whole, settings_group part);
/* The i-th own setting of a group that is not at its default; NULL: there are no more. */
const char *settings_changed(const all_settings *v, settings_group group, int64_t i);

int64_t settings_count(settings_group group);
/* The i-th that applies: the group's own, then the common ones. */
setting_value settings_value(const all_settings *v, settings_group group, int64_t i);
/* The one of that name; false: none applies. */
bool settings_named(setting_value *out, const all_settings *v, settings_group group,
                    const char *name);

/* The same; zeros if none applies. */
setting_value settings_get(const all_settings *v, settings_group group, const char *name);

/* The struct of one group, id##_settings. */
const void *settings_of(const all_settings *v, settings_group group);

/* Returns true if two values of a setting are equal. */
bool setting_same(const setting_value *a, const setting_value *b);

/* Copies the values of one group. */
void settings_copy(all_settings *to, const all_settings *from, settings_group group);
/* Copies settings of one group into those of the same names in another, blank-separated; of
 * "name=word" the word. Both groups must have them. */
void settings_hand_on(all_settings *v, settings_group to, settings_group from, const char *names);
/* Sets a number by its name, which must be there. */
void settings_put(all_settings *v, settings_group group, const char *name, double value);

/* Returns true if the choice is this word. */
bool choice_is(const char *choice, const char *word);

#endif

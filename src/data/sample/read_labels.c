#include "data/sample/read_labels.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/cell.h"
#include "data/format/odd_number.h"

/* Of two bytes, U+0080 to U+07ff. */
static unsigned lower_of(unsigned c) {
    if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) ||
        (c >= 0x410 && c <= 0x42f))
        return c + 0x20;
    if (c >= 0x400 && c <= 0x40f) return c + 0x50;
    bool odd =
        (c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e); /* capitals are odd there */
    if (odd) return c % 2 ? c + 1 : c;
    if (c == 0x178) return 0xff;
    if (c >= 0x100 && c <= 0x177 && c != 0x130 && c != 0x131 && c != 0x138 && c != 0x149)
        return c % 2 ? c : c + 1;
    return c;
}

int letter_lower(const char **p, char out[4]) {
    unsigned char a = (unsigned char)(*p)[0], b = a ? (unsigned char)(*p)[1] : 0;
    out[0] = (char)(a >= 'A' && a <= 'Z' ? a + 32 : a);
    ++*p;
    if (a < 0xc2 || a > 0xdf || (b & 0xc0) != 0x80) return 1;
    unsigned c = lower_of((a & 0x1fu) << 6 | (b & 0x3fu));
    out[0] = (char)(0xc0 | c >> 6);
    out[1] = (char)(0x80 | (c & 0x3f));
    ++*p;
    return 2;
}

/* The target of a sample is missing. */
static pare_status refuse_missing(const data_builder *b, const char *text, const char *where,
                                  pare_error *err) {
    place at = {where, b->odd_target.line, b->odd_target.column, -1, NULL, b->odd_target.sheet,
                false};
    char shown[CELL_SHOWN];
    return place_error(err, &at, "the target is missing (%s); choose `missing drop`",
                       cell_shown(text, (int64_t)strlen(text), shown));
}

/* What the target holds besides texts that mean a missing number. */
typedef struct numeric_look {
    const char *missing; /* the first such text that is not empty; or NULL */
    bool numbers;        /* all others are numbers */
    bool measured;       /* and too many, or fractions, for classes */
} numeric_look;

static numeric_look look_at(const strings *text) {
    enum { MAX_CLASSES = 20 }; /* as in task/resolve.c */
    numeric_look l = {.numbers = true};
    double value, seen[MAX_CLASSES];
    int64_t distinct = 0;
    for (int64_t i = 0; i < text->count && l.numbers; i++) {
        const char *label = strings_at(text, i);
        int64_t length = (int64_t)strlen(label), k = 0;
        if (length == 0) continue;
        if (cell_is_missing_number(label, length)) {
            if (!l.missing) l.missing = label;
            continue;
        }
        l.numbers = number_parse_all(label, &value);
        while (l.numbers && k < distinct && seen[k] != value) k++;
        bool more = l.numbers && k == distinct;
        if (more && distinct < MAX_CLASSES)
            seen[distinct++] = value;
        else if (more)
            l.measured = true;
        l.measured = l.measured || (l.numbers && value != floor(value));
    }
    l.numbers = l.numbers && distinct > 0;
    return l;
}

static void say_beside_numbers(const char *label, const char *where, const pare_ctx *ctx) {
    char shown[CELL_SHOWN], item[CELL_ITEM];
    int64_t length = (int64_t)strlen(label);
    ctx_log(ctx, PARE_LOG_WARNING,
            "%s: the label %s stands beside numbers and is a class: `na` %s takes it for missing",
            where, cell_shown(label, length, shown), cell_item(label, length, item));
}

/* Texts that mean a missing number, if all others are numbers; beside classes they are labels. */
static pare_status settle_missing(data_builder *b, const char *where, const pare_ctx *ctx,
                                  pare_error *err) {
    pare_data *data = b->data;
    strings *text = &data->target.text, made = {0};
    numeric_look l = look_at(text);
    if (!l.missing || !l.numbers) return PARE_OK;
    if (!l.measured) {
        say_beside_numbers(l.missing, where, ctx);
        return PARE_OK;
    }
    if (!b->drop_unlabelled) return refuse_missing(b, l.missing, where, err);
    for (int64_t i = 0; i < text->count; i++) {
        const char *label = strings_at(text, i);
        int64_t length = (int64_t)strlen(label);
        if (cell_is_missing_number(label, length)) length = 0;
        if (!strings_add(&made, &data->mem, label, length)) {
            strings_free(&made, &data->mem);
            return error_memory(err);
        }
    }
    strings_free(text, &data->mem);
    *text = made;
    return PARE_OK;
}

/* The first label that is a number in another notation, or that is a text while most others are
 * numbers, too many or too fine for classes; NULL: there is none. *kind: of the number. */
static const char *find_unlikely(const strings *text, odd_number *kind) {
    int64_t numbers = 0, others = 0;
    const char *first = NULL;
    double value;
    bool fine = false;
    for (int64_t i = 0; i < text->count; i++) {
        const char *label = strings_at(text, i);
        int64_t length = (int64_t)strlen(label);
        if (length == 0 || cell_is_missing_number(label, length)) continue;
        bool number = number_parse_all(label, &value);
        *kind = number ? ODD_NONE : odd_number_of(label, length);
        if (*kind >= ODD_GROUPED && *kind <= ODD_MINUS) return label;
        if (!number && !first) first = label;
        numbers += number;
        others += !number;
        fine = fine || (number && value != floor(value));
    }
    *kind = ODD_NONE;
    return fine && numbers > others ? first : NULL;
}

static void warn_of_unlikely(const strings *text, const char *where, const pare_ctx *ctx) {
    odd_number kind;
    char shown[CELL_SHOWN];
    bool unused;
    const char *label = find_unlikely(text, &kind);
    if (!label) return;
    int64_t length = (int64_t)strlen(label);
    if (kind == ODD_NONE)
        say_beside_numbers(label, where, ctx);
    else
        ctx_log(ctx, PARE_LOG_WARNING, "%s: the label %s is a class and no number%s", where,
                cell_shown(label, length, shown), odd_number_advice(kind, true, NULL, &unused));
}

/* The label in lower case at the end of the list. */
static bool add_lower(strings *list, const char *label, char *buffer, const pare_allocator *mem) {
    int64_t length = 0;
    for (const char *p = label; *p;) length += letter_lower(&p, buffer + length);
    return strings_add(list, mem, buffer, length);
}

/* The different labels, in lower case too, and how often each is there. */
typedef struct label_cases {
    strings label, lower;
    int64_t *count, *first; /* of each: samples, and the first label with the same lower case */
    int64_t *of;            /* each sample's label */
    strings_index labels, lowers;
} label_cases;

static pare_status find_cases(label_cases *c, const strings *text, const pare_allocator *mem,
                              pare_error *err) {
    strings_index all = {0};
    int64_t duplicate, longest = 0, n = text->count;
    int64_t *position = mem_alloc(mem, n, sizeof *position);
    char *buffer = NULL;
    pare_status status = PARE_OK;
    TRY_MEM(position);
    TRY_MEM(strings_index_make(&all, text, mem, &duplicate));
    TRY_MEM(c->of = mem_alloc(mem, n, sizeof *c->of));
    TRY_MEM(c->count = mem_zero(mem, n, sizeof *c->count));
    TRY_MEM(c->first = mem_alloc(mem, n, sizeof *c->first));
    for (int64_t i = 0; i < n; i++) {
        const char *label = strings_at(text, i);
        int64_t length = (int64_t)strlen(label), at = strings_index_find(&all, label, length);
        if (at == i) {
            position[i] = c->label.count;
            TRY_MEM(strings_add(&c->label, mem, label, length));
        }
        c->of[i] = position[at];
        c->count[c->of[i]]++;
        if (length > longest) longest = length;
    }
    TRY_MEM(buffer = mem_alloc(mem, 2 * longest + 4, 1));
    for (int64_t k = 0; k < c->label.count; k++)
        TRY_MEM(add_lower(&c->lower, strings_at(&c->label, k), buffer, mem));
    TRY_MEM(strings_index_make(&c->lowers, &c->lower, mem, &duplicate));
    for (int64_t k = 0; k < c->label.count; k++) {
        const char *lower = strings_at(&c->lower, k);
        c->first[k] = strings_index_find(&c->lowers, lower, (int64_t)strlen(lower));
    }
done:
    strings_index_free(&all, mem);
    mem_free(mem, position);
    mem_free(mem, buffer);
    return status;
}

static void free_cases(label_cases *c, const pare_allocator *mem) {
    strings_index_free(&c->lowers, mem);
    strings_free(&c->label, mem);
    strings_free(&c->lower, mem);
    mem_free(mem, c->count);
    mem_free(mem, c->first);
    mem_free(mem, c->of);
}

static pare_status merge_cases(const label_cases *c, strings *text, const pare_allocator *mem,
                               pare_error *err) {
    strings made = {0};
    for (int64_t i = 0; i < text->count; i++) {
        const char *label = strings_at(&c->label, c->first[c->of[i]]);
        if (!strings_add(&made, mem, label, (int64_t)strlen(label))) {
            strings_free(&made, mem);
            return error_memory(err);
        }
    }
    strings_free(text, mem);
    *text = made;
    return PARE_OK;
}

static void warn_of_cases(const label_cases *c, const char *where, const pare_ctx *ctx) {
    char one[CELL_SHOWN], other[CELL_SHOWN];
    for (int64_t k = 0; k < c->label.count; k++) {
        if (c->first[k] == k) continue;
        const char *label = strings_at(&c->label, k), *before = strings_at(&c->label, c->first[k]);
        int64_t samples = c->count[c->first[k]];
        ctx_log(ctx, PARE_LOG_WARNING,
                "%s: the labels %s (%" PRId64 " sample%s) and %s (%" PRId64
                ") differ in letter case only and are two classes: `merge_case` makes them one, "
                "`labels` reads corrected ones",
                where, cell_shown(before, (int64_t)strlen(before), one), samples,
                samples == 1 ? "" : "s", cell_shown(label, (int64_t)strlen(label), other),
                c->count[k]);
    }
}

/* Whether one is a word: numbers have no letter case. */
static bool any_word(const strings *text) {
    double value;
    for (int64_t i = 0; i < text->count; i++)
        if (*strings_at(text, i) && !number_parse_all(strings_at(text, i), &value)) return true;
    return false;
}

pare_status labels_settle(data_builder *b, bool merge, const char *where, const pare_ctx *ctx,
                          pare_error *err) {
    pare_data *data = b->data;
    strings *text = &data->target.text;
    label_cases c = {0};
    pare_status status = PARE_OK;
    TRY(settle_missing(b, where, ctx, err));
    if (!any_word(text)) return PARE_OK;
    warn_of_unlikely(text, where, ctx);
    TRY(find_cases(&c, text, &data->mem, err));
    if (merge)
        TRY(merge_cases(&c, text, &data->mem, err));
    else
        warn_of_cases(&c, where, ctx);
done:
    free_cases(&c, &data->mem);
    return status;
}

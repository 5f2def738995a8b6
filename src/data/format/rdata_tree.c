/* R's serialisation ("R Internals", section 1.8), versions 2 and 3, in XDR form: every item is a word of
 * flags with its type, then what the type says, then its attributes. Memory grows with what was read,
 * never with what the file claims; items within items are read to MAX_DEPTH. */
#include "data/format/rdata_tree.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "data/format/rdata_parts.h"

enum { MAX_DEPTH = 1000 };

/* --- items --- */

static pare_status take_flagged(rdata *r, int32_t flags, int depth, robject **out, pare_error *err);

static pare_status take_texts(rdata *r, robject **out, pare_error *err) {
    int64_t length;
    PASS(rdata_new(r, ROBJECT_TEXT, out, err));
    PASS(rdata_take_length(r, &length, err));
    (*out)->text = r->texts.count;
    for (int64_t i = 0; i < length; i++) PASS(rdata_take_text(r, err));
    (*out)->length = length;
    return PARE_OK;
}

static pare_status take_numbers(rdata *r, int type, robject **out, pare_error *err) {
    static const robject_type types[] = {
        [LOGICAL] = ROBJECT_LOGICAL, [INTEGER] = ROBJECT_INTEGER, [REAL] = ROBJECT_REAL};
    int size = type == REAL ? 8 : 4;
    PASS(rdata_new(r, types[type], out, err));
    robject *o = *out;
    PASS(rdata_take_length(r, &o->length, err));
    o->at = r->s->base + (int64_t)r->s->at;
    if (o->length > ROBJECT_KEPT) return rdata_skip(r, size * o->length, err);
    PASS(rdata_need(r, (size_t)(size * o->length), err));
    PASS(rdata_count_bytes(r, 8.0 * (double)o->length + 64, err));
    PASS_MEM(o->kept = ARENA_NEW(&r->memory, double, o->length));
    for (int64_t i = 0; i < o->length; i++, r->s->at += (size_t)size) {
        const char *p = r->s->buffer + r->s->at;
        o->kept[i] = size == 8 ? rdata_real(p) : rdata_integer(p);
    }
    return PARE_OK;
}

static pare_status take_list(rdata *r, int depth, robject **out, pare_error *err) {
    int64_t length, capacity = 0;
    robject **child = NULL;
    PASS(rdata_new(r, ROBJECT_LIST, out, err));
    PASS(rdata_take_length(r, &length, err));
    for (int64_t i = 0; i < length; i++) {
        if (i == capacity) { /* grows with what is there */
            int64_t larger = capacity ? 2 * capacity : 8;
            if (larger > length) larger = length;
            PASS(rdata_count_bytes(r, 8.0 * (double)larger, err));
            robject **moved = ARENA_NEW(&r->memory, robject *, larger);
            PASS_MEM(moved);
            if (i) memcpy(moved, child, (size_t)i * sizeof *child);
            child = moved;
            capacity = larger;
        }
        PASS(rdata_take_item(r, depth + 1, &child[i], err));
    }
    (*out)->child = child;
    (*out)->length = length;
    return PARE_OK;
}

static bool is_pair(int type) {
    return type == PAIRLIST || type == CLOSURE || type == PROMISE || type == CALL || type == DOTS;
}

/* A pairlist, element by element; and what is laid out like one. */
static pare_status take_pairs(rdata *r, int32_t flags, int depth, robject **out, pare_error *err) {
    robject *last = NULL, *pair, *item;
    int type = flags & 255;
    bool list = type == PAIRLIST;
    for (; is_pair(type); type = flags & 255) {
        PASS(rdata_new(r, list ? ROBJECT_PAIRS : ROBJECT_OTHER, &pair, err));
        pair->what = type == CLOSURE ? "a function" : "an expression";
        if (flags & HAS_ATTRIBUTES) {
            PASS(rdata_take_item(r, depth + 1, &item, err));
            pair->attributes = item;
        }
        if (flags & HAS_TAG) {
            PASS(rdata_take_item(r, depth + 1, &item, err));
            pair->tag = item;
        }
        PASS(rdata_take_item(r, depth + 1, &item, err));
        pair->value = item;
        if (last)
            last->next = pair;
        else
            *out = pair;
        last = pair;
        PASS(rdata_take_integer(r, &flags, err));
    }
    PASS(take_flagged(r, flags, depth + 1, &item, err));
    if (item->type != ROBJECT_NULL) last->next = item;
    return PARE_OK;
}

static pare_status take_symbol(rdata *r, robject **out, pare_error *err) {
    PASS(rdata_new(r, ROBJECT_SYMBOL, out, err));
    (*out)->text = r->texts.count;
    PASS(rdata_take_text(r, err));
    return rdata_remember(r, *out, err);
}

static pare_status take_environment(rdata *r, int depth, robject **out, pare_error *err) {
    int32_t locked;
    robject *part;
    PASS(rdata_other(r, "an environment", out, err));
    PASS(rdata_remember(r, *out, err)); /* before what is in it */
    PASS(rdata_take_integer(r, &locked, err));
    for (int k = 0; k < 4; k++) PASS(rdata_take_item(r, depth + 1, &part, err));
    return PARE_OK;
}

/* Names of packages and the like, written as texts. */
static pare_status take_names(rdata *r, robject **out, pare_error *err) {
    int32_t zero, length;
    PASS(rdata_take_integer(r, &zero, err));
    PASS(rdata_take_integer(r, &length, err));
    for (int32_t i = 0; i < length; i++) PASS(rdata_take_text(r, err));
    PASS(rdata_other(r, "an environment", out, err));
    return rdata_remember(r, *out, err);
}

static pare_status take_reference(rdata *r, int32_t flags, robject **out, pare_error *err) {
    int32_t index = flags >> 8;
    if (index == 0) PASS(rdata_take_integer(r, &index, err));
    if (index < 1 || index > r->references) return rdata_damaged(r, "a reference to nothing", err);
    *out = r->reference[index - 1];
    return PARE_OK;
}

/* --- vectors in other forms --- */

static const robject *element(const robject *pairs, int i) {
    for (; pairs && pairs->type == ROBJECT_PAIRS; pairs = pairs->next)
        if (i-- == 0) return pairs->value;
    return NULL;
}

static bool begins_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static pare_status sequence(rdata *r, bool integers, const robject *state, robject **out,
                            pare_error *err) {
    if (state->type != ROBJECT_REAL || state->length != 3 || !state->kept ||
        !(state->kept[0] >= 0) || state->kept[0] > (double)((int64_t)1 << 44))
        return rdata_damaged(r, "a sequence without its ends", err);
    PASS(rdata_new(r, integers ? ROBJECT_INTEGER : ROBJECT_REAL, out, err));
    (*out)->sequence = true;
    (*out)->length = (int64_t)state->kept[0];
    (*out)->start = state->kept[1];
    (*out)->step = state->kept[2];
    return PARE_OK;
}

/* Numbers whose texts R had not made yet. */
static pare_status deferred(rdata *r, const robject *state, robject **out, pare_error *err) {
    const robject *numbers = state->type == ROBJECT_PAIRS ? state->value : NULL;
    if (!numbers || (numbers->type != ROBJECT_INTEGER && numbers->type != ROBJECT_REAL))
        return rdata_damaged(r, "texts without their numbers", err);
    PASS(rdata_new(r, ROBJECT_TEXT, out, err));
    (*out)->length = numbers->length;
    (*out)->numbers = numbers;
    return PARE_OK;
}

/* A vector of which R knows that it is sorted, or has no missing values. */
static const robject *wrapped(const robject *state) {
    if (state->type == ROBJECT_PAIRS) return state->value;
    return state->type == ROBJECT_LIST && state->length > 0 ? state->child[0] : NULL;
}

static pare_status take_alternative(rdata *r, int depth, robject **out, pare_error *err) {
    robject *info, *state, *attributes;
    PASS(rdata_take_item(r, depth + 1, &info, err));
    PASS(rdata_take_item(r, depth + 1, &state, err));
    PASS(rdata_take_item(r, depth + 1, &attributes, err));
    const robject *form = element(info, 0);
    if (!form || form->type != ROBJECT_SYMBOL)
        return rdata_damaged(r, "a vector without a form", err);
    const char *name = rdata_text(r, form, 0);
    if (begins_with(name, "compact_")) {
        PASS(sequence(r, strcmp(name, "compact_intseq") == 0, state, out, err));
    } else if (strcmp(name, "deferred_string") == 0) {
        PASS(deferred(r, state, out, err));
    } else if (begins_with(name, "wrap_") && wrapped(state)) {
        PASS(rdata_new(r, ROBJECT_NULL, out, err));
        **out = *wrapped(state);
    } else {
        PASS(rdata_other(r, "a vector in a form of another package", out, err));
    }
    if (attributes->type == ROBJECT_PAIRS) (*out)->attributes = attributes;
    return PARE_OK;
}

/* --- all of them --- */

static pare_status take_vector(rdata *r, int32_t flags, int depth, robject **out, pare_error *err) {
    int64_t length;
    int type = flags & 255;
    robject *attributes;
    switch (type) {
    case LOGICAL:
    case INTEGER:
    case REAL: PASS(take_numbers(r, type, out, err)); break;
    case TEXTS: PASS(take_texts(r, out, err)); break;
    case LIST:
    case EXPRESSION: PASS(take_list(r, depth, out, err)); break;
    case S4: PASS(rdata_new(r, ROBJECT_S4, out, err)); break;
    case COMPLEX:
    case RAW:
    default:
        PASS(rdata_take_length(r, &length, err));
        PASS(rdata_skip(r, type == RAW ? length : 16 * length, err));
        PASS(rdata_other(r, type == RAW ? "raw bytes" : "complex numbers", out, err));
    }
    if (flags & HAS_ATTRIBUTES) {
        PASS(rdata_take_item(r, depth + 1, &attributes, err));
        if (attributes->type == ROBJECT_PAIRS) (*out)->attributes = attributes;
    }
    return PARE_OK;
}

/* What no data set is made of. */
static pare_status take_other(rdata *r, int32_t flags, int depth, robject **out, pare_error *err) {
    int32_t length;
    robject *part;
    switch (flags & 255) {
    case SPECIAL:
    case BUILTIN:
        PASS(rdata_take_integer(r, &length, err));
        if (length < 0) return rdata_damaged(r, "a length below 0", err);
        PASS(rdata_skip(r, length, err));
        PASS(rdata_other(r, "a function", out, err));
        break;
    case POINTER:
        PASS(rdata_other(r, "a pointer", out, err));
        PASS(rdata_remember(r, *out, err));
        PASS(rdata_take_item(r, depth + 1, &part, err));
        PASS(rdata_take_item(r, depth + 1, &part, err));
        break;
    case WEAK:
        PASS(rdata_other(r, "a weak reference", out, err));
        PASS(rdata_remember(r, *out, err));
        break;
    case BYTE_CODE:
        PASS(rdata_take_code(r, depth, err));
        PASS(rdata_other(r, "a function", out, err));
        break;
    case BASE_ENVIRONMENT:
    case EMPTY_ENVIRONMENT:
    case BASE_NAMESPACE:
    case GLOBAL_ENVIRONMENT: return rdata_other(r, "an environment", out, err);
    case MISSING_ARGUMENT:
    case UNBOUND: return rdata_other(r, "nothing", out, err);
    default: return rdata_damaged(r, "an unknown type", err);
    }
    if (flags & HAS_ATTRIBUTES) PASS(rdata_take_item(r, depth + 1, &part, err));
    return PARE_OK;
}

static pare_status take_flagged(rdata *r, int32_t flags, int depth, robject **out,
                                pare_error *err) {
    int type = flags & 255;
    if (depth > MAX_DEPTH) return rdata_damaged(r, "its objects are nested too deeply", err);
    if (is_pair(type)) return take_pairs(r, flags, depth, out, err);
    switch (type) {
    case NIL: *out = r->nothing; return PARE_OK;
    case SYMBOL: return take_symbol(r, out, err);
    case REFERENCE: return take_reference(r, flags, out, err);
    case ENVIRONMENT: return take_environment(r, depth, out, err);
    case NAMESPACE:
    case PACKAGE:
    case PERSISTENT: return take_names(r, out, err);
    case ALTERNATIVE: return take_alternative(r, depth, out, err);
    case LOGICAL:
    case INTEGER:
    case REAL:
    case COMPLEX:
    case TEXTS:
    case LIST:
    case EXPRESSION:
    case RAW:
    case S4: return take_vector(r, flags, depth, out, err);
    default: return take_other(r, flags, depth, out, err);
    }
}

pare_status rdata_take_item(rdata *r, int depth, robject **out, pare_error *err) {
    int32_t flags;
    pare_status status = rdata_take_integer(r, &flags, err);
    *out = r->nothing;
    return status == PARE_OK ? take_flagged(r, flags, depth, out, err) : status;
}

/* --- the file --- */

static pare_status refuse_form(const rdata *r, const char *form, pare_error *err) {
    return error_set(err, PARE_E_FORMAT,
                     "%s is %s; save it again with saveRDS or save and their defaults", r->name,
                     form);
}

/* The first bytes: which kind of file, and that its numbers are in XDR form. */
static pare_status take_kind(rdata *r, pare_error *err) {
    stream *s = r->s;
    pare_status status = PARE_OK;
    while (s->end - s->at < 7 && !s->eof && status == PARE_OK) status = stream_fill(s, err);
    if (status != PARE_OK) return status;
    const char *p = s->buffer + s->at;
    size_t size = s->end - s->at;
    bool saved = size >= 7 && p[0] == 'R' && p[1] == 'D' && p[4] == '\n';
    if (saved && (p[2] == 'A' || p[2] == 'B'))
        return refuse_form(
            r, p[2] == 'A' ? "written as text" : "written in the machine's byte order", err);
    if (saved && (p[3] == '2' || p[3] == '3')) {
        r->named = true;
        p += 5;
    } else if (saved && p[2] == 'X') {
        return refuse_form(r, "of an R before 1.4", err);
    }
    if (size >= 2 && !saved && p[0] == 'A' && p[1] == '\n')
        return refuse_form(r, "written as text", err);
    if (size >= 2 && !saved && p[0] == 'B' && p[1] == '\n')
        return refuse_form(r, "written in the machine's byte order", err);
    if (size < 7 || p[0] != 'X' || p[1] != '\n')
        return error_set(err, PARE_E_FORMAT,
                         "%s is no file of R's saveRDS or save, or is compressed in another way "
                         "than by gzip, bzip2 or xz",
                         r->name);
    s->at += r->named ? 7 : 2;
    return PARE_OK;
}

static pare_status take_version(rdata *r, pare_error *err) {
    static const char *const latin[] = {"latin1", "ISO8859-1", "ISO-8859-1", "CP1252"};
    int32_t version, by, least, length;
    PASS(rdata_take_integer(r, &version, err));
    PASS(rdata_take_integer(r, &by, err));
    PASS(rdata_take_integer(r, &least, err));
    if (version != 2 && version != 3) return refuse_form(r, "of an unknown version", err);
    if (version == 2) return PARE_OK;
    PASS(rdata_take_integer(r, &length, err));
    if (length < 0 || length > 64) return rdata_damaged(r, "the name of its encoding", err);
    PASS(rdata_need(r, (size_t)length, err));
    for (int k = 0; k < 4; k++)
        r->latin1 |= (size_t)length == strlen(latin[k]) &&
                     memcmp(r->s->buffer + r->s->at, latin[k], (size_t)length) == 0;
    r->s->at += (size_t)length;
    return PARE_OK;
}

/* Reads on to the end, so that a compressed file is checked whole. */
static pare_status drain(rdata *r, pare_error *err) {
    stream *s = r->s;
    pare_status status = PARE_OK;
    while (!s->eof && status == PARE_OK) {
        s->at = s->end;
        status = stream_fill(s, err);
    }
    return status;
}

pare_status rdata_open(rdata *r, stream *s, const pare_ctx *ctx, pare_error *err) {
    robject *root;
    *r = (rdata){.file = s, .name = s->name, .ctx = ctx, .mem = ctx_allocator(ctx)};
    arena_init(&r->memory, r->mem);
    if (s->source && !s->path)
        return error_set(err, PARE_E_ARGUMENT,
                         "%s: R's files are read from a file, not from a pipe", s->name);
    PASS(unpack_open(&r->packed, s, ctx, err));
    r->s = unpack_stream(&r->packed);
    PASS(take_kind(r, err));
    PASS(take_version(r, err));
    PASS(rdata_new(r, ROBJECT_NULL, &r->nothing, err));
    PASS(rdata_take_item(r, 0, &root, err));
    if (r->named && root->type != ROBJECT_PAIRS)
        return error_set(err, PARE_E_DATA, "%s holds no objects", r->name);
    r->root = root;
    return drain(r, err);
}

void rdata_close(rdata *r) {
    if (!r->mem) return;
    unpack_close(&r->packed);
    strings_free(&r->texts, r->mem);
    mem_free(r->mem, r->reference);
    mem_free(r->mem, r->text);
    arena_free(&r->memory);
}

const char *rdata_text(const rdata *r, const robject *texts, int64_t i) {
    return strings_at(&r->texts, texts->text + i);
}

const robject *rdata_attribute(const rdata *r, const robject *of, const char *name) {
    for (const robject *a = of->attributes; a && a->type == ROBJECT_PAIRS; a = a->next)
        if (a->tag && a->tag->type == ROBJECT_SYMBOL && strcmp(rdata_text(r, a->tag, 0), name) == 0)
            return a->value && a->value->type != ROBJECT_NULL ? a->value : NULL;
    return NULL;
}

bool rdata_is(const rdata *r, const robject *object, const char *class_name) {
    const robject *all = rdata_attribute(r, object, "class");
    for (int64_t i = 0; all && all->type == ROBJECT_TEXT && !all->numbers && i < all->length; i++)
        if (strcmp(rdata_text(r, all, i), class_name) == 0) return true;
    return false;
}

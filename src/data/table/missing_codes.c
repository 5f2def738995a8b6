#include "data/table/missing_codes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/format/cell.h"

/* A number, or an infinity in words. */
static bool take_number(const char *text, int64_t length, double *value) {
    if (length > 0 && number_parse(text, text + length, value) == text + length) return true;
    *value = cell_infinity(text, length);
    return *value != 0;
}

pare_status missing_codes_begin(missing_codes *out, const char *list, const pare_allocator *mem,
                                pare_error *err) {
    *out = (missing_codes){0};
    PASS_MEM(strings_add_list(&out->text, mem, list));
    PASS_MEM(out->value = mem_alloc(mem, out->text.count, sizeof *out->value));
    for (int64_t i = 0; i < out->text.count; i++) {
        const char *text = strings_at(&out->text, i);
        if (!take_number(text, (int64_t)strlen(text), &out->value[i])) out->value[i] = NAN;
        out->numbers = out->numbers || !isnan(out->value[i]);
    }
    return PARE_OK;
}

void missing_codes_free(missing_codes *c, const pare_allocator *mem) {
    strings_free(&c->text, mem);
    mem_free(mem, c->value);
    *c = (missing_codes){0};
}

void missing_codes_apply(const missing_codes *c, double *value, int64_t n) {
    for (int64_t k = 0; c->numbers && k < c->text.count; k++)
        for (int64_t i = 0; i < n; i++)
            if (value[i] == c->value[k]) value[i] = NAN;
}

pare_status missing_codes_check_sparse(const missing_codes *c, const char *where, pare_error *err) {
    for (int64_t k = 0; k < c->text.count; k++)
        if (c->value[k] == 0)
            return error_set(
                err, PARE_E_ARGUMENT,
                "%s is sparse, and most of its zeros are not written: `na` %.20s cannot "
                "tell them apart; save it as a dense matrix, or leave `na` out",
                where, strings_at(&c->text, k));
    return PARE_OK;
}

bool missing_codes_has(const missing_codes *c, const char *text, int64_t length) {
    double value;
    if (c->text.count == 0) return false;
    for (int64_t i = 0; i < c->text.count; i++) {
        const char *code = strings_at(&c->text, i);
        if ((int64_t)strlen(code) == length && memcmp(code, text, (size_t)length) == 0) return true;
    }
    if (!c->numbers || !take_number(text, length, &value)) return false;
    for (int64_t i = 0; i < c->text.count; i++)
        if (c->value[i] == value) return true;
    return false;
}

#include "data/table/missing_codes.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

pare_status missing_codes_begin(missing_codes *out, const char *list, const pare_allocator *mem,
                                pare_error *err) {
    *out = (missing_codes){0};
    for (const char *p = list; p;) {
        const char *comma = strchr(p, ',');
        int64_t length = comma ? comma - p : (int64_t)strlen(p);
        while (length > 0 && *p == ' ') p++, length--;
        while (length > 0 && p[length - 1] == ' ') length--;
        PASS_MEM(strings_add(&out->text, mem, p, length));
        p = comma ? comma + 1 : NULL;
    }
    PASS_MEM(out->value = mem_alloc(mem, out->text.count, sizeof *out->value));
    for (int64_t i = 0; i < out->text.count; i++) {
        if (!number_parse_all(strings_at(&out->text, i), &out->value[i])) out->value[i] = NAN;
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
    if (!c->numbers || length == 0 || number_parse(text, text + length, &value) != text + length)
        return false;
    for (int64_t i = 0; i < c->text.count; i++)
        if (c->value[i] == value) return true;
    return false;
}

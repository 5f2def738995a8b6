/* Compiled functions are read over: their code, and constants that may be calls with parts that are
 * defined once and met again. */
#include "base/error.h"
#include "data/format/rdata_parts.h"

enum { MAX_DEPTH = 1000 };

/* A call or another item among the constants; the rest of a call is a call too. */
static pare_status take_call(rdata *r, int32_t type, int depth, pare_error *err) {
    robject *part;
    int32_t number;
    pare_status status = PARE_OK;
    if (depth > MAX_DEPTH) return rdata_damaged(r, "its objects are nested too deeply", err);
    for (;;) {
        if (type == CODE_REFERENCE) return rdata_take_integer(r, &number, err);
        if (type == CODE_DEFINITION) {
            TRY(rdata_take_integer(r, &number, err));
            TRY(rdata_take_integer(r, &type, err));
        }
        bool attributes = type == ATTRIBUTE_CALL || type == ATTRIBUTE_LIST;
        if (type != CALL && type != PAIRLIST && !attributes)
            return rdata_take_item(r, depth + 1, &part, err);
        if (attributes) TRY(rdata_take_item(r, depth + 1, &part, err));
        TRY(rdata_take_item(r, depth + 1, &part, err)); /* the tag */
        TRY(rdata_take_integer(r, &type, err));
        TRY(take_call(r, type, depth + 1, err));
        TRY(rdata_take_integer(r, &type, err));
    }
done:
    return status;
}

static pare_status take_body(rdata *r, int depth, pare_error *err) {
    robject *code;
    int32_t constants, type;
    pare_status status = PARE_OK;
    if (depth > MAX_DEPTH) return rdata_damaged(r, "its objects are nested too deeply", err);
    TRY(rdata_take_item(r, depth + 1, &code, err));
    TRY(rdata_take_integer(r, &constants, err));
    for (int32_t i = 0; i < constants; i++) {
        TRY(rdata_take_integer(r, &type, err));
        if (type == BYTE_CODE)
            TRY(take_body(r, depth + 1, err));
        else
            TRY(take_call(r, type, depth + 1, err));
    }
done:
    return status;
}

pare_status rdata_take_code(rdata *r, int depth, pare_error *err) {
    int32_t repeated;
    pare_status status = rdata_take_integer(r, &repeated, err);
    return status == PARE_OK ? take_body(r, depth + 1, err) : status;
}

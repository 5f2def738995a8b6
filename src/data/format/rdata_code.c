/* Compiled functions are read over: their code, and constants that may be calls with parts that are
 * defined once and met again. */
#include "base/error.h"
#include "data/format/rdata_parts.h"

enum { MAX_DEPTH = 1000 };

/* A call or another item among the constants; the rest of a call is a call too. */
static pare_status take_call(rdata *r, int32_t type, int depth, pare_error *err) {
    robject *part;
    int32_t number;
    if (depth > MAX_DEPTH) return rdata_damaged(r, "its objects are nested too deeply", err);
    for (;;) {
        if (type == CODE_REFERENCE) return rdata_take_integer(r, &number, err);
        if (type == CODE_DEFINITION) {
            PASS(rdata_take_integer(r, &number, err));
            PASS(rdata_take_integer(r, &type, err));
        }
        bool attributes = type == ATTRIBUTE_CALL || type == ATTRIBUTE_LIST;
        if (type != CALL && type != PAIRLIST && !attributes)
            return rdata_take_item(r, depth + 1, &part, err);
        if (attributes) PASS(rdata_take_item(r, depth + 1, &part, err));
        PASS(rdata_take_item(r, depth + 1, &part, err)); /* the tag */
        PASS(rdata_take_integer(r, &type, err));
        PASS(take_call(r, type, depth + 1, err));
        PASS(rdata_take_integer(r, &type, err));
    }
    return PARE_OK;
}

static pare_status take_body(rdata *r, int depth, pare_error *err) {
    robject *code;
    int32_t constants, type;
    if (depth > MAX_DEPTH) return rdata_damaged(r, "its objects are nested too deeply", err);
    PASS(rdata_take_item(r, depth + 1, &code, err));
    PASS(rdata_take_integer(r, &constants, err));
    for (int32_t i = 0; i < constants; i++) {
        PASS(rdata_take_integer(r, &type, err));
        if (type == BYTE_CODE)
            PASS(take_body(r, depth + 1, err));
        else
            PASS(take_call(r, type, depth + 1, err));
    }
    return PARE_OK;
}

pare_status rdata_take_code(rdata *r, int depth, pare_error *err) {
    int32_t repeated;
    pare_status status = rdata_take_integer(r, &repeated, err);
    return status == PARE_OK ? take_body(r, depth + 1, err) : status;
}

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/sentence.h"

const char *pare_status_name(pare_status status) {
    switch (status) {
    case PARE_OK: return "ok";
    case PARE_E_ARGUMENT: return "argument";
    case PARE_E_IO: return "io";
    case PARE_E_FORMAT: return "format";
    case PARE_E_DATA: return "data";
    case PARE_E_INFEASIBLE: return "infeasible";
    case PARE_E_MEMORY: return "memory";
    case PARE_E_CANCELLED: return "cancelled";
    case PARE_E_INTERNAL: return "internal";
    case PARE_E_DEVICE: return "device";
    }
    return "unknown";
}

void error_write(pare_error *err, pare_status code, int64_t row, int64_t column, int64_t byte,
                 const char *format, ...) {
    if (!err) return;
    err->code = code;
    err->row = row;
    err->column = column;
    err->byte = byte;
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    sentence_setting(err->setting, err->message);
}

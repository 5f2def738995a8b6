/* JSON out of a stream. */
#ifndef PARE_REPORT_JSON_STREAM_H
#define PARE_REPORT_JSON_STREAM_H

#include <jansson.h>

#include "data/format/stream.h"

/* Reads all of the stream, so that .gz and standard input work too. *out: json_decref() it. */
PARE_NODISCARD pare_status json_of_stream(json_t **out, stream *s, pare_error *err);

#endif

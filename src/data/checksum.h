#include "data/dataset.h"
pare_status data_checksum(const pare_data *data, const pare_ctx *ctx, char hex[65], pare_error *err);

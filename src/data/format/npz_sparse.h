/* A sparse matrix in a .npz, as scipy.sparse.save_npz writes it. */
#ifndef PARE_DATA_FORMAT_NPZ_SPARSE_H
#define PARE_DATA_FORMAT_NPZ_SPARSE_H

#include "data/builder.h"
#include "data/format/zip.h"

/* csr or csc; rejects an entry that occurs twice. */
PARE_NODISCARD pare_status npz_read_sparse(data_builder *b, zip *z, const pare_ctx *ctx,
                                           pare_error *err);

#endif

/* Genotypes of two bits each, in columns of a file (genotypes.c). */
#ifndef PARE_LA_KIND_PACKED_H
#define PARE_LA_KIND_PACKED_H

#include "la/storage.h"

/* Columns base .. base + count - 1 as they are in the file, mat_item_pitch apart. */
pare_status packed_read(const matrix *x, int64_t base, int64_t count, unsigned char *out,
                        pare_error *err);

/* mat_ops of packed genotypes. */
pare_status genotype_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                          const pare_ctx *ctx, pare_error *err);
pare_status genotype_stats_many(int64_t count, const view *v, const double *const *weight,
                                col_stats *const *out, const pare_ctx *ctx, pare_error *err);

#endif

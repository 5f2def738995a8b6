/* What cuda.c puts into its table: the operations of mat_ops on the device. */
#ifndef PARE_LA_CUDA_OPERATIONS_H
#define PARE_LA_CUDA_OPERATIONS_H

#include "la/matrix.h"

pare_status cuda_tmul(const view *v, const double *U, int64_t c, bool squared, double *out,
                      const pare_ctx *ctx, pare_error *err);
pare_status cuda_mul(const view *v, const int64_t *S, int64_t s, const double *W, int64_t c,
                     double *F, const pare_ctx *ctx, pare_error *err);
pare_status cuda_gram(const view *a, const view *b, const double *z, double *K, const pare_ctx *ctx,
                      pare_error *err);
pare_status cuda_gram_many(int64_t count, const view *v, const double *const *z, double *const *K,
                           const pare_ctx *ctx, pare_error *err);
pare_status cuda_stats_many(int64_t count, const view *v, const double *const *weight,
                            col_stats *const *out, const pare_ctx *ctx, pare_error *err);
pare_status cuda_asinh_fit_many(int64_t count, const view *v, double unit, const asinh_fit *out,
                                const pare_ctx *ctx, pare_error *err);

#endif

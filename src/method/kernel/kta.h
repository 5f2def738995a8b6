/* Shared by kta's fit and its path. */
#ifndef PARE_METHOD_KERNEL_KTA_H
#define PARE_METHOD_KERNEL_KTA_H

#include "method/method.h"
#include "solve/kernel/kta_weights.h"

typedef struct kta_features {
    double *a, *trace, *gamma; /* d: alignment, tr(HKH), gamma in effect */
} kta_features;

/* The problem by settings, automatic ones resolved by the d alignments. */
PARE_NODISCARD pare_status kta_resolve(kta_problem *k, const kta_settings *s, const double *a,
                                       int64_t d, pare_error *err);

/* Alignments of the job's features, and the problem by settings s. */
PARE_NODISCARD pare_status kta_align(kta_features *f, kta_problem *k, const fit_job *job,
                                     const kta_settings *s, arena *mem, const pare_ctx *ctx,
                                     pare_error *err);

#endif

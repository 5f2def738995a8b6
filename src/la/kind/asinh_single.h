/* (asinh(x) - shift) * scale of many numbers in single precision, to within 3e-7 of the larger of 1
 * and asinh(x) times scale, with the same bits for every instruction set. */
#ifndef PARE_LA_ASINH_SINGLE_H
#define PARE_LA_ASINH_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

/* false: some number is 2^60 or more, or missing; x then holds no results. */
bool asinh_single(float *x, int64_t count, float shift, float scale);

/* The code for each instruction set, the widest first, the last with row NULL: for tests. */
typedef struct asinh_single_variant {
    bool (*row)(float *x, int64_t count, float shift, float scale);
    const char *name;
} asinh_single_variant;
const asinh_single_variant *asinh_single_variants(void);
bool asinh_single_supported(const asinh_single_variant *of);

#endif

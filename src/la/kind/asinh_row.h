/* asinh((x - median) / spread) of many numbers at a time, within 3 units in the last place, with the
 * same bits for every instruction set. */
#ifndef PARE_LA_ASINH_ROW_H
#define PARE_LA_ASINH_ROW_H

#include <stdbool.h>
#include <stdint.h>

void asinh_row(double *x, int64_t count, double median, double spread);

enum { ASINH_LANES = 8 };
/* The same of that many columns row by row, each with its own median and spread; spread 0: as they
 * are. */
void asinh_block(double *x, int64_t rows, const double *median, const double *spread);

/* The code for each instruction set, the widest first, the last with row NULL: for tests. */
typedef struct asinh_variant {
    void (*row)(double *x, int64_t count, double median, double spread);
    void (*block)(double *x, int64_t rows, const double *median, const double *spread);
    const char *name;
} asinh_variant;
const asinh_variant *asinh_variants(void);
bool asinh_supported(const asinh_variant *of);

#endif

/* Numbers as a sentence says them. */
#ifndef PARE_REPORT_HEADLINE_H
#define PARE_REPORT_HEADLINE_H

#include "select/interval.h"

typedef struct short_number {
    char text[32];
} short_number;
short_number short_number_of(double x);

/* " (bootstrap 95% CI 0.72 to 0.93)", or nothing. */
enum { INTERVAL_WORDS = 96 };
void interval_words(char out[INTERVAL_WORDS], const interval *range);

#endif

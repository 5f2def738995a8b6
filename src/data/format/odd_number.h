/* Texts that are meant as numbers, but are none as they stand. */
#ifndef PARE_DATA_FORMAT_ODD_NUMBER_H
#define PARE_DATA_FORMAT_ODD_NUMBER_H

#include "data/format/cell.h"

typedef enum odd_number {
    ODD_NONE,
    ODD_GROUPED,   /* 1,234.5 */
    ODD_AMBIGUOUS, /* 1,234: thousands, or a decimal comma */
    ODD_COMMA,     /* 1,5 */
    ODD_MINUS,     /* a minus sign or dash of text processors before a number */
    ODD_PERCENT,   /* 5% */
    ODD_HEX,       /* 0x1F */
    ODD_BOOLEAN,   /* TRUE */
    ODD_DATE,      /* 2020-01-31, 31.1.2020, 1/31/20, 31-JAN-2020, 10:30 */
    ODD_LIMIT,     /* <0.1 */
    ODD_UNIT       /* 5 mg, 3.2*, ~5, 120/80: a number and something else */
} odd_number;

/* A number with thousands separators: 1,234 and 1.234 and 1'234 and 1 234, maybe with decimals. */
bool odd_number_is_grouped(const char *text, int64_t length);
/* For fields separated by semicolons: 1,5 becomes 1.5, any other text is unchanged. */
void odd_number_take_comma(char *text);

odd_number odd_number_of(const char *text, int64_t length);
/* The text cannot be meant as anything but a number: not a level such as <5 or 3A either. */
bool odd_number_certain(odd_number kind);
/* What may be done, as it stands behind the text in a message: ": write ..."; NULL: nothing is known.
 * among: most of the column are numbers. at: the place, or NULL. *code: `na` TEXT is to follow. */
const char *odd_number_advice(odd_number kind, bool among, const place *at, bool *code);

#endif

/* Numbers and text, exact both ways and independent of the locale. */
#ifndef PARE_BASE_NUMBER_H
#define PARE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Parses the longest number at p: optional sign, decimal digits with at most one point, optional
 * exponent; correctly rounded. Returns the byte after it, or NULL if there is none. Bytes up to and
 * including a NUL at or before *end must be readable. "inf", "nan" and hexadecimal are not numbers;
 * a value too large for a double is stored as an infinity. */
const char *number_parse(const char *p, const char *end, double *out);

/* As number_parse, but the whole of the NUL-terminated text, blanks around it allowed. */
bool number_parse_all(const char *text, double *out);
/* An integer without point or exponent that fits in 64 bits. */
bool integer_parse_all(const char *text, int64_t *out);

/* The shortest decimal that reads back as the same double (a power of two may get one digit more);
 * "inf", "-inf", "nan" otherwise. Returns the length. buffer holds 32 bytes. */
int number_format(double value, char buffer[32]);

/* The letter that a noun takes behind that number. */
#define PLURAL(count) ((count) == 1 ? "" : "s")

#endif

/* Days of the calendar as text. */
#ifndef PARE_DATA_FORMAT_CALENDAR_H
#define PARE_DATA_FORMAT_CALENDAR_H

#include <stdbool.h>

enum { CALENDAR_TEXT = 32 };

/* `days` from 1970-01-01 on, as 2024-03-01, or 2024-03-01 09:30:00 where it has a part of a day. false:
 * not within the years 1 to 9999. */
bool calendar_format(double days, char out[CALENDAR_TEXT]);

#endif

#include "data/format/calendar.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum {
    DAY = 86400,
    EPOCH = 719468, /* of 1970-01-01 from 1 March of the year 0 */
    CENTURIES = 146097
};

/* Eras of 400 years, of years that begin in March. days: from 1 March of the year 0, at least 0. */
static void split(int64_t days, int64_t *year, int *month, int *day) {
    int64_t era = days / CENTURIES, of_era = days % CENTURIES;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = y + 400 * era + (*month <= 2);
}

bool calendar_format(double days, char out[CALENDAR_TEXT]) {
    int64_t year;
    int month, day;
    if (!(days >= -719162 && days < 2932897)) return false;
    int64_t whole = (int64_t)floor(days);
    int64_t seconds = (int64_t)floor((days - (double)whole) * DAY + 0.5);
    whole += seconds / DAY;
    seconds %= DAY;
    split(whole + EPOCH, &year, &month, &day);
    int used = snprintf(out, CALENDAR_TEXT, "%04d-%02d-%02d", (int)(year % 10000), month, day);
    if (seconds)
        snprintf(out + used, (size_t)(CALENDAR_TEXT - used), " %02d:%02d:%02d",
                 (int)(seconds / 3600), (int)(seconds / 60 % 60), (int)(seconds % 60));
    return true;
}

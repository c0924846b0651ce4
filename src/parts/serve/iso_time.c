/* SPDX-License-Identifier: MIT */
/* Times of ISO 8601, such as 2026-11-28, 2026-11-28T20:15, 2026-11-28 20:15:30.25Z and 2026-11-28T21:15:30+01:00
 * (parts/serve/iso_time.h). */
#include "parts/serve/iso_time.h"

#include "base/number_text.h"

#include <stdint.h>
#include <string.h>

/* n digits as a number; -1: there are not as many. */
static int take(const char **at, int n) {
    int value = 0;
    for (; n; n--, (*at)++) {
        if (**at < '0' || **at > '9')
            return -1;
        value = value * 10 + (**at - '0');
    }
    return value;
}

static int take_after(const char **at, char mark, int n, int most) {
    if (**at != mark)
        return -1;
    (*at)++;
    const int value = take(at, n);
    return value <= most ? value : -1;
}

/* Days since 1970-01-01 in the Gregorian calendar (Richards 2013, Explanatory Supplement to the Astronomical Almanac, 15.11.3). */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    const int64_t early = month <= 2, y = year - early, of_year = (153 * (month + (early ? 9 : -3)) + 2) / 5 + day - 1;
    return 365 * y + y / 4 - y / 100 + y / 400 + of_year - 719468;
}

static int is_date(int year, int month, int day) {
    static const int length[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year >= 0 && month >= 1 && day >= 1 && day <= length[month - 1] - (month == 2 && !leap);
}

/* HH:MM, :SS and a fraction, in seconds; -1: none. */
static double take_clock(const char **at) {
    char fraction[20] = "0.";
    double part = 0;
    const int hour = take(at, 2), minute = take_after(at, ':', 2, 59);
    if (hour < 0 || hour > 23 || minute < 0)
        return -1;
    const int second = **at == ':' ? take_after(at, ':', 2, 60) : 0;
    if (second < 0)
        return -1;
    if (**at == '.') {
        const size_t n = strspn(++*at, "0123456789");
        if (!n || n > sizeof fraction - 3)
            return -1;
        memcpy(fraction + 2, *at, n);
        *at += n;
        if (!tvgp__number_text_read(fraction, &part))
            return -1;
    }
    return hour * 3600. + minute * 60. + second + part;
}

/* Z or +HH:MM, which is subtracted. */
static int take_zone(const char **at, double *seconds) {
    const char sign = **at;
    if (sign == 'Z')
        return (*at)++, 1;
    if (sign != '+' && sign != '-')
        return 1;
    const int hour = take_after(at, sign, 2, 23);
    if (hour < 0)
        return 0;
    const int minute = **at == ':' ? take_after(at, ':', 2, 59) : take(at, 2);
    if (minute < 0 || minute > 59)
        return 0;
    *seconds -= (sign == '+' ? 1 : -1) * (hour * 3600. + minute * 60.);
    return 1;
}

int tvgp__iso_time_read(const char *text, double *seconds) {
    const char *at = text;
    const int year = take(&at, 4), month = take_after(&at, '-', 2, 12), day = take_after(&at, '-', 2, 31);
    double value;
    if (!is_date(year, month, day))
        return 0;
    value = (double)days_of(year, month, day) * 86400;
    if (*at == 'T' || *at == ' ') {
        at++;
        const double clock = take_clock(&at);
        value += clock;
        if (clock < 0 || !take_zone(&at, &value))
            return 0;
    }
    if (*at)
        return 0;
    *seconds = value;
    return 1;
}

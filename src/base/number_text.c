/* SPDX-License-Identifier: MIT */
/* Numbers in text (base/number_text.h). */
#include "base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 };

/* strtod needs the decimal point of the locale, which printf writes between 0 and 5. */
static int localise(const char *text, char *out, size_t size) {
    char half[16];
    const char *point = strchr(text, '.');
    if (snprintf(half, sizeof half, "%.1f", 0.5) < 3)
        return 0;
    half[strlen(half) - 1] = '\0';
    int before = point ? (int)(point - text) : (int)strlen(text);
    int used = snprintf(out, size, "%.*s%s%s", before, text, point ? half + 1 : "", point ? point + 1 : "");
    return used >= 0 && (size_t)used < size;
}

int tvgp__number_text_read(const char *text, double *value) {
    char local[LONGEST + 16], *end;
    if (strcmp(text, "inf") == 0) {
        *value = INFINITY;
        return 1;
    }
    if (!*text || strlen(text) > LONGEST || text[strspn(text, "+-.0123456789eE")] || !localise(text, local, sizeof local))
        return 0;
    double read = strtod(local, &end);
    if (*end)
        return 0;
    *value = read;
    return 1;
}

int tvgp__number_text_read_integer(const char *text, long long *value) {
    char *end;
    if (!*text || text[strspn(text, "+-0123456789")])
        return 0;
    long long read = strtoll(text, &end, 10);
    if (*end)
        return 0;
    *value = read;
    return 1;
}

size_t tvgp__number_text_list(const char *text, size_t most, double *values) {
    for (size_t n = 0;; n++) {
        char one[LONGEST + 1] = "";
        size_t length = strcspn(text, ",");
        if (n == most)
            return most + 1;
        if (length > LONGEST || !tvgp__number_text_read(memcpy(one, text, length), &values[n]))
            return 0;
        if (!text[length])
            return n + 1;
        text += length + 1;
    }
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

void tvgp__number_text_delocalise(char *digits) {
    static const char plain[] = "+-0123456789abcdefinxABCDEFINX";
    char *to = digits;
    for (const char *from = digits; *from;) {
        const size_t n = strspn(from, plain), point = strcspn(from + n, plain);
        memmove(to, from, n);
        to += n;
        if (point)
            *to++ = '.';
        from += n + point;
    }
    *to = '\0';
}

typedef struct arguments {
    va_list list;
} arguments;

/* The conversion at `from`, with a star replaced by its argument; returns what follows. */
static const char *take_conversion(const char *from, char *spec, size_t size, arguments *a) {
    size_t n = 0;
    do {
        if (*from == '*')
            n += (size_t)snprintf(spec + n, size - n, "%d", va_arg(a->list, int));
        else
            spec[n++] = *from;
    } while (!strchr("diuxcsgfe%", *++from) && *from && n + 16 < size);
    spec[n++] = *from;
    spec[n] = '\0';
    return *from ? from + 1 : from;
}

/* The next argument, of the type that the length and the letter of a conversion state. */
static long long take_integer(const char *length, int is_signed, arguments *a) {
    if (*length == 'z')
        return (long long)va_arg(a->list, size_t);
    if (*length == 't')
        return va_arg(a->list, ptrdiff_t);
    if (length[0] == 'l' && length[1] == 'l')
        return va_arg(a->list, long long);
    if (*length == 'l')
        return is_signed ? va_arg(a->list, long) : (long long)va_arg(a->list, unsigned long);
    return is_signed ? va_arg(a->list, int) : (long long)va_arg(a->list, unsigned);
}

static int convert(char *out, size_t size, const char *spec, arguments *a) {
    char digits[400];
    const char letter = spec[strlen(spec) - 1];
    if (letter == '%')
        return snprintf(out, size, "%%");
    if (letter == 's')
        return snprintf(out, size, spec, va_arg(a->list, const char *));
    if (strchr("gfe", letter)) {
        snprintf(digits, sizeof digits, spec, va_arg(a->list, double));
        tvgp__number_text_delocalise(digits);
        return snprintf(out, size, "%s", digits);
    }
    if (letter == 'c')
        return snprintf(out, size, spec, va_arg(a->list, int));
    const size_t flags = strcspn(spec, "lzt");
    const int is_short = !spec[flags];
    const long long value = take_integer(is_short ? "" : spec + flags, letter == 'd' || letter == 'i', a);
    snprintf(digits, sizeof digits, "%.*sll%c", (int)(is_short ? flags - 1 : flags), spec, letter);
    return snprintf(out, size, digits, value);
}

int tvgp__number_text_format(char *out, size_t size, const char *format, va_list args) {
    enum { LONGEST_CONVERSION = 40 };
    char spec[LONGEST_CONVERSION];
    arguments a;
    size_t used = 0;
    va_copy(a.list, args);
    while (*format) {
        const size_t n = strcspn(format, "%"), at = used < size ? used : size;
        if (n) {
            used += (size_t)snprintf(out + at, size - at, "%.*s", (int)n, format);
            format += n;
            continue;
        }
        format = take_conversion(format, spec, sizeof spec, &a);
        used += (size_t)convert(out + at, size - at, spec, &a);
    }
    va_end(a.list);
    return (int)used;
}

int tvgp__number_text_print(char *out, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int used = tvgp__number_text_format(out, size, format, args);
    va_end(args);
    return used;
}

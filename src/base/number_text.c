/* SPDX-License-Identifier: MIT */
#include "base/number_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 };

/* strtod wants the decimal point of the locale, which printf writes: what stands between 0 and 5. */
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

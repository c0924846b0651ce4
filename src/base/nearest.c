/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include "base/error.h"

#include <string.h>

enum { LIMIT = 63 };

static size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau 1964), three rows of the dynamic programme. */
size_t tvgp__nearest_distance(const char *a, const char *b) {
    size_t n = min(strlen(a), LIMIT), m = min(strlen(b), LIMIT);
    size_t rows[3][LIMIT + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = min(min(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min(now[j], before[j - 2] + 1);
        }
        size_t *reuse = before;
        before = last;
        last = now;
        now = reuse;
    }
    return last[m];
}

void tvgp__nearest_offer(const char *typed, const char *candidate, const char **best) {
    if (!*best || tvgp__nearest_distance(typed, candidate) < tvgp__nearest_distance(typed, *best))
        *best = candidate;
}

static int near(const char *typed, const char *known) {
    size_t n = strlen(typed), m = strlen(known), allowed = (n > m ? n : m) / 3;
    return tvgp__nearest_distance(typed, known) <= (allowed ? allowed : 1);
}

tvgp_status tvgp__nearest_unknown(tvgp_ctx *ctx, const char *what, const char *typed, const char *best, const char *lister) {
    if (best && near(typed, best))
        return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown %s '%.64s'; nearest is '%s'", what, typed, best);
    return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown %s '%.64s'; %s lists them", what, typed, lister);
}

/* SPDX-License-Identifier: MIT */
/* Names near a mistyped one, for messages (base/nearest_name.h). */
#include "base/nearest_name.h"

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LIMIT = 63, FEWEST = 3 /* letters of a name that begins the typed one */, PART = 100 /* rank, above any distance */ };

static char fold(char c) {
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' || c == '.' || c == ' ' ? '-' : c;
}

static size_t min(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau 1964), three rows of the dynamic programme. */
size_t tvgp__nearest_name_distance(const char *a, const char *b) {
    size_t n = min(strlen(a), LIMIT), m = min(strlen(b), LIMIT);
    size_t rows[3][LIMIT + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = min(min(last[j], now[j - 1]) + 1, last[j - 1] + (fold(a[i - 1]) != fold(b[j - 1])));
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]))
                now[j] = min(now[j], before[j - 2] + 1);
        }
        size_t *reuse = before;
        before = last;
        last = now;
        now = reuse;
    }
    return last[m];
}

static int begins(const char *start, const char *text) {
    while (*start && fold(*start) == fold(*text))
        start++, text++;
    return !*start;
}

static int is_part(const char *typed, const char *candidate) {
    if (!typed[0] || !typed[1])
        return 0;
    for (const char *c = candidate; *c; c++)
        if ((c == candidate || fold(c[-1]) == '-') && begins(typed, c))
            return 1;
    return strlen(candidate) >= FEWEST && begins(candidate, typed);
}

/* The smaller the nearer; SIZE_MAX: not near. */
static size_t rank_of(const char *typed, const char *candidate) {
    const size_t n = strlen(typed), m = strlen(candidate), third = (n > m ? n : m) / 3;
    const size_t distance = tvgp__nearest_name_distance(typed, candidate);
    if (distance <= (third ? third : 1))
        return distance;
    return is_part(typed, candidate) ? PART + m : SIZE_MAX;
}

void tvgp__nearest_name_offer_as(tvgp__nearest_name *near, const char *candidate, const char *prefix, const char *shown) {
    const size_t own = rank_of(near->typed, candidate), kept = min(near->n, TVGP__NEAREST_NAME_MOST);
    if (own == SIZE_MAX)
        return;
    const size_t rank = own + (*prefix ? 2 * PART : 0); /* another text comes last */
    size_t at = kept;
    while (at && near->rank[at - 1] > rank)
        at--;
    near->n++;
    if (at == TVGP__NEAREST_NAME_MOST)
        return;
    const size_t behind = min(kept, TVGP__NEAREST_NAME_MOST - 1) - at;
    memmove(near->rank + at + 1, near->rank + at, behind * sizeof *near->rank);
    memmove(near->name + at + 1, near->name + at, behind * sizeof *near->name);
    near->rank[at] = rank;
    snprintf(near->name[at], sizeof near->name[at], "%s%s", prefix, shown);
}

void tvgp__nearest_name_offer(tvgp__nearest_name *near, const char *candidate) {
    tvgp__nearest_name_offer_as(near, candidate, "", candidate);
}

/* How many are shown: one that is a typing error away hides names of which it is a part. */
static size_t shown(const tvgp__nearest_name *near) {
    const size_t kept = min(near->n, TVGP__NEAREST_NAME_MOST);
    size_t n = kept ? 1 : 0;
    while (n && n < kept && (near->rank[0] >= PART || near->rank[n] == near->rank[0]))
        n++;
    return n;
}

tvgp_status tvgp__nearest_name_unknown(tvgp_ctx *ctx, const char *what, const tvgp__nearest_name *near, const char *lister) {
    const size_t n = shown(near);
    char names[TVGP__NEAREST_NAME_MOST * (TVGP__NEAREST_NAME_ROOM + 4)] = "";
    if (!n)
        return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown %s '%.64s'; %s lists them", what, near->typed, lister);
    for (size_t i = 0, used = 0; i < n; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", i ? ", " : "", near->name[i]);
    return tvgp__error_set(ctx, TVGP_ERR_NOTFOUND, "unknown %s '%.64s'; nearest %s %s%s", what, near->typed,
                           n > 1 ? "are" : "is", names, n == TVGP__NEAREST_NAME_MOST && near->n > n ? ", .." : "");
}

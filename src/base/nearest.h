/* SPDX-License-Identifier: MIT */
/* Names near a mistyped one, for messages. Case is ignored, and '-', '.', '_' and a blank are the same. */
#ifndef TVGP__BASE_NEAREST_H
#define TVGP__BASE_NEAREST_H

#include "base/context.h"

/* Edit distance (insert, delete, replace, swap of neighbours), on the first 63 characters. */
size_t tvgp__nearest_distance(const char *a, const char *b);

enum { TVGP__NEAREST_MOST = 4, TVGP__NEAREST_ROOM = 48 };

/* The candidates offered so far that are near, best first: the same name; then names of which at most a third of the letters are
 * wrong; then names that the typed one begins, or of which it begins a part, or which begin it. */
typedef struct tvgp__nearest {
    const char *typed;
    size_t n; /* near ones; the first MOST are kept */
    size_t rank[TVGP__NEAREST_MOST];
    char name[TVGP__NEAREST_MOST][TVGP__NEAREST_ROOM];
} tvgp__nearest;

void tvgp__nearest_offer(tvgp__nearest *, const char *candidate);
/* A candidate that the message shows as another text. */
void tvgp__nearest_offer_as(tvgp__nearest *, const char *candidate, const char *prefix, const char *shown);

/* NOTFOUND: unknown `what`; prints the near candidates, without any the function that lists all. */
tvgp_status tvgp__nearest_unknown(tvgp_ctx *, const char *what, const tvgp__nearest *, const char *lister);

#endif

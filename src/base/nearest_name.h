/* SPDX-License-Identifier: MIT */
/* Names near a mistyped one, for messages. Case is ignored, and '-', '.', '_' and a blank are the same. */
#ifndef TVGP__BASE_NEAREST_NAME_H
#define TVGP__BASE_NEAREST_NAME_H

#include "base/context.h"

/* Edit distance (insert, delete, replace, swap of neighbours), on the first 63 characters. */
size_t tvgp__nearest_name_distance(const char *a, const char *b);

enum { TVGP__NEAREST_NAME_MOST = 4, TVGP__NEAREST_NAME_ROOM = 48 };

/* The candidates offered so far that are near, best first: the same name; then names of which at most a third of the letters are
 * wrong; then names that the typed one begins, or of which it begins a part, or which begin it. */
typedef struct tvgp__nearest_name {
    const char *typed;
    size_t n; /* near ones; the first MOST are kept */
    size_t rank[TVGP__NEAREST_NAME_MOST];
    char name[TVGP__NEAREST_NAME_MOST][TVGP__NEAREST_NAME_ROOM];
} tvgp__nearest_name;

void tvgp__nearest_name_offer(tvgp__nearest_name *, const char *candidate);
/* A candidate that the message shows as another text. */
void tvgp__nearest_name_offer_as(tvgp__nearest_name *, const char *candidate, const char *prefix, const char *shown);

/* NOTFOUND: unknown `what`; prints the near candidates, without any the function that lists all. */
tvgp_status tvgp__nearest_name_unknown(tvgp_ctx *, const char *what, const tvgp__nearest_name *, const char *lister);

#endif

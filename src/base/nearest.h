/* SPDX-License-Identifier: MIT */
/* Nearest name, for messages about a typo. */
#ifndef TVGP__BASE_NEAREST_H
#define TVGP__BASE_NEAREST_H

#include "base/context.h"

/* Edit distance (insert, delete, replace, swap of neighbours), on the first 63 characters. */
size_t tvgp__nearest_distance(const char *a, const char *b);

/* Keeps in *best the nearer of *best (may be NULL) and candidate. */
void tvgp__nearest_offer(const char *typed, const char *candidate, const char **best);

/* NOTFOUND: unknown `what`; names the best offer (may be NULL) where it is near, a third of the letters at most being wrong,
 * otherwise the function that lists what there is. */
tvgp_status tvgp__nearest_unknown(tvgp_ctx *, const char *what, const char *typed, const char *best, const char *lister);

#endif

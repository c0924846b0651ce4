/* SPDX-License-Identifier: MIT */
/* Nearest name, for messages about a typo. */
#ifndef TVGP__BASE_NEAREST_H
#define TVGP__BASE_NEAREST_H

#include <stddef.h>

/* Edit distance (insert, delete, replace, swap of neighbours), on the first 63 characters. */
size_t tvgp__nearest_distance(const char *a, const char *b);

/* Keeps in *best the nearer of *best (may be NULL) and candidate. */
void tvgp__nearest_offer(const char *typed, const char *candidate, const char **best);

#endif

/* SPDX-License-Identifier: MIT */
/* Copies: the policies of a store that are in memory, each in the state after a line of its log. A copy is recognised by the number
 * of the policy and the chain of checksums, whose first is that of the description. If the chain does not lead to the stored one, the
 * copy saw what was rolled back, or lines that it needs were deleted: it is restored from the snapshot. */
#ifndef TVGP__PARTS_SERVE_STORE_COPY_H
#define TVGP__PARTS_SERVE_STORE_COPY_H

#include "parts/serve/store/store_common.h"

/* A copy before the first line, in no list. */
tvgp_status tvgp__store_copy_new(tvgp_store *, tvgp__store_copy **out);
void tvgp__store_copy_free(tvgp_store *, tvgp__store_copy *);

/* The copy of the row in its newest state. */
tvgp_status tvgp__store_copy_open(tvgp_store *);
void tvgp__store_copy_discard(tvgp_store *, tvgp__store_copy *);
void tvgp__store_copy_discard_all(tvgp_store *);

/* Adds an event that the copy has made, or its line, to those that are written at the end of the call. */
tvgp_status tvgp__store_copy_append(tvgp_store *, tvgp_event, const double *x);
tvgp_status tvgp__store_copy_append_line(tvgp_store *, const tvgp_event *, const double *x, const char *line);

/* Writes the lines of the call, and a snapshot if one is due or `snapshot` is set. */
tvgp_status tvgp__store_copy_write(tvgp_store *, int snapshot);

#endif

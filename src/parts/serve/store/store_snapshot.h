/* SPDX-License-Identifier: MIT */
/* Snapshots of a store: a checksum, the facts of the store as a line of text, and the snapshot of the policy. */
#ifndef TVGP__PARTS_SERVE_STORE_SNAPSHOT_H
#define TVGP__PARTS_SERVE_STORE_SNAPSHOT_H

#include "parts/serve/store/store_common.h"

/* Loads the stored snapshot, if there is one of at most row.n lines, into a copy before the first line. */
tvgp_status tvgp__store_snapshot_read(tvgp_store *, tvgp__store_copy *);

/* Stores the state of the copy. */
tvgp_status tvgp__store_snapshot_write(tvgp_store *, tvgp__store_copy *);

/* The snapshot of the policy alone into s->bytes. */
tvgp_status tvgp__store_snapshot_state(tvgp_store *, const tvgp__store_copy *, size_t *n);

#endif

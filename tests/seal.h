/* SPDX-License-Identifier: MIT */
/* Snapshots that were changed and look as if they had been saved like that. */
#ifndef SEAL_H
#define SEAL_H

#include <stddef.h>
#include <stdint.h>

/* Makes the checksums of n >= 48 bytes right again (docs/reference/snapshot-format.md), as far as the sections can still be found, first those of
 * the snapshots nested in them. */
void seal_snapshot(unsigned char *bytes, size_t n);

#endif

/* SPDX-License-Identifier: MIT */
/* Snapshots of a tvgp_gp: kernels, prior mean, observations and their Cholesky factor, in one section GPRO of the frame of
 * base/section. Loading computes nothing, so a restored posterior gives the same numbers. */
#ifndef TVGP__PROTOCOL_COPIES_GP_SNAPSHOT_H
#define TVGP__PROTOCOL_COPIES_GP_SNAPSHOT_H

#include "model/dense_gp.h"

/* As tvgp_gp_save and tvgp_gp_restore. */
tvgp_status tvgp__gp_snapshot_save(tvgp_gp *gp, void *buffer, size_t capacity, size_t *needed);
tvgp_status tvgp__gp_snapshot_restore(tvgp_ctx *ctx, const void *bytes, size_t n, tvgp_gp **out);

#endif

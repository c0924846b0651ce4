/* SPDX-License-Identifier: MIT */
/** @file
 * Snapshots of a policy. They continue bit for bit with the same library on the same machine (docs/guide/persistence.md,
 * docs/reference/snapshot-format.md).
 */
#ifndef TVGP_SAVE_H
#define TVGP_SAVE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Saves the state: options, prior means, priors, mask, context, bounds, candidates, pending queries and everything learned.
 * Functions (mean, feasible set) are not saved. The policy is unchanged, and after the first save nothing is allocated.
 *
 * With shared arms each rank writes its part. With a buffer the call is collective; store the part of rank 0, which holds
 * the manifest, last.
 *
 * @param policy          The policy.
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the snapshot; NULL: only *needed is written.
 * @param[out] needed     Size of the snapshot, in bytes.
 * @retval TVGP_ERR_BUFFER       The buffer is too small; *needed is written.
 * @retval TVGP_ERR_UNSUPPORTED  A registered policy without save.
 */
TVGP_API tvgp_status tvgp_policy_save(const tvgp_policy *policy, size_t capacity, void *buffer_or_null, size_t *needed);

/** Loads a state that tvgp_policy_save wrote, at any time. From here on the policy continues as the saved one would have.
 *
 * The policy must have the same name, domain and kernel; options and priors come from the snapshot. This policy keeps its
 * functions. If the saved policy had a function and this one has none, the next ask returns TVGP_ERR_STATE until it is
 * set. Repeated loads allocate nothing once a state of this size was held. With shared arms the bytes are the parts of all
 * ranks in any order, at least those with this rank's arms and rank 0's; the number of ranks may differ; collective.
 *
 * @param policy  The policy.
 * @param n       Its size, in bytes.
 * @param bytes   The snapshot (n).
 * @retval TVGP_ERR_FORMAT   The bytes are no valid snapshot; the message names section and byte.
 * @retval TVGP_ERR_VERSION  A newer format.
 * @retval TVGP_ERR_STATE    The snapshot is of another policy, domain or kernel (message); or its parts do not fit together.
 * @retval TVGP_ERR_LIMIT    A quota is exceeded.
 */
TVGP_API tvgp_status tvgp_policy_load(tvgp_policy *policy, size_t n, const void *bytes);

/** Saves the state together with domain and kernel; otherwise as tvgp_policy_save.
 *
 * @param policy          The policy.
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the snapshot; NULL: only *needed is written.
 * @param[out] needed     Size of the snapshot, in bytes.
 * @retval TVGP_ERR_BUFFER       The buffer is too small; *needed is written.
 * @retval TVGP_ERR_UNSUPPORTED  A registered policy, kernel or domain without save.
 */
TVGP_API tvgp_status tvgp_policy_save_full(const tvgp_policy *policy, size_t capacity, void *buffer_or_null, size_t *needed);

/** Creates a policy from a snapshot. A full snapshot (tvgp_policy_save_full) suffices alone. Set functions again afterwards.
 *
 * @param ctx             The context.
 * @param n               Its size, in bytes.
 * @param bytes           The snapshot (n).
 * @param domain_or_null  The domain; NULL: the one in the snapshot.
 * @param kernel_or_null  The kernel; NULL: the one in the snapshot, or none if the policy was created without.
 * @param[out] out        The new policy; release it with tvgp_policy_destroy.
 * @retval TVGP_ERR_FORMAT       The bytes are no valid snapshot.
 * @retval TVGP_ERR_VERSION      A newer format.
 * @retval TVGP_ERR_STATE        The snapshot lacks domain or kernel, or the given one differs.
 * @retval TVGP_ERR_NOTFOUND     The policy's algorithm is not registered in this context.
 * @retval TVGP_ERR_UNSUPPORTED  The type of the kernel or the domain is not registered in this context.
 * @retval TVGP_ERR_LIMIT        A quota is exceeded.
 */
TVGP_API tvgp_status tvgp_policy_restore(tvgp_ctx *ctx, size_t n, const void *bytes, const tvgp_domain *domain_or_null,
                                         const tvgp_kernel *kernel_or_null, tvgp_policy **out);

/** Creates an independent policy in the same state, with the same domain, kernel and functions.
 *
 * @param policy    The policy.
 * @param[out] out  The new policy; release it with tvgp_policy_destroy.
 * @retval TVGP_ERR_UNSUPPORTED  A registered policy without save.
 */
TVGP_API tvgp_status tvgp_policy_clone(const tvgp_policy *policy, tvgp_policy **out);

#ifdef __cplusplus
}
#endif
#endif

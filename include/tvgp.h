/* SPDX-License-Identifier: MIT */
/** @file
 * libtvgp: Gaussian-process bandits for objectives that drift. This header includes the whole public interface.
 *
 * Conventions of all functions:
 * - A function that can fail returns a tvgp_status: 0 is success, a positive value (TVGP_AGAIN, TVGP_DONE) a normal
 *   outcome without a result, a negative value an error. On error nothing changes, and tvgp_ctx_errmsg names the
 *   function, the argument, its value and the bound.
 * - Errors that every function may return are not repeated in its list: TVGP_ERR_ARG for a NULL handle, a NULL output
 *   or a NULL array of length > 0; TVGP_ERR_NOMEM from any call that allocates; TVGP_ERR_REENTRANT for a call on a
 *   policy from inside a function that this policy calls.
 * - Points are arrays of n x dim doubles, row-major. Policies maximise unless the option sense is "min". A `noise` is a
 *   variance. Predicted variances are of the latent function, without noise.
 * - Arrays and texts passed in are copied. Texts returned belong to the library and are valid as long as the handle
 *   they came from.
 * - Functions of tvgp/experimental/ and tvgp/store.h (symbol version TVGP_EXPERIMENTAL) and the options marked as advanced are
 *   experimental: they may change in any minor version. tvgp/store.h is included separately.
 * - Handles may be destroyed in any order. Destroying NULL has no effect. One context, and everything created from it,
 *   is used by one thread at a time; different contexts are independent.
 */
#ifndef TVGP_H
#define TVGP_H

#include "tvgp/actions.h"
#include "tvgp/comm.h"
#include "tvgp/constraint.h"
#include "tvgp/cost.h"
#include "tvgp/ctx.h"
#include "tvgp/domain.h"
#include "tvgp/event.h"
#include "tvgp/experimental/seasonal_mean.h"
#include "tvgp/extend.h"
#include "tvgp/fleet.h"
#include "tvgp/gp.h"
#include "tvgp/kdpp.h"
#include "tvgp/kernel.h"
#include "tvgp/option.h"
#include "tvgp/policy.h"
#include "tvgp/predict.h"
#include "tvgp/priors.h"
#include "tvgp/random.h"
#include "tvgp/save.h"
#include "tvgp/serve.h"
#include "tvgp/types.h"

#endif

/* SPDX-License-Identifier: MIT */
/* libtvgp: Gaussian-process bandits for things that drift. This header includes the whole public interface.
 *
 * Conventions that hold everywhere:
 *   - Every function that can fail returns a tvgp_status: 0 is success, > 0 is soft (TVGP_AGAIN, TVGP_DONE), < 0 is a
 *     failure. A failed call changes nothing. The message (tvgp_ctx_errmsg) names function, argument, value and bound.
 *   - A NULL handle or a NULL output gives TVGP_ERR_ARG. NaN or infinite input gives TVGP_ERR_NONFINITE unless the
 *     argument's text gives NaN a meaning. Any call that allocates may give TVGP_ERR_NOMEM.
 *   - Points are row-major n x dim. Policies maximise. `noise` is a variance. Predictive variances are of the latent
 *     function, without noise.
 *   - Arrays and strings passed in are copied. Strings handed out are owned by the library and stay valid as long as the
 *     handle they came from.
 *   - Handles may be destroyed in any order; destroying NULL does nothing. One context and what is made from it is used by
 *     one thread at a time; different contexts are independent. */
#ifndef TVGP_H
#define TVGP_H

#include "tvgp/comm.h"
#include "tvgp/ctx.h"
#include "tvgp/domain.h"
#include "tvgp/event.h"
#include "tvgp/extend.h"
#include "tvgp/fleet.h"
#include "tvgp/gp.h"
#include "tvgp/kdpp.h"
#include "tvgp/kernel.h"
#include "tvgp/policy.h"
#include "tvgp/random.h"
#include "tvgp/serve.h"
#include "tvgp/types.h"

#endif

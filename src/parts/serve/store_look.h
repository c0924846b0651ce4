/* SPDX-License-Identifier: MIT */
/* Questions to a store. They are put to a clone of the policy, because a prediction at another time changes the state by rounding. */
#ifndef TVGP__PARTS_SERVE_STORE_LOOK_H
#define TVGP__PARTS_SERVE_STORE_LOOK_H

#include "parts/serve/store_host.h"

tvgp_status tvgp__store_look_best(tvgp_store *);
tvgp_status tvgp__store_look_arms(tvgp_store *);
tvgp_status tvgp__store_look_shares(tvgp_store *);
tvgp_status tvgp__store_look_stat(tvgp_store *);
tvgp_status tvgp__store_look_state(tvgp_store *);
tvgp_status tvgp__store_look_estimate(tvgp_store *);

#endif

/* SPDX-License-Identifier: MIT */
/* Questions to a store. They are put to a clone of the policy, because a prediction at another time changes the state by rounding. */
#ifndef TVGP__PARTS_SERVE_STORE_QUESTIONS_H
#define TVGP__PARTS_SERVE_STORE_QUESTIONS_H

#include "parts/serve/store/store_common.h"

tvgp_status tvgp__store_questions_best(tvgp_store *);
tvgp_status tvgp__store_questions_arms(tvgp_store *);
tvgp_status tvgp__store_questions_shares(tvgp_store *);
tvgp_status tvgp__store_questions_stat(tvgp_store *);
tvgp_status tvgp__store_questions_state(tvgp_store *);
tvgp_status tvgp__store_questions_estimate(tvgp_store *);

#endif

/* SPDX-License-Identifier: MIT */
/* Side queries on a box (play/expert.h). The distinct points told, at most TVGP__EXPERT_ROUND of them, the newest, are what
 * a round is drawn from; with queries.points instead so many points spread over the domain, greedily: a chain on a set that
 * stays the same leaves holes. What bounds, mask or feasible set exclude when it would be asked is left out.
 *
 * The posterior is exact (belief/exact.h) and made from the log afresh whenever that changed. It is no state: a fit that failed
 * when answers were told is made up for when somebody reads it. */
#ifndef TVGP__PLAY_EXPERT_BOX_H
#define TVGP__PLAY_EXPERT_BOX_H

#include "play/expert.h"

tvgp_status tvgp__expert_box_start(tvgp_policy *policy, size_t points);
void tvgp__expert_box_release(tvgp_policy *policy);
void tvgp__expert_box_visit(tvgp_policy *policy, tvgp__visit *v); /* the points and the round */
tvgp_status tvgp__expert_box_load(tvgp_policy *policy);           /* after all else was read */

/* Room for n answers; the point of an own one. */
tvgp_status tvgp__expert_box_room(tvgp_policy *policy, size_t n);
void tvgp__expert_box_went(tvgp_policy *policy, const tvgp__answer *answer);

/* The log has changed; the posterior is fitted to it, if it is not. */
void tvgp__expert_box_changed(tvgp_policy *policy);
tvgp_status tvgp__expert_box_fit(tvgp_policy *policy);

tvgp_status tvgp__expert_box_ask(tvgp_policy *policy, double t, size_t cap, tvgp__proposal *out, size_t *n);

#endif

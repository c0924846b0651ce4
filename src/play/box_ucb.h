/* SPDX-License-Identifier: MIT */
/* The upper-confidence-bound policies on a box: the same score, told the same way, maximised by a search instead of a loop
 * over arms. A policy names law, noise and memory as on arms; the posterior is exact (belief/exact.h) or a bank of filters
 * (belief/bank_box.h). Pending actions are rows of the form. */
#ifndef TVGP__PLAY_BOX_UCB_H
#define TVGP__PLAY_BOX_UCB_H

#include "play/box_score.h"

tvgp_status tvgp__box_ucb_room(tvgp_policy *policy); /* the part of tvgp__ucb_start for a box */
void tvgp__box_ucb_release(tvgp_policy *policy);
void tvgp__box_ucb_visit(tvgp_policy *policy, tvgp__visit *v);

/* The steps of an ask. Open forgets the terms there are and finds the pending actions; choose: the maximiser of the sum over the
 * terms, described by one of them; end: nothing failed, it is asked. What fails before changes nothing. */
void tvgp__box_ucb_open(tvgp_policy *policy);
tvgp_status tvgp__box_ucb_choose(tvgp_policy *policy, size_t term, double *x, tvgp__proposal *out);
void tvgp__box_ucb_end(tvgp_policy *policy, const double *x, tvgp__proposal *out);

/* The parts of the ucb family's ops that differ. */
tvgp_status tvgp__box_ucb_ask(tvgp_policy *policy, double t, tvgp__proposal *out, size_t *n);

#endif

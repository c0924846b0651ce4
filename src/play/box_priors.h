/* SPDX-License-Identifier: MIT */
/* Several priors on a box: an ask of the policies of play/prior_ucb.h. Each prior's posterior is a term of what is searched. */
#ifndef TVGP__PLAY_BOX_PRIORS_H
#define TVGP__PLAY_BOX_PRIORS_H

#include "play/prior_ucb.h"

/* A whole ask: the maximiser of the highest score any living prior gives, by a search each (ties to the
 * lowest prior); of the mean score, by evidence, for which prior `spokesman` counts as the one that chose. Fail as a search does;
 * nothing changed. */
tvgp_status tvgp__box_priors_play_best(tvgp_policy *policy, double t, tvgp__proposal *out);
tvgp_status tvgp__box_priors_play_mean(tvgp_policy *policy, double t, size_t spokesman, tvgp__proposal *out);

#endif

/* SPDX-License-Identifier: MIT */
/* The choice among the arms of all ranks, and single arms of vectors over them. */
#ifndef TVGP__FRAME_CHOOSE_H
#define TVGP__FRAME_CHOOSE_H

#include "frame/policy_ops.h"

typedef struct tvgp__choice {
    size_t arm; /* among all */
    double score;
    size_t tag;
} tvgp__choice;

/* The best available arm by the rule of search/argmax.h, of these scores of the arms here; at least one arm of all is
 * available. tag (or NULL): its entry comes with the arm; so does the prior mean, and the moments of the posterior that `whose`
 * (or NULL) names for the tag. Of shared arms there must be room for the point of one. Collective. */
tvgp__choice tvgp__choose(tvgp_policy *p, const double *score, const size_t *tag,
                          tvgp__belief *(*whose)(const tvgp_policy *, size_t tag));

/* The same of scores less what moving costs (frame/switch.h), which is not in the score that is returned. */
tvgp__choice tvgp__choose_action(tvgp_policy *p, const double *score, const size_t *tag,
                                 tvgp__belief *(*whose)(const tvgp_policy *, size_t tag));

/* The arm at x, whichever rank holds it; or -1. Collective. */
int64_t tvgp__choose_locate(const tvgp_policy *p, const double *x);

/* Mean and variance of one arm at time t by the policy's `at`. Collective. */
tvgp_status tvgp__choose_at(const tvgp_policy *p, double t, size_t arm, double *mean, double *var);

#endif

/* SPDX-License-Identifier: MIT */
/* Conservative mode: bounds the loss against an incumbent, the action or point that would be used without a policy (Wu,
 * Shariff, Lattimore, Szepesvari 2016; Kazerouni, Ghavamzadeh, Abbasi-Yadkori, Van Roy 2017). In the sign of a maximum,
 * with mu_i and sd_i the posterior of action i when it was asked, and m_i the upper bound of the incumbent then, its
 * mean and one sd:
 *
 *   spent = sum of m_i - y_i over own choices with outcomes, and of m_i - (mu_i - sd_i) over those without
 *   worth = sum of |m_i| over all actions
 *
 * The policy's own choice a is asked while, even at its lower bound,
 *
 *   spent + m - (mu_a - sd_a) <= max_loss_share (worth + |m|),
 *
 * and the incumbent otherwise. Asks of the incumbent cost nothing, increase the accepted loss, and measure its present
 * value: the longer it is not asked, the higher its upper bound. Gains of own choices may be spent too. If the own
 * choice is drawn, the probability of the incumbent is unknown. With an exploration floor it is the probability of the incumbent
 * itself and of all arms that would be refused. */
#ifndef TVGP__PARTS_FEATURES_CONSERVATIVE_H
#define TVGP__PARTS_FEATURES_CONSERVATIVE_H

#include "protocol/guard_ops.h"

extern const tvgp__guard_ops tvgp__conservative_ops;

/* Whether the policy has an incumbent; which of the arms, or candidates, it is in an ask that has begun, SIZE_MAX: it may not be asked. */
int tvgp__conservative_is(const tvgp_policy *);
size_t tvgp__conservative_choice(const tvgp_policy *);

/* Of the exploration floor, which judges first: the policy's own choice; SIZE_MAX: a draw of its own. */
void tvgp__conservative_note_own(tvgp_policy *, size_t own);

/* As tvgp_policy_set_incumbent. */
tvgp_status tvgp__conservative_set(tvgp_policy *, const double *x, double max_loss_share);

#endif

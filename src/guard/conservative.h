/* SPDX-License-Identifier: MIT */
/* Starts where the user is, and never falls far below it: conservative bandits (Wu, Shariff,
 * Lattimore, Szepesvari 2016; Kazerouni, Ghavamzadeh, Abbasi-Yadkori, Van Roy 2017). The incumbent,
 * an action or a point, is what would be done without a policy. In the sense of a maximum, with mu_i
 * and sd_i what was believed of action i when it was asked, and m_i the most that was believed of
 * the incumbent then, its mean and one sd:
 *
 *   spent = sum of m_i - y_i over own choices told, and of m_i - (mu_i - sd_i) over those without an answer
 *   worth = sum of |m_i| over all actions
 *
 * The policy's own choice a is asked while, even at its bound,
 *
 *   spent + m - (mu_a - sd_a) <= max_loss_share (worth + |m|),
 *
 * otherwise the incumbent is. Its turns cost nothing and make the max_loss_share grow, and their answers say
 * what it is worth now: the longer nobody asks it, the more it may be worth. What own choices gain
 * may be spent too. Where the own choice is drawn, the probability of the incumbent is not known. With an exploration floor it is that
 * of the incumbent itself and of all arms that would be refused. */
#ifndef TVGP__GUARD_CONSERVATIVE_H
#define TVGP__GUARD_CONSERVATIVE_H

#include "protocol/guard.h"

extern const tvgp__guard_ops tvgp__conservative_ops;

/* Whether the policy has an incumbent; which of the arms, or candidates, it is in an ask that has begun, SIZE_MAX: it may not be asked. */
int tvgp__conservative_is(const tvgp_policy *);
size_t tvgp__conservative_choice(const tvgp_policy *);

/* As tvgp_policy_set_incumbent. */
tvgp_status tvgp__conservative_set(tvgp_policy *, const double *x, double max_loss_share);

#endif

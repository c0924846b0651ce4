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
 *   spent + m - (mu_a - sd_a) <= budget (worth + |m|),
 *
 * otherwise the incumbent is. Its turns cost nothing and make the budget grow, and their answers say
 * what it is worth now: the longer nobody asks it, the more it may be worth. What own choices gain
 * may be spent too. Where the own choice is drawn, the probability of the incumbent is not known. */
#ifndef TVGP__FRAME_INCUMBENT_H
#define TVGP__FRAME_INCUMBENT_H

#include "base/visit.h"
#include "frame/tickets.h"
#include "tvgp/policy.h"

struct tvgp__proposal;

/* Of a policy that has one; otherwise NULL. */
typedef struct tvgp__incumbent {
    double budget;
    double spent, worth;
    int64_t since;   /* actions asked before it was set: they do not count */
    int64_t turns;   /* asked in place of the policy's own choice */
    size_t action;   /* not on a box */
    double most;     /* m of the newest ask */
    size_t arm;      /* of the ask under way: the arm that the action is, */
    int waits;       /* whether it may not be asked, */
    double mean, sd; /* what is believed of it, relative to the prior mean, */
    double base;     /* and its prior mean */
    double x[];      /* on a box: the point, and behind it its prior mean */
} tvgp__incumbent;

/* As tvgp_policy_set_incumbent. */
tvgp_status tvgp__incumbent_set(tvgp_policy *, const double *x, double budget);

/* STATE: the incumbent is an action, and no context holds. */
tvgp_status tvgp__incumbent_check(const tvgp_policy *);

/* Before a choice: what is believed of the incumbent at time t. Fails as a prediction does; nothing
 * shows. */
tvgp_status tvgp__incumbent_reach(tvgp_policy *, double t);

/* Puts the incumbent in the place of a choice that may cost too much. */
void tvgp__incumbent_judge(tvgp_policy *, struct tvgp__proposal *);

/* An action has a ticket; a query closes with this outcome and value. */
void tvgp__incumbent_ask(tvgp_policy *, const tvgp__ticket *);
void tvgp__incumbent_settle(tvgp_policy *, const tvgp__ticket *, int outcome, double y);

/* What may still be spent; 0: there is none. */
double tvgp__incumbent_left(const tvgp_policy *);

/* Of a policy that has one (base/visit.h); a visitor that loads makes it. */
void tvgp__incumbent_visit(tvgp_policy *, tvgp__visit *);

#endif

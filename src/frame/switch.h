/* SPDX-License-Identifier: MIT */
/* What moving costs. Bandits with switching or movement costs subtract them from the reward (Dekel, Ding, Koren, Peres 2014; Koren,
 * Livni, Mansour 2017); here the choice is the maximiser of
 *   score(x) - cost [x is not the last action] - way |x - last|,
 * a term of the sum that a policy maximises, in the units of the reward. It does not look ahead: it is a bonus for staying.
 *
 * The last action is the newest one asked that was not told FAILED or CANCELLED: pending, or the newest whose fate is known. Where
 * contexts are numbered or measured, and in coordinates of a box that bounds hold fixed, moving is not the policy's doing: actions
 * alone are compared, by their own coordinates. */
#ifndef TVGP__FRAME_SWITCH_H
#define TVGP__FRAME_SWITCH_H

#include "base/options.h"
#include "base/visit.h"
#include "frame/tickets.h"
#include "tvgp/policy.h"

typedef struct tvgp__switch_config {
    double cost, way;
} tvgp__switch_config;
enum { TVGP__SWITCH_OPTIONS = 2 };
extern const tvgp__option tvgp__switch_options[TVGP__SWITCH_OPTIONS];

/* Of a policy. The action is policy->last_arm, on a box at within->place. */
typedef struct tvgp__switch {
    int64_t step;  /* of the newest action whose fate is known, and that did not fail; 0: none */
    int64_t moves; /* actions that differ from the one before */
    double way;    /* sum of |x - last| */
} tvgp__switch;

/* At the start. UNSUPPORTED: a way between arms that are names. */
tvgp_status tvgp__switch_check(const tvgp_policy *);

/* On arms that are here, in measured contexts and among candidates: takes the costs off their scores; what was taken off the score of one arm. */
void tvgp__switch_charge(const tvgp_policy *, double *score);
double tvgp__switch_charged(const tvgp_policy *, size_t arm);

/* On a box: where to stay, within the bounds of now (dim); 0: nothing was done before, that cannot be stayed at any more, or moving
 * costs nothing. Less the way of m points from there, with its gradient (NULL: not wanted). What it costs to go from there to x. */
int tvgp__switch_anchor(const tvgp_policy *, double *x);
void tvgp__switch_way(const tvgp_policy *, const double *anchor, size_t m, const double *Z, double *value, double *gradient);
double tvgp__switch_cost(const tvgp_policy *, const double *anchor, const double *x);

/* An action is asked (before it has a ticket); a query closes, and did not fail. */
void tvgp__switch_ask(tvgp_policy *, size_t arm, const double *x);
void tvgp__switch_settle(tvgp_policy *, const tvgp__ticket *);

void tvgp__switch_visit(tvgp_policy *, tvgp__visit *);

#endif

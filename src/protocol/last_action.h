/* SPDX-License-Identifier: MIT */
/* The last action of a policy: the newest one asked whose outcome is not FAILED or CANCELLED. It is pending, or the newest
 * with a known outcome. Contexts, and coordinates of a box that bounds hold fixed, are not the policy's choice: only
 * actions are compared, by their own coordinates. */
#ifndef TVGP__PROTOCOL_LAST_ACTION_H
#define TVGP__PROTOCOL_LAST_ACTION_H

#include "base/visit.h"
#include "protocol/actions/tickets.h"
#include "tvgp/types.h"

typedef struct tvgp__last_action {
    int64_t step;  /* of the newest action whose fate is known, and that did not fail; 0: none */
    int64_t moves; /* actions that differ from the one before */
    double way;    /* sum of |x - last| */
    size_t arm;    /* of that action; on a box it is at within->last_x */
} tvgp__last_action;

/* The last action: its arm, or on a box its point, with what is fixed now as it is now (x: dim). Returns 0 if there is none. */
int tvgp__last_action_last(const tvgp_policy *, size_t *arm, double *x);

/* The action that an arm is. The distance between the actions of two arms; 0 where arms are names. |a - b| in n dimensions. */
size_t tvgp__last_action_action(const tvgp_policy *, size_t arm);
double tvgp__last_action_between(const tvgp_policy *, size_t a, size_t b);
double tvgp__last_action_distance(size_t n, const double *a, const double *b);

/* An action is asked (before it is stored as pending); a query closes, and did not fail. */
void tvgp__last_action_ask(tvgp_policy *, size_t arm, const double *x);
void tvgp__last_action_outcome(tvgp_policy *, const tvgp__ticket *);

void tvgp__last_action_visit(tvgp_policy *, tvgp__visit *);

#endif

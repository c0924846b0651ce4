/* SPDX-License-Identifier: MIT */
/* Finds the unit of time of a policy whose rates the user did not set, so that t and a t + b give the same decisions.
 * The unit is found (space/temporal/median_gap.h) from the times of asks and of unsolicited observations, and passed to the
 * posterior by its op `time_unit`. It is fixed twice, after the first few times and once more later. If another one was in
 * use while time passed, the posterior is then reset and conditioned on the same outcomes again; there are few by then,
 * and they are stored as long as that may happen. */
#ifndef TVGP__POLICY_UCB_TIME_UNIT_H
#define TVGP__POLICY_UCB_TIME_UNIT_H

#include "model/posterior/observations.h"
#include "protocol/policy_ops.h"
#include "space/temporal/median_gap.h"

/* Number of outcomes stored for that; if there are more, none is replayed. */
enum { TVGP__TIME_UNIT_ANSWERS = 128 };

/* What a policy knows of its unit of time. */
typedef struct tvgp__time_unit {
    tvgp__median_gap clock;
    int moved;              /* whether time has passed for the posterior */
    int due;                /* whether some of it passed in another unit than the one in use */
    tvgp__observations log; /* outcomes of a posterior that does not learn; one that learns has a log of its own */
    int overflowed;         /* whether there was more */
} tvgp__time_unit;

/* What an ask that fails goes back to. */
typedef struct tvgp__time_unit_mark {
    tvgp__median_gap clock;
    int due;
} tvgp__time_unit_mark;

/* Creates u->time_unit before the first ask or tell. unit 0: it is to be found. Called again, it starts again.
 * The functions below do nothing for a policy without a time_unit. NOMEM. */
tvgp_status tvgp__time_unit_start(tvgp_policy *policy, double unit);
void tvgp__time_unit_free(tvgp_ctx *ctx, tvgp__time_unit *time_unit);

/* Gives the unit in use; 1 where none is known. */
double tvgp__time_unit_unit(const tvgp_policy *policy);

/* Takes note of an ask at time t, on arms. It is called when nothing can fail any more, before the posterior is moved to
 * t. */
void tvgp__time_unit_ask(tvgp_policy *policy, double t);

/* Do the same on a box, around a search that may fail: open before it, and close after it with its status, which takes
 * everything back where that is a failure. NOMEM, the kernel's status. */
tvgp_status tvgp__time_unit_open(tvgp_policy *policy, double t, tvgp__time_unit_mark *before);
void tvgp__time_unit_close(tvgp_policy *policy, double t, const tvgp__time_unit_mark *before, tvgp_status status);

/* Do the same for the model of a constraint, at the times of its values: reach is what can fail, finish ends it. NOMEM, the
 * kernel's status. */
tvgp_status tvgp__time_unit_reach(const tvgp_policy *policy);
void tvgp__time_unit_finish(tvgp_policy *policy);

/* Makes room for n outcomes. NOMEM. */
tvgp_status tvgp__time_unit_prepare(tvgp_policy *policy, size_t n);
/* Records the time of an outcome, before the posterior is conditioned on it. */
void tvgp__time_unit_take(tvgp_policy *policy, const tvgp__answer *answer);
/* Drops the stored outcomes; the caller stores others instead. */
void tvgp__time_unit_forget(tvgp_policy *policy);
/* Stores an outcome as the posterior receives it: y relative to the prior mean, with this noise, or a count. */
void tvgp__time_unit_note(tvgp_policy *policy, const tvgp__answer *answer, double y, double noise);

/* Saves or loads the time_unit (base/visit.h), before the posterior. In a snapshot that knows of no unit it is 1. */
void tvgp__time_unit_visit(tvgp_policy *policy, tvgp__visit *v);

#endif

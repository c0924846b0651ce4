/* SPDX-License-Identifier: MIT */
/* Finds the unit of time of a policy whose laws of change, or fits, have rates that nobody told, so that t and a t + b
 * give the same decisions. It is found (temporal/median_gap.h) in the times of asks and of observations that nobody asked for, and
 * handed to the posterior by its op `pace`, which goes by it from then on. The unit becomes final twice, after the first
 * few times and once more later. If another one was in use while time passed, the posterior is reset then and told again
 * what it was told; there are few answers by then, and they are kept as long as that may happen. */
#ifndef TVGP__FAMILY_TIME_UNIT_H
#define TVGP__FAMILY_TIME_UNIT_H

#include "fit/observations.h"
#include "protocol/policy_ops.h"
#include "temporal/median_gap.h"

/* How many answers are kept to be told again; where there are more, none is. */
enum { TVGP__TIME_UNIT_ANSWERS = 128 };

/* What a policy knows of its unit of time. */
typedef struct tvgp__time_unit {
    tvgp__median_gap clock;
    int moved;              /* whether time has passed for the posterior */
    int due;                /* whether some of it passed in another unit than the one in use */
    tvgp__observations log; /* what a posterior that does not learn was told; one that learns has a log of its own */
    int overflowed;         /* whether there was more */
} tvgp__time_unit;

/* What an ask that fails goes back to. */
typedef struct tvgp__time_unit_mark {
    tvgp__median_gap clock;
    int due;
} tvgp__time_unit_mark;

/* Makes u->pace, before anything was asked or told. `told` is the unit; 0: it is to be found. Called again, it begins
 * anew. The functions below do nothing for a policy without a pace. NOMEM. */
tvgp_status tvgp__time_unit_start(tvgp_policy *policy, double told);
void tvgp__time_unit_free(tvgp_ctx *ctx, tvgp__time_unit *pace);

/* Gives the unit in use; 1 where none is known. */
double tvgp__time_unit_unit(const tvgp_policy *policy);

/* Takes note of an ask at time t, on arms. It is called when nothing can fail any more, before the posterior is moved to
 * t. */
void tvgp__time_unit_ask(tvgp_policy *policy, double t);

/* Do the same on a box, around a search that may fail: open before it, and close after it with its status, which takes
 * everything back where that is a failure. NOMEM, the kernel's status. */
tvgp_status tvgp__time_unit_open(tvgp_policy *policy, double t, tvgp__time_unit_mark *before);
void tvgp__time_unit_close(tvgp_policy *policy, double t, const tvgp__time_unit_mark *before, tvgp_status status);

/* Do the same for the model of a constraint, whose times are those of its values: reach is what can fail, told ends it. NOMEM, the
 * kernel's status. */
tvgp_status tvgp__time_unit_reach(const tvgp_policy *policy);
void tvgp__time_unit_told(tvgp_policy *policy);

/* Makes room for n answers. NOMEM. */
tvgp_status tvgp__time_unit_prepare(tvgp_policy *policy, size_t n);
/* Takes note of the time of an answer, before the posterior sees it. */
void tvgp__time_unit_take(tvgp_policy *policy, const tvgp__answer *answer);
/* Drops the answers kept; the caller notes others in their place. */
void tvgp__time_unit_forget(tvgp_policy *policy);
/* Keeps an answer as the posterior was told it: y relative to the prior mean, with this noise. */
void tvgp__time_unit_note(tvgp_policy *policy, const tvgp__answer *answer, double y, double noise);

/* Saves or loads the pace (base/visit.h), before the posterior. In a snapshot that knows of no unit it is 1. */
void tvgp__time_unit_visit(tvgp_policy *policy, tvgp__visit *v);

#endif

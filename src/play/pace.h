/* SPDX-License-Identifier: MIT */
/* The unit of time of a policy of the ucb family whose laws of change, or fits, have rates that nobody told: found (law/clock.h)
 * in the times of asks and of observations nobody asked for, and handed to the posterior (its op `pace`). The posterior takes
 * it from then on. When the unit becomes final, after the first few times and once more later, and another one was in use while
 * time passed, the posterior is told again what it was told; there are few answers then, and they are kept until there is
 * no need. */
#ifndef TVGP__PLAY_PACE_H
#define TVGP__PLAY_PACE_H

#include "fit/log.h"
#include "frame/policy_ops.h"
#include "law/clock.h"

enum { TVGP__PACE_ANSWERS = 128 }; /* more are not told again */

typedef struct tvgp__pace {
    tvgp__clock clock;
    int moved;      /* time has passed for the posterior, */
    int due;        /* ... some of it in another unit than the one in use */
    tvgp__log log;  /* what it was told, of a policy that does not learn; one that learns has a log */
    int overflowed; /* there was more */
} tvgp__pace;

/* What an ask that fails goes back to. */
typedef struct tvgp__pace_mark {
    tvgp__clock clock;
    int due;
} tvgp__pace_mark;

/* Makes u->pace, before anything was asked or told; told: the unit, 0: to be found. Done again the last holds. Nothing is done below where there is none. NOMEM. */
tvgp_status tvgp__pace_start(tvgp_policy *policy, double told);
void tvgp__pace_free(tvgp_ctx *ctx, tvgp__pace *pace);

/* The unit in use; 1 where none is known. */
double tvgp__pace_unit(const tvgp_policy *policy);

/* An ask at time t, on arms: when nothing can fail any more, before the posterior is moved there. */
void tvgp__pace_ask(tvgp_policy *policy, double t);

/* The same on a box, around a search that may fail, with which it has not happened. NOMEM, the kernel's status. */
tvgp_status tvgp__pace_open(tvgp_policy *policy, double t, tvgp__pace_mark *before);
void tvgp__pace_close(tvgp_policy *policy, double t, const tvgp__pace_mark *before, tvgp_status status);

/* Answers: room for n of them; before the posterior sees one, and after it did, as it was told. */
tvgp_status tvgp__pace_prepare(tvgp_policy *policy, size_t n);
void tvgp__pace_take(tvgp_policy *policy, const tvgp__answer *answer);
void tvgp__pace_forget(tvgp_policy *policy); /* the answers there were; others are noted in their place */
void tvgp__pace_note(tvgp_policy *policy, const tvgp__answer *answer, double y, double noise);

/* Before the posterior. Where the snapshot knows of no unit it is 1. */
void tvgp__pace_visit(tvgp_policy *policy, tvgp__visit *v);

#endif

/* SPDX-License-Identifier: MIT */
/* What the policies with side queries share (Mauduit, Berthier, Simonetto 2025): rounds of side queries, Q points of a Q-DPP
 * over the distinct points told so far, Q = min(distinct, max(1, ceil(scale ln(t)^power))), t = actions asked; a posterior
 * fitted to the answers and to own observations, whose noise grows with their age.
 *
 * A round is drawn by the first ask after it became due; an ask emits what fits, the next ones the rest. After that an ask
 * at the same time gives AGAIN until every query of the round is answered or skipped; an ask at a later time takes what
 * came. So a user who never answers loses nothing but the answers.
 *
 * On a box the newest TVGP__EXPERT_ROUND distinct points told are what a round is drawn from; with queries.points instead so
 * many points spread over it, greedily: a chain on a set that stays the same leaves holes. What bounds, mask or feasible set
 * exclude when it would be asked is left out.
 *
 * The posterior (belief/refit.h on arms, belief/exact.h on a box) is made from the log afresh when it is read after that
 * has changed. It is no state. On a box the fit may fail, and is then made by the next call. */
#ifndef TVGP__PLAY_EXPERT_H
#define TVGP__PLAY_EXPERT_H

#include "fit/log.h"
#include "law/age.h"
#include "play/places.h"
#include "play/ucb.h"
#include "search/dpp.h"

/* First member of the configuration. */
typedef struct tvgp__expert_config {
    tvgp__ucb_config ucb;
    double noise, scale, power;
    int64_t steps, points;
} tvgp__expert_config;
enum { TVGP__EXPERT_OPTIONS = 5 };
extern const tvgp__option tvgp__expert_options[TVGP__EXPERT_OPTIONS];

#define TVGP__EXPERT_GROUPS                                                                                                 \
    TVGP__UCB_GROUPS, TVGP__UCB_CHOICE, {tvgp__expert_options, TVGP__EXPERT_OPTIONS, 0}, {                                  \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }

/* First member of the state. */
typedef struct tvgp__expert {
    tvgp__ucb ucb;
    tvgp__age age;                                             /* counted from the newest own observation */
    int (*uses)(const tvgp_policy *, const tvgp__record *own); /* whether an own observation is in use now */
    tvgp__log log;      /* own observations that may be in use again, and the answers in use */
    int stale;          /* the posterior is not fitted to the log: whoever reads it does that first */
    size_t answers;     /* answers in the log, at the last fit */
    int64_t as_of;      /* actions asked when the log was last changed */
    double newest;      /* time of the newest own observation */
    tvgp__places known; /* distinct places told, in order of the first time, or those of queries.points */
    uint8_t *seen;      /* of each arm, whether it is known; NULL on a box */
    tvgp__dpp dpp;
    tvgp__places ground; /* what a round is drawn from: known places that may be asked about now */
    uint8_t *allowed;    /* of each of them, whether the feasible set has it: workspace */
    size_t allowed_slots;
    int due;                    /* a round is owed */
    tvgp__places round, coming; /* the last one asked; one that may yet fail: behind each point the prior mean there */
    size_t emitted;             /* queries asked of the round */
    int64_t round_step;         /* actions asked when it was drawn; -1: none */
    double round_time;          /* when its newest query was emitted */
    int64_t answered, skipped, late;
} tvgp__expert;

void tvgp__expert_defaults(void *config);
tvgp_status tvgp__expert_start(tvgp_policy *policy, tvgp__age age,
                               int (*uses)(const tvgp_policy *, const tvgp__record *own));
tvgp_status tvgp__expert_extend(tvgp_policy *policy, const tvgp_domain *larger);
tvgp_status tvgp__expert_ask(tvgp_policy *policy, double t, size_t cap, tvgp__proposal *out, size_t *n);
tvgp_status tvgp__expert_prepare(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
void tvgp__expert_release(tvgp_policy *policy);
void tvgp__expert_visit(tvgp_policy *policy, tvgp__visit *v);

/* After loading, last: whatever is not state. */
void tvgp__expert_loaded(tvgp_policy *policy, tvgp__visit *v);

/* Counts an answer to a side query: first thing in a policy's take. */
void tvgp__expert_count(tvgp_policy *policy, const tvgp__answer *answer);

/* Takes a datum: an answer, or an own observation, which also counts as visited. */
void tvgp__expert_take(tvgp_policy *policy, const tvgp__answer *answer);

/* Forgets all data and the running round; a new one is due. */
void tvgp__expert_restart(tvgp_policy *policy);

/* Ends a batch: the posterior is fitted to it by the next call that reads it. */
void tvgp__expert_told(tvgp_policy *policy);

enum { TVGP__EXPERT_STATS = 7 };
extern const tvgp__stat tvgp__expert_stats[TVGP__EXPERT_STATS];

enum { TVGP__EXPERT_ROUND = 4096 }; /* places of a box that a round is drawn from, at most: the newest */

#define TVGP__EXPERT_STAT_GROUPS                                                                                            \
    TVGP__UCB_STAT_GROUPS, {                                                                                                \
        tvgp__expert_stats, TVGP__EXPERT_STATS                                                                              \
    }

tvgp_status tvgp__expert_at(const tvgp_policy *policy, double t, size_t n, const size_t *arm, double *mean, double *var);
tvgp_status tvgp__expert_predict(tvgp_policy *policy, double t, size_t n, const double *X, double *mean, double *var);
tvgp_status tvgp__expert_gradient(tvgp_policy *policy, double t, size_t n, const double *X, const tvgp__form_values *out);
tvgp_status tvgp__expert_best(tvgp_policy *policy, double t, double *x);

/* The ops that neither policy changes. */
#define TVGP__EXPERT_OPS                                                                                                    \
    .on_boxes = 1, .side_queries = TVGP__EXPERT_ROUND, .ask = tvgp__expert_ask, .prepare = tvgp__expert_prepare,            \
    .told = tvgp__expert_told, .extend = tvgp__expert_extend, .at = tvgp__expert_at, .predict = tvgp__expert_predict,       \
    .gradient = tvgp__expert_gradient, .best = tvgp__expert_best, .release = tvgp__expert_release

#endif

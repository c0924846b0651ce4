/* SPDX-License-Identifier: MIT */
/* The common part of the policies that ask an expert (Mauduit, Berthier, Simonetto 2025). Between actions they ask
 * rounds of side queries, and fit a posterior to their values and to own observations, whose noise grows with age.
 *
 * A round has Q points, drawn from a k-DPP (choose/dpp.h) over the distinct points observed so far:
 *   t  actions asked
 *   n  distinct points that may be asked about now
 *   Q  min(n, points of a round by choose/side_query_rules.h)
 * The first ask after a round became due draws it and returns as many queries as fit, the next ones return the rest. Then an ask at the
 * same time returns AGAIN until every query has an outcome, and an ask at a later time uses what has arrived.
 *
 * On a box a round is drawn from the newest TVGP__SIDE_QUERIES_ROUND distinct points. With side.points it is the greedy
 * set of that many points spread over the box: a k-DPP drawn from the same set every time leaves gaps there.
 *
 * With fit = map, kernel, noise and mean are learned from all outcomes, with noise that ages as the policy says, never jointly with
 * the exponent of aging: length scale and noise can explain the same outcomes. The exponent is learned from pairs of values at one
 * point (learn/noise_exponent.h), and changes when the policy forgets its observations. The
 * posterior with new parameters is fitted to what is in use. A value without declared noise (side.noise unset) has the
 * one learned for all.
 *
 * The posterior (model/refit.h on arms, model/exact.h on a box) is not state. It is recomputed from the log when
 * it is read after a change. On arms that cannot fail; on a box it may, and the next call that reads it tries again. */
#ifndef TVGP__POLICY_UCB_SIDE_QUERIES_H
#define TVGP__POLICY_UCB_SIDE_QUERIES_H

#include "choose/dpp.h"
#include "choose/side_query_rules.h"
#include "learn/noise_exponent.h"
#include "model/posterior/observations.h"
#include "policy/ucb/point_list.h"
#include "policy/ucb/ucb.h"
#include "space/temporal/noise_age.h"

/* The configuration of a policy that asks an expert begins with this: the options side.noise, side.round_factor, side.round_exponent,
 * side.divergence, kdpp.steps and side.points. */
typedef struct tvgp__side_queries_config {
    tvgp__ucb_config ucb;
    double noise, scale, power, divergence;
    int64_t steps, points;
} tvgp__side_queries_config;
enum { TVGP__SIDE_QUERIES_OPTIONS = 6 };
extern const tvgp__option tvgp__side_queries_options[TVGP__SIDE_QUERIES_OPTIONS];

/* Lists the option tables of such a policy, without its own. */
#define TVGP__SIDE_QUERIES_GROUPS                                                                                           \
    TVGP__UCB_GROUPS_UNCONSTRAINED, TVGP__UCB_CHOICE, TVGP__LEARN_GROUPS,                                                   \
        {tvgp__side_queries_options, TVGP__SIDE_QUERIES_OPTIONS, 0}, {                                                      \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }

/* The state of a policy that asks an expert begins with this. */
typedef struct tvgp__side_queries {
    tvgp__ucb ucb;
    tvgp__noise_age age; /* how noise grows, counted from the newest own observation */
    int learns_exponent; /* whether age.alpha is estimated */
    tvgp__noise_exponent exponent;
    int (*uses)(const tvgp_policy *, const tvgp__observation *own); /* whether an own observation is in use now */
    tvgp__observations log; /* own observations that may be in use again, and the values in use */
    int stale;              /* the posterior is not fitted to the log: a reader does that first */
    int noise_learned;      /* a value has the learned noise, unless it declares another */
    size_t answers;         /* values in the log, at the last fit */
    int64_t as_of;          /* actions asked when the log was last changed */
    double newest;          /* time of the newest own observation */
    double unit;            /* of time, at the last fit of the posterior */
    tvgp__point_list known; /* distinct points observed, in order of the first time, or the points of side.points */
    uint8_t *seen;          /* of each arm, whether it is known; NULL on a box */
    tvgp__dpp dpp;
    tvgp__point_list ground; /* what a round is drawn from: known points that may be asked about now */
    uint8_t *allowed;        /* of each of them, whether the feasible set has it: workspace */
    size_t allowed_slots;
    int due;                        /* a round is owed */
    tvgp__point_list round, coming; /* the last one asked; one that may yet fail: behind each point the prior mean there */
    size_t emitted;                 /* queries asked of the round */
    int64_t round_step;             /* actions asked when it was drawn; -1: none */
    int64_t window_start;           /* action that starts the window of a round; 0: a round belongs to the newest action */
    double round_time;              /* when its newest query was emitted */
    int64_t answered, skipped, late;
} tvgp__side_queries;

/* Gives the age of an own observation of time t, counted from the newest one: in the unit of time that was found where the model
 * is learned (policy/ucb/time_unit.h), otherwise in the user's. */
double tvgp__side_queries_age(const tvgp_policy *policy, double t);

/* The ops (protocol/policy_ops.h): a policy lists them with TVGP__SIDE_QUERIES_OPS, or calls those it adds to from its own. */
void tvgp__side_queries_defaults(void *config);
extern const tvgp__policy_learns tvgp__side_queries_learns;
tvgp_status tvgp__side_queries_extend(tvgp_policy *policy, const tvgp_domain *larger);
tvgp_status tvgp__side_queries_ask(tvgp_policy *policy, double t, size_t cap, tvgp__chosen *out, size_t *n);
tvgp_status tvgp__side_queries_prepare(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
void tvgp__side_queries_end_batch(tvgp_policy *policy);
tvgp_status tvgp__side_queries_at(const tvgp_policy *policy, double t, size_t n, const size_t *arm, double *mean,
                                  double *var);
tvgp_status tvgp__side_queries_predict(tvgp_policy *policy, double t, size_t n, const double *X,
                                       const tvgp__predictive_values *out);
tvgp_status tvgp__side_queries_best(tvgp_policy *policy, double t, double *x);
void tvgp__side_queries_release(tvgp_policy *policy);
void tvgp__side_queries_visit(tvgp_policy *policy, tvgp__visit *v);

/* Creates the state. `age` is how noise grows; its exponent is the first estimate where it is learned.
 * `uses` says whether an own observation is in use; when it is called, the values in use have been counted (`answers`).
 */
tvgp_status tvgp__side_queries_start(tvgp_policy *policy, tvgp__noise_age age, int learns_exponent,
                                     int (*uses)(const tvgp_policy *, const tvgp__observation *own));

/* Fits the posterior to what was loaded: a policy's visit ends with it. */
void tvgp__side_queries_loaded(tvgp_policy *policy, tvgp__visit *v);

/* Counts the outcome of a side query; a policy's take begins with it. */
void tvgp__side_queries_count(tvgp_policy *policy, const tvgp__answer *answer);

/* Adds a value to the log. The point of an own observation is known from then on. */
void tvgp__side_queries_take(tvgp_policy *policy, const tvgp__answer *answer);

/* Forgets all observations and the round that is asked. The next ask draws another. Where the exponent is learned, noise grows by
 * the newest estimate from now on. */
void tvgp__side_queries_restart(tvgp_policy *policy);

enum { TVGP__SIDE_QUERIES_STATS = 5 };
extern const tvgp__stat tvgp__side_queries_stats[TVGP__SIDE_QUERIES_STATS];

/* How many points of a box are known, at most. */
enum { TVGP__SIDE_QUERIES_ROUND = 4096 };

/* Lists the statistics of such a policy, without its own. */
#define TVGP__SIDE_QUERIES_STAT_GROUPS                                                                                      \
    TVGP__UCB_STAT_GROUPS, TVGP__LEARN_STAT_GROUPS, {                                                                       \
        tvgp__side_queries_stats, TVGP__SIDE_QUERIES_STATS                                                                  \
    }

/* Lists the ops that no such policy changes. */
#define TVGP__SIDE_QUERIES_OPS                                                                                              \
    .on_boxes = 1, .side_queries = TVGP__SIDE_QUERIES_ROUND, .ask = tvgp__side_queries_ask,                                 \
    .prepare = tvgp__side_queries_prepare, .end_batch = tvgp__side_queries_end_batch, .extend = tvgp__side_queries_extend,  \
    .at = tvgp__side_queries_at, .predict = tvgp__side_queries_predict, .gradients = 1, .best = tvgp__side_queries_best,    \
    .release = tvgp__side_queries_release, .learns = &tvgp__side_queries_learns, TVGP__LEARN_SERIES

#endif

/* SPDX-License-Identifier: MIT */
/* The common part of the policies that choose by an upper confidence bound: the action with the highest prior mean +
 * mean + width sd wins. A policy determines its posterior (drift model, noise, memory) and its resets; the rest is here.
 *
 * Pending actions count as observed at their mean, which keeps the mean and reduces the variance around them (GP-BUCB,
 * Desautels, Krause, Burdick 2014). The TVGP__RULE_PENDING newest of them count; each takes a column of the posterior. */
#ifndef TVGP__POLICY_UCB_UCB_H
#define TVGP__POLICY_UCB_UCB_H

#include "choose/calibration.h"
#include "choose/exploration_schedule.h"
#include "choose/rule.h"
#include "choose/search.h"
#include "choose/thompson.h"
#include "model/posterior/posterior.h"
#include "parts/history/history_prior.h"
#include "policy/ucb/learn.h"
#include "policy/ucb/outlier_monitor.h"
#include "policy/ucb/time_unit.h"
#include "protocol/feature_options.h"

enum { TVGP__UCB_PRUNE_EVERY = 8 }; /* on a box: number of asks between prunings of old observations */

/* How a box is searched; only policies with the options below and in choose/search.h read it. */
typedef struct tvgp__box_config {
    double tolerance;
    int64_t limit;
    tvgp__search_config search;
} tvgp__box_config;
enum { TVGP__BOX_OPTIONS = 2 };
extern const tvgp__option tvgp__box_options[TVGP__BOX_OPTIONS];

/* How the arm is chosen; only policies with the options below read it. */
typedef struct tvgp__choice_config {
    int32_t rule;
    int64_t draws;
} tvgp__choice_config;
enum { TVGP__CHOICE_UCB, TVGP__CHOICE_THOMPSON };
enum { TVGP__CHOICE_OPTIONS = 2 };
extern const tvgp__option tvgp__choice_options[TVGP__CHOICE_OPTIONS];
#define TVGP__UCB_CHOICE                                                                                                    \
    { tvgp__choice_options, TVGP__CHOICE_OPTIONS, offsetof(tvgp__ucb_config, choice) }

/* How far features go (model/feature/basis.h); only policies with the options below read it. */
typedef struct tvgp__ucb_rank {
    double tolerance;
    int64_t limit;
} tvgp__ucb_rank;
enum { TVGP__UCB_RANK_OPTIONS = 2 };
extern const tvgp__option tvgp__ucb_rank_options[TVGP__UCB_RANK_OPTIONS];
#define TVGP__UCB_RANK                                                                                                      \
    { tvgp__ucb_rank_options, TVGP__UCB_RANK_OPTIONS, offsetof(tvgp__ucb_config, rank) }

/* First member of the configuration of every policy of the family. */
typedef struct tvgp__ucb_config {
    tvgp__policy_config common;
    double noise, outlier_sd;
    tvgp__exploration_schedule_config width;
    tvgp__learn_config learn;
    tvgp__box_config box;
    tvgp__choice_config choice;
    tvgp__ucb_rank rank;
    tvgp__history_prior_config log;
} tvgp__ucb_config;
enum { TVGP__UCB_OPTIONS = 2 };
extern const tvgp__option tvgp__ucb_options[TVGP__UCB_OPTIONS];

/* Lists the options, and the statistics, of policies that can learn a log (parts/history/history_prior.h): they have the op retell. */
#ifdef TVGP__WITHOUT_HISTORY
#define TVGP__UCB_LOG                                                                                                       \
    { NULL, 0, 0 }
#define TVGP__UCB_LOG_STATS                                                                                                 \
    { NULL, 0 }
#else
#define TVGP__UCB_LOG                                                                                                       \
    { tvgp__history_prior_options, TVGP__HISTORY_PRIOR_OPTIONS, offsetof(tvgp__ucb_config, log) }
#define TVGP__UCB_LOG_STATS                                                                                                 \
    { tvgp__history_prior_stats, TVGP__HISTORY_PRIOR_STATS }
#endif

/* Lists the options of every policy of the family; of one that can have no limits. */
#define TVGP__UCB_GROUPS TVGP__FEATURE_OPTIONS_CONSTRAINED, TVGP__UCB_GROUPS_UNCONSTRAINED
#define TVGP__UCB_GROUPS_UNCONSTRAINED                                                                                      \
    {tvgp__policy_options, TVGP__POLICY_OPTIONS, 0}, TVGP__FEATURE_OPTIONS_SCORES,                                          \
        {tvgp__ucb_options, TVGP__UCB_OPTIONS, 0}, {                                                                        \
        tvgp__exploration_schedule_options, TVGP__EXPLORATION_SCHEDULE_OPTIONS, offsetof(tvgp__ucb_config, width)           \
    }

/* How far back delayed feedback is exact, for policies whose posterior has a drift model (model/arm_covariance.h). */
typedef struct tvgp__ucb_late {
    int64_t limit;
} tvgp__ucb_late;
enum { TVGP__UCB_LATE_OPTIONS = 1 };
extern const tvgp__option tvgp__ucb_late_options[TVGP__UCB_LATE_OPTIONS];

/* List the options of policies that support boxes too, in addition to the family's. `whole` is for those that do not
 * forget row by row, and have no forget.tolerance. */
#define TVGP__UCB_ON_BOXES_WHOLE                                                                                            \
    {tvgp__box_options + 1, TVGP__BOX_OPTIONS - 1, offsetof(tvgp__ucb_config, box)}, {                                      \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }
#define TVGP__UCB_ON_BOXES                                                                                                  \
    {tvgp__box_options, TVGP__BOX_OPTIONS, offsetof(tvgp__ucb_config, box)}, {                                              \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }

/* The statistics of such policies. */
enum { TVGP__BOX_STATS = 1 };
extern const tvgp__stat tvgp__box_stats[TVGP__BOX_STATS];
#define TVGP__UCB_BOX_STATS                                                                                                 \
    { tvgp__box_stats, TVGP__BOX_STATS }

typedef struct tvgp__maximise tvgp__maximise; /* policy/ucb/maximise.h */

/* What a policy that fits its posterior to data of its own supplies instead of that posterior. */
typedef struct tvgp__ucb_fitted {
    double (*correlation)(const tvgp_policy *, double from, double to); /* as the posterior's op of that name */
    void (*finish)(const tvgp_policy *); /* fits the posterior before a statistic is read; failing loses nothing */
} tvgp__ucb_fitted;

/* First member of the state of every policy of the family. */
typedef struct tvgp__ucb {
    tvgp__posterior *posterior;
    tvgp__learner *learner;                   /* the owner of the posterior, which replaces it; NULL: nothing is learned */
    tvgp__learn_adopted adopted;              /* what its tvgp__learn_spec says; or NULL */
    double (*own_width)(const tvgp_policy *); /* a schedule of the policy's own; NULL: the options say it */
    const tvgp__ucb_fitted *fitted;           /* of a policy that fits its posterior itself; otherwise NULL */
    tvgp_status (*enlarge)(tvgp_policy *, const tvgp_domain *larger,
                           tvgp__posterior **out); /* is used instead of the posterior's op `extend`; or NULL */
    tvgp__outlier_monitor monitor;
    tvgp__calibration calibration; /* multiplies the width */
    tvgp__time_unit *time_unit;    /* NULL: nothing depends on a unit of time that is to be found */
    double *score;                 /* on arms: n of them; otherwise NULL */
    tvgp__maximise *box_search;    /* on a box and in measured contexts; NULL: on arms */
    tvgp__thompson *thompson;      /* with choice = thompson: created at the first draw */
    tvgp__points pending;          /* arms within reach: of pending actions, or all for a draw */
    size_t *pending_arm;           /* the arms of pending actions (TVGP__RULE_PENDING); NULL before there were any */
    double *columns;               /* column_slots x n: the columns of pending actions */
    size_t column_slots;
    double *shrunk;         /* n: variances with the pending actions as observations */
    double width, mean, sd; /* of the last choice; mean without the prior mean */
    size_t n_rates;         /* for the width schedule `rate`: see tvgp__exploration_schedule_inputs; borrowed */
    const double *rate, *rate_weight;
    int64_t every;                       /* an ask begins with a reset after each `every` actions; 0: never */
    int64_t resets, reset_step, ignored; /* ignored: outcomes of queries from before a reset */
    size_t kept;                         /* observations in a log of the policy's own */
    double reset_time;
} tvgp__ucb;

/* Makes the posterior that the options ask for, with this kernel and noise (a tvgp__learn_make). */
tvgp_status tvgp__ucb_make(void *policy, const tvgp_kernel *kernel, double rate, double noise,
                           tvgp__basis_progress *progress, tvgp__posterior **out);
/* Gives the spec of a static posterior that forgets nothing, which a policy's own op `spec` begins with. */
tvgp__posterior_spec tvgp__ucb_spec(const tvgp_policy *policy, const tvgp_kernel *kernel, double noise);

/* Makes the state of a policy of the family with this posterior, which it takes over, also on failure. NOMEM. */
tvgp_status tvgp__ucb_start(tvgp_policy *policy, tvgp__posterior *posterior);

/* Gives the owner of the posterior where the policy learns, otherwise NULL. This and what follows only reads the state
 * (policy/ucb/ucb_state.c). */
tvgp__learner *tvgp__ucb_learner(const tvgp_policy *policy);

/* Returns the noise variance of an outcome that declares none: the option's, or the learned one. */
double tvgp__ucb_noise(const tvgp_policy *policy);
/* The same of an outcome in the user's unit: with the learned common factor of kernel and noise. */
double tvgp__ucb_outcome_noise(const tvgp_policy *policy);
/* Says whether the posterior takes this outcome as a count. */
int tvgp__ucb_counts(const tvgp_policy *policy, const tvgp__answer *answer);
/* Returns the noise variance of one more outcome at an arm. */
double tvgp__ucb_noise_at(const tvgp_policy *policy, const tvgp__posterior *posterior, size_t arm);
/* Gives the learned factor of the kernel, by which a width is freed of units; 1 when nothing is learned. */
double tvgp__ucb_scale(const tvgp_policy *policy);

/* Gives the posterior of a policy that has started. */
tvgp__posterior *tvgp__ucb_posterior(const tvgp_policy *policy);

/* Says whether the posterior when action `step` was asked (0: now) predicts its outcome. Before the first optimisation
 * it does not. */
int tvgp__ucb_predicts(const tvgp_policy *policy, int64_t step);

/* Says whether it chooses by a draw: choice = thompson. */
int tvgp__ucb_draws(const tvgp_policy *policy);
/* Says whether this query counts as a pending action. */
int tvgp__ucb_pends(const tvgp_policy *policy, const tvgp__ticket *ticket);
/* Gives the exploration width of the next action by a posterior (policy/ucb/ucb_width.c). */
double tvgp__ucb_width_by(const tvgp_policy *policy, const tvgp__posterior *posterior);

/* Forgets all observations, for a reason that is logged. Outcomes of queries that were asked before are ignored from now on. */
void tvgp__ucb_reset(tvgp_policy *policy, double t, const char *format, ...) TVGP__PRINTF(3, 4);

/* Says whether the next ask begins with a reset by count. Then earlier queries and outcomes do not count in it; it
 * is forgotten by `restart`, which comes when the ask cannot fail any more. */
int tvgp__ucb_restarts(const tvgp_policy *policy);
void tvgp__ucb_restart(tvgp_policy *policy, double t);

/* Does what an ask can fail at before anything is chosen: finds the pending actions, and on arms brings them within
 * reach of the posterior. On failure nothing has changed; called again after a success it cannot fail. */
tvgp_status tvgp__ucb_reach(tvgp_policy *policy);

/* These are ops (protocol/policy_ops.h), which a policy lists with TVGP__UCB_OPS, or calls from its own. */
tvgp_status tvgp__ucb_ask(tvgp_policy *policy, double t, size_t cap, tvgp__chosen *out, size_t *n);
tvgp_status tvgp__ucb_prepare(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
int tvgp__ucb_observes(const tvgp__ucb *u, const tvgp__answer *answer); /* says whether take observes it */
void tvgp__ucb_take(tvgp_policy *policy, const tvgp__answer *answer);
/* A part of take: gives an outcome to the learner, with its value relative to the prior mean. */
void tvgp__ucb_learn(tvgp_policy *policy, const tvgp__answer *answer, double y, double noise);
void tvgp__ucb_rebuild(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
tvgp_status tvgp__ucb_at(const tvgp_policy *policy, double t, size_t n, const size_t *arm, double *mean, double *var);
tvgp_status tvgp__ucb_predict(tvgp_policy *policy, double t, size_t n, const double *X, const tvgp__predictive_values *out);
tvgp_status tvgp__ucb_best(tvgp_policy *policy, double t, double *x);
tvgp_status tvgp__ucb_extend(tvgp_policy *policy, const tvgp_domain *larger);
void tvgp__ucb_rescore(tvgp_policy *policy, double *score); /* a part of extend: takes over scores for more arms */
void tvgp__ucb_release(tvgp_policy *policy);
int tvgp__ucb_prunes(const tvgp_policy *policy, int64_t since); /* whether a model forgets what has become worthless */
void tvgp__ucb_visit(tvgp_policy *policy, tvgp__visit *v);
void tvgp__ucb_visit_choices(tvgp_policy *policy, tvgp__visit *v); /* a part of visit: all but the posterior */

extern const tvgp__policy_shared tvgp__ucb_shared;
extern const tvgp__policy_model tvgp__ucb_model; /* of policies whose posterior does not depend on asks */
extern const tvgp__policy_learns tvgp__ucb_learns;

enum { TVGP__UCB_STATS = 15 };
extern const tvgp__stat tvgp__ucb_stats[TVGP__UCB_STATS];

/* The statistics of policies with tvgp__ucb_late. */
enum { TVGP__UCB_LATE_STATS = 1 };
extern const tvgp__stat tvgp__ucb_late_stats[TVGP__UCB_LATE_STATS];

/* The series of policies that learn their kernel, from outcomes or from historical data. */
enum { TVGP__UCB_SERIES = 2 };
extern const tvgp__stat_series tvgp__ucb_series[TVGP__UCB_SERIES];

#define TVGP__UCB_STAT_GROUPS                                                                                               \
    { tvgp__ucb_stats, TVGP__UCB_STATS }

/* Lists the ops that no policy of the family changes. */
#define TVGP__UCB_OPS                                                                                                       \
    .prepare = tvgp__ucb_prepare, .at = tvgp__ucb_at, .predict = tvgp__ucb_predict, .gradients = 1, .best = tvgp__ucb_best, \
    .extend = tvgp__ucb_extend, .release = tvgp__ucb_release, .shared = &tvgp__ucb_shared

#endif

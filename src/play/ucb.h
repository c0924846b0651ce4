/* SPDX-License-Identifier: MIT */
/* What the upper-confidence-bound policies on arms share: score = prior mean + mean + width sd, highest wins. A policy
 * chooses a posterior (law of change, noise, memory) and says when it forgets; the rest is here.
 *
 * Pending actions count as observed at their mean, which leaves the mean as it is and shrinks the variance around them
 * (GP-BUCB, Desautels, Krause, Burdick 2014); the TVGP__UCB_PENDING newest of them, one posterior column each. */
#ifndef TVGP__PLAY_UCB_H
#define TVGP__PLAY_UCB_H

#include "belief/belief.h"
#include "frame/recall.h"
#include "play/learn.h"
#include "play/pace.h"
#include "play/thompson.h"
#include "play/watch.h"
#include "search/search.h"
#include "search/width.h"

enum {
    TVGP__UCB_PENDING = 32,
    TVGP__UCB_PRUNE_EVERY = 8 /* on a box: asks, until what has become worthless goes */
};

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

/* How far features go (feature/basis.h); only policies with the options below read it. */
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
    tvgp__width_config width;
    tvgp__learn_config learn;
    tvgp__box_config box;
    tvgp__choice_config choice;
    tvgp__ucb_rank rank;
    tvgp__recall_config log;
} tvgp__ucb_config;
enum { TVGP__UCB_OPTIONS = 2 };
extern const tvgp__option tvgp__ucb_options[TVGP__UCB_OPTIONS];

/* Of policies with the op retell. */
#define TVGP__UCB_LOG                                                                                                       \
    { tvgp__recall_options, TVGP__RECALL_OPTIONS, offsetof(tvgp__ucb_config, log) }
#define TVGP__UCB_LOG_STATS                                                                                                 \
    { tvgp__recall_stats, TVGP__RECALL_STATS }

#define TVGP__UCB_GROUPS TVGP__LIMITS_GROUP, TVGP__UCB_GROUPS_UNLIMITED

/* Of a policy that can have no limits. */
#define TVGP__UCB_GROUPS_UNLIMITED                                                                                          \
    {tvgp__policy_options, TVGP__POLICY_OPTIONS, 0}, {tvgp__switch_options, TVGP__SWITCH_OPTIONS, 0},                       \
        {tvgp__ucb_options, TVGP__UCB_OPTIONS, 0}, {                                                                        \
        tvgp__width_options, TVGP__WIDTH_OPTIONS, offsetof(tvgp__ucb_config, width)                                         \
    }

/* Of policies whose posterior follows a law of change (belief/recursive.h). */
typedef struct tvgp__ucb_late {
    int64_t limit;
} tvgp__ucb_late;
enum { TVGP__UCB_LATE_OPTIONS = 1 };
extern const tvgp__option tvgp__ucb_late_options[TVGP__UCB_LATE_OPTIONS];

/* The policies that play on boxes too: their options and statistics beside the family's. Where nothing is forgotten row by
 * row there is no forget.tolerance. */
#define TVGP__UCB_ON_BOXES_WHOLE                                                                                            \
    {tvgp__box_options + 1, TVGP__BOX_OPTIONS - 1, offsetof(tvgp__ucb_config, box)}, {                                      \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }
#define TVGP__UCB_ON_BOXES                                                                                                  \
    {tvgp__box_options, TVGP__BOX_OPTIONS, offsetof(tvgp__ucb_config, box)}, {                                              \
        tvgp__search_options, TVGP__SEARCH_OPTIONS, offsetof(tvgp__ucb_config, box.search)                                  \
    }

enum { TVGP__BOX_STATS = 1 };
extern const tvgp__stat tvgp__box_stats[TVGP__BOX_STATS];
#define TVGP__UCB_BOX_STATS                                                                                                 \
    { tvgp__box_stats, TVGP__BOX_STATS }

typedef struct tvgp__play tvgp__play; /* play/play.h */

/* A policy that fits its posterior to data of its own says what the posterior does not know. */
typedef struct tvgp__ucb_fitted {
    double (*correlation)(const tvgp_policy *, double from, double to); /* in place of the posterior's op */
    void (*settle)(const tvgp_policy *); /* fits it before a statistic is read, if that succeeds */
} tvgp__ucb_fitted;

/* First member of the state of every policy of the family. */
typedef struct tvgp__ucb {
    tvgp__belief *posterior;
    tvgp__learned *learned;                   /* the same, when it learns; or NULL */
    tvgp__learn_adopted adopted;              /* of its tvgp__learn_spec; or NULL */
    double (*own_width)(const tvgp_policy *); /* of a policy with a schedule of its own; NULL: as the options say */
    const tvgp__ucb_fitted *fitted;           /* of a policy that fits its posterior itself; or NULL */
    tvgp_status (*enlarge)(tvgp_policy *, const tvgp_domain *larger,
                           tvgp__belief **out); /* in place of the posterior's op `extend`; or NULL */
    tvgp__watch watch;
    tvgp__pace *pace; /* NULL: nothing depends on a unit of time that was not told */
    union {
        double *score;    /* on arms: n */
        tvgp__play *play; /* where there are none with points */
    };
    tvgp__thompson *thompson; /* choice = thompson: made at the first draw */
    tvgp__points pending;     /* arms within reach: pending actions taken into account, or all for a draw */
    size_t *pending_arm;      /* TVGP__UCB_PENDING: where they stand; NULL before there were any */
    double *columns;          /* column_slots x n: theirs */
    size_t column_slots;
    double *shrunk;         /* n: variances with pending actions taken in */
    double width, mean, sd; /* of the last choice; mean without the prior mean */
    size_t n_rates;         /* for the width schedule `rate`: see tvgp__width_inputs; borrowed */
    const double *rate, *rate_weight;
    int64_t every; /* an ask begins with a reset when a multiple of so many actions has been asked; 0: never */
    int64_t resets, reset_step, ignored;
    size_t kept; /* observations in a log of the policy's own */
    double reset_time;
} tvgp__ucb;

/* The posterior that the options ask for, for this kernel and noise; a spec that asks for a static one of all memory. */
tvgp_status tvgp__ucb_make(void *policy, const tvgp_kernel *kernel, double rate, double noise, tvgp__belief **out);
tvgp__belief_spec tvgp__ucb_spec(const tvgp_policy *policy, const tvgp_kernel *kernel, double noise);

/* Takes over the posterior (also on failure). */
tvgp_status tvgp__ucb_start(tvgp_policy *policy, tvgp__belief *posterior);

/* What only reads the state (play/ucb_state.c). The wrapper of the posterior when the policy learns, otherwise NULL; the posterior
 * made by `make` that is in use. */
tvgp__learned *tvgp__ucb_learned(const tvgp_policy *policy);
tvgp__belief *tvgp__ucb_inner(const tvgp_policy *policy);

/* The variance of the noise of an answer that says nothing of it, of the option or learned; the learned factor of the kernel,
 * by which a width is freed of units, 1 when nothing is learned. */
double tvgp__ucb_noise(const tvgp_policy *policy);
double tvgp__ucb_scale(const tvgp_policy *policy);

/* Whether what was believed when action `step` was asked (0: what is believed now) says anything about its answer: not before
 * the first fit. */
int tvgp__ucb_predicts(const tvgp_policy *policy, int64_t step);

int tvgp__ucb_draws(const tvgp_policy *policy);                             /* choice = thompson */
int tvgp__ucb_pends(const tvgp_policy *policy, const tvgp__ticket *ticket); /* whether it counts as a pending action */
double tvgp__ucb_width(const tvgp_policy *policy);                          /* exploration width of the next action */
double tvgp__ucb_width_by(const tvgp_policy *policy, const tvgp__belief *posterior); /* by another posterior than its own */

/* Forgets all observations; answers to queries asked before are ignored from now on. */
void tvgp__ucb_reset(tvgp_policy *policy, double t, const char *reason);

/* Whether the next ask begins with a reset by count: what was asked and told by then does not count in it, but goes only by
 * `restart`, when the ask cannot fail any more. */
int tvgp__ucb_restarts(const tvgp_policy *policy);
void tvgp__ucb_restart(tvgp_policy *policy, double t);

/* What an ask can fail at before anything is chosen: the pending actions are found, on arms within reach of the posterior. Nothing
 * seen; done again it cannot fail. */
tvgp_status tvgp__ucb_reach(tvgp_policy *policy);

/* The ops, used as they are or called by a policy's own. */
tvgp_status tvgp__ucb_ask(tvgp_policy *policy, double t, size_t cap, tvgp__proposal *out, size_t *n);
tvgp_status tvgp__ucb_prepare(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
int tvgp__ucb_heeds(const tvgp__ucb *u, const tvgp__answer *answer); /* whether take observes it */
void tvgp__ucb_take(tvgp_policy *policy, const tvgp__answer *answer);
void tvgp__ucb_retell(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
tvgp_status tvgp__ucb_at(const tvgp_policy *policy, double t, size_t n, const size_t *arm, double *mean, double *var);
tvgp_status tvgp__ucb_predict(tvgp_policy *policy, double t, size_t n, const double *X, double *mean, double *var);
tvgp_status tvgp__ucb_gradient(tvgp_policy *policy, double t, size_t n, const double *X, const tvgp__form_values *out);
tvgp_status tvgp__ucb_best(tvgp_policy *policy, double t, double *x);
tvgp_status tvgp__ucb_extend(tvgp_policy *policy, const tvgp_domain *larger);
void tvgp__ucb_rescore(tvgp_policy *policy, double *score); /* part of it: workspace for more arms, takes over score */
void tvgp__ucb_release(tvgp_policy *policy);
void tvgp__ucb_tend(tvgp_policy *policy); /* play/ucb_model.c */
tvgp_status tvgp__ucb_covariance(tvgp_policy *policy, double t, size_t m, const size_t *arm, double *out);
void tvgp__ucb_visit(tvgp_policy *policy, tvgp__visit *v);
void tvgp__ucb_visit_choices(tvgp_policy *policy, tvgp__visit *v); /* the same without the posterior */

extern const tvgp__policy_shared tvgp__ucb_shared;

enum { TVGP__UCB_STATS = 15 };
extern const tvgp__stat tvgp__ucb_stats[TVGP__UCB_STATS];

/* With tvgp__ucb_late. */
enum { TVGP__UCB_LATE_STATS = 1 };
extern const tvgp__stat tvgp__ucb_late_stats[TVGP__UCB_LATE_STATS];

/* Of policies that learn their kernel, from answers or from a log. */
enum { TVGP__UCB_SERIES = 2 };
extern const tvgp__stat_series tvgp__ucb_series[TVGP__UCB_SERIES];

#define TVGP__UCB_STAT_GROUPS                                                                                               \
    { tvgp__ucb_stats, TVGP__UCB_STATS }

/* The ops of those that need not be asked to know what they know: models of limits. */
#define TVGP__UCB_MODEL .tend = tvgp__ucb_tend, .noise = tvgp__ucb_noise, .covariance = tvgp__ucb_covariance

/* The ops no policy of the family changes. */
#define TVGP__UCB_OPS                                                                                                       \
    .prepare = tvgp__ucb_prepare, .at = tvgp__ucb_at, .predict = tvgp__ucb_predict, .gradient = tvgp__ucb_gradient,         \
    .best = tvgp__ucb_best, .extend = tvgp__ucb_extend, .retell = tvgp__ucb_retell, .release = tvgp__ucb_release,           \
    .shared = &tvgp__ucb_shared

#endif

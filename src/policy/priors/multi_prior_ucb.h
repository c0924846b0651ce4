/* SPDX-License-Identifier: MIT */
/* The common part of the policies with several priors (Ziomek, Adachi, Osborne, "Time-varying Gaussian process bandits
 * with unknown prior"). Each prior has a model of the same data, with its score mean + width sd, and a record of its
 * actions. A policy decides which prior chooses and which one is eliminated. Predictions are the moments of the mixture
 * of the living priors, weighted by marginal likelihood. */
#ifndef TVGP__POLICY_UCB_MULTI_PRIOR_UCB_H
#define TVGP__POLICY_UCB_MULTI_PRIOR_UCB_H

#include "policy/priors/models.h"
#include "policy/ucb/ucb.h"

/* The configuration of every policy of the family begins with this. */
typedef struct tvgp__multi_prior_ucb_config {
    tvgp__ucb_config ucb;
    tvgp__ucb_late late;
    char weights[TVGP__OPTION_TEXT_SIZE];
} tvgp__multi_prior_ucb_config;
/* The most observations that are kept so that a prior can be added later, in 64 bytes each. */
enum { TVGP__MULTI_PRIOR_UCB_REPLAYED = 65536 };
enum { TVGP__MULTI_PRIOR_UCB_OPTIONS = 1 };
extern const tvgp__option tvgp__multi_prior_ucb_options[TVGP__MULTI_PRIOR_UCB_OPTIONS];

/* Lists the options of such a policy. */
#define TVGP__MULTI_PRIOR_UCB_GROUPS                                                                                        \
    TVGP__UCB_GROUPS, TVGP__UCB_ON_BOXES, {tvgp__multi_prior_ucb_options, TVGP__MULTI_PRIOR_UCB_OPTIONS, 0}, {              \
        tvgp__ucb_late_options, TVGP__UCB_LATE_OPTIONS, offsetof(tvgp__multi_prior_ucb_config, late)                        \
    }

/* How one prior did. */
typedef struct tvgp__prior_record {
    int64_t chosen;              /* how many actions it chose */
    double answered;             /* how many of these got a value; the sums below are over them */
    double error, bonus, reward; /* sums of y - mean, of width sd, and of y */
    double statistic, threshold; /* the last test: a prior dies when statistic > threshold */
    int64_t end_step;            /* how many actions had been asked when it died; 0: it lives */
    double end_time;
} tvgp__prior_record;

/* The state of every policy of the family begins with this. ucb.posterior is borrowed: it is that of the prior that
 * spoke last. */
typedef struct tvgp__multi_prior_ucb {
    tvgp__ucb ucb;
    tvgp__models models;
    tvgp__prior_record *record;   /* one for each prior */
    double *weight;               /* one for each prior: its posterior probability */
    struct tvgp__rule_term *term; /* one for each prior: workspace of the mean score */
    size_t record_slots, weight_slots, term_slots;
    size_t spoke; /* the prior that chose the last action */
    struct {
        int is; /* whether both are known: until an outcome arrives or a prior is eliminated */
        double mean, var;
    } next;         /* on shared arms: the mixture's prediction of the next outcome */
    int64_t spared; /* how often the last prior would have died */
    int of_rewards; /* whether tests compare rewards, so that statistic and threshold have the user's sign */
} tvgp__multi_prior_ucb;

/* Says whether prior i lives. */
static inline int tvgp__multi_prior_ucb_alive(const tvgp__multi_prior_ucb *s, size_t i) {
    return s->models.list[i].posterior != NULL;
}

/* Gives i, or the first prior that lives where i is dead, which a collective call that failed may name. */
size_t tvgp__multi_prior_ucb_living(const tvgp__multi_prior_ucb *s, size_t i);

/* Does for all living priors what tvgp__ucb_reach does for one (policy/priors/multi_prior_ucb_ask.c). */
tvgp_status tvgp__multi_prior_ucb_reach(tvgp_policy *policy);

/* Complete asks. They choose by the highest score of prior i; by the highest score of any living prior (ties to the
 * first prior); or by the highest mean score, weighted by marginal likelihood, where `credited_prior`, a prior of positive
 * weight, counts as the one that chose. They fail as a search does; nothing has changed then. */
tvgp_status tvgp__multi_prior_ucb_ask_one(tvgp_policy *policy, double t, size_t i, tvgp__chosen *out);
tvgp_status tvgp__multi_prior_ucb_ask_best(tvgp_policy *policy, double t, tvgp__chosen *out);
tvgp_status tvgp__multi_prior_ucb_ask_mean(tvgp_policy *policy, double t, size_t credited_prior, tvgp__chosen *out);

/* Adds the outcome to the record of the prior that asked for it, and returns that record; NULL if no prior did, or it is
 * eliminated. */
tvgp__prior_record *tvgp__multi_prior_ucb_credit(tvgp_policy *policy, const tvgp__answer *answer);

/* Gives xi_t = 2 noise ln(n_priors pi^2 t^2 / (3 delta)), where t is the number of the action that is answered. */
double tvgp__multi_prior_ucb_xi(const tvgp_policy *policy, const tvgp__answer *answer);

/* Tests prior i: it dies when statistic > threshold, unless it is the last one alive. */
void tvgp__multi_prior_ucb_test(tvgp_policy *policy, size_t i, double statistic, double threshold, double t);

/* These are ops (protocol/policy_ops.h), which the policies of the family list with TVGP__MULTI_PRIOR_UCB_OPS or name one by one. */
void tvgp__multi_prior_ucb_defaults(void *config); /* width.schedule prior-finite */
tvgp_status tvgp__multi_prior_ucb_start(tvgp_policy *policy);
tvgp_status tvgp__multi_prior_ucb_add(tvgp_policy *policy);
/* The op `extend` gives every living prior a posterior on more arms that knows what its old one knew. */
tvgp_status tvgp__multi_prior_ucb_extend(tvgp_policy *policy, const tvgp_domain *larger);
tvgp_status tvgp__multi_prior_ucb_prepare(tvgp_policy *policy, size_t n, const tvgp__answer *answers);
void tvgp__multi_prior_ucb_take(tvgp_policy *policy, const tvgp__answer *answer);
tvgp_status tvgp__multi_prior_ucb_at(const tvgp_policy *policy, double t, size_t n, const size_t *arm, double *mean,
                                     double *var);
/* Predicts at points that need not be arms: mean and variance of the mixture, and their gradients. UNSUPPORTED on arms, where the mean
 * of a prior that weighs something is known at arms only. */
tvgp_status tvgp__multi_prior_ucb_predict(tvgp_policy *policy, double t, size_t n, const double *X,
                                          const tvgp__predictive_values *out);
tvgp_status tvgp__multi_prior_ucb_best(tvgp_policy *policy, double t, double *x); /* policy/priors/multi_prior_ucb_ask.c */
void tvgp__multi_prior_ucb_release(tvgp_policy *policy);
void tvgp__multi_prior_ucb_visit(tvgp_policy *policy, tvgp__visit *v);

extern const tvgp__policy_shared tvgp__multi_prior_ucb_shared;
extern const tvgp__policy_model tvgp__multi_prior_ucb_model;
extern const tvgp__policy_priors tvgp__multi_prior_ucb_priors;

enum { TVGP__MULTI_PRIOR_UCB_STATS = 5, TVGP__MULTI_PRIOR_UCB_ALL_ALIVE = 4, TVGP__MULTI_PRIOR_UCB_SERIES = 8 };
extern const tvgp__stat tvgp__multi_prior_ucb_stats[TVGP__MULTI_PRIOR_UCB_STATS];
/* The series: all of them, or the first ALL_ALIVE for policies in which no prior dies. */
extern const tvgp__stat_series tvgp__multi_prior_ucb_series[TVGP__MULTI_PRIOR_UCB_SERIES];
size_t tvgp__multi_prior_ucb_size(const tvgp_policy *policy); /* counts the priors, as series do */

/* Lists the statistics of such a policy. */
#define TVGP__MULTI_PRIOR_UCB_STAT_GROUPS                                                                                   \
    TVGP__UCB_STAT_GROUPS, {                                                                                                \
        tvgp__multi_prior_ucb_stats, TVGP__MULTI_PRIOR_UCB_STATS                                                            \
    }

/* Lists the ops that no policy of the family changes. */
#define TVGP__MULTI_PRIOR_UCB_OPS                                                                                           \
    .extend = tvgp__multi_prior_ucb_extend, .release = tvgp__multi_prior_ucb_release, .visit = tvgp__multi_prior_ucb_visit, \
    .defaults = tvgp__multi_prior_ucb_defaults, .prepare = tvgp__multi_prior_ucb_prepare, .at = tvgp__multi_prior_ucb_at,   \
    .predict = tvgp__multi_prior_ucb_predict, .gradients = 1, .best = tvgp__multi_prior_ucb_best,                           \
    .series = tvgp__multi_prior_ucb_series, .shared = &tvgp__multi_prior_ucb_shared, .model = &tvgp__multi_prior_ucb_model, \
    .priors = &tvgp__multi_prior_ucb_priors, .on_boxes = 1

#endif

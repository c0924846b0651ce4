/* SPDX-License-Identifier: MIT */
/* Hyperparameter learning of the policies of the ucb family, those with one posterior over one kernel. It has the
 * options fit.* and prior.* and the statistics fit.*, and creates their posterior, with a learner that owns
 * it (learn/learner.h) if required. */
#ifndef TVGP__POLICY_UCB_LEARN_H
#define TVGP__POLICY_UCB_LEARN_H

#include "learn/learner.h"
#include "protocol/policy_ops.h"

/* Member `learn` of the ucb family's configuration; only policies with the options below read it. */
typedef struct tvgp__learn_config {
    int32_t fit; /* 0: off, 1: map, 2: noise */
    tvgp__learner_rules rules;
    double lengthscale; /* the centre of the prior, in ranges of the arms; 0: 0.3 dim^(1/4) */
} tvgp__learn_config;

enum { TVGP__LEARN_OPTIONS = 13, TVGP__LEARN_STATS = 14 };
extern const tvgp__option tvgp__learn_options[TVGP__LEARN_OPTIONS];
extern const tvgp__stat tvgp__learn_stats[TVGP__LEARN_STATS];
extern const tvgp__stat_series tvgp__learn_series[1];

/* The statistic fit.lengthscale.i: its entry in a list of series, and the two functions that the entry names. */
#define TVGP__LEARN_SERIES_ENTRY                                                                                            \
    {                                                                                                                       \
        "fit.lengthscale.0", "Lengthscale i of the kernel in use.", tvgp__learn_lengthscale, tvgp__learn_lengthscales,      \
            TVGP_STAT_LEARNED, "coordinates"                                                                                \
    }
double tvgp__learn_lengthscale(const tvgp_policy *policy, size_t i);
size_t tvgp__learn_lengthscales(const tvgp_policy *policy);

#define TVGP__LEARN_GROUPS                                                                                                  \
    { tvgp__learn_options, TVGP__LEARN_OPTIONS, offsetof(tvgp__ucb_config, learn) }
#define TVGP__LEARN_STAT_GROUPS                                                                                             \
    { tvgp__learn_stats, TVGP__LEARN_STATS }

/* Creates the posterior of a policy of the family for a kernel and a noise variance. `rate` is the learned one of the
 * drift model (epsilon, or the rate of Matern 3/2); NaN: the options determine it. `progress` is as in
 * tvgp__learner_spec. */
typedef tvgp_status (*tvgp__learn_make)(void *policy, const tvgp_kernel *kernel, double rate, double noise,
                                        tvgp__basis_progress *progress, tvgp__posterior **out);

/* Is called when another posterior has come into use. */
typedef void (*tvgp__learn_adopted)(tvgp_policy *policy, tvgp__posterior *posterior, double rate);

/* What a policy says about its learning. */
typedef struct tvgp__learn_spec {
    tvgp__learn_make make;       /* NULL: tvgp__ucb_make */
    tvgp__learn_adopted adopted; /* OPTIONAL */
    tvgp__drift_kind drift;      /* the drift model of an optimisation, TVGP__DRIFT_.. */
    double rate;                 /* its rate, if fit.epsilon = 0 */
    tvgp__noise_age age; /* the growth of noise of an optimisation; its rate is fixed or learned as that of a drift model */
    int takes_rate;      /* whether the posterior is made with the learned rate */
    int rate_given;      /* whether the rate is trusted whatever fit.epsilon says */
    int own_scale;       /* this and the two below are members of tvgp__learner_spec; `arg` of fill is the policy */
    int64_t (*rows)(const tvgp__posterior *posterior);
    tvgp_status (*fill)(void *policy, tvgp__posterior *posterior, const tvgp__hyper_point *point);
} tvgp__learn_spec;

/* Makes u->posterior by spec->make, with a learner when the option fit says so, and the rest of the family's state. OPTION: no
 * kernel and fit = off. */
tvgp_status tvgp__learn_start(tvgp_policy *policy, const tvgp__learn_spec *spec);

/* Creates the initial kernel of a policy without a supplied one, with variance 1: Matern 5/2 with lengthscales of
 * `centre` ranges of the arms (0: 0.3 dim^(1/4)), categorical on coordinates that are indices; for a product the product
 * of both kernels. NOMEM. */
tvgp_status tvgp__learn_prior_kernel(tvgp_ctx *ctx, const tvgp_domain *domain, double centre, tvgp_kernel **out);

/* These are functions of tvgp__policy_learns. */
tvgp_status tvgp__learn_fit(tvgp_policy *policy, int64_t max_evals, int64_t *evals);
tvgp_status tvgp__learn_kernel(const tvgp_policy *policy, tvgp_kernel **out);
tvgp_status tvgp__learn_make_kernel(tvgp_policy *policy);

#define TVGP__LEARN_SERIES .series = tvgp__learn_series, .n_series = 1

#endif

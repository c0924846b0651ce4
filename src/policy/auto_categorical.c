/* SPDX-License-Identifier: MIT */
#include "policy/auto_categorical.h"

#include "base/error.h"
#include "family/ucb.h"
#include "posterior/posterior_make.h"
#include "protocol/policy_options.h"

#include <math.h>

/* Rate eps and lasting part q of an arm, rate of the common level, noise variance; the first varies fastest. */
static const double arm_parts[][2] = {{0, 0}, {0.03, 0}, {0.03, 0.6}, {0.3, 0}, {0.3, 0.6}};
static const double level_rates[] = {0, 0.01, 0.15};
static const double noises[] = {0.0015, 0.1, 8};

/* Abrupt changes: noise variances of models in which the arms stand still until all are drawn again. */
static const double abrupt_noises[] = {0.02, 0.3};

enum { PARTS = sizeof arm_parts / sizeof *arm_parts, LEVELS = sizeof level_rates / sizeof *level_rates };
enum { ABRUPT = sizeof abrupt_noises / sizeof *abrupt_noises, MODELS = TVGP__AUTO_CATEGORICAL_MODELS };

/* Counts: the arms' standard deviation on the scale of the link, their rate, and the rate of the level; the first varies fastest.
 * The level has the variance 4 on that scale. */
static const double count_sds[] = {0.3, 0.8, 2}, count_rates[] = {0, 0.001, 0.01}, count_level_rates[] = {0, 0.003};
static const double COUNT_LEVEL = 4;
enum { SDS = sizeof count_sds / sizeof *count_sds, RATES = sizeof count_rates / sizeof *count_rates };

int tvgp__auto_categorical_counts(const tvgp_policy *p, double hazard) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    return type && type->counts && !(hazard > 0);
}

size_t tvgp__auto_categorical_filters(const tvgp_policy *p, double hazard) {
    if (tvgp__auto_categorical_counts(p, hazard))
        return TVGP__AUTO_CATEGORICAL_COUNTS;
    return MODELS + (hazard > 0 ? 2 * ABRUPT : 0);
}

static tvgp__arm_model model_of_counts(size_t i) {
    const double sd = count_sds[i % SDS];
    return (tvgp__arm_model){.rate = count_rates[i / SDS % RATES],
                             .level = COUNT_LEVEL / (sd * sd),
                             .level_rate = count_level_rates[i / (SDS * RATES)],
                             .sd = sd};
}

tvgp__arm_model tvgp__auto_categorical_model(const tvgp_policy *p, double hazard, size_t i) {
    if (tvgp__auto_categorical_counts(p, hazard))
        return model_of_counts(i);
    if (i >= MODELS)
        return (tvgp__arm_model){.level = TVGP__AUTO_CATEGORICAL_LEVEL, .noise = abrupt_noises[(i - MODELS) % ABRUPT]};
    return (tvgp__arm_model){.rate = arm_parts[i % PARTS][0],
                             .lasting = arm_parts[i % PARTS][1],
                             .level = TVGP__AUTO_CATEGORICAL_LEVEL,
                             .level_rate = level_rates[i / PARTS % LEVELS],
                             .noise = noises[i / (PARTS * LEVELS)]};
}

/* Options of the model whose hyperparameters are optimised. */
static const char *const of_other_model[] = {"fit",
                                             "drift.models",
                                             "noise",
                                             "noise.factors",
                                             "scale.learn",
                                             "offset.variance",
                                             "arm_change.probability",
                                             "changepoint.confirm_by",
                                             "fit.noise",
                                             "fit.epsilon",
                                             "prior.noise",
                                             "prior.lengthscale"};

int tvgp__auto_categorical_applies(const tvgp_policy *p) {
    const tvgp_domain *domain = p->domain;
    if (tvgp__domain_is(domain) != TVGP__ARMS || !domain->indices || domain->dim != 1 || domain->shard)
        return 0;
    if (p->given.kernel || tvgp__guard_has_prior(p) || (p->priors.n && !p->priors.own))
        return 0;
    for (size_t i = 0; i < sizeof of_other_model / sizeof *of_other_model; i++)
        if (tvgp__policy_options_was_set(p, of_other_model[i]))
            return 0;
    return 1;
}

static void adopted(tvgp_policy *p, tvgp__posterior *posterior, double rate) {
    tvgp__ucb *u = p->state;
    const tvgp__arm_mixture *g = (const tvgp__arm_mixture *)posterior;
    (void)rate;
    u->n_rates = g->set.count;
    u->rate = g->rate;
    u->rate_weight = g->weight;
}

tvgp_status tvgp__auto_categorical_start(tvgp_policy *p, double switching, double hazard, int64_t limit) {
    tvgp__ucb *u = p->state;
    tvgp__arm_model models[MODELS + ABRUPT];
    tvgp__posterior *posterior = NULL;
    const int counts = tvgp__auto_categorical_counts(p, hazard);
    const size_t abrupt = hazard > 0 ? ABRUPT : 0, n = tvgp__auto_categorical_filters(p, hazard) - abrupt;
    for (size_t i = 0; i < n; i++)
        models[i] = tvgp__auto_categorical_model(p, hazard, i);
    const tvgp__arm_mixture_spec grid = {.n = n,
                                         .models = models,
                                         .abrupt = abrupt,
                                         .hazard = hazard,
                                         .counts = counts ? tvgp__policy_outcome(p)->counts : NULL,
                                         .turned = tvgp__policy_turn(p, 1) < 0,
                                         .switching = switching,
                                         .limit = limit};
    tvgp__posterior_spec spec = tvgp__ucb_spec(p, p->kernel, NAN);
    spec.mixed = &grid;
    TVGP__TRY(tvgp__posterior_make(&spec, &posterior));
    u->adopted = adopted;
    u->calibration.on = !counts && !tvgp__policy_options_any_set(p, "width.", TVGP__EXPLORATION_SCHEDULE_OPTIONS,
                                                                 tvgp__exploration_schedule_options);
    TVGP__TRY(tvgp__ucb_start(p, posterior));
    adopted(p, posterior, NAN);
    return TVGP_OK;
}

const tvgp__arm_mixture *tvgp__auto_categorical_mixed(const tvgp_policy *p) {
    const tvgp__posterior *posterior = ((const tvgp__ucb *)p->state)->posterior;
    return posterior->ops == &tvgp__arm_mixture_ops || posterior->ops == &tvgp__arm_mixture_of_counts
               ? (const tvgp__arm_mixture *)posterior
               : NULL;
}

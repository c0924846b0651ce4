/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb on categorical arms with default settings: a fixed mixture (model/arm_mixture.h) instead of optimised
 * hyperparameters, and an exploration coefficient calibrated by outcomes (choose/calibration.h) (policy/auto_categorical.h). */
#include "policy/auto_categorical.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/posterior_make.h"
#include "policy/ucb/ucb.h"
#include "protocol/policy_options.h"
#include "space/domain/product.h"

#include <math.h>

/* Rate eps and lasting part q of an arm, rate of the common level, noise variance; the first varies fastest. */
static const double arm_parts[][2] = {{0, 0}, {0.03, 0}, {0.03, 0.6}, {0.3, 0}, {0.3, 0.6}};
static const double level_rates[] = {0, 0.01, 0.15};
static const double noises[] = {0.0015, 0.1, 8};

/* Abrupt changes: noise variances of models in which the arms stand still until all are drawn again. */
static const double abrupt_noises[] = {0.02, 0.3};

enum { PARTS = sizeof arm_parts / sizeof *arm_parts, LEVELS = sizeof level_rates / sizeof *level_rates };
enum { ABRUPT = sizeof abrupt_noises / sizeof *abrupt_noises, NUMBERS = PARTS * LEVELS * sizeof noises / sizeof *noises };

/* Numbered contexts: the part p of a pair in the variance of an arm, the variance v_E of a context's level, and the prior probability
 * of both. They vary slowest; without contexts the first is left. */
static const double context_parts[][3] = {{0, 0, 0.9}, {0.3, 1, 0.05}, {0.8, 1, 0.05}};
enum { CONTEXTUAL = sizeof context_parts / sizeof *context_parts };

/* Counts: the arms' standard deviation on the scale of the link, their rate, and the rate of the level; the first varies fastest.
 * The level has the variance 4 on that scale. */
static const double count_sds[] = {0.3, 0.8, 2}, count_rates[] = {0, 0.001, 0.01}, count_level_rates[] = {0, 0.003};
static const double COUNT_LEVEL = 4;
enum { SDS = sizeof count_sds / sizeof *count_sds, RATES = sizeof count_rates / sizeof *count_rates };
enum { COUNTS = SDS * RATES * sizeof count_level_rates / sizeof *count_level_rates };

enum { PAIRS = 1000 }; /* of an action and a context that are held at most: memory and time grow with their square */

static size_t contexts(const tvgp_policy *p) {
    const size_t n = tvgp__product_contexts(p->domain);
    return n ? n : 1;
}

int tvgp__auto_categorical_counts(const tvgp_policy *p, double hazard) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    return type && type->counts && !(hazard > 0);
}

/* Models without the parts of contexts. */
static size_t plain(const tvgp_policy *p, double hazard) {
    return tvgp__auto_categorical_counts(p, hazard) ? COUNTS : NUMBERS;
}

static size_t models_of(const tvgp_policy *p, double hazard) {
    return plain(p, hazard) * (contexts(p) > 1 ? CONTEXTUAL : 1);
}

size_t tvgp__auto_categorical_filters(const tvgp_policy *p, double hazard) {
    return models_of(p, hazard) + (hazard > 0 ? 2 * ABRUPT : 0);
}

static tvgp__arm_model model_of_counts(size_t i) {
    const double sd = count_sds[i % SDS];
    return (tvgp__arm_model){.rate = count_rates[i / SDS % RATES],
                             .level = COUNT_LEVEL / (sd * sd),
                             .level_rate = count_level_rates[i / (SDS * RATES)],
                             .sd = sd};
}

static tvgp__arm_model model_of_numbers(size_t i) {
    return (tvgp__arm_model){.rate = arm_parts[i % PARTS][0],
                             .lasting = arm_parts[i % PARTS][1],
                             .level = TVGP__AUTO_CATEGORICAL_LEVEL,
                             .level_rate = level_rates[i / PARTS % LEVELS],
                             .noise = noises[i / (PARTS * LEVELS)]};
}

/* Models of abrupt changes have no parts of contexts, and weigh as much as another one of that kind. */
tvgp__arm_model tvgp__auto_categorical_model(const tvgp_policy *p, double hazard, size_t i) {
    const size_t n = plain(p, hazard), all = models_of(p, hazard);
    const double *part = context_parts[i < all ? i / n : 0];
    tvgp__arm_model model;
    if (i >= all)
        model = (tvgp__arm_model){.level = TVGP__AUTO_CATEGORICAL_LEVEL, .noise = abrupt_noises[(i - all) % ABRUPT]};
    else
        model = tvgp__auto_categorical_counts(p, hazard) ? model_of_counts(i % n) : model_of_numbers(i % n);
    model.pair = part[0];
    model.context = part[1];
    model.weight = (all > n ? part[2] : 1) / (double)(n + (part == context_parts[0] && hazard > 0 ? ABRUPT : 0));
    return model;
}

/* Options of the model whose hyperparameters are optimised. */
static const char *const of_other_model[] = {"fit",
                                             "drift.models",
                                             "noise",
                                             "noise.factors",
                                             "scale.learn",
                                             "offset.variance",
                                             "changepoint.confirm_by",
                                             "fit.noise",
                                             "fit.epsilon",
                                             "prior.noise",
                                             "prior.lengthscale"};

static int indexed(const tvgp_domain *domain) {
    return domain->indices && domain->dim == 1;
}

int tvgp__auto_categorical_applies(const tvgp_policy *p) {
    const tvgp_domain *actions, *named;
    tvgp__product_parts(p->domain, &actions, &named);
    if (!tvgp__domain_has_arms(p->domain) || !indexed(actions) || (named && !indexed(named)) || p->domain->shared)
        return 0;
    if (p->given.kernel || p->mean.forecast || (p->priors.n && !p->priors.own))
        return 0;
    for (size_t i = 0; i < sizeof of_other_model / sizeof *of_other_model; i++)
        if (tvgp__policy_options_was_set(p, of_other_model[i]))
            return 0;
    return 1;
}

tvgp_status tvgp__auto_categorical_kernel(const tvgp_policy *p, tvgp_kernel **out) {
    return tvgp__arm_mixture_kernel(p->ctx, p->domain->dim, out);
}

static void adopted(tvgp_policy *p, tvgp__posterior *posterior, double rate) {
    tvgp__ucb *u = p->state;
    const tvgp__arm_mixture *g = (const tvgp__arm_mixture *)posterior;
    (void)rate;
    u->n_rates = g->set.count;
    u->rate = g->rate;
    u->rate_weight = g->weight;
}

/* The option bounds observations, and each pair has one or more. */
static size_t pairs(const tvgp_policy *p) {
    const int64_t kept = ((const tvgp__ucb_config *)p->config)->learn.rules.keep;
    return kept > 0 && kept < PAIRS ? (size_t)kept : PAIRS;
}

static tvgp_status make(const tvgp_policy *p, double switching, double hazard, int64_t limit, tvgp__arm_model *models,
                        tvgp__posterior **out) {
    const size_t abrupt = hazard > 0 ? ABRUPT : 0, n = models_of(p, hazard) + abrupt;
    for (size_t i = 0; i < n; i++)
        models[i] = tvgp__auto_categorical_model(p, hazard, i);
    const tvgp__arm_mixture_spec grid = {.n = n,
                                         .models = models,
                                         .dim = p->domain->dim,
                                         .contexts = contexts(p),
                                         .pairs = pairs(p),
                                         .abrupt = abrupt,
                                         .hazard = hazard,
                                         .counts = tvgp__auto_categorical_counts(p, hazard) ? tvgp__policy_outcome(p)->counts
                                                                                            : NULL,
                                         .turned = tvgp__policy_turn(p, 1) < 0,
                                         .switching = switching,
                                         .limit = limit};
    tvgp__posterior_spec spec = tvgp__ucb_spec(p, p->kernel, NAN);
    spec.mixed = &grid;
    return tvgp__posterior_make(&spec, out);
}

tvgp_status tvgp__auto_categorical_start(tvgp_policy *p, double switching, double hazard, int64_t limit) {
    tvgp__ucb *u = p->state;
    tvgp__arm_model *models = NULL;
    tvgp__posterior *posterior = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, tvgp__auto_categorical_filters(p, hazard), sizeof *models, &models));
    const tvgp_status status = make(p, switching, hazard, limit, models, &posterior);
    tvgp__memory_free(p->ctx, models);
    TVGP__TRY(status);
    u->adopted = adopted;
    u->calibration.on =
        !tvgp__auto_categorical_counts(p, hazard) &&
        !tvgp__policy_options_any_set(p, "width.", TVGP__EXPLORATION_SCHEDULE_OPTIONS, tvgp__exploration_schedule_options);
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

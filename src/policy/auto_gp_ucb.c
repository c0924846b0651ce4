/* SPDX-License-Identifier: MIT */
/* auto-gp-ucb (this library; not from a paper), for an unknown rate of change: exact filters of several drift models,
 * weighed by marginal likelihood, with a change-point hypothesis (model/kalman_mixture.h), and an exploration coefficient
 * that decreases with the inferred rate. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number_text.h"
#include "model/kalman_mixture.h"
#include "policy/auto_categorical.h"
#include "policy/builtin.h"
#include "policy/ucb/season_option.h"
#include "policy/ucb/ucb.h"
#include "protocol/policy_options.h"

#include <math.h>
#include <string.h>

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__season_config season;
    int32_t drifts, confirm;
    double recycle, hazard, constant, unit;
    int64_t scale, doubt, memory_limit;
    char levels[TVGP__OPTION_TEXT_SIZE];
} config;

typedef struct {
    tvgp__ucb ucb;
    int64_t slot_step; /* number of the action whose outcome made the change-point hypothesis */
    double first;      /* time of the first observation; -infinity before it */
} state;

enum { OU, OU_SM, OU8_SM3 };
static const char *const drift_choices[] = {"ou", "ou+matern", "ou8+matern3", NULL};
static const char *const confirm_choices[] = {"other_arm", "likelihood", NULL};
static const char *const one_level[] = {"1"};

static const tvgp__option own[] = {
    {"drift.models", TVGP_STR, 0, offsetof(config, drifts), OU_SM, 0, 0, drift_choices,
     TVGP__TEXT("Temporal kernels of the mixture: ou: forgetting at nine rates; ou+matern: also Matern-3/2 at five rates; "
                "ou8+matern3: "
                "eight and three.")},
    {"mixture.switching_probability", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(config, recycle), 0.01, 0, 1, NULL,
     TVGP__TEXT("Probability per step that the temporal kernel changes; a filter this far behind restarts from the leader. "
                "0: never.")},
    {"changepoint.hazard", TVGP_F64, TVGP_OPTION_ADVANCED | TVGP_OPTION_OPEN_UPPER, offsetof(config, hazard), 0.005, 0, 1,
     NULL,
     TVGP__TEXT("Probability of an abrupt change of everything per unit of time (per time.unit while it is learned); on "
                "categorical "
                "arms without a kernel per outcome, and never unless set. 0: never.")},
    {"time.unit", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(config, unit), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Time to which rates and changepoint.hazard refer. 0: the median gap between the first times of asks.")},
    {"changepoint.confirm_by", TVGP_STR, 0, offsetof(config, confirm), 0, 0, 0, confirm_choices,
     TVGP__TEXT(
         "Test that confirms an abrupt change: other_arm: an outcome at another arm; likelihood: outcomes at other arms are "
         "more "
         "likely under the change. Default likelihood where hyperparameters are learned.")},
    {"scale.learn", TVGP_I64, 0, offsetof(config, scale), 0, 0, 1, NULL,
     TVGP__TEXT("Switch: a common factor of kernel and noise is learned, for rewards of unknown unit. Always on with "
                "fit=map, and unless "
                "set on a box with a supplied kernel.")},
    {"memory.limit", TVGP_I64, TVGP_OPTION_ADVANCED, offsetof(config, memory_limit), 0, 0, 0x1p53, NULL,
     TVGP__TEXT(
         "Largest number of bytes of the mixture of filters; the first ask fails before it takes more. 0: no limit.")},
    {"noise.factors", TVGP_STR, TVGP_OPTION_ADVANCED | TVGP__OPTION_TEXT, offsetof(config, levels), 0, 0, 0, one_level,
     TVGP__TEXT("Factors of the noise variance in the mixture, up to 16 separated by commas: every drift model with every "
                "factor.")},
    {"offset.variance", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(config, constant), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Prior variance of an unknown offset of all rewards, in mean prior variances of the arms. 0: no offset.")},
    {"model.assume_misspecified", TVGP_I64, 0, offsetof(config, doubt), 0, 0, 1, NULL,
     TVGP__TEXT(
         "Switch: kernel, noise and mean as supplied count as approximate. 1 sets drift.models, scale.learn, noise.factors "
         "and offset.variance, unless they are set, to ou8+matern3, 1, 0.01,1,10 (after historical data "
         "that do not repeat 1,10,100) and 0.25, and lets an arm change alone with probability 0.02 per outcome.")},
};

/* Rates for a unit of time that is found. */
#define FORGETS(epsilon)                                                                                                    \
    { .kind = TVGP__DRIFT_FORGETTING, .rate = epsilon, .unit = 1 }
#define SMOOTH(lambda)                                                                                                      \
    { .kind = TVGP__DRIFT_MATERN32, .rate = lambda, .unit = 1 }
static const tvgp__drift drifts[] = {
    FORGETS(0),   FORGETS(0.001), FORGETS(0.003), FORGETS(0.01), FORGETS(0.03), FORGETS(0.1), FORGETS(0.3),
    FORGETS(0.6), FORGETS(1),     SMOOTH(0.003),  SMOOTH(0.01),  SMOOTH(0.03),  SMOOTH(0.1),  SMOOTH(0.3),
};
static const tvgp__drift few_drifts[] = {
    FORGETS(0),   FORGETS(0.003), FORGETS(0.01), FORGETS(0.03), FORGETS(0.1), FORGETS(0.3),
    FORGETS(0.6), FORGETS(1),     SMOOTH(0.01),  SMOOTH(0.03),  SMOOTH(0.1),
};

/* Drift models with a season: the correlation of its shape after the longest period. */
static const double kept[] = {1, 0.9, 0.5};
enum { SEASONAL = sizeof kept / sizeof *kept };

enum {
    FORGETTING_DRIFTS = 9,
    DRIFTS = sizeof drifts / sizeof *drifts,
    FEW_DRIFTS = sizeof few_drifts / sizeof *few_drifts,
    LEVELS = 16
};

/* ---- what the options come to ----------------------------------------------------------------------------------- */

typedef struct {
    tvgp__drift drifts[DRIFTS + SEASONAL];
    tvgp__season season;
    size_t n_drifts, n_levels, seasonal; /* seasonal: the last of the drift models */
    double levels[LEVELS], constant, jump;
    int scale, earn;
} choices;

/* What is wrong with the text, or NULL. */
static const char *read_levels(const char *text, choices *r) {
    r->n_levels = tvgp__number_text_list(text, LEVELS, r->levels);
    if (r->n_levels > LEVELS)
        return "has more than 16 numbers";
    if (!r->n_levels)
        return "is not a list of numbers with commas between";
    for (size_t i = 0; i < r->n_levels; i++)
        if (!(r->levels[i] >= TVGP__VALID_RANGE_LEAST && r->levels[i] <= TVGP__VALID_RANGE_MOST))
            return "has a number outside [1e-100, 1e100]";
    return NULL;
}

/* None where the text cannot be read, which the start refuses. */
static void add_seasonal(const config *c, choices *r) {
    double longest = 0;
    r->seasonal = tvgp__season_option_parse(&c->season, &r->season) && r->season.n_periods ? SEASONAL : 0;
    for (size_t k = 0; k < r->season.n_periods && r->seasonal; k++)
        longest = fmax(longest, r->season.period[k]);
    for (size_t i = 0; i < r->seasonal; i++)
        r->drifts[r->n_drifts++] = (tvgp__drift){.kind = TVGP__DRIFT_FORGETTING, .rate = -expm1(2 * log(kept[i]) / longest)};
}

static int doubts(const tvgp_policy *p) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    return ((const config *)p->config)->doubt ||
           (type && type->doubted && !tvgp__policy_options_was_set(p, "model.assume_misspecified"));
}

/* On a box the unit of a supplied kernel is learned unless the user decides about it: if it is wrong the policy resets again and again. */
static int learns_unit(const tvgp_policy *p) {
    return p->given.kernel && tvgp__domain_is_box(p->domain) && !tvgp__policy_options_was_set(p, "scale.learn");
}

/* An option set by name overrides what model.assume_misspecified would set. */
static const char *resolve(const tvgp_policy *p, choices *r) {
    const config *c = p->config;
    const int doubt = doubts(p);
#define UNSET(key) (doubt && !tvgp__policy_options_was_set(p, key))
    int32_t choice = UNSET("drift.models") ? OU8_SM3 : c->drifts;
    r->n_drifts = choice == OU8_SM3 ? FEW_DRIFTS : choice == OU ? FORGETTING_DRIFTS : DRIFTS;
    memcpy(r->drifts, choice == OU8_SM3 ? few_drifts : drifts, r->n_drifts * sizeof *drifts);
    add_seasonal(c, r);
    r->constant = UNSET("offset.variance") ? 0.25 : c->constant;
    r->jump = doubt ? 0.02 : 0;
    r->earn = tvgp__policy_options_was_set(p, "changepoint.confirm_by") ? c->confirm : c->ucb.learn.fit || p->mean.forecast;
    r->scale = UNSET("scale.learn") || c->scale || c->ucb.learn.fit || learns_unit(p);
    /* Historical data set the noise to a hundredth of their variance: it may be all of it. */
    const char *doubted = tvgp__history_prior_unsteady(p) ? "1,10,100" : "0.01,1,10";
    return read_levels(UNSET("noise.factors") ? doubted : c->levels, r);
#undef UNSET
}

static void defaults(void *c) {
    ((tvgp__ucb_config *)c)->width.schedule = TVGP__EXPLORATION_SCHEDULE_RATE;
    tvgp__learner_rules *rules = &((tvgp__ucb_config *)c)->learn.rules; /* observations are expensive */
    rules->evals = 4;
    rules->keep = 5000; /* of which an adoption shows `window`, many as one */
    rules->gain = 1;
    ((tvgp__ucb_config *)c)->box.limit = 512; /* support points */
}

static const tvgp__kalman_mixture *filters(const tvgp_policy *p) {
    return (const tvgp__kalman_mixture *)tvgp__ucb_posterior(p);
}

/* The fixed mixture has abrupt changes if they are asked for by name. */
static double mixed_hazard(const tvgp_policy *p) {
    return tvgp__policy_options_was_set(p, "changepoint.hazard") ? ((const config *)p->config)->hazard : 0;
}

static const tvgp__arm_mixture *mixed(const tvgp_policy *p) {
    return tvgp__auto_categorical_mixed(p);
}

/* ---- start ------------------------------------------------------------------------------------------------------ */

/* Kernels and means of the priors; a mean is relative to the policy's own. `means` and `values` are one block. */
static tvgp_status collect(tvgp_policy *p, const tvgp_kernel ***kernels, const double ***means, double **values) {
    size_t n = p->domain->n;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, p->priors.n, sizeof **kernels, kernels));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, p->priors.n, sizeof **means, means));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, p->priors.n, n * sizeof **values, values));
    for (size_t i = 0; i < p->priors.n; i++) {
        const tvgp__prior *prior = &p->priors.items[i];
        (*kernels)[i] = prior->kernel;
        if (!tvgp__mean_function_is(&prior->mean))
            continue;
        (*means)[i] = *values + i * n;
        for (size_t arm = 0; arm < n; arm++)
            (*values)[i * n + arm] = tvgp__mean_function_at(&prior->mean, arm) - tvgp__mean_function_at(&p->mean, arm);
    }
    return TVGP_OK;
}

/* `kernel` is that of the only prior when it is learned; otherwise each prior has its own. */
static tvgp_status make(void *policy, const tvgp_kernel *kernel, double rate, double noise, tvgp__basis_progress *progress,
                        tvgp__posterior **out) {
    tvgp_policy *p = policy;
    const config *c = p->config;
    const tvgp_kernel **kernels = NULL;
    const double **means = NULL;
    double *values = NULL;
    choices r;
    (void)rate;
    (void)resolve(p, &r); /* the start has looked */
    tvgp_status status = collect(p, &kernels, &means, &values);
    if (status == TVGP_OK) {
        if (p->priors.own)
            kernels[0] = kernel;
        const tvgp__kalman_mixture_spec spec = {.n_drifts = r.n_drifts,
                                                .n_levels = r.n_levels,
                                                .n_priors = p->priors.n,
                                                .drifts = r.drifts,
                                                .seasonal = r.seasonal,
                                                .season = r.season,
                                                .levels = r.levels,
                                                .kernels = kernels,
                                                .means = means,
                                                .recycle = c->recycle,
                                                .hazard = c->hazard,
                                                .hazard_given = tvgp__policy_options_was_set(p, "changepoint.hazard"),
                                                .time_unit = tvgp__time_unit_unit(p),
                                                .constant = r.constant,
                                                .jump = r.jump,
                                                .scale = r.scale,
                                                .earn = r.earn,
                                                .limit = c->memory_limit,
                                                .progress = progress,
                                                .name = p->ops->name};
        tvgp__posterior_spec whole = tvgp__ucb_spec(p, kernel, noise);
        whole.several = &spec;
        whole.season = r.season;
        status = tvgp__posterior_make(&whole, out);
    }
    tvgp__memory_free(p->ctx, kernels);
    tvgp__memory_free(p->ctx, means);
    tvgp__memory_free(p->ctx, values);
    return status;
}

static void adopted(tvgp_policy *p, tvgp__posterior *posterior, double rate) {
    tvgp__ucb *u = p->state;
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)posterior;
    (void)rate;
    b->resets = u->resets;
    b->first = ((const state *)p->state)->first;
    u->n_rates = b->J + 1;
    u->rate = b->rate;
    u->rate_weight = b->weight;
}

/* Made as at the start, and conditioned on what the old one was. */
static tvgp_status enlarge(tvgp_policy *p, const tvgp_domain *larger, tvgp__posterior **out) {
    tvgp_domain *domain = p->domain;
    tvgp__posterior *fresh = NULL;
    p->domain = (tvgp_domain *)larger; /* for as long as it is made; not written to */
    tvgp_status status = make(p, p->kernel, NAN, ((const config *)p->config)->ucb.noise, NULL, &fresh);
    p->domain = domain;
    TVGP__TRY(status);
    status = tvgp__kalman_mixture_extend(&filters(p)->base, fresh);
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

/* An observation costs the mixture some 14 rank^2 flops for each of 15 drift models, and 2 n rank for each of some 7
 * columns over all arms. The number allowed takes a few milliseconds, or on many arms half the n rank^2 flops of finding
 * the basis. */
static int64_t rows(const tvgp__posterior *posterior) {
    const double rank = (double)posterior->counts.rank, n = (double)posterior->n;
    const double cost = rank * rank + n * rank / 15, most = fmax(3.6e5, n * rank * rank / 420);
    return (int64_t)fmax(rank > 5 ? fmin(most / cost, 32) : 32, 4);
}

/* Of which the prior shows nothing but the offset. */
static tvgp_status spec(const tvgp_policy *p, double rate, tvgp__posterior_spec *out) {
    const config *c = p->config;
    choices r;
    const char *why = resolve(p, &r);
    (void)rate;
    if (why)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "option 'noise.factors' = '%.64s' %s", c->levels, why);
    out->offset = r.constant;
    if (tvgp__auto_categorical_applies(p)) {
        out->offset = TVGP__AUTO_CATEGORICAL_LEVEL;
        return tvgp__season_option_read(p, &c->season, c->ucb.learn.fit, &(tvgp__season){0});
    }
    if (r.seasonal && p->priors.n > 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'season.period' = '%.64s' does not go with several priors", c->season.periods);
    return tvgp__season_option_read(p, &c->season, c->ucb.learn.fit, &(tvgp__season){0});
}

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    TVGP__TRY(spec(p, NAN, &(tvgp__posterior_spec){0}));
    if (c->ucb.learn.fit && !p->priors.own)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "priors were added, and fit = map learns one kernel");
    if (tvgp__auto_categorical_applies(p)) {
        TVGP__TRY(tvgp__auto_categorical_start(p, c->recycle, mixed_hazard(p), c->memory_limit));
        return tvgp__time_unit_start(p, c->unit);
    }
    TVGP__TRY(tvgp__learn_start(
        p, &(tvgp__learn_spec){
               .make = make, .adopted = adopted, .drift = TVGP__DRIFT_FORGETTING, .own_scale = 1, .rows = rows}));
    TVGP__TRY(tvgp__time_unit_start(p, c->unit));
    ((state *)p->state)->first = -INFINITY;
    adopted(p, tvgp__ucb_posterior(p), NAN);
    ((state *)p->state)->ucb.enlarge = enlarge;
    return TVGP_OK;
}

static tvgp_status add_prior(tvgp_policy *p) {
    return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "priors are fixed after the first ask or tell");
}

static const tvgp__policy_priors fixed = {.add = add_prior};

/* ---- tell ------------------------------------------------------------------------------------------------------- */

/* After a reset, outcomes of queries asked before the change are ignored. */
static void take(tvgp_policy *p, const tvgp__answer *a) {
    state *s = p->state;
    tvgp__ucb *u = &s->ucb;
    if (mixed(p)) {
        tvgp__ucb_take(p, a);
        return;
    }
    const tvgp__kalman_mixture *b = filters(p);
    size_t seen = b->base.counts.observations;
    int64_t resets = b->resets;
    tvgp__ucb_take(p, a);
    if (b->base.counts.observations == seen)
        return;
    s->first = s->first == -INFINITY ? a->t : s->first;
    if (b->slot_made == b->base.counts.observations)
        s->slot_step = a->step;
    if (b->resets == resets)
        return;
    u->resets++;
    u->reset_time = b->base.now;
    u->reset_step = s->slot_step > 0 ? s->slot_step - 1 : u->reset_step;
    tvgp__history_prior_forget(p, b->redraw_time);
    if (u->learner)
        tvgp__learner_split(u->learner, b->redraw_time);
    tvgp__context_log(p->ctx, "%s: reset %lld after %lld actions, t = %g: abrupt change of all arms before t = %g",
                      p->ops->name, (long long)u->resets, (long long)p->counts.asked, u->reset_time, b->redraw_time);
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__visit_tally(v, &((state *)p->state)->slot_step);
    tvgp__visit_real(v, &((state *)p->state)->first, -INFINITY, TVGP__VALID_RANGE_MOST);
    if (mixed(p))
        tvgp__calibration_visit(&((state *)p->state)->ucb.calibration, v);
    tvgp__ucb_visit(p, v);
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

#define STAT(name, expression, before) TVGP__POLICY_STAT(name, tvgp__ucb, u, expression, before)
/* Of the fixed mixture, or of the mixture of drift models. */
#define MIXED(name, of_mixed, of_filters, before) STAT(name, mixed(p) ? (of_mixed) : (of_filters), before)
MIXED(stat_rate, tvgp__arm_mixture_rate(mixed(p)), tvgp__kalman_mixture_rate(filters(p)), 0)
MIXED(stat_half_life, tvgp__arm_mixture_half_life(mixed(p)), tvgp__kalman_mixture_half_life(filters(p)), INFINITY)
MIXED(stat_effective, tvgp__arm_mixture_effective(mixed(p)), tvgp__kalman_mixture_effective(filters(p)), 0)
MIXED(stat_slot_weight, 0, filters(p)->weight[filters(p)->J], 0)
MIXED(stat_slot_time, -INFINITY, filters(p)->slot_on ? filters(p)->slot_time : -INFINITY, -INFINITY)
MIXED(stat_redraw_time, -INFINITY, filters(p)->redraw_time, -INFINITY)
STAT(stat_unit, u->time_unit->clock.unit, 0)
MIXED(stat_factor, tvgp__arm_mixture_scale(mixed(p)), tvgp__kalman_mixture_factor(filters(p)), 1)
MIXED(stat_level, 1, tvgp__kalman_mixture_level(filters(p)), 1)
MIXED(stat_constant, tvgp__policy_out(p, tvgp__arm_mixture_level(mixed(p))),
      tvgp__policy_out(p, tvgp__kalman_mixture_constant(filters(p))), 0)
MIXED(stat_level_rate, tvgp__arm_mixture_level_rate(mixed(p)), 0, 0)
MIXED(stat_contextual, tvgp__arm_mixture_contextual(mixed(p)), 0, 0)
MIXED(stat_jumped, 0, tvgp__kalman_mixture_jumped(filters(p)), 0)

static const tvgp__stat own_stats[] = {
    {"time.unit",
     TVGP__TEXT("Time to which rates and changepoint.hazard refer, as set or found. 0 before two times are known."),
     stat_unit, TVGP_STAT_LEARNED, "time"},
    {"rate", TVGP__TEXT("Inferred rate of change: weighted mean of the epsilon of the filters."), stat_rate,
     TVGP_STAT_LEARNED, "1/time.unit"},
    {"half_life", TVGP__TEXT("Half-life of the inferred correlation with the present. inf: no change."), stat_half_life,
     TVGP_STAT_LEARNED, "time"},
    {"filters", TVGP__TEXT("Effective number of filters, 1 / sum of squared weights."), stat_effective, TVGP_STAT_DIAGNOSTIC,
     ""},
    {"changepoint.weight", TVGP__TEXT("Posterior probability that everything changed abruptly at changepoint.time."),
     stat_slot_weight, TVGP_STAT_DIAGNOSTIC, ""},
    {"changepoint.time",
     TVGP__TEXT("Time of the first observation after the change that the hypothesis assumes. -inf: no hypothesis."),
     stat_slot_time, TVGP_STAT_DIAGNOSTIC, "time"},
    {"changepoint.last_reset",
     TVGP__TEXT("Time of the first observation after the change that led to the last reset. -inf before the first."),
     stat_redraw_time, TVGP_STAT_DIAGNOSTIC, "time"},
    {"scale", TVGP__TEXT("Common factor of kernel and noise in use. 1 unless it is learned."), stat_factor,
     TVGP_STAT_LEARNED, ""},
    {"noise.factor", TVGP__TEXT("Weighted mean of noise.factors: noise in use over the option noise, in addition to scale."),
     stat_level, TVGP_STAT_LEARNED, ""},
    {"offset", TVGP__TEXT("Inferred offset of all rewards, in addition to the prior mean."), stat_constant,
     TVGP_STAT_LEARNED, "reward"},
    {"offset.rate", TVGP__TEXT("Inferred rate of change of the level of all rewards (categorical arms without a kernel)."),
     stat_level_rate, TVGP_STAT_LEARNED, "1/time.unit"},
    {"context.weight",
     TVGP__TEXT(
         "Posterior probability that rewards differ between contexts (categorical arms in numbered contexts without a "
         "kernel)."),
     stat_contextual, TVGP_STAT_LEARNED, ""},
    {"arm_change.posterior", TVGP__TEXT("Posterior probability that the value of the last outcome's arm alone had changed."),
     stat_jumped, TVGP_STAT_LEARNED, ""},
};
static const tvgp__stat_group stats[] = {TVGP__UCB_STAT_GROUPS,
                                         TVGP__UCB_BOX_STATS,
                                         TVGP__LEARN_STAT_GROUPS,
                                         TVGP__UCB_LOG_STATS,
                                         {own_stats, sizeof own_stats / sizeof *own_stats}};

/* Options that cannot be used, which the start says, make no filter. */
static size_t series_size(const tvgp_policy *p) {
    choices r;
    size_t priors = p->priors.n ? p->priors.n : 1;
    if (tvgp__auto_categorical_applies(p))
        return tvgp__auto_categorical_filters(p, mixed_hazard(p));
    return !resolve(p, &r) ? priors * r.n_drifts * r.n_levels : 0;
}
static double series_weight(const tvgp_policy *p, size_t i) {
    if (!p->state)
        return 1 / (double)series_size(p);
    return mixed(p) ? mixed(p)->weight[i] : filters(p)->weight[i];
}
static double series_rate(const tvgp_policy *p, size_t i) {
    choices r;
    if (tvgp__auto_categorical_applies(p))
        return tvgp__auto_categorical_model(p, mixed_hazard(p), i).rate;
    return !resolve(p, &r) ? tvgp__drift_epsilon(&r.drifts[i % r.n_drifts]) : 0;
}
static double series_level(const tvgp_policy *p, size_t i) {
    choices r;
    if (tvgp__auto_categorical_applies(p))
        return tvgp__auto_categorical_model(p, mixed_hazard(p), i).noise;
    return !resolve(p, &r) ? r.levels[i / r.n_drifts % r.n_levels] : 0;
}

static const tvgp__stat_series series[] = {
    TVGP__LEARN_SERIES_ENTRY,
    TVGP__HISTORY_PRIOR_SERIES_ENTRY,
    {"weight.0", TVGP__TEXT("Weight of filter i; with several priors, prior 0 comes first."), series_weight, series_size,
     TVGP_STAT_LEARNED, ""},
    {"rate.0", TVGP__TEXT("Rate epsilon of the temporal kernel of filter i; for Matern the rate of equal half-life."),
     series_rate, series_size, TVGP_STAT_LEARNED, "1/time.unit"},
    {"noise.factor.0", TVGP__TEXT("Noise factor of filter i; drift models run fastest."), series_level, series_size,
     TVGP_STAT_LEARNED, ""},
};

static const tvgp__option_group groups[] = {TVGP__UCB_GROUPS,
                                            TVGP__UCB_CHOICE,
                                            TVGP__UCB_ON_BOXES_WHOLE,
                                            TVGP__LEARN_GROUPS,
                                            TVGP__OPTION_GROUP(own, 0),
                                            {tvgp__season_options, TVGP__SEASON_OPTIONS, offsetof(config, season)},
                                            TVGP__UCB_RANK,
                                            TVGP__UCB_LOG};

/* Arms of the fixed mixture are independent. */
static tvgp_status kernel_in_use(const tvgp_policy *p, tvgp_kernel **out) {
    return tvgp__auto_categorical_applies(p) ? tvgp__auto_categorical_kernel(p, out) : tvgp__learn_kernel(p, out);
}

static const tvgp__policy_learns learns = {.make_kernel = tvgp__learn_make_kernel,
                                           .fit = tvgp__learn_fit,
                                           .kernel_in_use = kernel_in_use,
                                           .rebuild = tvgp__ucb_rebuild};

const tvgp__policy_ops tvgp__auto_gp_ucb = {
    TVGP__UCB_OPS,
    .on_boxes = 1,
    .name = "auto-gp-ucb",
    .doc = TVGP__TEXT("infers the rate of change; for everything whose rate is not known"),
    TVGP__POLICY_TABLES(groups, stats),
    .series = series,
    .n_series = sizeof series / sizeof *series,
    TVGP__POLICY_SIZES(config, state),
    .defaults = defaults,
    .spec = spec,
    .start = start,
    .model = &tvgp__ucb_model,
    .learns = &learns,
    .ask = tvgp__ucb_ask,
    .take = take,
    .visit = visit,
    .priors = &fixed};

/* SPDX-License-Identifier: MIT */
/* Hyperparameter learning of the policies of the ucb family, those with one posterior over one kernel (policy/ucb/learn.h). */
#include "policy/ucb/learn.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/valid_range.h"
#include "policy/ucb/ucb.h"
#include "space/domain/product.h"
#include "space/kernel/categorical.h"
#include "space/kernel/combine.h"
#include "space/kernel/slice.h"
#include "space/kernel/stationary.h"
#include "space/temporal/drift.h"

#include <math.h>

static const char *const lengthscale_priors[] = {"lognormal", "gamma", NULL};
static const char *const fits[] = {"off", "map", "noise", NULL};
enum { OFF, MAP, NOISE };

#define RULE(member) offsetof(tvgp__learn_config, rules.member)
const tvgp__option tvgp__learn_options[TVGP__LEARN_OPTIONS] = {
    {"fit", TVGP_STR, 0, offsetof(tvgp__learn_config, fit), OFF, 0, 0, fits,
     TVGP__TEXT("Learned parameters: map: kernel parameters, noise, mean and (tv-, ui-, w-gp-ucb) rate, the default without "
                "a kernel; "
                "noise: the same, but of the kernel the scale only; off: nothing.")},
    {"fit.every", TVGP_I64, TVGP_OPTION_ADVANCED, RULE(every), 0, -1, 0x1p53, NULL,
     TVGP__TEXT(
         "Number of observations between hyperparameter optimisations. 0: when the window has grown by a tenth; -1: only in "
         "tvgp_policy_fit.")},
    {"fit.window", TVGP_I64, 0, RULE(window), 200, 8, 2000, NULL,
     TVGP__TEXT("Largest number of observations that one hyperparameter optimisation uses: the newest, grouped where noise "
                "is large.")},
    {"fit.max_evals", TVGP_I64, 0, RULE(evals), 2, 1, 1000, NULL,
     TVGP__TEXT("Largest number of evaluations of the marginal likelihood in one ask with 200 observations (2.5 times as "
                "many in the "
                "first "
                "optimisation). Fewer observations: as many as take the same time, at most 12. The next ask continues.")},
    {"fit.min_improvement", TVGP_F64, 0, RULE(gain), 0.5, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Smallest improvement of the log posterior with which new hyperparameters replace those in use, in nats.")},
    {"fit.stored_observations", TVGP_I64, 0, RULE(keep), 2000, 8, 0x1p31, NULL,
     TVGP__TEXT("Number of newest observations kept for hyperparameter optimisation, at least fit.window.")},
    {"fit.noise", TVGP_I64, 0, RULE(noise), 1, 0, 1, NULL,
     TVGP__TEXT("Switch: the noise variance is learned. 0: the option noise is used.")},
    {"fit.epsilon", TVGP_I64, TVGP_OPTION_ADVANCED, RULE(epsilon), 1, 0, 1, NULL,
     TVGP__TEXT("Switch: the rate of change is learned. 0: the options set it.")},
    {"prior.lengthscale", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(tvgp__learn_config, lengthscale), 0, 0,
     TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Centre of the prior of lengthscales without a kernel, in ranges of the arms. 0: 0.3 dim^(1/4).")},
    {"fit.prior_lengthscale", TVGP_STR, TVGP_OPTION_ADVANCED, RULE(lengthscales), TVGP__LEARNER_LOGNORMAL, 0, 0,
     lengthscale_priors,
     TVGP__TEXT("Prior of lengthscales. lognormal: centred at the lengthscales of the kernel. gamma: in units of the "
                "coordinates.")},
    {"fit.prior_lengthscale_shape", TVGP_F64, TVGP_OPTION_ADVANCED | TVGP_OPTION_OPEN_LOWER, RULE(gamma_shape), 3, 0,
     TVGP__VALID_RANGE_MOST, NULL, TVGP__TEXT("Shape of the gamma prior of lengthscales.")},
    {"fit.prior_lengthscale_rate", TVGP_F64, TVGP_OPTION_ADVANCED | TVGP_OPTION_OPEN_LOWER, RULE(gamma_rate), 6, 0,
     TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Rate of the gamma prior of lengthscales, per unit of the coordinates: the mean is shape / rate.")},
    {"prior.noise", TVGP_F64, TVGP_OPTION_ADVANCED | TVGP_OPTION_OPEN_LOWER, RULE(usual_ratio), TVGP__HYPER_USUAL_RATIO, 0,
     TVGP__VALID_RANGE_MOST, NULL, TVGP__TEXT("Centre of the prior of noise variance over kernel variance.")},
};

static const tvgp__learn_config *config_of(const tvgp_policy *p) {
    return &((const tvgp__ucb_config *)p->config)->learn;
}

/* ---- no kernel given --------------------------------------------------------------------------------------------- */

/* Extent of the arms or the box in one dimension; 1 when they do not differ. */
static double range_of(const tvgp_domain *domain, size_t d) {
    double low = domain->n ? domain->X[d] : domain->lower[d], high = domain->n ? low : domain->upper[d];
    for (size_t i = 1; i < domain->n; i++) {
        low = fmin(low, domain->X[i * domain->dim + d]);
        high = fmax(high, domain->X[i * domain->dim + d]);
    }
    return high > low && isfinite(high - low) ? high - low : 1;
}

/* Matern 5/2 over coordinates first .. end - 1, with lengthscales of `centre` ranges. */
static tvgp_status matern(tvgp_ctx *ctx, const tvgp_domain *domain, double centre, size_t first, size_t end,
                          tvgp_kernel **out) {
    const size_t dim = end - first;
    double *lengthscale = NULL;
    TVGP__TRY(tvgp__memory_alloc(ctx, dim, sizeof *lengthscale, &lengthscale));
    for (size_t d = 0; d < dim; d++)
        lengthscale[d] = (centre > 0 ? centre : 0.3 * pow((double)domain->dim, 0.25)) * range_of(domain, first + d);
    tvgp_status status = tvgp__stationary_new(ctx, TVGP__MATERN52, dim, 1, 1, lengthscale, dim, out);
    tvgp__memory_free(ctx, lengthscale);
    return status;
}

/* Of one categorical coordinate, or of a run of numeric ones; as a function of all coordinates. Categories may have something in
 * common, which is learned too. */
static tvgp_status factor(tvgp_ctx *ctx, const tvgp_domain *domain, double centre, size_t first, size_t end,
                          tvgp_kernel **out) {
    tvgp_kernel *own = NULL;
    const int named = tvgp__product_named(domain, first);
    TVGP__TRY(named ? tvgp__categorical_new(ctx, 1, 0.3, &own) : matern(ctx, domain, centre, first, end, &own));
    if (own->dim == domain->dim) {
        *out = own;
        return TVGP_OK;
    }
    const tvgp_status status = tvgp__slice_new(ctx, domain->dim, first, own, out);
    tvgp__kernel_release(own);
    return status;
}

/* Multiplies *product, which may be NULL and is taken, by another kernel, which is taken too. */
static tvgp_status times(tvgp_ctx *ctx, tvgp_kernel *by, tvgp_kernel **product) {
    tvgp_kernel *both = by;
    const tvgp_status status = *product ? tvgp__combine_new(ctx, 1, *product, by, &both) : TVGP_OK;
    if (*product) {
        tvgp__kernel_release(*product);
        tvgp__kernel_release(by);
    }
    *product = status == TVGP_OK ? both : NULL;
    return status;
}

tvgp_status tvgp__learn_prior_kernel(tvgp_ctx *ctx, const tvgp_domain *domain, double centre, tvgp_kernel **out) {
    tvgp_kernel *all = NULL;
    for (size_t first = 0, end; first < domain->dim; first = end) {
        tvgp_kernel *one = NULL;
        for (end = first + 1; !tvgp__product_named(domain, first) && end < domain->dim; end++)
            if (tvgp__product_named(domain, end))
                break;
        tvgp_status status = factor(ctx, domain, centre, first, end, &one);
        if (status == TVGP_OK)
            status = times(ctx, one, &all);
        else
            tvgp__kernel_release(all);
        TVGP__TRY(status);
    }
    *out = all;
    return TVGP_OK;
}

tvgp_status tvgp__learn_make_kernel(tvgp_policy *p) {
    ((tvgp__ucb_config *)p->config)->learn.fit = MAP;
    return tvgp__learn_prior_kernel(p->ctx, p->domain, 0, &p->kernel);
}

/* ---- start -------------------------------------------------------------------------------------------------------- */

static void adopted(void *arg, tvgp__posterior *posterior, double rate) {
    tvgp__ucb *u = ((tvgp_policy *)arg)->state;
    u->posterior = posterior;
    if (u->adopted)
        u->adopted(arg, posterior, rate);
}

/* What a fit works from; the kernel, made when none was given, is to be released. */
static tvgp_status spec_of(const tvgp_policy *p, tvgp_kernel **kernel, tvgp__learner_spec *out) {
    const tvgp__learn_config *c = config_of(p);
    if (p->given.kernel || !(c->lengthscale > 0))
        *kernel = tvgp__kernel_retain(p->kernel);
    else
        TVGP__TRY(tvgp__learn_prior_kernel(p->ctx, p->domain, c->lengthscale, kernel));
    *out = (tvgp__learner_spec){.rules = c->rules,
                                .kernel = *kernel,
                                .keep_shape = c->fit == NOISE,
                                .noise = ((const tvgp__ucb_config *)p->config)->noise};
    return TVGP_OK;
}

/* Options that contradict each other. */
static tvgp_status check(const tvgp_policy *p) {
    const tvgp__learn_config *c = config_of(p);
    if (c->fit != OFF && tvgp__history_prior_of(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED, "fit = %s, and the kernel is learned from historical data",
                               fits[c->fit]);
    if (c->fit != MAP && !p->given.kernel && !tvgp__history_prior_of(p))
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "fit = %s, and the policy was created without a kernel",
                               fits[c->fit]);
    if (c->lengthscale > 0 && c->rules.lengthscales == TVGP__LEARNER_GAMMA && c->fit == MAP && !p->given.kernel)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION,
                               "prior.lengthscale = %.17g must be 0 with fit.prior_lengthscale = gamma and no kernel",
                               c->lengthscale);
    if (c->fit == NOISE && !c->rules.noise)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "fit = noise learns the noise, and fit.noise = 0 trusts it");
    if (c->fit != OFF && c->rules.keep < c->rules.window)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "fit.stored_observations = %lld is below fit.window = %lld",
                               (long long)c->rules.keep, (long long)c->rules.window);
    return TVGP_OK;
}

/* On arms an observation changes all of them by each column or feature, 4 arms rank flops: as many as take a few milliseconds. */
static int64_t rows_of_arms(const tvgp__posterior *posterior) {
    return (int64_t)fmax(4, fmin(32, 2e7 / (1 + (double)posterior->n * (double)posterior->counts.rank)));
}

/* As many as take a few milliseconds. A row costs a posterior of rows n^2 flops. In weights an observation costs some 8 rank^2, and
 * four to five times the time where a point of the support leaves for it; and as what is shown may find a higher rank than that
 * in use, there are at most 512. */
static int64_t rows_an_ask(const tvgp__posterior *posterior) {
    const double n = (double)posterior->counts.rank;
    if (posterior->ops->anywhere->rows)
        return (int64_t)fmax(32, n > 32 ? 2e7 / (n * n) : 2e4);
    return (int64_t)fmax(8, fmin(512, (posterior->counts.dropped ? 2e6 : 1e7) / (n * n + 1)));
}

/* Requirements on a posterior without arms that has no scale of its own. */
static void learns_on_box(tvgp__learner_spec *spec) {
    spec->rows = spec->age.growth ? NULL : rows_an_ask;
    spec->square = 1;
}

static tvgp_status start_learning(tvgp_policy *p, const tvgp__learn_spec *spec, tvgp__learn_make make) {
    const tvgp__learn_config *c = config_of(p);
    const int trusted = spec->rate_given || (spec->takes_rate && !c->rules.epsilon);
    tvgp__ucb *u = p->state;
    tvgp__posterior_spec asked = {0};
    tvgp__learner_spec learned;
    tvgp_kernel *kernel = NULL, *time = NULL;
    TVGP__TRY(TVGP__POLICY_OP(p->ops, spec)(p, NAN, &asked));
    TVGP__TRY(spec_of(p, &kernel, &learned));
    learned.newest = (int64_t)asked.window;
    tvgp_status status = tvgp__drift_kernel(p->ctx, spec->drift, trusted ? spec->rate : NAN, &time);
    learned.time = time;
    learned.age = spec->age;
    learned.own_scale = learned.put_together = spec->own_scale;
    learned.takes_rate = spec->takes_rate;
    learned.make = make;
    learned.adopted = adopted;
    learned.rows = spec->rows ? spec->rows : rows_of_arms;
    learned.fill = spec->fill;
    learned.arg = p;
    learned.rules.epsilon = !trusted;
    if (!tvgp__domain_has_arms(p->domain) && !spec->own_scale)
        learns_on_box(&learned);
    if (status == TVGP_OK)
        status = tvgp__learner_new(p->ctx, &learned, p->domain->n, p->domain->X, &u->learner);
    tvgp__kernel_release(kernel);
    tvgp__kernel_release(time);
    TVGP__TRY(status);
    TVGP__TRY(tvgp__ucb_start(p, u->posterior));
    const int changes = spec->drift != TVGP__DRIFT_STATIC || spec->age.growth;
    return changes && !trusted ? tvgp__time_unit_start(p, 0) : TVGP_OK;
}

tvgp_status tvgp__learn_start(tvgp_policy *p, const tvgp__learn_spec *spec) {
    const tvgp__learn_make make = spec->make ? spec->make : tvgp__ucb_make;
    tvgp__ucb *u = p->state;
    tvgp__posterior *posterior = NULL;
    u->adopted = spec->adopted;
    TVGP__TRY(check(p));
    if (config_of(p)->fit != OFF)
        return start_learning(p, spec, make);
    TVGP__TRY(make(p, p->kernel, NAN, ((const tvgp__ucb_config *)p->config)->noise, NULL, &posterior));
    return tvgp__ucb_start(p, posterior);
}

/* ---- ops ---------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__learn_fit(tvgp_policy *p, int64_t max_evals, int64_t *evals) {
    if (tvgp__history_prior_of(p))
        return tvgp__history_prior_fit(p);
    if (config_of(p)->fit == OFF)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "fit = off: nothing is learned");
    tvgp__learner *l = tvgp__ucb_learner(p);
    return l ? tvgp__learner_fit(l, p->counts.asked, max_evals, evals) : TVGP_OK;
}

tvgp_status tvgp__learn_kernel(const tvgp_policy *p, tvgp_kernel **out) {
    const tvgp__learner *l = tvgp__ucb_learner(p);
    tvgp__learner_spec spec;
    tvgp_kernel *centre = NULL;
    if (p->state || config_of(p)->fit == OFF) {
        *out = tvgp__kernel_retain(l ? l->in_use.posterior->kernel : p->kernel);
        return TVGP_OK;
    }
    TVGP__TRY(spec_of(p, &centre, &spec));
    tvgp_status status = tvgp__learner_prior(p->ctx, &spec, out);
    tvgp__kernel_release(centre);
    return status;
}

/* ---- statistics --------------------------------------------------------------------------------------------------- */

#define STAT(name, expression)                                                                                              \
    static double name(const tvgp_policy *p) {                                                                              \
        const tvgp__learner *l = tvgp__ucb_learner(p);                                                                      \
        return l ? (double)(expression) : 0;                                                                                \
    }
STAT(stat_count, l->fits)
STAT(stat_evals, l->evals)
STAT(stat_adopted, l->adoptions)
STAT(stat_failed, l->failures)
STAT(stat_at_bound, l->fits ? tvgp__hyper_at_bound(l->hyper, &l->fit_point) : 0)
STAT(stat_pending, l->hyper->running || l->adoption)
STAT(stat_answers, l->fits ? l->hyper->answers : 0)
STAT(stat_records, l->fits ? l->hyper->n : 0)
STAT(stat_cell, l->fit_cell)
STAT(stat_objective, l->fits &&isfinite(l->fit_point.objective) ? l->fit_point.objective : 0)
STAT(stat_mean, tvgp__policy_out(p, l->in_use.point.mean))
STAT(stat_variance, l->scale * l->in_use.point.scale)
STAT(stat_rate, isnan(l->in_use.rate) ? 0 : tvgp__learner_rate(l))

/* A mixture of fixed models learns its noise without an optimisation. */
static double stat_noise(const tvgp_policy *p) {
    const tvgp__learner *l = tvgp__ucb_learner(p);
    const tvgp__ucb *u = p->state;
    if (l)
        return tvgp__learner_noise(l);
    return u && u->posterior && !isnan(u->posterior->learned.noise) ? tvgp__ucb_outcome_noise(p) : 0;
}

const tvgp__stat tvgp__learn_stats[TVGP__LEARN_STATS] = {
    {"fit.count", TVGP__TEXT("Number of hyperparameter optimisations begun."), stat_count, TVGP_STAT_COUNTER, ""},
    {"fit.evals", TVGP__TEXT("Number of evaluations of the marginal likelihood."), stat_evals, TVGP_STAT_COUNTER, ""},
    {"fit.adopted", TVGP__TEXT("Number of times that the hyperparameters in use changed."), stat_adopted, TVGP_STAT_COUNTER,
     ""},
    {"fit.failed", TVGP__TEXT("Number of hyperparameter optimisations without a usable result."), stat_failed,
     TVGP_STAT_COUNTER, ""},
    {"fit.at_bound", TVGP__TEXT("Number of hyperparameters at a bound after the last optimisation."), stat_at_bound,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"fit.pending", TVGP__TEXT("Whether an optimisation or a change of hyperparameters continues at the next ask. 1: yes."),
     stat_pending, TVGP_STAT_DIAGNOSTIC, ""},
    {"fit.observations", TVGP__TEXT("Number of observations that the last optimisation used."), stat_answers,
     TVGP_STAT_DIAGNOSTIC, ""},
    {"fit.groups", TVGP__TEXT("Number of groups, by arm and interval of time, into which it put these observations."),
     stat_records, TVGP_STAT_DIAGNOSTIC, ""},
    {"fit.group_width",
     TVGP__TEXT("Width of these intervals. 0: single observations; inf: one interval, as nothing changes."), stat_cell,
     TVGP_STAT_DIAGNOSTIC, "time"},
    {"fit.objective", TVGP__TEXT("Log marginal likelihood plus log prior (without constants) of the last optimisation."),
     stat_objective, TVGP_STAT_DIAGNOSTIC, "nats"},
    {"fit.noise_var", TVGP__TEXT("Noise variance in use."), stat_noise, TVGP_STAT_LEARNED, "reward^2"},
    {"fit.mean", TVGP__TEXT("Mean in use, in addition to the prior mean."), stat_mean, TVGP_STAT_LEARNED, "reward"},
    {"fit.variance", TVGP__TEXT("Factor of the kernel in use."), stat_variance, TVGP_STAT_LEARNED, ""},
    {"fit.rate",
     TVGP__TEXT(
         "Rate of change found by the last optimisation: epsilon, the rate of Matern, or of noise growth (power: alpha). 0: "
         "none."),
     stat_rate, TVGP_STAT_LEARNED, "1/time"},
};

/* The i-th lengthscale, and how many there are: none where there is no memory for a list of parameters. */
static double lengthscale(const tvgp_kernel *kernel, size_t i, size_t *count) {
    size_t n = tvgp__parameter_count(kernel);
    double found = 0, *work = NULL;
    *count = 0;
    if (n > TVGP__BFGS_MOST || tvgp__scratch_take(kernel->ctx, n * sizeof(tvgp__param) / sizeof *work, &work) < 0)
        return 0;
    tvgp__param *list = (tvgp__param *)(void *)work;
    (void)tvgp__parameter_list(kernel, list);
    for (size_t k = 0; k < n; k++)
        if (list[k].kind == TVGP_PARAM_LENGTHSCALE && (*count)++ == i)
            found = list[k].value;
    tvgp__scratch_give(kernel->ctx, work);
    return found;
}

size_t tvgp__learn_lengthscales(const tvgp_policy *p) {
    size_t count;
    (void)lengthscale(p->kernel, 0, &count);
    return count;
}

double tvgp__learn_lengthscale(const tvgp_policy *p, size_t i) {
    const tvgp__learner *l = tvgp__ucb_learner(p);
    size_t count;
    return lengthscale(l ? l->in_use.posterior->kernel : p->kernel, i, &count);
}

const tvgp__stat_series tvgp__learn_series[1] = {TVGP__LEARN_SERIES_ENTRY};

/* SPDX-License-Identifier: MIT */
/* TV-GP-UCB (Bogunovic, Scarlett, Cevher 2016, alg. 2): kernel k(x,x') (1 - epsilon)^(|t-t'|/2), predicted at the time
 * of the ask. With time.kernel = matern32 the correlation in time is (1 + lambda dt) e^(-lambda dt), a smooth drift, by
 * a single Kalman filter (model/kalman_mixture.h); with season.period the function repeats while it drifts, by such
 * a filter too. */
#include "base/error.h"
#include "policy/builtin.h"
#include "policy/gp_ucb.h"
#include "policy/ucb/season_option.h"

#include <math.h>

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__ucb_late late;
    tvgp__season_config season;
    double epsilon, rate;
    int32_t drift;
} config;

typedef struct {
    tvgp__ucb ucb;
    double rate, weight; /* for the coefficient schedule `rate` */
} state;

static const char *const drifts[] = {"forgetting", "matern32", NULL};
enum { FORGETTING, MATERN32 };

static const tvgp__option own[] = {
    {"epsilon", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(config, epsilon), 0.03, 0, 1, NULL,
     TVGP__TEXT("Rate of change per unit of time: correlation (1 - epsilon)^(dt/2).")},
    {"half_life", TVGP_F64, TVGP_OPTION_OPEN_LOWER | TVGP__OPTION_HALF_LIFE, offsetof(config, epsilon), 0, 0, INFINITY, NULL,
     TVGP__TEXT("Half-life of the correlation of the function's values, in units of time; another form of epsilon. inf: no "
                "change.")},
    {"time.kernel", TVGP_STR, 0, offsetof(config, drift), FORGETTING, 0, 0, drifts,
     TVGP__TEXT("Temporal kernel: forgetting: abrupt at small scales; matern32: smooth drift, correlation (1 + rate dt) "
                "e^(-rate dt).")},
    {"time.rate", TVGP_F64, 0, offsetof(config, rate), 0, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Rate of time.kernel per unit of time (forgetting: epsilon, below 1). 0: the rate that has the half-life of "
                "epsilon.")},
};

static tvgp_status drift_of(const tvgp_policy *p, tvgp__drift *drift) {
    const config *c = p->config;
    if (c->drift == MATERN32) {
        const double half = 1.6783469900166605, ln2 = 0.693147180559945309417; /* (1 + half) e^(-half) = 1/2 */
        *drift = (tvgp__drift){.kind = TVGP__DRIFT_MATERN32, .rate = c->rate};
        if (!(c->rate > 0))
            drift->rate = -half * log1p(-c->epsilon) / (2 * ln2);
        return TVGP_OK;
    }
    *drift = (tvgp__drift){.kind = TVGP__DRIFT_FORGETTING, .rate = c->rate > 0 ? c->rate : c->epsilon};
    if (drift->rate >= 1)
        return tvgp__error_set(p->ctx, TVGP_ERR_OPTION, "time.rate = %g is outside [0, 1) of time.kernel forgetting",
                               c->rate);
    return TVGP_OK;
}

/* The drift model at a learned rate; NaN: as the options say. */
static tvgp_status drift_at(const tvgp_policy *p, double rate, tvgp__drift *drift) {
    TVGP__TRY(drift_of(p, drift));
    if (!isnan(rate)) {
        drift->rate = rate;
        drift->unit = 1; /* or as it is found */
    }
    return TVGP_OK;
}

static tvgp_status spec(const tvgp_policy *p, double rate, tvgp__posterior_spec *out) {
    const config *c = p->config;
    TVGP__TRY(tvgp__season_option_read(p, &c->season, c->ucb.learn.fit, &out->season));
    out->late = (size_t)c->late.limit;
    return drift_at(p, rate, &out->drift);
}

/* The coefficient knows the rate in use. */
static void adopted(tvgp_policy *p, tvgp__posterior *posterior, double rate) {
    tvgp__drift drift;
    (void)posterior;
    if (!isnan(rate) && drift_at(p, rate, &drift) == TVGP_OK)
        ((state *)p->state)->rate = tvgp__drift_epsilon(&drift);
}

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    state *s = p->state;
    tvgp__drift drift;
    TVGP__TRY(drift_of(p, &drift));
    s->rate = c->rate > 0 ? tvgp__drift_epsilon(&drift) : c->epsilon;
    s->weight = 1;
    s->ucb.n_rates = 1;
    s->ucb.rate = &s->rate;
    s->ucb.rate_weight = &s->weight;
    return tvgp__learn_start(
        p, &(tvgp__learn_spec){.adopted = adopted, .drift = drift.kind, .rate = drift.rate, .takes_rate = 1});
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__visit_real(v, &((state *)p->state)->rate, 0, 1);
    tvgp__ucb_visit(p, v);
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS, {tvgp__ucb_late_stats, TVGP__UCB_LATE_STATS}};
static const tvgp__option_group groups[] = {TVGP__GP_UCB_GROUPS,
                                            TVGP__OPTION_GROUP(own, 0),
                                            {tvgp__season_options, TVGP__SEASON_OPTIONS, offsetof(config, season)},
                                            TVGP__UCB_RANK,
                                            {tvgp__ucb_late_options, TVGP__UCB_LATE_OPTIONS, offsetof(config, late)}};

const tvgp__policy_ops tvgp__tv_gp_ucb = {TVGP__GP_UCB_OPS,
                                          .name = "tv-gp-ucb",
                                          .doc = TVGP__TEXT("forgets smoothly at a known rate; for steady drift"),
                                          TVGP__POLICY_TABLES(groups, stats),
                                          TVGP__POLICY_SIZES(config, state),
                                          .spec = spec,
                                          .start = start,
                                          .model = &tvgp__ucb_model,
                                          .ask = tvgp__ucb_ask,
                                          .take = tvgp__ucb_take,
                                          .visit = visit};

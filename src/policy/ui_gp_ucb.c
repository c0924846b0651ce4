/* SPDX-License-Identifier: MIT */
/* Uncertainty injection (UI-TVBO: Brunzema, von Rohr, Trimpe 2022; Mauduit, Berthier, Simonetto 2025): the noise of an
 * observation grows with its age, under a static drift model. Or, as in the code of UI-TVBO, the kernel k(x,x') (1 +
 * rate min(t,t')): a Wiener drift model with constant noise. */
#include "policy/builtin.h"
#include "policy/gp_ucb.h"
#include "policy/ucb/aging_policies.h"

#include <math.h>

enum { LINEAR, POWER, QUADRATIC, EXPONENTIAL, WIENER_KERNEL };
static const char *const growths[] = {"linear", "power", "quadratic", "exponential", "wiener-kernel", NULL};

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__ucb_late late;
    int32_t growth;
    double rate, alpha;
} config;

static const tvgp__option own[] = {
    {"noise_growth", TVGP_STR, 0, offsetof(config, growth), LINEAR, 0, 0, growths,
     TVGP__TEXT(
         "Noise variance at age a: linear: noise + rate a; power: noise (1 + a^exponent); quadratic: noise (1 + a^2); "
         "exponential: noise e^(rate a); wiener-kernel: the Wiener kernel, from time 0.")},
    {"noise_growth.rate", TVGP_F64, TVGP_OPTION_ADVANCED, offsetof(config, rate), 0.03, 0, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Rate of noise growth per unit of time: linear, wiener-kernel: variance; exponential: exponent.")},
    {"noise_growth.exponent", TVGP_F64, 0, offsetof(config, alpha), 1, TVGP__VALID_RANGE_LEAST, TVGP__VALID_RANGE_MOST, NULL,
     TVGP__TEXT("Exponent of noise growth with noise_growth=power.")},
};

static tvgp_status spec(const tvgp_policy *p, double rate, tvgp__posterior_spec *out) {
    const config *c = p->config;
    const int powers = c->growth == POWER || c->growth == QUADRATIC;
    const int kind = powers                ? TVGP__NOISE_AGE_POWER
                     : c->growth == LINEAR ? TVGP__NOISE_AGE_LINEAR
                                           : TVGP__NOISE_AGE_EXPONENTIAL;
    if (c->growth == WIENER_KERNEL)
        out->drift = (tvgp__drift){.kind = TVGP__DRIFT_WIENER, .rate = isnan(rate) ? c->rate : rate};
    else
        out->age = (tvgp__noise_age){.growth = kind, .rate = c->rate, .alpha = c->growth == QUADRATIC ? 2 : c->alpha};
    tvgp__aging_policies_set_rate(&out->age, rate);
    out->late = (size_t)c->late.limit;
    return TVGP_OK;
}

/* A square is a square, and a Wiener process has its rate before there are data. */
static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    return tvgp__aging_policies_start(p, c->growth == QUADRATIC || c->growth == WIENER_KERNEL);
}

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS,
                                         {tvgp__aging_policies_stats, TVGP__AGING_POLICIES_STATS},
                                         {tvgp__ucb_late_stats, TVGP__UCB_LATE_STATS}};
static const tvgp__option_group groups[] = {TVGP__GP_UCB_GROUPS,
                                            TVGP__OPTION_GROUP(own, 0),
                                            {tvgp__ucb_late_options, TVGP__UCB_LATE_OPTIONS, offsetof(config, late)}};

const tvgp__policy_ops tvgp__ui_gp_ucb = {TVGP__GP_UCB_OPS,
                                          .name = "ui-gp-ucb",
                                          .doc =
                                              "old observations become noisier; for drift, when only old data should fade",
                                          TVGP__POLICY_TABLES(groups, stats),
                                          TVGP__POLICY_SIZES(config, tvgp__ucb),
                                          .spec = spec,
                                          .start = start,
                                          .model = &tvgp__ucb_model,
                                          .ask = tvgp__ucb_ask,
                                          .take = tvgp__ucb_take,
                                          .visit = tvgp__ucb_visit};

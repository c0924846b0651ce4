/* SPDX-License-Identifier: MIT */
/* ET-GP-UCB (Brunzema, von Rohr, Solowjow, Trimpe, alg. 1): gp-ucb that resets if an observation contradicts the model.
 * With mean and sd from the ask of x_t, it triggers if |y - mean| > sqrt(rho) sd + wbar, rho = 2 ln(2 pi' / delta),
 * wbar^2 = 2 noise ln(2 pi' / delta),
 *   pi' = pi^2 t'^2 / 6,   t' = actions since the last trigger.
 * The theorem assumes known noise. Noise learned from n observations is replaced by its value including this outcome,
 *   (n noise + |y - mean|^2) / (n + 1),   n = observations since the last trigger,
 * so that few observations, which determine the noise poorly, trigger nothing: not before n + 1 > rho. */
#include "base/numbers/constants.h"
#include "policy/builtin.h"
#include "policy/gp_ucb.h"

#include <math.h>

typedef struct {
    tvgp__ucb_config ucb;
    double delta;
    int64_t keep;
} config;

typedef struct {
    tvgp__ucb ucb;
    double statistic, threshold; /* of the last tested outcome */
} state;

static const tvgp__option own[] = {
    {"trigger.delta", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(config, delta), 0.1, TVGP__VALID_RANGE_LEAST, 1, NULL,
     TVGP__TEXT("Probability of any false reset in the run.")},
    {"trigger.keep_last", TVGP_I64, 0, offsetof(config, keep), 1, 0, 1, NULL,
     TVGP__TEXT("Switch: a reset keeps the observation that triggered it. 0: it keeps nothing.")},
};

/* Noise variance in the test of an outcome at this distance from its mean. */
static double noise_of(const tvgp_policy *p, const tvgp__answer *a, double away) {
    const tvgp__learner *l = tvgp__ucb_learner(p);
    const double noise = isnan(a->noise) ? tvgp__ucb_noise(p) : a->noise;
    const double n = (double)tvgp__ucb_posterior(p)->counts.observations;
    if (!l || !l->spec.rules.noise || !isnan(a->noise))
        return noise;
    return n / (n + 1) * noise + away / (n + 1) * away;
}

/* Whether y contradicts the posterior at its ask. */
static int triggers(tvgp_policy *p, const tvgp__answer *a) {
    const config *c = p->config;
    state *s = p->state;
    double steps = (double)(a->step - s->ucb.reset_step);
    double root = sqrt(2 * log(2 * (TVGP__PI * TVGP__PI * steps * steps / 6) / c->delta)); /* sqrt(rho) */
    s->statistic = fabs(a->y - a->prior_mean - a->mean);
    s->threshold = root * (a->sd + sqrt(noise_of(p, a, s->statistic)));
    return s->statistic > s->threshold;
}

/* Once: at the tenth reset, where that came before the hundredth action. */
static void complain(const tvgp_policy *p) {
    if (((const state *)p->state)->ucb.resets == 10 && p->counts.asked < 100)
        tvgp__context_log(
            p->ctx,
            "et-gp-ucb: 10 resets in %lld asks: it forgets faster than it learns here; auto-gp-ucb infers how fast "
            "things change, and a larger noise makes resets rarer",
            (long long)p->counts.asked);
}

/* Unsolicited observations, and outcomes of queries from before the last trigger, have no prediction and are not tested.
 */
static void take(tvgp_policy *p, const tvgp__answer *answer) {
    const state *s = p->state;
    tvgp__answer kept = *answer;
    if (answer->outcome == TVGP_VALUE && !answer->assumed && answer->step > s->ucb.reset_step &&
        tvgp__ucb_predicts(p, answer->step) && triggers(p, answer)) {
        tvgp__ucb_reset(p, answer->t, "|y - mean| = %g is above %g", s->statistic, s->threshold);
        complain(p);
        if (!((const config *)p->config)->keep)
            return;
        kept.step = 0; /* it was asked before the reset, but stays */
    }
    tvgp__ucb_take(p, &kept);
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    state *s = p->state;
    tvgp__visit_real(v, &s->statistic, 0, INFINITY);
    tvgp__visit_real(v, &s->threshold, 0, INFINITY);
    tvgp__ucb_visit(p, v);
}

static double statistic(const tvgp_policy *p) {
    const state *s = p->state;
    return s ? s->statistic : 0;
}
static double threshold(const tvgp_policy *p) {
    const state *s = p->state;
    return s ? s->threshold : 0;
}

static const tvgp__stat own_stats[] = {
    {"trigger.statistic", TVGP__TEXT("|y - mean| of the last outcome tested."), statistic, TVGP_STAT_DIAGNOSTIC, "reward"},
    {"trigger.threshold", TVGP__TEXT("Threshold of trigger.statistic."), threshold, TVGP_STAT_DIAGNOSTIC, "reward"},
};

static const tvgp__stat_group stats[] = {TVGP__GP_UCB_STAT_GROUPS, {own_stats, sizeof own_stats / sizeof *own_stats}};
static const tvgp__option_group groups[] = {TVGP__GP_UCB_GROUPS, TVGP__OPTION_GROUP(own, 0), TVGP__UCB_RANK};

const tvgp__policy_ops tvgp__et_gp_ucb = {
    TVGP__GP_UCB_OPS,
    .name = "et-gp-ucb",
    .doc = TVGP__TEXT("gp-ucb that starts again when an observation contradicts it; needs no rate of change"),
    TVGP__POLICY_TABLES(groups, stats),
    TVGP__POLICY_SIZES(config, state),
    .start = tvgp__gp_ucb_start_again,
    .ask = tvgp__ucb_ask,
    .take = take,
    .visit = visit};

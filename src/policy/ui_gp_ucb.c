/* SPDX-License-Identifier: MIT */
/* UI-TVBO and its relatives (Brunzema, von Rohr, Trimpe 2022; Mauduit, Berthier, Simonetto 2025): uncertainty injection. The
 * noise of an observation grows with its age; static kernel x aging noise x all memory. Or, as in the code of UI-TVBO, the
 * kernel k(x,x') (1 + rate min(t,t')): Wiener law x constant noise x all memory. */
#include "base/error.h"
#include "belief/recursive.h"
#include "policy/aging.h"
#include "policy/box_ucb.h"
#include "policy/builtin.h"

#include <math.h>

enum { LINEAR, POWER, QUADRATIC, EXPONENTIAL, WIENER_KERNEL };
static const char *const growths[] = {"linear", "power", "quadratic", "exponential", "wiener-kernel", NULL};

typedef struct {
    tvgp__ucb_config ucb;
    tvgp__aging_config aging;
    tvgp__ucb_late late;
    int32_t growth;
    double rate, alpha, origin;
} config;

static const tvgp__option own[] = {
    {"growth", TVGP_STR, 0, offsetof(config, growth), LINEAR, 0, 0, growths,
     "noise at age a: noise + rate a, noise (1 + a^alpha), noise (1 + a^2), noise e^(rate a); or the Wiener kernel"},
    {"growth.rate", TVGP_F64, 0, offsetof(config, rate), 0.03, 0, TVGP__RANGE_MOST, NULL,
     "linear, wiener-kernel: variance per unit of time; exponential: per unit of time"},
    {"growth.alpha", TVGP_F64, 0, offsetof(config, alpha), 1, TVGP__RANGE_LEAST, TVGP__RANGE_MOST, NULL, "power: exponent"},
    {"time.origin", TVGP_F64, 0, offsetof(config, origin), 0, -TVGP__RANGE_MOST, TVGP__RANGE_MOST, NULL,
     "wiener-kernel: time from which the function moves"},
};

static tvgp_status start(tvgp_policy *p) {
    const config *c = p->config;
    switch (c->growth) {
    case LINEAR:
        return tvgp__aging_start(p, &c->aging, TVGP__AGE_LINEAR, c->rate, 0);
    case POWER:
        return tvgp__aging_start(p, &c->aging, TVGP__AGE_POWER, 0, c->alpha);
    case QUADRATIC:
        return tvgp__aging_start(p, &c->aging, TVGP__AGE_POWER, 0, 2);
    case EXPONENTIAL:
        return tvgp__aging_start(p, &c->aging, TVGP__AGE_EXPONENTIAL, c->rate, 0);
    default: { /* WIENER_KERNEL */
        const tvgp__law law = {.kind = TVGP__LAW_WIENER, .rate = c->rate, .origin = c->origin};
        tvgp__belief *posterior = NULL;
        if (!p->domain->n)
            return tvgp__box_ucb_start(p, &(tvgp__exact_spec){.law = law});
        TVGP__TRY(tvgp__recursive_new(p->ctx, p->kernel, &law, c->ucb.noise, (size_t)c->late.limit, p->domain->n,
                                      p->domain->X, &posterior));
        return tvgp__ucb_start(p, posterior);
    }
    }
}

static const tvgp__stat_group stats[] = {TVGP__UCB_STAT_GROUPS,
                                         TVGP__UCB_BOX_STATS,
                                         {tvgp__aging_stats, TVGP__AGING_STATS},
                                         {tvgp__ucb_late_stats, TVGP__UCB_LATE_STATS}};
static const tvgp__option_group groups[] = {TVGP__UCB_GROUPS,
                                            TVGP__UCB_CHOICE,
                                            TVGP__UCB_ON_BOXES,
                                            TVGP__OPTION_GROUP(own, 0),
                                            {tvgp__aging_options, TVGP__AGING_OPTIONS, offsetof(config, aging)},
                                            {tvgp__ucb_late_options, TVGP__UCB_LATE_OPTIONS, offsetof(config, late)}};

const tvgp__policy_ops tvgp__ui_gp_ucb = {TVGP__UCB_OPS,
                                          .name = "ui-gp-ucb",
                                          .doc =
                                              "old observations become noisier; for drift, when only old data should fade",
                                          .groups = groups,
                                          .n_groups = sizeof groups / sizeof *groups,
                                          .stats = stats,
                                          .n_stats = sizeof stats / sizeof *stats,
                                          .config_size = sizeof(config),
                                          .state_size = sizeof(tvgp__ucb),
                                          .on_boxes = 1,
                                          .start = start,
                                          .ask = tvgp__ucb_ask,
                                          .take = tvgp__ucb_take};

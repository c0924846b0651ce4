/* SPDX-License-Identifier: MIT */
#include "policy/aging.h"

static const char *const references[] = {"now", "last", NULL};

const tvgp__option tvgp__aging_options[TVGP__AGING_OPTIONS] = {
    {"age.reference", TVGP_STR, 0, offsetof(tvgp__aging_config, reference), TVGP__AGING_NOW, 0, 0, references,
     "age 0: the time of the ask, or of the newest observation"},
};

tvgp__age tvgp__aging_age(const tvgp__aging_config *c, int growth, double rate, double alpha) {
    return (tvgp__age){.growth = growth, .rate = rate, .alpha = alpha, .from_last = c->reference == TVGP__AGING_LAST};
}

static double effective(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    if (!u)
        return 0;
    tvgp__belief_settle(u->posterior);
    return u->posterior->effective;
}

const tvgp__stat tvgp__aging_stats[TVGP__AGING_STATS] = {
    {"effective_observations", "sum over the observations of noise when told / noise now", effective},
};

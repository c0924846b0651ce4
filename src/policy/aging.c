/* SPDX-License-Identifier: MIT */
#include "policy/aging.h"

#include "base/error.h"
#include "policy/box_ucb.h"

static const char *const references[] = {"now", "last", NULL};

const tvgp__option tvgp__aging_options[TVGP__AGING_OPTIONS] = {
    {"age.reference", TVGP_STR, 0, offsetof(tvgp__aging_config, reference), TVGP__AGING_NOW, 0, 0, references,
     "age 0: the time of the ask, or of the newest observation"},
};

tvgp_status tvgp__aging_start(tvgp_policy *p, const tvgp__aging_config *c, int growth, double rate, double alpha) {
    const tvgp__age law = {.growth = growth, .rate = rate, .alpha = alpha, .from_last = c->reference == TVGP__AGING_LAST};
    tvgp__belief *posterior = NULL;
    if (!p->domain->n)
        return tvgp__box_ucb_start(p, &(tvgp__exact_spec){.age = &law});
    TVGP__TRY(tvgp__aged_new(p->ctx, p->kernel, &law, p->domain->n, p->domain->X, &posterior));
    return tvgp__ucb_start(p, posterior);
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

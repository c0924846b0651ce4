/* SPDX-License-Identifier: MIT */
/* The common part of policies whose observations become noisier with age (w-gp-ucb, ui-gp-ucb): their start, and a statistic
 * (policy/ucb/aging_policies.h). */
#include "policy/ucb/aging_policies.h"

#include "base/error.h"
#include "model/posterior_make.h"

#include <math.h>

void tvgp__aging_policies_set_rate(tvgp__noise_age *age, double rate) {
    if (isnan(rate))
        return;
    age->unit = 1; /* or as it is found */
    if (age->growth == TVGP__NOISE_AGE_POWER)
        age->alpha = rate;
    else
        age->rate = rate;
}

tvgp_status tvgp__aging_policies_start(tvgp_policy *p, int rate_given) {
    tvgp__posterior_spec spec = {.drift = {.kind = TVGP__DRIFT_STATIC}};
    TVGP__TRY(p->ops->spec(p, NAN, &spec));
    return tvgp__learn_start(
        p,
        &(tvgp__learn_spec){
            .drift = spec.drift.kind, .rate = spec.drift.rate, .age = spec.age, .takes_rate = 1, .rate_given = rate_given});
}

static double effective(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    if (!u)
        return 0;
    tvgp__posterior_finish(u->posterior);
    return u->posterior->counts.effective;
}

const tvgp__stat tvgp__aging_policies_stats[TVGP__AGING_POLICIES_STATS] = {
    {"observations.effective",
     TVGP__TEXT("Effective number of observations: sum of their noise at first over their noise now."), effective,
     TVGP_STAT_DIAGNOSTIC, ""},
};

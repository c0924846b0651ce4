/* SPDX-License-Identifier: MIT */
/* The state of the ucb family in snapshots (policy/ucb/ucb.h). */
#include "base/valid_range.h"
#include "policy/ucb/maximise.h"

#include <math.h>

void tvgp__ucb_visit_choices(tvgp_policy *p, tvgp__visit *v) {
    tvgp__ucb *u = p->state;
    const double most = TVGP__VISIT_MOST;
    tvgp__outlier_monitor_visit(&u->monitor, v);
    tvgp__visit_real(v, &u->width, -INFINITY, INFINITY);
    tvgp__visit_real(v, &u->mean, -most, most);
    tvgp__visit_real(v, &u->sd, 0, most);
    tvgp__visit_tally(v, &u->resets);
    tvgp__visit_tally(v, &u->reset_step);
    tvgp__visit_tally(v, &u->ignored);
    tvgp__visit_tally_size(v, &u->kept);
    tvgp__visit_real(v, &u->reset_time, -INFINITY, TVGP__VALID_RANGE_MOST);
    if (u->box_search)
        tvgp__maximise_visit(p, v);
}

void tvgp__ucb_visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__ucb_visit_choices(p, v);
    tvgp__time_unit_visit(p, v);
    if (tvgp__ucb_learner(p))
        tvgp__learner_visit(tvgp__ucb_learner(p), v);
    else
        tvgp__posterior_visit(tvgp__ucb_posterior(p), v);
}

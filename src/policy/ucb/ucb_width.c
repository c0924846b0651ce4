/* SPDX-License-Identifier: MIT */
/* The exploration coefficient of the next action: the schedule (choose/exploration_schedule.h) at what the policy knows, or one of the
 * policy's own, times the factors of calibration and of a learned log. */
#include "policy/ucb/ucb.h"

#include "space/domain/product.h"

#include <math.h>

/* The longest side of a box or of the box of measured contexts. */
static double longest_side(const tvgp_policy *p) {
    double most = 0;
    for (size_t d = 0; d < p->domain->dim; d++)
        most = fmax(most, p->within->side[d]);
    return most;
}

double tvgp__ucb_width_by(const tvgp_policy *p, const tvgp__posterior *posterior) {
    const tvgp__ucb_config *c = p->config;
    const tvgp__ucb *u = p->state;
    const int restarts = tvgp__ucb_restarts(p);
    tvgp__exploration_schedule_inputs in = {.t = (double)(p->counts.asked + 1),
                                            .n = (double)(p->domain->total ? p->domain->total : tvgp__policy_choices(p)),
                                            .dim = (double)p->domain->dim,
                                            .measured = p->domain->n ? 0 : (double)tvgp__product_measured(p->domain),
                                            .side = p->within ? longest_side(p) : 1,
                                            .noise = tvgp__ucb_noise(p) / tvgp__ucb_scale(p),
                                            .log_det_ratio = restarts ? 0 : posterior->log_det_ratio,
                                            .observations = restarts ? 0 : (double)posterior->counts.observations,
                                            .n_rates = u->n_rates,
                                            .rate = u->rate,
                                            .rate_weight = u->rate_weight};
    const double width = u->own_width ? u->own_width(p) : tvgp__exploration_schedule_at(&c->width, &in),
                 factor = u->calibration.on ? tvgp__calibration_factor(&u->calibration) : 1;
    return (p->guards ? tvgp__history_prior_width(p) : 1) * factor * width;
}

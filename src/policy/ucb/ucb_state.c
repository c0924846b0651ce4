/* SPDX-License-Identifier: MIT */
/* The lowest file of the family: learning, resets, pending actions. */
#include "policy/ucb/ucb.h"

#include "base/number_text.h"
#include "base/valid_range.h"
#include "protocol/copies/scores_from_copy.h"

#include <math.h>
#include <stdarg.h>

/* ---- what is learned --------------------------------------------------------------------------------------------- */

tvgp__learner *tvgp__ucb_learner(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    return u ? u->learner : NULL;
}

double tvgp__ucb_noise(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    const tvgp__learner *l = u ? u->learner : NULL;
    if (p->terms.noise > 0)
        return p->terms.noise;
    if (u && u->posterior && !isnan(u->posterior->learned.noise))
        return u->posterior->learned.noise;
    return l ? tvgp__learner_noise(l) : ((const tvgp__ucb_config *)p->config)->noise;
}

int tvgp__ucb_counts(const tvgp_policy *p, const tvgp__answer *a) {
    return ((const tvgp__ucb *)p->state)->posterior->ops->noise_at && a->exposure > 0 && !a->assumed;
}

double tvgp__ucb_noise_at(const tvgp_policy *p, const tvgp__posterior *post, size_t arm) {
    if (!post->ops->noise_at || p->terms.noise > 0)
        return tvgp__ucb_noise(p);
    return post->ops->noise_at((tvgp__posterior *)post, arm, tvgp__mean_function_at(&p->mean, arm));
}

double tvgp__ucb_outcome_noise(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    const double noise = tvgp__ucb_noise(p), unit = u && u->posterior ? u->posterior->unit : 1;
    return noise > 0 ? fmin(fmax(unit * noise, TVGP__VALID_RANGE_LEAST), TVGP__VALID_RANGE_MOST) : noise;
}

double tvgp__ucb_scale(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    const tvgp__learner *l = u->learner;
    const double own = u->posterior->learned.scale;
    return !isnan(own) ? own : l ? l->scale * l->in_use.point.scale : 1;
}

tvgp__posterior *tvgp__ucb_posterior(const tvgp_policy *p) {
    return ((const tvgp__ucb *)p->state)->posterior;
}

int tvgp__ucb_predicts(const tvgp_policy *p, int64_t step) {
    const tvgp__ucb *u = p->state;
    const tvgp__learner *l = u->learner;
    if (u->posterior->learned.vague)
        return 0;
    return !l || (l->fitted && (!step || step > l->fit_ask));
}

/* ---- reset ------------------------------------------------------------------------------------------------------- */

void tvgp__ucb_reset(tvgp_policy *p, double t, const char *format, ...) {
    char reason[96];
    tvgp__ucb *u = p->state;
    va_list args;
    va_start(args, format);
    tvgp__number_text_format(reason, sizeof reason, format, args);
    va_end(args);
    if (u->learner)
        tvgp__learner_reset(u->learner);
    else
        u->posterior->ops->reset(u->posterior);
    tvgp__history_prior_forget(p, INFINITY);
    u->resets++;
    u->reset_step = p->counts.asked;
    u->reset_time = t;
    tvgp__context_log(p->ctx, "%s: reset %lld after %lld actions, t = %g: %s", p->ops->name, (long long)u->resets,
                      (long long)p->counts.asked, t, reason);
}

int tvgp__ucb_restarts(const tvgp_policy *p) {
    const tvgp__ucb *u = p->state;
    return u->every && p->counts.asked != u->reset_step && p->counts.asked % u->every == 0;
}

void tvgp__ucb_restart(tvgp_policy *p, double t) {
    if (tvgp__ucb_restarts(p))
        tvgp__ucb_reset(p, t, "every %lld actions", (long long)((const tvgp__ucb *)p->state)->every);
}

/* Actions asked before those that count in this ask. */
static int64_t asked_before(const tvgp_policy *p) {
    return tvgp__ucb_restarts(p) ? p->counts.asked : ((const tvgp__ucb *)p->state)->reset_step;
}

int tvgp__ucb_pends(const tvgp_policy *p, const tvgp__ticket *ticket) {
    return tvgp__tickets_pends(ticket) && ticket->kind == TVGP_ACTION && ticket->step > asked_before(p);
}

int tvgp__ucb_draws(const tvgp_policy *p) {
    return ((const tvgp__ucb_config *)p->config)->choice.rule == TVGP__CHOICE_THOMPSON ||
           (p->work.wanted && p->work.wanted->draws);
}

/* SPDX-License-Identifier: MIT */
/* Checks outcomes and times against the model (policy/ucb/outlier_monitor.h). */
#include "policy/ucb/outlier_monitor.h"

#include "base/error.h"
#include "base/valid_range.h"
#include "policy/ucb/ucb.h"
#include "protocol/policy_options.h"

#include <math.h>

/* ---- outcomes --------------------------------------------------------------------------------------------------- */

/* s^2; noise in the posterior's unit. An exact outcome of an exactly known arm may still differ by round-off. */
static double square(const tvgp__posterior *post, double var, double noise) {
    return fmax(var, 0) + post->unit * tvgp__posterior_noise(post, noise);
}

static double limit(const tvgp_policy *p) {
    double sd = ((const tvgp__ucb_config *)p->config)->outlier_sd;
    return sd > 0 ? sd : INFINITY;
}

int tvgp__outlier_monitor_limits(const tvgp_policy *p) {
    return limit(p) < INFINITY;
}

double tvgp__outlier_monitor_clip(const tvgp_policy *p, double e, double var, double noise) {
    double most = limit(p) * sqrt(square(((const tvgp__ucb *)p->state)->posterior, var, noise));
    return fabs(e) > most ? copysign(most, e) : e;
}

void tvgp__outlier_monitor_visit(tvgp__outlier_monitor *w, tvgp__visit *v) {
    tvgp__visit_tally(v, &w->answers);
    tvgp__visit_reals(v, (size_t)(w->answers < TVGP__OUTLIER_MONITOR_ANSWERS ? w->answers : TVGP__OUTLIER_MONITOR_ANSWERS),
                      w->ratio, 0, TVGP__VISIT_MOST);
    tvgp__visit_tally(v, &w->outliers);
    tvgp__visit_real(v, &w->asked, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &w->warned);
}

double tvgp__outlier_monitor_surprise(const tvgp__outlier_monitor *w) {
    int64_t n = w->answers < TVGP__OUTLIER_MONITOR_ANSWERS ? w->answers : TVGP__OUTLIER_MONITOR_ANSWERS;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += w->ratio[i];
    return n ? sum / (double)n : 0;
}

/* Logs a line if outcomes contradict the default noise. */
static void doubt_noise(const tvgp_policy *p, double surprise) {
    if (p->ops->learns && !tvgp__ucb_learner(p) && surprise > 4 && !tvgp__policy_options_was_set(p, "noise"))
        tvgp__context_log(p->ctx,
                          "%s: observations scatter %.3g times as much as the noise variance says: set noise, or fit=noise",
                          p->ops->name, surprise);
}

/* y: an outcome, s its predicted standard deviation. */
static void note(tvgp_policy *p, tvgp__outlier_monitor *w, double ratio, double y, double s, int own_noise) {
    w->ratio[w->answers++ % TVGP__OUTLIER_MONITOR_ANSWERS] = fmin(ratio, 1e300); /* their sum stays finite */
    if (w->answers == 10 && fabs(y) > 1e13 * s)
        tvgp__context_log(p->ctx, "%s: outcomes of %.3g differ by %.3g, which rounding blurs: report them less a constant",
                          p->ops->name, tvgp__policy_turn(p, y), s);
    if (w->answers == 10 && tvgp__outlier_monitor_surprise(w) > 25)
        tvgp__context_log(
            p->ctx,
            "%s: surprise %g of the first ten observations, healthy is about 1: prior mean, kernel variance or "
            "noise do not fit the rewards; without a kernel, or with fit=map, they are learned",
            p->ops->name, tvgp__outlier_monitor_surprise(w));
    if (w->answers == 2 * TVGP__OUTLIER_MONITOR_ANSWERS && !own_noise)
        doubt_noise(p, tvgp__outlier_monitor_surprise(w));
}

double tvgp__outlier_monitor_answer(tvgp_policy *p, double y, double mean, double var, double noise) {
    tvgp__ucb *u = p->state;
    double e = fabs(y - mean), s2 = square(u->posterior, var, noise), s = sqrt(s2);
    note(p, &u->monitor, e / s2 * e, y, s, noise != ((const tvgp__ucb_config *)p->config)->noise);
    if (!(e > limit(p) * s))
        return noise;
    u->monitor.outliers++;
    return fmin((e * s / limit(p) - fmax(var, 0)) / u->posterior->unit, TVGP__VALID_RANGE_MOST);
}

/* ---- times ------------------------------------------------------------------------------------------------------ */

void tvgp__outlier_monitor_ask(tvgp_policy *p, double t) {
    tvgp__ucb *u = p->state;
    tvgp__outlier_monitor *w = &u->monitor;
    double rho = -1; /* the correlation of the function at the two times in the policy's model; below 0: static */
    if (w->asked > -INFINITY && t > w->asked && !w->warned)
        rho = u->fitted ? u->fitted->correlation(p, w->asked, t) : tvgp__posterior_correlation(u->posterior, w->asked, t);
    int misfit = rho >= 0 && (rho < 0.01 || rho > 1 - 1e-6);
    if (misfit)
        tvgp__context_log(p->ctx,
                          "%s: between two asks %g apart, t = %g, the correlation in time is %s: is the rate of change per "
                          "unit of t?",
                          p->ops->name, t - w->asked, t, rho < 0.5 ? "below 0.01" : "above 1 - 1e-6");
    w->warned |= misfit;
    w->asked = t;
}

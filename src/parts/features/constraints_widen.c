/* SPDX-License-Identifier: MIT */
/* Costs for each limit a predictive of its model, and of it up to 8 covariances of all arms; in one of 1 / constraint.exploration_share asks. */
#include "parts/features/constraints_widen.h"

#include "base/error.h"
#include "base/numbers/normal.h"
#include "base/numbers/simd_clones.h"
#include "base/scratch.h"
#include "choose/rule.h"
#include "parts/features/constraints_risk.h"
#include "protocol/policy_ops.h"

#include <math.h>
#include <string.h>

static const double LEAST = 0.1; /* probability of showing anything, below which nothing is tried */

static double share_of(const tvgp_policy *p) {
    return tvgp__constraints_config(p)->exploration_share;
}

/* Whether this ask may widen at all. */
static int may_widen(const tvgp_policy *p) {
    const tvgp__constraints *l = tvgp__constraints_of(p);
    const tvgp__ticket *last = l->last_widening ? tvgp__tickets_peek(&p->tickets, l->last_widening) : NULL;
    int known = p->ops->at != NULL && tvgp__domain_has_arms(p->domain) && l->now.found > 0;
    for (size_t k = 0; k < l->n; k++)
        known &= !l->list[k].model->ops->model->several;
    return known && share_of(p) > 0 && ((double)p->counts.asked + 1) * share_of(p) >= (double)l->widened + 1 &&
           !(last && !last->taken) && ((double)(p->counts.asked - l->looked) * share_of(p) >= 1 || !l->looked);
}

/* How far an arm that is not safe is from its limits at worst, when it may be safe by each (tail at most 1 - r); otherwise -infinity.
 * `least`: Phi^-1(r). */
static double distance_of(const tvgp__constraints *l, double least, size_t arm) {
    double distance = (!l->now.mask || l->now.mask[arm]) && !l->safe[arm] ? INFINITY : -INFINITY;
    for (size_t k = 0; k < l->n && distance >= least; k++) {
        const double own = tvgp__constraints_risk_distance(&l->list[k], l->list[k].mean[arm], l->list[k].var[arm]);
        distance = fmin(distance, own >= least ? own : -INFINITY);
    }
    return distance;
}

/* What arms are ordered by: the risk, or of one limit, where it says the same for less, how far the arm is beyond it. */
static double order_of(const tvgp__constraints *l, double distance, size_t arm) {
    return l->n == 1 ? -distance : tvgp__constraints_risk_at(l, arm);
}

/* The arms of least risk among those that may be safe, in order of it; their number. */
static size_t aims_of(const tvgp__constraints *l, size_t n, double least, size_t aim[TVGP__CONSTRAINTS_AIMS]) {
    double risk[TVGP__CONSTRAINTS_AIMS];
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        const double distance = distance_of(l, least, i), own = distance >= least ? order_of(l, distance, i) : INFINITY;
        if (!(distance >= least) || (found == TVGP__CONSTRAINTS_AIMS && !(own < risk[found - 1])))
            continue;
        size_t at = found < TVGP__CONSTRAINTS_AIMS ? found++ : found - 1;
        for (; at > 0 && own < risk[at - 1]; at--) {
            risk[at] = risk[at - 1];
            aim[at] = aim[at - 1];
        }
        risk[at] = own;
        aim[at] = i;
    }
    return found;
}

/* Whether an arm that may be safe may give more than all that are: by mean + 2 sd of the reward. Its order of arms may be wrong by the
 * slack of these moments. */
static tvgp_status promises(const tvgp_policy *p, double least, double *mean, double *var, int *more) {
    const tvgp__constraints *l = tvgp__constraints_of(p);
    const size_t n = p->domain->n;
    double inside = -INFINITY, outside = -INFINITY;
    TVGP__TRY(p->ops->at(p, l->now.t, n, NULL, mean, var));
    tvgp__mean_function_add(&p->mean, n, mean);
    for (size_t i = 0; i < n; i++) {
        const double most = tvgp__rule_score(mean[i], sqrt(fmax(var[i], 0)), 2);
        if (l->safe[i])
            inside = fmax(inside, most);
        else if (most > outside && distance_of(l, least, i) >= least)
            outside = most;
    }
    *more = outside > inside;
    return TVGP_OK;
}

/* The probability that the limit counts g as safe once the variance of the mean of g has become less by `gains`. */
static double shown_by(const tvgp__constraint *one, double b, size_t g, double gains) {
    const double left = fmax(one->var[g] - gains, 0) + one->noise;
    const double gap = tvgp__constraints_risk_side(one) * (one->mean[g] - one->at) - b * sqrt(left);
    return tvgp__normal_tail(-gap / sqrt(gains > 0 ? gains : 1e-300));
}

static double quantile(const tvgp__constraints *l, const tvgp__constraint *one) {
    return tvgp__normal_above(l->now.allowed / (double)l->n) + one->margin;
}

/* Whether anything can be shown of any aim: what is below the quantile now gains most by all of its variance, as long as it stays
 * below. So most asks look no further. */
static int can_show(const tvgp__constraints *l, size_t m, const size_t *aim) {
    for (size_t j = 0; j < m; j++) {
        double product = 1;
        for (size_t k = 0; k < l->n; k++) {
            const double most = shown_by(&l->list[k], quantile(l, &l->list[k]), aim[j], fmax(l->list[k].var[aim[j]], 0));
            product *= most < 0.5 ? most : 1;
        }
        if (product >= LEAST)
            return 1;
    }
    return 0;
}

/* The negative of Phi^-1 of the probability that the limit counts g as safe once z has an outcome, for all z: from the covariance of z and
 * g, in its place. noise: of an observation. As `shown_by`. */
TVGP__SIMD_CLONES
static void levels(const tvgp__constraint *one, double b, double noise, size_t g, size_t n, const double *restrict var,
                   double *restrict C) {
    const double own = fmax(one->var[g], 0), gap = tvgp__constraints_risk_side(one) * (one->mean[g] - one->at);
    for (size_t i = 0; i < n; i++) {
        const double total = (var[i] > 0 ? var[i] : 0) + noise, part = C[i] * C[i] / (total > 0 ? total : INFINITY);
        const double gains = part < own ? part : own;
        C[i] = (b * sqrt(own - gains + one->noise) - gap) / sqrt(gains > 0 ? gains : 1e-300);
    }
}

/* Takes the factor of limit k into the product for every pair of a safe arm and an aim: m x n each. Where a factor is below LEAST the
 * product is 0. */
static tvgp_status take_in(const tvgp_policy *p, size_t k, size_t m, const size_t *aim, double *C, double *product) {
    const tvgp__constraints *l = tvgp__constraints_of(p);
    const tvgp__constraint *one = &l->list[k];
    const tvgp__policy_model *model = one->model->ops->model;
    const size_t n = p->domain->n;
    const double b = quantile(l, one), noise = model->noise(one->model), most = tvgp__normal_above(LEAST);
    TVGP__TRY(tvgp__posterior_covariance(model->posterior(one->model), l->now.t, m, aim, C));
    for (size_t j = 0; j < m; j++) {
        double *level = C + j * n, *own = product + j * n;
        levels(one, b, noise, aim[j], n, one->var, level);
        for (size_t i = 0; i < n; i++)
            own[i] = l->safe[i] && own[i] > 0 && level[i] <= most ? own[i] * tvgp__normal_tail(level[i]) : 0;
    }
    return TVGP_OK;
}

/* The safe arm that is the likeliest to show one of the aims safe. */
static tvgp_status find(tvgp_policy *p, tvgp__constraints *l, size_t m, const size_t *aim, double *work, size_t *arm,
                        int *widens) {
    const size_t n = p->domain->n;
    double *product = work + m * n, best = 0;
    for (size_t i = 0; i < m * n; i++)
        product[i] = 1;
    for (size_t k = 0; k < l->n; k++)
        TVGP__TRY(take_in(p, k, m, aim, work, product));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; l->safe[i] && j < m; j++)
            if (product[j * n + i] > best) {
                best = product[j * n + i];
                *arm = i;
            }
    *widens = best >= LEAST;
    l->now.looked = *widens ? 0 : p->counts.asked;
    return TVGP_OK;
}

tvgp_status tvgp__constraints_widen(tvgp_policy *p, size_t *arm, int *widens) {
    const size_t n = p->domain->n;
    tvgp__constraints *l = tvgp__constraints_of(p);
    size_t aim[TVGP__CONSTRAINTS_AIMS];
    double *work = NULL;
    int more = 0;
    *widens = 0;
    if (!may_widen(p))
        return TVGP_OK;
    const double least = -tvgp__normal_above(l->now.allowed);
    const size_t m = aims_of(l, n, least, aim);
    if (!can_show(l, m, aim))
        return TVGP_OK;
    TVGP__TRY(tvgp__scratch_take(p->ctx, n * 2 * (m ? m : 1), &work));
    tvgp_status status = promises(p, least, work, work + n, &more);
    if (status == TVGP_OK && more)
        status = find(p, l, m, aim, work, arm, widens);
    tvgp__scratch_give(p->ctx, work);
    return status;
}

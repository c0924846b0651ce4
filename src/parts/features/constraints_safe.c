/* SPDX-License-Identifier: MIT */
/* Computes what is safe at a time. Over arms, no exponential is evaluated for most: with b = Phi^-1(1 - r) an action is
 * unsafe if any z_k - theta_k is below b, safe if all are at least Phi^-1(1 - r / m), and only between these the tails
 * are added. Each constraint and arm costs one square root, and 17 bytes are read. */
#include "parts/features/constraints_safe.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/constants.h"
#include "base/numbers/normal.h"
#include "base/numbers/simd_clones.h"
#include "parts/features/constraints_risk.h"
#include "parts/features/constraints_widen.h"
#include "protocol/feature_options.h"
#include "protocol/query_points.h"

#include <math.h>
#include <string.h>

enum { IN, BETWEEN, OUT };
enum { BLOCK = 128 }; /* points of a box that are judged together */

/* ---- the safe arms ------------------------------------------------------------------------------------------------ */

/* Raises the grade of arms whose z - theta is below `in`, and of those below `out`, which is no higher. */
TVGP__SIMD_CLONES
static void grade_bounds(size_t n, double side, double bound, double noise, double out, double in,
                         const double *restrict mean, const double *restrict var, uint8_t *restrict grade) {
    for (size_t i = 0; i < n; i++) {
        const double gap = side * (mean[i] - bound), sd = sqrt(var[i] + noise);
        const uint8_t own = (uint8_t)((gap < in * sd) + (gap < out * sd));
        grade[i] = own > grade[i] ? own : grade[i];
    }
}

/* IN, BETWEEN or OUT for n arms. */
static void grade(const tvgp__constraints *l, size_t n, uint8_t *out) {
    const double one_alone = tvgp__normal_above(l->now.allowed),
                 each = l->n > 1 ? tvgp__normal_above(l->now.allowed / (double)l->n) : one_alone;
    memset(out, IN, n);
    for (size_t k = 0; k < l->n; k++) {
        const tvgp__constraint *one = &l->list[k];
        const double low = one_alone + one->margin, high = each + one->margin;
        if (one->margin >= TVGP__CONSTRAINTS_RISK_MARGIN)
            memset(out, OUT, n);
        else
            grade_bounds(n, tvgp__constraints_risk_side(one), one->at, one->noise, low, high, one->mean, one->var, out);
    }
}

/* The next arm from `from` on that is BETWEEN; n: none. */
static size_t next_between(const tvgp__constraints *l, size_t n, size_t from) {
    const uint8_t *found = from < n ? memchr(l->safe + from, BETWEEN, n - from) : NULL;
    return found ? (size_t)(found - l->safe) : n;
}

/* Decides the arms that are BETWEEN by the sum of their risks. */
static void finish_between(tvgp__constraints *l, size_t n) {
    for (size_t i = next_between(l, n, 0); i < n; i = next_between(l, n, i + 1))
        l->safe[i] = tvgp__constraints_risk_at(l, i) <= l->now.allowed ? IN : OUT;
}

static int same_point(size_t dim, const double *x, const double *y) {
    size_t d = 0;
    while (d < dim && x[d] == y[d])
        d++;
    return d == dim;
}

static int is_declared_point(const tvgp__constraints *l, size_t dim, const double *x) {
    for (size_t i = 0; i < l->n_declared; i++)
        if (same_point(dim, x, l->declared + i * dim))
            return 1;
    return 0;
}

/* Of an arm, an action or a candidate. */
static int is_declared(const tvgp_policy *p, const tvgp__constraints *l, size_t i) {
    if (tvgp__domain_is_box(p->domain))
        return is_declared_point(l, p->domain->dim, tvgp__query_points_choice(p, i));
    return l->is_declared && l->is_declared[i] != 0;
}

/* Of grades IN and OUT and of what is available: 1 for what may be asked; whether an arm is that was not declared, and how many are.
 * declared NULL: none. */
TVGP__SIMD_CLONES
static size_t count_safe(size_t n, const uint8_t *restrict mask, const uint8_t *restrict declared, uint8_t *restrict safe,
                         uint8_t *restrict found) {
    size_t count = 0;
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        safe[i] = safe[i] == IN;
    for (size_t i = 0; mask && i < n; i++)
        safe[i] &= mask[i] != 0;
    for (size_t i = 0; !declared && i < n; i++)
        any |= safe[i];
    for (size_t i = 0; declared && i < n; i++)
        any |= safe[i] & (declared[i] == 0);
    for (size_t i = 0; declared && i < n; i++)
        safe[i] |= (declared[i] != 0) & (!mask || mask[i] != 0);
    for (size_t i = 0; i < n; i++)
        count += safe[i];
    *found = any;
    return count;
}

/* Adds the candidates of a box that were declared. */
static void add_declared(const tvgp_policy *p, tvgp__constraints *l, size_t n, uint8_t *found) {
    *found = 0;
    for (size_t i = 0; i < n; i++) {
        const int declared = is_declared(p, l, i), there = !l->now.mask || l->now.mask[i];
        *found |= l->safe[i] && !declared;
        l->now.found += declared && there && !l->safe[i];
        l->safe[i] |= declared && there;
    }
}

/* The available arms that are safe, from the grades that stand there; whether one is that was not declared. */
static int pick(const tvgp_policy *p, tvgp__constraints *l, size_t n) {
    const int box = tvgp__domain_is_box(p->domain);
    uint8_t found;
    l->now.found = count_safe(n, l->now.mask, box ? NULL : l->is_declared, l->safe, &found);
    if (box && l->n_declared)
        add_declared(p, l, n, &found);
    return found;
}

/* The available arm of least risk, the lowest of equal ones. */
static size_t likeliest(const tvgp__constraints *l, size_t n) {
    double least = INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        const double risk = !l->now.mask || l->now.mask[i] ? tvgp__constraints_risk_at(l, i) : INFINITY;
        if (risk < least) {
            least = risk;
            best = i;
        }
    }
    return best;
}

static tvgp_status none_safe(const tvgp_policy *p, const tvgp__constraints *l, size_t arm) {
    return tvgp__error_set(
        p->ctx, TVGP_ERR_NOTFOUND,
        "at t = %g no action is safe: the likeliest, arm %zu, has the risk %.3g, allowed is %.3g; declare a "
        "safe action (tvgp_policy_set_safe), lower constraint.confidence, or set constraint.fallback=safest",
        l->now.t, arm, tvgp__constraints_risk_at(l, arm), l->now.allowed);
}

/* Logs each constraint whose noise alone makes every action unsafe, however well its mean is known. Once a constraint. */
static void explain(const tvgp_policy *p, tvgp__constraints *l) {
    for (size_t k = 0; k < l->n; k++) {
        tvgp__constraint *one = &l->list[k];
        const double z = tvgp__normal_above(l->now.allowed) + one->margin, sd = sqrt(one->noise);
        if (one->explained || !one->outcomes || !(one->gap > 0 && z * sd > one->gap))
            continue;
        one->explained = 1;
        tvgp__context_log(
            p->ctx,
            "%s: noise alone excludes every action from constraint %zu: %.2f x %.2f = %.2f > margin %.2f of the "
            "best mean; constrain the mean (TVGP_OF_MEAN) or lower constraint.confidence",
            p->ops->name, k + 1, z, sd, z * sd, one->gap);
    }
}

static void find_gaps(tvgp__constraints *l, size_t n) {
    for (size_t k = 0; k < l->n; k++) {
        tvgp__constraint *one = &l->list[k];
        one->gap = -INFINITY;
        for (size_t i = 0; i < n; i++)
            if (!l->now.mask || l->now.mask[i])
                one->gap = fmax(one->gap, tvgp__constraints_risk_side(one) * (one->mean[i] - one->at));
    }
}

/* What may be asked, from the moments of all arms. */
static tvgp_status choose_safe(tvgp_policy *p, tvgp__constraints *l) {
    const size_t n = tvgp__policy_choices(p);
    grade(l, n, l->safe);
    finish_between(l, n);
    l->now.fell = !pick(p, l, n);
    if (l->now.fell && p->ctx->logger) {
        find_gaps(l, n);
        explain(p, l);
    }
    if (l->now.found)
        return TVGP_OK;
    const size_t arm = likeliest(l, n);
    if (tvgp__constraints_config(p)->fallback == TVGP__UNSAFE_REFUSED)
        return none_safe(p, l, arm);
    l->safe[arm] = 1;
    return TVGP_OK;
}

/* ---- the whole box ------------------------------------------------------------------------------------------------ */

/* Of at most BLOCK points. */
static tvgp_status judge_block(tvgp_policy *p, size_t n, const double *X, uint8_t *ok) {
    double mean[BLOCK], var[BLOCK], risk[BLOCK] = {0};
    tvgp__constraints *l = tvgp__constraints_of(p);
    for (size_t k = 0; k < l->n; k++) {
        TVGP__TRY(tvgp__policy_predict_process(l->list[k].model, l->now.t, n, X, mean, var));
        for (size_t i = 0; i < n; i++) {
            tvgp__constraint *one = &l->list[k];
            one->gap = fmax(one->gap, tvgp__constraints_risk_side(one) * (mean[i] - one->at));
            risk[i] += tvgp__constraints_risk_tail(one, mean[i], var[i]);
        }
    }
    if (n == 1) {
        memcpy(l->now.x, X, p->domain->dim * sizeof *X);
        l->now.risk = fmin(*risk, 1);
    }
    for (size_t i = 0; i < n; i++) {
        const int declared = is_declared_point(l, p->domain->dim, X + i * p->domain->dim), safe = risk[i] <= l->now.allowed;
        if (ok[i] && !declared) {
            l->now.least = fmin(l->now.least, risk[i]);
            l->now.fell &= !safe || l->now.relents;
        }
        ok[i] = ok[i] && (declared || safe);
    }
    return TVGP_OK;
}

static tvgp_status judge_points(void *policy, size_t n, const double *X, uint8_t *ok) {
    tvgp_policy *p = policy;
    for (size_t first = 0; first < n; first += BLOCK)
        TVGP__TRY(judge_block(p, n - first < BLOCK ? n - first : BLOCK, X + first * p->domain->dim, ok + first));
    return TVGP_OK;
}

static void thaw(tvgp__constraints *l) {
    for (size_t k = 0; k < l->n; k++)
        tvgp__posterior_thaw(l->list[k].model->ops->model->posterior(l->list[k].model));
}

static tvgp_status freeze(tvgp__constraints *l) {
    tvgp_status status = TVGP_OK;
    for (size_t k = 0; k < l->n && status == TVGP_OK; k++) {
        const tvgp_policy *model = l->list[k].model;
        if (!model->ops->model->several)
            status = tvgp__posterior_freeze(model->ops->model->posterior(model), l->now.t);
    }
    if (status < 0)
        thaw(l);
    return status;
}

static tvgp_status open_box(tvgp_policy *p, tvgp__constraints *l) {
    TVGP__TRY(freeze(l));
    for (size_t k = 0; k < l->n; k++) {
        tvgp__constraints_risk_noise(&l->list[k]);
        l->list[k].gap = -INFINITY;
    }
    l->now.fell = 1;
    l->now.relents = 0;
    l->now.least = INFINITY;
    p->terms.safe = (tvgp__search_space_safe){.keep = judge_points, .of = p, .n_known = l->n_declared, .known = l->declared};
    return TVGP_OK;
}

/* Whether a choice on the whole box is to be made again: nothing was safe, and constraint.fallback is safest. Then the least risk of the
 * points judged is allowed, so that one of them is found. */
static int relents(const tvgp_policy *p, tvgp__constraints *l) {
    if (l->now.relents || tvgp__constraints_config(p)->fallback == TVGP__UNSAFE_REFUSED || !(l->now.least < INFINITY))
        return 0;
    l->now.relents = 1;
    l->now.allowed = l->now.least;
    return 1;
}

tvgp_status tvgp__constraints_safe_judge(tvgp__guard *g, tvgp_policy *p, tvgp_status status, size_t n, tvgp__chosen *choice,
                                         int *again) {
    tvgp__constraints *l = (tvgp__constraints *)g;
    (void)n, (void)choice;
    if (!l->n || !l->now.box || status != TVGP_ERR_NOTFOUND)
        return status;
    *again = relents(p, l);
    if (*again) {
        tvgp__error_forget(p->ctx, status);
        return TVGP_OK;
    }
    return tvgp__error_set(
        p->ctx, status,
        "at t = %g no point tried is safe: the least risk was %.3g, allowed is %.3g; declare a safe point "
        "(tvgp_policy_set_safe), lower constraint.confidence, or set constraint.fallback=safest",
        l->now.t, fmin(l->now.least, 1), l->now.allowed);
}

/* ---- the time of an ask ------------------------------------------------------------------------------------------- */

/* r of the next ask. */
static double allowed(const tvgp_policy *p, const tvgp__constraints *l) {
    const double delta = 1 - tvgp__constraints_config(p)->confidence, n = (double)p->counts.asked + 1;
    if (tvgp__constraints_config(p)->scope == TVGP__SCOPE_RUN)
        return 6 * delta / (TVGP__PI * n * TVGP__PI * n);
    if (tvgp__constraints_config(p)->scope == TVGP__SCOPE_AVERAGE)
        return fmax(1e-12, fmin(fmin(10 * delta, 0.5), delta * n - l->spent));
    return delta;
}

/* Among arms, actions and candidates. */
static tvgp_status open_mask(tvgp_policy *p, tvgp__constraints *l, double t, int asks) {
    size_t aim = 0;
    TVGP__TRY(tvgp__constraints_risk_moments(p, t));
    TVGP__TRY(choose_safe(p, l));
    if (asks)
        TVGP__TRY(tvgp__constraints_widen(p, &aim, &l->now.widens));
    if (l->now.widens) {
        memset(l->safe, 0, tvgp__policy_choices(p));
        l->safe[aim] = 1;
    }
    tvgp__guard_narrow(p, l->safe, l->now.widens || !l->now.found ? 1 : l->now.found);
    return TVGP_OK;
}

static tvgp_status open_at(tvgp_policy *p, tvgp__constraints *l, double t, int asks) {
    if (!p->started)
        tvgp__constraints_risk_start(p, l);
    l->now.t = t;
    l->now.allowed = allowed(p, l);
    l->now.mask = p->available.mask;
    l->now.asks = asks;
    l->now.widens = 0;
    l->now.looked = l->looked;
    l->now.box = !tvgp__policy_choices(p);
    return l->now.box ? open_box(p, l) : open_mask(p, l, t, asks);
}

/* ---- learning ----------------------------------------------------------------------------------------------------- */

/* Says whether the model has received values since it last learned. */
static int is_due(const tvgp__constraint *one) {
    return one->model->counts.unsolicited != one->maintained;
}

/* The first n models, of those that are due. */
static void end_learning(tvgp__constraints *l, size_t n, tvgp_status status) {
    for (size_t k = 0; k < n; k++) {
        tvgp__constraint *one = &l->list[k];
        if (!is_due(one))
            continue;
        (void)one->model->ops->model->maintain(one->model, one->maintained,
                                               status < 0 ? TVGP__MAINTAIN_UNDO : TVGP__MAINTAIN_KEEP);
        if (status >= 0)
            one->maintained = one->model->counts.unsolicited;
    }
}

static tvgp_status learn(tvgp__constraints *l) {
    for (size_t k = 0; k < l->n; k++) {
        const tvgp__constraint *one = &l->list[k];
        const tvgp_status status =
            is_due(one) ? one->model->ops->model->maintain(one->model, one->maintained, TVGP__MAINTAIN_BEGIN) : TVGP_OK;
        if (status < 0) {
            end_learning(l, k, status);
            return status;
        }
    }
    return TVGP_OK;
}

tvgp_status tvgp__constraints_safe_open(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    tvgp__constraints *l = (tvgp__constraints *)g;
    if (!l->n)
        return TVGP_OK;
    if (asks)
        TVGP__TRY(learn(l));
    const tvgp_status status = open_at(p, l, t, asks);
    if (status < 0 && asks)
        end_learning(l, l->n, status);
    return status;
}

void tvgp__constraints_safe_close(tvgp__guard *g, tvgp_policy *p, tvgp_status status) {
    tvgp__constraints *l = (tvgp__constraints *)g;
    if (!l->n)
        return;
    if (l->now.box)
        thaw(l);
    if (!l->now.asks)
        return;
    if (l->now.box && l->now.fell)
        explain(p, l);
    end_learning(l, l->n, status);
}

void tvgp__constraints_safe_asked(tvgp__guard *g, tvgp_policy *p, tvgp__ticket *ticket) {
    tvgp__constraints *l = (tvgp__constraints *)g;
    if (!l->n)
        return;
    const size_t dim = p->domain->dim;
    const int box = l->now.box, declared = box ? is_declared_point(l, dim, tvgp__query_points_ticket(p, ticket))
                                               : is_declared(p, l, ticket->arm);
    ticket->risk = box ? l->now.risk : tvgp__constraints_risk_at(l, ticket->arm);
    ticket->declared = declared != 0;
    l->count = box ? !l->now.fell : l->now.found;
    l->spent += declared ? 0 : ticket->risk;
    l->fallbacks += l->now.fell;
    l->widened += l->now.widens;
    l->looked = l->now.looked;
    if (l->now.widens)
        l->last_widening = ticket->id;
}

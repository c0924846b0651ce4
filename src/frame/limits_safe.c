/* SPDX-License-Identifier: MIT */
/* What is safe at a time. Over arms nothing is looked up and no exponential is taken: with b = Phi^-1(1 - r) an action is out when any
 * z_k - theta_k is below b, in when all are at least Phi^-1(1 - r / m), and only between these the tails are added. For each limit
 * and arm one square root, and 17 bytes are read. */
#include "frame/limits_risk.h"

#include "base/clones.h"
#include "base/constants.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/normal.h"
#include "frame/limits_widen.h"
#include "frame/policy_ops.h"

#include <math.h>
#include <string.h>

enum { IN, BETWEEN, OUT };
enum { BLOCK = 128 }; /* points of a box that are judged together */

static const tvgp__limits_config *config_of(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->limits;
}

/* ---- the safe arms ------------------------------------------------------------------------------------------------ */

/* Raises the grade of arms whose z - theta is below `in`, and of those below `out`, which is no higher. */
TVGP__CLONES
static void grade_all(size_t n, double side, double bound, double noise, double out, double in, const double *restrict mean,
                      const double *restrict var, uint8_t *restrict grade) {
    for (size_t i = 0; i < n; i++) {
        const double gap = side * (mean[i] - bound), sd = sqrt(var[i] + noise);
        const uint8_t own = (uint8_t)((gap < in * sd) + (gap < out * sd));
        grade[i] = own > grade[i] ? own : grade[i];
    }
}

/* IN, BETWEEN or OUT for each arm. */
static void grade(const tvgp__limits *l, size_t n, uint8_t *out) {
    const double one_alone = tvgp__normal_above(l->now.allowed),
                 each = l->n > 1 ? tvgp__normal_above(l->now.allowed / (double)l->n) : one_alone;
    memset(out, IN, n);
    for (size_t k = 0; k < l->n; k++) {
        const tvgp__limit *one = &l->list[k];
        if (one->margin >= TVGP__LIMITS_RISK_MARGIN)
            memset(out, OUT, n);
        else
            grade_all(n, tvgp__limits_risk_side(one), one->bound, one->noise, one_alone + one->margin, each + one->margin,
                      one->mean, one->var, out);
    }
}

static int same_point(size_t dim, const double *x, const double *y) {
    size_t d = 0;
    while (d < dim && x[d] == y[d])
        d++;
    return d == dim;
}

static int is_declared_point(const tvgp_policy *p, const double *x) {
    const size_t dim = p->domain->dim;
    for (size_t i = 0; i < p->limits->n_declared; i++)
        if (same_point(dim, x, p->limits->declared + i * dim))
            return 1;
    return 0;
}

/* Of an arm, an action or a candidate. */
static int is_declared(const tvgp_policy *p, size_t i) {
    if (tvgp__domain_is(p->domain) == TVGP__BOX)
        return is_declared_point(p, p->within->among->X + i * p->domain->dim);
    return p->limits->is_declared && p->limits->is_declared[i] != 0;
}

/* The available arms that are safe, from the grades that stand there; whether one is that was not declared. */
static int pick(const tvgp_policy *p, size_t n) {
    tvgp__limits *l = p->limits;
    int found = 0;
    l->now.found = 0;
    for (size_t i = 0; i < n; i++) {
        const int there = !l->now.mask || l->now.mask[i], declared = is_declared(p, i);
        const int safe =
            there && (l->safe[i] == IN || (l->safe[i] == BETWEEN && tvgp__limits_risk_at(l, i) <= l->now.allowed));
        found |= safe && !declared;
        l->safe[i] = safe || (there && declared);
        l->now.found += l->safe[i];
    }
    return found;
}

/* The available arm of least risk, the lowest of equal ones. */
static size_t likeliest(const tvgp__limits *l, size_t n) {
    double least = INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        const double risk = !l->now.mask || l->now.mask[i] ? tvgp__limits_risk_at(l, i) : INFINITY;
        if (risk < least) {
            least = risk;
            best = i;
        }
    }
    return best;
}

static tvgp_status none_safe(const tvgp_policy *p, size_t arm) {
    const tvgp__limits *l = p->limits;
    return tvgp__error_set(
        p->ctx, TVGP_ERR_NOTFOUND,
        "at t = %g no action is safe: the likeliest, arm %zu, has the risk %.3g, allowed is %.3g; declare a "
        "safe action (tvgp_policy_set_safe), lower limit.confidence, or set limit.none=likeliest",
        l->now.t, arm, tvgp__limits_risk_at(l, arm), l->now.allowed);
}

/* Logs each constraint whose noise alone makes every action unsafe, however well its mean is known. Once a constraint. */
static void explain(const tvgp_policy *p) {
    tvgp__limits *l = p->limits;
    for (size_t k = 0; k < l->n; k++) {
        tvgp__limit *one = &l->list[k];
        const double z = tvgp__normal_above(l->now.allowed) + one->margin, sd = sqrt(one->noise);
        if (one->explained || !one->told || !(one->gap > 0 && z * sd > one->gap))
            continue;
        one->explained = 1;
        tvgp__context_log(
            p->ctx,
            "%s: noise alone excludes every action from constraint %zu: %.2f x %.2f = %.2f > margin %.2f of the "
            "best mean; constrain the mean (TVGP_OF_MEAN) or lower limit.confidence",
            p->ops->name, k + 1, z, sd, z * sd, one->gap);
    }
}

static void find_gaps(tvgp__limits *l, size_t n) {
    for (size_t k = 0; k < l->n; k++) {
        tvgp__limit *one = &l->list[k];
        one->gap = -INFINITY;
        for (size_t i = 0; i < n; i++)
            if (!l->now.mask || l->now.mask[i])
                one->gap = fmax(one->gap, tvgp__limits_risk_side(one) * (one->mean[i] - one->bound));
    }
}

/* What may be asked, from the moments of all arms. */
static tvgp_status choose_safe(tvgp_policy *p) {
    tvgp__limits *l = p->limits;
    const size_t n = tvgp__policy_choices(p);
    grade(l, n, l->safe);
    l->now.fell = !pick(p, n);
    if (l->now.fell && p->ctx->logger) {
        find_gaps(l, n);
        explain(p);
    }
    if (l->now.found)
        return TVGP_OK;
    const size_t arm = likeliest(l, n);
    if (config_of(p)->none == TVGP__LIMITS_REFUSE)
        return none_safe(p, arm);
    l->safe[arm] = 1;
    return TVGP_OK;
}

/* ---- the whole box ------------------------------------------------------------------------------------------------ */

/* Of at most BLOCK points. */
static tvgp_status judge_block(tvgp_policy *p, size_t n, const double *X, uint8_t *ok) {
    double mean[BLOCK], var[BLOCK], risk[BLOCK] = {0};
    tvgp__limits *l = p->limits;
    for (size_t k = 0; k < l->n; k++) {
        TVGP__TRY(tvgp__policy_predict(l->list[k].model, l->now.t, n, X, mean, var));
        for (size_t i = 0; i < n; i++) {
            tvgp__limit *one = &l->list[k];
            one->gap = fmax(one->gap, tvgp__limits_risk_side(one) * (mean[i] - one->bound));
            risk[i] += tvgp__limits_risk_tail(one, mean[i], var[i]);
        }
    }
    if (n == 1) {
        memcpy(l->now.x, X, p->domain->dim * sizeof *X);
        l->now.risk = fmin(*risk, 1);
    }
    for (size_t i = 0; i < n; i++) {
        const int declared = is_declared_point(p, X + i * p->domain->dim), safe = risk[i] <= l->now.allowed;
        if (ok[i] && !declared) {
            l->now.least = fmin(l->now.least, risk[i]);
            l->now.fell &= !safe || l->now.relents;
        }
        ok[i] = ok[i] && (declared || safe);
    }
    return TVGP_OK;
}

static tvgp_status judge(void *policy, size_t n, const double *X, uint8_t *ok) {
    tvgp_policy *p = policy;
    for (size_t first = 0; first < n; first += BLOCK)
        TVGP__TRY(judge_block(p, n - first < BLOCK ? n - first : BLOCK, X + first * p->domain->dim, ok + first));
    return TVGP_OK;
}

static void thaw(tvgp__limits *l) {
    for (size_t k = 0; k < l->n; k++)
        l->list[k].model->ops->model->thaw(l->list[k].model);
}

static tvgp_status freeze(tvgp__limits *l) {
    tvgp_status status = TVGP_OK;
    for (size_t k = 0; k < l->n && status == TVGP_OK; k++)
        status = l->list[k].model->ops->model->freeze(l->list[k].model, l->now.t);
    if (status < 0)
        thaw(l);
    return status;
}

static tvgp_status open_box(tvgp_policy *p) {
    tvgp__limits *l = p->limits;
    TVGP__TRY(freeze(l));
    for (size_t k = 0; k < l->n; k++) {
        tvgp__limits_risk_noise(&l->list[k]);
        l->list[k].gap = -INFINITY;
    }
    l->now.fell = 1;
    l->now.relents = 0;
    l->now.least = INFINITY;
    p->within->safe = judge;
    p->within->policy = p;
    p->within->n_known = l->n_declared;
    p->within->known = l->declared;
    return TVGP_OK;
}

int tvgp__limits_relent(tvgp_policy *p, tvgp_status status) {
    tvgp__limits *l = p->limits;
    if (status != TVGP_ERR_NOTFOUND || !tvgp__policy_limits(p) || !l->now.box || l->now.relents ||
        config_of(p)->none == TVGP__LIMITS_REFUSE || !(l->now.least < INFINITY))
        return 0;
    tvgp__error_forget(p->ctx, status);
    l->now.relents = 1;
    l->now.allowed = l->now.least;
    return 1;
}

tvgp_status tvgp__limits_chosen(const tvgp_policy *p, tvgp_status status) {
    if (!tvgp__policy_limits(p) || !p->limits->now.box || status != TVGP_ERR_NOTFOUND)
        return status;
    return tvgp__error_set(
        p->ctx, status,
        "at t = %g no point tried is safe: the least risk was %.3g, allowed is %.3g; declare a safe point "
        "(tvgp_policy_set_safe), lower limit.confidence, or set limit.none=likeliest",
        p->limits->now.t, fmin(p->limits->now.least, 1), p->limits->now.allowed);
}

/* ---- the time of an ask ------------------------------------------------------------------------------------------- */

/* r of the next ask. */
static double allowed(const tvgp_policy *p) {
    const double delta = 1 - config_of(p)->confidence, n = (double)p->asked + 1;
    if (config_of(p)->per == TVGP__LIMITS_RUN)
        return 6 * delta / (TVGP__PI * n * TVGP__PI * n);
    if (config_of(p)->per == TVGP__LIMITS_MEAN)
        return fmax(1e-12, fmin(fmin(10 * delta, 0.5), delta * n - p->limits->spent));
    return delta;
}

/* Among arms, actions and candidates. */
static tvgp_status open_mask(tvgp_policy *p, double t, int asks) {
    tvgp__limits *l = p->limits;
    size_t aim = 0;
    TVGP__TRY(tvgp__limits_risk_moments(p, t));
    TVGP__TRY(choose_safe(p));
    if (asks)
        TVGP__TRY(tvgp__limits_widen(p, &aim, &l->now.widens));
    if (l->now.widens) {
        memset(l->safe, 0, tvgp__policy_choices(p));
        l->safe[aim] = 1;
    }
    p->available.mask = l->safe;
    p->available.count = l->now.widens || !l->now.found ? 1 : l->now.found;
    return TVGP_OK;
}

static tvgp_status open_at(tvgp_policy *p, double t, int asks) {
    tvgp__limits *l = p->limits;
    if (!p->started)
        tvgp__limits_start(p);
    l->now.t = t;
    l->now.allowed = allowed(p);
    l->now.mask = p->available.mask;
    l->now.count = p->available.count;
    l->now.widens = 0;
    l->now.looked = l->looked;
    l->now.box = !tvgp__policy_choices(p);
    return l->now.box ? open_box(p) : open_mask(p, t, asks);
}

tvgp_status tvgp__limits_open(tvgp_policy *p, double t) {
    return tvgp__policy_limits(p) ? open_at(p, t, 0) : TVGP_OK;
}

void tvgp__limits_close(tvgp_policy *p) {
    if (!tvgp__policy_limits(p))
        return;
    p->available.mask = p->limits->now.mask;
    p->available.count = p->limits->now.count;
    if (p->limits->now.box)
        thaw(p->limits);
    if (p->within)
        p->within->safe = NULL, p->within->n_known = 0;
}

/* ---- learning ----------------------------------------------------------------------------------------------------- */

/* Whether the model was told values since it learned. */
static int is_due(const tvgp__limit *one) {
    return one->model->unsolicited != one->tended;
}

/* The first n models, of those that are due. */
static void end_learning(tvgp__limits *l, size_t n, tvgp_status status) {
    for (size_t k = 0; k < n; k++) {
        tvgp__limit *one = &l->list[k];
        if (!is_due(one))
            continue;
        (void)one->model->ops->model->tend(one->model, one->tended, status < 0 ? TVGP__TEND_UNDO : TVGP__TEND_KEEP);
        if (status >= 0)
            one->tended = one->model->unsolicited;
    }
}

static tvgp_status learn(tvgp__limits *l) {
    for (size_t k = 0; k < l->n; k++) {
        const tvgp__limit *one = &l->list[k];
        const tvgp_status status =
            is_due(one) ? one->model->ops->model->tend(one->model, one->tended, TVGP__TEND_BEGIN) : TVGP_OK;
        if (status < 0) {
            end_learning(l, k, status);
            return status;
        }
    }
    return TVGP_OK;
}

tvgp_status tvgp__limits_open_ask(tvgp_policy *p, double t) {
    if (!tvgp__policy_limits(p))
        return TVGP_OK;
    TVGP__TRY(learn(p->limits));
    const tvgp_status status = open_at(p, t, 1);
    if (status < 0)
        end_learning(p->limits, p->limits->n, status);
    return status;
}

void tvgp__limits_close_ask(tvgp_policy *p, tvgp_status status) {
    tvgp__limits_close(p);
    if (tvgp__policy_limits(p) && p->limits->now.box && p->limits->now.fell)
        explain(p);
    if (tvgp__policy_limits(p))
        end_learning(p->limits, p->limits->n, status);
}

double tvgp__limits_asked(tvgp_policy *p, size_t arm, const double *x, tvgp__ticket *ticket) {
    tvgp__limits *l = p->limits;
    if (!tvgp__policy_limits(p))
        return 0;
    const double risk = l->now.box ? l->now.risk : tvgp__limits_risk_at(l, arm);
    ticket->declared = (l->now.box ? is_declared_point(p, x) : is_declared(p, arm)) != 0;
    l->count = l->now.box ? !l->now.fell : l->now.found;
    l->spent += ticket->declared ? 0 : risk;
    l->fallbacks += l->now.fell;
    l->widened += l->now.widens;
    l->looked = l->now.looked;
    if (l->now.widens)
        l->last_widening = ticket->id;
    return risk;
}

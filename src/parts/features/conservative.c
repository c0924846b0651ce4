/* SPDX-License-Identifier: MIT */
/* Conservative mode: bounds the loss against an incumbent, the action or point that would be used without a policy (Wu,
 * Shariff, Lattimore, Szepesvari 2016; Kazerouni, Ghavamzadeh, Abbasi-Yadkori, Van Roy 2017) (parts/features/conservative.h). */
#include "parts/features/conservative.h"

#include "base/error.h"
#include "base/memory.h"
#include "protocol/query_points.h"
#include "space/domain/arm_at_point.h"
#include "space/domain/product.h"

#include <math.h>
#include <string.h>

typedef struct incumbent {
    tvgp__guard base;
    double max_loss_share;
    double spent, worth;
    int64_t since;           /* actions asked before it was set: they do not count */
    int64_t turns;           /* actions asked of the incumbent instead of the policy's own choice */
    size_t action;           /* not on a box */
    double most;             /* m of the newest ask, */
    double expected;         /* the incumbent's posterior mean there, prior mean included, */
    double spread;           /* and its posterior standard deviation */
    struct {                 /* own choices with an outcome: */
        int64_t n;           /* their number, */
        double mean, square; /* mean of their advantages, sum of squared deviations from it, */
        double var;          /* and mean posterior variance of the incumbent */
    } gain;
    uint8_t *refused; /* arms: with an exploration floor, of the ask under way: which would be refused */
    double *moments;  /* means and variances of all arms */
    size_t refused_slots, moment_slots;
    size_t n_refused;   /* how many of those that may be asked */
    size_t arm;         /* of the ask under way: the arm that the action is, */
    int waits;          /* whether it may not be asked, */
    double mean, sd;    /* its posterior moments relative to the prior mean, */
    double prior;       /* and its prior mean */
    size_t own_choice;  /* what the policy would ask; SIZE_MAX: it draws itself */
    double own, own_sd; /* on a box: the policy's own choice at the newest ask as a reward, and its standard deviation */
    double x[TVGP__SEARCH_SPACE_MOST + 1]; /* on a box: the point, and behind it its prior mean */
} incumbent;

static incumbent *incumbent_of(const tvgp_policy *p) {
    return (incumbent *)tvgp__guard_find(p, &tvgp__conservative_ops);
}

static int on_box(const tvgp_policy *p) {
    return tvgp__domain_is_box(p->domain);
}

static size_t contexts_of(const tvgp_policy *p) {
    const size_t contexts = tvgp__product_contexts(p->domain);
    return contexts ? contexts : 1;
}

/* ---- who it is -------------------------------------------------------------------------------------------------- */

static tvgp_status find(const tvgp_policy *p, const double *x, size_t *action) {
    const tvgp_domain *d = p->domain;
    TVGP__TRY(tvgp__valid_range_values(p->ctx, "x", d->dim, x));
    const int64_t arm = tvgp__arm_at_point_locate(p->domain, x);
    if (on_box(p) ? !d->ops->contains(d, x) : arm < 0)
        return tvgp__arm_at_point_refuse(p->ctx, d, "x", x);
    *action = on_box(p) ? 0 : (size_t)arm / contexts_of(p);
    return TVGP_OK;
}

tvgp_status tvgp__conservative_set(tvgp_policy *p, const double *x, double max_loss_share) {
    incumbent *b;
    size_t action = 0;
    TVGP__TRY(tvgp__guard_refuse(p, &tvgp__conservative_ops));
    if (!(isinf(max_loss_share) && max_loss_share > 0))
        TVGP__TRY(tvgp__valid_range_positive(p->ctx, "max_loss_share", max_loss_share, 1));
    TVGP__TRY(x ? find(p, x, &action) : TVGP_OK);
    if (!x) {
        tvgp__guard_drop(p, &tvgp__conservative_ops);
        return TVGP_OK;
    }
    TVGP__TRY(tvgp__guard_make(p, &tvgp__conservative_ops, &b));
    *b = (incumbent){.base = b->base,
                     .max_loss_share = max_loss_share,
                     .since = p->counts.asked,
                     .action = action,
                     .refused = b->refused,
                     .refused_slots = b->refused_slots,
                     .moments = b->moments,
                     .moment_slots = b->moment_slots};
    if (on_box(p))
        memcpy(b->x, x, p->domain->dim * sizeof *x);
    return TVGP_OK;
}

int tvgp__conservative_is(const tvgp_policy *p) {
    return incumbent_of(p) != NULL;
}

/* The row of candidates at which the incumbent is. */
static size_t row_of(const tvgp_policy *p, const incumbent *b) {
    const size_t n = tvgp__policy_choices(p), dim = p->domain->dim;
    for (size_t i = 0; i < n; i++)
        if (!memcmp(tvgp__query_points_choice(p, i), b->x, dim * sizeof *b->x))
            return i;
    return SIZE_MAX;
}

size_t tvgp__conservative_choice(const tvgp_policy *p) {
    const incumbent *b = incumbent_of(p);
    if (!b)
        return SIZE_MAX;
    const size_t context = p->available.context < 0 ? 0 : (size_t)p->available.context;
    const size_t at = on_box(p) ? row_of(p, b) : b->action * contexts_of(p) + context;
    return at == SIZE_MAX || (p->available.mask && !p->available.mask[at]) ? SIZE_MAX : at;
}

/* ---- a choice --------------------------------------------------------------------------------------------------- */

static tvgp_status check_choice(const tvgp__guard *g, const tvgp_policy *p) {
    const double share = ((const incumbent *)g)->max_loss_share;
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    if (type && type->counts && isfinite(share))
        return tvgp__error_set(
            p->ctx, TVGP_ERR_UNSUPPORTED,
            "an incumbent with max_loss_share = %g and outcome.type = %s: only INFINITY, for holdout.share", share,
            type->name);
    if (tvgp__product_contexts(p->domain) && p->available.context < 0)
        return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "the incumbent is an action, and no context holds");
    return TVGP_OK;
}

static tvgp_status predict_arm(tvgp_policy *p, incumbent *b, double t, double *var) {
    const size_t context = tvgp__product_contexts(p->domain) ? (size_t)p->available.context : 0;
    b->arm = b->action * contexts_of(p) + context;
    b->prior = tvgp__mean_function_at(&p->mean, b->arm);
    b->waits = p->available.mask && !p->available.mask[b->arm];
    return p->ops->at(p, t, 1, &b->arm, &b->mean, var);
}

static tvgp_status predict_point(tvgp_policy *p, incumbent *b, double t, double *var) {
    const size_t dim = p->domain->dim;
    TVGP__TRY(tvgp__policy_mean_at(p, SIZE_MAX, b->x, &b->prior));
    b->x[dim] = b->prior;
    b->waits = tvgp__policy_choices(p) || p->terms.safe.keep || !tvgp__action_set_bounds(p->within, dim, b->x);
    return p->ops->predict(p, t, 1, b->x, &(tvgp__predictive_values){.mean = &b->mean, .var = var});
}

static double most_of(const tvgp_policy *p, const incumbent *b) {
    return tvgp__valid_range_cap(tvgp__policy_reward(p, b->prior + b->mean + b->sd));
}

/* Whether an action of these moments, prior mean included, may cost too much. */
static int refuses(const tvgp_policy *p, const incumbent *b, double mean, double sd) {
    const double most = most_of(p, b), lost = most - tvgp__policy_reward(p, mean - sd);
    return isfinite(b->max_loss_share) && b->spent + lost > b->max_loss_share * (b->worth + fabs(most));
}

static const tvgp__guard_draws *shares_of(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->draws;
}

/* Whether the exploration floor may replace the policy's choice by a draw. */
static int draws(const tvgp_policy *p) {
    return shares_of(p)->floor > 0 || shares_of(p)->holdout > 0;
}

void tvgp__conservative_note_own(tvgp_policy *p, size_t own) {
    incumbent *b = incumbent_of(p);
    if (b)
        b->own_choice = own;
}

static tvgp_status find_refused(tvgp_policy *p, incumbent *b, double t) {
    const size_t n = p->domain->n;
    const uint8_t *mask = p->available.mask;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, n, 1, &b->refused, &b->refused_slots));
    TVGP__TRY(tvgp__memory_reserve(p->ctx, 2 * n, sizeof *b->moments, &b->moments, &b->moment_slots));
    TVGP__TRY(p->ops->at(p, t, n, NULL, b->moments, b->moments + n));
    b->n_refused = 0;
    for (size_t i = 0; i < n; i++) {
        const double mean = tvgp__mean_function_at(&p->mean, i) + b->moments[i], sd = sqrt(fmax(b->moments[n + i], 0));
        b->refused[i] = (!mask || mask[i]) && i != b->arm && refuses(p, b, mean, sd);
        b->n_refused += b->refused[i];
    }
    return TVGP_OK;
}

/* Returns the probability that an ask results in an available incumbent, which replaces every refused action. 0: unknown. */
static double probability(const tvgp_policy *p, const incumbent *b, double propensity) {
    const tvgp__guard_draws *c = shares_of(p);
    if (!draws(p))
        return propensity < 1 ? 0 : 1; /* other draws may come to it too */
    if (b->own_choice == SIZE_MAX)
        return 0;
    const int here = b->own_choice == b->arm || b->refused[b->own_choice];
    return c->floor * (double)(b->n_refused + 1) / (double)p->available.count + c->holdout +
           (1 - c->floor - c->holdout) * here;
}

static tvgp_status open_ask(tvgp__guard *g, tvgp_policy *p, double t, int asks) {
    incumbent *b = (incumbent *)g;
    double var = 0;
    if (!asks)
        return TVGP_OK;
    TVGP__TRY(on_box(p) ? predict_point(p, b, t, &var) : predict_arm(p, b, t, &var));
    b->sd = sqrt(fmax(var, 0));
    return !b->waits && !on_box(p) && draws(p) ? find_refused(p, b, t) : TVGP_OK;
}

static int is_incumbent(const incumbent *b, const tvgp_policy *p, size_t arm, const double *x) {
    return on_box(p) ? !memcmp(x, b->x, p->domain->dim * sizeof *x) : arm / contexts_of(p) == b->action;
}

/* A value of the process as a reward; sd becomes that of the reward, to first order. */
static double reward_of(const tvgp_policy *p, double z, double *sd) {
    *sd = tvgp__valid_range_cap(*sd * tvgp__policy_reward_slope(p, z));
    return tvgp__valid_range_cap(tvgp__policy_reward(p, z));
}

static void judge_one(incumbent *b, const tvgp_policy *p, tvgp__chosen *choice) {
    if (choice->kind == TVGP_ACTION && on_box(p)) {
        b->own_sd = choice->sd;
        b->own = reward_of(p, choice->x[p->domain->dim] + choice->mean, &b->own_sd);
    }
    if (b->waits || choice->kind != TVGP_ACTION)
        return;
    const double known = probability(p, b, choice->propensity);
    if (is_incumbent(b, p, choice->index, choice->x)) {
        choice->propensity = known;
        return;
    }
    const double base = on_box(p) ? choice->x[p->domain->dim] : tvgp__mean_function_at(&p->mean, choice->index);
    if (!refuses(p, b, base + choice->mean, choice->sd))
        return;
    tvgp__guard_replace(choice, on_box(p) ? SIZE_MAX : b->arm, on_box(p) ? b->x : NULL, b->prior, b->mean, b->sd);
    choice->propensity = known;
    b->turns++;
}

static tvgp_status judge(tvgp__guard *g, tvgp_policy *p, tvgp_status status, size_t n, tvgp__chosen *choice, int *again) {
    (void)again;
    for (size_t i = 0; i < n; i++)
        judge_one((incumbent *)g, p, &choice[i]);
    return status;
}

/* ---- what it costs ---------------------------------------------------------------------------------------------- */

static int is_own(const incumbent *b, const tvgp_policy *p, const tvgp__ticket *ticket) {
    const double *x = on_box(p) ? tvgp__query_points_ticket(p, ticket) : NULL;
    return ticket->kind == TVGP_ACTION && !is_incumbent(b, p, ticket->arm, x);
}

/* The lower bound of an action's value at its ask. */
static double least_of(const tvgp_policy *p, const tvgp__ticket *ticket) {
    return tvgp__policy_reward(p, ticket->prior_mean + ticket->extra + ticket->mean - ticket->sd);
}

static void spend(incumbent *b, double more) {
    b->spent = tvgp__valid_range_cap(b->spent + more);
}

/* The mean of an outcome of the incumbent, its noise included, and the posterior standard deviation. */
static void expect(const tvgp_policy *p, incumbent *b, double noise) {
    const tvgp__outcome_ops *type = tvgp__policy_outcome(p);
    double mean = tvgp__policy_turn(p, b->prior + b->mean), known = mean, var = b->sd * b->sd, all = var + noise;
    tvgp__outcome_show(type, 1, &known, &var);
    tvgp__outcome_show(type, 1, &mean, &all);
    b->expected = tvgp__valid_range_cap(tvgp__policy_turn(p, mean));
    b->spread = tvgp__valid_range_cap(sqrt(var));
}

static void asked(tvgp__guard *g, tvgp_policy *p, tvgp__ticket *ticket) {
    incumbent *b = (incumbent *)g;
    if (ticket->kind != TVGP_ACTION)
        return;
    b->most = most_of(p, b);
    expect(p, b, ticket->noise);
    b->worth = tvgp__valid_range_cap(b->worth + fabs(b->most));
    if (is_own(b, p, ticket))
        spend(b, b->most - least_of(p, ticket));
}

/* Adds the advantage y - expected of an own choice to the running mean and sum of squares (Welford). */
static void count_gain(incumbent *b, double y) {
    const double off = y - b->expected - b->gain.mean, n = (double)++b->gain.n;
    b->gain.mean = tvgp__valid_range_cap(b->gain.mean + off / n);
    b->gain.square = tvgp__valid_range_cap(b->gain.square + off * (y - b->expected - b->gain.mean));
    b->gain.var = tvgp__valid_range_cap(b->gain.var + (b->spread * b->spread - b->gain.var) / n);
}

/* Of what was not done the incumbent would have been worth what it is now, nearly. */
static void observed(tvgp__guard *g, tvgp_policy *p, size_t output, const tvgp__answer *a) {
    incumbent *b = (incumbent *)g;
    const tvgp__ticket *ticket = a->ticket;
    const int outcome = tvgp__policy_reported(a);
    if (output || !ticket || ticket->kind != TVGP_ACTION || ticket->step <= b->since || outcome == TVGP_SKIPPED)
        return;
    if (outcome != TVGP_VALUE)
        b->worth = fmax(0, b->worth - fabs(b->most));
    if (!is_own(b, p, ticket))
        return;
    const double y = tvgp__policy_reward(p, a->y);
    spend(b, least_of(p, ticket) - (outcome == TVGP_VALUE ? y : b->most));
    if (outcome == TVGP_VALUE)
        count_gain(b, y);
}

/* ---- statistics: 0 without an incumbent --------------------------------------------------------------------------- */

TVGP__POLICY_STAT_OF(turns, incumbent, b, incumbent_of(p), b->turns, 0)
TVGP__POLICY_STAT_OF(spent, incumbent, b, incumbent_of(p), b->spent, 0)
TVGP__POLICY_STAT_OF(gain, incumbent, b, incumbent_of(p), b->gain.mean, 0)

static double left(const tvgp_policy *p) {
    const incumbent *b = incumbent_of(p);
    if (b && isinf(b->max_loss_share))
        return INFINITY;
    return b ? b->max_loss_share * b->worth - b->spent : 0;
}

/* The sample gives no variance before the second outcome. */
static double gain_error(const tvgp_policy *p) {
    const incumbent *b = incumbent_of(p);
    if (!b || b->gain.n < 2)
        return b ? INFINITY : 0;
    const double n = (double)b->gain.n;
    return sqrt(b->gain.square / (n - 1) / n + b->gain.var);
}

/* Mean and variance of an action on average over its contexts, from those of all arms. */
static void average(const tvgp_policy *p, size_t action, const double *mean, const double *var, double *m, double *v) {
    const size_t each = contexts_of(p);
    *m = *v = 0;
    for (size_t a = action * each; a < (action + 1) * each; a++) {
        *m += (tvgp__mean_function_at(&p->mean, a) + mean[a]) / (double)each;
        *v += var[a] / (double)(each * each);
    }
}

/* The reward of the action of highest posterior mean less that of the incumbent, and the standard error if both are independent. */
static tvgp_status compare_arms(const tvgp_policy *p, const incumbent *b, double *gain, double *error) {
    const size_t n = p->domain->n;
    double *mean = NULL, most = -INFINITY, its = 0, m, v;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, 2 * sizeof *mean, &mean));
    const tvgp_status status = p->ops->at(p, p->clock, n, NULL, mean, mean + n);
    for (size_t i = 0; status == TVGP_OK && i < n / contexts_of(p); i++) {
        average(p, i, mean, mean + n, &m, &v);
        its = m > most ? v : its;
        most = fmax(most, m);
    }
    if (status == TVGP_OK) {
        average(p, b->action, mean, mean + n, &m, &v);
        double sd[2] = {sqrt(fmax(its, 0)), sqrt(fmax(v, 0))};
        *gain = reward_of(p, most, &sd[0]) - reward_of(p, m, &sd[1]);
        *error = *gain > 0 ? sqrt(sd[0] * sd[0] + sd[1] * sd[1]) : 0;
    }
    tvgp__memory_free(p->ctx, mean);
    return status;
}

static double possible(const tvgp_policy *p, int error) {
    const incumbent *b = incumbent_of(p);
    double out[2] = {0, 0};
    if (!b || !p->started || p->clock == -INFINITY)
        return 0;
    if (!on_box(p))
        return compare_arms(p, b, &out[0], &out[1]) < 0 ? (error ? INFINITY : 0) : out[error];
    double sd = b->sd;
    const double its = reward_of(p, b->prior + b->mean, &sd);
    if (b->own <= its)
        return 0;
    return error ? sqrt(b->own_sd * b->own_sd + sd * sd) : b->own - its;
}

static double possible_gain(const tvgp_policy *p) {
    return possible(p, 0);
}

static double possible_gain_error(const tvgp_policy *p) {
    return possible(p, 1);
}

static const tvgp__stat stats[] = {
    {"incumbent.asked", TVGP__TEXT("Number of actions asked of the incumbent instead of the policy's own choice."), turns,
     TVGP_STAT_COUNTER, ""},
    {"incumbent.loss", TVGP__TEXT("Cumulative loss of own choices against the incumbent. Below 0: a gain."), spent,
     TVGP_STAT_DIAGNOSTIC, "reward"},
    {"incumbent.loss_left",
     TVGP__TEXT(
         "Loss against the incumbent that is still accepted: max_loss_share of the incumbent's cumulative reward, less "
         "incumbent.loss."),
     left, TVGP_STAT_DIAGNOSTIC, "reward"},
    {"incumbent.gain",
     TVGP__TEXT("Mean advantage of own choices over the incumbent's posterior mean at the newest ask. Below 0: worse."),
     gain, TVGP_STAT_DIAGNOSTIC, "reward"},
    {"incumbent.gain_error", TVGP__TEXT("Standard error of incumbent.gain. inf: fewer than two outcomes of own choices."),
     gain_error, TVGP_STAT_DIAGNOSTIC, "reward"},
    {"incumbent.possible_gain",
     TVGP__TEXT(
         "Advantage of the best fixed action over the incumbent by present posterior means (on a box: of the policy's own "
         "choice at the newest ask). 0: the incumbent is the best."),
     possible_gain, TVGP_STAT_DIAGNOSTIC, "reward"},
    {"incumbent.possible_gain_error",
     TVGP__TEXT("Standard error of incumbent.possible_gain, with both actions as independent."), possible_gain_error,
     TVGP_STAT_DIAGNOSTIC, "reward"},
};

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

static void visit(tvgp__guard *g, tvgp_policy *p, tvgp__visit *v) {
    const double most = TVGP__VISIT_MOST;
    const size_t actions = on_box(p) ? 1 : p->domain->n / contexts_of(p);
    incumbent *b = (incumbent *)g;
    if (tvgp__visit_loads(v) && !tvgp__visit_try(v, tvgp__guard_refuse(p, &tvgp__conservative_ops)))
        return;
    tvgp__visit_real(v, &b->max_loss_share, 0, INFINITY);
    tvgp__visit_real(v, &b->spent, -most, most);
    tvgp__visit_real(v, &b->worth, 0, most);
    tvgp__visit_tally(v, &b->since);
    tvgp__visit_tally(v, &b->turns);
    tvgp__visit_indices(v, 1, &b->action, actions);
    tvgp__visit_real(v, &b->most, -most, most);
    tvgp__visit_real(v, &b->expected, -most, most);
    tvgp__visit_real(v, &b->spread, 0, most);
    tvgp__visit_tally(v, &b->gain.n);
    tvgp__visit_real(v, &b->gain.mean, -most, most);
    tvgp__visit_real(v, &b->gain.square, 0, most);
    tvgp__visit_real(v, &b->gain.var, 0, most);
    if (!on_box(p))
        return;
    tvgp__visit_real(v, &b->own, -most, most);
    tvgp__visit_real(v, &b->own_sd, 0, most);
    tvgp__visit_real(v, &b->prior, -most, most);
    tvgp__visit_real(v, &b->mean, -most, most);
    tvgp__visit_real(v, &b->sd, 0, most);
    tvgp__visit_reals(v, p->domain->dim, b->x, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && !p->domain->ops->contains(p->domain, b->x))
        tvgp__visit_refuse(v, "the incumbent is not a point of the domain");
}

static void release(tvgp__guard *g, tvgp_policy *p) {
    tvgp__memory_free(p->ctx, ((incumbent *)g)->refused);
    tvgp__memory_free(p->ctx, ((incumbent *)g)->moments);
    tvgp__memory_free(p->ctx, g);
}

const tvgp__guard_ops tvgp__conservative_ops = {.name = "INCB",
                                                .size = sizeof(incumbent),
                                                .doc = "incumbent",
                                                .refuses = TVGP__GUARD_CONTEXTS | TVGP__GUARD_SHARED | TVGP__GUARD_NO_MODEL |
                                                           TVGP__GUARD_WEIGHTS,
                                                .stats = stats,
                                                .n_stats = sizeof stats / sizeof *stats,
                                                .check = check_choice,
                                                .open = open_ask,
                                                .judge = judge,
                                                .asked = asked,
                                                .observed = observed,
                                                .visit = visit,
                                                .release = release};

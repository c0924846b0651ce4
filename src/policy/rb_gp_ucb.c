/* SPDX-License-Identifier: MIT */
/* Regret balancing (Ziomek, Adachi, Osborne, app. D; Pacchiano et al. 2020): the least used living prior chooses. With
 *   L_p = mean(y) - sqrt(xi_t / n_p) over the n_p actions of prior p,
 * p survives, once every living prior has had a turn, if
 *   L_p + mean(coefficient sd) + 2 sqrt(xi_t / n_p) >= max L    (rb.rule theory; printed drops the last term on the left). */
#include "base/error.h"
#include "policy/builtin.h"
#include "policy/priors/multi_prior_ucb.h"

#include <math.h>

typedef struct {
    tvgp__multi_prior_ucb_config priors;
    int32_t rule;
} config;

enum { THEORY, PRINTED };
static const char *const rules[] = {"theory", "printed", NULL};
static const tvgp__option own[] = {
    {"rb.rule", TVGP_STR, 0, offsetof(config, rule), THEORY, 0, 0, rules,
     TVGP__TEXT("Test by which a prior survives: theory: the regret bound; printed: as the paper prints it.")},
};

static size_t least_used(const tvgp__multi_prior_ucb *s) {
    size_t least = s->models.count;
    for (size_t i = 0; i < s->models.count; i++)
        if (tvgp__multi_prior_ucb_alive(s, i) && (least == s->models.count || s->record[i].chosen < s->record[least].chosen))
            least = i;
    return least;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__chosen *out, size_t *n) {
    (void)cap;
    *n = 1;
    return tvgp__multi_prior_ucb_ask_one(p, t, least_used(p->state), out);
}

/* L_p; -infinity before its first turn. */
static double lower(const tvgp__prior_record *r, double xi) {
    return r->answered > 0 ? r->reward / r->answered - sqrt(xi / r->answered) : -INFINITY;
}

static void balance(tvgp_policy *p, double xi, double t) {
    const config *c = p->config;
    tvgp__multi_prior_ucb *s = p->state;
    double best = -INFINITY;
    for (size_t i = 0; i < s->models.count; i++) {
        if (!tvgp__multi_prior_ucb_alive(s, i))
            continue;
        if (!(s->record[i].answered > 0))
            return;
        best = fmax(best, lower(&s->record[i], xi));
    }
    for (size_t i = 0; i < s->models.count; i++) {
        const tvgp__prior_record *r = &s->record[i];
        if (!tvgp__multi_prior_ucb_alive(s, i))
            continue;
        double slack = c->rule == THEORY ? 2 * sqrt(xi / r->answered) : 0;
        tvgp__multi_prior_ucb_test(p, i, best, lower(r, xi) + r->bonus / r->answered + slack, t);
    }
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    if (tvgp__multi_prior_ucb_credit(p, a))
        balance(p, tvgp__multi_prior_ucb_xi(p, a), a->t);
    tvgp__multi_prior_ucb_take(p, a);
}

static tvgp_status start(tvgp_policy *p) {
    ((tvgp__multi_prior_ucb *)p->state)->of_rewards = 1;
    return tvgp__multi_prior_ucb_start(p);
}

static const tvgp__stat_group stats[] = {TVGP__MULTI_PRIOR_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__MULTI_PRIOR_UCB_GROUPS, TVGP__OPTION_GROUP(own, 0)};

const tvgp__policy_ops tvgp__rb_gp_ucb = {
    TVGP__MULTI_PRIOR_UCB_OPS,
    .name = "rb-gp-ucb",
    .doc = TVGP__TEXT("several priors take turns while their rewards keep up; a baseline"),
    TVGP__POLICY_TABLES(groups, stats),
    .n_series = TVGP__MULTI_PRIOR_UCB_SERIES,
    TVGP__POLICY_SIZES(config, tvgp__multi_prior_ucb),
    .start = start,
    .ask = ask,
    .take = take};

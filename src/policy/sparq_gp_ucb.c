/* SPDX-License-Identifier: MIT */
/* SparQ-GP-UCB (Mauduit, Berthier, Simonetto 2025, alg. 1): a round of side queries after every action. The posterior is
 * fitted to the values of the last round and to own observations of age a while noise (1 + a^2) <= g(t), with that
 * noise. side.action_outcomes chooses g (choose/side_query_rules.h). `excluded` uses the values of side queries alone, as W-SparQ
 * describes it; without any value, own observations serve, as with `log`. A value that is delayed beyond its action
 * counts by its time, with noise (1 + a^2), for the next one. */
#include "policy/builtin.h"
#include "policy/ucb/side_queries.h"

enum { OWN_EXCLUDED, OWN_LOG, OWN_POWER };
static const char *const own_choices[] = {"excluded", "log_noise", "power_noise", NULL};

typedef struct {
    tvgp__side_queries_config expert;
    int32_t own;
    double exponent;
} config;

static const tvgp__option own[] = {
    {"side.action_outcomes", TVGP_STR, 0, offsetof(config, own), OWN_LOG, 0, 0, own_choices,
     TVGP__TEXT(
         "Outcomes of actions used in addition to side queries, with a noise variance of at most g(t): log_noise: g = noise "
         "ln(t); power_noise: g = noise t^side.action_exponent; excluded: used only while no side query has an outcome.")},
    {"side.action_exponent", TVGP_F64, TVGP_OPTION_OPEN_UPPER, offsetof(config, exponent), 0.2, TVGP__VALID_RANGE_LEAST,
     0.25, NULL, TVGP__TEXT("Exponent of g(t) with side.action_outcomes=power_noise.")},
};

/* Whether g(t) at this action admits the observation. */
static int recent(const tvgp_policy *p, const tvgp__observation *datum, double action) {
    const config *c = p->config;
    return tvgp__side_query_rules_keep(c->own == OWN_POWER ? c->exponent : 0, action, tvgp__side_queries_age(p, datum->t));
}

static int uses(const tvgp_policy *p, const tvgp__observation *datum) {
    const tvgp__side_queries *e = p->state;
    const int serves = ((const config *)p->config)->own != OWN_EXCLUDED || e->answers == 0;
    return serves && recent(p, datum, (double)e->as_of);
}

static tvgp_status start(tvgp_policy *p) {
    return tvgp__side_queries_start(p, (tvgp__noise_age){.growth = TVGP__NOISE_AGE_POWER, .alpha = 2}, 0, uses);
}

/* Values, and own observations that some number of steps can bring back within the bound. */
static int wanted(const void *user, const tvgp__observation *datum) {
    return datum->kind == TVGP_SIDE || recent(user, datum, 0x1p53);
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__side_queries *e = p->state;
    tvgp__side_queries_count(p, a);
    if (a->outcome == TVGP_VALUE)
        tvgp__side_queries_take(p, a);
    if (a->kind == TVGP_ACTION) {
        tvgp__observations_keep(&e->log, wanted, p);
        e->due |= a->step > 0;
    }
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__side_queries_visit(p, v);
    tvgp__side_queries_loaded(p, v);
}

static const tvgp__stat_group stats[] = {TVGP__SIDE_QUERIES_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__SIDE_QUERIES_GROUPS, TVGP__OPTION_GROUP(own, 0)};

const tvgp__policy_ops tvgp__sparq_gp_ucb = {
    TVGP__SIDE_QUERIES_OPS,
    .name = "sparq-gp-ucb",
    .doc = TVGP__TEXT("asks an expert side queries after every action; for steady drift"),
    TVGP__POLICY_TABLES(groups, stats),
    TVGP__POLICY_SIZES(config, tvgp__side_queries),
    .defaults = tvgp__side_queries_defaults,
    .start = start,
    .take = take,
    .visit = visit};

/* SPDX-License-Identifier: MIT */
/* SparQ-GP-UCB (Mauduit, Berthier, Simonetto 2025, alg. 1): a round of side queries after every told action; the posterior
 * is fitted to the answers of the last round and, with keep_recent 1, to own observations of age a while noise (1 + a^2) <=
 * noise ln t, with that noise. Answers alone (keep_recent 0) is the account W-SparQ gives of it. Own observations within the
 * limit also serve when nothing was answered. An answer that comes too late for its
 * action counts by its time, with noise (1 + a^2), for the next one. */
#include "base/error.h"
#include "play/expert.h"
#include "policy/builtin.h"

#include <math.h>

typedef struct {
    tvgp__expert_config expert;
    int64_t keep_recent;
} config;

static const tvgp__option own[] = {
    {"keep_recent", TVGP_I64, 0, offsetof(config, keep_recent), 1, 0, 1, NULL,
     "1: recent own observations beside the answers; 0: answers alone"},
};

static int recent(const tvgp_policy *p, const tvgp__record *datum, double steps) {
    const double age = tvgp__expert_age(p, datum->t);
    return 1 + age * age <= log(steps);
}

static int uses(const tvgp_policy *p, const tvgp__record *datum) {
    int serves = ((const config *)p->config)->keep_recent || ((const tvgp__expert *)p->state)->answers == 0;
    return serves && recent(p, datum, (double)((const tvgp__expert *)p->state)->as_of);
}

static tvgp_status start(tvgp_policy *p) {
    return tvgp__expert_start(p, (tvgp__age){.growth = TVGP__AGE_POWER, .alpha = 2}, uses);
}

/* Answers, and own observations that some number of steps can bring back within the limit. */
static int wanted(const void *user, const tvgp__record *datum) {
    return datum->kind == TVGP_SIDE || recent(user, datum, 0x1p53);
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    tvgp__expert *e = p->state;
    tvgp__expert_count(p, a);
    if (a->outcome == TVGP_VALUE)
        tvgp__expert_take(p, a);
    if (a->kind == TVGP_ACTION) {
        tvgp__log_keep(&e->log, wanted, p);
        e->due |= a->step > 0;
    }
}

static void visit(tvgp_policy *p, tvgp__visit *v) {
    tvgp__expert_visit(p, v);
    tvgp__expert_loaded(p, v);
}

static const tvgp__stat_group stats[] = {TVGP__EXPERT_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__EXPERT_GROUPS, TVGP__OPTION_GROUP(own, 0)};

const tvgp__policy_ops tvgp__sparq_gp_ucb = {TVGP__EXPERT_OPS,
                                             .name = "sparq-gp-ucb",
                                             .doc = "asks an expert side queries after every action; for steady drift",
                                             TVGP__POLICY_TABLES(groups, stats),
                                             TVGP__POLICY_SIZES(config, tvgp__expert),
                                             .defaults = tvgp__expert_defaults,
                                             .start = start,
                                             .take = take,
                                             .visit = visit};

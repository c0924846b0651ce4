/* SPDX-License-Identifier: MIT */
/* PE-GP-UCB (Ziomek, Adachi, Osborne, alg. 1): the most optimistic prior chooses, and dies when what it foretold is refuted,
 *   x_t, p_t = argmax mean_p(x) + width_p sd_p(x) over available arms and living priors,
 *   p_t dies when |sum of y - mean over its turns| > sqrt(xi_t n_p) + sum of width sd over its turns, n_p turns.
 * mean, sd and width are those of the choice. */
#include "base/error.h"
#include "base/memory.h"
#include "frame/choose.h"
#include "play/box_priors.h"
#include "play/prior_ucb.h"
#include "policy/builtin.h"

#include <math.h>

typedef struct {
    tvgp__prior_ucb priors;
    double *best;  /* n: the highest score any living prior gives to the arm */
    size_t *whose; /* n: the prior that gives it */
} state;

static tvgp_status room(tvgp_policy *p, size_t n, state *s) {
    TVGP__TRY(tvgp__memory_alloc(p->ctx, n, sizeof *s->best, &s->best));
    return tvgp__memory_alloc(p->ctx, n, sizeof *s->whose, &s->whose);
}

static void free_room(tvgp_policy *p, state *s) {
    tvgp__memory_free(p->ctx, s->best);
    tvgp__memory_free(p->ctx, s->whose);
}

static tvgp_status start(tvgp_policy *p) {
    TVGP__TRY(tvgp__prior_ucb_start(p));
    return room(p, p->domain->n, p->state);
}

static tvgp_status extend(tvgp_policy *p, const tvgp_domain *larger) {
    state *s = p->state, more = {.best = NULL};
    tvgp_status status = room(p, larger->n, &more);
    if (status == TVGP_OK)
        status = tvgp__prior_ucb_extend(p, larger);
    free_room(p, status < 0 ? &more : s);
    if (status < 0)
        return status;
    s->best = more.best;
    s->whose = more.whose;
    return TVGP_OK;
}

/* Scores within a relative 1e-12 count as tied: lowest prior. */
static void offer(state *s, size_t arms, size_t i, int first) {
    const double *score = s->priors.ucb.score;
    for (size_t a = 0; a < arms; a++)
        if (first || score[a] > s->best[a] + 1e-12 * fabs(s->best[a])) {
            s->best[a] = score[a];
            s->whose[a] = i;
        }
}

static tvgp__belief *posterior(const tvgp_policy *p, size_t i) {
    const tvgp__prior_ucb *s = p->state;
    return s->models.list[tvgp__prior_ucb_living(s, i)].posterior;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out, size_t *n) {
    state *s = p->state;
    int first = 1;
    (void)cap;
    *n = 1;
    if (p->within)
        return tvgp__box_priors_play_best(p, t, out);
    TVGP__TRY(tvgp__prior_ucb_begin(p, t));
    for (size_t i = 0; i < s->priors.models.count; i++)
        if (tvgp__prior_ucb_alive(&s->priors, i)) {
            tvgp__prior_ucb_score(p, i);
            offer(s, p->domain->n, i, first);
            first = 0;
        }
    tvgp__choice best = tvgp__choose_action(p, s->best, s->whose, posterior);
    tvgp__prior_ucb_choose(p, tvgp__prior_ucb_living(&s->priors, best.tag), best.arm, best.score, out);
    return TVGP_OK;
}

static void take(tvgp_policy *p, const tvgp__answer *a) {
    const tvgp__prior_record *r = tvgp__prior_ucb_credit(p, a);
    if (r)
        tvgp__prior_ucb_test(p, a->prior, fabs(r->error), sqrt(tvgp__prior_ucb_xi(p, a) * r->answered) + r->bonus, a->t);
    tvgp__prior_ucb_take(p, a);
}

static void release(tvgp_policy *p) {
    free_room(p, p->state);
    tvgp__prior_ucb_release(p);
}

static const tvgp__stat_group stats[] = {TVGP__PRIOR_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__PRIOR_UCB_GROUPS};

const tvgp__policy_ops tvgp__pe_gp_ucb = {
    TVGP__PRIOR_UCB_OPS,
    .name = "pe-gp-ucb",
    .doc = "several priors, the most optimistic chooses until it is refuted; for an unknown kernel, mean or rate",
    TVGP__POLICY_TABLES(groups, stats),
    .n_series = TVGP__PRIOR_UCB_SERIES,
    TVGP__POLICY_SIZES(tvgp__prior_ucb_config, state),
    .start = start,
    .extend = extend,
    .ask = ask,
    .take = take,
    .release = release,
    .visit = tvgp__prior_ucb_visit};

/* SPDX-License-Identifier: MIT */
/* The asks of the policies with several priors: which posteriors are terms of what is maximised. */
#include "base/error.h"
#include "policy/priors/multi_prior_ucb.h"
#include "policy/ucb/maximise.h"
#include "protocol/before_start.h"
#include "protocol/prior.h"

#include <math.h>

static tvgp__posterior *posterior(const tvgp_policy *p, size_t i) {
    const tvgp__multi_prior_ucb *s = p->state;
    return s->models.list[tvgp__multi_prior_ucb_living(s, i)].posterior;
}

static void fill_in(const tvgp_policy *p, size_t i, double weight, tvgp__rule_term *term) {
    term->posterior = posterior(p, i);
    term->mean = tvgp__prior_mean_of(p, i);
    term->weight = weight;
}

/* All that weigh anything, in the policy's list of terms; their number. */
static size_t all_terms(tvgp_policy *p, size_t credited_prior, size_t *its_term) {
    tvgp__multi_prior_ucb *s = p->state;
    size_t n = 0;
    for (size_t i = 0; i < s->models.count; i++) {
        if (i == credited_prior)
            *its_term = n;
        if (s->weight[i] > 0)
            fill_in(p, i, s->weight[i], &s->term[n++]);
    }
    return n;
}

/* ---- what is chosen ---------------------------------------------------------------------------------------------- */

/* By prior i. */
static tvgp_status choose_one(tvgp_policy *p, double t, size_t i, tvgp__chosen *out) {
    tvgp__rule_term term;
    fill_in(p, i, 1, &term);
    return tvgp__maximise_choose(p, t, 1, &term, 0, i, out);
}

/* By the living prior that finds the most, from `first` on. */
static tvgp_status choose_best(tvgp_policy *p, double t, size_t first, tvgp__chosen *out) {
    const tvgp__multi_prior_ucb *s = p->state;
    tvgp__chosen one;
    TVGP__TRY(choose_one(p, t, first, out));
    for (size_t i = first + 1; i < s->models.count; i++) {
        if (!tvgp__multi_prior_ucb_alive(s, i))
            continue;
        one.x = out->x;
        TVGP__TRY(choose_one(p, t, i, &one));
        out->scores = one.scores = NULL; /* they have been written over */
        if (one.net > (isinf(out->net) ? out->net : out->net + TVGP__RULE_TIE * fabs(out->net)))
            *out = one;
    }
    one.x = out->x;
    return p->work.wanted ? choose_one(p, t, out->prior, &one) : TVGP_OK; /* the scores of the prior that chose */
}

static tvgp_status choose_mean(tvgp_policy *p, double t, size_t credited_prior, tvgp__chosen *out) {
    size_t credited = 0, n = all_terms(p, credited_prior, &credited);
    return tvgp__maximise_choose(p, t, n, ((const tvgp__multi_prior_ucb *)p->state)->term, credited, credited_prior, out);
}

/* ---- asks -------------------------------------------------------------------------------------------------------- */

tvgp_status tvgp__multi_prior_ucb_reach(tvgp_policy *p) {
    const tvgp__multi_prior_ucb *s = p->state;
    TVGP__TRY(tvgp__maximise_open(p));
    for (size_t i = 0; s->ucb.pending.n && i < s->models.count; i++)
        if (tvgp__multi_prior_ucb_alive(s, i))
            TVGP__TRY(tvgp__posterior_reach(s->models.list[i].posterior, &s->ucb.pending));
    return TVGP_OK;
}

static void move(tvgp_policy *p, double t) {
    tvgp__outlier_monitor_ask(p, t);
    if (p->priors.own && p->priors.n == 1 && p->counts.asked == 0)
        tvgp__context_log(p->ctx, "%s: no prior was added, so it does what gp-ucb does (tvgp_policy_add_prior adds one)",
                          p->ops->name);
    tvgp__models_advance(&((tvgp__multi_prior_ucb *)p->state)->models, t);
}

/* It was chosen. */
static void complete(tvgp_policy *p, tvgp__chosen *chosen) {
    tvgp__multi_prior_ucb *s = p->state;
    tvgp__maximise_agree(p, chosen, posterior);
    s->spoke = tvgp__multi_prior_ucb_living(s, chosen->prior);
    s->ucb.posterior = s->models.list[s->spoke].posterior;
    s->record[s->spoke].chosen++;
    tvgp__maximise_complete(p, chosen);
}

/* A whole ask; on arms nothing fails any more once the pending actions are within reach. */
static tvgp_status ask(tvgp_policy *p, double t, size_t i, tvgp__chosen *out,
                       tvgp_status (*choose)(tvgp_policy *, double t, size_t i, tvgp__chosen *)) {
    const int arms = !((const tvgp__ucb *)p->state)->box_search;
    out->x = NULL;
    TVGP__TRY(tvgp__multi_prior_ucb_reach(p));
    if (arms)
        move(p, t);
    TVGP__TRY(choose(p, t, i, out));
    complete(p, out);
    if (!arms)
        move(p, t);
    if (!arms && p->counts.asked % TVGP__UCB_PRUNE_EVERY == 0)
        tvgp__models_prune(&((tvgp__multi_prior_ucb *)p->state)->models);
    return TVGP_OK;
}

static tvgp_status maintain(tvgp_policy *p, int64_t since, tvgp__maintenance what) {
    if (what == TVGP__MAINTAIN_KEEP && tvgp__ucb_prunes(p, since))
        tvgp__models_prune(&((tvgp__multi_prior_ucb *)p->state)->models);
    return TVGP_OK;
}

static void rebind(tvgp_policy *p) {
    ((tvgp__multi_prior_ucb *)p->state)->models.policy = p;
}

const tvgp__policy_model tvgp__multi_prior_ucb_model = {
    .maintain = maintain, .noise = tvgp__ucb_noise, .posterior = tvgp__ucb_posterior, .several = 1, .rebind = rebind};

tvgp_status tvgp__multi_prior_ucb_ask_one(tvgp_policy *p, double t, size_t i, tvgp__chosen *out) {
    return ask(p, t, i, out, choose_one);
}

tvgp_status tvgp__multi_prior_ucb_ask_best(tvgp_policy *p, double t, tvgp__chosen *out) {
    return ask(p, t, tvgp__multi_prior_ucb_living(p->state, 0), out, choose_best);
}

tvgp_status tvgp__multi_prior_ucb_ask_mean(tvgp_policy *p, double t, size_t credited_prior, tvgp__chosen *out) {
    return ask(p, t, credited_prior, out, choose_mean);
}

tvgp_status tvgp__multi_prior_ucb_best(tvgp_policy *p, double t, double *x) {
    const tvgp__ucb_config *c = p->config;
    size_t none = 0;
    if (!p->state)
        return tvgp__before_start_best(p, &c->box.search, (uint64_t)c->common.seed, x);
    const size_t n = all_terms(p, SIZE_MAX, &none);
    return tvgp__maximise_best(p, t, n, ((const tvgp__multi_prior_ucb *)p->state)->term, x);
}

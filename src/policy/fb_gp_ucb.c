/* SPDX-License-Identifier: MIT */
/* Fully Bayesian GP-UCB (Ziomek, Adachi, Osborne, sec. 7): the scores of all priors, averaged with the weights
 * exp(log evidence), normalised. The heaviest prior counts as the one that chose. */
#include "base/error.h"
#include "base/memory.h"
#include "frame/choose.h"
#include "play/box_priors.h"
#include "play/prior_ucb.h"
#include "policy/builtin.h"
#include "search/argmax.h"

typedef struct {
    tvgp__prior_ucb priors;
    double *total; /* n: weighted score */
} state;

static tvgp_status start(tvgp_policy *p) {
    TVGP__TRY(tvgp__prior_ucb_start(p));
    return tvgp__memory_alloc(p->ctx, p->domain->n, sizeof(double), &((state *)p->state)->total);
}

static tvgp_status extend(tvgp_policy *p, const tvgp_domain *larger) {
    double **total = &((state *)p->state)->total, *more = NULL;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, larger->n, sizeof *more, &more));
    tvgp_status status = tvgp__prior_ucb_extend(p, larger);
    tvgp__memory_free(p->ctx, status < 0 ? more : *total);
    if (status == TVGP_OK)
        *total = more;
    return status;
}

static tvgp_status ask(tvgp_policy *p, double t, size_t cap, tvgp__proposal *out, size_t *n) {
    state *s = p->state;
    size_t arms = p->domain->n, count = s->priors.models.count, heaviest = tvgp__argmax_of(count, s->priors.weight, NULL);
    (void)cap;
    *n = 1;
    if (p->within)
        return tvgp__box_priors_play_mean(p, t, heaviest, out);
    TVGP__TRY(tvgp__prior_ucb_begin(p, t));
    for (size_t a = 0; a < arms; a++)
        s->total[a] = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = s->priors.weight[i];
        if (!(weight > 0))
            continue;
        tvgp__prior_ucb_score(p, i);
        for (size_t a = 0; a < arms; a++)
            s->total[a] += weight * s->priors.ucb.score[a];
    }
    s->priors.ucb.posterior = s->priors.models.list[heaviest].posterior;
    tvgp__choice best = tvgp__choose_action(p, s->total, NULL, tvgp__ucb_posterior);
    tvgp__prior_ucb_choose(p, heaviest, best.arm, best.score, out);
    return TVGP_OK;
}

static void release(tvgp_policy *p) {
    tvgp__memory_free(p->ctx, ((state *)p->state)->total);
    tvgp__prior_ucb_release(p);
}

static const tvgp__stat_group stats[] = {TVGP__PRIOR_UCB_STAT_GROUPS};
static const tvgp__option_group groups[] = {TVGP__PRIOR_UCB_GROUPS};

const tvgp__policy_ops tvgp__fb_gp_ucb = {TVGP__PRIOR_UCB_OPS,
                                          .name = "fb-gp-ucb",
                                          .doc = "several priors, their scores averaged by evidence; a baseline",
                                          TVGP__POLICY_TABLES(groups, stats),
                                          .n_series = TVGP__PRIOR_UCB_BELIEFS,
                                          TVGP__POLICY_SIZES(tvgp__prior_ucb_config, state),
                                          .start = start,
                                          .extend = extend,
                                          .ask = ask,
                                          .take = tvgp__prior_ucb_take,
                                          .release = release,
                                          .visit = tvgp__prior_ucb_visit};

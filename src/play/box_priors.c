/* SPDX-License-Identifier: MIT */
#include "play/box_priors.h"

#include "base/error.h"
#include "frame/before.h"
#include "frame/choose.h"
#include "frame/prior.h"
#include "play/box_ucb.h"
#include "search/argmax.h"

#include <math.h>
#include <string.h>

static tvgp_status join(tvgp_policy *p, size_t i, double weight, double t, int asks) {
    tvgp__belief *posterior = ((const tvgp__prior_ucb *)p->state)->models.list[i].posterior;
    const tvgp__box_part part = {posterior, posterior, tvgp__prior_mean_of(p, i), weight};
    return tvgp__box_score_join(p, &part, t, asks);
}

/* All that weigh anything; *term is that of `spokesman`, which does. */
static tvgp_status join_all(tvgp_policy *p, double t, int asks, size_t spokesman, size_t *term) {
    const tvgp__prior_ucb *s = p->state;
    for (size_t i = 0; i < s->models.count; i++) {
        if (i == spokesman)
            *term = s->ucb.box->terms;
        if (s->weight[i] > 0)
            TVGP__TRY(join(p, i, s->weight[i], t, asks));
    }
    return TVGP_OK;
}

/* Nothing failed. */
static void end(tvgp_policy *p, double t, const double *x, tvgp__proposal *out) {
    const tvgp__prior_ucb *s = p->state;
    tvgp__prior_ucb_speak(p, out->prior);
    tvgp__box_ucb_end(p, x, out);
    tvgp__prior_ucb_move(p, t);
    if (p->asked % TVGP__UCB_PRUNE_EVERY == 0)
        tvgp__models_prune(&s->models);
}

/* What prior i alone would choose. */
static tvgp_status choose(tvgp_policy *p, double t, size_t i, double *x, tvgp__proposal *out) {
    tvgp__box_ucb_open(p);
    TVGP__TRY(join(p, i, 1, t, 1));
    TVGP__TRY(tvgp__box_ucb_choose(p, 0, x, out));
    out->prior = (uint32_t)i;
    return TVGP_OK;
}

static tvgp_status finish(tvgp_policy *p, double t, const double *x, tvgp__proposal *out, tvgp_status status) {
    tvgp__box_score_clear(p);
    if (status == TVGP_OK)
        end(p, t, x, out);
    return status;
}

static tvgp_status play_alone(tvgp_policy *p, double t, size_t i, tvgp__proposal *out) {
    double x[TVGP__SPACE_MOST + 1];
    return finish(p, t, x, out, choose(p, t, i, x, out));
}

tvgp_status tvgp__prior_ucb_play(tvgp_policy *p, double t, size_t i, tvgp__proposal *out) {
    tvgp__prior_ucb *s = p->state;
    if (p->within)
        return play_alone(p, t, i, out);
    TVGP__TRY(tvgp__prior_ucb_begin(p, t));
    tvgp__prior_ucb_score(p, i);
    tvgp__choice best = tvgp__choose_action(p, s->ucb.score, NULL, tvgp__ucb_posterior);
    tvgp__prior_ucb_choose(p, i, best.arm, best.score, out);
    return TVGP_OK;
}

/* What is asked is the best less what moving there costs. */
static double net(const tvgp_policy *p, const tvgp__proposal *one, const double *x) {
    const tvgp__box_ucb *box = ((const tvgp__ucb *)p->state)->box;
    if (p->domain->total)
        return one->score - tvgp__switch_charged(p, one->arm);
    return one->score - (box->anchored ? tvgp__switch_cost(p, box->anchor, x) : 0);
}

static tvgp_status choose_best(tvgp_policy *p, double t, double *x, tvgp__proposal *out) {
    const tvgp__prior_ucb *s = p->state;
    double own[TVGP__SPACE_MOST + 1], most = 0;
    tvgp__proposal one;
    for (size_t i = 0, first = 1; i < s->models.count; i++) {
        if (!tvgp__prior_ucb_alive(s, i))
            continue;
        TVGP__TRY(choose(p, t, i, own, &one));
        const double value = net(p, &one, own);
        if (!first && !(value > most + TVGP__ARGMAX_TIE * fabs(most)))
            continue;
        first = 0;
        most = value;
        *out = one;
        memcpy(x, own, (p->domain->dim + 1) * sizeof *x);
    }
    return TVGP_OK;
}

tvgp_status tvgp__box_priors_play_best(tvgp_policy *p, double t, tvgp__proposal *out) {
    double x[TVGP__SPACE_MOST + 1];
    return finish(p, t, x, out, choose_best(p, t, x, out));
}

static tvgp_status choose_mean(tvgp_policy *p, double t, size_t spokesman, double *x, tvgp__proposal *out) {
    size_t term = 0;
    tvgp__box_ucb_open(p);
    TVGP__TRY(join_all(p, t, 1, spokesman, &term));
    TVGP__TRY(tvgp__box_ucb_choose(p, term, x, out));
    out->prior = (uint32_t)spokesman;
    return TVGP_OK;
}

tvgp_status tvgp__box_priors_play_mean(tvgp_policy *p, double t, size_t spokesman, tvgp__proposal *out) {
    double x[TVGP__SPACE_MOST + 1];
    return finish(p, t, x, out, choose_mean(p, t, spokesman, x, out));
}

tvgp_status tvgp__prior_ucb_best(tvgp_policy *p, double t, double *x) {
    const tvgp__ucb_config *c = p->config;
    size_t none = 0;
    double value;
    if (!p->state)
        return tvgp__before_best(p, &c->box.search, (uint64_t)c->common.seed, x);
    tvgp__box_score_clear(p);
    tvgp_status status = join_all(p, t, 0, SIZE_MAX, &none);
    if (status == TVGP_OK)
        status = tvgp__box_score_maximise(p, x, &value);
    tvgp__box_score_clear(p);
    return status;
}

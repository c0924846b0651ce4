/* SPDX-License-Identifier: MIT */
/* The choice by one joint draw of the posterior (choose/thompson.h): among arms from columns of the posterior, among
 * candidates from the covariance of a predictive function at all of them, n r^2 + n^2 r flops for n candidates and r
 * rows. Pending actions do not change a draw: draws differ, so several asks spread without them. */
#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "policy/ucb/maximise.h"
#include "protocol/copies/scores_from_copy.h"
#include "protocol/policy_options.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 1024 };      /* at most, that are drawn together */
static const double WIDTH = 0.5; /* of draws of a mixture's filters (docs/policies/auto-gp-ucb.md) */

/* Room for the draws of n arms or candidates. A refit of what a log taught makes sure of it first, and must not be followed by a
 * failure here. */
static tvgp_status make_room(tvgp_policy *p, size_t n) {
    const tvgp__ucb_config *c = p->config;
    tvgp__ucb *u = p->state;
    TVGP__TRY(tvgp__thompson_room(p->ctx, n, p->available.mask, u->posterior->filters, &u->thompson));
    return tvgp__quota_work_once(p->ctx, &u->thompson->paid, u->thompson->m,
                                 TVGP__THOMPSON_DRAWS + (size_t)c->choice.draws + tvgp__scores_from_copy_draws(p));
}

/* A draw reads the columns of all arms. */
static tvgp_status open_arms(tvgp_policy *p) {
    tvgp__ucb *u = p->state;
    TVGP__TRY(make_room(p, p->domain->n));
    u->pending = (tvgp__points){.n = u->thompson->m, .arm = u->thompson->arm};
    return TVGP_OK;
}

static tvgp_status open_candidates(tvgp_policy *p) {
    const size_t n = tvgp__policy_choices(p);
    if (!n)
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'choice' = thompson draws from a finite set, and this domain is a box: "
                               "tvgp_policy_set_candidates makes one that is");
    if (n > CANDIDATES)
        return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT,
                               "option 'choice' = thompson draws all candidates together, and n = %zu exceeds the limit %d",
                               n, (int)CANDIDATES);
    ((const tvgp__ucb *)p->state)->box_search->n_pending = 0;
    return make_room(p, n);
}

tvgp_status tvgp__maximise_open_draw(tvgp_policy *p) {
    const tvgp__policy_config *c = p->config;
    if (tvgp__policy_outcome(p) && (c->moving.jump > 0 || c->moving.way > 0))
        return tvgp__error_set(p->ctx, TVGP_ERR_UNSUPPORTED,
                               "option 'choice' = thompson takes no cost of moving with outcome.type = %s",
                               tvgp__policy_outcome(p)->name);
    return ((const tvgp__ucb *)p->state)->box_search ? open_candidates(p) : open_arms(p);
}

/* The width, if the user set one. */
static double reach_of(const tvgp_policy *p, double width) {
    return tvgp__policy_options_any_set(p, "width.", TVGP__EXPLORATION_SCHEDULE_OPTIONS, tvgp__exploration_schedule_options)
               ? width
               : INFINITY;
}

static void turn(const void *of, double origin, size_t arm, double *draw) {
    const tvgp_policy *p = of;
    tvgp__rule_shift(&p->terms.offsets, origin, arm, 1, draw);
}

/* Of means to a draw. The cost of moving is taken off the means, and so off every draw. */
static void draw(tvgp_policy *p, const tvgp__thompson_covariance *covariance, double width, double origin, double *score) {
    const tvgp__policy_config *c = p->config;
    tvgp__thompson *s = ((tvgp__ucb *)p->state)->thompson;
    s->turn = p->terms.offsets.factor ? turn : NULL; /* a payoff is of a rate, not of a value of the process */
    s->of = p;
    s->origin = origin;
    if (tvgp__scores_from_copy_draws(p)) {
        p->work.wanted->status = tvgp__thompson_count(p->ctx, s, covariance, (uint64_t)c->seed, (uint64_t)p->counts.asked,
                                                      p->work.wanted->draws, score, p->work.wanted->p);
        return;
    }
    if (p->terms.offsets.offset && !s->turn)
        tvgp__rule_shift(&p->terms.offsets, 0, 0, tvgp__policy_choices(p), score);
    tvgp__thompson_score(s, covariance, (uint64_t)c->seed, (uint64_t)p->counts.asked, reach_of(p, width), score);
}

/* ---- arms --------------------------------------------------------------------------------------------------------- */

void tvgp__maximise_draw_arms(tvgp_policy *p, const tvgp__rule_term *term) {
    tvgp__posterior *post = term->posterior;
    double *score = ((tvgp__ucb *)p->state)->score;
    tvgp__posterior_exact(post, post->n, NULL, score, NULL);
    tvgp__mean_function_add(term->mean, post->n, score);
    const tvgp__calibration *calibration = &((const tvgp__ucb *)p->state)->calibration;
    tvgp__thompson_covariance covariance = tvgp__thompson_of_arms(post);
    covariance.mixture = post->ops->draws ? post : NULL;
    covariance.width = WIDTH * (calibration->on ? tvgp__calibration_factor(calibration) : 1);
    draw(p, &covariance, term->width, post->origin, score);
}

/* ---- candidates --------------------------------------------------------------------------------------------------- */

typedef struct {
    size_t n;
    const double *covariance; /* n x n */
} joint;

static void column_of_candidate(void *of, size_t row, double *out) {
    const joint *j = of;
    memcpy(out, j->covariance + row * j->n, j->n * sizeof *out);
}

tvgp_status tvgp__maximise_draw_points(tvgp_policy *p, const tvgp__rule_term *term, size_t n, const double *X, double *var,
                                       double *score) {
    tvgp__maximise *box_search = ((const tvgp__ucb *)p->state)->box_search;
    const tvgp__predictive *predictive = &term->predictive;
    TVGP__TRY(tvgp__memory_reserve(p->ctx, tvgp__memory_product(n, n) + tvgp__predictive_joint_work(predictive, n),
                                   sizeof *box_search->joint, &box_search->joint, &box_search->joint_slots));
    TVGP__TRY(tvgp__predictive_joint(predictive, n, X, box_search->joint + n * n, score, box_search->joint));
    TVGP__TRY(tvgp__policy_mean_actions(p, term->mean, var)); /* not yet the variances */
    for (size_t i = 0; i < n; i++) {
        score[i] += var[i] + tvgp__policy_extra(p, i);
        var[i] = box_search->joint[i * n + i];
    }
    joint j = {.n = n, .covariance = box_search->joint};
    const tvgp__thompson_covariance covariance = {.column = column_of_candidate,
                                                  .of = &j,
                                                  .var = var,
                                                  .largest =
                                                      predictive->spread * predictive->kappa * term->posterior->largest};
    draw(p, &covariance, term->width, 0, score);
    return TVGP_OK;
}

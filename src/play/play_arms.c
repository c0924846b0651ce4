/* SPDX-License-Identifier: MIT */
/* The choice among arms by the scores of all. Where mean and variance are known to within bounds, |m - m'| <= a and |v - v'| <= b, the
 * score is at most m' + a + width sqrt(v' + b). The exact score of one arm is a lower bound of the best: arms that cannot
 * reach it stay as they are, of the others the posterior is made exact, and the choice is that of the exact scores. */
#include "frame/inquiry.h"
#include "play/play.h"
#include "search/argmax.h"

#include <math.h>
#include <string.h>

enum { SHARE = 16 }; /* of the arms one in so many is made exact by itself */

/* Variances given the pending actions: each one's column of the posterior covariance, conditioned on those before it. */
static const double *shrink(tvgp_policy *p, tvgp__belief *post) {
    const double noise = tvgp__ucb_noise(p);
    tvgp__ucb *u = p->state;
    size_t n = post->n;
    if (!u->pending.n)
        return post->var;
    memcpy(u->shrunk, post->var, n * sizeof *u->shrunk);
    for (size_t i = 0; i < u->pending.n; i++) {
        size_t arm = u->pending.arm[i];
        double *g = u->columns + i * n, at[TVGP__UCB_PENDING + 1];
        post->ops->column(post, arm, g);
        for (size_t k = 0; k <= i; k++)
            at[k] = tvgp__shard_entry(post->shard, u->columns + k * n, arm);
        tvgp__shard_give(post->shard, arm, at, i + 1);
        for (size_t k = 0; k < i; k++) {
            const double *before = u->columns + k * n;
            for (size_t j = 0; j < n; j++)
                g[j] -= at[k] * before[j];
            at[i] -= at[k] * at[k];
        }
        double root = sqrt(fmax(at[i], 0) + tvgp__belief_noise(post, noise));
        for (size_t j = 0; j < n; j++) {
            g[j] /= root;
            u->shrunk[j] -= g[j] * g[j];
        }
    }
    return u->shrunk;
}

static void score_one(tvgp_policy *p, const tvgp__term *term) {
    double *score = ((tvgp__ucb *)p->state)->score;
    tvgp__belief *post = term->posterior;
    tvgp__argmax_ucb(post->n, post->mean, shrink(p, post), term->width, score);
    tvgp__mean_add(term->mean, post->n, score);
    tvgp__switch_charge(p, score);
}

/* Adds weight (prior mean + mean + width sd) of a term to the scores. */
static void add_term(tvgp_policy *p, const tvgp__term *term, double *score) {
    enum { BLOCK = 256 };
    tvgp__belief_sharpen(term->posterior, term->posterior->n, NULL);
    const double *var = shrink(p, term->posterior);
    const size_t n = term->posterior->n;
    double one[BLOCK];
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < BLOCK ? n - first : BLOCK;
        tvgp__argmax_ucb(m, term->posterior->mean + first, var + first, term->width, one);
        for (size_t i = 0; i < m; i++)
            score[first + i] += term->weight * (one[i] + tvgp__mean_at(term->mean, first + i));
    }
}

static void score_sum(tvgp_policy *p, size_t n, const tvgp__term *term) {
    double *score = ((tvgp__ucb *)p->state)->score;
    memset(score, 0, p->domain->n * sizeof *score);
    for (size_t k = 0; k < n; k++)
        add_term(p, &term[k], score);
    tvgp__switch_charge(p, score);
}

/* ---- where the posterior is off ---------------------------------------------------------------------------------- */

/* What the scores come from: where actions are pending their columns, which are exact, have been taken off. */
static const double *variances(const tvgp__ucb *u, const tvgp__belief *post) {
    return u->pending.n ? u->shrunk : post->var;
}

/* The arm's score, from now on exact. */
static double sharpen(tvgp_policy *p, const tvgp__term *term, size_t arm) {
    tvgp__ucb *u = p->state;
    tvgp__belief *post = term->posterior;
    tvgp__belief_sharpen(post, 1, &arm);
    if (u->pending.n)
        u->shrunk[arm] = post->var[arm];
    for (size_t k = 0; k < u->pending.n; k++) {
        const double g = u->columns[k * post->n + arm];
        u->shrunk[arm] -= g * g;
    }
    tvgp__argmax_ucb(1, post->mean + arm, variances(u, post) + arm, term->width, u->score + arm);
    if (term->mean->n)
        u->score[arm] += tvgp__mean_at(term->mean, arm);
    u->score[arm] -= tvgp__switch_charged(p, tvgp__shard_arm(p->domain->shard, arm));
    return u->score[arm];
}

/* What an arm must reach: less than what ties with the best, by as much again for roundings. */
static double bound_of(double best) {
    return best - 2 * TVGP__ARGMAX_TIE * fabs(best);
}

/* The scores become exact of all arms that may be best. */
static void narrow(tvgp_policy *p, const tvgp__term *term) {
    tvgp__ucb *u = p->state;
    tvgp__belief *post = term->posterior;
    const double a = post->off.mean, b = post->off.var;
    if (a == 0 && b == 0)
        return;
    const double width = term->width, most = a + width * sqrt(b);
    const uint8_t *mask = p->available.mask;
    const size_t n = post->n;
    const size_t first = tvgp__argmax_of(n, u->score, mask);
    double best = sharpen(p, term, first);
    size_t close = isfinite(best) ? 0 : n;
    for (size_t i = 0; close <= n / SHARE; i++) {
        const double bound = bound_of(best);
        i = tvgp__argmax_next(n, i, u->score, bound - most);
        if (i == n)
            return;
        const double v = fmax(variances(u, post)[i], 0);
        if (i == first || (mask && !mask[i]) || u->score[i] + a + width * (sqrt(v + b) - sqrt(v)) < bound)
            continue;
        best = fmax(best, sharpen(p, term, i));
        close++;
    }
    tvgp__belief_sharpen(post, n, NULL);
    score_one(p, term);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The scores of all arms, exact: no choice is made by them any more. */
static void show_scores(tvgp_policy *p, size_t n, const tvgp__term *term) {
    const tvgp__belief *post = term->posterior;
    if (n == 1 && !tvgp__ucb_draws(p) && (post->off.mean > 0 || post->off.var > 0)) {
        tvgp__belief_sharpen(term->posterior, post->n, NULL);
        score_one(p, term);
    }
    tvgp__inquiry_arms(p, ((const tvgp__ucb *)p->state)->score);
}

void tvgp__play_arms(tvgp_policy *p, size_t n, tvgp__term *term, size_t speaker, tvgp__found *out) {
    const double *score = ((const tvgp__ucb *)p->state)->score;
    for (size_t k = 0; k < n; k++) {
        tvgp__belief_settle(term[k].posterior);
        term[k].width = tvgp__ucb_width_by(p, term[k].posterior);
    }
    if (n > 1)
        score_sum(p, n, term);
    else if (tvgp__ucb_draws(p))
        tvgp__play_draw_arms(p, term);
    else {
        score_one(p, term);
        narrow(p, term);
    }
    tvgp__choose_here(p, score, out->prior, term[speaker].posterior, &out->best);
    out->net = out->best.highest;
    out->width = term[speaker].width;
    if (p->inquiry)
        show_scores(p, n, term);
}

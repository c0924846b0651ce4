/* SPDX-License-Identifier: MIT */
/* The choice among arms by their scores. If mean and variance are known within bounds, |m - m'| <= a and v <= v' + b,
 * the score is at most m' + a + width sqrt(v' + b). The exact score of one arm is a lower bound of the best. Arms that
 * cannot reach it stay as they are, the posterior is made exact for the others, and the exact scores decide. */
#include "policy/ucb/maximise.h"

#include "base/simd_clones.h"
#include "choose/argmax.h"
#include "protocol/copies/scores_from_copy.h"

#include <math.h>
#include <string.h>

enum { SHARE = 16 }; /* share of arms made exact one by one, if several are not made so together */

/* Variances given the pending actions: each one's column of the posterior covariance, conditioned on those before it. */
static const double *shrink(tvgp_policy *p, const tvgp__term *term) {
    tvgp__posterior *post = term->posterior;
    tvgp__ucb *u = p->state;
    size_t n = post->n;
    if (!u->pending.n)
        return term->v;
    memcpy(u->shrunk, term->v, n * sizeof *u->shrunk);
    for (size_t i = 0; i < u->pending.n; i++) {
        size_t arm = u->pending.arm[i];
        double *g = u->columns + i * n, at[TVGP__UCB_PENDING + 1];
        tvgp__posterior_column(post, arm, g);
        for (size_t k = 0; k <= i; k++)
            at[k] = tvgp__shard_entry(post->shard, u->columns + k * n, arm);
        tvgp__shard_give(post->shard, arm, at, i + 1);
        for (size_t k = 0; k < i; k++) {
            const double *before = u->columns + k * n;
            for (size_t j = 0; j < n; j++)
                g[j] -= at[k] * before[j];
            at[i] -= at[k] * at[k];
        }
        const double noise = tvgp__ucb_noise_at(p, post, arm);
        double root = sqrt(fmax(at[i], 0) + post->unit * tvgp__posterior_noise(post, noise));
        for (size_t j = 0; j < n; j++) {
            g[j] /= root;
            u->shrunk[j] -= g[j] * g[j];
        }
    }
    return u->shrunk;
}

static void score_one(tvgp_policy *p, const tvgp__term *term) {
    double *score = ((tvgp__ucb *)p->state)->score;
    const size_t n = term->posterior->n;
    tvgp__argmax_ucb(n, term->m, shrink(p, term), term->width, score);
    tvgp__mean_function_add(term->mean, n, score);
    if (p->terms.offset)
        tvgp__guard_shift(p, term->posterior->origin, 0, n, score);
}

/* Adds weight (prior mean + mean + width sd) of a term to the scores. */
static void add_term(tvgp_policy *p, const tvgp__term *term, double *score) {
    enum { BLOCK = 256 };
    const size_t n = term->posterior->n;
    tvgp__posterior_exact(term->posterior, n, NULL, NULL, NULL);
    const double *var = shrink(p, term);
    double one[BLOCK];
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < BLOCK ? n - first : BLOCK;
        tvgp__argmax_ucb(m, term->m + first, var + first, term->width, one);
        for (size_t i = 0; i < m; i++)
            score[first + i] += term->weight * (one[i] + tvgp__mean_function_at(term->mean, first + i));
    }
}

static void score_sum(tvgp_policy *p, size_t n, const tvgp__term *term) {
    double *score = ((tvgp__ucb *)p->state)->score;
    memset(score, 0, p->domain->n * sizeof *score);
    for (size_t k = 0; k < n; k++)
        add_term(p, &term[k], score);
    if (p->terms.offset)
        tvgp__guard_shift(p, 0, 0, p->domain->n, score);
}

/* ---- moments with bounds of their errors ---------------------------------------------------------------------------------- */

/* What the scores come from: where actions are pending their columns, which are exact, have been taken off. */
static const double *variances(const tvgp__ucb *u, const tvgp__term *term) {
    return u->pending.n ? u->shrunk : term->v;
}

/* The score of an arm whose mean and variance have become exact. */
static double score_of(tvgp_policy *p, const tvgp__term *term, size_t arm) {
    tvgp__ucb *u = p->state;
    if (u->pending.n)
        u->shrunk[arm] = term->v[arm];
    for (size_t k = 0; k < u->pending.n; k++) {
        const double g = u->columns[k * term->posterior->n + arm];
        u->shrunk[arm] -= g * g;
    }
    tvgp__argmax_ucb(1, term->m + arm, variances(u, term) + arm, term->width, u->score + arm);
    if (term->mean->n)
        u->score[arm] += tvgp__mean_function_at(term->mean, arm);
    if (p->terms.offset)
        tvgp__guard_shift(p, term->posterior->origin, arm, 1, u->score + arm);
    return u->score[arm];
}

/* The scores of these arms become exact; the highest of them. */
static double refine(tvgp_policy *p, const tvgp__term *term, size_t m, const size_t *arm) {
    double best = -INFINITY;
    tvgp__posterior_exact(term->posterior, m, arm, NULL, NULL);
    for (size_t k = 0; k < m; k++) {
        const double score = score_of(p, term, arm[k]);
        best = score > best || isnan(score) ? score : best;
    }
    return best;
}

/* What an arm must reach: less than what ties with the best, by as much again for roundings. */
static double bound_of(double best) {
    return best - 2 * TVGP__ARGMAX_TIE * fabs(best);
}

/* The `most` available arms with the highest scores, highest first; the first as it would be chosen. How many there are. */
static size_t highest(const tvgp_policy *p, size_t n, const double *score, size_t most, size_t *arm) {
    const uint8_t *mask = p->available.mask;
    size_t m = 0;
    for (size_t i = 0; most > 1 && i < n; i++) {
        if ((mask && !mask[i]) || (m == most && !(score[i] > score[arm[m - 1]])))
            continue;
        size_t k = m < most ? m++ : m - 1;
        for (; k > 0 && score[i] > score[arm[k - 1]]; k--)
            arm[k] = arm[k - 1];
        arm[k] = i;
    }
    if (!m)
        arm[m++] = tvgp__argmax_of(n, score, mask);
    return m;
}

/* Whether an arm of those that `known` does not list may reach the bound. */
static int may_reach(const tvgp_policy *p, const tvgp__term *term, size_t i, double bound, size_t m, const size_t *known) {
    const tvgp__ucb *u = p->state;
    const double v = fmax(variances(u, term)[i], 0), b = term->slack.var;
    for (size_t k = 0; k < m; k++)
        if (known[k] == i)
            return 0;
    return (!p->available.mask || p->available.mask[i]) &&
           u->score[i] + term->slack.mean + term->width * (sqrt(v + b) - sqrt(v)) >= bound;
}

/* Arms that are not available are below every bound. */
TVGP__SIMD_CLONES
static void hide(size_t n, const uint8_t *restrict mask, double *restrict score) {
    for (size_t i = 0; i < n; i++) {
        const double own = score[i];
        score[i] = mask[i] ? own : -INFINITY;
    }
}

/* Makes all scores exact. */
static void make_exact(tvgp_policy *p, const tvgp__term *term) {
    tvgp__posterior_exact(term->posterior, term->posterior->n, NULL, NULL, NULL);
    score_one(p, term);
}

/* The scores become exact of all arms that may be best: first of those that look best, so that few others still may, then
 * of these. Where that is done for one arm at a time and there are many, it is done for all, as it is where scores are
 * infinite. */
static void narrow(tvgp_policy *p, const tvgp__term *term) {
    tvgp__ucb *u = p->state;
    const tvgp__slack *slack = &term->slack;
    if (slack->mean == 0 && slack->var == 0)
        return;
    if (p->terms.offset && tvgp__policy_outcome(p)) { /* the slack is of the process, not of rewards */
        make_exact(p, term);
        return;
    }
    const double above = slack->mean + term->width * sqrt(slack->var);
    const size_t n = term->posterior->n, most = slack->together ? slack->together : 1,
                 limit = slack->together ? n : n / SHARE;
    size_t known[TVGP__POSTERIOR_TOGETHER], next[TVGP__POSTERIOR_TOGETHER], m = 0, close = 0;
    if (p->available.mask)
        hide(n, p->available.mask, u->score);
    const size_t seen = highest(p, n, u->score, most, known);
    double best = refine(p, term, seen, known);
    for (size_t i = 0; isfinite(best) && close <= limit; i++) {
        i = tvgp__argmax_next(n, i, u->score, bound_of(best) - above);
        if (i < n && may_reach(p, term, i, bound_of(best), seen, known))
            next[m++] = i;
        if (m == most || (m && i == n)) {
            best = fmax(best, refine(p, term, m, next));
            close += m;
            m = 0;
        }
        if (i == n)
            return;
    }
    make_exact(p, term);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

/* The scores of all arms, exact, for reading only: no choice depends on them. */
static void show_scores(tvgp_policy *p, size_t n, const tvgp__term *term) {
    const tvgp__posterior *post = term->posterior;
    const double *score = ((const tvgp__ucb *)p->state)->score;
    if (n == 1 && !tvgp__ucb_draws(p) && (term->slack.mean > 0 || term->slack.var > 0))
        make_exact(p, term);
    tvgp__scores_from_copy_arms(p, score, n == 1 ? post->origin : 0);
}

void tvgp__maximise_arms(tvgp_policy *p, size_t n, tvgp__term *term, size_t credited, tvgp__found *out) {
    const double *score = ((const tvgp__ucb *)p->state)->score;
    for (size_t k = 0; k < n; k++) {
        if (p->available.contexts)
            tvgp__posterior_attend(term[k].posterior, p->terms.wanted ? -1 : p->available.context);
        tvgp__posterior_bounds(term[k].posterior, &term[k].m, &term[k].v, &term[k].slack);
        term[k].width = tvgp__ucb_width_by(p, term[k].posterior);
    }
    if (n > 1)
        score_sum(p, n, term);
    else if (tvgp__ucb_draws(p))
        tvgp__maximise_draw_arms(p, term);
    else {
        score_one(p, term);
        narrow(p, term);
    }
    tvgp__arm_choice_here(p, score, out->prior, term[credited].posterior, &out->best);
    out->net = out->best.highest;
    out->width = term[credited].width;
    if (p->terms.wanted)
        show_scores(p, n, term);
    for (size_t k = 0; p->available.contexts && k < n; k++)
        tvgp__posterior_attend(term[k].posterior, -1);
}

/* SPDX-License-Identifier: MIT */
/* The choice rule: score = sum weight (prior mean + mean + width sd), net = factor reward(score) + offset, the highest net score, ties
 * to the lowest index (choose/rule.h). Pending actions count as observed at their mean (GP-BUCB, Desautels, Krause, Burdick 2014).
 *
 * If mean and variance are known within bounds, |m - m'| <= a and v <= v' + b, the score is at most m' + a + width sqrt(v' + b). The
 * exact score of one arm is a lower bound of the best. Arms that cannot reach it stay as they are, the posterior is made exact for the
 * others, and the exact scores decide. */
#include "choose/rule.h"

#include "base/numbers/simd_clones.h"

#include <math.h>
#include <string.h>

/* ---- score of moments ------------------------------------------------------------------------------------------------ */

TVGP__SIMD_CLONES
static void score_all(size_t n, const double *restrict mean, const double *restrict var, double width,
                      double *restrict score) {
    for (size_t i = 0; i < n; i++) {
        double v = var[i] > 0 ? var[i] : 0;
        score[i] = TVGP__RULE_SCORE(mean[i], sqrt(v), width);
    }
}

/* Adds weight (prior mean + mean + width sd). */
TVGP__SIMD_CLONES
static void add_all(size_t n, const double *restrict mean, const double *restrict var, const double *restrict prior,
                    double width, double weight, double *restrict score) {
    for (size_t i = 0; i < n; i++) {
        double v = var[i] > 0 ? var[i] : 0;
        score[i] += weight * (TVGP__RULE_SCORE(mean[i], sqrt(v), width) + prior[i]);
    }
}

void tvgp__rule_add(const tvgp__rule_term *term, size_t n, const double *mean, const double *var, const double *prior,
                    double *score) {
    add_all(n, mean, var, prior, term->width, term->weight, score);
}

/* ---- offsets --------------------------------------------------------------------------------------------------------- */

static double turn(const tvgp__rule_offsets *o, double x) {
    return o->minimises ? 0 - x : x;
}

/* The reward of a value of the process, and back. */
static double reward(const tvgp__rule_offsets *o, double z) {
    return o->outcome ? turn(o, tvgp__outcome_inverse(o->outcome, turn(o, z))) : z;
}

static double of_reward(const tvgp__rule_offsets *o, double y) {
    return o->outcome ? turn(o, o->outcome->link(turn(o, y))) : y;
}

void tvgp__rule_shift(const tvgp__rule_offsets *o, double origin, size_t first, size_t n, double *score) {
    for (size_t i = 0; i < n; i++)
        score[i] = (o->outcome ? reward(o, score[i] + origin) : score[i]) * (o->factor ? o->factor[first + i] : 1) +
                   (o->offset ? o->offset[first + i] : 0);
}

double tvgp__rule_unshift(const tvgp__rule_offsets *o, double origin, double net, double offset, size_t i) {
    if (!o->offset || !o->outcome)
        return net - offset;
    return of_reward(o, (net - offset) / (o->factor ? o->factor[i] : 1)) - origin;
}

/* ---- the highest ----------------------------------------------------------------------------------------------------- */

enum { LANES = 8 };

TVGP__SIMD_CLONES
static double highest(size_t n, const double *restrict score, const uint8_t *restrict mask) {
    double best[LANES], most = -INFINITY;
    for (size_t k = 0; k < LANES; k++)
        best[k] = -INFINITY;
    size_t i = 0;
    for (; !mask && i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            best[k] = score[i + k] > best[k] ? score[i + k] : best[k];
    for (; mask && i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) {
            const double own = score[i + k], shown = mask[i + k] ? own : -INFINITY;
            best[k] = shown > best[k] ? shown : best[k];
        }
    for (; i < n; i++)
        if ((!mask || mask[i]) && score[i] > most)
            most = score[i];
    for (size_t k = 0; k < LANES; k++)
        most = best[k] > most ? best[k] : most;
    return most;
}

double tvgp__rule_most(size_t n, const double *score, const uint8_t *mask) {
    return highest(n, score, mask);
}

enum { BLOCK = 2 * LANES };

TVGP__SIMD_CLONES
static int one_reaches(const double *score, double bound) {
    int reaches = 0;
    for (int k = 0; k < BLOCK; k++)
        reaches |= score[k] >= bound;
    return reaches;
}

/* The first from `from` on whose score is at least the bound; n: none is. */
static size_t next(size_t n, size_t from, const double *score, double bound) {
    size_t i = from;
    while (i + BLOCK <= n && !one_reaches(score + i, bound))
        i += BLOCK;
    while (i < n && !(score[i] >= bound))
        i++;
    return i;
}

size_t tvgp__rule_first(size_t n, const double *score, const uint8_t *mask, double most, double scale) {
    const double tied = isinf(most) ? most : most - fmin(TVGP__RULE_TIE * fabs(most), 1e-3 * scale);
    size_t first = next(n, 0, score, tied);
    while (mask && first < n && !mask[first])
        first = next(n, first + 1, score, tied);
    if (first < n)
        return first;
    for (first = 0; mask && first < n && !mask[first];) /* none is a number */
        first++;
    return first;
}

size_t tvgp__rule_highest(size_t n, const double *score, const uint8_t *mask, double scale) {
    return tvgp__rule_first(n, score, mask, highest(n, score, mask), scale);
}

/* ---- pending actions on arms ----------------------------------------------------------------------------------------- */

static double noise_at(const tvgp__rule *r, const tvgp__rule_term *term, size_t arm) {
    tvgp__posterior *post = term->posterior;
    if (r->same_noise || !post->ops->noise_at)
        return r->noise;
    return post->ops->noise_at(post, arm, tvgp__mean_function_at(term->mean, arm));
}

/* Variances given the pending actions: each one's column of the posterior covariance, conditioned on those before it. */
static const double *shrink(const tvgp__rule *r, const tvgp__rule_term *term) {
    tvgp__posterior *post = term->posterior;
    size_t n = post->n;
    if (!r->pending->n)
        return term->v;
    memcpy(r->shrunk, term->v, n * sizeof *r->shrunk);
    for (size_t i = 0; i < r->pending->n; i++) {
        size_t arm = r->pending->arm[i];
        double *g = r->columns + i * n, at[TVGP__RULE_PENDING + 1];
        tvgp__posterior_column(post, arm, g);
        tvgp__posterior_entries(post, arm, i + 1, r->columns, at);
        for (size_t k = 0; k < i; k++) {
            const double *before = r->columns + k * n;
            for (size_t j = 0; j < n; j++)
                g[j] -= at[k] * before[j];
            at[i] -= at[k] * at[k];
        }
        double root = sqrt(fmax(at[i], 0) + post->unit * tvgp__posterior_noise(post, noise_at(r, term, arm)));
        for (size_t j = 0; j < n; j++) {
            g[j] /= root;
            r->shrunk[j] -= g[j] * g[j];
        }
    }
    return r->shrunk;
}

/* ---- one term -------------------------------------------------------------------------------------------------------- */

static void score_one(const tvgp__rule *r, double *score) {
    const tvgp__rule_term *term = r->term;
    const size_t n = term->posterior->n;
    score_all(n, term->m, shrink(r, term), term->width, score);
    tvgp__mean_function_add(term->mean, n, score);
    if (r->offsets.offset)
        tvgp__rule_shift(&r->offsets, term->posterior->origin, 0, n, score);
}

/* What the scores come from: where actions are pending their columns, which are exact, have been taken off. */
static const double *variances(const tvgp__rule *r) {
    return r->pending->n ? r->shrunk : r->term->v;
}

/* The score of an arm whose mean and variance have become exact. */
static double score_again(const tvgp__rule *r, size_t arm, double *score) {
    const tvgp__rule_term *term = r->term;
    if (r->pending->n)
        r->shrunk[arm] = term->v[arm];
    for (size_t k = 0; k < r->pending->n; k++) {
        const double g = r->columns[k * term->posterior->n + arm];
        r->shrunk[arm] -= g * g;
    }
    score_all(1, term->m + arm, variances(r) + arm, term->width, score + arm);
    if (term->mean->n)
        score[arm] += tvgp__mean_function_at(term->mean, arm);
    if (r->offsets.offset)
        tvgp__rule_shift(&r->offsets, term->posterior->origin, arm, 1, score + arm);
    return score[arm];
}

/* The scores of these arms become exact; the highest of them. */
static double refine(const tvgp__rule *r, size_t m, const size_t *arm, double *score) {
    double best = -INFINITY;
    tvgp__posterior_exact(r->term->posterior, m, arm, NULL, NULL);
    for (size_t k = 0; k < m; k++) {
        const double own = score_again(r, arm[k], score);
        best = own > best || isnan(own) ? own : best;
    }
    return best;
}

/* What an arm must reach: less than what ties with the best, by as much again for roundings. */
static double bound_of(double best) {
    return best - 2 * TVGP__RULE_TIE * fabs(best);
}

/* The `most` available arms with the highest scores, highest first; the first as it would be chosen. How many there are. */
static size_t leaders(size_t n, const double *score, const uint8_t *mask, size_t most, size_t *arm) {
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
        arm[m++] = tvgp__rule_highest(n, score, mask, INFINITY);
    return m;
}

/* Whether an arm of those that `known` does not list may reach the bound. */
static int may_reach(const tvgp__rule *r, double score, size_t i, double bound, size_t m, const size_t *known) {
    const tvgp__rule_term *term = r->term;
    const double v = fmax(variances(r)[i], 0), b = term->slack.var;
    for (size_t k = 0; k < m; k++)
        if (known[k] == i)
            return 0;
    return (!r->mask || r->mask[i]) &&
           TVGP__RULE_SCORE(score + term->slack.mean, sqrt(v + b) - sqrt(v), term->width) >= bound;
}

/* Arms that are not available are below every bound. */
TVGP__SIMD_CLONES
static void hide(size_t n, const uint8_t *restrict mask, double *restrict score) {
    for (size_t i = 0; i < n; i++) {
        const double own = score[i];
        score[i] = mask[i] ? own : -INFINITY;
    }
}

enum { SHARE = 16 }; /* share of arms made exact one by one, if several are not made so together */

/* The scores become exact of all arms that may be best: first of those that look best, so that few others still may, then
 * of these. 0: that is one arm at a time and there are many, or scores are infinite, and all must become exact. */
static int narrow(const tvgp__rule *r, double *score) {
    const tvgp__slack *slack = &r->term->slack;
    const double above = TVGP__RULE_SCORE(slack->mean, sqrt(slack->var), r->term->width);
    const size_t n = r->term->posterior->n, most = slack->together ? slack->together : 1,
                 limit = slack->together ? n : n / SHARE;
    size_t known[TVGP__POSTERIOR_TOGETHER], found[TVGP__POSTERIOR_TOGETHER], m = 0, close = 0;
    if (r->mask)
        hide(n, r->mask, score);
    const size_t seen = leaders(n, score, r->mask, most, known);
    double best = refine(r, seen, known, score);
    for (size_t i = 0; isfinite(best) && close <= limit; i++) {
        i = next(n, i, score, bound_of(best) - above);
        if (i < n && may_reach(r, score[i], i, bound_of(best), seen, known))
            found[m++] = i;
        if (m == most || (m && i == n)) {
            best = fmax(best, refine(r, m, found, score));
            close += m;
            m = 0;
        }
        if (i == n)
            return 1;
    }
    return 0;
}

void tvgp__rule_score_exactly(const tvgp__rule *r, double *score) {
    tvgp__posterior_exact(r->term->posterior, r->term->posterior->n, NULL, NULL, NULL);
    score_one(r, score);
}

/* ---- arms ------------------------------------------------------------------------------------------------------------- */

static void add_term(const tvgp__rule *r, const tvgp__rule_term *term, double *score) {
    enum { TOGETHER = 256 };
    const size_t n = term->posterior->n;
    tvgp__posterior_exact(term->posterior, n, NULL, NULL, NULL);
    const double *var = shrink(r, term);
    double prior[TOGETHER];
    for (size_t first = 0, m; first < n; first += m) {
        m = n - first < TOGETHER ? n - first : TOGETHER;
        for (size_t i = 0; i < m; i++)
            prior[i] = tvgp__mean_function_at(term->mean, first + i);
        tvgp__rule_add(term, m, term->m + first, var + first, prior, score + first);
    }
}

static void score_sum(const tvgp__rule *r, double *score) {
    const size_t n = r->term->posterior->n;
    memset(score, 0, n * sizeof *score);
    for (size_t k = 0; k < r->n; k++)
        add_term(r, &r->term[k], score);
    if (r->offsets.offset)
        tvgp__rule_shift(&r->offsets, 0, 0, n, score);
}

void tvgp__rule_score_arms(const tvgp__rule *r, double *score) {
    if (r->n > 1) {
        score_sum(r, score);
        return;
    }
    score_one(r, score);
    const tvgp__slack *slack = &r->term->slack;
    const int exact = slack->mean == 0 && slack->var == 0,
              may_narrow = !r->offsets.offset || !r->offsets.outcome; /* the slack is of the process, not of rewards */
    if (!exact && !(may_narrow && narrow(r, score)))
        tvgp__rule_score_exactly(r, score);
}

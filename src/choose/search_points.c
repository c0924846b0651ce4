/* SPDX-License-Identifier: MIT */
/* Points that a search tries first, in this order (choose/search_points.h). */
#include "choose/search_points.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t times(double effort, size_t n) {
    double wanted = ceil(effort * (double)n);
    return wanted < 1 ? 1 : (size_t)fmin(wanted, 1e6);
}

tvgp__search_points_plan tvgp__search_points_plan_of(size_t d, double effort) {
    return (tvgp__search_points_plan){
        .raw = times(effort, 64 * smaller(d, 4)), .supports = times(effort, 12), .moves = 4 * smaller(d, 6)};
}

size_t tvgp__search_points_most(const tvgp__search_points_plan *plan) {
    size_t raw = plan->raw > TVGP__SEARCH_POINTS_FEASIBLE ? plan->raw : TVGP__SEARCH_POINTS_FEASIBLE;
    return 2 + raw + (plan->supports + plan->known) * (1 + plan->moves);
}

/* The root of g^(d+1) = g + 1 in (1, 2], by Newton's method from above. */
static double generator(size_t d) {
    double g = 2, power = (double)d + 1;
    for (int i = 0; i < 64; i++)
        g -= (pow(g, power) - g - 1) / (power * pow(g, power - 1) - 1);
    return g;
}

typedef struct {
    size_t i; /* points made so far */
    double g, shift[TVGP__SEARCH_SPACE_MOST];
} sequence;

static void open_sequence(const tvgp__search_space *s, tvgp__random_stream *stream, sequence *q) {
    q->i = 0;
    q->g = generator(tvgp__search_space_free(s));
    for (size_t d = 0; d < s->dim; d++)
        q->shift[d] = tvgp__search_space_fixed(s, d) ? 0 : tvgp__random_stream_uniform(stream);
}

static void next_point(const tvgp__search_space *s, sequence *q, double *x) {
    double step = 1;
    q->i++;
    for (size_t d = 0; d < s->dim; d++) {
        x[d] = s->lower[d];
        if (tvgp__search_space_fixed(s, d))
            continue;
        step /= q->g;
        double u = q->shift[d] + (double)q->i * step;
        /* a whole coordinate gives each number the same share */
        double half = tvgp__search_space_whole(s, d) ? 0.5 : 0, side = s->upper[d] - s->lower[d] + 2 * half;
        x[d] = s->lower[d] - half + side * (u - floor(u));
    }
    tvgp__search_space_clip(s, x);
}

void tvgp__search_points_spread(const tvgp__search_space *s, size_t n, double *X) {
    tvgp__search_space all = *s;
    all.lower = s->low;
    all.upper = s->high;
    sequence q = {.g = generator(tvgp__search_space_free(&all))};
    for (size_t d = 0; d < s->dim; d++)
        q.shift[d] = 0.5;
    while (q.i < n) {
        double *x = X + q.i * s->dim;
        next_point(&all, &q, x);
        tvgp__search_space_snap(&all, x);
    }
}

/* The first `wanted` of the sequence, and if there is a set and no point of it is known, on until TVGP__SEARCH_POINTS_FEASIBLE of them are
 * in it. */
static tvgp_status draw_raw(const tvgp__search_space *s, size_t wanted, tvgp__random_stream *stream, double *X, size_t *n) {
    sequence q;
    size_t kept = 0;
    open_sequence(s, stream, &q);
    while (q.i < wanted || (tvgp__search_space_limited(s) && !s->safe.n_known && kept < TVGP__SEARCH_POINTS_FEASIBLE &&
                            q.i < TVGP__SEARCH_POINTS_TRIED)) {
        size_t m = 0, room = q.i < wanted ? wanted - q.i : TVGP__SEARCH_POINTS_FEASIBLE - kept;
        for (; m < room; m++)
            next_point(s, &q, X + (kept + m) * s->dim);
        TVGP__TRY(tvgp__search_space_keep(s, &m, X + kept * s->dim));
        kept += m;
    }
    *n = kept;
    return TVGP_OK;
}

/* Coordinate k moves with probability min(1, (3, or in every other move all of them) / d), by .3 4^(i mod 4 - 1)
 * lengthscales times a sum of four uniforms of variance 1. */
static void move_around(const tvgp__search_space *s, size_t i, const double *from, tvgp__random_stream *stream, double *x) {
    double free = (double)tvgp__search_space_free(s), chance = i % 2 ? 1 : fmin(1, 3 / free);
    double length = 0.3 * pow(4, (double)(i % 4) - 1);
    for (size_t d = 0; d < s->dim; d++) {
        x[d] = from[d];
        if (tvgp__search_space_fixed(s, d) || tvgp__random_stream_uniform(stream) >= chance)
            continue;
        double sum = -2;
        for (int u = 0; u < 4; u++)
            sum += tvgp__random_stream_uniform(stream);
        x[d] += length * s->reach[d] * sqrt(3) * sum;
    }
    tvgp__search_space_clip(s, x);
}

/* Feasible ones of a point and the moves around it, from *n on. */
static tvgp_status draw_around(const tvgp__search_space *s, const tvgp__search_points_plan *plan,
                               tvgp__random_stream *stream, const double *x, double *X, size_t *n) {
    double *at = X + *n * s->dim;
    size_t kept = plan->moves + 1;
    memcpy(at, x, s->dim * sizeof *at);
    tvgp__search_space_clip(s, at);
    for (size_t i = 0; i < plan->moves; i++)
        move_around(s, i, at, stream, at + (i + 1) * s->dim);
    TVGP__TRY(tvgp__search_space_keep(s, &kept, at));
    *n += kept;
    return TVGP_OK;
}

tvgp_status tvgp__search_points_draw(const tvgp__search_space *s, const tvgp__search_points_plan *plan,
                                     tvgp__random_stream *stream, const double *last, size_t n_support,
                                     const double *support, double *X, size_t *n) {
    size_t dim = s->dim, count = 0, kept;
    for (size_t d = 0; d < dim; d++)
        X[d] = 0.5 * s->lower[d] + 0.5 * s->upper[d];
    tvgp__search_space_clip(s, X);
    count++;
    if (last) {
        memcpy(X + dim, last, dim * sizeof *X);
        tvgp__search_space_clip(s, X + dim);
        count++;
    }
    TVGP__TRY(tvgp__search_space_keep(s, &count, X));
    TVGP__TRY(draw_raw(s, plan->raw, stream, X + count * dim, &kept));
    count += kept;
    for (size_t j = 0; j < plan->known; j++)
        TVGP__TRY(draw_around(s, plan, stream, s->safe.known + j * dim, X, &count));
    for (size_t j = 0; j < n_support; j++)
        TVGP__TRY(draw_around(s, plan, stream, support + j * dim, X, &count));
    *n = count;
    if (!count)
        return tvgp__error_set(s->ctx, TVGP_ERR_NOTFOUND, "none of the %zu points tried is feasible",
                               (size_t)TVGP__SEARCH_POINTS_TRIED + 1 + (last != NULL) +
                                   (plan->known + n_support) * (1 + plan->moves));
    return TVGP_OK;
}

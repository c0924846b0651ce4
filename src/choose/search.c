/* SPDX-License-Identifier: MIT */
/* Maximises a score over a box: many candidates, local ascents from the best that are apart from each other, unit steps in
 * integer coordinates, and random search from the best points if a set is given as a function (choose/search.h). */
#include "choose/search.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/quota.h"
#include "base/scratch.h"

#include <math.h>
#include <string.h>

enum { AT_ONCE = 64, HUNTERS = 8, LIMITED_HUNTERS = 3, HUNT_ROUNDS = 40, HUNT_POINTS = 16, WHOLE_STARTS = 16, CROSSERS = 8 };

const tvgp__option tvgp__search_options[TVGP__SEARCH_OPTIONS] = {
    {"search.effort", TVGP_F64, TVGP_OPTION_OPEN_LOWER, offsetof(tvgp__search_config, effort), 1, 0, 1000, NULL,
     TVGP__TEXT("Factor of the number of points that a search on a box tries, and of the starts of its local searches.")},
};

/* A running search. */
typedef struct {
    const tvgp__search *p;
    tvgp__search_points_plan plan;
    tvgp__random_stream stream;
    size_t n;            /* candidates */
    double *X, *bound;   /* n x dim, n: their upper bounds, then -infinity where the score is known */
    double *score;       /* n: -infinity where it is not known */
    double *left;        /* n: workspace */
    size_t most, starts; /* how many starts are wanted, are there */
    double *S, *value;   /* most x dim, most */
    size_t *start;       /* most: which candidates they are */
    double *Z, *again;   /* points about to be scored, ascents that cross over: workspace */
    double *memory;
} run;

tvgp_status tvgp__search_none(tvgp_ctx *ctx) {
    return tvgp__error_set(ctx, TVGP_ERR_NUMERIC, "no score is a number: this kernel and these outcomes give no posterior");
}

/* ---- candidates ------------------------------------------------------------------------------------------------- */

static tvgp_status bounds_of(const tvgp__search *p, size_t n, const double *Z, double *bound) {
    size_t dim = p->space.dim;
    if (!p->bound)
        return tvgp__ascent_score(&p->target, dim, n, Z, bound, NULL);
    for (size_t first = 0; first < n; first += TVGP__ASCENT_BLOCK) {
        size_t m = n - first < TVGP__ASCENT_BLOCK ? n - first : TVGP__ASCENT_BLOCK;
        TVGP__TRY(p->bound(p->target.user, m, Z + first * dim, bound + first));
    }
    for (size_t i = 0; i < n; i++)
        bound[i] = isnan(bound[i]) ? INFINITY : bound[i]; /* it says nothing */
    return TVGP_OK;
}

/* Index of the largest entry, the lowest of equal ones; NaN is below everything. */
static size_t highest(size_t n, const double *a) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (a[i] > a[best] || isnan(a[best]))
            best = i;
    return best;
}

/* The support points of highest bound: n of them to out. */
static tvgp_status choose_support(const run *r, size_t n, double *out) {
    const tvgp__search *p = r->p;
    size_t dim = p->space.dim;
    double *bound = NULL;
    TVGP__TRY(tvgp__scratch_take(p->space.ctx, p->n_support, &bound));
    tvgp_status status = bounds_of(p, p->n_support, p->support, bound);
    for (size_t k = 0; status == TVGP_OK && k < n; k++) {
        size_t best = highest(p->n_support, bound);
        memcpy(out + k * dim, p->support + best * dim, dim * sizeof *out);
        bound[best] = -INFINITY;
    }
    tvgp__scratch_give(p->space.ctx, bound);
    return status;
}

static tvgp_status draw(run *r) {
    const tvgp__search *p = r->p;
    size_t n = p->n_support < r->plan.supports ? p->n_support : r->plan.supports;
    double *support = NULL;
    TVGP__TRY(tvgp__scratch_take(p->space.ctx, n * p->space.dim, &support));
    tvgp_status status = choose_support(r, n, support);
    if (status == TVGP_OK)
        status = tvgp__search_points_draw(&p->space, &r->plan, &r->stream, p->last, n, support, r->X, &r->n);
    tvgp__scratch_give(p->space.ctx, support);
    return status;
}

/* ---- starts ----------------------------------------------------------------------------------------------------- */

static int apart(const run *r, size_t candidate) {
    size_t dim = r->p->space.dim;
    double least = 0.01 * (double)tvgp__search_space_free(&r->p->space);
    for (size_t k = 0; k < r->starts; k++)
        if (!(tvgp__search_space_distance(&r->p->space, r->X + candidate * dim, r->X + r->start[k] * dim) > least))
            return 0;
    return 1;
}

/* From the scores known: the best first, of equal ones the lower index. LIMIT (work). */
static tvgp_status choose_starts(run *r) {
    double *left = r->left;
    TVGP__TRY(tvgp__quota_work(r->p->space.ctx, r->most, r->n));
    memcpy(left, r->score, r->n * sizeof *left);
    for (r->starts = 0; r->starts < r->most;) {
        size_t best = highest(r->n, left);
        if (!(left[best] > -INFINITY))
            break;
        left[best] = -INFINITY;
        TVGP__TRY(tvgp__quota_poll(r->p->space.ctx, (double)(r->n + r->starts * r->p->space.dim)));
        if (apart(r, best))
            r->start[r->starts++] = best;
    }
    return TVGP_OK;
}

/* Scores the next candidates in the order of their bounds; 0 when none was left, or none that matters. */
static tvgp_status score_next(run *r, double slack) {
    size_t dim = r->p->space.dim, chosen[AT_ONCE], m = 0;
    double *Z = r->Z, score[AT_ONCE];
    double last = r->starts == r->most ? r->score[r->start[r->starts - 1]] - slack : -INFINITY;
    for (; m < AT_ONCE; m++) {
        size_t best = highest(r->n, r->bound);
        if (!(r->bound[best] > last))
            break;
        r->bound[best] = -INFINITY;
        chosen[m] = best;
        memcpy(Z + m * dim, r->X + best * dim, dim * sizeof *Z);
    }
    TVGP__TRY(tvgp__ascent_score(&r->p->target, dim, m, Z, score, NULL));
    for (size_t i = 0; i < m; i++)
        r->score[chosen[i]] = score[i];
    return m > 0;
}

static tvgp_status find_starts(run *r) {
    size_t dim = r->p->space.dim;
    double slack = 1e-6 * r->p->target.scale; /* bounds and scores are not worked out in the same order */
    TVGP__TRY(bounds_of(r->p, r->n, r->X, r->bound));
    for (size_t i = 0; i < r->n; i++)
        r->score[i] = r->p->bound ? -INFINITY : r->bound[i];
    tvgp_status more = r->p->bound ? 1 : 0;
    while (more == 1) {
        more = score_next(r, slack);
        if (more == 1)
            TVGP__TRY(choose_starts(r));
    }
    TVGP__TRY(more);
    TVGP__TRY(choose_starts(r));
    if (!r->starts)
        return tvgp__search_none(r->p->space.ctx);
    for (size_t k = 0; k < r->starts; k++) {
        memcpy(r->S + k * dim, r->X + r->start[k] * dim, dim * sizeof *r->S);
        r->value[k] = r->score[r->start[k]];
    }
    return TVGP_OK;
}

/* ---- random and whole moves ------------------------------------------------------------------------------------- */

/* Keeps those of *n points that score more than `value` and may be asked: whether they may takes as long to find out as a score. */
static tvgp_status keep_better(const run *r, double value, size_t *n, double *Z, double *score) {
    const tvgp__search_space *s = &r->p->space;
    uint8_t ok[2 * TVGP__SEARCH_SPACE_MOST];
    size_t kept = 0;
    TVGP__TRY(tvgp__ascent_score(&r->p->target, s->dim, *n, Z, score, NULL));
    for (size_t i = 0; i < *n; i++)
        if (score[i] > value) {
            memmove(Z + kept * s->dim, Z + i * s->dim, s->dim * sizeof *Z);
            score[kept++] = score[i];
        }
    *n = kept;
    TVGP__TRY(kept ? tvgp__search_space_test(s, kept, Z, ok) : TVGP_OK);
    for (size_t i = 0; i < kept; i++)
        score[i] = ok[i] ? score[i] : -INFINITY;
    return TVGP_OK;
}

/* The best of n feasible points replaces x when it is better: *better. */
static tvgp_status try_points(const run *r, size_t n, double *Z, double *x, double *value, int *better) {
    const tvgp__search_space *s = &r->p->space;
    double score[2 * TVGP__SEARCH_SPACE_MOST];
    *better = 0;
    if (s->safe.keep) {
        TVGP__TRY(keep_better(r, *value, &n, Z, score));
    } else {
        TVGP__TRY(tvgp__search_space_keep(s, &n, Z));
        TVGP__TRY(tvgp__ascent_score(&r->p->target, s->dim, n, Z, score, NULL));
    }
    size_t best = n ? highest(n, score) : 0;
    if (!n || !(score[best] > *value))
        return TVGP_OK;
    *better = 1;
    *value = score[best];
    memcpy(x, Z + best * s->dim, s->dim * sizeof *x);
    return TVGP_OK;
}

/* Random points around a start, nearer when none is better: ascents alone stick at the boundary of the set. Down to `least`
 * lengthscales. */
static tvgp_status hunt(run *r, double least, double *x, double *value) {
    const tvgp__search_space *s = &r->p->space;
    double *Z = r->Z, h = 0.2;
    for (int round = 0, better; round < HUNT_ROUNDS && h > least; round++) {
        for (size_t i = 0; i < HUNT_POINTS; i++) {
            for (size_t d = 0; d < s->dim; d++)
                Z[i * s->dim + d] =
                    x[d] + (tvgp__search_space_fixed(s, d) ? 0 : h * s->reach[d] * tvgp__random_stream_normal(&r->stream));
            tvgp__search_space_clip(s, Z + i * s->dim);
        }
        TVGP__TRY(try_points(r, HUNT_POINTS, Z, x, value, &better));
        h *= better ? 1 : 0.5;
    }
    return TVGP_OK;
}

/* Every whole coordinate one up and one down. */
static size_t neighbours(const tvgp__search_space *s, const double *x, double *Z) {
    size_t n = 0;
    for (size_t d = 0; d < s->dim; d++)
        for (int step = -1; step <= 1; step += 2) {
            if (!tvgp__search_space_whole(s, d) || x[d] + step < s->lower[d] || x[d] + step > s->upper[d])
                continue;
            memcpy(Z + n * s->dim, x, s->dim * sizeof *Z);
            Z[n++ * s->dim + d] += step;
        }
    return n;
}

static tvgp_status climb_whole(const run *r, double *x, double *value, double *Z) {
    for (int better = 1; better;) {
        size_t n = neighbours(&r->p->space, x, Z);
        TVGP__TRY(try_points(r, n, Z, x, value, &better));
    }
    return TVGP_OK;
}

static size_t answer(const run *r) {
    double best = r->value[highest(r->starts, r->value)];
    size_t i = 0;
    while (r->value[i] < best - 1e-9 * r->p->target.scale)
        i++;
    return i;
}

/* Every coordinate to either end of its side. */
static size_t faces(const tvgp__search_space *s, const double *x, double *Z) {
    size_t n = 0;
    for (size_t d = 0; d < s->dim; d++)
        for (int end = 0; end < 2; end++) {
            const double to = end ? s->upper[d] : s->lower[d];
            if (tvgp__search_space_fixed(s, d) || tvgp__search_space_whole(s, d) || x[d] == to)
                continue;
            memcpy(Z + n * s->dim, x, s->dim * sizeof *Z);
            Z[n++ * s->dim + d] = to;
        }
    return n;
}

/* A score of many dimensions has maxima in many corners. The best ascents exchange coordinates, one by one, and those
 * that gained are optimised again. */
static tvgp_status cross(run *r) {
    const tvgp__search_space *s = &r->p->space;
    size_t dim = s->dim, crossed = 0;
    double *Z = r->Z, *again = r->again, value[CROSSERS];
    memcpy(r->left, r->value, r->starts * sizeof *r->left);
    for (size_t k = 0; k < CROSSERS && k < r->starts; k++) {
        size_t i = highest(r->starts, r->left);
        double *x = again + crossed * dim;
        int better = 1, moved = 0;
        r->left[i] = -INFINITY;
        memcpy(x, r->S + i * dim, dim * sizeof *x);
        value[crossed] = r->value[i];
        for (; better; moved |= better)
            TVGP__TRY(try_points(r, faces(s, x, Z), Z, x, &value[crossed], &better));
        crossed += (size_t)moved;
    }
    TVGP__TRY(tvgp__ascent_run(s, &r->p->target, crossed, again, value));
    for (size_t k = 0; k < crossed; k++)
        if (value[k] > r->value[highest(r->starts, r->value)]) {
            memcpy(r->S, again + k * dim, dim * sizeof *r->S);
            r->value[0] = value[k];
        }
    return TVGP_OK;
}

/* From the best starts; the ascent of the other coordinates goes on from the best of them, which becomes start 0. */
static tvgp_status move_whole(run *r) {
    const tvgp__search_space *s = &r->p->space;
    size_t dim = s->dim, whole = 0;
    for (size_t d = 0; d < dim; d++)
        whole += tvgp__search_space_whole(s, d) && !tvgp__search_space_fixed(s, d);
    if (!whole)
        return TVGP_OK;
    double *Z = NULL, *left = NULL;
    TVGP__TRY(tvgp__scratch_take(s->ctx, 2 * whole * dim + r->starts, &Z));
    left = Z + 2 * whole * dim;
    memcpy(left, r->value, r->starts * sizeof *left);
    tvgp_status status = TVGP_OK;
    for (size_t k = 0; k < WHOLE_STARTS && k < r->starts && status == TVGP_OK; k++) {
        size_t i = highest(r->starts, left);
        left[i] = -INFINITY;
        status = climb_whole(r, r->S + i * dim, &r->value[i], Z);
    }
    tvgp__scratch_give(s->ctx, Z);
    TVGP__TRY(status);
    size_t best = answer(r);
    memmove(r->S, r->S + best * dim, dim * sizeof *r->S);
    r->value[0] = r->value[best];
    r->starts = 1;
    return tvgp__ascent_run(s, &r->p->target, 1, r->S, r->value);
}

/* ---- the whole search ------------------------------------------------------------------------------------------- */

static tvgp_status allocate(run *r) {
    size_t most = tvgp__search_points_most(&r->plan), dim = r->p->space.dim;
    const size_t points = 2 * dim > AT_ONCE ? 2 * dim : AT_ONCE;
    TVGP__TRY(tvgp__scratch_zeros(r->p->space.ctx, most * (dim + 3) + r->most * (dim + 2) + (points + CROSSERS) * dim,
                                  &r->memory));
    r->X = r->memory;
    r->bound = r->X + most * dim;
    r->score = r->bound + most;
    r->left = r->score + most;
    r->S = r->left + most;
    r->value = r->S + r->most * dim;
    r->Z = r->value + r->most;
    r->again = r->Z + points * dim;
    r->start = (size_t *)(r->again + CROSSERS * dim);
    return TVGP_OK;
}

/* From the best starts; by limits, where a point takes so much longer, from fewer and not as far. */
static tvgp_status hunt_all(run *r) {
    const tvgp__search_space *s = &r->p->space;
    const size_t hunters = !tvgp__search_space_limited(s) ? 0 : s->safe.keep ? LIMITED_HUNTERS : HUNTERS;
    for (size_t k = 0; k < hunters && k < r->starts; k++)
        TVGP__TRY(hunt(r, s->safe.keep ? 1e-4 : 0, r->S + k * s->dim, &r->value[k]));
    return TVGP_OK;
}

static tvgp_status climb(run *r) {
    const tvgp__search *p = r->p;
    TVGP__TRY(draw(r));
    TVGP__TRY(find_starts(r));
    TVGP__TRY(hunt_all(r));
    TVGP__TRY(tvgp__ascent_run(&p->space, &p->target, r->starts, r->S, r->value));
    TVGP__TRY(cross(r));
    return move_whole(r);
}

/* The result of a search on the lattice and its score. If the lattice point leaves the set or has no score, x and score
 * are unchanged. */
static tvgp_status finish_on(const tvgp__search *p, double *x, double *score) {
    double snapped[TVGP__SEARCH_SPACE_MOST], value;
    uint8_t ok = 0;
    memcpy(snapped, x, p->space.dim * sizeof *x);
    tvgp__search_space_snap(&p->space, snapped);
    TVGP__TRY(tvgp__search_space_test(&p->space, 1, snapped, &ok));
    if (!ok)
        return TVGP_OK;
    TVGP__TRY(tvgp__ascent_score(&p->target, p->space.dim, 1, snapped, &value, NULL));
    if (!isfinite(value))
        return TVGP_OK;
    memcpy(x, snapped, p->space.dim * sizeof *x);
    *score = value;
    return TVGP_OK;
}

static tvgp_status search(const tvgp__search_config *config, const tvgp__search *p, double *x) {
    size_t d = tvgp__search_space_free(&p->space);
    run r = {.p = p, .plan = tvgp__search_points_plan_of(d, config->effort)};
    r.plan.known = p->space.safe.n_known < TVGP__SEARCH_POINTS_KNOWN ? p->space.safe.n_known : TVGP__SEARCH_POINTS_KNOWN;
    r.stream = tvgp__random_stream_open(p->seed, TVGP__RANDOM_STREAM_SEARCH, p->step);
    r.most = (size_t)ceil(fmin(16 * config->effort * (double)(d < 4 ? d : 4), 1e6));
    tvgp_status status = allocate(&r);
    if (status == TVGP_OK)
        status = climb(&r);
    if (status == TVGP_OK)
        memcpy(x, r.S + answer(&r) * p->space.dim, p->space.dim * sizeof *x);
    tvgp__scratch_give(p->space.ctx, r.memory);
    return status;
}

static tvgp_status only_point(const tvgp__search *p, double *x) {
    uint8_t ok = 0;
    memcpy(x, p->space.lower, p->space.dim * sizeof *x);
    TVGP__TRY(tvgp__search_space_test(&p->space, 1, x, &ok));
    if (!ok)
        return tvgp__error_set(p->space.ctx, TVGP_ERR_NOTFOUND, "the only point within the bounds is not feasible");
    return TVGP_OK;
}

tvgp_status tvgp__search_run(const tvgp__search_config *config, const tvgp__search *p, double *x, double *score) {
    *score = -INFINITY;
    if (tvgp__search_space_free(&p->space)) {
        TVGP__TRY(search(config, p, x));
        TVGP__TRY(finish_on(p, x, score));
    } else {
        TVGP__TRY(only_point(p, x));
    }
    if (!isfinite(*score))
        TVGP__TRY(tvgp__ascent_score(&p->target, p->space.dim, 1, x, score, NULL));
    return isfinite(*score) ? TVGP_OK : tvgp__search_none(p->space.ctx);
}

/* SPDX-License-Identifier: MIT */
/* Many local maximisations at once: projected BFGS (linalg/bfgs.h) from every start, with all trial points evaluated as one
 * block (choose/ascent.h). */
#include "choose/ascent.h"

#include "base/error.h"
#include "base/quota.h"
#include "base/scratch.h"
#include "linalg/bfgs.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 60, LEAST = 4 };

typedef struct {
    const tvgp__search_space *s;
    const tvgp__ascent_target *target;
    size_t n, p, alive;
    size_t coordinate[TVGP__SEARCH_SPACE_MOST]; /* of the domain, for each of the p */
    double lower[TVGP__SEARCH_SPACE_MOST],
        upper[TVGP__SEARCH_SPACE_MOST]; /* of them, in lengthscales from the lower bound */
    tvgp__bfgs_rules rules;
    int unit; /* searches run in 2^unit, the power of two below the target's scale, so that they do not depend on the unit */
    double *X;                          /* n x dim: where the coordinates that are not free stay */
    tvgp__bfgs *search;                 /* n */
    uint8_t *done, *ok;                 /* n each */
    size_t *order;                      /* n: of those alive */
    double *taken;                      /* the work space that all of these are in */
    double *memory;                     /* of the searches, then of the block below */
    double *Z, *score, *gradient, *own; /* n x dim, n, n x dim, p */
} ascent;

tvgp_status tvgp__ascent_score(const tvgp__ascent_target *target, size_t dim, size_t n, const double *Z, double *score,
                               double *gradient) {
    for (size_t first = 0; first < n; first += TVGP__ASCENT_BLOCK) {
        size_t m = n - first < TVGP__ASCENT_BLOCK ? n - first : TVGP__ASCENT_BLOCK;
        TVGP__TRY(target->score(target->user, m, Z + first * dim, score + first, gradient ? gradient + first * dim : NULL));
    }
    for (size_t i = 0; i < n; i++)
        score[i] = isfinite(score[i]) ? score[i] : -INFINITY;
    return TVGP_OK;
}

/* ---- coordinates ------------------------------------------------------------------------------------------------ */

static void choose_coordinates(ascent *a) {
    const tvgp__search_space *s = a->s;
    for (size_t d = 0; d < s->dim; d++)
        if (!tvgp__search_space_fixed(s, d) && !tvgp__search_space_whole(s, d)) {
            a->lower[a->p] = 0;
            a->upper[a->p] = (s->upper[d] - s->lower[d]) / s->reach[d];
            a->coordinate[a->p++] = d;
        }
}

static void to_lengths(const ascent *a, const double *x, double *u) {
    for (size_t k = 0; k < a->p; k++)
        u[k] = (x[a->coordinate[k]] - a->s->lower[a->coordinate[k]]) / a->s->reach[a->coordinate[k]];
}

static void from_lengths(const ascent *a, const double *u, double *x) {
    for (size_t k = 0; k < a->p; k++) {
        size_t d = a->coordinate[k];
        double at = u[k] >= a->upper[k] ? a->s->upper[d] : a->s->lower[d] + u[k] * a->s->reach[d];
        x[d] = fmin(at, a->s->upper[d]);
    }
}

static double distance(const ascent *a, size_t i, size_t j) {
    double sum = 0;
    for (size_t k = 0; k < a->p; k++) {
        double apart = a->search[i].x[k] - a->search[j].x[k];
        sum += apart * apart;
    }
    return sqrt(sum);
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

/* Doubles that n objects of `size` bytes take. */
static size_t doubles(size_t n, size_t size) {
    return (n * size + sizeof(double) - 1) / sizeof(double);
}

static tvgp_status allocate(ascent *a) {
    size_t n = a->n, dim = a->s->dim, room = tvgp__bfgs_room(a->p);
    const size_t searches = doubles(n, sizeof *a->search), order = doubles(n, sizeof *a->order);
    const size_t numbers = n * (room + 2 * dim + 1) + a->p;
    TVGP__TRY(tvgp__scratch_zeros(a->s->ctx, searches + order + numbers + doubles(n, 2), &a->taken));
    a->search = (tvgp__bfgs *)a->taken;
    a->order = (size_t *)(a->taken + searches);
    a->memory = a->taken + searches + order;
    a->done = (uint8_t *)(a->memory + numbers);
    a->ok = a->done + n;
    a->Z = a->memory + n * room;
    a->score = a->Z + n * dim;
    a->gradient = a->score + n;
    a->own = a->gradient + n * dim;
    return TVGP_OK;
}

/* The starts still climbing, best first; of equal ones the lower index. */
static void sort_alive(ascent *a) {
    a->alive = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (a->done[i])
            continue;
        size_t at = a->alive++;
        for (; at > 0 && a->search[a->order[at - 1]].f > a->search[i].f; at--)
            a->order[at] = a->order[at - 1];
        a->order[at] = i;
    }
}

static double best(const ascent *a) {
    double f = INFINITY;
    for (size_t i = 0; i < a->n; i++)
        f = fmin(f, a->search[i].f);
    return f;
}

/* What a full step promises: g'd of the model. */
static double promise(const tvgp__bfgs *b) {
    double sum = 0;
    for (size_t k = 0; k < b->p; k++)
        sum -= b->g[k] * b->d[k];
    return sum;
}

static int has_better_neighbour(const ascent *a, size_t i) {
    for (size_t j = 0; j < a->n; j++) {
        int better = a->search[j].f < a->search[i].f || (a->search[j].f == a->search[i].f && j < i);
        if (better && distance(a, i, j) < 0.01)
            return 1;
    }
    return 0;
}

static tvgp_status retire(ascent *a, size_t round) {
    double least = best(a);
    sort_alive(a);
    for (size_t k = 0; round >= 4 && k < a->alive; k++) {
        size_t i = a->order[k];
        const tvgp__bfgs *b = &a->search[i];
        TVGP__TRY(tvgp__quota_poll(a->s->ctx, (double)(a->n * a->p)));
        a->done[i] = has_better_neighbour(a, i) || (round >= 9 && b->f - 4 * promise(b) > least);
    }
    if (round != 4 && round != 8 && round != 16)
        return TVGP_OK;
    sort_alive(a);
    size_t half = a->alive - a->alive / 2;
    for (size_t k = half > LEAST ? half : LEAST; k < a->alive; k++)
        a->done[a->order[k]] = 1;
    return TVGP_OK;
}

static tvgp_status evaluate_round(ascent *a) {
    size_t dim = a->s->dim, m = 0, p = a->p;
    for (size_t i = 0; i < a->n; i++)
        if (!a->done[i]) {
            memcpy(a->Z + m * dim, a->X + i * dim, dim * sizeof *a->Z);
            from_lengths(a, a->search[i].trial, a->Z + m++ * dim);
        }
    TVGP__TRY(tvgp__search_space_test(a->s, m, a->Z, a->ok));
    TVGP__TRY(tvgp__ascent_score(a->target, dim, m, a->Z, a->score, a->gradient));
    for (size_t i = 0, k = 0; i < a->n; i++) {
        if (a->done[i])
            continue;
        for (size_t c = 0; c < p; c++)
            a->own[c] = ldexp(-a->gradient[k * dim + a->coordinate[c]], -a->unit) * a->s->reach[a->coordinate[c]];
        a->done[i] = tvgp__bfgs_take(&a->search[i], a->ok[k] ? ldexp(-a->score[k], -a->unit) : INFINITY, a->own) !=
                     TVGP__BFGS_EVALUATE;
        k++;
    }
    return TVGP_OK;
}

static tvgp_status climb(ascent *a) {
    for (size_t i = 0; i < a->n; i++) {
        to_lengths(a, a->X + i * a->s->dim, a->own);
        tvgp__bfgs_open(&a->search[i], a->p, a->memory + i * tvgp__bfgs_room(a->p), &a->rules, a->lower, a->upper, a->own,
                        NULL);
    }
    for (size_t round = 1; round <= ROUNDS; round++) {
        TVGP__TRY(tvgp__quota_work(a->s->ctx, a->alive, a->n)); /* they are compared */
        sort_alive(a);
        if (!a->alive)
            break;
        TVGP__TRY(evaluate_round(a));
        TVGP__TRY(retire(a, round));
    }
    return TVGP_OK;
}

tvgp_status tvgp__ascent_run(const tvgp__search_space *s, const tvgp__ascent_target *target, size_t n, double *X,
                             double *score) {
    ascent a = {.s = s, .target = target, .n = n, .alive = n, .X = X};
    if (target->scale > 0)
        a.unit = ilogb(target->scale);
    const double scale = ldexp(target->scale, -a.unit);
    a.rules = (tvgp__bfgs_rules){.first_step = 0.2,
                                 .least_first = 1e-12 * scale,
                                 .least_curved = 1e-12 * scale,
                                 .cap_first = 0.3,
                                 .cap = 1,
                                 .damping = 0.05,
                                 .flat = 1e-11 * scale,
                                 .tries = ROUNDS,
                                 .tol_gradient = 1e-9 * scale,
                                 .tol_step = 1e-8};
    choose_coordinates(&a);
    if (!a.p)
        return tvgp__ascent_score(target, s->dim, n, X, score, NULL);
    tvgp_status status = allocate(&a);
    if (status == TVGP_OK)
        status = climb(&a);
    for (size_t i = 0; status == TVGP_OK && i < n; i++) {
        if (!isfinite(a.search[i].f)) /* nothing finite at the start: it stays where it was */
            continue;
        from_lengths(&a, a.search[i].x, X + i * s->dim);
        score[i] = ldexp(-a.search[i].f, a.unit);
    }
    tvgp__scratch_give(s->ctx, a.taken);
    return status;
}

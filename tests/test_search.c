/* SPDX-License-Identifier: MIT */
/* The search over a box: against grids and against many searches, with bounds, whole numbers and sets; what it shares with
 * the policies is in test_box. */
#include "cases.h"
#include "choose/ascent.h"
#include "choose/rule.h"
#include "choose/search.h"
#include "choose/search_points.h"
#include "linalg/chol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 6, ROWS = 60 };

/* An upper bound after a random number of random observations (half of them in a cluster), as a form. */
struct problem {
    tvgp_kernel *kernel;
    tvgp__chol factor;
    double X[ROWS * MOST], u[ROWS], a[ROWS], own[ROWS];
    double low[MOST], high[MOST], reach[MOST];
    double work[(4 * ROWS + 3) * TVGP__PREDICTIVE_BLOCK];
    double width;
    size_t evaluations, calls_left; /* calls_left: 0 never fails */
    tvgp__predictive form;
    tvgp__search search;
};

static tvgp_status score(void *user, size_t m, const double *Z, double *value, double *gradient) {
    struct problem *p = user;
    p->evaluations += m;
    if (p->calls_left && --p->calls_left == 0)
        return -1234;
    return tvgp__rule_points_ucb(&p->form, p->width, m, Z, p->work, value, gradient);
}

static tvgp_status bound(void *user, size_t m, const double *Z, double *value) {
    struct problem *p = user;
    return tvgp__rule_points_upper(&p->form, p->width, p->a, m, Z, p->work, value);
}

static struct problem *make_problem(size_t dim, uint64_t seed) {
    struct problem *p = calloc(1, sizeof *p);
    struct rnd r = {seed};
    size_t n = 5 + rnd_below(&r, ROWS - 5);
    double length = 0.2 + 0.1 * (double)dim * rnd_uniform(&r), near[MOST], k[ROWS];
    ck_assert(p != NULL);
    p->kernel = seed % 3 ? harness_se(dim, 1, &length) : MAKE_KERNEL(tvgp_kernel_matern, ctx, dim, 2.5, 1, 1, &length);
    p->factor.ctx = ctx;
    p->width = 1 + 2 * rnd_uniform(&r);
    rnd_fill(&r, dim, near);
    for (size_t i = 0; i < n; i++) {
        double *x = p->X + i * dim;
        for (size_t d = 0; d < dim; d++)
            x[d] = i % 2 ? rnd_uniform(&r) : fmin(fmax(near[d] + 0.1 * rnd_normal(&r), 0), 1);
        ASSERT_OK(tvgp__kernel_block(p->kernel, 1, x, i, p->X, k, i + 1));
        ASSERT_OK(tvgp__chol_append(&p->factor, k, 1, 0.01));
        p->own[i] = 1.01;
        p->u[i] = rnd_normal(&r);
    }
    p->form = tvgp__predictive_of(ctx, p->kernel, n, p->X, p->factor.L, p->factor.capacity, p->u);
    p->form.own = p->own;
    tvgp__predictive_weights(&p->form, p->a);
    for (size_t d = 0; d < dim; d++)
        p->high[d] = 1;
    tvgp__kernel_reach(p->kernel, p->high, p->reach);
    p->search = (tvgp__search){
        .space =
            {.ctx = ctx, .dim = dim, .low = p->low, .high = p->high, .lower = p->low, .upper = p->high, .reach = p->reach},
        .target = {.score = score, .user = p, .scale = p->width},
        .bound = bound,
        .n_support = n,
        .support = p->X,
        .seed = seed};
    return p;
}

static void free_problem(struct problem *p) {
    tvgp__chol_free(&p->factor);
    free(p);
}

static const tvgp__search_config usual = {.effort = 1};

TEST(finds_the_maximum_of_a_line) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct problem *p = make_problem(1, seed);
        double x, found, best = -INFINITY, z[100], value[100];
        ASSERT_OK(tvgp__search_run(&usual, &p->search, &x, &found));
        for (size_t first = 0; first <= 20000; first += 100) {
            for (size_t i = 0; i < 100; i++)
                z[i] = fmin((double)(first + i) / 20000, 1);
            ASSERT_OK(score(p, 100, z, value, NULL));
            for (size_t i = 0; i < 100; i++)
                best = fmax(best, value[i]);
        }
        /* half a step of the lattice, 5e-7, costs up to 1.2e-9 here; without it all gaps are below 1e-10 */
        ck_assert_msg(found >= best - 2e-9, "seed %d: %.12g at %.9g, the grid has %.12g", (int)seed, found, x, best);
        ASSERT_OK(score(p, 1, &x, value, NULL));
        ck_assert_double_eq(value[0], found); /* the score is that of the point */
        ck_assert(x == 1 || ldexp(x, 20) == floor(ldexp(x, 20)));
        free_problem(p);
    }
}

/* Below the best of ten other searches by more than 1e-2: at most 2 of 60. Half a thousand evaluations a search. */
TEST_WHERE(rarely_misses, MOST + 1, _i >= 2) {
    const size_t dim = (size_t)_i;
    size_t missed = 0, evaluations = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct problem *p = make_problem(dim, 1000 * dim + seed);
        double x[MOST], found, other, best = -INFINITY;
        ASSERT_OK(tvgp__search_run(&usual, &p->search, x, &found));
        evaluations += p->evaluations;
        for (p->search.step = 1; p->search.step <= 10; p->search.step++) {
            ASSERT_OK(tvgp__search_run(&usual, &p->search, x, &other));
            best = fmax(best, other);
        }
        missed += found < best - 1e-2;
        free_problem(p);
    }
    ck_assert_msg(missed <= 2, "d = %d: %d of 60 missed", (int)dim, (int)missed);
    ck_assert_msg(evaluations < 60 * 1000, "d = %d: %d evaluations", (int)dim, (int)evaluations / 60);
}

/* Working out fewer scores changes nothing; the same search twice is the same; another seed is not. */
TEST(lazy_and_repeated) {
    size_t fewer = 0, all = 0, other = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct problem *p = make_problem(3, seed);
        double x[3], y[3], value, again;
        ASSERT_OK(tvgp__search_run(&usual, &p->search, x, &value));
        fewer += p->evaluations;
        p->evaluations = 0;
        ASSERT_OK(tvgp__search_run(&usual, &p->search, y, &again));
        ck_assert_mem_eq(x, y, sizeof x);
        p->search.bound = NULL;
        p->evaluations = 0;
        ASSERT_OK(tvgp__search_run(&usual, &p->search, y, &again));
        all += p->evaluations;
        p->search.seed = seed + 1;
        double from[3] = {0.2, 0.3, 0.4};
        p->search.last = from;
        ASSERT_OK(tvgp__search_run(&usual, &p->search, from, &again)); /* x may be the last maximiser itself */
        other += memcmp(x, from, sizeof x) != 0;
        free_problem(p);
    }
    ck_assert_msg(fewer < all, "%d and %d evaluations", (int)fewer, (int)all);
    ck_assert(other < 60); /* most maxima are found from anywhere */
}

/* ---- scores in closed form -------------------------------------------------------------------------------------- */

/* -|x - peak|^2 (in one or two places), or no slope at all. */
struct hill {
    size_t dim;
    double peak[3], other[3];
    int two, flat;
};

static tvgp_status height(void *user, size_t m, const double *Z, double *value, double *gradient) {
    const struct hill *h = user;
    for (size_t i = 0; i < m; i++) {
        const double *z = Z + i * h->dim, *peak = h->peak;
        double one = 0, two = 0;
        for (size_t d = 0; d < h->dim; d++) {
            one += (z[d] - h->peak[d]) * (z[d] - h->peak[d]);
            two += (z[d] - h->other[d]) * (z[d] - h->other[d]);
        }
        if (h->two && two < one) {
            peak = h->other;
            one = two;
        }
        value[i] = h->flat ? 3 : -one;
        for (size_t d = 0; gradient && d < h->dim; d++)
            gradient[i * h->dim + d] = h->flat ? 0 : -2 * (z[d] - peak[d]);
    }
    return TVGP_OK;
}

struct place {
    double low[3], high[3], lower[3], upper[3], reach[3];
    uint8_t whole[3];
    tvgp__search search;
};

static void make_place(struct place *p, struct hill *h, double low, double high, double reach) {
    *p = (struct place){.search = {.seed = 5}};
    for (size_t d = 0; d < h->dim; d++) {
        p->low[d] = p->lower[d] = low;
        p->high[d] = p->upper[d] = high;
        p->reach[d] = reach;
    }
    p->search.space = (tvgp__search_space){.ctx = ctx,
                                           .dim = h->dim,
                                           .low = p->low,
                                           .high = p->high,
                                           .lower = p->lower,
                                           .upper = p->upper,
                                           .reach = p->reach,
                                           .whole = p->whole};
    p->search.target = (tvgp__ascent_target){.score = height, .user = h, .scale = 1};
}

TEST(ties_and_flat_scores) {
    struct hill h = {.dim = 2, .peak = {0.25, 0.5}, .other = {0.75, 0.5}, .two = 1};
    struct place p;
    double x[2], y[2], value;
    make_place(&p, &h, 0, 1, 0.3);
    ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
    ck_assert(fabs(value) < 1e-11);
    for (int i = 0; i < 5; i++) {
        ASSERT_OK(tvgp__search_run(&usual, &p.search, y, &value));
        ck_assert_mem_eq(x, y, sizeof x);
    }
    h.flat = 1;
    ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
    ck_assert(x[0] == 0.5 && x[1] == 0.5 && value == 3);
}

/* A maximum on the boundary is met exactly; fixed coordinates stay; all fixed is a search too. */
TEST(bounds) {
    struct hill h = {.dim = 3, .peak = {0.4, -2, 7}};
    struct place p;
    double x[3], value;
    make_place(&p, &h, -1, 1.3, 0.5);
    ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
    ck_assert(x[1] == -1 && x[2] == 1.3);
    ck_assert_msg(fabs(x[0] - 0.4) < 2e-6, "%.9g", x[0]);
    p.lower[0] = p.upper[0] = 0.123456789;
    p.upper[2] = 1.2999999;
    ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
    ck_assert(x[0] == 0.123456789 && x[1] == -1 && x[2] == 1.2999999);
    memcpy(p.lower, x, sizeof x);
    memcpy(p.upper, x, sizeof x);
    ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
    ck_assert(x[0] == 0.123456789 && x[1] == -1 && x[2] == 1.2999999);
}

/* The best whole point of a hill that is not separable is found as on its grid. */
static tvgp_status tilted(void *user, size_t m, const double *Z, double *value, double *gradient) {
    const struct hill *h = user;
    for (size_t i = 0; i < m; i++) {
        double e[3], cross;
        for (size_t d = 0; d < 3; d++)
            e[d] = Z[i * 3 + d] - h->peak[d];
        cross = e[0] + 0.5 * e[1] - 0.3 * e[2];
        value[i] = -(e[0] * e[0] + 1.5 * e[1] * e[1] + 0.7 * e[2] * e[2]) - 0.4 * cross * cross;
        if (gradient) {
            gradient[i * 3] = -2 * e[0] - 0.8 * cross;
            gradient[i * 3 + 1] = -3 * e[1] - 0.4 * cross;
            gradient[i * 3 + 2] = -1.4 * e[2] + 0.24 * cross;
        }
    }
    return TVGP_OK;
}

TEST(whole_numbers) {
    struct rnd r = {3};
    for (int round = 0; round < 20; round++) {
        struct hill h = {.dim = 3};
        struct place p;
        double x[3], value, best = -INFINITY;
        make_place(&p, &h, 0, 10, 2);
        p.search.target.score = tilted;
        for (size_t d = 0; d < 3; d++) {
            h.peak[d] = 12 * rnd_uniform(&r) - 1;
            p.whole[d] = 1;
        }
        for (size_t i = 0; i < 1331; i++) {
            double z[3] = {(double)(i / 121), (double)(i / 11 % 11), (double)(i % 11)}, at;
            ASSERT_OK(tilted(&h, 1, z, &at, NULL));
            best = fmax(best, at);
        }
        ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
        for (size_t d = 0; d < 3; d++)
            ck_assert(x[d] == floor(x[d]) && x[d] >= 0 && x[d] <= 10);
        ck_assert_msg(value >= best - 1e-12, "round %d: %g, the grid has %g", round, value, best);
        p.whole[1] = 0; /* and one that is not */
        ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
        ck_assert(x[0] == floor(x[0]) && x[2] == floor(x[2]) && value >= best - 1e-12);
    }
}

/* ---- sets ------------------------------------------------------------------------------------------------------- */

struct ball {
    size_t dim;
    double centre[3], radius;
    int32_t status;
};

static int32_t in_ball(void *user, size_t n, const double *X, uint8_t *ok) {
    const struct ball *b = user;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t d = 0; d < b->dim; d++)
            sum += (X[i * b->dim + d] - b->centre[d]) * (X[i * b->dim + d] - b->centre[d]);
        ok[i] = sum <= b->radius * b->radius;
    }
    return b->status;
}

/* A set of about 1 % of the volume, the hill outside: the nearest point of the ball, within 1e-3. */
TEST(small_sets) {
    for (size_t dim = 2; dim <= 3; dim++) {
        struct hill h = {.dim = dim, .peak = {0.9, 0.8, 0.9}};
        struct ball b = {.dim = dim, .centre = {0.3, 0.4, 0.3}, .radius = dim == 2 ? 0.056 : 0.13};
        struct place p;
        double x[3], value, away = 0;
        uint8_t ok;
        make_place(&p, &h, 0, 1, 0.3);
        p.search.space.feasible = in_ball;
        p.search.space.user = &b;
        ASSERT_OK(tvgp__search_run(&usual, &p.search, x, &value));
        ck_assert_int_eq(in_ball(&b, 1, x, &ok), 0);
        ck_assert(ok);
        for (size_t d = 0; d < dim; d++)
            away += (h.peak[d] - b.centre[d]) * (h.peak[d] - b.centre[d]);
        ck_assert_msg(sqrt(-value) - (sqrt(away) - b.radius) < 1e-3, "d = %d: %g too far", (int)dim,
                      sqrt(-value) - (sqrt(away) - b.radius));
        b.radius = 0;
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp__search_run(&usual, &p.search, x, &value), "feasible", "16385");
        b.status = -1500;
        ck_assert_int_eq(tvgp__search_run(&usual, &p.search, x, &value), -1500);
        b.status = 7;
        ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp__search_run(&usual, &p.search, x, &value), "returned 7");
    }
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

/* No number where x[0] >= from, but `none`, and NaN for a bound. */
struct gap {
    double from, none;
};

static tvgp_status gap_bound(void *user, size_t m, const double *Z, double *value) {
    for (size_t i = 0; i < m; i++)
        value[i] = Z[2 * i] >= ((const struct gap *)user)->from ? NAN : Z[2 * i] + Z[2 * i + 1];
    return TVGP_OK;
}

static tvgp_status gap_score(void *user, size_t m, const double *Z, double *value, double *gradient) {
    for (size_t i = 0; gradient && i < 2 * m; i++)
        gradient[i] = 1;
    (void)gap_bound(user, m, Z, value);
    for (size_t i = 0; i < m; i++)
        value[i] = isnan(value[i]) ? ((const struct gap *)user)->none : value[i];
    return TVGP_OK;
}

/* The best of those points whose score is a number; NUMERIC where there is none. */
TEST_EACH(scores_that_are_no_numbers, 2) {
    struct problem *p = make_problem(2, 1);
    struct gap gap = {0.6, _i ? INFINITY : NAN};
    double x[2], value;
    p->search.target = (tvgp__ascent_target){.score = gap_score, .user = &gap, .scale = 1};
    for (int lazy = 0; lazy < 2; lazy++) {
        p->search.bound = lazy ? gap_bound : NULL;
        gap.from = 0.6;
        ASSERT_OK(tvgp__search_run(&usual, &p->search, x, &value));
        ck_assert(x[0] < 0.6 && x[0] > 0.45 && x[1] == 1);
        gap.from = 0;
        ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp__search_run(&usual, &p->search, x, &value), "no score is a number");
    }
    free_problem(p);
}

/* Every allocation and every evaluation fails once: the status comes through and nothing leaks. */
TEST(failures) {
    struct problem *p = make_problem(2, 77);
    double x[2], want[2], value;
    size_t calls = 0, failed = 0;
    for (;; failed++) { /* work space that was allocated stays: one block more each time */
        memory.fail_in = failed ? 2 : 1;
        tvgp_status status = tvgp__search_run(&usual, &p->search, want, &value);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
    }
    ck_assert_uint_ge(failed, 4);
    for (size_t k = 1;; k++, calls++) {
        p->calls_left = k;
        tvgp_status status = tvgp__search_run(&usual, &p->search, x, &value);
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, -1234);
    }
    p->calls_left = 0;
    ck_assert(calls > 8);
    const size_t before = memory.allocated;
    ASSERT_OK(tvgp__search_run(&usual, &p->search, x, &value));
    ck_assert_uint_eq(memory.allocated, before);
    ck_assert_mem_eq(x, want, sizeof x);
    free_problem(p);
}

/* A function that is the same everywhere, and how often it was asked for. */
struct flat {
    size_t candidates, starts; /* points that were scored before the first gradient; those of the first gradients */
};

static tvgp_status flat_score(void *user, size_t m, const double *Z, double *value, double *gradient) {
    struct flat *f = user;
    (void)Z;
    if (gradient && !f->starts)
        f->starts = m;
    f->candidates += f->starts ? 0 : m;
    memset(value, 0, m * sizeof *value);
    if (gradient)
        memset(gradient, 0, 2 * m * sizeof *gradient);
    return TVGP_OK;
}

/* Points are compared with one another, which counts as work of its own (tvgp_ctx_set_quota): here no kernel is called at all. */
TEST(comparisons_are_work) {
    enum { STARTS = 64 };
    struct problem *p = make_problem(2, 1);
    struct flat flat = {0};
    double X[2 * STARTS], value[STARTS], x[2];
    rnd_fill(&(struct rnd){3}, 2 * STARTS, X);
    p->search.target = (tvgp__ascent_target){.score = flat_score, .user = &flat, .scale = 1};
    p->search.bound = NULL;
    p->search.n_support = 0;
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, STARTS * STARTS - 1));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp__ascent_run(&p->search.space, &p->search.target, STARTS, X, value),
                 "exceed the quota");
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 100 * STARTS * STARTS));
    ASSERT_OK(tvgp__ascent_run(&p->search.space, &p->search.target, STARTS, X, value));
    /* Each start is found by a look at all candidates, far more than the starts there are to be compared later. */
    flat = (struct flat){0};
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    ASSERT_OK(tvgp__search_run(&usual, &p->search, x, value));
    ck_assert_uint_lt(4 * flat.starts, flat.candidates);
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, (int64_t)(flat.starts * flat.candidates) - 1));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp__search_run(&usual, &p->search, x, value), "exceed the quota");
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    free_problem(p);
}

/* Each number of an integer coordinate gets the same share of the points that are tried first, the end points too. */
TEST(shares_of_whole_numbers) {
    enum { N = 1000, NUMBERS = 5 };
    const double low[2] = {-2, 0}, high[2] = {2, 1};
    const tvgp__search_space space = {.ctx = ctx, .dim = 2, .low = low, .high = high, .whole = (const uint8_t[]){1, 0}};
    double X[2 * N];
    size_t count[NUMBERS] = {0};
    tvgp__search_points_spread(&space, N, X);
    for (size_t i = 0; i < N; i++)
        count[(size_t)(X[2 * i] + 2)]++;
    for (size_t k = 0; k < NUMBERS; k++)
        ck_assert_msg(count[k] > 190 && count[k] < 210, "number %zu: %zu of 1000 points", k, count[k]);
}

HARNESS_MAIN("search")

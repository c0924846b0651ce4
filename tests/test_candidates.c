/* SPDX-License-Identifier: MIT */
/* Candidates on a box (compared with arms in test_same_points): their means against outcomes shifted by hand;
 * joint draws against the distribution of the best; refusals and allocations. */
#include "harness.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 14, DIM = 2, MANY = 65536 };

static const double lower[] = {0, -2}, upper[] = {1, 3}, lengthscale[] = {0.3, 1.5};
static const struct ref_kernel field = {.kind = REF_SE, .dim = DIM, .variance = 1, .l = {0.3, 1.5}};

static void random_points(struct rnd *r, size_t n, double *X) {
    for (size_t i = 0; i < n * DIM; i++)
        X[i] = lower[i % DIM] + rnd_uniform(r) * (upper[i % DIM] - lower[i % DIM]);
}

/* X NULL: on the box; otherwise n arms. */
static tvgp_policy *policy_of(const char *name, size_t n, const double *X, const char *options) {
    tvgp_domain *domain = X ? harness_arms(n, DIM, X) : harness_box(DIM, lower, upper);
    tvgp_policy *p = harness_create(name, domain, harness_se(DIM, DIM, lengthscale), options);
    (void)tvgp_policy_set_f64(p, "rank.tolerance", 0); /* of those that have one */
    return p;
}

/* Nothing is forgotten but what the policy forgets on arms too. */
static tvgp_policy *exact_on_box(const char *name, const char *options) {
    tvgp_policy *p = policy_of(name, 0, NULL, options);
    if (harness_has(p, "forget.tolerance"))
        ASSERT_OK(tvgp_policy_set(p, "forget.tolerance=0"));
    if (harness_has(p, "rows.limit"))
        ASSERT_OK(tvgp_policy_set(p, "rows.limit=0"));
    return p;
}

static double truth(const double *x, double t) {
    const double off = x[0] - 0.5 - 0.4 * sin(x[1] + 0.02 * t);
    return exp(-8 * off * off);
}

/* Policies that ask an expert: actions are among the candidates, side queries anywhere that was given. */
START_TEST(with_an_expert) {
    struct rnd r = {6};
    size_t actions = 0, sides = 0;
    tvgp_policy *p = policy_of(_i ? "w-sparq-gp-ucb" : "sparq-gp-ucb", 0, NULL, "");
    for (double t = 0; t < 60; t++) {
        double X[5 * DIM], x[8 * DIM];
        tvgp_query q[8];
        size_t n;
        random_points(&r, 5, X);
        ASSERT_OK(tvgp_policy_set_candidates(p, 5, X, NULL));
        ASSERT_OK(tvgp_policy_ask(p, t, 8, q, x, &n));
        for (size_t i = 0; i < n; i++) {
            ck_assert(q[i].kind == TVGP_SIDE ? q[i].arm == -1
                                             : q[i].arm >= 0 && !memcmp(x + DIM * i, X + DIM * q[i].arm, DIM * sizeof *x));
            actions += q[i].kind == TVGP_ACTION;
            sides += q[i].kind == TVGP_SIDE;
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, truth(x + DIM * i, t)));
        }
    }
    ck_assert(actions > 10 && sides > 10);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(p, 60, &(tvgp_query){0}, NULL), "x is NULL");
}

/* The width for a finite set: n of the list at hand (Srinivas et al. 2010, thm 1). */
START_TEST(width_of_a_list) {
    struct rnd r = {2};
    double X[9 * DIM];
    tvgp_policy *p = policy_of("gp-ucb", 0, NULL, "width.schedule=finite width.delta=0.2");
    random_points(&r, 9, X);
    for (size_t t = 1; t < 9; t++) {
        ASSERT_OK(tvgp_policy_set_candidates(p, t, X, NULL));
        (void)harness_ask(p, (double)t);
        const double beta = 2 * log((double)(t * t * t) * acos(-1) * acos(-1) / (6 * 0.2));
        ASSERT_NEAR(harness_stat(p, "width"), sqrt(beta), 1e-12);
    }
}

/* ---- means -------------------------------------------------------------------------------------------------------- */

/* The best of n points by the twin's own predictions and a mean for each; its score in *score. */
static size_t best_by_hand(tvgp_policy *twin, double t, size_t n, const double *X, const double *extra, double width,
                           double *score) {
    double mean[POINTS], var[POINTS];
    size_t best = 0;
    ASSERT_OK(tvgp_policy_predict(twin, t, n, X, mean, var));
    for (size_t i = 0; i < n; i++)
        mean[i] += extra[i] + width * sqrt(var[i]);
    for (size_t i = 1; i < n; i++)
        if (mean[i] > mean[best])
            best = i;
    *score = mean[best];
    return best;
}

/* A twin without candidates is given every outcome less the mean of its candidate: the first chooses by the sum of both, and
 * assumes the same. */
START_TEST(means_are_answers_shifted) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "auto-gp-ucb", "fb-gp-ucb", "fb-gp-ucb"};
    const int minimises = _i == 0, several = _i >= 3;
    const double own = 0.7, sign = minimises ? -1 : 1;
    struct rnd r = {(uint64_t)_i + 9};
    tvgp_policy *p = exact_on_box(names[_i], minimises ? "sense=min"
                                             : _i == 2 ? "time.unit=1"
                                                       : ""),
                *twin = exact_on_box(names[_i], minimises ? "sense=min"
                                                : _i == 2 ? "time.unit=1"
                                                          : "");
    tvgp_kernel *kernel = harness_se(DIM, DIM, lengthscale);
    for (int i = 0; several && i < 2; i++) { /* one with a mean of its own */
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, (size_t)i, i ? &own : NULL, 0.01 * i));
        ASSERT_OK(tvgp_policy_add_prior(twin, kernel, (size_t)i, i ? &own : NULL, 0.01 * i));
    }
    int64_t late = 0;
    double late_x[DIM], late_extra = 0, late_t = 0;
    for (size_t step = 0; step < 150; step++) {
        const double t = (double)step;
        double X[POINTS * DIM], extra[POINTS], x[DIM], score;
        random_points(&r, POINTS, X);
        for (size_t i = 0; i < POINTS; i++)
            extra[i] = 0.5 * rnd_normal(&r);
        ASSERT_OK(tvgp_policy_set_candidates(p, POINTS, X, extra));
        tvgp_query q = harness_ask_at(p, t, x);
        ck_assert(!memcmp(x, X + DIM * q.arm, sizeof x));
        if (!late && !several && step) {
            const size_t best = best_by_hand(twin, t, POINTS, X, extra, sign * harness_stat(p, "width"), &score);
            if (!minimises) {
                ck_assert_uint_eq((size_t)q.arm, best);
                ASSERT_NEAR(q.score, score, 1e-8);
            }
        }
        const double y = truth(x, t) + extra[q.arm] + 0.1 * rnd_normal(&r);
        if (!late && step % 7 == 3 && _i != 2) {
            late = q.id;
            late_extra = extra[q.arm];
            late_t = t;
            memcpy(late_x, x, sizeof x);
            continue; /* waits while lists change */
        }
        const tvgp_obs o = {.y = y - extra[q.arm], .flags = TVGP_OBS_HAS_TIME, .t = t};
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        ASSERT_OK(tvgp_policy_tell(twin, 1, &o, x));
        if (late && step % 7 == 6) {
            const tvgp_obs then = {.y = 1.25 - late_extra, .flags = TVGP_OBS_HAS_TIME, .t = late_t};
            ASSERT_OK(tvgp_policy_tell_value(p, late, 1.25));
            ASSERT_OK(tvgp_policy_tell(twin, 1, &then, late_x));
            late = 0;
        }
        ASSERT_SAME_PREDICTIONS(p, twin, t, POINTS, X, 1e-8); /* without the means */
    }
}

/* Prices decide between points that are alike, and are given back in the sign of the user; also before the first ask. */
START_TEST(prices) {
    const double X[] = {0.5, 0, 0.5, 0, 0.5, 0}, price[] = {-0.3, -0.1, -0.2}, cost[] = {0.3, 0.1, 0.2};
    for (int minimises = 0; minimises < 2; minimises++) {
        tvgp_policy *p = policy_of("gp-ucb", 0, NULL, minimises ? "sense=min" : "sense=max");
        tvgp_query q;
        int64_t best;
        double x[DIM], mean;
        ASSERT_OK(tvgp_policy_set_candidates(p, 3, X, minimises ? cost : price));
        ASSERT_OK(tvgp_policy_best(p, 0, &best, x));
        ck_assert_int_eq(best, 1);
        q = harness_ask(p, 0);
        ck_assert_int_eq(q.arm, 1);
        ASSERT_NEAR(q.score, (minimises ? 0.1 : -0.1) + (minimises ? -1 : 1) * harness_stat(p, "width"), 1e-12);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, minimises ? 0.1 : -0.1)); /* the price and nothing else */
        ASSERT_OK(tvgp_policy_best(p, 0, &best, NULL));
        ck_assert_int_eq(best, 1);
        ASSERT_OK(tvgp_policy_predict(p, 0, 1, X, &mean, NULL));
        ASSERT_NEAR(mean, 0, 1e-15);
        ASSERT_OK(tvgp_policy_set_candidates(p, 3, X, NULL)); /* all alike: the first */
        ck_assert_int_eq(harness_ask(p, 1).arm, 0);
    }
}

/* What would be chosen and by which score, at the candidates with their means and at other points of the box. */
START_TEST(scores_of_candidates) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "tv-gp-ucb", "rb-gp-ucb"};
    struct rnd r = {5};
    double X[POINTS * DIM], extra[POINTS], score[POINTS], mean[POINTS], sd[POINTS], there;
    const int draws = _i == 2;
    tvgp_policy *p = policy_of(names[_i], 0, NULL, draws ? "choice=thompson" : _i ? "" : "sense=min switch.cost=0.1");
    for (double t = 0; t < 20; t++) {
        double best = -INFINITY;
        random_points(&r, POINTS, X);
        rnd_fill(&r, POINTS, extra);
        ASSERT_OK(tvgp_policy_set_candidates(p, POINTS, X, extra));
        ASSERT_OK(harness_scores(p, t, POINTS, NULL, score, mean, sd));
        const tvgp_status status = harness_scores(p, t, 1, X, &there, NULL, NULL);
        const tvgp_query q = harness_ask(p, t);
        ASSERT_NEAR(score[q.arm], q.score, 1e-12);
        for (size_t i = 0; i < POINTS; i++)
            best = fmax(best, (_i ? 1 : -1) * score[i]);
        if (_i)
            ASSERT_NEAR(best, q.score, 1e-12);
        if (draws)
            ck_assert_int_eq(status, TVGP_ERR_UNSUPPORTED);
        else
            ASSERT_NEAR(there + extra[0], score[0], 1e-12);
        if (!draws && _i < 3)
            ASSERT_NEAR(score[3], mean[3] + (_i ? 1 : -1) * harness_stat(p, "width") * sd[3], 1e-12);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(X + DIM * q.arm, t)));
    }
    ASSERT_FAILS(TVGP_ERR_DIM, harness_scores(p, 20, 1, NULL, score, NULL, NULL), "n = 1", "14");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_predict(p, 20, 1, NULL, mean, NULL), "n = 1", "14");
}

/* ---- joint draws -------------------------------------------------------------------------------------------------- */

enum { FEW = 5 };

static double cdf(double z) {
    return 0.5 * erfc(-z / sqrt(2));
}

static double quantile(double p) {
    double low = -40, high = 40;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(cdf(middle) < p ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static void factor_of(size_t n, const double *A, double *L) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = A[i * n + j];
            for (size_t k = 0; k < j; k++)
                rest -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(rest) : rest / L[j * n + j];
        }
}

/* P(Y >= 0) of a normal vector of n <= 4 entries by separation of variables (Genz 1992), a midpoint rule in each. */
static double orthant(size_t n, size_t i, const double *mean, const double *L, double *z) {
    enum { NODES = 40 };
    double known = mean[i], sum = 0;
    for (size_t k = 0; k < i; k++)
        known += L[i * n + k] * z[k];
    const double share = cdf(known / L[i * n + i]);
    if (i + 1 == n)
        return share;
    for (size_t k = 0; k < NODES; k++) {
        z[i] = -quantile(((double)k + 0.5) / NODES * share); /* the part that stays above 0 */
        sum += orthant(n, i + 1, mean, L, z) / NODES;
    }
    return share * sum;
}

/* How probable each of the points is the best of the posterior. */
static void law_of_the_best(const double *mean, const double *P, double *share) {
    for (size_t best = 0; best < FEW; best++) {
        double m[FEW - 1], C[(FEW - 1) * (FEW - 1)], L[(FEW - 1) * (FEW - 1)], z[FEW - 1];
        size_t other[FEW - 1], n = 0;
        for (size_t i = 0; i < FEW; i++)
            if (i != best)
                other[n++] = i;
        for (size_t i = 0; i < n; i++) {
            m[i] = mean[best] - mean[other[i]];
            for (size_t j = 0; j < n; j++)
                C[i * n + j] = P[best * FEW + best] - P[best * FEW + other[j]] - P[other[i] * FEW + best] +
                               P[other[i] * FEW + other[j]];
        }
        factor_of(n, C, L);
        share[best] = orthant(n, 0, m, L, z);
    }
}

/* What the policy assumes at five points, by plain regression. */
static void believe(tvgp_policy *p, const double *X, double *mean, double *P) {
    static const double at[] = {0.2, 0.5, 0.8, -1, 0.45, 1.5}, y[] = {0.4, 0.1, 0.6};
    struct ref_gp ref;
    ref_gp_init(&ref, &field, 0, 4);
    for (size_t i = 0; i < 3; i++) {
        const tvgp_obs o = tvgp_obs_unsolicited(0, y[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, at + DIM * i));
        ref_gp_add(&ref, at + DIM * i, 0, y[i], 0.2);
    }
    ref_gp_predict(&ref, FEW, X, 1, mean, NULL);
    for (size_t i = 0; i < FEW; i++)
        for (size_t j = 0; j < FEW; j++)
            P[i * FEW + j] = ref_gp_covariance(&ref, X + DIM * i, X + DIM * j, 1);
    ref_gp_free(&ref);
}

static const double five[] = {0.3, 0.2, 0.55, 0.4, 0.9, 2, 0.1, -1.5, 0.7, -0.3};

START_TEST(draws_have_the_law_of_the_best) {
    enum { DRAWS = 100000 };
    double mean[FEW], P[FEW * FEW], share[FEW], total = 0, chi = 0;
    size_t drawn[FEW] = {0};
    tvgp_policy *p = policy_of("gp-ucb", 0, NULL, "choice=thompson noise=0.2 propensity.draws=0 pending.limit=1");
    believe(p, five, mean, P);
    law_of_the_best(mean, P, share);
    ASSERT_OK(tvgp_policy_set_candidates(p, FEW, five, NULL));
    for (size_t k = 0; k < DRAWS; k++)
        drawn[harness_ask(p, 1).arm]++;
    for (size_t i = 0; i < FEW; i++) {
        const double expected = share[i] * DRAWS;
        total += share[i];
        ck_assert_double_gt(expected, 50);
        chi += ((double)drawn[i] - expected) * ((double)drawn[i] - expected) / expected;
    }
    ASSERT_NEAR(total, 1, 1e-3);
    ck_assert_msg(chi < 18.5, "chi^2 = %g of 4 degrees of freedom", chi); /* 0.1 % */
}

/* The probability that a query says it was chosen with, for which 256 further draws count, and among means as well. */
START_TEST(propensities) {
    enum { DRAWS = 256, ASKS = 60 };
    static const double extra[] = {0.1, -0.2, 0.3, 0, -0.1};
    double mean[FEW], P[FEW * FEW], share[FEW];
    tvgp_policy *p = policy_of("gp-ucb", 0, NULL, "choice=thompson noise=0.2 seed=4");
    believe(p, five, mean, P);
    for (size_t i = 0; i < FEW; i++)
        mean[i] += extra[i];
    law_of_the_best(mean, P, share);
    ASSERT_OK(tvgp_policy_set_candidates(p, FEW, five, extra));
    for (size_t k = 0; k < ASKS; k++) {
        const tvgp_query q = harness_ask(p, 1);
        const double s = share[q.arm], expected = (1 + DRAWS * s) / (1 + DRAWS);
        ck_assert_double_le(fabs(q.propensity - expected), 4 * sqrt(s * (1 - s) / DRAWS));
    }
}

START_TEST(draws_that_are_refused) {
    static double X[1025 * DIM];
    struct rnd r = {3};
    tvgp_query q;
    double x[DIM];
    tvgp_policy *p = policy_of("gp-ucb", 0, NULL, "choice=thompson propensity.draws=1");
    random_points(&r, 1025, X);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, x), "thompson", "tvgp_policy_set_candidates");
    ASSERT_OK(tvgp_policy_set_candidates(p, 1025, X, NULL));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(p, 0, &q, x), "n = 1025", "1024");
    ASSERT_OK(tvgp_policy_set_candidates(p, 1024, X, NULL));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, x));
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1));
    ASSERT_OK(tvgp_policy_set_candidates(p, 0, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 1, &q, x), "box");
}

/* ---- bounds, sets, sizes ------------------------------------------------------------------------------------------ */

static int32_t left_half(void *user, size_t n, const double *X, uint8_t *ok) {
    for (size_t i = 0; i < n; i++)
        ok[i] = X[DIM * i] < *(const double *)user;
    return 0;
}

static int32_t stopped(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)user, (void)n, (void)X, (void)ok;
    return -1234;
}

/* Who is outside the bounds or the set is not asked, and all is as without it; rows keep their numbers. */
START_TEST(bounds_and_sets) {
    static const char *const names[] = {"gp-ucb", "random", "tv-gp-ucb", "rb-gp-ucb"};
    const double X[] = {0.1, 0, 0.9, 0, 0.3, 2.5, 0.4, 1}, low[] = {0, -1}, high[] = {1, 2}, none[] = {0.5, -2};
    const double most = 0.5;
    tvgp_policy *p = policy_of(names[_i], 0, NULL, _i == 2 ? "choice=thompson" : "");
    tvgp_query q;
    double x[DIM];
    int64_t best;
    size_t seen[4] = {0};
    ASSERT_OK(tvgp_policy_set_candidates(p, 4, X, (const double[]){1, 9, 9, 1}));
    ASSERT_OK(tvgp_policy_set_bounds(p, low, high));
    ASSERT_OK(tvgp_policy_set_feasible(p, left_half, (void *)&most, NULL));
    for (double t = 0; t < 40; t++) {
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, x));
        seen[q.arm]++;
        if (_i == 1)
            ck_assert_double_eq(q.propensity, 0.5);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(x, t)));
    }
    ck_assert(seen[0] && !seen[1] && !seen[2] && seen[3]);
    if (_i != 1) {
        ASSERT_OK(tvgp_policy_best(p, 40, &best, NULL));
        ck_assert(best == 0 || best == 3);
    }
    ASSERT_OK(tvgp_policy_set_bounds(p, lower, none));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 40, &q, x), "4 candidates");
    if (_i != 1)
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_best(p, 40, &best, x), "4 candidates");
    ASSERT_OK(tvgp_policy_set_bounds(p, NULL, NULL));
    ASSERT_OK(tvgp_policy_set_feasible(p, stopped, NULL, NULL));
    ck_assert_int_eq(tvgp_policy_ask_one(p, 40, &q, x), -1234);
    ASSERT_OK(tvgp_policy_set_feasible(p, NULL, NULL, NULL));
    ASSERT_OK(tvgp_policy_ask_one(p, 40, &q, NULL)); /* the row says where */
    ck_assert(q.arm >= 0 && q.arm < 4);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0));
    ASSERT_OK(tvgp_policy_set_candidates(p, 0, NULL, NULL));
    if (_i == 2)
        return;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_one(p, 41, &q, NULL), "x is NULL");
    ASSERT_OK(tvgp_policy_ask_one(p, 41, &q, x));
    ck_assert_int_eq(q.arm, -1);
}

START_TEST(sizes) {
    static double X[MANY * DIM];
    struct rnd r = {12};
    double x[DIM], mean, var, score = -INFINITY;
    tvgp_policy *p = policy_of("tv-gp-ucb", 0, NULL, "width.schedule=constant width.value=2");
    random_points(&r, 1, X);
    ASSERT_OK(tvgp_policy_set_candidates(p, 1, X, NULL));
    tvgp_query q = harness_ask_at(p, 0, x);
    ck_assert(q.arm == 0 && !memcmp(x, X, sizeof x));
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1));
    for (size_t i = 1; i < 300; i++)
        memcpy(X + DIM * i, X, sizeof x);
    ASSERT_OK(tvgp_policy_set_candidates(p, 300, X, NULL)); /* more than a block, all the same */
    ASSERT_OK(tvgp_policy_ask_one(p, 1, &q, x));
    ck_assert_int_eq(q.arm, 0);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0.5));
    random_points(&r, MANY, X);
    ASSERT_OK(tvgp_policy_set_candidates(p, MANY, X, NULL));
    ASSERT_OK(tvgp_policy_ask_one(p, 2, &q, x));
    for (size_t i = 0; i < MANY; i += 97) {
        ASSERT_OK(tvgp_policy_predict(p, 2, 1, X + DIM * i, &mean, &var));
        score = fmax(score, mean + 2 * sqrt(var));
    }
    ck_assert(q.score >= score - 1e-12);
    ASSERT_OK(tvgp_policy_predict(p, 2, 1, x, &mean, &var));
    ASSERT_NEAR(q.score, mean + 2 * sqrt(var), 1e-12);
}

/* After every size was seen nothing is allocated, whatever comes; a window keeps the number of rows where it is. */
START_TEST(nothing_is_allocated) {
    static const char *const options[] = {"window=30", "window=30 choice=thompson"};
    struct rnd r = {8};
    size_t before = 0;
    tvgp_policy *p = policy_of("sw-gp-ucb", 0, NULL, options[_i]);
    for (size_t t = 0; t < 300; t++) {
        double X[40 * DIM], extra[40], x[DIM];
        const size_t n = t < 60 ? 40 : 1 + rnd_below(&r, 40);
        tvgp_query q;
        random_points(&r, n, X);
        rnd_fill(&r, n, extra);
        if (t == 100)
            before = memory.allocated;
        ASSERT_OK(tvgp_policy_set_candidates(p, n, X, t % 2 ? extra : NULL));
        ASSERT_OK(tvgp_policy_ask_one(p, (double)t, &q, x));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, truth(x, (double)t)));
    }
    ck_assert_uint_eq(memory.allocated, before);
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

/* ---- what is refused ---------------------------------------------------------------------------------------------- */

START_TEST(what_is_refused) {
    const double good[] = {0.5, 1, 0.6, 2}, outside[] = {0.5, 1, 0.6, 3.5}, none[] = {0.5, NAN}, huge[] = {0, 1e150};
    const double halves[] = {0.5, 2, 0.5, 2.5}, mean[] = {1, INFINITY}, large[] = {1e99, 1e150}, far[] = {1e100, 0};
    const double side = 0, other = 1;
    tvgp_policy *p = policy_of("gp-ucb", 0, NULL, ""), *arms = policy_of("gp-ucb", 2, good, "");
    tvgp_query q;
    ASSERT_OK(tvgp_policy_set_candidates(p, 2, good, (const double[]){0, 1}));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_candidates(arms, 2, good, NULL), "candidates", "2 arms");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_candidates(p, 0, good, NULL), "n = 0", "X");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_candidates(p, 0, NULL, good), "n = 0", "mean");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_candidates(p, 2, NULL, NULL), "X is NULL", "n = 2");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_candidates(p, 2, outside, NULL), "X[1,1]", "3.5", "-2..3");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_candidates(p, 1, none, NULL), "X[0,1]", "nan");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_candidates(p, 1, huge, NULL), "X[0,1]", "1e+150");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_candidates(p, 2, good, mean), "mean[1]", "inf");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_candidates(p, 2, good, large), "mean[1]");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_candidates(p, MANY + 1, good, NULL), "65537", "65536");
    ck_assert_int_eq(tvgp_policy_set_candidates(NULL, 1, good, NULL), TVGP_ERR_ARG);
    q = harness_ask(p, 0); /* they are as before */
    ck_assert_int_eq(q.arm, 1);
    ASSERT_OK(tvgp_policy_set_candidates(p, 1, good, far));
    q = harness_ask(p, 0);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_tell_value(p, q.id, -1e100), "obs[0].y less the mean");
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1e100));
    tvgp_domain *whole = harness_box(DIM, lower, upper);
    ASSERT_OK(tvgp_domain_box_integer(whole, 1));
    tvgp_kernel *kernel = harness_se(DIM, DIM, lengthscale);
    p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", whole, kernel);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_candidates(p, 2, halves, NULL), "X[1,1]", "2.5", "whole");
    ASSERT_OK(tvgp_policy_set_candidates(p, 1, halves, NULL));
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, harness_arms(2, 1, good), harness_box(1, &side, &other));
    tvgp_policy *measured = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", both, kernel);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_candidates(measured, 1, good, NULL), "tvgp_policy_set_context_point");
}

int main(void) {
    Suite *suite = suite_create("candidates");
    TCase *tc = harness_case(suite, "candidates");
    tcase_add_loop_test(tc, with_an_expert, 0, 2);
    tcase_add_test(tc, width_of_a_list);
    tcase_add_loop_test(tc, means_are_answers_shifted, 0, 5);
    tcase_add_test(tc, prices);
    tcase_add_loop_test(tc, scores_of_candidates, 0, 4);
    harness_add(tc, draws_have_the_law_of_the_best, propensities, draws_that_are_refused);
    tcase_add_loop_test(tc, bounds_and_sets, 0, 4);
    tcase_add_test(tc, sizes);
    tcase_add_loop_test(tc, nothing_is_allocated, 0, 2);
    tcase_add_test(tc, what_is_refused);
    return harness_run(suite);
}

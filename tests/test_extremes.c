/* SPDX-License-Identifier: MIT */
/* Within the stated range nothing that comes out is NaN or infinite: every policy, every kind of kernel, and numbers drawn
 * from the ends of the range (1e-100, 1e100, and in between); an arm that is not available is never asked.
 * That every state can be saved and read is in test_scenes. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 12, STEPS = 30, SEEDS = 120 };

/* What is drawn most: the ends. */
static double magnitude(struct rnd *r) {
    static const double some[] = {1e-100, 1e100, 1, 1e-100, 1e100, 0.3, 1e-50, 1e50, 1e7};
    return some[rnd_below(r, sizeof some / sizeof *some)];
}

static double number(struct rnd *r) {
    double m = rnd_below(r, 5) ? magnitude(r) : 0;
    return rnd_below(r, 2) ? m : -m;
}

/* Numbers of one size, or of all sizes at once. */
static double coordinate(struct rnd *r, double scale) {
    return scale > 0 ? scale * (2 * rnd_uniform(r) - 1) : number(r);
}

static tvgp_status stationary(struct rnd *r, size_t dim, tvgp_kernel **out) {
    static const double nu[] = {0.5, 1.5, 2.5};
    double variance = magnitude(r), l[2] = {magnitude(r), magnitude(r)};
    switch (rnd_below(r, 3)) {
    case 0:
        return tvgp_kernel_se(ctx, dim, variance, dim, l, out);
    case 1:
        return tvgp_kernel_matern(ctx, dim, nu[rnd_below(r, 3)], variance, dim, l, out);
    default:
        return tvgp_kernel_rational_quadratic(ctx, dim, magnitude(r), variance, dim, l, out);
    }
}

/* Any kernel of 1 or 2 dimensions; a table is for one. */
static tvgp_status draw_kernel(struct rnd *r, size_t dim, int depth, tvgp_kernel **out) {
    double variance = magnitude(r), l[2] = {magnitude(r), magnitude(r)}, period[2] = {magnitude(r), magnitude(r)};
    double K[ARMS * ARMS];
    tvgp_kernel *a = NULL, *b = NULL;
    size_t kind = rnd_below(r, dim == 1 ? 7 : 6);
    if (kind < 2 || (kind >= 4 && kind < 6 && depth == 0))
        return stationary(r, dim, out);
    if (kind == 2)
        return tvgp_kernel_periodic(ctx, dim, variance, dim, l, dim, period, out);
    if (kind == 3)
        return tvgp_kernel_linear(ctx, dim, variance, dim, l, rnd_below(r, 2) ? magnitude(r) : 0, out);
    if (kind == 6) {
        for (size_t i = 0; i < ARMS * ARMS; i++)
            K[i] = variance * pow(0.7, fabs((double)(i / ARMS) - (double)(i % ARMS)));
        return tvgp_kernel_table(ctx, ARMS, K, out);
    }
    tvgp_status status = draw_kernel(r, dim, depth - 1, &a);
    if (status == TVGP_OK)
        status = draw_kernel(r, dim, depth - 1, &b);
    if (status == TVGP_OK)
        status = kind == 4 ? tvgp_kernel_sum(ctx, a, b, out) : tvgp_kernel_product(ctx, a, b, out);
    tvgp_kernel_destroy(a);
    tvgp_kernel_destroy(b);
    return status;
}

/* The case being played, for messages. */
static struct {
    const char *policy;
    uint64_t seed;
    size_t step;
} now;

#define ASSERT_FINITE(value, what)                                                                                          \
    do {                                                                                                                    \
        double finite_ = (value);                                                                                           \
        ck_assert_msg(isfinite(finite_), "%s, seed %llu, step %zu: %s is %g", now.policy, (unsigned long long)now.seed,     \
                      now.step, what, finite_);                                                                             \
    } while (0)
#define ASSERT_STATUS(condition, what)                                                                                      \
    ck_assert_msg((condition), "%s, seed %llu, step %zu: %s: %s", now.policy, (unsigned long long)now.seed, now.step, what, \
                  tvgp_ctx_errmsg(ctx))

/* Real options anywhere in their bounds, most of them where they are. */
static void draw_options(struct rnd *r, tvgp_policy *p) {
    size_t n;
    tvgp_option_info info;
    ASSERT_OK(tvgp_policy_option_count(p, &n));
    for (size_t i = 0; i < n; i++) {
        ASSERT_OK(tvgp_policy_option_info(p, i, &info));
        size_t choices = 0;
        char levels[64];
        while (info.choices && info.choices[choices])
            choices++;
        double m = magnitude(r), value = fmin(fmax(m, info.lower), info.upper);
        if (rnd_below(r, 4))
            continue;
        if (strcmp(info.key, "time.rate") == 0 && value >= 1) /* of the one drift model that has such rates */
            ASSERT_OK(tvgp_policy_set_str(p, "time.kernel", "matern32"));
        if (strcmp(info.key, "width.value") == 0)
            ASSERT_OK(tvgp_policy_set_str(p, "width.schedule", "constant"));
        const int one = strcmp(info.key, "pending.timeout_value") == 0; /* other texts are lists */
        snprintf(levels, sizeof levels, one ? "%.17g" : "%.17g,1", fmin(fmax(fabs(m), 1e-100), 1e100));
        if (info.type == TVGP_STR)
            ASSERT_OK(tvgp_policy_set_str(p, info.key, choices ? info.choices[rnd_below(r, choices)] : levels));
        else if (info.type == TVGP_F64 && tvgp_policy_set_f64(p, info.key, value) != TVGP_OK) /* an open end */
            ASSERT_OK(tvgp_policy_set_f64(p, info.key, 0.5 * (info.lower + info.upper)));
    }
    ASSERT_OK(tvgp_policy_set_f64(p, "time.max_step", 0));       /* times go anywhere in the range */
    ASSERT_OK(tvgp_policy_set_str(p, "outcome.type", "normal")); /* values too, without a reference */
    (void)tvgp_policy_set_costs(p, 1, &(double){magnitude(r)});  /* for cost.weight */
    if (rnd_below(r, 2))
        (void)tvgp_policy_set_f64(p, "noise", rnd_below(r, 3) ? magnitude(r) : 0);
}

static void check_statistics(const tvgp_policy *p) {
    size_t n;
    ASSERT_OK(tvgp_policy_stat_count(p, &n));
    for (size_t i = 0; i < n; i++) {
        const char *key = harness_stat_key(p, i);
        double value = 0;
        if (tvgp_policy_stat(p, key, &value) == TVGP_ERR_NOTFOUND) /* a series of none */
            continue;
        ck_assert_msg(!isnan(value), "%s, seed %llu, step %zu: %s is NaN", now.policy, (unsigned long long)now.seed,
                      now.step, key);
        if (!harness_may_be_infinite(key))
            ASSERT_FINITE(value, key);
    }
}

/* At the arms, at a point near them, and at one anywhere; the kernel may refuse the last two. */
static void check_predictions(struct rnd *r, tvgp_policy *p, double t, size_t dim, const double *X) {
    double mean[ARMS] = {0}, var[ARMS] = {0};
    tvgp_status status = tvgp_policy_predict(p, t, ARMS, X, mean, var);
    if (status == TVGP_ERR_UNSUPPORTED)
        return;
    ASSERT_STATUS(status == TVGP_OK, "predict");
    for (int where = 0; where < 3; where++) {
        for (size_t i = 0; i < ARMS; i++) {
            ASSERT_FINITE(mean[i], where ? "mean elsewhere" : "mean");
            ASSERT_FINITE(var[i], where ? "variance elsewhere" : "variance");
            ck_assert_msg(var[i] >= 0, "%s, seed %llu: variance %g", now.policy, (unsigned long long)now.seed, var[i]);
        }
        double x[2] = {0};
        for (size_t d = 0; d < dim; d++)
            x[d] = where ? number(r) : X[d] * (1 + 1e-9);
        status = tvgp_policy_predict(p, t, 1, x, mean, var);
        ASSERT_STATUS(status == TVGP_OK || status == TVGP_ERR_LIMIT || status == TVGP_ERR_ARG ||
                          status == TVGP_ERR_UNSUPPORTED,
                      "predict elsewhere");
    }
}

static double later(struct rnd *r, double t) {
    double next = t + fabs(number(r));
    return rnd_below(r, 3) ? fmin(fmax(next, t), 1e100) : t;
}

static void answer(struct rnd *r, tvgp_policy *p, int64_t id, double t, const double *X, size_t dim) {
    tvgp_obs obs = {.id = id, .y = number(r)};
    const double *x = X + rnd_below(r, ARMS) * dim;
    if (rnd_below(r, 3) == 0) {
        obs.flags |= TVGP_OBS_HAS_NOISE;
        obs.noise_var = rnd_below(r, 3) ? magnitude(r) : 0;
    }
    if (id == 0 || rnd_below(r, 4) == 0) {
        obs.flags |= TVGP_OBS_HAS_TIME;
        obs.t = rnd_below(r, 2) ? t : -fabs(number(r));
    }
    ASSERT_STATUS(tvgp_policy_tell(p, 1, &obs, x) == TVGP_OK, "tell");
}

/* 0: options were drawn that do not go together, or a kernel whose variance at these arms is beyond the range at the parameters
 * with which learning begins (linear, arms far from the origin and close to each other); the first ask says it. */
static int step(struct rnd *r, tvgp_policy *p, double *t, size_t dim, const double *X) {
    uint8_t mask[ARMS];
    tvgp_query q[ARMS + 1];
    size_t n = 0;
    int64_t best;
    for (size_t i = 0; i < ARMS; i++)
        mask[i] = rnd_below(r, 2) != 0;
    mask[rnd_below(r, ARMS)] = 1;
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    *t = later(r, *t);
    tvgp_status status = tvgp_policy_ask(p, *t, ARMS + 1, q, NULL, &n);
    const char *fit = "off", *prior = "";
    (void)tvgp_policy_get_str(p, "fit", &fit);
    (void)tvgp_policy_get_str(p, "fit.prior_lengthscale", &prior);
    double holdout = 0, floor = 0; /* a holdout needs an incumbent; a floor is at most 1 / available arms */
    (void)tvgp_policy_get_f64(p, "holdout.share", &holdout);
    (void)tvgp_policy_get_f64(p, "exploration.floor", &floor);
    if (now.step == 0 &&
        (status == TVGP_ERR_UNSUPPORTED || (status == TVGP_ERR_STATE && holdout > 0) ||
         (status == TVGP_ERR_LIMIT && strcmp(fit, "off") != 0) ||
         (status == TVGP_ERR_OPTION && (strcmp(fit, "noise") == 0 || floor * ARMS > 1 || strcmp(prior, "gamma") == 0))))
        return 0;
    ASSERT_STATUS(status == TVGP_OK || status == TVGP_AGAIN, "ask");
    for (size_t i = 0; i < n; i++) {
        ASSERT_FINITE(q[i].score, "score");
        ASSERT_FINITE(q[i].noise_var, "noise of a query");
        ck_assert_msg(mask[q[i].arm], "%s, seed %llu: arm %d is not available", now.policy, (unsigned long long)now.seed,
                      (int)q[i].arm);
    }
    for (size_t i = 0; i < n; i++)
        if (rnd_below(r, 5))
            answer(r, p, q[i].id, *t, X, dim);
    if (rnd_below(r, 6) == 0)
        answer(r, p, 0, *t, X, dim);
    *t = fmax(*t, harness_stat(p, "clock"));
    if (tvgp_policy_best(p, *t, &best, NULL) == TVGP_OK)
        ck_assert(mask[best]);
    check_statistics(p);
    check_predictions(r, p, *t, dim, X);
    return 1;
}

/* A policy over arms of one kind; NULL when the kernel refuses the arms. */
static tvgp_policy *draw_policy(struct rnd *r, size_t dim, double *X) {
    double mean[ARMS], scale = rnd_below(r, 2) ? magnitude(r) : 0;
    tvgp_kernel *kernel = NULL, *other = NULL;
    tvgp_domain *domain = NULL;
    tvgp_policy *p = NULL;
    tvgp_status status = draw_kernel(r, dim, 2, &kernel);
    ASSERT_STATUS(status == TVGP_OK || status == TVGP_ERR_LIMIT, "kernel");
    for (size_t i = 0; i < ARMS * dim; i++)
        X[i] = dim == 1 && scale == 1 ? (double)i : coordinate(r, scale);
    ASSERT_OK(tvgp_domain_arms(ctx, ARMS, dim, X, &domain));
    if (status == TVGP_OK)
        status = tvgp_policy_create(ctx, now.policy, domain, kernel, &p);
    ASSERT_STATUS(status == TVGP_OK || status == TVGP_ERR_LIMIT || status == TVGP_ERR_ARG, "policy"); /* ARG: a table */
    for (size_t i = 0; i < ARMS; i++)
        mean[i] = number(r);
    if (p) {
        draw_options(r, p);
        if (rnd_below(r, 3) == 0)
            ASSERT_OK(tvgp_policy_set_prior_mean(p, ARMS, mean));
        const char *fit = "off";
        (void)tvgp_policy_get_str(p, "fit", &fit);
        for (int i = 0; i < 2 && strcmp(fit, "off") == 0; i++) /* of those that take any */
            if (draw_kernel(r, dim, 1, &other) == TVGP_OK) {
                (void)tvgp_policy_add_prior(p, other, i ? ARMS : 0, i ? mean : NULL, i * 0.3);
                tvgp_kernel_destroy(other);
            }
    }
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    return p;
}

TEST_TURNS(finite_within_the_range, harness_policies(), 1) {
    const char *doc;
    size_t played = 0;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &now.policy, &doc));
    const uint64_t seeds = harness_all() ? SEEDS : SEEDS / 3;
    for (now.seed = 1; now.seed <= seeds; now.seed++) {
        struct rnd r = {now.seed};
        size_t dim = 1 + rnd_below(&r, 2);
        double X[ARMS * 2], t = number(&r);
        tvgp_policy *p = draw_policy(&r, dim, X);
        for (now.step = 0; p && now.step < STEPS && step(&r, p, &t, dim, X);)
            now.step++;
        played += now.step > 0;
        tvgp_policy_destroy(p);
    }
    ck_assert_uint_gt(played, seeds / 3);
}

/* ---- boxes and measured contexts ---------------------------------------------------------------------------------- */

enum { BOX_STEPS = 40, PLACES = 5, LEAST = -100, GREATEST = 100 };

/* Corners of a box of this size, away from 0, or actions in it times measured contexts. */
static tvgp_domain *domain_of(int measured, double side) {
    const double low[] = {side, -2 * side}, high[] = {3 * side, 0.5 * side};
    double at[PLACES];
    tvgp_domain *actions, *contexts, *domain;
    if (!measured) {
        ASSERT_OK(tvgp_domain_box(ctx, 2, low, high, &domain));
        return domain;
    }
    for (size_t i = 0; i < PLACES; i++)
        at[i] = low[0] + (high[0] - low[0]) * (double)i / (PLACES - 1);
    ASSERT_OK(tvgp_domain_arms(ctx, PLACES, 1, at, &actions));
    ASSERT_OK(tvgp_domain_box(ctx, 1, low + 1, high + 1, &contexts));
    ASSERT_OK(tvgp_domain_product(ctx, actions, contexts, &domain));
    tvgp_domain_destroy(actions);
    tvgp_domain_destroy(contexts);
    return domain;
}

/* Asks, of which every other stays without an outcome; the outcomes are of this size. */
static void play_on_box(tvgp_policy *p, int measured, double side, double size, struct rnd *r) {
    tvgp_query q;
    double x[2], mean, var;
    for (now.step = 0; now.step < BOX_STEPS; now.step++) {
        const double t = (double)now.step, z = side * (2.5 * rnd_uniform(r) - 2);
        if (measured)
            ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
        tvgp_status status = tvgp_policy_ask_one(p, t, &q, x);
        if (status == TVGP_AGAIN)
            continue;
        ASSERT_STATUS(status == TVGP_OK, "ask");
        ASSERT_FINITE(q.score, "score");
        ck_assert(x[0] >= side && x[0] <= 3 * side && x[1] >= -2 * side && x[1] <= 0.5 * side);
        if (rnd_below(r, 2))
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, size * (2 * rnd_uniform(r) - 1)));
        if (rnd_below(r, 10) == 0) { /* what it should have been */
            const tvgp_obs o = tvgp_obs_unsolicited(t, 2 * rnd_uniform(r) - 1);
            ASSERT_OK(tvgp_policy_tell(p, 1, &o, x));
        }
        if (tvgp_policy_predict(p, t, 1, x, &mean, &var) == TVGP_ERR_UNSUPPORTED)
            continue;
        ASSERT_STATUS(tvgp_policy_predict(p, t, 1, x, &mean, &var) == TVGP_OK, "predict");
        ASSERT_FINITE(mean, "mean");
        ASSERT_FINITE(var, "variance");
    }
    check_statistics(p);
}

/* Outcomes of the size 10^power, seen from what the kernel expects of them: of one as a rule, now and then of any. */
static void play_power(int measured, int power) {
    struct rnd r = {now.seed = 1000 * (uint64_t)measured + (uint64_t)(power - LEAST)};
    const double side = rnd_below(&r, 2) ? 1 : pow(10, (double)rnd_below(&r, 180) - 90);
    const double variance = rnd_below(&r, 3) ? 1 : magnitude(&r), length[2] = {0.5 * side, side};
    tvgp_domain *domain = domain_of(measured, side);
    tvgp_kernel *kernel;
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_kernel_se(ctx, 2, variance, 2, length, &kernel));
    tvgp_status status = tvgp_policy_create(ctx, now.policy, domain, kernel, &p);
    ASSERT_STATUS(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED, "create");
    if (p) {
        if (rnd_below(&r, 4) == 0)
            (void)tvgp_policy_set_f64(p, "noise", rnd_below(&r, 2) ? magnitude(&r) : 0);
        (void)tvgp_policy_set_f64(p, "search.effort", 0.25);
        play_on_box(p, measured, side, pow(10, power), &r);
    }
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}

/* auto-gp-ucb at all powers of ten (or every fourth), as it learns a factor from them; the others at every tenth. */
TEST_EACH(finite_on_boxes, harness_policies()) {
    const char *doc;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &now.policy, &doc));
    const int step = strcmp(now.policy, "auto-gp-ucb") ? 10 : harness_all() ? 1 : 4;
    for (int measured = 0; measured < 2; measured++)
        for (int power = LEAST; power <= GREATEST; power += step)
            play_power(measured, power);
}

HARNESS_MAIN("extremes")

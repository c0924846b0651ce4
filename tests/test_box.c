/* SPDX-License-Identifier: MIT */
/* Policies on boxes: golden runs, pending actions, bounds, sets, means as functions, whole
 * numbers, gradients, what is refused. The search itself is in test_search, the posterior in test_exact. */
#include "cases.h"
#include "golden/golden_box.h"
#include "space/kernel/kernel_ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3 };

static tvgp_domain *make_box(size_t dim, const double *lower, const double *upper) {
    return harness_box(dim, lower, upper);
}

/* A policy on a box with an SE kernel; the domain is the policy's. */
static tvgp_policy *make_policy(const char *name, size_t dim, const double *lower, const double *upper,
                                const double *length) {
    tvgp_domain *domain = make_box(dim, lower, upper);
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, harness_se(dim, dim, length));
    tvgp_domain_destroy(domain);
    (void)tvgp_policy_set_f64(policy, "rank.tolerance", 0); /* of those that have one */
    return policy;
}

static const double zeros[MOST] = {0}, ones[MOST] = {1, 1, 1}, lengths[MOST] = {0.2, 0.3, 0.25};

static tvgp_policy *unit_policy(const char *name, size_t dim) {
    return make_policy(name, dim, zeros, ones, lengths);
}

/* The function of the golden runs. */
static double drifting(size_t dim, const double *x, double t) {
    double sum = 0;
    for (size_t k = 0; k < dim; k++) {
        double e = x[k] - 0.5 - 0.4 * sin(0.3 * t + (double)k);
        sum += e * e;
    }
    return exp(-8 * sum) + 0.3 * sin(9 * x[0]);
}

/* ---- golden runs ------------------------------------------------------------------------------------------------ */

static void play_golden(tvgp_policy *p, size_t dim, const double *low, const double *high, int64_t points, size_t n,
                        const struct golden_box_step *steps) {
    harness_set_grid(p, NULL, NULL, (size_t)points);
    for (size_t i = 0; i < n; i++) {
        double x[2], var, mean;
        int64_t index = 0;
        tvgp_query q = harness_ask_at(p, steps[i].t, x);
        for (size_t d = 0; d < dim; d++)
            index = index * points + (int64_t)floor((x[d] - low[d]) / (high[d] - low[d]) * (double)(points - 1) + 0.5);
        ck_assert_int_eq(q.arm, index);
        ck_assert_int_eq(index, steps[i].index);
        ASSERT_NEAR(q.score, steps[i].score, 1e-12);
        ASSERT_NEAR(harness_stat(p, "mean"), steps[i].mean, 1e-12);
        ASSERT_NEAR(harness_stat(p, "sd"), steps[i].sd, 1e-12);
        ASSERT_OK(tvgp_policy_predict(p, steps[i].t, 1, x, &mean, &var));
        ASSERT_NEAR(mean, steps[i].mean, 1e-12);
        ASSERT_NEAR(drifting(dim, x, steps[i].t), steps[i].y, 1e-12);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, steps[i].y));
    }
}

TEST(golden_runs) {
    const double one = 0.35, low[] = {0, -0.2}, high[] = {1, 0.9}, two[] = {0.7, 0.55};
    tvgp_policy *p = make_policy("gp-ucb", 1, zeros, ones, &one);
    play_golden(p, 1, zeros, ones, 101, 15, golden_box_gp_ucb);
    p = make_policy("tv-gp-ucb", 2, low, high, two);
    ASSERT_OK(tvgp_policy_set(p, "epsilon=0.05 width.c1=0.4"));
    play_golden(p, 2, low, high, 21, 20, golden_box_tv_gp_ucb);
}

/* ---- who plays ------------------------------------------------------------------------------------------------- */

/* The policies that play here, by what the registry and the library say. */
static int plays(const char *name) {
    tvgp_domain *domain = make_box(2, zeros, ones);
    tvgp_policy *p = NULL;
    tvgp_status status = tvgp_policy_create(ctx, name, domain, harness_se(2, 2, lengths), &p);
    if (status != TVGP_OK) {
        ck_assert_int_eq(status, TVGP_ERR_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(tvgp_ctx_errmsg(ctx), name));
        ck_assert_ptr_nonnull(strstr(tvgp_ctx_errmsg(ctx), "box"));
    }
    tvgp_policy_destroy(p);
    return status == TVGP_OK;
}

static const char *policy_name(int i) {
    const char *name;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)i, &name, NULL));
    return name;
}

/* ---- pending ---------------------------------------------------------------------------------------------------- */

static double apart(const double *x, const double *y, size_t dim) {
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (x[d] - y[d]) * (x[d] - y[d]) / (lengths[d] * lengths[d]);
    return sqrt(sum);
}

/* Five asks in a row are five points; outcomes in any order; taking them back brings the first choice again. */
TEST(several_asks) {
    tvgp_policy *p = unit_policy("tv-gp-ucb", 2);
    double x[5][2], again[2];
    tvgp_query q[5];
    ASSERT_OK(tvgp_policy_set_str(p, "width.schedule", "constant")); /* the others grow with every ask */
    for (int step = 0; step < 12; step++) {
        tvgp_query one = harness_ask_at(p, step, x[0]);
        ASSERT_OK(tvgp_policy_tell_value(p, one.id, drifting(2, x[0], 0)));
    }
    for (int i = 0; i < 5; i++) {
        q[i] = harness_ask_at(p, 12, x[i]);
        for (int k = 0; k < i; k++)
            ck_assert_msg(apart(x[i], x[k], 2) > 0.05, "asks %d and %d are %g apart", i, k, apart(x[i], x[k], 2));
    }
    for (int i = 0; i < 5; i++) {
        const tvgp_obs o = {.id = q[(i * 3) % 5].id, .outcome = TVGP_CANCELLED};
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, NULL));
    }
    (void)harness_ask_at(p, 12, again);
    ck_assert_msg(apart(again, x[0], 2) < 1e-4, "%g apart", apart(again, x[0], 2));
}

/* ---- where ------------------------------------------------------------------------------------------------------ */

static int32_t disc(void *user, size_t n, const double *X, uint8_t *ok) {
    int32_t status = *(const int32_t *)user;
    for (size_t i = 0; i < n; i++)
        ok[i] = hypot(X[2 * i] - 0.3, X[2 * i + 1] - 0.6) <= 0.1;
    return status;
}

/* Bounds and sets hold for asks and best, whatever was given; failing functions change nothing. */
TEST_EACH(bounds_and_sets, harness_policies()) {
    const char *name = policy_name(_i);
    tvgp_policy *p, *twin;
    double x[2], y[2], low[] = {0.2, 0.45}, high[] = {0.35, 0.45};
    int32_t status = 0;
    tvgp_query q;
    if (!plays(name))
        return;
    int model = strcmp(name, "random") != 0;
    p = unit_policy(name, 2);
    twin = unit_policy(name, 2);
    for (int step = 0; step < 15; step++) {
        if (step == 5) {
            ASSERT_OK(tvgp_policy_set_bounds(p, low, high));
            ASSERT_OK(tvgp_policy_set_bounds(twin, low, high));
        }
        if (step == 10) {
            ASSERT_OK(tvgp_policy_set_bounds(p, NULL, NULL));
            ASSERT_OK(tvgp_policy_set_bounds(twin, NULL, NULL));
            ASSERT_OK(tvgp_policy_set_feasible(p, disc, &status, NULL));
            ASSERT_OK(tvgp_policy_set_feasible(twin, disc, &status, NULL));
            status = -1077;
            ck_assert_int_eq(tvgp_policy_ask_one(p, step, &q, x), -1077);
            status = 3;
            ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_policy_ask_one(p, step, &q, x), "returned 3");
            status = 0;
        }
        q = harness_ask_at(p, step, x);
        (void)harness_ask_at(twin, step, y);
        ck_assert_mem_eq(x, y, sizeof x); /* the failed asks left no trace */
        if (step >= 5 && step < 10)
            ck_assert(x[0] >= 0.2 && x[0] <= 0.35 && x[1] == 0.45);
        if (step >= 10)
            ck_assert(hypot(x[0] - 0.3, x[1] - 0.6) <= 0.1);
        double value = drifting(2, x, 0);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, value));
        ASSERT_OK(tvgp_policy_tell_value(twin, q.id, value));
    }
    int64_t arm = 7;
    if (model) {
        ASSERT_OK(tvgp_policy_best(p, 20, &arm, x));
        ck_assert(arm == -1 && hypot(x[0] - 0.3, x[1] - 0.6) <= 0.1);
    } else {
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_best(p, 20, &arm, x), name);
    }
}

static int32_t nothing(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)user, (void)X;
    memset(ok, 0, n);
    return 0;
}

static int32_t calls_back(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)X;
    memset(ok, 1, n);
    ck_assert_int_eq(tvgp_policy_set_bounds(user, NULL, NULL), TVGP_ERR_REENTRANT);
    return 0;
}

TEST(what_is_refused) {
    tvgp_policy *p = unit_policy("gp-ucb", 2);
    tvgp_domain *domain = make_box(2, zeros, ones);
    tvgp_query q;
    uint8_t mask = 1;
    double x[2] = {0.5, 0.5}, bad[] = {-0.1, 0}, low[] = {0.6, 0}, mean[2];
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_bounds(p, bad, NULL), "lower[0]", "-0.1");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_bounds(p, low, x), "lower[0]", "0.59999");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_available(p, 1, &mask), "tvgp_policy_set_bounds");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_context(p, 0), "contexts");
    ASSERT_OK(tvgp_policy_set_feasible(p, nothing, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_ask_one(p, 0, &q, x), "feasible");
    ASSERT_OK(tvgp_policy_set_feasible(p, calls_back, p, NULL));
    (void)harness_ask_at(p, 0, x);
    ASSERT_OK(tvgp_policy_set_feasible(p, NULL, NULL, NULL));
    const tvgp_obs o = {.id = 0, .y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 0};
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, &o, bad), "-0.1");
    ASSERT_OK(tvgp_policy_tell(p, 1, &o, ones));
    ASSERT_OK(tvgp_policy_predict(p, 0, 1, bad, mean, NULL)); /* predictions go anywhere */
    tvgp_policy *arms = MAKE_POLICY(cases_policy, ctx, "gp-ucb", cases_kernel_at(0));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_bounds(arms, NULL, NULL), "arms");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_feasible(arms, nothing, NULL, NULL), "arms");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_prior_mean_fn(arms, NULL, NULL, NULL), "tvgp_policy_set_prior_mean");
    /* domains */
    size_t n = 9;
    ASSERT_OK(tvgp_domain_size(domain, &n));
    ck_assert_uint_eq(n, 0);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_point(domain, 0, x), "no arms");
    tvgp_domain *other = NULL;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_box(ctx, 1, (double[]){-1e101}, (double[]){1}, &other), "lower");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_box(ctx, 2, NULL, ones, &other), "lower is NULL");
    tvgp_domain *narrow = make_box(1, (double[]){0.2}, (double[]){0.8});
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_box_integer(narrow, 0), "whole number");
    /* kernels of indices */
    tvgp_domain *line = make_box(1, (double[]){0}, (double[]){2});
    const double K[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, 3, K);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_create(ctx, "gp-ucb", line, table, &p), "table");
}

/* ---- means ------------------------------------------------------------------------------------------------------ */

struct slope {
    int32_t status;
    double scale;
};

static int32_t sloping(void *user, size_t n, const double *X, double *mean, double *gradient) {
    const struct slope *s = user;
    for (size_t i = 0; i < n; i++) {
        mean[i] = s->scale * (2 + 3 * X[2 * i] - X[2 * i + 1] * X[2 * i + 1]);
        if (gradient) {
            gradient[2 * i] = 3 * s->scale;
            gradient[2 * i + 1] = -2 * s->scale * X[2 * i + 1];
        }
    }
    return s->status;
}

/* Values and mean shifted together: the same choices; predictions and gradients carry the mean. */
TEST(mean_functions) {
    struct slope s = {.scale = 1};
    tvgp_policy *p = unit_policy("gp-ucb", 2), *plain = unit_policy("gp-ucb", 2);
    double x[2], y[2], mean, want, grad[2], want_grad[2], shift;
    tvgp_query q, r;
    harness_set_grid(p, NULL, NULL, 17); /* the search of the one would differ from the search of the other */
    harness_set_grid(plain, NULL, NULL, 17);
    ASSERT_OK(tvgp_policy_set(p, "width.schedule=constant width.value=0"));
    ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, sloping, &s, NULL));
    q = harness_ask_at(p, 0, x);
    ck_assert(x[0] == 1 && x[1] == 0); /* where the mean is highest */
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1));
    (void)sloping(&s, 1, x, &shift, NULL);
    const tvgp_obs o = {.id = 0, .y = 1 - shift, .flags = TVGP_OBS_HAS_TIME, .t = 0};
    ASSERT_OK(tvgp_policy_tell(plain, 1, &o, x));
    for (int step = 1; step < 10; step++) {
        r = harness_ask_at(plain, step, y);
        (void)sloping(&s, 1, y, &shift, NULL);
        ASSERT_OK(tvgp_policy_tell_value(plain, r.id, 0.1 * step));
        const tvgp_obs same = {.id = 0, .y = 0.1 * step + shift, .flags = TVGP_OBS_HAS_TIME, .t = step};
        ASSERT_OK(tvgp_policy_tell(p, 1, &same, y));
    }
    const double z[] = {0.33, 0.77};
    ASSERT_OK(harness_gradients(p, 12, 1, z, &mean, NULL, grad, NULL));
    ASSERT_OK(harness_gradients(plain, 12, 1, z, &want, NULL, want_grad, NULL));
    (void)sloping(&s, 1, z, &shift, y);
    ASSERT_NEAR(mean, want + shift, 1e-12);
    for (size_t d = 0; d < 2; d++)
        ASSERT_NEAR(grad[d], want_grad[d] + y[d], 1e-12);
    ASSERT_OK(tvgp_policy_predict(p, 12, 1, z, &want, NULL));
    ck_assert_double_eq(mean, want);
    s.status = -1999;
    ck_assert_int_eq(tvgp_policy_ask_one(p, 12, &q, x), -1999);
    ck_assert_int_eq(tvgp_policy_predict(p, 12, 1, z, &want, NULL), -1999);
    ck_assert_int_eq(tvgp_policy_set_prior_mean_fn(p, sloping, &s, NULL), -1999);
    s.status = 0;
    s.scale = INFINITY;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_prior_mean_fn(p, sloping, &s, NULL), "prior mean");
    s.scale = 1;
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &(double){5})); /* a constant in its place */
    ASSERT_OK(tvgp_policy_predict(p, 12, 1, (double[]){40, 40}, &mean, NULL));
    ASSERT_NEAR(mean, 5, 1e-12);
}

/* ---- gradients of policies -------------------------------------------------------------------------------------- */

TEST_EACH(gradients, harness_policies()) {
    const char *name = policy_name(_i);
    double x[2], z[20], mean[10], var[10], dmean[20], dvar[20];
    tvgp_policy *p;
    if (!plays(name))
        return;
    p = unit_policy(name, 2);
    if (!strcmp(name, "random")) {
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, harness_gradients(p, 0, 1, (double[2]){0}, mean, var, dmean, dvar), "random");
        return;
    }
    for (int step = 0; step < 12; step++) {
        tvgp_query q = harness_ask_at(p, step, x);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, drifting(2, x, 0.1 * step)));
    }
    rnd_fill(&(struct rnd){3}, 20, z);
    ASSERT_OK(harness_gradients(p, 13, 10, z, mean, var, dmean, dvar));
    for (size_t i = 0; i < 20; i++) {
        double at[2] = {z[i / 2 * 2], z[i / 2 * 2 + 1]}, m[2], v[2], h = 1e-5;
        for (int side = 0; side < 2; side++) {
            at[i % 2] = z[i] + (side ? h : -h);
            ASSERT_OK(tvgp_policy_predict(p, 13, 1, at, &m[side], &v[side]));
        }
        ASSERT_NEAR(dmean[i], (m[1] - m[0]) / (2 * h), 1e-6);
        ASSERT_NEAR(dvar[i], (v[1] - v[0]) / (2 * h), 1e-6);
    }
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

/* A kernel that fails at its k-th evaluation, in one of its two ops. */
struct fragile {
    tvgp_kernel base;
    size_t calls_left; /* 0: never fails */
    double from;       /* no covariance of a point with x[0] >= from is a number */
};

static tvgp_status falter(const tvgp_kernel *k) {
    struct fragile *f = (struct fragile *)k;
    return f->calls_left && --f->calls_left == 0 ? -1111 : TVGP_OK;
}

static tvgp_status fragile_block(const tvgp_kernel *k, size_t n, const double *X, size_t m, const double *Z, double *K,
                                 size_t ldk) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double a = X[2 * i] - Z[2 * j], b = X[2 * i + 1] - Z[2 * j + 1];
            K[i * ldk + j] = X[2 * i] >= ((const struct fragile *)k)->from ? NAN : exp(-10 * (a * a + b * b));
        }
    return falter(k);
}

static tvgp_status fragile_diag(const tvgp_kernel *k, size_t n, const double *X, double *d) {
    (void)X;
    for (size_t i = 0; i < n; i++)
        d[i] = 1;
    return falter(k);
}

/* The domain is the policy's. */
static tvgp_policy *fragile_on(const char *name, tvgp_domain *domain, struct fragile **kernel) {
    static const tvgp__kernel_ops ops = {.block = fragile_block, .diag = fragile_diag};
    ASSERT_OK(tvgp__kernel_new(ctx, &ops, 2, sizeof **kernel, kernel));
    (*kernel)->from = INFINITY;
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, &(*kernel)->base);
    tvgp_domain_destroy(domain);
    tvgp__kernel_release(&(*kernel)->base);
    return policy;
}

static tvgp_policy *fragile_policy(const char *name, struct fragile **kernel) {
    return fragile_on(name, make_box(2, zeros, ones), kernel);
}

/* One call made to fail at its 1st, 2nd, .. allocation or kernel evaluation (thinned out), until it succeeds. */
#define UNTIL_IT_SUCCEEDS(call)                                                                                             \
    for (size_t k_ = 1, done_ = 0; !done_; k_ += 1 + k_ / 4)                                                                \
        for (int way_ = 0; way_ < 2 && !done_; way_++) {                                                                    \
            memory.fail_in = way_ ? 0 : k_;                                                                                 \
            kernel->calls_left = way_ ? k_ : 0;                                                                             \
            tvgp_status status_ = (call);                                                                                   \
            int failed_ = memory.fail_in == 0 && kernel->calls_left == 0;                                                   \
            memory.fail_in = kernel->calls_left = 0;                                                                        \
            done_ = status_ == TVGP_OK;                                                                                     \
            ck_assert(done_ || status_ == TVGP_ERR_NOMEM || status_ == -1111);                                              \
            ck_assert(done_ || failed_);                                                                                    \
        }

/* The policy that was made to fail goes on with the same bits as its twin that was spared. */
TEST_EACH(failures_leave_no_trace, harness_policies()) {
    const char *name = policy_name(_i);
    struct fragile *kernel, *spared;
    double x[2], y[2];
    int64_t arm;
    tvgp_query q, r;
    if (!plays(name) || !strcmp(name, "random")) /* which has no kernel that could fail */
        return;
    tvgp_policy *p = fragile_policy(name, &kernel), *twin = fragile_policy(name, &spared);
    for (int step = 0; step < 9; step++) {
        UNTIL_IT_SUCCEEDS(tvgp_policy_ask_one(p, step, &q, x));
        ASSERT_OK(tvgp_policy_ask_one(twin, step, &r, y));
        ck_assert_mem_eq(x, y, sizeof x);
        ck_assert(q.score == r.score && q.id == r.id);
        if (step % 3 == 1)
            continue; /* pending from now on */
        const tvgp_obs o[] = {{.id = q.id, .y = sin(step)}, {.id = 0, .y = 0.3, .flags = TVGP_OBS_HAS_TIME, .t = step}};
        const double at[] = {0, 0, 0.1 * step, 0.5};
        UNTIL_IT_SUCCEEDS(tvgp_policy_tell(p, 2, o, at));
        ASSERT_OK(tvgp_policy_tell(twin, 2, o, at));
        double mean[2], var[2], gradient[4], want[2];
        UNTIL_IT_SUCCEEDS(tvgp_policy_predict(p, step, 2, at, mean, var));
        UNTIL_IT_SUCCEEDS(harness_gradients(p, step, 2, at, mean, var, gradient, NULL));
        ASSERT_OK(tvgp_policy_predict(twin, step, 2, at, want, NULL));
        ck_assert_mem_eq(mean, want, sizeof mean);
        UNTIL_IT_SUCCEEDS(tvgp_policy_best(p, step, &arm, x));
        ASSERT_OK(tvgp_policy_best(twin, step, &arm, y));
        ck_assert_mem_eq(x, y, sizeof x);
    }
}

/* ---- no scores -------------------------------------------------------------------------------------------------- */

/* Far from 0: a box, or actions in it times measured contexts. */
static const double away_low[] = {2, 3}, away_high[] = {5, 7};

static tvgp_domain *make_away(int measured) {
    static const double at[] = {2, 2.5, 3.5, 4, 5};
    tvgp_domain *contexts;
    if (!measured)
        return make_box(2, away_low, away_high);
    tvgp_domain *actions = harness_arms(sizeof at / sizeof *at, 1, at);
    contexts = make_box(1, away_low + 1, away_high + 1);
    return MAKE_DOMAIN(tvgp_domain_product, ctx, actions, contexts);
}

static int32_t below_the_diagonal(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)user;
    for (size_t i = 0; i < n; i++)
        ok[i] = X[2 * i] - 2 <= X[2 * i + 1] - 3;
    return 0;
}

static void limit_to(tvgp_policy *p, int measured, int set, double z) {
    static const double low[] = {2.25, 3.5};
    if (measured)
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
    else
        ASSERT_OK(tvgp_policy_set_bounds(p, low, away_high));
    if (set && !measured)
        ASSERT_OK(tvgp_policy_set_feasible(p, below_the_diagonal, NULL, NULL));
}

static void assert_inside(int measured, int set, double z, const double *x) {
    ck_assert(x[0] >= (measured ? 2 : 2.25) && x[0] <= 5 && x[1] >= (measured ? 3 : 3.5) && x[1] <= 7);
    ck_assert(!measured || x[1] == z);
    ck_assert(measured || !set || x[0] - 2 <= x[1] - 3);
}

/* Where no score is a number the ask says so and leaves no trace; where some are, one of them is chosen. */
static void play_without_scores(const char *name, int measured, int set) {
    struct fragile *kernel, *spared;
    if (!strcmp(name, "random")) /* which has no kernel that could fail */
        return;
    tvgp_policy *p = fragile_on(name, make_away(measured), &kernel);
    tvgp_policy *twin = fragile_on(name, make_away(measured), &spared);
    tvgp_query q, r;
    double x[2], y[2], z = 3;
    int same = 1;
    for (int step = 0; step < 12; step++) {
        z = 3 + 0.3 * step;
        limit_to(p, measured, set, z);
        limit_to(twin, measured, set, z);
        kernel->from = 0;
        tvgp_status status = step % 2 ? tvgp_policy_ask_one(p, step, &q, x) : TVGP_ERR_NUMERIC;
        kernel->from = INFINITY;
        const int asked =
            status == TVGP_OK && (q.kind == TVGP_SIDE || isfinite(q.score)); /* or before there is anything to fit */
        ck_assert_msg(status == TVGP_ERR_NUMERIC || asked, "%s: %s", name, tvgp_status_name(status));
        if (status == TVGP_OK)
            same = 0;
        else
            q = harness_ask_at(p, step, x);
        r = harness_ask_at(twin, step, y);
        ck_assert(!same || (!memcmp(x, y, sizeof x) && q.score == r.score && q.id == r.id));
        assert_inside(measured, set, z, x);
        if (step % 3 == 1)
            continue;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(step)));
        ASSERT_OK(tvgp_policy_tell_value(twin, r.id, sin(step)));
    }
    kernel->from = 4;
    q = harness_ask_at(p, 12, x);
    ck_assert(isfinite(q.score));
    assert_inside(measured, set, z, x);
}

TEST_EACH(asks_stay_inside_without_scores, harness_policies()) {
    const char *name = policy_name(_i);
    for (int set = 0; plays(name) && set < 2; set++)
        for (int measured = 0; measured < 2; measured++)
            play_without_scores(name, measured, set);
}

/* ---- side queries ------------------------------------------------------------------------------------------------- */

static int among(size_t n, const double *x, double y) {
    for (size_t i = 0; i < n; i++)
        if (x[i] == y)
            return 1;
    return 0;
}

/* More are wanted than the rank of a smooth kernel allows; those asked are points told before, or with side.points (loop
 * index) of a set of that many, within the bounds, no point twice in a round. */
TEST_EACH(side_queries, 2) {
    enum { STEPS = 40, CAP = 64, FIXED = 16 };
    double told[STEPS], set[FIXED], x[CAP], low = 0, high = 1;
    size_t n_told = 0, n_set = 0, sides = 0, n;
    tvgp_query q[CAP];
    tvgp_policy *p = make_policy("sparq-gp-ucb", 1, zeros, ones, (const double[]){0.5});
    ASSERT_OK(tvgp_policy_set(p, "side.round_factor=20 kdpp.steps=50"));
    ASSERT_OK(tvgp_policy_set_i64(p, "side.points", _i ? FIXED : 0));
    for (int t = 1; n_told < STEPS; t++) {
        if (t % 8 == 0) {
            low = 0.4 - low;
            ASSERT_OK(tvgp_policy_set_bounds(p, &low, &high));
        }
        ASSERT_OK(tvgp_policy_ask(p, t, CAP, q, x, &n));
        ck_assert_uint_ge(n, 1);
        for (size_t i = 0; i < n; i++) {
            ck_assert(x[i] >= low && x[i] <= high && q[i].arm == -1);
            if (q[i].kind == TVGP_ACTION) {
                ck_assert_uint_eq(n, 1);
                told[n_told++] = x[i];
            } else if (_i) {
                if (!among(n_set, set, x[i])) {
                    ck_assert_uint_lt(n_set, FIXED);
                    set[n_set++] = x[i];
                }
            } else {
                ck_assert(among(n_told, told, x[i]));
            }
            ck_assert(!among(i, x, x[i]));
            sides += q[i].kind == TVGP_SIDE;
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, sin(6 * x[i] + 0.1 * t)));
        }
    }
    ck_assert_uint_ge(sides, 3 * STEPS);
    if (_i)
        ck_assert_uint_ge(n_set, 5);
}

/* ---- whole numbers, high dimension ------------------------------------------------------------------------------ */

TEST(whole_coordinates) {
    const double low[] = {-0.5, 0}, high[] = {10.4, 1}, length[] = {3, 0.3};
    tvgp_domain *domain = make_box(2, low, high);
    double x[2], best = -INFINITY;
    ASSERT_OK(tvgp_domain_box_integer(domain, 0));
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, harness_se(2, 2, length));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_domain_box_integer(domain, 1), "in use");
    for (int step = 0; step < 25; step++) {
        tvgp_query q = harness_ask_at(p, step, x);
        ck_assert(x[0] == floor(x[0]) && x[0] >= 0 && x[0] <= 10);
        double y = exp(-(x[0] - 7) * (x[0] - 7) / 10 - 4 * (x[1] - 0.3) * (x[1] - 0.3));
        best = fmax(best, y);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
    }
    ck_assert_msg(best > 0.99, "best %g", best);
    int64_t arm;
    ASSERT_OK(tvgp_policy_best(p, 30, &arm, x));
    ck_assert(x[0] == 7 && fabs(x[1] - 0.3) < 0.05);
    const tvgp_obs o = {.id = 0, .y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 30};
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, &o, (double[]){2.5, 0.5}), "2.5");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_bounds(p, (double[]){2.1, 0}, (double[]){2.9, 1}), "whole number");
    ASSERT_OK(tvgp_policy_set_bounds(p, (double[]){2.1, 0}, (double[]){3.9, 1}));
    (void)harness_ask_at(p, 30, x);
    ck_assert(x[0] == 3);
}

/* Sixty-four coordinates, most of them fixed at times, and minute or huge sides. */
TEST(every_dimension) {
    double low[64], high[64], x[64], one = 1;
    for (size_t d = 0; d < 64; d++) {
        low[d] = d % 3 ? -1e-8 : 1e6;
        high[d] = d % 3 ? 1e-8 : 1e6 + 1e8;
    }
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_matern, ctx, 64, 2.5, 1, 1, &one);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", harness_box(64, low, high), kernel);
    for (int step = 0; step < 3; step++) {
        tvgp_query q = harness_ask_at(p, step, x);
        for (size_t d = 0; d < 64; d++)
            ck_assert(x[d] >= low[d] && x[d] <= high[d]);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, step));
    }
}

int main(void) {
    golden_read_box();
    return HARNESS_RUN("box", harness_setup, harness_teardown);
}

/* SPDX-License-Identifier: MIT */
/* Contexts that are measured: arms times a box, against a dense posterior (and against numbered contexts in test_same_points); what stays when things fail, are saved or copied. */
#include "harness.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIONS = 6, PLACES = 5, DIM = 3 };

static const double lower[] = {0, -2}, upper[] = {1, 3};
/* actions on a line, contexts in a plane */
static const double at[ACTIONS] = {0.1, 0.9, 0.35, 0.5, 0.62, 0};
static const double place[PLACES][2] = {{0.25, 1}, {0, -2}, {1, 3}, {0.7, 0.1}, {0.31, 1.2}};
static const double lengthscale[] = {0.3, 0.5, 2};

static const char *const learners[] = {"gp-ucb", "igp-ucb", "tv-gp-ucb", "r-gp-ucb", "br-gp-ucb", "sw-gp-ucb", "et-gp-ucb"};

static tvgp_domain *actions_of(tvgp_ctx *c) {
    tvgp_domain *actions = NULL;
    (void)tvgp_domain_arms(c, ACTIONS, 1, at, &actions);
    return actions;
}

/* measured: times the box; otherwise times the places */
static tvgp_status make_domain(tvgp_ctx *c, int measured, tvgp_domain **out) {
    tvgp_domain *actions = actions_of(c), *contexts = NULL;
    tvgp_status status = TVGP_ERR_NOMEM;
    if (actions)
        status =
            measured ? tvgp_domain_box(c, 2, lower, upper, &contexts) : tvgp_domain_arms(c, PLACES, 2, place[0], &contexts);
    if (status == TVGP_OK)
        status = tvgp_domain_product(c, actions, contexts, out);
    tvgp_domain_destroy(contexts);
    tvgp_domain_destroy(actions);
    return status;
}

static tvgp_status make_policy(tvgp_ctx *c, const char *name, int measured, int told, tvgp_policy **out) {
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_status status = make_domain(c, measured, &domain);
    if (status == TVGP_OK && told)
        status = tvgp_kernel_se(c, DIM, 1, DIM, lengthscale, &kernel);
    if (status == TVGP_OK)
        status = tvgp_policy_create(c, name, domain, kernel, out);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return status;
}

static tvgp_policy *policy_of(const char *name, int measured) {
    tvgp_policy *policy = MAKE_POLICY(make_policy, ctx, name, measured, 1);
    (void)tvgp_policy_set_f64(policy, "rank.tolerance", 0); /* of those that have one */
    return policy;
}

/* What is there in an action and a place, moving slowly. */
static double truth(const double *x, double t) {
    const double off = x[0] - 0.5 - 0.4 * sin(3 * x[1] + x[2] + 0.01 * t);
    return exp(-8 * off * off);
}

/* ---- against a dense posterior ------------------------------------------------------------------------------------- */

static const struct ref_kernel field = {.kind = REF_SE, .dim = DIM, .variance = 1, .l = {0.3, 0.5, 2}};

static void random_context(struct rnd *r, double *z) {
    for (size_t d = 0; d < 2; d++)
        z[d] = lower[d] + rnd_uniform(r) * (upper[d] - lower[d]);
}

/* Anywhere in the box: means, variances and upper bounds of all actions from K + Sigma, which the choice has to be best of. */
START_TEST(as_a_dense_posterior) {
    static const struct {
        const char *name;
        double epsilon;
        size_t window;
    } cases[] = {{"gp-ucb", 0, 0}, {"igp-ucb", 0, 0}, {"tv-gp-ucb", 0.03, 0}, {"sw-gp-ucb", 0, 50}};
    const double epsilon = cases[_i].epsilon;
    const size_t window = cases[_i].window;
    struct rnd r = {(uint64_t)_i + 50};
    struct ref_gp ref;
    tvgp_policy *p = policy_of(cases[_i].name, 1);
    ref_gp_init(&ref, &field, epsilon, 300);
    ASSERT_OK(tvgp_policy_set(p, "forget.tolerance=0"));
    if (window)
        ASSERT_OK(tvgp_policy_set_i64(p, "window", (int64_t)window));
    double t = 0;
    for (size_t step = 0; step < 250; step++) {
        double z[2], X[ACTIONS * DIM], mean[2][ACTIONS], var[2][ACTIONS], x[DIM], best = -INFINITY;
        t += rnd_uniform(&r);
        random_context(&r, z);
        for (size_t i = 0; i < ACTIONS; i++)
            memcpy(X + DIM * i, (const double[]){at[i], z[0], z[1]}, DIM * sizeof *X);
        ASSERT_OK(tvgp_policy_set_context_point(p, 2, z));
        tvgp_query q = harness_ask_at(p, t, x);
        ck_assert(memcmp(x, X + DIM * q.arm, sizeof x) == 0);
        ref_gp_predict(&ref, ACTIONS, X, t, mean[1], var[1]);
        for (size_t i = 0; i < ACTIONS; i++)
            best = fmax(best, mean[1][i] + harness_stat(p, "width") * sqrt(var[1][i]));
        ASSERT_NEAR(q.score, best, 1e-9);
        ASSERT_NEAR(q.score, mean[1][q.arm] + harness_stat(p, "width") * sqrt(var[1][q.arm]), 1e-9);
        ASSERT_OK(tvgp_policy_predict(p, t, ACTIONS, X, mean[0], var[0]));
        ASSERT_ALL_NEAR(ACTIONS, mean[0], mean[1], 1e-9);
        ASSERT_ALL_NEAR(ACTIONS, var[0], var[1], 1e-9);
        const double y = truth(x, t) + 0.1 * rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        if (window && ref.n == window)
            ref_gp_drop(&ref, 1);
        ref_gp_add(&ref, x, t, y, q.noise_var);
    }
    ASSERT_NEAR(harness_stat(p, "log_marginal_likelihood"), ref_gp_log_evidence(&ref), 1e-9);
    ref_gp_free(&ref);
}

/* ---- learned kernels ----------------------------------------------------------------------------------------------- */

/* With default settings: as on the whole box when the context's coordinates are fixed there and a grid is searched at the
 * actions. */
START_TEST(as_a_box_with_fixed_coordinates) {
    enum { POINTS = 6 };
    const double low[] = {0, 0, -2}, high[] = {1, 1, 3};
    const size_t points = POINTS;
    struct rnd r = {8};
    tvgp_domain *line = harness_grid(1, low, high, &points);
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, line, harness_box(2, lower, upper));
    tvgp_policy *measured = MAKE_POLICY(tvgp_policy_create, ctx, learners[_i], both, NULL);
    tvgp_policy *free_of_arms = MAKE_POLICY(tvgp_policy_create, ctx, learners[_i], harness_box(3, low, high), NULL);
    for (double t = 0; t < 80; t++) {
        double z[2], x[2][DIM];
        tvgp_query q[2];
        random_context(&r, z);
        const double from[] = {0, z[0], z[1]}, to[] = {1, z[0], z[1]};
        ASSERT_OK(tvgp_policy_set_context_point(measured, 2, z));
        harness_set_grid(free_of_arms, from, to, POINTS);
        ASSERT_OK(tvgp_policy_ask_one(measured, t, &q[0], x[0]));
        ASSERT_OK(tvgp_policy_ask_one(free_of_arms, t, &q[1], x[1]));
        ASSERT_NEAR(q[0].score, q[1].score, 1e-8);
        ck_assert_msg(fabs(x[0][0] - x[1][0]) < 1e-6, "t = %g: %g and %g", t, x[0][0], x[1][0]);
        const double y = truth(x[0], t) + 0.05 * rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(measured, q[0].id, y));
        ASSERT_OK(tvgp_policy_tell_value(free_of_arms, q[1].id, y));
    }
    ck_assert(harness_stat(measured, "fit.count") > 1);
}

/* ---- means, masks, what is named ------------------------------------------------------------------------------------ */

static int32_t ramp(void *user, size_t n, const double *X, double *mean, double *gradient) {
    ck_assert_ptr_null(gradient);
    ++*(int *)user;
    for (size_t i = 0; i < n; i++)
        mean[i] = X[DIM * i] + 0.1 * X[DIM * i + 2];
    return 0;
}

static int32_t stopped(void *user, size_t n, const double *X, double *mean, double *gradient) {
    (void)user, (void)n, (void)X, (void)mean, (void)gradient;
    return -1234;
}

/* A function of action and context as the prior mean says what a mean for each action says that is set for each context. */
START_TEST(mean_as_a_function) {
    int called = 0;
    struct rnd r = {4};
    tvgp_policy *by_function = policy_of("tv-gp-ucb", 1), *by_action = policy_of("tv-gp-ucb", 1);
    ASSERT_OK(tvgp_policy_set(by_function, "sense=min"));
    ASSERT_OK(tvgp_policy_set(by_action, "sense=min"));
    ASSERT_OK(tvgp_policy_set_prior_mean_fn(by_function, ramp, &called, NULL));
    for (double t = 0; t < 40; t++) {
        double z[2], mean[ACTIONS], X[ACTIONS * DIM], seen[2][ACTIONS];
        int64_t best[2];
        random_context(&r, z);
        for (size_t i = 0; i < ACTIONS; i++) {
            mean[i] = at[i] + 0.1 * z[1];
            memcpy(X + DIM * i, (const double[]){at[i], z[0], z[1]}, DIM * sizeof *X);
        }
        ASSERT_OK(tvgp_policy_set_prior_mean(by_action, ACTIONS, mean));
        ASSERT_OK(tvgp_policy_set_context_point(by_function, 2, z));
        ASSERT_OK(tvgp_policy_set_context_point(by_action, 2, z));
        ASSERT_OK(tvgp_policy_best(by_function, t, &best[0], NULL)); /* also before the first ask */
        ASSERT_OK(tvgp_policy_best(by_action, t, &best[1], NULL));
        ck_assert_int_eq(best[0], best[1]);
        ASSERT_OK(tvgp_policy_predict(by_function, t, ACTIONS, X, seen[0], NULL));
        ASSERT_OK(tvgp_policy_predict(by_action, t, ACTIONS, X, seen[1], NULL));
        ASSERT_ALL_NEAR(ACTIONS, seen[0], seen[1], 1e-12);
        tvgp_query a = harness_ask(by_function, t), b = harness_ask(by_action, t);
        ck_assert_int_eq(a.arm, b.arm);
        ASSERT_NEAR(a.score, b.score, 1e-12);
        const double y = rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(by_function, a.id, y));
        ASSERT_OK(tvgp_policy_tell_value(by_action, b.id, y));
    }
    ck_assert_int_gt(called, 40);
    const double off[] = {0.123, 0.5, 0.5};
    double mean;
    ASSERT_OK(tvgp_policy_predict(by_function, 40, 1, off, &mean, NULL));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_predict(by_action, 40, 1, off, &mean, NULL), "not an arm");
    ck_assert_int_eq(tvgp_policy_set_prior_mean_fn(by_function, stopped, NULL, NULL), -1234);
    ASSERT_OK(tvgp_policy_set_prior_mean(by_function, 0, NULL));
    ASSERT_OK(tvgp_policy_set_prior_mean(by_action, 0, NULL));
    ck_assert_int_eq(harness_ask(by_function, 41).arm, harness_ask(by_action, 41).arm);
}

/* random draws among the arms that are available, in the context that holds. */
START_TEST(at_random) {
    uint8_t mask[ACTIONS] = {0, 1, 0, 1, 1, 0};
    size_t drawn[ACTIONS] = {0};
    tvgp_policy *p = policy_of("random", 1);
    ASSERT_OK(tvgp_policy_set_available(p, ACTIONS, mask));
    for (size_t t = 0; t < 300; t++) {
        double x[DIM];
        ASSERT_OK(tvgp_policy_set_context_point(p, 2, place[t % PLACES]));
        tvgp_query q = harness_ask_at(p, (double)t, x);
        ck_assert(x[0] == at[q.arm] && memcmp(x + 1, place[t % PLACES], 2 * sizeof *x) == 0);
        ASSERT_NEAR(q.propensity, 1.0 / 3, 1e-15);
        drawn[q.arm]++;
    }
    for (size_t i = 0; i < ACTIONS; i++)
        ck_assert(mask[i] ? drawn[i] > 70 : !drawn[i]);
}

/* Two actions at the same place have a mean each. */
START_TEST(actions_that_are_alike) {
    const double twice[] = {0.5, 0.5, 0.2}, low = 0, high = 1, l[] = {0.3, 0.3}, z = 0.4, mean[] = {0, 1, 0};
    tvgp_query q;
    int64_t best;
    tvgp_domain *actions = harness_arms(3, 1, twice);
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, harness_box(1, &low, &high));
    tvgp_kernel *kernel = harness_se(2, 2, l);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", both, kernel);
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 3, mean));
    ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL)); /* x may be NULL: the arm says where */
    ck_assert_int_eq(q.arm, 1);
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1));
    ASSERT_OK(tvgp_policy_best(p, 0, &best, NULL));
    ck_assert_int_eq(best, 1);
    double all[3], own[6], points[] = {0.5, z, 0.5, z, 0.2, z};
    ASSERT_OK(tvgp_policy_predict(p, 0, 3, NULL, all, NULL)); /* each with its own mean, in the context that holds */
    ASSERT_OK(tvgp_policy_predict(p, 0, 3, points, own, NULL));
    ck_assert(all[0] == own[0] && all[1] == own[0] + 1 && all[2] == own[2]);
    p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", both, kernel);
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 3, mean));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_predict(p, 0, 3, NULL, all, NULL), "no context holds");
    ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_predict(p, 0, 4, NULL, all, NULL), "X is NULL", "n = 4", "3");
    ASSERT_OK(tvgp_policy_predict(p, 0, 3, NULL, all, own)); /* before the start */
    ck_assert(all[0] == 0 && all[1] == 1 && all[2] == 0 && own[2] == 1);
}

/* Kernels that are no function of coordinates for the actions: categories, a table. */
START_TEST(actions_that_are_no_places) {
    const double low = 0, high = 1, l = 0.3, table[] = {1, 0.5, 0, 0.5, 2, 0.1, 0, 0.1, 1};
    tvgp_kernel *part[2], *slice[2];
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, harness_indices(3), harness_box(1, &low, &high));
    part[0] = _i ? MAKE_KERNEL(tvgp_kernel_table, ctx, 3, table) : MAKE_KERNEL(tvgp_kernel_categorical, ctx, 2, 0.3);
    part[1] = harness_se(1, 1, &l);
    for (size_t i = 0; i < 2; i++)
        slice[i] = MAKE_KERNEL(tvgp_kernel_slice, ctx, 2, i, part[i]);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_product, ctx, slice[0], slice[1]);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", both, kernel);
    for (double t = 0; t < 30; t++) {
        const double z = fmod(0.37 * t, 1);
        tvgp_query q;
        double x[2];
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, x));
        ck_assert(x[0] == (double)q.arm && x[1] == z && isfinite(q.score));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, cos(3 * z + x[0])));
    }
    p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", both, NULL); /* categorical times Matern 5/2 */
    for (double t = 0; t < 20; t++) {
        const double z = fmod(0.37 * t, 1);
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &z));
        const tvgp_query q = harness_ask(p, t);
        ck_assert(isfinite(q.score));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, cos(3 * z + (double)q.arm)));
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 0);
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------ */

/* A policy that was saved before there was a context waits for one; a snapshot of another domain is refused. */
START_TEST(saved_without_a_context) {
    tvgp_domain *domain;
    tvgp_policy *p = policy_of("gp-ucb", 1), *loaded = policy_of("gp-ucb", 1);
    const struct saved state = harness_saved(p, 0);
    ASSERT_OK(tvgp_policy_set_context_point(loaded, 2, place[1]));
    ASSERT_OK(tvgp_policy_load(loaded, state.n, state.bytes));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(loaded, 0, &(tvgp_query){0}, NULL), "tvgp_policy_set_context_point");
    ASSERT_OK(make_domain(ctx, 0, &domain));
    tvgp_policy *other = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, harness_se(DIM, DIM, lengthscale));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(other, state.n, state.bytes), "6 arms", "30");
    tvgp_domain_destroy(domain);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------ */

START_TEST(what_is_refused) {
    const double none[] = {0.45, 0.5, 0.5}, x[] = {0.1, 0.25, 7};
    const tvgp_obs o = {.flags = TVGP_OBS_HAS_TIME, .t = 1};
    tvgp_policy *p = policy_of("gp-ucb", 1), *finite = policy_of("gp-ucb", 0);
    tvgp_domain *domain;
    tvgp_query q;
    int64_t arm = -7;
    double y[DIM];
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(p, 0, &q, y), "tvgp_policy_set_context_point");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_best(p, 0, &arm, y), "tvgp_policy_set_context_point");
    ASSERT_OK(tvgp_policy_set_context_point(p, 2, place[0]));
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_set_context_point(p, 0, place[0]), "n = 0");
    ck_assert_int_eq(tvgp_policy_set_context_point(NULL, 2, place[0]), TVGP_ERR_ARG);
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, y)); /* the context is the one before */
    ck_assert(memcmp(y + 1, place[0], 2 * sizeof *y) == 0);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_context_point(finite, 2, place[0]), "tvgp_policy_set_context");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_set_feasible(p, NULL, NULL, NULL), "tvgp_policy_set_context_point");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, &o, x), "x[0]");    /* the context is not in the box */
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_tell(p, 1, &o, none), "x[0]"); /* no action is there */
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_set_prior_mean(p, 2, x), "1 or 6");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_set_available(p, 5, (const uint8_t[5]){1}), "6 arms");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_available(p, ACTIONS, (const uint8_t[ACTIONS]){0}), "0 of 6");
    p = policy_of("gp-ucb", 1);
    ASSERT_OK(tvgp_policy_set_context_point(p, 2, place[0]));
    ASSERT_OK(tvgp_policy_set(p, "choice=thompson"));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, y), "thompson", "measured");
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(finite);
    ASSERT_OK(make_domain(ctx, 1, &domain));
    p = policy_of("gp-ucb", 1);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p, domain, NULL), "measured");
    tvgp_domain_destroy(domain);
}

/* Every policy plays there or is refused by name. */
START_TEST(who_plays) {
    const char *name = harness_policy_at(_i);
    tvgp_policy *p = NULL;
    tvgp_status status = make_policy(ctx, name, 1, 1, &p);
    ck_assert(status == TVGP_OK || strcmp(name, "constant-arm") == 0);
    if (status < 0) {
        ck_assert_int_eq(status, TVGP_ERR_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(tvgp_ctx_errmsg(ctx), name));
        ck_assert_ptr_nonnull(strstr(tvgp_ctx_errmsg(ctx), "measured contexts"));
    }
    tvgp_policy_destroy(p);
}

/* What the domain says of itself, whole numbers in a context, and what makes none. */
START_TEST(the_domain) {
    const double low[] = {0, 0}, high[] = {4, 1}, wide[64] = {0}, halves[] = {2.5, 0.5}, right[] = {2, 0.5};
    const double l = 1;
    double top[64], x[3];
    size_t n, dim;
    int64_t action = -7;
    tvgp_domain *actions = actions_of(ctx), *out = NULL;
    tvgp_domain *box = harness_box(2, low, high);
    ASSERT_OK(tvgp_domain_box_integer(box, 0));
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, box);
    ASSERT_OK(tvgp_domain_size(both, &n));
    ASSERT_OK(tvgp_domain_dim(both, &dim));
    ck_assert(n == ACTIONS && dim == 3);
    ASSERT_OK(tvgp_domain_shard_range(both, NULL, &n, NULL));
    ck_assert_uint_eq(n, ACTIONS);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_point(both, 0, x), "measured");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_point(both, ACTIONS, x), "0..5");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_split(both, 0, &action, NULL), "measured");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_append(both, 1, x, &out), "append to its actions");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_product(ctx, box, actions, &out), "actions", "box");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_product(ctx, box, box, &out), "actions", "box");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_product(ctx, both, actions, &out), "actions", "measured");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_product(ctx, actions, both, &out), "contexts", "measured");
    for (size_t d = 0; d < 64; d++)
        top[d] = 1;
    tvgp_domain *other = harness_box(64, wide, top);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_product(ctx, actions, other, &out), "64");
    tvgp_domain_destroy(other);
    ck_assert_ptr_null(out);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", both, harness_se(3, 1, &l));
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_set_context_point(p, 2, halves), "z[0]", "2.5", "whole");
    ASSERT_OK(tvgp_policy_set_context_point(p, 2, right));
    /* means by phase are those of the actions */
    double mean[2 * ACTIONS];
    ASSERT_OK(tvgp_domain_seasonal_mean(both, 2, (const int64_t[]){0, 5}, low, high, 1, 2, mean));
    ASSERT_OK(tvgp_policy_set_prior_mean(p, ACTIONS, mean));
    tvgp_domain_destroy(box);
    tvgp_domain_destroy(both);
    tvgp_domain_destroy(actions);
    ck_assert_int_ge(harness_ask(p, 0).arm, 0);
}

/* The width for a finite set of arms: times the cover of the contexts, by the formula of theorem 2 of Srinivas et al. 2010. */
START_TEST(width_of_finite_arms) {
    tvgp_policy *p = policy_of("gp-ucb", 1);
    ASSERT_OK(tvgp_policy_set(p, "width.schedule=finite width.delta=0.2 width.a=1.5 width.b=2"));
    ASSERT_OK(tvgp_policy_set_context_point(p, 2, place[0]));
    for (double t = 1; t < 4; t++) {
        (void)harness_ask(p, t);
        const double cover = 2 * log(t * t * 2 * 2 * 5 * sqrt(log(4 * 2 * 1.5 / 0.2)));
        const double beta = 2 * (log(ACTIONS) + cover + log(t * t * acos(-1) * acos(-1) / (6 * 0.2)));
        ASSERT_NEAR(harness_stat(p, "width"), sqrt(beta), 1e-12);
    }
}

int main(void) {
    Suite *suite = suite_create("context_x");
    TCase *tc = harness_case(suite, "measured contexts");
    tcase_add_loop_test(tc, as_a_dense_posterior, 0, 4);
    tcase_add_loop_test(tc, as_a_box_with_fixed_coordinates, 0, (int)(sizeof learners / sizeof *learners));
    harness_add(tc, saved_without_a_context, mean_as_a_function, at_random, actions_that_are_alike);
    tcase_add_loop_test(tc, actions_that_are_no_places, 0, 2);
    tcase_add_test(tc, what_is_refused);
    tcase_add_loop_test(tc, who_plays, 0, harness_policies());
    harness_add(tc, the_domain, width_of_finite_arms);
    return harness_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* New arms while a policy runs: the policy that is extended next to a twin that had all arms from the start, masked. */
#include "cases.h"

#include <math.h>
#include <string.h>

enum { OLD = 14, ALL = 20, LONG = 260 };

static const struct ref_kernel smooth = {.kind = REF_SE, .dim = 2, .variance = 1.5, .l = {0.5, 0.6}};
static const struct ref_kernel line = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.5, 1e3}};
static const struct ref_kernel rough = {.kind = REF_MATERN12, .dim = 2, .variance = 1, .l = {0.4, 0.4}};

static const struct scene {
    const char *policy, *options;
    const struct ref_kernel *kernel;
    int before, after; /* steps */
    double tolerance;
} scenes[] = {
    {"gp-ucb", "noise=0.05", &rough, 30, 40, 1e-10},
    {"gp-ucb", "noise=0.05", &rough, 0, 20, 1e-10},
    {"igp-ucb", "noise=0.05", &smooth, 10, 40, 1e-10},
    {"tv-gp-ucb", "noise=0.05 epsilon=0.03", &rough, 40, 60, 1e-10},
    {"tv-gp-ucb", "noise=0.05 epsilon=0.5", &rough, 200, 60, 1e-10}, /* the oldest columns are gone */
    {"tv-gp-ucb", "noise=0.05 epsilon=0.03 choice=thompson seed=4", &rough, 40, 40, 1e-10},
    {"ui-gp-ucb", "noise=0.05 noise_growth.rate=0.02", &rough, 30, 30, 1e-10},
    {"ui-gp-ucb", "noise=0.05 noise_growth=wiener-kernel noise_growth.rate=0.02", &rough, 30, 30, 1e-10},
    {"w-gp-ucb", "noise=0.05 decay=0.95", &rough, 30, 30, 1e-10},
    {"sw-gp-ucb", "noise=0.05 window=12", &rough, 40, 40, 1e-10},
    {"r-gp-ucb", "noise=0.05 reset.every=25", &rough, 40, 40, 1e-10},
    {"et-gp-ucb", "noise=0.05", &rough, 40, 40, 1e-10},
    {"auto-gp-ucb", "noise=0.05", &rough, 40, 40, 1e-10}, /* in weights, rank = arms: nothing is left out */
    {"auto-gp-ucb", "noise=0.05 scale.learn=1", &rough, 5, 40, 1e-10},
    {"auto-gp-ucb", "noise=0.05 offset.variance=0.5", &rough, 70, 40, 1e-10},
    {"auto-gp-ucb", "noise=0.05 model.assume_misspecified=1", &rough, 25, 30, 1e-10},
    {"auto-gp-ucb", "noise=0.05", &smooth, 60, 40, 1e-10},
    {"gp-ucb", "noise=0.05", &smooth, LONG, 60, 1e-10},
    {"tv-gp-ucb", "noise=0.05 epsilon=0.03", &smooth, LONG, 60, 1e-10},
    {"tv-gp-ucb", "noise=0.05 epsilon=0.03 delay.exact_observations=0", &smooth, LONG, 60, 1e-10},
    {"tv-gp-ucb", "noise=0.05 epsilon=0.03", &line, LONG, 60, 1e-10}, /* old arms are not all pivots, new ones among them */
    {"auto-gp-ucb", "noise=0.05", &line, 60, 40, 1e-10},
    {"pe-gp-ucb", "noise=0.05 width.schedule=log", &rough, 40, 40, 1e-10}, /* several priors, by one */
    {"rb-gp-ucb", "noise=0.05 width.schedule=log", &rough, 40, 40, 1e-10},
    {"fb-gp-ucb", "noise=0.05 width.schedule=log", &rough, 40, 40, 1e-10},
    {"mle-gp-ucb", "noise=0.05 width.schedule=log", &smooth, 20, 40, 1e-10},
    {"sparq-gp-ucb", "noise=0.05", &rough, 30, 20, 1e-10},
    {"w-sparq-gp-ucb", "noise=0.05", &rough, 30, 20, 1e-10},
};

static void place(double *X) {
    struct rnd r = {77};
    rnd_fill(&r, 2 * ALL, X);
}

static double answer(int64_t arm, int step) {
    return sin(1.3 * (double)arm + 0.05 * step) + 0.3 * cos(0.7 * (double)arm * step);
}

struct pair {
    tvgp_policy *a, *twin;
    tvgp_domain *domain, *larger, *whole;
    uint8_t mask[ALL];
};

static tvgp_policy *open_policy(const struct scene *s, const tvgp_domain *domain) {
    tvgp_policy *policy = harness_create(s->policy, domain, MAKE_KERNEL(cases_kernel, ctx, s->kernel), s->options);
    (void)tvgp_policy_set_f64(policy, "rank.tolerance", 0); /* of those that have one */
    return policy;
}

static void open_pair(const struct scene *s, struct pair *p) {
    double X[2 * ALL];
    place(X);
    p->domain = harness_arms(OLD, 2, X);
    p->larger = MAKE_DOMAIN(tvgp_domain_append, p->domain, ALL - OLD, X + 2 * OLD);
    p->whole = harness_arms(ALL, 2, X);
    p->a = open_policy(s, p->domain);
    p->twin = open_policy(s, p->whole);
    for (size_t i = 0; i < ALL; i++)
        p->mask[i] = i < OLD;
    ASSERT_OK(tvgp_policy_set_available(p->twin, ALL, p->mask));
}

static void grow(struct pair *p) {
    ASSERT_OK(tvgp_policy_extend(p->a, p->larger, NULL));
    ASSERT_OK(tvgp_policy_set_available(p->twin, 0, NULL));
}

/* Both ask; the same arm where the twin's scores are apart, and the same score. The twin's arm is reported to both. */
static void step(struct pair *p, int t, double tolerance) {
    tvgp_query q, s;
    double x[2];
    ASSERT_OK(tvgp_policy_ask_one(p->twin, t, &s, x));
    ASSERT_OK(tvgp_policy_ask_one(p->a, t, &q, NULL));
    ASSERT_NEAR(q.score, s.score, tolerance);
    ck_assert_int_eq(q.arm, s.arm);
    const double y = answer(s.arm, t);
    ASSERT_OK(tvgp_policy_tell_value(p->twin, s.id, y));
    ASSERT_OK(tvgp_policy_tell_value(p->a, q.id, y));
}

static void assert_same(struct pair *p, int t, double tolerance) {
    double X[2 * ALL];
    place(X);
    ASSERT_SAME_PREDICTIONS(p->a, p->twin, t, ALL, X, tolerance);
    ASSERT_NEAR(harness_stat(p->a, "log_marginal_likelihood"), harness_stat(p->twin, "log_marginal_likelihood"),
                1e3 * tolerance);
}

static void assert_mixture(struct pair *p, int t) {
    double X[2 * ALL];
    place(X);
    ASSERT_SAME_PREDICTIONS(p->a, p->twin, t, ALL, X, 1e-10);
    for (const char *const *key = (const char *const[]){"prior.log_marginal_likelihood.0", "prior.log_marginal_likelihood.1",
                                                        "priors.alive", NULL};
         *key; key++)
        ASSERT_NEAR(harness_stat(p->a, *key), harness_stat(p->twin, *key), 1e-8);
}

TEST_EACH(equals_a_policy_that_had_all_arms, sizeof scenes / sizeof *scenes) {
    const struct scene *s = &scenes[_i];
    struct pair p;
    open_pair(s, &p);
    for (int t = 0; t < s->before; t++)
        step(&p, t, 1e-10);
    grow(&p);
    if (s->before)
        assert_same(&p, s->before, s->tolerance);
    tvgp_policy *clone = MAKE_POLICY(tvgp_policy_clone, p.a); /* a snapshot knows the larger domain */
    tvgp_policy_destroy(p.a);
    p.a = clone;
    for (int t = s->before; t < s->before + s->after; t++)
        step(&p, t, s->tolerance);
    assert_same(&p, s->before + s->after, s->tolerance);
    size_t n;
    ASSERT_OK(tvgp_domain_size(p.larger, &n));
    ck_assert_uint_eq(n, ALL);
}

/* Queries asked before are answered after; outcomes of the past, too; one arm at a time. */
TEST_EACH(pending_and_late_answers, 2) {
    const struct scene s = {.policy = "tv-gp-ucb", .options = "noise=0.05 epsilon=0.05", .kernel = _i ? &smooth : &rough};
    const int before = _i ? LONG : 30;
    const double tolerance = 1e-10;
    double X[2 * ALL];
    struct pair p;
    tvgp_query q[3], twin[3];
    place(X);
    open_pair(&s, &p);
    for (int t = 0; t < before; t++)
        step(&p, t, 1e-10);
    for (int i = 0; i < 3; i++) {
        q[i] = harness_ask(p.a, before + i);
        twin[i] = harness_ask(p.twin, before + i);
        ck_assert_int_eq(q[i].arm, twin[i].arm);
    }
    for (size_t n = OLD + 1; n <= ALL; n++) {
        tvgp_domain *one = harness_arms(n, 2, X); /* any domain that begins with the arms */
        ASSERT_OK(tvgp_policy_extend(p.a, one, NULL));
    }
    ASSERT_OK(tvgp_policy_set_available(p.twin, 0, NULL));
    for (int i = 2; i >= 0; i--) {
        const tvgp_obs obs = {.id = q[i].id, .flags = TVGP_OBS_HAS_TIME, .y = answer(i, i), .t = before - 10 + i};
        tvgp_obs same = obs;
        same.id = twin[i].id;
        ASSERT_OK(tvgp_policy_tell(p.a, 1, &obs, NULL));
        ASSERT_OK(tvgp_policy_tell(p.twin, 1, &same, NULL));
    }
    assert_same(&p, before + 3, tolerance);
    for (int t = before + 3; t < before + 33; t++)
        step(&p, t, tolerance);
}

TEST(means_and_masks) {
    const struct scene s = {.policy = "gp-ucb", .options = "noise=0.05 sense=min", .kernel = &rough};
    struct pair p;
    double mean[ALL];
    open_pair(&s, &p);
    for (size_t i = 0; i < ALL; i++)
        mean[i] = 0.1 * (double)i - 1;
    ASSERT_OK(tvgp_policy_set_prior_mean(p.a, OLD, mean));
    ASSERT_OK(tvgp_policy_set_prior_mean(p.twin, ALL, mean));
    p.mask[3] = p.mask[5] = 0;
    ASSERT_OK(tvgp_policy_set_available(p.a, OLD, p.mask));
    ASSERT_OK(tvgp_policy_set_available(p.twin, ALL, p.mask));
    for (int t = 0; t < 20; t++)
        step(&p, t, 1e-10);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_extend(p.a, p.larger, NULL), "new_mean", "NULL");
    ASSERT_OK(tvgp_policy_extend(p.a, p.larger, mean + OLD));
    memset(p.mask + OLD, 1, ALL - OLD);
    ASSERT_OK(tvgp_policy_set_available(p.twin, ALL, p.mask));
    for (int t = 20; t < 50; t++)
        step(&p, t, 1e-10);
}

/* Priors that were given; one of them dies on the way. A mean of their own knows the arms there are. */
TEST_EACH(several_priors, 4) {
    static const char *const policies[] = {"pe-gp-ucb", "fb-gp-ucb", "mle-gp-ucb", "rb-gp-ucb"};
    const struct scene s = {
        .policy = policies[_i], .options = "noise=0.05 width.schedule=constant width.value=1", .kernel = &rough};
    struct pair p;
    double mean[OLD] = {0};
    tvgp_kernel *kernels[2];
    open_pair(&s, &p);
    kernels[0] = MAKE_KERNEL(cases_kernel, ctx, &rough);
    kernels[1] = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    for (size_t i = 0; i < 2; i++) {
        ASSERT_OK(tvgp_policy_add_prior(p.a, kernels[i], 0, NULL, i ? 0 : 0.05));
        ASSERT_OK(tvgp_policy_add_prior(p.twin, kernels[i], 0, NULL, i ? 0 : 0.05));
    }
    for (int t = 0; t < 30; t++)
        step(&p, t, 1e-10);
    grow(&p);
    assert_mixture(&p, 30);
    ASSERT_OK(tvgp_policy_add_prior(p.a, kernels[1], 0, NULL, 0.2)); /* shown what the others know */
    ASSERT_OK(tvgp_policy_add_prior(p.twin, kernels[1], 0, NULL, 0.2));
    for (int t = 30; t < 60; t++)
        step(&p, t, 1e-10);
    assert_mixture(&p, 60);
    open_pair(&s, &p);
    ASSERT_OK(tvgp_policy_add_prior(p.a, kernels[0], 0, NULL, 0));
    ASSERT_OK(tvgp_policy_add_prior(p.a, kernels[0], OLD, mean, 0));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p.a, p.larger, NULL), "prior 1", "mean");
    ck_assert(harness_ask(p.a, 0).arm < OLD);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p.a, p.larger, NULL), "prior 1", "mean");
}

/* Actions are appended to, contexts stay. */
TEST(products) {
    const double hours[] = {0, 0.5, 1}, old[] = {0.1, 0.4, 0.9}, fresh[] = {0.6, 0.2};
    const struct scene s = {.policy = "gp-ucb", .options = "noise=0.05", .kernel = &rough};
    tvgp_domain *contexts = harness_arms(3, 1, hours);
    tvgp_domain *actions = harness_arms(3, 1, old);
    tvgp_domain *more = MAKE_DOMAIN(tvgp_domain_append, actions, 2, fresh);
    tvgp_domain *small = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, contexts);
    tvgp_domain *large = MAKE_DOMAIN(tvgp_domain_product, ctx, more, contexts);
    tvgp_policy *a = open_policy(&s, small), *twin = open_policy(&s, large);
    uint8_t mask[15] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    ASSERT_OK(tvgp_policy_set_available(twin, 15, mask));
    for (int t = 0; t < 40; t++) {
        if (t == 20) {
            ASSERT_OK(tvgp_policy_extend(a, large, NULL));
            ASSERT_OK(tvgp_policy_set_available(twin, 0, NULL));
        }
        ASSERT_OK(tvgp_policy_set_context(a, t % 3));
        ASSERT_OK(tvgp_policy_set_context(twin, t % 3));
        const tvgp_query q = harness_ask(a, t), w = harness_ask(twin, t);
        ck_assert_int_eq(q.arm, w.arm);
        ck_assert_int_eq(q.arm % 3, t % 3);
        ASSERT_NEAR(q.score, w.score, 1e-10);
        ASSERT_OK(tvgp_policy_tell_value(a, q.id, answer(q.arm, t)));
        ASSERT_OK(tvgp_policy_tell_value(twin, w.id, answer(q.arm, t)));
    }
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_append(small, 1, hours, &more), "product");
}

/* New arms and 40 old ones, whose kernel matrix has 15 eigenvalues above 1e-13 of the largest. Directions below that share up to
 * 3e-7 with the new arms; features have forgotten what outcomes said of them, and in a covariance matrix round-off hides it. */
TEST_EACH(beside_what_features_leave_out, 3) {
    enum { SHOPS = 40, STREET = 50 };
    static const char *const options[][2] = {{"tv-gp-ucb", "noise=0.05 epsilon=0.03"},
                                             {"auto-gp-ucb", "noise=0.05"},
                                             {"auto-gp-ucb", "noise=0.05 model.assume_misspecified=1"}};
    const struct ref_kernel se = {.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.2}};
    const struct scene s = {.policy = options[_i][0], .options = options[_i][1], .kernel = &se};
    double X[STREET], mean[2][STREET], var[2][STREET];
    uint8_t mask[STREET];
    struct pair p;
    for (size_t i = 0; i < STREET; i++) {
        X[i] = i < SHOPS ? 0.6 * (double)i / (SHOPS - 1) : 0.62 + 0.38 * (double)(i - SHOPS) / (STREET - SHOPS - 1);
        mask[i] = i < SHOPS;
    }
    p.domain = harness_arms(SHOPS, 1, X);
    p.larger = MAKE_DOMAIN(tvgp_domain_append, p.domain, STREET - SHOPS, X + SHOPS);
    p.whole = harness_arms(STREET, 1, X);
    p.a = open_policy(&s, p.domain);
    p.twin = open_policy(&s, p.whole);
    ASSERT_OK(tvgp_policy_set_available(p.twin, STREET, mask));
    for (int t = 0; t < 300; t++)
        step(&p, t, 1e-10);
    if (_i)
        ck_assert_double_lt(harness_stat(p.a, "rank"), SHOPS / 2);
    grow(&p);
    ASSERT_OK(tvgp_policy_predict(p.a, 300, STREET, X, mean[0], var[0]));
    ASSERT_OK(tvgp_policy_predict(p.twin, 300, STREET, X, mean[1], var[1]));
    for (size_t i = 0; i < STREET; i++) {
        ASSERT_NEAR(mean[0][i], mean[1][i], i < SHOPS ? 1e-10 : 1e-7);
        ASSERT_NEAR(var[0][i], var[1][i], i < SHOPS ? 1e-10 : 1e-7);
    }
    for (int t = 300; t < 360; t++)
        step(&p, t, 1e-7);
}

TEST(bad_input) {
    const struct scene s = {.policy = "gp-ucb", .options = "noise=0.05", .kernel = &rough};
    struct pair p;
    double X[2 * ALL], mean[ALL] = {0};
    place(X);
    open_pair(&s, &p);
    step(&p, 0, 1e-10);
    X[1] += 1;
    tvgp_domain *other = harness_arms(ALL, 2, X);
    tvgp_domain *box = harness_box(2, (const double[]){0, 0}, (const double[]){1, 1});
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_extend(p.a, other, NULL), "larger", "14");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_extend(p.twin, p.domain, NULL), "larger", "14", "20");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_extend(p.a, NULL, NULL), "larger");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p.a, box, NULL), "box");
    mean[2] = NAN;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_extend(p.a, p.larger, mean), "new_mean");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_append(p.domain, 0, X, &other), "n = 0");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_append(box, 1, X, &other), "box");
    ck_assert_int_eq(tvgp_policy_extend(NULL, p.larger, NULL), TVGP_ERR_ARG);
    grow(&p);
    step(&p, 1, 1e-10);
    tvgp_domain_destroy(other);
    /* policies that keep the arms they have say so, and may still be extended before they start */
    static const char *const keep[] = {"bkb"};
    for (size_t i = 0; i < 1; i++) {
        const struct scene k = {.policy = keep[i], .options = "noise=0.05", .kernel = &rough};
        open_pair(&k, &p);
        const tvgp_query q = harness_ask(p.a, 0);
        ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p.a, p.larger, NULL), keep[i]);
        ASSERT_OK(tvgp_policy_tell_value(p.a, q.id, 1));
        tvgp_policy *fresh = open_policy(&k, p.domain);
        ASSERT_OK(tvgp_policy_extend(fresh, p.larger, NULL));
        ck_assert(harness_ask(fresh, 0).arm < ALL);
        tvgp_policy_destroy(fresh);
    }
}

/* A prior whose mean knows each arm stays with them, also one that the policy made itself. */
TEST(own_prior_of_arms) {
    const struct scene s = {.policy = "mle-gp-ucb", .options = "noise=0.05", .kernel = &rough};
    const double mean[ALL] = {0.5, 1};
    struct pair p;
    size_t n = 0;
    open_pair(&s, &p);
    ASSERT_OK(tvgp_domain_size(p.domain, &n));
    const tvgp_query q = harness_ask(p.a, 0);
    ASSERT_OK(tvgp_policy_add_prior(p.a, MAKE_KERNEL(tvgp_policy_kernel, p.a), 0, NULL, 0.1));
    ASSERT_OK(tvgp_policy_set_added_prior_mean(p.a, 0, n, mean));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p.a, p.larger, NULL), "prior 0", "mean of its own");
    ASSERT_OK(tvgp_policy_tell_value(p.a, q.id, 1));
    ASSERT_OK(tvgp_policy_set_added_prior_mean(p.a, 0, 1, mean));
    ASSERT_OK(tvgp_policy_extend(p.a, p.larger, NULL));
    ck_assert(harness_ask(p.a, 1).arm < ALL);
}

/* The prior variance of the offset depends on all arms. A clone, created on the larger domain, continues identically: `constant` is
 * in the density of an abrupt change (0), and in the prior that a reset restores once the unit of time is found (1). */
TEST_EACH(clone_has_the_offset_of_the_larger_domain, 2) {
    static const double old[] = {0.1, 0.4, 0.9}, fresh[] = {3, 5}, scale = 1;
    static const char *const options[] = {"noise=0.05 offset.variance=0.5 time.unit=1 changepoint.hazard=0.2",
                                          "noise=0.05 offset.variance=0.5 changepoint.hazard=0"};
    tvgp_domain *domain = harness_arms(3, 1, old);
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, domain, 2, fresh);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_linear, ctx, 1, 1, 1, &scale, 0.5);
    tvgp_policy *policy = harness_create("auto-gp-ucb", domain, kernel, options[_i]);
    for (int t = 0; t < 4; t++)
        ASSERT_OK(tvgp_policy_tell_value(policy, harness_ask(policy, t).id, 0.1));
    ASSERT_OK(tvgp_policy_extend(policy, larger, NULL));
    tvgp_policy *clone = MAKE_POLICY(tvgp_policy_clone, policy);
    for (int t = 4; t < 40; t++) {
        const tvgp_query q = harness_ask(policy, 3 * t), c = harness_ask(clone, 3 * t);
        ck_assert_int_eq(q.arm, c.arm);
        ck_assert_msg(q.score == c.score, "t = %d: %.17g, the clone %.17g", t, q.score, c.score);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, answer(q.arm, t)));
        ASSERT_OK(tvgp_policy_tell_value(clone, c.id, answer(c.arm, t)));
    }
}

HARNESS_MAIN("extend")

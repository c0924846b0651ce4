/* SPDX-License-Identifier: MIT */
/* Before the first ask or tell: predictions are the prior's, those that the state would give, and no state is built for them:
 * the bytes of the policy and its memory stay as they are. */
#include "base/error.h"
#include "cases.h"
#include "protocol/policy_ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OFF = 3, POINTS = CASES_ARMS + OFF, DIM = 2 };

/* Settings that change what a prior is; a policy that does not know the first option is left as it is. */
static const char *const settings[] = {"",
                                       "noise=0.3 sense=min",
                                       "noise_growth=wiener-kernel noise_growth.rate=0.7",
                                       "noise_growth=exponential noise_growth.rate=0.2",
                                       "time.kernel=matern32 time.rate=0.1",
                                       "epsilon=0.9",
                                       "fit=map",
                                       "scale.learn=1",
                                       "offset.variance=0.3 changepoint.hazard=0",
                                       "model.assume_misspecified=1",
                                       "season.period=7 epsilon=0.1",
                                       "prior.weights=1,3.5"};
enum { SETTINGS = sizeof settings / sizeof *settings, MEANS = 3 };

static double X[POINTS * DIM];

struct prediction {
    tvgp_status on, off;
    int64_t best;
    double mean[POINTS], var[POINTS];
};

static struct prediction predict(tvgp_policy *p, double t) {
    struct prediction got = {0};
    double mean[CASES_ARMS], var[CASES_ARMS];
    got.on = tvgp_policy_predict(p, t, CASES_ARMS, X, got.mean, got.var);
    ck_assert_int_eq(tvgp_policy_predict(p, t, CASES_ARMS, NULL, mean, var), got.on);
    for (size_t i = 0; got.on == TVGP_OK && i < CASES_ARMS; i++) { /* by place as by coordinates */
        ASSERT_NEAR(mean[i], got.mean[i], 1e-12);
        ASSERT_NEAR(var[i], got.var[i], 1e-12);
    }
    got.off = tvgp_policy_predict(p, t, OFF, X + CASES_ARMS * DIM, got.mean + CASES_ARMS, got.var + CASES_ARMS);
    ck_assert_int_eq(tvgp_policy_best(p, t, &got.best, NULL), got.on);
    return got;
}

static void assert_same(const struct prediction *a, const struct prediction *b, size_t first, size_t n) {
    for (size_t i = first; i < first + n; i++) {
        ASSERT_NEAR(a->mean[i], b->mean[i], 1e-12);
        ASSERT_NEAR(a->var[i], b->var[i], 1e-12);
    }
}

/* 0: none, 1: a value per arm, 2: one value, and two priors where they are taken. */
static int prepare(tvgp_policy *p, const struct ref_kernel *k, int means) {
    const double one = -0.4;
    int priors = 0;
    if (means == 1)
        ASSERT_OK(tvgp_policy_set_prior_mean(p, CASES_ARMS, X));
    if (means != 2)
        return 0;
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &one));
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, k);
    for (int i = 0; i < 2; i++)
        priors += tvgp_policy_add_prior(p, kernel, i ? CASES_ARMS : 0, i ? X : NULL, 0.1 * i) == TVGP_OK;
    return priors;
}

/* What is predicted before is what is predicted after the first ask, at every time since. */
static void assert_prior(const char *name, const struct ref_kernel *k, const char *setting, int means) {
    tvgp_query q;
    size_t before, after;
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, name, k);
    if (tvgp_policy_set(p, setting) < 0)
        return;
    int priors = prepare(p, k, means);
    (void)predict(p, 3); /* the context keeps its work space from call to call */
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    struct tvgp_policy bytes = *p;
    const struct prediction early = predict(p, 3), later = predict(p, 5);
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    ck_assert_mem_eq(&bytes, p, sizeof bytes);
    ck_assert_uint_eq(before, after);
    if (tvgp_policy_ask_one(p, 3, &q, NULL) == TVGP_ERR_UNSUPPORTED) { /* such options do not go together */
        return;
    }
    const struct prediction asked = predict(p, 3), moved = predict(p, 5);
    ck_assert_int_eq(early.on, asked.on);
    if (early.on == TVGP_OK) {
        ck_assert_int_eq(early.best, asked.best);
        assert_same(&early, &asked, 0, CASES_ARMS);
        assert_same(&later, &moved, 0, CASES_ARMS);
    }
    if (!priors) /* a policy may know less of them off the arms once it has begun */
        ck_assert_int_eq(early.off, asked.off);
    if (early.off == TVGP_OK && asked.off == TVGP_OK) {
        assert_same(&early, &asked, CASES_ARMS, OFF);
        assert_same(&later, &moved, CASES_ARMS, OFF);
    }
}

START_TEST(on_arms) {
    const char *name = harness_policy_at(_i);
    tvgp_domain *domain;
    for (size_t i = 0; i < CASES_KERNELS; i++) {
        const struct ref_kernel *k = cases_kernel_at(i);
        domain = MAKE_DOMAIN(cases_domain, ctx, k, X);
        tvgp_domain_destroy(domain);
        for (size_t j = 0; j < OFF * k->dim; j++) /* indices are all arms */
            X[CASES_ARMS * DIM + j] = k->kind == REF_TABLE ? (double)j : 0.17 + 0.1 * (double)j;
        for (size_t s = 0; s < SETTINGS; s++)
            for (int means = 0; means < MEANS; means++)
                assert_prior(name, k, settings[s], means);
    }
}

/* A kernel that is not given is learned. */
START_TEST(untold) {
    const char *name = harness_policy_at(_i);
    tvgp_policy *p;
    tvgp_domain *domain = MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    static const char *const priors[] = {"", "prior.lengthscale=2", "fit.prior_lengthscale=gamma"};
    for (int given = 0; given < 3; given++) {
        if (tvgp_policy_create(ctx, name, domain, NULL, &p) < 0)
            break;
        if (!harness_has(p, "prior.lengthscale")) { /* needs no kernel */
            tvgp_policy_destroy(p);
            break;
        }
        ASSERT_OK(tvgp_policy_set(p, priors[given]));
        const struct prediction early = predict(p, 0);
        (void)harness_ask(p, 0);
        const struct prediction asked = predict(p, 0);
        ck_assert_int_eq(early.off, asked.off);
        assert_same(&early, &asked, 0, POINTS);
        tvgp_policy_destroy(p);
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------------ */

static const double lower[DIM] = {0, -1}, upper[DIM] = {1, 2};

static int32_t slope(void *user, size_t n, const double *Z, double *mean, double *gradient) {
    (void)user;
    for (size_t i = 0; i < n; i++) {
        mean[i] = Z[DIM * i] - 2 * Z[DIM * i + 1];
        for (size_t d = 0; gradient && d < DIM; d++)
            gradient[DIM * i + d] = d ? -2 : 1;
    }
    return TVGP_OK;
}

static tvgp_status gradients(tvgp_policy *p, double t, double out[4][OFF * DIM]) {
    memset(out, 0, 4 * sizeof *out);
    return harness_gradients(p, t, OFF, X, out[0], out[1], out[2], out[3]);
}

static tvgp_status refuse_start(tvgp_policy *p) {
    return tvgp__error_set(p->ctx, TVGP_ERR_STATE, "a state is built");
}

/* Where the prior mean is best, of a policy that must not begin for it. */
static tvgp_status best_of_prior(tvgp_policy *p, double x[DIM]) {
    const tvgp__policy_ops *own = p->ops;
    tvgp__policy_ops ops = *own;
    int64_t arm = 0;
    ops.start = refuse_start;
    p->ops = &ops;
    const tvgp_status status = tvgp_policy_best(p, 2, &arm, x);
    p->ops = own;
    ck_assert(status < 0 || arm == -1);
    return status;
}

/* Nothing was observed: the mean is best in the same corner still. */
static void assert_best(tvgp_policy *p, tvgp_status status, const double *x, int sloped) {
    const char *sense;
    double now[DIM];
    int64_t arm;
    ck_assert_int_eq(tvgp_policy_best(p, 2, &arm, now), status);
    ASSERT_OK(tvgp_policy_get_str(p, "sense", &sense));
    for (size_t d = 0; sloped && d < DIM; d++) {
        const double corner = (d == 0) == (strcmp(sense, "max") == 0) ? upper[d] : lower[d];
        ck_assert_double_eq(x[d], corner);
        ck_assert_double_eq(now[d], corner);
    }
}

START_TEST(on_boxes) {
    const char *name = harness_policy_at(_i);
    double early[4][OFF * DIM], asked[4][OFF * DIM], x[DIM];
    tvgp_policy *p;
    tvgp_query q;
    rnd_fill(&(struct rnd){3}, OFF * DIM, X);
    tvgp_domain *box = harness_box(DIM, lower, upper);
    for (size_t i = 0; i < CASES_KERNELS * SETTINGS; i++) {
        const struct ref_kernel *k = cases_kernel_at(i / SETTINGS);
        tvgp_kernel *kernel = NULL;
        if (k->dim != DIM)
            continue;
        if (i >= SETTINGS) /* the first is not given, and learned where that is possible */
            kernel = MAKE_KERNEL(cases_kernel, ctx, k);
        tvgp_status status = tvgp_policy_create(ctx, name, box, kernel, &p);
        tvgp_kernel_destroy(kernel);
        if (status < 0)
            continue;
        if (tvgp_policy_set(p, settings[i % SETTINGS]) == TVGP_OK && p->ops->gradients) {
            if (i % 2)
                ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, slope, NULL, NULL));
            struct tvgp_policy bytes = *p;
            double prior_best[DIM];
            const tvgp_status best = best_of_prior(p, prior_best), first = gradients(p, 2, early);
            ck_assert_mem_eq(&bytes, p, sizeof bytes);
            const tvgp_status ask = tvgp_policy_ask_one(p, 2, &q, x);
            ck_assert(ask == TVGP_OK || ask == TVGP_ERR_UNSUPPORTED); /* such options do not go together */
            ck_assert(first == TVGP_OK || ask < 0);
            ck_assert_int_eq(gradients(p, 2, asked), first);
            ck_assert(best == TVGP_OK || ask < 0);
            if (ask == TVGP_OK)
                assert_best(p, best, prior_best, i % 2);
            for (size_t what = 0; what < 4; what++)
                ASSERT_ALL_NEAR(OFF * DIM, early[what], asked[what], 1e-12);
        }
        tvgp_policy_destroy(p);
    }
}

/* ---- a refused first call ---------------------------------------------------------------------------------------- */

/* Features of a policy that its options add. */
static const char *const features[] = {"",
                                       "exploration.floor=.1",
                                       "exploration.floor=.2 holdout.share=.2",
                                       "switch.cost=.1",
                                       "switch.distance_cost=.1",
                                       "outcome.type=poisson",
                                       "exploration.floor=.1 switch.cost=.1 outcome.type=poisson"};
enum { FEATURES = sizeof features / sizeof *features, BYTES = 1 << 16 };

static size_t save(tvgp_policy *p, uint8_t *bytes) {
    size_t n;
    ASSERT_OK(tvgp_policy_save(p, BYTES, bytes, &n));
    return n;
}

/* Memory ends at each allocation in turn. holdout.share without an incumbent refuses the ask itself. */
static void assert_refused_unchanged(tvgp_policy *p, int told) {
    static uint8_t before[BYTES], after[BYTES];
    const size_t n = save(p, before);
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t k = 1; status == TVGP_ERR_NOMEM; k++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(1, 2);
        tvgp_query q;
        memory.fail_in = memory.withheld = k;
        status = told ? tvgp_policy_tell(p, 1, &obs, X) : tvgp_policy_ask_one(p, 1, &q, NULL);
        memory.fail_in = 0;
        if (status >= 0)
            return;
        ck_assert_uint_eq(save(p, after), n);
        ck_assert_mem_eq(before, after, n);
    }
}

START_TEST(refused) {
    const char *name = harness_policy_at(_i);
    for (size_t i = 0; i < 2 * FEATURES; i++) {
        (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
        tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
        if (tvgp_policy_set(p, features[i / 2]) == TVGP_OK)
            assert_refused_unchanged(p, i % 2);
        tvgp_policy_destroy(p);
    }
}

/* ---- many arms -------------------------------------------------------------------------------------------------- */

/* Where a state would hold 20,000 rows: a handful of allocations, and all given back. */
START_TEST(many_arms) {
    enum { ARMS = 20000 };
    static double points[ARMS * DIM], mean[ARMS], var[ARMS];
    const char *name = harness_policy_at(_i);
    const double length = 0.1;
    int64_t best;
    rnd_fill(&(struct rnd){5}, ARMS * DIM, points);
    tvgp_domain *domain = harness_arms(ARMS, DIM, points);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_se, ctx, DIM, 1.5, 1, &length);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, kernel);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    if (harness_has(p, "noise")) {                                  /* it has a model */
        ASSERT_OK(tvgp_policy_predict(p, 0, 1, points, mean, var)); /* the context keeps its work space from call to call */
        size_t calls = memory.allocated;
        ASSERT_OK(tvgp_policy_predict(p, 0, ARMS, points, mean, var));
        ASSERT_OK(tvgp_policy_best(p, 0, &best, NULL));
        ck_assert_uint_le(memory.allocated - calls, 5);
        ck_assert_int_eq(best, 0);
        for (size_t i = 0; i < ARMS; i++) {
            ck_assert_double_eq(mean[i], 0);
            ck_assert_double_eq(var[i], 1.5);
        }
    }
}

int main(void) {
    Suite *suite = suite_create("before the first ask");
    for (int i = 0; i < harness_policies(); i++) {
        TCase *tc = harness_case_of(suite, 0, "%s, n = %d", harness_policy_at(i), CASES_ARMS);
        tcase_add_loop_test(tc, on_arms, i, i + 1);
        tcase_add_loop_test(tc, untold, i, i + 1);
        tcase_add_loop_test(tc, on_boxes, i, i + 1);
        tcase_add_loop_test(tc, refused, i, i + 1);
        tcase_add_loop_test(tc, many_arms, i, i + 1);
    }
    return harness_run(suite);
}

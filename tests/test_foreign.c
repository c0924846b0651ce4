/* SPDX-License-Identifier: MIT */
/* Kernels from outside the library: the same decisions as the built-in one, failures at every call, calls back into the
 * library, short tables, snapshots. */
#include "outside.h"
#include "player.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int destroyed;

static tvgp_kernel *create(struct outside_se **out) {
    struct outside_se *o = calloc(1, sizeof *o);
    tvgp_kernel *kernel = NULL;
    o->lengthscale = 0.3;
    o->variance = 1;
    ASSERT_OK(tvgp_kernel_of_type(ctx, "outside-se", 2, o, &kernel));
    *out = o;
    return kernel;
}

static void setup(void) {
    harness_setup();
    outside_released = destroyed = 0;
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &outside_se, &destroyed, outside_destroy));
}

static void teardown(void) {
    harness_teardown();
    ck_assert_int_eq(destroyed, 1);
}

/* ---- decisions ----------------------------------------------------------------------------------------------------------- */

/* Features span the kernel down to round-off, and on a box rows take their place. */
static void exact(tvgp_policy *p) {
    if (harness_has(p, "rank.tolerance"))
        ASSERT_OK(tvgp_policy_set_f64(p, "rank.tolerance", 0));
}

/* Every policy decides as with the built-in squared exponential. */
TEST_EACH(decides_as_the_built_in_kernel, harness_policies()) {
    const char *name;
    struct outside_se *o;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    for (int box = 0; box < 2; box++) {
        tvgp_domain *domain = cases_square(box);
        tvgp_kernel *kernel = create(&o), *built_in = NULL;
        tvgp_policy *a = NULL, *b = NULL;
        ASSERT_OK(tvgp_kernel_se(ctx, 2, 1, 1, &o->lengthscale, &built_in));
        if (tvgp_policy_create(ctx, name, domain, kernel, &a) == TVGP_OK) {
            ASSERT_OK(tvgp_policy_create(ctx, name, domain, built_in, &b));
            exact(a);
            exact(b);
            struct rnd rnd = {1};
            for (int t = 0; t < (box ? 12 : 50); t++) {
                tvgp_query qa, qb;
                double xa[2], xb[2];
                size_t na = 0, nb = 0;
                ck_assert_int_eq(tvgp_policy_ask(a, t, 1, &qa, xa, &na), tvgp_policy_ask(b, t, 1, &qb, xb, &nb));
                if (!na)
                    continue;
                ck_assert_int_eq(qa.arm, qb.arm);
                ASSERT_NEAR(qa.score, qb.score, box ? 1e-7 : 1e-12);
                double y = rnd_normal(&rnd);
                ASSERT_OK(tvgp_policy_tell_value(a, qa.id, y));
                ASSERT_OK(tvgp_policy_tell_value(b, qb.id, y));
            }
            tvgp_policy_destroy(a);
            tvgp_policy_destroy(b);
        }
        tvgp_kernel_destroy(kernel);
        tvgp_kernel_destroy(built_in);
    }
    ck_assert_int_eq(outside_released, 2);
}

/* ---- kernels that are none ---------------------------------------------------------------------------------------- */

enum { BOXCAR, TOO_HIGH, HUGE, ASYMMETRIC, NEGATIVE, HARDLY, INDEFINITE };

/* Finite, and not positive semi-definite; `data` says which. */
static int32_t indefinite(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    const int *kind = data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            const double *x = X + 2 * i, *z = Z + 2 * j, d = hypot(x[0] - z[0], x[1] - z[1]), near = exp(-d * d);
            const double off[INDEFINITE] = {
                d < 0.5, 3 * near, 1e90 * near, (x[0] > z[0] ? 0.9 : -0.4) * near, -1, 1.001 * exp(-d * d / 8)};
            K[i * ldk + j] = d == 0 ? 1 : off[*kind];
        }
    return 0;
}

static void assert_numbers(const tvgp_policy *p, const char *what) {
    size_t n;
    const char *key;
    double value;
    ASSERT_OK(tvgp_policy_stat_count(p, &n));
    for (size_t i = 0; i < n; i++) {
        key = harness_stat_key(p, i);
        ck_assert_msg(tvgp_policy_stat(p, key, &value) != TVGP_OK || !isnan(value), "%s: %s is NaN", what, key);
    }
}

/* NUMERIC, or finite numbers. */
static void predicts(tvgp_policy *p, double t, struct rnd *r, const char *what) {
    double X[16], mean[8], var[8], x[2];
    int64_t arm;
    rnd_fill(r, 16, X);
    tvgp_status status = tvgp_policy_predict(p, t, 8, X, mean, var);
    ck_assert_msg(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_NUMERIC, "%s: %d", what, status);
    for (int i = 0; status == TVGP_OK && i < 8; i++)
        ck_assert_msg(isfinite(mean[i]) && isfinite(var[i]) && var[i] >= 0, "%s: mean %g, variance %g", what, mean[i],
                      var[i]);
    status = tvgp_policy_best(p, t, &arm, x);
    ck_assert_msg(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_NUMERIC, "%s: %d", what, status);
}

/* What the call did not do when it failed can be seen from a snapshot. */
static int fails(tvgp_policy *p, tvgp_status status, const struct blob *before, const char *what) {
    if (status >= 0)
        return 0;
    struct blob after = blob_of(p);
    ck_assert_msg(status == TVGP_ERR_NUMERIC, "%s: %s", what, tvgp_ctx_errmsg(ctx));
    assert_same_blob(before, &after, what);
    free(after.bytes);
    return 1;
}

/* Outcomes to what was asked, and unsolicited ones. */
static tvgp_status answer(tvgp_policy *p, const tvgp_domain *domain, int box, size_t n, const tvgp_query *q, double t,
                          struct rnd *r) {
    double x[2];
    for (size_t i = 0; i < n; i++)
        if (rnd_below(r, 5))
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, rnd_normal(r)));
    const tvgp_obs o = tvgp_obs_unsolicited(t, rnd_normal(r));
    rnd_fill(r, 2, x);
    if (!box)
        ASSERT_OK(tvgp_domain_point(domain, (int64_t)rnd_below(r, CASES_ARMS), x));
    return tvgp_policy_tell(p, 1, &o, x);
}

/* A drift model that forgets is played in weights on few arms: their Gram matrix is positive semi-definite whatever the
 * kernel is. */
static int finds(const char *name, int box) {
    static const char *const columns[] = {"gp-ucb",    "igp-ucb",  "r-gp-ucb", "br-gp-ucb",
                                          "sw-gp-ucb", "w-gp-ucb", "ui-gp-ucb"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(name, columns[i]) == 0)
            return 1;
    return box && strcmp(name, "tv-gp-ucb") == 0;
}

static void play_indefinite(const char *name, int box, int kind, double noise) {
    enum { STEPS = 30, MOST = CASES_ARMS + 1 };
    tvgp_domain *domain = cases_square(box);
    tvgp_kernel *kernel;
    tvgp_policy *p = NULL;
    tvgp_query q[MOST];
    double x[2 * MOST], jitter = 0;
    struct rnd r = {(uint64_t)kind + 1};
    char what[80];
    size_t n = 0, failed = 0;
    ASSERT_OK(tvgp_kernel_of_type(ctx, "indefinite", 2, &kind, &kernel));
    tvgp_status status = tvgp_policy_create(ctx, name, domain, kernel, &p);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
    if (p) {
        exact(p);
        (void)tvgp_policy_set_f64(p, "noise", noise);
    }
    for (int t = 0; p && t < STEPS; t++) {
        snprintf(what, sizeof what, "%s, %s, kernel %d, noise %g, t = %d", name, box ? "box" : "arms", kind, noise, t);
        struct blob before = blob_of(p);
        n = 0;
        status = tvgp_policy_ask(p, t, box ? 4 : MOST, q, x, &n);
        failed += (size_t)fails(p, status, &before, what);
        free(before.bytes);
        for (size_t i = 0; i < n; i++)
            ck_assert_msg(isfinite(q[i].score) && isfinite(q[i].noise_var), "%s: score %g", what, q[i].score);
        ASSERT_OK(answer(p, domain, box, n, q, t, &r));
        predicts(p, t, &r, what);
        assert_numbers(p, what);
    }
    if (p && kind == TOO_HIGH && finds(name, box)) {
        ASSERT_OK(tvgp_policy_stat(p, "jitter", &jitter));
        ck_assert_msg(jitter > 0 || failed, "%s: nothing was said", what);
    }
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
}

TEST_TURNS(indefinite_kernels, harness_policies(), 0) {
    static const tvgp_kernel_type type = {.struct_size = sizeof type, .name = "indefinite", .block = indefinite};
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &type, NULL, NULL));
    for (int box = 0; box < 2; box++)
        for (int kind = 0; kind < INDEFINITE; kind++)
            for (int small = 0; small < 2; small++)
                play_indefinite(harness_policy_at(_i), box, kind, small ? 1e-6 : 0.01);
}

/* Each call of the kernel fails in turn; what the call returns is what the kernel did, and nothing has changed. */
TEST(failures_pass_through) {
    static const int32_t fails[] = {-1000, -1999, 7, -3};
    struct outside_se *o;
    tvgp_domain *domain = cases_square(0);
    tvgp_kernel *kernel = create(&o);
    tvgp_policy *p = NULL;
    static unsigned char before[1 << 16], after[1 << 16];
    size_t n = 0, m = 0;
    int failed = 0;
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, kernel, &p));
    for (int t = 0; t < 60; t++) {
        tvgp_query q = harness_ask(p, t);
        for (long k = 1;; k++) {
            int32_t with = fails[(t + k) % 4];
            ASSERT_OK(tvgp_policy_save(p, sizeof before, before, &n));
            o->calls = 0;
            o->fail_at = k;
            o->fails_with = with;
            tvgp_status s = tvgp_policy_tell_value(p, q.id, sin(t));
            o->fail_at = 0;
            if (s == TVGP_OK)
                break;
            ck_assert_int_eq(s, with <= -1000 ? with : TVGP_ERR_CALLBACK);
            ASSERT_OK(tvgp_policy_save(p, sizeof after, after, &m));
            ck_assert(n == m && memcmp(before, after, n) == 0);
            failed++;
        }
    }
    ck_assert_int_gt(failed, 0);
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
}

/* Rows of the kernel that a policy needs again outlive an outcome whose own row failed, however many arms there are: it goes
 * on as a twin that was never told the outcome. */
TEST_EACH(rows_outlive_a_failure, 2) {
    enum { SIDE = 150, ANSWERS = 12 };
    static double X[SIDE * SIDE][2];
    struct outside_se *o[2];
    tvgp_policy *twin[2] = {NULL};
    tvgp_domain *domain = NULL;
    for (int i = 0; i < SIDE * SIDE; i++)
        X[i][0] = i % SIDE / (double)SIDE, X[i][1] = i / SIDE / (double)SIDE;
    ASSERT_OK(tvgp_domain_arms(ctx, SIDE * SIDE, 2, X[0], &domain));
    for (int k = 0; k < 2; k++) {
        tvgp_kernel *kernel = create(&o[k]);
        ASSERT_OK(tvgp_policy_create(ctx, _i ? "ui-gp-ucb" : "w-gp-ucb", domain, kernel, &twin[k]));
        tvgp_kernel_destroy(kernel);
        for (int t = 0; t < ANSWERS; t++)
            ASSERT_OK(tvgp_policy_tell_value(twin[k], harness_ask(twin[k], t).id, sin(t)));
    }
    o[0]->calls = 0;
    o[0]->fail_at = 1;
    o[0]->fails_with = -1000;
    const tvgp_obs answer = {.y = 1, .t = ANSWERS, .flags = TVGP_OBS_HAS_TIME};
    ck_assert_int_eq(tvgp_policy_tell(twin[0], 1, &answer, X[SIDE * SIDE / 3]), -1000);
    o[0]->fail_at = 0;
    for (int t = ANSWERS; t < 2 * ANSWERS; t++)
        ck_assert_int_eq(harness_ask(twin[0], t).arm, harness_ask(twin[1], t).arm);
    for (int k = 0; k < 2; k++)
        tvgp_policy_destroy(twin[k]);
    tvgp_domain_destroy(domain);
}

/* A copy for which memory is refused anywhere says so, although kernels of priors may still be called on the way out. */
TEST(says_that_memory_is_refused) {
    struct outside_se *o;
    tvgp_domain *domain = cases_square(0);
    tvgp_kernel *kernel = create(&o);
    tvgp_policy *p, *copy = NULL;
    ASSERT_OK(tvgp_policy_create(ctx, "mle-gp-ucb", domain, kernel, &p));
    for (int k = 0; k < 2; k++)
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, 0, NULL, 0));
    for (size_t k = 1; !copy; k++) {
        memory.fail_in = k;
        const tvgp_status status = tvgp_policy_clone(p, &copy);
        memory.fail_in = 0;
        if (status != TVGP_OK)
            ck_assert_msg(status == TVGP_ERR_NOMEM && strstr(tvgp_ctx_errmsg(ctx), "out of memory"), "allocation %zu: %s", k,
                          tvgp_ctx_errmsg(ctx));
    }
    tvgp_policy_destroy(copy);
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
}

TEST(calls_back_and_numbers_that_are_none) {
    struct outside_se *o;
    const double x[2] = {0.1, 0.2};
    double k = 0;
    tvgp_kernel *kernel = create(&o);
    o->self = kernel;
    ck_assert_int_eq(tvgp_kernel_gram(kernel, 1, x, 1, x, &k), -1015); /* it saw REENTRANT */
    o->self = NULL;
    o->nan = 1;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_gram(kernel, 1, x, 1, x, &k), "the kernel");
    o->nan = 0;
    ASSERT_OK(tvgp_kernel_gram(kernel, 1, x, 1, x, &k));
    ASSERT_NEAR(k, 1, 1e-15);
    tvgp_kernel_destroy(kernel);
}

TEST(registering) {
    tvgp_kernel_type type = outside_se;
    tvgp_kernel *kernel = NULL;
    double x[2] = {0, 0}, k = 0;
    ck_assert_int_eq(tvgp_ctx_register_kernel(NULL, &type, NULL, NULL), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, NULL, NULL, NULL), "type is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "'outside-se' is taken");
    type.name = "stationary";
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "'stationary' is taken");
    type.name = "short";
    type.struct_size = offsetof(tvgp_kernel_type, block);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "struct_size");
    type.struct_size = sizeof type;
    type.load = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "save and type->load");
    type.load = outside_se.load;
    type.with_params = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "params and type->with_params");
    type.with_params = outside_se.with_params;
    /* A table of an older header: what lies beyond it is not read. Every allocation fails in turn, and nothing has changed. */
    type.struct_size = offsetof(tvgp_kernel_type, diagonal);
    size_t held, now;
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t at = 1; status != TVGP_OK; at++) {
        memory.fail_in = at;
        status = tvgp_ctx_register_kernel(ctx, &type, NULL, NULL);
        memory.fail_in = 0;
        ck_assert(status == TVGP_OK || status == TVGP_ERR_NOMEM);
        ASSERT_OK(tvgp_ctx_memory(ctx, &now));
        ck_assert(status == TVGP_OK ? now > held : now == held);
    }
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_kernel_of_type(ctx, "shart", 2, NULL, &kernel), "short");
    struct outside_se o = {.lengthscale = 1, .variance = 1};
    ASSERT_OK(tvgp_kernel_of_type(ctx, "short", 2, &o, &kernel));
    ASSERT_OK(tvgp_kernel_gram(kernel, 1, x, 1, x, &k));
    tvgp_kernel_destroy(kernel);
    ck_assert_int_eq(outside_released, 0);
}

/* ---- parameters --------------------------------------------------------------------------------------------------- */

static tvgp_kernel *create_of(const char *type, double variance, double lengthscale) {
    struct outside_se *o = calloc(1, sizeof *o);
    tvgp_kernel *kernel = NULL;
    *o = (struct outside_se){.variance = variance, .lengthscale = lengthscale};
    ASSERT_OK(tvgp_kernel_of_type(ctx, type, 2, o, &kernel));
    return kernel;
}

static void register_contracted(void) {
    tvgp_kernel_type type = outside_se;
    type.name = "outside-se-contracted";
    type.param_gradient = outside_se_contract;
    type.params = outside_se.params;
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &type, &destroyed, NULL));
}

static const char *const differentiated[] = {"outside-se", "outside-se-contracted"}; /* by differences, and by itself */

/* As the built-in kernel tells them; derivatives to the differences' error, or to round-off. */
TEST_EACH(parameters, 2) {
    const double values[2] = {2, 0.4}, outside[2] = {2, 1e4};
    double X[2 * 12], W[144], G[2], H[2];
    tvgp_kernel *kernel, *clone, *built_in, *never = NULL;
    tvgp_param_info info;
    size_t n = 0;
    register_contracted();
    kernel = create_of(differentiated[_i], 1, 0.3);
    ASSERT_OK(tvgp_kernel_param_count(kernel, &n));
    ck_assert_uint_eq(n, 2);
    ASSERT_OK(tvgp_kernel_param_info(kernel, 1, &info));
    ck_assert_str_eq(info.name, "lengthscale.0");
    ck_assert(info.value == 0.3 && info.lower == 1e-3 && info.upper == 1e3 && info.kind == TVGP_PARAM_LENGTHSCALE);
    ASSERT_OK(tvgp_kernel_param_info(kernel, 0, &info));
    ck_assert_str_eq(info.name, "variance");
    ck_assert(info.lower == 1e-100 && info.upper == 1e100 && info.flags == TVGP_PARAM_SCALES);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kernel_with_params(kernel, outside, &never), "lengthscale.0", "10000");
    ASSERT_OK(tvgp_kernel_with_params(kernel, values, &clone));
    ASSERT_OK(tvgp_kernel_se(ctx, 2, 2, 1, &values[1], &built_in));
    rnd_fill(&(struct rnd){3}, 24, X);
    rnd_fill(&(struct rnd){4}, 144, W);
    ASSERT_OK(tvgp_kernel_param_gradient(clone, 12, X, 12, X, W, G));
    ASSERT_OK(tvgp_kernel_param_gradient(built_in, 12, X, 12, X, W, H));
    for (int i = 0; i < 2; i++)
        ASSERT_NEAR(G[i], H[i], _i ? 1e-12 : 1e-7);
    tvgp_kernel_destroy(kernel);
    tvgp_kernel_destroy(clone);
    tvgp_kernel_destroy(built_in);
    ck_assert_int_eq(outside_released, _i ? 2 : 6); /* a difference takes a clone on each side */
}

/* A policy that learns the lengthscale decides and learns as with the built-in kernel, and goes on from a whole snapshot. */
TEST_EACH(fits_learn_parameters, 2) {
    static unsigned char bytes[1 << 18];
    tvgp_domain *domain = cases_square(0);
    tvgp_kernel *kernel, *built_in, *learned;
    tvgp_policy *a, *b, *again;
    const double lengthscale = 0.3;
    size_t n = 0;
    tvgp_param_info info;
    register_contracted();
    kernel = create_of(differentiated[_i], 1, lengthscale);
    ASSERT_OK(tvgp_kernel_se(ctx, 2, 1, 1, &lengthscale, &built_in));
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, kernel, &a));
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, built_in, &b));
    ASSERT_OK(tvgp_policy_set(a, "fit=map noise=.01"));
    ASSERT_OK(tvgp_policy_set(b, "fit=map noise=.01"));
    struct rnd rnd = {1};
    for (int t = 0; t < 80; t++) {
        tvgp_query qa = harness_ask(a, t), qb = harness_ask(b, t);
        double x[2], y;
        if (qa.arm != qb.arm) /* only where it is a tie to the accuracy of the optimisation */
            ASSERT_NEAR(qa.score, qb.score, 1e-4);
        ASSERT_OK(tvgp_domain_point(domain, qb.arm, x));
        y = sin(9 * x[0]) + cos(7 * x[1]) + 0.1 * rnd_normal(&rnd);
        const tvgp_obs obs[2] = {tvgp_obs_outcome(qa.id, TVGP_CANCELLED), tvgp_obs_unsolicited(t, y)};
        const double at[4] = {0, 0, x[0], x[1]};
        ASSERT_OK(tvgp_policy_tell(a, 2, obs, at));
        const tvgp_obs same[2] = {tvgp_obs_outcome(qb.id, TVGP_CANCELLED), tvgp_obs_unsolicited(t, y)};
        ASSERT_OK(tvgp_policy_tell(b, 2, same, at));
    }
    ck_assert_double_gt(harness_stat(a, "fit.lengthscale.0"), 0);
    ck_assert(fabs(harness_stat(b, "fit.lengthscale.0") - lengthscale) > 0.02); /* something was learned */
    ASSERT_NEAR(harness_stat(a, "fit.lengthscale.0"), harness_stat(b, "fit.lengthscale.0"), 1e-3);
    ASSERT_NEAR(harness_stat(a, "fit.variance"), harness_stat(b, "fit.variance"), 1e-2);
    ASSERT_OK(tvgp_policy_kernel(a, &learned));
    ASSERT_OK(tvgp_kernel_param_info(learned, 1, &info));
    ASSERT_NEAR(info.value, harness_stat(a, "fit.lengthscale.0"), 1e-12);
    ASSERT_OK(tvgp_policy_save_full(a, sizeof bytes, bytes, &n));
    ASSERT_OK(tvgp_policy_restore(ctx, n, bytes, NULL, NULL, &again));
    for (int t = 80; t < 90; t++) {
        tvgp_query q = harness_ask(a, t), r = harness_ask(again, t);
        ck_assert_mem_eq(&q, &r, sizeof q);
        ASSERT_OK(tvgp_policy_tell_value(a, q.id, 1));
        ASSERT_OK(tvgp_policy_tell_value(again, r.id, 1));
    }
    tvgp_policy_destroy(a);
    tvgp_policy_destroy(b);
    tvgp_policy_destroy(again);
    tvgp_kernel_destroy(kernel);
    tvgp_kernel_destroy(learned);
    tvgp_kernel_destroy(built_in);
}

/* Parameters that are none make no kernel, and data stays the caller's. */
TEST(wrong_parameters) {
    static char name[] = "a name of more than sixty-three characters, which is no name of a param.";
    static const tvgp_param_info infos[] = {
        {.name = "", .value = 1},
        {.name = name, .value = 1},
        {.name = "zero"},
        {.name = "not a number", .value = NAN},
        {.name = "outside", .value = 3, .lower = 1, .upper = 2},
        {.name = "upside down", .value = 3, .lower = 4, .upper = 2},
        {.name = "unbounded", .value = 1, .lower = 1, .upper = INFINITY},
        {.name = "rate", .value = 0.5, .lower = 0.1, .upper = 1, .flags = TVGP_PARAM_EPSILON},
        {.name = "kind", .value = 1, .kind = 5},
        {.name = "flags", .value = 1, .flags = 4},
    };
    struct outside_se o = {.lengthscale = 1, .variance = 1};
    tvgp_kernel *kernel = NULL;
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        outside_params = infos[i];
        ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_kernel_of_type(ctx, "outside-se", 2, &o, &kernel), "kernel 'outside-se'",
                     i > 1 ? infos[i].name : "the name of parameter 1");
    }
    outside_params = (tvgp_param_info){0};
    outside_params_fail = -1234;
    ck_assert_int_eq(tvgp_kernel_of_type(ctx, "outside-se", 2, &o, &kernel), -1234);
    outside_params_fail = 0;
    ck_assert_int_eq(outside_released, 0);
}

TEST(whole_snapshots) {
    static unsigned char bytes[1 << 16], again[1 << 16];
    struct outside_se *o;
    tvgp_domain *domain = cases_square(0);
    tvgp_kernel *kernel = create(&o), *other = create(&o), *sum = NULL;
    tvgp_policy *p = NULL, *q = NULL;
    tvgp_ctx *empty = NULL;
    size_t n = 0, m = 0;
    o->lengthscale = 0.5;
    ASSERT_OK(tvgp_kernel_sum(ctx, kernel, other, &sum));
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, sum, &p));
    for (int t = 0; t < 20; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, cos(t)));
    ASSERT_OK(tvgp_policy_save_full(p, sizeof bytes, bytes, &n));
    ASSERT_OK(tvgp_policy_restore(ctx, n, bytes, NULL, NULL, &q));
    ASSERT_OK(tvgp_policy_save_full(q, sizeof again, again, &m));
    ck_assert(n == m && memcmp(bytes, again, n) == 0);
    ck_assert_int_eq(harness_ask(p, 30).arm, harness_ask(q, 30).arm);
    tvgp_policy_destroy(q);
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, kernel, &q));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(q, n, bytes), "another kernel");
    ck_assert_int_eq(tvgp_ctx_create(NULL, &empty), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_restore(empty, n, bytes, NULL, NULL, &q), TVGP_ERR_UNSUPPORTED);
    ck_assert(strstr(tvgp_ctx_errmsg(empty), "'outside-se'") != NULL);
    tvgp_ctx_destroy(empty);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(q);
    tvgp_kernel_destroy(kernel);
    tvgp_kernel_destroy(other);
    tvgp_kernel_destroy(sum);
    ck_assert_int_eq(outside_released, 4);
}

/* ---- sizes that do not occur ------------------------------------------------------------------------------------------ */

static size_t announced; /* 0: honest */
static int32_t (*honest)(void *, void *, size_t *);

static int32_t announce(void *data, void *buffer, size_t *needed) {
    int32_t status = announced && !buffer ? 0 : honest(data, buffer, needed);
    *needed = announced ? announced : *needed;
    return status;
}

/* A policy of which the kernel, the domain, or the policy itself is from outside, and announces what it likes. */
static tvgp_policy *announcing(int which) {
    static int seen;
    tvgp_kernel_type kernel_type = outside_diffusion;
    tvgp_domain_type domain_type = outside_vertices;
    tvgp_policy_type policy_type = outside_ucb;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p = NULL;
    honest = which == 0 ? kernel_type.save : which == 1 ? domain_type.save : policy_type.save;
    announced = 0;
    if (which == 0)
        kernel_type.save = announce;
    if (which == 1)
        domain_type.save = announce;
    if (which == 2)
        policy_type.save = announce;
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &kernel_type, NULL, NULL));
    ASSERT_OK(tvgp_ctx_register_domain(ctx, &domain_type, &seen, NULL));
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &policy_type, &seen, NULL));
    ASSERT_OK(tvgp_domain_of_type(ctx, domain_type.name, 9, 1, outside_ring_new(9, 1), &domain));
    ASSERT_OK(tvgp_kernel_of_type(ctx, kernel_type.name, 1, outside_ring_new(9, 0.7), &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, policy_type.name, domain, kernel, &p));
    ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, 0).id, 1));
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return p;
}

/* Beyond the buffer nothing is written, and the call says that this is no size. */
TEST_EACH(save_with_absurd_sizes, 3) {
    enum { ROOM = 1024, GUARD = 64 };
    unsigned char bytes[ROOM + GUARD], guard[GUARD];
    tvgp_policy *p = announcing(_i), *clone = NULL;
    memset(guard, 0xa5, sizeof guard);
    for (size_t k = 0; k < 1600; k++) {
        size_t needed = 0;
        for (int whole = 0; whole < 2; whole++)
            for (int counted = 0; counted < 2; counted++) {
                memset(bytes, 0xa5, sizeof bytes);
                announced = SIZE_MAX - k;
                const tvgp_status s = whole ? tvgp_policy_save_full(p, counted ? 0 : ROOM, counted ? NULL : bytes, &needed)
                                            : tvgp_policy_save(p, counted ? 0 : ROOM, counted ? NULL : bytes, &needed);
                const int in_it = _i == 2 || whole || _i == 0; /* kernels are hashed, domains by their points */
                ck_assert_msg(!in_it || s == TVGP_ERR_LIMIT || s == TVGP_ERR_CALLBACK, "%d, %zu: %s", _i, announced,
                              tvgp_ctx_errmsg(ctx));
                ck_assert(memcmp(bytes + ROOM, guard, GUARD) == 0);
            }
        if (_i != 1)
            ck_assert_int_eq(tvgp_policy_clone(p, &clone), TVGP_ERR_LIMIT);
    }
    announced = 0;
    size_t needed = 0;
    ASSERT_OK(tvgp_policy_save_full(p, ROOM, bytes, &needed));
    tvgp_policy_destroy(p);
}

int main(void) {
    return HARNESS_RUN("foreign", setup, teardown);
}

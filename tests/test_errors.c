/* SPDX-License-Identifier: MIT */
/* Documented errors that no other test causes, header by header (tests/documented_errors.py). Each call fails with its status and a
 * message that names the argument. */
#include "harness.h"
#include "policy/priors/multi_prior_ucb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tvgp_domain *line, *square, *box;
static tvgp_kernel *se, *se2;
static const double zeros[8] = {0}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, far[8] = {1e200, 1e200, 1e200, 1e200},
                    nan_at[8] = {0, NAN, 0, 0};

static void setup(void) {
    harness_setup();
    line = harness_grid(1, zeros, ones, (size_t[]){5});
    square = harness_grid(2, zeros, ones, (size_t[]){2, 2});
    box = harness_box(1, zeros, ones);
    se = harness_se(1, 1, (double[]){0.3});
    se2 = harness_se(2, 1, (double[]){0.3});
}

static void teardown(void) {
    tvgp_kernel_destroy(se), tvgp_kernel_destroy(se2);
    tvgp_domain_destroy(line), tvgp_domain_destroy(square), tvgp_domain_destroy(box);
    harness_teardown();
}

static tvgp_policy *policy_on(const char *name, tvgp_domain *domain, const tvgp_kernel *kernel) {
    return MAKE_POLICY(tvgp_policy_create, ctx, name, domain, kernel);
}

static int32_t interrupt_always(void *user) {
    (void)user;
    return 1;
}

TEST(domains) {
    tvgp_domain *out, *product;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_append(line, 2, nan_at, &out), "X");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_append(line, 2, far, &out), "X");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_product(ctx, box, line, &out), "box");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_box(ctx, 1, ones, zeros, &out), "lower");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_domain_box(ctx, 0, zeros, ones, &out), "dim");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_box(ctx, 65, zeros, ones, &out), "65");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_box(ctx, 2, zeros, nan_at, &out), "upper");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_domain_box_integer(line, 0), "box");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_box_integer(box, 1), "k");
    (void)policy_on("gp-ucb", box, se);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_domain_box_integer(box, 0), "in use");

    const int64_t arm[2] = {0, 1};
    double mean[10];
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_seasonal_mean(line, 2, arm, nan_at, ones, 1, 2, mean), "t");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_seasonal_mean(line, 2, arm, zeros, far, 1, 2, mean), "y");
    (void)product;
}

/* One rank alone, with communication that succeeds, or fails. */
static int32_t bcast(void *user, size_t bytes, void *data, int32_t root) {
    (void)user, (void)data, (void)bytes, (void)root;
    return 0;
}
static int32_t maximum(void *user, size_t n, double *values) {
    (void)values, (void)n;
    return user ? 7 : 0;
}

TEST(shared_arms) {
    tvgp_domain *out;
    const tvgp_comm alone = {sizeof alone, NULL, 0, 1, bcast, maximum}, broken = {sizeof broken, &box, 0, 1, bcast, maximum};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_arms_shared(ctx, &alone, 0, 1, zeros, &out), "n");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_arms_shared(ctx, &alone, 4, 1, nan_at, &out), "X");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_arms_shared(ctx, &alone, 4, 1, far, &out), "X");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_grid_shared(ctx, &alone, 1, zeros, ones, (size_t[]){0}, &out), "points");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_domain_grid_shared(ctx, &alone, 0, zeros, ones, (size_t[]){4}, &out), "dim");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_grid_shared(ctx, &alone, 2, zeros, nan_at, (size_t[]){4, 4}, &out),
                 "upper");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_grid_shared(ctx, &alone, 1, zeros, far, (size_t[]){4}, &out), "upper");
    ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_domain_grid_shared(ctx, &broken, 1, zeros, ones, (size_t[]){4}, &out),
                 "collective");
}

static int32_t block_one(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    (void)data, (void)X, (void)Z;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = 1;
    return 0;
}
static int32_t points_as_told(void *data, size_t n, size_t dim, double *X) {
    for (size_t i = 0; i < n * dim; i++)
        X[i] = data ? *(const double *)data : 0;
    return data ? 0 : 7;
}

TEST(types) {
    const tvgp_kernel_type kernel = {.struct_size = sizeof kernel, .name = "one", .block = block_one};
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &kernel, NULL, NULL));
    tvgp_kernel *k;
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_kernel_of_type(ctx, "one", 0, NULL, &k), "dim");
    const tvgp_domain_type domain = {.struct_size = sizeof domain, .name = "points", .points = points_as_told};
    ASSERT_OK(tvgp_ctx_register_domain(ctx, &domain, NULL, NULL));
    tvgp_domain *d;
    double unfinite = NAN, large = 1e200;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_of_type(ctx, "points", 2, 1, &unfinite, &d), "nan");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_of_type(ctx, "points", 2, 1, &large, &d), "1e+200");
    ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_domain_of_type(ctx, "points", 2, 1, NULL, &d), "7");
}

TEST(regression) {
    tvgp_gp *gp;
    double a[4], b[4];
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_create(ctx, se, NULL, 1e200, &gp), "noise");
    gp = MAKE_GP(tvgp_gp_create, ctx, se, NULL, 0.01);
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_predict_gradient(gp, 2, nan_at, 0, a, b, NULL, NULL), "X");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_predict_gradient(gp, 2, far, 0, a, b, NULL, NULL), "X");
    ASSERT_OK(tvgp_gp_add(gp, 4, (double[]){0, 0.2, 0.5, 0.9}, NULL, (double[]){0, 1, -1, 2}, NULL));
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_gp_fit(gp, (double[]){0.1, NAN, 0.1}, ones, 5, a), "lower");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_gp_fit(gp, (double[]){0.1, 0.1, 0.1}, far, 5, a), "upper");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, interrupt_always, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, tvgp_gp_fit(gp, NULL, NULL, 5, a), "interrupted");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    tvgp_gp_destroy(gp);
}

TEST(kernels) {
    size_t index[2], n;
    double points[600], gradient[4];
    for (size_t i = 0; i < 600; i++)
        points[i] = (double)i / 600;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_kdpp_sample(ctx, se, 4, points, 5, 0, 1, index, &n), "k");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kdpp_sample(ctx, se, 2, nan_at, 1, 0, 1, index, &n), "X");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, interrupt_always, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, tvgp_kdpp_sample(ctx, se, 600, points, 2, 100000, 1, index, &n), "interrupted");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    tvgp_kernel *out;
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kernel_slice(ctx, 600, 0, harness_se(513, 1, ones), &out), "512");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_with_params(se, (double[]){1, NAN}, &out), "values");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_param_gradient(se, 2, nan_at, 2, zeros, ones, gradient), "X");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kernel_param_gradient(se, 2, far, 2, zeros, ones, gradient), "X");
}

TEST(creation_and_options) {
    tvgp_policy *p;
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_create_described(ctx, "tv-gp-ucb grid=0:1:5 epsilon=2", &p), "epsilon");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_create_described(ctx, "auto-gp-ucb grid=0:1:5 epsilom=2", &p), "epsilom");
    p = policy_on("gp-ucb", line, se);
    double f;
    const char *text;
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_get_f64(p, "width.schedule", &f), "width.schedule");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_get_str(p, "width.schedul", &text), "width.schedule");
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_get_str(p, "noise", &text), "noise");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_prior_mean(p, 1e200, 5, (double[5]){0}), "t");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_incumbent(p, far, 0.1), "1e+200");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_safe(p, 1, far), "1e+200");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_extend(p, square, NULL), "dim");
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, line, 1, (double[]){2});
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_extend(p, larger, (double[]){NAN}), "nan");
    tvgp_policy_destroy(p);
}

static int32_t mean_of(void *user, size_t n, const double *X, double *mean, double *gradient_or_null) {
    (void)X, (void)gradient_or_null;
    for (size_t i = 0; i < n; i++)
        mean[i] = user ? NAN : 0;
    return user ? 0 : 7;
}

TEST(priors) {
    tvgp_policy *p = policy_on("gp-ucb", box, se);
    ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_policy_set_prior_mean_fn(p, mean_of, NULL, NULL), "7");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_set_prior_mean_fn(p, mean_of, &box, NULL), "nan");
    p = policy_on("pe-gp-ucb", box, se);
    ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_policy_add_prior_fn(p, se, mean_of, NULL, NULL, 0), "7");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_add_prior_fn(p, se, mean_of, &box, NULL, 0), "nan");
    p = policy_on("auto-gp-ucb", box, se);
    double x;
    tvgp_query q = harness_ask_at(p, 1, &x);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_add_prior_fn(p, se, NULL, NULL, NULL, 0), "fixed");
    p = policy_on("pe-gp-ucb", box, se);
    for (int t = 0; t < 3; t++) {
        ASSERT_OK(tvgp_policy_ask_one(p, t, &q, &x));
        ((tvgp__multi_prior_ucb *)p->state)->models.limit = 1; /* instead of 65,536 */
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 1));
    }
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_add_prior_fn(p, se, NULL, NULL, NULL, 0), "1 observations");
    p = policy_on("pe-gp-ucb", line, se);
    ASSERT_OK(tvgp_policy_add_prior(p, se, 0, NULL, 0));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_added_prior_mean(p, 0, 1, far), "1e+200");
}

TEST(historical_data) {
    tvgp_policy *p = policy_on("auto-gp-ucb", line, se), *model = policy_on("tv-gp-ucb", line, se);
    double value[5 * 40], x[40];
    tvgp_obs records[40] = {0};
    for (size_t i = 0; i < 200; i++)
        value[i] = sin((double)i);
    for (size_t i = 0; i < 40; i++) {
        records[i] = tvgp_obs_unsolicited((double)i, sin((double)i));
        x[i] = (double)(i % 5) / 4;
    }
    ASSERT_OK(tvgp_policy_set_str(p, "history.periods", "none,24"));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_learn_history(p, 40, records, x), "history.periods");
    ASSERT_OK(tvgp_policy_set_str(p, "history.periods", ""));
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, interrupt_always, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, tvgp_policy_learn_history(p, 40, records, x), "interrupted");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 100));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_constraint(p, 1, 1e200), "1e+200");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_learn_history(model, 40, records, x), "constraint");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_learn_history_table(model, 40, NULL, value), "constraint");
    const tvgp_query q = harness_ask(p, 1);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_tell_values(p, q.id, 2, (double[]){0, 1e200}), "1e+200");
}

TEST(optimisation) {
    tvgp_policy *p = policy_on("auto-gp-ucb", line, NULL);
    size_t evals;
    ASSERT_OK(tvgp_policy_set_i64(p, "fit.every", -1)); /* otherwise the asks have done the work */
    for (int t = 0; t < 40; t++) {
        const tvgp_query q = harness_ask(p, t);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin((double)q.arm + 0.1 * t)));
    }
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, interrupt_always, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, tvgp_policy_fit(p, 100, &evals), "interrupted");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
}

static int32_t mean_later(void *user, size_t n, const double *X, double *mean, double *gradient_or_null) {
    (void)X, (void)gradient_or_null;
    memset(mean, 0, n * sizeof *mean);
    return *(const int32_t *)user;
}

TEST(predictions) {
    tvgp_policy *p = policy_on("gp-ucb", box, se);
    double a[4], b[4];
    int64_t arm;
    int32_t returned = 0;
    ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, mean_later, &returned, NULL));
    (void)harness_ask_at(p, 5, a);
    ASSERT_FAILS(TVGP_ERR_ARG, harness_gradients(p, 4, 1, zeros, a, b, NULL, NULL), "t");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, harness_gradients(p, 6, 2, nan_at, a, b, NULL, NULL), "X");
    returned = 7;
    ASSERT_FAILS(TVGP_ERR_CALLBACK, harness_gradients(p, 6, 1, zeros, a, b, NULL, NULL), "7");
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_best(p, NAN, &arm, a), "t");

    p = policy_on("gp-ucb", MAKE_DOMAIN(tvgp_domain_product, ctx, line, box), se2);
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_set_context_point(p, 1, far), "1e+200");
}

TEST(serving) {
    tvgp_policy *p = policy_on("gp-ucb", line, se), *anywhere = policy_on("gp-ucb", box, se);
    tvgp_query q[32];
    size_t n;
    double x[32], share[5];
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_ask_slate(p, 1, 33, q, NULL, &n), "k");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_slate(anywhere, 1, 2, q, x, &n), "candidates");
    ASSERT_OK(tvgp_policy_set_i64(p, "pending.limit", 1));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_slate(p, 1, 2, q, NULL, &n), "pending.limit");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_best_probability(anywhere, 1, 1, NULL, 10, share), "box");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_best_probability(p, 1, 5, NULL, 1 << 25, share), "draws");
    tvgp_value_estimate estimate = {.struct_size = sizeof estimate};
    const int64_t arm[2] = {0, 1};
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_off_policy_value(ctx, 2, 2, zeros, arm, ones, zeros, ones, NULL, 1, INFINITY, &estimate),
                 "propensity");
    ASSERT_FAILS(
        TVGP_ERR_NONFINITE,
        tvgp_off_policy_value(ctx, 2, 2, nan_at, arm, ones, ones, (double[]){1, 0, 0, 1}, NULL, 1, INFINITY, &estimate),
        "t");
    ASSERT_FAILS(
        TVGP_ERR_LIMIT,
        tvgp_off_policy_value(ctx, 2, 2, zeros, arm, far, ones, (double[]){1, 0, 0, 1}, NULL, 1, INFINITY, &estimate), "y");
}

/* Whether every character of the text is whole (RFC 3629). */
static int whole(const unsigned char *text) {
    while (*text) {
        const int more = *text < 0x80                    ? 0
                         : *text >= 0xc2 && *text < 0xe0 ? 1
                         : *text >= 0xe0 && *text < 0xf0 ? 2
                         : *text >= 0xf0                 ? 3
                                                         : -1;
        if (more < 0)
            return 0;
        text++;
        for (int i = 0; i < more; i++)
            if ((*text++ & 0xc0) != 0x80)
                return 0;
    }
    return 1;
}

TEST(characters) {
    static const char *const repeated[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8e\xb2", "\xe2\x82", "\xa9"};
    char text[600], *at;
    tvgp_policy *p;
    for (size_t k = 0; k < sizeof repeated / sizeof *repeated; k++)
        for (size_t shift = 0; shift < 5; shift++) {
            at = text + sprintf(text, "gp-ucb grid=0:1:%.*s", (int)shift, "aaaaa");
            for (int i = 0; i < 90; i++)
                at += sprintf(at, "%s", repeated[k]);
            ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create_described(ctx, text, &p), "grid");
            ck_assert(whole((const unsigned char *)tvgp_ctx_errmsg(ctx)));
        }
}

static void keep_reset(void *user, const char *said) {
    if (strstr(said, "|y - mean| = "))
        snprintf(user, 256, "%s", strstr(said, "|y - mean| = "));
}

/* In every locale (tests/locales.sh). */
TEST(numbers_of_the_log) {
    tvgp_policy *p = policy_on("et-gp-ucb", line, se);
    char said[256] = "";
    ASSERT_OK(tvgp_ctx_set_logger(ctx, keep_reset, said, NULL));
    const tvgp_obs obs = tvgp_obs_value(harness_ask(p, 1).id, 99.5);
    ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
    ck_assert_ptr_nonnull(strstr(said, "= 99.5 is above "));
    ck_assert_ptr_null(strchr(said, ','));
}

int main(void) {
    return HARNESS_RUN("errors", setup, teardown);
}

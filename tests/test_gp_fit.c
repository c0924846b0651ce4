/* SPDX-License-Identifier: MIT */
/* tvgp_gp_log_marginal_likelihood_gradient and tvgp_gp_fit through the public interface. */
#include "golden/golden_learn.h"
#include "harness.h"
#include "ref/ref_fit.h"

#include <math.h>

static tvgp_gp *make(const tvgp_kernel *space, const tvgp_kernel *time, double noise) {
    return MAKE_GP(tvgp_gp_create, ctx, space, time, noise);
}

static tvgp_kernel *matern(size_t d, double variance, double length) {
    double l[6];
    for (size_t i = 0; i < d; i++)
        l[i] = length;
    return MAKE_KERNEL(tvgp_kernel_matern, ctx, d, 2.5, variance, d, l);
}

static void values_of(const tvgp_gp *gp, double *values) {
    tvgp_kernel *parts[2] = {NULL, NULL};
    tvgp_param_info info;
    size_t n, at = 0;
    double intercept;
    ASSERT_OK(tvgp_gp_kernels(gp, &parts[0], &parts[1]));
    for (size_t k = 0; k < 2 && parts[k]; k++) {
        ASSERT_OK(tvgp_kernel_param_count(parts[k], &n));
        for (size_t i = 0; i < n; i++) {
            ASSERT_OK(tvgp_kernel_param_info(parts[k], i, &info));
            values[at++] = info.value;
        }
        tvgp_kernel_destroy(parts[k]);
    }
    ASSERT_OK(tvgp_gp_noise(gp, &values[at], &intercept));
}

/* The value is that of tvgp_gp_log_marginal_likelihood; the gradient matches differences of gps with other parameters. */
TEST(gradient_matches_differences) {
    const double slope[2] = {0.4, -2};
    double values[5] = {1.7, 0.35, 0.8, 0.08, 0.05}, gradient[5], value, plain, side[2];
    for (int p = -1; p < 5; p++)
        for (int s = 0; s < (p < 0 ? 1 : 2); s++) {
            double moved[5], noise[6];
            for (int i = 0; i < 5; i++)
                moved[i] = values[i] * (i == p && i != 3 ? exp(s ? 1e-5 : -1e-5) : 1);
            double kappa = -0.5 * log1p(-values[3]) * (p == 3 ? exp(s ? 1e-5 : -1e-5) : 1);
            tvgp_kernel *space = MAKE_KERNEL(tvgp_kernel_matern, ctx, 2, 1.5, moved[0], 2, moved + 1);
            tvgp_kernel *time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, -expm1(-2 * kappa));
            tvgp_gp *gp = make(space, time, moved[4]);
            ASSERT_OK(tvgp_gp_set_prior_mean(gp, 3, slope));
            ASSERT_OK(tvgp_gp_add(gp, 6, golden_learn_x[0], golden_learn_t, golden_learn_y, NULL));
            for (int i = 0; i < 6; i++)
                noise[i] = 0.2; /* their own: no part of the noise parameter */
            ASSERT_OK(tvgp_gp_add(gp, 6, golden_learn_x[6], golden_learn_t + 6, golden_learn_y + 6, noise));
            if (p < 0) {
                ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &plain));
                ASSERT_OK(tvgp_gp_log_marginal_likelihood_gradient(gp, &value, gradient));
                ASSERT_NEAR(value, plain, 1e-13);
            } else
                ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &side[s]));
            tvgp_gp_destroy(gp);
            tvgp_kernel_destroy(space);
            tvgp_kernel_destroy(time);
            if (s)
                ASSERT_NEAR(gradient[p], (side[1] - side[0]) / 2e-5, 1e-8);
        }
}

TEST(map_fit) {
    const struct golden_optimum *g = &golden_optima[1];
    const struct ref_fit fit = {.n = 60, .d = 6, .x = g->x, .y = g->y};
    const struct ref_optimum ref = ref_fit_optimum(&fit, NULL);
    double objective, values[8], mean, var, noise, intercept;
    tvgp_kernel *space = matern(6, 3, 0.3 * pow(6, 0.25));
    tvgp_gp *gp = make(space, NULL, 0.5);
    ASSERT_OK(tvgp_gp_add(gp, 60, g->x, NULL, g->y, NULL));
    ck_assert_int_eq(tvgp_gp_fit(gp, NULL, NULL, 2, &objective), TVGP_AGAIN);
    ck_assert_double_lt(objective, ref.objective - 0.01);
    tvgp_gp_destroy(gp);
    gp = make(space, NULL, 0.5);
    ASSERT_OK(tvgp_gp_add(gp, 60, g->x, NULL, g->y, NULL));
    ASSERT_OK(tvgp_gp_fit(gp, NULL, NULL, 100, &objective));
    ASSERT_NEAR(objective, ref.objective, 1e-7);
    values_of(gp, values);
    ASSERT_NEAR(values[0] / ref.scale, 1, 1e-2);
    for (int d = 0; d < 6; d++)
        ASSERT_NEAR(log(values[1 + d]), log(ref.lengthscale[d]), 1e-2);
    ASSERT_NEAR(log(values[7] / values[0]), log(ref.ratio), 2e-2);
    ASSERT_OK(tvgp_gp_noise(gp, &noise, &intercept));
    ASSERT_NEAR(intercept / ref.mean, 1, 1e-2);
    /* what it is afterwards is a gp of those parameters with these observations */
    tvgp_kernel *fitted = NULL;
    ASSERT_OK(tvgp_gp_kernels(gp, &fitted, NULL));
    tvgp_gp *same = make(fitted, NULL, noise);
    ASSERT_OK(tvgp_gp_set_prior_mean(same, intercept, NULL));
    ASSERT_OK(tvgp_gp_add(same, 60, g->x, NULL, g->y, NULL));
    const double x[6] = {0.2, 0.4, 0.6, 0.8, 0.1, 0.3};
    double mean_same, var_same;
    ASSERT_OK(tvgp_gp_predict(gp, 1, x, 0, &mean, &var));
    ASSERT_OK(tvgp_gp_predict(same, 1, x, 0, &mean_same, &var_same));
    ASSERT_NEAR(mean, mean_same, 1e-12);
    ASSERT_NEAR(var, var_same, 1e-12);
    tvgp_kernel_destroy(fitted);
}

/* Maximum likelihood: at the optimum the gradient vanishes except parameters at a bound. */
TEST(likelihood_fit) {
    const struct golden_optimum *g = &golden_optima[2];
    double lower[5] = {1e-2, 0.01, 0.01, 1e-6, 1e-3}, upper[5] = {1e6, 10, 10, 0.9, 1e4}, objective, value, gradient[5],
           at[5];
    for (int bound = 0; bound < 2; bound++) {
        tvgp_kernel *space = matern(2, 500, 0.5);
        tvgp_kernel *time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, 0.05);
        tvgp_gp *gp = make(space, time, 10);
        ASSERT_OK(tvgp_gp_set_prior_mean(gp, 150, NULL));
        ASSERT_OK(tvgp_gp_add(gp, 120, g->x, g->t, g->y, NULL));
        if (bound)
            upper[2] = 0.3;
        ASSERT_OK(tvgp_gp_fit(gp, lower, upper, 200, &objective));
        ASSERT_OK(tvgp_gp_log_marginal_likelihood_gradient(gp, &value, gradient));
        ASSERT_NEAR(value, objective, 1e-12);
        values_of(gp, at);
        for (int p = 0; p < 5; p++) {
            ck_assert(at[p] >= lower[p] * (1 - 1e-12) && at[p] <= upper[p] * (1 + 1e-12));
            if (bound && p == 2)
                ck_assert_double_gt(gradient[p], 0.1);
            else
                ck_assert_double_le(fabs(gradient[p]), 1e-3);
        }
    }
}

TEST(errors) {
    const double x[3] = {0, 0, 0.5}, y[3] = {1, 1, 1}, two[3] = {1, 1, 1}, zero[3] = {1, 0, 1};
    double objective = 7, value = 7, gradient[3] = {7, 7, 7};
    tvgp_kernel *space = matern(1, 1, 1);
    tvgp_gp *gp = make(space, NULL, 0);
    ASSERT_OK(tvgp_gp_log_marginal_likelihood_gradient(gp, &value, gradient));
    ck_assert(value == 0 && gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
    ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp_gp_fit(gp, NULL, NULL, 10, &objective), "0 observations");
    ASSERT_OK(tvgp_gp_add(gp, 3, x, NULL, y, NULL));
    ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp_gp_fit(gp, NULL, NULL, 10, &objective), "3 observations of one value");
    ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp_gp_log_marginal_likelihood_gradient(gp, &value, gradient), "not positive definite");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_fit(gp, two, NULL, 10, &objective), "upper is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_fit(gp, zero, two, 10, &objective), "lower");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_fit(gp, NULL, NULL, 0, &objective), "max_evals = 0");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_gp_fit(gp, NULL, NULL, 1, NULL), "log_posterior is NULL");
    ck_assert_int_eq(tvgp_gp_fit(NULL, NULL, NULL, 1, &objective), TVGP_ERR_ARG);
    ck_assert(objective == 7 && value == 0);
}

/* Every allocation fails once: the gp gives the same numbers as before. */
TEST(lack_of_memory) {
    const struct golden_optimum *g = &golden_optima[0];
    const double x = 0.37;
    double objective, mean, var, before, var_before;
    tvgp_kernel *space = matern(1, 1, 0.3);
    tvgp_gp *gp = make(space, NULL, 1);
    ASSERT_OK(tvgp_gp_add(gp, 25, g->x, NULL, g->y, NULL));
    ASSERT_OK(tvgp_gp_predict(gp, 1, &x, 0, &before, &var_before));
    for (size_t fail = 1;; fail++) {
        memory.fail_in = fail;
        tvgp_status status = tvgp_gp_fit(gp, NULL, NULL, 30, &objective);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        ASSERT_OK(tvgp_gp_predict(gp, 1, &x, 0, &mean, &var));
        ck_assert(mean == before && var == var_before);
        ck_assert_uint_lt(fail, 100);
    }
    ASSERT_OK(tvgp_gp_predict(gp, 1, &x, 0, &mean, &var));
    ck_assert(mean != before);
}

int main(void) {
    golden_read_learn();
    return HARNESS_RUN("gp fit", harness_setup, harness_teardown);
}

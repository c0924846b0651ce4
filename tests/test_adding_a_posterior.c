/* SPDX-License-Identifier: MIT */
/* The posterior of docs/project/adding-a-posterior.md, whose code is extracted from the page and compiled into this program, against the
 * recursive posterior on arms that have nothing in common; and what a method that leaves out every OPTIONAL op does. */
#include "arm_posterior.h"
#include "cases.h"
#include "space/kernel/categorical.h"

#include <math.h>

enum { ARMS = 7, STEPS = 300 };

tvgp_status tvgp__apart_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, tvgp__posterior **out);

static const double X[ARMS] = {0, 1, 2, 3, 4, 5, 6};
static tvgp_kernel *kernel;
static tvgp__posterior *apart, *recursive;

static void open_both(void) {
    const tvgp__drift still = {.kind = TVGP__DRIFT_STATIC};
    ASSERT_OK(tvgp__categorical_new(ctx, 2, 0, &kernel));
    ASSERT_OK(tvgp__apart_new(ctx, kernel, ARMS, X, &apart));
    ASSERT_OK(arm_posterior_new(ctx, kernel, &still, 0, ARMS, X, &recursive));
}

static void close_both(void) {
    tvgp__posterior_free(apart);
    tvgp__posterior_free(recursive);
    tvgp_kernel_destroy(kernel);
}

static void tell(tvgp__posterior *b, size_t arm, double t, double y, double noise) {
    const tvgp__points points = {.n = 1, .arm = &arm};
    ASSERT_OK(b->ops->prepare(b, &points));
    tvgp__posterior_observe(b, &points, 0, t, y, noise, 0);
}

static void assert_same(void) {
    double column[2][ARMS], mean[2], var[2], off[] = {2.5};
    ASSERT_ALL_NEAR(ARMS, apart->own.mean, recursive->own.mean, 1e-12);
    ASSERT_ALL_NEAR(ARMS, apart->own.var, recursive->own.var, 1e-12);
    tvgp__posterior *const both[] = {apart, recursive};
    for (size_t k = 0; k < 2; k++) {
        const size_t arm = 3;
        tvgp__posterior_finish(both[k]);
        tvgp__posterior_refine(both[k], ARMS, NULL);
        ASSERT_OK(tvgp__posterior_reach(both[k], &(tvgp__points){.n = 1, .arm = &arm}));
        both[k]->ops->column(both[k], arm, column[k]);
        ASSERT_OK(tvgp__posterior_predict(both[k], both[k]->now, 1, off, &mean[k], &var[k]));
    }
    ASSERT_ALL_NEAR(ARMS, column[0], column[1], 1e-12);
    ASSERT_NEAR(mean[0], mean[1], 1e-12);
    ASSERT_NEAR(var[0], var[1], 1e-12);
    ASSERT_NEAR(apart->log_marginal_likelihood, recursive->log_marginal_likelihood, 1e-9);
    ASSERT_NEAR(apart->log_det_ratio, recursive->log_det_ratio, 1e-9);
    ck_assert_uint_eq(apart->counts.observations, recursive->counts.observations);
}

TEST(the_page_is_a_working_posterior) {
    struct rnd r = {7};
    open_both();
    for (int t = 1; t <= STEPS; t++) {
        const size_t arm = rnd_below(&r, ARMS);
        const double y = rnd_normal(&r), noise = rnd_uniform(&r) < 0.5 ? 0.1 : 1, late = t % 9 ? 0 : 3;
        tell(apart, arm, t - late, y, noise);
        tell(recursive, arm, t - late, y, noise);
        if (t % 50 == 0)
            assert_same();
    }
    ck_assert_uint_eq(apart->rows.evaluated, 0);
    apart->ops->reset(apart);
    recursive->ops->reset(recursive);
    tell(apart, 2, STEPS + 1, 0.5, 0.1);
    tell(recursive, 2, STEPS + 1, 0.5, 0.1);
    assert_same();
    close_both();
}

/* What the contract says of ops that a method leaves out. */
TEST(what_is_left_out_has_a_default) {
    tvgp__posterior *larger = NULL;
    open_both();
    tell(apart, 2, 1, 0.5, 0.1);
    const double mean = apart->own.mean[2];
    tvgp__posterior_finish(apart);
    tvgp__posterior_prune(apart, 1, 1);
    ck_assert_double_eq(apart->own.mean[2], mean);
    ck_assert_uint_eq(apart->counts.dropped, 0);
    ck_assert_double_lt(tvgp__posterior_correlation(apart, 1, 2), 0);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp__posterior_extend(apart, ARMS, X, &larger), "keeps the arms");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp__posterior_share(apart, NULL, "p"), "'p'");
    ck_assert_ptr_null(larger);
    close_both();
}

HARNESS_MAIN("adding a posterior")

/* SPDX-License-Identifier: MIT */
/* The sliding window posterior against the dense one on the last w observations. */
#include "cases.h"
#include "model/arm_columns.h"
#include "model/posterior/posterior.h"

#include <math.h>

enum { MAX_ARMS = 1000, MAX_STEPS = 2000 };

static const struct scene {
    struct ref_kernel kernel;
    size_t arms, w, steps;
    double tolerance;
} scenes[] = {
    {{.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.2, 0.2}}, 1000, 100, 2000, 1e-9},
    {{.kind = REF_MATERN32, .dim = 2, .variance = 2, .l = {0.4, 0.6}}, 60, 17, 500, 1e-11},
    {{.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.5}}, 40, 1, 30, 1e-11},
    {{.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.5}}, 40, 1000, 200, 1e-9}, /* never full */
};

struct world {
    const struct scene *scene;
    tvgp__posterior *posterior;
    struct ref_gp ref;
    double X[MAX_ARMS * 2];
    struct rnd rnd;
};

enum { BATCH = 3 };

static void observe_one(struct world *w, const tvgp__points *points, size_t i, double t) {
    size_t arm = points->arm[i];
    double y = 3 * rnd_normal(&w->rnd), noise = rnd_uniform(&w->rnd) < 0.2 ? 0.5 : 0.01;
    if (w->ref.n == w->scene->w)
        ref_gp_drop(&w->ref, 1);
    ref_gp_add(&w->ref, w->X + arm * w->scene->kernel.dim, 0, y, noise);
    tvgp__posterior_observe(w->posterior, points, i, t, y, noise, 0);
}

static void observe(struct world *w, double t, size_t batch) {
    size_t arms[BATCH];
    const tvgp__points points = {.n = batch, .arm = arms};
    for (size_t i = 0; i < batch; i++)
        arms[i] = rnd_below(&w->rnd, w->scene->arms);
    ASSERT_OK(w->posterior->ops->prepare(w->posterior, &points));
    for (size_t i = 0; i < batch; i++)
        observe_one(w, &points, i, t);
}

static void assert_matches(struct world *w) {
    const struct scene *s = w->scene;
    tvgp__posterior *p = w->posterior;
    size_t dim = s->kernel.dim, arm = rnd_below(&w->rnd, s->arms);
    static double column[MAX_ARMS], Z[70 * 2], mean[70], var[70];
    double mu, v;
    ASSERT_OK(tvgp__posterior_reach(p, &(tvgp__points){.n = 1, .arm = &arm}));
    p->ops->column(p, arm, column);
    for (size_t i = 0; i < s->arms; i++) {
        const double *x = w->X + i * dim;
        ref_gp_predict(&w->ref, 1, x, 0, &mu, &v);
        ASSERT_NEAR(p->own.mean[i], mu, s->tolerance);
        ASSERT_NEAR(p->own.var[i], v, s->tolerance);
        if (i % 10 == 0)
            ASSERT_NEAR(column[i], ref_gp_covariance(&w->ref, w->X + arm * dim, x, 0), s->tolerance);
    }
    rnd_fill(&w->rnd, 70 * dim, Z);
    ASSERT_OK(tvgp__posterior_predict(p, p->now + 1, 70, Z, mean, var));
    for (size_t i = 0; i < 70; i++) {
        ref_gp_predict(&w->ref, 1, Z + i * dim, 0, &mu, &v);
        ASSERT_NEAR(mean[i], mu, s->tolerance);
        ASSERT_NEAR(var[i], v, s->tolerance);
    }
    ASSERT_NEAR(p->log_marginal_likelihood, ref_gp_log_evidence(&w->ref), s->tolerance);
    ASSERT_NEAR(p->log_det_ratio, 2 * ref_gp_information_gain(&w->ref), s->tolerance);
    ck_assert_uint_eq(p->counts.observations, w->ref.n);
}

TEST_EACH(equals_dense_on_the_window, sizeof scenes / sizeof *scenes) {
    static struct world w;
    const struct scene *s = &scenes[_i];
    tvgp_kernel *kernel;
    w = (struct world){.scene = s, .rnd = {5}};
    rnd_fill(&w.rnd, s->arms * s->kernel.dim, w.X);
    kernel = MAKE_KERNEL(cases_kernel, ctx, &s->kernel);
    ASSERT_OK(tvgp__arm_columns_new(ctx, kernel, s->w, s->arms, w.X, &w.posterior));
    tvgp_kernel_destroy(kernel);
    ref_gp_init(&w.ref, &s->kernel, 0, s->w);
    assert_matches(&w);
    for (size_t step = 1; step <= s->steps; step++) {
        observe(&w, (double)step, step % 50 == 0 ? BATCH : 1);
        if (step % (s->steps / 4) == 1 || step == s->steps)
            assert_matches(&w);
    }
    w.posterior->ops->reset(w.posterior);
    ref_gp_drop(&w.ref, w.ref.n);
    assert_matches(&w);
    observe(&w, 1e4, 1);
    assert_matches(&w);
    tvgp__posterior_free(w.posterior);
    ref_gp_free(&w.ref);
}

HARNESS_MAIN("sliding window")

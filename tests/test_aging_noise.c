/* SPDX-License-Identifier: MIT */
/* Posteriors on arms with a noise for each observation, given or growing with age, against the dense one in which nothing is
 * collapsed: repeated arms, irregular times, observations of the past. */
#include "cases.h"
#include "model/aging_noise.h"
#include "model/posterior/posterior.h"
#include "model/refit.h"
#include "ref/ref_gp.h"

#include <math.h>

enum { ARMS = 60, STEPS = 240 };

static const struct ref_kernel kernel = {.kind = REF_MATERN52, .dim = 2, .variance = 1.7, .l = {0.3, 0.5}};
static double X[ARMS * 2];
static struct {
    size_t n, arm[STEPS];
    double t[STEPS], y[STEPS], noise[STEPS];
} data;
static struct rnd rnd;

static tvgp_kernel *open_world(void) {
    rnd.state = 11;
    data.n = 0;
    rnd_fill(&rnd, ARMS * 2, X);
    return MAKE_KERNEL(cases_kernel, ctx, &kernel);
}

/* One more observation of a few favourite arms, or any; in the past now and then. */
static void draw(double t) {
    size_t i = data.n++;
    data.arm[i] = rnd_uniform(&rnd) < 0.6 ? rnd_below(&rnd, 5) : rnd_below(&rnd, ARMS);
    data.t[i] = rnd_uniform(&rnd) < 0.2 ? t - 20 * rnd_uniform(&rnd) : t;
    data.y[i] = 2 * rnd_normal(&rnd);
    data.noise[i] = rnd_uniform(&rnd) < 0.3 ? 0.5 : 0.02;
}

static void assert_matches(tvgp__posterior *p, const double *noise) {
    enum { POINTS = 70 };
    struct ref_gp ref;
    double mean, var, column[ARMS], Z[POINTS * 2], mu[POINTS], v[POINTS];
    ref_gp_init(&ref, &kernel, 0, STEPS);
    for (size_t i = 0; i < data.n; i++)
        ref_gp_add(&ref, X + data.arm[i] * 2, 0, data.y[i], noise[i]);
    ASSERT_OK(tvgp__posterior_reach(p, &(tvgp__points){.n = 1, .arm = (size_t[]){3}}));
    p->ops->column(p, 3, column);
    rnd_fill(&rnd, POINTS * 2, Z);
    ASSERT_OK(tvgp__posterior_predict(p, p->now, POINTS, Z, mu, v));
    for (size_t i = 0; i < ARMS; i++) {
        ref_gp_predict(&ref, 1, X + i * 2, 0, &mean, &var);
        ASSERT_NEAR(p->own.mean[i], mean, 1e-10);
        ASSERT_NEAR(p->own.var[i], var, 1e-10);
        ASSERT_NEAR(column[i], ref_gp_covariance(&ref, X + 6, X + i * 2, 0), 1e-10);
    }
    for (size_t i = 0; i < POINTS; i++) {
        ref_gp_predict(&ref, 1, Z + i * 2, 0, &mean, &var);
        ASSERT_NEAR(mu[i], mean, 1e-10);
        ASSERT_NEAR(v[i], var, 1e-10);
    }
    ASSERT_NEAR(p->log_marginal_likelihood, ref_gp_log_evidence(&ref), 1e-10);
    ASSERT_NEAR(p->log_det_ratio, 2 * ref_gp_information_gain(&ref), 1e-10);
    ck_assert_uint_eq(p->counts.observations, data.n);
    ck_assert_uint_le(p->counts.rank, ARMS);
    ref_gp_free(&ref);
}

TEST(refit_equals_dense) {
    tvgp_kernel *k = open_world();
    tvgp__posterior *p;
    ASSERT_OK(tvgp__refit_new(ctx, k, ARMS, X, &p));
    tvgp_kernel_destroy(k);
    assert_matches(p, data.noise); /* the prior */
    for (int round = 0; round < 4; round++) {
        data.n = 0;
        for (int i = 0; i < 30 * round + 1; i++)
            draw(round);
        ASSERT_OK(p->ops->prepare(p, &(tvgp__points){.n = data.n, .arm = data.arm}));
        tvgp__refit_begin(p, round);
        for (size_t i = 0; i < data.n; i++)
            tvgp__refit_add(p, data.arm[i], data.y[i], data.noise[i]);
        tvgp__refit_end(p);
        assert_matches(p, data.noise);
        draw(round); /* and one more */
        size_t last = data.n - 1;
        const tvgp__points points = {.n = 1, .arm = &data.arm[last]};
        ASSERT_OK(p->ops->prepare(p, &points));
        tvgp__posterior_observe(p, &points, 0, data.t[last], data.y[last], data.noise[last], 0);
        assert_matches(p, data.noise);
    }
    p->ops->reset(p);
    data.n = 0;
    assert_matches(p, data.noise);
    tvgp__posterior_free(p);
}

/* Exact observations of everything, twice, of a smooth kernel: a singular matrix gives no NaN. */
TEST(refit_survives_singular_matrices) {
    const struct ref_kernel smooth = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {5, 5}};
    tvgp_kernel *k = open_world();
    tvgp__posterior *p;
    tvgp_kernel_destroy(k);
    k = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    ASSERT_OK(tvgp__refit_new(ctx, k, ARMS, X, &p));
    tvgp_kernel_destroy(k);
    size_t arm[2 * ARMS];
    double y[2 * ARMS], noise[2 * ARMS] = {0};
    for (size_t i = 0; i < 2 * ARMS; i++) {
        arm[i] = i / 2;
        y[i] = 1;
    }
    ASSERT_OK(p->ops->prepare(p, &(tvgp__points){.n = 2 * ARMS, .arm = arm}));
    for (size_t i = 0; i < 2 * ARMS; i++)
        tvgp__refit_add(p, arm[i], y[i], noise[i]);
    tvgp__refit_end(p);
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(p->own.mean[i], 1, 1e-4);
        ASSERT_NEAR(p->own.var[i], 0, 1e-8);
    }
    ck_assert(isfinite(p->log_marginal_likelihood) && isfinite(p->log_det_ratio));
    tvgp__posterior_free(p);
}

static const tvgp__noise_age drifts[] = {{.growth = TVGP__NOISE_AGE_LINEAR, .rate = 0.3, .alpha = 0, .from_last = 0},
                                         {.growth = TVGP__NOISE_AGE_LINEAR, .rate = 0.3, .alpha = 0, .from_last = 1},
                                         {.growth = TVGP__NOISE_AGE_POWER, .rate = 0, .alpha = 0.5, .from_last = 0},
                                         {.growth = TVGP__NOISE_AGE_POWER, .rate = 0, .alpha = 2, .from_last = 0},
                                         {.growth = TVGP__NOISE_AGE_POWER, .rate = 0, .alpha = 2, .from_last = 1},
                                         {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.05, .alpha = 0, .from_last = 0},
                                         {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.05, .alpha = 0, .from_last = 1}};

/* The closed forms of space/temporal/noise_age.h, for a prediction at time t; the sum of noise / grown noise. */
static double grow(const tvgp__noise_age *law, double t, double *grown) {
    double reference = law->from_last ? -INFINITY : t, effective = 0;
    for (size_t i = 0; law->from_last && i < data.n; i++)
        reference = fmax(reference, data.t[i]);
    for (size_t i = 0; i < data.n; i++) {
        double a = reference - data.t[i], v = data.noise[i];
        grown[i] = law->growth == TVGP__NOISE_AGE_LINEAR  ? v + law->rate * a
                   : law->growth == TVGP__NOISE_AGE_POWER ? v * (1 + pow(a, law->alpha))
                                                          : v * exp(law->rate * a);
        effective += v / grown[i];
    }
    return effective;
}

TEST_EACH(aged_equals_dense, sizeof drifts / sizeof *drifts) {
    static const double steps[] = {0, 0.3, 1, 2.7};
    const tvgp__noise_age *law = &drifts[_i];
    tvgp_kernel *k = open_world();
    tvgp__posterior *p;
    double t = -40, grown[STEPS], mean, var;
    ASSERT_OK(tvgp__aging_noise_new(ctx, k, law, 0, ARMS, X, &p));
    tvgp_kernel_destroy(k);
    while (data.n < STEPS) {
        t += steps[rnd_below(&rnd, 4)];
        draw(t);
        size_t last = data.n - 1;
        const tvgp__points points = {.n = 1, .arm = &data.arm[last]};
        ASSERT_OK(p->ops->prepare(p, &points));
        tvgp__posterior_observe(p, &points, 0, data.t[last], data.y[last], data.noise[last], 0);
        if (data.n % 40)
            continue;
        p->ops->at(p, t + 7, 1, (size_t[]){3}, &mean, &var); /* looking ahead changes nothing */
        p->ops->advance(p, t);
        tvgp__posterior_finish(p);
        double effective = grow(law, t, grown);
        ASSERT_NEAR(p->counts.effective, effective, 1e-12);
        assert_matches(p, grown);
        double later_mean = p->own.mean[3], later_var = p->own.var[3];
        if (!law->from_last) {
            p->ops->advance(p, t + 7);
            tvgp__posterior_finish(p);
            grow(law, t + 7, grown);
            assert_matches(p, grown);
            later_mean = p->own.mean[3];
            later_var = p->own.var[3];
            t += 7;
        }
        ck_assert_double_eq(mean, later_mean);
        ck_assert_double_eq(var, later_var);
    }
    p->ops->reset(p);
    data.n = 0;
    assert_matches(p, grown);
    tvgp__posterior_free(p);
}

/* What cannot be heard any more is given up: a run for ever holds a bounded number of observations. */
TEST(below_round_off_is_dropped) {
    const tvgp__noise_age law = {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.1};
    tvgp_kernel *k = open_world();
    tvgp__posterior *p;
    ASSERT_OK(tvgp__aging_noise_new(ctx, k, &law, 0, ARMS, X, &p));
    tvgp_kernel_destroy(k);
    const double bound = log(0x1p53 * kernel.variance / 0.02) / 0.1; /* the age at which noise 0.02 is beyond hearing */
    for (size_t t = 0; t < 3000; t++) {
        const size_t arm = rnd_below(&rnd, ARMS);
        ASSERT_OK(p->ops->prepare(p, &(tvgp__points){.n = 1, .arm = &arm}));
        tvgp__posterior_observe(p, &(tvgp__points){.n = 1, .arm = &arm}, 0, (double)t, rnd_normal(&rnd), 0.02, 0);
        p->ops->advance(p, (double)t + 1);
        tvgp__posterior_finish(p);
        ck_assert_double_eq((double)p->counts.observations, fmin((double)t + 1, floor(bound)));
    }
    p->ops->advance(p, 1e6);
    tvgp__posterior_finish(p);
    ck_assert_uint_eq(p->counts.observations, 0);
    for (size_t i = 0; i < ARMS; i++)
        ck_assert(p->own.mean[i] == 0 && p->own.var[i] == kernel.variance);
    tvgp__posterior_free(p);
}

/* The newest observations of the arms observed last, by the plain rule: beyond `most` arms the last 7/8 of them stay. */
static void keep_newest(size_t most) {
    size_t last[ARMS] = {0}, distinct = 0, kept = 0, order[ARMS];
    for (size_t i = 0; i < data.n; i++)
        last[data.arm[i]] = i + 1;
    for (size_t i = data.n; i-- > 0;)
        if (last[data.arm[i]] == i + 1)
            order[distinct++] = data.arm[i];
    if (distinct <= most)
        return;
    for (size_t i = 0; i < data.n; i++)
        for (size_t k = 0; k < most - most / 8; k++)
            if (order[k] == data.arm[i]) {
                data.arm[kept] = data.arm[i];
                data.t[kept] = data.t[i];
                data.y[kept] = data.y[i];
                data.noise[kept++] = data.noise[i];
                break;
            }
    data.n = kept;
}

TEST_EACH(arms_observed_last_stay, sizeof drifts / sizeof *drifts) {
    enum { MOST = 24 };
    tvgp_kernel *k = open_world();
    tvgp__posterior *p;
    double grown[STEPS], mean, var;
    ASSERT_OK(tvgp__aging_noise_new(ctx, k, &drifts[_i], MOST, ARMS, X, &p));
    tvgp_kernel_destroy(k);
    size_t lost = 0;
    for (size_t step = 0; step < 200; step++) {
        draw((double)step);
        const size_t last = data.n - 1, before = data.n;
        const tvgp__points points = {.n = 1, .arm = &data.arm[last]};
        ASSERT_OK(p->ops->prepare(p, &points));
        tvgp__posterior_observe(p, &points, 0, data.t[last], data.y[last], data.noise[last], 0);
        keep_newest(MOST);
        lost += data.n < before;
        if (step % 3 == 0) /* whether a caller looks makes no difference */
            p->ops->at(p, p->now + 1, 1, (size_t[]){3}, &mean, &var);
        if (step % 20)
            continue;
        p->ops->advance(p, (double)step);
        tvgp__posterior_finish(p);
        grow(&drifts[_i], (double)step, grown);
        assert_matches(p, grown);
        ck_assert_uint_le(p->counts.rank, MOST);
    }
    ck_assert_uint_gt(lost, 0);
    tvgp__posterior_free(p);
}

/* Of few arms that many observations stay, where arms may be forgotten; the oldest go first, a fifth at a time. */
TEST(newest_observations_stay) {
    const tvgp__noise_age law = {.growth = TVGP__NOISE_AGE_POWER, .alpha = 0.1};
    tvgp_kernel *k = open_world();
    tvgp__posterior *p;
    ASSERT_OK(tvgp__aging_noise_new(ctx, k, &law, ARMS, ARMS, X, &p));
    tvgp_kernel_destroy(k);
    for (size_t t = 0; t < 6000; t++) {
        const size_t arm = t % 7;
        ASSERT_OK(p->ops->prepare(p, &(tvgp__points){.n = 1, .arm = &arm}));
        tvgp__posterior_observe(p, &(tvgp__points){.n = 1, .arm = &arm}, 0, (double)t, t < 1000 ? 1e6 : 1, 0.02, 0);
    }
    p->ops->advance(p, 6000);
    tvgp__posterior_finish(p);
    ck_assert_uint_eq(p->counts.observations, 4096 + 6000 - 5121);
    for (size_t i = 0; i < 7; i++)
        ck_assert_double_lt(fabs(p->own.mean[i]), 2);
    tvgp__posterior_free(p);
}

HARNESS_MAIN("aging noise")

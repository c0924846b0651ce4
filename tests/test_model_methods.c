/* SPDX-License-Identifier: MIT */
/* Cases of single methods of src/model beyond the properties of tests/test_models.c: outcomes without noise, rows and observations that
 * are dropped, singular systems, abrupt changes, support points that leave, and features of the whole Gram matrix. */
#include "cases.h"
#include "model/aging_noise.h"
#include "model/exact.h"
#include "model/kalman_mixture_box.h"
#include "model/refit.h"
#include "model_scenes.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

enum { ARMS = 60, AT = 30 };

static const struct ref_kernel smooth = {.kind = REF_SE, .dim = 2, .variance = 1.3, .l = {0.25, 0.4}};
static double X[ARMS * 2];
static const double NOISE = 0.02;

static tvgp_kernel *kernel_on_arms(const struct ref_kernel *k) {
    rnd_fill(&(struct rnd){5}, sizeof X / sizeof *X, X);
    return MAKE_KERNEL(cases_kernel, ctx, k);
}

static void tell(tvgp__posterior *p, size_t arm, double t, double y, double noise) {
    const tvgp__points points = {.n = 1, .arm = &arm};
    ASSERT_OK(tvgp__posterior_ready(p, &points));
    tvgp__posterior_observe(p, &points, 0, t, y, noise, 0);
}

/* ---- rows of a box --------------------------------------------------------------------------------------------------- */

static tvgp__posterior *rows(size_t kernel, double rate) {
    static const double corners[] = {0.5, 0.5, 0, 0, 1, 1};
    const tvgp__exact_spec spec = {.drift = {.kind = TVGP__DRIFT_FORGETTING, .rate = rate}};
    tvgp__posterior *p = NULL;
    ASSERT_OK(tvgp__exact_new(ctx, MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(kernel)), &spec, 3, corners, &p));
    return p;
}

static void tell_at(tvgp__posterior *p, const double *x, double t, double y, double noise) {
    const tvgp__points points = {.n = 1, .X = x};
    ASSERT_OK(tvgp__posterior_ready(p, &points));
    tvgp__posterior_observe(p, &points, 0, t, y, noise, 0);
}

/* An exact outcome is one with a noise of 1e-10 of the prior variance. */
TEST(exact_outcomes) {
    struct rnd r = {8};
    double z[AT * 2], mean[2][AT], var[2][AT], x[2] = {0};
    tvgp__posterior *p[] = {rows(2, 0.02), rows(2, 0.02)};
    rnd_fill(&r, AT * 2, z);
    for (size_t i = 0; i < 100; i++) {
        const double y = rnd_normal(&r);
        rnd_fill(&r, i % 3 ? 2 : 0, x);
        for (size_t k = 0; k < 2; k++)
            tell_at(p[k], x, (double)i, y, k ? 1e-10 * 1.7 : 0);
    }
    ck_assert(p[0]->counts.jitter == 0 && isfinite(p[0]->log_marginal_likelihood));
    for (size_t k = 0; k < 2; k++) {
        ASSERT_OK(tvgp__posterior_predict(p[k], 100, AT, z, mean[k], var[k]));
        tvgp__posterior_free(p[k]);
    }
    ck_assert_mem_eq(mean[0], mean[1], sizeof mean[0]);
    ck_assert_mem_eq(var[0], var[1], sizeof var[0]);
}

/* Compared with a posterior that keeps everything: mean and sd within twice the tolerance (in noise sds), and the rows stay few. */
TEST(pruning) {
    enum { STEPS = 600 };
    struct rnd r = {13};
    double x[2], z[AT * 2], mean[2][AT], var[2][AT], worst = 0;
    size_t most = 0;
    tvgp__posterior *p[] = {rows(0, 0.1), rows(0, 0.1)};
    rnd_fill(&r, AT * 2, z);
    for (size_t i = 0; i < STEPS; i++) {
        const double y = sin((double)i / 20) + 0.1 * rnd_normal(&r);
        rnd_fill(&r, 2, x);
        for (size_t k = 0; k < 2; k++)
            tell_at(p[k], x, (double)i, y, 0.01);
        p[0]->ops->advance(p[0], (double)i + 1);
        if (i % 8 == 0)
            ASSERT_OK(tvgp__posterior_prune(p[0], 1e-3, 0.01));
        most = p[0]->counts.rank > most ? p[0]->counts.rank : most;
        for (size_t k = 0; k < 2; k++)
            ASSERT_OK(tvgp__posterior_predict(p[k], (double)i + 1, i % 50 == 49 ? AT : 1, z, mean[k], var[k]));
        for (size_t j = 0; j < (i % 50 == 49 ? AT : 1); j++)
            worst = fmax(worst, 10 * fmax(fabs(mean[0][j] - mean[1][j]), fabs(sqrt(var[0][j]) - sqrt(var[1][j]))));
    }
    ck_assert_msg(worst > 0 && worst < 2e-3, "off by %g noise sds", worst);
    ck_assert_msg(most < 250, "%d rows", (int)most);
    ck_assert_uint_eq(p[0]->counts.dropped + p[0]->counts.rank, STEPS);
    ASSERT_OK(tvgp__posterior_prune(p[0], 0, 0.01)); /* never */
    ck_assert_uint_eq(p[0]->counts.dropped + p[0]->counts.rank, STEPS);
    tvgp__posterior_free(p[0]);
    tvgp__posterior_free(p[1]);
}

/* ---- refits on arms -------------------------------------------------------------------------------------------------- */

/* Exact observations of everything, twice, of a smooth kernel: a singular matrix gives no NaN. */
TEST(refit_survives_singular_matrices) {
    const struct ref_kernel flat = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {5, 5}};
    tvgp_kernel *k = kernel_on_arms(&flat);
    tvgp__posterior *p;
    size_t arm[2 * ARMS];
    ASSERT_OK(tvgp__refit_new(ctx, k, ARMS, X, &p));
    for (size_t i = 0; i < 2 * ARMS; i++)
        arm[i] = i / 2;
    ASSERT_OK(p->ops->prepare(p, &(tvgp__points){.n = 2 * ARMS, .arm = arm}));
    for (size_t i = 0; i < 2 * ARMS; i++)
        tvgp__refit_add(p, arm[i], 1, 0);
    tvgp__refit_end(p);
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(p->own.mean[i], 1, 1e-4);
        ASSERT_NEAR(p->own.var[i], 0, 1e-8);
    }
    ck_assert(isfinite(p->log_marginal_likelihood) && isfinite(p->log_det_ratio));
    tvgp__posterior_free(p);
}

static tvgp__posterior *aging(tvgp__noise_age age, size_t arms) {
    tvgp__posterior *p;
    ASSERT_OK(tvgp__aging_noise_new(ctx, kernel_on_arms(&smooth), &age, arms, ARMS, X, &p));
    return p;
}

/* An observation whose noise is 2^53 times the prior variance is dropped: a run for ever holds a bounded number. */
TEST(below_round_off_is_dropped) {
    struct rnd rnd = {11};
    tvgp__posterior *p = aging((tvgp__noise_age){.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.1}, 0);
    const double bound = log(0x1p53 * smooth.variance / NOISE) / 0.1;
    for (size_t t = 0; t < 3000; t++) {
        tell(p, rnd_below(&rnd, ARMS), (double)t, rnd_normal(&rnd), NOISE);
        p->ops->advance(p, (double)t + 1);
        tvgp__posterior_finish(p);
        ck_assert_double_eq((double)p->counts.observations, fmin((double)t + 1, floor(bound)));
    }
    p->ops->advance(p, 1e6);
    tvgp__posterior_finish(p);
    ck_assert_uint_eq(p->counts.observations, 0);
    for (size_t i = 0; i < ARMS; i++)
        ck_assert(p->own.mean[i] == 0 && p->own.var[i] == smooth.variance);
    tvgp__posterior_free(p);
}

/* Of few arms at most 4096 observations stay, where arms may be forgotten; the oldest go first, a fifth at a time. */
TEST(newest_observations_stay) {
    tvgp__posterior *p = aging((tvgp__noise_age){.growth = TVGP__NOISE_AGE_POWER, .alpha = 0.1}, ARMS);
    for (size_t t = 0; t < 6000; t++)
        tell(p, t % 7, (double)t, t < 1000 ? 1e6 : 1, NOISE);
    p->ops->advance(p, 6000);
    tvgp__posterior_finish(p);
    ck_assert_uint_eq(p->counts.observations, 4096 + 6000 - 5121);
    for (size_t i = 0; i < 7; i++)
        ck_assert_double_lt(fabs(p->own.mean[i]), 2);
    tvgp__posterior_free(p);
}

/* ---- mixtures on arms ------------------------------------------------------------------------------------------------ */

/* n arms, or a box with these points. */
static tvgp__posterior *mixture_on(tvgp__kalman_mixture_spec spec, size_t n, const double *points) {
    static const double *const no_mean = NULL;
    const tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    tvgp__posterior *p;
    spec.n_priors = 1;
    spec.kernels = &kernel;
    spec.means = &no_mean;
    ASSERT_OK(tvgp__kalman_mixture_new(ctx, &spec, NOISE, n, points, &p));
    return p;
}

static tvgp__kalman_mixture *mixture(const tvgp__drift *drift) {
    rnd_fill(&(struct rnd){5}, sizeof X / sizeof *X, X);
    return (tvgp__kalman_mixture *)mixture_on((tvgp__kalman_mixture_spec){.n_drifts = 1, .drifts = drift}, ARMS, X);
}

/* Where nothing changes except abrupt changes, an outcome that comes late says what it would say at the time of the newest
 * one: no time has gone by in which everything could have been abruptly changed. */
TEST(no_redraw_before_a_late_answer) {
    static const struct {
        size_t arm;
        double t, y;
    } told[] = {{4, 5, 1}, {9, 2, -3}, {17, 4, 2.5}, {9, 6, -3}, {30, 6, 1.5}};
    tvgp__posterior *b[2];
    for (size_t k = 0; k < 2; k++) {
        tvgp__kalman_mixture *one = mixture(scene_drifts);
        one->hazard = 0.2;
        feclearexcept(FE_INVALID);
        b[k] = &one->base;
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            tell(b[k], told[i].arm, k ? fmax(told[i].t, 5) : told[i].t, told[i].y, NOISE);
        ck_assert_double_gt(one->weight[one->J], 1e-6); /* of the abrupt change between 5 and 6 */
        ck_assert(!fetestexcept(FE_INVALID));           /* no logarithm of a probability below 0 */
        tvgp__posterior_finish(b[k]);
    }
    ASSERT_NEAR(b[0]->log_marginal_likelihood, b[1]->log_marginal_likelihood, 1e-12);
    ASSERT_ALL_NEAR(ARMS, b[0]->own.mean, b[1]->own.mean, 1e-12);
    ASSERT_ALL_NEAR(ARMS, b[0]->own.var, b[1]->own.var, 1e-12);
    for (size_t k = 0; k < 2; k++)
        tvgp__posterior_free(b[k]);
}

/* Variances kept over the arms and the cores' variances stay equal in long runs. */
TEST_EACH(stays_consistent, SCENE_DRIFTS) {
    struct rnd rnd = {31};
    double column[ARMS];
    tvgp__posterior *p = &mixture(&scene_drifts[_i])->base;
    for (size_t step = 0; step < 20000; step++)
        tell(p, rnd_below(&rnd, ARMS), (double)step, rnd_normal(&rnd), NOISE);
    tvgp__posterior_finish(p);
    for (size_t i = 0; i < ARMS; i++) {
        p->ops->column(p, i, column);
        ck_assert_double_gt(p->own.var[i], 0);
        ck_assert_double_eq_tol(column[i], p->own.var[i], 1e-11);
    }
    tvgp__posterior_free(p);
}

TEST_EACH(half_life, SCENE_DRIFTS) {
    const double root = 1.6783469900166605; /* (1 + x) e^-x = 1/2 */
    const double want[] = {INFINITY, 2 * log(2) / -log(0.97), 0, root / 0.02, root / 0.3};
    tvgp__kalman_mixture *b = mixture(&scene_drifts[_i]);
    const double got = tvgp__kalman_mixture_half_life(b);
    ck_assert(got == want[_i] || fabs(got - want[_i]) <= 1e-12 * (1 + want[_i]));
    ASSERT_NEAR(tvgp__kalman_mixture_rate(b), (_i < 3 ? 1 : 0.825) * scene_drifts[_i].rate, 1e-15);
    tvgp__posterior_free(&b->base);
}

/* Features from the whole Gram matrix give that matrix back, like the features of the search; rows of the pivots are L. */
TEST_EACH(whole_basis, 2) {
    enum { MANY = 90 };
    static double Z[MANY * 2];
    const struct ref_kernel rough = {.kind = REF_MATERN32, .dim = 2, .variance = 1.3, .l = {0.2, 0.3}};
    const struct ref_kernel *forms[] = {&rough, &smooth};
    const tvgp_kernel *kernel[2];
    tvgp__basis basis[2];
    rnd_fill(&(struct rnd){17}, MANY * 2, Z);
    for (size_t i = 0; i < 2; i++)
        kernel[i] = MAKE_KERNEL(cases_kernel, ctx, forms[i]);
    const size_t count = (size_t)_i + 1;
    tvgp__basis_search s = tvgp__basis_search_of(ctx, count, kernel, MANY, Z, 1e-12);
    ASSERT_OK(tvgp__basis_search_on(&s, MANY));
    ASSERT_OK(tvgp__basis_of(&s, &basis[0]));
    tvgp__basis_search_end(&s);
    ASSERT_OK(tvgp__basis_search_on(&s, 40));
    ck_assert(!s.complete);
    ASSERT_OK(tvgp__basis_search_whole(&s));
    ck_assert(s.complete);
    ASSERT_OK(tvgp__basis_of(&s, &basis[1]));
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < MANY; i++)
            for (size_t j = 0; j < MANY; j++) {
                double sum = 0, k = 0;
                for (size_t c = 0; c < count; c++)
                    k += ref_kernel(forms[c], Z + 2 * i, Z + 2 * j);
                for (size_t c = 0; c < basis[b].r; c++)
                    sum += basis[b].Phi[c * MANY + i] * basis[b].Phi[c * MANY + j];
                ck_assert_double_eq_tol(sum, k, 1e-11);
            }
    const tvgp__basis *whole = &basis[1];
    for (size_t j = 0; j < whole->r; j++)
        for (size_t i = 0; i < whole->r; i++) {
            ck_assert(whole->L[j * whole->r + i] == whole->Phi[j * MANY + whole->pivot[i]]);
            ck_assert(i >= j || whole->L[j * whole->r + i] == 0);
        }
    tvgp__basis_free(&basis[0]);
    tvgp__basis_free(&basis[1]);
    tvgp__basis_search_end(&s);
}

/* ---- mixtures on a box ----------------------------------------------------------------------------------------------- */

static tvgp__posterior *on_box(tvgp__kalman_mixture_spec spec) {
    static const double corners[] = {0, 0, 1, 1, 0.5, 0.5};
    spec.no_arms = 1;
    return mixture_on(spec, 3, corners);
}

/* Everything at once: abrupt changes, recycling, levels of noise, a constant, a common factor, jumps; the arms are so far
 * apart that another arm is another place. Two worlds, one after the other. */
TEST_EACH(like_arms, 4) {
    enum { SIDE = 6, PLACES = SIDE * SIDE };
    static const double levels[] = {1, 0.01, 10};
    const tvgp__kalman_mixture_spec specs[] = {
        {.n_drifts = SCENE_DRIFTS, .drifts = scene_drifts, .recycle = 0.01, .hazard = 0.005},
        {.n_drifts = SCENE_DRIFTS, .drifts = scene_drifts, .recycle = 0.01, .hazard = 0.02, .earn = 1},
        {.n_drifts = SCENE_DRIFTS, .drifts = scene_drifts, .recycle = 0.01, .hazard = 0.005, .constant = 0.25, .scale = 1},
        {.n_drifts = SCENE_DRIFTS,
         .drifts = scene_drifts,
         .n_levels = 3,
         .levels = levels,
         .recycle = 0.01,
         .hazard = 0.02,
         .earn = 1,
         .constant = 0.25,
         .jump = 0.02,
         .scale = 1}};
    const double step = 0.3;
    double places[2 * PLACES], mean[PLACES], var[PLACES], want_var[PLACES], t = 3;
    struct rnd rnd = {(uint64_t)_i};
    for (size_t i = 0; i < PLACES; i++) {
        places[2 * i] = step * (double)(i / SIDE);
        places[2 * i + 1] = step * (double)(i % SIDE);
    }
    tvgp__posterior *p = on_box(specs[_i]), *q = mixture_on(specs[_i], PLACES, places);
    const tvgp__kalman_mixture *box = (tvgp__kalman_mixture *)p, *arms = (tvgp__kalman_mixture *)q;
    for (size_t k = 0; k < 400; k++) {
        size_t arm = rnd_below(&rnd, PLACES);
        int world = k > 150;
        double y = sin(4 * places[2 * arm] + 3 * world) * cos(5 * places[2 * arm + 1] - 2 * world) + 0.1 * rnd_normal(&rnd);
        double at = t - (k > 200 && k % 11 == 7 ? 2.5 : 0), noise = k % 5 ? NOISE : 5 * NOISE;
        tell_at(p, places + 2 * arm, at, k % 50 == 49 ? 4 : y, noise);
        tell(q, arm, at, k % 50 == 49 ? 4 : y, noise);
        t += rnd_uniform(&rnd);
        if (k % 20 != 19)
            continue;
        p->ops->advance(p, t);
        q->ops->advance(q, t);
        tvgp__posterior_finish(q);
        ASSERT_OK(tvgp__posterior_predict(p, t, PLACES, places, mean, var));
        for (size_t i = 0; i < PLACES; i++)
            want_var[i] = fmax(q->own.var[i], 0);
        ASSERT_ALL_NEAR(PLACES, mean, q->own.mean, 1e-5);
        ASSERT_ALL_NEAR(PLACES, var, want_var, 1e-5);
        for (size_t j = 0; j <= box->J; j++)
            ASSERT_NEAR(box->weight[j], arms->weight[j], 1e-5);
        ASSERT_NEAR(p->log_marginal_likelihood, q->log_marginal_likelihood, 1e-5);
        if (k <= 200) /* on arms the blur of delayed outcomes counts as known */
            ASSERT_NEAR(p->log_det_ratio, q->log_det_ratio, 1e-5);
        ASSERT_NEAR(p->unit, q->unit, 1e-5);
        ck_assert(box->slot_on == arms->slot_on && box->confirmed == arms->confirmed && box->resets == arms->resets);
        ck_assert(box->slot_made == arms->slot_made && box->slot_time == arms->slot_time);
    }
    ck_assert_int_gt(arms->resets, 0);
    tvgp__posterior_free(p);
    tvgp__posterior_free(q);
}

/* Moments at the support that stays are what they were; nothing is above the limit; what is far away is the prior again. */
TEST_EACH(a_point_leaves, 2) {
    enum { LIMIT = 33 }; /* the oldest is the first */
    const tvgp__kalman_mixture_spec spec = {
        .n_drifts = SCENE_DRIFTS, .drifts = scene_drifts, .rows = LIMIT, .constant = _i ? 0.3 : 0};
    struct rnd rnd = {7};
    double at[2 * LIMIT], mean[LIMIT], var[LIMIT], want_mean[LIMIT], want_var[LIMIT], t = 0;
    const double far[] = {40, 40};
    tvgp__posterior *p = on_box(spec);
    for (size_t k = 0; k < LIMIT; k++) {
        at[2 * k] = 0.35 * (double)(k % 6) + 0.05 * rnd_uniform(&rnd);
        at[2 * k + 1] = 0.35 * (double)(k / 6) + 0.05 * rnd_uniform(&rnd);
        tell_at(p, at + 2 * k, t += 0.1, sin(4 * at[2 * k]) + cos(3 * at[2 * k + 1]) + 0.1 * rnd_normal(&rnd), NOISE);
    }
    ck_assert_uint_eq(p->counts.rank, LIMIT);
    for (size_t k = 5; k < 8; k++)
        tell_at(p, at + 2 * k, t, rnd_normal(&rnd), NOISE); /* visited again */
    tell_at(p, at, t, 1, NOISE);
    ASSERT_OK(tvgp__posterior_predict(p, t, LIMIT, at, want_mean, want_var));
    for (int round = 0; round < 3; round++) { /* outcomes that say nothing: points 1, 2, 3 leave */
        const double other[] = {far[0] + 3 * round, far[1]};
        tell_at(p, other, t, 0, 1e12);
        ck_assert_uint_eq(p->counts.rank, LIMIT);
        ck_assert_uint_eq(p->counts.dropped, (size_t)round + 1);
    }
    ASSERT_OK(tvgp__posterior_predict(p, t, LIMIT, at, mean, var));
    for (size_t k = 0; k < LIMIT; k++) {
        if (k >= 1 && k <= 3) {
            ck_assert_double_gt(var[k], want_var[k] + 1e-4); /* lost, except what its neighbours know */
            continue;
        }
        ASSERT_NEAR(mean[k], want_mean[k], 1e-8);
        ASSERT_NEAR(var[k], want_var[k], 1e-8);
    }
    for (size_t k = 0; k < 500; k++) { /* and many more, in batches that overflow the limit */
        double Y[2 * 40];
        const tvgp__points points = {.n = 40, .X = Y};
        rnd_fill(&rnd, 2 * 40, Y);
        ASSERT_OK(p->ops->prepare(p, &points));
        for (size_t i = 0; i < 40; i += k % 3 + 1)
            tvgp__posterior_observe(p, &points, i, t += 0.01, sin(5 * Y[2 * i]), NOISE, 0);
    }
    ck_assert_uint_le(p->counts.rank, LIMIT);
    ASSERT_OK(tvgp__posterior_predict(p, t, LIMIT, at, mean, var));
    for (size_t k = 0; k < LIMIT; k++)
        ck_assert(isfinite(mean[k]) && var[k] >= 0 && var[k] <= 1.3 * (1 + (_i ? 0.3 : 0)) + 1 && fabs(mean[k]) < 3);
    const tvgp__inducing_points *a = &((tvgp__kalman_mixture *)p)->box->atlas;
    for (size_t i = 0; i < a->factor.n; i++) /* W L = I after all of these deletions */
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = j; k <= i; k++)
                sum += a->W[k * tvgp__inducing_points_ld(a) + i] * a->factor.L[j * a->factor.capacity + k];
            ASSERT_NEAR(sum, i == j, 1e-8);
        }
    tvgp__posterior_free(p);
}

/* ---- auto-gp-ucb on a box -------------------------------------------------------------------------------------------- */

static tvgp_policy *policy_on_box(const char *name, const char *options) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    tvgp_policy *p = harness_create(name, harness_box(2, lower, upper), MAKE_KERNEL(cases_kernel, ctx, &smooth), options);
    ASSERT_OK(tvgp_policy_set(p, "search.effort=.2"));
    return p;
}

/* Where every outcome comes in order a limit of delay changes nothing: the same actions to the last bit. */
TEST_EACH(in_order_on_a_box, 2) {
    const char *const drifts[] = {"noise=.05 forget.tolerance=0 epsilon=.03",
                                  "noise=.05 forget.tolerance=0 time.kernel=matern32 time.rate=.1"};
    tvgp_policy *p[] = {policy_on_box("tv-gp-ucb", drifts[_i]), policy_on_box("tv-gp-ucb", drifts[_i])};
    ASSERT_OK(tvgp_policy_set(p[0], "delay.exact_observations=0"));
    for (int t = 0; t < 200; t++) {
        double x[2][2];
        for (size_t k = 0; k < 2; k++) {
            const tvgp_query q = harness_ask_at(p[k], t, x[k]);
            ASSERT_OK(tvgp_policy_tell_value(p[k], q.id, sin(5 * x[k][0] + 0.02 * t) + cos(3 * x[k][1])));
        }
        ck_assert(x[0][0] == x[1][0] && x[0][1] == x[1][1]);
    }
    ck_assert_double_lt(harness_stat(p[1], "rank"), 100);
}

/* memory.limit lowers the number of support points to what it leaves room for, or refuses the first ask. */
TEST(memory_limit) {
    enum { BYTES = 3000000 };
    size_t before, after;
    double x[2];
    tvgp_query q;
    struct rnd rnd = {4};
    tvgp_policy *p = policy_on_box("auto-gp-ucb", "rank.tolerance=0 memory.limit=20000");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(p, 0, &q, x), "memory.limit = 20000");
    ASSERT_OK(tvgp_policy_set_i64(p, "memory.limit", BYTES));
    ASSERT_OK(tvgp_ctx_memory(ctx, &before));
    for (size_t k = 0; k < 150; k++) {
        const tvgp_obs o = tvgp_obs_unsolicited((double)k, rnd_normal(&rnd));
        rnd_fill(&rnd, 2, x);
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, x));
        ASSERT_OK(tvgp_ctx_memory(ctx, &after));
        ck_assert_uint_le(after - before, BYTES);
    }
    ck_assert(harness_stat(p, "rank") >= 32 && harness_stat(p, "rank") < 100 && harness_stat(p, "rows.dropped") > 0);
}

TEST(refused_on_boxes) {
    double x[2], mean = 0.5;
    tvgp_query q;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    tvgp_policy *p = policy_on_box("auto-gp-ucb", "season.period=24");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, x), "a season");
    p = policy_on_box("auto-gp-ucb", "choice=thompson");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, x), "a box");
    for (size_t priors = 1; priors < 4; priors++) { /* one; one with a mean; two */
        p = policy_on_box("auto-gp-ucb", "");
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, priors == 2, priors == 2 ? &mean : NULL, 0));
        if (priors == 3)
            ASSERT_OK(tvgp_policy_add_prior(p, kernel, 0, NULL, 0));
        if (priors == 1)
            ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, x));
        else
            ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, x), "one kernel on a box");
    }
}

/* Everything doubted: an offset of 20 and a tenth of the noise declared, and it finds the peak all the same. */
TEST(doubts_on_a_box) {
    double x[2], late = 0;
    struct rnd rnd = {9};
    tvgp_policy *p = policy_on_box("auto-gp-ucb", "model.assume_misspecified=1 noise=0.1");
    for (int k = 0; k < 60; k++) {
        const tvgp_query q = harness_ask_at(p, k, x);
        const double f = exp(-8 * ((x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 0.6) * (x[1] - 0.6)));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 20 + f + 0.01 * rnd_normal(&rnd)));
        late += k >= 40 ? f / 20 : 0;
    }
    ck_assert_double_gt(late, 0.8);
    ck_assert_double_gt(harness_stat(p, "offset"), 5);
    ck_assert_double_lt(harness_stat(p, "noise.factor"), 0.5);
}

HARNESS_MAIN("model methods")

/* SPDX-License-Identifier: MIT */
/* The posteriors on arms, in columns and as a covariance matrix, against the dense one: every temporal kernel, irregular and
 * repeated times, late outcomes. */
#include "arm_posterior.h"
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <string.h>

enum { MAX_ARMS = 300, LATE = 4 };

static const struct scene {
    const char *what;
    struct ref_kernel kernel;
    size_t arms, steps;
    tvgp__drift law;
    double noise;
    double lateness[LATE]; /* ages of the observations of the past, told now and then; 0: none */
    size_t window;         /* 0: the reference keeps all; else the time after which correlations are below 1e-18 */
    double tempo;          /* scale of the time steps, 0: 1 */
    size_t favourites;     /* arms below this are observed four times in five; 0: all alike */
} scenes[] = {
    {.what = "smooth, forgetting",
     .kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.2, 0.2}},
     .arms = 60,
     .steps = 2000,
     .law = {TVGP__DRIFT_FORGETTING, 0.03, 0},
     .noise = 0.01},
    {.what = "rough, fast forgetting, old columns dropped",
     .kernel = {.kind = REF_MATERN12, .dim = 2, .variance = 2, .l = {0.4, 0.4}},
     .arms = 70,
     .steps = 2000,
     .law = {TVGP__DRIFT_FORGETTING, 0.3, 0},
     .noise = 0.05,
     .window = 250},
    {.what = "rough, fast forgetting, answers of the past",
     .kernel = {.kind = REF_MATERN12, .dim = 2, .variance = 2, .l = {0.4, 0.4}},
     .arms = 70,
     .steps = 1000,
     .law = {TVGP__DRIFT_FORGETTING, 0.3, 0},
     .noise = 0.05,
     .lateness = {0.5, 20, 60, 100},
     .window = 250},
    {.what = "few observations far apart, answers of the past",
     .kernel = {.kind = REF_MATERN12, .dim = 2, .variance = 2, .l = {0.4, 0.4}},
     .arms = 70,
     .steps = 300,
     .law = {TVGP__DRIFT_FORGETTING, 0.3, 0},
     .noise = 0.05,
     .lateness = {20, 40, 55, 70},
     .tempo = 10},
    {.what = "smooth, forgetting, answers of the past in weight space",
     .kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 60,
     .steps = 600,
     .law = {TVGP__DRIFT_FORGETTING, 0.1, 0},
     .noise = 0.01,
     .lateness = {0.3, 7, 40, 200}},
    {.what = "smooth, fast forgetting in weight space, beyond the range of one scale",
     .kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.6, 0.6}},
     .arms = 60,
     .steps = 2400,
     .law = {TVGP__DRIFT_FORGETTING, 0.5, 0},
     .noise = 0.01,
     .lateness = {0.1, 3, 11, 20},
     .window = 130,
     .tempo = 0.25},
    {.what = "smooth, static, weight space",
     .kernel = {.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.3}},
     .arms = 300,
     .steps = 500,
     .law = {TVGP__DRIFT_STATIC, 0, 0},
     .noise = 0.01,
     .lateness = {1, 10, 100, 1000}},
    {.what = "smooth in two dimensions, static, weight space",
     .kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 300,
     .steps = 700,
     .law = {TVGP__DRIFT_STATIC, 0, 0},
     .noise = 0.01},
    {.what = "rough, static, columns",
     .kernel = {.kind = REF_MATERN12, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 300,
     .steps = 250,
     .law = {TVGP__DRIFT_STATIC, 0, 0},
     .noise = 0.01},
    {.what = "Wiener",
     .kernel = {.kind = REF_MATERN52, .dim = 2, .variance = 1, .l = {0.5, 0.5}},
     .arms = 60,
     .steps = 400,
     .law = {TVGP__DRIFT_WIENER, 0.05, 0},
     .noise = 0.1,
     .lateness = {0.5, 5, 30, 90}},
};

struct world {
    tvgp__posterior *posterior;
    struct ref_gp ref;
    double X[MAX_ARMS * 2];
    struct rnd rnd;
};

static void open_world(struct world *w, const struct scene *s, size_t late_limit) {
    tvgp_kernel *kernel;
    w->rnd.state = 3;
    rnd_fill(&w->rnd, s->arms * s->kernel.dim, w->X);
    kernel = MAKE_KERNEL(cases_kernel, ctx, &s->kernel);
    ASSERT_OK(arm_posterior_new(ctx, kernel, &s->law, late_limit, s->arms, w->X, &w->posterior));
    tvgp_kernel_destroy(kernel);
    ref_gp_init(&w->ref, &s->kernel, s->law.kind == TVGP__DRIFT_FORGETTING ? s->law.rate : 0,
                s->window ? 5 * s->window : s->steps);
    w->ref.rate = s->law.kind == TVGP__DRIFT_WIENER ? s->law.rate : 0;
}

static void close_world(struct world *w) {
    tvgp__posterior_free(w->posterior);
    ref_gp_free(&w->ref);
}

static void observe(struct world *w, const struct scene *s, double t) {
    size_t arm = rnd_below(&w->rnd, s->favourites && rnd_uniform(&w->rnd) < 0.8 ? s->favourites : s->arms);
    double y = 5 * rnd_normal(&w->rnd), noise = rnd_uniform(&w->rnd) < 0.2 ? 4 * s->noise : s->noise;
    ASSERT_OK(w->posterior->ops->prepare(w->posterior, &(tvgp__points){.n = 1, .arm = &arm}));
    tvgp__posterior_observe(w->posterior, &(tvgp__points){.n = 1, .arm = &arm}, 0, t, y, noise, 0);
    ref_gp_add(&w->ref, w->X + arm * s->kernel.dim, t, y, noise);
}

/* The reference forgets the prefix that is older than `horizon` (observations of the past are younger than that). */
static void forget(struct world *w, double horizon) {
    size_t old = 0;
    while (old < w->ref.n && w->ref.t[old] < horizon)
        old++;
    ref_gp_drop(&w->ref, old);
}

static void assert_matches(struct world *w, const struct scene *s, double t, int whole) {
    tvgp__posterior *p = w->posterior;
    double mean, var, column[MAX_ARMS];
    size_t arm = rnd_below(&w->rnd, s->arms);
    ASSERT_OK(tvgp__posterior_reach(p, &(tvgp__points){.n = 1, .arm = &arm}));
    p->ops->column(p, arm, column);
    tvgp__posterior_finish(p);
    for (size_t i = 0; i < s->arms; i++) {
        const double *x = w->X + i * s->kernel.dim;
        ref_gp_predict(&w->ref, 1, x, t, &mean, &var);
        ASSERT_NEAR(p->own.mean[i], mean, 1e-10);
        ASSERT_NEAR(p->own.var[i], var, 1e-10);
        if (i % 10 == 0)
            ASSERT_NEAR(column[i], ref_gp_covariance(&w->ref, w->X + arm * s->kernel.dim, x, t), 1e-10);
        if (i % 10 == 0) {
            ref_gp_predict(&w->ref, 1, x, t + 2, &mean, &var); /* without moving */
            double later_mean, later_var;
            p->ops->at(p, t + 2, 1, &i, &later_mean, &later_var);
            ASSERT_NEAR(later_mean, mean, 1e-10);
            ASSERT_NEAR(later_var, var, 1e-10);
        }
    }
    if (!whole)
        return;
    ASSERT_NEAR(p->log_marginal_likelihood, ref_gp_log_evidence(&w->ref), 1e-10);
    ASSERT_NEAR(p->log_det_ratio, 2 * ref_gp_information_gain(&w->ref), 1e-10);
    ck_assert_uint_eq(p->counts.observations, w->ref.n);
}

/* Points that are not arms but lie between them, now and later. */
static void assert_predicts(struct world *w, const struct scene *s, double t) {
    enum { POINTS = 70 }; /* more than one block of predictions */
    double Z[POINTS * 2], mean[POINTS], var[POINTS], want_mean[POINTS], want_var[POINTS];
    for (size_t i = 0; i < POINTS * s->kernel.dim; i++)
        Z[i] = 0.2 + 0.6 * rnd_uniform(&w->rnd);
    for (int later = 0; later < 2; later++) {
        double at = t + 1.7 * later;
        ASSERT_OK(tvgp__posterior_predict(w->posterior, at, POINTS, Z, mean, var));
        ref_gp_predict(&w->ref, POINTS, Z, at, want_mean, want_var);
        ASSERT_ALL_NEAR(POINTS, mean, want_mean, 1e-10);
        ASSERT_ALL_NEAR(POINTS, var, want_var, 1e-10);
    }
}

TEST_TURNS(equals_dense, sizeof scenes / sizeof *scenes, 0) {
    static const double steps[] = {0, 0.3, 1, 2.7};
    const struct scene *s = &scenes[_i];
    struct world w;
    open_world(&w, s, 300);
    double t = 1000; /* far from zero: only differences matter (Wiener counts from its origin) */
    if (s->law.kind == TVGP__DRIFT_WIENER)
        t = 5;
    w.posterior->ops->advance(w.posterior, t);
    assert_matches(&w, s, t, 1); /* the prior */
    int whole = 1;
    for (size_t step = 1; step <= s->steps; step++) {
        double dt = steps[rnd_below(&w.rnd, 4)] * (s->tempo > 0 ? s->tempo : 1),
               age = step % 5 == 0 ? s->lateness[step / 5 % LATE] : 0;
        t += dt;
        if (age > 0 && t - age > 5) {
            w.posterior->ops->advance(w.posterior, t);
            observe(&w, s, t - age);
            if (step > s->steps / 2 && step % 50 < 25) /* right after each kind of delayed outcome */
                assert_matches(&w, s, t, whole);
        } else {
            observe(&w, s, t);
        }
        if (s->window && w.ref.n == w.ref.capacity) {
            forget(&w, t - (double)s->window);
            whole = 0;
        }
        if (step % (s->steps / 8) == 0) {
            assert_matches(&w, s, t, whole);
            assert_predicts(&w, s, t);
        }
    }
    w.posterior->ops->reset(w.posterior);
    ref_gp_drop(&w.ref, w.ref.n);
    assert_matches(&w, s, t, 1);
    observe(&w, s, t + 1);
    assert_matches(&w, s, t + 1, 1);
    close_world(&w);
}

/* Times that only grow, and now and then several outcomes of the past at once, up to 64 observations back. */
static const struct scene lates[] = {
    {.what = "forgetting, weight space",
     .kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 50,
     .steps = 2000,
     .law = {TVGP__DRIFT_FORGETTING, 0.03, 0},
     .noise = 0.01},
    {.what = "fast forgetting, columns",
     .kernel = {.kind = REF_MATERN12, .dim = 2, .variance = 2, .l = {0.4, 0.4}},
     .arms = 120,
     .steps = 2000,
     .law = {TVGP__DRIFT_FORGETTING, 0.3, 0},
     .noise = 0.05},
    {.what = "Wiener, first columns, then weight space",
     .kernel = {.kind = REF_MATERN52, .dim = 2, .variance = 1, .l = {0.5, 0.5}},
     .arms = 120,
     .steps = 2000,
     .law = {TVGP__DRIFT_WIENER, 0.05, 0},
     .noise = 0.1},
    {.what = "forgetting, weight space beside recent columns, favourite arms",
     .kernel = {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 200,
     .steps = 1500,
     .law = {TVGP__DRIFT_FORGETTING, 0.02, 0},
     .noise = 0.01,
     .favourites = 10},
    {.what = "forgetting, rough, favourite arms",
     .kernel = {.kind = REF_MATERN32, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 150,
     .steps = 1500,
     .law = {TVGP__DRIFT_FORGETTING, 0.15, 0},
     .noise = 0.01,
     .favourites = 6},
    {.what = "static, favourite arms",
     .kernel = {.kind = REF_MATERN32, .dim = 2, .variance = 1, .l = {0.3, 0.3}},
     .arms = 150,
     .steps = 1500,
     .law = {TVGP__DRIFT_STATIC, 0, 0},
     .noise = 0.01,
     .favourites = 6},
    {.what = "static, a column for each arm",
     .kernel = {.kind = REF_MATERN32, .dim = 2, .variance = 1, .l = {0.5, 0.5}},
     .arms = 120,
     .steps = 2000,
     .law = {TVGP__DRIFT_STATIC, 0, 0},
     .noise = 0.1},
};

TEST_TURNS(several_late_at_once, sizeof lates / sizeof *lates, 1) {
    const struct scene *s = &lates[_i];
    const size_t steps = harness_all() ? s->steps : s->steps / 2;
    struct world w;
    double t = 50;
    open_world(&w, s, 64);
    for (size_t step = 1; w.ref.n < steps; step++) {
        t += step % 40 ? 2 * rnd_uniform(&w.rnd) : 0;
        observe(&w, s, t);
        for (size_t late = 0; step % 10 == 0 && late < 1 + step / 10 % 4 && w.ref.n < steps; late++)
            observe(&w, s, t - 35 * rnd_uniform(&w.rnd));
        if (step % 500 == 0)
            assert_matches(&w, s, t, 1);
    }
    ck_assert_uint_eq(w.posterior->counts.widened, 0);
    assert_matches(&w, s, t, 1);
    assert_predicts(&w, s, t);
    close_world(&w);
}

/* After `before` observations a long silence with few observations, then an outcome of its beginning. */
static void answer_after_silence(const struct scene *s, size_t before, size_t since, double silence) {
    struct world w;
    open_world(&w, s, 64);
    for (size_t step = 0; step < before; step++)
        observe(&w, s, (double)step);
    double start = (double)before;
    for (size_t step = 1; step <= since; step++)
        observe(&w, s, start + silence * (double)step / (double)since);
    observe(&w, s, start);
    tvgp__posterior_finish(w.posterior);
    for (size_t i = 0; i < s->arms; i++) {
        double mean, var;
        ref_gp_predict(&w.ref, 1, w.X + i * s->kernel.dim, start + silence, &mean, &var);
        ASSERT_NEAR(w.posterior->own.mean[i], mean, 1e-11);
        ASSERT_NEAR(w.posterior->own.var[i], var, 1e-11);
    }
    ASSERT_NEAR(w.posterior->log_marginal_likelihood, ref_gp_log_evidence(&w.ref), 1e-11);
    ck_assert_uint_eq(w.posterior->counts.widened, 0);
    close_world(&w);
}

/* Late by 500 units where only 2e-7 of the covariance of then is left, and with more or less later outcomes. */
TEST_EACH(late_by_far, 3) {
    static const size_t since[] = {1, 5, 40, 64};
    for (size_t k = 0; k < sizeof since / sizeof *since; k++) {
        answer_after_silence(&lates[_i], 30, since[k], _i == 1 ? 90 : 500);
        answer_after_silence(&lates[_i], 300, since[k], _i == 1 ? 90 : 500);
    }
}

/* A world that has seen `before` outcomes and forgot them. */
static void open_reset(struct world *w, const struct scene *s, size_t before) {
    open_world(w, s, 64);
    for (size_t step = 0; step < before; step++)
        observe(w, s, (double)step);
    w->posterior->ops->reset(w->posterior);
    ref_gp_drop(&w->ref, w->ref.n);
}

/* After a reset nothing of before is left for which an outcome may be late. */
TEST_EACH(late_after_a_reset, sizeof lates / sizeof *lates) {
    const struct scene *s = &lates[_i];
    for (size_t before = 20; before <= 300; before += 280) {
        struct world w;
        open_reset(&w, s, before);
        observe(&w, s, (double)before);
        observe(&w, s, (double)before - 7);
        assert_matches(&w, s, (double)before, 1);
        close_world(&w);
    }
}

/* Nor is there a time before which it would be too late: none of the outcomes since is older. */
TEST_EACH(late_by_far_after_a_reset, sizeof lates / sizeof *lates) {
    const struct scene *s = &lates[_i];
    struct world w;
    open_world(&w, s, 64);
    for (size_t step = 0; step < 300; step++)
        observe(&w, s, (double)step);
    w.posterior->ops->reset(w.posterior);
    ref_gp_drop(&w.ref, w.ref.n);
    for (size_t k = 0; k < 4; k++)
        observe(&w, s, 300 + (double)k);
    for (size_t k = 1; k < 4; k++)
        observe(&w, s, 300 - 60 * (double)k);
    ck_assert_uint_eq(w.posterior->counts.widened, 0);
    assert_matches(&w, s, 303, 1);
    close_world(&w);
}

/* A reset after any number of steps: nothing of what was observed before is used. */
TEST_EACH(reset_early, sizeof scenes / sizeof *scenes) {
    const struct scene *s = &scenes[_i];
    for (size_t before = 1; before < 90; before += 4) {
        struct world w;
        open_reset(&w, s, before);
        for (size_t step = 0; step < 100; step++)
            observe(&w, s, (double)(before + step));
        assert_matches(&w, s, (double)before + 99, 0);
        close_world(&w);
    }
}

/* Observations at 0, 1, .. , steps - 1 and late ones with `limit` later ones (exact) and with one more (blurred). */
static void answer_too_late(const struct scene *s, size_t steps, size_t limit) {
    struct world w;
    open_world(&w, s, limit);
    for (size_t step = 0; step < steps; step++)
        observe(&w, s, (double)step);
    double now = (double)steps - 1, t = now - (double)limit - 0.2, age = now - t, m = 1, q = s->law.rate * age;
    if (limit)
        observe(&w, s, now - (double)limit + 0.5);
    ck_assert_uint_eq(w.posterior->counts.widened, 0);
    if (s->law.kind == TVGP__DRIFT_FORGETTING) {
        m = pow(1 - s->law.rate, age / 2);
        q = 1 - m * m;
    }
    const tvgp__points seventh = {.n = 1, .arm = (size_t[]){7}};
    ASSERT_OK(w.posterior->ops->prepare(w.posterior, &seventh));
    tvgp__posterior_observe(w.posterior, &seventh, 0, t, 3, 0.2, 0);
    ck_assert_uint_eq(w.posterior->counts.widened, s->law.kind != TVGP__DRIFT_STATIC);
    ref_gp_add(&w.ref, w.X + 7 * s->kernel.dim, now, 3 / m, (0.2 + q * s->kernel.variance) / (m * m));
    for (size_t k = 0; k < 10; k++)
        observe(&w, s, now += 0.7);
    assert_matches(&w, s, now, 0);
    ASSERT_NEAR(w.posterior->log_marginal_likelihood + log(m), ref_gp_log_evidence(&w.ref), 1e-10);
    close_world(&w);
}

/* Beyond the limit: y = m f_now[x] + noise of variance v + q k(x, x), counted; at the limit exact. */
TEST_EACH(too_late_is_blurred, sizeof lates / sizeof *lates) {
    for (size_t limit = 0; limit < 8; limit += 5) {
        answer_too_late(&lates[_i], 20, limit);
        answer_too_late(&lates[_i], 400, limit);
    }
}

/* An exact observation that is repeated teaches nothing, also when a delayed one before or after it makes the posterior go
 * through the two again. */
TEST_EACH(late_around_a_repetition, 2) {
    const struct scene *s = &lates[0];
    const tvgp__points third = {.n = 1, .arm = (size_t[]){3}};
    struct world w;
    open_world(&w, s, 64);
    for (size_t step = 0; step < 120; step++)
        observe(&w, s, (double)step);
    const double jitter = (double)w.posterior->counts.jitter;
    for (int again = 0; again < 2; again++) {
        ASSERT_OK(w.posterior->ops->prepare(w.posterior, &third));
        tvgp__posterior_observe(w.posterior, &third, 0, 120, 2, 0, 0);
    }
    ck_assert_double_eq((double)w.posterior->counts.jitter, jitter + 1);
    ref_gp_add(&w.ref, w.X + 3 * s->kernel.dim, 120, 2, 0);
    for (size_t step = 121; step < 130; step++)
        observe(&w, s, (double)step);
    observe(&w, s, _i ? 125.5 : 115.5);
    observe(&w, s, _i ? 121.5 : 119.5);
    assert_matches(&w, s, 129, 0);
    close_world(&w);
}

/* A hundred thousand observations of three arms are one of each, with the mean value and a noise as much smaller. */
TEST(collapses_to_arms) {
    enum { ARMS = 3, PULLS = 100000 };
    const struct scene *s = &lates[6];
    struct world w;
    double sum[ARMS] = {0}, precision[ARMS] = {0};
    open_world(&w, s, 64);
    for (size_t pull = 0; pull < PULLS; pull++) {
        size_t arm = rnd_below(&w.rnd, pull < PULLS / 2 ? ARMS : 1 + pull / 1000 % 3);
        double y = 5 * rnd_normal(&w.rnd), noise = s->noise * (1 + rnd_uniform(&w.rnd));
        ASSERT_OK(w.posterior->ops->prepare(w.posterior, &(tvgp__points){.n = 1, .arm = &arm}));
        tvgp__posterior_observe(w.posterior, &(tvgp__points){.n = 1, .arm = &arm}, 0, (double)pull, y, noise, 0);
        sum[arm] += y / noise;
        precision[arm] += 1 / noise;
    }
    for (size_t arm = 0; arm < ARMS; arm++)
        ref_gp_add(&w.ref, w.X + arm * s->kernel.dim, 0, sum[arm] / precision[arm], 1 / precision[arm]);
    w.posterior->ops->advance(w.posterior, PULLS);
    assert_matches(&w, s, PULLS, 0);
    assert_predicts(&w, s, PULLS);
    ck_assert_uint_eq(w.posterior->counts.rank, ARMS);
    close_world(&w);
}

/* A gap so long that everything is forgotten: the prior, and life goes on. */
/* A batch that was prepared and never told, as when memory is refused after it, changes nothing of what comes. */
TEST_EACH(prepared_and_not_told, sizeof scenes / sizeof *scenes) {
    const struct scene *s = &scenes[_i];
    static struct world told, spared;
    size_t arms[12];
    open_world(&told, s, 50);
    open_world(&spared, s, 50);
    for (size_t i = 0; i < 12; i++)
        arms[i] = i % s->arms;
    for (size_t step = 0; step < 200; step++) {
        const size_t arm = rnd_below(&told.rnd, s->arms);
        const tvgp__points one = {.n = 1, .arm = &arm}, many = {.n = 12, .arm = arms};
        const double y = rnd_normal(&told.rnd);
        for (size_t again = rnd_below(&told.rnd, 3); again; again--)
            ASSERT_OK(told.posterior->ops->prepare(told.posterior, &many));
        for (int i = 0; i < 2; i++) {
            tvgp__posterior *b = i ? spared.posterior : told.posterior;
            ASSERT_OK(b->ops->prepare(b, &one));
            b->ops->advance(b, (double)step);
            tvgp__posterior_observe(b, &one, 0, (double)step, y, s->noise, 0);
        }
        tvgp__posterior_refine(told.posterior, s->arms, NULL);
        tvgp__posterior_refine(spared.posterior, s->arms, NULL);
        ck_assert_uint_eq(told.posterior->counts.rank, spared.posterior->counts.rank);
        ck_assert(memcmp(told.posterior->own.mean, spared.posterior->own.mean, s->arms * sizeof(double)) == 0);
        ck_assert(memcmp(told.posterior->own.var, spared.posterior->own.var, s->arms * sizeof(double)) == 0);
    }
    close_world(&told);
    close_world(&spared);
}

TEST_EACH(long_silence, 4) {
    const struct scene *s = &scenes[_i];
    struct world w;
    open_world(&w, s, 64);
    for (size_t step = 0; step < 200; step++)
        observe(&w, s, (double)step);
    w.posterior->ops->advance(w.posterior, 1e6);
    for (size_t i = 0; i < s->arms; i++) {
        ASSERT_NEAR(w.posterior->own.mean[i], 0, 1e-15);
        ASSERT_NEAR(w.posterior->own.var[i], s->kernel.variance, 1e-15);
    }
    ref_gp_drop(&w.ref, w.ref.n);
    for (size_t step = 0; step < 40; step++)
        observe(&w, s, 1e6 + (double)step);
    assert_matches(&w, s, 1e6 + 39, 0);
    assert_predicts(&w, s, 1e6 + 39);
    close_world(&w);
}

HARNESS_MAIN("posterior on arms")

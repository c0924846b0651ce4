/* SPDX-License-Identifier: MIT */
/* Properties of every posterior, as functions of the scenes of tests/model_scenes.h. It equals the dense reference in whatever order and
 * batches outcomes arrive, up to the limit of delay, after a reset, and with arms added. Calls that fail, and outcomes that were
 * prepared only, leave no trace. A saved posterior continues with the same bits. Pending points count as observed at their means. */
#include "model/kalman_mixture.h"
#include "model/refit.h"
#include "model_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t limits[] = {0, 1, 3, 20, 64};
enum { LIMITS = sizeof limits / sizeof *limits };

static struct world w, twin;

/* Draws and observes up to n more outcomes, in batches of up to `batch`. Returns whether the last one came late. */
static int tell_some(size_t n, size_t batch) {
    struct outcome o[8];
    for (size_t i = 0; i < n; i++)
        o[i] = world_draw(&w);
    for (size_t i = 0; i < n; i += batch)
        world_tell(&w, n - i < batch ? n - i : batch, o + i);
    return o[n - 1].t < w.now;
}

/* Moments, covariances, likelihood and counts, before and after outcomes, from the prior to the end, and after a reset. */
TEST_WHERE(equals_dense, n_scenes *LIMITS,
           _i % LIMITS == 0 ||
               (scene_takes_late(&scenes[_i / LIMITS]) && (_i % LIMITS == 4 || scene_has_limit(&scenes[_i / LIMITS])))) {
    const struct scene *s = &scenes[_i / LIMITS];
    world_open(&w, s, limits[_i % LIMITS]);
    world_check(&w, w.now);
    for (size_t next = 1; w.drawn < s->steps;) {
        const int late = tell_some(1 + w.drawn % 4, 1 + w.drawn % 3);
        if (w.drawn >= next && (late || !w.late)) {
            world_check(&w, w.now);
            next += 1 + s->steps / 8;
        }
    }
    world_check(&w, w.now);
    world_reset(&w);
    world_check(&w, w.now);
    /* Then the first outcome is of the past. It is exact, though some methods count it as late; without a limit a Wiener process blurs it. */
    if (w.late || s->drift.kind != TVGP__DRIFT_WIENER)
        w.p->ops->advance(w.p, w.now + 12);
    tell_some(1, 1);
    w.moments_only = 1;
    world_check(&w, w.now += 12);
    tell_some(5, 5);
    world_check(&w, w.now + 1);
    world_close(&w);
}

/* ---- delays, resets, arms --------------------------------------------------------------------------------------------- */

/* Outcomes at these times, whatever the stream says. */
static struct outcome draw_at(double t) {
    struct outcome o = world_draw(&w);
    o.t = t;
    return o;
}

static void tell_at(double t) {
    const struct outcome o = draw_at(t);
    world_tell(&w, 1, &o);
}

/* An outcome that is too late counts as y = m f_now[x] + noise of variance v + q k(x, x). */
static void tell_too_late(const struct scene *s, double now, double t) {
    struct outcome o = draw_at(t);
    const int forgets = s->drift.kind == TVGP__DRIFT_FORGETTING;
    const double m = forgets ? pow(1 - s->drift.rate, (now - t) / 2) : 1,
                 q = forgets ? 1 - m * m : s->drift.rate * (now - t);
    const size_t before = w.n;
    o.noise = 0.2;
    world_tell(&w, 1, &o);
    ck_assert_uint_eq(w.p->counts.widened, 1);
    w.told[before].t = now;
    w.told[before].y /= m;
    w.told[before].noise = (0.2 + q * s->kernel.variance) / (m * m);
    for (size_t k = 1; k <= 10; k++)
        tell_at(now + 0.7 * (double)k);
    w.moments_only = 1;
    world_check(&w, now + 7);
    ASSERT_NEAR(w.p->log_marginal_likelihood + log(m), w.evidence, s->tolerance);
}

/* Up to the limit an outcome is exact, and beyond it blurred and counted. */
TEST_WHERE(too_late_is_blurred, n_scenes *LIMITS,
           scene_has_limit(&scenes[_i / LIMITS]) && scenes[_i / LIMITS].drift.kind != TVGP__DRIFT_MATERN32 &&
               scenes[_i / LIMITS].drift.rate < 0.5) {
    const struct scene *s = &scenes[_i / LIMITS];
    const size_t limit = limits[_i % LIMITS];
    for (size_t more = 20; more <= 200; more += 180) {
        const double now = (double)(limit + more);
        world_open(&w, s, limit);
        for (size_t step = 0; step <= limit + more; step++)
            tell_at((double)step);
        if (limit)
            tell_at(now - (double)limit + 0.5);
        ck_assert_uint_eq(w.p->counts.widened, 0);
        tell_too_late(s, now, now - (double)limit - 0.2);
        world_close(&w);
    }
}

/* After a reset nothing of before is left for which an outcome may be late, and no time before which one is too late. */
TEST_EACH(reset_is_new, n_scenes) {
    const struct scene *s = &scenes[_i];
    for (size_t before = 1; before < 90; before += 7) {
        world_open(&w, s, scene_takes_late(s) ? 20 : 0);
        for (size_t i = 0; i < before; i++)
            tell_some(1, 1);
        world_reset(&w);
        for (size_t i = 0; i < (before % 3 ? 40 : 5); i++)
            tell_some(1, 1);
        world_check(&w, w.now);
        world_close(&w);
    }
}

/* The world gets all arms of this scene, after attempts in which an allocation fails. */
static tvgp_status add_arms(const struct scene *s) {
    tvgp__posterior *larger = NULL;
    const tvgp_domain *domain = harness_arms(s->arms, SCENE_DIM, w.X);
    tvgp_status status = TVGP_ERR_NOMEM;
    w.scene = s;
    if (s->several)
        larger = world_make(&w);
    for (size_t fail = 1; status == TVGP_ERR_NOMEM; fail += 1 + fail / 4) {
        memory.fail_in = fail;
        status =
            s->several ? tvgp__kalman_mixture_extend(w.p, larger) : tvgp__posterior_extend(w.p, s->arms, domain->X, &larger);
        memory.fail_in = 0;
    }
    if (status == TVGP_OK) {
        tvgp__posterior_free(w.p);
        w.p = larger;
    }
    return status;
}

/* Arms that are added equal arms that were there from the start. */
TEST_WHERE(extend_is_all_arms, n_scenes, scenes[_i].arms && !scenes[_i].replaced) {
    static const size_t told[] = {0, 1, 30, 110};
    const struct scene *s = &scenes[_i];
    struct scene fewer = *s;
    fewer.arms = 2 * s->arms / 3;
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        world_open(&w, &fewer, scene_takes_late(s) ? 20 : 0);
        for (size_t i = 0; i < told[k]; i++)
            tell_some(1, 1);
        ASSERT_OK(add_arms(s));
        world_check(&w, w.now);
        for (size_t i = 0; i < 50; i++)
            tell_some(1, 1);
        world_check(&w, w.now);
        world_close(&w);
    }
}

/* ---- no trace, saved states ------------------------------------------------------------------------------------------ */

/* The bytes of a posterior; the caller frees them. */
static struct saved save(tvgp__posterior *p) {
    tvgp__visit v = {.ctx = ctx, .purpose = TVGP__VISIT_SIZE, .section = "posterior"};
    tvgp__posterior_visit(p, &v);
    struct saved out = {v.at, malloc(v.at)};
    v = (tvgp__visit){.ctx = ctx, .purpose = TVGP__VISIT_SAVE, .section = "posterior", .out = out.bytes, .end = out.n};
    tvgp__posterior_visit(p, &v);
    ASSERT_OK(v.status);
    return out;
}

static void assert_same_predictions(double tolerance) {
    enum { POINTS = 9 };
    double Z[POINTS * SCENE_DIM], got[2 * POINTS], want[2 * POINTS];
    rnd_fill(&(struct rnd){5}, POINTS * SCENE_DIM, Z);
    ASSERT_OK(tvgp__posterior_predict(w.p, w.p->now + 1, POINTS, Z, got, got + POINTS));
    ASSERT_OK(tvgp__posterior_predict(twin.p, twin.p->now + 1, POINTS, Z, want, want + POINTS));
    ASSERT_ALL_NEAR(2 * POINTS, got, want, tolerance);
    if (tolerance == 0)
        ck_assert_mem_eq(got, want, sizeof got);
}

/* Both are equal to the last bit, in predictions and in all that is saved. */
static void assert_same_bits(void) {
    assert_same_predictions(0);
    const struct saved a = save(w.p), b = save(twin.p);
    ck_assert_msg(harness_same(a, b), "%s: %zu outcomes", w.scene->what, w.n);
    free(a.bytes);
    free(b.bytes);
}

static void tell_both(size_t n) {
    struct outcome o[8];
    for (size_t i = 0; i < n; i++)
        o[i] = world_draw(&w);
    world_tell(&w, n, o);
    world_tell(&twin, n, o);
}

/* A restored posterior continues as the saved one does. */
TEST_EACH(saved_goes_on, n_scenes) {
    static const size_t told[] = {0, 1, 7, 90};
    const struct scene *s = &scenes[_i];
    for (size_t k = 0; k < sizeof told / sizeof *told; k++) {
        world_open(&w, s, scene_takes_late(s) ? 3 : 0);
        world_open(&twin, s, scene_takes_late(s) ? 3 : 0);
        for (size_t i = 0; i < told[k]; i++)
            tell_some(1, 1);
        const struct saved bytes = save(w.p);
        tvgp__visit v = {.ctx = ctx,
                         .purpose = TVGP__VISIT_LOAD,
                         .section = "posterior",
                         .in = bytes.bytes,
                         .end = bytes.n,
                         .arms = s->arms,
                         .dim = SCENE_DIM};
        tvgp__posterior_visit(twin.p, &v);
        ASSERT_OK(v.status);
        ck_assert_uint_eq(v.at, bytes.n);
        free(bytes.bytes);
        assert_same_bits();
        for (size_t i = 0; i < 24; i++)
            tell_both(1 + i % 5);
        assert_same_bits();
        world_close(&w);
        world_close(&twin);
    }
}

/* Calls that fail for want of memory, a batch that is never observed, and predictions. */
static void disturb(size_t step) {
    static const size_t arm[] = {0, 5, 1, 4, 2, 3, 6, 5, 9, 8, 7, 0};
    const int arms = w.scene->arms > 0;
    const tvgp__points points = {.n = 12, .arm = arms ? arm : NULL}, places = {.n = 12, .X = w.X + 2 * step};
    tvgp__predictive form;
    double mean, var;
    memory.fail_in = step % 7 + 1;
    (void)tvgp__posterior_ready(w.p, arms ? &points : &places);
    memory.fail_in = step % 3 ? 0 : step % 5 + 1;
    if (w.p->ops->predictive(w.p, w.p->now, &form) == TVGP_OK)
        tvgp__predictive_free(&form);
    memory.fail_in = 0;
    if (step % 4 == 0)
        ASSERT_OK(tvgp__posterior_ready(w.p, arms ? &points : &places));
    ASSERT_OK(tvgp__posterior_predict(w.p, w.p->now + 1, 1, w.X, &mean, &var));
    if (arms)
        w.p->ops->at(w.p, w.p->now + 1, 1, arm + 1, &mean, &var);
}

TEST_EACH(disturbed_is_undisturbed, n_scenes) {
    const struct scene *s = &scenes[_i];
    world_open(&w, s, scene_takes_late(s) ? 3 : 0);
    world_open(&twin, s, scene_takes_late(s) ? 3 : 0);
    for (size_t step = 0; step < 120; step++) {
        disturb(step);
        tvgp__posterior_finish(twin.p);
        tell_both(1 + step % 2);
        if (step % 10 == 9 && (s->features > 0 || s->age.growth))
            assert_same_predictions(1e-12); /* the order of sums depends on the memory there is, and on when a fit is done */
        else if (step % 10 == 9)
            assert_same_bits();
        if (step == 60)
            world_reset(&w), world_reset(&twin);
    }
    ck_assert_uint_eq(w.p->counts.rank, twin.p->counts.rank);
    world_close(&w);
    world_close(&twin);
}

/* Where outcomes come in order, a limit of delay changes nothing. */
TEST_WHERE(limit_changes_nothing_in_order, n_scenes, scene_has_limit(&scenes[_i])) {
    world_open(&w, &scenes[_i], 0);
    world_open(&twin, &scenes[_i], 20);
    for (size_t step = 0; step < 100; step++) {
        tell_both(1 + step % 3);
        assert_same_predictions(1e-12);
    }
    world_close(&w);
    world_close(&twin);
}

/* ---- bounds of variances (model/refit.h) ----------------------------------------------------------------------------- */

/* Moments before arms are looked at. The twin works everything out at once. Returns how far bounds are above, in the mean. */
static double slack(void) {
    const tvgp__posterior *p = w.p, *exact = twin.p;
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        ck_assert_double_ge(p->own.var[i] + p->own.off.var + 1e-13, exact->own.var[i]);
        ck_assert_double_le(fabs(p->own.mean[i] - exact->own.mean[i]), p->own.off.mean + 1e-12);
        sum += (p->own.var[i] - exact->own.var[i]) / exact->prior[i] / (double)p->n;
    }
    ck_assert_uint_eq(p->own.off.together > 0, p->counts.rank * p->n > TVGP__REFIT_EAGER);
    ck_assert(p->own.off.together || (p->own.off.mean == 0 && p->own.off.var == 0));
    ASSERT_NEAR(p->log_marginal_likelihood, exact->log_marginal_likelihood, 1e-10);
    ASSERT_NEAR(p->log_det_ratio, exact->log_det_ratio, 1e-10);
    return sum;
}

/* Other times may be asked about in between. */
static void ask_ahead(double t) {
    double mean[2][SCENE_ARMS], var[2][SCENE_ARMS];
    tvgp__posterior_at(w.p, t, w.p->n / 2, NULL, mean[0], var[0]);
    tvgp__posterior_at(twin.p, t, w.p->n / 2, NULL, mean[1], var[1]);
    ASSERT_ALL_NEAR(w.p->n / 2, mean[0], mean[1], 1e-10);
    ASSERT_ALL_NEAR(w.p->n / 2, var[0], var[1], 1e-10);
}

/* Some arms, or all, are looked at. */
static void look(size_t step) {
    size_t arm[11], n = 1 + step % 11;
    for (size_t i = 0; i < n; i++)
        arm[i] = (step * 37 + i * i * 11) % w.p->n;
    tvgp__posterior_refine(w.p, n, arm);
    for (size_t i = 0; i < n; i++) {
        ASSERT_NEAR(w.p->own.mean[arm[i]], twin.p->own.mean[arm[i]], 1e-10);
        ASSERT_NEAR(w.p->own.var[arm[i]], twin.p->own.var[arm[i]], 1e-10);
    }
    if (step % 40 && (step % 40 < 20 || step % 3)) /* all of them seldom, then often */
        return;
    tvgp__posterior_refine(w.p, w.p->n, NULL);
    ck_assert(w.p->own.off.mean == 0 && w.p->own.off.var == 0);
    ASSERT_ALL_NEAR(w.p->n, w.p->own.mean, twin.p->own.mean, 1e-10);
    ASSERT_ALL_NEAR(w.p->n, w.p->own.var, twin.p->own.var, 1e-10);
}

TEST_WHERE(bounds_hold, n_scenes, scenes[_i].age.growth &&scenes[_i].arms > 128) {
    const struct scene *s = &scenes[_i];
    double sum = 0;
    size_t seen = 0;
    world_open(&w, s, 9);
    world_open(&twin, s, 9);
    ((tvgp__refit *)twin.p)->lazy = 0;
    for (size_t step = 0; step < 200; step++) {
        struct outcome o = world_draw(&w);
        o.noise = _i % 3 == 0 && step % 33 == 7 ? 0 : o.noise;
        world_tell(&w, 1, &o);
        world_tell(&twin, 1, &o);
        if (step % 12 == 0)
            ask_ahead(w.now + 0.1 * (double)(step % 30));
        for (int k = 0; k < 2; k++) {
            tvgp__posterior *p = k ? w.p : twin.p;
            p->ops->advance(p, w.now + 1);
            tvgp__posterior_finish(p);
        }
        seen += w.p->own.off.together > 0;
        sum += w.p->own.off.together ? slack() : 0;
        look(step);
        if (step == 170)
            world_reset(&w), world_reset(&twin);
    }
    ck_assert_uint_gt(seen, 30);
    ck_assert_double_lt(sum / (double)seen, 0.3);
    world_close(&w);
    world_close(&twin);
}

/* The moments of an arm do not depend on the other arms that are read with it, to the last bit. */
TEST_WHERE(looking_beside_changes_no_bit, n_scenes, scenes[_i].age.growth &&scenes[_i].arms > 128) {
    world_open(&w, &scenes[_i], 0);
    world_open(&twin, &scenes[_i], 0);
    while (w.drawn < 120)
        tell_both(4);
    tvgp__posterior_finish(w.p);
    tvgp__posterior_finish(twin.p);
    ck_assert_uint_gt(w.p->own.off.together, 0);
    tvgp__posterior_refine(twin.p, w.p->n, NULL);
    for (size_t i = w.p->n; i-- > 0;)
        tvgp__posterior_refine(w.p, 1, &i);
    ck_assert_mem_eq(w.p->own.mean, twin.p->own.mean, w.p->n * sizeof(double));
    ck_assert_mem_eq(w.p->own.var, twin.p->own.var, w.p->n * sizeof(double));
    world_close(&w);
    world_close(&twin);
}

/* ---- pending points -------------------------------------------------------------------------------------------------- */

/* A pending point counts as observed at its mean: of one Gaussian posterior. */
TEST_WHERE(pending_is_the_mean_observed, n_scenes,
           !scenes[_i].arms && !scenes[_i].several && !scenes[_i].age.growth && !scenes[_i].window) {
    enum { AT = 25, PENDING = 3 };
    const struct scene *s = &scenes[_i];
    for (size_t told = 0; told < 80; told += 77) {
        double Z[2 * AT], mean[AT], var[AT], want_mean[AT], want_var[AT], unused, times[PENDING];
        struct outcome o[PENDING];
        tvgp__predictive form;
        world_open(&w, s, 3);
        for (size_t i = 0; i < told; i++)
            tell_some(1, 1);
        rnd_fill(&w.rnd, 2 * AT, Z);
        const double now = w.now + 10;
        for (size_t k = 0; k < PENDING; k++) { /* the last one at a place of an outcome */
            o[k] = (struct outcome){.t = times[k] = s->features > 0 ? now : w.now + 3 * (double)k, .noise = s->noise};
            memcpy(o[k].x, k == 2 && told ? w.told[told - 1].x : w.X + 2 * k, sizeof o[k].x);
            ASSERT_OK(tvgp__posterior_predict(w.p, o[k].t, 1, o[k].x, &o[k].y, &unused));
        }
        w.p->ops->advance(w.p, now);
        ASSERT_OK(w.p->ops->predictive(w.p, now, &form));
        const size_t rows = form.r;
        const double X[2 * PENDING] = {o[0].x[0], o[0].x[1], o[1].x[0], o[1].x[1], o[2].x[0], o[2].x[1]};
        ASSERT_OK(w.p->ops->anywhere->pend(w.p, &form, now, PENDING, X, times, s->noise));
        ck_assert_uint_eq(form.r, rows + PENDING);
        ASSERT_OK(tvgp__predictive_predict(&form, AT, Z, &(tvgp__predictive_values){.mean = mean, .var = var}));
        tvgp__predictive_free(&form);
        for (size_t k = 0; k < PENDING; k++)
            world_tell(&w, 1, &o[k]);
        ASSERT_OK(tvgp__posterior_predict(w.p, now, AT, Z, want_mean, want_var));
        ASSERT_ALL_NEAR(AT, mean, want_mean, s->features > 0 ? 1e-9 : 1e-12);
        ASSERT_ALL_NEAR(AT, var, want_var, s->features > 0 ? 1e-9 : 1e-12);
        world_check(&w, now); /* and no trace of them is left */
        world_close(&w);
    }
}

/* ---- single methods -------------------------------------------------------------------------------------------------- */

static const struct scene *scene_of(const char *what) {
    size_t i = 0;
    while (strcmp(scenes[i].what, what) != 0)
        i++;
    return &scenes[i];
}

/* All outcomes are replaced by others, and one more comes. */
TEST(replaced_equals_dense) {
    world_open(&w, scene_of("replaced"), 64);
    for (size_t round = 0; round < 4; round++) {
        struct outcome o[91];
        size_t arm[91], n = 30 * round + 1;
        for (size_t i = 0; i < n; i++)
            arm[i] = (o[i] = world_draw(&w)).arm;
        ASSERT_OK(tvgp__posterior_ready(w.p, &(tvgp__points){.n = n, .arm = arm}));
        tvgp__refit_begin(w.p, w.now);
        w.n = 0;
        w.synced = SCENE_MOST;
        for (size_t i = 0; i < n; i++) {
            tvgp__refit_add(w.p, o[i].arm, o[i].y, o[i].noise);
            world_note(&w, &o[i]);
        }
        tvgp__refit_end(w.p);
        world_check(&w, w.now);
        tell_some(1, 1);
        world_check(&w, w.now);
    }
    world_close(&w);
}

/* A second exact observation of an arm teaches nothing, also when a delayed one before or after makes the posterior repeat both. */
TEST_EACH(late_around_a_repetition, 2) {
    const struct outcome exact = {.arm = 3, .t = 120, .y = 2};
    world_open(&w, scene_of("forgetting, few features"), 64);
    for (size_t step = 0; step < 120; step++)
        tell_at((double)step);
    const size_t jitter = w.p->counts.jitter;
    for (int again = 0; again < 2; again++) {
        struct outcome o = exact;
        memcpy(o.x, w.X + 2 * o.arm, sizeof o.x);
        world_tell(&w, 1, &o);
    }
    w.n--;
    ck_assert_uint_eq(w.p->counts.jitter, jitter + 1);
    for (size_t step = 121; step < 130; step++)
        tell_at((double)step);
    tell_at(_i ? 125.5 : 115.5);
    tell_at(_i ? 121.5 : 119.5);
    w.moments_only = 1;
    world_check(&w, 129);
    world_close(&w);
}

/* A hundred thousand observations of three arms are one of each, with the mean value and a noise as much smaller. */
TEST(many_are_one_for_each_arm) {
    double sum[3] = {0}, precision[3] = {0};
    world_open(&w, scene_of("static, a column for each arm"), 0);
    for (size_t pull = 0; pull < 100000; pull++) {
        const size_t arm = rnd_below(&w.rnd, pull < 50000 ? 3 : 1 + pull / 1000 % 3);
        const double y = 5 * rnd_normal(&w.rnd), noise = 0.1 * (1 + rnd_uniform(&w.rnd));
        const tvgp__points points = {.n = 1, .arm = &arm};
        ASSERT_OK(tvgp__posterior_ready(w.p, &points));
        tvgp__posterior_observe(w.p, &points, 0, (double)pull, y, noise, 0);
        sum[arm] += y / noise;
        precision[arm] += 1 / noise;
    }
    for (size_t arm = 0; arm < 3; arm++) {
        struct outcome o = {.arm = arm, .y = sum[arm] / precision[arm], .noise = 1 / precision[arm]};
        memcpy(o.x, w.X + 2 * arm, sizeof o.x);
        world_note(&w, &o);
    }
    w.moments_only = 1;
    world_check(&w, 1e5);
    ck_assert_uint_eq(w.p->counts.rank, 3);
    world_close(&w);
}

HARNESS_MAIN("models")

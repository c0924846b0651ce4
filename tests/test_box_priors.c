/* SPDX-License-Identifier: MIT */
/* Several priors on a box (as on the same grid of arms: test_same_points): scores and posteriors of dense posteriors mixed by their marginal
 * likelihood, means as functions, priors that come late, what is forgotten, snapshots, failures. */
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, POINTS = SIDE * SIDE, PRIORS = 3, FAMILY = 4, SOME = 40 };
static const char *const family[FAMILY] = {"pe-gp-ucb", "mle-gp-ucb", "fb-gp-ucb", "rb-gp-ucb"};
static const double zeros[2] = {0}, ones[2] = {1, 1};
static const double noise = 0.01; /* the default */

static int is(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static double drifting(const double *x, double t) {
    double sum = 0;
    for (size_t k = 0; k < 2; k++) {
        const double e = x[k] - 0.5 - 0.4 * sin(0.3 * t + (double)k);
        sum += e * e;
    }
    return exp(-8 * sum) + 0.3 * sin(9 * x[0]);
}

/* A prior mean too good to be true towards one corner, and how it was called. */
struct slope {
    double scale;
    int32_t status;
    int calls;
};

static int32_t sloping(void *user, size_t n, const double *X, double *mean, double *gradient) {
    struct slope *s = user;
    s->calls++;
    for (size_t i = 0; i < n; i++) {
        const double *x = X + 2 * i;
        mean[i] = s->scale * (x[0] + x[0] * x[1]);
        if (gradient) {
            gradient[2 * i] = s->scale * (1 + x[1]);
            gradient[2 * i + 1] = s->scale * x[0];
        }
    }
    return s->status;
}

/* The usual schedule counts arms. */
static tvgp_policy *policy_on(const char *name, int on_box) {
    const size_t points[] = {SIDE, SIDE};
    tvgp_domain *domain = on_box ? harness_box(2, zeros, ones) : harness_grid(2, zeros, ones, points);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    tvgp_policy *p = harness_create(name, domain, kernel, "width.schedule=log delay.exact_observations=1000");
    if (on_box)
        ASSERT_OK(tvgp_policy_set(p, "forget.tolerance=0 search.effort=.5"));
    return p;
}

/* Prior 0: the policy's mean. 1: a function; on arms its values. 2: a constant. Each with a kernel of its own. */
static void add_prior(tvgp_policy *p, int on_box, size_t i, double epsilon, struct slope *s) {
    const double constant = -0.2;
    double X[2 * POINTS], mean[POINTS];
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at((size_t[]){0, 3, 2}[i]));
    for (size_t k = 0; k < POINTS; k++) {
        X[2 * k] = (double)(k / SIDE) / (SIDE - 1);
        X[2 * k + 1] = (double)(k % SIDE) / (SIDE - 1);
    }
    (void)sloping(s, POINTS, X, mean, NULL);
    if (i == 1)
        ASSERT_OK(on_box ? tvgp_policy_add_prior_fn(p, kernel, sloping, s, NULL, epsilon)
                         : tvgp_policy_add_prior(p, kernel, POINTS, mean, epsilon));
    else
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, i ? 1 : 0, i ? &constant : NULL, epsilon));
}

static void both_say(const tvgp_policy *a, const tvgp_policy *b, const char *key, double tolerance) {
    ASSERT_NEAR(harness_stat(a, key), harness_stat(b, key), tolerance);
}

/* ---- dense posteriors ------------------------------------------------------------------------------------------- */

static const double epsilons[PRIORS] = {0, 0.05, 0.2};

struct reference {
    struct ref_gp gp[PRIORS];
    double weight[PRIORS], width;
};

static void ref_open(struct reference *ref) {
    for (size_t i = 0; i < PRIORS; i++)
        ref_gp_init(&ref->gp[i], cases_kernel_at((size_t[]){0, 3, 2}[i]), epsilons[i], 400);
}

static void ref_close(struct reference *ref) {
    for (size_t i = 0; i < PRIORS; i++)
        ref_gp_free(&ref->gp[i]);
}

static double ref_mean(size_t i, const double *x) {
    return i == 1 ? 0.5 * (x[0] + x[0] * x[1]) : i == 2 ? -0.2 : 0;
}

static void ref_tell(struct reference *ref, const double *x, double t, double y, double variance) {
    for (size_t i = 0; i < PRIORS; i++)
        ref_gp_add(&ref->gp[i], x, t, y - ref_mean(i, x), variance);
}

static void ref_weigh(struct reference *ref) {
    double e[PRIORS], best = -INFINITY, sum = 0;
    for (size_t i = 0; i < PRIORS; i++)
        best = fmax(best, e[i] = ref_gp_log_evidence(&ref->gp[i]));
    for (size_t i = 0; i < PRIORS; i++)
        sum += ref->weight[i] = exp(e[i] - best);
    for (size_t i = 0; i < PRIORS; i++)
        ref->weight[i] /= sum;
}

/* Moments of the mixture, and the score of each prior. */
static void ref_at(struct reference *ref, const double *x, double t, double *mean, double *var, double score[PRIORS]) {
    double first = 0, second = 0;
    for (size_t i = 0; i < PRIORS; i++) {
        double m, v;
        ref_gp_predict(&ref->gp[i], 1, x, t, &m, &v);
        m += ref_mean(i, x);
        score[i] = m + ref->width * sqrt(v);
        first += ref->weight[i] * m;
        second += ref->weight[i] * (v + m * m);
    }
    *mean = first;
    *var = second - first * first;
}

/* What the policy maximises. */
static double ref_score(const struct reference *ref, const char *name, int spoke, const double score[PRIORS]) {
    double sum = 0, most = -INFINITY;
    for (size_t i = 0; i < PRIORS; i++) {
        sum += ref->weight[i] * score[i];
        most = fmax(most, score[i]);
    }
    return is(name, "fb-gp-ucb") ? sum : is(name, "pe-gp-ucb") ? most : score[spoke];
}

static void assert_beliefs(tvgp_policy *p, struct reference *ref, double t, struct rnd *r) {
    double X[2 * SOME], mean[SOME], var[SOME], dmean[2 * SOME], dvar[2 * SOME], m, v, score[PRIORS];
    const double h = 1e-5;
    rnd_fill(r, 2 * SOME, X);
    ASSERT_OK(harness_gradients(p, t, SOME, X, mean, var, dmean, dvar));
    for (int i = 0; i < PRIORS; i++) {
        ASSERT_NEAR(harness_stat_of(p, "prior.log_marginal_likelihood", i), ref_gp_log_evidence(&ref->gp[i]), 1e-9);
        ASSERT_NEAR(harness_stat_of(p, "prior.weight", i), ref->weight[i], 1e-8);
    }
    for (size_t k = 0; k < SOME; k++) {
        ref_at(ref, X + 2 * k, t, &m, &v, score);
        ASSERT_NEAR(mean[k], m, 1e-8);
        ASSERT_NEAR(var[k], v, 1e-8);
        for (size_t d = 0; d < 2; d++) {
            double at[2] = {X[2 * k], X[2 * k + 1]}, mm[2], vv[2];
            for (int side = 0; side < 2; side++) {
                at[d] = X[2 * k + d] + (side ? h : -h);
                ref_at(ref, at, t, &mm[side], &vv[side], score);
            }
            ASSERT_NEAR(dmean[2 * k + d], (mm[1] - mm[0]) / (2 * h), 1e-6);
            ASSERT_NEAR(dvar[2 * k + d], (vv[1] - vv[0]) / (2 * h), 1e-6);
        }
    }
}

/* The score asked is what dense posteriors give there, and no random point has a better one by more than a hundredth. */
TEST_EACH(like_dense_posteriors, FAMILY) {
    const char *name = family[_i % FAMILY];
    struct slope s = {.scale = 0.5};
    struct rnd r = {(uint64_t)_i + 60};
    struct reference ref;
    tvgp_policy *p = policy_on(name, 1);
    ref_open(&ref);
    ASSERT_OK(tvgp_policy_set(p, "width.schedule=constant width.value=2 width.delta=1e-100")); /* nothing dies */
    ref.width = 2;
    for (size_t i = 0; i < PRIORS; i++)
        add_prior(p, 1, i, epsilons[i], &s);
    for (int step = 0; step < 60; step++) {
        const double t = 0.4 * step;
        double x[2], m, v, score[PRIORS], best = -INFINITY;
        const tvgp_query q = harness_ask_at(p, t, x);
        const int spoke = (int)harness_stat(p, "prior.last");
        ref_weigh(&ref);
        ref_at(&ref, x, t, &m, &v, score);
        ASSERT_NEAR(q.score, ref_score(&ref, name, spoke, score), 1e-8);
        ASSERT_NEAR(harness_stat(p, "mean") + (spoke == 0 ? 0 : ref_mean((size_t)spoke, x)) + 2 * harness_stat(p, "sd"),
                    score[spoke], 1e-8);
        for (int k = 0; k < 300 && step % 6 == 5; k++) {
            const double z[] = {rnd_uniform(&r), rnd_uniform(&r)};
            ref_at(&ref, z, t, &m, &v, score);
            best = fmax(best, ref_score(&ref, name, spoke, score));
        }
        ck_assert_msg(best <= q.score + 0.01, "step %d: %g was there, %g asked", step, best, q.score);
        const double y = drifting(x, t) + 0.1 * rnd_normal(&r);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        ref_tell(&ref, x, t, y, noise);
        if (step % 4 == 0) {
            const tvgp_obs o = {.y = 0.1, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.2, .t = t - 1};
            const double at[] = {rnd_uniform(&r), rnd_uniform(&r)};
            ASSERT_OK(tvgp_policy_tell(p, 1, &o, at));
            ref_tell(&ref, at, t - 1, 0.1, 0.2);
        }
        if (step % 10 != 9)
            continue;
        int64_t arm;
        ref_weigh(&ref);
        assert_beliefs(p, &ref, t, &r);
        ASSERT_OK(tvgp_policy_best(p, t, &arm, x));
        ref_at(&ref, x, t, &best, &v, score);
        for (int k = 0; k < 300; k++) {
            const double z[] = {rnd_uniform(&r), rnd_uniform(&r)};
            ref_at(&ref, z, t, &m, &v, score);
            ck_assert_msg(m <= best + 0.01, "step %d: mean %g was there, %g is best", step, m, best);
        }
    }
    ref_close(&ref);
}

/* ---- what comes late, what is forgotten -------------------------------------------------------------------------- */

/* A prior that was there from the start and one that came in the middle know the same; at limits of what is held too. */
TEST_EACH(a_prior_that_comes_late, 3) {
    const char *options[] = {"forget.tolerance=0", "forget.tolerance=1e-3", "rows.limit=30"};
    struct slope s = {.scale = 0.5};
    struct rnd r = {4};
    tvgp_policy *p = policy_on("fb-gp-ucb", 1);
    ASSERT_OK(tvgp_policy_set(p, options[_i]));
    for (size_t i = 0; i < 2; i++)
        add_prior(p, 1, i, 0.15, &s);
    for (int step = 0; step < 220; step++) {
        double x[2];
        const tvgp_query q = harness_ask_at(p, step, x);
        if (step == 150)
            add_prior(p, 1, 1, 0.15, &s);
        if (step % 7 != 6)
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, drifting(x, 0.1 * step) + 0.1 * rnd_normal(&r)));
    }
    /* a pruned one was not asked to forget at the same steps */
    const double apart =
        harness_stat_of(p, "prior.log_marginal_likelihood", 1) - harness_stat_of(p, "prior.log_marginal_likelihood", 2);
    ck_assert_msg(fabs(apart) < (_i == 1 ? 0.05 : 1e-8), "%g apart", apart);
    ck_assert((harness_stat(p, "rows.dropped") > 50) == (_i > 0));
}

static tvgp_status add_with_quota(tvgp_policy *p, const tvgp_kernel *kernel, int64_t work) {
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, work));
    const tvgp_status status = tvgp_policy_add_prior(p, kernel, 0, NULL, 0.3);
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    ck_assert(status == TVGP_OK || status == TVGP_ERR_LIMIT);
    return status;
}

/* A prior added late under the least quota that suffices has forgotten as much as one without a quota. */
TEST(a_late_prior_and_a_quota) {
    tvgp_policy *p = policy_on("mle-gp-ucb", 1), *copy;
    struct rnd r = {4};
    int64_t fails = 1, suffices = 1 << 20;
    ASSERT_OK(tvgp_policy_set(p, "forget.tolerance=.1"));
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    for (int t = 0; t < 64; t++) {
        const double x[2] = {rnd_uniform(&r), rnd_uniform(&r)};
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.y = drifting(x, t), .flags = TVGP_OBS_HAS_TIME, .t = t}, x));
    }
    while (suffices - fails > 1) {
        const int64_t work = (fails + suffices) / 2;
        copy = MAKE_POLICY(tvgp_policy_clone, p);
        *(add_with_quota(copy, kernel, work) == TVGP_OK ? &suffices : &fails) = work;
    }
    tvgp_policy *spared = MAKE_POLICY(tvgp_policy_clone, p);
    ASSERT_OK(tvgp_policy_add_prior(spared, kernel, 0, NULL, 0.3));
    ck_assert_int_eq(add_with_quota(p, kernel, suffices), TVGP_OK);
    ck_assert(harness_stat(spared, "rows.dropped") > 20 && suffices > 1000);
    ck_assert_double_eq(harness_stat(p, "rows.dropped"), harness_stat(spared, "rows.dropped"));
}

/* The marginal likelihood is that of all that was given, whatever was forgotten since: next to one that forgets nothing. */
TEST(evidence_of_what_was_forgotten) {
    struct slope s = {.scale = 0.5};
    struct rnd r = {8};
    tvgp_policy *all = policy_on("mle-gp-ucb", 1), *some = policy_on("mle-gp-ucb", 1);
    ASSERT_OK(tvgp_policy_set(some, "forget.tolerance=1e-3"));
    for (size_t i = 0; i < PRIORS; i++) {
        add_prior(all, 1, i, 0.3, &s);
        add_prior(some, 1, i, 0.3, &s);
    }
    for (int step = 0; step < 200; step++) {
        double x[2] = {rnd_uniform(&r), rnd_uniform(&r)}, y[2];
        const tvgp_obs o = {.y = drifting(x, step) + 0.1 * rnd_normal(&r), .flags = TVGP_OBS_HAS_TIME, .t = step};
        ASSERT_OK(tvgp_policy_tell(all, 1, &o, x));
        ASSERT_OK(tvgp_policy_tell(some, 1, &o, x));
        (void)harness_ask_at(some, step, y);
    }
    ck_assert(harness_stat(some, "rows.dropped") > 100 && harness_stat(all, "rows.dropped") == 0);
    for (int i = 0; i < PRIORS; i++) {
        const double apart = harness_stat_of(some, "prior.log_marginal_likelihood", i) -
                             harness_stat_of(all, "prior.log_marginal_likelihood", i);
        ck_assert_msg(fabs(apart) < 0.05, "prior %d: %g apart", i, apart);
    }
}

/* ---- snapshots -------------------------------------------------------------------------------------------------- */

struct blob {
    unsigned char bytes[1 << 19];
    size_t n;
};
static struct blob blob;

static void save(const tvgp_policy *p) {
    ASSERT_OK(tvgp_policy_save(p, sizeof blob.bytes, blob.bytes, &blob.n));
}

static void some_steps(tvgp_policy *p, tvgp_policy *twin, int first, int last) {
    for (int step = first; step < last; step++) {
        double x[2], y[2];
        const tvgp_query q = harness_ask_at(p, step, x);
        if (twin) {
            const tvgp_query other = harness_ask_at(twin, step, y);
            ck_assert(memcmp(x, y, sizeof x) == 0 && q.score == other.score && q.id == other.id);
        }
        const double value = drifting(x, 0.1 * step);
        for (int k = 0; k < (twin ? 2 : 1) && step % 5; k++)
            ASSERT_OK(tvgp_policy_tell_value(k ? twin : p, q.id, value));
    }
}

static tvgp_policy *with_functions(const char *name, const char *options, struct slope *s) {
    tvgp_policy *p = policy_on(name, 1);
    ASSERT_OK(tvgp_policy_set(p, options));
    for (size_t i = 0; i < PRIORS; i++)
        add_prior(p, 1, i, 0.02, s);
    return p;
}

/* A copy has the functions; what is loaded has those of the priors that were added before, otherwise it waits for them. */
TEST_EACH(functions_and_snapshots, 2 * FAMILY) {
    const char *name = family[_i % FAMILY], *options = _i < FAMILY ? "sense=max" : "sense=min";
    struct slope s = {.scale = 0.7};
    double x[2], mean;
    tvgp_query q;
    int64_t arm;
    tvgp_policy *p = with_functions(name, options, &s), *loaded = with_functions(name, options, &s), *bare;
    some_steps(p, NULL, 0, 20);
    tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, p);
    save(p);
    ASSERT_OK(tvgp_policy_load(loaded, blob.n, blob.bytes));
    bare = policy_on(name, 1);
    ASSERT_OK(tvgp_policy_load(bare, blob.n, blob.bytes));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_ask_one(bare, 20, &q, x), "function", "add the prior before loading");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_best(bare, 20, &arm, x), "function");
    const tvgp_obs o = {.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = 20};
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_tell(bare, 1, &o, ones), "function");
    (void)tvgp_policy_predict(bare, 20, 1, ones, &mean, NULL); /* the prior may have lost all weight */
    static struct blob again;
    ASSERT_OK(tvgp_policy_save(bare, sizeof again.bytes, again.bytes, &again.n));
    ck_assert(again.n == blob.n && memcmp(again.bytes, blob.bytes, blob.n) == 0);
    some_steps(p, copy, 20, 30);
    some_steps(loaded, NULL, 20, 30);
    save(p);
    ASSERT_OK(tvgp_policy_save(loaded, sizeof again.bytes, again.bytes, &again.n));
    ck_assert(again.n == blob.n && memcmp(again.bytes, blob.bytes, blob.n) == 0);
    ASSERT_OK(tvgp_policy_save_full(p, sizeof blob.bytes, blob.bytes, &blob.n));
    tvgp_policy *alone = MAKE_POLICY(tvgp_policy_restore, ctx, blob.n, blob.bytes, NULL, NULL);
    ck_assert_int_eq(tvgp_policy_ask_one(alone, 30, &q, x), TVGP_ERR_STATE);
}

/* While an outcome is awaited the mean of its prior, a function or a value, is set to another value: it counts as with a twin
 * that was given the new one after the outcome. A function that fails then fails the call, and nothing else. */
TEST_EACH(a_mean_that_moves, FAMILY) {
    const char *name = family[_i % FAMILY];
    struct slope s = {.scale = 0.7};
    const double next = 5;
    tvgp_policy *p[2];
    for (size_t i = 0; i < 2; i++) {
        p[i] = policy_on(name, 1);
        add_prior(p[i], 1, 1, 0.1, &s);
        add_prior(p[i], 1, 2, 0, &s);
    }
    some_steps(p[0], p[1], 0, 8);
    for (size_t which = 0; which < 2; which++) {
        double x[2], y[2];
        const tvgp_query q = harness_ask_at(p[0], 9 + (double)which, x), r = harness_ask_at(p[1], 9 + (double)which, y);
        ck_assert_mem_eq(x, y, sizeof x);
        if (which == 0) {
            s.status = -1007;
            ck_assert_int_eq(tvgp_policy_set_added_prior_mean(p[0], 0, 1, &next), -1007);
            s.status = 0;
        }
        ASSERT_OK(tvgp_policy_set_added_prior_mean(p[0], which, 1, &next));
        ASSERT_OK(tvgp_policy_tell_value(p[0], q.id, 0.4));
        ASSERT_OK(tvgp_policy_tell_value(p[1], r.id, 0.4));
        ASSERT_OK(tvgp_policy_set_added_prior_mean(p[1], which, 1, &next));
        for (int i = 0; i < 2; i++)
            both_say(p[0], p[1], i ? "prior.log_marginal_likelihood.1" : "prior.log_marginal_likelihood.0", 1e-12);
    }
    some_steps(p[0], p[1], 12, 16);
}

/* ---- failures --------------------------------------------------------------------------------------------------- */

static int32_t calls_back(void *user, size_t n, const double *X, double *mean, double *gradient) {
    (void)X;
    memset(mean, 0, n * sizeof *mean);
    if (gradient)
        memset(gradient, 0, 2 * n * sizeof *gradient);
    ck_assert_int_eq(tvgp_policy_set_prior_mean(user, 0, NULL), TVGP_ERR_REENTRANT);
    return 0;
}

/* A function that fails fails the call and leaves no trace: the policy goes on as its twin. */
TEST_EACH(functions_that_fail, FAMILY) {
    const char *name = family[_i];
    struct slope s = {.scale = 0.7}, good = {.scale = 0.7};
    tvgp_policy *p = with_functions(name, "seed=3 width.delta=1e-100", &s);
    tvgp_policy *twin = with_functions(name, "seed=3 width.delta=1e-100", &good);
    tvgp_query q;
    double x[2], mean, var;
    int64_t arm;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    for (int step = 0; step < 12; step++) {
        const tvgp_obs o = {.y = 0.3, .flags = TVGP_OBS_HAS_TIME, .t = step};
        s.status = -1033;
        for (int k = 0; k < 3; k++) {
            const tvgp_status status = tvgp_policy_ask_one(p, step, &q, x);
            ck_assert(status == -1033 || (status == TVGP_OK && !is(name, "pe-gp-ucb")));
            if (status == TVGP_OK) { /* another prior's turn: nothing was to fail */
                double y[2];
                const tvgp_query other = harness_ask_at(twin, step, y);
                ck_assert(other.id == q.id && memcmp(x, y, sizeof x) == 0);
            }
        }
        ck_assert_int_eq(tvgp_policy_tell(p, 1, &o, ones), -1033);
        ck_assert_int_eq(tvgp_policy_add_prior_fn(p, kernel, sloping, &s, NULL, 0), -1033);
        (void)tvgp_policy_predict(p, step, 1, ones, &mean, &var);
        (void)tvgp_policy_best(p, step, &arm, x);
        s.status = 7;
        ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_policy_tell(p, 1, &o, ones), "returned 7");
        s.status = 0;
        s.scale = NAN;
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_tell(p, 1, &o, ones), "prior mean");
        ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_add_prior_fn(p, kernel, sloping, &s, NULL, 0), "prior mean");
        s.scale = 0.7;
        some_steps(p, twin, step, step + 1);
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, ones));
        ASSERT_OK(tvgp_policy_tell(twin, 1, &o, ones));
    }
    ASSERT_OK(tvgp_policy_add_prior_fn(p, kernel, calls_back, p, NULL, 0));
    (void)harness_ask_at(p, 20, x);
}

TEST(what_is_refused) {
    struct slope s = {.scale = 1};
    const double mean[POINTS] = {0};
    tvgp_policy *p = policy_on("pe-gp-ucb", 1), *arms = policy_on("pe-gp-ucb", 0);
    tvgp_query q;
    double x[2];
    const double one = 1;
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    tvgp_kernel *line = harness_se(1, 1, &one);
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_add_prior(p, kernel, POINTS, mean, 0), "must be 1 on a box");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_add_prior(p, kernel, 2, mean, 0), "n = 2");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_policy_add_prior_fn(p, line, sloping, &s, NULL, 0), "dimension 1");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior_fn(p, kernel, sloping, &s, NULL, 1), "epsilon");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior_fn(p, NULL, sloping, &s, NULL, 0), "kernel");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_prior_fn(arms, kernel, sloping, &s, NULL, 0), "box");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_prior_fn(arms, kernel, NULL, NULL, NULL, 0), "box");
    ASSERT_OK(tvgp_policy_add_prior_fn(p, kernel, NULL, NULL, NULL, 0)); /* the policy's own mean */
    (void)harness_ask_at(p, 0, x);
    tvgp_domain *box = harness_box(2, zeros, ones);
    tvgp_policy *single = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", box, kernel);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_prior_fn(single, kernel, sloping, &s, NULL, 0), "takes no priors");
    tvgp_policy *bank = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", box, kernel);
    ASSERT_OK(tvgp_policy_add_prior_fn(bank, kernel, sloping, &s, NULL, 0));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(bank, 0, &q, x), "one kernel on a box");
    ck_assert_int_eq(tvgp_policy_add_prior_fn(NULL, kernel, sloping, &s, NULL, 0), TVGP_ERR_ARG);
}

/* Before the first ask: moments of the priors in equal shares, and the best of their means. */
TEST_EACH(before_the_first_ask, FAMILY) {
    struct slope s = {.scale = 0.5};
    struct rnd r = {3};
    struct reference ref;
    tvgp_policy *p = policy_on(family[_i], 1);
    double x[2];
    int64_t arm;
    ref_open(&ref);
    for (size_t i = 0; i < PRIORS; i++)
        add_prior(p, 1, i, epsilons[i], &s);
    for (size_t i = 0; i < PRIORS; i++)
        ref.weight[i] = 1.0 / PRIORS;
    double X[2 * SOME], mean[SOME], var[SOME], dmean[2 * SOME], dvar[2 * SOME], m, v, score[PRIORS];
    rnd_fill(&r, 2 * SOME, X);
    ASSERT_OK(harness_gradients(p, 0, SOME, X, mean, var, dmean, dvar));
    for (size_t k = 0; k < SOME; k++) {
        ref_at(&ref, X + 2 * k, 0, &m, &v, score);
        ASSERT_NEAR(mean[k], m, 1e-12);
        ASSERT_NEAR(var[k], v, 1e-12);
        for (size_t d = 0; d < 2; d++) {
            double at[2] = {X[2 * k], X[2 * k + 1]}, mm[2], vv[2];
            for (int side = 0; side < 2; side++) {
                at[d] = X[2 * k + d] + (side ? 1e-5 : -1e-5);
                ref_at(&ref, at, 0, &mm[side], &vv[side], score);
            }
            ASSERT_NEAR(dmean[2 * k + d], (mm[1] - mm[0]) / 2e-5, 1e-6);
            ASSERT_NEAR(dvar[2 * k + d], (vv[1] - vv[0]) / 2e-5, 1e-6);
        }
    }
    ASSERT_OK(tvgp_policy_best(p, 0, &arm, x));
    ck_assert(x[0] == 1 && x[1] == 1);
    ref_close(&ref);
}

/* A search with several priors at once finds at least the best of many points: each prior keeps its own part of what makes scores
 * cheaper. */
TEST(search_of_a_sum) {
    enum { TRIED = 400, STEPS = 60 };
    static const double lengths[] = {0.08, 0.15, 0.4};
    struct rnd r = {17};
    tvgp_policy *p = policy_on("fb-gp-ucb", 1);
    double X[2 * TRIED], score[TRIED], x[2], own;
    for (size_t i = 0; i < PRIORS; i++) {
        ASSERT_OK(tvgp_policy_add_prior(p, harness_se(2, 1, &lengths[i]), 0, NULL, 0));
    }
    ASSERT_OK(tvgp_policy_set(p, "search.effort=1"));
    for (int t = 0; t < STEPS; t++) {
        const tvgp_query q = harness_ask_at(p, t, x);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(20 * x[0]) * cos(14 * x[1]) + 0.1 * rnd_normal(&r)));
        if (t < 20)
            continue;
        tvgp_policy *twin = MAKE_POLICY(tvgp_policy_clone, p);
        const tvgp_query next = harness_ask_at(twin, t + 1, x);
        tvgp_policy_destroy(twin);
        rnd_fill(&r, 2 * TRIED, X);
        twin = MAKE_POLICY(tvgp_policy_clone, p);
        ASSERT_OK(harness_scores(twin, t + 1, TRIED, X, score, NULL, NULL));
        ASSERT_OK(harness_scores(twin, t + 1, 1, x, &own, NULL, NULL));
        ASSERT_NEAR(own, next.score, 1e-9);
        for (size_t i = 0; i < TRIED; i++)
            ck_assert_msg(score[i] <= own + 1e-6, "step %d: %.9g at (%g, %g), asked %.9g at (%g, %g)", t, score[i], X[2 * i],
                          X[2 * i + 1], own, x[0], x[1]);
    }
}

HARNESS_MAIN("several priors on a box")

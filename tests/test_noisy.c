/* SPDX-License-Identifier: MIT */
/* Outcomes that are mostly noise, arms that are names, fit = noise: what is found, what is adopted, what is refused. */
#include "harness.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tvgp_policy *on_line(const char *name, const tvgp_kernel *kernel) {
    const double lower = 0, upper = 1;
    const size_t arms = 21;
    return MAKE_POLICY(tvgp_policy_create, ctx, name, harness_grid(1, &lower, &upper, &arms), kernel);
}

static tvgp_policy *on_names(const char *name, size_t arms) {
    return MAKE_POLICY(tvgp_policy_create, ctx, name, harness_indices(arms), NULL);
}

static tvgp_kernel *se(double l) {
    return harness_se(1, 1, &l);
}

/* Of variance about 1, drifting slowly. */
static double value(int64_t arm, double t) {
    const double x = (double)arm / 20;
    return sin(6 * x + 0.002 * t) + cos(11 * x - 0.001 * t);
}

/* Values that no caller asked for, of arms at random at times from .. to. */
static void show(tvgp_policy *p, struct rnd *r, int from, int to, double noise) {
    for (int t = from; t <= to; t++) {
        const int64_t arm = (int64_t)rnd_below(r, 21);
        const double x = (double)arm / 20;
        const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = value(arm, t) + sqrt(noise) * rnd_normal(r)};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    }
}

static void fit(tvgp_policy *p) {
    size_t evals;
    while (tvgp_policy_fit(p, 1000, &evals) == TVGP_AGAIN)
        ;
}

/* ---- what is found ------------------------------------------------------------------------------------------------ */

/* A sample of a Gaussian process that forgets at .001: 2000 outcomes at arms drawn at random. The noise over the signal is found
 * within a factor 3, 1 or 10 as it is. */
TEST_EACH(noise_is_found, 8) {
    const double noise = _i % 2 ? 10 : 1, l = 0.2;
    double L[21][21], f[21] = {0};
    struct rnd r = {600 + (uint64_t)(_i / 2)};
    for (int i = 0; i < 21; i++)
        for (int j = 0; j <= i; j++) {
            L[i][j] = exp(-0.5 * pow((i - j) / 20.0 / l, 2)) + (i == j ? 1e-9 : 0);
            for (int k = 0; k < j; k++)
                L[i][j] -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(L[i][j]) : L[i][j] / L[j][j];
        }
    tvgp_policy *p = on_line("tv-gp-ucb", NULL);
    for (int t = 1; t <= 2000; t++) {
        double z[21];
        const double kept = t > 1 ? sqrt(1 - 0.001) : 0;
        for (int i = 0; i < 21; i++)
            z[i] = rnd_normal(&r);
        for (int i = 0; i < 21; i++) {
            double fresh = 0;
            for (int j = 0; j <= i; j++)
                fresh += L[i][j] * z[j];
            f[i] = kept * f[i] + sqrt(1 - kept * kept) * fresh;
        }
        const size_t arm = rnd_below(&r, 21);
        const double x = (double)arm / 20;
        const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = f[arm] + sqrt(noise) * rnd_normal(&r)};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
        if (t % 100 == 0)
            fit(p);
    }
    const double found = harness_stat(p, "fit.noise_var") / harness_stat(p, "fit.variance");
    ck_assert_msg(found > noise / 3 && found < 3 * noise, "noise over signal %g, true %g", found, noise);
    ck_assert_double_gt(harness_stat(p, "fit.observations"), 400);
    ck_assert_double_le(harness_stat(p, "fit.groups"), 200);
    ck_assert_double_gt(harness_stat(p, "fit.group_width"), 1);
}

/* ---- units -------------------------------------------------------------------------------------------------------- */

/* y -> 1000 y - 7: the same arms, little noise, much noise, clicks; t x 60: the same cells, 60 times as wide. */
TEST_EACH(any_unit, 3) {
    static const double noise[] = {0.01, 10, 0};
    struct rnd r = {50};
    tvgp_policy *p = on_line("auto-gp-ucb", NULL), *other = on_line("auto-gp-ucb", NULL);
    /* two fits that are apart by round-off may find ranks that are one apart */
    ASSERT_OK(tvgp_policy_set(p, "rank.tolerance=0"));
    ASSERT_OK(tvgp_policy_set(other, "rank.tolerance=0"));
    for (int t = 1; t <= 2000; t++) {
        const tvgp_query q = harness_ask(p, t), o = harness_ask(other, t);
        const double y = noise[_i] > 0 ? value(q.arm, t) + sqrt(noise[_i]) * rnd_normal(&r)
                                       : rnd_uniform(&r) < 0.1 + 0.04 * value(q.arm, t);
        ck_assert_msg(q.arm == o.arm, "t %d: arm %d, was %d", t, (int)o.arm, (int)q.arm);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        ASSERT_OK(tvgp_policy_tell_value(other, o.id, 1000 * y - 7));
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 1);
    ck_assert_double_eq(harness_stat(p, "fit.observations"), harness_stat(other, "fit.observations"));
}

TEST(any_clock) {
    struct rnd r = {51};
    tvgp_policy *p = on_line("tv-gp-ucb", NULL), *other = on_line("tv-gp-ucb", NULL);
    for (int t = 1; t <= 1500; t++) {
        const double x = (double)rnd_below(&r, 21) / 20, y = value((int64_t)(20 * x + 0.5), t) + 4 * rnd_normal(&r);
        const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = y},
                       later = {.flags = TVGP_OBS_HAS_TIME, .t = 60.0 * t, .y = y};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
        ASSERT_OK(tvgp_policy_tell(other, 1, &later, &x));
        if (t % 250 == 0) {
            fit(p);
            fit(other);
        }
    }
    ck_assert_double_gt(harness_stat(p, "fit.group_width"), 2);
    ASSERT_NEAR(harness_stat(other, "fit.group_width") / harness_stat(p, "fit.group_width"), 60, 1e-12);
    ck_assert_double_eq(harness_stat(other, "fit.groups"), harness_stat(p, "fit.groups"));
    ck_assert_double_eq(harness_stat(other, "fit.observations"), harness_stat(p, "fit.observations"));
    ASSERT_NEAR(harness_stat(other, "fit.noise_var") / harness_stat(p, "fit.noise_var"), 1, 1e-6);
}

/* Where noise grows with age an outcome of a cell is worth less than a newer one: an optimisation has the newest outcomes
 * singly, however noisy. The same outcomes are put together by a drift model that says how the function changes. */
TEST_EACH(aging_answers_stay_single, 8) {
    static const struct {
        const char *name, *options;
    } ways[] = {{"ui-gp-ucb", "noise_growth=linear"},
                {"ui-gp-ucb", "noise_growth=power"},
                {"ui-gp-ucb", "noise_growth=exponential"},
                {"w-gp-ucb", "fit.epsilon=0"},
                {"w-gp-ucb", ""},
                {"sparq-gp-ucb", ""},
                {"w-sparq-gp-ucb", "alpha=0.5"},
                {"ui-gp-ucb", "noise_growth=wiener-kernel noise_growth.rate=1e-6 fit.epsilon=0"}};
    const int aging = !strstr(ways[_i].options, "wiener");
    struct rnd r = {72};
    tvgp_policy *p = on_line(ways[_i].name, NULL);
    ASSERT_OK(tvgp_policy_set(p, ways[_i].options));
    for (int from = 1; from < 600; from += 100) {
        show(p, &r, from, from + 99, 25);
        fit(p);
    }
    ck_assert_int_eq(harness_stat(p, "fit.group_width") == 0, aging);
    ck_assert_int_eq(harness_stat(p, "fit.observations") == harness_stat(p, "fit.groups"), aging);
    ck_assert_double_le(harness_stat(p, "fit.groups"), 200);
}

/* ---- adoption ----------------------------------------------------------------------------------------------------- */

/* A posterior as the one in use, shown all outcomes that are kept one by one. */
static tvgp__posterior *shown_singly(const tvgp__learner *l) {
    tvgp__posterior *inner = NULL;
    ASSERT_OK(l->spec.make(l->spec.arg, l->in_use.posterior->kernel, l->in_use.rate, l->in_use.point.noise, NULL, &inner));
    for (size_t i = 0; i < l->log.n; i++) {
        const tvgp__observation *a = &l->log.list[i];
        const tvgp__points points = {.n = 1, .arm = &a->arm};
        ASSERT_OK(inner->ops->prepare(inner, &points));
        if (a->t > inner->now)
            inner->ops->advance(inner, a->t);
        tvgp__posterior_observe(inner, &points, 0, a->t, a->y - l->in_use.point.mean, l->in_use.point.noise, 0);
    }
    return inner;
}

/* The posterior after an adoption that showed cells: as after all outcomes singly, to a fifth of an sd (root mean
 * square over the arms) and a tenth of a variance; in a static world to round-off. A bank weighs
 * drift models by more than the outcomes' moments: it is seen that it is shown cells. */
TEST_EACH(adoption_by_cells, 3) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "auto-gp-ucb"};
    struct rnd r = {70};
    tvgp_policy *p = on_line(names[_i], NULL);
    show(p, &r, 1, 30, 10);
    fit(p);
    tvgp__learner *l = tvgp__ucb_learner(p);
    ck_assert_int_eq(l->spec.put_together, _i == 2);
    l->spec.put_together = _i > 0; /* of posteriors that are cheap all outcomes are shown, or one mean for each arm */
    for (int t = 31; t < 1900; t += 267) {
        show(p, &r, t, t + 266, 10);
        l->in_use.point.mean += 100; /* so that the next fit is adopted */
        fit(p);
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 3);
    if (_i == 0)
        ck_assert_uint_eq(l->in_use.posterior->counts.observations, (size_t)l->answers);
    else
        ck_assert_uint_lt(l->in_use.posterior->counts.observations, 210); /* cells */
    ck_assert_double_gt(harness_stat(p, "fit.observations"), 600);
    tvgp__posterior *all = shown_singly(l), *inner = l->in_use.posterior;
    tvgp__posterior_refine(all, 21, NULL);
    tvgp__posterior_refine(inner, 21, NULL);
    double squares = 0;
    for (size_t i = 0; i < 21 && _i < 2; i++) {
        squares += pow(inner->own.mean[i] - all->own.mean[i], 2) / all->own.var[i] / 21;
        ck_assert_msg(fabs(inner->own.var[i] / all->own.var[i] - 1) <= (_i ? 0.1 : 1e-9), "%s, arm %zu: variance %g, all %g",
                      names[_i], i, inner->own.var[i], all->own.var[i]);
    }
    ck_assert_msg(sqrt(squares) <= (_i ? 0.2 : 1e-9), "%s: means are %g sd apart", names[_i], sqrt(squares));
    tvgp__posterior_free(all);
}

/* ---- fit = noise -------------------------------------------------------------------------------------------------- */

static const char *const learners[] = {"gp-ucb",    "igp-ucb",   "tv-gp-ucb", "r-gp-ucb",
                                       "br-gp-ucb", "sw-gp-ucb", "et-gp-ucb", "auto-gp-ucb"};
enum { LEARNERS = sizeof learners / sizeof *learners };

/* The shape of the kernel stays to the last bit, a sum's too; a noise told .01 that is 10 is found. */
TEST_EACH(only_the_noise, LEARNERS) {
    struct rnd r = {80};
    tvgp_kernel *a = se(0.31), *b = se(0.07);
    tvgp_param_info before, after;
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_sum, ctx, a, b);
    tvgp_policy *p = on_line(learners[_i], kernel);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "noise"));
    for (int t = 1; t <= 500; t++) {
        const tvgp_query q = harness_ask(p, t);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, value(q.arm, t) + sqrt(10) * rnd_normal(&r)));
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 0);
    ck_assert_double_eq(harness_stat(p, "fit.lengthscale.0"), 0.31);
    ck_assert_double_eq(harness_stat(p, "fit.lengthscale.1"), 0.07);
    const double noise = harness_stat(p, "fit.noise_var");
    ck_assert_msg(noise > 3 && noise < 30, "%s: noise %g", learners[_i], noise);
    size_t n = 0, of_sum = 0;
    tvgp_kernel *in_use = MAKE_KERNEL(tvgp_policy_kernel, p);
    ASSERT_OK(tvgp_kernel_param_count(in_use, &n));
    ASSERT_OK(tvgp_kernel_param_count(kernel, &of_sum));
    ck_assert_uint_eq(n, of_sum + 1); /* and the factor of the whole */
    for (size_t i = 0; i < of_sum; i++) {
        ASSERT_OK(tvgp_kernel_param_info(kernel, i, &before));
        ASSERT_OK(tvgp_kernel_param_info(in_use, i, &after));
        ck_assert_double_eq(after.value, before.value);
    }
}

TEST(errors) {
    tvgp_kernel *kernel = se(0.2);
    tvgp_query q;
    tvgp_policy *p = on_line("auto-gp-ucb", kernel);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "noise"));
    harness_option(p, "fit.noise", 0);
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(p, 1, &q, NULL), "fit = noise", "fit.noise = 0");
    harness_option(p, "fit.noise", 1);
    (void)harness_ask(p, 1);
    p = on_names("auto-gp-ucb", 3);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "noise"));
    ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(p, 1, &q, NULL), "fit = noise", "without a kernel");
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

/* Every policy either plays names without a kernel or says that it learns none. */
TEST_EACH(names, harness_policies()) {
    static const size_t sizes[] = {1, 2, 200};
    struct rnd r = {90};
    const char *name = harness_policy_at(_i);
    for (size_t k = 0; k < 3; k++) {
        tvgp_policy *p = NULL;
        tvgp_kernel *kernel = NULL;
        tvgp_domain *domain = harness_indices(sizes[k]);
        const tvgp_status status = tvgp_policy_create(ctx, name, domain, NULL, &p);
        tvgp_domain_destroy(domain);
        if (status == TVGP_OK && strcmp(name, "auto-gp-ucb") == 0)
            ASSERT_OK(tvgp_policy_set_str(p, "fit", "map")); /* its default has independent arms */
        if (status < 0) {
            ck_assert_int_eq(status, TVGP_ERR_ARG);
            ck_assert_msg(strstr(tvgp_ctx_errmsg(ctx), "learns none") != NULL, "%s: %s", name, tvgp_ctx_errmsg(ctx));
            for (int i = 0; i < LEARNERS; i++)
                ck_assert_str_ne(name, learners[i]);
            continue;
        }
        for (int t = 1; t <= 60; t++) {
            tvgp_query q[8];
            size_t n;
            ASSERT_OK(tvgp_policy_ask(p, t, 8, q, NULL, &n));
            for (size_t i = 0; i < n; i++)
                ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, (double)(q[i].arm % 3) + rnd_normal(&r)));
        }
        if (harness_has(p, "fit")) {
            kernel = MAKE_KERNEL(tvgp_policy_kernel, p);
            tvgp_param_info info;
            ASSERT_OK(tvgp_kernel_param_info(kernel, 1, &info));
            ck_assert_str_eq(info.name, "correlation");
            ck_assert(info.value > 0 && info.value <= 0.9 * (1 + 1e-12));
        }
        tvgp_policy_destroy(p);
    }
}

/* Two names, one of which is better: found, although a single outcome says next to nothing. */
TEST(one_in_ten_clicks_more) {
    struct rnd r = {91};
    int better = 0;
    tvgp_policy *p = on_names("auto-gp-ucb", 2);
    for (int t = 1; t <= 3000; t++) {
        const tvgp_query q = harness_ask(p, t);
        better += t > 1500 && q.arm == 1;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, rnd_uniform(&r) < (q.arm ? 0.3 : 0.2)));
    }
    ck_assert_int_gt(better, 1000); /* of 1500; 750 by chance */
}

/* Names of which nothing was seen but what they share stay names: no fit says that they are one, each is asked again, and the one
 * that becomes better is found. */
TEST(names_stay_apart) {
    struct rnd r = {92};
    int better = 0;
    tvgp_param_info info;
    tvgp_policy *p = on_names("auto-gp-ucb", 6);
    ASSERT_OK(tvgp_policy_set_str(p, "fit", "map"));
    for (int t = 1; t <= 300; t++) {
        const double x = t % 6;
        const tvgp_obs obs = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = sin(0.05 * t) + 0.3 * rnd_normal(&r)};
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    }
    fit(p);
    ASSERT_OK(tvgp_kernel_param_info(MAKE_KERNEL(tvgp_policy_kernel, p), 1, &info));
    ck_assert_msg(info.value > 0.3 && info.value < 0.9 * (1 + 1e-12), "correlation %g", info.value);
    for (int t = 301; t <= 1300; t++) {
        const tvgp_query q = harness_ask(p, t);
        better += t > 800 && q.arm == 5;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(0.05 * t) + 0.5 * (q.arm == 5) + 0.3 * rnd_normal(&r)));
    }
    ck_assert_int_gt(better, 250); /* of 500 */
}

/* Nothing but zeros for long, then a single one. */
TEST_EACH(rare_clicks, LEARNERS) {
    tvgp_policy *p = on_names(learners[_i], 6);
    for (int t = 1; t <= 540; t++) {
        const tvgp_query q = harness_ask(p, t);
        const double x = (double)q.arm;
        double mean, var;
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, t == 501));
        ASSERT_OK(tvgp_policy_predict(p, t, 1, &x, &mean, &var));
        ck_assert(isfinite(mean) && isfinite(var) && var >= 0);
    }
    ck_assert_double_eq(harness_stat(p, "fit.failed"), 0);
    ck_assert(isfinite(harness_stat(p, "fit.noise_var")) && isfinite(harness_stat(p, "fit.variance")));
}

/* ---- state -------------------------------------------------------------------------------------------------------- */

/* Small windows, so that cells come soon. */
static tvgp_policy *small(void) {
    tvgp_policy *p = on_line("auto-gp-ucb", NULL);
    harness_option(p, "fit.window", 64);
    harness_option(p, "fit.stored_observations", 400);
    harness_option(p, "fit.max_evals", 2);
    return p;
}

static double noisy(struct rnd *r, int64_t arm, int t) {
    return value(arm, t) + 3 * rnd_normal(r);
}

/* Saved in the middle of a fit over cells, and of an adoption that shows them: goes on bit for bit. */
TEST(snapshots) {
    struct rnd r = {95};
    int in_fit = 0, in_adoption = 0;
    tvgp_policy *p = small(), *other = small();
    for (int t = 1; t <= 400; t++) {
        const tvgp_query q = harness_ask(p, t);
        const tvgp__learner *l = tvgp__ucb_learner(p);
        const int fits = l->hyper->running && l->fit_cell > 0,
                  shows = l->adoption == TVGP__LEARNER_SHOWING && l->cells.n > 0;
        if ((fits && in_fit < 4) || (shows && in_adoption < 4)) {
            size_t n;
            in_fit += fits;
            in_adoption += shows;
            ASSERT_OK(tvgp_policy_save(p, 0, NULL, &n));
            void *bytes = malloc(n);
            ck_assert_ptr_nonnull(bytes);
            ASSERT_OK(tvgp_policy_save(p, n, bytes, &n));
            ASSERT_OK(tvgp_policy_load(other, n, bytes));
            free(bytes);
            tvgp_policy *exchanged = p; /* the loaded one goes on, next to a clone of the other */
            p = other;
            other = exchanged;
        } else if (in_fit + in_adoption > 0) {
            const tvgp_query o = harness_ask(other, t);
            ck_assert_msg(o.arm == q.arm && o.score == q.score, "t %d: arm %d %.17g, saved %d %.17g", t, (int)q.arm, q.score,
                          (int)o.arm, o.score);
        }
        const double y = noisy(&r, q.arm, t);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        if (in_fit + in_adoption > 0)
            ASSERT_OK(tvgp_policy_tell_value(other, q.id, y));
    }
    ck_assert_int_ge(in_fit, 2);
    ck_assert_int_ge(in_adoption, 2);
}

/* Allocation k fails in some ask or tell, for every k: the call fails and nothing else, in fits over cells and in adoptions too. */
TEST(lack_of_memory) {
    int cells = 0;
    for (size_t fail = 1; fail == 1 || memory.failed; fail++) {
        struct rnd r = {97};
        tvgp_policy *p = small(), *twin = small();
        memory.failed = 0;
        for (int t = 1; t <= 200; t++) {
            tvgp_query q, o = harness_ask(twin, t);
            memory.fail_in = memory.withheld = fail; /* of each step */
            SURVIVE(tvgp_policy_ask_one(p, t, &q, NULL));
            ck_assert_msg(q.arm == o.arm && q.score == o.score, "allocation %zu, t %d: %d %.17g, twin %d %.17g", fail, t,
                          (int)q.arm, q.score, (int)o.arm, o.score);
            const double y = noisy(&r, q.arm, t);
            SURVIVE(tvgp_policy_tell_value(p, q.id, y));
            memory.fail_in = 0;
            ASSERT_OK(tvgp_policy_tell_value(twin, o.id, y));
            cells += tvgp__ucb_learner(p)->adoption == TVGP__LEARNER_SHOWING && tvgp__ucb_learner(p)->cells.n > 0;
        }
        tvgp_policy_destroy(p);
        tvgp_policy_destroy(twin);
        ck_assert_uint_lt(fail, 2000);
    }
    ck_assert_int_gt(cells, 0);
}

/* ---- what the logger hears ---------------------------------------------------------------------------------------- */

static int heard;

static void listen(void *user, const char *message) {
    (void)user;
    heard += strstr(message, "set noise, or fit=noise") != NULL;
}

/* Once, where a noise that no caller set is contradicted by the outcomes. */
TEST(contradicted_noise) {
    struct rnd r = {98};
    tvgp_kernel *kernel = se(0.2);
    ASSERT_OK(tvgp_ctx_set_logger(ctx, listen, NULL, NULL));
    for (int way = 0; way < 5; way++) { /* not set; set; learned; small; told with the outcomes */
        tvgp_policy *p = on_line(way == 3 ? "tv-gp-ucb" : "auto-gp-ucb", kernel);
        if (way == 1)
            harness_option(p, "noise", 0.01);
        if (way == 2)
            ASSERT_OK(tvgp_policy_set_str(p, "fit", "noise"));
        heard = 0;
        for (int t = 1; t <= 200; t++) {
            const tvgp_query q = harness_ask(p, t);
            const tvgp_obs obs = {.id = q.id,
                                  .flags = way == 4 ? TVGP_OBS_HAS_NOISE : 0,
                                  .noise_var = way == 4 ? 0.02 : 0,
                                  .y = 0.5 * value(q.arm, 1) + (way == 3 ? 0.1 : 5) * rnd_normal(&r)};
            ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
            if (t == 63)
                ck_assert_int_eq(heard, 0);
        }
        ck_assert_msg(heard == (way == 0), "way %d: %d lines", way, heard);
    }
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
}

HARNESS_MAIN("noisy")

/* SPDX-License-Identifier: MIT */
/* Mixtures of filters with and without a season against dense posteriors over arms and times, each weighed by its marginal
 * likelihood; what a state is when a filter of the other kind takes it; and auto-gp-ucb with season.period. */
#include "cases.h"
#include "model/kalman_mixture.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 10, LAWS = 4, PLAIN = 2, STEPS = 2000 };
#define FLAT 1e150 /* a lengthscale over which nothing changes */
static const double NOISE = 0.05, CONSTANT = 0.3, PERIOD = 24;

static const tvgp__drift drifts[LAWS] = {{TVGP__DRIFT_FORGETTING, 0.03, 0},
                                         {TVGP__DRIFT_MATERN32, 0.1, 0},
                                         {TVGP__DRIFT_FORGETTING, 0, 0},
                                         {TVGP__DRIFT_FORGETTING, 0.002, 0}};
static const struct ref_kernel space = {.kind = REF_SE, .dim = 2, .variance = 1.5, .l = {0.3, FLAT}};
static const struct ref_kernel day = {.kind = REF_PERIODIC, .dim = 2, .variance = 1, .l = {FLAT, 1}, .period = {1, 24}};
static const struct ref_kernel by_day = {.kind = REF_PRODUCT, .dim = 2, .a = &space, .b = &day};
static const struct ref_kernel offset = {.kind = REF_SE, .dim = 2, .variance = 0.45, .l = {FLAT, FLAT}};

static double X[ARMS];

static tvgp__kalman_mixture *open_bank(size_t n_drifts, const tvgp__drift *law, size_t seasonal, double constant,
                                       double hazard) {
    const double l = 0.3, *no_mean = NULL;
    tvgp__posterior *post;
    for (size_t i = 0; i < ARMS; i++)
        X[i] = (double)i / (ARMS - 1);
    const tvgp_kernel *kernels[] = {MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 1.5, 1, &l)};
    const tvgp__kalman_mixture_spec spec = {.n_drifts = n_drifts,
                                            .n_priors = 1,
                                            .drifts = law,
                                            .seasonal = seasonal,
                                            .season = {1, 1, {PERIOD}},
                                            .kernels = kernels,
                                            .means = &no_mean,
                                            .constant = constant,
                                            .hazard = hazard};
    ASSERT_OK(tvgp__kalman_mixture_new(ctx, &spec, NOISE, ARMS, X, &post));
    return (tvgp__kalman_mixture *)post;
}

static void observe(tvgp__kalman_mixture *b, size_t arm, double t, double y) {
    const tvgp__points points = {.n = 1, .arm = &arm};
    ASSERT_OK(b->base.ops->prepare(&b->base, &points));
    tvgp__posterior_observe(&b->base, &points, 0, t, y, NOISE, 0);
}

/* ---- against the dense posteriors ------------------------------------------------------------------------------- */

static void assert_mixture(tvgp__kalman_mixture *b, struct ref_gp *ref, double t) {
    double evidence[LAWS], most = -INFINITY, sum = 0, mean[LAWS][ARMS], var[LAWS][ARMS], got[ARMS], got_var[ARMS];
    double point[2 * ARMS], x = 0.37, between[2] = {0.37, t}, m = 0, square = 0, ms, vs;
    for (size_t i = 0; i < ARMS; i++) {
        point[2 * i] = X[i];
        point[2 * i + 1] = t;
    }
    for (size_t j = 0; j < LAWS; j++) {
        ref_gp_predict(&ref[j], ARMS, point, t, mean[j], var[j]);
        most = fmax(most, evidence[j] = ref_gp_log_evidence(&ref[j]));
    }
    for (size_t j = 0; j < LAWS; j++)
        sum += evidence[j] = exp(evidence[j] - most);
    for (size_t j = 0; j < LAWS; j++) {
        ASSERT_NEAR(b->weight[j], evidence[j] / sum, 1e-9);
        for (size_t i = 0; t == b->base.now && i < ARMS; i++) {
            ASSERT_NEAR(b->set.filter[j].mean[i], mean[j][i], 1e-9);
            ASSERT_NEAR(b->set.filter[j].var[i], var[j][i], 1e-9);
        }
    }
    ASSERT_NEAR(b->base.log_marginal_likelihood, most + log(sum / LAWS), 1e-9);
    b->base.ops->at(&b->base, t, ARMS, NULL, got, got_var);
    for (size_t i = 0; i < ARMS; i++) {
        double first = 0, second = 0;
        for (size_t j = 0; j < LAWS; j++) {
            first += evidence[j] / sum * mean[j][i];
            second += evidence[j] / sum * (var[j][i] + mean[j][i] * mean[j][i]);
        }
        ASSERT_NEAR(got[i], first, 1e-9);
        ASSERT_NEAR(got_var[i], second - first * first, 1e-9);
    }
    for (size_t j = 0; j < LAWS; j++) {
        ref_gp_predict(&ref[j], 1, between, t, &ms, &vs);
        m += evidence[j] / sum * ms;
        square += evidence[j] / sum * (vs + ms * ms);
    }
    ASSERT_OK(tvgp__posterior_predict(&b->base, t, 1, &x, &ms, &vs));
    ASSERT_NEAR(ms, m, 1e-8); /* features are those of the arms */
    ASSERT_NEAR(vs, square - m * m, 1e-8);
}

TEST(banks_are_mixtures_of_dense_posteriors) {
    struct rnd r = {5};
    struct ref_gp ref[LAWS];
    double t = 3.25;
    tvgp__kalman_mixture *b = open_bank(LAWS, drifts, LAWS - PLAIN, 0, 0);
    for (size_t j = 0; j < LAWS; j++) {
        ref_gp_init(&ref[j], j < PLAIN ? &space : &by_day, drifts[j].kind == TVGP__DRIFT_FORGETTING ? drifts[j].rate : 0,
                    STEPS);
        ref[j].lambda = drifts[j].kind == TVGP__DRIFT_MATERN32 ? drifts[j].rate : 0;
    }
    for (int step = 0; step < STEPS; step++) {
        const size_t arm = rnd_below(&r, ARMS);
        t += step % 7 ? 3 * rnd_uniform(&r) * rnd_uniform(&r) : 0; /* some at one time, some far apart */
        const double point[] = {X[arm], t}, y = sin(t / 4 + 3 * X[arm]) * exp(-t / 3000) + 0.2 * rnd_normal(&r);
        if (step % 3)
            b->base.ops->advance(&b->base, t);
        observe(b, arm, t, y);
        for (size_t j = 0; j < LAWS; j++)
            ref_gp_add(&ref[j], point, t, y, NOISE);
        if (step % (STEPS / 8) == 0 || step < 3)
            assert_mixture(b, ref, step % 2 ? t : t + 5 * rnd_uniform(&r));
    }
    b->base.ops->advance(&b->base, t + 1);
    assert_mixture(b, ref, t + 1);
    for (size_t j = 0; j < LAWS; j++)
        ref_gp_free(&ref[j]);
    tvgp__posterior_free(&b->base);
}

/* Under a static model also past ones, and an unknown constant next to it. */
TEST(late_answers_and_the_constant) {
    static const struct ref_kernel with_offset = {.kind = REF_SUM, .dim = 2, .a = &by_day, .b = &offset};
    const tvgp__drift still = {TVGP__DRIFT_FORGETTING, 0, 0};
    struct rnd r = {8};
    struct ref_gp ref;
    double t = 0, mean[ARMS], var[ARMS], column[ARMS], point[2 * ARMS], want, want_var;
    tvgp__kalman_mixture *b = open_bank(1, &still, 1, CONSTANT, 0);
    ref_gp_init(&ref, &with_offset, 0, 400);
    for (int step = 0; step < 300; step++) {
        const size_t arm = rnd_below(&r, ARMS);
        t += rnd_uniform(&r);
        const double when = step % 5 == 4 ? t - 20 * rnd_uniform(&r) : t, y = 2 + sin(when / 4) + 0.2 * rnd_normal(&r);
        b->base.ops->advance(&b->base, t);
        observe(b, arm, when, y);
        ref_gp_add(&ref, (double[]){X[arm], when}, when, y, NOISE);
    }
    ck_assert_uint_eq(b->base.counts.widened, 0);
    for (int later = 0; later < 2; later++) {
        for (size_t i = 0; i < ARMS; i++) {
            point[2 * i] = X[i];
            point[2 * i + 1] = t + 7.7 * later;
        }
        b->base.ops->at(&b->base, t + 7.7 * later, ARMS, NULL, mean, var);
        for (size_t i = 0; i < ARMS; i++) {
            ref_gp_predict(&ref, 1, point + 2 * i, 0, &want, &want_var);
            ASSERT_NEAR(mean[i], want, 1e-9);
            ASSERT_NEAR(var[i], want_var, 1e-9);
        }
        b->base.ops->column(&b->base, 4, column);
        for (size_t i = 0; !later && i < ARMS; i++)
            ASSERT_NEAR(column[i], ref_gp_covariance(&ref, point + 8, point + 2 * i, 0), 1e-9);
    }
    ASSERT_NEAR(b->base.log_marginal_likelihood, ref_gp_log_evidence(&ref), 1e-9);
    ref_gp_free(&ref);
    tvgp__posterior_free(&b->base);
}

/* ---- states of the other kind ----------------------------------------------------------------------------------- */

static double day_correlation(double elapsed) {
    const double s = sin(3.14159265358979323846 * elapsed / PERIOD);
    return exp(-2 * s * s);
}

/* What is known of f at the time of the copy, and nothing else: later it is that times the correlation of a day. */
TEST(a_season_takes_what_is_known_now) {
    static const size_t arms[] = {1, 4, 4, 8};
    double before[ARMS], before_var[ARMS], mean[ARMS], var[ARMS], t = 50;
    tvgp__kalman_mixture *b = open_bank(LAWS, drifts, LAWS - PLAIN, CONSTANT, 0);
    tvgp__kalman_filters *set = &b->set;
    b->base.ops->advance(&b->base, t - 3);
    for (size_t i = 0; i < 40; i++)
        observe(b, arms[i % 4], t - 3 + 0.075 * (double)i, 1 + sin((double)i));
    b->base.ops->advance(&b->base, t);
    for (size_t from = 0; from < PLAIN; from++) {
        tvgp__kalman_filter *f = &set->filter[PLAIN], *g = &set->filter[from];
        tvgp__kalman_filter_copy(set, f, g);
        memset(b->weight, 0, (b->J + 1) * sizeof *b->weight);
        b->weight[from] = 1;
        b->base.ops->at(&b->base, t, ARMS, NULL, before, before_var);
        b->weight[from] = 0;
        b->weight[PLAIN] = 1;
        for (int later = 0; later < 3; later++) {
            const double elapsed[] = {0, PERIOD, 5}, rho = day_correlation(elapsed[later]), k = f->k, kk = f->kk;
            b->base.ops->at(&b->base, t + elapsed[later], ARMS, NULL, mean, var);
            for (size_t i = 0; i < ARMS; i++) {
                const double own = before_var[i] - 2 * g->fk[i] - kk; /* of f next to the constant */
                ASSERT_NEAR(mean[i], k + rho * (before[i] - k), 1e-9);
                ASSERT_NEAR(var[i], 1.5 - rho * rho * (1.5 - own) + 2 * rho * g->fk[i] + kk, 1e-9);
            }
        }
    }
    for (size_t to = 0; to < PLAIN; to++) { /* and back */
        tvgp__kalman_filter *f = &set->filter[to], *g = &set->filter[LAWS - 1];
        tvgp__kalman_filter_copy(set, f, g);
        for (size_t i = 0; i < ARMS; i++) {
            ck_assert(f->mean[i] == g->mean[i] && f->var[i] == g->var[i]);
            f->mean[i] = NAN; /* of the arms; what the weights say is below */
        }
        memcpy(f->mean, g->mean, ARMS * sizeof *f->mean);
        tvgp__kalman_filters_look(set, 6);
        tvgp__kalman_filters_columns(set, 2, (tvgp__kalman_filter *[]){f, g}, 0);
        tvgp__kalman_filters_spread(set, 2, (tvgp__kalman_filter *[]){f, g});
        ASSERT_ALL_NEAR(ARMS, f->g[0], g->g[0], 1e-9);
        ASSERT_NEAR(f->g_k, g->g_k, 1e-12);
    }
    tvgp__posterior_free(&b->base);
}

/* Everything changes abruptly: the filters with a season continue from the change-point hypothesis too. */
TEST(a_redraw_ends_the_season) {
    tvgp__kalman_mixture *b = open_bank(LAWS, drifts, LAWS - PLAIN, 0, 0.01);
    struct rnd r = {3};
    double t = 0;
    while (t < 600 && !b->resets) {
        const double shift = t < 300 ? 0 : 9;
        t += 1;
        b->base.ops->advance(&b->base, t);
        const size_t arm = rnd_below(&r, ARMS);
        observe(b, arm, t, (shift > 0 ? -1 : 1) * 3 * sin(t / PERIOD * 6.283185307179586 + 3 * X[arm]) + shift);
    }
    ck_assert(b->resets == 1 && t > 300 && t < 310);
    for (size_t j = 1; j < LAWS; j++)
        ASSERT_ALL_NEAR(ARMS, b->set.filter[j].mean, b->set.filter[0].mean, 1e-12);
    tvgp__posterior_free(&b->base);
}

/* ---- the policy ------------------------------------------------------------------------------------------------- */

static tvgp_policy *open_named(const char *name, const char *options) {
    const double lower = 0, upper = 1, l = 0.3;
    const size_t points = 12;
    return harness_create(name, harness_grid(1, &lower, &upper, &points), harness_se(1, 1, &l), options);
}

static tvgp_policy *open_policy(const char *options) {
    return open_named("auto-gp-ucb", options);
}

/* A peak that goes to and fro once a day. */
static double regret_of(const char *options, int swings) {
    tvgp_policy *policy = open_policy(options);
    double lost = 0;
    for (int t = 0; t < 15 * 24; t++) {
        const tvgp_query q = harness_ask(policy, t);
        const double phase = swings ? t / 24.0 : t / 700.0;
        const double x = (double)q.arm / 11, peak = 0.5 + 0.45 * sin(6.283185307179586 * phase);
        const double value = exp(-0.5 * pow((x - peak) / 0.2, 2));
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, value));
        lost += t >= 120 ? 1 - value : 0;
    }
    return lost / 240;
}

TEST(a_season_is_found) {
    const double without = regret_of("", 1);
    ck_assert_double_lt(regret_of("season.period=24", 1), 0.6 * without);
    ck_assert_double_lt(regret_of("season.period=24 scale.learn=1", 1), 0.6 * without);
    ck_assert_double_lt(regret_of("season.period=24,168 drift.models=ou", 1), 0.6 * without);
    ck_assert_double_lt(regret_of("season.period=24", 0), 1.1 * regret_of("", 0)); /* where there is none */
}

/* The policies that have the option. */
static const char *const seasonal[] = {"auto-gp-ucb", "tv-gp-ucb"};
enum { SEASONAL = sizeof seasonal / sizeof *seasonal };

TEST_EACH(options_are_checked_at_the_first_ask, SEASONAL) {
    static const char *const bad[] = {"season.period=-3", "season.period=24,,7", "season.period=day",
                                      "season.period=1,2,3,4,5", "season.period=24,0"};
    tvgp_query q;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tvgp_policy *policy = open_named(seasonal[_i], bad[i]);
        ASSERT_FAILS(TVGP_ERR_OPTION, tvgp_policy_ask_one(policy, 0, &q, NULL), "season.period");
        ASSERT_OK(tvgp_policy_set(policy, "season.period=0"));
        ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, NULL));
    }
    tvgp_policy *fits = open_named(seasonal[_i], "season.period=24 fit=map");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(fits, 0, &q, NULL), "season.period", "fit");
}

TEST(refusals) {
    const double l = 0.3, more = 2;
    tvgp_query q;
    tvgp_policy *several = open_policy("season.period=24");
    tvgp_kernel *kernel = harness_se(1, 1, &l);
    ASSERT_OK(tvgp_policy_add_prior(several, kernel, 0, NULL, 0));
    ASSERT_OK(tvgp_policy_add_prior(several, kernel, 0, NULL, 0));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(several, 0, &q, NULL), "season.period", "priors");
    tvgp_domain *domain = harness_arms(2, 1, (double[]){0, 1});
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, domain, 1, &more);
    tvgp_policy *policy = harness_create("auto-gp-ucb", domain, kernel, "season.period=24");
    ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, NULL));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(policy, larger, NULL), "season.period");
    ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 1));
    policy = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", domain, NULL); /* fit = map was not set */
    ASSERT_OK(tvgp_policy_set(policy, "season.period=24"));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(policy, 0, &q, NULL), "'season.period' = '24' needs a kernel");
    ck_assert_ptr_null(strstr(tvgp_ctx_errmsg(ctx), "fit"));
}

/* Three filters more, of 25 harmonic states: their squares are what it takes. */
TEST(memory_limit) {
    tvgp_query q;
    tvgp_policy *policy = open_policy("season.period=24 memory.limit=100000");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(policy, 0, &q, NULL), "memory.limit", "12 arms", "18 filters");
    policy = open_policy("season.period=24 memory.limit=40000000");
    ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, NULL));
}

HARNESS_MAIN("season")

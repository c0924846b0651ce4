/* SPDX-License-Identifier: MIT */
/* sparq- and w-sparq-gp-ucb with default settings, on arms and on a box: the exact posterior of what is in use under the
 * parameters that were learned, units, the noise of an outcome without a stated noise. */
#include "harness.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <string.h>

enum { ARMS = 21, STEPS = 60, CAP = 64 };

static const char *const names[] = {"sparq-gp-ucb", "w-sparq-gp-ucb"};

static tvgp_policy *told_nothing(const char *name, int box) {
    const double lower = 0, upper = 1;
    const size_t arms = ARMS;
    tvgp_domain *domain = NULL;
    if (box)
        domain = harness_box(1, &lower, &upper);
    else
        domain = harness_grid(1, &lower, &upper, &arms);
    return harness_create(name, domain, NULL, "kdpp.steps=20 side.round_factor=2 side.round_exponent=1");
}

static double drifting(double x, double t) {
    return sin(6 * x + 0.02 * t) + 0.5 * cos(11 * x - 0.01 * t);
}

/* What a policy is to assume: its observations in use. */
typedef struct {
    size_t n, answers;
    double x[400], t[400], y[400];
    int side[400];
} data;

static void add(data *d, double x, double t, double y, int side) {
    d->x[d->n] = x;
    d->t[d->n] = t;
    d->y[d->n] = y;
    d->side[d->n++] = side;
    d->answers += (size_t)side;
}

/* A dense process with the kernel, mean and noise in use, and every noise as old as it is at the newest action. */
static void assert_exact(tvgp_policy *p, const data *d, double newest, double alpha, double told) {
    struct ref_gp gp;
    tvgp_kernel *space = MAKE_KERNEL(tvgp_policy_kernel, p);
    const struct ref_kernel ref = {
        .kind = REF_MATERN52, .dim = 1, .variance = harness_parameter(space, 0), .l = {harness_parameter(space, 1)}};
    const double noise = harness_stat(p, "fit.noise_var"), c = harness_stat(p, "fit.mean");
    ref_gp_init(&gp, &ref, 0, d->n + 1);
    for (size_t i = 0; i < d->n; i++) {
        const double age = fmax(newest - d->t[i], 0), own = d->side[i] && told > 0 ? told : noise;
        ref_gp_add(&gp, &d->x[i], 0, d->y[i] - c, own * (age > 0 ? 1 + pow(age, alpha) : 1));
    }
    ck_assert_double_eq(harness_stat(p, "observations") > 0, d->n > 0);
    for (int i = 0; i <= 10; i++) {
        const double x = i < 10 ? (double)i / 10 : 0.333;
        double mean, var, exact_mean, exact_var;
        ASSERT_OK(tvgp_policy_predict(p, newest, 1, &x, &mean, &var));
        ref_gp_predict(&gp, 1, &x, 0, &exact_mean, &exact_var);
        ASSERT_NEAR(mean, exact_mean + c, 1e-6);
        ASSERT_NEAR(var, exact_var, 1e-6);
    }
    ref_gp_free(&gp);
}

/* One query of time t, answered in the unit `factor` from `offset`; 1 when it was the action. */
static int play(tvgp_policy *p, int t, double factor, double offset, double z, tvgp_query *q, double *x) {
    ASSERT_OK(tvgp_policy_ask_one(p, t, q, x));
    ASSERT_OK(tvgp_policy_tell_value(p, q->id, offset + factor * (drifting(*x, t) + 0.1 * z)));
    return q->kind == TVGP_ACTION;
}

/* sparq with side.action_outcomes = excluded uses the outcomes of its last round, w-sparq the outcomes of its window and its own
 * observations since. */
TEST_EACH(posterior_is_exact, 8) {
    const int windows = _i % 2, box = _i / 2 % 2;
    const double told = _i / 4 ? 0.05 : 0;
    struct rnd r = {31};
    tvgp_policy *p = told_nothing(names[windows], box);
    static data d;
    double window = 0, x;
    int sides = 0, grown = 0;
    tvgp_query q;
    d.n = d.answers = 0;
    if (!windows)
        ASSERT_OK(tvgp_policy_set_str(p, "side.action_outcomes", "excluded"));
    if (told > 0)
        ASSERT_OK(tvgp_policy_set_f64(p, "side.noise", told));
    for (int t = 1; t <= STEPS; t++) {
        for (int side = 1, first = 1; side; first = 0) {
            const double z = rnd_normal(&r), noise = harness_stat(p, "fit.noise_var");
            ck_assert_int_lt(sides, 1000);
            side = !play(p, t, 1, 0, z, &q, &x);
            sides += side;
            const double y = drifting(x, t) + 0.1 * z;
            if (side && !windows && first)
                d.n = d.answers = 0; /* a round is drawn */
            if (side && told > 0)
                ck_assert_double_eq(q.noise_var, told);
            else if (side && t > 10 && !first)
                ck_assert_double_eq(q.noise_var, noise);
            if (!side && windows && harness_stat(p, "window") > window) {
                window = harness_stat(p, "window");
                d.n = d.answers = 0;
            } else if (side || windows) {
                add(&d, x, t, y, side);
            }
        }
        if (t < 20 || (windows && harness_stat(p, "window.start") == t))
            continue; /* the outcomes come with the next ask */
        assert_exact(p, &d, t, windows ? harness_stat(p, "alpha") : 2, told);
        grown += d.n > 0 && d.t[0] < t;
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 1);
    ck_assert_double_gt(harness_stat(p, "fit.groups"), 30);
    ck_assert_double_eq(harness_stat(p, "fit.group_width"), 0);
    ck_assert_int_gt(sides, windows ? 25 : 40);
    ck_assert_int_eq(grown > 10, windows);
}

enum { PLACES = 12, LENGTH = 300 };

/* The factor of the covariance of a function that drifts as W-SparQ supposes: E (f(t) - f(s))^2 = noise |t - s|^alpha (fractional Brownian
 * motion; a slope for alpha = 2). */
static void drift_factor(double alpha, double noise, double (*L)[LENGTH]) {
    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j <= i; j++) {
            const double s = i + 1, t = j + 1;
            double c = noise / 2 * (pow(s, alpha) + pow(t, alpha) - pow(s - t, alpha));
            for (int k = 0; k < j; k++)
                c -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(fmax(c, 0)) : L[j][j] > 1e-9 ? c / L[j][j] : 0;
        }
}

/* Plays places whose values drift independently. Returns the learned exponent. */
static double learned_alpha(double (*L)[LENGTH], double noise, uint64_t seed) {
    static double f[PLACES][LENGTH];
    const double lower = 0, upper = 1;
    const size_t places = PLACES;
    struct rnd r = {seed};
    for (size_t a = 0; a < PLACES; a++) {
        double z[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            z[i] = rnd_normal(&r);
            f[a][i] = 0;
            for (int k = 0; k <= i; k++)
                f[a][i] += L[i][k] * z[k];
        }
    }
    tvgp_domain *domain = harness_grid(1, &lower, &upper, &places);
    tvgp_kernel *kernel = harness_se(1, 1, (const double[]){0.1});
    tvgp_policy *p =
        harness_create("w-sparq-gp-ucb", domain, kernel, "alpha=0 kdpp.steps=20 side.round_factor=2 side.round_exponent=1");
    ASSERT_OK(tvgp_policy_set_f64(p, "noise", noise));
    tvgp_domain_destroy(domain);
    for (int t = 1; t <= LENGTH; t++) {
        tvgp_query q;
        do {
            ASSERT_OK(tvgp_policy_ask_one(p, t, &q, NULL));
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, f[q.arm][t - 1] + sqrt(noise) * rnd_normal(&r)));
        } while (q.kind != TVGP_ACTION);
    }
    const double found = harness_stat(p, "alpha");
    return found;
}

/* Within 20 % of the generating exponent in 16 of 20 runs. */
TEST_EACH(alpha_is_learned, 3) {
    static const double alphas[] = {0.5, 1, 2};
    static double L[LENGTH][LENGTH];
    const double noise = 0.01;
    int close = 0;
    memset(L, 0, sizeof L);
    drift_factor(alphas[_i], noise, L);
    for (uint64_t seed = 1; seed <= 20; seed++)
        close += fabs(learned_alpha(L, noise, seed) / alphas[_i] - 1) <= 0.2;
    ck_assert_msg(close >= 16, "alpha %g: %d of 20", alphas[_i], close);
}

/* y -> 1000 y - 7: the same queries. One side query a round: in a set of more, and between points on both sides of others,
 * round-off breaks ties. */
TEST_EACH(any_unit, 4) {
    const char *name = names[_i % 2];
    struct rnd r = {32};
    tvgp_policy *both[] = {told_nothing(name, _i / 2), told_nothing(name, _i / 2)};
    int actions = 0;
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_policy_set_f64(both[k], "side.round_factor", 0));
        if (_i / 2)
            harness_set_grid(both[k], NULL, NULL, 33);
    }
    for (int t = 1; t <= 150; t++) {
        const double z = rnd_normal(&r);
        double x[2];
        tvgp_query q[2];
        actions += play(both[0], t, 1, 0, z, &q[0], &x[0]);
        (void)play(both[1], t, 1000, -7, z, &q[1], &x[1]);
        ck_assert_msg(q[0].kind == q[1].kind && x[0] == x[1], "%s, t %d: %.17g, was %.17g", name, t, x[1], x[0]);
    }
    ck_assert_int_gt(actions, 20);
    ck_assert_double_gt(harness_stat(both[0], "fit.adopted"), 1);
    ASSERT_NEAR(harness_stat(both[1], "fit.noise_var") / harness_stat(both[0], "fit.noise_var") / 1e6, 1, 1e-6);
    ASSERT_NEAR(harness_stat(both[1], "fit.mean") / 1000 + 0.007, harness_stat(both[0], "fit.mean"), 1e-6);
}

/* A search that fails has not happened: its twin that was spared asks the same. */
static int refuse;

static int32_t anywhere(void *user, size_t n, const double *X, uint8_t *ok) {
    (void)user;
    (void)X;
    memset(ok, 1, n);
    return refuse ? -1234 : 0;
}

TEST_EACH(failed_search, 2) {
    tvgp_policy *p = told_nothing(names[_i], 1), *twin = told_nothing(names[_i], 1);
    struct rnd r = {33};
    ASSERT_OK(tvgp_policy_set_feasible(p, anywhere, NULL, NULL));
    ASSERT_OK(tvgp_policy_set_feasible(twin, anywhere, NULL, NULL));
    for (int t = 1; t <= 80; t++) {
        const double z = rnd_normal(&r);
        double x, y;
        tvgp_query q, o;
        (void)play(twin, t, 1, 0, z, &o, &y);
        refuse = 1;
        for (int k = 0; k < t % 3; k++)
            ck_assert_int_eq(tvgp_policy_ask_one(p, t, &q, &x), -1234);
        refuse = 0;
        (void)play(p, t, 1, 0, z, &q, &x);
        ck_assert(q.kind == o.kind && x == y && q.score == o.score);
    }
    ck_assert_double_gt(harness_stat(p, "fit.adopted"), 1);
    ck_assert_double_eq(harness_stat(p, "fit.evals"), harness_stat(twin, "fit.evals"));
}

HARNESS_MAIN("expert_learn")

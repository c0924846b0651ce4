/* SPDX-License-Identifier: MIT */
/* The fixed mixture of categorical arms with default settings compared with a dense Gaussian process for each of its 45 models: the
 * covariance of all outcomes, in order of arrival, by a Cholesky factor that gains a row for each. */
#include "harness.h"
#include "model/arm_mixture.h"
#include "policy/ucb/ucb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 45, MOST = 160, ARMS = 40 };

static const double level_variance = 10, switching = .01;

struct model {
    double eps, q, level, noise;
};

static struct model model_of(int j) {
    static const double parts[5][2] = {{0, 0}, {.03, 0}, {.03, .6}, {.3, 0}, {.3, .6}}, levels[3] = {0, .01, .15},
                        noises[3] = {.0015, .1, 8};
    const struct model m = {parts[j % 5][0], parts[j % 5][1], levels[j / 5 % 3], noises[j / 15]};
    return m;
}

/* An outcome of a query `age` before the newest one with an outcome, of time `now`: a blurred look at the latter. */
struct seen {
    size_t arm;
    double now, age, y;
};

struct dense {
    size_t n;
    int differs;
    struct seen seen[MOST];
    double z[MODELS][MOST], L[MODELS][MOST][MOST], weight[MODELS], a, b[MODELS], origin, found, promised, front;
};

static double left(double rate, double dt) {
    return pow(1 - rate, .5 * fabs(dt));
}

/* Of two outcomes, or of values of arms (age 0), without noise. */
static double covariance(const struct model *m, const struct seen *s, const struct seen *o) {
    const double dt = s->now - o->now;
    double c = level_variance * left(m->level, s->age) * left(m->level, o->age) * left(m->level, dt);
    if (s->arm == o->arm)
        c += m->q + (1 - m->q) * left(m->eps, s->age) * left(m->eps, o->age) * left(m->eps, dt);
    return c;
}

/* What the present does not say of an outcome that is late. */
static double blur(const struct model *m, double age) {
    const double c = left(m->level, age), g = left(m->eps, age);
    return level_variance * (1 - c * c) + (1 - m->q) * (1 - g * g);
}

/* L^-1 of the covariances of s with the outcomes; the rest of the variance of s is left in *var, the mean in *mean. */
static void look(const struct dense *d, int j, const struct seen *s, double *v, double *mean, double *var) {
    const struct model m = model_of(j);
    *mean = 0;
    *var = covariance(&m, s, s);
    for (size_t i = 0; i < d->n; i++) {
        v[i] = covariance(&m, s, &d->seen[i]);
        for (size_t k = 0; k < i; k++)
            v[i] -= d->L[j][i][k] * v[k];
        v[i] /= d->L[j][i][i];
        *mean += v[i] * d->z[j][i];
        *var -= v[i] * v[i];
    }
}

/* Mean and variance in the mixture of an arm's value, with the covariance with another one where that is wanted. */
static void mixture(const struct dense *d, double t, size_t arm, size_t other, double *mean, double *var, double *with) {
    double m[2][MODELS], v[2][MOST], k[MODELS], own[2][MODELS], sum[2] = {0, 0};
    const struct seen s[2] = {{arm, t, 0, 0}, {other, t, 0, 0}};
    for (int j = 0; j < MODELS; j++) {
        const struct model of = model_of(j);
        k[j] = covariance(&of, &s[0], &s[1]);
        for (int i = 0; i < 2; i++) {
            look(d, j, &s[i], v[i], &m[i][j], &own[i][j]);
            sum[i] += d->weight[j] * m[i][j];
        }
        for (size_t i = 0; i < d->n; i++)
            k[j] -= v[0][i] * v[1][i];
    }
    *mean = sum[0] + d->origin;
    *var = *with = 0;
    for (int j = 0; j < MODELS; j++) {
        const double f = d->b[j] / d->a, off = m[0][j] - sum[0];
        *var += d->weight[j] * (f * own[0][j] + off * off);
        *with += d->weight[j] * (f * k[j] + off * (m[1][j] - sum[1]));
    }
}

static double noise_of(const struct dense *d) {
    double sum = 0;
    for (int j = 0; j < MODELS; j++)
        sum += d->weight[j] * d->b[j] / d->a * model_of(j).noise;
    return sum;
}

static void level_weights(struct dense *d, double b) {
    d->a = 1;
    for (int j = 0; j < MODELS; j++) {
        d->weight[j] = 1. / MODELS;
        d->b[j] = b;
    }
}

static struct dense *dense_new(void) {
    struct dense *d = calloc(1, sizeof *d);
    ck_assert_ptr_nonnull(d);
    level_weights(d, 1);
    return d;
}

/* The calibration of the coefficient, among n arms that may be asked. */
static void calibrate(struct dense *d, const struct seen *s, size_t n) {
    double most = -INFINITY, mean, var, with;
    for (size_t i = 0; i < n; i++) {
        mixture(d, s->now, i, i, &mean, &var, &with);
        most = fmax(most, mean);
    }
    mixture(d, s->now, s->arm, s->arm, &mean, &var, &with);
    const double all = var + noise_of(d), w = var / all, e = s->y - mean;
    if (!(mean < most - 1e-12 * sqrt(all)))
        return;
    d->promised += w;
    d->found += e > 0 ? 2 * w * fmin(e * e / all, 9) : 0;
}

/* Of n arms; s.now: when it came. `noise`: of the outcome itself, NAN: it says nothing. */
static void take(struct dense *d, struct seen s, double noise, size_t n) {
    double p[MODELS], half[MODELS], most = -INFINITY, sum = 0, at, var_at, with;
    if (!d->n)
        d->origin = s.y;
    const double off = s.y - d->origin, b = .3 * off * off + (d->n && noise > 0 ? 3 * noise : 0);
    if (d->differs)
        calibrate(d, &s, n);
    else if (b > 0)
        level_weights(d, b);
    d->differs |= b > 0;
    mixture(d, s.now, s.arm, s.arm, &at, &var_at, &with);
    const double information = var_at / (var_at + noise_of(d)), share = switching * information * information;
    const double t = s.now - s.age;
    d->front = d->n ? fmax(d->front, t) : t;
    s.now = d->front;
    s.age = d->front - t;
    for (int j = 0; j < MODELS; j++) {
        const struct model m = model_of(j);
        double *v = d->L[j][d->n], mean, var, nu = m.noise;
        look(d, j, &s, v, &mean, &var);
        if (!isnan(noise) && d->differs)
            nu = noise * d->a / d->b[j];
        const double S = var + blur(&m, s.age) + nu, e = s.y - d->origin - mean;
        v[d->n] = sqrt(S);
        d->z[j][d->n] = e / v[d->n];
        half[j] = e * e / (2 * S);
        p[j] =
            lgamma(d->a + .5) - lgamma(d->a) - .5 * log(2 * acos(-1) * d->b[j] * S) - (d->a + .5) * log1p(half[j] / d->b[j]);
        most = fmax(most, p[j]);
    }
    d->seen[d->n++] = s;
    for (int j = 0; j < MODELS; j++)
        sum += d->weight[j] * exp(p[j] - most);
    for (int j = 0; d->differs && j < MODELS; j++) {
        d->weight[j] = (1 - share) * d->weight[j] * exp(p[j] - most) / sum + share / MODELS;
        d->b[j] += half[j];
    }
    d->a += d->differs ? .5 : 0;
}

/* ---- games -------------------------------------------------------------------------------------------------------- */

enum { LATE = 64 };

struct game {
    tvgp_policy *p;
    struct dense *d;
    struct rnd r;
    size_t n;
    double t;
    int step, waiting;
    struct {
        tvgp_query q;
        double y;
        int due;
    } late[LATE];
};

/* The unit of time of all games here. */
static const double unit = 2;

static void compare_with(const struct game *g, const char *what, const double *mean, const double *var, const double *m,
                         const double *v) {
    double most = 0;
    for (size_t i = 0; i < g->n; i++)
        most = fmax(most, sqrt(v[i]));
    for (size_t i = 0; i < g->n; i++) {
        ck_assert_msg(fabs(mean[i] - m[i]) <= 1e-9 * most, "%s, %zu outcomes, arm %zu: mean %.17g, dense %.17g, sd %g", what,
                      g->d->n, i, mean[i], m[i], most);
        ck_assert_msg(fabs(sqrt(var[i]) - sqrt(v[i])) <= 1e-9 * most, "%s, %zu outcomes, arm %zu: sd %.17g, dense %.17g",
                      what, g->d->n, i, sqrt(var[i]), sqrt(v[i]));
    }
}

/* Moments of the arms at time t, by number and by coordinate, to 1e-9 of the largest standard deviation. */
static void compare(struct game *g, double t) {
    const struct dense *d = g->d;
    double X[ARMS], mean[ARMS], var[ARMS], m[ARMS], v[ARMS], with;
    for (size_t i = 0; i < g->n; i++) {
        X[i] = (double)i;
        mixture(d, t / unit, i, i, &m[i], &v[i], &with);
    }
    ASSERT_OK(tvgp_policy_predict(g->p, t, g->n, NULL, mean, var));
    compare_with(g, "arms", mean, var, m, v);
    tvgp__posterior *posterior = ((const tvgp__ucb *)g->p->state)->posterior;
    ASSERT_OK(tvgp__posterior_predict(posterior, t, g->n, X, mean, var));
    compare_with(g, "points", mean, var, m, v);
    double covariance[2 * ARMS];
    ASSERT_OK(tvgp__posterior_covariance(posterior, t, 2, (const size_t[]){0, g->n - 1}, covariance));
    for (size_t i = 0; i < 2 * g->n; i++) {
        mixture(d, t / unit, i % g->n, i < g->n ? 0 : g->n - 1, &m[0], &v[0], &with);
        ASSERT_NEAR(covariance[i], with, 1e-9);
    }
    ck_assert_double_eq(harness_stat(g->p, "observations"), (double)d->n);
    for (int j = 0; j < MODELS; j++) {
        char key[32];
        snprintf(key, sizeof key, "weight.%d", j);
        ASSERT_NEAR(harness_stat(g->p, key), d->weight[j], 1e-9);
    }
}

static tvgp_domain *names(size_t n) {
    return harness_indices(n);
}

static tvgp_policy *policy_on(size_t n, const char *options) {
    tvgp_domain *domain = names(n);
    return harness_create("auto-gp-ucb", domain, NULL, options);
}

static double reward(struct rnd *r, size_t arm, double t) {
    return 5 + .4 * (double)(arm % 7) + sin(.05 * t * (double)(1 + arm % 3)) + .2 * rnd_normal(r);
}

static void note(struct game *g, size_t arm, double asked, double y, double noise) {
    take(g->d, (struct seen){arm, g->t / unit, (g->t - asked) / unit, y}, noise, g->n);
}

static void tell_late(struct game *g) {
    for (int k = 0; k < g->waiting; k++)
        if (g->late[k].due == g->step) {
            ASSERT_OK(tvgp_policy_tell_value(g->p, g->late[k].q.id, g->late[k].y));
            note(g, (size_t)g->late[k].q.arm, g->late[k].q.t, g->late[k].y, NAN);
        }
}

static void tell_unsolicited(struct game *g) {
    const double x = (double)rnd_below(&g->r, g->n), before = g->t - 1.5 * rnd_uniform(&g->r);
    const tvgp_obs obs = tvgp_obs_unsolicited(before, reward(&g->r, (size_t)x, g->t));
    ASSERT_OK(tvgp_policy_tell(g->p, 1, &obs, &x));
    note(g, (size_t)x, before, obs.y, NAN);
}

static size_t arms_seen(const struct dense *d) {
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++) {
        size_t k = 0;
        while (d->seen[k].arm != d->seen[i].arm)
            k++;
        n += k == i;
    }
    return n;
}

static void extend(struct game *g) {
    tvgp_domain *more = names(g->n += 5);
    ASSERT_OK(tvgp_policy_extend(g->p, more, NULL));
}

/* Every third outcome comes some asks later, every fifth of the others says its noise. */
static void play_step(struct game *g) {
    g->t += ++g->step % 11 ? .3 + rnd_uniform(&g->r) : 25 * rnd_uniform(&g->r);
    const tvgp_query q = harness_ask(g->p, g->t);
    const double y = reward(&g->r, (size_t)q.arm, g->t);
    if (g->step % 3 == 0) {
        g->late[g->waiting].q = q;
        g->late[g->waiting].y = y;
        g->late[g->waiting++].due = g->step + 1 + (int)rnd_below(&g->r, 9);
    } else {
        const int own = g->step % 5 == 0;
        const tvgp_obs obs = {.id = q.id, .y = y, .flags = own ? TVGP_OBS_HAS_NOISE : 0, .noise_var = own ? .05 : 0};
        ASSERT_OK(tvgp_policy_tell(g->p, 1, &obs, NULL));
        note(g, (size_t)q.arm, g->t, y, own ? .05 : NAN);
    }
    tell_late(g);
    if (g->step % 7 == 0)
        tell_unsolicited(g);
}

/* Irregular times; outcomes that are late, unsolicited, or say their noise; arms are added twice; room for arms is made again and
 * again. */
TEST_EACH(late_and_added, 2) {
    struct game g = {.d = dense_new(), .r = {11 + (uint64_t)_i}, .n = _i ? 6 : 20, .t = 100};
    g.p = policy_on(g.n, "time.unit=2");
    while (g.d->n < (harness_all() ? 120 : 80)) {
        if (g.step == 30 || g.step == 60)
            extend(&g);
        play_step(&g);
        if (g.step % 9 == 0 || g.step < 10)
            compare(&g, g.t + (g.step % 2 ? 0 : 3.7));
    }
    ASSERT_NEAR(harness_stat(g.p, "rank"), (double)arms_seen(g.d), 0);
    free(g.d);
}

/* While queries are pending the variances are those after outcomes of the mixture's noise, in its covariance. */
TEST(pending) {
    struct game g = {.d = dense_new(), .r = {5}, .n = 8, .t = 0};
    double score[8], mean[8], sd[8], m[2], v[2], with;
    g.p = policy_on(g.n, "time.unit=2");
    while (g.d->n < 40)
        play_step(&g);
    for (int k = 0; k < g.waiting; k++) {
        const tvgp_obs gone = tvgp_obs_outcome(g.late[k].q.id, TVGP_SKIPPED);
        (void)tvgp_policy_tell(g.p, 1, &gone, NULL); /* some have come */
    }
    g.t += 1;
    const tvgp_query q = harness_ask(g.p, g.t);
    ASSERT_OK(harness_scores(g.p, g.t, g.n, NULL, score, mean, sd));
    const double width = harness_stat(g.p, "width"), factor = sqrt((20 + g.d->found) / (20 + g.d->promised));
    mixture(g.d, g.t / unit, (size_t)q.arm, (size_t)q.arm, &m[1], &v[1], &with);
    for (size_t i = 0; i < g.n; i++) {
        mixture(g.d, g.t / unit, i, (size_t)q.arm, &m[0], &v[0], &with);
        v[0] -= with * with / (v[1] + noise_of(g.d));
        ASSERT_NEAR(score[i], m[0] + width * sqrt(v[0]), 1e-9);
    }
    ck_assert_double_ne(factor, 1);
    free(g.d);
}

/* ---- draws -------------------------------------------------------------------------------------------------------- */

/* V - V_G + V_G^2 / (V_G + 1 / L), L by its recursion. */
static double resolvable(const struct model *m, double noise, double V, double V_G) {
    const double Q = m->eps * (1 - m->q);
    double L = 0;
    for (int i = 0; i < 20000; i++)
        L = (1 - m->eps) * (L + 1 / noise) / (1 + (L + 1 / noise) * Q);
    return m->eps > 0 ? V - V_G + V_G * V_G / (V_G + 1 / L) : V;
}

/* Of every filter the variance of an arm that later outcomes could remove: of arms without outcomes, and of others where the arm is one
 * drifting part. With a lasting part it lies between bounds. */
TEST(resolved_later) {
    struct game g = {.d = dense_new(), .r = {6}, .n = 8, .t = 0};
    g.p = policy_on(g.n, "time.unit=2");
    while (g.d->n < 12)
        play_step(&g);
    tvgp__arm_mixture *mixture = (tvgp__arm_mixture *)((tvgp__ucb *)g.p->state)->posterior;
    tvgp__arm_mixture_look(mixture, mixture->base.now);
    const double now = mixture->base.now / unit;
    for (int j = 0; j < MODELS; j++) {
        const struct model m = model_of(j);
        const tvgp__common_level_filter *f = &mixture->set.filter[j];
        const tvgp__arm_entries at = tvgp__common_level_filters_find(&mixture->set, g.d->seen[0].arm),
                                other = tvgp__common_level_filters_other(&mixture->set, 0);
        const struct seen s = {g.d->seen[0].arm, now, 0, 0}, fresh = {1000, now, 0, 0};
        double v[MOST], w[MOST], mean, var, level, with = covariance(&m, &s, &fresh);
        ASSERT_NEAR(tvgp__common_level_filter_resolvable(&mixture->set, f, &mixture->view[j], &other, m.noise),
                    resolvable(&m, m.noise, 1, 1 - m.q), 1e-9);
        look(g.d, j, &s, v, &mean, &var);
        look(g.d, j, &fresh, w, &mean, &level);
        for (size_t i = 0; i < g.d->n; i++)
            with -= v[i] * w[i];
        const double V = var - with * with / (level - 1),
                     got = tvgp__common_level_filter_resolvable(&mixture->set, f, &mixture->view[j], &at, m.noise);
        if (m.q == 0 || m.eps == 0)
            ASSERT_NEAR(got, resolvable(&m, m.noise, V, V), 1e-8);
        else
            ck_assert(got <= V + 1e-9 && got >= resolvable(&m, m.noise, V, V) - 1e-9);
    }
    free(g.d);
}

/* ---- the same game ------------------------------------------------------------------------------------------------ */

/* Plays `steps` asks with outcomes that are late at first; t = a k + b with gaps, y = c f + e. Writes the arms. */
static void play_in(tvgp_policy *p, int from, int steps, const double clock[2], const double value[2], int *arms) {
    static const double gap[] = {1, 2, .5, 4, 1, 1, 3, .25, 1, 2};
    tvgp_query late = {0};
    double t = 0;
    struct rnd r = {77};
    for (int k = 0; k < from + steps; k++) {
        t += gap[k % 10];
        const double noise = rnd_normal(&r);
        if (k < from)
            continue;
        const tvgp_query q = harness_ask(p, clock[0] * t + clock[1]);
        arms[k] = (int)q.arm;
        const double y = value[0] * ((double)(q.arm % 4) + sin(.2 * t + (double)q.arm) + .3 * noise) + value[1];
        if (k % 6 == 4)
            late = q;
        else
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        if (k % 6 == 0 && late.id)
            ASSERT_OK(tvgp_policy_tell_value(p, late.id, y));
    }
}

TEST(any_unit) {
    static const double clock[][2] = {{1, 0}, {3600, 1.7e9}, {1e-3, -5}, {86400, 0}},
                        value[][2] = {{1, 0}, {1e6, 3e7}, {1e-7, 4}, {250, -1e5}};
    int arms[4][150];
    for (int w = 0; w < 4; w++) {
        tvgp_policy *p = policy_on(9, "");
        play_in(p, 0, 150, clock[w], value[w], arms[w]);
        tvgp_policy_destroy(p);
        for (int k = 0; k < 150; k++)
            ck_assert_msg(arms[w][k] == arms[0][k], "way %d, step %d: arm %d, first %d", w, k, arms[w][k], arms[0][k]);
    }
}

/* Asks 70 times, at steps of time that become longer, and reports outcomes at arms in turn, some of them late. */
static void feed(tvgp_policy *p) {
    struct rnd r = {78};
    double t = 0;
    for (int k = 0; k < 70; k++) {
        const double x = k * 5 % 9, before = k % 4 == 3 ? 2.5 : 0;
        t += k < 5 ? 1 : k < 30 ? 2 : 3;
        const tvgp_query q = harness_ask(p, t);
        const tvgp_obs skipped = tvgp_obs_outcome(q.id, TVGP_SKIPPED),
                       obs = tvgp_obs_unsolicited(t - before, rnd_normal(&r));
        ASSERT_OK(tvgp_policy_tell(p, 1, &skipped, NULL));
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    }
    (void)harness_ask(p, t + 3);
}

/* Once the unit of time is final the posterior is that of a policy that knew it from the start. */
TEST(unit_found_later) {
    double mean[2][9], var[2][9];
    char option[64] = "";
    for (int w = 0; w < 2; w++) {
        tvgp_policy *p = policy_on(9, option);
        feed(p);
        ASSERT_OK(tvgp_policy_predict(p, 1000, 9, NULL, mean[w], var[w]));
        snprintf(option, sizeof option, "time.unit=%.17g", harness_stat(p, "time.unit"));
    }
    ck_assert_str_eq(option, "time.unit=3");
    ASSERT_ALL_NEAR(9, mean[0], mean[1], 1e-10);
    ASSERT_ALL_NEAR(9, var[0], var[1], 1e-10);
}

/* A copy, and a policy restored from a snapshot, play on as the original does. */
TEST_EACH(copies, 3) {
    const double same[2] = {1, 0};
    int arms[2][200];
    for (int at = 3; at < 200; at += 49) {
        static const char *const cases[] = {"", "choice=thompson seed=3", "changepoint.hazard=.005"};
        tvgp_policy *p = policy_on(30, cases[_i]);
        play_in(p, 0, at, same, same, arms[0]);
        tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, p);
        play_in(p, at, 200 - at, same, same, arms[0]);
        play_in(copy, at, 200 - at, same, same, arms[1]);
        for (int k = at; k < 200; k++)
            ck_assert_int_eq(arms[0][k], arms[1][k]);
        ck_assert(harness_stat(p, "log_marginal_likelihood") == harness_stat(copy, "log_marginal_likelihood"));
    }
}

/* A constraint's model with default settings knows what a policy does that was given the same. */
TEST(constraint) {
    struct rnd r = {31};
    const double safe = 2;
    tvgp_policy *p = policy_on(6, ""), *model = policy_on(6, "time.unit=1"), *twin = policy_on(6, "time.unit=1");
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 4));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &safe));
    for (int t = 1; t <= 60; t++) {
        const tvgp_query q = harness_ask(p, t);
        const double x = (double)q.arm, used = (double)q.arm + .3 * rnd_normal(&r);
        const tvgp_obs both[] = {tvgp_obs_value(q.id, -x), tvgp_obs_output(q.id, 1, used)},
                       same = tvgp_obs_unsolicited(t, used);
        ASSERT_OK(tvgp_policy_tell(p, 2, both, NULL));
        ASSERT_OK(tvgp_policy_tell(twin, 1, &same, &x));
        ck_assert_msg(t < 10 || q.risk < .5, "step %d: risk %g", t, q.risk);
    }
    ASSERT_SAME_PREDICTIONS(model, twin, 61, 6, NULL, 1e-12);
}

/* Options of the model that is optimised, set by name, bring it back; those of the mixture do not. */
TEST_EACH(options, 10) {
    static const struct {
        const char *options;
        int mixed;
    } cases[] = {{"", 1},
                 {"mixture.switching_probability=.02 time.unit=3", 1},
                 {"model.assume_misspecified=1", 1},
                 {"width.schedule=rate", 1},
                 {"fit=map", 0},
                 {"changepoint.hazard=.01", 1},
                 {"noise=.1", 0},
                 {"drift.models=ou", 0},
                 {"offset.variance=1", 0},
                 {"noise.factors=1,2", 0}};
    const double x = 0;
    tvgp_policy *p = policy_on(3, cases[_i].options);
    (void)harness_ask(p, 1);
    for (int t = 1; t < 4; t++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(t, t);
        ASSERT_OK(tvgp_policy_tell(p, 1, &obs, &x));
    }
    ck_assert_int_eq(harness_stat(p, "offset.rate") > 0, cases[_i].mixed);
}

/* Reports outcomes of arms in turn, of noise .1, to several policies. */
static void report_in_turn(tvgp_policy **p, struct rnd *r, const double *f, int from, int to) {
    for (int t = from; t < to; t++) {
        const double x = t % 10, y = f[t % 10] + .1 * rnd_normal(r);
        const tvgp_obs obs = tvgp_obs_unsolicited(t, y);
        for (int i = 0; i < 2; i++)
            ASSERT_OK(tvgp_policy_tell(p[i], 1, &obs, &x));
    }
}

/* Forgets a run of outcomes: the level stays, every arm is as one without observations, and learning goes on from there. */
TEST_EACH(restart_keeps_the_level, 2) {
    const tvgp__arm_model model = {.rate = .1, .lasting = _i ? .6 : 0, .level = 10, .level_rate = .05, .noise = .1};
    tvgp__common_level_filters set;
    struct rnd r = {9};
    double mean, var, m, v;
    const size_t arms[] = {0, 1, 2, 3, 4, 5};
    ASSERT_OK(tvgp__common_level_filters_new(ctx, 2, (tvgp__arm_model[]){model, model}, &(tvgp__arm_items){6, 1, 0}, &set));
    ASSERT_OK(tvgp__common_level_filters_reserve(&set, 6, arms));
    const tvgp__arm_entries other = tvgp__common_level_filters_other(&set, 0);
    tvgp__common_level_filter *from = &set.filter[0], *f = &set.filter[1];
    const tvgp__arm_view now = tvgp__common_level_filter_view(from, 0);
    for (size_t k = 1; k <= 50; k++)
        for (size_t j = 0, arm = k % 6; j < 2; j++) { /* f knows something else */
            const tvgp__arm_entries at = tvgp__common_level_filters_join(&set, arm, k);
            tvgp__common_level_filter_advance(&set, &set.filter[j], .5);
            tvgp__common_level_filter_moments(&set, &set.filter[j], &now, &at, &mean, &var);
            const double y = 4 - 7 * (double)j + (double)arm + rnd_normal(&r);
            tvgp__common_level_filter_observe(&set, &set.filter[j], &now, &at, var + .1, y - mean, k);
        }
    tvgp__common_level_filter_restart(&set, from, f);
    tvgp__common_level_filter_moments(&set, from, &now, &other, &mean, &var);
    ck_assert(mean > 2 && var > 1 && var < 5);
    for (size_t i = 0; i <= 6; i++) {
        const tvgp__arm_entries at = i < 6 ? tvgp__common_level_filters_find(&set, i) : other;
        tvgp__common_level_filter_moments(&set, f, &now, &at, &m, &v);
        ASSERT_NEAR(m, mean, 1e-12);
        ASSERT_NEAR(v, var, 1e-12);
    }
    const double level = var - 1, S = var + .1; /* an outcome of arm 2 that is 3 above */
    const tvgp__arm_entries two = tvgp__common_level_filters_find(&set, 2);
    tvgp__common_level_filter_observe(&set, f, &now, &two, S, 3, 51);
    tvgp__common_level_filter_moments(&set, f, &now, &other, &m, &v);
    ASSERT_NEAR(m, mean + 3 * level / S, 1e-12);
    ASSERT_NEAR(v, var - level * level / S, 1e-12);
    tvgp__common_level_filters_free(&set);
}

/* With `changepoint.hazard` arms that all change at once are known to stand still again soon; without it they seem to drift. An
 * outlier alone makes the policy forget nothing. */
TEST(abrupt_changes) {
    static const char *const both[] = {"time.unit=1 changepoint.hazard=.005", "time.unit=1"};
    struct rnd r = {41};
    double f[2][10], mean[10], var[10];
    const double x = 3;
    const tvgp_obs outlier = tvgp_obs_unsolicited(100, 20);
    tvgp_policy *p[2];
    for (int i = 0; i < 20; i++)
        f[i / 10][i % 10] = 2 * rnd_normal(&r);
    for (int i = 0; i < 2; i++)
        p[i] = policy_on(10, both[i]);
    report_in_turn(p, &r, f[0], 0, 100);
    ASSERT_OK(tvgp_policy_tell(p[0], 1, &outlier, &x));
    ASSERT_OK(tvgp_policy_tell(p[1], 1, &outlier, &x));
    report_in_turn(p, &r, f[0], 101, 105);
    ASSERT_OK(tvgp_policy_predict(p[0], 105, 10, NULL, mean, var));
    ck_assert_msg(mean[7] - mean[8] > .5 * (f[0][7] - f[0][8]), "arm 7: %g, arm 8: %g", mean[7], mean[8]);
    report_in_turn(p, &r, f[0], 105, 130);
    report_in_turn(p, &r, f[1], 130, 180);
    ck_assert_msg(harness_stat(p[0], "rate") < .01, "rate %g", harness_stat(p[0], "rate"));
    ck_assert_msg(harness_stat(p[1], "rate") > .02, "rate %g", harness_stat(p[1], "rate"));
}

/* The bytes that the filters hold for r of n arms, at most, as docs/policies/auto-gp-ucb.md states: they have room for a quarter more arms. */
static double most_bytes(double r, double n) {
    const double room = 1.25 * r + 4;
    return 400 * room * room + 11000 * room + 60 * n;
}

/* Memory grows with the arms observed: each of r arms gets an outcome, then the policy plays among these. While a call computes it holds
 * 1.7 times the bound at most. */
TEST_EACH(memory_by_observed_arms, 10) {
    enum { ALL = 1000 };
    static const size_t observed[] = {1, 5, 20, 60, 150};
    const size_t r = observed[_i / 2], n = _i % 2 ? r : ALL;
    const double most = most_bytes((double)r, (double)n);
    struct rnd random = {r};
    uint8_t there[ALL];
    size_t before = 0, after;
    tvgp_policy *p = policy_on(n, "");
    for (size_t k = 0; k < r + 40; k++) {
        for (size_t i = 0; i < n; i++)
            there[i] = k < r ? i == k : i < r;
        ASSERT_OK(tvgp_policy_set_available(p, n, there));
        const tvgp_query q = harness_ask(p, (double)k);
        if (k == 0) {
            ASSERT_OK(tvgp_ctx_memory(ctx, &before));
            ASSERT_OK(tvgp_ctx_set_quota(ctx, before + (size_t)(1.7 * most), 0, 0));
        }
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, rnd_normal(&random)));
    }
    ASSERT_OK(tvgp_ctx_memory(ctx, &after));
    ck_assert_msg((double)(after - before) <= most, "%zu of %zu arms: %zu bytes, then %zu", r, n, before, after);
}

/* `memory.limit` counts all arms, before any is observed. */
TEST(memory_limit) {
    tvgp_query q;
    tvgp_policy *p = policy_on(300, "memory.limit=10000000");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_ask_one(p, 1, &q, NULL), "memory.limit = 10000000", "300 arms");
    ASSERT_OK(tvgp_policy_set(p, "memory.limit=100000000"));
    ASSERT_OK(tvgp_policy_ask_one(p, 1, &q, NULL));
}

/* An ask that succeeds although memory is refused leaves no message: what tells the outcomes again in another unit of time has all
 * it needs. */
TEST(succeeds_in_silence) {
    tvgp_query q;
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", harness_indices(5), NULL);
    for (int t = 0; t < 70; t++) {
        memory.fail_in = 1;
        const tvgp_status status = tvgp_policy_ask_one(p, (t < 8 ? 0.1 : 9.0) * t, &q, NULL);
        memory.fail_in = 0;
        ck_assert((status == TVGP_OK) == (*tvgp_ctx_errmsg(ctx) == 0));
        if (status != TVGP_OK)
            ASSERT_OK(tvgp_policy_ask_one(p, (t < 8 ? 0.1 : 9.0) * t, &q, NULL));
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin(t)));
    }
}

HARNESS_MAIN("mixed")

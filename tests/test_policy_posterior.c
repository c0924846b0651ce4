/* SPDX-License-Identifier: MIT */
/* What tvgp_policy_predict says after long runs through the protocol, against the dense posterior: irregular times, outcomes
 * late and out of order, unsolicited observations. */
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>

enum { MAX_ARMS = 300, WAITING = 24 };

static const struct scene {
    const char *policy;
    struct ref_kernel kernel;
    size_t arms, steps;
    double epsilon, noise;
    size_t window; /* time after which the reference forgets: correlation below 1e-18; 0: never */
    size_t rank;   /* what a step costs in the end: weight space below it, one column per observation above; 0: either */
} scenes[] = {
    {"tv-gp-ucb", {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.2, 0.2}}, 60, 2000, 0.03, 0.01, 0, 0},
    {"tv-gp-ucb", {.kind = REF_MATERN32, .dim = 2, .variance = 3, .l = {0.3, 0.6}}, 60, 2000, 0.3, 0.02, 240, 0},
    {"gp-ucb", {.kind = REF_SE, .dim = 1, .variance = 1, .l = {0.3}}, 300, 500, 0, 0.01, 0, 60},
    {"gp-ucb", {.kind = REF_SE, .dim = 2, .variance = 1, .l = {0.3, 0.3}}, 300, 700, 0, 0.01, 0, 299},
    {"gp-ucb", {.kind = REF_MATERN12, .dim = 2, .variance = 1, .l = {0.3, 0.3}}, 300, 250, 0, 0.01, 0, 0},
};

struct world {
    const struct scene *scene;
    tvgp_policy *policy;
    struct ref_gp ref;
    double X[MAX_ARMS * 2], t;
    tvgp_query waiting[WAITING];
    size_t n_waiting;
    struct rnd rnd;
};

static void open_world(struct world *w, const struct scene *s) {
    tvgp_kernel *kernel;
    *w = (struct world){.scene = s, .t = 50, .rnd = {s->steps}};
    rnd_fill(&w->rnd, s->arms * s->kernel.dim, w->X);
    kernel = MAKE_KERNEL(cases_kernel, ctx, &s->kernel);
    w->policy = MAKE_POLICY(tvgp_policy_create, ctx, s->policy, harness_arms(s->arms, s->kernel.dim, w->X), kernel);
    tvgp_kernel_destroy(kernel);
    ASSERT_OK(tvgp_policy_set_f64(w->policy, "noise", s->noise));
    if (s->epsilon > 0) {
        ASSERT_OK(tvgp_policy_set_f64(w->policy, "epsilon", s->epsilon));
        ASSERT_OK(tvgp_policy_set_i64(w->policy, "delay.exact_observations", 1000)); /* as late as this test reports */
    }
    ref_gp_init(&w->ref, &s->kernel, s->epsilon, s->window ? 4 * s->window : s->steps);
}

/* The reference forgets what is older than the window. */
static void forget(struct world *w) {
    size_t old = 0;
    while (w->ref.t[old] < w->t - (double)w->scene->window)
        old++;
    ref_gp_drop(&w->ref, old);
}

static void remember(struct world *w, const double *x, double t, double y, double noise) {
    if (w->scene->window && w->ref.n == w->ref.capacity)
        forget(w);
    ref_gp_add(&w->ref, x, t, y, noise);
}

static void answer(struct world *w, const tvgp_query *q) {
    double y = sin((double)q->arm) + rnd_normal(&w->rnd);
    ASSERT_OK(tvgp_policy_tell_value(w->policy, q->id, y));
    remember(w, w->X + (size_t)q->arm * w->scene->kernel.dim, q->t, y, w->scene->noise);
}

static void unsolicited(struct world *w) {
    const double *x = w->X + rnd_below(&w->rnd, w->scene->arms) * w->scene->kernel.dim;
    tvgp_obs obs = {.y = 3 * rnd_normal(&w->rnd), .flags = TVGP_OBS_HAS_TIME, .t = w->t};
    double noise = w->scene->noise;
    if (rnd_uniform(&w->rnd) < 0.2)
        obs.flags |= TVGP_OBS_HAS_NOISE, obs.noise_var = noise = 0.5;
    ASSERT_OK(tvgp_policy_tell(w->policy, 1, &obs, x));
    remember(w, x, w->t, obs.y, noise);
}

/* One observation: unsolicited, answered at once, or (`delays`) one of those that wait, in no order. */
static void step(struct world *w, int delays) {
    static const double dt[] = {0, 0.3, 1, 2.7};
    w->t += dt[rnd_below(&w->rnd, 4)];
    if (rnd_uniform(&w->rnd) < 0.4) {
        unsolicited(w);
        return;
    }
    tvgp_query q = harness_ask(w->policy, w->t);
    if (delays && w->n_waiting < WAITING) {
        w->waiting[w->n_waiting++] = q;
        return;
    }
    answer(w, &q);
    if (w->n_waiting > 0 && (!delays || rnd_uniform(&w->rnd) < 0.9)) {
        size_t pick = rnd_below(&w->rnd, w->n_waiting);
        answer(w, &w->waiting[pick]);
        w->waiting[pick] = w->waiting[--w->n_waiting];
    }
}

static void assert_matches(struct world *w) {
    enum { BETWEEN = 20 };
    const struct scene *s = w->scene;
    size_t n = s->arms + BETWEEN;
    double Z[(MAX_ARMS + BETWEEN) * 2], mean[MAX_ARMS + BETWEEN], var[MAX_ARMS + BETWEEN], want_mean, want_var;
    for (size_t i = 0; i < n * s->kernel.dim; i++)
        Z[i] = i < s->arms * s->kernel.dim ? w->X[i] : 0.2 + 0.6 * rnd_uniform(&w->rnd);
    for (int later = 0; later < 2; later++) {
        double t = w->t + 3.1 * later;
        ASSERT_OK(tvgp_policy_predict(w->policy, t, n, Z, mean, var));
        for (size_t i = 0; i < n; i++) {
            ref_gp_predict(&w->ref, 1, Z + i * s->kernel.dim, t, &want_mean, &want_var);
            ASSERT_NEAR(mean[i], want_mean, 1e-10);
            ASSERT_NEAR(var[i], want_var, 1e-10);
        }
    }
}

TEST_EACH(long_runs, sizeof scenes / sizeof *scenes) {
    const struct scene *s = &scenes[_i];
    static struct world w;
    double rank, observations;
    open_world(&w, s);
    while (w.ref.n + w.n_waiting + 2 < w.ref.capacity || (s->window && w.t < (double)s->steps)) {
        double done = s->window ? w.t / (double)s->steps : (double)w.ref.n / (double)w.ref.capacity;
        step(&w, done > 0.3 && done < 0.6);
        if (rnd_uniform(&w.rnd) < 8.0 / (double)s->steps)
            assert_matches(&w);
    }
    assert_matches(&w);
    ASSERT_OK(tvgp_policy_ask_one(w.policy, w.t, &(tvgp_query){0}, NULL));
    ASSERT_OK(tvgp_policy_stat(w.policy, "rank", &rank)); /* of that step */
    ASSERT_OK(tvgp_policy_stat(w.policy, "observations", &observations));
    if (s->epsilon == 0)
        ck_assert_double_eq(rank, (double)ref_gp_points(&w.ref));
    ref_gp_free(&w.ref);
}

HARNESS_MAIN("policy posterior")

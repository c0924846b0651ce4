/* SPDX-License-Identifier: MIT */
/* Properties of scenes (tests/scene.h). Copies continue with the same bits, also when they are looked at; a call to which memory is
 * refused leaves no trace; minimising the negative is maximising. */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Every algorithm is in every place where it can be. */
static const struct place {
    const char *text;
    int with;
} places[] = {
    {"grid=0:1:4,-2:3:5 matern52=.3,1.5 noise=.04", LATE | FAILS | MASKS | MEANS},
    {"box=0:1,-2:3 se=.3,1.5 search.effort=.2", LATE | FAILS},
    {"box=0:1,-2:3 matern52=.4 search.effort=.2", LATE | FUNCTION | MASKS | MEANS},
    {"box=0:1,-2:3 se=.3,1.5", LATE | FAILS | LISTS},
    {"grid=0:1:6 contexts=0:1,-2:3 se=.3,.5,2", LATE | FAILS | MASKS | MEANS},
    {"grid=0:1:6 contexts=3 se=.3,2", LATE | MASKS | UNEVEN},
    {"grid=0:1:11 se=.2 at_least=-.3 at_most=1.6 safe=.5 constraint.confidence=.7 constraint.fallback=safest "
     "constraint.exploration_share=.3 constraint.initial_margin=.1 constraint.scope=average",
     LATE | FAILS},
    {"grid=0:1:12 se=.2", LATE | GROWS | UNEVEN},
    {"grid=0:1:12", LATE | UNEVEN},
    {"box=0:1,-2:3 search.effort=.2 fit.max_evals=8", LATE | UNEVEN},
};
static const char *const algorithms[] = {
    "gp-ucb width.schedule=constant width.value=3",
    "gp-ucb choice=thompson seed=3",
    "gp-ucb switch.cost=.1 switch.distance_cost=.05",
    "igp-ucb",
    "tv-gp-ucb epsilon=.03",
    "tv-gp-ucb epsilon=.03 choice=thompson width.schedule=log",
    "tv-gp-ucb time.kernel=matern32 time.rate=.1",
    "tv-gp-ucb",
    "r-gp-ucb reset.every=12",
    "br-gp-ucb reset.every=9",
    "et-gp-ucb trigger.delta=.5",
    "sw-gp-ucb window=9",
    "w-gp-ucb decay=.95",
    "ui-gp-ucb noise_growth=linear",
    "ui-gp-ucb noise_growth=power noise_growth.exponent=.5",
    "ui-gp-ucb noise_growth=quadratic",
    "ui-gp-ucb noise_growth=exponential noise_growth.rate=.1",
    "ui-gp-ucb noise_growth=wiener-kernel noise_growth.rate=.01",
    "auto-gp-ucb",
    "auto-gp-ucb time.unit=1 scale.learn=0 offset.variance=.25 choice=thompson",
    "auto-gp-ucb drift.models=ou",
    "auto-gp-ucb model.assume_misspecified=1",
    "pe-gp-ucb width.schedule=log",
    "mle-gp-ucb width.schedule=log",
    "fb-gp-ucb width.schedule=log",
    "rb-gp-ucb width.schedule=log switch.cost=.1",
    "bkb qbar=1",
    "bkb qbar=1 update.growth=2",
    "bkb qbar=1 window=15",
    "sparq-gp-ucb kdpp.steps=20 side.round_factor=2",
    "w-sparq-gp-ucb kdpp.steps=20 side.round_factor=2",
    "random seed=5",
    "constant-arm",
    "outside-ucb",
};
/* Scenes of their own. */
static const struct place others[] = {
    {"auto-gp-ucb indices=7 outcome.type=binomial", LATE | FAILS},
    {"auto-gp-ucb indices=5 contexts=3", LATE | FAILS},
    {"auto-gp-ucb indices=5 contexts=3 fit.stored_observations=8", LATE},
    {"auto-gp-ucb indices=5 contexts=3 changepoint.hazard=.01", LATE | UNEVEN},
    {"auto-gp-ucb indices=5 contexts=3 choice=thompson", LATE | MASKS},
    {"auto-gp-ucb indices=5 outcome.type=ratio", LATE | FAILS | MEANS},
    {"tv-gp-ucb grid=0:1:9 se=.3 outcome.type=lognormal", LATE | FAILS},
    {"tv-gp-ucb grid=0:1:7 se=.3 outcome.type=poisson", LATE | FAILS},
    {"tv-gp-ucb indices=4 se=1 outcome.type=poisson payoffs=1,2,3,1", FAILS},
    {"tv-gp-ucb grid=0:1:8 se=.3 epsilon=.01 season.period=24,168 choice=thompson seed=8", 0},
    {"auto-gp-ucb grid=0:1:8 se=.3 season.period=24 noise=.02", LATE},
    {"auto-gp-ucb grid=0:1:8 se=.3 season.period=24,10 season.lengthscale=2 scale.learn=1", LATE},
    {"auto-gp-ucb grid=0:1:8 se=.3 season.period=24 model.assume_misspecified=1 season.lengthscale=2 "
     "changepoint.confirm_by=likelihood",
     LATE},
    {"auto-gp-ucb grid=0:1:8 se=.3 season.period=24 choice=thompson propensity.draws=8 seed=3", 0},
    {"tv-gp-ucb grid=0:1:11 se=.2 at_least=-.3 safe=.5 constraint.confidence=.7 constraint.exploration_share=.3",
     LATE | FAILS},
    {"auto-gp-ucb box=0:1 se=.2 at_most=.9 safe=.5 constraint.confidence=.7 constraint.exploration_share=.3", LATE | FAILS},
    {"auto-gp-ucb indices=3 history.refit_interval=5", TABLE | GROWS},
    {"gp-ucb indices=5 history.refit_interval=7", TABLE | LATE | FAILS},
    {"igp-ucb indices=5 history.refit_interval=7", TABLE | LATE},
    {"tv-gp-ucb indices=5 history.refit_interval=7 choice=thompson", TABLE | LATE},
    {"sw-gp-ucb indices=5 history.refit_interval=7", TABLE | LATE | FAILS},
    {"r-gp-ucb indices=5 history.refit_interval=7", TABLE | LATE},
    {"br-gp-ucb indices=5 history.refit_interval=7", TABLE | LATE},
    {"et-gp-ucb indices=5 history.refit_interval=7", TABLE | LATE | FAILS},
    {"ui-gp-ucb indices=5 history.refit_interval=7", TABLE | LATE},
    {"w-gp-ucb indices=5 history.refit_interval=7", TABLE | LATE},
    {"auto-gp-ucb indices=3 model.assume_misspecified=0", TABLE | LATE | FAILS},
    {"gp-ucb grid=0:1:8 se=.3 exploration.floor=.3", SLATES | LATE},
    {"tv-gp-ucb grid=0:1:8 se=.3", HELD | BUDGET | LATE | FAILS},
    {"tv-gp-ucb box=0:1 se=.3", HELD},
    {"auto-gp-ucb grid=0:1:8", HELD | LATE},
    {"tv-gp-ucb grid=0:1:8 se=.3 exploration.floor=.3 holdout.share=.2 choice=thompson", HELD | LATE},
    {"tv-gp-ucb grid=0:1:5 se=.3 noise=.1", BUDGET | LATE},
    {"tv-gp-ucb grid=0:1:5 se=.3 noise=.1 cost.weight=2", BUDGET},
    {"pe-gp-ucb grid=0:1:4,0:1:4 se=.3", PRIORS | LATE | GROWS},
    {"mle-gp-ucb box=0:1,0:1 se=.3 search.effort=.2", PRIORS | LATE | FAILS},
    {"fb-gp-ucb box=0:1,0:1 se=.3", PRIORS | LISTS},
    {"rb-gp-ucb grid=0:1:4,0:1:4 se=.3", PRIORS | MASKS},
    {"auto-gp-ucb grid=0:1:4,0:1:4 se=.3", PRIORS | LATE | FAILS},
    {"auto-gp-ucb grid=0:1:4,0:1:4 se=.3 outlier.sd=2", LATE | FAILS | UNEVEN},
    {"auto-gp-ucb indices=11", LATE | FAILS | UNEVEN},
    {"tv-gp-ucb grid=0:1:11 fit.window=20 failed.width=1", LATE | FAILS},
    {"auto-gp-ucb indices=11 outcome.type=poisson", LATE | FAILS},
};
enum {
    PLACES = sizeof places / sizeof *places,
    ALGORITHMS = sizeof algorithms / sizeof *algorithms,
    OTHERS = sizeof others / sizeof *others,
    SCENES = PLACES * ALGORITHMS + OTHERS
};

static struct game open_game(int i, int minimises, size_t refused) {
    char text[400];
    const struct place *own = i < PLACES * ALGORITHMS ? &places[i % PLACES] : &others[i - PLACES * ALGORITHMS];
    snprintf(text, sizeof text, "%s %s", i < PLACES * ALGORITHMS ? algorithms[i / PLACES] : "", own->text);
    return scene_open(text, own->with, (uint64_t)i, minimises, refused);
}

static void assert_same_step(const struct game *a, const struct game *b, int i, const char *what) {
    ck_assert_msg(!memcmp(a->looked, b->looked, sizeof a->looked), "%s, step %d, %s: other predictions", a->text, i, what);
    ck_assert_msg(a->n_seen == b->n_seen, "%s, step %d, %s: %zu queries and %zu", a->text, i, what, a->n_seen, b->n_seen);
    for (size_t k = 0; k < a->n_seen; k++)
        ck_assert_msg(!memcmp(&a->seen[k].q, &b->seen[k].q, sizeof a->seen[k].q) &&
                          !memcmp(a->seen[k].x, b->seen[k].x, a->dim * sizeof *a->seen[k].x),
                      "%s, step %d, %s: arm %d, score %.17g and arm %d, score %.17g", a->text, i, what,
                      (int)a->seen[k].q.arm, a->seen[k].q.score, (int)b->seen[k].q.arm, b->seen[k].q.score);
}

/* ---- copies --------------------------------------------------------------------------------------------------------- */

/* A clone; a policy from a whole snapshot; a fresh policy that loads, and a policy with other outcomes that loads; itself. */
static void copy(struct game *g, int scene, int way) {
    way = g->with & FUNCTION && way == 1 ? 0 : way; /* bytes have no functions */
    const struct saved state = harness_saved(g->policy, way == 1);
    tvgp_policy *other = NULL;
    if (way == 0)
        ASSERT_OK(tvgp_policy_clone(g->policy, &other));
    else if (way == 1)
        ASSERT_OK(tvgp_policy_restore(ctx, state.n, state.bytes, NULL, NULL, &other));
    else if (way < 4 && !g->moved) {
        struct game template = open_game(scene, g->minimises, 0);
        template.r.state = 99;
        for (int i = 0; i < 5 && way == 3; i++)
            scene_step(&template, i, 0);
        other = template.policy;
    }
    if (way > 1)
        ASSERT_OK(tvgp_policy_load(other ? other : g->policy, state.n, state.bytes));
    if (other) {
        tvgp_policy_destroy(g->policy);
        g->policy = other;
    }
    ck_assert_msg(harness_same(state, harness_saved(g->policy, way == 1)), "%s: other bytes, way %d", g->text, way);
}

/* Calls that change nothing. Every statistic listed is a number. */
static void look(struct game *g) {
    double mean[ARMS], var[ARMS], score[ARMS], x[DIM], value;
    tvgp_query q[2];
    int64_t arm;
    size_t n = 0;
    tvgp_policy *twin = NULL;
    (void)tvgp_policy_predict(g->policy, g->t, 1, g->last, mean, var);
    (void)harness_scores(g->policy, g->t, g->arms, NULL, score, mean, var);
    (void)harness_risks(g->policy, g->t, 1, g->last, score);
    (void)tvgp_policy_best(g->policy, g->t, &arm, x);
    (void)tvgp_policy_prior_mean(g->policy, g->t, g->arms, mean);
    ASSERT_OK(tvgp_policy_pending(g->policy, 2, q, NULL, &n));
    ASSERT_OK(tvgp_policy_stat_count(g->policy, &n));
    for (size_t i = 0; i < n; i++) {
        const char *const key = harness_stat_key(g->policy, i);
        ASSERT_OK(tvgp_policy_stat(g->policy, key, &value));
        const int may = harness_may_be_infinite(key) && (g->with & TABLE || strncmp(key, "history.", 8) != 0);
        ck_assert_msg(isfinite(value) || (may && !isnan(value)), "%s: %s is %g", g->text, key, value);
    }
    ck_assert_int_ne(tvgp_policy_save(g->policy, 1, x, &n), TVGP_OK);
    ASSERT_OK(tvgp_policy_clone(g->policy, &twin));
    tvgp_policy_destroy(twin);
}

static void assert_same_statistics(const struct game *a, const struct game *b) {
    size_t n;
    double value[2];
    ASSERT_OK(tvgp_policy_stat_count(a->policy, &n));
    for (size_t i = 0; i < n; i++) {
        const char *const key = harness_stat_key(a->policy, i);
        ASSERT_OK(tvgp_policy_stat(a->policy, key, &value[0]));
        ASSERT_OK(tvgp_policy_stat(b->policy, key, &value[1]));
        ck_assert_msg(value[0] == value[1], "%s: %s is %.17g and %.17g", a->text, key, value[0], value[1]);
    }
}

TEST_EACH(copies_continue, SCENES) {
    const int steps = _i < PLACES * ALGORITHMS && strstr(places[_i % PLACES].text, "search") ? 26 : 60;
    struct game a = open_game(_i, _i / PLACES % 2, 0), b = open_game(_i, _i / PLACES % 2, 0);
    if (a.policy)
        look(&b);
    for (int i = 0; a.policy && i < steps; i++) {
        if (i % 3 == 1)
            copy(&b, _i, i / 3 % 5);
        scene_step(&a, i, 0);
        scene_step(&b, i, 0);
        assert_same_step(&a, &b, i, "copied");
        look(&b);
    }
    if (a.policy)
        assert_same_statistics(&a, &b);
    tvgp_policy_destroy(a.policy);
    tvgp_policy_destroy(b.policy);
}

/* Outcomes of the size of every third power of ten: every state can be saved and read. */
TEST_TURNS(any_size_is_saved, 2 * ALGORITHMS, 0) {
    const int scene = _i / 2 * PLACES + PLACES - 1 - _i % 2;              /* the places without a kernel */
    for (int power = -100; power < 100; power += harness_all() ? 1 : 3) { /* outcomes reach 2; the limit is 1e100 */
        struct game g = open_game(scene, 0, 0);
        g.size = pow(10, power);
        for (int i = 0; i < 12 && g.policy; i++) {
            copy(&g, scene, 1);
            scene_step(&g, i, 0);
        }
        tvgp_policy_destroy(g.policy);
    }
}

/* ---- refused memory ------------------------------------------------------------------------------------------------- */

enum { REFUSED_STEPS = 40, START = 8 };
static struct game calm[REFUSED_STEPS]; /* after each step */

/* The scene, in each step of which allocation k fails, and `lasting` all after it until the call has failed. How many did. */
static size_t play_refused(int scene, size_t k, int lasting) {
    const size_t before = memory.failed;
    memory.lasting = lasting;
    struct game g = open_game(scene, 0, k);
    for (int i = 0; i < (k < 12 ? REFUSED_STEPS : START); i++) {
        scene_step(&g, i, k);
        assert_same_step(&calm[i], &g, i, lasting ? "memory refused for long" : "memory refused");
    }
    memory.lasting = 0;
    tvgp_policy_destroy(g.policy);
    return memory.failed - before;
}

/* For every k: the call is repeated, and then decisions equal a run in which none failed. */
TEST_EACH(memory_is_refused, SCENES) {
    struct game spared = open_game(_i, 0, 0);
    for (int i = 0; i < REFUSED_STEPS && spared.policy; i++) {
        scene_step(&spared, i, 0);
        calm[i] = spared;
    }
    tvgp_policy_destroy(spared.policy);
    for (int lasting = 0; spared.policy && lasting < 2; lasting++)
        for (size_t k = 1, failed = 1; failed; k = k < 40 && !lasting ? k + 1 : harness_next(k))
            failed = play_refused(_i, k, lasting);
}

/* ---- sense ---------------------------------------------------------------------------------------------------------- */

static int has_sign(const struct game *g, const char *key) {
    const int tests_rewards = strstr(g->text, "rb-gp-ucb") != NULL;
    return !strcmp(key, "mean") || !strcmp(key, "fit.mean") || !strcmp(key, "offset") ||
           (tests_rewards && (!strncmp(key, "prior.statistic.", 16) || !strncmp(key, "prior.threshold.", 16)));
}

static void assert_negated(const struct game *a, const struct game *b) {
    double mean[2][ARMS] = {{0}}, var[2][ARMS] = {{0}}, x[2][DIM] = {{0}}, value[2];
    int64_t best[2] = {0};
    size_t n;
    for (int k = 0; k < 2; k++) {
        const struct game *g = k ? b : a;
        (void)tvgp_policy_predict(g->policy, g->t, g->arms ? g->arms : 1, g->arms ? NULL : g->last, mean[k], var[k]);
        (void)tvgp_policy_best(g->policy, g->t, &best[k], x[k]);
    }
    ck_assert_msg(best[0] == best[1] && !memcmp(x[0], x[1], sizeof x[0]), "%s: best", a->text);
    for (size_t i = 0; i < ARMS; i++)
        ck_assert_msg(mean[1][i] == -mean[0][i] && var[1][i] == var[0][i], "%s: mean %.17g and %.17g", a->text, mean[0][i],
                      mean[1][i]);
    ASSERT_OK(tvgp_policy_stat_count(a->policy, &n));
    for (size_t i = 0; i < n; i++) {
        const char *const key = harness_stat_key(a->policy, i);
        ASSERT_OK(tvgp_policy_stat(a->policy, key, &value[0]));
        ASSERT_OK(tvgp_policy_stat(b->policy, key, &value[1]));
        ck_assert_msg(value[1] == (has_sign(a, key) ? -value[0] : value[0]), "%s: %s is %.17g and %.17g", a->text, key,
                      value[0], value[1]);
    }
}

/* The same arms, the same bits; everything with the sign of a reward in the user's. */
TEST_EACH(the_negative_is_minimised, SCENES) {
    struct game g[2] = {open_game(_i, 0, 0), open_game(_i, 1, 0)};
    if (g[0].policy && !strstr(g[0].text, "outcome.type"))
        assert_negated(&g[0], &g[1]);
    for (int i = 0; i < 40 && g[0].policy && !strstr(g[0].text, "outcome.type"); i++) {
        scene_step(&g[0], i, 0);
        scene_step(&g[1], i, 0);
        for (size_t k = 0; k < g[1].n_seen; k++)
            g[1].seen[k].q.score = 0 - g[1].seen[k].q.score;
        for (size_t k = 0; k < g[0].n_seen; k++)
            g[0].seen[k].q.score += 0; /* -0 is 0 */
        memcpy(g[1].looked, g[0].looked, sizeof g[1].looked);
        assert_same_step(&g[0], &g[1], i, "minimised");
        if (i % 5 == 4)
            assert_negated(&g[0], &g[1]);
    }
    tvgp_policy_destroy(g[0].policy);
    tvgp_policy_destroy(g[1].policy);
}

/* A cost with its least value in the middle: it is found, and bounds are lower ones. */
TEST(least_cost) {
    int64_t best;
    tvgp_domain *domain = harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){21});
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, harness_se(1, 1, (const double[]){0.2}));
    ASSERT_OK(tvgp_policy_set_str(policy, "sense", "min"));
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, 1, &(double){5}));
    ASSERT_FAILS(TVGP_ERR_TICKET, tvgp_policy_tell_value(policy, 3, 1), "id = 3"); /* before the start: turns no mean */
    for (double t = 1; t <= 60; t++) {
        double x;
        tvgp_query q = harness_ask_at(policy, t, &x);
        const double want = 5 + harness_stat(policy, "mean") - harness_stat(policy, "width") * harness_stat(policy, "sd");
        ASSERT_NEAR(q.score, want, 1e-12);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, 4 + 8 * (x - 0.6) * (x - 0.6)));
    }
    ASSERT_OK(tvgp_policy_best(policy, 60, &best, NULL));
    ck_assert_int_eq(best, 12); /* 0.6 */
    double mean, at = 0.6;
    ASSERT_OK(tvgp_policy_predict(policy, 60, 1, &at, &mean, NULL));
    ck_assert_double_eq_tol(mean, 4, 0.1);
}

HARNESS_MAIN("scenes")

/* SPDX-License-Identifier: MIT */
/* Contexts that are measured: arms times a box. Against joint arms, which is the same where the context takes a few values;
 * against a dense posterior; what stays when things fail, are saved or copied. */
#include "harness.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACTIONS = 6, PLACES = 5, DIM = 3, STEPS = 500, OPEN = 12 };

static const double lower[] = {0, -2}, upper[] = {1, 3};
/* actions on a line, contexts in a plane */
static const double at[ACTIONS] = {0.1, 0.9, 0.35, 0.5, 0.62, 0};
static const double place[PLACES][2] = {{0.25, 1}, {0, -2}, {1, 3}, {0.7, 0.1}, {0.31, 1.2}};
static const double lengthscale[] = {0.3, 0.5, 2};

/* Where the function moves, an action that waits for its answer stands at the time of its ask without arms (docs/boxes.md), and at
 * the present on arms: late answers come as values nobody asked for. A filter takes what is late blurred. */
enum { AS_IT_COMES, MOVES, IN_ORDER };
static const struct play {
    const char *name, *options;
    int late;
} plays[] = {
    {"gp-ucb", "", AS_IT_COMES},
    {"gp-ucb", "sense=min width.schedule=constant width.value=3", AS_IT_COMES},
    {"igp-ucb", "", AS_IT_COMES},
    {"tv-gp-ucb", "epsilon=0.03 late.limit=1000", MOVES},
    {"tv-gp-ucb", "time.law=matern32 time.rate=0.1", IN_ORDER},
    {"r-gp-ucb", "reset.every=60", AS_IT_COMES},
    {"br-gp-ucb", "reset.every=45", AS_IT_COMES},
    {"et-gp-ucb", "trigger.delta=0.5", AS_IT_COMES},
    {"sw-gp-ucb", "window=40", AS_IT_COMES},
    {"w-gp-ucb", "decay=0.95", AS_IT_COMES},
    {"ui-gp-ucb", "growth=linear", AS_IT_COMES},
    {"ui-gp-ucb", "growth=power growth.alpha=0.5", AS_IT_COMES},
    {"ui-gp-ucb", "growth=quadratic", AS_IT_COMES},
    {"ui-gp-ucb", "growth=exponential growth.rate=0.1", AS_IT_COMES},
    {"ui-gp-ucb", "growth=wiener-kernel growth.rate=0.01 late.limit=1000", MOVES},
};
enum { PLAYS = sizeof plays / sizeof *plays };

static tvgp_domain *actions_of(tvgp_ctx *c) {
    tvgp_domain *actions = NULL;
    (void)tvgp_domain_arms(c, ACTIONS, 1, at, &actions);
    return actions;
}

/* measured: times the box; otherwise times the places */
static tvgp_status make_domain(tvgp_ctx *c, int measured, tvgp_domain **out) {
    tvgp_domain *actions = actions_of(c), *contexts = NULL;
    tvgp_status status = TVGP_ERR_NOMEM;
    if (actions)
        status =
            measured ? tvgp_domain_box(c, 2, lower, upper, &contexts) : tvgp_domain_arms(c, PLACES, 2, place[0], &contexts);
    if (status == TVGP_OK)
        status = tvgp_domain_product(c, actions, contexts, out);
    tvgp_domain_destroy(contexts);
    tvgp_domain_destroy(actions);
    return status;
}

static tvgp_status make_policy(tvgp_ctx *c, const char *name, int measured, int told, tvgp_policy **out) {
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_status status = make_domain(c, measured, &domain);
    if (status == TVGP_OK && told)
        status = tvgp_kernel_se(c, DIM, 1, lengthscale, DIM, &kernel);
    if (status == TVGP_OK)
        status = tvgp_policy_create(c, name, domain, kernel, out);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return status;
}

static tvgp_policy *policy_of(const char *name, int measured) {
    tvgp_policy *policy;
    ASSERT_OK(make_policy(ctx, name, measured, 1, &policy));
    return policy;
}

/* What is there in an action and a place, moving slowly. */
static double truth(const double *x, double t) {
    const double off = x[0] - 0.5 - 0.4 * sin(3 * x[1] + x[2] + 0.01 * t);
    return exp(-8 * off * off);
}

static void point(size_t action, size_t context, double *x) {
    x[0] = at[action];
    x[1] = place[context][0];
    x[2] = place[context][1];
}

/* ---- against joint arms ------------------------------------------------------------------------------------------- */

static void both_say(const tvgp_policy *a, const tvgp_policy *b, const char *key) {
    ASSERT_NEAR(harness_stat(a, key), harness_stat(b, key), 1e-8);
}

static void same_predictions(tvgp_policy *measured, tvgp_policy *joint, double t) {
    double X[ACTIONS * PLACES * DIM], mean[2][ACTIONS * PLACES], var[2][ACTIONS * PLACES];
    for (size_t i = 0; i < ACTIONS * PLACES; i++)
        point(i / PLACES, i % PLACES, X + DIM * i);
    ASSERT_OK(tvgp_policy_predict(measured, t, ACTIONS * PLACES, X, mean[0], var[0]));
    ASSERT_OK(tvgp_policy_predict(joint, t, ACTIONS * PLACES, X, mean[1], var[1]));
    for (size_t i = 0; i < ACTIONS * PLACES; i++) {
        ASSERT_NEAR(mean[0][i], mean[1][i], 1e-8);
        ASSERT_NEAR(var[0][i], var[1][i], 1e-8);
    }
}

/* Arms that come and go: at least one of the context is left. */
static void mask_both(tvgp_policy *measured, tvgp_policy *joint, struct rnd *r) {
    uint8_t mask[ACTIONS], of_pairs[ACTIONS * PLACES];
    size_t sure = rnd_below(r, ACTIONS);
    for (size_t i = 0; i < ACTIONS; i++)
        mask[i] = i == sure || rnd_below(r, 3) > 0;
    for (size_t i = 0; i < ACTIONS * PLACES; i++)
        of_pairs[i] = mask[i / PLACES];
    ASSERT_OK(tvgp_policy_set_available(measured, mask, ACTIONS));
    ASSERT_OK(tvgp_policy_set_available(joint, of_pairs, ACTIONS * PLACES));
}

static void mean_both(tvgp_policy *measured, tvgp_policy *joint, struct rnd *r) {
    double mean[ACTIONS], of_pairs[ACTIONS * PLACES];
    rnd_fill(r, ACTIONS, mean);
    for (size_t i = 0; i < ACTIONS * PLACES; i++)
        of_pairs[i] = mean[i / PLACES];
    ASSERT_OK(tvgp_policy_set_mean(measured, mean, ACTIONS));
    ASSERT_OK(tvgp_policy_set_mean(joint, of_pairs, ACTIONS * PLACES));
}

static void unsolicited(tvgp_policy *measured, tvgp_policy *joint, double t, struct rnd *r) {
    double x[DIM];
    tvgp_obs o = {.flags = TVGP_OBS_TIME, .t = t};
    point(rnd_below(r, ACTIONS), rnd_below(r, PLACES), x);
    o.y = truth(x, t) + 0.1 * rnd_normal(r);
    ASSERT_OK(tvgp_policy_tell(measured, &o, x, 1));
    ASSERT_OK(tvgp_policy_tell(joint, &o, x, 1));
}

/* The same steps of two policies, of arms times a box and of arms times the places the context takes: irregular times, masks and
 * means that change, several asks before an answer, late answers, some without a value, some nobody asked for. */
START_TEST(as_joint_arms) {
    const struct play *play = &plays[_i];
    struct rnd r = {(uint64_t)_i + 1};
    struct open {
        int64_t id[2];
        double x[DIM], t;
    } open[OPEN];
    size_t n_open = 0;
    double t = 0;
    tvgp_policy *measured = policy_of(play->name, 1), *joint = policy_of(play->name, 0);
    ASSERT_OK(tvgp_policy_set(measured, play->options));
    ASSERT_OK(tvgp_policy_set(joint, play->options));
    ASSERT_OK(tvgp_policy_set(measured, "forget.tolerance=0 rows.limit=0"));
    for (size_t step = 0; step < STEPS; step++) {
        const size_t context = rnd_below(&r, PLACES);
        tvgp_query a, b;
        double x[2][DIM];
        t += rnd_below(&r, 3) ? rnd_uniform(&r) : 0;
        ASSERT_OK(tvgp_policy_set_context_x(measured, place[context], 2));
        ASSERT_OK(tvgp_policy_set_context(joint, (int64_t)context));
        if (rnd_below(&r, 4) == 0)
            mask_both(measured, joint, &r);
        if (rnd_below(&r, 50) == 0)
            mean_both(measured, joint, &r);
        if (rnd_below(&r, 9) == 0)
            unsolicited(measured, joint, t, &r);
        ASSERT_OK(tvgp_policy_ask_one(measured, t, &a, x[0]));
        ASSERT_OK(tvgp_policy_ask_one(joint, t, &b, x[1]));
        ck_assert_msg(a.arm == b.arm / PLACES && b.arm % PLACES == (int64_t)context, "%s %s, step %zu: action %d and %d",
                      play->name, play->options, step, (int)a.arm, (int)b.arm / PLACES);
        ck_assert(memcmp(x[0], x[1], sizeof x[0]) == 0);
        ASSERT_NEAR(a.score, b.score, 1e-8);
        ASSERT_NEAR(a.noise_var, b.noise_var, 1e-12);
        ck_assert_double_eq(a.propensity, 1);
        both_say(measured, joint, "width");
        both_say(measured, joint, "mean");
        both_say(measured, joint, "sd");
        struct open *o = &open[n_open++];
        *o = (struct open){.id = {a.id, b.id}, .t = t};
        memcpy(o->x, x[0], sizeof o->x);
        if (play->late == MOVES) {
            ASSERT_OK(tvgp_policy_tell(measured, &(tvgp_obs){.id = a.id, .outcome = TVGP_SKIPPED}, NULL, 1));
            ASSERT_OK(tvgp_policy_tell(joint, &(tvgp_obs){.id = b.id, .outcome = TVGP_SKIPPED}, NULL, 1));
        }
        while (n_open == OPEN || (n_open && (play->late == IN_ORDER || rnd_below(&r, 5) > 1))) {
            const size_t i = play->late == IN_ORDER ? 0 : rnd_below(&r, n_open);
            tvgp_obs told = {.outcome = rnd_below(&r, 8) ? TVGP_VALUE : (int32_t)(1 + rnd_below(&r, 3)),
                             .y = truth(open[i].x, open[i].t) + 0.1 * rnd_normal(&r)};
            if (rnd_below(&r, 5) == 0) {
                told.flags = TVGP_OBS_NOISE;
                told.noise_var = 0.05;
            }
            if (play->late == MOVES) {
                told = (tvgp_obs){.y = told.y, .flags = TVGP_OBS_TIME, .t = open[i].t};
                ASSERT_OK(tvgp_policy_tell(measured, &told, open[i].x, 1));
                ASSERT_OK(tvgp_policy_tell(joint, &told, open[i].x, 1));
            } else {
                told.id = open[i].id[0];
                ASSERT_OK(tvgp_policy_tell(measured, &told, NULL, 1));
                told.id = open[i].id[1];
                ASSERT_OK(tvgp_policy_tell(joint, &told, NULL, 1));
            }
            open[i] = open[--n_open];
        }
        if (step % 25 == 0) {
            int64_t best[2];
            same_predictions(measured, joint, t + 0.5);
            ASSERT_OK(tvgp_policy_best(measured, t, &best[0], x[0]));
            ASSERT_OK(tvgp_policy_best(joint, t, &best[1], x[1]));
            ck_assert_int_eq(best[0], best[1] / PLACES);
            ck_assert(memcmp(x[0], x[1], sizeof x[0]) == 0);
        }
    }
    static const char *const counts[] = {"asked",     "values",      "skipped", "failed",
                                         "cancelled", "unsolicited", "resets",  "ignored"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ck_assert_double_eq(harness_stat(measured, counts[i]), harness_stat(joint, counts[i]));
    both_say(measured, joint, "information_gain");
    both_say(measured, joint, "log_evidence");
    tvgp_policy_destroy(measured);
    tvgp_policy_destroy(joint);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("context_x");
    for (int i = 0; i < PLAYS; i++) {
        TCase *tc = harness_case_of(suite, 0, "%s %s", plays[i].name, plays[i].options);
        tcase_add_loop_test(tc, as_joint_arms, i, i + 1);
    }
    return harness_run(suite);
}

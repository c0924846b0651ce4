/* SPDX-License-Identifier: MIT */
/* Long work that is ended at every moment at which it asks, or by a quota of work: nothing has changed, and the next try does what
 * a policy does that was left alone. */
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clock {
    long asked, stop_at; /* 0: never */
    int quota;           /* instead: of work, the more the later it is to stop */
};

static int32_t stop(void *user) {
    struct clock *c = user;
    return ++c->asked == c->stop_at;
}

struct player {
    tvgp_policy *policy;
    struct clock *clock; /* NULL: left alone */
    long stopped;
};

/* try 0: to the end. */
static void stop_later(struct clock *c, long try) {
    if (c && c->quota)
        ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, try ? (int64_t)1 << try : 0));
    else if (c)
        *c = (struct clock){.stop_at = try};
}

/* Ends the call at the first question, then at the second, .. until it gets through. */
#define INSIST(p, call)                                                                                                     \
    for (long try = 1;; try++) {                                                                                            \
        stop_later((p)->clock, try);                                                                                        \
        tvgp_status insist_ = (call);                                                                                       \
        stop_later((p)->clock, 0);                                                                                          \
        if (insist_ >= 0)                                                                                                   \
            break;                                                                                                          \
        ck_assert_msg(insist_ == ((p)->clock->quota ? TVGP_ERR_LIMIT : TVGP_ERR_INTERRUPTED), "%s", tvgp_ctx_errmsg(ctx));  \
        (p)->stopped++;                                                                                                     \
    }

static void play(struct player *p, int steps) {
    struct rnd rnd = {3};
    for (int i = 0; i < steps; i++) {
        tvgp_query q[8];
        size_t n = 0;
        INSIST(p, tvgp_policy_ask(p->policy, i, 8, q, NULL, &n))
        for (size_t k = 0; k < n; k++) {
            double y = rnd_normal(&rnd);
            INSIST(p, tvgp_policy_tell_value(p->policy, q[k].id, y))
        }
    }
}

static const struct {
    const char *name, *options;
    int steps;
} games[] = {
    {"auto-gp-ucb", "noise=.1", 3},
    {"tv-gp-ucb", "noise=.1", 90},
    {"gp-ucb", "fit=map fit.max_evals=6", 12},
    {"sparq-gp-ucb", "kdpp.steps=300 side.round_factor=.5 side.round_exponent=1", 15},
    {"bkb", "noise=.1", 6},
};

static void end_at_every_moment(int game, int quota) {
    enum { ARMS = 60 };
    double X[2 * ARMS];
    const double lengthscale = 0.6;
    struct clock clock = {.quota = quota};
    struct player p = {.clock = &clock}, twin = {0};
    rnd_fill(&(struct rnd){9}, 2 * ARMS, X);
    tvgp_domain *domain = harness_arms(ARMS, 2, X);
    tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
    p.policy = MAKE_POLICY(tvgp_policy_create, ctx, games[game].name, domain, kernel);
    twin.policy = MAKE_POLICY(tvgp_policy_create, ctx, games[game].name, domain, kernel);
    ASSERT_OK(tvgp_policy_set(p.policy, games[game].options));
    ASSERT_OK(tvgp_policy_set(twin.policy, games[game].options));
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, stop, &clock, NULL));
    play(&p, games[game].steps);
    play(&twin, games[game].steps);
    ck_assert(p.stopped > 0 || (!quota && strcmp(games[game].name, "bkb") == 0));
    ASSERT_SAME_STATE(p.policy, twin.policy, "%s", games[game].name);
}

TEST_EACH(every_question_may_be_the_last, sizeof games / sizeof *games) {
    end_at_every_moment(_i, 0);
}

TEST_EACH(every_quota_may_be_too_small, sizeof games / sizeof *games) {
    end_at_every_moment(_i, 1);
}

/* Work in proportion to a number of the caller asks all the time, and can be ended in its middle. */
TEST(long_calls_ask) {
    enum { ARMS = 60, CANDIDATES = 16384 };
    static double p[ARMS], X[CANDIDATES];
    struct clock clock = {0};
    tvgp_query q;
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, stop, &clock, NULL));
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create_described, ctx, "gp-ucb grid=0:1:60 se=.1");
    ASSERT_OK(tvgp_policy_ask_one(policy, 0, &q, NULL));
    for (int64_t draws = 20000, once = 0; draws <= 40000; draws *= 2) {
        clock = (struct clock){0};
        ASSERT_OK(tvgp_policy_best_probability(policy, 1, ARMS, NULL, (size_t)draws, p));
        ck_assert_msg(clock.asked >= 20 && clock.asked >= 2 * once - 2, "%ld questions in %d draws", clock.asked,
                      (int)draws);
        once = clock.asked;
    }
    clock = (struct clock){.stop_at = clock.asked / 2};
    ck_assert_int_eq(tvgp_policy_best_probability(policy, 1, ARMS, NULL, 40000, p), TVGP_ERR_INTERRUPTED);
    policy = MAKE_POLICY(tvgp_policy_create_described, ctx, "gp-ucb box=0:1 se=.02");
    for (int i = 0; i < CANDIDATES; i++)
        X[i] = i / (double)CANDIDATES;
    ASSERT_OK(tvgp_policy_set_candidates(policy, CANDIDATES, X, NULL));
    for (int t = 0; t < 100; t++) {
        const tvgp_obs obs = tvgp_obs_unsolicited(t, sin(t));
        ASSERT_OK(tvgp_policy_tell(policy, 1, &obs, &(double){fmod(.618 * t, 1)}));
    }
    clock = (struct clock){0};
    ASSERT_OK(tvgp_policy_ask_one(policy, 100, &q, p));
    ck_assert_msg(clock.asked >= 5, "%ld questions of a choice among %d candidates", clock.asked, (int)CANDIDATES);
}

TEST(arguments) {
    ck_assert_int_eq(tvgp_ctx_set_interrupt(NULL, stop, NULL, NULL), TVGP_ERR_ARG);
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
}

HARNESS_MAIN("interrupt")

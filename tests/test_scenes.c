/* SPDX-License-Identifier: MIT */
/* Properties of scenes. A scene is a policy in words (docs/reference/protocol.md) and what happens to it: delayed, missing and
 * unsolicited outcomes, in batches; masks, lists of candidates, contexts, means, priors, constraints, historical data, new arms.
 * Copies continue with the same bits, also when they are looked at; a call to which memory is refused leaves no trace; minimising the
 * negative is maximising. */
#include "harness.h"
#include "outside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIM = 3, OPEN = 12, ARMS = 64, LIST = 6, BATCH = 32, OUTPUTS = 3, ROWS = 40 };
enum {
    LATE = 1,       /* outcomes wait, and come in any order */
    FAILS = 2,      /* some have no value */
    MASKS = 4,      /* the arms that are available change */
    LISTS = 8,      /* candidates that change, some with means */
    SLATES = 16,    /* two arms at a time */
    MEANS = 32,     /* the prior mean changes */
    TABLE = 64,     /* historical data, before the start and later */
    GROWS = 128,    /* arms are added */
    PRIORS = 256,   /* two are added before the start, one later */
    HELD = 512,     /* there is an incumbent */
    BUDGET = 1024,  /* costs are charged to a budget */
    UNEVEN = 2048,  /* times between asks vary by a factor of e */
    FUNCTION = 4096 /* the prior mean is a function */
};

/* Every player is in every place where it can be. */
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
     "constraint.exploration_share=.3 constraint.initial_margin=.1",
     LATE | FAILS},
    {"grid=0:1:12 se=.2", LATE | GROWS | UNEVEN},
    {"grid=0:1:12", LATE | UNEVEN},
    {"box=0:1,-2:3 search.effort=.2 fit.max_evals=8", LATE | UNEVEN},
};
static const char *const players[] = {
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
    {"auto-gp-ucb indices=3 history.refit_interval=5", TABLE | GROWS},
    {"auto-gp-ucb indices=3 model.assume_misspecified=0", TABLE | LATE | FAILS},
    {"gp-ucb grid=0:1:8 se=.3 exploration.floor=.3", SLATES | LATE},
    {"tv-gp-ucb grid=0:1:8 se=.3", HELD | BUDGET | LATE | FAILS},
    {"tv-gp-ucb box=0:1 se=.3", HELD},
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
    PLAYERS = sizeof players / sizeof *players,
    OTHERS = sizeof others / sizeof *others,
    SCENES = PLACES * PLAYERS + OTHERS
};

struct game {
    char text[400];
    int with, minimises, moved; /* moved: arms were added */
    size_t arms, dim, contexts, measured, outputs;
    tvgp_policy *policy;
    struct rnd r;
    double t, last[DIM];
    struct {
        int64_t id;
        double x[DIM], t;
    } open[OPEN + BATCH];
    size_t n_open;
    struct {
        tvgp_query q;
        double x[DIM];
    } seen[BATCH]; /* in the last step */
    size_t n_seen;
    double looked[4]; /* mean, variance, score, best arm */
    /* what may be asked */
    uint8_t mask[ARMS];
    double low[DIM], high[DIM], list[LIST * DIM], z[DIM];
    size_t n_list;
    int64_t context;
};

static size_t times_in(const char *text, const char *word) {
    size_t n = 0;
    while ((text = strstr(text, word)) != NULL) {
        text++;
        n++;
    }
    return n;
}

static double sign(const struct game *g) {
    return g->minimises ? -1 : 1;
}

/* ---- a game --------------------------------------------------------------------------------------------------------- */

/* A prior with a kernel and a mean of its own. */
static void add_prior(struct game *g, double mean, double epsilon) {
    tvgp_kernel *kernel = NULL;
    mean *= sign(g);
    SURVIVE(tvgp_kernel_matern(ctx, g->dim, 2.5, 0.8, 1, &(double){0.5}, &kernel));
    SURVIVE(tvgp_policy_add_prior(g->policy, kernel, g->with & GROWS ? 0 : 1, g->with & GROWS ? NULL : &mean, epsilon));
    tvgp_kernel_destroy(kernel);
}

/* A prior mean; `user`: its sign. */
static int32_t slope(void *user, size_t n, const double *X, double *mean, double *gradient) {
    for (size_t i = 0; i < 2 * n; i++) {
        mean[i / 2] = *(const double *)user * 0.3 * X[i / 2 * 2];
        if (gradient)
            gradient[i] = i % 2 ? 0 : *(const double *)user * 0.3;
    }
    return 0;
}

/* A table before the start, records later. */
static void teach(struct game *g) {
    static tvgp_obs log[ROWS * ARMS];
    double value[ROWS * ARMS], x[ROWS * ARMS];
    for (size_t i = 0; i < ROWS * g->arms; i++)
        value[i] = sign(g) * (sin((double)(i / g->arms)) + 0.3 * cos(1.7 * (double)i));
    if (!g->n_seen) {
        SURVIVE(tvgp_policy_learn_history_table(g->policy, ROWS, NULL, value));
        return;
    }
    for (size_t i = 0; i < ROWS * g->arms; i++) {
        log[i] = tvgp_obs_unsolicited((double)(i / g->arms) - ROWS, value[i]);
        x[i] = (double)(i % g->arms);
    }
    SURVIVE(tvgp_policy_learn_history(g->policy, ROWS * g->arms, log, x));
}

static void set_mean(struct game *g) {
    double mean[ARMS];
    const size_t n = g->measured || !g->arms || !rnd_below(&g->r, 2) ? 1 : g->arms;
    for (size_t i = 0; i < n; i++)
        mean[i] = strstr(g->text, "=ratio") ? exp(0.2 * rnd_normal(&g->r)) : sign(g) * 0.2 * rnd_normal(&g->r);
    SURVIVE(tvgp_policy_set_prior_mean(g->policy, n, mean));
}

/* Sizes, and what comes before the first step. */
static void set_up(struct game *g) {
    static const double signs[2] = {1, -1};
    const char *contexts = strstr(g->text, "contexts=");
    tvgp_domain *domain = NULL;
    SURVIVE(tvgp_policy_domain(g->policy, &domain));
    ASSERT_OK(tvgp_domain_size(domain, &g->arms));
    ASSERT_OK(tvgp_domain_dim(domain, &g->dim));
    g->measured = contexts && contexts[10] == ':' ? g->dim - 1 : 0;
    g->contexts = contexts && !g->measured ? (size_t)(contexts[9] - '0') : 1;
    g->outputs = times_in(g->text, "at_least=") + times_in(g->text, "at_most=");
    ASSERT_OK(tvgp_domain_bounds(domain, g->last, g->high));
    memcpy(g->low, g->last, sizeof g->low);
    memset(g->mask, 1, sizeof g->mask);
    tvgp_domain_destroy(domain);
    if (g->with & MEANS) /* before the sense, which must not matter */
        set_mean(g);
    if (g->with & FUNCTION)
        SURVIVE(tvgp_policy_set_prior_mean_fn(g->policy, slope, (void *)&signs[g->minimises], NULL));
    for (int i = 0; i < 2 && g->with & PRIORS; i++)
        add_prior(g, 0.2 * i, 0.02 * i);
    if (g->minimises)
        SURVIVE(tvgp_policy_set_str(g->policy, "sense", "min"));
    if (g->with & TABLE)
        teach(g);
    if (g->with & HELD)
        SURVIVE(tvgp_policy_set_incumbent(g->policy, (const double[]){0, 0}, 0.3));
    if (g->with & BUDGET) {
        SURVIVE(tvgp_policy_set_budget(g->policy, 40, 100, 60));
        SURVIVE(tvgp_policy_set_costs(g->policy, 1, &(double){1}));
    }
}

/* What only the first ask or new arms would refuse: draws among infinitely many points, arms that stay as they are. */
static int is_refused(const struct game *g) {
    return (strstr(g->text, "thompson") && (strstr(g->text, "contexts=0:1") || strstr(g->text, "box=")) &&
            !(g->with & LISTS)) ||
           (g->with & GROWS && (strstr(g->text, "bkb") || strstr(g->text, "random") || strstr(g->text, "constant") ||
                                strstr(g->text, "outside")));
}

static int registered;

/* Scene i; the policy is NULL if the player cannot be in this place. */
static struct game open_game(int i, int minimises, size_t refused) {
    struct game g = {.minimises = minimises, .r = {(uint64_t)i}};
    const struct place *own = i < PLACES * PLAYERS ? &places[i % PLACES] : &others[i - PLACES * PLAYERS];
    snprintf(g.text, sizeof g.text, "%s %s", i < PLACES * PLAYERS ? players[i / PLACES] : "", own->text);
    g.with = own->with;
    if (strstr(g.text, "outside-ucb"))
        (void)tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL); /* once */
    const tvgp_status status = tvgp_policy_create_described(ctx, g.text, &g.policy);
    ck_assert_msg(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_ARG ||
                      (status == TVGP_ERR_NOTFOUND && (strstr(g.text, "random") || strstr(g.text, "constant"))),
                  "%s: %s", g.text, tvgp_ctx_errmsg(ctx));
    if (status == TVGP_OK)
        tvgp_policy_destroy(g.policy);
    g.policy = NULL;
    if (status != TVGP_OK || is_refused(&g))
        return g;
    memory.fail_in = memory.withheld = refused;
    SURVIVE(tvgp_policy_create_described(ctx, g.text, &g.policy));
    set_up(&g);
    memory.fail_in = 0;
    return g;
}

static void make_list(struct game *g) {
    double mean[LIST];
    const int plain = rnd_below(&g->r, 2) == 0;
    g->n_list = 2 + rnd_below(&g->r, LIST - 1);
    rnd_fill(&g->r, g->n_list * g->dim, g->list);
    for (size_t i = 0; i < g->n_list; i++)
        mean[i] = sign(g) * 0.3 * rnd_normal(&g->r);
    SURVIVE(tvgp_policy_set_candidates(g->policy, g->n_list, g->list, plain ? NULL : mean));
}

/* At least two actions of three, in every context; on a box a part of it. */
static void set_mask(struct game *g) {
    const size_t shift = rnd_below(&g->r, 3);
    for (size_t i = 0; i < g->arms; i++)
        g->mask[i] = (i / g->contexts + shift) % 3 != 0;
    if (g->arms) {
        SURVIVE(tvgp_policy_set_available(g->policy, g->arms, g->mask));
        return;
    }
    memcpy(g->low, (const double[]){0.25, -1}, 2 * sizeof *g->low);
    memcpy(g->high, (const double[]){0.5, (double)shift - 1}, 2 * sizeof *g->high);
    SURVIVE(tvgp_policy_set_bounds(g->policy, g->low, g->high));
}

/* Everything may be asked again. */
static void lift_mask(struct game *g) {
    memset(g->mask, 1, sizeof g->mask);
    memcpy(g->low, (const double[]){0, -2}, 2 * sizeof *g->low);
    memcpy(g->high, (const double[]){1, 3}, 2 * sizeof *g->high);
    if (g->arms)
        SURVIVE(tvgp_policy_set_available(g->policy, 0, NULL));
    else
        SURVIVE(tvgp_policy_set_bounds(g->policy, NULL, NULL));
}

static void grow(struct game *g) {
    const double far[DIM] = {1.5, 4, 2};
    tvgp_domain *domain = NULL, *larger = NULL;
    SURVIVE(tvgp_policy_domain(g->policy, &domain));
    if (strstr(g->text, "indices"))
        SURVIVE(tvgp_domain_indices(ctx, g->arms + 1, &larger));
    else
        SURVIVE(tvgp_domain_append(domain, 1, far, &larger));
    SURVIVE(tvgp_policy_extend(g->policy, larger, NULL));
    tvgp_domain_destroy(domain);
    tvgp_domain_destroy(larger);
    g->arms++;
    g->moved = 1;
}

static void replace_by_clone(struct game *g) {
    tvgp_policy *clone = NULL;
    SURVIVE(tvgp_policy_clone(g->policy, &clone));
    tvgp_policy_destroy(g->policy);
    g->policy = clone;
}

/* What the user sets before an ask. */
static void change(struct game *g, int i) {
    if (g->measured && (i == 0 || rnd_below(&g->r, 2))) {
        rnd_fill(&g->r, g->measured, g->z);
        SURVIVE(tvgp_policy_set_context_point(g->policy, g->measured, g->z));
    }
    g->context = i * 5 / 2 % (int64_t)g->contexts;
    if (g->contexts > 1)
        SURVIVE(tvgp_policy_set_context(g->policy, g->context));
    if (g->with & LISTS && (i == 0 || rnd_below(&g->r, 2)))
        make_list(g);
    if (g->with & MASKS && i % 4 == 2)
        set_mask(g);
    if (g->with & MASKS && i % 12 == 11)
        lift_mask(g);
    if (g->with & MEANS && i % 9 == 4 && !(g->with & FUNCTION))
        set_mean(g);
    if (g->with & PRIORS && i == 11 && !strstr(g->text, "auto"))
        add_prior(g, 0.1, 0.05);
    if (g->with & TABLE && i == 9)
        teach(g);
    if (g->with & GROWS && i == 7)
        grow(g);
    if (g->outputs && i % 8 == 5) {
        SURVIVE(tvgp_policy_set_constraint(g->policy, 1, -0.3 - 0.02 * i));
        SURVIVE(tvgp_policy_set_safe(g->policy, 2, (const double[]){0.5, 0}));
    }
    if (i % 6 == 5)
        replace_by_clone(g);
}

/* A policy that waits for outcomes asks nothing. */
static tvgp_status ask(struct game *g, tvgp_query *q, double *x, size_t *n) {
    *n = 77;
    const tvgp_status status = g->with & SLATES ? tvgp_policy_ask_slate(g->policy, g->t, 2, q, x, n)
                                                : tvgp_policy_ask(g->policy, g->t, BATCH, q, x, n);
    ck_assert(status >= 0 || *n == 77);
    return status == TVGP_AGAIN ? TVGP_OK : status;
}

/* A policy without a model, or one that draws, refuses some of these; one that waits for outcomes has no score. */
static tvgp_status supported(tvgp_status status) {
    return status == TVGP_ERR_UNSUPPORTED || status == TVGP_AGAIN ? TVGP_OK : status;
}

static void predict(struct game *g) {
    int64_t arm = 0;
    double x[DIM];
    size_t evals = 0;
    memset(g->looked, 0, sizeof g->looked);
    SURVIVE(supported(tvgp_policy_predict(g->policy, g->t, 1, g->last, &g->looked[0], &g->looked[1])));
    SURVIVE(supported(harness_scores(g->policy, g->t, 1, g->last, &g->looked[2], NULL, NULL)));
    SURVIVE(supported(tvgp_policy_best(g->policy, g->t, &arm, x)));
    if (!strstr(g->text, " se=") && !strstr(g->text, " matern")) /* it learns */
        SURVIVE(supported(tvgp_policy_fit(g->policy, 3, &evals)));
    g->looked[3] = (double)arm;
}

static double value_at(struct game *g, const double *x, double t) {
    return sin(5 * x[0] + 0.05 * t) + 0.4 * cos(x[g->dim - 1]) + 0.1 * rnd_normal(&g->r);
}

/* The reward of a query in its type. */
static tvgp_obs reward(struct game *g, int64_t id, double y) {
    const double exposure = 1 + (double)rnd_below(&g->r, 5);
    if (g->with & FAILS && rnd_below(&g->r, 5) == 0)
        return tvgp_obs_outcome(id, 1 + (int32_t)rnd_below(&g->r, 3));
    if (strstr(g->text, "poisson") || strstr(g->text, "binomial"))
        return tvgp_obs_count(id, floor(exposure * (0.5 + 0.3 * y)), exposure);
    if (strstr(g->text, "=ratio"))
        return tvgp_obs_ratio(id, exp(y) * exposure, exposure);
    return tvgp_obs_value(id, strstr(g->text, "lognormal") ? exp(y) : sign(g) * y);
}

/* A batch: outcomes that are due, with their outputs, and now and then an observation that no caller asked for. */
static void tell(struct game *g) {
    tvgp_obs obs[BATCH * OUTPUTS + 1];
    double x[(BATCH * OUTPUTS + 1) * DIM] = {0};
    size_t n = 0;
    while (g->n_open && n + OUTPUTS < BATCH && (g->n_open > OPEN || !(g->with & LATE) || rnd_below(&g->r, 3))) {
        const size_t k = g->with & LATE ? rnd_below(&g->r, g->n_open) : 0;
        obs[n] = reward(g, g->open[k].id, value_at(g, g->open[k].x, g->open[k].t));
        if (g->with & LATE && rnd_below(&g->r, 4) == 0) {
            obs[n].flags |= TVGP_OBS_HAS_TIME;
            obs[n].t = g->open[k].t;
        }
        n++;
        for (size_t output = 1; output <= g->outputs; output++)
            if (rnd_below(&g->r, 6))
                obs[n++] = tvgp_obs_output(g->open[k].id, (int32_t)output, value_at(g, g->open[k].x, 1));
        if (g->with & BUDGET)
            SURVIVE(tvgp_policy_charge(g->policy, g->open[k].id, 0.9));
        g->open[k] = g->open[--g->n_open];
    }
    if (g->t < 1 ? g->t == 0 && !g->n_seen : rnd_below(&g->r, 7) == 0 && !strstr(g->text, "outcome.type")) {
        obs[n] = tvgp_obs_unsolicited(g->t, sign(g) * value_at(g, g->last, g->t));
        memcpy(x + n * g->dim, g->last, sizeof g->last);
        n++;
    }
    if (n)
        SURVIVE(tvgp_policy_tell(g->policy, n, obs, x));
}

/* An action on the list, or an arm that is available in the context, or a point within the bounds; scores are numbers. */
static void assert_allowed(const struct game *g, const tvgp_query *q, const double *x) {
    int fine = isfinite(q->score) && q->noise_var >= 0;
    if (g->with & LISTS)
        fine &=
            q->arm >= 0 && q->arm < (int64_t)g->n_list && !memcmp(x, g->list + (size_t)q->arm * g->dim, g->dim * sizeof *x);
    else if (g->arms)
        fine &= q->arm >= 0 && q->arm < (int64_t)g->arms && g->mask[q->arm] && q->arm % (int64_t)g->contexts == g->context &&
                !memcmp(x + g->dim - g->measured, g->z, g->measured * sizeof *x);
    else
        for (size_t d = 0; d < g->dim; d++)
            fine &= x[d] >= g->low[d] && x[d] <= g->high[d];
    ck_assert_msg(fine, "%s: arm %d, x[0] = %g, score %g", g->text, (int)q->arm, x[0], q->score);
}

/* One step, in which allocation number `refused` fails. */
static void step(struct game *g, int i, size_t refused) {
    tvgp_query q[BATCH];
    double x[BATCH * DIM] = {0};
    size_t n = 0;
    memory.fail_in = memory.withheld = refused;
    g->t += g->with & UNEVEN ? exp(rnd_normal(&g->r)) : rnd_below(&g->r, 4) ? 0.25 : 0;
    change(g, i);
    SURVIVE(ask(g, q, x, &n));
    g->n_seen = n;
    for (size_t k = 0; k < n; k++) {
        g->seen[k].q = q[k];
        memcpy(g->seen[k].x, x + k * g->dim, g->dim * sizeof *x);
        memcpy(g->last, g->seen[k].x, sizeof g->last);
        if (q[k].kind == TVGP_ACTION)
            assert_allowed(g, &q[k], g->last);
        g->open[g->n_open].id = q[k].id;
        g->open[g->n_open].t = g->t;
        memcpy(g->open[g->n_open++].x, g->seen[k].x, sizeof g->last);
    }
    do
        tell(g);
    while (g->n_open > OPEN);
    if (i % 5 == 3)
        predict(g);
    memory.fail_in = 0;
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

/* A clone; one that is made of a whole snapshot; a fresh policy that loads, and one that has seen something else; itself. */
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
            step(&template, i, 0);
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

TEST_EACH(copies_continue, SCENES) {
    const int steps = strstr(places[_i % PLACES].text, "box") ? 26 : 44;
    struct game a = open_game(_i, _i / PLACES % 2, 0), b = open_game(_i, _i / PLACES % 2, 0);
    if (a.policy)
        look(&b);
    for (int i = 0; a.policy && i < steps; i++) {
        if (i % 3 == 1)
            copy(&b, _i, i / 3 % 5);
        step(&a, i, 0);
        step(&b, i, 0);
        assert_same_step(&a, &b, i, "copied");
        look(&b);
    }
    if (a.policy)
        copy(&b, _i, 0);
    tvgp_policy_destroy(a.policy);
    tvgp_policy_destroy(b.policy);
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
        step(&g, i, k);
        assert_same_step(&calm[i], &g, i, lasting ? "memory refused for long" : "memory refused");
    }
    memory.lasting = 0;
    tvgp_policy_destroy(g.policy);
    return memory.failed - before;
}

/* For every k: the call is made again, and all is as if it had not failed. A slate that fails takes memory to undo. */
TEST_EACH(memory_is_refused, SCENES) {
    struct game spared = open_game(_i, 0, 0);
    for (int i = 0; i < REFUSED_STEPS && spared.policy; i++) {
        step(&spared, i, 0);
        calm[i] = spared;
    }
    tvgp_policy_destroy(spared.policy);
    for (int lasting = 0; spared.policy && lasting < (spared.with & SLATES ? 1 : 2); lasting++)
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
    for (int i = 0; i < 40 && g[0].policy && !strstr(g[0].text, "outcome.type"); i++) {
        step(&g[0], i, 0);
        step(&g[1], i, 0);
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

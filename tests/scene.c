/* SPDX-License-Identifier: MIT */
#include "scene.h"
#include "outside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* One for all, or one for each arm; on a grid one for each action, in every context. */
static void set_mean(struct game *g) {
    double mean[ARMS];
    const int single = !rnd_below(&g->r, 2) || !g->arms || (g->with & ON_GRID && g->with & LISTS);
    const size_t each = g->with & ON_GRID ? g->contexts : 1, n = single ? 1 : g->arms;
    for (size_t i = 0; i < n; i++)
        mean[i] = i % each                    ? mean[i - 1]
                  : strstr(g->text, "=ratio") ? exp(0.2 * rnd_normal(&g->r))
                                              : sign(g) * 0.2 * rnd_normal(&g->r);
    SURVIVE(tvgp_policy_set_prior_mean(g->policy, n, mean));
}

/* Sizes, and the calls before the first step. */
static void set_up(struct game *g) {
    static const double signs[2] = {1, -1};
    const char *contexts = strstr(g->text, "contexts=");
    double cost[ARMS];
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
        for (size_t i = 0; i < g->arms; i++)
            cost[i] = 0.2 * (double)(1 + i % 5);
        if (!strstr(g->text, "cost.weight"))
            SURVIVE(tvgp_policy_set_budget(g->policy, 30, 100, 60));
        SURVIVE(tvgp_policy_set_costs(g->policy, g->arms, cost));
    }
    const tvgp_obs first = tvgp_obs_unsolicited(0, sign(g) * 0.7);
    if (rnd_below(&g->r, 2) && !strstr(g->text, "outcome.type")) /* before it is asked */
        SURVIVE(tvgp_policy_tell(g->policy, 1, &first, g->last));
}

/* Refused by the first ask or for new arms only: draws among infinitely many points, arms that stay as they are. */
static int is_refused(const struct game *g) {
    return (strstr(g->text, "thompson") && (strstr(g->text, "contexts=0:") || strstr(g->text, "box=")) &&
            !(g->with & LISTS)) ||
           (g->with & GROWS && (strstr(g->text, "bkb") || strstr(g->text, "random") || strstr(g->text, "constant") ||
                                strstr(g->text, "outside")));
}

static int registered;

struct game scene_open(const char *text, int with, uint64_t seed, int minimises, size_t refused) {
    struct game g = {.with = with, .minimises = minimises, .r = {seed}};
    snprintf(g.text, sizeof g.text, "%s", text);
    if (strstr(text, "outside-ucb"))
        (void)tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL); /* once */
    const tvgp_status status = tvgp_policy_create_described(ctx, text, &g.policy);
    ck_assert_msg(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED || status == TVGP_ERR_ARG ||
                      (status == TVGP_ERR_NOTFOUND && (strstr(text, "random") || strstr(text, "constant"))),
                  "%s: %s", text, tvgp_ctx_errmsg(ctx));
    if (status == TVGP_OK)
        tvgp_policy_destroy(g.policy);
    g.policy = NULL;
    if (status != TVGP_OK || is_refused(&g))
        return g;
    memory.fail_in = memory.withheld = refused;
    SURVIVE(tvgp_policy_create_described(ctx, text, &g.policy));
    set_up(&g);
    memory.fail_in = 0;
    return g;
}

/* Some points of the grid, in its order; on the grid itself a mask leaves them. */
static void make_list_on_grid(struct game *g) {
    const size_t sure = rnd_below(&g->r, GRID);
    g->n_list = 0;
    for (size_t i = 0; i < GRID; i++) {
        g->mask[i] = i == sure || rnd_below(&g->r, 3) == 0;
        if (!g->mask[i])
            continue;
        g->list[g->dim * g->n_list] = (double)(i / 5) / 3;
        g->list[g->dim * g->n_list + 1] = -2 + 5 * ((double)(i % 5) / 4);
        g->row[g->n_list++] = i;
    }
    if (g->arms)
        SURVIVE(tvgp_policy_set_available(g->policy, g->arms, g->mask));
    else
        SURVIVE(tvgp_policy_set_candidates(g->policy, g->n_list, g->list, NULL));
}

static void make_list(struct game *g) {
    double mean[LIST];
    const int plain = rnd_below(&g->r, 2) == 0;
    g->n_list = 2 + rnd_below(&g->r, 5);
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

/* Settings before an ask. */
static void change(struct game *g, int i) {
    if (g->measured && (i == 0 || g->with & ON_GRID || rnd_below(&g->r, 2))) {
        if (g->with & ON_GRID)
            g->z[0] = i * 5 / 2 % 5;
        else
            rnd_fill(&g->r, g->measured, g->z);
        SURVIVE(tvgp_policy_set_context_point(g->policy, g->measured, g->z));
    }
    g->context = i * 5 / 2 % (int64_t)g->contexts;
    if (g->contexts > 1)
        SURVIVE(tvgp_policy_set_context(g->policy, g->context));
    if (g->with & LISTS && (i == 0 || rnd_below(&g->r, 2)))
        g->with &ON_GRID ? make_list_on_grid(g) : make_list(g);
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
    if (strstr(g->text, "cost.weight") && i % 10 == 5)
        SURVIVE(tvgp_policy_set_cost_weight(g->policy, 0.1 * i));
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

/* A policy without a model or with draws refuses some of these; a policy that waits for outcomes has no score. */
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
    return tvgp_obs_value(id, strstr(g->text, "lognormal") ? exp(y) : (g->size > 0 ? g->size : 1) * sign(g) * y);
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
        if (g->with & BUDGET && !strstr(g->text, "cost.weight"))
            SURVIVE(tvgp_policy_charge(g->policy, g->open[k].id, 0.9));
        g->open[k] = g->open[--g->n_open];
    }
    if (rnd_below(&g->r, 7) == 0 && !strstr(g->text, "outcome.type")) { /* of the size that was expected */
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
    if (g->with & LISTS && !g->arms)
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

void scene_step(struct game *g, int i, size_t refused) {
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

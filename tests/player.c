/* SPDX-License-Identifier: MIT */
#include "player.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS_MOST = 256, PRIORS_MOST = 4, BATCH_MOST = 16 };
static const double bounds[] = {-1, 0.6}; /* of the limits */

int player_takes_priors(const char *name) {
    return strcmp(name, "auto-gp-ucb") == 0 || strcmp(name, "pe-gp-ucb") == 0 || strcmp(name, "mle-gp-ucb") == 0 ||
           strcmp(name, "fb-gp-ucb") == 0 || strcmp(name, "rb-gp-ucb") == 0;
}

int player_takes_limits(const char *name) {
    return !strstr(name, "sparq");
}

void recipe_of_case(struct recipe *r, const char *name, const char *options, size_t kernel) {
    const struct ref_kernel *ref = cases_kernel_at(kernel);
    const int learns = options && strstr(options, "fit=map");
    const double lengthscale = 0.4;
    double X[CASES_ARMS * 2];
    *r = (struct recipe){.name = name, .options = options, .n = CASES_ARMS};
    r->priors = player_takes_priors(name) && !learns ? 2 : 0;
    ASSERT_OK(cases_domain(ctx, ref, X, &r->domain));
    ASSERT_OK(cases_kernel(ctx, ref, &r->kernel));
    ASSERT_OK(tvgp_domain_dim(r->domain, &r->dim));
    ASSERT_OK(tvgp_kernel_se(ctx, r->dim, 0.8, 1, &lengthscale, &r->other));
}

void recipe_free(struct recipe *r) {
    tvgp_kernel_destroy(r->kernel);
    tvgp_kernel_destroy(r->other);
    tvgp_domain_destroy(r->domain);
}

/* The first of all arms, or the middle of the box, is declared safe. */
static void declare_one(tvgp_policy *p, const struct recipe *r) {
    double x[PLAYER_DIM];
    for (size_t d = 0; d < r->dim; d++)
        x[d] = 0.5;
    if (r->n)
        ASSERT_OK(tvgp_domain_point(r->domain, 0, x));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, x));
}

/* At least, of what is measured; at most, of the mean. */
static void add_constraints(tvgp_policy *p, const struct recipe *r) {
    for (int k = 0; k < r->limits; k++) {
        tvgp_policy *model = NULL;
        ASSERT_OK(tvgp_policy_create(ctx, k ? "auto-gp-ucb" : "tv-gp-ucb", r->domain, k ? NULL : r->other, &model));
        ASSERT_OK(tvgp_policy_set(model, k ? "fit.max_evals=2" : "noise=.1 epsilon=.02"));
        ASSERT_OK(tvgp_policy_add_constraint(p, model, k ? TVGP_AT_MOST | TVGP_OF_MEAN : TVGP_AT_LEAST, bounds[k]));
        tvgp_policy_destroy(model);
    }
    if (!r->limits)
        return;
    ASSERT_OK(tvgp_policy_set(p, r->limits == 1 ? "constraint.confidence=.7 constraint.exploration_share=.3"
                                                : "constraint.confidence=.8 constraint.exploration_share=.2 "
                                                  "constraint.scope=average constraint.initial_margin=.1"));
    declare_one(p, r);
}

enum { ROWS_MOST = 80 };

/* A log of a season, in which arms differ, and a few blanks; another one for each number. */
static tvgp_status teach(const struct recipe *r, tvgp_policy *p, double number) {
    double value[ROWS_MOST * ARMS_MOST];
    for (size_t i = 0; i < r->log * r->n; i++) {
        const double t = (double)(i / r->n), arm = (double)(i % r->n);
        value[i] = i % 29 == 3 ? NAN : sin(t + number) + 0.1 * arm + 0.3 * sin(7.3 * t * arm + number);
    }
    return tvgp_policy_learn_history_table(p, r->log, NULL, value);
}

tvgp_policy *recipe_make(const struct recipe *r) {
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_policy_create(ctx, r->name, r->domain, r->kernel, &p));
    if (r->options)
        ASSERT_OK(tvgp_policy_set(p, r->options));
    for (int i = 0; i < r->priors; i++) {
        const double mean = 0.1 * i;
        ASSERT_OK(tvgp_policy_add_prior(p, i % 2 ? r->other : r->kernel, 1, &mean, 0.02 * i));
    }
    add_constraints(p, r);
    if (r->log)
        ASSERT_OK(teach(r, p, 0));
    return p;
}

struct player player_new(const struct recipe *r, uint64_t seed) {
    return (struct player){.recipe = r, .policy = recipe_make(r), .state = {.rnd = {seed}, .digest = 14695981039346656037u}};
}

/* FNV-1a (Fowler, Noll, Vo). */
static void hash(struct player *p, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        p->state.digest = (p->state.digest ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static void hash_numbers(struct player *p, size_t n, const double *x) {
    for (size_t i = 0; i < n; i++) {
        const double value = isnan(x[i]) ? 0 : x[i]; /* a NaN has many bit patterns */
        hash(p, &value, sizeof value);
    }
}

static void hash_status(struct player *p, tvgp_status status) {
    const int code = (int)status;
    hash(p, &code, sizeof code);
}

void player_read_stats(struct player *p) {
    size_t n = 0, used = 0;
    ASSERT_OK(tvgp_policy_stat_count(p->policy, &n));
    for (size_t i = 0; i < n; i++) {
        const char *const key = harness_stat_key(p->policy, i);
        double x = 0;
        const uint64_t before = p->state.digest;
        hash_status(p, tvgp_policy_stat(p->policy, key, &x));
        hash_numbers(p, 1, &x);
        if (before != p->state.digest && used + 40 < sizeof p->last)
            used += (size_t)snprintf(p->last + used, sizeof p->last - used, "%s %.9g ", key, x);
    }
}

static void change_setting(struct player *p) {
    const struct recipe *r = p->recipe;
    struct rnd *rnd = &p->state.rnd;
    double mean[ARMS_MOST];
    uint8_t mask[ARMS_MOST];
    const size_t n = (size_t[]){0, 1, r->n ? r->n : 1}[rnd_below(rnd, 3)];
    for (size_t i = 0; i < (r->n ? r->n + 1 : 2); i++) { /* on a box: of the policy, and of its first prior */
        mean[i] = 0.2 * rnd_normal(rnd);
        mask[i] = rnd_uniform(rnd) < 0.7;
    }
    mask[rnd_below(rnd, r->n ? r->n : 1)] = 1;
    const int all = rnd_uniform(rnd) < 0.3;
    const tvgp_status status = tvgp_policy_set_prior_mean(p->policy, n, n ? mean : NULL);
    ck_assert_int_eq(status, r->log ? TVGP_ERR_STATE : TVGP_OK);
    if (player_takes_priors(r->name))
        hash_status(p, tvgp_policy_set_added_prior_mean(p->policy, 0, n ? 1 : 0, n ? mean + 1 : NULL));
    if (r->n) {
        ASSERT_OK(tvgp_policy_set_available(p->policy, all ? 0 : r->n, all ? NULL : mask));
    } else {
        double lower[PLAYER_DIM], upper[PLAYER_DIM];
        for (size_t d = 0; d < r->dim; d++) {
            lower[d] = 0.3 * rnd_uniform(rnd);
            upper[d] = 1 - 0.3 * rnd_uniform(rnd);
        }
        ASSERT_OK(tvgp_policy_set_bounds(p->policy, all ? NULL : lower, all ? NULL : upper));
    }
}

/* A limit moves; what is declared safe goes and comes; on a box there are candidates for a while. */
static void change_limits(struct player *p) {
    const struct recipe *r = p->recipe;
    struct rnd *rnd = &p->state.rnd;
    double X[3 * PLAYER_DIM];
    const size_t k = rnd_below(rnd, (size_t)r->limits);
    const double moved = bounds[k] + 0.2 * rnd_normal(rnd);
    const int declares = rnd_uniform(rnd) < 0.8;
    rnd_fill(rnd, 3 * r->dim, X);
    ASSERT_OK(tvgp_policy_set_constraint(p->policy, (int32_t)k + 1, moved));
    if (declares)
        declare_one(p->policy, r);
    else
        ASSERT_OK(tvgp_policy_set_safe(p->policy, 0, NULL));
    if (!r->n)
        ASSERT_OK(tvgp_policy_set_candidates(p->policy, moved > bounds[k] ? 3 : 0, moved > bounds[k] ? X : NULL, NULL));
}

static void add_prior(struct player *p) {
    const double mean = 0.1 * rnd_normal(&p->state.rnd), epsilon = 0.1 * rnd_uniform(&p->state.rnd);
    if (p->state.added + p->recipe->priors >= PRIORS_MOST || (p->recipe->options && strstr(p->recipe->options, "fit=map")))
        return;
    const tvgp_status s = tvgp_policy_add_prior(p->policy, p->recipe->other, 1, &mean, epsilon);
    hash_status(p, s);
    p->state.added += s == TVGP_OK;
}

static void ask(struct player *p) {
    tvgp_query q[8];
    double x[8 * PLAYER_DIM] = {0};
    struct player_state *s = &p->state;
    size_t n = 0;
    const size_t cap = 1 + rnd_below(&s->rnd, 8);
    if (rnd_uniform(&s->rnd) < 0.8)
        s->t += rnd_uniform(&s->rnd) < 0.05 ? 40 : rnd_uniform(&s->rnd);
    const tvgp_status status = tvgp_policy_ask(p->policy, s->t, cap, q, x, &n);
    ck_assert_msg(status >= 0 || (p->recipe->limits && status == TVGP_ERR_NOTFOUND), "%s: %s", p->recipe->name,
                  tvgp_ctx_errmsg(ctx));
    hash_status(p, status);
    hash(p, q, n * sizeof *q);
    hash_numbers(p, 8 * PLAYER_DIM, x);
    for (size_t i = 0; i < n && s->pending < PLAYER_PENDING; i++)
        s->id[s->pending++] = q[i].id;
    if (n)
        snprintf(p->last, sizeof p->last, "after %d answers id %d: arm %d, score %.17g, risk %.17g", (int)s->told,
                 (int)q->id, (int)q->arm, q->score, q->risk);
}

static void point(struct player *p, double *x) {
    const struct recipe *r = p->recipe;
    for (size_t d = 0; d < r->dim; d++)
        x[d] = rnd_uniform(&p->state.rnd);
    if (r->n)
        ASSERT_OK(tvgp_domain_point(r->domain, (int64_t)rnd_below(&p->state.rnd, r->n), x));
}

/* One of the pending ones, the newest or any; with limits of one of its outputs, and it may come again. */
static tvgp_obs answer(struct player *p) {
    struct player_state *s = &p->state;
    struct rnd *rnd = &s->rnd;
    const size_t k = rnd_uniform(rnd) < 0.6 ? s->pending - 1 : rnd_below(rnd, s->pending);
    tvgp_obs o = {.id = s->id[k], .y = rnd_normal(rnd)};
    if (rnd_uniform(rnd) < 0.1)
        o.outcome = 1 + (int32_t)rnd_below(rnd, 3);
    if (rnd_uniform(rnd) < 0.2) {
        o.flags |= TVGP_OBS_HAS_NOISE;
        o.noise_var = rnd_uniform(rnd) < 0.2 ? 0 : 0.1 * rnd_uniform(rnd);
    }
    if (rnd_uniform(rnd) < 0.2) {
        o.flags |= TVGP_OBS_HAS_TIME;
        o.t = s->t - 5 * rnd_uniform(rnd);
    }
    if (rnd_uniform(rnd) < 0.03)
        o.y *= 30;
    if (p->recipe->limits)
        o.output = (int32_t)rnd_below(rnd, 1 + (size_t)p->recipe->limits);
    if (!p->recipe->limits || rnd_uniform(rnd) < 0.4)
        s->id[k] = s->id[--s->pending];
    return o;
}

/* Next to the rewards all other outputs that a batch has room for, except a few. */
static size_t beside(struct player *p, size_t n, tvgp_obs *obs) {
    struct rnd *rnd = &p->state.rnd;
    size_t all = n;
    for (size_t i = 0; i < n; i++)
        for (int k = 1; k <= p->recipe->limits && !obs[i].output; k++)
            if (rnd_uniform(rnd) < 0.8 && all < BATCH_MOST - 1)
                obs[all++] = tvgp_obs_output(obs[i].id, k, rnd_normal(rnd));
    return all;
}

/* A few of the pending ones, in any order, some late, and now and then one that no caller asked for. */
static void tell(struct player *p) {
    struct player_state *s = &p->state;
    tvgp_obs obs[BATCH_MOST];
    double x[BATCH_MOST * PLAYER_DIM] = {0};
    size_t n = 0;
    const size_t most = 1 + rnd_below(&s->rnd, p->recipe->limits ? 2 : 5);
    while (n < most && s->pending)
        obs[n++] = answer(p);
    n = beside(p, n, obs);
    if (rnd_uniform(&s->rnd) < 0.15) {
        obs[n] = tvgp_obs_unsolicited(s->t - rnd_uniform(&s->rnd), rnd_normal(&s->rnd));
        point(p, x + n * p->recipe->dim);
        if (p->recipe->limits)
            obs[n].output = (int32_t)rnd_below(&s->rnd, 1 + (size_t)p->recipe->limits);
        n++;
    }
    const tvgp_status status = tvgp_policy_tell(p->policy, n, obs, x);
    hash_status(p, status);
    if (status == TVGP_OK && n)
        s->t = fmax(s->t, 0);
    s->told += (int64_t)n;
}

static void look(struct player *p) {
    double x[3 * PLAYER_DIM], mean[3] = {0}, var[3] = {0}, best[PLAYER_DIM] = {0};
    int64_t arm = 0;
    for (size_t i = 0; i < 3; i++)
        point(p, x + i * p->recipe->dim);
    hash_status(p, tvgp_policy_predict(p->policy, p->state.t + 1, 3, x, mean, var));
    hash_numbers(p, 3, mean);
    hash_numbers(p, 3, var);
    const tvgp_status status = tvgp_policy_best(p->policy, p->state.t, &arm, best);
    hash_status(p, status);
    hash(p, &arm, sizeof arm);
    hash_numbers(p, PLAYER_DIM, best);
    snprintf(p->last, sizeof p->last, "after %d answers: mean %.17g, variance %.17g, best %d", (int)p->state.told, mean[0],
             var[0], (int)arm);
    double risk[3] = {0};
    if (p->recipe->limits)
        hash_status(p, harness_risks(p->policy, p->state.t + 1, 3, x, risk));
    hash_numbers(p, p->recipe->limits ? 3 : 0, risk);
}

/* A log instead of the one before, or the mean it taught, or what a refit may do before the next ask. */
static void learn(struct player *p) {
    struct rnd *rnd = &p->state.rnd;
    double mean[ARMS_MOST] = {0};
    size_t evals = 0;
    const size_t what = rnd_below(rnd, 6);
    if (what == 0)
        hash_status(p, teach(p->recipe, p->policy, rnd_uniform(rnd)));
    else if (what < 4)
        hash_status(p, tvgp_policy_prior_mean(p->policy, p->state.t + 3 * rnd_uniform(rnd), p->recipe->n, mean));
    else
        hash_status(p, tvgp_policy_fit(p->policy, 5, &evals));
    hash_numbers(p, p->recipe->n, mean);
}

void player_step(struct player *p) {
    if (p->recipe->log && rnd_uniform(&p->state.rnd) < 0.04)
        learn(p);
    const double u = rnd_uniform(&p->state.rnd);
    if (u < 0.02 && p->recipe->limits)
        change_limits(p);
    else if (u < 0.05)
        change_setting(p);
    else if (u < 0.08)
        add_prior(p);
    else if (u < 0.12)
        look(p);
    else if (u < 0.57)
        ask(p);
    else
        tell(p);
}

struct blob blob_of(const tvgp_policy *p) {
    struct blob b = {0};
    ASSERT_OK(tvgp_policy_save(p, 0, NULL, &b.n));
    b.bytes = malloc(b.n);
    size_t needed = 0;
    ASSERT_OK(tvgp_policy_save(p, b.n, b.bytes, &needed));
    ck_assert_uint_eq(needed, b.n);
    return b;
}

void assert_same_blob(const struct blob *a, const struct blob *b, const char *what) {
    size_t at = 0;
    while (at < a->n && at < b->n && a->bytes[at] == b->bytes[at])
        at++;
    ck_assert_msg(a->n == b->n && at == a->n, "%s: %zu and %zu bytes, equal up to %zu", what, a->n, b->n, at);
}

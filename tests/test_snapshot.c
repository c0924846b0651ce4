/* SPDX-License-Identifier: MIT */
/* A policy that was saved and loaded goes on as if nothing had happened, bit for bit: every policy, every kernel, boxes, learned
 * kernels; everything that can happen at once. A policy that forgets to visit a member fails here. */
#include "outside.h"
#include "player.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, RELOADS = 20 };

/* The policy goes on from its snapshot: in a fresh policy, in a clone, in one that has held something else before, in one that
 * is made of a whole snapshot. */
static void reload(struct player *p, struct rnd *rnd, struct blob *old) {
    struct blob b = blob_of(p->policy), again;
    const int way = (int)rnd_below(rnd, 5);
    if (way == 4) {
        struct blob whole = {0};
        ASSERT_OK(tvgp_policy_save_full(p->policy, 0, NULL, &whole.n));
        whole.bytes = malloc(whole.n);
        ASSERT_OK(tvgp_policy_save_full(p->policy, whole.n, whole.bytes, &whole.n));
        tvgp_policy_destroy(p->policy);
        p->policy = NULL;
        p->policy = MAKE_POLICY(tvgp_policy_restore, ctx, whole.n, whole.bytes, NULL, NULL);
        free(whole.bytes);
    } else if (way == 0) {
        tvgp_policy *clone = MAKE_POLICY(tvgp_policy_clone, p->policy);
        tvgp_policy_destroy(p->policy);
        p->policy = clone;
    } else if (way < 3) {
        tvgp_policy_destroy(p->policy);
        p->policy = recipe_make(p->recipe);
    }
    if ((way == 2 || way == 3) && old->n)
        ASSERT_OK(tvgp_policy_load(p->policy, old->n, old->bytes));
    if (way % 4)
        ASSERT_OK(tvgp_policy_load(p->policy, b.n, b.bytes));
    again = blob_of(p->policy);
    assert_same_blob(&b, &again, p->recipe->name);
    free(again.bytes);
    if (!old->n || rnd_uniform(rnd) < 0.3) {
        free(old->bytes);
        *old = b;
    } else {
        free(b.bytes);
    }
}

static void assert_same(const struct player *a, const struct player *b) {
    ck_assert_msg(a->state.digest == b->state.digest, "%s (%s): %s | %s", a->recipe->name,
                  a->recipe->options ? a->recipe->options : "", a->last, b->last);
}

static void assert_same_bytes(const struct player *a, const struct player *b) {
    struct blob x = blob_of(a->policy), y = blob_of(b->policy);
    assert_same_blob(&x, &y, a->recipe->name);
    free(x.bytes);
    free(y.bytes);
}

static void play(const struct recipe *r, uint64_t seed, int steps) {
    struct player a = player_new(r, seed), b = player_new(r, seed);
    struct rnd rnd = {seed + 1};
    struct blob old = {0};
    for (int i = 0; i < steps; i++) {
        if (rnd_below(&rnd, (size_t)(steps / RELOADS)) == 0) {
            assert_same_bytes(&a, &b);
            reload(&b, &rnd, &old);
        }
        player_step(&a);
        player_step(&b);
        if (i % 16 == 0) {
            player_read_stats(&a);
            player_read_stats(&b);
        }
        assert_same(&a, &b);
    }
    reload(&b, &rnd, &old);
    player_read_stats(&a);
    player_read_stats(&b);
    assert_same(&a, &b);
    assert_same_bytes(&a, &b);
    free(old.bytes);
    tvgp_policy_destroy(a.policy);
    tvgp_policy_destroy(b.policy);
}

static void play_kernels(size_t row, const char *name, const char *options) {
    for (size_t k = 0; k < CASES_ALL; k++) {
        if (!cases_combined(row, k, CASES_ALL))
            continue;
        struct recipe r;
        recipe_of_case(&r, name, options, k);
        play(&r, 1000 * k + 7, STEPS);
        recipe_free(&r);
    }
}

START_TEST(every_policy_goes_on_bit_for_bit) {
    int registered = 0;
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL));
    const char *name = _i < harness_policies() ? harness_policy_at(_i) : outside_ucb.name;
    const char *options = strstr(name, "sparq") ? "kdpp.steps=20 side.round_factor=2 side.round_exponent=1" : NULL;
    play_kernels((size_t)_i, name, options);
}

/* Limits on arms and on the box, one with the true hyperparameters, another with default settings. */
START_TEST(limits_go_on_bit_for_bit) {
    static const size_t some[] = {0, 7, CASES_ALL - 1};
    const char *name = harness_policy_at(_i / 2);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        struct recipe r;
        recipe_of_case(&r, name, NULL, some[k]);
        r.limits = 1 + _i % 2;
        play(&r, 1000 * k + 11, STEPS);
        recipe_free(&r);
    }
}

static const struct {
    const char *name, *options;
} variants[] = {
    {"gp-ucb", "sense=min outlier.sd=2 pending.timeout=20"},
    {"tv-gp-ucb", "delay.exact_observations=0 sense=min"},
    {"tv-gp-ucb", "delay.exact_observations=5 epsilon=.2 pending.limit=10"},
    {"tv-gp-ucb", "time.kernel=matern32"},
    {"tv-gp-ucb", "choice=thompson"},
    {"tv-gp-ucb", "fit=map delay.exact_observations=8"},
    {"gp-ucb", "fit=map fit.max_evals=2"},
    {"auto-gp-ucb", "model.assume_misspecified=1"},
    {"sw-gp-ucb", "window=6"},
    {"tv-gp-ucb", "switch.cost=.3 pending.limit=10"},
    {"pe-gp-ucb", "switch.cost=.3 sense=min"},
    {"sw-gp-ucb", "window=12 fit=map"},
    {"r-gp-ucb", "reset.every=15"},
    {"ui-gp-ucb", "noise_growth=wiener-kernel delay.exact_observations=3"},
    {"ui-gp-ucb", "noise_growth=exponential noise_growth.rate=1"},
    {"ui-gp-ucb", "fit=map fit.max_evals=3"},
    {"ui-gp-ucb", "noise_growth=power fit=map sense=min"},
    {"ui-gp-ucb", "noise_growth=wiener-kernel fit=map"},
    {"w-gp-ucb", "decay=.4"},
    {"w-gp-ucb", "fit=map fit.max_evals=2 fit.window=20"},
    {"et-gp-ucb", "trigger.delta=.9 fit=map"},
    {"auto-gp-ucb", "changepoint.hazard=.2 mixture.switching_probability=.2"},
    {"auto-gp-ucb", "fit=map changepoint.hazard=.1"},
    {"auto-gp-ucb", "drift.models=ou scale.learn=1 sense=min"},
    {"auto-gp-ucb", "model.assume_misspecified=1 changepoint.hazard=.2"},
    {"auto-gp-ucb", "changepoint.hazard=.2 changepoint.confirm_by=likelihood offset.variance=.5"},
    {"bkb", "update.growth=3"},
    {"bkb", "window=20 reset.every=30"},
    {"pe-gp-ucb", "sense=min delay.exact_observations=2 width.delta=.99"},
    {"rb-gp-ucb", "outlier.sd=1"},
    {"sparq-gp-ucb", "kdpp.steps=5 side.action_outcomes=excluded sense=min"},
    {"w-sparq-gp-ucb", "kdpp.steps=5 sense=min pending.timeout=3"},
    {"w-sparq-gp-ucb", "alpha=0 fit=map kdpp.steps=5 fit.max_evals=3"},
    {"sparq-gp-ucb", "fit=map fit.max_evals=3 kdpp.steps=5"},
    {"w-sparq-gp-ucb", "fit=map fit.max_evals=3 kdpp.steps=5 side.noise=.1 outlier.sd=2"},
};

START_TEST(every_variant_goes_on_bit_for_bit) {
    play_kernels((size_t)_i, variants[_i].name, variants[_i].options);
}

/* Policies that were given a log, and are given another on the way. */
START_TEST(logs_go_on_bit_for_bit) {
    static const char *const options[] = {"history.refit_interval=7 history.max_replayed=20",
                                          "history.refit_interval=3 sense=min outlier.sd=2 pending.limit=10"};
    for (size_t i = 0; i < 4; i++) {
        struct recipe r;
        recipe_of_case(&r, harness_policy_at(_i), options[i % 2], i < 2 ? 0 : CASES_ALL - 1);
        tvgp_kernel *kernel = r.kernel;
        r.kernel = i == 1 ? NULL : kernel; /* the log has one */
        r.log = i == 3 ? 80 : 40;          /* 80: a replay of the newest third */
        r.priors = 0;
        tvgp_policy *p = NULL;
        if (tvgp_policy_create(ctx, r.name, r.domain, r.kernel, &p) == TVGP_OK && harness_has(p, "history.refit_interval"))
            play(&r, 400 + i, i == 3 ? 60 : STEPS);
        tvgp_policy_destroy(p);
        r.kernel = kernel;
        recipe_free(&r);
    }
}

/* Many arms: the search for the rank goes on over many steps, and a long run in weights. */
START_TEST(many_arms_and_long_runs) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "tv-gp-ucb", "tv-gp-ucb", "auto-gp-ucb", "bkb"};
    static const char *const options[] = {NULL, "epsilon=.002", "delay.exact_observations=0", "fit=map", NULL, NULL};
    double X[2 * 200];
    struct rnd rnd = {5};
    rnd_fill(&rnd, 400, X);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const double lengthscale = i % 2 ? 0.2 : 0.35;
        tvgp_domain *domain = harness_arms(200, 2, X);
        tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
        const struct recipe r = {names[i], options[i], domain, kernel, kernel, 200, 2, 0, 0, 0};
        play(&r, 31 + i, i < 3 ? 900 : 300);
    }
}

START_TEST(boxes_go_on_bit_for_bit) {
    const char *name;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    const double lower[2] = {0, 0}, upper[2] = {1, 1}, lengthscale = 0.3;
    tvgp_policy *p = NULL;
    tvgp_domain *domain = harness_box(2, lower, upper);
    tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
    if (tvgp_policy_create(ctx, name, domain, kernel, &p) == TVGP_OK) {
        tvgp_policy_destroy(p);
        const int several = player_takes_priors(name) && strcmp(name, "auto-gp-ucb") ? 2 : 0;
        const struct recipe r = {name, "search.effort=.1", domain, kernel, kernel, 0, 2, several, 0, 0};
        const struct recipe plain = {name, NULL, domain, kernel, kernel, 0, 2, 0, 0, 0};
        play(strcmp(name, "random") == 0 ? &plain : &r, 77, 80);
        if (player_takes_limits(name)) {
            struct recipe limited = strcmp(name, "random") == 0 ? plain : r;
            limited.limits = 1 + _i % 2;
            play(&limited, 81, 80);
        }
        if (several) {
            const struct recipe own = {name, "search.effort=.1 outlier.sd=2 sense=min", domain, kernel, kernel, 0, 2, 0, 0,
                                       0};
            play(&own, 79, 80);
        }
        if (strcmp(name, "tv-gp-ucb") == 0 || strcmp(name, "ui-gp-ucb") == 0 || strstr(name, "sparq")) {
            const struct recipe untold = {name, "search.effort=.1 fit.max_evals=2", domain, NULL, kernel, 0, 2, 0, 0, 0};
            play(&untold, 78, 80);
        }
    }
}

/* ---- what can be made can be saved and read ----------------------------------------------------------------------- */

static struct blob whole_of(const tvgp_policy *p) {
    struct blob b = {0};
    ASSERT_OK(tvgp_policy_save_full(p, 0, NULL, &b.n));
    b.bytes = malloc(b.n);
    ASSERT_OK(tvgp_policy_save_full(p, b.n, b.bytes, &b.n));
    return b;
}

/* The policy next to one made of its whole snapshot, a clone and one of its template that has loaded: all continue identically. `template`
 * is given up. */
static void assert_go_on(tvgp_policy *p, tvgp_policy *template, int steps) {
    enum { OTHERS = 3 };
    tvgp_policy *others[OTHERS] = {template};
    struct blob b = blob_of(p), whole = whole_of(p);
    ASSERT_OK(tvgp_policy_load(template, b.n, b.bytes));
    others[1] = MAKE_POLICY(tvgp_policy_restore, ctx, whole.n, whole.bytes, NULL, NULL);
    others[2] = MAKE_POLICY(tvgp_policy_clone, p);
    ASSERT_OK(tvgp_policy_load(p, b.n, b.bytes));
    for (int k = 0; k < OTHERS; k++) {
        tvgp_policy *twin = MAKE_POLICY(tvgp_policy_clone, p);
        for (int i = 0; i < steps; i++)
            for (int j = 0; j < 2; j++) {
                tvgp_policy *one = j ? others[k] : twin;
                double x[3] = {0};
                tvgp_query q = harness_ask_at(one, 100 + i, x);
                ASSERT_OK(tvgp_policy_tell_value(one, q.id, 0.1 * i - x[0]));
            }
        struct blob mine = blob_of(twin), its = blob_of(others[k]);
        assert_same_blob(&mine, &its, "as it would have gone on");
        free(mine.bytes);
        free(its.bytes);
    }
    free(b.bytes);
    free(whole.bytes);
}

/* Of a box, and of the contexts of three arms. */
START_TEST(whole_number_with_one_value) {
    const double lower[2] = {0.5, 0}, upper[2] = {1.5, 1}, lengthscale = 0.4, points[3] = {0, 0.5, 1}, z[2] = {1, 0.3};
    tvgp_domain *domain = NULL;
    tvgp_domain *box = harness_box(2, lower, upper);
    ASSERT_OK(tvgp_domain_box_integer(box, 0));
    tvgp_domain *actions = harness_arms(3, 1, points);
    if (_i)
        domain = MAKE_DOMAIN(tvgp_domain_product, ctx, actions, box);
    tvgp_kernel *kernel = harness_se(_i ? 3 : 2, 1, &lengthscale);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", _i ? domain : box, kernel);
    tvgp_policy *template = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", _i ? domain : box, kernel);
    if (_i)
        ASSERT_OK(tvgp_policy_set_context_point(p, 2, z));
    for (int t = 0; t < 5; t++) {
        double x[3];
        tvgp_query q = harness_ask_at(p, t, x);
        ck_assert(x[_i] == 1);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0.2 * t));
    }
    assert_go_on(p, template, 3);
}

/* As deep as domains can be made, and no deeper. */
START_TEST(products_of_products) {
    enum { DEEP = 64 };
    const double points[2] = {0, 1}, lengthscale = 1;
    tvgp_domain *next = NULL;
    tvgp_domain *one = harness_arms(1, 1, points);
    tvgp_domain *domain = harness_arms(2, 1, points);
    for (int depth = 2; depth <= DEEP; depth++, domain = next) {
        next = MAKE_DOMAIN(tvgp_domain_product, ctx, one, domain);
    }
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_product(ctx, domain, one, &next), "65 domains deep", "limit 64");
    tvgp_kernel *kernel = harness_se(DEEP, 1, &lengthscale);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, kernel);
    tvgp_policy *template = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, kernel);
    assert_go_on(p, template, 0);
}

/* Without a kernel: the new arms are further away, so that a policy made on all of them makes itself another one. */
START_TEST(extended_before_it_began) {
    const double X[12] = {0, 0, 1, 0, 0, 1, 1, 1, 5, 0, 0, 3};
    tvgp_policy *p = NULL, *template = NULL;
    size_t n = 0;
    tvgp_domain *domain = harness_arms(4, 2, X);
    tvgp_domain *larger = harness_arms(6, 2, X);
    for (int begun = 0; begun < 2 && tvgp_policy_create(ctx, harness_policy_at(_i), domain, NULL, &p) == TVGP_OK; begun++) {
        ASSERT_OK(tvgp_policy_save(p, 0, NULL, &n)); /* it knows by now what it was made of */
        ASSERT_OK(tvgp_policy_extend(p, larger, NULL));
        template = MAKE_POLICY(tvgp_policy_create, ctx, harness_policy_at(_i), larger, NULL);
        for (int t = 0; begun && t < 12; t++)
            ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, 0.3 * (t % 4)));
        assert_go_on(p, template, 15);
        tvgp_policy_destroy(p);
    }
}

/* Names that joined names stay names: a policy without a kernel assumes that all pairs are equally similar. */
START_TEST(appended_names) {
    const double more[2] = {4, 5};
    tvgp_domain *all = MAKE_DOMAIN(tvgp_domain_append, harness_indices(4), 2, more);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", all, NULL);
    tvgp_policy *template = MAKE_POLICY(tvgp_policy_create, ctx, "auto-gp-ucb", all, NULL);
    for (int t = 0; _i && t < 9; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, 0.3 * (t % 4)));
    assert_go_on(p, template, 20);
}

/* ---- calls that fail, and calls that look ------------------------------------------------------------------------ */

enum call { ASK, TELL, STATISTICS, PREDICT };

/* What guarantees.md names: an optimisation that goes on and a posterior that is finished where an ask on a box fails, the
 * search for the rank where a tell on arms does, a posterior that is finished for statistics, exact arms for predictions. */
static int may_differ(const struct recipe *r, enum call call) {
    const int aging = strcmp(r->name, "ui-gp-ucb") == 0 || strcmp(r->name, "w-gp-ucb") == 0;
    switch (call) {
    case ASK:
        return !r->n && (aging || !r->kernel);
    case STATISTICS:
        return aging;
    default: /* of the policy, or of the model of a constraint */
        return r->n && (!aging || r->limits);
    }
}

/* The reward alone, or all outputs. */
static tvgp_status tell(const struct recipe *r, tvgp_policy *p, int64_t id, double y) {
    const double values[3] = {y, 1 - y, 0.5 * y};
    return r->limits ? tvgp_policy_tell_values(p, id, 1 + (size_t)r->limits, values) : tvgp_policy_tell_value(p, id, y);
}

/* The policy and what its snapshot was ask the same, to the last bit. */
static void assert_asks_the_same(const struct recipe *r, const tvgp_policy *p, const struct blob *was, double t) {
    tvgp_policy *a = recipe_make(r);
    ASSERT_OK(tvgp_policy_load(a, was->n, was->bytes));
    tvgp_policy *b = MAKE_POLICY(tvgp_policy_clone, p);
    for (int step = 0; step < 4; step++) {
        tvgp_query of_a[4], of_b[4];
        double x[4 * PLAYER_DIM] = {0}, y[4 * PLAYER_DIM] = {0};
        size_t n = 0, m = 0;
        ck_assert_int_ge(tvgp_policy_ask(a, t + step, 4, of_a, x, &n), 0);
        ck_assert_int_ge(tvgp_policy_ask(b, t + step, 4, of_b, y, &m), 0);
        ck_assert(n == m && memcmp(of_a, of_b, n * sizeof *of_a) == 0 && memcmp(x, y, sizeof x) == 0);
        for (size_t k = 0; k < n; k++) {
            ASSERT_OK(tell(r, a, of_a[k].id, 0.3 * step));
            ASSERT_OK(tell(r, b, of_b[k].id, 0.3 * step));
        }
    }
    tvgp_policy_destroy(a);
    tvgp_policy_destroy(b);
}

static void assert_as_it_was(const struct recipe *r, const tvgp_policy *p, const struct blob *was, enum call call,
                             double t) {
    struct blob now = blob_of(p);
    const int same = now.n == was->n && memcmp(now.bytes, was->bytes, now.n) == 0;
    ck_assert_msg(same || may_differ(r, call), "%s on %zu arms, call %d", r->name, r->n, (int)call);
    if (!same)
        assert_asks_the_same(r, p, was, t);
    free(now.bytes);
}

/* Each allocation of a call fails in turn, until it gets through. */
#define INSIST(r, p, what, t, call)                                                                                         \
    do {                                                                                                                    \
        struct blob was_ = blob_of(p);                                                                                      \
        tvgp_status status_ = TVGP_ERR_NOMEM;                                                                               \
        for (size_t k_ = 1; status_ == TVGP_ERR_NOMEM; k_++) {                                                              \
            memory.fail_in = k_;                                                                                            \
            status_ = (call);                                                                                               \
            memory.fail_in = 0;                                                                                             \
            if (status_ == TVGP_ERR_NOMEM && (k_ == 1 || k_ % 7 == 0))                                                      \
                assert_as_it_was(r, p, &was_, what, t);                                                                     \
        }                                                                                                                   \
        ck_assert_msg(status_ >= 0 || status_ == TVGP_ERR_UNSUPPORTED, "%s: %s", (r)->name, tvgp_ctx_errmsg(ctx));          \
        free(was_.bytes);                                                                                                   \
    } while (0)

static void look(const struct recipe *r, tvgp_policy *p, double t) {
    double mean[CASES_ARMS], var[CASES_ARMS], at[2 * PLAYER_DIM] = {0.3, 0.6, 0.1, 0.9}, x[PLAYER_DIM];
    struct player reader = {.recipe = r, .policy = p};
    struct blob was = blob_of(p);
    int64_t arm;
    player_read_stats(&reader);
    assert_as_it_was(r, p, &was, STATISTICS, t);
    free(was.bytes);
    was = blob_of(p);
    (void)tvgp_policy_predict(p, t, r->n ? r->n : 2, r->n ? NULL : at, mean, var);
    (void)tvgp_policy_best(p, t, &arm, x);
    assert_as_it_was(r, p, &was, PREDICT, t);
    free(was.bytes);
}

static void fail_and_look(const struct recipe *r) {
    tvgp_policy *p = NULL;
    if (tvgp_policy_create(ctx, r->name, r->domain, r->kernel, &p) < 0)
        return; /* not on boxes, or not without a kernel */
    tvgp_policy_destroy(p);
    p = recipe_make(r);
    for (int step = 0; step < 25; step++) {
        tvgp_query q[4];
        double x[4 * PLAYER_DIM];
        size_t n = 0;
        INSIST(r, p, ASK, step, tvgp_policy_ask(p, step, 4, q, x, &n));
        for (size_t k = 0; k < n; k++)
            INSIST(r, p, TELL, step, tell(r, p, q[k].id, 0.4 * ((step + (int)k) % 5)));
        if (step % 6 == 5)
            look(r, p, step);
    }
    tvgp_policy_destroy(p);
}

/* A snapshot has the same bytes after a call that failed or that only looked, except what can be made again. */
START_TEST(failed_calls) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1}, lengthscale = 0.3;
    const char *name = harness_policy_at(_i),
               *options = strstr(name, "sparq") ? "side.round_factor=2 side.round_exponent=1" : NULL;
    const char *small = strcmp(name, "random") && strcmp(name, "constant-arm") ? "search.effort=.1" : NULL;
    const int several = player_takes_priors(name) && strcmp(name, "auto-gp-ucb") ? 2 : 0;
    struct recipe told;
    tvgp_domain *box = harness_box(2, lower, upper);
    tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
    recipe_of_case(&told, name, options, 0);
    fail_and_look(&told);
    fail_and_look(&(struct recipe){name, options, told.domain, NULL, kernel, told.n, told.dim, 0, 0, 0});
    fail_and_look(&(struct recipe){name, small, box, kernel, kernel, 0, 2, several, 0, 0});
    fail_and_look(&(struct recipe){name, small, box, NULL, kernel, 0, 2, 0, 0, 0});
    if (player_takes_limits(name)) {
        fail_and_look(
            &(struct recipe){name, options, told.domain, told.kernel, kernel, told.n, told.dim, told.priors, 1, 0});
        fail_and_look(&(struct recipe){name, small, box, kernel, kernel, 0, 2, several, 1, 0});
    }
    recipe_free(&told);
}

/* ---- asks that find no safe action ------------------------------------------------------------------------------------ */

enum { OUTPUTS = 9 };
static const char *const models[] = {"gp-ucb", "tv-gp-ucb", "w-gp-ucb", "ui-gp-ucb", "auto-gp-ucb", "sw-gp-ucb"};
enum { MODELS = sizeof models / sizeof *models };

/* A policy that knows some values, with a constraint that no arm meets. */
static tvgp_policy *never_safe(const char *name, const char *model_name, tvgp_domain *d, const tvgp_kernel *kernel,
                               const tvgp_kernel *of_model) {
    double x[PLAYER_DIM] = {0};
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, d, kernel);
    tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, ctx, model_name, d, of_model);
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, -3));
    for (int i = 0; i < 2 * OUTPUTS; i++) {
        tvgp_obs o = tvgp_obs_unsolicited(i, sin(i));
        o.output = i % 2;
        x[0] = i % OUTPUTS;
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, x));
    }
    tvgp_policy_destroy(model);
    return p;
}

/* Once some actions are safe, the policy and what its snapshot was do the same, to the last bit. */
static void assert_same_once_safe(const tvgp_policy *p, tvgp_policy *template, const struct blob *was) {
    tvgp_policy *now = MAKE_POLICY(tvgp_policy_clone, p);
    ASSERT_OK(tvgp_policy_load(template, was->n, was->bytes));
    ASSERT_OK(tvgp_policy_set_constraint(now, 1, 0.5));
    ASSERT_OK(tvgp_policy_set_constraint(template, 1, 0.5));
    for (int step = 0; step < 5; step++) {
        const double outputs[2] = {sin(step), -cos(step)};
        tvgp_query a, b;
        const tvgp_status status = tvgp_policy_ask_one(now, 40 + step, &a, NULL);
        ck_assert_int_eq(tvgp_policy_ask_one(template, 40 + step, &b, NULL), status);
        ck_assert(status == TVGP_ERR_NOTFOUND || (status == TVGP_OK && memcmp(&a, &b, sizeof a) == 0));
        if (status < 0)
            continue;
        ASSERT_OK(tvgp_policy_tell_values(now, a.id, 2, outputs));
        ASSERT_OK(tvgp_policy_tell_values(template, b.id, 2, outputs));
    }
    tvgp_policy_destroy(now);
}

/* Asks that find nothing safe, or that memory is refused to; risks and scores that reach a quota. */
static void fail_unsafe(tvgp_policy *p, tvgp_policy *template, int exact) {
    const struct blob was = blob_of(p);
    double risk[OUTPUTS], score[OUTPUTS];
    size_t k = 0;
    tvgp_query q;
    tvgp_status status = TVGP_ERR_NOMEM;
    while (status == TVGP_ERR_NOMEM) {
        memory.fail_in = ++k;
        status = tvgp_policy_ask_one(p, 30, &q, NULL);
        memory.fail_in = 0;
        struct blob now = blob_of(p);
        ck_assert(!exact || (now.n == was.n && memcmp(now.bytes, was.bytes, was.n) == 0));
        free(now.bytes);
    }
    ck_assert_int_eq(status, TVGP_ERR_NOTFOUND);
    assert_same_once_safe(p, template, &was);
    for (int64_t work = 1; work < 1000; work *= 2) {
        ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, work));
        (void)harness_risks(p, 31, OUTPUTS, NULL, risk);
        (void)harness_scores(p, 31, OUTPUTS, NULL, score, NULL, NULL);
        ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    }
    assert_same_once_safe(p, template, &was);
    free(was.bytes);
}

/* Only what guarantees.md names may have other bytes, and it goes on identically. */
START_TEST(failed_calls_with_constraints) {
    const char *name = harness_policy_at(_i);
    const double length = 2;
    double X[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++)
        X[i] = i;
    tvgp_domain *d = harness_arms(OUTPUTS, 1, X);
    tvgp_kernel *kernel = harness_se(1, 1, &length);
    for (int k = 0; k < 2 * MODELS && player_takes_limits(name); k++) {
        const char *model = models[k / 2];
        tvgp_policy *p = never_safe(name, model, d, kernel, k % 2 ? kernel : NULL),
                    *template = never_safe(name, model, d, kernel, k % 2 ? kernel : NULL);
        fail_unsafe(p, template, strcmp(model, "auto-gp-ucb") == 0);
        tvgp_policy_destroy(p), tvgp_policy_destroy(template); /* their memory is used again */
    }
}

int main(void) {
    Suite *suite = suite_create("snapshot");
    TCase *c = harness_case(suite, "bit for bit");
    tcase_add_loop_test(c, every_policy_goes_on_bit_for_bit, 0, harness_policies() + 1);
    harness_add_turns(c, every_variant_goes_on_bit_for_bit, 0, (int)(sizeof variants / sizeof *variants), 0);
    for (int i = 0; i < harness_policies(); i++)
        if (player_takes_limits(harness_policy_at(i)))
            harness_add_turns(c, limits_go_on_bit_for_bit, 2 * i, 2 * i + 2, 1);
    harness_add_turns(c, logs_go_on_bit_for_bit, 0, harness_policies(), 0);
    tcase_add_test(c, many_arms_and_long_runs);
    tcase_add_loop_test(c, whole_number_with_one_value, 0, 2);
    tcase_add_test(c, products_of_products);
    tcase_add_loop_test(c, extended_before_it_began, 0, harness_policies());
    tcase_add_loop_test(c, appended_names, 0, 2);
    tcase_add_loop_test(harness_case(suite, "boxes"), boxes_go_on_bit_for_bit, 0, harness_policies());
    TCase *failed = harness_case(suite, "failed calls");
    tcase_add_loop_test(failed, failed_calls_with_constraints, 0, harness_policies());
    tcase_add_loop_test(failed, failed_calls, 0, harness_policies());
    return harness_run(suite);
}

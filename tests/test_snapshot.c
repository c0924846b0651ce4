/* SPDX-License-Identifier: MIT */
/* A policy that was saved and loaded goes on as if nothing had happened, bit for bit: every policy, every kernel, boxes, learned
 * kernels; everything that can happen at once. A policy that forgets to visit a member fails here. */
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 200, RELOADS = 20, PENDING = 256, ARMS_MOST = 256, DIM_MOST = 4, PRIORS_MOST = 4 };

/* A way to make the same policy again. */
struct recipe {
    const char *name, *options;
    const tvgp_domain *domain;
    const tvgp_kernel *kernel, *other; /* other: of priors that are added */
    size_t n, dim;
    int priors; /* added before the start */
};

static tvgp_policy *make(const struct recipe *r) {
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_policy_create(ctx, r->name, r->domain, r->kernel, &p));
    if (r->options)
        ASSERT_OK(tvgp_policy_set(p, r->options));
    for (int i = 0; i < r->priors; i++) {
        const double mean = 0.1 * i;
        ASSERT_OK(tvgp_policy_add_prior(p, i % 2 ? r->other : r->kernel, &mean, 1, 0.02 * i));
    }
    return p;
}

struct blob {
    unsigned char *bytes;
    size_t n;
};

static struct blob save(const tvgp_policy *p) {
    struct blob b = {0};
    ASSERT_OK(tvgp_policy_save(p, NULL, 0, &b.n));
    b.bytes = malloc(b.n);
    size_t needed = 0;
    ASSERT_OK(tvgp_policy_save(p, b.bytes, b.n, &needed));
    ck_assert_uint_eq(needed, b.n);
    return b;
}

static void assert_same_blob(const struct blob *a, const struct blob *b, const char *what) {
    size_t at = 0;
    while (at < a->n && at < b->n && a->bytes[at] == b->bytes[at])
        at++;
    ck_assert_msg(a->n == b->n && at == a->n, "%s: %zu and %zu bytes, equal up to %zu", what, a->n, b->n, at);
}

/* Two policies to which the same happens. */
struct pair {
    const struct recipe *recipe;
    tvgp_policy *a, *b;
    struct rnd rnd;
    double t;
    int64_t id[PENDING];
    size_t pending;
    int64_t told, added;
};

static int bits_differ(double x, double y) {
    return memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y));
}

static void assert_same_stats(const struct pair *p) {
    size_t n = 0;
    ASSERT_OK(tvgp_policy_stat_count(p->a, &n));
    for (size_t i = 0; i < n; i++) {
        const char *key;
        double x = 0, y = 0;
        ASSERT_OK(tvgp_policy_stat_name_at(p->a, i, &key, NULL));
        tvgp_status s = tvgp_policy_stat(p->a, key, &x);
        ck_assert_int_eq(s, tvgp_policy_stat(p->b, key, &y));
        ck_assert_msg(!bits_differ(x, y), "%s (%s), told %d: statistic %s is %.17g and %.17g", p->recipe->name,
                      p->recipe->options ? p->recipe->options : "", (int)p->told, key, x, y);
    }
}

static void change_setting(struct pair *p) {
    const struct recipe *r = p->recipe;
    double mean[ARMS_MOST];
    uint8_t mask[ARMS_MOST];
    size_t n = (size_t[]){0, 1, r->n ? r->n : 1}[rnd_below(&p->rnd, 3)];
    for (size_t i = 0; i < r->n + 1; i++) {
        mean[i] = 0.2 * rnd_normal(&p->rnd);
        mask[i] = rnd_uniform(&p->rnd) < 0.7;
    }
    mask[rnd_below(&p->rnd, r->n ? r->n : 1)] = 1;
    const int all = rnd_uniform(&p->rnd) < 0.3;
    ASSERT_OK(tvgp_policy_set_mean(p->a, n ? mean : NULL, n));
    ASSERT_OK(tvgp_policy_set_mean(p->b, n ? mean : NULL, n));
    if (r->n) {
        ASSERT_OK(tvgp_policy_set_available(p->a, all ? NULL : mask, all ? 0 : r->n));
        ASSERT_OK(tvgp_policy_set_available(p->b, all ? NULL : mask, all ? 0 : r->n));
    } else {
        double lower[DIM_MOST], upper[DIM_MOST];
        for (size_t d = 0; d < r->dim; d++) {
            lower[d] = 0.3 * rnd_uniform(&p->rnd);
            upper[d] = 1 - 0.3 * rnd_uniform(&p->rnd);
        }
        ASSERT_OK(tvgp_policy_set_bounds(p->a, all ? NULL : lower, all ? NULL : upper));
        ASSERT_OK(tvgp_policy_set_bounds(p->b, all ? NULL : lower, all ? NULL : upper));
    }
}

static void add_prior(struct pair *p) {
    double mean = 0.1 * rnd_normal(&p->rnd), epsilon = 0.1 * rnd_uniform(&p->rnd);
    if (p->added + p->recipe->priors >= PRIORS_MOST || (p->recipe->options && strstr(p->recipe->options, "fit=map")))
        return;
    tvgp_status s = tvgp_policy_add_prior(p->a, p->recipe->other, &mean, 1, epsilon);
    ck_assert_int_eq(s, tvgp_policy_add_prior(p->b, p->recipe->other, &mean, 1, epsilon));
    p->added += s == TVGP_OK;
}

static void ask(struct pair *p) {
    tvgp_query qa[8], qb[8];
    double xa[8 * DIM_MOST] = {0}, xb[8 * DIM_MOST] = {0};
    size_t na = 0, nb = 0, cap = 1 + rnd_below(&p->rnd, 8);
    if (rnd_uniform(&p->rnd) < 0.8)
        p->t += rnd_uniform(&p->rnd) < 0.05 ? 40 : rnd_uniform(&p->rnd);
    tvgp_status s = tvgp_policy_ask(p->a, p->t, cap, qa, xa, &na);
    ck_assert_msg(s >= 0, "%s: %s", p->recipe->name, tvgp_ctx_errmsg(ctx));
    ck_assert_int_eq(s, tvgp_policy_ask(p->b, p->t, cap, qb, xb, &nb));
    ck_assert_uint_eq(na, nb);
    ck_assert_msg(memcmp(qa, qb, na * sizeof *qa) == 0 && memcmp(xa, xb, sizeof xa) == 0,
                  "%s (%s): after %d answers id %d: arm %d or %d, score %.17g or %.17g", p->recipe->name,
                  p->recipe->options ? p->recipe->options : "", (int)p->told, (int)qa->id, (int)qa->arm, (int)qb->arm,
                  qa->score, qb->score);
    for (size_t i = 0; i < na && p->pending < PENDING; i++)
        p->id[p->pending++] = qa[i].id;
}

static void point(struct pair *p, double *x) {
    const struct recipe *r = p->recipe;
    for (size_t d = 0; d < r->dim; d++)
        x[d] = rnd_uniform(&p->rnd);
    if (r->n)
        ASSERT_OK(tvgp_domain_point(r->domain, (int64_t)rnd_below(&p->rnd, r->n), x));
}

/* A few of the pending ones, in any order, some late, and now and then one that nobody asked for. */
static void tell(struct pair *p) {
    tvgp_obs obs[6];
    double x[6 * DIM_MOST] = {0};
    size_t n = 0, most = 1 + rnd_below(&p->rnd, 5);
    while (n < most && p->pending) {
        size_t k = rnd_uniform(&p->rnd) < 0.6 ? p->pending - 1 : rnd_below(&p->rnd, p->pending);
        obs[n] = (tvgp_obs){.id = p->id[k], .y = rnd_normal(&p->rnd)};
        if (rnd_uniform(&p->rnd) < 0.1)
            obs[n].outcome = 1 + (int32_t)rnd_below(&p->rnd, 3);
        if (rnd_uniform(&p->rnd) < 0.2) {
            obs[n].flags |= TVGP_OBS_NOISE;
            obs[n].noise_var = rnd_uniform(&p->rnd) < 0.2 ? 0 : 0.1 * rnd_uniform(&p->rnd);
        }
        if (rnd_uniform(&p->rnd) < 0.2) {
            obs[n].flags |= TVGP_OBS_TIME;
            obs[n].t = p->t - 5 * rnd_uniform(&p->rnd);
        }
        if (rnd_uniform(&p->rnd) < 0.03)
            obs[n].y *= 30;
        p->id[k] = p->id[--p->pending];
        n++;
    }
    if (rnd_uniform(&p->rnd) < 0.15) {
        obs[n] = tvgp_obs_unasked(p->t - rnd_uniform(&p->rnd), rnd_normal(&p->rnd));
        point(p, x + n * p->recipe->dim);
        n++;
    }
    tvgp_status s = tvgp_policy_tell(p->a, obs, x, n);
    ck_assert_int_eq(s, tvgp_policy_tell(p->b, obs, x, n));
    if (s == TVGP_OK && n)
        p->t = fmax(p->t, 0);
    p->told += (int64_t)n;
}

static void look(struct pair *p) {
    double x[3 * DIM_MOST], ma[3], va[3], mb[3], vb[3], xa[DIM_MOST] = {0}, xb[DIM_MOST] = {0};
    int64_t a = 0, b = 0;
    for (size_t i = 0; i < 3; i++)
        point(p, x + i * p->recipe->dim);
    tvgp_status s = tvgp_policy_predict(p->a, p->t + 1, 3, x, ma, va);
    ck_assert_int_eq(s, tvgp_policy_predict(p->b, p->t + 1, 3, x, mb, vb));
    if (s == TVGP_OK)
        ck_assert_msg(memcmp(ma, mb, sizeof ma) == 0 && memcmp(va, vb, sizeof va) == 0, "%s: predictions differ",
                      p->recipe->name);
    s = tvgp_policy_best(p->a, p->t, &a, xa);
    ck_assert_int_eq(s, tvgp_policy_best(p->b, p->t, &b, xb));
    ck_assert(s < 0 || (a == b && memcmp(xa, xb, sizeof xa) == 0));
}

static void step(struct pair *p) {
    double u = rnd_uniform(&p->rnd);
    if (u < 0.05)
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

/* b goes on from its snapshot: in a fresh policy, in a clone, in one that has held something else before, in one that is made
 * of a whole snapshot. */
static void reload(struct pair *p, struct blob *old) {
    struct blob a = save(p->a), b = save(p->b), again;
    assert_same_blob(&a, &b, p->recipe->name);
    int way = (int)rnd_below(&p->rnd, 5);
    if (way == 4) {
        struct blob whole = {0};
        ASSERT_OK(tvgp_policy_save_whole(p->b, NULL, 0, &whole.n));
        whole.bytes = malloc(whole.n);
        ASSERT_OK(tvgp_policy_save_whole(p->b, whole.bytes, whole.n, &whole.n));
        tvgp_policy_destroy(p->b);
        p->b = NULL;
        ASSERT_OK(tvgp_policy_create_from(ctx, whole.bytes, whole.n, NULL, NULL, &p->b));
        free(whole.bytes);
    } else if (way == 0) {
        tvgp_policy *clone = NULL;
        ASSERT_OK(tvgp_policy_clone(p->b, &clone));
        tvgp_policy_destroy(p->b);
        p->b = clone;
    } else if (way < 3) {
        tvgp_policy_destroy(p->b);
        p->b = make(p->recipe);
    }
    if ((way == 2 || way == 3) && old->n)
        ASSERT_OK(tvgp_policy_load(p->b, old->bytes, old->n));
    if (way % 4)
        ASSERT_OK(tvgp_policy_load(p->b, b.bytes, b.n));
    again = save(p->b);
    assert_same_blob(&b, &again, p->recipe->name);
    free(b.bytes);
    free(again.bytes);
    if (!old->n || rnd_uniform(&p->rnd) < 0.3) {
        free(old->bytes);
        *old = a;
    } else {
        free(a.bytes);
    }
}

static void play(const struct recipe *r, uint64_t seed, int steps) {
    struct pair p = {.recipe = r, .a = make(r), .b = make(r), .rnd = {seed}};
    struct blob old = {0};
    for (int i = 0; i < steps; i++) {
        if (rnd_below(&p.rnd, (size_t)(steps / RELOADS)) == 0)
            reload(&p, &old);
        step(&p);
        if (i % 16 == 0)
            assert_same_stats(&p);
    }
    reload(&p, &old);
    assert_same_stats(&p);
    free(old.bytes);
    tvgp_policy_destroy(p.a);
    tvgp_policy_destroy(p.b);
}

static int takes_priors(const char *name) {
    return strcmp(name, "auto-gp-ucb") == 0 || strcmp(name, "pe-gp-ucb") == 0 || strcmp(name, "mle-gp-ucb") == 0 ||
           strcmp(name, "fb-gp-ucb") == 0 || strcmp(name, "rb-gp-ucb") == 0;
}

static void play_kernels(const char *name, const char *options, int steps, int priors) {
    for (size_t k = 0; k < CASES_KERNELS; k++) {
        const struct ref_kernel *ref = cases_kernel_at(k);
        double X[CASES_ARMS * 2];
        tvgp_domain *domain = NULL;
        tvgp_kernel *kernel = NULL, *other = NULL;
        ASSERT_OK(cases_domain(ctx, ref, X, &domain));
        ASSERT_OK(cases_kernel(ctx, ref, &kernel));
        size_t dim = 0;
        ASSERT_OK(tvgp_domain_dim(domain, &dim));
        const double lengthscale = 0.4;
        ASSERT_OK(tvgp_kernel_se(ctx, dim, 0.8, &lengthscale, 1, &other));
        const struct recipe r = {name, options, domain, kernel, other, CASES_ARMS, dim, priors};
        play(&r, 1000 * k + 7, steps);
        tvgp_kernel_destroy(kernel);
        tvgp_kernel_destroy(other);
        tvgp_domain_destroy(domain);
    }
}

START_TEST(every_policy_goes_on_bit_for_bit) {
    const char *name;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    const char *options = strstr(name, "sparq") ? "kdpp.steps=20 queries.scale=2 queries.power=1" : NULL;
    play_kernels(name, options, STEPS, takes_priors(name) ? 2 : 0);
}
END_TEST

static const struct {
    const char *name, *options;
} variants[] = {
    {"gp-ucb", "sense=min outlier.sd=2 pending.timeout=20"},
    {"tv-gp-ucb", "late.limit=0 sense=min"},
    {"tv-gp-ucb", "late.limit=5 epsilon=.2 pending.limit=10"},
    {"tv-gp-ucb", "time.law=matern32"},
    {"tv-gp-ucb", "choice=thompson"},
    {"tv-gp-ucb", "fit=map late.limit=8"},
    {"gp-ucb", "fit=map fit.evals=2"},
    {"auto-gp-ucb", "doubt=1"},
    {"sw-gp-ucb", "window=6"},
    {"sw-gp-ucb", "window=12 fit=map"},
    {"r-gp-ucb", "reset.every=15"},
    {"ui-gp-ucb", "growth=wiener-kernel late.limit=3"},
    {"ui-gp-ucb", "growth=exponential growth.rate=1 age.reference=last"},
    {"w-gp-ucb", "decay=.4"},
    {"et-gp-ucb", "trigger.delta=.9 fit=map"},
    {"auto-gp-ucb", "hazard=.2 recycle=.2"},
    {"auto-gp-ucb", "fit=map hazard=.1"},
    {"auto-gp-ucb", "laws=ou scale=1 sense=min"},
    {"auto-gp-ucb", "doubt=1 hazard=.2"},
    {"auto-gp-ucb", "hazard=.2 confirm=evidence constant=.5"},
    {"bkb", "update.growth=3 inclusion=per-arm"},
    {"bkb", "window=20 reset.every=30"},
    {"pe-gp-ucb", "sense=min late.limit=2 width.delta=.99"},
    {"rb-gp-ucb", "outlier.sd=1"},
    {"sparq-gp-ucb", "kdpp.steps=5 keep_recent=0 sense=min"},
    {"w-sparq-gp-ucb", "kdpp.steps=5 sense=min pending.timeout=3"},
};

START_TEST(every_variant_goes_on_bit_for_bit) {
    play_kernels(variants[_i].name, variants[_i].options, STEPS,
                 takes_priors(variants[_i].name) && !strstr(variants[_i].options, "fit"));
}
END_TEST

/* Many arms: the search for the rank goes on over many steps, and a long run in weights. */
START_TEST(many_arms_and_long_runs) {
    static const char *const names[] = {"gp-ucb", "tv-gp-ucb", "tv-gp-ucb", "tv-gp-ucb", "auto-gp-ucb", "bkb"};
    static const char *const options[] = {NULL, "epsilon=.002", "late.limit=0", "fit=map", NULL, NULL};
    double X[2 * 200];
    struct rnd rnd = {5};
    rnd_fill(&rnd, 400, X);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tvgp_domain *domain = NULL;
        tvgp_kernel *kernel = NULL;
        const double lengthscale = i % 2 ? 0.2 : 0.35;
        ASSERT_OK(tvgp_domain_arms(ctx, 200, 2, X, &domain));
        ASSERT_OK(tvgp_kernel_se(ctx, 2, 1, &lengthscale, 1, &kernel));
        const struct recipe r = {names[i], options[i], domain, kernel, kernel, 200, 2, 0};
        play(&r, 31 + i, i < 3 ? 900 : 300);
        tvgp_kernel_destroy(kernel);
        tvgp_domain_destroy(domain);
    }
}
END_TEST

START_TEST(boxes_go_on_bit_for_bit) {
    const char *name;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    const double lower[2] = {0, 0}, upper[2] = {1, 1}, lengthscale = 0.3;
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p = NULL;
    ASSERT_OK(tvgp_domain_box(ctx, 2, lower, upper, &domain));
    ASSERT_OK(tvgp_kernel_se(ctx, 2, 1, &lengthscale, 1, &kernel));
    if (tvgp_policy_create(ctx, name, domain, kernel, &p) == TVGP_OK) {
        tvgp_policy_destroy(p);
        const struct recipe r = {name, "search.effort=.1", domain, kernel, kernel, 0, 2, 0};
        const struct recipe plain = {name, NULL, domain, kernel, kernel, 0, 2, 0};
        play(strcmp(name, "random") == 0 ? &plain : &r, 77, 80);
        if (strcmp(name, "tv-gp-ucb") == 0) {
            const struct recipe untold = {name, "search.effort=.1 fit.evals=2", domain, NULL, kernel, 0, 2, 0};
            play(&untold, 78, 80);
        }
    }
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("snapshot");
    TCase *c = harness_case(suite, "bit for bit");
    tcase_add_loop_test(c, every_policy_goes_on_bit_for_bit, 0, harness_policies());
    tcase_add_loop_test(c, every_variant_goes_on_bit_for_bit, 0, (int)(sizeof variants / sizeof *variants));
    tcase_add_test(c, many_arms_and_long_runs);
    tcase_add_loop_test(c, boxes_go_on_bit_for_bit, 0, harness_policies());
    return harness_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* A kernel may fail at any call, and then the policy call that needed it fails with its status and changes nothing: a policy
 * whose kernel fails at its first, second, .. call goes on with the bits of a twin that was spared. And the calls are where
 * they can fail: observing, moving in time, reading and forgetting call no kernel. */
#include "base/error.h"
#include "cases.h"
#include "model/nystrom.h"
#include "model/posterior_make.h"
#include "policy/ucb/ucb.h"
#include "space/kernel/kernel_ops.h"

#include <math.h>
#include <string.h>

/* ---- a kernel that counts and fails ----------------------------------------------------------------------------- */

struct calls {
    size_t made, entries, fail_at; /* entries: of blocks; fail_at 0: never */
    tvgp_status status;
};

struct watched {
    tvgp_kernel base;
    tvgp_kernel *inner;
    struct calls *calls;
};

static tvgp_status count(const tvgp_kernel *k) {
    struct calls *c = ((const struct watched *)k)->calls;
    return ++c->made == c->fail_at ? tvgp__error_set(k->ctx, c->status, "call %zu of the kernel", c->made) : TVGP_OK;
}
static tvgp_status block(const tvgp_kernel *k, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    TVGP__TRY(count(k));
    ((const struct watched *)k)->calls->entries += n * m;
    return tvgp__kernel_block(((const struct watched *)k)->inner, n, X, m, Z, K, ldk);
}
static tvgp_status diag(const tvgp_kernel *k, size_t n, const double *X, double *d) {
    TVGP__TRY(count(k));
    return tvgp__kernel_diag(((const struct watched *)k)->inner, n, X, d);
}
static void release(tvgp_kernel *k) {
    tvgp_kernel_destroy(((struct watched *)k)->inner);
}

static const tvgp__kernel_ops watched_ops = {.block = block, .diag = diag, .release = release};

static const struct ref_kernel smooth = {.kind = REF_MATERN52, .dim = 2, .variance = 1, .l = {1.5, 1.5}};

static tvgp_kernel *watch(struct calls *calls) {
    struct watched *w;
    ASSERT_OK(tvgp__kernel_new(ctx, &watched_ops, 2, sizeof *w, &w));
    w->calls = calls;
    w->inner = MAKE_KERNEL(cases_kernel, ctx, &smooth);
    return &w->base;
}

/* ---- algorithms ---------------------------------------------------------------------------------------------------- */

enum { SIDE = 5, ARMS = SIDE * SIDE, POINTS = 9, BATCH = 50, MOST = 4 * BATCH };

struct player {
    struct calls calls;
    tvgp_policy *policy;
    double t;
    int64_t waiting[MOST];
    size_t n_waiting, told;
};

/* What a call gave, to be compared. */
struct result {
    tvgp_status status;
    size_t n;
    tvgp_query q[ARMS + 1];
    double mean[ARMS + POINTS], var[ARMS + POINTS];
    int64_t best;
};

static double X[(ARMS + POINTS) * 2]; /* the arms, then points that are none */

static tvgp_status create(struct player *p, tvgp_domain *domain, const char *name) {
    tvgp_kernel *kernel = watch(&p->calls);
    tvgp_status status = tvgp_policy_create(ctx, name, domain, kernel, &p->policy);
    tvgp_kernel_destroy(kernel);
    return status;
}

static void ask(struct player *p, struct result *r) {
    r->status = tvgp_policy_ask(p->policy, p->t + 1, ARMS + 1, r->q, NULL, &r->n);
    if (r->status < 0)
        return;
    p->t++;
    for (size_t i = 0; i < r->n; i++)
        p->waiting[p->n_waiting++] = r->q[i].id;
}

/* The oldest outcomes, and unsolicited observations up to n in all. */
static void tell(struct player *p, size_t asked, size_t n, struct result *r) {
    tvgp_obs obs[BATCH];
    double x[BATCH * 2];
    asked = asked < p->n_waiting ? asked : p->n_waiting;
    for (size_t i = 0; i < n; i++) {
        size_t k = p->told + i;
        obs[i] = (tvgp_obs){.id = i < asked ? p->waiting[i] : 0, .y = sin(3.0 * (double)k)};
        memcpy(x + 2 * i, X + 2 * (7 * k % ARMS), 2 * sizeof *x);
    }
    r->status = tvgp_policy_tell(p->policy, n, obs, x);
    if (r->status < 0)
        return;
    p->told += n;
    p->n_waiting -= asked;
    memmove(p->waiting, p->waiting + asked, p->n_waiting * sizeof *p->waiting);
}

static void step(struct player *p, char what, struct result *r) {
    memset(r, 0, sizeof *r);
    switch (what) {
    case 'a':
        ask(p, r);
        break;
    case 't': /* one outcome */
        tell(p, 1, p->n_waiting ? 1 : 0, r);
        break;
    case 'T': /* everything that waits, and more */
        tell(p, BATCH, BATCH, r);
        break;
    case 'p':
        r->status = tvgp_policy_predict(p->policy, p->t + 1, ARMS + POINTS, X, r->mean, r->var);
        break;
    default:
        r->status = tvgp_policy_best(p->policy, p->t + 1, &r->best, NULL);
    }
    if (r->status < 0)
        memset(r, 0, sizeof *r);
}

static int bits_differ(double a, double b) {
    return memcmp(&a, &b, sizeof a) != 0;
}

/* Rows of the kernel that are not held give way at once. */
static void keep_no_rows(tvgp_policy *p, const char *name) {
    if (p->state && strstr(name, "ucb"))
        ((tvgp__ucb *)p->state)->posterior->rows.recent = 0;
}

/* Statistics call no kernel. */
static void compare_statistics(const struct player *a, const struct player *b, const char *name, size_t at) {
    size_t n = 0, made = a->calls.made;
    const char *key;
    ASSERT_OK(tvgp_policy_stat_count(a->policy, &n));
    for (size_t i = 0; i < n; i++) {
        key = harness_stat_key(a->policy, i);
        double x = 0, y = 0; /* a series may be empty */
        ck_assert_int_eq(tvgp_policy_stat(a->policy, key, &x), tvgp_policy_stat(b->policy, key, &y));
        ck_assert_msg(!bits_differ(x, y), "%s, step %zu: %s is %.17g, %.17g for the twin", name, at, key, x, y);
    }
    ck_assert_msg(a->calls.made == made, "%s, step %zu: statistics called the kernel", name, at);
}

static const char *setting_of(const char *name) {
    return strstr(name, "sparq") ? "kdpp.steps=40" : "seed=1";
}

/* First ask, asks with pending actions, outcomes one by one and 50 at once, past the search for the rank and back. */
static const char script[] = "pbapaaatpbttaTpbaataTaapbataataTpabtTapb";

TEST_EACH(a_call_that_fails_changes_nothing, harness_policies()) {
    static struct player rough, calm;
    static struct result got, want;
    const char *name, *doc;
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    const size_t points[2] = {SIDE, SIDE};
    size_t failures = 0;
    rough = calm = (struct player){.t = 0};
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, &doc));
    tvgp_domain *domain = harness_grid(2, lower, upper, points);
    for (size_t i = 0; i < ARMS; i++)
        ASSERT_OK(tvgp_domain_point(domain, (int64_t)i, X + 2 * i));
    rnd_fill(&(struct rnd){8}, POINTS * 2, X + ARMS * 2);
    tvgp_status status;
    do { /* until a call is good without having come to the one that fails */
        rough.calls = (struct calls){.fail_at = ++failures, .status = -1234};
        status = create(&rough, domain, name);
        ck_assert_int_eq(status, rough.calls.made < failures ? TVGP_OK : -1234);
    } while (status < 0);
    ASSERT_OK(create(&calm, domain, name));
    ASSERT_OK(tvgp_policy_set(rough.policy, setting_of(name)));
    ASSERT_OK(tvgp_policy_set(calm.policy, setting_of(name)));
    for (size_t at = 0; script[at]; at++) {
        size_t k = 0;
        keep_no_rows(rough.policy, name);
        do {
            k++;
            rough.calls = (struct calls){.fail_at = k, .status = k % 2 ? -1234 : TVGP_ERR_NOMEM};
            step(&rough, script[at], &got);
            if (rough.calls.made >= k && script[at] != 't')
                ck_assert_msg(rough.calls.made == k, "%s, step %zu: a call of the kernel after the one that failed", name,
                              at);
            failures++;
        } while (rough.calls.made >= k);
        step(&calm, script[at], &want);
        ck_assert_msg(memcmp(&got, &want, sizeof got) == 0, "%s, step %zu (%c), failed at calls 1 to %zu", name, at,
                      script[at], k - 1);
        compare_statistics(&rough, &calm, name, at);
    }
    if (cases_has_model(calm.policy))
        ck_assert_uint_gt(failures, sizeof script);
    else
        ck_assert_uint_eq(failures, sizeof script); /* it is never called */
    tvgp_policy_destroy(rough.policy);
    tvgp_policy_destroy(calm.policy);
}

/* ---- experts on a box ------------------------------------------------------------------------------------------- */

static void create_on_box(struct player *p, const char *name) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    *p = (struct player){.t = 0};
    tvgp_domain *domain = harness_box(2, lower, upper);
    ASSERT_OK(create(p, domain, name));
    ASSERT_OK(tvgp_policy_set(p->policy, "kdpp.steps=20 side.round_factor=3 side.round_exponent=1 search.effort=0.1"));
}

/* Asks for one action, with its side queries, and reports their outcomes one by one. */
static void play_on_box(struct player *p, int reads) {
    tvgp_query q[ARMS];
    double x[2 * ARMS], mean, var;
    size_t n = 0;
    do {
        ASSERT_OK(tvgp_policy_ask(p->policy, p->t, ARMS, q, x, &n));
        for (size_t i = 0; i < n; i++) {
            ASSERT_OK(tvgp_policy_tell_value(p->policy, q[i].id, sin(5 * x[2 * i]) + x[2 * i + 1]));
            if (reads)
                ASSERT_OK(tvgp_policy_predict(p->policy, p->t, 1, x, &mean, &var));
        }
    } while (q->kind != TVGP_ACTION);
    p->t++;
}

static size_t save(const struct player *p, size_t most, unsigned char *bytes) {
    size_t n = 0;
    ASSERT_OK(tvgp_policy_save(p->policy, most, bytes, &n));
    return n;
}

/* A tell evaluates the kernel between the new point and the rows; the first read runs the optimisation, fails with the
 * status of the kernel, and is repeated by a later one. A twin that is read after every outcome has the same bits. */
TEST_EACH(on_a_box_an_expert_fits_when_it_is_read, 2) {
    static struct player late, early;
    static unsigned char bytes[2][1 << 16];
    const char *name = _i ? "w-sparq-gp-ucb" : "sparq-gp-ucb";
    const double at[2] = {0.3, 0.6};
    double mean[2], var[2];
    create_on_box(&late, name);
    create_on_box(&early, name);
    for (int step = 0; step < 14; step++) {
        late.calls.entries = 0;
        play_on_box(&late, 0);
        play_on_box(&early, 1);
        ck_assert(!bits_differ(harness_stat(late.policy, "observations"), harness_stat(early.policy, "observations")));
    }
    const size_t rows = (size_t)harness_stat(late.policy, "observations.stored");
    const tvgp_obs told = {.y = 1, .flags = TVGP_OBS_HAS_TIME, .t = late.t};
    ck_assert_uint_ge(rows, 4);
    late.calls.entries = 0;
    ASSERT_OK(tvgp_policy_tell(late.policy, 1, &told, at));
    ASSERT_OK(tvgp_policy_tell(early.policy, 1, &told, at));
    ck_assert_uint_le(late.calls.entries, rows + 1);
    late.calls.fail_at = late.calls.made + 1;
    late.calls.status = -1234;
    ck_assert_int_eq(tvgp_policy_predict(late.policy, late.t, 1, at, mean, var), -1234);
    ASSERT_OK(tvgp_policy_predict(late.policy, late.t, 1, at, mean, var));
    ASSERT_OK(tvgp_policy_predict(early.policy, late.t, 1, at, mean + 1, var + 1));
    ck_assert(!bits_differ(mean[0], mean[1]) && !bits_differ(var[0], var[1]));
    ASSERT_OK(tvgp_policy_tell(late.policy, 1, &told, at));
    ASSERT_OK(tvgp_policy_tell(early.policy, 1, &told, at));
    ASSERT_OK(tvgp_policy_predict(early.policy, late.t, 1, at, mean, var));
    const size_t n = save(&early, sizeof bytes[0], bytes[0]);
    ck_assert_uint_eq(save(&late, sizeof bytes[1], bytes[1]), n);
    ck_assert(memcmp(bytes[0], bytes[1], n) == 0);
    tvgp_policy_destroy(late.policy);
    tvgp_policy_destroy(early.policy);
}

/* ---- posteriors ---------------------------------------------------------------------------------------------------- */

static const tvgp__drift two_drifts[] = {{.kind = TVGP__DRIFT_FORGETTING, .rate = 0.03},
                                         {.kind = TVGP__DRIFT_MATERN32, .rate = 0.1}};
static const double *no_mean;
static const tvgp_kernel *mixture_kernel;
static const tvgp__kalman_mixture_spec two = {
    .n_drifts = 2, .n_priors = 1, .drifts = two_drifts, .kernels = &mixture_kernel, .means = &no_mean, .hazard = 0.01};

static const struct {
    const char *what;
    tvgp__posterior_spec spec;
} posteriors[] = {
    {"static", {.late = 32}},
    {"forgetting", {.drift = {.kind = TVGP__DRIFT_FORGETTING, .rate = 0.03}, .late = 32}},
    {"Wiener", {.drift = {.kind = TVGP__DRIFT_WIENER, .rate = 0.03}, .late = 32}},
    {"window", {.window = 17}},
    {"replaced", {.replaced = 1}},
    {"aging noise", {.age = {.growth = TVGP__NOISE_AGE_EXPONENTIAL, .rate = 0.1}}},
    {"mixture", {.several = &two}},
    {"Nystrom", {.sketched = 1}},
};

/* Observes a batch, of which every third outcome is delayed and every seventh is left out. */
static void take_batch(tvgp__posterior *posterior, const tvgp__points *points, double t, struct rnd *r) {
    double mean[ARMS], var[ARMS], column[ARMS];
    for (size_t i = 0; i < points->n; i++)
        if (i % 7 != 6)
            tvgp__posterior_observe(posterior, points, i, i % 3 == 2 ? t - 4.5 : t, rnd_normal(r), 0.05, 0);
    posterior->ops->advance(posterior, t + 1);
    tvgp__posterior_finish(posterior);
    posterior->ops->at(posterior, t + 3, ARMS, NULL, mean, var);
    posterior->ops->column(posterior, 3, column);
}

TEST_EACH(what_cannot_fail_calls_no_kernel, sizeof posteriors / sizeof *posteriors) {
    struct calls calls = {0};
    struct rnd r = {4};
    tvgp__posterior *posterior;
    tvgp_kernel *kernel = watch(&calls);
    tvgp__posterior_spec spec = posteriors[_i].spec;
    rnd_fill(&r, ARMS * 2, X);
    tvgp_domain *domain = harness_arms(ARMS, 2, X);
    spec.ctx = ctx;
    spec.domain = domain;
    spec.noise = 0.01;
    spec.kernel = mixture_kernel = kernel;
    ASSERT_OK(tvgp__posterior_make(&spec, &posterior));
    tvgp_kernel_destroy(kernel);
    posterior->rows.recent = 0;
    size_t arm[BATCH];
    for (int round = 0; round < 12; round++) {
        const tvgp__points points = {.n = round % 3 == 2 ? BATCH : 1, .arm = arm};
        for (size_t i = 0; i < points.n; i++)
            arm[i] = rnd_below(&r, ARMS);
        ASSERT_OK(posterior->ops->prepare(posterior, &points));
        ASSERT_OK(tvgp__posterior_reach(posterior, &(tvgp__points){.n = 1, .arm = (size_t[]){3}}));
        if (spec.sketched)
            ASSERT_OK(tvgp__nystrom_prepare((tvgp__nystrom *)posterior, points.n, 1, arm));
        size_t made = calls.made;
        take_batch(posterior, &points, 5 * round, &r);
        if (spec.sketched)
            tvgp__nystrom_fit((tvgp__nystrom *)posterior, 0, 1, arm);
        if (round == 6)
            posterior->ops->reset(posterior);
        ck_assert_msg(calls.made == made, "%s, round %d: %zu calls of the kernel", posteriors[_i].what, round,
                      calls.made - made);
    }
    tvgp__posterior_free(posterior);
}

HARNESS_MAIN("calls of the kernel")

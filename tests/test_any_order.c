/* SPDX-License-Identifier: MIT */
/* Outcomes that are reported in any order give the posterior of outcomes in order, which is the dense one where there is a reference,
 * for every policy with a model, on arms and on a box. The runs are many times longer than the largest delay that
 * delay.exact_observations processes exactly. Where delays are approximated, outcomes of the same time come in any order. */
#include "cases.h"
#include "harness.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <string.h>

enum { OUTCOMES = 72, TIED = 3, LOOKS = CASES_ARMS, LIMITS = 3 };
static const int limits[LIMITS] = {1, 3, OUTCOMES};

/* Drift models, and several priors, by the option that a policy needs for them. */
static const struct law {
    const char *needs, *options;
    double rate, lambda;      /* of the reference */
    int priors, approximated; /* number of them, whether delays are approximated on arms */
} drifts[] = {
    {"noise", "", 0, 0, 0, 0},
    {"time.kernel", "time.kernel=matern32 time.rate=.1", 0, .1, 0, 1},
    {"noise_growth", "noise_growth=wiener-kernel noise_growth.rate=.01", .01, 0, 0, 0},
    {"prior.weights", "", 0, 0, 2, 0},
};
enum { LAWS = sizeof drifts / sizeof *drifts };

/* One sequence of outcomes, and when each is reported: before the step `due` ends. */
struct stream {
    double t[OUTCOMES], y[OUTCOMES], x[2 * OUTCOMES];
    size_t arm[OUTCOMES], due[OUTCOMES];
};

struct answer {
    double mean[LOOKS], var[LOOKS], evidence;
};

static const struct ref_kernel *kernel;
static const struct law *law;
static int on_box;
static double points[2 * CASES_ARMS];

/* ---- policies -------------------------------------------------------------------------------------------------------- */

static tvgp_status create(const char *name, int64_t limit, tvgp_policy **out) {
    tvgp_domain *domain = cases_square(on_box);
    tvgp_kernel *k = NULL;
    ASSERT_OK(cases_kernel(ctx, kernel, &k));
    const tvgp_status status = tvgp_policy_create(ctx, name, domain, k, out);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(k);
    if (status != TVGP_OK)
        return status;
    static const struct {
        const char *option;
        double value;
    } options[] = {{"noise", .05},
                   {"epsilon", .03},
                   {"forget.tolerance", 0},
                   {"reset.every", 1e6},
                   {"window", 1e6},
                   {"trigger.delta", 1e-99},
                   {"decay", .95},
                   {"qbar", 1e9},
                   {"changepoint.hazard", 0},
                   {"mixture.switching_probability", 0},
                   {"time.unit", 1}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        cases_set(*out, options[i].option, options[i].value);
    cases_set(*out, "rank.tolerance", on_box ? 1e-9 : 0); /* 0 on a box: a row for each outcome, no features */
    cases_set(*out, "delay.exact_observations", (double)limit);
    return TVGP_OK;
}

static void set_up(tvgp_policy *p) {
    ASSERT_OK(tvgp_policy_set(p, law->options));
    for (int i = 0; i < law->priors; i++) {
        const double mean = .2 - .4 * i;
        tvgp_kernel *k = NULL;
        ASSERT_OK(cases_kernel(ctx, cases_kernel_at(i ? 3 : 0), &k));
        ASSERT_OK(tvgp_policy_add_prior(p, k, 1, &mean, .04 * i));
        tvgp_kernel_destroy(k);
    }
}

/* ---- streams --------------------------------------------------------------------------------------------------------- */

/* At most `limit` outcomes of later times come before one; 0: outcomes of the same time are mixed. */
static void fill(struct stream *s, size_t limit, uint64_t seed) {
    struct rnd rnd = {seed};
    for (size_t i = 0; i < OUTCOMES; i++) {
        s->t[i] = .7 * (double)(i / TIED);
        s->arm[i] = rnd_below(&rnd, CASES_ARMS);
        memcpy(s->x + 2 * i, points + 2 * s->arm[i], 2 * sizeof *points);
        if (on_box && rnd_below(&rnd, 3)) /* others come again */
            rnd_fill(&rnd, 2, s->x + 2 * i);
        s->y[i] = sin(5 * s->x[2 * i] + .1 * (double)i) + s->x[2 * i + 1] + .2 * rnd_normal(&rnd);
        s->due[i] = limit ? i + rnd_below(&rnd, limit + 1) : i - i % TIED + rnd_below(&rnd, TIED);
        s->due[i] = s->due[i] < i ? i : s->due[i];
    }
}

/* A query at the place of outcome i; 0: there is none, and the outcome is unsolicited. */
static int64_t ask(tvgp_policy *p, const struct stream *s, size_t i) {
    double x[2];
    uint8_t mask[CASES_ARMS] = {0};
    mask[s->arm[i]] = 1;
    if (i % 2 || law->priors || harness_has(p, "side.noise")) /* an ask draws side queries, or rules out priors */
        return 0;
    if (on_box)
        ASSERT_OK(tvgp_policy_set_bounds(p, s->x + 2 * i, s->x + 2 * i));
    else
        ASSERT_OK(tvgp_policy_set_available(p, CASES_ARMS, mask));
    tvgp_query q = harness_ask_at(p, s->t[i], x);
    ck_assert_mem_eq(x, s->x + 2 * i, sizeof x);
    return q.id;
}

/* Those that are due, in the order of the stream or backwards. */
static void report(tvgp_policy *p, const struct stream *s, const int64_t *id, size_t step, int backwards) {
    for (size_t k = 0; k < OUTCOMES; k++) {
        const size_t i = backwards ? OUTCOMES - 1 - k : k;
        tvgp_obs o = {.id = id[i], .y = s->y[i], .t = id[i] ? 0 : s->t[i], .flags = id[i] ? 0 : TVGP_OBS_HAS_TIME};
        if (s->due[i] == step)
            ASSERT_OK(tvgp_policy_tell(p, 1, &o, id[i] ? NULL : s->x + 2 * i));
    }
}

/* Runs and gives the policy up; in the middle its copy goes on. */
static void run(tvgp_policy *p, const struct stream *s, int backwards, struct answer *out) {
    int64_t id[OUTCOMES] = {0};
    for (size_t step = 0; step < 2 * OUTCOMES + 1; step++) {
        if (step < OUTCOMES)
            id[step] = ask(p, s, step);
        report(p, s, id, step, backwards);
        if (step == OUTCOMES / 2) {
            tvgp_policy *copy;
            ASSERT_OK(tvgp_policy_clone(p, &copy));
            tvgp_policy_destroy(p);
            p = copy;
        }
    }
    ck_assert_double_eq(harness_stat(p, "observations"), OUTCOMES);
    if (harness_has(p, "delay.exact_observations"))
        ck_assert_double_eq(harness_stat(p, "delay.approximated"), 0);
    ASSERT_OK(tvgp_policy_predict(p, s->t[OUTCOMES - 1] + 1, LOOKS, points, out->mean, out->var));
    out->evidence = harness_stat(p, "log_marginal_likelihood");
    tvgp_policy_destroy(p);
}

static void dense(const tvgp_policy *p, const struct stream *s, struct answer *out) {
    struct ref_gp ref;
    cases_reference(p, kernel, OUTCOMES, &ref);
    if (ref.capacity != OUTCOMES) { /* a window that holds all */
        const double epsilon = ref.epsilon;
        ref_gp_free(&ref);
        ref_gp_init(&ref, kernel, epsilon, OUTCOMES);
    }
    ref.rate = law->rate;
    ref.lambda = law->lambda;
    ref.epsilon = law->rate > 0 || law->lambda > 0 ? 0 : ref.epsilon;
    for (size_t i = 0; i < OUTCOMES; i++)
        ref_gp_add(&ref, s->x + 2 * i, s->t[i], s->y[i], .05);
    ref_gp_predict(&ref, LOOKS, points, s->t[OUTCOMES - 1] + 1, out->mean, out->var);
    out->evidence = ref_gp_log_evidence(&ref);
    ref_gp_free(&ref);
}

static void assert_same(const struct answer *a, const struct answer *b, const char *what) {
    const double tolerance = on_box ? 2e-5 : 1e-9; /* the features of a box leave out little, but more than round-off */
    for (size_t i = 0; i < LOOKS; i++)
        ck_assert_msg(harness_near(a->mean[i], b->mean[i], tolerance) && harness_near(a->var[i], b->var[i], tolerance),
                      "%s, place %zu: mean %.12g, expected %.12g, variance %.12g, expected %.12g", what, i, a->mean[i],
                      b->mean[i], a->var[i], b->var[i]);
    ck_assert_msg(harness_near(a->evidence, b->evidence, tolerance), "%s: log marginal likelihood %.12g, expected %.12g",
                  what, a->evidence, b->evidence);
}

/* Whether the policy processes outcomes exactly at their own time, where at most delay.exact_observations came since. */
static int is_exact(const tvgp_policy *p) {
    return !harness_has(p, "drift.models") && (on_box || !law->approximated);
}

/* Whether the posterior is of all outcomes: also where a dictionary holds every point, and where no test causes a reset. */
static int is_dense(const tvgp_policy *p) {
    return !law->priors && (cases_has_reference(p) || harness_has(p, "qbar") || harness_has(p, "trigger.delta"));
}

static void any_order_under(const char *name, int64_t limit, uint64_t seed) {
    static struct stream ordered, mixed;
    struct answer want, got;
    tvgp_policy *p[3];
    for (int k = 0; k < 3; k++) {
        ASSERT_OK(create(name, limit, &p[k]));
        set_up(p[k]);
    }
    fill(&mixed, is_exact(p[0]) ? (size_t)limit : 0, seed);
    ordered = mixed;
    for (size_t i = 0; i < OUTCOMES; i++)
        ordered.due[i] = i;
    if (is_dense(p[0])) {
        dense(p[0], &mixed, &want);
        run(p[0], &ordered, 0, &got);
        assert_same(&got, &want, "in order");
    } else
        run(p[0], &ordered, 0, &want);
    run(p[1], &mixed, 0, &got);
    assert_same(&got, &want, "delayed");
    if (!is_exact(p[2]) || limit == OUTCOMES) { /* backwards: more of later times come before one */
        run(p[2], &mixed, 1, &got);
        assert_same(&got, &want, "backwards");
    } else
        tvgp_policy_destroy(p[2]);
}

/* Side queries of the next round replace what was observed: only the outcomes of one round have an order. */
static int replaces_outcomes(const char *name) {
    return !strcmp(name, "sparq-gp-ucb");
}

/* Loop index -> policy, and whether on a box. */
TEST_TURNS(any_order, 2 * harness_policies(), 1) {
    const char *name = harness_policy_at(_i / 2);
    tvgp_policy *p = NULL;
    on_box = _i % 2;
    kernel = cases_kernel_at(0);
    rnd_fill(&(struct rnd){7}, 2 * CASES_ARMS, points);
    const tvgp_status status = create(name, 1, &p);
    ck_assert(status == TVGP_OK || (status == TVGP_ERR_UNSUPPORTED && on_box));
    for (size_t k = 0; p && cases_has_model(p) && !replaces_outcomes(name) && k < LAWS; k++)
        for (size_t i = 0; i < LIMITS && harness_has(p, drifts[k].needs); i++) {
            law = &drifts[k];
            any_order_under(name, limits[i], (uint64_t)(100 * _i) + 10 * k + i);
        }
    tvgp_policy_destroy(p);
}

/* Outcomes of the side queries and of the action of one time. Returns the number of side queries. */
static size_t answer_round(tvgp_policy *p, double t, int backwards) {
    enum { MOST = 64 };
    tvgp_query q[MOST];
    double x[2 * MOST];
    size_t n = 0, more = 0;
    ASSERT_OK(tvgp_policy_ask(p, t, MOST, q, x, &n));
    const size_t sides = q->kind == TVGP_SIDE ? n : 0;
    for (size_t k = 0; k < n; k++) {
        const size_t i = backwards ? n - 1 - k : k;
        ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, sin(9 * x[2 * i] + t) + x[2 * i + 1]));
    }
    if (sides)
        ASSERT_OK(tvgp_policy_ask(p, t, MOST, q, x, &more));
    if (more)
        ASSERT_OK(tvgp_policy_tell_value(p, q->id, cos(t)));
    return sides;
}

TEST_EACH(side_queries, 4) {
    const char *const names[] = {"sparq-gp-ucb", "w-sparq-gp-ucb"};
    struct answer got[2];
    tvgp_policy *p[2];
    on_box = _i % 2;
    kernel = cases_kernel_at(0);
    rnd_fill(&(struct rnd){7}, 2 * CASES_ARMS, points);
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(create(names[_i / 2], 1, &p[k]));
        size_t most = 0;
        for (int t = 0; t < 9; t++) {
            const size_t sides = answer_round(p[k], t, k);
            most = sides > most ? sides : most;
        }
        ck_assert_uint_gt(most, 2);
        ASSERT_OK(tvgp_policy_predict(p[k], 9, LOOKS, points, got[k].mean, got[k].var));
        got[k].evidence = harness_stat(p[k], "log_marginal_likelihood");
        tvgp_policy_destroy(p[k]);
    }
    assert_same(&got[1], &got[0], "backwards");
}

HARNESS_MAIN("any_order")

/* SPDX-License-Identifier: MIT */
/* Censored outcomes: the posterior after one against numerical integration, both sides and senses, refusals, events. */
#include "cases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tvgp_policy *make(const char *options) {
    char text[256];
    snprintf(text, sizeof text, "tv-gp-ucb indices=2 se=1:2 epsilon=0 noise=.3 %s", options);
    return MAKE_POLICY(tvgp_policy_create_described, ctx, text);
}

static void moments(tvgp_policy *p, double *mean, double *var) {
    double m[2], v[2];
    ASSERT_OK(tvgp_policy_predict(p, 0, 2, NULL, m, v));
    *mean = m[0];
    *var = v[0];
}

/* Mean and variance of f with prior N(m, v), given f + N(0, w) >= bound (side 1) or <= bound (side -1), by Simpson's rule. */
static void integrate(double m, double v, double w, double bound, int side, double *mean, double *var) {
    enum { STEPS = 400000 };
    double sum[3] = {0};
    for (int pass = 0; pass < 2; pass++) {
        const double middle = pass ? *mean : m;
        memset(sum, 0, sizeof sum);
        for (int i = 0; i <= STEPS; i++) {
            const double f = m + sqrt(v) * 24 * ((double)i / STEPS - .5), d = f - m;
            const double weight = (i == 0 || i == STEPS ? 1
                                   : i % 2              ? 4
                                                        : 2) *
                                  exp(-d * d / (2 * v)) * erfc(side * (bound - f) / sqrt(2 * w));
            sum[0] += weight;
            sum[1] += weight * (f - middle);
            sum[2] += weight * (f - middle) * (f - middle);
        }
        *mean = middle + sum[1] / sum[0];
    }
    *var = sum[2] / sum[0] - (sum[1] / sum[0]) * (sum[1] / sum[0]);
}

static const double bounds[] = {-3, -1, 0, .7, 2, 4, 7};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* After an outcome the posterior is N(m, v); then a bound arrives, of a query or as an unsolicited observation. */
TEST_EACH(moments_are_those_of_the_integral, 8 * BOUNDS) {
    const int side = _i / BOUNDS % 2 ? 1 : -1, min = _i / (2 * BOUNDS) % 2, own = _i / (4 * BOUNDS);
    const double bound = bounds[_i % BOUNDS], x = 0;
    double m, v, mean, var, found[2];
    tvgp_policy *p = make(min ? "sense=min" : "");
    const tvgp_obs first = tvgp_obs_unsolicited(0, .4);
    ASSERT_OK(tvgp_policy_tell(p, 1, &first, &x));
    moments(p, &m, &v);
    ASSERT_OK(tvgp_policy_set_available(p, 2, (const uint8_t[]){1, 0}));
    const tvgp_query q = harness_ask(p, 0);
    tvgp_obs o = own ? tvgp_obs_unsolicited(0, bound) : tvgp_obs_value(q.id, bound);
    o.flags |= side > 0 ? TVGP_OBS_RIGHT_CENSORED : TVGP_OBS_LEFT_CENSORED;
    if (own) {
        o.flags |= TVGP_OBS_HAS_NOISE;
        o.noise_var = .8;
    }
    ASSERT_OK(tvgp_policy_tell(p, 1, &o, &x));
    moments(p, &found[0], &found[1]);
    integrate(m, v, own ? .8 : .3, bound, side, &mean, &var);
    ck_assert_double_eq_tol(found[0], mean, 1e-9);
    ck_assert_double_eq_tol(found[1], var, 1e-9);
}

/* Until the first ask or tell has started the policy there is no prediction: the bound is the value. */
TEST_EACH(first_of_all, 2) {
    static const char *const texts[] = {"tv-gp-ucb indices=2 se=1 noise=.1 sense=min", "auto-gp-ucb indices=2"};
    double m[2], v[2];
    const double x = 0;
    for (int k = 0; k < 2; k++) {
        tvgp_obs o = tvgp_obs_unsolicited(0, .5);
        tvgp_policy *p = MAKE_POLICY(tvgp_policy_create_described, ctx, texts[_i]);
        o.flags |= k ? TVGP_OBS_RIGHT_CENSORED : 0;
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, &x));
        moments(p, &m[k], &v[k]);
    }
    ck_assert(m[0] == m[1] && v[0] == v[1]);
}

/* Bounds that say nothing, or contradict the model by far, leave finite moments. */
TEST(far_bounds) {
    static const double far[] = {-1e100, -1e6, -50, 50, 1e6};
    double m, v;
    tvgp_policy *p = make("");
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        tvgp_obs o = tvgp_obs_value(harness_ask(p, 0).id, far[i]);
        o.flags = TVGP_OBS_RIGHT_CENSORED;
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, NULL));
        moments(p, &m, &v);
        ck_assert(isfinite(m) && isfinite(v) && v >= 0);
    }
}

/* With outcome.type = lognormal the bound is one on the logarithm. */
TEST(bound_of_a_latency) {
    double a[2], b[2];
    tvgp_policy *log_of = make("outcome.type=lognormal"), *plain = make("");
    tvgp_obs o = tvgp_obs_value(harness_ask(log_of, 0).id, 2.5), l = tvgp_obs_value(harness_ask(plain, 0).id, log(2.5));
    o.flags = l.flags = TVGP_OBS_RIGHT_CENSORED;
    ASSERT_OK(tvgp_policy_tell(log_of, 1, &o, NULL));
    ASSERT_OK(tvgp_policy_tell(plain, 1, &l, NULL));
    moments(log_of, &a[0], &a[1]);
    moments(plain, &b[0], &b[1]);
    ck_assert_double_eq_tol(a[0], exp(b[0] + b[1] / 2), 1e-9);
}

/* What the next ask says of the risk, after an output of at least 1.5 or of 1.5. */
static double risk_after(uint32_t flags) {
    tvgp_policy *model = make("");
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create_described, ctx, "tv-gp-ucb indices=2 se=1 noise=.1");
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 3));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, &(double){0}));
    ASSERT_OK(tvgp_policy_set_available(p, 2, (const uint8_t[]){1, 0}));
    const tvgp_query q = harness_ask(p, 0);
    tvgp_obs o[2] = {tvgp_obs_value(q.id, 1), tvgp_obs_output(q.id, 1, 1.5)};
    o[1].flags = flags;
    ASSERT_OK(tvgp_policy_tell(p, 2, o, NULL));
    const double risk = harness_ask(p, 0).risk;
    return risk;
}

/* A bound on an output of a constraint reaches its model. */
TEST(bound_of_a_constraint) {
    ck_assert(risk_after(TVGP_OBS_RIGHT_CENSORED) > 1.2 * risk_after(0));
    ck_assert(risk_after(TVGP_OBS_LEFT_CENSORED) < risk_after(0));
}

static void refused(tvgp_policy *p, tvgp_obs o, const char *word) {
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_tell(p, 1, &o, NULL), word);
}

TEST(refusals) {
    tvgp_policy *p = make("");
    tvgp_policy *counts = MAKE_POLICY(tvgp_policy_create_described, ctx, "auto-gp-ucb indices=2 outcome.type=poisson");
    const int64_t id = harness_ask(p, 0).id, count = harness_ask(counts, 0).id;
    refused(p, (tvgp_obs){.id = id, .y = 1, .flags = TVGP_OBS_RIGHT_CENSORED | TVGP_OBS_LEFT_CENSORED}, "one side");
    refused(p, (tvgp_obs){.id = id, .outcome = TVGP_SKIPPED, .flags = TVGP_OBS_RIGHT_CENSORED}, "value");
    refused(p,
            (tvgp_obs){
                .id = id, .y = 1, .noise_var = 1, .flags = TVGP_OBS_RIGHT_CENSORED | TVGP_OBS_PARTIAL | TVGP_OBS_HAS_NOISE},
            "partial");
    refused(counts, (tvgp_obs){.id = count, .y = 1, .flags = TVGP_OBS_RIGHT_CENSORED}, "poisson");
    refused(p, (tvgp_obs){.id = id, .y = 1, .flags = 128}, "127");
}

/* A log of events leads to the same bytes. */
TEST_EACH(bounds_as_events, 2) {
    static const char *const texts[] = {"tv-gp-ucb indices=2 se=1 noise=.1", "auto-gp-ucb indices=2"};
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create_described, ctx, texts[_i]);
    tvgp_policy *twin = MAKE_POLICY(tvgp_policy_create_described, ctx, texts[_i]);
    for (int t = 0; t < 40; t++) {
        const tvgp_query q = harness_ask(p, t);
        tvgp_obs o = tvgp_obs_value(q.id, fmin(.5, sin(t) + (double)q.arm));
        o.flags = o.y >= .5 ? TVGP_OBS_RIGHT_CENSORED : t % 7 ? 0 : TVGP_OBS_LEFT_CENSORED;
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, NULL));
        const tvgp_event events[] = {{.n = 2 * t + 1, .kind = TVGP_EVENT_ASK, .id = q.id, .arm = q.arm, .t = t},
                                     {.n = 2 * t + 2, .kind = TVGP_EVENT_TELL, .id = q.id, .y = o.y, .flags = o.flags}};
        for (size_t k = 0; k < 2; k++) {
            char line[256];
            size_t needed, n_x;
            tvgp_event e;
            ASSERT_OK(tvgp_event_format(ctx, &events[k], 0, NULL, sizeof line, line, &needed));
            ASSERT_OK(tvgp_event_parse(ctx, line, 0, &e, NULL, &n_x));
            ck_assert_uint_eq(e.flags, events[k].flags);
            ASSERT_OK(tvgp_policy_apply(twin, 1, &e, 0, NULL));
        }
    }
    size_t n[2];
    static uint8_t bytes[2][1 << 16];
    ASSERT_OK(tvgp_policy_save(p, sizeof bytes[0], bytes[0], &n[0]));
    ASSERT_OK(tvgp_policy_save(twin, sizeof bytes[1], bytes[1], &n[1]));
    ck_assert_uint_eq(n[0], n[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], n[0]);
}

HARNESS_MAIN("censored")

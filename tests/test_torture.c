/* SPDX-License-Identifier: MIT */
/* Allocation k fails, for every k: no crash, no leak, NOMEM, and a second attempt at the failed call goes on as if nothing
 * had happened: the whole run equals an undisturbed one. */
#include "cases.h"
#include "outside.h"

#include <math.h>
#include <string.h>

enum { STEPS = 200, NUMBERS = 4 * STEPS };

/* What a run saw, to be compared with the undisturbed one. */
struct trace {
    double number[NUMBERS];
    size_t n;
};

static void note(struct trace *trace, double number) {
    ck_assert_uint_lt(trace->n, NUMBERS);
    trace->number[trace->n++] = number;
}

/* A policy that waits for outcomes does so at this time, not later. */
static tvgp_status ask(tvgp_policy *p, double *t, tvgp_query *q) {
    tvgp_status status = tvgp_policy_ask_one(p, *t, q, NULL);
    return status == TVGP_AGAIN ? tvgp_policy_ask_one(p, *t += 0.25, q, NULL) : status;
}

/* A policy may take priors before the start only. */
static tvgp_status add_late_prior(tvgp_policy *p, const tvgp_kernel *kernel, const double *mean) {
    tvgp_status status = tvgp_policy_add_prior(p, kernel, CASES_ARMS, mean, 0);
    return status == TVGP_ERR_STATE ? TVGP_OK : status;
}

static void policy_run(const char *name, struct trace *trace) {
    static int model; /* of the undisturbed run */
    const struct ref_kernel *k = cases_kernel_at(0);
    double X[CASES_ARMS * 2], mean[2], var[2], t = 1;
    uint8_t mask[CASES_ARMS];
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p = NULL;
    tvgp_option_info info;
    SURVIVE(cases_domain(ctx, k, X, &domain));
    SURVIVE(cases_kernel(ctx, k, &kernel));
    SURVIVE(tvgp_policy_create(ctx, name, domain, kernel, &p));
    if (!memory.withheld)
        model = harness_has(p, "noise");
    SURVIVE(tvgp_policy_set_prior_mean(p, CASES_ARMS, X));
    SURVIVE(tvgp_policy_option_info(p, 0, &info));
    int several = tvgp_policy_add_prior(p, kernel, 0, NULL, 2) == TVGP_ERR_ARG; /* takes priors, though not this one */
    for (int i = 0; several && i < 2; i++)
        SURVIVE(tvgp_policy_add_prior(p, kernel, i ? CASES_ARMS : 0, i ? X : NULL, 0.1 * i));
    SURVIVE(tvgp_policy_set(p, "seed=4 pending.limit=60000"));
    SURVIVE(tvgp_policy_set_i64(p, "seed", 5)); /* settable: no failed call has fixed the options */
    const tvgp_obs known[2] = {{.y = 0.5, .flags = TVGP_OBS_HAS_TIME, .t = 0},
                               {.y = 0.7, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.1, .t = 0.5}};
    SURVIVE(tvgp_policy_tell(p, 2, known, X));
    int64_t waiting[3] = {0};
    for (size_t step = 0; step < STEPS; step++, t += 0.25 * (double)(step % 4)) {
        tvgp_query q;
        memset(mask, step % 16 < 8, sizeof mask);
        mask[step % CASES_ARMS] = 1;
        if (step % 8 == 0)
            SURVIVE(tvgp_policy_set_available(p, CASES_ARMS, mask));
        if (several && step == 100)
            SURVIVE(add_late_prior(p, kernel, X + 1));
        if (step % 32 == 31)
            SURVIVE(tvgp_policy_set_available(p, 0, NULL));
        if (step % 64 == 9)
            SURVIVE(tvgp_policy_set_prior_mean(p, step % 128 < 64 ? 1 : CASES_ARMS, X + step % 3));
        SURVIVE(ask(p, &t, &q));
        note(trace, (double)q.arm);
        note(trace, q.score);
        ck_assert_int_eq(q.id, (int64_t)step + 1);
        if (step > 20 && waiting[step % 3]) /* outcomes come three asks late */
            SURVIVE(tvgp_policy_tell_value(p, waiting[step % 3], sin((double)waiting[step % 3])));
        waiting[step % 3] = step >= 18 ? q.id : 0;
        if (step < 18)
            SURVIVE(tvgp_policy_tell_value(p, q.id, cos((double)step)));
        if (step % 10 == 9 && model) {
            int64_t arm;
            SURVIVE(tvgp_policy_predict(p, t, 2, X + 10, mean, var));
            SURVIVE(tvgp_policy_best(p, t, &arm, NULL));
            note(trace, (double)arm);
            for (size_t i = 0; i < 2; i++)
                note(trace, mean[i] + var[i]);
        }
    }
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    tvgp_policy_destroy(p);
}

enum { LIMITED_STEPS = 40, LIMITS = 2 };

/* The policy and the models of its limits, which learn nothing: what fails in learning waits. */
static void limit_policy(const char *name, const tvgp_domain *domain, const tvgp_kernel *kernel, tvgp_policy **p) {
    SURVIVE(tvgp_policy_create(ctx, name, domain, kernel, p));
    for (int k = 0; k < LIMITS; k++) {
        tvgp_policy *model = NULL;
        SURVIVE(tvgp_policy_create(ctx, k ? "auto-gp-ucb" : "tv-gp-ucb", domain, kernel, &model));
        SURVIVE(tvgp_policy_add_constraint(*p, model, k ? TVGP_AT_MOST | TVGP_OF_MEAN : TVGP_AT_LEAST, k ? 0.9 : -0.6));
        tvgp_policy_destroy(model);
    }
    SURVIVE(tvgp_policy_set(*p, "seed=5 constraint.confidence=.8 constraint.exploration_share=.3 constraint.scope=average"));
}

/* Outcomes of which an output comes late or never, in batches over the policy and both models; the limits move. */
static void limited_run(const char *name, struct trace *trace) {
    const struct ref_kernel *k = cases_kernel_at(0);
    double X[CASES_ARMS * 2], risk[CASES_ARMS];
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p = NULL, *twin = NULL;
    SURVIVE(cases_domain(ctx, k, X, &domain));
    SURVIVE(cases_kernel(ctx, k, &kernel));
    limit_policy(name, domain, kernel, &p);
    SURVIVE(tvgp_policy_set_safe(p, 1, X));
    for (int step = 0; step < LIMITED_STEPS; step++) {
        const double t = 0.5 * step;
        tvgp_query q;
        SURVIVE(tvgp_policy_ask_one(p, t, &q, NULL));
        note(trace, (double)q.arm);
        note(trace, q.risk);
        const tvgp_obs obs[] = {tvgp_obs_value(q.id, cos(step)), tvgp_obs_output(q.id, 1, sin(3. * step)),
                                tvgp_obs_output(q.id, 2, 0.8 * cos(2. * step))};
        SURVIVE(tvgp_policy_tell(p, step % 4 == 3 ? 2 : 3, obs, NULL));
        if (step % 8 == 7)
            SURVIVE(tvgp_policy_tell(p, 1, obs + 2, NULL));
        if (step % 20 == 9) {
            SURVIVE(tvgp_policy_set_constraint(p, 1, -0.5 - 0.01 * step));
            SURVIVE(tvgp_policy_set_safe(p, 2, X + 2));
            SURVIVE(harness_risks(p, t, CASES_ARMS, NULL, risk));
            note(trace, risk[7]);
            SURVIVE(tvgp_policy_clone(p, &twin));
            tvgp_policy_destroy(p);
            p = twin;
            twin = NULL;
        }
    }
    note(trace, harness_stat(p, "safe.expected_violations"));
    note(trace, harness_stat(p, "safe.explored"));
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    tvgp_policy_destroy(p);
}

/* A prior from the runs of a fleet, which a log and the run teach on; some outcomes are to be waited for. */
static void log_run(struct trace *trace) {
    enum { ROWS = 66, ARMS = 2, RECORDS = ROWS * ARMS, ANSWERS = 9 };
    static const size_t first[] = {0, 4, ANSWERS};
    static const int64_t arm[ANSWERS] = {0, 1, 1, 0, 1, 0, 0, 1, 1};
    double t[ANSWERS], y[ANSWERS], mean[ARMS], x[RECORDS], table[RECORDS], noise;
    tvgp_obs log[RECORDS];
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p = NULL;
    for (size_t i = 0; i < ANSWERS; i++) {
        t[i] = (double)i;
        y[i] = (double)arm[i] + sin((double)i);
    }
    for (size_t i = 0; i < RECORDS; i++) {
        table[i] = sin((double)(i / ARMS)) + 0.3 * cos(1.7 * (double)i);
        log[i] = tvgp_obs_unsolicited((double)(i / ARMS) - ROWS, table[i]);
        x[i] = (double)(i % ARMS);
    }
    SURVIVE(tvgp_domain_indices(ctx, ARMS, &domain));
    SURVIVE(tvgp_prior_learn(ctx, domain, 2, first, ANSWERS, arm, t, y, NULL, 3, 0.01, 3, mean, &kernel, &noise));
    note(trace, mean[0] + noise);
    SURVIVE(tvgp_policy_create(ctx, "auto-gp-ucb", domain, kernel, &p));
    SURVIVE(tvgp_policy_set_f64(p, "history.refit_interval", 5));
    SURVIVE(tvgp_policy_learn_history(p, RECORDS, log, x)); /* and replays it */
    for (size_t step = 0; step < 12; step++) {
        tvgp_query q;
        size_t evals = 0;
        if (step == 6)
            SURVIVE(tvgp_policy_learn_history_table(p, 20, NULL, table));
        SURVIVE(tvgp_policy_ask_one(p, (double)step, &q, NULL));
        note(trace, (double)q.arm);
        note(trace, q.score);
        SURVIVE(tvgp_policy_prior_mean(p, (double)step, ARMS, mean));
        note(trace, mean[0] + mean[1]);
        if (step % 3)
            SURVIVE(tvgp_policy_tell_value(p, q.id, cos((double)step)));
        if (step % 4 == 3)
            SURVIVE(tvgp_policy_fit(p, 3, &evals));
    }
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}

/* Every kernel through a posterior that grows, shrinks and changes its mean. */
static void gp_run(const struct ref_kernel *k, struct trace *trace) {
    struct rnd r = {8};
    double X[CASES_ARMS * 2], y[CASES_ARMS], t[CASES_ARMS], mean[CASES_ARMS], var[CASES_ARMS], value, slope[2] = {1, -1};
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL, *time = NULL;
    tvgp_gp *gp = NULL;
    rnd_fill(&r, CASES_ARMS, y);
    rnd_fill(&r, CASES_ARMS, t);
    SURVIVE(cases_domain(ctx, k, X, &domain));
    SURVIVE(cases_kernel(ctx, k, &kernel));
    SURVIVE(tvgp_kernel_forgetting(ctx, 0.1, &time));
    SURVIVE(tvgp_gp_create(ctx, kernel, time, 0.1, &gp));
    for (int round = 0; round < 4; round++) {
        SURVIVE(tvgp_gp_add(gp, CASES_ARMS, X, t, y, NULL));
        SURVIVE(tvgp_gp_set_prior_mean(gp, round, round % 2 ? slope : NULL));
        SURVIVE(tvgp_gp_predict(gp, CASES_ARMS, X, 2, mean, var));
        for (size_t i = 0; i < CASES_ARMS; i += 5)
            note(trace, mean[i] + var[i]);
        SURVIVE(tvgp_gp_log_marginal_likelihood(gp, &value));
        note(trace, value);
        SURVIVE(tvgp_gp_information_gain(gp, &value));
        note(trace, value);
        SURVIVE(tvgp_gp_drop(gp, 5));
    }
    tvgp_gp_destroy(gp);
    tvgp_kernel_destroy(time);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}

static void grid_run(struct trace *trace) {
    const double lower[] = {0, 0}, upper[] = {1, 1};
    const size_t points[] = {3, 4};
    tvgp_domain *grid = NULL;
    tvgp_kernel *wiener = NULL;
    double x[2];
    SURVIVE(tvgp_domain_grid(ctx, 2, lower, upper, points, &grid));
    SURVIVE(tvgp_kernel_wiener(ctx, 1, 0, &wiener));
    SURVIVE(tvgp_domain_point(grid, 7, x));
    note(trace, x[0] + x[1]);
    tvgp_domain_destroy(grid);
    tvgp_kernel_destroy(wiener);
}

/* What is run: the kernels, a grid, every policy, the one from outside; then policies with limits. */
enum { GRID = CASES_ALL, LOG, POLICIES };

static int runs_without_limits(void) {
    return POLICIES + harness_policies() + 1;
}

/* Of a family each, and those that have nothing of them. */
static const char *const limited[] = {"tv-gp-ucb", "auto-gp-ucb", "pe-gp-ucb", "bkb", "random"};

/* run(what) with the k-th allocation withheld (and, lasting, all after it until the call has failed); k = 0: none. */
static void once(int which, size_t k, int lasting, struct trace *trace) {
    tvgp_allocator hooks = memory_hooks(&memory);
    const char *name = NULL, *doc;
    static int registered;
    memory = (struct memory){.fail_in = k, .lasting = lasting, .withheld = k};
    ctx = NULL;
    trace->n = 0;
    SURVIVE(tvgp_ctx_create(&hooks, &ctx));
    if (which == POLICIES + harness_policies())
        SURVIVE(tvgp_ctx_register_policy(ctx, &outside_ucb, &registered, NULL));
    if (which < CASES_ALL)
        gp_run(cases_kernel_at((size_t)which), trace);
    else if (which == GRID)
        grid_run(trace);
    else if (which == LOG)
        log_run(trace);
    else if (which >= runs_without_limits())
        limited_run(limited[which - runs_without_limits()], trace);
    else {
        ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)(which - POLICIES), &name, &doc));
        policy_run(name, trace);
    }
    tvgp_ctx_destroy(ctx);
    ck_assert_msg(memory.allocated == memory.released, "allocation %zu: %zu allocated, %zu released", k, memory.allocated,
                  memory.released);
}

START_TEST(every_allocation_fails) {
    static struct trace calm, disturbed;
    once(_i, 0, 0, &calm);
    size_t k = 1;
    for (int lasting = 0; lasting < 2; lasting++)
        for (k = 1;; k = _i == LOG ? k + 1 + k / 10 : harness_next(k)) { /* a replay has too many for all */
            once(_i, k, lasting, &disturbed);
            if (memory.failed == 0)
                break;
            ck_assert_uint_eq(calm.n, disturbed.n);
            for (size_t i = 0; i < calm.n; i++)
                ck_assert_msg(harness_near(disturbed.number[i], calm.number[i], 1e-9),
                              "allocation %zu%s, number %zu: %g, %g", k, lasting ? " and all after it" : "", i,
                              disturbed.number[i], calm.number[i]);
        }
    ck_assert_uint_gt(k, 3); /* something was withheld */
}

int main(void) {
    Suite *suite = suite_create("torture");
    for (int i = 0; i < runs_without_limits(); i++) { /* contexts of its own: no fixture */
        const char *kernel = i < CASES_ALL ? cases_kernel_name((size_t)i) : i == GRID ? "grid" : "a log";
        const int at = i - POLICIES;
        TCase *tc = i >= POLICIES ? harness_case_of(suite, 1, "%s, kernel %s, n = %d, seed 5",
                                                    at < harness_policies() ? harness_policy_at(at) : outside_ucb.name,
                                                    cases_kernel_name(0), CASES_ARMS)
                                  : harness_case_of(suite, 1, "%s", kernel);
        harness_add_turns(tc, every_allocation_fails, i, i + 1, 1);
    }
    for (int i = 0; i < (int)(sizeof limited / sizeof *limited); i++)
        harness_add_turns(harness_case_of(suite, 1, "%s with limits", limited[i]), every_allocation_fails,
                          runs_without_limits() + i, runs_without_limits() + i + 1, 1);
    return harness_run(suite);
}

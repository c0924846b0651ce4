/* SPDX-License-Identifier: MIT */
/* A mean and a covariance over arms from many runs: golden steps of a plain program, the marginal likelihood
 * by exact Gaussian processes, what must not matter, policies that are given the result, and what
 * is refused. */
#include "golden/golden_population.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = GOLDEN_ARMS, RUNS = GOLDEN_RUNS, ROWS = GOLDEN_RUNS * GOLDEN_ROWS, MOST = 8 };

/* The covariance over the arms given pending actions and their outcomes. */
typedef struct {
    const tvgp_domain *domain;
    const tvgp_kernel *kernel;
    size_t runs;
    const size_t *first;
    size_t n;
    const int64_t *arm;
    const double *t, *y;
    double strength, epsilon;
    size_t steps;
} asked;
typedef struct {
    double mean[MOST], K[MOST * MOST], noise;
    tvgp_kernel *kernel;
} answer;

static tvgp_domain *grid(void) {
    return harness_grid(1, (const double[]){0}, (const double[]){1}, (const size_t[]){ARMS});
}

static tvgp_domain *names(size_t n) {
    return harness_indices(n);
}

/* Independent arms with variances of their own. */
static tvgp_kernel *diagonal(void) {
    double K[ARMS * ARMS] = {0};
    for (size_t i = 0; i < ARMS; i++)
        K[i * (ARMS + 1)] = 0.5 + 0.25 * (double)i;
    return MAKE_KERNEL(tvgp_kernel_table, ctx, ARMS, K);
}

static asked golden_question(const tvgp_domain *domain, const tvgp_kernel *kernel) {
    static const size_t first[RUNS] = {0, GOLDEN_ROWS, 2 * GOLDEN_ROWS, 3 * GOLDEN_ROWS};
    return (asked){.domain = domain,
                   .kernel = kernel,
                   .runs = RUNS,
                   .first = first,
                   .n = ROWS,
                   .arm = golden_arm,
                   .t = golden_t,
                   .y = golden_y,
                   .strength = 3};
}

static tvgp_status learn(const asked *q, double *mean, tvgp_kernel **kernel, double *noise) {
    return tvgp_prior_learn(ctx, q->domain, q->runs, q->first, q->n, q->arm, q->t, q->y, q->kernel, q->strength, q->epsilon,
                            q->steps, mean, kernel, noise);
}

static void look(const asked *q, answer *a) {
    size_t n, dim;
    double X[2 * MOST];
    ASSERT_OK(tvgp_domain_size(q->domain, &n));
    ASSERT_OK(tvgp_domain_dim(q->domain, &dim));
    for (size_t i = 0; i < n; i++)
        ASSERT_OK(tvgp_domain_point(q->domain, (int64_t)i, X + i * dim));
    ASSERT_OK(tvgp_kernel_gram(a->kernel, n, X, n, X, a->K));
}

static answer solve(const asked *q) {
    answer a;
    ASSERT_OK(learn(q, a.mean, &a.kernel, &a.noise));
    look(q, &a);
    return a;
}

static answer solve_and_drop(const asked *q) {
    answer a = solve(q);
    tvgp_kernel_destroy(a.kernel);
    return a;
}

TEST_EACH(golden, GOLDEN_POPULATIONS) {
    const struct golden_population *g = &golden_populations[_i];
    tvgp_kernel *kernel = g->told ? diagonal() : NULL;
    tvgp_domain *domain = g->told ? names(ARMS) : grid();
    asked q = golden_question(domain, kernel);
    q.epsilon = g->epsilon;
    q.steps = (size_t)g->steps;
    const answer a = solve_and_drop(&q);
    ASSERT_ALL_NEAR(ARMS, a.mean, g->mean, 1e-9);
    ASSERT_ALL_NEAR(ARMS * ARMS, a.K, g->K, 1e-9);
    ASSERT_NEAR(a.noise, g->noise, 1e-9);
}

/* Log marginal likelihood of all runs by exact Gaussian processes. */
static double evidence(const asked *q, const answer *a) {
    double sum = 0;
    tvgp_kernel *time = NULL;
    if (q->epsilon > 0)
        time = MAKE_KERNEL(tvgp_kernel_forgetting, ctx, q->epsilon);
    for (size_t i = 0; i < q->runs; i++) {
        const size_t n = GOLDEN_ROWS;
        const int64_t *arm = q->arm + q->first[i];
        double X[GOLDEN_ROWS], y[GOLDEN_ROWS], value;
        for (size_t k = 0; k < n; k++) {
            ASSERT_OK(tvgp_domain_point(q->domain, arm[k], &X[k]));
            y[k] = q->y[q->first[i] + k] - a->mean[arm[k]];
        }
        tvgp_gp *gp = MAKE_GP(tvgp_gp_create, ctx, a->kernel, time, a->noise);
        ASSERT_OK(tvgp_gp_add(gp, n, X, time ? q->t + q->first[i] : NULL, y, NULL));
        ASSERT_OK(tvgp_gp_log_marginal_likelihood(gp, &value));
        sum += value;
    }
    return sum;
}

/* Without a prior that pulls, each step explains the runs better; and the last one is where a step
 * ends that may go on. */
TEST_EACH(evidence_rises, 3) {
    tvgp_domain *domain = grid();
    asked q = golden_question(domain, NULL);
    double before = -INFINITY;
    q.strength = 0;
    q.epsilon = (const double[]){0, 0.03, 0.4}[_i];
    for (q.steps = 1; q.steps <= 30; q.steps++) {
        const answer a = solve(&q);
        const double now = evidence(&q, &a);
        ck_assert_msg(now > before - 1e-9 * fabs(now), "step %d: %.12g after %.12g", (int)q.steps, now, before);
        before = now;
        tvgp_kernel_destroy(a.kernel);
    }
    q.steps = 0;
    const answer solved = solve(&q);
    ck_assert_double_gt(evidence(&q, &solved), before - (q.epsilon > 0.1 ? 0.5 : 0.05));
    tvgp_kernel_destroy(solved.kernel);
}

TEST(one_run_played_often) {
    enum { TIMES = 400, N = ARMS * TIMES };
    static int64_t arm[N];
    static double y[N];
    double own[ARMS] = {0};
    tvgp_domain *domain = names(ARMS);
    struct rnd r = {3};
    for (size_t i = 0; i < N; i++) {
        arm[i] = (int64_t)(i % ARMS);
        y[i] = 10 - (double)arm[i] + 0.1 * rnd_normal(&r);
        own[arm[i]] += y[i] / TIMES;
    }
    const asked q = {domain, NULL, 1, (const size_t[]){0}, N, arm, NULL, y, 3, 0, 0};
    const answer a = solve_and_drop(&q);
    ASSERT_ALL_NEAR(ARMS, a.mean, own, 1e-3);
    ASSERT_NEAR(a.noise, 0.01, 1e-3);
}

TEST(arms_without_observations) {
    tvgp_kernel *kernel = diagonal();
    tvgp_domain *domain = names(ARMS);
    const asked q = golden_question(domain, kernel);
    const answer a = solve_and_drop(&q);
    const size_t last = ARMS - 1;
    for (size_t i = 0; i < ARMS; i++)
        ASSERT_NEAR(a.K[last * ARMS + i], i == last ? 0.5 + 0.25 * (double)last : 0, 1e-12);
    ck_assert_double_gt(fabs(a.K[0] - 0.5), 0.01);
}

/* The order of runs, of rows in a run and of arms changes nothing; nor do runs without rows. */
TEST_EACH(order, 2) {
    static const size_t of_run[RUNS] = {2, 0, 3, 1}, of_arm[ARMS] = {4, 2, 0, 5, 1, 3};
    size_t first[RUNS + 1] = {0}; /* the last run has no rows */
    int64_t arm[ROWS];
    double t[ROWS], y[ROWS];
    tvgp_domain *domain = names(ARMS);
    for (size_t d = 0, at = 0; d < RUNS; first[++d] = at)
        for (size_t i = 0; i < GOLDEN_ROWS; i++, at++) {
            const size_t from = of_run[d] * GOLDEN_ROWS + (5 * i + 1) % GOLDEN_ROWS;
            arm[at] = (int64_t)of_arm[golden_arm[from]];
            t[at] = golden_t[from];
            y[at] = golden_y[from];
        }
    asked q = golden_question(domain, NULL);
    q.epsilon = _i ? 0.03 : 0;
    const answer a = solve_and_drop(&q);
    q.runs++;
    q.first = first;
    q.arm = arm;
    q.t = t;
    q.y = y;
    const answer b = solve_and_drop(&q);
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(b.mean[of_arm[i]], a.mean[i], 1e-9);
        for (size_t j = 0; j < ARMS; j++)
            ASSERT_NEAR(b.K[of_arm[i] * ARMS + of_arm[j]], a.K[i * ARMS + j], 1e-9);
    }
    ASSERT_NEAR(b.noise, a.noise, 1e-9);
}

TEST_EACH(unit_of_y, 2) {
    const double scale = _i ? 1e6 : 1e-3;
    double y[ROWS];
    tvgp_domain *domain = grid();
    asked q = golden_question(domain, NULL);
    const answer a = solve_and_drop(&q);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = scale * (golden_y[i] - 70);
    q.y = y;
    const answer b = solve_and_drop(&q);
    for (size_t i = 0; i < ARMS; i++)
        ASSERT_NEAR(b.mean[i] / scale + 70, a.mean[i], 1e-9);
    for (size_t i = 0; i < ARMS * ARMS; i++)
        ASSERT_NEAR(b.K[i] / scale / scale, a.K[i], 1e-9);
    ASSERT_NEAR(b.noise / scale / scale, a.noise, 1e-9);
}

/* Runs of a population that is known: what chose the arms saw all outcomes of its run, and nothing
 * else. */
TEST(population_is_found) {
    enum { DEVICES = 400, STEPS = 12, N = DEVICES * STEPS, FEW = 3 };
    static int64_t arm[N];
    static double y[N];
    static size_t first[DEVICES + 1]; /* the last is not read */
    const double L[FEW][FEW] = {{1, 0, 0}, {0.8, 0.6, 0}, {-0.5, 0.2, 0.4}}, mean[FEW] = {4, 5, 4.5};
    tvgp_domain *domain = names(FEW);
    struct rnd r = {11};
    for (size_t d = 0, at = 0; d < DEVICES; d++) {
        double f[FEW], z[FEW], seen[FEW] = {0};
        for (size_t i = 0; i < FEW; i++)
            z[i] = rnd_normal(&r);
        for (size_t i = 0; i < FEW; i++)
            f[i] = mean[i] + L[i][0] * z[0] + L[i][1] * z[1] + L[i][2] * z[2];
        for (size_t k = 0; k < STEPS; k++, at++) { /* each arm once, then the one whose last outcome was highest */
            size_t best = k < FEW ? k : 0;
            for (size_t i = 1; k >= FEW && i < FEW; i++)
                best = seen[i] > seen[best] ? i : best;
            arm[at] = (int64_t)best;
            seen[best] = y[at] = f[best] + 0.3 * rnd_normal(&r);
        }
        first[d + 1] = at;
    }
    const asked q = {domain, NULL, DEVICES, first, N, arm, NULL, y, 3, 0, 0};
    const answer a = solve_and_drop(&q);
    for (size_t i = 0; i < FEW; i++) { /* within four standard errors of moments of 400 devices */
        ASSERT_NEAR(a.mean[i], mean[i], 0.04);
        for (size_t j = 0; j < FEW; j++) {
            double K = L[i][0] * L[j][0] + L[i][1] * L[j][1] + L[i][2] * L[j][2];
            ck_assert_msg(fabs(a.K[i * FEW + j] - K) < 0.28, "K[%zu,%zu] = %g, is %g", i, j, a.K[i * FEW + j], K);
        }
    }
    ASSERT_NEAR(a.noise, 0.09, 0.01);
}

/* ---- where arms have coordinates -------------------------------------------------------------------------------- */

/* Arms 0 and 3 are at one place: they are one arm, the first. */
TEST(two_arms_at_one_place) {
    const double X[] = {0.5, 1, 2, 0, 7, 7, 0.5, 1};
    const int64_t arm[] = {0, 1, 3, 0, 2, 1, 3}, once[] = {0, 1, 0, 0, 2, 1, 0};
    const double y[] = {1, 2, 1.5, 0.8, 3, 2.5, 1.1};
    tvgp_domain *domain = harness_arms(4, 2, X);
    asked q = {domain, NULL, 2, (const size_t[]){0, 3}, 7, arm, NULL, y, 3, 0, 0};
    const answer a = solve_and_drop(&q);
    q.arm = once;
    const answer b = solve_and_drop(&q);
    ck_assert_mem_eq(a.K, b.K, 16 * sizeof *a.K);
    ck_assert_mem_eq(a.mean, b.mean, 4 * sizeof *a.mean);
    ck_assert_double_eq(a.mean[3], a.mean[0]);
    ck_assert_double_eq(a.K[3], a.K[0]);
}

static tvgp_policy *told(const char *name, const tvgp_domain *domain, const answer *a, size_t n) {
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, a->kernel);
    ASSERT_OK(tvgp_policy_set_prior_mean(policy, n, a->mean));
    ASSERT_OK(tvgp_policy_set_f64(policy, "noise", a->noise));
    return policy;
}

/* A policy told what the runs taught begins at the best arm of them; its snapshot carries all of it
 * elsewhere. */
TEST_EACH(told_to_a_policy, 2) {
    static unsigned char bytes[1 << 16];
    size_t size, best = 0;
    double mean[ARMS], var[ARMS];
    tvgp_domain *domain = grid();
    tvgp_policy *one;
    const asked q = golden_question(domain, NULL);
    const answer a = solve(&q);
    for (size_t i = 1; i < ARMS; i++)
        best = a.mean[i] > a.mean[best] ? i : best;
    one = told(_i ? "auto-gp-ucb" : "tv-gp-ucb", domain, &a, ARMS);
    ASSERT_OK(tvgp_policy_predict(one, 0, ARMS, NULL, mean, var));
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(mean[i], a.mean[i], 1e-12);
        ASSERT_NEAR(var[i], a.K[i * (ARMS + 1)], 1e-12);
    }
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_predict(one, 0, 1, (const double[]){0.31}, mean, var), "0.31", "6 points");
    ASSERT_OK(tvgp_policy_save_full(one, sizeof bytes, bytes, &size));
    tvgp_policy *other = MAKE_POLICY(tvgp_policy_restore, ctx, size, bytes, NULL, NULL);
    for (int t = 0; t < 40; t++) {
        const tvgp_query p = harness_ask(one, t), s = harness_ask(other, t);
        ck_assert_int_eq(p.arm, s.arm);
        ck_assert_double_eq(p.score, s.score);
        ASSERT_OK(tvgp_policy_tell_value(one, p.id, golden_y[(7 * t + (int)p.arm) % ROWS]));
        ASSERT_OK(tvgp_policy_tell_value(other, s.id, golden_y[(7 * t + (int)s.arm) % ROWS]));
    }
    tvgp_kernel_destroy(a.kernel);
}

/* ---- corners ---------------------------------------------------------------------------------------------------- */

TEST_EACH(answers_without_variance, 2) {
    double y[ROWS];
    tvgp_domain *domain = grid();
    asked q = golden_question(domain, NULL);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = 3;
    q.y = y;
    q.strength = _i ? 3 : 0;
    const answer a = solve_and_drop(&q);
    for (size_t i = 0; i < ARMS; i++) {
        ASSERT_NEAR(a.mean[i], 3, 1e-9);
        ck_assert(a.K[i * (ARMS + 1)] > 0 && isfinite(a.K[i * (ARMS + 1)]));
    }
    ck_assert(a.noise > 0 && isfinite(a.noise));
}

TEST(answers_without_noise) {
    double y[ROWS];
    tvgp_domain *domain = grid();
    asked q = golden_question(domain, NULL);
    for (size_t i = 0; i < ROWS; i++)
        y[i] = (double)golden_arm[i] * (double)(1 + i / GOLDEN_ROWS);
    q.y = y;
    const answer a = solve_and_drop(&q);
    ck_assert(a.noise > 0 && a.noise < 1e-3);
    ck_assert_double_gt(a.K[(ARMS - 2) * (ARMS + 1)], a.K[ARMS + 1]);
}

TEST(refused) {
    static const size_t late[] = {1}, falls[] = {0, 5, 3}, beyond[] = {0, ROWS + 1};
    const int64_t wrong[] = {0, ARMS};
    const double bad[] = {1, NAN}, huge[] = {1e99, -1e99};
    tvgp_domain *domain = grid(), *many = names(4097);
    tvgp_kernel *out = (tvgp_kernel *)&domain;
    double mean[ARMS] = {7}, noise = 8;
    tvgp_domain *box = harness_box(1, (const double[]){0}, (const double[]){1});
    tvgp_domain *plane = MAKE_DOMAIN(tvgp_domain_product, ctx, domain, box);
    tvgp_kernel *kernel = harness_se(2, 1, (const double[]){1});
    const asked right = golden_question(domain, NULL);
#define REFUSED(status, change, ...)                                                                                        \
    do {                                                                                                                    \
        asked q = right;                                                                                                    \
        change;                                                                                                             \
        ASSERT_FAILS(status, learn(&q, mean, &out, &noise), __VA_ARGS__);                                                   \
    } while (0)
    REFUSED(TVGP_ERR_ARG, q.domain = NULL, "domain");
    REFUSED(TVGP_ERR_ARG, q.first = NULL, "first");
    REFUSED(TVGP_ERR_ARG, q.arm = NULL, "arm");
    REFUSED(TVGP_ERR_ARG, q.y = NULL, "y");
    REFUSED(TVGP_ERR_ARG, q.runs = 0, "n_runs");
    REFUSED(TVGP_ERR_ARG, (q.first = late, q.runs = 1), "first[0] = 1");
    REFUSED(TVGP_ERR_ARG, (q.first = falls, q.runs = 3), "first[2] = 3", "5");
    REFUSED(TVGP_ERR_ARG, (q.first = beyond, q.runs = 2), "first[1] = 37", "36");
    REFUSED(TVGP_ERR_ARG, q.n = 0, "n = 0");
    REFUSED(TVGP_ERR_ARG, (q.n = 2, q.runs = 1, q.arm = wrong), "arm[1] = 6", "0..5");
    REFUSED(TVGP_ERR_NONFINITE, (q.n = 2, q.runs = 1, q.y = bad), "y[1]", "nan");
    REFUSED(TVGP_ERR_LIMIT, (q.n = 2, q.runs = 1, q.y = huge), "variance of y");
    REFUSED(TVGP_ERR_ARG, q.epsilon = 1, "epsilon = 1");
    REFUSED(TVGP_ERR_ARG, q.epsilon = -0.1, "epsilon = -0.1");
    REFUSED(TVGP_ERR_NONFINITE, q.epsilon = NAN, "epsilon");
    REFUSED(TVGP_ERR_ARG, (q.epsilon = 0.1, q.t = NULL), "t_or_null is NULL");
    REFUSED(TVGP_ERR_NONFINITE, (q.epsilon = 0.1, q.n = 2, q.runs = 1, q.t = bad), "t[1]");
    REFUSED(TVGP_ERR_ARG, q.strength = -1, "strength");
    REFUSED(TVGP_ERR_NONFINITE, q.strength = INFINITY, "strength");
    REFUSED(TVGP_ERR_DIM, q.kernel = kernel, "2", "1");
    REFUSED(TVGP_ERR_UNSUPPORTED, q.domain = box, "box");
    REFUSED(TVGP_ERR_UNSUPPORTED, q.domain = plane, "contexts");
    REFUSED(TVGP_ERR_LIMIT, q.domain = many, "4097", "4096");
    asked q = right;
    ASSERT_FAILS(TVGP_ERR_ARG, learn(&q, NULL, &out, &noise), "mean");
    ASSERT_FAILS(TVGP_ERR_ARG, learn(&q, mean, NULL, &noise), "kernel");
    ASSERT_FAILS(TVGP_ERR_ARG, learn(&q, mean, &out, NULL), "noise");
    ck_assert_ptr_eq(out, (tvgp_kernel *)&domain);
    ck_assert(mean[0] == 7 && noise == 8);
    tvgp_domain_destroy(domain);
}

TEST_EACH(memory_withheld, 2) {
    tvgp_domain *domain = grid();
    asked q = golden_question(domain, NULL);
    q.steps = 2;
    q.epsilon = _i ? 0.03 : 0;
    const answer want = solve_and_drop(&q);
    size_t failed = 0;
    for (size_t k = 1; k < 100; k++) {
        answer a = {.mean = {0}};
        memory.fail_in = memory.withheld = k;
        const tvgp_status status = learn(&q, a.mean, &a.kernel, &a.noise);
        const int served = memory.fail_in > 0;
        memory.fail_in = 0;
        if (served) {
            ASSERT_OK(status);
            look(&q, &a);
            tvgp_kernel_destroy(a.kernel);
            ck_assert_mem_eq(a.K, want.K, ARMS * ARMS * sizeof *a.K);
            break;
        }
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        ck_assert(!a.kernel && a.mean[0] == 0 && a.noise == 0);
        failed++;
    }
    ck_assert_uint_ge(failed, 8);
}

static int32_t stop_at_third(void *calls) {
    return ++*(int *)calls == 3;
}

TEST(interrupted) {
    int calls = 0;
    double mean[ARMS] = {7}, noise;
    tvgp_kernel *kernel = NULL;
    tvgp_domain *domain = grid();
    const asked q = golden_question(domain, NULL);
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, stop_at_third, &calls, NULL));
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, learn(&q, mean, &kernel, &noise), "interrupted");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    ck_assert(!kernel && mean[0] == 7);
}

HARNESS_MAIN("prior")

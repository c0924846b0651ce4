/* SPDX-License-Identifier: MIT */
/* Allocation k fails, for every k, in calls without a policy: no crash, no leak, NOMEM, and a second attempt at the failed call goes on as
 * if nothing had happened: the whole run equals an undisturbed one. Policies are in test_scenes. */
#include "cases.h"

enum { NUMBERS = 100, GRID = CASES_ALL };

/* What a run saw, to be compared with the undisturbed one. */
struct trace {
    double number[NUMBERS];
    size_t n;
};

static void note(struct trace *trace, double number) {
    ck_assert_uint_lt(trace->n, NUMBERS);
    trace->number[trace->n++] = number;
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

/* run(what) with the k-th allocation withheld (and, lasting, all after it until the call has failed); k = 0: none. */
static void once(int which, size_t k, int lasting, struct trace *trace) {
    tvgp_allocator hooks = memory_hooks(&memory);
    memory = (struct memory){.fail_in = k, .lasting = lasting, .withheld = k};
    ctx = NULL;
    trace->n = 0;
    SURVIVE(tvgp_ctx_create(&hooks, &ctx));
    if (which == GRID)
        grid_run(trace);
    else
        gp_run(cases_kernel_at((size_t)which), trace);
    tvgp_ctx_destroy(ctx);
    ck_assert_msg(memory.allocated == memory.released, "allocation %zu: %zu allocated, %zu released", k, memory.allocated,
                  memory.released);
}

START_TEST(every_allocation_fails) {
    static struct trace calm, disturbed;
    once(_i, 0, 0, &calm);
    size_t k = 1;
    for (int lasting = 0; lasting < 2; lasting++)
        for (k = 1;; k = harness_next(k)) {
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
    for (int i = 0; i <= GRID; i++) /* contexts of its own: no fixture */
        harness_add_turns(harness_case_of(suite, 1, "%s", i == GRID ? "grid" : cases_kernel_name((size_t)i)),
                          every_allocation_fails, i, i + 1, 1);
    return harness_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* A run on a box does not depend on how many threads BLAS has, to 1e-5 of a side: this program plays it once with one and once
 * with two, as processes of its own. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 3, TOLD = 160, STEPS = 40, NUMBERS = 3 * STEPS * DIM };

static const char *program, *path;

static double value(const double *x, double t) {
    return sin(5 * x[0] + 0.02 * t) + cos(4 * x[1]) * sin(3 * x[2] - 0.01 * t);
}

/* Writes every point asked, with a kernel or nothing, after TOLD observations: products large enough for threads. */
static void play(const char *name, int untold, FILE *out) {
    const double lower[DIM] = {0}, upper[DIM] = {1, 1, 1}, length = 0.4;
    struct rnd r = {5};
    double x[DIM];
    tvgp_domain *domain = NULL;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *policy = NULL;
    ASSERT_OK(tvgp_domain_box(ctx, DIM, lower, upper, &domain));
    ASSERT_OK(tvgp_kernel_matern(ctx, DIM, 2.5, 1, 1, &length, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, name, domain, untold ? NULL : kernel, &policy));
    for (int t = 1; t <= TOLD; t++) {
        rnd_fill(&r, DIM, x);
        const tvgp_obs o = {.flags = TVGP_OBS_HAS_TIME, .t = t, .y = value(x, t) + 0.1 * rnd_normal(&r)};
        ASSERT_OK(tvgp_policy_tell(policy, 1, &o, x));
    }
    for (int t = TOLD + 1; t <= TOLD + STEPS; t++) {
        tvgp_query q;
        ASSERT_OK(tvgp_policy_ask_one(policy, t, &q, x));
        for (int d = 0; d < DIM; d++)
            fprintf(out, "%.17g\n", x[d]);
        ASSERT_OK(tvgp_policy_tell_value(policy, q.id, value(x, t) + 0.1 * rnd_normal(&r)));
    }
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
}

START_TEST(the_player) {
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    play("tv-gp-ucb", 0, out);
    play("tv-gp-ucb", 1, out);
    play("auto-gp-ucb", 0, out);
    ck_assert_int_eq(fclose(out), 0);
}

static void listen(const char *threads, double *x) {
    char command[8192], file[1024];
    snprintf(file, sizeof file, "%s.%s", program, threads);
    snprintf(command, sizeof command, "OPENBLAS_NUM_THREADS=%s OMP_NUM_THREADS=%s '%s' '%s' >'%s.log'", threads, threads,
             program, file, file);
    ck_assert_int_eq(system(command), 0);
    FILE *run = fopen(file, "r");
    ck_assert_ptr_nonnull(run);
    for (int i = 0; i < NUMBERS; i++)
        ck_assert_msg(fscanf(run, "%lf", &x[i]) == 1, "%s threads: %d numbers", threads, i);
    fclose(run);
}

START_TEST(one_thread_or_two) {
    static double one[NUMBERS], two[NUMBERS];
    listen("1", one);
    listen("2", two);
    for (int i = 0; i < NUMBERS; i++)
        ck_assert_msg(fabs(one[i] - two[i]) <= 1e-5, "number %d: %.17g, %.17g", i, one[i], two[i]);
}

int main(int argc, char **argv) {
    program = argv[0];
    path = argv[1];
    Suite *suite = suite_create("box threads");
    if (argc > 1) {
        tcase_add_test(harness_case(suite, "player"), the_player);
        return harness_run(suite);
    }
    TCase *tc = tcase_create("threads");
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, one_thread_or_two);
    return harness_run(suite);
}

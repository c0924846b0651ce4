/* SPDX-License-Identifier: MIT */
/* Every snapshot that a release has written still loads: tests/snapshots/ holds whole snapshots of each release. With --write
 * the games write files of this version; do this before a release. */
#include "harness.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TVGP_SNAPSHOTS
#define TVGP_SNAPSHOTS "tests/snapshots"
#endif

enum { ARMS = 12, STEPS = 40, BUFFER = 1 << 17 };
static unsigned char buffer[BUFFER];

static const struct {
    const char *name, *policy, *options;
    int box, learned;
} games[] = {
    {"columns", "gp-ucb", "sense=min", 0, 0},
    {"weights", "tv-gp-ucb", "delay.exact_observations=4", 0, 0},
    {"window", "sw-gp-ucb", "window=8", 0, 0},
    {"aged", "w-gp-ucb", "decay=.5", 0, 0},
    {"filters", "auto-gp-ucb", "drift.models=ou", 0, 0},
    {"learned", "tv-gp-ucb", "fit.window=20 fit.stored_observations=20", 0, 1},
    {"priors", "pe-gp-ucb", "delay.exact_observations=2", 0, 0},
    {"expert", "w-sparq-gp-ucb", "kdpp.steps=10", 0, 0},
    {"dictionary", "bkb", "window=10", 0, 0},
    {"box", "et-gp-ucb", "search.effort=.1", 1, 0},
};
enum { GAMES = sizeof games / sizeof *games };

static glob_t files; /* of all releases */

static tvgp_policy *play(int i) {
    const double lower[2] = {0, 0}, upper[2] = {1, 2}, lengthscale[2] = {0.3, 0.5};
    const size_t points[2] = {4, 3};
    tvgp_domain *domain = NULL;
    tvgp_kernel *a = NULL, *b = NULL, *kernel = NULL;
    tvgp_policy *p = NULL;
    struct rnd rnd = {(uint64_t)i + 1};
    ASSERT_OK(games[i].box ? tvgp_domain_box(ctx, 2, lower, upper, &domain)
                           : tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    ASSERT_OK(tvgp_kernel_matern(ctx, 2, 1.5, 0.7, 2, lengthscale, &a));
    ASSERT_OK(tvgp_kernel_linear(ctx, 2, 0.2, 2, lengthscale, 0.1, &b));
    ASSERT_OK(tvgp_kernel_sum(ctx, a, b, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, games[i].policy, domain, games[i].learned ? NULL : kernel, &p));
    ASSERT_OK(tvgp_policy_set(p, games[i].options));
    if (strcmp(games[i].policy, "pe-gp-ucb") == 0) {
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, 0, NULL, 0));
        ASSERT_OK(tvgp_policy_add_prior(p, a, 0, NULL, 0.05));
    }
    for (int t = 0; t < STEPS; t++) {
        tvgp_query q;
        double x[2];
        size_t n = 0;
        if (tvgp_policy_ask(p, t, 1, &q, x, &n) == TVGP_OK && n && t % 7)
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, rnd_normal(&rnd)));
    }
    tvgp_kernel_destroy(a);
    tvgp_kernel_destroy(b);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    return p;
}

/* The first n bytes of the buffer load, and the policy continues with an ask and a tell. */
static void check_loads(size_t n) {
    tvgp_policy *p = NULL;
    tvgp_query q;
    double x[2] = {0};
    size_t again = 0, asked = 0;
    ASSERT_OK(tvgp_policy_restore(ctx, n, buffer, NULL, NULL, &p));
    ck_assert(harness_stat(p, "asked") >= 1);
    ck_assert(harness_stat(p, "asked") <= STEPS);
    ASSERT_OK(tvgp_policy_save_full(p, 0, NULL, &again));
    ck_assert_uint_gt(again, 0);
    ck_assert_int_ge(tvgp_policy_ask(p, STEPS, 1, &q, x, &asked), 0);
    if (asked)
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0.5));
    ck_assert(x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[1] <= 2);
    tvgp_policy_destroy(p);
}

START_TEST(released_snapshots_load) {
    FILE *f = fopen(files.gl_pathv[_i], "rb");
    ck_assert_msg(f != NULL, "cannot open %s", files.gl_pathv[_i]);
    size_t n = fread(buffer, 1, sizeof buffer, f);
    fclose(f);
    check_loads(n);
}

static size_t save(int game) {
    size_t n = 0;
    tvgp_policy *p = play(game);
    ASSERT_OK(tvgp_policy_save_full(p, sizeof buffer, buffer, &n));
    tvgp_policy_destroy(p);
    return n;
}

START_TEST(snapshots_of_this_version_load) {
    check_loads(save(_i));
}

START_TEST(write_files) {
    char path[512];
    size_t n = save(_i);
    snprintf(path, sizeof path, "%s/%s-%s.tvgp", TVGP_SNAPSHOTS, tvgp_version(), games[_i].name);
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(buffer, 1, n, f) == n && fclose(f) == 0);
}

int main(int argc, char **argv) {
    int writes = argc > 1 && strcmp(argv[1], "--write") == 0;
    Suite *suite = suite_create("snapshot released");
    TCase *c = harness_case(suite, "released");
    (void)glob(TVGP_SNAPSHOTS "/*.tvgp", 0, NULL, &files); /* none before the first release */
    if (writes)
        tcase_add_loop_test(c, write_files, 0, GAMES);
    tcase_add_loop_test(c, snapshots_of_this_version_load, 0, GAMES);
    tcase_add_loop_test(c, released_snapshots_load, 0, (int)files.gl_pathc);
    int failed = harness_run(suite);
    globfree(&files);
    return failed;
}

/* SPDX-License-Identifier: MIT */
/* What a release has written is read for ever: tests/snapshots/ holds whole snapshots of each. With --write those of now are
 * written: before a release, and for a new version of the format; what stands there otherwise stays as it is. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TVGP_SNAPSHOTS
#define TVGP_SNAPSHOTS "tests/snapshots"
#endif

enum { ARMS = 12, STEPS = 40, BUFFER = 1 << 17 };
static unsigned char buffer[BUFFER];

static const struct {
    const char *file, *policy, *options;
    int box, untold;
} blobs[] = {
    {"0.2.0-columns", "gp-ucb", "sense=min", 0, 0},      {"0.2.0-weights", "tv-gp-ucb", "late.limit=4", 0, 0},
    {"0.2.0-window", "sw-gp-ucb", "window=8", 0, 0},     {"0.2.0-aged", "w-gp-ucb", "decay=.5", 0, 0},
    {"0.2.0-bank", "auto-gp-ucb", "laws=ou", 0, 0},      {"0.2.0-learned", "tv-gp-ucb", "fit.window=20 fit.keep=20", 0, 1},
    {"0.2.0-priors", "pe-gp-ucb", "late.limit=2", 0, 0}, {"0.2.0-expert", "w-sparq-gp-ucb", "kdpp.steps=10", 0, 0},
    {"0.2.0-dictionary", "bkb", "window=10", 0, 0},      {"0.2.0-box", "et-gp-ucb", "search.effort=.1", 1, 0},
};
enum { BLOBS = sizeof blobs / sizeof *blobs };

static void path_of(int i, char *path, size_t size) {
    snprintf(path, size, "%s/%s.tvgp", TVGP_SNAPSHOTS, blobs[i].file);
}

static tvgp_policy *play(int i) {
    const double lower[2] = {0, 0}, upper[2] = {1, 2}, lengthscale[2] = {0.3, 0.5};
    const size_t points[2] = {4, 3};
    tvgp_domain *domain = NULL;
    tvgp_kernel *a = NULL, *b = NULL, *kernel = NULL;
    tvgp_policy *p = NULL;
    struct rnd rnd = {(uint64_t)i + 1};
    ASSERT_OK(blobs[i].box ? tvgp_domain_box(ctx, 2, lower, upper, &domain)
                           : tvgp_domain_grid(ctx, 2, lower, upper, points, &domain));
    ASSERT_OK(tvgp_kernel_matern(ctx, 2, 1.5, 0.7, lengthscale, 2, &a));
    ASSERT_OK(tvgp_kernel_linear(ctx, 2, 0.2, lengthscale, 2, 0.1, &b));
    ASSERT_OK(tvgp_kernel_sum(ctx, a, b, &kernel));
    ASSERT_OK(tvgp_policy_create(ctx, blobs[i].policy, domain, blobs[i].untold ? NULL : kernel, &p));
    ASSERT_OK(tvgp_policy_set(p, blobs[i].options));
    if (strcmp(blobs[i].policy, "pe-gp-ucb") == 0) {
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, NULL, 0, 0));
        ASSERT_OK(tvgp_policy_add_prior(p, a, NULL, 0, 0.05));
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

START_TEST(released_snapshots_load) {
    char path[512];
    path_of(_i, path, sizeof path);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s is not there", path);
    size_t n = fread(buffer, 1, sizeof buffer, f), again = 0, asked = 0;
    fclose(f);
    tvgp_policy *p = NULL;
    tvgp_query q;
    double x[2] = {0};
    ASSERT_OK(tvgp_policy_create_from(ctx, buffer, n, NULL, NULL, &p));
    ck_assert(harness_stat(p, "asked") >= 1);
    ck_assert(harness_stat(p, "asked") <= STEPS);
    ASSERT_OK(tvgp_policy_save_whole(p, NULL, 0, &again));
    ck_assert_uint_gt(again, 0);
    ck_assert_int_ge(tvgp_policy_ask(p, STEPS, 1, &q, x, &asked), 0);
    if (asked)
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 0.5));
    ck_assert(x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[1] <= 2);
    tvgp_policy_destroy(p);
}
END_TEST

START_TEST(write_anew) {
    char path[512];
    size_t n = 0;
    tvgp_policy *p = play(_i);
    ASSERT_OK(tvgp_policy_save_whole(p, buffer, sizeof buffer, &n));
    path_of(_i, path, sizeof path);
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(buffer, 1, n, f) == n && fclose(f) == 0);
    tvgp_policy_destroy(p);
}
END_TEST

int main(int argc, char **argv) {
    int writes = argc > 1 && strcmp(argv[1], "--write") == 0;
    Suite *suite = suite_create("snapshot released");
    TCase *c = harness_case(suite, "released");
    if (writes)
        tcase_add_loop_test(c, write_anew, 0, BLOBS);
    tcase_add_loop_test(c, released_snapshots_load, 0, BLOBS);
    return harness_run(suite);
}

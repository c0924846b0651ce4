/* SPDX-License-Identifier: MIT */
/* Memory of auto-gp-ucb with default settings on categorical arms: it depends on how many arms have an outcome, and for r of them it
 * is at most what docs/policies/auto-gp-ucb.md states. An allocator counts the bytes that are held. */
#include "harness.h"

#include <stdlib.h>

enum { HEADER = 16, ARMS = 1000 };

static size_t held, highest;

static void *take(void *user, size_t size) {
    size_t *block = malloc(size + HEADER);
    (void)user;
    if (!block)
        return NULL;
    *block = size;
    held += size;
    highest = held > highest ? held : highest;
    return (char *)block + HEADER;
}

static void give(void *user, void *memory_given) {
    size_t *block = (void *)((char *)memory_given - HEADER);
    (void)user;
    held -= *block;
    free(block);
}

/* The bound of the page, for r of n arms: the filters have room for a quarter more arms. */
static double bound(double r, double n) {
    const double room = 1.25 * r + 4;
    return 400 * room * room + 11000 * room + 60 * n;
}

/* A policy on n arms gives the first r of them an outcome each, then plays among these. Counts what it holds after its first ask and
 * in the end, and the most between them. */
static void play(size_t n, size_t r, size_t *before, size_t *after) {
    const tvgp_allocator counting = {.struct_size = sizeof counting, .allocate = take, .release = give};
    struct rnd random = {r};
    uint8_t there[ARMS];
    tvgp_ctx *own;
    tvgp_domain *domain;
    tvgp_policy *policy;
    tvgp_query q;
    highest = 0;
    ck_assert_int_eq(tvgp_ctx_create(&counting, &own), TVGP_OK);
    ck_assert_int_eq(tvgp_domain_indices(own, n, &domain), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_create(own, "auto-gp-ucb", domain, NULL, &policy), TVGP_OK);
    for (size_t k = 0; k < r + 40; k++) {
        for (size_t i = 0; i < n; i++)
            there[i] = k < r ? i == k : i < r;
        ck_assert_int_eq(tvgp_policy_set_available(policy, n, there), TVGP_OK);
        ck_assert_int_eq(tvgp_policy_ask_one(policy, (double)k, &q, NULL), TVGP_OK);
        *before = k ? *before : held;
        ck_assert_int_eq(tvgp_policy_tell_value(policy, q.id, rnd_normal(&random)), TVGP_OK);
    }
    *after = held;
    tvgp_policy_destroy(policy);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(own);
    ck_assert_uint_eq(held, 0);
}

START_TEST(by_observed_arms) {
    static const size_t observed[] = {1, 5, 20, 60, 150};
    for (size_t i = 0; i < sizeof observed / sizeof *observed; i++)
        for (int alone = 0; alone < 2; alone++) {
            const size_t r = observed[i], n = alone ? r : ARMS;
            const double most = bound((double)r, (double)n);
            size_t before, after;
            play(n, r, &before, &after);
            ck_assert_msg((double)(after - before) <= most, "%zu of %zu arms: %zu bytes, then %zu", r, n, before, after);
            ck_assert_msg((double)(highest - before) <= 1.7 * most, "%zu of %zu arms: at most %zu bytes", r, n, highest);
        }
}

int main(void) {
    Suite *suite = suite_create("memory of the fixed mixture");
    TCase *c = tcase_create("memory");
    tcase_add_test(c, by_observed_arms);
    suite_add_tcase(suite, c);
    return harness_run(suite);
}

/* SPDX-License-Identifier: MIT */
/* Policies on a box with rows.limit and one constraint in a fixed arena of 16 MB: no call fails, and after the first 200 steps, where
 * kernel and noise are given, none allocates. Steps by the first argument (1000). */
#include "harness.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA = 16 << 20, WARM = 200, MOST_DIM = 4 };

static int steps = 1000;

/* ---- the arena: blocks one after another, the first that is free and large enough is taken ------------------------ */

typedef struct block {
    _Alignas(max_align_t) size_t size; /* with this header */
    int taken;
} block;

static _Alignas(max_align_t) unsigned char arena[ARENA];
static size_t calls, refused;

static block *at(size_t offset) {
    return (block *)(void *)(arena + offset);
}

static void empty(void) {
    *at(0) = (block){.size = ARENA};
    calls = refused = 0;
}

static void join_with_next(size_t offset) {
    block *b = at(offset);
    while (offset + b->size < ARENA && !at(offset + b->size)->taken)
        b->size += at(offset + b->size)->size;
}

static void *take(void *user, size_t bytes) {
    const size_t unit = sizeof(block), size = (bytes + unit - 1) / unit * unit + unit;
    (void)user;
    calls++;
    for (size_t offset = 0; offset < ARENA; offset += at(offset)->size) {
        block *b = at(offset);
        if (!b->taken)
            join_with_next(offset);
        if (b->taken || b->size < size)
            continue;
        if (b->size > size)
            *at(offset + size) = (block){.size = b->size - size};
        *b = (block){.size = size, .taken = 1};
        return b + 1;
    }
    refused++;
    return NULL;
}

static void give(void *user, void *given) {
    (void)user;
    ((block *)given - 1)->taken = 0;
}

/* ---- games -------------------------------------------------------------------------------------------------------- */

static const struct game {
    const char *policy;
    size_t dim;
    int given; /* kernel and noise; otherwise default settings */
} games[] = {{"tv-gp-ucb", 2, 1}, {"gp-ucb", 2, 1}, {"auto-gp-ucb", 2, 1}, {"tv-gp-ucb", 4, 1}, {"tv-gp-ucb", 2, 0}};
enum { GAMES = sizeof games / sizeof *games };

static tvgp_policy *open_one(tvgp_ctx *c, const struct game *g, const tvgp_domain *domain) {
    const double length[MOST_DIM] = {0.3, 0.3, 0.3, 0.3};
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p;
    if (g->given)
        ck_assert_int_eq(tvgp_kernel_matern(c, g->dim, 2.5, 1, g->dim, length, &kernel), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_create(c, g->policy, domain, kernel, &p), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_set(p, g->given ? "rows.limit=60 noise=.01" : "rows.limit=60"), TVGP_OK);
    tvgp_kernel_destroy(kernel);
    return p;
}

static double value(const struct game *g, int t, const double *x) {
    double sum = 0;
    for (size_t d = 0; d < g->dim; d++)
        sum += sin(5 * x[d] + 0.01 * t + (double)d);
    return sum;
}

static void step(tvgp_ctx *c, tvgp_policy *p, const struct game *g, int t, struct rnd *rnd) {
    double x[MOST_DIM];
    tvgp_query q;
    ck_assert_msg(tvgp_policy_ask_one(p, t, &q, x) == TVGP_OK, "%s, ask %d: %s", g->policy, t, tvgp_ctx_errmsg(c));
    const tvgp_obs o[] = {tvgp_obs_value(q.id, value(g, t, x) + 0.1 * rnd_normal(rnd)),
                          tvgp_obs_output(q.id, 1, value(g, 2 * t, x) + 0.1 * rnd_normal(rnd))};
    ck_assert_msg(tvgp_policy_tell(p, 2, o, NULL) == TVGP_OK, "%s, tell %d: %s", g->policy, t, tvgp_ctx_errmsg(c));
}

START_TEST(runs_for_ever) {
    static const double lower[MOST_DIM] = {0}, upper[MOST_DIM] = {1, 1, 1, 1}, safe[MOST_DIM] = {0};
    const struct game *g = &games[_i];
    const tvgp_allocator hooks = {.struct_size = sizeof hooks, .allocate = take, .release = give};
    struct rnd rnd = {5};
    tvgp_ctx *c;
    tvgp_domain *domain;
    size_t warm = 0;
    empty();
    ck_assert_int_eq(tvgp_ctx_create(&hooks, &c), TVGP_OK);
    ck_assert_int_eq(tvgp_domain_box(c, g->dim, lower, upper, &domain), TVGP_OK);
    tvgp_policy *p = open_one(c, g, domain), *model = open_one(c, g, domain);
    ck_assert_int_eq(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 1), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_set_safe(p, 1, safe), TVGP_OK);
    for (int t = 0; t < steps; t++) {
        warm = t == WARM ? calls : warm;
        step(c, p, g, t, &rnd);
        if (g->given && t >= WARM)
            ck_assert_msg(calls == warm, "%s, dimension %zu, step %d: %zu allocations", g->policy, g->dim, t, calls - warm);
    }
    ck_assert_uint_eq(refused, 0);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(model);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(c);
}

int main(int argc, char **argv) {
    Suite *suite = suite_create("box_memory");
    TCase *c = tcase_create("16 MB");
    steps = argc > 1 ? atoi(argv[1]) : steps;
    tcase_add_loop_test(c, runs_for_ever, 0, GAMES);
    suite_add_tcase(suite, c);
    return harness_run(suite);
}

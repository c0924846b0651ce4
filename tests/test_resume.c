/* SPDX-License-Identifier: MIT */
/* A program that has a whole snapshot and nothing else: it finds out what it plays, on what, and what is under way, and goes on.
 * Policies that need no kernel. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID, BOX, CONTEXTS, INDICES, KINDS, DIM = 2, SIDE = 5, STEPS = 25, OPEN = 4, POINTS = 9 };
static const char *const types[KINDS] = {"grid", "box", "product", "indices"};
static const double low[DIM] = {-1, 0}, high[DIM] = {1, 2}, length[DIM] = {0.5, 0.8};

static tvgp_domain *domain_of(tvgp_ctx *c, int kind) {
    const size_t points[DIM] = {SIDE, SIDE};
    tvgp_domain *d = NULL;
    if (kind == GRID)
        d = MAKE_DOMAIN(tvgp_domain_grid, c, DIM, low, high, points);
    if (kind == BOX)
        d = MAKE_DOMAIN(tvgp_domain_box, c, DIM, low, high);
    if (kind == INDICES)
        d = MAKE_DOMAIN(tvgp_domain_indices, c, SIDE);
    if (kind != CONTEXTS)
        return d;
    tvgp_domain *line = MAKE_DOMAIN(tvgp_domain_grid, c, 1, low, high, points);
    d = MAKE_DOMAIN(tvgp_domain_product, c, line, MAKE_DOMAIN(tvgp_domain_box, c, 1, low + 1, high + 1));
    return d;
}

/* ---- policies that need no kernel ----------------------------------------------------------------------------------- */

static tvgp_policy *without(const char *name, int kind, const tvgp_kernel *ignored) {
    tvgp_domain *domain = domain_of(ctx, kind);
    tvgp_kernel *none;
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, ignored);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_kernel(p, &none), name);
    if (kind == CONTEXTS)
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &(double){1.5}));
    return p;
}

/* With a kernel that would not even fit they do the same, and save the same bytes. */
TEST_WHERE(without_a_kernel, 2 * KINDS, _i != KINDS + BOX && _i != KINDS + CONTEXTS) {
    const int constant = _i >= KINDS, kind = _i % KINDS;
    const char *name = constant ? "constant-arm" : "random";
    double x[DIM], z[DIM], mean, three[] = {1, 2, 3};
    uint8_t bytes[2][4096];
    size_t size[2];
    tvgp_kernel *misfit = harness_se(3, 3, three);
    tvgp_policy *a = without(name, kind, NULL), *b = without(name, kind, misfit);
    for (int t = 0; t < STEPS; t++) {
        tvgp_query p, q;
        ASSERT_OK(tvgp_policy_ask_one(a, t, &p, x));
        ASSERT_OK(tvgp_policy_ask_one(b, t, &q, z));
        ck_assert(p.arm == q.arm && x[0] == z[0]);
        ASSERT_OK(tvgp_policy_tell_value(a, p.id, t));
        ASSERT_OK(tvgp_policy_tell_value(b, q.id, t));
    }
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_predict(a, STEPS, 1, x, &mean, NULL), "has no model");
    ASSERT_OK(tvgp_policy_save_full(a, sizeof bytes[0], bytes[0], &size[0]));
    ASSERT_OK(tvgp_policy_save_full(b, sizeof bytes[1], bytes[1], &size[1]));
    ck_assert(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    tvgp_policy *c = MAKE_POLICY(tvgp_policy_restore, ctx, size[0], bytes[0], NULL, NULL);
    ASSERT_OK(tvgp_policy_load(a, size[1], bytes[1]));
    ck_assert_double_eq(harness_stat(c, "asked"), STEPS);
}

/* ---- from a file alone ---------------------------------------------------------------------------------------------- */

/* What was asked and not answered. */
typedef struct {
    tvgp_query q[STEPS];
    double x[STEPS * DIM];
    size_t n;
} open_list;

static double answer_to(const tvgp_query *q, const double *x) {
    return sin(3 * x[0]) + 0.3 * x[1] + 0.01 * (double)(q->id % 5);
}

/* Plays; every third query stays open. NULL: the policy does not play there. */
static tvgp_policy *begin(const char *name, int kind, open_list *open) {
    tvgp_domain *domain = domain_of(ctx, kind);
    tvgp_policy *p = NULL;
    tvgp_kernel *kernel = harness_se(DIM, DIM, length);
    const tvgp_status status = tvgp_policy_create(ctx, name, domain, kernel, &p);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
    tvgp_domain_destroy(domain);
    tvgp_kernel_destroy(kernel);
    open->n = 0;
    if (p && kind == CONTEXTS)
        ASSERT_OK(tvgp_policy_set_context_point(p, 1, &(double){1.5}));
    for (int t = 0; p && t < STEPS; t++) {
        tvgp_query *q = &open->q[open->n];
        double *x = open->x + DIM * open->n;
        size_t n;
        if (tvgp_policy_ask(p, t, 1, q, x, &n) != TVGP_OK)
            continue;
        if (t % 3 == 1)
            open->n++;
        else
            ASSERT_OK(tvgp_policy_tell_value(p, q->id, answer_to(q, x)));
    }
    return p;
}

/* What a program knows that was given the bytes: it reports outcomes of what is open, oldest first, goes on, and draws.
 * Everything it saw goes into seen. */
static size_t go_on(tvgp_policy *p, int kind, const open_list *open, double *seen) {
    const char *type;
    double lower[DIM], upper[DIM], x[OPEN * DIM], mean[POINTS], var[POINTS], X[POINTS * DIM];
    tvgp_query q[OPEN];
    size_t dim, arms, n, k = 0, last = 0;
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, p);
    ASSERT_OK(tvgp_domain_dim(domain, &dim));
    ASSERT_OK(tvgp_domain_size(domain, &arms));
    ASSERT_OK(tvgp_domain_type_name(domain, &type));
    ASSERT_OK(tvgp_domain_bounds(domain, lower, upper));
    tvgp_domain_destroy(domain);
    ck_assert_str_eq(type, types[kind]);
    ck_assert_uint_eq(arms, kind == GRID ? SIDE * SIDE : kind == BOX ? 0 : SIDE);
    ck_assert(dim == DIM && memcmp(lower, low, sizeof low) == 0 && memcmp(upper, high, sizeof high) == 0);
    do { /* four at a time */
        ASSERT_OK(tvgp_policy_pending(p, OPEN, q, x, &n));
        ck_assert_int_eq(memcmp(q, open->q + last, n * sizeof *q), 0);
        ck_assert_int_eq(memcmp(x, open->x + DIM * last, n * DIM * sizeof *x), 0);
        for (size_t i = 0; i < n; i++)
            ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, answer_to(&q[i], x + i * dim)));
        last += n;
    } while (n);
    ck_assert_uint_eq(last, open->n);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t d = 0; d < dim; d++)
            X[i * dim + d] = lower[d] + (upper[d] - lower[d]) * (double)((i + d) % POINTS) / (POINTS - 1);
    if (tvgp_policy_predict(p, STEPS, POINTS, X, mean, var) == TVGP_OK)
        for (size_t i = 0; i < POINTS; i++)
            seen[k++] = mean[i] + var[i];
    for (int t = STEPS; t < STEPS + 10; t++)
        if (tvgp_policy_ask(p, t, 1, q, x, &n) == TVGP_OK) {
            ASSERT_OK(tvgp_policy_tell_value(p, q->id, answer_to(q, x)));
            seen[k++] = x[0] + 3 * x[1];
        }
    return k;
}

TEST_EACH(a_file_alone, harness_policies() * INDICES) {
    const char *name = harness_policy_at(_i / INDICES), *its;
    const int kind = _i % INDICES;
    static double one[100], two[100];
    static uint8_t bytes[1 << 17];
    open_list open;
    size_t size;
    tvgp_policy *p = begin(name, kind, &open), *again = NULL;
    tvgp_ctx *elsewhere = NULL;
    if (!p)
        return;
    ck_assert_uint_ge(open.n, 6);
    ASSERT_OK(tvgp_policy_save_full(p, sizeof bytes, bytes, &size));
    const size_t n = go_on(p, kind, &open, one);
    tvgp_policy_destroy(p);
    ASSERT_OK(tvgp_ctx_create(NULL, &elsewhere));
    ASSERT_OK(tvgp_policy_restore(elsewhere, size, bytes, NULL, NULL, &again));
    ASSERT_OK(tvgp_policy_name(again, &its));
    ck_assert_str_eq(its, name);
    ck_assert_uint_eq(go_on(again, kind, &open, two), n);
    ck_assert_msg(n >= 9 && memcmp(one, two, n * sizeof *one) == 0, "%s goes on otherwise", name);
    tvgp_policy_destroy(again);
    tvgp_ctx_destroy(elsewhere);
}

/* ---- what is open --------------------------------------------------------------------------------------------------- */

static size_t count(const tvgp_policy *p) {
    size_t n = 77;
    ASSERT_OK(tvgp_policy_pending(p, 0, NULL, NULL, &n));
    ck_assert_double_eq((double)n, harness_stat(p, "pending"));
    return n;
}

/* Answered ones leave, wherever they stand; forgotten and timed-out ones too. */
TEST(what_is_open) {
    tvgp_domain *domain = domain_of(ctx, GRID);
    tvgp_query asked[8], q[8];
    double x[16];
    size_t n;
    tvgp_policy *p = harness_create("tv-gp-ucb", domain, NULL, "pending.limit=5 pending.timeout=10 sense=min");
    ck_assert_uint_eq(count(p), 0);
    for (int t = 0; t < 8; t++)
        ASSERT_OK(tvgp_policy_ask_one(p, t, &asked[t], NULL));
    ck_assert_uint_eq(count(p), 5); /* those of 3, 4, 5, 6, 7 */
    ASSERT_OK(tvgp_policy_tell_value(p, asked[4].id, 1));
    ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.id = asked[6].id, .outcome = TVGP_FAILED}, NULL));
    ASSERT_OK(tvgp_policy_pending(p, 8, q, x, &n));
    ck_assert_uint_eq(n, 3);
    for (size_t i = 0; i < 3; i++) {
        const tvgp_query *is = &asked[3 + 2 * i];
        double at[2];
        ck_assert_int_eq(memcmp(&q[i], is, sizeof *is), 0);
        ASSERT_OK(tvgp_domain_point(domain, is->arm, at));
        ck_assert(at[0] == x[2 * i] && at[1] == x[2 * i + 1]);
    }
    ASSERT_OK(tvgp_policy_pending(p, 2, q, NULL, &n));
    ck_assert(n == 2 && q[1].id == asked[5].id);
    ASSERT_OK(tvgp_policy_pending(p, 0, q, NULL, &n));
    ck_assert_uint_eq(n, 0);
    ASSERT_OK(tvgp_policy_ask_one(p, 16, &q[0], NULL)); /* 3 and 5 are too old by now */
    ASSERT_OK(tvgp_policy_pending(p, 8, q, NULL, &n));
    ck_assert(n == 2 && q[0].id == asked[7].id);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_pending(p, 1, q, NULL, NULL), "n is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_domain(p, NULL), "out is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_name(p, NULL), "name is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_bounds(domain, x, NULL), "upper is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_type_name(domain, NULL), "type is NULL");
}

/* After arms came the domain is the larger one, and arms are called arms. */
TEST(a_larger_domain) {
    const double more[] = {5, -3};
    double lower[DIM], upper[DIM];
    tvgp_domain *domain = domain_of(ctx, GRID);
    tvgp_policy *p = without("random", GRID, NULL);
    const char *type;
    size_t n;
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, domain, 1, more);
    ASSERT_OK(tvgp_policy_extend(p, larger, NULL));
    tvgp_domain *now = MAKE_DOMAIN(tvgp_policy_domain, p);
    tvgp_policy_destroy(p);
    ASSERT_OK(tvgp_domain_size(now, &n));
    ASSERT_OK(tvgp_domain_type_name(now, &type));
    ASSERT_OK(tvgp_domain_bounds(now, lower, upper));
    ck_assert_str_eq(type, "arms");
    ck_assert(n == SIDE * SIDE + 1 && lower[0] == -1 && lower[1] == -3 && upper[0] == 5 && upper[1] == 2);
}

HARNESS_MAIN("resume")

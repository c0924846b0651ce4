/* SPDX-License-Identifier: MIT */
/* Domains from outside the library: the vertices of a ring with a kernel of the ring, next to indices with the same
 * covariances as a table; failures, snapshots, tables that are short or wrong. */
#include "cases.h"
#include "outside.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { N = CASES_ARMS };
static const double beta = 1.5;
static int destroyed;
static unsigned char before[1 << 17], after[1 << 17];

static void setup(void) {
    harness_setup();
    outside_fault = (struct outside_fault){0};
    destroyed = outside_rings = 0;
    ASSERT_OK(tvgp_ctx_register_domain(ctx, &outside_vertices, &destroyed, outside_destroy));
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &outside_diffusion, NULL, NULL));
}

static void teardown(void) {
    harness_teardown();
    ck_assert_int_eq(destroyed, 1);
    ck_assert_int_eq(outside_rings, 0);
}

static tvgp_domain *ring(size_t n) {
    return MAKE_DOMAIN(tvgp_domain_of_type, ctx, "outside-vertices", n, 1, outside_ring_new(n, beta));
}

static tvgp_kernel *diffusion(size_t n) {
    return MAKE_KERNEL(tvgp_kernel_of_type, ctx, "outside-diffusion", 1, outside_ring_new(n, beta));
}

static tvgp_policy *create(const char *name, tvgp_domain *domain, tvgp_kernel *kernel) {
    return MAKE_POLICY(tvgp_policy_create, ctx, name, domain, kernel);
}

/* Every policy: the same arms and scores; unasked observations are found by their vertex. */
TEST_EACH(decides_as_indices_with_a_table, harness_policies()) {
    double K[N * N];
    struct rnd rnd = {9};
    for (size_t i = 0; i < N * N; i++)
        K[i] = outside_ring_kernel(N, beta, i / N, i % N);
    tvgp_domain *indices = harness_indices(N);
    tvgp_kernel *table = MAKE_KERNEL(tvgp_kernel_table, ctx, N, K);
    tvgp_policy *p[2] = {create(harness_policy_at(_i), ring(N), diffusion(N)),
                         create(harness_policy_at(_i), indices, table)};
    for (int t = 0; t < 40; t++) {
        tvgp_query q[2];
        const double y = rnd_normal(&rnd), x = t % N;
        const tvgp_obs unasked = tvgp_obs_unsolicited(t, -y);
        size_t n[2] = {0, 0};
        tvgp_status status[2];
        for (int k = 0; k < 2; k++) {
            status[k] = tvgp_policy_ask(p[k], t, 1, &q[k], NULL, &n[k]);
            ASSERT_OK(tvgp_policy_tell(p[k], 1, &unasked, &x));
            if (n[k])
                ASSERT_OK(tvgp_policy_tell_value(p[k], q[k].id, y));
        }
        ck_assert(status[0] == status[1] && n[0] == n[1]);
        if (!n[0])
            continue;
        ck_assert_int_eq(q[0].arm, q[1].arm);
        ASSERT_NEAR(q[0].score, q[1].score, 1e-12);
    }
}

/* A ring comes back from a whole snapshot, as itself and as the actions of a product; another ring is another domain. */
TEST_EACH(snapshots, 2) {
    const double three[3] = {0, 1, 2}, lengthscale = 1;
    tvgp_domain *domain = ring(N), *hours = NULL, *product = NULL;
    tvgp_kernel *kernel = diffusion(N), *hour = NULL, *a = NULL, *b = NULL, *both = NULL;
    tvgp_policy *p = NULL, *q = NULL, *other = create("gp-ucb", ring(N - 1), diffusion(N - 1));
    tvgp_ctx *empty = NULL;
    size_t n = 0, m = 0;
    ASSERT_OK(tvgp_domain_arms(ctx, 3, 1, three, &hours));
    ASSERT_OK(tvgp_domain_product(ctx, domain, hours, &product));
    ASSERT_OK(tvgp_kernel_se(ctx, 1, 1, 1, &lengthscale, &hour));
    ASSERT_OK(tvgp_kernel_slice(ctx, 2, 0, kernel, &a));
    ASSERT_OK(tvgp_kernel_slice(ctx, 2, 1, hour, &b));
    ASSERT_OK(tvgp_kernel_product(ctx, a, b, &both));
    ASSERT_OK(tvgp_policy_create(ctx, "tv-gp-ucb", _i ? product : domain, _i ? both : kernel, &p));
    for (int t = 0; t < 20; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, cos(t)));
    ASSERT_OK(tvgp_policy_save_full(p, sizeof before, before, &n));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(other, n, before), "gp-ucb");
    static const char *const fails[] = {"load", "params"};
    for (size_t i = 0; i < 2; i++) {
        outside_fault = (struct outside_fault){.op = fails[i], .status = -1004};
        ck_assert_int_eq(tvgp_policy_restore(ctx, n, before, NULL, NULL, &q), -1004);
    }
    static const char *const saves[] = {"save", "save.more"};
    for (size_t i = 0; i < 2; i++) {
        outside_fault = (struct outside_fault){.op = saves[i], .status = i ? 0 : 5};
        ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_policy_save_full(p, sizeof after, after, &m), "domain 'outside-vertices'");
    }
    outside_fault.op = NULL;
    ASSERT_OK(tvgp_policy_restore(ctx, n, before, NULL, NULL, &q));
    ASSERT_OK(tvgp_policy_save_full(q, sizeof after, after, &m));
    ck_assert(n == m && memcmp(before, after, n) == 0);
    for (int t = 20; t < 30; t++) {
        tvgp_query one = harness_ask(p, t), two = harness_ask(q, t);
        ck_assert_mem_eq(&one, &two, sizeof one);
    }
    ck_assert_int_eq(tvgp_ctx_create(NULL, &empty), TVGP_OK);
    tvgp_policy *never = NULL;
    ck_assert_int_eq(tvgp_policy_restore(empty, n, before, NULL, NULL, &never), TVGP_ERR_UNSUPPORTED);
    ck_assert(strstr(tvgp_ctx_errmsg(empty), "'outside-vertices', which is not registered") != NULL);
    tvgp_ctx_destroy(empty);
    tvgp_domain *domains[] = {domain, hours, product};
    tvgp_kernel *kernels[] = {kernel, hour, a, b, both};
    for (size_t i = 0; i < 3; i++)
        tvgp_domain_destroy(domains[i]);
    for (size_t i = 0; i < 5; i++)
        tvgp_kernel_destroy(kernels[i]);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(q);
    tvgp_policy_destroy(other);
}

TEST(failures) {
    struct outside_ring *data = outside_ring_new(N, beta);
    tvgp_domain *domain = NULL;
    const double more = N;
    size_t n;
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_domain_of_type(ctx, "outside-vertexes", N, 1, data, &domain), "outside-vertices");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_domain_of_type(ctx, "grid", N, 1, data, &domain), "'grid' is the library's own");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_domain_of_type(ctx, "outside-vertices", 0, 1, data, &domain), "n = 0");
    ASSERT_FAILS(TVGP_ERR_DIM, tvgp_domain_of_type(ctx, "outside-vertices", N, 0, data, &domain), "dim = 0");
    ck_assert_int_eq(tvgp_domain_of_type(ctx, "outside-vertices", N, 2, data, &domain), -1012);
    outside_fault = (struct outside_fault){.op = "points", .status = 17};
    ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_domain_of_type(ctx, "outside-vertices", N, 1, data, &domain), "returned 17");
    outside_fault = (struct outside_fault){.mean = NAN};
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_domain_of_type(ctx, "outside-vertices", N, 1, data, &domain), "X[0]");
    outside_fault = (struct outside_fault){0};
    for (size_t k = 1; k <= 3; k++) {
        memory.fail_in = k;
        ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_domain_of_type(ctx, "outside-vertices", N, 1, data, &domain), "memory");
    }
    ck_assert_int_eq(outside_rings, 1); /* after all that data is still the caller's */
    domain = MAKE_DOMAIN(tvgp_domain_of_type, ctx, "outside-vertices", N, 1, data);
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, domain, 1, &more); /* a list of arms */
    ASSERT_OK(tvgp_domain_size(larger, &n));
    ck_assert_uint_eq(n, N + 1);
    tvgp_policy *never = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_create(ctx, "bkb", domain, NULL, &never), "kernel is NULL");
    tvgp_domain_destroy(domain);
}

TEST(registering) {
    tvgp_domain_type type = outside_vertices;
    tvgp_domain *domain = NULL;
    tvgp_policy *p;
    size_t held, now, k = 1;
    ck_assert_int_eq(tvgp_ctx_register_domain(NULL, &type, NULL, NULL), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_domain(ctx, NULL, NULL, NULL), "type is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_domain(ctx, &type, NULL, NULL), "'outside-vertices' is taken");
    type.name = "grid";
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_domain(ctx, &type, NULL, NULL), "'grid' is taken");
    type.name = "short";
    type.struct_size = offsetof(tvgp_domain_type, categorical) - 1;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_domain(ctx, &type, NULL, NULL), "struct_size");
    type.struct_size = sizeof type;
    type.save = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_domain(ctx, &type, NULL, NULL), "save and type->load");
    type.points = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_domain(ctx, &type, NULL, NULL), "points is NULL");
    type.points = outside_vertices.points;
    memset((char *)&type + offsetof(tvgp_domain_type, categorical), 0x5a,
           sizeof type - offsetof(tvgp_domain_type, categorical));
    type.struct_size = offsetof(tvgp_domain_type, categorical); /* what lies beyond is not read */
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    for (;; k++) {
        memory.fail_in = k;
        tvgp_status status = tvgp_ctx_register_domain(ctx, &type, NULL, NULL);
        memory.fail_in = 0;
        if (status == TVGP_OK)
            break;
        ck_assert_int_eq(status, TVGP_ERR_NOMEM);
        ASSERT_OK(tvgp_ctx_memory(ctx, &now));
        ck_assert_uint_eq(now, held);
        ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_domain_of_type(ctx, "short", N, 1, NULL, &domain), "short");
    }
    ck_assert_uint_eq(k, 3);
    struct outside_ring own = {N, beta};
    domain = MAKE_DOMAIN(tvgp_domain_of_type, ctx, "short", N, 1, &own);
    p = create("gp-ucb", domain, diffusion(N));
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_save_full(p, sizeof before, before, &held), "'short' cannot be saved");
    ASSERT_OK(tvgp_policy_save(p, sizeof before, before, &held)); /* by its points */
}

/* Two priors, after the policy's own, of kernels that say how they are saved, or not. */
static tvgp_policy *with_priors(const char *type) {
    tvgp_policy *p = create("mle-gp-ucb", ring(N), diffusion(N));
    for (size_t k = 0; k < 2; k++) {
        tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_of_type, ctx, type, 1, outside_ring_new(N, 0.5 + (double)k));
        ASSERT_OK(tvgp_policy_add_prior(p, kernel, 0, NULL, 0.01));
    }
    for (int t = 0; t < 20; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, cos(t)));
    return p;
}

/* A copy has the kernels of its priors, also those that no snapshot can hold. */
TEST_EACH(copies_have_the_kernels_of_priors, 2) {
    tvgp_kernel_type unsaved = outside_diffusion;
    unsaved.name = "unsaved";
    unsaved.save = NULL;
    unsaved.load = NULL;
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &unsaved, NULL, NULL));
    tvgp_policy *p = with_priors(_i ? "unsaved" : "outside-diffusion");
    tvgp_policy *copy = MAKE_POLICY(tvgp_policy_clone, p);
    for (int t = 20; t < 60; t++) {
        const tvgp_query q = harness_ask(p, t), same = harness_ask(copy, t);
        ck_assert(q.arm == same.arm && q.score == same.score);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, cos(t)));
        ASSERT_OK(tvgp_policy_tell_value(copy, same.id, cos(t)));
    }
}

/* A kernel that fails while a snapshot with it is read does not make the snapshot wrong. */
TEST(priors_that_fail_when_they_are_read) {
    size_t n = 0;
    tvgp_policy *p = with_priors("outside-diffusion"), *other = create("mle-gp-ucb", ring(N), diffusion(N));
    ASSERT_OK(tvgp_policy_save(p, sizeof before, before, &n));
    for (long calls = 0;; calls++) {
        outside_fault = (struct outside_fault){.op = "block", .status = -1432, .after = calls};
        const tvgp_status status = tvgp_policy_load(other, n, before);
        if (status == TVGP_OK)
            break;
        ck_assert_msg(status == -1432, "after %ld: %s", calls, tvgp_ctx_errmsg(ctx));
    }
    outside_fault = (struct outside_fault){0};
    ck_assert_int_eq(harness_ask(p, 30).arm, harness_ask(other, 30).arm);
}

int main(void) {
    return HARNESS_RUN("foreign domains", setup, teardown);
}

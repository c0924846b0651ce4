/* SPDX-License-Identifier: MIT */
/* Kernels from outside the library: the same decisions as the built-in one, failures at every call, calls back into the
 * library, short tables, snapshots. */
#include "cases.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct own {
    double lengthscale;
    long calls, fail_at; /* 0: never */
    int32_t fails_with;
    tvgp_kernel *self; /* not NULL: calls itself */
    int nan;
};
static int released, destroyed;

static double se(const struct own *o, size_t dim, const double *x, const double *z) {
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (x[d] - z[d]) / o->lengthscale * ((x[d] - z[d]) / o->lengthscale);
    return exp(-0.5 * sum);
}

static int32_t own_block(void *data, size_t n, const double *X, size_t m, const double *Z, double *K, size_t ldk) {
    struct own *o = data;
    if (++o->calls == o->fail_at)
        return o->fails_with;
    if (o->self)
        return tvgp_kernel_gram(o->self, n, X, m, Z, K) == TVGP_ERR_REENTRANT ? -1015 : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            K[i * ldk + j] = o->nan ? NAN : se(o, 2, X + 2 * i, Z + 2 * j);
    return 0;
}

static int32_t own_gradient(void *data, size_t n, const double *Z, size_t m, const double *X, const double *C, double *G) {
    const struct own *o = data;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t d = 0; d < 2; d++)
                G[2 * i + d] += C[i * m + j] * se(o, 2, Z + 2 * i, X + 2 * j) * (X[2 * j + d] - Z[2 * i + d]) /
                                (o->lengthscale * o->lengthscale);
    return 0;
}

static void own_reach(void *data, double *lengthscale) {
    lengthscale[0] = lengthscale[1] = ((struct own *)data)->lengthscale;
}

static int32_t own_save(void *data, void *buffer, size_t *needed) {
    *needed = sizeof(double);
    if (buffer)
        memcpy(buffer, &((struct own *)data)->lengthscale, sizeof(double));
    return 0;
}

static int32_t own_load(void *user, size_t dim, const void *bytes, size_t n, void **data) {
    struct own *o = calloc(1, sizeof *o);
    if (dim != 2 || n != sizeof(double) || user != &destroyed) {
        free(o);
        return -1007;
    }
    memcpy(&o->lengthscale, bytes, n);
    *data = o;
    return 0;
}

static void own_release(void *data) {
    released++;
    free(data);
}

static void own_destroy(void *user) {
    ++*(int *)user;
}

static const tvgp_kernel_type own_type = {.struct_size = sizeof own_type,
                                          .name = "own-se",
                                          .block = own_block,
                                          .gradient = own_gradient,
                                          .reach = own_reach,
                                          .save = own_save,
                                          .load = own_load,
                                          .release = own_release};

static tvgp_kernel *create(struct own **out) {
    struct own *o = calloc(1, sizeof *o);
    tvgp_kernel *kernel = NULL;
    o->lengthscale = 0.3;
    ASSERT_OK(tvgp_kernel_of_type(ctx, "own-se", 2, o, &kernel));
    *out = o;
    return kernel;
}

static void setup(void) {
    harness_setup();
    released = destroyed = 0;
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &own_type, &destroyed, own_destroy));
}

static void teardown(void) {
    harness_teardown();
    ck_assert_int_eq(destroyed, 1);
}

static tvgp_domain *arms(int box) {
    double X[2 * CASES_ARMS];
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    tvgp_domain *domain = NULL;
    rnd_fill(&(struct rnd){7}, 2 * CASES_ARMS, X);
    ASSERT_OK(box ? tvgp_domain_box(ctx, 2, lower, upper, &domain) : tvgp_domain_arms(ctx, CASES_ARMS, 2, X, &domain));
    return domain;
}

/* Every policy decides as with the built-in squared exponential. */
START_TEST(decides_as_the_built_in_kernel) {
    const char *name;
    struct own *o;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)_i, &name, NULL));
    for (int box = 0; box < 2; box++) {
        tvgp_domain *domain = arms(box);
        tvgp_kernel *kernel = create(&o), *built_in = NULL;
        tvgp_policy *a = NULL, *b = NULL;
        ASSERT_OK(tvgp_kernel_se(ctx, 2, 1, &o->lengthscale, 1, &built_in));
        if (tvgp_policy_create(ctx, name, domain, kernel, &a) == TVGP_OK) {
            ASSERT_OK(tvgp_policy_create(ctx, name, domain, built_in, &b));
            struct rnd rnd = {1};
            for (int t = 0; t < (box ? 12 : 50); t++) {
                tvgp_query qa, qb;
                double xa[2], xb[2];
                size_t na = 0, nb = 0;
                ck_assert_int_eq(tvgp_policy_ask(a, t, 1, &qa, xa, &na), tvgp_policy_ask(b, t, 1, &qb, xb, &nb));
                if (!na)
                    continue;
                ck_assert_int_eq(qa.arm, qb.arm);
                ASSERT_NEAR(qa.score, qb.score, box ? 1e-7 : 1e-12);
                double y = rnd_normal(&rnd);
                ASSERT_OK(tvgp_policy_tell_value(a, qa.id, y));
                ASSERT_OK(tvgp_policy_tell_value(b, qb.id, y));
            }
            tvgp_policy_destroy(a);
            tvgp_policy_destroy(b);
        }
        tvgp_kernel_destroy(kernel);
        tvgp_kernel_destroy(built_in);
        tvgp_domain_destroy(domain);
    }
    ck_assert_int_eq(released, 2);
}
END_TEST

/* Each call of the kernel fails in turn; what the call returns is what the kernel did, and nothing has changed. */
START_TEST(failures_pass_through) {
    static const int32_t fails[] = {-1000, -1999, 7, -3};
    struct own *o;
    tvgp_domain *domain = arms(0);
    tvgp_kernel *kernel = create(&o);
    tvgp_policy *p = NULL;
    static unsigned char before[1 << 16], after[1 << 16];
    size_t n = 0, m = 0;
    int failed = 0;
    ASSERT_OK(tvgp_policy_create(ctx, "tv-gp-ucb", domain, kernel, &p));
    for (int t = 0; t < 60; t++) {
        tvgp_query q = harness_ask(p, t);
        for (long k = 1;; k++) {
            int32_t with = fails[(t + k) % 4];
            ASSERT_OK(tvgp_policy_save(p, before, sizeof before, &n));
            o->calls = 0;
            o->fail_at = k;
            o->fails_with = with;
            tvgp_status s = tvgp_policy_tell_value(p, q.id, sin(t));
            o->fail_at = 0;
            if (s == TVGP_OK)
                break;
            ck_assert_int_eq(s, with <= -1000 ? with : TVGP_ERR_CALLBACK);
            ASSERT_OK(tvgp_policy_save(p, after, sizeof after, &m));
            ck_assert(n == m && memcmp(before, after, n) == 0);
            failed++;
        }
    }
    ck_assert_int_gt(failed, 0);
    tvgp_policy_destroy(p);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
}
END_TEST

START_TEST(calls_back_and_numbers_that_are_none) {
    struct own *o;
    const double x[2] = {0.1, 0.2};
    double k = 0;
    tvgp_kernel *kernel = create(&o);
    o->self = kernel;
    ck_assert_int_eq(tvgp_kernel_gram(kernel, 1, x, 1, x, &k), -1015); /* it saw REENTRANT */
    o->self = NULL;
    o->nan = 1;
    ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_kernel_gram(kernel, 1, x, 1, x, &k), "the kernel");
    o->nan = 0;
    ASSERT_OK(tvgp_kernel_gram(kernel, 1, x, 1, x, &k));
    ASSERT_NEAR(k, 1, 1e-15);
    tvgp_kernel_destroy(kernel);
}
END_TEST

START_TEST(registering) {
    tvgp_kernel_type type = own_type;
    tvgp_kernel *kernel = NULL;
    double x[2] = {0, 0}, k = 0;
    ck_assert_int_eq(tvgp_ctx_register_kernel(NULL, &type, NULL, NULL), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, NULL, NULL, NULL), "type is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "'own-se' is taken");
    type.name = "stationary";
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "'stationary' is taken");
    type.name = "short";
    type.struct_size = offsetof(tvgp_kernel_type, block);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "struct_size");
    type.struct_size = sizeof type;
    type.load = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "save and type->load");
    type.load = own_load;
    memory.fail_in = 1;
    ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_ctx_register_kernel(ctx, &type, NULL, NULL), "memory");
    /* A table of an older header: what lies beyond it is not read. */
    type.struct_size = offsetof(tvgp_kernel_type, diagonal);
    ASSERT_OK(tvgp_ctx_register_kernel(ctx, &type, NULL, NULL));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_kernel_of_type(ctx, "shart", 2, NULL, &kernel), "short");
    struct own o = {.lengthscale = 1};
    ASSERT_OK(tvgp_kernel_of_type(ctx, "short", 2, &o, &kernel));
    ASSERT_OK(tvgp_kernel_gram(kernel, 1, x, 1, x, &k));
    tvgp_kernel_destroy(kernel);
    ck_assert_int_eq(released, 0);
}
END_TEST

START_TEST(whole_snapshots) {
    static unsigned char bytes[1 << 16], again[1 << 16];
    struct own *o;
    tvgp_domain *domain = arms(0);
    tvgp_kernel *kernel = create(&o), *other = create(&o), *sum = NULL;
    tvgp_policy *p = NULL, *q = NULL;
    tvgp_ctx *empty = NULL;
    size_t n = 0, m = 0;
    o->lengthscale = 0.5;
    ASSERT_OK(tvgp_kernel_sum(ctx, kernel, other, &sum));
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, sum, &p));
    for (int t = 0; t < 20; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, cos(t)));
    ASSERT_OK(tvgp_policy_save_whole(p, bytes, sizeof bytes, &n));
    ASSERT_OK(tvgp_policy_create_from(ctx, bytes, n, NULL, NULL, &q));
    ASSERT_OK(tvgp_policy_save_whole(q, again, sizeof again, &m));
    ck_assert(n == m && memcmp(bytes, again, n) == 0);
    ck_assert_int_eq(harness_ask(p, 30).arm, harness_ask(q, 30).arm);
    tvgp_policy_destroy(q);
    ASSERT_OK(tvgp_policy_create(ctx, "gp-ucb", domain, kernel, &q));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(q, bytes, n), "another kernel");
    ck_assert_int_eq(tvgp_ctx_create(NULL, &empty), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_create_from(empty, bytes, n, NULL, NULL, &q), TVGP_ERR_UNSUPPORTED);
    ck_assert(strstr(tvgp_ctx_errmsg(empty), "'own-se'") != NULL);
    tvgp_ctx_destroy(empty);
    tvgp_policy_destroy(p);
    tvgp_policy_destroy(q);
    tvgp_kernel_destroy(kernel);
    tvgp_kernel_destroy(other);
    tvgp_kernel_destroy(sum);
    tvgp_domain_destroy(domain);
    ck_assert_int_eq(released, 4);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("foreign");
    TCase *c = tcase_create("kernels");
    tcase_add_checked_fixture(c, setup, teardown);
    suite_add_tcase(suite, c);
    tcase_add_loop_test(c, decides_as_the_built_in_kernel, 0, harness_policies());
    tcase_add_test(c, failures_pass_through);
    tcase_add_test(c, calls_back_and_numbers_that_are_none);
    tcase_add_test(c, registering);
    tcase_add_test(c, whole_snapshots);
    return harness_run(suite);
}

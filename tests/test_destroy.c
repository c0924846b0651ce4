/* SPDX-License-Identifier: MIT */
/* The function that frees a caller's pointer is called once: when the pointer is no longer used, and never if the call that passed it
 * failed. */
#include "harness.h"

#include <string.h>

/* Counts what happens to it. */
struct owned {
    int freed, used;
};

static void destroy(void *user) {
    ((struct owned *)user)->freed++;
}

static int32_t mean(void *user, size_t n, const double *X, double *out, double *gradient_or_null) {
    struct owned *o = user;
    ck_assert_int_eq(o->freed, 0);
    o->used++;
    for (size_t i = 0; i < n; i++)
        out[i] = X[i];
    for (size_t i = 0; gradient_or_null && i < n; i++)
        gradient_or_null[i] = 1;
    return 0;
}

static int32_t no_mean(void *user, size_t n, const double *X, double *out, double *gradient_or_null) {
    (void)user, (void)n, (void)X, (void)out, (void)gradient_or_null;
    return -1234;
}

static int32_t feasible(void *user, size_t n, const double *X, uint8_t *ok) {
    struct owned *o = user;
    (void)X;
    ck_assert_int_eq(o->freed, 0);
    o->used++;
    memset(ok, 1, n);
    return 0;
}

static void hear(void *user, const char *line) {
    (void)line;
    ((struct owned *)user)->used++;
}

static int32_t go_on(void *user) {
    ((struct owned *)user)->used++;
    return 0;
}

static tvgp_domain *box, *arms;
static tvgp_kernel *kernel;

static void setup(void) {
    const double lower = 0, upper = 1, lengthscale = 0.3, X[] = {0, 0.5, 1};
    harness_setup();
    ASSERT_OK(tvgp_domain_box(ctx, 1, &lower, &upper, &box));
    ASSERT_OK(tvgp_domain_arms(ctx, 3, 1, X, &arms));
    ASSERT_OK(tvgp_kernel_se(ctx, 1, 1, 1, &lengthscale, &kernel));
}

static void teardown(void) {
    tvgp_domain_destroy(box), tvgp_domain_destroy(arms), tvgp_kernel_destroy(kernel);
    harness_teardown();
}

static tvgp_policy *policy_on(const char *name, const tvgp_domain *domain) {
    tvgp_policy *p;
    ASSERT_OK(tvgp_policy_create(ctx, name, domain, kernel, &p));
    return p;
}

static void step(tvgp_policy *p, double t) {
    double x;
    tvgp_query q;
    ASSERT_OK(tvgp_policy_ask_one(p, t, &q, &x));
    ASSERT_OK(tvgp_policy_tell_value(p, q.id, x));
}

/* The three functions of a policy, by number. */
enum { MEAN, FEASIBLE, PRIOR, FUNCTIONS };

static tvgp_status set(tvgp_policy *p, int function, struct owned *o) {
    return function == MEAN       ? tvgp_policy_set_prior_mean_fn(p, mean, o, destroy)
           : function == FEASIBLE ? tvgp_policy_set_feasible(p, feasible, o, destroy)
                                  : tvgp_policy_add_prior_fn(p, kernel, mean, o, destroy, 0.1);
}

static tvgp_policy *policy_for(int function) {
    return policy_on(function == PRIOR ? "pe-gp-ucb" : "tv-gp-ucb", box);
}

/* Until it is replaced, and the last one until the policy is destroyed. A pointer is freed also if its function is NULL. */
TEST_EACH(replaced, FUNCTIONS) {
    struct owned o[4] = {{0}};
    tvgp_policy *p = policy_for(_i);
    ASSERT_OK(set(p, _i, &o[0]));
    step(p, 1);
    ck_assert(o[0].freed == 0 && o[0].used > 0);
    ASSERT_OK(set(p, _i, &o[1]));
    ck_assert_int_eq(o[0].freed, _i != PRIOR);
    step(p, 2);
    ck_assert(o[1].freed == 0 && o[1].used > 0);
    if (_i == MEAN)
        ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, NULL, &o[2], destroy));
    if (_i == FEASIBLE)
        ASSERT_OK(tvgp_policy_set_feasible(p, NULL, &o[2], destroy));
    if (_i == PRIOR)
        ASSERT_OK(tvgp_policy_add_prior_fn(p, kernel, NULL, &o[2], destroy, 0));
    ck_assert(o[1].freed == (_i != PRIOR) && o[2].freed == 0);
    step(p, 3);
    ASSERT_OK(set(p, _i, &o[3]));
    tvgp_policy_destroy(p);
    for (int k = 0; k < 4; k++)
        ck_assert_msg(o[k].freed == 1, "pointer %d was freed %d times", k, o[k].freed);
}

/* Values in its place, too. */
TEST(replaced_by_values) {
    struct owned o[2] = {{0}};
    const double value = 2;
    tvgp_policy *p = policy_on("gp-ucb", box);
    ASSERT_OK(set(p, MEAN, &o[0]));
    ASSERT_OK(tvgp_policy_set_prior_mean(p, 1, &value));
    ck_assert_int_eq(o[0].freed, 1);
    tvgp_policy_destroy(p);
    p = policy_on("pe-gp-ucb", box);
    ASSERT_OK(set(p, PRIOR, &o[1]));
    ASSERT_OK(tvgp_policy_set_added_prior_mean(p, 0, 1, &value));
    ck_assert_int_eq(o[1].freed, 1);
    tvgp_policy_destroy(p);
    ck_assert(o[0].freed == 1 && o[1].freed == 1);
}

/* A clone holds what its original holds. */
TEST_EACH(clones, FUNCTIONS) {
    for (int original_first = 0; original_first < 2; original_first++) {
        struct owned o = {0};
        tvgp_policy *p = policy_for(_i), *copy;
        ASSERT_OK(set(p, _i, &o));
        step(p, 1);
        ASSERT_OK(tvgp_policy_clone(p, &copy));
        tvgp_policy_destroy(original_first ? p : copy);
        ck_assert_int_eq(o.freed, 0);
        step(original_first ? copy : p, 2);
        tvgp_policy_destroy(original_first ? copy : p);
        ck_assert_int_eq(o.freed, 1);
    }
}

/* A load keeps the functions, except those that the loaded state does not have; and one that fails keeps all. */
TEST_EACH(loads, FUNCTIONS) {
    struct owned o[2] = {{0}};
    tvgp_policy *p = policy_for(_i), *plain = policy_for(_i);
    char bytes[1 << 16];
    size_t n, n_plain;
    char without[1 << 16];
    step(plain, 1);
    ASSERT_OK(tvgp_policy_save(plain, sizeof without, without, &n_plain));
    ASSERT_OK(set(p, _i, &o[0]));
    step(p, 1);
    ASSERT_OK(tvgp_policy_save(p, sizeof bytes, bytes, &n));
    for (int k = 0; k < 3; k++) {
        step(p, 2 + k);
        ASSERT_OK(tvgp_policy_load(p, n, bytes));
        step(p, 2 + k);
        ck_assert_int_ne(tvgp_policy_load(p, n / 2, bytes), TVGP_OK);
        ck_assert_int_eq(o[0].freed, 0);
    }
    for (size_t i = 1; memory.fail_in = i, tvgp_policy_load(p, n, bytes) != TVGP_OK; i++)
        ck_assert_int_eq(o[0].freed, 0);
    memory.fail_in = 0;
    step(p, 9);
    ASSERT_OK(tvgp_policy_load(p, n_plain, without));
    ck_assert_int_eq(o[0].freed, _i != FEASIBLE);
    ASSERT_OK(set(p, _i, &o[1]));
    ck_assert_int_eq(o[0].freed, 1);
    step(p, 9);
    tvgp_policy_destroy(p), tvgp_policy_destroy(plain);
    ck_assert(o[0].freed == 1 && o[1].freed == 1);
}

/* The pointer of a call that fails stays the caller's. */
TEST_EACH(failures, FUNCTIONS) {
    struct owned o = {0}, kept = {0};
    tvgp_policy *p = policy_for(_i), *on_arms = policy_on(_i == PRIOR ? "pe-gp-ucb" : "tv-gp-ucb", arms);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, set(on_arms, _i, &o), "box");
    ck_assert_int_eq(set(NULL, _i, &o), TVGP_ERR_ARG);
    step(p, 1);
    if (_i == MEAN)
        ck_assert_int_eq(tvgp_policy_set_prior_mean_fn(p, no_mean, &o, destroy), -1234);
    if (_i == PRIOR) {
        ck_assert_int_eq(tvgp_policy_add_prior_fn(p, kernel, no_mean, &o, destroy, 0.1), -1234);
        ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_add_prior_fn(p, kernel, mean, &o, destroy, 1), "epsilon");
    }
    ck_assert_int_eq(o.freed, 0);
    size_t k = 0;
    tvgp_status status;
    do {
        memory.fail_in = ++k;
        status = set(p, _i, &kept);
        ck_assert_int_eq(kept.freed, 0);
    } while (status == TVGP_ERR_NOMEM);
    memory.fail_in = 0;
    ck_assert(status == TVGP_OK && k > 1);
    tvgp_policy_destroy(p), tvgp_policy_destroy(on_arms);
    ck_assert(o.freed == 0 && kept.freed == 1);
}

/* Of a context: until it is replaced, and then until the last object of the context is destroyed. */
TEST(of_a_context) {
    struct owned o[4] = {{0}};
    tvgp_ctx *own;
    tvgp_domain *d;
    const double X = 0;
    ASSERT_OK(tvgp_ctx_create(NULL, &own));
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_ctx_set_logger(own, hear, &o[k], destroy));
        ASSERT_OK(tvgp_ctx_set_interrupt(own, go_on, &o[2 + k], destroy));
        ck_assert(o[0].freed == k && o[2].freed == k);
    }
    ck_assert_int_eq(tvgp_ctx_set_logger(NULL, hear, &o[0], destroy), TVGP_ERR_ARG);
    ASSERT_OK(tvgp_domain_arms(own, 1, 1, &X, &d));
    tvgp_ctx_destroy(own);
    ck_assert(o[1].freed == 0 && o[3].freed == 0);
    tvgp_domain_destroy(d);
    for (int k = 0; k < 4; k++)
        ck_assert_int_eq(o[k].freed, 1);
}

/* Without memory the functions of a context stay. */
TEST(of_a_context_without_memory) {
    struct owned kept = {0}, o = {0};
    ASSERT_OK(tvgp_ctx_set_logger(ctx, hear, &kept, destroy));
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, go_on, &kept, NULL));
    memory.fail_in = 1;
    ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_ctx_set_logger(ctx, hear, &o, destroy), "memory");
    memory.fail_in = 1;
    ASSERT_FAILS(TVGP_ERR_NOMEM, tvgp_ctx_set_interrupt(ctx, go_on, &o, destroy), "memory");
    memory.fail_in = 0;
    ck_assert(o.freed == 0 && kept.freed == 0);
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    ck_assert_int_eq(kept.freed, 1);
}

int main(void) {
    return HARNESS_RUN("destroy", setup, teardown);
}

/* SPDX-License-Identifier: MIT */
/* What the tests share: a context on a counting allocator that can be set to fail, random numbers that are not the
 * library's, and short assertions. */
#ifndef HARNESS_H
#define HARNESS_H

#include <check.h>

/* Check writes the line of every assertion to a file and reads all of them when a test ends, to locate a crash. A failed assertion
 * names its line without that. The count tells a test that asserts nothing from one that passes. */
extern _Thread_local size_t harness_assertions;
#define _mark_point(file, line) ((void)harness_assertions++)

#include "tvgp.h"

/* Counts what passes through the hooks. */
struct memory {
    size_t allocated, released, failed; /* calls */
    size_t bytes;                       /* asked for, in all */
    size_t fail_in;                     /* 0: never; k: the k-th allocation from now fails */
    int lasting;                        /* and so do all after it */
    size_t withheld;                    /* what fail_in was at first, for messages */
};
tvgp_allocator memory_hooks(struct memory *m);

/* The context of the running test and its memory. Every test that uses the fixture also asserts that nothing leaked: objects made
 * from the context may be destroyed before or after it, but must be destroyed. Those from MAKE_.. are destroyed after it. */
extern tvgp_ctx *ctx;
extern struct memory memory;
void harness_setup(void);
void harness_teardown(void);

/* A test case with the fixture; the caller adds tests. */
TCase *harness_case(Suite *suite, const char *name);

/* The same for one case of many, with a name made from this format, which a failure in it shows. Without a fixture when `bare`. */
TCase *harness_case_of(Suite *suite, int bare, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Runs without forking (sanitizers and valgrind see everything, nothing has a time limit) and returns main's value. */
int harness_run(Suite *suite);

/* Whether loops over combinations take all of them, as tests/night.sh does (TVGP_TESTS=all in the environment). Otherwise they take
 * a part in which each policy and each kernel occurs. */
int harness_all(void);

/* Whether row i of a loop that takes long has its turn: always when harness_all, otherwise every second row, so that in pairs of
 * rows (a policy on arms, and on a box) one of each has. Neighbouring loops take different parities (0 or 1), so that every policy is
 * in half of them. */
int harness_turn(int i, int parity);

/* Calls a function whose last argument is the new object, asserts that it succeeds, and gives the object, which lives until the test
 * has ended, or the test destroys it: tvgp_kernel *k = MAKE_KERNEL(tvgp_kernel_se, ctx, 1, 1, 1, &lengthscale). */
#define MAKE_DOMAIN(function, ...) HARNESS_MAKE(tvgp_domain, domain, function, __VA_ARGS__)
#define MAKE_KERNEL(function, ...) HARNESS_MAKE(tvgp_kernel, kernel, function, __VA_ARGS__)
#define MAKE_POLICY(function, ...) HARNESS_MAKE(tvgp_policy, policy, function, __VA_ARGS__)
#define MAKE_GP(function, ...)     HARNESS_MAKE(tvgp_gp, gp, function, __VA_ARGS__)
#define HARNESS_MAKE(type, kind, function, ...)                                                                             \
    ((type *)harness_made(__FILE__, __LINE__, #function, function(__VA_ARGS__, harness_new_##kind())))
#define tvgp_domain_destroy(domain) (tvgp_domain_destroy)(harness_not_kept(domain))
#define tvgp_kernel_destroy(kernel) (tvgp_kernel_destroy)(harness_not_kept(kernel))
#define tvgp_policy_destroy(policy) (tvgp_policy_destroy)(harness_not_kept(policy))
#define tvgp_gp_destroy(gp)         (tvgp_gp_destroy)(harness_not_kept(gp))
void *harness_not_kept(void *object); /* any more; gives it */
/* Where to put a new object, and the object that was put there last. */
tvgp_domain **harness_new_domain(void);
tvgp_kernel **harness_new_kernel(void);
tvgp_policy **harness_new_policy(void);
tvgp_gp **harness_new_gp(void);
void *harness_made(const char *file, int line, const char *function, tvgp_status status);

/* A test of this file, and one for each _i < n. HARNESS_MAIN runs the tests of a file in their order. */
#define TEST(name)         TEST_EACH(name, 1)
#define TEST_EACH(name, n) TEST_WHERE(name, n, 1)
/* For each _i < n that has its turn; harness_run prints how many the night adds. */
#define TEST_TURNS(name, n, parity) HARNESS_TEST(name, n, harness_turn(_i, parity), HARNESS_BY_NIGHT)
/* For each _i < n for which `condition` holds. A test that would return without an assertion is left out like this, and the fixtures
 * fail one that is not. */
#define TEST_WHERE(name, n, condition) HARNESS_TEST(name, n, condition, HARNESS_NEVER)
#define HARNESS_MAIN(suite)                                                                                                 \
    int main(void) {                                                                                                        \
        return HARNESS_RUN(suite, harness_setup, harness_teardown);                                                         \
    }
#define HARNESS_RUN(suite, setup, teardown) harness_run_tests(suite, harness_tests, setup, teardown)

enum harness_when { HARNESS_NOW, HARNESS_BY_NIGHT, HARNESS_NEVER, HARNESS_END };
struct harness_test {
    TTest test;
    enum harness_when (*when)(int i);
    struct harness_test *next;
};
static struct harness_test *harness_tests __attribute__((unused)); /* of a file, in its order */
void harness_declare(struct harness_test **tests, struct harness_test *test);
int harness_run_tests(const char *suite, const struct harness_test *tests, SFun setup, SFun teardown);
#define HARNESS_TEST(name, n, condition, otherwise)                                                                         \
    static void name(int _i);                                                                                               \
    static enum harness_when name##_when(int _i) {                                                                          \
        return _i >= (int)(n) ? HARNESS_END : (condition) ? HARNESS_NOW : (otherwise);                                      \
    }                                                                                                                       \
    static struct harness_test name##_declared = {{#name, name, __FILE__, __LINE__}, name##_when, NULL};                    \
    __attribute__((constructor)) static void name##_declare(void) {                                                         \
        harness_declare(&harness_tests, &name##_declared);                                                                  \
    }                                                                                                                       \
    static void name(int _i __attribute__((unused)))

/* Adds these tests. */
#define harness_add(tc, ...) harness_add_all(tc, (const TTest *const[]){__VA_ARGS__, NULL})
void harness_add_all(TCase *tc, const TTest *const *tests);

/* Adds the loop test of each i in start .. end - 1 that has its turn, and counts the others for the night. */
void harness_add_turns(TCase *tc, const TTest *test, int start, int end, int parity);

/* The allocation or call after the k-th at which a loop over all of them has one fail: the next; or, unless harness_all, the next up
 * to 10 and a tenth further beyond. */
size_t harness_next(size_t k);

/* Whether a statistic may be infinite (docs/reference/guarantees.md): the time of an event to come, or how long something lasts that never ends. */
int harness_may_be_infinite(const char *key);
/* The key of statistic i. */
const char *harness_stat_key(const tvgp_policy *policy, size_t i);
/* Parts of tvgp_policy_evaluate: scores with moments, gradients with moments, and risks. Any output may be NULL. */
tvgp_status harness_scores(tvgp_policy *policy, double t, size_t n, const double *X, double *score, double *mean,
                           double *sd);
tvgp_status harness_gradients(tvgp_policy *policy, double t, size_t n, const double *X, double *mean, double *var,
                              double *dmean, double *dvar);
tvgp_status harness_risks(tvgp_policy *policy, double t, size_t n, const double *X, double *risk);
/* The value of a statistic the policy has; its next query at time t. */
double harness_stat(const tvgp_policy *policy, const char *key);
double harness_stat_of(const tvgp_policy *policy, const char *series, int i); /* series.i */
tvgp_query harness_ask(tvgp_policy *policy, double t);

/* The same with its point. */
tvgp_query harness_ask_at(tvgp_policy *policy, double t, double *x);
/* Domains; a squared exponential kernel of variance 1 with n lengthscales. They live until the test has ended. */
tvgp_domain *harness_arms(size_t n, size_t dim, const double *X);
tvgp_domain *harness_indices(size_t n);
tvgp_domain *harness_grid(size_t dim, const double *lower, const double *upper, const size_t *points);
tvgp_domain *harness_box(size_t dim, const double *lower, const double *upper);
tvgp_kernel *harness_se(size_t dim, size_t n, const double *lengthscale);
/* n points of the unit interval, all of it, a policy with a squared exponential kernel of lengthscale .3, and one from a description.
 * They live until the test has ended. */
tvgp_domain *harness_line(size_t n);
tvgp_domain *harness_interval(void);
tvgp_policy *harness_policy(const char *name, tvgp_domain *domain, const char *options);
tvgp_policy *harness_described(const char *text);
tvgp_policy *harness_create(const char *name, const tvgp_domain *domain, const tvgp_kernel *kernel, const char *options);
/* A snapshot, or a whole one; its bytes live until the test has ended. Whether two are equal, and whether two policies have equal ones. */
struct saved {
    size_t n;
    unsigned char *bytes;
};
struct saved harness_saved(const tvgp_policy *policy, int whole);
int harness_same(struct saved a, struct saved b);
int harness_same_state(const tvgp_policy *a, const tvgp_policy *b);
/* Sets an option of either kind; the value of a parameter of a kernel. */
void harness_option(tvgp_policy *policy, const char *key, double value);
double harness_parameter(const tvgp_kernel *kernel, size_t i);

/* How many policies are registered: the bound of a loop over all of them. */
int harness_policies(void);
const char *harness_policy_at(int i);

/* Whether a policy knows an option. */
int harness_has(const tvgp_policy *policy, const char *option);

/* Makes the points of a product grid with `side` points per coordinate the candidates of a policy on a box; lower and upper NULL:
 * over the whole box. */
void harness_set_grid(tvgp_policy *policy, const double *lower, const double *upper, size_t side);

/* splitmix64 (Steele, Lea, Flood 2014) */
struct rnd {
    uint64_t state;
};
uint64_t rnd_bits(struct rnd *r);
double rnd_uniform(struct rnd *r);
size_t rnd_below(struct rnd *r, size_t n);
double rnd_normal(struct rnd *r);
void rnd_fill(struct rnd *r, size_t n, double *out); /* uniform on [0, 1) */

/* |a - b| <= tolerance (1 + |b|), and neither is NaN */
#define ASSERT_NEAR(a, b, tolerance)                                                                                        \
    do {                                                                                                                    \
        double near_a_ = (a), near_b_ = (b);                                                                                \
        ck_assert_msg(harness_near(near_a_, near_b_, (tolerance)), "%s is %.17g, %s is %.17g, apart %.3g", #a, near_a_, #b, \
                      near_b_, near_a_ - near_b_);                                                                          \
    } while (0)
int harness_near(double a, double b, double tolerance);

/* The same for each of n elements of two arrays. */
#define ASSERT_ALL_NEAR(n, a, b, tolerance) harness_all_near(__FILE__, __LINE__, #a, #b, n, a, b, tolerance)
void harness_all_near(const char *file, int line, const char *a_is, const char *b_is, size_t n, const double *a,
                      const double *b, double tolerance);

/* Two policies predict the same at n points (X NULL: of all arms). */
#define ASSERT_SAME_PREDICTIONS(a, b, t, n, X, tolerance) harness_predictions(__FILE__, __LINE__, a, b, t, n, X, tolerance)
void harness_predictions(const char *file, int line, tvgp_policy *a, tvgp_policy *b, double t, size_t n, const double *X,
                         double tolerance);

/* Two policies have equal snapshots; otherwise a message of this format is shown. */
#define ASSERT_SAME_STATE(a, b, ...) ck_assert_msg(harness_same_state(a, b), __VA_ARGS__)

/* The call succeeds; otherwise the library's message is shown. */
#define ASSERT_OK(call)                                                                                                     \
    do {                                                                                                                    \
        tvgp_status ok_status_ = (call);                                                                                    \
        ck_assert_msg(ok_status_ == TVGP_OK, "%s: %s (%s)", #call, tvgp_status_name(ok_status_), tvgp_ctx_errmsg(ctx));     \
    } while (0)

/* The call succeeds, or fails for want of memory (only when some was withheld) and succeeds when there is memory again. */
#define SURVIVE(call)                                                                                                       \
    do {                                                                                                                    \
        size_t withheld_ = memory.failed;                                                                                   \
        tvgp_status status_ = (call);                                                                                       \
        if ((status_ == TVGP_ERR_NOMEM || status_ <= -1000) && memory.failed > withheld_) {                                 \
            memory.fail_in = 0;                                                                                             \
            status_ = (call);                                                                                               \
        }                                                                                                                   \
        ck_assert_msg(status_ == TVGP_OK, "allocation %zu, %s: %s (%s)", memory.withheld, #call, tvgp_status_name(status_), \
                      tvgp_ctx_errmsg(ctx));                                                                                \
    } while (0)

/* The call fails with this status, and the message holds every text of `says` (NULL-ended array). */
#define ASSERT_FAILS(status, call, ...)                                                                                     \
    harness_fails(__FILE__, __LINE__, #call, (call), (status), (const char *const[]){__VA_ARGS__, NULL})
void harness_fails(const char *file, int line, const char *call, tvgp_status got, tvgp_status want, const char *const *says);

#endif

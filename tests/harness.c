/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tvgp_ctx *ctx;
struct memory memory;
_Thread_local size_t harness_assertions;
static int left_to_the_night; /* loop cases that are not registered by day */
static size_t all_assertions; /* of the tests that have ended */

static void *counted_allocate(void *user, size_t size) {
    struct memory *m = user;
    if (m->fail_in > 0 && --m->fail_in == 0) {
        m->fail_in = m->lasting ? 1 : 0;
        m->failed++;
        return NULL;
    }
    void *block = malloc(size);
    if (block != NULL) {
        m->allocated++;
        m->bytes += size;
        memset(block, 0xff, size); /* NaN: no code relies on zeros that were not asked for */
    }
    return block;
}

static void counted_release(void *user, void *block) {
    struct memory *m = user;
    if (block == NULL) /* not an assertion: those need a running test */
        ck_abort_msg("NULL is given back");
    m->released++;
    free(block);
}

tvgp_allocator memory_hooks(struct memory *m) {
    return (tvgp_allocator){
        .struct_size = sizeof(tvgp_allocator), .user = m, .allocate = counted_allocate, .release = counted_release};
}

/* An object that lives until the test has ended. */
struct kept {
    union {
        tvgp_domain *domain;
        tvgp_kernel *kernel;
        tvgp_policy *policy;
        tvgp_gp *gp;
        unsigned char *bytes;
        void *any;
    } object;
    void (*destroy)(struct kept *k);
    int taken;
    struct kept *next;
};
static struct kept *first_kept, *last_kept;

static struct kept *keep(void (*destroy)(struct kept *k)) {
    struct kept *k = calloc(1, sizeof *k);
    if (k == NULL)
        abort();
    k->destroy = destroy;
    if (last_kept)
        last_kept->next = k;
    else
        first_kept = k;
    return last_kept = k;
}

#define KEEP(kind)                                                                                                          \
    static void destroy_##kind(struct kept *k) {                                                                            \
        (tvgp_##kind##_destroy)(k->object.kind);                                                                            \
    }                                                                                                                       \
    tvgp_##kind **harness_new_##kind(void) {                                                                                \
        return &keep(destroy_##kind)->object.kind;                                                                          \
    }
KEEP(domain)
KEEP(kernel)
KEEP(policy)
KEEP(gp)

void *harness_made(const char *file, int line, const char *function, tvgp_status status) {
    struct kept *made = NULL;
    ck_assert_msg(status == TVGP_OK, "%s:%d: %s: %s (%s)", file, line, function, tvgp_status_name(status),
                  tvgp_ctx_errmsg(ctx));
    for (struct kept *k = first_kept; k; k = k->next) /* calls may be nested: the one that has just been filled */
        if (k->object.any && !k->taken)
            made = k;
    if (made == NULL)
        abort();
    made->taken = 1;
    return made->object.any;
}

void *harness_not_kept(void *object) {
    for (struct kept *k = first_kept; k; k = k->next)
        if (k->object.any == object) { /* another handle of the same object stays */
            k->object.any = NULL;
            break;
        }
    return object;
}

static void free_bytes(struct kept *k) {
    free(k->object.bytes);
}

static struct saved save(const tvgp_policy *policy, int whole) {
    struct saved s = {0};
    tvgp_status (*const call)(const tvgp_policy *, size_t, void *, size_t *) =
        whole ? tvgp_policy_save_full : tvgp_policy_save;
    ASSERT_OK(call(policy, 0, NULL, &s.n));
    ck_assert_ptr_nonnull(s.bytes = malloc(s.n));
    ASSERT_OK(call(policy, s.n, s.bytes, &s.n));
    return s;
}

struct saved harness_saved(const tvgp_policy *policy, int whole) {
    const struct saved s = save(policy, whole);
    struct kept *k = keep(free_bytes);
    k->object.bytes = s.bytes;
    k->taken = 1;
    return s;
}

int harness_same(struct saved a, struct saved b) {
    return a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0;
}

int harness_same_state(const tvgp_policy *a, const tvgp_policy *b) {
    const struct saved of_a = save(a, 0), of_b = save(b, 0);
    const int same = harness_same(of_a, of_b);
    free(of_a.bytes);
    free(of_b.bytes);
    return same;
}

static void destroy_kept(void) {
    while (first_kept) {
        struct kept *k = first_kept;
        first_kept = k->next;
        k->destroy(k);
        free(k);
    }
    last_kept = NULL;
}

static void begin_bare(void) {
    harness_assertions = 0;
}

static void end_bare(void) {
    ck_assert_msg(harness_assertions > 0, "the test asserts nothing");
    all_assertions += harness_assertions;
}

void harness_setup(void) {
    memory = (struct memory){0};
    tvgp_allocator hooks = memory_hooks(&memory);
    ck_assert_int_eq(tvgp_ctx_create(&hooks, &ctx), TVGP_OK);
    begin_bare();
}

void harness_teardown(void) {
    tvgp_ctx_destroy(ctx);
    ctx = NULL;
    destroy_kept();
    end_bare();
    ck_assert_uint_eq(memory.allocated, memory.released);
}

TCase *harness_case(Suite *suite, const char *name) {
    TCase *tc = tcase_create(name);
    tcase_add_checked_fixture(tc, harness_setup, harness_teardown);
    suite_add_tcase(suite, tc);
    return tc;
}

TCase *harness_case_of(Suite *suite, int bare, const char *format, ...) {
    enum { CASES = 2048, LENGTH = 96 };
    static char names[CASES][LENGTH]; /* a case does not copy its name */
    static size_t n;
    va_list list;
    if (n == CASES)
        abort();
    va_start(list, format);
    vsnprintf(names[n], LENGTH, format, list);
    va_end(list);
    TCase *tc = tcase_create(names[n++]);
    tcase_add_checked_fixture(tc, bare ? begin_bare : harness_setup, bare ? end_bare : harness_teardown);
    suite_add_tcase(suite, tc);
    return tc;
}

/* Check is not compiled for MemorySanitizer: the bytes that it writes count as uninitialised. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define RUN_UNCHECKED __msan_scoped_disable_interceptor_checks()
#endif
#endif
#ifndef RUN_UNCHECKED
#define RUN_UNCHECKED (void)0
#endif

int harness_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    RUN_UNCHECKED;
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    printf("%zu assertions\n", all_assertions);
    if (left_to_the_night > 0)
        printf("by night: %d more\n", left_to_the_night);
    return failed != 0;
}

void harness_declare(struct harness_test **tests, struct harness_test *test) {
    while (*tests && (*tests)->test.line < test->test.line)
        tests = &(*tests)->next;
    test->next = *tests;
    *tests = test;
}

int harness_run_tests(const char *suite, const struct harness_test *tests, SFun setup, SFun teardown) {
    Suite *s = suite_create(suite);
    TCase *tc = tcase_create(suite);
    tcase_add_checked_fixture(tc, setup, teardown);
    suite_add_tcase(s, tc);
    for (; tests; tests = tests->next)
        for (int i = 0; tests->when(i) != HARNESS_END; i++)
            if (tests->when(i) == HARNESS_NOW)
                tcase_add_loop_test(tc, &tests->test, i, i + 1);
            else
                left_to_the_night += tests->when(i) == HARNESS_BY_NIGHT;
    return harness_run(s);
}

const char *harness_stat_key(const tvgp_policy *policy, size_t i) {
    tvgp_stat_info info;
    ASSERT_OK(tvgp_policy_stat_info(policy, i, &info));
    return info.key;
}

tvgp_status harness_scores(tvgp_policy *policy, double t, size_t n, const double *X, double *score, double *mean,
                           double *sd) {
    const tvgp_status status = tvgp_policy_evaluate(
        policy, t, n, X,
        &(tvgp_prediction){.struct_size = sizeof(tvgp_prediction), .mean = mean, .var = sd, .score = score});
    for (size_t i = 0; status == TVGP_OK && sd && i < n; i++)
        sd[i] = sqrt(sd[i]);
    return status;
}

tvgp_status harness_gradients(tvgp_policy *policy, double t, size_t n, const double *X, double *mean, double *var,
                              double *dmean, double *dvar) {
    return tvgp_policy_evaluate(
        policy, t, n, X,
        &(tvgp_prediction){.struct_size = sizeof(tvgp_prediction), .mean = mean, .var = var, .dmean = dmean, .dvar = dvar});
}

tvgp_status harness_risks(tvgp_policy *policy, double t, size_t n, const double *X, double *risk) {
    return tvgp_policy_evaluate(policy, t, n, X, &(tvgp_prediction){.struct_size = sizeof(tvgp_prediction), .risk = risk});
}

double harness_stat(const tvgp_policy *policy, const char *key) {
    double value = NAN;
    ASSERT_OK(tvgp_policy_stat(policy, key, &value));
    return value;
}

double harness_stat_of(const tvgp_policy *policy, const char *series, int i) {
    char key[64];
    snprintf(key, sizeof key, "%s.%d", series, i);
    return harness_stat(policy, key);
}

tvgp_query harness_ask(tvgp_policy *policy, double t) {
    tvgp_query q;
    ASSERT_OK(tvgp_policy_ask_one(policy, t, &q, NULL));
    return q;
}

tvgp_query harness_ask_at(tvgp_policy *policy, double t, double *x) {
    tvgp_query q;
    ASSERT_OK(tvgp_policy_ask_one(policy, t, &q, x));
    return q;
}

tvgp_domain *harness_arms(size_t n, size_t dim, const double *X) {
    return MAKE_DOMAIN(tvgp_domain_arms, ctx, n, dim, X);
}

tvgp_domain *harness_indices(size_t n) {
    return MAKE_DOMAIN(tvgp_domain_indices, ctx, n);
}

tvgp_domain *harness_grid(size_t dim, const double *lower, const double *upper, const size_t *points) {
    return MAKE_DOMAIN(tvgp_domain_grid, ctx, dim, lower, upper, points);
}

tvgp_domain *harness_box(size_t dim, const double *lower, const double *upper) {
    return MAKE_DOMAIN(tvgp_domain_box, ctx, dim, lower, upper);
}

tvgp_kernel *harness_se(size_t dim, size_t n, const double *lengthscale) {
    return MAKE_KERNEL(tvgp_kernel_se, ctx, dim, 1, n, lengthscale);
}

tvgp_domain *harness_line(size_t n) {
    return harness_grid(1, &(double){0}, &(double){1}, &n);
}

tvgp_domain *harness_interval(void) {
    return harness_box(1, &(double){0}, &(double){1});
}

tvgp_policy *harness_policy(const char *name, tvgp_domain *domain, const char *options) {
    return harness_create(name, domain, harness_se(1, 1, &(double){0.3}), options);
}

tvgp_policy *harness_create(const char *name, const tvgp_domain *domain, const tvgp_kernel *kernel, const char *options) {
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, kernel);
    ASSERT_OK(tvgp_policy_set(policy, options));
    return policy;
}

tvgp_policy *harness_described(const char *text) {
    return MAKE_POLICY(tvgp_policy_create_described, ctx, text);
}

void harness_option(tvgp_policy *policy, const char *key, double value) {
    ck_assert(tvgp_policy_set_f64(policy, key, value) == TVGP_OK ||
              tvgp_policy_set_i64(policy, key, (int64_t)value) == TVGP_OK);
}

double harness_parameter(const tvgp_kernel *kernel, size_t i) {
    tvgp_param_info info;
    ASSERT_OK(tvgp_kernel_param_info(kernel, i, &info));
    return info.value;
}

int harness_policies(void) {
    tvgp_ctx *c = NULL;
    size_t n = 0;
    if (tvgp_ctx_create(NULL, &c) == TVGP_OK)
        (void)tvgp_policy_count(c, &n);
    tvgp_ctx_destroy(c);
    return (int)n;
}

const char *harness_policy_at(int i) {
    tvgp_ctx *c = NULL;
    const char *name = NULL, *doc; /* they stay */
    if (tvgp_ctx_create(NULL, &c) == TVGP_OK)
        (void)tvgp_policy_name_at(c, (size_t)i, &name, &doc);
    tvgp_ctx_destroy(c);
    return name;
}

int harness_all(void) {
    const char *wanted = getenv("TVGP_TESTS");
    return wanted && strcmp(wanted, "all") == 0;
}

int harness_turn(int i, int parity) {
    return harness_all() || (i + i / 2) % 2 == parity;
}

void harness_add_all(TCase *tc, const TTest *const *tests) {
    for (; *tests; tests++)
        tcase_add_test(tc, *tests);
}

void harness_add_turns(TCase *tc, const TTest *test, int start, int end, int parity) {
    for (int i = start; i < end; i++)
        if (harness_turn(i, parity))
            tcase_add_loop_test(tc, test, i, i + 1);
        else
            left_to_the_night++;
}

size_t harness_next(size_t k) {
    return k + 1 + (harness_all() ? 0 : k / 10);
}

void harness_set_grid(tvgp_policy *policy, const double *lower, const double *upper, size_t side) {
    enum { MOST = 3 };
    double bounds[2][MOST], *X;
    size_t dim, points[MOST], n = 1;
    tvgp_domain *box = MAKE_DOMAIN(tvgp_policy_domain, policy);
    ASSERT_OK(tvgp_policy_dim(policy, &dim));
    ck_assert_uint_le(dim, MOST);
    ASSERT_OK(tvgp_domain_bounds(box, bounds[0], bounds[1]));
    lower = lower ? lower : bounds[0];
    upper = upper ? upper : bounds[1];
    for (size_t d = 0; d < dim; d++) {
        points[d] = lower[d] < upper[d] ? side : 1;
        n *= points[d];
    }
    tvgp_domain *grid = MAKE_DOMAIN(tvgp_domain_grid, ctx, dim, lower, upper, points);
    ck_assert_ptr_nonnull(X = malloc(n * dim * sizeof *X));
    for (size_t i = 0; i < n; i++)
        ASSERT_OK(tvgp_domain_point(grid, (int64_t)i, X + i * dim));
    ASSERT_OK(tvgp_policy_set_candidates(policy, n, X, NULL));
    free(X);
}

int harness_has(const tvgp_policy *policy, const char *option) {
    tvgp_option_info info;
    size_t n = 0;
    (void)tvgp_policy_option_count(policy, &n);
    for (size_t i = 0; i < n; i++)
        if (tvgp_policy_option_info(policy, i, &info) == TVGP_OK && strcmp(info.key, option) == 0)
            return 1;
    return 0;
}

uint64_t rnd_bits(struct rnd *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double rnd_uniform(struct rnd *r) {
    return (double)(rnd_bits(r) >> 11) * 0x1p-53;
}

size_t rnd_below(struct rnd *r, size_t n) {
    return (size_t)(rnd_uniform(r) * (double)n);
}

double rnd_normal(struct rnd *r) {
    double radius = sqrt(-2 * log(1 - rnd_uniform(r)));
    return radius * cos(2 * 3.14159265358979323846 * rnd_uniform(r));
}

void rnd_fill(struct rnd *r, size_t n, double *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = rnd_uniform(r);
}

int harness_near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

void harness_all_near(const char *file, int line, const char *a_is, const char *b_is, size_t n, const double *a,
                      const double *b, double tolerance) {
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(harness_near(a[i], b[i], tolerance), "%s:%d: %s[%zu] is %.17g, %s[%zu] is %.17g, apart %.3g", file,
                      line, a_is, i, a[i], b_is, i, b[i], a[i] - b[i]);
}

void harness_predictions(const char *file, int line, tvgp_policy *a, tvgp_policy *b, double t, size_t n, const double *X,
                         double tolerance) {
    double *of_a = malloc(4 * n * sizeof *of_a), *of_b = of_a + 2 * n;
    ck_assert_ptr_nonnull(of_a);
    ASSERT_OK(tvgp_policy_predict(a, t, n, X, of_a, of_a + n));
    ASSERT_OK(tvgp_policy_predict(b, t, n, X, of_b, of_b + n));
    harness_all_near(file, line, "mean", "the other's", n, of_a, of_b, tolerance);
    harness_all_near(file, line, "variance", "the other's", n, of_a + n, of_b + n, tolerance);
    free(of_a);
}

void harness_fails(const char *file, int line, const char *call, tvgp_status got, tvgp_status want,
                   const char *const *says) {
    const char *message = tvgp_ctx_errmsg(ctx);
    ck_assert_msg(got == want, "%s:%d: %s gave %s, not %s (\"%s\")", file, line, call, tvgp_status_name(got),
                  tvgp_status_name(want), message);
    for (; *says != NULL; says++)
        ck_assert_msg(strstr(message, *says) != NULL, "%s:%d: %s: the message \"%s\" lacks \"%s\"", file, line, call,
                      message, *says);
}

int harness_may_be_infinite(const char *key) {
    static const char *const keys[] = {"clock",
                                       "reset.time",
                                       "changepoint.time",
                                       "changepoint.last_reset",
                                       "half_life",
                                       "incumbent.gain_error",
                                       "incumbent.possible_gain_error",
                                       "history.level_decay",
                                       "history.season_decay",
                                       "fit.group_width"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return 1;
    return strncmp(key, "prior.end_time.", 15) == 0;
}

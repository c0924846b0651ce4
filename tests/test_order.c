/* SPDX-License-Identifier: MIT */
/* Many records in one call of tell: unsolicited ones in any order are used in the order of their times; a long log on a box takes the
 * memory of a short one, and is used as a whole or not at all. */
#include "cases.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- any order ---------------------------------------------------------------------------------------------------- */

enum { RECORDS = 120, PLACES = 12 };

static const char *const names[] = {"gp-ucb",   "tv-gp-ucb", "sw-gp-ucb", "igp-ucb",
                                    "r-gp-ucb", "ui-gp-ucb", "w-gp-ucb",  "auto-gp-ucb"};
enum { NAMES = sizeof names / sizeof *names };

typedef struct journal {
    double x[RECORDS][2];
    tvgp_obs obs[RECORDS];
} journal;

/* A log in the order of time; records 3, 11, .. have the time of the record before. */
static void fill(journal *log, tvgp_domain *domain, struct rnd *r) {
    size_t n;
    ASSERT_OK(tvgp_domain_size(domain, &n));
    for (size_t i = 0; i < RECORDS; i++) {
        rnd_fill(r, 2, log->x[i]);
        if (n)
            ASSERT_OK(tvgp_domain_point(domain, (int64_t)rnd_below(r, n), log->x[i]));
        const double t = i % 8 == 3 ? log->obs[i - 1].t : (double)i + 0.5 * rnd_uniform(r);
        log->obs[i] = tvgp_obs_unsolicited(t, sin(5 * log->x[i][0] + 0.05 * t) + 0.1 * rnd_normal(r));
    }
}

/* The order number k of the log: as it is, newest first (equal times stay in place), shuffled, by the first coordinate. */
enum { ORDERS = 4 };
static const journal *sorting;
static int order_of;
static int compare(const void *a, const void *b) {
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    const double first = order_of == 1 ? -sorting->obs[i].t : sorting->x[i][0],
                 second = order_of == 1 ? -sorting->obs[j].t : sorting->x[j][0];
    return first != second ? (first < second ? -1 : 1) : i < j ? -1 : i > j;
}

static journal arranged(const journal *log, int k, struct rnd *r) {
    journal out;
    size_t at[RECORDS];
    for (size_t i = 0; i < RECORDS; i++)
        at[i] = i;
    sorting = log;
    order_of = k;
    if (k == 1 || k == 3)
        qsort(at, RECORDS, sizeof *at, compare);
    for (size_t i = RECORDS; k == 2 && --i > 0;) {
        const size_t j = rnd_below(r, i + 1), kept = at[i];
        /* records of one time stay in their order */
        if (log->obs[at[i]].t == log->obs[at[j]].t)
            continue;
        at[i] = at[j];
        at[j] = kept;
    }
    for (size_t i = 0; i < RECORDS; i++) {
        memcpy(out.x[i], log->x[at[i]], sizeof *out.x);
        out.obs[i] = log->obs[at[i]];
    }
    return out;
}

static tvgp_policy *open_policy(const char *name, int box, int told) {
    tvgp_domain *domain = cases_square(box);
    tvgp_kernel *kernel = NULL;
    if (told)
        kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    tvgp_policy *policy = MAKE_POLICY(tvgp_policy_create, ctx, name, domain, kernel);
    cases_set(policy, "rank.tolerance", 0);
    cases_set(policy, "window", CASES_WINDOW);
    return policy;
}

static void ask_for(tvgp_policy *p, double t, const double *x, double *mean, double *var) {
    ASSERT_OK(tvgp_policy_predict(p, t, PLACES, x, mean, var));
}

/* With a kernel: equal to 1e-9 in all orders and to linear algebra. With default settings: equal in all orders. */
TEST_EACH(in_any_order, 4 * NAMES) {
    const char *name = names[_i % NAMES];
    const int box = _i / NAMES % 2, told = _i / NAMES / 2;
    struct rnd r = {11};
    journal log;
    double at[PLACES][2], mean[ORDERS][PLACES], var[ORDERS][PLACES], t = RECORDS;
    for (int k = 0; k < ORDERS; k++) {
        tvgp_policy *p = open_policy(name, box, told);
        tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, p);
        if (!k) {
            fill(&log, domain, &r);
            memcpy(at, log.x, sizeof at);
        }
        const journal some = arranged(&log, k, &r);
        ASSERT_OK(tvgp_policy_tell(p, RECORDS, some.obs, some.x[0]));
        ask_for(p, t, at[0], mean[k], var[k]);
        ASSERT_ALL_NEAR(PLACES, mean[k], mean[0], 1e-9);
        ASSERT_ALL_NEAR(PLACES, var[k], var[0], 1e-9);
        if (told && !k && cases_has_reference(p)) {
            struct ref_gp ref;
            double m[PLACES], v[PLACES];
            cases_reference(p, cases_kernel_at(0), RECORDS, &ref);
            for (size_t i = 0; i < RECORDS; i++)
                cases_observe(&ref, log.x[i], log.obs[i].t, log.obs[i].y, 0.01);
            ref_gp_predict(&ref, PLACES, at[0], t, m, v);
            ASSERT_ALL_NEAR(PLACES, mean[k], m, 1e-9);
            ASSERT_ALL_NEAR(PLACES, var[k], v, 1e-9);
            ref_gp_free(&ref);
        }
        ck_assert(harness_stat(p, "unsolicited") == RECORDS);
    }
}

/* Outcomes of queries keep their places among the unsolicited ones, and a record without a time has the newest time before it. The first
 * wrong record is named by its place in the call. */
TEST_EACH(with_queries, 2) {
    tvgp_policy *twin[2] = {open_policy("tv-gp-ucb", _i, 1), open_policy("tv-gp-ucb", _i, 1)};
    double x[5][2] = {{0}}, at[2], mean[2], var[2];
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, twin[0]);
    for (size_t i = 0; i < 5; i++) {
        x[i][0] = x[i][1] = 0.2 * (double)i;
        if (!_i)
            ASSERT_OK(tvgp_domain_point(domain, (int64_t)i, x[i]));
    }
    tvgp_domain_destroy(domain);
    tvgp_obs o[5] = {
        tvgp_obs_unsolicited(9, 1), {.y = 2}, tvgp_obs_value(0, 3), tvgp_obs_unsolicited(4, 4), tvgp_obs_unsolicited(6, 5)};
    for (int k = 0; k < 2; k++) {
        tvgp_query q = harness_ask_at(twin[k], 3, at);
        o[2].id = q.id;
        if (!k) {
            o[4].y = NAN;
            ASSERT_FAILS(TVGP_ERR_NONFINITE, tvgp_policy_tell(twin[k], 5, o, x[0]), "obs[4].y");
            o[4].y = 5;
            ASSERT_OK(tvgp_policy_tell(twin[k], 5, o, x[0]));
            continue;
        }
        static const int places[] = {3, 4, 2, 0, 1};
        for (int i = 0; i < 5; i++) {
            tvgp_obs one = o[places[i]];
            if (places[i] == 1)
                one = tvgp_obs_unsolicited(9, 2);
            ASSERT_OK(tvgp_policy_tell(twin[k], 1, &one, x[places[i]]));
        }
    }
    for (int k = 0; k < 2; k++)
        ASSERT_OK(tvgp_policy_predict(twin[k], 9, 1, x[0], &mean[k], &var[k]));
    ASSERT_NEAR(mean[0], mean[1], 1e-9);
    ASSERT_NEAR(var[0], var[1], 1e-9);
    ck_assert(harness_stat(twin[0], "pending") == 0);
}

static int lines;
static void count_lines(void *user, const char *message) {
    (void)user;
    lines += strstr(message, "approximated") != NULL;
}

/* A log that is given record by record, newest first, says so once: with a supplied kernel, and of categorical arms with
 * default settings. */
TEST_EACH(one_by_one, 2) {
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create_described, ctx,
                                 _i ? "auto-gp-ucb indices=3" : "tv-gp-ucb arms=0,1,2 se=.1 delay.exact_observations=0");
    lines = 0;
    ASSERT_OK(tvgp_ctx_set_logger(ctx, count_lines, NULL, NULL));
    for (int i = 0; i < 40; i++) {
        const tvgp_obs o = tvgp_obs_unsolicited(100 - i, sin(i));
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, (double[]){i % 3}));
        ck_assert_int_eq(lines, i >= 10); /* the first is not late */
    }
    ASSERT_OK(tvgp_ctx_set_logger(ctx, NULL, NULL, NULL));
}

/* ---- long logs on a box ------------------------------------------------------------------------------------------- */

/* Blocks carry their size; bytes in use, and the most there were. The allocation number fail_in fails. */
static struct { size_t now, most, calls, fail_in; } heap;

static void *take(void *user, size_t size) {
    (void)user;
    if (++heap.calls == heap.fail_in)
        return NULL;
    max_align_t *block = malloc(size + sizeof *block);
    memcpy(block, &size, sizeof size);
    heap.now += size;
    heap.most = heap.now > heap.most ? heap.now : heap.most;
    return block + 1;
}

static void give(void *user, void *block) {
    size_t size;
    (void)user;
    max_align_t *whole = (max_align_t *)block - 1;
    memcpy(&size, whole, sizeof size);
    heap.now -= size;
    free(whole);
}

static tvgp_policy *counted_policy(tvgp_ctx **c, const char *name, int told, const char *options) {
    const tvgp_allocator hooks = {sizeof hooks, NULL, take, give};
    const double low[] = {0, 0, 0, 0}, high[] = {1, 1, 1, 1}, l = 0.3;
    tvgp_domain *box;
    tvgp_kernel *kernel = NULL;
    tvgp_policy *p;
    ASSERT_OK(tvgp_ctx_create(&hooks, c));
    ASSERT_OK(tvgp_domain_box(*c, 4, low, high, &box));
    if (told)
        ASSERT_OK(tvgp_kernel_se(*c, 4, 1, 1, &l, &kernel));
    ASSERT_OK(tvgp_policy_create(*c, name, box, kernel, &p));
    ASSERT_OK(tvgp_policy_set(p, options));
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(box);
    return p;
}

/* n records at different points, newest first; or at `places` points. */
static tvgp_obs *long_log(size_t n, size_t places, double **x) {
    struct rnd r = {7};
    tvgp_obs *obs = calloc(n, sizeof *obs);
    *x = calloc(4 * n, sizeof **x);
    rnd_fill(&r, 4 * (places ? places : n), *x);
    for (size_t i = 0; i < n; i++) {
        double *at = *x + 4 * i;
        if (places && i >= places)
            memcpy(at, *x + 4 * (i % places), 4 * sizeof *at);
        obs[i] = tvgp_obs_unsolicited((double)(n - i), sin(6 * at[0]) + 0.1 * rnd_normal(&r));
    }
    return obs;
}

/* Peak memory of a log in one call. */
static double peak(const char *name, int told, const char *options, size_t n, size_t places) {
    tvgp_ctx *c;
    double *x;
    tvgp_obs *obs = long_log(n, places, &x);
    tvgp_policy *p = counted_policy(&c, name, told, options);
    heap.most = heap.now;
    const tvgp_status status = tvgp_policy_tell(p, n, obs, x);
    ck_assert_msg(status == TVGP_OK, "%s", tvgp_ctx_errmsg(c));
    ck_assert(harness_stat(p, "unsolicited") == (double)n && harness_stat(p, "clock") == (double)n);
    tvgp_policy_destroy(p);
    tvgp_ctx_destroy(c);
    free(obs);
    free(x);
    return (double)heap.most;
}

/* By day with a smaller rows.limit; by night with the default, 2048, and with default settings. */
TEST_EACH(peak_memory, harness_all() ? 8 : 3) {
    static const char *const players[] = {"gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "auto-gp-ucb"};
    const char *name = players[_i % 4];
    const int told = _i < 4, night = harness_all();
    const char *options = night && told && _i < 3 ? "" : "rows.limit=600";
    const size_t small = *options ? 580 : 2000, middle = *options ? 4700 : 16000, large = *options ? 16000 : 100000;
    const double few = peak(name, told, options, small, 0), more = peak(name, told, options, middle, 0),
                 most = peak(name, told, options, large, 0);
    ck_assert_msg(more <= 1.2 * few && most <= 1.2 * few, "%s: %g bytes, then %g and %g", name, few, more, most);
}

/* What a policy is, in bytes. */
static uint8_t *bytes_of(tvgp_policy *p, size_t *n) {
    ck_assert(tvgp_policy_save(p, 0, NULL, n) == TVGP_OK);
    uint8_t *bytes = malloc(*n);
    ck_assert(tvgp_policy_save(p, *n, bytes, n) == TVGP_OK);
    return bytes;
}

/* Wherever memory is refused, nothing has changed; with it the log is what it is in small calls. */
TEST_EACH(all_or_nothing, 4) {
    static const char *const players[] = {"gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "auto-gp-ucb"};
    enum { N = 1100 };
    tvgp_ctx *c;
    double *x;
    size_t size, fresh_size;
    tvgp_obs *obs = long_log(N, 0, &x);
    tvgp_policy *p = counted_policy(&c, players[_i], 1, "rows.limit=40");
    if (_i % 2) /* one that has seen something */
        ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.flags = TVGP_OBS_HAS_TIME, .y = 1}, x));
    uint8_t *before = bytes_of(p, &size);
    tvgp_status status = TVGP_ERR_NOMEM;
    for (size_t k = 1; status != TVGP_OK; k = harness_next(k)) {
        heap.calls = 0;
        heap.fail_in = k;
        status = tvgp_policy_tell(p, N, obs, x);
        heap.fail_in = 0;
        ck_assert_msg(status == TVGP_OK || status == TVGP_ERR_NOMEM, "%zu: %s", k, tvgp_ctx_errmsg(c));
        if (status == TVGP_OK)
            break;
        uint8_t *after = bytes_of(p, &fresh_size);
        ck_assert(fresh_size == size && memcmp(before, after, size) == 0);
        free(after);
    }
    obs[3].y = NAN;
    before = (free(before), bytes_of(p, &size));
    ck_assert(tvgp_policy_tell(p, N, obs, x) == TVGP_ERR_NONFINITE && strstr(tvgp_ctx_errmsg(c), "obs[3].y"));
    uint8_t *after = bytes_of(p, &fresh_size);
    ck_assert(fresh_size == size && memcmp(before, after, size) == 0);
    free(before);
    free(after);
    tvgp_policy_destroy(p);
    tvgp_ctx_destroy(c);
    free(obs);
    free(x);
}

/* A log that fits is the same in one call and in many; with a constraint, whose outputs come with it, too. */
TEST_EACH(as_in_small_calls, 2) {
    enum { N = 1300 };
    tvgp_ctx *c[2];
    tvgp_policy *p[2];
    double *x, mean[2][20], var[2][20];
    tvgp_obs *obs = long_log(N, 300, &x);
    for (size_t i = 0; i < N; i++) {
        obs[i].t = (double)i;
        obs[i].output = _i && i % 3 == 0;
    }
    for (int k = 0; k < 2; k++) {
        p[k] = counted_policy(&c[k], "tv-gp-ucb", 1, "noise=.1 epsilon=.01");
        if (_i) {
            const double l = 0.3;
            tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, p[k]);
            tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_se, c[k], 4, 1, 1, &l);
            tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, c[k], "gp-ucb", domain, kernel);
            ASSERT_OK(tvgp_policy_add_constraint(p[k], model, TVGP_AT_MOST, 3));
        }
        const size_t step = k ? 100 : N;
        for (size_t i = 0; i < N; i += step)
            ASSERT_OK(tvgp_policy_tell(p[k], step, obs + i, x + 4 * i));
        ASSERT_OK(tvgp_policy_predict(p[k], N, 20, x, mean[k], var[k]));
    }
    ck_assert_mem_eq(mean[0], mean[1], sizeof *mean);
    ck_assert_mem_eq(var[0], var[1], sizeof *var);
    double risk[2][20];
    for (int k = 0; k < 2; k++) {
        if (_i)
            ASSERT_OK(harness_risks(p[k], N, 20, x, risk[k]));
        tvgp_policy_destroy(p[k]);
        tvgp_ctx_destroy(c[k]);
    }
    if (_i)
        ck_assert_mem_eq(risk[0], risk[1], sizeof *risk);
    free(obs);
    free(x);
}

/* Reward and output of one query stay together, wherever they are in a long log. */
TEST(outputs_of_a_query) {
    enum { N = 600 };
    tvgp_ctx *c;
    double *x, at[4];
    tvgp_obs *obs = long_log(N + 1, 0, &x);
    tvgp_policy *p = counted_policy(&c, "gp-ucb", 1, "search.effort=.1");
    tvgp_domain *domain = MAKE_DOMAIN(tvgp_policy_domain, p);
    tvgp_policy *model = MAKE_POLICY(tvgp_policy_create, c, "auto-gp-ucb", domain, NULL);
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_MOST, 3));
    ASSERT_OK(tvgp_policy_set_safe(p, 1, x));
    tvgp_query q = harness_ask_at(p, N + 1, at);
    obs[0] = tvgp_obs_outcome(q.id, TVGP_SKIPPED);
    obs[N - 1] = tvgp_obs_value(q.id, 1);
    obs[N - 1].output = 1;
    obs[N].id = 1; /* not reported */
    const tvgp_status status = tvgp_policy_tell(p, N, obs, x);
    ck_assert_msg(status == TVGP_OK, "%s", tvgp_ctx_errmsg(c));
    ck_assert_double_eq(harness_stat(p, "unsolicited"), N - 2);
    tvgp_policy_destroy(p), tvgp_policy_destroy(model), tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(c);
    free(obs), free(x);
}

HARNESS_MAIN("order")

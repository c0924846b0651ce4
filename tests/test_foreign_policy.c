/* SPDX-License-Identifier: MIT */
/* Policies from outside the library: the decisions of a built-in one, failures of every function, calls back, wild outcomes, a
 * table without what is optional, snapshots. tests/test_conformance.c plays one as it plays all. */
#include "cases.h"
#include "outside.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { WINDOW = 7 };
static int destroyed;
static unsigned char before[1 << 16], after[1 << 16];

static void setup(void) {
    harness_setup();
    outside_fault = (struct outside_fault){0};
    destroyed = outside_states = 0;
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &outside_ucb, &destroyed, outside_destroy));
}

static void teardown(void) {
    harness_teardown();
    ck_assert_int_eq(outside_states, 0);
    ck_assert_int_eq(destroyed, 1);
}

static tvgp_policy *create(const char *name, const char *options) {
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

static tvgp_policy *started(void) {
    tvgp_policy *p = create("outside-ucb", "window=7");
    for (int t = 0; t < 10; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, sin(t)));
    return p;
}

/* ---- decisions ---------------------------------------------------------------------------------------------------- */

/* sw-gp-ucb is the same mathematics: largest or smallest values, prior means by arm, masks, noises, unasked observations. */
TEST_EACH(decides_as_the_built_in_policy, 6) {
    const char *const sense = _i % 2 ? "sense=min" : "sense=max";
    double X[2 * CASES_ARMS], mean[CASES_ARMS], m[2][CASES_ARMS], v[2][CASES_ARMS];
    uint8_t mask[CASES_ARMS];
    tvgp_policy *p[2] = {create("outside-ucb", "window=7 noise=.05 width=1.5"),
                         create("sw-gp-ucb", "window=7 noise=.05 width.schedule=constant width.value=1.5")};
    struct rnd rnd = {5};
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    for (size_t i = 0; i < CASES_ARMS; i++)
        mean[i] = rnd_normal(&rnd);
    for (int k = 0; k < 2; k++) {
        ASSERT_OK(tvgp_policy_set(p[k], sense));
        if (_i > 1)
            ASSERT_OK(tvgp_policy_set_prior_mean(p[k], _i > 3 ? 1 : CASES_ARMS, mean));
    }
    for (int t = 0; t < 60; t++) {
        tvgp_query q[2];
        int64_t best[2];
        for (size_t i = 0; i < CASES_ARMS; i++)
            mask[i] = rnd_uniform(&rnd) < 0.5;
        mask[t % CASES_ARMS] = 1;
        double y = rnd_normal(&rnd);
        const tvgp_obs unasked = {.y = -y, .flags = TVGP_OBS_HAS_NOISE | TVGP_OBS_HAS_TIME, .noise_var = 0.3, .t = t};
        for (int k = 0; k < 2; k++) {
            ASSERT_OK(tvgp_policy_set_available(p[k], CASES_ARMS, mask));
            q[k] = harness_ask(p[k], t);
            if (t % 3 == 0)
                ASSERT_OK(tvgp_policy_tell(p[k], 1, &unasked, X + 2 * (t % 5)));
            ASSERT_OK(tvgp_policy_tell_value(p[k], q[k].id, y));
            ASSERT_OK(tvgp_policy_predict(p[k], t, CASES_ARMS, X, m[k], v[k]));
            ASSERT_OK(tvgp_policy_best(p[k], t, &best[k], NULL));
        }
        ck_assert_int_eq(q[0].arm, q[1].arm);
        ck_assert_int_eq(best[0], best[1]);
        ASSERT_NEAR(q[0].score, q[1].score, 1e-12);
        ck_assert(q[0].noise_var == q[1].noise_var && q[0].propensity == 1);
        ASSERT_ALL_NEAR(CASES_ARMS, m[0], m[1], 1e-12);
        ASSERT_ALL_NEAR(CASES_ARMS, v[0], v[1], 1e-12);
    }
    ck_assert(harness_stat(p[0], "observations") == WINDOW && harness_stat(p[0], "unsolicited") == 20);
}

/* ---- failures ----------------------------------------------------------------------------------------------------- */

static tvgp_status call(tvgp_policy *p, const char *op, int64_t id) {
    double x[2] = {0}, mean, value;
    size_t n;
    tvgp_query q;
    double X[2 * CASES_ARMS];
    (void)MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    memcpy(x, X, sizeof x);
    if (strcmp(op, "ask") == 0)
        return tvgp_policy_ask_one(p, 20, &q, NULL);
    if (strcmp(op, "tell") == 0)
        return tvgp_policy_tell_value(p, id, 1);
    if (strcmp(op, "predict") == 0)
        return tvgp_policy_predict(p, 20, 1, x, &mean, NULL);
    if (strcmp(op, "stat") == 0)
        return tvgp_policy_stat(p, "observations", &value);
    if (strcmp(op, "save") == 0)
        return tvgp_policy_save(p, sizeof after, after, &n);
    ASSERT_OK(tvgp_policy_save(p, sizeof after, after, &n));
    return tvgp_policy_load(p, n, after);
}

static const char *const ops[] = {"ask", "tell", "predict", "stat", "save", "load"};
enum { OPS = sizeof ops / sizeof *ops };

/* Its own status passes, others become CALLBACK, and nothing has changed: later all goes on as if nothing had been. */
TEST_EACH(failures_pass_through, OPS) {
    static const int32_t fails[] = {-1000, -1999, -999, -2000, 7, -3, INT32_MIN};
    size_t n = 0, m = 0;
    tvgp_policy *p = started();
    tvgp_query q = harness_ask(p, 15);
    ASSERT_OK(tvgp_policy_save(p, sizeof before, before, &n));
    for (size_t i = 0; i < sizeof fails / sizeof *fails; i++) {
        outside_fault = (struct outside_fault){.op = ops[_i], .status = fails[i]};
        const int own = fails[i] <= -1000 && fails[i] >= -1999;
        ASSERT_FAILS(own ? fails[i] : TVGP_ERR_CALLBACK, call(p, ops[_i], q.id), "policy 'outside-ucb' returned",
                     "tvgp_policy_");
        outside_fault.op = NULL;
        ASSERT_OK(tvgp_policy_save(p, sizeof after, after, &m));
        ck_assert(n == m && memcmp(before, after, n) == 0);
    }
    ASSERT_OK(call(p, ops[_i], q.id));
}

TEST_EACH(calls_back, OPS) {
    tvgp_policy *p = started();
    tvgp_query q = harness_ask(p, 15);
    outside_fault = (struct outside_fault){.op = ops[_i], .self = p};
    ck_assert_int_eq(call(p, ops[_i], q.id), -1015); /* it was given REENTRANT */
    outside_fault.op = NULL;
    ASSERT_OK(call(p, ops[_i], q.id));
}

TEST(start_fails) {
    tvgp_policy *p = create("outside-ucb", "");
    tvgp_query q;
    outside_fault = (struct outside_fault){.op = "start", .status = -1003};
    ck_assert_int_eq(tvgp_policy_ask_one(p, 0, &q, NULL), -1003);
    outside_fault.op = NULL;
    ASSERT_OK(tvgp_policy_set(p, "window=3")); /* not started */
    ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
}

TEST(wild_answers) {
    static const struct {
        struct outside_fault fault;
        const char *op, *says;
        tvgp_status status;
    } wild[] = {
        {{.arm = -2}, "ask", "arm -2", TVGP_ERR_CALLBACK},
        {{.arm = CASES_ARMS}, "ask", "arm 24", TVGP_ERR_CALLBACK},
        {{.arm = 3}, "ask", "not available", TVGP_ERR_CALLBACK},
        {{.mean = NAN}, "ask", "score", TVGP_ERR_NONFINITE},
        {{.mean = 1e200}, "ask", "score", TVGP_ERR_LIMIT},
        {{.var = 1.5}, "ask", "propensity 1.5", TVGP_ERR_CALLBACK},
        {{.var = NAN}, "ask", "propensity", TVGP_ERR_CALLBACK},
        {{.mean = NAN}, "predict", "mean", TVGP_ERR_NONFINITE},
        {{.mean = INFINITY}, "predict", "mean", TVGP_ERR_NONFINITE},
        {{.var = -1}, "predict", "variance -1", TVGP_ERR_CALLBACK},
        {{.mean = NAN}, "stat", "no number", TVGP_ERR_NONFINITE},
    };
    uint8_t mask[CASES_ARMS];
    tvgp_policy *p = started();
    memset(mask, 1, sizeof mask);
    mask[3] = 0;
    ASSERT_OK(tvgp_policy_set_available(p, CASES_ARMS, mask));
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        outside_fault = wild[i].fault;
        ASSERT_FAILS(wild[i].status, call(p, wild[i].op, 0), wild[i].says);
    }
    ck_assert(harness_stat(p, "asked") == 10);
    outside_fault = (struct outside_fault){0};
}

/* ---- snapshots ---------------------------------------------------------------------------------------------------- */

TEST(snapshots) {
    tvgp_policy *p = started(), *clone = NULL, *other = create("outside-ucb", ""), *from = NULL;
    tvgp_query open = harness_ask(p, 11);
    tvgp_ctx *empty = NULL;
    size_t n = 0;
    ASSERT_OK(tvgp_policy_clone(p, &clone));
    ASSERT_OK(tvgp_policy_save_full(p, sizeof before, before, &n));
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_policy_save(p, 200, before + 60000, &n), "capacity = 200");
    ASSERT_OK(tvgp_policy_save_full(p, sizeof before, before, &n));
    ASSERT_OK(tvgp_policy_load(other, n, before));
    ASSERT_OK(tvgp_policy_restore(ctx, n, before, NULL, NULL, &from));
    tvgp_policy *all[] = {p, clone, other, from};
    for (int t = 12; t < 40; t++) {
        tvgp_query q, first;
        for (size_t i = 0; i < 4; i++) {
            q = harness_ask(all[i], t);
            if (t == 20)
                ASSERT_OK(tvgp_policy_tell_value(all[i], open.id, 2)); /* asked before the snapshot */
            ASSERT_OK(tvgp_policy_tell_value(all[i], q.id, cos(t)));
            if (i == 0)
                first = q;
            ck_assert_mem_eq(&q, &first, sizeof q);
        }
    }
    ck_assert_int_eq(tvgp_ctx_create(NULL, &empty), TVGP_OK);
    ck_assert_int_eq(tvgp_policy_restore(empty, n, before, NULL, NULL, &from), TVGP_ERR_NOTFOUND);
    ck_assert(strstr(tvgp_ctx_errmsg(empty), "outside-ucb") != NULL);
    tvgp_ctx_destroy(empty);
    size_t calls = memory.allocated, m = 0; /* once warm, saving and loading take no memory */
    ASSERT_OK(tvgp_policy_save(other, sizeof after, after, &m));
    ASSERT_OK(tvgp_policy_load(other, m, after));
    ASSERT_OK(tvgp_policy_save(other, sizeof after, after, &m));
    calls = memory.allocated;
    ASSERT_OK(tvgp_policy_load(other, m, after));
    ASSERT_OK(tvgp_policy_save(other, sizeof after, after, &m));
    ck_assert_uint_eq(memory.allocated, calls);
    for (size_t i = 0; i < 4; i++)
        tvgp_policy_destroy(all[i]);
}

/* ---- a table without what is optional ------------------------------------------------------------------------------ */

static struct {
    size_t n_pending;
    int64_t pending[8];
    int32_t answers;
} seen;

static int32_t small_start(void *user, const tvgp_policy_view *view, void **state) {
    (void)user, (void)view;
    *state = NULL;
    return 0;
}

static int32_t small_ask(void *state, const tvgp_policy_view *view, double t, tvgp_query *q) {
    (void)state, (void)t;
    seen.n_pending = view->n_pending;
    for (size_t i = 0; i < view->n_pending; i++)
        seen.pending[i] = view->pending[i];
    q->arm = view->asked % (int64_t)view->n;
    return seen.answers;
}

static tvgp_policy *create_small(void) {
    tvgp_policy_type type = {.struct_size = offsetof(tvgp_policy_type, doc), .start = small_start, .ask = small_ask};
    memset((char *)&type + type.struct_size, 0x5a, sizeof type - type.struct_size); /* not read */
    type.name = "small";
    memset(&seen, 0, sizeof seen);
    ASSERT_OK(tvgp_ctx_register_policy(ctx, &type, NULL, NULL));
    return create("small", "pending.timeout=10");
}

/* What a foreign policy has been given it cannot be made to forget, so nothing may fail after its tell: each allocation of a
 * tell to a policy and the model of its constraint is refused in turn, and every outcome is counted once. */
TEST(told_once) {
    tvgp_policy *p = create("outside-ucb", ""), *model = create("gp-ucb", "");
    size_t refused = 0;
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, -9));
    for (int t = 0; t < 40; t++) {
        const int64_t id = harness_ask(p, t).id;
        tvgp_status status = TVGP_ERR_NOMEM;
        for (size_t k = 1; status != TVGP_OK; k++) {
            memory.fail_in = k;
            status = tvgp_policy_tell_values(p, id, 2, (double[]){sin(t), cos(t)});
            memory.fail_in = 0;
            ck_assert(status == TVGP_OK || status == TVGP_ERR_NOMEM);
            refused += status != TVGP_OK;
        }
        ck_assert_double_eq(harness_stat(p, "observations"), t + 1);
    }
    ck_assert_uint_gt(refused, 0);
}

TEST(what_is_not_said_is_refused_by_name) {
    double X[2 * CASES_ARMS], mean, d[2];
    const double lower[2] = {0, 0}, upper[2] = {1, 1};
    int64_t arm;
    size_t evals;
    size_t n = 0;
    tvgp_policy *p = create_small(), *never = NULL;
    tvgp_domain *domain = MAKE_DOMAIN(cases_domain, ctx, cases_kernel_at(0), X);
    tvgp_kernel *kernel = MAKE_KERNEL(cases_kernel, ctx, cases_kernel_at(0));
    tvgp_domain *larger = MAKE_DOMAIN(tvgp_domain_append, domain, 1, lower);
    tvgp_domain *box = harness_box(2, lower, upper);
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, tvgp_policy_set_f64(p, "width", 1), "'small' has no option 'width'", "outside-ucb");
    ASSERT_OK(tvgp_policy_save(p, sizeof before, before, &n)); /* before it has started there is nothing of its own */
    (void)harness_ask(p, 0);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_save(p, sizeof before, before, &n), "'small' cannot be saved");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_clone(p, &never), "'small'");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_predict(p, 1, 1, X, &mean, NULL), "'small' has no model");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_best(p, 1, &arm, NULL), "'small'");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, harness_gradients(p, 1, 1, X, NULL, NULL, d, NULL), "'small'");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_extend(p, larger, NULL), "'small'");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_add_prior(p, kernel, 0, NULL, 0), "'small'");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_fit(p, 1, &evals), "'small'");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_create(ctx, "small", box, kernel, &never), "'small'");
    p = create("outside-ucb", "");
    (void)harness_ask(p, 0);
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_predict(p, 1, 1, lower, &mean, NULL), "'outside-ucb' knows arms");
}

/* Pending arms are shown oldest first, told, timed out and forgotten ones not; a policy may wait, and end. */
TEST(pending_again_and_done) {
    tvgp_policy *p = create_small();
    tvgp_query q[4], none;
    size_t n = 7;
    for (int i = 0; i < 4; i++)
        q[i] = harness_ask(p, i);
    ck_assert(seen.n_pending == 3 && seen.pending[0] == 0 && seen.pending[2] == 2);
    ASSERT_OK(tvgp_policy_tell_value(p, q[1].id, 1)); /* reaches no policy */
    (void)harness_ask(p, 4);
    ck_assert(seen.n_pending == 3 && seen.pending[0] == 0 && seen.pending[1] == 2 && seen.pending[2] == 3);
    (void)harness_ask(p, 12.5); /* those of 0 and 2 are too old */
    ck_assert(seen.n_pending == 2 && seen.pending[0] == 3 && seen.pending[1] == 4);
    ck_assert(harness_stat(p, "pending.timed_out") == 2);
    for (int32_t answer = TVGP_AGAIN; answer <= TVGP_DONE; answer++) {
        seen.answers = answer;
        ck_assert_int_eq(tvgp_policy_ask(p, 13, 1, &none, NULL, &n), answer);
        ck_assert_uint_eq(n, 0);
    }
    seen.answers = 3;
    ASSERT_FAILS(TVGP_ERR_CALLBACK, tvgp_policy_ask(p, 13, 1, &none, NULL, &n), "returned 3");
    ck_assert(harness_stat(p, "asked") == 6);
}

int main(void) {
    return HARNESS_RUN("foreign policies", setup, teardown);
}

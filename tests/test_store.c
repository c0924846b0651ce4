/* SPDX-License-Identifier: MIT */
/* Stores (tvgp/store.h) over a store in memory: transactions, refusals at every step, rollback at every point, two workers, failures of
 * every function and of every allocation. */
#include "harness.h"
#include "memory_store.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct memory_store base;
static const tvgp_store_reply *reply;
static char text[1 << 14];

static void setup(void) {
    harness_setup();
    base = (struct memory_store){0};
}

static tvgp_store *opened(int64_t epoch, size_t copies) {
    tvgp_store *store;
    ASSERT_OK(tvgp_store_open(ctx, memory_store_type(epoch, copies), &base, NULL, &store));
    return store;
}

/* A call with arguments as one object (NULL: none). */
static tvgp_status call(tvgp_store *store, const char *name, const char *policy, const char *arguments) {
    const char *key = NULL;
    size_t needed;
    const tvgp_status status = tvgp_store_call(store, name, policy, 1, &key, &arguments, &reply);
    if (status == TVGP_OK)
        ASSERT_OK(tvgp_store_text(store, sizeof text, text, &needed));
    return status;
}

/* The same with numbers put into the arguments. */
static tvgp_status callf(tvgp_store *store, const char *name, const char *policy, const char *format, double a, double b) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, format, a, b);
    return call(store, name, policy, arguments);
}

static void close_all(tvgp_store *a, tvgp_store *b) {
    tvgp_store_close(a);
    tvgp_store_close(b);
    memory_store_free(&base);
    base = (struct memory_store){0};
}

static size_t save_state(tvgp_store *store, const char *policy, char *out, size_t room) {
    ASSERT_OK(call(store, "state", policy, NULL));
    ck_assert_uint_le(reply->size, room);
    memcpy(out, reply->bytes, reply->size);
    return reply->size;
}

/* The state of a policy is the same for these workers and for one that comes now. */
static void assert_same(tvgp_store *a, tvgp_store *b, const char *policy) {
    static char first[1 << 20], second[1 << 20];
    tvgp_store *fresh = opened(99, 0), *stores[] = {a, b, fresh};
    const size_t n = save_state(a, policy, first, sizeof first);
    for (int i = 1; i < 3; i++) {
        ck_assert_uint_eq(save_state(stores[i], policy, second, sizeof second), n);
        ck_assert_mem_eq(first, second, n);
    }
    tvgp_store_close(fresh);
}

static void step(tvgp_store *store, const char *policy, double t) {
    ASSERT_OK(callf(store, "ask", policy, "{\"t\":%.17g}", t, 0));
    ck_assert_uint_eq(reply->n, 1);
    ASSERT_OK(callf(store, "tell", policy, "{\"id\":%.17g,\"y\":%.17g}", (double)reply->id[0], sin(t)));
    ck_assert_int_eq(reply->taken, 1);
}

TEST(first_steps) {
    tvgp_store *a = opened(5, 0);
    ASSERT_OK(call(a, "create", "price", "{\"description\":\"tv-gp-ucb names=A,B,C\"}"));
    ck_assert_str_eq(memory_store_find(&base, "price")->description, "tv-gp-ucb names=A,B,C time.clamp=1 context.clamp=1");
    ASSERT_FAILS(TVGP_ERR_ARG, call(a, "create", "price", "{\"description\":\"tv-gp-ucb names=A,B,C\"}"),
                 "create: there is a policy 'price' already");
    ASSERT_OK(call(a, "ask", "price", "{\"t\":1}"));
    ck_assert_str_eq(text, "{\"id\":1,\"epoch\":5,\"arm\":0,\"name\":\"A\",\"x\":[0],\"propensity\":1}");
    ASSERT_OK(call(a, "tell", "price", "{\"id\":1,\"y\":2.5,\"epoch\":5}"));
    ck_assert_str_eq(text, "1");
    ASSERT_OK(call(a, "tell", "price", "{\"id\":1,\"y\":2.5,\"epoch\":5}"));
    ck_assert_str_eq(text, "0");
    ASSERT_OK(call(a, "observe", "price", "{\"x\":\"B\",\"y\":3,\"t\":2}"));
    ASSERT_OK(call(a, "best", "price", NULL));
    ck_assert_str_eq(reply->name[0], "B");
    ASSERT_OK(call(a, "ask", "price", "{\"t\":\"1970-01-01T00:00:03Z\",\"available\":[\"C\"]}"));
    ck_assert_str_eq(reply->name[0], "C");
    ASSERT_OK(call(a, "skip", "price", "{\"id\":2}"));
    ASSERT_OK(call(a, "set_available", "price", "{\"arms\":[\"A\",2]}"));
    ASSERT_OK(call(a, "shares", "price", NULL));
    ck_assert(reply->n == 3 && reply->first[1] == 0);
    ASSERT_OK(call(a, "drop", "price", NULL));
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, call(a, "ask", "price", NULL), "ask: no policy 'price'");
    close_all(a, NULL);
}

/* An ask that is refused after its first step, inside a transaction that is committed, leaves nothing. */
TEST(refused_steps) {
    static const struct {
        const char *description, *good;
        const char *bad[6];
    } cases[] = {
        {"gp-ucb indices=3 contexts=2",
         "{\"t\":7,\"context\":1}",
         {"{\"t\":5,\"context\":1,\"candidates\":[[0,1],[1,1]]}", "{\"t\":1e300,\"context\":1}", "{\"t\":5,\"context\":9}",
          "{\"t\":5,\"context\":1,\"available\":[]}"}},
        {"gp-ucb box=0:1", "{\"t\":7}", {"{\"t\":5,\"candidates\":[[0.1],[2]]}", "{\"t\":1e300,\"candidates\":[[0.1]]}"}},
        {"gp-ucb indices=3 contexts=0:1 se=1",
         "{\"t\":7,\"context\":[0.5]}",
         {"{\"t\":5,\"context\":[0.5],\"candidates\":[[0,0.5]]}", "{\"t\":5,\"context\":[1,2]}"}},
        {"gp-ucb indices=3 contexts=2 at_most=0 constraint.fallback=error", "{\"t\":7}", {"{\"t\":1,\"context\":0}"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tvgp_store *a = opened(5, 0), *b = opened(6, 0);
        const char *key = "description";
        ASSERT_OK(tvgp_store_call(a, "create", "p", 1, &key, &cases[i].description, &reply));
        for (int k = 0; cases[i].bad[k]; k++) {
            memory_store_begin(&base);
            ck_assert_msg(call(a, "ask", "p", cases[i].bad[k]) < 0, "%s: %s", cases[i].description, cases[i].bad[k]);
            memory_store_commit(&base);
            const struct memory_policy *p = memory_store_find(&base, "p");
            ck_assert_msg(p->lines == 0 && p->n == 0, "%s: %s left lines", cases[i].description, cases[i].bad[k]);
        }
        if (i < 3) {
            ASSERT_OK(call(a, "ask", "p", cases[i].good));
            ASSERT_OK(call(b, "ask", "p", cases[i].good));
        } else {
            ASSERT_OK(call(a, "observe", "p", "{\"x\":[1,0],\"y\":-3,\"t\":2}"));
        }
        assert_same(a, b, "p");
        close_all(a, b);
    }
}

static const char *const game[] = {"auto-gp-ucb indices=4", "tv-gp-ucb grid=0:1:7 se=.2", "gp-ucb box=0:1,0:1 se=.3"};

/* Two workers by turns; each call of the second one is rolled back first. */
TEST(workers) {
    for (size_t i = 0; i < 3; i++) {
        char description[128];
        tvgp_store *a = opened(5, 0), *b = opened(6, 0);
        snprintf(description, sizeof description, "{\"description\":\"%s\",\"snapshot_every\":7}", game[i]);
        ASSERT_OK(call(a, "create", "p", description));
        for (int k = 0; k < 40; k++) {
            memory_store_begin(&base);
            step(b, "p", k);
            if (k % 3 == 1) {
                ASSERT_OK(call(b, "drop", "p", NULL));
                ASSERT_OK(call(b, "create", "p", "{\"description\":\"gp-ucb indices=2\"}"));
                step(b, "p", k);
            }
            memory_store_rollback(&base);
            step(k % 2 ? a : b, "p", k);
        }
        assert_same(a, b, "p");
        close_all(a, b);
    }
}

static double evals(tvgp_store *store) {
    ASSERT_OK(call(store, "stat", "p", "{\"key\":\"fit.evals\"}"));
    return reply->value;
}

/* Workers that fit after each outcome leave nothing to asks, and no lines once nothing is left. */
TEST(fitted_in_idle_time) {
    tvgp_store *a = opened(5, 0), *b = opened(6, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"auto-gp-ucb grid=0:1:9\",\"snapshot_every\":50}"));
    for (int k = 0; k < 60; k++) {
        tvgp_store *one = k % 3 ? a : b, *other = k % 3 ? b : a;
        const double before = evals(one);
        step(one, "p", k);
        ck_assert(evals(one) == before);
        do
            ASSERT_OK(call(k % 2 ? one : other, "fit", "p", "{\"pieces\":3}"));
        while (reply->taken);
        ASSERT_OK(call(one, "fit", "p", NULL));
        ASSERT_OK(call(other, "fit", "p", NULL));
        const size_t lines = memory_store_find(&base, "p")->lines;
        for (int i = 0; i < 3; i++) {
            ASSERT_OK(call(i % 2 ? a : b, "fit", "p", NULL));
            ck_assert_int_eq(reply->taken, 0);
        }
        ck_assert_uint_eq(memory_store_find(&base, "p")->lines, lines);
    }
    ck_assert(evals(a) > 60);
    ASSERT_FAILS(TVGP_ERR_ARG, call(a, "fit", "p", "{\"pieces\":0}"), "pieces = 0 must be an integer in 1..");
    ASSERT_OK(call(a, "create", "none", "{\"description\":\"gp-ucb fit=off grid=0:1:9 se=.2\"}"));
    step(a, "none", 0);
    ASSERT_OK(call(a, "fit", "none", NULL));
    ck_assert(reply->taken == 0 && memory_store_find(&base, "none")->lines == 2);
    assert_same(a, b, "p");
    close_all(a, b);
}

/* A policy that was created under the number of one that was rolled back is another one. */
TEST(same_number) {
    tvgp_store *a = opened(5, 0), *b = opened(6, 0);
    memory_store_begin(&base);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb indices=3\"}"));
    ASSERT_OK(call(a, "state", "p", NULL));
    memory_store_rollback(&base);
    base.now.last_id = 0;
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb box=10:20\"}"));
    ASSERT_OK(call(a, "ask", "p", "{\"t\":1}"));
    ck_assert(reply->arm[0] == -1 && reply->x[0] >= 10);
    ASSERT_OK(call(b, "ask", "p", "{\"t\":2}"));
    assert_same(a, b, "p");
    close_all(a, b);
}

/* Deleted lines are no damage for a worker that needs them. */
TEST(trimmed) {
    tvgp_store *a = opened(5, 0), *b = opened(6, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb indices=3\",\"snapshot_every\":10}"));
    step(b, "p", 0);
    for (int k = 1; k < 40; k++)
        step(a, "p", k);
    ASSERT_OK(call(a, "trim", "p", "{\"before\":20}"));
    ck_assert_int_eq(reply->taken, 40);
    step(b, "p", 50);
    ASSERT_OK(call(a, "trim", "p", "{\"before\":1e9}"));
    ck_assert_int_eq(reply->taken, 42);
    ASSERT_OK(call(a, "trim", "p", "{\"before\":1e9}"));
    ck_assert_int_eq(reply->taken, 0);
    step(b, "p", 51);
    assert_same(a, b, "p");
    memory_store_find(&base, "p")->line[0].text[12] ^= 1;
    tvgp_store *fresh = opened(7, 0);
    ASSERT_FAILS(TVGP_ERR_FORMAT, call(fresh, "ask", "p", NULL), "event 83 is damaged");
    memory_store_find(&base, "p")->snapshot[12] ^= 1;
    ASSERT_FAILS(TVGP_ERR_FORMAT, call(fresh, "ask", "p", NULL), "the snapshot of the store is damaged");
    tvgp_store_close(fresh);
    close_all(a, b);
}

static const char rich[] = "{\"t\":%.17g,\"candidates\":[[0.1,0.2],[0.3,0.9],[0.7,0.5]],\"means\":[0,1,0],\"slate\":2}";

/* Every function fails once, in a call alone and inside a transaction that is committed. */
TEST(functions_fail) {
    tvgp_store *a = opened(5, 0), *b = opened(6, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb box=0:1,0:1 se=.3\",\"snapshot_every\":4}"));
    for (int inside = 0; inside < 2; inside++)
        for (size_t k = 1; k < 200; k++) {
            const struct memory_policy *p = memory_store_find(&base, "p");
            const int64_t before = p->n;
            if (inside)
                memory_store_begin(&base);
            base.fail_in = k;
            const tvgp_status status = callf(k % 2 ? a : b, "ask", "p", rich, (double)(before + 1), 0);
            const int done = base.fail_in != 0;
            base.fail_in = 0;
            memory_store_commit(&base);
            p = memory_store_find(&base, "p");
            if (status == -1000 &&
                !(inside && p->n != before)) /* else only the end of the call failed: it is in the transaction */
                ck_assert_int_eq(p->n, before);
            else if (!inside)
                ck_assert_int_eq(status, TVGP_OK);
            assert_same(a, b, "p");
            if (done)
                break;
        }
    close_all(a, b);
}

/* Every allocation fails once. */
TEST(memory_fails) {
    tvgp_store *a = opened(5, 2), *b = opened(6, 2);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb box=0:1,0:1 se=.3\",\"snapshot_every\":4}"));
    for (int round = 0; round < 2; round++)
        for (size_t k = 1, failed = 1; failed; k = harness_next(k)) {
            const int64_t before = memory_store_find(&base, "p")->n;
            if (round) { /* a worker without copies */
                tvgp_store_close(b);
                b = opened(6, 2);
            }
            memory.fail_in = k;
            memory.withheld = k;
            failed = 0;
            const tvgp_status status = callf(b, "ask", "p", rich, (double)(before + 1), 0);
            failed = memory.fail_in == 0;
            memory.fail_in = 0;
            ck_assert_msg(status == TVGP_OK || (failed && status == TVGP_ERR_NOMEM), "allocation %zu: %s", k,
                          tvgp_ctx_errmsg(ctx));
            ck_assert_msg((memory_store_find(&base, "p")->n == before) == (status != TVGP_OK), "allocation %zu", k);
            if (k < 3 || !failed)
                assert_same(a, b, "p");
        }
    assert_same(a, b, "p");
    close_all(a, b);
}

/* New actions, with names, with points, in contexts; snapshots before and after. */
TEST(extended) {
    static const struct {
        const char *description, *good, *bad, *ask;
    } cases[] = {
        {"tv-gp-ucb arms=0,1 names=A,B se=1", "{\"arms\":[\"C\",\"D\"],\"points\":[3,4]}",
         "{\"arms\":[\"E\",\"B\"],\"points\":[3,4]}", "{\"t\":%.17g,\"available\":[\"D\"]}"},
        {"auto-gp-ucb names=A,B", "{\"arms\":[\"C\",\"D\"]}", "{\"arms\":[\"E F\"]}", "{\"t\":%.17g,\"available\":[\"D\"]}"},
        {"gp-ucb arms=0,1 names=A,B contexts=2 se=1", "{\"arms\":[\"C\",\"D\"],\"points\":[3,4]}",
         "{\"arms\":[\"C\",\"C\"],\"points\":[3,4]}", "{\"t\":%.17g,\"context\":1,\"available\":[\"D\"]}"},
        {"gp-ucb arms=0,1 se=1", "{\"arms\":[0.5,2]}", "{\"arms\":[\"x\"]}", "{\"t\":%.17g,\"available\":[3]}"},
        {"gp-ucb arms=0,1 names=A,B se=1", "{\"arms\":[\"C\",\"D\"],\"points\":[3,4],\"means\":[0,1]}", "{\"arms\":[\"E\"]}",
         "{\"t\":%.17g,\"available\":[\"D\"]}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tvgp_store *a = opened(5, 0), *b = opened(6, 0);
        char description[128];
        snprintf(description, sizeof description, "{\"description\":\"%s\",\"snapshot_every\":5}", cases[i].description);
        ASSERT_OK(call(a, "create", "p", description));
        ASSERT_OK(callf(a, "ask", "p", i == 2 ? "{\"t\":%.17g,\"context\":0}" : "{\"t\":%.17g}", 1, 0));
        ASSERT_OK(call(b, "tell", "p", "{\"id\":1,\"y\":1}"));
        ck_assert_msg(call(a, "extend", "p", cases[i].bad) < 0, "%s %s", cases[i].description, cases[i].bad);
        ASSERT_OK(call(a, "extend", "p", cases[i].good));
        ASSERT_OK(call(a, "arms", "p", NULL));
        const double first[] = {3, 2, 3, .5, 3}; /* of the new actions */
        ck_assert_double_eq(reply->x[(i == 2 ? 4 : 2) * reply->dim], first[i]);
        for (int k = 0; k < 12; k++) {
            ASSERT_OK(callf(k % 2 ? a : b, "ask", "p", cases[i].ask, k + 2, 0));
            ck_assert_int_eq(reply->arm[0], i == 2 ? 7 : 3);
            if (i != 3)
                ck_assert_str_eq(reply->name[0], "D");
            assert_same(a, b, "p");
        }
        ASSERT_OK(call(a, "trim", "p", "{\"before\":1e9}"));
        assert_same(a, b, "p");
        close_all(a, b);
    }
}

TEST(few_copies) {
    tvgp_store *a = opened(5, 2);
    size_t bytes[2];
    char name[] = "p0";
    for (int i = 0; i < 6; i++) {
        name[1] = (char)('0' + i);
        ASSERT_OK(call(a, "create", name, "{\"description\":\"gp-ucb indices=50\"}"));
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 6; i++) {
            name[1] = (char)('0' + i);
            step(a, name, round);
        }
        bytes[round] = memory.allocated - memory.released;
    }
    ck_assert_uint_le(bytes[1], bytes[0] + 64);
    close_all(a, NULL);
}

TEST(reentered) {
    tvgp_store *a = opened(5, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb indices=3\"}"));
    base.nested = 1;
    base.nesting = a;
    ASSERT_OK(call(a, "ask", "p", "{\"t\":1}"));
    ck_assert_int_eq(base.nested_status, TVGP_ERR_REENTRANT);
    close_all(a, NULL);
}

TEST(arguments) {
    static const struct {
        const char *call, *arguments;
        tvgp_status status;
        const char *said;
    } cases[] = {
        {"ask", "{\"t\":1,\"contex\":1}", TVGP_ERR_NOTFOUND, "ask: unknown argument 'contex'; nearest is 'context'"},
        {"ask", "{\"t\":\"yesterday\"}", TVGP_ERR_ARG, "ask: t = \"yesterday\" must be a number or a time such as"},
        {"ask", "{\"t\":1,\"t\":2}", TVGP_ERR_ARG, "ask: argument 't' is given twice"},
        {"ask", "[1]", TVGP_ERR_ARG, "ask: arguments = [1] must be a JSON object"},
        {"ask", "{\"t\":1", TVGP_ERR_ARG, "is no JSON"},
        {"ask", "{\"t\":1,\"slate\":2.7}", TVGP_ERR_ARG, "ask: slate = 2.7 must be an integer in 1..32"},
        {"ask", "{\"t\":1,\"available\":[\"D\"]}", TVGP_ERR_NOTFOUND, "ask: unknown action 'D'"},
        {"ask", "{\"t\":1,\"available\":[7]}", TVGP_ERR_NOTFOUND, "ask: action 7 must be in 0..2"},
        {"ask", "{\"t\":1e300}", TVGP_ERR_LIMIT, "ask: t = "},
        {"tell", "{\"id\":1,\"y\":\"12,5\"}", TVGP_ERR_ARG, "tell: y = \"12,5\" must be a number"},
        {"tell", "{\"id\":1,\"y\":\"n/a\"}", TVGP_ERR_ARG, "tell: y = \"n/a\" must be a number"},
        {"tell", "{\"id\":1,\"y\":true}", TVGP_ERR_ARG, "tell: y = true must be a number"},
        {"tell", "{\"id\":1.5,\"y\":1}", TVGP_ERR_ARG, "tell: id = 1.5 must be an integer in 1..9007199254740992"},
        {"tell", "{\"y\":1}", TVGP_ERR_ARG, "tell: argument 'id' is missing"},
        {"tell", "{\"id\":1,\"y\":1,\"epoch\":6}", TVGP_ERR_TICKET, "tell: epoch = 6 must be 5, in which query 1 was asked"},
        {"observe", "{\"x\":\"A\",\"y\":null,\"t\":1}", TVGP_ERR_ARG, "observe: argument 'y' is missing"},
        {"observe", "{\"x\":[1,2],\"y\":1,\"t\":1}", TVGP_ERR_DIM, "observe: x has 2 coordinates, expected 1"},
        {"observe", "{\"x\":[1,[2]],\"y\":1,\"t\":1}", TVGP_ERR_ARG, "observe: x[1] = [2] must be a number"},
        {"observe", "{\"x\":\"D\",\"y\":1,\"t\":1}", TVGP_ERR_NOTFOUND, "observe: unknown action 'D'"},
        {"aks", NULL, TVGP_ERR_NOTFOUND, "unknown call 'aks'; nearest is 'ask'"},
        {"stat", "{\"key\":\"askd\"}", TVGP_ERR_NOTFOUND, "'asked'"},
    };
    tvgp_store *a = opened(5, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb names=A,B,C\"}"));
    ASSERT_OK(call(a, "ask", "p", "{\"t\":1}"));
    const struct memory_policy *p = memory_store_find(&base, "p");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ASSERT_FAILS(cases[i].status, call(a, cases[i].call, "p", cases[i].arguments), cases[i].said);
        ck_assert_uint_eq(p->lines, 1);
    }
    ASSERT_OK(call(a, "tell", "p", "{\"id\":1,\"y\":2,\"noise\":1,\"partial\":true}"));
    ck_assert_ptr_nonnull(strstr(p->line[1].text, "\"partial\":true"));
    ASSERT_OK(call(a, "tell", "p", "{\"id\":1,\"partial\":1,\"noise\":1,\"y\":2}"));
    ASSERT_FAILS(TVGP_ERR_ARG, call(a, "tell", "p", "{\"id\":1,\"y\":2,\"partial\":\"yes\"}"), "partial", "true or false");
    ASSERT_FAILS(TVGP_ERR_ARG, call(a, "tell", "p", "{\"id\":1,\"partial\":true}"), "outcome 1");
    ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, call(a, "set_payoffs", "p", "{\"payoffs\":[1,2,3]}"), "counts");
    ASSERT_OK(call(a, "create", "shop", "{\"description\":\"indices=3 outcome.type=binomial payoffs=1,2,3\"}"));
    ASSERT_OK(call(a, "set_costs", "shop", "{\"costs\":[1,2,3]}"));
    ASSERT_OK(call(a, "set_cost_weight", "shop", "{\"weight\":0.5}"));
    ck_assert_ptr_nonnull(strstr(memory_store_find(&base, "shop")->line[1].text, "\"call\":\"cost_weight\",\"y\":0.5"));
    ASSERT_OK(call(a, "set_payoffs", "shop", "{\"payoffs\":[9,11,13]}"));
    ck_assert_ptr_nonnull(strstr(memory_store_find(&base, "shop")->line[2].text, "\"call\":\"payoffs\",\"x\":[9,11,13]"));
    p = memory_store_find(&base, "p");
    const char *keys[] = {"id", "y", "exposure"}, *values[] = {"1", "12.50", NULL};
    ASSERT_OK(tvgp_store_call(a, "tell", "p", 3, keys, values, &reply));
    ck_assert_int_eq(reply->taken, 1);
    values[1] = "12,50 \xe2\x82\xac";
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call(a, "tell", "p", 3, keys, values, &reply),
                 "tell: y = 12,50 \xe2\x82\xac must be a number");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_store_take_event(a, 1, 1, ""), "no call of the store is reading lines");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_store_take_snapshot(a, 1, 1, 0, ""), "no call of the store is reading a snapshot");
    close_all(a, NULL);
}

/* A time in milliseconds among seconds is refused; a pause is not where the store's clock agrees. */
TEST(times) {
    tvgp_store *a = opened(5, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb indices=3\"}"));
    base.clock = 1.7e9 + 3000;
    for (int k = 0; k < 50; k++)
        step(a, "p", 1.7e9 + 60 * k);
    ASSERT_FAILS(TVGP_ERR_ARG, call(a, "ask", "p", "{\"t\":1700003000000}"), "1000 median steps after the newest time");
    base.clock = 1.7e9 + 1e8;
    ASSERT_OK(call(a, "ask", "p", "{\"t\":1800000000}"));
    ASSERT_OK(call(a, "ask", "p", NULL));
    close_all(a, NULL);
}

static tvgp_status words(tvgp_store *store, const char *name, size_t n, ...) {
    const char *word[8];
    va_list list;
    va_start(list, n);
    for (size_t i = 0; i < n; i++)
        word[i] = va_arg(list, const char *);
    va_end(list);
    return tvgp_store_call_words(store, name, "p", n, word, &reply);
}

/* Arguments as words are those by name; a store without transactions of its own. */
TEST(calls_in_words) {
    tvgp_store_type type = *memory_store_type(5, 0);
    tvgp_store *a, *b = opened(6, 0);
    type.lock = NULL;
    type.unlock = NULL;
    ASSERT_OK(tvgp_store_open(ctx, &type, &base, NULL, &a));
    ASSERT_OK(words(a, "create", 3, "tv-gp-ucb names=A,B,C", "SNAPSHOT_EVERY", "7"));
    ck_assert_int_eq(reply->kind, TVGP_STORE_TAKEN);
    ck_assert_int_eq((int)memory_store_find(&base, "p")->every, 7);
    ASSERT_OK(words(a, "ASK", 2, "t", "1"));
    ck_assert(reply->kind == TVGP_STORE_QUERIES && reply->n == 1 && reply->id[0] == 1);
    ASSERT_OK(words(a, "Tell", 6, "1", "2.5", "NOISE", "0.5", "Epoch", "5"));
    ck_assert_int_eq(reply->taken, 1);
    ASSERT_OK(words(a, "ask_slate", 3, "2", "T", "2"));
    ck_assert(reply->list && reply->n == 2);
    ASSERT_OK(words(a, "set_available", 1, "[\"A\", \"B\"]"));
    ASSERT_OK(words(a, "arms", 0));
    ck_assert(reply->kind == TVGP_STORE_MOMENTS && reply->n == 3);
    ASSERT_OK(words(a, "stat", 1, "asked"));
    ck_assert(reply->kind == TVGP_STORE_VALUE && reply->value == 3);
    ASSERT_FAILS(TVGP_ERR_ARG, words(a, "tell", 1, "1"), "tell: 1 arguments must be 2 values, then names with their values");
    ASSERT_FAILS(TVGP_ERR_ARG, words(a, "ask", 1, "1"), "ask: 1 arguments must be 0 values");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, words(a, "ask", 2, "tt", "1"), "ask: unknown argument 'tt'");
    ASSERT_FAILS(TVGP_ERR_NOTFOUND, words(a, "off_policy_value_of_a_long_name", 0), "call 'off_policy_value_of_a_l'");
    ASSERT_FAILS(TVGP_ERR_ARG, words(a, "ask", 4, "T", "1", "t", "1"), "ask: argument 't' is given twice");
    assert_same(a, b, "p");
    close_all(a, b);
}

/* Texts of ISO 8601 and seconds since 1970; NaN: refused. */
TEST(times_as_text) {
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {{"2026-11-28", 1795824000},
                 {"2026-11-28T20:15", 1795896900},
                 {"2026-11-28 20:15:30", 1795896930},
                 {"2026-11-28T20:15:30.25Z", 1795896930.25},
                 {"2026-11-28T20:15:30+02:00", 1795889730},
                 {"2026-11-28T20:15:30-03:30", 1795909530},
                 {"2026-11-28T20:15:30+0200", 1795889730},
                 {"2024-02-29T00:00:00+00:00", 1709164800},
                 {"2023-02-29", NAN},
                 {"2026-11-28T20:15:30+2", NAN},
                 {"2026-11-28T20:15:30+02:61", NAN},
                 {"2026-11-28T20:15:30*02:00", NAN},
                 {"2026-11-28T20:15:30Zx", NAN},
                 {"2026-11-28T", NAN}};
    tvgp_store *a = opened(5, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[8], line[64];
        snprintf(name, sizeof name, "t%zu", i);
        ASSERT_OK(call(a, "create", name, "{\"description\":\"gp-ucb indices=3\"}"));
        snprintf(line, sizeof line, "{\"t\":\"%s\"}", cases[i].text);
        const tvgp_status status = call(a, "ask", name, line);
        ck_assert_msg((status == TVGP_OK) == !isnan(cases[i].seconds), "%s: %s", cases[i].text, tvgp_status_name(status));
        if (status == TVGP_OK) {
            snprintf(line, sizeof line, "\"t\":%.17g,", cases[i].seconds);
            const char *event = memory_store_find(&base, name)->line[0].text;
            ck_assert_msg(strstr(event, line), "%s: %s", cases[i].text, event);
        }
        ASSERT_OK(call(a, "drop", name, NULL));
    }
    close_all(a, NULL);
}

static int32_t stop(void *user) {
    return *(int *)user;
}

TEST(errors) {
    tvgp_store_type type = *memory_store_type(5, 0);
    tvgp_store *a, *none = NULL;
    size_t needed;
    int wanted = 0;
    ck_assert_int_eq(tvgp_store_open(NULL, &type, &base, NULL, &a), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_open(ctx, NULL, &base, NULL, &a), "type is NULL");
    type.epoch = INT64_C(1) << 53;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_open(ctx, &type, &base, NULL, &a), "type->epoch = 9007199254740992 must be in");
    type.epoch = 5;
    type.append = NULL;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_open(ctx, &type, &base, NULL, &a), "a function of the type is NULL");
    type.struct_size--;
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_open(ctx, &type, &base, NULL, &a), "type->struct_size");
    ck_assert_int_eq(tvgp_store_call(none, "ask", "p", 0, NULL, NULL, &reply), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_store_text(none, sizeof text, text, &needed), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_store_take_event(none, 1, 1, ""), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_store_take_snapshot(none, 1, 1, 0, ""), TVGP_ERR_ARG);
    tvgp_store_close(none);
    a = opened(5, 0);
    ASSERT_OK(call(a, "create", "p", "{\"description\":\"gp-ucb indices=3\",\"snapshot_every\":1000}"));
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call(a, NULL, "p", 0, NULL, NULL, &reply), "call is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call(a, "ask", NULL, 0, NULL, NULL, &reply), "policy is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call(a, "ask", "", 0, NULL, NULL, &reply), "ask: the name of the policy is empty");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call(a, "ask", "p", 1, NULL, NULL, &reply), "keys is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call(a, "ask", "p", 0, NULL, NULL, NULL), "out is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call_words(a, "ask", "p", 1, NULL, &reply), "words is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_store_call_words(a, "ask", "p", 0, NULL, NULL), "out is NULL");
    ck_assert_int_eq(tvgp_store_call_words(none, "ask", "p", 0, NULL, &reply), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_store_text(a, 1, text, &needed), "capacity = 1");
    step(a, "p", 1);
    base.returned = 5;
    ASSERT_FAILS(TVGP_ERR_CALLBACK, call(a, "ask", "p", NULL), "ask: read_description returned 5");
    base.returned = -1500;
    ck_assert_int_eq(call(a, "ask", "p", NULL), -1500);
    base.returned = 0;
    tvgp_store *b = opened(6, 0);
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, stop, &wanted, NULL));
    wanted = 1;
    ASSERT_FAILS(TVGP_ERR_INTERRUPTED, call(b, "ask", "p", NULL), "ask: interrupted");
    wanted = 0;
    assert_same(a, b, "p");
    ASSERT_OK(tvgp_ctx_set_interrupt(ctx, NULL, NULL, NULL));
    close_all(a, b);
}

/* As many names as a description holds: each call looks them up by halving. */
TEST(many_names) {
    enum { NAMES = 20000 };
    static char description[NAMES * 8], list[NAMES * 10 + 16];
    size_t n = (size_t)sprintf(description, "auto-gp-ucb names="), m = (size_t)sprintf(list, "[");
    for (int i = 0; i < NAMES; i++) {
        n += (size_t)sprintf(description + n, "%sn%d", i ? "," : "", i);
        m += (size_t)sprintf(list + m, "%s\"n%d\"", i ? "," : "", NAMES - 1 - i);
    }
    sprintf(list + m, "]");
    const char *keys[] = {"description", "arms"}, *values[] = {description, list};
    tvgp_store *a = opened(5, 0);
    ASSERT_OK(tvgp_store_call(a, "create", "p", 1, keys, values, &reply));
    ASSERT_OK(tvgp_store_call(a, "set_available", "p", 1, keys + 1, values + 1, &reply));
    ASSERT_OK(call(a, "ask", "p", "{\"t\":1,\"available\":[\"n19999\"]}"));
    ck_assert_int_eq(reply->arm[0], NAMES - 1);
    close_all(a, NULL);
}

int main(void) {
    return HARNESS_RUN("store", setup, harness_teardown);
}

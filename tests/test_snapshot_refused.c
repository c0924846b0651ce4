/* SPDX-License-Identifier: MIT */
/* Snapshots that are cut off, changed, of something else, or too large for the memory there is; and how much memory the good
 * ones take. With an argument: that many mutated snapshots instead of a few thousand. */
#include "base/numbers/crc32c.h"
#include "base/section.h"
#include "player.h"
#include "seal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARMS = 24 };
static long mutations = 4000;

/* A policy with everything on it that is worth breaking. */
static tvgp_policy *play(const char *name, int steps, uint64_t seed) {
    struct rnd rnd = {seed};
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, name, cases_kernel_at(0));
    if (strstr(name, "sparq"))
        ASSERT_OK(tvgp_policy_set(p, "kdpp.steps=5 side.round_factor=1 side.round_exponent=1"));
    for (int i = 0; i < steps; i++) {
        tvgp_query q[4];
        size_t n = 0;
        if (tvgp_policy_ask(p, i, 4, q, NULL, &n) != TVGP_OK)
            n = 0;
        for (size_t k = 0; k < n; k++) {
            tvgp_obs obs = tvgp_obs_value(q[k].id, rnd_normal(&rnd));
            if (i % 5)
                ASSERT_OK(tvgp_policy_tell(p, 1, &obs, NULL));
        }
    }
    return p;
}

static void assert_unchanged(const tvgp_policy *p, const struct blob *before) {
    struct blob now = blob_of(p);
    ck_assert(now.n == before->n && memcmp(now.bytes, before->bytes, now.n) == 0);
    free(now.bytes);
}

TEST(arguments) {
    tvgp_policy *p = play("tv-gp-ucb", 20, 1);
    struct blob b = blob_of(p);
    size_t needed = 0;
    ck_assert_int_eq(tvgp_policy_save(NULL, 0, NULL, &needed), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_load(NULL, b.n, b.bytes), TVGP_ERR_ARG);
    ck_assert_int_eq(tvgp_policy_clone(NULL, &p), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_save(p, 0, NULL, NULL), "needed is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_load(p, 8, NULL), "bytes is NULL");
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_policy_clone(p, NULL), "out is NULL");
    ASSERT_FAILS(TVGP_ERR_BUFFER, tvgp_policy_save(p, b.n - 1, b.bytes, &needed), "capacity = ");
    ck_assert_uint_eq(needed, b.n);
    free(b.bytes);
    tvgp_policy_destroy(p);
}

TEST(another_template_is_named) {
    tvgp_policy *p = play("tv-gp-ucb", 20, 1), *other = play("gp-ucb", 3, 1);
    tvgp_policy *matern = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", cases_kernel_at(2));
    tvgp_policy *table = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", cases_kernel_at(7));
    struct blob b = blob_of(p);
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(other, b.n, b.bytes), "policy 'tv-gp-ucb'", "'gp-ucb'");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(matern, b.n, b.bytes), "another kernel");
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(table, b.n, b.bytes), "24 arms in 2 dimensions", "24 in 1");
    free(b.bytes);
}

/* New arms make another template; a whole snapshot knows them. */
TEST(arms_that_came) {
    double X[2 * (ARMS + 1)];
    size_t n = 0;
    const double lengthscale = 0.3;
    rnd_fill(&(struct rnd){7}, 2 * (ARMS + 1), X);
    tvgp_domain *larger = harness_arms(ARMS + 1, 2, X);
    tvgp_kernel *kernel = harness_se(2, 1, &lengthscale);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "tv-gp-ucb", harness_arms(ARMS, 2, X), kernel);
    for (int t = 0; t < 90; t++)
        ASSERT_OK(tvgp_policy_tell_value(p, harness_ask(p, t).id, cos(t)));
    struct blob before = blob_of(p), after;
    ASSERT_OK(tvgp_policy_load(p, before.n, before.bytes)); /* so that there is a second state */
    ASSERT_OK(tvgp_policy_extend(p, larger, NULL));
    ASSERT_FAILS(TVGP_ERR_STATE, tvgp_policy_load(p, before.n, before.bytes), "24 arms", "25 in 2");
    after = blob_of(p);
    ASSERT_OK(tvgp_policy_load(p, after.n, after.bytes));
    assert_unchanged(p, &after);
    unsigned char whole[1 << 16];
    ASSERT_OK(tvgp_policy_save_full(p, sizeof whole, whole, &n));
    assert_unchanged(MAKE_POLICY(tvgp_policy_restore, ctx, n, whole, NULL, NULL), &after);
    free(before.bytes);
    free(after.bytes);
}

/* ---- cut off and changed ------------------------------------------------------------------------------------------ */

TEST(every_prefix_is_refused) {
    tvgp_policy *p = play("auto-gp-ucb", 12, 3);
    struct blob b = blob_of(p);
    for (size_t n = 0; n < b.n; n += n < 600 ? 1 : 37) {
        unsigned char *cut = malloc(n ? n : 1); /* so that a sanitizer sees what is read beyond it */
        memcpy(cut, b.bytes, n);
        ck_assert_int_eq(tvgp_policy_load(p, n, cut), TVGP_ERR_FORMAT);
        free(cut);
    }
    assert_unchanged(p, &b);
    free(b.bytes);
}

static void mutate(unsigned char *b, size_t n, struct rnd *rnd) {
    static const unsigned char words[][8] = {{0},
                                             {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                                             {0, 0, 0, 0, 0, 0, 0xf0, 0x7f},
                                             {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f},
                                             {0, 0, 0, 0, 0, 0, 0, 0x80},
                                             {0xff, 0xff, 0xff, 0x7f}};
    for (size_t k = 1 + rnd_below(rnd, 3); k; k--) {
        size_t at = rnd_below(rnd, n);
        if (rnd_uniform(rnd) < 0.5)
            b[at] = (unsigned char)rnd_bits(rnd);
        else if (at + 8 <= n)
            memcpy(b + at, words[rnd_below(rnd, sizeof words / sizeof *words)], 8);
    }
}

/* What was loaded all the same, from bytes whose checksums were made to fit, reads and writes nothing that is not its own. */
static void use(tvgp_policy *p) {
    tvgp_query q;
    size_t n = 0;
    double stat = 0, x[2] = {0.5, 0.5}, mean = 0, var = 0;
    ASSERT_OK(tvgp_policy_stat(p, "asked", &stat));
    (void)tvgp_policy_stat(p, "observations", &stat);
    if (tvgp_policy_ask(p, 1e6, 1, &q, NULL, &n) == TVGP_OK && n) {
        ck_assert(q.arm >= 0 && q.arm < ARMS);
        (void)tvgp_policy_tell_value(p, q.id, 0.5);
    }
    (void)tvgp_policy_predict(p, 2e6, 1, x, &mean, &var);
}

static const char *const broken[] = {"tv-gp-ucb",    "sw-gp-ucb",      "ui-gp-ucb", "auto-gp-ucb", "pe-gp-ucb",
                                     "sparq-gp-ucb", "w-sparq-gp-ucb", "bkb",       "et-gp-ucb"};

/* Without new checksums nothing gets through; with them what gets through is used. The policy itself stays as it was, and nothing
 * makes a load ask for more than twice the bytes of an honest one. */
TEST_EACH(mutations_are_refused, sizeof broken / sizeof *broken) {
    const char *name = broken[_i];
    tvgp_policy *p = play(name, 40, 5), *victim = play(name, 2, 5);
    struct blob b = blob_of(p), before = blob_of(victim);
    struct rnd rnd = {(uint64_t)_i + 99};
    unsigned char *changed = malloc(b.n);
    const size_t at_first = memory.bytes;
    ASSERT_OK(tvgp_policy_load(victim, b.n, b.bytes));
    const size_t honest = memory.bytes - at_first;
    ASSERT_OK(tvgp_policy_load(victim, before.n, before.bytes));
    long taken = 0, rounds = mutations / (long)(sizeof broken / sizeof *broken);
    for (long k = 0; k < rounds; k++) {
        memcpy(changed, b.bytes, b.n);
        mutate(changed, b.n, &rnd);
        size_t n = rnd_uniform(&rnd) < 0.1 ? rnd_below(&rnd, b.n) : b.n;
        int sealed = rnd_uniform(&rnd) < 0.7 && n > 48, same = n == b.n && memcmp(changed, b.bytes, n) == 0;
        if (sealed)
            seal_snapshot(changed, n);
        const size_t asked = memory.bytes;
        tvgp_status s = tvgp_policy_load(victim, n, changed);
        ck_assert_msg(memory.bytes - asked <= 2 * honest, "%s: %zu bytes for a changed snapshot, %zu for an honest one",
                      name, memory.bytes - asked, honest);
        ck_assert_msg(s == TVGP_OK || s == TVGP_ERR_FORMAT || s == TVGP_ERR_VERSION ||
                          (sealed && (s == TVGP_ERR_STATE || s == TVGP_ERR_UNSUPPORTED || s == TVGP_ERR_OPTION)),
                      "%s: %s", tvgp_status_name(s), tvgp_ctx_errmsg(ctx));
        ck_assert_msg(sealed || same || s != TVGP_OK, "%s: a mutation got through", name);
        if (s == TVGP_OK) {
            taken++;
            use(victim);
            ASSERT_OK(tvgp_policy_load(victim, before.n, before.bytes));
        } else if (k % 16 == 0) {
            assert_unchanged(victim, &before);
        }
    }
    assert_unchanged(victim, &before);
    ck_assert_int_gt(taken, 0);
    free(changed);
    free(b.bytes);
    free(before.bytes);
}

/* ---- numbers that no policy has, with checksums that fit -------------------------------------------------------------- */

static uint64_t get(const unsigned char *at, int bytes) {
    uint64_t x = 0;
    for (int i = bytes; i-- > 0;)
        x = x << 8 | at[i];
    return x;
}

/* Where the bytes of a section are; their number. */
static size_t section(const struct blob *b, const char *tag, size_t *from) {
    for (size_t at = 48; at < b->n;) {
        const size_t length = (size_t)get(b->bytes + at + 8, 8);
        *from = at + 24;
        if (memcmp(b->bytes + at, tag, 4) == 0)
            return length;
        at += 24 + length + (8 - length % 8) % 8;
    }
    ck_abort_msg("there is no section %s", tag);
    return 0;
}

static void put64(unsigned char *at, uint64_t x) {
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(x >> (8 * i));
}

static void put_real(unsigned char *at, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put64(at, bits);
}

/* Bytes changed at one place, sealed, and refused with FORMAT. */
#define ASSERT_REFUSED(b, change, ...)                                                                                      \
    do {                                                                                                                    \
        unsigned char *was_ = malloc((b).n);                                                                                \
        memcpy(was_, (b).bytes, (b).n);                                                                                     \
        change;                                                                                                             \
        seal_snapshot((b).bytes, (b).n);                                                                                    \
        ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_load(p, (b).n, (b).bytes), __VA_ARGS__);                                  \
        memcpy((b).bytes, was_, (b).n);                                                                                     \
        free(was_);                                                                                                         \
    } while (0)

/* Pending queries are in order of id and time, and of actions that were asked. Each begins with int id, int step, index arm, index
 * prior, real time; behind them the section has where the policy stands: int step, index arm, int moves, real way. */
TEST(tickets) {
    enum { STEP = 8, TIME = 24, PLACE = 28 };
    size_t from = 0;
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "tv-gp-ucb", cases_kernel_at(0));
    (void)harness_ask(p, 1);
    (void)harness_ask(p, 2);
    struct blob fewer = blob_of(p);
    (void)harness_ask(p, 3);
    struct blob b = blob_of(p);
    const size_t n = section(&b, "FRAM", &from), ticket = n - section(&fewer, "FRAM", &from);
    unsigned char *last = b.bytes + from + n - PLACE - ticket;
    ck_assert(get(last, 8) == 3 && get(last + STEP, 8) == 3 && get(last - ticket, 8) == 2);
    free(fewer.bytes);
    ASSERT_REFUSED(b, put_real(last + TIME, 1.5), "pending queries are out of order");
    ASSERT_REFUSED(b, put64(last, 2), "pending queries are out of order");
    ASSERT_REFUSED(b, put64(last, 4), "pending queries are out of order"); /* the newest id is 3 */
    ASSERT_REFUSED(b, put64(last + STEP, 4), "a query is of an action not asked yet");
    ASSERT_OK(tvgp_policy_load(p, b.n, b.bytes));
    free(b.bytes);
}

/* The flags of header and sections, the word that is 0, a domain without the flag that says so and the reverse, a name that a C
 * program would take for another. */
TEST(flags_and_names) {
    enum { FLAGS = 36, ZERO = 40 };
    tvgp_policy *p = play("tv-gp-ucb", 20, 1);
    struct blob b = blob_of(p), whole = {.n = 0};
    size_t from = 0;
    ASSERT_REFUSED(b, b.bytes[FLAGS] = 2, "header, byte 36", "flags 2");
    ASSERT_REFUSED(b, b.bytes[ZERO + 3] = 1, "header, byte 36");
    ASSERT_REFUSED(b, b.bytes[FLAGS] = 1, "no section DOMN");
    (void)section(&b, "FRAM", &from);
    ASSERT_REFUSED(b, b.bytes[from - 20] |= 4, "section FRAM", "flags 5");
    (void)section(&b, "TMPL", &from);
    ASSERT_REFUSED(b, b.bytes[from + 3] = 0, "section TMPL", "a zero byte");
    ASSERT_OK(tvgp_policy_save_full(p, 0, NULL, &whole.n));
    whole.bytes = malloc(whole.n);
    ASSERT_OK(tvgp_policy_save_full(p, whole.n, whole.bytes, &whole.n));
    ASSERT_REFUSED(whole, whole.bytes[FLAGS] = 0, "a section DOMN");
    assert_unchanged(p, &b);
    free(b.bytes);
    free(whole.bytes);
}

/* 2^62, as a real 2, at every third place (all: at every place): where it stands for a count it is refused, so that no count
 * can be reached. */
TEST_TURNS(counters, (int)(sizeof broken / sizeof *broken) + 1, 1) {
    const char *const *sections = (const char *const[]){"FRAM", "STAT", NULL};
    tvgp_policy *p = play(_i < (int)(sizeof broken / sizeof *broken) ? broken[_i] : "gp-ucb", 12, 5);
    struct blob b = blob_of(p);
    size_t from = 0, n = 0, taken = 0;
    tvgp_policy *victim = MAKE_POLICY(tvgp_policy_clone, p);
    ASSERT_OK(tvgp_policy_stat_count(p, &n));
    for (; *sections; sections++) {
        const size_t to = section(&b, *sections, &from) + from;
        for (size_t at = from; at + 8 <= to && at < from + 4000; at += harness_all() ? 1 : 3) {
            unsigned char was[8];
            memcpy(was, b.bytes + at, 8);
            put64(b.bytes + at, (uint64_t)1 << 62);
            seal_snapshot(b.bytes, b.n);
            const tvgp_status s = tvgp_policy_load(victim, b.n, b.bytes);
            taken += s == TVGP_OK;
            for (size_t i = 0; s == TVGP_OK && i < n; i++) {
                const char *const key = harness_stat_key(victim, i);
                double x = 0;
                (void)tvgp_policy_stat(victim, key, &x);
                ck_assert_msg(x != 0x1p62, "section %s, byte %zu: statistic %s", *sections, at - from, key);
            }
            memcpy(b.bytes + at, was, 8);
        }
    }
    ck_assert_uint_gt(taken, 0);
    free(b.bytes);
}

/* ---- what untrusted bytes may cost ------------------------------------------------------------------------------------- */

static struct blob whole_of(tvgp_policy *p) {
    struct blob b = {0};
    ASSERT_OK(tvgp_policy_save_full(p, 0, NULL, &b.n));
    b.bytes = malloc(b.n);
    ASSERT_OK(tvgp_policy_save_full(p, b.n, b.bytes, &b.n));
    return b;
}

/* gp-ucb on 5 x 4 points of a grid, or on the pairs of two grids; not begun. */
static struct blob small_whole(int product) {
    const double lower[2] = {0, 0}, upper[2] = {1, 1}, lengthscale = 0.3;
    const size_t points[2] = {5, 4};
    tvgp_domain *domain = NULL;
    tvgp_domain *one = harness_grid(1, lower, upper, points);
    tvgp_domain *other = harness_grid(1, lower, upper, points + 1);
    if (product)
        domain = MAKE_DOMAIN(tvgp_domain_product, ctx, one, other);
    else
        domain = harness_grid(2, lower, upper, points);
    return whole_of(MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", domain, harness_se(2, 1, &lengthscale)));
}

/* In a section, the 8 bytes that say `was` say `is`. */
static void forge(struct blob *b, const char *tag, uint64_t was, uint64_t is) {
    size_t from = 0;
    const size_t to = section(b, tag, &from) + from;
    for (size_t at = from; at + 8 <= to; at++)
        if (get(b->bytes + at, 8) == was) {
            put64(b->bytes + at, is);
            seal_snapshot(b->bytes, b->n);
            return;
        }
    ck_abort_msg("section %s says %d nowhere", tag, (int)was);
}

/* Segments of observations, which resets separate, do not fall. A reset adds 2 to their number, so every 4 of a snapshot may be the
 * third of them, and becomes larger than all others. */
TEST(segments) {
    const double lower = 0, upper = 1;
    const size_t arms = ARMS;
    struct rnd rnd = {3};
    size_t from, refused = 0;
    tvgp_policy *p = harness_create("r-gp-ucb", harness_grid(1, &lower, &upper, &arms), NULL, "reset.every=10");
    for (int i = 0; i < 60; i++) {
        const tvgp_query q = harness_ask(p, i);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, sin((double)q.arm + i / 10) + 0.1 * rnd_normal(&rnd)));
    }
    tvgp_policy *victim = MAKE_POLICY(tvgp_policy_clone, p);
    struct blob b = blob_of(p);
    unsigned char *honest = malloc(b.n);
    memcpy(honest, b.bytes, b.n);
    const size_t end = section(&b, "STAT", &from) + from;
    for (size_t at = from; at + 8 <= end; at++) {
        if (get(honest + at, 8) != 4)
            continue;
        put64(b.bytes + at, 300);
        seal_snapshot(b.bytes, b.n);
        if (tvgp_policy_load(victim, b.n, b.bytes) != TVGP_OK)
            refused += strstr(tvgp_ctx_errmsg(ctx), "a whole number is out of bounds") != NULL;
        else
            (void)tvgp_policy_fit(victim, 40, NULL);
        memcpy(b.bytes, honest, b.n);
    }
    ck_assert_uint_gt(refused, 0);
    free(honest);
    free(b.bytes);
}

/* Grids and products of more points than the template says are refused before there are any; where it says so too, the quotas
 * of the context hold. Without one all of it would be made: 4 million arms. */
TEST_EACH(create_from_asks_for_no_more, 2) {
    enum { LARGE = 1 << 20 };
    struct blob b = small_whole(_i);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_restore, ctx, b.n, b.bytes, NULL, NULL);
    tvgp_policy_destroy(p);
    const size_t before = memory.bytes;
    forge(&b, "DOMN", 5, LARGE);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &p), "section DOMN", "more arms");
    forge(&b, "TMPL", 20, 4 * LARGE);
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 1000, 0));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &p), " arms exceed the quota of 1000");
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 1 << 20, 0, 0));
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &p), "quota of 1048576 bytes");
    forge(&b, "TMPL", 4 * LARGE, 0); /* as of a box */
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &p), "section DOMN", "more arms");
    forge(&b, "TMPL", 2, 0);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &p), "section TMPL");
    ck_assert_uint_lt(memory.bytes - before, 1 << 20);
    free(b.bytes);
}

/* A kernel of more dimensions than the template says is refused before it is made. */
TEST(kernels_ask_for_no_more) {
    struct blob b = small_whole(0);
    tvgp_policy *p = NULL;
    const size_t before = memory.bytes;
    forge(&b, "KERN", 2, 1 << 24);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &p), "section KERN");
    ck_assert_uint_lt(memory.bytes - before, 1 << 16);
    free(b.bytes);
}

/* The model of a constraint has a state from the start on: a nested snapshot without one is refused. */
TEST(model_without_state) {
    tvgp_policy *made = NULL;
    size_t from = 0, at = 0;
    tvgp_policy *p = MAKE_POLICY(cases_policy, ctx, "gp-ucb", cases_kernel_at(0));
    tvgp_policy *model = MAKE_POLICY(cases_policy, ctx, "gp-ucb", cases_kernel_at(0));
    ASSERT_OK(tvgp_policy_add_constraint(p, model, TVGP_AT_LEAST, -9));
    (void)harness_ask(p, 0);
    struct blob b = whole_of(p); /* and p is gone */
    const size_t n = section(&b, "LIMT", &from);
    while (at + 8 < n && memcmp(b.bytes + from + at, "STAT\1\0\0\0", 8) != 0)
        at++;
    ck_assert_uint_lt(at + 8, n);
    memcpy(b.bytes + from + at, "NONE\0\0\0\0", 8); /* a section that may be skipped */
    seal_snapshot(b.bytes, b.n);
    ASSERT_FAILS(TVGP_ERR_FORMAT, tvgp_policy_restore(ctx, b.n, b.bytes, NULL, NULL, &made), "has no state");
    free(b.bytes);
}

/* Options by which one ask of a policy made of a few hundred bytes would take days, or all the memory there is. */
TEST_EACH(one_ask_has_an_end, 4) {
    static const struct {
        const char *name, *options;
        int box;
    } endless[] = {
        {"sparq-gp-ucb", "kdpp.steps=9007199254740992 side.round_factor=1 side.round_exponent=1", 0},
        {"gp-ucb", "search.effort=1000", 1},
        {"tv-gp-ucb", "choice=thompson propensity.draws=1048576", 0},
        {"gp-ucb", "fit=map fit.max_evals=1000 fit.window=500", 0},
    };
    enum { WORK = 100000 };
    const double lower[2] = {0, 0}, upper[2] = {1, 1}, lengthscale = 0.3;
    double X[2 * ARMS], x[2];
    tvgp_query q[64];
    size_t n = 0, asks = 0;
    tvgp_status s = TVGP_OK;
    rnd_fill(&(struct rnd){7}, 2 * ARMS, X);
    tvgp_domain *domain = endless[_i].box ? harness_box(2, lower, upper) : harness_arms(ARMS, 2, X);
    tvgp_policy *p = harness_create(endless[_i].name, domain, harness_se(2, 1, &lengthscale), endless[_i].options);
    struct blob b = whole_of(p), before;
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, WORK));
    p = MAKE_POLICY(tvgp_policy_restore, ctx, b.n, b.bytes, NULL, NULL);
    for (int t = 0; s == TVGP_OK && t < 2000; t++, asks += s == TVGP_OK) {
        before = blob_of(p);
        n = 0;
        s = endless[_i].box ? tvgp_policy_ask_one(p, t, q, x) : tvgp_policy_ask(p, t, 64, q, NULL, &n);
        if (s == TVGP_OK && endless[_i].box)
            n = 1;
        for (size_t k = 0; k < n; k++)
            ASSERT_OK(tvgp_policy_tell_value(p, q[k].id, cos(t)));
        if (s < 0)
            ASSERT_FAILS(TVGP_ERR_LIMIT, s, "values in one call exceed the quota of 100000 values");
        if (s < 0 && !strstr(endless[_i].options, "fit"))
            assert_unchanged(p, &before);
        free(before.bytes);
    }
    ck_assert_msg(s == TVGP_ERR_LIMIT, "%s: %d asks", endless[_i].options, (int)asks);
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 0));
    free(b.bytes);
}

/* A mean for which values of a kernel are computed, 100 and some at a time. */
struct costly {
    const tvgp_kernel *kernel;
    int times;
    tvgp_status status; /* of the last time */
};

static int32_t costly_mean(void *user, size_t n, const double *X, double *mean, double *gradient) {
    struct costly *c = user;
    double x[10] = {0}, K[100];
    (void)X;
    memset(mean, 0, n * sizeof *mean);
    if (gradient)
        memset(gradient, 0, n * sizeof *gradient);
    for (int i = 0; i < c->times; i++)
        c->status = tvgp_kernel_gram(c->kernel, 10, x, 10, x, K);
    return 0;
}

/* What a callback's calls compute counts in the call that called it, and is forgotten with it. */
TEST(quotas_and_callbacks) {
    const double lower = 0, upper = 1, lengthscale = 0.3;
    double x[16] = {0}, K[256];
    tvgp_kernel *kernel = harness_se(1, 1, &lengthscale);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, "gp-ucb", harness_box(1, &lower, &upper), kernel);
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 0, 250));
    struct costly costly = {.kernel = kernel, .times = 1}, too_costly = {.kernel = kernel, .times = 3};
    for (int k = 0; k < 3; k++) {
        ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, costly_mean, &costly, NULL));
        ASSERT_OK(costly.status);
        ASSERT_OK(tvgp_kernel_gram(kernel, 10, x, 10, x, K));
        ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_kernel_gram(kernel, 16, x, 16, x, K),
                     "values in one call exceed the quota of 250");
    }
    ASSERT_OK(tvgp_policy_set_prior_mean_fn(p, costly_mean, &too_costly, NULL));
    ck_assert_int_eq(too_costly.status, TVGP_ERR_LIMIT);
}

TEST(quotas) {
    tvgp_policy *p = play("auto-gp-ucb", 12, 3);
    size_t held = 0;
    double X[4] = {0, 1, 2, 3};
    tvgp_domain *domain = NULL;
    tvgp_query q;
    ck_assert_int_eq(tvgp_ctx_set_quota(NULL, 0, 0, 0), TVGP_ERR_ARG);
    ASSERT_FAILS(TVGP_ERR_ARG, tvgp_ctx_set_quota(ctx, 0, 0, -1), "work = -1");
    ASSERT_OK(tvgp_ctx_memory(ctx, &held));
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 1, 3, 1)); /* less than there is: it stays, and nothing new comes */
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_arms(ctx, 4, 1, X, &domain), "4 arms exceed the quota of 3 arms");
    ASSERT_FAILS(TVGP_ERR_LIMIT, tvgp_domain_arms(ctx, 3, 1, X, &domain), "exceed the quota of 1 bytes");
    ASSERT_OK(tvgp_ctx_set_quota(ctx, 0, 4, 0));
    domain = harness_arms(4, 1, X);
    tvgp_domain_destroy(domain);
    ASSERT_OK(tvgp_policy_ask_one(p, 100, &q, NULL));
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static const char *policy_at(int i) {
    const char *name;
    ASSERT_OK(tvgp_policy_name_at(ctx, (size_t)i, &name, NULL));
    return name;
}

/* Every allocation of a load, a save and a clone fails in turn; each time nothing has changed. */
TEST_EACH(memory_may_be_refused, harness_policies()) {
    const char *name = policy_at(_i);
    tvgp_policy *p = play(name, 30, 7), *victim = play(name, 6, 8), *clone = NULL;
    struct blob b = blob_of(p), before = blob_of(victim);
    tvgp_status s = TVGP_ERR_NOMEM;
    for (size_t k = 1; s != TVGP_OK; k++) {
        memory.fail_in = k;
        s = tvgp_policy_load(victim, b.n, b.bytes);
        memory.fail_in = 0;
        ck_assert_msg(s == TVGP_OK || s == TVGP_ERR_NOMEM, "%s at %d: %s", name, (int)k, tvgp_ctx_errmsg(ctx));
        if (s != TVGP_OK)
            assert_unchanged(victim, &before);
    }
    s = TVGP_ERR_NOMEM;
    for (size_t k = 1; s != TVGP_OK; k++) {
        memory.fail_in = k;
        s = tvgp_policy_clone(victim, &clone);
        memory.fail_in = 0;
        assert_unchanged(victim, &b);
    }
    assert_unchanged(clone, &b);
    free(b.bytes);
    free(before.bytes);
    tvgp_policy_destroy(clone);
}

/* One policy takes turns between several states. */
TEST_EACH(the_second_round_allocates_nothing, harness_policies()) {
    enum { STATES = 4 };
    const char *name = policy_at(_i);
    struct blob b[STATES];
    tvgp_policy *p = NULL;
    for (int i = 0; i < STATES; i++) {
        p = play(name, 70 + i, (uint64_t)i);
        b[i] = blob_of(p);
    }
    p = play(name, 1, 1);
    unsigned char buffer[1 << 18];
    size_t allocated = 0, needed = 0;
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < STATES; i++) {
            if (round == 2 && i == 0)
                allocated = memory.allocated;
            ASSERT_OK(tvgp_policy_load(p, b[i].n, b[i].bytes));
            ASSERT_OK(tvgp_policy_save(p, sizeof buffer, buffer, &needed));
            ck_assert(needed == b[i].n && memcmp(buffer, b[i].bytes, needed) == 0);
        }
    ck_assert_msg(memory.allocated == allocated, "%s: %d allocations", name, (int)(memory.allocated - allocated));
    for (int i = 0; i < STATES; i++)
        free(b[i].bytes);
}

/* ---- checksums ---------------------------------------------------------------------------------------------------- */

/* RFC 3720, appendix B.4, and the check value of the catalogue of CRCs. */
TEST(known_checksums) {
    unsigned char zeros[32] = {0}, rising[32], ones[32];
    for (int i = 0; i < 32; i++) {
        rising[i] = (unsigned char)i;
        ones[i] = 0xff;
    }
    ck_assert_uint_eq(tvgp__crc32c_add(0, zeros, 32), 0x8a9136aa);
    ck_assert_uint_eq(tvgp__crc32c_add(0, ones, 32), 0x62a8ab43);
    ck_assert_uint_eq(tvgp__crc32c_add(0, rising, 32), 0x46dd794e);
    ck_assert_uint_eq(tvgp__crc32c_add(0, "123456789", 9), 0xe3069283);
    ck_assert_uint_eq(tvgp__crc32c_plain(0, "123456789", 9), 0xe3069283);
    ck_assert_uint_eq(tvgp__crc32c_add(tvgp__crc32c_add(0, "12345", 5), "6789", 4), 0xe3069283);
}

int main(int argc, char **argv) {
    if (argc > 1)
        mutations = atol(argv[1]);
    return HARNESS_RUN("snapshot refused", harness_setup, harness_teardown);
}

/* SPDX-License-Identifier: MIT */
/* What moving costs: decisions next to a plain loop over what a dense reference, or the policy's own predictions, say; what
 * the last action is; moves that cannot be avoided. */
#include "cases.h"
#include "ref/ref_gp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 6, ARMS = SIDE * SIDE, MANY = 24, STEPS = 80, DIM = 2, GRID = 13 };
static const double low[DIM] = {0, 0}, high[DIM] = {1, 1};
static const struct ref_kernel se = {.kind = REF_SE, .dim = DIM, .variance = 1, .l = {0.3, 0.3}};

static tvgp_policy *smooth(const char *name, tvgp_domain *domain, double l, const char *options) {
    const double length[DIM] = {l, l};
    tvgp_policy *p = NULL;
    tvgp_kernel *kernel = harness_se(DIM, DIM, length);
    const tvgp_status status = tvgp_policy_create(ctx, name, domain, kernel, &p);
    ck_assert(status == TVGP_OK || status == TVGP_ERR_UNSUPPORTED);
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(domain);
    if (p && !harness_has(p, "switch.cost")) {
        tvgp_policy_destroy(p);
        return NULL;
    }
    if (p)
        ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

static tvgp_policy *on(const char *name, tvgp_domain *domain, const char *options) {
    return smooth(name, domain, 0.3, options);
}

static tvgp_domain *grid_of(size_t side) {
    return harness_grid(DIM, low, high, (const size_t[]){side, side});
}

static tvgp_domain *box(void) {
    return harness_box(DIM, low, high);
}

static double world(const double *x, double t) {
    return sin(4 * x[0] + 0.05 * t) * cos(3 * x[1] - 0.03 * t);
}

static double far(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

/* The plain loop: the best of n points, less what moving there costs; *ahead of the second. last NULL: none. */
static size_t choose(size_t n, const double *X, const double *score, const double *last, double cost, double way,
                     double *ahead) {
    size_t best = 0;
    double most = -INFINITY, second = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        const double d = last ? far(X + DIM * i, last) : 0, net = score[i] - (d > 0 ? cost + way * d : 0);
        second = fmax(second, fmin(net, most));
        best = net > most ? i : best;
        most = fmax(most, net);
    }
    *ahead = most - second;
    return best;
}

/* ---- decisions --------------------------------------------------------------------------------------------------- */

static const double costs[][2] = {{0, 0}, {0.1, 0}, {0, 0.4}, {0.05, 0.2}};
enum { COSTS = sizeof costs / sizeof *costs };

/* Compared with a dense posterior that knows nothing of the library, on arms and on a box with the points of a grid as candidates. */
TEST_EACH(like_a_dense_loop, 2 * COSTS) {
    const int kind = _i % 2;
    const double *c = costs[_i / 2];
    const size_t side = kind ? GRID : SIDE, n = side * side;
    char options[192];
    static double X[GRID * GRID * DIM], score[GRID * GRID];
    double last[DIM] = {0}, x[DIM], ahead, way = 0;
    double var[GRID * GRID];
    struct ref_gp ref;
    int64_t moves = 0;
    size_t clear = 0;
    snprintf(options, sizeof options,
             "noise=.01 epsilon=.03 width.schedule=constant width.value=1.5 switch.cost=%g switch.distance_cost=%g %s", c[0],
             c[1], kind ? "forget.tolerance=0 rank.tolerance=0" : "");
    ref_gp_init(&ref, &se, 0.03, STEPS);
    tvgp_policy *p = on("tv-gp-ucb", kind ? box() : grid_of(SIDE), options);
    if (kind)
        harness_set_grid(p, NULL, NULL, GRID);
    for (size_t i = 0; i < n; i++) {
        X[DIM * i] = (double)(i / side) / (double)(side - 1);
        X[DIM * i + 1] = (double)(i % side) / (double)(side - 1);
    }
    for (int t = 1; t <= STEPS; t++) {
        ref_gp_predict(&ref, n, X, t, score, var);
        for (size_t i = 0; i < n; i++)
            score[i] += 1.5 * sqrt(fmax(var[i], 0));
        const size_t want = choose(n, X, score, t > 1 ? last : NULL, c[0], c[1], &ahead);
        tvgp_query q = harness_ask_at(p, t, x);
        if (ahead > 1e-8) {
            ck_assert_msg(far(x, X + DIM * want) < 1e-12, "step %d: (%g, %g), not (%g, %g)", t, x[0], x[1], X[DIM * want],
                          X[DIM * want + 1]);
            ASSERT_NEAR(q.score, score[want], 1e-8); /* moving is no part of it */
            clear++;
        }
        moves += t > 1 && far(x, last) > 0;
        way += t > 1 ? far(x, last) : 0;
        memcpy(last, x, sizeof last);
        const double y = world(x, t);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, y));
        ref_gp_add(&ref, x, t, y, 0.01);
    }
    ref_gp_free(&ref);
    ck_assert_uint_gt(clear, STEPS / 2);
    ck_assert_double_eq(harness_stat(p, "switch.count"), (double)moves);
    ASSERT_NEAR(harness_stat(p, "switch.distance"), way, 1e-12);
    tvgp_policy_destroy(p);
}

/* Next to the policy's own predictions, on arms enough that most are known within bounds only: every policy with one posterior. */
TEST_EACH(like_its_predictions, COSTS *harness_policies()) {
    const char *name = harness_policy_at(_i / COSTS);
    const double *c = costs[_i % COSTS];
    static double X[MANY * MANY * DIM], mean[MANY * MANY], var[MANY * MANY];
    double last[DIM] = {0}, x[DIM], ahead;
    const size_t n = MANY * MANY;
    size_t clear = 0;
    tvgp_domain *domain = grid_of(MANY);
    for (size_t i = 0; i < n; i++)
        ASSERT_OK(tvgp_domain_point(domain, (int64_t)i, X + DIM * i));
    tvgp_policy *p = smooth(name, domain, 0.7, "");
    double alive;
    if (!p)
        return;
    if (tvgp_policy_stat(p, "priors.alive", &alive) == TVGP_OK || strstr(name, "sparq")) {
        tvgp_policy_destroy(p);
        return;
    }
    ASSERT_OK(tvgp_policy_set_f64(p, "switch.cost", c[0]));
    ASSERT_OK(tvgp_policy_set_f64(p, "switch.distance_cost", c[1]));
    const int steps = strcmp(name, "tv-gp-ucb") ? STEPS : 4 * STEPS; /* until it is in weights */
    for (int t = 1; t <= steps; t++) {
        tvgp_policy *twin; /* reading makes the arms exact */
        twin = MAKE_POLICY(tvgp_policy_clone, p);
        const tvgp_status known = t > 1 ? tvgp_policy_predict(twin, t, n, NULL, mean, var) : TVGP_ERR_STATE;
        tvgp_policy_destroy(twin);
        tvgp_query q = harness_ask_at(p, t, x);
        const double width = harness_stat(p, "width"), resets = harness_stat(p, "resets");
        for (size_t i = 0; i < n; i++)
            mean[i] += width * sqrt(fmax(var[i], 0));
        const size_t want = choose(n, X, mean, last, c[0], c[1], &ahead);
        if (known == TVGP_OK && ahead > 1e-6 && resets == 0) {
            ck_assert_msg((size_t)q.arm == want, "%s, step %d: arm %d, not %zu", name, t, (int)q.arm, want);
            ASSERT_NEAR(q.score, mean[want], 1e-6);
            clear++;
        }
        memcpy(last, x, sizeof last);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, world(x, t)));
    }
    ck_assert_msg(clear > 10, "%s: %zu", name, clear);
    tvgp_policy_destroy(p);
}

/* ---- moves that cannot be avoided -------------------------------------------------------------------------------- */

enum { ON_ARMS, ON_BOX, COUNTS_ON_BOX, IN_CONTEXTS, BY_CHANCE, PLACES };

static tvgp_policy *dear(const char *name, int place) {
    tvgp_policy *p;
    if (place != IN_CONTEXTS) {
        const int boxed = place == ON_BOX || place == COUNTS_ON_BOX;
        const char *more = place == BY_CHANCE ? "choice=thompson" : place == COUNTS_ON_BOX ? "outcome.type=poisson" : "";
        p = on(name, boxed ? box() : grid_of(SIDE), "switch.cost=1e6");
        if (p && ((place == COUNTS_ON_BOX && strstr(name, "sparq")) || tvgp_policy_set(p, more) < 0)) {
            tvgp_policy_destroy(p);
            return NULL;
        }
        return p;
    }
    tvgp_domain *line = harness_grid(1, low, high, (const size_t[]){SIDE});
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, line, harness_box(1, low, high));
    return on(name, both, "switch.cost=1e6");
}

static tvgp_query act(tvgp_policy *p, double t, double *x) {
    tvgp_query q[8];
    double X[8 * DIM];
    size_t n = 0;
    do { /* side queries are no actions */
        ASSERT_OK(tvgp_policy_ask(p, t, 8, q, X, &n));
        for (size_t i = 0; i < n; i++)
            if (q[i].kind == TVGP_SIDE)
                ASSERT_OK(tvgp_policy_tell_value(p, q[i].id, world(X + DIM * i, t)));
    } while (q[0].kind == TVGP_SIDE);
    memcpy(x, X, DIM * sizeof *x);
    return q[0];
}

/* Where moving is expensive nothing moves, whatever is answered, until the arm goes, or the bounds exclude the point. */
TEST_EACH(stays_until_it_must_go, PLACES *harness_policies()) {
    const char *name = harness_policy_at(_i / PLACES);
    const int place = _i % PLACES;
    tvgp_policy *p = dear(name, place);
    double x[DIM], first[DIM] = {0}, lower[DIM] = {0, 0}, upper[DIM] = {1, 1};
    uint8_t mask[ARMS];
    const int boxed = place == ON_BOX || place == COUNTS_ON_BOX;
    const size_t arms = place == IN_CONTEXTS ? SIDE : boxed ? 0 : ARMS;
    if (!p)
        return;
    for (int t = 1; t <= 24; t++) {
        if (place == IN_CONTEXTS)
            ASSERT_OK(tvgp_policy_set_context_point(p, 1, &(double){0.1 * (t % 7)}));
        if (t == 13 && boxed) {
            const int left = first[0] < 0.5; /* the other half is all that is left */
            lower[0] = left ? 0.6 : 0;
            upper[0] = left ? 1 : 0.4;
            ASSERT_OK(tvgp_policy_set_bounds(p, lower, upper));
        } else if (t == 13) {
            memset(mask, 1, sizeof mask);
            mask[(size_t)first[1]] = 0;
            ASSERT_OK(tvgp_policy_set_available(p, arms, mask));
        }
        const tvgp_query q = act(p, t, x);
        if (!boxed)
            x[1] = (double)q.arm;
        if (t > 1 && t != 13)
            ck_assert_msg(memcmp(x, first, sizeof x) == 0, "%s, step %d", name, t);
        if (t == 13) /* it had to, and its score is no less exact for it */
            ck_assert(memcmp(x, first, sizeof x) != 0 && fabs(q.score) < (place == COUNTS_ON_BOX ? 1e4 : 1000));
        if (place == BY_CHANCE && t != 1 && t != 13 && q.propensity > 0)
            ck_assert_double_eq(q.propensity, 1);
        memcpy(first, x, sizeof first);
        if (t % 3) /* the others stay open */
            ASSERT_OK(tvgp_policy_tell_value(p, q.id, place == COUNTS_ON_BOX ? t % 4 : -1 - 0.1 * t));
    }
    ck_assert_double_eq(harness_stat(p, "switch.count"), 1);
    tvgp_policy_destroy(p);
}

/* ---- the last action --------------------------------------------------------------------------------------------- */

static tvgp_query only(tvgp_policy *p, double t, size_t arm) {
    uint8_t mask[ARMS] = {0};
    double x[DIM];
    mask[arm] = 1;
    ASSERT_OK(tvgp_policy_set_available(p, ARMS, mask));
    const tvgp_query q = act(p, t, x);
    ASSERT_OK(tvgp_policy_set_available(p, 0, NULL));
    return q;
}

static void close_as(tvgp_policy *p, int64_t id, int32_t outcome) {
    ASSERT_OK(tvgp_policy_tell(p, 1, &(tvgp_obs){.id = id, .outcome = outcome}, NULL));
}

/* The newest that did not fail, in whatever order it comes out: where it would stay after each of these. */
TEST(the_last_action) {
    tvgp_policy *p = on("tv-gp-ucb", grid_of(SIDE), "switch.cost=1e6 pending.limit=6");
    double x[DIM];
    const tvgp_query a = only(p, 1, 3), b = only(p, 2, 5), c = only(p, 3, 7), d = only(p, 4, 9);
    close_as(p, d.id, TVGP_CANCELLED);
    tvgp_query q = act(p, 5, x); /* c is open */
    ck_assert_int_eq(q.arm, 7);
    close_as(p, q.id, TVGP_FAILED);
    close_as(p, c.id, TVGP_FAILED);
    ASSERT_OK(tvgp_policy_tell_value(p, b.id, -3));
    q = act(p, 6, x);
    ck_assert_int_eq(q.arm, 5);
    ASSERT_OK(tvgp_policy_tell_value(p, a.id, 9)); /* an older outcome that comes late */
    close_as(p, q.id, TVGP_CANCELLED);
    q = act(p, 7, x);
    ck_assert_int_eq(q.arm, 5);
    close_as(p, q.id, TVGP_FAILED);
    const tvgp_query e = only(p, 8, 11);
    close_as(p, e.id, TVGP_SKIPPED);
    ck_assert_int_eq(act(p, 9, x).arm, 11);
    (void)only(p, 10, 2);
    for (int t = 11; t < 20; t++) { /* forgotten ones were asked all the same */
        q = act(p, t, x);
        ck_assert_int_eq(q.arm, 2);
        if (t > 11)
            close_as(p, q.id, TVGP_FAILED);
    }
    tvgp_policy_destroy(p);
}

/* In numbered contexts actions are compared, not arms. */
TEST(another_context) {
    tvgp_policy *p;
    double x[DIM], t = 0;
    tvgp_domain *hours = harness_grid(1, low, high, (const size_t[]){3});
    tvgp_domain *both = MAKE_DOMAIN(tvgp_domain_product, ctx, harness_grid(1, low, high, (const size_t[]){SIDE}), hours);
    p = on("tv-gp-ucb", both, "switch.cost=100 switch.distance_cost=100");
    ASSERT_OK(tvgp_policy_set_context(p, 0));
    const int64_t action = act(p, t, x).arm / 3;
    for (t = 1; t < 12; t++) {
        ASSERT_OK(tvgp_policy_set_context(p, (int64_t)t % 3));
        const tvgp_query q = act(p, t, x);
        ck_assert(q.arm / 3 == action && q.arm % 3 == (int64_t)t % 3);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, -1));
    }
    ck_assert(harness_stat(p, "switch.count") == 0 && harness_stat(p, "switch.distance") == 0);
    tvgp_policy_destroy(p);
}

TEST(arms_that_are_names) {
    const double K[4] = {1, 0.2, 0.2, 1};
    tvgp_policy *p;
    tvgp_query q;
    tvgp_domain *domain = harness_indices(2);
    tvgp_kernel *kernel = MAKE_KERNEL(tvgp_kernel_table, ctx, 2, K);
    for (int way = 0; way < 2; way++) {
        p = harness_create("gp-ucb", domain, kernel, way ? "switch.distance_cost=.1" : "switch.cost=.1");
        if (way)
            ASSERT_FAILS(TVGP_ERR_UNSUPPORTED, tvgp_policy_ask_one(p, 0, &q, NULL), "switch.distance_cost", "0.1",
                         "categorical");
        else
            ASSERT_OK(tvgp_policy_ask_one(p, 0, &q, NULL));
        ck_assert_double_eq(harness_stat(p, "switch.distance"), 0);
    }
}

/* ---- the search ---------------------------------------------------------------------------------------------------- */

/* Score less what moving costs: of `before`, a copy of the policy from before the ask. */
static double net_of(tvgp_policy *before, double t, const double *x, const double *last, double way) {
    double score;
    ASSERT_OK(harness_scores(before, t, 1, x, &score, NULL, NULL));
    return score - way * far(x, last);
}

/* With a cost per distance the point asked on a box is a maximum of score less cost: no point near it is better. */
TEST(asks_where_the_cost_is_part_of_the_slope) {
    enum { ASKS = 60, DIRECTIONS = 16 };
    const double way = .4, pi = acos(-1);
    tvgp_policy *p = on("gp-ucb", box(), "switch.distance_cost=.4 width.schedule=constant width.value=2 search.effort=.3");
    double last[DIM] = {0};
    int moved = 0;
    for (int t = 0; t < ASKS; t++) {
        double x[DIM];
        tvgp_policy *before = MAKE_POLICY(tvgp_policy_clone, p);
        tvgp_query q = harness_ask_at(p, t, x);
        const int inside = fmin(fmin(x[0], 1 - x[0]), fmin(x[1], 1 - x[1])) > .01;
        if (t && inside && far(x, last) > .01) {
            const double net = net_of(before, t, x, last, way);
            moved++;
            for (int k = 0; k < DIRECTIONS; k++) {
                const double near[DIM] = {x[0] + .005 * cos(2 * pi * k / DIRECTIONS),
                                          x[1] + .005 * sin(2 * pi * k / DIRECTIONS)};
                ck_assert_double_le(net_of(before, t, near, last, way), net + 1e-6);
            }
        }
        memcpy(last, x, sizeof last);
        ASSERT_OK(tvgp_policy_tell_value(p, q.id, 3 * world(x, 4. * t)));
    }
    ck_assert_int_gt(moved, 3);
    tvgp_policy_destroy(p);
}

HARNESS_MAIN("switch")

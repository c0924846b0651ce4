/* SPDX-License-Identifier: MIT */
/* linalg/bfgs: against minima known in closed form or found by trying every set of bounds. */
#include "harness.h"
#include "linalg/bfgs.h"

#include <math.h>
#include <string.h>

enum { MOST = TVGP__BFGS_MOST };

static const tvgp__bfgs_rules rules = {.first_step = 0.7,
                                       .least_first = 1,
                                       .least_curved = 0.01,
                                       .cap_first = 2,
                                       .cap = 2,
                                       .damping = 0.2,
                                       .tries = 12,
                                       .tol_gain = 1e-14};

typedef double (*function)(size_t p, const double *x, double *g, const void *data);

struct search {
    tvgp__bfgs b;
    double memory[2 * MOST * MOST + 4 * MOST];
    int evaluations, end;
};

static void step(struct search *s, function f, const void *data) {
    double g[MOST], value = f(s->b.p, s->b.trial, g, data);
    for (size_t i = 0; i < s->b.p; i++)
        ck_assert(s->b.trial[i] >= s->b.lower[i] && s->b.trial[i] <= s->b.upper[i]);
    s->end = tvgp__bfgs_take(&s->b, value, g);
    s->evaluations++;
}

static void open(struct search *s, size_t p, const tvgp__bfgs_rules *r, const double *lower, const double *upper,
                 const double *x, const double *B) {
    ck_assert_uint_le(tvgp__bfgs_room(p), sizeof s->memory / sizeof *s->memory);
    tvgp__bfgs_open(&s->b, p, s->memory, r, lower, upper, x, B);
    s->evaluations = 0;
    s->end = TVGP__BFGS_EVALUATE;
}

static void run(struct search *s, function f, const void *data) {
    while (s->end == TVGP__BFGS_EVALUATE && s->evaluations < 2000)
        step(s, f, data);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

struct quadratic {
    double H[MOST * MOST], c[MOST]; /* 1/2 x'Hx - c'x */
};

static double quadratic(size_t p, const double *x, double *g, const void *data) {
    const struct quadratic *q = data;
    double f = 0;
    for (size_t i = 0; i < p; i++) {
        g[i] = -q->c[i];
        for (size_t j = 0; j < p; j++)
            g[i] += q->H[i * p + j] * x[j];
        f += 0.5 * x[i] * (g[i] - q->c[i]);
    }
    return f;
}

static void random_quadratic(struct rnd *r, size_t p, struct quadratic *q) {
    double A[MOST * MOST];
    for (size_t i = 0; i < p * p; i++)
        A[i] = rnd_normal(r);
    for (size_t i = 0; i < p; i++) {
        q->c[i] = 3 * rnd_normal(r);
        for (size_t j = 0; j < p; j++) {
            q->H[i * p + j] = i == j ? 0.3 : 0;
            for (size_t k = 0; k < p; k++)
                q->H[i * p + j] += A[i * p + k] * A[j * p + k];
        }
    }
}

static double rosenbrock(size_t p, const double *x, double *g, const void *data) {
    double f = 0;
    (void)data;
    memset(g, 0, p * sizeof *g);
    for (size_t i = 0; i + 1 < p; i++) {
        double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        f += 100 * a * a + b * b;
        g[i] += -400 * a * x[i] - 2 * b;
        g[i + 1] += 200 * a;
    }
    return f;
}

/* x - log x summed: not finite outside x > 0; minimum 1. */
static double barrier(size_t p, const double *x, double *g, const void *data) {
    double f = 0;
    const int of_gradient = data != NULL;
    for (size_t i = 0; i < p; i++) {
        if (x[i] <= 0 && !of_gradient)
            return NAN;
        f += x[i] > 0 ? x[i] - log(x[i]) : 0;
        g[i] = x[i] > 0 ? 1 - 1 / x[i] : NAN;
    }
    return f;
}

/* ---- the least of a quadratic on a box, by trying every set of bounds -------------------------------------------- */

enum { SMALL = 4 };

/* Solves H_FF x_F = c_F - H_FB x_B by elimination; side[i] is -1, 0 (free) or 1. */
static void stationary_point(const struct quadratic *q, const int *side, const double *lower, const double *upper,
                             double *x) {
    double A[SMALL][SMALL + 1];
    for (size_t i = 0; i < SMALL; i++) {
        for (size_t j = 0; j < SMALL; j++)
            A[i][j] = side[i] ? (double)(i == j) : q->H[i * SMALL + j];
        A[i][SMALL] = side[i] ? (side[i] < 0 ? lower[i] : upper[i]) : q->c[i];
    }
    for (size_t k = 0; k < SMALL; k++)
        for (size_t i = 0; i < SMALL; i++) {
            if (i == k)
                continue;
            double factor = A[i][k] / A[k][k]; /* no pivoting: rows of H and of I, small and well conditioned */
            for (size_t j = k; j <= SMALL; j++)
                A[i][j] -= factor * A[k][j];
        }
    for (size_t i = 0; i < SMALL; i++)
        x[i] = A[i][SMALL] / A[i][i];
}

static double least_on_box(const struct quadratic *q, const double *lower, const double *upper, double *best) {
    double least = INFINITY, x[SMALL], g[SMALL];
    for (int code = 0; code < 81; code++) {
        int side[SMALL], rest = code, inside = 1;
        for (size_t i = 0; i < SMALL; i++, rest /= 3)
            side[i] = rest % 3 - 1;
        stationary_point(q, side, lower, upper, x);
        for (size_t i = 0; i < SMALL; i++)
            inside &= x[i] >= lower[i] && x[i] <= upper[i];
        double f = inside ? quadratic(SMALL, x, g, q) : INFINITY;
        if (f < least) {
            least = f;
            memcpy(best, x, sizeof x);
        }
    }
    return least;
}

static struct search first, second;

TEST(quadratics_on_boxes) {
    struct rnd r = {41};
    struct quadratic q;
    for (int round = 0; round < 300; round++) {
        double lower[SMALL], upper[SMALL], x[SMALL], best[SMALL];
        random_quadratic(&r, SMALL, &q);
        for (size_t i = 0; i < SMALL; i++) {
            lower[i] = -rnd_uniform(&r);
            upper[i] = rnd_below(&r, 8) ? rnd_uniform(&r) : lower[i]; /* some coordinates are fixed */
            x[i] = 2 * rnd_normal(&r);                                /* mostly outside */
        }
        open(&first, SMALL, &rules, lower, upper, x, NULL);
        run(&first, quadratic, &q);
        ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
        ASSERT_NEAR(first.b.f, least_on_box(&q, lower, upper, best), 1e-12);
        ASSERT_ALL_NEAR(SMALL, first.b.x, best, 1e-6);
    }
}

static double wide[MOST], low[MOST];

static void set_bounds(double lower, double upper) {
    for (size_t i = 0; i < MOST; i++) {
        low[i] = lower;
        wide[i] = upper;
    }
}

/* With the second derivative given, Newton's step ends it: two evaluations. */
TEST(given_curvature) {
    struct rnd r = {42};
    struct quadratic q;
    set_bounds(-1e6, 1e6);
    random_quadratic(&r, SMALL, &q);
    const double x[SMALL] = {0.01, -0.02, 0, 0.03};
    tvgp__bfgs_rules free = rules;
    free.cap_first = free.cap = 1e9;
    open(&first, SMALL, &free, low, wide, x, q.H);
    run(&first, quadratic, &q);
    ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
    ck_assert_int_eq(first.evaluations, 2);
}

TEST(curved_valley) {
    static const size_t dims[] = {2, 5, 20, MOST};
    double x[MOST];
    for (size_t k = 0; k < 4; k++) {
        set_bounds(-3, 3);
        for (size_t i = 0; i < MOST; i++)
            x[i] = i % 2 ? 1 : -1.2;
        x[0] = k ? 1.2 : -1.2; /* from p = 4 on there is a second minimum near x_0 = -1 */
        open(&first, dims[k], &rules, low, wide, x, NULL);
        run(&first, rosenbrock, NULL);
        ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
        for (size_t i = 0; i < dims[k]; i++)
            ASSERT_NEAR(first.b.x[i], 1, 1e-5);
    }
    /* x_0 <= 1/2: the minimum is (1/2, 1/4). */
    wide[0] = 0.5;
    open(&first, 2, &rules, low, wide, x, NULL);
    run(&first, rosenbrock, NULL);
    ck_assert_double_eq(first.b.x[0], 0.5);
    ASSERT_NEAR(first.b.x[1], 0.25, 1e-6);
}

/* Points without a value, or with a gradient that is no number, are refused and the step shortened. */
TEST(values_that_are_not_finite) {
    const double x[3] = {0.001, 3, 9}, outside[3] = {-1, 1, 1};
    set_bounds(-5, 10);
    for (const char *mode = "a"; mode; mode = *mode == 'a' ? "b" : NULL) {
        const void *data = *mode == 'a' ? NULL : mode;
        open(&first, 3, &rules, low, wide, x, NULL);
        run(&first, barrier, data);
        ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
        for (size_t i = 0; i < 3; i++)
            ASSERT_NEAR(first.b.x[i], 1, 1e-6);
        open(&first, 3, &rules, low, wide, outside, NULL);
        run(&first, barrier, data);
        ck_assert_int_eq(first.end, TVGP__BFGS_STUCK);
        ck_assert_int_eq(first.evaluations, 1);
        ck_assert(!isfinite(first.b.f));
    }
}

static double wrong_gradient(size_t p, const double *x, double *g, const void *data) {
    double f = 0;
    (void)data;
    for (size_t i = 0; i < p; i++) {
        f += x[i] * x[i];
        g[i] = -2 * x[i];
    }
    return f;
}

TEST(no_better_point) {
    const double x[2] = {0.5, 0.25};
    set_bounds(-1, 1);
    open(&first, 2, &rules, low, wide, x, NULL);
    run(&first, wrong_gradient, NULL);
    ck_assert_int_eq(first.end, TVGP__BFGS_STUCK);
    ck_assert_int_eq(first.evaluations, 1 + rules.tries);
    ck_assert_double_eq(first.b.x[0], 0.5); /* the best point is kept */
    ck_assert_double_eq(first.b.f, 0.3125);
}

/* Values off by up to 1e-6: where they cannot be distinguished, the slope leads on. */
static double noisy(size_t p, const double *x, double *g, const void *data) {
    return rosenbrock(p, x, g, data) + 1e-6 * sin(1e8 * (x[0] + x[1]));
}

TEST(round_off_in_values) {
    const double x[2] = {-1.2, 1};
    tvgp__bfgs_rules fine = rules;
    set_bounds(-3, 3);
    fine.tol_gain = 0;
    fine.tol_gradient = 1e-9;
    fine.flat = 2e-6;
    open(&first, 2, &fine, low, wide, x, NULL);
    run(&first, noisy, NULL);
    ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
    ASSERT_NEAR(first.b.x[0], 1, 1e-8);
    fine.flat = 0;
    open(&first, 2, &fine, low, wide, x, NULL);
    run(&first, noisy, NULL);
    ck_assert_int_eq(first.end, TVGP__BFGS_STUCK);
}

TEST(nothing_to_search) {
    const double x[2] = {7, -7}, lower[2] = {-1, -1}, upper[2] = {-1, -1};
    open(&first, 0, &rules, lower, upper, x, NULL);
    run(&first, quadratic, &(struct quadratic){{0}, {0}});
    ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
    open(&first, 2, &rules, lower, upper, x, NULL);
    run(&first, rosenbrock, NULL);
    ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
    ck_assert_int_eq(first.evaluations, 1);
}

/* A short last step and a small gradient end a search too; the first step is no longer than its cap. */
TEST(other_ends) {
    const double x[2] = {-1.2, 1};
    tvgp__bfgs_rules other = rules;
    set_bounds(-3, 3);
    other.tol_gain = 0;
    other.tol_step = 1e-3;
    other.cap_first = 0.25;
    open(&first, 2, &other, low, wide, x, NULL);
    step(&first, rosenbrock, NULL);
    ck_assert_double_le(fmax(fabs(first.b.trial[0] + 1.2), fabs(first.b.trial[1] - 1)), 0.25 + 1e-15);
    run(&first, rosenbrock, NULL);
    ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
    ASSERT_NEAR(first.b.x[0], 1, 1e-2);
    other.tol_step = 0;
    other.tol_gradient = 1e-2;
    open(&first, 2, &other, low, wide, x, NULL);
    run(&first, rosenbrock, NULL);
    ck_assert_int_eq(first.end, TVGP__BFGS_CONVERGED);
    ck_assert_double_le(fmax(fabs(first.b.g[0]), fabs(first.b.g[1])), 1e-2);
}

/* Searches do not see each other: driven in turns they take the same steps. */
TEST(in_turns) {
    const double x[3] = {1.5, 1, 0.5}, other[3] = {0, 0, 0};
    struct quadratic q;
    struct rnd r = {43};
    random_quadratic(&r, 3, &q);
    set_bounds(-3, 3);
    open(&first, 3, &rules, low, wide, x, NULL);
    run(&first, rosenbrock, NULL);
    double alone = first.b.f, at[3];
    int evaluations = first.evaluations;
    memcpy(at, first.b.x, sizeof at);
    open(&first, 3, &rules, low, wide, x, NULL);
    open(&second, 3, &rules, low, wide, other, NULL);
    while (first.end == TVGP__BFGS_EVALUATE) {
        step(&first, rosenbrock, NULL);
        if (second.end == TVGP__BFGS_EVALUATE)
            step(&second, quadratic, &q);
    }
    ck_assert_double_eq(first.b.f, alone);
    ck_assert_int_eq(first.evaluations, evaluations);
    ck_assert_int_eq(memcmp(at, first.b.x, sizeof at), 0);
}

/* Until the first evaluation nothing of an earlier search is in the memory: snapshots save it (learn/hyper_mark.c). */
TEST(opened_on_used_memory) {
    const double x[3] = {1.5, 1, 0.5};
    set_bounds(-3, 3);
    open(&first, 3, &rules, low, wide, x, NULL);
    run(&first, rosenbrock, NULL);
    memset(&second, 0, sizeof second);
    open(&first, 3, &rules, low, wide, x, NULL);
    open(&second, 3, &rules, low, wide, x, NULL);
    ck_assert_mem_eq(first.memory, second.memory, tvgp__bfgs_room(3) * sizeof *first.memory);
}

HARNESS_MAIN("bfgs")

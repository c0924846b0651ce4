/* SPDX-License-Identifier: MIT */
/* How far the weights of a box (model/feature/inducing_points.h) may be from the exact posterior, with default options: against dense posteriors in
 * long double, in worlds drawn from the model and in worlds that contradict it. */
#include "harness.h"

#include <math.h>
#include <stdio.h>

enum {
    WORLDS = 40,
    STIFF = 49,
    N = 150,
    LOOKS = 60,
    DIM = 2
}; /* STIFF: precise measurements of what the kernel cannot do */

typedef long double real;

/* The observations of a world, with the kernel and the noise variance that the policy is given. */
typedef struct world {
    size_t dim;
    int smooth, drifts, contradicts; /* squared exponential or Matern 5/2; tv-gp-ucb or gp-ucb */
    double noise, length, epsilon;
    double x[N][DIM], y[N];
    real L[N][N]; /* factor of K o T + noise */
} world;

static real distance(const world *w, const double *a, const double *b) {
    real sum = 0;
    for (size_t d = 0; d < w->dim; d++)
        sum += ((real)a[d] - b[d]) / w->length * (((real)a[d] - b[d]) / w->length);
    return sqrtl(sum);
}

static real prior(const world *w, const double *a, const double *b, double elapsed) {
    const real r = distance(w, a, b), s = sqrtl(5) * r;
    const real k = w->smooth ? expl(-r * r / 2) : (1 + s + s * s / 3) * expl(-s);
    return w->drifts ? k * powl(1 - (real)w->epsilon, fabsl((real)elapsed) / 2) : k;
}

/* The factor of K o T with `more` on its diagonal. */
static void factorise(world *w, real more) {
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++) {
            real a = prior(w, w->x[i], w->x[j], (double)i - (double)j) + (i == j ? more : 0);
            for (size_t k = 0; k < j; k++)
                a -= w->L[i][k] * w->L[j][k];
            w->L[i][j] = i == j ? sqrtl(a) : a / w->L[j][j];
        }
}

static void solve(const world *w, real *b) {
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= w->L[i][k] * b[k];
        b[i] /= w->L[i][i];
    }
}

static void exact(const world *w, const double *z, real *mean, real *sd) {
    static real y[N], k[N];
    real var = 1;
    *mean = 0;
    for (size_t i = 0; i < N; i++) {
        y[i] = w->y[i];
        k[i] = prior(w, w->x[i], z, (double)N - (double)i);
    }
    solve(w, y);
    solve(w, k);
    for (size_t i = 0; i < N; i++) {
        *mean += y[i] * k[i];
        var -= k[i] * k[i];
    }
    *sd = sqrtl(var);
}

/* ---- worlds ------------------------------------------------------------------------------------------------------- */

/* A search: first anywhere, then more and more around one point, at times where it was before. */
static void draw_points(world *w, struct rnd *rnd) {
    double centre[DIM];
    rnd_fill(rnd, DIM, centre);
    for (size_t i = 0; i < N; i++) {
        const int near = rnd_uniform(rnd)<fmin(0.8, (double)i / 60), again = i> 20 && rnd_uniform(rnd) < 0.2;
        const size_t before = again ? rnd_below(rnd, i) : i;
        for (size_t d = 0; d < DIM; d++) {
            const double x = near ? centre[d] + 0.03 * rnd_normal(rnd) : rnd_uniform(rnd);
            w->x[i][d] = again ? w->x[before][d] : fmin(fmax(x, 0), 1);
        }
    }
}

static double other_function(int which, size_t dim, const double *x) {
    const double wave = sin(9 * x[0]) + (dim > 1 ? cos(7 * x[1]) : 0);
    return which == 0 ? wave : which == 1 ? 4 * wave : x[0] > 0.5 ? 1 : -1;
}

static void draw_answers(world *w, struct rnd *rnd) {
    const int which = (int)rnd_below(rnd, 3);
    const double noise = sqrt(w->noise) * (w->contradicts && rnd_below(rnd, 2) ? 10 : 1);
    static real normal[N];
    for (size_t i = 0; i < N; i++)
        normal[i] = rnd_normal(rnd);
    factorise(w, 1e-15L);
    for (size_t i = 0; i < N; i++) {
        real f = 0;
        for (size_t k = 0; k <= i; k++)
            f += w->L[i][k] * normal[k];
        w->y[i] = (w->contradicts ? other_function(which, w->dim, w->x[i]) : (double)f) + noise * rnd_normal(rnd);
    }
}

static void draw_world(int seed, world *w) {
    static const double noises[] = {0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-8}, lengths[] = {0.2, 0.5, 1, 3};
    struct rnd rnd = {(uint64_t)seed + 100};
    w->contradicts = seed % 2;
    w->dim = 1 + (size_t)seed / 2 % 2;
    w->smooth = seed / 4 % 2;
    w->drifts = seed / 8 % 2;
    w->epsilon = seed / 16 % 2 ? 0.02 : 1e-4;
    w->noise = noises[rnd_below(&rnd, 6)];
    w->length = lengths[rnd_below(&rnd, 4)] * (w->contradicts && rnd_below(&rnd, 3) == 0 ? 15 : 1);
    if (seed == STIFF) {
        w->noise = 1e-8;
        w->length = 50;
    }
    draw_points(w, &rnd);
    draw_answers(w, &rnd);
    factorise(w, w->noise);
}

/* ---- the library -------------------------------------------------------------------------------------------------- */

static tvgp_policy *open_policy(const world *w) {
    static const double lower[DIM] = {0, 0}, upper[DIM] = {1, 1};
    const double length[DIM] = {w->length, w->length};
    char options[128];
    tvgp_domain *domain = harness_box(w->dim, lower, upper);
    tvgp_kernel *kernel = w->smooth ? harness_se(w->dim, w->dim, length)
                                    : MAKE_KERNEL(tvgp_kernel_matern, ctx, w->dim, 2.5, 1, w->dim, length);
    tvgp_policy *p = MAKE_POLICY(tvgp_policy_create, ctx, w->drifts ? "tv-gp-ucb" : "gp-ucb", domain, kernel);
    snprintf(options, sizeof options, w->drifts ? "noise=%.17g epsilon=%.17g" : "noise=%.17g", w->noise, w->epsilon);
    ASSERT_OK(tvgp_policy_set(p, options));
    return p;
}

TEST_WHERE(near_the_exact_posterior, STIFF + 1, _i < WORLDS || _i == STIFF) {
    static world w;
    draw_world(_i, &w);
    tvgp_policy *p = open_policy(&w);
    struct rnd rnd = {(uint64_t)_i};
    double worst = 0, off = 0;
    for (size_t i = 0; i < N; i++) {
        const tvgp_obs o = tvgp_obs_unsolicited((double)i, w.y[i]);
        ASSERT_OK(tvgp_policy_tell(p, 1, &o, w.x[i]));
    }
    for (size_t i = 0; i < LOOKS; i++) {
        const double any[DIM] = {rnd_uniform(&rnd), rnd_uniform(&rnd)}, *z = i % 2 ? any : w.x[rnd_below(&rnd, N)];
        double mean, var;
        real exact_mean, exact_sd;
        exact(&w, z, &exact_mean, &exact_sd);
        ASSERT_OK(tvgp_policy_predict(p, N, 1, z, &mean, &var));
        worst = fmax(worst, (double)fabsl(((real)mean - exact_mean) / exact_sd));
        off = fmax(off, (double)fabsl(sqrtl(var) / exact_sd - 1));
    }
    ck_assert_double_le(worst, 0.5);
    ck_assert_double_le(off, 0.1);
}

HARNESS_MAIN("box_accuracy")

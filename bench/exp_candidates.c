/* SPDX-License-Identifier: MIT */
/* Twenty candidates at each step, points of [0, 1]^4 that were never there before: a function that drifts by the policies' own model, and a
 * linear one. Policies with the true hyperparameters and with default settings, next to LinUCB (Li, Chu, Langford, Schapire 2010, alg. 1) with a factor on
 * its matrix A and vector b (as Russac, Vernade, Cappe 2019 forget), which has every factor and every width there is in the list:
 *
 *   A = c A + x x' + (1 - c) I,  b = c b + y x,  score x'A^-1 b + alpha sqrt(x'A^-1 x)
 *
 * on the coordinates and 1, and on 150 random cosine features of the kernel that the policies are given. The best of them in
 * hindsight is what policies are compared with. */
#include "exp.h"
#include "experiment.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 4, LIST = 20, TRUE_FEATURES = 300, FEATURES = 150, MOST = FEATURES };
enum { WORLD = EXPERIMENT_OWN, PHASES, DRIFT, POINTS, FOREIGN, FOREIGN_PHASES };

static const double lengthscale = 0.5, epsilon = 0.005, noise = 0.01;
static const double pi = 3.14159265358979323846;

static void normals(uint64_t seed, uint32_t purpose, uint64_t index, size_t n, double *z) {
    experiment_check(NULL, tvgp_random_normal(seed, purpose, index, n, z), "random numbers");
}

static void uniforms(uint64_t seed, uint32_t purpose, uint64_t index, size_t n, double *u) {
    experiment_check(NULL, tvgp_random_uniform(seed, purpose, index, n, u), "random numbers");
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

/* sqrt(2 / n) cos(w'x + phase), w ~ N(0, I / l^2) (Rahimi and Recht 2007); n 0: the coordinates and 1. */
typedef struct map {
    size_t n;
    double w[TRUE_FEATURES * DIM], phase[TRUE_FEATURES];
} map;

static void draw_map(map *m, uint64_t seed, uint32_t purpose, uint32_t phases, size_t n) {
    m->n = n;
    if (!n)
        return;
    normals(seed, purpose, 0, n * DIM, m->w);
    uniforms(seed, phases, 0, n, m->phase);
}

static size_t features_of(const map *m, const double *x, double *out) {
    for (size_t i = 0; i < m->n; i++) {
        double angle = 2 * pi * m->phase[i];
        for (size_t d = 0; d < DIM; d++)
            angle += m->w[i * DIM + d] / lengthscale * x[d];
        out[i] = sqrt(2.0 / (double)m->n) * cos(angle);
    }
    if (m->n)
        return m->n;
    memcpy(out, x, DIM * sizeof *x);
    out[DIM] = 1;
    return DIM + 1;
}

/* ---- the world --------------------------------------------------------------------------------------------------- */

typedef struct world {
    int linear;
    uint64_t seed;
    size_t n; /* weights */
    map features;
    double weight[TRUE_FEATURES], X[LIST * DIM], f[LIST];
} world;

static void open_world(world *w, int linear, uint64_t seed) {
    *w = (world){.linear = linear, .seed = seed, .n = linear ? DIM : TRUE_FEATURES};
    draw_map(&w->features, seed, WORLD, PHASES, linear ? 0 : TRUE_FEATURES);
    normals(seed, DRIFT, 0, w->n, w->weight);
}

/* The weights drift, and there are other points. */
static void step_world(world *w, size_t t) {
    double z[TRUE_FEATURES], phi[TRUE_FEATURES];
    normals(w->seed, DRIFT, t, w->n, z);
    for (size_t i = 0; i < w->n; i++)
        w->weight[i] = sqrt(1 - epsilon) * w->weight[i] + sqrt(epsilon) * z[i];
    uniforms(w->seed, POINTS, t, LIST * DIM, w->X);
    for (size_t i = 0; i < LIST; i++) {
        (void)features_of(&w->features, w->X + i * DIM, phi);
        w->f[i] = cblas_ddot((int)w->n, w->weight, 1, phi, 1);
    }
}

static double most_of(const double *f) {
    double most = f[0];
    for (size_t i = 1; i < LIST; i++)
        most = fmax(most, f[i]);
    return most;
}

static double noise_at(const world *w, size_t t) {
    double z;
    normals(w->seed, EXPERIMENT_NOISE, t, 1, &z);
    return sqrt(noise) * z;
}

/* ---- LinUCB ------------------------------------------------------------------------------------------------------ */

typedef struct linucb {
    double factor, alpha, A[MOST * MOST], b[MOST], L[MOST * MOST];
    size_t n;
} linucb;

static void open_linucb(linucb *u, double factor, double alpha, size_t n) {
    *u = (linucb){.factor = factor, .alpha = alpha, .n = n};
    for (size_t i = 0; i < n; i++)
        u->A[i * n + i] = 1;
}

/* The best of the list, whose features are phi (LIST x n); V: the same and b, whitened by the factor of A. */
static size_t choose(linucb *u, const double *phi) {
    static double V[(LIST + 1) * MOST];
    const int n = (int)u->n;
    double score[LIST];
    size_t best = 0;
    memcpy(u->L, u->A, u->n * u->n * sizeof *u->L);
    memcpy(V, phi, LIST * u->n * sizeof *V);
    memcpy(V + LIST * u->n, u->b, u->n * sizeof *V);
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, u->L, n) != 0)
        experiment_check(NULL, TVGP_ERR_NUMERIC, "LinUCB");
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, LIST + 1, 1, u->L, n, V, n);
    for (size_t i = 0; i < LIST; i++) {
        const double *v = V + i * u->n;
        score[i] = cblas_ddot(n, v, 1, V + LIST * u->n, 1) + u->alpha * cblas_dnrm2(n, v, 1);
        best = score[i] > score[best] ? i : best;
    }
    return best;
}

static void tell(linucb *u, const double *x, double y) {
    for (size_t i = 0; i < u->n; i++) {
        for (size_t j = 0; j < u->n; j++)
            u->A[i * u->n + j] = u->factor * u->A[i * u->n + j] + x[i] * x[j] + (i == j ? 1 - u->factor : 0);
        u->b[i] = u->factor * u->b[i] + y * x[i];
    }
}

static const double factors[] = {0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1}, alphas[] = {0, 0.03, 0.1, 0.3, 1, 2};
enum { FACTORS = 7, ALPHAS = 6, MAPS = 2, SETTINGS = FACTORS * ALPHAS * MAPS };

/* Which of them: maps run slowest. */
static double factor_of(size_t i) {
    return factors[i / ALPHAS % FACTORS];
}
static double alpha_of(size_t i) {
    return alphas[i % ALPHAS];
}
static size_t map_of(size_t i) {
    return i / (ALPHAS * FACTORS);
}

/* ---- policies ---------------------------------------------------------------------------------------------------- */

/* NOTHING: no kernel. MODEL: kernel and noise. ALL: the rate of change too. */
enum { NOTHING, MODEL, ALL };
static const struct player {
    const char *label, *name;
    int known;
} players[] = {
    {"tv-gp-ucb true", "tv-gp-ucb", ALL},
    {"tv-gp-ucb defaults", "tv-gp-ucb", NOTHING},
    {"auto-gp-ucb true kernel", "auto-gp-ucb", MODEL},
    {"auto-gp-ucb defaults", "auto-gp-ucb", NOTHING},
    {"random", "random", NOTHING},
};
enum { PLAYERS = sizeof players / sizeof *players, VALUES = PLAYERS + SETTINGS };

typedef struct stage {
    int linear;
    size_t steps;
    tvgp_ctx *ctx;
} stage;

static tvgp_policy *open_policy(const stage *s, const struct player *player, size_t run) {
    const double lower[DIM] = {0}, upper[DIM] = {1, 1, 1, 1}, one = 1;
    tvgp_domain *box;
    tvgp_kernel *kernel;
    tvgp_policy *p;
    experiment_check(s->ctx, tvgp_domain_box(s->ctx, DIM, lower, upper, &box), "domain");
    experiment_check(s->ctx,
                     s->linear ? tvgp_kernel_linear(s->ctx, DIM, 1, 1, &one, 0, &kernel)
                               : tvgp_kernel_se(s->ctx, DIM, 1, 1, &lengthscale, &kernel),
                     "kernel");
    experiment_check(s->ctx, tvgp_policy_create(s->ctx, player->name, box, player->known ? kernel : NULL, &p),
                     player->label);
    experiment_check(s->ctx, tvgp_policy_set_i64(p, "seed", (int64_t)run), "seed");
    if (player->known)
        experiment_check(s->ctx, tvgp_policy_set_f64(p, "noise", noise), "noise");
    if (player->known == ALL)
        experiment_check(s->ctx, tvgp_policy_set_f64(p, "epsilon", epsilon), "epsilon");
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(box);
    return p;
}

static double step_policy(const stage *s, tvgp_policy *p, const world *w, size_t t) {
    tvgp_query q;
    experiment_check(s->ctx, tvgp_policy_set_candidates(p, LIST, w->X, NULL), "candidates");
    experiment_check(s->ctx, tvgp_policy_ask_one(p, (double)t, &q, NULL), "ask");
    experiment_check(s->ctx, tvgp_policy_tell_value(p, q.id, w->f[q.arm] + noise_at(w, t)), "tell");
    return most_of(w->f) - w->f[q.arm];
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static double step_linucb(linucb *u, const map *m, const world *w, size_t t) {
    static double phi[LIST * MOST];
    for (size_t i = 0; i < LIST; i++)
        (void)features_of(m, w->X + i * DIM, phi + i * u->n);
    const size_t chosen = choose(u, phi);
    tell(u, phi + chosen * u->n, w->f[chosen] + noise_at(w, t));
    return most_of(w->f) - w->f[chosen];
}

/* Shares of the regret of uniform play, of all policies and then of all settings of LinUCB. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    const stage *s = user;
    world *w = experiment_allocate(1, sizeof *w);
    map *maps = experiment_allocate(MAPS, sizeof *maps);
    linucb *foreign = experiment_allocate(SETTINGS, sizeof *foreign);
    tvgp_policy *policy[PLAYERS];
    double uniform = 0;
    open_world(w, s->linear, e->seed + r);
    for (size_t k = 0; k < MAPS; k++)
        draw_map(&maps[k], e->seed + r, FOREIGN, FOREIGN_PHASES, k ? FEATURES : 0);
    for (size_t i = 0; i < PLAYERS; i++)
        policy[i] = open_policy(s, &players[i], r);
    for (size_t i = 0; i < SETTINGS; i++)
        open_linucb(&foreign[i], factor_of(i), alpha_of(i), map_of(i) ? FEATURES : DIM + 1);
    memset(values, 0, VALUES * sizeof *values);
    for (size_t t = 1; t <= s->steps; t++) {
        step_world(w, t);
        for (size_t i = 0; i < LIST; i++)
            uniform += (most_of(w->f) - w->f[i]) / LIST;
        for (size_t i = 0; i < PLAYERS; i++)
            values[i] += step_policy(s, policy[i], w, t);
        for (size_t i = 0; i < SETTINGS; i++)
            values[PLAYERS + i] += step_linucb(&foreign[i], &maps[map_of(i)], w, t);
    }
    for (size_t i = 0; i < VALUES; i++)
        values[i] /= uniform;
    for (size_t i = 0; i < PLAYERS; i++)
        tvgp_policy_destroy(policy[i]);
    free(foreign);
    free(maps);
    free(w);
}

/* The setting of LinUCB with the smallest mean of those on these features, or of all (MAPS). */
static size_t best_of(const experiment *e, const double *values, size_t on) {
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < SETTINGS; i++) {
        const double mean = experiment_mean_of(values, e->runs, VALUES, PLAYERS + i).mean;
        if ((on == MAPS || map_of(i) == on) && mean < least) {
            least = mean;
            best = PLAYERS + i;
        }
    }
    return best;
}

/* Share over that of another column, and the error of the ratio of the means. */
static experiment_mean ratio_of(const experiment *e, const double *values, size_t column, size_t other) {
    const double a = experiment_mean_of(values, e->runs, VALUES, column).mean,
                 b = experiment_mean_of(values, e->runs, VALUES, other).mean;
    double squares = 0;
    for (size_t r = 0; r < e->runs; r++) {
        const double off = values[r * VALUES + column] - a / b * values[r * VALUES + other];
        squares += off * off;
    }
    const double n = (double)e->runs;
    return (experiment_mean){a / b, n > 1 ? sqrt(squares / (n * (n - 1))) / b : 0};
}

static void line(const experiment *e, const stage *s, const char *label, const double *values, size_t column, size_t best) {
    const experiment_mean share = experiment_mean_of(values, e->runs, VALUES, column),
                          ratio = ratio_of(e, values, column, best);
    printf("%s,%s,%zu,%.4f,%.4f,%.3f,%.3f\n", s->linear ? "linear" : "field", label, e->runs, share.mean, share.error,
           ratio.mean, ratio.error);
}

static void report(const experiment *e, const stage *s, const double *values) {
    const size_t best = best_of(e, values, MAPS);
    char label[80];
    for (size_t i = 0; i < PLAYERS; i++)
        line(e, s, players[i].label, values, i, best);
    for (size_t k = 0; k < MAPS; k++) {
        const size_t i = best_of(e, values, k) - PLAYERS;
        snprintf(label, sizeof label, "best linucb on %s factor=%g alpha=%g", k ? "150 features" : "coordinates",
                 factor_of(i), alpha_of(i));
        line(e, s, label, values, PLAYERS + i, best);
    }
    for (size_t i = 0; i < SETTINGS; i++) {
        snprintf(label, sizeof label, "linucb on %s factor=%g alpha=%g", map_of(i) ? "150 features" : "coordinates",
                 factor_of(i), alpha_of(i));
        line(e, s, label, values, PLAYERS + i, best);
    }
    fflush(stdout);
}

void exp_candidates(int argc, char **argv) {
    static const char *const none[] = {NULL};
    experiment e = {.name = "candidates", .runs = 20, .processes = 2, .seed = 1};
    double only = -1, steps = 600;
    const experiment_number own[] = {{"--world", "play only this one: 0 the field, 1 the linear one; negative: both", &only},
                                     {"--steps", "of a run", &steps}};
    experiment_read(&e, argc, argv, none, own, sizeof own / sizeof *own);
    printf("world,player,runs,share,share_error,over_linucb,over_error\n");
    for (int linear = 0; linear < 2; linear++) {
        stage s = {.linear = linear, .steps = (size_t)steps};
        if (only >= 0 && only != linear)
            continue;
        experiment_check(NULL, tvgp_ctx_create(NULL, &s.ctx), "context");
        double *values = experiment_runs(&e, run, &s, VALUES);
        report(&e, &s, values);
        free(values);
        tvgp_ctx_destroy(s.ctx);
    }
}

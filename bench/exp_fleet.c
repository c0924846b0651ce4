/* SPDX-License-Identifier: MIT */
/* What devices teach the next one: a mean and a covariance over the arms learned from their short
 * runs (tvgp_prior_learn).
 *
 * Populations of 20 arms on [0, 1]: a mean with two bumps, and a covariance that is not stationary:
 * sd and lengthscale of a Gibbs kernel (Rasmussen and Williams 2006, eq. 4.32) go from one end to
 * the other. Each device has a function of its own that forgets by epsilon .01 a step, outcomes with
 * sd .2, and 60 steps. The devices of the past ran tv-gp-ucb with default settings. With --data FILE a row
 * is a day and a column an arm: the weeks of the first half, all their readings, are the runs of
 * the past, those of the second the new devices. */
#include "csv.h"
#include "exp.h"
#include "experiment.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARMS = 64, ARMS = 20, STEPS = 60, PAST = 100, NEW = 6, WEEK = 7, WORLD = EXPERIMENT_OWN, DRIFT };

static const double epsilon = 0.01, noise_sd = 0.2;

/* What a new device is given; `past` devices taught it. */
typedef struct player {
    const char *label, *policy;
    enum { NOTHING, TRUTH, PRIOR, MEANS, BEST_ARM } known;
    size_t past;
} player;

static const player players[] = {
    {"uniform", NULL, NOTHING, 0},
    {"defaults, tv-gp-ucb", "tv-gp-ucb", NOTHING, 0},
    {"defaults, auto-gp-ucb", "auto-gp-ucb", NOTHING, 0},
    {"true parameters", "tv-gp-ucb", TRUTH, 0},
    {"prior of 100", "tv-gp-ucb", PRIOR, 100},
    {"prior of 20", "tv-gp-ucb", PRIOR, 20},
    {"prior of 5", "tv-gp-ucb", PRIOR, 5},
    {"prior of 100, auto-gp-ucb", "auto-gp-ucb", PRIOR, 100},
    {"means of 100", "tv-gp-ucb", MEANS, 100},
    {"means of 20", "tv-gp-ucb", MEANS, 20},
    {"means of 5", "tv-gp-ucb", MEANS, 5},
    {"best arm of the mean", NULL, BEST_ARM, 0},
};
enum { PLAYERS = sizeof players / sizeof *players };

/* Values of one device: f[t * arms + arm], NaN where there is none; and what may be given of all. */
typedef struct world {
    size_t arms, steps;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    double mean[MOST_ARMS], K[MOST_ARMS * MOST_ARMS]; /* of the population, where it is known */
    double noise, rate;                               /* rate: epsilon of a run */
    size_t rows, first[PAST + 1];                     /* what the devices of the past were given */
    int64_t arm[PAST * STEPS];
    double t[PAST * STEPS], y[PAST * STEPS];
} world;

/* ---- made-up populations ---------------------------------------------------------------------------------------- */

static void cholesky(size_t n, const double *K, double *L) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = K[i * n + j] + (i == j ? 1e-10 : 0);
            for (size_t k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
}

static void draw_population(world *w, uint64_t seed) {
    double u[6];
    tvgp_random_uniform(seed, WORLD, 0, 6, u);
    w->arms = ARMS;
    w->steps = STEPS;
    w->noise = noise_sd * noise_sd;
    w->rate = epsilon;
    for (size_t i = 0; i < ARMS; i++) {
        const double x = (double)i / (ARMS - 1), a = (x - u[0]) / 0.12, b = (x - u[1]) / 0.12;
        w->mean[i] = (0.5 + u[2]) * exp(-a * a / 2) + (0.5 + u[3]) * exp(-b * b / 2);
        for (size_t j = 0; j < ARMS; j++) {
            const double z = (double)j / (ARMS - 1), from = u[4] < 0.5 ? x : 1 - x, to = u[4] < 0.5 ? z : 1 - z;
            const double l = 0.05 + 0.3 * from, m = 0.05 + 0.3 * to, s = 0.2 + 0.6 * from, r = 0.2 + 0.6 * to;
            w->K[i * ARMS + j] = s * r * sqrt(2 * l * m / (l * l + m * m)) * exp(-(x - z) * (x - z) / (l * l + m * m));
        }
    }
    experiment_check(
        w->ctx, tvgp_domain_grid(w->ctx, 1, (const double[]){0}, (const double[]){1}, (const size_t[]){ARMS}, &w->domain),
        "domain");
}

/* One device: f(., 1) ~ N(mean, K), and from step to step correlation sqrt(1 - epsilon). */
static void draw_device(const world *w, uint64_t seed, double *f) {
    double L[ARMS * ARMS] = {0}, z[ARMS], state[ARMS] = {0};
    cholesky(ARMS, w->K, L);
    for (size_t t = 0; t < STEPS; t++) {
        const double keep = t ? sqrt(1 - epsilon) : 0;
        tvgp_random_normal(seed, DRIFT, t, ARMS, z);
        for (size_t i = 0; i < ARMS; i++) {
            double fresh = 0;
            for (size_t k = 0; k <= i; k++)
                fresh += L[i * ARMS + k] * z[k];
            state[i] = keep * state[i] + sqrt(1 - keep * keep) * fresh;
            f[t * ARMS + i] = w->mean[i] + state[i];
        }
    }
}

/* ---- what the past teaches -------------------------------------------------------------------------------------- */

static size_t taught(const world *w, const player *p) {
    size_t devices = 0;
    while (devices < p->past && w->first[devices + 1] > w->first[devices])
        devices++;
    return devices;
}

static void learn(const world *w, size_t devices, double *mean, tvgp_kernel **kernel, double *noise) {
    experiment_check(w->ctx,
                     tvgp_prior_learn(w->ctx, w->domain, devices, w->first, w->first[devices], w->arm, w->t, w->y, NULL, 3,
                                      w->rate, 0, mean, kernel, noise),
                     "prior");
}

/* The policy of a new device. */
static tvgp_policy *make(const world *w, const player *p) {
    double mean[MOST_ARMS], noise = w->noise;
    tvgp_kernel *kernel = NULL;
    tvgp_domain *names = NULL;
    tvgp_policy *policy;
    if (p->known == TRUTH) {
        experiment_check(w->ctx, tvgp_kernel_table(w->ctx, w->arms, w->K, &kernel), "table");
        experiment_check(w->ctx, tvgp_domain_indices(w->ctx, w->arms, &names), "names");
        memcpy(mean, w->mean, w->arms * sizeof *mean);
    } else if (p->known == PRIOR) {
        learn(w, taught(w, p), mean, &kernel, &noise);
    } else if (p->known == MEANS) {
        experiment_check(
            w->ctx, tvgp_domain_seasonal_mean(w->domain, w->first[taught(w, p)], w->arm, w->t, w->y, 1e9, 1, mean), "means");
    }
    experiment_check(w->ctx, tvgp_policy_create(w->ctx, p->policy, names ? names : w->domain, kernel, &policy), "policy");
    if (p->known != NOTHING)
        experiment_check(w->ctx, tvgp_policy_set_prior_mean(policy, w->arms, mean), "mean");
    if (kernel)
        experiment_check(w->ctx, tvgp_policy_set_f64(policy, "noise", noise), "noise");
    if (kernel && w->rate > 0 && !strcmp(p->policy, "tv-gp-ucb"))
        experiment_check(w->ctx, tvgp_policy_set_f64(policy, "epsilon", w->rate), "epsilon");
    tvgp_kernel_destroy(kernel);
    tvgp_domain_destroy(names);
    return policy;
}

/* Regret of a policy on one device; `keep`: what it was given joins the past. Arms without a value
 * are not available. */
static double play(world *w, tvgp_policy *policy, const double *f, uint64_t seed, int keep) {
    double regret = 0, z;
    uint8_t mask[MOST_ARMS];
    for (size_t t = 0; t < w->steps; t++) {
        const double *now = f + t * w->arms;
        double best = -INFINITY;
        tvgp_query q;
        for (size_t i = 0; i < w->arms; i++) {
            mask[i] = (uint8_t)!isnan(now[i]);
            best = mask[i] ? fmax(best, now[i]) : best;
        }
        experiment_check(w->ctx, tvgp_policy_set_available(policy, w->arms, mask), "mask");
        experiment_check(w->ctx, tvgp_policy_ask_one(policy, (double)t, &q, NULL), "ask");
        tvgp_random_normal(seed, EXPERIMENT_NOISE, t, 1, &z);
        const double y = now[q.arm] + sqrt(w->noise) * z;
        experiment_check(w->ctx, tvgp_policy_tell_value(policy, q.id, y), "tell");
        regret += best - now[q.arm];
        if (keep) {
            w->arm[w->rows] = q.arm;
            w->t[w->rows] = (double)t;
            w->y[w->rows++] = y;
        }
    }
    return regret;
}

/* What those have that are no policies: the mean over the arms, and the best arm of the
 * population's mean, always. */
static double plain(const world *w, const player *p, const double *f) {
    double regret = 0;
    size_t arm = 0;
    for (size_t i = 1; i < w->arms; i++)
        arm = w->mean[i] > w->mean[arm] ? i : arm;
    for (size_t t = 0; t < w->steps; t++) {
        double best = -INFINITY, sum = 0, count = 0;
        for (size_t i = 0; i < w->arms; i++)
            if (!isnan(f[t * w->arms + i])) {
                best = fmax(best, f[t * w->arms + i]);
                sum += f[t * w->arms + i];
                count++;
            }
        const double own = f[t * w->arms + arm];
        regret += best - (p->known == BEST_ARM && !isnan(own) ? own : sum / count);
    }
    return regret;
}

/* What a device gets that knows only what `newborn` knows. */
static double play_new(world *w, const player *p, const tvgp_policy *newborn, const double *f, uint64_t seed) {
    tvgp_policy *policy;
    if (!newborn)
        return plain(w, p, f);
    experiment_check(w->ctx, tvgp_policy_clone(newborn, &policy), "clone");
    const double regret = play(w, policy, f, seed, 0);
    tvgp_policy_destroy(policy);
    return regret;
}

static void play_past(world *w, size_t device, const double *f, uint64_t seed) {
    tvgp_policy *policy = make(w, &players[1]);
    play(w, policy, f, seed, 1);
    w->first[device + 1] = w->rows;
    tvgp_policy_destroy(policy);
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static world *open_world(void) {
    world *w = experiment_allocate(1, sizeof *w);
    memset(w, 0, sizeof *w);
    experiment_check(NULL, tvgp_ctx_create(NULL, &w->ctx), "context");
    return w;
}

static void close_world(world *w) {
    tvgp_domain_destroy(w->domain);
    tvgp_ctx_destroy(w->ctx);
    free(w);
}

/* One population: the regret of each algorithm, summed over its new devices. */
static void population(experiment *e, const void *user, size_t run, double *values) {
    const uint64_t seed = 1000 * (e->seed + run);
    double f[STEPS * ARMS];
    world *w = open_world();
    (void)user;
    draw_population(w, seed);
    for (size_t d = 0; d < PAST; d++) {
        draw_device(w, seed + 1 + d, f);
        play_past(w, d, f, seed + 1 + d);
    }
    memset(values, 0, PLAYERS * sizeof *values);
    for (size_t k = 0; k < PLAYERS; k++) {
        tvgp_policy *newborn = players[k].policy ? make(w, &players[k]) : NULL;
        for (size_t d = PAST; d < PAST + NEW; d++) {
            draw_device(w, seed + 1 + d, f);
            values[k] += play_new(w, &players[k], newborn, f, seed + 1 + d);
        }
        tvgp_policy_destroy(newborn);
    }
    close_world(w);
}

/* All readings of a week. */
static void read_past(world *w, size_t device, const double *f) {
    for (size_t i = 0; i < w->steps * w->arms; i++)
        if (!isnan(f[i])) {
            w->arm[w->rows] = (int64_t)(i % w->arms);
            w->t[w->rows] = (double)(i / w->arms);
            w->y[w->rows++] = f[i];
        }
    w->first[device + 1] = w->rows;
}

/* Recorded weeks; every one of the second half is a run for the errors. */
static double *weeks(const char *file, size_t *n) {
    char error[512];
    readings data;
    double mean, sd;
    if (csv_read(file, &data, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        exit(EXIT_FAILURE);
    }
    const size_t past = data.n_times / WEEK / 2;
    readings_moments(&data, 0, past * WEEK, &mean, &sd);
    readings_standardise(&data, mean, sd);
    world *w = open_world();
    w->arms = data.n_arms;
    w->steps = WEEK;
    experiment_check(w->ctx, tvgp_domain_indices(w->ctx, w->arms, &w->domain), "names");
    *n = data.n_times / WEEK - past;
    double *values = experiment_allocate(*n * PLAYERS, sizeof *values);
    for (size_t d = 0; d < past; d++)
        read_past(w, d, data.value + d * WEEK * w->arms);
    for (size_t k = 0; k < PLAYERS; k++) {
        const int known = players[k].known != TRUTH && players[k].known != BEST_ARM;
        tvgp_policy *newborn = players[k].policy && known ? make(w, &players[k]) : NULL;
        for (size_t d = 0; d < *n; d++)
            values[d * PLAYERS + k] =
                known ? play_new(w, &players[k], newborn, data.value + (past + d) * WEEK * w->arms, d) : NAN;
        tvgp_policy_destroy(newborn);
    }
    close_world(w);
    readings_free(&data);
    return values;
}

/* Share of the regret of uniform play and, run by run, of tv-gp-ucb with default settings. */
static void print(const double *values, size_t n) {
    printf("new device,runs,regret,share_of_uniform,share_error,over_defaults,over_error\n");
    for (size_t k = 0; k < PLAYERS; k++) {
        double *both = experiment_allocate(3 * n, sizeof *both);
        for (size_t r = 0; r < n; r++) {
            const double *v = values + r * PLAYERS;
            both[3 * r] = v[k];
            both[3 * r + 1] = v[k] / v[0];
            both[3 * r + 2] = v[k] / v[1];
        }
        const experiment_mean regret = experiment_mean_of(both, n, 3, 0), share = experiment_mean_of(both, n, 3, 1),
                              over = experiment_mean_of(both, n, 3, 2);
        printf("\"%s\",%zu,%.2f,%.3f,%.3f,%.3f,%.3f\n", players[k].label, n, regret.mean, share.mean, share.error, over.mean,
               over.error);
        free(both);
    }
}

void exp_fleet(int argc, char **argv) {
    static const char *const nobody[] = {NULL};
    experiment e = {.name = "fleet", .runs = 20, .processes = 1, .seed = 1};
    if (argc == 2 && !strcmp(argv[0], "--data")) {
        size_t n;
        double *values = weeks(argv[1], &n);
        print(values, n);
        free(values);
        return;
    }
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    double *values = experiment_runs(&e, population, NULL, PLAYERS);
    print(values, e.runs);
    free(values);
}

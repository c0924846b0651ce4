/* SPDX-License-Identifier: MIT */
/* Recorded data, and a made-up road, played by eighteen settings a user could have fixed beforehand, by auto-gp-ucb as it is,
 * with scale and with model.assume_misspecified, at random, by the best constant arm and by the table "best arm of the hour in training".
 *
 * A set is rows of a training part and rows that are played. In every run a random 70 % of the arms take part. Values are
 * standardised by the training part and observed without noise; the kernel is its covariance, noise 0.01. Two protocols: prior
 * mean 0, and the arms' means of the training part. Ratios are of means over runs: to the best of the eighteen in hindsight,
 * and to the first algorithm with its standard error over the same runs (delta method). */
#include "empirical_kernel.h"
#include "exp.h"
#include "experiment.h"
#include "recorded.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOURS = 24, ROAD_ARMS = 80, ROAD_ROWS = 1500 };

typedef struct set {
    const char *name, *file, *more; /* more: a second file, whose rows come after those of the first */
    size_t train, test, rows_a_day; /* 0: no hours */
} set;

static const set sets[] = {
    {"laboratory", "intel_temp_8day_46.csv", NULL, 864, 288, 144},
    {"laboratory with gaps", "intel_temp_10min.csv", NULL, 1872, 144, 144},
    {"light", "cmu_light_train.csv", "cmu_light_test.csv", 601, 192, 0},
    {"traffic", "traffic_pemsd7_25.csv", NULL, 2016, 576, 288},
    {"ozone", "ozone_nyc_2015.csv", NULL, 182, 183, 0},
    {"ozone of two seasons", "ozone_nyc_2seasons.csv", NULL, 183, 183, 0},
    {"29 stocks", "stocks_dow29.csv", NULL, 400, 423, 0},
    {"48 stocks", "stocks_us48.csv", NULL, 400, 423, 0},
    {"40 countries", "berkeley_europe_anom.csv", NULL, 271, 272, 0},
    {"made-up road", NULL, NULL, 1000, 500, 0},
};
enum { SETS = sizeof sets / sizeof *sets, PROTOCOLS = 2 };
static const char *const protocols[PROTOCOLS] = {"zero", "means"};

/* ---- data ------------------------------------------------------------------------------------------------------- */

/* Uniform on (0, 1), by way of a normal number. */
static double uniform(uint64_t seed, uint64_t step) {
    double z;
    experiment_check(NULL, tvgp_random_normal(seed, EXPERIMENT_OWN, step, 1, &z), "random");
    return 0.5 * erfc(-z / sqrt(2));
}

/* Speeds along a road: every arm has its own, all swing together, and jams of two to nine neighbours come, stay for ten to
 * forty rows and go, each slowing its arms by one to three. */
static void make_road(uint64_t seed, readings *out) {
    *out = (readings){
        .n_times = ROAD_ROWS, .n_arms = ROAD_ARMS, .value = experiment_allocate(ROAD_ROWS * ROAD_ARMS, sizeof *out->value)};
    uint64_t step = 0;
    for (size_t a = 0; a < ROAD_ARMS; a++) {
        const double own = uniform(seed, step++);
        for (size_t t = 0; t < ROAD_ROWS; t++)
            out->value[t * ROAD_ARMS + a] = own + 0.3 * sin(0.022 * (double)t + 0.03 * (double)a);
    }
    for (size_t t = 0; t < ROAD_ROWS; t++) {
        if (uniform(seed, step++) > 0.25)
            continue;
        const size_t first = (size_t)(uniform(seed, step) * ROAD_ARMS), width = 2 + (size_t)(8 * uniform(seed, step + 1));
        const size_t length = 10 + (size_t)(31 * uniform(seed, step + 2));
        const double depth = 1 + 2 * uniform(seed, step + 3);
        step += 4;
        for (size_t i = t; i < t + length && i < ROAD_ROWS; i++)
            for (size_t a = first; a < first + width && a < ROAD_ARMS; a++)
                out->value[i * ROAD_ARMS + a] -= depth;
    }
}

static void append(readings *data, const char *file) {
    readings more = {0};
    recorded_read(file, 0, &more);
    const size_t before = data->n_times * data->n_arms, added = more.n_times * more.n_arms;
    double *both = experiment_allocate(before + added, sizeof *both);
    memcpy(both, data->value, before * sizeof *both);
    memcpy(both + before, more.value, added * sizeof *both);
    free(data->value);
    data->value = both;
    data->n_times += more.n_times;
    readings_free(&more);
}

static void load(const set *s, uint64_t seed, readings *data) {
    *data = (readings){0};
    if (!s->file) {
        make_road(seed, data);
        return;
    }
    recorded_read(s->file, 0, data);
    if (s->more)
        append(data, s->more);
    if (data->n_times < s->train + s->test) {
        fprintf(stderr, "%s: %zu rows, not %zu\n", s->file, data->n_times, s->train + s->test);
        exit(2);
    }
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

typedef struct problem {
    const set *set;
    readings data; /* of the arms that take part, standardised */
    double *mean;  /* of each arm in training */
    size_t steps;  /* rows played: those in which some arm has a value */
    double *f;     /* theirs */
    size_t *row;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} problem;

/* Keeps the arms with the least of random numbers. */
static void draw_arms(readings *data, uint64_t seed) {
    const size_t n = data->n_arms, kept = (7 * n + 9) / 10;
    double *key = experiment_allocate(n, sizeof *key), *value = experiment_allocate(data->n_times * kept, sizeof *value);
    for (size_t a = 0; a < n; a++)
        key[a] = uniform(seed, 100000 + a);
    for (size_t a = 0, to = 0; a < n; a++) {
        size_t before = 0;
        for (size_t b = 0; b < n; b++)
            before += key[b] < key[a];
        for (size_t t = 0; before < kept && t < data->n_times; t++)
            value[t * kept + to] = data->value[t * n + a];
        to += (size_t)(before < kept);
    }
    for (size_t a = 0; data->names && a < n; a++)
        free(data->names[a]);
    free(data->names);
    free(data->value);
    free(key);
    *data = (readings){.n_times = data->n_times, .n_arms = kept, .value = value};
}

/* Mean of an arm over the training rows of an hour (HOURS: all); NaN when it has no value. */
static double mean_of(const problem *p, size_t arm, size_t hour) {
    double sum = 0, count = 0;
    for (size_t t = 0; t < p->set->train; t++) {
        const double v = p->data.value[t * p->data.n_arms + arm];
        if (isnan(v) || (hour < HOURS && t % p->set->rows_a_day * HOURS / p->set->rows_a_day != hour))
            continue;
        sum += v;
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

static void open_problem(problem *p, const set *s, uint64_t seed) {
    double mean, sd, shrinkage;
    *p = (problem){.set = s};
    load(s, seed, &p->data);
    draw_arms(&p->data, seed);
    readings_moments(&p->data, 0, s->train, &mean, &sd);
    readings_standardise(&p->data, mean, sd);
    const size_t n = p->data.n_arms;
    p->f = experiment_allocate(s->test * n, sizeof *p->f);
    p->row = experiment_allocate(s->test, sizeof *p->row);
    for (size_t t = s->train; t < s->train + s->test; t++) {
        const double *now = p->data.value + t * n;
        size_t values = 0;
        for (size_t a = 0; a < n; a++)
            values += (size_t)!isnan(now[a]);
        if (!values)
            continue;
        p->row[p->steps] = t;
        memcpy(p->f + n * p->steps++, now, n * sizeof *now);
    }
    p->mean = experiment_allocate(n, sizeof *p->mean);
    for (size_t a = 0; a < n; a++)
        p->mean[a] = mean_of(p, a, HOURS);
    for (size_t a = 0; a < n; a++)
        p->mean[a] = isnan(p->mean[a]) ? 0 : p->mean[a];
    experiment_check(NULL, tvgp_ctx_create(NULL, &p->ctx), "context");
    experiment_check(p->ctx, tvgp_domain_indices(p->ctx, n, &p->domain), "domain");
    experiment_check(p->ctx, empirical_kernel(p->ctx, &p->data, s->train, &shrinkage, &p->kernel), "covariance");
}

static void close_problem(problem *p) {
    tvgp_kernel_destroy(p->kernel);
    tvgp_domain_destroy(p->domain);
    tvgp_ctx_destroy(p->ctx);
    readings_free(&p->data);
    free(p->mean);
    free(p->row);
    free(p->f);
}

/* Regret of playing in each row the arm, of those that have a value, that was best at that hour in training. */
static double play_table(const problem *p) {
    const size_t n = p->data.n_arms;
    double regret = 0, *table = experiment_allocate(HOURS * n, sizeof *table);
    for (size_t i = 0; i < HOURS * n; i++)
        table[i] = mean_of(p, i % n, i / n);
    for (size_t i = 0; i < p->steps; i++) {
        const double *f = p->f + i * n, *mean = table + p->row[i] % p->set->rows_a_day * HOURS / p->set->rows_a_day * n;
        size_t best = n;
        double most = -INFINITY;
        for (size_t a = 0; a < n; a++) {
            most = isnan(f[a]) ? most : fmax(most, f[a]);
            if (!isnan(f[a]) && (best == n || mean[a] > mean[best]))
                best = a;
        }
        regret += most - f[best];
    }
    free(table);
    return regret;
}

/* Regret of each algorithm, of the best constant arm and of the table, for each protocol. */
static void run(experiment *e, const void *user, size_t r, double *values) {
    problem p;
    open_problem(&p, user, e->seed + r);
    const experiment_table table = {.arms = p.data.n_arms, .steps = p.steps, .f = p.f, .seed = e->seed + r};
    double *regret = experiment_allocate(p.steps, sizeof *regret);
    for (size_t m = 0; m < PROTOCOLS; m++, values += e->n_players + 2) {
        for (size_t i = 0; i < e->n_players; i++) {
            tvgp_policy *policy = experiment_policy(e, i, p.ctx, p.domain, p.kernel, r);
            experiment_check(p.ctx, tvgp_policy_set_prior_mean(policy, m ? table.arms : 0, m ? p.mean : NULL), "mean");
            experiment_play(&table, p.ctx, policy, regret);
            values[i] = experiment_sum(p.steps, regret);
            tvgp_policy_destroy(policy);
        }
        experiment_constant(&table, regret);
        values[e->n_players] = experiment_sum(p.steps, regret);
        values[e->n_players + 1] = p.set->rows_a_day ? play_table(&p) : NAN;
    }
    free(regret);
    close_problem(&p);
}

/* ---- report ----------------------------------------------------------------------------------------------------- */

/* Sums over sets and protocols: logarithms of ratios, and squared errors of those to the first algorithm. */
typedef struct total {
    double to_best, to_first, squares, count;
} total;

static int is_fixed(const experiment *e, size_t i) {
    return strncmp(e->players[i].label, "auto-gp-ucb", 11) != 0 && strcmp(e->players[i].label, "random") != 0;
}

static const char *label_of(const experiment *e, size_t i) {
    return i < e->n_players ? e->players[i].label : i == e->n_players ? "best constant arm" : "best arm of the hour";
}

static void report(const experiment *e, const set *s, size_t protocol, const double *values, size_t n_values,
                   total *totals) {
    const size_t at = protocol * (e->n_players + 2);
    const double first = experiment_mean_of(values, e->runs, n_values, at).mean;
    double best = INFINITY;
    for (size_t i = 0; i < e->n_players; i++)
        if (is_fixed(e, i))
            best = fmin(best, experiment_mean_of(values, e->runs, n_values, at + i).mean);
    for (size_t i = 0; i < e->n_players + 2; i++) {
        const experiment_mean own = experiment_mean_of(values, e->runs, n_values, at + i);
        const double ratio = own.mean / first;
        double squares = 0;
        for (size_t r = 0; r < e->runs; r++)
            squares += pow(values[r * n_values + at + i] - ratio * values[r * n_values + at], 2);
        const double error = e->runs > 1 ? sqrt(squares / (double)((e->runs - 1) * e->runs)) / first : 0;
        if (isnan(own.mean))
            continue;
        printf("%s,%s,\"%s\",%zu,%.2f,%.2f,%.3f,%.3f,%.3f\n", s->name, protocols[protocol], label_of(e, i), e->runs,
               own.mean, own.error, own.mean / best, ratio, error);
        totals[i].to_best += log(own.mean / best);
        totals[i].to_first += log(ratio);
        totals[i].squares += pow(error / ratio, 2);
        totals[i].count++;
    }
    fflush(stdout);
}

void exp_real(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb",
                                          "auto-gp-ucb scale.learn=1",
                                          "auto-gp-ucb model.assume_misspecified=1",
#define TWICE(text) text " width.c1=0.8 width.c2=0.4", text " width.c1=0.4 width.c2=4"
                                          TWICE("gp-ucb"),
                                          TWICE("tv-gp-ucb epsilon=0.003"),
                                          TWICE("tv-gp-ucb epsilon=0.01"),
                                          TWICE("tv-gp-ucb epsilon=0.03"),
                                          TWICE("tv-gp-ucb epsilon=0.1"),
                                          TWICE("tv-gp-ucb epsilon=0.3"),
                                          TWICE("r-gp-ucb reset.every=15"),
                                          TWICE("sw-gp-ucb window=15 width.schedule=log"),
                                          TWICE("et-gp-ucb trigger.delta=0.1"),
                                          "random",
                                          NULL};
    experiment e = {.name = "real", .runs = 8, .processes = 2, .seed = 1};
    double only = -1;
    const experiment_number own[] = {{"--only", "play only this set, from 0; negative: all", &only}};
    experiment_read(&e, argc, argv, players, own, 1);
    settings_add(&e.defaults, "noise=0.01");
    const size_t n_values = PROTOCOLS * (e.n_players + 2);
    total totals[EXPERIMENT_PLAYERS + 2] = {{0}};
    printf("set,prior_mean,policy,runs,regret,regret_error,ratio_to_best,ratio_to_first,ratio_error\n");
    for (size_t i = 0; i < SETS; i++) {
        if (only >= 0 && only != (double)i)
            continue;
        double *values = experiment_runs(&e, run, &sets[i], n_values);
        for (size_t m = 0; m < PROTOCOLS; m++)
            report(&e, &sets[i], m, values, n_values, totals);
        free(values);
    }
    for (size_t i = 0; i < e.n_players + 2; i++)
        if (totals[i].count > 0)
            printf("geometric mean of %.0f,,\"%s\",%zu,,,%.3f,%.3f,%.3f\n", totals[i].count, label_of(&e, i), e.runs,
                   exp(totals[i].to_best / totals[i].count), exp(totals[i].to_first / totals[i].count),
                   exp(totals[i].to_first / totals[i].count) * sqrt(totals[i].squares) / totals[i].count);
}

/* SPDX-License-Identifier: MIT */
/* Counts on categorical arms with default settings: 28 worlds with constant, drifting and abruptly changed rates, one to 300
 * trials, or events, and eight whose counts are late. Policies are compared with a Beta or Gamma sampler, and with two that
 * discount their counts. Prints a row for each world, the geometric means of the groups, and the worst ratios to the best
 * of the others. Runs 0 to 47 have the seeds 50001 to 50048. */
#include "exp.h"
#include "experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARMS = 30, SAMPLERS = 3, CONSTANT = 0, DRIFTING, ABRUPT, EVENTS, LATE, GROUPS };
static const char *const groups[GROUPS] = {"constant", "drifting", "abrupt", "events", "late"};
static const double kept[SAMPLERS] = {1, 0.999, 0.97};
static const char *const samplers[SAMPLERS] = {"sampler", "sampler .999", "sampler .97"};

typedef struct world {
    size_t arms, steps;
    double *rate, *count; /* of every arm at every step */
    uint64_t seed, drawn;
} world;

typedef struct kind {
    const char *name;
    int group, events;
    double exposure;
    size_t steps;
    void (*make)(world *, const struct kind *);
    const double *rates; /* of constant and abruptly changed arms, ended by 0 */
    int permuted;
    double mean, drift; /* of drifting ones */
    size_t arms, delay; /* delay: steps from a choice to its count */
} kind;

/* ---- random numbers ------------------------------------------------------------------------------------------------ */

static double normal(world *w) {
    double z;
    experiment_check(NULL, tvgp_random_normal(w->seed, EXPERIMENT_OWN, w->drawn++, 1, &z), "random");
    return z;
}

static double uniform(world *w) {
    double u;
    experiment_check(NULL, tvgp_random_uniform(w->seed, EXPERIMENT_OWN + 1, w->drawn++, 1, &u), "random");
    return u;
}

/* Marsaglia and Tsang 2000; below shape 1 by a power of a uniform number. */
static double gamma_number(world *w, double shape) {
    const double d = fmax(shape, shape < 1 ? shape + 1 : 0) - 1. / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double z = normal(w), v = pow(1 + c * z, 3);
        if (v > 0 && log(uniform(w)) < 0.5 * z * z + d - d * v + d * log(v))
            return d * v * (shape < 1 ? pow(uniform(w), 1 / shape) : 1);
    }
}

static double binomial(world *w, size_t trials, double rate) {
    double u[300], sum = 0;
    experiment_check(NULL, tvgp_random_uniform(w->seed, EXPERIMENT_OWN + 2, w->drawn++, trials, u), "random");
    for (size_t i = 0; i < trials; i++)
        sum += u[i] < rate;
    return sum;
}

/* The number of uniform numbers whose product exceeds e^-rate. */
static double poisson(world *w, double rate) {
    double left = rate, n = 0;
    for (;; n++) {
        left += log(uniform(w));
        if (left < 0)
            return n;
    }
}

/* ---- worlds -------------------------------------------------------------------------------------------------------- */

static double logistic(double z) {
    return 1 / (1 + exp(-z));
}

static void room(world *w, size_t arms, size_t steps) {
    w->arms = arms;
    w->steps = steps;
    w->rate = experiment_allocate(arms * steps, sizeof *w->rate);
    w->count = experiment_allocate(arms * steps, sizeof *w->count);
}

static void permute(world *w, double *x) {
    for (size_t i = w->arms; i-- > 1;) {
        const size_t k = (size_t)(uniform(w) * (double)(i + 1));
        const double held = x[i];
        x[i] = x[k];
        x[k] = held;
    }
}

static void constant(world *w, const kind *k) {
    double rate[MOST_ARMS];
    room(w, k->arms, k->steps);
    for (size_t i = 0; i < w->arms; i++)
        rate[i] = k->rates ? k->rates[i] : logistic(-2.5 + .6 * normal(w));
    if (k->permuted)
        permute(w, rate);
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->rate[i] = rate[i % w->arms];
}

static void redrawn(world *w, const kind *k) {
    double rate[MOST_ARMS];
    room(w, k->arms, k->steps);
    memcpy(rate, k->rates, w->arms * sizeof *rate);
    for (size_t t = 0; t < w->steps; t++) {
        if (t % (w->steps / 4) == 0)
            permute(w, rate);
        memcpy(w->rate + t * w->arms, rate, w->arms * sizeof *rate);
    }
}

/* Ornstein-Uhlenbeck processes of variance 1, into the rates. */
static void wander(world *w, double rate) {
    double f[MOST_ARMS];
    for (size_t i = 0; i < w->arms; i++)
        f[i] = normal(w);
    for (size_t i = 0; i < w->arms * w->steps; i++) {
        double *x = &f[i % w->arms];
        w->rate[i] = *x;
        *x = sqrt(1 - rate) * *x + sqrt(rate) * normal(w);
    }
}

static void drifting(world *w, const kind *k) {
    room(w, uniform(w) < .5 ? 5 : 9, k->steps);
    wander(w, .001);
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->rate[i] = fmin(fmax(k->mean * (1 + .45 * w->rate[i]), .05 * k->mean), 1);
}

/* The logit has a half-life of this many steps. */
static void wandering(world *w, const kind *k) {
    room(w, 6, k->steps);
    wander(w, 1 - pow(.5, 2 / k->drift));
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->rate[i] = logistic(.5 * w->rate[i] - 3);
}

/* Logits that swing, each arm in its own phase. */
static void swinging(world *w, const kind *k) {
    double phase[MOST_ARMS];
    room(w, 6, k->steps);
    for (size_t i = 0; i < w->arms; i++)
        phase[i] = 2 * acos(-1) * uniform(w);
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->rate[i] = logistic(.7 * sin(2 * acos(-1) * (double)(i / w->arms) / k->drift + phase[i % w->arms]) - 3);
}

/* A load common to all arms, and a lasting order. */
static void loaded(world *w, const kind *k) {
    double own[MOST_ARMS];
    room(w, 8, k->steps);
    const double phase = 6 * uniform(w);
    for (size_t i = 0; i < w->arms; i++)
        own[i] = .4 * normal(w);
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->rate[i] = logistic(-2.5 + .8 * sin(2 * acos(-1) * (double)(i / w->arms) / 240 + phase) + own[i % w->arms]);
}

static void events(world *w, const kind *k) {
    double own[MOST_ARMS];
    room(w, k->arms, k->steps);
    if (k->drift > 0)
        wander(w, k->drift);
    for (size_t i = 0; i < w->arms; i++)
        own[i] = normal(w);
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->rate[i] = k->mean * exp(.5 * (k->drift > 0 ? w->rate[i] : own[i % w->arms]));
}

static const double two[] = {.05, .08}, four[] = {.04, .06, .09, .05}, last[] = {.05, .06, .04, .09},
                    six[] = {.03, .03, .04, .08, .05, .06}, ten[] = {.03, .03, .03, .03, .03, .03, .03, .03, .03, .06},
                    levels[] = {.05, .08, .12, .2},
                    coins[] = {.3, 1. / 3, 1.1 / 3, .4, 1.3 / 3, 1.4 / 3, .5, 1.6 / 3, 1.7 / 3, .6};

static const kind kinds[] = {
    {"2 arms", CONSTANT, 0, 1, 3000, constant, two, 0, 0, 0, 2, 0},
    {"4 arms", CONSTANT, 0, 1, 3000, constant, four, 0, 0, 0, 4, 0},
    {"4 arms, the last best", CONSTANT, 0, 1, 3000, constant, last, 0, 0, 0, 4, 0},
    {"6 arms", CONSTANT, 0, 1, 3000, constant, six, 1, 0, 0, 6, 0},
    {"10 arms", CONSTANT, 0, 1, 3000, constant, ten, 0, 0, 0, 10, 0},
    {"10 coins", CONSTANT, 0, 1, 2000, constant, coins, 1, 0, 0, 10, 0},
    {"30 arms", CONSTANT, 0, 1, 3000, constant, NULL, 0, 0, 0, 30, 0},
    {"6 arms, 30 trials", CONSTANT, 0, 30, 300, constant, six, 1, 0, 0, 6, 0},
    {"6 arms, 300 trials", CONSTANT, 0, 300, 300, constant, six, 1, 0, 0, 6, 0},
    {"drift 1 %", DRIFTING, 0, 1, 3000, drifting, NULL, 0, .01, 0, 0, 0},
    {"drift 4 %", DRIFTING, 0, 1, 3000, drifting, NULL, 0, .04, 0, 0, 0},
    {"drift 12 %", DRIFTING, 0, 1, 3000, drifting, NULL, 0, .12, 0, 0, 0},
    {"drift 40 %", DRIFTING, 0, 1, 1500, drifting, NULL, 0, .4, 0, 0, 0},
    {"drift 4 %, 10 trials", DRIFTING, 0, 10, 1500, drifting, NULL, 0, .04, 0, 0, 0},
    {"drift 4 %, 100 trials", DRIFTING, 0, 100, 1500, drifting, NULL, 0, .04, 0, 0, 0},
    {"drift 4 %, 300 trials", DRIFTING, 0, 300, 1500, drifting, NULL, 0, .04, 0, 0, 0},
    {"half-life 100, 300 trials", DRIFTING, 0, 300, 600, wandering, NULL, 0, 0, 100, 0, 0},
    {"half-life 400, 300 trials", DRIFTING, 0, 300, 600, wandering, NULL, 0, 0, 400, 0, 0},
    {"load", DRIFTING, 0, 1, 2000, loaded, NULL, 0, 0, 0, 0, 0},
    {"load, 30 trials", DRIFTING, 0, 30, 800, loaded, NULL, 0, 0, 0, 0, 0},
    {"redrawn", ABRUPT, 0, 1, 3000, redrawn, levels, 1, 0, 0, 4, 0},
    {"redrawn, 30 trials", ABRUPT, 0, 30, 800, redrawn, six, 1, 0, 0, 6, 0},
    {"events of .05", EVENTS, 1, 1, 3000, events, NULL, 0, .05, 0, 6, 0},
    {"events of 1", EVENTS, 1, 1, 600, events, NULL, 0, 1, 0, 6, 0},
    {"events of 20", EVENTS, 1, 1, 300, events, NULL, 0, 20, 0, 10, 0},
    {"events of .05, drift", EVENTS, 1, 1, 3000, events, NULL, 0, .05, .002, 6, 0},
    {"events of 1, drift", EVENTS, 1, 1, 1500, events, NULL, 0, 1, .002, 6, 0},
    {"events of 20, drift", EVENTS, 1, 1, 800, events, NULL, 0, 20, .002, 10, 0},
    {"wandering, 1 late", LATE, 0, 300, 600, wandering, NULL, 0, 0, 400, 0, 1},
    {"wandering, 24 late", LATE, 0, 300, 600, wandering, NULL, 0, 0, 400, 0, 24},
    {"wandering, 48 late", LATE, 0, 300, 600, wandering, NULL, 0, 0, 400, 0, 48},
    {"wandering, 96 late", LATE, 0, 300, 600, wandering, NULL, 0, 0, 400, 0, 96},
    {"sines, 1 late", LATE, 0, 300, 600, swinging, NULL, 0, 0, 600, 0, 1},
    {"sines, 24 late", LATE, 0, 300, 600, swinging, NULL, 0, 0, 600, 0, 24},
    {"sines, 48 late", LATE, 0, 300, 600, swinging, NULL, 0, 0, 600, 0, 48},
    {"sines, 96 late", LATE, 0, 300, 600, swinging, NULL, 0, 0, 600, 0, 96},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void open_world(world *w, const kind *k, uint64_t seed) {
    *w = (world){.seed = seed * 64 + (uint64_t)(k - kinds)};
    k->make(w, k);
    for (size_t i = 0; i < w->arms * w->steps; i++)
        w->count[i] = k->events ? poisson(w, w->rate[i] * k->exposure) : binomial(w, (size_t)k->exposure, w->rate[i]);
}

static void close_world(const world *w) {
    free(w->rate);
    free(w->count);
}

/* ---- playing ------------------------------------------------------------------------------------------------------- */

/* share: of the regret of uniform play. locked: over 95 % of the steps on one arm that is not the best, and a share above .3. never:
 * the best arm was not asked. Both of constant worlds. */
typedef struct score {
    double share, locked, never;
} score;
enum { NUMBERS = sizeof(score) / sizeof(double) };

static score judge(const world *w, const size_t *arms) {
    double lost = 0, uniform = 0, asked[MOST_ARMS] = {0};
    size_t best = 0, most = 0;
    int moves = 0;
    for (size_t t = 0; t < w->steps; t++) {
        const double *f = w->rate + t * w->arms;
        double top = 0, sum = 0;
        for (size_t i = 0; i < w->arms; i++) {
            top = fmax(top, f[i]);
            sum += f[i];
            moves |= f[i] != w->rate[i];
        }
        lost += top - f[arms[t]];
        uniform += top - sum / (double)w->arms;
        asked[arms[t]]++;
    }
    for (size_t i = 0; i < w->arms; i++) {
        best = w->rate[i] > w->rate[best] ? i : best;
        most = asked[i] > asked[most] ? i : most;
    }
    const double share = lost / uniform;
    return (score){share, !moves && share > .3 && asked[most] > .95 * (double)w->steps && w->rate[most] < w->rate[best],
                   !moves && asked[best] == 0};
}

static score play(const world *w, const kind *k, tvgp_ctx *ctx, tvgp_policy *p) {
    size_t *arms = experiment_allocate(w->steps, sizeof *arms);
    tvgp_query *q = experiment_allocate(w->steps, sizeof *q);
    for (size_t t = 0; t < w->steps; t++) {
        experiment_check(ctx, tvgp_policy_ask_one(p, (double)(t + 1), &q[t], NULL), "ask");
        arms[t] = (size_t)q[t].arm;
        if (t < k->delay)
            continue;
        const size_t then = t - k->delay;
        const tvgp_obs obs = tvgp_obs_count(q[then].id, w->count[then * w->arms + arms[then]], k->exposure);
        experiment_check(ctx, tvgp_policy_tell(p, 1, &obs, NULL), "tell");
    }
    const score out = judge(w, arms);
    free(arms);
    free(q);
    return out;
}

/* Draws rates from Beta(1 + y, 1 + n - y) or Gamma(1/2 + y, n), of counts that are discounted at each step. */
static score sample(world *w, const kind *k, double keep) {
    double y[MOST_ARMS] = {0}, n[MOST_ARMS] = {0};
    size_t *arms = experiment_allocate(w->steps, sizeof *arms);
    for (size_t t = 0; t < w->steps; t++) {
        double top = -1;
        for (size_t i = 0; i < w->arms; i++) {
            const double a = gamma_number(w, (k->events ? .5 : 1) + y[i]);
            const double draw = k->events ? a / fmax(n[i], 1e-9) : a / (a + gamma_number(w, 1 + n[i] - y[i]));
            arms[t] = draw > top ? i : arms[t];
            top = fmax(top, draw);
        }
        for (size_t i = 0; i < w->arms; i++) {
            y[i] *= keep;
            n[i] *= keep;
        }
        if (t < k->delay)
            continue;
        const size_t arm = arms[t - k->delay];
        y[arm] += w->count[(t - k->delay) * w->arms + arm];
        n[arm] += k->exposure;
    }
    const score out = judge(w, arms);
    free(arms);
    return out;
}

static void run(experiment *e, const void *user, size_t r, double *values) {
    const kind *k = user;
    score *scores = (score *)(void *)values;
    world w;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    open_world(&w, k, e->seed + r);
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_domain_indices(ctx, w.arms, &domain), "domain");
    for (size_t i = 0; i < e->n_players; i++) {
        tvgp_policy *p = experiment_policy(e, i, ctx, domain, NULL, r);
        experiment_check(ctx, tvgp_policy_set_str(p, "outcome.type", k->events ? "poisson" : "binomial"), "type");
        scores[i] = play(&w, k, ctx, p);
        tvgp_policy_destroy(p);
    }
    for (size_t i = 0; i < SAMPLERS; i++)
        scores[e->n_players + i] = sample(&w, k, kept[i]);
    tvgp_domain_destroy(domain);
    tvgp_ctx_destroy(ctx);
    close_world(&w);
}

/* ---- report -------------------------------------------------------------------------------------------------------- */

typedef struct sums {
    double logs[GROUPS], worlds[GROUPS], over, locked, never, constant;
} sums;

static void add(const experiment *e, const kind *k, const double *values, size_t width, size_t column, sums *to) {
    const double mean = experiment_mean_of(values, e->runs, width, column).mean;
    to->logs[k->group] += log(mean);
    to->worlds[k->group]++;
    for (size_t r = 0; r < e->runs; r++) {
        const score *s = (const score *)(const void *)(values + r * width + column);
        const int still = k->group == CONSTANT || (k->group == EVENTS && k->drift == 0);
        to->constant += still;
        to->over += still && s->share > .8;
        to->locked += s->locked;
        to->never += s->never;
    }
}

/* Of a group; negative: of all, without those that are late. */
static double geometric(const sums *s, int group) {
    double logs = 0, worlds = 0;
    for (int g = 0; g < GROUPS; g++) {
        const int counts = group < 0 ? g != LATE : g == group;
        logs += counts ? s->logs[g] : 0;
        worlds += counts ? s->worlds[g] : 0;
    }
    return exp(logs / worlds);
}

static void report_row(const char *what, size_t n, const sums *all, int group) {
    printf("%s", what);
    for (size_t i = 0; i < n; i++)
        printf(",%.3f,", geometric(&all[i], group));
    printf("\n");
}

static void report(size_t n, const sums *all, const double worst[2]) {
    for (int g = 0; g < GROUPS; g++)
        if (all[0].worlds[g] > 0)
            report_row(groups[g], n, all, g);
    report_row("all", n, all, -1);
    printf("constant worlds: runs above .8; locked on a wrong arm; best arm never asked");
    for (size_t i = 0; i < n; i++)
        printf(",%g; %g; %g,", all[i].over, all[i].locked, all[i].never);
    printf(" of %g\n\nratio,measured\n\"the worst world, to the best of the others\",%.3f\n", all[0].constant, worst[0]);
    printf("\"the worst world of late counts, to the best of the others\",%.3f\n", worst[1]);
}

static double play_world(experiment *e, const kind *k, sums *all) {
    const size_t n = e->n_players + SAMPLERS, width = NUMBERS * n;
    double *values = experiment_runs(e, run, k, width), best = INFINITY;
    printf("%s", k->name);
    for (size_t i = 0; i < n; i++) {
        const experiment_mean m = experiment_mean_of(values, e->runs, width, NUMBERS * i);
        printf(",%.3f,%.3f", m.mean, m.error);
        best = i ? fmin(best, m.mean) : best;
        add(e, k, values, width, NUMBERS * i, &all[i]);
    }
    printf("\n");
    fflush(stdout);
    const double ratio = experiment_mean_of(values, e->runs, width, 0).mean / best;
    free(values);
    return ratio;
}

void exp_counts(int argc, char **argv) {
    static const char *const players[] = {"auto-gp-ucb", "gp-ucb", "tv-gp-ucb", NULL};
    static sums all[EXPERIMENT_PLAYERS + SAMPLERS];
    experiment e = {.name = "counts", .runs = 48, .processes = 2, .seed = 50001};
    double only = -1, worst[2] = {0, 0};
    const experiment_number own[] = {{"--world", "play only this world, from 0; negative: all", &only}};
    experiment_read(&e, argc, argv, players, own, 1);
    printf("world");
    for (size_t i = 0; i < e.n_players; i++)
        printf(",%s,error", e.players[i].label);
    for (size_t i = 0; i < SAMPLERS; i++)
        printf(",%s,error", samplers[i]);
    printf("\n");
    for (size_t k = 0; k < KINDS; k++)
        if (only < 0 || only == (double)k) {
            double *of = &worst[kinds[k].group == LATE];
            *of = fmax(*of, play_world(&e, &kinds[k], all));
        }
    report(e.n_players + SAMPLERS, all, worst);
}

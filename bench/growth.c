/* SPDX-License-Identifier: MIT */
/* Does the time of a step grow, and does a step allocate? Every policy that learns its hyperparameters, with default settings, on
 * 15 x 15 arms, 32 x 32 arms and the box of the unit square. The function is an SE field (l = 0.2, 200 random Fourier features)
 * whose weights forget at `epsilon` a step, the noise variance is 0.01. One row for each policy and place, averaged over seeds:
 * processor time of ask and tell in steps 201 to 500 and in the last 300, their ratio, the value that 99 of 100 steps are below and
 * the longest (after step 200, the mean over seeds), steps after step 200 that allocate, in 1000, and how many of these enlarge a
 * posterior, bytes held at the end. A step enlarges a posterior if the rank in use is then larger than ever, or if it belongs to
 * an adoption after which that is so. With --runs 1 each run is one line of CSV instead, with its mean regret after step 200 (on a
 * box against a grid of 32 x 32). With --against each seed is played twice, the second time with this option too, and a row has
 * both times, their ratios, both regrets, and the mean difference of the pairs with its standard error. With --repeats each game
 * is played so often, and a step counts with the least time that it took: other programs on the machine then matter less. With
 * --idle 1 each seed is played twice as with --against, the second time with tvgp_policy_fit(policy, 1) after each outcome until it is
 * done, whose time does not count.
 *
 * usage: bench_growth [--policy NAME]... [--place 225|1024|box]... [--seeds N] [--first N] [--steps T] [--epsilon E] [--runs 1]
 *                     [--set KEY=VALUE]... [--against KEY=VALUE | --idle 1] [--repeats N]
 * Defaults: all such policies and places, 4 seeds from 1 on, 2000 steps, epsilon 0.01. */
#include "samples.h"
#include "settings.h"
#include "stopwatch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvgp.h>

enum { FEATURES = 200, MOST = 8, BLOCK = 300, WARM = 200, SIDE = 32, PURPOSE = 1301 };

static const char *const learning[] = {"gp-ucb",    "igp-ucb",   "ui-gp-ucb", "w-gp-ucb",
                                       "et-gp-ucb", "tv-gp-ucb", "sw-gp-ucb", "auto-gp-ucb"};
static const char *const places[] = {"225", "1024", "box"};

typedef struct arguments {
    const char *policy[MOST], *place[MOST];
    size_t policies, places, seeds, first, steps, runs, repeats, idle;
    int fits; /* this game calls tvgp_policy_fit after each outcome */
    double epsilon;
    settings sets;
    const char *against; /* NULL: nothing is compared */
} arguments;

typedef struct world {
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    size_t side;    /* 0: the box */
    double *cosine; /* features of the grid, on which the best value is looked for */
    double omega[FEATURES * 2], phase[FEATURES], weight[FEATURES];
} world;

typedef struct result {
    double second, last, p99, longest, allocating, enlarging, bytes, regret;
} result;

/* Steps that allocate: all, those that enlarge a posterior, and those since an optimisation or adoption began that goes on. */
typedef struct allocations {
    size_t all, enlarging, open;
    double rank; /* the largest so far */
} allocations;

static size_t calls; /* of the allocator */

static void *allocate(void *user, size_t bytes) {
    (void)user;
    calls++;
    return malloc(bytes);
}

static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void check(const world *w, tvgp_status status, const char *what) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "bench_growth: %s: %s\n", what, w->ctx ? tvgp_ctx_errmsg(w->ctx) : "");
    exit(EXIT_FAILURE);
}

static double feature(const world *w, size_t j, const double *x) {
    return sqrt(2.0 / FEATURES) * cos(w->phase[j] + w->omega[2 * j] * x[0] + w->omega[2 * j + 1] * x[1]);
}

static void open_world(world *w, const char *place, uint64_t seed) {
    const tvgp_allocator hooks = {.struct_size = sizeof hooks, .allocate = allocate, .release = release};
    const double lower[2] = {0}, upper[2] = {1, 1};
    check(w, tvgp_ctx_create(&hooks, &w->ctx), "context");
    w->side = strcmp(place, "box") == 0 ? 0 : strcmp(place, "225") == 0 ? 15 : 32;
    const size_t side = w->side ? w->side : SIDE, points[2] = {side, side};
    check(w,
          w->side ? tvgp_domain_grid(w->ctx, 2, lower, upper, points, &w->domain)
                  : tvgp_domain_box(w->ctx, 2, lower, upper, &w->domain),
          "domain");
    check(w, tvgp_random_normal(seed, PURPOSE, 0, FEATURES * 2, w->omega), "features");
    check(w, tvgp_random_uniform(seed, PURPOSE + 1, 0, FEATURES, w->phase), "features");
    for (size_t j = 0; j < FEATURES; j++) {
        w->phase[j] *= 2 * acos(-1);
        w->omega[2 * j] /= 0.2;
        w->omega[2 * j + 1] /= 0.2;
    }
    w->cosine = malloc(side * side * FEATURES * sizeof *w->cosine);
    if (!w->cosine)
        exit(EXIT_FAILURE);
    for (size_t i = 0; i < side * side; i++) {
        const double x[2] = {(double)(i / side) / (double)(side - 1), (double)(i % side) / (double)(side - 1)};
        for (size_t j = 0; j < FEATURES; j++)
            w->cosine[i * FEATURES + j] = feature(w, j, x);
    }
}

static void close_world(world *w) {
    tvgp_domain_destroy(w->domain);
    tvgp_ctx_destroy(w->ctx);
    free(w->cosine);
}

static void move(world *w, double epsilon, uint64_t seed, size_t t) {
    double fresh[FEATURES];
    check(w, tvgp_random_normal(seed, PURPOSE + 2, t * FEATURES, FEATURES, fresh), "drift");
    for (size_t j = 0; j < FEATURES; j++)
        w->weight[j] = t > 1 ? sqrt(1 - epsilon) * w->weight[j] + sqrt(epsilon) * fresh[j] : fresh[j];
}

static double value_at(const world *w, const double *x) {
    double f = 0;
    for (size_t j = 0; j < FEATURES; j++)
        f += w->weight[j] * feature(w, j, x);
    return f;
}

static double best_value(const world *w) {
    const size_t side = w->side ? w->side : SIDE;
    double best = -INFINITY;
    for (size_t i = 0; i < side * side; i++) {
        double f = 0;
        for (size_t j = 0; j < FEATURES; j++)
            f += w->weight[j] * w->cosine[i * FEATURES + j];
        best = fmax(best, f);
    }
    return best;
}

static double mean(const double *seconds, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += seconds[i];
    return n ? 1e6 * sum / (double)n : NAN;
}

/* One ask and tell: its time, and whether it allocated. */
static double step(world *w, tvgp_policy *policy, uint64_t seed, size_t t, double *reward, int *allocated) {
    tvgp_query query;
    double x[2], noise;
    const size_t before = calls;
    const double start = stopwatch_processor();
    check(w, tvgp_policy_ask_one(policy, (double)t, &query, x), "ask");
    const double asked = stopwatch_processor() - start;
    check(w, tvgp_random_normal(seed, PURPOSE + 3, t, 1, &noise), "noise");
    *reward = value_at(w, x);
    const double y = *reward + 0.1 * noise, again = stopwatch_processor();
    check(w, tvgp_policy_tell_value(policy, query.id, y), "tell");
    *allocated = calls > before;
    return asked + stopwatch_processor() - again;
}

static void fit(const world *w, tvgp_policy *policy) {
    tvgp_status status = TVGP_AGAIN;
    size_t evals;
    while (status == TVGP_AGAIN)
        status = tvgp_policy_fit(policy, 1, &evals);
    check(w, status, "fit");
}

static double stat(const world *w, const tvgp_policy *policy, const char *name) {
    double value;
    check(w, tvgp_policy_stat(policy, name, &value), name);
    return value;
}

static void count(const world *w, const tvgp_policy *policy, int allocated, allocations *steps) {
    const double rank = stat(w, policy, "rank");
    steps->all += (size_t)allocated;
    steps->open += (size_t)allocated;
    if (rank > steps->rank) {
        steps->enlarging += steps->open;
        steps->rank = rank;
        steps->open = 0;
    }
    if (stat(w, policy, "fit.pending") == 0)
        steps->open = 0;
}

/* A game. seconds: T, the least that each step took in this game and the `earlier` equal ones. */
static result game(arguments *a, const char *name, const char *place, uint64_t seed, size_t earlier, double *seconds) {
    world *w = calloc(1, sizeof *w);
    tvgp_policy *policy = NULL;
    result r = {0};
    size_t bytes;
    allocations steps = {0};
    if (!w)
        exit(EXIT_FAILURE);
    open_world(w, place, seed);
    check(w, tvgp_policy_create(w->ctx, name, w->domain, NULL, &policy), name);
    check(w, settings_apply(&a->sets, policy), name);
    for (size_t t = 1; t <= a->steps; t++) {
        double reward;
        int allocated;
        move(w, a->epsilon, seed, t);
        const double taken = step(w, policy, seed, t, &reward, &allocated);
        if (a->fits)
            fit(w, policy);
        seconds[t - 1] = earlier ? fmin(seconds[t - 1], taken) : taken;
        count(w, policy, allocated && t > WARM, &steps);
        if (t > WARM && (a->runs || a->against || a->idle))
            r.regret += (best_value(w) - reward) / (double)(a->steps - WARM);
    }
    check(w, tvgp_ctx_memory(w->ctx, &bytes), "memory");
    r.allocating = 1000 * (double)steps.all / (double)(a->steps - WARM);
    r.enlarging = 1000 * (double)steps.enlarging / (double)(a->steps - WARM);
    r.bytes = (double)bytes;
    tvgp_policy_destroy(policy);
    close_world(w);
    free(w);
    return r;
}

static result play(arguments *a, const char *name, const char *place, uint64_t seed, double *seconds) {
    const size_t n = a->steps - WARM;
    result r = {0};
    for (size_t i = 0; i < a->repeats; i++)
        r = game(a, name, place, seed, i, seconds);
    r.second = mean(seconds + WARM, BLOCK);
    r.last = mean(seconds + a->steps - BLOCK, BLOCK);
    samples_sort(seconds + WARM, n);
    r.p99 = 1e6 * seconds[WARM + 99 * n / 100];
    r.longest = 1e6 * seconds[a->steps - 1];
    return r;
}

static void add(const result *r, double share, result *sum) {
    sum->second += share * r->second;
    sum->last += share * r->last;
    sum->p99 += share * r->p99;
    sum->longest += share * r->longest;
    sum->allocating += share * r->allocating;
    sum->enlarging += share * r->enlarging;
    sum->bytes += share * r->bytes;
    sum->regret += share * r->regret;
}

static void row(arguments *a, const char *name, const char *place, double *seconds) {
    result sum = {0};
    for (size_t i = 0; i < a->seeds; i++) {
        const result r = play(a, name, place, a->first + i, seconds);
        if (a->runs)
            printf("%s,%s,%zu,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.0f,%.6f\n", name, place, a->first + i, r.second, r.last, r.p99,
                   r.longest, r.allocating, r.enlarging, r.bytes, r.regret);
        add(&r, 1 / (double)a->seeds, &sum);
    }
    if (!a->runs)
        printf("| %s | %s | %.0f | %.0f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", name, place, sum.second, sum.last,
               sum.last / sum.second, sum.p99, sum.longest, sum.allocating, sum.enlarging, sum.bytes / 1000);
    fflush(stdout);
}

/* Every seed without and with the option that is compared. */
static void pairs(arguments *a, const char *name, const char *place, double *seconds) {
    const double n = (double)a->seeds;
    const size_t without = a->sets.n;
    result sum[2] = {{0}};
    double difference = 0, squares = 0;
    for (size_t i = 0; i < a->seeds; i++) {
        result r[2];
        for (size_t with = 0; with < 2; with++) {
            a->sets.n = without;
            a->fits = with && a->idle;
            if (with && a->against)
                settings_add(&a->sets, a->against);
            r[with] = play(a, name, place, a->first + i, seconds);
            add(&r[with], 1 / n, &sum[with]);
        }
        const double d = r[1].regret - r[0].regret;
        difference += d / n;
        squares += d * d / n;
    }
    a->sets.n = without;
    printf("| %s | %s | %g | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | %.2f | %.3f | %.3f | %.4f +- %.4f |\n", name, place,
           a->epsilon, sum[0].p99, sum[1].p99, sum[0].p99 / sum[1].p99, sum[0].longest, sum[1].longest,
           sum[0].longest / sum[1].longest, sum[0].last / sum[1].last, sum[0].regret, sum[1].regret, difference,
           sqrt(fmax(squares - difference * difference, 0) / (n - 1)));
    fflush(stdout);
}

static void parse(int argc, char **argv, arguments *a) {
    *a = (arguments){.seeds = 4, .first = 1, .steps = 2000, .repeats = 1, .epsilon = 0.01};
    const struct {
        const char *name;
        size_t *count;
    } counts[] = {{"--seeds", &a->seeds}, {"--first", &a->first},     {"--steps", &a->steps},
                  {"--runs", &a->runs},   {"--repeats", &a->repeats}, {"--idle", &a->idle}};
    for (int i = 1; i < argc; i += 2) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        size_t k = 0;
        while (k < sizeof counts / sizeof *counts && strcmp(option, counts[k].name) != 0)
            k++;
        if (k < sizeof counts / sizeof *counts)
            *counts[k].count = (size_t)strtoull(value, NULL, 10);
        else if (strcmp(option, "--epsilon") == 0)
            a->epsilon = strtod(value, NULL);
        else if (strcmp(option, "--against") == 0 && strchr(value, '='))
            a->against = value;
        else if (strcmp(option, "--policy") == 0 && a->policies < MOST)
            a->policy[a->policies++] = value;
        else if (strcmp(option, "--place") == 0 && a->places < MOST)
            a->place[a->places++] = value;
        else if (strcmp(option, "--set") != 0 || settings_add(&a->sets, value)) {
            fprintf(stderr, "bench_growth: cannot take %s %s\n", option, value);
            exit(2);
        }
    }
    if (a->steps < WARM + BLOCK || !a->seeds || !a->repeats) {
        fprintf(stderr, "bench_growth: steps must be >= %d, seeds and repeats >= 1\n", WARM + BLOCK);
        exit(2);
    }
    for (size_t i = 0, n = a->policies; !n && i < sizeof learning / sizeof *learning; i++)
        a->policy[a->policies++] = learning[i];
    for (size_t i = 0, n = a->places; !n && i < sizeof places / sizeof *places; i++)
        a->place[a->places++] = places[i];
}

int main(int argc, char **argv) {
    arguments a;
    parse(argc, argv, &a);
    double *seconds = malloc(a.steps * sizeof *seconds);
    if (!seconds)
        return EXIT_FAILURE;
    if (a.against || a.idle)
        printf("| policy | place | epsilon | 99 of 100 below, us | with %s | ratio | longest, us | with | ratio | ratio of "
               "means | "
               "regret | with | with minus without |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
               a.against ? a.against : "tvgp_policy_fit");
    else if (a.runs)
        printf("policy,place,seed,us_second,us_last,us_p99,us_max,allocating_per_1000,enlarging_per_1000,bytes,regret\n");
    else
        printf("| policy | place | steps 201 to 500, us | last 300, us | ratio | 99 of 100 below, us | longest, us | "
               "allocating "
               "steps in 1000 | of these enlarging | kB |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < a.places; i++)
        for (size_t j = 0; j < a.policies; j++)
            (a.against || a.idle ? pairs : row)(&a, a.policy[j], a.place[i], seconds);
    free(seconds);
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/* What the papers show next to regret.
 *
 *   first-reset  when et-gp-ucb resets first on functions of the within-model comparison (exp_within_model.c), on a grid of 30 x 30, T =
 *                200 (figure 4 of Brunzema et al.); 0: not at all. A run ends with it
 *   chosen       on the ten hills (bench/zoo: hills, its three sizes), the share of actions that each prior chose, and which are alive at
 *                the end (figures 2 b and 4 b of Ziomek, Adachi, Osborne)
 *   prediction   mean squared error of the posterior mean over all arms, every 20 steps (figure 4 of the W-SparQ paper), on the waves with
 *                an expert (bench/zoo: waves-expert); the variance of the values is what predicting their mean would have
 *   bounds       regret next to what the theorems bound it by, on a field that forgets and with an expert to ask (bench/zoo: ou,
 *                swing-expert, waves-expert). Where f is within width w_t of the mean everywhere, step t loses at most 2 w_t sd_t of
 *                what it plays; over the steps that is at most sqrt(C T w_T^2 I), C = 8 v / ln(1 + v / s2), v the prior variance and I
 *                the sum of ln(1 + sd_t^2 / s2) / 2 (Srinivas et al. 2010, lemma 5.4). For tv-gp-ucb I is at most (T / N + 1)
 *                (gain_N + N^3 rate / s2) for every N (Bogunovic, Scarlett, Cevher 2016, theorem 4.3) */
#include "exp.h"
#include "experiment.h"
#include "field.h"
#include "samples.h"
#include "zoo/play.h"
#include "zoo/player_gp.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the first reset ---------------------------------------------------------------------------------------------- */

typedef struct triggers {
    field field;
    double epsilon, steps, noise;
} triggers;

/* Plays until the first reset; its step, or the number of steps + 1. */
static void run_to_reset(experiment *e, const void *user, size_t r, double *values) {
    const triggers *s = user;
    const size_t arms = s->field.arms;
    double *f = experiment_allocate(2 * arms, sizeof *f), *g = f + arms, z;
    tvgp_policy *p = experiment_policy(e, 0, s->field.ctx, s->field.domain, s->field.kernel, r);
    size_t t = 0;
    while (t++ < (size_t)s->steps) {
        tvgp_query q;
        field_sample(&s->field, e->seed + r, t, g);
        for (size_t i = 0; i < arms; i++)
            f[i] = t > 1 ? sqrt(1 - s->epsilon) * f[i] + sqrt(s->epsilon) * g[i] : g[i];
        experiment_check(s->field.ctx, tvgp_policy_ask_one(p, (double)t, &q, NULL), "ask");
        if (experiment_stat(p, "resets") > 0)
            break;
        experiment_check(NULL, tvgp_random_normal(e->seed + r, EXPERIMENT_NOISE, t, 1, &z), "noise");
        experiment_check(s->field.ctx, tvgp_policy_tell_value(p, q.id, f[q.arm] + sqrt(s->noise) * z), "tell");
        if (experiment_stat(p, "resets") > 0)
            break;
    }
    *values = (double)t;
    tvgp_policy_destroy(p);
    free(f);
}

void exp_first_reset(int argc, char **argv) {
    static const char *const players[] = {"et-gp-ucb", NULL};
    experiment e = {.name = "first-reset", .runs = 30000, .processes = 2, .seed = 1};
    triggers s = {.epsilon = 0.03, .steps = 200, .noise = 0.02};
    const experiment_number own[] = {{"--epsilon", "rate at which the functions drift", &s.epsilon},
                                     {"--steps", "of a run", &s.steps}};
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    field_create(&s.field, 30);
    char known[SETTINGS_SIZE];
    snprintf(known, sizeof known, "noise=%.17g", s.noise);
    settings_add(&e.defaults, known);
    settings_add(&e.defaults, "width.c1=0.4");
    settings_add(&e.defaults, "width.c2=4");
    double *first = experiment_runs(&e, run_to_reset, &s, 1), sum = 0;
    const experiment_mean mean = experiment_mean_of(first, e.runs, 1, 0);
    samples_sort(first, e.runs);
    for (size_t r = 0; r < e.runs; r++)
        sum += first[r] <= s.steps;
    printf("experiment,epsilon,runs,with_reset,mean,error,p5,p25,median,p75,p95\n%s,%g,%zu,%.4f,%.2f,%.2f", e.name,
           s.epsilon, e.runs, sum / (double)e.runs, mean.mean, mean.error);
    for (size_t k = 0; k < 5; k++)
        printf(",%g", first[(size_t)((double[]){0.05, 0.25, 0.5, 0.75, 0.95}[k] * (double)(e.runs - 1))]);
    printf("\n");
    free(first);
    field_destroy(&s.field);
}

/* ---- problems of the benchmark ------------------------------------------------------------------------------------------ */

/* Algorithms on a problem, and who looks on: each algorithm fills n_values numbers in a run. */
typedef struct scene {
    const char *problem, *settings;
    int level;
    const char *const *players;
    size_t n_players, n_values;
    void (*look)(void *looker, tvgp_policy *policy, size_t step, const tvgp_query *action_or_null);
} scene;

enum { SUMS = 4 };
typedef struct looker {
    zoo_stage stage;
    double *values, sum[SUMS]; /* of the algorithm that plays; the sums begin at 0 */
} looker;

static void open_stage(const scene *s, uint64_t seed, zoo_stage *stage) {
    char message[400] = "";
    tvgp_ctx *ctx;
    tvgp_zoo_problem *p;
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    experiment_check(ctx, tvgp_zoo_open(ctx, s->problem, s->settings, seed, &p, message, sizeof message), s->problem);
    zoo_stage_open(stage, ctx, p, seed);
}

static void close_stage(zoo_stage *stage) {
    zoo_stage_close(stage);
    tvgp_zoo_close(stage->problem);
    tvgp_ctx_destroy(stage->ctx);
}

static void run_scene(experiment *e, const void *user, size_t r, double *values) {
    const scene *s = user;
    looker l = {.values = values};
    open_stage(s, e->seed + r, &l.stage);
    l.stage.look = s->look;
    l.stage.user = &l;
    for (size_t i = 0; i < s->n_players; i++, l.values += s->n_values) {
        zoo_score score;
        for (size_t k = 0; k < SUMS; k++)
            l.sum[k] = 0;
        if (zoo_play(&l.stage, s->players[i], s->level, &score))
            experiment_check(l.stage.ctx, TVGP_ERR_UNSUPPORTED, s->players[i]);
    }
    close_stage(&l.stage);
}

/* ---- which prior chose -------------------------------------------------------------------------------------------- */

enum { PRIORS = 11, CHOSEN = 2 * PRIORS };
static const char *const weighers[] = {"pe-gp-ucb", "rb-gp-ucb", "mle-gp-ucb", "fb-gp-ucb"};
enum { WEIGHERS = sizeof weighers / sizeof *weighers };

/* At the end: of each prior the share of actions it chose, and whether it is alive. */
static void look_at_priors(void *user, tvgp_policy *policy, size_t step, const tvgp_query *action_or_null) {
    const looker *l = user;
    for (size_t k = 0; !action_or_null && step + 1 == l->stage.info.steps && k < PRIORS; k++) {
        char key[32];
        (void)snprintf(key, sizeof key, "prior.chosen.%zu", k);
        l->values[k] = experiment_stat(policy, key) / (double)l->stage.info.steps;
        (void)snprintf(key, sizeof key, "prior.alive.%zu", k);
        l->values[PRIORS + k] = experiment_stat(policy, key);
    }
}

void exp_chosen(int argc, char **argv) {
    static const char *const nobody[] = {NULL}, *const sizes[] = {"small", "middle", "hard"};
    experiment e = {.name = "chosen", .runs = 40, .processes = 2, .seed = 1};
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    printf("size,policy,runs,chosen_by_the_true_prior,error,by_the_false_one_most,true_alive,false_alive\n");
    for (size_t s = 0; s < 3; s++) {
        const scene hills = {"hills", sizes[s], TVGP_ZOO_MODEL, weighers, WEIGHERS, CHOSEN, look_at_priors};
        double *values = experiment_runs(&e, run_scene, &hills, WEIGHERS * CHOSEN);
        for (size_t i = 0; i < WEIGHERS; i++) {
            double most = 0, alive = 0;
            for (size_t k = 1; k < PRIORS; k++) {
                most = fmax(most, experiment_mean_of(values, e.runs, WEIGHERS * CHOSEN, i * CHOSEN + k).mean);
                alive += experiment_mean_of(values, e.runs, WEIGHERS * CHOSEN, i * CHOSEN + PRIORS + k).mean;
            }
            const experiment_mean own = experiment_mean_of(values, e.runs, WEIGHERS * CHOSEN, i * CHOSEN);
            printf("%s,%s,%zu,%.3f,%.3f,%.3f,%.2f,%.2f\n", sizes[s], weighers[i], e.runs, own.mean, own.error, most,
                   experiment_mean_of(values, e.runs, WEIGHERS * CHOSEN, i * CHOSEN + PRIORS).mean, alive);
        }
        free(values);
    }
}

/* ---- squared error of predictions --------------------------------------------------------------------------------- */

static const char *const predictors[] = {"sparq-gp-ucb side.round_exponent=1",
                                         "w-sparq-gp-ucb side.round_exponent=1 alpha=1",
                                         "auto-gp-ucb",
                                         "tv-gp-ucb",
                                         "gp-ucb",
                                         "sw-gp-ucb",
                                         "et-gp-ucb"};
enum { PREDICTORS = sizeof predictors / sizeof *predictors, EVERY = 20, LOOKS = 20, ARMS = 101 };

/* Every 20 steps, after the outcomes: sum over arms of (mean - value)^2 / arms. */
static void look_at_errors(void *user, tvgp_policy *policy, size_t step, const tvgp_query *action_or_null) {
    const looker *l = user;
    const zoo_stage *s = &l->stage;
    double mean[ARMS], value, t, sum = 0;
    if (action_or_null || (step + 1) % EVERY)
        return;
    experiment_check(s->ctx, tvgp_zoo_step(s->problem, step, &t, NULL), "step");
    experiment_check(s->ctx, tvgp_policy_predict(policy, t, ARMS, NULL, mean, NULL), "prediction");
    for (size_t i = 0; i < ARMS; i++) {
        experiment_check(s->ctx, tvgp_zoo_value(s->problem, step, (int64_t)i, NULL, &value, NULL, NULL), "value");
        sum += (mean[i] - value) * (mean[i] - value) / ARMS;
    }
    l->values[step / EVERY] = sum;
}

void exp_prediction(int argc, char **argv) {
    static const char *const nobody[] = {NULL};
    experiment e = {.name = "prediction", .runs = 10, .processes = 2, .seed = 1};
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    const scene waves = {"waves-expert", "small", TVGP_ZOO_MODEL, predictors, PREDICTORS, LOOKS, look_at_errors};
    double *values = experiment_runs(&e, run_scene, &waves, PREDICTORS * LOOKS);
    printf("policy,runs,step,squared_error,error\n");
    for (size_t i = 0; i < PREDICTORS; i++)
        for (size_t k = 0; k < LOOKS; k++) {
            const experiment_mean mean = experiment_mean_of(values, e.runs, PREDICTORS * LOOKS, i * LOOKS + k);
            printf("%s,%zu,%zu,%.5f,%.5f\n", predictors[i], e.runs, EVERY * (k + 1), mean.mean, mean.error);
        }
    free(values);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------- */

enum {
    REGRET,
    ADDED,
    GAIN,
    WIDTH,
    BOUND = 3,
    MOST_GAINS = 40
}; /* sums; of each look regret, sum of bounds, the theorem's */

/* At an action: its regret, and how much it may be if the width holds. */
static void look_at_bound(void *user, tvgp_policy *policy, size_t step, const tvgp_query *action_or_null) {
    looker *l = user;
    const zoo_stage *s = &l->stage;
    const tvgp_query *q = action_or_null;
    double mean[ARMS], var[ARMS], value, best;
    if (!q)
        return;
    experiment_check(s->ctx, tvgp_policy_predict(policy, q->t, s->arms, NULL, mean, var), "prediction");
    experiment_check(s->ctx, tvgp_zoo_value(s->problem, step, q->arm, NULL, &value, &best, NULL), "value");
    const double noise = s->info.noise, v = s->K[0] * pow(s->info.high - s->info.low, 2);
    const double margin = q->score - mean[q->arm], sd2 = var[q->arm];
    l->sum[REGRET] += best - value;
    l->sum[ADDED] += 2 * margin;
    l->sum[GAIN] += log(1 + sd2 / noise) / 2;
    l->sum[WIDTH] = fmax(l->sum[WIDTH], margin / sqrt(fmax(sd2, 1e-12)));
    if ((step + 1) % EVERY)
        return;
    double *now = l->values + (step + 1) / EVERY * BOUND - BOUND;
    now[0] = l->sum[REGRET];
    now[1] = l->sum[ADDED];
    now[2] = l->sum[WIDTH] * sqrt(8 * v / log(1 + v / noise) * (double)(step + 1) * l->sum[GAIN]);
}

/* What the theorem makes of the gain of N outcomes on a field that does not change, at its best N. */
static double most_gain(const zoo_stage *s, const double *gain, double steps) {
    double least = INFINITY;
    for (size_t n = 1; n <= MOST_GAINS; n++)
        least = fmin(least, (steps / (double)n + 1) * (gain[n - 1] + pow((double)n, 3) * s->info.epsilon / s->info.noise));
    return least;
}

/* The theorem for tv-gp-ucb, nothing known of the run. */
static void print_theorem(const scene *drifting, double width) {
    zoo_stage s;
    double gain[MOST_GAINS];
    open_stage(drifting, 1, &s);
    const double unit = s.info.high - s.info.low, v = s.K[0] * unit * unit;
    const zoo_facts facts = {.arms = s.arms, .steps = s.info.steps, .K = s.K, .noise = s.info.noise / unit / unit};
    zoo_gp gp;
    zoo_gp_create(&gp, &facts);
    for (size_t n = 1; n <= MOST_GAINS; n++)
        gain[n - 1] = zoo_gp_gain(&gp, n);
    zoo_gp_destroy(&gp);
    for (size_t k = 1; k <= LOOKS; k++) {
        const double t = (double)(EVERY * k);
        printf("%s,theorem,0,%g,,,%.1f,,\n", drifting->problem, t,
               width * sqrt(8 * v / log(1 + v / s.info.noise) * t * most_gain(&s, gain, t)));
    }
    close_stage(&s);
}

static void print_bounds(experiment *e, const scene *s) {
    const size_t n = s->n_players * s->n_values;
    double *values = experiment_runs(e, run_scene, s, n);
    for (size_t i = 0; i < s->n_players; i++)
        for (size_t k = 0; k < LOOKS; k++) {
            experiment_mean mean[BOUND];
            for (size_t c = 0; c < BOUND; c++)
                mean[c] = experiment_mean_of(values, e->runs, n, i * s->n_values + k * BOUND + c);
            printf("%s,%s,%zu,%zu,%.2f,%.2f,%.1f,%.1f,%.1f\n", s->problem, s->players[i], e->runs, EVERY * (k + 1),
                   mean[0].mean, mean[0].error, mean[1].mean, mean[1].error, mean[2].mean);
        }
    free(values);
}

void exp_bounds(int argc, char **argv) {
    static const char *const nobody[] = {NULL};
    static const char *const drift[] = {"tv-gp-ucb width.schedule=finite", "tv-gp-ucb"};
    static const char *const events[] = {"et-gp-ucb width.schedule=markov"};
    static const char *const swing[] = {"sparq-gp-ucb side.round_exponent=1 width.bound=5.05"};
    static const char *const waves[] = {"sparq-gp-ucb side.round_exponent=1 width.bound=5",
                                        "w-sparq-gp-ucb side.round_exponent=1 alpha=1 width.bound=5"};
    static const scene scenes[] = {
        {"ou", "rate=.01 noise=.02", TVGP_ZOO_ALL, drift, 2, LOOKS * BOUND, look_at_bound},
        {"ou", "rate=.01 noise=.02", TVGP_ZOO_MODEL, events, 1, LOOKS * BOUND, look_at_bound},
        {"swing-expert", "small expert_noise=.01", TVGP_ZOO_MODEL, swing, 1, LOOKS * BOUND, look_at_bound},
        {"waves-expert", "small expert_noise=.01", TVGP_ZOO_MODEL, waves, 2, LOOKS * BOUND, look_at_bound},
    };
    experiment e = {.name = "bounds", .runs = 10, .processes = 2, .seed = 1};
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    printf("problem,policy,runs,step,regret,error,bounds_added,error,theorem\n");
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        print_bounds(&e, &scenes[i]);
    print_theorem(&scenes[0], sqrt(2 * log(100 * 400.0 * 400 * 9.8696044 / (6 * 0.1))));
}

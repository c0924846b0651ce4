/* SPDX-License-Identifier: MIT */
/* What the papers show beside regret.
 *
 *   first-reset  when et-gp-ucb resets first on functions of the within-model comparison (exp_within_model.c), on a grid of 30 x 30, T =
 *                200 (figure 4 of Brunzema et al.); 0: not at all. A run ends with it
 *   chosen       on the ten hills (bench/zoo: hills, its three sizes), the share of actions that each prior chose, and which are alive at
 *                the end (figures 2 b and 4 b of Ziomek, Adachi, Osborne)
 *   prediction   mean squared error of the posterior mean over all arms, every 20 steps (figure 4 of the W-SparQ paper), on the waves with
 *                an expert (bench/zoo: waves-expert); the variance of the values is what predicting their mean would have */
#include "exp.h"
#include "experiment.h"
#include "field.h"
#include "samples.h"
#include "zoo/play.h"
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
    char told[SETTINGS_SIZE];
    snprintf(told, sizeof told, "noise=%.17g", s.noise);
    settings_add(&e.defaults, told);
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

/* ---- problems of the zoo, told the model -------------------------------------------------------------------------- */

static tvgp_zoo_problem *open_problem(tvgp_ctx *ctx, const char *name, const char *size, uint64_t seed) {
    char message[400] = "";
    tvgp_zoo_problem *p;
    experiment_check(ctx, tvgp_zoo_open(ctx, name, size, seed, &p, message, sizeof message), name);
    return p;
}

/* What a run on a problem of the zoo fills in, and where. */
typedef struct looker {
    zoo_stage stage;
    double *values;
} looker;

static void look_at(experiment *e, const char *problem, const char *size, size_t r, const char *const *players, size_t n,
                    size_t n_values, double *values, void (*look)(void *, tvgp_policy *, size_t)) {
    tvgp_ctx *ctx;
    looker l = {.values = values};
    experiment_check(NULL, tvgp_ctx_create(NULL, &ctx), "context");
    tvgp_zoo_problem *p = open_problem(ctx, problem, size, e->seed + r);
    zoo_stage_open(&l.stage, ctx, p, e->seed + r);
    l.stage.look = look;
    l.stage.user = &l;
    for (size_t i = 0; i < n; i++, l.values += n_values) {
        zoo_score score;
        if (zoo_play(&l.stage, players[i], TVGP_ZOO_MODEL, &score))
            experiment_check(ctx, TVGP_ERR_UNSUPPORTED, players[i]);
    }
    zoo_stage_close(&l.stage);
    tvgp_zoo_close(p);
    tvgp_ctx_destroy(ctx);
}

/* ---- which prior chose -------------------------------------------------------------------------------------------- */

enum { PRIORS = 11, CHOSEN = 2 * PRIORS };
static const char *const weighers[] = {"pe-gp-ucb", "rb-gp-ucb", "mle-gp-ucb", "fb-gp-ucb"};
enum { WEIGHERS = sizeof weighers / sizeof *weighers };

/* At the end: of each prior the share of actions it chose, and whether it is alive. */
static void look_at_priors(void *user, tvgp_policy *policy, size_t step) {
    const looker *l = user;
    for (size_t k = 0; step + 1 == l->stage.info.steps && k < PRIORS; k++) {
        char key[32];
        (void)snprintf(key, sizeof key, "prior.chosen.%zu", k);
        l->values[k] = experiment_stat(policy, key) / (double)l->stage.info.steps;
        (void)snprintf(key, sizeof key, "prior.alive.%zu", k);
        l->values[PRIORS + k] = experiment_stat(policy, key);
    }
}

static void run_chosen(experiment *e, const void *user, size_t r, double *values) {
    look_at(e, "hills", user, r, weighers, WEIGHERS, CHOSEN, values, look_at_priors);
}

void exp_chosen(int argc, char **argv) {
    static const char *const nobody[] = {NULL}, *const sizes[] = {"small", "middle", "hard"};
    experiment e = {.name = "chosen", .runs = 40, .processes = 2, .seed = 1};
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    printf("size,policy,runs,chosen_by_the_true_prior,error,by_the_false_one_most,true_alive,false_alive\n");
    for (size_t s = 0; s < 3; s++) {
        double *values = experiment_runs(&e, run_chosen, sizes[s], WEIGHERS * CHOSEN);
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

static const char *const predictors[] = {"sparq-gp-ucb queries.power=1",
                                         "w-sparq-gp-ucb queries.power=1 alpha=1",
                                         "auto-gp-ucb",
                                         "tv-gp-ucb",
                                         "gp-ucb",
                                         "sw-gp-ucb",
                                         "et-gp-ucb"};
enum { PREDICTORS = sizeof predictors / sizeof *predictors, EVERY = 20, LOOKS = 20, ARMS = 101 };

/* Every 20 steps, after the answers: sum over arms of (mean - value)^2 / arms. */
static void look_at_errors(void *user, tvgp_policy *policy, size_t step) {
    const looker *l = user;
    const zoo_stage *s = &l->stage;
    double mean[ARMS], value, t, sum = 0;
    if ((step + 1) % EVERY)
        return;
    experiment_check(s->ctx, tvgp_zoo_step(s->problem, step, &t, NULL), "step");
    experiment_check(s->ctx, tvgp_policy_predict(policy, t, ARMS, NULL, mean, NULL), "prediction");
    for (size_t i = 0; i < ARMS; i++) {
        experiment_check(s->ctx, tvgp_zoo_value(s->problem, step, (int64_t)i, NULL, &value, NULL, NULL), "value");
        sum += (mean[i] - value) * (mean[i] - value) / ARMS;
    }
    l->values[step / EVERY] = sum;
}

static void run_prediction(experiment *e, const void *user, size_t r, double *values) {
    look_at(e, "waves-expert", user, r, predictors, PREDICTORS, LOOKS, values, look_at_errors);
}

void exp_prediction(int argc, char **argv) {
    static const char *const nobody[] = {NULL};
    experiment e = {.name = "prediction", .runs = 10, .processes = 2, .seed = 1};
    experiment_read(&e, argc, argv, nobody, NULL, 0);
    double *values = experiment_runs(&e, run_prediction, "small", PREDICTORS * LOOKS);
    printf("policy,runs,step,squared_error,error\n");
    for (size_t i = 0; i < PREDICTORS; i++)
        for (size_t k = 0; k < LOOKS; k++) {
            const experiment_mean mean = experiment_mean_of(values, e.runs, PREDICTORS * LOOKS, i * LOOKS + k);
            printf("%s,%zu,%zu,%.5f,%.5f\n", predictors[i], e.runs, EVERY * (k + 1), mean.mean, mean.error);
        }
    free(values);
}

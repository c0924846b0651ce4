/* SPDX-License-Identifier: MIT */
/* Unknown prior on recorded temperatures (Ziomek, Adachi, Osborne, fig. 4): 52 sensors, ten-minute averages, 1 to 14 March
 * 2004. Each of the first 13 days gives one prior: the covariance of its rows, its rate of change, and (--means 1) the mean
 * of each sensor; the 14th is played, a sensor without a value being unavailable. Values are standardised over the 13 days
 * and observed as they are (or with noise of variance --added, so that runs differ). A policy that takes no priors has the
 * kernel, rate and means of the 13 days together. Next to them the table "best arm of the hour in training", which learns
 * nothing. */
#include "empirical_kernel.h"
#include "exp.h"
#include "experiment.h"
#include "recorded.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY = 144, HOURS = 24, DAYS = 13 };

typedef struct scene {
    double means, noise, added;
    readings data;
    double mean, sd;
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel[DAYS + 1]; /* the last of all days together */
    double epsilon[DAYS + 1];
    double *arm_mean[DAYS + 1];
} scene;

static void load(scene *s) {
    recorded_read("intel_temp_10min.csv", (DAYS + 1) * DAY, &s->data);
    readings_moments(&s->data, 0, DAYS * DAY, &s->mean, &s->sd);
    readings_standardise(&s->data, s->mean, s->sd);
}

/* Of each arm; 0, the mean of everything, for one without a value. */
static double *arm_means(const readings *r) {
    double *mean = experiment_allocate(r->n_arms, sizeof *mean);
    for (size_t a = 0; a < r->n_arms; a++) {
        double sum = 0, count = 0;
        for (size_t t = 0; t < r->n_times; t++) {
            const double v = r->value[t * r->n_arms + a];
            sum += isnan(v) ? 0 : v;
            count += isnan(v) ? 0 : 1;
        }
        mean[a] = count > 0 ? sum / count : 0;
    }
    return mean;
}

/* The rate whose correlation (1 - epsilon)^(1/2) over one step is that of neighbouring values about their arm's mean. */
static double rate(const readings *r, const double *mean) {
    double product = 0, square = 0;
    for (size_t i = 0; i + r->n_arms < r->n_times * r->n_arms; i++) {
        const double now = r->value[i] - mean[i % r->n_arms], next = r->value[i + r->n_arms] - mean[i % r->n_arms];
        if (isnan(now) || isnan(next))
            continue;
        product += now * next;
        square += 0.5 * (now * now + next * next);
    }
    return 1 - pow(product / square, 2);
}

static void prepare(scene *s) {
    double shrinkage;
    load(s);
    experiment_check(NULL, tvgp_ctx_create(NULL, &s->ctx), "context");
    experiment_check(s->ctx, tvgp_domain_indices(s->ctx, s->data.n_arms, &s->domain), "domain");
    for (size_t d = 0; d <= DAYS; d++) {
        readings part = s->data;
        part.n_times = d < DAYS ? DAY : DAYS * DAY;
        part.value += d < DAYS ? d * DAY * part.n_arms : 0;
        s->arm_mean[d] = arm_means(&part);
        s->epsilon[d] = rate(&part, s->arm_mean[d]);
        experiment_check(s->ctx, empirical_kernel(s->ctx, &part, part.n_times, &shrinkage, &s->kernel[d]), "covariance");
    }
}

static void give_priors(const void *user, tvgp_policy *policy) {
    const scene *s = user;
    for (size_t d = 0; d < DAYS; d++) {
        const tvgp_status status = tvgp_policy_add_prior(policy, s->kernel[d], s->means > 0 ? s->data.n_arms : 0,
                                                         s->means > 0 ? s->arm_mean[d] : NULL, s->epsilon[d]);
        if (status == TVGP_ERR_UNSUPPORTED) {
            experiment_check(s->ctx,
                             tvgp_policy_set_prior_mean(policy, s->means > 0 ? s->data.n_arms : 0,
                                                        s->means > 0 ? s->arm_mean[DAYS] : NULL),
                             "mean");
            return;
        }
        experiment_check(s->ctx, status, "prior");
    }
}

/* The day to be played, the same in every run. */
static double *functions(const void *user, uint64_t seed) {
    const scene *s = user;
    const size_t size = DAY * s->data.n_arms;
    double *f = experiment_allocate(size, sizeof *f);
    (void)seed;
    memcpy(f, s->data.value + DAYS * size, size * sizeof *f);
    return f;
}

static double play_table(const readings *r) {
    double regret = 0;
    for (size_t i = DAYS * DAY; i < (DAYS + 1) * DAY; i++) {
        const double *row = r->value + i * r->n_arms;
        double best = -INFINITY;
        for (size_t a = 0; a < r->n_arms; a++)
            best = isnan(row[a]) ? best : fmax(best, row[a]);
        regret += best - row[readings_best_of_phase(r, DAYS * DAY, DAY, HOURS, i)];
    }
    return regret;
}

void exp_sensors_prior(int argc, char **argv) {
    static const char *const players[] = {
        "pe-gp-ucb", "fb-gp-ucb", "mle-gp-ucb", "rb-gp-ucb rb.rule=printed", "rb-gp-ucb rb.rule=theory", "random",
        "tv-gp-ucb", "gp-ucb",    NULL};
    static const char *const stats[] = {"priors.alive", NULL};
    static const char *const chosen[] = {"prior.chosen.0",  "prior.chosen.1",
                                         "prior.chosen.2",  "prior.chosen.3",
                                         "prior.chosen.4",  "prior.chosen.5",
                                         "prior.chosen.6",  "prior.chosen.7",
                                         "prior.chosen.8",  "prior.chosen.9",
                                         "prior.chosen.10", "prior.chosen.11",
                                         "prior.chosen.12", NULL};
    experiment e = {.name = "sensors-prior", .runs = 20, .processes = 2, .seed = 1};
    scene s = {.means = 1, .noise = 0.01, .added = 0};
    double shows_chosen = 0;
    const experiment_number own[] = {{"--means", "1: priors have the means of their day; 0: none", &s.means},
                                     {"--noise", "noise variance the policies assume", &s.noise},
                                     {"--added", "variance of the noise added to observations", &s.added},
                                     {"--chosen", "1: how many actions each prior chose", &shows_chosen}};
    experiment_read(&e, argc, argv, players, own, sizeof own / sizeof *own);
    prepare(&s);
    char known[3][SETTINGS_SIZE];
    snprintf(known[0], sizeof known[0], "noise=%.17g", s.noise);
    snprintf(known[1], sizeof known[1], "horizon=%d", DAY);
    snprintf(known[2], sizeof known[2], "epsilon=%.17g", s.epsilon[DAYS]);
    for (size_t i = 0; i < 3; i++)
        settings_add(&e.defaults, known[i]);
    settings_add(&e.defaults, "width.schedule=prior-finite");
    const experiment_problem problem = {.ctx = s.ctx,
                                        .domain = s.domain,
                                        .kernel = s.kernel[DAYS],
                                        .arms = s.data.n_arms,
                                        .steps = DAY,
                                        .noise = s.added,
                                        .functions = functions,
                                        .user = &s,
                                        .prepare = give_priors,
                                        .stats = shows_chosen > 0 ? chosen : stats,
                                        .paired = 1};
    const char *variant = s.means > 0 ? "means" : "no means";
    experiment_compare(&e, &problem, variant);
    printf("%s,%s,best arm of the hour in training,%zu,%.2f,0.00,,,,\n", e.name, variant, e.runs, play_table(&s.data));
    for (size_t d = 0; d <= DAYS; d++) {
        tvgp_kernel_destroy(s.kernel[d]);
        free(s.arm_mean[d]);
    }
    tvgp_domain_destroy(s.domain);
    tvgp_ctx_destroy(s.ctx);
    readings_free(&s.data);
}

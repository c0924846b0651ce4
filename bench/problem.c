/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include "stopwatch.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 1000, NOISE = 1001 }; /* purposes of the random streams */

static const double NOISE_VARIANCE = 0.01;
static const char *const default_sets[] = {"noise=0.01", "width.schedule=constant", "epsilon=0.03"};

void problem_check(const problem *p, tvgp_status status, const char *what) {
    if (status == TVGP_OK)
        return;
    fprintf(stderr, "%s: %s: %s\n", what, tvgp_status_name(status), p->ctx ? tvgp_ctx_errmsg(p->ctx) : "");
    exit(EXIT_FAILURE);
}

FILE *problem_file(const char *dir, const char *name) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "wb") : NULL;
    if (!file) {
        fprintf(stderr, "bench: cannot write %s/%s\n", dir, name);
        exit(EXIT_FAILURE);
    }
    return file;
}

void problem_create(problem *p, size_t arms, size_t steps) {
    const double lengthscale = 0.2;
    *p = (problem){.arms = arms, .steps = steps};
    p->X = malloc(2 * arms * sizeof *p->X);
    p->value = malloc(arms * sizeof *p->value);
    p->noise = malloc(steps * sizeof *p->noise);
    problem_check(p, p->X && p->value && p->noise ? TVGP_OK : TVGP_ERR_NOMEM, "problem");
    problem_check(p, tvgp_random_uniform(1, PLACES, arms, 2 * arms, p->X), "arms");
    problem_check(p, tvgp_random_normal(1, NOISE, 0, steps, p->noise), "noise");
    for (size_t t = 0; t < steps; t++)
        p->noise[t] *= sqrt(NOISE_VARIANCE);
    for (size_t i = 0; i < arms; i++) {
        const double x = p->X[2 * i], y = p->X[2 * i + 1];
        p->value[i] = sin(6 * x) * cos(5 * y) + exp(-25 * ((x - 0.8) * (x - 0.8) + (y - 0.2) * (y - 0.2)));
    }
    for (size_t i = 0; i < sizeof default_sets / sizeof *default_sets; i++)
        settings_add(&p->defaults, default_sets[i]);
    problem_check(p, tvgp_ctx_create(NULL, &p->ctx), "context");
    problem_check(p, tvgp_domain_arms(p->ctx, arms, 2, p->X, &p->domain), "domain");
    problem_check(p, tvgp_kernel_se(p->ctx, 2, 1.0, 1, &lengthscale, &p->kernel), "kernel");
}

void problem_destroy(problem *p) {
    tvgp_kernel_destroy(p->kernel);
    tvgp_domain_destroy(p->domain);
    tvgp_ctx_destroy(p->ctx);
    free(p->noise);
    free(p->value);
    free(p->X);
}

tvgp_policy *problem_policy(problem *p, const char *name, settings *sets) {
    tvgp_policy *policy = NULL;
    problem_check(p, tvgp_policy_create(p->ctx, name, p->domain, p->kernel, &policy), name);
    problem_check(p, settings_apply(&p->defaults, policy), name);
    if (sets)
        problem_check(p, settings_apply(sets, policy), name);
    return policy;
}

size_t problem_step(const problem *p, tvgp_policy *policy, size_t t) {
    return problem_step_at(p, policy, t, (double)t);
}

size_t problem_step_at(const problem *p, tvgp_policy *policy, size_t t, double time) {
    tvgp_query query;
    problem_check(p, tvgp_policy_ask_one(policy, time, &query, NULL), "ask");
    const size_t arm = (size_t)query.arm;
    problem_check(p, tvgp_policy_tell_value(policy, query.id, p->value[arm] + p->noise[t - 1]), "tell");
    return arm;
}

double problem_run(problem *p, const char *name, size_t *choice) {
    const double start = stopwatch_seconds();
    tvgp_policy *policy = problem_policy(p, name, NULL);
    for (size_t t = 1; t <= p->steps; t++) {
        const size_t arm = problem_step(p, policy, t);
        if (choice)
            choice[t - 1] = arm;
    }
    const double seconds = stopwatch_seconds() - start;
    tvgp_policy_destroy(policy);
    return seconds;
}

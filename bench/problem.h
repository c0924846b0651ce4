/* SPDX-License-Identifier: MIT */
/* The problem that all benchmarks share: random arms in the unit square, SE kernel with lengthscale 0.2, a fixed smooth
 * function, noise variance 0.01, exploration width 2, epsilon 0.03 where a policy has one. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "settings.h"
#include <stdio.h>
#include <tvgp.h>

typedef struct problem {
    size_t arms, steps;
    double *X;     /* arms x 2 */
    double *value; /* of each arm */
    double *noise; /* of each step */
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
    settings defaults;
} problem;

/* Ends the program with a message when anything fails, as do the functions below. */
void problem_create(problem *p, size_t arms, size_t steps);
void problem_destroy(problem *p);
void problem_check(const problem *p, tvgp_status status, const char *what);

/* DIR/name, opened for writing. */
FILE *problem_file(const char *dir, const char *name);

/* A policy with the options above, then those of `sets` (may be NULL) that it has. */
tvgp_policy *problem_policy(problem *p, const char *name, settings *sets);

/* Asks and tells once, at time t = 1 .. steps or at another. The arm that was played. */
size_t problem_step(const problem *p, tvgp_policy *policy, size_t t);
size_t problem_step_at(const problem *p, tvgp_policy *policy, size_t t, double time);

/* Creates, plays all steps and destroys; seconds of all but the last. choice (may be NULL): the arm of each step. */
double problem_run(problem *p, const char *name, size_t *choice);

#endif

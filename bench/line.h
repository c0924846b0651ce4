/* SPDX-License-Identifier: MIT */
/* Experiments with an expert: functions on a grid of [-50, 50] or a recorded table. Prints the average regret, also of the last 100
 * steps, and the side queries. Runs differ in the noise and in the policies' random numbers. */
#ifndef LINE_H
#define LINE_H

#include "experiment.h"

typedef struct line {
    double steps, points, noise, expert_noise, lengthscale, variance, bound;
    /* Value of the function at x and time t; NULL: `prepare` creates domain and kernel, and fills f. */
    double (*value)(const struct line *, double x, double t);
    void (*prepare)(
        struct line *); /* may be NULL: called when the context exists, and domain and kernel if there is `value` */
    double weight;      /* for its use */
    double *f;          /* steps x points values; NULL on a box */
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} line;

/* Reads the command line, plays all algorithms (a list ended by NULL) and prints the table. */
void line_compare(experiment *e, line *l, const char *const *players, int argc, char **argv);

#endif

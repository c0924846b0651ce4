/* SPDX-License-Identifier: MIT */
/* The two experiments with an expert share their place, a grid of [-50, 50], and their table: average regret, that of the
 * last 100 steps, and side queries. The function is given; what differs from run to run is noise and the policies' chance.
 */
#ifndef LINE_H
#define LINE_H

#include "experiment.h"

typedef struct line {
    double steps, points, noise, expert_noise, lengthscale, variance, bound;
    /* Value of the function at x and time t. */
    double (*value)(const struct line *, double x, double t);
    void (*prepare)(struct line *); /* may be NULL: called when the kernel exists */
    double weight;                  /* for its use */
    tvgp_ctx *ctx;
    tvgp_domain *domain;
    tvgp_kernel *kernel;
} line;

/* Reads the command line, plays all algorithms (a list ended by NULL) and prints the table. */
void line_compare(experiment *e, line *l, const char *const *players, int argc, char **argv);

#endif

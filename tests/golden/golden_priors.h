/* SPDX-License-Identifier: MIT */
/* Made by make.py from priors.json: 4 priors (index 0 = equal hills), K = .04*se(l=.8), R2=1e-4, delta=.1, width case A with nX=25, T=30; even t: arm 12 not allowed; ties -> smallest arm, then smallest prior; eps: time forgetting in every prior. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_PRIORS_H
#define GOLDEN_PRIORS_H

#include "golden.h"
static double golden_priors_x[25][2];
static double golden_priors_mean[4][25];
static double golden_priors_f[25];
/* before y was given: who chose what, mean and sd (with its prior mean), score, exploration coefficient (0: none), and of
   each prior: log marginal likelihood (MLE), weight (FullyBayes), 1 while it lives (PE, RegretBalancing); after: the two
   sides of the elimination test of the chosen prior (PE) */
struct golden_prior_step {
    int arm, prior;
    double y, mean, sd, score, width, of[4], lhs, rhs;
};
static struct golden_prior_step golden_PE_eps0[30];
static struct golden_prior_step golden_PE_eps002[30];
static struct golden_prior_step golden_MLE_eps0[30];
static struct golden_prior_step golden_MLE_eps002[30];
static struct golden_prior_step golden_FullyBayes_eps0[30];
static struct golden_prior_step golden_FullyBayes_eps002[30];
static struct golden_prior_step golden_RegretBalancing_eps0[30];
static struct golden_prior_step golden_RegretBalancing_eps002[30];

static void golden_read_priors(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_priors_x, "d2"),
        GOLDEN_ARRAY(golden_priors_mean, "d25"),
        GOLDEN_ARRAY(golden_priors_f, "d25"),
        GOLDEN_ARRAY(golden_PE_eps0, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_PE_eps002, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_MLE_eps0, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_MLE_eps002, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_FullyBayes_eps0, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_FullyBayes_eps002, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_RegretBalancing_eps0, "i1i1d1d1d1d1d1d4d1d1"),
        GOLDEN_ARRAY(golden_RegretBalancing_eps002, "i1i1d1d1d1d1d1d4d1d1"),
    };
    golden_read("priors", sizeof arrays / sizeof *arrays, arrays);
}

#endif

/* SPDX-License-Identifier: MIT */
/* Made by make.py from safety.json. Do not edit. */
/* clang-format off */
#ifndef GOLDEN_CONSTRAINTS_H
#define GOLDEN_CONSTRAINTS_H

#include "golden.h"
#include <stdint.h>

#include "tvgp/types.h"

/* theta as it is at the ask, spent as it is after it; of the reward and the limited outputs at the arm asked */
struct golden_constraints_step {
    int arm, expanded, fallback, missing;
    uint32_t safe;
    double t, risk, risk_at_15, theta[2], spent, mean[3], sd[3];
};
struct golden_constraints_run {
    const char *name, *options;
    int limits, steps, seeds, seed[2], matern[3];
    double lengthscale[3], variance[3], noise[3], epsilon[3], prior_mean[3], bound[2];
    uint32_t flags[2];
    const struct golden_constraints_step *step;
};
static struct golden_constraints_step golden_constraints_0[60];
static struct golden_constraints_step golden_constraints_1[60];
static struct golden_constraints_step golden_constraints_2[60];
static struct golden_constraints_step golden_constraints_3[60];
static struct golden_constraints_step golden_constraints_4[40];
static struct golden_constraints_step golden_constraints_5[30];
static const struct golden_constraints_run golden_constraints[] = {
    {.name = "one limit, step", .options = "constraint.confidence=0.95 constraint.scope=step constraint.margin_step=0.0 constraint.exploration_share=0.0 constraint.fallback=error", .limits = 1, .steps = 60, .seeds = 1,
     .seed = {0}, .matern = {0, 0}, .lengthscale = {0.2, 0.3}, .variance = {1.0, 1.0},
     .noise = {0.01, 0.01}, .epsilon = {0.02, 0.01}, .prior_mean = {0.0, 0.0}, .bound = {0.0}, .flags = {TVGP_AT_LEAST | TVGP_OF_MEAN},
     .step = golden_constraints_0},
    {.name = "two limits, one measured, at least and at most, answers missing", .options = "constraint.confidence=0.9 constraint.scope=step constraint.margin_step=0.0 constraint.exploration_share=0.0 constraint.fallback=error", .limits = 2, .steps = 60, .seeds = 2,
     .seed = {3, 4}, .matern = {0, 1, 0}, .lengthscale = {0.2, 0.4, 0.3}, .variance = {1.0, 1.0, 0.5},
     .noise = {0.02, 0.01, 0.03}, .epsilon = {0.01, 0.02, 0.0}, .prior_mean = {0.0, 0.0, 0.2}, .bound = {-0.2, 0.6}, .flags = {TVGP_AT_LEAST, TVGP_AT_MOST | TVGP_OF_MEAN},
     .step = golden_constraints_1},
    {.name = "wrong model, margin adapts", .options = "constraint.confidence=0.97 constraint.scope=step constraint.margin_step=1.0 constraint.exploration_share=0.0 constraint.fallback=error", .limits = 1, .steps = 60, .seeds = 1,
     .seed = {2}, .matern = {0, 0}, .lengthscale = {0.3, 1.0}, .variance = {1.0, 0.2},
     .noise = {0.01, 0.001}, .epsilon = {0.02, 0.002}, .prior_mean = {0.0, 0.6}, .bound = {0.3}, .flags = {TVGP_AT_LEAST},
     .step = golden_constraints_2},
    {.name = "mean allowance with expansion", .options = "constraint.confidence=0.99 constraint.scope=average constraint.margin_step=0.0 constraint.exploration_share=0.2 constraint.fallback=error", .limits = 1, .steps = 60, .seeds = 1,
     .seed = {1}, .matern = {0, 0}, .lengthscale = {0.2, 0.25}, .variance = {1.0, 1.0},
     .noise = {0.01, 0.01}, .epsilon = {0.005, 0.01}, .prior_mean = {0.0, 0.0}, .bound = {0.0}, .flags = {TVGP_AT_LEAST | TVGP_OF_MEAN},
     .step = golden_constraints_3},
    {.name = "run allowance", .options = "constraint.confidence=0.9 constraint.scope=run constraint.margin_step=0.0 constraint.exploration_share=0.0 constraint.fallback=error", .limits = 1, .steps = 40, .seeds = 1,
     .seed = {0}, .matern = {0, 0}, .lengthscale = {0.2, 0.3}, .variance = {1.0, 1.0},
     .noise = {0.01, 0.01}, .epsilon = {0.0, 0.0}, .prior_mean = {0.0, 0.0}, .bound = {-0.3}, .flags = {TVGP_AT_LEAST | TVGP_OF_MEAN},
     .step = golden_constraints_4},
    {.name = "optimistic, no safe arm, likeliest", .options = "constraint.confidence=0.05 constraint.scope=step constraint.margin_step=0.0 constraint.exploration_share=0.0 constraint.fallback=safest", .limits = 1, .steps = 30, .seeds = 0,
     .seed = {0}, .matern = {0, 0}, .lengthscale = {0.7, 0.3}, .variance = {1.0, 1.0},
     .noise = {0.01, 0.01}, .epsilon = {0.02, 0.01}, .prior_mean = {0.0, 0.0}, .bound = {1.45}, .flags = {TVGP_AT_LEAST | TVGP_OF_MEAN},
     .step = golden_constraints_5},
};

static void golden_read_constraints(void) {
    const struct golden_array arrays[] = {
        GOLDEN_ARRAY(golden_constraints_0, "i1i1i1i1u1d1d1d1d2d1d3d3"),
        GOLDEN_ARRAY(golden_constraints_1, "i1i1i1i1u1d1d1d1d2d1d3d3"),
        GOLDEN_ARRAY(golden_constraints_2, "i1i1i1i1u1d1d1d1d2d1d3d3"),
        GOLDEN_ARRAY(golden_constraints_3, "i1i1i1i1u1d1d1d1d2d1d3d3"),
        GOLDEN_ARRAY(golden_constraints_4, "i1i1i1i1u1d1d1d1d2d1d3d3"),
        GOLDEN_ARRAY(golden_constraints_5, "i1i1i1i1u1d1d1d1d2d1d3d3"),
    };
    golden_read("constraints", sizeof arrays / sizeof *arrays, arrays);
}

#endif

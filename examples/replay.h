/* SPDX-License-Identifier: MIT */
/* Plays rows of readings against a policy: the arms are the columns, the reward of an arm is its value in the row. */
#ifndef REPLAY_H
#define REPLAY_H

#include "readings.h"
#include <tvgp.h>

typedef struct replay_result {
    size_t steps;        /* rows played: those with any value */
    size_t best_chosen;  /* rows in which the best available arm was played */
    double regret;       /* sum over rows of best available value - value of the arm played */
    double step_seconds; /* mean time of ask and tell together */
} replay_result;

/* Rows first .. n_times - 1 at times 1, 2, ...; `name` is for the progress line. The library's status. */
tvgp_status replay_policy(tvgp_policy *policy, const char *name, const readings *r, size_t first, replay_result *result);

/* The arm whose constant play has the least regret over the same rows, known only in hindsight. In a row without its value the best
 * arm of the training rows that has one is played, so that the regret is at most that of replay_best_of_phase with one bin. */
size_t replay_best_constant(const readings *r, size_t first, replay_result *result);

/* What playing at random loses on average over the same rows. */
double replay_at_random(const readings *r, size_t first);

/* The table `best arm of the phase in the training rows` (readings_best_of_phase), which learns nothing, on the same rows. */
void replay_best_of_phase(const readings *r, size_t first, size_t period, size_t bins, replay_result *result);

#endif

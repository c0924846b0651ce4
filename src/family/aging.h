/* SPDX-License-Identifier: MIT */
/* The common part of policies whose observations become noisier with age (w-gp-ucb, ui-gp-ucb): the reference of ages,
 * their start, and a statistic. */
#ifndef TVGP__FAMILY_AGING_H
#define TVGP__FAMILY_AGING_H

#include "family/ucb.h"
#include "temporal/noise_age.h"

/* The option age.reference says what age is counted from: the time of the ask, or that of the newest observation. */
enum { TVGP__AGING_NOW, TVGP__AGING_LAST };
typedef struct tvgp__aging_config {
    int32_t reference;
} tvgp__aging_config;
enum { TVGP__AGING_OPTIONS = 1 };
extern const tvgp__option tvgp__aging_options[TVGP__AGING_OPTIONS];

/* Returns the growth of noise of this kind (TVGP__NOISE_AGE_*), with ages counted as the option says. */
tvgp__noise_age tvgp__aging_age(const tvgp__aging_config *config, int growth, double rate, double alpha);

/* Starts a policy with the posterior its op `spec` asks for. A policy that learns finds the rate at which noise grows too
 * (of a power, the exponent), unless `told` says that the user gave it. */
tvgp_status tvgp__aging_start(tvgp_policy *policy, int told);

/* Sets a learned rate in a growth of noise; for a power it is the exponent. NaN (none was learned) changes nothing. */
void tvgp__aging_set_rate(tvgp__noise_age *age, double rate);

enum { TVGP__AGING_STATS = 1 };
extern const tvgp__stat tvgp__aging_stats[TVGP__AGING_STATS];

#endif

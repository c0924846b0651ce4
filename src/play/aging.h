/* SPDX-License-Identifier: MIT */
/* What the policies whose observations become noisier with age share. */
#ifndef TVGP__PLAY_AGING_H
#define TVGP__PLAY_AGING_H

#include "law/age.h"
#include "play/ucb.h"

/* age.reference: what the age of an observation is counted from. */
enum { TVGP__AGING_NOW, TVGP__AGING_LAST };
typedef struct tvgp__aging_config {
    int32_t reference;
} tvgp__aging_config;
enum { TVGP__AGING_OPTIONS = 1 };
extern const tvgp__option tvgp__aging_options[TVGP__AGING_OPTIONS];

/* Noise of this growth (TVGP__AGE_*). */
tvgp__age tvgp__aging_age(const tvgp__aging_config *config, int growth, double rate, double alpha);

/* As its spec says; what is learned of the growth of noise is its rate (of a power alpha), unless that is told. */
tvgp_status tvgp__aging_start(tvgp_policy *policy, int told);

/* Takes the rate that was learned, or for growth by a power alpha. */
void tvgp__aging_set_rate(tvgp__age *age, double rate);

enum { TVGP__AGING_STATS = 1 };
extern const tvgp__stat tvgp__aging_stats[TVGP__AGING_STATS];

#endif

/* SPDX-License-Identifier: MIT */
/* Rules that forget at a rate they are given. Discounted UCB (Garivier, Moulines 2011, section 3.1): with n and s discounted
 * by gamma at every outcome, an arm without outcomes, lowest first, else the highest s / n + 2 B sqrt(xi max(0, ln N) / n),
 * N = sum of n; B = 1, xi = .6, gamma = 1 - sqrt(C / T) / (4 B) for C changes. Sliding-window UCB (the same, section 3.2;
 * forgetting.h): width B sqrt(xi ln(min(t, tau)) / n), tau = floor(2 B sqrt(T ln T / C)). Discounted Thompson sampling of
 * Raj, Kalyani 2017 (Beta) and Qi, Wang, Zhu 2023 (Gaussian, here with prior N(1/2, 1) and variance 1/4): forgetting.h. */
#include "forgetting.h"
#include "players_all.h"
#include <math.h>
#include <stdlib.h>

static double memory(const zoo_facts *f, double known) {
    return isnan(known) ? 1 - sqrt(f->changes / (double)f->steps) / 4 : known;
}

/* ---- discounted UCB ----------------------------------------------------------------------------------------------- */

typedef struct discounted {
    size_t arms;
    double gamma, xi, *n, *s, *score;
} discounted;

static void discounted_create(void *self, const zoo_facts *f, const double *parameter) {
    double *n = zoo_numbers(3 * f->arms);
    *(discounted *)self = (discounted){f->arms, memory(f, parameter[0]), parameter[1], n, n + f->arms, n + 2 * f->arms};
}

static zoo_choice discounted_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    const discounted *p = self;
    double N = 0;
    (void)chance;
    for (size_t i = 0; i < p->arms; i++)
        N += p->n[i];
    for (size_t i = 0; i < p->arms; i++)
        p->score[i] = p->n[i] > 0 ? p->s[i] / p->n[i] + 2 * sqrt(p->xi * fmax(0, log(N)) / p->n[i]) : INFINITY;
    return (zoo_choice){zoo_argmax(p->arms, p->score, mask), 1};
}

static void discounted_tell(void *self, size_t arm, double r, double probability) {
    discounted *p = self;
    (void)probability;
    for (size_t i = 0; i < p->arms; i++) {
        p->n[i] *= p->gamma;
        p->s[i] *= p->gamma;
    }
    p->n[arm]++;
    p->s[arm] += r;
}

static double discounted_number(const void *self,
                                size_t which) { /* 1: sum of n; 2 ..: score of arm which - 2 at the last choice */
    const discounted *p = self;
    double N = 0;
    for (size_t i = 0; i < p->arms; i++)
        N += p->n[i];
    return which < 2 ? (double)which * N : p->score[which - 2];
}

static void discounted_destroy(void *self) {
    free(((discounted *)self)->n);
}

const zoo_player_type zoo_d_ucb = {"d-ucb",
                                   "Garivier, Moulines 2011, section 3.1",
                                   ZOO_AT_ALL | ZOO_AT_NOTHING,
                                   sizeof(discounted),
                                   {{"gamma", NAN}, {"xi", 0.6}},
                                   discounted_create,
                                   discounted_choose,
                                   discounted_tell,
                                   discounted_number,
                                   discounted_destroy};

/* ---- sliding-window UCB ------------------------------------------------------------------------------------------- */

static void window_create(void *self, const zoo_facts *f, const double *parameter) {
    const double T = (double)f->steps;
    const double tau = isnan(parameter[0]) ? floor(2 * sqrt(T * log(T) / f->changes)) : parameter[0];
    window_ucb_create(self, f->arms, (size_t)fmax(1, tau), sqrt(parameter[1]));
}

static zoo_choice window_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    (void)chance;
    return (zoo_choice){window_ucb_choose(self, mask), 1};
}

static void window_tell(void *self, size_t arm, double r, double probability) {
    (void)probability;
    window_ucb_tell(self, arm, r);
}

static double window_number(const void *self, size_t which) { /* 1: score of the last choice; 2 ..: sum of arm which - 2 */
    const window_ucb *p = self;
    return which == 0 ? 0 : which == 1 ? p->index : p->sum[which - 2];
}

static void window_stop(void *self) {
    window_ucb_destroy(self);
}

const zoo_player_type zoo_sw_ucb = {"sw-ucb",
                                    "Garivier, Moulines 2011, section 3.2",
                                    ZOO_AT_ALL | ZOO_AT_NOTHING,
                                    sizeof(window_ucb),
                                    {{"tau", NAN}, {"xi", 0.6}},
                                    window_create,
                                    window_choose,
                                    window_tell,
                                    window_number,
                                    window_stop};

/* ---- discounted Thompson sampling --------------------------------------------------------------------------------- */

static void beta_create(void *self, const zoo_facts *f, const double *parameter) {
    discounted_thompson_create(self, f->arms, parameter[0]);
}

static void thompson_create(void *self, const zoo_facts *f, const double *parameter) {
    discounted_thompson *p = self;
    discounted_thompson_create(p, f->arms, memory(f, parameter[0]));
    p->prior_mean = 0.5;
    p->prior = parameter[1];
    p->noise = parameter[2];
}

static zoo_choice thompson_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    return (zoo_choice){discounted_thompson_choose(self, mask, chance), 1};
}

static void thompson_tell(void *self, size_t arm, double r, double probability) {
    (void)probability;
    discounted_thompson_tell(self, arm, r);
}

/* 1, 2: of arm 0 the successes and failures; where outcomes are not 0 or 1 mean and standard deviation. */
static double thompson_number(const void *self, size_t which) {
    const discounted_thompson *p = self;
    if (which == 0)
        return 0;
    if (p->noise == 0)
        return which == 1 ? p->sum[0] : p->n[0] - p->sum[0];
    const double precision = 1 / p->prior + p->n[0] / p->noise;
    return which == 1 ? (p->prior_mean / p->prior + p->sum[0] / p->noise) / precision : 1 / sqrt(precision);
}

static void thompson_stop(void *self) {
    discounted_thompson_destroy(self);
}

const zoo_player_type zoo_d_ts_beta = {"d-ts-beta",       "Raj, Kalyani 2017", ZOO_AT_NOTHING,  sizeof(discounted_thompson),
                                       {{"gamma", 0.98}}, beta_create,         thompson_choose, thompson_tell,
                                       thompson_number,   thompson_stop};
const zoo_player_type zoo_d_ts = {"d-ts",
                                  "after Qi, Wang, Zhu 2023",
                                  ZOO_AT_ALL | ZOO_AT_NOTHING,
                                  sizeof(discounted_thompson),
                                  {{"gamma", NAN}, {"prior", 1}, {"noise", 0.25}},
                                  thompson_create,
                                  thompson_choose,
                                  thompson_tell,
                                  thompson_number,
                                  thompson_stop};

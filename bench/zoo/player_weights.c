/* SPDX-License-Identifier: MIT */
/* Exponential weights: with p_k = (1 - g) w_k / W + g / K an arm is drawn, and the weight of the one played grows by
 * exp(g (r / p) / K).
 *
 * EXP3.S (Auer, Cesa-Bianchi, Freund, Schapire, SIAM J. Comput. 32, 2002, corollaries 8.2 and 8.3): every weight also gets
 * e alpha W / K with W of before, alpha = 1/T, g = min(1, sqrt(K (S ln(K T) + e) / ((e - 1) T))) for S = changes + 1 segments, and
 * min(1, sqrt(K ln(K T) / T)) where S is unknown. Rexp3 (Besbes, Gur, Zeevi 2014, algorithm 1 and theorem 2): EXP3 that begins
 * again every D = ceil((K ln K)^(1/3) (T / V)^(2/3)) steps, g = min(1, sqrt(K ln K / ((e - 1) D))). Weights are scaled to sum
 * 1. A delayed outcome counts with the probability of its own draw. */
#include "players_all.h"
#include <math.h>
#include <stdlib.h>

static const double e = 2.718281828459045235360;

typedef struct weights {
    size_t arms, batch, steps; /* batch 0: never again */
    double g, alpha, *w;
} weights;

static void level(weights *p) {
    for (size_t i = 0; i < p->arms; i++)
        p->w[i] = 1 / (double)p->arms;
}

static void exp3_create(void *self, const zoo_facts *f, const double *parameter) {
    weights *p = self;
    const double K = (double)f->arms, T = (double)f->steps, S = parameter[0];
    *p = (weights){.arms = f->arms, .alpha = 1 / T, .w = zoo_numbers(f->arms)};
    const int known = S > 0 || f->changes > 1;
    const double segments = S > 0 ? S : f->changes + 1;
    p->g = fmin(1, sqrt(K * (known ? (segments * log(K * T) + e) / (e - 1) : log(K * T)) / T));
    level(p);
}

static void rexp3_create(void *self, const zoo_facts *f, const double *parameter) {
    weights *p = self;
    const double K = (double)f->arms, T = (double)f->steps, V = parameter[0] > 0 ? parameter[0] : f->variation;
    const double batch = fmax(1, fmin(T, ceil(cbrt(K * log(K)) * pow(T / V, 2.0 / 3))));
    *p = (weights){.arms = f->arms, .batch = (size_t)batch, .w = zoo_numbers(f->arms)};
    p->g = fmin(1, sqrt(K * log(K) / ((e - 1) * batch)));
    level(p);
}

static double total(const weights *p, const uint8_t *mask) {
    double W = 0;
    for (size_t i = 0; i < p->arms; i++)
        W += zoo_may(mask, i) ? p->w[i] : 0;
    return W;
}

/* Where arms are missing the probabilities of the others are scaled to sum 1. */
static zoo_choice choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    weights *p = self;
    if (p->batch && p->steps++ % p->batch == 0)
        level(p);
    const double W = total(p, NULL), u = chance->uniform(chance), K = (double)p->arms;
    double all = 0, sum = 0;
    zoo_choice last = {0, 1};
    for (size_t i = 0; mask && i < p->arms; i++)
        all += mask[i] ? (1 - p->g) * p->w[i] / W + p->g / K : 0;
    for (size_t i = 0; i < p->arms; i++) {
        if (!zoo_may(mask, i))
            continue;
        last = (zoo_choice){i, ((1 - p->g) * p->w[i] / W + p->g / K) / (mask ? all : 1)};
        if (u < (sum += last.probability))
            break;
    }
    return last;
}

static void tell(void *self, size_t arm, double r, double probability) {
    weights *p = self;
    const double K = (double)p->arms, share = e * p->alpha * total(p, NULL) / K;
    p->w[arm] *= exp(p->g * (r / probability) / K);
    for (size_t i = 0; i < p->arms; i++)
        p->w[i] += share;
    const double W = total(p, NULL);
    for (size_t i = 0; i < p->arms; i++)
        p->w[i] /= W;
}

static double number(const void *self, size_t which) { /* 1: g; 2 ..: w of arm which - 2 */
    const weights *p = self;
    if (which == 0)
        return p->batch ? (double)((p->steps + p->batch - 1) / p->batch) - 1 : 0;
    return which == 1 ? p->g : p->w[which - 2];
}

static void destroy(void *self) {
    free(((weights *)self)->w);
}

const zoo_player_type zoo_exp3_s = {"exp3.s",
                                    "Auer, Cesa-Bianchi, Freund, Schapire 2002",
                                    ZOO_AT_ALL | ZOO_AT_NOTHING,
                                    sizeof(weights),
                                    {{"segments", 0}},
                                    exp3_create,
                                    choose,
                                    tell,
                                    number,
                                    destroy};
const zoo_player_type zoo_rexp3 = {"rexp3",
                                   "Besbes, Gur, Zeevi 2014",
                                   ZOO_AT_ALL | ZOO_AT_NOTHING,
                                   sizeof(weights),
                                   {{"variation", 0}},
                                   rexp3_create,
                                   choose,
                                   tell,
                                   number,
                                   destroy};

/* SPDX-License-Identifier: MIT */
/* UCB rules that restart when a test finds a change, and play every arm now and then so that it can.
 *
 * GLR-klUCB, global restarts (Besson, Kaufmann, Maillard, Seznec, JMLR 23, 2022, algorithm 1): in every round of ceil(K / alpha)
 * steps each arm once, alpha = min(1, a0 sqrt(episode)), a0 = sqrt(K ln T / T); else the highest kl-UCB index, the largest q with
 * n kl(mean, q) <= ln u, u steps since the restart. Restart where, over splits s of the n rewards of the arm played, the largest
 * s kl(mean of first, mean) + (n - s) kl(mean of rest, mean) exceeds ln(n^(3/2) / delta), delta = 1 / sqrt(T); tested every 10
 * steps, at every fifth s, as in the second author's code. Told the number of changes, alpha = a0 sqrt(C).
 *
 * M-UCB (Cao, Wen, Kveton, Xie, AISTATS 2019, algorithms 1 and 2): rounds of ceil(K / g); index mean + sqrt(2 ln u / n); restart
 * where the sums of the last w/2 rewards of an arm and of the w/2 before differ by more than b = sqrt((w / 2) ln(2 K T^2));
 * g = sqrt(C K (2 b + 3 sqrt(w)) / (2 T)), w = 200.
 *
 * CUSUM-UCB (Liu, Lee, Shroff, AAAI 2018): with chance alpha = sqrt(C / T ln(T / C)) any arm; index mean + sqrt(2 ln N / n); an
 * arm forgets when a two-sided CUSUM over its rewards after the first M exceeds h = ln(T / C). */
#include "../experiment.h"
#include "players_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- GLR-klUCB ---------------------------------------------------------------------------------------------------- */

typedef struct glr {
    size_t arms, u, episode, every, cuts;
    double a0, delta, G, index;
    int known;
    size_t *n, room; /* outcomes of each arm since the restart */
    double *sum;     /* arms x room: cumulated sums */
} glr;

static void glr_create(void *self, const zoo_facts *f, const double *parameter) {
    glr *p = self;
    const double K = (double)f->arms, T = (double)f->steps;
    *p = (glr){.arms = f->arms, .episode = 1, .every = (size_t)parameter[2], .cuts = (size_t)parameter[3], .room = 16};
    p->known = f->changes > 1;
    p->a0 = isnan(parameter[0]) ? sqrt(K * log(T) / T) * (p->known ? sqrt(f->changes) : 1) : parameter[0];
    p->delta = isnan(parameter[1]) ? 1 / sqrt(T) : parameter[1];
    p->n = experiment_allocate(f->arms, sizeof *p->n);
    p->sum = zoo_numbers(f->arms * p->room);
}

static double kl(double a, double b) {
    a = fmin(fmax(a, 0x1p-52), 1 - 0x1p-52);
    b = fmin(fmax(b, 0x1p-52), 1 - 0x1p-52);
    return a == b ? 0 : a * log(a / b) + (1 - a) * log((1 - a) / (1 - b));
}

/* The index, or anything at most `beaten` where it is no larger than that. */
static double kl_index(double mean, double level, double beaten) {
    double lo = mean, hi = fmin(1, mean + sqrt(level / 2));
    for (int i = 0; i < 60 && hi > beaten; i++) {
        const double middle = (lo + hi) / 2;
        if (kl(mean, middle) <= level)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static size_t glr_best(glr *p, const uint8_t *mask) {
    size_t best = p->arms;
    p->index = -1;
    for (size_t i = 0; i < p->arms; i++) {
        if (!zoo_may(mask, i))
            continue;
        const double n = (double)p->n[i];
        const double index = p->n[i] ? kl_index(p->sum[i * p->room + p->n[i] - 1] / n, log((double)p->u) / n, p->index) : 1;
        if (best == p->arms || index > p->index) {
            best = i;
            p->index = index;
        }
    }
    return best;
}

static zoo_choice glr_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    glr *p = self;
    (void)chance;
    const double alpha = fmin(1, p->a0 * (p->known ? 1 : sqrt((double)p->episode)));
    const size_t turn = zoo_turn(p->arms, p->u, (size_t)ceil((double)p->arms / alpha), mask);
    return (zoo_choice){turn < p->arms ? turn : glr_best(p, mask), 1};
}

static double glr_statistic(const glr *p, size_t arm) {
    const double *c = p->sum + arm * p->room, n = (double)p->n[arm], m = c[p->n[arm] - 1] / n;
    double G = 0;
    for (size_t s = 1; s < p->n[arm]; s += p->cuts) {
        const double k = (double)s;
        G = fmax(G, k * kl(c[s - 1] / k, m) + (n - k) * kl((c[p->n[arm] - 1] - c[s - 1]) / (n - k), m));
    }
    return G;
}

static void glr_append(glr *p, size_t arm, double r) {
    if (p->n[arm] == p->room) {
        double *wider = zoo_numbers(p->arms * p->room * 2);
        for (size_t i = 0; i < p->arms; i++)
            memcpy(wider + i * p->room * 2, p->sum + i * p->room, p->n[i] * sizeof *wider);
        free(p->sum);
        p->sum = wider;
        p->room *= 2;
    }
    double *c = p->sum + arm * p->room;
    const size_t n = p->n[arm]++;
    c[n] = (n ? c[n - 1] : 0) + r;
}

static void glr_tell(void *self, size_t arm, double r, double probability) {
    glr *p = self;
    (void)probability;
    glr_append(p, arm, r);
    if (++p->u % p->every)
        return;
    const double G = glr_statistic(p, arm);
    if (!(G > log(pow((double)p->n[arm], 1.5) / p->delta)))
        return;
    p->G = G;
    p->episode++;
    p->u = 0;
    memset(p->n, 0, p->arms * sizeof *p->n);
}

static double glr_number(const void *self, size_t which) { /* 1: G of the last restart; 2: index of the last choice by it */
    const glr *p = self;
    return which == 0 ? (double)p->episode - 1 : which == 1 ? p->G : p->index;
}

static void glr_destroy(void *self) {
    free(((glr *)self)->n);
    free(((glr *)self)->sum);
}

const zoo_player_type zoo_glr_klucb = {"glr-klucb",
                                       "Besson, Kaufmann, Maillard, Seznec 2022",
                                       ZOO_AT_ALL | ZOO_AT_NOTHING,
                                       sizeof(glr),
                                       {{"a0", NAN}, {"delta", NAN}, {"every", 10}, {"cuts", 5}},
                                       glr_create,
                                       glr_choose,
                                       glr_tell,
                                       glr_number,
                                       glr_destroy};

/* ---- M-UCB -------------------------------------------------------------------------------------------------------- */

typedef struct monitored {
    size_t arms, u, w, restarts;
    double b, g, d, index;
    double *n, *sum, *score, *ring; /* ring: the last w rewards of each arm */
} monitored;

static void monitored_create(void *self, const zoo_facts *f, const double *parameter) {
    monitored *p = self;
    const double K = (double)f->arms, T = (double)f->steps, w = parameter[0];
    *p = (monitored){.arms = f->arms, .w = (size_t)w};
    p->b = isnan(parameter[1]) ? sqrt(w / 2 * log(2 * K * T * T)) : parameter[1];
    p->g = isnan(parameter[2]) ? fmin(1, sqrt(f->changes * K * (2 * p->b + 3 * sqrt(w)) / (2 * T))) : parameter[2];
    p->n = zoo_numbers(f->arms * (3 + p->w));
    p->sum = p->n + f->arms;
    p->score = p->sum + f->arms;
    p->ring = p->score + f->arms;
}

/* Mean + sqrt(2 ln N / n), no outcome: infinity. */
static void ucb_scores(size_t arms, const double *n, const double *sum, double N, double *score) {
    for (size_t i = 0; i < arms; i++)
        score[i] = n[i] > 0 ? sum[i] / n[i] + sqrt(2 * log(N) / n[i]) : INFINITY;
}

static zoo_choice monitored_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    monitored *p = self;
    (void)chance;
    const size_t turn = zoo_turn(p->arms, p->u, (size_t)ceil((double)p->arms / p->g), mask);
    ucb_scores(p->arms, p->n, p->sum, (double)p->u, p->score);
    if (turn < p->arms)
        return (zoo_choice){turn, 1};
    const size_t best = zoo_argmax(p->arms, p->score, mask);
    p->index = p->score[best];
    return (zoo_choice){best, 1};
}

/* The last w/2 rewards of an arm less the w/2 before, n of them reported. */
static double halves(const monitored *p, const double *ring, size_t n) {
    double d = 0;
    for (size_t i = 0; i < p->w; i++)
        d += (i < p->w / 2 ? -1 : 1) * ring[(n + i) % p->w];
    return fabs(d);
}

static void monitored_tell(void *self, size_t arm, double r, double probability) {
    monitored *p = self;
    double *ring = p->ring + arm * p->w;
    (void)probability;
    p->u++;
    ring[(size_t)p->n[arm] % p->w] = r;
    p->n[arm]++;
    p->sum[arm] += r;
    const double d = p->n[arm] >= (double)p->w ? halves(p, ring, (size_t)p->n[arm]) : 0;
    if (!(d > p->b))
        return;
    p->d = d;
    p->u = 0;
    p->restarts++;
    memset(p->n, 0, 2 * p->arms * sizeof *p->n);
}

static double monitored_number(const void *self,
                               size_t which) { /* 1: difference at the last restart; 2: score of the last choice by it */
    const monitored *p = self;
    return which == 0 ? (double)p->restarts : which == 1 ? p->d : p->index;
}

static void monitored_destroy(void *self) {
    free(((monitored *)self)->n);
}

const zoo_player_type zoo_m_ucb = {"m-ucb",
                                   "Cao, Wen, Kveton, Xie 2019",
                                   ZOO_AT_ALL | ZOO_AT_NOTHING,
                                   sizeof(monitored),
                                   {{"w", 200}, {"b", NAN}, {"g", NAN}},
                                   monitored_create,
                                   monitored_choose,
                                   monitored_tell,
                                   monitored_number,
                                   monitored_destroy};

/* ---- CUSUM-UCB ---------------------------------------------------------------------------------------------------- */

typedef struct cusum {
    size_t arms, restarts;
    double M, eps, h, alpha, g;
    double *n, *sum, *base, *up, *down, *score;
} cusum;

static void cusum_create(void *self, const zoo_facts *f, const double *parameter) {
    cusum *p = self;
    const double share = f->changes / (double)f->steps, *own = parameter;
    *p = (cusum){.arms = f->arms, .M = own[0], .eps = own[1]};
    p->h = isnan(own[2]) ? -log(share) : own[2];
    p->alpha = isnan(own[3]) ? sqrt(-share * log(share)) : own[3];
    p->n = zoo_numbers(6 * f->arms);
    p->sum = p->n + f->arms;
    p->base = p->sum + f->arms;
    p->up = p->base + f->arms;
    p->down = p->up + f->arms;
    p->score = p->down + f->arms;
}

static zoo_choice cusum_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    cusum *p = self;
    double N = 0;
    if (chance->uniform(chance) < p->alpha)
        return (zoo_choice){zoo_any(p->arms, mask, chance->uniform(chance)), 1};
    for (size_t i = 0; i < p->arms; i++)
        N += p->n[i];
    ucb_scores(p->arms, p->n, p->sum, N, p->score);
    return (zoo_choice){zoo_argmax(p->arms, p->score, mask), 1};
}

static void cusum_tell(void *self, size_t arm, double r, double probability) {
    cusum *p = self;
    (void)probability;
    p->n[arm]++;
    p->sum[arm] += r;
    if (p->n[arm] <= p->M) {
        p->base[arm] = p->sum[arm] / p->M;
        return;
    }
    p->up[arm] = fmax(0, p->up[arm] + r - p->base[arm] - p->eps);
    p->down[arm] = fmax(0, p->down[arm] + p->base[arm] - r - p->eps);
    const double g = fmax(p->up[arm], p->down[arm]);
    if (!(g > p->h))
        return;
    p->g = g;
    p->restarts++;
    p->n[arm] = p->sum[arm] = p->up[arm] = p->down[arm] = 0;
}

static double cusum_number(const void *self,
                           size_t which) { /* 1: sum at the last alarm; 2 ..: sum of rewards of arm which - 2 */
    const cusum *p = self;
    return which == 0 ? (double)p->restarts : which == 1 ? p->g : p->sum[which - 2];
}

static void cusum_destroy(void *self) {
    free(((cusum *)self)->n);
}

const zoo_player_type zoo_cusum_ucb = {"cusum-ucb",
                                       "Liu, Lee, Shroff 2018",
                                       ZOO_AT_ALL | ZOO_AT_NOTHING,
                                       sizeof(cusum),
                                       {{"m", 100}, {"eps", 0.1}, {"h", NAN}, {"alpha", NAN}},
                                       cusum_create,
                                       cusum_choose,
                                       cusum_tell,
                                       cusum_number,
                                       cusum_destroy};

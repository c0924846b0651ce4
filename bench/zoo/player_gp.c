/* SPDX-License-Identifier: MIT */
/* Algorithms with a kernel and a noise. DAL around gp-ucb, after Gerogiannis, Huang, Bose, Veeravalli (arXiv 2501.19401,
 * algorithm 1): in every round of ceil(N / min(1, a0 sqrt(episode))) steps each of N cover arms once, else gp-ucb; a0 =
 * sqrt(N ln T / T). All outcomes go to gp-ucb; for a cover arm with n outcomes the largest s (n - s) / n (mean of first s -
 * mean of rest)^2 / (2 sig^2) above ln(4 n^(3/2) / delta), delta = 1 / sqrt(T), restarts everything. Its text leaves the
 * cover open; ours is by pivoted Cholesky: arms of largest variance left until that is a quarter of the largest prior
 * variance, at most 30. R-PERP, after Iwazaki, Takeno (AISTATS 2025): every H = ceil(gain^(1/3) (T / V)^(2/3)) steps again
 * from all arms; batches of 4, 8, 16 .. arms in use of largest variance, played in random order; arms whose m + 2 sd is
 * below the largest m - 2 sd go. Lengths of batches and the factor 2 are ours. An outcome that comes when its batch is over
 * counts in the one under way. Kalman arms: gp-ucb with forgetting on arms that have nothing in common: what similarity of
 * arms is worth. */
#include "player_gp.h"

#include "../experiment.h"
#include "players_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the base ----------------------------------------------------------------------------------------------------- */

void zoo_gp_create(zoo_gp *p, const zoo_facts *f) {
    const size_t n = f->arms;
    *p = (zoo_gp){.arms = n, .mean = f->mean, .noise = f->noise, .K = f->K, .m = zoo_numbers(n * n + 2 * n)};
    p->score = p->m + n;
    p->P = p->score + n;
    zoo_gp_restart(p);
}

void zoo_gp_destroy(zoo_gp *p) {
    free(p->m);
}

void zoo_gp_restart(zoo_gp *p) {
    p->answers = 0;
    for (size_t i = 0; i < p->arms; i++)
        p->m[i] = p->mean;
    memcpy(p->P, p->K, p->arms * p->arms * sizeof *p->P);
}

/* With column c of P at the arm: m += c (r - m_a) / S, P -= c c' / S. */
void zoo_gp_tell(zoo_gp *p, size_t arm, double r) {
    const double S = p->P[arm * p->arms + arm] + p->noise, innovation = (r - p->m[arm]) / S;
    for (size_t i = 0; i < p->arms; i++)
        p->m[i] += p->P[arm * p->arms + i] * innovation;
    zoo_gp_look(p, arm);
    p->answers++;
}

void zoo_gp_look(zoo_gp *p, size_t arm) {
    const size_t n = p->arms;
    const double S = p->P[arm * n + arm] + p->noise;
    double *c = p->score;
    memcpy(c, p->P + arm * n, n * sizeof *c);
    for (size_t i = 0; i < n; i++) {
        const double g = c[i] / S;
        for (size_t j = 0; j < n; j++)
            p->P[i * n + j] -= g * c[j];
    }
}

static double sd(const zoo_gp *p, size_t arm) {
    return sqrt(fmax(0, p->P[arm * p->arms + arm]));
}

size_t zoo_gp_best(zoo_gp *p, const uint8_t *mask) {
    const double width = sqrt(fmax(0, 0.8 * log(4 * (double)(p->answers + 1))));
    for (size_t i = 0; i < p->arms; i++)
        p->score[i] = p->m[i] + width * sd(p, i);
    const size_t best = zoo_argmax(p->arms, p->score, mask);
    p->index = p->score[best];
    return best;
}

/* The arm of largest variance, among those of the mask. */
static size_t least_known(zoo_gp *p, const uint8_t *mask) {
    for (size_t i = 0; i < p->arms; i++)
        p->score[i] = p->P[i * p->arms + i];
    return zoo_argmax(p->arms, p->score, mask);
}

double zoo_gp_gain(zoo_gp *p, size_t T) {
    double gain = 0;
    zoo_gp_restart(p);
    for (size_t t = 0; t < T; t++) {
        const size_t arm = least_known(p, NULL);
        gain += log(1 + p->P[arm * p->arms + arm] / p->noise) / 2;
        zoo_gp_look(p, arm);
    }
    zoo_gp_restart(p);
    return gain;
}

static void alone_create(void *self, const zoo_facts *f, const double *parameter) {
    (void)parameter;
    zoo_gp_create(self, f);
}

static zoo_choice alone_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    (void)chance;
    return (zoo_choice){zoo_gp_best(self, mask), 1};
}

static void alone_tell(void *self, size_t arm, double r, double probability) {
    (void)probability;
    zoo_gp_tell(self, arm, r);
}

static double alone_number(const void *self, size_t which) { /* 1: index of the last choice; 2 ..: mean of arm which - 2 */
    const zoo_gp *p = self;
    return which == 0 ? 0 : which == 1 ? p->index : p->m[which - 2];
}

static void alone_destroy(void *self) {
    zoo_gp_destroy(self);
}

const zoo_player_type zoo_gp_alone = {"gp-alone",   "Srinivas et al. 2010", ZOO_AT_MODEL, sizeof(zoo_gp), {{0}},
                                      alone_create, alone_choose,           alone_tell,   alone_number,   alone_destroy};

/* ---- DAL ---------------------------------------------------------------------------------------------------------- */

enum { COVER = 30 };
typedef struct dal {
    zoo_gp base;
    size_t n_cover, u, episode, room, cover[COVER], n[COVER];
    double a0, delta, sig, G, *sum; /* sum: n_cover x room, cumulated rewards */
} dal;

static void cover(dal *p) {
    zoo_gp *b = &p->base;
    size_t arm = least_known(b, NULL);
    const double enough = b->P[arm * b->arms + arm] / 4, noise = b->noise;
    b->noise = 0;
    while (p->n_cover < COVER && p->n_cover < b->arms && b->P[arm * b->arms + arm] > enough) {
        p->cover[p->n_cover++] = arm;
        zoo_gp_look(b, arm);
        arm = least_known(b, NULL);
    }
    b->noise = noise;
    zoo_gp_restart(b);
}

static void dal_create(void *self, const zoo_facts *f, const double *parameter) {
    dal *p = self;
    const double T = (double)f->steps;
    *p = (dal){.episode = 1, .room = f->steps + 1};
    zoo_gp_create(&p->base, f);
    cover(p);
    p->a0 = sqrt((double)p->n_cover * log(T) / T);
    p->sig = isnan(parameter[0]) ? sqrt(f->noise) : parameter[0];
    p->delta = isnan(parameter[1]) ? 1 / sqrt(T) : parameter[1];
    p->sum = zoo_numbers(p->n_cover * p->room);
}

static zoo_choice dal_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    dal *p = self;
    (void)chance;
    const double round = ceil((double)p->n_cover / fmin(1, p->a0 * sqrt((double)p->episode)));
    const size_t turn = zoo_turn(p->n_cover, p->u, (size_t)round, NULL);
    if (turn < p->n_cover && zoo_may(mask, p->cover[turn]))
        return (zoo_choice){p->cover[turn], 1};
    return (zoo_choice){zoo_gp_best(&p->base, mask), 1};
}

static double gaussian_glr(const double *c, size_t n, double sig) {
    double G = 0;
    for (size_t s = 1; s < n; s++) {
        const double k = (double)s, rest = (double)(n - s);
        const double apart = c[s - 1] / k - (c[n - 1] - c[s - 1]) / rest;
        G = fmax(G, k * rest / (double)n * apart * apart / (2 * sig * sig));
    }
    return G;
}

static void dal_tell(void *self, size_t arm, double r, double probability) {
    dal *p = self;
    size_t at = 0;
    (void)probability;
    p->u++;
    zoo_gp_tell(&p->base, arm, r);
    while (at < p->n_cover && p->cover[at] != arm)
        at++;
    if (at == p->n_cover || p->n[at] == p->room)
        return;
    double *c = p->sum + at * p->room;
    const size_t n = ++p->n[at];
    c[n - 1] = (n > 1 ? c[n - 2] : 0) + r;
    const double G = gaussian_glr(c, n, p->sig);
    if (n < 2 || !(G > log(4 * pow((double)n, 1.5) / p->delta)))
        return;
    p->G = G;
    p->episode++;
    p->u = 0;
    memset(p->n, 0, sizeof p->n);
    zoo_gp_restart(&p->base);
}

static double dal_number(const void *self,
                         size_t which) { /* 1: statistic of the last restart; 2: index of the last choice by it */
    const dal *p = self;
    return which == 0 ? (double)p->episode - 1 : which == 1 ? p->G : p->base.index;
}

static void dal_destroy(void *self) {
    zoo_gp_destroy(&((dal *)self)->base);
    free(((dal *)self)->sum);
}

const zoo_player_type zoo_dal = {"dal",
                                 "after Gerogiannis, Huang, Bose, Veeravalli 2025",
                                 ZOO_AT_MODEL,
                                 sizeof(dal),
                                 {{"sig", NAN}, {"delta", NAN}},
                                 dal_create,
                                 dal_choose,
                                 dal_tell,
                                 dal_number,
                                 dal_destroy};

/* ---- R-PERP ------------------------------------------------------------------------------------------------------- */

typedef struct perp {
    zoo_gp base;
    size_t every, first, step, batch, at, length, *plan; /* step: since the restart; at: in the plan, of that many */
    size_t restarts;
    double b, most; /* most: the largest m - b sd of the last batch that ended */
    uint8_t *alive;
} perp;

static void perp_create(void *self, const zoo_facts *f, const double *parameter) {
    perp *p = self;
    *p = (perp){.first = (size_t)parameter[1], .b = parameter[2]};
    zoo_gp_create(&p->base, f);
    const double T = (double)f->steps, gain = isnan(parameter[0]) ? zoo_gp_gain(&p->base, f->steps) : 0;
    p->every = (size_t)(isnan(parameter[0]) ? fmin(T, ceil(cbrt(gain) * pow(T / f->variation, 2.0 / 3))) : parameter[0]);
    p->plan = experiment_allocate(f->steps + 1, sizeof *p->plan);
    p->alive = experiment_allocate(f->arms, 1);
    memset(p->alive, 1, f->arms);
    p->batch = p->first;
}

/* Arms whose upper end is below the largest lower end leave. */
static void eliminate(perp *p) {
    const zoo_gp *g = &p->base;
    p->most = -INFINITY;
    for (size_t i = 0; i < g->arms; i++)
        if (p->alive[i])
            p->most = fmax(p->most, g->m[i] - p->b * sd(g, i));
    for (size_t i = 0; i < g->arms; i++)
        p->alive[i] = (uint8_t)(p->alive[i] && g->m[i] + p->b * sd(g, i) >= p->most);
}

static void plan_batch(perp *p, zoo_chance *chance) {
    if (p->step) {
        eliminate(p);
        p->batch *= 2;
    }
    if (p->step == p->every) {
        memset(p->alive, 1, p->base.arms);
        p->batch = p->first;
        p->step = 0;
        p->restarts++;
    }
    p->length = p->batch < p->every - p->step ? p->batch : p->every - p->step;
    zoo_gp_restart(&p->base);
    for (size_t i = 0; i < p->length; i++)
        zoo_gp_look(&p->base, p->plan[i] = least_known(&p->base, p->alive));
    zoo_gp_restart(&p->base);
    for (size_t i = p->length; i-- > 1;) {
        const size_t j = (size_t)((double)(i + 1) * chance->uniform(chance)), arm = p->plan[i];
        p->plan[i] = p->plan[j];
        p->plan[j] = arm;
    }
    p->at = 0;
}

static zoo_choice perp_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    perp *p = self;
    if (p->at == p->length)
        plan_batch(p, chance);
    p->step++;
    const size_t arm = p->plan[p->at++];
    return (zoo_choice){zoo_may(mask, arm) ? arm : zoo_gp_best(&p->base, mask), 1};
}

static void perp_tell(void *self, size_t arm, double r, double probability) {
    (void)probability;
    zoo_gp_tell(&((perp *)self)->base, arm, r);
}

static double perp_number(const void *self, size_t which) { /* 1: largest lower end; 2 ..: mean of arm which - 2 */
    const perp *p = self;
    return which == 0 ? (double)p->restarts : which == 1 ? p->most : p->base.m[which - 2];
}

static void perp_destroy(void *self) {
    perp *p = self;
    zoo_gp_destroy(&p->base);
    free(p->plan);
    free(p->alive);
}

const zoo_player_type zoo_r_perp = {"r-perp",
                                    "after Iwazaki, Takeno 2025",
                                    ZOO_AT_ALL | ZOO_AT_MODEL,
                                    sizeof(perp),
                                    {{"h", NAN}, {"first", 4}, {"b", 2}},
                                    perp_create,
                                    perp_choose,
                                    perp_tell,
                                    perp_number,
                                    perp_destroy};

/* ---- Kalman arms -------------------------------------------------------------------------------------------------- */

typedef struct kalman {
    size_t arms;
    double mean, v0, noise, eps, width, *m, *P, *score;
} kalman;

static void kalman_create(void *self, const zoo_facts *f, const double *parameter) {
    kalman *p = self;
    *p = (kalman){f->arms, f->mean, f->K[0], f->noise, f->epsilon, parameter[0], zoo_numbers(3 * f->arms), NULL, NULL};
    p->P = p->m + f->arms;
    p->score = p->P + f->arms;
    for (size_t i = 0; i < f->arms; i++)
        p->P[i] = p->v0;
}

static zoo_choice kalman_choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    kalman *p = self;
    (void)chance;
    for (size_t i = 0; i < p->arms; i++)
        p->score[i] = p->mean + p->m[i] + p->width * sqrt(p->P[i]);
    return (zoo_choice){zoo_argmax(p->arms, p->score, mask), 1};
}

static void kalman_tell(void *self, size_t arm, double r, double probability) {
    kalman *p = self;
    const double gain = p->P[arm] / (p->P[arm] + p->noise);
    (void)probability;
    p->m[arm] += gain * (r - p->mean - p->m[arm]);
    p->P[arm] *= 1 - gain;
    for (size_t i = 0; i < p->arms; i++) {
        p->m[i] *= sqrt(1 - p->eps);
        p->P[i] = (1 - p->eps) * p->P[i] + p->eps * p->v0;
    }
}

static double kalman_number(const void *self, size_t which) { /* 1, 2: mean and variance of arm 0 */
    const kalman *p = self;
    return which == 0 ? 0 : which == 1 ? p->m[0] : p->P[0];
}

static void kalman_destroy(void *self) {
    free(((kalman *)self)->m);
}

const zoo_player_type zoo_kalman = {"kalman-arms",    "tv-gp-ucb on arms without likeness",
                                    ZOO_AT_ALL,       sizeof(kalman),
                                    {{"width", 1.5}}, kalman_create,
                                    kalman_choose,    kalman_tell,
                                    kalman_number,    kalman_destroy};

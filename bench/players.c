/* SPDX-License-Identifier: MIT */
#include "players.h"

#include "experiment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sliding-window UCB ------------------------------------------------------------------------------------------- */

void window_ucb_create(window_ucb *p, size_t arms, size_t window, double width) {
    *p = (window_ucb){.arms = arms, .window = window, .width = width};
    p->n = experiment_allocate(2 * arms, sizeof *p->n);
    p->sum = p->n + arms;
    p->arm = experiment_allocate(window, sizeof *p->arm);
    p->y = experiment_allocate(window, sizeof *p->y);
}

void window_ucb_destroy(window_ucb *p) {
    free(p->n);
    free(p->arm);
    free(p->y);
}

size_t window_ucb_choose(const window_ucb *p) {
    const double answers = (double)(p->steps + 1 < p->window ? p->steps + 1 : p->window);
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < p->arms; i++) {
        if (p->n[i] == 0)
            return i;
        const double score = p->sum[i] / p->n[i] + p->width * sqrt(log(answers) / p->n[i]);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

/* The sums are taken afresh when the ring comes round. */
static void sum_up(window_ucb *p) {
    memset(p->n, 0, 2 * p->arms * sizeof *p->n);
    for (size_t i = 0; i < p->window; i++) {
        p->n[p->arm[i]]++;
        p->sum[p->arm[i]] += p->y[i];
    }
}

void window_ucb_tell(window_ucb *p, size_t arm, double y) {
    const size_t at = p->steps % p->window;
    if (p->steps >= p->window) {
        p->n[p->arm[at]]--;
        p->sum[p->arm[at]] -= p->y[at];
    }
    p->arm[at] = arm;
    p->y[at] = y;
    p->n[arm]++;
    p->sum[arm] += y;
    if (++p->steps % p->window == 0)
        sum_up(p);
}

/* ---- discounted Thompson sampling --------------------------------------------------------------------------------- */

void discounted_thompson_create(discounted_thompson *p, size_t arms, double gamma, uint64_t seed) {
    *p = (discounted_thompson){.arms = arms, .gamma = gamma, .random = seed * 0x9e3779b97f4a7c15u + 1};
    p->n = experiment_allocate(2 * arms, sizeof *p->n);
    p->sum = p->n + arms;
}

void discounted_thompson_destroy(discounted_thompson *p) {
    free(p->n);
}

/* splitmix64 */
static double uniform(discounted_thompson *p) {
    uint64_t z = p->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(discounted_thompson *p) {
    const double u = uniform(p);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * uniform(p));
}

/* Of shape >= 1: Marsaglia and Tsang 2000. */
static double gamma_draw(discounted_thompson *p, double shape) {
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = normal(p), v = pow(1 + c * x, 3);
        if (v > 0 && log(uniform(p)) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v;
    }
}

static double draw(discounted_thompson *p, size_t arm) {
    if (p->noise == 0) {
        const double a = gamma_draw(p, 1 + p->sum[arm]), b = gamma_draw(p, 1 + p->n[arm] - p->sum[arm]);
        return a / (a + b);
    }
    const double precision = 1 / p->prior + p->n[arm] / p->noise;
    return (p->prior_mean / p->prior + p->sum[arm] / p->noise) / precision + normal(p) / sqrt(precision);
}

size_t discounted_thompson_choose(discounted_thompson *p) {
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < p->arms; i++) {
        const double score = draw(p, i);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    return best;
}

void discounted_thompson_tell(discounted_thompson *p, size_t arm, double y) {
    for (size_t i = 0; i < 2 * p->arms; i++)
        p->n[i] *= p->gamma;
    p->n[arm]++;
    p->sum[arm] += y;
}

/* SPDX-License-Identifier: MIT */
#include "forgetting.h"

#include "../experiment.h"
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

size_t window_ucb_choose(window_ucb *p, const uint8_t *mask) {
    const double answers = (double)(p->steps + 1 < p->window ? p->steps + 1 : p->window);
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < p->arms; i++) {
        if (mask && !mask[i])
            continue;
        if (p->n[i] == 0) {
            p->index = INFINITY;
            return i;
        }
        const double score = p->sum[i] / p->n[i] + p->width * sqrt(log(answers) / p->n[i]);
        if (score > most) {
            most = score;
            best = i;
        }
    }
    p->index = most;
    return best;
}

/* The sums are taken again when the ring comes round. */
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

void discounted_thompson_create(discounted_thompson *p, size_t arms, double gamma) {
    *p = (discounted_thompson){.arms = arms, .gamma = gamma};
    p->n = experiment_allocate(2 * arms, sizeof *p->n);
    p->sum = p->n + arms;
}

void discounted_thompson_destroy(discounted_thompson *p) {
    free(p->n);
}

static double draw(const discounted_thompson *p, size_t arm, zoo_chance *chance) {
    if (p->noise == 0)
        return chance->beta(chance, arm, 1 + p->sum[arm], 1 + p->n[arm] - p->sum[arm]);
    const double precision = 1 / p->prior + p->n[arm] / p->noise;
    return (p->prior_mean / p->prior + p->sum[arm] / p->noise) / precision + chance->normal(chance, arm) / sqrt(precision);
}

size_t discounted_thompson_choose(const discounted_thompson *p, const uint8_t *mask, zoo_chance *chance) {
    size_t best = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < p->arms; i++) {
        if (mask && !mask[i])
            continue;
        const double score = draw(p, i, chance);
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

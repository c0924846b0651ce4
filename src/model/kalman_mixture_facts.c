/* SPDX-License-Identifier: MIT */
/* Inferred quantities of a mixture of Kalman filters: rates of change, scale, noise and offset. */
#include "base/error.h"
#include "base/valid_range.h"
#include "model/kalman_mixture.h"

#include <math.h>
#include <string.h>

size_t tvgp__kalman_mixture_active(tvgp__kalman_mixture *b) {
    size_t n = 0;
    for (; n < b->J; n++)
        b->active[n] = &b->set.filter[n];
    if (b->slot_on)
        b->active[n++] = &b->set.filter[b->J];
    return n;
}

double tvgp__kalman_mixture_heaviest(const tvgp__kalman_mixture *b, size_t n) {
    double most = -INFINITY;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, b->member[j].log_weight);
    return most;
}

/* Weights of the filters alone, relative to the heaviest: the slot's may round to 1 and theirs to 0. */
static double relative(const tvgp__kalman_mixture *b, size_t j, double most) {
    return exp(b->member[j].log_weight - most);
}

double tvgp__kalman_mixture_rate(const tvgp__kalman_mixture *b) {
    double most = tvgp__kalman_mixture_heaviest(b, b->J), sum = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        sum += relative(b, j, most) * b->rate[j];
        all += relative(b, j, most);
    }
    return sum / all;
}

static double mixed_correlation(const tvgp__kalman_mixture *b, double elapsed) {
    double most = tvgp__kalman_mixture_heaviest(b, b->J), sum = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        sum += relative(b, j, most) * tvgp__drift_transition_over(&b->set.filter[j].drift, elapsed).M[0][0];
        all += relative(b, j, most);
    }
    return sum / all;
}

/* The correlation between both times that is nearest to 0.5 among the drift models: 0 or 1 only if the unit of time is wrong. */
double tvgp__kalman_mixture_correlation(const tvgp__posterior *base, double from, double to) {
    const tvgp__kalman_mixture *b = (const tvgp__kalman_mixture *)base;
    double best = -1;
    for (size_t j = 0; j < b->n_drifts; j++) {
        double rho = tvgp__drift_correlation(&b->set.filter[j].drift, from, to);
        if (fabs(rho - 0.5) < fabs(best - 0.5))
            best = rho;
    }
    return best;
}

void tvgp__kalman_mixture_set_unit(tvgp__posterior *base, double unit) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    b->time_unit = unit > 0 ? unit : 1;
    for (size_t i = 0; i < b->set.count; i++)
        tvgp__drift_set_unit(&b->set.filter[i].drift, unit);
}

double tvgp__kalman_mixture_half_life(const tvgp__kalman_mixture *b) {
    double low = 0, high = b->time_unit;
    while (mixed_correlation(b, high) > 0.5) {
        low = high;
        high *= 2;
        if (high > 1e12 * b->time_unit)
            return INFINITY;
    }
    for (int i = 0; i < 50; i++) { /* correlations fall */
        double middle = 0.5 * (low + high);
        if (mixed_correlation(b, middle) > 0.5)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double tvgp__kalman_mixture_effective(const tvgp__kalman_mixture *b) {
    double most = tvgp__kalman_mixture_heaviest(b, b->J), squares = 0, all = 0;
    for (size_t j = 0; j < b->J; j++) {
        squares += relative(b, j, most) * relative(b, j, most);
        all += relative(b, j, most);
    }
    return all * all / squares;
}

/* ---- scale, noise and offset: an empty slot has weight 0 and does not count ------------------------------------ */

static size_t members(const tvgp__kalman_mixture *b) {
    return b->J + (size_t)b->slot_on;
}

double tvgp__kalman_mixture_member_factor(const tvgp__kalman_mixture *b, size_t j) {
    return b->scale ? b->member[j].b / b->member[j].a : 1;
}

double tvgp__kalman_mixture_factor(const tvgp__kalman_mixture *b) {
    double sum = 0;
    for (size_t j = 0; b->scale && j < members(b); j++)
        sum += b->weight[j] * tvgp__kalman_mixture_member_factor(b, j);
    return b->scale ? sum : 1;
}

double tvgp__kalman_mixture_unit(const tvgp__kalman_mixture *b) {
    double sum = 0;
    for (size_t j = 0; b->doubts_noise && j < members(b); j++)
        sum += b->weight[j] * tvgp__kalman_mixture_member_factor(b, j) * b->set.filter[j].level;
    return b->doubts_noise ? sum : tvgp__kalman_mixture_factor(b);
}

double tvgp__kalman_mixture_level(const tvgp__kalman_mixture *b) {
    double sum = 0;
    for (size_t j = 0; b->doubts_noise && j < members(b); j++)
        sum += b->weight[j] * b->set.filter[j].level;
    return b->doubts_noise ? sum : 1;
}

double tvgp__kalman_mixture_constant(const tvgp__kalman_mixture *b) {
    double sum = 0;
    for (size_t j = 0; j < members(b); j++)
        sum += b->weight[j] * b->set.filter[j].k;
    return sum;
}

double tvgp__kalman_mixture_jumped(const tvgp__kalman_mixture *b) {
    double sum = 0;
    for (size_t j = 0; j < members(b); j++)
        sum += b->weight[j] * (1 - b->member[j].stayed);
    return sum;
}

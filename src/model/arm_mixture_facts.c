/* SPDX-License-Identifier: MIT */
/* Moments of a fixed mixture, and what it has learned. */
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "model/arm_mixture.h"
#include "space/temporal/median_gap.h"

#include <math.h>

/* ---- moments ---------------------------------------------------------------------------------------------------- */

void tvgp__arm_mixture_look(tvgp__arm_mixture *g, double t) {
    const double elapsed = fabs(tvgp__arm_mixture_units(g, t));
    for (size_t j = 0; j < g->set.count; j++)
        g->view[j] = tvgp__common_level_filter_view(&g->set.filter[j], elapsed);
}

void tvgp__arm_mixture_mix(tvgp__arm_mixture *g, const tvgp__arm_entries *at, double *mean, double *var) {
    double *m = g->density, *v = g->variance, sum = 0, spread = 0;
    for (size_t j = 0; j < g->set.count; j++) {
        tvgp__common_level_filter_moments(&g->set, &g->set.filter[j], &g->view[j], at, &m[j], &v[j]);
        sum += g->weight[j] * m[j];
    }
    for (size_t j = 0; j < g->set.count; j++) {
        const double off = m[j] - sum;
        spread += g->weight[j] * (tvgp__arm_mixture_factor(g, j) * v[j] + tvgp__valid_range_product(off, off));
    }
    *mean = sum;
    *var = spread;
}

double tvgp__arm_mixture_units(const tvgp__arm_mixture *g, double t) {
    return g->front == -INFINITY || t == -INFINITY ? 0 : tvgp__median_gap_units(t - g->front, g->time_unit);
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

double tvgp__arm_mixture_factor(const tvgp__arm_mixture *g, size_t j) {
    return g->b[j] / g->a;
}

double tvgp__arm_mixture_scale(const tvgp__arm_mixture *g) {
    double sum = 0;
    for (size_t j = 0; j < g->set.count; j++)
        sum += g->weight[j] * tvgp__arm_mixture_factor(g, j);
    return sum;
}

double tvgp__arm_mixture_level(const tvgp__arm_mixture *g) {
    const double elapsed = fmax(tvgp__arm_mixture_units(g, g->base.now), 0);
    double sum = g->base.origin;
    for (size_t j = 0; g->set.n.arms && j < g->set.count; j++)
        sum += g->weight[j] * tvgp__common_level_filter_view(&g->set.filter[j], elapsed).level * g->set.filter[j].mean[0];
    return sum;
}

double tvgp__arm_mixture_rate(const tvgp__arm_mixture *g) {
    return tvgp__blas_dot(g->set.count, g->weight, g->rate);
}

double tvgp__arm_mixture_level_rate(const tvgp__arm_mixture *g) {
    double sum = 0;
    for (size_t j = 0; j < g->set.count; j++)
        sum += g->weight[j] * g->set.filter[j].model.level_rate;
    return sum;
}

double tvgp__arm_mixture_effective(const tvgp__arm_mixture *g) {
    return 1 / tvgp__blas_dot(g->set.count, g->weight, g->weight);
}

double tvgp__arm_mixture_contextual(const tvgp__arm_mixture *g) {
    double sum = 0;
    for (size_t j = 0; j < g->set.count; j++)
        sum += g->set.filter[j].other ? g->weight[j] : 0;
    return sum;
}

static double mixed_correlation(const tvgp__arm_mixture *g, double elapsed) {
    double sum = 0;
    for (size_t j = 0; j < g->set.count; j++) {
        const tvgp__arm_model *m = &g->set.filter[j].model;
        const double own = m->lasting + (1 - m->lasting) * exp(0.5 * elapsed * log1p(-m->rate));
        sum += g->weight[j] * (m->pair + (1 - m->pair) * own);
    }
    return sum;
}

double tvgp__arm_mixture_half_life(const tvgp__arm_mixture *g) {
    double low = 0, high = 1;
    while (mixed_correlation(g, high) > 0.5) {
        low = high;
        high *= 2;
        if (high > 1e12)
            return INFINITY;
    }
    for (int i = 0; i < 50; i++) { /* correlations fall */
        const double middle = 0.5 * (low + high);
        if (mixed_correlation(g, middle) > 0.5)
            low = middle;
        else
            high = middle;
    }
    return high * g->time_unit;
}

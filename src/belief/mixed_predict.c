/* SPDX-License-Identifier: MIT */
/* Predictions of a fixed mixture at a later time, at arms and as a function of any point; covariances. */
#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "belief/mixed.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { NO_SLOT_MOMENTS = 2 };

void tvgp__mixed_at(tvgp__belief *base, double t, size_t n, const size_t *arm, double *mean, double *var) {
    tvgp__mixed *g = (tvgp__mixed *)base;
    double other[NO_SLOT_MOMENTS];
    tvgp__mixed_look(g, tvgp__mixed_units(g, t));
    tvgp__mixed_mix(g, TVGP__ARM_FILTER_NONE, &other[0], &other[1]);
    for (size_t i = 0; i < n; i++) {
        const size_t slot = tvgp__arm_filters_slot(&g->set, arm ? arm[i] : i);
        mean[i] = other[0];
        var[i] = other[1];
        if (slot != TVGP__ARM_FILTER_NONE)
            tvgp__mixed_mix(g, slot, &mean[i], &var[i]);
        mean[i] += base->origin;
        var[i] = fmax(var[i], 0);
    }
}

/* ---- covariances ------------------------------------------------------------------------------------------------ */

static double mean_of(const tvgp__mixed *g, size_t j, size_t slot) {
    double mean, var;
    tvgp__arm_filter_moments(&g->set, &g->set.filter[j], &g->view[j], slot, &mean, &var);
    return mean;
}

static size_t slot_of(const tvgp__mixed *g, size_t i) {
    return i < g->set.n ? i : TVGP__ARM_FILTER_NONE;
}

/* Means of the mixture by the views, at every slot and at another arm behind them. */
static void means(const tvgp__mixed *g, double *out) {
    memset(out, 0, (g->set.n + 1) * sizeof *out);
    for (size_t j = 0; j < g->set.count; j++)
        for (size_t i = 0; i <= g->set.n; i++)
            out[i] += g->weight[j] * mean_of(g, j, slot_of(g, i));
}

/* The covariance of an arm, by slot or NONE, with the same arms. */
static void covariances(tvgp__mixed *g, size_t slot, const double *mean, double *out) {
    const size_t n = g->set.n, at = slot == TVGP__ARM_FILTER_NONE ? n : slot;
    memset(out, 0, (n + 1) * sizeof *out);
    for (size_t j = 0; j < g->set.count; j++) {
        const double off = mean_of(g, j, slot) - mean[at];
        tvgp__arm_filter_column(&g->set, &g->set.filter[j], &g->view[j], slot, g->column);
        for (size_t i = 0; i <= n; i++)
            out[i] += g->weight[j] * (tvgp__mixed_factor(g, j) * g->column[i] +
                                      tvgp__range_product(off, mean_of(g, j, slot_of(g, i)) - mean[i]));
    }
}

void tvgp__mixed_column(tvgp__belief *base, size_t arm, double *out) {
    tvgp__mixed *g = (tvgp__mixed *)base;
    const size_t n = g->set.n, slot = tvgp__arm_filters_slot(&g->set, arm);
    double *mean = g->column + n + 1, *with = mean + n + 1;
    tvgp__mixed_look(g, 0);
    means(g, mean);
    covariances(g, slot, mean, with);
    for (size_t i = 0; i < base->n; i++)
        out[i] = with[n];
    for (size_t s = 0; s < n; s++)
        out[g->set.arm[s]] = with[s];
    if (slot == TVGP__ARM_FILTER_NONE)
        out[arm] += tvgp__mixed_scale(g);
}

/* In weights that are what the arms observed have beyond the common level, which is the constant of the form. */
tvgp_status tvgp__mixed_form(tvgp__belief *base, double t, tvgp__form *out) {
    tvgp__mixed *g = (tvgp__mixed *)base;
    const size_t n = g->set.n, dim = base->kernel->dim;
    const double kappa = tvgp__mixed_scale(g);
    double *memory = NULL;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, n + 1, (4 + dim + 2 * (n + 1)) * sizeof *memory, &memory));
    double *mean = memory, *level = mean + n + 1, *u = level + n + 1, *cross = u + n + 1, *points = cross + n + 1;
    double *L = points + (n + 1) * dim, *S = L + (n + 1) * (n + 1);
    tvgp__mixed_look(g, tvgp__mixed_units(g, t));
    means(g, mean);
    covariances(g, TVGP__ARM_FILTER_NONE, mean, level);
    for (size_t i = 0; i < n; i++) {
        double *column = S + i * n;
        covariances(g, i, mean, g->column + g->set.room + 1);
        for (size_t k = 0; k < n; k++)
            column[k] = level[i] + level[k] - level[n] - g->column[g->set.room + 1 + k] + (i == k ? kappa : 0);
        memcpy(points + i * dim, base->X + g->set.arm[i] * dim, dim * sizeof *points);
        L[i * n + i] = 1;
        u[i] = mean[i] - mean[n];
        cross[i] = level[i] - level[n];
    }
    *out = tvgp__form_of(base->ctx, base->kernel, n, points, L, n, u);
    out->S = S;
    out->cross = cross;
    out->shift = base->origin + mean[n];
    out->extra = level[n];
    out->kappa = kappa;
    out->memory = memory;
    return TVGP_OK;
}

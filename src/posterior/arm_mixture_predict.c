/* SPDX-License-Identifier: MIT */
/* Predictions of a fixed mixture at a later time, at arms and as a function of any point; covariances. */
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "posterior/arm_mixture.h"

#include <math.h>
#include <string.h>

enum { NO_SLOT_MOMENTS = 2 };

void tvgp__arm_mixture_at(tvgp__posterior *base, double t, size_t n, const size_t *arm, double *mean, double *var) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    double other[NO_SLOT_MOMENTS];
    tvgp__arm_mixture_look(g, tvgp__arm_mixture_units(g, t));
    tvgp__arm_mixture_mix(g, TVGP__ARM_FILTER_NONE, &other[0], &other[1]);
    for (size_t i = 0; i < n; i++) {
        const size_t slot = tvgp__arm_filters_slot(&g->set, arm ? arm[i] : i);
        mean[i] = other[0];
        var[i] = other[1];
        if (slot != TVGP__ARM_FILTER_NONE)
            tvgp__arm_mixture_mix(g, slot, &mean[i], &var[i]);
        mean[i] += base->origin;
        var[i] = fmax(var[i], 0);
    }
}

/* ---- draws ------------------------------------------------------------------------------------------------------ */

size_t tvgp__arm_mixture_filters(const tvgp__posterior *base) {
    return ((const tvgp__arm_mixture *)base)->set.count;
}

/* Of filters with counts the noise is that of one more count about the level. */
void tvgp__arm_mixture_draws(tvgp__posterior *base, size_t m, const size_t *arm, double *weight, double *mean, double *sd) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    double var;
    tvgp__arm_mixture_look(g, 0);
    for (size_t j = 0; j < g->set.count; j++) {
        const tvgp__arm_filter *f = &g->set.filter[j];
        const double factor = tvgp__arm_mixture_factor(g, j);
        const double noise = g->counts ? base->learned.noise / factor : f->model.noise;
        weight[j] = g->weight[j];
        for (size_t i = 0; i < m; i++) {
            const size_t slot = tvgp__arm_filters_slot(&g->set, arm[i]);
            tvgp__arm_filter_moments(&g->set, f, &g->view[j], slot, &mean[j * m + i], &var);
            sd[j * m + i] = sqrt(factor * tvgp__arm_filter_resolvable(&g->set, f, slot, noise));
        }
    }
}

/* ---- covariances ------------------------------------------------------------------------------------------------ */

/* Workspace over the slots and another arm behind them: a column of a filter, one of the mixture, means of the mixture, and the
 * means of each filter. */
typedef struct {
    double *one, *with, *mean, *means;
} columns;

static columns columns_of(const tvgp__arm_mixture *g) {
    const size_t n = g->set.n + 1;
    return (columns){.one = g->column, .with = g->column + n, .mean = g->column + 2 * n, .means = g->column + 3 * n};
}

/* Fills in the means, by the views. */
static void fill_means(const tvgp__arm_mixture *g, const columns *c) {
    const size_t n = g->set.n + 1;
    double var;
    memset(c->mean, 0, n * sizeof *c->mean);
    for (size_t j = 0; j < g->set.count; j++)
        for (size_t i = 0; i < n; i++) {
            double *mean = &c->means[j * n + i];
            const size_t slot = i + 1 < n ? i : TVGP__ARM_FILTER_NONE;
            tvgp__arm_filter_moments(&g->set, &g->set.filter[j], &g->view[j], slot, mean, &var);
            c->mean[i] += g->weight[j] * *mean;
        }
}

/* The covariance of an arm, by slot or NONE, with these arms, into `with`. */
static void covariances(const tvgp__arm_mixture *g, size_t slot, const columns *c) {
    const size_t n = g->set.n + 1, at = slot == TVGP__ARM_FILTER_NONE ? n - 1 : slot;
    memset(c->with, 0, n * sizeof *c->with);
    for (size_t j = 0; j < g->set.count; j++) {
        const double *m = c->means + j * n, off = m[at] - c->mean[at], factor = tvgp__arm_mixture_factor(g, j);
        tvgp__arm_filter_column(&g->set, &g->set.filter[j], &g->view[j], slot, c->one);
        for (size_t i = 0; i < n; i++)
            c->with[i] += g->weight[j] * (factor * c->one[i] + tvgp__valid_range_product(off, m[i] - c->mean[i]));
    }
}

void tvgp__arm_mixture_column(tvgp__posterior *base, size_t arm, double *out) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    const size_t n = g->set.n, slot = tvgp__arm_filters_slot(&g->set, arm);
    const columns c = columns_of(g);
    const double *with = c.with;
    tvgp__arm_mixture_look(g, 0);
    if (!g->has_means)
        fill_means(g, &c);
    g->has_means = 1;
    covariances(g, slot, &c);
    for (size_t i = 0; i < base->n; i++)
        out[i] = with[n];
    for (size_t s = 0; s < n; s++)
        out[g->set.arm[s]] = with[s];
    if (slot == TVGP__ARM_FILTER_NONE)
        out[arm] += tvgp__arm_mixture_scale(g);
}

/* In weights that are what the arms observed have beyond the common level, which is the constant of the form. */
tvgp_status tvgp__arm_mixture_form(tvgp__posterior *base, double t, tvgp__predictive *out) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    const size_t n = g->set.n, dim = base->kernel->dim;
    const double kappa = tvgp__arm_mixture_scale(g);
    double *memory = NULL;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, n + 1, (3 + dim + 2 * (n + 1)) * sizeof *memory, &memory));
    const columns c = columns_of(g);
    const double *mean = c.mean;
    double *level = memory, *u = level + n + 1, *cross = u + n + 1, *points = cross + n + 1;
    double *L = points + (n + 1) * dim, *S = L + (n + 1) * (n + 1);
    tvgp__arm_mixture_look(g, tvgp__arm_mixture_units(g, t));
    fill_means(g, &c);
    g->has_means = 0; /* these are of another time */
    covariances(g, TVGP__ARM_FILTER_NONE, &c);
    memcpy(level, c.with, (n + 1) * sizeof *level);
    for (size_t i = 0; i < n; i++) {
        double *column = S + i * n;
        covariances(g, i, &c);
        for (size_t k = 0; k < n; k++)
            column[k] = level[i] + level[k] - level[n] - c.with[k] + (i == k ? kappa : 0);
        memcpy(points + i * dim, base->X + g->set.arm[i] * dim, dim * sizeof *points);
        L[i * n + i] = 1;
        u[i] = mean[i] - mean[n];
        cross[i] = level[i] - level[n];
    }
    *out = tvgp__predictive_of(base->ctx, base->kernel, n, points, L, n, u);
    out->S = S;
    out->cross = cross;
    out->shift = base->origin + mean[n];
    out->extra = level[n];
    out->kappa = kappa;
    out->memory = memory;
    return TVGP_OK;
}

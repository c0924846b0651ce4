/* SPDX-License-Identifier: MIT */
/* Predictions of a fixed mixture at a later time, at arms and as a function of any point; covariances. */
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "model/arm_mixture.h"

#include <math.h>
#include <string.h>

void tvgp__arm_mixture_at(tvgp__posterior *base, double t, size_t n, const size_t *arm, double *mean, double *var) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    const size_t contexts = g->set.items.contexts;
    double other_mean = 0, other_var = 0;
    size_t context = SIZE_MAX; /* of these */
    tvgp__arm_mixture_look(g, t);
    for (size_t i = 0; i < n; i++) {
        const size_t number = arm ? arm[i] : i;
        const tvgp__arm_entries at = tvgp__common_level_filters_find(&g->set, number);
        const int observed = at.slot[TVGP__COMMON_LEVEL_ARM] != TVGP__COMMON_LEVEL_NONE;
        if (observed || number % contexts != context)
            tvgp__arm_mixture_mix(g, &at, &mean[i], &var[i]);
        else {
            mean[i] = other_mean;
            var[i] = other_var;
        }
        if (!observed) {
            context = number % contexts;
            other_mean = mean[i];
            other_var = var[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        mean[i] += base->origin;
        var[i] = fmax(var[i], 0);
    }
}

/* ---- draws ------------------------------------------------------------------------------------------------------ */

/* Of filters with counts the noise is of one more count about the level. */
void tvgp__arm_mixture_draws(tvgp__posterior *base, size_t m, const size_t *arm, double *weight, double *mean, double *sd) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    double var;
    tvgp__arm_mixture_look(g, base->now);
    for (size_t j = 0; j < g->set.count; j++) {
        const tvgp__common_level_filter *f = &g->set.filter[j];
        const double factor = tvgp__arm_mixture_factor(g, j);
        const double noise = g->counts ? base->learned.noise / factor : f->model.noise;
        weight[j] = g->weight[j];
        for (size_t i = 0; i < m; i++) {
            const tvgp__arm_entries at = tvgp__common_level_filters_find(&g->set, arm[i]);
            tvgp__common_level_filter_moments(&g->set, f, &g->view[j], &at, &mean[j * m + i], &var);
            sd[j * m + i] = sqrt(factor * tvgp__common_level_filter_resolvable(&g->set, f, &g->view[j], &at, noise));
        }
    }
}

/* ---- covariances ------------------------------------------------------------------------------------------------ */

size_t tvgp__arm_mixture_entries(const tvgp__arm_mixture *g) {
    return 1 + (g->set.items.contexts > 1 ? g->base.n : g->set.room.arms);
}

/* Workspace over the arms whose moments suffice for all, of which the last is another arm, in another context: a column of the mixture,
 * means of the mixture, and the means of each filter. */
typedef struct {
    size_t n; /* arms but the last */
    double *with, *mean, *means;
} columns;

static columns columns_of(const tvgp__arm_mixture *g) {
    const size_t n = g->set.items.contexts > 1 ? g->base.n : g->set.n.arms;
    return (columns){.n = n, .with = g->column, .mean = g->column + n + 1, .means = g->column + 2 * (n + 1)};
}

static size_t arm_of(const tvgp__arm_mixture *g, size_t i) {
    return g->set.items.contexts > 1 ? i : g->set.item[i];
}

static tvgp__arm_entries entries_at(const tvgp__arm_mixture *g, const columns *c, size_t i) {
    return i < c->n ? tvgp__common_level_filters_find(&g->set, arm_of(g, i))
                    : tvgp__common_level_filters_other(&g->set, TVGP__COMMON_LEVEL_NONE);
}

/* Fills in the means, by the views. */
static void fill_means(const tvgp__arm_mixture *g, const columns *c) {
    const size_t n = c->n + 1;
    double var;
    memset(c->mean, 0, n * sizeof *c->mean);
    for (size_t i = 0; i < n; i++) {
        const tvgp__arm_entries at = entries_at(g, c, i);
        for (size_t j = 0; j < g->set.count; j++) {
            double *mean = &c->means[j * n + i];
            tvgp__common_level_filter_moments(&g->set, &g->set.filter[j], &g->view[j], &at, mean, &var);
            c->mean[i] += g->weight[j] * *mean;
        }
    }
}

/* The covariance of arm number i with all of them, into `with`. */
static void covariances(tvgp__arm_mixture *g, size_t i, const columns *c) {
    const size_t n = c->n + 1;
    const tvgp__arm_entries at = entries_at(g, c, i);
    memset(c->with, 0, n * sizeof *c->with);
    for (size_t j = 0; j < g->set.count; j++) {
        const tvgp__common_level_filter *f = &g->set.filter[j];
        const double *m = c->means + j * n, off = m[i] - c->mean[i], factor = tvgp__arm_mixture_factor(g, j);
        tvgp__common_level_filter_look(&g->set, f, &g->view[j], &at);
        for (size_t k = 0; k < n; k++) {
            const tvgp__arm_entries with = entries_at(g, c, k);
            c->with[k] +=
                g->weight[j] * (factor * tvgp__common_level_filter_covariance(&g->set, f, &g->view[j], &at, &with) +
                                tvgp__valid_range_product(off, m[k] - c->mean[k]));
        }
    }
}

/* The prior variance of an arm in a context, without the level. */
static double own_variance(const tvgp__arm_mixture *g) {
    double sum = 0;
    for (size_t j = 0; j < g->set.count; j++)
        sum += g->weight[j] * tvgp__arm_mixture_factor(g, j) * (1 + g->set.filter[j].model.context);
    return sum;
}

/* Of an arm with all arms, by the views and means. */
static void column(tvgp__arm_mixture *g, const columns *c, size_t arm, double *out) {
    const tvgp__arm_entries at = tvgp__common_level_filters_find(&g->set, arm);
    const size_t slot = at.slot[TVGP__COMMON_LEVEL_ARM];
    if (g->set.items.contexts > 1) {
        covariances(g, arm, c);
        memcpy(out, c->with, c->n * sizeof *out);
        return;
    }
    covariances(g, slot == TVGP__COMMON_LEVEL_NONE ? c->n : slot, c);
    for (size_t i = 0; i < g->base.n; i++)
        out[i] = c->with[c->n];
    for (size_t s = 0; s < c->n; s++)
        out[arm_of(g, s)] = c->with[s];
    if (slot == TVGP__COMMON_LEVEL_NONE)
        out[arm] += own_variance(g);
}

void tvgp__arm_mixture_column(tvgp__posterior *base, size_t arm, double *out) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    const columns c = columns_of(g);
    tvgp__arm_mixture_look(g, base->now);
    if (!g->has_means)
        fill_means(g, &c);
    g->has_means = 1;
    column(g, &c, arm, out);
}

tvgp_status tvgp__arm_mixture_covariance(tvgp__posterior *base, double t, size_t m, const size_t *arm, double *out) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    const columns c = columns_of(g);
    tvgp__arm_mixture_look(g, t);
    fill_means(g, &c);
    g->has_means = 0; /* these are of another time */
    for (size_t i = 0; i < m; i++)
        column(g, &c, arm[i], out + i * base->n);
    return TVGP_OK;
}

/* In weights that are what the arms have beyond the common level, which is the constant of the predictive. */
tvgp_status tvgp__arm_mixture_predictive(tvgp__posterior *base, double t, tvgp__predictive *out) {
    tvgp__arm_mixture *g = (tvgp__arm_mixture *)base;
    const columns c = columns_of(g);
    const size_t n = c.n, dim = base->kernel->dim;
    const double kappa = own_variance(g);
    double *memory = NULL;
    TVGP__TRY(tvgp__memory_alloc(base->ctx, n + 1, (3 + dim + 2 * (n + 1)) * sizeof *memory, &memory));
    const double *mean = c.mean;
    double *level = memory, *u = level + n + 1, *cross = u + n + 1, *points = cross + n + 1;
    double *L = points + (n + 1) * dim, *S = L + (n + 1) * (n + 1);
    tvgp__arm_mixture_look(g, t);
    fill_means(g, &c);
    g->has_means = 0; /* these are of another time */
    covariances(g, n, &c);
    memcpy(level, c.with, (n + 1) * sizeof *level);
    for (size_t i = 0; i < n; i++) {
        double *own = S + i * n;
        covariances(g, i, &c);
        for (size_t k = 0; k < n; k++)
            own[k] = level[i] + level[k] - level[n] - c.with[k] + (i == k ? kappa : 0);
        memcpy(points + i * dim, base->X + arm_of(g, i) * dim, dim * sizeof *points);
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

/* SPDX-License-Identifier: MIT */
/* Creates mixtures of Kalman filters on arms and on boxes (model/kalman_mixture.h). */
#include "base/error.h"
#include "base/memory.h"
#include "model/kalman_mixture_box.h"
#include "model/kalman_mixture_delayed.h"

#include <math.h>

static void start_filters(tvgp__kalman_mixture *b, const tvgp__kalman_mixture_spec *spec) {
    const size_t block = spec->n_drifts * spec->n_levels;
    for (size_t j = 0; j < b->J; j++) {
        const tvgp__drift *drift = &spec->drifts[j % spec->n_drifts];
        tvgp__kalman_filter_start(&b->set, &b->set.filter[j], drift, j / block, spec->levels[j % block / spec->n_drifts]);
        b->rate[j] = tvgp__drift_epsilon(drift);
    }
}

static tvgp_status build(tvgp__kalman_mixture *b, const tvgp__kalman_mixture_spec *spec, double noise, size_t n,
                         const double *X) {
    tvgp__posterior *base = &b->base;
    const size_t spare = spec->late ? 2 : 0;
    size_t twos = 0, members = b->J + 1;
    for (size_t j = 0; j < spec->n_drifts; j++)
        twos += tvgp__drift_states(&spec->drifts[j]) == 2;
    /* and the slot, its witness, the past */
    twos = twos ? twos * spec->n_levels * spec->n_priors + 1 + (size_t)b->earn + spare : 0;
    const tvgp__kalman_filters_spec filters = {.priors = spec->n_priors,
                                               .kernels = spec->kernels,
                                               .means = spec->means,
                                               .constant = spec->constant,
                                               .n = n,
                                               .X = X,
                                               .noise = noise,
                                               .rule = spec->rule,
                                               .ones = members + (size_t)b->earn + spare - twos,
                                               .twos = twos,
                                               .domain = spec->domain,
                                               .progress = spec->progress,
                                               .season = spec->season,
                                               .kinds = b->J,
                                               .every = spec->n_drifts,
                                               .seasonal = spec->seasonal,
                                               .limit = spec->limit,
                                               .name = spec->name};
    TVGP__TRY(tvgp__memory_alloc(base->ctx, members, sizeof *b->member, &b->member));
    TVGP__TRY(tvgp__memory_alloc(base->ctx, members + 1, sizeof *b->active, &b->active));
    TVGP__TRY(tvgp__memory_alloc(base->ctx, 2 * members, sizeof *b->rate, &b->rate));
    const tvgp_status status = spec->no_arms ? tvgp__kalman_mixture_box_new(b, &filters, spec->rows)
                                             : tvgp__kalman_filters_new(base->ctx, &filters, &b->set);
    if (status != TVGP_OK)
        return status;
    if (spec->late)
        TVGP__TRY(tvgp__kalman_mixture_delayed_new(b, spec->late));
    b->weight = b->rate + members;
    start_filters(b, spec);
    base->counts.rank = b->box ? 0 : b->set.seasons ? b->set.size : b->set.basis.r;
    base->largest = base->most += b->set.constant[0];
    tvgp__kalman_mixture_set_unit(base, spec->time_unit);
    base->ops->reset(base);
    return TVGP_OK;
}

/* One filter with more arms: the op `extend`. */
static tvgp_status extend_alone(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const tvgp__kalman_mixture *from = (const tvgp__kalman_mixture *)base;
    const double *no_mean = NULL;
    const tvgp_kernel *kernel = base->kernel;
    const tvgp__kalman_mixture_spec one = {.n_drifts = 1,
                                           .n_priors = 1,
                                           .alone = 1,
                                           .drifts = &from->set.filter[0].drift,
                                           .kernels = &kernel,
                                           .means = &no_mean,
                                           .rule = from->rule,
                                           .late = from->late ? from->late->limit : 0};
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__kalman_mixture_new(base->ctx, &one, from->noise, n, X, &fresh));
    const tvgp_status status = tvgp__kalman_mixture_extend(base, fresh);
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

tvgp_status tvgp__kalman_mixture_new(tvgp_ctx *ctx, const tvgp__kalman_mixture_spec *given, double noise, size_t n,
                                     const double *X, tvgp__posterior **out) {
    static const double as_declared = 1;
    tvgp__kalman_mixture_spec with_level = *given, *spec = &with_level;
    tvgp__kalman_mixture *b = NULL;
    if (!given->n_levels) {
        spec->n_levels = 1;
        spec->levels = &as_declared;
    }
    TVGP__TRY(tvgp__posterior_new(ctx, spec->no_arms ? &tvgp__kalman_mixture_on_box : &tvgp__kalman_mixture_ops,
                                  spec->kernels[0], n, X, sizeof *b, &b));
    if (spec->no_arms) {
        b->base.n = 0;
        b->base.X = NULL;
    }
    b->n_drifts = spec->n_drifts;
    b->again = spec->alone ? extend_alone : NULL;
    b->J = spec->n_drifts * spec->n_levels * spec->n_priors;
    b->recycle = spec->recycle;
    b->hazard = spec->hazard;
    b->hazard_given = spec->hazard_given;
    b->jump = spec->jump;
    b->earn = spec->earn;
    b->scale = spec->scale;
    b->usual = 1;
    b->noise = noise;
    b->rule = spec->rule;
    b->doubts_noise = spec->n_levels > 1 || spec->levels[0] != 1;
    b->anywhere = spec->n_priors == 1 && !spec->means[0];
    b->reset_time = b->redraw_time = -INFINITY;
    tvgp__kernel_rows_free(&b->base.rows); /* the basis holds the kernel */
    tvgp_status status = build(b, spec, noise, n, X);
    if (status != TVGP_OK)
        tvgp__posterior_free(&b->base);
    else
        *out = &b->base;
    return status;
}

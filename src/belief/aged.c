/* SPDX-License-Identifier: MIT */
#include "belief/aged.h"

#include "base/error.h"
#include "base/memory.h"
#include "belief/refit.h"

#include <math.h>

typedef struct {
    tvgp__refit fit;
    tvgp__age law;
    size_t count, slots; /* observations, in the order told */
    size_t *arm;
    double *t, *y, *noise;
    double *grown; /* their noise at the time of the last fit */
    size_t rows;   /* at least the number of distinct arms among them */
    double newest; /* time of the newest observation */
    int fitted;    /* to all observations, at `at` */
    double at;     /* what ages were counted from */
    size_t helped; /* by jitter, in the last fit */
    double told;   /* ages counted from here are in the statistic `jitter`; NaN: none are */
} aged;

static tvgp_status prepare(tvgp__belief *b, const tvgp__points *points) {
    aged *p = (aged *)b;
    size_t n = points->n;
    TVGP__TRY(tvgp__belief_hold(b, points));
    TVGP__TRY(tvgp__rows_hold(&b->rows, TVGP__ROWS_OBSERVED, p->count, p->arm));
    TVGP__TRY(tvgp__refit_room(b, p->rows + n));
    if (p->count + n <= p->slots)
        return TVGP_OK;
    size_t slots = 2 * (p->count + n);
    TVGP__TRY(tvgp__memory_grow(b->ctx, slots, sizeof *p->arm, &p->arm));
    TVGP__TRY(tvgp__memory_grow(b->ctx, slots, sizeof *p->t, &p->t));
    TVGP__TRY(tvgp__memory_grow(b->ctx, slots, sizeof *p->y, &p->y));
    TVGP__TRY(tvgp__memory_grow(b->ctx, slots, sizeof *p->noise, &p->noise));
    TVGP__TRY(tvgp__memory_grow(b->ctx, slots, sizeof *p->grown, &p->grown));
    p->slots = slots;
    return TVGP_OK;
}

/* Mean, variance and evidence as they are for a prediction at time t. */
static void fit(aged *p, double t) {
    double at = p->law.from_last ? p->newest : t;
    if (p->fitted && p->at == at)
        return;
    for (size_t i = 0; i < p->count; i++)
        p->grown[i] = tvgp__age_noise(&p->law, p->noise[i], at - p->t[i]);
    p->helped = tvgp__refit_set(&p->fit.base, p->fit.base.now, p->count, p->arm, p->y, p->grown);
    p->fitted = 1;
    p->at = at;
}

/* Fits at `now`, which counts in the statistics (a look ahead does not), and gives up for good what is not heard any more: noise only grows. */
static void settle(tvgp__belief *b) {
    aged *p = (aged *)b;
    fit(p, b->now);
    if (p->told != p->at)
        b->jitter += p->helped;
    p->told = p->at;
    p->rows = p->fit.factor.n;
    b->effective = 0;
    for (size_t i = 0; i < p->count; i++)
        b->effective += p->grown[i] > 0 ? p->noise[i] / p->grown[i] : 1;
    if (b->observations == p->count)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->grown[i] <= TVGP__REFIT_LIMIT * b->largest) {
            p->arm[kept] = p->arm[i];
            p->t[kept] = p->t[i];
            p->y[kept] = p->y[i];
            p->noise[kept] = p->noise[i];
            p->grown[kept++] = p->grown[i];
        }
    p->count = kept;
}

static void advance(tvgp__belief *b, double t) {
    b->now = t;
}

/* A noise that grows by a factor must not be 0: exact answers fade from the floor that refit puts under all noises. */
static void observe(tvgp__belief *b, const tvgp__points *points, size_t i, double t, double y, double noise) {
    aged *p = (aged *)b;
    b->now = fmax(b->now, t);
    p->newest = fmax(p->newest, t);
    p->arm[p->count] = points->arm[i];
    p->t[p->count] = t;
    p->y[p->count] = y;
    p->noise[p->count++] = p->law.growth == TVGP__AGE_LINEAR ? noise : fmax(noise, 1e-10 * b->largest);
    p->rows++;
    p->fitted = 0;
    p->told = NAN;
}

static void reset(tvgp__belief *b) {
    aged *p = (aged *)b;
    p->count = p->rows = 0;
    p->newest = -INFINITY;
    p->fitted = 0;
    p->told = NAN;
    settle(b);
}

static void at(tvgp__belief *b, double t, size_t n, const size_t *arm, double *mean, double *var) {
    fit((aged *)b, t); /* the fit is a cache: its time is checked wherever it is used */
    tvgp__belief_still(b, t, n, arm, mean, var);
}

static tvgp_status form(tvgp__belief *b, double t, tvgp__form *out) {
    fit((aged *)b, t);
    return tvgp__refit_form(b, t, out);
}

static double correlation(const tvgp__belief *b, double from, double to) {
    return tvgp__age_correlation(&((const aged *)b)->law, b->largest, to - from);
}

static void release(tvgp__belief *b) {
    aged *p = (aged *)b;
    double *blocks[] = {p->t, p->y, p->noise, p->grown};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(b->ctx, blocks[i]);
    tvgp__memory_free(b->ctx, p->arm);
    tvgp__refit_release(b);
}

static const tvgp__belief_ops ops = {.struct_size = sizeof ops,
                                     .prepare = prepare,
                                     .observe = observe,
                                     .advance = advance,
                                     .settle = settle,
                                     .at = at,
                                     .column = tvgp__refit_column,
                                     .form = form,
                                     .reset = reset,
                                     .correlation = correlation,
                                     .release = release};

tvgp_status tvgp__aged_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__age *law, size_t n, const double *X,
                           tvgp__belief **out) {
    aged *p = NULL;
    TVGP__TRY(tvgp__refit_create(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->law = *law;
    p->newest = -INFINITY;
    p->told = NAN;
    *out = &p->fit.base;
    return TVGP_OK;
}

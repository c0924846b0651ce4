/* SPDX-License-Identifier: MIT */
/* Posterior on arms whose observations become noisier with age. The whole diagonal changes with time, so mean and
 * variance are recomputed (model/refit.h) once for each time at which they are needed. An observation whose noise
 * exceeds 2^53 prior variances is dropped. With many distinct arms variances are upper bounds until they are read,
 * except on shared arms. */
#include "model/aging_noise.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "model/posterior/observations.h"
#include "model/refit.h"

#include <math.h>

typedef struct {
    tvgp__refit fit;
    tvgp__noise_age age;
    size_t arms;               /* of observations of more distinct arms the older ones are forgotten; 0: of none */
    tvgp__observations log;    /* kept until it says nothing */
    size_t rows;               /* at least the number of distinct arms among them */
    double newest;             /* time of the newest observation */
    int fitted;                /* to all observations, at `at` */
    double at;                 /* what ages were counted from */
    double *noise;             /* of each record in the last fit */
    size_t noise_slots, known; /* number of records at that time; 0: unknown */
    double effective;          /* as the member of the posterior, in the last fit */
    size_t helped;             /* by jitter, in the last fit */
    double counted;            /* ages counted from here are in the statistic `jitter`; NaN: none are */
} aged;

enum { RECORDS = 4096 };                     /* kept of a posterior that forgets arms */
static const size_t MARK = ~(SIZE_MAX >> 1); /* in fit.row, while arms are counted */

/* As much as there are records. */
static tvgp_status reserve_noise(aged *p) {
    return tvgp__memory_reserve(p->log.ctx, p->log.slots, sizeof *p->noise, &p->noise, &p->noise_slots);
}

/* Distinct arms among the records; the highest bit marks those seen. Of shared arms, which have no such array, 0. */
static size_t distinct(aged *p) {
    size_t *row = p->fit.row, count = 0;
    if (!row)
        return 0;
    for (size_t i = 0; i < p->log.n; i++) {
        count += !(row[p->log.list[i].arm] & MARK);
        row[p->log.list[i].arm] |= MARK;
    }
    for (size_t i = 0; i < p->log.n; i++)
        row[p->log.list[i].arm] &= ~MARK;
    return count;
}

/* At least as many rows as there will be with `more` records: counted where they would not find room. */
static size_t rows_of(aged *p, size_t more) {
    const int fits = !p->fit.row || p->rows + more <= p->fit.slots;
    return (fits ? p->rows : distinct(p)) + more;
}

static int marked(const void *user, const tvgp__observation *o) {
    return (((const aged *)user)->fit.row[o->arm] & MARK) > 0;
}

/* Keeps the newest RECORDS observations, and of them those of the `keep` arms that were observed last. */
static void forget(aged *p, size_t keep) {
    size_t *row = p->fit.row, count = 0;
    if (p->log.n > RECORDS)
        tvgp__observations_drop(&p->log, p->log.n - RECORDS);
    for (size_t i = p->log.n; i-- > 0 && count < keep;) {
        count += !(row[p->log.list[i].arm] & MARK);
        row[p->log.list[i].arm] |= MARK;
    }
    tvgp__observations_keep(&p->log, marked, p);
    for (size_t i = 0; i < p->log.n; i++)
        row[p->log.list[i].arm] &= ~MARK;
    p->rows = count;
    p->known = 0;
}

/* An eighth of the arms goes at once, a fifth of the observations. */
static void bound(aged *p) {
    if (!p->arms || !p->fit.row)
        return;
    if (p->rows > p->arms)
        p->rows = distinct(p);
    if (p->rows > p->arms || p->log.n > RECORDS / 4 * 5)
        forget(p, p->arms - (p->rows > p->arms ? p->arms / 8 : 0));
}

static tvgp_status prepare(tvgp__posterior *b, const tvgp__points *points) {
    aged *p = (aged *)b;
    TVGP__TRY(tvgp__posterior_hold(b, points));
    TVGP__TRY(tvgp__observations_hold(&p->log, &b->rows));
    TVGP__TRY(tvgp__refit_room(b, rows_of(p, points->n)));
    TVGP__TRY(tvgp__observations_reserve(&p->log, points->n));
    return reserve_noise(p);
}

static double grown(const aged *p, const tvgp__observation *o) {
    return tvgp__noise_age_noise(&p->age, o->noise, p->at - o->t);
}

/* Computes mean, variance and log marginal likelihood for a prediction at time t. */
static void fit(aged *p, double t) {
    double at = p->age.from_last ? p->newest : t;
    if (p->fitted && p->at == at)
        return;
    p->at = at;
    p->effective = 0;
    const size_t known = p->fit.before ? p->known : 0; /* of use to bounds alone */
    double most = 1;
    tvgp__refit_begin(&p->fit.base, p->fit.base.now);
    for (size_t i = 0; i < p->log.n; i++) {
        const tvgp__observation *o = &p->log.list[i];
        double noise = grown(p, o);
        p->effective += noise > 0 ? o->noise / noise : 1;
        tvgp__refit_add(&p->fit.base, o->arm, o->y, noise);
        if (i < known)
            most = fmax(most, tvgp__posterior_noise(&p->fit.base, noise) / tvgp__posterior_noise(&p->fit.base, p->noise[i]));
        p->noise[i] = noise;
    }
    if (known)
        tvgp__refit_carry(&p->fit.base, most);
    p->known = p->log.n;
    p->helped = tvgp__refit_end(&p->fit.base);
    p->fitted = 1;
}

static int heard(const void *user, const tvgp__observation *o) {
    const aged *p = user;
    return grown(p, o) <= TVGP__REFIT_LIMIT * p->fit.base.largest;
}

/* Drops for good what has no effect any more: noise only grows. */
static void drop(aged *p) {
    size_t kept = 0;
    for (size_t i = 0; i < p->known; i++)
        if (heard(p, &p->log.list[i]))
            p->noise[kept++] = p->noise[i];
    p->known = kept;
    tvgp__observations_keep(&p->log, heard, p);
}

/* Fits at `now`, which counts in the statistics (a look ahead does not). */
static void finish(tvgp__posterior *b) {
    aged *p = (aged *)b;
    fit(p, b->now);
    if (p->counted != p->at)
        b->counts.jitter += p->helped;
    p->counted = p->at;
    p->rows = p->fit.factor.n;
    b->counts.effective = p->effective;
    if (b->counts.observations != p->log.n)
        drop(p);
    b->counts.logged = p->log.n;
}

static void refine(tvgp__posterior *b, size_t n, const size_t *arm) {
    fit((aged *)b, b->now);
    tvgp__refit_refine(b, n, arm);
}

static void advance(tvgp__posterior *b, double t) {
    b->now = t;
}

/* A noise that grows by a factor must not be 0: exact observations decay from the lower bound that refit sets for all
 * noise. */
static void observe(tvgp__posterior *b, const tvgp__points *points, size_t i, const tvgp__posterior_outcome *o) {
    double t = o->t, y = o->y, noise = o->noise;
    aged *p = (aged *)b;
    b->now = fmax(b->now, t);
    p->newest = fmax(p->newest, t);
    noise = p->age.growth == TVGP__NOISE_AGE_LINEAR ? noise : tvgp__posterior_noise(b, noise);
    tvgp__observations_add(&p->log, &(tvgp__observation){.arm = points->arm[i], .t = t, .y = y, .noise = noise}, NULL);
    p->rows++;
    p->fitted = 0;
    p->counted = NAN;
    bound(p);
}

static void reset(tvgp__posterior *b) {
    aged *p = (aged *)b;
    p->log.n = p->rows = p->known = 0;
    p->newest = -INFINITY;
    p->fitted = 0;
    p->counted = NAN;
    finish(b);
}

static void at(tvgp__posterior *b, double t, size_t n, const size_t *arm, double *mean, double *var) {
    fit((aged *)b, t); /* the fit is a cache: its time is checked wherever it is used */
    tvgp__refit_refine(b, n, arm);
    tvgp__posterior_still(b, t, n, arm, mean, var);
}

static tvgp_status predictive(tvgp__posterior *b, double t, tvgp__predictive *out) {
    fit((aged *)b, t);
    return tvgp__refit_predictive(b, t, out);
}

static void set_unit(tvgp__posterior *b, double unit) {
    aged *p = (aged *)b;
    tvgp__noise_age_set_unit(&p->age, unit);
    p->fitted &= !(p->age.unit > 0);
}

static double correlation(const tvgp__posterior *b, double from, double to) {
    return tvgp__noise_age_correlation(&((const aged *)b)->age, b->largest, to - from);
}

/* The same observations, to be fitted when a number is needed. */
static tvgp_status extend(const tvgp__posterior *base, size_t n, const double *X, tvgp__posterior **out) {
    const aged *from = (const aged *)base;
    tvgp__posterior *fresh = NULL;
    TVGP__TRY(tvgp__aging_noise_new(base->ctx, base->kernel, &from->age, from->arms, n, X, &fresh));
    tvgp__posterior_inherit(fresh, base);
    aged *p = (aged *)fresh;
    p->newest = from->newest;
    p->counted = from->counted;
    tvgp_status status = tvgp__observations_reserve(&p->log, from->log.n);
    for (size_t i = 0; status == TVGP_OK && i < from->log.n; i++)
        tvgp__observations_add(&p->log, &from->log.list[i], NULL);
    if (status == TVGP_OK)
        status = tvgp__observations_hold(&p->log, &fresh->rows);
    p->rows = from->rows;
    if (status == TVGP_OK)
        status = tvgp__refit_room(fresh, p->rows);
    if (status == TVGP_OK)
        status = reserve_noise(p);
    if (status < 0)
        tvgp__posterior_free(fresh);
    else
        *out = fresh;
    return status;
}

static void release(tvgp__posterior *b) {
    tvgp__observations_free(&((aged *)b)->log);
    tvgp__memory_free(b->ctx, ((aged *)b)->noise);
    tvgp__refit_release(b);
}

static void visit(tvgp__posterior *b, tvgp__visit *v) {
    aged *p = (aged *)b;
    tvgp__refit_visit(b, v);
    tvgp__observations_visit(&p->log, tvgp__posterior_arms(b), v);
    tvgp__visit_size(v, &p->rows, 0, SIZE_MAX);
    tvgp__visit_real(v, &p->newest, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_flag(v, &p->fitted);
    tvgp__visit_real(v, &p->at, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &p->effective, 0, TVGP__VISIT_MOST);
    tvgp__visit_tally_size(v, &p->helped);
    tvgp__visit_maybe(v, 1, &p->counted, -INFINITY, TVGP__VALID_RANGE_MOST);
    if (tvgp__visit_loads(v) && (p->rows < distinct(p) || p->rows > p->log.n + b->n))
        tvgp__visit_refuse(v, "the number of arms does not fit the records");
    if (tvgp__visit_loads(v) && !p->fit.row && p->rows < p->log.n)
        p->rows = p->log.n;
    p->known = tvgp__visit_loads(v) ? 0 : p->known;
    if (tvgp__visit_loads(v) && tvgp__visit_try(v, reserve_noise(p)) &&
        tvgp__visit_try(v, tvgp__refit_room_loaded(b, rows_of(p, 0))))
        tvgp__visit_try(v, tvgp__observations_hold(&p->log, &b->rows));
}

static const tvgp__posterior_ops ops = {.visit = visit,
                                        .prepare = prepare,
                                        .observe = observe,
                                        .advance = advance,
                                        .finish = finish,
                                        .refine = refine,
                                        .at = at,
                                        .column = tvgp__refit_column,
                                        .predictive = predictive,
                                        .share = tvgp__refit_share,
                                        .reset = reset,
                                        .correlation = correlation,
                                        .set_unit = set_unit,
                                        .extend = extend,
                                        .release = release};

tvgp_status tvgp__aging_noise_new(tvgp_ctx *ctx, const tvgp_kernel *kernel, const tvgp__noise_age *age, size_t arms,
                                  size_t n, const double *X, tvgp__posterior **out) {
    aged *p = NULL;
    TVGP__TRY(tvgp__refit_create(ctx, &ops, kernel, n, X, sizeof *p, &p));
    p->age = *age;
    p->arms = arms;
    p->log.ctx = ctx;
    p->newest = -INFINITY;
    p->counted = NAN;
    p->fit.base.own.deferred = p->fit.lazy = 1;
    *out = &p->fit.base;
    return TVGP_OK;
}

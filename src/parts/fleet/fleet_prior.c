/* SPDX-License-Identifier: MIT */
/* Learns a prior from many short runs over the same arms: mean and covariance, over the arms, of the runs' functions, and the
 * noise of the outcomes (parts/fleet/fleet_prior.h). */
#include "parts/fleet/fleet_prior.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/sample_statistics.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double log_two_pi = 1.837877066409345483561;
enum { GROUP = TVGP__SWEEP_GROUP, MOST_CAUTION = 1024 };

typedef struct {
    size_t arm;
    double t, y, n; /* y: the mean of n outcomes */
} cell;

typedef struct {
    tvgp_ctx *ctx;
    const tvgp__fleet_prior_runs *runs;
    const tvgp__fleet_prior_prior *prior;
    double rate; /* correlation e^(-rate |dt|) */
    cell *cells; /* of all runs, of each by arm and time */
    size_t *first;
    double rows, looks, used;   /* number of outcomes; N at first; runs with outcomes */
    double caution;             /* N over what it was at first */
    double squares, log_counts; /* sums of S and of log n */
    size_t most;                /* cells of a run */
    double *m, *K, v;           /* as they are now */
    double *K0, *H, *T, *next;  /* prior; sums of the E step (lower triangle); H K; K' */
    double *h, *d;
    double spread; /* sum of v + v^2 / n (u^2 - G^-1) over cells */
    double *memory, *sweep;
} model;

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static int by_arm_and_time(const void *a, const void *b) {
    const cell *x = a, *y = b;
    if (x->arm != y->arm)
        return x->arm < y->arm ? -1 : 1;
    return x->t == y->t ? 0 : x->t < y->t ? -1 : 1;
}

/* The row behind those of run i. */
static size_t end_of(const tvgp__fleet_prior_runs *r, size_t i) {
    return i + 1 < r->n ? r->first[i + 1] : r->rows;
}

/* Adds an outcome to a cell; returns the increase of the squares about its mean (Welford 1962). */
static double join(cell *c, double y) {
    const double off = y - c->y;
    c->n++;
    c->y += off / c->n;
    return off * (y - c->y);
}

/* Writes the outcomes of run i as cells from `out` on; returns their number. Outcomes of one arm have one time if
 * nothing changes. */
static size_t collect(model *p, size_t i, cell *out) {
    const tvgp__fleet_prior_runs *r = p->runs;
    const size_t n = end_of(r, i) - r->first[i];
    size_t cells = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t row = r->first[i] + k;
        out[k] = (cell){.arm = (size_t)r->arm[row], .t = p->rate > 0 ? r->t[row] : 0, .y = r->y[row], .n = 1};
    }
    qsort(out, n, sizeof *out, by_arm_and_time);
    for (size_t k = 0; k < n; k++)
        if (cells && !by_arm_and_time(&out[cells - 1], &out[k]))
            p->squares += join(&out[cells - 1], out[k].y);
        else
            out[cells++] = out[k];
    for (size_t k = 0; k < cells; k++)
        p->log_counts += log(out[k].n);
    return cells;
}

/* Returns 1'R^-1 1 of the times of run i (parts/fleet/fleet_prior.h), 0 for a run without outcomes. t: workspace. */
static double looks_of(const model *p, size_t i, double *t) {
    const size_t begin = p->runs->first[i], n = end_of(p->runs, i) - begin;
    double looks = n > 0;
    if (!(p->rate > 0) || !n)
        return looks;
    memcpy(t, p->runs->t + begin, n * sizeof *t);
    tvgp__sample_statistics_sort(n, t);
    for (size_t k = 1; k < n; k++)
        looks += tanh(0.5 * p->rate * (t[k] - t[k - 1]));
    return looks;
}

/* Cells of all runs, and what does not change from step to step. LIMIT. */
static tvgp_status gather(model *p, double *times) {
    const tvgp__fleet_prior_runs *r = p->runs;
    size_t cells = 0;
    for (size_t i = 0; i < r->n; i++) {
        p->first[i] = cells;
        cells += collect(p, i, p->cells + cells);
        const size_t of_run = cells - p->first[i];
        if (of_run > TVGP__FLEET_PRIOR_ARMS)
            return tvgp__error_set(p->ctx, TVGP_ERR_LIMIT, "run %zu has %zu observations at different times, at most %d", i,
                                   of_run, (int)TVGP__FLEET_PRIOR_ARMS);
        p->most = of_run > p->most ? of_run : p->most;
        p->looks += looks_of(p, i, times);
        p->used += of_run > 0;
    }
    p->first[r->n] = cells;
    p->rows = (double)r->rows;
    return TVGP_OK;
}

/* ---- the start -------------------------------------------------------------------------------------------------- */

/* Initial values: the mean of each arm's outcomes and of two more equal to the mean of all; the covariance K0; a tenth
 * of the variance as noise. */
static tvgp_status begin(model *p, double *counts) {
    const tvgp__fleet_prior_runs *r = p->runs;
    const size_t n = r->rows, A = r->n_arms;
    double all = 0, variance = tvgp__sample_statistics_variance(n, r->y);
    for (size_t i = 0; i < n; i++)
        all += (r->y[i] - all) / (double)(i + 1);
    if (variance > 0)
        TVGP__TRY(tvgp__valid_range_positive(p->ctx, "the variance of y", variance, 0));
    else
        variance = 1;
    for (size_t a = 0; a < A; a++) {
        p->m[a] = all;
        counts[a] = 2;
    }
    for (size_t i = 0; i < n; i++)
        p->m[r->arm[i]] += (r->y[i] - p->m[r->arm[i]]) / ++counts[r->arm[i]];
    TVGP__TRY(tvgp__kernel_block(p->prior->kernel, A, p->prior->X, A, p->prior->X, p->K0, A));
    if (p->prior->unit)
        tvgp__blas_scale(A * A, variance, p->K0);
    memcpy(p->K, p->K0, A * A * sizeof *p->K);
    p->v = 0.1 * variance;
    return TVGP_OK;
}

/* ---- expectation ------------------------------------------------------------------------------------------------ */

static double alike(const model *p, const cell *a, const cell *b) {
    return p->rate > 0 ? exp(-p->rate * fabs(a->t - b->t)) : 1;
}

/* -G of a run's cells, and below it minus their residuals. */
static void fill(const model *p, tvgp__sweep *s, const cell *c) {
    const size_t A = p->runs->n_arms, d = s->n;
    for (size_t first = 0; first < s->rows; first += GROUP)
        memset(tvgp__sweep_column(s, first), 0, GROUP * (s->rows - first) * sizeof *s->S);
    for (size_t j = 0; j < d; j++) {
        const size_t first = j - j % GROUP;
        double *column = tvgp__sweep_column(s, j);
        for (size_t i = first; i < d; i++)
            column[i - first] = -p->K[c[j].arm * A + c[i].arm] * alike(p, &c[i], &c[j]);
        column[j - first] -= p->v / c[j].n;
        column[d - first] = -(c[j].y - p->m[c[j].arm]);
    }
}

/* What the cells of a run add to h, H (lower triangle: cells are in the order of their arms) and
 * the noise. */
static void add(model *p, const tvgp__sweep *s, const cell *c) {
    const size_t A = p->runs->n_arms, d = s->n;
    double *u = s->panel;
    for (size_t j = 0; j < d; j++)
        u[j] = -tvgp__sweep_column(s, j)[d - (j - j % GROUP)];
    for (size_t j = 0; j < d; j++) {
        const size_t first = j - j % GROUP;
        const double *column = tvgp__sweep_column(s, j), own = u[j] * u[j] - column[j - first];
        double *H = p->H + c[j].arm * A;
        p->h[c[j].arm] += u[j];
        p->spread += p->v + p->v * p->v / c[j].n * own;
        H[c[j].arm] += own;
        for (size_t i = j + 1; i < d; i++) {
            const double share = alike(p, &c[i], &c[j]) * (u[i] * u[j] - column[i - first]);
            H[c[i].arm] += c[i].arm == c[j].arm ? 2 * share : share;
        }
    }
}

/* The sums over one run, and its log density without the terms that depend on neither m nor K. NaN: G is not positive
 * definite. */
static double run(model *p, size_t i) {
    const cell *c = p->cells + p->first[i];
    const size_t d = p->first[i + 1] - p->first[i];
    tvgp__sweep s;
    if (!d)
        return 0;
    tvgp__sweep_open(&s, p->sweep, d, 1);
    fill(p, &s, c);
    const double half = tvgp__sweep_run(&s, 1);
    if (!isfinite(half))
        return NAN;
    add(p, &s, c);
    return -half - 0.5 * tvgp__sweep_column(&s, d)[d % GROUP];
}

/* Computes h, H, the noise, and the log marginal likelihood of all runs. NUMERIC, INTERRUPTED. */
static tvgp_status expect(model *p, double *evidence) {
    const size_t A = p->runs->n_arms;
    const double cells = (double)p->first[p->runs->n];
    memset(p->h, 0, A * sizeof *p->h);
    memset(p->H, 0, A * A * sizeof *p->H);
    p->spread = 0;
    *evidence = -0.5 * (p->rows * log_two_pi + p->log_counts + (p->rows - cells) * log(p->v) + p->squares / p->v);
    for (size_t i = 0; i < p->runs->n; i++) {
        TVGP__TRY(tvgp__error_interrupted(p->ctx));
        *evidence += run(p, i);
        if (!isfinite(*evidence))
            return tvgp__error_set(p->ctx, TVGP_ERR_NUMERIC, "no covariance explains run %zu: noise variance %g", i, p->v);
    }
    return TVGP_OK;
}

/* ---- maximisation ----------------------------------------------------------------------------------------------- */

static double largest_of(const double *K, size_t n) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, K[i * (n + 1)]);
    return largest;
}

/* next = (nu K0 + N K + K H K - M d d') / (nu + N), where work (n x n) holds K H K. */
static void combine(model *p, double N, const double *work) {
    const size_t A = p->runs->n_arms;
    const double nu = p->prior->strength;
    for (size_t j = 0; j < A; j++)
        for (size_t i = 0; i < A; i++) {
            const size_t ij = j * A + i, ji = i * A + j;
            const double changed = 0.5 * (work[ij] + work[ji]) - p->looks * p->d[i] * p->d[j];
            p->next[ij] = (nu * p->K0[ij] + N * p->K[ij] + changed) / (nu + N);
        }
}

/* Whether `next` is positive semi-definite up to 1e-9 of its largest entry, as a table of
 * covariances has to be; in work. */
static int is_covariance(const model *p, double *work) {
    const size_t A = p->runs->n_arms;
    const double largest = largest_of(p->next, A);
    if (!(largest > 0) || !isfinite(largest))
        return 0;
    memcpy(work, p->next, A * A * sizeof *work);
    for (size_t i = 0; i < A; i++)
        work[i * (A + 1)] += 1e-9 * largest;
    return !tvgp__blas_potrf(A, work, A);
}

static tvgp_status maximise(model *p) {
    const size_t A = p->runs->n_arms;
    double *work = p->H; /* read once, then free */
    tvgp__blas_gemv(TVGP__NO_TRANS, A, A, 1 / p->looks, p->K, A, p->h, 0, p->d);
    tvgp__blas_symm(A, A, 1, p->H, A, p->K, A, 0, p->T, A);
    tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__NO_TRANS, A, A, A, 1, p->K, A, p->T, A, 0, work, A);
    double N = p->looks * p->caution;
    combine(p, N, work);
    for (int tries = 0; !is_covariance(p, p->T); tries++, combine(p, N, work)) {
        if (tries == 60)
            return tvgp__error_set(p->ctx, TVGP_ERR_NUMERIC, "no covariance explains the runs: noise variance %g", p->v);
        N *= 2;
    }
    tvgp__blas_axpy(A, 1, p->d, p->m);
    double *old = p->K;
    p->K = p->next;
    p->next = old;
    p->v = fmax((p->squares + p->spread) / p->rows, 1e-9 * largest_of(p->K, A));
    return TVGP_OK;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static tvgp_status iterate(model *p, int64_t steps) {
    const int64_t most = steps ? steps : TVGP__FLEET_PRIOR_STEPS;
    double evidence, before = -INFINITY;
    for (int64_t k = 0; k < most; k++) {
        TVGP__TRY(expect(p, &evidence));
        const double gain = evidence - before;
        if (p->rate > 0 && gain < 0 && p->caution < MOST_CAUTION)
            p->caution *= 2;
        else if (!steps && gain < 1e-3 * p->used)
            break;
        before = evidence;
        TVGP__TRY(maximise(p));
    }
    return TVGP_OK;
}

static tvgp_status make_room(model *p) {
    const size_t A = p->runs->n_arms;
    TVGP__TRY(tvgp__memory_alloc(p->ctx, p->runs->rows, sizeof *p->cells, &p->cells));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, p->runs->n + 1, sizeof *p->first, &p->first));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, 5 * A + 3, A * sizeof *p->memory, &p->memory));
    p->K = p->memory;
    p->K0 = p->K + A * A;
    p->H = p->K0 + A * A;
    p->T = p->H + A * A;
    p->next = p->T + A * A;
    p->m = p->next + A * A;
    p->h = p->m + A;
    p->d = p->h + A;
    return TVGP_OK;
}

static tvgp_status learn(model *p, int64_t steps) {
    double *times = NULL;
    TVGP__TRY(make_room(p));
    TVGP__TRY(tvgp__memory_alloc(p->ctx, p->runs->rows, sizeof *times, &times));
    tvgp_status status = gather(p, times);
    tvgp__memory_free(p->ctx, times);
    TVGP__TRY(status);
    TVGP__TRY(tvgp__memory_alloc(p->ctx, tvgp__sweep_room(p->most, 1), sizeof *p->sweep, &p->sweep));
    TVGP__TRY(begin(p, p->h));
    return iterate(p, steps);
}

tvgp_status tvgp__fleet_prior_learn(tvgp_ctx *ctx, const tvgp__fleet_prior_runs *runs, const tvgp__fleet_prior_prior *prior,
                                    int64_t steps, double *mean, double *K, double *noise) {
    const size_t A = runs->n_arms;
    model p = {.ctx = ctx, .runs = runs, .prior = prior, .caution = 1, .rate = -0.5 * log1p(-runs->epsilon)};
    tvgp_status status = learn(&p, steps);
    if (status == TVGP_OK) {
        memcpy(mean, p.m, A * sizeof *mean);
        memcpy(K, p.K, A * A * sizeof *K);
        *noise = p.v;
    }
    tvgp__memory_free(ctx, p.sweep);
    tvgp__memory_free(ctx, p.memory);
    tvgp__memory_free(ctx, p.first);
    tvgp__memory_free(ctx, p.cells);
    return status;
}

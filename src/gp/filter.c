/* SPDX-License-Identifier: MIT */
#include "gp/filter.h"

#include "linalg/blas.h"
#include "linalg/chol.h"

#include <math.h>
#include <string.h>

enum { FRESH = TVGP__FILTER_FRESH };

static void leave_core(tvgp__filter *f) {
    if (f->core)
        f->core->users--;
    f->core = NULL;
}

void tvgp__filter_start(tvgp__filters *set, tvgp__filter *f, const tvgp__law *law, size_t prior) {
    size_t n = set->basis.n;
    leave_core(f);
    f->law = *law;
    f->prior = prior;
    f->states = tvgp__law_states(law);
    f->fresh = 0;
    memset(f->mean, 0, 5 * n * sizeof *f->mean);
    memset(f->E, 0, 4 * set->priors * sizeof *f->E);
    memcpy(f->mean, set->mean + prior * n, n * sizeof *f->mean);
    for (size_t s = 0; s < f->states; s++) {
        memcpy(f->var + s * n, set->variance + prior * n, n * sizeof *f->var);
        f->E[4 * prior + 3 * s] = 1;
    }
}

/* M S M' + Q k for a symmetric S = (ff, uu, fu). */
static void spread(const tvgp__law_transition *t, double k, double *ff, double *uu, double *fu) {
    const double(*M)[2] = t->M, (*Q)[2] = t->Q, a = *ff, b = *uu, c = *fu;
    *ff = M[0][0] * M[0][0] * a + 2 * M[0][0] * M[0][1] * c + M[0][1] * M[0][1] * b + Q[0][0] * k;
    *uu = M[1][0] * M[1][0] * a + 2 * M[1][0] * M[1][1] * c + M[1][1] * M[1][1] * b + Q[1][1] * k;
    *fu = M[0][0] * M[1][0] * a + (M[0][0] * M[1][1] + M[0][1] * M[1][0]) * c + M[0][1] * M[1][1] * b + Q[0][1] * k;
}

/* (x, y) <- M (x, y) */
static void turn(const tvgp__law_transition *t, size_t n, double *x, double *y) {
    const double(*M)[2] = t->M;
    for (size_t i = 0; i < n; i++) {
        double x0 = x[i], y0 = y[i];
        x[i] = M[0][0] * x0 + M[0][1] * y0;
        y[i] = M[1][0] * x0 + M[1][1] * y0;
    }
}

static void advance_arms(const tvgp__filters *set, tvgp__filter *f, const tvgp__law_transition *t) {
    size_t n = set->basis.n;
    const double *k = set->variance + f->prior * n, *mu = set->mean + f->prior * n;
    double m = t->M[0][0], m2 = m * m, q = t->Q[0][0];
    if (f->states == 1)
        for (size_t i = 0; i < n; i++) {
            f->mean[i] = m * (f->mean[i] - mu[i]) + mu[i];
            f->var[i] = m2 * f->var[i] + q * k[i];
        }
    else {
        tvgp__blas_axpy(n, -1, mu, f->mean);
        turn(t, n, f->mean, f->mean + n);
        tvgp__blas_axpy(n, 1, mu, f->mean);
        for (size_t i = 0; i < n; i++)
            spread(t, k[i], f->var + i, f->var + n + i, f->var + 2 * n + i);
    }
}

void tvgp__filter_advance(tvgp__filters *set, tvgp__filter *f, double elapsed) {
    const tvgp__law_transition t = tvgp__law_transition_over(&f->law, elapsed);
    size_t r = set->basis.r;
    if (t.M[0][0] == 1 && t.M[0][1] == 0)
        return;
    advance_arms(set, f, &t);
    for (size_t p = 0; p < set->priors; p++) {
        double *E = f->E + 4 * p;
        spread(&t, p == f->prior, E, E + 3, E + 1);
        E[2] = E[1];
    }
    for (size_t k = 0; k < f->fresh; k++)
        if (f->states == 1)
            for (size_t i = 0; i < r; i++)
                f->U[2 * k * r + i] *= t.M[0][0];
        else
            turn(&t, r, f->U + 2 * k * r, f->U + 2 * k * r + r);
    double largest = 0;
    for (int j = 0; j < 2; j++) {
        turn(&t, 1, &f->N[0][j], &f->N[1][j]);
        largest = fmax(largest, fmax(fabs(f->N[0][j]), fabs(f->N[1][j])));
    }
    if (largest < 1e-10) /* N R N' is below round-off */
        leave_core(f);
}

/* ---- R ---------------------------------------------------------------------------------------------------------- */

/* Adds U to R, in a core of the filter's own. */
static void settle(tvgp__filters *set, tvgp__filter *f) {
    size_t r = set->basis.r;
    tvgp__filter_core *core = f->core;
    if (!core || core->users > 1) {
        tvgp__filter_core *own = set->cores; /* as many cores as filters: one that is not shared is free */
        while (own->users)
            own++;
        leave_core(f);
        own->users = 1;
        f->core = own;
    }
    if (core)
        tvgp__filter_core_transform(core, r, (const double(*)[2])f->N, f->states, f->core);
    else
        tvgp__filter_core_clear(f->core, r, f->states);
    tvgp__filter_core_add(f->core, r, f->fresh, f->U);
    memcpy(f->N, (const double[2][2]){{1, 0}, {0, 1}}, sizeof f->N);
    f->fresh = 0;
}

/* ---- columns and observations ----------------------------------------------------------------------------------- */

void tvgp__filter_innovation(tvgp__filters *set, const tvgp__filter *f, size_t arm, double y, double noise, double *S,
                             double *e) {
    size_t n = set->basis.n;
    const double mu = set->mean[f->prior * n + arm];
    double variance = 0, blur = 1, mean = mu + f->h[0] * (f->mean[arm] - mu);
    for (size_t s = 0; s < f->states; s++) {
        variance += f->h[s] * f->g[s][arm];
        blur -= f->h[s] * f->h[s];
    }
    if (f->states == 2)
        mean += f->h[1] * f->mean[n + arm];
    *S = fmax(variance, 0) + fmax(blur, 0) * set->variance[f->prior * n + arm] + noise;
    (void)tvgp__chol_pivot(set->ctx, set->largest, S, &set->jitter); /* cannot fail: S >= 0 */
    *e = y - mean;
}

void tvgp__filter_condition(tvgp__filters *set, tvgp__filter *f, double S, double e) {
    size_t n = set->basis.n, r = set->basis.r;
    double root = 1 / sqrt(S), gain = e * root;
    if (f->fresh == FRESH)
        settle(set, f);
    double *u = f->U + 2 * r * f->fresh++;
    for (size_t s = 0; s < f->states; s++) {
        const double *c = f->c[s];
        double *g = f->g[s], *mean = f->mean + s * n, *var = f->var + s * n;
        for (size_t i = 0; i < r; i++)
            u[s * r + i] = root * c[i];
        for (size_t i = 0; i < n; i++) {
            g[i] *= root;
            mean[i] += gain * g[i];
            var[i] -= g[i] * g[i];
        }
    }
    if (f->states == 2)
        for (size_t i = 0; i < n; i++)
            f->var[2 * n + i] -= f->g[0][i] * f->g[1][i];
}

void tvgp__filter_copy(tvgp__filters *set, tvgp__filter *f, tvgp__filter *from) {
    size_t n = set->basis.n, r = set->basis.r, arms = n * sizeof *f->mean;
    int both = f->states == 2 && from->states == 2;
    if (from->fresh == FRESH) /* once, not in every copy */
        settle(set, from);
    tvgp__filter_start(set, f, &f->law, f->prior); /* u ~ (0, K) unless it is copied */
    f->core = from->core;
    if (f->core)
        f->core->users++;
    f->fresh = from->fresh;
    memcpy(f->N, from->N, (both ? 2 : 1) * sizeof f->N[0]);
    if (!both)
        f->N[1][0] = f->N[1][1] = 0;
    memcpy(f->U, from->U, 2 * r * f->fresh * sizeof *f->U);
    for (size_t k = 0; !both && k < f->fresh; k++)
        memset(f->U + (2 * k + 1) * r, 0, r * sizeof *f->U);
    memcpy(f->mean, from->mean, (both ? 2 : 1) * arms);
    memcpy(f->var, from->var, (both ? 3 : 1) * arms);
    for (size_t p = 0; p < set->priors; p++)
        if (both)
            memcpy(f->E + 4 * p, from->E + 4 * p, 4 * sizeof *f->E);
        else
            f->E[4 * p] = from->E[4 * p];
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

void tvgp__filter_arm_at(const tvgp__filters *set, const tvgp__filter *f, const tvgp__law_transition *t, size_t arm,
                         double *mean, double *var) {
    size_t n = set->basis.n, at = f->prior * n + arm;
    double m = f->mean[arm] - set->mean[at], u = f->mean[n + arm], vu = f->var[n + arm], vfu = f->var[2 * n + arm];
    *mean = set->mean[at] + t->M[0][0] * m + t->M[0][1] * u;
    *var = f->var[arm];
    spread(t, set->variance[at], var, &vu, &vfu);
}

void tvgp__filter_weights(const tvgp__filters *set, const tvgp__filter *f, double elapsed, double share, double *mean,
                          double *S) {
    const tvgp__law_transition step = tvgp__law_transition_over(&f->law, elapsed);
    const double *h = step.M[0];
    size_t r = set->basis.r, n = set->basis.n;
    const double q[] = {f->N[0][0] * h[0] + f->N[1][0] * h[1], f->N[0][1] * h[0] + f->N[1][1] * h[1]};
    double *part = set->phi;
    memset(mean, 0, r * sizeof *mean);
    for (size_t s = 0; s < f->states; s++) {
        tvgp__basis_weights(&set->basis, f->mean + s * n, part);
        tvgp__blas_axpy(r, h[s], part, mean);
    }
    if (f->core)
        tvgp__filter_core_gather(f->core, r, share, q, S);
    for (size_t k = 0; k < f->fresh; k++) {
        memset(part, 0, r * sizeof *part);
        for (size_t s = 0; s < f->states; s++)
            tvgp__blas_axpy(r, h[s], f->U + (2 * k + s) * r, part);
        tvgp__blas_syr(r, share, part, S, r);
    }
}

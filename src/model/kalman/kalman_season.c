/* SPDX-License-Identifier: MIT */
/* States of a seasonal component in a Kalman filter (model/kalman/kalman_season.h). */
#include "model/kalman/kalman_season.h"

#include "linalg/blas.h"
#include "model/kalman/kalman_filter.h"

#include <string.h>

/* out (r) = (h x I)'z */
static void project(const tvgp__kalman_filters *set, const double *h, const double *z, double *out) {
    const size_t r = set->basis.r;
    tvgp__blas_gemv(TVGP__NO_TRANS, r, set->season_states, 1, z, r, h, 0, out);
}

static void expand(const tvgp__kalman_filters *set, const double *h, const double *phi, double *out) {
    const size_t r = set->basis.r;
    for (size_t s = 0; s < set->season_states; s++)
        for (size_t j = 0; j < r; j++)
            out[s * r + j] = h[s] * phi[j];
}

/* What is known of f at the time looked at, before any fading since: then.R = (h x I)'(N R N' + U U')(h x I). */
static void gather(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    const size_t r = set->basis.r;
    double *R = set->then.R;
    memset(R, 0, r * r * sizeof *R);
    if (f->core)
        tvgp__kalman_core_fold(f->core, set->season_states, r, f->N[0][0] * f->N[0][0], set->then.h, set->then.work, R);
    for (size_t k = 0; k < f->fresh; k++) {
        project(set, set->then.h, f->U + 2 * k * set->size, set->then.work);
        tvgp__blas_syr(r, 1, set->then.work, R, r);
    }
}

static void look(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    project(set, set->then.h, f->w, set->then.mean);
    project(set, set->then.h, f->pk, set->then.cross);
    gather(set, f);
}

static double quadratic(const tvgp__kalman_filters *set, const double *phi, double *work) {
    const size_t r = set->basis.r;
    tvgp__blas_symv(r, 1, set->then.R, r, phi, 0, work);
    return tvgp__blas_dot(r, phi, work);
}

void tvgp__kalman_season_clock(tvgp__kalman_filters *set, double t) {
    if (!set->seasons)
        return;
    tvgp__season_features(&set->season, t, set->then.now);
    memcpy(set->then.h, set->then.now, set->season_states * sizeof *set->then.h);
    set->then.t = t;
}

void tvgp__kalman_season_at(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double t) {
    f = tvgp__kalman_filter_state(f);
    if (!f->w)
        return;
    tvgp__season_features(&set->season, t, set->then.h);
    look(set, f);
}

void tvgp__kalman_season_refresh(tvgp__kalman_filters *set, tvgp__kalman_filter *f) {
    const size_t n = set->basis.n, r = set->basis.r;
    const double *k = set->variance + f->prior * n, *mu = set->mean + f->prior * n;
    memcpy(set->then.h, set->then.now, set->season_states * sizeof *set->then.h);
    look(set, f);
    memcpy(f->mean, mu, n * sizeof *f->mean);
    tvgp__blas_gemv(TVGP__NO_TRANS, n, r, 1, set->basis.Phi, n, set->then.mean, 1, f->mean);
    if (set->constants)
        tvgp__blas_gemv(TVGP__NO_TRANS, n, r, 1, set->basis.Phi, n, set->then.cross, 0, f->fk);
    for (size_t i = 0; i < n; i++) {
        tvgp__basis_row(&set->basis, i, set->then.phi);
        f->var[i] = k[i] - quadratic(set, set->then.phi, set->then.work);
    }
}

void tvgp__kalman_filter_weights(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double elapsed, double share,
                                 double *mean, double *S, double *cross) {
    f = tvgp__kalman_filter_state(f);
    const tvgp__drift_transition step = tvgp__drift_transition_over(&f->drift, elapsed);
    const double *h = step.M[0];
    size_t r = set->basis.r, n = set->basis.n;
    const double q[] = {f->N[0][0] * h[0] + f->N[1][0] * h[1], f->N[0][1] * h[0] + f->N[1][1] * h[1]};
    double *part = set->phi;
    if (f->w) {
        tvgp__kalman_season_weights(set, h[0], share, mean, S, cross);
        return;
    }
    memset(mean, 0, r * sizeof *mean);
    for (size_t s = 0; s < f->states; s++) {
        if (n)
            tvgp__basis_weights(&set->basis, f->mean + s * n, part);
        tvgp__blas_axpy(r, h[s], n ? part : f->omega + s * r, mean);
        tvgp__blas_axpy(r, share * h[s], f->pk + s * r, cross);
    }
    if (f->core)
        tvgp__kalman_core_gather(f->core, r, share, q, S);
    for (size_t k = 0; k < f->fresh; k++) {
        memset(part, 0, r * sizeof *part);
        for (size_t s = 0; s < f->states; s++)
            tvgp__blas_axpy(r, h[s], f->U + (2 * k + s) * r, part);
        tvgp__blas_syr(r, share, part, S, r);
    }
}

/* f now has the features of the arms, of any filter. */
static void known_now(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    const size_t n = set->basis.n, r = set->basis.r;
    memcpy(set->then.h, set->then.now, set->season_states * sizeof *set->then.h);
    if (f->w) {
        look(set, f);
        return;
    }
    double *deviation = set->G; /* n */
    memcpy(deviation, f->mean, n * sizeof *deviation);
    tvgp__blas_axpy(n, -1, set->mean + f->prior * n, deviation);
    memset(set->then.R, 0, r * r * sizeof *set->then.R);
    memset(set->then.cross, 0, r * sizeof *set->then.cross);
    memcpy(set->then.phi, set->phi, r * sizeof *set->phi); /* which stays that of the arm looked at */
    tvgp__kalman_filter_weights(set, f, 0, 1, set->then.mean, set->then.R, set->then.cross);
    tvgp__basis_weights(&set->basis, deviation, set->then.mean);
    memcpy(set->phi, set->then.phi, r * sizeof *set->phi);
}

void tvgp__kalman_season_recast(tvgp__kalman_filters *set, tvgp__kalman_filter *f, const tvgp__kalman_filter *from,
                                tvgp__kalman_core *core) {
    static const double one_state[2][2] = {{1, 0}, {0, 0}};
    const size_t n = set->basis.n, r = set->basis.r;
    known_now(set, from);
    memcpy(f->mean, from->mean, n * sizeof *f->mean);
    memcpy(f->var, from->var, n * sizeof *f->var);
    if (set->constants)
        memcpy(f->fk, from->fk, n * sizeof *f->fk);
    f->m[0] = from->m[0];
    f->k = from->k;
    f->kk = from->kk;
    if (f->w) {
        expand(set, set->then.h, set->then.mean, f->w);
        expand(set, set->then.h, set->then.cross, f->pk);
    } else
        memcpy(f->pk, set->then.cross, r * sizeof *f->pk);
    tvgp__kalman_core_spread(core, f->w ? set->season_states : 1, r, f->w ? set->then.h : NULL, set->then.R);
    core->users = 1;
    f->core = core;
    memcpy(f->N, one_state, sizeof f->N);
}

void tvgp__kalman_season_arm(tvgp__kalman_filters *set, double age) {
    if (age > 0)
        tvgp__season_features(&set->season, set->then.t - age, set->then.h);
    else
        memcpy(set->then.h, set->then.now, set->season_states * sizeof *set->then.h);
    expand(set, set->then.h, set->phi, set->then.x);
}

void tvgp__kalman_season_seen(tvgp__kalman_filters *set, tvgp__kalman_filter *f, double *out) {
    f->seen_mean = f->h[0] * tvgp__blas_dot(set->size, set->then.x, f->w);
    f->seen_var = f->h[0] * tvgp__blas_dot(set->size, set->then.x, f->c[0]);
    project(set, set->then.now, f->c[0], out);
}

void tvgp__kalman_season_arm_at(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double m, size_t arm,
                                double *mean, double *var) {
    const size_t r = set->basis.r, at = f->prior * set->basis.n + arm;
    double *phi = set->then.phi;
    tvgp__basis_row(&set->basis, arm, phi);
    *mean = set->mean[at] + f->k + m * tvgp__blas_dot(r, phi, set->then.mean);
    *var = set->variance[at] - m * m * quadratic(set, phi, set->then.work) +
           2 * m * tvgp__blas_dot(r, phi, set->then.cross) + f->kk;
}

void tvgp__kalman_season_weights(const tvgp__kalman_filters *set, double m, double share, double *mean, double *S,
                                 double *cross) {
    const size_t r = set->basis.r;
    memset(mean, 0, r * sizeof *mean);
    tvgp__blas_axpy(r, m, set->then.mean, mean);
    tvgp__blas_axpy(r, share * m, set->then.cross, cross);
    for (size_t j = 0; j < r; j++)
        tvgp__blas_axpy(r - j, share * m * m, set->then.R + j * r + j, S + j * r + j);
}

/* SPDX-License-Identifier: MIT */
/* Predictions of a mixture of Kalman filters at a later time: at arms, and as a function of any point; covariances. */
#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/loops.h"
#include "model/kalman/kalman_season.h"
#include "model/kalman_mixture.h"
#include "model/posterior/posterior.h"

#include <math.h>
#include <string.h>

static double elapsed_to(const tvgp__kalman_mixture *b, const tvgp__kalman_filter *f, double t) {
    return tvgp__drift_elapsed(&f->drift, b->base.now, t);
}

/* The weighted sum grows by filters (West 1979): the spread of the means without cancellation. */
void tvgp__kalman_mixture_at(tvgp__posterior *base, double t, size_t n, const size_t *arm, double *mean, double *var) {
    const tvgp__kalman_mixture *b = (const tvgp__kalman_mixture *)base;
    double sum = 0;
    memset(mean, 0, n * sizeof *mean);
    memset(var, 0, n * sizeof *var);
    for (size_t j = 0; j <= b->J; j++) {
        const tvgp__kalman_filter *f = &b->set.filter[j];
        double weight = b->weight[j], m, v;
        if (weight == 0)
            continue;
        const tvgp__drift_transition step = tvgp__drift_transition_over(&f->drift, elapsed_to(b, f, t));
        tvgp__kalman_season_at(&b->set, f, t);
        sum += weight;
        for (size_t i = 0; i < n; i++) {
            tvgp__kalman_filter_arm_at(&b->set, f, &step, arm ? arm[i] : i, &m, &v);
            double off = m - mean[i];
            mean[i] += weight / sum * off;
            var[i] += weight * (tvgp__kalman_mixture_member_factor(b, j) * v + tvgp__valid_range_product(off, m - mean[i]));
        }
    }
    for (size_t i = 0; i < n; i++)
        var[i] = fmax(var[i], 0);
}

/* sum_j w_j f_j Cov_j(f, f(arm)) of the filters: columns are summed in weights, and the sum is multiplied with Phi. */
static void sum_of_columns(tvgp__kalman_mixture *b, size_t count, double *out) {
    const size_t r = b->set.basis.r, n = b->base.n;
    double *sum = b->set.sum;
    memset(sum, 0, r * sizeof *sum);
    for (size_t j = 0; j < count; j++)
        tvgp__blas_axpy(r, b->weight[j] * tvgp__kalman_mixture_member_factor(b, j),
                        tvgp__kalman_filter_state(b->active[j])->c[0], sum);
    tvgp__loops_product(n, 1, r, b->set.basis.Phi, n, sum, r, out, n); /* the same for an arm wherever it is held */
}

/* The same of filters with seasons, whose columns over the arms are made one by one. */
static void sum_of_seasons(tvgp__kalman_mixture *b, size_t count, double *out) {
    tvgp__kalman_filters_spread(&b->set, count, b->active);
    memset(out, 0, b->base.n * sizeof *out);
    for (size_t j = 0; j < count; j++)
        tvgp__blas_axpy(b->base.n, b->weight[j] * tvgp__kalman_mixture_member_factor(b, j), b->active[j]->g[0], out);
}

void tvgp__kalman_mixture_column(tvgp__posterior *base, size_t arm, double *out) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    size_t count = tvgp__kalman_mixture_active(b);
    double mean, var;
    tvgp__posterior_moments(base, arm, &mean, &var);
    tvgp__kalman_filters_look(&b->set, arm);
    tvgp__kalman_filters_columns(&b->set, count, b->active, 0);
    (b->set.seasons ? sum_of_seasons : sum_of_columns)(b, count, out);
    for (size_t j = 0; j < count; j++) {
        const tvgp__kalman_filter *f = b->active[j];
        const double *own = tvgp__kalman_filter_state(f)->mean;
        const double weight = b->weight[j], off = f->m[0] + f->k - mean;
        const double constant = tvgp__kalman_mixture_member_factor(b, j) * f->g_k;
        for (size_t i = 0; i < base->n; i++)
            out[i] += weight * (constant + tvgp__valid_range_product(off, own[i] + f->k - base->own.mean[i]));
    }
}

/* The moments of the mixture in weight space: u = sum w_j mu_j, S = sum w_j f_j R_j - sum w_j d_j d_j' with d_j = mu_j - u;
 * of the constant, e_j its mean in filter j less k, cross = sum w_j (f_j p_j + e_j d_j), kk = sum w_j (f_j kk_j + e_j^2). */
void tvgp__kalman_mixture_moments(const tvgp__kalman_mixture *b, double t, double *u, double *S, double *cross,
                                  double *means, tvgp__predictive *out) {
    size_t r = b->set.basis.r;
    for (size_t j = 0; j <= b->J; j++) {
        const tvgp__kalman_filter *f = &b->set.filter[j];
        double *mu = means + j * r, weight = b->weight[j], share = weight * tvgp__kalman_mixture_member_factor(b, j);
        if (weight == 0)
            continue;
        tvgp__kalman_season_at(&b->set, f, t);
        tvgp__kalman_filter_weights(&b->set, f, elapsed_to(b, f, t), share, mu, S, cross);
        tvgp__blas_axpy(r, weight, mu, u);
        out->shift += weight * f->k;
        out->extra += share * f->kk;
    }
    for (size_t j = 0; j <= b->J; j++) {
        double *off = means + j * r; /* a weight of 0 adds 0 */
        double e = b->weight[j] > 0 ? b->set.filter[j].k - out->shift : 0;
        for (size_t i = 0; i < r; i++)
            off[i] = fmax(-1e140, fmin(off[i] - u[i], 1e140)); /* finite for all inputs */
        tvgp__blas_syr(r, -b->weight[j], off, S, r);
        tvgp__blas_axpy(r, b->weight[j] * e, off, cross);
        out->extra += b->weight[j] * tvgp__valid_range_product(e, e);
    }
}

tvgp_status tvgp__kalman_mixture_predictive(tvgp__posterior *base, double t, tvgp__predictive *out) {
    tvgp__kalman_mixture *b = (tvgp__kalman_mixture *)base;
    size_t r = b->set.basis.r, dim = base->kernel->dim;
    double *memory = NULL;
    if (!b->anywhere)
        return tvgp__error_set(base->ctx, TVGP_ERR_UNSUPPORTED,
                               "X is not an arm, and with several priors or the mean of one nothing is known elsewhere");
    const tvgp_status status =
        tvgp__posterior_agree(base, tvgp__memory_alloc(base->ctx, r, (2 + r + dim + (b->J + 1)) * sizeof *memory, &memory));
    if (status < 0) {
        tvgp__memory_free(base->ctx, memory);
        return status;
    }
    double *u = memory, *cross = u + r, *S = cross + r, *points = S + r * r;
    tvgp__basis_points(&b->set.basis, dim, base->X, points);
    *out = tvgp__predictive_of(base->ctx, base->kernel, r, points, b->set.basis.L, r, u);
    tvgp__kalman_mixture_moments(b, t, u, S, cross, points + r * dim, out);
    out->S = S;
    out->cross = b->set.constants ? cross : NULL;
    out->kappa = tvgp__kalman_mixture_factor(b) * tvgp__drift_kappa(&b->set.filter[0].drift, t);
    out->memory = memory;
    return TVGP_OK;
}

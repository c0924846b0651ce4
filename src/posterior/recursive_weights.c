/* SPDX-License-Identifier: MIT */
/* The recursive posterior in weights: columns, observations in order, and mean and variance of single arms, which are
 * m = phi' w and phi' (kappa I - R) phi. */
#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/loops.h"
#include "posterior/recursive.h"

#include <math.h>

typedef tvgp__recursive recursive;

int tvgp__recursive_is_static(const recursive *p) {
    return p->law.kind == TVGP__DRIFT_STATIC || p->law.rate == 0;
}

int tvgp__recursive_keeps_late(const recursive *p) {
    return !tvgp__recursive_is_static(p) && p->late_limit > 0;
}

static void look(recursive *p, size_t arm) {
    const double kappa = tvgp__drift_kappa(&p->law, p->base.now);
    if (p->looked == arm + 1)
        tvgp__weight_space_look_again(&p->weights, kappa);
    else
        tvgp__weight_space_look(&p->weights, arm, kappa);
    p->looked = arm + 1;
}

static double variance_looked_at(const tvgp__weight_space *w) {
    return tvgp__blas_dot(w->basis.r, w->phi, w->c);
}

void tvgp__recursive_weights_column(recursive *p, size_t arm, double *out) {
    look(p, arm);
    tvgp__weight_space_apply(&p->weights, out);
}

tvgp_status tvgp__recursive_weights_columns(recursive *p, double m2, double q, size_t m, const size_t *arm, double *out) {
    const tvgp__basis *b = &p->weights.basis;
    const size_t r = b->r;
    double *weights = NULL;
    TVGP__TRY(tvgp__memory_alloc(b->ctx, m, r * sizeof *weights, &weights));
    for (size_t k = 0; k < m; k++) {
        look(p, arm[k]);
        for (size_t j = 0; j < r; j++)
            weights[k * r + j] = m2 * p->weights.c[j] + q * p->weights.phi[j];
    }
    tvgp__loops_product(b->n, m, r, b->Phi, b->n, weights, r, out, b->n);
    tvgp__memory_free(b->ctx, weights);
    return TVGP_OK;
}

/* Of a column known to within `error`, taken with s and e: |g^2 - g'^2| <= (2 |g| + error) error and g^2 <= the largest prior
 * variance. Some roundings beside. */
static void widen(tvgp__posterior *b, double error, const tvgp__innovation *seen) {
    const double root = sqrt(seen->s), most = sqrt(b->largest);
    error = error / root + 0x1p-50 * most;
    b->own.off.mean += fabs(seen->e) / root * error;
    b->own.off.var += (2 * most + error) * error;
}

void tvgp__recursive_weights_condition(recursive *p, double y, double noise, tvgp__innovation *seen) {
    tvgp__weight_space *w = &p->weights;
    const size_t r = w->basis.r;
    const int rough = w->screen.kept && !p->exact;
    double error = 0;
    look(p, seen->arm);
    if (rough)
        error = tvgp__arm_bounds_column(&w->screen, r, w->c, p->work);
    else
        tvgp__weight_space_apply(w, p->work);
    seen->s = tvgp__posterior_condition(&p->base, seen->arm, y, noise, variance_looked_at(w), p->work, &seen->e);
    if (rough)
        widen(&p->base, error, seen);
    p->exact -= p->exact > 0;
    p->looked = 0;
    tvgp__weight_space_observe(w, seen->s);
    tvgp__blas_axpy(r, seen->e / sqrt(seen->s), w->c, w->mean);
    if (tvgp__recursive_keeps_late(p))
        tvgp__delayed_add(&p->late, p->late.count, seen, w, p->base.now);
}

void tvgp__recursive_sharpen(tvgp__posterior *b, size_t n, const size_t *arm) {
    recursive *p = (recursive *)b;
    const tvgp__weight_space *w = &p->weights;
    const int all = !arm && n == b->n;
    for (size_t k = 0; k < n && (b->own.off.mean > 0 || b->own.off.var > 0); k++) {
        const size_t i = arm ? arm[k] : k;
        look(p, i);
        b->own.mean[i] = tvgp__blas_dot(w->basis.r, w->phi, w->mean);
        b->own.var[i] = variance_looked_at(w);
    }
    if (all) {
        b->own.off.mean = b->own.off.var = 0;
        p->exact = TVGP__RECURSIVE_FULL;
    }
}

/* SPDX-License-Identifier: MIT */
/* The score of any points: mean + width sd of predictive functions, its gradient, and upper bounds (choose/rule.h).
 *
 *   sd^2 = max(var, 1e-14 k(z, z))     dscore = dmean + width dvar / (2 sd)     where var is less, sd counts as constant
 *
 * With q = S v - w, or q = M k - b of a condensed predictive, the gradient is one sum over the rows' kernels, whose weights are those of
 * u - (width / sd) q, or a - (width / sd) q (model/gp/predictive.h). The mean of a bound is exact. Its variance is reduced by the single
 * most informative row only, kappa k(z, z) - max_j (c_j k(x_j, z))^2 / own_j: r operations a point instead of r^2. */
#include "choose/rule.h"

#include "base/error.h"
#include "base/numbers/simd_clones.h"
#include "base/valid_range.h"
#include "choose/ascent.h"

#include <math.h>
#include <string.h>

/* ---- one predictive -------------------------------------------------------------------------------------------------- */

/* h = u - share q */
TVGP__SIMD_CLONES
static void less(size_t n, const double *u, double share, const double *q, double *h) {
    for (size_t j = 0; j < n; j++)
        h[j] = u[j] - share * q[j];
}

/* h = a - share (h - b) */
TVGP__SIMD_CLONES
static void less_condensed(size_t n, const double *restrict a, double share, const double *restrict b, double *restrict h) {
    for (size_t j = 0; j < n; j++)
        h[j] = a[j] - share * (h[j] - b[j]);
}

tvgp_status tvgp__rule_points_ucb(const tvgp__predictive *f, double width, size_t m, const double *Z, double *work,
                                  double *score, double *gradient) {
    tvgp__predictive_block b;
    const size_t r = f->r;
    TVGP__TRY(tvgp__predictive_open(f, m, Z, work, &b));
    for (size_t i = 0; i < m; i++) {
        const double least = 1e-14 * b.prior[i], sd = sqrt(fmax(b.var[i], least));
        const double share = b.var[i] > least ? f->spread * width / sd : 0;
        score[i] = TVGP__RULE_SCORE(tvgp__predictive_mean(f, &b, i), sd, width);
        b.weight[i] = 0.5 * share * f->kappa;
        if (gradient && b.in_kernel)
            less_condensed(r, f->condensed.a, share, f->condensed.b, b.H + i * r);
        else if (gradient)
            less(r, f->u, share, b.Q + i * r, b.H + i * r);
    }
    return gradient ? tvgp__predictive_pull(f, &b, b.weight, gradient) : TVGP_OK;
}

tvgp_status tvgp__rule_points_upper(const tvgp__predictive *f, double width, const double *a, size_t m, const double *Z,
                                    double *work, double *bound) {
    double prior[TVGP__PREDICTIVE_BLOCK];
    TVGP__TRY(tvgp__kernel_diag(f->kernel, m, Z, prior));
    if (f->r)
        TVGP__TRY(tvgp__kernel_block(f->kernel, m, Z, f->r, f->X, work, f->r));
    for (size_t i = 0; i < m; i++) {
        double mean = 0, most = 0;
        for (size_t j = 0; j < f->r; j++) {
            double k = work[i * f->r + j], ck = f->fade * (f->c ? f->c[j] : 1) * k;
            mean += a[j] * k;
            most = fmax(most, ck * ck / f->own[j]);
        }
        double var = tvgp__valid_range_product(f->spread, f->kappa * prior[i] - most);
        bound[i] = TVGP__RULE_SCORE(f->shift + mean, sqrt(fmax(var, 1e-14 * prior[i])), width);
    }
    return TVGP_OK;
}

/* ---- the sum over terms ---------------------------------------------------------------------------------------------- */

static void add(size_t n, double weight, const double *from, double *to) {
    for (size_t i = 0; i < n; i++)
        to[i] += weight * from[i];
}

/* The prior mean of a term. */
static tvgp_status add_mean(const tvgp__rule_term *term, size_t m, const double *Z, double *slope, double *score,
                            double *gradient) {
    const size_t dim = term->predictive.kernel->dim;
    double mean[TVGP__ASCENT_BLOCK];
    if (!tvgp__mean_function_is(term->mean))
        return TVGP_OK;
    TVGP__TRY(tvgp__mean_function_points(term->mean, term->posterior->ctx, dim, m, Z, mean, gradient ? slope : NULL));
    add(m, term->weight, mean, score);
    if (gradient)
        add(m * dim, term->weight, slope, gradient);
    return TVGP_OK;
}

tvgp_status tvgp__rule_points_score(const tvgp__rule *r, size_t m, const double *Z, double *work, double *slope,
                                    double *score, double *gradient) {
    const size_t all = m * r->term->predictive.kernel->dim;
    double one[TVGP__ASCENT_BLOCK];
    memset(score, 0, m * sizeof *score);
    if (gradient)
        memset(gradient, 0, all * sizeof *gradient);
    for (size_t k = 0; k < r->n; k++) {
        const tvgp__rule_term *term = &r->term[k];
        TVGP__TRY(tvgp__rule_points_ucb(&term->predictive, term->width, m, Z, work, one, gradient ? slope : NULL));
        add(m, term->weight, one, score);
        if (gradient)
            add(all, term->weight, slope, gradient);
        TVGP__TRY(add_mean(term, m, Z, slope, score, gradient));
    }
    return TVGP_OK;
}

tvgp_status tvgp__rule_points_bound(const tvgp__rule *r, size_t m, const double *Z, const double *weights, double *work,
                                    double *bound) {
    double one[TVGP__ASCENT_BLOCK];
    memset(bound, 0, m * sizeof *bound);
    for (size_t k = 0; k < r->n; k++) {
        const tvgp__rule_term *term = &r->term[k];
        const tvgp__predictive *predictive = &term->predictive;
        TVGP__TRY(tvgp__rule_points_upper(predictive, term->width, weights + term->first, m, Z, work, one));
        add(m, term->weight, one, bound);
        TVGP__TRY(add_mean(term, m, Z, NULL, bound, NULL));
    }
    return TVGP_OK;
}

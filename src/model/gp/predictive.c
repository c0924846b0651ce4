/* SPDX-License-Identifier: MIT */
/* Evaluates mean u'v and variance kappa k - v'S v of a predictive function, and their gradients (model/gp/predictive.h). */
#include "model/gp/predictive.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numbers/simd_clones.h"
#include "base/scratch.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/loops.h"
#include "linalg/trisolve.h"

#include <math.h>
#include <string.h>

tvgp__predictive tvgp__predictive_of(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t r, const double *X, const double *L,
                                     size_t ld, const double *u) {
    return (tvgp__predictive){.ctx = ctx,
                              .kernel = kernel,
                              .r = r,
                              .ld = ld,
                              .ldS = r,
                              .X = X,
                              .fade = 1,
                              .factor = L,
                              .u = u,
                              .scale = 1,
                              .kappa = 1,
                              .spread = 1};
}

void tvgp__predictive_free(tvgp__predictive *f) {
    tvgp__memory_free(f->ctx, f->memory);
    tvgp__scratch_give(f->ctx, f->lent);
    f->memory = f->lent = NULL;
}

size_t tvgp__predictive_work(const tvgp__predictive *f, size_t m) {
    return (4 * f->ld + 3) * (m < TVGP__PREDICTIVE_BLOCK ? m : TVGP__PREDICTIVE_BLOCK);
}

TVGP__SIMD_CLONES
static void fade_row(size_t n, double fade, const double *c, const double *a, double *out) {
    for (size_t j = 0; j < n; j++)
        out[j] = fade * c[j] * a[j];
}

static void times_c(const tvgp__predictive *f, size_t m, const double *A, double *out) {
    if (out != A && !f->c)
        memcpy(out, A, m * f->r * sizeof *out);
    if (!f->c)
        tvgp__loops_scale(m * f->r, f->fade, out);
    else
        for (size_t i = 0; i < m; i++)
            fade_row(f->r, f->fade, f->c, A + i * f->r, out + i * f->r);
}

/* B = W B, or W'B */
static void apply(const tvgp__predictive *f, int trans, size_t m, double *B) {
    if (f->inverse)
        tvgp__blas_trmm(trans, f->r, m, f->factor, f->ld, B, f->r);
    else if (m == 1)
        tvgp__blas_trsv(trans, f->r, f->factor, f->ld, B);
    else if (f->leaves)
        tvgp__trisolve_left(trans, f->r, m, f->factor, f->ld, f->leaves, B, f->r);
    else
        tvgp__blas_trsm(trans, f->r, m, f->factor, f->ld, B, f->r);
}

static tvgp_status open_in_weights(const tvgp__predictive *f, size_t m, const double *Z, double *work,
                                   tvgp__predictive_block *b) {
    size_t size = f->r * m;
    b->in_kernel = 0;
    b->m = m;
    b->Z = Z;
    b->prior = work;
    b->var = b->prior + m;
    b->weight = b->var + m;
    b->K = b->weight + m;
    b->V = b->K + size;
    b->Q = f->S ? b->V + size : b->V;
    b->H = b->V + 2 * size;
    TVGP__TRY(tvgp__kernel_diag(f->kernel, m, Z, b->prior));
    if (f->r) {
        TVGP__TRY(tvgp__kernel_block(f->kernel, m, Z, f->r, f->X, b->K, f->r));
        times_c(f, m, b->K, b->V);
        apply(f, TVGP__NO_TRANS, m, b->V);
        if (f->S)
            tvgp__blas_symm(f->r, m, f->scale, f->S, f->ldS, b->V, f->r, 0, b->Q, f->r);
    }
    for (size_t i = 0; i < m; i++) {
        const double *v = b->V + i * f->r;
        double known = f->kappa * b->prior[i] + f->extra;
        if (f->cross) {
            known += tvgp__blas_dot(f->r, v, f->cross);
            tvgp__blas_axpy(f->r, -1, f->cross, b->Q + i * f->r);
        }
        b->var[i] = tvgp__valid_range_product(f->spread, known - tvgp__blas_dot(f->r, v, b->Q + i * f->r));
    }
    return TVGP_OK;
}

double tvgp__predictive_mean(const tvgp__predictive *f, const tvgp__predictive_block *b, size_t i) {
    const double known = b->in_kernel ? tvgp__loops_dot(f->r, f->condensed.a, b->K + i * f->r)
                         : f->r       ? tvgp__blas_dot(f->r, f->u, b->V + i * f->r)
                                      : 0;
    return tvgp__valid_range_cap(f->shift + known);
}

tvgp_status tvgp__predictive_pull(const tvgp__predictive *f, const tvgp__predictive_block *b, const double *weight,
                                  double *G) {
    memset(G, 0, b->m * f->kernel->dim * sizeof *G);
    if (f->r) {
        if (!b->in_kernel) {
            apply(f, TVGP__TRANS, b->m, b->H);
            times_c(f, b->m, b->H, b->H);
        }
        TVGP__TRY(tvgp__kernel_pull(f->kernel, b->m, b->Z, f->r, f->X, b->K, b->H, G));
    }
    return weight ? tvgp__kernel_diag_pull(f->kernel, b->m, b->Z, weight, G) : TVGP_OK;
}

static tvgp_status mean_gradient(const tvgp__predictive *f, const tvgp__predictive_block *b, double *G) {
    for (size_t i = 0; f->r && i < b->m; i++)
        memcpy(b->H + i * f->r, f->u, f->r * sizeof *b->H);
    return tvgp__predictive_pull(f, b, NULL, G);
}

static tvgp_status var_gradient(const tvgp__predictive *f, const tvgp__predictive_block *b, double *G) {
    for (size_t i = 0; i < b->m; i++)
        b->weight[i] = f->spread * f->kappa;
    for (size_t i = 0; i < b->m * f->r; i++)
        b->H[i] = -2 * f->spread * b->Q[i];
    return tvgp__predictive_pull(f, b, b->weight, G);
}

static tvgp_status evaluate(const tvgp__predictive *f, size_t m, const double *Z, double *work,
                            const tvgp__predictive_values *out, size_t first) {
    tvgp__predictive_block b;
    size_t dim = f->kernel->dim;
    TVGP__TRY(open_in_weights(f, m, Z, work, &b));
    for (size_t i = 0; out->mean && i < m; i++)
        out->mean[first + i] = tvgp__predictive_mean(f, &b, i);
    for (size_t i = 0; out->var && i < m; i++)
        out->var[first + i] = fmax(b.var[i], 0);
    if (out->dmean)
        TVGP__TRY(mean_gradient(f, &b, out->dmean + first * dim));
    return out->dvar ? var_gradient(f, &b, out->dvar + first * dim) : TVGP_OK;
}

tvgp_status tvgp__predictive_evaluate(const tvgp__predictive *f, size_t n, const double *Z, double *work,
                                      const tvgp__predictive_values *out) {
    for (size_t first = 0; first < n; first += TVGP__PREDICTIVE_BLOCK) {
        size_t m = n - first < TVGP__PREDICTIVE_BLOCK ? n - first : TVGP__PREDICTIVE_BLOCK;
        TVGP__TRY(evaluate(f, m, Z + first * f->kernel->dim, work, out, first));
    }
    return TVGP_OK;
}

tvgp_status tvgp__predictive_predict(const tvgp__predictive *f, size_t n, const double *Z,
                                     const tvgp__predictive_values *out) {
    double *work = NULL;
    int prepares = !f->inverse && n > 1;
    size_t leaves = prepares ? tvgp__trisolve_leaves_size(f->r) : 0;
    tvgp__predictive with = *f;
    TVGP__TRY(tvgp__memory_alloc(f->ctx, leaves + tvgp__predictive_work(f, n), sizeof *work, &work));
    if (prepares) {
        tvgp__trisolve_leaves(f->r, f->factor, f->ld, work);
        with.leaves = work;
    }
    tvgp_status status = tvgp__predictive_evaluate(&with, n, Z, work + leaves, out);
    tvgp__memory_free(f->ctx, work);
    return status;
}

/* ---- many points together --------------------------------------------------------------------------------------- */

size_t tvgp__predictive_joint_work(const tvgp__predictive *f, size_t n) {
    return tvgp__memory_product(2 * f->r, n);
}

/* V as for a block, n x r. */
static tvgp_status whiten_rows(const tvgp__predictive *f, size_t n, const double *Z, double *V) {
    if (!f->r)
        return TVGP_OK;
    TVGP__TRY(tvgp__kernel_block(f->kernel, n, Z, f->r, f->X, V, f->r));
    times_c(f, n, V, V);
    apply(f, TVGP__NO_TRANS, n, V);
    return TVGP_OK;
}

/* And Q = S V - cross, which is V where there is no S. */
static tvgp_status whiten(const tvgp__predictive *f, size_t n, const double *Z, double *V, double **Q) {
    *Q = f->S ? V + n * f->r : V;
    TVGP__TRY(whiten_rows(f, n, Z, V));
    if (f->S && f->r)
        tvgp__blas_symm(f->r, n, f->scale, f->S, f->ldS, V, f->r, 0, *Q, f->r);
    for (size_t i = 0; f->cross && i < n; i++)
        tvgp__blas_axpy(f->r, -1, f->cross, *Q + i * f->r);
    return TVGP_OK;
}

/* cov(z, z') = spread (kappa k(z, z') + e + w'v' - v'(S v' - w)), in which v is of z and v' of z'. */
tvgp_status tvgp__predictive_joint(const tvgp__predictive *f, size_t n, const double *Z, double *work, double *mean,
                                   double *covariance) {
    double *V = work, *Q;
    TVGP__TRY(tvgp__kernel_block(f->kernel, n, Z, n, Z, covariance, n));
    tvgp__blas_scale(n * n, f->kappa, covariance);
    if (f->r) {
        TVGP__TRY(whiten(f, n, Z, V, &Q));
        tvgp__blas_gemm(TVGP__TRANS, TVGP__NO_TRANS, n, n, f->r, -1, V, f->r, Q, f->r, 1, covariance, n);
    }
    for (size_t j = 0; j < n; j++) {
        mean[j] = tvgp__valid_range_cap(f->shift + (f->r ? tvgp__blas_dot(f->r, f->u, V + j * f->r) : 0));
        const double more = f->extra + (f->cross ? tvgp__blas_dot(f->r, V + j * f->r, f->cross) : 0);
        for (size_t i = 0; i < n; i++)
            covariance[j * n + i] = tvgp__valid_range_product(f->spread, covariance[j * n + i] + more);
    }
    return TVGP_OK;
}

/* Entries of the covariances of m points g with `count` others, from `first` of n on: V and Q of each, k(z, g) in K. */
static void fill_covariances(const tvgp__predictive *f, size_t count, const double *V, size_t m, const double *Vg,
                             const double *Qg, const double *K, size_t n, double *out) {
    for (size_t j = 0; j < m; j++) {
        const double constant = f->extra + (f->cross ? tvgp__blas_dot(f->r, Vg + j * f->r, f->cross) : 0);
        for (size_t i = 0; i < count; i++) {
            const double known = f->r ? tvgp__blas_dot(f->r, V + i * f->r, Qg + j * f->r) : 0;
            out[j * n + i] = tvgp__valid_range_product(f->spread, f->kappa * K[i * m + j] + constant - known);
        }
    }
}

tvgp_status tvgp__predictive_covariance(const tvgp__predictive *f, size_t n, const double *Z, size_t m, const size_t *which,
                                        double *out) {
    const size_t dim = f->kernel->dim, most = n < TVGP__PREDICTIVE_BLOCK ? n : TVGP__PREDICTIVE_BLOCK;
    double *work = NULL, *Qg;
    TVGP__TRY(tvgp__memory_alloc(f->ctx, tvgp__memory_product(m, dim + most) + tvgp__predictive_joint_work(f, m + most),
                                 sizeof *work, &work));
    double *G = work, *K = G + m * dim, *Vg = K + m * most, *V = Vg + tvgp__predictive_joint_work(f, m);
    for (size_t j = 0; j < m; j++)
        memcpy(G + j * dim, Z + which[j] * dim, dim * sizeof *G);
    tvgp_status status = whiten(f, m, G, Vg, &Qg);
    for (size_t first = 0; status == TVGP_OK && first < n; first += most) {
        const size_t count = n - first < most ? n - first : most;
        status = whiten_rows(f, count, Z + first * dim, V);
        if (status == TVGP_OK)
            status = tvgp__kernel_block(f->kernel, count, Z + first * dim, m, G, K, m);
        if (status == TVGP_OK)
            fill_covariances(f, count, V, m, Vg, Qg, K, n, out + first);
    }
    tvgp__memory_free(f->ctx, work);
    return status;
}

/* ---- in the kernel ---------------------------------------------------------------------------------------------- */

static const double LEAST_PIVOT =
    1e-6; /* square of the least pivot over that of the largest: its inverse is what digits are lost by */

size_t tvgp__predictive_condensed(const tvgp__predictive *f) {
    double least = INFINITY, most = 0;
    if (!f->S || !f->inverse || f->c)
        return 0;
    for (size_t j = 0; j < f->r; j++) {
        const double inverse = f->factor[j * (f->ld + 1)];
        least = fmin(least, inverse * inverse);
        most = fmax(most, inverse * inverse);
    }
    return least > LEAST_PIVOT * most ? f->ld * (f->ld + 2) : 0;
}

static void transpose(size_t n, double *A) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++) {
            const double above = A[j * n + i];
            A[j * n + i] = A[i * n + j];
            A[i * n + j] = above;
        }
}

void tvgp__predictive_weights(const tvgp__predictive *f, double *a) {
    if (!f->r)
        return;
    memcpy(a, f->u, f->r * sizeof *a);
    apply(f, TVGP__TRANS, 1, a);
    times_c(f, 1, a, a);
}

void tvgp__predictive_condense(tvgp__predictive *f, double *memory) {
    const size_t r = f->r;
    double *M = memory, *a = M + r * r, *b = a + r;
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            M[j * r + i] = M[i * r + j] = f->fade * f->fade * f->scale * f->S[j * f->ldS + i];
    apply(f, TVGP__TRANS, r, M);
    transpose(r, M);
    apply(f, TVGP__TRANS, r, M);
    tvgp__predictive_weights(f, a);
    memset(b, 0, r * sizeof *b);
    if (f->cross)
        memcpy(b, f->cross, r * sizeof *b);
    apply(f, TVGP__TRANS, 1, b);
    times_c(f, 1, b, b);
    f->condensed.M = M;
    f->condensed.a = a;
    f->condensed.b = b;
}

static tvgp_status open_in_kernel(const tvgp__predictive *f, size_t m, const double *Z, double *work,
                                  tvgp__predictive_block *b) {
    const size_t r = f->r;
    *b = (tvgp__predictive_block){
        .in_kernel = 1, .m = m, .Z = Z, .prior = work, .var = work + m, .weight = work + 2 * m, .K = work + 3 * m};
    b->H = b->K + m * r;
    TVGP__TRY(tvgp__kernel_diag(f->kernel, m, Z, b->prior));
    TVGP__TRY(tvgp__kernel_block(f->kernel, m, Z, r, f->X, b->K, r));
    tvgp__loops_product(r, m, r, f->condensed.M, r, b->K, r, b->H, r);
    for (size_t i = 0; i < m; i++) {
        const double *k = b->K + i * r, cross = 2 * tvgp__loops_dot(r, f->condensed.b, k);
        const double known = f->kappa * b->prior[i] + f->extra + cross - tvgp__loops_dot(r, k, b->H + i * r);
        b->var[i] = tvgp__valid_range_product(f->spread, known);
    }
    return TVGP_OK;
}

tvgp_status tvgp__predictive_open(const tvgp__predictive *f, size_t m, const double *Z, double *work,
                                  tvgp__predictive_block *b) {
    return (f->condensed.M ? open_in_kernel : open_in_weights)(f, m, Z, work, b);
}

tvgp_status tvgp__predictive_moments(const tvgp__predictive *f, size_t n, const double *Z, double *work, double *mean,
                                     double *var) {
    for (size_t first = 0, m; first < n; first += m) {
        tvgp__predictive_block b;
        m = n - first < TVGP__PREDICTIVE_BLOCK ? n - first : TVGP__PREDICTIVE_BLOCK;
        TVGP__TRY(open_in_kernel(f, m, Z + first * f->kernel->dim, work, &b));
        for (size_t i = 0; i < m; i++) {
            mean[first + i] = tvgp__predictive_mean(f, &b, i);
            var[first + i] = fmax(b.var[i], 0);
        }
    }
    return TVGP_OK;
}

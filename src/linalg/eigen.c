/* SPDX-License-Identifier: MIT */
/* Raises small eigenvalues of a symmetric matrix: A = V diag(w) V' becomes V diag(max(w, least)) V' (linalg/eigen.h). */
#include "linalg/eigen.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Says whether A has no eigenvalue below `share` times its trace. The trace is at least the largest eigenvalue. work: n
 * x n. */
static int clear(size_t n, double share, const double *A, double *work) {
    double trace = 0;
    for (size_t i = 0; i < n; i++)
        trace += A[i * (n + 1)];
    memcpy(work, A, n * n * sizeof *A);
    for (size_t i = 0; i < n; i++)
        work[i * (n + 1)] -= share * trace;
    return trace > 0 && !tvgp__blas_potrf(n, work, n);
}

/* Rotation that makes entry (p, q) of A zero, of rows and columns, and of the columns of V (both n x n). */
static void rotate(size_t n, size_t p, size_t q, double *A, double *V) {
    const double off = A[p * n + q], theta = (A[q * (n + 1)] - A[p * (n + 1)]) / (2 * off);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    tvgp__blas_rot(n, A + p * n, A + q * n, c, -s);
    for (size_t k = 0; k < n; k++) {
        double *row = A + k * n, before = row[p];
        row[p] = c * before - s * row[q];
        row[q] = s * before + c * row[q];
    }
    tvgp__blas_rot(n, V + p * n, V + q * n, c, -s);
}

/* Makes A diagonal up to round-off. Row i of V becomes the eigenvector of A[i, i]. */
static tvgp_status diagonalise(tvgp_ctx *ctx, size_t n, double *A, double *V) {
    enum { SWEEPS = 60 };
    double norm = 0;
    for (size_t i = 0; i < n * n; i++)
        norm += A[i] * A[i];
    for (size_t sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (size_t p = 0; p < n; p++) {
            TVGP__TRY(tvgp__error_interrupted(ctx));
            for (size_t q = p + 1; q < n; q++)
                if (A[p * n + q] * A[p * n + q] > 1e-32 * norm / (double)(n * n)) {
                    rotate(n, p, q, A, V);
                    turned = 1;
                }
        }
    }
    return TVGP_OK;
}

/* A += (least - w) v v' of those of the n eigenvalues w (the diagonal of W) below least, share times the largest. */
static void lift(size_t n, double share, const double *W, const double *V, double *A) {
    double largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fmax(largest, W[i * (n + 1)]);
    for (size_t i = 0; i < n; i++) {
        const double more = share * largest - W[i * (n + 1)];
        for (size_t a = 0; more > 0 && a < n; a++)
            tvgp__blas_axpy(n, more * V[i * n + a], V + i * n, A + a * n);
    }
}

tvgp_status tvgp__eigen_raise(tvgp_ctx *ctx, size_t n, double share, double *A) {
    double *work = NULL;
    tvgp_status status = TVGP_OK;
    TVGP__TRY(tvgp__memory_alloc(ctx, 2 * n, n * sizeof *work, &work));
    double *V = work + n * n;
    if (!clear(n, share, A, work)) {
        memcpy(work, A, n * n * sizeof *A);
        for (size_t i = 0; i < n; i++)
            V[i * (n + 1)] = 1;
        status = diagonalise(ctx, n, work, V);
        if (status == TVGP_OK)
            lift(n, share, work, V, A);
    }
    tvgp__memory_free(ctx, work);
    return status;
}

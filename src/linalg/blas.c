#include "linalg/blas.h"

#include "base/error.h"

#include <cblas.h>
#include <lapacke.h>

static CBLAS_TRANSPOSE op(int trans) {
    return trans ? CblasTrans : CblasNoTrans;
}

tvgp_status tvgp__blas_check(tvgp_ctx *ctx, const char *what, size_t n) {
    if (n > INT32_MAX)
        return tvgp__error_set(ctx, TVGP_ERR_LIMIT, "%s = %zu exceeds the limit %d", what, n, INT32_MAX);
    return TVGP_OK;
}

double tvgp__blas_dot(size_t n, const double *x, const double *y) {
    return cblas_ddot((int)n, x, 1, y, 1);
}

void tvgp__blas_axpy(size_t n, double a, const double *x, double *y) {
    cblas_daxpy((int)n, a, x, 1, y, 1);
}

void tvgp__blas_rot(size_t n, double *x, double *y, double c, double s) {
    cblas_drot((int)n, x, 1, y, 1, c, s);
}

void tvgp__blas_gemv(int trans, size_t m, size_t n, double a, const double *A, size_t lda, const double *x, double b,
                     double *y) {
    cblas_dgemv(CblasColMajor, op(trans), (int)m, (int)n, a, A, (int)lda, x, 1, b, y, 1);
}

void tvgp__blas_symv(size_t n, double a, const double *A, size_t lda, const double *x, double b, double *y) {
    cblas_dsymv(CblasColMajor, CblasLower, (int)n, a, A, (int)lda, x, 1, b, y, 1);
}

void tvgp__blas_syr(size_t n, double a, const double *x, double *A, size_t lda) {
    cblas_dsyr(CblasColMajor, CblasLower, (int)n, a, x, 1, A, (int)lda);
}

void tvgp__blas_syrk(int trans, size_t n, size_t k, double a, const double *A, size_t lda, double b, double *C, size_t ldc) {
    cblas_dsyrk(CblasColMajor, CblasLower, op(trans), (int)n, (int)k, a, A, (int)lda, b, C, (int)ldc);
}

void tvgp__blas_gemm(int trans_a, int trans_b, size_t m, size_t n, size_t k, double a, const double *A, size_t lda,
                     const double *B, size_t ldb, double b, double *C, size_t ldc) {
    cblas_dgemm(CblasColMajor, op(trans_a), op(trans_b), (int)m, (int)n, (int)k, a, A, (int)lda, B, (int)ldb, b, C,
                (int)ldc);
}

void tvgp__blas_trsv(int trans, size_t n, const double *L, size_t ldl, double *x) {
    cblas_dtrsv(CblasColMajor, CblasLower, op(trans), CblasNonUnit, (int)n, L, (int)ldl, x, 1);
}

void tvgp__blas_trsm(int trans, size_t n, size_t m, const double *L, size_t ldl, double *B, size_t ldb) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, op(trans), CblasNonUnit, (int)n, (int)m, 1.0, L, (int)ldl, B,
                (int)ldb);
}

void tvgp__blas_trmm_right(size_t m, size_t n, const double *L, size_t ldl, double *X, size_t ldx) {
    cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)m, (int)n, 1.0, L, (int)ldl, X,
                (int)ldx);
}

size_t tvgp__blas_potrf(size_t n, double *A, size_t lda) {
    return n ? (size_t)LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)lda) : 0;
}

void tvgp__blas_potri(size_t n, double *A, size_t lda) {
    (void)LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)lda);
}

void tvgp__blas_trtri(size_t n, double *L, size_t ldl) {
    (void)LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'L', 'N', (lapack_int)n, L, (lapack_int)ldl);
}

size_t tvgp__blas_pstrf(size_t n, double *A, size_t lda, double tolerance, int32_t *pivot, double *work) {
    lapack_int rank = 0;
    (void)LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, A, (lapack_int)lda, pivot, &rank, tolerance, work);
    for (size_t i = 0; i < n; i++)
        pivot[i]--;
    return (size_t)rank;
}

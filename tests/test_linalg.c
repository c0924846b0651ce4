/* SPDX-License-Identifier: MIT */
/* linalg: the Cholesky factor that grows and shrinks, and the pivoted factor, against triple loops; eigenvalues. */
#include "base/memory.h"
#include "harness.h"
#include "linalg/blas.h"
#include "linalg/chol.h"
#include "linalg/chol_inverse.h"
#include "linalg/eigen.h"
#include "linalg/inverse.h"
#include "linalg/pivoted.h"
#include "linalg/trisolve.h"

#include <math.h>
#include <string.h>

enum { N = 40, M = 600 };

/* A = B B' + I / 10, row-major; well conditioned */
static void random_gram(struct rnd *r, double *A) {
    double B[N][N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            B[i][j] = rnd_normal(r);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            A[i * N + j] = i == j ? 0.1 : 0;
            for (size_t k = 0; k < N; k++)
                A[i * N + j] += B[i][k] * B[j][k];
        }
}

/* Lower factor of the rows and columns `index` of A, by the definition; row-major n x n. */
static void naive_cholesky(const double *A, size_t n, const size_t *index, double *L) {
    memset(L, 0, n * n * sizeof *L);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = A[index[i] * N + index[j]];
            for (size_t k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
}

static void append(tvgp__chol *f, const double *A, const size_t *index, size_t row) {
    double k[N];
    for (size_t j = 0; j < row; j++)
        k[j] = A[index[row] * N + index[j]];
    const double noise = 0.25 * A[index[row] * N + index[row]]; /* the diagonal arrives in two parts */
    ASSERT_OK(tvgp__chol_append(f, k, A[index[row] * N + index[row]] - noise, noise));
}

static void assert_factor(const tvgp__chol *f, const double *A, const size_t *index) {
    double L[N * N], log_det = 0;
    size_t n = f->n;
    naive_cholesky(A, n, index, L);
    for (size_t i = 0; i < n; i++) {
        log_det += 2 * log(L[i * n + i]);
        for (size_t j = 0; j <= i; j++)
            ASSERT_NEAR(f->L[j * f->capacity + i], L[i * n + j], 1e-11);
    }
    ASSERT_NEAR(tvgp__chol_log_det(f), log_det, 1e-12);
}

TEST(append_matches_naive) {
    struct rnd r = {1};
    double A[N * N];
    size_t index[N];
    random_gram(&r, A);
    tvgp__chol f = {.ctx = ctx};
    ck_assert_double_eq(tvgp__chol_log_det(&f), 0);
    for (size_t i = 0; i < N; i++) {
        index[i] = i;
        append(&f, A, index, i);
        assert_factor(&f, A, index);
    }
    ck_assert_uint_eq(f.jitter, 0);
    tvgp__chol_free(&f);
}

TEST(solve_matches_naive) {
    struct rnd r = {2};
    double A[N * N], x[3 * N], b[3 * N];
    size_t index[N];
    random_gram(&r, A);
    tvgp__chol f = {.ctx = ctx};
    for (size_t i = 0; i < N; i++) {
        index[i] = i;
        append(&f, A, index, i);
    }
    for (size_t m = 1; m <= 3; m += 2) { /* a vector, a block */
        rnd_fill(&r, m * N, x);
        for (size_t c = 0; c < m; c++)
            for (size_t i = 0; i < N; i++) {
                b[c * N + i] = 0;
                for (size_t j = 0; j < N; j++)
                    b[c * N + i] += A[i * N + j] * x[c * N + j];
            }
        tvgp__chol_solve(&f, TVGP__NO_TRANS, m, b, N);
        tvgp__chol_solve(&f, TVGP__TRANS, m, b, N);
        ASSERT_ALL_NEAR(m * N, b, x, 1e-9);
    }
    tvgp__chol_free(&f);
}

/* The sum of the rows as they are when the first has left. */
static void carry_and_sum(struct rnd *r, size_t n, const double *c, const double *s, double V[N][M]) {
    double w[N], out[M], before[M];
    rnd_fill(r, N, w);
    rnd_fill(r, M, before);
    memcpy(out, before, sizeof out);
    tvgp__chol_carry_sum(n, c, s, w, M, V[0], M, out);
    for (size_t k = 0; k < M; k++) {
        for (size_t j = 0; j + 1 < n; j++)
            before[k] += w[j] * V[j][k];
        ASSERT_NEAR(out[k], before[k], 1e-12);
    }
}

/* Rows leave from anywhere and others come, V = L^-1 B is carried along and compared with a fresh solve. */
TEST(delete_matches_naive) {
    struct rnd r = {3};
    double A[N * N], L[N * N], c[N], s[N];
    static double B[N][M], V[N][M], X[N];
    size_t index[N], n = 0; /* the first n are in the factor, in this order; the others wait */
    random_gram(&r, A);
    for (size_t i = 0; i < N; i++) {
        index[i] = i;
        rnd_fill(&r, M, B[i]);
    }
    tvgp__chol f = {.ctx = ctx};
    for (int round = 0; round < 120; round++) {
        int grow = n < 2 || (n < N - 1 && rnd_uniform(&r) < 0.55);
        if (grow) {
            append(&f, A, index, n++);
            for (size_t k = 0; k < M; k++) {
                V[n - 1][k] = B[index[n - 1]][k];
                for (size_t j = 0; j + 1 < n; j++)
                    V[n - 1][k] -= f.L[j * f.capacity + n - 1] * V[j][k];
                V[n - 1][k] /= f.L[(n - 1) * f.capacity + n - 1];
            }
        } else {
            size_t i = round % 3 == 0 ? 0 : round % 3 == 1 ? n - 1 : rnd_below(&r, n);
            tvgp__chol_delete(&f, i, c, s);
            if (i == 0) {
                carry_and_sum(&r, n, c, s, V);
            } else {
                tvgp__chol_carry(n, i, c, s, M, V[0], M);
            }
            size_t removed = index[i];
            memmove(index + i, index + i + 1, (N - i - 1) * sizeof *index);
            index[N - 1] = removed;
            n--;
        }
        ck_assert_uint_eq(f.n, n);
        assert_factor(&f, A, index);
    }
    naive_cholesky(A, n, index, L);
    for (size_t k = 0; k < M; k++)
        for (size_t i = 0; i < n; i++) {
            X[i] = B[index[i]][k];
            for (size_t j = 0; j < i; j++)
                X[i] -= L[i * n + j] * X[j];
            X[i] /= L[i * n + i];
            ASSERT_NEAR(V[i][k], X[i], 1e-9);
        }
    tvgp__chol_free(&f);
}

/* w = L^-1 w and m = L^-1 e_s for every size and s: multiplied by L they give back what went in. */
TEST(solve_pair) {
    struct rnd r = {12};
    double A[N * N], k[N], w[N], m[N];
    size_t index[N];
    random_gram(&r, A);
    tvgp__chol f = {.ctx = ctx};
    for (size_t i = 0; i < N; i++)
        index[i] = i;
    for (size_t row = 0; row < N; row++) {
        append(&f, A, index, row);
        for (size_t s = 0; s <= row; s++) {
            rnd_fill(&r, row + 1, k);
            memcpy(w, k, sizeof w);
            tvgp__chol_solve_pair(&f, w, s, m);
            for (size_t i = 0; i <= row; i++) {
                double back = 0, unit = 0;
                for (size_t j = 0; j <= i; j++) {
                    back += f.L[j * f.capacity + i] * w[j];
                    unit += f.L[j * f.capacity + i] * m[j];
                }
                ASSERT_NEAR(back, k[i], 1e-12);
                ASSERT_NEAR(unit, (double)(i == s), 1e-12);
            }
        }
    }
    tvgp__chol_free(&f);
}

/* L^-1 next to L, without any row: what is left times the L that is left is the identity. */
TEST(inverse_without_a_row) {
    enum { MOST = 14, LD = MOST + 3 };
    struct rnd r = {31};
    double A[N * N], W[LD * LD], v[MOST], c[N], s[N];
    random_gram(&r, A);
    for (size_t n = 1; n <= MOST; n++)
        for (size_t i = 0; i < n; i++) {
            tvgp__chol f = {.ctx = ctx};
            size_t index[N];
            for (size_t j = 0; j < n; j++) {
                index[j] = j;
                append(&f, A, index, j);
                for (size_t k = 0; k < j; k++)
                    v[k] = f.L[k * f.capacity + j];
                tvgp__chol_inverse_border(W, LD, j, v, 1, f.L[j * (f.capacity + 1)]);
            }
            tvgp__chol_delete(&f, i, c, s);
            tvgp__chol_inverse_delete(W, LD, n, i, c, s);
            for (size_t a = 0; a + 1 < n; a++)
                for (size_t b = 0; b <= a; b++) {
                    double sum = 0;
                    for (size_t k = b; k <= a; k++)
                        sum += f.L[k * f.capacity + a] * W[b * LD + k];
                    ASSERT_NEAR(sum, a == b, 1e-10);
                }
            tvgp__chol_free(&f);
        }
}

/* Points of the inverse are replaced one after another: it stays that of the Gram matrix, and its products too. */
TEST(kept_inverse) {
    struct rnd r = {12};
    enum { ALL = N, HELD = 21, STRIDE = 24 };
    double A[N * N], G[STRIDE * STRIDE], k[STRIDE] = {0}, b[STRIDE], g[STRIDE];
    size_t index[N];
    random_gram(&r, A);
    tvgp__chol f = {.ctx = ctx};
    for (size_t i = 0; i < ALL; i++)
        index[i] = i;
    for (size_t row = 0; row < HELD; row++)
        append(&f, A, index, row);
    ck_assert_uint_eq(tvgp__inverse_stride(HELD), STRIDE);
    double largest = tvgp__inverse_take(&f, G);
    for (int round = 0; round < 200; round++) {
        double top = 0;
        for (size_t i = 0; i < HELD; i++) {
            top = fmax(top, G[i * (STRIDE + 1)]);
            for (size_t j = 0; j < HELD; j++) {
                double unit = 0;
                for (size_t q = 0; q < HELD; q++)
                    unit += G[i * STRIDE + q] * A[index[q] * N + index[j]];
                ASSERT_NEAR(unit, (double)(i == j), 1e-10);
            }
        }
        ASSERT_NEAR(largest, top, 0);
        size_t out = rnd_below(&r, HELD), in = HELD + rnd_below(&r, ALL - HELD), left = index[out];
        for (size_t i = 0; i < HELD; i++)
            k[i] = A[index[i] * N + index[in]];
        tvgp__inverse_apply(HELD, G, k, b);
        double known = 0;
        for (size_t i = 0; i < HELD; i++)
            known += k[i] * b[i];
        double given = A[index[in] * (N + 1)] - known + b[out] * b[out] / G[out * (STRIDE + 1)];
        largest = tvgp__inverse_replace(HELD, G, out, given, b, g);
        index[out] = index[in];
        index[in] = left;
    }
    for (size_t i = 0; i < STRIDE * STRIDE; i++) /* what lies beyond stays 0 */
        ck_assert(G[i] == 0 || (i / STRIDE < HELD && i % STRIDE < HELD));
    tvgp__chol_free(&f);
}

/* A repeated point without noise: jitter, counted; a pivot that no jitter repairs: NUMERIC and an unchanged factor. */
TEST(jitter_ladder) {
    tvgp__chol f = {.ctx = ctx};
    double k = 0;
    ASSERT_OK(tvgp__chol_append(&f, &k, 2.0, 0.0));
    ck_assert_uint_eq(f.jitter, 0);
    k = 2.0;
    ASSERT_OK(tvgp__chol_append(&f, &k, 2.0, 0.0));
    ck_assert_uint_eq(f.jitter, 1);
    ck_assert_double_gt(f.L[f.capacity + 1], 0);
    ck_assert_double_lt(f.L[f.capacity + 1], 1e-4);
    size_t n = f.n;
    double log_det = tvgp__chol_log_det(&f), impossible[2] = {2.1, 2.1}; /* correlation above 1 */
    ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp__chol_append(&f, impossible, 2.0, 0.0), "not positive definite");
    ck_assert_uint_eq(f.n, n);
    ck_assert_double_eq(tvgp__chol_log_det(&f), log_det);
    tvgp__chol_free(&f);
}

/* 1e-10, 1e-8, 1e-6 of the prior variance, and no more. */
TEST(jitter_rungs) {
    const double variance = 3;
    static const double lacking[] = {-1e-12, 0.5e-10, 0.5e-8, 0.5e-6}, rung[] = {0, 1e-10, 1e-8, 1e-6};
    for (size_t i = 0; i < 4; i++) {
        double square = -lacking[i] * variance;
        size_t jitter = 7;
        ASSERT_OK(tvgp__chol_pivot(ctx, variance, &square, &jitter));
        ASSERT_NEAR(square / variance, rung[i] - lacking[i], 1e-22);
        ck_assert_uint_eq(jitter, i == 0 ? 7 : 8);
    }
    double square = -1.5e-6 * variance;
    ASSERT_FAILS(TVGP_ERR_NUMERIC, tvgp__chol_pivot(ctx, variance, &square, &(size_t){0}), "-4.5e-06", "3");
    ck_assert_double_eq(square, -1.5e-6 * variance);
}

TEST(append_survives_lack_of_memory) {
    struct rnd r = {4};
    double A[N * N];
    size_t index[N];
    random_gram(&r, A);
    tvgp__chol f = {.ctx = ctx};
    for (size_t i = 0; i < N; i++) {
        double k[N];
        index[i] = i;
        for (size_t j = 0; j < i; j++)
            k[j] = A[i * N + j];
        memory.fail_in = 1;
        tvgp_status status = tvgp__chol_append(&f, k, A[i * N + i], 0);
        memory.fail_in = 0;
        if (status != TVGP_OK) {
            ck_assert_int_eq(status, TVGP_ERR_NOMEM);
            append(&f, A, index, i);
        }
        assert_factor(&f, A, index);
    }
    ck_assert_uint_gt(memory.failed, 0);
    size_t calls = memory.allocated;
    ASSERT_OK(tvgp__chol_reserve(&f, 5 * N));
    ck_assert_uint_eq(memory.allocated, calls + 1);
    ck_assert_uint_ge(f.capacity, 5 * N);
    assert_factor(&f, A, index);
    tvgp__chol_free(&f);
}

static tvgp_status gram_column(const void *user, size_t j, double *out) {
    for (size_t i = 0; i < N; i++)
        out[i] = ((const double *)user)[i * N + j];
    return TVGP_OK;
}

/* A Gram matrix of known rank is recovered, the pivots are where the residual variance is largest. */
TEST(pivoted_factor) {
    enum { RANK = 7 };
    struct rnd r = {5};
    double B[N][RANK], A[N * N], residual[N], Phi[N * N], work[N];
    size_t pivot[N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < RANK; j++)
            B[i][j] = rnd_normal(&r);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            A[i * N + j] = 0;
            for (size_t k = 0; k < RANK; k++)
                A[i * N + j] += B[i][k] * B[j][k];
        }
    size_t largest = 0;
    for (size_t i = 0; i < N; i++) {
        residual[i] = A[i * N + i];
        largest = residual[i] > residual[largest] ? i : largest;
    }
    size_t rank = 0;
    ASSERT_OK(tvgp__pivoted_factor(NULL, N, gram_column, A, 1e-10, N, residual, Phi, pivot, work, &rank));
    ck_assert_uint_eq(rank, RANK);
    ck_assert_uint_eq(pivot[0], largest);
    for (size_t i = 0; i < N; i++) {
        ck_assert_double_le(residual[i], 1e-10);
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < RANK; k++)
                sum += Phi[k * N + i] * Phi[k * N + j];
            ASSERT_NEAR(sum, A[i * N + j], 1e-11);
        }
    }
    for (size_t i = 0; i < N; i++)
        residual[i] = A[i * N + i];
    double whole[N * N];
    memcpy(whole, Phi, RANK * N * sizeof *Phi);
    rank = 0;
    ASSERT_OK(tvgp__pivoted_factor(NULL, N, gram_column, A, 1e-10, 3, residual, Phi, pivot, work, &rank));
    ck_assert_uint_eq(rank, 3); /* truncated */
    double left = 0;
    for (size_t i = 0; i < N; i++)
        left = fmax(left, residual[i]);
    ck_assert_double_gt(left, 1e-3);
    ASSERT_OK(tvgp__pivoted_factor(NULL, N, gram_column, A, 1e-10, N, residual, Phi, pivot, work, &rank)); /* and on */
    ck_assert_uint_eq(rank, RANK);
    ck_assert_mem_eq(Phi, whole, RANK * N * sizeof *Phi);
}

/* X L^-T: a product that gives X back, for sizes below, at and above one inverted block and its halves. */
TEST_EACH(trisolve_matches_product, 6) {
    static const size_t sizes[] = {1, 17, 64, 65, 150, 263};
    enum { MAX = 263, ROWS = 37, LD = ROWS + 3 };
    static double L[MAX * MAX], X[MAX * LD], want[MAX * LD];
    struct rnd r = {4};
    const size_t n = sizes[_i];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            L[j * n + i] = i < j    ? NAN
                           : i == j ? 1 + rnd_uniform(&r)
                                    : rnd_normal(&r) / (double)n; /* the rest is not read */
    for (size_t i = 0; i < n * LD; i++)
        want[i] = rnd_normal(&r);
    for (size_t row = 0; row < LD; row++)
        for (size_t j = 0; j < n; j++) {
            X[j * LD + row] = row < ROWS ? 0 : want[j * LD + row]; /* rows beyond stay as they are */
            for (size_t k = 0; row < ROWS && k <= j; k++)
                X[j * LD + row] += want[k * LD + row] * L[k * n + j];
        }
    tvgp__trisolve_prepare(n, L, n);
    tvgp__trisolve_right(ROWS, n, L, n, X, LD);
    ASSERT_ALL_NEAR(n * LD, X, want, 1e-13);
}

/* op(L)^-1 B with L left as it is, and rows added to a factor all at once. */
TEST_EACH(trisolve_from_the_left, 12) {
    static const size_t sizes[] = {1, 17, 64, 65, 150, 263};
    enum { MAX = 263, COLUMNS = 11, LD = MAX + 3 };
    static double L[MAX * LD], B[COLUMNS * LD], want[COLUMNS * LD], leaves[5 * 64 * 64];
    struct rnd r = {5};
    const size_t n = sizes[_i / 2];
    const int trans = _i % 2;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < LD; i++)
            L[j * LD + i] = i < j || i >= n ? NAN : i == j ? 1 + rnd_uniform(&r) : rnd_normal(&r) / (double)n;
    for (size_t i = 0; i < COLUMNS * LD; i++)
        want[i] = rnd_normal(&r);
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t i = 0; i < LD; i++) {
            B[c * LD + i] = i < n ? 0 : want[c * LD + i];
            for (size_t k = trans ? i : 0; i < n && k < (trans ? n : i + 1); k++)
                B[c * LD + i] += (trans ? L[i * LD + k] : L[k * LD + i]) * want[c * LD + k];
        }
    ck_assert_uint_eq(tvgp__trisolve_leaves_size(n), (n + 63) / 64 * 64 * 64);
    memset(leaves, 0, sizeof leaves);
    tvgp__trisolve_leaves(n, L, LD, leaves);
    tvgp__trisolve_left(trans, n, COLUMNS, L, LD, leaves, B, LD);
    ASSERT_ALL_NEAR(COLUMNS * LD, B, want, 1e-13);
}

TEST(extend_matches_naive) {
    double A[N * N], L[N * N], variance[N];
    size_t index[N];
    struct rnd r = {6};
    random_gram(&r, A);
    for (size_t i = 0; i < N; i++) {
        index[i] = i;
        variance[i] = A[i * N + i];
    }
    naive_cholesky(A, N, index, L);
    for (size_t held = 0; held < N; held += 13) {
        tvgp__chol f = {.ctx = ctx};
        ASSERT_OK(tvgp__chol_reserve(&f, N + 2));
        size_t parts[] = {held, N - held};
        for (size_t part = 0; part < 2; part++) {
            size_t n = f.n;
            for (size_t j = 0; j < n + parts[part]; j++)
                for (size_t i = j > n ? j : n; i < n + parts[part]; i++)
                    f.L[j * f.capacity + i] = A[i * N + j];
            ck_assert(tvgp__chol_extend(&f, parts[part], variance + n));
        }
        ck_assert_uint_eq(f.n, N);
        for (size_t j = 0; j < N; j++)
            for (size_t i = j; i < N; i++)
                ASSERT_NEAR(f.L[j * f.capacity + i], L[i * N + j], 1e-13);
        tvgp__chol_free(&f);
    }
}

/* Eigenvalues below a share of the largest become this share, and the eigenvectors stay: those of a reflection I - 2 u u' / u'u. */
TEST(eigenvalues_are_raised) {
    enum { ROWS = 6 };
    const double w[ROWS] = {-2, 0.7, 1e-3, 3, 0, 0.31}, u[ROWS] = {1, -2, 0.5, 3, 0.1, -1}, share = 0.1;
    double A[ROWS * ROWS] = {0}, wanted[ROWS * ROWS] = {0}, square = 0;
    for (size_t i = 0; i < ROWS; i++)
        square += u[i] * u[i];
    for (size_t k = 0; k < ROWS; k++)
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < ROWS; j++) {
                const double both = ((i == k) - 2 * u[i] * u[k] / square) * ((j == k) - 2 * u[j] * u[k] / square);
                A[i * ROWS + j] += w[k] * both;
                wanted[i * ROWS + j] += fmax(w[k], share * 3) * both;
            }
    ASSERT_OK(tvgp__eigen_raise(ctx, ROWS, share, A));
    ASSERT_ALL_NEAR(ROWS * ROWS, A, wanted, 1e-12);
}

HARNESS_MAIN("linalg")

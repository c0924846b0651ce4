/* SPDX-License-Identifier: MIT */
/* linalg/sweep against products with the matrix that was swept. */
#include "harness.h"
#include "linalg/sweep.h"

#include <math.h>

enum { SWEPT = 100, BELOW = 3, ROWS = SWEPT + BELOW };
static const size_t swept[] = {1, 3, 4, 7, 8, 9, 29, 31, 32, 33, 40, 63, 64, 67, SWEPT};

/* The n pivots of M (ROWS x ROWS, symmetric) with what stands in rows n .. n + below - 1; what is kept is minus that. */
static void open_sweep(tvgp__sweep *s, double *room, const double *M, size_t n, size_t below) {
    tvgp__sweep_open(s, room, n, below);
    for (size_t j = 0; j < s->rows; j++)
        for (size_t i = j - j % TVGP__SWEEP_GROUP; i < s->rows; i++)
            tvgp__sweep_column(s, j)[i - (j - j % TVGP__SWEEP_GROUP)] =
                i < n + below && j < n + below ? -M[i * ROWS + j] : 0;
}

static double kept(const tvgp__sweep *s, size_t i, size_t j) {
    size_t low = i < j ? i : j, first = low - low % TVGP__SWEEP_GROUP;
    return tvgp__sweep_column(s, low)[(i < j ? j : i) - first];
}

/* A random M = B B' + I / 10 of n pivots, then anything. */
static void random_bordered(struct rnd *r, size_t n, double *M) {
    static double B[ROWS][ROWS];
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            B[i][j] = rnd_normal(r);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            M[i * ROWS + j] = i < n ? 0.1 * (i == j) : B[i][j] + B[j][i];
            for (size_t k = 0; k < n && i < n && j < n; k++)
                M[i * ROWS + j] += B[i][k] * B[j][k] / (double)n;
            if (i < n && j >= n)
                M[i * ROWS + j] = B[i][j] + B[j][i];
        }
}

/* Every block against products with M: inverse, solutions, Schur complement, determinant. */
TEST_EACH(sweep_matches_products, sizeof swept / sizeof *swept) {
    static double M[ROWS * ROWS], L[ROWS * ROWS], room[ROWS * ROWS];
    struct rnd r = {600 + (uint64_t)_i};
    size_t n = swept[_i];
    double product = 0, log_det = 0;
    tvgp__sweep s, t;
    random_bordered(&r, n, M);
    ck_assert_uint_le(tvgp__sweep_room(n, BELOW), sizeof room / sizeof *room);
    open_sweep(&s, room, M, n, BELOW);
    double half = tvgp__sweep_run(&s, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = M[i * ROWS + j];
            for (size_t k = 0; k < j; k++)
                sum -= L[i * ROWS + k] * L[j * ROWS + k];
            L[i * ROWS + j] = i == j ? sqrt(sum) : sum / L[j * ROWS + j];
            log_det += i == j ? log(L[i * ROWS + i]) : 0;
        }
    ASSERT_NEAR(half, log_det, 1e-12);
    for (size_t i = 0; i < n + BELOW; i++)
        for (size_t j = 0; j < n; j++, product = 0) {
            for (size_t k = 0; k < n; k++)
                product += kept(&s, i, k) * M[k * ROWS + j];
            ASSERT_NEAR(product, i < n ? i == j : -M[i * ROWS + j], 1e-10);
        }
    double corner[BELOW][BELOW];
    for (size_t i = 0; i < BELOW; i++)
        for (size_t j = 0; j <= i; j++) {
            corner[i][j] = -M[(n + i) * ROWS + n + j];
            for (size_t k = 0; k < n; k++)
                corner[i][j] -= kept(&s, n + i, k) * M[k * ROWS + n + j];
            ASSERT_NEAR(kept(&s, n + i, n + j), corner[i][j], 1e-10);
        }
    open_sweep(&t, room, M, n, BELOW); /* the complement alone */
    ASSERT_NEAR(tvgp__sweep_run(&t, 0), log_det, 1e-12);
    for (size_t i = 0; i < BELOW; i++)
        for (size_t j = 0; j <= i; j++)
            ASSERT_NEAR(kept(&t, n + i, n + j), corner[i][j], 1e-10);
}

/* A pivot that is negative, 0 or no number, first, last or between. */
TEST(sweep_refuses) {
    static double M[ROWS * ROWS], room[ROWS * ROWS];
    const double bad[] = {-1, 0, NAN};
    struct rnd r = {77};
    for (size_t at = 0; at < 40; at += 13)
        for (size_t kind = 0; kind < 3; kind++)
            for (int whole = 0; whole < 2; whole++) {
                tvgp__sweep s;
                random_bordered(&r, 40, M);
                for (size_t k = 0; k < 40; k++)
                    M[at * ROWS + k] = M[k * ROWS + at] = 0;
                M[at * (ROWS + 1)] = bad[kind];
                open_sweep(&s, room, M, 40, 0);
                ck_assert(isnan(tvgp__sweep_run(&s, whole)));
            }
}

HARNESS_MAIN("sweep")

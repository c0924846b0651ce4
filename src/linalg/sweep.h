/* SPDX-License-Identifier: MIT */
/* Factor, inverse and solutions in one pass: the sweep operator (Goodnight 1979) on blocks of four pivots. With L L' =
 * M_kk, V = M_.k L^-T below the block and V_k = -L^-T, a block sets row and column k of M to 0 and then M_ij -= V_i V_j'
 * for all i, j.
 *
 *   ( M  B' )        ( -M^-1          )              log|M| = 2 sum of log of the pivots of the L
 *   ( B  C  )  into  ( B M^-1  C - B M^-1 B' )
 *
 * The remaining blocks equal a Cholesky factorisation, and fail as it does. n pivots cost n^3 flops, as dpotrf
 * and dpotri together, in one loop over contiguous columns (loops_rank_four). The Schur complement alone costs n^3 / 3.
 * No BLAS is used, so results do not depend on the machine. The stored matrix S is minus the above: its lower triangle,
 * in groups of eight columns that all begin in the row of the first. */
#ifndef TVGP__LINALG_SWEEP_H
#define TVGP__LINALG_SWEEP_H

#include <stddef.h>

enum { TVGP__SWEEP_GROUP = 8 };

typedef struct tvgp__sweep {
    size_t n, rows; /* pivots; rows with those of B, a multiple of 8: what is too many must be 0 */
    double *S;
    double *panel; /* 32 rows; free for the caller between calls */
} tvgp__sweep;

/* How many doubles n pivots and `below` rows of B need; n^2 / 2 + 32 n and some. */
size_t tvgp__sweep_room(size_t n, size_t below);
void tvgp__sweep_open(tvgp__sweep *s, double *memory, size_t n, size_t below);

/* Column j from row j - j % 8 on. The columns of a group are rows - (j - j % 8) apart. */
double *tvgp__sweep_column(const tvgp__sweep *s, size_t j);

/* The whole of it, or (`whole` 0) only minus the Schur complement of what is below. Half of log|M|; NaN when M is not positive
 * definite. */
double tvgp__sweep_run(tvgp__sweep *s, int whole);

#endif

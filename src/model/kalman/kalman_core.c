/* SPDX-License-Identifier: MIT */
/* Covariances of the weights of a Kalman filter, shared between filters until written (model/kalman/kalman_core.h). */
#include "model/kalman/kalman_core.h"

#include "base/numbers/simd_clones.h"
#include "linalg/blas.h"
#include "linalg/chol.h"

#include <string.h>

/* ---- storage ---------------------------------------------------------------------------------------------------- */

static tvgp__kalman_filter_triangle half_of(double *rectangle, size_t r, int upper) {
    return (tvgp__kalman_filter_triangle){.A = upper ? rectangle + r : rectangle, .upper = upper};
}

size_t tvgp__kalman_core_room(size_t r, size_t ones, size_t twos) {
    return (ones + 1) / 2 * r * (r + 1) + twos * (r * (r + 1) + r * r);
}

void tvgp__kalman_core_lay_out(double *storage, size_t r, size_t ones, size_t twos, tvgp__kalman_core *cores) {
    const size_t rectangle = r * (r + 1);
    for (size_t i = 0; i < ones; i++) {
        cores[i].states = 1;
        cores[i].ff = half_of(storage + i / 2 * rectangle, r, i % 2);
    }
    storage += (ones + 1) / 2 * rectangle;
    for (size_t i = ones; i < ones + twos; i++, storage += rectangle + r * r) {
        cores[i].states = 2;
        cores[i].ff = half_of(storage, r, 0);
        cores[i].uu = half_of(storage, r, 1);
        cores[i].uf = storage + rectangle;
    }
}

/* Row i of column j, i >= j, of a triangle stands at i down + j right. */
typedef struct {
    double *A;
    size_t down, right;
} view;

static view view_of(tvgp__kalman_filter_triangle t, size_t r) {
    return t.upper ? (view){t.A, r, 1} : (view){t.A, 1, r};
}

/* The part of column j that is kept: `count` numbers from *first on. */
static double *column_of(tvgp__kalman_filter_triangle t, size_t r, size_t j, size_t *count) {
    *count = t.upper ? j + 1 : r - j;
    return t.A + j * r + (t.upper ? 0 : j);
}

static void clear(tvgp__kalman_filter_triangle t, size_t r, size_t first, size_t end) {
    for (size_t j = first, count; j < end; j++) {
        double *column = column_of(t, r, j, &count);
        memset(column, 0, count * sizeof *column);
    }
}

static void visit(tvgp__kalman_filter_triangle t, size_t r, tvgp__visit *v) {
    for (size_t j = 0, count; j < r && tvgp__visit_fine(v); j++) {
        double *column = column_of(t, r, j, &count);
        tvgp__visit_reals(v, count, column, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    }
}

void tvgp__kalman_core_forget(tvgp__kalman_core *core) {
    memset(core->of, 0, sizeof core->of);
}

void tvgp__kalman_core_visit(tvgp__kalman_core *core, size_t r, tvgp__visit *v) {
    if (tvgp__visit_loads(v))
        tvgp__kalman_core_forget(core);
    visit(core->ff, r, v);
    if (core->states == 1)
        return;
    visit(core->uu, r, v);
    tvgp__visit_reals(v, r * r, core->uf, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

void tvgp__kalman_core_clear_columns(tvgp__kalman_core *core, size_t r, size_t first, size_t end) {
    tvgp__kalman_core_forget(core);
    clear(core->ff, r, first, end);
    if (core->states == 1)
        return;
    clear(core->uu, r, first, end);
    memset(core->uf + first * r, 0, (end - first) * r * sizeof *core->uf);
}

void tvgp__kalman_core_clear(tvgp__kalman_core *core, size_t r) {
    tvgp__kalman_core_clear_columns(core, r, 0, r);
}

/* ---- moving in time --------------------------------------------------------------------------------------------- */

TVGP__SIMD_CLONES
static void scale_column(size_t n, double a, const double *from, double *to) {
    for (size_t i = 0; i < n; i++)
        to[i] = a * from[i];
}

static void scale(tvgp__kalman_filter_triangle from, size_t r, double a, tvgp__kalman_filter_triangle to) {
    const view x = view_of(from, r), y = view_of(to, r);
    for (size_t j = 0, count; from.upper == to.upper && j < r; j++) {
        const double *column = column_of(from, r, j, &count);
        scale_column(count, a, column, column_of(to, r, j, &count));
    }
    for (size_t j = 0; from.upper != to.upper && j < r; j++)
        for (size_t i = j; i < r; i++)
            y.A[i * y.down + j * y.right] = a * x.A[i * x.down + j * x.right];
}

/* The lower triangle in tiles, from rows `i` and columns `j` on: an entry and its transpose then stay in the cache. */
enum { TILE = 8 };

typedef struct {
    size_t r, i, j;
} tile;

static tile first_tile(size_t r) {
    return (tile){r, 0, 0};
}

static int next_tile(tile *t) {
    t->i += TILE;
    if (t->i >= t->r)
        t->i = t->j += TILE;
    return t->i < t->r;
}

static size_t end_of(const tile *t, size_t from) {
    return t->r - from < TILE ? t->r : from + TILE;
}

static size_t top_of(const tile *t, size_t j) {
    return j > t->i ? j : t->i;
}

/* f-part of two states. */
static void project(const tvgp__kalman_core *from, const tile *t, double a, double b, tvgp__kalman_core *to) {
    const view F = view_of(from->ff, t->r), Y = view_of(from->uu, t->r), F1 = view_of(to->ff, t->r);
    const double *X = from->uf;
    const size_t r = t->r, right = end_of(t, t->j), end = end_of(t, t->i);
    for (size_t j = t->j; j < right; j++)
        for (size_t i = top_of(t, j); i < end; i++)
            F1.A[i * F1.down + j * F1.right] = a * a * F.A[i * F.down + j * F.right] +
                                               a * b * (X[j * r + i] + X[i * r + j]) + b * b * Y.A[i * Y.down + j * Y.right];
}

/* Two states from one, of which nothing of u is known. */
static void widen(const tvgp__kalman_core *from, const tile *t, double a, double c, tvgp__kalman_core *to) {
    const view F = view_of(from->ff, t->r), F1 = view_of(to->ff, t->r), Y1 = view_of(to->uu, t->r);
    const size_t r = t->r, right = end_of(t, t->j), end = end_of(t, t->i);
    double *X1 = to->uf;
    for (size_t j = t->j; j < right; j++)
        for (size_t i = top_of(t, j); i < end; i++) {
            const double f = F.A[i * F.down + j * F.right];
            F1.A[i * F1.down + j * F1.right] = a * a * f;
            X1[j * r + i] = X1[i * r + j] = a * c * f;
            Y1.A[i * Y1.down + j * Y1.right] = c * c * f;
        }
}

static void turn(const tvgp__kalman_core *from, const tile *t, const double N[2][2], tvgp__kalman_core *to) {
    const double a = N[0][0], b = N[0][1], c = N[1][0], d = N[1][1];
    const double *F = from->ff.A, *Y = from->uu.A, *X = from->uf; /* both cores: ff below, uu above the diagonal */
    double *F1 = to->ff.A, *Y1 = to->uu.A, *X1 = to->uf;
    const size_t r = t->r, right = end_of(t, t->j), end = end_of(t, t->i);
    for (size_t j = t->j; j < right; j++)
        for (size_t i = top_of(t, j); i < end; i++) {
            const size_t low = j * r + i, high = i * r + j;
            const double f = F[low], y = Y[high], x = X[low], x2 = X[high];
            F1[low] = a * a * f + a * b * (x + x2) + b * b * y;
            X1[low] = a * c * f + b * c * x2 + a * d * x + b * d * y;
            X1[high] = a * c * f + b * c * x + a * d * x2 + b * d * y;
            Y1[high] = c * c * f + c * d * (x + x2) + d * d * y;
        }
}

void tvgp__kalman_core_transform(const tvgp__kalman_core *from, size_t r, const double N[2][2], tvgp__kalman_core *to) {
    tvgp__kalman_core_forget(to);
    if (from->states == 1 && to->states == 1) {
        scale(from->ff, r, N[0][0] * N[0][0], to->ff);
        return;
    }
    tile t = first_tile(r);
    do
        if (to->states == 1)
            project(from, &t, N[0][0], N[0][1], to);
        else if (from->states == 1)
            widen(from, &t, N[0][0], N[1][0], to);
        else
            turn(from, &t, N, to);
    while (next_tile(&t));
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

void tvgp__kalman_core_add(tvgp__kalman_core *core, size_t r, size_t count, const double *U) {
    tvgp__kalman_core_forget(core);
    tvgp__blas_syrk_half(core->ff.upper, r, count, U, 2 * r, core->ff.A, r);
    if (core->states == 1)
        return;
    tvgp__blas_syrk_half(core->uu.upper, r, count, U + r, 2 * r, core->uu.A, r);
    tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__TRANS, r, r, count, 1, U + r, 2 * r, U, 2 * r, 1, core->uf, r);
}

void tvgp__kalman_core_multiply(tvgp__kalman_core *core, size_t r, const double *phi, size_t arm) {
    const size_t slot = arm % core->slots;
    double *z = core->z = core->kept + slot * (core->states == 1 ? r : 4 * r);
    if (core->of[slot] == arm + 1)
        return;
    core->of[slot] = arm + 1;
    tvgp__blas_symv_half(core->ff.upper, r, core->ff.A, r, phi, z);
    if (core->states == 1)
        return;
    tvgp__blas_gemv(TVGP__NO_TRANS, r, r, 1, core->uf, r, phi, 0, z + r);
    tvgp__blas_gemv(TVGP__TRANS, r, r, 1, core->uf, r, phi, 0, z + 2 * r);
    tvgp__blas_symv_half(core->uu.upper, r, core->uu.A, r, phi, z + 3 * r);
}

static void add_triangle(tvgp__kalman_filter_triangle t, size_t r, double share, double *S) {
    const view x = view_of(t, r);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            S[j * r + i] += share * x.A[i * x.down + j * x.right];
}

void tvgp__kalman_core_gather(const tvgp__kalman_core *core, size_t r, double share, const double q[2], double *S) {
    add_triangle(core->ff, r, share * q[0] * q[0], S);
    if (core->states == 1)
        return;
    add_triangle(core->uu, r, share * q[1] * q[1], S);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            S[j * r + i] += share * q[0] * q[1] * (core->uf[j * r + i] + core->uf[i * r + j]);
}

void tvgp__kalman_core_put(tvgp__kalman_core *core, size_t r, size_t state, const double *A) {
    tvgp__kalman_core_forget(core);
    const view to = view_of(state ? core->uu : core->ff, r);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            to.A[i * to.down + j * to.right] = A[j * r + i];
}

/* ---- seasons ---------------------------------------------------------------------------------------------------- */

/* Whichever triangle is kept, block (s, u) or its transpose stands in columns of r; as S is symmetric, half of it gathers in M
 * and S = M + M'. The blocks of the diagonal are triangles with half their diagonal. */
static void fold_block(tvgp__kalman_filter_triangle t, size_t ld, size_t r, size_t s, size_t u, double share, double *M) {
    const size_t row = t.upper ? u : s, column = t.upper ? s : u; /* s >= u */
    for (size_t j = 0; j < r; j++) {
        const double *x = t.A + (column * r + j) * ld + row * r;
        const size_t from = s == u && !t.upper ? j : 0, end = s == u && t.upper ? j + 1 : r;
        tvgp__blas_axpy(end - from, share, x + from, M + j * r + from);
        if (s == u)
            M[j * r + j] -= 0.5 * share * x[j];
    }
}

void tvgp__kalman_core_fold(const tvgp__kalman_core *core, size_t blocks, size_t r, double share, const double *h,
                            double *work, double *S) {
    memset(work, 0, r * r * sizeof *work);
    for (size_t u = 0; u < blocks; u++)
        for (size_t s = u; s < blocks; s++)
            fold_block(core->ff, blocks * r, r, s, u, share * h[s] * h[u], work);
    for (size_t j = 0; j < r; j++)
        for (size_t i = j; i < r; i++)
            S[j * r + i] += work[j * r + i] + work[i * r + j];
}

void tvgp__kalman_core_spread(tvgp__kalman_core *core, size_t blocks, size_t r, const double *h, const double *A) {
    tvgp__kalman_core_forget(core);
    const view to = view_of(core->ff, blocks * r);
    for (size_t u = 0; u < blocks; u++)
        for (size_t s = u; s < blocks; s++)
            for (size_t j = 0; j < r; j++)
                for (size_t i = s == u ? j : 0; i < r; i++)
                    to.A[(s * r + i) * to.down + (u * r + j) * to.right] =
                        (h ? h[s] * h[u] : 1) * (i >= j ? A[j * r + i] : A[i * r + j]);
}

/* ---- a basis that changes --------------------------------------------------------------------------------------- */

static void widen_triangle(tvgp__kalman_filter_triangle from, size_t r, tvgp__kalman_filter_triangle to, size_t r2) {
    for (size_t j = 0, count, more; j < r; j++) {
        const double *column = column_of(from, r, j, &count);
        memcpy(column_of(to, r2, j, &more), column, count * sizeof *column);
    }
}

void tvgp__kalman_core_widen(const tvgp__kalman_core *from, size_t r, tvgp__kalman_core *to, size_t r2) {
    to->users = from->users;
    tvgp__kalman_core_clear(to, r2);
    widen_triangle(from->ff, r, to->ff, r2);
    if (from->states == 1)
        return;
    widen_triangle(from->uu, r, to->uu, r2);
    for (size_t j = 0; j < r; j++)
        memcpy(to->uf + j * r2, from->uf + j * r, r * sizeof *to->uf);
}

static void transpose(size_t n, double *A, size_t ld) {
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++) {
            const double above = A[j * ld + i];
            A[j * ld + i] = A[i * ld + j];
            A[i * ld + j] = above;
        }
}

/* G A G' for the rotations G of a deletion; row and column n - 1 of it, which are what the deletion cut off, are 0. Columns are
 * turned, whole ones at a time: A G', and once more those of its transpose. 12 n^2 flops. */
static void rotate(size_t n, size_t i, const double *c, const double *s, int symmetric, double *A, size_t ld) {
    tvgp__chol_carry(n, i, c, s, n, A, ld);
    transpose(n, A, ld);
    tvgp__chol_carry(n, i, c, s, n, A, ld);
    if (!symmetric)
        transpose(n, A, ld);
    for (size_t k = 0; k < n; k++)
        A[(n - 1) * ld + k] = A[k * ld + n - 1] = 0;
}

static void rotate_triangle(tvgp__kalman_filter_triangle t, size_t r, size_t n, size_t i, const double *c, const double *s,
                            double *A) {
    for (size_t j = 0, count; j < n; j++) {
        const double *column = column_of(t, r, j, &count);
        memcpy(A + j * n + (t.upper ? 0 : j), column, (t.upper ? count : n - j) * sizeof *A);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < j; k++)
            if (t.upper)
                A[k * n + j] = A[j * n + k];
            else
                A[j * n + k] = A[k * n + j];
    rotate(n, i, c, s, 1, A, n);
    for (size_t j = 0, count; j < n; j++) {
        double *column = column_of(t, r, j, &count);
        memcpy(column, A + j * n + (t.upper ? 0 : j), (t.upper ? count : n - j) * sizeof *A);
    }
}

void tvgp__kalman_core_leave(tvgp__kalman_core *core, size_t r, size_t n, size_t i, const double *c, const double *s,
                             double *work) {
    tvgp__kalman_core_forget(core);
    rotate_triangle(core->ff, r, n, i, c, s, work);
    if (core->states == 1)
        return;
    rotate_triangle(core->uu, r, n, i, c, s, work);
    rotate(n, i, c, s, 0, core->uf, r);
}

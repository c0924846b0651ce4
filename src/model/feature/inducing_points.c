/* SPDX-License-Identifier: MIT */
/* Adds and removes inducing points, with W = L^-1 of their Gram matrix (model/feature/inducing_points.h). */
#include "model/feature/inducing_points.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/chol_inverse.h"
#include "model/feature/basis.h"

#include <math.h>
#include <string.h>

enum { SPARE = TVGP__INDUCING_POINTS_SPARE, FIRST = 32, FEW = 64 };
static const double SINGULAR = 1e-10; /* of the prior variance: the least pivot */

void tvgp__inducing_points_init(tvgp__inducing_points *a, tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t limit) {
    *a = (tvgp__inducing_points){.ctx = ctx, .kernel = kernel, .limit = limit, .factor = {.ctx = ctx}};
}

void tvgp__inducing_points_free(tvgp__inducing_points *a) {
    double *blocks[] = {a->W, a->X, a->own, a->turn};
    if (!a->ctx)
        return;
    tvgp__chol_free(&a->factor);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        tvgp__memory_free(a->ctx, blocks[i]);
    tvgp__memory_free(a->ctx, a->visited);
}

void tvgp__inducing_points_clear(tvgp__inducing_points *a) {
    a->factor.n = 0;
}

size_t tvgp__inducing_points_ld(const tvgp__inducing_points *a) {
    return a->slots + SPARE;
}

static tvgp_status grow(tvgp__inducing_points *a, size_t slots) {
    const size_t ld = slots + SPARE, old = tvgp__inducing_points_ld(a);
    double *W = NULL;
    TVGP__TRY(tvgp__chol_reserve(&a->factor, slots));
    TVGP__TRY(tvgp__memory_grow(a->ctx, ld, a->kernel->dim * sizeof *a->X, &a->X));
    TVGP__TRY(tvgp__memory_grow(a->ctx, slots, sizeof *a->own, &a->own));
    TVGP__TRY(tvgp__memory_grow(a->ctx, slots, sizeof *a->visited, &a->visited));
    TVGP__TRY(tvgp__memory_grow(a->ctx, slots, 2 * sizeof *a->turn, &a->turn));
    TVGP__TRY(tvgp__memory_alloc(a->ctx, ld, ld * sizeof *W, &W));
    for (size_t j = 0; j < a->factor.n; j++)
        memcpy(W + j * ld, a->W + j * old, a->factor.n * sizeof *W);
    tvgp__memory_free(a->ctx, a->W);
    a->W = W;
    a->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__inducing_points_reserve(tvgp__inducing_points *a, size_t slots) {
    return slots > a->slots ? grow(a, slots) : TVGP_OK;
}

size_t tvgp__inducing_points_stays(const tvgp__inducing_points *a, size_t n) {
    return a->limit && n > a->limit ? a->limit : n;
}

size_t tvgp__inducing_points_room(const tvgp__inducing_points *a, size_t n) {
    const size_t first = a->limit && a->limit <= FEW ? a->limit : FIRST;
    return tvgp__inducing_points_stays(a, n + n / 4 > first ? n + n / 4 : first);
}

double tvgp__inducing_points_features(const tvgp__inducing_points *a, const double *k, double own, double *b) {
    size_t n = a->factor.n;
    memmove(b, k, n * sizeof *b);
    tvgp__chol_solve(&a->factor, TVGP__NO_TRANS, 1, b, n);
    return fmax(own - tvgp__blas_dot(n, b, b), 0);
}

static int has_many(const tvgp__inducing_points *a) {
    return a->many && a->factor.n >= a->many;
}

static double least_pivot(double own) {
    return SINGULAR * fmax(own, TVGP__VALID_RANGE_LEAST);
}

int tvgp__inducing_points_takes(const tvgp__inducing_points *a, double rest, double own) {
    const double size = fmax(own, TVGP__VALID_RANGE_LEAST), leaves = fmax(least_pivot(own), fmin(a->leaves, 1e-3 * size));
    return rest > (has_many(a) ? fmax(leaves, tvgp__basis_coarse(size)) : leaves);
}

int tvgp__inducing_points_refines(const tvgp__inducing_points *a, double rest, double own, double innovation, double noise,
                                  double var) {
    if (!(a->share > 0) || has_many(a) || noise < 2 * least_pivot(own))
        return 0;
    const double misfit = tvgp__valid_range_misfit(innovation, var + noise + rest);
    const double expected = a->factor.n < FEW ? sqrt(own / noise) : 1;
    return rest * fmax(fmax(misfit, expected), 1) > a->share * var;
}

double tvgp__inducing_points_join(tvgp__inducing_points *a, const double *x, double own, double rest, double *b) {
    const size_t n = a->factor.n, dim = a->kernel->dim;
    const double pivot = fmax(rest, least_pivot(own)), root = sqrt(pivot);
    double *row = a->turn; /* rotations are not wanted any more */
    tvgp__chol_push(&a->factor, b, root);
    memcpy(row, b, n * sizeof *row);
    tvgp__chol_inverse_border(a->W, tvgp__inducing_points_ld(a), n, row, 1, root);
    memcpy(a->X + n * dim, x, dim * sizeof *x);
    a->own[n] = own;
    a->visited[n] = ++a->visits;
    b[n] = root;
    return pivot - rest;
}

void tvgp__inducing_points_pass(tvgp__inducing_points *a, const double *k) {
    size_t best = 0;
    double most = -1;
    for (size_t i = 0; i < a->factor.n; i++)
        if (k[i] / sqrt(a->own[i]) > most) {
            most = k[i] / sqrt(a->own[i]);
            best = i;
        }
    if (a->factor.n)
        a->visited[best] = ++a->visits;
}

size_t tvgp__inducing_points_oldest(const tvgp__inducing_points *a) {
    size_t best = 0;
    for (size_t i = 1; i < a->factor.n; i++)
        if (a->visited[i] < a->visited[best])
            best = i;
    return best;
}

static void shift(void *array, size_t size, size_t n, size_t i) {
    char *at = (char *)array + i * size;
    memmove(at, at + size, (n - 1 - i) * size);
}

void tvgp__inducing_points_leave(tvgp__inducing_points *a, size_t i) {
    const size_t n = a->factor.n;
    tvgp__chol_delete(&a->factor, i, a->turn, a->turn + a->slots);
    tvgp__chol_inverse_delete(a->W, tvgp__inducing_points_ld(a), n, i, a->turn, a->turn + a->slots);
    shift(a->X, a->kernel->dim * sizeof *a->X, n, i);
    shift(a->own, sizeof *a->own, n, i);
    shift(a->visited, sizeof *a->visited, n, i);
    a->left++;
}

void tvgp__inducing_points_visit(tvgp__inducing_points *a, tvgp__visit *v) {
    size_t n = a->factor.n;
    tvgp__visit_tally_size(v, &a->visits);
    tvgp__visit_tally_size(v, &a->left);
    tvgp__chol_visit(&a->factor, a->limit ? a->limit : INT32_MAX, v);
    if (tvgp__visit_loads(v)) {
        n = a->factor.n;
        a->factor.n = 0; /* L stands where it is, and nothing else is kept */
        if (tvgp__visit_try(v, tvgp__inducing_points_reserve(a, n)))
            a->factor.n = n;
    }
    if (!tvgp__visit_fine(v))
        return;
    tvgp__visit_triangle(v, n, a->W, tvgp__inducing_points_ld(a));
    tvgp__visit_reals(v, n * a->kernel->dim, a->X, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_reals(v, n, a->own, TVGP__VALID_RANGE_LEAST * 1e-10, TVGP__VALID_RANGE_MOST);
    for (size_t i = 0; tvgp__visit_fine(v) && i < n; i++)
        tvgp__visit_tally_size(v, &a->visited[i]);
    for (size_t i = 0; tvgp__visit_loads(v) && i < n; i++)
        if (!(a->W[i * (tvgp__inducing_points_ld(a) + 1)] > 0))
            tvgp__visit_refuse(v, "a pivot is not positive");
}

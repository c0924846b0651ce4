/* SPDX-License-Identifier: MIT */
/* k-DPP over n distinct points (choose/dpp.h). */
#include "choose/dpp.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/inverse.h"
#include "linalg/pivoted.h"
#include "space/domain/arms.h"

#include <math.h>
#include <string.h>

/* Relative to the largest variance: */
static const double rank_tolerance = 1e-12;  /* Schur complements up to this count as 0 */
static const double well_conditioned = 1e-5; /* the least that a member has given the others, where the inverse serves */
enum {
    REFRESH_INVERSE = 16,
    REFRESH_FACTOR = 4
}; /* refresh after this many times k accepted swaps; with the factor, a return to the inverse is tried */

/* ---- start ------------------------------------------------------------------------------------------------------ */

static tvgp_status gram_column(const void *user, size_t index, double *out) {
    const tvgp__dpp *d = user;
    return tvgp__kernel_block(d->kernel, 1, d->X + index * d->kernel->dim, d->n, d->X, out, d->n);
}

static tvgp_status greedy(tvgp__dpp *d, size_t wanted) {
    double *residual = d->Phi + d->n * wanted;
    d->largest = 0;
    TVGP__TRY(tvgp__kernel_diag(d->kernel, d->n, d->X, residual));
    for (size_t i = 0; i < d->n; i++)
        d->largest = fmax(d->largest, residual[i]);
    d->tolerance = rank_tolerance * d->largest;
    d->k = 0;
    TVGP__TRY(tvgp__pivoted_factor(NULL, d->n, gram_column, d, d->tolerance, wanted, residual, d->Phi, d->member, d->small,
                                   &d->k));
    d->outside = d->k == wanted ? d->n - d->k : 0;
    return TVGP_OK;
}

/* Puts row r, whose member is new, at its place among the first `sorted` entries of order. */
static void insert_row(tvgp__dpp *d, size_t sorted, size_t r) {
    size_t at = sorted;
    for (; at && d->member[d->order[at - 1]] > d->member[r]; at--)
        d->order[at] = d->order[at - 1];
    d->order[at] = r;
}

static tvgp_status reserve(tvgp__dpp *d, size_t n, size_t k) {
    tvgp_ctx *ctx = d->factor.ctx;
    size_t dim = d->kernel->dim, slots = d->slots, stride = tvgp__inverse_stride(k);
    if (n > SIZE_MAX / sizeof *d->Phi / (k + 1))
        return tvgp__error_set(ctx, TVGP_ERR_NOMEM, "out of memory: %zu x %zu numbers", n, k + 1);
    TVGP__TRY(tvgp__memory_reserve(ctx, tvgp__memory_product(n, k + 1), sizeof *d->Phi, &d->Phi, &d->cells));
    TVGP__TRY(tvgp__chol_reserve(&d->factor, k));
    TVGP__TRY(
        tvgp__memory_reserve(ctx, tvgp__memory_product(stride + 4, stride), sizeof *d->small, &d->small, &d->small_cells));
    TVGP__TRY(tvgp__memory_reserve(ctx, k, 2 * sizeof *d->member, &d->member, &slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, k, dim * sizeof *d->Z, &d->Z, &d->slots));
    d->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__dpp_start(tvgp__dpp *d, size_t n, const double *X, size_t k) {
    size_t dim = d->kernel->dim;
    d->k = d->factor.n = d->outside = 0;
    if (!k) /* no points to choose from */
        return TVGP_OK;
    TVGP__TRY(reserve(d, n, k));
    d->n = n;
    d->X = X;
    d->order = d->member + d->slots;
    d->inverse = tvgp__inverse_align(d->small);
    TVGP__TRY(greedy(d, k));
    d->stride = tvgp__inverse_stride(d->k);
    d->work = d->inverse + d->stride * d->stride;
    for (size_t r = 0; r < d->k; r++) {
        memcpy(d->Z + r * dim, X + d->member[r] * dim, dim * sizeof *d->Z);
        insert_row(d, r, r);
    }
    d->kept = TVGP__DPP_NONE;
    return TVGP_OK;
}

void tvgp__dpp_free(tvgp__dpp *d) {
    if (!d->factor.ctx)
        return;
    tvgp__memory_free(d->factor.ctx, d->member);
    tvgp__memory_free(d->factor.ctx, d->Z);
    tvgp__memory_free(d->factor.ctx, d->Phi);
    tvgp__memory_free(d->factor.ctx, d->small);
    tvgp__chol_free(&d->factor);
}

/* ---- swaps ------------------------------------------------------------------------------------------------------ */

/* The inverse serves while no entry of its diagonal, the reciprocal of a member's Schur complement, is too large. */
static int trusted(const tvgp__dpp *d, double diagonal) {
    return diagonal * well_conditioned * d->largest <= 1;
}

/* The factor from K_Z itself, row by row (it exists, since every Schur complement was above the tolerance), and the inverse
 * from the factor when it can be trusted. */
static tvgp_status refresh(tvgp__dpp *d) {
    const tvgp_kernel *kernel = d->kernel;
    double *w = d->work, variance;
    for (d->factor.n = 0; d->factor.n < d->k;) {
        const double *x = d->Z + d->factor.n * kernel->dim;
        TVGP__TRY(tvgp__kernel_diag(kernel, 1, x, &variance));
        TVGP__TRY(tvgp__kernel_block(kernel, 1, x, d->factor.n, d->Z, w, d->k));
        tvgp__chol_solve(&d->factor, TVGP__NO_TRANS, 1, w, d->k);
        double square = variance - tvgp__blas_dot(d->factor.n, w, w);
        tvgp__chol_push(&d->factor, w, sqrt(fmax(square, 0.5 * d->tolerance)));
    }
    d->since_refresh = 0;
    d->kept = trusted(d, tvgp__inverse_take(&d->factor, d->inverse)) ? TVGP__DPP_INVERSE : TVGP__DPP_FACTOR;
    d->refreshes++;
    return TVGP_OK;
}

/* The two Schur complements: own of the member of row r given the other members, and that of the point x given the same. What
 * a replacement needs stays in the workspace: b = G k, or w = L^-1 k and m = L^-1 e_r. */
static tvgp_status weigh(const tvgp__dpp *d, size_t r, const double *x, double *own, double *given) {
    const tvgp_kernel *kernel = d->kernel;
    size_t k = d->k;
    double *w = d->work, *other = w + d->stride, variance;
    TVGP__TRY(tvgp__kernel_diag(kernel, 1, x, &variance));
    TVGP__TRY(tvgp__kernel_block(kernel, 1, x, k, d->Z, w, k));
    if (d->kept == TVGP__DPP_INVERSE) {
        tvgp__inverse_apply(k, d->inverse, w, other);
        *own = 1 / d->inverse[r * (d->stride + 1)];
        *given = variance - tvgp__blas_dot(k, w, other) + other[r] * other[r] * *own;
        return TVGP_OK;
    }
    tvgp__chol_solve_pair(&d->factor, w, r, other);
    double shared = tvgp__blas_dot(k - r, other + r, w + r);
    *own = 1 / tvgp__blas_dot(k - r, other + r, other + r);
    *given = variance - tvgp__blas_dot(k, w, w) + shared * shared * *own;
    return TVGP_OK;
}

/* Row r leaves the factor, the rows after it move up, and the new one comes last. */
static void replace_in_factor(tvgp__dpp *d, size_t r, double given) {
    size_t k = d->k, dim = d->kernel->dim;
    double *w = d->work, *c = w + d->stride, *s = c + d->stride;
    tvgp__chol_delete(&d->factor, r, c, s);
    tvgp__chol_carry(k, r, c, s, 1, w, 1);
    tvgp__chol_push(&d->factor, w, sqrt(given));
    for (size_t i = 0; i + 1 < k; i++)
        d->order[i] -= d->order[i] > r;
    memmove(d->member + r, d->member + r + 1, (k - r - 1) * sizeof *d->member);
    memmove(d->Z + r * dim, d->Z + (r + 1) * dim, (k - r - 1) * dim * sizeof *d->Z);
}

/* The rank-th point that is not a member: rank plus the members that come before it. */
static size_t outsider(const tvgp__dpp *d, size_t rank) {
    size_t low = 0;
    for (size_t length = d->k; length;) { /* without branches that cannot be predicted */
        size_t half = length / 2, middle = low + half;
        int before = d->member[d->order[middle]] - middle <= rank;
        low = before ? middle + 1 : low;
        length = before ? length - half - 1 : half;
    }
    return rank + low;
}

tvgp_status tvgp__dpp_swap(tvgp__dpp *d, double u0, double u1, double u2) {
    if (u2 >= 0.5)
        return TVGP_OK;
    if (d->kept == TVGP__DPP_NONE)
        TVGP__TRY(refresh(d));
    size_t k = d->k, dim = d->kernel->dim, at = (size_t)(u0 * (double)k), r = d->order[at];
    size_t point = outsider(d, (size_t)(u1 * (double)d->outside));
    const double *x = d->X + point * dim;
    double own, given;
    TVGP__TRY(weigh(d, r, x, &own, &given));
    if (given <= d->tolerance || u2 * own >= 0.5 * given)
        return TVGP_OK;
    int inverse = d->kept == TVGP__DPP_INVERSE, every = inverse ? REFRESH_INVERSE : REFRESH_FACTOR, good = 1;
    memmove(d->order + at, d->order + at + 1, (k - at - 1) * sizeof *d->order);
    if (inverse) {
        double *b = d->work + d->stride, *g = b + d->stride;
        good = trusted(d, tvgp__inverse_replace(k, d->inverse, r, given, b, g));
    } else {
        replace_in_factor(d, r, given);
        r = k - 1;
    }
    d->member[r] = point;
    memcpy(d->Z + r * dim, x, dim * sizeof *x);
    insert_row(d, k - 1, r);
    d->accepted++;
    return !good || ++d->since_refresh >= every * (int64_t)k ? refresh(d) : TVGP_OK;
}

tvgp_status tvgp__dpp_run(tvgp__dpp *d, int64_t steps, tvgp__random_stream *stream) {
    if (!d->outside || !d->k)
        return TVGP_OK;
    for (int64_t step = 0; step < steps; step++) {
        if (step % 64 == 0)
            TVGP__TRY(tvgp__error_interrupted(d->factor.ctx));
        double u2 = tvgp__random_stream_uniform(stream);
        if (u2 >= 0.5)
            continue;
        double u0 = tvgp__random_stream_uniform(stream), u1 = tvgp__random_stream_uniform(stream);
        TVGP__TRY(tvgp__dpp_swap(d, u0, u1, u2));
    }
    return TVGP_OK;
}

/* ---- one draw --------------------------------------------------------------------------------------------------- */

/* Writes the indices of the distinct points and their coordinates; returns the number of them. */
static size_t distinct_points(const tvgp_domain *points, size_t *first, double *X) {
    size_t n = 0, dim = points->dim;
    for (size_t i = 0; i < points->n; i++) {
        const double *x = points->X + i * dim;
        if (points->ops->locate((tvgp_domain *)points, x) != (int64_t)i)
            continue;
        memcpy(X + n * dim, x, dim * sizeof *X);
        first[n++] = i;
    }
    return n;
}

tvgp_status tvgp__dpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k, int64_t steps,
                             tvgp__random_stream *stream, size_t *index, size_t *n_index) {
    tvgp_domain *points = NULL;
    tvgp__dpp d = {.factor = {.ctx = ctx}, .kernel = kernel};
    size_t *first = NULL;
    double *distinct = NULL;
    TVGP__TRY(tvgp__arms_new(ctx, n, kernel->dim, X, &points));
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *first, &first);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, n, kernel->dim * sizeof *distinct, &distinct);
    if (status == TVGP_OK) {
        size_t found = distinct_points(points, first, distinct);
        status = tvgp__dpp_start(&d, found, distinct, k < found ? k : found);
    }
    if (status == TVGP_OK)
        status = tvgp__dpp_run(&d, steps, stream);
    if (status == TVGP_OK) {
        for (size_t s = 0; s < d.k; s++)
            index[s] = first[d.member[s]];
        *n_index = d.k;
    }
    tvgp__dpp_free(&d);
    tvgp__memory_free(ctx, distinct);
    tvgp__memory_free(ctx, first);
    tvgp__domain_release(points);
    return status;
}

#include "dpp/kdpp.h"

#include "base/error.h"
#include "base/memory.h"
#include "domain/domain.h"
#include "linalg/blas.h"
#include "linalg/pivoted.h"

#include <math.h>
#include <string.h>

static const double rank_tolerance = 1e-12; /* of the largest variance */

/* ---- start ------------------------------------------------------------------------------------------------------ */

static void gram_column(const void *user, size_t index, double *out) {
    const tvgp__kdpp *d = user;
    d->kernel->ops->block(d->kernel, 1, d->X + index * d->kernel->dim, d->n, d->X, out, d->n);
}

static void greedy(tvgp__kdpp *d, size_t wanted) {
    double *residual = d->Phi + d->n * wanted, largest = 0;
    d->kernel->ops->diag(d->kernel, d->n, d->X, residual);
    for (size_t i = 0; i < d->n; i++)
        largest = fmax(largest, residual[i]);
    d->tolerance = rank_tolerance * largest;
    d->k = tvgp__pivoted_factor(d->n, gram_column, d, d->tolerance, wanted, residual, d->Phi, d->member);
    d->outside = d->k == wanted ? d->n - d->k : 0;
}

/* Puts row r, whose member is new, at its place among the first `sorted` entries of order. */
static void insert_row(tvgp__kdpp *d, size_t sorted, size_t r) {
    size_t at = sorted;
    for (; at && d->member[d->order[at - 1]] > d->member[r]; at--)
        d->order[at] = d->order[at - 1];
    d->order[at] = r;
}

/* The factor from K_Z itself, row by row: it exists, since every Schur complement was above the tolerance. */
static void refresh(tvgp__kdpp *d) {
    const tvgp_kernel *kernel = d->kernel;
    double *w = d->work, *unused = w + d->k, variance;
    d->refreshes++;
    for (d->factor.n = 0; d->factor.n < d->k;) {
        const double *x = d->Z + d->factor.n * kernel->dim;
        kernel->ops->diag(kernel, 1, x, &variance);
        kernel->ops->block(kernel, 1, x, d->factor.n, d->Z, w, d->k);
        tvgp__chol_solve_pair(&d->factor, w, d->k, unused);
        double square = variance - tvgp__blas_dot(d->factor.n, w, w);
        tvgp__chol_push(&d->factor, w, sqrt(fmax(square, 0.5 * d->tolerance)));
    }
}

static tvgp_status reserve(tvgp__kdpp *d, size_t n, size_t k) {
    tvgp_ctx *ctx = d->factor.ctx;
    size_t dim = d->kernel->dim, slots = d->slots;
    TVGP__TRY(tvgp__blas_check(ctx, "n", n));
    if (n > SIZE_MAX / sizeof *d->Phi / (k + 1))
        return tvgp__error_set(ctx, TVGP_ERR_NOMEM, "out of memory: %zu x %zu numbers", n, k + 1);
    TVGP__TRY(tvgp__memory_reserve(ctx, n * (k + 1), sizeof *d->Phi, &d->Phi, &d->cells));
    TVGP__TRY(tvgp__chol_reserve(&d->factor, k));
    TVGP__TRY(tvgp__memory_reserve(ctx, k, 2 * sizeof *d->member, &d->member, &slots));
    TVGP__TRY(tvgp__memory_reserve(ctx, k, (dim + 4) * sizeof *d->Z, &d->Z, &d->slots));
    d->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__kdpp_start(tvgp__kdpp *d, size_t n, const double *X, size_t k) {
    size_t dim = d->kernel->dim;
    d->k = d->factor.n = d->outside = 0;
    TVGP__TRY(reserve(d, n, k));
    d->n = n;
    d->X = X;
    d->order = d->member + d->slots;
    d->work = d->Z + d->slots * dim;
    greedy(d, k);
    for (size_t r = 0; r < d->k; r++) {
        memcpy(d->Z + r * dim, X + d->member[r] * dim, dim * sizeof *d->Z);
        insert_row(d, r, r);
    }
    refresh(d);
    return TVGP_OK;
}

void tvgp__kdpp_free(tvgp__kdpp *d) {
    if (!d->factor.ctx)
        return;
    tvgp__memory_free(d->factor.ctx, d->member);
    tvgp__memory_free(d->factor.ctx, d->Z);
    tvgp__memory_free(d->factor.ctx, d->Phi);
    tvgp__chol_free(&d->factor);
}

/* ---- swaps ------------------------------------------------------------------------------------------------------ */

/* The rank-th point that is not a member: rank plus the members that come before it. */
static size_t outsider(const tvgp__kdpp *d, size_t rank) {
    size_t low = 0, high = d->k;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->member[d->order[middle]] - middle <= rank)
            low = middle + 1;
        else
            high = middle;
    }
    return rank + low;
}

/* Row r leaves and the point comes in as the last; w = L^-1 K_Z,point. */
static void replace(tvgp__kdpp *d, size_t at, size_t point, double variance, double *w, double *rotations) {
    size_t k = d->k, dim = d->kernel->dim, r = d->order[at];
    double *c = rotations, *s = c + k;
    tvgp__chol_delete(&d->factor, r, c, s);
    tvgp__chol_carry(k, r, c, s, 1, w, 1);
    tvgp__chol_push(&d->factor, w, sqrt(fmax(variance - tvgp__blas_dot(k - 1, w, w), 0.5 * d->tolerance)));
    memmove(d->order + at, d->order + at + 1, (k - at - 1) * sizeof *d->order);
    for (size_t i = 0; i + 1 < k; i++)
        d->order[i] -= d->order[i] > r;
    memmove(d->member + r, d->member + r + 1, (k - r - 1) * sizeof *d->member);
    memmove(d->Z + r * dim, d->Z + (r + 1) * dim, (k - r - 1) * dim * sizeof *d->Z);
    d->member[k - 1] = point;
    memcpy(d->Z + (k - 1) * dim, d->X + point * dim, dim * sizeof *d->Z);
    insert_row(d, k - 1, k - 1);
    d->accepted++;
    if (d->accepted % (TVGP__KDPP_REFRESH * (int64_t)k) == 0)
        refresh(d);
}

int tvgp__kdpp_swap(tvgp__kdpp *d, double u0, double u1, double u2) {
    if (u2 >= 0.5)
        return 0;
    const tvgp_kernel *kernel = d->kernel;
    size_t k = d->k, at = (size_t)(u0 * (double)k), point = outsider(d, (size_t)(u1 * (double)d->outside));
    const double *x = d->X + point * kernel->dim;
    double *w = d->work, *m = w + k, variance;
    kernel->ops->diag(kernel, 1, x, &variance);
    kernel->ops->block(kernel, 1, x, k, d->Z, w, k);
    tvgp__chol_solve_pair(&d->factor, w, d->order[at], m);
    double own = 0, shared = 0, known = 0;
    for (size_t i = 0; i < k; i++) {
        own += m[i] * m[i];
        shared += m[i] * w[i];
        known += w[i] * w[i];
    }
    double schur = variance - known + shared * shared / own;
    if (schur <= d->tolerance || u2 >= 0.5 * own * schur)
        return 0;
    replace(d, at, point, variance, w, m);
    return 1;
}

void tvgp__kdpp_run(tvgp__kdpp *d, int64_t steps, tvgp__random *stream) {
    if (!d->outside || !d->k)
        return;
    for (int64_t step = 0; step < steps; step++) {
        double u2 = tvgp__random_uniform(stream);
        if (u2 >= 0.5)
            continue;
        double u0 = tvgp__random_uniform(stream), u1 = tvgp__random_uniform(stream);
        tvgp__kdpp_swap(d, u0, u1, u2);
    }
}

/* ---- one draw --------------------------------------------------------------------------------------------------- */

/* Indices of the points that are nobody's repetition, and their coordinates; the number of them. */
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

tvgp_status tvgp__kdpp_sample(tvgp_ctx *ctx, const tvgp_kernel *kernel, size_t n, const double *X, size_t k, int64_t steps,
                              tvgp__random *stream, size_t *index, size_t *n_index) {
    tvgp_domain *points = NULL;
    tvgp__kdpp d = {.factor = {.ctx = ctx}, .kernel = kernel};
    size_t *first = NULL;
    double *distinct = NULL;
    TVGP__TRY(tvgp__arms_new(ctx, n, kernel->dim, X, &points));
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *first, &first);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, n, kernel->dim * sizeof *distinct, &distinct);
    if (status == TVGP_OK) {
        size_t found = distinct_points(points, first, distinct);
        status = tvgp__kdpp_start(&d, found, distinct, k < found ? k : found);
    }
    if (status == TVGP_OK) {
        tvgp__kdpp_run(&d, steps, stream);
        for (size_t s = 0; s < d.k; s++)
            index[s] = first[d.member[s]];
        *n_index = d.k;
    }
    tvgp__kdpp_free(&d);
    tvgp__memory_free(ctx, distinct);
    tvgp__memory_free(ctx, first);
    tvgp__domain_release(points);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* Finds pivots and features Phi with K = Phi Phi' to a tolerance by pivoted Cholesky (model/feature/basis.h). */
#include "model/feature/basis.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/pivoted.h"

#include <math.h>
#include <string.h>

/* Pivots at which a search may first be given up, and then at each power of two; features that are moved, not copied. */
enum { FIRST_LOOK = 32, LARGE = 1 << 15 };

static tvgp_status gram_column(const void *user, size_t index, double *out) {
    const tvgp__basis_search *s = user;
    tvgp__shard *shard = s->basis.shard;
    tvgp__shard_meet(shard, s->X, index);
    TVGP__TRY(tvgp__error_interrupted(s->basis.ctx));
    for (size_t k = 0; k < s->n_kernels; k++) {
        const tvgp_kernel *kernel = s->kernels[k];
        double *column = k ? s->residual + s->basis.n : out;
        TVGP__TRY(tvgp__kernel_block(kernel, 1, tvgp__shard_point(shard, s->X, kernel->dim, index), s->basis.n, s->X, column,
                                     s->basis.n));
        if (k)
            tvgp__blas_axpy(s->basis.n, 1, column, out);
    }
    return TVGP_OK;
}

static tvgp_status gram_diagonal(const tvgp__basis_search *s, double *work, double *out) {
    for (size_t k = 0; k < s->n_kernels; k++) {
        double *diagonal = k ? work : out;
        TVGP__TRY(tvgp__kernel_diag(s->kernels[k], s->basis.n, s->X, diagonal));
        if (k)
            tvgp__blas_axpy(s->basis.n, 1, diagonal, out);
    }
    return TVGP_OK;
}

double tvgp__basis_tolerance(double largest, double noise) {
    return largest * fmax(1e-15, 1e-13 * fmin(1, noise / (0.01 * largest)));
}

double tvgp__basis_leaves(const tvgp__basis_rule *rule, size_t kernels, double largest, double noise) {
    const double off = fmin(rule->tolerance * noise, 1e-3 * largest);
    return fmax(tvgp__basis_tolerance(largest, noise), kernels > 1 ? off / largest * off / 4 : off);
}

double tvgp__basis_coarse(double largest) {
    return 1e-2 * largest;
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

tvgp__basis_search tvgp__basis_search_of(tvgp_ctx *ctx, size_t n_kernels, const tvgp_kernel *const *kernels, size_t n,
                                         const double *X, double tolerance) {
    return (tvgp__basis_search){
        .basis = {.ctx = ctx, .n = n}, .n_kernels = n_kernels, .kernels = kernels, .X = X, .tolerance = tolerance};
}

static tvgp_status begin(tvgp__basis_search *s) {
    tvgp_ctx *ctx = s->basis.ctx;
    TVGP__TRY(tvgp__memory_alloc(ctx, s->basis.n, 2 * sizeof *s->residual, &s->residual));
    return gram_diagonal(s, s->residual + s->basis.n, s->residual);
}

/* A quarter more than there shall be in the end; twice what there was, as long as nothing is known of that. Up to the limit
 * no more than that: mostly the search ends there. */
static size_t enough(const tvgp__basis_search *s, size_t rank) {
    const size_t n = tvgp__shard_total(s->basis.shard, s->basis.n), least = s->slots + s->slots / (s->outlook > 0 ? 4 : 1);
    const size_t most = s->limit && rank <= s->limit && s->limit < n ? s->limit : n;
    const double wanted = fmin((double)most, fmax((double)(least ? least : s->usual), 1.25 * s->outlook));
    return rank > (size_t)wanted ? rank : (size_t)wanted;
}

static tvgp_status room(tvgp__basis_search *s, size_t rank) {
    tvgp_ctx *ctx = s->basis.ctx;
    if (rank <= s->slots)
        return TVGP_OK;
    rank = enough(s, rank);
    TVGP__TRY(tvgp__memory_grow(ctx, rank, sizeof *s->basis.pivot, &s->basis.pivot));
    TVGP__TRY(tvgp__memory_stretch(ctx, rank, s->basis.n * sizeof *s->basis.Phi, s->basis.r, &s->basis.Phi));
    TVGP__TRY(tvgp__memory_grow(ctx, rank, sizeof *s->work, &s->work));
    s->slots = rank;
    return TVGP_OK;
}

static double largest(const tvgp__basis_search *s) {
    double most = 0;
    for (size_t i = 0; i < s->basis.n; i++)
        most = fmax(most, s->residual[i]);
    return tvgp__shard_largest(s->basis.shard, most);
}

/* Whatever a rank can fail at alone. */
static tvgp_status ready(tvgp__basis_search *s, size_t max_rank) {
    if (!s->residual)
        TVGP__TRY(begin(s));
    TVGP__TRY(room(s, max_rank));
    return tvgp__shard_room(s->basis.shard, max_rank - s->basis.r + 1); /* one is for the next query's arm */
}

static tvgp_status advance(tvgp__basis_search *s, size_t max_rank) {
    tvgp__basis *b = &s->basis;
    TVGP__TRY(tvgp__shard_agree(b->shard, ready(s, max_rank)));
    if (!b->r)
        s->tolerance = tvgp__shard_largest(b->shard, s->tolerance); /* that of the largest variance of all */
    return tvgp__pivoted_factor(b->shard, b->n, gram_column, s, s->tolerance, max_rank, s->residual, b->Phi, b->pivot,
                                s->work, &b->r);
}

/* With the largest residual now, at a power of two of pivots, and at the one before. */
static double outlook(const tvgp__basis_search *s, double most) {
    double rank = (double)s->basis.r, rate = log(s->half / most) / (rank / 2);
    return s->half > 0 ? rank + log(most / s->tolerance) / rate : 0;
}

/* To the next power of two or max_rank, whichever is less. */
static tvgp_status stretch(tvgp__basis_search *s, size_t max_rank) {
    size_t stop = FIRST_LOOK;
    while (stop <= s->basis.r)
        stop *= 2;
    if (s->limit > s->basis.r && s->limit < max_rank)
        max_rank = s->limit;
    TVGP__TRY(advance(s, stop < max_rank ? stop : max_rank));
    double most = largest(s);
    if (s->limit && s->basis.r >= s->limit)
        s->tolerance = fmax(s->tolerance, s->coarse);
    s->complete = !(most > s->tolerance);
    if (s->complete || s->basis.r < stop)
        return TVGP_OK;
    s->outlook = outlook(s, most);
    s->half = most;
    return TVGP_OK;
}

tvgp_status tvgp__basis_search_on(tvgp__basis_search *s, size_t max_rank) {
    size_t n = tvgp__shard_total(s->basis.shard, s->basis.n);
    max_rank = max_rank < n ? max_rank : n;
    while (!s->complete && (!s->residual || s->basis.r < max_rank)) {
        tvgp_status status = stretch(s, max_rank);
        if (status < 0) {
            tvgp__basis_search_end(s); /* what the kernel could not say must not stay */
            return status;
        }
    }
    return TVGP_OK;
}

void tvgp__basis_search_end(tvgp__basis_search *s) {
    tvgp__memory_free(s->basis.ctx, s->residual);
    tvgp__memory_free(s->basis.ctx, s->work);
    tvgp__basis_free(&s->basis);
    s->residual = s->work = NULL;
    s->slots = 0;
    s->half = s->outlook = 0;
    s->complete = 0;
}

/* ---- the whole matrix ------------------------------------------------------------------------------------------- */

static tvgp_status gram(const tvgp__basis_search *s, double *K) {
    for (size_t i = 0; i < s->basis.n; i++)
        TVGP__TRY(gram_column(s, i, K + i * s->basis.n));
    return TVGP_OK;
}

/* Of r pivots in K, the roots of falling residual variances, how many the limit asks for. */
static size_t needed(const tvgp__basis_search *s, size_t r, const double *K) {
    const size_t n = s->basis.n;
    while (r > s->limit && !(K[(r - 1) * (n + 1)] * K[(r - 1) * (n + 1)] > s->coarse))
        r--;
    return r;
}

static tvgp_status factorise(tvgp__basis_search *s, double *K, double *work, int32_t *pivot) {
    tvgp__basis *b = &s->basis;
    size_t n = b->n, r;
    TVGP__TRY(gram(s, K));
    r = tvgp__blas_pstrf(n, K, n, s->tolerance, pivot, work);
    if (s->limit)
        r = needed(s, r, K);
    TVGP__TRY(room(s, r));
    for (size_t j = 0; j < r; j++) {
        memset(b->Phi + j * n, 0, n * sizeof *b->Phi);
        for (size_t i = j; i < n; i++)
            b->Phi[j * n + (size_t)pivot[i]] = K[j * n + i];
        b->pivot[j] = (size_t)pivot[j];
    }
    b->r = r;
    s->complete = 1;
    return TVGP_OK;
}

tvgp_status tvgp__basis_search_whole(tvgp__basis_search *s) {
    tvgp_ctx *ctx = s->basis.ctx;
    double *K = NULL;
    int32_t *pivot = NULL;
    size_t n = s->basis.n;
    TVGP__TRY(tvgp__memory_alloc(ctx, n + 2, n * sizeof *K, &K));
    tvgp_status status = tvgp__memory_alloc(ctx, n, sizeof *pivot, &pivot);
    if (status == TVGP_OK)
        status = factorise(s, K, K + n * n, pivot);
    tvgp__memory_free(ctx, pivot);
    tvgp__memory_free(ctx, K);
    return status;
}

/* ---- sharing ---------------------------------------------------------------------------------------------------- */

/* The arrays of a basis, in a list of the context. Policies with one domain, kernel and tolerance find the same pivots
 * and features and share them. Equality is tested on the numbers, so no object must outlive another. */
typedef struct tvgp__basis_block {
    struct tvgp__basis_block *next, **link; /* link: what points here */
    size_t references;
    tvgp__basis basis;
} tvgp__basis_block;

static int same(const tvgp__basis *b, const tvgp__basis *other) {
    return b->n == other->n && b->r == other->r && !memcmp(b->pivot, other->pivot, b->r * sizeof *b->pivot) &&
           !memcmp(b->Phi, other->Phi, b->n * b->r * sizeof *b->Phi);
}

static tvgp__basis_block *find(const tvgp__basis *b) {
    tvgp__basis_block *block = b->ctx->bases;
    while (block && !same(b, &block->basis))
        block = block->next;
    return block;
}

/* The block takes over the arrays of b, whose hold it is. NOMEM. */
static tvgp_status publish(tvgp__basis *b) {
    tvgp__basis_block *block = NULL, *first = b->ctx->bases;
    TVGP__TRY(tvgp__memory_alloc(b->ctx, 1, sizeof *block, &block));
    *block = (tvgp__basis_block){.next = first, .references = 1, .basis = *b};
    if (first)
        first->link = &block->next;
    b->ctx->bases = block;
    b->block = block;
    return TVGP_OK;
}

static void withdraw(tvgp__basis_block *block) {
    tvgp_ctx *ctx = block->basis.ctx;
    if (block->link)
        *block->link = block->next;
    else
        ctx->bases = block->next;
    if (block->next)
        block->next->link = block->link;
    tvgp__basis_free(&block->basis);
    tvgp__memory_free(ctx, block);
}

static tvgp_status make_room(tvgp__basis *b) {
    TVGP__TRY(tvgp__memory_alloc(b->ctx, b->r, b->n * sizeof *b->Phi, &b->Phi));
    TVGP__TRY(tvgp__memory_alloc(b->ctx, b->r, sizeof *b->pivot, &b->pivot));
    return tvgp__memory_alloc(b->ctx, b->r, b->r * sizeof *b->L, &b->L);
}

static void copy(const tvgp__basis *from, tvgp__basis *b) {
    if (from->r && b->Phi != from->Phi) {
        memcpy(b->Phi, from->Phi, b->n * b->r * sizeof *b->Phi);
        memcpy(b->pivot, from->pivot, b->r * sizeof *b->pivot);
    }
    for (size_t j = 0; j < b->r; j++)
        for (size_t i = 0; i < b->r; i++)
            b->L[j * b->r + i] = from->r ? tvgp__shard_entry(b->shard, b->Phi + j * b->n, b->pivot[i]) : 1;
    tvgp__shard_max(b->shard, b->L, b->r * b->r);
}

/* Of shared arms each basis has arrays of its own: ranks must not find one where others do not. */
tvgp_status tvgp__basis_of(tvgp__basis_search *s, tvgp__basis *out) {
    tvgp__shard *shard = s->basis.shard;
    tvgp__basis_block *block = s->basis.r && !shard ? find(&s->basis) : NULL;
    if (block) {
        block->references++;
        *out = block->basis;
        out->block = block;
        return TVGP_OK;
    }
    size_t r = s->basis.r ? s->basis.r : 1; /* K = 0: a feature of zeros */
    tvgp__basis b = {.ctx = s->basis.ctx, .shard = shard, .n = s->basis.n, .r = r};
    const int takes = s->basis.r && !shard && b.n * r >= LARGE;
    if (takes) {
        b.Phi = s->basis.Phi;
        b.pivot = s->basis.pivot;
    }
    tvgp_status status =
        takes ? tvgp__memory_alloc(b.ctx, r, r * sizeof *b.L, &b.L) : tvgp__shard_agree(shard, make_room(&b));
    if (status == TVGP_OK)
        copy(&s->basis, &b);
    if (status == TVGP_OK && !shard)
        status = publish(&b);
    if (takes && status < 0) {
        b.Phi = NULL;
        b.pivot = NULL;
    } else if (takes) {
        s->basis.Phi = NULL;
        s->basis.pivot = NULL;
        s->slots = 0;
    }
    if (status < 0)
        tvgp__basis_free(&b);
    else
        *out = b;
    return status;
}

void tvgp__basis_free(tvgp__basis *b) {
    tvgp_ctx *ctx = b->ctx;
    if (!b->block) {
        tvgp__memory_free(ctx, b->Phi);
        tvgp__memory_free(ctx, b->pivot);
        tvgp__memory_free(ctx, b->L);
    } else if (--b->block->references == 0) {
        withdraw(b->block);
    }
    *b = (tvgp__basis){.ctx = ctx, .shard = b->shard, .n = b->n};
}

void tvgp__basis_visit(tvgp__basis *b, tvgp__visit *v) {
    size_t r = b->r;
    int same = 1;
    const size_t arms = tvgp__shard_total(b->shard, b->n);
    tvgp__visit_size(v, &r, 1, arms);
    for (size_t j = 0; tvgp__visit_fine(v) && j < r; j++) {
        size_t pivot = j < b->r ? b->pivot[j] : arms;
        tvgp__visit_indices(v, 1, &pivot, arms);
        same &= j < b->r && pivot == b->pivot[j];
    }
    if (tvgp__visit_loads(v) && (!same || r != b->r))
        tvgp__visit_try(v, tvgp__error_set(v->ctx, TVGP_ERR_UNSUPPORTED,
                                           "section %s, byte %zu: on this machine the kernel has other pivots", v->section,
                                           v->at));
}

void tvgp__basis_row(const tvgp__basis *b, size_t arm, double *phi) {
    tvgp__shard_row(b->shard, arm, b->r, b->Phi, b->n, phi);
}

void tvgp__basis_weights(const tvgp__basis *b, const double *f, double *w) {
    tvgp__shard_pick(b->shard, b->r, b->pivot, f, w);
    tvgp__blas_trsv(TVGP__NO_TRANS, b->r, b->L, b->r, w);
}

void tvgp__basis_points(const tvgp__basis *b, size_t dim, const double *X, double *out) {
    for (size_t j = 0; j < b->r; j++)
        memcpy(out + j * dim, tvgp__shard_point(b->shard, X, dim, b->pivot[j]), dim * sizeof *out);
}

/* SPDX-License-Identifier: MIT */
/* Turns the domains of several ranks into one shared domain (parts/shared/shared_domain.h). */
#include "parts/shared/shared_domain.h"
#include "base/error.h"
#include "base/scratch.h"
#include "base/shard.h"
#include "linalg/blas.h"

#include <string.h>

enum { ROWS = 37, COLUMNS = 19 };

/* Fingerprint of the arithmetic: FNV-1a over the bits of some products, exponentials and logarithms, as an integer that
 * a double holds. Ranks whose processors or libraries round differently would eventually decide differently. A:
 * workspace, ROWS x ROWS. */
static double arithmetic(double *A) {
    double x[ROWS], y[3 * ROWS] = {0};
    for (size_t i = 0; i < ROWS * ROWS; i++)
        A[i] = 1.0 / (double)(i % 101 + 3);
    for (size_t i = 0; i < ROWS; i++)
        x[i] = 1.0 / (double)(2 * i + 7);
    tvgp__blas_gemv(TVGP__NO_TRANS, ROWS, COLUMNS, 1, A, ROWS, x, 0, y);
    tvgp__blas_symv(ROWS, -0.7, A, ROWS, x, 1, y + ROWS);
    for (size_t i = 0; i < ROWS; i++)
        y[2 * ROWS + i] = exp(-x[i]) + log(1 + x[i]) + sqrt(x[i]);
    uint64_t h = 14695981039346656037u, bits;
    for (size_t i = 0; i < 3 * ROWS; i++) {
        memcpy(&bits, &y[i], sizeof bits);
        h = (h ^ bits) * 1099511628211u;
        h ^= h >> 32;
    }
    return (double)(h >> 12);
}

static tvgp_status check_arithmetic(tvgp__shard *s) {
    double *work = NULL;
    TVGP__TRY(tvgp__shard_agree(s, tvgp__scratch_take(s->ctx, ROWS * ROWS, &work)));
    const double own = arithmetic(work);
    tvgp__scratch_give(s->ctx, work);
    double hash[2] = {own, -own};
    tvgp__shard_max(s, hash, 2);
    TVGP__TRY(tvgp__shard_heard(s));
    if (hash[0] == -hash[1])
        return TVGP_OK;
    return tvgp__error_set(s->ctx, TVGP_ERR_UNSUPPORTED,
                           "the ranks round differently (rank %d has %.0f, others %.0f): other processors or libraries",
                           (int)s->comm.rank, own, hash[0] == own ? -hash[1] : hash[0]);
}

/* The sum, modulo 2^64, of a hash of each arm, independent of which rank holds it. Collective. */
static uint64_t hash_of_arms(tvgp__shard *s) {
    uint64_t sum = 0, all = 0;
    for (size_t i = 0; i < s->n; i++) {
        tvgp__visit v = {.ctx = s->ctx, .purpose = TVGP__VISIT_HASH, .hash = TVGP__VISIT_HASH_START};
        uint64_t arm = s->first + i;
        tvgp__visit_u64(&v, &arm);
        tvgp__visit_reals(&v, s->dim, (double *)(s->X + i * s->dim), -INFINITY, INFINITY); /* read only */
        sum += v.hash;
    }
    for (int half = 0; half < 2; half++) {
        const double *each = tvgp__shard_each(s, (double)(uint32_t)(sum >> 32 * half));
        for (size_t r = 0; r < (size_t)s->comm.size; r++)
            all += (uint64_t)tvgp__shard_index(s, each[r], 0x1p32) << 32 * half;
    }
    return all ? all : 1;
}

tvgp_status tvgp__shared_domain_new(tvgp_ctx *ctx, const tvgp_comm *comm, tvgp_status status, tvgp_domain *part,
                                    tvgp_domain **out) {
    tvgp__shard *shard = NULL;
    status = tvgp__shard_new(ctx, comm, part ? part->n : 0, part ? part->dim : 0, status, &shard);
    if (status == TVGP_OK)
        status = check_arithmetic(shard);
    if (status == TVGP_OK) {
        shard->X = part->X;
        shard->hash = hash_of_arms(shard);
        status = tvgp__shard_heard(shard);
    }
    if (status < 0) {
        tvgp__shard_free(shard);
        tvgp__domain_release(part);
        return status;
    }
    part->shared = 1;
    part->shard = shard;
    part->total = shard->total;
    *out = part;
    return TVGP_OK;
}

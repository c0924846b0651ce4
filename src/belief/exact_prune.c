/* SPDX-License-Identifier: MIT */
/* Which observations time has made worthless (belief/exact.h). */
#include "belief/exact_rows.h"

#include "base/error.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { PRUNED = 16 }; /* rows that may go at a time */

typedef tvgp__exact exact;

static size_t oldest(const exact *p) {
    size_t best = 0;
    for (size_t i = 1; i < p->factor.n; i++)
        if (p->t[i] < p->t[best])
            best = i;
    return best;
}

/* (D om)'K(D om) of row i at `now`, with b = D om in p->c. */
static tvgp_status explains(exact *p, size_t i, double *size) {
    size_t n = p->factor.n, dim = p->base.kernel->dim;
    double *b = p->c, scale = 0;
    memset(b, 0, i * sizeof *b);
    memcpy(b + i, p->W + i * p->slots + i, (n - i) * sizeof *b);
    scale = 1 / sqrt(tvgp__blas_dot(n - i, b + i, b + i));
    tvgp__blas_trmm(TVGP__TRANS, n, 1, p->W, p->slots, b, n);
    for (size_t j = 0; j < n; j++)
        b[j] *= scale * tvgp__law_covariance(&p->law, p->base.now, p->t[j]);
    *size = 0;
    for (size_t j = 0; j < n; j++) {
        TVGP__TRY(tvgp__kernel_block(p->base.kernel, 1, p->X + j * dim, n, p->X, p->work, n));
        *size += b[j] * tvgp__blas_dot(n, b, p->work);
    }
    return TVGP_OK;
}

tvgp_status tvgp__exact_prune(tvgp__belief *belief, double tolerance, double noise) {
    exact *p = (exact *)belief;
    double most = tolerance * tolerance * tvgp__belief_noise(belief, noise), size;
    size_t before = p->dropped;
    tvgp_status status = TVGP_OK;
    if (p->aging || p->law.kind != TVGP__LAW_FORGETTING || !(p->law.rate > 0) || !(tolerance > 0))
        return TVGP_OK;
    for (int left = PRUNED; p->factor.n && status == TVGP_OK && left > 0; left--) {
        size_t i = oldest(p);
        status = explains(p, i, &size);
        if (status < 0 || !(size * belief->largest <= most))
            break;
        tvgp__exact_rows_forget(p, i);
    }
    if (p->dropped != before)
        tvgp__exact_rows_stock(p);
    return status;
}

int tvgp__exact_faded(const tvgp__belief *b, double noise, double t, double now) {
    const exact *p = (const exact *)b;
    const double rows = p->limit ? (double)p->limit : 1e4, relative = tvgp__belief_noise(b, noise) / b->largest;
    if (p->aging || p->law.kind != TVGP__LAW_FORGETTING)
        return 0;
    double c = tvgp__law_correlation(&p->law, t, now);
    return c * c < 1e-6 * relative * sqrt(relative / rows);
}

/* SPDX-License-Identifier: MIT */
#include "feature/arm_bounds.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/simd_clones.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

enum { EIGHT = 8, PANEL = 1024 }; /* arms of a panel: its part of p stays in the first-level cache */

static const double LEFT_OUT = 3e-6;

TVGP__SIMD_CLONES
static void add_squares(size_t n, const double *restrict x, double *restrict sum) {
    for (size_t i = 0; i < n; i++)
        sum[i] += x[i] * x[i];
}

/* How many features there must be, so that the others leave at most LEFT_OUT; and what they leave. */
static size_t count_kept(const tvgp__basis *b, double most, double *rest, double *left) {
    size_t kept = b->r;
    for (double worst = 0; kept; kept--) {
        const double *phi = b->Phi + (kept - 1) * b->n;
        *left = worst;
        add_squares(b->n, phi, rest);
        worst = tvgp__loops_largest(b->n, rest);
        if (worst > LEFT_OUT * most)
            break;
    }
    return kept;
}

static void copy(const tvgp__basis *b, tvgp__arm_bounds *s) {
    float *out = s->F;
    for (size_t from = 0; from < b->n; from += PANEL) {
        const size_t end = b->n - from < PANEL ? b->n : from + PANEL;
        for (size_t j = 0; j < s->kept; j++)
            for (size_t i = from; i < end; i++)
                *out++ = j < b->r ? (float)(b->Phi[j * b->n + i] / s->unit) : 0;
    }
}

tvgp_status tvgp__arm_bounds_new(const tvgp__basis *b, tvgp__arm_bounds *out) {
    double *rest = NULL, left = 0;
    tvgp__arm_bounds s = {.n = b->n, .unit = b->L[0]};
    TVGP__TRY(tvgp__memory_alloc(b->ctx, b->n, sizeof *rest, &rest));
    s.kept = (count_kept(b, s.unit * s.unit, rest, &left) + EIGHT - 1) / EIGHT * EIGHT;
    tvgp__memory_free(b->ctx, rest);
    s.left = sqrt(left);
    tvgp_status status = tvgp__memory_alloc(b->ctx, s.kept, b->n * sizeof *s.F, &s.F);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(b->ctx, s.kept, sizeof *s.c, &s.c);
    if (status < 0) {
        tvgp__arm_bounds_free(b->ctx, &s);
        return status;
    }
    copy(b, &s);
    *out = s;
    return TVGP_OK;
}

void tvgp__arm_bounds_free(tvgp_ctx *ctx, tvgp__arm_bounds *s) {
    tvgp__memory_free(ctx, s->F);
    tvgp__memory_free(ctx, s->c);
    *s = (tvgp__arm_bounds){0};
}

TVGP__SIMD_CLONES
static void add_eight(size_t n, const float *restrict F, const float *restrict c, double unit, double *restrict p) {
    const float *f0 = F, *f1 = F + n, *f2 = f1 + n, *f3 = f2 + n, *f4 = f3 + n, *f5 = f4 + n, *f6 = f5 + n, *f7 = f6 + n;
    const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6], c7 = c[7];
    for (size_t i = 0; i < n; i++)
        p[i] += unit * (double)(((f0[i] * c0 + f1[i] * c1) + (f2[i] * c2 + f3[i] * c3)) +
                                ((f4[i] * c4 + f5[i] * c5) + (f6[i] * c6 + f7[i] * c7)));
}

static double norm(size_t n, const double *x) {
    return sqrt(tvgp__blas_dot(n, x, x));
}

double tvgp__arm_bounds_column(const tvgp__arm_bounds *s, size_t r, const double *c, double *p) {
    const size_t kept = s->kept < r ? s->kept : r;
    const double most = tvgp__loops_largest(kept, c);
    memset(p, 0, s->n * sizeof *p);
    if (!(most > 0))
        return s->left * norm(r - kept, c + kept);
    for (size_t j = 0; j < kept; j++)
        s->c[j] = (float)(c[j] / most);
    const float *F = s->F;
    for (size_t from = 0; from < s->n; from += PANEL) {
        const size_t m = s->n - from < PANEL ? s->n - from : PANEL;
        for (size_t j = 0; j < s->kept; j += EIGHT, F += EIGHT * m)
            add_eight(m, F, s->c + j, most * s->unit, p + from);
    }
    return s->left * norm(r - kept, c + kept) + 6.1 * 0x1p-24 * s->unit * norm(kept, c);
}

/* SPDX-License-Identifier: MIT */
#include "gp/late.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__late_new(const tvgp__weights *w, const tvgp__law *law, size_t limit, tvgp__late *out) {
    tvgp_ctx *ctx = w->basis.ctx;
    size_t r = w->basis.r;
    tvgp__late late = {.law = *law, .limit = limit, .t = -INFINITY, .base = *w};
    late.base.R = NULL; /* basis, phi and c are those of w */
    late.base.scale = 1;
    tvgp_status status = tvgp__memory_alloc(ctx, limit, sizeof *late.seen, &late.seen);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, r, (r + 3) * sizeof *late.base.R, &late.base.R);
    if (status < 0) {
        tvgp__late_free(&late);
        return status;
    }
    late.mean = late.base.R + r * r;
    late.h = late.mean + r;
    late.mu = late.h + r;
    *out = late;
    return TVGP_OK;
}

void tvgp__late_free(tvgp__late *late) {
    tvgp__memory_free(late->base.basis.ctx, late->seen);
    tvgp__memory_free(late->base.basis.ctx, late->base.R);
}

void tvgp__late_clear(tvgp__late *late) {
    size_t r = late->base.basis.r;
    tvgp__weights_clear(&late->base);
    memset(late->mean, 0, r * sizeof *late->mean);
    late->t = -INFINITY;
    late->first = late->count = 0;
}

tvgp__innovation *tvgp__late_at(const tvgp__late *late, size_t k) {
    return &late->seen[(late->first + k) % late->limit];
}

static void scale(size_t r, double m, double *v) {
    for (size_t j = 0; j < r; j++)
        v[j] *= m;
}

/* From time *t to `to`: the covariance in w, and a vector that fades with it. */
static void move(const tvgp__late *late, tvgp__weights *w, double *v, double *t, double to) {
    double m = *t == -INFINITY ? 1 : tvgp__law_between(&late->law, *t, to).m; /* the prior does not fade */
    *t = to;
    if (m == 1)
        return;
    tvgp__weights_decay(w, m * m);
    scale(w->basis.r, m, v);
}

/* One observation again, in a state with this mean at time *t. */
static void repeat(const tvgp__late *late, tvgp__weights *w, double *mean, double *t, const tvgp__innovation *seen) {
    move(late, w, mean, t, seen->t);
    if (isinf(seen->s))
        return;
    tvgp__weights_look(w, seen->arm, tvgp__law_kappa(&late->law, *t));
    tvgp__weights_observe(w, seen->s);
    tvgp__blas_axpy(w->basis.r, seen->e / sqrt(seen->s), w->c, mean);
}

/* The oldest observation is no longer kept. */
static void leave_out(tvgp__late *late) {
    repeat(late, &late->base, late->mean, &late->t, tvgp__late_at(late, 0));
    late->first = (late->first + 1) % late->limit;
    late->count--;
}

double tvgp__late_rewind(tvgp__late *late, tvgp__weights *w, size_t k, double t, size_t arm) {
    size_t r = w->basis.r;
    double at = late->t;
    tvgp__weights_set(w, &late->base, 1);
    memcpy(late->mu, late->mean, r * sizeof *late->mu);
    for (size_t i = 0; i < k; i++)
        repeat(late, w, late->mu, &at, tvgp__late_at(late, i));
    move(late, w, late->mu, &at, t);
    tvgp__weights_look(w, arm, tvgp__law_kappa(&late->law, t));
    return tvgp__blas_dot(r, w->phi, late->mu);
}

void tvgp__late_carry(tvgp__late *late, tvgp__weights *w, size_t k, double t, double now, tvgp__insertion *in) {
    size_t r = w->basis.r;
    for (; k < late->count; k++) {
        tvgp__innovation *seen = tvgp__late_at(late, k);
        move(late, w, in->h, &t, seen->t);
        if (isinf(seen->s))
            continue;
        tvgp__weights_look(w, seen->arm, tvgp__law_kappa(&late->law, t));
        tvgp__weights_observe(w, seen->s);
        tvgp__innovation_pass(in, tvgp__blas_dot(r, in->h, w->phi), seen, w->c);
    }
    move(late, w, in->h, &t, now);
    tvgp__weights_add(w, in->h);
}

void tvgp__late_insert(tvgp__late *late, size_t k, const tvgp__innovation *seen) {
    if (late->count == late->limit) {
        if (k == 0) { /* itself the oldest */
            repeat(late, &late->base, late->mean, &late->t, seen);
            return;
        }
        leave_out(late);
        k--;
    }
    for (size_t later = late->count++; later > k; later--)
        *tvgp__late_at(late, later) = *tvgp__late_at(late, later - 1);
    *tvgp__late_at(late, k) = *seen;
}

/* SPDX-License-Identifier: MIT */
#include "gp/weight_space.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

/* weights above which R exceeds the first-level cache; entries of Phi above which only a part of them is read */
enum { MANY = 64, LARGE = 1 << 15, TOGETHER = 4 };

/* How many vectors may wait. */
static size_t room(const tvgp__weight_space *w) {
    return !w->mean || w->basis.r < MANY ? 0 : TOGETHER;
}

static tvgp_status allocate(tvgp__weight_space *w) {
    tvgp_ctx *ctx = w->basis.ctx;
    size_t r = w->basis.r;
    const size_t vectors = 4 + (r < MANY ? 0 : TOGETHER);
    TVGP__TRY(
        tvgp__memory_alloc(ctx, tvgp__weight_space_triangle(r) + tvgp__memory_product(vectors, r), sizeof *w->R, &w->R));
    w->phi = w->R + tvgp__weight_space_triangle(r);
    w->z = w->phi + r;
    w->c = w->z + r;
    w->mean = w->c + r;
    w->waiting = w->mean + r;
    return TVGP_OK;
}

int tvgp__weight_space_large(const tvgp__weight_space *w) {
    return tvgp__shard_total(w->basis.shard, w->basis.n) * w->basis.r >= LARGE;
}

tvgp_status tvgp__weight_space_screen(tvgp__weight_space *w) {
    return tvgp__weight_space_large(w) && !w->basis.shard ? tvgp__arm_bounds_new(&w->basis, &w->screen) : TVGP_OK;
}

tvgp_status tvgp__weight_space_new(tvgp__basis_search *search, tvgp__weight_space *out) {
    tvgp__weight_space w = {.scale = 1};
    TVGP__TRY(tvgp__basis_of(search, &w.basis));
    tvgp_status status = allocate(&w);
    if (status < 0)
        tvgp__weight_space_free(&w);
    else
        *out = w;
    return status;
}

tvgp_status tvgp__weight_space_reserve(tvgp__weight_space *w, size_t slots, size_t *held) {
    if (slots <= *held)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, w->basis.n * sizeof *w->basis.Phi, &w->basis.Phi));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, sizeof *w->basis.pivot, &w->basis.pivot));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, slots * sizeof *w->basis.L, &w->basis.L));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, tvgp__weight_space_triangle(slots), sizeof *w->R, &w->R));
    TVGP__TRY(tvgp__memory_grow(w->basis.ctx, slots, 3 * sizeof *w->phi, &w->phi));
    w->z = w->phi + slots;
    w->c = w->z + slots;
    *held = slots;
    return TVGP_OK;
}

void tvgp__weight_space_free(tvgp__weight_space *w) {
    tvgp_ctx *ctx = w->basis.ctx;
    tvgp__arm_bounds_free(ctx, &w->screen);
    tvgp__basis_free(&w->basis);
    if (!w->mean) /* otherwise it lies behind R */
        tvgp__memory_free(ctx, w->phi);
    tvgp__memory_free(ctx, w->R);
}

void tvgp__weight_space_visit(tvgp__weight_space *w, tvgp__visit *v) {
    tvgp__basis_visit(&w->basis, v);
    tvgp__visit_real(v, &w->scale, 1e-200, 1e200);
    tvgp__visit_reals(v, tvgp__weight_space_triangle(w->basis.r), w->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, w->basis.r, w->mean, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_size(v, &w->n_waiting, 0, room(w) ? TOGETHER - 1 : 0);
    if (tvgp__visit_fine(v))
        tvgp__visit_reals(v, w->n_waiting * w->basis.r, w->waiting, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

void tvgp__weight_space_look(tvgp__weight_space *w, size_t arm, double kappa) {
    const tvgp__basis *b = &w->basis;
    tvgp__basis_row(b, arm, w->phi);
    for (size_t j = 0; j < b->r; j++) /* no memset: without weights z is NULL */
        w->z[j] = 0;
    tvgp__loops_spmv(b->r, 1, w->R, w->phi, w->z);
    for (size_t k = 0; k < w->n_waiting; k++) {
        const double *u = w->waiting + k * b->r;
        tvgp__blas_axpy(b->r, tvgp__blas_dot(b->r, u, w->phi), u, w->z);
    }
    tvgp__weight_space_look_again(w, kappa);
}

void tvgp__weight_space_look_again(tvgp__weight_space *w, double kappa) {
    for (size_t j = 0; j < w->basis.r; j++)
        w->c[j] = kappa * w->phi[j] - w->scale * w->z[j];
}

void tvgp__weight_space_apply(const tvgp__weight_space *w, double *p) {
    const tvgp__basis *b = &w->basis;
    tvgp__blas_gemv(TVGP__NO_TRANS, b->n, b->r, 1, b->Phi, b->n, w->c, 0, p);
}

void tvgp__weight_space_column(tvgp__weight_space *w, size_t arm, double kappa, double *p) {
    tvgp__weight_space_look(w, arm, kappa);
    tvgp__weight_space_apply(w, p);
}

void tvgp__weight_space_observe(tvgp__weight_space *w, double s) {
    double root = sqrt(s);
    for (size_t j = 0; j < w->basis.r; j++)
        w->c[j] /= root;
    tvgp__weight_space_add(w, w->c);
}

void tvgp__weight_space_add(tvgp__weight_space *w, const double *u) {
    const size_t r = w->basis.r;
    if (!room(w)) {
        tvgp__loops_spr(r, 1 / w->scale, u, w->R);
        return;
    }
    double *last = w->waiting + w->n_waiting++ * r;
    memcpy(last, u, r * sizeof *u);
    tvgp__blas_scale(r, 1 / sqrt(w->scale), last);
    if (w->n_waiting < TOGETHER)
        return;
    tvgp__loops_spr_four(r, w->waiting, r, w->R);
    w->n_waiting = 0;
}

void tvgp__weight_space_copy(const tvgp__weight_space *w, size_t ld, double *out) {
    const size_t r = w->basis.r;
    const double *packed = w->R;
    double *to = out;
    for (size_t j = 0; j < r; packed += r - j, to += ld ? ld + 1 : r - j, j++)
        memcpy(to, packed, (r - j) * sizeof *to);
    for (size_t k = 0; k < w->n_waiting; k++)
        if (ld)
            tvgp__blas_syr(r, 1, w->waiting + k * r, out, ld);
        else
            tvgp__loops_spr(r, 1, w->waiting + k * r, out);
}

void tvgp__weight_space_absorb(tvgp__weight_space *w, const tvgp__columns *c, size_t from, size_t to, double *U) {
    const tvgp__basis *b = &w->basis;
    size_t r = b->r, count = to - from;
    for (size_t k = 0; k < count; k++) {
        const double *g = tvgp__columns_g(c, from + k);
        for (size_t j = 0; j < r; j++)
            U[k * r + j] = tvgp__shard_entry(b->shard, g, b->pivot[j]);
    }
    tvgp__shard_max(b->shard, U, r * count);
    tvgp__blas_trsm(TVGP__NO_TRANS, r, count, b->L, r, U, r);
    for (size_t k = 0; k < count; k++) {
        const tvgp__innovation *seen = &tvgp__columns_at(c, from + k)->seen;
        double *u = U + k * r;
        tvgp__blas_scale(r, sqrt(tvgp__columns_decay(c, from + k)), u);
        tvgp__blas_axpy(r, seen->e / sqrt(seen->s), u, w->mean);
        tvgp__weight_space_add(w, u);
    }
}

void tvgp__weight_space_decay(tvgp__weight_space *w, double m2) {
    w->scale *= m2;
    if (w->scale > 1e-100 && w->scale < 1e100)
        return;
    for (size_t i = 0; i < tvgp__weight_space_triangle(w->basis.r); i++)
        w->R[i] *= w->scale;
    tvgp__blas_scale(w->n_waiting * w->basis.r, sqrt(w->scale), w->waiting);
    w->scale = 1;
}

void tvgp__weight_space_clear(tvgp__weight_space *w) {
    memset(w->R, 0, tvgp__weight_space_triangle(w->basis.r) * sizeof *w->R);
    if (w->mean)
        memset(w->mean, 0, w->basis.r * sizeof *w->mean);
    w->n_waiting = 0;
    w->scale = 1;
}

tvgp_status tvgp__weight_space_form(const tvgp__weight_space *w, const tvgp_kernel *kernel, const double *X,
                                    const double *arm_mean, tvgp__predictive *out) {
    size_t r = w->basis.r;
    double *memory = NULL;
    tvgp_status status = tvgp__memory_alloc(w->basis.ctx, r, (kernel->dim + 1 + r) * sizeof *memory, &memory);
    status = tvgp__shard_agree(w->basis.shard, status);
    if (status < 0) {
        tvgp__memory_free(w->basis.ctx, memory);
        return status;
    }
    double *square = memory + r * (kernel->dim + 1);
    tvgp__weight_space_copy(w, r, square);
    if (w->mean)
        memcpy(memory, w->mean, r * sizeof *memory);
    else
        tvgp__basis_weights(&w->basis, arm_mean, memory);
    tvgp__basis_points(&w->basis, kernel->dim, X, memory + r);
    *out = tvgp__predictive_of(w->basis.ctx, kernel, r, memory + r, w->basis.L, r, memory);
    out->S = square;
    out->scale = w->scale;
    out->memory = memory;
    return TVGP_OK;
}

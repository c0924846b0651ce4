/* SPDX-License-Identifier: MIT */
/* Extends filters of one kernel and prior mean zero to more arms. All that is in weights moves from the basis of the old arms to
 * the basis of all arms (model/feature/basis.h). A function of weights w in the old features has the values V w at points, V = k(points, old
 * pivots) L^-T, and so the weights T w in the new ones, T = L'^-1 V of the new pivots. The part of the new arms outside the old basis
 * keeps its prior. The information that observations had about it, a covariance of at most the root of both remainders, is lost. */
#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"
#include "model/kalman/kalman_filters.h"

#include <string.h>

typedef struct turn {
    tvgp_ctx *ctx;
    size_t r, r2, more; /* old and new rank; new arms */
    double *V;          /* r x more: old features of the new arms */
    double *T;          /* r2 x r */
    double *work;
} turn;

static void turn_free(turn *t) {
    tvgp__memory_free(t->ctx, t->V);
    tvgp__memory_free(t->ctx, t->T);
    tvgp__memory_free(t->ctx, t->work);
}

static tvgp_status new_features(const turn *t, const tvgp__basis *old, const tvgp_kernel *kernel, const double *X) {
    tvgp__basis_points(old, kernel->dim, X, t->work);
    TVGP__TRY(tvgp__kernel_block(kernel, t->more, X + old->n * kernel->dim, t->r, t->work, t->V, t->r));
    tvgp__blas_trsm(TVGP__NO_TRANS, t->r, t->more, old->L, t->r, t->V, t->r);
    return TVGP_OK;
}

static void fill(const turn *t, const tvgp__basis *old, const tvgp__basis *fresh) {
    for (size_t i = 0; i < t->r2; i++) {
        const size_t arm = fresh->pivot[i];
        for (size_t j = 0; j < t->r; j++)
            t->T[j * t->r2 + i] = arm < old->n ? old->Phi[j * old->n + arm] : t->V[(arm - old->n) * t->r + j];
    }
    tvgp__blas_trsm(TVGP__NO_TRANS, t->r2, t->r, fresh->L, t->r2, t->T, t->r2);
}

/* X: the points of all arms, the old ones first. NOMEM, the kernel's status. */
static tvgp_status turn_new(const tvgp__basis *old, const tvgp__basis *fresh, const tvgp_kernel *kernel, const double *X,
                            turn *out) {
    turn t = {.ctx = fresh->ctx, .r = old->r, .r2 = fresh->r, .more = fresh->n - old->n};
    tvgp_status status = tvgp__memory_alloc(t.ctx, t.r, (t.more + 1) * sizeof *t.V, &t.V);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(t.ctx, t.r, t.r2 * sizeof *t.T, &t.T);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(t.ctx, t.r, (2 * t.r2 + kernel->dim) * sizeof *t.work, &t.work);
    if (status == TVGP_OK)
        status = new_features(&t, old, kernel, X);
    if (status < 0) {
        turn_free(&t);
        return status;
    }
    fill(&t, old, fresh);
    *out = t;
    return TVGP_OK;
}

/* Turns weights: T w. */
static void turn_vector(const turn *t, const double *w, double *out) {
    tvgp__blas_gemv(TVGP__NO_TRANS, t->r2, t->r, 1, t->T, t->r2, w, 0, out);
}

/* Turns a covariance: T A T' of a square A (r x r), of which only the lower triangle is read when `half`. */
static void turn_square(const turn *t, int half, const double *A, double *out) {
    double *across = t->work, *C = across + t->r * t->r2; /* T', A T' */
    for (size_t i = 0; i < t->r2; i++)
        for (size_t j = 0; j < t->r; j++)
            across[i * t->r + j] = t->T[j * t->r2 + i];
    if (half)
        tvgp__blas_symm(t->r, t->r2, 1, A, t->r, across, t->r, 0, C, t->r);
    else
        tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__NO_TRANS, t->r, t->r2, t->r, 1, A, t->r, across, t->r, 0, C, t->r);
    tvgp__blas_gemm(TVGP__NO_TRANS, TVGP__NO_TRANS, t->r2, t->r2, t->r, 1, t->T, t->r2, C, t->r, 0, out, t->r2);
}

/* ---- filters ------------------------------------------------------------------------------------------------------ */

static void turn_core(const turn *t, const tvgp__kalman_core *from, double *A, double *B, tvgp__kalman_core *to) {
    const double parts[2][2] = {{1, 0}, {0, 1}};
    to->users = from->users;
    for (size_t s = 0; s < from->states; s++) {
        memset(A, 0, t->r * t->r * sizeof *A);
        tvgp__kalman_core_gather(from, t->r, 1, parts[s], A);
        turn_square(t, 1, A, B);
        tvgp__kalman_core_put(to, t->r2, s, B);
    }
    if (from->states == 2)
        turn_square(t, 0, from->uf, to->uf);
}

/* Adds to S (lower triangle) what is known of q'(f, u). */
static void known(const turn *t, const tvgp__kalman_filter *f, const double q[2], double *S) {
    const double n[2] = {q[0] * f->N[0][0] + q[1] * f->N[1][0], q[0] * f->N[0][1] + q[1] * f->N[1][1]};
    double *u = t->work;
    memset(S, 0, t->r * t->r * sizeof *S);
    if (f->core)
        tvgp__kalman_core_gather(f->core, t->r, 1, n, S);
    for (size_t k = 0; k < f->fresh; k++) {
        memset(u, 0, t->r * sizeof *u);
        for (size_t s = 0; s < f->states; s++)
            tvgp__blas_axpy(t->r, q[s], f->U + (2 * k + s) * t->r, u);
        tvgp__blas_syr(t->r, 1, u, S, t->r);
    }
}

/* out (of the new arms) = share k(x, x) - v'S v. */
static void variances(const turn *t, double share, const double *k, const double *S, double *out) {
    double *Sv = t->work;
    for (size_t i = 0; i < t->more; i++) {
        const double *v = t->V + i * t->r;
        tvgp__blas_symv(t->r, 1, S, t->r, v, 0, Sv);
        out[i] = share * k[i] - tvgp__blas_dot(t->r, v, Sv);
    }
}

static void new_arms(const turn *t, const tvgp__kalman_filters *from, const tvgp__kalman_filter *f, const double *k,
                     double *S, tvgp__kalman_filter *to) {
    const size_t old = from->basis.n, n = old + t->more;
    const double q[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    double *var[3] = {to->var + old, to->var + n + old, to->var + 2 * n + old}, *w = t->work;
    for (size_t s = 0; s < f->states; s++) {
        tvgp__basis_weights(&from->basis, f->mean + s * old, w);
        tvgp__blas_gemv(TVGP__TRANS, t->r, t->more, 1, t->V, t->r, w, 0, to->mean + s * n + old);
        tvgp__blas_gemv(TVGP__TRANS, t->r, t->more, 1, t->V, t->r, f->pk + s * t->r, 0, to->fk + s * n + old);
    }
    for (size_t s = 0; s < 2 * f->states - 1; s++) { /* of f, of u, of f + u */
        known(t, f, q[s], S);
        variances(t, s < 2 ? f->E[3 * s] : f->E[0] + f->E[3] + 2 * f->E[1], k, S, var[s]);
    }
    for (size_t i = 0; f->states == 2 && i < t->more; i++)
        var[2][i] = 0.5 * (var[2][i] - var[0][i] - var[1][i]);
}

static void extend_filter(const turn *t, const tvgp__kalman_filters *from, const tvgp__kalman_filter *f, double *S,
                          tvgp__kalman_filters *set, tvgp__kalman_filter *to) {
    const size_t old = from->basis.n, n = set->basis.n, r = t->r, r2 = t->r2;
    tvgp__kalman_filter copy = *f;
    copy.mean = to->mean, copy.var = to->var, copy.E = to->E, copy.U = to->U, copy.fk = to->fk, copy.pk = to->pk;
    copy.m = to->m;
    copy.core = f->core ? set->cores + (f->core - from->cores) : NULL;
    copy.lender = f->lender ? set->filter + (f->lender - from->filter) : NULL;
    copy.source = NULL;
    *to = copy;
    if (f->lender)
        return;
    memcpy(to->E, f->E, 4 * sizeof *f->E);
    for (size_t s = 0; s < 3; s++)
        memcpy(to->var + s * n, f->var + s * old, old * sizeof *f->var);
    for (size_t s = 0; s < 2; s++) {
        memcpy(to->mean + s * n, f->mean + s * old, old * sizeof *f->mean);
        memcpy(to->fk + s * n, f->fk + s * old, old * sizeof *f->fk);
        turn_vector(t, f->pk + s * r, to->pk + s * r2);
    }
    for (size_t k = 0; k < 2 * f->fresh; k++)
        turn_vector(t, f->U + k * r, to->U + k * r2);
    if (f->states)
        new_arms(t, from, f, set->variance + old, S, to);
}

tvgp_status tvgp__kalman_filters_extend(const tvgp__kalman_filters *from, const tvgp_kernel *kernel, const double *X,
                                        tvgp__kalman_filters *set) {
    turn t = {0};
    double *A = NULL;
    const size_t r = from->basis.r, r2 = set->basis.r;
    for (size_t j = 0; j < from->count; j++)
        if (from->filter[j].fresh > tvgp__kalman_filter_room(set, r2))
            return tvgp__error_set(set->ctx, TVGP_ERR_UNSUPPORTED,
                                   "all arms together have %zu features, too few for what is known in %zu", r2, r);
    TVGP__TRY(tvgp__memory_alloc(set->ctx, tvgp__memory_product(r, r) + tvgp__memory_product(r2, r2), sizeof *A, &A));
    tvgp_status status = turn_new(&from->basis, &set->basis, kernel, X, &t);
    if (status == TVGP_OK) {
        for (size_t i = 0; i < from->ones + from->twos; i++)
            if (from->cores[i].users)
                turn_core(&t, &from->cores[i], A, A + r * r, &set->cores[i]);
        for (size_t j = 0; j < from->count; j++)
            extend_filter(&t, from, &from->filter[j], A, set, &set->filter[j]);
        set->jitter = from->jitter;
        set->turn = from->turn;
        turn_free(&t);
    }
    tvgp__memory_free(set->ctx, A);
    return status;
}

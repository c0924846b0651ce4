/* SPDX-License-Identifier: MIT */
/* The recursive posterior on more arms.
 *
 * Columns: a record's column g = P[:, x] / sqrt(s) at its own time gains the entries of the new arms, which follow from those
 * of the records before it, as a late answer's column does; mean and variance of the new arms are their sums.
 *
 * Weights: they go over to the basis of the larger set (gp/turn.h): R' = T R T'. */
#include "belief/recursive.h"

#include "base/error.h"
#include "gp/turn.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* Record k of `from`, with the column that the larger p->columns, which hold the records before it, give. */
static tvgp_status add_record(const tvgp__recursive *from, size_t k, tvgp__recursive *p) {
    tvgp__belief *b = &p->base;
    tvgp__columns *c = &p->columns;
    const tvgp__columns_record *r = tvgp__columns_at(&from->columns, k);
    const double decay = tvgp__columns_decay(&from->columns, k), m = tvgp__law_between(&p->law, r->seen.t, b->now).m;
    const double root = sqrt(r->seen.s), gain = sqrt(decay) * (r->seen.e / root);
    double *g = tvgp__columns_next(c);
    TVGP__TRY(tvgp__belief_hold(b, &(tvgp__points){.n = 1, .arm = &r->seen.arm}));
    tvgp__columns_column(c, &p->law, k, r->seen.t, 1 / (m * m), r->seen.arm, NAN, tvgp__rows_at(&b->rows, r->seen.arm), g);
    memcpy(g, tvgp__columns_g(&from->columns, k), from->base.n * sizeof *g);
    for (size_t i = from->base.n; i < b->n; i++) {
        g[i] /= root;
        b->mean[i] += gain * g[i];
        b->var[i] -= decay * g[i] * g[i];
    }
    tvgp__columns_insert(c, k, &r->seen, r->noise, decay);
    return TVGP_OK;
}

static tvgp_status extend_columns(const tvgp__recursive *from, tvgp__recursive *p) {
    TVGP__TRY(tvgp__columns_reserve(&p->columns, from->columns.count));
    for (size_t k = 0; k < from->columns.count; k++)
        TVGP__TRY(add_record(from, k, p));
    return TVGP_OK;
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

static void turn_state(const tvgp__turn *t, const tvgp__late_state *from, tvgp__late_state *to) {
    tvgp__turn_packed(t, from->R, to->R);
    tvgp__turn_vector(t, from->mean, to->mean);
    to->t = from->t;
}

/* What waits stays apart: the new weights may have another room for it. */
static void turn_weights(const tvgp__turn *t, const tvgp__weights *from, tvgp__weights *to) {
    tvgp__turn_packed(t, from->R, to->R);
    for (size_t k = 0; k < from->n_waiting; k++) {
        tvgp__turn_vector(t, from->waiting + k * t->r, to->c);
        tvgp__weights_add(to, to->c);
    }
    tvgp__turn_vector(t, from->mean, to->mean);
    to->scale = from->scale;
}

static tvgp_status turn_late(const tvgp__turn *t, const tvgp__recursive *from, tvgp__recursive *p) {
    const tvgp__late *old = &from->late;
    TVGP__TRY(tvgp__late_new(p->base.ctx, t->r2, &p->law, p->late_limit, &p->late));
    turn_state(t, &old->older, &p->late.older);
    turn_state(t, &old->newer, &p->late.newer);
    p->late.first = old->first;
    p->late.count = old->count;
    p->late.in_newer = old->in_newer;
    memcpy(p->late.value, old->value, old->slots * sizeof *old->value);
    memcpy(p->late.arm, old->arm, old->slots * sizeof *old->arm);
    return TVGP_OK;
}

/* Mean and variance of the new arms. */
static void predict_new(const tvgp__turn *t, const tvgp__recursive *from, tvgp__recursive *p) {
    const tvgp__weights *w = &from->weights;
    double *R = t->work, *Rv = R + tvgp__weights_triangle(t->r);
    tvgp__weights_copy(w, 0, R);
    for (size_t i = 0; i < t->more; i++) {
        const double *v = t->V + i * t->r;
        memset(Rv, 0, t->r * sizeof *Rv);
        tvgp__loops_spmv(t->r, w->scale, R, v, Rv);
        p->base.mean[from->base.n + i] = tvgp__blas_dot(t->r, w->mean, v);
        p->base.var[from->base.n + i] -= tvgp__blas_dot(t->r, v, Rv);
    }
}

static tvgp_status extend_weights(const tvgp__recursive *from, tvgp__recursive *p) {
    tvgp__belief *b = &p->base;
    tvgp__turn t = {0};
    TVGP__TRY(tvgp__basis_search_on(p->rank, b->n));
    p->weights.basis.ctx = b->ctx;
    TVGP__TRY(tvgp__weights_new(p->rank, &p->weights));
    tvgp_status status = tvgp__turn_new(&from->weights.basis, &p->weights.basis, b->kernel, b->X, &t);
    if (status == TVGP_OK)
        status = tvgp__weights_screen(&p->weights);
    if (status == TVGP_OK) {
        turn_weights(&t, &from->weights, &p->weights);
        predict_new(&t, from, p);
        status = tvgp__recursive_keeps_late(p) ? turn_late(&t, from, p) : TVGP_OK;
    }
    tvgp__turn_free(&t);
    tvgp__recursive_in_weights(p); /* also on failure: so they are freed */
    return status;
}

tvgp_status tvgp__recursive_extend(const tvgp__belief *base, size_t n, const double *X, tvgp__belief **out) {
    const tvgp__recursive *from = (const tvgp__recursive *)base;
    tvgp__belief *fresh = NULL;
    TVGP__TRY(tvgp__recursive_new(base->ctx, base->kernel, &from->law, 0, from->late_limit, n, X, &fresh));
    tvgp__recursive *p = (tvgp__recursive *)fresh;
    p->tolerance = p->rank->tolerance = from->tolerance;
    if (base->now != -INFINITY)
        tvgp__belief_prior(fresh, tvgp__law_kappa(&p->law, base->now));
    tvgp__belief_inherit(fresh, base);
    tvgp_status status = from->in_weights ? extend_weights(from, p) : extend_columns(from, p);
    if (status < 0)
        tvgp__belief_free(fresh);
    else
        *out = fresh;
    return status;
}

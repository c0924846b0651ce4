/* SPDX-License-Identifier: MIT */
#include "gp/delayed.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

tvgp_status tvgp__delayed_new(tvgp_ctx *ctx, size_t r, const tvgp__drift *law, size_t limit, tvgp__delayed *out) {
    tvgp__delayed late = {.ctx = ctx, .law = *law, .r = r, .limit = limit, .slots = 2 * limit + 1};
    tvgp_status status = tvgp__memory_alloc(ctx, r, (r + 5) * sizeof *late.memory, &late.memory);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, late.slots, sizeof *late.value + sizeof *late.arm, &late.value);
    if (status < 0) {
        tvgp__delayed_free(&late);
        return status;
    }
    late.arm = (uint32_t *)(late.value + late.slots);
    size_t triangle = tvgp__weight_space_triangle(r);
    late.older = (tvgp__delayed_state){.R = late.memory, .mean = late.memory + 2 * triangle, .t = -INFINITY};
    late.newer = (tvgp__delayed_state){.R = late.memory + triangle, .mean = late.older.mean + r, .t = -INFINITY};
    late.h = late.newer.mean + r;
    late.mean = late.h + r;
    *out = late;
    return TVGP_OK;
}

void tvgp__delayed_free(tvgp__delayed *late) {
    tvgp__memory_free(late->ctx, late->memory);
    tvgp__memory_free(late->ctx, late->value);
}

void tvgp__delayed_clear(tvgp__delayed *late) {
    memset(late->memory, 0, late->r * (late->r + 5) * sizeof *late->memory);
    late->older.t = late->newer.t = -INFINITY;
    late->first = late->count = late->in_newer = 0;
}

static size_t place(const tvgp__delayed *late, size_t k);

static void visit_state(tvgp__delayed_state *s, size_t r, tvgp__visit *v) {
    tvgp__visit_real(v, &s->t, -INFINITY, TVGP__VALID_RANGE_MOST);
    tvgp__visit_reals(v, r * (r + 1) / 2, s->R, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_reals(v, r, s->mean, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
}

void tvgp__delayed_visit(tvgp__delayed *late, size_t n, tvgp__visit *v) {
    visit_state(&late->older, late->r, v);
    visit_state(&late->newer, late->r, v);
    tvgp__visit_size(v, &late->count, 0, late->slots);
    tvgp__visit_size(v, &late->in_newer, 0, late->count);
    if (tvgp__visit_loads(v))
        late->first = 0;
    for (size_t k = 0; tvgp__visit_fine(v) && k < late->count; k++) {
        size_t at = place(late, k), arm = late->arm[at];
        tvgp__visit_indices(v, 1, &arm, n);
        late->arm[at] = (uint32_t)arm;
        tvgp__visit_real(v, &late->value[at][0], -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
        tvgp__visit_real(v, &late->value[at][1], 1e-300, INFINITY);
        tvgp__visit_real(v, &late->value[at][2], -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    }
}

static size_t place(const tvgp__delayed *late, size_t k) {
    return (late->first + k) % late->slots;
}

static tvgp__innovation get(const tvgp__delayed *late, size_t k) {
    size_t at = place(late, k);
    const double *v = late->value[at];
    return (tvgp__innovation){.arm = late->arm[at], .t = v[0], .s = v[1], .e = v[2]};
}

static void put(tvgp__delayed *late, size_t k, const tvgp__innovation *seen) {
    size_t at = place(late, k);
    double *v = late->value[at];
    late->arm[at] = (uint32_t)seen->arm;
    v[0] = seen->t;
    v[1] = seen->s;
    v[2] = seen->e;
}

size_t tvgp__delayed_made_by(const tvgp__delayed *late, double t) {
    size_t k = late->count;
    while (k && late->count - k <= late->limit && get(late, k - 1).t > t)
        k--;
    return late->count - k > late->limit || (!k && late->older.t > t) ? SIZE_MAX : k;
}

/* ---- states ----------------------------------------------------------------------------------------------------- */

static void pack(tvgp__delayed_state *state, const tvgp__weight_space *w) {
    tvgp__weight_space_copy(w, 0, state->R);
    tvgp__blas_scale(tvgp__weight_space_triangle(w->basis.r), w->scale, state->R);
}

static void unpack(const tvgp__delayed_state *state, tvgp__weight_space *w) {
    memcpy(w->R, state->R, tvgp__weight_space_triangle(w->basis.r) * sizeof *w->R);
    w->scale = 1;
    w->n_waiting = 0;
}

/* From time *t to `to`: the covariance in w, and a vector that fades with it. */
static void move(const tvgp__delayed *late, tvgp__weight_space *w, double *v, double *t, double to) {
    double m = *t == -INFINITY ? 1 : tvgp__drift_between(&late->law, *t, to).m; /* the prior does not fade */
    *t = to;
    if (m == 1)
        return;
    tvgp__weight_space_decay(w, m * m);
    for (size_t j = 0; j < late->r; j++)
        v[j] *= m;
}

/* One observation again, in a state with this mean at time *t; one that taught nothing (s infinite) does so again. */
static void repeat(const tvgp__delayed *late, tvgp__weight_space *w, double *mean, double *t, const tvgp__innovation *seen) {
    move(late, w, mean, t, seen->t);
    tvgp__weight_space_look(w, seen->arm, tvgp__drift_kappa(&late->law, *t));
    tvgp__weight_space_observe(w, seen->s);
    tvgp__blas_axpy(late->r, seen->e / sqrt(seen->s), w->c, mean);
}

/* The older state takes in the oldest observation; R of w is overwritten. */
static void leave_out(tvgp__delayed *late, tvgp__weight_space *w) {
    tvgp__innovation oldest = get(late, 0);
    unpack(&late->older, w);
    repeat(late, w, late->older.mean, &late->older.t, &oldest);
    pack(&late->older, w);
    late->first = place(late, 1);
    late->count--;
    late->in_newer--;
}

/* What a late observation adds to the newer state, by its weights then. */
static void amend(tvgp__delayed *late, const tvgp__insertion *in) {
    tvgp__loops_spr(late->r, 1, in->h, late->newer.R);
    tvgp__blas_axpy(late->r, in->eta, in->h, late->newer.mean);
}

void tvgp__delayed_start(tvgp__delayed *late, const tvgp__weight_space *w, double decay, double t) {
    pack(&late->older, w);
    tvgp__blas_scale(tvgp__weight_space_triangle(late->r), 1 / decay, late->older.R);
    memcpy(late->older.mean, w->mean, late->r * sizeof *w->mean);
    tvgp__blas_scale(late->r, 1 / sqrt(decay), late->older.mean);
    late->older.t = t;
}

void tvgp__delayed_keep(tvgp__delayed *late, const tvgp__innovation *seen) {
    put(late, late->count++, seen);
}

void tvgp__delayed_mark(tvgp__delayed *late, const tvgp__weight_space *w, double now) {
    pack(&late->newer, w);
    memcpy(late->newer.mean, w->mean, late->r * sizeof *w->mean);
    late->newer.t = now;
    late->in_newer = late->count;
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Whether the newer state knows a late observation of this time. */
static int inside(const tvgp__delayed *late, double t) {
    return t < late->newer.t;
}

double tvgp__delayed_rewind(tvgp__delayed *late, tvgp__weight_space *w, size_t *k, double t, size_t arm) {
    if (*k && inside(late, t) && late->in_newer >= late->limit) { /* its place in the ring */
        leave_out(late, w);
        --*k;
    }
    const tvgp__delayed_state *start = inside(late, t) ? &late->older : &late->newer;
    double at = start->t;
    unpack(start, w);
    memcpy(late->mean, start->mean, late->r * sizeof *late->mean);
    for (size_t i = inside(late, t) ? 0 : late->in_newer; i < *k; i++) {
        tvgp__innovation seen = get(late, i);
        repeat(late, w, late->mean, &at, &seen);
    }
    move(late, w, late->mean, &at, t);
    tvgp__weight_space_look(w, arm, tvgp__drift_kappa(&late->law, t));
    return tvgp__blas_dot(late->r, w->phi, late->mean);
}

/* Past one observation kept. */
static void pass(tvgp__delayed *late, tvgp__weight_space *w, size_t k, double *t, tvgp__insertion *in) {
    tvgp__innovation seen = get(late, k);
    move(late, w, in->h, t, seen.t);
    tvgp__weight_space_look(w, seen.arm, tvgp__drift_kappa(&late->law, *t));
    tvgp__weight_space_observe(w, seen.s);
    tvgp__innovation_pass(in, tvgp__blas_dot(late->r, in->h, w->phi), &seen, w->c);
    put(late, k, &seen);
}

void tvgp__delayed_carry(tvgp__delayed *late, tvgp__weight_space *w, size_t k, double t, double now, tvgp__insertion *in) {
    int amends = inside(late, t);
    for (; amends && k < late->in_newer; k++)
        pass(late, w, k, &t, in);
    if (amends) {
        move(late, w, in->h, &t, late->newer.t);
        amend(late, in);
    }
    for (; k < late->count; k++)
        pass(late, w, k, &t, in);
    move(late, w, in->h, &t, now);
    tvgp__weight_space_add(w, in->h);
}

/* The newer state becomes the older one, and the present the newer. */
static void turn(tvgp__delayed *late, const tvgp__weight_space *w, double now) {
    tvgp__delayed_state newer = late->newer;
    late->first = place(late, late->in_newer);
    late->count -= late->in_newer;
    late->newer = late->older;
    late->older = newer;
    tvgp__delayed_mark(late, w, now);
}

void tvgp__delayed_add(tvgp__delayed *late, size_t k, const tvgp__innovation *seen, const tvgp__weight_space *w,
                       double now) {
    for (size_t later = late->count++; later > k; later--) {
        tvgp__innovation moved = get(late, later - 1);
        put(late, later, &moved);
    }
    put(late, k, seen);
    if (inside(late, seen->t))
        late->in_newer++;
    if (late->count - late->in_newer >= late->limit)
        turn(late, w, now);
}

/* SPDX-License-Identifier: MIT */
#include "kalman/arm_filter.h"

#include "base/simd_clones.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum { TURN = TVGP__ARM_FILTER_TURN };

/* Number of state entries with n arms, and the first entry of a slot. */
static size_t order_of(const tvgp__arm_filter *f, size_t n) {
    return 1 + f->states * n;
}

static double loading(const tvgp__arm_filter *f, size_t part) {
    return f->states == 1 ? 1 : sqrt(part ? f->model.lasting : 1 - f->model.lasting);
}

static double kept(double rate, double elapsed) {
    return rate > 0 ? exp(0.5 * elapsed * log1p(-rate)) : 1;
}

tvgp__arm_view tvgp__arm_filter_view(const tvgp__arm_filter *f, double elapsed) {
    tvgp__arm_view view = {.level = kept(f->model.level_rate, elapsed)};
    view.part[0] = loading(f, 0) * kept(f->model.rate, elapsed);
    view.part[1] = f->states == 2 ? loading(f, 1) : 0;
    return view;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* The diagonal of n entries: `level`, then `part` and where there are two states 1 in turn. */
TVGP__SIMD_CLONES
static void fill(size_t n, size_t states, double level, double part, double *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] = states == 1 || i % 2 ? part : 1;
    out[0] = level;
}

TVGP__SIMD_CLONES
static void multiply(size_t n, double factor, const double *restrict diagonal, double *restrict x) {
    for (size_t i = 0; i < n; i++)
        x[i] *= factor * diagonal[i];
}

static void fade_own(const tvgp__arm_filter *f, size_t n, double m) {
    for (size_t i = 0; i < n && f->states == 1; i++)
        f->own[i] *= m * m;
    for (size_t i = 0; i < n && f->states == 2; i++) {
        f->own[3 * i] *= m * m;
        f->own[3 * i + 1] *= m;
    }
}

void tvgp__arm_filter_advance(tvgp__arm_filters *set, tvgp__arm_filter *f, double elapsed) {
    const size_t d = order_of(f, set->n);
    const double level = kept(f->model.level_rate, elapsed), part = kept(f->model.rate, elapsed);
    if (!set->n || (level == 1 && part == 1))
        return;
    fill(d, f->states, level, part, set->fading);
    multiply(d, 1, set->fading, f->mean);
    multiply(d, level, set->fading, f->level);
    fade_own(f, set->n, part);
    for (size_t k = 0; k < f->fresh; k++)
        multiply(d, 1, set->fading, f->U + k * f->ld);
    f->fade[0] *= level;
    f->fade[1] *= part;
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

void tvgp__arm_filter_moments(const tvgp__arm_filters *set, const tvgp__arm_filter *f, const tvgp__arm_view *view,
                              size_t slot, double *mean, double *var) {
    const double *h = view->part;
    double m = 0, known = 0;
    if (slot != TVGP__ARM_FILTER_NONE) {
        const size_t at = order_of(f, slot);
        const double *x = f->mean + at, *with = f->level + at, *own = f->own + (f->states == 1 ? 1 : 3) * slot;
        m = h[0] * x[0] + (f->states == 2 ? h[1] * x[1] : 0);
        known = h[0] * (2 * view->level * with[0] + h[0] * own[0]);
        if (f->states == 2)
            known += h[1] * (2 * view->level * with[1] + 2 * h[0] * own[1] + h[1] * own[2]);
    }
    *mean = set->room ? view->level * f->mean[0] + m : 0;
    *var = f->model.level + 1 - (set->room ? view->level * view->level * f->level[0] + known : 0);
}

/* L is the information about G_t(a) in outcomes at t + 1, t + 2, ..: the fixed point of
 *   L <- m (L + 1 / noise) / (1 + (L + 1 / noise) Q),   m = 1 - eps,   Q = eps (1 - q)
 * (Liu, Kuang, Van Roy 2022, predictive sampling). */
static double later_information(const tvgp__arm_filter *f, double noise) {
    const double m = 1 - f->model.rate, Q = f->model.rate * (1 - f->model.lasting), n = 1 / noise, b = 1 + n * Q - m;
    return (sqrt(b * b + 4 * Q * m * n) - b) / (2 * Q);
}

double tvgp__arm_filter_resolvable(const tvgp__arm_filters *set, const tvgp__arm_filter *f, size_t slot, double noise) {
    const tvgp__arm_view now = tvgp__arm_filter_view(f, 0);
    double moving = now.part[0] * now.part[0], var = 1, mean;
    if (slot != TVGP__ARM_FILTER_NONE) {
        const size_t at = order_of(f, slot);
        double with = f->model.level - f->level[0];
        const double level = with;
        tvgp__arm_filter_moments(set, f, &now, slot, &mean, &var);
        for (size_t s = 0; s < f->states; s++)
            with -= now.part[s] * f->level[at + s];
        var = fmax(var - (level > 0 ? with / level * with : 0), 0);
        moving = fmin(fmax(moving * (1 - f->own[(f->states == 1 ? 1 : 3) * slot]), 0), var);
    }
    if (!(f->model.rate > 0) || !(moving > 0))
        return var;
    return var - moving + moving * moving / (moving + 1 / later_information(f, noise));
}

/* out -= a (column j of W R W), over the entries that R covers. */
static void subtract_column(const tvgp__arm_filter *f, size_t j, double a, double *out) {
    const size_t end = f->order, first = f->upper ? 0 : j, last = f->upper ? j + 1 : end;
    for (size_t i = first; i < last; i++)
        out[i] -= a * f->R[j * f->ld + i];
    for (size_t i = 0; i < first; i++)
        out[i] -= a * f->R[i * f->ld + j];
    for (size_t i = last; i < end; i++)
        out[i] -= a * f->R[i * f->ld + j];
}

/* out = P h for a view of an arm. */
static void gain(const tvgp__arm_filters *set, const tvgp__arm_filter *f, const tvgp__arm_view *view, size_t slot,
                 double *out) {
    const size_t d = order_of(f, set->n), at = slot == TVGP__ARM_FILTER_NONE ? d : order_of(f, slot);
    double share[TURN] = {0};
    memset(out, 0, d * sizeof *out);
    for (size_t s = 0; s < f->states && at + s < f->order; s++)
        subtract_column(f, at + s, view->part[s] * (s ? 1 : f->fade[1]), out);
    if (at < f->order) {
        fill(f->order, f->states, f->fade[0], f->fade[1], set->fading);
        multiply(f->order, 1, set->fading, out);
    }
    for (size_t k = 0; k < f->fresh && at < d; k++)
        for (size_t s = 0; s < f->states; s++)
            share[k] += view->part[s] * f->U[k * f->ld + at + s];
    for (size_t k = 0; k < f->fresh && at < d; k++)
        tvgp__blas_axpy(d, -share[k], f->U + k * f->ld, out);
    tvgp__blas_axpy(d, -view->level, f->level, out);
    out[0] += view->level * f->model.level;
    for (size_t s = 0; s < f->states && at < d; s++)
        out[at + s] += view->part[s];
}

static void add_own(const tvgp__arm_filter *f, size_t n, const double *u) {
    for (size_t i = 0; i < n && f->states == 1; i++)
        f->own[i] += u[1 + i] * u[1 + i];
    for (size_t i = 0; i < n && f->states == 2; i++) {
        const double a = u[1 + 2 * i], b = u[2 + 2 * i];
        f->own[3 * i] += a * a;
        f->own[3 * i + 1] += a * b;
        f->own[3 * i + 2] += b * b;
    }
}

/* R <- W R W over d entries, of which the new ones are 0. */
static void widen(const tvgp__arm_filter *f, size_t d, const double *fading) {
    for (size_t j = 0; j < d; j++) {
        const size_t first = f->upper ? 0 : j, last = f->upper ? j + 1 : d;
        const size_t end = last < f->order ? last : f->order, held = j < f->order ? end : first;
        double *column = f->R + j * f->ld;
        if (held > first && (f->fade[0] != 1 || f->fade[1] != 1))
            multiply(held - first, fading[j], fading + first, column + first);
        memset(column + held, 0, (last - held) * sizeof *column);
    }
}

static void add_fresh(const tvgp__arm_filters *set, tvgp__arm_filter *f) {
    const size_t d = order_of(f, set->n);
    fill(d, f->states, f->fade[0], f->fade[1], set->fading);
    widen(f, d, set->fading);
    tvgp__blas_syrk_half(f->upper, d, f->fresh, f->U, f->ld, f->R, f->ld);
    f->order = d;
    f->fresh = 0;
    f->fade[0] = f->fade[1] = 1;
}

void tvgp__arm_filter_observe(tvgp__arm_filters *set, tvgp__arm_filter *f, const tvgp__arm_view *view, size_t slot, double S,
                              double e, size_t number) {
    const size_t d = order_of(f, set->n), turn = (size_t)(f - set->filter) % TURN;
    double *u = f->U + f->fresh * f->ld, *g = set->gain;
    gain(set, f, view, slot, g);
    const double root = sqrt(S);
    for (size_t i = 0; i < d; i++)
        u[i] = g[i] / root;
    f->fresh++;
    tvgp__blas_axpy(d, e / root, u, f->mean);
    tvgp__blas_axpy(d, u[0], u, f->level);
    add_own(f, set->n, u);
    if (number % TURN == turn || f->fresh == TURN)
        add_fresh(set, f);
}

/* K = k_cc e e', e the unit vector of c. */
void tvgp__arm_filter_restart(const tvgp__arm_filters *set, const tvgp__arm_filter *from, tvgp__arm_filter *f) {
    const size_t d = order_of(f, set->n);
    const double mean = from->mean[0], known = fmax(from->level[0], 0);
    memset(f->mean, 0, d * sizeof *f->mean);
    memset(f->level, 0, d * sizeof *f->level);
    memset(f->own, 0, (f->states == 1 ? 1 : 3) * set->n * sizeof *f->own);
    memset(f->U, 0, d * sizeof *f->U);
    f->mean[0] = mean;
    f->level[0] = known;
    f->U[0] = sqrt(known);
    f->fresh = 1;
    f->order = 0;
    f->fade[0] = f->fade[1] = 1;
}

void tvgp__arm_filter_column(const tvgp__arm_filters *set, const tvgp__arm_filter *f, const tvgp__arm_view *view,
                             size_t slot, double *out) {
    const double *h = view->part, drawn = f->model.level * (1 - view->level * view->level); /* since: of c, of the arm */
    double *g = set->gain;
    if (!set->n) {
        *out = f->model.level;
        return;
    }
    gain(set, f, view, slot, g);
    for (size_t i = 0; i < set->n; i++) {
        const double *x = g + order_of(f, i);
        out[i] = drawn + view->level * g[0] + h[0] * x[0] + (f->states == 2 ? h[1] * x[1] : 0);
    }
    out[set->n] = drawn + view->level * g[0];
    if (slot != TVGP__ARM_FILTER_NONE)
        out[slot] += 1 - h[0] * h[0] - h[1] * h[1];
}

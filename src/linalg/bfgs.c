/* SPDX-License-Identifier: MIT */
/* Plain loops, because p is small and the result must not depend on the BLAS in use. */
#include "linalg/bfgs.h"

#include <math.h>
#include <string.h>

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(size_t n, const double *a) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static void set_curvature(tvgp__bfgs *b, double c) {
    memset(b->B, 0, b->p * b->p * sizeof *b->B);
    for (size_t i = 0; i < b->p; i++)
        b->B[i * (b->p + 1)] = c;
}

/* With it a full step is about first_step long. */
static double first_curvature(const tvgp__bfgs *b) {
    return fmax(largest(b->p, b->g) / b->rules->first_step, b->rules->least_first);
}

size_t tvgp__bfgs_room(size_t p) {
    return 2 * p * p + 4 * p;
}

void tvgp__bfgs_open(tvgp__bfgs *b, size_t p, double *memory, const tvgp__bfgs_rules *rules, const double *lower,
                     const double *upper, const double *x, const double *B_or_null) {
    *b = (tvgp__bfgs){.p = p,
                      .rules = rules,
                      .lower = lower,
                      .upper = upper,
                      .f = INFINITY,
                      .B = memory,
                      .factor = memory + p * p,
                      .x = memory + 2 * p * p,
                      .g = memory + 2 * p * p + p,
                      .trial = memory + 2 * p * p + 2 * p,
                      .d = memory + 2 * p * p + 3 * p,
                      .fresh = !B_or_null};
    memset(memory, 0, tvgp__bfgs_room(p) * sizeof *memory); /* snapshots have all of it, also before the first evaluation */
    for (size_t i = 0; i < p; i++)
        b->x[i] = b->trial[i] = fmin(fmax(x[i], lower[i]), upper[i]);
    if (B_or_null)
        memcpy(b->B, B_or_null, p * p * sizeof *b->B);
}

/* ---- direction -------------------------------------------------------------------------------------------------- */

/* At a bound, and `way` points out of the box. */
static int held(const tvgp__bfgs *b, size_t i, double way) {
    return b->lower[i] == b->upper[i] || (way < 0 && b->x[i] <= b->lower[i]) || (way > 0 && b->x[i] >= b->upper[i]);
}

/* Lower Cholesky factor of B over the coordinates `free`, row-major with leading dimension p; 0 when it is not positive
 * definite. */
static int factorise(const tvgp__bfgs *b, size_t n, const size_t *free) {
    double *L = b->factor;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double s = b->B[free[i] * b->p + free[j]] - dot(j, L + i * b->p, L + j * b->p);
            if (i == j && !(s > 0 && isfinite(s)))
                return 0;
            L[i * b->p + j] = i == j ? sqrt(s) : s / L[j * b->p + j];
        }
    return 1;
}

/* d = -B_FF^-1 g_F, 0 elsewhere. */
static void solve(tvgp__bfgs *b, size_t n, const size_t *free) {
    const double *L = b->factor;
    double w[TVGP__BFGS_MOST];
    for (size_t i = 0; i < n; i++)
        w[i] = (-b->g[free[i]] - dot(i, L + i * b->p, w)) / L[i * b->p + i];
    memset(b->d, 0, b->p * sizeof *b->d);
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            w[i] -= L[k * b->p + i] * w[k];
        w[i] /= L[i * b->p + i];
        b->d[free[i]] = w[i];
    }
}

/* Newton's direction of the model over the free coordinates: those not held against the gradient and, after that, not held
 * against the direction itself, so that a short step along d stays in the box and goes down. */
static void direction(tvgp__bfgs *b) {
    size_t free[TVGP__BFGS_MOST], n = 0;
    for (size_t i = 0; i < b->p; i++)
        if (!held(b, i, -b->g[i]))
            free[n++] = i;
    for (size_t before = n + 1; n < before;) {
        before = n;
        if (!factorise(b, n, free)) {
            set_curvature(b, first_curvature(b)); /* in the unit of f */
            (void)factorise(b, n, free);
        }
        solve(b, n, free);
        n = 0;
        for (size_t k = 0; k < before; k++)
            if (!held(b, free[k], b->d[free[k]]))
                free[n++] = free[k];
    }
}

/* ---- line search ------------------------------------------------------------------------------------------------ */

static int propose(tvgp__bfgs *b) {
    if (b->tried++ == b->rules->tries)
        return TVGP__BFGS_STUCK;
    int moved = 0;
    for (size_t i = 0; i < b->p; i++) {
        b->trial[i] = fmin(fmax(b->x[i] + b->a * b->d[i], b->lower[i]), b->upper[i]);
        moved |= b->trial[i] != b->x[i];
    }
    return moved ? TVGP__BFGS_EVALUATE : TVGP__BFGS_STUCK;
}

static double free_gradient(const tvgp__bfgs *b) {
    double most = 0;
    for (size_t i = 0; i < b->p; i++)
        if (!held(b, i, -b->g[i]))
            most = fmax(most, fabs(b->g[i]));
    return most;
}

static int begin_line(tvgp__bfgs *b) {
    const tvgp__bfgs_rules *r = b->rules;
    direction(b);
    if (free_gradient(b) <= r->tol_gradient || -0.5 * dot(b->p, b->g, b->d) < r->tol_gain)
        return TVGP__BFGS_CONVERGED;
    b->a = fmin(1, (b->iterations ? r->cap : r->cap_first) / largest(b->p, b->d));
    b->tried = 0;
    return propose(b);
}

/* Sufficient decrease; or, where the values are round-off, a slope that has fallen. */
static int good(const tvgp__bfgs *b, double f, double slope, double slope_there) {
    return f <= b->f + 1e-4 * slope || (fabs(f - b->f) <= b->rules->flat && fabs(slope_there) <= 0.9 * fabs(slope));
}

static int again(tvgp__bfgs *b, double f, double slope) {
    double factor = isfinite(f) ? -slope / (2 * (f - b->f - slope)) : 0.1; /* minimum of the parabola */
    b->a *= fmin(fmax(factor, 0.1), 0.5);
    return propose(b);
}

/* ---- update ----------------------------------------------------------------------------------------------------- */

/* B += y y'/s'y - Bs (Bs)'/s'Bs, with y damped so that s'y stays well above 0. */
static void update(tvgp__bfgs *b, const double *s, double *y) {
    size_t p = b->p;
    double Bs[TVGP__BFGS_MOST], sy = dot(p, s, y);
    if (b->fresh && sy > 0)
        set_curvature(b, fmax(dot(p, y, y) / sy, b->rules->least_curved));
    b->fresh = 0;
    for (size_t i = 0; i < p; i++)
        Bs[i] = dot(p, b->B + i * p, s);
    double sBs = dot(p, s, Bs), c = b->rules->damping;
    if (!(sBs > 0))
        return;
    double t = sy < c * sBs ? (1 - c) * sBs / (sBs - sy) : 1;
    for (size_t i = 0; i < p; i++)
        y[i] = t * y[i] + (1 - t) * Bs[i];
    sy = dot(p, s, y);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            b->B[i * p + j] += y[i] * y[j] / sy - Bs[i] * Bs[j] / sBs;
}

static int accept(tvgp__bfgs *b, double f, const double *g) {
    double s[TVGP__BFGS_MOST], y[TVGP__BFGS_MOST];
    for (size_t i = 0; i < b->p; i++) {
        s[i] = b->trial[i] - b->x[i];
        y[i] = g[i] - b->g[i];
    }
    update(b, s, y);
    b->f = f;
    memcpy(b->x, b->trial, b->p * sizeof *b->x);
    memcpy(b->g, g, b->p * sizeof *b->g);
    b->iterations++;
    return largest(b->p, s) < b->rules->tol_step ? TVGP__BFGS_CONVERGED : begin_line(b);
}

static int take_first(tvgp__bfgs *b, double f, const double *g) {
    if (!isfinite(f))
        return TVGP__BFGS_STUCK;
    b->f = f;
    memcpy(b->g, g, b->p * sizeof *b->g);
    if (b->fresh)
        set_curvature(b, first_curvature(b));
    return begin_line(b);
}

static int all_finite(double f, size_t n, const double *g) {
    for (size_t i = 0; i < n && isfinite(f); i++)
        f = isfinite(g[i]) ? f : INFINITY;
    return isfinite(f);
}

int tvgp__bfgs_take(tvgp__bfgs *b, double f, const double *g) {
    if (!all_finite(f, b->p, g))
        f = INFINITY;
    if (!isfinite(b->f))
        return take_first(b, f, g);
    double slope = 0, there = 0; /* along the step, here and at the trial point */
    for (size_t i = 0; i < b->p; i++) {
        slope += b->g[i] * (b->trial[i] - b->x[i]);
        there += isfinite(f) ? g[i] * (b->trial[i] - b->x[i]) : 0;
    }
    return isfinite(f) && good(b, f, slope, there) ? accept(b, f, g) : again(b, f, slope);
}

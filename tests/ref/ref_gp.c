/* SPDX-License-Identifier: MIT */
/* Rasmussen and Williams 2006, algorithm 2.1, one observation at a time. */
#include "ref/ref_gp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ref_gp_init(struct ref_gp *gp, const struct ref_kernel *space, double epsilon, size_t capacity) {
    double *block = calloc(capacity * (space->dim + 6) + capacity * (capacity + 1) / 2, sizeof *block);
    if (block == NULL)
        abort();
    *gp = (struct ref_gp){.space = space, .epsilon = epsilon, .capacity = capacity};
    gp->t = block;
    gp->noise = gp->t + capacity;
    gp->y = gp->noise + capacity;
    gp->z = gp->y + capacity;
    gp->v = gp->z + capacity;
    gp->w = gp->v + capacity;
    gp->x = gp->w + capacity;
    gp->L = gp->x + capacity * space->dim;
}

void ref_gp_free(struct ref_gp *gp) {
    free(gp->t);
}

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double *row(const struct ref_gp *gp, size_t i) {
    return gp->L + i * (i + 1) / 2;
}

static double covariance(const struct ref_gp *gp, const double *x, double t, const double *z, double s) {
    return ref_kernel(gp->space, x, z) * ref_forgetting(gp->epsilon, t, s) * ref_wiener(gp->rate, 0, t, s) *
           ref_matern(gp->lambda, t, s);
}

/* out = L^-1 k(observations, (x, t)) by forward substitution */
static void whiten(const struct ref_gp *gp, const double *x, double t, double *out) {
    for (size_t i = 0; i < gp->n; i++) {
        double k = covariance(gp, gp->x + i * gp->space->dim, gp->t[i], x, t);
        out[i] = (k - dot(i, row(gp, i), out)) / row(gp, i)[i];
    }
}

void ref_gp_add(struct ref_gp *gp, const double *x, double t, double y, double noise) {
    size_t n = gp->n;
    double *l = row(gp, n);
    if (n == gp->capacity)
        abort();
    whiten(gp, x, t, l);
    l[n] = sqrt(covariance(gp, x, t, x, t) + noise - dot(n, l, l));
    gp->z[n] = (y - dot(n, l, gp->z)) / l[n];
    memmove(gp->x + n * gp->space->dim, x, gp->space->dim * sizeof *x);
    gp->t[n] = t;
    gp->y[n] = y;
    gp->noise[n] = noise;
    gp->n = n + 1;
}

void ref_gp_drop(struct ref_gp *gp, size_t n_oldest) {
    size_t n = gp->n, dim = gp->space->dim;
    if (n_oldest == 0)
        return;
    gp->n = 0;
    for (size_t i = n_oldest; i < n; i++)
        ref_gp_add(gp, gp->x + i * dim, gp->t[i], gp->y[i], gp->noise[i]);
}

void ref_gp_predict(struct ref_gp *gp, size_t n, const double *x, double t, double *mean, double *var) {
    for (size_t i = 0; i < n; i++) {
        const double *xi = x + i * gp->space->dim;
        whiten(gp, xi, t, gp->v);
        if (mean != NULL)
            mean[i] = dot(gp->n, gp->v, gp->z);
        if (var != NULL)
            var[i] = covariance(gp, xi, t, xi, t) - dot(gp->n, gp->v, gp->v);
    }
}

double ref_gp_covariance(struct ref_gp *gp, const double *x1, const double *x2, double t) {
    whiten(gp, x1, t, gp->v);
    whiten(gp, x2, t, gp->w);
    return covariance(gp, x1, t, x2, t) - dot(gp->n, gp->v, gp->w);
}

size_t ref_gp_points(const struct ref_gp *gp) {
    size_t dim = gp->space->dim, points = 0;
    for (size_t i = 0; i < gp->n; i++) {
        size_t j = 0;
        while (memcmp(gp->x + i * dim, gp->x + j * dim, dim * sizeof *gp->x) != 0)
            j++;
        points += j == i;
    }
    return points;
}

double ref_gp_log_evidence(const struct ref_gp *gp) {
    double value = -dot(gp->n, gp->z, gp->z) / 2;
    for (size_t i = 0; i < gp->n; i++)
        value -= log(row(gp, i)[i]) + log(2 * 3.14159265358979323846) / 2;
    return value;
}

double ref_gp_information_gain(const struct ref_gp *gp) {
    double value = 0;
    for (size_t i = 0; i < gp->n; i++)
        value += log(row(gp, i)[i]) - log(gp->noise[i]) / 2;
    return value;
}

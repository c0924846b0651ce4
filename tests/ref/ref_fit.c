/* SPDX-License-Identifier: MIT */
/* theta = log lengthscales, log ratio, log rate (with forgetting). With M = C + g I, L L' = M, p = L^-1 1, q = L^-1 (y - mean y):
 *   A = p'p, c = p'q / A, Q = q'q - c p'q, B = var(y) / (1 + g), s = (2 B + Q) / (n + 1)
 *   log E = -sum log L_ii - 1/2 log A - (n+1)/2 log(2 B + Q) + lgamma((n+1)/2) - (n-1)/2 log pi + log 2 B */
#include "ref/ref_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = REF_FIT_DIM + 2 };

static double covariance(const struct ref_fit *f, const double *theta, size_t i, size_t j) {
    double r2 = 0, time = 1;
    for (size_t d = 0; d < f->d; d++)
        r2 += pow((f->x[i * f->d + d] - f->x[j * f->d + d]) / exp(theta[d]), 2);
    if (f->step > 0)
        time = exp(-exp(theta[f->d + 1]) * fabs(f->t[i] - f->t[j]));
    return (1 + sqrt(5 * r2) + 5 * r2 / 3) * exp(-sqrt(5 * r2)) * time;
}

static double log_prior(const struct ref_fit *f, const double *theta) {
    const double d = (double)f->d, centre = log(0.3 * pow(d, 0.25)), z = 0.5 * (theta[f->d] - log(0.01));
    double sum = 0, squares = 0, total = z > 0 ? -log(1 + z * z) : -0.5 * z * z;
    for (size_t k = 0; k < f->d; k++) {
        sum += theta[k] - centre;
        squares += pow(theta[k] - centre, 2);
    }
    total -= 0.5 * (d > 1 ? squares - sum * sum / (1 + d) : squares) / 0.36;
    if (f->step > 0)
        total -= 0.125 * pow(theta[f->d + 1] + log(f->step) - log(0.01), 2);
    return total;
}

/* Rows of L one after another, then p and q. */
static void factor(const struct ref_fit *f, const double *theta, double mean, double *L, double *p, double *q) {
    for (size_t i = 0; i < f->n; i++) {
        double *row = L + i * f->n;
        p[i] = 1;
        q[i] = f->y[i] - mean;
        for (size_t j = 0; j <= i; j++) {
            row[j] = covariance(f, theta, i, j) + (i == j ? exp(theta[f->d]) : 0);
            for (size_t k = 0; k < j; k++)
                row[j] -= row[k] * L[j * f->n + k];
            row[j] = i == j ? sqrt(row[j]) : row[j] / L[j * f->n + j];
        }
        for (size_t j = 0; j < i; j++) {
            p[i] -= row[j] * p[j];
            q[i] -= row[j] * q[j];
        }
        p[i] /= row[i];
        q[i] /= row[i];
    }
}

static double objective(const struct ref_fit *f, const double *theta, struct ref_optimum *out) {
    const double n = (double)f->n;
    double *L = malloc((f->n * f->n + 2 * f->n) * sizeof *L), *p, *q, mean = 0, variance = 0, logs = 0;
    double pp = 0, pq = 0, qq = 0;
    if (!L)
        abort();
    p = L + f->n * f->n;
    q = p + f->n;
    for (size_t i = 0; i < f->n; i++)
        mean += f->y[i] / n;
    for (size_t i = 0; i < f->n; i++)
        variance += pow(f->y[i] - mean, 2) / (n - 1);
    factor(f, theta, mean, L, p, q);
    for (size_t i = 0; i < f->n; i++) {
        logs += log(L[i * f->n + i]);
        pp += p[i] * p[i];
        pq += p[i] * q[i];
        qq += q[i] * q[i];
    }
    free(L);
    const double B = variance / (1 + exp(theta[f->d])), Q = qq - pq * pq / pp;
    out->mean = mean + pq / pp;
    out->scale = (2 * B + Q) / (n + 1);
    out->evidence = -logs - 0.5 * log(pp) - 0.5 * (n + 1) * log(2 * B + Q) + lgamma(0.5 * (n + 1)) -
                    0.5 * (n - 1) * log(acos(-1)) + log(2 * B);
    out->objective = out->evidence + log_prior(f, theta);
    return out->objective;
}

static double at(const struct ref_fit *f, const double *theta, size_t i, double a, size_t j, double b) {
    double moved[MOST];
    struct ref_optimum ignored;
    for (size_t k = 0; k < MOST; k++)
        moved[k] = theta[k];
    moved[i] += a;
    moved[j] += b;
    return objective(f, moved, &ignored);
}

/* Solves (lambda I - H) step = g by elimination; lambda is large enough to need no pivots, or the step is not taken. */
static void solve(size_t p, const double *H, const double *g, double lambda, double *step) {
    double A[MOST * MOST];
    for (size_t i = 0; i < p; i++) {
        step[i] = g[i];
        for (size_t j = 0; j < p; j++)
            A[i * p + j] = (i == j ? lambda : 0) - H[i * p + j];
    }
    for (size_t i = 0; i < p; i++)
        for (size_t k = i + 1; k < p; k++) {
            const double factor_k = A[k * p + i] / A[i * p + i];
            for (size_t j = i; j < p; j++)
                A[k * p + j] -= factor_k * A[i * p + j];
            step[k] -= factor_k * step[i];
        }
    for (size_t i = p; i-- > 0;) {
        for (size_t j = i + 1; j < p; j++)
            step[i] -= A[i * p + j] * step[j];
        step[i] /= A[i * p + i];
    }
}

static double climb(const struct ref_fit *f, double *theta, struct ref_optimum *out) {
    const size_t p = f->d + 1 + (f->step > 0);
    double value = objective(f, theta, out), lambda = 1;
    for (int round = 0; round < 60; round++) {
        double g[MOST], H[MOST * MOST], step[MOST], longest = 0;
        for (size_t i = 0; i < p; i++) {
            g[i] = (at(f, theta, i, 1e-4, i, 0) - at(f, theta, i, -1e-4, i, 0)) / 2e-4;
            for (size_t j = 0; j <= i; j++)
                H[i * p + j] = H[j * p + i] = (at(f, theta, i, 1e-3, j, 1e-3) - at(f, theta, i, 1e-3, j, -1e-3) -
                                               at(f, theta, i, -1e-3, j, 1e-3) + at(f, theta, i, -1e-3, j, -1e-3)) /
                                              4e-6;
        }
        for (int tries = 0; tries < 30; tries++) {
            double next[MOST] = {0};
            longest = 0;
            solve(p, H, g, lambda, step);
            for (size_t i = 0; i < p; i++) {
                next[i] = theta[i] + step[i];
                longest = fmax(longest, fabs(step[i]));
            }
            struct ref_optimum there;
            if (longest < 3 && objective(f, next, &there) >= value) {
                value = there.objective;
                *out = there;
                for (size_t i = 0; i < p; i++)
                    theta[i] = next[i];
                lambda *= 0.1;
                break;
            }
            lambda = fmax(10 * lambda, 1e-6);
        }
        if (longest < 1e-8)
            break;
    }
    return value;
}

struct ref_optimum ref_fit_optimum(const struct ref_fit *f, const struct ref_optimum *third) {
    struct ref_optimum best = {.objective = -DBL_MAX};
    for (int start = 0; start < (third ? 3 : 2); start++) {
        double theta[MOST] = {0};
        struct ref_optimum end;
        for (size_t k = 0; k < f->d; k++)
            theta[k] = log(start == 2 ? third->lengthscale[k] : 0.3 * pow((double)f->d, 0.25));
        theta[f->d] = log(start == 2 ? third->ratio : start ? 10 : 0.01);
        if (f->step > 0)
            theta[f->d + 1] = log(start == 2 ? third->rate : 0.01 / f->step);
        if (!(climb(f, theta, &end) > best.objective))
            continue;
        best = end;
        for (size_t k = 0; k < f->d; k++)
            best.lengthscale[k] = exp(theta[k]);
        best.ratio = exp(theta[f->d]);
        best.rate = f->step > 0 ? exp(theta[f->d + 1]) : 0;
    }
    return best;
}

/* SPDX-License-Identifier: MIT */
/* Discounted LinUCB (Russac, Vernade, Cappe, NeurIPS 2019, algorithm 1) on features of a kernel matrix: a basis of its d leading
 * directions, scaled so that the longest feature has length 1. With V = W = lam I, b = 0 at first:
 * theta = V^-1 b, beta = sqrt(lam) S + sig sqrt(2 ln(1/delta) + d ln(1 + (1 - gamma^(2 (t-1))) / (d lam (1 - gamma^2)))), the arm
 * of largest x'theta + scale beta sqrt(x' V^-1 W V^-1 x); then V = gamma V + x x' + (1 - gamma) lam I, W = gamma^2 W + x x' + (1 -
 * gamma^2) lam I, b = gamma b + (r - centre) x. lam = 1, S = 1, sig = 1/2, delta = .01; gamma = 1 - (V_T / (d T))^(2/3) where the
 * variation V_T is given, else .98. Nothing depends on how the basis is turned. */
#include "draw.h"
#include "players_all.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, ROUNDS = 60 };

typedef struct linear {
    size_t arms, d, t;
    double gamma, scale, centre, beta, index, *X, *score; /* X: arms x d */
    double V[MOST * MOST], W[MOST * MOST], b[MOST];
} linear;

/* ---- small matrices, row-major ------------------------------------------------------------------------------------ */

static void solve(size_t d, const double *L, double *x) { /* x = (L L')^-1 x */
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= L[i * d + k] * x[k];
        x[i] /= L[i * d + i];
    }
    for (size_t i = d; i-- > 0;) {
        for (size_t k = i + 1; k < d; k++)
            x[i] -= L[k * d + i] * x[k];
        x[i] /= L[i * d + i];
    }
}

/* ---- features ----------------------------------------------------------------------------------------------------- */

/* Columns made orthonormal (Gram and Schmidt, twice); what is round-off becomes 0. */
static void orthonormal(size_t n, size_t d, double *Q) {
    for (size_t j = 0; j < d; j++) {
        double first = 0, norm = 0;
        for (size_t i = 0; i < n; i++)
            first += Q[i * d + j] * Q[i * d + j];
        for (size_t k = 0; k < 2 * j; k++) {
            double inner = 0;
            for (size_t i = 0; i < n; i++)
                inner += Q[i * d + j] * Q[i * d + k % j];
            for (size_t i = 0; i < n; i++)
                Q[i * d + j] -= inner * Q[i * d + k % j];
        }
        for (size_t i = 0; i < n; i++)
            norm += Q[i * d + j] * Q[i * d + j];
        for (size_t i = 0; i < n; i++)
            Q[i * d + j] = norm > 1e-20 * first ? Q[i * d + j] / sqrt(norm) : 0;
    }
}

static void multiply(size_t n, size_t d, const double *K, const double *Q, double *KQ) {
    memset(KQ, 0, n * d * sizeof *KQ);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < d; j++)
                KQ[i * d + j] += K[i * n + k] * Q[k * d + j];
}

/* X X' is K in its d leading directions, found by orthogonal iteration: X = Q L, L L' = Q'K Q. */
static void features(linear *p, const double *K) {
    const size_t n = p->arms, d = p->d;
    double *Q = zoo_numbers(2 * n * d), *KQ = Q + n * d, L[MOST * MOST] = {0}, longest = 0;
    for (size_t i = 0; i < n * d; i++)
        Q[i] = cos(1.7 * (double)(i + 1) * (double)(i % d + 1));
    for (int round = 0; round < ROUNDS; round++) {
        orthonormal(n, d, Q);
        multiply(n, d, K, Q, KQ);
        if (round + 1 < ROUNDS)
            memcpy(Q, KQ, n * d * sizeof *Q);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                L[a * d + b] += Q[i * d + a] * KQ[i * d + b];
    zoo_factor(d, L);
    for (size_t i = 0; i < n; i++) {
        double length = 0;
        for (size_t b = 0; b < d; b++) {
            for (size_t a = b; a < d; a++)
                p->X[i * d + b] += Q[i * d + a] * L[a * d + b];
            length += p->X[i * d + b] * p->X[i * d + b];
        }
        longest = fmax(longest, sqrt(length));
    }
    for (size_t i = 0; i < n * d; i++)
        p->X[i] /= longest;
    free(Q);
}

/* ---- the algorithm --------------------------------------------------------------------------------------------------- */

static void create(void *self, const zoo_facts *f, const double *parameter) {
    linear *p = self;
    const size_t wanted = (size_t)parameter[1], most = f->arms < MOST ? f->arms : MOST;
    *p = (linear){.arms = f->arms, .d = wanted < most ? wanted : most, .scale = parameter[2], .centre = parameter[3]};
    const double known = 1 - pow(f->variation / ((double)p->d * (double)f->steps), 2.0 / 3);
    p->gamma = !isnan(parameter[0]) ? parameter[0] : f->variation != 1 ? fmin(fmax(known, 0.5), 0.9999) : 0.98;
    p->X = zoo_numbers(p->arms * (p->d + 1));
    p->score = p->X + p->arms * p->d;
    features(p, f->K);
    for (size_t i = 0; i < p->d; i++)
        p->V[i * p->d + i] = p->W[i * p->d + i] = 1;
}

static double quadratic(size_t d, const double *M, const double *x) {
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            sum += x[i] * M[i * d + j] * x[j];
    return sum;
}

/* M = V^-1 W V^-1 */
static void width_matrix(const linear *p, const double *L, double *M) {
    const size_t d = p->d;
    for (int side = 0; side < 2; side++)
        for (size_t j = 0; j < d; j++) { /* solves with column j, then with row j of the result */
            double x[MOST];
            for (size_t i = 0; i < d; i++)
                x[i] = side ? M[j * d + i] : p->W[i * d + j];
            solve(d, L, x);
            for (size_t i = 0; i < d; i++)
                M[side ? j * d + i : i * d + j] = x[i];
        }
}

static zoo_choice choose(void *self, const uint8_t *mask, zoo_chance *chance) {
    linear *p = self;
    const size_t d = p->d;
    const double D = (double)d, g2 = p->gamma * p->gamma;
    double L[MOST * MOST], M[MOST * MOST], theta[MOST];
    (void)chance;
    memcpy(L, p->V, sizeof L);
    zoo_factor(d, L);
    memcpy(theta, p->b, sizeof theta);
    solve(d, L, theta);
    width_matrix(p, L, M);
    p->beta = 1 + sqrt(2 * log(100) + D * log(1 + (1 - pow(g2, (double)p->t)) / (D * (1 - g2)))) / 2;
    for (size_t i = 0; i < p->arms; i++) {
        const double *x = p->X + i * d;
        double mean = 0;
        for (size_t k = 0; k < d; k++)
            mean += x[k] * theta[k];
        p->score[i] = mean + p->scale * p->beta * sqrt(fmax(0, quadratic(d, M, x)));
    }
    const size_t best = zoo_argmax(p->arms, p->score, mask);
    p->index = p->score[best];
    return (zoo_choice){best, 1};
}

static void tell(void *self, size_t arm, double r, double probability) {
    linear *p = self;
    const size_t d = p->d;
    const double *x = p->X + arm * d, g = p->gamma;
    (void)probability;
    p->t++;
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++) {
            p->V[i * d + j] = g * p->V[i * d + j] + x[i] * x[j] + (i == j ? 1 - g : 0);
            p->W[i * d + j] = g * g * p->W[i * d + j] + x[i] * x[j] + (i == j ? 1 - g * g : 0);
        }
        p->b[i] = g * p->b[i] + (r - p->centre) * x[i];
    }
}

static double number(const void *self, size_t which) { /* 1: beta, 2: index of the last choice */
    const linear *p = self;
    return which == 0 ? 0 : which == 1 ? p->beta : p->index;
}

static void destroy(void *self) {
    free(((linear *)self)->X);
}

const zoo_player_type zoo_d_linucb = {"d-linucb",
                                      "Russac, Vernade, Cappe 2019",
                                      ZOO_AT_ALL | ZOO_AT_MODEL,
                                      sizeof(linear),
                                      {{"gamma", NAN}, {"d", 10}, {"scale", 1}, {"centre", 0.5}},
                                      create,
                                      choose,
                                      tell,
                                      number,
                                      destroy};

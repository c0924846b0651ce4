/* SPDX-License-Identifier: MIT */
#include "ref/ref_auto.h"

#include <math.h>
#include <string.h>

static const double LEVEL = 1e-9; /* log weights closer than this are equal */

static void prior(const struct ref_auto *r, struct ref_auto_filter *f) {
    memset(f->m, 0, sizeof f->m);
    memset(f->P, 0, sizeof f->P);
    memcpy(f->m, f->mu, r->n * sizeof *f->m);
    f->P[REF_AUTO_K][REF_AUTO_K] = f->constant;
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++) {
            f->P[i][j] = f->K[i * r->n + j];
            if (f->states == 2)
                f->P[r->n + i][r->n + j] = f->K[i * r->n + j];
        }
}

void ref_auto_add(struct ref_auto *r, int states, double rate, const double *K, const double *mu, double level,
                  double constant) {
    struct ref_auto_filter *f = &r->filter[r->J++];
    *f = (struct ref_auto_filter){
        .states = states, .rate = rate, .K = K, .mu = mu, .level = level, .constant = constant, .a = 0.5, .b = 0.5};
    prior(r, f);
    for (size_t j = 0; j < r->J; j++)
        r->filter[j].L = -log((double)r->J);
}

static void advance(const struct ref_auto *r, struct ref_auto_filter *f, double dt) {
    double M[2][2] = {{pow(1 - f->rate, dt / 2), 0}, {0, 0}}, x = f->rate * dt;
    size_t n = r->n, s = (size_t)f->states;
    double m[REF_AUTO_STATES] = {0}, P[REF_AUTO_STATES][REF_AUTO_STATES] = {{0}};
    if (s == 2) {
        M[0][0] = exp(-x) * (1 + x);
        M[0][1] = exp(-x) * x;
        M[1][0] = -exp(-x) * x;
        M[1][1] = exp(-x) * (1 - x);
    }
    for (size_t a = 0; a < s; a++)
        for (size_t i = 0; i < n; i++)
            for (size_t b = 0; b < s; b++)
                m[a * n + i] += M[a][b] * (f->m[b * n + i] - (b == 0 ? f->mu[i] : 0));
    for (size_t a = 0; a < s; a++)
        for (size_t b = 0; b < s; b++) {
            double q = a == b;
            for (size_t c = 0; c < s; c++)
                q -= M[a][c] * M[b][c];
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++) {
                    double sum = q * f->K[i * n + j];
                    for (size_t c = 0; c < s; c++)
                        for (size_t d = 0; d < s; d++)
                            sum += M[a][c] * f->P[c * n + i][d * n + j] * M[b][d];
                    P[a * n + i][b * n + j] = sum;
                }
        }
    for (size_t a = 0; a < s; a++)
        for (size_t i = 0; i < n; i++)
            for (size_t b = 0; b < s; b++)
                P[a * n + i][REF_AUTO_K] = P[REF_AUTO_K][a * n + i] += M[a][b] * f->P[b * n + i][REF_AUTO_K];
    P[REF_AUTO_K][REF_AUTO_K] = f->P[REF_AUTO_K][REF_AUTO_K];
    m[REF_AUTO_K] = f->m[REF_AUTO_K];
    memcpy(f->P, P, sizeof P);
    memcpy(f->m, m, sizeof m);
    for (size_t i = 0; i < n; i++)
        f->m[i] += f->mu[i];
}

/* Log density of an innovation under the factor of a filter. */
static double density(const struct ref_auto *r, double a, double b, double S, double e) {
    static const double pi = 3.14159265358979323846;
    if (!r->scale)
        return -0.5 * (log(2 * pi * S) + e * e / S);
    return lgamma(a + 0.5) - lgamma(a) - 0.5 * log(2 * pi * b * S) - (a + 0.5) * log(1 + e * e / (2 * b * S));
}

/* jump: 0, or the probability that the arm was drawn again, with log density `again`. */
static void observe(const struct ref_auto *r, struct ref_auto_filter *f, size_t arm, double y, double jump, double again) {
    size_t n = REF_AUTO_STATES;
    double g[REF_AUTO_STATES];
    for (size_t i = 0; i < n; i++)
        g[i] = f->P[i][arm] + f->P[i][REF_AUTO_K];
    double S = g[arm] + g[REF_AUTO_K] + f->level * r->noise, e = y - f->m[arm] - f->m[REF_AUTO_K];
    double own = density(r, f->a, f->b, S, e), all = jump > 0 ? log((1 - jump) * exp(own) + jump * exp(again)) : own;
    f->stayed = jump > 0 ? (1 - jump) * exp(own - all) : 1;
    f->L += all;
    if (r->scale) {
        f->a += f->stayed / 2;
        f->b += f->stayed * e * e / (2 * S);
    }
    for (size_t i = 0; i < n; i++) {
        f->m[i] += g[i] * e / S;
        for (size_t j = 0; j < n; j++)
            f->P[i][j] -= g[i] * g[j] / S;
    }
}

static void take(const struct ref_auto *r, struct ref_auto_filter *f, const struct ref_auto_filter *from) {
    f->a = from->a;
    f->b = from->b;
    prior(r, f);
    size_t n = (f->states < from->states ? (size_t)f->states : (size_t)from->states) * r->n, k = REF_AUTO_K;
    for (size_t i = 0; i < n; i++) {
        f->m[i] = from->m[i];
        f->P[i][k] = f->P[k][i] = from->P[i][k];
        for (size_t j = 0; j < n; j++)
            f->P[i][j] = from->P[i][j];
    }
    f->m[k] = from->m[k];
    f->P[k][k] = from->P[k][k];
}

static double log_sum(const double *L, size_t n) {
    double most = -INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, L[j]);
    for (size_t j = 0; j < n; j++)
        sum += exp(L[j] - most);
    return most + log(sum);
}

static size_t leader(const double *L, size_t n) {
    double most = -INFINITY;
    size_t best = 0;
    for (size_t j = 0; j < n; j++)
        most = fmax(most, L[j]);
    while (L[best] < most - LEVEL)
        best++;
    return best;
}

static void weights(const struct ref_auto *r, double *L) {
    for (size_t j = 0; j < r->J; j++)
        L[j] = r->filter[j].L;
    L[r->J] = r->slot_on ? r->filter[r->J].L : -INFINITY;
}

void ref_auto_ask(struct ref_auto *r, double elapsed) {
    double L[REF_AUTO_FILTERS + 1], square[REF_AUTO_ARMS] = {0};
    memset(r->mean, 0, sizeof r->mean);
    r->width = 0;
    weights(r, L);
    double all = log_sum(L, r->J + 1);
    for (size_t j = 0; j <= r->J; j++) {
        struct ref_auto_filter *f = &r->filter[j];
        r->weight[j] = exp(L[j] - all);
        if (j == r->J && !r->slot_on)
            break;
        advance(r, f, elapsed);
        double rate = f->states == 2 ? fmin(1, 0.825 * f->rate) : f->rate;
        r->width += r->weight[j] * sqrt(fmax(0, 0.8 + 0.5 * log(1 / (rate + 1 / ((double)r->observations + 101)))));
        for (size_t i = 0; i < r->n; i++) {
            double m = f->m[i] + f->m[REF_AUTO_K], v = f->P[i][i] + 2 * f->P[i][REF_AUTO_K] + f->P[REF_AUTO_K][REF_AUTO_K];
            r->mean[i] += r->weight[j] * m;
            square[i] += r->weight[j] * (v * (r->scale ? f->b / f->a : 1) + m * m);
        }
    }
    for (size_t i = 0; i < r->n; i++)
        r->var[i] = square[i] - r->mean[i] * r->mean[i];
}

/* Steps 2 and 3. */
static void redraw(struct ref_auto *r, const double *old, size_t lead, double a, double b, size_t arm, double y,
                   double since) {
    struct ref_auto_filter fresh = r->filter[lead], *slot = &r->filter[r->J];
    double before = log_sum(old, r->J), L[REF_AUTO_FILTERS + 1];
    prior(r, &fresh);
    fresh.a = a;
    fresh.b = b;
    const double hazard = r->learned ? (1 + (double)r->resets) / (1 / r->hazard + r->passed) : r->hazard;
    fresh.L = log(1 - pow(1 - hazard, since)) + before;
    observe(r, &fresh, arm, y, 0, 0);
    if (!r->slot_on || fresh.L > slot->L) {
        *slot = fresh;
        r->slot_on = 1;
        r->confirmed = 0;
        r->slot_arm = arm;
        for (size_t j = 0; j < r->J; j++)
            r->spawn[j] = old[j] - before;
    } else if (arm != r->slot_arm) {
        r->confirmed = 1;
    }
    weights(r, L);
    if (!r->confirmed || L[r->J] <= L[leader(L, r->J)])
        return;
    for (size_t j = 0; j < r->J; j++) {
        take(r, &r->filter[j], slot);
        r->filter[j].L = r->spawn[j];
    }
    r->slot_on = r->confirmed = 0;
    r->resets++;
}

void ref_auto_tell(struct ref_auto *r, size_t arm, double y, double since) {
    double old[REF_AUTO_FILTERS + 1], L[REF_AUTO_FILTERS + 1];
    weights(r, old);
    r->passed += r->observations ? since : 0;
    size_t lead = leader(old, r->J);
    double a = r->filter[lead].a, b = r->filter[lead].b;
    struct ref_auto_filter fresh = r->filter[lead];
    prior(r, &fresh);
    const double S = fresh.P[arm][arm] + fresh.constant + fresh.level * r->noise;
    const double again = density(r, a, b, S, y - fresh.mu[arm]);
    for (size_t j = 0; j < r->J + (r->slot_on != 0); j++)
        observe(r, &r->filter[j], arm, y, r->jump, again);
    r->observations++;
    if (r->hazard > 0)
        redraw(r, old, lead, a, b, arm, y, since);
    weights(r, L);
    size_t best = leader(L, r->J);
    double most = fmax(L[best], L[r->J]), floor = L[best] - most + log(r->alpha / (double)r->J);
    for (size_t j = 0; j <= r->J; j++)
        r->filter[j].L -= most;
    for (size_t j = 0; j < r->J; j++)
        if (r->filter[j].L < floor - LEVEL) {
            take(r, &r->filter[j], &r->filter[best]);
            r->filter[j].L = floor;
            r->recycled++;
        }
}

/* SPDX-License-Identifier: MIT */
/* Predicts and updates one Kalman filter in weight space (model/kalman/kalman_filter.h). */
#include "model/kalman/kalman_filter.h"

#include "base/error.h"
#include "base/numbers/simd_clones.h"
#include "linalg/blas.h"
#include "linalg/chol.h"
#include "model/kalman/kalman_season.h"

#include <math.h>
#include <string.h>

static void take_state(tvgp__kalman_filters *set, tvgp__kalman_filter *f, tvgp__kalman_filter *from);
static void add_fresh(tvgp__kalman_filters *set, tvgp__kalman_filter *f);

/* A borrower gets a state of its own. */
static void copy_from_lender(tvgp__kalman_filters *set, tvgp__kalman_filter *f) {
    tvgp__kalman_filter *lender = f->lender;
    if (!lender)
        return;
    lender->borrowers--;
    f->lender = NULL;
    take_state(set, f, lender);
}

/* Before the state of a lender changes its borrowers get theirs. */
static void copy_to_borrowers(tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    for (size_t j = 0; f->borrowers && j < set->count; j++)
        if (set->filter[j].lender == f)
            copy_from_lender(set, &set->filter[j]);
}

static void leave_lender(tvgp__kalman_filter *f) {
    if (f->lender)
        f->lender->borrowers--;
    f->lender = NULL;
}

size_t tvgp__kalman_filter_rank(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    return f->w ? set->size : set->basis.r;
}

static void leave_core(tvgp__kalman_filter *f) {
    if (f->core)
        f->core->users--;
    f->core = NULL;
}

void tvgp__kalman_filter_start(tvgp__kalman_filters *set, tvgp__kalman_filter *f, const tvgp__drift *drift, size_t prior,
                               double level) {
    size_t n = set->basis.n, r = tvgp__kalman_filter_rank(set, f);
    copy_to_borrowers(set, f);
    leave_lender(f);
    leave_core(f);
    f->drift = *drift;
    f->prior = prior;
    f->level = level;
    f->states = tvgp__drift_states(drift);
    f->fresh = 0;
    f->copied_at = 0;
    f->k = 0;
    f->kk = set->constant[prior];
    memset(f->mean, 0, 5 * n * sizeof *f->mean);
    memset(f->fk, 0, 2 * n * sizeof *f->fk);
    memset(f->pk, 0, 2 * r * sizeof *f->pk);
    if (f->w)
        memset(f->w, 0, r * sizeof *f->w);
    if (!n)
        memset(f->omega, 0, 2 * r * sizeof *f->omega);
    memset(f->E, 0, 4 * set->priors * sizeof *f->E);
    memcpy(f->mean, set->mean + prior * n, n * sizeof *f->mean);
    f->m[0] = set->at[2 * prior + 1];
    f->m[1] = 0;
    for (size_t s = 0; s < f->states; s++) {
        memcpy(f->var + s * n, set->variance + prior * n, n * sizeof *f->var);
        f->E[4 * prior + 3 * s] = 1;
    }
}

/* M S M' + Q k for a symmetric S = (ff, uu, fu). */
static inline void spread(const tvgp__drift_transition *t, double k, double *ff, double *uu, double *fu) {
    const double(*M)[2] = t->M, (*Q)[2] = t->Q, a = *ff, b = *uu, c = *fu;
    *ff = M[0][0] * M[0][0] * a + 2 * M[0][0] * M[0][1] * c + M[0][1] * M[0][1] * b + Q[0][0] * k;
    *uu = M[1][0] * M[1][0] * a + 2 * M[1][0] * M[1][1] * c + M[1][1] * M[1][1] * b + Q[1][1] * k;
    *fu = M[0][0] * M[1][0] * a + (M[0][0] * M[1][1] + M[0][1] * M[1][0]) * c + M[0][1] * M[1][1] * b + Q[0][1] * k;
}

TVGP__SIMD_CLONES
static void spread_arms(const tvgp__drift_transition *t, size_t n, const double *k, double *restrict ff, double *restrict uu,
                        double *restrict fu) {
    for (size_t i = 0; i < n; i++)
        spread(t, k[i], ff + i, uu + i, fu + i);
}

/* (x, y) <- M (x, y) */
TVGP__SIMD_CLONES
static void turn(const tvgp__drift_transition *t, size_t n, double *restrict x, double *restrict y) {
    const double(*M)[2] = t->M;
    for (size_t i = 0; i < n; i++) {
        double x0 = x[i], y0 = y[i];
        x[i] = M[0][0] * x0 + M[0][1] * y0;
        y[i] = M[1][0] * x0 + M[1][1] * y0;
    }
}

TVGP__SIMD_CLONES
static void forget(size_t n, double m, double q, const double *k, const double *mu, double *restrict mean,
                   double *restrict var) {
    double m2 = m * m;
    for (size_t i = 0; i < n; i++) {
        mean[i] = m * (mean[i] - mu[i]) + mu[i];
        var[i] = m2 * var[i] + q * k[i];
    }
}

static void advance_arms(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, const tvgp__drift_transition *t) {
    size_t n = set->basis.n;
    const double *k = set->variance + f->prior * n, *mu = set->mean + f->prior * n;
    if (f->states == 1) {
        forget(n, t->M[0][0], t->Q[0][0], k, mu, f->mean, f->var);
        return;
    }
    tvgp__blas_axpy(n, -1, mu, f->mean);
    turn(t, n, f->mean, f->mean + n);
    tvgp__blas_axpy(n, 1, mu, f->mean);
    spread_arms(t, n, k, f->var, f->var + n, f->var + 2 * n);
}

/* x becomes what it is after a step of time: n-vectors of an f-part and a u-part behind it. */
static void move(const tvgp__kalman_filter *f, const tvgp__drift_transition *t, size_t n, double *x) {
    if (f->states == 2)
        turn(t, n, x, x + n);
    else
        tvgp__blas_scale(n, t->M[0][0], x);
}

static const double NEAR = 0.25; /* how small the determinant of N may be for a way back */

/* ---- when U becomes part of R, and of whose R ------------------------------------------------------------------- */

static int owns(const tvgp__kalman_filter *f) {
    return f->core && f->core->users == 1 && f->core->states == f->states;
}

static tvgp__kalman_core *find_free(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    const size_t all = set->ones + set->twos;
    const size_t first = f->w ? all : f->states == 1 ? 0 : set->ones;
    const size_t end = f->w ? all + set->seasons : f->states == 1 ? set->ones : all;
    for (size_t i = first; i < end; i++)
        if (!set->cores[i].users)
            return &set->cores[i];
    return NULL;
}

static int serves_two(const tvgp__kalman_filters *set, const tvgp__kalman_core *core, const tvgp__kalman_filter *but) {
    for (size_t j = 0; j < set->count; j++)
        if (&set->filter[j] != but && set->filter[j].core == core && set->filter[j].states == 2)
            return 1;
    return 0;
}

/* Moves R to a core of the filter's own. For one state a free core always exists, or the filter has one. There are as
 * many cores of two states as such filters. If none is free, some core is used only by this filter and by filters of one
 * state, copies whose turn has not come; these move out. */
static void move_out(tvgp__kalman_filters *set, tvgp__kalman_filter *f) {
    static const double identity[2][2] = {{1, 0}, {0, 1}};
    size_t r = tvgp__kalman_filter_rank(set, f), crowded = set->ones;
    if (!owns(f) && !find_free(set, f)) {
        while (serves_two(set, &set->cores[crowded], f))
            crowded++;
        for (size_t j = 0; j < set->count; j++)
            if (&set->filter[j] != f && set->filter[j].core == &set->cores[crowded])
                add_fresh(set, &set->filter[j]);
    }
    tvgp__kalman_core *core = f->core, *to = owns(f) ? core : find_free(set, f);
    if (core)
        tvgp__kalman_core_transform(core, r, (const double(*)[2])f->N, to);
    else
        tvgp__kalman_core_clear(to, r);
    leave_core(f);
    to->users = 1;
    f->core = to;
    memcpy(f->N, identity, sizeof f->N);
}

/* U as it would have been when N was 1, where that is not long ago: then R stays as it is. */
static int go_back(const tvgp__kalman_filters *set, tvgp__kalman_filter *f) {
    const size_t r = tvgp__kalman_filter_rank(set, f);
    const double a = f->N[0][0], b = f->N[0][1], c = f->N[1][0], d = f->states == 1 ? 1 : f->N[1][1];
    const double det = f->states == 1 ? a : a * d - b * c;
    if (det < NEAR)
        return 0;
    const tvgp__drift_transition back = {.M = {{d / det, -b / det}, {-c / det, a / det}}};
    for (size_t k = 0; k < f->fresh; k++)
        move(f, &back, r, f->U + 2 * k * r);
    return 1;
}

/* U becomes part of an R of the filter's own. */
static void add_fresh(tvgp__kalman_filters *set, tvgp__kalman_filter *f) {
    if (!owns(f) || !go_back(set, f))
        move_out(set, f);
    tvgp__kalman_core_add(f->core, tvgp__kalman_filter_rank(set, f), f->fresh, f->U);
    f->fresh = 0;
}

static int is_small(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    return tvgp__kalman_filter_rank(set, f) <= TVGP__KALMAN_FILTER_SMALL;
}

/* Numbers of an R of its own, and of U. */
static size_t of_core(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, size_t states) {
    const size_t m = states * tvgp__kalman_filter_rank(set, f);
    return m * (m + 1) / 2;
}

static size_t of_fresh(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    return f->fresh * f->states * tvgp__kalman_filter_rank(set, f);
}

/* A filter of few weights adds U after an observation when that makes fewer numbers to keep: than U alone, or than an R and the
 * U of all who share it. */
static void finish_small(tvgp__kalman_filters *set, tvgp__kalman_filter *f) {
    size_t now = f->core ? of_core(set, f, f->core->states) : 0, apart = 0;
    if (!is_small(set, f))
        return;
    for (size_t j = 0; f->core && j < set->count; j++)
        if (set->filter[j].core == f->core) {
            now += of_fresh(set, &set->filter[j]);
            apart += of_core(set, &set->filter[j], set->filter[j].states);
        }
    if (of_fresh(set, f) > of_core(set, f, f->states) || now > apart)
        add_fresh(set, f);
}

/* The first write to a page is slow, and a core has hundreds. So each observation clears some columns of a core that no filter
 * has taken yet, from the last core on: the first are taken first. */
static void touch_ahead(tvgp__kalman_filters *set) {
    enum { NUMBERS = 1 << 13 };
    const size_t all = set->ones + set->twos + set->seasons;
    while (set->touched < all && set->cores[all - 1 - set->touched].users) {
        set->touched++;
        set->columns = 0;
    }
    if (set->touched == all)
        return;
    tvgp__kalman_core *core = &set->cores[all - 1 - set->touched];
    const size_t r = set->touched < set->seasons ? set->size : set->basis.r, left = r - set->columns;
    const size_t some = NUMBERS * 2 / (r * core->states * core->states) + 1;
    const size_t end = set->columns + (left < some ? left : some);
    tvgp__kalman_core_clear_columns(core, r, set->columns, end);
    set->touched += end == r;
    set->columns = end == r ? 0 : end;
}

/* R is written at every turn once it is there; before, U serves until it has as many columns as come between turns. Filters of
 * two states, which cost four times as much, have neighbouring numbers; STRIDE, prime to the number of turns, keeps their turns
 * apart. */
void tvgp__kalman_filter_turns(tvgp__kalman_filters *set) {
    enum { STRIDE = 7 };
    const size_t turn = tvgp__kalman_filter_turn(set, set->basis.r);
    for (size_t j = set->turn * STRIDE % turn; j < set->count; j += turn) {
        tvgp__kalman_filter *f = &set->filter[j];
        if (f->fresh >= (f->core ? 1 : turn) && !f->copied_at && !is_small(set, f))
            add_fresh(set, f);
    }
    set->turn = (set->turn + 1) % turn;
    touch_ahead(set);
}

/* A filter that is copied adds U once before, so that the copy has room until its turn. */
static void finish_source(tvgp__kalman_filters *set, tvgp__kalman_filter *from) {
    if (from->fresh >= (is_small(set, from) ? 1 : tvgp__kalman_filter_turn(set, tvgp__kalman_filter_rank(set, from))))
        add_fresh(set, from);
}

void tvgp__kalman_filter_advance(tvgp__kalman_filters *set, tvgp__kalman_filter *f, double elapsed) {
    if (f->lender)
        return;
    const tvgp__drift_transition t = tvgp__drift_transition_over(&f->drift, elapsed);
    size_t r = tvgp__kalman_filter_rank(set, f);
    if (t.M[0][0] == 1 && t.M[0][1] == 0 && t.Q[0][0] == 0) {
        if (f->w && elapsed > 0)
            tvgp__kalman_season_refresh(set, f);
        return;
    }
    if (!f->w)
        advance_arms(set, f, &t);
    for (size_t p = 0; p < set->priors; p++) {
        double *E = f->E + 4 * p;
        spread(&t, p == f->prior, E, E + 3, E + 1);
        E[2] = E[1];
    }
    for (size_t k = 0; k < f->fresh; k++)
        move(f, &t, r, f->U + 2 * k * r);
    if (!set->basis.n)
        move(f, &t, r, f->omega);
    if (set->constants) {
        move(f, &t, set->basis.n, f->fk);
        move(f, &t, r, f->pk);
    }
    double largest = 0;
    for (int j = 0; j < 2; j++) {
        turn(&t, 1, &f->N[0][j], &f->N[1][j]);
        largest = fmax(largest, fmax(fabs(f->N[0][j]), fabs(f->N[1][j])));
    }
    if (largest < 1e-10) /* N R N' is below round-off */
        leave_core(f);
    if (f->states == 1 && t.M[0][0] == 0) /* and of U nothing is left */
        f->fresh = 0;
    if (!f->w)
        return;
    tvgp__blas_scale(r, t.M[0][0], f->w);
    tvgp__kalman_season_refresh(set, f);
}

/* ---- columns and observations ----------------------------------------------------------------------------------- */

/* The share of f at the time of an observation that has been redrawn since, or what a growing process has added. */
static double blurred(const tvgp__kalman_filter *f) {
    double share = 1;
    if (tvgp__drift_grows(&f->drift))
        return f->added;
    for (size_t s = 0; s < f->states; s++)
        share -= f->h[s] * f->h[s];
    return fmax(share, 0);
}

double tvgp__kalman_filter_blur(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f) {
    return blurred(f) * set->at[2 * f->prior];
}

double tvgp__kalman_filter_expect(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double *mean) {
    const double *at = set->at + 2 * f->prior;
    double variance = f->g_k;
    *mean = at[1] + f->k + f->h[0] * (f->m[0] - at[1]);
    for (size_t s = 0; s < f->states; s++)
        variance += f->h[s] * f->own[s];
    if (f->states == 2)
        *mean += f->h[1] * f->m[1];
    if (f->w) {
        variance = f->g_k + f->seen_var;
        *mean = at[1] + f->k + f->seen_mean;
    }
    return fmax(variance, 0);
}

void tvgp__kalman_filter_innovation(tvgp__kalman_filters *set, const tvgp__kalman_filter *f, double y, double noise,
                                    double *S, double *e) {
    double mean;
    *S = tvgp__kalman_filter_expect(set, f, &mean) + tvgp__kalman_filter_blur(set, f) + f->level * noise;
    const int grows = tvgp__drift_grows(&f->drift);
    const double whole = grows ? f->E[0] : 1 - blurred(f), largest = grows ? fmax(1, f->E[0]) * set->largest : set->largest;
    *S += whole * set->rest[f->prior]; /* it stays kappa k(x, x) before anything is known */
    tvgp__error_forget(set->ctx, tvgp__chol_pivot(set->ctx, largest, S, &set->jitter)); /* S >= 0 */
    *e = y - mean;
}

/* mean += gain root g, var -= (root g)^2. */
TVGP__SIMD_CLONES
static void take(size_t n, double root, double gain, const double *g, double *restrict mean, double *restrict var) {
    for (size_t i = 0; i < n; i++) {
        double u = root * g[i];
        mean[i] += gain * u;
        var[i] -= u * u;
    }
}

/* cov -= (root g) (root h) */
TVGP__SIMD_CLONES
static void take_cross(size_t n, double root, const double *g, const double *h, double *restrict cov) {
    for (size_t i = 0; i < n; i++)
        cov[i] -= root * g[i] * (root * h[i]);
}

static void take_constant(const tvgp__kalman_filters *set, tvgp__kalman_filter *f, double root, double gain) {
    size_t n = set->basis.n, r = tvgp__kalman_filter_rank(set, f);
    double g = root * f->g_k;
    for (size_t s = 0; s < f->states; s++) {
        tvgp__blas_axpy(n, -g * root, f->g[s], f->fk + s * n);
        tvgp__blas_axpy(r, -g * root, f->c[s], f->pk + s * r);
    }
    f->k += gain * g;
    f->kk -= g * g;
}

void tvgp__kalman_filter_condition(tvgp__kalman_filters *set, tvgp__kalman_filter *f, double S, double e) {
    size_t n = set->basis.n, r = tvgp__kalman_filter_rank(set, f);
    double root = 1 / sqrt(S), gain = e * root;
    copy_to_borrowers(set, f);
    copy_from_lender(set, f);
    if (f->fresh == tvgp__kalman_filter_room(set, r))
        add_fresh(set, f);
    double *u = f->U + 2 * r * f->fresh++;
    f->copied_at = 0;
    set->updates++;
    for (size_t s = 0; s < f->states; s++) {
        for (size_t i = 0; i < r; i++)
            u[s * r + i] = root * f->c[s][i];
        take(n, root, gain, f->g[s], f->mean + s * n, f->var + s * n);
        if (!n)
            tvgp__blas_axpy(r, gain, u + s * r, f->omega + s * r);
    }
    if (f->states == 2)
        take_cross(n, root, f->g[0], f->g[1], f->var + 2 * n);
    if (f->w)
        tvgp__blas_axpy(r, gain, u, f->w);
    if (set->constants)
        take_constant(set, f, root, gain);
    finish_small(set, f);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static int same_kind(const tvgp__kalman_filter *f, const tvgp__kalman_filter *g) {
    return !f->w == !g->w;
}

static void take_state(tvgp__kalman_filters *set, tvgp__kalman_filter *f, tvgp__kalman_filter *from) {
    const size_t n = set->basis.n, r = tvgp__kalman_filter_rank(set, f);
    const int both = f->states == 2 && from->states == 2, widened = f->states == 2 && !both;
    const size_t parts = both ? 2 : 1, arms = parts * n * sizeof *f->mean, weights = parts * r * sizeof *f->U;
    if (!same_kind(f, from)) {
        tvgp__kalman_filter_start(set, f, &f->drift, f->prior, f->level);
        tvgp__kalman_season_recast(set, f, from, find_free(set, f));
        return;
    }
    finish_source(set, from);
    if (widened)
        tvgp__kalman_filter_start(set, f, &f->drift, f->prior, f->level); /* u ~ (0, K) */
    leave_core(f);
    f->core = from->core;
    if (f->core)
        f->core->users++;
    f->fresh = from->fresh;
    f->k = from->k;
    f->kk = from->kk;
    memcpy(f->N, from->N, parts * sizeof f->N[0]);
    if (!both)
        f->N[1][0] = f->N[1][1] = 0;
    for (size_t k = 0; k < f->fresh; k++) {
        memcpy(f->U + 2 * k * r, from->U + 2 * k * r, weights);
        if (widened)
            memset(f->U + (2 * k + 1) * r, 0, r * sizeof *f->U);
    }
    if (f->w)
        memcpy(f->w, from->w, r * sizeof *f->w);
    if (!n)
        memcpy(f->omega, from->omega, weights);
    memcpy(f->mean, from->mean, arms);
    memcpy(f->var, from->var, both ? 3 * n * sizeof *f->var : arms);
    for (size_t p = 0; p < set->priors; p++)
        memcpy(f->E + 4 * p, from->E + 4 * p, (both ? 4 : 1) * sizeof *f->E);
    if (set->constants) {
        memcpy(f->fk, from->fk, arms);
        memcpy(f->pk, from->pk, weights);
    }
}

/* Finds a filter with the same drift model and kernel that copied the same state, if that state has not changed since. */
static tvgp__kalman_filter *find_lender(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f,
                                        const tvgp__kalman_filter *from) {
    for (size_t j = 0; j < set->count; j++) {
        tvgp__kalman_filter *other = &set->filter[j];
        if (other != f && !other->lender && same_kind(other, f) && other->copied_at == set->updates &&
            other->source == from && other->prior == f->prior && tvgp__drift_equal(&other->drift, &f->drift))
            return other;
    }
    return NULL;
}

void tvgp__kalman_filter_copy(tvgp__kalman_filters *set, tvgp__kalman_filter *f, tvgp__kalman_filter *from) {
    copy_to_borrowers(set, f);
    leave_lender(f);
    if (from->lender)
        from = from->lender;
    f->lender = find_lender(set, f, from);
    f->source = from;
    f->copied_at = set->updates;
    if (!f->lender) {
        take_state(set, f, from);
        return;
    }
    leave_core(f);
    f->lender->borrowers++;
    f->fresh = 0;
    f->k = from->k;
    f->kk = from->kk;
}

/* ---- predictions ------------------------------------------------------------------------------------------------ */

void tvgp__kalman_filter_arm_at(const tvgp__kalman_filters *set, const tvgp__kalman_filter *f,
                                const tvgp__drift_transition *t, size_t arm, double *mean, double *var) {
    f = tvgp__kalman_filter_state(f);
    size_t n = set->basis.n, at = f->prior * n + arm;
    if (f->w) {
        tvgp__kalman_season_arm_at(set, f, t->M[0][0], arm, mean, var);
        return;
    }
    double m = f->mean[arm] - set->mean[at], u = f->mean[n + arm], vu = f->var[n + arm], vfu = f->var[2 * n + arm];
    *mean = set->mean[at] + f->k + t->M[0][0] * m + t->M[0][1] * u;
    *var = f->var[arm];
    spread(t, set->variance[at], var, &vu, &vfu);
    *var += 2 * (t->M[0][0] * f->fk[arm] + t->M[0][1] * f->fk[n + arm]) + f->kk;
}

/* SPDX-License-Identifier: MIT */
/* Moments and updates of a filter of independent arms with a common level (model/kalman/common_level_filter.h). */
#include "model/kalman/common_level_filter.h"

#include "base/numbers/simd_clones.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum {
    TURN = TVGP__COMMON_LEVEL_TURN,
    PARTS = TVGP__COMMON_LEVEL_PARTS,
    ARM = TVGP__COMMON_LEVEL_ARM,
    CONTEXT = TVGP__COMMON_LEVEL_CONTEXT,
    PAIR = TVGP__COMMON_LEVEL_PAIR
};
static const size_t NONE = TVGP__COMMON_LEVEL_NONE;

/* ---- entries of the state ----------------------------------------------------------------------------------------- */

static size_t order_of(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f) {
    return 1 + f->states * set->n.arms + f->other * set->n.others;
}

/* The first entry of a slot. */
static inline size_t entry_of(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f, size_t slot) {
    const size_t arms = set->before[slot];
    return 1 + f->states * arms + f->other * (slot - arms);
}

static double loading(const tvgp__common_level_filter *f, size_t part) {
    const double own = f->states == 1 ? 1 : sqrt(part ? f->model.lasting : 1 - f->model.lasting);
    return f->other ? sqrt(1 - f->model.pair) * own : own;
}

static double kept(double rate, double elapsed) {
    return rate > 0 ? exp(0.5 * elapsed * log1p(-rate)) : 1;
}

tvgp__arm_view tvgp__common_level_filter_view(const tvgp__common_level_filter *f, double elapsed) {
    tvgp__arm_view view = {.level = kept(f->model.level_rate, elapsed)};
    view.part[0] = loading(f, 0) * kept(f->model.rate, elapsed);
    view.part[1] = f->states == 2 ? loading(f, 1) : 0;
    if (f->other) {
        view.context = sqrt(f->model.context);
        view.pair = sqrt(f->model.pair);
    }
    return view;
}

/* The entries of h except the entry of c, and what they share with W. */
typedef struct {
    size_t n, at[PARTS];
    double by[PARTS], fade[PARTS];
} loads;

static inline void put(loads *h, size_t at, double by, double fade) {
    h->at[h->n] = at;
    h->by[h->n] = by;
    h->fade[h->n++] = fade;
}

static inline void load(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                        const tvgp__arm_view *view, const tvgp__arm_entries *at, loads *h) {
    h->n = 0;
    if (at->slot[ARM] != NONE) {
        const size_t first = entry_of(set, f, at->slot[ARM]);
        put(h, first, view->part[0], f->fade[1]);
        if (f->states == 2)
            put(h, first + 1, view->part[1], 1);
    }
    if (!f->other)
        return;
    if (at->slot[CONTEXT] != NONE)
        put(h, entry_of(set, f, at->slot[CONTEXT]), view->context, 1);
    if (at->slot[PAIR] != NONE)
        put(h, entry_of(set, f, at->slot[PAIR]), view->pair, 1);
}

/* An entry of K, which is no diagonal one. */
static double between(const tvgp__common_level_filter *f, const loads *h, size_t i, size_t j) {
    const size_t low = h->at[i] < h->at[j] ? h->at[i] : h->at[j], high = h->at[i] + h->at[j] - low;
    double sum = 0;
    if (f->next && high == low + 1)
        return f->next[low];
    if (high < f->order)
        sum = h->fade[i] * h->fade[j] * (f->upper ? f->R[high * f->ld + low] : f->R[low * f->ld + high]);
    for (size_t k = 0; k < f->fresh; k++)
        sum += f->U[k * f->ld + low] * f->U[k * f->ld + high];
    return sum;
}

/* What the data say of the variance of h'z. */
static inline double known_of(const tvgp__common_level_filter *f, double level, const loads *h) {
    double sum = level * level * f->level[0];
    for (size_t i = 0; i < h->n; i++) {
        sum += h->by[i] * (2 * level * f->level[h->at[i]] + h->by[i] * f->own[h->at[i]]);
        for (size_t j = 0; j < i; j++)
            sum += 2 * h->by[i] * h->by[j] * between(f, h, i, j);
    }
    return sum;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

/* The diagonal of n entries: `level`, then `part` for what drifts and otherwise 1. */
TVGP__SIMD_CLONES
static void fill(size_t n, const double *restrict drifts, double level, double part, double *restrict out) {
    for (size_t i = 0; i < n; i++)
        out[i] = drifts[i] > 0 ? part : 1;
    out[0] = level;
}

TVGP__SIMD_CLONES
static void multiply(size_t n, double factor, const double *restrict diagonal, double *restrict x) {
    for (size_t i = 0; i < n; i++)
        x[i] *= factor * diagonal[i];
}

TVGP__SIMD_CLONES
static void multiply_next(size_t n, const double *restrict diagonal, double *restrict x) {
    for (size_t i = 0; i + 1 < n; i++)
        x[i] *= diagonal[i] * diagonal[i + 1];
}

TVGP__SIMD_CLONES
static void multiply_own(size_t n, const double *restrict diagonal, double *restrict x) {
    for (size_t i = 0; i < n; i++)
        x[i] *= diagonal[i] * diagonal[i];
}

void tvgp__common_level_filter_advance(tvgp__common_level_filters *set, tvgp__common_level_filter *f, double elapsed) {
    const size_t d = order_of(set, f);
    const double level = kept(f->model.level_rate, elapsed), part = kept(f->model.rate, elapsed);
    if (!set->n.arms || (level == 1 && part == 1))
        return;
    fill(d, f->drifts, level, part, set->fading);
    multiply(d, 1, set->fading, f->mean);
    multiply(d, level, set->fading, f->level);
    multiply_own(d, set->fading, f->own);
    if (f->next)
        multiply_next(d, set->fading, f->next);
    for (size_t k = 0; k < f->fresh; k++)
        multiply(d, 1, set->fading, f->U + k * f->ld);
    f->fade[0] *= level;
    f->fade[1] *= part;
}

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Without parts of contexts. */
static void moments_of_arm(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                           const tvgp__arm_view *view, size_t slot, double *mean, double *var) {
    const double *h = view->part;
    double m = 0, known = 0;
    if (slot != NONE) {
        const size_t at = entry_of(set, f, slot);
        const double *x = f->mean + at, *with = f->level + at, *own = f->own + at;
        m = h[0] * x[0];
        known = h[0] * (2 * view->level * with[0] + h[0] * own[0]);
        if (f->states == 2) {
            m += h[1] * x[1];
            known += h[1] * (2 * view->level * with[1] + 2 * h[0] * f->next[at] + h[1] * own[1]);
        }
    }
    *mean = view->level * f->mean[0] + m;
    *var = f->model.level + 1 - (view->level * view->level * f->level[0] + known);
}

static void moments_in_context(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                               const tvgp__arm_view *view, const tvgp__arm_entries *at, double *mean, double *var) {
    loads h;
    load(set, f, view, at, &h);
    *mean = view->level * f->mean[0];
    for (size_t i = 0; i < h.n; i++)
        *mean += h.by[i] * f->mean[h.at[i]];
    *var = f->model.level + 1 + f->model.context - known_of(f, view->level, &h);
}

void tvgp__common_level_filter_moments(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                       const tvgp__arm_view *view, const tvgp__arm_entries *at, double *mean, double *var) {
    if (!set->room.arms) {
        *mean = 0;
        *var = f->model.level + 1 + f->model.context;
    } else if (f->other)
        moments_in_context(set, f, view, at, mean, var);
    else
        moments_of_arm(set, f, view, at->slot[ARM], mean, var);
}

/* L is the information about G_t(a) in outcomes at t + 1, t + 2, ..: the fixed point of
 *   L <- m (L + 1 / noise) / (1 + (L + 1 / noise) Q),   m = 1 - eps,   Q = eps (1 - q) (1 - p)
 * (Liu, Kuang, Van Roy 2022, predictive sampling). */
static double later_information(const tvgp__common_level_filter *f, double noise) {
    const double m = 1 - f->model.rate, Q = f->model.rate * (1 - f->model.lasting) * (1 - f->model.pair), n = 1 / noise,
                 b = 1 + n * Q - m;
    return (sqrt(b * b + 4 * Q * m * n) - b) / (2 * Q);
}

/* The variance of a reward given what all arms have in common, level and context. */
static double apart(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f, const tvgp__arm_view *view,
                    const tvgp__arm_entries *at) {
    const tvgp__arm_entries shared = {.slot = {NONE, at->slot[CONTEXT], NONE}};
    const double prior = f->model.level + f->model.context;
    loads h, c;
    load(set, f, view, at, &h);
    load(set, f, view, &shared, &c);
    const double level = view->level, common = prior - known_of(f, level, &c);
    double with = prior - level * level * f->level[0], var = prior + 1 - known_of(f, level, &h);
    for (size_t i = 0; i < h.n; i++)
        with -= level * h.by[i] * f->level[h.at[i]];
    for (size_t k = 0; k < c.n; k++) {
        with -= level * c.by[k] * f->level[c.at[k]];
        for (size_t i = 0; i < h.n; i++) {
            const loads both = {2, {h.at[i], c.at[k]}, {1, 1}, {h.fade[i], c.fade[k]}};
            with -= h.by[i] * c.by[k] * (h.at[i] == c.at[k] ? f->own[c.at[k]] : between(f, &both, 0, 1));
        }
    }
    return fmax(var - (common > 0 ? with / common * with : 0), 0);
}

double tvgp__common_level_filter_resolvable(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                            const tvgp__arm_view *view, const tvgp__arm_entries *at, double noise) {
    const double own = loading(f, 0), left = view->part[0];
    double moving = own * own, var = 1;
    if (at->slot[ARM] != NONE) {
        var = apart(set, f, view, at);
        moving = fmin(fmax(moving - left * left * f->own[entry_of(set, f, at->slot[ARM])], 0), var);
    }
    if (!(f->model.rate > 0) || !(moving > 0))
        return var;
    return var - moving + moving * moving / (moving + 1 / later_information(f, noise));
}

/* out -= a (column j of W R W), over the entries that R covers. */
static void subtract_column(const tvgp__common_level_filter *f, size_t j, double a, double *out) {
    const size_t end = f->order, first = f->upper ? 0 : j, last = f->upper ? j + 1 : end;
    for (size_t i = first; i < last; i++)
        out[i] -= a * f->R[j * f->ld + i];
    for (size_t i = 0; i < first; i++)
        out[i] -= a * f->R[i * f->ld + j];
    for (size_t i = last; i < end; i++)
        out[i] -= a * f->R[i * f->ld + j];
}

/* out = P h. */
static void gain(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f, const tvgp__arm_view *view,
                 const tvgp__arm_entries *at, double *out) {
    const size_t d = order_of(set, f);
    int covered = 0;
    loads h;
    load(set, f, view, at, &h);
    memset(out, 0, d * sizeof *out);
    for (size_t i = 0; i < h.n; i++)
        if (h.at[i] < f->order) {
            subtract_column(f, h.at[i], h.by[i] * h.fade[i], out);
            covered = 1;
        }
    if (covered) {
        fill(f->order, f->drifts, f->fade[0], f->fade[1], set->fading);
        multiply(f->order, 1, set->fading, out);
    }
    for (size_t k = 0; k < f->fresh && h.n; k++) {
        double share = 0;
        for (size_t i = 0; i < h.n; i++)
            share += h.by[i] * f->U[k * f->ld + h.at[i]];
        tvgp__blas_axpy(d, -share, f->U + k * f->ld, out);
    }
    tvgp__blas_axpy(d, -view->level, f->level, out);
    out[0] += view->level * f->model.level;
    for (size_t i = 0; i < h.n; i++)
        out[h.at[i]] += h.by[i];
}

TVGP__SIMD_CLONES
static void add_squares(size_t n, const double *restrict u, double *restrict x) {
    for (size_t i = 0; i < n; i++)
        x[i] += u[i] * u[i];
}

TVGP__SIMD_CLONES
static void add_next(size_t n, const double *restrict u, double *restrict x) {
    for (size_t i = 0; i + 1 < n; i++)
        x[i] += u[i] * u[i + 1];
}

/* R <- W R W over d entries, of which the new ones are 0. */
static void widen(const tvgp__common_level_filter *f, size_t d, const double *fading) {
    for (size_t j = 0; j < d; j++) {
        const size_t first = f->upper ? 0 : j, last = f->upper ? j + 1 : d;
        const size_t end = last < f->order ? last : f->order, held = j < f->order ? end : first;
        double *column = f->R + j * f->ld;
        if (held > first && (f->fade[0] != 1 || f->fade[1] != 1))
            multiply(held - first, fading[j], fading + first, column + first);
        memset(column + held, 0, (last - held) * sizeof *column);
    }
}

static void add_fresh(const tvgp__common_level_filters *set, tvgp__common_level_filter *f) {
    const size_t d = order_of(set, f);
    fill(d, f->drifts, f->fade[0], f->fade[1], set->fading);
    widen(f, d, set->fading);
    tvgp__blas_syrk_half(f->upper, d, f->fresh, f->U, f->ld, f->R, f->ld);
    f->order = d;
    f->fresh = 0;
    f->fade[0] = f->fade[1] = 1;
}

void tvgp__common_level_filter_observe(tvgp__common_level_filters *set, tvgp__common_level_filter *f,
                                       const tvgp__arm_view *view, const tvgp__arm_entries *at, double S, double e,
                                       size_t number) {
    const size_t d = order_of(set, f), turn = (size_t)(f - set->filter) % TURN;
    double *u = f->U + f->fresh * f->ld, *g = set->gain;
    gain(set, f, view, at, g);
    const double root = sqrt(S);
    for (size_t i = 0; i < d; i++)
        u[i] = g[i] / root;
    f->fresh++;
    tvgp__blas_axpy(d, e / root, u, f->mean);
    tvgp__blas_axpy(d, u[0], u, f->level);
    add_squares(d, u, f->own);
    if (f->next)
        add_next(d, u, f->next);
    if (number % TURN == turn || f->fresh == TURN)
        add_fresh(set, f);
}

/* K = k_cc e e', e the unit vector of c. */
void tvgp__common_level_filter_restart(const tvgp__common_level_filters *set, const tvgp__common_level_filter *from,
                                       tvgp__common_level_filter *f) {
    const size_t d = order_of(set, f);
    const double mean = from->mean[0], known = fmax(from->level[0], 0);
    memset(f->mean, 0, d * sizeof *f->mean);
    memset(f->level, 0, d * sizeof *f->level);
    memset(f->own, 0, d * sizeof *f->own);
    if (f->next)
        memset(f->next, 0, d * sizeof *f->next);
    memset(f->U, 0, d * sizeof *f->U);
    f->mean[0] = mean;
    f->level[0] = f->own[0] = known;
    f->U[0] = sqrt(known);
    f->fresh = 1;
    f->order = 0;
    f->fade[0] = f->fade[1] = 1;
}

/* ---- covariances ------------------------------------------------------------------------------------------------ */

void tvgp__common_level_filter_look(tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                    const tvgp__arm_view *view, const tvgp__arm_entries *at) {
    if (set->room.arms)
        gain(set, f, view, at, set->gain);
}

/* The covariance of two arms that no entry of the state explains. */
static double unseen(const tvgp__common_level_filter *f, const tvgp__arm_view *view, const tvgp__arm_entries *at,
                     const tvgp__arm_entries *with) {
    const double seen = view->part[0] * view->part[0] + view->part[1] * view->part[1];
    double sum = 0;
    if (with->item[ARM] == at->item[ARM] && at->item[ARM] != NONE)
        sum += 1 - f->model.pair - (at->slot[ARM] != NONE ? seen : 0);
    if (with->item[CONTEXT] == at->item[CONTEXT] && at->slot[CONTEXT] == NONE && at->item[CONTEXT] != NONE)
        sum += f->model.context;
    if (with->item[PAIR] == at->item[PAIR] && at->slot[PAIR] == NONE && at->item[PAIR] != NONE)
        sum += f->model.pair;
    return sum;
}

double tvgp__common_level_filter_covariance(const tvgp__common_level_filters *set, const tvgp__common_level_filter *f,
                                            const tvgp__arm_view *view, const tvgp__arm_entries *at,
                                            const tvgp__arm_entries *with) {
    const double *g = set->gain, drawn = f->model.level * (1 - view->level * view->level); /* of c, since then */
    loads h;
    if (!set->room.arms)
        return f->model.level + unseen(f, view, at, with);
    load(set, f, view, with, &h);
    double sum = drawn + view->level * g[0] + unseen(f, view, at, with);
    for (size_t i = 0; i < h.n; i++)
        sum += h.by[i] * g[h.at[i]];
    return sum;
}

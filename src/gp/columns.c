/* SPDX-License-Identifier: MIT */
#include "gp/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "linalg/blas.h"
#include "linalg/loops.h"

#include <math.h>
#include <string.h>

static const double FADED = 0x1p-53, GONE = 0x1p-106;

void tvgp__columns_init(tvgp__columns *c, tvgp_ctx *ctx, size_t n) {
    *c = (tvgp__columns){.ctx = ctx, .n = n, .scale = 1};
}

void tvgp__columns_free(tvgp__columns *c) {
    for (size_t slot = 0; slot < c->slots; slot++)
        tvgp__memory_free(c->ctx, c->g[slot]);
    tvgp__memory_free(c->ctx, c->records);
    tvgp__memory_free(c->ctx, c->g);
    tvgp__memory_free(c->ctx, c->terms);
    tvgp__columns_init(c, c->ctx, c->n);
}

static size_t slot_of(const tvgp__columns *c, size_t k) {
    size_t slot = c->first + k;
    return slot < c->slots ? slot : slot - c->slots;
}

/* A larger ring, unrolled: the oldest record comes first. */
static tvgp_status enlarge(tvgp__columns *c, size_t slots) {
    tvgp__columns_record *records = NULL;
    double **g = NULL;
    tvgp__lincomb_term *terms = NULL;
    tvgp_status status = tvgp__memory_alloc(c->ctx, slots, sizeof *records, &records);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(c->ctx, slots, sizeof *g, &g);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(c->ctx, slots, sizeof *terms, &terms);
    if (status < 0) {
        tvgp__memory_free(c->ctx, records);
        tvgp__memory_free(c->ctx, g);
        return status;
    }
    for (size_t k = 0; k < c->slots; k++) {
        records[k] = c->records[slot_of(c, k)];
        g[k] = c->g[slot_of(c, k)];
    }
    tvgp__memory_free(c->ctx, c->records);
    tvgp__memory_free(c->ctx, c->g);
    tvgp__memory_free(c->ctx, c->terms);
    c->records = records;
    c->g = g;
    c->terms = terms;
    c->first = 0;
    c->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__columns_reserve(tvgp__columns *c, size_t more) {
    size_t needed = c->count + more;
    if (needed > c->slots) {
        TVGP__TRY(tvgp__range_count(c->ctx, "live observations", needed));
        size_t grown = c->slots + c->slots / 2;
        TVGP__TRY(enlarge(c, grown > needed ? grown : needed + 7));
    }
    for (size_t k = c->count; k < needed; k++)
        if (!c->g[slot_of(c, k)])
            TVGP__TRY(tvgp__memory_alloc(c->ctx, c->n, sizeof **c->g, &c->g[slot_of(c, k)]));
    return TVGP_OK;
}

static void visit_record(tvgp__columns_record *r, size_t n, tvgp__visit *v) {
    tvgp__visit_indices(v, 1, &r->seen.arm, n);
    tvgp__visit_real(v, &r->seen.t, -TVGP__RANGE_MOST, TVGP__RANGE_MOST);
    tvgp__visit_real(v, &r->seen.s, 1e-300, INFINITY);
    tvgp__visit_real(v, &r->seen.e, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &r->noise, 0, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &r->weight, 0, TVGP__VISIT_MOST);
}

void tvgp__columns_visit(tvgp__columns *c, tvgp__visit *v) {
    size_t count = c->count, faded = c->faded;
    tvgp__visit_count(v, &count, INT32_MAX, 44 + c->n * sizeof **c->g);
    tvgp__visit_size(v, &faded, 0, count);
    tvgp__visit_real(v, &c->scale, 1e-200, 1e200);
    if (tvgp__visit_loads(v)) {
        c->first = c->count = 0;
        if (tvgp__visit_try(v, tvgp__columns_reserve(c, count)))
            c->count = count;
        c->faded = faded;
    }
    for (size_t k = 0; tvgp__visit_fine(v) && k < c->count; k++) {
        visit_record(tvgp__columns_at(c, k), c->n, v);
        tvgp__visit_reals(v, c->n, tvgp__columns_g(c, k), -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    }
}

tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k) {
    return &c->records[slot_of(c, k)];
}

double *tvgp__columns_g(const tvgp__columns *c, size_t k) {
    return c->g[slot_of(c, k)];
}

double tvgp__columns_decay(const tvgp__columns *c, size_t k) {
    return c->scale * c->records[slot_of(c, k)].weight;
}

double *tvgp__columns_next(const tvgp__columns *c) {
    return c->g[slot_of(c, c->count)];
}

void tvgp__columns_insert(tvgp__columns *c, size_t k, const tvgp__innovation *seen, double noise, double decay) {
    double *g = tvgp__columns_next(c);
    for (size_t later = c->count++; later > k; later--) {
        c->records[slot_of(c, later)] = c->records[slot_of(c, later - 1)];
        c->g[slot_of(c, later)] = c->g[slot_of(c, later - 1)];
    }
    c->records[slot_of(c, k)] = (tvgp__columns_record){.seen = *seen, .noise = noise, .weight = decay / c->scale};
    c->g[slot_of(c, k)] = g;
    if (k < c->faded || decay < FADED)
        c->faded++;
}

void tvgp__columns_drop_oldest(tvgp__columns *c) {
    size_t old = c->first, next = slot_of(c, c->count); /* the place after the newest */
    double *g = c->g[old];
    c->g[old] = c->g[next];
    c->g[next] = g;
    c->first = slot_of(c, 1);
    c->count--;
    c->faded -= c->faded > 0;
}

void tvgp__columns_trim(tvgp__columns *c, size_t keep) {
    while (c->count > keep)
        tvgp__columns_drop_oldest(c);
    for (size_t k = keep; k < c->slots; k++) {
        tvgp__memory_free(c->ctx, c->g[slot_of(c, k)]);
        c->g[slot_of(c, k)] = NULL;
    }
    if (!keep)
        tvgp__columns_free(c);
}

size_t tvgp__columns_find(const tvgp__columns *c, size_t keep, size_t arm) {
    for (size_t k = keep; k-- > 0;) {
        const tvgp__innovation *seen = &tvgp__columns_at(c, k)->seen;
        if (seen->arm == arm && !isinf(seen->s))
            return k;
    }
    return keep;
}

/* p -= those terms of R[:, arm] that records from .. keep - 1 make, with every D `factor` times as large. */
static void subtract(const tvgp__columns *c, size_t from, size_t keep, double factor, size_t arm, double *p) {
    size_t n = 0;
    for (size_t k = keep; k-- > from; n++) { /* the newest first */
        const double *g = tvgp__columns_g(c, k);
        double decay = factor * tvgp__columns_decay(c, k);
        if (decay < FADED)
            break;
        c->terms[n] = (tvgp__lincomb_term){.a = -decay * g[arm], .x = g};
    }
    tvgp__lincomb_add(c->n, n, c->terms, p);
}

size_t tvgp__columns_made_by(const tvgp__columns *c, size_t limit, double t) {
    size_t k = c->count;
    while (k && c->count - k <= limit && tvgp__columns_at(c, k - 1)->seen.t > t)
        k--;
    return c->count - k > limit ? SIZE_MAX : k;
}

void tvgp__columns_after(const tvgp__columns *c, size_t k, double decay, double *p) {
    const tvgp__columns_record *r = tvgp__columns_at(c, k);
    const double *g = tvgp__columns_g(c, k);
    double a = decay * r->noise / sqrt(r->seen.s);
    for (size_t i = 0; i < c->n; i++)
        p[i] = a * g[i];
}

void tvgp__columns_column(const tvgp__columns *c, const tvgp__law *law, size_t keep, double t, double factor, size_t arm,
                          const double *row, double *p) {
    size_t last = tvgp__columns_find(c, keep, arm), from = 0;
    double share = tvgp__law_kappa(law, t);
    if (last < keep) {
        double decay = factor * tvgp__columns_decay(c, last);
        share -= decay * tvgp__law_kappa(law, tvgp__columns_at(c, last)->seen.t);
        tvgp__columns_after(c, last, decay, p);
        from = last + 1;
    } else {
        memset(p, 0, c->n * sizeof *p);
    }
    if (share != 0)
        tvgp__blas_axpy(c->n, share, row, p);
    subtract(c, from, keep, factor, arm, p);
}

/* Records k and k + 1 change places: with a = g_k at the arm of the later one, s' the variance of its innovation without the
 * earlier one is s + a^2, and (g_k+1, g_k) turn by the angle of cosine sqrt(s / s'). */
static void exchange(tvgp__columns *c, size_t k) {
    size_t at = slot_of(c, k), next = slot_of(c, k + 1);
    tvgp__columns_record earlier = c->records[at], later = c->records[next];
    double *g = c->g[at], *h = c->g[next], a = g[later.seen.arm];
    double square = later.seen.s + a * a, root = sqrt(square), cosine = sqrt(later.seen.s) / root, sine = a / root;
    double e = later.seen.e / sqrt(later.seen.s), eta = earlier.seen.e / sqrt(earlier.seen.s);
    tvgp__blas_rot(c->n, h, g, cosine, sine);
    later.seen.s = square;
    later.seen.e = (cosine * e + sine * eta) * root;
    eta = cosine * eta - sine * e;
    double p = g[earlier.seen.arm]; /* p / sqrt(s) of the earlier one, now the newer: s = p + noise */
    root = 0.5 * (p + sqrt(p * p + 4 * earlier.noise));
    earlier.seen.s = root * root;
    earlier.seen.e = eta * root;
    c->records[at] = later;
    c->records[next] = earlier;
    c->g[at] = h;
    c->g[next] = g;
}

void tvgp__columns_raise(tvgp__columns *c, size_t k) {
    for (; k + 1 < c->count; k++)
        exchange(c, k);
}

/* Two observations of one arm in a row are one with the noise v v2 / (v + v2), whose gain is the sum of both:
 * E / S = e / s + (v / s) e2 / s2, as the column of the second is v / s times that of the first. */
void tvgp__columns_join(tvgp__columns *c, const tvgp__innovation *seen, double noise) {
    tvgp__columns_record *r = tvgp__columns_at(c, c->count - 1);
    double *g = tvgp__columns_g(c, c->count - 1), root = sqrt(r->seen.s), p = g[r->seen.arm] * root;
    double gain = r->seen.e / r->seen.s + r->noise / r->seen.s * (seen->e / seen->s);
    r->noise = r->noise > 0 && noise > 0 ? 1 / (1 / r->noise + 1 / noise) : 0;
    r->seen.s = p + r->noise;
    r->seen.e = gain * r->seen.s;
    double ratio = root / sqrt(r->seen.s);
    for (size_t i = 0; i < c->n; i++)
        g[i] *= ratio;
}

void tvgp__columns_carry(tvgp__columns *c, const tvgp__law *law, size_t k, double t, double now, tvgp__insertion *in) {
    for (;; k++) {
        tvgp__innovation *later = k < c->count ? &tvgp__columns_at(c, k)->seen : NULL;
        double m = tvgp__law_between(law, t, later ? later->t : now).m;
        if (m != 1)
            tvgp__loops_scale(c->n, m, in->h);
        if (!later)
            return;
        tvgp__innovation_pass(in, in->h[later->arm], later, tvgp__columns_g(c, k));
        t = later->t;
    }
}

void tvgp__columns_move(tvgp__columns *c, double m2) {
    c->scale *= m2;
    while (c->count && !(tvgp__columns_decay(c, 0) >= GONE))
        tvgp__columns_drop_oldest(c);
    while (c->faded < c->count && tvgp__columns_decay(c, c->faded) < FADED)
        c->faded++;
    if (c->count && c->scale > 1e-100)
        return;
    for (size_t k = 0; k < c->count; k++)
        tvgp__columns_at(c, k)->weight *= c->scale;
    c->scale = 1;
}

void tvgp__columns_clear(tvgp__columns *c) {
    c->count = c->faded = 0;
    c->scale = 1;
}

tvgp_status tvgp__columns_form(const tvgp__columns *c, const tvgp__law *law, const tvgp_kernel *kernel, const double *points,
                               tvgp__form *out) {
    size_t r = c->count, dim = kernel->dim;
    double *L = NULL;
    TVGP__TRY(tvgp__memory_alloc(c->ctx, r, (r + 2 + dim) * sizeof *L, &L));
    double *u = L + r * r, *factor = u + r, *X = factor + r;
    for (size_t i = 0; i < r; i++) {
        const tvgp__innovation *seen = &tvgp__columns_at(c, i)->seen;
        double decay = tvgp__columns_decay(c, i), root = sqrt(seen->s);
        int known = isinf(seen->s); /* a row that says nothing */
        for (size_t j = 0; j < i && !known; j++)
            L[j * r + i] = sqrt(tvgp__columns_decay(c, j) / decay) * tvgp__columns_g(c, j)[seen->arm];
        L[i * r + i] = known ? 1 : root;
        u[i] = seen->e / root;
        factor[i] = known ? 0 : tvgp__law_kappa(law, seen->t) * sqrt(decay);
        memcpy(X + i * dim, points + seen->arm * dim, dim * sizeof *X);
    }
    *out = tvgp__form_of(c->ctx, kernel, r, X, L, r, u);
    out->c = factor;
    out->memory = L;
    return TVGP_OK;
}

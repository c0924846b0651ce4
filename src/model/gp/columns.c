/* SPDX-License-Identifier: MIT */
/* Columns g of the posterior covariance, P = K - sum g g', one for each observed arm (model/gp/columns.h). */
#include "model/gp/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

void tvgp__columns_init(tvgp__columns *c, tvgp_ctx *ctx, size_t n) {
    *c = (tvgp__columns){.ctx = ctx, .n = n};
}

void tvgp__columns_free(tvgp__columns *c) {
    for (size_t slot = 0; slot < c->slots; slot++)
        tvgp__memory_free(c->ctx, c->g[slot]);
    tvgp__memory_free(c->ctx, c->records);
    tvgp__memory_free(c->ctx, c->g);
    tvgp__memory_free(c->ctx, c->terms);
    tvgp__memory_free(c->ctx, c->row);
    tvgp__memory_free(c->ctx, c->corner);
    tvgp__columns_init(c, c->ctx, c->n);
}

tvgp_status tvgp__columns_share(tvgp__columns *c, tvgp__shard *shard) {
    c->shard = shard;
    c->tail = TVGP__COLUMNS_TAIL;
    return tvgp__memory_alloc(c->ctx, c->tail + 1, c->tail * sizeof *c->corner, &c->corner);
}

static size_t slot_of(const tvgp__columns *c, size_t k) {
    size_t slot = c->first + k;
    return slot < c->slots ? slot : slot - c->slots;
}

/* Unrolls the ring into a larger one; the oldest record comes first. */
static tvgp_status enlarge(tvgp__columns *c, size_t slots) {
    tvgp__columns_record *records = NULL;
    double **g = NULL;
    tvgp__lincomb_term *terms = NULL;
    double *row = NULL; /* and one entry more */
    tvgp_status status = tvgp__memory_alloc(c->ctx, slots, sizeof *records, &records);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(c->ctx, slots, sizeof *g, &g);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(c->ctx, slots, sizeof *terms, &terms);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(c->ctx, slots + 1, sizeof *row, &row);
    if (status < 0) {
        tvgp__memory_free(c->ctx, records);
        tvgp__memory_free(c->ctx, g);
        tvgp__memory_free(c->ctx, terms);
        return status;
    }
    for (size_t k = 0; k < c->slots; k++) {
        records[k] = c->records[slot_of(c, k)];
        g[k] = c->g[slot_of(c, k)];
    }
    tvgp__memory_free(c->ctx, c->records);
    tvgp__memory_free(c->ctx, c->g);
    tvgp__memory_free(c->ctx, c->terms);
    tvgp__memory_free(c->ctx, c->row);
    c->records = records;
    c->g = g;
    c->terms = terms;
    c->row = row;
    c->first = 0;
    c->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__columns_reserve(tvgp__columns *c, size_t more) {
    size_t needed = c->count + more;
    if (needed > c->slots) {
        TVGP__TRY(tvgp__valid_range_count(c->ctx, "live observations", needed));
        size_t grown = c->slots + c->slots / 2;
        TVGP__TRY(enlarge(c, grown > needed ? grown : needed + 7));
    }
    for (size_t k = c->count; k < needed; k++)
        if (!c->g[slot_of(c, k)])
            TVGP__TRY(tvgp__memory_alloc(c->ctx, c->n + c->tail, sizeof **c->g, &c->g[slot_of(c, k)]));
    return TVGP_OK;
}

static void visit_record(tvgp__columns_record *r, size_t n, tvgp__visit *v) {
    tvgp__visit_indices(v, 1, &r->seen.arm, n);
    tvgp__visit_real(v, &r->seen.t, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
    tvgp__visit_real(v, &r->seen.s, 1e-300, INFINITY);
    tvgp__visit_real(v, &r->seen.e, -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    tvgp__visit_real(v, &r->noise, 0, TVGP__VISIT_MOST);
}

void tvgp__columns_visit(tvgp__columns *c, tvgp__visit *v) {
    size_t count = c->count;
    tvgp__visit_count(v, &count, INT32_MAX, 36 + tvgp__visit_arms_there(v, c->n) * sizeof **c->g);
    if (tvgp__visit_loads(v)) {
        c->first = c->count = 0;
        if (tvgp__visit_try(v, tvgp__columns_reserve(c, count)))
            c->count = count;
    }
    for (size_t k = 0; tvgp__visit_fine(v) && k < c->count; k++) {
        visit_record(tvgp__columns_at(c, k), tvgp__shard_total(c->shard, c->n), v);
        tvgp__visit_arms(v, c->n, tvgp__columns_g(c, k), -TVGP__VISIT_MOST, TVGP__VISIT_MOST);
    }
}

tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k) {
    return &c->records[slot_of(c, k)];
}

double *tvgp__columns_g(const tvgp__columns *c, size_t k) {
    return c->g[slot_of(c, k)];
}

double *tvgp__columns_next(const tvgp__columns *c) {
    return c->g[slot_of(c, c->count)];
}

void tvgp__columns_push(tvgp__columns *c, const tvgp__innovation *seen, double noise) {
    c->records[slot_of(c, c->count++)] = (tvgp__columns_record){.seen = *seen, .noise = noise};
}

size_t tvgp__columns_find(const tvgp__columns *c, size_t keep, size_t arm) {
    for (size_t k = keep; k-- > 0;) {
        const tvgp__innovation *seen = &tvgp__columns_at(c, k)->seen;
        if (seen->arm == arm && !isinf(seen->s))
            return k;
    }
    return keep;
}

const double *tvgp__columns_row(const tvgp__columns *c, size_t from, size_t to, size_t arm, size_t also) {
    size_t n = to - from;
    for (size_t k = from; k < to; k++)
        c->row[k - from] = tvgp__shard_entry(c->shard, tvgp__columns_g(c, k), arm);
    if (also < c->count)
        c->row[n++] = tvgp__shard_entry(c->shard, tvgp__columns_g(c, also), arm);
    tvgp__shard_give(c->shard, arm, c->row, n);
    return c->row;
}

/* p -= those terms of R[:, arm] that records from .. on make; row: entries of these columns at the arm. */
static double subtract(const tvgp__columns *c, size_t from, const double *row, double *p) {
    double taken = 0;
    size_t n = 0;
    for (size_t k = c->count; k-- > from; n++) { /* the newest first */
        const double a = -row[k - from];
        c->terms[n] = (tvgp__lincomb_term){.a = a, .x = tvgp__columns_g(c, k)};
        taken -= a * row[k - from];
    }
    tvgp__lincomb_add(c->n, n, c->terms, p);
    return taken;
}

double tvgp__columns_after(const tvgp__columns *c, size_t k, double *p) {
    const tvgp__columns_record *r = tvgp__columns_at(c, k);
    const double *g = tvgp__columns_g(c, k);
    double a = r->noise / sqrt(r->seen.s);
    for (size_t i = 0; i < c->n; i++)
        p[i] = a * g[i];
    return a;
}

double tvgp__columns_column(const tvgp__columns *c, size_t arm, double prior, const double *row, double *p) {
    size_t last = tvgp__columns_find(c, c->count, arm), again = last < c->count, from = again ? last + 1 : 0;
    const double *entry = tvgp__columns_row(c, from, c->count, arm, last);
    double own = prior;
    if (again)
        own = tvgp__columns_after(c, last, p) * entry[c->count - from];
    else
        memcpy(p, row, c->n * sizeof *p);
    double taken = subtract(c, from, entry, p);
    return c->shard ? own - taken : NAN;
}

/* Where a vector has its entry at an arm, whose index in the tails is `tail`. */
static size_t entry_of(const tvgp__columns *c, size_t arm, size_t tail) {
    return c->shard ? c->n + tail : arm;
}

/* Records k and k + 1 exchange positions. Let a = g_k at the arm of the later record. Without the earlier record, the
 * variance of the later innovation is s' = s + a^2, and (g_k+1, g_k) is rotated by the angle of cosine sqrt(s / s'). In
 * the tails, `first` is the arm of the earlier record and `second` the arm of the later one. */
static void exchange(tvgp__columns *c, size_t k, size_t first, size_t second) {
    size_t at = slot_of(c, k), next = slot_of(c, k + 1);
    tvgp__columns_record earlier = c->records[at], later = c->records[next];
    double *g = c->g[at], *h = c->g[next], a = g[entry_of(c, later.seen.arm, second)];
    double square = later.seen.s + a * a, root = sqrt(square), cosine = sqrt(later.seen.s) / root, sine = a / root;
    double e = later.seen.e / sqrt(later.seen.s), eta = earlier.seen.e / sqrt(earlier.seen.s);
    tvgp__blas_rot(c->n, h, g, cosine, sine);
    if (c->tail)
        tvgp__blas_rot(c->tail, h + c->n, g + c->n, cosine, sine);
    later.seen.s = square;
    later.seen.e = (cosine * e + sine * eta) * root;
    eta = cosine * eta - sine * e;
    double p = g[entry_of(c, earlier.seen.arm, first)]; /* p / sqrt(s) of the earlier one, now the newer: s = p + noise */
    root = 0.5 * (p + sqrt(p * p + 4 * earlier.noise));
    earlier.seen.s = root * root;
    earlier.seen.e = eta * root;
    c->records[at] = later;
    c->records[next] = earlier;
    c->g[at] = h;
    c->g[next] = g;
}

void tvgp__columns_raise(tvgp__columns *c, size_t k) {
    for (size_t end = k; end < c->count;) {
        size_t first = k;
        end = c->tail ? k + tvgp__columns_chunk(c, k) : c->count;
        if (c->shard)
            tvgp__columns_fetch(c, first, end);
        for (; k + 1 < end; k++)
            exchange(c, k, 0, k + 1 - first);
    }
}

const double *tvgp__columns_entry(const tvgp__columns *c, const double *g, size_t arm) {
    return g + entry_of(c, arm, 0);
}

double tvgp__columns_own(const tvgp__columns *c) {
    return tvgp__columns_g(c, c->count - 1)[entry_of(c, tvgp__columns_at(c, c->count - 1)->seen.arm, 0)];
}

/* Two observations of one arm in a row are one with the noise v v2 / (v + v2), whose gain is the sum of both:
 * E / S = e / s + (v / s) e2 / s2, as the column of the second is v / s times that of the first. */
void tvgp__columns_join(tvgp__columns *c, const tvgp__innovation *seen, double noise) {
    tvgp__columns_record *r = tvgp__columns_at(c, c->count - 1);
    double *g = tvgp__columns_g(c, c->count - 1), root = sqrt(r->seen.s), p = tvgp__columns_own(c) * root;
    double gain = r->seen.e / r->seen.s + r->noise / r->seen.s * (seen->e / seen->s);
    r->noise = r->noise > 0 && noise > 0 ? 1 / (1 / r->noise + 1 / noise) : 0;
    r->seen.s = p + r->noise;
    r->seen.e = gain * r->seen.s;
    double ratio = root / sqrt(r->seen.s);
    for (size_t i = 0; i < c->n; i++)
        g[i] *= ratio;
}

const double *tvgp__columns_leave(tvgp__columns *c, double noise, double e, double *gain, double *share) {
    tvgp__columns_record *r = tvgp__columns_at(c, c->count - 1);
    double *g = tvgp__columns_g(c, c->count - 1), root = sqrt(r->seen.s), p = tvgp__columns_own(c) * root;
    *gain = r->seen.e / root;
    *share = -1;
    if (isinf(noise)) {
        c->count--;
        return g;
    }
    r->noise = noise;
    r->seen.s = p + noise;
    r->seen.e = e;
    const double ratio = root / sqrt(r->seen.s);
    for (size_t i = 0; i < c->n + (c->tail > 0); i++) /* and the entry at its own arm */
        g[i] *= ratio;
    *gain = *gain / ratio - e / sqrt(r->seen.s);
    *share = 1 - 1 / (ratio * ratio);
    return g;
}

void tvgp__columns_clear(tvgp__columns *c) {
    c->count = 0;
}

tvgp_status tvgp__columns_predictive(const tvgp__columns *c, const tvgp_kernel *kernel, const double *points,
                                     tvgp__predictive *out) {
    size_t r = c->count, dim = kernel->dim;
    double *L = NULL;
    const tvgp_status status = tvgp__shard_agree(c->shard, tvgp__memory_alloc(c->ctx, r, (r + 1 + dim) * sizeof *L, &L));
    if (status < 0) {
        tvgp__memory_free(c->ctx, L);
        return status;
    }
    double *u = L + r * r, *X = u + r;
    for (size_t i = 0; i < r; i++) {
        const tvgp__innovation *seen = &tvgp__columns_at(c, i)->seen;
        double root = sqrt(seen->s);
        for (size_t j = 0; j < i; j++)
            L[j * r + i] = tvgp__shard_entry(c->shard, tvgp__columns_g(c, j), seen->arm);
        L[i * r + i] = root;
        u[i] = seen->e / root;
        memcpy(X + i * dim, tvgp__shard_point(c->shard, points, dim, seen->arm), dim * sizeof *X);
    }
    tvgp__shard_max(c->shard, L, r * r);
    *out = tvgp__predictive_of(c->ctx, kernel, r, X, L, r, u);
    out->memory = L;
    return TVGP_OK;
}

void tvgp__columns_fetch(const tvgp__columns *c, size_t from, size_t to) {
    const size_t m = to - from;
    if (!c->shard)
        return;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < m; i++)
            c->corner[k * m + i] =
                tvgp__shard_entry(c->shard, tvgp__columns_g(c, from + k), tvgp__columns_at(c, from + i)->seen.arm);
    tvgp__shard_max(c->shard, c->corner, m * m);
    for (size_t k = 0; k < m; k++)
        memcpy(tvgp__columns_g(c, from + k) + c->n, c->corner + k * m, m * sizeof *c->corner);
}

size_t tvgp__columns_chunk(const tvgp__columns *c, size_t k) {
    return c->count - k > c->tail ? c->tail : c->count - k;
}

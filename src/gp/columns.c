/* SPDX-License-Identifier: MIT */
#include "gp/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/range.h"
#include "linalg/blas.h"

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

void tvgp__columns_insert(tvgp__columns *c, size_t k, const tvgp__innovation *seen, double decay) {
    double *g = tvgp__columns_next(c);
    for (size_t later = c->count++; later > k; later--) {
        c->records[slot_of(c, later)] = c->records[slot_of(c, later - 1)];
        c->g[slot_of(c, later)] = c->g[slot_of(c, later - 1)];
    }
    c->records[slot_of(c, k)] = (tvgp__columns_record){.seen = *seen, .weight = decay / c->scale};
    c->g[slot_of(c, k)] = g;
    if (k < c->faded || decay < FADED)
        c->faded++;
}

void tvgp__columns_subtract(const tvgp__columns *c, size_t keep, double factor, size_t arm, double *p) {
    size_t n = 0;
    for (size_t k = keep; k-- > 0; n++) { /* the newest first */
        const double *g = tvgp__columns_g(c, k);
        double decay = factor * tvgp__columns_decay(c, k);
        if (decay < FADED)
            break;
        c->terms[n] = (tvgp__lincomb_term){.a = -decay * g[arm], .x = g};
    }
    tvgp__lincomb_add(c->n, n, c->terms, p);
}

void tvgp__columns_move(tvgp__columns *c, double m2) {
    c->scale *= m2;
    while (c->count && !(tvgp__columns_decay(c, 0) >= GONE)) {
        c->first = slot_of(c, 1);
        c->count--;
        c->faded -= c->faded > 0;
    }
    while (c->faded < c->count && tvgp__columns_decay(c, c->faded) < FADED)
        c->faded++;
    if (c->count && c->scale > 1e-100)
        return;
    for (size_t k = 0; k < c->count; k++)
        tvgp__columns_at(c, k)->weight *= c->scale;
    c->scale = 1;
}

void tvgp__columns_clear(tvgp__columns *c) {
    c->first = c->count = c->faded = 0;
    c->scale = 1;
}

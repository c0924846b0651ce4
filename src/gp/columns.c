/* SPDX-License-Identifier: MIT */
#include "gp/columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/blas.h"

#include <string.h>

void tvgp__columns_free(tvgp__columns *c) {
    tvgp__memory_free(c->ctx, c->records);
    tvgp__memory_free(c->ctx, c->G);
    tvgp__memory_free(c->ctx, c->h);
}

/* A larger ring, unrolled: the oldest record comes first. */
static tvgp_status enlarge(tvgp__columns *c, size_t slots, int with_g) {
    tvgp__columns_record *records = NULL;
    double *G = NULL, *h = NULL; /* h and decay are one block */
    tvgp_status status = tvgp__memory_alloc(c->ctx, slots, sizeof *records, &records);
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(c->ctx, slots, 2 * sizeof *h, &h);
    if (status == TVGP_OK && with_g)
        status = tvgp__memory_alloc(c->ctx, slots, c->n * sizeof *G, &G);
    if (status < 0) {
        tvgp__memory_free(c->ctx, records);
        tvgp__memory_free(c->ctx, h);
        return status;
    }
    for (size_t k = 0; k < c->count; k++) {
        records[k] = *tvgp__columns_at(c, k);
        h[slots + k] = tvgp__columns_weight(c, k);
        if (with_g && c->G)
            memcpy(G + k * c->n, c->G + tvgp__columns_slot(c, k) * c->n, c->n * sizeof *G);
    }
    tvgp__columns_free(c);
    c->records = records;
    c->h = h;
    c->decay = h + slots;
    c->G = G;
    c->first = 0;
    c->slots = slots;
    return TVGP_OK;
}

tvgp_status tvgp__columns_reserve(tvgp__columns *c, size_t more, int with_g) {
    size_t needed = c->count + more, slots = c->slots ? c->slots : 32;
    if (needed <= c->slots)
        return TVGP_OK;
    TVGP__TRY(tvgp__blas_check(c->ctx, "live observations", needed));
    while (slots < needed)
        slots *= 2;
    return enlarge(c, slots, with_g);
}

size_t tvgp__columns_slot(const tvgp__columns *c, size_t k) {
    size_t slot = c->first + k;
    return slot < c->slots ? slot : slot - c->slots;
}

tvgp__columns_record *tvgp__columns_at(const tvgp__columns *c, size_t k) {
    return &c->records[tvgp__columns_slot(c, k)];
}

double tvgp__columns_weight(const tvgp__columns *c, size_t k) {
    return c->decay[tvgp__columns_slot(c, k)];
}

/* The slots of the records from the k-th oldest on: at most two runs, as the ring may wrap. */
static void runs(const tvgp__columns *c, size_t k, size_t start[2], size_t length[2]) {
    size_t n = c->count - k, first = tvgp__columns_slot(c, k), before_wrap = c->slots - first;
    start[0] = first;
    start[1] = 0;
    length[0] = n < before_wrap ? n : before_wrap;
    length[1] = n - length[0];
}

void tvgp__columns_subtract(const tvgp__columns *c, size_t arm, double *p) {
    size_t start[2], length[2];
    runs(c, c->faded, start, length);
    for (int part = 0; part < 2; part++) {
        if (!length[part])
            continue;
        const double *G = c->G + start[part] * c->n;
        for (size_t k = 0; k < length[part]; k++)
            c->h[k] = c->decay[start[part] + k] * G[k * c->n + arm];
        tvgp__blas_gemv(TVGP__NO_TRANS, c->n, length[part], -1, G, c->n, c->h, 1, p);
    }
}

void tvgp__columns_decay(tvgp__columns *c, double m2) {
    size_t start[2], length[2], gone = 0;
    runs(c, 0, start, length);
    for (int part = 0; part < 2; part++)
        for (size_t k = 0; k < length[part]; k++)
            c->decay[start[part] + k] *= m2;
    while (gone < c->count && tvgp__columns_weight(c, gone) < 0x1p-106)
        gone++;
    c->first = tvgp__columns_slot(c, gone);
    c->count -= gone;
    c->faded = c->faded > gone ? c->faded - gone : 0;
    while (c->faded < c->count && tvgp__columns_weight(c, c->faded) < 0x1p-53)
        c->faded++;
    while (c->faded && tvgp__columns_weight(c, c->faded - 1) >= 0x1p-53) /* a step back in time */
        c->faded--;
    if (!c->count)
        tvgp__columns_clear(c);
}

void tvgp__columns_clear(tvgp__columns *c) {
    c->first = c->count = c->faded = 0;
}

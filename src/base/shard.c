/* SPDX-License-Identifier: MIT */
#include "base/shard.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static tvgp_status check_table(tvgp_ctx *ctx, const tvgp_comm *comm) {
    if (comm->struct_size < sizeof *comm)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "comm.struct_size = %zu, must be %zu", comm->struct_size, sizeof *comm);
    if (comm->size < 1 || comm->rank < 0 || comm->rank >= comm->size)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "comm.rank = %d, comm.size = %d, must be 0 <= rank < size",
                               (int)comm->rank, (int)comm->size);
    if (!comm->bcast || !comm->max)
        return tvgp__error_set(ctx, TVGP_ERR_ARG, "comm.%s is NULL", comm->bcast ? "max" : "bcast");
    return TVGP_OK;
}

/* Memory of a shard that has nothing yet. */
static tvgp_status allocate(tvgp__shard *s) {
    size_t ranks = (size_t)s->comm.size;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, ranks + 1, sizeof *s->starts, &s->starts));
    TVGP__TRY(tvgp__memory_alloc(s->ctx, ranks, sizeof *s->slots, &s->slots));
    return tvgp__memory_alloc(s->ctx, s->dim + TVGP__SHARD_PACKET, sizeof *s->packet, &s->packet);
}

/* What the other ranks hold. */
static tvgp_status count(tvgp__shard *s) {
    size_t ranks = (size_t)s->comm.size;
    double total = 0, dims[2] = {(double)s->dim, -(double)s->dim};
    for (size_t r = 0; r < ranks; r++)
        s->slots[r] = r == (size_t)s->comm.rank ? (double)s->n : 0;
    tvgp__shard_max(s, s->slots, ranks);
    tvgp__shard_max(s, dims, 2);
    TVGP__TRY(tvgp__shard_heard(s));
    if (dims[0] != -dims[1])
        return tvgp__error_set(s->ctx, TVGP_ERR_DIM, "dim = %zu here, and %g to %g on the ranks", s->dim, -dims[1], dims[0]);
    for (size_t r = 0; r < ranks; r++)
        total += s->slots[r];
    if (total > UINT32_MAX)
        return tvgp__error_set(s->ctx, TVGP_ERR_LIMIT, "%.0f arms on all ranks exceed the limit %lu", total,
                               (unsigned long)UINT32_MAX);
    for (size_t r = 0; r < ranks; r++)
        s->starts[r + 1] = s->starts[r] + (size_t)s->slots[r];
    s->first = s->starts[s->comm.rank];
    s->total = s->starts[ranks];
    return TVGP_OK;
}

tvgp_status tvgp__shard_new(tvgp_ctx *ctx, const tvgp_comm *comm, size_t n, size_t dim, tvgp_status status,
                            tvgp__shard **out) {
    TVGP__TRY(check_table(ctx, comm));
    tvgp__shard asks = {.ctx = ctx, .comm = *comm, .n = n, .dim = dim}, *s = NULL;
    if (status == TVGP_OK)
        status = tvgp__memory_alloc(ctx, 1, sizeof *s, &s);
    if (status == TVGP_OK) {
        *s = asks;
        status = allocate(s);
    }
    status = tvgp__shard_agree(&asks, status);
    if (status == TVGP_OK)
        status = count(s);
    if (status < 0)
        tvgp__shard_free(s);
    else
        *out = s;
    return status;
}

void tvgp__shard_free(tvgp__shard *s) {
    if (!s)
        return;
    tvgp__memory_free(s->ctx, s->starts);
    tvgp__memory_free(s->ctx, s->slots);
    tvgp__memory_free(s->ctx, s->packet);
    tvgp__memory_free(s->ctx, s->met);
    tvgp__memory_free(s->ctx, s->points);
    tvgp__memory_free(s->ctx, s);
}

/* ---- collective ------------------------------------------------------------------------------------------------- */

/* What comes of a call that wrote n doubles (or as many bytes); afterwards nothing is believed. */
static void note(tvgp__shard *s, int32_t status) {
    if (status != 0)
        s->broken = tvgp__error_status(status);
}

void tvgp__shard_max(tvgp__shard *s, double *values, size_t n) {
    if (!s || !n)
        return;
    if (!s->broken)
        note(s, s->comm.max(s->comm.user, values, n));
    if (s->broken)
        memset(values, 0, n * sizeof *values);
}

void tvgp__shard_bcast(tvgp__shard *s, void *data, size_t bytes, size_t rank) {
    if (!s || !bytes)
        return;
    if (!s->broken)
        note(s, s->comm.bcast(s->comm.user, data, bytes, (int32_t)rank));
    if (s->broken)
        memset(data, 0, bytes);
}

static size_t owner(const tvgp__shard *s, size_t arm) {
    size_t low = 0, high = (size_t)s->comm.size - 1;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (s->starts[middle] <= arm)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void tvgp__shard_give(tvgp__shard *s, size_t arm, double *values, size_t n) {
    if (s)
        tvgp__shard_bcast(s, values, n * sizeof *values, owner(s, arm));
}

double tvgp__shard_at(tvgp__shard *s, const double *v, size_t arm) {
    double value = tvgp__shard_entry(s, v, arm);
    tvgp__shard_give(s, arm, &value, 1);
    return value;
}

double tvgp__shard_highest(tvgp__shard *s, double value, double slack, size_t *rank) {
    double most = -INFINITY;
    *rank = 0;
    if (!s)
        return value;
    size_t ranks = (size_t)s->comm.size;
    for (size_t r = 0; r < ranks; r++)
        s->slots[r] = r == (size_t)s->comm.rank ? value : -INFINITY;
    tvgp__shard_max(s, s->slots, ranks);
    for (size_t r = 0; r < ranks; r++)
        most = fmax(most, s->slots[r]);
    double tied = isinf(most) ? most : most - slack * fabs(most);
    while (!(s->slots[*rank] >= tied))
        ++*rank;
    return most;
}

double tvgp__shard_sum(tvgp__shard *s, double value) {
    size_t rank;
    double sum = 0;
    if (!s)
        return value;
    (void)tvgp__shard_highest(s, value, 0, &rank);
    for (size_t r = 0; r < (size_t)s->comm.size; r++)
        sum += s->slots[r];
    return sum;
}

size_t tvgp__shard_from(tvgp__shard *s, size_t rank, size_t place) {
    double arm = s ? (double)(s->first + place) : 0;
    tvgp__shard_bcast(s, &arm, sizeof arm, rank);
    return s ? (size_t)arm : place;
}

tvgp_status tvgp__shard_agree(tvgp__shard *s, tvgp_status own) {
    if (!s)
        return own;
    double worst = own < 0 ? -(double)own : 0;
    tvgp__shard_max(s, &worst, 1);
    TVGP__TRY(tvgp__shard_heard(s));
    tvgp_status status = -(tvgp_status)worst;
    s->agreed |= status < 0;
    if (status == TVGP_OK || status == own)
        return own;
    return tvgp__error_set(s->ctx, status, "another rank failed so");
}

void tvgp__shard_begin(tvgp__shard *s) {
    if (s)
        s->agreed = 0;
}

tvgp_status tvgp__shard_end(tvgp__shard *s, tvgp_status status) {
    return s && s->agreed ? status : tvgp__shard_agree(s, status);
}

tvgp_status tvgp__shard_heard(const tvgp__shard *s) {
    if (!s || !s->broken)
        return TVGP_OK;
    return tvgp__error_set(s->ctx, s->broken, "a collective call failed; the policies on this domain can only be destroyed");
}

/* ---- points ----------------------------------------------------------------------------------------------------- */

/* How many arms that were met come before this one. */
static size_t before(const tvgp__shard *s, size_t arm) {
    size_t low = 0, high = s->n_met;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->met[middle].arm < arm)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

tvgp_status tvgp__shard_room(tvgp__shard *s, size_t more) {
    if (!s)
        return TVGP_OK;
    TVGP__TRY(tvgp__memory_reserve(s->ctx, s->n_met + more, sizeof *s->met, &s->met, &s->met_slots));
    return tvgp__memory_reserve(s->ctx, s->n_met + more, s->dim * sizeof *s->points, &s->points, &s->point_slots);
}

/* Keeps the point of an arm. */
static void keep(tvgp__shard *s, size_t arm, const double *point) {
    size_t k = before(s, arm);
    if (k < s->n_met && s->met[k].arm == arm)
        return;
    memcpy(s->points + s->n_met * s->dim, point, s->dim * sizeof *point);
    memmove(s->met + k + 1, s->met + k, (s->n_met - k) * sizeof *s->met);
    s->met[k] = (tvgp__shard_met){.arm = arm, .at = s->n_met++};
}

void tvgp__shard_meet(tvgp__shard *s, const double *X, size_t arm) {
    if (!s)
        return;
    size_t k = before(s, arm);
    if (k < s->n_met && s->met[k].arm == arm)
        return;
    if (tvgp__shard_owns(s, arm))
        memcpy(s->packet, X + (arm - s->first) * s->dim, s->dim * sizeof *s->packet);
    tvgp__shard_give(s, arm, s->packet, s->dim);
    keep(s, arm, s->packet);
}

size_t tvgp__shard_send(tvgp__shard *s, size_t rank, size_t place, const double *X, size_t count, double *values) {
    if (!s)
        return place;
    s->packet[0] = (double)(s->first + place);
    memcpy(s->packet + 1, values, count * sizeof *values);
    if (rank == (size_t)s->comm.rank)
        memcpy(s->packet + 1 + count, X + place * s->dim, s->dim * sizeof *X);
    tvgp__shard_bcast(s, s->packet, (1 + count + s->dim) * sizeof *s->packet, rank);
    memcpy(values, s->packet + 1, count * sizeof *values);
    keep(s, (size_t)s->packet[0], s->packet + 1 + count);
    return (size_t)s->packet[0];
}

const double *tvgp__shard_point(const tvgp__shard *s, const double *X, size_t dim, size_t arm) {
    if (tvgp__shard_owns(s, arm))
        return X + tvgp__shard_place(s, arm) * dim;
    return s->points + s->met[before(s, arm)].at * dim;
}

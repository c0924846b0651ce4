/* SPDX-License-Identifier: MIT */
/* Arms distributed over ranks (tvgp/comm.h): rank r holds a range of them, in order of r (base/shard.h). */
#include "base/shard.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/valid_range.h"

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
    size_t packet = ranks > TVGP__SHARD_FEW ? 1 : 2 + TVGP__SHARD_PACKET + s->dim;
    TVGP__TRY(tvgp__memory_alloc(s->ctx, ranks, packet * sizeof *s->slots, &s->slots));
    return tvgp__memory_alloc(s->ctx, s->dim + TVGP__SHARD_PACKET, sizeof *s->packet, &s->packet);
}

/* What the ranks say cannot be so. */
static void distrust(tvgp__shard *s) {
    if (!s->broken)
        s->broken = TVGP_ERR_CALLBACK;
}

/* Numbers that the ranks gave: zero when one of them is none. */
static void check_numbers(tvgp__shard *s, size_t n, double *values) {
    for (size_t i = 0; i < n; i++)
        if (isnan(values[i]))
            distrust(s);
    if (s->broken)
        memset(values, 0, n * sizeof *values);
}

size_t tvgp__shard_index(tvgp__shard *s, double value, double below) {
    if (value >= 0 && value < below && value == floor(value))
        return (size_t)value;
    distrust(s);
    return 0;
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
    if (dims[0] != (double)s->dim || dims[0] != -dims[1])
        return tvgp__error_set(s->ctx, TVGP_ERR_DIM, "dim = %zu here, and %g to %g on the ranks", s->dim, -dims[1], dims[0]);
    for (size_t r = 0; r < ranks; r++)
        total += (double)tvgp__shard_index(s, s->slots[r], 0x1p53);
    if (s->slots[s->comm.rank] != (double)s->n)
        distrust(s);
    TVGP__TRY(tvgp__shard_heard(s));
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
    tvgp__memory_free(s->ctx, s->rider);
    tvgp__memory_free(s->ctx, s);
}

/* ---- collective ------------------------------------------------------------------------------------------------- */

/* Records the status of a call that wrote n doubles (or as many bytes); after an error its values are not used. */
static void note(tvgp__shard *s, int32_t status) {
    if (status != 0)
        s->broken = tvgp__error_status(status);
}

void tvgp__shard_max(tvgp__shard *s, double *values, size_t n) {
    if (!s || !n)
        return;
    if (!s->broken)
        note(s, s->comm.max(s->comm.user, n, values));
    check_numbers(s, n, values);
}

double tvgp__shard_largest(tvgp__shard *s, double own) {
    double most = own;
    tvgp__shard_max(s, &most, 1);
    if (!s || most >= own)
        return most;
    distrust(s);
    return 0;
}

void tvgp__shard_bcast(tvgp__shard *s, void *data, size_t bytes, size_t rank) {
    if (!s || !bytes)
        return;
    if (!s->broken)
        note(s, s->comm.bcast(s->comm.user, bytes, data, (int32_t)rank));
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
    if (!s || !n)
        return;
    tvgp__shard_bcast(s, values, n * sizeof *values, owner(s, arm));
    check_numbers(s, n, values);
}

void tvgp__shard_row(tvgp__shard *s, size_t arm, size_t k, const double *V, size_t n, double *out) {
    for (size_t i = 0; i < k; i++)
        out[i] = tvgp__shard_entry(s, V + i * n, arm);
    tvgp__shard_give(s, arm, out, k);
}

void tvgp__shard_pick(tvgp__shard *s, size_t k, const size_t *arm, const double *v, double *out) {
    for (size_t i = 0; i < k; i++)
        out[i] = tvgp__shard_entry(s, v, arm[i]);
    tvgp__shard_max(s, out, k);
}

/* The largest value of all ranks, which are `width` apart in the slots; the first rank that ties with it, and the least value that does. */
static double first_of(const tvgp__shard *s, size_t width, double slack, size_t *rank, double *least) {
    double most = -INFINITY;
    for (size_t r = 0; r < (size_t)s->comm.size; r++)
        most = fmax(most, s->slots[r * width]);
    *least = isinf(most) ? most : most - slack * fabs(most);
    for (*rank = 0; !(s->slots[*rank * width] >= *least);)
        ++*rank;
    return most;
}

double tvgp__shard_highest(tvgp__shard *s, double value, double slack, size_t *rank) {
    double least;
    *rank = 0;
    if (!s)
        return value;
    for (size_t r = 0; r < (size_t)s->comm.size; r++)
        s->slots[r] = r == (size_t)s->comm.rank ? value : -INFINITY;
    tvgp__shard_max(s, s->slots, (size_t)s->comm.size);
    return first_of(s, 1, slack, rank, &least);
}

const double *tvgp__shard_each(tvgp__shard *s, double value) {
    size_t rank;
    (void)tvgp__shard_highest(s, value, 0, &rank);
    return s->slots;
}

double tvgp__shard_sum(tvgp__shard *s, double value) {
    double sum = 0;
    if (!s)
        return value;
    const double *each = tvgp__shard_each(s, value);
    for (size_t r = 0; r < (size_t)s->comm.size; r++)
        sum += each[r];
    return sum;
}

tvgp_status tvgp__shard_agree(tvgp__shard *s, tvgp_status own) {
    if (!s)
        return own;
    double alone, *worst = s->riding ? s->rider : &alone;
    *worst = own < 0 ? -(double)own : 0;
    tvgp__shard_max(s, worst, 1 + s->riding);
    tvgp_status status = -(tvgp_status)tvgp__shard_index(s, *worst, 2000);
    if (status == TVGP_OK && s->wanted > s->fits)
        s->fits = s->wanted;
    s->wanted = s->riding = 0;
    TVGP__TRY(tvgp__shard_heard(s));
    s->agreed |= status < 0;
    if (status == TVGP_OK || status == own)
        return own;
    return tvgp__error_set(s->ctx, status, "another rank failed so");
}

tvgp_status tvgp__shard_ride_room(tvgp__shard *s, size_t n) {
    if (!s)
        return TVGP_OK;
    s->wanted += n;
    return tvgp__memory_reserve(s->ctx, 1 + s->wanted, sizeof *s->rider, &s->rider, &s->rider_slots);
}

double *tvgp__shard_ride(tvgp__shard *s, size_t n) {
    if (!s || s->riding + n > s->fits)
        return NULL;
    for (size_t i = 0; i < n; i++)
        s->rider[1 + s->riding++] = -INFINITY;
    return s->rider + 1 + s->riding - n;
}

void tvgp__shard_begin(tvgp__shard *s) {
    if (s)
        s->agreed = 0;
}

tvgp_status tvgp__shard_end(tvgp__shard *s, tvgp_status status) {
    return s && s->agreed ? status : tvgp__shard_agree(s, status);
}

tvgp_status tvgp__shard_refuse(tvgp__shard *s) {
    distrust(s);
    return tvgp__shard_broken(s);
}

tvgp_status tvgp__shard_broken(const tvgp__shard *s) {
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

/* What this rank says of an index; and what comes of a packet. */
static void pack(const tvgp__shard *s, size_t index, size_t count, const double *values, double *out) {
    out[0] = (double)(s->first + index);
    if (count)
        memcpy(out + 1, values, count * sizeof *values);
    memcpy(out + 1 + count, s->X + index * s->dim, s->dim * sizeof *s->X);
}

static size_t unpack(tvgp__shard *s, size_t count, const double *in, double *values) {
    const size_t arm = tvgp__shard_index(s, in[0], (double)s->total);
    if (count)
        memcpy(values, in + 1, count * sizeof *values);
    check_numbers(s, count, values);
    keep(s, arm, in + 1 + count);
    return arm;
}

size_t tvgp__shard_best(tvgp__shard *s, double value, double slack, double tied, size_t index, size_t count, double *values,
                        double *most, size_t *rank) {
    *most = value;
    *rank = 0;
    if (!s)
        return index;
    const size_t ranks = (size_t)s->comm.size, width = 3 + count + s->dim;
    if (ranks > TVGP__SHARD_FEW) {
        *most = tvgp__shard_highest(s, value, slack, rank);
        return SIZE_MAX;
    }
    double *own = s->slots + (size_t)s->comm.rank * width;
    for (size_t i = 0; i < ranks * width; i++)
        s->slots[i] = -INFINITY;
    own[0] = value;
    own[1] = tied;
    pack(s, index, count, values, own + 2);
    tvgp__shard_max(s, s->slots, ranks * width);
    double least;
    *most = first_of(s, width, slack, rank, &least);
    const double *best = s->slots + *rank * width;
    return best[1] >= least ? unpack(s, count, best + 2, values) : SIZE_MAX;
}

size_t tvgp__shard_send(tvgp__shard *s, size_t rank, size_t index, size_t count, double *values) {
    if (!s)
        return index;
    pack(s, index, count, values, s->packet);
    tvgp__shard_bcast(s, s->packet, (1 + count + s->dim) * sizeof *s->packet, rank);
    return unpack(s, count, s->packet, values);
}

void tvgp__shard_visit(tvgp__shard *s, tvgp__visit *v, size_t **arms, double **points, size_t *n) {
    size_t count = s->n_met;
    tvgp__visit_count(v, &count, s->total, 4 + s->dim * sizeof **points);
    *n = count;
    if (tvgp__visit_loads(v)) {
        tvgp__visit_room(v, count, sizeof **arms, arms);
        tvgp__visit_room(v, count, s->dim * sizeof **points, points);
        tvgp__visit_try(v, tvgp__shard_room(s, count));
    }
    for (size_t k = 0; tvgp__visit_fine(v) && k < count; k++) {
        const int loads = tvgp__visit_loads(v);
        size_t arm = loads ? 0 : s->met[k].arm;
        double *point = loads ? *points + k * s->dim : s->points + s->met[k].at * s->dim;
        tvgp__visit_indices(v, 1, &arm, s->total);
        tvgp__visit_reals(v, s->dim, point, -TVGP__VALID_RANGE_MOST, TVGP__VALID_RANGE_MOST);
        if (tvgp__visit_loads(v))
            (*arms)[k] = arm;
    }
}

void tvgp__shard_meet_all(tvgp__shard *s, size_t n, const size_t *arms, const double *points) {
    for (size_t k = 0; k < n; k++)
        keep(s, arms[k], points + k * s->dim);
}

const double *tvgp__shard_point(const tvgp__shard *s, const double *X, size_t dim, size_t arm) {
    if (tvgp__shard_owns(s, arm))
        return X + tvgp__shard_local(s, arm) * dim;
    return s->points + s->met[before(s, arm)].at * dim;
}

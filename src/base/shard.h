/* SPDX-License-Identifier: MIT */
/* Arms distributed over ranks (tvgp/comm.h): rank r holds a range of them, in order of r. Vectors over arms are each
 * rank's own part. Every rank holds the rest of a posterior (records, factors, counts), computed from the same numbers
 * by the same scalar code. Only data of a single arm are sent, from its owner to all.
 *
 * NULL means that nothing is shared: then every function here is trivial. After a collective call has failed (`broken`)
 * no other is made, and missing values are zero; the public call finally returns the status. */
#ifndef TVGP__BASE_SHARD_H
#define TVGP__BASE_SHARD_H

#include "base/visit.h"
#include "tvgp/comm.h"

#include <math.h>

/* FEW: ranks up to which each sends its packet in one maximum of all. */
enum { TVGP__SHARD_PACKET = 8, TVGP__SHARD_FEW = 32 };

typedef struct tvgp__shard_met {
    size_t arm, at;
} tvgp__shard_met;

typedef struct tvgp__shard {
    tvgp_ctx *ctx;
    tvgp_comm comm;
    tvgp_status broken;
    int agreed;             /* the ranks have agreed on a failure, since this was cleared */
    size_t first, n, total; /* own arms: first .. first + n - 1 of total */
    size_t dim;
    uint64_t hash;        /* of all arms and their points, independent of their owners */
    size_t *starts;       /* first arm of each rank, and total */
    const double *X;      /* of the own arms, the domain's */
    double *slots;        /* one for each rank, of few a packet and a point: workspace */
    double *packet;       /* workspace: a point, and TVGP__SHARD_PACKET numbers before it */
    tvgp__shard_met *met; /* arms that were met, in order of number, and where their points are: the same on all ranks */
    double *points;
    size_t n_met, met_slots, point_slots;
    double *rider;                            /* the status of an agreement, and numbers that travel with it */
    size_t rider_slots, riding, fits, wanted; /* fits: this many on every rank */
} tvgp__shard;

/* The shard of one rank with n arms. Collective; `status` is this rank's status so far: all ranks return the worst of
 * all. ARG (the table is invalid; not agreed on, because the ranks cannot communicate), DIM, LIMIT, NOMEM. */
tvgp_status tvgp__shard_new(tvgp_ctx *ctx, const tvgp_comm *comm, size_t n, size_t dim, tvgp_status status,
                            tvgp__shard **out);
void tvgp__shard_free(tvgp__shard *s);

/* ---- who holds what --------------------------------------------------------------------------------------------- */

static inline size_t tvgp__shard_total(const tvgp__shard *s, size_t n) {
    return s ? s->total : n;
}
static inline int tvgp__shard_owns(const tvgp__shard *s, size_t arm) {
    return !s || arm - s->first < s->n;
}
/* Of an arm this rank holds: where it is in vectors. */
static inline size_t tvgp__shard_local(const tvgp__shard *s, size_t arm) {
    return s ? arm - s->first : arm;
}
/* The other way: the arm at an index. */
static inline size_t tvgp__shard_arm(const tvgp__shard *s, size_t index) {
    return s ? s->first + index : index;
}
/* An entry of a vector over arms, -infinity where another rank has it: a maximum over the ranks makes it known. */
static inline double tvgp__shard_entry(const tvgp__shard *s, const double *v, size_t arm) {
    return !s ? v[arm] : tvgp__shard_owns(s, arm) ? v[arm - s->first] : -INFINITY;
}

/* Checks a number that the ranks gave as an index: below `below`. If it is none, further values are not used (CALLBACK),
 * and it is 0. */
size_t tvgp__shard_index(tvgp__shard *s, double value, double below);

/* ---- collective; NULL: nothing to do -------------------------------------------------------------------------- */

void tvgp__shard_max(tvgp__shard *s, double *values, size_t n);

/* The largest of one number of each rank. A maximum below the own number cannot be: CALLBACK, and 0. */
double tvgp__shard_largest(tvgp__shard *s, double own);
void tvgp__shard_bcast(tvgp__shard *s, void *data, size_t bytes, size_t rank);

/* n entries of each of `count` vectors, as the owner of the arm has them: values are read there and written elsewhere. */
void tvgp__shard_give(tvgp__shard *s, size_t arm, double *values, size_t n);

/* The entries of an arm in k vectors of n arms here (V: k x n); the entries of one vector at k arms. */
void tvgp__shard_row(tvgp__shard *s, size_t arm, size_t k, const double *V, size_t n, double *out);
void tvgp__shard_pick(tvgp__shard *s, size_t k, const size_t *arm, const double *v, double *out);

/* The largest of the ranks' values (-infinity: none), and the lowest rank whose value is at most `slack` of it below. */
double tvgp__shard_highest(tvgp__shard *s, double value, double slack, size_t *rank);

/* The same, and of an index there that this rank would give: the number of the arm, count < TVGP__SHARD_PACKET numbers of it, and
 * its point becomes known on all ranks, for which there must be room. It is the index only if its value, which is `tied`, is
 * at most `slack` below the largest of all: SIZE_MAX when it is not, or the ranks are many; then `send` follows. NULL: index. */
size_t tvgp__shard_best(tvgp__shard *s, double value, double slack, double tied, size_t index, size_t count, double *values,
                        double *most, size_t *rank);

/* An index in the vectors of one rank, as the number of the arm, with count < TVGP__SHARD_PACKET numbers of it, which that rank
 * gives; its point becomes known on all ranks, for which there must be room. */
size_t tvgp__shard_send(tvgp__shard *s, size_t rank, size_t index, size_t count, double *values);

/* The values of the ranks, until the next call. */
const double *tvgp__shard_each(tvgp__shard *s, double value);

/* The arms that were met, and their points, in a snapshot: written, or read into room for them; then, when all ranks could,
 * they are met. */
void tvgp__shard_visit(tvgp__shard *s, tvgp__visit *v, size_t **arms, double **points, size_t *n);
void tvgp__shard_meet_all(tvgp__shard *s, size_t n, const size_t *arms, const double *points);

/* The sum of the ranks' values, in order of the ranks. */
double tvgp__shard_sum(tvgp__shard *s, double value);

/* The worst status of all ranks, on all of them; without failure this rank's own. */
tvgp_status tvgp__shard_agree(tvgp__shard *s, tvgp_status own);

/* Numbers may be sent with the next agreement as maxima, none of them NaN, instead of by a collective call of their own.
 * `room` requests space for n more with later agreements, available once one has passed. NOMEM. `ride`: where to write n
 * now, -infinity until then, and where to read them until the next room is requested; NULL if there is no room on all ranks, or nothing is
 * shared. */
tvgp_status tvgp__shard_ride_room(tvgp__shard *s, size_t n);
double *tvgp__shard_ride(tvgp__shard *s, size_t n);

/* Enclose work in which the ranks agree before common operations: `status` is the status here. A rank that failed alone
 * meets the others at their next agreement, and if that is outside of the work, here. Begin clears. */
void tvgp__shard_begin(tvgp__shard *s);
tvgp_status tvgp__shard_end(tvgp__shard *s, tvgp_status status);

/* What the ranks gave cannot be so: CALLBACK. */
tvgp_status tvgp__shard_refuse(tvgp__shard *s);

/* A collective call has failed: its status, with a message. */
tvgp_status tvgp__shard_broken(const tvgp__shard *s);
static inline tvgp_status tvgp__shard_heard(const tvgp__shard *s) {
    return s && s->broken ? tvgp__shard_broken(s) : TVGP_OK;
}

/* ---- points ----------------------------------------------------------------------------------------------------- */

/* Room for `more` points of arms to be met. NOMEM; not collective. */
tvgp_status tvgp__shard_room(tvgp__shard *s, size_t more);

/* The point of an arm becomes known on all ranks, where X holds that of the owner; there must be room. Collective. */
void tvgp__shard_meet(tvgp__shard *s, const double *X, size_t arm);

/* The point of an arm that was met or is this rank's own, whose points are X. */
const double *tvgp__shard_point(const tvgp__shard *s, const double *X, size_t dim, size_t arm);

#endif

/* SPDX-License-Identifier: MIT */
/* Snapshots, struct by struct: one visit function names the members of a struct in order, and the kind of visitor
 * decides whether they are counted, written, hashed or read. Little-endian, no padding.
 *
 *     void tvgp__thing_visit(tvgp__thing *x, tvgp__visit *v) {
 *         size_t n = x->n;
 *         tvgp__visit_count(v, &n, x->most, sizeof(double));         a count is checked before memory is asked for
 *         if (tvgp__visit_loads(v) && tvgp__visit_try(v, tvgp__thing_reserve(x, n)))
 *             x->n = n;
 *         tvgp__visit_reals(v, x->n, x->y, -RANGE, RANGE);
 *     }
 *
 * After the first failure nothing is read or written, so visit functions have no branches for errors; loops over
 * allocated arrays end with it (`tvgp__visit_fine`). A struct that is read already holds memory, which is used again.
 * The remains of a failed load can only be freed. */
#ifndef TVGP__BASE_VISIT_H
#define TVGP__BASE_VISIT_H

#include "base/context.h"

enum { TVGP__VISIT_SIZE, TVGP__VISIT_SAVE, TVGP__VISIT_HASH, TVGP__VISIT_LOAD };

/* A snapshot of shared arms comes in parts, which agree in all but the vectors over arms: each has those of its own arms. */
typedef struct tvgp__visit_part {
    const uint8_t *in;
    size_t at, end;  /* as in the visitor, which has them for the first part */
    size_t first, n; /* its arms */
} tvgp__visit_part;

typedef struct tvgp__visit {
    tvgp_ctx *ctx;
    int purpose;
    uint32_t version;        /* of the format that is read or written */
    uint8_t *out;            /* SAVE: room for `end` bytes; what does not fit is counted */
    const uint8_t *in;       /* LOAD */
    size_t at, end;          /* the next byte; LOAD: the end of the section; SAVE: the end of the buffer */
    const char *section;     /* its name, for messages */
    uint64_t hash;           /* HASH: FNV-1a, 64 bits */
    const void *made_of;     /* LOAD: the ops of the kernel or domain being made */
    size_t depth;            /* of things made of things, such as kernels */
    size_t arms, dim;        /* LOAD: as in the template, so that nothing larger is created; dim 0: any */
    int shared;              /* the arms are */
    int whole;               /* SIZE, SAVE: with domain and kernel */
    tvgp__visit_part *parts; /* LOAD, with n_parts > 0: read side by side */
    void *set;               /* what they are of */
    size_t n_parts, first;   /* first: of the arms that are read, where the parts have more */
    tvgp_status status;
} tvgp__visit;

#define TVGP__VISIT_HASH_START 14695981039346656037u

static inline int tvgp__visit_fine(const tvgp__visit *v) {
    return v->status >= 0;
}

static inline int tvgp__visit_loads(const tvgp__visit *v) {
    return v->purpose == TVGP__VISIT_LOAD && v->status >= 0;
}

/* LOAD: to another byte of the section. */
void tvgp__visit_go(tvgp__visit *v, size_t at);

/* n bytes more: the one place where sizes are added. LIMIT beyond the largest object there can be, so that no sum wraps. `fits`
 * asks, `skip` goes there as well; 1 when there is no failure. */
int tvgp__visit_fits(tvgp__visit *v, size_t n);
int tvgp__visit_skip(tvgp__visit *v, size_t n);

/* Keeps a failure; 1 when there is none. */
int tvgp__visit_try(tvgp__visit *v, tvgp_status status);

/* LOAD: FORMAT, naming section and byte. */
void tvgp__visit_refuse(tvgp__visit *v, const char *why);

/* LOAD: refuses where a constructor failed because of what was read, and keeps another failure of it. 1 when there is none. */
int tvgp__visit_made(tvgp__visit *v, tvgp_status status, const char *why);

void tvgp__visit_bytes(tvgp__visit *v, size_t n, void *bytes);
void tvgp__visit_flag(tvgp__visit *v, int *x); /* 0 or 1, one byte */
void tvgp__visit_u64(tvgp__visit *v, uint64_t *x);

/* Numbers within bounds, which are looked at when they are read; NaN is refused. */
void tvgp__visit_int(tvgp__visit *v, int64_t *x, int64_t lower, int64_t upper);
void tvgp__visit_size(tvgp__visit *v, size_t *x, size_t lower, size_t upper);
void tvgp__visit_real(tvgp__visit *v, double *x, double lower, double upper);
void tvgp__visit_reals(tvgp__visit *v, size_t n, double *x, double lower, double upper);

/* What is counted up, and is 2^53 at most when it is read: so no count ever overflows, and each is a double. */
#define TVGP__VISIT_TALLY ((int64_t)1 << 53)
void tvgp__visit_tally(tvgp__visit *v, int64_t *x);
void tvgp__visit_tally_size(tvgp__visit *v, size_t *x);

/* Vectors over the n arms that are here: numbers, or things of `size` bytes. */
void tvgp__visit_arms(tvgp__visit *v, size_t n, double *x, double lower, double upper);
void tvgp__visit_arm_bytes(tvgp__visit *v, size_t n, void *x);
size_t tvgp__visit_arms_there(const tvgp__visit *v, size_t n); /* how many they have in what is read */

/* Doubles of which some may be NaN, otherwise within bounds. */
void tvgp__visit_maybe(tvgp__visit *v, size_t n, double *x, double lower, double upper);

/* The lower triangle of A (n x n, column-major with leading dimension ld). */
void tvgp__visit_triangle(tvgp__visit *v, size_t n, double *A, size_t ld);

/* n numbers below bound <= 2^32, four bytes each. */
void tvgp__visit_indices(tvgp__visit *v, size_t n, size_t *x, size_t bound);

/* How many things of `bytes` each follow: at most `most`, and no more than there can be. */
void tvgp__visit_count(tvgp__visit *v, size_t *n, size_t most, size_t bytes);

/* A text of at most size - 1 <= 255 bytes, without its end. */
void tvgp__visit_name(tvgp__visit *v, char *name, size_t size);

/* LOAD: makes *block at least `count` elements long; its contents stay. */
void tvgp__visit_room(tvgp__visit *v, size_t count, size_t size, void *block);

/* What computed numbers stay below, log evidences and products included (base/valid_range.h). */
#define TVGP__VISIT_MOST 1e300

#endif

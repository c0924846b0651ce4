/* SPDX-License-Identifier: MIT */
/* Features of a policy. Each is an entry of a list that the policy holds, with a table of functions (src/guard); the protocol calls
 * the tables and names no feature. Features are in the order of their types in the registry, and are called in this order. */
#ifndef TVGP__FRAME_GUARD_H
#define TVGP__FRAME_GUARD_H

#include "base/section.h"
#include "frame/tickets.h"
#include "tvgp/policy.h"

typedef struct tvgp__guard tvgp__guard;
struct tvgp__proposal;
struct tvgp__stat;

/* What leaving the last action costs: jump + way |x - last|. */
typedef struct tvgp__guard_costs {
    double jump, way;
} tvgp__guard_costs;

typedef struct tvgp__guard_leaving {
    const double *from;
    tvgp__guard_costs costs;
} tvgp__guard_leaving;

/* What features change in the choice under way; they set it in open. */
typedef struct tvgp__guard_terms {
    double *offset;                     /* added to the score of each choice; NULL: nothing */
    const tvgp__guard_leaving *leaving; /* on a whole box: taken off the score; NULL: nothing */
    double *offsets;                    /* room for `offset` */
    size_t offset_slots;
} tvgp__guard_terms;

/* A function that a feature does not need is NULL. */
typedef struct tvgp__guard_ops {
    const char *name; /* also the tag of its section in a snapshot, four letters */
    const struct tvgp__stat *stats;
    size_t n_stats;
    /* When the policy starts: the policy has the feature from now on if the options ask for it, and otherwise not. */
    tvgp_status (*start)(tvgp_policy *);
    /* May an ask begin now? */
    tvgp_status (*check)(const tvgp__guard *, const tvgp_policy *);
    /* Before the choice of an ask at time t. A failure leaves no trace, and close is not called. */
    tvgp_status (*open)(tvgp__guard *, tvgp_policy *, double t);
    /* Accepts or replaces a choice. */
    void (*judge)(tvgp__guard *, tvgp_policy *, struct tvgp__proposal *);
    /* After the choice, even if it failed. */
    void (*close)(tvgp__guard *, tvgp_policy *);
    /* A query is now pending. */
    void (*asked)(tvgp__guard *, tvgp_policy *, tvgp__ticket *);
    /* A query has this outcome and value, in the sense of a maximum. */
    void (*settled)(tvgp__guard *, tvgp_policy *, const tvgp__ticket *, int outcome, double y);
    /* The section of a snapshot. A visitor that loads finds the feature or adds it. */
    void (*visit)(tvgp_policy *, tvgp__visit *);
    void (*release)(tvgp__guard *, tvgp_policy *);
} tvgp__guard_ops;

/* First member of the state of every feature. */
struct tvgp__guard {
    const tvgp__guard_ops *ops;
    tvgp__guard *next;
};

/* The feature of this type that the policy has; NULL: none. */
tvgp__guard *tvgp__guard_find(const tvgp_policy *, const tvgp__guard_ops *);

/* Puts a feature in its place in the list. The policy has none of its type. */
void tvgp__guard_add(tvgp_policy *, tvgp__guard *);

/* Releases the feature of this type, if the policy has one; all features. */
void tvgp__guard_drop(tvgp_policy *, const tvgp__guard_ops *);
void tvgp__guard_drop_all(tvgp_policy *);

/* Adds and drops features as the options say. */
tvgp_status tvgp__guard_start(tvgp_policy *);

/* Of a feature that opens: the offsets of all choices in this ask, 0 at first, to add to. NOMEM. */
tvgp_status tvgp__guard_offset(tvgp_policy *, double **offset);

/* Scores of all choices with the offsets; the offset of one choice. */
void tvgp__guard_shift(const tvgp_policy *, double *score);
static inline double tvgp__guard_shifted(const tvgp__guard_terms *terms, size_t i) {
    return terms->offset ? terms->offset[i] : 0;
}

/* What leaving costs at x, in dim dimensions; takes the way to m points off values and gradients (NULL: not wanted). */
double tvgp__guard_cost(const tvgp__guard_leaving *, size_t dim, const double *x);
void tvgp__guard_way(const tvgp__guard_leaving *, size_t dim, size_t m, const double *Z, double *value, double *gradient);

/* The sections of snapshots (base/section.h): writes one for each feature with state, and returns how many; reads all, and drops
 * features without one; the tags that there may be, and how many. */
enum { TVGP__GUARD_MOST = 8 };
uint32_t tvgp__guard_write(tvgp_policy *, tvgp__visit *);
void tvgp__guard_read(tvgp_policy *, const tvgp__sections *, tvgp__visit *);
size_t tvgp__guard_tags(const tvgp_ctx *, uint32_t tags[TVGP__GUARD_MOST]);

/* open and close of all features. If open fails, those that were opened are closed. */
tvgp_status tvgp__guard_open(tvgp_policy *, double t);
void tvgp__guard_close(tvgp_policy *);

#endif

/* SPDX-License-Identifier: MIT */
/* Features of a policy. Each is an entry of the policy's list with a table of functions (src/parts/features). The protocol calls
 * the tables and names no feature. Features are called in the order of their types in the registry. */
#ifndef TVGP__PROTOCOL_GUARD_OPS_H
#define TVGP__PROTOCOL_GUARD_OPS_H

#include "base/section.h"
#include "choose/rule.h"
#include "choose/search_space.h"
#include "protocol/actions/tickets.h"
#include "protocol/feature_options.h"
#include "tvgp/types.h"

typedef struct tvgp__guard tvgp__guard;
struct tvgp__answer;
struct tvgp__chosen;
struct tvgp__stat;
struct tvgp__stat_series;

/* What a policy is, or has, that excludes a feature: one bit each. tvgp__guard_refuse has their texts. */
enum {
    TVGP__GUARD_BOX = 1,
    TVGP__GUARD_CONTEXTS = 2, /* measured */
    TVGP__GUARD_SHARED = 4,
    TVGP__GUARD_NO_MODEL = 8,
    TVGP__GUARD_NO_REBUILD = 16, /* its posterior cannot be computed again */
    TVGP__GUARD_SIDE_QUERIES = 32,
    TVGP__GUARD_WEIGHTS = 64,         /* the policy is one of several priors */
    TVGP__GUARD_PRIORS = 128,         /* priors were added */
    TVGP__GUARD_OUTPUTS = 256,        /* it has further outputs */
    TVGP__GUARD_MODEL = 512,          /* it is the model of an output */
    TVGP__GUARD_PRIOR_LEARNED = 1024, /* its prior mean is a forecast */
    TVGP__GUARD_COUNTS = 2048,        /* its outcomes are counts */
    TVGP__GUARD_NO_SCORE = 4096       /* it does not choose by a score */
};

typedef struct tvgp__guard_leaving {
    const double *from;
    tvgp__guard_costs costs;
} tvgp__guard_leaving;

/* What features change in the choice under way; they set it in open. */
typedef struct tvgp__choice_terms {
    tvgp__rule_offsets offsets;         /* added to the score of each choice; and factors of its reward */
    const tvgp__guard_leaving *leaving; /* on a whole box: taken off the score; NULL: nothing */
    struct {
        const uint8_t *mask;
        size_t count;
    } before;                     /* these members of the policy's `available`, which features narrow */
    tvgp__search_space_safe safe; /* on a whole box */
    /* A feature needs to know with which probability the policy would have chosen another action, NULL: none. A policy that draws fills it
     * in. */
    const size_t *other;
    double other_probability;
    double noise; /* noise variance of pending outcomes, of a feature that estimates it; 0: the policy's own */
} tvgp__choice_terms;

/* A function that a feature does not need is NULL. */
typedef struct tvgp__guard_ops {
    const char *name; /* also the tag of its section in a snapshot, four letters */
    size_t size;      /* of its state */
    const struct tvgp__stat *stats;
    size_t n_stats;
    const struct tvgp__stat_series *series;
    size_t n_series;
    int of_outputs; /* its `stats` are listed, and its section is there and begins with their models, if the policy has outputs */
    const char *doc;          /* what messages call it */
    uint32_t refuses;         /* bits of policies that cannot have it */
    int early;                /* its section is read before the state, which depends on it, and into a new feature */
    const char *const *fixes; /* keys of options that are fixed once the policy has the feature, up to a NULL */
    /* When the policy starts: the policy has the feature from now on if the options ask for it, and otherwise not. */
    tvgp_status (*start)(tvgp_policy *);
    /* May an ask begin now? Before any feature opens, since the first may learn a prior again. */
    tvgp_status (*check)(const tvgp__guard *, const tvgp_policy *);
    /* Before the choice of an ask at time t (asks), or of the best action then. A failure leaves no trace, and close is not called, nor
     * after AGAIN: nothing is asked then. */
    tvgp_status (*open)(tvgp__guard *, tvgp_policy *, double t, int asks);
    /* The choice came to this status, and an ask to n actions: accepts or replaces them, or asks for another choice. Returns
     * the status of the choice. */
    tvgp_status (*judge)(tvgp__guard *, tvgp_policy *, tvgp_status, size_t n, struct tvgp__chosen *, int *again);
    /* After the choice, which came to this status. */
    void (*close)(tvgp__guard *, tvgp_policy *, tvgp_status);
    /* A query is now pending. */
    void (*asked)(tvgp__guard *, tvgp_policy *, tvgp__ticket *);
    /* A query (ticket NULL: none) has this outcome of the reward, output 0, or a value of another output. */
    void (*observed)(tvgp__guard *, tvgp_policy *, size_t output, const struct tvgp__answer *);
    /* The value of a bounded output that is `off` beyond its bound, or at `mean`, whichever is farther, in the sign of the user. */
    double (*beyond)(const tvgp__guard *, size_t output, double mean, double off);
    /* A tell has ended, with these outcomes of the reward. */
    void (*after_tell)(tvgp__guard *, tvgp_policy *, size_t n, const struct tvgp__answer *);
    /* Moves the policy itself to a larger domain, on which this is the kernel that it was created with; it comes last. A failure
     * changes nothing. NULL: the policy moves, and the feature makes room at the next ask. */
    tvgp_status (*extend)(tvgp__guard *, tvgp_policy *, const tvgp_domain *larger, tvgp_kernel *);
    /* The section of a snapshot, which may be read into a new feature or into one in use. */
    void (*visit)(tvgp__guard *, tvgp_policy *, tvgp__visit *);
    /* NULL: the feature is one block of memory. */
    void (*release)(tvgp__guard *, tvgp_policy *);
} tvgp__guard_ops;

/* First member of the state of every feature. */
struct tvgp__guard {
    const tvgp__guard_ops *ops;
    tvgp__guard *next;
    int by_start; /* the last start added it, and a stop drops it */
};

/* The feature of this type, or of the type with this name, that the policy has; NULL: none. */
tvgp__guard *tvgp__guard_find(const tvgp_policy *, const tvgp__guard_ops *);
tvgp__guard *tvgp__guard_named(const tvgp_policy *, const char *name);

/* The feature of this type that the policy has, or a new one, zero except for the base. NOMEM. */
tvgp_status tvgp__guard_make(tvgp_policy *, const tvgp__guard_ops *, void *out);

/* Puts a feature of this type, or nothing (NULL), into the list instead of the one that the policy had, which it returns (NULL: none). */
tvgp__guard *tvgp__guard_exchange(tvgp_policy *, const tvgp__guard_ops *, tvgp__guard *);

/* UNSUPPORTED (STATE: it is the model of an output): why the policy cannot have the feature. A setter calls it once. */
tvgp_status tvgp__guard_refuse(const tvgp_policy *, const tvgp__guard_ops *);

/* Releases the feature of this type, if the policy has one; all features. */
void tvgp__guard_drop(tvgp_policy *, const tvgp__guard_ops *);
void tvgp__guard_drop_all(tvgp_policy *);

/* Adds and drops features as the options say. Stop drops those that the last start added. */
tvgp_status tvgp__guard_start(tvgp_policy *);
void tvgp__guard_stop(tvgp_policy *);

/* Of a feature that opens: only `count` choices, those in the mask, may be asked until it closes. The mask is borrowed. */
void tvgp__guard_narrow(tvgp_policy *, const uint8_t *mask, size_t count);

/* Of a feature that opens: the offsets of all choices in this ask, 0 at first, to add to. NOMEM. */
tvgp_status tvgp__guard_offset(tvgp_policy *, double **offset);

/* The offset of a choice. */
static inline double tvgp__guard_shifted(const tvgp__choice_terms *terms, size_t i) {
    return terms->offsets.offset ? terms->offsets.offset[i] : 0;
}

/* Of a feature that judges: another action of these moments, `mean` relative to its prior mean, in the place of a choice. */
void tvgp__guard_replace(struct tvgp__chosen *choice, size_t arm, const double *x, double prior, double mean, double sd);

/* What leaving costs at x, in dim dimensions; takes the way to m points off values and gradients (NULL: not wanted). */
double tvgp__guard_cost(const tvgp__guard_leaving *, size_t dim, const double *x);
void tvgp__guard_way(const tvgp_policy *, const tvgp__guard_leaving *, size_t m, const double *Z, double *value,
                     double *gradient);

/* Refuses a snapshot with another number of outputs. */
void tvgp__guard_compare_outputs(const tvgp_policy *, size_t its, tvgp__visit *);

/* The sections of snapshots (base/section.h), those before the state or those after it: writes one for each feature with state, and
 * returns how many; reads all, and drops features without one; the one that begins with models of outputs (NULL: none); whether the state
 * depends on one, of the policy or the snapshot; the tags that there may be, and how many. */
enum { TVGP__GUARD_MOST = 10 };
uint32_t tvgp__guard_write(tvgp_policy *, int early, tvgp__visit *);
void tvgp__guard_read(tvgp_policy *, int early, const tvgp__sections *, tvgp__visit *);
const tvgp__section *tvgp__guard_outputs(const tvgp_ctx *, const tvgp__sections *);
int tvgp__guard_is_early(const tvgp_policy *, const tvgp__sections *);
size_t tvgp__guard_tags(const tvgp_ctx *, uint32_t tags[TVGP__GUARD_MOST]);

/* open, judge and close of all features. If open fails, those that were opened are closed. If the choice is to be made again, the
 * features after the one that says so do not judge it. */
tvgp_status tvgp__guard_open(tvgp_policy *, double t, int asks);
tvgp_status tvgp__guard_judge(tvgp_policy *, tvgp_status, size_t n, struct tvgp__chosen *, int *again);
void tvgp__guard_close(tvgp_policy *, tvgp_status);

#endif

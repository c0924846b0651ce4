/* SPDX-License-Identifier: MIT */
/* Status codes, opaque handles and the two frozen records of the ask/tell protocol. */
#ifndef TVGP_TYPES_H
#define TVGP_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define TVGP_API __attribute__((visibility("default")))
#else
#define TVGP_API
#endif

#define TVGP_VERSION_MAJOR 0
#define TVGP_VERSION_MINOR 3
#define TVGP_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t tvgp_status;

/* Every function that takes numbers checks them first: |x|, |y|, |mean|, |t| <= 1e100; variances, noises (or 0), lengthscales
 * and periods within 1e-100 .. 1e100; the variance k(x, x) at every point at most 1e100; counts and dimensions at most
 * 2^31 - 1. Beyond that LIMIT (an option: OPTION), before an array is read; NaN and infinity are NONFINITE. Within it no
 * result is NaN or infinite (docs/guarantees.md).
 *
 * The values are pinned: they never change and are never reused. -1000..-1999 come from user callbacks unchanged. */
enum {
    TVGP_OK = 0,
    TVGP_AGAIN = 1, /* nothing to emit until answers come */
    TVGP_DONE = 2,  /* the policy has finished */

    TVGP_ERR_ARG = -1,
    TVGP_ERR_NOMEM = -2,
    TVGP_ERR_STATE = -3,
    TVGP_ERR_DIM = -4,
    TVGP_ERR_NOTFOUND = -5,
    TVGP_ERR_OPTION = -6,
    TVGP_ERR_TICKET = -7,
    TVGP_ERR_UNSUPPORTED = -8,
    TVGP_ERR_VERSION = -9,
    TVGP_ERR_FORMAT = -10,
    TVGP_ERR_BUFFER = -11,
    TVGP_ERR_NUMERIC = -12,
    TVGP_ERR_NONFINITE = -13,
    TVGP_ERR_CALLBACK = -14,
    TVGP_ERR_REENTRANT = -15,
    TVGP_ERR_INTERRUPTED = -16,
    TVGP_ERR_LIMIT = -17,
    TVGP_ERR_INTERNAL = -18
};

typedef struct tvgp_ctx tvgp_ctx;
typedef struct tvgp_kernel tvgp_kernel;
typedef struct tvgp_domain tvgp_domain;
typedef struct tvgp_gp tvgp_gp;
typedef struct tvgp_policy tvgp_policy;

/* tvgp_query.kind */
enum {
    TVGP_ACTION = 0, /* the decision that counts as regret */
    TVGP_SIDE = 1,   /* a side query to an expert; may be skipped */
    TVGP_INIT = 2    /* a warm-up point */
};

/* tvgp_obs.outcome */
enum {
    TVGP_VALUE = 0,    /* y holds the answer */
    TVGP_SKIPPED = 1,  /* nobody answered */
    TVGP_FAILED = 2,   /* the attempt was made and gave nothing */
    TVGP_CANCELLED = 3 /* never attempted */
};

/* What the policy wants to know. 64 bytes, frozen. */
typedef struct tvgp_query {
    int64_t id;       /* >= 1, < 2^53; goes into tvgp_obs.id */
    int32_t kind;     /* TVGP_ACTION, TVGP_SIDE, TVGP_INIT */
    uint32_t flags;   /* 0 */
    int64_t arm;      /* index in a finite domain, row of the candidates; -1 otherwise */
    double t;         /* time of the ask */
    double noise_var; /* the noise variance the policy assumes for the answer */
    double score;     /* acquisition value */
    double
        propensity; /* probability of this choice given what the policy held at the ask (1: no chance in it); 0: not known */
    double risk;    /* sum over the limits of the probability that the action breaks one, at most 1; 0 without limits */
} tvgp_query;

/* tvgp_obs.flags: which members are read. */
enum {
    TVGP_OBS_NOISE = 1, /* noise_var; otherwise the policy's own noise */
    TVGP_OBS_TIME = 2   /* t; otherwise the time of the ask, for id 0 the newest time the policy has seen */
};

/* What came of it. 96 bytes, frozen. Zero it, then set what you know: zeroed but for id and y it is the usual answer. */
typedef struct tvgp_obs {
    int64_t id;         /* id of the query, or 0 for an observation nobody asked for */
    int32_t outcome;    /* TVGP_VALUE, TVGP_SKIPPED, TVGP_FAILED, TVGP_CANCELLED */
    uint32_t flags;     /* TVGP_OBS_NOISE, TVGP_OBS_TIME, or both added */
    double y;           /* read only for TVGP_VALUE */
    double noise_var;   /* with TVGP_OBS_NOISE: >= 0, zero means exact */
    double t;           /* with TVGP_OBS_TIME */
    int64_t output;     /* 0: the reward; k = 1, 2, ..: the output of the k-th limit (tvgp_policy_add_constraint) */
    double exposure;    /* 0 */
    double reference;   /* 0 */
    double reserved[4]; /* 0 */
} tvgp_obs;

/* tvgp_policy_add_constraint: flags, which may be added. */
enum {
    TVGP_AT_LEAST = 0, /* the output must not be below the limit */
    TVGP_AT_MOST = 1,  /* .. must not be above it */
    TVGP_OF_MEAN = 2   /* the limit is on the value without its noise, otherwise on what is measured */
};

/* Records for tvgp_policy_tell: the value of a query; of one of its outputs; a query without a value (TVGP_SKIPPED, TVGP_FAILED,
 * TVGP_CANCELLED); an observation nobody asked for, at time t. */
static inline tvgp_obs tvgp_obs_value(int64_t id, double y) {
    const tvgp_obs obs = {id, TVGP_VALUE, 0, y, 0, 0, 0, 0, 0, {0, 0, 0, 0}};
    return obs;
}
static inline tvgp_obs tvgp_obs_output(int64_t id, int64_t output, double y) {
    const tvgp_obs obs = {id, TVGP_VALUE, 0, y, 0, 0, output, 0, 0, {0, 0, 0, 0}};
    return obs;
}
static inline tvgp_obs tvgp_obs_outcome(int64_t id, int32_t outcome) {
    const tvgp_obs obs = {id, outcome, 0, 0, 0, 0, 0, 0, 0, {0, 0, 0, 0}};
    return obs;
}
static inline tvgp_obs tvgp_obs_unsolicited(double t, double y) {
    const tvgp_obs obs = {0, TVGP_VALUE, TVGP_OBS_TIME, y, 0, t, 0, 0, 0, {0, 0, 0, 0}};
    return obs;
}

#ifdef __cplusplus
}
#endif
#endif

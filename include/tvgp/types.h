/* SPDX-License-Identifier: MIT */
/** @file
 * Status codes, handles, and the two records of the ask/tell protocol.
 */
#ifndef TVGP_TYPES_H
#define TVGP_TYPES_H

#include <stddef.h>
#include <stdint.h>

/** Marks an exported function. */
#if defined(__GNUC__) || defined(__clang__)
#define TVGP_API __attribute__((visibility("default")))
#else
#define TVGP_API
#endif

/** Version of these headers; tvgp_version returns the version of the library in use. */
#define TVGP_VERSION_MAJOR 1
/** See TVGP_VERSION_MAJOR. */
#define TVGP_VERSION_MINOR 0
/** See TVGP_VERSION_MAJOR. */
#define TVGP_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/** Defined by every library with this binary interface (the version is in the name). */
extern TVGP_API const char tvgp_abi_1_0;
#if (defined(__GNUC__) || defined(__clang__)) && !defined(TVGP_LIBRARY)
/** Makes a program that was built against these headers refer to tvgp_abi_1_0, so that it does not link with an older library. */
static const char *const tvgp_requires_abi_1_0 __attribute__((used)) = &tvgp_abi_1_0;
#endif

/** Result of a function that can fail: one of the status codes. */
typedef int32_t tvgp_status;

/** Status codes. Their values never change and are never reused.
 *
 * -1000 to -1999 are returned by functions of the caller and passed on unchanged. Accepted ranges, checked before an array is
 * read: |x|, |y|, |mean|, |t| <= 1e100; variances, noises (or 0), lengthscales and periods in 1e-100 .. 1e100; kernel
 * variance k(x, x) at most 1e100; counts and dimensions at most 2^31 - 1. Beyond a range the status is TVGP_ERR_LIMIT (of an option
 * TVGP_ERR_OPTION); NaN and infinity are TVGP_ERR_NONFINITE. Within the ranges no result is NaN or infinite
 * (docs/reference/guarantees.md).
 */
enum {
    TVGP_OK = 0,    /**< Success. */
    TVGP_AGAIN = 1, /**< No query until outcomes arrive, or more work is left. */
    TVGP_DONE = 2,  /**< The policy has finished. */

    TVGP_ERR_ARG = -1,          /**< An argument is invalid. */
    TVGP_ERR_NOMEM = -2,        /**< The allocator returned NULL. */
    TVGP_ERR_STATE = -3,        /**< The call is not allowed in this state. */
    TVGP_ERR_DIM = -4,          /**< A size does not match. */
    TVGP_ERR_NOTFOUND = -5,     /**< No such name, key or point; no feasible point. */
    TVGP_ERR_OPTION = -6,       /**< An option does not accept the value. */
    TVGP_ERR_TICKET = -7,       /**< The id belongs to no pending query. */
    TVGP_ERR_UNSUPPORTED = -8,  /**< This policy, kernel or domain cannot do this. */
    TVGP_ERR_VERSION = -9,      /**< A snapshot of a newer format. */
    TVGP_ERR_FORMAT = -10,      /**< The bytes are no valid snapshot. */
    TVGP_ERR_BUFFER = -11,      /**< The buffer is too small. */
    TVGP_ERR_NUMERIC = -12,     /**< A matrix is singular. */
    TVGP_ERR_NONFINITE = -13,   /**< A number is NaN or infinite. */
    TVGP_ERR_CALLBACK = -14,    /**< A function of the caller returned an invalid status or result. */
    TVGP_ERR_REENTRANT = -15,   /**< Called from inside a call on the same policy. */
    TVGP_ERR_INTERRUPTED = -16, /**< The interrupt function ended the call. */
    TVGP_ERR_LIMIT = -17,       /**< A number is out of range, or a quota is exceeded. */
    TVGP_ERR_INTERNAL = -18     /**< A defect of the library. */
};

typedef struct tvgp_ctx tvgp_ctx;       /**< A context (tvgp/ctx.h). */
typedef struct tvgp_kernel tvgp_kernel; /**< A kernel (tvgp/kernel.h). */
typedef struct tvgp_domain tvgp_domain; /**< A domain (tvgp/domain.h). */
typedef struct tvgp_gp tvgp_gp;         /**< A Gaussian-process posterior (tvgp/gp.h). */
typedef struct tvgp_policy tvgp_policy; /**< A policy (tvgp/policy.h). */

/** Frees the pointer `user` that was passed along with a function or a table.
 *
 * It is called once, when the library no longer uses the pointer: after the function was replaced and the last object that
 * holds it was destroyed. If the call that passed the pointer fails, it is not called, and the pointer is still the caller's.
 * It must not use the object that the pointer was passed to.
 *
 * @param user  The pointer.
 */
typedef void (*tvgp_destroy_fn)(void *user);

/** Kinds of queries (tvgp_query.kind). */
enum {
    TVGP_ACTION = 0, /**< A decision; its outcome counts as reward. */
    TVGP_SIDE = 1,   /**< A side query to an expert, which may be skipped. */
    TVGP_INIT = 2    /**< A point of an initial design. */
};

/** Outcomes (tvgp_obs.outcome). */
enum {
    TVGP_VALUE = 0,    /**< y holds the value. */
    TVGP_SKIPPED = 1,  /**< No outcome was observed. */
    TVGP_FAILED = 2,   /**< The action was tried and gave no value; option failed.width. */
    TVGP_CANCELLED = 3 /**< The action was not tried. */
};

/** A query: what to try. 64 bytes. */
typedef struct tvgp_query {
    int64_t id;        /**< Id, from 1, below 2^53; copy it to tvgp_obs.id. */
    int32_t kind;      /**< TVGP_ACTION, TVGP_SIDE or TVGP_INIT. */
    uint32_t flags;    /**< Reserved, 0 now. */
    int64_t arm;       /**< Arm of a finite domain, or row of the candidates; otherwise -1. */
    double t;          /**< Time of the ask. */
    double noise_var;  /**< Expected noise variance of the outcome; of a count with exposure 1. */
    double score;      /**< Value of the acquisition function at the action. */
    double propensity; /**< Probability of this choice, given the state at the ask; 1: deterministic, 0: unknown. */
    double risk;       /**< Sum over all constraints of the probability of violation, at most 1; 0 without constraints. */
} tvgp_query;

/** Flags that say which members of a tvgp_obs are read (tvgp_obs.flags). */
enum {
    TVGP_OBS_HAS_NOISE = 1,       /**< noise_var; otherwise the policy's own noise variance is used. */
    TVGP_OBS_HAS_TIME = 2,        /**< t; otherwise the time of the ask, for id 0 the newest time seen. */
    TVGP_OBS_HAS_EXPOSURE = 4,    /**< exposure; otherwise 1. Counts only: outcome.type = poisson or binomial. */
    TVGP_OBS_HAS_REFERENCE = 8,   /**< reference; required of values with outcome.type = ratio, refused otherwise. */
    TVGP_OBS_PARTIAL = 16,        /**< The value is a part of the outcome: the query stays pending. */
    TVGP_OBS_RIGHT_CENSORED = 32, /**< The outcome is at least y, such as a time-out; no counts. */
    TVGP_OBS_LEFT_CENSORED = 64   /**< The outcome is at most y; no counts. */
};

/** An outcome of a query, or an unsolicited observation. 96 bytes. Set all members to 0, then those that are known: id and y
 * suffice for the usual outcome. A member that is not 0 needs its flag; otherwise the record is refused. */
typedef struct tvgp_obs {
    int64_t id;          /**< Id of the query; 0: unsolicited observation. */
    int32_t outcome;     /**< TVGP_VALUE, TVGP_SKIPPED, TVGP_FAILED or TVGP_CANCELLED. */
    uint32_t flags;      /**< TVGP_OBS_HAS_NOISE and the other flags, or'ed. */
    double y;            /**< With TVGP_VALUE: the value. */
    double noise_var;    /**< With TVGP_OBS_HAS_NOISE: noise variance, >= 0; 0: exact. */
    double t;            /**< With TVGP_OBS_HAS_TIME: time of the observation. */
    double exposure;     /**< With TVGP_OBS_HAS_EXPOSURE: > 0, time or number of trials of the count y. */
    double reference;    /**< With TVGP_OBS_HAS_REFERENCE: > 0, value of the reference for the same job. */
    int32_t output;      /**< 0: the reward; k: the output of constraint k (tvgp_policy_add_constraint). */
    int32_t reserved[9]; /**< 0. */
} tvgp_obs;

/** Flags of tvgp_policy_add_constraint, which may be or'ed. */
enum {
    TVGP_AT_LEAST = 0, /**< The output must not be below the bound. */
    TVGP_AT_MOST = 1,  /**< The output must not be above the bound. */
    TVGP_OF_MEAN = 2   /**< The bound is on the noiseless value; otherwise on measurements. */
};

/** Returns a record with the value of a query.
 *
 * @param id  Id of the query.
 * @param y   Its reward.
 * @return The record, for tvgp_policy_tell.
 */
static inline tvgp_obs tvgp_obs_value(int64_t id, double y) {
    const tvgp_obs obs = {id, TVGP_VALUE, 0, y, 0, 0, 0, 0, 0, {0}};
    return obs;
}

/** Returns a record with the value of one output of a query.
 *
 * @param id      Id of the query.
 * @param output  0: the reward; k: the output of constraint k.
 * @param y       The value.
 * @return The record, for tvgp_policy_tell.
 */
static inline tvgp_obs tvgp_obs_output(int64_t id, int32_t output, double y) {
    const tvgp_obs obs = {id, TVGP_VALUE, 0, y, 0, 0, 0, 0, output, {0}};
    return obs;
}

/** Returns a record for a query without a value.
 *
 * @param id       Id of the query.
 * @param outcome  TVGP_SKIPPED, TVGP_FAILED or TVGP_CANCELLED.
 * @return The record, for tvgp_policy_tell.
 */
static inline tvgp_obs tvgp_obs_outcome(int64_t id, int32_t outcome) {
    const tvgp_obs obs = {id, outcome, 0, 0, 0, 0, 0, 0, 0, {0}};
    return obs;
}

/** Returns a record of an observation that no query asked for.
 *
 * @param t  Time of the observation.
 * @param y  The value.
 * @return The record, for tvgp_policy_tell.
 */
static inline tvgp_obs tvgp_obs_unsolicited(double t, double y) {
    const tvgp_obs obs = {0, TVGP_VALUE, TVGP_OBS_HAS_TIME, y, 0, t, 0, 0, 0, {0}};
    return obs;
}

/** Returns a record with the values of a query and of a reference for the same job (option outcome.type = ratio).
 *
 * @param id         Id of the query.
 * @param y          Its value, > 0.
 * @param reference  Value of the reference, > 0, in the same unit.
 * @return The record, for tvgp_policy_tell.
 */
static inline tvgp_obs tvgp_obs_ratio(int64_t id, double y, double reference) {
    const tvgp_obs obs = {id, TVGP_VALUE, TVGP_OBS_HAS_REFERENCE, y, 0, 0, 0, reference, 0, {0}};
    return obs;
}

/** Returns a record with the count of a query (option outcome.type = poisson or binomial).
 *
 * @param id        Id of the query.
 * @param count     Number of events or successes, >= 0.
 * @param exposure  Time or number of trials in which they were counted, > 0; the rate is count / exposure.
 * @return The record, for tvgp_policy_tell.
 */
static inline tvgp_obs tvgp_obs_count(int64_t id, double count, double exposure) {
    const tvgp_obs obs = {id, TVGP_VALUE, TVGP_OBS_HAS_EXPOSURE, count, 0, 0, exposure, 0, 0, {0}};
    return obs;
}

#ifdef __cplusplus
}
#endif
#endif

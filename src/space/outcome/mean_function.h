/* SPDX-License-Identifier: MIT */
/* A prior mean: zero (n = 0), one value for all points (n = 1), one value per arm, which may be a forecast that changes with time; or on
 * a box a function. */
#ifndef TVGP__SPACE_OUTCOME_MEAN_FUNCTION_H
#define TVGP__SPACE_OUTCOME_MEAN_FUNCTION_H

#include "base/shard.h"
#include "base/visit.h"
#include "space/outcome/outcome.h"
#include "tvgp/priors.h"

typedef struct tvgp__mean_function {
    double *value;
    size_t n;
    int by_arm;    /* one value for each arm: n > 1, though of shared arms a rank may hold 1 */
    int8_t turned; /* the function's values have the other sign */
    int8_t lost;   /* the loaded snapshot had a function, and it was not set again */
    struct {
        size_t arm; /* from 1, 0: none */
        double value;
    } remote;           /* of shared arms: the value that all ranks received last */
    tvgp__shard *shard; /* the arms are shared; or NULL */
    tvgp_mean_fn call;  /* instead of values; NULL: none */
    void *user;
    tvgp__context_user *owned;        /* NULL: `user` is not to be freed */
    const tvgp__outcome_ops *outcome; /* by which the function's values are linked */
    /* Writes the mean of an arm, or of all arms (SIZE_MAX), at time t in the sign of the user. If it is set, `value` holds the means of
     * one time. NULL: the mean does not change. */
    void (*forecast)(const void *of, double t, size_t arm, double *mean);
    const void *of;
} tvgp__mean_function;

/* A mean as the caller gives it: values, or a function. */
typedef struct tvgp__mean_function_given {
    const double *value;
    size_t n;
    int as_function; /* call, NULL: zero; otherwise the values */
    tvgp_mean_fn call;
    void *user;
    tvgp__context_user *owned;
} tvgp__mean_function_given;

/* Whether anything was said: it is not zero. */
static inline int tvgp__mean_function_is(const tvgp__mean_function *m) {
    return m->n || m->call || m->lost;
}

/* At an arm that is here, by index. */
static inline double tvgp__mean_function_at(const tvgp__mean_function *m, size_t arm) {
    return m->n == 0 ? 0 : m->value[m->n == 1 ? 0 : arm];
}

/* At any arm. Collective, unless its value came with something else (`know`). */
static inline double tvgp__mean_function_known(const tvgp__mean_function *m, size_t arm) {
    if (!m->shard || !m->by_arm)
        return tvgp__mean_function_at(m, arm);
    if (m->remote.arm == arm + 1)
        return m->remote.value;
    double value = tvgp__mean_function_at(m, tvgp__shard_owns(m->shard, arm) ? tvgp__shard_local(m->shard, arm) : 0);
    tvgp__shard_give(m->shard, arm, &value, 1);
    return value;
}
static inline void tvgp__mean_function_know(tvgp__mean_function *m, size_t arm, double value) {
    m->remote.arm = arm + 1;
    m->remote.value = value;
}

/* A copy of n values for a domain of `arms` arms: DIM unless n is 1 or arms, or 0 with value NULL; ARG, NONFINITE, NOMEM. */
tvgp_status tvgp__mean_function_new(tvgp_ctx *, size_t arms, const double *value, size_t n, tvgp__mean_function *out);
/* Of a domain of `arms` arms (base/visit.h). */
void tvgp__mean_function_visit(tvgp__mean_function *, size_t arms, tvgp__visit *);
/* Whether it is a function, which is lost until it is adopted: that of `before`, where there is one. It is then held by both until one
 * gives it up. */
void tvgp__mean_function_visit_function(tvgp__mean_function *, tvgp__visit *);
void tvgp__mean_function_adopt(tvgp__mean_function *, const tvgp__mean_function *before, const tvgp__outcome_ops *,
                               int turned);
/* A function is lost again. */
void tvgp__mean_function_give_up(tvgp_ctx *, tvgp__mean_function *);
tvgp_status tvgp__mean_function_check(const tvgp__mean_function *, tvgp_ctx *); /* STATE: lost */
void tvgp__mean_function_free(tvgp_ctx *, tvgp__mean_function *);

/* A function with its type of outcomes, tried out at x: its status, CALLBACK, NONFINITE, LIMIT; *out is then one that is not turned. */
tvgp_status tvgp__mean_function_of(tvgp_ctx *, const tvgp__mean_function *own, size_t dim, const double *x,
                                   tvgp__mean_function *out);

/* Mean of n points by coordinates (n x dim), and unless NULL its gradient (n x dim), for a mean that is no value per arm. The
 * function's status, CALLBACK, NONFINITE, LIMIT, STATE (it is lost). */
tvgp_status tvgp__mean_function_points(const tvgp__mean_function *, tvgp_ctx *, size_t dim, size_t n, const double *X,
                                       double *mean, double *gradient);

/* Adds the mean to values at arms 0 .. n - 1. */
void tvgp__mean_function_add(const tvgp__mean_function *, size_t n, double *values);

#endif

/* SPDX-License-Identifier: MIT */
/* Types of outcomes (option outcome.type): what an outcome in the user's unit is to the Gaussian process. With z the value of the
 * process in the sign of the user, the link is z = g(u) for a number u of the user, and numbers leave a policy by its inverse.
 *
 *   type        outcome u                   z
 *   normal      y                           y
 *   lognormal   y > 0                       ln y
 *   ratio       y / reference, both > 0     ln(y / reference)
 *
 * Where f is normal with mean m and variance v, e^f has mean e^(m + v / 2) and variance (e^v - 1) e^(2 m + v) (the log-normal
 * distribution). The noise variance w of an outcome y becomes ln(1 + w / y^2), which is exact for a log-normal outcome of mean y.
 * The protocol calls the table of the type where a number enters or leaves a policy; NULL is `normal`. */
#ifndef TVGP__OUTCOME_OUTCOME_H
#define TVGP__OUTCOME_OUTCOME_H

#include "tvgp/policy.h"

enum { TVGP__OUTCOME_NORMAL, TVGP__OUTCOME_LOGNORMAL, TVGP__OUTCOME_RATIO };
extern const char *const tvgp__outcome_names[];

/* Moments of a number in the user's unit, and their derivatives by mean and variance of the process. */
typedef struct tvgp__outcome_moments {
    double mean, var;
    double mean_by[2], var_by[2];
} tvgp__outcome_moments;

/* A table of a type. */
typedef struct tvgp__outcome_ops {
    const char *name;
    uint32_t needs; /* flags of tvgp_obs that every record must have */
    int doubted;    /* model.misspecified is 1 unless it is set */
    /* z of a number in the user's unit; -infinity where that is not possible. */
    double (*link)(double u);
    double (*inverse)(double z);
    double (*slope)(double z); /* of the inverse */
    void (*moments)(double m, double v, tvgp__outcome_moments *out);
    /* Observation z and its noise variance (NaN: the policy's own) for a record with a value. m and v are the moments of the process
     * at the ask, NaN for an unsolicited observation. Returns ARG with a message that names entry i. */
    tvgp_status (*match)(tvgp_ctx *, const tvgp_obs *, size_t i, double m, double v, double *z, double *noise);
} tvgp__outcome_ops;

/* The table of a type; NULL: normal. */
const tvgp__outcome_ops *tvgp__outcome_of(int32_t type);

/* The same for a type or NULL. */
static inline double tvgp__outcome_link(const tvgp__outcome_ops *ops, double u) {
    return ops ? ops->link(u) : u;
}
static inline double tvgp__outcome_inverse(const tvgp__outcome_ops *ops, double z) {
    return ops ? ops->inverse(z) : z;
}

/* Flags of a record with a value, entry i: ARG, naming those that are unknown, missing, or of another type. */
tvgp_status tvgp__outcome_check(tvgp_ctx *, const tvgp__outcome_ops *, const tvgp_obs *, size_t i);

/* n numbers of the user are linked in place. ARG, naming entry i of `what`: outside the range of the type. */
tvgp_status tvgp__outcome_link_all(tvgp_ctx *, const tvgp__outcome_ops *, const char *what, size_t n, double *u);

/* Means and variances (NULL: not wanted) of n values of the process become those in the user's unit. */
void tvgp__outcome_show(const tvgp__outcome_ops *, size_t n, double *mean, double *var);

#endif

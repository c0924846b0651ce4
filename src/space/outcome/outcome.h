/* SPDX-License-Identifier: MIT */
/* Types of outcomes (option outcome.type): the link between an outcome in the user's unit and the Gaussian process. With
 * z the value of the process in the sign of the user, z = g(u) for a number u of the user, and numbers leave a policy by
 * the inverse.
 *
 *   type        outcome u                   z
 *   normal      y                           y
 *   lognormal   y > 0                       ln y
 *   ratio       y / reference, both > 0     ln(y / reference)
 *   poisson     count / exposure >= 0       ln rate (space/outcome/count.h)
 *   binomial    count / exposure in [0, 1]  logit rate
 *
 * If f is normal with mean m and variance v, e^f has mean e^(m + v / 2) and variance (e^v - 1) e^(2 m + v) (the
 * log-normal distribution). The noise variance w of an outcome y becomes ln(1 + w / y^2), which is exact for a
 * log-normal outcome of mean y. The protocol calls the table of the type where a number enters or leaves a policy; NULL
 * is `normal`. */
#ifndef TVGP__SPACE_OUTCOME_OUTCOME_H
#define TVGP__SPACE_OUTCOME_OUTCOME_H

#include "tvgp/types.h"

/* Moments of a number in the user's unit, and their derivatives by mean and variance of the process. */
typedef struct tvgp__outcome_moments {
    double mean, var;
    double mean_by[2], var_by[2];
} tvgp__outcome_moments;

/* A normal observation that stands for a count, and how likely the count was. */
typedef struct tvgp__outcome_site {
    double z, noise;
    double log_likelihood; /* of the prior of z that it was matched with, relative to the one at a value `from` */
} tvgp__outcome_site;

/* What a posterior that takes counts itself needs of their type (space/outcome/count.h). */
typedef struct tvgp__outcome_count {
    /* The site of a count y of this exposure under the prior N(m, v). */
    tvgp__outcome_site (*site)(double y, double exposure, double m, double v, double from);
    double (*log_density)(double y, double exposure, double z); /* without the terms that do not depend on z */
    double (*information)(double z);            /* of a unit of exposure about z: the variance of its count */
    double (*first)(double y, double exposure); /* z of a rate, away from rates of 0 and infinity */
} tvgp__outcome_count;

/* A table of a type. */
typedef struct tvgp__outcome_ops {
    const char *name;
    uint32_t takes, needs; /* flags of tvgp_obs that a record may have in addition to the time, and those it must have */
    int doubted;           /* model.assume_misspecified is 1 unless it is set */
    const tvgp__outcome_count
        *counts; /* outcomes are counts: match depends on m and v, and gives the noise variance; or NULL */
    /* z of a number in the user's unit; -infinity where that is not possible. */
    double (*link)(double u);
    double (*inverse)(double z);
    double (*slope)(double z); /* of the inverse */
    void (*moments)(double m, double v, tvgp__outcome_moments *out);
    /* Observation z and its noise variance (NaN: the policy's own) for a record with a value. m and v are the moments of the process
     * at the ask, for an unsolicited observation those now; NaN where there is no model. Returns ARG with a message that names entry
     * i. */
    tvgp_status (*match)(tvgp_ctx *, const tvgp_obs *, size_t i, double m, double v, double *z, double *noise);
} tvgp__outcome_ops;

extern const tvgp__outcome_ops tvgp__outcome_lognormal, tvgp__outcome_ratio;

/* The logarithmic link, its inverse, and the moments of a log-normal variable. */
double tvgp__outcome_log(double u);
double tvgp__outcome_exp(double z);
void tvgp__outcome_log_moments(double m, double v, tvgp__outcome_moments *out);

/* The same for a type or NULL. */
static inline double tvgp__outcome_link(const tvgp__outcome_ops *ops, double u) {
    return ops ? ops->link(u) : u;
}
static inline double tvgp__outcome_inverse(const tvgp__outcome_ops *ops, double z) {
    return ops ? ops->inverse(z) : z;
}

/* Flags of a record whose value is a bound (space/outcome/censored.h). */
#define TVGP__OUTCOME_CENSORED ((uint32_t)(TVGP_OBS_RIGHT_CENSORED | TVGP_OBS_LEFT_CENSORED))

/* Whether a record has members that need a flag, or reserved ones. */
static inline int tvgp__outcome_has_members(const tvgp_obs *o) {
    int32_t bits = 0;
    for (size_t k = 0; k < sizeof o->reserved / sizeof *o->reserved; k++)
        bits |= o->reserved[k];
    return bits || o->noise_var != 0 || o->t != 0 || o->exposure != 0 || o->reference != 0;
}

/* Flags and members of record i: ARG, naming flags that are unknown, missing, or of another type, and members without their flag. */
tvgp_status tvgp__outcome_check(tvgp_ctx *, const tvgp__outcome_ops *, const tvgp_obs *, size_t i);

/* n numbers of the user are linked in place. ARG, naming entry i of `what`: outside the range of the type. */
tvgp_status tvgp__outcome_link_all(tvgp_ctx *, const tvgp__outcome_ops *, const char *what, size_t n, double *u);

/* Means and variances (NULL: not wanted) of n values of the process become those in the user's unit. */
void tvgp__outcome_show(const tvgp__outcome_ops *, size_t n, double *mean, double *var);

#endif

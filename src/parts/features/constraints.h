/* SPDX-License-Identifier: MIT */
/* Constraints on further outputs of an action, which hold while the policy learns: at every ask a mask (on a box a
 * feasible set) of the actions whose risk, by a model of each output, is small enough now. Every policy obeys it like
 * any other mask.
 *
 * Output k has a model (a policy that receives values and is never asked) with mean mu_k and variance v_k at an action
 * and a time, a noise variance nu_k, a bound h_k and a side s_k: +1 at least, -1 at most. theta_k is a margin, in
 * standard deviations.
 *
 *   z_k   = s_k (mu_k - h_k) / sqrt(v_k + nu_k)          for a constraint on the mean without nu_k; 0 / 0: +infinity if it holds
 *   tail  = Phi(-(z_k - theta_k)),  1 from theta_k = 6 on
 *   risk  = sum over k of tail_k                          by the union bound, however the outputs depend on each other
 *   r     = delta at each ask; 6 delta / (pi n)^2 for all n asks together (the sum of 1 / n^2 is pi^2 / 6); or, on average over
 *           the asks so far, max(1e-12, min(10 delta, 1/2, delta n - spent))
 *   safe  = risk <= r, or declared safe
 *
 * theta_k is updated by measured values, by online conformal control (Gibbs, Candes 2021; for Bayesian optimisation
 * Zhang, Park, Simeone 2023): with e = 1 if an action that was not declared safe violated constraint k, else 0, and m
 * constraints,
 *   theta_k <- max(0, theta_k + eta (e - delta / m)).
 * It never exceeds 6 + eta, so of n asks at most delta n / m + (6 + eta) / eta violate constraint k, whatever the values are.
 */
#ifndef TVGP__PARTS_FEATURES_CONSTRAINTS_H
#define TVGP__PARTS_FEATURES_CONSTRAINTS_H

#include "base/options.h"
#include "base/visit.h"
#include "choose/search_space.h"
#include "protocol/policy_ops.h"

enum { TVGP__CONSTRAINTS_AIMS = 8 /* actions that a widening aims at, at most */ };

typedef struct tvgp__constraint {
    tvgp_policy *model; /* of the output, borrowed from the policy's outputs */
    uint32_t flags;
    double bound;  /* h */
    double at;     /* h as the process of the model has it, set with the noise */
    double margin; /* theta */
    int64_t outcomes, broken,
        broken_declared;       /* values of the output; those beyond the bound, of actions not declared safe and declared */
    int64_t maintained;        /* number of values of its model when it last learned, at an ask */
    double noise, *mean, *var; /* of the ask under way, in the user's sign: of all arms (room for them) */
    double gap;                /* of the ask under way: largest distance of a mean from the bound, on its safe side */
    int explained;             /* the log has said that noise alone excludes every action */
} tvgp__constraint;

typedef struct tvgp__constraints {
    tvgp__guard base;
    size_t n;
    tvgp__constraint list[TVGP__OUTPUTS_MOST];
    size_t n_declared;
    double *declared;            /* points declared safe, n_declared x dim */
    uint8_t *is_declared, *safe; /* of each arm: whether it is declared safe; whether it may be asked now */
    double *own;                 /* of each arm: workspace */
    double spent;                /* sum of the risks of the actions asked that were not declared safe */
    int64_t fallbacks, widened;  /* asks at which nothing else than declared actions was safe; that widened the set */
    int64_t
        looked; /* actions asked when no action was found that shows anything: once for every 1 / constraint.exploration_share asks; 0: none */
    int64_t last_widening; /* its query; 0: none */
    size_t count;          /* safe arms at the last ask; on a box 1 if any was found, in addition to the declared */
    struct {
        double t, allowed;                       /* r */
        int64_t looked;                          /* if it is asked */
        int asks, fell, widens, box;             /* box: of the whole box, where points are judged one by one */
        int relents;                             /* there: nothing was safe, and the least risk found is allowed */
        double least;                            /* there: the least risk of those not declared */
        double x[TVGP__SEARCH_SPACE_MOST], risk; /* there: the last point judged by itself, and its risk */
        size_t found;                            /* safe arms, before the set is widened */
        const uint8_t *mask;                     /* what holds without limits, and how many arms it leaves */
        size_t count;
    } now; /* of the ask under way */
} tvgp__constraints;

/* As tvgp_policy_add_constraint, tvgp_policy_set_constraint, tvgp_policy_set_safe; the risks of tvgp_policy_evaluate. */
tvgp_status tvgp__constraints_add(tvgp_policy *, tvgp_policy *model, uint32_t flags, double bound);
tvgp_status tvgp__constraints_set(tvgp_policy *, int32_t output, double bound);
tvgp_status tvgp__constraints_declare(tvgp_policy *, size_t n, const double *X);
tvgp_status tvgp__constraints_risk(tvgp_policy *, double t, size_t n, const double *X, double *risk);

extern const tvgp__guard_ops tvgp__constraints_ops;

/* The options; the constraints of a policy, and the actions declared safe, NULL: there are none. */
static inline const tvgp__guard_constraints *tvgp__constraints_config(const tvgp_policy *p) {
    return &((const tvgp__policy_config *)p->config)->constraints;
}
#define TVGP__CONSTRAINTS_NAME "LIMT"
static inline tvgp__constraints *tvgp__constraints_of(const tvgp_policy *p) {
    return (tvgp__constraints *)tvgp__guard_named(p, TVGP__CONSTRAINTS_NAME);
}

#endif

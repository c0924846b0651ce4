/* SPDX-License-Identifier: MIT */
/* Limits on further outputs of an action, which are kept while the policy learns: at every ask a mask (on a box a feasible set) of
 * the actions whose risk, by a model of each output, is small enough now. Every policy honours it as any other mask.
 *
 * Output k has a model (a policy that is told and never asked) with mean mu_k and variance v_k at an action and a time, a noise
 * variance nu_k, a limit h_k and a side s_k: +1 at least, -1 at most. theta_k is a margin, in standard deviations.
 *
 *   z_k   = s_k (mu_k - h_k) / sqrt(v_k + nu_k)          of a limit on the mean without nu_k; 0 / 0: +infinity when it is kept
 *   tail  = Phi(-(z_k - theta_k)),  1 from theta_k = 6 on
 *   risk  = sum over k of tail_k                          by the union bound, whatever the outputs have to do with each other
 *   r     = delta at each ask; 6 delta / (pi n)^2 for all n asks together (the sum of 1 / n^2 is pi^2 / 6); or, on average over
 *           the asks so far, max(1e-12, min(10 delta, 1/2, delta n - spent))
 *   safe  = risk <= r, or declared safe
 *
 * theta_k learns from what is measured, by online conformal control (Gibbs, Candes 2021; for Bayesian optimisation Zhang, Park,
 * Simeone 2023): with e = 1 when an action that was not declared safe broke limit k, else 0, and m limits,
 *   theta_k <- max(0, theta_k + eta (e - delta / m)).
 * It never exceeds 6 + eta, so of n asks at most delta n / m + (6 + eta) / eta break limit k, whatever is told. */
#ifndef TVGP__FRAME_LIMITS_H
#define TVGP__FRAME_LIMITS_H

#include "base/options.h"
#include "base/visit.h"
#include "frame/tickets.h"
#include "search/space.h"
#include "tvgp/policy.h"

enum { TVGP__LIMITS_MOST = 16, TVGP__LIMITS_AIMS = 8 /* actions that a widening aims at, at most */ };

/* Of every policy that can have limits. */
typedef struct tvgp__limits_config {
    double confidence, adapt, expand, margin;
    int32_t per, none;
} tvgp__limits_config;
enum { TVGP__LIMITS_STEP, TVGP__LIMITS_MEAN, TVGP__LIMITS_RUN };
enum { TVGP__LIMITS_REFUSE, TVGP__LIMITS_LIKELIEST };
enum { TVGP__LIMITS_OPTIONS = 6 };
extern const tvgp__option tvgp__limits_options[TVGP__LIMITS_OPTIONS];

typedef struct tvgp__limit {
    tvgp_policy *model;
    uint32_t flags;
    double bound;  /* h */
    double margin; /* theta */
    int64_t told, broken,
        broken_declared;       /* values of the output; those beyond the limit, of actions not declared safe and declared */
    int64_t tended;            /* values its model had been told when it last learned, at an ask */
    double noise, *mean, *var; /* of the ask under way, in the user's sign: of all arms (room for them) */
    double gap;                /* of the ask under way: largest distance of a mean from the bound, on its safe side */
    int explained;             /* the log has said that noise alone excludes every action */
} tvgp__limit;

typedef struct tvgp__limits {
    size_t n;
    tvgp__limit list[TVGP__LIMITS_MOST];
    size_t n_declared;
    double *declared;            /* points declared safe, n_declared x dim */
    uint8_t *is_declared, *safe; /* of each arm: whether it is declared safe; whether it may be asked now */
    double *own;                 /* of each arm: workspace */
    double spent;                /* sum of the risks of the actions asked that were not declared safe */
    int64_t fallbacks, widened;  /* asks at which nothing else than declared actions was safe; that widened the set */
    int64_t
        looked; /* actions asked when no action was found that shows anything: once for every 1 / limit.expand asks; 0: none */
    int64_t last_widening; /* its query; 0: none */
    size_t count;          /* safe arms at the last ask; on a box 1 when any was found beside the declared */
    struct {
        double t, allowed;                /* r */
        int64_t looked;                   /* if it is asked */
        int fell, widens, box;            /* box: of the whole box, where points are judged one by one */
        int relents;                      /* there: nothing was safe, and the least risk found is allowed */
        double least;                     /* there: the least risk of those not declared */
        double x[TVGP__SPACE_MOST], risk; /* there: the last point judged by itself, and its risk */
        size_t found;                     /* safe arms, before the set is widened */
        const uint8_t *mask;              /* what holds without limits, and how many arms it leaves */
        size_t count;
    } now; /* of the ask under way */
} tvgp__limits;

/* As tvgp_policy_add_limit, tvgp_policy_set_limit, tvgp_policy_set_safe, tvgp_policy_risk. */
tvgp_status tvgp__limits_add(tvgp_policy *, tvgp_policy *model, uint32_t flags, double limit);
tvgp_status tvgp__limits_set(tvgp_policy *, size_t k, double limit);
tvgp_status tvgp__limits_declare(tvgp_policy *, size_t n, const double *X);
tvgp_status tvgp__limits_risk(tvgp_policy *, double t, size_t n, const double *X, double *risk);

/* The margins are as the options say: when the policy starts. */
void tvgp__limits_start(tvgp_policy *);

/* From here to close the policy may ask what is safe at time t alone. NOTFOUND: nothing is; NOMEM, the kernels' and functions'
 * status. Nothing changed then, and nothing is to be closed. */
tvgp_status tvgp__limits_open(tvgp_policy *, double t);
void tvgp__limits_close(tvgp_policy *);

/* The same for an ask of the policy: models learn from the values they were told since the last ask, and the set may be widened.
 * Close is given the status of the ask. If that is a failure, the models are as they were before. */
tvgp_status tvgp__limits_open_ask(tvgp_policy *, double t);
void tvgp__limits_close_ask(tvgp_policy *, tvgp_status);

/* Whether a choice on the whole box that came to this is to be made again: nothing was safe, and limit.none is likeliest. Then the
 * least risk of the points judged is allowed, so that one of them is found. */
int tvgp__limits_relent(tvgp_policy *, tvgp_status);

/* What became of a choice on the whole box, before it is closed: NOTFOUND says what would help. */
tvgp_status tvgp__limits_chosen(const tvgp_policy *, tvgp_status);

/* What the ask opened last has come to is this query, at an arm, on a box at x: returns its risk, and notes whether the action was
 * declared safe. */
double tvgp__limits_asked(tvgp_policy *, size_t arm, const double *x, tvgp__ticket *);

/* A value y of the output of limit k (from 0), in the user's sign; ticket NULL: nobody asked. */
void tvgp__limits_told(tvgp_policy *, size_t k, double y, const tvgp__ticket *ticket);

#endif

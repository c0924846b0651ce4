/* SPDX-License-Identifier: MIT */
/* Several models of one function, which learn from the same data. Each is a posterior of its own, with the mean of the
 * policy's prior of the same number. A model added later is conditioned on all earlier data, so its marginal likelihood
 * compares with the others'.
 *
 * Every observation is therefore stored (64 bytes, and on a box its point): one model may need what another has
 * forgotten. After more than `limit` they are discarded, and no model can be added any more. */
#ifndef TVGP__POLICY_UCB_MODELS_H
#define TVGP__POLICY_UCB_MODELS_H

#include "model/posterior/observations.h"
#include "model/posterior/posterior.h"
#include "protocol/policy_ops.h"

/* One model. */
typedef struct tvgp__model {
    tvgp__posterior *posterior;     /* NULL: the model was dropped */
    double log_marginal_likelihood; /* what it was when the model was dropped */
    double log_weight;              /* its weight before any data, up to a constant that all share */
} tvgp__model;

/* All models of a policy. */
typedef struct tvgp__models {
    tvgp_policy *policy;
    tvgp_ctx *ctx;
    tvgp__model *list; /* count of them, of which `living` have a posterior */
    size_t count, slots, living;
    double now;             /* the time they were moved to; -infinity before the first advance */
    tvgp__observations log; /* for models that are added later */
    size_t limit;           /* how many records the log may have */
    int given_up;           /* whether there were more */
    double *mean;           /* on a box: the prior mean of each model at each point of the policy's batch */
    size_t mean_slots;
} tvgp__models;

void tvgp__models_init(tvgp__models *m, tvgp_policy *policy, size_t limit);
void tvgp__models_free(tvgp__models *m);

/* Makes room for one model more. NOMEM. */
tvgp_status tvgp__models_reserve(tvgp__models *m);

/* Adds a model: takes over an empty posterior, also on failure, and shows it the data so far. There must be room. LIMIT
 * (the data were given up), NOMEM, what the kernel and the mean's function return: nothing has changed. On shared arms
 * it is collective. */
tvgp_status tvgp__models_add(tvgp__models *m, tvgp__posterior *posterior);

/* Makes posteriors on more arms for all living models, in fresh (count entries; NULL for a model that was dropped). X (n
 * x dim) has all arms, those there are first. NOMEM, the kernel's status, UNSUPPORTED: nothing has changed. */
tvgp_status tvgp__models_extend(const tvgp__models *m, size_t n, const double *X, tvgp__posterior **fresh);

/* Ends a model and frees its posterior. */
void tvgp__models_drop(tvgp__models *m, size_t i);

/* Does all that can fail before the policy's batch is observed: finds the prior means at its points, prepares the living
 * models' posteriors for them, and makes room in the log. */
tvgp_status tvgp__models_prepare(tvgp__models *m);
/* Moves the living models to time t >= now. */
void tvgp__models_advance(tvgp__models *m, double t);
/* Shows the living models the datum at this index of the batch, which was prepared, and logs it for models added later. */
void tvgp__models_observe(tvgp__models *m, size_t index, const tvgp__observation *datum);

/* Returns the prior mean of model i, dropped or not, for an outcome of the batch. */
double tvgp__models_mean(const tvgp__models *m, size_t i, const tvgp__answer *answer);

/* On a box: lets every living model drop what time has made worthless (tvgp__posterior_anywhere.prune). A model that fails is left for
 * the next time. */
void tvgp__models_prune(const tvgp__models *m);

/* Saves or loads the models (base/visit.h). When loading there must be as many as in the snapshot, in the same order,
 * and one that lives there must live. */
void tvgp__models_visit(tvgp__models *m, size_t arms, tvgp__visit *v);

/* Return the log marginal likelihood of model i, without and with its log weight. */
double tvgp__models_log_evidence(const tvgp__models *m, size_t i);
double tvgp__models_log_posterior(const tvgp__models *m, size_t i);

/* Computes the posterior probability of each model: weight x exp(log marginal likelihood), normalised by log-sum-exp, 0
 * for a dropped one. At least one must be alive. They are equal if no living model has a finite likelihood. */
void tvgp__models_weights(const tvgp__models *m, double *weight);

#endif

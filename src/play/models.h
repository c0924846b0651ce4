/* SPDX-License-Identifier: MIT */
/* Several models of one function, learning from the same data: each a posterior of its own, with the mean of the policy's prior
 * of the same number. A model added after data arrived is shown the data so far, so that its evidence compares with that of the
 * others.
 *
 * Memory: the posteriors, and every observation (64 bytes, and where arms have no points its point) for models added later: what
 * one model has forgotten another may need, a static one all of it. Once more than `limit` came they are given up and no model
 * can be added any more. */
#ifndef TVGP__PLAY_MODELS_H
#define TVGP__PLAY_MODELS_H

#include "belief/belief.h"
#include "fit/log.h"
#include "frame/policy_ops.h"

typedef struct tvgp__model {
    tvgp__belief *posterior; /* NULL: dropped */
    double log_evidence;     /* when it was dropped */
    double log_weight;       /* before any data, up to what all have in common */
} tvgp__model;

typedef struct tvgp__models {
    tvgp_policy *policy;
    tvgp_ctx *ctx;
    tvgp__model *list;
    size_t count, slots, living;
    double now; /* -infinity before the first advance */
    tvgp__log log;
    size_t limit; /* of the log */
    int given_up;
    double *mean; /* boxes: of each model at each point of the policy's batch */
    size_t mean_slots;
} tvgp__models;

void tvgp__models_init(tvgp__models *m, tvgp_policy *policy, size_t limit);
void tvgp__models_free(tvgp__models *m);

/* Room for one more. NOMEM. */
tvgp_status tvgp__models_reserve(tvgp__models *m);

/* Takes over an empty posterior (also on failure), for which there is room, and shows it the data so far. LIMIT, NOMEM, what
 * the kernel and the mean's function return; nothing changed. Of shared arms: collective, the same on all ranks. */
tvgp_status tvgp__models_add(tvgp__models *m, tvgp__belief *posterior);

/* Of all living models: posteriors on more arms, of which X (n x dim) begins with those there are, in fresh (count); NULL where
 * none lives. NOMEM, the kernel's status, UNSUPPORTED; nothing changed. */
tvgp_status tvgp__models_extend(const tvgp__models *m, size_t n, const double *X, tvgp__belief **fresh);

/* Ends a model and frees its posterior. */
void tvgp__models_drop(tvgp__models *m, size_t i);

/* Does all that can fail before the policy's batch is observed: finds the prior means at its points, prepares the living
 * models' posteriors for them, and makes room in the log. */
tvgp_status tvgp__models_prepare(tvgp__models *m);
/* Moves the living models to time t >= now. */
void tvgp__models_advance(tvgp__models *m, double t);
/* Shows the living models the datum at this place of the batch, which was prepared, and logs it for models added later. */
void tvgp__models_observe(tvgp__models *m, size_t place, const tvgp__record *datum);

/* The mean of model i for an answer of the batch, living or not. */
double tvgp__models_mean(const tvgp__models *m, size_t i, const tvgp__answer *answer);

/* On a box: every living model lets go what time has made worthless (belief_anywhere.prune); what fails waits. */
void tvgp__models_prune(const tvgp__models *m);

/* As many models as there are, in the same order; a living one that a snapshot holds must live. */
void tvgp__models_visit(tvgp__models *m, size_t arms, tvgp__visit *v);

double tvgp__models_log_evidence(const tvgp__models *m, size_t i);
double tvgp__models_log_posterior(const tvgp__models *m, size_t i); /* log evidence + log weight */

/* Posterior probability of each model, weight x exp(log evidence) normalised by log-sum-exp; 0 when dropped. At least one lives.
 * All equal when no living model has a finite evidence. */
void tvgp__models_weights(const tvgp__models *m, double *weight);

#endif

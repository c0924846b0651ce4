/* SPDX-License-Identifier: MIT */
/* What is chosen: the maximiser of a sum over terms, each weight (prior mean + mean + width sd) of one posterior, less what
 * moving costs (frame/switch.h). A policy says which posteriors count; domains differ only here, in how the maximiser is found:
 * ARMS       the posterior holds mean and variance of every arm, and pending actions are columns of it (play/play_arms.c);
 * CONTEXTS   a form of the posterior is evaluated at every action in the context that holds (play/play_box.c);
 * BOX        a search over forms, which have gradients and upper bounds; those of the terms add up (play/play_box.c); among
 *            candidates the same as in contexts. */
#ifndef TVGP__PLAY_PLAY_H
#define TVGP__PLAY_PLAY_H

#include "frame/choose.h"
#include "play/ucb.h"

/* One posterior whose score counts, with its prior mean. The rest is filled in where it is chosen. */
typedef struct tvgp__term {
    tvgp__belief *posterior;
    const tvgp__mean *mean;
    double weight, width;
    tvgp__form form, known; /* not on arms: with the pending actions, without */
    const double *own;      /* of the rows, for tvgp__form_bound; NULL: none */
    size_t first;           /* of its weights among those of all forms */
} tvgp__term;

/* What a policy without points of the domain's own works with, from one choice to the next. */
struct tvgp__play {
    int searched;      /* x is what was chosen last */
    double *x, *reach; /* the point and its prior mean; dim */
    int anchored;      /* of this choice: moving from `anchor` (dim) costs something (frame/switch.h) */
    double *anchor;
    size_t n_pending;        /* of this choice */
    double *pending, *times; /* TVGP__UCB_PENDING x dim; when each was asked */
    tvgp__term *term;        /* of this choice, those whose forms are open; borrowed */
    size_t terms;
    double *a, *work; /* of all forms: weights of the means, workspace */
    double *actions;  /* workspace for mean, variance and score of each action or candidate */
    double *joint;    /* candidates that are drawn from: covariance, and workspace */
    size_t a_slots, work_slots, action_slots, joint_slots;
};

/* What a choice comes to: of shared arms the best of this rank, until tvgp__play_agree. */
typedef struct tvgp__found {
    double net; /* what was maximised: the score less what moving costs */
    double score, width, noise;
    double mean, sd, spread;        /* not on arms: relative to the prior mean; the unit of variances, squared */
    tvgp__choice best;              /* on arms; off them its place is the action or candidate */
    size_t prior;                   /* of the term that counts as the one that chose */
    double x[TVGP__SPACE_MOST + 1]; /* not on arms: where, and behind it the prior mean */
} tvgp__found;

/* Allocates the tvgp__play of a policy on a box or in measured contexts. NOMEM: release frees what there is. */
tvgp_status tvgp__play_room(tvgp_policy *policy);
/* Frees the tvgp__play of the policy, if it has one. */
void tvgp__play_release(tvgp_policy *policy);
/* Saves or loads the point that was chosen last, the part of a tvgp__play that snapshots hold (base/visit.h). */
void tvgp__play_visit(tvgp_policy *policy, tvgp__visit *v);

/* Finds the pending actions, and on arms room for their columns. NOMEM; nothing seen. */
tvgp_status tvgp__play_open(tvgp_policy *policy);

/* The maximiser of the sum over n terms at time t, which counts as chosen by one of them, `speaker`, of prior `prior`. On arms the
 * posteriors have been moved to t, the pending actions are within reach of all, and it cannot fail; elsewhere it fails as a
 * search does, and changes nothing. */
tvgp_status tvgp__play_choose(tvgp_policy *policy, double t, size_t n, tvgp__term *term, size_t speaker, size_t prior,
                              tvgp__found *out);

/* On shared arms the best of all ranks; found->prior is then its. Collective. */
void tvgp__play_agree(tvgp_policy *policy, tvgp__found *found,
                      tvgp__belief *(*posterior)(const tvgp_policy *, size_t prior));

/* It is asked: the statistics of the family are its, by u->posterior. */
void tvgp__play_propose(tvgp_policy *policy, const tvgp__found *found, tvgp__proposal *out);

/* On a box: the maximiser of the sum of weight (prior mean + mean). Fails as a search does. */
tvgp_status tvgp__play_best(tvgp_policy *policy, double t, size_t n, tvgp__term *term, double *x);

/* The parts of play_open, and of a choice by a draw: `score` becomes the draw of all arms, in u->score, or of n candidates X; var: n,
 * workspace. Fails as forms do, NOMEM. */
tvgp_status tvgp__play_open_draw(tvgp_policy *policy);
void tvgp__play_draw_arms(tvgp_policy *policy, const tvgp__term *term);
tvgp_status tvgp__play_draw_points(tvgp_policy *policy, const tvgp__term *term, size_t n, const double *X, double *var,
                                   double *score);

/* The two ways of play_choose. */
void tvgp__play_arms(tvgp_policy *policy, size_t n, tvgp__term *term, size_t speaker, tvgp__found *out);
tvgp_status tvgp__play_box(tvgp_policy *policy, double t, size_t n, tvgp__term *term, size_t speaker, tvgp__found *out);

#endif

/* SPDX-License-Identifier: MIT */
/* Functions for readers and owners of a posterior; the contract that methods implement is model/posterior/posterior_ops.h. Optional
 * operations have their defaults here, and moments the offset and factor of a learner (learn/learner.h). Only a function
 * that returns a status can fail, and it then changes nothing. */
#ifndef TVGP__MODEL_POSTERIOR_H
#define TVGP__MODEL_POSTERIOR_H

#include "model/posterior/observations.h"
#include "model/posterior/posterior_ops.h"

/* ---- moments of arms -------------------------------------------------------------------------------------------- */

/* Finishes deferred work, and gives the moments of all arms at `now` (n each; NULL: not wanted) to within `slack`. The arrays
 * are borrowed; they hold until the posterior changes, and tvgp__posterior_exact updates them. */
void tvgp__posterior_bounds(tvgp__posterior *p, const double **mean, const double **var, tvgp__slack *slack);
/* The same bounds, without finishing anything. */
tvgp__slack tvgp__posterior_slack(const tvgp__posterior *p);
/* Copies the exact moments of n arms (NULL: the first n), those not NULL of mean and var, after tvgp__posterior_bounds. */
void tvgp__posterior_exact(tvgp__posterior *p, size_t n, const size_t *arm, double *mean, double *var);
/* Gives mean and variance of an arm at `now`, on distributed arms to all ranks together. `moments`: for methods, in their unit. */
void tvgp__posterior_arm(tvgp__posterior *p, size_t arm, double *mean, double *var);
void tvgp__posterior_moments(tvgp__posterior *p, size_t arm, double *mean, double *var);
/* Predicts n arms at time t >= now (the op `at`). */
void tvgp__posterior_at(tvgp__posterior *p, double t, size_t n, const size_t *arm, double *mean, double *var);

/* The ops finish and refine, for src/model and src/learn. */
void tvgp__posterior_finish(tvgp__posterior *p);
void tvgp__posterior_refine(tvgp__posterior *p, size_t n, const size_t *arm);
/* Says whether finishing deferred work computes a posterior. */
int tvgp__posterior_waits(const tvgp__posterior *p);

/* Says that until the next call only moments of arms in this context are read; -1: of all arms. */
void tvgp__posterior_attend(tvgp__posterior *p, int64_t context);

/* ---- covariances ------------------------------------------------------------------------------------------------ */

/* Prepares columns of these arms, until the next call. NOMEM, the kernel's status. */
tvgp_status tvgp__posterior_reach(tvgp__posterior *p, const tvgp__points *points);
/* Writes the covariances at `now` of one arm within reach with all arms (n). */
void tvgp__posterior_column(tvgp__posterior *p, size_t arm, double *out);
/* Writes the covariances at time t >= now of m arms with all arms (m x n). NOMEM, the kernel's status. */
tvgp_status tvgp__posterior_covariance(tvgp__posterior *p, double t, size_t m, const size_t *arm, double *out);

/* ---- predictions at any points ---------------------------------------------------------------------------------- */

/* Makes it a function of any point at time t >= now (the op predictive). NOMEM. */
tvgp_status tvgp__posterior_predictive(tvgp__posterior *p, double t, tvgp__predictive *out);
/* Predicts at n points X (n x dim) at time t >= now: the members of `out` that are not NULL, or mean and variance. NOMEM, the
 * kernel's status. */
tvgp_status tvgp__posterior_values(tvgp__posterior *p, double t, size_t n, const double *X,
                                   const tvgp__predictive_values *out);
tvgp_status tvgp__posterior_predict(tvgp__posterior *p, double t, size_t n, const double *X, double *mean, double *var);
/* From freeze to thaw predictions at time t share one predictive, and several points at a time may lose last digits
 * (tvgp__predictive_moments). Nothing is observed in between. NOMEM. */
tvgp_status tvgp__posterior_freeze(tvgp__posterior *p, double t);
void tvgp__posterior_thaw(tvgp__posterior *p);

/* ---- observations ----------------------------------------------------------------------------------------------- */

/* Calls the op prepare. On distributed arms all ranks call it together, and get the same status. */
tvgp_status tvgp__posterior_ready(tvgp__posterior *p, const tvgp__points *points);
/* Conditions on the value y (relative to the prior mean) of point i of those prepared last. assumed: it was not measured
 * (the op observe). */
void tvgp__posterior_observe(tvgp__posterior *p, const tvgp__points *points, size_t i, double t, double y, double noise,
                             int assumed);
/* The same for a count as it was reported, of an arm with this prior mean; for methods with the op noise_at. */
void tvgp__posterior_observe_count(tvgp__posterior *p, const tvgp__points *points, size_t i, double t, double count,
                                   double exposure, double prior_mean);

/* Makes points of n kept observations from number `first` on; on arms `arm` has room for n numbers. */
tvgp__points tvgp__posterior_points(const tvgp__observations *kept, size_t first, size_t n, size_t *arm);
/* Prepares the posterior for n kept observations from number `first` on, at most TVGP__POSTERIOR_BLOCK at a time, and calls
 * `each` for every one, in order. NOMEM, LIMIT, the kernel's status: the blocks before the failure were observed. */
enum { TVGP__POSTERIOR_BLOCK = 64 };
typedef void tvgp__posterior_each(void *user, tvgp__posterior *, const tvgp__points *, size_t i, const tvgp__observation *);
tvgp_status tvgp__posterior_replay(tvgp__posterior *p, const tvgp__observations *kept, size_t first, size_t n,
                                   tvgp__posterior_each *each, void *user);

/* On a box: drops observations that move the sd anywhere by less than `tolerance` noise sds. The kernel's status, LIMIT (a
 * quota ended): the remaining ones stay until the next call. */
tvgp_status tvgp__posterior_prune(tvgp__posterior *p, double tolerance, double noise);
/* The same where no failure is possible any more: it is forgotten. */
void tvgp__posterior_prune_quietly(tvgp__posterior *p, double tolerance, double noise);
/* On a box: e^2 / (variance + noise) of the newest observation, e its difference from the prediction. Not of aging noise. */
double tvgp__posterior_square(tvgp__posterior *p);
/* Says whether observations of time t and before are negligible at `now`: by default if the correlation c since then has
 * c^2 < .01, so that all of them together explain less than a hundredth of any variance. */
int tvgp__posterior_faded(const tvgp__posterior *p, double noise, double t, double now);

/* ---- time, copies, snapshots ------------------------------------------------------------------------------------ */

/* The correlation of the function at `from` with itself at `to` > from; below 0: time changes nothing. */
double tvgp__posterior_correlation(const tvgp__posterior *p, double from, double to);
/* The ops set_unit (of time) and rescale (of the learned factor). */
void tvgp__posterior_set_unit(tvgp__posterior *p, double unit);
void tvgp__posterior_rescale(tvgp__posterior *p, double factor);
/* Creates the posterior on n >= p->n arms X (the first ones are its own) with the same observations. NOMEM, the kernel's
 * status, UNSUPPORTED. */
tvgp_status tvgp__posterior_extend(const tvgp__posterior *p, size_t n, const double *X, tvgp__posterior **out);
/* Saves or loads all of it (base/visit.h). UNSUPPORTED without the op. */
void tvgp__posterior_visit(tvgp__posterior *p, tvgp__visit *v);

/* ---- distributed arms ------------------------------------------------------------------------------------------- */

/* Distributes the arms as the domain says. UNSUPPORTED, naming the policy, without the op. All ranks call it together, and get the same status. */
tvgp_status tvgp__posterior_share(tvgp__posterior *p, const tvgp_domain *domain, const char *policy);
/* The worst status of all ranks, on all of them. Collective, as the next. */
tvgp_status tvgp__posterior_agree(const tvgp__posterior *p, tvgp_status own);
/* The entries of an arm in k vectors over the arms (k x n). */
void tvgp__posterior_entries(const tvgp__posterior *p, size_t arm, size_t k, const double *V, double *out);
/* Saves a call of all ranks: the rank that holds an arm sends mean, variance and prior variance of it along with the next
 * agreement, the one on the status of prepare. `given` reads them on every rank, if the ranks agreed on OK, and
 * tvgp__posterior_moments then has them. arm = SIZE_MAX: not known, nothing is sent. offer_room: before offer. NOMEM. */
tvgp_status tvgp__posterior_offer_room(tvgp__posterior *p);
void tvgp__posterior_offer(tvgp__posterior *p, size_t arm);
void tvgp__posterior_given(tvgp__posterior *p, size_t arm);
/* `here` reads mean, variance (perhaps below 0) and prior variance of an arm that this rank holds; `know` notes what another
 * rank has sent. */
void tvgp__posterior_here(const tvgp__posterior *p, size_t index, double moments[3]);
void tvgp__posterior_know(tvgp__posterior *p, size_t arm, const double moments[3]);

#endif

/* SPDX-License-Identifier: MIT */
/* Policies: one algorithm, two calls. ask says what to try at time t, tell takes what came of it; swapping the name swaps
 * the algorithm. Times are the user's own: finite, non-decreasing, irregular steps are normal; no clock is ever read. */
#ifndef TVGP_POLICY_H
#define TVGP_POLICY_H

#include "option.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Creates the policy registered under `name` (docs/algorithms.md lists them). The kernel must fit the domain's points. NULL:
 * the policy is told nothing; kernel (Matern 5/2, of names categorical), noise, mean and scale of the rewards are learned as it
 * goes (docs/learning.md). The policies with the option `fit` can do that.
 * random and constant-arm need no kernel anywhere, and do not look at one that is given.
 * Errors: ARG (also NULL where it cannot be learned), NOTFOUND (the message names the nearest), DIM, NOMEM. */
TVGP_API tvgp_status tvgp_policy_create(tvgp_ctx *ctx, const char *name, const tvgp_domain *domain,
                                        const tvgp_kernel *kernel_or_null, tvgp_policy **out);
/* Creates a policy from one line of text, for command lines, configuration files and rows of a database:
 * "auto-gp-ucb grid=0:1:101 noise=.01". The words are a policy (default auto-gp-ucb), one domain, a kernel or none, constraints and
 * options of the policy; docs/descriptions.md lists them.
 * @param text at most 2^20 - 1 bytes; copied
 * @param out  an owned handle
 * Errors: ARG (a word that cannot be read, a domain that is missing or given twice; the message names it), OPTION and NOTFOUND
 * (tvgp_policy_set), LIMIT (a longer text, more than 64 coordinates or 16 constraints), and those of tvgp_domain_*, tvgp_kernel_*,
 * tvgp_policy_create, tvgp_policy_add_constraint and tvgp_policy_set_safe. Nothing is created on failure. O(length of the text). */
TVGP_API tvgp_status tvgp_policy_create_described(tvgp_ctx *ctx, const char *text, tvgp_policy **out);
/* Gives the policy up, with its queries. From inside a function of the user's that a call on this policy calls: when that call
 * returns. Other objects must not be destroyed from inside what they call. NULL: nothing. */
TVGP_API void tvgp_policy_destroy(tvgp_policy *policy);

/* ---- Options: set before the first ask or tell (STATE afterwards). The reference is docs/options.md. ------------ */

/* One option. Integers are taken for f64 options, integral values for i64 ones, and read back likewise.
 * Errors: NOTFOUND (unknown key; names the policies that have it, or the nearest), OPTION (wrong type, out of bounds, no
 * integer, unknown choice), NONFINITE, STATE. On failure the option is unchanged. */
TVGP_API tvgp_status tvgp_policy_set_f64(tvgp_policy *policy, const char *key, double value);
TVGP_API tvgp_status tvgp_policy_set_i64(tvgp_policy *policy, const char *key, int64_t value);
TVGP_API tvgp_status tvgp_policy_set_str(tvgp_policy *policy, const char *key, const char *value);

/* Several as text, for configuration files, command lines and bindings: key=value pairs between blanks, such as
 * "noise=.01 epsilon=.03 width.schedule=igp". Numbers have a decimal point, whatever the locale; a list is one value with
 * commas. Later pairs win. All or none: when one fails no option has changed, and the message names it.
 * Errors: as above, and OPTION (not of the form key=value, not a number), NOMEM. */
TVGP_API tvgp_status tvgp_policy_set(tvgp_policy *policy, const char *text);

TVGP_API tvgp_status tvgp_policy_get_f64(const tvgp_policy *policy, const char *key, double *value);
TVGP_API tvgp_status tvgp_policy_get_i64(const tvgp_policy *policy, const char *key, int64_t *value);
TVGP_API tvgp_status tvgp_policy_get_str(const tvgp_policy *policy, const char *key, const char **value);

/* Prior mean (copied): n is 1, one value for all points, or the number of arms; NULL with n 0: zero, the default. May be
 * called at any time. An answer counts relative to the mean that held when its query was asked, an observation nobody asked
 * for relative to the mean of now; asks, predictions and best go by the mean of now.
 * Errors: STATE (the mean is learned from a log), DIM (n is neither 1 nor the number of arms), ARG (NULL with n > 0), NONFINITE, LIMIT (an entry beyond the range), NOMEM;
 * the mean is unchanged then. */
TVGP_API tvgp_status tvgp_policy_set_mean(tvgp_policy *policy, const double *mean_or_null, size_t n);

/* Learns what usually happens from a log, n records in any order: obs as in tvgp_policy_tell with id 0 and a time (outcomes other
 * than a value are left out, noise variances not looked at), x (n x dim) the arms. The model is the mean of every arm at any
 * time, a level and seasons whose periods are found and which forget as fast as would have forecast the log best; the
 * covariance of what those forecasts missed, which becomes the kernel in use; and it is kept up to date in the run
 * (docs/guide/from-a-log.md; the equations: docs/learning.md). It takes the place of the prior mean, of the noise where none was
 * set, and of fit. Before the first ask, or later: the belief is then made anew from the model and the newest answers
 * (`history.max_replayed`) told since the last log. A kernel given to tvgp_policy_create is what a log of what was chosen only (less
 * than 30 % of all cells) correlates arms by. Learned again, the old log is forgotten. The newest 8192 slots of time are used.
 * Only sums of the log are kept. Cost, in values read, with cells = rows x arms and P <= 3 periods:
 *   period search  at most P + 1 rounds of rows / 3 x cells; above 4096 rows of 64 x cells + 3 rows^2
 *   forecasts      origins x (6 + 15 P) x cells; origins: 10, or 0.6 rows / longest period if that is more
 *   covariance     arms x cells + 12 (P + 1) x cells
 *   replay         where it decides `model.misspecified`: all that for the older rows, and 8 to 22 times min(rows / 3, 1000) x arms^2
 * These values count as work of tvgp_ctx_set_quota.
 * The options history.refit_interval, history.max_replayed, history.width_factor, fit and season.period are fixed from then on (STATE).
 * Errors: ARG (no record with a value, one without a time, with an id or an output, or at a point that is no arm), NONFINITE,
 * LIMIT (range, also of the median step between times; 64 MB of sums or `memory.limit`; a quota), OPTION (history.periods), UNSUPPORTED (a
 * policy that learns none: those with a prior mean, one kernel and the options log.* do; a box or measured contexts, shared arms,
 * several priors, a fit set by name, season.period), STATE (it is the model of a limit), INTERRUPTED, NOMEM, a kernel's own; the
 * policy is unchanged then. */
TVGP_API tvgp_status tvgp_policy_learn_history(tvgp_policy *policy, const tvgp_obs *obs, const double *x, size_t n);
/* The same of a table: value is rows x arms, row-major, NaN where nothing was recorded; t the times of the rows, NULL: -rows .. -1,
 * so that a run begins at 0. */
TVGP_API tvgp_status tvgp_policy_learn_history_table(tvgp_policy *policy, size_t rows, const double *t_or_null,
                                                     const double *value);
/* The prior mean of every arm, n of them, at any time t: what is set, or what was learned from a log and is foreseen. Changes
 * nothing. Errors: DIM (n is not the number of arms), UNSUPPORTED (a box, measured contexts), NONFINITE, LIMIT. */
TVGP_API tvgp_status tvgp_policy_prior_mean(const tvgp_policy *policy, double t, double *mean, size_t n);

/* With fit = map: goes on learning now, when the caller has time, with at most max_evals >= 1 evaluations of the evidence
 * (about n^3 flops for n observations, at most fit.window); *evals is how many were made. OK: nothing is left to do before new
 * answers come; AGAIN: call again. New parameters, when there are some, are in use on return. After a log: makes the mean anew if
 * an ask a slot of the log after the newest time would have to, so that no ask does; *evals is 0. Before the first ask or tell
 * there is nothing to do. Errors: ARG, STATE (fit = off, and no log), UNSUPPORTED (the policy learns nothing), NOMEM; what the policy
 * believes is unchanged then. */
TVGP_API tvgp_status tvgp_policy_fit(tvgp_policy *policy, int64_t max_evals, int64_t *evals);

/* The kernel in use, an owned handle: the one given, or as learned so far (before any fit the centre of the prior, with a scale
 * of 1). Errors: ARG, UNSUPPORTED (a policy that needs none), NOMEM. */
TVGP_API tvgp_status tvgp_policy_kernel(const tvgp_policy *policy, tvgp_kernel **out);

/* The domain it plays on now, an owned handle (tvgp_domain_destroy): the one given, the one in the snapshot it was made from
 * (tvgp_policy_restore), or the larger one it was moved to. Errors: ARG. */
TVGP_API tvgp_status tvgp_policy_domain(const tvgp_policy *policy, tvgp_domain **out);

/* The name it is registered under. The text lives as long as the context. Errors: ARG. */
TVGP_API tvgp_status tvgp_policy_name(const tvgp_policy *policy, const char **name);

/* On a box: the prior mean as a function, at any time; NULL: zero. It fills mean (n) at n points X (n x dim) and, unless that
 * is NULL, gradient (n x dim, row-major); it returns 0, or -1000..-1999, which the call under way then returns. It must not
 * call the policy (REENTRANT) and must stay valid until it is replaced or the policy is gone. An answer counts relative to the
 * mean at its ask, as with tvgp_policy_set_mean, which this replaces and is replaced by. The function is tried at one point.
 * Errors: UNSUPPORTED (the domain has arms), CALLBACK (another status), NONFINITE; the mean is unchanged. */
typedef int32_t (*tvgp_mean_fn)(void *user, size_t n, const double *X, double *mean, double *gradient_or_null);
TVGP_API tvgp_status tvgp_policy_set_mean_fn(tvgp_policy *policy, tvgp_mean_fn mean_or_null, void *user);

/* Adds a prior to a policy that weighs several against each other (others: UNSUPPORTED): a kernel over the domain's points,
 * a mean (copied; n_mean is 1 or the number of arms, on a box 1; NULL with n_mean 0: the policy's own, see
 * tvgp_policy_set_mean, and it follows that) and a rate of change epsilon in [0, 1), correlation (1 - epsilon)^(dt/2).
 * Priors are numbered 0, 1, .. in order of adding. A policy without added priors has one: its own kernel and mean, epsilon
 * 0. A prior may also be added between ask and tell of a run: it is then shown all that was told so far, for which the
 * policy keeps up to `prior.max_replayed` observations; LIMIT when more than that came.
 * auto-gp-ucb takes priors before the first ask or tell only (STATE) and infers the rate: their epsilon is not used. Its
 * priors keep their distance from the policy's mean as it is at the first ask or tell, also when that is set anew.
 * Errors: ARG (kernel NULL or not defined at the arms, epsilon out of bounds, mean NULL with n_mean > 0), DIM (dimension of
 * the kernel, n_mean neither 1 nor the number of arms), NONFINITE, UNSUPPORTED, STATE, LIMIT, NOMEM. */
TVGP_API tvgp_status tvgp_policy_add_prior(tvgp_policy *policy, const tvgp_kernel *kernel, const double *mean_or_null,
                                           size_t n_mean, double epsilon);

/* The same on a box with the mean as a function; NULL: the policy's own. What is said of the function of
 * tvgp_policy_set_mean_fn holds of this one, but it is never replaced. Functions are in no snapshot: one is loaded into a policy
 * to which the priors were added already, otherwise ask returns STATE.
 * Errors: as of tvgp_policy_add_prior, CALLBACK, the function's own; UNSUPPORTED where the domain has arms, or the policy takes
 * no mean there (auto-gp-ucb, at the first ask or tell). */
TVGP_API tvgp_status tvgp_policy_add_prior_fn(tvgp_policy *policy, const tvgp_kernel *kernel, tvgp_mean_fn mean_or_null,
                                              void *user, double epsilon);

/* Sets the mean of prior i anew (copied), at any time, as tvgp_policy_set_mean that of the policy: n is 1 or the number of arms, on
 * a box 1; NULL with n 0: from now on the policy's own, which it follows. Priors are numbered as they were added. An answer counts
 * relative to the mean that held when its query was asked, an observation nobody asked for relative to that of now; what the prior
 * has learned stays, relative to its mean. Of auto-gp-ucb only before the first ask or tell (STATE).
 * Errors: as of tvgp_policy_set_mean, and UNSUPPORTED (the policy takes no priors), ARG (i is not below the number of priors
 * added), on a box what the function returns that was the mean; the mean is unchanged then. */
TVGP_API tvgp_status tvgp_policy_set_prior_mean(tvgp_policy *policy, size_t i, const double *mean_or_null, size_t n);

/* Starts where the user is, and never falls far below it (docs/guide/minimising-a-cost.md): x, an
 * arm's point or on a box any point (dim doubles, copied), is what would be done without a policy;
 * of arms with numbered contexts it stands for its action, whatever the context. From now on an ask
 * is of the incumbent unless, even if the policy's own choice turns out a standard deviation worse
 * than believed, what own choices have lost against the incumbent in all stays within `max_loss_share` of
 * what the incumbent would have brought: with costs and a max_loss_share of 0.1, a tenth of its bill.
 * Answers count as they are told, so rewards or costs have to be of one sign; those of the incumbent
 * are told as any other. (Conservative bandits: Wu, Shariff, Lattimore, Szepesvari 2016.)
 *
 * At any time; a new one, and the same again, counts from 0: of actions that are asked from then on.
 * NULL: none any more. An incumbent that is masked, outside the bounds or not safe is not asked, and
 * holds nobody back until it may be asked again; on a box neither is any while there are candidates
 * or limits. Where contexts are numbered one must hold at each ask (STATE). It costs a prediction at
 * one point an ask, and allocates nothing then. Statistics incumbent.asked, .spent, .left,
 * .gain and .gain_error.
 * Errors: NOTFOUND (x is not of the domain), ARG (max_loss_share < 0), NONFINITE, LIMIT, UNSUPPORTED (a
 * policy without a model or with several priors, measured contexts, shared arms), NOMEM; unchanged
 * then. */
TVGP_API tvgp_status tvgp_policy_set_incumbent(tvgp_policy *policy, const double *x_or_null, double max_loss_share);

/* ---- Limits on further outputs (docs/guide/constraints.md), kept while the policy learns ------------------------------ */

/* An action has one reward and any number of other outputs. Output k, k = 1, 2, .. in order of adding, must be at least (flags
 * TVGP_AT_LEAST) or at most (TVGP_AT_MOST) `limit`; with TVGP_OF_MEAN that is said of its noiseless value, otherwise of what is
 * measured. `model` says what is believed of the output: a policy on the same domain with its own kernel, noise and law, one of gp,
 * igp, tv, sw, w, ui, auto, pe, mle, fb and rb-gp-ucb, which has never been asked; what was told to it counts. From now on an ask
 * goes only to actions whose risk, the sum over all limits of the probability that the action breaks it, is at most what
 * constraint.confidence allows, or that are declared safe. Outputs are told with tvgp_obs.output or tvgp_policy_tell_values.
 * The policy holds the model: its handle may be destroyed at any time, and until then serves for predictions, statistics, kernel and
 * tvgp_policy_set_mean; ask, tell, load, options, contexts and extend on it are STATE. Its `sense` makes no difference: limits have the
 * user's sign. Before the first ask or tell of the policy.
 * Errors: UNSUPPORTED (a policy with side queries, shared arms, another kind of model), STATE (the policy has started or is a model
 * itself; the model was asked, belongs to a limit, has limits, another domain or context), ARG (flags), NONFINITE, LIMIT (a
 * 17th limit), NOMEM, and those of a first ask of the model; neither policy has changed then. */
TVGP_API tvgp_status tvgp_policy_add_constraint(tvgp_policy *policy, tvgp_policy *model, uint32_t flags, double limit);

/* Moves limit k, from 1, at any time: counts from the next ask, and for values told from now on. Errors: ARG (no such limit),
 * NONFINITE, LIMIT; unchanged then. */
TVGP_API tvgp_status tvgp_policy_set_constraint(tvgp_policy *policy, size_t k, double limit);

/* Declares n actions safe (X is n x dim, copied), in place of those declared before, at any time; 0: none. They may be asked whatever
 * is believed of them, if they are available: where a run begins, and where it goes when nothing else is safe. Where contexts are
 * measured the action of a point is declared in all of them; candidates are where they are such a point. That they are safe
 * is the caller's word: values of theirs beyond a limit are counted (statistic constraint.declared_violations) and change nothing.
 * Errors: NOTFOUND (a point is not of the domain), ARG (X NULL with n > 0), NONFINITE, LIMIT, UNSUPPORTED (as of
 * tvgp_policy_add_constraint), NOMEM; unchanged then. */
TVGP_API tvgp_status tvgp_policy_set_safe(tvgp_policy *policy, size_t n, const double *X_or_null);

/* The risk at n points (n x dim) at time t >= the newest time seen, as tvgp_query.risk has it for what is asked: 0 without limits;
 * changes nothing. X NULL: of all arms in the order of their numbers. Errors: as tvgp_policy_predict on the models; risk is written
 * on success only. */
TVGP_API tvgp_status tvgp_policy_risk(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *risk);

/* The reward and all outputs of a query, n = 1 + number of limits: tvgp_policy_tell of n records. Errors: DIM, and its. */
TVGP_API tvgp_status tvgp_policy_tell_values(tvgp_policy *policy, int64_t id, const double *y, size_t n);

/* ---- The loop --------------------------------------------------------------------------------------------------- */

/* The arms that exist now: mask has one byte per arm, 0 = unavailable. NULL: all. May change at any time; unavailable arms
 * still learn from the others. Errors: DIM (n is not the number of arms), ARG (no arm available). */
TVGP_API tvgp_status tvgp_policy_set_available(tvgp_policy *policy, const uint8_t *mask_or_null, size_t n);

/* Arms that came: moves a live policy to a larger domain, between two asks or tells. The first arms of `larger` are those of
 * the policy's domain (tvgp_domain_append), the kernel is defined at all of them. What was learned holds for the new arms, as
 * if they had been there from the start and never been asked; numbers agree to 1e-10, in weight space (docs/architecture.md) to
 * 1e-7 at arms outside the old ones (docs/guide/arms-that-come-and-go.md). Pending queries stay valid. new_mean: prior means of
 * the new arms, one each, in the user's own sign; NULL: as the policy's one mean for all, or zero. A mask counts them as
 * available. Arms that go are masked (tvgp_policy_set_available). Policies with kernels given, but bkb, auto-gp-ucb with several
 * priors and a season; auto-gp-ucb with default settings on categorical arms; before the first ask or tell every policy. No prior may have a mean for each arm.
 * Errors: UNSUPPORTED (another policy, such a prior, a box), ARG (`larger` does not begin with the arms, or the kernel is not
 * defined at one, NULL where there is a mean per arm), DIM, NONFINITE, LIMIT, NOMEM; the policy is unchanged then. */
TVGP_API tvgp_status tvgp_policy_extend(tvgp_policy *policy, const tvgp_domain *larger, const double *new_mean_or_null);

/* On a domain of actions and contexts (tvgp_domain_product): from now on asks, and tvgp_policy_best, stay within this context,
 * 0 .. contexts - 1; -1: any. Answers teach all contexts. May change at any time. q.arm is the arm of the product;
 * tvgp_domain_split gives its action. Arms that are not available stay so; where none is left in the context, ask and best
 * return STATE. Errors: UNSUPPORTED (another domain), ARG, NOMEM. */
TVGP_API tvgp_status tvgp_policy_set_context(tvgp_policy *policy, int64_t context);

/* On a domain of actions and a box of contexts (tvgp_domain_product): from now on asks, and tvgp_policy_best, choose among the
 * points (x_i, z) of the actions in the context z, n coordinates in the units of the box (copied). May change at any time, and
 * must be set before the first ask or best, which return STATE otherwise; pending queries keep the context they were asked in.
 * Answers teach all contexts. The highest mean + width sd of the posterior at these points wins, as on arms (Krause, Ong 2011,
 * eq. 1); O(observations^2) flops for each action. Errors: UNSUPPORTED (another domain), DIM (n is not the dimension of the
 * box), NONFINITE, LIMIT, ARG (z NULL, a coordinate outside the box, or not whole where the box has whole numbers); the policy
 * is unchanged then. */
TVGP_API tvgp_status tvgp_policy_set_context_point(tvgp_policy *policy, const double *z, size_t n);

/* On a box: from now on asks, and tvgp_policy_best, stay within these bounds (dim each; NULL: the domain's). lower = upper
 * fixes a coordinate: a context. Answers from anywhere in the domain stay in use and may still be told. Errors: UNSUPPORTED
 * (the domain has arms), NONFINITE, ARG (outside the domain, lower above upper, no whole number between); bounds unchanged. */
TVGP_API tvgp_status tvgp_policy_set_bounds(tvgp_policy *policy, const double *lower_or_null, const double *upper_or_null);

/* On a box: the set of points that may be asked, as a function; NULL: all. It fills ok[i] with 1 where X_i (n x dim) may be
 * asked, 0 where not, and returns 0, or -1000..-1999, which the call under way then returns (others: CALLBACK). It must not
 * call the policy (REENTRANT) and must stay valid until it is replaced. Where nothing feasible is found (of 16,384 points
 * spread over the bounds, and more around observed ones), ask and best return NOTFOUND. Errors: UNSUPPORTED (arms). */
typedef int32_t (*tvgp_feasible_fn)(void *user, size_t n, const double *X, uint8_t *ok);
TVGP_API tvgp_status tvgp_policy_set_feasible(tvgp_policy *policy, tvgp_feasible_fn feasible_or_null, void *user);

/* On a box: from now on asks, and tvgp_policy_best, choose among these n points (n x dim, copied), and q.arm is the row, 0 .. n - 1:
 * the offers, drivers or models of one request, of which the features are known only now. The highest mean + width sd wins (Li et
 * al. 2010, alg. 1, with a Gaussian process), ties to the first row; O(observations^2) flops for each; with choice = thompson the
 * best of one joint draw. mean (copied, one for each point): what is added to the prior mean there, a price to subtract or the
 * score of another model; the answer counts relative to it. NULL: nothing. X NULL with n 0: the whole box again.
 * May change at any time: pending queries keep the point, the mean and the row they were asked with. Points that
 * tvgp_policy_set_bounds or tvgp_policy_set_feasible exclude are not asked; where none is left, ask and best return NOTFOUND.
 * Answers may still be told for any point of the box, and predictions at points are without these means. x may be NULL, but in asks of
 * policies with side queries.
 * Nothing is allocated once a list of this size was asked. Errors: UNSUPPORTED (the domain has arms), ARG (X NULL with n > 0, X or mean
 * with n 0, a point outside the box, or not whole where the box has whole numbers), NONFINITE, LIMIT (n above 65,536, a mean
 * beyond the range), NOMEM; the candidates are unchanged then. An ask with choice = thompson is LIMIT beyond 1,024. */
TVGP_API tvgp_status tvgp_policy_set_candidates(tvgp_policy *policy, size_t n, const double *X_or_null,
                                                const double *mean_or_null);

/* Emits up to cap queries for time t: q has cap records, x (may be NULL) cap x dim coordinates, *n the number emitted.
 * Returns AGAIN with *n = 0 when nothing can be asked until answers come, DONE when the policy has finished.
 * Several asks without a tell in between are allowed: pending actions count as observed at their mean (Desautels, Krause,
 * Burdick 2014), so that they spread. At most `pending.limit` queries are pending; beyond it the oldest is forgotten.
 * On a box an ask emits one action whatever cap, or up to cap side queries; their arm is -1 and x may not be NULL, unless
 * candidates are set.
 * Errors: ARG (cap 0, t before the newest time seen, x NULL on a box), NONFINITE, NUMERIC, NOMEM; on a box NOTFOUND (nothing
 * feasible), LIMIT (search.grid), CALLBACK and what the user's functions return. A failed ask changes nothing. */
TVGP_API tvgp_status tvgp_policy_ask(tvgp_policy *policy, double t, size_t cap, tvgp_query *q, double *x, size_t *n);

/* Asks for a slate of k different arms or candidates at time t (GP-BUCB, Desautels, Krause, Burdick 2014): k asks, each with the items
 * before it excluded and pending, so that their variances shrink. q has k records with consecutive ids, x (may be NULL) k x dim
 * coordinates, *n the number of items: fewer than k if fewer may be asked. Each item is a query of its own, with its own outcome;
 * the propensity is conditional on the items before it. An item that nobody looked at is told with TVGP_SKIPPED. A slate of one is
 * tvgp_policy_ask. Constraints and the incumbent judge each item by itself, in order. Returns AGAIN or DONE with *n = 0 as ask does.
 * Errors: ARG (k not in 1..32), UNSUPPORTED (a box without candidates, shared arms, switch.cost or switch.distance_cost, a policy with side
 * queries or one that cannot be saved), LIMIT (k above pending.limit), and those of tvgp_policy_ask. On error the policy is
 * unchanged, unless memory is refused twice: to the failed ask and to taking back the items before it, which then stay pending.
 * Costs k asks, and for k > 1 the writing of a snapshot, from which a failure is taken back. */
TVGP_API tvgp_status tvgp_policy_ask_slate(tvgp_policy *policy, double t, size_t k, tvgp_query *q, double *x, size_t *n);

/* Takes n outcomes, all or none, for any subset of the pending queries in any order, late or never. id 0 is an observation
 * nobody asked for: x (n x dim, rows of other records ignored) says where, and must be a point of the domain.
 * With limits each record is the outcome of one output (tvgp_obs.output; 0: the reward), so outputs may come together, apart, late or
 * never, and a query waits until each has one. An outcome without a value ends its own output alone, at output 0 all that are not
 * told in the same batch. A query whose reward is told is no pending action any more, whatever else is missing.
 * Errors: TICKET (unknown, already told, twice in the batch), ARG (output: no such limit), NONFINITE, NOTFOUND (x is not an arm), NUMERIC, NOMEM. */
TVGP_API tvgp_status tvgp_policy_tell(tvgp_policy *policy, const tvgp_obs *obs, const double *x_or_null, size_t n);

/* The queries that wait for an answer, oldest first, as they were asked: at most cap records to q, cap x dim coordinates to x (may
 * be NULL, on a box too), *n is how many were written. q NULL: *n is how many there are, and nothing is written. After a restart
 * they say what was under way when the snapshot was saved. One that pending.timeout will close stays until the next ask.
 * Changes nothing. Errors: ARG (n NULL). */
TVGP_API tvgp_status tvgp_policy_pending(const tvgp_policy *policy, size_t cap, tvgp_query *q_or_null, double *x_or_null,
                                         size_t *n);

/* The one-at-a-time forms: one query (x may be NULL), one value. */
TVGP_API tvgp_status tvgp_policy_ask_one(tvgp_policy *policy, double t, tvgp_query *q, double *x);
TVGP_API tvgp_status tvgp_policy_tell_value(tvgp_policy *policy, int64_t id, double y);

/* ---- State that survives (docs/restarts.md, docs/snapshot-format.md) -------------------------------------------- */

/* Writes all that the policy knows into buffer (capacity bytes), *needed bytes; buffer NULL: only *needed. Options, prior mean,
 * mask, context, bounds, candidates, pending queries and priors are in it; functions (feasible set, prior mean) are not. Saving changes
 * nothing, and once a policy has been saved it allocates nothing. On shared arms (tvgp/comm.h) each rank writes its part: with a
 * buffer the call is collective, and rank 0's part, which has the manifest, must be stored last. Errors: BUFFER (too small; *needed says how much), UNSUPPORTED
 * (a policy from outside that cannot be saved), NOMEM. */
TVGP_API tvgp_status tvgp_policy_save(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed);

/* Makes the policy what it was when the n bytes were saved, at any moment of its own life: from here on it does the same, bit
 * for bit (same library, same machine). It must be made from the same template: name, domain, kernel; options and priors come
 * from the snapshot. Functions stay those of this policy (a prior mean as a function only where the snapshot had one); where one
 * was set and this policy has none, the next ask is STATE until it is set. Loading again and again into one policy allocates
 * nothing once it has held a state of this size. On shared arms the bytes are parts, one after the other, in any order: those with
 * this rank's arms and rank 0's at least; the number of ranks may be another; collective. Errors: FORMAT (naming section and byte), VERSION (a newer format), STATE
 * (another template; parts of another moment or too few; the message names it), NOMEM, a kernel's own; the policy is unchanged
 * then. */
TVGP_API tvgp_status tvgp_policy_load(tvgp_policy *policy, const void *bytes, size_t n);

/* As tvgp_policy_save, with domain and kernel. Errors: those, and UNSUPPORTED (a kernel or domain of a type that does not say
 * how it is saved). */
TVGP_API tvgp_status tvgp_policy_save_full(const tvgp_policy *policy, void *buffer_or_null, size_t capacity, size_t *needed);

/* A new policy in the state of a snapshot: of a whole one alone, of others with domain and kernel given. NULL takes what is in
 * the snapshot (a policy that was created without a kernel is again; unlike in tvgp_policy_create NULL does not mean that).
 * Functions are to be set again. Errors: FORMAT, VERSION, STATE (a part is not in the snapshot, or the one given is another),
 * NOTFOUND (no such policy), UNSUPPORTED (a type that is not registered), NOMEM. */
TVGP_API tvgp_status tvgp_policy_restore(tvgp_ctx *ctx, const void *bytes, size_t n, const tvgp_domain *domain_or_null,
                                         const tvgp_kernel *kernel_or_null, tvgp_policy **out);

/* A policy of its own in the same state, which shares domain, kernel and functions. Errors: UNSUPPORTED, NOMEM. */
TVGP_API tvgp_status tvgp_policy_clone(const tvgp_policy *policy, tvgp_policy **out);

/* ---- What it knows ---------------------------------------------------------------------------------------------- */

/* Posterior mean and latent variance at n points (n x dim) at time t >= the newest time seen; changes no choice. mean or var
 * may be NULL. Points need not be arms; with a prior mean given per arm they must be (UNSUPPORTED). X NULL: the arms 0 .. n - 1, all
 * of them, available or not, in the order of their numbers (of shared arms those this rank holds; where contexts are measured the
 * actions in the one that holds; on a box the candidates, their means in it): faster, as none is looked up. UNSUPPORTED for
 * policies without a model. Errors: ARG (X NULL on a box), DIM (X NULL and n is not the number of arms), STATE (X NULL, and no
 * measured context holds), NONFINITE, NOMEM. */
TVGP_API tvgp_status tvgp_policy_predict(tvgp_policy *policy, double t, size_t n, const double *X_or_null, double *mean,
                                         double *var);

/* The same with gradients by the point: dmean and dvar are n x dim, row-major; any output may be NULL. Policies of one
 * posterior; for the others UNSUPPORTED, as with a prior mean given per arm and a table kernel. Errors as
 * tvgp_policy_predict; on a box also CALLBACK and what the user's functions return. Outputs are written on success only. */
TVGP_API tvgp_status tvgp_policy_predict_gradient(tvgp_policy *policy, double t, size_t n, const double *X, double *mean,
                                                  double *var, double *dmean, double *dvar);

/* The score by which an ask at time t would choose, at n points (n x dim; NULL: all arms, as in tvgp_policy_predict), with mean and
 * standard deviation as predicted; each may be NULL. The score is that of tvgp_query.score: prior mean + mean + width sd (GP-UCB,
 * Srinivas, Krause, Kakade, Seeger 2010; with sense=min minus), where actions that are pending count as observed at their mean, so that
 * it may be less than `mean` and `sd` say; of choice=thompson the draw; of several priors that of the one that would choose, or of
 * their weighted sum. What moving costs (switch.cost, switch.distance_cost) is not taken off. A copy of the policy is asked, so it takes the
 * memory and the time of tvgp_policy_clone and an ask, and changes nothing; what it would learn at this ask is in it.
 * Errors: those of tvgp_policy_predict and tvgp_policy_ask, AGAIN and DONE as there, NOTFOUND (a point is no arm), UNSUPPORTED (the
 * policy does not choose by a score or cannot be copied, the arms are shared; points in measured contexts, or with candidates that
 * are drawn from: X must be NULL). */
TVGP_API tvgp_status tvgp_policy_score(tvgp_policy *policy, double t, size_t n, const double *X_or_null,
                                       double *score_or_null, double *mean_or_null, double *sd_or_null);

/* The probability that each arm is the best (with sense=min: the lowest) at time t: the fraction of `draws` >= 1 joint draws of the
 * posterior in which it is (Scott 2010), p (n) summing to 1. X NULL: all arms or candidates, n of them; otherwise the best among n points
 * (n x dim), of a box too. Arms that an ask would not consider have p = 0: masked, of another context, not safe. Pending queries have
 * no effect, costs of moving neither. The draws depend on the seed and the number of actions, so a repeated call
 * gives the same numbers. tvgp_shares makes shares of traffic of them.
 * A copy of the policy is asked, so the call takes the memory and the time of tvgp_policy_clone, an ask, and draws x arms x rank
 * multiplications, and changes nothing. Errors: those of tvgp_policy_score, AGAIN and DONE as there, UNSUPPORTED (several priors,
 * a box without candidates and X NULL, measured contexts, shared arms), LIMIT (more than 1,024 candidates, or 2^24 draws). */
TVGP_API tvgp_status tvgp_policy_best_probability(tvgp_policy *policy, double t, size_t n, const double *X_or_null,
                                                  int64_t draws, double *p);

/* The available arm of highest posterior mean (with sense=min: lowest) at time t (ties: lowest index), and its coordinates
 * (x may be NULL). On a box the best point of the posterior mean within the bounds as the search finds it, *arm -1, x not NULL, or the best
 * candidate; changes nothing. Errors:
 * ARG, NONFINITE, UNSUPPORTED (no model), NOMEM; on a box those of tvgp_policy_ask. */
TVGP_API tvgp_status tvgp_policy_best(tvgp_policy *policy, double t, int64_t *arm, double *x);

/* One statistic by name (docs/options.md lists them). A statistic kept for each of several things is
 * listed once, for the first of them where there is one, such as prior.alive.0; prior.alive.3 is that of prior 3. NOTFOUND names
 * the nearest.
 */
TVGP_API tvgp_status tvgp_policy_stat(const tvgp_policy *policy, const char *key, double *value);

/* ---- Introspection ---------------------------------------------------------------------------------------------- */

/* Registered policies: how many; name and one line about the i-th (ARG when i is too large). */
TVGP_API tvgp_status tvgp_policy_count(const tvgp_ctx *ctx, size_t *n);
TVGP_API tvgp_status tvgp_policy_name_at(const tvgp_ctx *ctx, size_t i, const char **name, const char **doc);

/* Options and statistics of this policy. ARG when i is too large. */
TVGP_API tvgp_status tvgp_policy_option_count(const tvgp_policy *policy, size_t *n);
TVGP_API tvgp_status tvgp_policy_option_info(const tvgp_policy *policy, size_t i, tvgp_option_info *info);
TVGP_API tvgp_status tvgp_policy_stat_count(const tvgp_policy *policy, size_t *n);
TVGP_API tvgp_status tvgp_policy_stat_name_at(const tvgp_policy *policy, size_t i, const char **key, const char **doc);
/* What the i-th statistic is for, TVGP_STAT_* (or'ed), and its unit: time as in t, reward, coordinates, nats, .. or their powers,
 * "" where it is a number. unit may be NULL. ARG when i is too large. */
TVGP_API tvgp_status tvgp_policy_stat_kind_at(const tvgp_policy *policy, size_t i, uint32_t *kind, const char **unit);
enum {
    TVGP_STAT_HEADLINE = 1,  /* a service exports it and alarms on it (docs/guide/reading-the-statistics.md) */
    TVGP_STAT_LEARNED = 2,   /* what was found out about the world */
    TVGP_STAT_COUNTER = 4,   /* never falls */
    TVGP_STAT_DIAGNOSTIC = 8 /* how the policy goes about it */
};

#ifdef __cplusplus
}
#endif
#endif

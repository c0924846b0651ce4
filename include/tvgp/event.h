/* SPDX-License-Identifier: MIT */
/** @file
 * Events: one record for each call that changed a policy, and their replay (docs/reference/snapshot-format.md#event-log).
 *
 * A store that keeps a description (tvgp_policy_create_described), numbered events and an occasional snapshot can restore
 * the policy bit for bit, in any process. An event converts to and from one line of JSON, the format of the log of the
 * command-line program.
 */
#ifndef TVGP_EVENT_H
#define TVGP_EVENT_H

#include "serve.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Calls that an event records (tvgp_event.kind). The values never change and are never reused. */
enum {
    TVGP_EVENT_ASK = 1, /**< tvgp_policy_ask_one at t; result in id, arm, propensity and x (id 0: AGAIN or DONE). With slate:
                          *   tvgp_policy_ask_slate; id, arm and propensity of the first item; x has arm, propensity and point
                          *   of each. */
    TVGP_EVENT_TELL = 2, /**< tvgp_policy_tell of one query, or of an unsolicited observation (id 0) at x; then outputs. */
    TVGP_EVENT_AVAILABLE = 3,     /**< tvgp_policy_set_available: x is the mask; empty: all arms. */
    TVGP_EVENT_CONTEXT = 4,       /**< tvgp_policy_set_context: arm is the context. */
    TVGP_EVENT_CONTEXT_POINT = 5, /**< tvgp_policy_set_context_point: x. */
    TVGP_EVENT_CANDIDATES = 6,    /**< tvgp_policy_set_candidates: `arm` points in x, then means with TVGP_EVENT_MEANS. */
    TVGP_EVENT_BOUNDS = 7,        /**< tvgp_policy_set_bounds: lower, then upper bounds; empty: the domain's. */
    TVGP_EVENT_PRIOR_MEAN = 8,    /**< tvgp_policy_set_prior_mean: x; empty: zero. */
    TVGP_EVENT_CONSTRAINT = 9,    /**< tvgp_policy_set_constraint: output and y. */
    TVGP_EVENT_SAFE = 10,         /**< tvgp_policy_set_safe: points. */
    TVGP_EVENT_INCUMBENT = 11,    /**< tvgp_policy_set_incumbent: its point and y; empty: none. */
    TVGP_EVENT_FIT = 12,          /**< tvgp_policy_fit: arm is max_evals. */
    TVGP_EVENT_BUDGET = 13,       /**< tvgp_policy_set_budget: budget, period and asks in x. */
    TVGP_EVENT_COSTS = 14,        /**< tvgp_policy_set_costs: x. */
    TVGP_EVENT_CHARGE = 15,       /**< tvgp_policy_charge: id and charge. */
    TVGP_EVENT_EXTEND = 16,       /**< tvgp_policy_extend with `arm` more actions: their points in x, then the prior means
                                   *   of the new arms with TVGP_EVENT_MEANS, then `outputs` bytes of their names ("D,E"), one
                                   *   number each. */
    TVGP_EVENT_PAYOFFS = 17,      /**< tvgp_policy_set_payoffs: x; empty: 1 for all. */
    TVGP_EVENT_COST_WEIGHT = 18   /**< tvgp_policy_set_cost_weight: y. */
};

/** Flags of TVGP_EVENT_CANDIDATES and TVGP_EVENT_EXTEND; TVGP_EVENT_TELL has the flags TVGP_OBS_*. */
enum {
    TVGP_EVENT_MEANS = 1 /**< The points are followed by their means. */
};

/** One call. 128 bytes. Its `size` numbers are stored separately (x). Members that a kind does not use are 0. */
typedef struct tvgp_event {
    int64_t n;         /**< Number of the event in its log: 1, 2, .. without gaps. */
    int32_t kind;      /**< TVGP_EVENT_ASK and the other kinds. */
    uint32_t flags;    /**< TVGP_OBS_HAS_NOISE and the others for a tell; TVGP_EVENT_MEANS. */
    int64_t id;        /**< Id of the query; 0: unsolicited observation, or an ask without a result. */
    int64_t epoch;     /**< Random number of the server that served the ask; 0: none. Not read by the library. */
    int64_t arm;       /**< Arm of the query, -1 on a box; a context; a number of points. */
    double t;          /**< Time of the ask; with TVGP_OBS_HAS_TIME of the outcome. */
    int32_t outcome;   /**< TVGP_VALUE, TVGP_SKIPPED, TVGP_FAILED or TVGP_CANCELLED. */
    int32_t output;    /**< 0: the reward; k: the output of constraint k. */
    double y;          /**< The outcome; the bound of a constraint; the largest share of loss; a weight. */
    double noise_var;  /**< With TVGP_OBS_HAS_NOISE: noise variance. */
    double propensity; /**< Propensity of the choice; 0: unknown. */
    double exposure;   /**< Exposure of a count; 0: none. */
    double reference;  /**< Outcome of the reference; 0: none. */
    double charge;     /**< Cost charged to the query; 0: none. */
    int32_t slate;     /**< Of an ask: the number of items wanted (tvgp_policy_ask_slate); 0: no slate. */
    int32_t outputs;   /**< Number of further outputs of a tell, or bytes of names; they are the last numbers of x. */
    int64_t size;      /**< Number of numbers in x. */
    double reserved;   /**< 0. */
} tvgp_event;

/** Replays events: makes the calls that they record. The resulting state equals the state of the policy that made the calls,
 * byte for byte (same library, same machine).
 *
 * On error the policy has the state after an earlier event; restore it from its snapshot. Costs as much as the calls.
 *
 * @param policy     A policy in the state after event events[0].n - 1.
 * @param n          Number of events.
 * @param events     Events (n), numbered without gaps.
 * @param n_x        Sum of the sizes of the events.
 * @param x_or_null  The numbers of all events, one event after the other (n_x); NULL if n_x is 0.
 * @retval TVGP_ERR_FORMAT  A gap in the numbers, an unknown kind, a size that does not fit the kind, or an ask that gives another
 *                          id, arm or point than recorded. The message names the event.
 * @retval TVGP_ERR_DIM     n_x is not the sum of the sizes.
 * @retval TVGP_ERR_ARG     A member without its flag, or a reserved member, is not 0.
 * @return otherwise as the recorded calls.
 */
TVGP_API tvgp_status tvgp_policy_apply(tvgp_policy *policy, size_t n, const tvgp_event *events, size_t n_x,
                                       const double *x_or_null);

/** Estimates from a log of events what another policy would have earned (tvgp_off_policy_value). The log is replayed; before
 * each ask the policy of the log predicts all arms and the target chooses; the target then receives the outcome of the log. The
 * target also gets arms, contexts, candidates and prior means of the log, but no constraints, budget or incumbent.
 *
 * The result is the value of the target's decisions given the logged data. Outcomes are in the unit of predictions: counts are
 * divided by their exposure, ratios by their reference. A query without an outcome is missing. On error both policies are in the
 * state of some earlier event. Costs the calls themselves, and a copy of the policy for each ask.
 *
 * @param policy          A policy in the state before events[0].
 * @param target_or_null  Another policy on the same domain and in the same context, in any state; NULL: arm.
 * @param arm             Without target: the arm that is always chosen; -1: an arm drawn uniformly from those available.
 * @param n               Number of events.
 * @param events          Events (n), numbered without gaps.
 * @param n_x             Sum of the sizes of the events.
 * @param x_or_null       Their numbers (n_x), as for tvgp_policy_apply.
 * @param half_life       As for tvgp_off_policy_value; INFINITY: equal weights.
 * @param[out] out        The estimates; struct_size is set by the caller. Unchanged on error.
 * @retval TVGP_ERR_ARG          The log has no ask, an ask has no propensity, or the target is the policy or in another context.
 * @retval TVGP_ERR_DIM          The target has another domain, or n_x is too small.
 * @retval TVGP_ERR_NOTFOUND     The arm is not available at an ask.
 * @retval TVGP_ERR_STATE        The target has nothing to ask.
 * @retval TVGP_ERR_UNSUPPORTED  Slates, side queries, or a box without candidates.
 * @return otherwise as tvgp_policy_apply and tvgp_off_policy_value.
 */
TVGP_API tvgp_status tvgp_event_off_policy_value(tvgp_policy *policy, tvgp_policy *target_or_null, int64_t arm, size_t n,
                                                 const tvgp_event *events, size_t n_x, const double *x_or_null,
                                                 double half_life, tvgp_value_estimate *out);

/** Writes an event as one line of JSON without line end, {"n":1,"call":"ask",..}, ended by a NUL. Numbers have the digits
 * that restore them exactly.
 *
 * @param ctx             The context.
 * @param event           The event.
 * @param n_x             event->size.
 * @param x_or_null       Its numbers (n_x).
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the text; NULL: only *needed is written.
 * @param[out] needed     Size of the text, including the NUL.
 * @retval TVGP_ERR_ARG     An unknown kind; a member of a tell without its flag, or a reserved member, is not 0.
 * @retval TVGP_ERR_DIM     n_x is not event->size.
 * @retval TVGP_ERR_BUFFER  The buffer is too small; *needed is written.
 */
TVGP_API tvgp_status tvgp_event_format(tvgp_ctx *ctx, const tvgp_event *event, size_t n_x, const double *x_or_null,
                                       size_t capacity, void *buffer_or_null, size_t *needed);

/** Reads a line that tvgp_event_format wrote. Unknown members are ignored, so a program may add its own.
 *
 * @param ctx             The context.
 * @param line            The line.
 * @param capacity        Number of entries of x_or_null.
 * @param[out] event      The event; unchanged on error.
 * @param[out] x_or_null  Its numbers; NULL: only *n_x is written.
 * @param[out] n_x        Number of numbers.
 * @retval TVGP_ERR_FORMAT  The line is no event; the message names the byte.
 * @retval TVGP_ERR_BUFFER  There are more than `capacity` numbers; *n_x is written.
 */
TVGP_API tvgp_status tvgp_event_parse(tvgp_ctx *ctx, const char *line, size_t capacity, tvgp_event *event, double *x_or_null,
                                      size_t *n_x);

/** Writes the description of a policy after TVGP_EVENT_EXTEND, ended by a NUL. A policy that it creates has the arms of the
 * extended one and reads its snapshots.
 *
 * New names are appended to `names=`, and new points to `more=`, which is added; a description of names alone has no
 * points. A store replaces its description and stores a snapshot in the same transaction, because earlier events belong to the
 * earlier description.
 *
 * @param ctx             The context.
 * @param description     The description before the event.
 * @param event           The event.
 * @param n_x             event->size.
 * @param x_or_null       Its numbers (n_x).
 * @param capacity        Size of the buffer, in bytes.
 * @param buffer_or_null  Receives the text; NULL: only *needed is written.
 * @param[out] needed     Size of the text, including the NUL.
 * @retval TVGP_ERR_ARG     The event is no extension; its names are missing, superfluous, or one of them exists already.
 * @retval TVGP_ERR_DIM     n_x is not event->size, or does not fit the number of actions.
 * @retval TVGP_ERR_BUFFER  The buffer is too small; *needed is written.
 * @return otherwise as tvgp_policy_create_described.
 */
TVGP_API tvgp_status tvgp_event_describe(tvgp_ctx *ctx, const char *description, const tvgp_event *event, size_t n_x,
                                         const double *x_or_null, size_t capacity, void *buffer_or_null, size_t *needed);

#ifdef __cplusplus
}
#endif
#endif
